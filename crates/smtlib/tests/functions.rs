//! Functions as values: sorts, lambdas, application in every spelling, functions without all their
//! arguments; what they mean.

mod support;

use assay_smtlib::{Command, Dialect, Lets, Printer, read_model, read_script, read_term};
use assay_term::{Evaluator, Model, Store};
use support::{read, round_trip};

const PRELUDE: &str = "(set-logic HO_ALL) (declare-sort U 0) (declare-const i Int) (declare-const u U)
(declare-fun f (Int Int) Int) (declare-fun g (Int) (-> Int Int)) (declare-const h (-> Int Int Int))
(declare-fun p ((-> Int Int) Int) Bool) (declare-const k (-> (-> Int Int) Bool))
(declare-fun uu (U) U) (declare-const hu (-> U U))
(define-fun twice ((x Int)) Int (* 2 x)) (define-fun compose ((a (-> Int Int)) (b (-> Int Int)) (x Int)) Int (a (b x)))
(declare-const arr (Array Int Int))
";

/// Formulas, and the same as we print it where that differs.
const ACCEPTED: &[(&str, &str)] = &[
    ("(= (h 1 2) i)", ""),
    ("(= (@ h 1 2) i)", "(= (h 1 2) i)"),
    ("(= (@ (@ h 1) 2) i)", "(= (h 1 2) i)"),
    ("(= (_ h 1 2) i)", "(= (h 1 2) i)"),
    ("(= (_ (_ h 1) 2) i)", "(= (h 1 2) i)"),
    ("(= ((_ h 1) 2) i)", "(= (h 1 2) i)"),
    ("(= ((h 1) 2) i)", "(= (h 1 2) i)"),
    ("(= (f 1) (h 1))", ""),
    ("(= f h)", ""),
    ("(= (f i) (g i))", ""),
    ("(= (g 1 2) i)", "(= (@ (g 1) 2) i)"),
    ("(= ((f 1) 2) i)", "(= (@ (f 1) 2) i)"),
    ("(= (_ f 1 2) i)", "(= (@ f 1 2) i)"),
    ("(p twice i)", ""),
    ("(p (f 3) i)", ""),
    ("(p (lambda ((x Int)) (+ x i)) i)", ""),
    ("(p (lambda ((x Int)) (f x x)) i)", ""),
    ("(k (h 1))", ""),
    ("(k (lambda ((x Int)) x))", ""),
    ("(= h (lambda ((x Int) (y Int)) (+ x y)))", ""),
    (
        "(= h (lambda ((x Int)) (lambda ((y Int)) (+ x y))))",
        "(= h (lambda ((x Int) (y Int)) (+ x y)))",
    ),
    ("(= ((lambda ((x Int)) (+ x 1)) 2) 3)", "(= (@ (lambda ((x Int)) (+ x 1)) 2) 3)"),
    ("(= (compose twice (f 1) 4) 8)", ""),
    ("(= (compose twice twice) (f 1))", ""),
    ("(= uu hu)", ""),
    ("(= (hu u) (uu u))", ""),
    ("(forall ((x (-> Int Int)) (n Int)) (= (x n) (x n)))", ""),
    ("(forall ((x (-> Int Int Bool))) (x 1 2))", ""),
    ("(exists ((x (-> Int (-> Int Bool)))) (x 1 2))", "(exists ((x (-> Int Int Bool))) (x 1 2))"),
    ("(let ((v (f 1))) (= (v 2) i))", ""),
    ("(= ((ite (= i 0) twice (f 1)) 3) 6)", "(= (@ (ite (= i 0) twice (f 1)) 3) 6)"),
    ("(distinct twice (f 1) (f 2))", ""),
    ("(= (select arr 1) 2)", ""),
    ("(= arr (lambda ((x Int)) x))", ""),
    ("(= (select (lambda ((x Int)) x) 1) 2)", ""),
];

