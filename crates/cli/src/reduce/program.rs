//! Findings about C programs: which analyzers judge the candidates, and what is said of the result.

use super::{BUDGETS, Done, read, watched, write};
use crate::mutants::Askers;
use crate::replay::{case_of_file, case_of_files, read_record, with_options};
use crate::suites::SuiteArgs;
use assay_campaign::reduce::{ProgramBench, ProgramSource, Reduction};
use assay_campaign::{FindingRecord, write_reduced};
use assay_case::{CaseId, Oracle, TestCase};
use assay_program::c::Limits;
use assay_program::{Program, Programs};
use assay_target::spec::Kind;
use assay_target::{Analyzer, Settings, Target, TargetName};
use serde_json::json;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Who is asked whether a smaller program is still safe.
const SECOND: &str = "cbmc";

/// The longest that a candidate of a file may take, unless it is said.
const PATIENCE: Duration = Duration::from_secs(15);

pub(super) fn reduced(args: &super::Args) -> Result<Done, Box<dyn Error>> {
    let record = read_record(&args.what)?;
    let mut bench = bench(args, record.as_ref())?;
    let reduction = match &record {
        Some(record) => {
            let flags = SuiteArgs::recorded(&record.campaign)?;
            let askers = Askers::default();
            flags.programs.ask(&askers, &args.catalog, flags.selection().rng)?;
            let suite = flags.program_suite(&askers)?;
            let (case, program) = as_found(&suite, &args.what, record)?;
            bench.limits.portable = flags.programs.is_portable();
            let source = ProgramSource::Made(&suite, program);
            watched(args, Some(BUDGETS.1), |watch| bench.reduce(case, source, watch))
        }
        None => {
            let case = case_of_file(&args.what, None)?;
            watched(args, Some(BUDGETS.1), |watch| bench.reduce(case, ProgramSource::File, watch))
        }
    };
    let reduction = reduction.map_err(|error| format!("{}: {error}", args.what.display()))?;
    let out = args.out("c");
    write(&out, &reduction.text)?;
    let Reduction { case: Some(case), .. } = &reduction else {
        return Err("a reduced program is no case: a fault of ours, please report it".into());
    };
    let mut truth = truth_in_words(case.oracle());
    let mut more = json!({"target": bench.target.name.to_string()});
    if let Some(record) = &record {
        let analyzer = Analyzer::new(Arc::clone(&bench.target), bench.settings.clone(), None);
        let mut targets: Vec<Box<dyn Target>> = vec![Box::new(analyzer)];
        let folder = out.with_extension("");
        let kept = write_reduced(&folder, record, case, &mut targets)?;
        truth = format!("{} ({}, {}): {}", kept.kind, kept.grade, kept.stability.name(), kept.why);
        more["kind"] = json!(kept.kind);
        more["grade"] = json!(kept.grade);
        more["stability"] = json!(kept.stability.name());
        more["folder"] = json!(folder);
    }
    Ok(Done { reduction, out, truth, more })
}

fn bench(
    args: &super::Args,
    record: Option<&FindingRecord>,
) -> Result<ProgramBench, Box<dyn Error>> {
    let name: TargetName = match (&args.target, record) {
        (Some(name), _) => name.clone(),
        (None, Some(record)) => record.target.parse()?,
        (None, None) => return Err(super::needs_target(args)),
    };
    let usual = record.map_or(PATIENCE, |record| Duration::from_millis(record.campaign.timeout_ms));
    let settings = Settings {
        limits: args.limits(usual),
        launcher: args.catalog.launcher()?,
        seed: args.rng.unwrap_or(0),
        sessions: false,
    };
    let mut names = vec![name];
    if names[0].name != SECOND {
        names.push(SECOND.parse()?);
    }
    let mut found = args.catalog.resolve_kind(Kind::Analyzer, &names)?.into_iter();
    let target = found.next().expect("one name gives one target");
    let target = Arc::new(with_options(target, &args.options, record)?);
    let second = found.next().map(Arc::new);
    Ok(ProgramBench { target, second, settings, limits: Limits::default(), jobs: args.jobs() })
}

fn truth_in_words(oracle: &Oracle) -> String {
    match oracle {
        Oracle::Sat(witness) => format!("the error can be reached, {witness}"),
        Oracle::Unsat { why, .. } => format!("the error cannot be reached, {why}"),
        Oracle::Optimum { .. } | Oracle::Open => "it proves itself".to_owned(),
    }
}

/// The case of a finding with the tree of its program: made again from its number, or, where another
/// version or another solver makes something else of that, from the formula and the model in its folder.
fn as_found(
    suite: &Programs,
    folder: &Path,
    record: &FindingRecord,
) -> Result<(TestCase, Program), Box<dyn Error>> {
    let id: CaseId = record.id.parse()?;
    let kept = read(&folder.join("program.c"))?;
    let same = |made: &(TestCase, Program)| made.0.program().is_some_and(|p| p.text == kept);
    if let Some(made) = suite.program(id).ok().filter(same) {
        return Ok(made);
    }
    let made = suite.retold(id, &case_of_files(folder, record)?)?;
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
