//! Reduces formulas: the target must show the same finding, and the truth must stay known.

use super::{Event, Job, Measure, Reduction, ReductionError, Watch};
use crate::folder::FindingRecord;
use crate::tool::{Tool, Toolbox};
use assay_case::{
    Answer, Consult, Evidence, Expected, Finding, FindingKind, Formula, FormulaTest, Grade,
    Judgement, Observation, Oracle, Question, TestCase, Why, Witness, judge, refutation,
};
use assay_mutate::{Seed, rebuild, rebuild_fused};
use assay_reduce::{
    Candidate, FindingTester, Known, Original, Party, Progress, ReduceError, Reduced, Refusal,
    ScriptTester, Size, Truth, Wanted, reduce, undo,
};
use assay_smtlib::{Printer, STANDARD, print_model};
use assay_target::{Mode, Ran, Resolved, Settings, Solver, Target, TargetName};
use std::sync::Arc;

/// The number of times that a reduced case is confirmed in a fresh process.
const ROUNDS: usize = 2;

/// Solvers that are asked about candidates whose truth is lost, the most capable first.
const CONSULTANTS: [&str; 5] = ["cvc5", "z3", "bitwuzla", "yices", "cvc4"];

/// The smallest formula that still shows the finding.
///
/// # Errors
/// Fails if the target does not show it, or a tool cannot be run.
pub(crate) fn reduce_formula(
    job: Job<'_>,
    watch: &mut Watch<'_>,
) -> Result<Reduction, ReductionError> {
    let targets: Vec<_> = job.tools.iter().filter_map(Tool::solver).collect();
    let consultants = consultants(&job, &targets)?;
    let bench = FormulaBench { targets, consultants, settings: job.settings, jobs: job.jobs };
    let mut mutations = job.record.map_or_else(Mutations::default, Mutations::of);
    let reduction = bench.reduce(job.case, job.kind, &mut mutations, watch)?;
    let seed = mutations.seed();
    Ok(Reduction { trace: job.record.map(|_| mutations.lines), seed, ..reduction })
}

/// Installed solvers of different makers, none of them under test.
fn consultants(
    job: &Job<'_>,
    targets: &[Arc<Resolved>],
) -> Result<Vec<Arc<Resolved>>, ReductionError> {
    let mut found = Vec::new();
    if job.agreement == Some(false) {
        return Ok(found);
    }
    let Toolbox { catalog, installer } = job.toolbox;
    for name in CONSULTANTS {
        let name = TargetName::newest(name);
        let Ok(Some(solver)) = catalog.resolve_installed(&name, installer) else { continue };
        if targets.iter().all(|target| target.name != solver.name) {
            found.push(Arc::new(solver));
        }
    }
    match job.agreement {
        Some(true) if found.len() < 2 => Err(ReductionError::NotShown(
            "--agreement yes: two independent solvers are needed; try `assay targets install cvc5 z3`"
                .to_owned(),
        )),
        _ => Ok(found),
    }
}

/// The case as an unsatisfiable one, if two installed solvers of different families agree that it is and
/// none contradicts them, and which they are. That of the tool under suspicion is not asked.
pub(crate) fn agreed_unsat(
    case: &TestCase,
    suspect: &str,
    toolbox: Toolbox<'_>,
    settings: &Settings,
) -> Option<(TestCase, String)> {
    let formula = case.as_formula()?.formula().clone();
    let mut agreed: Vec<(&str, String)> = Vec::new();
    for name in CONSULTANTS {
        // A successor shares much with what came before it.
        let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if suspect.starts_with(family) || agreed.iter().any(|(known, _)| *known == family) {
            continue;
        }
        let found = toolbox.catalog.resolve_installed(&TargetName::newest(name), toolbox.installer);
        let Ok(Some(solver)) = found else { continue };
        let said = Solver::new(Arc::new(solver), settings.clone()).ask(&formula, Question::Status);
        match said.answer {
            Answer::Unsat => agreed.push((family, said.who)),
            Answer::Sat => return None,
            _ => {}
        }
    }
    if agreed.len() < 2 {
        return None;
    }
    let who = agreed.into_iter().map(|(_, who)| who).collect::<Vec<_>>().join(" and ");
    let why = Why::Declared(format!("agreement of {who}").into());
    let test = FormulaTest::new(formula, Oracle::Unsat { why, core: None }).ok()?;
    Some((case.with_test(test), who))
}

