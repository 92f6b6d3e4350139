//! Reduction of a failing case: fewer operations, fewer variables, simpler constants.
//!
//! A callback decides which candidates are interesting; nothing here knows domains.

use crate::linear::{Constraint, Linear, Relation};
use crate::program::{Step, Trace, Uses};
use assay_search::{Candidate, Counts, Gain, Panel, Reducible, Search, Tested};
use std::hash::Hasher;

/// The smallest interesting case that was found. The given case must have one assertion.
///
/// `limit` is the maximum number of candidates.
pub fn reduce(case: &Trace, limit: usize, interesting: &mut dyn FnMut(&Trace) -> bool) -> Trace {
    let case = case.slice(0);
    let tries = Tries { limit, interesting };
    let Ok(mut search) = Search::begin((), [case.clone()], None, tries) else { return case };
    let passes = [
        fewer_steps,
        shorter_chain,
        without_head,
        fewer_constraints,
        simpler_numbers,
        fewer_variables,
    ];
    loop {
        let before = search.counts.taken;
        for pass in passes {
            loop {
                let simpler = pass(&search.state);
                let edit = |(): &mut (), _: &Trace, at: usize| Some(simpler[at].clone());
                if search.first_of(simpler.len(), &edit, Gain::Any).is_none() {
                    break;
                }
            }
        }
        if search.is_over() || search.counts.taken == before {
            return search.state;
        }
    }
}

/// The callback, with the maximum number of candidates.
struct Tries<'t> {
    limit: usize,
    interesting: &'t mut dyn FnMut(&Trace) -> bool,
}

impl Panel<Trace> for Tries<'_> {
    fn test(&mut self, cases: &[&Trace]) -> Vec<Tested<()>> {
        cases.iter().map(|case| Tested::when((self.interesting)(case), "not shown")).collect()
    }

    fn is_over(&self, counts: &Counts) -> bool {
        counts.tests >= self.limit
    }
}

impl Reducible for Trace {
    type Home = ();
    type Candidate = Trace;
    type Learnt = ();

    fn candidate(&mut self, (): &(), _: Option<(&Trace, &Trace)>) -> Option<Trace> {
        Some(self.clone())
    }
}

impl Candidate for Trace {
    type Size = usize;

    fn size(&self) -> usize {
        self.steps.len()
    }

    fn key(&self, state: &mut dyn Hasher) {
        state.write(self.to_string().as_bytes());
    }
}

/// Replaces each step in turn by one of its operands, by top or by bottom.
fn fewer_steps(case: &Trace) -> Vec<Trace> {
    let mut candidates = Vec::new();
    for at in (0..case.steps.len()).rev() {
        for operand in case.steps[at].operands() {
            candidates.push(redirected(case, at, operand));
        }
        if !matches!(case.steps[at], Step::Top | Step::Bottom) {
            for constant in [Step::Top, Step::Bottom] {
                let mut candidate = case.clone();
                candidate.steps[at] = constant;
                candidates.push(candidate.slice(0));
            }
        }
        if let Some(same) = case.steps[..at].iter().position(|step| *step == case.steps[at]) {
            candidates.push(redirected(case, at, same));
        }
    }
    let size =
        |case: &Trace| case.steps.iter().filter(|s| !matches!(s, Step::Top | Step::Bottom)).count();
    candidates.retain(|candidate| size(candidate) < size(case));
    candidates
}

/// The case with every use of one element replaced by an earlier one.
fn redirected(case: &Trace, from: usize, to: usize) -> Trace {
    let number = |at: usize| if at == from { to } else { at };
    let mut candidate = case.clone();
    for step in &mut candidate.steps[from + 1..] {
        *step = step.renumbered(&number);
    }
    let check = &mut candidate.checks[0];
    check.elements.iter_mut().for_each(|element| *element = number(*element));
    check.chain.iter_mut().for_each(|element| *element = number(*element));
    check.head = check.head.map(number);
    candidate.slice(0)
}

fn shorter_chain(case: &Trace) -> Vec<Trace> {
    let length = case.checks[0].chain.len();
    let without = |at: usize| {
        let mut candidate = case.clone();
        candidate.checks[0].chain.remove(at);
        candidate.slice(0)
    };
    if length > 1 { (0..length).map(without).collect() } else { Vec::new() }
}

/// The case without the loop head, which is then the left operand.
fn without_head(case: &Trace) -> Vec<Trace> {
    let mut candidate = case.clone();
    candidate.checks[0].head.take().map(|_| candidate.slice(0)).into_iter().collect()
}

fn fewer_constraints(case: &Trace) -> Vec<Trace> {
    let mut candidates = Vec::new();
    for (at, step) in case.steps.iter().enumerate() {
        let Step::Element(constraints) = step else { continue };
        for without in 0..constraints.len() {
            let mut fewer = constraints.to_vec();
            fewer.remove(without);
            if !fewer.is_empty() {
                let mut candidate = case.clone();
                candidate.steps[at] = Step::Element(fewer.into());
                candidates.push(candidate);
            }
        }
    }
    candidates
}

/// Simpler numbers than a number, the simplest first.
fn simpler(number: i128) -> Vec<i128> {
    let plain = [0, 1, -1, 2, -2];
    let mut known: Vec<i128> = plain.into_iter().take_while(|simple| *simple != number).collect();
    if number.unsigned_abs() > 2 {
        known.push(number / 2);
        known.extend(
            [i128::from(i32::MAX), i128::from(i32::MIN)]
                .iter()
                .filter(|named| named.unsigned_abs() < number.unsigned_abs()),
        );
        known.push(number - number.signum());
    }
    known
}

