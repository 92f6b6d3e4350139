//! Whole proofs in each format, and proofs with planted faults.

use assay_case::{ProofFault, ProofReport};
use assay_proof::examine;
use assay_smtlib::{Lets, STANDARD, read_script};
use assay_term::{Budget, Evaluator, Interpretation, Model, Store, Term, TermId, Value};

fn examined(script: &str, proof: &str) -> ProofReport {
    examine(script, proof, STANDARD, &mut Budget::new(200_000_000, u64::MAX))
}

const SCRIPT: &str = "(declare-const p Bool)(declare-const q Bool)
    (declare-const x Int)(declare-const y Int)
    (assert (or p q))(assert (=> p (> x (+ y 1))))(assert (not q))(assert (< x y))";

/// A step: its literals, its rule, its premises.
#[derive(Clone)]
struct Line {
    literals: Vec<String>,
    rule: &'static str,
    premises: Vec<usize>,
}

fn base() -> Vec<Line> {
    let line = |literals: &[&str], rule, premises: &[usize]| Line {
        literals: literals.iter().map(|&text| text.to_owned()).collect(),
        rule,
        premises: premises.to_vec(),
    };
    vec![
        line(&["(or p q)"], "assume", &[]),
        line(&["(=> p (> x (+ y 1)))"], "assume", &[]),
        line(&["(not q)"], "assume", &[]),
        line(&["(< x y)"], "assume", &[]),
        line(&["p", "q"], "or", &[0]),
        line(&["p"], "resolution", &[4, 2]),
        line(&["(not p)", "(> x (+ y 1))"], "implies", &[1]),
        line(&["(> x (+ y 1))"], "resolution", &[6, 5]),
        line(&["(= (+ y 1) (+ 1 y))"], "hole", &[]),
        line(&["(= (> x (+ y 1)) (> x (+ 1 y)))"], "cong", &[8]),
        line(
            &["(not (= (> x (+ y 1)) (> x (+ 1 y))))", "(not (> x (+ y 1)))", "(> x (+ 1 y))"],
            "equiv_pos2",
            &[],
        ),
        line(&["(> x (+ 1 y))"], "resolution", &[10, 9, 7]),
        line(&["(not (> x (+ 1 y)))", "(> x y)"], "la_generic", &[]),
        line(&["(> x y)"], "resolution", &[12, 11]),
        line(&["(not (> x y))", "(not (< x y))"], "la_generic", &[]),
        line(&["(not (> x y))"], "resolution", &[14, 3]),
        line(&[], "resolution", &[15, 13]),
    ]
}

fn name(lines: &[Line], at: usize) -> String {
    if lines[at].rule == "assume" { format!("a{at}") } else { format!("t{at}") }
}

fn alethe(lines: &[Line]) -> String {
    let text = |at: usize| {
        let Line { literals, rule, premises } = &lines[at];
        let literals = literals.join(" ");
        if *rule == "assume" {
            return format!("(assume {} {literals})\n", name(lines, at));
        }
        let premises: Vec<String> = premises.iter().map(|&at| name(lines, at)).collect();
        let premises = match premises.is_empty() {
            true => String::new(),
            false => format!(" :premises ({})", premises.join(" ")),
        };
        format!("(step {} (cl {literals}) :rule {rule}{premises})\n", name(lines, at))
    };
    (0..lines.len()).map(text).collect()
}

/// Whether a small assignment satisfies the premises and not the conclusion of a step.
fn is_false(lines: &[Line], at: usize) -> bool {
    let clause = |line: &Line| match &line.literals[..] {
        [] => "false".to_owned(),
        literals => format!("(or false {})", literals.join(" ")),
    };
    let declared = &SCRIPT[..SCRIPT.find("(assert").expect("assertions")];
    let mut text = declared.to_owned();
    for &premise in &lines[at].premises {
        text += &format!("(assert {})", clause(&lines[premise]));
    }
    text +=
        &format!("(assert (not {}))(assert (or p q (= x y)(distinct x y)))", clause(&lines[at]));
    let mut store = Store::new();
    let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Expand).expect("a script");
    let terms: Vec<TermId> = script.active_assertions().iter().map(|&(term, _)| term).collect();
    let func = |name: &str| {
        let parts = store.postorder(&terms);
        let named = parts.into_iter().find_map(|part| match store.get(part) {
            Term::App(func, []) if store.func_name(func) == name => Some(func),
            _ => None,
        });
        named.expect("the symbol occurs")
    };
    let [p, q, x, y] = ["p", "q", "x", "y"].map(func);
    (0..4 * 121).any(|number: i64| {
        let mut model = Model::new();
        model.set(p, Interpretation::Value((number & 1 == 1).into()));
        model.set(q, Interpretation::Value((number >> 1 & 1 == 1).into()));
        model.set(x, Interpretation::Value(Value::Int(((number >> 2) % 11 - 5).into())));
        model.set(y, Interpretation::Value(Value::Int(((number >> 2) / 11 - 5).into())));
        let mut evaluator = Evaluator::new(&store, &model);
        terms.iter().all(|&term| evaluator.holds(term) == Ok(true))
    })
}

