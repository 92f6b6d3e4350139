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

/// How workers make and check programs.
fn plan(settings: &Domains, seed: u64) -> Result<Plan, Box<dyn Error>> {
    let mut config = Config::preset(&settings.configuration).ok_or_else(|| {
        let known = Config::PRESETS.join(", ");
        format!("there is no configuration `{}`; known are {known}", settings.configuration)
    })?;
    let engine = Engine::by_name(&settings.engine).ok_or_else(|| {
        let known = Engine::ALL.map(|row| row.1).join(", ");
        format!("there is no engine `{}`; known are {known}", settings.engine)
    })?;
    if !(1..=64).contains(&settings.variables) {
        return Err("a program has 1 to 64 variables".into());
    }
    config.dimensions = settings.variables;
    config.pool = settings.pool.unwrap_or(config.pool);
    config.operations = settings.operations.unwrap_or(config.operations);
    config.strict = settings.soft;
    config.mixed = engine.is_guided();
    if let Some(list) = &settings.constants {
        (config.constants, config.infinities) = constants(list)?;
    }
    if let Some(name) = &settings.boundaries {
        config.boundaries = Boundaries::by_name(name).ok_or_else(|| {
            let known = Boundaries::ALL.map(|row| row.1).join(", ");
            format!("there are no boundaries `{name}`; known are {known}")
        })?;
    }
    let find = |name: &String| {
        Law::find(name).ok_or_else(|| {
            format!("there is no law `{name}`; `assay rules --theory domains` lists them")
        })
    };
    let mut laws = settings.laws.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let without = settings.without.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    if !without.is_empty() {
        if laws.is_empty() {
            laws.extend(LAWS);
        }
        laws.retain(|law| !without.contains(law));
        if laws.is_empty() {
            return Err("no law is left: `--without` takes away every `--law`".into());
        }
    }
    let laws = laws.into_iter().map(|law| law.name.to_owned()).collect();
    Ok(Plan::new(&config, engine, seed, laws))
}

/// The constants of a list, and whether infinities are among them.
fn constants(list: &str) -> Result<(Vec<i64>, bool), String> {
    let mut numbers = Vec::new();
    let mut infinities = false;
    for word in list.split(',').map(str::trim) {
        match word {
            "inf" | "-inf" => infinities = true,
            "nan" | "NaN" => {
                return Err(
                    "no domain takes NaN: constants of programs are integers, and inf for \
                            bounds that are missing"
                        .to_owned(),
                );
            }
            _ => numbers.push(named_number(word).ok_or_else(|| {
                format!(
                    "`{word}` is neither a 64-bit number, nor LONG_MIN, LONG_MAX, INT_MIN, \
                         INT_MAX or inf"
                )
            })?),
        }
    }
    if numbers.is_empty() {
        Err("name at least one number".to_owned())
    } else {
        Ok((numbers, infinities))
    }
}
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
