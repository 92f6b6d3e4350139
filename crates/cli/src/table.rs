//! The papers' table as text: one block per target, one line per category.

use assay_campaign::{Cell, Outcome, Summary};
use std::fmt::Write;

/// The table, with soundness findings in a column of their own.
pub(crate) fn render(summary: &Summary) -> String {
    let width = summary.rows.iter().map(|row| row.category.len()).max().unwrap_or(0).max(8);
    let mut out = String::new();
    for (position, (target, total)) in summary.targets.iter().zip(summary.totals()).enumerate() {
        let columns = total.columns();
        let _ = writeln!(out, "{target}");
        let mut heading = format!("  {:7} {:width$} {:>8}", "expect", "category", "tests");
        for outcome in &columns {
            let _ = write!(heading, " {:>6}", outcome.heading());
        }
        let _ = writeln!(out, "{heading}  soundness");
        let mut line = |expected: &str, category: &str, cell: &Cell| {
            let _ = write!(out, "  {expected:7} {category:width$} {:>8}", cell.total());
            for outcome in &columns {
                let _ = write!(out, " {:>6}", blank_zero(cell.count(*outcome)));
            }
            let _ = writeln!(out, "  {:>9}", blank_zero(cell.soundness));
        };
        for row in &summary.rows {
            line(summary.expected(row), &row.category, &row.cells[position]);
        }
        if summary.rows.len() > 1 {
            line("", "all", &total);
        }
        out.push('\n');
    }
    let skipped = summary.totals().iter().any(|cell| cell.count(Outcome::Skipped) > 0);
    let legend = summary.legend();
    out.push_str(if skipped { legend } else { legend.trim_end_matches(", – not run") });
    out.push('\n');
    out
}

fn blank_zero(count: u64) -> String {
    if count == 0 { "·".to_owned() } else { count.to_string() }
}
