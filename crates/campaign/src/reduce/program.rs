//! C programs: assertions dropped, a straight line instead of a maze, then the program itself, edit by
//! edit; of a file that only its author understands, lines. Every candidate is executed: what should
//! reach its error must, and what should not is also shown to another analyzer.

use super::{Event, Measure, Reduction, ReductionError, Watch};
use assay_case::{
    Answer, Claim, FindingKind, Formula, Judgement, Oracle, Origin, Payload, Program as Text,
    TestCase, Why, Witness, judge,
};
use assay_mutate::Draw;
use assay_program::c::{self, End, Fault, Layout, Limits, Runs, Scalar, Unit};
use assay_program::reduce::{edited, edits, weight};
use assay_program::{Program, Programs};
use assay_search::{Counts, Gain, Progress, Reducible, Search, Tested, Tester, Workers};
use assay_target::{
    Analyzer, Executed, HarnessError, Mode, Native, NativeError, Ran, Resolved, Settings, Target,
    Trial,
};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hasher;
use std::sync::Arc;

/// Random runs of the interpreter before any analyzer is asked.
const RUNS: u64 = 200;

/// Executions of the compiled program, on random and extreme inputs.
const MANY: Trial<'_> = Trial::Many { runs: 2000, seed: 1 };

/// A program that has no more runs than this is run on every input.
const ALL: u64 = 1 << 16;

/// Who judges candidates.
pub struct ProgramBench {
    /// The analyzer that the finding is about.
    pub target: Arc<Resolved>,
    /// The analyzer that is asked whether a smaller program is still safe; none where that is the
    /// target itself.
    pub second: Option<Arc<Resolved>>,
    /// How analyzers are run.
    pub settings: Settings,
    /// How programs are interpreted.
    pub limits: Limits,
    /// How many candidates are tested at the same time.
    pub jobs: usize,
}

/// What is reduced.
pub enum ProgramSource<'s> {
    /// A program whose tree is known, with the suite that made it from a formula.
    Made(&'s Programs, Program),
    /// A file.
    File,
}

/// What is known about the error of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Truth {
    /// It can be reached; the values that inputs have at their places, where those are known.
    Reachable(FxHashMap<u32, Vec<i128>>),
    Unreachable,
    /// Nothing: the finding proves itself.
    Open,
}

/// What candidates must show.
struct Wanted {
    kind: FindingKind,
    truth: Truth,
}

