//! What solvers answer, in every shape that was seen: models, values, cores, objectives.

mod support;

use assay_smtlib::{
    Bound, Lets, print_model, read_core, read_model, read_objectives, read_script, read_term,
    read_values,
};
use assay_term::{Evaluator, Limits, Store, TermId, Unknown, satisfies};
use num_rational::BigRational;

/// What a formula over the script comes to under the model: `true`, `false`, or `unknown`.
fn under(script: &str, model: &str, formula: &str) -> &'static str {
    match value(script, model, formula) {
        Ok(true) => "true",
        Ok(false) => "false",
        Err(_) => "unknown",
    }
}

fn value(script: &str, model: &str, formula: &str) -> Result<bool, Unknown> {
    let mut store = Store::new();
    let read = read_script(&mut store, script.as_bytes(), Lets::Keep);
    let (script, mut env) = read.unwrap_or_else(|error| panic!("{error}"));
    let read = read_model(&mut store, &env, model);
    let mut meaning = read.unwrap_or_else(|error| panic!("{error}\n{model}"));
    meaning.extend(&script.definitions());
    let term = read_term(&mut store, &mut env, formula);
    let term = term.unwrap_or_else(|error| panic!("{error}\n{formula}"));
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    Evaluator::new(&store, &meaning).with_limits(limits).holds(term)
}

/// Each formula must come to what is said.
#[track_caller]
fn table(script: &str, rows: &[(&str, &[(&str, &str)])]) {
    for (model, formulas) in rows {
        for (formula, expected) in *formulas {
            assert_eq!(under(script, model, formula), *expected, "{formula} under {model}");
        }
    }
}

#[test]
fn envelopes() {
    let script = "(declare-const x Int)(declare-const b Bool)";
    let entries = "(define-fun x () Int (- 5))\n  (define-fun b () Bool true)";
    for model in [
        format!("(model \n  {entries}\n)"),
        format!("(\n  {entries}\n)\n"),
        format!("sat\n(\n{entries}\n)"),
        format!("sat\n(model\n{entries})"),
        format!("unknown (INCOMPLETE)\n(\n{entries}\n)"),
        format!("unsupported\nsuccess\nsat\n(model {entries})"),
        entries.to_owned(),
        "((x (- 5))\n (b true))".into(),
        "((b true) ((+ x 1) (- 4)) (x (- 5)))".into(),
        "(= x (- 5))\n(= b true)\n".into(),
    ] {
        assert_eq!(under(script, &model, "(and b (= x (- 5)))"), "true", "{model}");
        assert_eq!(under(script, &model, "(= x 5)"), "false", "{model}");
    }
    for empty in ["(model \n)", "(\n)", "(model)", "()", "sat\n()"] {
        assert_eq!(under(script, empty, "b"), "unknown", "{empty}");
    }
    for broken in [
        "",
        "sat",
        "hello world",
        "(hello)",
        "((hello world))",
        "unsat",
        "(model\n",
        "sat\n(model\n(define-fun x () Int",
        ")",
        "(define-fun x () Int 1))",
    ] {
        let mut store = Store::new();
        let (_, env) = read_script(&mut store, script.as_bytes(), Lets::Keep).expect("a script");
        assert!(read_model(&mut store, &env, broken).is_err(), "{broken}");
    }
}

