//! Findings about programs: assertions dropped, a straight line instead of a maze, then the program
//! itself, statement by statement. Every step is run: what should reach its error must, and what
//! should not is also shown to another analyzer.

use super::write;
use crate::mutants::Askers;
use crate::replay::with_options;
use crate::suites::SuiteArgs;
use crate::{Outcome, output, programs, units};
use assay_campaign::kind::handling;
use assay_campaign::tool::Tool;
use assay_campaign::{FindingRecord, write_reduced};
use assay_case::{
    Answer, CaseId, Claim, Expected, Judgement, Kind, Origin, Program as Text, ProgramTest, Reach,
    TestCase, Why, judge,
};
use assay_program::c::{self, End, Fault, Layout, Limits, Runs, Scalar, Unit};
use assay_program::reduce::{edited, edits, weight};
use assay_program::{ProgramTree, Programs};
use assay_target::{
    Analyzer, Executed, Mode, Native, Ran, Resolved, Settings, Target, TargetName, Trial,
};
use serde_json::json;
use std::collections::VecDeque;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Who is asked whether a smaller program is still safe.
const SECOND: &str = "cbmc";

/// How long a reduction takes, unless it is told otherwise.
const USUAL: Duration = Duration::from_secs(600);

/// So many random runs come before any analyzer is asked.
const RUNS: u64 = 200;

/// A program that has no more runs than this is run on every input.
const ALL: u64 = 1 << 16;

pub(super) fn run(args: &super::Args, record: &FindingRecord) -> Result<Outcome, Box<dyn Error>> {
    let begun = Instant::now();
    let flags = SuiteArgs::recorded(&record.campaign);
    let settings = flags.programs().ok_or("the finding is of no program")?;
    let askers = Askers::default();
    programs::ask(settings, &askers, &args.catalog, flags.draw)?;
    let suite = programs::suite(settings, flags.draw, &askers)?;
    let (case, program) = as_found(&suite, &args.what, record)?;
    let mut bench = Bench::new(args, record)?;
    bench.limits.portable = !settings.natural;
    bench.end = begun + args.budget.unwrap_or(USUAL);
    bench.kind = bench.shown(&case)?.ok_or("the target does not show a finding any more")?;
    let before = lines(case.subject().text());
    let (case, program) = restated(&suite, case, program, &mut bench)?;
    let case = smaller(case, &program, &mut bench)?;
    let text = case.subject().text().to_owned();
    let out = match &args.out {
        Some(path) => path.clone(),
        None => args.what.join("reduced.c"),
    };
    write(&out, &text)?;
    let mut targets: Vec<Box<dyn Target>> = vec![Box::new(bench.analyzer)];
    let made = write_reduced(&args.what.join("reduced"), record, &case, &mut targets)?;
    let took = units::in_words(begun.elapsed());
    if args.json {
        let record = json!({
            "out": out, "lines": lines(&text), "before": before, "tests": bench.tests,
            "kind": made.kind.name(), "target": made.target, "text": text, "truth": made.why,
        });
        output::result(&format!("{record}\n"));
    } else {
        output::result(&format!(
            "{before} -> {} lines\n{} tests in {took}; {} ({})\n{}\n\n{text}",
            lines(&text),
            bench.tests,
            made.expected.name(),
            made.why,
            out.display(),
        ));
    }
    Ok(Outcome::Clean)
}

/// The case of a finding with the tree of its program: made again from its number, or, where another
/// version or another solver makes something else of that, from the formula and the model in its folder.
fn as_found(
    suite: &Programs,
    folder: &Path,
    record: &FindingRecord,
) -> Result<(TestCase, ProgramTree), Box<dyn Error>> {
    let id: CaseId = record.id.parse()?;
    let kept = handling(record.subject).read(folder, record)?;
    let same = |made: &(TestCase, ProgramTree)| made.0.subject().text() == kept.subject().text();
    if let Some(made) = suite.program(id).ok().filter(same) {
        return Ok(made);
    }
    let made = suite.retold(id, &kept)?;
    match same(&made) {
        true => Ok(made),
        false => Err(format!(
            "this version writes the formula of this finding as another program than program.c; \
             reduce it with assay {}",
            record.campaign.assay
        )
        .into()),
    }
}

