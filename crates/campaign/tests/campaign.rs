//! Campaigns over a suite and targets that exist only here and never sleep.

use assay_campaign::{
    Campaign, Event, Header, Outcome, Results, Stability, Stop, StoreError, Summary, TargetRecord,
    Verdict,
};
use assay_case::{
    Answer, CaseId, Category, Expected, FindingKind, Formula, MakeError, Observation, Oracle,
    Origin, Selection, Suite, TestCase, Witness, check_model,
};
use assay_target::process::Containment;
use assay_target::{HarnessError, Mode, Ran, Run, Target};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// `x = n` for n below the size: satisfiable, all of them.
struct Numbers(u128);

impl Suite for Numbers {
    fn name(&self) -> &str {
        "numbers"
    }

    fn categories(&self) -> Vec<Category> {
        let category = |group: &str| Category {
            name: "equation".into(),
            group: group.into(),
            expected: Expected::Sat,
        };
        vec![category("even"), category("odd")]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let id = |index: u128| CaseId { category: u32::from(index % 2 == 1), index };
        selection.cut((0..self.0).map(id))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let text = format!("(declare-const x Int)(assert (= x {}))(check-sat)", id.index);
        let mut formula = Formula::read(text).expect("the text is right");
        let model = format!("((define-fun x () Int {}))", id.index);
        let model = formula.read_model(&model).expect("the model is right");
        let witness = Witness::Checked(check_model(&formula, model).expect("it holds"));
        let origin = Origin { suite: "numbers".into(), index: id.index, ..Origin::default() };
        TestCase::formula(id.index.to_string(), formula, Oracle::Sat(witness), origin)
            .map_err(|error| MakeError(error.to_string()))
    }
}

/// What a target of ours does with a case, by its number and how it is run.
type Behaviour<'b> = dyn Fn(u128, Mode) -> Result<Answer, HarnessError> + Sync + 'b;

struct Puppet<'p> {
    behaviour: &'p Behaviour<'p>,
}

impl Target for Puppet<'_> {
    fn name(&self) -> &str {
        "puppet@1"
    }

    fn command(&self, _: &TestCase) -> String {
        "puppet input.smt2".into()
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        let answer = (self.behaviour)(case.origin().index, mode)?;
        if answer == Answer::Garbled("skip".into()) {
            return Ok(Ran::Skipped("no numbers here".into()));
        }
        Ok(Ran::Observed(Box::new(Run {
            observation: Observation::new(answer, Duration::from_millis(1)),
            input: "(check-sat)\n".into(),
            stdout: String::new(),
            stderr: String::new(),
            ending: None,
            containment: Containment::Subreaper,
            cpu: None,
        })))
    }
}

fn header() -> Header {
    Header {
        assay: "0".into(),
        suite: "numbers".into(),
        arguments: vec!["--rng".into(), "0".into()],
        configuration: None,
        timeout_ms: 1000,
        memory: None,
    }
}

fn targets() -> Vec<TargetRecord> {
    vec![TargetRecord { name: "puppet@1".into(), reported: "Puppet 1".into() }]
}

struct Played {
    stop: Result<Stop, String>,
    summary: Summary,
    verdicts: Vec<(u128, Verdict)>,
}

/// Runs a campaign over the first `size` numbers in a folder, anew or going on.
fn play(folder: &Path, size: u128, resume: bool, behaviour: &Behaviour<'_>) -> Played {
    play_until(folder, size, resume, &AtomicBool::new(false), behaviour)
}

