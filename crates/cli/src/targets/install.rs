//! `assay targets install`.

use super::Context;
use crate::{Outcome, output};
use assay_target::{ResolveError, SystemPackages, TargetName, Unpinned};
use std::error::Error;

/// Install tools in your cache ($ASSAY_CACHE, by default ~/.cache/assay)
#[derive(clap::Args)]
pub(super) struct Args {
    /// Tools to install [default version: the newest]
    #[arg(required = true, value_name = "NAME[@VERSION]")]
    names: Vec<TargetName>,

    /// Install every known version
    #[arg(long)]
    all_versions: bool,

    /// Allow sudo for packages of the system
    #[arg(long)]
    system: bool,

    /// Install wheels without a known checksum, including releases that are not listed
    #[arg(long)]
    unpinned: bool,
}

pub(super) fn run(context: Context, args: &Args) -> Outcome {
    let Context { mut catalog, installer, .. } = context;
    let system = if args.system { SystemPackages::Allowed } else { SystemPackages::IfRoot };
    let unpinned = if args.unpinned { Unpinned::Allowed } else { Unpinned::Refused };
    let installer = installer.system_packages(system).unpinned(unpinned);
    let mut outcome = Outcome::Clean;
    for name in &args.names {
        if args.unpinned {
            if let Err(error) = catalog.offer(name) {
                outcome = outcome.max(super::fail(&error));
                continue;
            }
        }
        let names = match catalog.find(&name.name) {
            Ok(spec) if args.all_versions && name.version.is_none() => {
                spec.versions().iter().map(|version| name.at(version.as_str())).collect()
            }
            _ => vec![name.clone()],
        };
        for name in names {
            match catalog
                .resolve(&name, &installer, &mut |words| output::note(&format!("{words}\n")))
            {
                Ok(target) => output::result(&format!(
                    "{} is installed and reports version {}\n",
                    target.name, target.reported_version
                )),
                Err(ResolveError::NoCommand { command }) => {
                    let tool = &name.name;
                    let words = format!(
                        "{tool} cannot be installed from here; it is looked for as the command \
                         `{command}` in the folders of $PATH, or where {tool}@/path/to/{command} \
                         says"
                    );
                    outcome = outcome.max(super::fail(&*Box::<dyn Error>::from(words)));
                }
                // The others may still work.
                Err(error) => outcome = outcome.max(super::fail(&error)),
            }
        }
    }
    outcome
}
