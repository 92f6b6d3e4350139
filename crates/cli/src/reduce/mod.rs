//! `assay reduce`: the smallest case that still shows the same.

mod command;
mod formula;
mod program;

use crate::replay::read_record;
use crate::tools::{OUTPUT, TargetArgs};
use crate::{Outcome, domains, output, units};
use assay_campaign::reduce::{Event, Measure, Reduction, Watch};
use assay_case::{FindingKind, Kind};
use assay_program::Programs;
use assay_target::process::Limits;
use assay_target::{Chosen, TargetName};
use serde_json::{Value, json};
use std::error::Error;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The smallest case that still shows the same finding
///
/// A finding's folder is reduced as long as the finding stays what it is and its truth stays known:
/// the model still satisfies the case, or the core is still in it, or two solvers that are
/// independent of each other agree, and the grade says so. The result goes to reduced.smt2 in the
/// folder, and with all that shows it to the folder reduced beside it.
///
/// Any file can be reduced by any command with --cmd: as long as the command's exit code and output
/// stay what they are for the file itself.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A finding's folder, an SMT-LIB file, a C program with its task (.yml) beside it, or a program
    /// about abstract domains
    #[arg(value_name = "FINDING|FILE")]
    what: PathBuf,
    #[arg(
        help = "What shows it, as name[@version][:variant] [default: the finding's target]",
        long = "target",
        value_name = "TARGET"
    )]
    target: Option<TargetName>,
    /// What the target shows on a file, such as wrong-unsat, invalid-model or crash [default: what
    /// it shows]
    #[arg(long, value_name = "KIND", value_parser = kind, requires = "target")]
    kind: Option<FindingKind>,
    /// A model that makes the file satisfiable
    #[arg(long, value_name = "FILE", requires = "target")]
    model: Option<PathBuf>,
    /// Whether solvers are asked about cases that the model or the core says nothing about
    /// [default: yes, where two current ones are installed]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no)]
    agreement: Option<bool>,
    #[command(flatten)]
    by_command: command::CommandArgs,
    /// Where the reduced case goes [default: a file named reduced in the folder, or beside the file]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How many candidates are tested at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Time for one test [default: as when it was found, or 15s; with --cmd half as much again as the
    /// file takes]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    timeout: Option<Duration>,
    /// Memory for one test, for the whole tree of processes
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = units::size)]
    memory: u64,
    /// Begin no more tests after this time
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    budget: Option<Duration>,
    /// Seeds the target's own random numbers [default: as when it was found, or 0]
    #[arg(long, value_name = "N")]
    rng: Option<u64>,
    /// Run with this option, as NAME=VALUE; may be given several times [default: as when it was found]
    #[arg(long = "option", value_name = "OPTION")]
    options: Vec<Chosen>,
    #[command(flatten)]
    catalog: TargetArgs,
    /// Print one JSON record
    #[arg(long)]
    json: bool,
}

fn kind(name: &str) -> Result<FindingKind, String> {
    let known = || FindingKind::ALL.map(|row| row.1).join(", ");
    FindingKind::by_name(name).ok_or_else(|| format!("expected one of {}", known()))
}

fn yes_or_no(word: &str) -> Result<bool, String> {
    match word {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no".to_owned()),
    }
}

/// How long a test of a program about abstract domains may take, unless it is told otherwise.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a reduction lasts, unless it is told otherwise: of a program about abstract domains, and
/// of a C program.
const BUDGETS: (Duration, Duration) = (Duration::from_secs(300), Duration::from_secs(600));

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    if !args.what.exists() {
        return Err(format!("{}: there is no such file or folder", args.what.display()).into());
    }
    let begun = Instant::now();
    let done = match &args.by_command.cmd {
        Some(line) => command::reduced(args, line)?,
        None => by_target(args)?,
    };
    done.print(args.json, begun.elapsed());
    Ok(Outcome::Clean)
}

/// Reduces by what a target shows.
fn by_target(args: &Args) -> Result<Done, Box<dyn Error>> {
    match kind_of(args)? {
        Kind::Trace => domains::reduce(&domains::ReduceArgs {
            what: &args.what,
            target: args.target.as_ref(),
            catalog: &args.catalog,
            limits: (args.memory, args.timeout.unwrap_or(PATIENCE)),
            end: Instant::now() + args.budget.unwrap_or(BUDGETS.0),
            out: args.out.as_ref(),
        }),
        Kind::Program => program::reduced(args),
        Kind::Formula => formula::reduced(args),
    }
}

