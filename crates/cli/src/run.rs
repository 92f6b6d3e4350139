//! `assay run`: generate, run, judge, confirm, store; prints a table and the findings.

use crate::conclusion::{self, End, Ended};
use crate::progress::Display;
use crate::registry::{Examples, SuiteCommand, help, is_numbered};
use crate::tools::TargetArgs;
use crate::{Outcome, domains, output};
use assay_campaign::flags::defaults;
use assay_campaign::kind::profile;
use assay_campaign::settings::{CaseLimits, Domains, Execution, Family, Search, Settings};
use assay_campaign::suites::{Askers, PATIENCE};
use assay_campaign::tool::{Tool, Toolbox};
use assay_campaign::units::{Time, positive};
use assay_campaign::{
    Campaign, Drawn, Event, FollowUp, Gate, Header, Lock, Results, Stop, TargetRecord, names,
};
use assay_case::Suite;
use assay_target::{TargetName, Vary, shell_word, spec};
use clap::{ArgMatches, Args as _, Command, FromArgMatches};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::error::Error;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The flags of `assay run`.
pub(crate) struct Args {
    pub(crate) suite: Header,
    pub(crate) work: WorkArgs,
    search: Option<Search>,
    numbered: NumberedArgs,
    pub(crate) output: OutputArgs,
}

/// Where results go, and what is printed.
#[derive(clap::Args)]
pub(crate) struct OutputArgs {
    /// Folder for results and findings [default: a new folder under assay-out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) verdict: Gate,
    /// Print one JSON record per judged case, and a summary record at the end
    #[arg(long)]
    pub(crate) json: bool,
}

/// The flags of runs over numbered cases.
#[derive(clap::Args)]
struct NumberedArgs {
    /// Resume an interrupted run
    #[arg(long)]
    resume: bool,
    /// File that lists the cases to run, as written by submit
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
}

impl SuiteCommand for Args {
    const NAME: &'static str = "run";

    fn chooses(family: Family) -> bool {
        is_numbered(family)
    }

    fn examples(family: Family) -> Examples {
        help(family).run
    }

    fn augment(family: Family, mut command: Command) -> Command {
        command = WorkArgs::augment(family, command);
        command = match is_numbered(family) {
            true => NumberedArgs::augment_args(command),
            false => Search::augment_args(command),
        };
        OutputArgs::augment_args(command)
    }

    fn read(suite: Header, matches: &ArgMatches) -> Result<Args, clap::Error> {
        let family = suite.settings.family();
        let numbered = is_numbered(family);
        Ok(Args {
            suite,
            work: WorkArgs::read(family, matches)?,
            search: (!numbered).then(|| Search::from_arg_matches(matches)).transpose()?,
            numbered: part(numbered, matches)?,
            output: OutputArgs::from_arg_matches(matches)?,
        })
    }
}

/// Whether long-lived sessions serve cases of a family.
fn has_sessions(family: Family) -> bool {
    profile(family.kind()).tools == spec::Kind::SmtSolver
}

/// A group of flags that only some suites have.
fn part<T: clap::Args>(has: bool, matches: &ArgMatches) -> Result<T, clap::Error> {
    if has { T::from_arg_matches(matches) } else { Ok(defaults()) }
}

/// The targets and how they are run: shared by local runs and runs on a cluster.
#[derive(Clone)]
pub(crate) struct WorkArgs {
    pub(crate) tools: ToolArgs,
    pool: PoolArgs,
    sessions: SessionArgs,
}

/// The targets under test.
#[derive(clap::Args, Clone)]
pub(crate) struct ToolArgs {
    #[arg(
        help = "What to test, as name[@version][:variant]; may be given several times",
        long = "target",
        value_name = "TARGET"
    )]
    pub(crate) targets: Vec<TargetName>,
    #[command(flatten)]
    limits: CaseLimits,
    #[command(flatten)]
    pub(crate) catalog: TargetArgs,
}

/// How numbered cases are run.
#[derive(clap::Args, Clone)]
struct PoolArgs {
    /// Number of cases that run at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = positive::<usize>)]
    jobs: Option<usize>,
    /// Start no more cases after this time [default: 10m, unless a flag chooses or limits the cases]
    #[arg(long, value_name = "TIME")]
    budget: Option<Time>,
    /// Run every case, even of a very large suite
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    execution: Execution,
}

/// How subjects are given to solvers.
#[derive(clap::Args, Clone)]
struct SessionArgs {
    /// Start one process per case instead of long-lived sessions
    #[arg(long)]
    fresh: bool,
}

