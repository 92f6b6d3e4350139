//! Reduces C programs: drops assertions, replaces a maze by straight-line code, then edits the
//! program itself; foreign files are reduced line by line. Every candidate is executed: a program
//! with a reachable error must reach it, and a safe one is run on all its inputs, or
//! proved safe by two solvers or another analyzer.

use super::{Event, Job, Measure, Reduction, ReductionError, Watch};
use crate::folder::FindingRecord;
use crate::replay::kept_case;
use crate::settings::Settings as SuiteSettings;
use crate::tool::{Tool, Toolbox};
use assay_case::{
    Answer, CaseId, Claim, Consult, Expected, FindingKind, Judgement, Kind, Origin,
    Program as Text, ProgramTest, Reach, TestCase, Why, judge,
};
use assay_mutate::Draw;
use assay_program::c::{self, End, Fault, Layout, Limits, Runs, Scalar, Unit};
use assay_program::prove::{Decision, decide};
use assay_program::reduce::{edited, edits, weight};
use assay_program::{ProgramTree, Programs};
use assay_search::{Gain, Progress, Reducible, Search, Tested, Tester, Workers};
use assay_target::{
    Analyzer, Executed, HarnessError, Mode, Native, NativeError, Ran, Repeatable, Resolved,
    Settings, Solver, Target, TargetName, Trial,
};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hasher;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of random interpreter runs before an analyzer is asked.
const RUNS: u64 = 200;

/// Executions of the compiled program, on random and extreme inputs.
const MANY: Trial<'_> = Trial::Many { runs: 2000, seed: 1 };

/// The maximum number of inputs up to which a program is run on all of them.
const ALL: u64 = 1 << 16;

/// The analyzer that is asked whether a smaller program is still safe.
const SECOND: &str = "cbmc";

/// Solvers of different families that are asked about all runs of a smaller program, as far as they are
/// installed.
const PROVERS: [&str; 3] = ["bitwuzla", "z3", "cvc5"];
/// The default time for a reduction.
const BUDGET: Duration = Duration::from_secs(600);

/// The smallest program that still shows the finding.
///
/// # Errors
/// Fails if the target does not show it, or a tool cannot be run.
pub(crate) fn reduce_program(
    job: Job<'_>,
    watch: &mut Watch<'_>,
) -> Result<Reduction, ReductionError> {
    watch.end.at.get_or_insert_with(|| Instant::now() + BUDGET);
    let none = || ReductionError::NotShown("a program needs an analyzer".to_owned());
    let target = job.tools.first().and_then(Tool::analyzer).ok_or_else(none)?;
    let second = match target.name.name == SECOND {
        true => None,
        false => {
            let mut note = |words: &str| (watch.tell)(Event::Installing(words.to_owned()));
            job.toolbox.find(Kind::Program, &TargetName::newest(SECOND), &mut note)?.analyzer()
        }
    };
    let mut limits = Limits::default();
    if let Some(SuiteSettings::Programs(settings)) =
        job.record.map(|record| &record.campaign.settings)
    {
        limits.portable = !settings.natural;
    }
    let Toolbox { catalog, installer } = job.toolbox;
    let installed = |name| catalog.resolve_installed(&TargetName::newest(name), installer);
    let provers = PROVERS.into_iter().filter_map(|name| installed(name).ok().flatten());
    let provers = provers.map(Arc::new).collect();
    let (settings, jobs) = (job.settings, job.jobs);
    let bench = ProgramBench { target, second, provers, settings, limits, jobs };
    match (&job.programs, job.record) {
        (Some(suite), Some(record)) => {
            let (case, tree) = as_found(suite, job.what, record)?;
            bench.reduce(&case, ProgramSource::Made(suite, tree), watch)
        }
        _ => bench.reduce(&job.case, ProgramSource::File, watch),
    }
}

/// The case of a finding with its program's tree: generated again from its number or, if another
/// version or solver makes a different program of it, from the formula and model in its folder.
fn as_found(
    suite: &Programs,
    folder: &Path,
    record: &FindingRecord,
) -> Result<(TestCase, ProgramTree), ReductionError> {
    let id: CaseId = record.id.parse()?;
    let kept = kept_case(folder, record)?;
    let same = |made: &(TestCase, ProgramTree)| made.0.text() == kept.text();
    if let Some(made) = suite.program(id).ok().filter(same) {
        return Ok(made);
    }
    let made = suite.retold(id, &kept)?;
    match same(&made) {
        true => Ok(made),
        false => Err(ReductionError::NotShown(format!(
            "this version of assay writes another program than program.c for this finding; \
             reduce it with assay {}",
            record.campaign.assay
        ))),
    }
}

