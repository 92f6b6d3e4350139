//! Judging optima: those of each objective, and Pareto fronts.

use super::{certain, found};
use crate::finding::{Contradiction, Doubt, Evidence, FindingKind, Judgement, Miss, PointFault};
use crate::formula::{Formula, Goal, Priority};
use crate::front::{Front, FrontEnd, PointReply};
use crate::number::number;
use crate::oracle::{Extremum, Point, Why};
use crate::readings::{Examined, Reading, examine};
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
    unless_late(judged(formula, optima, why, reported, model, budget), budget)
}

/// A part that is correct as far as it was evaluated may still be wrong.
fn unless_late(judgement: Judgement, budget: &Budget) -> Judgement {
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

/// Whether a model that satisfies the assertions is better than the optimum that is reported, or does
/// not attain it, if nothing else is known of the optimum. The error says why that is not clear.
pub(super) fn at_odds(
    formula: &Formula,
    reported: Option<&str>,
    reading: &Reading,
    budget: &mut Budget,
) -> Result<Option<Evidence>, String> {
    let objectives = formula.objectives();
    // Several may be optimized in an order or front that an option of the formula chooses.
    if objectives.is_empty() || objectives.len() > 1 && sets_priority(formula) || reported.is_none()
    {
        return Ok(None);
    }
    let mut optima = Vec::new();
    for (position, claim) in claims(formula, reported, budget)?.into_iter().enumerate() {
        let Claimed::At(optimum) = claim else {
            return Err(format!("the value of objective {} is not a plain number", position + 1));
        };
        optima.push(optimum);
    }
    Ok(outdone(formula, &optima, reading, budget)
        .or_else(|| missed(formula, &optima, reading, budget)))
}

/// Whether a model is better than the reported optima. Values that cannot be compared decide nothing.
fn outdone(
    formula: &Formula,
    optima: &[Extremum],
    reading: &Reading,
    budget: &mut Budget,
) -> Option<Evidence> {
    for (objective, (of, reported)) in formula.objectives().iter().zip(optima).enumerate() {
        let value = value_of(&reading.store, &reading.model, of.cost?, budget)?;
        let found = Extremum::Value(value);
        match side(of.goal, &found, reported)? {
            None => {}
            Some(Miss::Suboptimal) => return None,
            Some(Miss::Impossible) => {
                let reported = reported.clone();
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

/// Whether a model that satisfies the assertions is better than our optimum. If objectives are ranked,
/// the first one on which they differ decides.
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
            Some(Miss::Suboptimal) if formula.priority() == Priority::Box => {}
            Some(Miss::Suboptimal) => return None,
            Some(Miss::Impossible) => {
                let expected = expected.clone();
                return Some(Contradiction::Optimum { objective, expected, found });
            }
        }
    }
    None
}

/// Whether the model certainly fails to attain the optima that were reported.
fn missed(
    formula: &Formula,
    optima: &[Extremum],
    reading: &Reading,
    budget: &mut Budget,
) -> Option<Evidence> {
    // Optima of objectives that are taken one by one belong to different models.
    if formula.priority() == Priority::Box && optima.len() > 1 {
        return None;
    }
    let mut model = reading.printed.clone()?;
    model.extend(formula.definitions());
    for (objective, (of, expected)) in formula.objectives().iter().zip(optima).enumerate() {
        // No model has an infinite value, or one that is not attained.
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
    let claims = claims(formula, reported, budget)?;
    let mut unclear = None;
    for (objective, (claim, expected)) in claims.into_iter().zip(optima).enumerate() {
        let goal = formula.objectives()[objective].goal;
        let position = objective + 1;
        let expected = expected.clone();
        match claim {
            Claimed::At(reported) => match side(goal, &reported, &expected) {
                Some(None) => {}
                Some(Some(miss)) => {
                    return Ok(Some(Evidence::Optimum { objective, reported, expected, miss }));
                }
                None => return Err(format!("the value of objective {position} is not a number")),
            },
            Claimed::Between(least, most) => {
                if excludes(&least, &most, &expected) {
                    let (least, most) = (least.into(), most.into());
                    return Ok(Some(Evidence::Bounds { objective, least, most, expected }));
                }
                unclear.get_or_insert_with(|| {
                    format!("objective {position} is only said to be between {least} and {most}")
                });
            }
            Claimed::Unclear => {
                let words = || format!("the value of objective {position} is not a plain number");
                unclear.get_or_insert_with(words);
            }
        }
    }
    unclear.map_or(Ok(None), Err)
}

/// A statement about an objective.
enum Claimed {
    /// Its optimum.
    At(Extremum),
    /// Bounds of its optimum.
    Between(Extremum, Extremum),
    /// Something that is not understood.
    Unclear,
}

/// The statements about each objective; the error says why they are not clear.
fn claims(
    formula: &Formula,
    reported: Option<&str>,
    budget: &mut Budget,
) -> Result<Vec<Claimed>, String> {
    let text = reported.ok_or("none were reported")?;
    let mut store = formula.store().clone();
    let reports = formula.read_objectives_with(&mut store, text).map_err(|error| error.message)?;
    let objectives = formula.objectives();
    if reports.len() != objectives.len() {
        return Err(format!("{} were reported instead of {}", reports.len(), objectives.len()));
    }
    let mut claims = Vec::new();
    for (position, (report, of)) in reports.iter().zip(objectives).enumerate() {
        let misplaced = of.group.as_ref().is_some_and(|group| *group != report.name);
        if misplaced && objectives.len() > 1 {
            return Err(format!("objective {} is reported as `{}`", position + 1, report.name));
        }
        claims.push(claimed(&store, report, budget));
    }
    Ok(claims)
}

fn claimed(store: &Store, report: &Reported, budget: &mut Budget) -> Claimed {
    let claimed = match &report.bound {
        Bound::Between(least, most) => {
            let ends = [least, most].map(|end| extremum(store, end, budget));
            let [least, most] = ends;
            least.zip(most).map(|(least, most)| Claimed::Between(least, most))
        }
        bound => extremum(store, bound, budget).map(Claimed::At),
    };
    claimed.unwrap_or(Claimed::Unclear)
}

fn extremum(store: &Store, bound: &Bound, budget: &mut Budget) -> Option<Extremum> {
    match bound {
        Bound::Value(term) => {
            let value = value_of(store, &Model::new(), *term, budget)?;
            number(&value).map(|_| Extremum::Value(value))
        }
        Bound::PlusInfinity => Some(Extremum::PlusInfinity),
        Bound::MinusInfinity => Some(Extremum::MinusInfinity),
        Bound::JustAbove(limit) => Some(Extremum::JustAbove(limit.clone().into())),
        Bound::JustBelow(limit) => Some(Extremum::JustBelow(limit.clone().into())),
        Bound::Between(..) | Bound::Other(_) => None,
    }
}

/// The value of a term, if it can be evaluated within the budget.
fn value_of(store: &Store, model: &Model, term: TermId, budget: &mut Budget) -> Option<Value> {
    let mut evaluator = Evaluator::new(store, model).with_budget(budget.clone());
    let value = evaluator.eval(term).ok();
    *budget = evaluator.into_budget();
    value
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

/// Whether the optimum is certainly outside.
fn excludes(least: &Extremum, most: &Extremum, optimum: &Extremum) -> bool {
    let lines = (Line::of(least), Line::of(optimum), Line::of(most));
    matches!(lines, (Some(least), Some(optimum), Some(most)) if optimum < least || most < optimum)
}

/// The number line with both infinities.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Line {
    MinusInfinity,
    Number(BigRational, Closeness),
    PlusInfinity,
}

/// Where something is that is infinitely close to a number. How close means nothing.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Closeness {
    Below,
    Same,
    Above,
}

impl Line {
    fn of(extremum: &Extremum) -> Option<Line> {
        Some(match extremum {
            Extremum::MinusInfinity => Line::MinusInfinity,
            Extremum::JustBelow(limit) => Line::Number((**limit).clone(), Closeness::Below),
            Extremum::Value(value) => Line::Number(number(value)?, Closeness::Same),
            Extremum::JustAbove(limit) => Line::Number((**limit).clone(), Closeness::Above),
            Extremum::PlusInfinity => Line::PlusInfinity,
        })
    }
}

/// Judges the points of a Pareto front. Only what was reported is judged; whether the solver
/// answered every question is for the caller.
pub(super) fn judge_front(
    formula: &Formula,
    expected: &[Point],
    why: &Why,
    front: &Front,
    budget: &mut Budget,
) -> Judgement {
    unless_late(judged_front(formula, expected, why, front, budget), budget)
}

fn judged_front(
    formula: &Formula,
    expected: &[Point],
    why: &Why,
    front: &Front,
    budget: &mut Budget,
) -> Judgement {
    let wrong = |evidence| found(FindingKind::WrongOptimum, why.grade(), evidence);
    let mut seen = vec![false; expected.len()];
    let mut doubt = None;
    for (at, reply) in front.points.iter().enumerate() {
        match judge_model(formula, expected, reply, budget) {
            Ok(None) => {}
            Ok(Some(reason)) => {
                doubt.get_or_insert(reason);
            }
            Err(judgement) => return *judgement,
        }
        let point = match reported_point(formula, reply, budget) {
            Ok(point) => point,
            Err(reason) => {
                doubt.get_or_insert(Doubt::Objectives(reason));
                continue;
            }
        };
        let position = expected.iter().position(|known| is_same(formula, &point, known));
        let fault = match position {
            None => PointFault::NotOptimal,
            Some(position) if seen[position] => PointFault::Repeated,
            Some(position) => {
                seen[position] = true;
                continue;
            }
        };
        return wrong(Evidence::FrontPoint { check: at + 1, point, fault });
    }
    if let Some(doubt) = doubt {
        return Judgement::Inconclusive(doubt);
    }
    let missing = seen.iter().position(|seen| !seen);
    let check = front.points.len() + 1;
    match (front.end, missing) {
        (FrontEnd::Exhausted, Some(at)) => {
            wrong(Evidence::FrontEnd { check, missing: expected[at].clone() })
        }
        (FrontEnd::Another, None) => {
            let (of, truth) = (check, "unsat");
            wrong(Evidence::Question { question: check, of, truth })
        }
        (FrontEnd::Exhausted, None) => Judgement::Correct,
        (FrontEnd::Another | FrontEnd::Open, _) => {
            Judgement::Inconclusive(Doubt::Objectives("not all points were asked for".into()))
        }
    }
}

/// What the model of a point shows: that it is wrong, that we are wrong, or why it decides nothing.
fn judge_model(
    formula: &Formula,
    expected: &[Point],
    reply: &PointReply,
    budget: &mut Budget,
) -> Result<Option<Doubt>, Box<Judgement>> {
    let Some(text) = &reply.model else { return Ok(None) };
    let reading = match examine(formula, text, budget) {
        Examined::True(reading) => reading,
        Examined::False(place) => {
            let evidence = Evidence::FalseAssertion(place);
            return Err(Box::new(certain(FindingKind::InvalidModel, evidence)));
        }
        Examined::Doubtful(reason) => return Ok(Some(Doubt::Model(reason))),
        Examined::Slow => return Ok(Some(Doubt::Slow)),
        Examined::Unreadable(_) => return Ok(None),
    };
    let values = formula.objectives().iter().map(|objective| {
        let value = value_of(&reading.store, &reading.model, objective.cost?, budget)?;
        number(&value).map(|_| Extremum::Value(value))
    });
    let Some(values) = values.collect::<Option<Vec<Extremum>>>() else { return Ok(None) };
    let is_reached = |Point(best): &Point| {
        let sides = formula.objectives().iter().zip(values.iter().zip(best));
        sides.into_iter().all(|(of, (value, best))| {
            side(of.goal, value, best).is_none_or(|side| side != Some(Miss::Impossible))
        })
    };
    match expected.iter().any(is_reached) {
        true => Ok(None),
        false => {
            let contradiction = Contradiction::Front(Point(values));
            Err(Box::new(Judgement::OracleContradicted(contradiction)))
        }
    }
}

/// The values that are reported for a point; the error says why they are not clear.
fn reported_point(
    formula: &Formula,
    reply: &PointReply,
    budget: &mut Budget,
) -> Result<Point, String> {
    let claims = claims(formula, reply.objectives.as_deref(), budget)?;
    let values = claims.into_iter().enumerate().map(|(position, claim)| match claim {
        Claimed::At(value) => Ok(value),
        Claimed::Between(..) | Claimed::Unclear => {
            Err(format!("the value of objective {} is not a plain number", position + 1))
        }
    });
    values.collect::<Result<_, _>>().map(Point)
}

fn is_same(formula: &Formula, Point(a): &Point, Point(b): &Point) -> bool {
    let sides = formula.objectives().iter().zip(a.iter().zip(b));
    sides.into_iter().all(|(of, (a, b))| side(of.goal, a, b) == Some(None))
}
