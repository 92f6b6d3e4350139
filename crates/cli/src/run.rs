//! `assay run`: generate, run, judge, confirm, store; prints a table and the findings.

use crate::baseline::VerdictArgs;
use crate::conclusion::{self, End, Ended};
use crate::mutants::Askers;
use crate::suites::SuiteArgs;
use crate::tools::{LimitArgs, TargetArgs};
use crate::{Outcome, domains, output, units};
use assay_campaign::tool::Tool;
use assay_campaign::{
    Campaign, DOMAINS, Drawn, Event, Header, Judged, Lock, Progress, Results, Stop, TargetRecord,
    Verdict,
};
use assay_case::{Judgement, Kind, Suite};
use assay_target::domain::DomainLimits;
use assay_target::{Settings, TargetName, shell_word};
use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::error::Error;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Generate cases, run them on targets, judge the answers, confirm and keep what is wrong
///
/// The suite's cases go to every target; each answer is compared with the truth that the case was
/// built with. A wrong answer counts only after two fresh processes gave it again. Results are kept
/// in a folder, from which a stopped run goes on with --resume.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    work: WorkArgs,
    /// Where results and findings go [default: a new folder under assay-out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with a run that was stopped
    #[arg(long)]
    resume: bool,
    /// A list of the cases, as submit writes it, so that they need not be drawn again
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    #[command(flatten)]
    verdict: VerdictArgs,
    /// Print one JSON record per judged case and a last one with the summary
    #[arg(long)]
    json: bool,
}

/// What is run on what, and how: what a run here and a run on a cluster share.
#[derive(clap::Args, Clone)]
pub(crate) struct WorkArgs {
    #[arg(
        help = "What to test, as name[@version][:variant]; may be given several times [default: z3, or cbmc for programs]",
        long = "target",
        value_name = "TARGET"
    )]
    targets: Vec<TargetName>,
    /// How many cases run at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = units::positive::<usize>)]
    jobs: Option<usize>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Begin no more cases after this time [default: 10m for a tour and for mutants]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    budget: Option<Duration>,
    /// Run every case, even of a suite that is very large
    #[arg(long)]
    all: bool,
    /// One process per case instead of long-lived sessions
    #[arg(long)]
    fresh: bool,
    /// Vary each target's options as its file declares them, a new set every 50 cases
    ///
    /// Only options that leave the truth as it is; what a version does not take is left out. A
    /// finding is confirmed and replayed with the options that it was made with.
    #[arg(long)]
    fuzz_options: bool,
    #[command(flatten)]
    catalog: TargetArgs,
}

impl WorkArgs {
    /// The cases that are meant: those asked for, or a tour where the suite is too large.
    pub(crate) fn chosen(&self, asked: &SuiteArgs, suite: &dyn Suite) -> SuiteArgs {
        if self.all { asked.clone() } else { asked.within_reason(suite) }
    }

    /// Whether every case is wanted, of however large a suite.
    pub(crate) fn wants_all(&self) -> bool {
        self.all
    }

    /// When to begin no more cases.
    pub(crate) fn budget(&self, chosen: &SuiteArgs) -> Option<Duration> {
        self.budget.or(chosen.is_open_ended().then_some(OPEN_ENDED))
    }

    /// How many cases run at the same time.
    pub(crate) fn jobs(&self, usual: usize) -> usize {
        self.jobs.unwrap_or(usual)
    }

    /// The memory that a case may use.
    pub(crate) fn memory(&self) -> u64 {
        self.limits.memory
    }

    /// What a campaign of these cases is.
    pub(crate) fn header(
        &self,
        suite: &dyn Suite,
        chosen: &SuiteArgs,
    ) -> Result<Header, Box<dyn Error>> {
        Ok(Header {
            assay: env!("CARGO_PKG_VERSION").to_owned(),
            suite: suite.name().to_owned(),
            arguments: chosen.arguments(),
            configuration: chosen.configuration()?,
            timeout_ms: u64::try_from(self.limits.timeout.as_millis()).unwrap_or(u64::MAX),
            memory: Some(self.limits.memory),
            fuzz_options: self.fuzz_options,
            target_flags: self.catalog.arguments(),
        })
    }

