//! `assay replay`: run one case again, from a finding's folder or from a file.

use crate::tools::{LimitArgs, TargetArgs};
use crate::{Outcome, output};
use assay_campaign::cluster::known_bug;
use assay_campaign::kind::{Profile, handling, profile};
use assay_campaign::replay::{
    Judged, Replayed, asked, case_of_file, case_of_finding, judge_all, kind_of_file,
};
use assay_campaign::suites::{Askers, PATIENCE};
use assay_campaign::tool::Tool;
use assay_campaign::{FindingRecord, FolderError, TargetRecord};
use assay_case::{Answer, Judgement, Kind, Suite, TestCase};
use assay_report::Replay;
use assay_target::process::Launcher;
use assay_target::{Chosen, Mode, Ran, Run, Settings, Target, TargetName};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::slice;

/// Run one case again, in a fresh process
///
/// The case of a finding is generated again by its suite, so its truth is as certain as before. The
/// truth of a file is its :status, unless --model gives a model, which is checked. A model that a
/// target prints, or trying every assignment if there are few, confirms or refutes a declared truth.
/// If no truth is known, several targets are compared with each other.
#[derive(clap::Args)]
#[command(mut_arg("timeout", |timeout| timeout.default_value("15s")))]
pub(crate) struct Args {
    /// A finding's folder, an SMT-LIB file, a C program with its task (.yml) beside it, or a trace of
    /// operations on an abstract domain
    #[arg(value_name = "FINDING|FILE")]
    what: PathBuf,
    #[arg(
        help = "Tool to run, as name[@version][:variant] [default: the finding's target, or z3, or cbmc]",
        long = "target",
        value_name = "TARGET"
    )]
    targets: Vec<TargetName>,
    #[command(flatten)]
    again: AgainArgs,
    #[command(flatten)]
    catalog: TargetArgs,
    /// Replay the whole input that a trace was cut out of, not only the trace
    #[arg(long)]
    bytes: bool,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

