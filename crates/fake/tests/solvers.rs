//! Misbehaving tools as targets: a description in TOML, a case with a known truth, and what the
//! runner and the judge make of each.

mod targets;

use assay_case::{
    Answer, Formula, Judgement, Oracle, Origin, TestCase, Witness, check_model, judge,
};
use assay_target::process::{Limits, Sandbox};
use assay_target::{Mode, Ran, Run, Solver, Target};
use std::sync::Arc;
use std::time::Duration;
use targets::{TIGHT, fake, fake_solver as solver, settings};

/// A satisfiable case over integers.
fn case() -> TestCase {
    let text = "(declare-const x Int)(assert (> x 4))(check-sat)(get-model)";
    let mut formula = Formula::read(text).expect("the text is right");
    let model = formula.read_model("((define-fun x () Int 5))").expect("the model is right");
    let witness = Witness::Checked(check_model(&formula, model).expect("it holds"));
    TestCase::formula("fake", formula, Oracle::Sat(witness), Origin::default()).expect("a case")
}

fn run(solver: &mut Solver, mode: Mode) -> Run {
    match solver.run(&case(), mode).expect("the harness works") {
        Ran::Observed(run) => *run,
        Ran::Skipped(reason) => panic!("skipped: {reason}"),
    }
}

/// What the runner sees, and what the judge says, in one line.
fn seen(way: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run(&mut solver(folder.path(), way, false), Mode::Fresh);
    let judgement = match judge(&case(), &run.observation) {
        Judgement::Correct => "correct".to_owned(),
        Judgement::Inconclusive(_) => "inconclusive".to_owned(),
        Judgement::Finding(finding) => finding.kind.name().to_owned(),
        Judgement::OracleContradicted(how) => panic!("{how}"),
    };
    format!("{} -> {judgement}", run.observation.answer.name())
}

#[test]
fn each_misbehaviour_is_classified() {
    let table: &[(&[&str], &str)] = &[
        // A model was asked for, and none came.
        (&["say", "sat"], "sat -> inconclusive"),
        (&["say", "unsat"], "unsat -> wrong-unsat"),
        (&["say", "unknown"], "unknown -> unknown"),
        (&["sleep-then", "sat", "200"], "sat -> inconclusive"),
        (&["hang"], "timeout -> timeout"),
        (&["spin"], "timeout -> timeout"),
        (&["garbage"], "garbled -> inconclusive"),
        (&["say"], "garbled -> inconclusive"),
        (&["half-model"], "sat -> unreadable-answer"),
        (&["half-model-and-hang"], "sat -> inconclusive"),
        (&["flood", "1000000000"], "garbled -> inconclusive"),
        (&["flood-errors"], "garbled -> inconclusive"),
        (&["error-then-sat"], "rejected -> rejected"),
        (&["orphan"], "sat -> inconclusive"),
        (&["eat-memory", "500"], "out-of-memory -> out-of-memory"),
        (&["eat-memory-in-child", "500"], "out-of-memory -> out-of-memory"),
        (&["answer-then-signal", "11"], "sat -> crash"),
        (&["exit", "3"], "garbled -> inconclusive"),
    ];
    for (way, expected) in table {
        assert_eq!(seen(way), *expected, "{way:?}");
    }
}

#[test]
fn death_by_any_signal_is_a_crash() {
    // Not among them: those that stop a process, and those that it may ignore by default.
    for signal in ["4", "6", "7", "8", "11", "15", "24", "31"] {
        assert_eq!(seen(&["signal", signal]), "crash -> crash", "signal {signal}");
    }
}

#[test]
fn each_fresh_run_is_a_new_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("been-here");
    let way = ["fickle", &file.to_string_lossy()];
    let mut settings = settings(TIGHT, false);
    // What it remembers lies outside of its folder.
    settings.launcher.sandbox = Sandbox::Off;
    let mut solver = Solver::new(Arc::new(fake(folder.path(), &way, "")), settings);
    assert_eq!(run(&mut solver, Mode::Fresh).observation.answer, Answer::Sat);
    assert_eq!(run(&mut solver, Mode::Fresh).observation.answer, Answer::Unsat);
}

