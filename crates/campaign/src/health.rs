//! Checks that a target works: two one-line formulas or two small programs, in a fresh process and
//! in a session; for a library of abstract domains, whether each domain starts.

use crate::domains::begin;
use assay_case::{
    Formula, Judgement, Observation, Oracle, Origin, TestCase, Why, Witness, check_model, judge,
};
use assay_lattice::protocol::Plan;
use assay_lattice::{Engine, TraceOptions};
use assay_target::domain::{DomainLimits, DomainWorker, Until};
use assay_target::process::{HarnessError, Launcher};
use assay_target::spec::Feature;
use assay_target::{
    Analyzer, Mode, Ran, Resolved, Settings, Solver, Target, TargetName, refutes_a_contradiction,
};
use std::sync::Arc;
use std::time::Duration;

/// The health of a target, part by part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Health {
    /// Running in a fresh process.
    pub fresh: Part,
    /// Running several scripts in one process.
    pub session: Part,
    /// Models.
    pub models: Part,
    /// Unsatisfiable cores.
    pub cores: Part,
}

/// Whether a part works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// It works.
    Works,
    /// It fails, for this reason.
    Broken(String),
    /// The target's file does not claim it.
    Unclaimed,
}

impl Health {
    /// The health of a target that only claims to run.
    fn of_runs(fresh: Part) -> Health {
        let [session, models, cores] = [Part::Unclaimed, Part::Unclaimed, Part::Unclaimed];
        Health { fresh, session, models, cores }
    }

    /// Every part, with its name in tables.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, &Part); 4] {
        [
            ("run", &self.fresh),
            ("session", &self.session),
            ("models", &self.models),
            ("cores", &self.cores),
        ]
    }

    /// Whether everything that the target's file claims works.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.parts().iter().all(|(_, part)| !matches!(part, Part::Broken(_)))
    }
}

/// The vocabulary of the theory that the formulas use.
struct Words {
    sort: &'static str,
    one: &'static str,
    nine: &'static str,
    less: &'static str,
}

const INTS: Words = Words { sort: "Int", one: "1", nine: "9", less: "<" };
const BITS: Words = Words { sort: "(_ BitVec 8)", one: "#x01", nine: "#x09", less: "bvult" };

/// The limits for starting a domain as a check.
const DOMAIN: DomainLimits = DomainLimits { memory: 1 << 30, patience: Duration::from_secs(20) };

/// Runs a solver on trivial formulas, or an analyzer on trivial programs.
///
/// # Errors
/// A failure of assay itself.
pub fn examine(target: &Arc<Resolved>, settings: &Settings) -> Result<Health, HarnessError> {
    match target.behaviour.analyzer {
        Some(_) => Ok(examine_analyzer(target, settings)),
        None => examine_solver(target, settings),
    }
}

/// Starts each of these domains of a library.
#[must_use]
pub fn examine_domains(library: &Resolved, domains: &[&str], launcher: &Launcher) -> Health {
    let config = TraceOptions::preset("C2").expect("it is a preset");
    let plan = Plan::new(&config, Engine::Random, 0, Vec::new());
    let start = |domain: &&str| {
        let name = TargetName::newest(format!("{}/{domain}", library.name.name));
        let folder = Some(library.program.clone());
        let mut worker = DomainWorker::new(&name, launcher, folder, DOMAIN);
        begin(&mut worker, &plan, &[], &Until::ANSWERED)
    };
    let broken = domains.iter().find_map(|domain| start(domain).err());
    Health::of_runs(broken.map_or(Part::Works, |error| Part::Broken(error.to_string())))
}

/// Gives a first-order prover a contradiction.
///
/// # Errors
/// A failure of assay itself.
pub fn examine_prover(target: &Resolved, launcher: &Launcher) -> Result<Health, HarnessError> {
    let refutes = refutes_a_contradiction(target, launcher.clone())?;
    let trouble = || Part::Broken("it does not refute a contradiction".to_owned());
    Ok(Health::of_runs(if refutes { Part::Works } else { trouble() }))
}

