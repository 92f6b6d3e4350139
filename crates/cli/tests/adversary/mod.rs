//! Inputs that are short, valid, and much larger than they look: shared parts, deep nesting, long
//! chains. Whoever walks over them as trees does not come back.

use std::fmt::Write;

/// How large inputs are where their size matters.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Levels of nesting.
    pub depth: usize,
    /// Arguments, declarations, links of a chain.
    pub width: usize,
}

impl Scale {
    /// Enough to overflow a stack that recursion would need, in a test that is over soon.
    pub const SMALL: Scale = Scale { depth: 1_000, width: 3_000 };
    /// What an attacker would write.
    pub const LARGE: Scale = Scale { depth: 10_000, width: 100_000 };
}

/// Levels of sharing: written out, two to this power.
const LEVELS: usize = 60;

/// A file and what it is called.
pub struct Input {
    pub name: String,
    pub text: String,
}

/// All of them.
pub fn inputs(scale: Scale) -> Vec<Input> {
    let mut all = Vec::new();
    definitions(&mut all);
    lets(&mut all);
    binders(&mut all);
    nested(&mut all, scale.depth);
    wide(&mut all, scale.width);
    large(&mut all, scale);
    functions(&mut all, scale);
    all
}

/// Adds a file with declarations and assertions; every file says that it is satisfiable, so that
/// mutations have a truth to start from.
fn add(all: &mut Vec<Input>, name: impl Into<String>, body: &str) {
    let text = format!("(set-info :status sat)\n(set-logic ALL)\n{body}\n(check-sat)\n");
    all.push(Input { name: name.into(), text });
}

/// Functions that each use the last one twice, called in a way of the caller's.
fn chain(sort: &str, params: &[&str], base: &str, body: impl Fn(&str) -> String) -> String {
    let list: Vec<String> = params.iter().map(|name| format!("({name} {sort})")).collect();
    let list = list.join(" ");
    let mut text = format!("(define-fun f0 ({list}) {sort} {base})\n");
    for at in 1..LEVELS {
        let body = body(&format!("f{}", at - 1));
        let _ = writeln!(text, "(define-fun f{at} ({list}) {sort} {body})");
    }
    text
}

