//! `assay targets doctor`.

use super::{Context, fail, print, table};
use crate::{Outcome, output};
use assay_campaign::health::{Health, Part, examine, examine_domains, examine_prover};
use assay_campaign::tool::domains_of;
use assay_target::process::{Confinement, Keeper, Limits, State};
use assay_target::spec::Kind;
use assay_target::{ResolveError, Resolved, Settings, TargetName};
use serde_json::json;
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
            output::result(&format!("{}\n", record(finding, confinement)));
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
    for Finding { name, result } in findings {
        match result {
            Ok((target, health)) => {
                let mut row = vec![target.name.to_string(), target.reported_version.clone()];
                row.extend(health.parts().map(|(_, part)| word(part).to_owned()));
                row.push(notes(health));
                table.add_row(row);
            }
            Err(words) => {
                let blank = String::new;
                let row = [name.to_string(), blank(), "broken".into(), blank(), blank(), blank()];
                table.add_row(row.into_iter().chain([words.clone()]));
            }
        }
    }
    print(&table);
}

/// The barriers that keep tools from doing harm here, and those that this kernel lacks.
fn sandbox(confinement: Confinement) -> String {
    let state = |state: State| match state {
        State::Up(means) => means.to_owned(),
        State::Partly(gap) => format!("partly: {gap}"),
        State::Missing(need) => format!("missing: needs {need}"),
    };
    let on = if confinement == Confinement::Off { "off" } else { "on" };
    let barriers = confinement.barriers().into_iter();
    let lines = barriers.map(|(barrier, is)| format!("  {:<12} {}\n", barrier.name(), state(is)));
    format!("\nsandbox: {on}\n{}", lines.collect::<String>())
}

fn word(part: &Part) -> &'static str {
    match part {
        Part::Works => "works",
        Part::Broken(_) => "broken",
        Part::Unclaimed => "–",
    }
}

fn notes(health: &Health) -> String {
    let mut notes: Vec<&str> = Vec::new();
    for (_, part) in health.parts() {
        if let Part::Broken(words) = part {
            if !notes.contains(&words.as_str()) {
                notes.push(words);
            }
        }
    }
    notes.join("; ")
}

fn record(finding: &Finding, confinement: Confinement) -> serde_json::Value {
    match &finding.result {
        Ok((target, health)) => {
            let mut record = json!({
                "target": target.name,
                "reports": target.reported_version,
                "well": health.is_well(),
                "notes": notes(health),
                "sandbox": confinement.to_string(),
            });
            for (name, part) in health.parts() {
                record[name] = match part {
                    Part::Works => json!("works"),
                    Part::Broken(_) => json!("broken"),
                    Part::Unclaimed => json!(null),
                };
            }
            record
        }
        Err(words) => json!({"target": finding.name, "well": false, "notes": words}),
    }
}
