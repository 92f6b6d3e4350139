//! Charts of the targets' answers, by category.

use super::{WIDTH, figure, picture, round};
use crate::data::{Meaning, Report};
use crate::words::{counted, thousands};
use assay_campaign::Outcome;
use assay_case::Kind;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The height of a category: its name and its bar.
const ROW: f64 = 36.0;

type Counts = BTreeMap<Meaning, u64>;

/// One chart for each target.
pub(crate) fn answers(report: &Report) -> Markup {
    html! {
        @for (at, target) in report.targets.iter().enumerate() {
            @let rows = by_category(report, at);
            @let kind = report.summary.kind;
            @let content = bars(&rows, kind);
            @let label = format!("Answers of {} by category", target.name);
            @let height = rows.len() as f64 * ROW;
            (figure("Answers by category", &target.name, &picture(height, &label, &content), &legend(&rows, kind)))
        }
    }
}

/// The categories that were run, in the table's order.
fn by_category(report: &Report, target: usize) -> Vec<(&str, Counts)> {
    let mut rows: Vec<(&str, Counts)> = Vec::new();
    rows.extend(report.summary.rows.iter().map(|row| (row.category.as_str(), Counts::new())));
    for row in report.rows.iter().filter(|row| row.target == target) {
        let Some(category) = report.category(row) else { continue };
        let found = rows.iter_mut().find(|(name, _)| *name == category.name);
        if let Some((_, counts)) = found {
            *counts.entry(Meaning::of(row)).or_default() += 1;
        }
    }
    rows.retain(|(_, counts)| !counts.is_empty());
    rows
}

fn bars(rows: &[(&str, Counts)], kind: Kind) -> Markup {
    html! {
        @for (position, (category, counts)) in rows.iter().enumerate() {
            @let top = position as f64 * ROW;
            @let total: u64 = counts.values().sum();
            text x="0" y=(top + 12.0) { (category) }
            text.dim x=(WIDTH) y=(top + 12.0) text-anchor="end" { (thousands(total)) }
            @for (meaning, count, begin, width) in parts(counts, total) {
                rect class=(meaning.name()) x=(begin) y=(top + 17.0) width=(width) height="12" {
                    title { (category) ": " (counted(count, "case")) " " (words(meaning, kind)) }
                }
            }
        }
    }
}

/// The positions and widths of a bar's parts. Every nonempty part is visible.
fn parts(counts: &Counts, total: u64) -> Vec<(Meaning, u64, f64, f64)> {
    const LEAST: f64 = 2.5;
    let raw = counts.values().map(|count| WIDTH * *count as f64 / total.max(1) as f64);
    let raised: Vec<f64> = raw.map(|width| width.max(LEAST)).collect();
    let scale = WIDTH / raised.iter().sum::<f64>();
    let mut begin = 0.0;
    let mut parts = Vec::new();
    for ((meaning, count), width) in counts.iter().zip(raised) {
        let width = width * scale;
        parts.push((*meaning, *count, round(begin), round(width)));
        begin += width;
    }
    parts
}

/// The meaning of a colour, in words.
fn words(meaning: Meaning, kind: Kind) -> &'static str {
    match meaning {
        Meaning::Sat => Outcome::Sat.name(kind),
        Meaning::Unsat => Outcome::Unsat.name(kind),
        Meaning::Wrong => "wrong",
        Meaning::Declared => "wrong by a declared truth",
        Meaning::Unreadable => "unreadable",
        Meaning::LargerCore => "larger core",
        Meaning::Skipped => "not run",
        other => other.name(),
    }
}

fn legend(rows: &[(&str, Counts)], kind: Kind) -> Markup {
    let occurs = |meaning: Meaning| rows.iter().any(|(_, counts)| counts.contains_key(&meaning));
    html! {
        ul.legend {
            @for (meaning, name) in Meaning::ALL {
                @if occurs(meaning) {
                    li { span.key.(name) {} (words(meaning, kind)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_parts_stay_visible_and_bars_are_full() {
        let counts = Counts::from([(Meaning::Sat, 9_999), (Meaning::Wrong, 1)]);
        let parts = parts(&counts, 10_000);
        let (.., begin, width) = parts[1];
        assert!(width >= 2.0, "{width}");
        assert!((begin + width - WIDTH).abs() < 0.2, "{begin} {width}");
    }
}
