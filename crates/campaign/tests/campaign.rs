//! Campaigns over a suite and targets that exist only here.

mod puppets;

use assay_campaign::{
    FindingRecord, Outcome, Results, Stability, Stop, StoreError, TargetRecord, Verdict,
};
use assay_case::{
    Answer, CaseId, Category, Fault, FindingKind, MakeError, Origin, Selection, Suite, TestCase,
};
use assay_target::spec::Level;
use assay_target::{HarnessError, Mode};
use puppets::{Behaviour, Numbers, Played, folder, header, play_suite, record};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn targets() -> Vec<TargetRecord> {
    vec![record("puppet@1")]
}

/// Runs a campaign over the first `size` numbers in a folder, anew or going on.
fn play(folder: &Path, size: u128, resume: bool, behaviour: &Behaviour<'_>) -> Played {
    let puppets = [("puppet@1", behaviour)];
    play_suite(folder, &Numbers(size), resume, &AtomicBool::new(false), &puppets)
}

#[test]
fn right_answers_are_counted_and_leave_no_folder() {
    let folder = folder();
    let played = play(folder.path(), 1000, false, &|_, _| Ok(Answer::Sat));
    assert_eq!(played.stop, Ok(Stop::Finished));
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!(
        (total.count(Outcome::Sat), total.total(), total.certified.soundness),
        (1000, 1000, 0)
    );
    assert_eq!(played.summary.rows.len(), 1, "groups of a category are one row");
    assert!(!played.summary.has_findings());
    assert!(!folder.path().join("findings").exists());
}

#[test]
fn a_wrong_answer_that_repeats_is_a_finding_with_a_folder() {
    let folder = folder();
    let wrong = |n, _| Ok(if n == 7 { Answer::Unsat } else { Answer::Sat });
    let played = play(folder.path(), 20, false, &wrong);
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.certified.soundness, total.count(Outcome::Unsat)), (1, 1));
    let verdict = played.verdict(7, 0);
    let Verdict::Ran { stability, folder: Some(path), .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!(*stability, Stability::Confirmed);
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect(name);
    let record: FindingRecord = serde_json::from_str(&read("finding.json")).expect("a record");
    assert_eq!((record.kind.name(), record.id.as_str()), ("wrong-unsat", "1.7"));
    assert_eq!(
        (record.expected.name(), record.grade.map_or("", assay_case::Grade::name)),
        ("sat", "certified")
    );
    assert!(read("witness.smt2").contains("(define-fun x () Int 7)"));
    assert!(
        read("README.txt").contains("  assay replay .\nor without assay:\n  puppet input.smt2\n")
    );
    for name in ["case.smt2", "input.smt2", "stdout.txt", "stderr.txt"] {
        read(name);
    }
}

#[test]
fn fresh_processes_overrule_a_session() {
    let folder = folder();
    let leaky =
        |n, mode| Ok(if n == 3 && mode == Mode::Session { Answer::Unsat } else { Answer::Sat });
    let played = play(folder.path(), 5, false, &leaky);
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.count(Outcome::Sat), total.certified.soundness), (5, 0));
    let verdict = played.verdict(3, 0);
    let Verdict::Ran { stability, folder, .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!(*stability, Stability::SessionOnly);
    let readme = folder.as_ref().expect("it is worth a look").join("README.txt");
    let words = std::fs::read_to_string(readme).expect("what happened");
    assert!(words.contains("fresh runs are right; only a session showed wrong-unsat"), "{words}");
}

#[test]
fn an_answer_that_changes_is_reported_as_unstable() {
    let folder = folder();
    let turns = AtomicU64::new(0);
    let fickle = move |_, _| {
        let turn = turns.fetch_add(1, Ordering::Relaxed);
        Ok(if turn % 2 == 0 { Answer::Unsat } else { Answer::Sat })
    };
    let played = play(folder.path(), 1, false, &fickle);
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.certified.soundness, total.certified.unstable), (0, 1));
    assert!(played.summary.has_findings());
}

#[test]
fn timeouts_and_unknowns_are_counted_but_not_repeated() {
    let folder = folder();
    let runs = AtomicU64::new(0);
    let slow = |n, _| {
        runs.fetch_add(1, Ordering::Relaxed);
        Ok(if n % 2 == 0 { Answer::Timeout } else { Answer::Unknown(None) })
    };
    let played = play(folder.path(), 10, false, &slow);
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.count(Outcome::Timeout), total.count(Outcome::Unknown)), (5, 5));
    assert_eq!(runs.load(Ordering::Relaxed), 10);
    assert!(!played.summary.has_findings());
}

