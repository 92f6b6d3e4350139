//! Reduced cases of findings: confirmed in fresh processes, and kept in folders of the same form.

use crate::confirm::{Settled, settle};
use crate::dispute::reconcile;
use crate::folder::{FindingRecord, write_folder, write_seed};
use crate::reduce::Reduction;
use crate::tool::Tool;
use assay_case::{CaseId, Judgement, TestCase};
use assay_target::{HarnessError, Mode, Ran, Settings, Target};
use std::io;
use std::path::Path;

/// Why a reduced case is not kept.
#[derive(Debug, thiserror::Error)]
pub enum ReducedError {
    /// A failure of assay itself.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// Fresh processes do not show the finding.
    #[error("fresh processes do not show it: {0}")]
    NotShown(String),
    /// The folder cannot be written.
    #[error("{0}")]
    Unwritten(#[from] io::Error),
}

/// Like [`write_reduced`], for the result of a search. The first tool is the one that the finding
/// is about.
///
/// # Errors
/// Fails if nothing is written.
pub fn write_reduction(
    folder: &Path,
    reduction: &Reduction,
    from: &FindingRecord,
    tools: &[Tool],
    settings: &Settings,
) -> Result<FindingRecord, ReducedError> {
    let Some(case) = &reduction.case else {
        return Err(ReducedError::NotShown("its truth is not known".to_owned()));
    };
    let trace = reduction.trace.clone().unwrap_or_else(|| from.trace.clone());
    let from = FindingRecord { trace, ..from.clone() };
    let mut targets: Vec<Box<dyn Target>> =
        tools.iter().map(|tool| tool.open(settings, None)).collect();
    write_reduced(folder, &from, case, reduction.seed.as_deref(), &mut targets)
}

/// Runs a reduced case in fresh processes, and writes its folder if they show a finding. The first
/// target is the one that the finding is about; the others contradict it. The folder of a mutant also
/// holds the seed that its mutations are applied to.
///
/// # Errors
/// Fails if nothing is written.
pub fn write_reduced(
    folder: &Path,
    from: &FindingRecord,
    case: &TestCase,
    seed: Option<&str>,
    targets: &mut [Box<dyn Target + '_>],
) -> Result<FindingRecord, ReducedError> {
    let mut settled: Vec<Settled> = Vec::new();
    for target in targets.iter_mut() {
        settled.push(match target.run(case, Mode::Fresh)? {
            Ran::Observed(run) => settle(target.as_mut(), case, case, *run)?,
            Ran::Skipped(reason) => return Err(ReducedError::NotShown(reason)),
        });
    }
    reconcile(targets, case, &mut settled.iter_mut().enumerate().collect::<Vec<_>>())?;
    let settled = &settled[0];
    match &settled.judgement {
        Judgement::Finding(_) => {}
        other => return Err(ReducedError::NotShown(format!("{other:?}"))),
    }
    let id = from.id.parse().unwrap_or(CaseId { category: 0, index: 0 });
    let made = FindingRecord::new(&from.campaign, id, case, &*targets[0], settled);
    let record = FindingRecord {
        case: from.case.clone(),
        id: from.id.clone(),
        category: from.category.clone(),
        rules: from.rules.clone(),
        seeds: from.seeds.clone(),
        trace: from.trace.clone(),
        options: from.options.clone(),
        reduced: true,
        ..made
    };
    write_folder(folder, &record, case, settled)?;
    if let Some(seed) = seed {
        write_seed(folder, seed)?;
    }
    Ok(record)
}
