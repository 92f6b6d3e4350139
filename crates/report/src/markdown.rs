//! The campaign as Markdown: for a tracker, an e-mail or a terminal.

use crate::data::{Report, describe, said_more};
use crate::page::exhibit;
use crate::words::{capital, counted, excerpt, shell, thousands, time};
use assay_campaign::cluster::{Cluster, Member};
use assay_campaign::kind::profile;
use assay_campaign::shown;
use assay_campaign::{Cell, Dossier, FindingRecord};
use assay_case::Grade;
use std::fmt::Write;
use std::time::Duration;

/// The maximum number of listed findings of a cluster.
const LISTED: usize = 5;

/// The campaign: summary, table, clusters.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut out = format!("# {}\n\n", plain(&report.title()));
    summary(report, &mut out);
    table(report, &mut out);
    reasons("Inconclusive answers", report, &report.doubts, &mut out);
    reasons("Errors other than crashes", report, &report.errors, &mut out);
    reasons("Rejected cases", report, &report.rejections, &mut out);
    reasons("Why cases were not run", report, &report.skips, &mut out);
    out.push_str("\n## Findings\n");
    if report.clusters.is_empty() {
        out.push_str("\nNone.\n");
    }
    for cluster in &report.clusters {
        section(report, cluster, &mut out);
    }
    shown(&out)
}

fn summary(report: &Report, out: &mut String) {
    let header = &report.header;
    let whole: Duration = report.rows.iter().map(|row| row.elapsed).sum();
    let contradicted = report.summary.contradicted();
    if contradicted > 0 {
        let count = counted(contradicted, "result");
        let _ =
            writeln!(out, "**{count} show that an expected answer is wrong: a bug in assay.**\n");
    }
    for target in &report.targets {
        let _ = writeln!(out, "- target: {} ({})", plain(&target.name), plain(&target.reported));
    }
    let (limit, memory) = (time(header.limits.timeout.0), header.limits.memory);
    let _ = writeln!(out, "- limits: {limit}, {memory}");
    let cases = counted(report.cases(), "case");
    let _ = writeln!(out, "- {cases}, {} of the targets’ time", time(whole));
    if !report.spent.total().is_zero() {
        let _ = writeln!(
            out,
            "- {} of the workers’ time: {}",
            time(report.spent.total()),
            report.spent
        );
    }
    let _ = writeln!(out, "- again: `{}`", report.command());
}

fn table(report: &Report, out: &mut String) {
    let summary = &report.summary;
    out.push_str("\n## Answers\n");
    for (at, (target, total)) in summary.targets.iter().zip(summary.totals()).enumerate() {
        let kind = report.summary.kind;
        let (columns, extras) = (total.columns(kind), total.extras());
        let mut headings: Vec<&str> = columns.iter().map(|outcome| outcome.heading(kind)).collect();
        headings.extend(extras.iter().map(|column| column.heading()));
        let _ = writeln!(out, "\n{}\n", plain(target));
        let _ = writeln!(out, "| expect | category | tests | {} |", headings.join(" | "));
        let _ = writeln!(out, "|---|---|--:|{}", "--:|".repeat(headings.len()));
        let mut line = |expected: &str, category: &str, cell: &Cell| {
            let outcomes = columns.iter().map(|column| cell.count(*column));
            let counts = outcomes.chain(extras.iter().map(|column| cell.extra(*column)));
            let counts: Vec<String> = counts.map(count).collect();
            let (category, total, counts) =
                (plain(category), count(cell.total()), counts.join(" | "));
            let _ = writeln!(out, "| {expected} | {category} | {total} | {counts} |");
        };
        for row in &summary.rows {
            line(row.expected.name(), &row.category, &row.cells[at]);
        }
        if summary.rows.len() > 1 {
            line("", "all", &total);
        }
    }
    let _ = writeln!(out, "\n{}", summary.legend());
    for (at, target) in summary.targets.iter().enumerate() {
        let rules = summary.steps.of(at);
        if rules.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\nSteps of the proofs of {}, by rule\n", plain(target));
        out.push_str(
            "| rule | steps | checked | attacked | assignments | skipped | refuted | trusted |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for (rule, steps) in rules {
            let counts = [
                steps.steps(),
                steps.checked,
                steps.attacked,
                steps.assignments,
                steps.skipped,
                steps.refuted,
                steps.trusted,
            ];
            let counts = counts.map(count).join(" | ");
            let _ = writeln!(out, "| {} | {counts} |", plain(rule));
        }
    }
}

fn count(count: u64) -> String {
    if count == 0 { "·".to_owned() } else { thousands(count) }
}

fn reasons(title: &str, report: &Report, reasons: &[(usize, String, u64)], out: &mut String) {
    if reasons.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}:\n");
    for (target, words, count) in reasons {
        let target = plain(&report.targets[*target].name);
        let _ = writeln!(out, "- {} × {}: {}", thousands(*count), target, plain(words));
    }
}

