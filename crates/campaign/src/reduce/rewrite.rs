//! Reduces rewriting claims: the target must rewrite the smaller term wrongly too. The judge
//! decides that by evaluation, so the result is as certain as the finding.
//!
//! The inside of a term is reduced as a script that mentions it once: `(assert (claim TERM))`. Its
//! sort and the request are edited here.

use super::{Event, Job, Measure, Reduction, ReductionError, Watch};
use crate::tool::Tool;
use assay_case::rewrite::Request;
use assay_case::{Evidence, Finding, Judgement, RewriteTest, TestCase, judge};
use assay_reduce::{Candidate, Learnt, Original, ReduceError, ScriptTester, Size, reduce};
use assay_rewrite::with_assignments;
use assay_search::{Counts, Gain, Progress, Reducible, Search, Tested, Tester, Workers};
use assay_smtlib::{Command, Lets, Printer, read_script};
use assay_target::{Mode, Ran, Resolved, Settings, Solver, Target};
use assay_term::{Func, SortId, Store, Term, TermId};
use std::hash::Hasher;
use std::sync::Arc;

/// The number of times that a reduced claim is confirmed in a fresh process.
const ROUNDS: usize = 2;

/// The predicate that holds a term in a script; the underscores avoid clashes with the term's
/// symbols.
const PREDICATE: &str = "claim";

/// The smallest term that the target still rewrites wrongly.
///
/// Fails if the target shows no finding, or cannot be run.
/// Fails if the target does not show a finding, or cannot be run.
pub(crate) fn reduce_claim(
    job: Job<'_>,
    watch: &mut Watch<'_>,
) -> Result<Reduction, ReductionError> {
    let not = |words: String| ReductionError::NotShown(words);
    let target = job.tools.first().and_then(Tool::solver);
    let target = target.ok_or_else(|| not("a term needs a solver".to_owned()))?;
    let given: &RewriteTest = job.case.as_test().expect("only terms are reduced here");
    let mut bench = ClaimTester {
        solver: Solver::new(Arc::clone(&target), job.settings.clone()),
        mode: Mode::Fresh,
        wanted: None,
    };
    let wanted = bench.finding(given).map_err(|words| not(format!("{}: {words}", target.name)))?;
    if let Some(kind) = job.kind.filter(|kind| *kind != wanted.kind) {
        return Err(not(format!("{}: {wanted}, not {}", target.name, kind.name())));
    }
    let mut tester = bench.wanting(&wanted, &target, &job.settings, Mode::Session);
    if let Err(reason) = tester.shows(given) {
        (watch.tell)(Event::NoSession(reason));
        tester.mode = Mode::Fresh;
    }
    let mode = tester.mode;
    let tester = || bench.wanting(&wanted, &target, &job.settings, mode);
    let before = Measure::Script(Size::of(given.text()));
    let (test, counts) = smallest(given, job.jobs, &tester, watch)?;
    let mut fresh = bench.wanting(&wanted, &target, &job.settings, Mode::Fresh);
    for _ in 0..ROUNDS {
        fresh.shows(&test).map_err(|reason| {
            not(format!("a fresh process does not show what the session did: {reason}"))
        })?;
    }
    let after = Measure::Script(Size::of(test.text()));
    let case = TestCase::new(job.case.name(), test, job.case.origin().clone());
    let reduction = Reduction::new(case.text(), before, after, counts);
    let stopped = watch.end.is_over();
    Ok(Reduction { stopped, kind: Some(wanted.kind), case: Some(case), ..reduction })
}

