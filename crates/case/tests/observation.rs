//! Outputs as solvers print them, and what they are taken for.

use assay_case::{Answer, Ending, Formula, Observation, Output};
use std::time::Duration;

/// What the answer to the check of this number is taken for.
fn observe(stdout: &str, stderr: &str, ending: Ending, check: usize) -> Observation {
    let formula = Formula::read("(check-sat)".repeat(check + 1)).expect("a script");
    let elapsed = Duration::from_millis(5);
    Observation::from_output(&Output { stdout, stderr, ending, elapsed, asked: &[] }, &formula)
}

#[test]
fn output_is_classified_as_an_answer() {
    let fine = Ending::Exited(0);
    let table = [
        ("sat\n", "", fine, "sat"),
        ("unknown (INCOMPLETE)\n", "", fine, "unknown: INCOMPLETE"),
        ("unknown (TIMEOUT)\n", "", fine, "timeout"),
        ("unknown\n(:reason-unknown incomplete)", "", fine, "unknown: incomplete"),
        (
            "unknown\n(:reason-unknown \"(incomplete (theory a))\")",
            "",
            fine,
            "unknown: (incomplete (theory a))",
        ),
        ("unknown\n(:reason-unknown \"max. resource limit exceeded\")", "", fine, "timeout"),
        ("unknown\n(:reason-unknown \"(resource limits reached)\")", "", fine, "timeout"),
        ("unknown\n(:reason-unknown memout)", "", fine, "out-of-memory"),
        ("unknown\n(:reason-unknown \"\")", "", fine, "unknown"),
        ("timeout\n", "", fine, "timeout"),
        ("", "", Ending::TimedOut, "timeout"),
        ("sat\n", "", Ending::TimedOut, "sat"),
        ("", "", Ending::OutOfMemory, "out-of-memory"),
        // cvc5 aborts when its own clock runs out.
        ("", "cvc5 interrupted by timeout.\n", Ending::Signalled(6), "timeout"),
        (
            "",
            "terminate called after throwing an instance of 'std::bad_alloc'",
            Ending::Signalled(6),
            "out-of-memory",
        ),
        ("(error \"std::bad_alloc\")", "", Ending::Exited(1), "out-of-memory"),
        ("(error \"line 5 column 10: canceled\")", "", Ending::Exited(1), "timeout"),
        (
            "(error \"unknown option :timeout in script\")",
            "",
            Ending::Exited(1),
            "rejected: unknown option :timeout in script",
        ),
        ("", "bad option --timeout", Ending::Exited(1), "rejected: bad option --timeout"),
        (
            "ERROR: unknown parameter 'foo'\nLegal parameters are:\n",
            "",
            Ending::Exited(110),
            "rejected: ERROR: unknown parameter 'foo'",
        ),
        ("", "no set-logic was given", fine, "garbled: no set-logic was given"),
        ("", "", Ending::Exited(3), "garbled: no output, exit code 3"),
        ("(error \"not closed\nsat\n", "", fine, "rejected: not closed sat"),
        ("(error \"unknown option timeout\")\nsat\n", "", fine, "rejected: unknown option timeout"),
        // Quotes inside are not doubled: still an error, and what follows is no answer.
        (
            "(error \"Parse Error: junk (\"FOO) at end\")\nsat\n",
            "",
            fine,
            "rejected: Parse Error: junk (\"FOO) at end",
        ),
        ("(error \"a \"\"b\"\" c\")\nunsat", "", fine, "rejected: a \"b\" c"),
        (
            "",
            "Fatal failure within f at ./src/a.cpp:12\n",
            Ending::Signalled(6),
            "crash: signal 6, Fatal failure within f at a.cpp:#",
        ),
        (
            "ASSERTION VIOLATION\nFile: ../src/a.cpp\nLine: 3\n",
            "",
            Ending::Exited(114),
            "crash: exit code 114, ASSERTION VIOLATION File: a.cpp",
        ),
        ("", "", Ending::Signalled(11), "crash: signal 11"),
    ];
    for (stdout, stderr, ending, expected) in table {
        let seen = observe(stdout, stderr, ending, 0);
        assert_eq!(seen.answer.to_string(), expected, "{stdout:?} {stderr:?}");
        assert_eq!(seen.crash_after, None);
    }
}

#[test]
fn replies_after_the_verdict_are_kept() {
    let seen = observe(
        "sat\n(objectives\n (x 1)\n)\n(\n  (define-fun x () Int 1)\n)\n((x 1))",
        "",
        Ending::Exited(0),
        0,
    );
    assert_eq!(seen.objectives.as_deref(), Some("(objectives\n (x 1)\n)"));
    assert_eq!(seen.model.as_deref(), Some("(\n  (define-fun x () Int 1)\n)"));
    // Without an envelope, the entries together are the model.
    let seen = observe("sat\n(= x 1)\n(= y 2)\n((x 1))", "", Ending::Exited(0), 0);
    assert_eq!(seen.model.as_deref(), Some("(= x 1)\n(= y 2)"));
    let seen = observe("unsat\n(a\n |b c|)\n", "", Ending::Exited(0), 0);
    assert_eq!(seen.core, Some(vec!["a".to_owned(), "b c".to_owned()]));
    assert_eq!(seen.model, None);
    // A core that is no list of names is no core.
    assert_eq!(observe("unsat\n((not p))", "", Ending::Exited(0), 0).core, None);
    // Nothing after an error is used.
    let seen = observe("sat\n(error \"no\")\n((x 1))", "", Ending::Exited(1), 0);
    assert_eq!((seen.answer, seen.model), (Answer::Sat, None));
}

#[test]
fn the_verdict_asked_for_counts() {
    let stdout = "sat\n((define-fun x () Int 1))\nunsat\n(a)\nsat\n((define-fun x () Int 3))\n";
    let seen = observe(stdout, "", Ending::Exited(0), 2);
    assert_eq!((seen.answer, seen.model.is_some(), seen.core), (Answer::Sat, true, None));
    // Of more verdicts than questions nobody knows which is meant.
    for check in [0, 1] {
        let seen = observe(stdout, "", Ending::Exited(0), check);
        let words = format!("garbled: 3 verdicts instead of {}", check + 1);
        assert_eq!((seen.answer.to_string(), seen.model, seen.core), (words, None, None));
    }
    let seen = observe(stdout, "", Ending::Exited(0), 3);
    assert_eq!(seen.answer.name(), "garbled");
    assert_eq!(seen.verdicts, [Answer::Sat, Answer::Unsat, Answer::Sat]);
    let late = observe("sat\n(error \"x\")\nsat\n", "", Ending::Exited(1), 1);
    assert_eq!(late.answer, Answer::Rejected("x".into()));
}

#[test]
fn a_crash_after_the_verdict_is_recorded() {
    let seen = observe("sat\n", "", Ending::Signalled(11), 0);
    assert_eq!(seen.crash_after.map(|signature| signature.to_string()), Some("signal 11".into()));
    // z3 exits with 1 after any error: not a death.
    let seen = observe("sat\n(error \"no model\")\n", "", Ending::Exited(1), 0);
    assert_eq!((seen.answer, seen.crash_after), (Answer::Sat, None));
}
