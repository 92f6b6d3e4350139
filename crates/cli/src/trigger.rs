//! `assay trigger`: terms that make E-matching refute a file.

use crate::tools::TargetArgs;
use crate::{Outcome, output, units};
use assay_case::Ending;
use assay_target::process::{CommandLine, Keeper, Launcher, Limits, Process, Stop};
use assay_target::{Ask, Resolved, TargetName};
use assay_trigger::{
    End, Engine, PatternSource, Problem, Refutation, Said, Settings, Way, synthesise,
};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    pub(crate) timeout: Duration,
    /// Memory for the solver
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = units::size)]
    memory: u64,
    /// The solver: a version of z3
    #[arg(long, value_name = "TARGET", default_value = "z3")]
    target: TargetName,
    /// Seeds all choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) rng: u64,
    /// Who infers patterns for quantifiers that have none: ours or z3
    #[arg(long, value_name = "WHO", default_value = "ours", value_parser = pattern_source)]
    pub(crate) patterns: PatternSource,
    #[command(flatten)]
    catalog: TargetArgs,
}

impl SolverArgs {
    /// The solver, and another version of it, installed where they are missing.
    pub(crate) fn resolve(&self) -> Result<Solvers, Box<dyn Error>> {
        if self.target.name != "z3" {
            let hint = "use --target z3 or z3@VERSION";
            return Err(
                format!("{}: only z3 shows the instances it makes; {hint}", self.target).into()
            );
        }
        let mut found = self.catalog.resolve(std::slice::from_ref(&self.target))?;
        let target = found.remove(0);
        let others = [NEWEST, OLD].iter().filter_map(|name| name.parse().ok());
        let other = others
            .filter_map(|name: TargetName| self.catalog.resolve(&[name]).ok()?.pop())
            .find(|other| other.program != target.program);
        if other.is_none() {
            output::note("note: there is no second version of z3; proofs come from one alone\n");
        }
        Ok(Solvers { target, other, second: self.second() })
    }

    /// The second prover, where it is installed: a program, not a library in another's clothes.
    fn second(&self) -> Option<Resolved> {
        let catalog = self.catalog.catalog().ok()?;
        let installer = self.catalog.installer();
        let names = SECOND.iter().filter_map(|name| name.parse().ok());
        names
            .filter_map(|name: TargetName| catalog.resolve_installed(&name, &installer).ok()?)
            .next()
    }

    /// A solver at work, whose clock begins now.
    pub(crate) fn engine(&self, solvers: &Solvers) -> Result<Z3, Box<dyn Error>> {
        Ok(Z3 {
            name: solvers.target.name.to_string(),
            command: command_line(&solvers.target),
            other: solvers.other.as_ref().map(command_line),
            second: solvers.second.as_ref().map(command_line),
            memory: self.memory,
            launcher: self.catalog.launcher()?,
            spare: None,
            session: None,
            begin: Instant::now(),
        })
    }
}

/// Versions that refute different files by models.
const NEWEST: &str = "z3";
const OLD: &str = "z3@4.8.10";

/// A prover of another kind: as Debian has it, or as the system knows it.
const SECOND: [&str; 2] = ["cvc5@1.0.3", "cvc5@path"];

