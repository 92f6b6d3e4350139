//! Why a query is not stable: which quantifiers explode, and the smallest changes that make it
//! stable. Every suggestion is verified by examining the changed query.

use crate::engine::{Answer, Counted, Meter, Run};
use crate::examine::{Examined, Settings, verified};
use crate::mutant::{Class, Mutator, Stated, Which};
use crate::patterns::others;
use crate::profile::{Instances, Quantifier, all_quantifiers, instances};
use crate::query::{Part, Query};
use crate::sexpr::Tree;
use assay_search::{Candidate, Counts, Gain, Panel, Reducible, Search, Tested};
use rustc_hash::FxHashSet;
use std::fmt::Write;
use std::hash::{Hash, Hasher};

/// What is known about the cause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The quantifiers with the most instances in a run that failed, the most active first.
    pub exploding: Vec<Instances>,
    /// Changes that make the query stable; all were verified.
    pub suggestions: Vec<Suggestion>,
    /// The number of changes that were tried and did not help.
    pub refused: u32,
}

/// A change that makes a query stable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// The change.
    pub change: Change,
    /// The mutants of the changed query that succeeded, all within the limit of the original.
    pub successes: u32,
    /// The mutants of the changed query that were run.
    pub runs: u32,
    /// The cost of the changed query.
    pub cost: u64,
}

/// A change of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// Leave out these assertions, each with its name and line; none can be kept.
    Drop(Vec<(String, usize)>),
    /// Another pattern.
    Pattern {
        /// The quantifier.
        name: String,
        /// Its line.
        line: usize,
        /// The patterns that it has.
        old: Vec<String>,
        /// The pattern that makes the query stable.
        new: String,
    },
}

/// The number of failing mutants that a change must repair before it is verified.
const FAILING: usize = 3;

/// The number of quantifiers that are listed, and of those whose patterns are changed.
const LISTED: usize = 5;

/// A quantifier explodes with at least this many instances, and this many times those of a run that
/// succeeds.
const MANY: u64 = 100;
const TIMES: u64 = 4;

/// Looks for the cause; `None` if no run failed.
pub(crate) fn find(
    query: &Query,
    counted: &mut Counted<'_>,
    settings: &Settings,
    examined: &Examined,
) -> Option<Cause> {
    if examined.contradiction.is_some() {
        return None;
    }
    let failing = failing(examined);
    let answer = examined
        .original
        .answer()
        .or_else(|| examined.samples.iter().find_map(|sample| sample.run.answer()))
        .unwrap_or(Answer::Unsat);
    let mut search = Finding {
        query,
        settings,
        limit: examined.limit,
        answer,
        until: counted.runs + settings.cause_runs,
        failing,
        counted,
        refused: 0,
    };
    let exploding = search.exploding(examined);
    let mut suggestions = Vec::new();
    if answer == Answer::Unsat {
        // Where the solver gives up, it lacks instances, not the other way round.
        let gave_up = search.gave_up(examined);
        let dropped = if gave_up { Vec::new() } else { search.drop(examined, &exploding) };
        suggestions.extend(search.patterns(gave_up, &exploding, &dropped));
        suggestions.extend(search.dropping(&dropped));
    }
    Some(Cause { exploding, suggestions, refused: search.refused })
}

/// Mutants that failed, of different classes first; `None` is the query itself.
fn failing(examined: &Examined) -> Vec<Which> {
    let mut found: Vec<Which> = Vec::new();
    if examined.original.answer().is_none() {
        found.push(None);
    }
    let failed = || examined.samples.iter().filter(|sample| !sample.success);
    let mut classes: Vec<Class> = Vec::new();
    for sample in failed() {
        if !classes.contains(&sample.class) {
            classes.push(sample.class);
            found.push(Some((sample.class, sample.number)));
        }
    }
    let rest = failed().map(|sample| Some((sample.class, sample.number)));
    let rest: Vec<_> = rest.filter(|one| !found.contains(one)).collect();
    found.extend(rest);
    found.truncate(FAILING);
    found
}

/// A search for changes.
struct Finding<'q, 'c, 'e> {
    query: &'q Query,
    settings: &'q Settings,
    limit: u64,
    answer: Answer,
    /// The number of runs at which the search ends.
    until: u32,
    failing: Vec<Which>,
    counted: &'c mut Counted<'e>,
    refused: u32,
}

