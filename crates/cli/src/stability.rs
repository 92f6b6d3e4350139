//! `assay stability`: whether queries are robust, and if not, why.

use crate::scripts::{in_order, scripts};
use crate::tools::TargetArgs;
use crate::{Outcome, output};
use assay_campaign::units::{Size, Time, positive};
use assay_campaign::{KnownQueries, KnownQuery, command_line};
use assay_report::{Gating, Robustness, Subject};
use assay_stability::{
    Category, Class, Design, Difference, Engine, Examined, Query, Settings, difference, examine,
    queries,
};
use assay_target::{HarnessError, Resolved, Stepper, TargetName};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Test whether queries of a verifier are robust, and if not, why
///
/// Each check-sat of a file is a query. It is changed in ways that keep its meaning; a stable query
/// is still solved, within a limit of the solver's own deterministic steps. The command runs as
/// many mutants as the decision needs. For an unstable query, it names the quantifiers whose
/// instances explode, and suggests changes that make the query stable; each suggestion is verified.
///
/// A second run prints the same. Exit code: 0 if nothing fails by --fail-on, 1 if a query does, 2 if
/// a file cannot be used.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    assay stability query.smt2\n  \
    assay stability queries/ --baseline known.toml --format junit > stability.xml\n  \
    assay stability queries/ --target z3@4.12.6 --target z3@5.4.0 --fail-on regression\n  \
    assay stability query.smt2 --class seed,order --factor 10 --html report.html\n")]
pub(crate) struct Args {
    /// SMT-LIB files, or folders that are searched for *.smt2
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// The solver, z3 or cvc5 with a version; several compare versions
    #[arg(long, value_name = "TARGET", default_value = "z3")]
    target: Vec<TargetName>,
    /// Ways to change a query: order, names, arguments, seed, rewrite [default: all]
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = class)]
    class: Vec<Class>,
    /// Limit of a mutant, as a multiple of the cost of its query
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = positive::<u64>)]
    factor: u64,
    /// Minimum limit of a mutant, in steps
    #[arg(long, value_name = "STEPS", default_value_t = 200_000, value_parser = positive::<u64>)]
    floor: u64,
    /// Limit of a query, and of the mutants of an unsolved query, in steps
    #[arg(long, value_name = "STEPS", default_value_t = 10_000_000, value_parser = positive::<u64>)]
    steps: u64,
    /// Run exactly N mutants of each class [default: as few as the decision needs]
    #[arg(long, value_name = "N", value_parser = positive::<u32>)]
    mutants: Option<u32>,
    /// Do not look for the cause
    #[arg(long)]
    no_cause: bool,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    rng: u64,
    /// Time limit of a run, as a safety net: a result that depends on it is inconclusive
    #[arg(long, value_name = "TIME", default_value = "120s")]
    timeout: Time,
    /// Memory limit of a solver
    #[arg(long, value_name = "SIZE", default_value = "2GiB")]
    memory: Size,
    /// Number of queries to examine at the same time [default: number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Results that lead to exit code 1: unstable, unsolvable, inconclusive, regression (worse than
    /// on the first target), none
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        default_value = "unstable",
        help_heading = "In a project's CI"
    )]
    fail_on: Vec<FailOn>,
    /// File of known unstable queries, which do not lead to exit code 1
    #[arg(long, value_name = "FILE", help_heading = "In a project's CI")]
    baseline: Option<PathBuf>,
    /// Write the queries that fail into the baseline
    #[arg(long, requires = "baseline", help_heading = "In a project's CI")]
    update_baseline: bool,
    /// Print as md, junit or sarif [default: text]
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<Format>,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
    /// Write a page with a plot of the cost of each mutant
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Folder for minimized scripts that a later target does not solve
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    catalog: TargetArgs,
}

/// Formats for other programs.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// Markdown.
    Md,
    /// JUnit XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
}

/// Results that make the command fail.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FailOn {
    Category(Category),
    Regression,
    Nothing,
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(word: &str) -> Result<FailOn, String> {
        match (word, Category::by_name(word)) {
            ("regression", _) => Ok(FailOn::Regression),
            ("none", _) => Ok(FailOn::Nothing),
            (_, Some(category)) if category != Category::Stable => Ok(FailOn::Category(category)),
            _ => Err("expected unstable, unsolvable, inconclusive, regression or none".to_owned()),
        }
    }
}

