//! The campaign as one JSON document; `docs/report.md` describes it.

use crate::data::{Report, finding};
use assay_campaign::bisect::{Entry, Timeline};
use assay_campaign::{Cell, Dossier, Findings, Outcome, Shows, Spent, Stored, Summary, Use, shown};
use assay_case::{Expected, RuleCount};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The name of the document's format. Fields may be added; none is removed or changed.
const SCHEMA: &str = "assay-report/2";

/// The whole campaign.
#[must_use]
pub fn json(report: &Report) -> String {
    let categories = report.categories.iter();
    let document = json!({
        "schema": SCHEMA,
        "campaign": report.header,
        "command": report.command(),
        "targets": report.targets.iter().map(|t| json!({ "name": t.name, "reported": t.reported })).collect::<Vec<_>>(),
        "categories": categories.map(|c| json!({ "name": c.name, "group": c.group, "expected": c.expected.name() })).collect::<Vec<_>>(),
        "table": table(report),
        "time": time(&report.spent),
        "errors": reasons(report, &report.errors),
        "doubts": reasons(report, &report.doubts),
        "rejections": reasons(report, &report.rejections),
        "skips": reasons(report, &report.skips),
        "clusters": report.clusters,
        "findings": findings(report),
        "results": results(report),
    });
    let text = serde_json::to_string_pretty(&document).expect("a document is plain data");
    shown(&text) + "\n"
}

/// The table as JSON, by target and category.
#[must_use]
pub fn summary_record(summary: &Summary) -> Value {
    let mut targets = json!({});
    for (position, (target, total)) in summary.targets.iter().zip(summary.totals()).enumerate() {
        let mut categories = json!({});
        for (category, expected, cell) in summary.by_category(position) {
            let mut counts = counts(&cell);
            counts["expected"] = match expected[..] {
                [only] => only.name().into(),
                // Cases of one category whose truth differs.
                _ => Expected::Open.name().into(),
            };
            categories[category] = counts;
        }
        targets[target] = json!({ "categories": categories, "all": counts(&total) });
        let rules = summary.steps.of(position);
        if !rules.is_empty() {
            let rules: BTreeMap<&str, RuleCount> = rules.into_iter().collect();
            targets[target]["steps"] = json!(rules);
        }
    }
    targets
}

/// How many cases of each outcome, and what they show.
fn counts(cell: &Cell) -> Value {
    let mut counts = json!({ "tests": cell.total() });
    for (outcome, name, _) in Outcome::ALL {
        counts[name] = cell.count(outcome).into();
    }
    let grades = [("", &cell.certified), ("declared-", &cell.declared)];
    for (grade, Findings { soundness, other, unstable }) in grades {
        counts[format!("{grade}soundness-findings")] = (*soundness).into();
        counts[format!("{grade}other-findings")] = (*other).into();
        counts[format!("{grade}unstable-findings")] = (*unstable).into();
    }
    counts["inconclusive"] = cell.inconclusive.into();
    counts["oracle-contradicted"] = cell.contradicted.into();
    counts["waiting"] = cell.waiting.into();
    counts
}

/// Where the time went, in seconds by use.
fn time(spent: &Spent) -> Value {
    let seconds = |(what, name): (Use, &'static str)| (name, spent.on(what).as_secs_f64());
    Use::ALL.map(seconds).into_iter().collect::<BTreeMap<_, _>>().into_iter().collect()
}

fn table(report: &Report) -> Value {
    let summary = &report.summary;
    let target = |(at, (name, total)): (usize, (&String, Cell))| {
        let row = |row: &assay_campaign::Row| {
            let mut record = counts(&row.cells[at]);
            record["category"] = row.category.as_str().into();
            record["expected"] = row.expected.name().into();
            record
        };
        let rows: Vec<Value> = summary.rows.iter().map(row).collect();
        let steps: BTreeMap<&str, RuleCount> = summary.steps.of(at).into_iter().collect();
        let mut record = json!({ "target": name, "categories": rows, "all": counts(&total) });
        if !steps.is_empty() {
            record["steps"] = json!(steps);
        }
        record
    };
    summary.targets.iter().zip(summary.totals()).enumerate().map(target).collect()
}

fn reasons(report: &Report, reasons: &[(usize, String, u64)]) -> Value {
    let reason = |(target, words, count): &(usize, String, u64)| json!({ "target": report.targets[*target].name, "words": words, "count": count });
    reasons.iter().map(reason).collect()
}

fn findings(report: &Report) -> Value {
    let finding = |(folder, dossier): (&PathBuf, &Dossier)| {
        let mut record = contents(dossier);
        record["folder"] = json!(folder);
        record["reduced"] = json!(dossier.reduced.as_deref().map(contents));
        record["versions"] = json!(report.timelines.get(folder).map(versions));
        record
    };
    report.dossiers.iter().map(finding).collect()
}

/// The versions of a finding's tool.
fn versions(timeline: &Timeline) -> Value {
    let trial = |entry: &Entry| json!({ "version": entry.version, "reading": entry.reading.name(), "detail": entry.detail });
    let trials: Vec<Value> = timeline.entries.iter().map(trial).collect();
    json!({ "trials": trials, "story": timeline.story() })
}

/// The contents of a finding's folder itself.
fn contents(dossier: &Dossier) -> Value {
    json!({
        "record": dossier.record,
        "case": dossier.case,
        "input": dossier.input,
        "witness": dossier.witness,
        "stdout": dossier.stdout,
        "stderr": dossier.stderr,
    })
}

fn results(report: &Report) -> Value {
    let cluster_of = report.cluster_of();
    let result = |row: &Stored| {
        let target = report.targets[row.target].name.as_str();
        let mut record = json!({
            "target": target,
            "ordinal": row.ordinal,
            "id": row.id.to_string(),
            "case": report.case_name(row),
            "category": report.category(row).map(|category| &category.name),
            "expected": report.category(row).map(|category| category.expected.name()),
            "outcome": row.outcome.name(report.summary.kind),
            "seconds": row.elapsed.as_secs_f64(),
        });
        if let Some(detail) = &row.detail {
            record["detail"] = detail.as_str().into();
        }
        match row.shows {
            Shows::Nothing => {}
            Shows::Doubt => record["shows"] = "doubt".into(),
            Shows::Waiting => record["shows"] = "waiting".into(),
            Shows::Contradiction => record["shows"] = "oracle-contradicted".into(),
            Shows::Finding(kind, grade, stability) => {
                record["shows"] = "finding".into();
                record["kind"] = kind.name().into();
                record["severity"] = kind.severity().name().into();
                record["grade"] = grade.name().into();
                record["stability"] = stability.name().into();
            }
        }
        if let Some(cluster) = finding(row).and(cluster_of.get(&(target, row.ordinal))) {
            record["cluster"] = report.clusters[*cluster].id.as_str().into();
        }
        record
    };
    report.rows.iter().map(result).collect()
}