/// The tools that judge candidates.
struct ProgramBench {
    /// The analyzer that the finding is about.
    target: Arc<Resolved>,
    /// The analyzer that is asked whether a smaller program is still safe; `None` if it is the
    /// target itself.
    second: Option<Arc<Resolved>>,
    /// Solvers that are asked the same.
    provers: Vec<Arc<Resolved>>,
    /// How analyzers are run.
    settings: Settings,
    /// How programs are interpreted.
    limits: Limits,
    /// The number of candidates that are tested in parallel.
    jobs: usize,
}

/// The source of the program to reduce.
enum ProgramSource<'s> {
    /// A program whose tree is known, with the suite that made it from a formula.
    Made(&'s Programs, ProgramTree),
    /// A file.
    File,
}

impl ProgramBench {
    /// The smallest program that still shows the finding of a case.
    ///
    /// # Errors
    /// Fails if the target shows no finding, or a tool cannot be run.
    fn reduce(
        &self,
        case: &TestCase,
        source: ProgramSource<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Reduction, ReductionError> {
        let kind = self.shown(case)?;
        let wanted = Wanted { kind, expected: case.expected() };
        let mut testers: Vec<Box<dyn Tester<Draft, Box<TestCase>>>> = Vec::new();
        for _ in 0..self.jobs {
            testers.push(Box::new(self.tester(wanted)?));
        }
        let (end, tell) = (watch.end, &mut watch.tell);
        let mut progress = |Progress { size, counts }: Progress<Extent>| {
            tell(Event::Smaller(counts, Measure::Lines(size.lines)));
        };
        let stop = || end.is_over();
        let panel = Workers { testers, stop: &stop, progress: &mut progress };
        let search = match source {
            ProgramSource::Made(suite, tree) => {
                let whole = case.as_program().and_then(|test| test.source.as_ref());
                let count = whole.map_or(0, |source| source.formula().assertions().len());
                let straight = straight(suite, case, (0..count).collect());
                let as_found = Form::Tree { tree, assertions: Vec::new() };
                let starts = straight.into_iter().chain([Draft::known(as_found, case.clone())]);
                let mut search = Search::begin((), starts, None, panel)?;
                fewer_assertions(&mut search, suite, case);
                smaller_tree(&mut search);
                search
            }
            ProgramSource::File => {
                let lines = case.text().lines().map(Arc::from).enumerate().collect();
                let start = Draft::known(Form::Lines(lines), case.clone());
                let mut search = Search::begin((), [start], None, panel)?;
                fewer_lines(&mut search);
                search
            }
        };
        let reduced = *search.state.case.expect("a taken program has its truth");
        let (before, after) = (Measure::lines(case.text()), Measure::lines(reduced.text()));
        let reduction = Reduction::new(reduced.text(), before, after, search.counts);
        let stopped = end.is_over();
        Ok(Reduction { stopped, kind: Some(kind), case: Some(reduced), ..reduction })
    }

    /// The kind of finding that the target shows on a case.
    fn shown(&self, case: &TestCase) -> Result<FindingKind, ReductionError> {
        let mut analyzer = self.analyzer(&self.target);
        found(&mut analyzer, case)?.map_err(|words| {
            let name = &self.target.name;
            ReductionError::NotShown(format!("{name} shows nothing to reduce: {words}"))
        })
    }

    fn analyzer(&self, target: &Arc<Resolved>) -> Analyzer {
        Analyzer::new(Arc::clone(target), self.settings.clone(), None)
    }

    fn tester(&self, wanted: Wanted) -> Result<ProgramTester, NativeError> {
        let prover = |prover: &Arc<Resolved>| -> Box<dyn Consult + Send> {
            Box::new(Repeatable(Solver::new(Arc::clone(prover), self.settings.clone())))
        };
        Ok(ProgramTester {
            analyzer: self.analyzer(&self.target),
            provers: self.provers.iter().map(prover).collect(),
            second: self.second.as_ref().map(|second| self.analyzer(second)),
            native: Native::new(&self.settings.launcher)?,
            wanted,
            limits: self.limits,
        })
    }
}

/// The kind of finding that an analyzer shows on a case, or a description of its answer.
fn found(
    analyzer: &mut Analyzer,
    case: &TestCase,
) -> Result<Result<FindingKind, String>, HarnessError> {
    Ok(match analyzer.run(case, Mode::Fresh)? {
        Ran::Skipped(reason) => Err(reason),
        Ran::Observed(run) => match judge(case, &run.observation) {
            Judgement::Finding(finding) => Ok(finding.kind),
            Judgement::Inconclusive(doubt) => {
                Err(format!("it says {}: {doubt}", run.observation.answer))
            }
            Judgement::Correct => Err(format!("it says {}, rightly", run.observation.answer)),
            Judgement::OracleContradicted(how) => Err(how.to_string()),
        },
    })
}

/// The size of a program: of its tree or text, and in lines for display.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Extent {
    weight: usize,
    lines: usize,
}

