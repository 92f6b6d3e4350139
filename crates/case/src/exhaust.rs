//! Decides formulas over small domains by trying every assignment.
//!
//! An integer has a small domain if the formula asserts a lower and an upper bound. If the bounds
//! of a constant contradict each other, nothing needs to be tried: the formula is unsatisfiable.
//!
//! An assignment that satisfies every assertion is a checked model. If every assignment certainly
//! falsifies an assertion, the formula is unsatisfiable. Results that the standard leaves open are
//! tried too, within the allowed set: one choice that satisfies the formula is enough, and all of
//! them must falsify it. If the result for some assignment is still unknown, the formula remains
//! undecided.

use crate::bounds::Bounds;
use crate::check::{Checked, check_model};
use crate::formula::Formula;
use assay_term::budget::Budget;
use assay_term::eval::EvalContext;
use assay_term::{
    Evaluator, Func, FuncId, Interpretation, Limits, Model, Sort, SortId, Term, TermId, Unknown,
    Value, refutes_within, satisfies_within,
};
use std::collections::HashSet;

/// The result of trying every assignment.
#[derive(Clone, Debug)]
pub enum Exhaustion {
    /// This assignment satisfies the formula.
    Sat(Checked<Model>),
    /// None of this many assignments does; zero if the bounds of a constant contradict each other.
    Unsat(u64),
}

/// The maximum number of assignments that are tried.
pub const MOST_ASSIGNMENTS: u64 = 1 << 16;

/// The budget for one formula: about a second. It is spent only if answers contradict each other,
/// or contradict a declared truth.
#[must_use]
pub fn usual_budget() -> Budget {
    Budget::new(20_000_000, 1 << 24)
}

/// Tries every assignment of the formula's constants; `None` if there are too many, if the formula
/// has a free function or an unbounded sort, or if evaluation does not decide.
#[must_use]
pub fn exhaust(formula: &Formula, budget: &mut Budget) -> Option<Exhaustion> {
    let bounds = Bounds::of(formula, budget)?;
    if bounds.contradict(formula) {
        return Some(Exhaustion::Unsat(0));
    }
    let assignments = Assignments::of(formula, &bounds, budget)?;
    let Assignments { assertions, domains, count, size } = assignments;
    let mut model = formula.definitions().clone();
    let mut certain = true;
    for number in 0..count {
        assign(&mut model, &domains, number);
        match truth(formula, &model, &assertions, size, budget)? {
            Some(false) => {}
            Some(true) => return check_model(formula, model).ok().map(Exhaustion::Sat),
            None => certain = false,
        }
    }
    certain.then_some(Exhaustion::Unsat(count))
}

/// Whether [`exhaust`] would try every assignment.
#[must_use]
pub fn has_few_assignments(formula: &Formula, budget: &mut Budget) -> bool {
    Bounds::of(formula, budget).is_some_and(|bounds| {
        bounds.contradict(formula) || Assignments::of(formula, &bounds, budget).is_some()
    })
}

/// All assignments of a formula's constants.
struct Assignments {
    assertions: Vec<TermId>,
    domains: Vec<(FuncId, Vec<Value>)>,
    count: u64,
    /// The number of terms in the formula.
    size: u64,
}

impl Assignments {
    fn of(formula: &Formula, bounds: &Bounds, budget: &mut Budget) -> Option<Assignments> {
        let assertions: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
        let symbols = Symbols::of(formula, &assertions, budget)?;
        let nothing = Model::new();
        let context = EvalContext::new(formula.store(), &nothing);
        let mut count: u64 = 1;
        let mut domains = Vec::with_capacity(symbols.constants.len());
        for &(func, sort) in &symbols.constants {
            let most = MOST_ASSIGNMENTS / count;
            let values = match formula.store().sorts.get(sort) {
                Sort::Int => bounds.integers(func, most)?,
                _ => context.enumerate(sort, most)?,
            };
            count = count.checked_mul(values.len() as u64).filter(|c| *c <= MOST_ASSIGNMENTS)?;
            domains.push((func, values));
        }
        Some(Assignments { assertions, domains, count, size: symbols.size })
    }
}

/// Sets the constants to the values of the assignment with this number.
fn assign(model: &mut Model, domains: &[(FuncId, Vec<Value>)], mut number: u64) {
    for (func, values) in domains {
        let radix = values.len() as u64;
        let at = usize::try_from(number % radix).expect("a domain is small");
        model.set(*func, Interpretation::Value(values[at].clone()));
        number /= radix;
    }
}

/// Whether the assertions hold together, if that is certain; the outer `None` means that the budget
/// is used up.
fn truth(
    formula: &Formula,
    model: &Model,
    assertions: &[TermId],
    size: u64,
    budget: &mut Budget,
) -> Option<Option<bool>> {
    budget.spend(size).ok()?;
    let limits = Limits { steps: STEPS, instances: INSTANCES, ..Limits::default() };
    let mut evaluator = Evaluator::new(formula.store(), model).with_limits(limits);
    let mut unknown = None;
    for &assertion in assertions {
        match evaluator.holds(assertion) {
            Ok(true) => {}
            Ok(false) => return Some(Some(false)),
            Err(reason) => unknown = Some(reason),
        }
    }
    let Some(reason) = unknown else { return Some(Some(true)) };
    // Evaluation that gave up was expensive.
    budget.spend(STEPS).ok()?;
    if !matches!(reason, Unknown::Open(_) | Unknown::WrongConstructor) {
        return Some(None);
    }
    let store = formula.store();
    if refutes_within(store, model, assertions, budget) {
        return Some(Some(false));
    }
    let satisfied = satisfies_within(store, model, assertions, budget);
    let holds = satisfied.values.iter().all(|value| *value == Ok(true));
    Some(holds.then_some(true))
}

/// The limits of evaluating one assignment.
const STEPS: u64 = 100_000;
const INSTANCES: u64 = 1 << 10;

/// The free symbols of a formula.
struct Symbols {
    /// Its constants, in the order in which they occur.
    constants: Vec<(FuncId, SortId)>,
    /// The number of its terms, including definitions.
    size: u64,
}

impl Symbols {
    /// `None` if a function is free, or the budget runs out.
    fn of(formula: &Formula, assertions: &[TermId], budget: &mut Budget) -> Option<Symbols> {
        let (store, definitions) = (formula.store(), formula.definitions());
        let mut symbols = Symbols { constants: Vec::new(), size: 0 };
        let mut seen: HashSet<FuncId> = HashSet::new();
        let mut open: Vec<TermId> = assertions.to_vec();
        while !open.is_empty() {
            let terms = store.postorder(&open);
            open.clear();
            symbols.size += terms.len() as u64;
            budget.spend(terms.len() as u64).ok()?;
            for term in terms {
                let Term::App(func, _) = store.get(term) else { continue };
                let Func::Declared { params, result, .. } = store.func(func) else { continue };
                if !seen.insert(func) {
                    continue;
                }
                match definitions.get(func) {
                    Some(Interpretation::Definition { body, .. }) => open.push(*body),
                    Some(_) => return None,
                    None if params.is_empty() => symbols.constants.push((func, *result)),
                    None => return None,
                }
            }
        }
        Some(symbols)
    }
}
