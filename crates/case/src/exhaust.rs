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
//!
//! The search for a model uses the batch evaluator, which can afford a million assignments. The model
//! is checked, and unsatisfiability rests on the exact evaluator alone.

use crate::bounds::Bounds;
use crate::check::{Checked, check_model, stands_in};
use crate::formula::{Formula, Goal, Priority};
use crate::number::number;
use crate::oracle::{Extremum, Optima, Oracle, Why, Witness};
use assay_term::batch::{Columns, Scratch, Tape};
use assay_term::budget::Budget;
use assay_term::eval::EvalContext;
use assay_term::{
    Evaluator, Func, FuncId, Interpretation, Limits, Model, Sort, SortId, Term, TermId, Unknown,
    Value, refutes_within, satisfies_within,
};
use num_rational::BigRational;
use std::collections::HashSet;
use std::ops::Range;

/// The result of trying every assignment.
#[derive(Clone, Debug)]
pub enum Exhaustion {
    /// This assignment satisfies the formula.
    Sat(Checked<Model>),
    /// None of this many assignments does; zero if the bounds of a constant contradict each other.
    Unsat(u64),
}

/// The maximum number of assignments among which a model is searched for.
const MOST_SEARCHED: u64 = 1 << 20;

/// The maximum number of assignments that are tried to show that none satisfies a formula.
pub const MOST_ASSIGNMENTS: u64 = 1 << 16;

/// The number of assignments that are evaluated together.
const BLOCK: u64 = 1 << 12;

/// The limits of evaluating one assignment.
const LIMITS: Limits =
    Limits { steps: 100_000, instances: 1 << 10, regex: 1_000_000, length: 1 << 22, bits: 1 << 22 };

/// The budget for one formula: about a second. It is spent only if answers contradict each other,
/// or contradict a declared truth.
#[must_use]
pub fn usual_budget() -> Budget {
    Budget::new(20_000_000, 1 << 24)
}

/// The budget for a formula on which the tools agree: a few milliseconds.
#[must_use]
pub fn small_budget() -> Budget {
    Budget::new(500_000, 1 << 22)
}

/// Tries every assignment of the formula's constants; `None` if there are too many, if the formula
/// has a free function or an unbounded sort, or if evaluation does not decide.
#[must_use]
pub fn exhaust(formula: &Formula, budget: &mut Budget) -> Option<Exhaustion> {
    let bounds = Bounds::of(formula, all(formula), budget)?;
    if bounds.contradict(formula) {
        return Some(Exhaustion::Unsat(0));
    }
    let assignments = Assignments::of(formula, all(formula), &bounds, MOST_SEARCHED, budget)?;
    let found = assignments.search(formula, budget);
    if let Some(model) = found.and_then(|model| check_model(formula, model).ok()) {
        return Some(Exhaustion::Sat(model));
    }
    if assignments.count > MOST_ASSIGNMENTS {
        return None;
    }
    let mut model = formula.definitions().clone();
    let mut certain = true;
    for number in 0..assignments.count {
        assignments.assign(&mut model, number);
        match assignments.truth(formula, &model, budget)? {
            Some(false) => {}
            Some(true) => return check_model(formula, model).ok().map(Exhaustion::Sat),
            None => certain = false,
        }
    }
    certain.then_some(Exhaustion::Unsat(assignments.count))
}

/// A model of the formula, if its constants have few enough assignments and one satisfies it.
#[must_use]
pub fn find_model(formula: &Formula, budget: &mut Budget) -> Option<Checked<Model>> {
    let model = model_of(formula, all(formula), budget)?;
    check_model(formula, model).ok()
}

/// The maximum number of assignments that are tried to find the optima of a formula.
const MOST_OPTIMIZED: u64 = 1 << 12;