/// A candidate program.
#[derive(Clone)]
struct Draft {
    form: Form,
    text: String,
    /// The case with its truth; `None` until a test determines the truth.
    case: Option<Box<TestCase>>,
}

/// The form that is edited.
#[derive(Clone)]
enum Form {
    /// A syntax tree; for straight-line code, also the remaining assertions of the formula.
    Tree { tree: ProgramTree, assertions: Vec<usize> },
    /// The numbered lines of a file.
    Lines(Vec<(usize, Arc<str>)>),
}

impl Draft {
    fn known(form: Form, case: TestCase) -> Draft {
        Draft { form, text: case.text().to_owned(), case: Some(Box::new(case)) }
    }

    fn lines(&self) -> &[(usize, Arc<str>)] {
        match &self.form {
            Form::Lines(lines) => lines,
            Form::Tree { .. } => &[],
        }
    }

    /// The draft without the lines with these numbers.
    fn without(&self, gone: &[usize]) -> Draft {
        let left = self.lines().iter().filter(|(number, _)| !gone.contains(number));
        let left: Vec<(usize, Arc<str>)> = left.cloned().collect();
        let text = left.iter().flat_map(|(_, line)| [&**line, "\n"]).collect();
        Draft { form: Form::Lines(left), text, case: None }
    }

    /// The draft with an edited tree.
    fn with(&self, edit: impl FnOnce(&Unit) -> Option<Unit>) -> Option<Draft> {
        let Form::Tree { tree, .. } = &self.form else { return None };
        let tree = ProgramTree { unit: edit(&tree.unit)?, ..tree.clone() };
        let text = c::print(&tree.unit, Layout::Brief);
        Some(Draft { form: Form::Tree { tree, assertions: Vec::new() }, text, case: None })
    }
}

impl Reducible for Draft {
    type Home = ();
    type Candidate = Draft;
    type Learnt = Box<TestCase>;

    fn candidate(&mut self, (): &(), _: Option<(&Draft, &Draft)>) -> Option<Draft> {
        Some(self.clone())
    }

    fn taken(&mut self, (): &mut (), case: Box<TestCase>) {
        self.case = Some(case);
    }
}

impl assay_search::Candidate for Draft {
    type Size = Extent;

    fn size(&self) -> Extent {
        let weight = match &self.form {
            Form::Tree { tree, .. } => weight(&tree.unit),
            Form::Lines(_) => self.text.len(),
        };
        Extent { weight, lines: self.text.lines().count() }
    }

    fn key(&self, state: &mut dyn Hasher) {
        state.write(self.text.as_bytes());
    }
}

type Reducing<'a> = Search<Draft, Workers<'a, Draft>>;

/// Some assertions of a program's formula as straight-line code.
fn straight(suite: &Programs, from: &TestCase, assertions: Vec<usize>) -> Option<Draft> {
    if assertions.is_empty() {
        return None;
    }
    let (case, tree) = suite.restated(from, &assertions).ok()?;
    Some(Draft::known(Form::Tree { tree, assertions }, case))
}

fn fewer_assertions(search: &mut Reducing<'_>, suite: &Programs, from: &TestCase) {
    let left = |draft: &Draft| match &draft.form {
        Form::Tree { assertions, .. } => assertions.clone(),
        Form::Lines(_) => Vec::new(),
    };
    let count = left(&search.state).len();
    search.bisect(count, false, 1, Gain::Smaller, &|(), now, gone| {
        straight(suite, from, left(now).into_iter().filter(|at| !gone.contains(at)).collect())
    });
}

/// Edits the program itself, step by step.
fn smaller_tree(search: &mut Reducing<'_>) {
    let mut begin = 0;
    while let Form::Tree { tree, .. } = &search.state.form {
        let all = edits(&tree.unit);
        // Continues after the last successful edit, then wraps around to the others.
        let place = |step: usize| (begin + step) % all.len();
        let edit = |(): &mut (), now: &Draft, step: usize| {
            now.with(|unit| edited(unit, &all[place(step)]))
        };
        match search.first_of(all.len(), &edit, Gain::Smaller) {
            Some(taken) => begin = place(taken),
            None => return,
        }
    }
}

