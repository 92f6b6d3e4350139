//! `assay replay`: run one case again, from a finding's folder or from a file.

use crate::mutants::Askers;
use crate::run::{ANALYZER, SOLVER};
use crate::suites::SuiteArgs;
use crate::tools::{LimitArgs, TargetArgs};
use crate::{Outcome, domains, output};
use assay_campaign::FindingRecord;
use assay_case::{
    Answer, CaseId, Comparison, Formula, Grade, Judgement, Oracle, Origin, Payload, Program,
    Statement, TestCase, Why, Witness, check_model, compare, judge, refutation,
};
use assay_target::process::Launcher;
use assay_target::spec::Kind;
use assay_target::{
    Analyzer, Chosen, Mode, Native, NativeError, Ran, Resolved, Run, Settings, Solver, Target,
    TargetName,
};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Run one case again, in a process of its own
///
/// A finding's folder is made again from its suite, so that its truth is as certain as it was. The
/// truth about a file is its :status, unless --model gives a model, which is checked. A model that a
/// target prints, or trying every assignment where there are few, makes a declared truth certain or
/// refutes it. Where no truth is known, several targets are compared with each other.
#[derive(clap::Args)]
#[command(mut_arg("timeout", |timeout| timeout.default_value("15s")))]
pub(crate) struct Args {
    /// A finding's folder, an SMT-LIB file, a program about abstract domains, or a C program with
    /// its task (.yml) beside it
    #[arg(value_name = "FINDING|FILE")]
    what: PathBuf,
    #[arg(
        help = "What to run it on, as name[@version][:variant] [default: the finding's target, or z3, or cbmc]",
        long = "target",
        value_name = "TARGET"
    )]
    targets: Vec<TargetName>,
    #[command(flatten)]
    again: AgainArgs,
    #[command(flatten)]
    catalog: TargetArgs,
    /// Of a finding about an abstract domain, try all that was made from the bytes it was found with
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
    /// Random seed of the target itself [default: as when it was found, or 0]
    #[arg(long, value_name = "N")]
    seed_targets: Option<u64>,
    /// Run with this option, as NAME=VALUE; may be given several times [default: as when it was found]
    #[arg(long = "option", value_name = "OPTION")]
    pub(crate) options: Vec<Chosen>,
}

