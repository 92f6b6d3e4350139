//! The papers' table as text: one block per target, one line per category.

use assay_campaign::{Cell, Summary};
use assay_case::RuleCount;
use std::fmt::Write;

/// The table, with soundness findings in columns of their own: certified ones, and those by a
/// declared truth.
#[must_use]
pub fn table(summary: &Summary) -> String {
    let width = summary.rows.iter().map(|row| row.category.len()).max().unwrap_or(0).max(8);
    let first = summary.rows.iter().map(|row| row.expected.name().len()).max().unwrap_or(0).max(7);
    let mut out = String::new();
    for (position, (target, total)) in summary.targets.iter().zip(summary.totals()).enumerate() {
        let (columns, extras) = (total.columns(summary.kind), total.extras());
        let _ = writeln!(out, "{target}");
        let mut heading = format!("  {:first$} {:width$} {:>8}", "expect", "category", "tests");
        for outcome in &columns {
            let _ = write!(heading, " {:>6}", outcome.heading(summary.kind));
        }
        for column in &extras {
            let _ = write!(heading, "  {}", column.heading());
        }
        let _ = writeln!(out, "{heading}");
        let mut line = |expected: &str, category: &str, cell: &Cell| {
            let _ = write!(out, "  {expected:first$} {category:width$} {:>8}", cell.total());
            for outcome in &columns {
                let _ = write!(out, " {:>6}", blank_zero(cell.count(*outcome)));
            }
            for column in &extras {
                let width = column.heading().len();
                let _ = write!(out, "  {:>width$}", blank_zero(cell.extra(*column)));
            }
            out.push('\n');
        };
        for row in &summary.rows {
            line(row.expected.name(), &row.category, &row.cells[position]);
        }
        if summary.rows.len() > 1 {
            line("", "all", &total);
        }
        out.push_str(&steps(&summary.steps.of(position)));
        if let Some(cleared) = summary.cleared(position) {
            let _ = writeln!(out, "  {cleared}");
        }
        out.push('\n');
    }
    out.push_str(&summary.legend());
    out.push('\n');
    out
}

/// The steps of proofs by rule, as a table.
#[must_use]
pub fn steps(rules: &[(&str, RuleCount)]) -> String {
    if rules.is_empty() {
        return String::new();
    }
    let mut total = RuleCount::default();
    rules.iter().for_each(|(_, count)| total.add(count));
    let width = rules.iter().map(|(rule, _)| rule.len()).max().unwrap_or(0).max(5);
    let mut out = format!(
        "  {:width$} {:>9} {:>9} {:>9} {:>12} {:>9} {:>9} {:>9}\n",
        "rule", "steps", "checked", "attacked", "assignments", "skipped", "refuted", "trusted"
    );
    let last = [("all", total)];
    for (rule, count) in rules.iter().chain(&last) {
        let columns = [
            (count.steps(), 9),
            (count.checked, 9),
            (count.attacked, 9),
            (count.assignments, 12),
            (count.skipped, 9),
            (count.refuted, 9),
            (count.trusted, 9),
        ];
        let _ = write!(out, "  {rule:width$}");
        for (number, width) in columns {
            let _ = write!(out, " {:>width$}", blank_zero(number));
        }
        out.push('\n');
    }
    out
}

/// The findings of each category on each target, side by side: which versions are wrong about what. Empty
/// if there are fewer than three targets, or no findings.
#[must_use]
pub fn evolution(summary: &Summary) -> String {
    let totals = summary.totals();
    if totals.len() < 3 || !summary.has_findings() {
        return String::new();
    }
    let by_target: Vec<_> = (0..totals.len()).map(|at| summary.by_category(at)).collect();
    let name = summary.rows.iter().map(|row| row.category.len()).max().unwrap_or(0).max(8);
    let widths: Vec<usize> = summary.targets.iter().map(|target| target.len().max(6)).collect();
    let mut out = format!("\n{:name$}", "findings");
    for (target, width) in summary.targets.iter().zip(&widths) {
        let _ = write!(out, "  {target:>width$}");
    }
    let mut line = |category: &str, cells: &mut dyn Iterator<Item = &Cell>| {
        let _ = write!(out, "\n{category:name$}");
        for (cell, width) in cells.zip(&widths) {
            let _ = write!(out, "  {:>width$}", blank_zero(cell.findings_of_any_kind()));
        }
    };
    for (at, (category, ..)) in by_target[0].iter().enumerate() {
        line(category, &mut by_target.iter().map(|of| &of[at].2));
    }
    line("all", &mut totals.iter());
    out.push('\n');
    out
}

/// A count; a dot for zero.
pub(crate) fn blank_zero(count: u64) -> String {
    if count == 0 { "·".to_owned() } else { count.to_string() }
}