fn fewer_lines(search: &mut Reducing<'_>) {
    loop {
        let before = search.counts.taken;
        let numbers: Vec<usize> = search.state.lines().iter().map(|(number, _)| *number).collect();
        search.bisect(numbers.len(), false, 1, Gain::Smaller, &|(), now, gone| {
            Some(now.without(&gone.iter().map(|&at| numbers[at]).collect::<Vec<_>>()))
        });
        let blocks = blocks(search.state.lines());
        let edit = |(): &mut (), now: &Draft, at: usize| Some(now.without(&blocks[at]));
        search.first_of(blocks.len(), &edit, Gain::Smaller);
        if search.counts.taken == before || search.is_over() {
            return;
        }
    }
}

/// The lines of each block, with and without its contents.
fn blocks(lines: &[(usize, Arc<str>)]) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    for place in 0..lines.len() {
        if let Some(end) = closing(lines, place) {
            found.push(lines[place..=end].iter().map(|(number, _)| *number).collect());
            found.push(vec![lines[place].0, lines[end].0]);
        }
    }
    found
}

/// The line that closes the block opened at a place.
fn closing(lines: &[(usize, Arc<str>)], place: usize) -> Option<usize> {
    let depth = |at: usize| -> i64 {
        lines[at].1.chars().map(|c| i64::from(c == '{') - i64::from(c == '}')).sum()
    };
    let mut open = depth(place);
    if open <= 0 {
        return None;
    }
    (place + 1..lines.len()).find(|&at| {
        open += depth(at);
        open <= 0
    })
}

/// The finding that candidates must show.
#[derive(Clone, Copy)]
struct Wanted {
    kind: FindingKind,
    expected: Expected,
}

/// Tests whether a program still shows the finding, for one worker.
struct ProgramTester {
    analyzer: Analyzer,
    second: Option<Analyzer>,
    provers: Vec<Box<dyn Consult + Send>>,
    native: Native,
    wanted: Wanted,
    limits: Limits,
}

impl Tester<Draft, Box<TestCase>> for ProgramTester {
    fn test(&mut self, draft: &Draft) -> Tested<Box<TestCase>> {
        let tested = match &draft.case {
            Some(case) => self.shows(case).map(|()| (**case).clone()),
            None => self.truth_of(draft),
        };
        match tested {
            Ok(case) => Tested::Shown(Box::new(case)),
            Err(reason) => Tested::Not(reason),
        }
    }
}

impl ProgramTester {
    /// The case of a program whose truth is to be determined.
    fn truth_of(&mut self, draft: &Draft) -> Result<TestCase, String> {
        let text = Text { text: draft.text.clone(), inputs: None };
        match (&draft.form, self.wanted.expected) {
            (Form::Tree { tree, .. }, Expected::Reachable) => self.reaching(tree),
            (Form::Lines(_), Expected::Reachable) => {
                self.native.initializes(&draft.text).map_err(|error| error.to_string())?;
                self.reached(text, MANY)
            }
            (Form::Tree { tree, .. }, Expected::Unreachable) => self.missing(&tree.unit),
            (Form::Lines(_), Expected::Unreachable) => {
                self.shows(&safe(text.clone(), "another analyzer"))?;
                self.agreed(text)
            }
            // Only a crash or hang of the analyzer counts.
            _ => {
                self.native.accepts(&draft.text).map_err(|error| error.to_string())?;
                let case = plain(text, Reach::Open);
                self.shows(&case).map(|()| case)
            }
        }
    }

    /// Checks that the target shows the finding on a case.
    fn shows(&mut self, case: &TestCase) -> Result<(), String> {
        match found(&mut self.analyzer, case).map_err(|error| error.to_string())?? {
            kind if kind == self.wanted.kind => Ok(()),
            other => Err(format!("it is a finding of another kind: {}", other.name())),
        }
    }

    /// The case of a program that reaches its error on known inputs.
    fn reaching(&mut self, tree: &ProgramTree) -> Result<TestCase, String> {
        let answers = tree.answers.iter().flatten();
        let mut answers: FxHashMap<u32, VecDeque<i128>> =
            answers.map(|(place, values)| (*place, values.clone().into())).collect();
        let mut feed = |_: Scalar, place: u32| {
            answers.get_mut(&place).and_then(VecDeque::pop_front).unwrap_or(0)
        };
        let run = c::run(&tree.unit, &mut feed, self.limits).map_err(|fault| fault.to_string())?;
        if run.end != End::Reached {
            return Err("it does not reach its error".to_owned());
        }
        let (unit, answers) = (tree.unit.clone(), Some(FxHashMap::default()));
        let text = ProgramTree { unit, answers, inputs: run.inputs }.for_case(Layout::Brief);
        let inputs = text.inputs.clone().unwrap_or_default();
        self.reached(text, Trial::Inputs(&inputs))
    }

