//! What changes between two solvers: the smallest mutant that one solves and the other does not.

use crate::engine::{Answer, Counted, Engine};
use crate::examine::{Examined, Settings};
use crate::mutant::{Mutator, Stated, Which};
use crate::query::Query;
use assay_search::{Candidate, Counts, Gain, Panel, Reducible, Search, Tested};
use std::hash::{Hash, Hasher};

/// A query, or a mutant of it, that one solver solves and another does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The mutant; `None` for the query as written.
    pub mutant: Which,
    /// The number of assertions that are left, and that there were.
    pub assertions: (usize, usize),
    /// The steps of the solver that solves it.
    pub cost: u64,
    /// The limit that the other one reaches or gives up under.
    pub limit: u64,
    /// The script, with the limit.
    pub script: String,
}

/// The most tests of a reduction.
const TESTS: usize = 120;

/// The smallest script found that the first solver solves and the second does not, from what both
/// examinations showed; `None` if there is no such mutant.
pub fn difference(
    query: &Query,
    (first, before): (&mut dyn Engine, &Examined),
    (second, after): (&mut dyn Engine, &Examined),
    settings: &Settings,
) -> Option<Difference> {
    let mut first = Counted { engine: first, wall: settings.wall, runs: 0 };
    let mut second = Counted { engine: second, wall: settings.wall, runs: 0 };
    let mut query = query.clone();
    // What one of them does not know is left out for both.
    first.adapt(&mut query);
    second.adapt(&mut query);
    let limit = before.limit.max(after.limit);
    let own = after.original.answer().is_none() && before.original.answer().is_some();
    let failed = after.samples.iter().filter(|sample| !sample.success);
    let failed = failed.map(|sample| Some((sample.class, sample.number)));
    let candidates = own.then_some(None).into_iter().chain(failed).take(8);
    let total = query.assertions().len();
    for mutant in candidates {
        let mut pair = Pair {
            query: &query,
            mutant,
            rng: settings.rng,
            limits: (before.limit, limit),
            first: &mut first,
            second: &mut second,
        };
        let Some((answer, _)) = pair.differs(&[], None) else { continue };
        let kept = Kept(query.assertions());
        let tests = Tests { pair: &mut pair, answer };
        let Ok(mut search) = Search::begin((), [kept], None, tests) else { continue };
        let all = search.state.0.clone();
        search.bisect(all.len(), false, 1, Gain::Smaller, &|(), now, gone| {
            let gone: Vec<usize> = gone.iter().map(|&at| all[at]).collect();
            Some(Kept(now.0.iter().copied().filter(|at| !gone.contains(at)).collect()))
        });
        let kept = search.state.0;
        let gone = left_out(&query, &kept);
        let (_, cost) = pair.differs(&gone, Some(answer))?;
        let stated = pair.stated(&gone)?;
        let script = pair.second.engine.meter().script(&stated, limit, "");
        let assertions = (kept.len(), total);
        return Some(Difference { mutant, assertions, cost, limit, script });
    }
    None
}

/// The numbers of the pieces that are left out.
fn left_out(query: &Query, kept: &[usize]) -> Vec<usize> {
    let gone = query.assertions().into_iter().filter(|at| !kept.contains(at));
    gone.map(|at| query.pieces[at].id).collect()
}

/// Two solvers on one mutant.
struct Pair<'p, 'e> {
    query: &'p Query,
    mutant: Which,
    rng: u64,
    limits: (u64, u64),
    first: &'p mut Counted<'e>,
    second: &'p mut Counted<'e>,
}

impl Pair<'_, '_> {
    /// The mutant without some pieces.
    fn stated(&self, gone: &[usize]) -> Option<Stated> {
        let mutator = Mutator::new(self.query, self.rng);
        let stated = match self.mutant {
            None => Some(mutator.original()),
            Some((class, number)) => mutator.mutant(class, number),
        };
        Some(stated?.without(gone))
    }

    /// The answer and cost of the first solver, if the second has no answer and the clock decides
    /// nothing.
    fn differs(&mut self, gone: &[usize], wanted: Option<Answer>) -> Option<(Answer, u64)> {
        let stated = self.stated(gone)?;
        let run = self.first.run(&stated, self.limits.0);
        let (answer, cost) = (run.answer()?, run.cost()?);
        if wanted.is_some_and(|wanted| wanted != answer) {
            return None;
        }
        let other = self.second.run(&stated, self.limits.1);
        (other.answer().is_none() && other.cost().is_some()).then_some((answer, cost))
    }
}

/// The assertions that are kept.
#[derive(Clone)]
struct Kept(Vec<usize>);

impl Reducible for Kept {
    type Home = ();
    type Candidate = Kept;
    type Learnt = ();

    fn candidate(&mut self, (): &(), _: Option<(&Kept, &Kept)>) -> Option<Kept> {
        (!self.0.is_empty()).then(|| self.clone())
    }
}

impl Candidate for Kept {
    type Size = usize;

    fn size(&self) -> usize {
        self.0.len()
    }

    fn key(&self, mut state: &mut dyn Hasher) {
        self.0.hash(&mut state);
    }
}

/// Tests what is kept on both solvers.
struct Tests<'t, 'p, 'e> {
    pair: &'t mut Pair<'p, 'e>,
    answer: Answer,
}

impl Panel<Kept> for Tests<'_, '_, '_> {
    fn test(&mut self, sets: &[&Kept]) -> Vec<Tested<()>> {
        let test = |set: &&Kept| {
            let gone = left_out(self.pair.query, &set.0);
            let shown = self.pair.differs(&gone, Some(self.answer)).is_some();
            Tested::when(shown, "both solvers agree")
        };
        sets.iter().map(test).collect()
    }

    fn is_over(&self, counts: &Counts) -> bool {
        counts.tests >= TESTS
    }
}
