//! Formula, truth, a solver's output, and what the judge makes of it.

use assay_case::rewrite::Assignments;
use assay_case::{
    Answer, Breach, CrashSignature, Death, Ending, Exactness, ExpectedCore, Extremum, FindingKind,
    Formula, Judgement, Observation, Optima, Oracle, Origin, Output, Program, ProgramTest,
    Severity, TestCase, Violation, Why, Witness, check_model, judge,
};
use assay_term::{Int, Value};
use std::collections::BTreeSet;
use std::time::Duration;

/// A truth, in short.
enum Truth {
    /// Sat, by this model.
    Model(&'static str),
    /// Sat, says somebody.
    Sat,
    /// Unsat, by a rule.
    Unsat,
    /// Unsat, says somebody.
    SaidUnsat,
    /// Unsat, with this core.
    Core(&'static [&'static str]),
    /// These optima.
    Optimum(&'static [Best]),
    Open,
}

enum Best {
    Int(i64),
    PlusInfinity,
    MinusInfinity,
}

use Truth::{Core, Model, Open, Optimum, SaidUnsat, Sat, Unsat};

fn oracle(truth: &Truth, formula: &mut Formula) -> Oracle {
    let why = Why::Certified(vec!["rule-a".into()]);
    match truth {
        Model(text) => {
            let model = formula.read_model(text).expect("a model");
            Oracle::Sat(Witness::Checked(check_model(formula, model).expect("true")))
        }
        Sat => Oracle::Sat(Witness::Declared("a file".into())),
        Unsat => Oracle::Unsat { why, core: None },
        SaidUnsat => Oracle::Unsat { why: Why::Declared("a file".into()), core: None },
        Core(names) => {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            Oracle::Unsat { why, core: Some(ExpectedCore { names }) }
        }
        Optimum(optima) => {
            let optima = optima.iter().map(|best| match best {
                Best::Int(n) => Extremum::Value(Value::Int(Int::from(*n))),
                Best::PlusInfinity => Extremum::PlusInfinity,
                Best::MinusInfinity => Extremum::MinusInfinity,
            });
            Oracle::Optimum { optima: Optima::Each(optima.collect()), why, witness: None }
        }
        Open => Oracle::Open,
    }
}

fn case(text: &str, truth: &Truth) -> TestCase {
    let mut formula = Formula::read(text).expect("a formula");
    let oracle = oracle(truth, &mut formula);
    TestCase::formula("case", formula, oracle, Origin::default()).expect("a fitting oracle")
}

fn observe(text: &str, stdout: &str, ending: Ending) -> Observation {
    let formula = Formula::read(text).expect("a formula");
    let elapsed = Duration::from_secs(2);
    Observation::from_output(&Output { stdout, stderr: "", ending, elapsed, asked: &[] }, &formula)
}

fn words(judgement: &Judgement) -> String {
    match judgement {
        Judgement::Correct => "correct".into(),
        Judgement::Inconclusive(doubt) => format!("inconclusive: {doubt}"),
        Judgement::Finding(finding) => finding.to_string(),
        Judgement::OracleContradicted(contradiction) => format!("contradicted: {contradiction}"),
    }
}

const X: &str = "(declare-const x Int)\n(assert (> x 3))\n(assert (< x 9))\n(check-sat)";
const NEVER: &str = "(declare-const x Int)\n(assert (> x 3))\n(assert (< x 3))\n(check-sat)";
const OPEN_SQUARE: &str =
    "(declare-const x Int)\n(assert (= (* (div x 0) (div x 0)) 14400))\n(check-sat)";
const OPEN_DIVISION: &str = "(declare-const x Int)\n(assert (= (div x 0) 5))\n(check-sat)";
const REFUTED: &str = "(declare-const x Int)\n(assert (! (> x 3) :named a))\n\
    (assert (! (< x 3) :named |b c|))\n(assert (! (= x x) :named d))\n(check-sat)";
const REFUTED_BESIDE_SOFT: &str = "(declare-const x Int)\n(assert (! (> x 3) :named a))\n\
    (assert (! (< x 3) :named b))\n(assert (! (< x 9) :named c))\n(assert-soft (= x 4))\n(check-sat)";
const SOFT: &str = "(declare-const x Int)\n(assert (<= 0 x 10))\n(assert-soft (> x 20) :weight 2)\n\
    (assert-soft (> x 5) :weight 0.5)\n(check-sat)";
const BOTH_SOFT: &str = "(declare-const x Int)\n(assert (<= 0 x 10))\n(assert-soft (> x 5) :weight 4 :id g)\n\
    (assert-soft (< x 3) :weight 2 :id g)\n(check-sat)";
const GOALS: &str = "(declare-const x Int)\n(declare-const y Int)\n(assert (<= 0 x 10))\n\
    (maximize x)\n(minimize y)\n(check-sat)";

type Row = (&'static str, Truth, &'static str, &'static str);

fn verdicts() -> Vec<Row> {
    vec![
        (X, Model("((define-fun x () Int 4))"), "sat", "correct"),
        (
            X,
            Model("((define-fun x () Int 4))"),
            "unsat",
            "wrong-unsat (certified): the truth is sat, a model that was checked by evaluation",
        ),
        (X, Sat, "unsat", "wrong-unsat (declared): the truth is sat, declared by a file"),
        (NEVER, Unsat, "unsat", "correct"),
        (NEVER, Unsat, "sat", "wrong-sat (certified): the truth is unsat, certified by rule-a"),
        (NEVER, SaidUnsat, "sat", "wrong-sat (declared): the truth is unsat, declared by a file"),
        (X, Open, "sat", "inconclusive: no truth is known, and the answer carries no proof"),
        (X, Open, "unsat", "inconclusive: no truth is known, and the answer carries no proof"),
        (X, Open, "unknown", "inconclusive: no truth is known, and the answer carries no proof"),
        (X, Sat, "unknown", "unknown (declared): no reason is given"),
        (
            NEVER,
            Unsat,
            "unknown\n(:reason-unknown \"incomplete\")",
            "unknown (certified): incomplete",
        ),
        (X, Sat, "timeout", "timeout (certified): after 2.0 s"),
        (X, Sat, "unknown\n(:reason-unknown \"canceled\")", "timeout (certified): after 2.0 s"),
        (X, Sat, "(error \"out of memory\")", "out-of-memory (certified): after 2.0 s"),
        // Errors: an answer after one is no answer.
        (
            NEVER,
            Unsat,
            "(error \"line 2 column 9: unknown constant\")\nsat",
            "rejected (certified): line 2 column 9: unknown constant",
        ),
        (NEVER, Unsat, "unsupported\nsuccess\nWARNING: sat\nunsat", "correct"),
        (X, Sat, "sat\n(error \"model is not available\")\n((define-fun x () Int 0))", "correct"),
        (X, Sat, "saturated", "inconclusive: the output cannot be understood: saturated"),
        (X, Sat, "", "inconclusive: the output cannot be understood: no output, exit code 0"),
    ]
}

fn models() -> Vec<Row> {
    vec![
        (X, Sat, "sat\n((define-fun x () Int 4))", "correct"),
        (X, Open, "sat\n((define-fun x () Int 4))", "correct"),
        (
            X,
            Sat,
            "sat\n(model \n  (define-fun x () Int\n    9)\n)",
            "invalid-model (certified): assertion 2 (line 3) is false under the model",
        ),
        (
            X,
            Open,
            "sat\n((define-fun x () Int 3))",
            "invalid-model (certified): assertion 1 (line 2) is false under the model",
        ),
        // Somebody's word against a false model: the model is certainly false.
        (
            NEVER,
            SaidUnsat,
            "sat\n((define-fun x () Int 3))",
            "invalid-model (certified): assertion 1 (line 2) is false under the model",
        ),
        (
            NEVER,
            Unsat,
            "sat\n((define-fun x () Int 3))",
            "wrong-sat (certified): the truth is unsat, certified by rule-a",
        ),
        // A true model against our truth: the truth is wrong.
        (
            X,
            Unsat,
            "sat\n((define-fun x () Int 4))",
            "contradicted: the formula should be unsatisfiable (certified by rule-a), but this model \
          satisfies it: ((define-fun x () Int 4))",
        ),
        (
            X,
            SaidUnsat,
            "sat\n((define-fun x () Int 4))",
            "contradicted: a model satisfies the formula, so unsat, declared by a file, is wrong",
        ),
        // What is missing decides nothing, unless defaults make it true.
        (
            X,
            Sat,
            "sat\n()",
            "inconclusive: the model decides nothing: assertion 1 (line 2) is unknown: \
          the model has no value for `x`",
        ),
        ("(declare-const x Int)\n(assert (< x 3))\n(check-sat)", Open, "sat\n(model )", "correct"),
        (
            "(declare-const x Int)\n(declare-const y Int)\n(assert (> y 1))\n(assert (> x 3))\n(check-sat)",
            Sat,
            "sat\n((define-fun x () Int 3))",
            "invalid-model (certified): assertion 2 (line 4) is false under the model",
        ),
        // Division by zero is open, unless the model says what it is: any quotient will do.
        (OPEN_DIVISION, Sat, "sat\n((define-fun x () Int 1))", "correct"),
        (
            OPEN_SQUARE,
            Sat,
            "sat\n((define-fun x () Int 1))",
            "inconclusive: the model decides nothing: assertion 1 (line 2) is unknown: \
          the standard leaves `div` open here and the model does not fix it",
        ),
        (
            OPEN_DIVISION,
            Sat,
            "sat\n((define-fun x () Int 1) (define-fun div0 ((x!0 Int) (x!1 Int)) Int 5))",
            "correct",
        ),
        (
            OPEN_DIVISION,
            Sat,
            "sat\n((define-fun x () Int 1) (define-fun div0 ((x!0 Int) (x!1 Int)) Int 4))",
            "invalid-model (certified): assertion 1 (line 2) is false under the model",
        ),
        // What cannot be read decides nothing; against an unsat truth the verdict alone counts.
        (
            X,
            Sat,
            "sat\n(1)",
            "unreadable-answer (certified): the model cannot be read: expected a definition, got `1`",
        ),
        (
            NEVER,
            Unsat,
            "sat\n(1)",
            "wrong-sat (certified): the truth is unsat, certified by rule-a",
        ),
        (
            "(declare-const x Real)\n(assert (= (* x x) 2.0))\n(check-sat)",
            Sat,
            "sat\n((define-fun x () Real (root-obj (+ (^ x 2) (- 2)) 1)))",
            "inconclusive: the model decides nothing: assertion 1 (line 2) is unknown: \
          the model's value for `x` has no exact representation",
        ),
        (
            "(declare-const x Real)\n(assert (> x 2.0))\n(assert (< x 2.0000001))\n(check-sat)",
            Sat,
            "sat\n((define-fun x () Real 2.000000))",
            "inconclusive: the model decides nothing: the model has a decimal that may be an \
             approximation",
        ),
        // The script's definitions win over what the model echoes.
        (
            "(declare-const x Int)\n(define-fun y () Int (+ x 1))\n(assert (! (= y 2) :named a))\n\
          (assert a)\n(check-sat)",
            Sat,
            "sat\n((define-fun y () Int 7) (define-fun a () Bool false) (define-fun x () Int 1))",
            "correct",
        ),
        // Old escapes: false only if it is false however the string is meant.
        (
            "(declare-const s String)\n(assert (= (str.len s) 1))\n(check-sat)",
            Sat,
            "sat\n((define-fun s () String \"\\x41\"))",
            "correct",
        ),
        (
            "(declare-const s String)\n(assert (= (str.len s) 2))\n(check-sat)",
            Sat,
            "sat\n((define-fun s () String \"\\x41\"))",
            "invalid-model (certified): assertion 1 (line 2) is false under the model",
        ),
        // An unknown answer's candidate model is no claim.
        (X, Sat, "unknown\n((define-fun x () Int 0))", "unknown (declared): no reason is given"),
        // The last verdict counts, and what is in force there.
        (
            "(declare-const x Int)\n(push 1)\n(assert (> x 3))\n(check-sat)\n(pop 1)\n\
          (assert (< x 3))\n(check-sat)",
            Sat,
            "sat\n((define-fun x () Int 5))\nsat\n((define-fun x () Int 2))",
            "correct",
        ),
    ]
}

fn cores() -> Vec<Row> {
    vec![
        (REFUTED, Unsat, "unsat\n(a d)", "correct"),
        (REFUTED, Core(&["a", "b c"]), "unsat\n(\n|b c|\na\n)", "correct"),
        (REFUTED, Core(&["a", "b c"]), "unsat", "correct"),
        (REFUTED, Core(&["a", "b c"]), "unsat\n(error \"unsat core is not available\")", "correct"),
        (
            REFUTED,
            Core(&["a", "b c"]),
            "unsat\n(a d)",
            "invalid-core (certified): the core lacks b c, without which the formula is satisfiable",
        ),
        (
            REFUTED,
            Core(&["a", "b c"]),
            "unsat\n(a d |b c|)",
            "larger-core (certified): the core does not need d",
        ),
        (REFUTED_BESIDE_SOFT, Core(&["a", "b"]), "unsat\n(a b c)", "correct"),
        (
            REFUTED_BESIDE_SOFT,
            Core(&["a", "b"]),
            "unsat\n(a c)",
            "invalid-core (certified): the core lacks b, without which the formula is satisfiable",
        ),
        (REFUTED, Unsat, "unsat\n(a e)", "invalid-core (certified): the core has unknown names: e"),
        (REFUTED, Open, "unsat\n(e)", "invalid-core (certified): the core has unknown names: e"),
        (
            REFUTED,
            Unsat,
            "unsat\n(a x)",
            "inconclusive: the core names symbols that are not assertions: x",
        ),
        (
            REFUTED,
            Unsat,
            "unsat\n()",
            "invalid-core (certified): the assertions of the core have a model",
        ),
        // Unnamed assertions always belong to the core.
        (NEVER, Unsat, "unsat\n()", "correct"),
        // z3 prints objectives even here.
        (REFUTED, Unsat, "unsat\n(objectives\n (x 0)\n)", "correct"),
    ]
}

fn about_cores_that_are_not_minimized() -> [(&'static str, &'static str); 2] {
    [
        ("unsat\n(a d |b c|)", "correct"),
        (
            "unsat\n(a d)",
            "invalid-core (certified): the core lacks b c, without which the formula is satisfiable",
        ),
    ]
}

fn optima() -> Vec<Row> {
    use Best::{Int, MinusInfinity, PlusInfinity};
    vec![
        (SOFT, Optimum(&[Int(2)]), "sat\n(objectives\n ( 2)\n)", "correct"),
        (
            SOFT,
            Optimum(&[Int(2)]),
            "sat\n(objectives\n ( 2.0)\n)\n((define-fun x () Int 6))",
            "correct",
        ),
        (
            SOFT,
            Optimum(&[Int(2)]),
            "sat\n(objectives\n ( (/ 5.0 2.0))\n)",
            "wrong-optimum (certified): objective 1: reported 5/2, which is worse than possible; \
          the optimum is 2",
        ),
        (
            SOFT,
            Optimum(&[Int(2)]),
            "sat\n(objectives\n ( 0)\n)",
            "wrong-optimum (certified): objective 1: reported 0, which is better than possible; \
          the optimum is 2",
        ),
        (
            SOFT,
            Optimum(&[Int(2)]),
            "sat\n(objectives\n ( (* (- 1) oo))\n)",
            "wrong-optimum (certified): objective 1: reported (- oo), which is better than possible; \
          the optimum is 2",
        ),
        (
            SOFT,
            Optimum(&[Int(2)]),
            "sat\n(objectives\n (  (interval 0 3))\n)",
            "inconclusive: the objectives decide nothing: objective 1 is only said to be between 0 and 3",
        ),
        (
            SOFT,
            Optimum(&[Int(2)]),
            "sat",
            "inconclusive: the objectives decide nothing: none were reported",
        ),
        (
            SOFT,
            Optimum(&[Int(2)]),
            "unsat",
            "wrong-unsat (certified): the truth is sat, certified by rule-a",
        ),
        (
            SOFT,
            Optimum(&[Int(2)]),
            "sat\n(objectives\n ( 2)\n)\n((define-fun x () Int 11))",
            "invalid-model (certified): assertion 1 (line 2) is false under the model",
        ),
        // A model beats our optimum: our truth is wrong, whatever was reported.
        (
            SOFT,
            Optimum(&[Int(3)]),
            "sat\n(objectives\n ( 2)\n)\n((define-fun x () Int 6))",
            "contradicted: the optimum of objective 1 should be 3, but a model has 2",
        ),
        (
            GOALS,
            Optimum(&[Int(10), MinusInfinity]),
            "sat\n(objectives\n (x 10)\n (y (* (- 1) oo))\n)",
            "correct",
        ),
        (
            GOALS,
            Optimum(&[PlusInfinity, MinusInfinity]),
            "sat\n(objectives\n (x 10)\n (y (- oo))\n)",
            "wrong-optimum (certified): objective 1: reported 10, which is worse than possible; \
          the optimum is oo",
        ),
        (
            GOALS,
            Optimum(&[Int(10), Int(0)]),
            "sat\n(objectives\n (x 10)\n (y 0)\n)\n((define-fun x () Int 10) (define-fun y () Int (- 1)))",
            "contradicted: the optimum of objective 2 should be 0, but a model has -1",
        ),
        (
            GOALS,
            Optimum(&[Int(10), Int(0)]),
            "sat\n(objectives\n (x 10)\n (y 0)\n)\n((define-fun x () Int 9) (define-fun y () Int (- 1)))",
            "wrong-optimum (certified): objective 1: the model has 9, not the optimum 10 that is reported",
        ),
        // No optimum is known: only a better model proves the reported one wrong.
        (
            BOTH_SOFT,
            Sat,
            "sat\n(objectives\n (g 4)\n)\n((define-fun x () Int 7))",
            "wrong-optimum (certified): objective 1: the model has 2, which is better than the optimum \
          4 that is reported",
        ),
        (
            BOTH_SOFT,
            Open,
            "sat\n(objectives\n (g 4)\n)\n((define-fun x () Int 7))",
            "wrong-optimum (certified): objective 1: the model has 2, which is better than the optimum \
          4 that is reported",
        ),
        (BOTH_SOFT, Sat, "sat\n(objectives\n (g 2)\n)\n((define-fun x () Int 7))", "correct"),
        // So does a model that does not attain it.
        (
            BOTH_SOFT,
            Sat,
            "sat\n(objectives\n (g 2)\n)\n((define-fun x () Int 4))",
            "wrong-optimum (certified): objective 1: the model has 6, not the optimum 2 that is reported",
        ),
        (BOTH_SOFT, Sat, "sat\n(objectives\n (g 2)\n)\n((define-fun y () Int 4))", "correct"),
        (
            BOTH_SOFT,
            Sat,
            "sat\n(objectives\n (g banana)\n)\n((define-fun x () Int 7))",
            "inconclusive: the objectives decide nothing: the value of objective 1 is not a plain number",
        ),
        (
            BOTH_SOFT,
            Sat,
            "sat\n(objectives\n (g (interval 2 4))\n)\n((define-fun x () Int 7))",
            "inconclusive: the objectives decide nothing: the value of objective 1 is not a plain number",
        ),
        (
            BOTH_SOFT,
            Sat,
            "sat\n(objectives\n (g 2)\n (h 2)\n)\n((define-fun x () Int 7))",
            "inconclusive: the objectives decide nothing: 2 were reported instead of 1",
        ),
        (BOTH_SOFT, Sat, "sat\n((define-fun x () Int 4))", "correct"),
        (
            BOTH_SOFT,
            Sat,
            "sat\n(objectives\n (g 4)\n)\n((define-fun x () Int 11))",
            "invalid-model (certified): assertion 1 (line 2) is false under the model",
        ),
        (
            GOALS,
            Sat,
            "sat\n(objectives\n (x 10)\n (y 0)\n)\n((define-fun x () Int 10) (define-fun y () Int (- 1)))",
            "wrong-optimum (certified): objective 2: the model has -1, which is better than the optimum \
          0 that is reported",
        ),
        // The first objective is worse, so that the second may be better.
        (
            GOALS,
            Sat,
            "sat\n(objectives\n (x 10)\n (y 0)\n)\n((define-fun x () Int 9) (define-fun y () Int (- 1)))",
            "wrong-optimum (certified): objective 1: the model has 9, not the optimum 10 that is reported",
        ),
        (
            GOALS,
            Sat,
            "sat\n(objectives\n (x 10)\n (y (* (- 1) oo))\n)\n((define-fun x () Int 10) (define-fun y () Int 0))",
            "correct",
        ),
        (
            "(set-option :opt.priority pareto)\n(declare-const x Int)\n(declare-const y Int)\n\
          (assert (<= 0 x y 10))\n(maximize x)\n(minimize y)\n(check-sat)",
            Sat,
            "sat\n(objectives\n (x 0)\n (y 0)\n)\n((define-fun x () Int 1) (define-fun y () Int 1))",
            "correct",
        ),
        // What the model leaves out is not held against it, nor what can be read in two ways.
        (
            GOALS,
            Optimum(&[Int(10), Int(0)]),
            "sat\n(objectives\n (x 10)\n (y 0)\n)\n((define-fun x () Int 10))",
            "correct",
        ),
        (
            "(declare-const s String)\n(assert-soft (= (str.len s) 1))\n(check-sat)",
            Optimum(&[Int(0)]),
            "sat\n(objectives\n ( 0)\n)\n((define-fun s () String \"\\x41\"))",
            "correct",
        ),
        (
            "(declare-const s String)\n(assert-soft (= (str.len s) 1))\n(check-sat)",
            Optimum(&[Int(0)]),
            "sat\n(objectives\n ( 0)\n)\n((define-fun s () String \"ab\"))",
            "wrong-optimum (certified): objective 1: the model has 1, not the optimum 0 that is reported",
        ),
        (
            GOALS,
            Optimum(&[Int(10), Int(0)]),
            "sat\n(objectives\n (x 10)\n)",
            "inconclusive: the objectives decide nothing: 1 were reported instead of 2",
        ),
        (
            "(declare-const b (_ BitVec 4))\n(assert-soft (= b #x1) :id g)\n(assert-soft (= b #x2) :id h)\n\
          (check-sat)",
            Optimum(&[Int(0), Int(1)]),
            "sat\n(objectives\n (h 0)\n (g 1)\n)",
            "inconclusive: the objectives decide nothing: objective 1 is reported as `h`",
        ),
        (
            "(declare-const b (_ BitVec 4))\n(minimize b)\n(check-sat)",
            Optimum(&[Int(0)]),
            "sat\n(objectives\n (b 0)\n)\n((define-fun b () (_ BitVec 4) #xf))",
            "wrong-optimum (certified): objective 1: the model has 15, not the optimum 0 that is reported",
        ),
    ]
}

#[test]
fn answers_are_judged() {
    let mut kinds = BTreeSet::new();
    let rows = [verdicts(), models(), cores(), optima()].into_iter().flatten();
    for (text, truth, stdout, expected) in rows {
        let judgement = judge(&case(text, &truth), &observe(text, stdout, Ending::Exited(0)));
        assert_eq!(words(&judgement), expected, "{text}\n{stdout}");
        if let Judgement::Finding(finding) = judgement {
            kinds.insert(finding.kind);
        }
    }
    for (text, truth, expected) in about_approximations() {
        let seen = observe(text, "sat", Ending::Exited(0)).overapproximated();
        let judgement = judge(&case(text, &truth), &seen);
        assert_eq!(words(&judgement), expected, "{text}");
        if let Judgement::Finding(finding) = judgement {
            assert_eq!(finding.severity(), Severity::Imprecision);
            kinds.insert(finding.kind);
        }
    }
    for (stdout, expected) in about_cores_that_are_not_minimized() {
        let seen = observe(REFUTED, stdout, Ending::Exited(0)).with_any_core();
        let judgement = judge(&case(REFUTED, &Core(&["a", "b c"])), &seen);
        assert_eq!(words(&judgement), expected, "{stdout}");
    }
    for (answer, truth, expected) in about_programs() {
        let seen = Observation::new(answer.clone(), Duration::from_secs(1));
        let judgement = judge(&program(&case(X, &truth)), &seen);
        assert_eq!(words(&judgement), expected, "{answer}");
        if let Judgement::Finding(finding) = judgement {
            kinds.insert(finding.kind);
        }
    }
    for (answer, expected) in about_traces() {
        let seen = Observation::new(answer.clone(), Duration::from_secs(1));
        let judgement = judge(&TestCase::trace("trace", "", Origin::default()), &seen);
        assert_eq!(words(&judgement), expected, "{answer}");
        if let Judgement::Finding(finding) = judgement {
            kinds.insert(finding.kind);
        }
    }
    for (text, expected) in [
        ("2", "correct".to_owned()),
        ("3", "wrong-rewrite (certified): the term is 2 and the result 3".to_owned()),
    ] {
        let test = assay_case::RewriteTest::read("(simplify (+ 1 1))").expect("a term");
        let store = test.store().clone();
        let test = test.tried(store, Assignments::all(vec![assay_term::Model::new()]));
        let subject = assay_case::Subject::Rewrite(Box::new(test));
        let rewritten = assay_case::Rewritten { text: text.to_owned(), last_character: 255 };
        let seen = Observation::new(Answer::Rewritten(rewritten), Duration::from_secs(1));
        let judgement = judge(&TestCase::new("term", subject, Origin::default()), &seen);
        assert_eq!(words(&judgement), expected, "{text}");
        if let Judgement::Finding(finding) = judgement {
            kinds.insert(finding.kind);
        }
    }
    let missing: Vec<&str> = FindingKind::ALL
        .iter()
        .filter(|kind| !kinds.contains(kind))
        .map(|kind| kind.name())
        .collect();
    let elsewhere = [
        "disagreement",
        "inconsistency",
        "crash",
        "false-step",
        "open-proof",
        "foreign-assumption",
        // Of synthesis tasks: tests/synthesis.rs.
        "wrong-interpolant",
        "wrong-abduct",
        "wrong-elimination",
        "kept-quantifier",
        "wrong-function",
        "wrong-infeasible",
    ];
    assert_eq!(missing, elsewhere, "kinds without a row");
}

/// Sat from a solver that over-approximates.
fn about_approximations() -> [(&'static str, Truth, &'static str); 5] {
    [
        (X, Model("((define-fun x () Int 4))"), "correct"),
        (NEVER, Unsat, "imprecise-sat (certified): the truth is unsat, certified by rule-a"),
        (NEVER, SaidUnsat, "imprecise-sat (declared): the truth is unsat, declared by a file"),
        (SOFT, Optimum(&[Best::Int(2)]), "correct"),
        (X, Open, "inconclusive: no truth is known, and the answer carries no proof"),
    ]
}

/// Its unsat is judged as that of any other.
#[test]
fn a_wrong_unsat_of_an_overapproximation_is_a_finding() {
    let seen = observe(X, "unsat", Ending::Exited(0)).overapproximated();
    let judgement = judge(&case(X, &Model("((define-fun x () Int 4))")), &seen);
    assert!(words(&judgement).starts_with("wrong-unsat (certified)"), "{}", words(&judgement));
}

/// The program that a formula is written as.
fn program(case: &TestCase) -> TestCase {
    let source = case.as_formula().expect("a formula").clone();
    let program = Program { text: String::new(), inputs: None };
    let test = ProgramTest::from_formula(program, source);
    TestCase::program("program", test, Origin::default())
}

/// What a library of domains says of a trace.
fn about_traces() -> Vec<(Answer, String)> {
    let violated = |breach, claim| {
        let (law, evidence) = ("meet-commutative".to_owned(), "[1, 2] and [1, 3]".to_owned());
        Answer::Violated(Violation { law, breach, claim, evidence })
    };
    let shown = "meet-commutative does not hold: [1, 2] and [1, 3]";
    let exact = Exactness::Exact;
    let soft = "inconclusive: meet-commutative does not hold, but the library says that its result \
                may be imprecise: [1, 2] and [1, 3]";
    let foreign = "inconclusive: the output cannot be understood: `sat` is not an answer about a \
                   subject of this kind";
    vec![
        (Answer::Holds, "correct".into()),
        (violated(Breach::Unsound, exact), format!("unsound (certified): {shown}")),
        (violated(Breach::Imprecise, exact), format!("imprecise (certified): {shown}")),
        (violated(Breach::Divergent, exact), format!("divergent (certified): {shown}")),
        (violated(Breach::Unsound, Exactness::MayBeImprecise), soft.into()),
        (
            Answer::Unknown(Some("no premise holds".into())),
            "inconclusive: nothing was tried: no premise holds".into(),
        ),
        (Answer::Flood("64 MiB".into()), "flood (certified): 64 MiB".into()),
        (Answer::Sat, foreign.into()),
    ]
}

/// What an analyzer says of a program that reaches its error where the formula has a model.
fn about_programs() -> [(Answer, Truth, &'static str); 10] {
    let model = || Model("((define-fun x () Int 5))");
    [
        (Answer::Reachable, model(), "correct"),
        (Answer::Alarm, model(), "correct"),
        (Answer::Unreachable, Unsat, "correct"),
        (
            Answer::Unreachable,
            model(),
            "missed-error (certified): the truth is reachable, a model that was checked by evaluation",
        ),
        (
            Answer::Reachable,
            Unsat,
            "false-error (certified): the truth is unreachable, certified by rule-a",
        ),
        (
            Answer::Alarm,
            SaidUnsat,
            "false-alarm (declared): the truth is unreachable, declared by a file",
        ),
        (Answer::Silent, Unsat, "correct"),
        (
            Answer::Silent,
            model(),
            "overlooked-error (certified): the truth is reachable, a model that was checked by evaluation",
        ),
        (Answer::Silent, Open, "inconclusive: no truth is known, and the answer carries no proof"),
        (
            Answer::Unreachable,
            Open,
            "inconclusive: no truth is known, and the answer carries no proof",
        ),
    ]
}

#[test]
fn a_crash_counts_unless_the_answer_is_worse() {
    let table = [
        (X, "", "crash (certified): signal 11"),
        (X, "sat", "crash (certified): signal 11"),
        (X, "unknown", "crash (certified): signal 11"),
        (X, "(error \"no\")", "crash (certified): signal 11"),
        (X, "sat\n(model\n  (define-fun", "crash (certified): signal 11"),
        (X, "unsat", "wrong-unsat (declared): the truth is sat, declared by a file"),
        (
            X,
            "sat\n((define-fun x () Int 0))",
            "invalid-model (certified): assertion 1 (line 2) is false under the model",
        ),
    ];
    for (text, stdout, expected) in table {
        let judgement = judge(&case(text, &Sat), &observe(text, stdout, Ending::Signalled(11)));
        assert_eq!(words(&judgement), expected, "{stdout}");
    }
}

#[test]
fn a_refuted_declaration_is_attributed_to_its_source() {
    let stdout = "sat\n((define-fun x () Int 4))";
    let told = |truth: &Truth, tool: &str| {
        let judgement = judge(&case(X, truth), &observe(X, stdout, Ending::Exited(0)));
        words(&judgement.about(tool))
    };
    let refuted = "a model satisfies the formula, so unsat, declared by a file, is wrong";
    assert_eq!(told(&SaidUnsat, "a file"), format!("inconsistency (declared): {refuted}"));
    assert_eq!(told(&SaidUnsat, "a tool"), format!("inconclusive: mislabelled: {refuted}"));
    // What we certified ourselves is our own fault, whoever shows it.
    assert!(told(&Unsat, "a tool").starts_with("contradicted: "));
}

#[test]
fn observations_can_be_built_without_a_process() {
    let signature =
        CrashSignature { death: Death::Exit(114), message: "ASSERTION VIOLATION".into() };
    let seen = Observation::new(Answer::Crash(signature), Duration::ZERO);
    let judgement = judge(&case(X, &Open), &seen);
    assert_eq!(words(&judgement), "crash (certified): exit code 114, ASSERTION VIOLATION");
}

/// A model that takes too long to evaluate is given up when the tool's own time is over.
#[test]
fn evaluation_stops_at_the_time_limit_of_the_case() {
    let text = "(declare-const x (_ BitVec 16))
        (assert (forall ((y (_ BitVec 16))) (exists ((z (_ BitVec 16)))
          (= (bvadd z (bvmul y y) x) (bvmul #x0003 y z)))))(check-sat)";
    let model = "sat\n((define-fun x () (_ BitVec 16) #x0001))";
    let mut seen = observe(text, model, Ending::Exited(0));
    seen.limit = Some(Duration::from_millis(20));
    let begun = std::time::Instant::now();
    let judgement = judge(&case(text, &Open), &seen);
    assert!(matches!(judgement, Judgement::Inconclusive(assay_case::Doubt::Slow)), "{judgement:?}");
    assert!(begun.elapsed() < Duration::from_secs(10), "it ended at the step limit, not in time");
}