#[test]
fn runs_record_containment_cpu_and_ending() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run(&mut solver(folder.path(), &["say", "sat"], false), Mode::Fresh);
    assert!(
        ["cgroup-v2", "cgroup-v1", "subreaper"].contains(&run.containment.to_string().as_str())
    );
    assert!(run.cpu.is_some() && run.ending.is_some());
}

#[test]
fn cases_that_need_more_than_a_target_offers_are_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut solver = solver(folder.path(), &["say", "sat"], false);
    let table = [
        ("(declare-const s String)(check-sat)", "does not offer strings"),
        ("(declare-const x Int)(assert (= (abs x) 1))(check-sat)", "does not know abs"),
    ];
    for (text, why) in table {
        let formula = Formula::read(text).expect("a formula");
        let case = TestCase::formula("needs", formula, Oracle::Open, Origin::default());
        let ran = solver.run(&case.expect("a case"), Mode::Fresh).expect("the harness works");
        let Ran::Skipped(reason) = ran else { panic!("it was run") };
        assert!(reason.contains(why), "{reason}");
    }
}

#[test]
fn a_session_that_dies_is_restarted() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut solver = solver(folder.path(), &["session-that-dies", "3"], true);
    let answers: Vec<&str> =
        (0..8).map(|_| run(&mut solver, Mode::Session).observation.answer.name()).collect();
    assert_eq!(answers, ["sat", "sat", "crash", "sat", "sat", "crash", "sat", "sat"]);
}

/// In a session and in a process of its own, and never longer than the limit.
#[test]
fn a_case_times_out_after_its_slice() {
    let long = Duration::from_secs(60);
    for (slice, wall) in [(Duration::from_millis(80), long), (long, Duration::from_millis(80))] {
        for sessions in [true, false] {
            let folder = tempfile::tempdir().expect("a folder");
            let target = Arc::new(fake(folder.path(), &["hang"], ""));
            let limits = Limits { wall, ..TIGHT };
            let mut solver = Solver::new(target, settings(limits, sessions));
            let seen = run(&mut solver, Mode::Slice(slice)).observation;
            assert_eq!(seen.answer, Answer::Timeout);
            assert_eq!(seen.limit, Some(slice.min(wall)));
        }
    }
    // A verdict without the rest of what was asked is not all.
    let folder = tempfile::tempdir().expect("a folder");
    let target = Arc::new(fake(folder.path(), &["half-model-and-hang"], ""));
    let mut solver = Solver::new(target, settings(Limits { wall: long, ..TIGHT }, false));
    let slice = Duration::from_millis(700);
    let seen = run(&mut solver, Mode::Slice(slice)).observation;
    assert_eq!((seen.answer, seen.limit), (Answer::Sat, Some(slice)));
    let folder = tempfile::tempdir().expect("a folder");
    let target = Arc::new(fake(folder.path(), &["say", "sat"], ""));
    let mut solver = Solver::new(target, settings(Limits { wall: long, ..TIGHT }, false));
    let seen = run(&mut solver, Mode::Slice(long / 2)).observation;
    assert_eq!((seen.answer, seen.limit), (Answer::Sat, Some(long)), "our time does not shrink");
}

#[test]
fn messages_name_the_limit() {
    let table: [(&[&str], &str); 4] = [
        (&["eat-memory", "4000"], "out-of-memory (certified): limit 64 MiB"),
        (&["flood", "100000000"], "more than 1 MiB of output"),
        (&["flood-errors"], "more than 1 MiB of output"),
        (&["attack", "fork", "300"], "ended by a limit of the sandbox: more than 256 processes"),
    ];
    for (way, words) in table {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = Limits { wall: Duration::from_secs(20), ..TIGHT };
        let limits = match way {
            // Three hundred processes need more memory than a tight limit leaves them.
            ["attack", ..] => Limits { memory: None, ..limits },
            _ => limits,
        };
        let target = Arc::new(fake(folder.path(), way, ""));
        let run = run(&mut Solver::new(target, settings(limits, false)), Mode::Fresh);
        let said = match judge(&case(), &run.observation) {
            Judgement::Finding(finding) => finding.to_string(),
            Judgement::Inconclusive(doubt) => doubt.to_string(),
            other => panic!("{way:?}: {other:?}"),
        };
        assert!(said.contains(words), "{way:?}: {said}");
    }
}