impl ProgramBench {
    /// The smallest program that still shows the finding of a case.
    ///
    /// # Errors
    /// Where the target does not show a finding, or a tool cannot be run.
    pub fn reduce(
        &self,
        case: TestCase,
        source: ProgramSource<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Reduction, ReductionError> {
        let kind = self.shown(&case)?;
        let before = Measure::lines(&text_of(&case));
        let mut counts = Counts::default();
        let case = match source {
            ProgramSource::Made(suite, program) => {
                let Payload::Formula(formula) = case.payload();
                let kept = (0..formula.assertions().len()).collect();
                let made = Restated { suite, from: &case, kept, made: None };
                let (case, program) = self
                    .searched(
                        made,
                        &Wanted { kind, truth: Truth::Open },
                        watch,
                        &mut counts,
                        fewer_assertions,
                    )?
                    .and_then(|restated| restated.made)
                    .unwrap_or_else(|| (case.clone(), program));
                let truth = truth_of(&case, program.answers.clone().unwrap_or_default());
                let start = Tree { unit: program.unit, case: case.clone() };
                let done = self.searched(
                    start,
                    &Wanted { kind, truth },
                    watch,
                    &mut counts,
                    smaller_tree,
                )?;
                done.map_or(case, |tree| tree.case)
            }
            ProgramSource::File => {
                let truth = truth_of(&case, FxHashMap::default());
                let lines = text_of(&case).lines().map(Arc::from).enumerate().collect();
                let start = Lines { lines, case: case.clone() };
                let done =
                    self.searched(start, &Wanted { kind, truth }, watch, &mut counts, fewer_lines)?;
                done.map_or(case, |lines| lines.case)
            }
        };
        let text = text_of(&case);
        let (after, stopped) = (Measure::lines(&text), (watch.stop)());
        Ok(Reduction { text, before, after, counts, stopped, kind: Some(kind), case: Some(case) })
    }

    /// The kind of finding that the target shows about a case.
    fn shown(&self, case: &TestCase) -> Result<FindingKind, ReductionError> {
        let mut analyzer = Analyzer::new(Arc::clone(&self.target), self.settings.clone(), None);
        match found(&mut analyzer, case)? {
            Ok(kind) => Ok(kind),
            Err(words) => Err(ReductionError::NotShown(format!(
                "{} shows nothing to reduce: {words}",
                self.target.name
            ))),
        }
    }

    /// What a search ends with; none where it does not even begin.
    fn searched<'a, S>(
        &'a self,
        start: S,
        wanted: &'a Wanted,
        watch: &'a mut Watch<'_>,
        counts: &mut Counts,
        passes: impl FnOnce(&mut Search<S, Workers<'_, S>>),
    ) -> Result<Option<S>, ReductionError>
    where
        S: Reducible<Home = (), Candidate = Candidate, Learnt = Box<TestCase>>,
    {
        let mut testers: Vec<Box<dyn Tester<Candidate, Box<TestCase>>>> = Vec::new();
        for _ in 0..self.jobs {
            testers.push(Box::new(self.tester(wanted)?));
        }
        let mut progress = |progress: Progress<Extent>| {
            let Progress { size, counts } = progress;
            (watch.tell)(Event::Smaller(counts, Measure::Lines(size.lines)));
        };
        let panel = Workers { testers, stop: watch.stop, progress: &mut progress };
        let Ok(mut search) = Search::begin((), [start], None, panel) else { return Ok(None) };
        passes(&mut search);
        *counts += search.counts;
        Ok(Some(search.state))
    }

    fn tester<'a>(&self, wanted: &'a Wanted) -> Result<ProgramTester<'a>, NativeError> {
        let analyzer =
            |target: &Arc<Resolved>| Analyzer::new(Arc::clone(target), self.settings.clone(), None);
        Ok(ProgramTester {
            analyzer: analyzer(&self.target),
            second: self.second.as_ref().map(analyzer),
            native: Native::new(&self.settings.launcher)?,
            wanted,
            limits: self.limits,
        })
    }
}

fn truth_of(case: &TestCase, answers: FxHashMap<u32, Vec<i128>>) -> Truth {
    match case.oracle() {
        Oracle::Sat(_) | Oracle::Optimum { .. } => Truth::Reachable(answers),
        Oracle::Unsat { .. } => Truth::Unreachable,
        Oracle::Open => Truth::Open,
    }
}

fn text_of(case: &TestCase) -> String {
    case.program().map(|program| program.text.clone()).unwrap_or_default()
}

/// The kind of finding that an analyzer shows about a case, or in words what it shows instead.
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

/// How large a program is: by its tree or its text, and for people in lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Extent {
    weight: usize,
    lines: usize,
}

/// A program that may be smaller.
struct Candidate {
    form: Form,
    text: String,
    weight: usize,
}

/// How its truth is to be found out.
enum Form {
    /// It is known.
    Known(Box<TestCase>),
    /// By the interpreter, an execution and perhaps another analyzer.
    Tree(Unit),
    /// By executions and perhaps another analyzer.
    Text,
}

impl Candidate {
    fn known(case: &TestCase, weight: usize) -> Candidate {
        Candidate { text: text_of(case), form: Form::Known(Box::new(case.clone())), weight }
    }
}

impl assay_search::Candidate for Candidate {
    type Size = Extent;

