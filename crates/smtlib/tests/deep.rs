//! Nesting very deep: nothing recurs on it, on the small stack of a test's thread, and nothing takes
//! time that grows with its square. Fifty thousand levels overflow that stack as surely as a
//! million do.

mod support;

use assay_smtlib::{Layout, Lets, Printer, Sharing, read_model, read_script, responses};
use assay_term::{Evaluator, Limits, Store};
use support::read;

const DEEP: usize = 50_000;

/// `open` many times, `middle`, `close` as many times; `#` in `open` is the number of the level.
fn nested(open: &str, middle: &str, close: &str) -> String {
    nested_to(DEEP, open, middle, close)
}

fn nested_to(depth: usize, open: &str, middle: &str, close: &str) -> String {
    let mut text = String::with_capacity(depth * (open.len() + close.len() + 8));
    for level in 0..depth {
        if open.contains('#') {
            text.push_str(&open.replace('#', &level.to_string()));
        } else {
            text.push_str(open);
        }
    }
    text.push_str(middle);
    (0..depth).for_each(|_| text.push_str(close));
    text
}

/// Reads, prints in every way, reads again, evaluates and drops a formula.
fn survives(declarations: &str, formula: &str) {
    let text = format!("{declarations}(assert {formula})");
    for lets in [Lets::Keep, Lets::Expand] {
        let unit = read(&text, lets);
        for sharing in [Sharing::Never, Sharing::Auto, Sharing::Always] {
            for layout in [Layout::Compact, Layout::Readable] {
                let printed =
                    Printer::new(&unit.store).sharing(sharing).layout(layout).script(&unit.script);
                assert!(printed.len() < 200 * text.len());
                if layout == Layout::Compact && sharing == Sharing::Never {
                    let mut store = unit.store.clone();
                    let (again, _) = read_script(&mut store, printed.as_bytes(), lets)
                        .unwrap_or_else(|error| panic!("{error}"));
                    assert!(again.commands == unit.script.commands);
                }
            }
        }
        evaluate(&unit);
    }
}

/// Whatever comes out, it must come out.
fn evaluate(unit: &support::Unit) {
    let model = unit.script.definitions();
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let (term, _) = unit.script.active_assertions()[0];
    let _ = Evaluator::new(&unit.store, &model).with_limits(limits).completing().holds(term);
}

#[test]
fn negations() {
    survives("", &nested("(not ", "true", ")"));
}

#[test]
fn sums() {
    survives("(declare-const x Int)", &format!("(= x {})", nested("(+ x ", "1", ")")));
}

#[test]
fn lets_in_bodies() {
    survives("", &nested("(let ((x# true)) ", "x5", ")"));
    survives("", &nested("(let ((x true)) ", "x", ")"));
    survives("(declare-const p Bool)", &nested("(let ((p (not p))) ", "p", ")"));
}

#[test]
fn lets_in_values() {
    survives("", &nested("(let ((x ", "true", ")) x)"));
}

#[test]
fn quantifiers() {
    survives("", &nested("(forall ((x Bool)) ", "x", ")"));
    survives("", &nested("(exists ((x# Bool)) ", "x7", ")"));
    survives("", &nested("(not (forall ((x# Int)) (or (= x# 5) ", "false", ")))"));
}

#[test]
fn stores_and_ites() {
    let array = "(declare-const a (Array Int Int))";
    survives(array, &format!("(= a {})", nested("(store ", "a", " 1 2)")));
    survives(array, &format!("(= 1 {})", nested("(select (store a # 7) ", "0", ")")));
    let writes: Vec<String> = (0..DEEP).map(|n| format!(" {n} {n})")).collect();
    survives(array, &format!("(= a {}a{})", "(store ".repeat(DEEP), writes.concat()));
    survives(
        "(declare-const p Bool)(declare-const x Int)",
        &format!("(= x {})", nested("(ite p 1 ", "x", ")")),
    );
    survives("(declare-const p Bool)", &nested("(ite ", "p", " p false)"));
}

#[test]
fn annotations() {
    survives("", &nested("(! ", "true", " :weight 1)"));
    survives("", &nested("(and (! true :named n#) ", "n5", ")"));
}

#[test]
fn values_of_attributes() {
    survives("", &format!("(! (and true true true) :deep {})", nested("(", "a", ")")));
    let text = format!("(set-info :deep {})", nested("(", "a", ")"));
    let unit = read(&text, Lets::Keep);
    assert_eq!(Printer::new(&unit.store).script(&unit.script).len(), text.len() + 1);
}

