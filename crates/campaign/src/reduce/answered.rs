//! Reduces subjects whose answers are judged by themselves, such as terms to be rewritten: the target must
//! show the same finding on the smaller subject.

use super::{Event, Job, Measure, Reduction, ReductionError, Watch};
use crate::tool::Tool;
use assay_case::{Evidence, Finding, Judgement, OfKind, Subject, TestCase, judge};
use assay_reduce::Size;
use assay_search::{Counts, Gain, Progress, Reducible, Search, Tested, Tester, Workers};
use assay_target::{Mode, Ran, Resolved, Settings, Solver, Target};
use std::hash::Hasher;
use std::sync::Arc;

/// The number of times that a reduced subject is confirmed in a fresh process.
const ROUNDS: usize = 2;

/// A subject of a kind.
pub(super) trait Small: OfKind + Clone + Into<Subject> + Send + Sync {}

impl<T: OfKind + Clone + Into<Subject> + Send + Sync> Small for T {}

/// How a search tests subjects, and what it tells of its progress.
pub(super) struct Course<'c, T> {
    pub(super) tester: &'c dyn Fn() -> SubjectTester<T>,
    pub(super) jobs: usize,
    pub(super) stop: &'c dyn Fn() -> bool,
    pub(super) progress: &'c mut dyn FnMut(Progress<Size>),
}

/// The smallest subject on which the target still shows the finding.
///
/// Fails if the target does not show a finding, or cannot be run.
pub(super) fn reduce_answered<T: Small>(
    job: Job<'_>,
    watch: &mut Watch<'_>,
    smallest: impl Fn(&T, &mut Course<'_, T>) -> Result<(T, Counts), ReductionError>,
) -> Result<Reduction, ReductionError> {
    let not = |words: String| ReductionError::NotShown(words);
    let target = job.tools.first().and_then(Tool::solver);
    let target = target.ok_or_else(|| not("a term needs a solver".to_owned()))?;
    let given: &T = job.case.as_test().expect("only subjects of this kind are reduced here");
    let mut bench = SubjectTester {
        solver: Solver::new(Arc::clone(&target), job.settings.clone()),
        mode: Mode::Fresh,
        wanted: None,
        of: std::marker::PhantomData,
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
    let (end, tell) = (watch.end, &mut watch.tell);
    let mut course = Course {
        tester: &tester,
        jobs: job.jobs,
        stop: &|| end.is_over(),
        progress: &mut |Progress { size, counts }| {
            tell(Event::Smaller(counts, Measure::Script(size)));
        },
    };
    let (test, counts) = smallest(given, &mut course)?;
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

/// Repeatedly takes the first smaller subject that still shows the finding, as long as there is one.
pub(super) fn outside<T: Small>(
    test: T,
    course: &mut Course<'_, T>,
    smaller: impl Fn(&T) -> Vec<T>,
) -> Result<(T, Counts), ReductionError> {
    let testers = (0..course.jobs).map(|_| (course.tester)());
    let testers = testers.map(|tester| -> Box<dyn Tester<Draft<T>, ()>> { Box::new(tester) });
    let (stop, progress) = (course.stop, &mut *course.progress);
    let panel = Workers { testers: testers.collect(), stop, progress };
    let mut search = Search::begin((), [Draft(test)], None, panel)?;
    loop {
        let edits = smaller(&search.state.0);
        let edit = |_: &mut (), _: &Draft<T>, at: usize| Some(Draft(edits[at].clone()));
        if search.first_of(edits.len(), &edit, Gain::Smaller).is_none() {
            return Ok((search.state.0, search.counts));
        }
    }
}

/// A subject in the course of its reduction.
#[derive(Clone)]
struct Draft<T>(T);

impl<T: Small> Reducible for Draft<T> {
    type Home = ();
    type Candidate = Draft<T>;
    type Learnt = ();

    fn candidate(&mut self, (): &(), _now: Option<(&Draft<T>, &Draft<T>)>) -> Option<Draft<T>> {
        Some(self.clone())
    }
}

impl<T: Small> assay_search::Candidate for Draft<T> {
    type Size = Size;

    fn size(&self) -> Size {
        Size::of(self.0.text())
    }

    fn key(&self, state: &mut dyn Hasher) {
        state.write(self.0.text().as_bytes());
    }
}

/// Tests whether the target shows the finding on a subject.
pub(super) struct SubjectTester<T> {
    solver: Solver,
    mode: Mode,
    /// The finding to keep; `None` for any.
    wanted: Option<Finding>,
    of: std::marker::PhantomData<fn(T)>,
}

impl<T: Small> SubjectTester<T> {
    /// Another tester, for this finding.
    fn wanting(
        &self,
        wanted: &Finding,
        target: &Arc<Resolved>,
        settings: &Settings,
        mode: Mode,
    ) -> SubjectTester<T> {
        let solver = Solver::new(Arc::clone(target), settings.clone());
        SubjectTester { solver, mode, wanted: Some(wanted.clone()), of: self.of }
    }

    /// The finding that the target shows on a subject, or a description of its answer.
    fn finding(&mut self, test: &T) -> Result<Finding, String> {
        let case = TestCase::new("", test.clone(), Default::default());
        let run = match self.solver.run(&case, self.mode) {
            Ok(Ran::Observed(run)) => run,
            Ok(Ran::Skipped(reason)) => return Err(reason),
            Err(error) => return Err(error.to_string()),
        };
        match judge(&case, &run.observation) {
            Judgement::Finding(finding) => Ok(finding),
            Judgement::Inconclusive(doubt) => Err(doubt.to_string()),
            Judgement::Correct => Err("the answer is right".to_owned()),
            Judgement::OracleContradicted(how) => Err(how.to_string()),
        }
    }

    /// Checks that the target shows the wanted finding on a subject.
    pub(super) fn shows(&mut self, test: &T) -> Result<(), String> {
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
pub(super) fn tested<L: Default>(shown: Result<(), String>) -> Tested<L> {
    shown.map_or_else(Tested::Not, |()| Tested::Shown(L::default()))
}

impl<T: Small> Tester<Draft<T>, ()> for SubjectTester<T> {
    fn test(&mut self, draft: &Draft<T>) -> Tested<()> {
        tested(self.shows(&draft.0))
    }
}
