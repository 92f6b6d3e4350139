//! Tries assignments until one refutes a claim about two terms.

use assay_term::theories::core;
use assay_term::value::Value;
use assay_term::{Budget, Evaluator, Interpretation, Limits, Model, SortError, Store, TermId};

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
    /// Evaluation steps for the whole claim.
    pub steps: u64,
    /// The last character that the solver's strings have.
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
    /// Its number among those tried.
    pub assignment: usize,
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
    },
}

/// Attacks a claim about two terms of a store with these assignments. Those with characters that the
/// solver's strings do not have are left out.
pub fn attack(
    store: &mut Store,
    assignments: &[Model],
    terms: [TermId; 2],
    relation: Relation,
    effort: Effort,
) -> Attack {
    let (mut decided, mut unknown) = (0, 0);
    if terms[0] == terms[1] {
        return Attack::Withstood { decided: assignments.len().max(1), unknown };
    }
    let Ok(claim) = relation.formula(store, terms) else {
        return Attack::Withstood { decided, unknown };
    };
    let mut budget = Budget::new(effort.steps, u64::MAX);
    for (assignment, model) in assignments.iter().enumerate() {
        if !is_writable(model, effort.last_character) {
            continue;
        }
        let mut evaluator = Evaluator::new(store, model).with_limits(LIMITS).with_budget(budget);
        match evaluator.holds(claim) {
            Ok(true) => decided += 1,
            Ok(false) => {
                let values = terms.map(|term| evaluator.eval(term).ok());
                return Attack::Refuted(Box::new(Difference { assignment, values }));
            }
            Err(_) => unknown += 1,
        }
        budget = evaluator.into_budget();
        if budget.steps_left() == 0 {
            break;
        }
    }
    Attack::Withstood { decided, unknown }
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

/// Whether all characters of an assignment's values are among the solver's.
fn is_writable(model: &Model, last: u32) -> bool {
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
