//! `assay trigger`: terms that make E-matching refute a file.

use crate::scripts::{in_order, scripts};
use crate::tools::TargetArgs;
use crate::{Outcome, output};
use assay_campaign::units::{Size, Time, counted, positive};
use assay_report::Diagnosed;
use assay_target::{HarnessError, Prover, Provers, TargetName};
use assay_trigger::{
    Artefacts, Diagnosis, Engine, PatternSource, Problem, Settings, Tuning, Way, synthesise,
};
use comfy_table::{Table, presets};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Find terms that make E-matching refute a file
///
/// A quantifier with a pattern is instantiated only when a term matches the pattern. Where no such
/// term occurs, a solver that relies on patterns misses a contradiction. This command looks for the
/// missing terms. A term is printed only after the solver, run alone on the file with the term
/// added, answered unsat.
///
/// Exit code: 1 if a file was refuted, 0 if none was, 2 if a file cannot be used.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// SMT-LIB files, or folders that are searched for *.smt2
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    solver: SolverArgs,
    /// Use only one strategy: enumeration, proof, cvc5, first-order, or C0 to C4 [default: all, the
    /// cheapest first]
    #[arg(long, value_name = "WAY", value_parser = way)]
    config: Option<Way>,
    #[command(flatten)]
    tuning: TuningArgs,
    /// Continue after the first contradiction: one set of terms for each distinct core
    #[arg(long)]
    all: bool,
    /// Write the file with the terms added here
    #[arg(long, value_name = "OUT")]
    fix: Option<PathBuf>,
    /// Suggest what to add to the file, or which pattern to weaken
    #[arg(long)]
    suggest: bool,
    /// Number of files to examine at the same time [default: number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

/// The parameters of the configurations C0 to C4.
#[derive(clap::Args)]
struct TuningArgs {
    /// Minimum similarity of the formulas in a cluster, between 0 and 1; lowered in each round
    /// [default: 0.3; 0.1 for C1 and C4]
    #[arg(long, value_name = "SIGMA", requires = "config", value_parser = similarity)]
    sigma: Option<usize>,
    /// Number of similarity steps that a cluster spans [default: 2]
    #[arg(long, value_name = "DELTA", requires = "config")]
    delta: Option<usize>,
    /// Number of models of each formula [default: 4]
    #[arg(long, value_name = "MU", requires = "config", value_parser = positive::<usize>)]
    mu: Option<usize>,
    /// Number of candidates that are validated together [default: 64; 1 for C2]
    #[arg(long, value_name = "BETA", requires = "config", value_parser = positive::<usize>)]
    beta: Option<usize>,
    /// How often a cluster may contain the same formula [default: 2]
    #[arg(long, value_name = "PHI", requires = "config", value_parser = positive::<usize>)]
    phi: Option<usize>,
    /// Number of formulas that are solved for each quantified conjunct [default: 100]
    #[arg(long, value_name = "N", requires = "config", value_parser = positive::<usize>)]
    formulas: Option<usize>,
}

impl TuningArgs {
    fn tuning(&self, config: Option<Way>) -> Result<Tuning, Box<dyn Error>> {
        let tuning = Tuning {
            similarity: self.sigma,
            depth: self.delta,
            models: self.mu,
            batch: self.beta,
            copies: self.phi,
            formulas: self.formulas,
        };
        let clusters = [Way::C0, Way::C1, Way::C2, Way::C3, Way::C4];
        if tuning != Tuning::default() && !config.is_some_and(|way| clusters.contains(&way)) {
            return Err("--sigma, --delta, --mu, --beta, --phi and --formulas are parameters of --config C0 to C4".into());
        }
        Ok(tuning)
    }
}

fn similarity(text: &str) -> Result<usize, String> {
    let value: f64 = text.parse().map_err(|_| "expected a number between 0 and 1")?;
    if !(0.0..=1.0).contains(&value) {
        return Err("expected a number between 0 and 1".into());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is within 0 and 100"
    )]
    let percent = (value * 100.0).round() as usize;
    Ok(percent)
}

/// Which solver works, on what, and for how long.
#[derive(clap::Args)]
pub(crate) struct SolverArgs {
    /// Time limit per file
    #[arg(long, value_name = "TIME", default_value = "120s")]
    timeout: Time,
    /// Memory limit of a solver
    #[arg(long, value_name = "SIZE", default_value = "2GiB")]
    memory: Size,
    /// The solver: a version of z3
    #[arg(long, value_name = "TARGET", default_value = "z3")]
    target: TargetName,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    rng: u64,
    /// Who infers patterns for quantifiers that have none: ours or z3
    #[arg(long, value_name = "WHO", default_value = "ours", value_parser = pattern_source)]
    patterns: PatternSource,
    /// Leave out an assertion, by its :named, the :qid of its quantifier, or its line; may be given
    /// several times
    #[arg(long, value_name = "AXIOM")]
    without: Vec<String>,
    /// Treat known artefacts of encodings like other assertions [default: used only where there is no
    /// other contradiction]
    #[arg(long)]
    keep_artefacts: bool,
    #[command(flatten)]
    catalog: TargetArgs,
}

impl SolverArgs {
    /// The solvers for all strategies or one, installed where they are missing.
    pub(crate) fn resolve(&self, only: Option<Way>) -> Result<Provers, Box<dyn Error>> {
        let (catalog, installer) = (self.catalog.catalog()?, self.catalog.installer());
        let mut note = |words: &str| output::note(&format!("{words}\n"));
        Ok(Provers::resolve(&self.target, only, &catalog, &installer, &mut note)?)
    }

