//! `assay trigger`: terms that make E-matching refute a file.

use crate::tools::TargetArgs;
use crate::{Outcome, output, units};
use assay_target::{HarnessError, Prover, Provers, TargetName};
use assay_trigger::{
    Artefacts, Diagnosis, Engine, PatternSource, Problem, Refutation, Report, Settings, Triggered,
    Tuning, Verdict, Way, synthesise,
};
use comfy_table::{Table, presets};
use serde_json::json;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Find terms that make E-matching refute a file
///
/// A quantifier with a pattern is instantiated only when a term matches the pattern. Where no such
/// term occurs, a solver that relies on patterns misses a contradiction. This command looks for the
/// missing terms. A term is printed only after the solver, run alone on the file with the term
/// added, answered unsat.
///
/// Exit code: 1 where a file was refuted, 0 where none was, 2 where a file cannot be used.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// SMT-LIB files, or folders that are searched for *.smt2
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    solver: SolverArgs,
    /// Use only one strategy: enumeration, proof, cvc5, first-order, or C0 to C4 [default: all, the
    /// cheapest first]
    #[arg(long, value_name = "WAY", value_parser = way)]
    config: Option<Way>,
    #[command(flatten)]
    tuning: TuningArgs,
    /// Continue after the first contradiction: one set of terms for each distinct core
    #[arg(long)]
    all: bool,
    /// Write the file with the terms added here
    #[arg(long, value_name = "OUT")]
    fix: Option<PathBuf>,
    /// Suggest what to add to the file, or which pattern to weaken
    #[arg(long)]
    suggest: bool,
    /// Number of files to examine at the same time [default: number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Print JSON Lines
    #[arg(long)]
    json: bool,
}

/// The parameters of the configurations C0 to C4.
#[derive(clap::Args)]
struct TuningArgs {
    /// Similarity from which formulas are put together, between 0 and 1; lowered round by round
    /// [default: 0.3; 0.1 for C1 and C4]
    #[arg(long, value_name = "SIGMA", requires = "config", value_parser = similarity)]
    sigma: Option<usize>,
    /// Steps of similarity that a cluster spans [default: 2]
    #[arg(long, value_name = "DELTA", requires = "config")]
    delta: Option<usize>,
    /// Models of each formula [default: 4]
    #[arg(long, value_name = "MU", requires = "config", value_parser = positive)]
    mu: Option<usize>,
    /// Candidates that are validated together [default: 64; 1 for C2]
    #[arg(long, value_name = "BETA", requires = "config", value_parser = positive)]
    beta: Option<usize>,
    /// How often a cluster may contain the same formula [default: 2]
    #[arg(long, value_name = "PHI", requires = "config", value_parser = positive)]
    phi: Option<usize>,
    /// Formulas that are solved for each quantified conjunct [default: 100]
    #[arg(long, value_name = "N", requires = "config", value_parser = positive)]
    formulas: Option<usize>,
}

impl TuningArgs {
    fn tuning(&self, config: Option<Way>) -> Result<Tuning, Box<dyn Error>> {
        let tuning = Tuning {
            similarity: self.sigma,
            depth: self.delta,
            models: self.mu,
            batch: self.beta,
            copies: self.phi,
            formulas: self.formulas,
        };
        let clusters = [Way::C0, Way::C1, Way::C2, Way::C3, Way::C4];
        if tuning != Tuning::default() && !config.is_some_and(|way| clusters.contains(&way)) {
            return Err("--sigma, --delta, --mu, --beta, --phi and --formulas are parameters of --config C0 to C4".into());
        }
        Ok(tuning)
    }
}

fn similarity(text: &str) -> Result<usize, String> {
    let value: f64 = text.parse().map_err(|_| "expected a number between 0 and 1")?;
    if !(0.0..=1.0).contains(&value) {
        return Err("expected a number between 0 and 1".into());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is within 0 and 100"
    )]
    let percent = (value * 100.0).round() as usize;
    Ok(percent)
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(value) if value > 0 => Ok(value),
        _ => Err("expected a number from 1 on".into()),
    }
}

