//! Findings about C programs: which analyzers judge the candidates, and what is said of the result.

use super::{Done, keep, watched};
use crate::mutants::Askers;
use crate::programs;
use crate::replay::with_options;
use crate::suites::SuiteArgs;
use assay_campaign::FindingRecord;
use assay_campaign::kind::handling;
use assay_campaign::reduce::{ProgramBench, ProgramSource};
use assay_campaign::replay::case_of_file;
use assay_campaign::tool::Tool;
use assay_case::{CaseId, Kind, TestCase};
use assay_program::c::Limits;
use assay_program::{ProgramTree, Programs};
use assay_target::{Resolved, TargetName};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The analyzer that is asked whether a smaller program is still safe.
const SECOND: &str = "cbmc";

/// How long a reduction lasts, unless it is told otherwise.
const BUDGET: Duration = Duration::from_secs(600);

pub(super) fn reduced(
    args: &super::Args,
    record: Option<&FindingRecord>,
) -> Result<Done, Box<dyn Error>> {
    let mut bench = bench(args, record)?;
    let reduction = match record {
        Some(record) => {
            let flags = SuiteArgs::recorded(&record.campaign);
            let settings = flags.programs().ok_or("the finding is of no program")?;
            let askers = Askers::default();
            programs::ask(settings, &askers, &args.catalog, flags.draw)?;
            let suite = programs::suite(settings, flags.draw, &askers)?;
            let (case, tree) = as_found(&suite, &args.what, record)?;
            bench.limits.portable = !settings.natural;
            let source = ProgramSource::Made(&suite, tree);
            watched(args, Some(BUDGET), |watch| bench.reduce(&case, source, watch))
        }
        None => {
            let case = case_of_file(&args.what, Kind::Program, None)?;
            watched(args, Some(BUDGET), |watch| bench.reduce(&case, ProgramSource::File, watch))
        }
    };
    let reduction = reduction.map_err(|error| format!("{}: {error}", args.what.display()))?;
    let target = Tool::Analyzer(Arc::clone(&bench.target));
    keep(args, reduction, record, &[target], &bench.settings)
}

fn bench(
    args: &super::Args,
    record: Option<&FindingRecord>,
) -> Result<ProgramBench, Box<dyn Error>> {
    let name = args.names(record)?.pop().ok_or("a program needs a --target")?;
    let analyzer = |name: &TargetName| args.catalog.tool(Kind::Program, name);
    let target = resolved(with_options(analyzer(&name)?, &args.options, record)?)?;
    let second = match name.name == SECOND {
        true => None,
        false => Some(resolved(analyzer(&SECOND.parse()?)?)?),
    };
    let settings = args.settings(record)?;
    Ok(ProgramBench { target, second, settings, limits: Limits::default(), jobs: args.jobs() })
}

fn resolved(tool: Tool) -> Result<Arc<Resolved>, Box<dyn Error>> {
    match tool {
        Tool::Analyzer(analyzer) => Ok(analyzer),
        Tool::Solver(_) | Tool::Domain(_) => Err("it is no analyzer".into()),
    }
}

/// The case of a finding with the tree of its program: made again from its number, or, where another
/// version or another solver makes something else of that, from the formula and the model in its folder.
fn as_found(
    suite: &Programs,
    folder: &Path,
    record: &FindingRecord,
) -> Result<(TestCase, ProgramTree), Box<dyn Error>> {
    let id: CaseId = record.id.parse()?;
    let kept = handling(record.subject).read(folder, record)?;
    let same = |made: &(TestCase, ProgramTree)| made.0.text() == kept.text();
    if let Some(made) = suite.program(id).ok().filter(same) {
        return Ok(made);
    }
    let made = suite.retold(id, &kept)?;
    match same(&made) {
        true => Ok(made),
        false => Err(format!(
            "this version writes the formula of this finding as another program than program.c; \
             reduce it with assay {}",
            record.campaign.assay
        )
        .into()),
    }
}
