//! Judging optima.

use super::found;
use crate::finding::{Contradiction, Doubt, Evidence, FindingKind, Judgement, Miss};
use crate::formula::{Formula, Goal};
use crate::number::number;
use crate::oracle::{Extremum, Why};
use crate::readings::{Examined, Reading};
use assay_smtlib::{Bound, Command, Objective as Reported};
use assay_term::{Budget, Evaluator, Model, Store, TermId, Value};
use num_rational::BigRational;
use std::cmp::Ordering;

/// Judges the optima of a sat answer whose model, if any, falsifies nothing. The budget is for
/// evaluating the objectives.
pub(super) fn judge(
    formula: &Formula,
    optima: &[Extremum],
    why: &Why,
    reported: Option<&str>,
    model: Option<Examined>,
    budget: &mut Budget,
) -> Judgement {
    let judgement = judged(formula, optima, why, reported, model, budget);
    let unsure = matches!(
        judgement,
        Judgement::Correct | Judgement::Inconclusive(Doubt::Objectives(_) | Doubt::Model(_))
    );
    // An evaluation that ran out of time may have missed an error.
    let late = budget.time_left().is_some_and(|left| left.is_zero());
    if unsure && late { Judgement::Inconclusive(Doubt::Slow) } else { judgement }
}

fn judged(
    formula: &Formula,
    optima: &[Extremum],
    why: &Why,
    reported: Option<&str>,
    model: Option<Examined>,
    budget: &mut Budget,
) -> Judgement {
    if let Some(Examined::True(reading)) = &model {
        if let Some(contradiction) = beaten(formula, optima, reading, budget) {
            return Judgement::OracleContradicted(contradiction);
        }
    }
    match (compare(formula, optima, reported, budget), model) {
        (Ok(Some(evidence)), _) => found(FindingKind::WrongOptimum, why.grade(), evidence),
        (Err(reason), _) => Judgement::Inconclusive(Doubt::Objectives(reason)),
        (Ok(None), Some(Examined::Doubtful(reason))) => {
            Judgement::Inconclusive(Doubt::Model(reason))
        }
        (Ok(None), Some(Examined::Slow)) => Judgement::Inconclusive(Doubt::Slow),
        (Ok(None), Some(Examined::True(reading))) => {
            match missed(formula, optima, &reading, budget) {
                Some(evidence) => found(FindingKind::WrongOptimum, why.grade(), evidence),
                None => Judgement::Correct,
            }
        }
        (Ok(None), _) => Judgement::Correct,
    }
}

/// Whether a model that satisfies the assertions is better than the optimum that is reported, if
/// nothing else is known of the optimum. Values that cannot be compared decide nothing.
pub(super) fn outdone(
    formula: &Formula,
    reported: Option<&str>,
    reading: &Reading,
    budget: &mut Budget,
) -> Option<Evidence> {
    let objectives = formula.objectives();
    // Several may be optimized in an order or front that an option of the formula chooses.
    if objectives.is_empty() || objectives.len() > 1 && sets_priority(formula) {
        return None;
    }
    let mut store = formula.store().clone();
    let reports = formula.read_objectives_with(&mut store, reported?).ok()?;
    if reports.len() != objectives.len() {
        return None;
    }
    for (objective, (of, report)) in objectives.iter().zip(&reports).enumerate() {
        let misplaced = of.group.as_ref().is_some_and(|group| *group != report.name);
        if misplaced && objectives.len() > 1 {
            return None;
        }
        let reported = extremum(&store, report, budget)?;
        let value = value_of(&reading.store, &reading.model, of.cost?, budget)?;
        let found = Extremum::Value(value);
        match side(of.goal, &found, &reported)? {
            None => {}
            Some(Miss::Suboptimal) => return None,
            Some(Miss::Impossible) => {
                return Some(Evidence::ModelBeats { objective, found, reported });
            }
        }
    }
    None
}

/// Whether an option says how several objectives are optimized together.
fn sets_priority(formula: &Formula) -> bool {
    let is_priority = |command: &Command| match command {
        Command::SetOption(option) => option.keyword.ends_with("priority"),
        _ => false,
    };
    formula.script().commands.iter().any(is_priority)
}
/// Whether a model that satisfies the assertions is better than our optimum. The first objective on
/// which they differ decides, which is right for lexicographic and for independent objectives.
fn beaten(
    formula: &Formula,
    optima: &[Extremum],
    reading: &Reading,
    budget: &mut Budget,
) -> Option<Contradiction> {
    let (store, model) = (&reading.store, &reading.model);
    for (objective, (of, expected)) in formula.objectives().iter().zip(optima).enumerate() {
        let value = value_of(store, model, of.cost?, budget)?;
        let found = Extremum::Value(value);
        match side(of.goal, &found, expected)? {
            None => {}
            Some(Miss::Suboptimal) => return None,
            Some(Miss::Impossible) => {
                let expected = expected.clone();
                return Some(Contradiction::Optimum { objective, expected, found });
            }
        }
    }
    None
}

