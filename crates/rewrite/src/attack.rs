//! Looks for an assignment that refutes a claim about two terms.

use crate::assignments::Assignments;
use assay_mutate::Draw;
use assay_term::theories::core;
use assay_term::{Budget, Evaluator, FuncId, Limits, Model, SortError, Store, TermId, Value};

/// Many small values refute more claims than one large value, which takes as long.
const LIMITS: Limits =
    Limits { steps: 0, instances: 4_096, regex: 50_000, length: 1 << 12, bits: 1 << 12 };

/// What is claimed of two terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// They are equal.
    Equal,
    /// Where the first holds, so does the second.
    Implies,
}

/// How hard a claim is attacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Assignments drawn at random.
    pub assignments: usize,
    /// All assignments are tried where there are at most this many.
    pub exhaustive: usize,
    /// Evaluation steps for the whole claim.
    pub steps: u64,
    /// The last character that the solver's strings have.
    pub last_character: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            assignments: 64,
            exhaustive: 256,
            steps: 2_000_000,
            last_character: assay_term::value::MAX_CHAR,
        }
    }
}

/// An assignment under which a claim is wrong.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The values of the symbols.
    pub assignment: Model,
    /// The values of the two terms, where they can be shown.
    pub values: [Option<Value>; 2],
}

/// What an attack came to.
#[derive(Clone, Debug)]
pub enum Attack {
    /// The claim is wrong.
    Refuted(Box<Difference>),
    /// No assignment refutes it.
    Withstood {
        /// Assignments under which both terms have a value.
        decided: usize,
        /// Assignments under which the value of a term is not known.
        unknown: usize,
        /// Whether these are all assignments that there are.
        complete: bool,
    },
}

/// Attacks a claim about two terms of one sort of a store over these symbols.
pub fn attack(
    store: &mut Store,
    functions: &[FuncId],
    terms: [TermId; 2],
    relation: Relation,
    effort: Effort,
    draw: &mut Draw,
) -> Attack {
    let withstood = |decided, unknown, complete| Attack::Withstood { decided, unknown, complete };
    if terms[0] == terms[1] {
        return withstood(0, 0, true);
    }
    let Ok(claim) = relation.formula(store, terms) else { return withstood(0, 0, false) };
    let made = Assignments::new(store, functions, &terms, effort.last_character);
    let (models, all) = match made.all(effort.exhaustive) {
        Some(models) => (models, true),
        None => ((0..effort.assignments).map_while(|_| made.random(draw)).collect(), false),
    };
    let store = made.store();
    let mut budget = Budget::new(effort.steps, u64::MAX);
    let (mut decided, mut unknown) = (0, 0);
    for assignment in models {
        let mut evaluator =
            Evaluator::new(store, &assignment).with_limits(LIMITS).with_budget(budget);
        match evaluator.holds(claim) {
            Ok(true) => decided += 1,
            Ok(false) => {
                let values = terms.map(|term| evaluator.eval(term).ok());
                let difference = Difference { assignment, values };
                return Attack::Refuted(Box::new(difference));
            }
            Err(_) => unknown += 1,
        }
        budget = evaluator.into_budget();
        if budget.steps_left() == 0 {
            return withstood(decided, unknown, false);
        }
    }
    withstood(decided, unknown, all && unknown == 0)
}

impl Relation {
    /// What is claimed, as a formula.
    fn formula(self, store: &mut Store, terms: [TermId; 2]) -> Result<TermId, SortError> {
        match self {
            Relation::Equal => store.op(core::EQ, &terms),
            Relation::Implies => store.op(core::IMPLIES, &terms),
        }
    }
}
