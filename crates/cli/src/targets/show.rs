//! `assay targets show`.

use super::{Context, fail, not_found};
use crate::{Outcome, output};
use assay_report::{tool, tool_line, tool_version};
use assay_target::{Choice, ResolveError, TargetName};
use std::fmt::Write;

/// Print what is known about a tool, or about one version and variant of it
#[derive(clap::Args)]
pub(super) struct Args {
    /// The tool
    #[arg(value_name = "NAME[@VERSION][:VARIANT]")]
    name: TargetName,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    match facts(context, &args.name) {
        Ok(text) => {
            output::result(&text);
            Outcome::Clean
        }
        Err(error) => fail(&error),
    }
}

fn facts(context: &Context, name: &TargetName) -> Result<String, ResolveError> {
    let (spec, choice) = match context.catalog.choose(name) {
        Ok(chosen) => chosen,
        // The version is unknown, so only facts about all versions are shown.
        Err(ResolveError::NoCommand { command }) if name.variant.is_none() => {
            let mut text = tool(context.catalog.find(&name.name)?);
            tool_line(&mut text, "here", &not_found(&command));
            return Ok(text);
        }
        Err(error) => return Err(error),
    };
    let version = match choice {
        Choice::Release(version) => version,
        Choice::Program(path) => context.installer.adopt(spec, &path)?.version,
    };
    let mut text = tool(spec);
    let shown = name.at(version.as_str());
    let _ = writeln!(text, "\n{shown}");
    let provenance = context.installer.provenance(spec, &version);
    tool_line(&mut text, "installed from", &provenance.unwrap_or_default());
    Ok(text + &tool_version(spec, &version, name.variant.as_deref()))
}
