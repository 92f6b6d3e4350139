//! Findings: the target must show the same, and the truth must stay known.

use super::{Report, reduce, write};
use crate::replay::{read_record, replayed, with_options};
use crate::{Outcome, output};
use assay_campaign::replay::{Replayed, case_of_file};
use assay_campaign::tool::Tool;
use assay_campaign::{FindingRecord, write_reduced};
use assay_case::{
    Consult, Evidence, Expected, Finding, FindingKind, Formula, FormulaTest, Grade, Judgement,
    Kind, Observation, Oracle, Question, TestCase, Why, Witness, judge, refutation,
};
use assay_mutate::Seed;
use assay_reduce::{
    Candidate, FindingTester, Known, Party, Reduced, Size, Subject, Tester, Wanted, undo,
};
use assay_smtlib::{Printer, STANDARD, print_model};
use assay_target::{Mode, Ran, Resolved, Settings, Solver, Target, TargetName};
use serde_json::json;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// Solvers that are asked about candidates whose truth is lost, the most able ones first.
const CONSULTANTS: [&str; 5] = ["cvc5", "z3", "bitwuzla", "yices", "cvc4"];

/// The longest that a candidate may take, unless it is said.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often a reduced case is run again in a process of its own.
const ROUNDS: usize = 2;

/// What is needed to run targets.
struct Bench {
    /// The target that the finding is about, and those who contradict it.
    targets: Vec<Arc<Resolved>>,
    consultants: Vec<Arc<Resolved>>,
    settings: Settings,
}

/// A target for tests, in a session or in fresh processes.
struct Run {
    solver: Solver,
    mode: Mode,
}

impl Party for Run {
    fn name(&self) -> &str {
        Target::name(&self.solver)
    }

