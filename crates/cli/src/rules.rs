//! `assay rules`: every rule with its source; with `--certify`, what its truth rests on.

use crate::domains::laws;
use crate::tools::{LimitArgs, TargetArgs};
use crate::{Outcome, output};
use assay_case::Consult;
use assay_forge::rules::{
    Certificate, Effort, Evidence, Failure, Opinion, ProofStatus, Rule, certify, consult, rules,
};
use assay_target::{Resolved, Settings, Solver, TargetName};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Every rule that formulas are built on, and where it comes from
///
/// With --certify, each rule is put to the test: every assignment of simple values, then random
/// ones. A rule that fails is a finding, and exit code 1. With --target, solvers are asked too
/// whether the negation of each rule has a model: what they prove is further evidence, and a model
/// that evaluation confirms makes the rule fail.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Put every rule to the test and print its grade and evidence
    #[arg(long)]
    certify: bool,
    /// Ask this solver about every rule; may be given several times
    #[arg(long = "target", value_name = "TARGET", requires = "certify")]
    targets: Vec<TargetName>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    catalog: TargetArgs,
    /// Only the rules of this theory; may be given several times
    #[arg(long = "theory", value_name = "THEORY")]
    theories: Vec<String>,
    /// Decides the random values
    #[arg(long, value_name = "N", default_value_t = 0)]
    rng: u64,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let mut all = rules()?;
    all.extend(assay_mutate::approximations()?);
    all.extend(assay_mutate::fusions()?);
    let wants =
        |theory: &str| args.theories.is_empty() || args.theories.iter().any(|t| t == theory);
    let laws = wants(laws::THEORY);
    for theory in &args.theories {
        if theory != laws::THEORY && !all.iter().any(|rule| rule.theory() == theory) {
            let known: BTreeSet<&str> =
                all.iter().map(Rule::theory).chain([laws::THEORY]).collect();
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(format!("no rules of `{theory}`; there are rules of {known}").into());
        }
    }
    all.retain(|rule| wants(rule.theory()));
    if !args.certify {
        for rule in &all {
            output::result(&if args.json { record(rule, None) } else { line(rule) });
        }
        if laws {
            laws::list(args.json);
        }
        return Ok(Outcome::Clean);
    }
    let start = Instant::now();
    let targets: Vec<Arc<Resolved>> =
        args.catalog.resolve(&args.targets)?.into_iter().map(Arc::new).collect();
    let settings = Settings {
        limits: args.limits.of_process(),
        launcher: args.catalog.launcher()?,
        seed: args.rng,
        sessions: true,
    };
    let solvers = || -> Vec<Solver> {
        targets.iter().map(|t| Solver::new(Arc::clone(t), settings.clone())).collect()
    };
    let trials = certify_all(&all, Effort { seed: args.rng, ..Effort::FULL }, &solvers);
    let mut failed = 0;
    for (rule, trial) in all.iter().zip(&trials) {
        failed += usize::from(trial.failed());
        let text = if args.json { record(rule, Some(trial)) } else { verdict(rule, trial) };
        output::result(&text);
    }
    let (mut count, mut of_domains) = (all.len(), String::new());
    if laws {
        let (laws, broken) = laws::certify_all(args.json);
        failed += broken;
        count += laws;
        of_domains = format!(", {laws} of them laws of domains");
    }
    let seconds = start.elapsed().as_secs_f64();
    let summary = match failed {
        0 => format!("{count} rules are certified{of_domains}, in {seconds:.1} s\n"),
        _ => format!("{failed} of {count} rules are not certified, in {seconds:.1} s\n"),
    };
    output::note(&(summary + &consulted(&trials)));
    Ok(if failed == 0 { Outcome::Clean } else { Outcome::Findings })
}

/// What came of one rule.
struct Trial {
    result: Result<Certificate, Failure>,
    /// What solvers say, each about all claims.
    opinions: Vec<Vec<Opinion>>,
    elapsed: Duration,
}

impl Trial {
    fn failed(&self) -> bool {
        let refuted = |opinion: &Opinion| matches!(opinion.status, ProofStatus::Refuted(_));
        self.result.is_err() || self.opinions.iter().flatten().any(refuted)
    }
}

/// How many rules and claims each solver proves.
fn consulted(trials: &[Trial]) -> String {
    let mut text = String::new();
    let solvers = trials.first().map_or(0, |trial| trial.opinions.len());
    for solver in 0..solvers {
        let by_rule: Vec<&[Opinion]> = trials
            .iter()
            .filter_map(|trial| trial.opinions.get(solver))
            .map(Vec::as_slice)
            .collect();
        let all: Vec<&Opinion> = by_rule.iter().copied().flatten().collect();
        let Some(first) = all.first() else { continue };
        let proved = |opinion: &&Opinion| opinion.status == ProofStatus::Proved;
        let rules = by_rule.iter().filter(|claims| claims.iter().all(|o| proved(&o))).count();
        let claims = all.iter().filter(|opinion| proved(opinion)).count();
        text += &format!(
            "{} proves {rules} of {} rules at all sorts, {claims} of {} claims\n",
            first.who,
            by_rule.len(),
            all.len(),
        );
    }
    text
}

