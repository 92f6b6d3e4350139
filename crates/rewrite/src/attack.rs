//! Looks for an assignment that refutes a claim about two terms.

use crate::assignments::Assignments;
use assay_mutate::Draw;
use assay_term::eval::EvalContext;
use assay_term::{Budget, Evaluator, FuncId, Model, Store, TermId, Unknown, Value};

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
    /// The value of the first term.
    pub left: Value,
    /// The value of the second term.
    pub right: Value,
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

/// Attacks a claim about two terms of a store over these symbols.
pub fn attack(
    store: &mut Store,
    functions: &[FuncId],
    [left, right]: [TermId; 2],
    relation: Relation,
    effort: Effort,
    draw: &mut Draw,
) -> Attack {
    if left == right {
        return Attack::Withstood { decided: 0, unknown: 0, complete: true };
    }
    let made = Assignments::new(store, functions, &[left, right], effort.last_character);
    // What follows only reads; names of elements were the last thing to be added.
    let all = made.all(effort.exhaustive);
    let complete = all.is_some();
    let mut models = all.map(Vec::into_iter);
    let mut budget = Budget::new(effort.steps, u64::MAX);
    let (mut decided, mut unknown) = (0, 0);
    for _ in 0..effort.assignments.max(effort.exhaustive) {
        let model = match &mut models {
            Some(models) => models.next(),
            None if decided + unknown < effort.assignments => made.random(draw),
            None => None,
        };
        let Some(model) = model else { break };
        match compare(made.store(), &model, [left, right], relation, &mut budget) {
            Ok(None) => decided += 1,
            Ok(Some([left, right])) => {
                let difference = Difference { assignment: model, left, right };
                return Attack::Refuted(Box::new(difference));
            }
            Err(_) => unknown += 1,
        }
        if budget.steps_left() == 0 {
            return Attack::Withstood { decided, unknown, complete: false };
        }
    }
    Attack::Withstood { decided, unknown, complete: complete && unknown == 0 }
}

/// The values of both terms where they refute the relation, by exact evaluation.
fn compare(
    store: &Store,
    model: &Model,
    [left, right]: [TermId; 2],
    relation: Relation,
    budget: &mut Budget,
) -> Result<Option<[Value; 2]>, Unknown> {
    let mut evaluator = Evaluator::new(store, model).with_budget(budget.clone());
    let values = evaluator.eval(left).and_then(|left| Ok([left, evaluator.eval(right)?]));
    *budget = evaluator.into_budget();
    let [left, right] = values?;
    let holds = match relation {
        Relation::Equal => EvalContext::new(store, model).equal(&left, &right)?,
        Relation::Implies => left == Value::Bool(false) || right == Value::Bool(true),
    };
    Ok((!holds).then_some([left, right]))
}
