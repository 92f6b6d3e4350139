//! Programs that try laws, numbered by kind of domain, law and round; nothing runs them here.
//!
//! The number of programs is unlimited. A round has one program for every kind of domain and every
//! law that applies to it; without a flag that limits the number, one round is made.

use super::DOMAINS;
use crate::export::Folder;
use crate::file::FileError;
use crate::settings::Domains;
use assay_case::{Expected, Kind, Selection, Shard};
use assay_lattice::protocol::{Plan, own_inputs};
use assay_lattice::{
    Boundaries, Decoder, Engine, Input, Inputs, LAWS, Law, Profile, Shape, Trace, TraceOptions,
    named_number,
};
use assay_mutate::Draw;
use serde_json::{Value, json};
use std::path::Path;

/// How workers generate and check traces.
///
/// # Errors
/// What is wrong with the settings.
pub fn plan(settings: &Domains, seed: u64) -> Result<Plan, String> {
    let mut config = TraceOptions::preset(&settings.configuration).ok_or_else(|| {
        let known = TraceOptions::PRESETS.join(", ");
        format!("unknown configuration `{}`; expected one of {known}", settings.configuration)
    })?;
    let engine = Engine::by_name(&settings.engine).ok_or_else(|| {
        let known = Engine::ALL.map(|row| row.1).join(", ");
        format!("unknown engine `{}`; expected one of {known}", settings.engine)
    })?;
    if !(1..=64).contains(&settings.variables) {
        return Err("a program has 1 to 64 variables".into());
    }
    config.dimensions = settings.variables;
    config.pool = settings.pool.unwrap_or(config.pool);
    config.operations = settings.operations.unwrap_or(config.operations);
    config.strict = settings.soft;
    config.mixed = engine.is_guided();
    if let Some(list) = &settings.constants {
        (config.constants, config.infinities) = constants(list)?;
    }
    if let Some(name) = &settings.boundaries {
        config.boundaries = Boundaries::by_name(name).ok_or_else(|| {
            let known = Boundaries::ALL.map(|row| row.1).join(", ");
            format!("unknown boundaries `{name}`; expected one of {known}")
        })?;
    }
    let find = |name: &String| {
        Law::find(name).ok_or_else(|| {
            format!("there is no law `{name}`; `assay rules --theory domains` lists them")
        })
    };
    let mut laws = settings.laws.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let without = settings.without.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    if !without.is_empty() {
        if laws.is_empty() {
            laws.extend(LAWS);
        }
        laws.retain(|law| !without.contains(law));
        if laws.is_empty() {
            return Err("no law is left: `--without` excludes every `--law`".into());
        }
    }
    let laws = laws.into_iter().map(|law| law.name.to_owned()).collect();
    Ok(Plan::new(&config, engine, seed, laws))
}

/// The constants of a list, and whether infinities are among them.
fn constants(list: &str) -> Result<(Vec<i64>, bool), String> {
    let mut numbers = Vec::new();
    let mut infinities = false;
    for word in list.split(',').map(str::trim) {
        match word {
            "inf" | "-inf" => infinities = true,
            "nan" | "NaN" => {
                return Err("no domain takes NaN: constants of programs are integers, or inf for \
                            a missing bound"
                    .to_owned());
            }
            _ => numbers.push(named_number(word).ok_or_else(|| {
                format!(
                    "`{word}` is neither a 64-bit number, nor LONG_MIN, LONG_MAX, INT_MIN, \
                         INT_MAX or inf"
                )
            })?),
        }
    }
    if numbers.is_empty() {
        Err("name at least one number".to_owned())
    } else {
        Ok((numbers, infinities))
    }
}

/// The programs that a selection chooses.
pub struct DomainPrograms {
    plan: Plan,
    subjects: Vec<Subject>,
    selection: Selection,
}

impl DomainPrograms {
    /// The programs of these settings.
    ///
    /// # Errors
    /// What is wrong with the settings or the selection.
    pub fn new(settings: &Domains, selection: Selection) -> Result<DomainPrograms, String> {
        let mut plan = plan(settings, selection.rng)?;
        plan.config.checks = 1;
        // Nothing is run that a search could be guided by.
        if plan.engine.is_guided() {
            plan.engine = Engine::Random;
            plan.config.mixed = false;
        }
        let subjects = subjects(&plan, &selection)?;
        Ok(DomainPrograms { plan, subjects, selection })
    }

    /// The number of programs, by kind of domain, or by that and law.
    #[must_use]
    pub fn counts(&self, by_law: bool) -> Vec<(String, u64)> {
        let mut counts = vec![0u64; self.subjects.len()];
        places(&self.subjects, &self.selection).for_each(|(_, subject)| counts[subject] += 1);
        let mut lines = Vec::new();
        for (shape, name, _) in Shape::ALL {
            let own = self.subjects.iter().zip(&counts).filter(|(one, _)| one.shape == shape);
            let own: Vec<(&Subject, &u64)> = own.collect();
            if by_law {
                let line =
                    |(one, count): &(&Subject, &u64)| (format!("{name} {}", one.law.name), **count);
                lines.extend(own.iter().map(line));
            } else if self.selection.categories.is_empty() || !own.is_empty() {
                lines.push((name.to_owned(), own.iter().map(|(_, count)| **count).sum()));
            }
        }
        lines
    }