#[test]
fn matches_and_constructors() {
    let list = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))";
    survives(list, &format!("((_ is nil) {})", nested("(cons 1 ", "nil", ")")));
    survives(list, &format!("(= 1 (head {}))", nested("(tail ", "nil", ")")));
    survives(list, &nested("(match nil ((nil ", "true", ") ((cons h t) false)))"));
    survives(list, &format!("(= 1 {})", nested("(match nil ((x# (+ 1 ", "1", "))))")));
}

#[test]
fn strings_and_languages() {
    survives("", &format!("(= \"\" {})", nested("(str.++ \"a\" ", "\"\"", ")")));
    survives("", &format!("(str.in_re \"a\" {})", nested("(re.opt ", "re.allchar", ")")));
}

#[test]
fn calls() {
    survives(
        "(define-fun f ((x Bool)) Bool (not x))(declare-fun g (Bool) Bool)",
        &format!("(and {} {})", nested("(f ", "true", ")"), nested("(g ", "true", ")")),
    );
}

/// Texts that must be refused, and quickly.
#[test]
fn nonsense_a_million_deep_is_refused() {
    for text in [
        nested("(", "", ""),
        nested("(assert (", "", ""),
        nested("(not ", "", ""),
        nested("(let ((x ", "", ""),
        nested("(forall ((x Bool)) ", "", ""),
        nested("(! x :a (", "", ""),
        format!("(assert {})", nested("(! true :pattern (", "true", "))")),
        format!("(assert {})", nested("(! true :no-pattern ", "true", ")")),
        format!("(assert {})", nested("(! true :pattern (! ", "true", "))")),
        format!("(declare-const x {})", nested("(Array Int ", "Int", ")")),
        format!("(declare-const x {})", nested("(Seq ", "Int", ")")),
        format!("(assert {})", nested("(seq.unit ", "1", ")")),
        format!("(assert {})", nested("(lambda ((x Int)) ", "1", ")")),
        format!(
            "(declare-datatypes ((B 1)) ((par (T) ((b (u T))))))(assert {})",
            nested("(b ", "1", ")")
        ),
        format!("(declare-datatype D {})", nested("(", "a", ")")),
        format!("(declare-datatype D (par (X) {}))", nested("(", "a", ")")),
        format!("(assert ((as {} Bool)))", nested("(_ ", "a", ")")),
        format!("(assert {})", nested("((_ is ", "a", "))")),
        format!("(push{})", nested(" ", "1", "")).replace("1)", "1 1)"),
    ] {
        let mut store = Store::new();
        let Err(error) = read_script(&mut store, text.as_bytes(), Lets::Keep) else {
            panic!("accepted: {}", support::head(&text));
        };
        assert!(error.to_string().len() < 1_000, "{error}");
    }
}

#[test]
fn sorts_that_double_with_each_definition_are_refused() {
    let mut text = String::from("(define-sort S0 () Int)");
    for n in 0..100 {
        text.push_str(&format!("(define-sort S{} () (Array S{n} S{n}))", n + 1));
    }
    let mut store = Store::new();
    let Err(error) = read_script(&mut store, text.as_bytes(), Lets::Keep) else {
        panic!("accepted");
    };
    assert!(error.message.contains("parts"), "{error}");
    // The same by selectors of a datatype whose argument grows.
    let text = format!(
        "(declare-datatypes ((P 1) (N 1)) ((par (T) ((pair (one T) (two T))))
           (par (T) ((end) (more (first T) (rest (N (P T))))))))
         (declare-const n (N Int)) (assert (= {} 1))",
        nested("(rest ", "n", ")")
    );
    let Err(error) = read_script(&mut store, text.as_bytes(), Lets::Keep) else {
        panic!("accepted");
    };
    assert!(error.message.contains("moderate"), "{error}");
}

#[test]
fn many_names_in_one_binder() {
    let bindings: String = (0..DEEP / 4).map(|n| format!("(x{n} true)")).collect();
    survives("", &format!("(let ({bindings}) (and x1 x2 {}))", "x3 ".repeat(DEEP / 2)));
    let vars: String = (0..DEEP / 4).map(|n| format!("(x{n} Bool)")).collect();
    survives("", &format!("(forall ({vars}) (and x1 x2 {}))", "x3 ".repeat(DEEP / 2)));
    survives("", &format!("(forall ({vars}(x7 Bool)) x7)"));
    for text in [
        format!("(assert (let ({bindings}(x7 false)) x7))"),
        format!("(define-fun f ({vars}(x7 Bool)) Bool x7)"),
    ] {
        let mut store = Store::new();
        let Err(error) = read_script(&mut store, text.as_bytes(), Lets::Keep) else {
            panic!("accepted");
        };
        assert!(error.message.contains("twice"), "{error}");
    }
}