    /// The targets that are named, or the usual one for the suite.
    fn named(&self, suite: &SuiteArgs) -> Vec<TargetName> {
        match (&self.targets[..], suite.is_programs()) {
            ([], true) => vec![TargetName::newest(ANALYZER)],
            ([], false) => vec![TargetName::newest(SOLVER)],
            (given, _) => given.to_vec(),
        }
    }

    /// The targets, ready to run on the suite.
    pub(crate) fn resolve(&self, suite: &SuiteArgs) -> Result<Vec<Tool>, Box<dyn Error>> {
        let kind = if suite.is_programs() { Kind::Program } else { Kind::Formula };
        self.named(suite).iter().map(|name| self.catalog.tool(kind, name)).collect()
    }

    /// The flags again, as words of a command line, but for the number of jobs.
    pub(crate) fn arguments(&self, suite: &SuiteArgs, budget: Option<Duration>) -> Vec<String> {
        let mut words = Vec::new();
        let mut flag = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        self.named(suite).iter().for_each(|target| flag("target", target.to_string()));
        flag("timeout", format!("{}ms", self.limits.timeout.as_millis()));
        flag("memory", self.limits.memory.to_string());
        budget.iter().for_each(|budget| flag("budget", format!("{}ms", budget.as_millis())));
        for (set, name) in
            [(self.all, "--all"), (self.fresh, "--fresh"), (self.fuzz_options, "--fuzz-options")]
        {
            words.extend(set.then(|| name.to_owned()));
        }
        words.extend(self.catalog.arguments());
        words
    }
}

/// What formulas go to where nothing is said.
pub(crate) const SOLVER: &str = "z3";

/// What programs go to where nothing is said.
pub(crate) const ANALYZER: &str = "cbmc";

/// How long a run without an end of its own takes, unless it is told otherwise.
const OPEN_ENDED: Duration = Duration::from_secs(600);

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    args.verdict.check()?;
    if args.suite.is_domains() {
        return run_domains(args);
    }
    let askers = Askers::default();
    let suite = args.suite.suite(&askers)?;
    let work = &args.work;
    if args.suite.is_programs() && work.fresh {
        return Err("--fresh: every program has a process of its own as it is; leave it out".into());
    }
    let chosen = work.chosen(&args.suite, &*suite);
    let suite = if chosen.is_tour() { chosen.suite(&askers)? } else { suite };
    let budget = work.budget(&chosen);
    let targets = work.resolve(&args.suite)?;
    let records: Vec<TargetRecord> = targets.iter().map(Tool::record).collect();
    let header = work.header(&*suite, &chosen)?;
    let drawn = args.cases.as_ref().map(|path| Drawn::read(path, &header, &*suite)).transpose()?;
    let listed = drawn.as_ref().map(|drawn| drawn as &dyn Suite);
    let folder = folder(args, suite.name())?;
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let _lock = Lock::take(&folder)?;
    let file = folder.join("results.sqlite");
    let open = if args.resume { Results::resume } else { Results::create };
    let mut results = open(&file, &header, &suite.categories(), &records)?;
    let line = chosen.arguments().join(" ");
    let (name, targets_named) = (suite.name(), names(&records));
    note(&format!("{name} {line} on {targets_named}; results in {}", folder.display()));

    let stop = stop_on_signals()?;
    let settings = Settings {
        limits: work.limits.limits(),
        launcher: work.catalog.launcher()?,
        seed: chosen.selection().rng,
        sessions: !work.fresh,
    };
    match chosen.is_programs() {
        true => chosen.programs.ask(&askers, &work.catalog, chosen.selection().rng)?,
        false => askers.ask(&targets, &settings),
    }
    let vary = work.fuzz_options.then_some(chosen.selection().rng);
    let factory = || Ok(targets.iter().map(|tool| tool.open(&settings, vary)).collect());
    let campaign = Campaign {
        suite: listed.unwrap_or(&*suite),
        selection: chosen.selection(),
        header,
        factory: &factory,
        targets: targets.len(),
        jobs: work.jobs(std::thread::available_parallelism().map_or(1, usize::from)),
        count: std::io::stderr().is_terminal(),
        budget,
        give_up: chosen.give_up(),
        findings: folder.join("findings"),
        stop: &stop,
    };
    let resume = resumption(&campaign.header, &records, &folder);
    let mut watch = Watch::new(args.json, &records);
    let stopped = campaign.run(&mut results, &mut |event| watch.see(event))?;
    watch.finish();
    match stopped {
        Stop::Finished => {}
        Stop::Budget => note(&format!("the budget is used up; resume it with:\n  {resume}")),
        Stop::Interrupted => {
            note(&format!("interrupted: results so far are kept; resume it with:\n  {resume}"));
        }
    }
    let ended = match stopped {
        Stop::Finished => End::Finished,
        Stop::Budget => End::Budget,
        Stop::Interrupted => End::Interrupted,
    };
    let catalog = &work.catalog.catalog()?;
    let ended = Ended { results: &results, folder: &folder, ended, catalog };
    conclusion::show(&ended, &args.verdict, args.json)
}