/// The optima of a formula's soft assertions and objectives, by trying every assignment; `None` if there
/// are too many, if the formula has no model, if it asks for other than ranked optima, or if evaluation
/// does not decide.
#[must_use]
pub fn optimum(formula: &Formula, budget: &mut Budget) -> Option<Oracle> {
    let objectives = formula.objectives();
    if objectives.is_empty() || formula.priority() != Priority::Lexicographic {
        return None;
    }
    let costs: Vec<TermId> =
        objectives.iter().map(|objective| objective.cost).collect::<Option<_>>()?;
    let bounds = Bounds::of(formula, all(formula), budget)?;
    let terms = all(formula).into_iter().chain(costs.iter().copied()).collect();
    let mut assignments = Assignments::of(formula, terms, &bounds, MOST_OPTIMIZED, budget)?;
    assignments.assertions.truncate(formula.assertions().len());
    let mut model = formula.definitions().clone();
    let mut best: Option<(Vec<BigRational>, Vec<Value>, u64)> = None;
    for number in 0..assignments.count {
        assignments.assign(&mut model, number);
        if !assignments.truth(formula, &model, budget)?? {
            continue;
        }
        let mut evaluator = Evaluator::new(formula.store(), &model).with_limits(LIMITS);
        let values: Vec<Value> =
            costs.iter().map(|&cost| evaluator.eval(cost).ok()).collect::<Option<_>>()?;
        // The smaller, the better.
        let ranked = values.iter().zip(objectives).map(|(value, of)| match of.goal {
            Goal::Minimize => self::number(value),
            Goal::Maximize => self::number(value).map(|number| -number),
        });
        let ranked: Vec<BigRational> = ranked.collect::<Option<_>>()?;
        if best.as_ref().is_none_or(|(least, ..)| ranked < *least) {
            best = Some((ranked, values, number));
        }
    }
    let (_, values, number) = best?;
    assignments.assign(&mut model, number);
    let witness = check_model(formula, model).ok().map(Witness::Checked);
    let optima = Optima::Each(values.into_iter().map(Extremum::Value).collect());
    Some(Oracle::Optimum { optima, why: Why::Exhausted(assignments.count), witness })
}

/// A model of the assertions that a core stands for, unchecked. An unsatisfiable core has none.
pub(crate) fn core_model(formula: &Formula, core: &[String]) -> Option<Model> {
    let chosen = formula.assertions().iter().filter(|assertion| stands_in(assertion, core));
    model_of(formula, chosen.map(|assertion| assertion.term).collect(), &mut small_budget())
}

fn model_of(formula: &Formula, assertions: Vec<TermId>, budget: &mut Budget) -> Option<Model> {
    let bounds = Bounds::of(formula, assertions.clone(), budget)?;
    Assignments::of(formula, assertions, &bounds, MOST_SEARCHED, budget)?.search(formula, budget)
}

fn all(formula: &Formula) -> Vec<TermId> {
    formula.assertions().iter().map(|assertion| assertion.term).collect()
}

