//! `assay targets build`.

use super::Context;
use crate::{Outcome, output};
use assay_target::{SystemPackages, TargetName, Unpinned};
use std::num::NonZeroUsize;

/// Build a release from source, with assertions or a sanitizer
///
/// A debug build of z3 takes more than half an hour on two cores. An interrupted build continues
/// when the command is run again. A build is a target like any other: assay run SUITE --target
/// z3@5.4.0:debug
#[derive(clap::Args)]
pub(super) struct Args {
    /// Builds to make
    #[arg(required = true, value_name = "NAME@VERSION:VARIANT")]
    names: Vec<TargetName>,

    /// Compilers that run at once [default: the number of processors]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Allow sudo for packages of the system
    #[arg(long)]
    system: bool,

    /// Build source packages without a known checksum
    #[arg(long)]
    unpinned: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    let system = if args.system { SystemPackages::Allowed } else { SystemPackages::IfRoot };
    let unpinned = if args.unpinned { Unpinned::Allowed } else { Unpinned::Refused };
    let installer = context.installer.clone().system_packages(system).unpinned(unpinned);
    let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let jobs = args.jobs.map_or_else(all, NonZeroUsize::get);
    let mut outcome = Outcome::Clean;
    for name in &args.names {
        let mut note = |words: &str| output::note(&format!("{words}\n"));
        match context.catalog.build(name, &installer, jobs, &mut note) {
            Ok(built) => output::result(&format!(
                "{name} is built and reports version {}\n",
                built.reported_version
            )),
            Err(error) => outcome = outcome.max(super::fail(&error)),
        }
    }
    outcome
}
