//! The search behind every reduction.
//!
//! Formulas, C programs, domain traces and sets of triggering terms differ in what can be edited
//! and in who decides whether a candidate is still interesting. The rest is implemented here once:
//! candidates are tried in a fixed order, several at a time; the first interesting one is accepted;
//! no candidate is tested twice; and the search stops when its panel says so. The number of testers
//! does not change the result.
//!
//! This crate knows no kind of subject, starts no process and reads no clock.
//!
//! ```
//! use assay_search::{Candidate, Counts, Gain, Panel, Reducible, Search, Tested};
//! use std::hash::Hasher;
//!
//! #[derive(Clone)]
//! struct Word(String);
//!
//! impl Reducible for Word {
//!     type Home = ();
//!     type Candidate = Word;
//!     type Learnt = ();
//!     fn candidate(&mut self, (): &(), _: Option<(&Word, &Word)>) -> Option<Word> {
//!         Some(self.clone())
//!     }
//! }
//!
//! impl Candidate for Word {
//!     type Size = usize;
//!     fn size(&self) -> usize {
//!         self.0.len()
//!     }
//!     fn key(&self, state: &mut dyn Hasher) {
//!         state.write(self.0.as_bytes());
//!     }
//! }
//!
//! struct HasVowel;
//!
//! impl Panel<Word> for HasVowel {
//!     fn test(&mut self, words: &[&Word]) -> Vec<Tested<()>> {
//!         words.iter().map(|word| Tested::when(word.0.contains('a'), "no vowel")).collect()
//!     }
//!     fn is_over(&self, _: &Counts) -> bool {
//!         false
//!     }
//! }
//!
//! let mut search = Search::begin((), [Word("reduction as text".into())], None, HasVowel)?;
//! search.bisect("reduction as text".len(), true, 1, Gain::Smaller, &|(), word, gone| {
//!     // Counted from the right, positions stay valid while others are removed.
//!     let kept = word.0.chars().rev().enumerate().filter(|(at, _)| !gone.contains(at));
//!     Some(Word(kept.map(|(_, letter)| letter).collect::<Vec<_>>().into_iter().rev().collect()))
//! });
//! assert!(search.state.0.contains('a'));
//! # Ok::<(), assay_search::Refusal>(())
//! ```

mod panel;

pub use panel::{Panel, Progress, Tester, Workers};

use rustc_hash::FxHashMap;
use std::hash::{DefaultHasher, Hasher};
use std::ops::AddAssign;

/// Something that can be reduced, in one of its states.
pub trait Reducible: Sized {
    /// Data shared by all states, such as the store of their terms.
    type Home;
    /// The tested value.
    type Candidate: Candidate;
    /// What a test may learn in addition to its result.
    type Learnt: Clone + Send;

    /// Normalizes an edited state and returns its candidate; `None` if that is not worth a test.
    /// `now` is the state before the edit, with its candidate.
    fn candidate(
        &mut self,
        home: &Self::Home,
        now: Option<(&Self, &Self::Candidate)>,
    ) -> Option<Self::Candidate>;

    /// Uses what the test learned when the state is accepted.
    fn taken(&mut self, home: &mut Self::Home, learnt: Self::Learnt) {
        let _ = (home, learnt);
    }
}

/// The tested value.
pub trait Candidate: Sync {
    /// The size of a candidate.
    type Size: Ord + Copy;

    /// Its size.
    fn size(&self) -> Self::Size;

    /// Hashes everything that a test depends on.
    fn key(&self, state: &mut dyn Hasher);
}

/// The size of a state's candidate.
pub type SizeOf<S> = <<S as Reducible>::Candidate as Candidate>::Size;

/// The result of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tested<L> {
    /// The candidate still shows what it should.
    Shown(L),
    /// It does not, for this reason.
    Not(String),
}

impl<L> Tested<L> {
    /// Whether the candidate shows what it should.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        matches!(self, Tested::Shown(_))
    }
}

impl<L: Default> Tested<L> {
    /// The result of a test that learns nothing else.
    #[must_use]
    pub fn when(shown: bool, otherwise: &str) -> Tested<L> {
        if shown { Tested::Shown(L::default()) } else { Tested::Not(otherwise.to_owned()) }
    }
}