#[test]
fn every_form_is_read_and_printed() {
    for (formula, printed) in ACCEPTED {
        let unit = round_trip(&format!("{PRELUDE}(assert {formula})"));
        let Some(Command::Assert(term)) = unit.script.commands.last() else { panic!("{formula}") };
        let expected = if printed.is_empty() { formula } else { printed };
        assert_eq!(&Printer::new(&unit.store).term(*term), expected);
    }
}

#[test]
fn functions_are_values_where_the_script_says_so() {
    round_trip("(declare-fun f (Int Int) Int) (declare-const h (-> Int Int)) (assert (= (f 1) h))");
    round_trip("(declare-fun f (Int) Int) (check-sat) (get-value (f (f 1)))");
    round_trip("(declare-fun f (Int Int) Int) (get-value ((f 1)))");
    round_trip("(declare-sort-parameter A) (declare-fun id ((-> A A)) A)");
    round_trip(
        "(declare-datatype F ((mk (run (-> Int Int))))) (declare-const f F) (assert (= 1 (run f 2)))",
    );
    round_trip("(define-sort Op (X) (-> X X X)) (declare-const o (Op Int)) (assert (= (o 1 2) 3))");
    round_trip(
        "(declare-const f (Array Int Bool)) (assert (forall ((g (Array Int Bool))) (= (g 1) (select f 1))))",
    );
    round_trip("(define-fun f () (-> Int Int) (lambda ((x Int)) x)) (assert (= (f 1) 1))");
    round_trip("(define-fun f () (Array Int Int) (lambda ((x Int)) x))");
    round_trip(
        "(define-fun f ((x Int)) Int x) (declare-const s (Seq Int)) (assert (= s (seq.map f s)))",
    );
    round_trip(
        "(declare-const s (Seq Int)) (assert (= 1 (seq.foldl (lambda ((a Int) (b Int)) (+ a b)) 0 s)))",
    );
    // The names of our own are no trap.
    round_trip(
        "(set-logic HO_ALL) (declare-fun f (Int Int) Int) (assert (forall ((arg!1 Int)) (= (f arg!1) (f 1))))",
    );
    round_trip(
        "(set-logic HO_ALL) (declare-fun f (Int) Int) (assert (= f (lambda ((arg!0 Int)) (f arg!0))))",
    );
}

/// Functions are values in every logic, as z3 and bitwuzla have it.
#[test]
fn a_function_may_stand_alone_in_any_logic() {
    for script in [
        "(declare-fun f (Bool) Bool) (assert (= f f)) (check-sat)",
        "(set-logic UF) (declare-sort U 0) (declare-fun f (U U) U) (declare-fun g (U) U) (declare-const a U)
         (assert (= (f a) g)) (assert (distinct f f)) (assert (forall ((h (-> U U))) (= h g)))",
        "(set-logic QF_UFLIA) (declare-fun f (Int) Int) (declare-fun g (Int) Int) (declare-const b Bool)
         (assert (= f (ite b g f))) (get-value (f))",
        "(declare-fun f (Int) Int) (assert (= f (lambda ((x Int)) (+ x 1))))",
    ] {
        round_trip(script);
    }
}

/// Texts that misuse functions, and what is said of them.
const REFUSED: &[(&str, &str)] = &[
    ("(declare-fun f (Int Int) Int) (assert (= (f 1) 2))", "expected (-> Int Int), got Int"),
    ("(declare-fun f (Int) Int) (assert (+ f 1))", "expected Int, got (-> Int Int)"),
    ("(declare-fun f (Int) Int) (declare-fun f (Bool) Int) (assert (= f f))", "several functions"),
    ("(declare-const h (-> Int Int)) (assert (= (h 1 2) 2))", "`h` takes no arguments, got 2"),
    ("(declare-const h (-> Int Int)) (assert (= (h true) 2))", "`h` takes no arguments, got 1"),
    (
        "(declare-const h (-> Int Int)) (assert (= (@ h true) 2))",
        "argument 2 of `@`: expected Int, got Bool",
    ),
    (
        "(assert (forall ((x (-> Int Bool))) (x true)))",
        "a value of sort (-> Int Bool) is applied to Bool",
    ),
    ("(declare-const h (-> Int Int)) (assert ((h)))", "a constant has no parentheses: h"),
    (
        "(declare-const h (-> Int Int)) (declare-fun f (Int Int) Int) (assert (= h f))",
        "argument 2 of `=`: expected (-> Int Int), got (-> Int Int Int)",
    ),
];

