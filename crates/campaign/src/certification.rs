//! Rules that formulas are built on and laws of abstract domains: listed, and certified on all processors.

use assay_case::Consult;
use assay_forge::rules::{
    Certificate, Effort, Evidence, Failure, Opinion, ProofStatus, Rule, RuleError, certify,
    consult, rules,
};
use assay_lattice::{Certificate as LawCertificate, LAWS, Law};
use assay_target::Solver;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A statement that tests rest on.
pub enum Statement {
    /// A rule of formulas.
    Rule(Box<Rule>),
    /// A law of abstract domains.
    Law(&'static Law),
}

/// Every rule, then every law.
///
/// # Errors
/// What is wrong with a rule.
pub fn statements() -> Result<Vec<Statement>, RuleError> {
    let mut all = rules()?;
    all.extend(assay_mutate::approximations()?);
    all.extend(assay_mutate::fusions()?);
    let rules = all.into_iter().map(|rule| Statement::Rule(Box::new(rule)));
    Ok(rules.chain(LAWS.iter().map(Statement::Law)).collect())
}

impl Statement {
    /// Its theory; `domains` for laws.
    #[must_use]
    pub fn theory(&self) -> &str {
        match self {
            Statement::Rule(rule) => rule.theory(),
            Statement::Law(_) => "domains",
        }
    }

    /// Whether it is a law of abstract domains.
    #[must_use]
    pub fn is_law(&self) -> bool {
        matches!(self, Statement::Law(_))
    }

    /// The statement in words.
    #[must_use]
    pub fn words(&self) -> String {
        let (name, kind, source, text) = self.facts();
        format!("{} {kind} {name} [{source}]\n    {text}\n", self.theory())
    }

    /// The statement as a JSON record.
    #[must_use]
    pub fn record(&self) -> Value {
        let (name, kind, source, text) = self.facts();
        let mut record = json!({
            "rule": name, "theory": self.theory(), "kind": kind, "source": source, "text": text,
        });
        if let Statement::Rule(rule) = self {
            if let Some(operation) = rule.operation() {
                record["operation"] = json!(operation);
            }
        }
        record
    }

    /// Name, kind, source and text.
    fn facts(&self) -> (&str, &'static str, String, String) {
        match self {
            Statement::Rule(rule) => {
                (rule.name(), rule.kind().name(), rule.source().to_owned(), rule.text())
            }
            Statement::Law(law) => {
                let source = law.number.map(|number| format!("ASE 2018, figure 2.3, {number}"));
                let source = source.unwrap_or_else(|| "own".to_owned());
                (law.name, law.class.name(), source, law.to_string())
            }
        }
    }

    fn certify(&self, effort: Effort, solvers: &mut [Solver]) -> Trial {
        let begun = Instant::now();
        let mut opinions = Vec::new();
        let result = match self {
            Statement::Law(law) => Tested::Law(assay_lattice::certify(law)),
            Statement::Rule(rule) => {
                let mut result = certify(rule, effort);
                for solver in solvers {
                    let solver: &mut dyn Consult = solver;
                    match consult(rule, solver) {
                        Ok(said) => opinions.push(said),
                        Err(error) => result = Err(Failure::Unreadable(error)),
                    }
                }
                Tested::Rule(result)
            }
        };
        Trial { result, opinions, elapsed: begun.elapsed() }
    }
}

/// The result of certifying a statement.
pub struct Trial {
    result: Tested,
    /// The opinions of each solver about all claims.
    opinions: Vec<Vec<Opinion>>,
    elapsed: Duration,
}

enum Tested {
    Rule(Result<Certificate, Failure>),
    Law(LawCertificate),
}

/// The grade of a statement that is not certified.
const FAILED: &str = "FAILED";

impl Trial {
    /// Whether the statement is not certified.
    #[must_use]
    pub fn failed(&self) -> bool {
        let refuted = |opinion: &Opinion| matches!(opinion.status, ProofStatus::Refuted(_));
        match &self.result {
            Tested::Rule(result) => result.is_err() || self.opinions.iter().flatten().any(refuted),
            Tested::Law(certificate) => !certificate.stands(),
        }
    }

    /// The grade and the evidence in words.
    #[must_use]
    pub fn words(&self, of: &Statement) -> String {
        let (name, .., text) = of.facts();
        let head = |grade: &str, took: &str| format!("{grade:10} {} {name}{took}\n", of.theory());
        let took = format!(" ({:.2} s)", self.elapsed.as_secs_f64());
        let mut out = match &self.result {
            Tested::Rule(Ok(certificate)) => {
                let grade = if self.failed() { FAILED } else { certificate.assurance().name() };
                head(grade, &took)
                    + &certificate.evidence().iter().map(evidence).collect::<String>()
            }
            Tested::Rule(Err(failure)) => {
                head(FAILED, &took) + &format!("    {failure}\n    {text}\n")
            }
            Tested::Law(certificate) => {
                let broken = certificate.broken.as_ref();
                let broken = broken.map(|trace| format!("    broken by\n{trace}\n"));
                head(grade_of(certificate), "")
                    + &format!("    held {} times\n", certificate.held)
                    + &broken.unwrap_or_default()
            }
        };
        out.extend(self.opinions.iter().flatten().map(opinion));
        out
    }

    /// The same as a JSON record.
    #[must_use]
    pub fn record(&self, of: &Statement) -> Value {
        let mut record = of.record();
        let certificate = match &self.result {
            Tested::Rule(certificate) => certificate,
            Tested::Law(certificate) => {
                record["grade"] = json!(grade_of(certificate));
                record["evidence"] = json!([{ "held": certificate.held }]);
                if let Some(trace) = &certificate.broken {
                    record["failure"] = json!(trace.to_string());
                }
                return record;
            }
        };
        record["seconds"] = json!(self.elapsed.as_secs_f64());
        if !self.opinions.is_empty() {
            record["opinions"] = self.opinions.iter().flatten().map(opinion_record).collect();
        }
        match certificate {
            Ok(certificate) => {
                record["grade"] = json!(certificate.assurance().name());
                record["evidence"] = certificate.evidence().iter().map(evidence_record).collect();
            }
            Err(failure) => {
                record["grade"] = Value::Null;
                record["failure"] = json!(failure.to_string());
            }
        }
        record
    }
}

fn grade_of(certificate: &LawCertificate) -> &'static str {
    if certificate.stands() { "exhaustive" } else { FAILED }
}

/// How many rules and claims each solver proves.
#[must_use]
pub fn consulted(trials: &[Trial]) -> String {
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

/// Certifies statements on all processors; solvers are asked about rules too.
pub fn certify_all(
    statements: &[Statement],
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
                    let Some(statement) = statements.get(at) else { break };
                    let trial = statement.certify(effort, &mut solvers);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, trial));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, trial)| trial).collect()
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