/// The tools that judge candidates.
struct FormulaBench {
    /// The target that the finding is about, and those that contradict it.
    targets: Vec<Arc<Resolved>>,
    /// Solvers that are asked about candidates whose truth is lost.
    consultants: Vec<Arc<Resolved>>,
    settings: Settings,
    jobs: usize,
}

/// The mutations that made a formula.
#[derive(Default)]
struct Mutations {
    /// The seeds, as far as they still exist.
    seeds: Vec<Seed>,
    /// The mutations, one per line.
    lines: Vec<String>,
}

impl Mutations {
    /// The mutations of a finding.
    fn of(record: &FindingRecord) -> Mutations {
        let seeds = record.campaign.settings.common().seeds();
        let folders = seeds.map_or(&[][..], |seeds| &seeds.seeds);
        let find = |name: &String| -> Option<Seed> {
            let text = folders.iter().find_map(|folder| {
                let path = if folder.is_dir() { folder.join(name) } else { folder.clone() };
                std::fs::read(path).ok()
            })?;
            Seed::read(name, &text, usize::MAX).ok()
        };
        let seeds = record.seeds.iter().filter_map(find).collect();
        Mutations { seeds, lines: record.trace.clone() }
    }

    /// The formula that is mutated: the seed in the form that the trace names, or both seeds as one.
    fn seed(&self) -> Option<String> {
        let form = self.lines.get(..1)?;
        let formula = match &self.seeds[..] {
            [seed] => match rebuild(seed, form).ok()? {
                // A recombined formula has new assertions only.
                nothing if nothing.assertions().is_empty() => seed.formula(),
                formula => formula,
            },
            [first, second] => rebuild_fused(first, second, form).ok()?,
            _ => return None,
        };
        Some(formula.text().to_owned())
    }
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

impl Reduction {
    /// The result on a script.
    pub(super) fn of_script(
        reduced: &Reduced,
        kind: Option<FindingKind>,
        case: Option<TestCase>,
    ) -> Reduction {
        let (before, after) = (Measure::Script(reduced.before), Measure::Script(reduced.after));
        let reduction = Reduction::new(&reduced.text, before, after, reduced.counts);
        Reduction { stopped: reduced.stopped, kind, case, ..reduction }
    }
}

impl FormulaBench {
    /// The smallest case that still shows a finding of this kind, or any finding. Of a mutant,
    /// unneeded mutations are undone first; the others remain in the trace.
    ///
    /// # Errors
    /// Fails if the target does not show it, or a tool cannot be run.
    fn reduce(
        &self,
        truth: TestCase,
        kind: Option<FindingKind>,
        trace: &mut Mutations,
        watch: &mut Watch<'_>,
    ) -> Result<Reduction, ReductionError> {
        let truth = if_declared(&truth).unwrap_or(truth);
        let (wanted, truth) = self.wanted(kind, truth)?;
        let mut original = original(&truth);
        let before = Size::of(&original.text);
        let mode = self.mode(&wanted, &original, watch);
        if let Some(left) = self.undone(&wanted, mode, trace, &original, watch) {
            (original, trace.lines) = left;
        }
        let end = watch.end;
        let mut progress = |progress: Progress<Size>| {
            (watch.tell)(Event::Smaller(progress.counts, Measure::Script(progress.size)));
        };
        let testers = self.testers(&wanted, mode);
        let stop: &dyn Fn() -> bool = &|| end.is_over();
        let reduced = match reduce(&original, testers, stop, &mut progress) {
            Err(ReduceError::Refused(Refusal::Dull(reason)))
                if wanted.truth == Truth::Model && original.witness.is_none() =>
            {
                return Err(ReductionError::NoModel(reason));
            }
            reduced => Reduced { before, ..reduced? },
        };
        let last = Candidate {
            text: reduced.text.clone(),
            witness: reduced.witness.as_deref().map(Into::into),
            keeps_core: reduced.keeps_core,
        };
        let known = self.confirmed(&wanted, &last)?;
        Ok(Reduction::of_script(&reduced, Some(wanted.kind), Some(known.case)))
    }

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

