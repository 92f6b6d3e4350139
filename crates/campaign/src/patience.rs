//! Gives up on slow seeds. Formulas made from one seed tend to be too hard together, and a campaign
//! that waits for each of them has no time left for others.

use crate::confirm::Settled;
use assay_case::{Answer, Doubt, Judgement, Origin};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// The timeouts of seeds on targets since the run was started or resumed.
pub(crate) struct Patience {
    limit: Option<u32>,
    /// The number of timeouts of each target on formulas made from a seed.
    waited: Mutex<HashMap<(usize, String), u32>>,
}

/// Whether a case used up its time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waited {
    /// It finished within the limit.
    Briefly,
    /// It timed out: in the target, or while we evaluated the target's model.
    InVain,
}

impl Waited {
    pub(crate) fn of(settled: &Settled) -> Waited {
        let slow = matches!(settled.judgement, Judgement::Inconclusive(Doubt::Slow));
        match settled.run.observation.answer {
            Answer::Timeout => Waited::InVain,
            _ if slow => Waited::InVain,
            _ => Waited::Briefly,
        }
    }
}

impl Patience {
    /// Gives up on a seed after this many timeouts; never if `None`.
    pub(crate) fn new(limit: Option<u32>) -> Patience {
        Patience { limit, waited: Mutex::default() }
    }

    /// Why a case is not run on a target; `None` if it is.
    pub(crate) fn refuses(&self, target: usize, origin: &Origin) -> Option<String> {
        let limit = self.limit?;
        let waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        let slow = |seed: &String| {
            waited.get(&(target, seed.clone())).is_some_and(|&count| count >= limit)
        };
        let any = origin.seeds.iter().any(slow);
        any.then(|| format!("{limit} formulas from the same seed timed out"))
    }

    /// Records whether a case timed out. All seeds of the formula are blamed: innocent ones soon
    /// occur with other partners.
    pub(crate) fn note(&self, target: usize, origin: &Origin, waited: Waited) {
        if self.limit.is_some() && waited == Waited::InVain {
            let mut waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
            for seed in origin.seeds.iter().collect::<BTreeSet<_>>() {
                *waited.entry((target, seed.clone())).or_default() += 1;
            }
        }
    }
}

impl Patience {
    /// A formula that was given up early has got its answer since: its seeds are no longer blamed for it.
    pub(crate) fn forgive(&self, target: usize, origin: &Origin) {
        let mut waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        for seed in origin.seeds.iter().collect::<BTreeSet<_>>() {
            if let Some(count) = waited.get_mut(&(target, seed.clone())) {
                *count = count.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(seeds: &[&str]) -> Origin {
        let seeds = seeds.iter().map(|&seed| seed.to_owned()).collect();
        Origin { seeds, ..Origin::default() }
    }

    #[test]
    fn slow_seeds_are_refused_only_on_the_target_they_slow_down() {
        let patience = Patience::new(Some(2));
        for _ in 0..2 {
            assert_eq!(patience.refuses(0, &from(&["slow"])), None);
            patience.note(0, &from(&["slow"]), Waited::InVain);
            patience.note(0, &from(&["quick"]), Waited::Briefly);
            patience.note(0, &from(&[]), Waited::InVain);
        }
        assert!(patience.refuses(0, &from(&["slow"])).is_some());
        assert!(patience.refuses(0, &from(&["quick", "slow"])).is_some());
        for (target, seeds) in [(1, &["slow"][..]), (0, &["quick"]), (0, &[])] {
            assert_eq!(patience.refuses(target, &from(seeds)), None);
        }
    }

    #[test]
    fn every_seed_of_a_slow_formula_is_blamed_once() {
        let patience = Patience::new(Some(2));
        patience.note(0, &from(&["one", "one"]), Waited::InVain);
        assert_eq!(patience.refuses(0, &from(&["one"])), None);
        patience.note(0, &from(&["other", "one"]), Waited::InVain);
        assert!(patience.refuses(0, &from(&["one"])).is_some());
        assert_eq!(patience.refuses(0, &from(&["other"])), None);
    }

    #[test]
    fn late_answers_clear_the_blame_of_seeds() {
        let patience = Patience::new(Some(2));
        patience.note(0, &from(&["one"]), Waited::InVain);
        patience.note(0, &from(&["one"]), Waited::InVain);
        assert!(patience.refuses(0, &from(&["one"])).is_some());
        patience.forgive(0, &from(&["one", "other"]));
        assert_eq!(patience.refuses(0, &from(&["one"])), None);
    }

    #[test]
    fn without_a_limit_no_seed_is_refused() {
        let patience = Patience::new(None);
        (0..9).for_each(|_| patience.note(0, &from(&["slow"]), Waited::InVain));
        assert_eq!(patience.refuses(0, &from(&["slow"])), None);
    }
}