#[test]
fn numbers() {
    let script = "(declare-const x Real)(declare-const i Int)(declare-const f (Array Real Real))";
    let is = |text: &str| format!("((define-fun x () Real {text}))");
    for (text, expected) in [
        ("0.0", "(= x 0.0)"),
        ("(- 3.0)", "(= x (- 3.0))"),
        ("(/ 1.0 2.0)", "(= (* 2.0 x) 1.0)"),
        ("(- (/ 1.0 3.0))", "(= (* 3.0 x) (- 1.0))"),
        (
            "(/ 1.0 1000000000000000000000000000000.0)",
            "(= (* 1000000000000000000000000000000.0 x) 1.0)",
        ),
        ("(/ 1 2)", "(= (* 2.0 x) 1.0)"),
        ("(/ (- 1) 2)", "(= (* 2.0 x) (- 1.0))"),
        ("7", "(= x 7.0)"),
        ("-7", "(= x (- 7.0))"),
        ("-7.0", "(= x (- 7.0))"),
        ("(ite (= 1.0 1.0) 0 (/ (- 137) 128))", "(= x 0.0)"),
        ("(/ (ite (= 1.0 1.0) 2 0) 1)", "(= x 2.0)"),
        ("(let ((a!1 (/ 1.0 2.0))) (+ a!1 a!1))", "(= x 1.0)"),
    ] {
        assert_eq!(under(script, &is(text), expected), "true", "{text}");
        assert_eq!(under(script, &is(text), "(= x 99.0)"), "false", "{text}");
    }
    // Not representable, approximate or nonsense: unknown, and nothing else suffers.
    for text in [
        "(root-obj (+ (^ x 2) (- 2)) 1)",
        "(_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)",
        "(_ real_algebraic_number <1*x^2 + (-2) , (-3/2, -5/4) >)",
        "1.414214",
        "-0.707107",
        "1.4142135623?",
        "(- 0.3333333333?)",
        "(witness ((BOUND_VARIABLE_824 Real)) (and (>= BOUND_VARIABLE_824 1.0)))",
        "(sin 1.0)",
        "real.pi",
        "(+ (/ 0 0) (* (- 1) (/ (/ 1.0 0) 0)))",
        "true",
        "\"a\"",
        "1.0 2.0",
        "",
        "(",
        "foo",
        "(as foo Real)",
        "3a",
        "(_ as-array k!7)",
    ] {
        let model = if text == "(" {
            "((define-fun i () Int 4))".to_owned()
        } else {
            format!("((define-fun x () Real {text}) (define-fun i () Int 4))")
        };
        assert_eq!(under(script, &model, "(= x 0.0)"), "unknown", "{text}");
        assert_eq!(under(script, &model, "(= x x)"), "unknown", "{text}");
        assert_eq!(under(script, &model, "(= i 4)"), "true", "{text}");
    }
    let cvc4 =
        "((define-fun f () (Array Real Real) (store ((as const (Array Real Real)) 0) 1 (/ 1 2))))";
    assert_eq!(under(script, cvc4, "(and (= (select f 1.0) 0.5) (= (select f 2.0) 0.0))"), "true");
}

