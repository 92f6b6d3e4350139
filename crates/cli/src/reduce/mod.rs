//! `assay reduce`: the smallest case that still shows the same finding.

mod command;

use crate::replay::read_record;
use crate::tools::{OUTPUT, TargetArgs};
use crate::{Outcome, output, replay};
use assay_campaign::kind::handling;
use assay_campaign::reduce::{End, Event, Job, Measure, Reduction, Watch};
use assay_campaign::replay::case_of_file;
use assay_campaign::suites::Askers;
use assay_campaign::tool::{Tool, Toolbox};
use assay_campaign::units::{Size, Time, counted, in_words};
use assay_campaign::{FindingRecord, write_reduction};
use assay_case::{Expected, FindingKind, Grade, Kind, TestCase};
use assay_program::Programs;
use assay_target::process::Limits;
use assay_target::{Chosen, Settings, TargetName};
use serde_json::{Value, json};
use std::error::Error;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Find the smallest case that still shows the same finding
///
/// A reduced case still shows the same kind of finding, and its truth is still known: the model
/// still satisfies it, or it still contains the core, or two independent solvers agree (the grade
/// says so). The result is written to reduced.smt2 in the folder, and with all its evidence to the
/// folder reduced next to it.
///
/// With --cmd, any command can decide about any file: its exit code and output have to stay the
/// same as for the file itself.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A finding's folder, an SMT-LIB file, a C program with its task (.yml) beside it, or a trace of
    /// operations on an abstract domain
    #[arg(value_name = "FINDING|FILE")]
    what: PathBuf,
    #[arg(
        help = "Tool that shows it, as name[@version][:variant] [default: the finding's target]",
        long = "target",
        value_name = "TARGET"
    )]
    target: Option<TargetName>,
    /// Kind of finding to keep on a file, such as wrong-unsat, invalid-model or crash [default: the
    /// kind that the target shows]
    #[arg(long, value_name = "KIND", value_parser = kind, requires = "target")]
    kind: Option<FindingKind>,
    /// A model that makes the file satisfiable
    #[arg(long, value_name = "FILE", requires = "target")]
    model: Option<PathBuf>,
    /// Ask two solvers about cases that the model or the core does not decide [default: yes, if two
    /// current ones are installed]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no)]
    agreement: Option<bool>,
    #[command(flatten)]
    by_command: command::CommandArgs,
    /// File for the reduced case [default: a file named reduced in the folder, or beside the file]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Number of candidates that are tested at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Time limit for one test [default: the finding's, or 15s; with --cmd, 1.5 times the time of
    /// the file]
    #[arg(long, value_name = "TIME")]
    timeout: Option<Time>,
    /// Memory limit for one test, for the whole process tree
    #[arg(long, value_name = "SIZE", default_value = "2GiB")]
    memory: Size,
    /// Start no more tests after this time
    #[arg(long, value_name = "TIME")]
    budget: Option<Time>,
    /// Random seed of the target itself [default: the finding's, or 0]
    #[arg(long, value_name = "N")]
    seed_targets: Option<u64>,
    /// Run with this option, as NAME=VALUE; may be given several times [default: the finding's
    /// options]
    #[arg(long = "option", value_name = "OPTION")]
    options: Vec<Chosen>,
    #[command(flatten)]
    catalog: TargetArgs,
    /// Print one JSON record
    #[arg(long)]
    json: bool,
}

fn kind(name: &str) -> Result<FindingKind, String> {
    FindingKind::by_name(name).ok_or_else(|| format!("expected one of {}", FindingKind::names()))
}

fn yes_or_no(word: &str) -> Result<bool, String> {
    match word {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no".to_owned()),
    }
}

/// The default time limit of a test.
const PATIENCE: Duration = Duration::from_secs(15);

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    if !args.what.exists() {
        return Err(format!("{}: there is no such file or folder", args.what.display()).into());
    }
    let begun = Instant::now();
    let done = match &args.by_command.cmd {
        Some(line) => command::reduced(args, line)?,
        None => by_target(args)?,
    };
    done.print(args.json, begun.elapsed());
    Ok(Outcome::Clean)
}

