//! Tries assignments until one refutes a claim about two terms.
//!
//! All assignments are tried at once. An apparent refutation counts only after the
//! single-assignment evaluator confirms it.

use super::assignments::Assignments;
use assay_term::batch::{Columns, Scratch, Tape};
use assay_term::theories::core;
use assay_term::value::Value;
use assay_term::{Budget, Evaluator, Interpretation, Limits, Model, Store, TermId};
use std::borrow::Cow;

/// Many small values refute more claims than one large value, which takes as long.
const LIMITS: Limits =
    Limits { steps: 0, instances: 4_096, regex: 50_000, length: 1 << 12, bits: 1 << 12 };

/// The effort spent on refuting a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// The evaluation steps for the whole claim.
    pub steps: u64,
    /// The largest character that the solver's strings support.
    pub last_character: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { steps: 2_000_000, last_character: assay_term::value::MAX_CHAR }
    }
}

/// An assignment under which a claim is wrong.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The assignment.
    pub assignment: Model,
    /// The values of the two terms, if they can be shown.
    pub values: [Option<Value>; 2],
}

/// The result of an attack.
#[derive(Clone, Debug)]
pub enum Attack {
    /// The claim is wrong.
    Refuted(Box<Difference>),
    /// No assignment refutes it.
    Withstood {
        /// Assignments under which both terms have a value.
        decided: usize,
        /// Assignments under which the value of a term is unknown.
        unknown: usize,
    },
}

/// Tries to refute the claim that two terms of a store are equal under these assignments.
/// Assignments with characters that the solver's strings do not support are left out.
pub fn attack_equality(
    store: &mut Store,
    assignments: &Assignments,
    terms: [TermId; 2],
    effort: Effort,
) -> Attack {
    let tried = Tried::new(assignments, effort);
    if terms[0] == terms[1] {
        return Attack::Withstood { decided: tried.models.len().max(1), unknown: 0 };
    }
    match store.op(core::EQ, &terms) {
        Ok(equation) => equal(store, &tried, equation, terms),
        Err(_) => Attack::Withstood { decided: 0, unknown: 0 },
    }
}

/// Tries to refute the claim that two formulas are equisatisfiable, each with assignments of its
/// own symbols.
pub fn attack_satisfiability(
    store: &mut Store,
    formulas: [(TermId, &Assignments); 2],
    effort: Effort,
) -> Attack {
    let falsity = store.bool(false);
    let side = |(formula, assignments)| Side {
        formula,
        tried: Tried::new(assignments, effort),
        is_false: formula == falsity,
    };
    satisfiable_alike(store, formulas.map(side))
}

/// The assignments that a solver's strings support.
struct Tried<'a> {
    models: Cow<'a, [Model]>,
    /// Whether they are all possible assignments.
    complete: bool,
    steps: u64,
}

