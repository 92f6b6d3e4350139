//! Whether a formula says something: a connective with a constant below it, or a formula that has one
//! value whatever its symbols mean, is simplified away before a solver works on it.

use crate::draw::Draw;
use assay_forge::rules::random_value;
use assay_term::theories::{core, ints};
use assay_term::{
    Evaluator, Func, FuncId, Interpretation, Limits, Model, Op, SortId, Store, Term, TermId, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of interpretations of its symbols that a formula is tried under.
const TRIES: usize = 24;

/// Budget for evaluating a formula once.
const SMALL: Limits =
    Limits { steps: 2_000, instances: 64, regex: 2_000, length: 1 << 12, bits: 1 << 12 };

/// Whether a formula is true, or false, whatever its symbols mean, or has such a part where the
/// Boolean connectives are. A formula that cannot be evaluated is not.
pub(crate) fn is_trivial(store: &Store, draw: &mut Draw, formula: TermId) -> bool {
    let parts = store.postorder(&[formula]);
    let ground = store.ground_terms(&parts);
    if parts.iter().any(|&part| is_pointless(store, &ground, part)) {
        return true;
    }
    let Some(symbols) = Symbols::new(store, &parts) else { return false };
    if symbols.functions.is_empty() {
        return true;
    }
    let mut seen: [bool; 2] = [false; 2];
    for turn in 0..TRIES {
        let model = symbols.interpretation(store, draw, turn);
        match Evaluator::new(store, &model).with_limits(SMALL).holds(formula) {
            Ok(truth) => seen[usize::from(truth)] = true,
            // What a standard leaves open, or a limit: nothing is known.
            Err(_) => return false,
        }
        if seen == [true; 2] {
            return false;
        }
    }
    true
}

/// Whether a formula, or what it negates, has a constant operand, or the same one twice.
pub(crate) fn says_nothing(store: &Store, formula: TermId) -> bool {
    let inner = match store.operator(formula) {
        Some((core::NOT, &[inner])) => inner,
        _ => formula,
    };
    let ground = store.ground_terms(&store.postorder(&[inner]));
    is_pointless(store, &ground, formula) || is_pointless(store, &ground, inner)
}

/// Whether a connective has a constant operand, or the same operand twice, or a relation compares a
/// term with itself.
fn is_pointless(store: &Store, ground: &FxHashSet<TermId>, term: TermId) -> bool {
    let Some((op, args)) = store.operator(term) else { return false };
    let twice = || args.iter().enumerate().any(|(at, arg)| args[..at].contains(arg));
    let constant = |&arg: &TermId| store.sort(arg) == SortId::BOOL && ground.contains(&arg);
    match op {
        core::TRUE | core::FALSE => false,
        core::ITE => constant(&args[0]) || args[1] == args[2] || args.iter().any(constant),
        _ if store.sort(term) == SortId::BOOL && !args.is_empty() => {
            args.iter().any(constant) || (args.len() > 1 && twice())
        }
        _ => false,
    }
}

/// The symbols of a formula, and values worth giving to them.
struct Symbols {
    functions: Vec<FuncId>,
    /// The literals of the formula, by sort.
    literals: FxHashMap<SortId, Vec<Value>>,
}

impl Symbols {
    /// None if the formula has variables: it is open, or quantified.
    fn new(store: &Store, parts: &[TermId]) -> Option<Symbols> {
        let mut known: FxHashSet<FuncId> = FxHashSet::default();
        let mut symbols = Symbols { functions: Vec::new(), literals: FxHashMap::default() };
        for &part in parts {
            match store.get(part) {
                Term::Literal(value) => {
                    let sort = store.sort(part);
                    symbols.literals.entry(sort).or_default().push(value.clone());
                }
                Term::App(func, _) => {
                    let declared = matches!(store.func(func), Func::Declared { .. });
                    if declared && known.insert(func) {
                        symbols.functions.push(func);
                    }
                }
                _ => return None,
            }
        }
        Some(symbols)
    }

    /// Values for the symbols: equal ones, the formula's own literals, and random ones in turn.
    fn interpretation(&self, store: &Store, draw: &mut Draw, turn: usize) -> Model {
        let mut model = Model::new();
        let mut shared: FxHashMap<SortId, Value> = FxHashMap::default();
        for &func in &self.functions {
            let Func::Declared { params, result, .. } = store.func(func) else { continue };
            let own = self.literals.get(result).filter(|_| turn % 3 == 1);
            let value = match own.and_then(|values| draw.of(values)) {
                Some(value) => value.clone(),
                None => match shared.get(result).filter(|_| turn % 3 == 2) {
                    Some(value) => value.clone(),
                    None => match random_value(draw.rng(), store, *result) {
                        Some(value) => value,
                        None => continue,
                    },
                },
            };
            shared.insert(*result, value.clone());
            let meaning = match params.is_empty() {
                true => Interpretation::Value(value),
                false => Interpretation::Table { entries: FxHashMap::default(), default: value },
            };
            model.set(func, meaning);
        }
        model
    }
}

/// Whether simplification decides assertions: one of them is false, or all of them are true, however
/// their symbols are interpreted.
pub(crate) fn is_decided(store: &Store, assertions: &[TermId]) -> bool {
    let mut known: FxHashMap<TermId, bool> = FxHashMap::default();
    let nothing = Model::new();
    let parts = store.postorder(assertions);
    let ground = store.ground_terms(&parts);
    for term in parts {
        let value = match store.operator(term) {
            _ if store.sort(term) != SortId::BOOL => None,
            _ if ground.contains(&term) => {
                Evaluator::new(store, &nothing).with_limits(SMALL).holds(term).ok()
            }
            Some((op, args)) => simplified(store, &known, op, args),
            None => None,
        };
        known.extend(value.map(|value| (term, value)));
    }
    let value = |assertion: &TermId| known.get(assertion).copied();
    assertions.iter().any(|it| value(it) == Some(false))
        || assertions.iter().all(|it| value(it) == Some(true))
}

/// The value of a connective or a relation, if some operands suffice for it.
fn simplified(
    store: &Store,
    known: &FxHashMap<TermId, bool>,
    op: Op,
    args: &[TermId],
) -> Option<bool> {
    let value = |arg: &TermId| known.get(arg).copied();
    let any = |truth: bool| args.iter().any(|arg| value(arg) == Some(truth));
    let all = |truth: bool| args.iter().all(|arg| value(arg) == Some(truth));
    let same = args.len() > 1 && args.iter().all(|arg| *arg == args[0]);
    let opposite =
        || args.iter().any(|&one| args.iter().any(|&other| are_opposite(store, one, other)));
    match op {
        core::NOT => value(&args[0]).map(|truth| !truth),
        core::AND if any(false) || opposite() => Some(false),
        core::AND if all(true) => Some(true),
        core::OR if any(true) || opposite() => Some(true),
        core::OR if all(false) => Some(false),
        core::EQ | ints::LE | ints::GE if same => Some(true),
        core::DISTINCT | ints::LT | ints::GT if same => Some(false),
        _ => None,
    }
}

/// Whether two formulas are each other's negation.
pub(crate) fn are_opposite(store: &Store, one: TermId, other: TermId) -> bool {
    let negates = |a: TermId, b: TermId| store.operator(a) == Some((core::NOT, &[b]));
    negates(one, other) || negates(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_smtlib::{Lets, read_script};

    fn trivial(formula: &str) -> bool {
        let text = format!(
            "(declare-const x Int)(declare-const y Int)(declare-const p Bool)
             (declare-const s String)(declare-const v (_ BitVec 8))(declare-fun f (Int) Int)
             (assert {formula})"
        );
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Expand).expect("it reads");
        is_trivial(&store, &mut Draw::new(&[3]), script.terms()[0])
    }

    #[test]
    fn formulas_that_simplify_to_less_are_trivial() {
        for formula in [
            "true",
            "(> 3 2)",
            "(and true (> x y))",
            "(or (> x y) (= 3 4))",
            "(= x x)",
            "(and p p)",
            "(or p (not p))",
            "(< (str.len s) 0)",
            "(bvult v #x00)",
            "(= (ite p x x) y)",
            "(> (+ x 1) x)",
            "(= (f x) (f x))",
        ] {
            assert!(trivial(formula), "{formula}");
        }
    }

    #[test]
    fn simplification_decides_some_seeds() {
        let decided = |text: &str| {
            let text = format!("(declare-const x Int)(declare-const p Bool){text}");
            let mut store = Store::new();
            let read = read_script(&mut store, text.as_bytes(), Lets::Expand).expect("it reads");
            let assertions: Vec<TermId> =
                read.0.active_assertions().into_iter().map(|(term, _)| term).collect();
            is_decided(&store, &assertions)
        };
        for text in [
            "(assert (or p (not p)))",
            "(assert (> 1 2))",
            "(assert p)(assert (not (= x x)))",
            "(assert (and (> x 3) (< 2 1)))",
        ] {
            assert!(decided(text), "{text}");
        }
        for text in ["(assert p)", "(assert (or p (not p)))(assert p)", "(assert (= (* x x) 17))"] {
            assert!(!decided(text), "{text}");
        }
    }

    #[test]
    fn formulas_with_both_values_are_not_trivial() {
        for formula in [
            "p",
            "(> x y)",
            "(= x 123456)",
            "(= s \"a long word\")",
            "(bvult v #x01)",
            "(and p (> x y))",
            "(= (f x) y)",
            "(exists ((z Int)) (= x (* z z)))",
            "(= (div x 0) y)",
        ] {
            assert!(!trivial(formula), "{formula}");
        }
    }
}