    fn testers(&self, wanted: &Wanted, mode: Mode) -> Vec<ScriptTester<'static>> {
        let tester = |_| -> ScriptTester<'static> { Box::new(self.tester(wanted, mode)) };
        (0..self.jobs).map(tester).collect()
    }

    /// The mutant with fewer mutations.
    fn undone(
        &self,
        wanted: &Wanted,
        mode: Mode,
        trace: &Mutations,
        original: &Original,
        watch: &mut Watch<'_>,
    ) -> Option<(Original, Vec<String>)> {
        let testers = self.testers(wanted, mode);
        let left = undo(&trace.seeds, &trace.lines, original, testers, &|| watch.end.is_over())?;
        let (steps, of) = (trace.lines.len() - left.trace.len(), trace.lines.len() - 1);
        (watch.tell)(Event::Undone { steps, of, tests: left.tests });
        Some((left.original, left.trace))
    }

    /// The finding to keep, and its case: if the case asks several questions, the part up to the
    /// one that is answered wrongly. The target must show the finding on it.
    fn wanted(
        &self,
        kind: Option<FindingKind>,
        truth: TestCase,
    ) -> Result<(Wanted, TestCase), ReductionError> {
        let not = |words: String| Err(ReductionError::NotShown(words));
        match kind {
            Some(FindingKind::Inconsistency) => {
                return not(
                    "two cases show it, the seed and the mutant: neither shows it alone".to_owned()
                );
            }
            Some(FindingKind::WrongOptimum) => {
                return not("the optimum changes with every step, so the truth of the result \
                            would be unknown; reduce case.smt2 by a command with --cmd"
                    .to_owned());
            }
            Some(kind @ FindingKind::Disagreement) => {
                let evidence = Evidence::Message(String::new());
                let finding = Finding { kind, grade: Grade::Declared, evidence };
                return Ok((Wanted::new(&finding, test(&truth).oracle()), truth));
            }
            _ => {}
        }
        let mut solver = Solver::new(Arc::clone(&self.targets[0]), self.settings.clone());
        let run = match solver.run(&truth, Mode::Fresh)? {
            Ran::Observed(run) => run,
            Ran::Skipped(reason) => return not(reason),
        };
        let says = format!("{} says {}", self.targets[0].name, run.observation.answer);
        let (truth, judgement) = match judge(&truth, &run.observation) {
            Judgement::Inconclusive(_) if truth.expected() == Expected::Open => {
                let truth = self.settled(&truth).unwrap_or(truth);
                let judgement = judge(&truth, &run.observation);
                (truth, judgement)
            }
            judgement => (truth, judgement),
        };
        match judgement {
            Judgement::Finding(finding) if kind.is_none_or(|kind| kind == finding.kind) => {
                let truth = match finding.evidence {
                    Evidence::Question { question, .. } => up_to(&truth, question)?,
                    _ => truth,
                };
                Ok((Wanted::new(&finding, test(&truth).oracle()), truth))
            }
            Judgement::Finding(finding) => not(format!(
                "{says}; that is {finding}, not {}",
                kind.map_or("", FindingKind::name)
            )),
            Judgement::Correct => {
                not(format!("{says}, which is right: there is nothing to reduce"))
            }
            Judgement::Inconclusive(doubt) => {
                not(format!("{says}, which proves nothing: {doubt}; --model or --cmd may help"))
            }
            Judgement::OracleContradicted(how) => not(how.to_string()),
        }
    }

    /// Chooses sessions, which are faster, if the finding shows in one.
    fn mode(&self, wanted: &Wanted, original: &Original, watch: &mut Watch<'_>) -> Mode {
        let first = Candidate {
            text: original.text.clone(),
            witness: original.witness.as_deref().map(Into::into),
            keeps_core: original.core.is_some(),
        };
        match self.tester(wanted, Mode::Session).known(&first) {
            Ok(_) => Mode::Session,
            Err(reason) => {
                (watch.tell)(Event::NoSession(reason));
                Mode::Fresh
            }
        }
    }