#[test]
fn misuse_of_functions_is_refused_with_a_reason() {
    for (text, expected) in REFUSED {
        let read = read_script(&mut Store::new(), text.as_bytes(), Lets::Keep);
        let error = read.map(|_| ()).expect_err(text);
        assert!(error.message.contains(expected), "{text}\n{error}");
    }
}

/// Formulas under a model, with their value; `None` if it is unknown.
const MODEL: &str = "(
(define-fun i () Int 3)
(define-fun f ((x Int) (y Int)) Int (ite (and (= x 1) (= y 2)) 5 (+ x y)))
(define-fun h () (-> Int Int Int) (lambda ((x Int) (y Int)) (- x y)))
(define-fun g ((x Int)) (-> Int Int) (lambda ((y Int)) (* x y)))
(define-fun b ((x Bool) (y Bool)) Bool (and x y))
(define-fun c () (-> Bool Bool Bool) (lambda ((x Bool) (y Bool)) (ite x y false)))
)";

const EVALUATED: &[(&str, Option<bool>)] = &[
    ("(= (h 5 2) i)", Some(true)),
    ("(= ((f 1) 2) 5)", Some(true)),
    ("(= (g 3 4) 12)", Some(true)),
    ("(= ((lambda ((x Int) (y Int)) (+ x y i)) 1 2) 6)", Some(true)),
    ("(let ((v (f 1))) (and (= (v 2) 5) (= (v 3) 4)))", Some(true)),
    ("(= (let ((i 10)) ((f i) 1)) 11)", Some(true)),
    ("(= b c)", Some(true)),
    ("(= (b true) (c false))", Some(false)),
    ("(= b (lambda ((x Bool) (y Bool)) (or x y)))", Some(false)),
    ("(exists ((q (-> Bool Bool))) (and (q true) (not (q false))))", Some(true)),
    ("(forall ((q (-> Bool Bool))) (= (q (q (q true))) (q true)))", Some(true)),
    ("(forall ((q (-> Bool Bool)) (r (-> Bool Bool))) (= q r))", Some(false)),
    ("(= h (lambda ((x Int) (y Int)) (- x y)))", Some(true)),
    ("(= h (lambda ((x Int) (y Int)) (+ x y)))", None),
    ("(= (f 1) (h 1))", None),
];

#[test]
fn functions_have_their_meaning() {
    for (formula, expected) in EVALUATED {
        let text = format!(
            "(set-logic HO_ALL) (declare-const i Int) (declare-fun f (Int Int) Int) (declare-const h (-> Int Int Int))
             (declare-fun g (Int) (-> Int Int)) (declare-fun b (Bool Bool) Bool) (declare-const c (-> Bool Bool Bool))
             (assert {formula})"
        );
        let mut unit = read(&text, Lets::Keep);
        let model = read_model(&mut unit.store, &unit.env, MODEL).expect("a model");
        let Some(Command::Assert(term)) = unit.script.commands.last() else { panic!("{formula}") };
        let got = Evaluator::new(&unit.store, &model).holds(*term).ok();
        assert_eq!(got, *expected, "{formula}");
    }
}

#[test]
fn the_value_of_a_function_is_written_as_a_lambda() {
    let mut unit = read(
        "(set-logic HO_ALL) (declare-const c (-> Bool Int Bool)) (define-fun d () (-> Bool Bool) (lambda ((x Bool)) (not x))) (assert (d true))",
        Lets::Keep,
    );
    let Some(Command::DefineFun(definition)) =
        unit.script.commands.iter().find(|command| matches!(command, Command::DefineFun(_)))
    else {
        panic!("a definition");
    };
    let model = Model::new();
    let value = Evaluator::new(&unit.store, &model).eval(definition.body).expect("a table");
    let term = unit.store.value(&value).expect("a lambda");
    let text = Printer::new(&unit.store).term(term);
    let again = assay_smtlib::read_term(&mut unit.store, &mut unit.env, &text).expect("a term");
    assert_eq!(Evaluator::new(&unit.store, &model).eval(again), Ok(value), "{text}");
}

