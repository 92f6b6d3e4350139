//! Constructs of single solvers: each is read, printed and read again; what has a value has the one
//! that a definition of its own gives.

mod support;

use assay_smtlib::{Lets, read_script, read_term};
use assay_term::{Evaluator, Model, Store, Value};
use support::round_trip;

/// Scripts that are read.
const READ: &[&str] = &[
    // Codatatypes of cvc5, in every form.
    "(declare-codatatypes ((stream 0)) (((cons (head Int) (tail stream)))))
     (declare-fun s () stream) (assert (= s (cons 1 s))) (assert ((_ is cons) s))",
    "(declare-codatatype stream ((cons (head Int) (tail stream))))
     (declare-const s stream) (assert (= (head (tail s)) 3))",
    "(declare-codatatypes () ((tree (node (value Int) (left tree) (right tree)) (leaf))))
     (declare-const t tree) (assert (not (= t leaf)))",
    "(declare-codatatype L (par (T) ((nil) (cons (head T) (tail (L T))))))
     (declare-const l (L Int)) (assert (= l (cons 1 (as nil (L Int)))))",
    // Arithmetic of cvc5 and z3.
    "(declare-const x Int) (assert (= (piand 4 x x) (div_total x 0) (mod_total x 0)))",
    "(declare-const y Real) (assert (= (sec y) (csc y) (cot y) (arcsec y) (arccsc y) (arccot y)))",
    "(declare-const y Real) (assert (= (asinh y) (acosh y) (atanh y) (/_total y 0.0)))",
    // Arrays of cvc5 and z3.
    "(declare-const a (Array Int Real)) (assert (eqrange a a 0 3))",
    "(declare-const a (Array (_ BitVec 4) Int)) (assert (eqrange a a #x0 #x3))",
    "(declare-const a (Array Int Bool)) (assert (default a)) (assert (= 3 (array-ext a a)))",
    // No index selects no column.
    "(declare-const t (Tuple Int Bool)) (declare-const v UnitTuple) (assert (= v (tuple.project t) ((_ tuple.project) t)))",
    "(declare-const r (Relation Int Bool)) (declare-const s Relation) (assert (= s (rel.project r)))
     (assert (= (rel.group r) (set.singleton r)))",
    "(declare-const r (Table Int Bool)) (declare-const s Table) (assert (= s (table.project r)))
     (assert (= (table.group r) (bag r 1)))",
    "(declare-const t Tuple) (assert (distinct t mkTuple))",
    // Names of extensions are free for scripts.
    "(declare-const default Int) (declare-fun sec (Int) Int) (declare-const csc Bool) (assert (= default (sec 1)))",
    // Commands that do not change the assertions.
    "(declare-const a Bool) (check-sat-assuming-model (a) (true)) (show-model) (show-stats) (get-unsat-model-interpolant)",
    "(assert (! true :named A)) (get-interpolants A (and A A)) (get-interpolants (A)) (get-interpolants (A) (A A)) (get-interpolant (g1)) (get-interpolant I true)",
    "(declare-const a Bool) (check-allsat (a)) (load-objective-model 1) (simplify a :som true)",
    // What several solvers read although the standard requires more.
    "(set-info :a :b) (assert (let () true)) (assert (! true)) (assert (! true : 0 :|| : () :named n))",
    "(declare-fun f (Int) Bool) (assert (forall ((x Int)) (! (f x) :pattern () :pattern ((f x)))))",
    "(define-sort a () (FloatingPoint)) (define-sort |b c| (T) (BitVec)) (check-sat)",
    "(help-strategy) (reset-params) (dbg-set-cnst (and true false)) (eufi (a) (b)) (mbp x (y)) (write-funs \"f\")",
];

