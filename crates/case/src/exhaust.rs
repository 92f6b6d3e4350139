//! Formulas over few values, decided by trying every assignment.
//!
//! An integer has few values where the formula asserts a lower and an upper bound of it. If no number
//! lies between the bounds of a constant, there is nothing to try: the formula is unsatisfiable.
//!
//! An assignment that satisfies every assertion is a checked model. If every assignment certainly
//! falsifies an assertion, the formula is unsatisfiable. Results that the standard leaves open are
//! tried as well, within the set that it allows: one choice that satisfies the formula is enough, and
//! all of them must falsify it. An assignment whose value is unknown even so leaves the formula
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

/// What trying every assignment came to.
#[derive(Clone, Debug)]
pub enum Exhaustion {
    /// This assignment satisfies the formula.
    Sat(Checked<Model>),
    /// None of this many assignments does; zero where the bounds of a constant contradict each other.
    Unsat(u64),
}

/// The most assignments that are tried.
pub const MOST_ASSIGNMENTS: u64 = 1 << 16;

/// The steps that one formula may take: a second or so. It is spent only where answers contradict
/// each other, or a truth that nobody has proved.
#[must_use]
pub fn usual_budget() -> Budget {
    Budget::new(20_000_000, 1 << 24)
}

/// Tries every assignment of the formula's constants; none where there are too many, where a
/// function or an unbounded sort is left open, or where evaluation does not decide.
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
    /// How many terms the formula has.
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

/// Sets the constants to the values of an assignment, by its number.
fn assign(model: &mut Model, domains: &[(FuncId, Vec<Value>)], mut number: u64) {
    for (func, values) in domains {
        let radix = values.len() as u64;
        let at = usize::try_from(number % radix).expect("a domain is small");
        model.set(*func, Interpretation::Value(values[at].clone()));
        number /= radix;
    }
}

/// Whether the assertions hold together, as far as it is certain; the outer `None` where the budget
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
    // What evaluation gave up was not cheap.
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

/// What a formula leaves open.
struct Symbols {
    /// Its constants, in the order in which they occur.
    constants: Vec<(FuncId, SortId)>,
    /// How many terms it has, definitions included.
    size: u64,
}

impl Symbols {
    /// None where a function is left open, or the budget does not last.
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
