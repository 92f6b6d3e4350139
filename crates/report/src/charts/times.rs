//! Charts of the time per case, on a logarithmic scale.

use super::{WIDTH, ceiling, figure, picture, round};
use crate::data::{Meaning, Report};
use crate::words::{counted, thousands, time};
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::time::Duration;

const LEFT: f64 = 44.0;
const TOP: f64 = 8.0;
const PLOT: f64 = 110.0;

/// The bounds of the bars, in microseconds: 1, 2, 5 in every power of ten.
fn bounds(longest: Duration) -> Vec<u64> {
    let mut bounds = vec![1_000];
    for ratio in [(2, 1), (5, 2), (2, 1)].into_iter().cycle() {
        let last = bounds[bounds.len() - 1];
        if u128::from(last) > longest.as_micros() {
            break;
        }
        bounds.push(last / ratio.1 * ratio.0);
    }
    bounds
}

/// One chart for each target.
pub(crate) fn times(report: &Report) -> Markup {
    let ran = || report.rows.iter().filter(|row| Meaning::of(row) != Meaning::Skipped);
    let longest = ran().map(|row| row.elapsed).max().unwrap_or_default();
    let bounds = bounds(longest);
    html! {
        @for (at, target) in report.targets.iter().enumerate() {
            @let mut bars: Vec<BTreeMap<Meaning, u64>> = vec![BTreeMap::new(); bounds.len()];
            @let () = for row in ran().filter(|row| row.target == at) {
                let micros = row.elapsed.as_micros();
                let bar = bounds.partition_point(|bound| u128::from(*bound) <= micros);
                *bars[bar.min(bounds.len() - 1)].entry(Meaning::of(row)).or_default() += 1;
            };
            @if bars.iter().any(|bar| !bar.is_empty()) {
                @let label = format!("Histogram of the times of {}", target.name);
                @let content = plot(&bounds, &bars);
                (figure("Time per case", &target.name, &picture(TOP + PLOT + 20.0, &label, &content), &html! {}))
            }
        }
    }
}

fn plot(bounds: &[u64], bars: &[BTreeMap<Meaning, u64>]) -> Markup {
    let tallest = bars.iter().map(|bar| bar.values().sum::<u64>()).max().unwrap_or(0);
    let end = ceiling(tallest as f64);
    let width = (WIDTH - LEFT) / bars.len() as f64;
    let height = |count: u64| PLOT * count as f64 / end;
    html! {
        @for share in [0.0, 0.5, 1.0] {
            @let y = round(TOP + PLOT * (1.0 - share));
            line.grid x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
            @if share > 0.0 && (end * share).fract() == 0.0 {
                text.dim x=(LEFT - 6.0) y=(y + 4.0) text-anchor="end" { (thousands((end * share) as u64)) }
            }
        }
        @for (at, bar) in bars.iter().enumerate() {
            @let x = round(LEFT + at as f64 * width + 1.0);
            @let span = span(bounds, at);
            @let mut top = TOP + PLOT;
            @for (meaning, count) in bar {
                @let tall = height(*count).max(1.0);
                @let () = top -= tall;
                rect class=(meaning.name()) x=(x) y=(round(top)) width=(round(width - 2.0)) height=(round(tall)) {
                    title { (span) ": " (counted(*count, "case")) " " (meaning.name()) }
                }
            }
        }
        @for (at, bound) in bounds.iter().enumerate() {
            @if is_power_of_ten(*bound) {
                text.dim x=(round(LEFT + (at as f64 + 1.0) * width)) y=(TOP + PLOT + 16.0) text-anchor="middle" {
                    (time(Duration::from_micros(*bound)))
                }
            }
        }
    }
}

fn is_power_of_ten(micros: u64) -> bool {
    10u64.pow(micros.ilog10()) == micros
}

/// The range of times of a bar, in words.
fn span(bounds: &[u64], bar: usize) -> String {
    let words = |micros: u64| time(Duration::from_micros(micros));
    match bar.checked_sub(1) {
        None => format!("below {}", words(bounds[0])),
        Some(below) => format!("{} to {}", words(bounds[below]), words(bounds[bar])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_by_the_same_ratio() {
        let bounds = bounds(Duration::from_millis(1_500));
        assert_eq!(
            bounds,
            [
                1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
                2_000_000
            ]
        );
        assert_eq!(
            (span(&bounds, 0), span(&bounds, 2)),
            ("below 1 ms".into(), "2 ms to 5 ms".into())
        );
    }

    #[test]
    fn a_zero_time_has_a_bar() {
        assert_eq!(bounds(Duration::ZERO), [1_000]);
    }
}
