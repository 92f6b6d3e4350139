//! Binders that shadow each other all the time: whatever is expanded, shared or printed, a formula
//! keeps its meaning. The meaning is worked out here a second time, by a naive evaluator.

mod support;

use assay_smtlib::{Layout, Lets, Printer, Sharing, read_script};
use assay_term::{Evaluator, Store, Value};
use std::fmt::Write;
use support::head;

/// Sorts: truth values, and bit-vectors of one and two bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum S {
    Bool,
    B1,
    B2,
    /// `none` or `some` truth value.
    Maybe,
}

impl S {
    const ALL: [S; 4] = [S::Bool, S::B1, S::B2, S::Maybe];

    fn text(self) -> &'static str {
        match self {
            S::Bool => "Bool",
            S::B1 => "(_ BitVec 1)",
            S::B2 => "(_ BitVec 2)",
            S::Maybe => "Maybe",
        }
    }

    /// Values are numbers: of `Maybe`, 0 is `none`, 1 is `(some false)`, 2 is `(some true)`.
    fn size(self) -> u8 {
        match self {
            S::Bool | S::B1 => 2,
            S::B2 => 4,
            S::Maybe => 3,
        }
    }

    fn literal(self, value: u8) -> &'static str {
        match self {
            S::Bool => ["false", "true"][usize::from(value)],
            S::B1 => ["#b0", "#b1"][usize::from(value)],
            S::B2 => ["#b00", "#b01", "#b10", "#b11"][usize::from(value)],
            S::Maybe => ["none", "(some false)", "(some true)"][usize::from(value)],
        }
    }
}

/// Few names, so that they hide each other.
const NAMES: [&str; 4] = ["a", "b", "c", "f"];

