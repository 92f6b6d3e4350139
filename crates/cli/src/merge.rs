//! `assay merge`: joins the shards of a campaign.

use crate::conclusion::{self, End, Ended};
use crate::tools::CatalogArgs;
use crate::{Outcome, output};
use assay_campaign::units::counted;
use assay_campaign::{Gate, Merged, Settlement, merge};
use assay_case::Kind;
use std::error::Error;
use std::path::PathBuf;

/// Join the shards of a campaign into one, as if one machine had run it
///
/// The shards are the folders of runs that differ in --shard alone. What is missing is listed; a shard
/// that was run twice counts once. If two machines got different results for one case, the one that
/// fresh processes confirmed counts most, and an answer counts more than none.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folders of the shards
    #[arg(value_name = "SHARD", required = true)]
    shards: Vec<PathBuf>,
    /// Folder for the campaign
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Join the shards even if some cases are missing
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    verdict: Gate,
    #[command(flatten)]
    catalog: CatalogArgs,
    /// Print a JSON record with the summary
    #[arg(long)]
    json: bool,
}

/// The number of settled contradictions that are listed before the rest is counted.
const TOLD: usize = 5;

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    args.verdict.check()?;
    let merged = merge(&args.shards, &args.out, args.partial)?;
    output::note(&story(&merged, merged.results.header()?.kind()));
    let ended = if merged.missing.is_nothing() { End::Finished } else { End::Incomplete };
    let catalog = &args.catalog.catalog()?;
    let campaign = Ended { results: &merged.results, folder: &args.out, ended, catalog };
    conclusion::show(&campaign, &args.verdict, args.json)
}

/// The result of joining, in words.
fn story(merged: &Merged, kind: Kind) -> String {
    let mut out = format!("{} joined\n", counted(merged.parts, "shard"));
    if !merged.missing.is_nothing() {
        out += &format!("incomplete: {}\n", merged.missing);
    }
    if merged.repeated > 0 {
        let (twice, differ) = (merged.repeated, merged.settled.len());
        out += &format!("{twice} results occur more than once, {differ} of them differ\n");
    }
    for Settlement { target, id, kept, dropped } in merged.settled.iter().take(TOLD) {
        let (kept, dropped) = (kept.name(kind), dropped.name(kind));
        out += &format!("  {target} on case {id}: {kept} counts, not {dropped}\n");
    }
    if merged.settled.len() > TOLD {
        out += &format!("  and {} more\n", merged.settled.len() - TOLD);
    }
    out
}
