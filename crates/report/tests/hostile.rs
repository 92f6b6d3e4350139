//! A tool that prints what terminals, pages and trackers would obey: no format lets it through.

mod stage;

use assay_case::{Answer, Selection, TestCase};
use assay_report::{Issue, html, issue, json, junit, markdown, sarif};
use std::time::Duration;

/// Escape sequences, a lone CR, a backspace, marks of direction, NUL, what became of bytes that are
/// not UTF-8, the end of a fence, mark-up of HTML, XML and tables.
const HOSTILE: &str = "unsat\n\u{1b}[31mred\u{1b}]0;title\u{7}\rover\u{8}\u{9b}2J\u{202e}rtl\u{2066}\0\
    \u{fffd}\u{85}\u{2028}\u{feff}\n```\n````\n# title | cell\n<script>alert(1)</script>]]>&amp;|\n";

fn hostile(case: &TestCase) -> Result<(Answer, String, Duration), String> {
    match case.name().ends_with('1') {
        true => Ok((Answer::Unsat, HOSTILE.to_owned(), Duration::from_millis(1))),
        false => Err(HOSTILE.to_owned()),
    }
}

/// Whether a character does something instead of being seen.
fn is_obeyed(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{feff}')
}

#[test]
fn every_format_escapes_hostile_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let suite = assay_forge::suite("ints", &assay_forge::SuiteOptions::default()).expect("a suite");
    let mut header = stage::header("ints\u{1b}[1m");
    header.choice.categories.push("a\u{202e}\nb".into());
    let selection = Selection { limit: Some(40), ..Selection::default() };
    stage::play(folder.path(), &header, &*suite, selection, &[("evil@1", HOSTILE, &hostile)]);
    let report = stage::report(folder.path());
    assert!(!report.dossiers.is_empty(), "it is found to be wrong");
    let mut texts = vec![
        ("markdown", markdown(&report)),
        ("html", html(&report)),
        ("json", json(&report)),
        ("junit", junit(&report)),
        ("sarif", sarif(&report)),
    ];
    for (path, dossier) in &report.dossiers {
        let about = Issue { dossier, reported: Some(HOSTILE), obtained: None, timeline: None };
        texts.push(("issue", issue(&about)));
        let readme = std::fs::read_to_string(folder.path().join(path).join("README.txt"));
        texts.push(("README", readme.expect("a README")));
    }
    for (format, text) in &texts {
        let obeyed = text.chars().find(|c| is_obeyed(*c));
        assert_eq!(obeyed, None, "{format}");
    }
    let text = |format: &str| &texts.iter().find(|(name, _)| *name == format).expect(format).1;
    for format in ["json", "sarif"] {
        serde_json::from_str::<serde_json::Value>(text(format)).expect("it is JSON");
    }
    roxmltree::Document::parse(text("junit")).expect("it is XML");
    assert!(!text("html").contains("<script>alert"));
    // Whatever the tool says is inside of a fence that it does not end.
    for format in ["markdown", "issue"] {
        assert!(text(format).contains("\n`````\nunsat\n\\u001b[31mred"), "{format}");
    }
}
