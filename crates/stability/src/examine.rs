//! The examination of a query on a solver: runs of mutants until the category is decided.

use crate::cause::{self, Cause};
use crate::decide::{Category, Design, FIXED, Next, Tally, next};
use crate::engine::{Answer, Counted, Engine, Run};
use crate::mutant::{Class, Mutator, Which};
use crate::query::Query;
use std::time::Duration;

/// How a query is examined.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The ways to change it.
    pub classes: Vec<Class>,
    /// A mutant may cost this many times as much as the query.
    pub factor: u64,
    /// The limit of a mutant is at least this many steps.
    pub floor: u64,
    /// The limit of the query itself, and of its mutants where it is not solved.
    pub steps: u64,
    /// How many mutants are run.
    pub design: Design,
    /// Seed for all random choices.
    pub rng: u64,
    /// The safety net of a run.
    pub wall: Duration,
    /// Whether to look for the cause.
    pub cause: bool,
    /// The most runs that the search for a cause makes, apart from verifying it.
    pub cause_runs: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            classes: Class::ALL.to_vec(),
            factor: 5,
            floor: 200_000,
            steps: 10_000_000,
            design: Design::Sequential(FIXED),
            rng: 0,
            wall: Duration::from_secs(120),
            cause: true,
            cause_runs: 120,
        }
    }
}

/// A mutant that was run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Its class.
    pub class: Class,
    /// Its number within the class.
    pub number: u32,
    /// How the run ended.
    pub run: Run,
    /// Whether it succeeded.
    pub success: bool,
}

/// The runs of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClassResult {
    /// The class.
    pub class: Class,
    /// Its runs.
    pub tally: Tally,
}

/// What the examination of a query showed.
#[derive(Clone, PartialEq, Debug)]
pub struct Examined {
    /// The solver.
    pub target: String,
    /// What the query is.
    pub category: Category,
    /// The run of the query as written.
    pub original: Run,
    /// The limit of steps for mutants.
    pub limit: u64,
    /// All mutants that were run, in order.
    pub samples: Vec<Sample>,
    /// The classes that apply.
    pub classes: Vec<ClassResult>,
    /// Runs that contradict each other, by class and number; `None` is the query itself.
    pub contradiction: Option<[(Which, Answer); 2]>,
    /// What was changed to put the query to the solver, and why the result is inconclusive.
    pub notes: Vec<String>,
    /// Why it is not stable.
    pub cause: Option<Cause>,
    /// All runs, including those of the search for the cause.
    pub runs: u32,
}

impl Examined {
    /// The costs of the mutants that succeeded, ascending.
    #[must_use]
    pub fn costs(&self) -> Vec<u64> {
        let solved = self.samples.iter().filter(|sample| sample.success);
        let mut costs: Vec<u64> = solved.filter_map(|sample| sample.run.cost()).collect();
        costs.sort_unstable();
        costs
    }

    /// The runs of all classes together.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut all = Tally::default();
        self.samples.iter().for_each(|sample| all.add(sample.success));
        all
    }
}

/// Examines a query on a solver.
pub fn examine(query: &Query, engine: &mut dyn Engine, settings: &Settings) -> Examined {
    let target = engine.name().to_owned();
    let mut counted = Counted { engine, wall: settings.wall, runs: 0 };
    let mut query = query.clone();
    let notes = counted.adapt(&mut query);
    let original = counted.run(&Mutator::new(&query, settings.rng).original(), settings.steps);
    let limit = match original {
        Run::Solved(_, cost) => (cost.saturating_mul(settings.factor)).max(settings.floor),
        _ => settings.steps,
    };
    let mut examined = Examined {
        target,
        category: Category::Inconclusive,
        original,
        limit,
        samples: Vec::new(),
        classes: Vec::new(),
        contradiction: None,
        notes,
        cause: None,
        runs: 0,
    };
    match &examined.original {
        Run::Failed(why) => examined.notes.push(format!("the solver does not take it: {why}")),
        Run::OutOfTime => examined.notes.push(capped(1)),
        _ => {
            sample(&query, &mut counted, settings, &mut examined);
            let wanted = [Category::Unstable, Category::Unsolvable].contains(&examined.category);
            if settings.cause && wanted {
                examined.cause = cause::find(&query, &mut counted, settings, &examined);
            }
        }
    }
    examined.runs = counted.runs;
    examined
}

