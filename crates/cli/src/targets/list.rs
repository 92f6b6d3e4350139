//! `assay targets list`.

use super::{Context, not_found, print, table};
use crate::{Outcome, output};
use assay_target::{Choice, ResolveError, Resolved, TargetName};
use serde_json::json;

/// List known and installed versions, as the tools report them
#[derive(clap::Args)]
pub(super) struct Args {
    /// List only installed versions
    #[arg(long)]
    installed: bool,

    /// Print one JSON record per version
    #[arg(long)]
    json: bool,
}

/// One line of the list.
struct Row {
    name: TargetName,
    state: Result<Option<Resolved>, ResolveError>,
    source: String,
    variants: Vec<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let found = context.everything().into_iter().map(|name| row(context, name));
    let mut rows: Vec<Row> = found.chain(missing(context)).collect();
    rows.retain(|row| !args.installed || matches!(row.state, Ok(Some(_))));
    // A tool stays together, its releases in their order.
    rows.sort_by(|left, right| left.name.name.cmp(&right.name.name));
    if args.json {
        rows.iter().for_each(|row| output::result(&format!("{}\n", record(row))));
        return Outcome::Clean;
    }
    let mut table = table(&["target", "installed", "reports", "variants", "from"]);
    for row in &rows {
        let (installed, reports) = match &row.state {
            Ok(Some(target)) => ("yes", target.reported_version.as_str()),
            Ok(None) => ("no", ""),
            Err(_) => ("broken", ""),
        };
        let name = row.name.to_string();
        table.add_row([&name, installed, reports, &row.variants.join(" "), &row.source]);
    }
    print(&table);
    for row in &rows {
        if let Err(error) = &row.state {
            output::note(&format!("note: {}: {error}\n", row.name));
        }
    }
    Outcome::Clean
}

fn row(context: &Context, name: TargetName) -> Row {
    let (spec, choice) = context.catalog.choose(&name).expect("the name is from the catalogue");
    let source = match &choice {
        Choice::Release(version) => {
            let offers = spec.sources.iter().find(|source| source.release(version).is_some());
            offers.map_or_else(String::new, |source| source.words())
        }
        Choice::Program(path) => path.display().to_string(),
    };
    let state = context.catalog.resolve_installed(&name, &context.installer);
    let version = match (&choice, &state) {
        (Choice::Release(version), _) => Some(version),
        (Choice::Program(_), Ok(Some(target))) => Some(&target.version),
        _ => None,
    };
    let has = |range: &assay_target::VersionRange| version.is_none_or(|v| range.contains(v));
    let variants = spec.variants.iter().filter(|variant| has(&variant.versions));
    let variants = variants.map(|variant| variant.name.clone()).collect();
    Row { name, state, source, variants }
}

/// Tools that are only taken as commands, and whose command is not here.
fn missing(context: &Context) -> impl Iterator<Item = Row> {
    context.catalog.specs().filter(|spec| spec.versions().is_empty()).filter_map(|spec| {
        let name = TargetName::newest(spec.name.as_str());
        let Err(ResolveError::NoCommand { command }) = context.catalog.choose(&name) else {
            return None;
        };
        let variants = spec.variants.iter().map(|variant| variant.name.clone()).collect();
        Some(Row { name, state: Ok(None), source: not_found(&command), variants })
    })
}

fn record(row: &Row) -> serde_json::Value {
    let installed = row.state.as_ref().ok().and_then(Option::as_ref);
    json!({
        "target": row.name,
        "installed": installed.is_some(),
        "reports": installed.map(|target| &target.reported_version),
        "program": installed.map(|target| &target.program),
        "variants": row.variants,
        "from": row.source,
        "error": row.state.as_ref().err().map(ToString::to_string),
    })
}
