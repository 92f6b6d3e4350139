//! `assay run`: generate, run, judge, confirm, store; prints a table and the findings.

use crate::mutants::Askers;
use crate::suites::SuiteArgs;
use crate::tools::{CatalogArgs, LimitArgs};
use crate::{Outcome, output, table, units};
use assay_campaign::{
    Campaign, Event, Header, Judged, Listed, Progress, Results, Stop, Summary, TargetRecord,
    Verdict,
};
use assay_case::{Judgement, Payload, Suite, TestCase};
use assay_smtlib::Printer;
use assay_target::process::Launcher;
use assay_target::{Resolved, Settings, Solver, Target, TargetName, Varied};
use serde_json::{Value, json};
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
    #[arg(
        help = "What to test, as name[@version][:variant]; may be given several times",
        long = "target",
        value_name = "TARGET",
        default_value = "z3"
    )]
    targets: Vec<TargetName>,
    /// How many cases run at the same time [default: one per processor]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Begin no more cases after this time [default: 10m for a tour and for mutants]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    budget: Option<Duration>,
    /// Where results and findings go [default: a new folder under assay-out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with a run that was stopped
    #[arg(long)]
    resume: bool,
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
    catalog: CatalogArgs,
    /// Print one JSON record per judged case and a last one with the summary
    #[arg(long)]
    json: bool,
}

/// How long a run without an end of its own takes, unless it is told otherwise.
const OPEN_ENDED: Duration = Duration::from_secs(600);

/// How many findings of a kind are listed before the rest is counted.
const LISTED: usize = 3;

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let askers = Askers::default();
    let suite = args.suite.suite(&askers)?;
    let chosen = if args.all { args.suite.clone() } else { args.suite.within_reason(&*suite) };
    let suite = if chosen.is_tour() { chosen.suite(&askers)? } else { suite };
    let budget = args.budget.or(chosen.is_open_ended().then_some(OPEN_ENDED));
    let targets: Vec<Arc<Resolved>> =
        args.catalog.resolve(&args.targets)?.into_iter().map(Arc::new).collect();
    let records: Vec<TargetRecord> = targets
        .iter()
        .map(|target| TargetRecord {
            name: target.name.to_string(),
            reported: target.reported_version.clone(),
        })
        .collect();
    let header = Header {
        assay: env!("CARGO_PKG_VERSION").to_owned(),
        suite: suite.name().to_owned(),
        arguments: chosen.arguments(),
        configuration: args.suite.configuration()?,
        timeout_ms: u64::try_from(args.limits.timeout.as_millis()).unwrap_or(u64::MAX),
        memory: Some(args.limits.memory),
        fuzz_options: args.fuzz_options,
    };
    let folder = folder(args, suite.name())?;
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = folder.join("results.sqlite");
    let open = if args.resume { Results::resume } else { Results::create };
    let mut results = open(&file, &header, &suite.categories(), &records)?;
    let line = chosen.arguments().join(" ");
    let (name, targets_named) = (suite.name(), names(&records));
    note(&format!("{name} {line} on {targets_named}; results in {}", folder.display()));

    let stop = stop_on_signals()?;
    let settings = Settings {
        limits: args.limits.limits(),
        launcher: Launcher::this_program()?,
        seed: chosen.selection().rng,
        sessions: !args.fresh,
    };
    askers.ask(&targets, &settings);
    let factory = || {
        let solver = |target: &Arc<Resolved>| -> Box<dyn Target> {
            let (target, settings) = (Arc::clone(target), settings.clone());
            match args.fuzz_options {
                true => Box::new(Varied::new(target, settings, chosen.selection().rng)),
                false => Box::new(Solver::new(target, settings)),
            }
        };
        Ok(targets.iter().map(solver).collect())
    };
    let campaign = Campaign {
        suite: &*suite,
        selection: chosen.selection(),
        header,
        factory: &factory,
        targets: targets.len(),
        jobs: args
            .jobs
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        count: std::io::stderr().is_terminal(),
        budget,
        findings: folder.join("findings"),
        stop: &stop,
    };
    let mut watch = Watch::new(args.json, &records);
    let stopped = campaign.run(&mut results, &mut |event| watch.see(event))?;
    watch.finish();
    let summary = results.summary()?;
    let findings = results.findings()?;
    if args.json {
        output::result(&format!("{}\n", summary_record(&summary, stopped)));
    } else {
        output::result(&table::render(&summary));
        output::result(&listing(&findings, &*suite, &records, &folder)?);
        output::result(&reasons("errors of", &results.errors()?, &records));
        output::result(&reasons("cases not run on", &results.skips()?, &records));
    }
    Ok(conclude(&summary, stopped, &folder))
}

