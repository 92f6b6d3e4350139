//! How much of an exhaustive suite was run, and with what results.

use assay_campaign::units::counted;
use assay_campaign::{Cell, Extent, Header, Outcome, Summary};
use assay_case::Expected;

/// A line for each target: whether all formulas were answered, and how many findings there are.
#[must_use]
pub fn guarantee(summary: &Summary, extent: &Extent, header: &Header) -> String {
    let selection = header.selection();
    let wanted = extent.counts.iter().filter(|(category, _)| selection.wants(category));
    let formulas: u128 = wanted.map(|(_, count)| count).sum();
    let Extent { size, operators, .. } = extent;
    let over = format!(
        "formulas up to size {size} over {} ({})",
        extent.theories.join(", "),
        counted(*operators, "operator")
    );
    let mut out = String::new();
    for (position, (target, total)) in summary.targets.iter().zip(summary.totals()).enumerate() {
        let open = summary.rows.iter().filter(|row| row.expected == Expected::Open);
        let undecided: u64 = open.map(|row| verdicts(&row.cells[position])).sum();
        let answered = verdicts(&total);
        let all = match u128::from(answered) == formulas {
            true => format!("all {formulas} {over} answered"),
            false => format!("{answered} of {formulas} {over} answered"),
        };
        let others = [
            (total.count(Outcome::Timeout), "timed out"),
            (total.count(Outcome::Unknown), "unknown"),
            (total.count(Outcome::Error), "errors"),
            (total.count(Outcome::Skipped), "not run for lack of a feature"),
            (total.count(Outcome::Rejected), "rejected"),
            (total.count(Outcome::Unreadable), "not understood"),
        ];
        let mut parts: Vec<String> = others
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if undecided > 0 {
            let compared = match summary.targets.len() {
                1 => "nothing to compare with",
                _ => "compared between targets",
            };
            parts.push(format!("truth unknown for {undecided}, {compared}"));
        }
        let parts = match parts.is_empty() {
            true => String::new(),
            false => format!(" ({})", parts.join("; ")),
        };
        let found = match total.findings_of_any_kind() {
            0 => "no finding".to_owned(),
            count => counted(count, "finding"),
        };
        out += &format!("{target}: {all}{parts}: {found}\n");
    }
    out
}

/// The number of cases with a verdict.
fn verdicts(cell: &Cell) -> u64 {
    let verdicts = [Outcome::Sat, Outcome::Unsat, Outcome::IncorrectModel, Outcome::IncorrectCore];
    verdicts.iter().map(|&outcome| cell.count(outcome)).sum()
}
