//! What formulas are worth under models, from text to verdict.

use assay_smtlib::{Lets, read_model, read_script};
use assay_term::{Budget, Evaluator, Store, Unknown, satisfies_within};

/// The value of the conjunction of all assertions: `true`, `false`, or the reason it is unknown.
fn verdict(script: &str, model: &str, completing: bool) -> String {
    let mut store = Store::new();
    let (script, env) = read_script(&mut store, script.as_bytes(), Lets::Keep)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut meaning =
        read_model(&mut store, &env, model).unwrap_or_else(|error| panic!("{model}: {error}"));
    meaning.extend(&script.definitions());
    let mut evaluator = Evaluator::new(&store, &meaning);
    if completing {
        evaluator = evaluator.completing();
    }
    for (assertion, _) in script.active_assertions() {
        match evaluator.holds(assertion) {
            Ok(true) => {}
            Ok(false) => return "false".into(),
            Err(reason) => return reason.words(&store),
        }
    }
    "true".into()
}

#[track_caller]
fn expect(expected: &str, script: &str, model: &str) {
    assert_eq!(verdict(script, model, false), expected, "{script}\n{model}");
}

#[test]
fn arrays_over_finite_index_sorts_are_compared_by_extension() {
    // Both entries of an array over one bit are set: what the default was no longer matters.
    let over_a_bit = "
        (declare-const a (Array (_ BitVec 1) Int))
        (declare-const b (Array (_ BitVec 1) Int))
        (assert (= a b))";
    let covered = |d: u32, e: u32| {
        format!(
            "((define-fun a () (Array (_ BitVec 1) Int)
                (store (store ((as const (Array (_ BitVec 1) Int)) {d}) #b0 5) #b1 6))
              (define-fun b () (Array (_ BitVec 1) Int)
                (store (store ((as const (Array (_ BitVec 1) Int)) {e}) #b1 6) #b0 5)))"
        )
    };
    expect("true", over_a_bit, &covered(0, 1));
    let half = "((define-fun a () (Array (_ BitVec 1) Int) (store ((as const (Array (_ BitVec 1) Int)) 1) #b0 5))
                 (define-fun b () (Array (_ BitVec 1) Int) (store ((as const (Array (_ BitVec 1) Int)) 2) #b0 5)))";
    expect("false", over_a_bit, half);
    // Over the integers the defaults decide.
    let over_int =
        "(declare-const a (Array Int Int)) (declare-const b (Array Int Int)) (assert (= a b))";
    expect(
        "false",
        over_int,
        "((define-fun a () (Array Int Int) ((as const (Array Int Int)) 0))
          (define-fun b () (Array Int Int) ((as const (Array Int Int)) 1)))",
    );
    // An array may be an index itself, and must be found there whatever its default was.
    let nested = "
        (declare-const a (Array Bool Int))
        (declare-const m (Array (Array Bool Int) Int))
        (assert (= (select m a) 7))";
    expect(
        "true",
        nested,
        "((define-fun a () (Array Bool Int)
            (store (store ((as const (Array Bool Int)) 9) true 1) false 2))
          (define-fun m () (Array (Array Bool Int) Int)
            (store ((as const (Array (Array Bool Int) Int)) 0)
              (store (store ((as const (Array Bool Int)) 8) false 2) true 1) 7)))",
    );
}

#[test]
fn an_uninterpreted_index_sort_is_as_large_as_the_model_says() {
    let script = "
        (declare-sort U 0)
        (declare-const u U)
        (declare-const a (Array U Int))
        (declare-const b (Array U Int))
        (assert (= a b))";
    let arrays = "
        (define-fun u () U U!val!0)
        (define-fun a () (Array U Int) (store ((as const (Array U Int)) 1) U!val!0 5))
        (define-fun b () (Array U Int) (store ((as const (Array U Int)) 2) U!val!0 5))";
    expect("true", script, &format!(";; universe for U:\n;;   U!val!0 \n({arrays})"));
    expect("false", script, &format!(";; universe for U:\n;;   U!val!0 U!val!1\n({arrays})"));
    expect("the model does not say how many elements U has", script, &format!("({arrays})"));
}

#[test]
fn lambdas_are_functions() {
    let script = "
        (declare-const f (Array Int Int))
        (declare-const g (Array Bool Bool))
        (assert (= (select f 3) 4))
        (assert (= (select (store f 3 0) 3) 0))
        (assert (= g (store ((as const (Array Bool Bool)) true) true false)))";
    let model = "((define-fun f () (Array Int Int) (lambda ((x Int)) (+ x 1)))
                  (define-fun g () (Array Bool Bool) (lambda ((x Bool)) (not x))))";
    expect("true", script, model);
    let compared =
        "(declare-const f (Array Int Int)) (declare-const g (Array Int Int)) (assert (= f g))";
    let two = "((define-fun f () (Array Int Int) (lambda ((x Int)) (+ x 1)))
                (define-fun g () (Array Int Int) (lambda ((x Int)) (+ 1 x))))";
    expect("two functions given by lambda are compared", compared, two);
}

#[test]
fn quantifiers_over_small_sorts_are_evaluated_exhaustively() {
    let table = [
        ("true", "(forall ((x (_ BitVec 4))) (= (bvadd x x) (bvmul #x2 x)))"),
        ("false", "(forall ((x (_ BitVec 4))) (bvult x #xf))"),
        ("true", "(exists ((x (_ BitVec 4)) (b Bool)) (and b (= (bvmul x x) #x9)))"),
        (
            "true",
            "(forall ((f (Array Bool Bool))) (=> (select f true) (or (select f true) (select f false))))",
        ),
        (
            "true",
            "(forall ((r RoundingMode) (x (_ FloatingPoint 3 3))) (= (fp.roundToIntegral r (fp.abs x)) (fp.abs (fp.roundToIntegral r (fp.abs x)))))",
        ),
        ("a quantifier ranges over Int, which is too large to try", "(forall ((x Int)) (= x x))"),
        // One witness decides although another part is unknown.
        ("true", "(exists ((b Bool)) (or b (forall ((x Int)) (> x 0))))"),
        // The inner variable hides the outer one.
        ("true", "(forall ((b Bool)) (exists ((b Bool)) b))"),
        ("false", "(forall ((b Bool)) (let ((c b)) (and (exists ((b Bool)) b) c)))"),
    ];
    for (expected, formula) in table {
        expect(expected, &format!("(assert {formula})"), "()");
    }
}

#[test]
fn datatypes_and_matches() {
    let list = "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
                (declare-const l (List Int))";
    let model = "((define-fun l () (List Int) (cons 1 (cons 2 nil))))";
    let table = [
        ("true", "((_ is cons) l)"),
        ("true", "(= (head (tail l)) 2)"),
        ("true", "(= l (cons 1 (cons 2 (as nil (List Int)))))"),
        ("false", "(= (tail l) (as nil (List Int)))"),
        (
            "true",
            "(= 3 (match l ((nil 0) ((cons x rest) (match rest ((nil x) ((cons y _) (+ x y))))))))",
        ),
        ("true", "(match l ((nil false) (other (= other l))))"),
        (
            "a field is selected from another constructor's value",
            "(= 0 (head (as nil (List Int))))",
        ),
    ];
    for (expected, formula) in table {
        expect(expected, &format!("{list} (assert {formula})"), model);
    }
}

#[test]
fn definitions_may_be_recursive_and_must_end() {
    let script = "
        (define-fun-rec fact ((n Int)) Int (ite (<= n 0) 1 (* n (fact (- n 1)))))
        (declare-const x Int)
        (assert (= (fact x) 2432902008176640000))
        (assert (= (fact 25) 15511210043330985984000000))";
    expect("true", script, "((define-fun x () Int 20))");
    let endless = "(define-fun-rec f ((n Int)) Int (f (+ n 1))) (assert (= (f 0) 0))";
    assert!(verdict(endless, "()", false).starts_with("the limit of"));
    // The script's own definition counts, whatever a model prints for the name.
    let own = "(define-fun two () Int 2) (declare-const x Int) (assert (= x two))";
    expect("true", own, "((define-fun x () Int 2) (define-fun two () Int 3))");
}

#[test]
fn open_results_are_looked_up_in_the_model() {
    let script = "(declare-const x Int) (assert (= (div x 0) 7)) (assert (= (mod x 0) 1))";
    expect(
        "true",
        script,
        "((define-fun x () Int 3) (define-fun div0 ((a Int)) Int 7) (define-fun mod0 ((a Int)) Int 1))",
    );
    expect(
        "false",
        script,
        "((define-fun x () Int 3) (define-fun div0 ((a Int) (b Int)) Int a) (define-fun mod0 ((a Int)) Int 1))",
    );
    let open = "the standard leaves `div` open here and the model does not fix it";
    expect(open, script, "((define-fun x () Int 3))");
    // A chain is a division of a division.
    let chain = "(assert (= (div 9 0 2) 4))";
    expect("true", chain, "((define-fun div0 ((a Int)) Int 8))");
    expect("false", chain, "((define-fun div0 ((a Int)) Int 11))");
}

#[test]
fn gaps_of_a_model_are_filled_only_to_find_truth() {
    let script = "(declare-const x Int) (declare-const y Int) (assert (or (> x 0) (= y y)))";
    assert_eq!(verdict(script, "((define-fun x () Int 0))", true), "true");
    let needs_y = "(declare-const y Int) (assert (> y 0))";
    assert_eq!(verdict(needs_y, "()", true), "the model has no value for `y`");
    assert_eq!(verdict("(assert (= (/ 1.0 0.0) 0.0))", "()", true), "true");
    let open = "the standard leaves `/` open here and the model does not fix it";
    assert_eq!(verdict("(assert (= (/ 1.0 0.0) 1.0))", "()", true), open);
}

#[test]
fn an_unknown_part_does_not_hide_a_certain_answer() {
    let table = [
        ("true", "(or (= (div 1 0) 5) true)"),
        ("false", "(and (= (div 1 0) 5) false)"),
        ("true", "(=> (= (div 1 0) 5) true)"),
        ("true", "(ite true true (= (div 1 0) 5))"),
        (
            "false",
            "(= (store ((as const (Array Int Int)) (div 1 0)) 1 1) (store ((as const (Array Int Int)) 0) 1 2))",
        ),
    ];
    for (expected, formula) in &table[..4] {
        expect(expected, &format!("(assert {formula})"), "()");
    }
    let (_, unknown) = table[4];
    assert!(verdict(&format!("(assert {unknown})"), "()", false).contains("leaves `div` open"));
}

#[test]
fn values_that_cannot_be_represented_make_only_their_symbol_unknown() {
    let script = "(declare-const r Real) (declare-const x Int) (assert (> x 0))";
    for value in [
        "(root-obj (+ (^ x 2) (- 2)) 1)",
        "-0.707107",
        "0.707107",
        "<1*x^2, (1, 2)>",
        "(witness ((y Real)) (> y 0.0))",
    ] {
        let model = format!("((define-fun r () Real {value}) (define-fun x () Int 1))");
        expect("true", script, &model);
        let about_r = format!("{script} (assert (> r 0.0))");
        assert!(verdict(&about_r, &model, false).contains("no exact representation"), "{value}");
    }
}

#[test]
fn abbreviations_mean_what_z3_means() {
    let cases = [
        ("(= (mkbv true false false) #b001)", "true"),
        ("(= (mkbv true) #b1)", "true"),
        ("(= (bvite #b1 #x1 #x2) #x1)", "true"),
        ("(= (bvite #b0 #x1 #x2) #x2)", "true"),
        ("(= 1/4 0.25)", "true"),
        ("(= -1/4 (- 0.25))", "true"),
        ("(= (int.log2 8) 3)", "true"),
        ("(= (int.log2 15) 3)", "true"),
        ("(= (int.log2 1) (int.log2 0) (int.log2 (- 8)) 0)", "true"),
        ("(and (int.ispow2 1) (int.ispow2 64))", "true"),
        ("(or (int.ispow2 0) (int.ispow2 12) (int.ispow2 (- 4)))", "false"),
        ("(= ((_ iand 4) 6 3) 2)", "true"),
        ("(= ((_ iand 4) (- 1) 22) 6)", "true"),
        ("(set.all (lambda ((x Int)) (> x 0)) (set.insert 1 2 (set.singleton 3)))", "true"),
        ("(set.all (lambda ((x Int)) (> x 1)) (set.insert 1 2 (set.singleton 3)))", "false"),
        ("(set.some (lambda ((x Int)) (> x 2)) (set.insert 1 2 (set.singleton 3)))", "true"),
        ("(set.some (lambda ((x Int)) (> x 3)) (set.insert 1 2 (set.singleton 3)))", "false"),
        ("(set.all (lambda ((x Int)) false) (as set.empty (Set Int)))", "true"),
        (
            "(= (set.map (lambda ((x Int)) (* x x)) (set.insert 1 2 (set.singleton (- 1)))) (set.insert 4 (set.singleton 1)))",
            "true",
        ),
        (
            "(= (set.filter (lambda ((x Int)) (> x 1)) (set.insert 1 2 (set.singleton 3))) (set.insert 3 (set.singleton 2)))",
            "true",
        ),
        (
            "(= (bag.map (lambda ((x Int)) (* x x)) (bag.union_disjoint (bag 1 2) (bag (- 1) 3))) (bag 1 5))",
            "true",
        ),
        (
            "(= (bag.filter (lambda ((x Int)) (> x 1)) (bag.union_disjoint (bag 1 2) (bag 2 3))) (bag 2 3))",
            "true",
        ),
        ("(= 1 (set.fold (lambda ((x Int) (y Int)) (+ x y)) 0 (set.singleton 1)))", "true"),
        ("(= (sin 0.0) (tan 0.0) (arcsin 0.0) (arctan 0.0) (sinh 0.0) (tanh 0.0) 0.0)", "true"),
        ("(= (exp 0.0) (cos 0.0) (cosh 0.0) 1.0)", "true"),
        ("(= (sin 1.0) 0.0)", "a transcendental function has no exact value"),
        ("((_ at-most 1) true false false)", "true"),
        ("((_ at-most 1) true false true)", "false"),
        ("((_ at-least 2) true false true)", "true"),
        ("((_ at-least 2) true false false)", "false"),
        ("((_ pbge 2 -1 2) true true)", "false"),
        ("((_ pbge 2 -1 2) false true)", "true"),
        ("((_ pble 1 -1 2) true true)", "true"),
        ("((_ pbeq 3 1 2) true true)", "true"),
        ("((_ pbeq 3 1 2) true false)", "false"),
        (
            "(= (select ((_ map (+ (Int Int) Int)) ((as const (Array Int Int)) 1) (lambda ((i Int)) i)) 41) 42)",
            "true",
        ),
        (
            "(= ((_ map not) ((as const (Array Bool Bool)) true)) ((as const (Array Bool Bool)) false))",
            "true",
        ),
        ("((_ partial-order 0) 1 1)", "a special relation of z3"),
        ("(= (seq.map (lambda ((b Bool)) (not b)) (seq.unit true)) (seq.unit false))", "true"),
        (
            "(seq.foldl (lambda ((a Bool) (b Bool)) (xor a b)) true (seq.++ (seq.unit true) (seq.unit true)))",
            "true",
        ),
        (
            "(seq.foldl (lambda ((a Bool) (b Bool)) (xor a b)) true (seq.++ (seq.unit true) (seq.unit false)))",
            "false",
        ),
    ];
    for (formula, expected) in cases {
        expect(expected, &format!("(assert {formula})"), "()");
    }
}

#[test]
fn a_long_chain_of_stores_is_evaluated() {
    const STORES: u32 = 10_000;
    type Spell = fn(u32) -> String;
    let chain = |sort: &str, index: Spell, order: fn(u32) -> u32| {
        let mut text = "(store ".repeat(STORES as usize);
        text += &format!("((as const {sort}) 0)");
        for n in (0..STORES).map(order) {
            text += &format!(" {} {})", index(n), n + 1);
        }
        text
    };
    let backwards: fn(u32) -> u32 = |n| STORES - 1 - n;
    let table: [(&str, Spell); 3] = [
        ("(Array Int Int)", |n| n.to_string()),
        ("(Array (_ BitVec 32) Int)", |n| format!("#x{n:08x}")),
        ("(Array String Int)", |n| format!("\"{n}\"")),
    ];
    for (sort, index) in table {
        let script = format!(
            "(declare-const a {sort})(declare-const b {sort})
             (assert (= a b))(assert (= (select a {}) 8))(assert (= (store b {} 0) a))",
            index(7),
            index(STORES),
        );
        let model = format!(
            "((define-fun a () {sort} {}) (define-fun b () {sort} {}))",
            chain(sort, index, |n| n),
            chain(sort, index, backwards),
        );
        expect("true", &script, &model);
    }
}

/// Without a memory of calls, the 300th number takes more steps than there are atoms.
#[test]
fn a_recursive_function_is_called_once_for_each_argument() {
    let script = "(define-fun-rec fib ((n Int)) Int
          (ite (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
        (declare-const x Int)
        (assert (= (fib x) 222232244629420445529739893461909967206666939096499764990979600))";
    expect("true", script, "((define-fun x () Int 300))");
    expect("false", script, "((define-fun x () Int 299))");
}

#[test]
fn one_budget_bounds_all_assertions_of_a_file() {
    let mut store = Store::new();
    let text = "(declare-const x (_ BitVec 8))
        (assert (exists ((y (_ BitVec 8))) (= (bvmul y y) #x03)))
        (assert (exists ((y (_ BitVec 8))) (= (bvmul y y) #x05)))";
    let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Keep).expect("it is read");
    let assertions: Vec<_> = script.active_assertions().into_iter().map(|(term, _)| term).collect();
    let model = assay_term::Model::new();
    let verdicts = |budget: Budget| {
        let mut budget = budget;
        satisfies_within(&store, &model, &assertions, &mut budget).values
    };
    assert_eq!(verdicts(Budget::unlimited()), [Ok(false), Ok(false)]);
    let mut budget = Budget::unlimited();
    let _ = satisfies_within(&store, &model, &assertions[..1], &mut budget);
    let one = u64::MAX - budget.steps_left();
    let exhausted = |what| Err(Unknown::Limit(what));
    assert_eq!(
        verdicts(Budget::new(one + 10, u64::MAX)),
        [Ok(false), exhausted("evaluation steps")]
    );
    let late = Budget::unlimited().within(std::time::Duration::ZERO);
    assert_eq!(verdicts(late), [exhausted("time"), exhausted("time")]);
}

#[test]
fn reals_are_divided_as_integers_by_their_integer_parts() {
    let x = "(declare-const x Real)";
    for (term, value) in [
        ("(div x 2.5)", "(- 4)"),
        ("(mod x 2.0)", "0"),
        ("(mod x (- 2.5))", "1"),
        ("(rem x (- 2.5))", "(- 1)"),
        ("(div x 2)", "(- 4)"),
        ("(div 7 (- x))", "1"),
    ] {
        let script = format!("{x}(assert (= {term} {value}))");
        expect("true", &script, "((define-fun x () Real (- (/ 15.0 2.0))))");
    }
    // Division by zero is one function, whether it is asked about reals or about integers.
    let both = format!("{x}(assert (distinct (div x 0.5) (div (to_int x) 0)))");
    let completed = verdict(&both, "((define-fun x () Real (/ 7.0 2.0)))", true);
    assert_ne!(completed, "true");
}