#[test]
fn skipped_cases_have_their_own_count() {
    let folder = folder();
    let picky = |n, _| Ok(if n < 4 { Answer::Garbled("skip".into()) } else { Answer::Sat });
    let played = play(folder.path(), 10, false, &picky);
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.count(Outcome::Skipped), total.count(Outcome::Sat)), (4, 6));
}

/// Numbers made from seeds, of which some do not lend themselves to it.
struct Seeded;

impl Suite for Seeded {
    fn name(&self) -> &str {
        "numbers"
    }

    fn categories(&self) -> Vec<Category> {
        Numbers(9).categories()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut((0..9).map(|index| CaseId { category: 0, index }))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        if id.index % 3 == 2 {
            return Err(MakeError::Unsuitable("the seed has no literals".into()));
        }
        let case = Numbers(9).make(id)?;
        let formula = case.as_formula().expect("a formula").formula();
        let origin = Origin {
            seeds: vec!["dev/a.smt2".into(), "dev/b.smt2".into()],
            trace: vec!["replace 3 lt-le".into(), "inject 7".into()],
            ..case.origin().clone()
        };
        TestCase::formula(
            case.name(),
            formula.clone(),
            case.as_formula().expect("a formula").oracle().clone(),
            origin,
        )
        .map_err(MakeError::fault)
    }
}

