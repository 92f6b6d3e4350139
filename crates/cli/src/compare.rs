//! `assay compare`: two campaigns over the same cases, side by side.

use crate::{Outcome, output};
use assay_campaign::units::Time;
use assay_campaign::{RESULTS, Results, Terms, compare, pairs};
use assay_target::TargetName;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Compare two campaigns over the same cases
///
/// The targets of the first are compared with those of the second, in the order in which they were
/// given; --target-a and --target-b choose one of each, and both campaigns may be the same. The exit
/// code is 1 if the second is certainly wrong about a case and the first was not; answers that are
/// wrong only by a declared truth are listed separately.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the first campaign
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The folder of the second campaign
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Target of the first campaign
    #[arg(long, value_name = "TARGET")]
    target_a: Option<TargetName>,
    /// Target of the second campaign
    #[arg(long, value_name = "TARGET")]
    target_b: Option<TargetName>,
    /// Treat shorter times as noise: count them as this long, and leave out cases that are shorter
    /// in both
    #[arg(long, value_name = "TIME", default_value = "50ms")]
    floor: Time,
    /// Compare campaigns even if their time or memory limits differ
    #[arg(long)]
    different_limits: bool,
    /// Print one JSON record for each case that changed and each finding that is new or gone, and a
    /// last one for each pair of targets
    #[arg(long)]
    json: bool,
}

/// Opens the results of a campaign to look at them.
pub(crate) fn open(folder: &Path) -> Result<Results, Box<dyn Error>> {
    let file = folder.join(RESULTS);
    match file.exists() {
        true => Ok(Results::open(&file)?),
        false => {
            let folder = folder.display();
            Err(format!(
                "{folder} holds no campaign: there is no {RESULTS}; name the --out of a run"
            )
            .into())
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let (first, second) = (open(&args.first)?, open(&args.second)?);
    let sides = (first.targets()?, second.targets()?);
    let mut outcome = Outcome::Clean;
    let wanted = [args.target_a.as_ref(), args.target_b.as_ref()];
    for targets in pairs(wanted, [&sides.0, &sides.1])? {
        let Args { floor: Time(floor), different_limits, .. } = *args;
        let comparison = compare(&first, &second, &Terms { targets, floor, different_limits })?;
        let names = (&*sides.0[targets.0].name, &*sides.1[targets.1].name);
        let text = if args.json {
            assay_report::compared_records(names, &comparison)
        } else {
            assay_report::compared(names, &comparison, floor)
        };
        output::result(&text);
        if comparison.is_less_sound() {
            outcome = Outcome::Findings;
        }
    }
    Ok(outcome)
}