/// Whether the model certainly fails to attain the optima, all of which were reported correctly.
fn missed(
    formula: &Formula,
    optima: &[Extremum],
    reading: &Reading,
    budget: &mut Budget,
) -> Option<Evidence> {
    let mut model = reading.printed.clone()?;
    model.extend(formula.definitions());
    for (objective, (of, expected)) in formula.objectives().iter().zip(optima).enumerate() {
        // No model has an infinite value.
        let Extremum::Value(_) = expected else { return None };
        let found = Extremum::Value(value_of(&reading.store, &model, of.cost?, budget)?);
        if let Some(Miss::Suboptimal) = side(of.goal, &found, expected)? {
            let expected = expected.clone();
            return Some(Evidence::ModelMisses { objective, found, expected });
        }
    }
    None
}

/// The first reported value that is not the optimum; the error says why values cannot be compared.
fn compare(
    formula: &Formula,
    optima: &[Extremum],
    reported: Option<&str>,
    budget: &mut Budget,
) -> Result<Option<Evidence>, String> {
    let text = reported.ok_or("none were reported")?;
    let mut store = formula.store().clone();
    let reports = formula.read_objectives_with(&mut store, text).map_err(|error| error.message)?;
    if reports.len() != optima.len() {
        return Err(format!("{} were reported instead of {}", reports.len(), optima.len()));
    }
    let mut unclear = None;
    for (objective, (report, expected)) in reports.iter().zip(optima).enumerate() {
        let of = &formula.objectives()[objective];
        let position = objective + 1;
        let misplaced = of.group.as_ref().is_some_and(|group| *group != report.name);
        if misplaced && optima.len() > 1 {
            return Err(format!("objective {position} is reported as `{}`", report.name));
        }
        let Some(value) = extremum(&store, report, budget) else {
            let words = || format!("the value of objective {position} is not a plain number");
            unclear.get_or_insert_with(words);
            continue;
        };
        match side(of.goal, &value, expected) {
            Some(None) => {}
            Some(Some(miss)) => {
                let expected = expected.clone();
                return Ok(Some(Evidence::Optimum { objective, reported: value, expected, miss }));
            }
            None => return Err(format!("the value of objective {position} is not a number")),
        }
    }
    unclear.map_or(Ok(None), Err)
}

/// The value of a term, if it can be evaluated within the budget.
fn value_of(store: &Store, model: &Model, term: TermId, budget: &mut Budget) -> Option<Value> {
    let mut evaluator = Evaluator::new(store, model).with_budget(budget.clone());
    let value = evaluator.eval(term).ok();
    *budget = evaluator.into_budget();
    value
}

fn extremum(store: &Store, report: &Reported, budget: &mut Budget) -> Option<Extremum> {
    match &report.bound {
        Bound::Value(term) => {
            let value = value_of(store, &Model::new(), *term, budget)?;
            number(&value).map(|_| Extremum::Value(value))
        }
        Bound::PlusInfinity => Some(Extremum::PlusInfinity),
        Bound::MinusInfinity => Some(Extremum::MinusInfinity),
        Bound::Other(_) => None,
    }
}

/// How a value differs from the optimum; the outer `None` means that they cannot be compared.
fn side(goal: Goal, value: &Extremum, optimum: &Extremum) -> Option<Option<Miss>> {
    let (value, optimum) = (Line::of(value)?, Line::of(optimum)?);
    let better = match goal {
        Goal::Minimize => optimum.cmp(&value),
        Goal::Maximize => value.cmp(&optimum),
    };
    Some(match better {
        Ordering::Equal => None,
        Ordering::Greater => Some(Miss::Impossible),
        Ordering::Less => Some(Miss::Suboptimal),
    })
}

/// The number line with both infinities.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Line {
    MinusInfinity,
    Number(BigRational),
    PlusInfinity,
}

impl Line {
    fn of(extremum: &Extremum) -> Option<Line> {
        Some(match extremum {
            Extremum::MinusInfinity => Line::MinusInfinity,
            Extremum::Value(value) => Line::Number(number(value)?),
            Extremum::PlusInfinity => Line::PlusInfinity,
        })
    }
}