/// Which solver works, on what, and for how long.
#[derive(clap::Args)]
pub(crate) struct SolverArgs {
    /// Time limit per file
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = units::duration)]
    timeout: Duration,
    /// Memory limit of a solver
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = units::size)]
    memory: u64,
    /// The solver: a version of z3
    #[arg(long, value_name = "TARGET", default_value = "z3")]
    target: TargetName,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    rng: u64,
    /// Who infers patterns for quantifiers that have none: ours or z3
    #[arg(long, value_name = "WHO", default_value = "ours", value_parser = pattern_source)]
    patterns: PatternSource,
    /// Leave out an assertion, by its :named, the :qid of its quantifier, or its line; may be given
    /// several times
    #[arg(long, value_name = "AXIOM")]
    without: Vec<String>,
    /// Treat known artefacts of encodings like other assertions [default: used only where there is no
    /// other contradiction]
    #[arg(long)]
    keep_artefacts: bool,
    #[command(flatten)]
    catalog: TargetArgs,
}

impl SolverArgs {
    /// The solvers, installed where they are missing.
    pub(crate) fn resolve(&self) -> Result<Provers, Box<dyn Error>> {
        let (catalog, installer) = (self.catalog.catalog()?, self.catalog.installer());
        let mut note = |words: &str| output::note(&format!("{words}\n"));
        Ok(Provers::resolve(&self.target, &catalog, &installer, &mut note)?)
    }

    /// The solvers at work on a file.
    pub(crate) fn start<'p>(&self, provers: &'p Provers) -> Result<Prover<'p>, HarnessError> {
        let failed = &|error: &HarnessError| output::note(&format!("note: {error}\n"));
        Ok(Prover::new(provers, self.catalog.launcher()?, self.memory, failed))
    }

    /// What a search may do, with all strategies tried and one answer wanted.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            budget: self.timeout,
            rng: self.rng,
            only: None,
            all: false,
            suggest: false,
            patterns: self.patterns,
            tuning: Tuning::default(),
            artefacts: if self.keep_artefacts { Artefacts::Kept } else { Artefacts::LookedPast },
        }
    }

    /// A file, read, without what is to be left out.
    pub(crate) fn problem(&self, file: &Path) -> Result<Problem, Box<dyn Error>> {
        let place = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let bytes = std::fs::read(file).map_err(|error| place(&error))?;
        let text = assay_smtlib::text_of(&bytes);
        let problem = Problem::read(&text).map_err(|error| place(&error))?;
        let mut parts = Vec::new();
        for name in &self.without {
            parts.extend(problem.parts_called(name).map_err(|error| place(&error))?);
        }
        Ok(if parts.is_empty() { problem } else { problem.without(&parts) })
    }
}

fn pattern_source(name: &str) -> Result<PatternSource, String> {
    match name {
        "ours" => Ok(PatternSource::Ours),
        "z3" => Ok(PatternSource::Solver),
        _ => Err("there are ours, z3".into()),
    }
}

fn way(name: &str) -> Result<Way, String> {
    Way::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = Way::ALL.iter().map(|way| way.name()).collect();
        format!("there are {}", names.join(", "))
    })
}

/// What came of a file.
struct Done {
    report: Report,
    seconds: f64,
    solver: String,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let files = scripts(&args.files)?;
    if args.fix.is_some() && files.len() != 1 {
        return Err("--fix writes one file, and more than one was given".into());
    }
    let settings = Settings {
        only: args.config,
        all: args.all,
        suggest: args.suggest,
        tuning: args.tuning.tuning(args.config)?,
        ..args.solver.settings()
    };
    let jobs = match args.jobs {
        Some(jobs) => usize::from(jobs),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let shared = Shared::default();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(files.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    let done = examined(args, &settings, &shared, file);
                    shared.put(args, &files, at, done);
                }
            });
        }
    });
    let printed = shared.printed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if files.len() > 1 && !args.json {
        output::result(&printed.table());
    }
    if let (Some(path), Some(text)) = (&args.fix, &printed.fixed) {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        output::note(&format!("the file with the terms is {}\n", path.display()));
    }
    Ok(printed.outcome)
}

