//! The suite `domains`: laws of abstract domains, tried in worker processes.

use crate::suites::SuiteArgs;
use crate::{Outcome, output};
use assay_campaign::{
    DomainCampaign, DomainFault, DomainFinding, DomainTally, Stability, write_domain_finding,
};
use assay_lattice::lines::Lines;
use assay_lattice::protocol::{Plan, Reply, serve};
use assay_lattice::{Boundaries, Case, Config, Engine, LAWS, Law, Profile, Shape, Tester, decode};
use assay_target::TargetName;
use assay_target::domain::{DomainWorker, Heard, start_domain};
use assay_target::process::Launcher;
use comfy_table::{CellAlignment, Table, presets};
use serde_json::json;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The name of the suite.
pub(crate) const SUITE: &str = "domains";

/// How cases for abstract domains are made.
#[derive(clap::Args, Clone)]
pub(crate) struct DomainArgs {
    /// For domains: a configuration of the paper, C1 to C6
    #[arg(long, value_name = "NAME", default_value = "C2", hide_default_value = true)]
    configuration: String,
    /// For domains: how inputs are chosen: systematic, random or guided
    #[arg(long, value_name = "NAME", default_value = "guided", hide_default_value = true)]
    engine: String,
    /// For domains: only this law, by name or number; may be given several times
    #[arg(long = "law", value_name = "LAW")]
    laws: Vec<String>,
    /// For domains: how many variables there are
    #[arg(long, value_name = "N", default_value_t = 8, hide_default_value = true)]
    variables: usize,
    /// For domains: which constants are tried beside arbitrary ones: none, int or long
    #[arg(long, value_name = "WHICH")]
    boundaries: Option<String>,
    /// For domains: where the shared libraries are, if not where the system has them
    #[arg(long, value_name = "DIR")]
    libraries: Option<PathBuf>,
}

impl DomainArgs {
    fn plan(&self, seed: u64) -> Result<Plan, Box<dyn Error>> {
        let mut config = Config::preset(&self.configuration).ok_or_else(|| {
            let known = Config::PRESETS.join(", ");
            format!("there is no configuration `{}`; known are {known}", self.configuration)
        })?;
        let engine = Engine::by_name(&self.engine).ok_or_else(|| {
            let known = Engine::ALL.map(|row| row.1).join(", ");
            format!("there is no engine `{}`; known are {known}", self.engine)
        })?;
        if !(1..=64).contains(&self.variables) {
            return Err("a program has 1 to 64 variables".into());
        }
        config.dimensions = self.variables;
        match self.boundaries.as_deref() {
            None => {}
            Some("none") => config.boundaries = Boundaries::None,
            Some("int") => config.boundaries = Boundaries::Int,
            Some("long") => config.boundaries = Boundaries::Long,
            Some(other) => {
                return Err(format!("boundaries are none, int or long, not `{other}`").into());
            }
        }
        let mut laws = Vec::new();
        for name in &self.laws {
            let law = Law::find(name).ok_or_else(|| {
                format!("there is no law `{name}`; `assay gen domains --count` lists them")
            })?;
            laws.push(law.name.to_owned());
        }
        Ok(Plan::new(&config, engine, seed, laws))
    }
}

/// What `assay run domains` is told beside that.
pub(crate) struct RunArgs<'r> {
    /// What to test.
    pub targets: &'r [TargetName],
    /// How long, for each target.
    pub budget: Option<Duration>,
    /// How long one input may take, and how much memory.
    pub limits: (u64, Duration),
    /// Decides what is drawn.
    pub seed: u64,
    /// Where findings go.
    pub folder: &'r Path,
    /// Whether to print JSON Lines.
    pub json: bool,
}

/// How long each target is searched, unless it is told otherwise.
const BUDGET: Duration = Duration::from_secs(60);

