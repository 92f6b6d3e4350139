//! Formulas that must all hold, evaluated as soon as enough of their variables have values: true ones
//! are dropped, a false one decides, and open equations restrict the remaining values.

use super::rewrite::{conjuncts, preorder};
use super::rule::Variable;
use super::unfold::{Unfolded, parts};
use assay_term::theories::{core, strings};
use assay_term::value::Text;
use assay_term::{Evaluator, Model, Store, TermId, Unknown, Value};

/// Formulas that must all hold.
#[derive(Clone, Debug)]
pub(crate) struct Conjunction {
    pub(super) parts: Vec<Part>,
    /// The formulas without their quantifiers.
    terms: Vec<TermId>,
}

/// A part of a conjunction. If a condition is known, only one branch is left.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A formula, and the two sides if it is an equation.
    Leaf(Unfolded, Option<(TermId, TermId)>),
    /// A condition and the branches for true and false.
    Branch(Unfolded, Vec<Part>, Vec<Part>),
}

impl Part {
    fn all(store: &mut Store, formula: TermId) -> Vec<Part> {
        let parts = conjuncts(store, formula);
        parts.into_iter().map(|part| Part::new(store, part)).collect()
    }

    fn new(store: &mut Store, formula: TermId) -> Part {
        let shape = store.operator(formula).map(|(op, args)| (op, args.to_vec()));
        match shape {
            Some((core::ITE, args)) => {
                let (then, otherwise) = (Part::all(store, args[1]), Part::all(store, args[2]));
                Part::Branch(Unfolded::new(store, args[0]), then, otherwise)
            }
            Some((core::IMPLIES, args)) if args.len() == 2 => {
                let then = Part::all(store, args[1]);
                Part::Branch(Unfolded::new(store, args[0]), then, Vec::new())
            }
            _ => Part::Leaf(Unfolded::new(store, formula), equation(store, formula)),
        }
    }
}

/// The sides of an equation, `(= (= a b) true)` included.
fn equation(store: &Store, formula: TermId) -> Option<(TermId, TermId)> {
    let Some((core::EQ, &[a, b])) = store.operator(formula) else { return None };
    match (store.operator(a), store.operator(b)) {
        (Some((core::EQ, _)), Some((core::TRUE, _))) => equation(store, a),
        _ => Some((a, b)),
    }
}

impl Conjunction {
    pub(crate) fn new(store: &mut Store, formulas: &[TermId]) -> Conjunction {
        let parts = formulas.iter().flat_map(|&formula| Part::all(store, formula)).collect();
        let terms = formulas.iter().map(|&f| Unfolded::new(store, f).matrix()).collect();
        Conjunction { parts, terms }
    }

    /// Whether all hold.
    pub(crate) fn holds(&self, sight: &mut Sight<'_>, model: &mut Model) -> Result<bool, Unknown> {
        let open: Vec<&Part> = self.parts.iter().collect();
        match sight.narrow(model, &open) {
            None => Ok(false),
            Some(open) if open.is_empty() => Ok(true),
            Some(_) => Err(Unknown::Unsupported("a formula is unknown")),
        }
    }

    /// The terms that some part equates with a variable.
    pub(super) fn definitions(&self, store: &Store, variable: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        for part in self.terms.iter().flat_map(|&term| preorder(store, term)) {
            let Some((core::EQ, &[a, b])) = store.operator(part) else { continue };
            for (side, other) in [(a, b), (b, a)] {
                let own = preorder(store, other).contains(&variable);
                if side == variable && !own && !found.contains(&other) {
                    found.push(other);
                }
            }
        }
        found
    }
}

/// A store, and the remaining number of evaluations.
pub(crate) struct Sight<'a> {
    pub(crate) store: &'a Store,
    pub(crate) left: u64,
}