/// How the result of an edit must compare with the current state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gain {
    /// It must be smaller.
    Smaller,
    /// It may have any size: it enables later edits, or is simpler in another way.
    Any,
}

/// Counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Candidates that were tested.
    pub tests: usize,
    /// Accepted candidates.
    pub taken: usize,
    /// Candidates that were already tested before.
    pub cached: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.tests += more.tests;
        self.taken += more.taken;
        self.cached += more.cached;
    }
}

/// Why a search does not start.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The input is not interesting.
    #[error("the input does not show what to keep: {0}")]
    Dull(String),
    /// The empty input is interesting too.
    #[error("the empty case shows it too: the condition is too weak for a reduction")]
    Trivial,
}

/// A running reduction.
pub struct Search<S: Reducible, P> {
    /// Data shared by all states.
    pub home: S::Home,
    /// The smallest state so far.
    pub state: S,
    /// Its candidate.
    pub candidate: S::Candidate,
    /// Its size.
    pub size: SizeOf<S>,
    /// Counts of the search.
    pub counts: Counts,
    /// The testers.
    pub panel: P,
    known: FxHashMap<u64, Tested<S::Learnt>>,
}

/// An edited state that is worth a test.
struct Ready<S: Reducible> {
    edit: usize,
    state: S,
    candidate: S::Candidate,
    size: SizeOf<S>,
    key: u64,
}

/// Makes the edited state; `None` if the edit changes nothing.
pub type Step<'e, S> = dyn Fn(&mut <S as Reducible>::Home, &S) -> Option<S> + 'e;

/// Makes the state after the edit with this number; `None` if it changes nothing.
pub type Edit<'e, S> = dyn Fn(&mut <S as Reducible>::Home, &S, usize) -> Option<S> + 'e;

/// Makes the state after all edits with these numbers.
pub type Edits<'e, S> = dyn Fn(&mut <S as Reducible>::Home, &S, &[usize]) -> Option<S> + 'e;

impl<S: Reducible, P: Panel<S>> Search<S, P> {
    /// Starts with the first interesting state, and makes sure that the empty candidate, if there
    /// is one, is not interesting.
    ///
    /// # Errors
    /// The reason why there is nothing to reduce.
    pub fn begin(
        home: S::Home,
        starts: impl IntoIterator<Item = S>,
        empty: Option<&S::Candidate>,
        mut panel: P,
    ) -> Result<Search<S, P>, Refusal> {
        let mut reason = None;
        let mut known = FxHashMap::default();
        for mut state in starts {
            let Some(candidate) = state.candidate(&home, None) else { continue };
            match ask(&mut panel, &mut known, &candidate) {
                Tested::Shown(learnt) => {
                    let size = candidate.size();
                    let mut counts = Counts { tests: known.len(), ..Counts::default() };
                    if let Some(empty) = empty {
                        let trivial = ask(&mut panel, &mut known, empty).is_shown();
                        if trivial {
                            return Err(Refusal::Trivial);
                        }
                        counts.tests = known.len();
                    }
                    let mut home = home;
                    state.taken(&mut home, learnt);
                    return Ok(Search { home, state, candidate, size, counts, panel, known });
                }
                Tested::Not(why) => {
                    reason.get_or_insert(why);
                }
            }
        }
        Err(Refusal::Dull(reason.unwrap_or_default()))
    }

    /// Whether the search must stop.
    pub fn is_over(&self) -> bool {
        self.panel.is_over(&self.counts)
    }