    fn size(&self) -> Extent {
        Extent { weight: self.weight, lines: self.text.lines().count() }
    }

    fn key(&self, state: &mut dyn Hasher) {
        state.write(self.text.as_bytes());
    }
}

/// The formula of a program, of which some assertions are left, written as a straight line.
struct Restated<'s> {
    suite: &'s Programs,
    from: &'s TestCase,
    kept: Vec<usize>,
    made: Option<(TestCase, Program)>,
}

impl Reducible for Restated<'_> {
    type Home = ();
    type Candidate = Candidate;
    type Learnt = Box<TestCase>;

    fn candidate(&mut self, (): &(), _: Option<(&Self, &Candidate)>) -> Option<Candidate> {
        let made = self.suite.restated(self.from, &self.kept).ok()?;
        let candidate = Candidate::known(&made.0, weight(&made.1.unit));
        self.made = Some(made);
        Some(candidate)
    }
}

fn fewer_assertions<'s>(search: &mut Search<Restated<'s>, Workers<'_, Restated<'s>>>) {
    let count = search.state.kept.len();
    search.bisect(count, false, 1, Gain::Smaller, &|(), now, gone| {
        let kept: Vec<usize> = now.kept.iter().copied().filter(|at| !gone.contains(at)).collect();
        let Restated { suite, from, .. } = *now;
        (!kept.is_empty()).then(|| Restated { suite, from, kept, made: None })
    });
}

/// The tree of a program, with what is known about it.
struct Tree {
    unit: Unit,
    case: TestCase,
}

impl Reducible for Tree {
    type Home = ();
    type Candidate = Candidate;
    type Learnt = Box<TestCase>;

    fn candidate(&mut self, (): &(), now: Option<(&Tree, &Candidate)>) -> Option<Candidate> {
        let weight = weight(&self.unit);
        Some(match now {
            None => Candidate::known(&self.case, weight),
            Some(_) => {
                let text = c::print(&self.unit, Layout::Brief);
                Candidate { form: Form::Tree(self.unit.clone()), text, weight }
            }
        })
    }

    fn taken(&mut self, (): &mut (), case: Box<TestCase>) {
        self.case = *case;
    }
}

/// The program itself, edit by edit.
fn smaller_tree(search: &mut Search<Tree, Workers<'_, Tree>>) {
    let mut begin = 0;
    loop {
        let all = edits(&search.state.unit);
        // Goes on where the last edit was taken, and comes back to the others.
        let place = |step: usize| (begin + step) % all.len();
        let edit = |(): &mut (), now: &Tree, step: usize| {
            let unit = edited(&now.unit, &all[place(step)])?;
            Some(Tree { unit, case: now.case.clone() })
        };
        match search.first_of(all.len(), &edit, Gain::Smaller) {
            Some(taken) => begin = place(taken),
            None => return,
        }
    }
}

/// The lines of a file by their numbers, with what is known about it.
struct Lines {
    lines: Vec<(usize, Arc<str>)>,
    case: TestCase,
}

impl Lines {
    fn without(&self, gone: &[usize]) -> Lines {
        let lines = self.lines.iter().filter(|(number, _)| !gone.contains(number));
        Lines { lines: lines.cloned().collect(), case: self.case.clone() }
    }

    /// The line that closes the block which the line at a place opens.
    fn closing(&self, place: usize) -> Option<usize> {
        let depth = |line: &str| -> i64 {
            let braces = line.chars().map(|c| i64::from(c == '{') - i64::from(c == '}'));
            braces.sum()
        };
        let mut open = depth(&self.lines[place].1);
        if open <= 0 {
            return None;
        }
        (place + 1..self.lines.len()).find(|&at| {
            open += depth(&self.lines[at].1);
            open <= 0
        })
    }