#[test]
fn bit_vectors_floats_strings_and_sequences() {
    table(
        "(declare-const b (_ BitVec 8))",
        &[
            ("((define-fun b () (_ BitVec 8) #x0f))", &[("(= b #b00001111)", "true")]),
            ("((define-fun b () (_ BitVec 8) #b00001111))", &[("(= b #x0f)", "true")]),
            ("((define-fun b () (_ BitVec 8) (_ bv15 8)))", &[("(= b #x0f)", "true")]),
            // bitwuzla in base 16 drops leading zeros: not a value of this sort.
            ("((b #xf))", &[("(= b #x0f)", "unknown")]),
            ("(model (define-fun b () (_ BitVec\n     8)\n   #x0f))", &[("(= b #x0f)", "true")]),
        ],
    );
    table(
        "(declare-const f (_ FloatingPoint 8 24))(declare-const r RoundingMode)",
        &[
            (
                "((define-fun f () (_ FloatingPoint 8 24) (fp #b0 #x7f #b00000000000000000000000)))",
                &[("(fp.eq f ((_ to_fp 8 24) RNE 1.0))", "true"), ("(fp.isNaN f)", "false")],
            ),
            (
                "((define-fun f () Float32 (_ -zero 8 24)))",
                &[("(and (fp.isZero f) (fp.isNegative f))", "true")],
            ),
            ("((define-fun f () Float32 (_ +oo 8 24)))", &[("(fp.isInfinite f)", "true")]),
            ("((define-fun f () Float32 (_ NaN 8 24)))", &[("(fp.isNaN f)", "true")]),
            (
                "((define-fun f () (_ FloatingPoint 8 24) (fp #b0 #b11111111 #b10000000000000000000000)))",
                &[("(fp.isNaN f)", "true")],
            ),
            ("((define-fun r () RoundingMode roundTowardZero))", &[("(= r RTZ)", "true")]),
            ("((define-fun r () RoundingMode RNA))", &[("(= r roundNearestTiesToAway)", "true")]),
        ],
    );
    table(
        "(declare-const s String)(declare-const q (Seq Int))(declare-const n (Seq (Seq Int)))",
        &[
            (
                r#"((define-fun s () String "a""b|;(\u{9}\u{5c}u"))"#,
                &[("(= (str.len s) 9)", "true")],
            ),
            (r#"((define-fun s () String ""))"#, &[("(= s \"\")", "true")]),
            (
                r#"((define-fun s () String "\u{1F600}"))"#,
                &[("(= (str.to_code s) 128512)", "true")],
            ),
            (
                "((define-fun q () (Seq Int) (as seq.empty (Seq Int))))",
                &[("(= (seq.len q) 0)", "true")],
            ),
            (
                "((define-fun q () (Seq Int) (seq.++ (seq.unit 1) (seq.unit 2))))",
                &[("(= (seq.nth q 1) 2)", "true"), ("(= (seq.nth q 5) 2)", "unknown")],
            ),
            (
                "((define-fun n () (Seq (Seq Int)) (seq.unit (as seq.empty (Seq Int)))))",
                &[("(= (seq.len n) 1)", "true")],
            ),
        ],
    );
}

#[test]
fn uninterpreted_sorts() {
    let script = "(declare-sort U 0)(declare-sort |my sort| 0)(declare-sort F 2)
        (declare-const a U)(declare-const b U)(declare-const c |my sort|)(declare-const d |my sort|)
        (declare-const e (F Int Bool))(declare-fun f (U) U)";
    let two = &[("(= a b)", "false"), ("(= a a)", "true")][..];
    table(
        script,
        &[
            // z3, with its universe.
            (
                "(\n  ;; universe for U:\n  ;;   U!val!0 U!val!1 \n  ;; -----------\n  ;; definitions for universe elements:\n  (declare-fun U!val!0 () U)\n  (declare-fun U!val!1 () U)\n  ;; cardinality constraint:\n  (forall ((x U)) (or (= x U!val!0) (= x U!val!1)))\n  ;; -----------\n  (define-fun b () U\n    U!val!1)\n  (define-fun a () U\n    U!val!0)\n  (define-fun f ((x!0 U)) U\n    (ite (= x!0 U!val!1) U!val!0\n      U!val!1))\n)",
                &[
                    ("(= a b)", "false"),
                    ("(= (f b) a)", "true"),
                    ("(forall ((x U)) (or (= x a) (= x b)))", "true"),
                    ("(exists ((x U)) (= (f x) x))", "false"),
                ],
            ),
            // Without a declaration, and an element outside the universe: then nothing is known of all.
            ("((define-fun a () U U!val!0) (define-fun b () U U!val!1))", two),
            (
                "(;; universe for U:\n;; U!val!0 \n(declare-fun U!val!0 () U)\n(define-fun a () U U!val!0)(define-fun b () U U!val!7))",
                &[("(= a b)", "false"), ("(forall ((x U)) (= x a))", "unknown")],
            ),
            // cvc5, old and new; cvc4.
            (
                "(\n; cardinality of U is 2\n; rep: (as @U_0 U)\n; rep: (as @U_1 U)\n(define-fun a () U (as @U_0 U))\n(define-fun b () U (as @U_1 U))\n(define-fun f ((_arg_1 U)) U (ite (= (as @U_0 U) _arg_1) (as @U_1 U) (as @U_0 U)))\n)",
                &[
                    ("(= a b)", "false"),
                    ("(= (f a) b)", "true"),
                    ("(forall ((x U)) (or (= x a) (= x b)))", "true"),
                ],
            ),
            (
                "(model\n; cardinality of U is 2\n(declare-sort U 0)\n; rep: @uc_U_0\n; rep: @uc_U_1\n(define-fun a () U @uc_U_0)\n(define-fun b () U @uc_U_1)\n)",
                &[("(= a b)", "false"), ("(forall ((x U)) (or (= x a) (= x b)))", "true")],
            ),
            // The number does not agree with the list.
            (
                "(\n; cardinality of U is 3\n; rep: (as @U_0 U)\n(define-fun a () U (as @U_0 U))\n(define-fun b () U (as @U_0 U)))",
                &[("(= a b)", "true"), ("(forall ((x U)) (= x a))", "unknown")],
            ),
            (
                "((declare-fun @U_0 () U)(declare-fun @U_1 () U)(define-fun a () U @U_0)(define-fun b () U @U_1))",
                two,
            ),
            (
                "(model (declare-sort U 0) (declare-fun groundTerm_1 () U) (define-fun a () U groundTerm_1) (define-fun b () U @uc_U_3))",
                two,
            ),
            // yices and bitwuzla.
            (
                "(model (define-fun a () U (as @const_9 U)) (define-fun b () U (as @const_8 U)))",
                two,
            ),
            ("((a @const_9) (b @const_8))", two),
            (
                "(= a @const_9)\n(= b @const_8)\n(= f @fun_19)\n(function @fun_19\n (type (Array U U))\n (= (@fun_19 @const_8) @const_9)\n (default @const_8))",
                &[("(= a b)", "false"), ("(= (f a) a)", "unknown")],
            ),
            ("((define-fun a () U (as @const_def1 U)) (define-fun b () U (as @const_1 U)))", two),
            // Names that need bars, sorts with arguments.
            (
                "(\n  ;; universe for |my sort|:\n  ;;   |my sort!val!0| |my sort!val!1| \n  (declare-fun |my sort!val!0| () |my sort|)\n  (declare-fun |my sort!val!1| () |my sort|)\n  (define-fun c () |my sort| |my sort!val!0|)\n  (define-fun d () |my sort| |my sort!val!1|))",
                &[("(= c d)", "false"), ("(forall ((x |my sort|)) (or (= x c) (= x d)))", "true")],
            ),
            (
                "(\n; cardinality of |my sort| is 2\n; rep: |@uc_my sort_0|\n; rep: |@uc_my sort_1|\n(define-fun c () |my sort| |@uc_my sort_0|)(define-fun d () |my sort| |@uc_my sort_1|))",
                &[
                    ("(= c d)", "false"),
                    ("(exists ((x |my sort|)) (and (distinct x c) (distinct x d)))", "false"),
                ],
            ),
            // z3 4.8.5 forgets the bars: unreadable, so unknown.
            (
                "((define-fun c () my sort\n my sort!val!0) (define-fun a () U U!val!0))",
                &[("(= c c)", "unknown"), ("(= a a)", "true")],
            ),
            (
                "((define-fun e () (F Int Bool) (as |@(F Int Bool)_0| (F Int Bool))))",
                &[("(= e e)", "true")],
            ),
            ("((define-fun e () (F Int Bool) F!val!0))", &[("(= e e)", "true")]),
        ],
    );
}

#[test]
fn datatypes() {
    let script = "(declare-datatypes ((List 1) (Pair 2)) ((par (T) ((nil) (cons (head T) (tail (List T))))) (par (A B) ((mk (one A) (two B))))))
        (declare-datatype Color ((red) (|dark blue|)))
        (declare-const l (List Int))(declare-const p (Pair Int (List Int)))(declare-const c Color)
        (declare-const ll (List (List Int)))";
    table(
        script,
        &[
            (
                "((define-fun l () (List Int) (cons 3 (cons 2 (as nil (List Int))))))",
                &[("(= (head (tail l)) 2)", "true")],
            ),
            (
                "((define-fun l () (List Int) ((as cons (List Int)) 3 (as nil (List Int)))))",
                &[("(= (head l) 3)", "true")],
            ),
            // z3 leaves the sort out where the standard wants it.
            ("((define-fun l () (List Int) nil))", &[("((_ is nil) l)", "true")]),
            (
                "((define-fun ll () (List (List Int)) (cons nil nil)))",
                &[("((_ is nil) (head ll))", "true")],
            ),
            (
                "((define-fun p () (Pair Int (List Int)) (mk 1 nil)))",
                &[("((_ is nil) (two p))", "true")],
            ),
            (
                "((define-fun p () (Pair Int (List Int)) ((as mk (Pair Int (List Int))) 1 (as nil (List Int)))))",
                &[("(= (one p) 1)", "true")],
            ),
            ("((define-fun c () Color |dark blue|))", &[("(= c red)", "false")]),
            // Not a value, and not decided by the standard.
            ("((define-fun l () (List Int) (tail nil)))", &[("(= l l)", "unknown")]),
            // cvc4 declares the datatypes again.
            (
                "(model (declare-datatypes ((List 1)) ((par (T)((nil) (cons (head T) (tail (List T)))))))\n(define-fun l () (List Int) (as nil (List Int))))",
                &[("((_ is nil) l)", "true")],
            ),
        ],
    );
    // A constructor of two datatypes.
    table(
        "(declare-datatype A ((none) (a)))(declare-datatype B ((none) (b)))(declare-const x A)(declare-const y B)",
        &[
            (
                "((define-fun x () A (as none A)) (define-fun y () B (as none B)))",
                &[("((_ is a) x)", "false"), ("((_ is b) y)", "false")],
            ),
            (
                "((define-fun x () A none) (define-fun y () B none))",
                &[("((_ is a) x)", "false"), ("((_ is b) y)", "false")],
            ),
        ],
    );
}

#[test]
fn arrays_and_functions() {
    let script = "(declare-const a (Array Int Int))(declare-const m (Array Int (Array Int Bool)))
        (declare-fun f (Int) Int)(declare-fun g (Int Bool) Int)(declare-fun p (Int) Bool)(declare-const k Int)";
    table(
        script,
        &[
            (
                "((define-fun a () (Array Int Int) (store (store ((as const (Array Int Int)) 3) 1 0) 0 4)))",
                &[
                    ("(= (select a 0) 4)", "true"),
                    ("(= (select a 1) 0)", "true"),
                    ("(= (select a 9) 3)", "true"),
                ],
            ),
            // The outermost of two writes to one place counts.
            (
                "((define-fun a () (Array Int Int) (store (store ((as const (Array Int Int)) 3) 1 0) 1 4)))",
                &[("(= (select a 1) 4)", "true")],
            ),
            (
                "((define-fun a () (Array Int Int) (lambda ((x!1 Int)) (ite (= x!1 2) 5 x!1))))",
                &[("(= (select a 2) 5)", "true"), ("(= (select a 7) 7)", "true")],
            ),
            (
                "((define-fun a () (Array Int Int) (_ as-array k!0)) (define-fun k!0 ((x!0 Int)) Int (ite (= x!0 1) 6 (ite (= x!0 2) 3 5))))",
                &[
                    ("(= (select a 1) 6)", "true"),
                    ("(= (select a 2) 3)", "true"),
                    ("(= (select a 3) 5)", "true"),
                    ("(= a (store (store ((as const (Array Int Int)) 5) 1 6) 2 3))", "true"),
                ],
            ),
            // An auxiliary function that is not printed.
            (
                "((define-fun a () (Array Int Int) (_ as-array k!7)) (define-fun k () Int 1))",
                &[("(= (select a 1) 6)", "unknown"), ("(= k 1)", "true")],
            ),
            // yices: an array as a function.
            (
                "(model (define-fun a ((x!0 Int)) Int (ite (= x!0 1) 2 0)))",
                &[
                    ("(= (select a 1) 2)", "true"),
                    ("(= a (store ((as const (Array Int Int)) 0) 1 2))", "true"),
                ],
            ),
            ("((define-fun a () (Array Int Int) ((as const Array) 1)))", &[("(= a a)", "unknown")]),
            (
                "((define-fun m () (Array Int (Array Int Bool)) (store ((as const (Array Int (Array Int Bool))) ((as const (Array Int Bool)) false)) 1 ((as const (Array Int Bool)) true))))",
                &[("(select (select m 1) 0)", "true"), ("(select (select m 2) 0)", "false")],
            ),
            (
                "((define-fun f ((x!0 Int)) Int (ite (= x!0 1) 6 (ite (= x!0 2) 3 5))))",
                &[("(= (f 1) 6)", "true"), ("(= (+ (f 2) (f 3)) 8)", "true")],
            ),
            (
                "((define-fun g ((_arg_1 Int) (_arg_2 Bool)) Int (ite (and (= 3 _arg_1) _arg_2) (- 3) 4)))",
                &[("(= (g 3 true) (- 3))", "true"), ("(= (g 3 false) 4)", "true")],
            ),
            (
                "((define-fun f ((x!0 Int)) Int (let ((a!1 (* 2 x!0))) (let ((a!1 (+ a!1 1))) a!1))))",
                &[("(= (f 3) 7)", "true")],
            ),
            (
                "((define-fun p ((x!0 Int)) Bool (not (and (not (<= 16 x!0)) (not (<= 14 x!0))))))",
                &[("(p 14)", "true"), ("(p 13)", "false")],
            ),
            // Definitions in any order, helpers, an argument named like a symbol.
            (
                "((define-fun f ((k Int)) Int (f!1 (+ k 1))) (define-fun k () Int 100) (define-fun f!1 ((x!0 Int)) Int (* x!0 x!0)))",
                &[("(= (f 2) 9)", "true"), ("(= k 100)", "true")],
            ),
            // A function that is printed but means another symbol of the script.
            (
                "((define-fun f ((x Int)) Int (h x)) (define-fun p ((x Int)) Bool true))",
                &[("(= (f 1) (f 1))", "unknown"), ("(p 3)", "true")],
            ),
            (
                "((define-fun p ((x Int)) Bool (forall ((y Int)) (> y x))) (define-fun k () Int 2))",
                &[("(p 1)", "unknown"), ("(= k 2)", "true")],
            ),
            // Wrong arity or sort.
            ("((define-fun f () Int 5))", &[("(= (f 1) 5)", "unknown")]),
            ("((define-fun k () Bool true))", &[("(= k 5)", "unknown")]),
            (
                "((f 5) (k true) (p true))",
                &[("(= (f 1) 5)", "unknown"), ("(= k 5)", "unknown"), ("(p 1)", "unknown")],
            ),
            ("((f (store ((as const (Array Int Int)) 0) 1 2)))", &[("(= (f 1) 2)", "unknown")]),
        ],
    );
}

#[test]
fn overloaded_functions_have_an_entry_each() {
    table(
        "(declare-fun f (Int) Int)(declare-fun f (Bool) Int)",
        &[(
            "((define-fun f ((x!0 Int)) Int 1) (define-fun f ((x!0 Bool)) Int 2))",
            &[("(= (f 7) 1)", "true"), ("(= (f true) 2)", "true")],
        )],
    );
}

#[test]
fn open_results_are_looked_up_in_the_model() {
    let script = "(declare-const x Int)(declare-const r Real)(declare-const q (Seq Int))(declare-const f Float16)";
    table(
        script,
        &[
            ("((define-fun x () Int 1))", &[("(= (div x 0) 5)", "unknown")]),
            (
                "((define-fun x () Int 21) (define-fun div0 ((x!0 Int) (x!1 Int)) Int (ite (and (= x!0 21) (= x!1 0)) 9 5)))",
                &[
                    ("(= (div x 0) 9)", "true"),
                    ("(= (div 3 0) 5)", "true"),
                    ("(= (div x 2) 10)", "true"),
                ],
            ),
            ("((define-fun mod0 ((x!0 Int) (x!1 Int)) Int x!0))", &[("(= (mod 7 0) 7)", "true")]),
            (
                "((define-fun /0 ((x!0 Real) (x!1 Real)) Real 0.0))",
                &[("(= (/ 3.0 0.0) 0.0)", "true"), ("(= (/ 3.0 2.0) 1.5)", "true")],
            ),
            (
                "((define-fun seq.nth_u ((x!0 (Seq Int)) (x!1 Int)) Int 5) (define-fun q () (Seq Int) (as seq.empty (Seq Int))))",
                &[("(= (seq.nth q 3) 5)", "true")],
            ),
            // z3 4.8.0: under the operator's own name, which keeps its meaning inside the model.
            (
                "((define-fun fp.to_real ((x!0 Float16)) Real 7.0) (define-fun r () Real (fp.to_real (fp #b0 #b01111 #b0000000000))))",
                &[("(= (fp.to_real (_ NaN 5 11)) 7.0)", "true"), ("(= r 1.0)", "true")],
            ),
            // Other symbols of the theories are not for a model to define.
            (
                "((define-fun abs ((x!0 Int)) Int 7) (define-fun x () Int (- 2)))",
                &[("(= (abs x) 2)", "true")],
            ),
        ],
    );
}

#[test]
fn definitions_of_the_script_win() {
    let script =
        "(declare-const x Int)(define-fun two () Int 2)(define-fun dbl ((n Int)) Int (* 2 n))
        (define-fun-rec fact ((n Int)) Int (ite (<= n 0) 1 (* n (fact (- n 1)))))
        (assert (! (> x 3) :named big))";
    let echoed = "((define-fun big () Bool false) (define-fun two () Int 3)
        (define-fun dbl ((x!0 Int)) Int (* 2 x!0)) (define-fun x () Int 4)
        (define-fun fact ((x!0 Int)) Int (ite (= x!0 3) 6 3)))";
    table(
        script,
        &[(
            echoed,
            &[
                ("big", "true"),
                ("(= two 2)", "true"),
                ("(= (dbl x) 8)", "true"),
                ("(= (fact 5) 120)", "true"),
            ],
        )],
    );
}