impl WorkArgs {
    /// Adds the flags that a family's suites have.
    pub(crate) fn augment(family: Family, mut command: Command) -> Command {
        command = ToolArgs::augment_args(command);
        if let Some(tool) = profile(family.kind()).default_target {
            command = command.mut_arg("targets", |arg| {
                let help = arg.get_help().cloned().unwrap_or_default();
                arg.help(format!("{help} [default: {tool}]"))
            });
        }
        if is_numbered(family) {
            command = PoolArgs::augment_args(command);
        }
        if has_sessions(family) {
            command = SessionArgs::augment_args(command);
        }
        command
    }

    /// Reads these flags.
    pub(crate) fn read(family: Family, matches: &ArgMatches) -> Result<WorkArgs, clap::Error> {
        Ok(WorkArgs {
            tools: ToolArgs::from_arg_matches(matches)?,
            pool: part(is_numbered(family), matches)?,
            sessions: part(has_sessions(family), matches)?,
        })
    }

    /// The chosen cases: those of the flags, or a tour if the suite is too large.
    pub(crate) fn chosen(&self, asked: &Header, suite: &dyn Suite) -> Header {
        if self.pool.all { asked.clone() } else { asked.within_reason(suite) }
    }

    /// Whether every case is wanted, however large the suite is.
    pub(crate) fn wants_all(&self) -> bool {
        self.pool.all
    }

    /// The time after which no more cases are started.
    pub(crate) fn budget(&self, chosen: &Header) -> Option<Time> {
        self.pool.budget.or(chosen.is_open_ended().then_some(Time(OPEN_ENDED)))
    }

    /// How many cases run at the same time.
    pub(crate) fn jobs(&self, usual: usize) -> usize {
        self.pool.jobs.unwrap_or(usual)
    }

    /// The memory that a case may use.
    pub(crate) fn memory(&self) -> u64 {
        self.tools.limits.memory.0
    }

    /// The description of a campaign of these cases.
    pub(crate) fn header(&self, chosen: &Header) -> Header {
        Header {
            limits: self.tools.limits,
            execution: self.pool.execution,
            target_flags: self.tools.catalog.recorded(),
            ..chosen.clone()
        }
    }

    /// The targets of the command line, or the default one for the suite.
    fn named(&self, suite: &Header) -> Vec<TargetName> {
        match &self.tools.targets[..] {
            [] => {
                let usual = profile(suite.kind()).default_target;
                usual.into_iter().map(TargetName::newest).collect()
            }
            given => given.to_vec(),
        }
    }

    /// The targets, ready to run on the suite.
    pub(crate) fn resolve(&self, suite: &Header) -> Result<Vec<Tool>, Box<dyn Error>> {
        let catalog = &self.tools.catalog;
        self.named(suite).iter().map(|name| catalog.tool(suite.kind(), name)).collect()
    }

    /// The arguments of `assay run` again, except for the number of jobs.
    pub(crate) fn run_words(&self, chosen: &Header) -> Vec<String> {
        let targets: Vec<String> = self.named(chosen).iter().map(ToString::to_string).collect();
        let mut words = self.header(chosen).run_words(targets.iter().map(String::as_str));
        let budget = self.budget(chosen).map(|budget| format!("--budget={budget}"));
        words.extend(budget);
        for (set, name) in [(self.pool.all, "--all"), (self.sessions.fresh, "--fresh")] {
            words.extend(set.then(|| name.to_owned()));
        }
        words
    }
}

