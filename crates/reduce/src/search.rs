//! The search: candidates in a fixed order, of which the first that still shows what it should is
//! taken. Several are tested at once; which is taken does not depend on who is faster.

use crate::candidate::{Candidate, Learnt, Tester, Verdict};
use crate::size::Size;
use crate::state::{State, Witness};
use assay_smtlib::{Command, Dialect, Sharing};
use assay_term::Store;
use rustc_hash::FxHashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::thread;

/// Makes a candidate of the script as it is; none where there is nothing to change.
pub(crate) type Step<'s> = dyn Fn(&mut Store, &State) -> Option<State> + 's;

/// Makes a candidate by the steps at these positions, all of them.
pub(crate) type Steps<'s> = dyn Fn(&mut Store, &State, &[usize]) -> Option<State> + 's;

/// How a step's result must compare with what is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gain {
    /// It must be smaller.
    Smaller,
    /// It may be of any size: it makes later steps possible.
    Any,
}

/// Counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Candidates that were tested.
    pub tests: usize,
    /// Those that were taken.
    pub taken: usize,
    /// Candidates that had been tested before.
    pub cached: usize,
}

/// What is told while the search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// How large the script is now.
    pub size: Size,
    /// What was done.
    pub counts: Counts,
}

/// A state that passed all that can be said without a test.
struct Ready {
    state: State,
    candidate: Candidate,
    size: Size,
    key: u64,
}

