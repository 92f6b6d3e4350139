//! The findings, one section for each cluster.

use super::copied;
use crate::data::{Report, describe, said_more};
use crate::highlight::{highlight, highlight_c};
use crate::markdown::output_title;
use crate::words::{capital, counted, excerpt};
use assay_campaign::bisect::Timeline;
use assay_campaign::cluster::{Cluster, Known, Member};
use assay_campaign::kind::{Language, profile};
use assay_campaign::shown;
use assay_campaign::{Dossier, Opinion};
use assay_case::Kind;
use maud::{Markup, html};

/// The maximum number of listed findings of a cluster; the table of cases has all of them.
const LISTED: usize = 20;
/// The maximum length of a text in a page; the folder has it in full.
const LONGEST: usize = 8_000;
/// The maximum total length of cases and answers, which keeps the page fast; further clusters only
/// name their folder.
const BUDGET: usize = 1_500_000;

/// Every cluster.
pub(super) fn clusters(report: &Report) -> Markup {
    let mut spent = 0;
    html! {
        @if report.clusters.is_empty() {
            p { "No finding." }
        }
        @for cluster in &report.clusters {
            @let exhibit = exhibit(report, cluster);
            @let shown = exhibit.filter(|_| spent < BUDGET);
            @let () = spent += exhibit.map_or(0, |(_, dossier)| weight(dossier));
            (section(report, cluster, shown))
        }
        p #no-clusters hidden { "No finding matches the filter." }
    }
}

/// The representative finding of a cluster: the one with the smallest case, reduced if possible.
pub(crate) fn exhibit<'r>(
    report: &'r Report,
    cluster: &'r Cluster,
) -> Option<(&'r Member, &'r Dossier)> {
    let with_dossier = |member: &'r Member| Some((member, report.dossier(member)?));
    let size = |dossier: &Dossier| dossier.smallest().case.len();
    cluster.members.iter().filter_map(with_dossier).min_by_key(|(_, dossier)| size(dossier))
}

fn weight(dossier: &Dossier) -> usize {
    [&dossier.case, &dossier.stdout, &dossier.stderr]
        .iter()
        .map(|text| text.len().min(LONGEST))
        .sum()
}

fn section(report: &Report, cluster: &Cluster, exhibit: Option<(&Member, &Dossier)>) -> Markup {
    let count = counted(cluster.count() as u64, "finding");
    html! {
        details.cluster #{ (cluster.id) } data-cluster=(cluster.id) {
            summary {
                h3 {
                    span.badge.{ (cluster.kind.severity().name()) } { (cluster.kind.name()) }
                    " " span.sentence { (cluster.sentence) }
                }
                p.dim {
                    (cluster.target) " · " (count)
                    @if let Some(known) = &cluster.known { " · known: " (known.id) }
                }
            }
            div.body {
                (facts(cluster))
                @match exhibit {
                    Some((member, dossier)) => (case(report, member, dossier)),
                    None => p { "The cases are in their folders, for example " code { (smallest(cluster)) } "." },
                }
                (members(cluster))
            }
        }
    }
}

fn smallest(cluster: &Cluster) -> String {
    cluster.smallest().folder.display().to_string()
}

fn facts(cluster: &Cluster) -> Markup {
    let lists = [
        ("Operators", &cluster.operators),
        ("Arguments", &cluster.arguments),
        ("Rules", &cluster.rules),
    ];
    html! {
        p { (describe(cluster.kind)) "." }
        dl.facts {
            @if let Some(Known { id, title, link }) = &cluster.known {
                dt { "Known as" }
                dd {
                    @match link {
                        Some(link) => a href=(link) rel="noreferrer" { (id) },
                        None => (id),
                    }
                    ": " (title)
                }
            }
            @if let Some(crash) = &cluster.crash { dt { "Crash" } dd { code { (shown(crash)) } } }
            @for (name, words) in lists {
                @if !words.is_empty() {
                    dt { (name) }
                    dd { @for word in words { code { (word) } " " } }
                }
            }
        }
    }
}

