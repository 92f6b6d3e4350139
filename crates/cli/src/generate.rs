//! `assay gen`: writes test cases with their truth, or counts them.

use crate::mutants::Askers;
use crate::registry::{Examples, SuiteCommand, help};
use crate::suites::SuiteArgs;
use crate::tools::TargetArgs;
use crate::{Outcome, check, domains, output, programs};
use assay_campaign::settings::{Family, Settings};
use assay_case::{
    CaseId, Category, Extremum, FormulaTest, Kind, MakeError, Optima, Oracle, Selection, Suite,
    TestCase, Witness,
};
use assay_smtlib::{Command, Dialect, Plain, Printer, STANDARD, print_model};
use assay_target::TargetName;
use clap::{ArgMatches, Args as _, FromArgMatches};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The flags of `assay gen`.
pub(crate) struct Args {
    suite: SuiteArgs,
    files: FileArgs,
    /// The language of formulas.
    dialect: Option<DialectArgs>,
    /// Who is asked about seeds.
    asked: Option<AskArgs>,
    catalog: TargetArgs,
}

/// What is written.
#[derive(clap::Args)]
struct FileArgs {
    /// Folder for the files and index.jsonl
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the number of cases in each category, and write nothing
    #[arg(long, conflicts_with = "out")]
    count: bool,
    /// With --count, print a line for each operation of each category
    #[arg(long, requires = "count")]
    by_operation: bool,
}

/// How formulas are written.
#[derive(clap::Args)]
struct DialectArgs {
    /// Write in this dialect
    #[arg(long, value_name = "D", default_value = STANDARD.name, value_parser = check::dialect)]
    dialect: Dialect,
}

/// Who is asked about seeds.
#[derive(clap::Args)]
struct AskArgs {
    /// Ask this target for the status of seeds, as `run` asks its targets; may be given several
    /// times
    #[arg(long, value_name = "TARGET", requires = "seeds", help_heading = "Seeds")]
    ask: Vec<TargetName>,
}

impl SuiteCommand for Args {
    const NAME: &'static str = "gen";

    fn examples(family: Family) -> Examples {
        help(family).generate
    }

    fn augment(family: Family, mut command: clap::Command) -> clap::Command {
        command = FileArgs::augment_args(command);
        if family.kind() == Kind::Formula {
            command = DialectArgs::augment_args(command);
        }
        if family == Family::OverSeeds {
            command = AskArgs::augment_args(command);
        }
        TargetArgs::augment_args(command)
    }