#[test]
fn many_arguments_that_need_a_conversion() {
    let ints = "1 ".repeat(DEEP);
    survives("(declare-const r Real)", &format!("(= r (+ 0.5 {ints}))"));
    survives("(declare-const r Real)", &format!("(= 0.5 r {ints})"));
}

#[test]
fn shared_terms_that_double_at_each_level() {
    let mut formula = String::new();
    for level in 0..2_000 {
        let before = if level == 0 { "p".into() } else { format!("y{}", level - 1) };
        formula.push_str(&format!("(let ((y{level} (and {before} {before} (or {before} p)))) "));
    }
    formula.push_str(&format!("y1999{}", ")".repeat(2_000)));
    let text = format!("(declare-const p Bool)(assert {formula})");
    let unit = read(&text, Lets::Expand);
    for layout in [Layout::Compact, Layout::Readable] {
        for sharing in [Sharing::Auto, Sharing::Always] {
            let printed =
                Printer::new(&unit.store).sharing(sharing).layout(layout).script(&unit.script);
            assert!(printed.len() < 2_000_000);
            let mut store = unit.store.clone();
            let again = read_script(&mut store, printed.as_bytes(), Lets::Expand);
            assert!(again.expect("just printed").0.commands == unit.script.commands);
        }
    }
}

#[test]
fn datatypes_whose_values_double_at_each_level() {
    let mut text = String::from("(declare-datatype D0 ((c0)))");
    for n in 1..2_000 {
        let before = n - 1;
        text.push_str(&format!(
            "(declare-datatype D{n} ((c{n} (f{n} D{before}) (g{n} D{before}))))"
        ));
    }
    for n in [10, 60, 200, 1_999] {
        text.push_str(&format!(
            "(declare-const x{n} D{n})(assert (forall ((y D{n})) (= y x{n})))
             (assert (= (f{n} x{n}) (g{n} x{n})))"
        ));
    }
    // The same by hand, over values that are not defaults.
    let mut formula = String::from("(= y100 (c100 y99 y99))");
    for n in (1..=100).rev() {
        formula = format!("(let ((y{n} (c{n} y{} y{}))) {formula})", n - 1, n - 1);
    }
    text.push_str(&format!("(assert (let ((y0 c0)) {formula}))"));
    let unit = read(&text, Lets::Keep);
    let definitions = unit.script.definitions();
    let mut evaluator = Evaluator::new(&unit.store, &definitions).completing();
    for (term, _) in unit.script.active_assertions() {
        let _ = evaluator.holds(term);
    }
}

#[test]
fn closures_inside_closures() {
    let inner = nested("(let ((c (lambda ((i Int)) (+ 1 (select c i))))) ", "c", ")");
    let text = format!("(assert (= 0 (select (let ((c (lambda ((i Int)) 0))) {inner}) 3)))");
    let unit = read(&text, Lets::Keep);
    evaluate(&unit);
}

#[test]
fn models_and_answers() {
    let mut store = Store::new();
    let (_, env) = read_script(
        &mut store,
        b"(declare-const p Bool)(declare-const a (Array Int Int))(declare-const x Int)",
        Lets::Keep,
    )
    .expect("fine");
    for value in [
        nested("(not ", "true", ")"),
        nested("(", "", ")"),
        nested("(let ((x ", "true", ")) x)"),
        nested("(store ", "a", " 1 2)"),
        nested("(", "<,", ")"),
        nested("(lambda ((x Int)) ", "1", ")"),
        nested("(root-obj (+ ", "x", "))"),
    ] {
        let text = format!("(model (define-fun p () Bool {value}) (define-fun x () Int 5))");
        let model = read_model(&mut store, &env, &text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(model.len(), 2);
        assert_eq!(responses(&text).len(), 1);
    }
    let chain =
        format!("(model (define-fun a ((i Int)) Int {}))", nested("(ite (= i #) 1 ", "0", ")"));
    let model = read_model(&mut store, &env, &chain).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(model.len(), 1);
}