/// Texts that are refused, and the extension that the message names.
const REFUSED: &[(&str, &str)] = &[
    ("(benchmark b :logic QF_UF)", "SMT-LIB 1.2"),
    ("(declare-extrafuns ((x Int)))", "SMT-LIB 1.2"),
    ("(theory Core :sorts ((Bool 0)))", "declarations of theories and logics"),
    ("(logic QF_UF :theories (Core))", "declarations of theories and logics"),
    ("(declare-funs ((x Int)))", "SMT-LIB 2.0 drafts of z3"),
    ("(minmax 1 2)", "games of objectives of OptiMathSAT"),
    ("(declare-map m (Int) (Int))", "maps of z3"),
    (
        "(declare-sort U 0)(declare-const u U)(assert (fmf.card u 3))",
        "bounds on the size of sorts of cvc5",
    ),
    ("(declare-const l (List Int))", "lists of z3"),
    ("(assert (set.member 1 (set.comprehension ((x Int)) true x)))", "set comprehensions of cvc5"),
    ("(declare-const a (Set Int)) (assert (select a 1))", "sets as arrays of z3"),
    ("(declare-const a (Set Int)) (assert (= a (store a 1 true)))", "sets as arrays of z3"),
    (
        "(declare-const s (Seq Int)) (assert (seq.in.re s (seq.to.re s)))",
        "regular expressions over sequences of z3",
    ),
    ("(declare-const r (RegEx (Seq Int)))", "regular expressions over sequences of z3"),
    ("(declare-const s String) (assert (= (seq.nth s 0) (seq.nth s 1)))", "characters of z3"),
    ("(declare-const b (_ BitVec 4)) (assert (= b (bvudiv0 b)))", "total arithmetic of z3"),
    ("(declare-variable s String)", "strings of Z3str"),
    ("(declare-const s String) (assert (= 3 (Length s)))", "strings of Z3str"),
    ("(declare-const x (_ FP 8 24))", "drafts of floating-point arithmetic"),
    ("(declare-const x Real) (assert (= x euler))", "transcendental constants of z3"),
    ("(assert (= 1.0 (root-obj (+ 1 1) 1)))", "algebraic numbers of z3"),
    (
        "(assert (= 1.0 (root-of-with-interval (coeffs 1) 0 1)))",
        "algebraic numbers of SMT-LIB models",
    ),
];

#[test]
fn extensions_of_solvers_round_trip() {
    for text in READ {
        round_trip(text);
    }
}

#[test]
fn unsupported_extensions_are_named() {
    for (text, extension) in REFUSED {
        let error = read_script(&mut Store::new(), text.as_bytes(), Lets::Keep).expect_err(text);
        assert!(error.message.contains(extension), "{text}: {}", error.message);
    }
}

fn value(text: &str) -> Option<Value> {
    let mut store = Store::new();
    let mut env = read_script(&mut store, b"", Lets::Keep).expect("nothing").1;
    let term = read_term(&mut store, &mut env, text).unwrap_or_else(|e| panic!("{text}: {e}"));
    Evaluator::new(&store, &Model::new()).eval(term).ok()
}

fn holds(text: &str) -> Option<bool> {
    value(text).map(|value| value == Value::Bool(true))
}

fn written(n: i64) -> String {
    if n < 0 { format!("(- {})", -n) } else { n.to_string() }
}

#[test]
fn total_division_follows_the_rules_of_division_and_is_defined_at_zero() {
    for a in -7i64..=7 {
        for b in -3i64..=3 {
            let (x, y) = (written(a), written(b));
            // By search: the quotient whose remainder is from zero below the divisor's magnitude.
            let found = (-9..=9).find(|q| (0..b.abs()).contains(&(a - q * b)));
            let (q, r) = found.map_or((0, a), |q| (q, a - q * b));
            let (q, r) = (written(q), written(r));
            assert_eq!(holds(&format!("(= (div_total {x} {y}) {q})")), Some(true), "{a} {b}");
            assert_eq!(holds(&format!("(= (mod_total {x} {y}) {r})")), Some(true), "{a} {b}");
            let quotient = if b == 0 { "0.0".to_owned() } else { format!("(/ {x}.0 {y}.0)") };
            let quotient = quotient.replace(").0", ".0)");
            let applied = format!("(/_total {x}.0 {y}.0)").replace(").0", ".0)");
            assert_eq!(holds(&format!("(= {applied} {quotient})")), Some(true), "{a} {b}");
        }
    }
}

#[test]
fn piand_joins_the_lowest_bits() {
    for bits in 1i64..=4 {
        for (a, b) in (-9i64..=9).flat_map(|a| (-9i64..=9).map(move |b| (a, b))) {
            let bit = |n: i64, at: i64| n.div_euclid(1 << at).rem_euclid(2);
            let sum: i64 = (0..bits).map(|at| (bit(a, at) * bit(b, at)) << at).sum();
            let text = format!("(= (piand {bits} {} {}) {sum})", written(a), written(b));
            assert_eq!(holds(&text), Some(true), "{text}");
        }
    }
    assert_eq!(value("(piand 0 1 1)"), None);
}

