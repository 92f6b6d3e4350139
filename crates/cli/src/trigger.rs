//! `assay trigger`: terms that make E-matching refute a file.

use crate::tools::TargetArgs;
use crate::{Outcome, output, units};
use assay_target::{HarnessError, Prover, Provers, TargetName};
use assay_trigger::{
    Diagnosis, Engine, PatternSource, Problem, Refutation, Settings, Way, synthesise,
};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Find terms that make E-matching refute a file
///
/// A quantifier with a pattern is instantiated only when a term matches the pattern. Where no such
/// term occurs, a solver that relies on patterns misses a contradiction. This command looks for the
/// missing terms. A term is printed only after the solver, run alone on the file with the term
/// added, answered unsat.
///
/// Exit code: 1 where a file was refuted, 0 where none was, 2 where a file cannot be used.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// SMT-LIB files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    solver: SolverArgs,
    /// Try one way only: enumeration, proof, cvc5, or C0 to C4 [default: all, the cheapest first]
    #[arg(long, value_name = "WAY", value_parser = way)]
    config: Option<Way>,
    /// Go on after the first set of terms, and print all that are found in the time
    #[arg(long)]
    all: bool,
    /// Write the file with the terms added here
    #[arg(long, value_name = "OUT")]
    fix: Option<PathBuf>,
    /// Say what to add to the file, or which pattern to weaken
    #[arg(long)]
    suggest: bool,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

/// Which solver works, and for how long.
#[derive(clap::Args)]
pub(crate) struct SolverArgs {
    /// Time for one file
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = units::duration)]
    timeout: Duration,
    /// Memory for the solver
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = units::size)]
    memory: u64,
    /// The solver: a version of z3
    #[arg(long, value_name = "TARGET", default_value = "z3")]
    target: TargetName,
    /// Seeds all choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    rng: u64,
    /// Who infers patterns for quantifiers that have none: ours or z3
    #[arg(long, value_name = "WHO", default_value = "ours", value_parser = pattern_source)]
    patterns: PatternSource,
    #[command(flatten)]
    catalog: TargetArgs,
}

impl SolverArgs {
    /// The solvers, installed where they are missing.
    pub(crate) fn resolve(&self) -> Result<Provers, Box<dyn Error>> {
        let (catalog, installer) = (self.catalog.catalog()?, self.catalog.installer());
        let mut note = |words: &str| output::note(&format!("{words}\n"));
        Ok(Provers::resolve(&self.target, &catalog, &installer, &mut note)?)
    }

    /// The solvers at work on a file.
    pub(crate) fn start<'p>(&self, provers: &'p Provers) -> Result<Prover<'p>, HarnessError> {
        let failed = &|error: &HarnessError| output::note(&format!("note: {error}\n"));
        Ok(Prover::new(provers, self.catalog.launcher()?, self.memory, failed))
    }

    /// What a search may do, with all ways tried and one answer wanted.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            budget: self.timeout,
            rng: self.rng,
            only: None,
            all: false,
            suggest: false,
            patterns: self.patterns,
        }
    }
}

fn pattern_source(name: &str) -> Result<PatternSource, String> {
    match name {
        "ours" => Ok(PatternSource::Ours),
        "z3" => Ok(PatternSource::Solver),
        _ => Err("there are ours, z3".into()),
    }
}

fn way(name: &str) -> Result<Way, String> {
    Way::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = Way::ALL.iter().map(|way| way.name()).collect();
        format!("there are {}", names.join(", "))
    })
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    if args.fix.is_some() && args.files.len() != 1 {
        return Err("--fix writes one file, and more than one was given".into());
    }
    let mut outcome = Outcome::Clean;
    // Installed only after a file was read: a mistake in the command line costs no installation.
    let mut provers: Option<Provers> = None;
    for file in &args.files {
        outcome = outcome.max(match problem(file) {
            Ok(problem) => {
                let provers = match &provers {
                    Some(provers) => provers,
                    None => provers.insert(args.solver.resolve()?),
                };
                search(args, provers, file, problem)?
            }
            Err(error) => {
                output::failure(&*error);
                if args.json {
                    let record = json!({"file": file, "error": error.to_string()});
                    output::result(&format!("{record}\n"));
                }
                Outcome::Failed
            }
        });
    }
    Ok(outcome)
}

