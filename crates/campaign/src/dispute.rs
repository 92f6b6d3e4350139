//! Targets that contradict each other, or a declared truth, on a case whose truth is not certified.
//!
//! `case` decides who is wrong. This module runs all of them again in fresh processes, so that the
//! compared answers were given under the same conditions.

use crate::confirm::{Opinion, ROUNDS, Settled, Stability, settle};
use assay_case::{
    Answer, Comparison, Contradiction, Doubt, Expected, Finding, FindingKind, Grade, Judgement,
    Statement, TestCase, compare, contradicts, judge, outvoted, refutation,
};
use assay_target::{HarnessError, Mode, Ran, Run, Target};
use std::sync::Arc;

type Targets<'t> = [Box<dyn Target + 't>];

/// Compares the targets' answers to a case with an open or declared truth, and settles their
/// contradictions.
pub(crate) fn reconcile(
    targets: &mut Targets<'_>,
    case: &TestCase,
    settled: &mut [(usize, &mut Settled)],
) -> Result<(), HarnessError> {
    let first: Vec<(usize, &Run)> =
        settled.iter().map(|(at, settled)| (*at, &settled.run)).collect();
    let (suspects, found) = match comparison(targets, case, &first) {
        Comparison::Agreed => return Ok(()),
        Comparison::Decided(truth) => return by_truth(targets, case, *truth, settled),
        Comparison::Contested => {
            ask_for_models(targets, case, settled)?;
            overrule(targets, case, settled);
            return Ok(());
        }
        Comparison::Disputed { suspects, finding } => (suspects, finding),
    };
    let suspects: Vec<usize> = suspects.into_iter().map(|position| first[position].0).collect();
    let parties: Vec<usize> =
        first.iter().filter(|(_, run)| has_verdict(run)).map(|(at, _)| *at).collect();
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let round = Round::new(targets, case, &parties)?;
        if let Comparison::Decided(truth) = round.comparison {
            return by_truth(targets, case, *truth, settled);
        }
        rounds.push(round);
    }
    for (at, settled) in settled.iter_mut().filter(|(at, _)| suspects.contains(at)) {
        let showing: Vec<(&Round, &Finding)> =
            rounds.iter().filter_map(|round| Some((round, round.against(*at)?))).collect();
        let stability = Stability::of(showing.len());
        **settled = match showing.last() {
            Some((round, finding)) => {
                let judgement = Judgement::Finding((*finding).clone());
                let run = round.run(*at).expect("who is suspected has said something").clone();
                let against = round.opinions(targets, case, *at);
                Settled { against, ..Settled::new(run, judgement, stability) }
            }
            None => {
                let run = rounds.iter().find_map(|round| round.run(*at)).unwrap_or(&settled.run);
                let judgement = judge(case, &run.observation);
                Settled::new(run.clone(), judgement, stability).instead_of((*found).clone())
            }
        };
    }
    Ok(())
}

/// Whether targets contradict each other, a declared truth, or one that became known from them.
pub(crate) fn is_contested(targets: &Targets<'_>, case: &TestCase, said: &[(usize, &Run)]) -> bool {
    match comparison(targets, case, said) {
        Comparison::Agreed => false,
        Comparison::Decided(truth) => {
            let proved = truth.as_formula().expect("only formulas are compared").oracle();
            refutation(case, &truth).is_some()
                || said.iter().any(|(_, run)| contradicts(&run.observation.answer, proved))
        }
        Comparison::Contested | Comparison::Disputed { .. } => true,
    }
}

fn has_verdict(run: &Run) -> bool {
    matches!(run.observation.answer, Answer::Sat | Answer::Unsat)
}

fn comparison<'s>(
    targets: &'s Targets<'_>,
    case: &TestCase,
    said: &[(usize, &'s Run)],
) -> Comparison {
    compare(case, &statements(targets, said))
}

fn statements<'s>(targets: &'s Targets<'_>, said: &[(usize, &'s Run)]) -> Vec<Statement<'s>> {
    let statement = |&(at, run): &(usize, &'s Run)| Statement {
        who: targets[at].name(),
        seen: &run.observation,
    };
    said.iter().map(statement).collect()
}

/// Judges by a truth that a model, a checked proof or exhaustive evaluation proves. A target that is
/// right against a wrong declaration is not at fault: the finding is about the declaration.
fn by_truth(
    targets: &mut Targets<'_>,
    case: &TestCase,
    truth: TestCase,
    settled: &mut [(usize, &mut Settled)],
) -> Result<(), HarnessError> {
    let truth = Arc::new(truth);
    let refuted = refutation(case, &truth);
    for (at, settled) in settled.iter_mut() {
        let proved = truth.as_formula().expect("only formulas are compared").oracle();
        let was_open = matches!(settled.judgement, Judgement::Inconclusive(Doubt::NoTruth));
        if was_open || contradicts(&settled.run.observation.answer, proved) {
            let again = settle(targets[*at].as_mut(), case, &truth, settled.run.clone())?;
            **settled = Settled { truth: Some(Arc::clone(&truth)), ..again };
        } else if let Some(refuted) = refuted.clone().filter(|_| rests_on_claim(settled)) {
            let judgement = Judgement::Inconclusive(Doubt::Refuted(refuted));
            **settled = Settled::new(settled.run.clone(), judgement, Stability::Single);
        }
    }
    Ok(())
}