/// The case, its truth, the answer, and how to reproduce it.
fn case(report: &Report, member: &Member, dossier: &Dossier) -> Markup {
    let best = dossier.smallest();
    let record = &best.record;
    let folder = report.folder_of_smallest(member);
    let replay = report.header.replay(&folder.display().to_string());
    let reported = report.targets.iter().find(|target| target.name == record.target);
    html! {
        div.exhibit {
            div {
                h4 {
                    @if dossier.reduced.is_some() { "Reduced case " } @else { "Smallest case " }
                    span.dim { (member.case) }
                }
                (subject(record.subject, &best.case))
                @if let Some(picture) = &best.picture {
                    // An image element cannot run scripts.
                    img.picture alt="Which points each element has" src=(image(picture));
                }
                @if dossier.reduced.is_some() {
                    details { summary { "Before it was reduced" } (subject(record.subject, &dossier.case)) }
                }
                @if best.input != best.case {
                    details { summary { "As the target received it" } (subject(record.subject, &best.input)) }
                }
                @if let Some(inputs) = &best.inputs {
                    details {
                        summary { "Inputs of a run that reaches the error: gcc program.c witness.c" }
                        (subject(record.subject, inputs))
                    }
                }
            }
            div {
                h4 { "Truth" }
                p {
                    @match record.truth() {
                        Some(truth) => { (truth) ". " }
                        None => { "Truth unknown: the tools disagree. " }
                    }
                    @if let Some(grade) = record.grade { span.badge { (grade.name()) } " " } span.badge { (record.stability.name()) }
                }
                @if let Some(core) = &record.core { p { "The only minimal core: " code { (core.join(" ")) } } }
                @if let Some(witness) = &best.witness { h4 { "Witness" } (code(witness)) }
                h4 { "Answer of " (record.target) }
                p {
                    strong { (shown(&record.answer)) }
                    @if !record.answer.contains(&record.evidence) { ": " (shown(&record.evidence)) }
                    "."
                }
                @if said_more(best) { p { (output_title(record)) ":" } (code(&best.stdout)) }
                @if !best.stderr.trim().is_empty() { (code(&best.stderr)) }
                (opinions(&record.against))
                h4 { "Reproduce it" }
                (copied(&replay))
                @if let Some(by_hand) = &record.by_hand {
                    p { "In its folder, " (record.otherwise()) ":" }
                    @for line in by_hand.lines() { (copied(line)) }
                }
                @if !record.options.is_empty() { p { "With the options " code { (record.options.join(" ")) } } }
                p.dim {
                    (record.target)
                    @if let Some(target) = reported { ", which reports version " (target.reported) }
                    "; folder " code { (folder.display()) }
                }
                @if let Some(timeline) = report.timelines.get(&member.folder) { (versions(timeline)) }
            }
        }
    }
}

/// A data URL for an SVG picture.
fn image(svg: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/ =:,;()".contains(&b);
    let byte = |b: u8| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    format!("data:image/svg+xml,{}", svg.bytes().map(byte).collect::<String>())
}

fn opinions(against: &[Opinion]) -> Markup {
    html! {
        @if !against.is_empty() {
            ul { @for opinion in against { li { (opinion.target) " says " strong { (opinion.answer) } } } }
        }
    }
}

fn versions(timeline: &Timeline) -> Markup {
    html! {
        h4 { "Versions" }
        p { (capital(&timeline.story())) "." }
        ul.trials {
            @for entry in &timeline.entries {
                @let reading = entry.reading.name();
                li.{ "trial-" (reading) } title=(entry.detail) { (entry.version) " " (reading) }
            }
        }
    }
}

fn code(text: &str) -> Markup {
    coloured(text, highlight)
}

/// A subject, coloured by its language.
fn subject(kind: Kind, text: &str) -> Markup {
    match profile(kind).language {
        Language::Smt2 | Language::Plain => coloured(text, highlight),
        Language::C => coloured(text, highlight_c),
    }
}

fn coloured(text: &str, colours: fn(&str) -> Markup) -> Markup {
    let text = text.trim_end();
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
    html! {
        div.copied {
            pre tabindex="0" { code { (colours(&text[..end])) @if end < text.len() { "\n…" } } }
            button.copy type="button" hidden { "Copy" }
        }
    }
}

fn members(cluster: &Cluster) -> Markup {
    let more = cluster.count().saturating_sub(LISTED) as u64;
    html! {
        h4 { "Findings of this cluster" }
        ol.members {
            @for member in cluster.members.iter().take(LISTED) {
                li {
                    code { (excerpt(&member.assertions, 160)) }
                    " " span.dim { (member.case) " · " (member.stability.name()) }
                }
            }
        }
        p {
            @if more > 0 { "And " (more) " more. " }
            button.members type="button" data-cluster=(cluster.id) hidden { "Show them in the table of cases" }
        }
    }
}