fn section(report: &Report, cluster: &Cluster, out: &mut String) {
    let count = counted(cluster.count() as u64, "finding");
    let (kind, grade) = (cluster.kind.name(), cluster.grade.name());
    let _ = writeln!(out, "\n### {kind} ({grade}): {}\n", plain(&cluster.sentence));
    let _ = writeln!(out, "{count} of {}. {}.", plain(&cluster.target), describe(cluster.kind));
    if let Some(known) = &cluster.known {
        let link = known.link.as_ref().map_or(String::new(), |link| format!(" <{link}>"));
        let _ = writeln!(out, "Known as {}: {}{link}.", known.id, plain(&known.title));
    }
    for (name, words) in [
        ("Operators", &cluster.operators),
        ("Arguments", &cluster.arguments),
        ("Rules", &cluster.rules),
    ] {
        if !words.is_empty() {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            let _ = writeln!(out, "{name}: {}.", words.join(", "));
        }
    }
    if let Some((member, dossier)) = exhibit(report, cluster) {
        case(report, member, dossier, out);
    }
    out.push('\n');
    for member in cluster.members.iter().take(LISTED) {
        let folder = member.folder.display();
        let words = excerpt(&member.assertions, 100).replace('`', "'");
        let _ = writeln!(out, "- `{words}` ({folder})");
    }
    if cluster.count() > LISTED {
        let _ = writeln!(out, "- and {} more", cluster.count() - LISTED);
    }
}

fn case(report: &Report, member: &Member, dossier: &Dossier, out: &mut String) {
    let best = dossier.smallest();
    let record = &best.record;
    out.push('\n');
    out.push_str(&fenced(language(record), &best.case));
    if let Some(truth) = record.truth() {
        let grade = record.grade.map_or("", Grade::name);
        let _ = writeln!(out, "\n{}. {}.", plain(&truth), capital(grade));
    }
    let _ = write!(out, "The answer was {}", plain(&record.answer));
    if !record.answer.contains(&record.evidence) {
        let _ = write!(out, "; {}", plain(&record.evidence));
    }
    let _ = writeln!(out, " ({}).", record.stability.name());
    if let Some(runs) = record.runs() {
        let _ = writeln!(out, "{}.", plain(&runs));
    }
    if let Some(inputs) = &best.inputs {
        out.push_str("\nThe inputs that reach it (witness.c):\n\n");
        out.push_str(&fenced("c", inputs));
    }
    if let Some(witness) = &best.witness {
        out.push_str("\nA model that satisfies it:\n\n");
        out.push_str(&fenced("smt2", witness));
    }
    if said_more(best) {
        let _ = write!(out, "\n{}:\n\n", output_title(record));
        out.push_str(&fenced("", &best.stdout));
    }
    let folder = report.folder_of_smallest(member).display().to_string();
    out.push_str("\nTo reproduce, in the campaign’s folder:\n\n");
    out.push_str(&fenced("sh", &report.header.replay(&folder)));
    if let Some(by_hand) = &record.by_hand {
        let mut lines = format!("cd {}\n", shell(&folder));
        lines.extend(by_hand.lines().map(|line| format!("{line}\n")));
        let words = capital(record.otherwise());
        let _ = write!(out, "\n{words}:\n\n{}", fenced("sh", &lines));
    }
    if let Some(timeline) = report.timelines.get(&member.folder) {
        let _ = writeln!(out, "\nVersions: {}.", timeline.story());
    }
}

/// The language of a finding's case.
pub(crate) fn language(record: &FindingRecord) -> &'static str {
    profile(record.subject).language.name()
}

/// A caption for standard output.
pub(crate) fn output_title(record: &FindingRecord) -> &'static str {
    profile(record.subject).output
}

/// A text in a fence that it cannot close.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", shown(text).trim_end())
}

/// A text on one line in which only pairs of single backticks act as Markdown.
pub(crate) fn plain(text: &str) -> String {
    let pairs = text.matches('`').count() % 2 == 0 && !text.contains("``");
    let mut out = String::new();
    let mut code = false;
    for c in shown(text).chars() {
        match c {
            '\n' => out.push(' '),
            '`' if pairs => {
                code = !code;
                out.push(c);
            }
            // A bar ends a table cell even in code.
            c if code && c != '|' => out.push(c),
            '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '`' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_for_markdown() {
        assert_eq!(plain("a|b <i> [x](y)\n*z*"), "a\\|b \\<i\\> \\[x\\](y) \\*z\\*");
        assert_eq!(plain("`a*b` *"), "`a*b` \\*");
        assert_eq!(plain("`<script>"), "\\`\\<script\\>");
        assert_eq!(plain("``<i>``"), "\\`\\`\\<i\\>\\`\\`");
        assert_eq!(plain("`a|b`"), "`a\\|b`");
        assert_eq!(fenced("smt2", "(a)\n"), "```smt2\n(a)\n```\n");
        assert_eq!(fenced("", "x ```` y"), "`````\nx ```` y\n`````\n");
    }
}
