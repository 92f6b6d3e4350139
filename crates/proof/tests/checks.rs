//! The exact check is certified by evaluation: what it refutes has no model among many assignments,
//! and instances of the usual rules are refuted.

use assay_mutate::Draw;
use assay_proof::refutes;
use assay_smtlib::{Lets, read_script, read_term_as};
use assay_term::{Budget, Evaluator, FuncId, Interpretation, Model, Store, Term, TermId, Value};
use std::collections::HashMap;

const DECLARED: &str = "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)
    (declare-const x Int)(declare-const y Int)(declare-const z Int)(declare-const u Real)
    (declare-const v Real)(declare-fun f (Int) Int)(declare-fun g (Int Int) Int)
    (declare-fun h (Int) Bool)";

struct World {
    store: Store,
    env: assay_smtlib::Environment,
}

impl World {
    fn new() -> World {
        let mut store = Store::new();
        let (_, env) =
            read_script(&mut store, DECLARED.as_bytes(), Lets::Expand).expect("a script");
        World { store, env }
    }

    fn term(&mut self, text: &str) -> TermId {
        let read = read_term_as(&mut self.store, &mut self.env, text, Lets::Expand);
        read.unwrap_or_else(|error| panic!("{text}: {}", error.message))
    }

    fn refutes(&mut self, formulas: &[String]) -> bool {
        let terms: Vec<TermId> = formulas.iter().map(|text| self.term(text)).collect();
        refutes(&self.store, &terms, &mut Budget::new(20_000_000, u64::MAX))
    }

    /// A random assignment of the declared symbols.
    fn model(&self, draw: &mut Draw, funcs: &HashMap<&str, FuncId>) -> Model {
        let mut model = Model::new();
        let int = |draw: &mut Draw| Value::Int((draw.below(7) as i64 - 3).into());
        for (&name, &func) in funcs {
            let meaning = match name {
                "p" | "q" | "r" => Interpretation::Value(draw.one_in(2).into()),
                "x" | "y" | "z" => Interpretation::Value(int(draw)),
                "u" | "v" => Interpretation::Value(Value::rational(
                    num_rational::BigRational::new((draw.below(13) as i64 - 6).into(), 2.into()),
                )),
                _ => {
                    let arity = if name == "g" { 2 } else { 1 };
                    let result = |draw: &mut Draw| match name {
                        "h" => draw.one_in(2).into(),
                        _ => int(draw),
                    };
                    let mut entries = rustc_hash::FxHashMap::default();
                    for _ in 0..8 {
                        let args: Box<[Value]> = (0..arity).map(|_| int(draw)).collect();
                        let value = result(draw);
                        entries.insert(args, value);
                    }
                    Interpretation::Table { entries, default: result(draw) }
                }
            };
            model.set(func, meaning);
        }
        model
    }

    fn funcs(&mut self) -> HashMap<&'static str, FuncId> {
        let applied = [
            ("p", "p"),
            ("q", "q"),
            ("r", "r"),
            ("x", "x"),
            ("y", "y"),
            ("z", "z"),
            ("u", "u"),
            ("v", "v"),
            ("f", "(f 0)"),
            ("g", "(g 0 0)"),
            ("h", "(h 0)"),
        ];
        let func = |(name, text): (&'static str, &str)| {
            let term = self.term(text);
            let Term::App(func, _) = self.store.get(term) else { panic!("{text}") };
            (name, func)
        };
        applied.into_iter().map(func).collect()
    }
}

fn int(draw: &mut Draw, depth: usize) -> String {
    if depth == 0 || draw.one_in(3) {
        let leaves = ["x", "y", "z", "0", "1", "2", "(- 1)", "(- 3)"];
        return leaves[draw.below(leaves.len())].to_owned();
    }
    let (a, b) = (int(draw, depth - 1), int(draw, depth - 1));
    match draw.below(8) {
        0 => format!("(+ {a} {b})"),
        1 => format!("(- {a} {b})"),
        2 => format!("(* 2 {a})"),
        3 => format!("(* {a} {b})"),
        4 => format!("(f {a})"),
        5 => format!("(g {a} {b})"),
        6 => format!("(- {a})"),
        _ => format!("(ite {} {a} {b})", formula(draw, depth - 1)),
    }
}

fn real(draw: &mut Draw, depth: usize) -> String {
    if depth == 0 || draw.one_in(3) {
        let leaves = ["u", "v", "0.0", "1.0", "0.5", "(to_real x)"];
        return leaves[draw.below(leaves.len())].to_owned();
    }
    let (a, b) = (real(draw, depth - 1), real(draw, depth - 1));
    match draw.below(4) {
        0 => format!("(+ {a} {b})"),
        1 => format!("(- {a} {b})"),
        2 => format!("(* 2.0 {a})"),
        _ => format!("(/ {a} 2.0)"),
    }
}