#[derive(Clone, Debug)]
enum T {
    Name(&'static str),
    Literal(S, u8),
    Not(Box<T>),
    And(Vec<T>),
    Xor(Box<T>, Box<T>),
    Eq(Box<T>, Box<T>),
    Ite(Box<T>, Box<T>, Box<T>),
    BvNot(S, Box<T>),
    Some(Box<T>),
    Let(Vec<(&'static str, T)>, Box<T>),
    Quant(bool, Vec<(&'static str, S)>, Box<T>),
    /// `(select (lambda ((x S)) body) index)`.
    Lambda(&'static str, S, Box<T>, Box<T>),
    /// `(match t ((none t) ((some x) t)))` or, with a name for all, `(match t ((x t)))`.
    Match(Box<T>, Box<T>, &'static str, Box<T>),
    MatchAll(Box<T>, &'static str, Box<T>),
    Annotated(Box<T>),
    /// The function `g` of the script.
    Call(Box<T>, Box<T>),
}

type Scope = Vec<(&'static str, S)>;

fn sort_of(scope: &Scope, name: &str) -> Option<S> {
    scope.iter().rev().find(|(n, _)| *n == name).map(|(_, s)| *s)
}

/// A small generator of pseudo-random numbers: the formulas are the same each time.
struct Rng(u64);

impl Rng {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }
}

/// A term made before, the sort it has, and the names it needs.
struct Old {
    term: T,
    sort: S,
    needs: Vec<(&'static str, S)>,
}

struct Maker {
    rng: Rng,
    old: Vec<Old>,
}

impl Maker {
    fn sort(&mut self) -> S {
        S::ALL[self.rng.next(4)]
    }

    fn name(&mut self) -> &'static str {
        NAMES[self.rng.next(NAMES.len())]
    }

    fn atom(&mut self, scope: &Scope, sort: S) -> T {
        let named: Vec<_> =
            NAMES.iter().filter(|name| sort_of(scope, name) == Some(sort)).collect();
        if named.is_empty() || self.rng.next(5) == 0 {
            return T::Literal(sort, self.rng.next(usize::from(sort.size())) as u8);
        }
        T::Name(named[self.rng.next(named.len())])
    }

    fn term(&mut self, scope: &Scope, sort: S, depth: usize) -> T {
        if depth == 0 {
            return self.atom(scope, sort);
        }
        // The same text in another place may mean something else, or the same.
        if self.rng.next(4) == 0 {
            let fits = |old: &&Old| {
                old.sort == sort && old.needs.iter().all(|(n, s)| sort_of(scope, n) == Some(*s))
            };
            let fitting: Vec<&Old> = self.old.iter().filter(fits).collect();
            if !fitting.is_empty() {
                let chosen = self.rng.next(fitting.len());
                return fitting[chosen].term.clone();
            }
        }
        let term = self.new_term(scope, sort, depth - 1);
        let needs = NAMES.iter().filter_map(|n| Some((*n, sort_of(scope, n)?))).collect();
        self.old.push(Old { term: term.clone(), sort, needs });
        term
    }

    fn boxed(&mut self, scope: &Scope, sort: S, depth: usize) -> Box<T> {
        Box::new(self.term(scope, sort, depth))
    }

    fn under(&mut self, scope: &Scope, names: &[(&'static str, S)], sort: S, depth: usize) -> T {
        let mut inner = scope.clone();
        inner.extend_from_slice(names);
        self.term(&inner, sort, depth)
    }

    fn new_term(&mut self, scope: &Scope, sort: S, depth: usize) -> T {
        match self.rng.next(12) {
            0 | 1 => {
                let mut names: Vec<(&'static str, S)> = Vec::new();
                for _ in 0..=self.rng.next(2) {
                    let (name, sort) = (self.name(), self.sort());
                    if !names.iter().any(|(n, _)| *n == name) {
                        names.push((name, sort));
                    }
                }
                let values: Vec<_> =
                    names.iter().map(|&(n, s)| (n, self.term(scope, s, depth))).collect();
                T::Let(values, Box::new(self.under(scope, &names, sort, depth)))
            }
            2 => {
                let (name, index) = (self.name(), self.sort());
                let body = self.under(scope, &[(name, index)], sort, depth);
                T::Lambda(name, index, Box::new(body), self.boxed(scope, index, depth))
            }
            3 => {
                let scrutinee = self.boxed(scope, S::Maybe, depth);
                let none = self.boxed(scope, sort, depth);
                let name = self.name();
                let some = self.under(scope, &[(name, S::Bool)], sort, depth);
                T::Match(scrutinee, none, name, Box::new(some))
            }
            4 => {
                let scrutinee = self.boxed(scope, S::Maybe, depth);
                let name = self.name();
                let body = self.under(scope, &[(name, S::Maybe)], sort, depth);
                T::MatchAll(scrutinee, name, Box::new(body))
            }
            5 => {
                let condition = self.boxed(scope, S::Bool, depth);
                T::Ite(condition, self.boxed(scope, sort, depth), self.boxed(scope, sort, depth))
            }
            6 => T::Annotated(self.boxed(scope, sort, depth)),
            _ => self.special(scope, sort, depth),
        }
    }

    fn special(&mut self, scope: &Scope, sort: S, depth: usize) -> T {
        match sort {
            S::B1 | S::B2 => T::BvNot(sort, self.boxed(scope, sort, depth)),
            S::Maybe => T::Some(self.boxed(scope, S::Bool, depth)),
            S::Bool => match self.rng.next(7) {
                0 => T::Not(self.boxed(scope, S::Bool, depth)),
                1 => T::And((0..3).map(|_| self.term(scope, S::Bool, depth)).collect()),
                2 => T::Xor(self.boxed(scope, S::Bool, depth), self.boxed(scope, S::Bool, depth)),
                3 => {
                    let sort = self.sort();
                    T::Eq(self.boxed(scope, sort, depth), self.boxed(scope, sort, depth))
                }
                4 => T::Call(self.boxed(scope, S::Bool, depth), self.boxed(scope, S::B2, depth)),
                _ => {
                    let mut vars: Vec<(&'static str, S)> = vec![(self.name(), self.sort())];
                    let second = self.name();
                    if second != vars[0].0 && self.rng.next(2) == 0 {
                        vars.push((second, self.sort()));
                    }
                    let body = self.under(scope, &vars, S::Bool, depth);
                    T::Quant(self.rng.next(2) == 0, vars, Box::new(body))
                }
            },
        }
    }
}

type Env = Vec<(&'static str, u8)>;

fn with(env: &Env, more: &[(&'static str, u8)]) -> Env {
    let mut inner = env.clone();
    inner.extend_from_slice(more);
    inner
}

/// The meaning, by the book.
fn value(term: &T, env: &Env) -> u8 {
    let truth = |t: &T| value(t, env) == 1;
    match term {
        T::Name(name) => env.iter().rev().find(|(n, _)| n == name).expect("in scope").1,
        T::Literal(_, value) => *value,
        T::Not(t) => u8::from(!truth(t)),
        T::And(ts) => u8::from(ts.iter().all(truth)),
        T::Xor(s, t) => u8::from(truth(s) != truth(t)),
        T::Eq(s, t) => u8::from(value(s, env) == value(t, env)),
        T::Ite(c, s, t) => value(if truth(c) { s } else { t }, env),
        T::BvNot(sort, t) => sort.size() - 1 - value(t, env),
        T::Some(t) => value(t, env) + 1,
        T::Let(bindings, body) => {
            let values: Vec<_> = bindings.iter().map(|(n, t)| (*n, value(t, env))).collect();
            value(body, &with(env, &values))
        }
        T::Quant(forall, vars, body) => {
            let mut rows: Vec<Vec<(&'static str, u8)>> = vec![Vec::new()];
            for (name, sort) in vars {
                let longer = |row: Vec<_>| {
                    (0..sort.size()).map(move |v| [row.clone(), vec![(*name, v)]].concat())
                };
                rows = rows.into_iter().flat_map(longer).collect();
            }
            let holds = |row: &Vec<_>| value(body, &with(env, row)) == 1;
            u8::from(if *forall { rows.iter().all(holds) } else { rows.iter().any(holds) })
        }
        T::Lambda(name, _, body, index) => value(body, &with(env, &[(*name, value(index, env))])),
        T::Match(scrutinee, none, name, some) => match value(scrutinee, env) {
            0 => value(none, env),
            n => value(some, &with(env, &[(*name, n - 1)])),
        },
        T::MatchAll(scrutinee, name, body) => {
            value(body, &with(env, &[(*name, value(scrutinee, env))]))
        }
        T::Annotated(t) => value(t, env),
        T::Call(s, t) => u8::from(truth(s) != (value(t, env) == 1)),
    }
}

fn write(term: &T, out: &mut String) {
    let list = |head: &str, parts: &[&T], out: &mut String| {
        let _ = write!(out, "({head}");
        for part in parts {
            out.push(' ');
            write(part, out);
        }
        out.push(')');
    };
    match term {
        T::Name(name) => out.push_str(name),
        T::Literal(sort, value) => out.push_str(sort.literal(*value)),
        T::Not(t) => list("not", &[t], out),
        T::And(ts) => list("and", &ts.iter().collect::<Vec<_>>(), out),
        T::Xor(s, t) => list("xor", &[s, t], out),
        T::Eq(s, t) => list("=", &[s, t], out),
        T::Ite(c, s, t) => list("ite", &[c, s, t], out),
        T::BvNot(_, t) => list("bvnot", &[t], out),
        T::Some(t) => list("some", &[t], out),
        T::Call(s, t) => list("g", &[s, t], out),
        T::Let(bindings, body) => {
            out.push_str("(let (");
            for (name, value) in bindings {
                list(name, &[value], out);
            }
            out.push_str(") ");
            write(body, out);
            out.push(')');
        }
        T::Quant(forall, vars, body) => {
            let vars: Vec<String> =
                vars.iter().map(|(n, s)| format!("({n} {})", s.text())).collect();
            let word = if *forall { "forall" } else { "exists" };
            list(&format!("{word} ({})", vars.join(" ")), &[body], out);
        }
        T::Lambda(name, sort, body, index) => {
            let _ = write!(out, "(select ");
            list(&format!("lambda (({name} {}))", sort.text()), &[body], out);
            out.push(' ');
            write(index, out);
            out.push(')');
        }
        T::Match(scrutinee, none, name, some) => {
            out.push_str("(match ");
            write(scrutinee, out);
            out.push_str(" (");
            list("none", &[none], out);
            list(&format!("(some {name})"), &[some], out);
            out.push_str("))");
        }
        T::MatchAll(scrutinee, name, body) => {
            out.push_str("(match ");
            write(scrutinee, out);
            out.push_str(" (");
            list(name, &[body], out);
            out.push_str("))");
        }
        T::Annotated(t) => {
            out.push_str("(! ");
            write(t, out);
            out.push_str(" :pattern (");
            write(t, out);
            out.push_str(") :weight 1)");
        }
    }
}

/// The symbols of the script, which bound variables hide as well.
const PRELUDE: &str = "\
(declare-datatype Maybe ((none) (some (thing Bool))))
(define-fun a () Bool true)
(define-const b (_ BitVec 2) #b10)
(define-fun f () Maybe (some false))
(define-fun g ((b Bool) (a (_ BitVec 2))) Bool (xor b (= a #b01)))
";

fn globals() -> (Scope, Env) {
    (vec![("a", S::Bool), ("b", S::B2), ("f", S::Maybe)], vec![("a", 1), ("b", 2), ("f", 1)])
}

/// What the only assertion of a text comes to; the script as printed in each way is put into `all`.
fn meaning(store: &mut Store, text: &str, lets: Lets, all: Option<&mut Vec<String>>) -> Value {
    let (script, _) = match read_script(store, text.as_bytes(), lets) {
        Ok(read) => read,
        Err(error) => panic!("{error}\n{}", head(text)),
    };
    let definitions = script.definitions();
    let (term, _) = script.active_assertions()[0];
    let value = Evaluator::new(store, &definitions).eval(term);
    if let Some(all) = all {
        for (sharing, layout) in [
            (Sharing::Always, Layout::Compact),
            (Sharing::Always, Layout::Readable),
            (Sharing::Never, Layout::Compact),
            (Sharing::Auto, Layout::Compact),
        ] {
            all.push(Printer::new(store).sharing(sharing).layout(layout).script(&script));
        }
    }
    value.unwrap_or_else(|reason| panic!("{}\n{text}", reason.words(store)))
}

fn check(seed: u64, depth: usize) -> usize {
    let mut maker = Maker { rng: Rng(seed), old: Vec::new() };
    let (scope, env) = globals();
    let term = maker.term(&scope, S::Bool, depth);
    let mut text = format!("{PRELUDE}(assert ");
    write(&term, &mut text);
    text.push_str(")\n");
    let expected = Value::Bool(value(&term, &env) == 1);
    let mut store = Store::new();
    let mut printed = Vec::new();
    for lets in [Lets::Keep, Lets::Expand] {
        let value = meaning(&mut store, &text, lets, Some(&mut printed));
        assert_eq!(value, expected, "seed {seed}, {lets:?}: {text}");
    }
    for again in &printed {
        for lets in [Lets::Keep, Lets::Expand] {
            let value = meaning(&mut store, again, lets, None);
            assert_eq!(value, expected, "seed {seed}: {text}\nprinted {again}");
        }
    }
    printed.iter().filter(|text| text.contains("$1 ")).count()
}

#[test]
fn shadowing_never_changes_the_meaning() {
    let mut shared = 0;
    for seed in 0..600 {
        shared += check(seed, 4 + seed as usize % 4);
    }
    assert!(shared > 100, "sharing took place in {shared} texts only");
}

#[test]
fn known_traps() {
    for (formula, expected) in [
        ("(forall ((x Bool)) (let ((y x)) (exists ((x Bool)) (= x y))))", true),
        ("(forall ((x Bool)) (let ((y x)) (forall ((x Bool)) (= x y))))", false),
        ("(exists ((x Bool)) (let ((x (not x)) (y x)) (and x (not y))))", true),
        ("(let ((a false)) (let ((y a)) (let ((a true)) (and a (not y)))))", true),
        ("(let ((y a)) (forall ((a Bool)) (= a y)))", false),
        ("(let ((y a)) (exists ((a (_ BitVec 1))) (and y (= a #b1))))", true),
        ("(let ((y b)) (exists ((b (_ BitVec 2))) (and (= y #b10) (= b #b00))))", true),
        (
            "(match (some true) ((none false) ((some none) (match f ((none none) ((some a) (not a)))))))",
            true,
        ),
        ("(forall ((none Maybe)) (or ((_ is none) none) ((_ is some) none)))", true),
    ] {
        let text = format!("{PRELUDE}(assert {formula})");
        let mut store = Store::new();
        let mut printed = vec![text.clone()];
        for lets in [Lets::Keep, Lets::Expand] {
            meaning(&mut store, &text, lets, Some(&mut printed));
        }
        for text in printed {
            for lets in [Lets::Keep, Lets::Expand] {
                let value = meaning(&mut store, &text, lets, None);
                assert_eq!(value, Value::Bool(expected), "{lets:?} {text}");
            }
        }
    }
}
