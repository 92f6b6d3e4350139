//! The HTML page: one self-contained file.
//!
//! Everything is readable without JavaScript except the table of all cases: it is kept as data, and
//! the page's own script renders the visible part.

mod cases;
mod clusters;
mod summary;

pub(crate) use clusters::exhibit;

use crate::charts;
use crate::data::Report;
use assay_campaign::shown;
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub(crate) const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPT: &str = include_str!("../../assets/page.js");

/// The campaign as one HTML page.
#[must_use]
pub fn html(report: &Report) -> String {
    let title = report.title();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "assay " (report.header.assay) };
                title { "assay: " (title) }
                // Prevents a request for an icon.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#clusters" { "Skip to the findings" }
                header {
                    p.brand { "assay" }
                    h1 { (title) }
                    nav aria-label="Sections" {
                        @for (id, name) in SECTIONS {
                            a href={ "#" (id) } { (name) }
                        }
                    }
                }
                main {
                    (section("summary", "Summary", &summary::summary(report)))
                    (section("table", "Answers", &summary::table(report)))
                    (section("charts", "Charts", &charts(report)))
                    (filters(report))
                    (section("clusters", "Findings", &clusters::clusters(report)))
                    (section("cases", "Cases", &cases::cases(report)))
                }
                footer { p.dim { "Made by assay " (report.header.assay) "." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    shown(&page.into_string())
}

const SECTIONS: [(&str, &str); 5] = [
    ("summary", "Summary"),
    ("table", "Answers"),
    ("charts", "Charts"),
    ("clusters", "Findings"),
    ("cases", "Cases"),
];

fn section(id: &str, name: &str, content: &Markup) -> Markup {
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (name) }
            (content)
        }
    }
}

fn charts(report: &Report) -> Markup {
    html! {
        div.charts {
            div { (charts::answers(report)) }
            div {
                (charts::times(report))
                (charts::findings(report))
                (charts::versions(report))
            }
        }
    }
}

/// The filters. Without JavaScript they do not work and are hidden.
fn filters(report: &Report) -> Markup {
    let mut kinds: Vec<&str> =
        report.clusters.iter().flat_map(|c| c.members.iter().map(|m| m.kind.name())).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let categories = report.summary.rows.iter().map(|row| row.category.as_str());
    let targets = report.targets.iter().map(|target| target.name.as_str());
    let known = [("new", "not known yet"), ("known", "known bugs")];
    html! {
        form #filters role="search" aria-label="Filter findings and cases" hidden {
            (choice("target", "Target", "all", targets.map(|name| (name, name))))
            (choice("kind", "Kind", "all", kinds.into_iter().map(|name| (name, name))))
            (choice("category", "Category", "all", categories.map(|name| (name, name))))
            (choice("status", "Status", "all", known.into_iter()))
            label { span { "Search" } input type="search" name="q" placeholder="operator, case, words …" autocomplete="off"; }
            button type="reset" { "Reset" }
            p #shown role="status" aria-live="polite" {}
        }
    }
}

fn choice<'c>(
    name: &str,
    label: &str,
    all: &str,
    options: impl Iterator<Item = (&'c str, &'c str)>,
) -> Markup {
    html! {
        label {
            span { (label) }
            select name=(name) {
                option value="" { (all) }
                @for (value, words) in options {
                    option value=(value) { (words) }
                }
            }
        }
    }
}

/// A text with a button to copy it, which the script shows.
pub(super) fn copied(text: &str) -> Markup {
    html! {
        div.copied {
            pre { code { (text) } }
            button.copy type="button" hidden { "Copy" }
        }
    }
}