    /// Accepts the first step with an interesting result, and returns its index.
    pub fn first(&mut self, steps: &[Box<Step<'_, S>>], gain: Gain) -> Option<usize> {
        self.first_of(steps.len(), &|home, state, at| steps[at](home, state), gain)
    }

    /// The same for numbered edits.
    pub fn first_of(&mut self, count: usize, edit: &Edit<'_, S>, gain: Gain) -> Option<usize> {
        let mut next = 0;
        while next < count && !self.is_over() {
            let mut batch: Vec<Ready<S>> = Vec::new();
            while next < count && batch.len() < self.panel.width() && !self.is_over() {
                let state = edit(&mut self.home, &self.state, next);
                batch.extend(state.and_then(|state| self.ready(next, state, gain)));
                next += 1;
            }
            let said = self.said(&batch);
            for (ready, tested) in batch.into_iter().zip(said) {
                if let Tested::Shown(learnt) = tested {
                    let edit = ready.edit;
                    self.take(ready, learnt);
                    return Some(edit);
                }
            }
        }
        None
    }

    /// A candidate that is worth a test.
    fn ready(&mut self, edit: usize, mut state: S, gain: Gain) -> Option<Ready<S>> {
        let candidate = state.candidate(&self.home, Some((&self.state, &self.candidate)))?;
        let size = candidate.size();
        if gain == Gain::Smaller && size >= self.size {
            return None;
        }
        let key = key::<S>(&candidate);
        if let Some(Tested::Not(_)) = self.known.get(&key) {
            self.counts.cached += 1;
            return None;
        }
        Some(Ready { edit, state, candidate, size, key })
    }

    /// The panel's results for candidates, all at once.
    fn said(&mut self, batch: &[Ready<S>]) -> Vec<Tested<S::Learnt>> {
        let asked: Vec<&Ready<S>> =
            batch.iter().filter(|ready| !self.known.contains_key(&ready.key)).collect();
        if !asked.is_empty() {
            let candidates: Vec<&S::Candidate> =
                asked.iter().map(|ready| &ready.candidate).collect();
            let said = self.panel.test(&candidates);
            self.counts.tests += asked.len();
            self.known.extend(asked.iter().map(|ready| ready.key).zip(said));
        }
        batch.iter().map(|ready| self.known[&ready.key].clone()).collect()
    }

    fn take(&mut self, ready: Ready<S>, learnt: S::Learnt) {
        let Ready { mut state, candidate, size, .. } = ready;
        state.taken(&mut self.home, learnt);
        (self.state, self.candidate, self.size) = (state, candidate, size);
        self.counts.taken += 1;
        self.panel.taken(Progress { size, counts: self.counts });
    }

    /// Accepts as many edits as possible, many at a time: a whole range, otherwise each half of it.
    /// Ranges of `least` edits are not divided; `whole` says whether to try all at once first.
    pub fn bisect(
        &mut self,
        count: usize,
        whole: bool,
        least: usize,
        gain: Gain,
        edits: &Edits<'_, S>,
    ) {
        let mut open: Vec<Vec<usize>> = match count {
            0 => return,
            _ if whole => vec![(0..count).collect()],
            1 => vec![vec![0]],
            _ => vec![(count / 2..count).collect(), (0..count / 2).collect()],
        };
        while !open.is_empty() && !self.is_over() {
            // The next ranges if nothing is accepted; after a success the rest is reconsidered.
            let mut ahead = Vec::new();
            let mut rest = open.clone();
            while ahead.len() < self.panel.width() {
                let Some(range) = rest.pop() else { break };
                if range.len() > least {
                    let (left, right) = range.split_at(range.len() / 2);
                    rest.push(right.to_vec());
                    rest.push(left.to_vec());
                }
                ahead.push((range, rest.clone()));
            }
            let ranges = |home: &mut S::Home, state: &S, at: usize| -> Option<S> {
                let (range, _): &(Vec<usize>, _) = &ahead[at];
                edits(home, state, range)
            };
            match self.first_of(ahead.len(), &ranges, gain) {
                Some(taken) => {
                    // All earlier ranges failed and were split; this one succeeded.
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

/// Tests one candidate before the search starts.
fn ask<S: Reducible, P: Panel<S>>(
    panel: &mut P,
    known: &mut FxHashMap<u64, Tested<S::Learnt>>,
    candidate: &S::Candidate,
) -> Tested<S::Learnt> {
    let said = || panel.test(&[candidate]).pop().expect("one candidate has one answer");
    known.entry(key::<S>(candidate)).or_insert_with(said).clone()
}

fn key<S: Reducible>(candidate: &S::Candidate) -> u64 {
    let mut hasher = DefaultHasher::new();
    candidate.key(&mut hasher);
    hasher.finish()
}