fn lines(text: &str) -> usize {
    text.lines().count()
}

/// What is needed to say whether a program still shows the finding.
struct Bench {
    analyzer: Analyzer,
    second: Option<Analyzer>,
    native: Native,
    kind: assay_case::FindingKind,
    /// How programs are run.
    limits: Limits,
    end: Instant,
    tests: u64,
}

impl Bench {
    fn new(args: &super::Args, record: &FindingRecord) -> Result<Bench, Box<dyn Error>> {
        let usual = record.campaign.limits.timeout.0;
        let settings = Settings {
            limits: args.limits(usual),
            launcher: args.catalog.launcher()?,
            seed: args.rng.unwrap_or(0),
            sessions: false,
        };
        let name: TargetName = match &args.target {
            Some(name) => name.clone(),
            None => record.target.parse()?,
        };
        let tool = args.catalog.tool(Kind::Program, &name)?;
        let target = resolved(with_options(tool, &args.options, Some(record))?)?;
        let second = match name.name == SECOND {
            true => None,
            false => {
                let other = resolved(args.catalog.tool(Kind::Program, &SECOND.parse()?)?)?;
                Some(Analyzer::new(other, settings.clone(), None))
            }
        };
        let native = Native::new(&settings.launcher)?;
        let analyzer = Analyzer::new(target, settings, None);
        let kind = assay_case::FindingKind::MissedError;
        let limits = Limits::default();
        Ok(Bench { analyzer, second, native, kind, limits, end: Instant::now(), tests: 0 })
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// What the target shows about a case.
    fn shown(
        &mut self,
        case: &TestCase,
    ) -> Result<Option<assay_case::FindingKind>, Box<dyn Error>> {
        self.tests += 1;
        match self.analyzer.run(case, Mode::Fresh)? {
            Ran::Observed(run) => match judge(case, &run.observation) {
                Judgement::Finding(finding) => Ok(Some(finding.kind)),
                _ => Ok(None),
            },
            Ran::Skipped(reason) => Err(reason.into()),
        }
    }

    fn shows(&mut self, case: &TestCase) -> Result<bool, Box<dyn Error>> {
        Ok(self.shown(case)? == Some(self.kind))
    }
}

fn resolved(tool: Tool) -> Result<Arc<Resolved>, Box<dyn Error>> {
    match tool {
        Tool::Analyzer(analyzer) => Ok(analyzer),
        Tool::Solver(_) | Tool::Domain(_) => Err("it is no analyzer".into()),
    }
}

/// Fewer assertions, and a straight line.
fn restated(
    suite: &Programs,
    case: TestCase,
    program: ProgramTree,
    bench: &mut Bench,
) -> Result<(TestCase, ProgramTree), Box<dyn Error>> {
    let source = case.as_program().and_then(|test| test.source.as_ref());
    let count = source.map_or(0, |source| source.formula().assertions().len());
    let mut kept: Vec<usize> = (0..count).collect();
    let Ok(plain) = suite.restated(&case, &kept) else { return Ok((case, program)) };
    if !bench.shows(&plain.0)? {
        return Ok((case, program));
    }
    let mut best = plain;
    let mut chunk = kept.len().div_ceil(2);
    while chunk > 0 {
        let mut at = 0;
        while at < kept.len() && kept.len() > 1 && !bench.is_over() {
            let mut fewer = kept.clone();
            fewer.drain(at..(at + chunk).min(kept.len()));
            match suite.restated(&case, &fewer) {
                Ok(made) if !fewer.is_empty() && bench.shows(&made.0)? => {
                    (best, kept) = (made, fewer);
                }
                _ => at += chunk,
            }
        }
        chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
    }
    Ok(best)
}

/// The program itself, edit by edit.
fn smaller(
    case: TestCase,
    program: &ProgramTree,
    bench: &mut Bench,
) -> Result<TestCase, Box<dyn Error>> {
    let reachable = case.expected() == Expected::Reachable;
    let answers = program.answers.as_ref();
    let mut best = (case, program.unit.clone());
    let mut begin = 0;
    'again: while !bench.is_over() {
        let all = edits(&best.1);
        for step in 0..all.len() {
            if bench.is_over() {
                break 'again;
            }
            // Goes on where the last edit was taken, and comes back to the others.
            let at = (begin + step) % all.len();
            let Some(unit) = edited(&best.1, &all[at]) else { continue };
            if weight(&unit) >= weight(&best.1) {
                continue;
            }
            let tried = match reachable {
                true => {
                    let answers = answers.cloned().unwrap_or_default();
                    reaching(&unit, answers, bench)?
                }
                false => missing(&unit, bench)?,
            };
            if let Some(case) = tried {
                best = (case, unit);
                begin = at;
                continue 'again;
            }
        }
        break;
    }
    Ok(best.0)
}

