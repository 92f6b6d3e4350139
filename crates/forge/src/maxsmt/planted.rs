//! Equations that hold under a known assignment, some of them hard and some soft, together with soft
//! constraints that contradict each other.
//!
//! Why the optimum is known: at most one equation between a variable and different constants holds,
//! and a formula or its negation fails. If the heaviest constraint of such a group holds under the
//! assignment, exactly the rest of the group is lost, and no other constraint is lost.

use super::TRIES;
use super::problem::{Objective, Problem, Soft, Wish};
use super::spec::{Style, Weight, zero};
use crate::draw::Draw;
use crate::equation::{Equation, build, stem};
use crate::space::Spaces;
use crate::theory::Theory;
use assay_case::{MakeError, Origin, TestCase};
use assay_term::eval::EvalContext;
use assay_term::theories::core;
use assay_term::{Interpretation, Model, SortId, TermId, Value};
use num_rational::BigRational;
use std::sync::Arc;

/// The equations of a suite's operations in one style.
pub(crate) struct Planted {
    pub(crate) spaces: Arc<Vec<Spaces>>,
    pub(crate) style: Style,
    pub(crate) weights: Vec<Weight>,
}

/// A variable with its value.
struct Variable {
    term: TermId,
    sort: SortId,
    value: Value,
}

/// A problem together with an assignment and the cost that every assignment has at least.
struct Garden<'t> {
    theory: &'t Theory,
    problem: Problem,
    model: Model,
    stems: Vec<&'static str>,
    /// The minimum cost of each group.
    lost: Vec<(Option<&'static str>, BigRational)>,
    rules: Vec<String>,
}

impl Planted {
    /// The case with this number.
    pub(crate) fn case(
        &self,
        theory: &Theory,
        number: u128,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let mut draw = Draw::new(&format!("{}/operations", self.style.name()), number);
        let fault = |words: &str| MakeError::fault(format!("{name}: {words}"));
        let mut garden = Garden::new(theory);
        // The second equation is soft, and so is its negation.
        let least = match self.style {
            Style::SubsetHolds | Style::SeveralObjectives => 2,
            _ => 1,
        };
        for at in 0..draw.between(least, 3) {
            let equation =
                self.equation(theory, &mut draw).ok_or_else(|| fault("no equation was found"))?;
            let planted = garden.plant(equation);
            let (holds, variables) =
                planted.ok_or_else(|| fault("an equation that cannot be written"))?;
            if at == 0 && self.style != Style::OnlySoft {
                garden.problem.hard.push(holds);
            } else {
                self.wish(&mut garden, &mut draw, holds, |garden| {
                    let no = garden.problem.store.op(core::NOT, &[holds]);
                    vec![no.expect("a formula can be negated")]
                });
            }
            for variable in &variables {
                let Some(constant) = garden.problem.store.value(&variable.value) else { continue };
                let equals = garden.equals(variable, constant);
                let contested = draw.below(2) == 0;
                self.wish(&mut garden, &mut draw, equals, |garden| {
                    if contested { garden.rivals(variable) } else { Vec::new() }
                });
            }
        }
        let Garden { problem, model, lost, rules, .. } = garden;
        let mut optima = Vec::new();
        for objective in problem.objectives() {
            let Objective::Group(group) = objective else { continue };
            let known = lost.iter().find(|(other, _)| *other == group);
            optima.push(known.map_or_else(zero, |(_, lost)| lost.clone()));
        }
        problem.into_case(model, &optima, rules, name, origin)
    }

    /// An equation with variables.
    fn equation(&self, theory: &Theory, draw: &mut Draw) -> Option<Equation> {
        (0..TRIES).find_map(|_| {
            let spaces = draw.pick(&self.spaces);
            let equation = spaces.equation(theory, draw.below_large(spaces.size()));
            equation.filter(|equation| !equation.variables.is_empty())
        })
    }

