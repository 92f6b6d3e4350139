//! Equations between constants, or terms over constants, that evaluation refutes.
//!
//! Symbols of a prelude are excluded, because the solver may choose their interpretation. The equation
//! is therefore evaluated again without a model before it becomes a case.

use super::build::{assertion_name, script};
use super::spec::Refutation;
use crate::equation::{Tree, build};
use crate::history::{Histories, Made};
use crate::operation::Group;
use crate::theory::{Constant, Theory};
use assay_case::{ExpectedCore, Formula, MakeError, Oracle, Origin, TestCase, Why};
use assay_term::eval::EvalContext;
use assay_term::theories::core;
use assay_term::{Evaluator, Model, SortId, Store, TermId, Value};
use std::sync::Arc;

/// The refuted equations of one group of operations, numbered.
pub(crate) struct FromConstants {
    members: Vec<usize>,
    how: Refutation,
    histories: Arc<Histories>,
    sizes: Vec<u128>,
}

impl FromConstants {
    pub(crate) fn new(
        theory: &Theory,
        group: &Group,
        how: Refutation,
        histories: &Arc<Histories>,
    ) -> FromConstants {
        let mut space = FromConstants {
            members: group.members.clone(),
            how,
            histories: Arc::clone(histories),
            sizes: Vec::new(),
        };
        space.sizes = group.members.iter().map(|&member| space.size_of(theory, member)).collect();
        space
    }

    /// The number of candidates.
    pub(crate) fn size(&self) -> u128 {
        self.sizes.iter().copied().fold(0, u128::saturating_add)
    }

    fn size_of(&self, theory: &Theory, member: usize) -> u128 {
        let operation = &theory.operations[member];
        let left = match self.how {
            Refutation::Hybrid => {
                let mixed = operation.params.iter().map(|&sort| self.mixed(theory, sort));
                mixed.fold(1, u128::saturating_mul)
            }
            _ => operation.tuples(theory),
        };
        left.saturating_mul(self.rights(theory, operation.result))
    }

    /// The number of right-hand sides.
    fn rights(&self, theory: &Theory, sort: SortId) -> u128 {
        match self.how {
            Refutation::DifferentResult => constants(theory, sort) as u128,
            Refutation::Hybrid => self.mixed(theory, sort),
            _ => self.histories.count(sort, self.histories.depth()),
        }
    }

    /// The number of constants and of histories of terms.
    fn mixed(&self, theory: &Theory, sort: SortId) -> u128 {
        let terms = match theory.makers(sort).is_empty() {
            true => 0,
            false => self.histories.count(sort, self.histories.depth()),
        };
        terms.saturating_add(theory.pool(sort).short.len() as u128)
    }

    /// A constant or a term, and whether it is a term.
    fn mixed_term(&self, theory: &Theory, sort: SortId, number: u128) -> Option<(Made, bool)> {
        let short = &theory.pool(sort).short;
        match number.checked_sub(short.len() as u128) {
            None => Some((constant(&short[number as usize]), false)),
            Some(history) => {
                let depth = self.histories.depth();
                self.histories.first(theory, sort, depth, history).map(|made| (made, true))
            }
        }
    }

    pub(crate) fn contains(&self, theory: &Theory, number: u128) -> bool {
        let Some((left, right)) = self.sides(theory, number) else { return false };
        // Values may be known to differ even if the equation as a whole is too expensive to evaluate.
        refuted(theory, &left.tree, &right.tree).is_some()
    }

    /// Two sides with different values.
    fn sides(&self, theory: &Theory, mut number: u128) -> Option<(Made, Made)> {
        for (&member, &size) in self.members.iter().zip(&self.sizes) {
            if number >= size {
                number -= size;
                continue;
            }
            let operation = &theory.operations[member];
            let rights = self.rights(theory, operation.result);
            let (left, right) = (number / rights, number % rights);
            let args = self.arguments(theory, member, left)?;
            let left = Made::apply(theory, operation, &args.iter().collect::<Vec<_>>())?;
            let right = self.right(theory, operation.result, right, &left.value)?;
            return theory.mixes([&left.tree, &right.tree], &[]).then_some((left, right));
        }
        None
    }