    /// Each block with all that is in it, and without.
    fn blocks(&self) -> Vec<Vec<usize>> {
        let number = |place: usize| self.lines[place].0;
        let mut found = Vec::new();
        for place in 0..self.lines.len() {
            if let Some(end) = self.closing(place) {
                found.push((place..=end).map(number).collect());
                found.push(vec![number(place), number(end)]);
            }
        }
        found
    }
}

impl Reducible for Lines {
    type Home = ();
    type Candidate = Candidate;
    type Learnt = Box<TestCase>;

    fn candidate(&mut self, (): &(), now: Option<(&Lines, &Candidate)>) -> Option<Candidate> {
        let text: String = self.lines.iter().flat_map(|(_, line)| [&**line, "\n"]).collect();
        let weight = text.len();
        Some(match now {
            None => Candidate::known(&self.case, weight),
            Some(_) => Candidate { form: Form::Text, text, weight },
        })
    }

    fn taken(&mut self, (): &mut (), case: Box<TestCase>) {
        self.case = *case;
    }
}

fn fewer_lines(search: &mut Search<Lines, Workers<'_, Lines>>) {
    loop {
        let before = search.counts.taken;
        let numbers: Vec<usize> = search.state.lines.iter().map(|(number, _)| *number).collect();
        search.bisect(numbers.len(), false, 1, Gain::Smaller, &|(), now, gone| {
            Some(now.without(&gone.iter().map(|&at| numbers[at]).collect::<Vec<_>>()))
        });
        let blocks = search.state.blocks();
        let edit = |(): &mut (), now: &Lines, at: usize| Some(now.without(&blocks[at]));
        search.first_of(blocks.len(), &edit, Gain::Smaller);
        if search.counts.taken == before || search.is_over() {
            return;
        }
    }
}

/// Says whether a program still shows the finding, in the hands of one worker.
struct ProgramTester<'t> {
    analyzer: Analyzer,
    second: Option<Analyzer>,
    native: Native,
    wanted: &'t Wanted,
    limits: Limits,
}

impl Tester<Candidate, Box<TestCase>> for ProgramTester<'_> {
    fn test(&mut self, candidate: &Candidate) -> Tested<Box<TestCase>> {
        let text = || Text { text: candidate.text.clone(), inputs: None };
        let tested = match (&candidate.form, &self.wanted.truth) {
            (Form::Known(case), _) => self.shows(case).map(|()| (**case).clone()),
            (Form::Tree(unit), Truth::Reachable(answers)) => self.reaching(unit, answers),
            (Form::Tree(unit), Truth::Unreachable) => self.missing(unit),
            (Form::Tree(_) | Form::Text, Truth::Open) => self.accepted(text()),
            (Form::Text, Truth::Reachable(_)) => self
                .native
                .initializes(&candidate.text)
                .map_err(|error| error.to_string())
                .and_then(|()| self.reached(text(), MANY)),
            (Form::Text, Truth::Unreachable) => safe(text(), "another analyzer")
                .and_then(|case| self.shows(&case))
                .and_then(|()| self.agreed(text())),
        };
        match tested {
            Ok(case) => Tested::Shown(Box::new(case)),
            Err(reason) => Tested::Not(reason),
        }
    }
}