#[test]
fn planted_faults_are_found_wherever_the_claim_is_false() {
    let base = base();
    let report = examined(SCRIPT, &alethe(&base));
    assert_eq!(report.fault, None);
    assert!(report.is_complete, "{report:?}");
    let mut planted: Vec<(Vec<Line>, usize)> = Vec::new();
    let mut plant = |at: usize, change: &dyn Fn(&mut Line)| {
        let mut lines = base.clone();
        change(&mut lines[at]);
        planted.push((lines, at));
    };
    for (at, line) in base.iter().enumerate().filter(|(_, line)| line.rule != "assume") {
        for literal in 0..line.literals.len() {
            plant(at, &|line| line.literals[literal] = format!("(not {})", line.literals[literal]));
            plant(at, &|line| {
                line.literals.remove(literal);
            });
            for (old, new) in [("1", "2"), ("1", "0"), ("x", "y"), ("p", "q"), (">", "<")] {
                if line.literals[literal].contains(old) {
                    plant(at, &|line| {
                        line.literals[literal] = line.literals[literal].replacen(old, new, 1);
                    });
                }
            }
        }
        plant(at, &|line| line.premises.reverse());
        for premise in 0..line.premises.len() {
            plant(at, &|line| {
                line.premises.remove(premise);
            });
            plant(at, &|line| line.premises[premise] = (line.premises[premise] + 1) % at);
        }
    }
    let (mut caught, mut true_still) = (0, 0);
    for (lines, at) in &planted {
        let report = examined(SCRIPT, &alethe(lines));
        let own = name(lines, *at);
        let is_caught =
            matches!(&report.fault, Some(ProofFault::FalseStep { step, .. }) if *step == own);
        if is_false(lines, *at) {
            assert!(is_caught, "{own} of\n{}{report:?}", alethe(lines));
            assert!(!report.is_complete);
            caught += 1;
        } else {
            assert!(!is_caught, "{own} of\n{}{report:?}", alethe(lines));
            true_still += 1;
        }
    }
    assert!(caught >= 40, "{caught} of {} planted faults are false claims", planted.len());
    assert!(true_still > 0, "some corrupted claims stay true");
}

#[test]
fn a_proof_ends_with_false_and_assumes_only_assertions() {
    let mut short = base();
    short.pop();
    let fault = examined(SCRIPT, &alethe(&short)).fault;
    assert!(matches!(fault, Some(ProofFault::NotFalse(_))), "{fault:?}");
    let mut foreign = base();
    foreign[3].literals = vec!["(< y x)".to_owned()];
    let report = examined(SCRIPT, &alethe(&foreign));
    assert!(matches!(report.fault, Some(ProofFault::Foreign { .. })), "{report:?}");
    // The order of arguments is not a difference.
    let mut same = base();
    same[3].literals = vec!["(> y x)".to_owned()];
    assert!(examined(SCRIPT, &alethe(&same)).is_complete);
    for text in ["", "(step t1", "unknown", "(step t1 (cl) :rule resolution :premises (t0))"] {
        let fault = examined(SCRIPT, text).fault;
        assert!(matches!(fault, Some(ProofFault::Unreadable(_))), "{text}: {fault:?}");
    }
}

const Z3: &str = "((proof
(let (($x1 (not q)))
(let ((@x2 (asserted $x1)))
(let ((@x3 (unit-resolution (asserted (or p q)) @x2 p)))
(let (($x4 (> x (+ y 1))))
(let ((@x5 (mp (asserted (=> p $x4)) (rewrite (= (=> p $x4) (or (not p) $x4))) (or (not p) $x4))))
(let ((@x6 (unit-resolution ((_ th-lemma arith farkas 1 1) (or (not $x4) (not (< x y)))) (asserted (< x y)) (not $x4))))
(let ((@x7 (unit-resolution @x5 (hypothesis p) $x4)))
(let ((@x8 (lemma (unit-resolution @x6 @x7 false) (not p))))
(unit-resolution @x3 @x8 false)))))))))))";

