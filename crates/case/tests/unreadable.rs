//! Right answers, corrupted in every way: none of them is ever judged right.

use assay_case::{
    Ending, Extremum, FindingKind, Formula, Judgement, Observation, Optima, Oracle, Origin, Output,
    Part, TestCase, Why, Witness, check_model, judge,
};
use assay_term::{Int, Value};
use std::time::Duration;

/// A formula, its truth, what is asked, and the right answer: the verdict and a reply to each
/// question.
struct Right {
    formula: &'static str,
    truth: Truth,
    asked: &'static [Part],
    verdict: &'static str,
    replies: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
enum Truth {
    Model(&'static str),
    SaidSat,
    Unsat,
    Optimum(i64),
}

const X: &str = "(declare-const x Int)(declare-const b Bool)(declare-const v (_ BitVec 4))
    (assert (= x 5))(assert b)(assert (= v #b1010))(check-sat)";
const MODEL: &str = "(\n(define-fun x () Int 5)\n(define-fun b () Bool true)\n(define-fun v () (_ BitVec 4) #b1010)\n)";
const OLD: &str =
    "(model (define-fun x () Int 5)(define-fun b () Bool true)(define-fun v () (_ BitVec 4) #xa))";
const YICES: &str = "(= x 5)\n(= b true)\n(= v #b1010)";
const NEVER: &str = "(declare-const x Int)(assert (! (> x 3) :named a))
    (assert (! (< x 3) :named |b c|))(check-sat)";
const BEST: &str = "(declare-const x Int)(assert (<= 0 x 9))(maximize x)(check-sat)";

const RIGHT: [Right; 6] = [
    Right {
        formula: X,
        truth: Truth::Model(MODEL),
        asked: &[Part::Model],
        verdict: "sat",
        replies: &[MODEL],
    },
    Right {
        formula: X,
        truth: Truth::SaidSat,
        asked: &[Part::Model],
        verdict: "sat",
        replies: &[OLD],
    },
    Right {
        formula: X,
        truth: Truth::SaidSat,
        asked: &[Part::Model],
        verdict: "sat",
        replies: &[YICES],
    },
    Right {
        formula: NEVER,
        truth: Truth::Unsat,
        asked: &[Part::Core],
        verdict: "unsat",
        replies: &["(a |b c|)"],
    },
    Right {
        formula: NEVER,
        truth: Truth::Unsat,
        asked: &[Part::Model, Part::Core],
        verdict: "unsat",
        replies: &["(error \"model is not available\")", "(a |b c|)"],
    },
    Right {
        formula: BEST,
        truth: Truth::Optimum(9),
        asked: &[Part::Model, Part::Objectives],
        verdict: "sat",
        replies: &["((define-fun x () Int 9))", "(objectives\n (x 9)\n)"],
    },
];

fn case(right: &Right) -> TestCase {
    let mut formula = Formula::read(right.formula).expect("a formula");
    let why = Why::Certified(Vec::new());
    let oracle = match right.truth {
        Truth::Model(text) => {
            let model = formula.read_model(text).expect("a model");
            Oracle::Sat(Witness::Checked(check_model(&formula, model).expect("true")))
        }
        Truth::SaidSat => Oracle::Sat(Witness::Declared("a file".into())),
        Truth::Unsat => Oracle::Unsat { why, core: None },
        Truth::Optimum(best) => {
            let optima = vec![Extremum::Value(Value::Int(Int::from(best)))];
            Oracle::Optimum { optima: Optima::Each(optima), why, witness: None }
        }
    };
    TestCase::formula("case", formula, oracle, Origin::default()).expect("a fitting oracle")
}

fn judged(right: &Right, stdout: &str, ending: Ending) -> Judgement {
    let case = case(right);
    let formula = Formula::read(right.formula).expect("a formula");
    let elapsed = Duration::from_millis(3);
    let output = Output { stdout, stderr: "", ending, elapsed, asked: right.asked };
    judge(&case, &Observation::from_output(&output, &formula))
}

fn printed(right: &Right, replies: &[&str]) -> String {
    format!("{}\n{}\n", right.verdict, replies.join("\n"))
}

const FINE: Ending = Ending::Exited(0);

/// Whether the reply is to a question that the verdict makes sense of.
fn matters(right: &Right, at: usize) -> bool {
    match right.verdict {
        "sat" => right.asked[at] != Part::Core,
        _ => right.asked[at] == Part::Core,
    }
}

/// What stands in the place of a reply; the flag says that it is the tool's fault for certain.
fn in_its_place() -> Vec<(&'static str, bool)> {
    vec![
        ("", false),
        ("(error \"not available\")", false),
        ("(error \"no end", false),
        ("unsupported", false),
        ("Segmentation fault", true),
        ("((((", true),
        ("(1 2 3)", true),
        ("((hello world))", true),
        ("\"a string\"", true),
        ("\u{1}\u{2}", true),
        ("<xml/>", true),
    ]
}

#[test]
fn right_answers_are_judged_correct() {
    for right in &RIGHT {
        let seen = judged(right, &printed(right, right.replies), FINE);
        assert_eq!(seen, Judgement::Correct, "{} {:?}", right.verdict, right.replies);
    }
}

#[test]
fn wrong_replies_are_never_right() {
    for right in &RIGHT {
        for at in (0..right.replies.len()).filter(|&at| matters(right, at)) {
            for (other, by_tool) in in_its_place() {
                let mut replies = right.replies.to_vec();
                replies[at] = other;
                let seen = judged(right, &printed(right, &replies), FINE);
                let told = format!("{:?} for {:?}: {seen:?}", other, right.asked[at]);
                match &seen {
                    Judgement::Finding(finding) => {
                        let kind = finding.kind;
                        // Names that nobody asserted are a wrong core, not an unreadable one.
                        let core =
                            right.asked[at] == Part::Core && kind == FindingKind::InvalidCore;
                        assert!(kind == FindingKind::UnreadableAnswer && by_tool || core, "{told}");
                    }
                    Judgement::Inconclusive(_) => assert!(!by_tool, "{told}"),
                    _ => panic!("{told}"),
                }
            }
        }
    }
}

/// Cut at every place: by the tool, which is its fault, or by a limit, which is not.
#[test]
fn truncated_answers_are_never_right() {
    let ends = [FINE, Ending::Exited(1), Ending::TimedOut, Ending::OutOfMemory];
    for right in &RIGHT {
        let whole = printed(right, right.replies);
        let whole = whole.trim_end();
        for length in right.verdict.len() + 1..whole.len() {
            for ending in ends {
                let seen = judged(right, &whole[..length], ending);
                let told = format!("{:?} {ending}: {seen:?}", &whole[..length]);
                match &seen {
                    Judgement::Correct => panic!("{told}"),
                    Judgement::Finding(finding) => {
                        assert_eq!(finding.kind, FindingKind::UnreadableAnswer, "{told}");
                        assert!(matches!(ending, Ending::Exited(_)), "{told}");
                    }
                    Judgement::Inconclusive(_) | Judgement::OracleContradicted(_) => {}
                }
                let inside =
                    whole[..length].matches('(').count() > whole[..length].matches(')').count();
                let error = whole[..length].ends_with("(error \"model is not available\"")
                    || whole[..length].contains("(error") && !whole[..length].contains("\")");
                if ending == FINE && inside && !error {
                    assert!(matches!(seen, Judgement::Finding(_)), "{told}");
                }
            }
        }
    }
}

/// Each value of a model replaced by something of another sort, or by nothing that is a value.
#[test]
fn ill_sorted_values_are_never_right() {
    let certain = ["\"text\"", "#b1", "(+ 1 2 true)", "", "()", "(hello)", "@", "5 5"];
    for right in RIGHT.iter().filter(|right| right.replies.len() == 1 && right.verdict == "sat") {
        for value in ["5", "true", "#b1010", "#xa"] {
            for other in certain {
                let model = right.replies[0];
                let Some(at) = model.rfind(&format!(" {value})")) else { continue };
                let spoiled = format!("{} {other}{}", &model[..at], &model[at + 1 + value.len()..]);
                let seen = judged(right, &printed(right, &[&spoiled]), FINE);
                assert!(!matches!(seen, Judgement::Correct), "{spoiled}: {seen:?}");
                if ["\"text\"", "#b1"].contains(&other) {
                    let Judgement::Finding(finding) = &seen else { panic!("{spoiled}: {seen:?}") };
                    assert_eq!(finding.kind, FindingKind::UnreadableAnswer, "{spoiled}: {seen:?}");
                    let words = finding.evidence.to_string();
                    assert!(words.contains("ill-sorted value"), "{words}");
                }
            }
        }
    }
}

/// What we cannot represent is not the tool's fault, even where it is of no consequence.
#[test]
fn unrepresentable_values_are_inconclusive() {
    let formula = "(declare-const x Real)(declare-const y Real)(assert (= x 1.0))(check-sat)";
    for value in ["(root-obj (+ (^ x 2) (- 2)) 1)", "(_ real_algebraic_number <1*x^2 + (-2)>)"] {
        let model = format!("((define-fun x () Real 1.0)(define-fun y () Real {value}))");
        let right = Right {
            formula,
            truth: Truth::SaidSat,
            asked: &[Part::Model],
            verdict: "sat",
            replies: &[],
        };
        let seen = judged(&right, &printed(&right, &[&model]), FINE);
        assert!(matches!(seen, Judgement::Inconclusive(_)), "{value}: {seen:?}");
    }
}

/// Answers that solvers give and that are fine: noise beside them, omitted constants, helpers.
#[test]
fn other_shapes_of_right_answers_stay_right() {
    let right = &RIGHT[1];
    let entries = "(define-fun x () Int 5)(define-fun b () Bool true)\
                   (define-fun v () (_ BitVec 4) #b1010)";
    for stdout in [
        format!("sat\nWARNING: slow\n({entries})\n"),
        format!("sat\n({entries})\nWARNING: slow\n"),
        format!("sat\n({entries}(define-fun k!0 ((a Int)) Int (ite (= a 1) 2 3)))\n"),
        format!("sat\n; a comment\n(model {entries})\n"),
        format!("sat\n{entries}\n"),
        "sat\n((x 5) (b true) (v #b1010) ((+ x 1) 6))\n".to_owned(),
    ] {
        assert_eq!(judged(right, &stdout, FINE), Judgement::Correct, "{stdout}");
    }
}

/// What is judged of an answer to a formula of unknown truth.
fn said(text: &str, asked: &[Part], stdout: &str) -> String {
    let formula = Formula::read(text).expect("a formula");
    let elapsed = Duration::from_millis(3);
    let output = Output { stdout, stderr: "", ending: Ending::Exited(0), elapsed, asked };
    let seen = Observation::from_output(&output, &formula);
    let case = TestCase::formula("case", formula, Oracle::Open, Origin::default());
    match judge(&case.expect("an open truth fits"), &seen) {
        Judgement::Correct => "correct".into(),
        Judgement::Inconclusive(doubt) => format!("inconclusive: {doubt}"),
        Judgement::Finding(finding) => finding.to_string(),
        Judgement::OracleContradicted(contradiction) => format!("contradicted: {contradiction}"),
    }
}

#[test]
fn two_values_for_one_constant_are_unreadable() {
    const TWICE: &str = "(declare-const x Int)(declare-fun f (Int) Int)
        (assert (> x 3))(assert (= (f 1) 2))(check-sat)";
    const F: &str = "(define-fun f ((a Int)) Int 2)";
    let model = |entries: &str| said(TWICE, &[Part::Model], &format!("sat\n({entries} {F})"));
    let (good, bad) = ("(define-fun x () Int 5)", "(define-fun x () Int 1)");
    assert_eq!(model(good), "correct");
    assert_eq!(model(&format!("{good} {good}")), "correct");
    for entries in [format!("{good} {bad}"), format!("{bad} {good}")] {
        let expected = "unreadable-answer (certified): the model has two values for `x`";
        assert_eq!(model(&entries), expected, "{entries}");
    }
}

#[test]
fn a_satisfiable_core_is_invalid() {
    const BITS: &str = "(declare-const v (_ BitVec 4))(assert (! (bvult v #x3) :named a))
        (assert (! (bvugt v #x5) :named b))(assert (! (= v (bvmul v v)) :named c))(check-sat)";
    let core = |names: &str| said(BITS, &[Part::Core], &format!("unsat\n({names})"));
    let wrong = "invalid-core (certified): the assertions of the core have a model";
    assert_eq!(core("a c"), wrong);
    assert_eq!(core("a a"), wrong);
    assert!(core("a b").starts_with("inconclusive"), "{}", core("a b"));
    assert!(core("a b c").starts_with("inconclusive"), "{}", core("a b c"));
}
