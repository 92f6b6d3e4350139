//! `assay rules`: every rule with its source; with `--certify`, what its truth rests on.

use crate::{Outcome, output};
use assay_forge::rules::{Certificate, Effort, Evidence, Failure, Rule, certify, rules};
use serde_json::{Value, json};
use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Every rule that formulas are built on, and where it comes from
///
/// With --certify, each rule is put to the test: every assignment of simple values, then random
/// ones. A rule that fails is a finding, and exit code 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Put every rule to the test and print its grade and evidence
    #[arg(long)]
    certify: bool,
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
    for theory in &args.theories {
        if !all.iter().any(|rule| rule.theory() == theory) {
            let mut known: Vec<&str> = all.iter().map(Rule::theory).collect();
            known.dedup();
            let known = known.join(", ");
            return Err(format!("no rules of `{theory}`; there are rules of {known}").into());
        }
    }
    if !args.theories.is_empty() {
        all.retain(|rule| args.theories.iter().any(|theory| theory == rule.theory()));
    }
    if !args.certify {
        for rule in &all {
            output::result(&if args.json { record(rule, None) } else { line(rule) });
        }
        return Ok(Outcome::Clean);
    }
    let start = Instant::now();
    let trials = certify_all(&all, Effort { seed: args.rng, ..Effort::FULL });
    let mut failed = 0;
    for (rule, trial) in all.iter().zip(&trials) {
        failed += usize::from(trial.result.is_err());
        let text = if args.json { record(rule, Some(trial)) } else { verdict(rule, trial) };
        output::result(&text);
    }
    let seconds = start.elapsed().as_secs_f64();
    let summary = match failed {
        0 => format!("{} rules are certified, in {seconds:.1} s\n", all.len()),
        _ => format!("{failed} of {} rules are not certified, in {seconds:.1} s\n", all.len()),
    };
    output::note(&summary);
    Ok(if failed == 0 { Outcome::Clean } else { Outcome::Findings })
}

/// What came of one rule.
struct Trial {
    result: Result<Certificate, Failure>,
    elapsed: Duration,
}

/// Puts rules to the test, on all processors.
fn certify_all(rules: &[Rule], effort: Effort) -> Vec<Trial> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Trial)>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(rule) = rules.get(at) else { break };
                    let start = Instant::now();
                    let trial = Trial { result: certify(rule, effort), elapsed: start.elapsed() };
                    done.lock().expect("no worker panics").push((at, trial));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no worker panics");
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, trial)| trial).collect()
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
    match &trial.result {
        Ok(certificate) => {
            let lines = certificate.evidence().iter().map(evidence);
            head(certificate.assurance().name()) + &lines.collect::<String>()
        }
        Err(failure) => head("FAILED") + &format!("    {failure}\n    {}\n", rule.text()),
    }
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
