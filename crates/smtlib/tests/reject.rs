//! What the reader refuses: the message, its place and its hint, as a person sees them.

mod support;

use assay_smtlib::{Lets, ReadError, read_script};
use assay_term::Store;
use support::round_trip;

fn refusal(bytes: &[u8]) -> ReadError {
    let mut store = Store::new();
    match read_script(&mut store, bytes, Lets::Keep) {
        Ok(_) => panic!("accepted: {}", String::from_utf8_lossy(bytes)),
        Err(error) => error,
    }
}

/// `line:column message [hint]`.
fn summary(error: &ReadError) -> String {
    let hint = error.hint.as_ref().map_or_else(String::new, |hint| format!(" [{hint}]"));
    format!("{}:{} {}{hint}", error.line, error.column, error.message)
}

/// Texts and what is said about them.
const REFUSED: &[(&str, &str)] = &[
    (
        "(",
        "1:2 expected a command's name, got the end of the text [the command that begins on line 1 is not closed]",
    ),
    (")", "1:1 this `)` closes nothing"),
    (
        "(assert",
        "1:8 expected a term, got the end of the text [the command that begins on line 1 is not closed]",
    ),
    (
        "(assert true",
        "1:13 expected `)` at the end of `assert`, got the end of the text [the command that begins on line 1 is not closed]",
    ),
    ("(assert true))", "1:14 this `)` closes nothing"),
    ("assert", "1:1 expected a command `(…)`, got `assert`"),
    ("(assert true)) (check-sat)", "1:14 this `)` closes nothing"),
    (
        "(check-sat",
        "1:11 expected a term, got the end of the text [the command that begins on line 1 is not closed]",
    ),
    ("foo", "1:1 expected a command `(…)`, got `foo`"),
    (r#""a""#, r#"1:1 expected a command `(…)`, got `"a"`"#),
    ("42", "1:1 expected a command `(…)`, got `42`"),
    ("(42)", "1:2 expected a command's name, got `42`"),
    ("(|assert| true)", "1:2 expected a command's name, got `|assert|`"),
    ("()", "1:2 expected a command's name, got `)`"),
    ("(asert true)", "1:2 unsupported command `asert` [did you mean `assert`?]"),
    ("(check-satt)", "1:2 unsupported command `check-satt` [did you mean `check-sat`?]"),
    ("(frobnicate)", "1:2 unsupported command `frobnicate`"),
    ("(eval x)", "1:7 unknown symbol `x` [declare it before it is used]"),
    ("(simplify)", "1:10 expected a term, got `)`"),
    (
        "(get-difficultly)",
        "1:2 unsupported command `get-difficultly` [did you mean `get-difficulty`?]",
    ),
    (
        "(synth-fun f () Int)",
        "1:2 unsupported extension: syntax-guided synthesis (command `synth-fun`)",
    ),
    (
        "(declare-heap (Int Int))",
        "1:2 unsupported extension: separation logic (command `declare-heap`)",
    ),
    (
        "(declare-rel p (Int))",
        "1:2 unsupported extension: rules over Horn clauses of z3 (command `declare-rel`)",
    ),
    (
        "(declare-fun r (Int Int) Bool) (assert ((_ transitive-closure r) 1 2))",
        "1:44 unsupported extension: special relations of z3 (symbol `transitive-closure`)",
    ),
    ("(assert (bvite #b1 #b0))", "1:9 `bvite` takes 3 arguments, got 2"),
    (
        "(assert (= 1/0 1))",
        "1:12 `1/0` is neither a number nor a symbol [a symbol that begins with a digit needs bars: |…|]",
    ),
    ("(assert (sep true true))", "1:10 unsupported extension: separation logic (symbol `sep`)"),
    ("(assert (pto 1 2))", "1:10 unsupported extension: separation logic (symbol `pto`)"),
    ("(assert (wand true true))", "1:10 unsupported extension: separation logic (symbol `wand`)"),
    ("(assert sep.emp)", "1:9 unsupported extension: separation logic (symbol `sep.emp`)"),
    (
        "(assert (= 1 (as sep.nil Int)))",
        "1:18 unsupported extension: separation logic (symbol `sep.nil`)",
    ),
    (
        "(set-logic QF_LIA) (set-logic QF_LIA)",
        "1:31 the logic is set already [a script has one logic; only (reset) permits another]",
    ),
    (
        "(set-logic ALL) (reset-assertions) (set-logic ALL)",
        "1:47 the logic is set already [a script has one logic; only (reset) permits another]",
    ),
    ("(set-info :status maybe)", "1:11 `:status` is sat, unsat or unknown, got maybe"),
    ("(set-info :status)", "1:11 `:status` is sat, unsat or unknown, got nothing"),
    ("(set-info :status (sat))", "1:11 `:status` is sat, unsat or unknown, got (sat)"),
    ("(get-value ())", "1:13 `get-value` needs at least one term"),
    ("(set-option :produce-models 3)", "1:13 `:produce-models` takes `true` or `false`, got `3`"),
    ("(set-option :print-success yes)", "1:13 `:print-success` takes `true` or `false`, got `yes`"),
    ("(set-option :random-seed -1)", "1:13 `:random-seed` takes a numeral, got `-1`"),
    ("(set-option :verbosity true)", "1:13 `:verbosity` takes a numeral, got `true`"),
    (
        "(set-option :regular-output-channel stdout)",
        "1:13 `:regular-output-channel` takes a string, got `stdout`",
    ),
    ("(set-option :produce-proofs)", "1:13 `:produce-proofs` takes `true` or `false`"),
    ("(assert)", "1:8 expected a term, got `)`"),
    ("(assert true false)", "1:14 expected `)` at the end of `assert`, got `false`"),
    ("(assert 1)", "1:9 expected a formula (Bool), got Int"),
    ("(assert x)", "1:9 unknown symbol `x` [declare it before it is used]"),
    ("(assert (f 1))", "1:10 unknown symbol `f` [declare it before it is used]"),
    ("(assert (bvad #x1 #x2))", "1:10 unknown symbol `bvad` [did you mean `bvadd`?]"),
    (
        r#"(assert (str.to_ree "a"))"#,
        "1:10 unknown symbol `str.to_ree` [did you mean `str.to_re`?]",
    ),
    (
        "(assert (set.comprehension a b))",
        "1:10 unsupported extension: set comprehensions of cvc5 (symbol `set.comprehension`)",
    ),
    ("(assert ())", "1:9 an empty application `()` is not a term"),
    ("(assert ((true)))", "1:10 a constant has no parentheses: true"),
    ("(assert (true))", "1:9 a constant has no parentheses: true"),
    (
        "(assert ((_ bv1 2) 3))",
        "1:10 unsupported extension: functions as values [the head of an application is a symbol, `(_ symbol index)` or `(as symbol sort)`]",
    ),
    ("(assert (not))", "1:9 `not` takes 1 argument, got 0"),
    ("(assert (not true false))", "1:9 `not` takes 1 argument, got 2"),
    ("(assert (and))", "1:9 `and` takes at least 2 arguments, got 0"),
    ("(assert (= 1))", "1:9 `=` takes at least 2 arguments, got 1"),
    ("(assert (= 1 true))", "1:9 argument 2 of `=`: expected Int, got Bool"),
    ("(assert (= #x1 #b1))", "1:9 argument 2 of `=`: expected (_ BitVec 4), got (_ BitVec 1)"),
    (
        "(assert (bvadd #x1 #x22))",
        "1:9 argument 2 of `bvadd`: expected (_ BitVec 4), got (_ BitVec 8)",
    ),
    ("(assert (< 1 #x1))", "1:9 argument 2 of `<`: expected Int, got (_ BitVec 4)"),
    ("(assert (ite 1 true false))", "1:9 argument 1 of `ite`: expected Bool, got Int"),
    (r#"(assert (ite true 1 "a"))"#, "1:9 argument 3 of `ite`: expected Int, got String"),
    (
        "(assert ((_ extract 8 0) #xff))",
        "1:9 `(_ extract 8 0)` requires a first index below the width and a second not above the first",
    ),
    (
        "(assert (= #b1 ((_ extract 8 0) #xff)))",
        "1:16 `(_ extract 8 0)` requires a first index below the width and a second not above the first",
    ),
    (
        "(assert (= #b1 ((_ extract 0 1) #xff)))",
        "1:16 `(_ extract 0 1)` requires a first index below the width and a second not above the first",
    ),
    ("(assert (= #b1 ((_ extract 1) #xff)))", "1:16 `(_ extract 1)` takes 2 indices, got 1"),
    ("(assert (= #b1 ((_ extract a b) #xff)))", "1:28 expected a numeral as index, got `a`"),
    ("(assert (= #b1 ((_ extract -1 0) #xff)))", "1:28 expected a numeral as index, got `-1`"),
    ("(assert (= #b1 (extract 1 0 #xff)))", "1:16 `extract` takes 2 indices, got 0"),
    (
        "(assert (= #b1 ((_ zero_extend 99999999999999999999) #xff)))",
        "1:32 the index 99999999999999999999 does not fit in 64 bits",
    ),
    ("(assert (= #b1 ((_ repeat 0) #xff)))", "1:16 `(_ repeat 0)` requires a positive index"),
    ("(assert (= (_ bv256 8) #xff))", "1:15 256 does not fit in 8 bits"),
    ("(assert (= (_ bv1 0) #xff))", "1:19 a bit-vector has at least one bit"),
    ("(assert (= (_ bv1) #xff))", "1:18 expected a numeral as a bit-vector's width, got `)`"),
    ("(assert (= (_ bvx 8) #xff))", "1:15 unknown symbol `bvx` [declare it before it is used]"),
    ("(assert (= (_ foo 8) #xff))", "1:15 unknown symbol `foo` [declare it before it is used]"),
    ("(declare-const b (_ BitVec 0))", "1:28 a bit-vector has at least one bit"),
    ("(declare-const b (_ BitVec 8 8))", "1:30 expected `)` after the sort's indices, got `8`"),
    ("(declare-const b (_ BitVec))", "1:27 expected a numeral as a bit-vector's width, got `)`"),
    (
        "(declare-const b (_ BitVec 99999999))",
        "1:28 99999999 as a bit-vector's width is above the limit of 1048576",
    ),
    (
        "(declare-const b (_ FloatingPoint 1 1))",
        "1:21 there is no floating-point format 1 1 here [exponents of 2 to 60 bits and significands of 2 to 65536 are read]",
    ),
    ("(declare-const b (_ Foo 1))", "1:21 unknown sort `Foo` [declare it before it is used]"),
    ("(declare-const b Foo)", "1:18 unknown sort `Foo` [declare it before it is used]"),
    ("(declare-const b int)", "1:18 unknown sort `int` [did you mean `Int`?]"),
    ("(declare-const b (Foo Int))", "1:19 unknown sort `Foo` [declare it before it is used]"),
    ("(declare-const b (Array Int))", "1:19 the sort `Array` takes 2 arguments, got 1"),
    (
        "(declare-const b (Array Int Int Int))",
        "1:19 unsupported extension: arrays of several dimensions of z3",
    ),
    ("(declare-const b (Int))", "1:19 a sort without arguments has no parentheses: Int"),
    ("(declare-const b (Int Int))", "1:19 the sort `Int` takes no arguments, got 1"),
    ("(declare-const b ())", "1:19 expected a sort's name, got `)`"),
    ("(declare-const b (Set Int Int))", "1:19 the sort `Set` takes 1 argument, got 2"),
    (
        "(declare-const b (_ FiniteField 6))",
        "1:33 there is no finite field of order 6 here [the order is a prime number of at most 4096 bits]",
    ),
    (
        "(assert (= #f1m7 #f1m5))",
        "1:9 argument 2 of `=`: expected (_ FiniteField 7), got (_ FiniteField 5)",
    ),
    (
        "(assert (= #f1m7 (as ffx (_ FiniteField 7))))",
        "1:18 expected `ff` and an integer as an element of a finite field",
    ),
    (
        "(assert ((_ tuple.select 2) (tuple true true)))",
        "1:9 `(_ tuple.select 2)` requires indices below the number of columns",
    ),
    (
        "(assert (rel.join (set.singleton (tuple 1)) (set.singleton (tuple 1))))",
        "1:9 `rel.join` requires columns that fit together",
    ),
    (
        "(assert (set.member 1 (set.singleton true)))",
        "1:9 argument 2 of `set.member`: expected (Set Int), got (Set Bool)",
    ),
    ("(declare-const b (-> Int))", "1:19 the sort `->` takes at least 2 arguments"),
    ("(declare-const b ->)", "1:18 the sort `->` takes at least 2 arguments"),
    ("(declare-const b)", "1:17 expected a sort, got `)`"),
    ("(declare-const Int)", "1:19 expected a sort, got `)`"),
    // A name cannot stand for a term with variables of a quantifier, a definition or a pattern.
    (
        "(assert (forall ((x Bool)) (! x :named n)))",
        "1:28 `n` names a term with the bound variable `x` [name the whole quantified formula]",
    ),
    (
        "(define-fun f ((x Bool)) Bool (! x :named n))",
        "1:31 `n` names a term with the bound variable `x` [name the whole quantified formula]",
    ),
    (
        "(define-fun-rec f ((x Bool)) Bool (! (f x) :named n))",
        "1:35 `n` names a term with the bound variable `x` [name the whole quantified formula]",
    ),
    (
        "(declare-datatype D ((d (s Int)))) (declare-const c D) (assert (match c (((d x) (! (= x 1) :named n)))))",
        "1:81 `n` names a term with the bound variable `x` [name the whole quantified formula]",
    ),
    (
        "(assert (exists ((x Bool)) (let ((y x)) (! y :named n))))",
        "1:41 `n` names a term with the bound variable `y` [name the whole quantified formula]",
    ),
    // Escapes of SMT-LIB 2.0, of which the hint speaks.
    (
        "(set-info :source \"a \\\"b\\\" c\")",
        "1:24 expected `)` at the end of `set-info`, got `b` [a quote in a string is written \"\"; `\\\"` is of SMT-LIB 2.0]",
    ),
    ("(declare-const (b) Int)", "1:16 expected a symbol to declare, got `(`"),
    ("(declare-const let Int)", "1:16 `let` is a reserved word and cannot be a name"),
    ("(declare-const b Int) (declare-const b Int)", "1:38 `b` is declared already"),
    ("(declare-const b Int) (declare-fun b () Bool)", "1:36 `b` is declared already"),
    ("(declare-fun f (Int) Int) (declare-fun f (Int) Bool)", "1:40 `f` is declared already"),
    ("(declare-fun f Int Int)", "1:16 expected `(` before the argument sorts, got `Int`"),
    ("(declare-fun f (Int))", "1:21 expected a sort, got `)`"),
    (
        "(declare-fun f (Int) Int) (assert (= f 1))",
        "1:35 argument 2 of `=`: expected (-> Int Int), got Int",
    ),
    ("(declare-fun f (Int) Int) (assert (= (f) 1))", "1:38 `f` takes 1 argument, got 0"),
    ("(declare-fun f (Int) Int) (assert (= (f 1 2) 1))", "1:38 `f` takes 1 argument, got 2"),
    (
        "(declare-fun f (Int) Int) (assert (= (f true) 1))",
        "1:38 argument 1 of `f`: expected Int, got Bool",
    ),
    ("(declare-const c Int) (assert (= (c 1) 1))", "1:34 `c` takes no arguments, got 1"),
    ("(define-fun f ((x Int) (x Int)) Int 1)", "1:25 the variable `x` is bound twice"),
    ("(define-fun f ((x Int)) Int true)", "1:29 the body of a definition: expected Int, got Bool"),
    (
        "(define-fun f ((x Int)) Int (f x))",
        "1:30 unknown symbol `f` [a definition that mentions itself is a `define-fun-rec`]",
    ),
    ("(define-fun f (x Int) Int x)", "1:16 expected a variable `(name sort)`, got `x`"),
    ("(define-fun f ((x Int)) Int)", "1:28 expected a term, got `)`"),
    ("(define-fun f () Int 1) (define-fun f () Int 2)", "1:37 `f` is declared already"),
    ("(define-fun-rec f ((x Int)) Int (f true))", "1:33 argument 1 of `f`: expected Int, got Bool"),
    ("(define-funs-rec ((f ((x Int)) Int)) (1 2))", "1:41 expected `)` after the bodies, got `2`"),
    ("(define-funs-rec ((f ((x Int)) Int) (g () Int)) (1))", "1:51 `g` has no body"),
    ("(define-const c Int true)", "1:21 the body of a definition: expected Int, got Bool"),
    ("(declare-sort Int 0)", "1:15 the sort `Int` is declared already"),
    ("(declare-sort S 0) (declare-sort S 0)", "1:34 the sort `S` is declared already"),
    ("(declare-sort S -1)", "1:17 expected a numeral as a sort's arity, got `-1`"),
    ("(declare-sort S 5000)", "1:17 5000 as a sort's arity is above the limit of 1000"),
    ("(declare-sort S 1) (declare-const c S)", "1:37 the sort `S` takes 1 argument, got 0"),
    (
        "(declare-sort S 1) (declare-const c (S Int Int))",
        "1:38 the sort `S` takes 1 argument, got 2",
    ),
    ("(define-sort S (X X) X)", "1:19 the sort parameter `X` is bound twice"),
    ("(define-sort S (X) Y)", "1:20 unknown sort `Y` [declare it before it is used]"),
    ("(declare-datatype D ())", "1:2 a datatype without constructors"),
    ("(declare-datatype D ((d) (d)))", "1:27 `d` is declared already"),
    ("(declare-datatype D ((d (s Int) (s Int))))", "1:34 `s` is declared already"),
    (
        "(declare-datatype D ((d (s D))))",
        "1:2 the datatype `D` has no value [one of its constructors must do without another value of the datatype]",
    ),
    (
        "(declare-datatypes ((A 0)) (((a (s B)))))",
        "1:36 unknown sort `B` [declare it before it is used]",
    ),
    ("(declare-datatypes ((A 0) (A 0)) (((a)) ((b))))", "1:28 the sort `A` is declared already"),
    (
        "(declare-datatypes ((A 1)) (((a))))",
        "1:28 this datatype was declared with 1 parameter, got 0",
    ),
    (
        "(declare-datatypes ((A 0)) ((par (T) ((a (s T))))))",
        "1:28 this datatype was declared with no parameters, got 1",
    ),
    (
        "(declare-datatypes ((A 0) (B 0)) (((a))))",
        "1:40 expected `(` before a datatype's constructors, got `)`",
    ),
    ("(declare-datatypes ((A 0)) (((a)) ((b))))", "1:35 expected `)` after the datatypes, got `(`"),
    ("(declare-datatype D ((d))) (declare-const d Int)", "1:43 `d` is declared already"),
    (
        "(declare-datatype D ((d))) (assert ((_ is e) d))",
        "1:43 unknown symbol `e` [declare it before it is used]",
    ),
    (
        "(declare-datatype D ((d))) (assert ((_ is d) 1))",
        "1:36 argument 1 of `(_ is d)`: expected D, got Int",
    ),
    ("(declare-datatype D ((d (s Int)))) (assert (= d d))", "1:47 `d` takes 1 argument, got 0"),
    (
        "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (h T) (t (L T))))))) (assert (= nil nil))",
        "1:83 the sort of `nil` is ambiguous here; write (as nil sort)",
    ),
    (
        "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (h T) (t (L T))))))) (declare-const x (L Int)) (assert (= x (cons true x)))",
        "1:111 argument 2 of `cons`: expected a sort that agrees with the other arguments, got (L Int)",
    ),
    (
        "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (h T) (t (L T))))))) (assert (= (as nil Int) 1))",
        "1:83 `nil` requires an ascribed sort of its own datatype",
    ),
    (
        "(declare-datatype D ((a) (b (s Int)))) (declare-const x D) (assert (match x ((a true))))",
        "1:68 `match` has no case for one of the constructors",
    ),
    (
        "(declare-datatype D ((a) (b (s Int)))) (declare-const x D) (assert (match x ((a true) (b false))))",
        "1:88 this pattern takes 1 variable, got 0",
    ),
    (
        "(declare-datatype D ((a) (b (s Int)))) (declare-const x D) (assert (match x ((a true) ((b y z) false))))",
        "1:93 this pattern takes 1 variable, got more",
    ),
    (
        "(declare-datatype D ((a) (b (s Int) (t Int)))) (declare-const x D) (assert (match x ((a true) ((b y y) false))))",
        "1:101 the variable `y` is bound twice",
    ),
    (
        "(declare-datatype D ((a) (b (s Int)))) (declare-const x D) (assert (match x ((a true) ((c y) false))))",
        "1:89 `c` is not a constructor of D",
    ),
    (
        "(declare-datatype D ((a) (b (s Int)))) (declare-const x D) (assert (match x ((a true) ((b y) 1))))",
        "1:68 a case's body of `match`: expected Bool, got Int",
    ),
    (
        "(declare-datatype D ((a) (b (s Int)))) (declare-const x D) (assert (match x ((a true) ((b let) true))))",
        "1:91 `let` is a reserved word and cannot be a name",
    ),
    (
        "(declare-datatype D ((a) (b (s Int)))) (declare-const x D) (assert (match x))",
        "1:68 `match` has no cases",
    ),
    (
        "(declare-datatype D ((a) (b (s Int)))) (declare-const x D) (assert (match x ()))",
        "1:78 expected a case `(pattern term)`, got `)`",
    ),
    (
        "(declare-datatype D ((a) (b (s Int)))) (declare-const x D) (assert (match x (a true)))",
        "1:78 expected a case `(pattern term)`, got `a`",
    ),
    ("(assert (match 1 ((x true))))", "1:19 `match` needs a datatype, got Int"),
    ("(assert (let ((x 1) (x 2)) true))", "1:21 `let` binds `x` twice"),
    ("(assert (let ((x 1)) y))", "1:22 unknown symbol `y` [declare it before it is used]"),
    ("(assert (let ((x 1)) true false))", "1:20 the body of `let` takes one term, got 2"),
    ("(assert (let ((x 1 2)) true))", "1:15 a binding of `let` takes one term, got 2"),
    ("(assert (let ((x)) true))", "1:15 a binding of `let` takes one term, got 0"),
    ("(assert (let (x 1) true))", "1:15 expected a binding `(name term)`, got `x`"),
    ("(assert (let x true))", "1:14 expected `(` before the bindings of `let`, got `x`"),
    ("(assert (let ((1 x)) true))", "1:16 expected a symbol to bind, got `1`"),
    ("(assert (let ((let 1)) true))", "1:16 `let` is a reserved word and cannot be a name"),
    ("(assert (let ((x 1))))", "1:20 the body of `let` takes one term, got 0"),
    (
        "(assert (let ((x 1)) (x 1)))",
        "1:22 a value of sort Int is applied like a function [only a value of a function sort (-> …) takes arguments]",
    ),
    ("(assert (forall () true))", "1:9 `forall` binds no variable"),
    ("(assert (forall ((x Int)) 1))", "1:9 the body of `forall`: expected Bool, got Int"),
    ("(assert (forall ((x)) true))", "1:20 expected a sort, got `)`"),
    ("(assert (forall (x Int) true))", "1:18 expected a variable `(name sort)`, got `x`"),
    ("(assert (forall x true))", "1:17 expected `(` before the variables, got `x`"),
    ("(assert (forall ((x Int))))", "1:9 the body of `forall` takes one term, got 0"),
    ("(assert (forall ((x Int)) true true))", "1:9 the body of `forall` takes one term, got 2"),
    ("(assert (exists ((as Int)) true))", "1:19 `as` is a reserved word and cannot be a name"),
    ("(assert (! true false))", "1:9 an annotation takes one term, got 2"),
    ("(set-info : 1)", "1:11 a keyword needs a name after `:`"),
    ("(set-option : 1)", "1:13 a keyword needs a name after `:`"),
    ("(assert-soft true : 1)", "1:19 a keyword needs a name after `:`"),
    ("(set-info :status :sat)", "1:11 `:status` is sat, unsat or unknown, got :sat"),
    (
        "(define-sort a () (BitVec))(declare-const x a)",
        "1:45 unknown sort `a` [declare it before it is used]",
    ),
    (
        "(define-sort a () BitVec)",
        "1:19 unknown sort `BitVec` [this sort takes indices: (_ BitVec …)]",
    ),
    ("(assert (bvor true))", "1:9 `bvor` takes at least 2 arguments, got 1"),
    ("(assert (=> true))", "1:9 `=>` takes at least 2 arguments, got 1"),
    ("(assert (! true :named))", "1:23 expected a symbol after `:named`, got `)`"),
    ("(assert (! true :named 1))", "1:24 expected a symbol after `:named`, got `1`"),
    ("(assert (! true :named true))", "1:24 `true` is declared already"),
    ("(assert (and (! true :named n) (! false :named n)))", "1:48 `n` is declared already"),
    ("(assert (! true false :named n))", "1:23 expected a term, got `:named`"),
    ("(assert (! :named n))", "1:12 expected a term, got `:named`"),
    ("(assert (and true :named n))", "1:19 expected a term, got `:named`"),
    (
        "(assert (lambda ((x Int) (y Int)) 1))",
        "1:9 expected a formula (Bool), got (-> Int Int Int)",
    ),
    ("(assert (select 1 2))", "1:9 argument 1 of `select`: expected an array, got Int"),
    (
        "(assert (= 1 (select ((as const (Array Int Bool)) 1) 2)))",
        "1:22 `const` requires an ascribed sort that fits its arguments",
    ),
    (
        "(assert (= ((as const Int) 1) 2))",
        "1:12 `const` requires an ascribed sort that fits its arguments",
    ),
    (
        "(assert (= (as seq.empty Int) 2))",
        "1:12 `seq.empty` requires an ascribed sort that fits its arguments",
    ),
    (
        "(assert (= seq.empty 2))",
        "1:12 the sort of `seq.empty` is ambiguous here; write (as seq.empty sort)",
    ),
    ("(assert (as true Int))", "1:9 `true` requires the sort that its arguments give it"),
    ("(assert (as))", "1:12 expected a symbol after `as`, got `)`"),
    ("(assert (_ a))", "1:12 unknown symbol `a` [declare it before it is used]"),
    ("(assert (_))", "1:11 expected a symbol after `_`, got `)`"),
    ("(assert let)", "1:9 the reserved word `let` cannot stand here"),
    ("(assert |let|)", "1:9 unknown symbol `|let|` [declare it before it is used]"),
    (r#"(assert "a)"#, "1:9 this string is not closed"),
    ("(assert |a)", "1:9 this symbol in bars is not closed"),
    (
        "(assert #xg)",
        "1:9 `#xg` is not a literal [literals are #x and hexadecimal digits, or #b and binary digits]",
    ),
    (
        "(assert #b2)",
        "1:9 `#b2` is not a literal [literals are #x and hexadecimal digits, or #b and binary digits]",
    ),
    (
        "(assert #)",
        "1:9 `#` is not a literal [literals are #x and hexadecimal digits, or #b and binary digits]",
    ),
    (
        "(assert #x)",
        "1:9 `#x` is not a literal [literals are #x and hexadecimal digits, or #b and binary digits]",
    ),
    ("(assert 1.)", "1:9 a decimal needs digits after the point"),
    (
        "(assert 1a)",
        "1:9 `1a` is neither a number nor a symbol [a symbol that begins with a digit needs bars: |…|]",
    ),
    (
        "(assert 1.5.5)",
        "1:9 `1.5.5` is neither a number nor a symbol [a symbol that begins with a digit needs bars: |…|]",
    ),
    (
        "(assert é)",
        "1:9 unexpected character `é` (U+00E9) [outside strings, |…| and comments only ASCII is allowed]",
    ),
    (
        "(assert 'a')",
        "1:9 unexpected character `'` (U+0027) [this character may stand only in strings, in |…| and in comments]",
    ),
    (
        "(assert {a})",
        "1:9 unexpected character `{` (U+007B) [this character may stand only in strings, in |…| and in comments]",
    ),
    ("(assert a,b)", "1:9 unknown symbol `a` [declare it before it is used]"),
    (
        "(assert [1])",
        "1:9 unexpected character `[` (U+005B) [this character may stand only in strings, in |…| and in comments]",
    ),
    (r#"(assert |a\b|)"#, "1:11 a symbol in bars may not contain a backslash or NUL"),
    ("(push -1)", "1:7 expected a numeral as a number of levels, got `-1`"),
    ("(push a)", "1:7 expected a numeral as a number of levels, got `a`"),
    ("(push 99999999)", "1:7 99999999 as a number of levels is above the limit of 65536"),
    ("(pop)", "1:1 `pop` without a matching `push`"),
    ("(push 1) (pop 2)", "1:10 `pop` without a matching `push`"),
    ("(push 1 1)", "1:9 expected `)` at the end of `push`, got `1`"),
    ("(set-logic)", "1:11 expected a symbol as the logic, got `)`"),
    ("(set-logic 5)", "1:12 expected a symbol as the logic, got `5`"),
    ("(set-logic QF_LIA QF_LRA)", "1:19 expected `)` at the end of `set-logic`, got `QF_LRA`"),
    ("(set-option produce-models true)", "1:13 expected a keyword `:…`, got `produce-models`"),
    ("(set-option)", "1:12 expected a keyword `:…`, got `)`"),
    ("(set-info :a b c)", "1:16 expected `)` at the end of `set-info`, got `c`"),
    (
        "(set-info :status sat",
        "1:22 expected `)` at the end of `set-info`, got the end of the text [the command that begins on line 1 is not closed]",
    ),
    ("(get-info)", "1:10 expected a keyword `:…`, got `)`"),
    ("(get-info name)", "1:11 expected a keyword `:…`, got `name`"),
    ("(get-value x)", "1:12 expected `(` before the terms, got `x`"),
    ("(get-value (x))", "1:13 unknown symbol `x` [declare it before it is used]"),
    ("(get-value)", "1:11 expected `(` before the terms, got `)`"),
    ("(check-sat-assuming true)", "1:21 expected `(` before the terms, got `true`"),
    ("(check-sat-assuming (1))", "1:22 expected a formula (Bool), got Int"),
    ("(echo hello)", "1:7 expected a string to echo, got `hello`"),
    ("(echo)", "1:6 expected a string to echo, got `)`"),
    ("(assert-soft 1)", "1:14 expected a formula (Bool), got Int"),
    ("(assert-soft true :weight)", "1:19 `:weight` needs a value"),
    ("(assert-soft true weight 5)", "1:19 expected `)` at the end of `assert-soft`, got `weight`"),
    (r#"(minimize "a")"#, "1:11 expected an objective (Int, Real or a bit-vector), got String"),
    ("(minimize)", "1:10 expected a term, got `)`"),
    ("(maximize true)", "1:11 expected an objective (Int, Real or a bit-vector), got Bool"),
    ("(exit 0)", "1:7 expected `)` at the end of `exit`, got `0`"),
    ("(get-assignment 1)", "1:17 expected `)` at the end of `get-assignment`, got `1`"),
    ("(assert (= ((_ char 1000000) 1) 1))", "1:12 `(_ char 1000000)` takes no arguments, got 1"),
    (
        r#"(assert (= (_ char #x30000) "a"))"#,
        "1:12 `(_ char 196608)` requires a code point up to #x2FFFF",
    ),
    (
        "(assert (fp.eq (fp #b0 #b11 #b1) (fp #b0 #b1 #b1)))",
        "1:34 `fp` requires an exponent of 2 to 60 bits and a significand of 2 to 65536",
    ),
    (
        "(declare-const f Float32) (assert (fp.eq (fp.add f f) f))",
        "1:42 `fp.add` takes 3 arguments, got 2",
    ),
    (
        "(declare-const f Float32) (declare-const g Float64) (assert (fp.eq f g))",
        "1:61 argument 2 of `fp.eq`: expected (_ FloatingPoint 8 24), got (_ FloatingPoint 11 53)",
    ),
    (
        "(declare-const x Bool) (assert (= (mod x 2) 1))",
        "1:35 argument 1 of `mod`: expected Int, got Bool",
    ),
    (
        "(declare-const s String) (assert (= (str.len s) s))",
        "1:34 argument 2 of `=`: expected Int, got String",
    ),
    (
        "(declare-const a (Array Int Bool)) (assert (= (store a true 1) a))",
        "1:47 argument 2 of `store`: expected Int, got Bool",
    ),
    (
        "(declare-const a (Array Int Bool)) (assert (select a))",
        "1:44 `select` takes 2 arguments, got 1",
    ),
    (
        "(declare-const x Int)(declare-const y Int) (assert (> x y 1 true))",
        "1:52 argument 4 of `>`: expected Int, got Bool",
    ),
    (
        r#"(declare-fun f (Int) Bool)(declare-fun f (Bool) Bool)(assert (f "a"))"#,
        "1:62 no function `f` takes (String)",
    ),
    (
        "(declare-datatype A ((n)))(declare-datatype B ((n)))(assert (= n n))",
        "1:64 several functions `n` take these arguments [say which one is meant: (as n sort)]",
    ),
];

#[test]
fn every_mistake_is_named_with_its_place() {
    let mut wrong = Vec::new();
    for (text, expected) in REFUSED {
        let got = summary(&refusal(text.as_bytes()));
        if got != *expected {
            wrong.push(format!("{text}\n  expected {expected}\n  got      {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn messages_have_one_style() {
    for (text, _) in REFUSED {
        let error = refusal(text.as_bytes());
        let first = error.message.chars().next().expect("a message");
        assert!(!first.is_uppercase() && !error.message.ends_with('.'), "{error}");
        let hint = error.hint.unwrap_or_default();
        assert!(!hint.starts_with(char::is_uppercase) && !hint.ends_with('.'), "{hint}");
        assert!(!error.message.contains("  ") && !error.message.contains('\n'));
    }
}

#[test]
fn an_error_shows_its_line_and_a_caret() {
    let text =
        "(set-logic QF_BV)\n(declare-const x (_ BitVec 8))\n\n  (assert (= x\t1))\n(check-sat)\n";
    let error = refusal(text.as_bytes());
    assert_eq!(
        error.to_string(),
        "line 4, column 11: argument 2 of `=`: expected (_ BitVec 8), got Int
  |
4 |   (assert (= x 1))
  |           ^"
    );
    let error = refusal(b"(assert\r\n  (foo))\r\n");
    assert_eq!(
        error.to_string(),
        "line 2, column 4: unknown symbol `foo`
  |
2 |   (foo))
  |    ^
  = hint: declare it before it is used"
    );
    // Columns are characters, not bytes.
    let error = refusal("(echo \"äöü\") (assert é)".as_bytes());
    assert_eq!((error.line, error.column), (1, 22));
    // Of a long line only the part around the place is shown.
    let long = format!("(assert (and {} 5 {}))", "true ".repeat(10_000), "false ".repeat(10_000));
    let error = refusal(long.as_bytes());
    assert_eq!((error.line, error.column), (1, 9));
    assert!(error.to_string().len() < 400, "{error}");
    let error = refusal(format!("(assert (or {} x))", "true ".repeat(10_000)).as_bytes());
    assert_eq!(error.column, 50_014);
    assert!(error.excerpt().len() < 200 && error.excerpt().ends_with("true  x))"), "{error}");
    // Past the end of the text, and on an empty line.
    let error = refusal(b"(assert true\n\n\n");
    assert_eq!((error.line, error.column), (4, 1));
    assert_eq!(error.hint.as_deref(), Some("the command that begins on line 1 is not closed"));
}

#[test]
fn bytes_outside_of_strings_bars_and_comments_are_refused() {
    for (bytes, expected) in [
        (&b"\xc3"[..], "1:1 unexpected byte 0xc3"),
        (b"(assert \xf8)", "1:9 unexpected byte 0xf8"),
        (b"; \xe9\xe9\n(assert \xf8)", "2:9 unexpected byte 0xf8"),
    ] {
        let got = summary(&refusal(bytes));
        assert!(got.starts_with(expected), "{got}");
        assert!(got.contains("[outside strings"), "{got}");
    }
    assert_eq!(
        summary(&refusal(b"(assert \0)")),
        "1:9 unexpected control character U+0000 [this character may stand only in strings, in |\u{2026}| and in comments]"
    );
    assert_eq!(
        summary(&refusal(b"(assert |a\0b|)")),
        "1:11 a symbol in bars may not contain a backslash or NUL"
    );
    assert!(summary(&refusal("\u{feff}(check-sat)".as_bytes())).contains("U+FEFF"));
    assert!(summary(&refusal("(assert\u{a0}true)".as_bytes())).contains("U+00A0"));
    assert_eq!(
        summary(&refusal("(assert (= \"a\u{10ffff}\" \"\"))".as_bytes())),
        "1:12 U+10FFFF is above U+2FFFF, the last character"
    );
    // In strings and comments anything else goes.
    round_trip("(echo \"\0\u{1}\u{feff}\")(assert (= \"\0\" \"é\u{2ffff}\")); \0 é");
}

#[test]
fn symbols_and_numbers_have_limits() {
    let error = refusal(format!("(declare-const {} Int)", "a".repeat(100_000_000)).as_bytes());
    assert_eq!(
        summary(&error),
        "1:16 a symbol of 100000000 bytes is longer than the limit of 65536"
    );
    let error = refusal(format!("(declare-const |{}| Int)", "é".repeat(100_000)).as_bytes());
    assert!(error.message.contains("longer than the limit"), "{error}");
    let error = refusal(format!("(set-info :{} 1)", "a".repeat(100_000)).as_bytes());
    assert!(error.message.contains("longer than the limit"), "{error}");
    for literal in [
        "1".repeat(100_001),
        format!("0.{}", "1".repeat(100_001)),
        format!("#x{}", "f".repeat(262_145)),
        format!("#b{}", "1".repeat(1_048_577)),
        format!("(_ bv{} 1048576)", "1".repeat(400_000)),
        format!("-{}", "1".repeat(70_000)),
    ] {
        let error = refusal(format!("(assert (= {literal} {literal}))").as_bytes());
        assert!(error.message.contains("lo"), "{error}");
        assert!(error.to_string().len() < 400, "{error}");
    }
    for literal in [
        "9".repeat(60_000),
        format!("0.{}", "1".repeat(5_000)),
        format!("#x{}", "f".repeat(262_144)),
        format!("#b{}", "1".repeat(1_048_576)),
    ] {
        round_trip(&format!("(assert (= {literal} {literal}))"));
    }
    let error =
        refusal(b"(declare-const x (Array Int Int))(assert (= x ((_ zero_extend 1048576) #b1)))");
    assert!(error.message.contains("1048576 bits"), "{error}");
    let error = refusal(b"(assert (= ((_ repeat 18446744073709551615) #xff) #b1))");
    assert!(error.message.contains("bits"), "{error}");
}

/// A script with a bit of everything.
const RICH: &str = "; first\n(set-logic ALL)(set-info :source |a \"b\" ;|)\n\
(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (head T) (tail (L T)))))))\n\
(declare-sort U 0)(define-sort V () (Array U (_ BitVec 8)))\n\
(declare-fun f (U Int) Bool)(declare-const |x y| (L Int))(declare-const u U)\n\
(define-fun-rec g ((n Int)) Real (ite (<= n 0) 1.5 (+ 1 (g (- n 1)))))\n\
(assert (! (forall ((i Int) (j U)) (! (=> (f j i) (exists ((i Bool)) i)) :pattern ((f j i)))) :named a1))\n\
(assert (let ((a #xff) (b (as nil (L Int)))) (match b ((nil (= a #b11111111)) ((cons h _) (> h 0))))))\n\
(assert (str.in_re \"q\"\"\\u{41}\" ((_ re.loop 1 2) (re.range \"a\" \"z\"))))\n\
(assert ((_ is cons) |x y|))(push 1)(assert-soft a1 :weight 2 :id g1)(minimize 3)\n\
(check-sat-assuming (a1 (not a1)))(pop 1)(get-value (|x y| (+ 1 -2)))(echo \"bye\")(exit)\n";

#[test]
fn every_prefix_is_a_script_or_an_error() {
    round_trip(RICH);
    let mut accepted = 0;
    for end in 0..=RICH.len() {
        let mut store = Store::new();
        match read_script(&mut store, &RICH.as_bytes()[..end], Lets::Keep) {
            Ok((script, _)) => {
                accepted += 1;
                assert_eq!(script.commands.len(), script.offsets.len());
            }
            Err(error) => {
                let lines = RICH[..end].bytes().filter(|&b| b == b'\n').count() + 1;
                assert!((1..=lines).contains(&error.line), "{error}");
                assert!(error.column <= RICH.len() + 1);
                assert!(!error.to_string().is_empty());
            }
        }
    }
    // One prefix for each way to stop between commands; a comment may stop anywhere.
    assert!((20..60).contains(&accepted), "{accepted}");
}

#[test]
fn deleting_doubling_or_changing_a_byte_never_panics() {
    for at in 0..RICH.len() {
        let mut shorter = RICH.as_bytes().to_vec();
        shorter.remove(at);
        let mut longer = RICH.as_bytes().to_vec();
        longer.insert(at, RICH.as_bytes()[at]);
        for other in [b'(', b')', b'"', b'|', b' ', b'0', b':', 0xff] {
            let mut changed = RICH.as_bytes().to_vec();
            changed[at] = other;
            let _ =
                read_script(&mut Store::new(), &changed, Lets::Expand).map_err(|e| e.to_string());
        }
        for text in [shorter, longer] {
            let _ = read_script(&mut Store::new(), &text, Lets::Keep).map_err(|e| e.to_string());
        }
    }
}

#[test]
fn quotes_after_backslashes_have_a_hint() {
    let hint = |text: &str| {
        let read = read_script(&mut Store::new(), text.as_bytes(), Lets::Keep);
        read.map(|_| ()).expect_err(text).hint
    };
    let strings =
        ["(assert (= \"\\\"\" s))", "(echo \"\\\" a)", "(set-info :source \"\\\"a\\\"\")"];
    for text in strings {
        assert!(hint(text).is_some_and(|hint| hint.contains("SMT-LIB 2.0")), "{text}");
    }
    assert_eq!(hint("(assert (= \"\\\" 1))"), hint("(assert (= \"\\\" 2))"));
    assert_eq!(hint("(set-info :source \"a\" b)"), None);
}
