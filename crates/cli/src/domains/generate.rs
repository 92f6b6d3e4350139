//! `assay gen domains`: programs that try laws, numbered by kind of domain, law and round.
//!
//! There is no end of programs. A round has one of every kind of domain for every law that applies
//! to it; without a word about how many are wanted, one round is made.

use crate::suites::SuiteArgs;
use crate::{Outcome, output};
use assay_campaign::DOMAINS;
use assay_campaign::settings::Domains;
use assay_case::{Expected, Selection, Shard};
use assay_lattice::protocol::{Plan, own_inputs};
use assay_lattice::{Case, Decoder, Engine, Input, Inputs, LAWS, Law, Profile, Shape};
use assay_mutate::Draw;
use serde_json::{Value, json};
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// What is to be done with programs.
pub(crate) enum Wish<'w> {
    /// Write them into a folder.
    Folder(&'w Path),
    /// Print them.
    Print,
    /// Count them: by kind of domain, or by that and law.
    Count { by_law: bool },
}

/// Writes, prints or counts the programs that the flags choose.
pub(crate) fn generate(
    suite: &SuiteArgs,
    settings: &Domains,
    wish: &Wish<'_>,
) -> Result<Outcome, Box<dyn Error>> {
    let selection = suite.selection();
    let mut plan = super::plan(settings, selection.rng)?;
    plan.config.checks = 1;
    // Nothing is run that a search could be guided by.
    if plan.engine.is_guided() {
        plan.engine = Engine::Random;
        plan.config.mixed = false;
    }
    let subjects = subjects(&plan, &selection)?;
    match wish {
        Wish::Count { by_law } => count(&subjects, &selection, *by_law),
        Wish::Print => Programs::new(&plan, &subjects, &selection)
            .for_each(|program| output::result(&format!("{}\n", program.case))),
        Wish::Folder(path) => {
            let written = write(path, &plan, Programs::new(&plan, &subjects, &selection))?;
            let (line, path) = (suite.line(), path.display());
            output::note(&format!("{written} programs in {path}, made by: assay gen {line}\n"));
        }
    }
    Ok(Outcome::Clean)
}

/// A kind of domain and a law that applies to it.
#[derive(Clone, Copy)]
struct Subject {
    shape: Shape,
    law: &'static Law,
}

/// What programs are about, law by law.
fn subjects(plan: &Plan, selection: &Selection) -> Result<Vec<Subject>, String> {
    let names = || Shape::ALL.map(|row| row.1);
    if let Some(unknown) = selection.categories.iter().find(|name| !names().contains(&&***name)) {
        let known = names().join(", ");
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

/// How many programs of each subject there are among so many that are drawn uniformly: inputs are
/// random, so that the first of a subject are as good as any.
fn drawn(sample: u64, subjects: usize, rng: u64) -> Vec<u64> {
    let mut rounds = vec![0; subjects];
    let mut draw = Draw::new(&[rng]);
    for _ in 0..if subjects == 0 { 0 } else { sample } {
        rounds[draw.below(subjects)] += 1;
    }
    rounds
}

fn count(subjects: &[Subject], selection: &Selection, by_law: bool) {
    let mut counts = vec![0u64; subjects.len()];
    places(subjects, selection).for_each(|(_, subject)| counts[subject] += 1);
    for (shape, name, _) in Shape::ALL {
        let own = || subjects.iter().zip(&counts).filter(|(subject, _)| subject.shape == shape);
        if by_law {
            own().for_each(|(subject, count)| {
                output::result(&format!("{name} {} {count}\n", subject.law.name));
            });
        } else if selection.categories.is_empty() || own().next().is_some() {
            let sum: u64 = own().map(|(_, count)| count).sum();
            output::result(&format!("{name} {sum}\n"));
        }
    }
    if selection.sample.or(selection.each).or(selection.limit).is_none() {
        output::note(
            "note: there is no end of programs: this is one for each law that applies; --limit, \
             --each and --sample ask for more\n",
        );
    }
}

/// A program with the place that it comes from.
struct Program {
    subject: Subject,
    round: u64,
    case: Case,
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
    /// How many inputs were taken, and the last of them: that of the present round.
    taken: u64,
    input: Vec<u8>,
}

impl<'p> Programs<'p> {
    fn new(plan: &Plan, subjects: &'p [Subject], selection: &Selection) -> Programs<'p> {
        let config = plan.config.clone();
        let decoder =
            |subject: &Subject| Decoder::new(subject.shape, config.clone(), vec![subject.law]);
        Programs {
            subjects,
            decoders: subjects.iter().map(decoder).collect(),
            places: Box::new(places(subjects, selection)),
            inputs: own_inputs(plan).expect("engines that are guided were replaced"),
            taken: 0,
            input: Vec::new(),
        }
    }
}

impl Iterator for Programs<'_> {
    type Item = Program;

    fn next(&mut self) -> Option<Program> {
        let (round, at) = self.places.next()?;
        while self.taken <= round {
            self.input = self.inputs.next();
            self.taken += 1;
        }
        let case = self.decoders[at].decode(&self.input).slice(0);
        Some(Program { subject: self.subjects[at], round, case, input: Input(self.input.clone()) })
    }
}

/// Writes each program into a file of its own; gives how many there are.
fn write(
    path: &Path,
    plan: &Plan,
    programs: impl Iterator<Item = Program>,
) -> Result<u64, Box<dyn Error>> {
    let place = |path: PathBuf| move |error| format!("{}: {error}", path.display());
    fs::create_dir_all(path).map_err(place(path.into()))?;
    let index = path.join("index.jsonl");
    let mut lines = BufWriter::new(File::create(&index).map_err(place(index.clone()))?);
    let mut written = 0;
    for program in programs {
        let name = format!("{}.txt", program.name());
        let file = path.join(&name);
        let parent = file.parent().unwrap_or(path);
        fs::create_dir_all(parent).map_err(place(parent.into()))?;
        fs::write(&file, program.case.to_string()).map_err(place(file.clone()))?;
        writeln!(lines, "{}", program.record(&name, plan)).map_err(place(index.clone()))?;
        written += 1;
    }
    lines.flush().map_err(place(index.clone()))?;
    Ok(written)
}
