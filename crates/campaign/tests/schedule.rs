//! Campaigns that give up early what is not quick: nothing is lost, and nothing is found less.

mod puppets;

use assay_campaign::{
    Header, Outcome, Results, Schedule, Stability, Stop, Terms, Use, Verdict, compare, merge,
};
use assay_case::{
    Answer, CaseId, Category, Expected, Formula, Judgement, MakeError, Oracle, Origin, Selection,
    Suite, TestCase,
};
use assay_target::Mode;
use puppets::{Behaviour, Numbers, Played, folder, header, play_as};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A campaign with slices, of which those who wait get this percentage of the time.
fn sliced(late: u8) -> Header {
    let mut header = header();
    header.execution.schedule = Schedule::Slices;
    header.execution.late = late;
    header
}

fn play(folder: &Path, resume: bool, stop: &AtomicBool, one: &Behaviour<'_>) -> Played {
    play_as(folder, &Numbers(200), &sliced(15), (resume, stop), &[("puppet@1", one)])
}

fn is_slice(mode: Mode) -> bool {
    matches!(mode, Mode::Slice(_))
}

#[test]
fn early_timeouts_rerun_once_with_the_full_limit() {
    let folder = folder();
    let whole = AtomicU64::new(0);
    // Each tenth needs more than a slice; each twentieth more than the limit.
    let slow = |n: u128, mode| {
        let is_whole = mode == Mode::Session && n % 10 == 0;
        whole.fetch_add(u64::from(is_whole), Ordering::Relaxed);
        Ok(match n {
            n if n % 20 == 0 => Answer::Timeout,
            n if n % 10 == 0 && is_slice(mode) => Answer::Timeout,
            _ => Answer::Sat,
        })
    };
    let played = play(folder.path(), false, &AtomicBool::new(false), &slow);
    assert_eq!(played.stop, Ok(Stop::Finished));
    assert_eq!(whole.load(Ordering::Relaxed), 20, "the slow ones, once each");
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.count(Outcome::Sat), total.count(Outcome::Timeout)), (190, 10));
    assert_eq!((total.total(), total.waiting), (200, 0));
    // Every case is told of once.
    let told: BTreeSet<u128> = played.verdicts.iter().map(|(number, ..)| *number).collect();
    assert_eq!((told.len(), played.verdicts.len()), (200, 200));
    let results = Results::open(&folder.path().join("results.sqlite")).expect("the store");
    let spent = results.spent().expect("the time");
    for what in [Use::Answers, Use::Timeouts, Use::LateAnswers, Use::LateTimeouts, Use::Making] {
        assert!(!spent.on(what).is_zero(), "{}", what.name());
    }
}

#[test]
fn waiting_cases_are_stored_and_resumed() {
    let folder = folder();
    let stop = AtomicBool::new(false);
    let whole = AtomicU64::new(0);
    // No share is spent on the late queue before all else is done; then the run is interrupted.
    let slow = |n: u128, mode| {
        if mode == Mode::Session && whole.fetch_add(1, Ordering::Relaxed) == 4 {
            stop.store(true, Ordering::Relaxed);
        }
        let slow = n % 10 == 0 && is_slice(mode);
        Ok(if slow { Answer::Timeout } else { Answer::Sat })
    };
    let played = play(folder.path(), false, &stop, &slow);
    assert_eq!(played.stop, Ok(Stop::Interrupted));
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert!(total.waiting > 0 && total.count(Outcome::Timeout) == total.waiting);
    assert!(played.summary.legend().contains("waiting: "), "{}", played.summary.legend());
    let numbers = |played: &Played, waiting: bool| -> BTreeSet<u128> {
        let waits = |verdict: &Verdict| matches!(verdict, Verdict::Waiting { .. }) == waiting;
        let told = played.verdicts.iter().filter(|(.., verdict)| waits(verdict));
        told.map(|(number, ..)| *number).collect()
    };
    let left = numbers(&played, true);
    assert_eq!(left.len() as u64, total.waiting);
    assert_eq!(played.verdicts.len() as u64, total.total());
    let open = || Results::open(&folder.path().join("results.sqlite")).expect("the store");
    let rows = open().rows().expect("rows");
    let row = rows.into_iter().find(|row| left.contains(&row.id.index)).expect("a row");
    let words = row.detail.expect("a reason");
    assert!(words.starts_with("gave up after 0."), "{words}");
    // A timeout of a slice is no timeout: comparisons leave it out.
    let terms = Terms { targets: (0, 0), floor: Duration::ZERO, different_limits: false };
    let same = compare(&open(), &open(), &terms).expect("the same campaign");
    assert_eq!(same.all.cases(), total.total() - total.waiting);

    stop.store(false, Ordering::Relaxed);
    let again = play(folder.path(), true, &stop, &slow);
    assert_eq!(again.stop, Ok(Stop::Finished));
    let told = numbers(&again, false);
    assert!(told.is_superset(&left) && told.is_disjoint(&numbers(&played, false)));
    assert_eq!(again.verdicts.len(), told.len());
    let [total] = again.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.count(Outcome::Sat), total.waiting), (200, 0));
    assert_eq!(open().finished().expect("the store"), Some(200));
}

