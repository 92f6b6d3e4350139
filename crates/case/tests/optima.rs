//! Priorities of objectives, optima that are not attained, and Pareto fronts.

use assay_case::{
    CaseError, Ending, Extremum, Formula, Judgement, Observation, Optima, Oracle, Origin, Output,
    Part, Point, Priority, TestCase, Why, judge,
};
use num_rational::BigRational;
use std::time::Duration;

const STRICT: &str = "(declare-const x Real)\n(assert (> x 3.0))\n(minimize x)\n(check-sat)";
const BOX: &str = "(set-option :opt.priority box)\n(declare-const x Int)\n(assert (<= 0 x 9))\n\
    (minimize x)\n(maximize x)\n(check-sat)";
const FRONT: &str = "(set-option :opt.priority pareto)\n(declare-const x Int)\n\
    (declare-const y Int)\n(assert (or (and (>= x 1) (>= y 5)) (and (>= x 3) (>= y 2))))\n\
    (minimize x)\n(minimize y)\n(check-sat)\n(check-sat)\n(check-sat)";

fn above(n: i64) -> Extremum {
    Extremum::JustAbove(BigRational::from_integer(n.into()).into())
}

fn below(n: i64) -> Extremum {
    Extremum::JustBelow(BigRational::from_integer(n.into()).into())
}

fn optimum(optima: Optima) -> Oracle {
    Oracle::Optimum { optima, why: Why::Certified(vec!["rule-a".into()]), witness: None }
}

fn front(points: &[[i64; 2]]) -> Optima {
    Optima::Front(points.iter().map(|point| Point(point.map(Extremum::from).into())).collect())
}

fn judged(text: &str, optima: Optima, stdout: &str) -> String {
    let is_front = matches!(optima, Optima::Front(_));
    let formula = Formula::read(text).expect("a formula");
    let output = Output {
        stdout,
        stderr: "",
        ending: Ending::Exited(0),
        elapsed: Duration::from_secs(1),
        asked: if is_front { &[Part::Model, Part::Objectives] } else { &[] },
    };
    let seen = match is_front {
        true => Observation::from_front(&output, &formula),
        false => Observation::from_output(&output, &formula),
    };
    let case = TestCase::formula("case", formula, optimum(optima), Origin::default());
    match judge(&case.expect("a fitting oracle"), &seen) {
        Judgement::Correct => "correct".into(),
        Judgement::Inconclusive(doubt) => format!("inconclusive: {doubt}"),
        Judgement::Finding(finding) => finding.to_string(),
        Judgement::OracleContradicted(contradiction) => format!("contradicted: {contradiction}"),
    }
}

#[test]
fn unattained_optima_are_compared_with_reported_values() {
    let table = [
        (above(3), "(+ 3.0 epsilon)", "correct"),
        // How far away is not said.
        (above(3), "(+ 3.0 (* 2.0 epsilon))", "correct"),
        (
            above(3),
            "3.0",
            "wrong-optimum (certified): objective 1: reported 3, which is better than possible; \
             the optimum is (+ 3 epsilon)",
        ),
        (
            above(3),
            "4.0",
            "wrong-optimum (certified): objective 1: reported 4, which is worse than possible; \
             the optimum is (+ 3 epsilon)",
        ),
        (
            above(3),
            "(+ 3.0 (* (- 1.0) epsilon))",
            "wrong-optimum (certified): objective 1: reported (- 3 epsilon), which is better than \
             possible; the optimum is (+ 3 epsilon)",
        ),
        (
            above(3),
            "(* (- 1) oo)",
            "wrong-optimum (certified): objective 1: reported (- oo), which is better than \
             possible; the optimum is (+ 3 epsilon)",
        ),
        (
            above(3),
            "(interval 3.0 4.0)",
            "inconclusive: the objectives decide nothing: objective 1 is only said to be between \
             3 and 4",
        ),
        (
            above(3),
            "(interval (+ 3.5 epsilon) 4.0)",
            "wrong-optimum (certified): objective 1: reported between (+ 7/2 epsilon) and 4, which \
             excludes the optimum (+ 3 epsilon)",
        ),
        (
            above(3),
            "(+ 3.0 (* epsilon epsilon))",
            "inconclusive: the objectives decide nothing: the value of objective 1 is not a plain \
             number",
        ),
        (
            below(3),
            "3.0",
            "wrong-optimum (certified): objective 1: reported 3, which is worse than possible; the \
             optimum is (- 3 epsilon)",
        ),
    ];
    for (truth, reported, expected) in table {
        let stdout = format!("sat\n(objectives\n (x {reported})\n)");
        assert_eq!(judged(STRICT, Optima::Each(vec![truth]), &stdout), expected, "{reported}");
    }
    // A model that reaches what cannot be reached refutes us.
    let stdout = "sat\n(objectives\n (x 4.0)\n)\n((define-fun x () Real 4.0))";
    assert_eq!(
        judged(STRICT, Optima::Each(vec![above(5)]), stdout),
        "contradicted: the optimum of objective 1 should be (+ 5 epsilon), but a model has 4"
    );
}