#[test]
fn proofs_of_z3_are_read_with_their_hypotheses() {
    let report = examined(SCRIPT, Z3);
    assert_eq!(report.fault, None);
    assert!(report.is_complete, "{report:?}");
    assert_eq!(report.rules["asserted"].checked, 4);
    // A hypothesis that no lemma discharges.
    let open = Z3.replace(
        "(lemma (unit-resolution @x6 @x7 false) (not p))",
        "(unit-resolution @x6 @x7 (not p))",
    );
    let fault = examined(SCRIPT, &open).fault;
    assert!(matches!(fault, Some(ProofFault::Undischarged(_))), "{fault:?}");
    // A rule that is applied wrongly.
    for (from, to) in [
        ("(or (not $x4) (not (< x y)))", "(or (not $x4) (< x y))"),
        ("(rewrite (= (=> p $x4) (or (not p) $x4)))", "(rewrite (= (=> p $x4) (or p $x4)))"),
        ("(asserted (or p q)) @x2 p)", "(asserted (or p q)) @x2 (not p))"),
    ] {
        let fault = examined(SCRIPT, &Z3.replace(from, to)).fault;
        assert!(matches!(fault, Some(ProofFault::FalseStep { .. })), "{to}: {fault:?}");
    }
}

#[test]
fn unknown_operators_and_new_symbols_are_skipped() {
    let unknown =
        Z3.replace("(or (not $x4) (not (< x y)))", "(or (not (strange $x4)) (not (< x y)))");
    let report = examined(SCRIPT, &unknown);
    assert_eq!(report.fault, None, "{report:?}");
    assert!(!report.is_complete && report.unread.contains_key("`strange`"), "{report:?}");
    let script =
        "(declare-fun r (Int Int) Bool)(assert (forall ((a Int)) (exists ((b Int)) (r a b))))
        (assert (forall ((b Int)) (not (r 0 b))))";
    let proof = "((declare-fun b!0 (Int) Int)
        (proof (let ((@x1 (mp~ (asserted (forall ((a Int)) (exists ((b Int)) (r a b))))
            (nnf-pos (proof-bind (lambda ((a Int)) (sk (~ (exists ((b Int)) (r a b)) (r a (b!0 a))))))
                (~ (forall ((a Int)) (exists ((b Int)) (r a b))) (forall ((a Int)) (r a (b!0 a)))))
            (forall ((a Int)) (r a (b!0 a))))))
        (let ((@x2 (unit-resolution ((_ quant-inst 0) (or (not (forall ((a Int)) (r a (b!0 a)))) (r 0 (b!0 0)))) @x1 (r 0 (b!0 0)))))
        (unit-resolution ((_ quant-inst (b!0 0)) (or (not (forall ((b Int)) (not (r 0 b)))) (not (r 0 (b!0 0)))))
            (asserted (forall ((b Int)) (not (r 0 b)))) @x2 false)))))";
    let report = examined(script, proof);
    assert_eq!(report.fault, None, "{report:?}");
    assert_eq!(report.rules["sk"].skipped, 1);
    assert_eq!(report.rules["quant-inst"].checked, 2);
    assert_eq!(report.rules["nnf-pos"].checked, 1);
    assert!(!report.is_complete);
}

/// z3 4.8.7 defines the bits of a vector in steps that it calls `rewrite`.
#[test]
fn steps_that_may_define_a_new_symbol_are_not_refuted() {
    let script = "(declare-const p Bool)(assert p)(assert (not p))";
    let defined = "((declare-fun k!0 () Bool)
        (proof (let ((@x1 (rewrite (= p k!0))))
        (let ((@x2 (mp (asserted p) @x1 k!0)))
        (let ((@x3 (mp (asserted (not p)) (monotonicity @x1 (= (not p) (not k!0))) (not k!0))))
        (unit-resolution @x2 @x3 false))))))";
    let report = examined(script, defined);
    assert_eq!(report.fault, None, "{report:?}");
    assert_eq!(report.rules["rewrite"].skipped, 1);
    assert!(!report.is_complete);
    // A premise that has the symbol does not define it.
    let wrong = defined.replace("(= (not p) (not k!0))", "(= (not p) k!0)");
    let fault = examined(script, &wrong).fault;
    assert!(matches!(fault, Some(ProofFault::FalseStep { .. })), "{fault:?}");
}

/// z3 4.8.7 ends proofs with `(not true)`.
#[test]
fn the_last_step_need_not_be_written_as_false() {
    let script = "(declare-const x Int)(assert (< x x))(assert (> x 0))";
    let proof = |last: &str| {
        format!("((proof (mp (asserted (< x x)) (rewrite (= (< x x) {last})) {last})))")
    };
    for last in ["false", "(not true)"] {
        let report = examined(script, &proof(last));
        assert!(report.fault.is_none() && report.is_complete, "{last}: {report:?}");
    }
    let fault = examined(script, &proof("(not (= x x))")).fault;
    assert!(matches!(fault, Some(ProofFault::NotFalse(_))), "{fault:?}");
}