/// A file, read.
pub(crate) fn problem(file: &Path) -> Result<Problem, Box<dyn Error>> {
    let place = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let bytes = std::fs::read(file).map_err(|error| place(&error))?;
    let text = assay_smtlib::text_of(&bytes);
    Ok(Problem::read(&text).map_err(|error| place(&error))?)
}

fn search(
    args: &Args,
    provers: &Provers,
    file: &Path,
    problem: Problem,
) -> Result<Outcome, Box<dyn Error>> {
    let mut engine = args.solver.start(provers)?;
    let settings = Settings {
        only: args.config,
        all: args.all,
        suggest: args.suggest,
        ..args.solver.settings()
    };
    let found = synthesise(problem, &mut engine, &settings);
    let seconds = engine.elapsed().as_secs_f64();
    if args.json {
        output::result(&format!("{}\n", record(file, &found, seconds, engine.name())));
    } else {
        output::result(&words(file, &found, seconds, args.suggest));
    }
    let Diagnosis::Refuted(refutations) = &found else { return Ok(Outcome::Clean) };
    if let (Some(path), Some(first)) = (&args.fix, refutations.first()) {
        std::fs::write(path, &first.file)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        output::note(&format!("the file with the terms is {}\n", path.display()));
    }
    Ok(Outcome::Findings)
}

fn record(file: &Path, diagnosis: &Diagnosis, seconds: f64, solver: &str) -> serde_json::Value {
    let mut record = json!({
        "file": file, "outcome": diagnosis.name(), "terms": [], "seconds": seconds,
        "validated-by": null,
    });
    match diagnosis {
        Diagnosis::Refuted(all) => {
            let first = &all[0];
            record["terms"] = json!(first.terms);
            record["validated-by"] = json!(solver);
            record["way"] = json!(first.way.name());
            record["minimal"] = json!(first.minimal);
            record["suggestions"] = json!(first.suggestions);
            if all.len() > 1 {
                record["alternatives"] =
                    json!(all[1..].iter().map(|one| &one.terms).collect::<Vec<_>>());
            }
        }
        Diagnosis::AlreadyRefuted => record["validated-by"] = json!(solver),
        Diagnosis::Sat(evidence) => {
            record["detail"] = json!(evidence.why);
            record["model"] = json!(evidence.model);
            record["checked"] = json!(evidence.checked);
        }
        Diagnosis::GaveUp(why) | Diagnosis::Timeout(why) => {
            record["detail"] = json!(why);
        }
    }
    record
}

/// What a user can do where the time was over.
pub(crate) const MORE_TIME: &str = "raise it with --timeout";

fn words(file: &Path, diagnosis: &Diagnosis, seconds: f64, suggest: bool) -> String {
    let mut text = format!("{}: {} ({seconds:.1} s)\n", file.display(), diagnosis.name());
    match diagnosis {
        Diagnosis::Refuted(all) => {
            for refutation in all {
                text += &refutation_words(refutation, suggest);
            }
        }
        Diagnosis::AlreadyRefuted => {
            text += "  E-matching refutes the file as it is\n";
        }
        Diagnosis::Sat(evidence) => {
            text += &format!("  {}\n", evidence.why);
            text += &model_words(evidence.model.as_deref().unwrap_or_default());
        }
        Diagnosis::GaveUp(why) => text += &format!("  {why}\n"),
        Diagnosis::Timeout(why) => text += &format!("  {why}; {MORE_TIME}\n"),
    }
    text
}

/// The beginning of a model.
fn model_words(model: &str) -> String {
    const SHOWN: usize = 40;
    let mut text = String::new();
    for line in model.lines().take(SHOWN) {
        text += &format!("  {line}\n");
    }
    let more = model.lines().count().saturating_sub(SHOWN);
    if more > 0 {
        text += &format!("  ({more} more lines, which --json has)\n");
    }
    text
}

fn refutation_words(refutation: &Refutation, suggest: bool) -> String {
    let mut text = String::new();
    for term in &refutation.terms {
        text += &format!("  {term}\n");
    }
    text += &format!("  found by {}", refutation.way);
    text += if refutation.minimal { "\n" } else { "; fewer terms may do\n" };
    if !refutation.axioms.is_empty() {
        text += &format!("  contradicting: {}\n", refutation.axioms.join(", "));
    }
    if suggest {
        for suggestion in &refutation.suggestions {
            text += &format!("  suggestion: {suggestion}\n");
        }
    }
    text
}
