//! Solvers whose options vary: what is passed, what is left out, and what is told of it.

mod targets;

use assay_case::{
    Answer, Extremum, Formula, Judgement, Optima, Oracle, Origin, Point, TestCase, Why, judge,
};
use assay_target::process::Limits;
use assay_target::spec::{Feature, Level};
use assay_target::{Chosen, Mode, Ran, Solver, Target, Varied, Vary};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use targets::{fake, real, settings};

const LIMITS: Limits = Limits { wall: Duration::from_secs(20), memory: None, output: 1 << 20 };

fn vary(rng: u64) -> Vary {
    Vary { rng, level: Level::Expert }
}

fn case(text: &str) -> TestCase {
    let formula = Formula::read(text).expect("the text is right");
    TestCase::formula("varied", formula, Oracle::Open, Origin::default()).expect("a case")
}

fn answer(target: &mut Varied, case: &TestCase, mode: Mode) -> Answer {
    match target.run(case, mode).expect("the harness works") {
        Ran::Observed(run) => run.observation.answer,
        Ran::Skipped(reason) => panic!("skipped: {reason}"),
    }
}

#[test]
fn options_are_passed_recorded_and_kept_for_a_block() {
    let folder = tempfile::tempdir().expect("a folder");
    let option = |name: &str| {
        format!("[[option]]\nname = \"{name}\"\nbool = true\nargument = \"--{name}={{value}}\"\n")
    };
    let options = ["wrong", "refused", "harmless"].map(option).concat();
    let target = Arc::new(fake(folder.path(), &["configured"], &options));
    let case = case("(declare-const x Int)(assert (> x 4))(check-sat)");
    let mut sets = BTreeSet::new();
    let mut varied = Varied::new(Arc::clone(&target), settings(LIMITS, false), vary(1));
    for block in 0..40 {
        varied.prepare(block * 50);
        let first = answer(&mut varied, &case, Mode::Session);
        let options = varied.options(&case);
        varied.prepare(block * 50 + 49);
        assert_eq!(answer(&mut varied, &case, Mode::Fresh), first, "confirmed as it was found");
        assert_eq!(varied.options(&case), options);
        let wrong = options.contains(&"wrong=true".to_owned());
        assert_eq!(first, if wrong { Answer::Unsat } else { Answer::Sat }, "{options:?}");
        assert_eq!(
            varied.by_hand(&case).expect("a command").command.contains("--wrong=true"),
            wrong
        );
        // A version that does not take an option is run without it; the others stay.
        assert!(!options.iter().any(|option| option.starts_with("refused")), "{options:?}");
        let drawn: Vec<String> =
            target.draw(vary(1), block).iter().map(ToString::to_string).collect();
        let taken: Vec<&String> = drawn.iter().filter(|o| !o.starts_with("refused")).collect();
        assert_eq!(options.iter().collect::<Vec<_>>(), taken);
        sets.insert(options);
    }
    assert!(sets.len() >= 5, "{sets:?}");
}

/// Whatever is drawn, the real ones answer, and rightly.
#[test]
fn real_solvers_stay_right() {
    let sat = case("(declare-const x Int)(assert (! (> x 4) :named a))(check-sat)");
    let unsat = case(
        "(declare-const x Int)(assert (! (> x 4) :named a))(assert (! (< x 4) :named b))(check-sat)",
    );
    for name in ["z3@4.8.5", "z3", "cvc5@1.0.3", "cvc4"] {
        let Some(target) = real(name) else { continue };
        let mut varied = Varied::new(Arc::new(target), settings(LIMITS, true), vary(7));
        let mut most = 0;
        for block in 1..7 {
            varied.prepare(block * 50);
            assert_eq!(answer(&mut varied, &sat, Mode::Session), Answer::Sat, "{name}");
            let options = varied.options(&sat);
            assert_eq!(answer(&mut varied, &unsat, Mode::Session), Answer::Unsat, "{options:?}");
            most = most.max(options.len());
        }
        assert!(most >= 2, "{name} varies");
    }
}

/// An option that a file sets for itself reaches the tools that have it, and no other tool; and whoever
/// answers `unknown` is asked for the reason.
#[test]
fn options_of_a_file_are_kept_where_the_target_has_them() {
    let text = "(set-option :smt.auto_config false)(set-option :smt.mbqi false)
        (set-option :produce-models true)(declare-fun f (Int) Int)
        (assert (forall ((x Int) (y Int))
          (! (=> (< x y) (< (f x) (f y))) :pattern ((f x) (f y)))))
        (assert (> (f 1) 3))(check-sat)";
    let limits = Limits { wall: Duration::from_secs(2), ..LIMITS };
    for (name, keeps) in [("z3", true), ("cvc5@1.0.3", false)] {
        let Some(target) = real(name) else { continue };
        let mut solver = Solver::new(Arc::new(target), settings(limits, true));
        let ran = solver.run(&case(text), Mode::Session).expect("the harness works");
        let Ran::Observed(run) = ran else { panic!("it was skipped") };
        let why = match &run.observation.answer {
            Answer::Unknown(Some(why)) => why.as_str(),
            other => other.name(),
        };
        assert_eq!(why.contains("(incomplete quantifiers)"), keeps, "{name}: {why}");
        assert_eq!(run.input.contains("smt.mbqi"), keeps, "{name}: {}", run.input);
    }
}