fn simpler_sums(sum: &Linear) -> Vec<Linear> {
    let mut candidates = Vec::new();
    for (variable, coefficient) in sum.terms() {
        for number in simpler(coefficient.into()) {
            let mut coefficients = sum.coefficients.to_vec();
            coefficients[variable] = i64::try_from(number).expect("it is not larger");
            candidates.push(Linear { coefficients: coefficients.into(), ..sum.clone() });
        }
    }
    let constants = simpler(sum.constant).into_iter();
    candidates.extend(constants.map(|constant| Linear { constant, ..sum.clone() }));
    candidates
}

fn simpler_constraints(constraint: &Constraint) -> Vec<Constraint> {
    let sums = simpler_sums(&constraint.sum).into_iter();
    let sums = sums.filter(|sum| sum.terms().next().is_some());
    let mut candidates: Vec<Constraint> =
        sums.map(|sum| Constraint { sum, relation: constraint.relation }).collect();
    if constraint.relation == Relation::Equal {
        candidates.push(Constraint::at_least(constraint.sum.clone()));
    }
    candidates
}

fn simpler_numbers(case: &Trace) -> Vec<Trace> {
    let mut candidates = Vec::new();
    let mut with = |at: usize, step: Step| {
        let mut candidate = case.clone();
        candidate.steps[at] = step;
        candidates.push(candidate);
    };
    for (at, step) in case.steps.iter().enumerate() {
        match step {
            Step::Element(constraints) => {
                for (which, constraint) in constraints.iter().enumerate() {
                    for simple in simpler_constraints(constraint) {
                        let mut list = constraints.to_vec();
                        list[which] = simple;
                        with(at, Step::Element(list.into()));
                    }
                }
            }
            Step::Assign(of, variable, sum) => {
                simpler_sums(sum)
                    .into_iter()
                    .for_each(|s| with(at, Step::Assign(*of, *variable, s)));
            }
            Step::Guard(of, constraint) => {
                let simple = simpler_constraints(constraint).into_iter();
                simple.for_each(|constraint| with(at, Step::Guard(*of, constraint)));
            }
            _ => {}
        }
    }
    let check = &case.checks[0];
    let uses = Uses::of(check.law);
    let sums = if uses.sum { simpler_sums(&check.sum) } else { Vec::new() };
    for sum in sums {
        let mut candidate = case.clone();
        candidate.checks[0].sum = sum;
        candidates.push(candidate);
    }
    let constraints =
        if uses.constraint { simpler_constraints(&check.constraint) } else { Vec::new() };
    for constraint in constraints {
        let mut candidate = case.clone();
        candidate.checks[0].constraint = constraint;
        candidates.push(candidate);
    }
    candidates
}

/// Removes one variable, or merges it with another.
fn fewer_variables(case: &Trace) -> Vec<Trace> {
    if case.dimensions == 1 {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    for gone in (0..case.dimensions).rev() {
        candidates.extend(without_variable(case, gone, None));
        for other in (0..case.dimensions).filter(|other| *other != gone) {
            candidates.extend(without_variable(case, gone, Some(other)));
        }
    }
    candidates
}

/// The case without a variable: its occurrences are replaced by another one or dropped.
fn without_variable(case: &Trace, gone: usize, other: Option<usize>) -> Option<Trace> {
    let number = |variable: usize| -> Option<usize> {
        let variable = if variable == gone { other? } else { variable };
        Some(if variable > gone { variable - 1 } else { variable })
    };
    let linear = |sum: &Linear| -> Option<Linear> {
        let mut coefficients = vec![0i64; case.dimensions - 1];
        for (variable, coefficient) in sum.terms() {
            let place = &mut coefficients[number(variable)?];
            *place = place.checked_add(coefficient)?;
        }
        Some(Linear { coefficients: coefficients.into(), constant: sum.constant })
    };
    let constraint = |c: &Constraint| -> Option<Constraint> {
        let sum = linear(&c.sum)?;
        let kept = sum.terms().next().is_some() || c.sum.terms().next().is_none();
        kept.then_some(Constraint { sum, relation: c.relation })
    };
    let step = |step: &Step| -> Option<Step> {
        Some(match step {
            Step::Element(constraints) => Step::Element(
                constraints.iter().map(constraint).collect::<Option<Vec<_>>>()?.into(),
            ),
            Step::Assign(of, variable, sum) => Step::Assign(*of, number(*variable)?, linear(sum)?),
            Step::Project(of, variable) => Step::Project(*of, number(*variable)?),
            Step::Guard(of, c) => Step::Guard(*of, constraint(c)?),
            other => other.clone(),
        })
    };
    let steps = case.steps.iter().map(step).collect::<Option<Vec<_>>>()?;
    let mut check = case.checks[0].clone();
    let uses = Uses::of(check.law);
    check.variable = if uses.variable { number(check.variable)? } else { 0 };
    check.sum = linear(&check.sum)?;
    check.constraint = constraint(&check.constraint)?;
    Some(Trace { dimensions: case.dimensions - 1, steps, checks: vec![check], ..*case })
}
