//! `assay bisect`: which version of a tool broke a case, and which mended it.

use crate::mutants::Askers;
use crate::replay::{
    AgainArgs, Replayed, case_of_file, case_of_finding, read_record, with_options,
};
use crate::tools::TargetArgs;
use crate::{Outcome, output};
use assay_campaign::FindingRecord;
use assay_campaign::bisect::{Candidate, Change, Entry, Reading, Subject, Timeline, bisect};
use assay_case::{FindingKind, Oracle};
use assay_target::spec::Spec;
use assay_target::{Catalog, Choice, Resolved, Solver, TargetName, Version};
use serde_json::{Value, json};
use std::error::Error;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

/// Find the versions of a tool that broke and mended a case
///
/// Runs a finding, or a file whose truth is known, on every installed version of the tool, each in a
/// process of its own, and tells where it becomes wrong and where right again. The versions on both
/// sides of a change are run three times. What is learnt about a finding is also left in its folder, as
/// `bisect.json`, for `assay report`.
#[derive(clap::Args)]
#[command(mut_arg("timeout", |timeout| timeout.default_value("15s")))]
pub(crate) struct Args {
    /// A finding's folder, or an SMT-LIB file with a :status
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
    let name = tool(args, record.as_ref())?;
    let Replayed { case, truth } = match &record {
        Some(record) => case_of_finding(&args.what, record, &Askers::default())?,
        None => case_of_file(&args.what, args.again.model.as_deref())?.into(),
    };
    let sought = record.as_ref().and_then(|record| FindingKind::by_name(&record.kind));
    // A false model and a crash show by themselves.
    let by_itself = matches!(sought, Some(FindingKind::InvalidModel | FindingKind::Crash));
    if matches!(truth.oracle(), Oracle::Open) && !by_itself {
        return Err(format!(
            "{}: no truth is known (a file needs a :status or --model FILE)",
            args.what.display()
        )
        .into());
    }
    let settings = args.again.settings(record.as_ref(), &args.catalog)?;
    let mut candidates = Vec::new();
    for (version, target) in versions(args, &name)? {
        let target = Arc::new(with_options(target, &args.again.options, record.as_ref())?);
        let target = Box::new(Solver::new(target, settings.clone()));
        candidates.push(Candidate { version, target });
    }
    let subject = Subject { case: &case, truth: &truth, sought };
    let watched = std::io::stderr().is_terminal();
    let timeline = bisect(subject, &mut candidates, &mut |entry| {
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
fn tool(args: &Args, record: Option<&FindingRecord>) -> Result<TargetName, Box<dyn Error>> {
    match (&args.target, record) {
        (Some(TargetName { version: Some(version), name, .. }), _) => Err(format!(
            "bisect runs all versions of {name}; write it without @{version} (--install says which)"
        )
        .into()),
        (Some(name), _) => Ok(name.clone()),
        (None, Some(record)) => Ok(TargetName { version: None, ..record.target.parse()? }),
        (None, None) => Ok(TargetName::newest("z3")),
    }
}

/// The versions that are here or are to be brought here, the oldest first, by their short names.
fn versions(args: &Args, name: &TargetName) -> Result<Vec<(String, Resolved)>, Box<dyn Error>> {
    let catalog = args.catalog.catalog()?;
    let spec = catalog.find(&name.name)?;
    let asked = asked(&catalog, spec, name, &args.install)?;
    let installer = args.catalog.installer();
    let mut note = |words: &str| output::note(&format!("{words}\n"));
    let variant = name.variant.as_deref().and_then(|variant| spec.variant(variant));
    let mut found = Vec::new();
    let all = spec.versions();
    for version in &all {
        if variant.is_some_and(|variant| !variant.versions.contains(version)) {
            continue;
        }
        let exact = name.at(version.as_str());
        let resolved = match asked.iter().any(|asked| asked.as_str() == version.as_str()) {
            true => Some(catalog.resolve(&exact, &installer, &mut note)?),
            false => catalog.resolve_installed(&exact, &installer)?,
        };
        found.extend(resolved.map(|resolved| (short(version, &all), resolved)));
    }
    if found.is_empty() {
        return Err(format!(
            "no version of {name} is installed; --install all brings all {} of them",
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
    let summary =
        json!({ "target": name.to_string(), "changes": changes, "story": timeline.story() });
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
