//! The stability of queries as one HTML page, with a plot of the cost of each mutant.

use super::words::{details, run_words};
use super::{Gating, Robustness, Subject};
use crate::page::STYLE;
use crate::words::thousands;
use assay_campaign::shown;
use assay_stability::{Category, Class, Examined};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const WIDTH: f64 = 400.0;
const LEFT: f64 = 64.0;
const ROW: f64 = 24.0;

impl Robustness {
    /// One self-contained page.
    #[must_use]
    pub fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { "assay: stability" }
                    link rel="icon" href="data:,";
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header { p.brand { "assay" } h1 { "Stability" } p { code { (self.command) } } }
                    main {
                        section { h2 { "Queries" } (self.summary()) (self.table()) }
                        @if self.targets.len() > 1 {
                            section { h2 { "Versions" } pre { (self.upgrades().trim_start()) } }
                        }
                        section {
                            h2 { "Cost of each mutant" }
                            @for subject in &self.subjects {
                                @for one in &subject.results {
                                    (plot(subject, one))
                                }
                            }
                        }
                    }
                }
            }
        };
        shown(&page.into_string())
    }

    fn summary(&self) -> Markup {
        html! {
            @for (at, target) in self.targets.iter().enumerate() {
                p {
                    (target) ": "
                    @for category in Category::ALL {
                        (self.count(at, category)) " " (category.name()) " "
                    }
                }
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            div.scroll { table {
                thead { tr {
                    th { "query" }
                    @for target in &self.targets { th { (target) } th.count { "steps" } }
                } }
                tbody {
                    @for subject in &self.subjects {
                        tr {
                            th { (subject.place()) }
                            @for (at, one) in subject.results.iter().enumerate() {
                                td.bad[subject.gating[at] == Gating::Fails] { (one.category.name()) }
                                td.count { (one.original.cost().map_or(String::new(), thousands)) }
                            }
                        }
                    }
                    @for (file, words) in &self.errors {
                        tr { th { (file.display()) } td.bad { (words) } }
                    }
                }
            } }
        }
    }
}

/// The mutants of a query by class and cost, on a logarithmic scale.
fn plot(subject: &Subject, one: &Examined) -> Markup {
    let costs = one.samples.iter().filter_map(|sample| sample.run.cost());
    let own = one.original.cost();
    let largest = costs.clone().chain(own).chain([one.limit]).max().unwrap_or(1);
    let least = costs.chain(own).min().unwrap_or(1);
    let (low, high) = (scale(least).floor(), scale(largest).ceil().max(scale(least).floor() + 1.0));
    let x = |cost: u64| {
        let share = (scale(cost) - low) / (high - low);
        round(LEFT + share * (WIDTH - LEFT - 8.0))
    };
    let row = |class: Class| one.classes.iter().position(|row| row.class == class).unwrap_or(0);
    let y = |at: usize| ROW * (at as f64 + 0.5);
    let height = ROW * one.classes.len() as f64;
    let label = format!("Costs of the mutants of {} on {}", subject.place(), one.target);
    let marks: Vec<u32> = (low as u32..=high as u32).collect();
    html! {
        figure {
            figcaption {
                strong { (subject.place()) } " "
                span.dim {
                    (one.target) ", " (one.category.name()) "; as written: " (run_words(&one.original))
                }
            }
            svg role="img" aria-label=(label) viewBox=(format!("0 0 {WIDTH} {}", height + 20.0)) {
                @for mark in &marks {
                    @let at = x(10u64.saturating_pow(*mark));
                    line.grid x1=(at) x2=(at) y1="0" y2=(height) {}
                    text.dim.small x=(at) y=(height + 14.0) text-anchor="middle" { "10^" (mark) }
                }
                @for (at, class) in one.classes.iter().enumerate() {
                    text.dim x="0" y=(y(at) + 4.0) { (class.class.name()) }
                }
                @if let Some(own) = own {
                    line.line.line1 x1=(x(own)) x2=(x(own)) y1="0" y2=(height) { title { "as written" } }
                }
                line.line.line0 x1=(x(one.limit)) x2=(x(one.limit)) y1="0" y2=(height) { title { "limit" } }
                @for sample in &one.samples {
                    @let cost = sample.run.cost().unwrap_or(one.limit);
                    @let class = if sample.success { "trial-right" } else { "trial-wrong" };
                    // Mutants of the same cost do not hide each other.
                    @let shift = f64::from(sample.number % 5) * 3.0 - 6.0;
                    circle class=(class) cx=(x(cost)) cy=(y(row(sample.class)) + shift) r="2.5" {
                        title { (sample.class.name()) " " (sample.number) ": " (run_words(&sample.run)) }
                    }
                }
            }
            @let lines = details(one);
            @if !lines.is_empty() {
                ul { @for line in lines { li { (line) } } }
            }
        }
    }
}

fn scale(cost: u64) -> f64 {
    (cost.max(1) as f64).log10()
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