    /// The reduced case, confirmed in fresh processes.
    fn confirmed(&self, wanted: &Wanted, last: &Candidate) -> Result<Known, ReductionError> {
        let not = |words: String| ReductionError::NotShown(words);
        let mut known = None;
        for _ in 0..ROUNDS {
            let again = self.tester(wanted, Mode::Fresh).known(last);
            known = Some(again.map_err(|reason| {
                not(format!(
                    "a fresh process does not show what the session did: {reason}; try --jobs 1"
                ))
            })?);
        }
        let mut known = known.expect("there is at least one round");
        if let Some(proved) = if_declared(&known.case) {
            if let Some(refuted) = refutation(&known.case, &proved) {
                return Err(not(format!("{refuted}: there is nothing to reduce")));
            }
            known.case = proved;
        }
        match self.model_against(&known.case) {
            Some(who) => Err(not(format!(
                "{who} has a model of an unsatisfiable case: a bug in assay, please report it\n{}",
                last.text
            ))),
            None => Ok(known),
        }
    }

    /// The case with the truth that all assignments show, or a model of a solver that is not under
    /// test.
    fn settled(&self, case: &TestCase) -> Option<TestCase> {
        let by_model = |target: &Arc<Resolved>| {
            let mut solver = Solver::new(Arc::clone(target), self.settings.clone());
            let mut formula = test(case).formula().clone();
            let said = solver.ask(&formula, Question::Model);
            let witness = Witness::Checked(said.checked_model(&mut formula).ok()?);
            let test = FormulaTest::new(formula, Oracle::Sat(witness)).ok()?;
            Some(case.with_test(test))
        };
        case.proved().or_else(|| self.consultants.iter().find_map(by_model))
    }

    /// The target with a valid model of a case that is believed to be unsatisfiable.
    fn model_against(&self, case: &TestCase) -> Option<String> {
        if case.expected() != Expected::Unsat {
            return None;
        }
        self.targets.iter().chain(&self.consultants).find_map(|target| {
            let mut solver = Solver::new(Arc::clone(target), self.settings.clone());
            let mut formula = test(case).formula().clone();
            let said = solver.ask(&formula, Question::Model);
            said.checked_model(&mut formula).is_ok().then_some(said.who)
        })
    }
}

fn test(case: &TestCase) -> &FormulaTest {
    case.as_formula().expect("only formulas are reduced here")
}

/// The case with a certified truth, if it was only declared and every assignment can be tried.
fn if_declared(case: &TestCase) -> Option<TestCase> {
    let declared = case.grade() == Some(Grade::Declared);
    declared.then(|| case.proved()).flatten()
}

/// The case up to one of its questions, with the known truth about the answer.
fn up_to(truth: &TestCase, question: usize) -> Result<TestCase, ReductionError> {
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
    let formula =
        Formula::read(text).map_err(|error| ReductionError::NotShown(error.to_string()))?;
    TestCase::formula(truth.name(), formula, oracle, truth.origin().clone())
        .map_err(|error| ReductionError::NotShown(error.to_string()))
}

/// The case to reduce: its text, and the basis of its truth.
fn original(truth: &TestCase) -> Original {
    let formula = test(truth).formula();
    let mut original = Original::new(formula.text());
    match test(truth).oracle() {
        Oracle::Sat(Witness::Checked(model)) => {
            let mut store = formula.store().clone();
            original.witness = Some(print_model(&mut store, model, STANDARD));
        }
        Oracle::Unsat { core: Some(core), .. } => {
            let assertions = formula.assertions().iter().enumerate();
            let named = assertions.filter(|(_, assertion)| {
                assertion.names.is_empty()
                    || assertion.names.iter().any(|name| core.names.contains(name))
            });
            original.core = Some(named.map(|(at, _)| at).collect());
        }
        // The case as a whole is known to be unsatisfiable, but nothing is known about its parts.
        Oracle::Unsat { core: None, .. } => {
            original.core = Some((0..formula.assertions().len()).collect());
        }
        _ => {}
    }
    original
}