fn definitions(all: &mut Vec<Input>) {
    let last = LEVELS - 1;
    let a = "(declare-const a Int)(declare-fun p (Int) Bool)\n";
    let uses = format!("(assert (= (f{last} a) 7))(assert (forall ((z Int)) (p (f{last} z))))");
    let same = chain("Int", &["x"], "x", |f| format!("(+ ({f} x) ({f} x))"));
    add(all, "defined-same", &format!("{a}{same}{uses}"));
    let nested = chain("Int", &["x"], "(+ x 1)", |f| format!("({f} ({f} x))"));
    add(all, "defined-nested", &format!("{a}{nested}{uses}"));
    let other = chain("Int", &["x"], "x", |f| format!("(+ ({f} (+ x 1)) ({f} (* 2 x)))"));
    add(all, "defined-other", &format!("{a}{other}{uses}"));
    let bits = chain("(_ BitVec 32)", &["x"], "x", |f| {
        format!("(bvadd ({f} (bvnot x)) ({f} (bvmul x x)))")
    });
    let word = "(declare-const a (_ BitVec 32))\n";
    add(all, "defined-bits", &format!("{word}{bits}(assert (= (f{last} a) #x00000001))"));
    let rotated = chain("Bool", &["x", "y", "z"], "x", |f| format!("(or ({f} x y z) ({f} y z x))"));
    let three = "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)\n";
    let use_three =
        format!("(assert (f{last} a b c))(assert (forall ((v Bool)) (f{last} v v true)))");
    add(all, "defined-three", &format!("{three}{rotated}{use_three}"));
    let constant = chain("Int", &[], "a", |f| format!("(+ {f} {f})"));
    add(all, "defined-constant", &format!("{a}{constant}(assert (= f{last} 7))"));
    let quantified = chain("Bool", &["x"], "x", |f| {
        format!("(forall ((y Bool)) (or ({f} (and x y)) ({f} (not y))))")
    });
    let b = "(declare-const a Bool)\n";
    add(all, "defined-quantified", &format!("{b}{quantified}(assert (not (f{last} a)))"));
    let recursive = "(declare-const a Int)
        (define-fun-rec fib ((n Int)) Int (ite (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
        (define-fun-rec loop ((n Int)) Int (+ (loop (+ n 1)) (loop n)))
        (assert (= (fib a) (loop 3)))(assert (> (fib 90) 0))";
    add(all, "defined-recursive", recursive);
}

/// A variable bound to a term over the last one, again and again, and a body over the last.
fn let_chain(first: &str, next: impl Fn(&str) -> String, body: impl Fn(&str) -> String) -> String {
    let mut text = format!("(let ((y0 {first})) ");
    for at in 1..LEVELS {
        let _ = write!(text, "(let ((y{at} {})) ", next(&format!("y{}", at - 1)));
    }
    text + &body(&format!("y{}", LEVELS - 1)) + &")".repeat(LEVELS)
}

fn lets(all: &mut Vec<Input>) {
    for (name, sort, op, value) in [
        ("sum", "Int", "+", "7"),
        ("bits", "(_ BitVec 32)", "bvadd", "#x0000000e"),
        ("text", "String", "str.++", "\"ab\""),
    ] {
        let chain = let_chain("a", |y| format!("({op} {y} {y})"), |y| format!("(= {y} {value})"));
        add(all, format!("let-{name}"), &format!("(declare-const a {sort})(assert {chain})"));
    }
    let formulas = "(declare-const a Bool)(declare-const b Bool)";
    for (name, next) in [
        ("and", "(and Y Y)"),
        ("xor", "(xor Y Y)"),
        ("equal", "(= Y Y)"),
        ("implies", "(=> (not Y) Y)"),
        ("ite", "(ite Y (or b Y) (not Y))"),
    ] {
        let chain = let_chain("a", |y| next.replace('Y', y), str::to_owned);
        add(all, format!("let-{name}"), &format!("{formulas}(assert (or a {chain}))"));
    }
}

/// Sharing across binders, and in patterns.
fn binders(all: &mut Vec<Input>) {
    let functions =
        "(declare-fun f (Int) Int)(declare-fun g (Int Int) Int)(declare-fun p (Int) Bool)";
    let below = let_chain("(f x)", |y| format!("(g {y} {y})"), |y| format!("(= (f x) {y})"));
    add(all, "binder-over", &format!("{functions}(assert (forall ((x Int)) {below}))"));
    let around = let_chain(
        "(forall ((x Int)) (p x))",
        |y| format!("(= {y} (forall ((x Int)) (or (p x) {y})))"),
        str::to_owned,
    );
    add(all, "binder-under", &format!("{functions}(assert {around})"));
    let pattern = let_chain(
        "(f x)",
        |y| format!("(g {y} {y})"),
        |y| format!("(forall ((z Int)) (! (= (f z) {y}) :pattern ((g z {y}))))"),
    );
    add(all, "pattern", &format!("{functions}(declare-const x Int)(assert {pattern})"));
    let many: String = (0..100).map(|at| format!("(x{at} Int)")).collect();
    let sum: String = (0..100).map(|at| format!(" x{at}")).collect();
    let wide = let_chain(&format!("(+{sum})"), |y| format!("(g {y} {y})"), |y| format!("(p {y})"));
    add(all, "binder-wide", &format!("{functions}(assert (forall ({many}) {wide}))"));
    let deep: String = (0..400).map(|at| format!("(forall ((x{at} Int)) (or (p x{at}) ")).collect();
    let inner = let_chain("(f x399)", |y| format!("(g {y} {y})"), |y| format!("(p {y})"));
    let closed = format!("{deep}{inner}{}", "))".repeat(400));
    add(all, "binder-deep", &format!("{functions}(assert {closed})"));
}

/// Terms that nest.
fn nested(all: &mut Vec<Input>, depth: usize) {
    let formulas = "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)";
    let numbers = "(declare-const a Int)(declare-fun f (Int) Int)(declare-const m (Array Int Int))";
    let words = "(declare-const a String)";
    for (name, declared, open, inner, close) in [
        ("not", formulas, "(not ", "a", ")"),
        ("and", formulas, "(and b ", "a", ")"),
        ("and-or", formulas, "(and b (or c ", "a", "))"),
        ("implies", formulas, "(=> b ", "a", ")"),
        ("equal", formulas, "(= b ", "a", ")"),
        ("ite", formulas, "(ite b c ", "a", ")"),
        ("annotated", formulas, "(! ", "a", " :note x)"),
        ("let", "(declare-const y Bool)", "(let ((y (not y))) ", "y", ")"),
        ("forall", "(declare-fun p (Int) Bool)", "(forall ((x Int)) ", "(p x)", ")"),
        (
            "alternating",
            "(declare-fun p (Int Int) Bool)",
            "(forall ((x Int)) (exists ((y Int)) (or (p x y) ",
            "(p 0 0)",
            ")))",
        ),
    ] {
        let term = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        add(all, format!("deep-{name}"), &format!("{declared}(assert {term})"));
    }
    for (name, declared, open, inner, close, value) in [
        ("plus", numbers, "(+ 1 ", "a", ")", "0"),
        ("function", numbers, "(f ", "a", ")", "0"),
        ("select", numbers, "(select (store m 1 ", "a", ") 1)", "0"),
        ("store", numbers, "(store ", "m", " 1 2)", "m"),
        ("text", words, "(str.++ \"a\" ", "a", ")", "\"\""),
    ] {
        let term = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        add(all, format!("deep-{name}"), &format!("{declared}(assert (= {value} {term}))"));
    }
    let list = "(declare-datatype L ((nil) (cons (hd Int) (tl L))))(declare-const a L)";
    let value = format!("{}nil{}", "(cons 1 ".repeat(depth), ")".repeat(depth));
    add(all, "deep-list", &format!("{list}(assert (= a {value}))"));
    let cases = depth / 5;
    let open = "(match a ((nil 1) ((cons h t) ".repeat(cases);
    add(all, "deep-match", &format!("{list}(assert (= 0 {open}h{}))", ")))".repeat(cases)));
    let open = "(re.comp (re.++ re.all ".repeat(depth / 20);
    let language = format!("{open}(str.to_re \"a\"){}", "))".repeat(depth / 20));
    add(all, "deep-language", &format!("{words}(assert (str.in_re a {language}))"));
    let sort = format!("{}Int{}", "(Array Int ".repeat(depth), ")".repeat(depth));
    add(all, "deep-sort", &format!("(declare-const a {sort})(assert (= a a))"));
    let levels: String = (0..depth).map(|at| format!("(push 1)(assert (> a {at}))")).collect();
    add(
        all,
        "deep-push",
        &format!("(declare-const a Int){levels}(check-sat)(pop {depth})(assert true)"),
    );
}

/// Terms with many arguments, files with many commands.
fn wide(all: &mut Vec<Input>, width: usize) {
    let declared = |sort: &str| -> String {
        (0..width).map(|at| format!("(declare-const a{at} {sort})\n")).collect()
    };
    let names: String = (0..width).map(|at| format!(" a{at}")).collect();
    for op in ["and", "or", "xor", "=>", "=", "distinct"] {
        let body = format!("{}(assert (or ({op}{names}) true))", declared("Bool"));
        add(all, format!("wide-{op}").replace("=>", "implies").replace('=', "equal"), &body);
    }
    for (name, term) in
        [("plus", format!("(= 0 (+{names}))")), ("differ", format!("(distinct{names})"))]
    {
        add(all, format!("wide-{name}"), &format!("{}(assert {term})", declared("Int")));
    }
    let links: String = (1..width).map(|at| format!("(assert (= a{} a{at}))\n", at - 1)).collect();
    add(all, "chain", &format!("{}{links}", declared("Int")));
    let vars: String = (0..width).map(|at| format!("(x{at} Int)")).collect();
    let uses: String = (1..width).map(|at| format!("(f x{} x{at})", at - 1)).collect();
    let f = "(declare-fun f (Int Int) Bool)";
    add(all, "wide-forall", &format!("{f}(assert (forall ({vars}) (and true {uses})))"));
    let values: String = (0..width).map(|at| format!("(x{at} (+ a {at}))")).collect();
    let uses: String = (1..width).map(|at| format!("(< x{} x{at})", at - 1)).collect();
    let a = "(declare-const a Int)";
    add(all, "wide-let", &format!("{a}(assert (let ({values}) (and true {uses})))"));
    let sorts: String = (0..width).map(|at| format!("(declare-sort S{at} 0)\n")).collect();
    add(all, "many-sorts", &format!("{sorts}{a}(assert (= a 1))"));
}

/// Large literals, and sorts whose parts are shared.
fn large(all: &mut Vec<Input>, Scale { depth, width }: Scale) {
    let text = "ab".repeat(5 * width);
    add(
        all,
        "large-text",
        &format!("(declare-const a String)(assert (= a (str.++ a \"{text}\")))"),
    );
    let (digits, places) = ("9".repeat(width), "7".repeat(width));
    let numbers = "(declare-const a Int)(declare-const r Real)";
    add(all, "large-number", &format!("{numbers}(assert (= a {digits}))(assert (= r 1.{places}))"));
    let bits = "10".repeat(5 * width);
    let vector = format!("(declare-const a (_ BitVec {}))", 10 * width);
    add(all, "large-vector", &format!("{vector}(assert (= (bvmul a a) (bvudiv a #b{bits})))"));
    let mut levels = String::from("(declare-datatype D0 ((c0)))\n");
    for at in 1..LEVELS {
        let below = at - 1;
        let _ = writeln!(
            levels,
            "(declare-datatype D{at} ((c{at} (s{at} D{below}) (t{at} D{below}))))"
        );
    }
    let last = LEVELS - 1;
    add(all, "shared-data", &format!("{levels}(declare-const a D{last})(assert (= a a))"));
    let mut sorts = String::from("(define-sort S0 (T) T)\n");
    for at in 1..LEVELS {
        let _ = writeln!(sorts, "(define-sort S{at} (T) (Array (S{} T) (S{} T)))", at - 1, at - 1);
    }
    add(all, "shared-sort", &format!("{sorts}(declare-const a (S{last} Int))(assert (= a a))"));
    let ring: String =
        (0..depth).map(|at| format!("((n{at}) (k{at} (h{at} T{})))", (at + 1) % depth)).collect();
    let names: String = (0..depth).map(|at| format!("(T{at} 0)")).collect();
    let group = format!("(declare-datatypes ({names}) ({ring}))");
    add(all, "large-group", &format!("{group}(declare-const a T0)(assert (not (= a n0)))"));
}

/// Functions as values, folds, and values without end.
fn functions(all: &mut Vec<Input>, Scale { depth, width }: Scale) {
    let function = "(declare-const h (-> Int Int))(declare-const a Int)";
    let twice = let_chain(
        "h",
        |y| format!("(lambda ((x Int)) ({y} ({y} x)))"),
        |y| format!("(= 0 ({y} a))"),
    );
    add(all, "function-twice", &format!("{function}(assert {twice})"));
    let nested = format!("{}a{}", "(@ h ".repeat(depth), ")".repeat(depth));
    add(all, "function-nested", &format!("{function}(assert (= 0 {nested}))"));
    let units: String = (0..width).map(|at| format!(" (seq.unit {at})")).collect();
    let step = "(lambda ((x Int) (y Int)) (+ (* 2 x) y))";
    let fold = format!("(seq.foldl {step} a (seq.++{units}))");
    add(all, "function-fold", &format!("{function}(assert (= 0 {fold}))"));
    let elements = "(set.insert 1 2 3 4 5 6 7 8 9 (set.singleton 10))";
    let nested = (0..6).fold("a".to_owned(), |inner, at| {
        format!("(set.fold (lambda ((x{at} Int) (y{at} Int)) (+ x{at} {inner})) 0 {elements})")
    });
    add(all, "function-fold-nested", &format!("{function}(assert (= 0 {nested}))"));
    let stream = "(declare-codatatype S ((cons (hd Int) (tl S))))(declare-const s S)";
    let term = format!("{}s{}", "(tl (cons 1 ".repeat(depth / 2), "))".repeat(depth / 2));
    add(all, "codata", &format!("{stream}(assert (= s {term}))"));
}
