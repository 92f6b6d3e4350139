//! The diagnosis of a file by the search for triggering terms, as text and as JSON.

use assay_campaign::shortened;
use assay_trigger::{Diagnosis, Refutation, Report, Triggered, Verdict};
use serde_json::{Value, json};
use std::path::Path;

/// The result for a file.
pub struct Diagnosed {
    /// What the search found.
    pub report: Report,
    /// The time that it took.
    pub seconds: f64,
    /// The solver that was asked.
    pub solver: String,
}

impl Diagnosed {
    /// The cells of its row in a table of files: outcome, verdict, terms, seconds, strategy.
    #[must_use]
    pub fn row(&self) -> [String; 5] {
        let verdict = self.report.verdict().map_or("", Verdict::name).to_owned();
        let (terms, way) = match &self.report.diagnosis {
            Diagnosis::Refuted(found) => {
                let first = &found[0];
                (first.terms.join(" "), first.way.name().to_owned())
            }
            _ => Default::default(),
        };
        let outcome = self.report.diagnosis.name().to_owned();
        [outcome, verdict, shortened(&terms), format!("{:.1}", self.seconds), way]
    }

    /// Its JSON record; `without` are the assertions that were left out.
    #[must_use]
    pub fn record(&self, file: &Path, without: &[String]) -> Value {
        let Diagnosed { report, seconds, solver } = self;
        let mut record = json!({
            "file": file, "outcome": report.diagnosis.name(), "terms": [], "seconds": seconds,
            "validated-by": null, "verdict": report.verdict().map(Verdict::name),
        });
        if !without.is_empty() {
            record["without"] = json!(without);
        }
        if !report.artefacts.is_empty() {
            let known = report.artefacts.iter();
            record["artefacts"] = known
                .map(|one| json!({"name": one.artefact.name, "axiom": one.axiom, "line": one.line}))
                .collect();
        }
        match &report.diagnosis {
            Diagnosis::Refuted(all) => {
                let first = &all[0];
                record["validated-by"] = json!(solver);
                record["way"] = json!(first.way.name());
                for (key, value) in contradiction(first) {
                    record[key] = value;
                }
                if all.len() > 1 {
                    record["alternatives"] =
                        all[1..].iter().map(|one| Value::from_iter(contradiction(one))).collect();
                }
            }
            Diagnosis::AlreadyRefuted => record["validated-by"] = json!(solver),
            Diagnosis::Sat(evidence) => {
                record["detail"] = json!(evidence.why);
                record["model"] = json!(evidence.model);
                record["checked"] = json!(evidence.checked);
            }
            Diagnosis::GaveUp(why) | Diagnosis::Timeout(why) => {
                record["detail"] = json!(why);
                record["refuted-by"] = json!(report.refuted_by);
            }
        }
        record
    }

    /// The result in words, with suggestions on request.
    #[must_use]
    pub fn words(&self, file: &Path, suggest: bool) -> String {
        let (diagnosis, seconds) = (&self.report.diagnosis, self.seconds);
        let mut text = format!("{}: {} ({seconds:.1} s)\n", file.display(), diagnosis.name());
        match diagnosis {
            Diagnosis::Refuted(all) => {
                for (at, refutation) in all.iter().enumerate() {
                    if all.len() > 1 {
                        text += &format!(" contradiction {}\n", at + 1);
                    }
                    text += &refutation_words(refutation, suggest);
                }
            }
            Diagnosis::AlreadyRefuted => {
                text += "  E-matching refutes the file as it is\n";
            }
            Diagnosis::Sat(evidence) => {
                text += &format!("  {}\n", evidence.why);
                text += &model_words(evidence.model.as_deref().unwrap_or_default());
            }
            Diagnosis::GaveUp(why) => text += &format!("  {why}\n"),
            Diagnosis::Timeout(why) => text += &format!("  {why}; {MORE_TIME}\n"),
        }
        text + &artefact_words(&self.report)
    }
}

/// A set of terms, and the contradiction that it shows.
fn contradiction(found: &Refutation) -> [(&'static str, Value); 7] {
    let core = found.core.iter().map(|axiom| json!({"axiom": axiom.name, "line": axiom.line}));
    let triggers = found.triggered.iter().map(|one| {
        json!({"term": one.term, "axiom": one.axiom, "line": one.line, "values": valued(&one.values)})
    });
    [
        ("terms", json!(found.terms)),
        ("core", core.collect()),
        ("triggers", triggers.collect()),
        ("verdict", json!(found.verdict().map(Verdict::name))),
        ("through", json!(found.through)),
        ("minimal", json!(found.minimal)),
        ("suggestions", json!(found.suggestions)),
    ]
}

/// Values of variables as a record.
pub(crate) fn valued(values: &[(String, String)]) -> Value {
    values.iter().map(|(var, term)| json!({"variable": var, "term": term})).collect()
}

/// Advice for the user after a timeout.
pub(crate) const MORE_TIME: &str = "raise it with --timeout";

/// What was looked past.
pub(crate) fn artefact_words(report: &Report) -> String {
    let needed = |name: &str| match &report.diagnosis {
        Diagnosis::Refuted(all) => all.iter().any(|one| one.through.iter().any(|one| one == name)),
        _ => false,
    };
    let mut text = String::new();
    let mut told: Vec<&str> = Vec::new();
    for known in &report.artefacts {
        let name = known.artefact.name.as_str();
        if told.contains(&name) {
            continue;
        }
        told.push(name);
        let places: Vec<String> = report
            .artefacts
            .iter()
            .filter(|one| one.artefact.name == name)
            .map(|one| format!("{} (line {})", one.axiom, one.line))
            .collect();
        let places = places.join(", ");
        text += &match (needed(name), &report.diagnosis) {
            (true, _) => format!(
                "  found only with the known artefact {name}, in {places}: {}\n",
                known.artefact.about
            ),
            (false, Diagnosis::Refuted(_)) => {
                format!("  not needed: the known artefact {name}, in {places}\n")
            }
            (false, _) => {
                format!("  note: the file carries the known artefact {name}, in {places}\n")
            }
        };
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
        let own = refutation.triggered.iter().filter(|one| one.term == *term);
        for line in own.map(trigger_words) {
            text += &format!("    {line}\n");
        }
    }
    text += &format!("  found by {}", refutation.way);
    text += if refutation.minimal { "\n" } else { "; fewer terms may do\n" };
    if !refutation.core.is_empty() {
        let names: Vec<&str> = refutation.core.iter().map(|axiom| axiom.name.as_str()).collect();
        text += &format!("  contradicting: {}\n", names.join(", "));
    }
    if let Some(verdict) = refutation.verdict() {
        text += &format!("  {}\n", verdict_words(verdict));
    }
    if suggest {
        for suggestion in &refutation.suggestions {
            text += &format!("  suggestion: {suggestion}\n");
        }
    }
    text
}

fn trigger_words(one: &Triggered) -> String {
    let values: Vec<String> =
        one.values.iter().map(|(var, term)| format!("{var} = {}", shortened(term))).collect();
    format!("triggers {} (line {}) with {}", one.axiom, one.line, values.join(", "))
}

/// What a contradiction means.
pub(crate) fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Inconsistent => {
            "inconsistent: the axioms contradict each other; patterns only hide it"
        }
        Verdict::WithFacts => {
            "inconsistent with facts: if one of them is a negated goal, a pattern hides its proof"
        }
        Verdict::ModuloPatterns => {
            "unsatisfiable, but sound modulo patterns as far as is known: no program of the verifier should trigger it"
        }
    }
}
