//! The number of values to try, and the values that a formula itself suggests.

use super::domain::{Domain, simple};
use super::rewrite::preorder;
use super::rule::Variable;
use super::unfold::unassigned;
use assay_term::{Model, Sort, SortId, Store, Term, TermId, Value};

/// The number of values of each kind of sort.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    strings: usize,
    numbers: usize,
    /// Sorts with at most this many values are tried completely.
    finite: usize,
}

impl Level {
    /// From few values to many. The third level has all strings of up to two letters, the fourth of up
    /// to three.
    pub(crate) const ALL: [Level; 4] = [
        Level { strings: 4, numbers: 3, finite: 5 },
        Level { strings: 6, numbers: 5, finite: 16 },
        Level { strings: 15, numbers: 7, finite: 64 },
        Level { strings: 42, numbers: 11, finite: 256 },
    ];

    pub(crate) fn domain(
        self,
        store: &Store,
        world: &Model,
        sort: SortId,
        seeds: &[Value],
    ) -> Domain {
        let most = match store.sorts.get(sort) {
            Sort::String => self.strings,
            Sort::Int | Sort::Real => self.numbers,
            Sort::RegLan => self.numbers + 4,
            Sort::Array(..) => self.finite.min(32),
            _ => self.finite,
        };
        simple(store, world, sort, most, seeds)
    }
}

/// A world in which no variable has a value.
pub(crate) fn blank(world: &Model, variables: &[Variable]) -> Model {
    let mut model = world.clone();
    for variable in variables {
        model.set(variable.func, unassigned());
    }
    model
}

/// The constants in terms, without duplicate values: numbers with their neighbors and as numerals.
pub(crate) fn seeds(store: &Store, terms: &[TermId], sort: SortId) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut add = |value: Value| {
        if !found.contains(&value) {
            found.push(value);
        }
    };
    for part in terms.iter().flat_map(|&term| preorder(store, term)) {
        let Term::Literal(literal) = store.get(part) else { continue };
        match (literal, sort) {
            (Value::Int(n), SortId::INT) => {
                let n = n.to_big();
                for near in [n.clone(), &n - 1, &n + 1, -n] {
                    add(Value::Int(near.into()));
                }
            }
            (Value::Int(n), SortId::STRING) => add(Value::text(&n.to_big().to_string())),
            (Value::Str(_), SortId::STRING) | (Value::Real(_), SortId::REAL) => {
                add(literal.clone())
            }
            _ => {}
        }
    }
    found
}
