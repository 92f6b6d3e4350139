//! A finding as the text of a bug report, in the form that developers of solvers request.

use crate::data::describe;
use crate::markdown::{fenced, language};
use crate::words::capital;
use assay_campaign::bisect::Timeline;
use assay_campaign::kind::{Language, profile};
use assay_campaign::shown;
use assay_campaign::{Dossier, FindingRecord, Stability};
use assay_case::{Expected, FindingKind};
use assay_smtlib::{Piece, pieces};
use assay_term::Op;
use assay_term::theories::Theory;
use std::fmt::Write;

/// The available information about a finding and its target.
#[derive(Clone, Copy, Debug)]
pub struct Issue<'i> {
    /// The finding's folder.
    pub dossier: &'i Dossier,
    /// The version that the target reports.
    pub reported: Option<&'i str>,
    /// The source of the target: `the Python wheel z3-solver`.
    pub obtained: Option<&'i str>,
    /// The versions that show it, if it was bisected.
    pub timeline: Option<&'i Timeline>,
}

/// The text of the report, starting with its title.
#[must_use]
pub fn issue(about: &Issue<'_>) -> String {
    let best = about.dossier.smallest();
    let Dossier { record, input: text, .. } = best;
    let mut out = format!("# {}\n\n", title(record, text));
    out.push_str(&introduction(about));
    let _ = write!(out, "\n## Input\n\n{}", fenced(language(record), text));
    out.push_str(&reproduction(best));
    if !record.options.is_empty() {
        let _ = writeln!(out, "\nOptions besides the usual ones: `{}`.", record.options.join(" "));
    }
    let _ = write!(out, "\n## Expected\n\n{}", expected(record));
    let _ = write!(out, "\n## Actual\n\n{}", actual(best));
    let _ = write!(out, "\n## Why the expected answer is right\n\n{}", why(best));
    out.push_str(&mutations(about.dossier));
    if let Some(timeline) = about.timeline {
        let _ = write!(out, "\n## Versions\n\n{}", versions(timeline));
    }
    let _ = writeln!(out, "\nFound by assay {}.", record.campaign.assay);
    shown(&out)
}

/// The seed and the mutations of a mutant; only the necessary ones if it was reduced.
fn mutations(dossier: &Dossier) -> String {
    let record = &dossier.smallest().record;
    let Some((seed, others)) = record.seeds.split_first().filter(|_| !record.trace.is_empty())
    else {
        return String::new();
    };
    let seeds: String = others.iter().map(|other| format!(" and `{other}`")).collect();
    let steps: String = record.trace.iter().map(|step| format!("{step}\n")).collect();
    let words = match dossier.reduced.is_some() {
        true => format!(
            "The input was reduced from a mutant of `{seed}`{seeds}. These mutations suffice:"
        ),
        false => format!("The input is a mutant of `{seed}`{seeds}, made by these mutations:"),
    };
    let seed = match &dossier.smallest().seed {
        Some(text) if text.len() <= SHOWN => {
            format!("\nThey are applied to this formula:\n\n{}", fenced("smt2", text))
        }
        _ => String::new(),
    };
    format!("\n## Mutations\n\n{words}\n\n{}{seed}", fenced("", &steps))
}

/// Larger seeds, in bytes, are left out of a report.
const SHOWN: usize = 8192;
/// The tool and its version from a target's full name.
fn tool(target: &str) -> (String, Option<&str>) {
    let (rest, variant) = match target.rsplit_once(':') {
        Some((rest, variant)) if !variant.contains('/') => (rest, Some(variant)),
        _ => (target, None),
    };
    (rest.replacen('@', " ", 1), variant)
}

fn title(record: &FindingRecord, text: &str) -> String {
    let (tool, _) = tool(&record.target);
    let what = record.kind.finding().map_or("misbehaves", FindingKind::phrase);
    if let Some(law) = &record.law {
        return format!("{tool} {what} ({law})");
    }
    let operators = match profile(record.subject).language {
        Language::Smt2 => operators(text),
        Language::C | Language::Plain => Vec::new(),
    };
    match operators.join(", ") {
        names if names.is_empty() => format!("{tool} {what}"),
        names => format!("{tool} {what} ({names})"),
    }
}

/// The characteristic operators in a text, in order.
fn operators(text: &str) -> Vec<&str> {
    const NAMED: usize = 4;
    let mut names: Vec<&str> = Vec::new();
    for (piece, range) in pieces(text) {
        let name = &text[range];
        let telling = || Op::by_name(name).is_some_and(|op| op.theory() != Theory::Core);
        if piece == Piece::Symbol && !names.contains(&name) && telling() {
            names.push(name);
        }
    }
    names.truncate(NAMED);
    names
}