/// If nothing decides, but different targets contradict the declared truth and none supports it,
/// the declaration is at fault.
fn overrule(targets: &Targets<'_>, case: &TestCase, settled: &mut [(usize, &mut Settled)]) {
    let said: Vec<(usize, &Run)> =
        settled.iter().map(|(at, settled)| (*at, &settled.run)).collect();
    let Some(refuted) = outvoted(case, &statements(targets, &said)) else { return };
    let oracle = case.as_formula().expect("only formulas are compared").oracle();
    for (at, settled) in settled.iter_mut() {
        if !rests_on_claim(settled) || !contradicts(&settled.run.observation.answer, oracle) {
            continue;
        }
        let claim = Contradiction::Claim(refuted.clone());
        settled.judgement = Judgement::OracleContradicted(claim).about(targets[*at].name());
        if !matches!(settled.judgement, Judgement::Finding(_)) {
            settled.stability = Stability::Single;
        }
    }
}

/// Whether a target is called wrong only because of a declared truth.
fn rests_on_claim(settled: &Settled) -> bool {
    match &settled.judgement {
        Judgement::Finding(finding) => {
            finding.grade == Grade::Declared && finding.kind != FindingKind::Inconsistency
        }
        _ => false,
    }
}

/// If unsat is only declared, no target was asked for a model, so the targets that answer sat are
/// asked now. A valid model refutes the declaration; an invalid one is certainly wrong.
fn ask_for_models(
    targets: &mut Targets<'_>,
    case: &TestCase,
    settled: &mut [(usize, &mut Settled)],
) -> Result<(), HarnessError> {
    if case.expected() != Expected::Unsat {
        return Ok(());
    }
    let Some(open) = case.open() else { return Ok(()) };
    let mut runs: Vec<(usize, Run)> = Vec::new();
    for (at, settled) in settled.iter() {
        let observed = &settled.run.observation;
        if observed.answer == Answer::Sat && observed.model.is_none() {
            if let Ran::Observed(run) = targets[*at].run(&open, Mode::Fresh)? {
                runs.push((*at, *run));
            }
        }
    }
    let said: Vec<(usize, &Run)> = runs.iter().map(|(at, run)| (*at, run)).collect();
    if let Comparison::Decided(truth) = comparison(targets, case, &said) {
        return by_truth(targets, case, *truth, settled);
    }
    for (at, run) in runs {
        let own = settled.iter_mut().find(|(other, _)| *other == at);
        let (_, settled) = own.expect("only those were asked again");
        let again = settle(targets[at].as_mut(), &open, &open, run)?;
        let shown = matches!(&again.judgement, Judgement::Finding(finding)
            if finding.kind == FindingKind::InvalidModel);
        if shown && again.stability == Stability::Confirmed {
            **settled = Settled { truth: Some(Arc::new(open.clone())), ..again };
        }
    }
    Ok(())
}

/// All parties in fresh processes.
struct Round {
    runs: Vec<(usize, Run)>,
    comparison: Comparison,
}

impl Round {
    fn new(
        targets: &mut Targets<'_>,
        case: &TestCase,
        parties: &[usize],
    ) -> Result<Round, HarnessError> {
        let mut runs = Vec::with_capacity(parties.len());
        for &at in parties {
            if let Ran::Observed(run) = targets[at].run(case, Mode::Fresh)? {
                runs.push((at, *run));
            }
        }
        let said: Vec<(usize, &Run)> = runs.iter().map(|(at, run)| (*at, run)).collect();
        let comparison = comparison(targets, case, &said);
        Ok(Round { runs, comparison })
    }

    fn run(&self, target: usize) -> Option<&Run> {
        self.runs.iter().find(|(at, _)| *at == target).map(|(_, run)| run)
    }

    /// The finding of this round against a target.
    fn against(&self, target: usize) -> Option<&Finding> {
        let Comparison::Disputed { suspects, finding } = &self.comparison else { return None };
        suspects.iter().any(|&position| self.runs[position].0 == target).then_some(finding)
    }

    /// The answers of the others.
    fn opinions(&self, targets: &Targets<'_>, case: &TestCase, except: usize) -> Vec<Opinion> {
        let others = self.runs.iter().filter(|(at, _)| *at != except);
        others
            .map(|(at, run)| Opinion {
                target: targets[*at].name().to_owned(),
                answer: run.observation.answer.to_string(),
                by_hand: targets[*at].by_hand(case),
                options: targets[*at].options(case),
            })
            .collect()
    }
}