    fn read(suite: SuiteArgs, matches: &ArgMatches) -> Result<Args, clap::Error> {
        let formulas = suite.kind() == Kind::Formula;
        let over_seeds = suite.settings.family() == Family::OverSeeds;
        Ok(Args {
            suite,
            files: FileArgs::from_arg_matches(matches)?,
            dialect: formulas.then(|| DialectArgs::from_arg_matches(matches)).transpose()?,
            asked: over_seeds.then(|| AskArgs::from_arg_matches(matches)).transpose()?,
            catalog: TargetArgs::from_arg_matches(matches)?,
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let FileArgs { out, count: wants_count, by_operation } = &args.files;
    if let Settings::Domains(settings) = &args.suite.settings {
        let wish = match (out, wants_count) {
            (_, true) => domains::Wish::Count { by_law: *by_operation },
            (Some(folder), false) => domains::Wish::Folder(folder),
            (None, false) => domains::Wish::Print,
        };
        return domains::generate(&args.suite, settings, &wish);
    }
    if args.suite.settings.common().is_endless() && !args.suite.choice.is_bounded() {
        return Err(format!(
            "{} makes {}s without end; say how many with --limit or --each",
            args.suite.name,
            args.suite.kind()
        )
        .into());
    }
    let askers = Askers::default();
    let suite = args.suite.suite(&askers)?;
    if *wants_count {
        count(&*suite, &args.suite.selection(), *by_operation);
        return Ok(Outcome::Clean);
    }
    if let Some(settings) = args.suite.programs() {
        programs::ask(settings, &askers, &args.catalog, args.suite.draw, programs::PATIENCE)?;
        return programs::generate(&args.suite, &*suite, out.as_deref());
    }
    let asked: &[TargetName] = args.asked.as_ref().map_or(&[], |args| &args.ask);
    if !asked.is_empty() {
        askers.ask_named(asked, &args.catalog, args.suite.draw, programs::PATIENCE)?;
    } else if let Some(source) = &args.suite.choice.earlier {
        askers.ask_earlier(&args.suite, source, &args.catalog)?;
    }
    let dialect = args.dialect.as_ref().map_or(STANDARD, |args| args.dialect);
    let categories = suite.categories();
    let mut folder = out.as_deref().map(Folder::create).transpose()?;
    let mut left_out = LeftOut::default();
    let mut written = 0u64;
    for id in suite.cases(&args.suite.selection()) {
        let Some(case) = left_out.made(&*suite, id)? else { continue };
        let test = case.as_formula();
        let refusal = test.and_then(|test| {
            let terms = test.formula().script().terms();
            dialect.refusal(test.formula().store(), &terms)
        });
        if let Some(words) = refusal {
            left_out.add(words);
            continue;
        }
        let category = &categories[id.category as usize];
        let entry = Entry { id, case: &case, category, test, dialect };
        match &mut folder {
            Some(folder) => folder.add(&entry)?,
            None => output::document(&entry.text()),
        }
        written += 1;
    }
    if let Some(folder) = folder {
        let path = folder.finish()?;
        let asked = asked.iter().map(|name| format!(" --ask {name}"));
        let line = args.suite.line() + &asked.collect::<String>();
        output::note(&format!(
            "{written} cases in {}, made by: assay gen {line}\n",
            path.display(),
        ));
    }
    Ok(left_out.tell("cases"))
}

/// What became no case.
#[derive(Default)]
pub(crate) struct LeftOut {
    /// How many, by their reasons.
    reasons: BTreeMap<String, u64>,
    /// How many we failed to make.
    faults: u64,
}

impl LeftOut {
    /// Makes a case; none where there is none of this number. A fault of ours is told at once.
    pub(crate) fn made(
        &mut self,
        suite: &dyn Suite,
        id: CaseId,
    ) -> Result<Option<TestCase>, MakeError> {
        match suite.make(id) {
            Err(MakeError::Unsuitable(reason)) => self.add(reason),
            Err(MakeError::Fault(fault)) => {
                self.faults += 1;
                let files = fault
                    .files
                    .iter()
                    .map(|(name, bytes)| format!("{name}:\n{}", String::from_utf8_lossy(bytes)));
                let files = files.collect::<String>();
                output::note(&format!("error: case {id}: {fault}\n{files}"));
            }
            made => return made.map(Some),
        }
        Ok(None)
    }

    fn add(&mut self, reason: String) {
        *self.reasons.entry(reason).or_default() += 1;
    }

    /// Says what was left out, and how the command ends.
    pub(crate) fn tell(self, what: &str) -> Outcome {
        for (reason, count) in self.reasons {
            output::note(&format!("warning: {count} {what} left out: {reason}\n"));
        }
        if self.faults == 0 {
            return Outcome::Clean;
        }
        output::note(&format!(
            "error: {} {what} could not be made, which is a fault of ours: please report it\n",
            self.faults
        ));
        Outcome::Failed
    }
}

/// Prints how many of the chosen cases there are: by category, or by category and operation.
fn count(suite: &dyn Suite, selection: &Selection, by_operation: bool) {
    let categories = suite.categories();
    let mut counts = vec![0u64; categories.len()];
    suite.cases(selection).for_each(|id| counts[id.category as usize] += 1);
    let mut lines: Vec<(String, u64)> = Vec::new();
    for (category, count) in categories.iter().zip(counts) {
        if !selection.wants(category) {
            continue;
        }
        let name = match by_operation {
            true => format!("{} {}", category.name, category.group),
            false => category.name.clone(),
        };
        match lines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += count,
            None => lines.push((name, count)),
        }
    }
    for (name, count) in lines {
        output::result(&format!("{name} {count}\n"));
    }
}

/// A case to be written.
struct Entry<'a> {
    id: CaseId,
    case: &'a TestCase,
    category: &'a Category,
    /// The formula; none where the case is a term to be rewritten.
    test: Option<&'a FormulaTest>,
    dialect: Dialect,
}

impl Entry<'_> {
    /// The text, ready for a solver: options come first, then the logic.
    fn text(&self) -> String {
        let Some(test) = self.test else {
            let (case, expected) = (self.case, self.case.expected().name());
            return format!("; {}\n; expected: {expected}\n{}", case.name(), case.text());
        };
        let formula = test.formula();
        let script = match self.dialect == STANDARD {
            true => formula.text().to_owned(),
            false => {
                let printer = Printer::new(formula.store()).dialect(self.dialect);
                printer.script(formula.script())
            }
        };
        let own: usize = script
            .split_inclusive('\n')
            .take_while(|line| line.starts_with("(set-option "))
            .map(str::len)
            .sum();
        let (own, rest) = script.split_at(own);
        let mut options = own.to_owned();
        let commands = &formula.script().commands;
        for (plain, option) in [
            (Plain::GetModel, "(set-option :produce-models true)\n"),
            (Plain::GetUnsatCore, "(set-option :produce-unsat-cores true)\n"),
        ] {
            if commands.contains(&Command::Plain(plain)) && !own.contains(option) {
                options.push_str(option);
            }
        }
        // A formula from a seed has the seed's logic.
        let logic = formula.script().logic().map_or("(set-logic ALL)\n", |_| "");
        format!(
            "; {}\n; expected: {}\n{options}{logic}{rest}",
            self.case.name(),
            expected(self.case, test),
        )
    }

