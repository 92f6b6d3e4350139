//! The command line: flags, output, exit codes. Everything else lives in the other crates.

mod baseline;
mod bisect;
mod check;
mod clusters;
mod compare;
mod conclusion;
mod domains;
mod explain;
mod generate;
mod keep;
mod merge;
mod mutants;
mod output;
mod programs;
mod reduce;
mod replay;
mod report;
mod rules;
mod run;
mod submit;
mod suites;
mod table;
mod targets;
mod tools;
mod trigger;
mod units;
mod unused;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Tests the tools that others trust to prove programs right.
///
/// Exit codes: 0 nothing found, 1 findings, 2 assay failed or was misused, 130 interrupted before
/// anything was found.
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
    #[command(name = "__keep", hide = true)]
    Keep,
    Gen(generate::Args),
    Run(run::Args),
    Submit(submit::Args),
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
    Explain(explain::Args),
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    /// Nothing found.
    Clean,
    /// Nothing found so far, and a signal ended the run.
    Interrupted,
    /// Something found.
    Findings,
    /// We failed, or were misused.
    Failed,
}

/// The exit code of a run that a signal ended, as shells have it.
const INTERRUPTED: u8 = 130;

/// Prints the help that was asked for, or what is wrong with the flags.
fn explain(help: &clap::Error) -> ExitCode {
    use std::io::Write;
    match help.print().and_then(|()| std::io::stdout().flush()) {
        Ok(()) => u8::try_from(help.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => output::lost(&error),
    }
}

fn main() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(help) => return explain(&help),
    };
    let outcome = match command {
        Command::Check(args) => Ok(check::run(&args)),
        Command::Domain(args) => return domains::work(&args),
        Command::Keep => return keep::run(),
        Command::Gen(args) => generate::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Submit(args) => submit::run(&args),
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
        Command::Explain(args) => explain::run(&args),
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