/// Searches every target, one after the other.
pub(crate) fn run(
    args: &DomainArgs,
    run: &RunArgs<'_>,
    stop: &AtomicBool,
) -> Result<Outcome, Box<dyn Error>> {
    let plan = args.plan(run.seed)?;
    let launcher = Launcher::this_program()?;
    let mut rows = Vec::new();
    let mut number = 0;
    let mut listing = String::new();
    for name in run.targets {
        let worker = || worker(name, &launcher, args.libraries.as_ref(), run.limits);
        let budget = run.budget.unwrap_or(BUDGET);
        let campaign = DomainCampaign { plan: plan.clone(), budget, stop };
        let mut found: Vec<(DomainFinding, PathBuf)> = Vec::new();
        let mut trouble = None;
        let tally = campaign.run(&mut worker()?, &mut worker()?, &mut |finding| {
            number += 1;
            match write_domain_finding(&run.folder.join("findings"), number, &finding) {
                Ok(path) => {
                    if run.json {
                        output::result(&format!("{}\n", record(&finding, &path)));
                    }
                    found.push((finding, path));
                }
                Err(error) => trouble = Some(error),
            }
        })?;
        trouble.map_or(Ok(()), Err)?;
        listing.extend(found.iter().map(|(finding, path)| shown(finding, path)));
        rows.push((name.to_string(), tally, found));
    }
    let hard = rows.iter().flat_map(|row| &row.2).any(|(finding, _)| is_hard(finding));
    if run.json {
        let targets: Vec<_> = rows.iter().map(summary).collect();
        output::result(&format!("{}\n", json!({ "summary": { "targets": targets } })));
    } else {
        output::result(&table(&rows));
        output::result(&listing);
    }
    Ok(if hard { Outcome::Findings } else { Outcome::Clean })
}

fn is_hard(finding: &DomainFinding) -> bool {
    finding.fault != DomainFault::Soft && finding.stability != Stability::SessionOnly
}

type Row = (String, DomainTally, Vec<(DomainFinding, PathBuf)>);

fn count(row: &Row, fault: DomainFault) -> usize {
    row.2.iter().filter(|(finding, _)| finding.fault == fault).count()
}

const FAULTS: [DomainFault; 7] = [
    DomainFault::Unsound,
    DomainFault::Imprecise,
    DomainFault::Restless,
    DomainFault::Crash,
    DomainFault::Hang,
    DomainFault::Flood,
    DomainFault::Soft,
];

fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let heads = FAULTS.map(DomainFault::name);
    table.set_header(["target", "laws", "inputs", "checks"].into_iter().chain(heads));
    for row in rows {
        let numbers = [row.1.laws as u64, row.1.tried, row.1.checked];
        let faults = FAULTS.map(|fault| count(row, fault) as u64);
        let cells = numbers.into_iter().chain(faults).map(|number| number.to_string());
        table.add_row([row.0.clone()].into_iter().chain(cells));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}

fn shown(finding: &DomainFinding, path: &Path) -> String {
    let law = finding.law.as_deref().and_then(Law::find);
    let law = law.map_or(String::new(), |law| format!(" of {}", law.title()));
    let DomainFinding { target, fault, stability, seconds, program, .. } = finding;
    let program: String = program.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "\n{}{law} in {target} ({}, after {seconds:.1} s)\n{program}    {}\n",
        fault.name(),
        stability.name(),
        path.display()
    )
}

fn record(finding: &DomainFinding, path: &Path) -> serde_json::Value {
    let mut record = serde_json::to_value(finding).unwrap_or_default();
    record["folder"] = path.display().to_string().into();
    record
}

fn summary(row: &Row) -> serde_json::Value {
    let DomainTally { tried, checked, deaths, laws } = row.1;
    let mut summary = json!({
        "target": row.0, "laws": laws, "inputs": tried, "checks": checked, "deaths": deaths,
    });
    for fault in FAULTS {
        summary[fault.name()] = count(row, fault).into();
    }
    summary
}

