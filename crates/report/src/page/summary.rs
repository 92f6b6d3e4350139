//! The campaign's settings and results, in numbers.

use super::copied;
use crate::data::Report;
use crate::words::{thousands, time};
use assay_campaign::{Cell, Extra, Findings, Outcome};
use maud::{Markup, html};
use std::time::Duration;

/// Numbers, settings and the command.
pub(super) fn summary(report: &Report) -> Markup {
    let header = &report.header;
    let totals = report.summary.totals();
    let sum = |count: fn(&Cell) -> u64| totals.iter().map(count).sum::<u64>();
    let whole: Duration = report.rows.iter().map(|row| row.elapsed).sum();
    let (soundness, other) =
        (sum(|cell| cell.certified.soundness), sum(|cell| cell.certified.other));
    let unstable = sum(|cell| cell.certified.unstable);
    let declared = sum(|cell| {
        let Findings { soundness, other, unstable } = cell.declared;
        soundness + other + unstable
    });
    let inconclusive = sum(|cell| cell.inconclusive);
    let new = report.clusters.iter().filter(|cluster| cluster.known.is_none()).count() as u64;
    let known = report.clusters.len() as u64 - new;
    let contradicted = report.summary.contradicted();
    html! {
        @if contradicted > 0 {
            p.alarm role="alert" {
                (thousands(contradicted)) " results show that an expected answer is wrong. "
                "Please report their folders to the developers of assay."
            }
        }
        dl.tiles {
            (tile("cases", report.cases(), false))
            (tile("soundness findings", soundness, soundness > 0))
            (tile("other findings", other, false))
            (tile("unstable findings", unstable, false))
            @if declared > 0 { (tile("findings by a declared truth", declared, false)) }
            @if inconclusive > 0 { (tile("inconclusive answers", inconclusive, false)) }
            (tile("new clusters", new, false))
            (tile("known bugs", known, false))
        }
        dl.facts {
            dt { "Suite" } dd { (header.suite) @for word in header.case_words() { " " (word) } }
            dt { "Targets" }
            dd {
                ul { @for target in &report.targets { li { (target.name) " " span.dim { (target.reported) } } } }
            }
            dt { "Limits" }
            dd {
                (time(header.limits.timeout.0)) " per case"
                ", " (header.limits.memory) " of memory"
            }
            @if let Some(level) = header.execution.fuzz_options {
                dt { "Options" } dd { "varied up to level " (level.name()) ", a new set every few cases" }
            }
            dt { "Targets’ time" } dd { (time(whole)) }
            @if !report.spent.total().is_zero() {
                dt { "Workers’ time" } dd { (time(report.spent.total())) ": " (report.spent) }
            }
            dt { "Run it again" } dd { (copied(&report.command())) }
            @if let Some(text) = &header.configuration {
                dt { "Configuration" } dd { details { summary { "the file of --config" } pre { (text) } } }
            }
        }
    }
}

fn tile(name: &str, count: u64, bad: bool) -> Markup {
    html! {
        div.tile.bad[bad] { dt { (name) } dd { (thousands(count)) } }
    }
}

/// The papers' table, one block for each target.
pub(super) fn table(report: &Report) -> Markup {
    let summary = &report.summary;
    html! {
        @for (at, (target, total)) in summary.targets.iter().zip(summary.totals()).enumerate() {
            @let kind = report.summary.kind;
            @let columns = total.columns(kind);
            @let extras = total.extras();
            div.scroll tabindex="0" role="region" aria-label={ "Answers of " (target) } {
                table.numbers {
                    caption { (target) }
                    thead {
                        tr {
                            th scope="col" { "category" }
                            th scope="col" { "expect" }
                            th.count scope="col" { "tests" }
                            @for column in &columns {
                                th.count scope="col" { abbr title=(column.name(kind)) { (column.heading(kind)) } }
                            }
                            @for column in &extras {
                                th.count scope="col" { (column.heading()) }
                            }
                        }
                    }
                    tbody {
                        @for row in &summary.rows {
                            (line((&row.category, row.expected.name()), &row.cells[at], &columns, &extras))
                        }
                    }
                    @if summary.rows.len() > 1 {
                        tfoot { (line(("all", ""), &total, &columns, &extras)) }
                    }
                }
            }
        }
        p.dim {
            (summary.legend()) ". "
            "Soundness: certainly wrong answers, which two fresh processes repeated."
        }
        (reasons("Why answers are inconclusive", report, &report.doubts))
        (reasons("Errors other than crashes", report, &report.errors))
        (reasons("Rejected cases", report, &report.rejections))
        (reasons("Why cases were not run", report, &report.skips))
    }
}

fn line(
    (name, expected): (&str, &str),
    cell: &Cell,
    columns: &[Outcome],
    extras: &[Extra],
) -> Markup {
    html! {
        tr {
            th scope="row" { (name) }
            td { (expected) }
            (number(cell.total(), false))
            @for column in columns { (number(cell.count(*column), false)) }
            @for column in extras {
                (number(cell.extra(*column), *column == Extra::Soundness))
            }
        }
    }
}

fn number(count: u64, bad: bool) -> Markup {
    html! {
        @if count == 0 { td.count.dim { "·" } } @else { td.count.bad[bad] { (thousands(count)) } }
    }
}

fn reasons(title: &str, report: &Report, reasons: &[(usize, String, u64)]) -> Markup {
    html! {
        @if !reasons.is_empty() {
            details.reasons {
                summary { (title) }
                ul {
                    @for (target, words, count) in reasons {
                        li { (thousands(*count)) " × " (words) " " span.dim { (report.targets[*target].name) } }
                    }
                }
            }
        }
    }
}
