//! All cases, as columns of numbers that the page's script renders as a table.

use crate::data::{Meaning, Report, finding};
use crate::words::counted;
use assay_campaign::{Outcome, Stored};
use assay_case::FindingKind;
use maud::{Markup, PreEscaped, html};
use serde_json::json;
use std::collections::BTreeMap;

/// The maximum number of results in a page: findings first, then those without a verdict, then the
/// rest.
const MOST: usize = 40_000;
/// The maximum length of a result's description.
const WORDS: usize = 160;

/// The frame of the table, and its data.
pub(super) fn cases(report: &Report) -> Markup {
    let rows = chosen(report);
    let left_out = report.rows.len() - rows.len();
    let columns = ["Case", "Target", "Expected", "Answer", "Time", "Finding"];
    html! {
        noscript { p { "The table of cases needs JavaScript; `assay report --format json` has it too." } }
        @if left_out > 0 {
            p.dim { (counted(left_out as u64, "result")) " with right answers are left out here." }
        }
        div #cases-view hidden {
            div.tools {
                label {
                    span { "Answer" }
                    select #answer {
                        option value="" { "all" }
                        @for (_, name, _) in Outcome::ALL { option value=(name) { (name) } }
                    }
                }
                button #only type="button" hidden { "×" }
                span.pager {
                    button #previous type="button" { "Previous" }
                    span #range role="status" {}
                    button #next type="button" { "Next" }
                }
            }
            div.scroll tabindex="0" role="region" aria-label="All cases" {
                table.cases.single[report.targets.len() == 1] {
                    thead {
                        tr {
                            @for (at, name) in columns.iter().enumerate() {
                                th scope="col" aria-sort="none" { button.sort type="button" data-column=(at) { (name) } }
                            }
                        }
                    }
                    tbody #rows {}
                }
            }
        }
        script #data type="application/json" { (PreEscaped(embedded(&data(report, &rows)))) }
    }
}

/// The results in a page, in the campaign's order.
fn chosen(report: &Report) -> Vec<&Stored> {
    let mut rows: Vec<&Stored> = report.rows.iter().collect();
    if rows.len() > MOST {
        rows.sort_by_key(|row| match Meaning::of(row) {
            _ if finding(row).is_some() => 0,
            Meaning::Sat | Meaning::Unsat | Meaning::Holds => 2,
            _ => 1,
        });
        rows.truncate(MOST);
        rows.sort_by_key(|row| (row.target, row.ordinal));
    }
    rows
}

/// The columns, and the tables that their numbers refer to.
fn data(report: &Report, rows: &[&Stored]) -> serde_json::Value {
    let cluster_of = report.cluster_of();
    let cluster = |row: &&Stored| {
        let target = report.targets.get(row.target)?.name.as_str();
        cluster_of.get(&(target, row.ordinal)).copied()
    };
    let kind = |row: &&Stored| finding(row).map_or(-1, |kind| kind as i64);
    let mut words: Vec<String> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut number = |row: &&Stored| -> i64 {
        let Some(detail) = &row.detail else { return -1 };
        let detail: String = detail.chars().take(WORDS).collect();
        let next = words.len();
        let at = *numbers.entry(detail.clone()).or_insert_with(|| {
            words.push(detail);
            next
        });
        i64::try_from(at).expect("there are not so many words")
    };
    let details: Vec<i64> = rows.iter().map(&mut number).collect();
    let categories = report.categories.iter();
    json!({
        "targets": report.targets.iter().map(|target| &target.name).collect::<Vec<_>>(),
        "categories": categories.map(|c| json!([c.name, c.group, c.expected.name()])).collect::<Vec<_>>(),
        "outcomes": Outcome::ALL.map(|row| row.0.name(report.summary.kind)),
        "kinds": FindingKind::ALL,
        "meanings": Meaning::ALL.map(|row| row.1),
        "clusters": report.clusters.iter().map(|c| json!([c.id, c.known.is_some()])).collect::<Vec<_>>(),
        "words": words,
        "rows": {
            "ordinal": rows.iter().map(|row| row.ordinal).collect::<Vec<_>>(),
            "target": rows.iter().map(|row| row.target).collect::<Vec<_>>(),
            "category": rows.iter().map(|row| row.id.category).collect::<Vec<_>>(),
            // Case numbers may be too large for JavaScript numbers.
            "index": rows.iter().map(|row| row.id.index.to_string()).collect::<Vec<_>>(),
            "outcome": rows.iter().map(|row| row.outcome.code()).collect::<Vec<_>>(),
            "meaning": rows.iter().map(|row| Meaning::of(row) as u8).collect::<Vec<_>>(),
            "micros": rows.iter().map(|row| u64::try_from(row.elapsed.as_micros()).unwrap_or(u64::MAX)).collect::<Vec<_>>(),
            "kind": rows.iter().map(kind).collect::<Vec<_>>(),
            "cluster": rows.iter().map(|row| cluster(row).map_or(-1, |at| at as i64)).collect::<Vec<_>>(),
            "words": details,
        },
    })
}

/// JSON that cannot end a script element.
fn embedded(data: &serde_json::Value) -> String {
    data.to_string()
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_data_does_not_end_its_script() {
        let text = embedded(&json!({ "words": "</script><!--" }));
        assert!(!text.contains('<'), "{text}");
        let back: serde_json::Value = serde_json::from_str(&text).expect("it is still JSON");
        assert_eq!(back["words"], "</script><!--");
    }
}