#[test]
fn endless_recursion_is_unknown() {
    let script = "(declare-fun f (Int) Int)(declare-const x Int)(declare-const y Int)";
    for model in [
        "((define-fun f ((x!0 Int)) Int (f (+ x!0 1))))",
        "((define-fun f ((x!0 Int)) Int (+ (f x!0) (f (- x!0 1)))))",
        "((define-fun f ((x!0 Int)) Int (f!1 x!0)) (define-fun f!1 ((x!0 Int)) Int (f x!0)))",
        "((define-fun f ((a Int)) Int x) (define-fun x () Int y) (define-fun y () Int (f x)))",
    ] {
        assert_eq!(under(script, model, "(= (f 1) 1)"), "unknown", "{model}");
    }
    assert_eq!(under(script, "((define-fun x () Int x))", "(= x x)"), "unknown");
}

#[test]
fn values_by_position() {
    let mut store = Store::new();
    let script = "(declare-sort U 0)(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (h T) (t (List T)))))))
        (declare-const x Int)(declare-const r Real)(declare-const u U)(declare-const l (List Int))(declare-const b (_ BitVec 8))";
    let (_, mut env) = read_script(&mut store, script.as_bytes(), Lets::Keep).expect("a script");
    let asked: Vec<_> = ["x", "r", "u", "l", "b"]
        .iter()
        .map(|term| read_term(&mut store, &mut env, term).expect("a term"))
        .collect();
    let all = "((x (- 5))\n (r (/ 1 2))\n (u @const_3) (l nil) (b #x0f))";
    let values = read_values(&mut store, &env, &asked, all).expect("values");
    assert!(values.iter().all(Option::is_some), "{values:?}");
    // Terms in another spelling, and values that are none.
    let odd = "((|x| 1.5) ((_ real <,>) (_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)) (3a U!val!0)
        ((let ((_let_1 (as cons (List Int)))) _let_1) (let ((_let_1 (as cons (List Int)))) (_let_1 3 (as nil (List Int)))))
        (b #xf))";
    let values = read_values(&mut store, &env, &asked, odd).expect("values");
    assert_eq!(
        values.iter().map(Option::is_some).collect::<Vec<_>>(),
        [false, false, true, false, false]
    );
    for wrong in ["", "()", "(x 5)", "((x 5))", "((x 5) (r 1) (u 2) (l 3) (b))", "sat", "((x"] {
        assert!(read_values(&mut store, &env, &asked, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn cores() {
    for (text, names) in [
        ("()", &[][..]),
        ("(\n)", &[]),
        ("(a1 |a 2|)", &["a1", "a 2"]),
        ("(\na1\n|a 2|\n)\n", &["a1", "a 2"]),
        ("(a1\n a2)", &["a1", "a2"]),
        ("(3a let |)|)", &["3a", "let", ")"]),
    ] {
        assert_eq!(read_core(text).expect("a core"), names, "{text}");
    }
    for text in [
        "",
        "a",
        "(a",
        "(a))",
        "((not p))",
        "(a) b",
        "(\"a\")",
        "(error \"no core\")",
        "(:reason x)",
    ] {
        assert!(read_core(text).is_err(), "{text}");
    }
}

#[test]
fn objectives() {
    let mut store = Store::new();
    let (_, env) =
        read_script(&mut store, b"(declare-const x Int)(declare-const y Real)", Lets::Keep)
            .expect("a script");
    let text = "(objectives\n (g1 2)\n (g 2 0)\n (x 10)\n (y  (interval (/ 5.0 2.0) (+ (/ 7.0 2.0) (* (- 1.0) epsilon))))\n ((+ x (* 2 y)) 20)\n (z oo)\n (w (* (- 1) oo))\n ( (/ 3.0 2.0))\n ( 1)\n (v (- oo))\n)";
    let found = read_objectives(&mut store, &env, text).expect("objectives");
    let names: Vec<&str> = found.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["g1", "g 2", "x", "y", "(+ x (* 2 y))", "z", "w", "", "", "v"]);
    let kinds: Vec<&str> = found
        .iter()
        .map(|o| match o.bound {
            Bound::Value(_) => "value",
            Bound::PlusInfinity => "+oo",
            Bound::MinusInfinity => "-oo",
            Bound::JustAbove(_) => "above",
            Bound::JustBelow(_) => "below",
            Bound::Between(..) => "between",
            Bound::Other(_) => "other",
        })
        .collect();
    assert_eq!(
        kinds,
        ["value", "value", "value", "between", "value", "+oo", "-oo", "value", "value", "-oo"]
    );
    assert!(read_objectives(&mut store, &env, "(objectives\n)").expect("none").is_empty());
    for wrong in ["", "sat", "()", "(x 1)", "(objectives", "(objectives x)", "(objectives ())"] {
        assert!(read_objectives(&mut store, &env, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn optima_that_are_not_attained() {
    let mut store = Store::new();
    let (_, env) = read_script(&mut store, b"", Lets::Keep).expect("a script");
    let ratio = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    let value = |store: &mut Store, n, d| Bound::Value(store.real(&ratio(n, d)));
    let table = [
        ("(+ 6.0 (* 2.0 epsilon))", Bound::JustAbove(ratio(6, 1))),
        ("(* (- 1.0) epsilon)", Bound::JustBelow(ratio(0, 1))),
        ("epsilon", Bound::JustAbove(ratio(0, 1))),
        ("(- epsilon)", Bound::JustBelow(ratio(0, 1))),
        ("(+ (/ 13.0 6.0) epsilon)", Bound::JustAbove(ratio(13, 6))),
        ("(+ (- (/ 1.0 3.0)) (* (- (/ 1 2)) epsilon))", Bound::JustBelow(ratio(-1, 3))),
        ("(- (to_real 2) epsilon)", Bound::JustBelow(ratio(2, 1))),
        ("(+ (* 2 oo) 3.25 epsilon)", Bound::PlusInfinity),
        ("(+ 1.5 (* (- 1) oo))", Bound::MinusInfinity),
        ("(+ 2.5 epsilon (* (- 1.0) epsilon))", value(&mut store, 5, 2)),
        (
            "(interval (+ 2.0 epsilon) oo)",
            Bound::Between(Box::new(Bound::JustAbove(ratio(2, 1))), Box::new(Bound::PlusInfinity)),
        ),
    ];
    for (text, expected) in table {
        let answer = format!("(objectives (x {text}))");
        let read = read_objectives(&mut store, &env, &answer).expect("objectives");
        assert_eq!(read[0].bound, expected, "{text}");
    }
    for text in [
        "(* epsilon epsilon)",
        "(/ 1 epsilon)",
        "(/ epsilon 0)",
        "(+ 1 x epsilon)",
        "(epsilon)",
        "(+)",
        "((+ 1 epsilon))",
        "(interval epsilon y)",
        "(interval 1 oo 2)",
        "(+ .5 epsilon)",
    ] {
        let answer = format!("(objectives (x {text}))");
        let read = read_objectives(&mut store, &env, &answer).expect("objectives");
        assert_eq!(read[0].bound, Bound::Other(text.into()), "{text}");
    }
}

#[test]
fn a_printed_model_reads_back_with_the_same_meaning() {
    let mut formula = "(declare-const s String)(declare-const r Real)(declare-const b (_ BitVec 5))
        (declare-const a (Array Int Bool))(declare-fun f (Int Bool) Real)(declare-const l RegLan)
        (assert (= s \"a\\u{1F600}\"\"b\"))(assert (= r (- (/ 1.0 3.0))))(assert (= b #b10011))
        (assert (select a 7))(assert (not (select a 8)))(assert (= (f 1 true) 2.5))
        (assert (= (f 2 true) (- 0.5)))(assert (= l (re.+ (re.range \"a\" \"c\"))))"
        .to_owned();
    formula.push_str("(check-sat)");
    let model =
        "((define-fun s () String \"a\\u{1F600}\"\"b\")(define-fun r () Real (- (/ 1.0 3.0)))
        (define-fun b () (_ BitVec 5) #b10011)
        (define-fun a () (Array Int Bool) (store ((as const (Array Int Bool)) false) 7 true))
        (define-fun f ((x Int) (y Bool)) Real (ite (and (= x 1) y) (/ 5.0 2.0) (- (/ 1.0 2.0))))
        (define-fun l () RegLan (re.+ (re.range \"a\" \"c\"))))";
    let mut store = Store::new();
    let (script, env) = read_script(&mut store, formula.as_bytes(), Lets::Keep).expect("a script");
    let read = read_model(&mut store, &env, model).expect("a model");
    let text = print_model(&mut store, &read, assay_smtlib::STANDARD);
    let again = read_model(&mut store, &env, &text).expect("our own print");
    let assertions: Vec<TermId> = script.active_assertions().into_iter().map(|(t, _)| t).collect();
    for model in [&read, &again] {
        let values = satisfies(&store, model, &assertions).values;
        assert!(values.iter().all(|value| *value == Ok(true)), "{text}: {values:?}");
    }
}