/// What is to be reduced.
fn kind_of(args: &Args) -> Result<Kind, Box<dyn Error>> {
    if domains::is_program(&args.what, args.target.as_slice()) {
        return Ok(Kind::Trace);
    }
    let is_c = match read_record(&args.what)? {
        Some(record) => record.campaign.suite == Programs::NAME,
        None => args.what.extension().is_some_and(|extension| extension == "c"),
    };
    Ok(if is_c { Kind::Program } else { Kind::Formula })
}

impl Args {
    fn jobs(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(processors, usize::from)
    }

    /// The limits of one test, which takes no longer than this.
    fn limits(&self, usual: Duration) -> Limits {
        let wall = self.timeout.unwrap_or(usual);
        Limits { wall, memory: Some(self.memory), output: OUTPUT }
    }

    /// Where the reduced text goes, in a file of this kind.
    fn out(&self, extension: &str) -> PathBuf {
        match &self.out {
            Some(path) => path.clone(),
            None if self.what.is_dir() => self.what.join(format!("reduced.{extension}")),
            None => self.what.with_extension(format!("reduced.{extension}")),
        }
    }
}

fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(assay_smtlib::text_of(&bytes).into_owned())
}

fn write(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    Ok(std::fs::write(path, assay_smtlib::bytes_of(text))
        .map_err(|error| format!("{}: {error}", path.display()))?)
}

fn needs_target(args: &Args) -> Box<dyn Error> {
    format!(
        "{} is a file: say what shows it with --target, or how to tell with --cmd",
        args.what.display()
    )
    .into()
}

/// Reduces within the budget, with notes, and with progress where somebody watches.
fn watched<T>(args: &Args, usual: Option<Duration>, reduce: impl FnOnce(&mut Watch<'_>) -> T) -> T {
    let end = args.budget.or(usual).map(|budget| Instant::now() + budget);
    let on_terminal = !args.json && std::io::stderr().is_terminal();
    let mut tell = |event: Event| match event {
        Event::Smaller(counts, size) if on_terminal => {
            output::progress(&format!("{} tests, {size}", counts.tests));
        }
        Event::Smaller(..) => {}
        Event::NoSession(reason) => {
            output::note(&format!("note: no session is used: {reason}\n"));
        }
        Event::Undone { steps, of, tests } => {
            output::note(&format!("undid {steps} of {of} mutations in {tests} tests\n"));
        }
    };
    let stop = || end.is_some_and(|end| Instant::now() >= end);
    let done = reduce(&mut Watch { stop: &stop, tell: &mut tell });
    if on_terminal {
        output::progress("");
    }
    done
}

/// A reduction, and what is said of it at the end.
pub(crate) struct Done {
    pub(crate) reduction: Reduction,
    /// Where the result is.
    pub(crate) out: PathBuf,
    /// What is true of the reduced case, in words.
    pub(crate) truth: String,
    /// Further entries of the JSON record.
    pub(crate) more: Value,
}

impl Done {
    fn print(&self, as_json: bool, took: Duration) {
        let Done { reduction, out, truth, more } = self;
        let Reduction { before, after, counts, stopped, text, .. } = reduction;
        if as_json {
            let mut record = json!({
                "out": out, "before": measured(*before), "after": measured(*after), "text": text,
                "tests": counts.tests, "taken": counts.taken, "cached": counts.cached,
                "seconds": took.as_secs_f64(), "stopped": stopped, "truth": truth,
            });
            if let Some(kind) = reduction.kind {
                record["kind"] = json!(kind.name());
            }
            if let (Some(record), Some(more)) = (record.as_object_mut(), more.as_object()) {
                record.extend(more.clone());
            }
            output::result(&format!("{record}\n"));
            return;
        }
        let ending = if *stopped { ", stopped by the budget" } else { "" };
        output::result(&format!(
            "{before} -> {after}\n{} tests in {}{ending}; {truth}\n{}\n\n{text}",
            counts.tests,
            units::in_words(took),
            out.display(),
        ));
    }
}

fn measured(size: Measure) -> Value {
    match size {
        Measure::Script(size) => json!({"bytes": size.bytes, "nodes": size.nodes}),
        Measure::Lines(lines) => json!({"lines": lines}),
    }
}