/// A case of a program that no formula says any more.
fn plain(program: Text, truth: Reach) -> TestCase {
    let test = ProgramTest { program, truth, source: None };
    TestCase::program("reduced", test, Origin::default())
}

/// The case of a program that must reach its error.
fn reaching(
    unit: &Unit,
    answers: rustc_hash::FxHashMap<u32, Vec<i128>>,
    bench: &mut Bench,
) -> Result<Option<TestCase>, Box<dyn Error>> {
    let mut answers: rustc_hash::FxHashMap<u32, VecDeque<i128>> =
        answers.into_iter().map(|(place, values)| (place, values.into())).collect();
    let mut feed =
        |_: Scalar, place: u32| answers.get_mut(&place).and_then(VecDeque::pop_front).unwrap_or(0);
    let Ok(outcome) = c::run(unit, &mut feed, bench.limits) else { return Ok(None) };
    if outcome.end != End::Reached {
        return Ok(None);
    }
    let program = ProgramTree {
        unit: unit.clone(),
        answers: Some(Default::default()),
        inputs: outcome.inputs,
    };
    let text = program.for_case(Layout::Brief);
    let why = Why::Declared(Claim::from("a run of the program"));
    let case = plain(text.clone(), Reach::Reachable(why));
    if !bench.shows(&case)? {
        return Ok(None);
    }
    let inputs = text.inputs.as_deref().unwrap_or_default();
    Ok(match bench.native.run(&text, Trial::Inputs(inputs)) {
        Ok(Executed::Reached) => Some(case),
        _ => None,
    })
}

/// The case of a program that must not reach its error.
fn missing(unit: &Unit, bench: &mut Bench) -> Result<Option<TestCase>, Box<dyn Error>> {
    for seed in 0..RUNS {
        match random_run(unit, seed, bench.limits) {
            Ok(End::Reached) | Err(_) => return Ok(None),
            Ok(_) => {}
        }
    }
    let program = ProgramTree { unit: unit.clone(), answers: None, inputs: Vec::new() };
    let text = program.for_case(Layout::Brief);
    let safe = |claim: Claim| Reach::Unreachable(Why::Declared(claim));
    let case = plain(text.clone(), safe("many runs".into()));
    if !bench.shows(&case)? {
        return Ok(None);
    }
    let who = match c::run_all(unit, bench.limits, ALL) {
        Ok(Runs::Quiet) => "a run on every input".to_owned(),
        Ok(Runs::Reached(_)) | Err(_) => return Ok(None),
        Ok(Runs::TooMany) => {
            let Some(second) = &mut bench.second else { return Ok(None) };
            match second.run(&case, Mode::Fresh)? {
                Ran::Observed(run) if run.observation.answer == Answer::Unreachable => {
                    second.name().to_owned()
                }
                _ => return Ok(None),
            }
        }
    };
    let executed = bench.native.run(&text, Trial::Many { runs: 2000, seed: 1 });
    Ok(match executed {
        Ok(Executed::NotReached) => Some(plain(text, safe(who.into()))),
        _ => None,
    })
}

fn random_run(unit: &Unit, seed: u64, limits: Limits) -> Result<End, Fault> {
    let mut draw = assay_mutate::Draw::new(&[seed]);
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