/// A script as a dialect writes it.
fn written(script: &str, dialect: &str) -> String {
    let mut store = Store::new();
    let read = read_script(&mut store, script.as_bytes(), Lets::Keep);
    let (script, _) = read.unwrap_or_else(|error| panic!("{error}"));
    let dialect = Dialect::by_name(dialect).expect("a known dialect");
    let printer = Printer::new(&store).dialect(dialect);
    script.commands.iter().map(|command| printer.command(command) + "\n").collect()
}

#[test]
fn z3_is_given_arrays_for_functions_one_argument_at_a_time() {
    let script = "(set-logic HO_ALL)
        (declare-const h (-> Int Bool Int))
        (declare-fun g (Int Bool) Int)
        (assert (= (h 1 true) (@ (lambda ((x Int) (y Bool)) x) 2 false)))
        (assert (= (h 1) (g 1)))";
    let expected = "(set-logic HO_ALL)
(declare-const h (-> Int (-> Bool Int)))
(declare-fun g (Int Bool) Int)
(assert (= (select (select h 1) true) \
         (select (select (lambda ((x Int)) (lambda ((y Bool)) x)) 2) false)))
(assert (= (select h 1) (lambda ((arg!1 Bool)) (g 1 arg!1))))
";
    assert_eq!(written(script, "z3"), expected);
    // What z3 is given is read here too, and means the same.
    let standard = written(expected, "smt-lib");
    assert_eq!(written(&standard, "z3"), expected);
}

/// Operators on sequences read an array with several indices, not an array of arrays.
#[test]
fn z3_is_given_functions_for_sequences_with_all_their_arguments() {
    let script = "(set-logic ALL)
        (declare-const s (Seq Int))
        (declare-fun g (Int Int) Int)
        (assert (= 1 (seq.foldl g 0 s)))
        (assert (= 1 (seq.foldl (lambda ((a Int) (b Int)) (+ a b)) 0 s)))
        (assert (= 1 (seq.foldli (lambda ((i Int) (a Int) (b Int)) (+ i a b)) 0 0 s)))
        (assert (= s (seq.mapi (lambda ((i Int) (a Int)) (+ i a)) 0 s)))
        (assert (= s (seq.map (lambda ((a Int)) (+ 1 a)) s)))";
    let expected = "(set-logic ALL)
(declare-const s (Seq Int))
(declare-fun g (Int Int) Int)
(assert (= 1 (seq.foldl (lambda ((arg!0 Int) (arg!1 Int)) (g arg!0 arg!1)) 0 s)))
(assert (= 1 (seq.foldl (lambda ((a Int) (b Int)) (+ a b)) 0 s)))
(assert (= 1 (seq.foldli (lambda ((i Int) (a Int) (b Int)) (+ i a b)) 0 0 s)))
(assert (= s (seq.mapi (lambda ((i Int) (a Int)) (+ i a)) 0 s)))
(assert (= s (seq.map (lambda ((a Int)) (+ 1 a)) s)))
";
    assert_eq!(written(script, "z3"), expected);
    let standard = written(expected, "smt-lib");
    assert_eq!(written(&standard, "z3"), expected);
}

