//! A solver's answers about a Pareto front: it is asked repeatedly, and answers `sat` with another
//! point each time, until it answers `unsat`.

use crate::answer::Answer;
use crate::formula::Formula;
use crate::observation::{Observation, Output, crash, failure, is_error, verdict};
use crate::reply::{Part, Replies, Spoiled, Tail};
use assay_smtlib::{Response, responses};

/// The points that were reported, in order.
#[derive(Clone, PartialEq, Debug)]
pub struct Front {
    /// The points.
    pub points: Vec<PointReply>,
    /// The answer after them.
    pub end: FrontEnd,
}

/// The answer after the points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrontEnd {
    /// That there is no other.
    Exhausted,
    /// That there is another, after as many as are asked for.
    Another,
    /// Nothing that decides it.
    Open,
}

/// A point, as printed.
#[derive(Clone, PartialEq, Debug)]
pub struct PointReply {
    /// The model.
    pub model: Option<String>,
    /// The objectives.
    pub objectives: Option<String>,
    /// The requested parts that cannot be used.
    pub spoiled: Vec<Spoiled>,
}

impl Observation {
    /// Interprets the output for a script that asks for the points of a Pareto front, each with
    /// what follows its verdict. The answer is `sat` once a point was found and every question up
    /// to the first `unsat` was answered; otherwise it is what kept the solver from that.
    #[must_use]
    pub fn from_front(output: &Output<'_>, formula: &Formula) -> Observation {
        let said = responses(output.stdout);
        // Questions after `unsat` have no answer.
        let settles = |response: &Response<'_>| {
            is_error(response) || verdict(response).is_some_and(|answer| answer != Answer::Sat)
        };
        let settled = said.iter().position(settles);
        let heard = &said[..settled.map_or(said.len(), |at| at + 1)];
        let verdicts: Vec<(usize, Answer)> = heard
            .iter()
            .enumerate()
            .filter_map(|(at, response)| Some((at, verdict(response)?)))
            .take(formula.checks())
            .collect();
        let mut points = Vec::new();
        for (position, (at, answer)) in verdicts.iter().enumerate() {
            // Nothing is asked about the model of the last question.
            if *answer == Answer::Sat && position + 1 < formula.checks() {
                let next = verdicts.get(position + 1).map_or(heard.len(), |(at, _)| *at);
                points.push(PointReply::read(&heard[at + 1..next], output));
            }
        }
        let said_last = verdicts.last().map(|(_, answer)| answer.clone());
        let end = match &said_last {
            Some(Answer::Unsat) => FrontEnd::Exhausted,
            Some(Answer::Sat) if verdicts.len() == formula.checks() => FrontEnd::Another,
            _ => FrontEnd::Open,
        };
        let answer = match said_last {
            Some(Answer::Unsat) if points.is_empty() => Some(Answer::Unsat),
            Some(Answer::Unsat) => Some(Answer::Sat),
            Some(Answer::Sat) if end == FrontEnd::Open => None,
            other => other,
        };
        let crash_after = answer.as_ref().and_then(|_| crash(output));
        let answer = answer.unwrap_or_else(|| failure(output, &said));
        let mut observation = Observation::new(answer, output.elapsed);
        observation.crash_after = crash_after;
        observation.verdicts = verdicts.into_iter().map(|(_, answer)| answer).collect();
        observation.front = Some(Front { points, end });
        observation
    }
}

impl PointReply {
    fn read(said: &[Response<'_>], output: &Output<'_>) -> PointReply {
        let tail = Tail::new(said, output.ending, output.stderr);
        let Replies { model, objectives, spoiled, .. } =
            tail.read(output.asked, &[Part::Model, Part::Objectives]);
        PointReply { model, objectives, spoiled }
    }
}