/// What a run came to, beside its results.
fn conclude(summary: &Summary, stopped: Stop, folder: &Path) -> Outcome {
    match stopped {
        Stop::Finished => {}
        Stop::Budget => note("the budget is used up; --resume goes on"),
        Stop::Interrupted => note(&format!(
            "stopped; go on with the same command and --resume --out {}",
            folder.display()
        )),
    }
    if summary.contradicted() > 0 {
        note(&format!(
            "{} cases show that our own truth is wrong: please report the folders in {}",
            summary.contradicted(),
            folder.join("findings").display()
        ));
        return Outcome::Failed;
    }
    if summary.has_findings() { Outcome::Findings } else { Outcome::Clean }
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

/// A flag that the first Ctrl-C sets; the second one ends the process at once.
fn stop_on_signals() -> Result<Arc<AtomicBool>, Box<dyn Error>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 2, Arc::clone(&stop))?;
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

fn summary_record(summary: &Summary, stopped: Stop) -> Value {
    let cell = |cell: &assay_campaign::Cell| {
        let mut counts = json!({ "tests": cell.total() });
        for (outcome, name, _) in assay_campaign::Outcome::ALL {
            counts[name] = cell.count(outcome).into();
        }
        counts["soundness-findings"] = cell.soundness.into();
        counts["other-findings"] = cell.other.into();
        counts["unstable-findings"] = cell.unstable.into();
        counts["oracle-contradicted"] = cell.contradicted.into();
        counts
    };
    let mut targets = json!({});
    for (position, (target, total)) in summary.targets.iter().zip(summary.totals()).enumerate() {
        let mut categories = json!({});
        for row in &summary.rows {
            let mut counts = cell(&row.cells[position]);
            counts["expected"] = row.expected.name().into();
            categories[&row.category] = counts;
        }
        targets[target] = json!({ "categories": categories, "all": cell(&total) });
    }
    let stopped = match stopped {
        Stop::Finished => "finished",
        Stop::Budget => "budget",
        Stop::Interrupted => "interrupted",
    };
    json!({ "summary": { "stopped": stopped, "targets": targets } })
}

/// What a case asserts, on one line, as far as it fits.
fn essence(case: &TestCase) -> String {
    const WIDTH: usize = 100;
    let Payload::Formula(formula) = case.payload();
    let printer = Printer::new(formula.store());
    let assertions = formula.assertions().iter().map(|assertion| printer.term(assertion.term));
    let text = assertions.collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Why results of one sort came about, the commonest reasons first: what targets refused, or failed
/// at without a crash, which may be our fault as well as theirs; what they were not given.
fn reasons(what: &str, reasons: &[(usize, String, u64)], targets: &[TargetRecord]) -> String {
    let mut out = String::new();
    for (target, words, count) in reasons {
        out += &format!("\n{count} {what} {}: {words}\n", targets[*target].name);
    }
    out
}

/// The findings in words, the worst first, a few of each kind.
fn listing(
    findings: &[Listed],
    suite: &dyn Suite,
    targets: &[TargetRecord],
    folder: &Path,
) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    let mut groups: Vec<(String, Vec<&Listed>)> = Vec::new();
    for finding in findings {
        let target = &targets[finding.target].name;
        let title = format!(
            "{} of {target} ({}, {})",
            finding.kind.name(),
            finding.grade.name(),
            finding.stability.name()
        );
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, group)) => group.push(finding),
            None => groups.push((title, vec![finding])),
        }
    }
    for (title, group) in groups {
        out += &format!("\n{title}: {}\n", group.len());
        for finding in group.iter().take(LISTED) {
            let case = suite.make(finding.id)?;
            let path = folder
                .join("findings")
                .join(assay_campaign::folder_name(finding.ordinal, &targets[finding.target].name));
            out += &format!("  {}: {}\n", case.name(), finding.detail);
            out += &format!("    {}\n    {}\n", essence(&case), path.display());
        }
        if group.len() > LISTED {
            out += &format!("  and {} more\n", group.len() - LISTED);
        }
    }
    Ok(out)
}