#[test]
fn functions_are_read_as_z3_and_cvc5_print_them() {
    let script = "(set-logic HO_ALL)
        (declare-const f (-> Bool Int))
        (declare-const h (-> Bool Bool Int))
        (declare-const k (-> (-> Bool Bool) Bool))";
    let z3 = "(
      (define-fun f () (-> Bool Int) (store (store ((as const (-> Bool Int)) 3) true 4) false 5))
      (define-fun h () (-> Bool (-> Bool Int))
        (store ((as const (-> Bool (-> Bool Int))) ((as const (-> Bool Int)) 7)) true
          (lambda ((x Bool)) (ite x 8 9))))
      (define-fun k () (-> (-> Bool Bool) Bool) (lambda ((g (-> Bool Bool))) (select g true)))
    )";
    let cvc5 = "(
      (define-fun f ((x Bool)) Int (ite (= x true) 4 5))
      (define-fun h ((x Bool) (y Bool)) Int (ite x (ite y 8 9) 7))
      (define-fun k ((g (-> Bool Bool))) Bool (@ g true))
    )";
    let formulas = [
        ("(= (f true) 4)", true),
        ("(= (f false) 4)", false),
        ("(= (h true) (lambda ((x Bool)) (ite x 8 9)))", true),
        ("(= (h false true) 7)", true),
        ("(= (h false) (h true))", false),
        ("(k (lambda ((x Bool)) x))", true),
        ("(k (lambda ((x Bool)) (not x)))", false),
    ];
    for model in [z3, cvc5] {
        for (formula, expected) in formulas {
            let mut store = Store::new();
            let read = read_script(&mut store, script.as_bytes(), Lets::Keep);
            let (_, mut env) = read.unwrap_or_else(|error| panic!("{error}"));
            let model = read_model(&mut store, &env, model).unwrap_or_else(|e| panic!("{e}"));
            let term = read_term(&mut store, &mut env, formula).unwrap_or_else(|e| panic!("{e}"));
            let truth = Evaluator::new(&store, &model).holds(term);
            assert_eq!(truth, Ok(expected), "{formula}");
        }
    }
}

/// Folds, and operators on bags that take predicates, with their values.
const COLLECTIONS: &[(&str, Option<bool>)] = &[
    (
        "(= (seq.foldl (lambda ((a Int) (x Int)) (- (* 2 a) x)) 1 (seq.++ (seq.unit 3) (seq.unit 4))) (- 6))",
        Some(true),
    ),
    ("(= (seq.foldl (lambda ((a Int) (x Int)) a) i (as seq.empty (Seq Int))) i)", Some(true)),
    ("(= (seq.foldl plus 0 (seq.++ (seq.unit 3) (seq.unit 4))) 7)", Some(true)),
    (
        "(= (seq.foldli (lambda ((p Int) (a Int) (x Int)) (+ a (* p x))) 5 1 (seq.++ (seq.unit 3) (seq.unit 4))) 40)",
        Some(true),
    ),
    (
        "(= (set.fold (lambda ((x Int) (a Int)) (+ x a)) 10 (set.insert 1 2 (set.singleton 3))) 16)",
        Some(true),
    ),
    (
        "(= (set.fold (lambda ((x Int) (a Int)) (+ x a)) 10 (as set.empty (Set Int))) 10)",
        Some(true),
    ),
    ("(= (set.fold (lambda ((x Int) (a Int)) (+ x i)) 10 (set.singleton 3)) (+ 3 i))", Some(true)),
    // 1 - (2 - 0) and 2 - (1 - 0).
    (
        "(= (set.fold (lambda ((x Int) (a Int)) (- x a)) 0 (set.insert 1 (set.singleton 2))) 1)",
        None,
    ),
    // Some orders agree before others do not.
    (
        "(= (set.fold (lambda ((x Int) (a Int)) (ite (= x 3) a (- x a))) 0 (set.insert 1 2 (set.singleton 3))) 1)",
        None,
    ),
    ("(= (bag.fold (lambda ((x Int) (a Int)) (+ x a)) 0 (bag 5 3)) 15)", Some(true)),
    ("(= (bag.fold (lambda ((x Int) (a Int)) (- x a)) 0 (bag 5 3)) 5)", Some(true)),
    ("(= (bag.fold (lambda ((x Int) (a Int)) (+ x a)) 0 (bag 5 1000000000000)) 15)", None),
    ("(bag.all (lambda ((x Int)) (> x i)) (bag 8 3))", Some(true)),
    ("(bag.all (lambda ((x Int)) (> x 8)) (bag.union_disjoint (bag 8 3) (bag 9 1)))", Some(false)),
    ("(bag.some (lambda ((x Int)) (> x 8)) (bag.union_disjoint (bag 8 3) (bag 9 1)))", Some(true)),
    ("(bag.some (lambda ((x Int)) (> x 8)) (as bag.empty (Bag Int)))", Some(false)),
    ("(= (bag.partition (lambda ((x Int) (y Int)) (= x y)) (bag 1 2)) (bag (bag 1 2) 1))", None),
    (
        "(= ((_ rel.aggr 0) (lambda ((t (Tuple Int Int)) (a Int)) (+ a ((_ tuple.select 1) t))) 0
          (set.singleton (tuple 1 2))) (set.singleton 2))",
        None,
    ),
    (
        "(= ((_ table.aggr 0 1) (lambda ((t (Tuple Int Int)) (a Int)) a) 0 (bag (tuple 1 2) 1)) (bag 0 1))",
        None,
    ),
];

