//! How long a campaign stays with a seed. Formulas made from one seed tend to be too hard together,
//! and a campaign that waits for each of them has no time left for the others.

use assay_case::{Answer, Origin};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Which seeds have kept which targets waiting, in this sitting.
pub(crate) struct Patience {
    limit: Option<u32>,
    waited: Mutex<HashMap<(usize, Vec<String>), u32>>,
}

impl Patience {
    /// So many timeouts are waited for; any number, where there is none.
    pub(crate) fn new(limit: Option<u32>) -> Patience {
        Patience { limit, waited: Mutex::default() }
    }

    /// Why a case is not run on a target.
    pub(crate) fn refuses(&self, target: usize, origin: &Origin) -> Option<String> {
        let limit = self.limit.filter(|_| !origin.seeds.is_empty())?;
        let waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        let count = *waited.get(&(target, origin.seeds.clone()))?;
        (count >= limit).then(|| format!("{limit} formulas from the same seed were too slow"))
    }

    /// Takes note of a target's answer.
    pub(crate) fn note(&self, target: usize, origin: &Origin, answer: &Answer) {
        if self.limit.is_some() && !origin.seeds.is_empty() && *answer == Answer::Timeout {
            let mut waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
            *waited.entry((target, origin.seeds.clone())).or_default() += 1;
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
    fn slow_seeds_are_given_up_on_the_target_that_they_slow_down() {
        let patience = Patience::new(Some(2));
        for _ in 0..2 {
            assert_eq!(patience.refuses(0, &from(&["slow"])), None);
            patience.note(0, &from(&["slow"]), &Answer::Timeout);
            patience.note(0, &from(&["quick"]), &Answer::Sat);
            patience.note(0, &from(&[]), &Answer::Timeout);
        }
        assert!(patience.refuses(0, &from(&["slow"])).is_some());
        for (target, seeds) in
            [(1, &["slow"][..]), (0, &["quick"]), (0, &["slow", "quick"]), (0, &[])]
        {
            assert_eq!(patience.refuses(target, &from(seeds)), None);
        }
    }

    #[test]
    fn endless_patience_refuses_nothing() {
        let patience = Patience::new(None);
        (0..9).for_each(|_| patience.note(0, &from(&["slow"]), &Answer::Timeout));
        assert_eq!(patience.refuses(0, &from(&["slow"])), None);
    }
}
