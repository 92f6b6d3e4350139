//! A chart of the number of findings over the targets' time.
//!
//! A store has no clock, but it has the time of each case, in the campaign's order.

use super::{WIDTH, ceiling, figure, picture, round};
use crate::data::{Report, finding};
use crate::words::{counted, thousands, time};
use maud::{Markup, html};
use std::time::Duration;

const LEFT: f64 = 44.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 8.0;
const PLOT: f64 = 130.0;

/// The times at which a target showed its findings, and its total time.
struct Course {
    found: Vec<Duration>,
    whole: Duration,
}

impl Course {
    fn of(report: &Report, target: usize) -> Course {
        let mut course = Course { found: Vec::new(), whole: Duration::ZERO };
        for row in report.rows.iter().filter(|row| row.target == target) {
            course.whole += row.elapsed;
            if finding(row).is_some() {
                course.found.push(course.whole);
            }
        }
        course
    }
}

/// One chart for all targets.
pub(crate) fn findings(report: &Report) -> Markup {
    let courses: Vec<Course> =
        (0..report.targets.len()).map(|target| Course::of(report, target)).collect();
    let whole = courses.iter().map(|course| course.whole).max().unwrap_or_default();
    let most = courses.iter().map(|course| course.found.len()).max().unwrap_or(0);
    if most == 0 || whole.is_zero() {
        return html! {};
    }
    let content = plot(&courses, whole, most as u64);
    let label = "Number of findings over the target's own time";
    let note = html! {
        ul.legend {
            @for (at, (target, course)) in report.targets.iter().zip(&courses).enumerate() {
                li {
                    span.key.{ "line" (at % 6) } {}
                    (target.name) ": " (counted(course.found.len() as u64, "finding"))
                }
            }
        }
    };
    let about = "over the target’s own time";
    figure("Findings over time", about, &picture(TOP + PLOT + 20.0, label, &content), &note)
}

fn plot(courses: &[Course], whole: Duration, most: u64) -> Markup {
    let end = ceiling(most as f64);
    let x = |at: Duration| LEFT + (WIDTH - LEFT - RIGHT) * at.as_secs_f64() / whole.as_secs_f64();
    let y = |count: f64| TOP + PLOT * (1.0 - count / end);
    let step = |course: &Course| {
        let mut path = format!("M{} {}", round(x(Duration::ZERO)), round(y(0.0)));
        for (count, at) in course.found.iter().enumerate() {
            path += &format!("H{}V{}", round(x(*at)), round(y(count as f64 + 1.0)));
        }
        path + &format!("H{}", round(x(course.whole)))
    };
    html! {
        @for share in [0.0, 0.5, 1.0] {
            @if (end * share).fract() == 0.0 {
                line.grid x1=(LEFT) x2=(WIDTH) y1=(round(y(end * share))) y2=(round(y(end * share))) {}
                text.dim x=(LEFT - 6.0) y=(round(y(end * share) + 4.0)) text-anchor="end" {
                    (thousands((end * share) as u64))
                }
            }
        }
        @for (at, course) in courses.iter().enumerate() {
            path.{ "line line" (at % 6) } d=(step(course)) {}
        }
        text.dim x=(LEFT) y=(TOP + PLOT + 16.0) { "0" }
        text.dim x=(WIDTH - RIGHT) y=(TOP + PLOT + 16.0) text-anchor="end" { (time(whole)) }
    }
}