#[test]
fn seeds_without_a_case_are_skipped_with_a_reason() {
    let folder = folder();
    let wrong = |n, _| Ok(if n == 7 { Answer::Unsat } else { Answer::Sat });
    let right = |_, _| Ok(Answer::Sat);
    let puppets: [(&str, &Behaviour<'_>); 2] = [("puppet@1", &wrong), ("puppet@2", &right)];
    let stop = AtomicBool::new(false);
    let played = play_suite(folder.path(), &Seeded, false, &stop, &puppets);
    assert_eq!(played.stop, Ok(Stop::Finished));
    for total in played.summary.totals() {
        assert_eq!((total.count(Outcome::Skipped), total.total()), (3, 9));
    }
    for (number, target) in [(2, 0), (8, 1)] {
        let verdict = played.verdict(number, target);
        let Verdict::Skipped(reason) = verdict else { panic!("{verdict:?}") };
        assert_eq!(reason, "the seed has no literals");
    }
    let results = Results::open(&folder.path().join("results.sqlite")).expect("the store");
    let reason = "the seed has no literals".to_owned();
    assert_eq!(results.skips().expect("reasons"), [(0, reason.clone(), 3), (1, reason, 3)]);
    // What was skipped is done.
    assert!(play_suite(folder.path(), &Seeded, true, &stop, &puppets).verdicts.is_empty());

    let Verdict::Ran { folder: Some(path), .. } = played.verdict(7, 0) else { panic!("a finding") };
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect(name);
    let record: FindingRecord = serde_json::from_str(&read("finding.json")).expect("a record");
    assert_eq!(record.seeds, ["dev/a.smt2", "dev/b.smt2"]);
    assert_eq!(record.trace, ["replace 3 lt-le", "inject 7"]);
    let words = "made from dev/a.smt2, dev/b.smt2 by\n  replace 3 lt-le\n  inject 7\n";
    assert!(read("README.txt").contains(words), "{}", read("README.txt"));
}

/// Six cases, made in a way of their own.
struct Made(fn(CaseId) -> Result<TestCase, MakeError>);

impl Suite for Made {
    fn name(&self) -> &str {
        "numbers"
    }

    fn categories(&self) -> Vec<Category> {
        Numbers(6).categories()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut((0..6).map(|index| CaseId { category: 0, index }))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        (self.0)(id)
    }
}

#[test]
fn a_case_that_cannot_be_made_is_stored_as_a_fault() {
    let stumbles = Made(|id| {
        let words = "it does not read back\nat all".to_owned();
        let files = vec![("program.c", b"int".to_vec())];
        if id.index == 4 {
            Err(MakeError::Fault(Fault { words, files }))
        } else {
            Numbers(6).make(id)
        }
    });
    let folder = folder();
    let right = |_, _| Ok(Answer::Sat);
    let puppets: [(&str, &Behaviour<'_>); 1] = [("puppet@1", &right)];
    let stop = AtomicBool::new(false);
    let played = play_suite(folder.path(), &stumbles, false, &stop, &puppets);
    assert_eq!(played.stop, Ok(Stop::Finished));
    assert_eq!((played.summary.contradicted(), played.summary.totals()[0].total()), (1, 6));
    let fault = played.verdicts.iter().find_map(|(_, _, verdict)| match verdict {
        Verdict::Fault { words, folder } => Some((words.as_str(), folder)),
        _ => None,
    });
    let path = folder.path().join("faults/000004");
    assert_eq!(fault, Some(("it does not read back\nat all", &path)));
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect(name);
    assert_eq!(read("program.c"), "int");
    let record: serde_json::Value = serde_json::from_str(&read("fault.json")).expect("a record");
    assert_eq!((&record["id"], &record["campaign"]["suite"]), (&"0.4".into(), &"numbers".into()));
    // It is done, and stays counted.
    let again = play_suite(folder.path(), &stumbles, true, &stop, &puppets);
    assert_eq!((again.verdicts.len(), again.summary.contradicted()), (0, 1));
}

#[test]
fn a_panic_is_a_fault_of_its_case_and_the_run_continues() {
    // The first target has answered when the second panics.
    let suite = Made(|id| match id.index {
        1 => panic!("no case {}", id.index),
        _ => Numbers(6).make(id),
    });
    let right = |_, _| Ok(Answer::Sat);
    let panics = |n, _| if n == 3 { panic!("attempt to divide by zero") } else { Ok(Answer::Sat) };
    let puppets: [(&str, &Behaviour<'_>); 2] = [("puppet@1", &right), ("puppet@2", &panics)];
    let folder = folder();
    let stop = AtomicBool::new(false);
    let played = play_suite(folder.path(), &suite, false, &stop, &puppets);
    assert_eq!(played.stop, Ok(Stop::Finished));
    let fault = |number, target| match played.verdict(number, target) {
        Verdict::Fault { words, .. } => Some(words.as_str()),
        _ => None,
    };
    assert_eq!(fault(1, 0), Some("assay panicked: no case 1"));
    assert_eq!(
        (fault(3, 0), fault(3, 1)),
        (None, Some("assay panicked: attempt to divide by zero"))
    );
    assert_eq!(played.verdicts.len(), 12);
    assert!([0, 2, 4, 5].iter().all(|&n| fault(n, 0).is_none() && fault(n, 1).is_none()));
    let again = play_suite(folder.path(), &suite, true, &stop, &puppets);
    assert_eq!(again.verdicts.len(), 0);
}

#[test]
fn a_broken_suite_ends_the_run() {
    let broken = Made(|_| Err(MakeError::Broken("there is no compiler".into())));
    let folder = folder();
    let right = |_, _| Ok(Answer::Sat);
    let puppets: [(&str, &Behaviour<'_>); 1] = [("puppet@1", &right)];
    let played = play_suite(folder.path(), &broken, false, &AtomicBool::new(false), &puppets);
    assert!(played.stop.is_err_and(|words| words.ends_with(": there is no compiler")));
}

#[test]
fn lasting_harness_errors_end_the_run_and_single_ones_do_not() {
    let lost = || HarnessError::Containment { why: "a test".into() };
    let once = AtomicBool::new(true);
    let stumbles = move |n, _| {
        if n == 2 && once.swap(false, Ordering::Relaxed) { Err(lost()) } else { Ok(Answer::Sat) }
    };
    let folder_one = folder();
    let played = play(folder_one.path(), 10, false, &stumbles);
    assert_eq!((played.stop, played.summary.totals()[0].total()), (Ok(Stop::Finished), 10));
    let folder_two = folder();
    let played = play(folder_two.path(), 10, false, &move |_, _| Err(lost()));
    assert!(played.stop.is_err_and(|words| words.contains("a test")));
    assert_eq!(played.summary.totals()[0].total(), 0);
}

#[test]
fn a_resumed_run_repeats_no_case() {
    let answer = |n: u128| if n % 10 == 0 { Answer::Unsat } else { Answer::Sat };
    let whole = folder();
    let expected = play(whole.path(), 500, false, &move |n, _| Ok(answer(n))).summary;

    let parts = folder();
    let stop = AtomicBool::new(false);
    let seen = AtomicU64::new(0);
    let mut runs = 0;
    let mut sittings = 0;
    loop {
        stop.store(false, Ordering::Relaxed);
        let behaviour = |n, mode| {
            if mode == Mode::Session && seen.fetch_add(1, Ordering::Relaxed) % 90 == 89 {
                stop.store(true, Ordering::Relaxed);
            }
            Ok(answer(n))
        };
        let puppets: [(&str, &Behaviour<'_>); 1] = [("puppet@1", &behaviour)];
        let played = play_suite(parts.path(), &Numbers(500), sittings > 0, &stop, &puppets);
        runs += played.verdicts.len();
        sittings += 1;
        if played.stop == Ok(Stop::Finished) {
            assert_eq!(played.summary, expected);
            break;
        }
        assert_eq!(played.stop, Ok(Stop::Interrupted));
    }
    assert!(sittings > 3, "{sittings} sittings");
    assert_eq!(runs, 500);
}

#[test]
fn a_campaign_refuses_to_resume_with_other_settings() {
    let folder = folder();
    play(folder.path(), 3, false, &|_, _| Ok(Answer::Sat));
    let file = folder.path().join("results.sqlite");
    let categories = Numbers(3).categories();
    let again = Results::create(&file, &header(), &categories, &targets());
    assert!(matches!(again, Err(StoreError::Exists(_))));
    let mut other = header();
    other.limits.memory.0 = 5;
    let resumed = Results::resume(&file, &other, &categories, &targets());
    assert!(matches!(resumed, Err(StoreError::Differs { what: "the limits", .. })));
    let mut other = header();
    other.execution.fuzz_options = Some(Level::Regular);
    let resumed = Results::resume(&file, &other, &categories, &targets());
    assert!(matches!(resumed, Err(StoreError::Differs { what: "--fuzz-options", .. })));
    let other = [TargetRecord { name: "z3@1".into(), reported: "?".into() }];
    let resumed = Results::resume(&file, &header(), &categories, &other);
    assert!(matches!(resumed, Err(StoreError::Differs { what: "the list of targets", .. })));
    let missing = Results::open(&folder.path().join("nothing"));
    assert!(matches!(missing, Err(StoreError::Missing(_))));
    let garbage = folder.path().join("garbage");
    std::fs::write(&garbage, "not a database, but long enough to look like one".repeat(50))
        .expect("a file");
    assert!(Results::open(&garbage).and_then(|results| results.header()).is_err());
}

#[test]
fn findings_are_sorted_by_severity() {
    let folder = folder();
    let crash = Answer::Crash(assay_case::CrashSignature::new(
        assay_case::Death::Signal(11),
        "Segmentation fault",
        "",
    ));
    let behaviour = move |n, _| {
        Ok(match n {
            1 => crash.clone(),
            2 => Answer::Unsat,
            _ => Answer::Sat,
        })
    };
    play(folder.path(), 4, false, &behaviour);
    let results = Results::open(&folder.path().join("results.sqlite")).expect("the store");
    let kinds: Vec<FindingKind> =
        results.findings().expect("findings").iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::WrongUnsat, FindingKind::Crash]);
}

/// A store of assay 0.1.0 before headers had a format: it is refused by name, never misread.
#[test]
fn campaigns_in_another_format_are_refused_by_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("results.sqlite");
    let connection = rusqlite::Connection::open(&file).expect("a store");
    let header = r#"{"assay":"0.1.0","suite":"strings","arguments":["--sample","9","--rng","0"],
        "configuration":null,"timeout-ms":5000,"memory":2147483648,"fuzz-options":false}"#;
    connection.execute_batch("CREATE TABLE campaign (header TEXT NOT NULL)").expect("a table");
    connection.execute("INSERT INTO campaign VALUES (?1)", [header]).expect("a row");
    drop(connection);
    let refused = Results::open(&file).and_then(|results| results.header());
    let words = refused.expect_err("an old format").to_string();
    let place = file.display().to_string();
    assert!(words.contains(&place) && words.contains("assay 0.1.0 in format 1"), "{words}");
}