/// The files of a command line, with those of folders in the order of their names.
fn scripts(given: &[PathBuf]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut found = Vec::new();
        let mut folders = vec![path.clone()];
        while let Some(folder) = folders.pop() {
            let place = |error: std::io::Error| format!("{}: {error}", folder.display());
            for entry in std::fs::read_dir(&folder).map_err(place)? {
                let entry = entry.map_err(place)?;
                let path = entry.path();
                match entry.file_type().map_err(place)? {
                    kind if kind.is_dir() => folders.push(path),
                    _ if path.extension().is_some_and(|end| end == "smt2") => found.push(path),
                    _ => {}
                }
            }
        }
        if found.is_empty() {
            return Err(format!("{}: it holds no *.smt2 file", path.display()).into());
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

/// What the threads of a run share.
#[derive(Default)]
struct Shared {
    /// Installed only after a file was read: a mistake in the command line costs no installation.
    provers: Mutex<Option<Provers>>,
    printed: Mutex<Printed>,
}

/// What was printed, in the order of the files.
struct Printed {
    /// What came of files that are not printed yet, by position.
    waiting: BTreeMap<usize, Result<Done, String>>,
    rows: Vec<[String; 6]>,
    next: usize,
    fixed: Option<String>,
    outcome: Outcome,
}

impl Default for Printed {
    fn default() -> Printed {
        let (waiting, rows) = (BTreeMap::new(), Vec::new());
        Printed { waiting, rows, next: 0, fixed: None, outcome: Outcome::Clean }
    }
}

impl Shared {
    fn provers(&self, args: &Args) -> Result<Provers, Box<dyn Error>> {
        let mut provers = self.provers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(match &*provers {
            Some(known) => known.clone(),
            None => provers.insert(args.solver.resolve()?).clone(),
        })
    }

    /// Prints what came of a file as soon as all files before it are printed.
    fn put(&self, args: &Args, files: &[PathBuf], at: usize, done: Result<Done, String>) {
        let mut printed = self.printed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        printed.waiting.insert(at, done);
        loop {
            let next = printed.next;
            let Some(done) = printed.waiting.remove(&next) else { break };
            printed.next += 1;
            printed.print(args, files.len() > 1, &files[next], done);
        }
    }
}

impl Printed {
    fn print(&mut self, args: &Args, many: bool, file: &Path, done: Result<Done, String>) {
        let shown = file.display().to_string();
        match done {
            Err(words) => {
                output::note(&format!("error: {words}\n"));
                if args.json {
                    output::result(&format!("{}\n", json!({"file": file, "error": words})));
                }
                self.outcome = self.outcome.max(Outcome::Failed);
                let blank = String::new;
                self.rows.push([shown, "error".into(), blank(), words, blank(), blank()]);
            }
            Ok(done) => {
                if args.json {
                    output::result(&format!("{}\n", record(file, &done, &args.solver.without)));
                } else if !many {
                    output::result(&words(file, &done, args.suggest));
                }
                if let Diagnosis::Refuted(found) = &done.report.diagnosis {
                    self.outcome = self.outcome.max(Outcome::Findings);
                    self.fixed = found.first().map(|first| first.file.clone());
                }
                self.rows.push(row(shown, &done));
            }
        }
    }

    /// All files in one table, and how many came out how.
    fn table(&self) -> String {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header(["file", "outcome", "verdict", "terms", "seconds", "found by"]);
        for row in &self.rows {
            table.add_row(row);
        }
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for [_, outcome, ..] in &self.rows {
            match counts.iter_mut().find(|(known, _)| known == outcome) {
                Some((_, count)) => *count += 1,
                None => counts.push((outcome, 1)),
            }
        }
        let counts: Vec<String> =
            counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        format!("{}\n\n{} files: {}\n", table.trim_fmt(), self.rows.len(), counts.join(", "))
    }
}

fn row(file: String, done: &Done) -> [String; 6] {
    let verdict = done.report.verdict().map_or("", Verdict::name).to_owned();
    let (terms, way) = match &done.report.diagnosis {
        Diagnosis::Refuted(found) => {
            let first = &found[0];
            (first.terms.join(" "), first.way.name().to_owned())
        }
        _ => Default::default(),
    };
    let outcome = done.report.diagnosis.name().to_owned();
    [file, outcome, verdict, output::shortened(&terms), format!("{:.1}", done.seconds), way]
}

fn examined(
    args: &Args,
    settings: &Settings,
    shared: &Shared,
    file: &Path,
) -> Result<Done, String> {
    let work = || -> Result<Done, Box<dyn Error>> {
        let problem = args.solver.problem(file)?;
        let provers = shared.provers(args)?;
        let mut engine = args.solver.start(&provers)?;
        let report = synthesise(problem, &mut engine, settings);
        let seconds = engine.elapsed().as_secs_f64();
        Ok(Done { report, seconds, solver: engine.name().to_owned() })
    };
    work().map_err(|error| error.to_string())
}

fn record(file: &Path, done: &Done, without: &[String]) -> serde_json::Value {
    let Done { report, seconds, solver } = done;
    let mut record = json!({
        "file": file, "outcome": report.diagnosis.name(), "terms": [], "seconds": seconds,
        "validated-by": null, "verdict": report.verdict().map(Verdict::name),
    });
    if !without.is_empty() {
        record["without"] = json!(without);
    }
    if !report.artefacts.is_empty() {
        let known = report.artefacts.iter();
        record["artefacts"] = known
            .map(|one| json!({"name": one.artefact.name, "axiom": one.axiom, "line": one.line}))
            .collect();
    }
    match &report.diagnosis {
        Diagnosis::Refuted(all) => {
            let first = &all[0];
            record["validated-by"] = json!(solver);
            record["way"] = json!(first.way.name());
            for (key, value) in contradiction(first) {
                record[key] = value;
            }
            if all.len() > 1 {
                record["alternatives"] = all[1..]
                    .iter()
                    .map(|one| serde_json::Value::from_iter(contradiction(one)))
                    .collect();
            }
        }
        Diagnosis::AlreadyRefuted => record["validated-by"] = json!(solver),
        Diagnosis::Sat(evidence) => {
            record["detail"] = json!(evidence.why);
            record["model"] = json!(evidence.model);
            record["checked"] = json!(evidence.checked);
        }
        Diagnosis::GaveUp(why) | Diagnosis::Timeout(why) => {
            record["detail"] = json!(why);
            record["refuted-by"] = json!(report.refuted_by);
        }
    }
    record
}

/// A set of terms, and the contradiction that it shows.
fn contradiction(found: &Refutation) -> [(&'static str, serde_json::Value); 7] {
    let core = found.core.iter().map(|axiom| json!({"axiom": axiom.name, "line": axiom.line}));
    let triggers = found.triggered.iter().map(|one| {
        json!({"term": one.term, "axiom": one.axiom, "line": one.line, "values": valued(&one.values)})
    });
    [
        ("terms", json!(found.terms)),
        ("core", core.collect()),
        ("triggers", triggers.collect()),
        ("verdict", json!(found.verdict().map(Verdict::name))),
        ("through", json!(found.through)),
        ("minimal", json!(found.minimal)),
        ("suggestions", json!(found.suggestions)),
    ]
}

/// Values of variables as a record.
pub(crate) fn valued(values: &[(String, String)]) -> serde_json::Value {
    values.iter().map(|(var, term)| json!({"variable": var, "term": term})).collect()
}

/// What a user can do where the time was over.
pub(crate) const MORE_TIME: &str = "raise it with --timeout";

fn words(file: &Path, done: &Done, suggest: bool) -> String {
    let (diagnosis, seconds) = (&done.report.diagnosis, done.seconds);
    let mut text = format!("{}: {} ({seconds:.1} s)\n", file.display(), diagnosis.name());
    match diagnosis {
        Diagnosis::Refuted(all) => {
            for (at, refutation) in all.iter().enumerate() {
                if all.len() > 1 {
                    text += &format!(" contradiction {}\n", at + 1);
                }
                text += &refutation_words(refutation, suggest);
            }
        }
        Diagnosis::AlreadyRefuted => {
            text += "  E-matching refutes the file as it is\n";
        }
        Diagnosis::Sat(evidence) => {
            text += &format!("  {}\n", evidence.why);
            text += &model_words(evidence.model.as_deref().unwrap_or_default());
        }
        Diagnosis::GaveUp(why) => text += &format!("  {why}\n"),
        Diagnosis::Timeout(why) => text += &format!("  {why}; {MORE_TIME}\n"),
    }
    text + &artefact_words(&done.report)
}

/// What was looked past.
pub(crate) fn artefact_words(report: &Report) -> String {
    let needed = |name: &str| match &report.diagnosis {
        Diagnosis::Refuted(all) => all.iter().any(|one| one.through.iter().any(|one| one == name)),
        _ => false,
    };
    let mut text = String::new();
    let mut told: Vec<&str> = Vec::new();
    for known in &report.artefacts {
        let name = known.artefact.name.as_str();
        if told.contains(&name) {
            continue;
        }
        told.push(name);
        let places: Vec<String> = report
            .artefacts
            .iter()
            .filter(|one| one.artefact.name == name)
            .map(|one| format!("{} (line {})", one.axiom, one.line))
            .collect();
        let places = places.join(", ");
        text += &match (needed(name), &report.diagnosis) {
            (true, _) => format!(
                "  found only with the known artefact {name}, in {places}: {}\n",
                known.artefact.about
            ),
            (false, Diagnosis::Refuted(_)) => {
                format!("  not needed: the known artefact {name}, in {places}\n")
            }
            (false, _) => {
                format!("  note: the file carries the known artefact {name}, in {places}\n")
            }
        };
    }
    text
}

/// The beginning of a model.
fn model_words(model: &str) -> String {
    const SHOWN: usize = 40;
    let mut text = String::new();
    for line in model.lines().take(SHOWN) {
        text += &format!("  {line}\n");
    }
    let more = model.lines().count().saturating_sub(SHOWN);
    if more > 0 {
        text += &format!("  ({more} more lines, which --json has)\n");
    }
    text
}

fn refutation_words(refutation: &Refutation, suggest: bool) -> String {
    let mut text = String::new();
    for term in &refutation.terms {
        text += &format!("  {term}\n");
        let own = refutation.triggered.iter().filter(|one| one.term == *term);
        for line in own.map(trigger_words) {
            text += &format!("    {line}\n");
        }
    }
    text += &format!("  found by {}", refutation.way);
    text += if refutation.minimal { "\n" } else { "; fewer terms may do\n" };
    if !refutation.core.is_empty() {
        let names: Vec<&str> = refutation.core.iter().map(|axiom| axiom.name.as_str()).collect();
        text += &format!("  contradicting: {}\n", names.join(", "));
    }
    if let Some(verdict) = refutation.verdict() {
        text += &format!("  {}\n", verdict_words(verdict));
    }
    if suggest {
        for suggestion in &refutation.suggestions {
            text += &format!("  suggestion: {suggestion}\n");
        }
    }
    text
}

fn trigger_words(one: &Triggered) -> String {
    let values: Vec<String> = one
        .values
        .iter()
        .map(|(var, term)| format!("{var} = {}", output::shortened(term)))
        .collect();
    format!("triggers {} (line {}) with {}", one.axiom, one.line, values.join(", "))
}

/// What a contradiction means.
pub(crate) fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Inconsistent => {
            "inconsistent: the axioms contradict each other; patterns only hide it"
        }
        Verdict::WithFacts => {
            "inconsistent with facts: if one of them is a negated goal, a pattern hides its proof"
        }
        Verdict::ModuloPatterns => {
            "unsatisfiable, but sound modulo patterns as far as is known: no program of the verifier should trigger it"
        }
    }
}
