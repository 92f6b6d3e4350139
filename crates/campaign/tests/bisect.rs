//! Timelines of tools whose versions do as they are told.

use assay_campaign::bisect::{Candidate, Question, Reading, Timeline, Turn, bisect};
use assay_case::{
    Answer, FindingKind, Formula, Observation, Oracle, Origin, TestCase, Witness, check_model,
};
use assay_target::process::{Confinement, Containment};
use assay_target::{ByHand, HarnessError, Mode, Ran, Run, Target};
use std::time::Duration;

/// A version that gives these answers in turn, the last one again and again; none is a refusal to
/// run.
struct Version(Vec<Option<Answer>>);

impl Target for Version {
    fn name(&self) -> &str {
        "tool"
    }

    fn by_hand(&self, _: &TestCase) -> Option<ByHand> {
        None
    }

    fn run(&mut self, _: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        assert_eq!(mode, Mode::Fresh, "each version runs in a process of its own");
        let next = if self.0.len() > 1 { self.0.remove(0) } else { self.0[0].clone() };
        let Some(answer) = next else { return Ok(Ran::Skipped("no strings".into())) };
        Ok(Ran::Observed(Box::new(Run {
            observation: Observation::new(answer, Duration::from_millis(1)),
            input: String::new(),
            stdout: String::new(),
            stderr: String::new(),
            ending: None,
            containment: Containment::Subreaper,
            confinement: Confinement::Off,
            cpu: None,
            attachments: Vec::new(),
            features: Vec::new(),
        })))
    }
}

/// A satisfiable case.
fn case() -> TestCase {
    let mut formula = Formula::read("(declare-const x Int)(assert (= x 1))(check-sat)")
        .expect("the text is right");
    let model = formula.read_model("((define-fun x () Int 1))").expect("the model is right");
    let witness = Witness::Checked(check_model(&formula, model).expect("it holds"));
    TestCase::formula("one", formula, Oracle::Sat(witness), Origin::default()).expect("it fits")
}

fn timeline(versions: &[(&str, &[Option<Answer>])]) -> Timeline {
    timeline_of(&case(), versions)
}

fn timeline_of(case: &TestCase, versions: &[(&str, &[Option<Answer>])]) -> Timeline {
    let subject = Question { case, truth: case, sought: Some(FindingKind::WrongUnsat) };
    let candidate = |(version, answers): &(&str, &[Option<Answer>])| Candidate {
        version: (*version).to_owned(),
        target: Box::new(Version(answers.to_vec())),
    };
    let mut candidates: Vec<Candidate<'_>> = versions.iter().map(candidate).collect();
    bisect(subject, &mut candidates, &mut |_| {}).expect("it runs")
}

const RIGHT: &[Option<Answer>] = &[Some(Answer::Sat)];
const WRONG: &[Option<Answer>] = &[Some(Answer::Unsat)];
const UNKNOWN: &[Option<Answer>] = &[Some(Answer::Unknown(None))];
const TIMEOUT: &[Option<Answer>] = &[Some(Answer::Timeout)];
const SKIPPED: &[Option<Answer>] = &[None];
const FICKLE: &[Option<Answer>] = &[Some(Answer::Unsat), Some(Answer::Sat)];

#[test]
fn bisection_confirms_where_a_bug_was_introduced_and_fixed() {
    let timeline = timeline(&[
        ("1", RIGHT),
        ("2", RIGHT),
        ("3", WRONG),
        ("4", WRONG),
        ("5", RIGHT),
        ("6", RIGHT),
    ]);
    assert_eq!(timeline.story(), "introduced in 3 (2 right), fixed in 5 (4 wrong)");
    let turns: Vec<Turn> = timeline.changes().iter().map(|change| change.what).collect();
    assert_eq!(turns, [Turn::Introduced, Turn::Fixed]);
    let runs: Vec<usize> = timeline.entries.iter().map(|entry| entry.runs).collect();
    assert_eq!(runs, [1, 3, 3, 3, 3, 1]);
    assert_eq!(timeline.entries[2].reading, Reading::Wrong(FindingKind::WrongUnsat));
}

/// Nobody says what is right, but there are only two assignments to try.
#[test]
fn small_formulas_are_decided_by_trying_all_assignments() {
    let formula =
        Formula::read("(declare-const p Bool)(assert p)(check-sat)").expect("it is right");
    let case =
        TestCase::formula("open", formula, Oracle::Open, Origin::default()).expect("it fits");
    let timeline = timeline_of(&case, &[("1", WRONG), ("2", WRONG)]);
    assert_eq!(timeline.story(), "wrong since 1 or earlier, still wrong in 2");
}

#[test]
fn undecided_versions_widen_the_range_of_a_change() {
    let timeline = timeline(&[
        ("1", SKIPPED),
        ("2", RIGHT),
        ("3", UNKNOWN),
        ("4", TIMEOUT),
        ("5", WRONG),
        ("6", UNKNOWN),
    ]);
    let words = "introduced in 5 or earlier (2 right; 3, 4 undecided), \
                 not fixed by 5 (6 undecided); undecided: 1";
    assert_eq!(timeline.story(), words);
    let names: Vec<&str> = timeline.entries.iter().map(|entry| entry.reading.name()).collect();
    assert_eq!(names, ["skipped", "right", "unknown", "timeout", "wrong", "unknown"]);
}

/// Versions that decide nothing are named wherever they stand.
#[test]
fn every_undecided_version_is_named() {
    let story = |versions: &[(&str, &[Option<Answer>])]| timeline(versions).story();
    assert_eq!(
        story(&[("1", TIMEOUT), ("2", WRONG), ("3", UNKNOWN), ("4", WRONG)]),
        "wrong since 2 or earlier, still wrong in 4; undecided: 1, 3"
    );
    assert_eq!(
        story(&[("1", WRONG), ("2", RIGHT), ("3", SKIPPED)]),
        "wrong since 1 or earlier, fixed in 2 (1 wrong); undecided: 3"
    );
    assert_eq!(
        story(&[("1", RIGHT), ("2", UNKNOWN)]),
        "right in every version that decides it; undecided: 2"
    );
    assert_eq!(timeline(&[("1", RIGHT), ("2", UNKNOWN)]).undecided(), ["2"]);
}

#[test]
fn an_unstable_version_counts_as_undecided() {
    let timeline = timeline(&[("1", RIGHT), ("2", FICKLE), ("3", WRONG), ("4", RIGHT)]);
    assert_eq!(timeline.entries[1].reading, Reading::Unstable);
    assert_eq!(
        timeline.story(),
        "introduced in 3 or earlier (1 right; 2 undecided), fixed in 4 (3 wrong)"
    );
}

#[test]
fn timelines_without_a_change_say_so() {
    assert_eq!(
        timeline(&[("1", WRONG), ("2", WRONG)]).story(),
        "wrong since 1 or earlier, still wrong in 2"
    );
    assert_eq!(timeline(&[("1", RIGHT)]).story(), "right in every version that decides it");
    assert_eq!(timeline(&[("1", TIMEOUT)]).story(), "no version decides it");
}