    fn arguments(&self, theory: &Theory, member: usize, number: u128) -> Option<Vec<Made>> {
        let operation = &theory.operations[member];
        if self.how != Refutation::Hybrid {
            return Some(operation.tuple(theory, number).into_iter().map(constant).collect());
        }
        let mut rest = number;
        let (mut args, mut terms) = (Vec::new(), 0);
        for &sort in operation.params.iter().rev() {
            let choices = self.mixed(theory, sort);
            let (made, is_term) = self.mixed_term(theory, sort, rest % choices)?;
            rest /= choices;
            terms += usize::from(is_term);
            args.push(made);
        }
        args.reverse();
        // Without a term it belongs to another category.
        (terms > 0).then_some(args)
    }

    fn right(&self, theory: &Theory, sort: SortId, number: u128, left: &Value) -> Option<Made> {
        let differs = |made: &Made| {
            let cx = EvalContext::new(&theory.store, &theory.model);
            cx.equal(&made.value, left) == Ok(false)
        };
        match self.how {
            Refutation::DifferentResult => {
                let made = match theory.pool(sort).full.get(usize::try_from(number).ok()?) {
                    Some(found) => constant(found),
                    None => truth(number == 1),
                };
                Some(made).filter(differs)
            }
            Refutation::Hybrid => {
                let (made, _) = self.mixed_term(theory, sort, number)?;
                Some(made).filter(differs)
            }
            _ => {
                let depth = self.histories.depth();
                let first = self.histories.first(theory, sort, depth, number);
                first.filter(differs).or_else(|| {
                    let all = self.histories.all(theory, sort, depth, number);
                    all.into_iter().find(differs)
                })
            }
        }
    }

    /// The case with this number.
    pub(crate) fn case(
        &self,
        theory: &Theory,
        number: u128,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let none = || MakeError::NoSuchCase(format!("{name}: there is no such case"));
        let (left, right) = self.sides(theory, number).ok_or_else(none)?;
        let (mut store, equation) = refuted(theory, &left.tree, &right.tree).ok_or_else(none)?;
        let whole = script(&mut store, theory.prelude.clone(), &[equation]);
        let formula = Formula::from_parts(store, whole, theory.env.clone());
        // The equation alone is the core, unless something unnamed could be one.
        let unnamed = formula.assertions().iter().any(|assertion| assertion.names.is_empty());
        let core = ExpectedCore { names: vec![assertion_name(0)] };
        let oracle =
            Oracle::Unsat { why: Why::Certified(Vec::new()), core: (!unnamed).then_some(core) };
        let rules = [left.rules, right.rules].concat();
        TestCase::formula(name, formula, oracle, Origin { rules, ..origin })
            .map_err(MakeError::fault)
    }
}

/// The equation, if it is false under every interpretation.
fn refuted(theory: &Theory, left: &Tree, right: &Tree) -> Option<(Store, TermId)> {
    let mut store = theory.store.clone();
    let sides = [build(&mut store, left, &[])?, build(&mut store, right, &[])?];
    let equation = store.op(core::EQ, &sides).ok()?;
    let truth = Evaluator::new(&store, &Model::new()).holds(equation);
    (truth == Ok(false)).then_some((store, equation))
}

/// The number of constants of a sort; truth values need no pool.
fn constants(theory: &Theory, sort: SortId) -> usize {
    match theory.pool(sort).full.len() {
        0 if sort == SortId::BOOL => 2,
        count => count,
    }
}

fn constant(constant: &Constant) -> Made {
    let (tree, value) = (Tree::Constant(constant.clone()), constant.value.clone());
    Made { tree, value, rules: Vec::new() }
}

fn truth(value: bool) -> Made {
    let value = Value::Bool(value);
    Made { tree: Tree::Value(value.clone()), value, rules: Vec::new() }
}