fn class(name: &str) -> Result<Class, String> {
    Class::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

impl Args {
    fn settings(&self) -> Settings {
        let mut classes: Vec<Class> = Class::ALL.to_vec();
        if !self.class.is_empty() {
            classes.retain(|class| self.class.contains(class));
        }
        let default = Settings::default();
        Settings {
            classes,
            factor: self.factor,
            floor: self.floor,
            steps: self.steps,
            design: self.mutants.map_or(default.design, Design::Fixed),
            rng: self.rng,
            wall: self.timeout.0,
            cause: !self.no_cause,
            ..default
        }
    }

    fn targets(&self) -> Result<Vec<Resolved>, Box<dyn Error>> {
        let (catalog, installer) = (self.catalog.catalog()?, self.catalog.installer());
        let mut note = |words: &str| output::note(&format!("{words}\n"));
        let resolved = self.target.iter().map(|name| catalog.resolve(name, &installer, &mut note));
        let resolved = resolved.collect::<Result<Vec<_>, _>>()?;
        for target in &resolved {
            // A target that counts no steps is refused before any work.
            Stepper::new(target, self.catalog.launcher()?, self.memory.0, &|_| {})?;
        }
        Ok(resolved)
    }

    /// Whether a result makes the command fail, apart from the baseline.
    fn fails(&self, subject: &Subject, at: usize) -> bool {
        self.fail_on.iter().any(|what| match what {
            FailOn::Category(category) => subject.results[at].category == *category,
            FailOn::Regression => subject.regressed(at),
            FailOn::Nothing => false,
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let files = scripts(&args.files)?;
    let known = args.baseline.as_deref().map(KnownQueries::read).transpose()?.unwrap_or_default();
    let mut all = Robustness { command: command(), ..Robustness::default() };
    let mut work: Vec<(&Path, Query)> = Vec::new();
    for file in &files {
        match read(file) {
            Ok(found) => work.extend(found.into_iter().map(|query| (file.as_path(), query))),
            Err(words) => all.errors.push((file.clone(), words)),
        }
    }
    let targets = if work.is_empty() { Vec::new() } else { args.targets()? };
    all.targets = targets.iter().map(|target| target.name.to_string()).collect();
    let settings = args.settings();
    let examined = |at: usize| {
        let (file, query) = &work[at];
        subject(args, &settings, &targets, file, query).map_err(|error| error.to_string())
    };
    let mut failed = None;
    in_order(args.jobs, work.len(), &examined, &mut |at, done| match done {
        Ok(subject) => {
            if work.len() > 1 {
                let names = subject.results.iter().map(|one| one.category.name());
                let names: Vec<&str> = names.collect();
                output::note(&format!("{}: {}\n", subject.place(), names.join(", ")));
            }
            all.subjects.push(subject);
        }
        Err(words) => failed = failed.take().or(Some(format!("{}: {words}", work[at].0.display()))),
    });
    if let Some(words) = failed {
        return Err(words.into());
    }
    let failing = gate(args, &known, &mut all);
    if let (Some(path), true) = (&args.baseline, args.update_baseline) {
        KnownQueries::write(path, failing)?;
    }
    write(args, &all)?;
    let fails = all.subjects.iter().any(|one| one.gating.contains(&Gating::Fails));
    Ok(match (all.errors.is_empty(), fails) {
        (false, _) => Outcome::Failed,
        (true, true) => Outcome::Findings,
        (true, false) => Outcome::Clean,
    })
}

/// The command line, for reports.
fn command() -> String {
    let words = std::iter::once("assay".to_owned()).chain(std::env::args().skip(1));
    command_line(&words.collect::<Vec<_>>())
}

fn read(file: &Path) -> Result<Vec<Query>, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    queries(&assay_smtlib::text_of(&bytes)).map_err(|error| error.to_string())
}

/// Examines a query on all targets.
fn subject(
    args: &Args,
    settings: &Settings,
    targets: &[Resolved],
    file: &Path,
    query: &Query,
) -> Result<Subject, Box<dyn Error>> {
    let failed = &|error: &HarnessError| output::note(&format!("note: {error}\n"));
    let mut engines = Vec::new();
    for target in targets {
        engines.push(Stepper::new(target, args.catalog.launcher()?, args.memory.0, failed)?);
    }
    let results: Vec<Examined> =
        engines.iter_mut().map(|engine| examine(query, engine, settings)).collect();
    let mut subject = Subject {
        file: file.to_owned(),
        check: query.number,
        line: query.line,
        gating: vec![Gating::Passes; results.len()],
        results,
        differences: Vec::new(),
    };
    let mut differences: Vec<Option<Difference>> = Vec::new();
    if let Some((first, later)) = engines.split_first_mut() {
        for (at, second) in later.iter_mut().enumerate() {
            let (before, after) = (&subject.results[0], &subject.results[at + 1]);
            let worse = subject.regressed(at + 1);
            differences.push(
                worse
                    .then(|| {
                        let first: &mut dyn Engine = first;
                        difference(query, (first, before), (second, after), settings)
                    })
                    .flatten(),
            );
        }
    }
    subject.differences = differences;
    Ok(subject)
}

/// Decides which results make the command fail, and returns those with the known ones.
fn gate(args: &Args, known: &KnownQueries, all: &mut Robustness) -> Vec<KnownQuery> {
    let mut failing = Vec::new();
    for subject in &mut all.subjects {
        for at in 0..subject.results.len() {
            if !args.fails(subject, at) {
                continue;
            }
            let query = KnownQuery {
                file: subject.file.display().to_string(),
                check: subject.check,
                target: subject.results[at].target.clone(),
                category: subject.results[at].category.name().to_owned(),
            };
            subject.gating[at] = match known.has(&query) || args.update_baseline {
                true => Gating::Known,
                false => Gating::Fails,
            };
            failing.push(query);
        }
    }
    failing
}

/// Prints and writes the results.
fn write(args: &Args, all: &Robustness) -> Result<(), Box<dyn Error>> {
    for (file, words) in &all.errors {
        output::note(&format!("error: {}: {words}\n", file.display()));
    }
    match args.format {
        _ if args.json => {
            for record in all.records() {
                output::document(&format!("{record}\n"));
            }
        }
        Some(Format::Md) => output::document(&all.markdown()),
        Some(Format::Junit) => output::document(&all.junit()),
        Some(Format::Sarif) => output::document(&all.sarif()),
        None if all.subjects.is_empty() => {}
        None => output::result(&all.words()),
    }
    let wrong = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    if let Some(path) = &args.html {
        std::fs::write(path, all.html()).map_err(wrong(path))?;
    }
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(wrong(folder))?;
        for subject in &all.subjects {
            for (at, found) in subject.differences.iter().enumerate() {
                let Some(found) = found else { continue };
                let stem = subject.file.file_stem().unwrap_or_default().to_string_lossy();
                let target = all.targets[at + 1].replace(['@', ':', '/'], "-");
                let path = folder.join(format!("{stem}-{}-{target}.smt2", subject.line));
                std::fs::write(&path, &found.script).map_err(wrong(&path))?;
            }
        }
    }
    Ok(())
}