    /// The case of a program that reaches its error in an execution.
    fn reached(&mut self, text: Text, trial: Trial<'_>) -> Result<TestCase, String> {
        let why = Why::Declared(Claim::from("a run of the program"));
        let case = plain(text.clone(), Reach::Reachable(why));
        self.shows(&case)?;
        self.executes(&text, trial, Executed::Reached).map(|()| case)
    }

    /// The case of a program that must not reach its error.
    fn missing(&mut self, unit: &Unit) -> Result<TestCase, String> {
        for seed in 0..RUNS {
            match random_run(unit, seed, self.limits) {
                Ok(End::Reached) => return Err("a random run reaches its error".to_owned()),
                Ok(_) => {}
                Err(fault) => return Err(fault.to_string()),
            }
        }
        let tree = ProgramTree { unit: unit.clone(), answers: None, inputs: Vec::new() };
        let text = tree.for_case(Layout::Brief);
        self.shows(&safe(text.clone(), "many runs"))?;
        match c::run_all(unit, self.limits, ALL).map_err(|fault| fault.to_string())? {
            Runs::Quiet => self.unreached(text, "a run on every input"),
            Runs::Reached(_) => Err("a run reaches its error".to_owned()),
            Runs::TooMany => self.proved(unit, text),
        }
    }

    /// The case of a program that solvers call safe, or another analyzer where they do not decide.
    fn proved(&mut self, unit: &Unit, text: Text) -> Result<TestCase, String> {
        match decide(unit, self.limits, &mut self.provers) {
            Decision::Safe(who) => self.unreached(text, &who.join(" and ")),
            Decision::Open(open) => self.agreed(text).map_err(|words| format!("{open}; {words}")),
            other => Err(other.to_string()),
        }
    }

    /// The case of a program that another analyzer calls safe.
    fn agreed(&mut self, text: Text) -> Result<TestCase, String> {
        let second = self.second.as_mut().ok_or("there is no other analyzer to ask")?;
        let name = second.name().to_owned();
        let case = safe(text.clone(), &name);
        match second.run(&case, Mode::Fresh).map_err(|error| error.to_string())? {
            Ran::Observed(run) if run.observation.answer == Answer::Unreachable => {
                self.unreached(text, &name)
            }
            Ran::Observed(run) => Err(format!("{name} says {}", run.observation.answer)),
            Ran::Skipped(reason) => Err(reason),
        }
    }

    /// The case of a safe program, as declared by a tool and supported by executions.
    fn unreached(&mut self, text: Text, who: &str) -> Result<TestCase, String> {
        self.executes(&text, MANY, Executed::NotReached).map(|()| safe(text, who))
    }

    /// Checks that executions of a program have this result.
    fn executes(&mut self, text: &Text, trial: Trial<'_>, to: Executed) -> Result<(), String> {
        match self.native.run(text, trial).map_err(|error| error.to_string())? {
            executed if executed == to => Ok(()),
            other => Err(format!("an execution ends as {other:?}")),
        }
    }
}

/// The case of a program that is declared safe.
fn safe(text: Text, who: &str) -> TestCase {
    plain(text, Reach::Unreachable(Why::Declared(Claim::from(who))))
}

/// The case of a program that no formula describes any more.
fn plain(program: Text, truth: Reach) -> TestCase {
    let test = ProgramTest { program, truth, source: None };
    TestCase::program("reduced", test, Origin::default())
}

fn random_run(unit: &Unit, seed: u64, limits: Limits) -> Result<End, Fault> {
    let mut draw = Draw::new(&[seed]);
    let mut feed = |scalar: Scalar, _: u32| {
        let (least, greatest) = scalar.range();
        if scalar.is_float() && draw.one_in(2) {
            // Numbers that programs compare with, as encodings.
            let number = [0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, -1.5][draw.below(6)];
            return match scalar {
                Scalar::Float => (number as f32).to_bits().into(),
                _ => number.to_bits().into(),
            };
        }
        match draw.below(8) {
            0 => least,
            1 => greatest,
            2 => 0,
            3 => 1,
            4 => 1 << draw.below(64),
            5 => draw.below(16) as i128,
            _ => draw.below(usize::MAX) as i128,
        }
    };
    c::run(unit, &mut feed, limits).map(|outcome| outcome.end)
}