const FRONT: &str = "(set-option :opt.priority pareto)\n(declare-const x Int)\n\
    (declare-const y Int)\n(assert (or (and (>= x 1) (>= y 5)) (and (>= x 3) (>= y 2))))\n\
    (minimize x)\n(minimize y)\n(check-sat)\n(check-sat)\n(check-sat)";

fn front() -> TestCase {
    let points = [[1, 5], [3, 2]].map(|point| Point(point.map(Extremum::from).into()));
    let (optima, why) = (Optima::Front(points.into()), Why::Certified(Vec::new()));
    let oracle = Oracle::Optimum { optima, why, witness: None };
    let formula = Formula::read(FRONT).expect("the text is right");
    TestCase::formula("front", formula, oracle, Origin::default()).expect("a case")
}

/// Each point is asked for with its model and its values; after the last question there is no point.
#[test]
fn pareto_fronts_are_asked_for_point_by_point() {
    let Some(target) = real("z3") else { return };
    let mut solver = Solver::new(Arc::new(target), settings(LIMITS, true));
    // The option of the first case does not reach the second.
    let single = "(declare-const x Int)(assert (> x 4))(minimize x)(check-sat)";
    for mode in [Mode::Session, Mode::Fresh] {
        let Ran::Observed(run) = solver.run(&front(), mode).expect("the harness works") else {
            panic!("it was skipped")
        };
        assert_eq!(judge(&front(), &run.observation), Judgement::Correct, "{}", run.stdout);
        assert_eq!(run.observation.verdicts, [Answer::Sat, Answer::Sat, Answer::Unsat]);
        assert_eq!(run.input.matches("(get-objectives)").count(), 2, "{}", run.input);
        let ran = solver.run(&case(single), mode).expect("the harness works");
        let Ran::Observed(run) = ran else { panic!("it was skipped") };
        assert_eq!(run.observation.answer, Answer::Sat);
        assert!(!run.input.contains("opt.priority"), "{}", run.input);
    }
}

/// Without its option, the objectives of a formula would mean something else.
#[test]
fn targets_that_do_not_take_a_priority_are_not_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = |says: &str| {
        let mut target = fake(folder.path(), &["say", says], "");
        target.behaviour.features.extend([Feature::Objectives]);
        let mut solver = Solver::new(Arc::new(target), settings(LIMITS, false));
        solver.run(&front(), Mode::Fresh).expect("the harness works")
    };
    match asked("unsupported\nsat") {
        Ran::Skipped(reason) => assert!(reason.contains("the priority `pareto`"), "{reason}"),
        Ran::Observed(run) => panic!("it was asked: {}", run.input),
    }
    assert!(matches!(asked("sat"), Ran::Observed(_)));
}

/// A limit that is too short for an answer says nothing about the options that a target takes.
#[test]
fn a_short_limit_does_not_disqualify_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut target = fake(folder.path(), &["sleep-then", "sat", "900"], "");
    target.behaviour.features.extend([Feature::Objectives]);
    let limits = Limits { wall: Duration::from_millis(200), ..LIMITS };
    let mut solver = Solver::new(Arc::new(target), settings(limits, false));
    match solver.run(&front(), Mode::Fresh).expect("the harness works") {
        Ran::Observed(run) => assert_eq!(run.observation.answer, Answer::Timeout),
        Ran::Skipped(reason) => panic!("{reason}"),
    }
}

#[test]
fn any_option_can_be_given_to_a_solver() {
    let Some(target) = real("z3") else { return };
    let option = |text: &str| text.parse::<Chosen>().expect("an option");
    let answer = |chosen: &str| {
        let target = target.with_any_options(&[option(chosen)]).expect("any option can be written");
        let mut solver = Solver::new(Arc::new(target), settings(LIMITS, true));
        let case = case("(declare-const x Int)(assert (> x 4))(check-sat)");
        match solver.run(&case, Mode::Fresh).expect("the harness works") {
            Ran::Observed(run) => run.observation.answer,
            Ran::Skipped(reason) => panic!("skipped: {reason}"),
        }
    };
    assert_eq!(answer("smt.qi.eager_threshold=5"), Answer::Sat);
    assert!(matches!(answer("no.such.option=5"), Answer::Rejected(_)));
}
