//! Several suites as one: their cases take turns.

use assay_case::{CaseId, Category, MakeError, Selection, Suite, TestCase};

/// The cases of several suites.
pub struct Several {
    suites: Vec<Box<dyn Suite>>,
    /// The index of the first category of each suite.
    first: Vec<u32>,
}

impl Several {
    /// Combines these suites; there must be at least one.
    #[must_use]
    pub fn new(suites: Vec<Box<dyn Suite>>) -> Several {
        let mut next = 0;
        let first = suites.iter().map(|suite| {
            let first = next;
            next += u32::try_from(suite.categories().len()).expect("a suite has few categories");
            first
        });
        Several { first: first.collect(), suites }
    }
}

impl Suite for Several {
    fn name(&self) -> &str {
        "several"
    }

    fn categories(&self) -> Vec<Category> {
        self.suites.iter().flat_map(|suite| suite.categories()).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let own = Selection { limit: None, shard: None, ..selection.clone() };
        let streams: Vec<_> = self
            .suites
            .iter()
            .zip(&self.first)
            .map(|(suite, &first)| {
                let cases = suite.cases(&own);
                Some(cases.map(move |id| CaseId { category: first + id.category, ..id }))
            })
            .collect();
        // Each of the suites drew this many.
        let most =
            selection.sample.map_or(usize::MAX, |count| count.try_into().unwrap_or(usize::MAX));
        selection.cut(Turns { streams, at: 0 }.take(most))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let at = self.first.iter().rposition(|&first| first <= id.category).unwrap_or(0);
        self.suites[at].make(CaseId { category: id.category - self.first[at], ..id })
    }
}

/// One of each stream in turn, until all are exhausted.
struct Turns<I> {
    streams: Vec<Option<I>>,
    at: usize,
}

impl<I: Iterator> Iterator for Turns<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        for _ in 0..self.streams.len() {
            let at = self.at;
            self.at = (at + 1) % self.streams.len();
            if let Some(stream) = &mut self.streams[at] {
                match stream.next() {
                    Some(item) => return Some(item),
                    None => self.streams[at] = None,
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_take_turns_until_all_have_ended() {
        let turns = Turns { streams: vec![Some(1..4), Some(10..11), Some(20..22)], at: 0 };
        assert_eq!(turns.collect::<Vec<_>>(), [1, 10, 20, 2, 21, 3]);
    }
}
