//! A campaign of 10,000 cases of a real suite. The browser test opens the report on it: with
//! `ASSAY_CAMPAIGN` the campaign stays in that folder.

mod stage;

use assay_case::{Answer, CrashSignature, Death, Oracle, Selection, TestCase};
use assay_forge::SuiteOptions;
use std::path::PathBuf;
use std::time::Duration;

/// A number that looks random and is the same every time.
fn draw(case: &TestCase, of: u64) -> u64 {
    let formula = case.as_formula().expect("a formula").formula();
    let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (formula.text().bytes().fold(0xcbf2_9ce4_8422_2325, mix) >> 17) % of
}

/// Times from a millisecond to two seconds, most of them short.
fn time(case: &TestCase) -> Duration {
    let share = draw(case, 1 << 20) as f64 / f64::from(1 << 20);
    Duration::from_secs_f64(0.001 * 2000f64.powf(share.powi(3)))
}

fn right(case: &TestCase) -> Answer {
    match case.as_formula().expect("a formula").oracle() {
        Oracle::Unsat { .. } => Answer::Unsat,
        Oracle::Sat(_) | Oracle::Optimum { .. } => Answer::Sat,
        Oracle::Open => Answer::Unknown(None),
    }
}

fn opposite(answer: &Answer) -> Answer {
    if *answer == Answer::Sat { Answer::Unsat } else { Answer::Sat }
}

/// A tool with bugs of its own: two operators that it mostly gets right, one that it dies of.
fn old(case: &TestCase) -> Result<(Answer, String, Duration), String> {
    let formula = case.as_formula().expect("a formula").formula();
    let (text, right) = (formula.text(), right(case));
    let answer = match draw(case, 256) {
        0..24 if text.contains("str.replace") => opposite(&right),
        0..12 if text.contains("str.substr") => opposite(&right),
        0..9 if text.contains("str.indexof") => Answer::Crash(CrashSignature::new(
            Death::Signal(11),
            "ASSERTION VIOLATION\nFile: ../src/smt/theory_seq.cpp\nLine: 12",
            "",
        )),
        200..216 => Answer::Unknown(Some("incomplete".into())),
        216..221 => return Ok((Answer::Timeout, String::new(), Duration::from_secs(2))),
        221..223 => return Err("no `str.from_code` here".into()),
        _ => right,
    };
    let stdout = format!("{}\n", answer.name());
    Ok((answer, stdout, time(case)))
}

#[test]
fn the_page_of_ten_thousand_cases_is_small() {
    let temporary = tempfile::tempdir().expect("a folder");
    let kept = std::env::var_os("ASSAY_CAMPAIGN").map(PathBuf::from);
    let folder = kept.unwrap_or_else(|| temporary.path().join("campaign"));
    let suite = assay_forge::suite("strings", &SuiteOptions::default()).expect("a suite");
    // Categories whose cases are quick to make.
    let categories = ["constant-assignment", "term-synthesis", "redundancy", "larger-core"];
    let categories = categories.map(str::to_owned).to_vec();
    let selection = Selection { categories, sample: Some(10_000), ..Selection::default() };
    let mut header = stage::header("strings");
    (header.choice.categories, header.choice.sample) =
        (selection.categories.clone(), selection.sample);
    stage::play(&folder, &header, &*suite, selection, &[("actor@1.0", "Actor 1.0", &old)]);
    let report = stage::report(&folder);
    assert_eq!(report.rows.len(), 10_000);
    assert!(report.clusters.len() >= 3, "{}", report.clusters.len());
    let page = assay_report::html(&report);
    assert!(page.len() < 5_000_000, "{}", page.len());
    assert!(!page.contains("http://") && !page.contains("src="), "nothing is fetched");
}