impl ProgramTester<'_> {
    /// Whether the target shows the finding about a case.
    fn shows(&mut self, case: &TestCase) -> Result<(), String> {
        match found(&mut self.analyzer, case).map_err(|error| error.to_string())?? {
            kind if kind == self.wanted.kind => Ok(()),
            other => Err(format!("it is a finding of another kind: {}", other.name())),
        }
    }

    /// The case of a program of which only an analyzer's own fault is shown.
    fn accepted(&mut self, text: Text) -> Result<TestCase, String> {
        self.native.accepts(&text.text).map_err(|error| error.to_string())?;
        let case = case(text, Oracle::Open)?;
        self.shows(&case).map(|()| case)
    }

    /// The case of a program that reaches its error on known inputs.
    fn reaching(
        &mut self,
        unit: &Unit,
        answers: &FxHashMap<u32, Vec<i128>>,
    ) -> Result<TestCase, String> {
        let mut answers: FxHashMap<u32, VecDeque<i128>> =
            answers.iter().map(|(place, values)| (*place, values.clone().into())).collect();
        let mut feed = |_: Scalar, place: u32| {
            answers.get_mut(&place).and_then(VecDeque::pop_front).unwrap_or(0)
        };
        let run = c::run(unit, &mut feed, self.limits).map_err(|fault| fault.to_string())?;
        if run.end != End::Reached {
            return Err("it does not reach its error".to_owned());
        }
        let (unit, answers) = (unit.clone(), Some(FxHashMap::default()));
        let text = Program { unit, answers, inputs: run.inputs }.for_case(Layout::Brief);
        let inputs = text.inputs.clone().unwrap_or_default();
        self.reached(text, Trial::Inputs(&inputs))
    }

    /// The case of a program that an execution shows to reach its error.
    fn reached(&mut self, text: Text, trial: Trial<'_>) -> Result<TestCase, String> {
        let witness = Witness::Declared(Claim::from("a run of the program"));
        let case = case(text.clone(), Oracle::Sat(witness))?;
        self.shows(&case)?;
        match self.executed(&text, trial)? {
            Executed::Reached => Ok(case),
            other => Err(format!("an execution of it comes to {other:?}")),
        }
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
        let program = Program { unit: unit.clone(), answers: None, inputs: Vec::new() };
        let text = program.for_case(Layout::Brief);
        self.shows(&safe(text.clone(), "many runs")?)?;
        match c::run_all(unit, self.limits, ALL).map_err(|fault| fault.to_string())? {
            Runs::Quiet => self.unreached(text, "a run on every input"),
            Runs::Reached(_) => Err("a run reaches its error".to_owned()),
            Runs::TooMany => self.agreed(text),
        }
    }

    /// The case of a program that another analyzer calls safe.
    fn agreed(&mut self, text: Text) -> Result<TestCase, String> {
        let case = safe(text.clone(), "another analyzer")?;
        let second = self.second.as_mut().ok_or("there is no other analyzer to ask")?;
        let name = second.name().to_owned();
        match second.run(&case, Mode::Fresh).map_err(|error| error.to_string())? {
            Ran::Observed(run) if run.observation.answer == Answer::Unreachable => {
                self.unreached(text, &name)
            }
            Ran::Observed(run) => Err(format!("{name} says {}", run.observation.answer)),
            Ran::Skipped(reason) => Err(reason),
        }
    }

    /// The case of a program that does not reach its error, as somebody says and executions confirm.
    fn unreached(&mut self, text: Text, who: &str) -> Result<TestCase, String> {
        match self.executed(&text, MANY)? {
            Executed::NotReached => safe(text, who),
            other => Err(format!("an execution of it comes to {other:?}")),
        }
    }

    fn executed(&mut self, text: &Text, trial: Trial<'_>) -> Result<Executed, String> {
        self.native.run(text, trial).map_err(|error| error.to_string())
    }
}

/// The case of a program whose error cannot be reached, as somebody says.
fn safe(text: Text, who: &str) -> Result<TestCase, String> {
    case(text, Oracle::Unsat { why: Why::Declared(Claim::from(who)), core: None })
}

/// A case of a program for which the formula has become too strict.
fn case(text: Text, oracle: Oracle) -> Result<TestCase, String> {
    let formula = Formula::read("(check-sat)\n").expect("a script of one line");
    let case = TestCase::formula("reduced", formula, oracle, Origin::default());
    Ok(case.map_err(|error| error.to_string())?.with_program(text))
}

fn random_run(unit: &Unit, seed: u64, limits: Limits) -> Result<End, Fault> {
    let mut draw = Draw::new(&[seed]);
    let mut feed = |scalar: Scalar, _: u32| {
        let (least, greatest) = scalar.range();
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