/// A note that the safety net was used.
fn capped(runs: usize) -> String {
    format!(
        "{runs} runs reached the time limit, which depends on the machine; lower --steps or raise --timeout"
    )
}

/// Runs mutants until the category is decided.
pub(crate) fn sample(
    query: &Query,
    counted: &mut Counted<'_>,
    settings: &Settings,
    examined: &mut Examined,
) {
    let mutator = Mutator::new(query, settings.rng);
    let solved = examined.original.answer();
    let mut first = solved.map(|answer| (None, answer));
    let mut classes: Vec<Class> = settings.classes.clone();
    let mut tallies = vec![Tally::default(); classes.len()];
    let mut numbers = vec![0u32; classes.len()];
    let (mut failed, mut timed) = (Vec::new(), 0);
    let category = loop {
        let at = match next(&tallies, solved.is_some(), settings.design) {
            Next::Decided(category) => break category,
            Next::Run(at) => at,
        };
        let (class, number) = (classes[at], numbers[at]);
        let Some(mutant) = mutator.mutant(class, number) else {
            // The class does not apply.
            classes.remove(at);
            tallies.remove(at);
            numbers.remove(at);
            continue;
        };
        numbers[at] += 1;
        let run = counted.run(&mutant, examined.limit);
        if let Some(answer) = run.answer() {
            let here = (Some((class, number)), answer);
            let known = *first.get_or_insert(here);
            if known.1 != answer && examined.contradiction.is_none() {
                examined.contradiction = Some([known, here]);
            }
        }
        match &run {
            Run::Failed(why) => failed.push(format!("{} {number}: {why}", class.name())),
            Run::OutOfTime => timed += 1,
            _ => {}
        }
        let success =
            run.answer().is_some_and(|answer| first.is_some_and(|known| known.1 == answer));
        let counts = !matches!(run, Run::Failed(_) | Run::OutOfTime);
        examined.samples.push(Sample { class, number, run, success });
        if !counts {
            // What depends on the machine, or on a bug of ours, decides nothing.
            break Category::Inconclusive;
        }
        tallies[at].add(success);
    };
    let results = classes.into_iter().zip(tallies);
    examined.classes = results.map(|(class, tally)| ClassResult { class, tally }).collect();
    examined.category = category;
    if timed > 0 {
        examined.notes.push(capped(timed));
    }
    if let Some(why) = failed.first() {
        examined.notes.push(format!("a mutant failed: {why}"));
    }
    if examined.contradiction.is_some() {
        examined.category = Category::Unstable;
    }
}

/// Whether the sequential test calls a changed query stable at the limit of the original one;
/// the examination if so.
pub(crate) fn verified(
    query: &Query,
    counted: &mut Counted<'_>,
    settings: &Settings,
    (limit, answer): (u64, Answer),
) -> Option<Examined> {
    let original = counted.run(&Mutator::new(query, settings.rng).original(), limit);
    if original.answer() != Some(answer) {
        return None;
    }
    let mut examined = Examined {
        target: counted.engine.name().to_owned(),
        category: Category::Inconclusive,
        original,
        limit,
        samples: Vec::new(),
        classes: Vec::new(),
        contradiction: None,
        notes: Vec::new(),
        cause: None,
        runs: 0,
    };
    let sequential = Settings { design: Design::Sequential(FIXED), ..settings.clone() };
    sample(query, counted, &sequential, &mut examined);
    (examined.category == Category::Stable).then_some(examined)
}