#[test]
fn collections_are_folded_where_their_order_does_not_matter() {
    for (formula, expected) in COLLECTIONS {
        let text = format!(
            "(set-logic HO_ALL) (declare-const i Int) (define-fun plus ((x Int) (y Int)) Int (+ x y))
             (assert {formula})"
        );
        let mut unit = round_trip(&text);
        let model = read_model(
            &mut unit.store,
            &unit.env,
            "((define-fun i () Int 7) (define-fun plus ((x Int) (y Int)) Int (+ x y)))",
        )
        .expect("a model");
        let Some(Command::Assert(term)) = unit.script.commands.last() else { panic!("{formula}") };
        let got = Evaluator::new(&unit.store, &model).holds(*term).ok();
        assert_eq!(got, *expected, "{formula}");
    }
}

/// A fold over a set against every order of its elements, folded one by one.
#[test]
fn a_fold_over_a_set_is_known_if_every_order_agrees() {
    let bodies = [
        "(+ x a)",
        "(* x a)",
        "(- x a)",
        "(ite (< x a) x a)",
        "(ite (= x 2) a x)",
        "(+ (mod (* 3 a) 5) x)",
        "3",
    ];
    let meaning: [fn(i64, i64) -> i64; 7] = [
        |x, a| x + a,
        |x, a| x * a,
        |x, a| x - a,
        |x, a| x.min(a),
        |x, a| if x == 2 { a } else { x },
        |x, a| (3 * a).rem_euclid(5) + x,
        |_, _| 3,
    ];
    for (body, meaning) in bodies.into_iter().zip(meaning) {
        for set in [&[][..], &[2], &[1, 2], &[0, 1, 4], &[1, 2, 3, 4]] {
            let mut results: Vec<i64> = orders(set)
                .into_iter()
                .map(|order| order.into_iter().fold(1, |a, x| meaning(x, a)))
                .collect();
            results.sort_unstable();
            results.dedup();
            let elements: String = set.iter().map(|x| format!("(set.singleton {x}) ")).collect();
            let union = match set {
                [] => "(as set.empty (Set Int))".to_owned(),
                [only] => format!("(set.singleton {only})"),
                _ => format!("(set.union {elements})"),
            };
            let mut store = Store::new();
            let text = format!("(set.fold (lambda ((x Int) (a Int)) {body}) 1 {union})");
            let mut env =
                read_script(&mut store, b"(set-logic HO_ALL)", Lets::Keep).expect("a logic").1;
            let term = read_term(&mut store, &mut env, &text).expect("a fold");
            let got = Evaluator::new(&store, &Model::new()).eval(term);
            match results[..] {
                [only] => assert_eq!(got, Ok(assay_term::Value::Int(only.into())), "{text}"),
                _ => assert!(got.is_err(), "{text}"),
            }
        }
    }
}

fn orders(items: &[i64]) -> Vec<Vec<i64>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let first = |at: usize| {
        let mut rest = items.to_vec();
        let item = rest.remove(at);
        orders(&rest).into_iter().map(move |order| [vec![item], order].concat())
    };
    (0..items.len()).flat_map(first).collect()
}