/// Puts rules to the test, on all processors.
fn certify_all(
    rules: &[Rule],
    effort: Effort,
    solvers: &(impl Fn() -> Vec<Solver> + Sync),
) -> Vec<Trial> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Trial)>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut solvers = solvers();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(rule) = rules.get(at) else { break };
                    let start = Instant::now();
                    let trial = put_to_the_test(rule, effort, &mut solvers);
                    let trial = Trial { elapsed: start.elapsed(), ..trial };
                    done.lock().expect("no worker panics").push((at, trial));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no worker panics");
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, trial)| trial).collect()
}

fn put_to_the_test(rule: &Rule, effort: Effort, solvers: &mut [Solver]) -> Trial {
    let mut result = certify(rule, effort);
    let mut opinions = Vec::new();
    for solver in solvers {
        let solver: &mut dyn Consult = solver;
        match consult(rule, solver) {
            Ok(said) => opinions.push(said),
            Err(error) => result = Err(Failure::Unreadable(error)),
        }
    }
    Trial { result, opinions, elapsed: Duration::ZERO }
}

fn line(rule: &Rule) -> String {
    format!(
        "{} {} {} [{}]\n    {}\n",
        rule.theory(),
        rule.kind().name(),
        rule.name(),
        rule.source(),
        rule.text()
    )
}

fn verdict(rule: &Rule, trial: &Trial) -> String {
    let seconds = trial.elapsed.as_secs_f64();
    let head =
        |grade: &str| format!("{grade:10} {} {} ({seconds:.2} s)\n", rule.theory(), rule.name());
    let mut text = match &trial.result {
        Ok(certificate) => {
            let grade = if trial.failed() { "FAILED" } else { certificate.assurance().name() };
            head(grade) + &certificate.evidence().iter().map(evidence).collect::<String>()
        }
        Err(failure) => head("FAILED") + &format!("    {failure}\n    {}\n", rule.text()),
    };
    text.extend(trial.opinions.iter().flatten().map(opinion));
    text
}

fn evidence(evidence: &Evidence) -> String {
    let Evidence { instance, claim, exhaustive, random, held, unknown } = evidence;
    let place = if instance.is_empty() { String::new() } else { format!(" at {instance}") };
    let all = match exhaustive {
        Some((values, assignments)) => format!("all {assignments} assignments of {values}; "),
        None => String::new(),
    };
    let unknown = if *unknown == 0 { String::new() } else { format!(", unknown for {unknown}") };
    format!("    {claim}{place}: {all}{random} random ones; held for {held}{unknown}\n")
}

fn opinion(opinion: &Opinion) -> String {
    let Opinion { who, instance, claim, status } = opinion;
    let place = if instance.is_empty() { String::new() } else { format!(" at {instance}") };
    let words = match status {
        ProofStatus::Proved => format!("proved by {who}"),
        ProofStatus::Refuted(model) => {
            format!("wrong, as {who} shows and evaluation confirms: {model}")
        }
        ProofStatus::Unconfirmed(reason) => {
            format!("{who} says that it is wrong; not confirmed: {reason}")
        }
        ProofStatus::Undecided(reason) => format!("not decided by {who}: {reason}"),
    };
    format!("    {claim}{place}: {words}\n")
}

fn opinion_record(opinion: &Opinion) -> Value {
    let (status, reason) = match &opinion.status {
        ProofStatus::Proved => ("proved", None),
        ProofStatus::Refuted(model) => ("refuted", Some(model)),
        ProofStatus::Unconfirmed(reason) => ("unconfirmed", Some(reason)),
        ProofStatus::Undecided(reason) => ("undecided", Some(reason)),
    };
    json!({
        "target": opinion.who,
        "instance": opinion.instance,
        "claim": opinion.claim,
        "verdict": status,
        "reason": reason,
    })
}

fn record(rule: &Rule, trial: Option<&Trial>) -> String {
    let mut record = json!({
        "rule": rule.name(),
        "theory": rule.theory(),
        "kind": rule.kind().name(),
        "source": rule.source(),
        "text": rule.text(),
    });
    if let Some(operation) = rule.operation() {
        record["operation"] = json!(operation);
    }
    if let Some(trial) = trial {
        record["seconds"] = json!(trial.elapsed.as_secs_f64());
        if !trial.opinions.is_empty() {
            record["opinions"] = trial.opinions.iter().flatten().map(opinion_record).collect();
        }
        match &trial.result {
            Ok(certificate) => {
                record["grade"] = json!(certificate.assurance().name());
                let all = certificate.evidence().iter().map(evidence_record);
                record["evidence"] = all.collect();
            }
            Err(failure) => {
                record["grade"] = Value::Null;
                record["failure"] = json!(failure.to_string());
            }
        }
    }
    format!("{record}\n")
}

fn evidence_record(evidence: &Evidence) -> Value {
    // Counts beyond 64 bits are written as text: JSON readers would round them.
    let exhaustive = evidence.exhaustive.as_ref().map(|(values, assignments)| {
        let assignments = match u64::try_from(*assignments) {
            Ok(count) => json!(count),
            Err(_) => json!(assignments.to_string()),
        };
        json!({ "values": values, "assignments": assignments })
    });
    json!({
        "instance": evidence.instance,
        "claim": evidence.claim,
        "exhaustive": exhaustive,
        "random": evidence.random,
        "held": evidence.held,
        "unknown": evidence.unknown,
    })
}
