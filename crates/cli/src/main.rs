//! The command line: flags, progress, output, exit codes. Everything else is in the other crates.

mod bisect;
mod check;
mod clusters;
mod compare;
mod conclusion;
mod domains;
mod explain;
mod generate;
mod manual;
mod merge;
mod output;
mod progress;
mod reduce;
mod registry;
mod replay;
mod report;
mod rules;
mod run;
mod scripts;
mod stability;
mod submit;
mod targets;
mod tools;
mod trigger;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use registry::OfSuite;
use std::process::ExitCode;

/// Test SMT solvers, C analyzers, abstract domains and verifier axioms with inputs whose truth is
/// known
///
/// Exit codes: 0 no findings, 1 findings, 2 assay failed or was misused, 130 interrupted before any
/// finding.
#[derive(Parser)]
#[command(name = "assay", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Parse, sort-check and print SMT-LIB files; evaluate their assertions under a model
    Check(check::Args),
    #[command(name = "__domain", hide = true)]
    Domain(domains::WorkerArgs),
    /// Keeps the processes of the worker at standard input until it leaves; prints nothing.
    #[command(name = "__keep", hide = true)]
    Keep,
    /// Write test cases, with their ground truth, as files
    ///
    /// With --out, each case becomes a file, and index.jsonl records its ground truth. Without --out,
    /// the cases go to the standard output. Each suite has its own flags: `assay gen SUITE --help`.
    #[command(subcommand)]
    Gen(OfSuite<generate::Args>),
    /// Generate cases, run them on targets, judge the answers, confirm and store the findings
    ///
    /// The suite's cases go to every target; each answer is compared with the truth that the case
    /// was built with. A wrong answer counts only after two fresh processes repeat it. Results are
    /// kept in a folder, and --resume continues an interrupted run. Each suite has its own flags:
    /// `assay run SUITE --help`.
    #[command(subcommand)]
    Run(OfSuite<run::Args>),
    /// Run a campaign on a cluster: a Slurm job array with one task for each shard
    ///
    /// Takes the flags of run. Each task runs its shard within the limits of run, resumes if it is run
    /// again, and keeps its results in its own folder; a last job joins them. Logs are in OUT/logs, the
    /// table is in OUT/merge.txt, and the campaign in OUT/whole. Each suite has its own flags: `assay
    /// submit SUITE --help`.
    #[command(subcommand)]
    Submit(OfSuite<submit::Args>),
    Hunt(registry::Hunt),
    Merge(merge::Args),
    Compare(compare::Args),
    Replay(replay::Args),
    Report(report::Args),
    Clusters(clusters::Args),
    Bisect(bisect::Args),
    Reduce(reduce::Args),
    Targets(targets::Args),
    Rules(rules::Args),
    Trigger(trigger::Args),
    Stability(stability::Args),
    Explain(explain::Args),
    Completions(manual::CompletionArgs),
    Man(manual::ManArgs),
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum Outcome {
    /// No findings.
    #[default]
    Clean,
    /// No findings so far, and a signal ended the run.
    Interrupted,
    /// Findings.
    Findings,
    /// A failure, or misuse.
    Failed,
}

/// The exit code of a run that a signal ended, by the convention of shells.
const INTERRUPTED: u8 = 130;

/// Prints the requested help, or an error about the flags.
fn explain(help: &clap::Error) -> ExitCode {
    use std::io::Write;
    let printed = help.print().and_then(|()| std::io::stdout().flush());
    if let Some(hint) = other_suites(help) {
        output::note(&hint);
    }
    match printed {
        Ok(()) => u8::try_from(help.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => output::lost(&error),
    }
}

/// The suites that an unknown flag belongs to.
fn other_suites(error: &clap::Error) -> Option<String> {
    let flag = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(flag))) => flag,
        _ => return None,
    };
    let suites = registry::suites_with(flag);
    (!suites.is_empty()).then(|| format!("note: suites with {flag}: {}\n", suites.join(", ")))
}

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(help) => return explain(&help),
    };
    let outcome = match command {
        Command::Check(args) => Ok(check::run(&args)),
        Command::Domain(args) => return domains::work(&args),
        Command::Keep => return assay_target::process::keep(),
        Command::Gen(suite) => suite.run(generate::run),
        Command::Run(suite) => suite.run(run::run),
        Command::Hunt(suite) => suite.run(),
        Command::Submit(suite) => suite.run(submit::run),
        Command::Merge(args) => merge::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Clusters(args) => clusters::run(&args),
        Command::Bisect(args) => bisect::run(&args),
        Command::Reduce(args) => reduce::run(&args),
        Command::Targets(args) => targets::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Trigger(args) => trigger::run(&args),
        Command::Stability(args) => stability::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Completions(args) => Ok(manual::completions(&args, Cli::command())),
        Command::Man(args) => manual::man(&args, Cli::command()),
    };
    let outcome = outcome.unwrap_or_else(|error| {
        output::failure(&*error);
        Outcome::Failed
    });
    match outcome {
        Outcome::Clean => ExitCode::SUCCESS,
        Outcome::Interrupted => ExitCode::from(INTERRUPTED),
        Outcome::Findings => ExitCode::from(1),
        Outcome::Failed => ExitCode::from(2),
    }
}
