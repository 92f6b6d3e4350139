//! A search on an abstract domain, as text and as JSON.

use crate::judged::known_words;
use assay_campaign::units::counted;
use assay_campaign::{
    DomainFinding, DomainTally, FINDINGS, Outcome, Shows, Stored, domain_categories, folder_name,
};
use assay_case::Kind;
use assay_lattice::Law;
use assay_target::spec::KnownBug;
use serde_json::{Value, json};
use std::path::Path;

/// A finding with its smallest program, and the known bug that may explain it.
#[must_use]
pub fn violation(finding: &DomainFinding, known: Option<&KnownBug>) -> String {
    let DomainFinding { target, symptom, after, .. } = finding;
    let law = symptom.law.as_deref().and_then(Law::find);
    let law = law.map_or(String::new(), |law| format!(" by law {}", law.title()));
    let program: String =
        finding.smallest().trace.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "{}{law}: {target} ({}, after {:.1} s)\n{}{program}\n",
        symptom.word(),
        finding.stability().name(),
        after.as_secs_f64(),
        known.map_or(String::new(), known_words),
    )
}

/// The counts of a search on a domain, in words.
#[must_use]
pub fn searched(name: &str, tally: &DomainTally) -> String {
    let DomainTally { tried, checked, deaths, laws, spent, given_up, .. } = tally;
    let given_up = given_up.as_ref().map_or(String::new(), |why| format!("; given up: {why}"));
    format!(
        "{name}: {}, {}, {} in {:.1} s; {} died{given_up}\n\n",
        counted(laws.len(), "law"),
        counted(*tried, "input"),
        counted(*checked, "check"),
        spent.as_secs_f64(),
        counted(*deaths, "worker")
    )
}

/// The same as a JSON record.
#[must_use]
pub fn searched_record(name: &str, tally: &DomainTally) -> Value {
    let DomainTally { tried, checked, deaths, laws, spent, given_up, .. } = tally;
    json!({ "searched": {
        "target": name, "laws": laws.len(), "inputs": tried, "checks": checked, "deaths": deaths,
        "seconds": spent.as_secs_f64(), "stuck": tally.stuck, "given-up": given_up,
    } })
}

/// A stored result of a search on a domain as the record of a judged case.
#[must_use]
pub fn stored_record(row: &Stored, target: &str, folder: &Path) -> Value {
    let category = &domain_categories()[row.id.category as usize];
    let mut record = json!({
        "case": format!("{}/{}/{}", category.name, category.group, row.id.index),
        "id": row.id.to_string(), "target": target, "answer": row.outcome.name(Kind::Trace),
        "seconds": row.elapsed.as_secs_f64(),
    });
    let place = || {
        let place = folder.join(FINDINGS).join(folder_name(row.ordinal, target));
        let reduced = place.join("reduced");
        let place = if reduced.is_dir() { reduced } else { place };
        place.display().to_string()
    };
    let judgement = match row.shows {
        Shows::Finding(kind, grade, stability) => {
            record["finding"] = json!({
                "kind": kind.name(), "severity": kind.severity().name(), "grade": grade.name(),
                "stability": stability.name(), "evidence": row.detail, "folder": place(),
            });
            "finding"
        }
        Shows::Doubt => {
            record["folder"] = place().into();
            "inconclusive"
        }
        Shows::Contradiction => "oracle-contradicted",
        Shows::Waiting => "waiting",
        Shows::Nothing if row.outcome == Outcome::Skipped => "skipped",
        Shows::Nothing => "correct",
    };
    record["judgement"] = judgement.into();
    if let (Some(detail), true) = (&row.detail, record["finding"].is_null()) {
        record["reason"] = detail.as_str().into();
    }
    record
}
