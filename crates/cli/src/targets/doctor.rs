//! `assay targets doctor`.

use super::{Context, fail, print, table};
use crate::{Outcome, output};
use assay_campaign::health::{Health, examine, examine_domains, examine_prover};
use assay_campaign::tool::domains_of;
use assay_report::{Examination, health_record, health_row, sandbox};
use assay_target::process::{Keeper, Limits};
use assay_target::spec::Kind;
use assay_target::{ResolveError, Resolved, Settings, TargetName};
use std::sync::Arc;
use std::time::Duration;

/// Run installed tools on two small formulas or programs and print what works
///
/// Named tools are installed first. The exit code is 1 if a tool does not work, and 2 if there is no
/// such tool, version or variant.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Targets to check [default: all that are installed]
    #[arg(value_name = "NAME[@VERSION][:VARIANT]")]
    names: Vec<TargetName>,

    /// Print one JSON record per target
    #[arg(long)]
    json: bool,
}

/// The result of examining one target.
struct Finding {
    name: TargetName,
    result: Result<(Arc<Resolved>, Health), String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    for name in &args.names {
        match context.catalog.choose(name) {
            // A known tool that is missing does not work, which is a result.
            Ok(_) | Err(ResolveError::NoCommand { .. } | ResolveError::NoProgram { .. }) => {}
            Err(error) => return fail(&error),
        }
    }
    let settings = Settings {
        limits: Limits { wall: Duration::from_secs(20), memory: Some(2 << 30), output: 1 << 20 },
        launcher: context.launcher.clone(),
        seed: 0,
        sessions: true,
    };
    let findings: Vec<Finding> = chosen(context, args)
        .into_iter()
        .map(|(name, target)| {
            let examined = target.and_then(|target| {
                let checked = context.catalog.verify(&target.name, &context.installer);
                checked.map_err(|error| error.to_string())?;
                let target = Arc::new(target);
                let health = health(context, &target, &settings)?;
                Ok((target, health))
            });
            Finding { name, result: examined }
        })
        .collect();
    let confinement = match Keeper::start(&context.launcher).and_then(|mut k| k.confinement()) {
        Ok(confinement) => confinement,
        Err(error) => return fail(&error),
    };
    if args.json {
        for finding in &findings {
            let record = health_record(&finding.name, finding.examined(), confinement);
            output::result(&format!("{record}\n"));
        }
    } else if findings.is_empty() {
        output::note("nothing is installed; try: assay targets install z3\n");
    } else {
        print_table(&findings);
        output::result(&sandbox(confinement));
    }
    let well =
        |finding: &Finding| finding.result.as_ref().is_ok_and(|(_, health)| health.is_well());
    if findings.iter().all(well) { Outcome::Clean } else { Outcome::Findings }
}

/// Examines a target in the way that fits its kind.
fn health(
    context: &Context,
    target: &Arc<Resolved>,
    settings: &Settings,
) -> Result<Health, String> {
    let library = &target.name.name;
    match context.catalog.find(library) {
        Ok(spec) if spec.kind == Kind::AbstractDomains => match domains_of(library) {
            [] => Err(format!("`{library}` is not a known library of abstract domains")),
            domains => Ok(examine_domains(target, domains, &context.launcher)),
        },
        Ok(spec) if spec.kind == Kind::FirstOrderProver => {
            examine_prover(target, &context.launcher).map_err(|error| error.to_string())
        }
        _ => examine(target, settings).map_err(|error| error.to_string()),
    }
}

type Chosen = Vec<(TargetName, Result<Resolved, String>)>;

/// The targets that were named, or all that are here.
fn chosen(context: &Context, args: &Args) -> Chosen {
    let Context { catalog, installer, .. } = context;
    if !args.names.is_empty() {
        let mut note = |words: &str| output::note(&format!("{words}\n"));
        let names = args.names.iter().cloned();
        return names
            .map(|name| {
                let target = catalog.resolve(&name, installer, &mut note);
                (name, target.map_err(|error| error.to_string()))
            })
            .collect();
    }
    let everything = context.everything().into_iter();
    everything
        .filter_map(|name| {
            let target = catalog.resolve_installed(&name, installer).map_err(|e| e.to_string());
            Some((name, target.transpose()?))
        })
        .collect()
}

fn print_table(findings: &[Finding]) {
    let mut table = table(&["target", "reports", "run", "session", "models", "cores", "notes"]);
    for finding in findings {
        table.add_row(health_row(&finding.name, finding.examined()));
    }
    print(&table);
}

impl Finding {
    fn examined(&self) -> Examination<'_> {
        match &self.result {
            Ok((target, health)) => Ok((target, health)),
            Err(words) => Err(words),
        }
    }
}