/// Reduces the request and the sort of the term, then its inside, until nothing gets smaller.
fn smallest(
    given: &RewriteTest,
    jobs: usize,
    tester: &dyn Fn() -> ClaimTester,
    watch: &mut Watch<'_>,
) -> Result<(RewriteTest, Counts), ReductionError> {
    let (end, tell) = (watch.end, &mut watch.tell);
    let stop = || end.is_over();
    let mut progress = |Progress { size, counts }: Progress<Size>| {
        tell(Event::Smaller(counts, Measure::Script(size)));
    };
    let mut counts = Counts::default();
    let mut test = given.clone();
    for round in 0.. {
        let (outside, done) = outside(test, (0..jobs).map(|_| tester()), &stop, &mut progress)?;
        test = outside;
        counts += done;
        if round > 0 && done.taken == 0 || stop() {
            break;
        }
        let Some(script) = script(&test) else { break };
        let original = Original { asks: false, ..Original::new(script) };
        let testers = (0..jobs).map(|_| -> ScriptTester<'_> {
            Box::new(Inside { tester: tester(), request: test.request().clone() })
        });
        let reduced = match reduce(&original, testers.collect(), &stop, &mut progress) {
            Ok(reduced) => reduced,
            // The term within a predicate is printed with other names, which matter to the target.
            Err(ReduceError::Refused(_)) => break,
            Err(error) => return Err(error.into()),
        };
        counts += reduced.counts;
        match claim(&reduced.text, test.request()) {
            Some(smaller) if reduced.counts.taken > 0 => test = smaller,
            _ => break,
        }
    }
    Ok((test, counts))
}

/// The same claim about ever smaller parts of the term, with fewer parameters.
fn outside(
    test: RewriteTest,
    testers: impl Iterator<Item = ClaimTester>,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(Progress<Size>),
) -> Result<(RewriteTest, Counts), ReductionError> {
    let testers = testers.map(|tester| -> Box<dyn Tester<Claim, ()>> { Box::new(tester) });
    let panel = Workers { testers: testers.collect(), stop, progress };
    let mut search = Search::begin((), [Claim(test)], None, panel)?;
    loop {
        let edits = smaller(&search.state.0);
        let edit = |_: &mut (), _: &Claim, at: usize| Some(Claim(edits[at].clone()));
        if search.first_of(edits.len(), &edit, Gain::Smaller).is_none() {
            return Ok((search.state.0, search.counts));
        }
    }
}

/// The same claim about a part of the term, or with fewer parameters.
fn smaller(test: &RewriteTest) -> Vec<RewriteTest> {
    let (store, request) = (test.store(), test.request());
    let about = |term: TermId, request: Request| {
        with_assignments(RewriteTest::new(store.clone(), term, request))
    };
    let closed = |part: &&TermId| !store.mentions_variables(**part) && request.suits(store, **part);
    let parts = store.children(test.term()).iter().filter(closed);
    let mut edits: Vec<RewriteTest> = parts.map(|&part| about(part, request.clone())).collect();
    if let Request::Simplify { parameters } = request {
        for at in 0..parameters.len() {
            let mut parameters = parameters.clone();
            parameters.remove(at);
            edits.push(about(test.term(), Request::Simplify { parameters }));
        }
    }
    edits
}

/// A script that mentions the term of a claim once; `None` if the term's symbols clash with it.
fn script(test: &RewriteTest) -> Option<String> {
    let mut store = test.store().clone();
    let taken = |name: &String| test.functions().iter().any(|&f| store.func_name(f) == *name);
    let name = (0..test.functions().len() + 1).map(|n| PREDICATE.to_owned() + &"_".repeat(n));
    let name = name.into_iter().find(|name| !taken(name))?;
    let predicate = store.declare(&name, &[store.sort(test.term())], SortId::BOOL);
    let assertion = store.app(predicate, &[test.term()]).ok()?;
    let mut commands = test.declarations();
    commands.extend([Command::DeclareFun(predicate), Command::Assert(assertion)]);
    let printer = Printer::new(&store);
    Some(commands.iter().map(|command| printer.command(command) + "\n").collect())
}

