//! The fewest options that show a finding.

use crate::confirm::{ROUNDS, Settled, Stability};
use assay_case::{Finding, FindingKind, Judgement, TestCase, judge};
use assay_target::{HarnessError, Mode, Ran, Run, Target};

/// The target with the fewest of its drawn options that show a confirmed finding, none of which can be
/// left out; what fresh processes with these said is settled. None where all of them are needed, or
/// where the finding does not rest on what this target alone says.
///
/// Options are left out in turn, so that there is one run for each of them, after a run without any.
/// `likely` are options that sufficed for another finding; they are tried before all others.
pub(crate) fn with_fewest_options(
    target: &dyn Target,
    case: &TestCase,
    settled: &mut Settled,
    likely: &[String],
) -> Result<Option<Box<dyn Target>>, HarnessError> {
    let drawn = target.options(case);
    let kind = match &settled.judgement {
        Judgement::Finding(finding) if settled.against.is_empty() => finding.kind,
        _ => return Ok(None),
    };
    if drawn.is_empty() || settled.stability != Stability::Confirmed {
        return Ok(None);
    }
    let truth = settled.truth.clone();
    let bench = Bench { target, case, truth: truth.as_deref().unwrap_or(case), kind };
    let is_part = !likely.is_empty() && likely.iter().all(|option| drawn.contains(option));
    let mut needed = match bench.shows(&[])? {
        true => Vec::new(),
        false if is_part && bench.shows(likely)? => likely.to_vec(),
        false => drawn.clone(),
    };
    let mut at = 0;
    while at < needed.len() && needed.len() > 1 {
        let mut fewer = needed.clone();
        fewer.remove(at);
        match bench.shows(&fewer)? {
            true => needed = fewer,
            false => at += 1,
        }
    }
    if needed.len() == drawn.len() {
        return Ok(None);
    }
    bench.confirm(&needed, settled)
}

struct Bench<'b> {
    target: &'b dyn Target,
    case: &'b TestCase,
    truth: &'b TestCase,
    kind: FindingKind,
}

impl Bench<'_> {
    /// What a fresh process with these options shows, if it is the same kind of finding.
    fn run(&self, target: &mut dyn Target) -> Result<Option<(Run, Judgement)>, HarnessError> {
        let Ran::Observed(run) = target.run(self.case, Mode::Fresh)? else { return Ok(None) };
        let judgement = judge(self.truth, &run.observation).about(target.name());
        let same =
            matches!(&judgement, Judgement::Finding(Finding { kind, .. }) if *kind == self.kind);
        Ok(same.then_some((*run, judgement)))
    }

    fn shows(&self, options: &[String]) -> Result<bool, HarnessError> {
        match self.target.with_options(options) {
            Some(mut target) => Ok(self.run(target.as_mut())?.is_some()),
            None => Ok(false),
        }
    }

    /// The target with these options, if as many fresh processes show the finding as for any other.
    fn confirm(
        &self,
        options: &[String],
        settled: &mut Settled,
    ) -> Result<Option<Box<dyn Target>>, HarnessError> {
        let Some(mut target) = self.target.with_options(options) else { return Ok(None) };
        let mut last = None;
        for _ in 0..ROUNDS {
            last = self.run(target.as_mut())?;
            if last.is_none() {
                return Ok(None);
            }
        }
        if let Some((run, judgement)) = last {
            (settled.run, settled.judgement) = (run, judgement);
        }
        Ok(Some(target))
    }
}