impl Finding<'_, '_, '_> {
    fn stated(&self, query: &Query, mutant: Which) -> Option<Stated> {
        let mutator = Mutator::new(query, self.settings.rng);
        match mutant {
            None => Some(mutator.original()),
            Some((class, number)) => mutator.mutant(class, number),
        }
    }

    /// Whether a changed query, without some pieces, is solved under the mutations that failed.
    fn repairs(&mut self, query: &Query, gone: &[usize]) -> bool {
        for mutant in self.failing.clone() {
            let Some(stated) = self.stated(query, mutant) else { return false };
            let run = self.counted.run(&stated.without(gone), self.limit);
            if run.answer() != Some(self.answer) {
                return false;
            }
        }
        true
    }

    /// Whether the solver gives up in all runs that failed and are repaired.
    fn gave_up(&self, examined: &Examined) -> bool {
        self.failing.iter().all(|failing| match failing {
            None => matches!(examined.original, Run::GaveUp(_)),
            Some((class, number)) => examined.samples.iter().any(|sample| {
                (sample.class, sample.number) == (*class, *number)
                    && matches!(sample.run, Run::GaveUp(_))
            }),
        })
    }

    /// A change that makes the query stable.
    fn suggestion(&mut self, changed: &Query, change: Change) -> Option<Suggestion> {
        let goal = (self.limit, self.answer);
        let Some(proof) = verified(changed, self.counted, self.settings, goal) else {
            self.refused += 1;
            return None;
        };
        let tally = proof.tally();
        let cost = proof.original.cost().unwrap_or(0);
        Some(Suggestion { change, successes: tally.successes, runs: tally.runs(), cost })
    }

    /// The quantifiers with the most instances in a failing run.
    fn exploding(&mut self, examined: &Examined) -> Vec<Instances> {
        let worst = self.failing.first().copied().flatten();
        let Some(stated) = self.stated(self.query, worst) else { return Vec::new() };
        // Names of commands may have changed, but not those of quantifiers.
        let failing = instances(self.counted, &stated, self.limit);
        let good = match examined.original.answer() {
            Some(_) => Some(None),
            None => examined
                .samples
                .iter()
                .find(|sample| sample.success)
                .map(|sample| Some((sample.class, sample.number))),
        };
        let good = good.and_then(|mutant| self.stated(self.query, mutant));
        let succeeding = good.map(|stated| instances(self.counted, &stated, self.limit));
        let known = all_quantifiers(&self.query.pieces);
        let mut found: Vec<Instances> = failing
            .into_iter()
            .map(|(name, count)| {
                let line =
                    known.iter().find(|(_, one)| one.name == name).map_or(0, |one| one.1.line);
                let before = succeeding.as_ref().map(|all| all.get(&name).copied().unwrap_or(0));
                Instances { name, line, failing: count, succeeding: before }
            })
            .filter(|one| {
                let times = one.succeeding.map_or(0, |before| before.saturating_mul(TIMES));
                one.failing >= MANY && one.failing >= times
            })
            .collect();
        found.sort_by(|a, b| b.failing.cmp(&a.failing).then_with(|| a.name.cmp(&b.name)));
        found.truncate(LISTED);
        found
    }

    /// A minimal set of assertions without which the failing mutants succeed.
    fn drop(&mut self, examined: &Examined, exploding: &[Instances]) -> Vec<usize> {
        let used = self.query.used_names();
        let mut removable = self.query.assertions();
        removable.retain(|&at| {
            let tree = Tree::read(&self.query.pieces[at].text);
            let mut words = (0..tree.nodes.len()).filter_map(|node| tree.word(node));
            self.query.is_quantified(at) && !words.any(|word| used.contains(word))
        });
        let exploding: Vec<usize> = removable
            .iter()
            .copied()
            .filter(|&at| {
                let mut own = all_quantifiers(&self.query.pieces[at..=at]).into_iter();
                own.any(|(_, one)| exploding.iter().any(|known| known.name == one.name))
            })
            .collect();
        let core = self.core(examined);
        if let Some(core) = &core {
            removable.retain(|at| !core.contains(at));
        }
        let mut starts: Vec<Vec<usize>> = exploding.iter().map(|&one| vec![one]).collect();
        starts.push(exploding);
        starts.push(removable);
        if core.is_some() {
            // What a proof does not need is the surest start.
            starts.reverse();
        }
        let starts: Vec<Gone> = starts.into_iter().map(Gone).collect();
        let Ok(mut search) = Search::begin((), starts, None, Tries(self)) else {
            return Vec::new();
        };
        let all = search.state.0.clone();
        search.bisect(all.len(), false, 1, Gain::Smaller, &|(), now, kept| {
            let kept: Vec<usize> = kept.iter().map(|&at| all[at]).collect();
            Some(Gone(now.0.iter().copied().filter(|at| !kept.contains(at)).collect()))
        });
        loop {
            let count = search.state.0.len();
            let fewer = |(): &mut (), now: &Gone, at: usize| {
                let mut gone = now.0.clone();
                gone.remove(at);
                Some(Gone(gone))
            };
            if count < 2 || search.first_of(count, &fewer, Gain::Smaller).is_none() {
                break;
            }
        }
        search.state.0
    }

    /// The suggestion to leave out some assertions.
    fn dropping(&mut self, gone: &[usize]) -> Option<Suggestion> {
        if gone.is_empty() {
            return None;
        }
        let name = |&at: &usize| (self.query.name(at), self.query.pieces[at].line);
        let change = Change::Drop(gone.iter().map(name).collect());
        self.suggestion(&self.query.without(gone), change)
    }

    /// The assertions that a proof uses: the core of the first run that succeeds.
    fn core(&mut self, examined: &Examined) -> Option<Vec<usize>> {
        if self.counted.engine.meter() != Meter::Z3 {
            return None;
        }
        let solved = examined.samples.iter().filter(|sample| sample.success);
        let solved = solved.map(|sample| Some((sample.class, sample.number)));
        let own = examined.original.answer().map(|_| None);
        for mutant in own.into_iter().chain(solved).take(2) {
            // Assertions keep their names where they are moved.
            let mut query = self.query.clone();
            for at in self.query.assertions() {
                let text = &self.query.pieces[at].text;
                let Some(formula) = text.strip_prefix("(assert").and_then(|t| t.strip_suffix(')'))
                else {
                    continue;
                };
                query.pieces[at].text = format!("(assert (! {formula} :named core!{at}))");
            }
            let Some(mut stated) = self.stated(&query, mutant) else { continue };
            let _ = write!(stated.check, "\n(get-unsat-core)");
            let script = Meter::Z3.script(
                &stated,
                self.limit.saturating_mul(2),
                "(set-option :produce-unsat-cores true)\n",
            );
            self.counted.runs += 1;
            let said = self.counted.engine.run(&script, self.counted.wall);
            if !matches!(Meter::Z3.outcome(&said), Run::Solved(Answer::Unsat, _)) {
                continue;
            }
            let words = said.after_result().split(['(', ')', ' ', '\n']);
            return Some(
                words.filter_map(|word| word.strip_prefix("core!")?.parse().ok()).collect(),
            );
        }
        None
    }

    /// Other patterns of exploding and dropped quantifiers that make the query stable, at most one
    /// for each quantifier.
    fn patterns(
        &mut self,
        gave_up: bool,
        exploding: &[Instances],
        dropped: &[usize],
    ) -> Vec<Suggestion> {
        let functions: FxHashSet<String> = self
            .query
            .pieces
            .iter()
            .filter(|piece| piece.part == Part::Declaration)
            .filter_map(|piece| {
                let tree = Tree::read(&piece.text);
                let name = tree.members(0).get(1).and_then(|&name| tree.word(name))?;
                Some(name.to_owned())
            })
            .collect();
        let mut suspects: Vec<(usize, Quantifier)> = Vec::new();
        for &at in dropped.iter().chain(&self.query.assertions()) {
            for (_, one) in all_quantifiers(&self.query.pieces[at..=at]) {
                let named = exploding.iter().any(|known| known.name == one.name);
                let is_suspect = gave_up || named || dropped.contains(&at);
                if is_suspect && !suspects.contains(&(at, one.clone())) {
                    suspects.push((at, one));
                }
            }
        }
        if !gave_up {
            suspects.truncate(LISTED);
        }
        let mut found = Vec::new();
        for (at, quantifier) in suspects {
            let text = &self.query.pieces[at].text;
            for other in others(text, quantifier.rank, &functions, !gave_up) {
                if self.counted.runs >= self.until {
                    return found;
                }
                let changed = self.query.with(at, other.text);
                if !self.repairs(&changed, &[]) {
                    self.refused += 1;
                    continue;
                }
                let change = Change::Pattern {
                    name: quantifier.name.clone(),
                    line: quantifier.line,
                    old: other.old,
                    new: other.new,
                };
                if let Some(suggestion) = self.suggestion(&changed, change) {
                    found.push(suggestion);
                    break;
                }
            }
        }
        found
    }
}