/// The default budget of an endless run.
const OPEN_ENDED: Duration = Duration::from_secs(600);

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    args.output.verdict.check()?;
    if let (Settings::Domains(settings), Some(search)) = (&args.suite.settings, args.search) {
        return run_domains(args, settings, search);
    }
    let askers = Askers::default();
    let suite = args.suite.chosen_suite(&askers)?;
    let work = &args.work;
    let chosen = work.chosen(&args.suite, &*suite);
    let suite = if chosen.is_tour() { chosen.chosen_suite(&askers)? } else { suite };
    let budget = work.budget(&chosen).map(|Time(budget)| budget);
    let targets = work.resolve(&args.suite)?;
    let records: Vec<TargetRecord> = targets.iter().map(Tool::record).collect();
    let header = work.header(&chosen);
    let list = args.numbered.cases.as_ref();
    let drawn = list.map(|path| Drawn::read(path, &header, &*suite)).transpose()?;
    let listed = drawn.as_ref().map(|drawn| drawn as &dyn Suite);
    let folder = folder(args)?;
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let _lock = Lock::take(&folder)?;
    let file = folder.join("results.sqlite");
    let open = if args.numbered.resume { Results::resume } else { Results::create };
    let mut results = open(&file, &header, &suite.categories(), &records)?;
    let (line, targets_named) = (chosen.case_line(), names(&records));
    note(&format!("{line} on {targets_named}; results in {}", folder.display()));

    let stop = stop_on_signals()?;
    let Execution { seed_targets, fuzz_options, .. } = header.execution;
    let settings = assay_target::Settings {
        limits: work.tools.limits.of_process(),
        launcher: work.tools.catalog.launcher()?,
        seed: seed_targets,
        sessions: !work.sessions.fresh,
    };
    match chosen.programs() {
        Some(programs) => {
            let (solver, wall) = (slice::from_ref(&programs.solver), settings.limits.wall);
            work.tools.catalog.ask(&askers, &chosen, solver, wall.min(PATIENCE))?;
        }
        None if chosen.choice.again.is_some() => {
            work.tools.catalog.ask_as_before(&askers, &chosen)?;
        }
        None => askers.ask(&chosen, &targets, &settings),
    }
    let vary = fuzz_options.map(|level| Vary { rng: chosen.draw.rng, level });
    let factory = || Ok(targets.iter().map(|tool| tool.open(&settings, vary)).collect());
    let (known, installer) = (work.tools.catalog.catalog()?, work.tools.catalog.installer());
    let follow = Some(header.reducing()).filter(|share| *share > 0).map(|share| FollowUp {
        folder: folder.clone(),
        share,
        toolbox: Toolbox { catalog: &known, installer: &installer },
        askers: &askers,
        settings: settings.clone(),
    });
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
        follow,
        stop: &stop,
    };
    let resume = resumption(&campaign.header, &records, &folder);
    let mut display = Display::new();
    let stopped = campaign.run(&mut results, &mut |event| match event {
        Event::Judged(judged) => {
            display.judged(judged);
            if args.output.json {
                let target = &records[judged.target].name;
                let record = assay_report::judged_record(judged, target);
                output::result(&format!("{record}\n"));
            }
        }
        Event::Progress(progress) => display.progress(&progress),
    })?;
    display.finish();
    let ended = report_end(stopped, &resume);
    let ended = Ended { results: &results, folder: &folder, ended, catalog: &known };
    conclusion::show(&ended, &args.output.verdict, args.output.json)
}

/// Prints how a campaign ended, and how to resume it.
fn report_end(stopped: Stop, resume: &str) -> End {
    match stopped {
        Stop::Finished => End::Finished,
        Stop::Budget => {
            note(&format!("the budget is used up; resume the run with:\n  {resume}"));
            End::Budget
        }
        Stop::Interrupted => {
            note(&format!(
                "interrupted: results so far are kept; resume the run with:\n  {resume}"
            ));
            End::Interrupted
        }
    }
}

/// The command that resumes a campaign in its folder.
fn resumption(header: &Header, targets: &[TargetRecord], folder: &Path) -> String {
    let out = folder.display().to_string();
    let again = header.command(targets.iter().map(|target| target.name.as_str()));
    format!("{again} --resume --out {}", shell_word(&out))
}

/// The suite of laws of abstract domains: workers make and try their cases themselves.
fn run_domains(args: &Args, settings: &Domains, search: Search) -> Result<Outcome, Box<dyn Error>> {
    let stop = stop_on_signals()?;
    let targets = &args.work.tools.targets;
    if targets.is_empty() {
        return Err(format!(
            "name what to test: --target plugin@/path/to/your/domain.so, or --target builtin/octagon \
             (with --law 17 for one law) to see how it looks; known domains are {}",
            assay_campaign::tool::domains()
        )
        .into());
    }
    domains::run(args, settings, search, &folder(args)?, &stop)
}

/// The folder of the run: as given, or the next free number under `assay-out`.
fn folder(args: &Args) -> Result<PathBuf, Box<dyn Error>> {
    let suite = &args.suite.suite;
    if let Some(folder) = &args.output.out {
        return Ok(folder.clone());
    }
    let numbered = |number: u32| Path::new("assay-out").join(format!("{suite}-{number}"));
    let free = (1..).find(|&number| !numbered(number).exists()).expect("numbers do not end");
    match (args.numbered.resume, free) {
        (false, _) => Ok(numbered(free)),
        (true, 1) => Err(format!("there is no run of {suite} under assay-out to resume").into()),
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

fn note(words: &str) {
    output::note(&format!("{words}\n"));
}
