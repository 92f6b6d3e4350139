//! `assay rules`: every rule with its source; with `--certify`, its grade and evidence.

use crate::tools::{LimitArgs, TargetArgs};
use crate::{Outcome, output};
use assay_campaign::certification::{Statement, certify_all, consulted, statements};
use assay_campaign::tool::Tool;
use assay_case::Kind;
use assay_forge::rules::Effort;
use assay_target::{Settings, Solver, TargetName};
use std::collections::BTreeSet;
use std::error::Error;
use std::time::Instant;

/// List the rules that tests are built on, or certify them
///
/// With --certify, each rule is tested: with every assignment of simple values, then with random
/// ones. A rule that fails is a finding, and exit code 1. With --target, solvers are asked too
/// whether the negation of each rule has a model: what they prove is further evidence, and a model
/// that evaluation confirms makes the rule fail.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Test every rule and print its grade and evidence
    #[arg(long)]
    certify: bool,
    /// Ask this solver about every rule; may be given several times
    #[arg(long = "target", value_name = "TARGET", requires = "certify")]
    targets: Vec<TargetName>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    catalog: TargetArgs,
    /// List only the rules of this theory; may be given several times
    #[arg(long = "theory", value_name = "THEORY")]
    theories: Vec<String>,
    /// Seed for the random values
    #[arg(long, value_name = "N", default_value_t = 0)]
    rng: u64,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let mut all = statements()?;
    let known: BTreeSet<&str> = all.iter().map(Statement::theory).collect();
    for theory in &args.theories {
        if !known.contains(theory.as_str()) {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(format!("no rules of `{theory}`; there are rules of {known}").into());
        }
    }
    all.retain(|one| args.theories.is_empty() || args.theories.iter().any(|t| t == one.theory()));
    if !args.certify {
        for one in &all {
            output::result(&if args.json { format!("{}\n", one.record()) } else { one.words() });
        }
        return Ok(Outcome::Clean);
    }
    let start = Instant::now();
    let tools = args.targets.iter().map(|name| args.catalog.tool(Kind::Formula, name));
    let tools: Vec<Tool> = tools.collect::<Result<_, _>>()?;
    let settings = Settings {
        limits: args.limits.of_process(),
        launcher: args.catalog.launcher()?,
        seed: args.rng,
        sessions: true,
    };
    let solvers = || -> Vec<Solver> {
        let solvers = tools.iter().filter_map(Tool::solver);
        solvers.map(|solver| Solver::new(solver, settings.clone())).collect()
    };
    let trials = certify_all(&all, Effort { seed: args.rng, ..Effort::FULL }, &solvers);
    for (one, trial) in all.iter().zip(&trials) {
        output::result(&match args.json {
            true => format!("{}\n", trial.record(one)),
            false => trial.words(one),
        });
    }
    let (count, seconds) = (all.len(), start.elapsed().as_secs_f64());
    let summary = match trials.iter().filter(|trial| trial.failed()).count() {
        0 => {
            let laws = all.iter().filter(|one| one.is_law()).count();
            let laws = match laws {
                0 => String::new(),
                _ => format!(", {laws} of them laws of domains"),
            };
            format!("{count} rules are certified{laws}, in {seconds:.1} s\n")
        }
        failed => format!("{failed} of {count} rules are not certified, in {seconds:.1} s\n"),
    };
    output::note(&(summary + &consulted(&trials)));
    Ok(match trials.iter().any(assay_campaign::certification::Trial::failed) {
        true => Outcome::Findings,
        false => Outcome::Clean,
    })
}