    /// What `index.jsonl` says about it.
    fn record(&self, file: &str) -> Value {
        let origin = self.case.origin();
        let (model, core) = match self.test {
            Some(test) => evidence(test, self.dialect),
            None => (None, None),
        };
        json!({
            "file": file,
            "suite": origin.suite,
            "category": self.category.name,
            "operation": self.category.group,
            "rules": origin.rules,
            "expected": self.case.expected().name(),
            "model": model,
            "core": core,
            "optima": self.test.and_then(|test| optima(test.oracle())).map(optima_record),
            "origin": {
                "case": self.id.to_string(),
                "seed": origin.seed,
                "index": origin.index.to_string(),
                "seeds": origin.seeds,
                "trace": origin.trace,
            },
        })
    }
}

/// The model that satisfies a case, or the core that contradicts itself, where one is known.
pub(crate) fn evidence(
    test: &FormulaTest,
    dialect: Dialect,
) -> (Option<String>, Option<&[String]>) {
    match test.oracle() {
        Oracle::Sat(Witness::Checked(model))
        | Oracle::Optimum { witness: Some(Witness::Checked(model)), .. } => {
            (Some(print_model(&mut test.formula().store().clone(), model, dialect)), None)
        }
        Oracle::Unsat { core, .. } => (None, core.as_ref().map(|core| &core.names[..])),
        _ => (None, None),
    }
}

fn expected(case: &TestCase, test: &FormulaTest) -> String {
    match optima(test.oracle()) {
        Some(optima) => format!("sat, {optima}"),
        None => case.expected().name().into(),
    }
}

/// The optima of the objectives.
fn optima(oracle: &Oracle) -> Option<&Optima> {
    let Oracle::Optimum { optima, .. } = oracle else { return None };
    Some(optima)
}

/// One text for each objective, or a list of these for each Pareto-optimal point.
fn optima_record(optima: &Optima) -> Value {
    let texts = |values: &[Extremum]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    match optima {
        Optima::Each(optima) => json!(texts(optima)),
        Optima::Front(points) => json!(points.iter().map(|p| texts(&p.0)).collect::<Vec<_>>()),
    }
}

/// The folder that is written.
struct Folder {
    path: PathBuf,
    index: BufWriter<File>,
    /// The latest folder of a category; cases of one category mostly come together.
    latest: PathBuf,
}

impl Folder {
    fn create(path: &Path) -> Result<Folder, Box<dyn Error>> {
        fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let index = path.join("index.jsonl");
        let file = File::create(&index).map_err(|error| format!("{}: {error}", index.display()))?;
        Ok(Folder { path: path.into(), index: BufWriter::new(file), latest: PathBuf::new() })
    }

    fn add(&mut self, entry: &Entry<'_>) -> Result<(), Box<dyn Error>> {
        let file = format!("{}.smt2", entry.case.name());
        let path = self.path.join(&file);
        let parent = path.parent().unwrap_or(&self.path);
        if self.latest != parent {
            fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
            self.latest = parent.into();
        }
        fs::write(&path, entry.text()).map_err(|error| format!("{}: {error}", path.display()))?;
        writeln!(self.index, "{}", entry.record(&file))
            .map_err(|error| format!("index.jsonl: {error}"))?;
        Ok(())
    }

    fn finish(mut self) -> Result<PathBuf, Box<dyn Error>> {
        self.index.flush().map_err(|error| format!("index.jsonl: {error}"))?;
        Ok(self.path)
    }
}