/// How a case is run again.
#[derive(clap::Args)]
pub(crate) struct AgainArgs {
    /// A model that makes the file satisfiable
    #[arg(long, value_name = "FILE")]
    pub(crate) model: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Random seed of the target itself [default: the finding's, or 0]
    #[arg(long, value_name = "N")]
    seed_targets: Option<u64>,
    /// Run with this option, as NAME=VALUE; may be given several times [default: the finding's
    /// options]
    #[arg(long = "option", value_name = "OPTION")]
    pub(crate) options: Vec<Chosen>,
}

impl AgainArgs {
    /// Settings for single-use processes, with the finding's seed unless a flag gives another.
    pub(crate) fn settings(
        &self,
        record: Option<&FindingRecord>,
        tools: &TargetArgs,
    ) -> Result<Settings, Box<dyn Error>> {
        let found_with = record.map(|record| record.campaign.execution.seed_targets);
        Ok(Settings {
            limits: self.limits.of_process(),
            launcher: tools.launcher()?,
            seed: self.seed_targets.or(found_with).unwrap_or(0),
            sessions: false,
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let record = read_record(&args.what)?;
    let kind = kind(&args.what, record.as_ref(), &args.targets);
    let settings = args.again.settings(record.as_ref(), &args.catalog)?;
    let given = match &record {
        Some(_) => None,
        None => Some(case_of_file(&args.what, kind, args.again.model.as_deref())?),
    };
    let mut tools = Vec::new();
    for name in names(kind, &args.targets, record.as_ref())? {
        let tool = args.catalog.tool(kind, &name)?;
        tools.push(with_options(tool, &args.again.options, record.as_ref())?);
    }
    let Replayed { case, truth, .. } = match (&record, given) {
        (Some(record), _) => replayed(&args.what, record, &args.catalog, &tools, &settings)?,
        (None, given) => given.expect("a file was read").into(),
    };
    let (case, truth) = match args.bytes {
        true => {
            let whole = handling(kind).whole(&args.what, &case)?;
            (whole.clone(), whole)
        }
        false => (case, truth),
    };
    let asked = asked(&case);
    let reported: Vec<TargetRecord> = tools.iter().map(Tool::record).collect();
    let mut runs = Vec::new();
    for tool in tools {
        let mut target = tool.open(&settings, None);
        match target.run(&asked, Mode::Fresh)? {
            Ran::Observed(run) => runs.push((target, *run)),
            Ran::Skipped(reason) => return Err(reason.into()),
        }
    }
    if record.is_none() {
        refuse_bad_input(&args.what, &case, &runs, &settings.launcher)?;
    }
    let said: Vec<_> = runs.iter().map(|(target, run)| (target.name(), &run.observation)).collect();
    let Judged { judgements, refuted } = judge_all(&truth, &said);
    if let Some(refuted) = refuted {
        output::note(&format!("note: {refuted}\n"));
    }
    let catalog = args.catalog.catalog()?;
    let mut outcome = Outcome::Clean;
    for (((target, run), judgement), reported) in runs.iter().zip(&judgements).zip(&reported) {
        let bugs = catalog.known_bugs(&reported.name.parse()?, &reported.reported);
        let known = known_bug(&case, judgement, &bugs);
        let replay = Replay { target: &**target, case: &case, run, judgement, known };
        output::result(&match args.json {
            true => format!("{}\n", replay.record()),
            false => replay.words(),
        });
        outcome = outcome.max(match judgement {
            Judgement::Correct | Judgement::Inconclusive(_) => Outcome::Clean,
            Judgement::Finding(_) => Outcome::Findings,
            Judgement::OracleContradicted(_) => Outcome::Failed,
        });
    }
    Ok(outcome)
}

/// The kind of subject of a finding's folder or a file.
pub(crate) fn kind(what: &Path, record: Option<&FindingRecord>, targets: &[TargetName]) -> Kind {
    record.map_or_else(|| kind_of_file(what, targets), |record| record.subject)
}

/// The targets of the command line, or the finding's, or the default one of the kind.
pub(crate) fn names(
    kind: Kind,
    given: &[TargetName],
    record: Option<&FindingRecord>,
) -> Result<Vec<TargetName>, Box<dyn Error>> {
    Ok(match (given, record) {
        ([], Some(record)) => {
            let others = record.against.iter().map(|opinion| &opinion.target);
            let all = [&record.target].into_iter().chain(others);
            all.map(|name| name.parse()).collect::<Result<_, _>>()?
        }
        ([], None) => match profile(kind) {
            Profile { default_target: Some(name), .. } => vec![TargetName::newest(*name)],
            Profile { example, .. } => {
                return Err(
                    format!("a {kind} needs a target, for example --target {example}").into()
                );
            }
        },
        (given, _) => given.to_vec(),
    })
}

/// The case of a finding, made again by its suite where that is possible.
pub(crate) fn replayed(
    folder: &Path,
    record: &FindingRecord,
    catalog: &TargetArgs,
    tools: &[Tool],
    settings: &Settings,
) -> Result<Replayed, Box<dyn Error>> {
    let suite = recorded_suite(record, catalog, tools, settings);
    let (suite, trouble) = match suite {
        Ok(suite) => (suite, None),
        Err(error) => (None, Some(format!("the case cannot be made again ({error})"))),
    };
    let replayed = case_of_finding(folder, record, suite.as_deref())?;
    if let Some(words) = trouble.filter(|_| !record.reduced).or_else(|| replayed.note.clone()) {
        output::note(&format!("note: {words}; taking the file's\n"));
    }
    Ok(replayed)
}

/// The suite that made a finding's case; `None` if cases are made during a search.
fn recorded_suite(
    record: &FindingRecord,
    catalog: &TargetArgs,
    tools: &[Tool],
    settings: &Settings,
) -> Result<Option<Box<dyn Suite>>, Box<dyn Error>> {
    let askers = Askers::default();
    let campaign = &record.campaign;
    if !profile(record.subject).numbered {
        return Ok(None);
    }
    match campaign.programs() {
        Some(made) => catalog.ask(&askers, campaign, slice::from_ref(&made.solver), PATIENCE)?,
        None => askers.ask(campaign, tools, settings),
    }
    Ok(Some(campaign.suite(&askers)?))
}

/// Refuses a file that a tool is right to reject: that is bad input, and no finding.
fn refuse_bad_input(
    file: &Path,
    case: &TestCase,
    runs: &[(Box<dyn Target>, Run)],
    launcher: &Launcher,
) -> Result<(), Box<dyn Error>> {
    let rejected = runs.iter().find_map(|(_, run)| match &run.observation.answer {
        Answer::Rejected(words) => Some(words),
        _ => None,
    });
    let bad =
        rejected.and_then(|words| handling(case.kind()).bad_input(case.text(), words, launcher));
    bad.map_or(Ok(()), |words| Err(format!("{}:{words}", file.display()).into()))
}

/// The tool with the options of the flags, or those that the finding was made with.
pub(crate) fn with_options(
    tool: Tool,
    asked: &[Chosen],
    record: Option<&FindingRecord>,
) -> Result<Tool, Box<dyn Error>> {
    let Some(record) = record.filter(|_| asked.is_empty()) else {
        return Ok(tool.with_options(asked)?);
    };
    let (tool, lacking) = tool.as_found(record);
    for error in lacking {
        output::note(&format!("note: {error}; running without it\n"));
    }
    Ok(tool)
}

/// The record of a finding's folder; `None` for a file.
pub(crate) fn read_record(path: &Path) -> Result<Option<FindingRecord>, FolderError> {
    if !path.is_dir() {
        return Ok(None);
    }
    FindingRecord::read(path).map(Some)
}