/// The command that resumes a campaign in its folder.
fn resumption(header: &Header, targets: &[TargetRecord], folder: &Path) -> String {
    let out = folder.display().to_string();
    let again = header.command(targets.iter().map(|target| target.name.as_str()));
    format!("{again} --resume --out {}", shell_word(&out))
}

/// The suite of laws of abstract domains: workers make and try their cases themselves.
fn run_domains(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let stop = stop_on_signals()?;
    let WorkArgs { budget, limits, catalog, .. } = &args.work;
    let targets = &args.work.targets;
    if targets.is_empty() {
        return Err(format!(
            "domains need a --target, for example builtin/octagon or apron/octD; known are {}",
            assay_campaign::tool::domains()
        )
        .into());
    }
    if args.resume {
        return Err("a search on domains has no cases to go on with; leave --resume out".into());
    }
    let WorkArgs { jobs, all, fresh, fuzz_options, .. } = args.work;
    let work = [
        (jobs.is_some(), "--jobs"),
        (all, "--all"),
        (fresh, "--fresh"),
        (fuzz_options, "--fuzz-options"),
        (args.cases.is_some(), "--cases"),
    ];
    let unused = work.into_iter().chain(args.suite.about_cases()).find(|(given, _)| *given);
    if let Some((_, flag)) = unused {
        return Err(format!(
            "{flag} is about numbered cases, which a search on domains does not have; --budget \
             says how long it lasts"
        )
        .into());
    }
    let folder = folder(args, DOMAINS)?;
    let run = domains::RunArgs {
        targets,
        budget: *budget,
        limits: DomainLimits { memory: limits.memory, patience: limits.timeout },
        arguments: args.suite.arguments(),
        seed: args.suite.selection().rng,
        folder: &folder,
        catalog,
        verdict: &args.verdict,
        json: args.json,
    };
    domains::run(&args.suite.domains, &run, &stop)
}

/// The folder of the run: as given, or the next free number under `assay-out`.
fn folder(args: &Args, suite: &str) -> Result<PathBuf, Box<dyn Error>> {
    if let Some(folder) = &args.out {
        return Ok(folder.clone());
    }
    let numbered = |number: u32| Path::new("assay-out").join(format!("{suite}-{number}"));
    let free = (1..).find(|&number| !numbered(number).exists()).expect("numbers do not end");
    match (args.resume, free) {
        (false, _) => Ok(numbered(free)),
        (true, 1) => {
            Err(format!("there is no run of {suite} under assay-out to go on with").into())
        }
        (true, _) => Ok(numbered(free - 1)),
    }
}