/// The self-test that a campaign requires before it runs a case.
fn examine_analyzer(target: &Arc<Resolved>, settings: &Settings) -> Health {
    let mut analyzer = Analyzer::new(Arc::clone(target), settings.clone(), None);
    Health::of_runs(analyzer.self_test().map_or_else(Part::Broken, |()| Part::Works))
}

fn examine_solver(target: &Arc<Resolved>, settings: &Settings) -> Result<Health, HarnessError> {
    let has = |feature| target.behaviour.features.contains(&feature);
    let words = if has(Feature::Ints) { INTS } else { BITS };
    let cases = [satisfiable(&words), unsatisfiable(&words)];
    let settings = Settings { sessions: true, ..settings.clone() };
    let mut solver = Solver::new(Arc::clone(target), settings);
    let fresh = run(&mut solver, &cases, Mode::Fresh)?;
    let session = match target.behaviour.session {
        // The first formula is repeated: a session that does not reset fails here.
        Some(_) => {
            let [sat, unsat] = &cases;
            all_right(&run(&mut solver, &[sat.clone(), unsat.clone(), sat.clone()], Mode::Session)?)
        }
        None => Part::Unclaimed,
    };
    let part = |feature, seen: fn(&Observation) -> bool, at: usize| match &fresh[at] {
        _ if !has(feature) => Part::Unclaimed,
        Ok(observation) if seen(observation) => Part::Works,
        Ok(_) => Part::Broken(format!("it printed no {}", feature.name())),
        Err(words) => Part::Broken(words.clone()),
    };
    Ok(Health {
        models: part(Feature::Models, |seen| seen.model.is_some(), 0),
        cores: part(Feature::Cores, |seen| seen.core.is_some(), 1),
        fresh: all_right(&fresh),
        session,
    })
}

/// Broken if one answer is wrong.
fn all_right(answers: &[Result<Observation, String>]) -> Part {
    match answers.iter().find_map(|answer| answer.as_ref().err()) {
        Some(words) => Part::Broken(words.clone()),
        None => Part::Works,
    }
}

/// The target's answer to each case, or the error.
fn run(
    solver: &mut dyn Target,
    cases: &[TestCase],
    mode: Mode,
) -> Result<Vec<Result<Observation, String>>, HarnessError> {
    let mut answers = Vec::new();
    for case in cases {
        answers.push(match solver.run(case, mode)? {
            Ran::Skipped(reason) => Err(reason),
            Ran::Observed(run) => match judge(case, &run.observation) {
                Judgement::Correct => Ok(run.observation),
                _ => Err(format!(
                    "{} was expected, the answer is {}",
                    case.name(),
                    run.observation.answer
                )),
            },
        });
    }
    Ok(answers)
}

fn satisfiable(words: &Words) -> TestCase {
    let Words { sort, one, nine, less } = words;
    let mut formula = read(&format!(
        "(declare-const x {sort})
         (assert (! ({less} {one} x) :named low))
         (assert (! (= x {nine}) :named nine))
         (check-sat)"
    ));
    let model = formula.read_model(&format!("((define-fun x () {sort} {nine}))"));
    let model = model.expect("the model fits the declaration");
    let model = check_model(&formula, model).expect("nine is more than one");
    case("sat", formula, Oracle::Sat(Witness::Checked(model)))
}

fn unsatisfiable(words: &Words) -> TestCase {
    let Words { sort, one, nine, less } = words;
    let formula = read(&format!(
        "(declare-const x {sort})
         (assert (! ({less} x {one}) :named low))
         (assert (! ({less} {one} x) :named high))
         (assert (! ({less} x {nine}) :named idle))
         (check-sat)"
    ));
    let why = Why::Declared("nothing is below and above one".into());
    case("unsat", formula, Oracle::Unsat { why, core: None })
}

fn read(text: &str) -> Formula {
    Formula::read(text).expect("the formula is ours")
}

fn case(name: &str, formula: Formula, oracle: Oracle) -> TestCase {
    TestCase::formula(name, formula, oracle, Origin::default()).expect("the oracle fits")
}
