//! Every assignment of given values to variables. If a premise is false after the first few values,
//! the rest of the assignment is skipped.

use super::assignment_search::AssignmentSearch;
use super::conjunction::{Conjunction, Part, Sight};
use super::level::blank;
use super::rule::Variable;
use super::unfold::unassigned;
use assay_term::{Interpretation, Model, Unknown, Value};

/// The conclusion to be checked if the premise holds.
pub(crate) enum Conclusion {
    /// These hold.
    Holds(Conjunction),
    /// These hold for some values of the variables.
    HoldsFor(Vec<Variable>, Vec<Vec<Value>>, Conjunction),
}

/// The result of an enumeration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Number of assignments, including those skipped after their first few values.
    pub(crate) assignments: u128,
    /// Number of assignments for which the premise and the conclusion held.
    pub(crate) held: u64,
    /// Number of assignments for which something was unknown.
    pub(crate) unknown: u64,
}

/// Why an enumeration stopped early.
pub(crate) enum Stop {
    /// The premise holds here and the conclusion does not.
    Counterexample(Vec<Value>),
    /// The budget was exceeded.
    Budget,
}

/// An enumeration of all assignments from given domains.
pub(crate) struct Enumeration<'a> {
    pub(crate) sight: Sight<'a>,
    pub(crate) world: &'a Model,
    pub(crate) variables: &'a [Variable],
    pub(crate) domains: &'a [Vec<Value>],
    pub(crate) premise: &'a Conjunction,
    pub(crate) conclusion: &'a Conclusion,
}

impl Enumeration<'_> {
    pub(crate) fn run(&mut self) -> Result<Tally, Stop> {
        let sizes = self.domains.iter().map(|domain| domain.len() as u128);
        let mut tally =
            Tally { assignments: sizes.fold(1, u128::saturating_mul), ..Tally::default() };
        let mut model = blank(self.world, self.variables);
        let open: Vec<&Part> = self.premise.parts.iter().collect();
        let mut values = vec![None; self.variables.len()];
        self.descend(&mut model, &open, &mut values, &mut tally)?;
        Ok(tally)
    }

    fn descend(
        &mut self,
        model: &mut Model,
        open: &[&Part],
        values: &mut Vec<Option<Value>>,
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        if self.sight.left == 0 {
            return Err(Stop::Budget);
        }
        let Some(open) = self.sight.narrow(model, open) else { return Ok(()) };
        let Some(first) = values.iter().position(Option::is_none) else {
            return self.conclude(model, &open, values, tally);
        };
        // A variable that an equation determines comes first. Other values would make the equation false.
        let tightest = self.sight.tightest(model, &open, self.variables, values);
        let (next, candidates) = match &tightest {
            Some((at, possible)) => (*at, possible),
            None => (first, &self.domains[first]),
        };
        for value in candidates {
            model.set(self.variables[next].func, Interpretation::Value(value.clone()));
            values[next] = Some(value.clone());
            self.descend(model, &open, values, tally)?;
        }
        values[next] = None;
        model.set(self.variables[next].func, unassigned());
        Ok(())
    }

    fn conclude(
        &mut self,
        model: &mut Model,
        open: &[&Part],
        values: &[Option<Value>],
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        if !open.is_empty() {
            tally.unknown += 1;
            return Ok(());
        }
        match self.conclusion.holds(&mut self.sight, model, self.variables) {
            Ok(true) => tally.held += 1,
            Ok(false) => {
                return Err(Stop::Counterexample(values.iter().flatten().cloned().collect()));
            }
            Err(_) => tally.unknown += 1,
        }
        Ok(())
    }
}

impl Conclusion {
    /// Whether it holds. If values had to be found and none were, it does not.
    pub(crate) fn holds(
        &self,
        sight: &mut Sight<'_>,
        model: &mut Model,
        given: &[Variable],
    ) -> Result<bool, Unknown> {
        match self {
            Conclusion::Holds(formulas) => formulas.holds(sight, model),
            Conclusion::HoldsFor(sought, domains, formulas) => {
                let own = Sight { store: sight.store, left: SEARCH };
                let mut search = AssignmentSearch {
                    sight: own,
                    given,
                    sought,
                    domains,
                    formulas,
                    suggestions: true,
                    met_unknown: false,
                };
                let found = search.run(model);
                let decided = !search.met_unknown && search.sight.left > 0;
                sight.left = sight.left.saturating_sub(SEARCH - search.sight.left);
                match found {
                    Some(_) => Ok(true),
                    None if decided => Ok(false),
                    None => Err(Unknown::Limit("values for variables")),
                }
            }
        }
    }
}

/// Budget of evaluations for auxiliary values.
const SEARCH: u64 = 40_000;