    /// Adds a soft constraint that holds and, if not all are to hold, lighter ones that exclude it and
    /// each other.
    fn wish(
        &self,
        garden: &mut Garden<'_>,
        draw: &mut Draw,
        holds: TermId,
        rivals: impl FnOnce(&mut Garden<'_>) -> Vec<TermId>,
    ) {
        let group = match self.style {
            Style::SeveralObjectives => Some(garden.next_group()),
            _ => None,
        };
        let rivals = match self.style {
            Style::AllSoftHold => Vec::new(),
            _ => rivals(garden),
        };
        let mut weights: Vec<Weight> =
            (0..=rivals.len()).map(|_| draw.pick(&self.weights).clone()).collect();
        weights.sort_by(|a, b| b.value.cmp(&a.value));
        for (term, weight) in std::iter::once(holds).chain(rivals).zip(weights) {
            if term != holds {
                garden.lose(group, &weight.value);
            }
            garden.problem.wishes.push(Wish::Soft(Soft { term, weight, group }));
        }
    }
}

impl Garden<'_> {
    fn new(theory: &Theory) -> Garden<'_> {
        let problem = Problem {
            store: theory.store.clone(),
            env: theory.env.clone(),
            script: theory.prelude.clone(),
            hard: Vec::new(),
            wishes: Vec::new(),
        };
        let model = theory.model.clone();
        let (stems, lost, rules) = (Vec::new(), Vec::new(), Vec::new());
        Garden { theory, problem, model, stems, lost, rules }
    }

    /// Declares the variables of an equation; returns the equation as a term.
    fn plant(&mut self, equation: Equation) -> Option<(TermId, Vec<Variable>)> {
        let (mut variables, mut terms) = (Vec::new(), Vec::new());
        for (sort, value) in equation.variables {
            let stem = stem(&self.problem.store, sort);
            let number = self.stems.iter().filter(|other| **other == stem).count();
            self.stems.push(stem);
            let name = format!("{stem}{number}");
            let func = self.problem.store.declare(&name, &[], sort);
            self.problem.declare(func)?;
            self.model.set(func, Interpretation::Value(value.clone()));
            let term = self.problem.store.constant(&name, sort);
            terms.push((term, stem));
            variables.push(Variable { term, sort, value });
        }
        let sides = [&equation.left, &equation.right];
        let [left, right] = sides.map(|tree| build(&mut self.problem.store, tree, &terms));
        let holds = self.problem.store.op(core::EQ, &[left?, right?]).ok()?;
        self.rules.extend(equation.rules);
        Some((holds, variables))
    }

    fn equals(&mut self, variable: &Variable, constant: TermId) -> TermId {
        let equation = self.problem.store.op(core::EQ, &[variable.term, constant]);
        equation.expect("both have the same sort")
    }

    /// Equations between the variable and constants that differ from its value and from each other.
    fn rivals(&mut self, variable: &Variable) -> Vec<TermId> {
        let context = EvalContext::new(&self.theory.store, &self.theory.model);
        let mut values = vec![&variable.value];
        let mut constants = Vec::new();
        for constant in &self.theory.pool(variable.sort).full {
            let differs = |known: &&Value| context.equal(known, &constant.value) == Ok(false);
            if values.iter().all(differs) {
                values.push(&constant.value);
                constants.push(constant.term);
            }
            if constants.len() == RIVALS {
                break;
            }
        }
        constants.into_iter().map(|constant| self.equals(variable, constant)).collect()
    }

    /// The groups in turn.
    fn next_group(&self) -> &'static str {
        let last = self.problem.wishes.iter().rev().find_map(|wish| match wish {
            Wish::Soft(soft) => soft.group,
            Wish::Number(..) => None,
        });
        match last {
            Some("first") => "second",
            Some("second") => "third",
            _ => "first",
        }
    }

    fn lose(&mut self, group: Option<&'static str>, weight: &BigRational) {
        match self.lost.iter_mut().find(|(known, _)| *known == group) {
            Some((_, lost)) => *lost += weight,
            None => self.lost.push((group, weight.clone())),
        }
    }
}

/// Maximum number of other constants in soft equations for a variable.
const RIVALS: usize = 2;
