//! `assay bisect`: the version of a tool that introduced a bug, and the one that fixed it.

use crate::replay::{AgainArgs, kind, names, read_record, replayed, with_options};
use crate::tools::TargetArgs;
use crate::{Outcome, output};
use assay_campaign::FindingRecord;
use assay_campaign::bisect::{Candidate, Change, Entry, Question, Reading, Timeline, bisect};
use assay_campaign::kind::profile;
use assay_campaign::replay::{Replayed, case_of_file};
use assay_campaign::tool::Tool;
use assay_case::{Expected, FindingKind, Kind};
use assay_target::spec::Spec;
use assay_target::{Catalog, Choice, TargetName, Version};
use serde_json::{Value, json};
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
    // A false model and a crash show by themselves.
    let by_itself = matches!(sought, Some(FindingKind::InvalidModel | FindingKind::Crash));
    if truth.expected() == Expected::Open && !by_itself {
        let hint = profile(kind).truth_hint;
        return Err(format!("{}: no truth is known ({hint})", args.what.display()).into());
    }
    let mut candidates = Vec::new();
    for (version, found) in versions(args, kind, &name)? {
        let tool = with_options(found, &args.again.options, record.as_ref())?;
        candidates.push(Candidate { version, target: tool.open(&settings, None) });
    }
    let question = Question { case: &case, truth: &truth, sought };
    let watched = std::io::stderr().is_terminal();
    let timeline = bisect(question, &mut candidates, &mut |entry| {
        if watched {
            output::note(&format!("{} done\n", entry.version));
        }
    })?;
    let records = records(&name, &timeline);
    if record.is_some() {
        let file = args.what.join("bisect.json");
        std::fs::write(&file, &records).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    match args.json {
        true => output::result(&records),
        false => {
            let lines: String = timeline.entries.iter().map(line).collect();
            output::result(&format!("{lines}{name}: {}\n", timeline.story()));
        }
    }
    let wrong = timeline.entries.iter().any(|entry| matches!(entry.reading, Reading::Wrong(_)));
    Ok(if wrong { Outcome::Findings } else { Outcome::Clean })
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

/// The versions that are installed, or are to be installed, the oldest first, by their short names.
fn versions(
    args: &Args,
    kind: Kind,
    name: &TargetName,
) -> Result<Vec<(String, Tool)>, Box<dyn Error>> {
    let catalog = args.catalog.catalog()?;
    // The domains of a library have its versions.
    let library = name.name.split('/').next().unwrap_or_default();
    let spec = catalog.find(library)?;
    let asked = asked(&catalog, spec, &TargetName::newest(library), &args.install)?;
    let installer = args.catalog.installer();
    let variant = name.variant.as_deref().and_then(|variant| spec.variant(variant));
    let mut found = Vec::new();
    let all = spec.versions();
    for version in &all {
        if variant.is_some_and(|variant| !variant.versions.contains(version)) {
            continue;
        }
        let wanted = asked.iter().any(|asked| asked.as_str() == version.as_str());
        let plain = TargetName::newest(library).at(version.as_str());
        if wanted || catalog.resolve_installed(&plain, &installer)?.is_some() {
            let tool = args.catalog.tool(kind, &name.at(version.as_str()))?;
            found.push((short(version, &all), tool));
        }
    }
    if found.is_empty() {
        return Err(format!(
            "no version of {name} is installed; --install all installs all {} of them",
            all.len()
        )
        .into());
    }
    Ok(found)
}

/// The versions that are to be installed.
fn asked(
    catalog: &Catalog,
    spec: &Spec,
    name: &TargetName,
    words: &[String],
) -> Result<Vec<Version>, Box<dyn Error>> {
    if words.iter().any(|word| word == "all") {
        return Ok(spec.versions());
    }
    let mut asked = Vec::new();
    for word in words {
        match catalog.choose(&name.at(word))?.1 {
            Choice::Release(version) => asked.push(version),
            Choice::Program(_) => {
                return Err(format!("--install takes versions, and `{word}` is none").into());
            }
        }
    }
    Ok(asked)
}

/// The shortest beginning of a version, of three words at least, that means no other.
fn short(version: &Version, all: &[Version]) -> String {
    let words: Vec<&str> = version.as_str().split('.').collect();
    let unique = |text: &String| {
        let prefix = Version::from(text.as_str());
        all.iter().filter(|other| other.begins_with(&prefix)).count() == 1
    };
    let beginnings = (3..words.len()).map(|count| words[..count].join("."));
    beginnings.into_iter().find(unique).unwrap_or_else(|| version.as_str().to_owned())
}

fn line(entry: &Entry) -> String {
    let Entry { version, reading, detail, seconds, .. } = entry;
    let detail = match reading {
        Reading::Wrong(kind) if *kind != FindingKind::Crash => kind.name().to_owned(),
        _ => output::shortened(detail),
    };
    format!("{version:10} {:8} {seconds:6.2} s  {detail}\n", reading.name())
}

/// One JSON record per version, and a last one with the changes.
fn records(name: &TargetName, timeline: &Timeline) -> String {
    let record = |entry: &Entry| {
        let kind = match &entry.reading {
            Reading::Wrong(kind) => Some(kind.name()),
            _ => None,
        };
        json!({
            "target": name.to_string(), "version": entry.version, "reading": entry.reading.name(),
            "kind": kind, "detail": entry.detail, "seconds": entry.seconds, "runs": entry.runs,
        })
    };
    let changes: Vec<Value> = timeline.changes().iter().map(change).collect();
    let summary = json!({ "target": name.to_string(), "changes": changes, "story": timeline.story(),
            "undecided": timeline.undecided() });
    let all = timeline.entries.iter().map(record).chain([json!({ "summary": summary })]);
    all.map(|record| format!("{record}\n")).collect()
}

fn change(change: &Change) -> Value {
    json!({
        "what": change.what.name(), "before": change.before, "after": change.after,
        "between": change.between,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_named_as_briefly_as_they_can_be() {
        let all = ["4.8.0.0.post1", "4.8.8.0", "4.8.8.1", "1.0.3", "1.0"].map(Version::from);
        let names: Vec<String> = all.iter().map(|version| short(version, &all)).collect();
        assert_eq!(names, ["4.8.0", "4.8.8.0", "4.8.8.1", "1.0.3", "1.0"]);
    }
}
