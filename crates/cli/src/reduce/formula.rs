//! Findings about formulas: which tools judge the candidates, and what is said of the result.

use super::{Done, watched, write};
use crate::mutants::Askers;
use crate::replay::{case_of_file, case_of_finding, read_record, with_options};
use crate::suites::SuiteArgs;
use assay_campaign::reduce::{FormulaBench, Reduction, Trace};
use assay_campaign::{FindingRecord, write_reduced};
use assay_case::{FindingKind, Grade, Oracle};
use assay_mutate::Seed;
use assay_target::spec::Kind;
use assay_target::{Resolved, Settings, Solver, Target, TargetName};
use serde_json::json;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Solvers that are asked about candidates whose truth is lost, the most able ones first.
const CONSULTANTS: [&str; 5] = ["cvc5", "z3", "bitwuzla", "yices", "cvc4"];

/// The longest that a candidate may take, unless it is said.
const PATIENCE: Duration = Duration::from_secs(15);

pub(super) fn reduced(args: &super::Args) -> Result<Done, Box<dyn Error>> {
    let mut record = read_record(&args.what)?;
    if record.is_none() && args.target.is_none() {
        return Err(super::needs_target(args));
    }
    let bench = bench(args, record.as_ref())?;
    let askers = Askers::default();
    askers.ask(&bench.targets, &bench.settings);
    let truth = match &record {
        Some(record) => case_of_finding(&args.what, record, &askers)?.truth,
        None => case_of_file(&args.what, args.model.as_deref())?,
    };
    let kind = record.as_ref().and_then(|record| FindingKind::by_name(&record.kind));
    let mut trace = record.as_ref().map_or_else(Trace::default, trace);
    let mutations = trace.lines.len();
    let reduction =
        watched(args, None, |watch| bench.reduce(truth, args.kind.or(kind), &mut trace, watch))
            .map_err(|error| format!("{}: {error}", args.what.display()))?;
    let out = args.out("smt2");
    write(&out, &reduction.text)?;
    let Reduction { case: Some(case), .. } = &reduction else {
        return Err("a reduced formula is no case: a fault of ours, please report it".into());
    };
    let mut truth = truth_in_words(case.oracle());
    let mut more = json!({
        "grade": case.oracle().grade().map(Grade::name),
        "target": bench.targets[0].name.to_string(),
        "undone": mutations - trace.lines.len(),
    });
    if let Some(record) = &mut record {
        record.trace = trace.lines;
        let folder = out.with_extension("");
        let mut targets: Vec<Box<dyn Target>> = Vec::new();
        for target in &bench.targets {
            targets.push(Box::new(Solver::new(Arc::clone(target), bench.settings.clone())));
        }
        let kept = write_reduced(&folder, record, case, &mut targets)?;
        truth = format!("{} ({}, {}): {truth}", kept.kind, kept.grade, kept.stability.name());
        more["grade"] = json!(kept.grade);
        more["kind"] = json!(kept.kind);
        more["stability"] = json!(kept.stability.name());
        more["folder"] = json!(folder);
    }
    Ok(Done { reduction, out, truth, more })
}

/// The mutations of a mutant, with the seeds where they are still where they were.
fn trace(record: &FindingRecord) -> Trace {
    Trace { seeds: seeds(record), lines: record.trace.clone() }
}

/// The seeds of a mutant, where they are still where they were.
fn seeds(record: &FindingRecord) -> Vec<Seed> {
    let arguments = &record.campaign.arguments;
    let folders = arguments.iter().zip(arguments.iter().skip(1));
    let folders: Vec<&Path> = folders
        .filter(|(flag, _)| *flag == "--seeds")
        .map(|(_, folder)| Path::new(folder.as_str()))
        .collect();
    let find = |name: &String| -> Option<Seed> {
        let text = folders.iter().find_map(|folder| {
            let path = if folder.is_dir() { folder.join(name) } else { folder.to_path_buf() };
            std::fs::read(path).ok()
        })?;
        Seed::read(name, &text, usize::MAX).ok()
    };
    record.seeds.iter().filter_map(find).collect()
}

fn bench(
    args: &super::Args,
    record: Option<&FindingRecord>,
) -> Result<FormulaBench, Box<dyn Error>> {
    let mut names: Vec<TargetName> = Vec::new();
    match (&args.target, record) {
        (Some(name), _) => names.push(name.clone()),
        (None, Some(record)) => names.push(record.target.parse()?),
        (None, None) => {}
    }
    if let Some(record) = record {
        for opinion in &record.against {
            names.push(opinion.target.parse()?);
        }
    }
    let mut targets = Vec::new();
    for target in args.catalog.resolve_kind(Kind::SmtSolver, &names)? {
        targets.push(Arc::new(with_options(target, &args.options, record)?));
    }
    let consultants = match args.agreement {
        Some(false) => Vec::new(),
        asked => {
            let found = consultants(args, &targets)?;
            if asked == Some(true) && found.len() < 2 {
                return Err("--agreement yes: two independent solvers are needed; try \
                            `assay targets install cvc5 z3`"
                    .into());
            }
            found
        }
    };
    let flags = record.and_then(|record| SuiteArgs::recorded(&record.campaign).ok());
    let found_with = flags.map(|flags| flags.selection().rng);
    let usual = record.map_or(PATIENCE, |record| Duration::from_millis(record.campaign.timeout_ms));
    let settings = Settings {
        limits: args.limits(usual),
        launcher: args.catalog.launcher()?,
        seed: args.rng.or(found_with).unwrap_or(0),
        sessions: true,
    };
    Ok(FormulaBench { targets, consultants, settings, jobs: args.jobs() })
}

/// Installed solvers of different makers, none of them under test.
fn consultants(
    args: &super::Args,
    targets: &[Arc<Resolved>],
) -> Result<Vec<Arc<Resolved>>, Box<dyn Error>> {
    let catalog = args.catalog.catalog()?;
    let installer = args.catalog.installer();
    let mut found = Vec::new();
    for name in CONSULTANTS {
        let Ok(name) = name.parse::<TargetName>() else { continue };
        let Ok(Some(solver)) = catalog.resolve_installed(&name, &installer) else { continue };
        if targets.iter().all(|target| target.name != solver.name) {
            found.push(Arc::new(solver));
        }
    }
    Ok(found)
}

fn truth_in_words(oracle: &Oracle) -> String {
    match oracle {
        Oracle::Sat(witness) => format!("the truth is sat, {witness}"),
        Oracle::Unsat { why, .. } => format!("the truth is unsat, {why}"),
        Oracle::Optimum { why, .. } => format!("the truth is sat, {why}"),
        Oracle::Open => "it proves itself".to_owned(),
    }
}