    /// The solvers at work on a file.
    pub(crate) fn start<'p>(&self, provers: &'p Provers) -> Result<Prover<'p>, HarnessError> {
        let failed = &|error: &HarnessError| output::note(&format!("note: {error}\n"));
        Ok(Prover::new(provers, self.catalog.launcher()?, self.memory.0, failed))
    }

    /// The plan of a search: all strategies, and one answer.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            budget: self.timeout.0,
            rng: self.rng,
            only: None,
            all: false,
            suggest: false,
            patterns: self.patterns,
            tuning: Tuning::default(),
            artefacts: if self.keep_artefacts { Artefacts::Kept } else { Artefacts::LookedPast },
        }
    }

    /// Reads a file, without the assertions that are left out.
    pub(crate) fn problem(&self, file: &Path) -> Result<Problem, Box<dyn Error>> {
        let place = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let bytes = std::fs::read(file).map_err(|error| place(&error))?;
        let text = assay_smtlib::text_of(&bytes);
        let problem = Problem::read(&text).map_err(|error| place(&error))?;
        let mut parts = Vec::new();
        for name in &self.without {
            parts.extend(problem.parts_called(name).map_err(|error| place(&error))?);
        }
        Ok(if parts.is_empty() { problem } else { problem.without(&parts) })
    }
}

fn pattern_source(name: &str) -> Result<PatternSource, String> {
    match name {
        "ours" => Ok(PatternSource::Ours),
        "z3" => Ok(PatternSource::Solver),
        _ => Err("expected ours or z3".into()),
    }
}

fn way(name: &str) -> Result<Way, String> {
    Way::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = Way::ALL.iter().map(|way| way.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let files = scripts(&args.files)?;
    if args.fix.is_some() && files.len() != 1 {
        return Err("--fix writes one file, and more than one was given".into());
    }
    let settings = Settings {
        only: args.config,
        all: args.all,
        suggest: args.suggest,
        tuning: args.tuning.tuning(args.config)?,
        ..args.solver.settings()
    };
    let shared = Shared::default();
    let work = |at: usize| examined(args, &settings, &shared, &files[at]);
    in_order(args.jobs, files.len(), &work, &mut |at, done| shared.put(args, &files, at, done));
    let printed = shared.printed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if files.len() > 1 && !args.json {
        output::result(&printed.table());
    }
    if let (Some(path), Some(text)) = (&args.fix, &printed.fixed) {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        output::note(&format!("the file with the terms is {}\n", path.display()));
    }
    Ok(printed.outcome)
}

/// The state that the threads of a run share.
#[derive(Default)]
struct Shared {
    /// Installed only after a file was read, so that a mistake in the command line costs no
    /// installation.
    provers: Mutex<Option<Provers>>,
    printed: Mutex<Printed>,
}

/// The printed results, in the order of the files.
#[derive(Default)]
struct Printed {
    rows: Vec<[String; 6]>,
    fixed: Option<String>,
    outcome: Outcome,
}

impl Shared {
    fn provers(&self, args: &Args) -> Result<Provers, Box<dyn Error>> {
        let mut provers = self.provers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(match &*provers {
            Some(known) => known.clone(),
            None => provers.insert(args.solver.resolve(args.config)?).clone(),
        })
    }

    /// Prints the result for a file.
    fn put(&self, args: &Args, files: &[PathBuf], at: usize, done: Result<Diagnosed, String>) {
        let mut printed = self.printed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        printed.print(args, files.len() > 1, &files[at], done);
    }
}

impl Printed {
    fn print(&mut self, args: &Args, many: bool, file: &Path, done: Result<Diagnosed, String>) {
        let shown = file.display().to_string();
        match done {
            Err(words) => {
                output::note(&format!("error: {words}\n"));
                if args.json {
                    output::result(&format!("{}\n", json!({"file": file, "error": words})));
                }
                self.outcome = self.outcome.max(Outcome::Failed);
                let blank = String::new;
                self.rows.push([shown, "error".into(), blank(), words, blank(), blank()]);
            }
            Ok(done) => {
                if args.json {
                    output::result(&format!("{}\n", done.record(file, &args.solver.without)));
                } else if !many {
                    output::result(&done.words(file, args.suggest));
                }
                if let Diagnosis::Refuted(found) = &done.report.diagnosis {
                    self.outcome = self.outcome.max(Outcome::Findings);
                    self.fixed = found.first().map(|first| first.file.clone());
                }
                let [outcome, verdict, terms, seconds, way] = done.row();
                self.rows.push([shown, outcome, verdict, terms, seconds, way]);
            }
        }
    }

    /// All files in one table, and the number of files with each outcome.
    fn table(&self) -> String {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header(["file", "outcome", "verdict", "terms", "seconds", "found by"]);
        for row in &self.rows {
            table.add_row(row);
        }
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for [_, outcome, ..] in &self.rows {
            match counts.iter_mut().find(|(known, _)| known == outcome) {
                Some((_, count)) => *count += 1,
                None => counts.push((outcome, 1)),
            }
        }
        let counts: Vec<String> =
            counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        format!(
            "{}\n\n{}: {}\n",
            table.trim_fmt(),
            counted(self.rows.len(), "file"),
            counts.join(", ")
        )
    }
}

fn examined(
    args: &Args,
    settings: &Settings,
    shared: &Shared,
    file: &Path,
) -> Result<Diagnosed, String> {
    let work = || -> Result<Diagnosed, Box<dyn Error>> {
        let problem = args.solver.problem(file)?;
        let provers = shared.provers(args)?;
        let mut engine = args.solver.start(&provers)?;
        let report = synthesise(problem, &mut engine, settings);
        let seconds = engine.elapsed().as_secs_f64();
        Ok(Diagnosed { report, seconds, solver: engine.name().to_owned() })
    };
    work().map_err(|error| error.to_string())
}