/// Tries a program again, in a fresh process of each target.
pub(crate) fn replay(
    file: &Path,
    targets: &[TargetName],
    limits: (u64, Duration),
    libraries: Option<PathBuf>,
) -> Result<Outcome, Box<dyn Error>> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let case = Case::read(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let launcher = Launcher::this_program()?;
    let mut outcome = Outcome::Clean;
    for name in targets {
        let mut worker = worker(name, &launcher, libraries.as_ref(), limits)?;
        let words = match worker.attempt(&case.to_string(), true)? {
            Heard::Died { death, words, .. } => {
                outcome = outcome.max(Outcome::Findings);
                format!("{death} {words}")
            }
            Heard::Replies(replies) => match replies.first() {
                Some(Reply::Violated { law, hard, evidence, elements, .. }) => {
                    if *hard {
                        outcome = outcome.max(Outcome::Findings);
                    }
                    let firmness = if *hard { "violates" } else { "softly violates" };
                    let elements: String =
                        elements.iter().map(|element| format!("\n  {element}")).collect();
                    format!("{firmness} {law}: {evidence}{elements}")
                }
                Some(Reply::Progress { checked: 0, .. }) => {
                    "a premise does not hold: the program says nothing".to_owned()
                }
                Some(Reply::Progress { .. }) => "all laws hold".to_owned(),
                other => return Err(format!("{name} said {other:?}").into()),
            },
        };
        output::result(&format!("{name}: {words}\n"));
    }
    Ok(outcome)
}

/// A worker for a target, which is a file itself or has its libraries in a folder.
fn worker(
    name: &TargetName,
    launcher: &Launcher,
    libraries: Option<&PathBuf>,
    limits: (u64, Duration),
) -> Result<DomainWorker, Box<dyn Error>> {
    let place = match (&*name.name, &name.version) {
        ("plugin" | "command", Some(path)) => Some(PathBuf::from(path)),
        _ => libraries.cloned(),
    };
    // Workers run in folders of their own, from where a relative path would lead elsewhere.
    let place = place.map(std::path::absolute).transpose()?;
    Ok(DomainWorker::new(name, launcher, place, limits)?)
}

/// Whether a file is a program about elements: its first line names their kind.
pub(crate) fn is_program(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| Case::read(&text).is_ok())
}

/// How many programs of each kind are printed, unless it is told otherwise.
const PROGRAMS: u64 = 3;

/// Prints programs for every kind of domain; or the laws, where only a list is wanted.
pub(crate) fn generate(suite: &SuiteArgs, laws_only: bool) -> Result<Outcome, Box<dyn Error>> {
    if laws_only {
        let line = |law: &Law| format!("{:<28} {law}\n", law.title());
        output::result(&LAWS.iter().map(line).collect::<String>());
        return Ok(Outcome::Clean);
    }
    let selection = suite.selection();
    let mut plan = suite.domains.plan(selection.rng)?;
    plan.checks = 1;
    let config = plan.config();
    for (shape, ..) in Shape::ALL {
        let profile = Profile::new("", shape);
        let wanted = plan.named_laws();
        let applies = |law: &&Law| {
            law.applies_to(&profile)
                && (wanted.is_empty() || wanted.iter().any(|named| named.name == law.name))
        };
        let laws: Vec<&'static Law> = LAWS.iter().filter(applies).collect();
        let mut inputs = Engine::Random.inputs(&config, plan.seed);
        for _ in 0..selection.limit.unwrap_or(PROGRAMS) {
            let case = decode(&inputs.next(), shape, &config, &laws);
            if !case.checks.is_empty() {
                output::result(&format!("{}\n", case.slice(0)));
            }
        }
    }
    Ok(Outcome::Clean)
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
                Box::new(Lines::greet(BufReader::new(answers), BufWriter::new(requests))?)
            }
            _ => assay_plugin::load(name, variant.as_deref(), args.folder.as_deref())?,
        };
        serve(&*tester, &heartbeat, std::io::stdin().lock(), channel)?;
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
