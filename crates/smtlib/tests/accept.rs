//! What the reader accepts: every command and every form of term, each printed and read again.

mod support;

use assay_smtlib::{Command, DatatypeSyntax, Layout, Lets, Plain, Printer, Sharing};
use assay_term::{Evaluator, Model};
use support::{read, round_trip};

/// Declarations that the terms below use.
const PRELUDE: &str = "\
(declare-sort U 0)
(declare-sort F 2)
(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
(declare-datatype Color ((red) (green) (|dark blue|)))
(declare-datatypes ((Tree 0) (Forest 0)) (((leaf (val Int)) (node (left Tree) (kids Forest))) ((fnil) (fcons (car Tree) (cdr Forest)))))
(declare-const p Bool) (declare-const q Bool)
(declare-const i Int) (declare-const j Int)
(declare-const x Real) (declare-const y Real)
(declare-const b (_ BitVec 8))
(declare-const a (Array Int Int))
(declare-const s String) (declare-const r RegLan)
(declare-const l (List Int)) (declare-const c Color) (declare-const t Tree)
(declare-const u U) (declare-const fl (_ FloatingPoint 8 24)) (declare-const rm RoundingMode)
(declare-const sq (Seq Int))
(declare-fun f (Int) Int) (declare-fun g (Int Bool) Real) (declare-fun h (U) U)
(declare-fun pr (Int Int) Bool) (declare-const |a b| Bool)
";

/// Commands, each complete by itself.
const COMMANDS: &[&str] = &[
    "(set-logic ALL)",
    "(set-logic |my logic|)",
    "(set-option :produce-models true)",
    "(set-option :print-success false)",
    "(set-option :random-seed 42)",
    "(set-option :regular-output-channel \"stdout\")",
    "(set-option :global-declarations true)",
    "(set-option :smt.arith.solver 6)",
    "(set-option :flag)",
    "(set-info :status sat)",
    "(set-info :smt-lib-version 2.6)",
    "(set-info :source |a
 text of ; two lines \"|)",
    "(set-info :category \"industrial \"\"x\"\"\")",
    "(set-info :nested (a (b \"c\") #x1f (:k 1.5)))",
    "(set-info :none)",
    "(get-info :name)",
    "(get-info :all-statistics)",
    "(get-option :produce-models)",
    "(echo \"hello \"\"there\"\" \\u{41}\")",
    "(declare-sort S 0)",
    "(declare-sort S)",
    "(declare-sort |a sort| 3)",
    "(define-sort W () (_ BitVec 32))",
    "(define-sort Map (K V) (Array K (Array K V)))",
    "(declare-sort-parameter A)",
    "(declare-type-var A) (declare-fun id (A) A) (assert (id true))",
    "(declare-const s (Set Int)) (declare-fun f (Int) Int) (assert (= (set.map f s) s))",
    "(declare-const s (Set Int)) (assert (set.all (lambda ((x Int)) (> x 0)) s))",
    "(declare-const s (Bag Int)) (assert (= 1 (bag.fold (lambda ((x Int) (y Int)) (+ x y)) 0 s)))",
    "(declare-sort-parameter A) (declare-fun id (A) A) (assert (id true)) (assert (= (id 1) 2))",
    "(declare-fun f () Bool)",
    "(declare-fun f (Int (_ BitVec 4) (Array Int Bool)) (Seq (Seq Int)))",
    "(declare-const |strange; name (\"| Float16)",
    "(declare-const x Float32) (declare-const y Float64) (declare-const z Float128)",
    "(define-fun f () Int 5)",
    "(define-fun f ((x Int) (y Bool)) Real (ite y 1.5 2.0))",
    "(define-fun f ((x Int)) Real x)",
    "(define-const k Int 7) (assert (= k 7))",
    "(define-fun-rec fac ((n Int)) Int (ite (<= n 0) 1 (* n (fac (- n 1)))))",
    "(define-funs-rec ((ev ((n Int)) Bool) (od ((n Int)) Bool)) ((ite (= n 0) true (od (- n 1))) (ite (= n 0) false (ev (- n 1)))))",
    "(declare-datatype D ((one)))",
    "(declare-datatype D ((one) (two (field Int) (other D))))",
    "(declare-datatype P (par (X Y) ((pair (first X) (second Y)))))",
    "(declare-datatypes ((D 0)) (((c1) (c2 (s D)))))",
    "(declare-datatypes ((A 0) (B 0)) (((mkA (toB B)) (a0)) ((mkB (toA A)))))",
    "(declare-datatypes ((L 1) (M 2)) ((par (T) ((n) (k (h T) (r (L T))))) (par (K V) ((m (key K) (value (L V)))))))",
    "(declare-datatypes () ((Old one two (three (field Int)))))",
    "(declare-datatypes (T) ((OldList nil (cons (head T) (tail OldList)))))",
    "(declare-datatypes () ((OldA (a (b OldB)) a0) (OldB b0 (bb (aa OldA)))))",
    "(assert true)",
    "(assert-soft true)",
    "(assert-soft true :weight 2 :id goal)",
    "(assert-soft false :id |a goal| :weight 0.5)",
    "(assert-soft true :dweight 2.5)",
    "(declare-const x Int) (minimize x)",
    "(declare-const x Int) (maximize (+ x 1) :id obj)",
    "(declare-const x Real) (minimize (* 2.0 x))",
    "(check-sat)",
    "(declare-const p Bool) (check-sat-assuming (p (not p)))",
    "(check-sat-assuming ())",
    "(declare-const p Bool) (check-sat p)",
    "(push) (pop)",
    "(push 3) (pop 2) (pop 1) (push 0) (pop 0)",
    "(declare-const x Int) (get-value (x (+ x 1)))",
    "(get-model)",
    "(get-unsat-core)",
    "(get-unsat-assumptions)",
    "(get-assertions)",
    "(get-assignment)",
    "(get-proof)",
    "(get-objectives)",
    "(get-proof :sat)",
    "(get-unsat-core-lemmas)",
    "(get-difficulty)",
    "(get-learned-literals :input)",
    "(get-timeout-core)",
    "(declare-const p Bool) (get-timeout-core-assuming (p (not p)))",
    "(block-model)",
    "(block-model :literals)",
    "(declare-const x Int) (block-model-values (x (+ x 1)))",
    "(declare-pool p Int (0 1 2))",
    "(declare-const x Int) (get-qe (exists ((y Int)) (= x y)))",
    "(declare-const x Int) (get-abduct A (> x 0) ((G Bool)) ((G Bool (true))))",
    "(declare-const x Int) (get-interpolant A (> x 0))",
    "(get-abduct-next)",
    "(declare-const x Int) (simplify (+ x 0) :som true)",
    "(declare-const x Int) (eval (+ x 1) :completion true)",
    "(declare-fun f (Int) Int) (eval f)",
    "(check-sat-using (then simplify (! smt :arith.solver 2)))",
    "(apply (then simplify solve-eqs))",
    "(help)",
    "(help-tactic)",
    "(declare-tactic t (then simplify smt))",
    "(declare-const p Bool) (get-consequences (p) (p))",
    "(get-model 0)",
    "(declare-fun f (Int) Int) (get-value (f))",
    "(set-logic HO_ALL) (reset) (set-logic QF_LIA)",
    "(define-funs-rec ((f ((x Int)) Int)) ((+ x 1)))",
    "(declare-datatypes ((Pair 2)) ((par (X Y) ((mk (fst X) (snd Y))))))",
    "(declare-datatype Maybe (par (X) ((nothing) (just (it X)))))",
    "(reset)",
    "(reset-assertions)",
    "(exit)",
    "",
    "; only a comment",
    "\u{20}\t\r\n;c\r(check-sat);d",
];

#[test]
fn every_command_is_read_and_printed() {
    for text in COMMANDS {
        round_trip(text);
    }
}

/// Formulas over the prelude.
const FORMULAS: &[&str] = &[
    // Atoms, quoted symbols.
    "p",
    "|p|",
    "|a b|",
    "(|or| p |q|)",
    "(= x 1/4)",
    "(= x -1/3 00/7)",
    "(= i (int.log2 j) ((_ iand 4) i j))",
    "(int.ispow2 i)",
    // Operators of solvers that are short for others.
    "(= (bvite #b1 b b) b)",
    "(= ((_ map (+ (Int Int) Int)) a a) a)",
    "(= ((_ map f) a) a)",
    "(= ((_ map (+ (Int Int) Int)) ((_ map f) a) ((_ map f) ((_ map f) a))) a)",
    "(forall ((index Int)) (= ((_ map f) ((_ map f) a)) a))",
    "((_ at-most 1) p q true)",
    "((_ at-least 2) p q (= i 0))",
    "((_ pbge 3 2 1) p q)",
    "((_ pble 3 2 -1) p q)",
    "((_ pbeq 0 1) p)",
    "(= (mkbv p q p q p q p q) b)",
    "((_ partial-order 0) i j)",
    "((_ linear-order 1) u u)",
    "(forall ((index Int)) (= ((_ map not) (lambda ((k Int)) (= k index))) (lambda ((k Int)) p)))",
    // Core.
    "(=> p q p)",
    "(xor p q p)",
    "(and p)",
    "(or p q p q)",
    "(= i j 5)",
    "(distinct i j 5)",
    "(ite p q (not p))",
    // `let`: parallel, shadowing, quoted, nested in its own bindings.
    "(let ((z p)) z)",
    "(let ((p q) (q p)) (and p (not q)))",
    "(let ((i j) (j (+ i 1))) (= i j))",
    "(let ((z (let ((z i)) (+ z 1)))) (= z 2))",
    "(let ((z i)) (let ((z (+ z 1))) (let ((z (+ z 1))) (= z i))))",
    "(let ((|z z| p)) |z z|)",
    "(let ((f p)) f)",
    "(let ((x i)) (= x (f x)))",
    // Quantifiers, patterns.
    "(forall ((z Int)) (> z i))",
    "(exists ((z Int) (w Bool)) (and w (> z i)))",
    "(forall ((z Int)) (exists ((z Bool)) z))",
    "(forall ((z Int)) (! (pr z z) :pattern ((pr z z))))",
    "(forall ((z Int) (w Int)) (! (pr z w) :pattern ((f z) (f w))))",
    "(forall ((z Int) (w Int)) (! (pr z w) :pattern ((pr z w)) :pattern ((f z) (f w)) :qid q1 :weight 3))",
    "(forall ((z Int)) (! (pr z z) :no-pattern (f z) :pattern ((pr z z))))",
    "(forall ((z Int)) (! (pr z z) :pattern (f z)))",
    "(forall ((z Int)) (! (pr z z) :pattern (z)))",
    "(forall ((p Int) (i Bool)) (= (> p 0) i))",
    "(exists ((z (List Int))) ((_ is nil) z))",
    // Annotations.
    "(! p :named n1)",
    "(and (! (> i 0) :named n2) n2)",
    "(and (! (= (! (+ i 1) :named n3) 2) :named |n 4|) (> n3 0) |n 4|)",
    "(! p :weight 5 :flag :other (a (b \"c\" 1.5 #b01)))",
    "(! (! p :a) :b)",
    // Datatypes, `match`.
    "(= l (as nil (List Int)))",
    "(= l ((as cons (List Int)) 1 l))",
    "(= l (cons 1 (as nil (List Int))))",
    "((_ is cons) l)",
    "(is-cons l)",
    "(= ((_ update-field head) l 3) l)",
    "(= (head (tail l)) 3)",
    "(= c |dark blue|)",
    "(match l ((nil true) ((cons z w) (> z 0))))",
    "(match l (((cons z _) (> z 0)) (_ false)))",
    "(match l ((nil true) (other (= (head other) 1))))",
    "(match l ((_ true)))",
    "(match c ((red p) (green q) (|dark blue| true)))",
    "(match t (((leaf p) (> p 0)) ((node z w) (match w ((fnil true) ((fcons z w) (= z t)))))))",
    "(= (match l ((nil 0) ((cons z w) (+ z 1)))) 5)",
    // Arrays, lambda.
    "(= (store a 1 2) ((as const (Array Int Int)) 0))",
    "(= a (lambda ((z Int)) (+ z i)))",
    "(= (select (lambda ((z Int)) (> z i)) 3) p)",
    // Bit-vectors.
    "(= b #xff (_ bv255 8) #b11111111)",
    "(bvult ((_ extract 7 0) (concat b b)) ((_ zero_extend 4) #xf))",
    "(= ((_ rotate_left 3) b) ((_ repeat 2) #xa))",
    "(= #b1 (bvcomp b (bvneg b)))",
    // Strings and regular expressions.
    "(str.in_re s ((_ re.loop 1 3) (re.range \"a\" \"z\")))",
    "(str.in_re s ((_ re.^ 2) (str.to_re \"\\u{1F600}\\u0041\\n\"\"\")))",
    "(= s (_ char #x41) (str.++ s \"\"))",
    "(str.in_re s (re.union re.none re.all re.allchar r))",
    // Floating point.
    "(= fl (fp #b0 #x7f #b00000000000000000000000))",
    "(fp.leq (_ +oo 8 24) (fp.add RNE fl (_ NaN 8 24)) (_ -zero 8 24))",
    "(= fl ((_ to_fp 8 24) roundTowardZero 0.1))",
    "(= ((_ fp.to_ubv 8) rm fl) b)",
    // Sequences.
    "(= sq (seq.++ (seq.unit 1) (as seq.empty (Seq Int))))",
    "(= (seq.nth sq 0) 3)",
    // Arithmetic, coercions, negative numerals.
    "(= x 1)",
    "(< 1 x 2.5)",
    "(= (+ i x) y)",
    "(= (ite p 1 2.5) x)",
    "(= (/ 1 3) x)",
    "(= (g 1 p) 2)",
    "(= i -5)",
    "(= x -2.5)",
    "(= i (- 5) (- i j 3))",
    "((_ divisible 3) i)",
    "(= i 123456789012345678901234567890)",
    "(= x 0.00000000000000000000000000000000000000001)",
    "(is_int (to_real (to_int x)))",
    // Qualified identifiers.
    "(as p Bool)",
    "(= ((as f Int) 1) 2)",
    "(= (as i Int) 2)",
    "(let ((z (f 1))) (= (as z Int) 2))",
    "(forall ((z Int)) (= (as z Int) 2))",
    // Uninterpreted.
    "(= (h (h u)) u)",
];

#[test]
fn every_form_of_term_is_read_and_printed() {
    for formula in FORMULAS {
        round_trip(&format!("{PRELUDE}(assert {formula})"));
    }
}

/// The printed form of the last command.
fn printed(text: &str, lets: Lets) -> String {
    let unit = read(text, lets);
    let printer = Printer::new(&unit.store).sharing(Sharing::Never);
    printer.command(unit.script.commands.last().expect("a command"))
}

#[test]
fn texts_are_printed_as_expected() {
    let table: &[(&str, &str)] = &[
        (
            "(assert (let ((a true) (b false)) (and a b)))",
            "(assert (let ((a true) (b false)) (and a b)))",
        ),
        ("(declare-const x Real)(assert (= x 1))", "(assert (= x 1.0))"),
        ("(declare-const x Real)(assert (= x -1))", "(assert (= x (- 1.0)))"),
        ("(declare-const x Real)(assert (= x 0.10))", "(assert (= x 0.1))"),
        ("(declare-const |x| Int)(assert (= |x| 007))", "(assert (= x 7))"),
        ("(declare-const |x y| Int)(assert (= |x y| 1))", "(assert (= |x y| 1))"),
        ("(declare-const || Bool)(assert ||)", "(assert ||)"),
        ("(declare-const |3a| Bool)(assert |3a|)", "(assert |3a|)"),
        ("(declare-const par Bool)(assert par)", "(assert |par|)"),
        ("(assert (= #xAb (_ bv171 8)))", "(assert (= #xab #xab))"),
        ("(assert (= #b101 (_ bv5 3)))", "(assert (= #b101 #b101))"),
        (
            "(assert (= \"\\u{7f}\\u0009\\\" \"é\"))",
            "(assert (= \"\\u{7f}\\u{9}\\u{5c}\" \"\\u{e9}\"))",
        ),
        ("(check-sat false true)", "(check-sat-assuming (false true))"),
        (
            "(declare-datatypes (T) ((L n (c (h T) (t L)))))",
            "(declare-datatypes ((L 1)) ((par (T) ((n) (c (h T) (t (L T)))))))",
        ),
        ("(declare-sort S)", "(declare-sort S 0)"),
        ("(push)", "(push 1)"),
        ("(set-info :a ( b   (c ) ; comment\n \"d  e\" ))", "(set-info :a (b (c) \"d  e\"))"),
        (
            "(define-sort V (X) (Array X X)) (declare-const v (V (V Int)))",
            "(declare-const v (Array (Array Int Int) (Array Int Int)))",
        ),
        ("(declare-const r (RegEx String))", "(declare-const r RegLan)"),
        (
            "(assert (forall ((x Int)) (! (> x 0) :pattern (x) :qid a)))",
            "(assert (forall ((x Int)) (! (> x 0) :pattern (x) :qid a)))",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(printed(text, Lets::Keep), *expected, "{text}");
    }
}

#[test]
fn expansion_renames_binders_that_would_capture() {
    let table: &[(&str, &str)] = &[
        (
            "(assert (forall ((x Int)) (let ((y x)) (exists ((x Int)) (= x y)))))",
            "(assert (forall ((x Int)) (exists ((x!1 Int)) (= x!1 x))))",
        ),
        (
            "(assert (forall ((x Int)) (let ((y (> x 0))) (exists ((x Bool)) (= x y)))))",
            "(assert (forall ((x Int)) (exists ((x!1 Bool)) (= x!1 (> x 0)))))",
        ),
        (
            "(declare-const c Int)(assert (let ((y c)) (exists ((c Int)) (= c y))))",
            "(assert (exists ((c!1 Int)) (= c!1 c)))",
        ),
        (
            "(declare-const c Int)(assert (let ((y c)) (let ((c 1)) (exists ((c Int)) (= c y)))))",
            "(assert (exists ((c!1 Int)) (= c!1 c)))",
        ),
        (
            "(declare-const x!1 Int)(assert (forall ((x Int)) (let ((y x)) (exists ((x Int)) (= x y x!1)))))",
            "(assert (forall ((x Int)) (exists ((x!2 Int)) (= x!2 x x!1))))",
        ),
        (
            "(assert (forall ((x Int)) (let ((y x)) (exists ((x!1 Int)) (exists ((x Int)) (= x y x!1))))))",
            "(assert (forall ((x Int)) (exists ((x!1 Int)) (exists ((x!2 Int)) (= x!2 x x!1)))))",
        ),
        (
            "(declare-fun f (Int) Bool)(assert (let ((y (f 1))) (exists ((f Bool)) (= f y))))",
            "(assert (exists ((f!1 Bool)) (= f!1 (f 1))))",
        ),
        (
            "(declare-const p Bool)(assert (let ((y (and p p))) (exists ((and Bool)) (= and y))))",
            "(assert (exists ((and!1 Bool)) (= and!1 (and p p))))",
        ),
        // Nothing to capture, nothing renamed.
        (
            "(assert (and (forall ((x Int)) (= x 1)) (forall ((x Int)) (= x 2))))",
            "(assert (and (forall ((x Int)) (= x 1)) (forall ((x Int)) (= x 2))))",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(printed(text, Lets::Expand), *expected, "{text}");
        round_trip(text);
    }
}

#[test]
fn overloaded_symbols_are_resolved_by_their_arguments() {
    round_trip(
        "(declare-sort U 0)(declare-const u U)
         (declare-fun f (Int) Bool)(declare-fun f (U) Bool)(declare-fun f (Int Int) Bool)
         (assert (and (f 1) (f u) (f 1 2)))",
    );
    // A coercion may be needed as well.
    assert_eq!(
        printed("(declare-fun f (Bool) Bool)(declare-fun f (Real) Bool)(assert (f 1))", Lets::Keep),
        "(assert (f 1.0))"
    );
}

#[test]
fn overloaded_constructors_are_resolved_by_their_sort() {
    let text =
        "(declare-datatype A ((none) (some (a Int))))(declare-datatype B ((none) (some (b Int))))
         (declare-const x B)
         (assert (= (as none B) x))
         (assert (= ((as some B) 1) x))
         (assert (= ((as some A) 1) (as none A)))";
    round_trip(text);
    let unit = read(text, Lets::Keep);
    let text = Printer::new(&unit.store).script(&unit.script);
    assert!(text.contains("(as none B)") && text.contains("((as some B) 1)"), "{text}");
}

#[test]
fn scopes_and_resets_forget_declarations() {
    for text in [
        "(push)(declare-const x Int)(pop)(declare-const x Bool)(assert x)",
        "(declare-const x Int)(reset)(declare-const x Bool)(assert x)",
        "(declare-const x Int)(reset-assertions)(declare-const x Bool)(assert x)",
        "(set-option :global-declarations true)(push)(declare-const x Bool)(pop)(assert x)",
        "(set-option :global-declarations true)(declare-const x Int)(reset)(declare-const x Bool)(assert x)",
        "(set-option :global-declarations true)(declare-const x Bool)(reset-assertions)(assert x)",
        "(push)(declare-sort S 0)(pop)(declare-sort S 1)(declare-const x (S Int))",
        "(push)(declare-datatype D ((d)))(pop)(declare-const d Int)(assert (= d 1))",
        "(push)(assert (! true :named n))(pop)(assert (! true :named n))",
        "(push)(define-fun abs ((x Bool)) Bool x)(assert (abs true))(pop)(assert (= (abs 1) 3))",
        "(push 2)(declare-const x Int)(pop 1)(declare-const x Bool)(pop 1)(declare-const x Real)",
    ] {
        round_trip(text);
    }
}

#[test]
fn active_assertions_follow_levels_and_exit() {
    let count = |text: &str| read(text, Lets::Keep).script.active_assertions().len();
    assert_eq!(count("(assert true)(push)(assert true)(check-sat)(pop)"), 2);
    assert_eq!(count("(assert true)(push)(assert true)(check-sat)(pop)(check-sat)"), 1);
    assert_eq!(count("(assert true)(check-sat-assuming (true false))"), 3);
    assert_eq!(count("(assert true)(reset-assertions)(assert true)(check-sat)"), 1);
    assert_eq!(count("(assert true)(check-sat)(exit)(assert false)(check-sat)"), 1);
    assert_eq!(count("(assert true)(exit)(assert false)"), 1);
}

#[test]
fn definitions_in_force_are_the_latest_declared() {
    let value = |text: &str| {
        let unit = read(text, Lets::Keep);
        let definitions: Model = unit.script.definitions();
        let (term, _) = *unit.script.active_assertions().last().expect("an assertion");
        Evaluator::new(&unit.store, &definitions).holds(term).ok()
    };
    let again = "(push)(define-fun f () Int 1)(pop)(push)(define-fun f () Int 2)(assert (= f 2))";
    assert_eq!(value(again), Some(true));
    let free = "(push)(define-fun f () Int 1)(check-sat)(pop)(declare-const f Int)(assert (= f 2))(check-sat)";
    assert_eq!(value(free), None);
    let later =
        "(push)(define-fun f () Int 1)(assert (= f 1))(check-sat)(pop)(define-fun f () Int 2)";
    assert_eq!(value(later), Some(true));
}

#[test]
fn a_name_stands_for_a_term_without_free_variables() {
    let value = |text: &str| {
        let unit = read(text, Lets::Keep);
        let (term, _) = *unit.script.active_assertions().last().expect("an assertion");
        Evaluator::new(&unit.store, &unit.script.definitions()).holds(term).ok()
    };
    // The name would pick up whatever variable of that name happens to be bound around it.
    let open = "(assert (let ((z true)) (! z :named n)))(assert (exists ((z Bool)) (and z n)))";
    assert_eq!(value(open), None);
    let inside = "(assert (forall ((z Bool)) (or z (! true :named n))))(assert n)";
    assert_eq!(value(inside), Some(true));
    let closed =
        "(assert (! (forall ((z Bool)) (or z (not z))) :named n))(assert (exists ((z Bool)) n))";
    assert_eq!(value(closed), Some(true));
}

#[test]
fn polymorphic_functions_are_read_but_not_evaluated() {
    // Inside, the sequence would be one over the sort parameter, unlike the one outside.
    let text = "(declare-sort-parameter A)(define-fun one ((x A)) (Seq A) (seq.unit x))
        (assert (= 5 (select (store ((as const (Array (Seq Int) Int)) 0) (one 1) 5) (seq.unit 1))))";
    let unit = round_trip(text);
    let (term, _) = unit.script.active_assertions()[0];
    let definitions = unit.script.definitions();
    assert!(Evaluator::new(&unit.store, &definitions).holds(term).is_err());
}

#[test]
fn names_are_given_once_and_before_they_are_used() {
    let long = "(or p p p p p p p p p p p p p p p)";
    for formula in [
        "(let ((y (! p :named n))) (and y y))".to_owned(),
        "(let ((y (! p :named n))) n)".to_owned(),
        format!("(let ((y (! {long} :named n)) (p false)) (and p y (or y n)))"),
        "(forall ((y Bool)) (let ((z y) (y (! p :named n))) (and y y z)))".to_owned(),
        format!("(and (! {long} :named n) (not {long}) (or n {long}))"),
        format!("(and (! p :named n) (xor n {long}) (not (xor n {long})))"),
        "(! (! p :named n) :named m)".to_owned(),
        "(! p :named n :named m)".to_owned(),
    ] {
        let text = format!("(declare-const p Bool)(assert {formula})");
        let unit = round_trip(&text);
        let shared = Printer::new(&unit.store).sharing(Sharing::Always).script(&unit.script);
        assert_eq!(shared.matches(":named n").count(), 1, "{shared}");
        read(&shared, Lets::Keep);
    }
}

#[test]
fn a_script_may_have_its_own_testers() {
    let text = "(declare-datatype L ((nil) (cons (head Int) (tail L))))
        (define-fun is-nil ((x L)) Bool false)(assert (is-nil nil))";
    let unit = round_trip(text);
    let (term, _) = unit.script.active_assertions()[0];
    assert_eq!(Evaluator::new(&unit.store, &unit.script.definitions()).holds(term), Ok(false));
    round_trip(
        "(declare-fun is-nil (Int) Bool)(declare-datatype L ((nil) (cons (tail L))))(assert (is-nil 3))",
    );
    // Two datatypes with a constructor of one name have two testers of one name.
    round_trip(
        "(declare-datatype A ((none) (a)))(declare-datatype B ((none) (b)))(declare-const x A)
         (declare-const y B)(assert (and (is-none x) (is-none y)))",
    );
}

#[test]
fn settings_and_syntax_are_kept() {
    let unit =
        read("(declare-datatype D ((d)))(declare-datatypes ((E 0)) (((e))))(reset)", Lets::Keep);
    assert!(matches!(
        &unit.script.commands[..],
        [
            Command::DeclareDatatypes(_, DatatypeSyntax::Single),
            Command::DeclareDatatypes(_, DatatypeSyntax::Group),
            Command::Plain(Plain::Reset),
        ]
    ));
    let unit = read("(set-logic QF_LIA)(set-info :status sat)", Lets::Keep);
    assert_eq!(unit.script.logic(), Some("QF_LIA"));
    assert_eq!(unit.script.offsets, [0, 18]);
    let unit = read("(declare-const x Real)(assert (= x 1 (+ 2 3)))", Lets::Keep);
    assert_eq!(unit.script.coercions, 2);
}

#[test]
fn long_terms_are_broken_into_lines_and_mean_the_same() {
    let terms: Vec<String> = (0..40).map(|n| format!("(> (+ i {n}) (* j {n}))")).collect();
    let text = format!("{PRELUDE}(assert (and {}))", terms.join(" "));
    let unit = round_trip(&text);
    let pretty = Printer::new(&unit.store).layout(Layout::Readable).script(&unit.script);
    assert!(pretty.lines().count() > 40);
    assert!(pretty.lines().all(|line| line.len() <= 160), "{pretty}");
}