fn introduction(about: &Issue<'_>) -> String {
    let record = &about.dossier.smallest().record;
    let (tool, variant) = tool(&record.target);
    let mut out = String::new();
    if let Some(kind) = record.kind.finding() {
        let _ = writeln!(out, "{}.\n", describe(kind));
    }
    let _ = write!(out, "- Version: {tool}");
    if let Some(reported) = about.reported {
        let _ = write!(out, " (`{reported}`)");
    }
    if let Some(obtained) = about.obtained {
        let _ = write!(out, ", from {obtained}");
    }
    out.push('\n');
    if let Some(variant) = variant {
        let _ = writeln!(out, "- Variant: {variant}");
    }
    let shown = match record.stability {
        Stability::Confirmed => "every time",
        Stability::Unstable => "not every time",
        Stability::SessionOnly | Stability::Single => "see below",
    };
    let _ = writeln!(out, "- Shown: {shown}");
    out
}

/// The steps to reproduce it: how users install the tool, and the commands to type.
fn reproduction(dossier: &Dossier) -> String {
    let record = &dossier.record;
    let Some(by_hand) = &record.by_hand else { return String::new() };
    let file = record.input_file();
    let mut out = format!("\n## Steps to reproduce\n\nSave the input as `{file}`");
    match &by_hand.script {
        Some(script) => {
            let text = fenced("python", &script.text);
            let _ = write!(out, ", this script as `{}`:\n\n{text}\nThen run:\n\n", script.file);
        }
        None => out.push_str(", then run:\n\n"),
    }
    let lines: Vec<&str> = by_hand.lines().collect();
    out + &fenced("sh", &lines.join("\n"))
}

fn expected(record: &FindingRecord) -> String {
    let expected = record.expected.name();
    match (record.kind.finding(), record.expected) {
        (Some(FindingKind::InvalidModel), _) => {
            "`sat`, with a model that satisfies every assertion.\n".to_owned()
        }
        (Some(FindingKind::Crash), Expected::Law) => "No crash.\n".to_owned(),
        (Some(FindingKind::Crash), _) => format!("`{expected}`, and no crash.\n"),
        (Some(FindingKind::Disagreement), _) => "One of the two answers is wrong.\n".to_owned(),
        (_, Expected::Law | Expected::Equal) => format!("{}.\n", capital(&record.why)),
        (_, Expected::Open) => "The right answer is not known.\n".to_owned(),
        _ => match &record.core {
            Some(core) => format!("`{expected}`, with the core `({})`.\n", core.join(" ")),
            None => format!("`{expected}`\n"),
        },
    }
}

fn actual(dossier: &Dossier) -> String {
    let record = &dossier.record;
    let mut out = String::new();
    for text in [&dossier.stdout, &dossier.stderr] {
        if !text.trim().is_empty() {
            out.push_str(&fenced("", text));
        }
    }
    if out.is_empty() {
        out = format!("{}\n", record.answer);
    }
    let _ = writeln!(out, "\n{}.", capital(&record.evidence));
    for opinion in &record.against {
        let _ = writeln!(out, "{} says {}.", opinion.target, opinion.answer);
    }
    out
}

/// How it is known that a program reaches its error. Reduced programs are always executed.
fn reached(ran: bool) -> &'static str {
    match ran {
        true => "a run of the program, compiled with gcc, reaches it on these inputs",
        false => "an interpreter of C, but no run of the program, reaches it on these inputs",
    }
}

fn why(dossier: &Dossier) -> String {
    let record = &dossier.record;
    match (record.expected, &dossier.witness) {
        (Expected::Reachable, _) => {
            let inputs = dossier.inputs.as_deref().unwrap_or_default();
            let how = reached(record.reduced || record.campaign.executions() > 0);
            format!("The error can be reached: {how}:\n\n{}", fenced("c", inputs))
        }
        (_, Some(witness)) => {
            let checked = "This model satisfies every assertion, as an independent evaluator found";
            format!("{checked}:\n\n{}", fenced("smt2", witness))
        }
        (Expected::Open, None) => "It is not known which answer is right.\n".to_owned(),
        (_, None) => format!("{}.\n", capital(&record.why)),
    }
}

fn versions(timeline: &Timeline) -> String {
    let mut out = format!("{}.\n\n", capital(&timeline.story()));
    for entry in &timeline.entries {
        let _ = writeln!(out, "- {}: {}", entry.version, entry.reading.name());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_mention_only_runs_that_were_made() {
        assert!(reached(true).starts_with("a run of the program, compiled with gcc, reaches it"));
        assert!(reached(false).contains("no run of the program"));
    }

    #[test]
    fn titles_name_the_operators_and_the_tool() {
        let text = "(declare-const s String)(assert (and (= s (str.replace \"\" s \"a\")) (= s (str.++ s s))))";
        assert_eq!(operators(text), ["str.replace", "str.++"]);
        assert_eq!(tool("z3@4.8.5.0:z3str3"), ("z3 4.8.5.0".into(), Some("z3str3")));
        assert_eq!(tool("z3@/opt/z3:4/bin"), ("z3 /opt/z3:4/bin".into(), None));
    }
}