/// The claim about the term in such a script.
fn claim(script: &str, request: &Request) -> Option<RewriteTest> {
    let mut store = Store::new();
    let (script, _) = read_script(&mut store, script.as_bytes(), Lets::Expand).ok()?;
    let asserted = |command: &Command| match command {
        Command::Assert(term) => Some(*term),
        _ => None,
    };
    let mut assertions = script.commands.iter().filter_map(asserted);
    let (assertion, None) = (assertions.next()?, assertions.next()) else { return None };
    let Term::App(func, [term]) = store.get(assertion) else { return None };
    let is_predicate = matches!(store.func(func), Func::Declared { .. });
    let term = *term;
    let test = (is_predicate && request.suits(&store, term))
        .then(|| RewriteTest::new(store, term, request.clone()))?;
    // Only the text is stored, so it must parse to the same claim.
    let again = RewriteTest::read(test.text()).ok()?;
    (again.text() == test.text()).then(|| with_assignments(again))
}

/// A claim in the course of its reduction.
#[derive(Clone)]
struct Claim(RewriteTest);

impl Reducible for Claim {
    type Home = ();
    type Candidate = Claim;
    type Learnt = ();

    fn candidate(&mut self, (): &(), _now: Option<(&Claim, &Claim)>) -> Option<Claim> {
        Some(self.clone())
    }
}

impl assay_search::Candidate for Claim {
    type Size = Size;

    fn size(&self) -> Size {
        Size::of(self.0.text())
    }

    fn key(&self, state: &mut dyn Hasher) {
        state.write(self.0.text().as_bytes());
    }
}

/// Tests whether the target shows the finding on a claim.
struct ClaimTester {
    solver: Solver,
    mode: Mode,
    /// The finding to keep; `None` for any.
    wanted: Option<Finding>,
}

impl ClaimTester {
    /// Another tester, for this finding.
    fn wanting(
        &self,
        wanted: &Finding,
        target: &Arc<Resolved>,
        settings: &Settings,
        mode: Mode,
    ) -> ClaimTester {
        let solver = Solver::new(Arc::clone(target), settings.clone());
        ClaimTester { solver, mode, wanted: Some(wanted.clone()) }
    }

    /// The finding that the target shows on a claim, or a description of its answer.
    fn finding(&mut self, test: &RewriteTest) -> Result<Finding, String> {
        let case = TestCase::new("", test.clone(), Default::default());
        let run = match self.solver.run(&case, self.mode) {
            Ok(Ran::Observed(run)) => run,
            Ok(Ran::Skipped(reason)) => return Err(reason),
            Err(error) => return Err(error.to_string()),
        };
        match judge(&case, &run.observation) {
            Judgement::Finding(finding) => Ok(finding),
            Judgement::Inconclusive(doubt) => Err(doubt.to_string()),
            Judgement::Correct => Err("the result has the same value".to_owned()),
            Judgement::OracleContradicted(how) => Err(how.to_string()),
        }
    }

    /// Checks that the target shows the wanted finding on a claim.
    fn shows(&mut self, test: &RewriteTest) -> Result<(), String> {
        let found = self.finding(test)?;
        let same = self.wanted.as_ref().is_none_or(|wanted| {
            let crash = |finding: &Finding| match &finding.evidence {
                Evidence::Crash(signature) => Some(signature.clone()),
                _ => None,
            };
            wanted.kind == found.kind && crash(wanted) == crash(&found)
        });
        if same { Ok(()) } else { Err(found.to_string()) }
    }
}

/// The result of a test.
fn tested<L: Default>(shown: Result<(), String>) -> Tested<L> {
    shown.map_or_else(Tested::Not, |()| Tested::Shown(L::default()))
}

impl Tester<Claim, ()> for ClaimTester {
    fn test(&mut self, claim: &Claim) -> Tested<()> {
        tested(self.shows(&claim.0))
    }
}

/// Tests scripts that contain the term of a claim.
struct Inside {
    tester: ClaimTester,
    request: Request,
}

impl Tester<Candidate, Learnt> for Inside {
    fn test(&mut self, candidate: &Candidate) -> Tested<Learnt> {
        let test = claim(&candidate.text, &self.request);
        tested(test.map_or(Err("it holds no claim".to_owned()), |test| self.tester.shows(&test)))
    }
}