fn formula(draw: &mut Draw, depth: usize) -> String {
    if depth == 0 || draw.one_in(4) {
        return match draw.below(6) {
            0 => "p".to_owned(),
            1 => "q".to_owned(),
            2 => "r".to_owned(),
            3 => format!("(h {})", int(draw, depth.min(1))),
            4 => {
                let relation = ["<", "<=", ">", ">=", "=", "distinct"][draw.below(6)];
                format!("({relation} {} {})", int(draw, 2), int(draw, 2))
            }
            _ => {
                let relation = ["<", "<=", ">", ">=", "="][draw.below(5)];
                format!("({relation} {} {})", real(draw, 2), real(draw, 2))
            }
        };
    }
    let (a, b) = (formula(draw, depth - 1), formula(draw, depth - 1));
    match draw.below(7) {
        0 => format!("(not {a})"),
        1 => format!("(and {a} {b})"),
        2 => format!("(or {a} {b})"),
        3 => format!("(=> {a} {b})"),
        4 => format!("(= {a} {b})"),
        5 => format!("(xor {a} {b})"),
        _ => format!("(ite {a} {b} {})", formula(draw, depth - 1)),
    }
}

#[test]
fn refuted_formulas_have_no_model() {
    let mut world = World::new();
    let funcs = world.funcs();
    let mut draw = Draw::new(&[7, 1]);
    let mut refuted = 0;
    for round in 0..1_500 {
        let count = 2 + draw.below(5);
        let formulas: Vec<String> = (0..count).map(|_| formula(&mut draw, 2)).collect();
        if !world.refutes(&formulas) {
            continue;
        }
        refuted += 1;
        let terms: Vec<TermId> = formulas.iter().map(|text| world.term(text)).collect();
        for _ in 0..200 {
            let model = world.model(&mut draw, &funcs);
            let mut evaluator = Evaluator::new(&world.store, &model);
            let all = terms.iter().all(|&term| evaluator.holds(term) == Ok(true));
            assert!(!all, "round {round}: {formulas:#?} hold");
        }
    }
    assert!(refuted > 200, "{refuted} of 1500 were refuted");
}

/// Premises and a conclusion of each rule, over random terms.
fn instance(draw: &mut Draw, rule: usize) -> (Vec<String>, String) {
    let t = |draw: &mut Draw| int(draw, 2);
    let (a, b, c) = (t(draw), t(draw), t(draw));
    let (l, m, n) = (formula(draw, 1), formula(draw, 1), formula(draw, 1));
    match rule {
        0 => (vec![], format!("(= {a} {a})")),
        1 => (vec![format!("(= {a} {b})")], format!("(= {b} {a})")),
        2 => (vec![format!("(= {a} {b})"), format!("(= {b} {c})")], format!("(= {a} {c})")),
        3 => (vec![format!("(= {a} {b})")], format!("(= (g {c} (f {a})) (g {c} (f {b})))")),
        4 => (vec![l.clone(), format!("(= {l} {m})")], m),
        5 => (vec![format!("(and {l} {m} {n})")], m),
        6 => (vec![format!("(not (or {l} {m}))")], format!("(not {m})")),
        7 => (vec![format!("(or {l} {m})"), format!("(not {l})")], m),
        8 => {
            (vec![format!("(or {l} {m})"), format!("(or (not {l}) {n})")], format!("(or {m} {n})"))
        }
        9 => (vec![], format!("(or (not (and {l} {m})) {m})")),
        10 => (vec![format!("(< {a} {b})"), format!("(<= {b} {c})")], format!("(< {a} {c})")),
        11 => (vec![], format!("(= (+ {a} (* 2 {b})) (+ {b} {a} {b}))")),
        12 => (vec![], format!("(= (< {a} {b}) (not (<= {b} {a})))")),
        13 => (vec![format!("(<= (* 2 {a}) 1)")], format!("(<= {a} 0)")),
        14 => (vec![format!("(= {l} {m})")], format!("(= (not {l}) (not {m}))")),
        15 => (vec![format!("(h {a})"), format!("(= {a} {b})")], format!("(h {b})")),
        16 => (vec![], format!("(= (< {a} {b}) (< (- {a} {b}) 0))")),
        _ => (vec![format!("(=> {l} {m})"), format!("(not {m})")], format!("(not {l})")),
    }
}

#[test]
fn instances_of_the_usual_rules_are_accepted_and_corrupted_ones_only_if_they_hold() {
    let mut world = World::new();
    let funcs = world.funcs();
    let mut draw = Draw::new(&[7, 2]);
    let mut rejected = 0;
    for round in 0..360 {
        let (premises, conclusion) = instance(&mut draw, round % 18);
        let claim = |conclusion: &str| {
            let mut claim = premises.clone();
            claim.push(format!("(not {conclusion})"));
            claim
        };
        assert!(world.refutes(&claim(&conclusion)), "{premises:?} imply {conclusion}");
        for corrupted in [format!("(not {conclusion})"), formula(&mut draw, 1)] {
            let claim = claim(&corrupted);
            if !world.refutes(&claim) {
                rejected += 1;
                continue;
            }
            let terms: Vec<TermId> = claim.iter().map(|text| world.term(text)).collect();
            for _ in 0..100 {
                let model = world.model(&mut draw, &funcs);
                let mut evaluator = Evaluator::new(&world.store, &model);
                let all = terms.iter().all(|&term| evaluator.holds(term) == Ok(true));
                assert!(!all, "{claim:?} was refuted");
            }
        }
    }
    assert!(rejected > 300, "{rejected} corrupted instances were rejected");
}
