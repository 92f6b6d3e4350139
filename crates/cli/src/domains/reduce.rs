//! `assay reduce` of a trace.

use crate::reduce::Done;
use crate::replay::names;
use crate::tools::TargetArgs;
use assay_campaign::reduce::reduce_domain;
use assay_campaign::replay::case_of_file;
use assay_campaign::tool::Tool;
use assay_campaign::{FindingRecord, Symptom, keep_reduced};
use assay_case::{Answer, Kind, judge};
use assay_lattice::Case;
use assay_target::domain::{DomainLimits, Until};
use assay_target::{Library, Mode, Ran, Target, TargetName};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How a trace is reduced.
pub(crate) struct ReduceArgs<'r> {
    /// A trace, or a finding's folder.
    pub what: &'r Path,
    /// The record of the folder.
    pub record: Option<&'r FindingRecord>,
    /// What shows it.
    pub target: Option<&'r TargetName>,
    /// Which targets there are.
    pub catalog: &'r TargetArgs,
    /// Memory, and time for one test.
    pub limits: DomainLimits,
    /// How long it may take.
    pub budget: Option<Duration>,
    /// Where the trace goes, if not beside the other.
    pub out: Option<&'r PathBuf>,
}

/// How long a reduction lasts, unless it is told otherwise.
const BUDGET: Duration = Duration::from_secs(300);

/// The smallest trace that still breaks the same law, or that the target still dies of.
pub(crate) fn reduce(args: &ReduceArgs<'_>) -> Result<Done, Box<dyn Error>> {
    let file = args.record.map_or(args.what.to_owned(), |r| args.what.join(r.case_file()));
    let test = case_of_file(&file, Kind::Trace, None)?;
    let given: Vec<TargetName> = args.target.into_iter().cloned().collect();
    let name = &names(Kind::Trace, &given, args.record)?[0];
    let Tool::Domain(domain) = args.catalog.tool(Kind::Trace, name)? else {
        return Err(format!("{name} is not an abstract domain").into());
    };
    let worker = domain.worker(&args.catalog.launcher()?, args.limits);
    let library = &mut Library::new(worker, Until::ANSWERED);
    let Ran::Observed(run) = library.run(&test, Mode::Fresh)? else {
        return Err(format!("{name} gave no answer").into());
    };
    if let Answer::Rejected(why) = &run.observation.answer {
        return Err(format!("{}: {why}", args.what.display()).into());
    }
    let symptom = Symptom::of(&judge(&test, &run.observation))
        .ok_or_else(|| format!("{name} shows nothing on it: there is nothing to reduce"))?;
    let case = Case::read(test.text())?;
    let end = Instant::now() + args.budget.unwrap_or(BUDGET);
    let reduced = reduce_domain(library, &case, &symptom, end)?;
    let (reduction, exhibit) = reduced.ok_or_else(|| {
        format!("{}: {name} does not show `{}` on it", args.what.display(), symptom.name())
    })?;
    let out = match (args.record, args.out) {
        (Some(record), None) => keep_reduced(args.what, record, &symptom, &exhibit, library)?,
        (_, out) => {
            let out = out.cloned().unwrap_or_else(|| args.what.with_extension("reduced.txt"));
            std::fs::write(&out, &reduction.text)
                .map_err(|error| format!("{}: {error}", out.display()))?;
            out
        }
    };
    let evidence = exhibit.evidence();
    let truth = format!("{}: {evidence}", symptom.name());
    let more = json!({
        "target": name.to_string(), "evidence": evidence,
        "symptom": { "fault": symptom.word(), "law": symptom.law },
    });
    Ok(Done { reduction, out, truth, more })
}