    fn observe(&mut self, case: &TestCase) -> Result<Observation, String> {
        match self.solver.run(case, self.mode) {
            Ok(Ran::Observed(run)) => Ok(run.observation),
            Ok(Ran::Skipped(reason)) => Err(reason),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Bench {
    fn tester(&self, wanted: &Wanted, mode: Mode) -> FindingTester {
        let settings = Settings { sessions: mode == Mode::Session, ..self.settings.clone() };
        let solver = |target: &Arc<Resolved>| Solver::new(Arc::clone(target), settings.clone());
        let party = |target| -> Box<dyn Party> { Box::new(Run { solver: solver(target), mode }) };
        let consultant = |target| -> Box<dyn Consult + Send> { Box::new(solver(target)) };
        FindingTester::new(
            wanted.clone(),
            self.targets.iter().map(party).collect(),
            self.consultants.iter().map(consultant).collect(),
        )
    }
}

pub(super) fn run(args: &super::Args) -> Result<Outcome, Box<dyn Error>> {
    let record = read_record(&args.what)?;
    if let Some(record) = record.as_ref().filter(|record| record.subject == Kind::Program) {
        return super::program::run(args, record);
    }
    let bench = bench(args, record.as_ref())?;
    let truth = match &record {
        Some(record) => {
            let tools: Vec<Tool> = bench.targets.iter().cloned().map(Tool::Solver).collect();
            let Replayed { truth, .. } =
                replayed(&args.what, record, &args.catalog, &tools, &bench.settings)?;
            truth
        }
        None if args.target.is_none() => {
            return Err(format!(
                "{} is a file: say what shows it with --target, or how to tell with --cmd",
                args.what.display()
            )
            .into());
        }
        None => case_of_file(&args.what, Kind::Formula, args.model.as_deref())?,
    };
    let truth = if_declared(&truth).unwrap_or(truth);
    let (wanted, truth) = wanted(args, record.as_ref(), truth, &bench)?;
    let mut subject = subject(&truth);
    let first = Candidate {
        text: subject.text.clone(),
        witness: subject.witness.as_deref().map(Into::into),
        keeps_core: subject.core.is_some(),
    };
    let mode = mode(&bench, &wanted, &first);
    let before = Size::of(&subject.text);
    let mut record = record;
    let mut undone = 0;
    if let Some(record) = record.as_mut().filter(|record| !record.trace.is_empty()) {
        let mut tester = bench.tester(&wanted, mode);
        if let Some(left) = undo(&seeds(record), &record.trace, &subject, &mut tester) {
            undone = record.trace.len() - left.trace.len();
            output::note(&format!(
                "undid {undone} of {} mutations in {} tests\n",
                record.trace.len() - 1,
                left.tests
            ));
            (subject, record.trace) = (left.subject, left.trace);
        }
    }
    let testers: Vec<Box<dyn Tester>> = (0..args.jobs())
        .map(|_| -> Box<dyn Tester> { Box::new(bench.tester(&wanted, mode)) })
        .collect();
    let (reduced, took) = reduce(args, &subject, testers)?;
    let reduced = Reduced { before, ..reduced };
    let last = Candidate {
        text: reduced.text.clone(),
        witness: reduced.witness.as_deref().map(Into::into),
        keeps_core: reduced.keeps_core,
    };
    let known = confirmed(&bench, &wanted, &last)?;
    let out = args.out();
    write(&out, &reduced.text)?;
    let grade = known.case.grade();
    let mut truth = truth_in_words(test(&known.case).oracle());
    let mut more = json!({
        "kind": wanted.kind.name(),
        "grade": grade.map(Grade::name),
        "target": bench.targets[0].name.to_string(),
        "undone": undone,
    });
    if let Some(record) = &record {
        let folder = out.with_extension("");
        let mut targets: Vec<Box<dyn Target>> = Vec::new();
        for target in &bench.targets {
            targets.push(Box::new(Solver::new(Arc::clone(target), bench.settings.clone())));
        }
        let kept = write_reduced(&folder, record, &known.case, &mut targets)?;
        let grade = kept.grade.map_or("", Grade::name);
        truth = format!("{} ({grade}, {}): {truth}", kept.kind.name(), kept.stability.name());
        more["grade"] = json!(kept.grade);
        more["kind"] = json!(kept.kind);
        more["stability"] = json!(kept.stability.name());
        more["folder"] = json!(folder);
    }
    Report { reduced: &reduced, took, out: &out, truth, more }.print(args.json);
    Ok(Outcome::Clean)
}

/// The seeds of a mutant, where they are still where they were.
fn seeds(record: &FindingRecord) -> Vec<Seed> {
    let folders = record.campaign.settings.seeds().map_or(&[][..], |seeds| &seeds.seeds);
    let find = |name: &String| -> Option<Seed> {
        let text = folders.iter().find_map(|folder| {
            let path = if folder.is_dir() { folder.join(name) } else { folder.to_path_buf() };
            std::fs::read(path).ok()
        })?;
        Seed::read(name, &text, usize::MAX).ok()
    };
    record.seeds.iter().filter_map(find).collect()
}

fn bench(args: &super::Args, record: Option<&FindingRecord>) -> Result<Bench, Box<dyn Error>> {
    let mut names: Vec<TargetName> = Vec::new();
    match (&args.target, record) {
        (Some(name), _) => names.push(name.clone()),
        (None, Some(record)) => names.push(record.target.parse()?),
        (None, None) => {}
    }
    if let Some(record) = record {
        for opinion in &record.against {
            names.push(opinion.target.parse()?);
        }
    }
    let mut targets = Vec::new();
    for name in &names {
        let tool = args.catalog.tool(Kind::Formula, name)?;
        match with_options(tool, &args.options, record)? {
            Tool::Solver(solver) => targets.push(solver),
            Tool::Analyzer(_) | Tool::Domain(_) => {}
        }
    }
    let consultants = match args.agreement {
        Some(false) => Vec::new(),
        asked => {
            let found = consultants(args, &targets)?;
            if asked == Some(true) && found.len() < 2 {
                return Err("--agreement yes: two independent solvers are needed; try \
                            `assay targets install cvc5 z3`"
                    .into());
            }
            found
        }
    };
    let found_with = record.map(|record| record.campaign.execution.seed_targets);
    let usual = record.map_or(PATIENCE, |record| record.campaign.limits.timeout.0);
    let settings = Settings {
        limits: args.limits(usual),
        launcher: args.catalog.launcher()?,
        seed: args.rng.or(found_with).unwrap_or(0),
        sessions: true,
    };
    Ok(Bench { targets, consultants, settings })
}

/// Installed solvers of different makers, none of them under test.
fn consultants(
    args: &super::Args,
    targets: &[Arc<Resolved>],
) -> Result<Vec<Arc<Resolved>>, Box<dyn Error>> {
    let catalog = args.catalog.catalog()?;
    let installer = args.catalog.installer();
    let mut found = Vec::new();
    for name in CONSULTANTS {
        let Ok(name) = name.parse::<TargetName>() else { continue };
        let Ok(Some(solver)) = catalog.resolve_installed(&name, &installer) else { continue };
        if targets.iter().all(|target| target.name != solver.name) {
            found.push(Arc::new(solver));
        }
    }
    Ok(found)
}

/// What to keep, and of which case: of one that asks several questions, the part up to the one that is
/// answered wrongly. The case must show it.
fn wanted(
    args: &super::Args,
    record: Option<&FindingRecord>,
    truth: TestCase,
    bench: &Bench,
) -> Result<(Wanted, TestCase), Box<dyn Error>> {
    let by_record = record.and_then(|record| record.kind.finding());
    let kind = args.kind.or(by_record);
    if kind == Some(FindingKind::Inconsistency) {
        return Err("two cases show it, the seed and the mutant: neither shows it alone".into());
    }
    if kind == Some(FindingKind::WrongOptimum) {
        return Err(
            "what is optimal changes with every step, so that nothing would be known of the \
                    result; reduce case.smt2 by a command with --cmd"
                .into(),
        );
    }
    if let Some(kind @ FindingKind::Disagreement) = kind {
        let evidence = Evidence::Message(String::new());
        let finding = Finding { kind, grade: Grade::Declared, evidence };
        return Ok((Wanted::new(&finding, test(&truth).oracle()), truth));
    }
    let mut solver = Solver::new(Arc::clone(&bench.targets[0]), bench.settings.clone());
    let name = bench.targets[0].name.to_string();
    let run = match solver.run(&truth, Mode::Fresh)? {
        Ran::Observed(run) => run,
        Ran::Skipped(reason) => return Err(reason.into()),
    };
    let says = format!("{name} says {}", run.observation.answer);
    match judge(&truth, &run.observation) {
        Judgement::Finding(finding) if kind.is_none_or(|kind| kind == finding.kind) => {
            let truth = match finding.evidence {
                Evidence::Question { question, .. } => up_to(&truth, question)?,
                _ => truth,
            };
            Ok((Wanted::new(&finding, test(&truth).oracle()), truth))
        }
        Judgement::Finding(finding) => {
            Err(format!("{says}; that is {finding}, not {}", kind.map_or("", FindingKind::name))
                .into())
        }
        Judgement::Correct => {
            Err(format!("{says}, which is right: there is nothing to reduce").into())
        }
        Judgement::Inconclusive(doubt) => {
            Err(format!("{says}, which shows nothing: {doubt}; --model or --cmd may help").into())
        }
        Judgement::OracleContradicted(how) => Err(how.to_string().into()),
    }
}

/// The case up to one of its questions, with what is known of the answer.
fn up_to(truth: &TestCase, question: usize) -> Result<TestCase, Box<dyn Error>> {
    let formula = test(truth).formula();
    let printer = Printer::new(formula.store());
    let mut text = String::new();
    let mut asked = 0;
    for command in &formula.script().commands {
        text += &printer.command(command);
        text.push('\n');
        asked += usize::from(command.is_check());
        if asked == question {
            break;
        }
    }
    let word = "the construction of the case".to_owned();
    let oracle = match test(truth).steps()[question - 1] {
        Expected::Sat => Oracle::Sat(Witness::Declared(word.into())),
        Expected::Unsat => Oracle::Unsat { why: Why::Declared(word.into()), core: None },
        _ => Oracle::Open,
    };
    Ok(TestCase::formula(truth.name(), Formula::read(text)?, oracle, truth.origin().clone())?)
}

/// The case as a subject: its text, and what its truth rests on.
fn subject(truth: &TestCase) -> Subject {
    let formula = test(truth).formula();
    let mut subject = Subject::new(formula.text());
    match test(truth).oracle() {
        Oracle::Sat(Witness::Checked(model)) => {
            let mut store = formula.store().clone();
            subject.witness = Some(print_model(&mut store, model, STANDARD));
        }
        Oracle::Unsat { core: Some(core), .. } => {
            let assertions = formula.assertions().iter().enumerate();
            let named = assertions.filter(|(_, assertion)| {
                assertion.names.is_empty()
                    || assertion.names.iter().any(|name| core.names.contains(name))
            });
            subject.core = Some(named.map(|(at, _)| at).collect());
        }
        // As a whole it is known to be unsatisfiable; of its parts nothing is known.
        Oracle::Unsat { core: None, .. } => {
            subject.core = Some((0..formula.assertions().len()).collect());
        }
        _ => {}
    }
    subject
}

/// Sessions are quicker; they will do if the finding shows in one.
fn mode(bench: &Bench, wanted: &Wanted, first: &Candidate) -> Mode {
    match bench.tester(wanted, Mode::Session).known(first) {
        Ok(_) => Mode::Session,
        Err(reason) => {
            output::note(&format!("note: no session is used: {reason}\n"));
            Mode::Fresh
        }
    }
}

/// The case with a certain truth, where it is only declared and every assignment can be tried.
fn if_declared(case: &TestCase) -> Option<TestCase> {
    let declared = case.grade() == Some(Grade::Declared);
    declared.then(|| case.proved()).flatten()
}

/// The reduced case, shown again by fresh processes.
fn confirmed(bench: &Bench, wanted: &Wanted, last: &Candidate) -> Result<Known, Box<dyn Error>> {
    let mut known = None;
    for _ in 0..ROUNDS {
        let again = bench.tester(wanted, Mode::Fresh).known(last);
        known = Some(again.map_err(|reason| {
            format!("a fresh process does not show what the session did: {reason}; try --jobs 1")
        })?);
    }
    let mut known = known.expect("there is at least one round");
    if let Some(proved) = if_declared(&known.case) {
        if let Some(refuted) = refutation(&known.case, &proved) {
            return Err(format!("{refuted}: there is nothing to reduce").into());
        }
        known.case = proved;
    }
    match model_against(bench, &known.case) {
        Some(who) => Err(format!(
            "{who} has a model of what should have none: a fault of ours, please report it\n{}",
            last.text
        )
        .into()),
        None => Ok(known),
    }
}

/// Who has a model that satisfies a case that is believed to have none.
fn model_against(bench: &Bench, case: &TestCase) -> Option<String> {
    if case.expected() != Expected::Unsat {
        return None;
    }
    bench.targets.iter().chain(&bench.consultants).find_map(|target| {
        let mut solver = Solver::new(Arc::clone(target), bench.settings.clone());
        let mut formula = test(case).formula().clone();
        let said = solver.ask(&formula, Question::Model);
        said.checked_model(&mut formula).is_ok().then_some(said.who)
    })
}

/// The formula of a case: only formulas come here.
fn test(case: &TestCase) -> &FormulaTest {
    case.as_formula().expect("only formulas are reduced here")
}

fn truth_in_words(oracle: &Oracle) -> String {
    match oracle {
        Oracle::Sat(witness) => format!("the truth is sat, {witness}"),
        Oracle::Unsat { why, .. } => format!("the truth is unsat, {why}"),
        Oracle::Optimum { why, .. } => format!("the truth is sat, {why}"),
        Oracle::Open => "it proves itself".to_owned(),
    }
}