#[test]
fn a_range_of_arrays_is_compared_index_by_index() {
    let zero = "((as const (Array Int Int)) 0)";
    let words = "((as const (Array (_ BitVec 3) Int)) 0)";
    for at in 0..6i64 {
        for (first, last) in (0..6i64).flat_map(|a| (0..6i64).map(move |b| (a, b))) {
            let equal = !(first..=last).contains(&at);
            let text = format!("(eqrange {zero} (store {zero} {at} 1) {first} {last})");
            assert_eq!(holds(&text), Some(equal), "{text}");
            let bits = |n: i64| format!("#b{n:03b}");
            let (at, first, last) = (bits(at), bits(first), bits(last));
            let text = format!("(eqrange {words} (store {words} {at} 1) {first} {last})");
            assert_eq!(holds(&text), Some(equal), "{text}");
        }
    }
    assert_eq!(holds(&format!("(eqrange {zero} {zero} 0 100000000000)")), None);
}

#[test]
fn only_roots_of_squares_have_a_value() {
    for numerator in 0..40i64 {
        for denominator in 1..12i64 {
            let root = (0..40i64)
                .flat_map(|p| (1..12i64).map(move |q| (p, q)))
                .find(|(p, q)| p * p * denominator == q * q * numerator);
            let text = format!("(sqrt (/ {numerator}.0 {denominator}.0))");
            match root {
                Some((p, q)) => {
                    assert_eq!(holds(&format!("(= {text} (/ {p}.0 {q}.0))")), Some(true), "{text}");
                }
                None => assert_eq!(value(&text), None, "{text}"),
            }
        }
    }
    assert_eq!(value("(sqrt (- 4.0))"), None);
}

/// Values of codatatypes are finite here; how many there are, or whether one is the default, is
/// not known.
#[test]
fn infinite_values_of_codatatypes_decide_nothing() {
    let unit = "(declare-codatatype C ((c (s C))))(declare-const x C)(declare-const y C)";
    let lists = "(declare-codatatype L ((nil) (cons (t L))))(declare-const x L)(declare-const y L)";
    for (text, expected) in [
        (format!("{unit}(assert (= x y))"), None),
        (format!("{unit}(assert (forall ((z C)) (= z x)))"), None),
        (format!("{lists}(assert (forall ((z L)) ((_ is nil) z)))"), None),
        (format!("{lists}(assert (= (cons nil) nil))"), Some(false)),
        (format!("{lists}(assert (= (t (cons nil)) nil))"), Some(true)),
    ] {
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Keep).expect(&text);
        let (assertion, _) = script.active_assertions()[0];
        let got = Evaluator::new(&store, &Model::new()).completing().holds(assertion).ok();
        assert_eq!(got, expected, "{text}");
    }
}

#[test]
fn operators_with_few_arguments_follow_z3() {
    let cases = [
        ("(= and or)", "(= true false)"),
        ("(bvor #b0110)", "#b0110"),
        ("(bvadd #b0110)", "#b0110"),
        ("(concat #b0110)", "#b0110"),
        ("(xor false)", "false"),
        ("(distinct 1)", "true"),
        ("(distinct (xor true))", "true"),
    ];
    for (text, same) in cases {
        let mut store = Store::new();
        let (_, mut env) = read_script(&mut store, b"", Lets::Keep).expect("an empty script");
        let read = |env: &mut _, store: &mut _, text| read_term(store, env, text).expect(text);
        assert_eq!(read(&mut env, &mut store, text), read(&mut env, &mut store, same), "{text}");
    }
}

#[test]
fn nothing_is_read_after_exit() {
    for rest in ["garbage ) ((", "(bogus", "(assert x)", "(check-sat)", "\u{0}é", "|", "\""] {
        let text = format!("(set-info :status sat)(check-sat)(exit){rest}");
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Keep).expect(&text);
        assert_eq!(script.commands.len(), 3, "{text}");
        assert_eq!(script.statuses(), [Some("sat")], "{text}");
    }
}