impl<'a> Tried<'a> {
    fn new(assignments: &'a Assignments, effort: Effort) -> Tried<'a> {
        let models = assignments.models();
        let (complete, steps) = (assignments.are_all(), effort.steps);
        let writable = |model: &Model| is_writable(model, effort.last_character);
        if models.iter().all(writable) {
            return Tried { models: models.into(), complete, steps };
        }
        let models = models.iter().filter(|model| writable(model)).cloned().collect();
        Tried { models: Cow::Owned(models), complete: false, steps }
    }

    fn difference(&self, at: usize, values: [Option<Value>; 2]) -> Attack {
        let assignment = self.models[at].clone();
        Attack::Refuted(Box::new(Difference { assignment, values }))
    }

    /// The truth values of formulas under every assignment, in order; unknown once the steps are
    /// used up.
    fn truths(&self, store: &Store, formula: TermId) -> Vec<Option<bool>> {
        self.at_once(store, formula).unwrap_or_else(|| self.one_by_one(store, formula))
    }

    /// The same by batch evaluation; `None` if the steps do not suffice for all.
    fn at_once(&self, store: &Store, formula: TermId) -> Option<Vec<Option<bool>>> {
        let mut budget = Budget::new(self.steps, u64::MAX);
        let tape = Tape::compile(store, &[formula], &mut budget).ok()?.with_limits(LIMITS);
        let columns = Columns::from_models(&tape, &self.models, &mut budget).ok()?;
        let results = tape.run(&columns, &mut Scratch::default(), &mut budget).ok()?;
        Some(results.values(0).map(|value| value.ok()?.as_bool()).collect())
    }

    fn one_by_one(&self, store: &Store, formula: TermId) -> Vec<Option<bool>> {
        let mut budget = Budget::new(self.steps, u64::MAX);
        let truth = |model: &Model| {
            let mut evaluator = evaluator(store, model).with_budget(budget.clone());
            let truth = evaluator.holds(formula).ok();
            budget = evaluator.into_budget();
            truth
        };
        self.models.iter().map(truth).collect()
    }

    /// Whether the single-assignment evaluator gives a formula this truth value.
    fn confirms(&self, store: &Store, at: usize, formula: TermId, truth: bool) -> bool {
        let budget = Budget::new(self.steps, u64::MAX);
        evaluator(store, &self.models[at]).with_budget(budget).holds(formula) == Ok(truth)
    }
}

fn evaluator<'a>(store: &'a Store, model: &'a Model) -> Evaluator<'a> {
    Evaluator::new(store, model).with_limits(LIMITS)
}

/// Searches for an assignment that falsifies an equation.
fn equal(store: &Store, tried: &Tried<'_>, equation: TermId, terms: [TermId; 2]) -> Attack {
    let (mut decided, mut unknown) = (0, 0);
    for (at, truth) in tried.truths(store, equation).into_iter().enumerate() {
        match truth {
            Some(false) if tried.confirms(store, at, equation, false) => {
                let budget = Budget::new(tried.steps, u64::MAX);
                let mut evaluator = evaluator(store, &tried.models[at]).with_budget(budget);
                return tried.difference(at, terms.map(|term| evaluator.eval(term).ok()));
            }
            Some(true) => decided += 1,
            Some(false) | None => unknown += 1,
        }
    }
    Attack::Withstood { decided, unknown }
}

/// Searches for an assignment that satisfies one of two formulas while the other is unsatisfiable.
fn satisfiable_alike(store: &Store, sides: [Side<'_>; 2]) -> Attack {
    let found = sides.each_ref().map(|side| side.found(store));
    let tried = sides[0].tried.models.len();
    let decided = match found {
        [Found::Unknown, _] | [_, Found::Unknown] => 0,
        [Found::Holds(at), Found::Nowhere] | [Found::Nowhere, Found::Holds(at)] => {
            if sides.iter().zip(&found).all(|(side, found)| side.confirms(store, *found)) {
                let holding = usize::from(found[0] == Found::Nowhere);
                let values = [0, 1].map(|side| Some(Value::Bool(side == holding)));
                return sides[holding].tried.difference(at, values);
            }
            0
        }
        [Found::Holds(_), Found::Holds(_)] | [Found::Nowhere, Found::Nowhere] => tried.max(1),
    };
    Attack::Withstood { decided, unknown: if decided == 0 { tried } else { 0 } }
}

/// A formula with assignments of its symbols.
struct Side<'a> {
    formula: TermId,
    tried: Tried<'a>,
    /// Whether it is the constant `false`.
    is_false: bool,
}

/// What is known about the satisfiability of a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// It holds under the assignment with this number.
    Holds(usize),
    /// It holds under no possible assignment.
    Nowhere,
    Unknown,
}

impl Side<'_> {
    fn found(&self, store: &Store) -> Found {
        if self.is_false {
            return Found::Nowhere;
        }
        let truths = self.tried.truths(store, self.formula);
        match truths.iter().position(|&truth| truth == Some(true)) {
            Some(at) => Found::Holds(at),
            None if self.tried.complete && truths.iter().all(Option::is_some) => Found::Nowhere,
            None => Found::Unknown,
        }
    }

    /// Whether the single-assignment evaluator agrees.
    fn confirms(&self, store: &Store, found: Found) -> bool {
        let is = |at, truth| self.tried.confirms(store, at, self.formula, truth);
        match found {
            Found::Holds(at) => is(at, true),
            Found::Nowhere => self.is_false || (0..self.tried.models.len()).all(|at| is(at, false)),
            Found::Unknown => false,
        }
    }
}

/// Whether the solver's strings support all characters of an assignment's values.
#[must_use]
pub fn is_writable(model: &Model, last: u32) -> bool {
    let mut work: Vec<&Value> = Vec::new();
    for (_, meaning) in model.iter() {
        match meaning {
            Interpretation::Value(value) => work.push(value),
            Interpretation::Table { entries, default } => {
                work.push(default);
                work.extend(entries.iter().flat_map(|(args, value)| args.iter().chain([value])));
            }
            Interpretation::Definition { .. } | Interpretation::Opaque(_) => {}
        }
    }
    while let Some(value) = work.pop() {
        match value {
            Value::Str(text) if text.iter().any(|&c| c > last) => return false,
            Value::Seq(_, items) | Value::Set(_, items) => work.extend(items.iter()),
            Value::Data(data) => work.extend(data.fields.iter()),
            _ => {}
        }
    }
    true
}
