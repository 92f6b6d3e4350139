//! The papers' table as text: one block per target, one line per category.

use assay_campaign::{Cell, Summary};
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
        if let Some(cleared) = summary.cleared(position) {
            let _ = writeln!(out, "  {cleared}");
        }
        out.push('\n');
    }
    out.push_str(&summary.legend());
    out.push('\n');
    out
}

/// A count; a dot for zero.
pub(crate) fn blank_zero(count: u64) -> String {
    if count == 0 { "·".to_owned() } else { count.to_string() }
}
