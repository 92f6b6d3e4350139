//! The campaign as JUnit XML, for continuous integration.
//!
//! Findings are failures, and those that rest on a declared truth have a type of their own
//! (`declared-wrong-unsat`). A target's error that is not a finding is an error. Undecided cases
//! count as skipped, because they neither passed nor failed.

use crate::data::{Report, finding};
use crate::words::shell;
use assay_campaign::shown;
use assay_campaign::{Dossier, Outcome, Shows, Stored};
use assay_case::Grade;
use std::fmt::Write;

/// The number of test cases of each sort.
#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    seconds: f64,
}

/// The meaning of a result in JUnit.
enum Sort {
    Passed,
    Failure(&'static str, Grade),
    Error(&'static str),
    Skipped(&'static str),
}

fn sort(row: &Stored) -> Sort {
    if row.shows == Shows::Contradiction {
        return Sort::Error("oracle-contradicted");
    }
    if let (Some(kind), Shows::Finding(_, grade, _)) = (finding(row), row.shows) {
        return Sort::Failure(kind.name(), grade);
    }
    if row.shows == Shows::Waiting {
        return Sort::Skipped("waiting");
    }
    if row.shows == Shows::Doubt {
        return Sort::Skipped("inconclusive");
    }
    match row.outcome {
        Outcome::Error => Sort::Error("error"),
        Outcome::Rejected => Sort::Error("rejected"),
        Outcome::Skipped => Sort::Skipped("skipped"),
        Outcome::Unknown => Sort::Skipped("unknown"),
        Outcome::Timeout => Sort::Skipped("timeout"),
        _ => Sort::Passed,
    }
}

impl Counts {
    fn of<'r>(rows: impl Iterator<Item = &'r Stored>) -> Counts {
        let mut counts = Counts::default();
        for row in rows {
            counts.tests += 1;
            counts.seconds += row.elapsed.as_secs_f64();
            match sort(row) {
                Sort::Passed => {}
                Sort::Failure(..) => counts.failures += 1,
                Sort::Error(_) => counts.errors += 1,
                Sort::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }

    fn attributes(&self) -> String {
        let Counts { tests, failures, errors, skipped, seconds } = self;
        format!(
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" \
             time=\"{seconds:.3}\""
        )
    }
}

/// One test suite for each target, one test case for each case.
#[must_use]
pub fn junit(report: &Report) -> String {
    let name = escaped(&report.title());
    let all = Counts::of(report.rows.iter()).attributes();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"{name}\" {all}>");
    for (at, target) in report.targets.iter().enumerate() {
        let rows = || report.rows.iter().filter(|row| row.target == at);
        let counts = Counts::of(rows()).attributes();
        let _ = writeln!(out, "  <testsuite name=\"{}\" {counts}>", escaped(&target.name));
        let graded = |grade: Grade| {
            let own = |row: &&Stored| matches!(sort(row), Sort::Failure(_, of) if of == grade);
            rows().filter(own).count().to_string()
        };
        let properties = [
            ("reported-version", target.reported.clone()),
            ("command", report.command()),
            ("certified-findings", graded(Grade::Certified)),
            ("declared-findings", graded(Grade::Declared)),
        ];
        out.push_str("    <properties>\n");
        for (name, value) in properties {
            let value = escaped(&value);
            let _ = writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>");
        }
        out.push_str("    </properties>\n");
        rows().for_each(|row| case(report, row, &mut out));
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(report: &Report, row: &Stored, out: &mut String) {
    let category = report.category(row).map_or("", |category| category.name.as_str());
    let class = escaped(&format!("{}.{category}", report.header.suite));
    let name = escaped(&report.case_name(row));
    let seconds = row.elapsed.as_secs_f64();
    let begin =
        format!("    <testcase classname=\"{class}\" name=\"{name}\" time=\"{seconds:.3}\"");
    let words = escaped(row.detail.as_deref().unwrap_or_default());
    let _ = match sort(row) {
        Sort::Passed => writeln!(out, "{begin}/>"),
        Sort::Skipped(kind) => {
            writeln!(out, "{begin}><skipped message=\"{}\"/></testcase>", reason(kind, &words))
        }
        Sort::Error(kind) => {
            writeln!(out, "{begin}><error type=\"{kind}\" message=\"{words}\"/></testcase>")
        }
        Sort::Failure(kind, grade) => {
            let kind = match grade {
                Grade::Certified => kind.to_owned(),
                Grade::Declared => format!("declared-{kind}"),
            };
            let text = escaped(&failure(report, row));
            writeln!(
                out,
                "{begin}><failure type=\"{kind}\" message=\"{kind}: {words}\">{text}</failure></testcase>"
            )
        }
    };
}

fn reason(kind: &str, words: &str) -> String {
    if words.is_empty() { kind.to_owned() } else { format!("{kind}: {words}") }
}

/// The text that a failing build should show.
fn failure(report: &Report, row: &Stored) -> String {
    let target = &report.targets[row.target].name;
    let folder = report.folder(row);
    let mut text = String::new();
    if let Some(dossier) = report.dossiers.get(&folder) {
        let best = dossier.smallest();
        let record = &best.record;
        let _ = writeln!(text, "expected {}: {}", record.expected.name(), record.why);
        let _ = writeln!(text, "{target} answered {}: {}", record.answer, record.evidence);
        let _ = writeln!(text, "\n{}\n", best.case.trim_end());
    }
    let place = folder.display().to_string();
    let _ = writeln!(text, "{}", report.header.replay(&place));
    if let Some(by_hand) = report.dossiers.get(&folder).and_then(Dossier::by_hand) {
        let _ = writeln!(text, "\ncd {}", shell(&place));
        by_hand.lines().for_each(|line| text.extend([line, "\n"]));
    }
    text
}

/// A text escaped for attributes and contents.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in shown(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_has_no_other_characters_than_it_allows() {
        assert_eq!(
            escaped("<a b=\"é\">&\u{0}\u{1b}[0m\n\u{ffff}"),
            "&lt;a b=&quot;é&quot;&gt;&amp;\\u0000\\u001b[0m&#10;\\uffff"
        );
    }
}