impl AgainArgs {
    /// Processes of their own, with the finding's seed unless another is asked for.
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
    if domains::is_program(&args.what, &args.targets) {
        let limits = (args.again.limits.memory.0, args.again.limits.timeout.0);
        let how = (args.bytes, args.json);
        return domains::replay(&args.what, &args.targets, &args.catalog, limits, how);
    }
    if args.bytes {
        return Err("--bytes is about findings of abstract domains; leave it out".into());
    }
    let record = read_record(&args.what)?;
    let about_program = match &record {
        Some(record) => record.campaign.kind() == assay_case::Kind::Program,
        None => args.what.extension().is_some_and(|extension| extension == "c"),
    };
    let names = match (&args.targets[..], &record) {
        ([], Some(record)) => {
            let others = record.against.iter().map(|opinion| &opinion.target);
            [&record.target]
                .into_iter()
                .chain(others)
                .map(|name| name.parse())
                .collect::<Result<_, _>>()?
        }
        ([], None) if about_program => vec![TargetName::newest(ANALYZER)],
        ([], None) => vec![TargetName::newest(SOLVER)],
        (given, _) => given.to_vec(),
    };
    let settings = args.again.settings(record.as_ref(), &args.catalog)?;
    let mut targets = Vec::new();
    let kind = if about_program { Kind::Analyzer } else { Kind::SmtSolver };
    for target in args.catalog.resolve_kind(kind, &names)? {
        targets.push(Arc::new(with_options(target, &args.again.options, record.as_ref())?));
    }
    let askers = Askers::default();
    let campaign = record.as_ref().map(|record| SuiteArgs::recorded(&record.campaign));
    match campaign.as_ref().and_then(|campaign| Some((campaign.programs()?, campaign.draw))) {
        Some((programs, draw)) => crate::programs::ask(programs, &askers, &args.catalog, draw)?,
        None => {
            let seed = campaign.map_or(settings.seed, |campaign| campaign.draw.rng);
            askers.ask(&targets, &Settings { seed, ..settings.clone() });
        }
    }
    let Replayed { case, truth } = match &record {
        Some(record) => case_of_finding(&args.what, record, &askers)?,
        None => case_of_file(&args.what, args.again.model.as_deref())?.into(),
    };
    let asked = asked(&case);
    let mut runs = Vec::new();
    for target in targets {
        let mut solver: Box<dyn Target> = match target.behaviour.analyzer {
            Some(_) => Box::new(Analyzer::new(target, settings.clone(), None)),
            None => Box::new(Solver::new(target, settings.clone())),
        };
        match solver.run(&asked, Mode::Fresh)? {
            Ran::Observed(run) => runs.push((solver, *run)),
            Ran::Skipped(reason) => return Err(reason.into()),
        }
    }
    let rejected = |(_, run): &(_, Run)| matches!(run.observation.answer, Answer::Rejected(_));
    if record.is_none() && runs.iter().any(rejected) {
        refuse_what_is_no_program(&args.what, &case, &settings.launcher)?;
    }
    let judgements = judgements(&truth, &runs);
    let mut outcome = Outcome::Clean;
    for ((solver, run), judgement) in runs.iter().zip(&judgements) {
        outcome = outcome.max(show(&**solver, &case, run, judgement, args.json));
    }
    Ok(outcome)
}

/// Who rejects a file that is no C is right: that is bad input, and no finding. Without a compiler
/// it is not known, and the finding stands.
fn refuse_what_is_no_program(
    file: &Path,
    case: &TestCase,
    launcher: &Launcher,
) -> Result<(), Box<dyn Error>> {
    let Some(program) = case.program() else { return Ok(()) };
    match Native::new(launcher).and_then(|mut compiler| compiler.accepts(&program.text)) {
        Err(NativeError::Compile(words)) => {
            let words = words.strip_prefix("<stdin>:").unwrap_or(&words);
            Err(format!("{}:{words}: gcc does not compile it either", file.display()).into())
        }
        _ => Ok(()),
    }
}

/// The target with the options asked for, or those that the finding was made with.
pub(crate) fn with_options(
    target: Resolved,
    asked: &[Chosen],
    record: Option<&FindingRecord>,
) -> Result<Resolved, Box<dyn Error>> {
    let Some(record) = record.filter(|_| asked.is_empty()) else {
        return Ok(target.with_options(asked)?);
    };
    let name = target.name.to_string();
    let own = record.against.iter().find(|opinion| opinion.target == name);
    let found: TargetName = record.target.parse()?;
    let options = match own {
        Some(opinion) if record.target != name => &opinion.options,
        _ if found.name == target.name.name => &record.options,
        _ => return Ok(target),
    };
    let mut kept = Vec::new();
    for option in options {
        let option: Chosen = option.parse()?;
        match target.with_options(std::slice::from_ref(&option)) {
            Ok(_) => kept.push(option),
            Err(error) => output::note(&format!("note: {error}; running without it\n")),
        }
    }
    Ok(target.with_options(&kept)?)
}

/// The case as targets are asked about it: where unsat is only declared, for a model too, since one
/// would decide.
fn asked(case: &TestCase) -> TestCase {
    match case.oracle() {
        Oracle::Unsat { why: Why::Declared(_), core: None } => case.open(),
        _ => case.clone(),
    }
}