impl Sight<'_> {
    /// The parts that are still open; `None` if one is false.
    pub(super) fn narrow<'p>(
        &mut self,
        model: &mut Model,
        open: &[&'p Part],
    ) -> Option<Vec<&'p Part>> {
        let mut work: Vec<&Part> = open.iter().rev().copied().collect();
        let mut still = Vec::new();
        while let Some(part) = work.pop() {
            match part {
                Part::Leaf(formula, _) => match self.holds(formula, model) {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(_) => still.push(part),
                },
                Part::Branch(condition, then, otherwise) => match self.holds(condition, model) {
                    Ok(true) => work.extend(then.iter().rev()),
                    Ok(false) => work.extend(otherwise.iter().rev()),
                    Err(_) => still.push(part),
                },
            }
        }
        Some(still)
    }

    fn holds(&mut self, formula: &Unfolded, model: &mut Model) -> Result<bool, Unknown> {
        formula.holds(self.store, model, &mut self.left)
    }

    /// The smallest set of possible values of a variable that an open equation implies.
    fn possible(&self, model: &Model, open: &[&Part], variable: Variable) -> Option<Vec<Value>> {
        let equations = open.iter().filter_map(|part| match part {
            Part::Leaf(_, equation) => *equation,
            Part::Branch(..) => None,
        });
        let sides = equations.flat_map(|(a, b)| [(a, b), (b, a)]);
        let mut evaluator = Evaluator::new(self.store, model);
        let lists = sides.filter_map(|(side, other)| {
            if side == variable.term {
                return evaluator.eval(other).ok().map(|value| vec![value]);
            }
            let pieces = pieces(self.store, side);
            if pieces.len() < 2 || !pieces.contains(&variable.term) {
                return None;
            }
            let Ok(Value::Str(text)) = evaluator.eval(other) else { return None };
            let known = pieces.iter().map(|&piece| evaluator.eval(piece).ok()).collect();
            Some(fitting(&text, &pieces, known, variable.term))
        });
        lists.min_by_key(Vec::len)
    }

    /// An unassigned variable with the fewest possible values.
    pub(super) fn tightest(
        &self,
        model: &Model,
        open: &[&Part],
        variables: &[Variable],
        values: &[Option<Value>],
    ) -> Option<(usize, Vec<Value>)> {
        let unassigned = (0..values.len()).filter(|&at| values[at].is_none());
        let possible = unassigned.filter_map(|at| {
            self.possible(model, open, variables[at]).map(|possible| (at, possible))
        });
        possible.min_by_key(|(_, values)| values.len())
    }
}

/// The pieces of a concatenation.
fn pieces(store: &Store, term: TermId) -> Vec<TermId> {
    match store.operator(term) {
        Some((strings::CONCAT, args)) => args.iter().flat_map(|&arg| pieces(store, arg)).collect(),
        _ => vec![term],
    }
}

/// The values of one piece for which a concatenation can be this text.
fn fitting(
    text: &[u32],
    pieces: &[TermId],
    known: Vec<Option<Value>>,
    wanted: TermId,
) -> Vec<Value> {
    let mut text = text;
    let mut rest: std::collections::VecDeque<(TermId, Option<Value>)> =
        pieces.iter().copied().zip(known).collect();
    while let Some((_, Some(Value::Str(piece)))) = rest.front() {
        let Some(after) = text.strip_prefix(&piece[..]) else { return Vec::new() };
        text = after;
        rest.pop_front();
    }
    while let Some((_, Some(Value::Str(piece)))) = rest.back() {
        let Some(before) = text.strip_suffix(&piece[..]) else { return Vec::new() };
        text = before;
        rest.pop_back();
    }
    let first = rest.front().is_some_and(|(piece, _)| *piece == wanted);
    let last = rest.back().is_some_and(|(piece, _)| *piece == wanted);
    let texts: Vec<Text> = match (first, last) {
        (true, true) if rest.len() == 1 => vec![text.into()],
        (true, _) => (0..=text.len()).map(|end| text[..end].into()).collect(),
        (_, true) => (0..=text.len()).map(|start| text[start..].into()).collect(),
        _ => parts(&text.into()),
    };
    texts.into_iter().map(Value::Str).collect()
}
