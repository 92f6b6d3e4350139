//! Charts of the versions that show the findings of a cluster.

use super::{WIDTH, figure, picture, round};
use crate::data::Report;
use crate::words::excerpt;
use assay_campaign::bisect::{Entry, Reading, Timeline};
use maud::{Markup, html};

/// The height of a finding: its name and its row of versions.
const ROW: f64 = 44.0;
/// The height of the versions' names, which are rotated.
const FOOT: f64 = 52.0;
/// The maximum width of a cell.
const WIDEST: f64 = 26.0;

/// One chart for every target with findings that were bisected.
pub(crate) fn versions(report: &Report) -> Markup {
    html! {
        @for target in &report.targets {
            @let rows: Vec<(String, &Timeline)> = report
                .clusters
                .iter()
                .filter(|cluster| cluster.target == target.name)
                .filter_map(|cluster| {
                    let (member, timeline) = report.timelines(cluster).next()?;
                    Some((excerpt(&member.assertions, 54), timeline))
                })
                .collect();
            @if !rows.is_empty() {
                @let name = target.name.split(['@', ':']).next().unwrap_or_default();
                @let label = format!("Which versions of {name} show the findings");
                @let height = rows.len() as f64 * ROW + FOOT;
                (figure("Versions", &label, &picture(height, &label, &grid(&rows)), &legend()))
            }
        }
    }
}

/// The versions of all rows, the oldest first.
fn all<'r>(rows: &'r [(String, &Timeline)]) -> Vec<&'r str> {
    let mut versions: Vec<&str> = Vec::new();
    for (_, timeline) in rows {
        let mut after = 0;
        for Entry { version, .. } in &timeline.entries {
            match versions.iter().position(|known| known == version) {
                Some(at) => after = at + 1,
                None => {
                    versions.insert(after, version);
                    after += 1;
                }
            }
        }
    }
    versions
}

fn grid(rows: &[(String, &Timeline)]) -> Markup {
    let versions = all(rows);
    let width = (WIDTH / versions.len().max(1) as f64).min(WIDEST);
    let foot = rows.len() as f64 * ROW;
    html! {
        @for (at, (case, timeline)) in rows.iter().enumerate() {
            @let top = at as f64 * ROW;
            text.mono x="0" y=(top + 12.0) { (case) }
            @for entry in &timeline.entries {
                @let column = versions.iter().position(|known| *known == entry.version).unwrap_or(0);
                @let (x, reading) = (column as f64 * width, entry.reading.name());
                rect.{ "trial-" (reading) } x=(round(x + 1.0)) y=(top + 18.0) width=(round(width - 2.0)) height="18" rx="2" {
                    title { (entry.version) ": " (reading) " " (entry.detail) }
                }
                text.cell x=(round(x + width / 2.0)) y=(top + 31.0) text-anchor="middle" { (mark(&entry.reading)) }
            }
        }
        @for (column, version) in versions.iter().enumerate() {
            @let (x, y) = (round((column as f64 + 0.5) * width + 4.0), foot + 2.0);
            text.dim.small x=(x) y=(y) text-anchor="end" transform=(format!("rotate(-90 {x} {y})")) { (version) }
        }
    }
}

/// A mark that is readable without colour.
fn mark(reading: &Reading) -> &'static str {
    match reading {
        Reading::Wrong(_) => "✗",
        Reading::Right => "✓",
        Reading::Unknown => "?",
        Reading::Timeout => "…",
        _ => "–",
    }
}

fn legend() -> Markup {
    let words = [
        ("wrong", "✗ wrong"),
        ("right", "✓ right"),
        ("unknown", "? unknown"),
        ("timeout", "… timeout"),
    ];
    html! {
        ul.legend {
            @for (reading, words) in words {
                li { span.key.{ "trial-" (reading) } {} (words) }
            }
        }
    }
}
