//! Formulas that hold under a model, from terms and their values there.

use crate::grower::Grower;
use crate::signature::is_ground;
use assay_term::theories::{core, ints, reals};
use assay_term::{Evaluator, Int, Interpretation, Limits, Model, SortId, Store, TermId, Value};
use rustc_hash::FxHashMap;

/// What the evaluation of a case's terms may take. A term whose value is large is not used.
const SMALL: Limits =
    Limits { steps: 20_000, instances: 300, regex: 4_000, length: 128, bits: 512 };

/// The values of terms under a model.
pub(crate) struct Facts {
    values: FxHashMap<TermId, Value>,
}

impl Facts {
    /// Evaluates terms; those without a known value are left out.
    pub(crate) fn of(store: &Store, model: &Model, terms: impl Iterator<Item = TermId>) -> Facts {
        let mut evaluator = Evaluator::new(store, model).with_limits(SMALL);
        let known = terms.filter_map(|term| Some((term, evaluator.eval(term).ok()?)));
        Facts { values: known.collect() }
    }

    pub(crate) fn value(&self, term: TermId) -> Option<&Value> {
        self.values.get(&term)
    }

    fn truth(&self, term: TermId) -> Option<bool> {
        self.value(term).and_then(Value::as_bool)
    }
}

/// Gives meaning to what the standard leaves open of the operators whose applications solvers treat as any
/// function there: quotients by zero.
pub(crate) fn close(model: &mut Model, number: usize) {
    let default = Value::Int(Int::from(number as i64 - 2));
    for op in [ints::DIV, ints::MOD] {
        let entries = FxHashMap::default();
        model.set_open(
            op,
            SortId::INT,
            Interpretation::Table { entries, default: default.clone() },
        );
    }
    let entries = FxHashMap::default();
    let default =
        Value::rational(num_rational::BigRational::new(1.into(), (number as i64 + 1).into()));
    model.set_open(reals::DIVIDE, SortId::REAL, Interpretation::Table { entries, default });
}

impl Grower<'_> {
    /// A formula about a term that holds.
    pub(crate) fn literal(&mut self, facts: &Facts, term: TermId) -> Option<TermId> {
        let sort = self.store.sort(term);
        if sort == SortId::REGLAN || is_ground(self.store, term) {
            return None;
        }
        if sort == SortId::BOOL {
            let truth = facts.truth(term)?;
            return match truth {
                true => Some(term),
                false => self.store.op(core::NOT, &[term]).ok(),
            };
        }
        let value = facts.value(term)?;
        let (mut equal, mut unequal) = (Vec::new(), Vec::new());
        for &other in &self.made {
            if other != term && self.store.sort(other) == sort {
                match facts.value(other) {
                    Some(found) if found == value => equal.push(other),
                    Some(_) => unequal.push(other),
                    None => {}
                }
            }
        }
        for variable in self.variables().filter(|&v| v != term && self.store.sort(v) == sort) {
            match facts.value(variable) {
                Some(found) if found == value => equal.push(variable),
                Some(_) => unequal.push(variable),
                None => {}
            }
        }
        let choice = self.draw.below(8);
        if choice < 4 {
            if let Some(&other) = self.draw.of(&equal) {
                return self.store.op(core::EQ, &[term, other]).ok();
            }
        }
        if choice == 7 {
            if let Some(&other) = self.draw.of(&unequal) {
                return self.store.op(core::DISTINCT, &[term, other]).ok();
            }
        }
        match (self.store.value(value), self.draw.of(&equal), self.draw.of(&unequal)) {
            (Some(value), ..) => self.store.op(core::EQ, &[term, value]).ok(),
            // Elements of uninterpreted sorts have no names.
            (None, Some(&other), _) => self.store.op(core::EQ, &[term, other]).ok(),
            (None, None, other) => self.store.op(core::DISTINCT, &[term, *other?]).ok(),
        }
    }

    /// A formula that holds because another does, joined with formulas of any truth.
    pub(crate) fn joined(&mut self, facts: &Facts, literal: TermId) -> TermId {
        let formulas: Vec<(TermId, bool)> = self
            .made
            .iter()
            .filter(|&&term| term != literal && self.store.sort(term) == SortId::BOOL)
            .filter_map(|&term| Some((term, facts.truth(term)?)))
            .collect();
        let Some(&(other, truth)) = self.draw.of(&formulas) else { return literal };
        let third = self.draw.of(&formulas).map_or(other, |&(third, _)| third);
        let turned = self.draw.one_in(2);
        let (op, args) = match (self.draw.below(6), truth) {
            (0 | 1, _) if turned => (core::OR, vec![literal, other]),
            (0 | 1, _) => (core::OR, vec![other, third, literal]),
            (2, _) => (core::IMPLIES, vec![other, literal]),
            (3, false) => (core::XOR, vec![other, literal]),
            (3, true) | (4, true) if turned => (core::EQ, vec![other, literal]),
            (_, true) => (core::ITE, vec![other, literal, third]),
            (_, false) => (core::ITE, vec![other, third, literal]),
        };
        self.store.op(op, &args).unwrap_or(literal)
    }
}