/// Reduces while a target shows the finding.
fn by_target(args: &Args) -> Result<Done, Box<dyn Error>> {
    let record = read_record(&args.what)?;
    let record = record.as_ref();
    let kind = replay::kind(&args.what, record, args.target.as_slice());
    if record.is_none() && args.target.is_none() {
        return Err(format!(
            "{} is a file: name a tool with --target, or a command with --cmd",
            args.what.display()
        )
        .into());
    }
    let settings = args.settings(record)?;
    let mut tools = Vec::new();
    for name in replay::names(kind, args.target.as_slice(), record)? {
        let tool = args.catalog.tool(kind, &name)?;
        tools.push(replay::with_options(tool, &args.options, record)?);
    }
    let case = match record {
        Some(record) => {
            replay::replayed(&args.what, record, &args.catalog, &tools, &settings)?.truth
        }
        None => case_of_file(&args.what, kind, args.model.as_deref())?,
    };
    let (catalog, installer) = (args.catalog.catalog()?, args.catalog.installer());
    let job = Job {
        case,
        what: &args.what,
        record,
        kind: args.kind.or(record.and_then(|record| record.kind.finding())),
        tools: &tools,
        toolbox: Toolbox { catalog: &catalog, installer: &installer },
        programs: record.map_or(Ok(None), |record| programs_of(args, record))?,
        agreement: args.agreement,
        settings: settings.clone(),
        jobs: args.jobs(),
        in_folder: args.out.is_none(),
    };
    let reduction = watched(args, |watch| handling(kind).reduce(job, watch))
        .map_err(|error| format!("{}: {error}", args.what.display()))?;
    keep(args, reduction, record, &tools, &settings)
}

/// The suite that made the programs of a campaign, if they are programs.
fn programs_of(args: &Args, record: &FindingRecord) -> Result<Option<Programs>, Box<dyn Error>> {
    let campaign = &record.campaign;
    let Some(settings) = campaign.programs() else { return Ok(None) };
    let askers = Askers::default();
    let solver = std::slice::from_ref(&settings.solver);
    args.catalog.ask(&askers, campaign, solver, assay_campaign::suites::PATIENCE)?;
    Ok(campaign.programs_suite(&askers)?)
}

impl Args {
    fn jobs(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(processors, usize::from)
    }

    /// The limits of one test, which takes no longer than this.
    fn limits(&self, usual: Duration) -> Limits {
        let wall = self.timeout.map_or(usual, |Time(wall)| wall);
        Limits { wall, memory: Some(self.memory.0), output: OUTPUT }
    }

    /// How targets are run: as when the finding was made, unless a flag says otherwise.
    fn settings(&self, record: Option<&FindingRecord>) -> Result<Settings, Box<dyn Error>> {
        let found = record.map(|record| &record.campaign);
        let found_with = found.map(|campaign| campaign.execution.seed_targets);
        Ok(Settings {
            limits: self.limits(found.map_or(PATIENCE, |campaign| campaign.limits.timeout.0)),
            launcher: self.catalog.launcher()?,
            seed: self.seed_targets.or(found_with).unwrap_or(0),
            sessions: true,
        })
    }

    /// The file for the reduced text of a subject of this kind.
    fn out(&self, kind: Kind) -> PathBuf {
        let extension = kind.file().rsplit('.').next().unwrap_or_default();
        match &self.out {
            Some(path) => path.clone(),
            None if self.what.is_dir() => self.what.join(format!("reduced.{extension}")),
            None => self.what.with_extension(format!("reduced.{extension}")),
        }
    }
}

fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(assay_smtlib::text_of(&bytes).into_owned())
}