#[test]
fn box_objectives_need_no_common_model() {
    let each = || Optima::Each(vec![Extremum::from(0), Extremum::from(9)]);
    let model = "((define-fun x () Int 0))";
    let stdout = format!("sat\n(objectives\n (x 0)\n (x 9)\n)\n{model}");
    assert_eq!(judged(BOX, each(), &stdout), "correct");
    assert_eq!(
        judged(BOX, Optima::Each(vec![Extremum::from(-1), Extremum::from(-2)]), &stdout),
        "contradicted: the optimum of objective 2 should be -2, but a model has 0"
    );
    let ranked = BOX.replace("box", "lex");
    assert_eq!(
        judged(&ranked, each(), &stdout),
        "wrong-optimum (certified): objective 2: the model has 0, not the optimum 9 that is \
         reported"
    );
    let priority = |text: &str| Formula::read(text).expect("a formula").priority();
    assert_eq!(priority(BOX), Priority::Box);
    assert_eq!(priority(STRICT), Priority::Lexicographic);
    assert_eq!(priority(FRONT), Priority::Pareto);
}

#[test]
fn only_pareto_formulas_have_fronts() {
    let point = |values: &[i64]| Point(values.iter().map(|&n| n.into()).collect());
    let table = [
        (BOX, front(&[[0, 9]]), Err(CaseError::Priority)),
        (FRONT, Optima::Each(vec![Extremum::from(1), Extremum::from(2)]), Err(CaseError::Priority)),
        (FRONT, Optima::Front(Vec::new()), Err(CaseError::Priority)),
        (
            FRONT,
            Optima::Front(vec![point(&[1, 5]), point(&[3])]),
            Err(CaseError::Objectives { optima: 1, objectives: 2 }),
        ),
        (FRONT, front(&[[1, 5], [3, 2]]), Ok(())),
    ];
    for (text, optima, expected) in table {
        let words = format!("{optima:?}");
        let formula = Formula::read(text).expect("a formula");
        let case = TestCase::formula("case", formula, optimum(optima), Origin::default());
        assert_eq!(case.map(|_| ()), expected, "{words}");
    }
}

/// What is printed for a point.
fn reply(point: [i64; 2], model: [i64; 2]) -> String {
    let [x, y] = model;
    format!(
        "sat\n((define-fun x () Int {x}) (define-fun y () Int {y}))\n\
         (objectives\n (x {})\n (y {})\n)\n",
        point[0], point[1]
    )
}

#[test]
fn every_point_of_a_front_is_judged() {
    let at = |point: [i64; 2]| reply(point, point);
    let (first, second) = (at([1, 5]), at([3, 2]));
    // z3 answers questions after `unsat` with an error.
    let end = "unsat\n(error \"line 9 column 10: model is not available\")\n(objectives\n)\n";
    let table = [
        (format!("{first}{second}unsat\n"), "correct"),
        (format!("{second}{first}unsat\n"), "correct"),
        (format!("{first}{second}{end}"), "correct"),
        (
            format!("{first}{end}sat\n"),
            "wrong-optimum (certified): check 2: says that there is no further Pareto-optimal \
             point, but (3 2) is one",
        ),
        (
            format!("{first}{first}unsat\n"),
            "wrong-optimum (certified): check 2: reported (1 5), which is a repetition",
        ),
        (
            format!("{}{second}unsat\n", at([2, 5])),
            "wrong-optimum (certified): check 1: reported (2 5), which is not Pareto-optimal",
        ),
        (
            format!("{}{second}unsat\n", reply([1, 5], [0, 5])),
            "invalid-model (certified): assertion 1 (line 4) is false under the model",
        ),
        // What was wrong stays wrong, even if the solver does not finish.
        (
            format!("{}unknown\n", at([2, 5])),
            "wrong-optimum (certified): check 1: reported (2 5), which is not Pareto-optimal",
        ),
        (format!("{first}unknown\n"), "unknown (certified): no reason is given"),
        (
            format!("{first}{second}sat\n"),
            "wrong-optimum (certified): check 3 of 3: the truth is unsat",
        ),
        (format!("unsat\n{end}"), "wrong-unsat (certified): the truth is sat, certified by rule-a"),
        (
            format!(
                "{first}sat\n((define-fun x () Int 3) (define-fun y () Int 2))\n(objectives\n (x 3)\n (y  (interval 1 3))\n)\nunsat\n"
            ),
            "inconclusive: the objectives decide nothing: the value of objective 2 is not a plain \
             number",
        ),
        (
            format!("{first}sat\n((define-fun x () Int 3) (define-fun y () Int 2))\nunsat\n"),
            "inconclusive: the objectives decide nothing: none were reported",
        ),
    ];
    for (stdout, expected) in table {
        assert_eq!(judged(FRONT, front(&[[1, 5], [3, 2]]), &stdout), expected, "{stdout}");
    }
    // A model that no point of our front reaches refutes us.
    let stdout = format!("{first}unsat\n");
    assert_eq!(
        judged(FRONT, front(&[[3, 2]]), &stdout),
        "contradicted: a model has (1 5), which is not worse than any point of the Pareto front"
    );
    assert_eq!(
        judged(FRONT, front(&[[1, 5], [3, 2]]), "sat\n(error \"out of luck\")\n"),
        "rejected (certified): out of luck"
    );
}