    /// The texts of the programs.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.programs().map(|program| program.trace.to_string())
    }

    /// Writes each program into a file of its own, and `index.jsonl`; returns their number.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, path: &Path) -> Result<u64, FileError> {
        let mut folder = Folder::create(path, Kind::Trace)?;
        let mut written = 0;
        for program in self.programs() {
            let file = format!("{}.txt", program.name());
            folder.write(&file, &program.trace.to_string())?;
            folder.record(&program.record(&file, &self.plan))?;
            written += 1;
        }
        folder.finish()?;
        Ok(written)
    }

    fn programs(&self) -> Programs<'_> {
        let config = self.plan.config.clone();
        let decoder =
            |subject: &Subject| Decoder::new(subject.shape, config.clone(), vec![subject.law]);
        Programs {
            subjects: &self.subjects,
            decoders: self.subjects.iter().map(decoder).collect(),
            places: Box::new(places(&self.subjects, &self.selection)),
            inputs: own_inputs(&self.plan).expect("engines that are guided were replaced"),
            taken: 0,
            input: Vec::new(),
        }
    }
}

/// A kind of domain and a law that applies to it.
#[derive(Clone, Copy)]
struct Subject {
    shape: Shape,
    law: &'static Law,
}

/// The categories of programs, one for each kind and law.
fn subjects(plan: &Plan, selection: &Selection) -> Result<Vec<Subject>, String> {
    let names = Shape::ALL.map(|row| row.1);
    if let Some(unknown) = selection.categories.iter().find(|name| !names.contains(&&***name)) {
        let known = names.join(", ");
        return Err(format!("{DOMAINS} has no category `{unknown}`; it has {known}"));
    }
    let wanted = plan.named_laws()?;
    let profiles = Shape::ALL.map(|(shape, ..)| Profile::new("", shape));
    let mut subjects = Vec::new();
    for law in LAWS.iter().filter(|law| wanted.is_empty() || wanted.contains(law)) {
        for profile in profiles.iter().filter(|profile| law.applies_to(profile)) {
            let name = profile.shape.name();
            if selection.categories.is_empty() || selection.categories.iter().any(|n| n == name) {
                subjects.push(Subject { shape: profile.shape, law });
            }
        }
    }
    Ok(subjects)
}

/// The places of programs, in order: the number of the round, and of the subject in it.
fn places(
    subjects: &[Subject],
    selection: &Selection,
) -> impl Iterator<Item = (u64, usize)> + use<> {
    let count = subjects.len();
    let rounds: Option<Vec<u64>> = match (selection.sample, selection.each, selection.limit) {
        (Some(sample), ..) => Some(drawn(sample, count, selection.rng)),
        (None, Some(each), _) => Some(vec![each; count]),
        (None, None, Some(_)) => None,
        (None, None, None) => Some(vec![1; count]),
    };
    let last = rounds.as_ref().map_or(u64::MAX, |rounds| rounds.iter().copied().max().unwrap_or(0));
    let last = if count == 0 { 0 } else { last };
    let all = (0..last).flat_map(move |round| (0..count).map(move |subject| (round, subject)));
    let wanted = all.filter(move |(round, subject)| {
        rounds.as_ref().is_none_or(|rounds| *round < rounds[*subject])
    });
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let Shard { index, of } = selection.shard.unwrap_or(Shard::WHOLE);
    let limit = selection.limit.map_or(usize::MAX, number);
    wanted.take(limit).skip(number(index)).step_by(number(of.max(1)))
}

/// The number of programs of each subject in a uniform sample of this size: inputs are
/// random, so that the first of a subject are as good as any.
fn drawn(sample: u64, subjects: usize, rng: u64) -> Vec<u64> {
    let mut rounds = vec![0; subjects];
    let mut draw = Draw::new(&[rng]);
    for _ in 0..if subjects == 0 { 0 } else { sample } {
        rounds[draw.below(subjects)] += 1;
    }
    rounds
}

/// A program with the place that it comes from.
struct Program {
    subject: Subject,
    round: u64,
    trace: Trace,
    input: Input,
}

impl Program {
    fn name(&self) -> String {
        format!("{}/{}/{}", self.subject.shape.name(), self.subject.law.name, self.round)
    }

    /// What `index.jsonl` says about it.
    fn record(&self, file: &str, plan: &Plan) -> Value {
        let Subject { shape, law } = self.subject;
        json!({
            "name": self.name(),
            "file": file,
            "suite": DOMAINS,
            "category": shape.name(),
            "operation": law.name,
            "class": law.class.name(),
            "rules": [law.name],
            "expected": Expected::Law.name(),
            "model": null,
            "core": null,
            "origin": {
                "case": self.name(),
                "seed": plan.seed,
                "index": self.round.to_string(),
                "seeds": [],
                "trace": [],
                "bytes": self.input,
                "plan": plan,
            },
        })
    }
}

/// The chosen programs, made one after the other.
struct Programs<'p> {
    subjects: &'p [Subject],
    decoders: Vec<Decoder>,
    places: Box<dyn Iterator<Item = (u64, usize)>>,
    inputs: Box<dyn Inputs>,
    /// The number of inputs taken, and the last of them: that of the present round.
    taken: u64,
    input: Vec<u8>,
}

impl Iterator for Programs<'_> {
    type Item = Program;

    fn next(&mut self) -> Option<Program> {
        let (round, at) = self.places.next()?;
        while self.taken <= round {
            self.input = self.inputs.next();
            self.taken += 1;
        }
        let trace = self.decoders[at].decode(&self.input).slice(0);
        Some(Program { subject: self.subjects[at], round, trace, input: Input(self.input.clone()) })
    }
}