/// The version that is asked for, and another that may find what it does not.
pub(crate) struct Solvers {
    target: Resolved,
    other: Option<Resolved>,
    second: Option<Resolved>,
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
    // Brought here only when a file was read: a mistake in the command line costs no installation.
    let mut solvers: Option<Solvers> = None;
    for file in &args.files {
        outcome = outcome.max(match problem(file) {
            Ok(problem) => {
                let solvers = match &solvers {
                    Some(solvers) => solvers,
                    None => solvers.insert(args.solver.resolve()?),
                };
                search(args, solvers, file, problem)?
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
    solvers: &Solvers,
    file: &Path,
    problem: Problem,
) -> Result<Outcome, Box<dyn Error>> {
    let mut engine = args.solver.engine(solvers)?;
    let settings = Settings {
        budget: args.solver.timeout,
        rng: args.solver.rng,
        only: args.config,
        all: args.all,
        suggest: args.suggest,
        patterns: args.solver.patterns,
    };
    let found = synthesise(problem, &mut engine, &settings);
    let seconds = engine.elapsed().as_secs_f64();
    if args.json {
        output::result(&format!("{}\n", record(file, &found, seconds, &engine.name)));
    } else {
        output::result(&words(file, &found, seconds, args.suggest));
    }
    let assay_trigger::Outcome::Refuted(refutations) = &found else { return Ok(Outcome::Clean) };
    if let (Some(path), Some(first)) = (&args.fix, refutations.first()) {
        std::fs::write(path, &first.file)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        output::note(&format!("the file with the terms is {}\n", path.display()));
    }
    Ok(Outcome::Findings)
}

fn record(
    file: &Path,
    outcome: &assay_trigger::Outcome,
    seconds: f64,
    solver: &str,
) -> serde_json::Value {
    let mut record = json!({
        "file": file, "outcome": outcome.name(), "terms": [], "seconds": seconds,
        "validated-by": null,
    });
    match outcome {
        assay_trigger::Outcome::Refuted(all) => {
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
        assay_trigger::Outcome::AlreadyRefuted => record["validated-by"] = json!(solver),
        assay_trigger::Outcome::Sat(evidence) => {
            record["detail"] = json!(evidence.why);
            record["model"] = json!(evidence.model);
            record["checked"] = json!(evidence.checked);
        }
        assay_trigger::Outcome::GaveUp(why) | assay_trigger::Outcome::Timeout(why) => {
            record["detail"] = json!(why);
        }
    }
    record
}

/// What a user can do where the time was over.
pub(crate) const MORE_TIME: &str = "raise it with --timeout";

fn words(file: &Path, outcome: &assay_trigger::Outcome, seconds: f64, suggest: bool) -> String {
    let mut text = format!("{}: {} ({seconds:.1} s)\n", file.display(), outcome.name());
    match outcome {
        assay_trigger::Outcome::Refuted(all) => {
            for refutation in all {
                text += &refutation_words(refutation, suggest);
            }
        }
        assay_trigger::Outcome::AlreadyRefuted => {
            text += "  E-matching refutes the file as it is\n";
        }
        assay_trigger::Outcome::Sat(evidence) => {
            text += &format!("  {}\n", evidence.why);
            text += &model_words(evidence.model.as_deref().unwrap_or_default());
        }
        assay_trigger::Outcome::GaveUp(why) => text += &format!("  {why}\n"),
        assay_trigger::Outcome::Timeout(why) => text += &format!("  {why}; {MORE_TIME}\n"),
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

/// z3 in processes of its own, and in one that lives on.
pub(crate) struct Z3 {
    name: String,
    command: CommandLine,
    other: Option<CommandLine>,
    second: Option<CommandLine>,
    memory: u64,
    launcher: Launcher,
    /// Serves processes of their own.
    spare: Option<Keeper>,
    session: Option<Process>,
    begin: Instant,
}

/// Proofs are long; more than this is not read.
const OUTPUT: usize = 256 << 20;

/// What a session says when it has answered.
const MARKER: &str = "assay-answered";

fn command_line(target: &Resolved) -> CommandLine {
    target.command_line(target.one_shot(&Ask::default()))
}

fn said(stdout: &[u8], stderr: &[u8], end: End) -> Said {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Said { text: text(stdout), log: text(stderr), end }
}

impl Z3 {
    fn fresh(
        &mut self,
        command: &CommandLine,
        script: &str,
        limit: Duration,
    ) -> Result<Said, Box<dyn Error>> {
        let keeper = match &mut self.spare {
            Some(keeper) => keeper,
            none => none.insert(Keeper::start(&self.launcher)?),
        };
        let limits = Limits { wall: limit, memory: Some(self.memory), output: OUTPUT };
        let done = keeper.run(command, script.as_bytes(), &limits)?;
        let end = match done.ending {
            Ending::TimedOut => End::TimedOut,
            Ending::Exited(_) if !done.flooded => End::Finished,
            _ => End::Died,
        };
        Ok(said(&done.stdout, &done.stderr, end))
    }

    fn in_session(&mut self, script: &str, limit: Duration) -> Result<Said, Box<dyn Error>> {
        let mut process = match self.session.take() {
            Some(process) => process,
            None => {
                let keeper = Keeper::start(&self.launcher)?;
                Process::spawn(keeper, &self.command, Some(self.memory))?
            }
        };
        let text = format!("(reset)\n{script}\n(echo \"{MARKER}\")\n");
        let exchange = process.exchange(text.as_bytes(), Some(MARKER.as_bytes()), limit, OUTPUT)?;
        let end = match exchange.stop {
            Stop::Marker => {
                self.session = Some(process);
                End::Finished
            }
            Stop::Timeout => End::TimedOut,
            Stop::Ended(_) | Stop::Flood => End::Died,
        };
        Ok(said(&exchange.stdout, &exchange.stderr, end))
    }
}

/// What failed is told where it happens; to the search it is a run that gave nothing.
fn or_died(result: Result<Said, Box<dyn Error>>) -> Said {
    result.unwrap_or_else(|error| {
        output::note(&format!("note: {error}\n"));
        Said { text: String::new(), log: String::new(), end: End::Died }
    })
}

impl Engine for Z3 {
    fn name(&self) -> &str {
        &self.name
    }

    fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    fn run(&mut self, script: &str, limit: Duration) -> Said {
        let command = self.command.clone();
        or_died(self.fresh(&command, script, limit))
    }

    fn run_other(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let command = self.other.clone()?;
        Some(or_died(self.fresh(&command, script, limit)))
    }

    fn run_second(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let command = self.second.clone()?;
        Some(or_died(self.fresh(&command, script, limit)))
    }

    fn ask(&mut self, script: &str, limit: Duration) -> Said {
        or_died(self.in_session(script, limit))
    }
}