/// What the answers come to, each by itself, and all together where no truth is known.
fn judgements(truth: &TestCase, runs: &[(Box<dyn Target>, Run)]) -> Vec<Judgement> {
    let all = |truth: &TestCase| -> Vec<Judgement> {
        let judged = |(solver, run): &(Box<dyn Target>, Run)| {
            judge(truth, &run.observation).about(solver.name())
        };
        runs.iter().map(judged).collect()
    };
    let said: Vec<Statement<'_>> = runs
        .iter()
        .map(|(solver, run)| Statement { who: solver.name(), seen: &run.observation })
        .collect();
    match compare(truth, &said) {
        Comparison::Agreed | Comparison::Contested => all(truth),
        Comparison::Decided(proved) => {
            if let Some(refuted) = refutation(truth, &proved) {
                output::note(&format!("note: {refuted}\n"));
            }
            all(&proved)
        }
        Comparison::Disputed { suspects, finding } => {
            let mut judgements = all(truth);
            for suspect in suspects {
                judgements[suspect] = Judgement::Finding(finding.clone());
            }
            judgements
        }
    }
}

fn show(
    solver: &dyn Target,
    case: &TestCase,
    run: &Run,
    judgement: &Judgement,
    as_json: bool,
) -> Outcome {
    let (word, detail, outcome) = match judgement {
        Judgement::Correct => ("correct", String::new(), Outcome::Clean),
        Judgement::Inconclusive(doubt) => ("inconclusive", doubt.to_string(), Outcome::Clean),
        Judgement::Finding(finding) => ("finding", finding.to_string(), Outcome::Findings),
        Judgement::OracleContradicted(how) => {
            ("oracle-contradicted", how.to_string(), Outcome::Failed)
        }
    };
    let answer = &run.observation.answer;
    let seconds = run.observation.elapsed.as_secs_f64();
    if as_json {
        let by_hand = solver.by_hand(case);
        let record = json!({
            "case": case.name(), "target": solver.name(), "answer": answer.name(),
            "judgement": word, "detail": detail, "seconds": seconds,
            "command": by_hand.as_ref().map(|by_hand| &by_hand.command),
            "script": by_hand.as_ref().and_then(|by_hand| by_hand.script.as_ref()),
            "get": by_hand.as_ref().map(|by_hand| &by_hand.get),
            "containment": run.containment.to_string(), "sandbox": run.confinement.to_string(),
            "stdout": run.stdout, "stderr": run.stderr,
        });
        output::result(&format!("{record}\n"));
        return outcome;
    }
    let mut text = format!("{}: {answer} ({seconds:.2} s)\n", solver.name());
    text += &match detail.is_empty() {
        true => format!("  {word}\n"),
        false => format!("  {word}: {detail}\n"),
    };
    for line in run.stdout.lines().chain(run.stderr.lines()) {
        text += &format!("  | {line}\n");
    }
    output::result(&text);
    outcome
}

fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(assay_smtlib::text_of(&bytes).into_owned())
}

/// The record of a finding's folder; none for a file.
pub(crate) fn read_record(path: &Path) -> Result<Option<FindingRecord>, Box<dyn Error>> {
    if !path.is_dir() {
        return Ok(None);
    }
    let file = path.join(FindingRecord::FILE);
    let record = FindingRecord::read(path);
    Ok(Some(record.map_err(|error| format!("{}: {error}", file.display()))?))
}

/// What is run, and the truth about it, which may have become known only after it was made.
pub(crate) struct Replayed {
    pub(crate) case: TestCase,
    pub(crate) truth: TestCase,
}

impl From<TestCase> for Replayed {
    fn from(case: TestCase) -> Replayed {
        Replayed { truth: case.clone(), case }
    }
}

