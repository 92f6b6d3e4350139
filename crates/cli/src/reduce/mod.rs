//! `assay reduce`: the smallest case that still shows the same.

mod command;
mod finding;
mod program;

use crate::replay::read_record;
use crate::tools::{OUTPUT, TargetArgs};
use crate::{Outcome, domains, output, replay, units};
use assay_case::{FindingKind, Kind};
use assay_reduce::{Counts, Progress, Reduced, Size, Subject, Tester};
use assay_target::domain::DomainLimits;
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
    /// A finding's folder, an SMT-LIB file, or a program about abstract domains
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
    /// Where the reduced case goes [default: reduced.smt2 in the folder, or beside the file]
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
    let known = || FindingKind::all().map(FindingKind::name).collect::<Vec<_>>().join(", ");
    FindingKind::by_name(name).ok_or_else(|| format!("expected one of {}", known()))
}

fn yes_or_no(word: &str) -> Result<bool, String> {
    match word {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no".to_owned()),
    }
}

/// How long a program about abstract domains may take, unless it is told otherwise.
const PROGRAM: Duration = Duration::from_secs(5);

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    if !args.what.exists() {
        return Err(format!("{}: there is no such file or folder", args.what.display()).into());
    }
    match &args.by_command.cmd {
        Some(line) => command::run(args, line),
        None if kind_of(args)? == Kind::Trace => domains::reduce(&domains::ReduceArgs {
            what: &args.what,
            target: args.target.as_ref(),
            catalog: &args.catalog,
            limits: DomainLimits { memory: args.memory, patience: args.timeout.unwrap_or(PROGRAM) },
            budget: args.budget,
            out: args.out.as_ref(),
            json: args.json,
        }),
        None if kind_of(args)? == Kind::Rewrite => {
            Err("assay reduce does not reduce rewriting claims yet; use --cmd with a command that \
                 compares the term with its result"
                .into())
        }
        None => finding::run(args),
    }
}

/// The kind of subject that is to be reduced.
fn kind_of(args: &Args) -> Result<Kind, Box<dyn Error>> {
    let record = read_record(&args.what)?;
    Ok(replay::kind(&args.what, record.as_ref(), args.target.as_slice()))
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

    /// Where the reduced text goes.
    fn out(&self) -> PathBuf {
        match &self.out {
            Some(path) => path.clone(),
            None if self.what.is_dir() => self.what.join("reduced.smt2"),
            None => self.what.with_extension("reduced.smt2"),
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

/// Reduces, with progress where somebody watches.
fn reduce(
    args: &Args,
    subject: &Subject,
    testers: Vec<Box<dyn Tester + '_>>,
) -> Result<(Reduced, Duration), Box<dyn Error>> {
    let begun = Instant::now();
    let end = args.budget.map(|budget| begun + budget);
    let stop = || end.is_some_and(|end| Instant::now() >= end);
    let watched = !args.json && std::io::stderr().is_terminal();
    let mut shown = |progress: Progress| {
        if watched {
            let Progress { size, counts: Counts { tests, .. } } = progress;
            output::progress(&format!("{tests} tests, {size}"));
        }
    };
    let reduced = assay_reduce::reduce(subject, testers, &stop, &mut shown)
        .map_err(|error| format!("{}: {error}", args.what.display()));
    if watched {
        output::progress("");
    }
    Ok((reduced?, begun.elapsed()))
}

/// What is said at the end.
struct Report<'r> {
    reduced: &'r Reduced,
    took: Duration,
    out: &'r Path,
    /// What is true of the reduced case, in words.
    truth: String,
    /// Further entries of the JSON record.
    more: Value,
}

impl Report<'_> {
    fn print(&self, as_json: bool) {
        let Report { reduced, took, out, truth, more } = self;
        let Reduced { before, after, counts, stopped, text, .. } = reduced;
        if as_json {
            let size = |size: &Size| json!({"bytes": size.bytes, "nodes": size.nodes});
            let mut record = json!({
                "out": out, "before": size(before), "after": size(after), "text": text,
                "tests": counts.tests, "taken": counts.taken, "cached": counts.cached,
                "seconds": took.as_secs_f64(), "stopped": stopped, "truth": truth,
            });
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
            units::in_words(*took),
            out.display(),
        ));
    }
}