/// Who is asked, and what is known of the answers.
pub(crate) struct Search<'a> {
    pub(crate) store: Store,
    pub(crate) state: State,
    pub(crate) text: String,
    pub(crate) size: Size,
    pub(crate) counts: Counts,
    testers: Vec<Box<dyn Tester + 'a>>,
    known: FxHashMap<u64, Verdict>,
    stop: &'a dyn Fn() -> bool,
    progress: &'a mut dyn FnMut(Progress),
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        store: Store,
        state: State,
        testers: Vec<Box<dyn Tester + 'a>>,
        stop: &'a dyn Fn() -> bool,
        progress: &'a mut dyn FnMut(Progress),
    ) -> Search<'a> {
        let text = state.text(&store);
        let size = Size::of(&text);
        let (counts, known) = (Counts::default(), FxHashMap::default());
        Search { store, state, text, size, counts, testers, known, stop, progress }
    }

    /// Whether time is over.
    pub(crate) fn is_over(&self) -> bool {
        (self.stop)()
    }

    /// Finds the words in which the script shows what it should.
    pub(crate) fn speak(&mut self, dialects: &[Dialect], before: Size) -> Result<(), String> {
        let mut first = None;
        for &dialect in dialects {
            self.state.dialect = dialect;
            self.state.sharing = Sharing::Auto;
            self.text = self.state.text(&self.store);
            let shared = State { sharing: Sharing::Always, ..self.state.clone() };
            let text = shared.text(&self.store);
            // Terms are easier to read as they are; where that is longer than the file was, it
            // had `let`.
            let plain = Size::of(&self.text);
            if plain > before && Size::of(&text) < plain {
                (self.state, self.text) = (shared, text);
            }
            self.size = Size::of(&self.text);
            let candidate = self.state.candidate(self.text.clone());
            match self.test(&candidate) {
                Verdict::Shown(_) => return Ok(()),
                Verdict::Not(reason) => {
                    first.get_or_insert(reason);
                }
            }
        }
        Err(first.unwrap_or_default())
    }

    /// Tests one candidate by itself.
    pub(crate) fn test(&mut self, candidate: &Candidate) -> Verdict {
        let key = key(candidate);
        if let Some(verdict) = self.known.get(&key) {
            return verdict.clone();
        }
        self.counts.tests += 1;
        let verdict = self.testers[0].test(candidate);
        self.known.insert(key, verdict.clone());
        verdict
    }

    /// Takes the first of the steps that leads to something that still shows what it should, and
    /// says which it was.
    pub(crate) fn first(&mut self, steps: &[Box<Step<'_>>], gain: Gain) -> Option<usize> {
        self.first_of(steps.len(), &|store, state, at| steps[at](store, state), gain)
    }

    /// The same for numbered steps.
    pub(crate) fn first_of(
        &mut self,
        count: usize,
        step: &dyn Fn(&mut Store, &State, usize) -> Option<State>,
        gain: Gain,
    ) -> Option<usize> {
        let mut next = 0;
        while next < count && !self.is_over() {
            let mut batch: Vec<(usize, Ready)> = Vec::new();
            while next < count && batch.len() < self.testers.len() && !self.is_over() {
                let state = step(&mut self.store, &self.state, next);
                if let Some(ready) = state.and_then(|state| self.ready(state, gain)) {
                    batch.push((next, ready));
                }
                next += 1;
            }
            let verdicts = self.verdicts(&batch);
            for ((at, ready), verdict) in batch.into_iter().zip(verdicts) {
                if let Verdict::Shown(learnt) = verdict {
                    self.take(ready, learnt);
                    return Some(at);
                }
            }
        }
        None
    }

    /// A candidate that is worth a test.
    fn ready(&mut self, mut state: State, gain: Gain) -> Option<Ready> {
        let store = state.home.clone();
        let store = store.as_deref().unwrap_or(&self.store);
        state.settle(store, &self.state);
        let text = state.text(store);
        let size = Size::of(&text);
        if text == self.text || gain == Gain::Smaller && size >= self.size {
            return None;
        }
        let asks = !state.asks || state.commands.iter().any(Command::is_check);
        // What nobody mentions may still be needed by something else that nobody mentions.
        let reads = !state.hoards || State::read(&mut Store::new(), &text, None).is_ok();
        if !asks || !reads {
            return None;
        }
        let candidate = state.candidate(text);
        let key = key(&candidate);
        if let Some(Verdict::Not(_)) = self.known.get(&key) {
            self.counts.cached += 1;
            return None;
        }
        Some(Ready { state, candidate, size, key })
    }

    /// What the testers say about candidates, all at once.
    fn verdicts(&mut self, batch: &[(usize, Ready)]) -> Vec<Verdict> {
        let asked: Vec<&Ready> = batch
            .iter()
            .map(|(_, ready)| ready)
            .filter(|ready| !self.known.contains_key(&ready.key))
            .collect();
        let said: Vec<Verdict> = match &asked[..] {
            [only] => vec![self.testers[0].test(&only.candidate)],
            asked => thread::scope(|scope| {
                let workers: Vec<_> = asked
                    .iter()
                    .zip(self.testers.iter_mut())
                    .map(|(ready, tester)| scope.spawn(move || tester.test(&ready.candidate)))
                    .collect();
                let lost = |_| Verdict::Not("the test panicked".to_owned());
                workers.into_iter().map(|worker| worker.join().unwrap_or_else(lost)).collect()
            }),
        };
        self.counts.tests += asked.len();
        let keys: Vec<u64> = asked.iter().map(|ready| ready.key).collect();
        self.known.extend(keys.into_iter().zip(said));
        batch.iter().map(|(_, ready)| self.known[&ready.key].clone()).collect()
    }

    fn take(&mut self, ready: Ready, learnt: Learnt) {
        let Ready { mut state, candidate, size, .. } = ready;
        if let Some(text) = learnt.witness {
            state.witness = Some(Witness { text: text.into(), model: None });
        }
        if let Some(home) = state.home.take() {
            self.store = Arc::unwrap_or_clone(home);
        }
        (self.state, self.text, self.size) = (state, candidate.text, size);
        self.counts.taken += 1;
        (self.progress)(Progress { size: self.size, counts: self.counts });
    }

    /// Reads a model that was learnt, so that steps can make use of it.
    pub(crate) fn refresh(&mut self) {
        let unread = self.state.witness.as_ref().is_some_and(|witness| witness.model.is_none());
        if !unread || self.state.core.is_some() {
            return;
        }
        if let Some(mut state) = self.state.reread(&self.store) {
            if let Some(home) = state.home.take() {
                self.store = Arc::unwrap_or_clone(home);
                self.state = state;
            }
        }
    }

    /// Takes as many of the steps as it can, many at a time: all of a range, else each half of it.
    /// The step is given positions and does all of them; ranges of so few are not divided.
    pub(crate) fn bisect(
        &mut self,
        count: usize,
        whole: bool,
        least: usize,
        gain: Gain,
        step: &Steps<'_>,
    ) {
        let mut open: Vec<Vec<usize>> = match count {
            0 => return,
            _ if whole => vec![(0..count).collect()],
            1 => vec![vec![0]],
            _ => vec![(count / 2..count).collect(), (0..count / 2).collect()],
        };
        while !open.is_empty() && !self.is_over() {
            // What comes next if nothing is taken; on success the rest is looked at anew.
            let mut ahead = Vec::new();
            let mut rest = open.clone();
            while ahead.len() < self.testers.len() {
                let Some(range) = rest.pop() else { break };
                if range.len() > least {
                    let (left, right) = range.split_at(range.len() / 2);
                    rest.push(right.to_vec());
                    rest.push(left.to_vec());
                }
                ahead.push((range, rest.clone()));
            }
            let ranges = |store: &mut Store, state: &State, at: usize| -> Option<State> {
                let (range, _): &(Vec<usize>, _) = &ahead[at];
                step(store, state, range)
            };
            match self.first_of(ahead.len(), &ranges, gain) {
                Some(taken) => {
                    // Everything before it failed and was split; it was not.
                    let (range, mut after) = ahead.swap_remove(taken);
                    if range.len() > least {
                        after.truncate(after.len() - 2);
                    }
                    open = after;
                }
                None => open = rest,
            }
        }
    }
}

fn key(candidate: &Candidate) -> u64 {
    let mut hasher = DefaultHasher::new();
    candidate.text.hash(&mut hasher);
    candidate.keeps_core.hash(&mut hasher);
    candidate.witness.hash(&mut hasher);
    hasher.finish()
}