/// The case of a finding, made again; from its files where this version makes another.
pub(crate) fn case_of_finding(
    folder: &Path,
    record: &FindingRecord,
    askers: &Askers,
) -> Result<Replayed, Box<dyn Error>> {
    let text = read(&folder.join("case.smt2"))?;
    let written = read(&folder.join("program.c")).ok();
    let witness = folder.join(WITNESS);
    let same = |case: &TestCase| {
        let program = case.program().map(|program| &program.text);
        formula(case).text() == text && program == written.as_ref()
    };
    let remade = match record.reduced {
        true => None,
        false => Some(remake(record, askers)),
    };
    match remade.transpose() {
        Ok(None) => {}
        Ok(Some(case)) if same(&case) => {
            let certain = case.oracle().grade() == Some(Grade::Certified);
            if certain || !witness.exists() {
                return Ok(case.into());
            }
            let mut formula = formula(&case).clone();
            let oracle = checked(&mut formula, &witness)?;
            let truth = TestCase::formula(case.name(), formula, oracle, case.origin().clone())?;
            return Ok(Replayed { case, truth });
        }
        Ok(Some(_)) => output::note(
            "note: this version makes another case of this number; taking the file's\n",
        ),
        Err(error) => output::note(&format!(
            "note: the case cannot be made again ({error}); taking the file's\n"
        )),
    }
    Ok(case_of_files(folder, record)?.into())
}

/// The model of a finding's case.
const WITNESS: &str = "witness.smt2";

/// The case of a finding as its files have it.
pub(crate) fn case_of_files(
    folder: &Path,
    record: &FindingRecord,
) -> Result<TestCase, Box<dyn Error>> {
    let witness = folder.join(WITNESS);
    let mut formula = Formula::read(read(&folder.join("case.smt2"))?)?;
    let why = match record.why.strip_prefix("declared by ") {
        Some(source) if record.reduced => source.to_owned(),
        _ => format!("finding.json of assay {}", record.campaign.assay),
    };
    let oracle = match record.expected.as_str() {
        "sat" if witness.exists() => checked(&mut formula, &witness)?,
        "sat" => Oracle::Sat(Witness::Declared(why.into())),
        "unsat" => Oracle::Unsat { why: Why::Declared(why.into()), core: None },
        _ => Oracle::Open,
    };
    let case = TestCase::formula(&record.case, formula, oracle, Origin::default())?;
    Ok(match read(&folder.join("program.c")) {
        Ok(text) => case.with_program(Program { text, inputs: None }),
        Err(_) => case,
    })
}

fn remake(record: &FindingRecord, askers: &Askers) -> Result<TestCase, Box<dyn Error>> {
    let suite = SuiteArgs::recorded_suite(&record.campaign, askers)?;
    let id: CaseId = record.id.parse()?;
    Ok(suite.make(id)?)
}

pub(crate) fn case_of_file(path: &Path, model: Option<&Path>) -> Result<TestCase, Box<dyn Error>> {
    let text = read(path)?;
    if path.extension().is_some_and(|extension| extension == "c") {
        return crate::programs::case_of_file(path, text);
    }
    let mut formula =
        Formula::read(text).map_err(|error| format!("{}: {error}", path.display()))?;
    let oracle = match (model, formula.script().status()) {
        (Some(model), _) => checked(&mut formula, model)?,
        (None, Some("sat")) => Oracle::Sat(Witness::Declared("the file's :status".into())),
        (None, Some("unsat")) => {
            Oracle::Unsat { why: Why::Declared("the file's :status".into()), core: None }
        }
        (None, _) => Oracle::Open,
    };
    let name = path.display().to_string();
    Ok(TestCase::formula(name, formula, oracle, Origin::default())?)
}

fn checked(formula: &mut Formula, model: &Path) -> Result<Oracle, Box<dyn Error>> {
    let place = |error: &dyn std::fmt::Display| format!("{}: {error}", model.display());
    let values = formula.read_model(&read(model)?).map_err(|error| place(&error))?;
    let checked = check_model(formula, values).map_err(|error| place(&error))?;
    Ok(Oracle::Sat(Witness::Checked(checked)))
}

pub(crate) fn formula(case: &TestCase) -> &Formula {
    let Payload::Formula(formula) = case.payload();
    formula
}