#[test]
fn the_plain_schedule_gives_the_full_limit_at_once() {
    let folder = folder();
    let slices = AtomicU64::new(0);
    let slow = |n: u128, mode| {
        slices.fetch_add(u64::from(is_slice(mode)), Ordering::Relaxed);
        Ok(if n % 2 == 0 { Answer::Timeout } else { Answer::Sat })
    };
    let stop = AtomicBool::new(false);
    let puppets: [(&str, &Behaviour<'_>); 1] = [("puppet@1", &slow)];
    let played = play_as(folder.path(), &Numbers(50), &header(), (false, &stop), &puppets);
    assert_eq!((played.stop, slices.load(Ordering::Relaxed)), (Ok(Stop::Finished), 0));
    let [total] = played.summary.totals()[..] else { panic!("one target") };
    assert_eq!((total.count(Outcome::Timeout), total.waiting), (25, 0));
}

#[test]
fn a_slow_wrong_answer_is_found_and_confirmed() {
    let folder = folder();
    let wrong = |n, mode| {
        Ok(match (n, is_slice(mode)) {
            (7, true) => Answer::Timeout,
            (7, false) => Answer::Unsat,
            _ => Answer::Sat,
        })
    };
    let played = play(folder.path(), false, &AtomicBool::new(false), &wrong);
    let Verdict::Ran { judgement: Judgement::Finding(_), stability, .. } = played.verdict(7, 0)
    else {
        panic!("a finding")
    };
    assert_eq!(*stability, Stability::Confirmed);
}

/// Formulas whose truth nobody knows.
struct Open(u128);

impl Suite for Open {
    fn name(&self) -> &str {
        "open"
    }

    fn categories(&self) -> Vec<Category> {
        let expected = Expected::Open;
        vec![Category { name: "open".into(), group: "open".into(), expected }]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut((0..self.0).map(|index| CaseId { category: 0, index }))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let formula = Formula::read("(declare-const x Int)(assert (> x 4))(check-sat)");
        let origin = Origin { index: id.index, ..Origin::default() };
        let formula = formula.map_err(MakeError::fault)?;
        TestCase::formula(id.index.to_string(), formula, Oracle::Open, origin)
            .map_err(MakeError::fault)
    }
}

fn found(played: &Played, number: u128) -> Vec<usize> {
    let is_found = |entry: &&(u128, usize, Verdict)| entry.0 == number && entry.2.is_finding();
    played.verdicts.iter().filter(is_found).map(|entry| entry.1).collect()
}

#[test]
fn late_answers_are_compared_with_earlier_ones() {
    let folder = folder();
    let yes = |_, _| Ok(Answer::Sat);
    let late = |n: u128, mode| {
        Ok(match (n, is_slice(mode)) {
            (3, true) => Answer::Timeout,
            (3, false) => Answer::Unsat,
            _ => Answer::Sat,
        })
    };
    let puppets: [(&str, &Behaviour<'_>); 2] = [("yes@1", &yes), ("late@2", &late)];
    let stop = AtomicBool::new(false);
    let played = play_as(folder.path(), &Open(9), &sliced(15), (false, &stop), &puppets);
    assert_eq!(played.stop, Ok(Stop::Finished));
    let both: BTreeSet<usize> = found(&played, 3).into_iter().collect();
    assert_eq!(both, BTreeSet::from([0, 1]), "both are suspected");
    for total in played.summary.totals() {
        assert_eq!((total.total(), total.declared.soundness), (9, 1));
    }
}

#[test]
fn a_disagreement_reruns_slow_targets_with_the_full_limit() {
    let folder = folder();
    let yes = |_, _| Ok(Answer::Sat);
    let no = |n, _| Ok(if n == 3 { Answer::Unsat } else { Answer::Sat });
    let slow = |n: u128, mode| {
        Ok(if n % 3 == 0 && is_slice(mode) { Answer::Timeout } else { Answer::Sat })
    };
    let puppets: [(&str, &Behaviour<'_>); 3] = [("yes@1", &yes), ("no@2", &no), ("slow@3", &slow)];
    let stop = AtomicBool::new(false);
    let played = play_as(folder.path(), &Open(9), &sliced(0), (false, &stop), &puppets);
    assert_eq!(found(&played, 3), [1], "the slow one is heard before anybody is suspected");
    assert_eq!(played.summary.totals()[2].count(Outcome::Sat), 9);
}

#[test]
fn what_is_new_in_statistics_is_kept_over_sittings_and_shards() {
    let folder = folder();
    let right = |_: u128, _| Ok(Answer::Sat);
    let novel = |name: &str| -> Vec<String> {
        let file = folder.path().join(name).join("results.sqlite");
        let novel = Results::open(&file).expect("the store").novel().expect("the table");
        novel.into_iter().map(|novel| novel.feature).collect()
    };
    let go = |name: &str, header: &Header, stop: &AtomicBool, one: &Behaviour<'_>, resume| {
        let path = folder.path().join(name);
        play_as(&path, &Numbers(200), header, (resume, stop), &[("puppet@1", one)])
    };
    let never = AtomicBool::new(false);
    let mut header = sliced(15);
    go("off", &header, &never, &right, false);
    assert_eq!(novel("off"), [""; 0]);

    header.execution.statistics = true;
    let stop = AtomicBool::new(false);
    let early = |n: u128, _| {
        stop.fetch_or(n == 40, Ordering::Relaxed);
        Ok(Answer::Sat)
    };
    go("whole", &header, &stop, &early, false);
    let first = novel("whole");
    assert!(first.contains(&"digits 2".to_owned()) && first.len() == 2, "{first:?}");
    assert_eq!(go("whole", &header, &never, &right, true).stop, Ok(Stop::Finished));
    let all = ["digits 1", "digits 2", "digits 3"];
    assert_eq!(novel("whole"), all);

    let parts = ["1/2", "2/2"].map(|part| {
        let mut header = header.clone();
        header.choice.shard = Some(part.parse().expect("a shard"));
        let name = part.replace('/', "-");
        go(&name, &header, &never, &right, false);
        folder.path().join(name)
    });
    merge(&parts, &folder.path().join("merged"), false).expect("all parts");
    assert_eq!(novel("merged"), all);
}