/// Assertions that are left out.
#[derive(Clone)]
struct Gone(Vec<usize>);

impl Reducible for Gone {
    type Home = ();
    type Candidate = Gone;
    type Learnt = ();

    fn candidate(&mut self, (): &(), _: Option<(&Gone, &Gone)>) -> Option<Gone> {
        (!self.0.is_empty()).then(|| self.clone())
    }
}

impl Candidate for Gone {
    type Size = usize;

    fn size(&self) -> usize {
        self.0.len()
    }

    fn key(&self, mut state: &mut dyn Hasher) {
        self.0.hash(&mut state);
    }
}

/// Tests sets of assertions to leave out.
struct Tries<'f, 'q, 'c, 'e>(&'f mut Finding<'q, 'c, 'e>);

impl Panel<Gone> for Tries<'_, '_, '_, '_> {
    fn test(&mut self, sets: &[&Gone]) -> Vec<Tested<()>> {
        let test = |set: &&Gone| {
            let query = self.0.query;
            let gone: Vec<usize> = set.0.iter().map(|&at| query.pieces[at].id).collect();
            Tested::when(self.0.repairs(query, &gone), "it does not become stable")
        };
        sets.iter().map(test).collect()
    }

    fn is_over(&self, _: &Counts) -> bool {
        self.0.counted.runs >= self.0.until
    }
}
