//! `assay bisect`: the version of a tool that introduced a bug, and the one that fixed it.

use crate::replay::{AgainArgs, kind, names, read_record, replayed, with_options};
use crate::tools::TargetArgs;
use crate::{Outcome, output};
use assay_campaign::FindingRecord;
use assay_campaign::bisect::{Candidate, Question, bisect, write_timeline};
use assay_campaign::kind::profile;
use assay_campaign::replay::{Replayed, case_of_file};
use assay_case::{Expected, Kind};
use assay_target::TargetName;
use std::error::Error;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Find the version that introduced a bug and the one that fixed it
///
/// Runs a finding, or a file whose truth is known, on every installed version of the tool, each in a
/// process of its own. The versions on both sides of a change are run three times. The result is also
/// written to `bisect.json` in the finding's folder, for `assay report`.
#[derive(clap::Args)]
#[command(mut_arg("timeout", |timeout| timeout.default_value("15s")))]
pub(crate) struct Args {
    /// A finding's folder, an SMT-LIB file with a :status, a C program with its task, or a trace
    #[arg(value_name = "FINDING|FILE")]
    what: PathBuf,
    #[arg(
        help = "The tool, as name[:variant] [default: the finding's, or z3]",
        long = "target",
        value_name = "TARGET"
    )]
    target: Option<TargetName>,
    /// Install these versions first, or all of them
    #[arg(long, value_name = "all|VERSION", num_args = 1..)]
    install: Vec<String>,
    #[command(flatten)]
    again: AgainArgs,
    #[command(flatten)]
    catalog: TargetArgs,
    /// Print one JSON record per version and a last one with the changes
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let record = read_record(&args.what)?;
    let kind = kind(&args.what, record.as_ref(), args.target.as_slice());
    let name = tool(args, kind, record.as_ref())?;
    let settings = args.again.settings(record.as_ref(), &args.catalog)?;
    let Replayed { case, truth, .. } = match &record {
        Some(record) => replayed(&args.what, record, &args.catalog, &[], &settings)?,
        None => case_of_file(&args.what, kind, args.again.model.as_deref())?.into(),
    };
    let sought = record.as_ref().and_then(|record| record.kind.finding());
    let mut candidates = Vec::new();
    for (version, found) in args
        .catalog
        .with_toolbox(|toolbox, note| Ok(toolbox.versions(kind, &name, &args.install, note)?))?
    {
        let tool = with_options(found, &args.again.options, record.as_ref())?;
        candidates.push(Candidate { version, target: tool.open(&settings, None) });
    }
    let question = Question { case: &case, truth: &truth, sought };
    let watched = std::io::stderr().is_terminal();
    let timeline = bisect(question, &mut candidates, &mut |version| {
        if watched {
            output::note(&format!("{version} done\n"));
        }
    })?;
    if truth.expected() == Expected::Open && timeline.is_undecided() {
        let hint = profile(kind).truth_hint;
        return Err(format!("{}: no truth is known ({hint})", args.what.display()).into());
    }
    let records = timeline.records(&name);
    if record.is_some() {
        write_timeline(&args.what, &records)?;
    }
    output::result(&if args.json { records } else { timeline.words(&name) });
    Ok(if timeline.is_wrong() { Outcome::Findings } else { Outcome::Clean })
}

/// The tool whose versions are run.
fn tool(
    args: &Args,
    kind: Kind,
    record: Option<&FindingRecord>,
) -> Result<TargetName, Box<dyn Error>> {
    match (&args.target, record) {
        (Some(TargetName { version: Some(version), name, .. }), _) => Err(format!(
            "bisect runs all versions of {name}; write it without @{version} (--install says which)"
        )
        .into()),
        (Some(name), _) => Ok(name.clone()),
        (None, record) => {
            let mut names = names(kind, &[], record)?;
            Ok(TargetName { version: None, ..names.swap_remove(0) })
        }
    }
}