fn play_until(
    folder: &Path,
    size: u128,
    resume: bool,
    stop: &AtomicBool,
    behaviour: &Behaviour<'_>,
) -> Played {
    let suite = Numbers(size);
    let open = if resume { Results::resume } else { Results::create };
    let file = folder.join("results.sqlite");
    let mut results = open(&file, &header(), &suite.categories(), &targets()).expect("a store");
    let factory = || Ok(vec![Box::new(Puppet { behaviour }) as Box<dyn Target + '_>]);
    let campaign = Campaign {
        suite: &suite,
        selection: Selection::default(),
        header: header(),
        factory: &factory,
        targets: 1,
        jobs: 3,
        count: true,
        budget: None,
        findings: folder.join("findings"),
        stop,
    };
    let mut verdicts = Vec::new();
    let stop = campaign.run(&mut results, &mut |event| {
        if let Event::Judged(judged) = event {
            verdicts.push((judged.id.index, judged.verdict.clone()));
        }
    });
    let summary = results.summary().expect("a summary");
    Played { stop: stop.map_err(|error| error.to_string()), summary, verdicts }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn right_answers_are_counted_and_leave_no_folder() {
    let folder = folder();
    let played = play(folder.path(), 1000, false, &|_, _| Ok(Answer::Sat));
    assert_eq!(played.stop, Ok(Stop::Finished));
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.count(Outcome::Sat), total.total(), total.soundness), (1000, 1000, 0));
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
    assert_eq!((total.soundness, total.count(Outcome::Unsat)), (1, 1));
    let (_, verdict) = played.verdicts.iter().find(|(n, _)| *n == 7).expect("case 7 was run");
    let Verdict::Ran { stability, folder: Some(path), .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!(*stability, Stability::Confirmed);
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect(name);
    let record: assay_campaign::FindingRecord =
        serde_json::from_str(&read("finding.json")).expect("a record");
    assert_eq!((record.kind.as_str(), record.id.as_str()), ("wrong-unsat", "1.7"));
    assert_eq!((record.expected.as_str(), record.grade.as_str()), ("sat", "certified"));
    assert!(read("witness.smt2").contains("(define-fun x () Int 7)"));
    assert!(read("README.txt").contains("assay replay . --target puppet@1"));
    for name in ["case.smt2", "input.smt2", "stdout.txt", "stderr.txt"] {
        read(name);
    }
}

#[test]
fn what_only_the_session_shows_gives_way_to_what_fresh_processes_say() {
    let folder = folder();
    let leaky =
        |n, mode| Ok(if n == 3 && mode == Mode::Session { Answer::Unsat } else { Answer::Sat });
    let played = play(folder.path(), 5, false, &leaky);
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.count(Outcome::Sat), total.soundness), (5, 0));
    let (_, verdict) = played.verdicts.iter().find(|(n, _)| *n == 3).expect("case 3 was run");
    let Verdict::Ran { stability, folder, .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!(*stability, Stability::SessionOnly);
    assert!(folder.is_some(), "it is worth a look");
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
    assert_eq!((total.soundness, total.unstable), (0, 1));
    assert!(played.summary.has_findings());
}

#[test]
fn slow_and_ignorant_answers_are_counted_but_not_run_again() {
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
fn cases_that_do_not_suit_a_target_are_counted_apart() {
    let folder = folder();
    let picky = |n, _| Ok(if n < 4 { Answer::Garbled("skip".into()) } else { Answer::Sat });
    let played = play(folder.path(), 10, false, &picky);
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.count(Outcome::Skipped), total.count(Outcome::Sat)), (4, 6));
}

#[test]
fn failures_of_ours_are_no_findings_and_end_the_run_only_where_they_last() {
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
fn a_stopped_run_goes_on_and_does_nothing_twice() {
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
        let played = play_until(parts.path(), 500, sittings > 0, &stop, &behaviour);
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
fn a_campaign_is_not_mixed_with_another() {
    let folder = folder();
    play(folder.path(), 3, false, &|_, _| Ok(Answer::Sat));
    let file = folder.path().join("results.sqlite");
    let categories = Numbers(3).categories();
    let again = Results::create(&file, &header(), &categories, &targets());
    assert!(matches!(again, Err(StoreError::Exists(_))));
    let other = Header { timeout_ms: 5, ..header() };
    let resumed = Results::resume(&file, &other, &categories, &targets());
    assert!(matches!(resumed, Err(StoreError::Differs { what: "the limits", .. })));
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
fn findings_are_listed_the_worst_first() {
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
