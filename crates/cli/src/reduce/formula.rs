//! Findings about formulas: which tools judge the candidates, and what is said of the result.

use super::{Done, keep, watched};
use crate::replay::{replayed, with_options};
use assay_campaign::FindingRecord;
use assay_campaign::reduce::{FormulaBench, Trace};
use assay_campaign::replay::case_of_file;
use assay_campaign::tool::Tool;
use assay_case::Kind;
use assay_mutate::Seed;
use assay_target::{Resolved, Settings, TargetName};
use serde_json::json;
use std::error::Error;
use std::sync::Arc;

/// Solvers that are asked about candidates whose truth is lost, the most able ones first.
const CONSULTANTS: [&str; 5] = ["cvc5", "z3", "bitwuzla", "yices", "cvc4"];

pub(super) fn reduced(
    args: &super::Args,
    record: Option<FindingRecord>,
) -> Result<Done, Box<dyn Error>> {
    let bench = bench(args, record.as_ref())?;
    let tools: Vec<Tool> = bench.targets.iter().cloned().map(Tool::Solver).collect();
    let truth = match &record {
        Some(record) => replayed(&args.what, record, &args.catalog, &tools, &bench.settings)?.truth,
        None => case_of_file(&args.what, Kind::Formula, args.model.as_deref())?,
    };
    let kind = args.kind.or(record.as_ref().and_then(|record| record.kind.finding()));
    let mut trace = record.as_ref().map_or_else(Trace::default, trace);
    let mutations = trace.lines.len();
    let reduction = watched(args, None, |watch| bench.reduce(truth, kind, &mut trace, watch))
        .map_err(|error| format!("{}: {error}", args.what.display()))?;
    let undone = mutations - trace.lines.len();
    let record = record.map(|record| FindingRecord { trace: trace.lines, ..record });
    let mut done = keep(args, reduction, record.as_ref(), &tools, &bench.settings)?;
    done.more["undone"] = json!(undone);
    Ok(done)
}

/// The mutations of a mutant, with the seeds where they are still where they were.
fn trace(record: &FindingRecord) -> Trace {
    Trace { seeds: seeds(record), lines: record.trace.clone() }
}

/// The seeds of a mutant, where they are still where they were.
fn seeds(record: &FindingRecord) -> Vec<Seed> {
    let folders = record.campaign.settings.seeds().map_or(&[][..], |seeds| &seeds.seeds);
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
    let mut names = args.names(record)?;
    for opinion in record.iter().flat_map(|record| &record.against) {
        names.push(opinion.target.parse()?);
    }
    let mut targets = Vec::new();
    for name in &names {
        let tool = args.catalog.tool(Kind::Formula, name)?;
        match with_options(tool, &args.options, record)? {
            Tool::Solver(solver) => targets.push(solver),
            Tool::Analyzer(_) | Tool::Domain(_) => {}
        }
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
    let settings = Settings { sessions: true, ..args.settings(record)? };
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