/// A flag that the first Ctrl-C, SIGTERM or SIGHUP sets; the second one ends the process at once.
fn stop_on_signals() -> Result<Arc<AtomicBool>, Box<dyn Error>> {
    let stop = Arc::new(AtomicBool::new(false));
    let code = i32::from(crate::INTERRUPTED);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

fn names(records: &[TargetRecord]) -> String {
    let name = |record: &TargetRecord| record.name.clone();
    records.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn note(words: &str) {
    output::note(&format!("{words}\n"));
}

/// Shows what happens while it happens.
struct Watch<'w> {
    json: bool,
    targets: &'w [TargetRecord],
    terminal: bool,
    shown: Option<Duration>,
}

impl<'w> Watch<'w> {
    fn new(json: bool, targets: &'w [TargetRecord]) -> Watch<'w> {
        Watch { json, targets, terminal: std::io::stderr().is_terminal(), shown: None }
    }

    fn see(&mut self, event: Event<'_>) {
        match event {
            Event::Judged(judged) if self.json => {
                let target = &self.targets[judged.target].name;
                output::result(&format!("{}\n", record(judged, target)));
            }
            Event::Judged(_) => {}
            Event::Progress(progress) => self.progress(progress),
        }
    }

    /// A line that is rewritten on a terminal, and comes every half minute elsewhere.
    fn progress(&mut self, progress: Progress) {
        let pause = Duration::from_secs(30);
        let due = |shown: Duration| progress.elapsed >= shown + pause;
        if !self.terminal && !due(self.shown.unwrap_or_default()) {
            return;
        }
        self.shown = Some(progress.elapsed);
        let line = progress_line(&progress);
        let mut stderr = std::io::stderr().lock();
        let _ = if self.terminal {
            write!(stderr, "\r\x1b[K{line}")
        } else {
            writeln!(stderr, "{line}")
        };
        let _ = stderr.flush();
    }

    fn finish(&self) {
        if self.terminal && self.shown.is_some() {
            let _ = writeln!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}

fn progress_line(progress: &Progress) -> String {
    let seconds = progress.elapsed.as_secs_f64().max(0.001);
    let rate = progress.new as f64 / seconds;
    let mut line =
        format!("{} runs, {} findings, {rate:.0} runs/s", progress.done, progress.findings);
    line += &match progress.total {
        Some(total) if rate > 0.0 && progress.done < total => {
            let left = Duration::from_secs_f64((total - progress.done) as f64 / rate);
            format!(
                ", {} of {total}, {} left",
                percent(progress.done, total),
                units::in_words(left)
            )
        }
        _ => format!(", {}", units::in_words(progress.elapsed)),
    };
    line
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", part as f64 / whole.max(1) as f64 * 100.0)
}

fn record(judged: &Judged, target: &str) -> Value {
    let mut record = json!({ "case": judged.case, "id": judged.id.to_string(), "target": target });
    match &judged.verdict {
        Verdict::Skipped(reason) => {
            record["answer"] = "skipped".into();
            record["judgement"] = "skipped".into();
            record["reason"] = reason.as_str().into();
            record["seconds"] = 0.into();
        }
        Verdict::Fault { words, folder } => {
            record["answer"] = "skipped".into();
            record["judgement"] = "fault-of-ours".into();
            record["reason"] = words.as_str().into();
            record["folder"] = folder.display().to_string().into();
            record["seconds"] = 0.into();
        }
        Verdict::Ran { answer, judgement, stability, elapsed, folder, .. } => {
            let (word, detail) = match judgement {
                Judgement::Correct => ("correct", None),
                Judgement::Inconclusive(doubt) => ("inconclusive", Some(doubt.to_string())),
                Judgement::Finding(_) => ("finding", None),
                Judgement::OracleContradicted(how) => {
                    ("oracle-contradicted", Some(how.to_string()))
                }
            };
            let (verdict, words) = answer.split_once(": ").unwrap_or((answer, ""));
            record["answer"] = verdict.into();
            if !words.is_empty() {
                record["words"] = words.into();
            }
            record["judgement"] = word.into();
            if let Some(detail) = detail {
                record["reason"] = detail.into();
            }
            if let Judgement::Finding(finding) = judgement {
                record["finding"] = json!({
                    "kind": finding.kind.name(),
                    "severity": finding.severity().name(),
                    "grade": finding.grade.name(),
                    "evidence": finding.evidence.to_string(),
                    "stability": stability.name(),
                    "folder": folder.as_ref().map(|path| path.display().to_string()),
                });
            }
            record["seconds"] = elapsed.as_secs_f64().into();
        }
    }
    record
}