#[test]
fn scopes_of_cvc5_discharge_their_hypotheses() {
    let script =
        "(declare-const p Bool)(declare-const q Bool)(assert (=> p q))(assert (not q))(assert p)";
    let proof = "((define @t1 () (=> p q))
        (assume @p1 @t1)(assume @p2 (not q))(assume @p3 p)
        (assume-push @p4 p)
        (step @p5 q :rule modus_ponens :premises (@p4 @p1))
        (step @p6 false :rule contra :premises (@p5 @p2))
        (step-pop @p7 :rule scope :premises (@p6))
        (step @p8 (not p) :rule process_scope :premises (@p7) :args (false))
        (step @p9 false :rule contra :premises (@p3 @p8)))";
    let report = examined(script, proof);
    assert_eq!(report.fault, None, "{report:?}");
    assert!(report.is_complete, "{report:?}");
    let open = proof.replace(
        "(step-pop @p7 :rule scope :premises (@p6))",
        "(step @p7 false :rule trust :premises (@p6))",
    );
    let open = open.replace(":premises (@p3 @p8)", ":premises (@p6)");
    let report = examined(script, &open);
    assert!(matches!(report.fault, Some(ProofFault::Undischarged(_))), "{report:?}");
}

/// The proof names functions as values and applies them, which a model may give separate meanings.
#[test]
fn proofs_about_functions_as_values_give_no_false_alarm() {
    let script = "(declare-const k (-> (-> Bool Bool) Bool))(declare-const p (-> Bool Bool))
        (declare-const r Bool)(assert (not (= (k p) r)))
        (assert (= (k (lambda ((z Bool)) (p z))) r))";
    let proof = "((declare-const k (-> (-> Bool Bool) Bool))
        (declare-const p (-> Bool Bool))(declare-const r Bool)
        (define @t1 () (k p))
        (define @t2 () (@var \"z\" Bool))
        (define @t3 () (lambda (@list @t2) (p @t2)))
        (define @t4 () (k @t3))
        (assume @p1 (not (= @t1 r)))
        (assume @p2 (= @t4 r))
        (step @p4 (= @t3 p) :rule lambda-elim :args ((= @t3 p)))
        (step @p5 (= @t4 @t1) :rule cong :premises (@p4) :args (@t4))
        (step @p6 false :rule contra :premises (@p1 @p2 @p5)))";
    assert_eq!(examined(script, proof).fault, None);
}

/// Whether a lemma discharges a hypothesis depends on a quantifier, which no assignment decides.
#[test]
fn a_hypothesis_that_may_be_discharged_is_no_fault() {
    let script = "(declare-const p Bool)(assert (forall ((x Int)) (> x 0)))(assert (not p))";
    let proof = "((proof
        (let (($x1 (forall ((y Int)) (>= y 1))))
        (let ((@x2 (unit-resolution (hypothesis (not $x1)) (asserted (not p)) false)))
        (lemma @x2 (or (forall ((z Int)) (> z 0)) false)))))))";
    let report = examined(script, proof);
    assert!(!matches!(report.fault, Some(ProofFault::Undischarged(_))), "{report:?}");
    assert!(!report.is_complete);
}

/// A step under a binder is not about the constant of the same name.
#[test]
fn bound_variables_differ_from_constants_of_the_same_name() {
    let script = "(declare-fun f (Bool) Int)(declare-fun g (Bool) Int)(declare-const x Bool)
        (assert (forall ((y Bool)) (= (f y) (g y))))
        (assert (exists ((x Bool)) (not (= (f x) (g x)))))(assert x)";
    let proof = "((define @t3 () (@var \"x\" Bool))
        (define @t4 () (g @t3))
        (define @t5 () (= (f @t3) @t4))
        (define @t7 () (@list @t3))
        (define @t13 () (= @t4 @t4))
        (define @t14 () (forall @t7 @t13))
        (define @t16 () (forall @t7 @t5))
        (assume @p1 (forall @t7 @t5))
        (assume @p2 (exists @t7 (not @t5)))
        (step @p15 @t5 :rule trust :premises (@p1))
        (step @p16 (= @t5 @t13) :rule cong :premises (@p15) :args (@t5))
        (step @p17 (= @t16 @t14) :rule cong :premises (@p16) :args (@t16))
        (step @p18 false :rule trust :premises (@p17 @p1 @p2)))";
    let report = examined(script, proof);
    assert_eq!(report.fault, None, "{report:?}");
}