/// Whether [`exhaust`] would try every assignment.
#[must_use]
pub fn has_few_assignments(formula: &Formula, budget: &mut Budget) -> bool {
    Bounds::of(formula, all(formula), budget).is_some_and(|bounds| {
        bounds.contradict(formula)
            || Assignments::of(formula, all(formula), &bounds, MOST_ASSIGNMENTS, budget).is_some()
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
    /// `None` if there are more than `limit`.
    fn of(
        formula: &Formula,
        assertions: Vec<TermId>,
        bounds: &Bounds,
        limit: u64,
        budget: &mut Budget,
    ) -> Option<Assignments> {
        let symbols = Symbols::of(formula, &assertions, budget)?;
        let nothing = Model::new();
        let context = EvalContext::new(formula.store(), &nothing);
        let mut count: u64 = 1;
        let mut domains = Vec::with_capacity(symbols.constants.len());
        for &(func, sort) in &symbols.constants {
            // A constant without values leaves no assignment, whatever the others can be.
            let most = limit / count.max(1);
            let values = match formula.store().sorts.get(sort) {
                Sort::Int => bounds.integers(func, most)?,
                _ => context.enumerate(sort, most)?,
            };
            count = count.checked_mul(values.len() as u64).filter(|c| *c <= limit)?;
            domains.push((func, values));
        }
        Some(Assignments { assertions, domains, count, size: symbols.size })
    }

    /// The value of a constant in an assignment is a digit of the assignment's number; this is the
    /// weight of each constant's digit.
    fn weights(&self) -> impl Iterator<Item = (&(FuncId, Vec<Value>), u64)> {
        self.domains.iter().scan(1, |weight, domain| {
            let own = *weight;
            *weight *= domain.1.len() as u64;
            Some((domain, own))
        })
    }

    /// Sets the constants to the values of an assignment, by its number.
    fn assign(&self, model: &mut Model, number: u64) {
        for ((func, values), weight) in self.weights() {
            let value = digit(values, weight, number);
            model.set(*func, Interpretation::Value(value.clone()));
        }
    }

    /// The first model that the batch evaluator finds, unchecked.
    fn search(&self, formula: &Formula, budget: &mut Budget) -> Option<Model> {
        let tape = Tape::compile(formula.store(), &self.assertions, budget).ok()?;
        let tape = tape.with_limits(LIMITS);
        let mut scratch = Scratch::default();
        for first in (0..self.count).step_by(BLOCK as usize) {
            let block = first..self.count.min(first + BLOCK);
            if let Some(number) = self.satisfying(formula, &tape, block, &mut scratch, budget)? {
                let mut model = formula.definitions().clone();
                self.assign(&mut model, number);
                return Some(model);
            }
        }
        None
    }

    /// The first assignment among these that satisfies every assertion; the outer `None` means that
    /// the budget is used up.
    fn satisfying(
        &self,
        formula: &Formula,
        tape: &Tape<'_>,
        block: Range<u64>,
        scratch: &mut Scratch,
        budget: &mut Budget,
    ) -> Option<Option<u64>> {
        let count = usize::try_from(block.end - block.start).expect("a block is small");
        let mut columns = Columns::new(formula.definitions(), count);
        for ((func, values), weight) in self.weights() {
            budget.spend(count as u64 / 16).ok()?;
            let column = block.clone().map(|number| digit(values, weight, number).clone());
            columns.set(formula.store(), *func, column);
        }
        let results = tape.run(&columns, scratch, budget).ok()?;
        let holds = |lane: &usize| {
            (0..self.assertions.len()).all(|root| results.get(root, *lane) == Ok(Value::Bool(true)))
        };
        Some((0..count).find(holds).map(|lane| block.start + lane as u64))
    }

    /// Whether the assertions hold together, if that is certain; the outer `None` means that the
    /// budget is used up.
    fn truth(&self, formula: &Formula, model: &Model, budget: &mut Budget) -> Option<Option<bool>> {
        budget.spend(self.size).ok()?;
        let (store, assertions) = (formula.store(), &self.assertions[..]);
        let mut evaluator = Evaluator::new(store, model).with_limits(LIMITS);
        let mut unknown = None;
        for &assertion in assertions {
            match evaluator.holds(assertion) {
                Ok(true) => {}
                Ok(false) => return Some(Some(false)),
                Err(reason) => unknown = Some(reason),
            }
        }
        let Some(reason) = unknown else { return Some(Some(true)) };
        // An evaluation that was given up was not cheap.
        budget.spend(LIMITS.steps).ok()?;
        if !matches!(reason, Unknown::Open(_) | Unknown::WrongConstructor) {
            return Some(None);
        }
        if refutes_within(store, model, assertions, budget) {
            return Some(Some(false));
        }
        let satisfied = satisfies_within(store, model, assertions, budget);
        let holds = satisfied.values.iter().all(|value| *value == Ok(true));
        Some(holds.then_some(true))
    }
}

/// The value in the place of this weight of a number.
fn digit(values: &[Value], weight: u64, number: u64) -> &Value {
    let at = number / weight % values.len() as u64;
    &values[usize::try_from(at).expect("a domain is small")]
}

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
