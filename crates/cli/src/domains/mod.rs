//! The suite `domains`: laws of abstract domains, tried in worker processes.

mod run;

pub(crate) use run::run;

use crate::output;
use assay_lattice::Tester;
use assay_lattice::lines::Lines;
use assay_lattice::protocol::{own_inputs, serve};
use assay_target::TargetName;
use assay_target::domain::start_domain;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter};
use std::path::PathBuf;
use std::process::ExitCode;

/// The hidden subcommand that is a worker: it loads a domain and answers requests.
#[derive(clap::Args)]
pub(crate) struct WorkerArgs {
    target: TargetName,
    heartbeat: PathBuf,
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// Serves until the requests end.
pub(crate) fn work(args: &WorkerArgs) -> ExitCode {
    let served = || -> Result<(), Box<dyn Error>> {
        let channel: File = assay_plugin::private_channel()?;
        let heartbeat = OpenOptions::new().read(true).write(true).open(&args.heartbeat)?;
        let TargetName { name, variant, .. } = &args.target;
        let tester: Box<dyn Tester> = match (name.as_str(), &args.folder) {
            ("command", Some(program)) => {
                let (requests, answers) = start_domain(program)?;
                Box::new(Lines::greet(
                    BufReader::new(answers),
                    BufWriter::new(requests),
                    std::io::stderr(),
                )?)
            }
            _ => assay_plugin::load(name, variant.as_deref(), args.folder.as_deref())?,
        };
        serve(&*tester, &own_inputs, &heartbeat, std::io::stdin().lock(), channel)?;
        Ok(())
    };
    match served() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::failure(&*error);
            ExitCode::from(2)
        }
    }
}