fn write(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    Ok(std::fs::write(path, assay_smtlib::bytes_of(text))
        .map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Reduces within the budget, with notes, and with progress on a terminal.
fn watched<T>(args: &Args, reduce: impl FnOnce(&mut Watch<'_>) -> T) -> T {
    let end = args.budget.map(|Time(budget)| Instant::now() + budget);
    let on_terminal = !args.json && std::io::stderr().is_terminal();
    let mut tell = |event: Event| match event {
        Event::Smaller(counts, size) if on_terminal => {
            output::progress(&format!("{}, {size}", counted(counts.tests, "test")));
        }
        Event::Smaller(..) => {}
        Event::Installing(words) => output::note(&format!("{words}\n")),
        Event::NoSession(reason) => {
            output::note(&format!("note: no session is used: {reason}\n"));
        }
        Event::Undone { steps, of, tests } => {
            output::note(&format!(
                "undid {steps} of {} in {}\n",
                counted(of, "mutation"),
                counted(tests, "test")
            ));
        }
    };
    let end = End { at: end, stop: None };
    let done = reduce(&mut Watch { end, tell: &mut tell });
    if on_terminal {
        output::progress("");
    }
    done
}

/// Writes a reduced case next to the original; that of a finding also as a folder, after fresh
/// processes repeated the finding. The first tool is the one that it is about.
fn keep(
    args: &Args,
    reduction: Reduction,
    record: Option<&FindingRecord>,
    tools: &[Tool],
    settings: &Settings,
) -> Result<Done, Box<dyn Error>> {
    let case = reduction.case.as_ref().expect("a target is judged by a case");
    let out = args.out(case.kind());
    let mut truth = reduction.evidence.clone().unwrap_or_else(|| truth_in_words(case));
    let mut more = json!({ "target": tools[0].name().to_string(), "grade": case.grade() });
    if let Some(folder) = &reduction.folder {
        return Ok(Done { out: folder.clone(), reduction, truth, more });
    }
    write(&out, &reduction.text)?;
    if let Some(record) = record.filter(|_| reduction.kind.is_some()) {
        if let Some(left) = &reduction.trace {
            more["undone"] = json!(record.trace.len() - left.len());
        }
        let folder = out.with_extension("");
        let kept = write_reduction(&folder, &reduction, record, tools, settings)?;
        let grade = kept.grade.map_or("", Grade::name);
        truth = format!("{} ({grade}, {}): {truth}", kept.kind.name(), kept.stability.name());
        more["grade"] = json!(kept.grade);
        more["kind"] = json!(kept.kind);
        more["stability"] = json!(kept.stability.name());
        more["folder"] = json!(folder);
    }
    Ok(Done { reduction, out, truth, more })
}

fn truth_in_words(case: &TestCase) -> String {
    match case.subject().test().why() {
        Some(why) if matches!(case.expected(), Expected::Equal | Expected::Law) => why,
        Some(why) => format!("the truth is {}, {why}", case.expected().name()),
        None => "the finding proves itself".to_owned(),
    }
}

/// A reduction with the facts that are printed at the end.
pub(crate) struct Done {
    pub(crate) reduction: Reduction,
    /// Where the result is.
    pub(crate) out: PathBuf,
    /// The truth of the reduced case, in words.
    pub(crate) truth: String,
    /// Further entries of the JSON record.
    pub(crate) more: Value,
}

impl Done {
    fn print(&self, as_json: bool, took: Duration) {
        let Done { reduction, out, truth, more } = self;
        let Reduction { before, after, counts, stopped, text, .. } = reduction;
        if as_json {
            let mut record = json!({
                "out": out, "before": measured(*before), "after": measured(*after), "text": text,
                "tests": counts.tests, "taken": counts.taken, "cached": counts.cached,
                "seconds": took.as_secs_f64(), "stopped": stopped, "truth": truth,
            });
            if let Some(kind) = reduction.kind {
                record["kind"] = json!(kind.name());
            }
            if let (Some(record), Some(more)) = (record.as_object_mut(), more.as_object()) {
                record.extend(more.clone());
            }
            output::result(&format!("{record}\n"));
            return;
        }
        let ending = if *stopped { ", stopped by the budget" } else { "" };
        output::result(&format!(
            "{before} -> {after}\n{} in {}{ending}; {truth}\n{}\n\n{text}",
            counted(counts.tests, "test"),
            in_words(took),
            out.display(),
        ));
    }
}

fn measured(size: Measure) -> Value {
    match size {
        Measure::Script(size) => json!({"bytes": size.bytes, "nodes": size.nodes}),
        Measure::Lines(lines) => json!({"lines": lines}),
    }
}
