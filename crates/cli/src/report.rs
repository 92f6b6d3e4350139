//! `assay report`: a campaign as a page, a text or records; a finding as the text of a bug report.

use crate::compare::open;
use crate::tools::CatalogArgs;
use crate::{Outcome, output};
use assay_campaign::bisect::Timeline;
use assay_campaign::cluster::clusters;
use assay_campaign::suites::Askers;
use assay_campaign::{Dossier, FolderError};
use assay_report::{Issue, Report};
use assay_target::{Catalog, TargetName};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Render a campaign as HTML, Markdown, JSON, JUnit or SARIF, or write a bug report
///
/// The HTML page is one file that needs no network and no server. The default format is Markdown.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder that `assay run --out` wrote
    #[arg(value_name = "CAMPAIGN", required_unless_present = "issue")]
    campaign: Option<PathBuf>,
    /// Write an HTML page to this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "out"])]
    html: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "md")]
    format: Format,
    /// Write to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write a bug report about this finding's folder instead
    #[arg(long, value_name = "FINDING", conflicts_with_all = ["campaign", "html", "format"])]
    issue: Option<PathBuf>,
    #[command(flatten)]
    catalog: CatalogArgs,
}

/// The forms of a report.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Markdown
    Md,
    /// Everything, as one JSON document
    Json,
    /// JUnit XML, for continuous integration
    Junit,
    /// SARIF 2.1.0, for tools that show findings
    Sarif,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let catalog = args.catalog.catalog()?;
    let text = match (&args.issue, &args.campaign) {
        (Some(folder), _) => bug_report(folder, &catalog)?,
        (None, Some(campaign)) => {
            let report = read(campaign, &catalog)?;
            match args.format {
                _ if args.html.is_some() => assay_report::html(&report),
                Format::Md => assay_report::markdown(&report),
                Format::Json => assay_report::json(&report),
                Format::Junit => assay_report::junit(&report),
                Format::Sarif => assay_report::sarif(&report),
            }
        }
        (None, None) => return Err("name a campaign's folder, or a finding with --issue".into()),
    };
    match args.html.as_ref().or(args.out.as_ref()) {
        Some(file) => {
            std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        None => output::result(&text),
    }
    Ok(Outcome::Clean)
}

/// Everything that a campaign's folder holds.
fn read(campaign: &Path, catalog: &Catalog) -> Result<Report, Box<dyn Error>> {
    let results = open(campaign)?;
    // Without the suite clusters are coarser, but there.
    let suite = results.header()?.suite(&Askers::default()).ok();
    let clusters = clusters(campaign, suite.as_deref(), catalog)?;
    let mut report = Report::new(&results, clusters)?;
    let folders: Vec<PathBuf> = report
        .clusters
        .iter()
        .flat_map(|cluster| cluster.members.iter().map(|member| member.folder.clone()))
        .collect();
    for folder in folders {
        let path = campaign.join(&folder);
        match Dossier::read(&path) {
            Ok(dossier) => report.add(&folder, dossier, Timeline::of_finding(&path)?),
            // Folders may be thrown away; the results still tell of them.
            Err(FolderError::NoFinding(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(report)
}

fn bug_report(folder: &Path, catalog: &Catalog) -> Result<String, Box<dyn Error>> {
    let dossier = Dossier::read(folder)?;
    let target = &dossier.record.target;
    let obtained = target.parse().ok().and_then(|name| obtained(&name, catalog));
    let timeline = Timeline::of_finding(folder)?;
    Ok(assay_report::issue(&Issue {
        dossier: &dossier,
        reported: reported(folder, target).as_deref(),
        obtained: obtained.as_deref(),
        timeline: timeline.as_ref(),
    }))
}

/// The version that a target reports itself, from the campaign around a finding's folder.
fn reported(folder: &Path, target: &str) -> Option<String> {
    let targets = open(folder.canonicalize().ok()?.parent()?.parent()?).ok()?.targets().ok()?;
    targets.into_iter().find(|record| record.name == target).map(|record| record.reported)
}

/// Where a release comes from, in words.
fn obtained(name: &TargetName, catalog: &Catalog) -> Option<String> {
    let (spec, version) = (catalog.find(&name.name).ok()?, name.version.as_deref()?);
    let version = assay_target::Version::from(version);
    let source = spec.sources.iter().find(|source| source.release(&version).is_some())?;
    Some(source.words())
}
