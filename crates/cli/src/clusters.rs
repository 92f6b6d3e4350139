//! `assay clusters`: the findings of a campaign, grouped by root cause.

use crate::compare::open;
use crate::tools::CatalogArgs;
use crate::{Outcome, output};
use assay_campaign::Results;
use assay_campaign::cluster::{Cluster, clusters};
use assay_campaign::kind::profile;
use assay_campaign::suites::Askers;
use assay_target::Catalog;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Group a campaign's findings by root cause
///
/// A cluster has findings of one target with one cause: the same known bug, the same crash, or the
/// same operator with the same kind of arguments, if the target got other cases right. Each
/// cluster comes with a sentence and its smallest case.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The campaign's folder
    #[arg(value_name = "CAMPAIGN")]
    campaign: PathBuf,
    #[command(flatten)]
    catalog: CatalogArgs,
    /// Print one JSON record per cluster
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let results = open(&args.campaign)?;
    let clusters = of(&results, &args.campaign, &args.catalog.catalog()?)?;
    if args.json {
        for cluster in &clusters {
            output::result(&format!("{}\n", assay_report::cluster_record(cluster)));
        }
    } else {
        output::result(&assay_report::cluster_listing(&clusters, &args.campaign));
    }
    Ok(if clusters.is_empty() { Outcome::Clean } else { Outcome::Findings })
}

/// The clusters of a campaign.
pub(crate) fn of(
    results: &Results,
    folder: &Path,
    catalog: &Catalog,
) -> Result<Vec<Cluster>, Box<dyn Error>> {
    let header = results.header()?;
    let suite = header.suite(&Askers::default());
    if let (Err(error), true) = (&suite, profile(header.kind()).numbered) {
        output::note(&format!(
            "note: the campaign's cases cannot be made again ({error}); \
             clusters rest on the findings alone\n"
        ));
    }
    Ok(clusters(folder, suite.ok().as_deref(), catalog)?)
}
