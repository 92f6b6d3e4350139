//! Several suites as one: their cases take turns.

use crate::suite::{CaseId, Category, MakeError, Selection, Suite};
use crate::test_case::TestCase;

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

/// A suite whose categories begin with its name: `strings/chain`.
pub struct Prefixed(pub Box<dyn Suite>);

impl Suite for Prefixed {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn categories(&self) -> Vec<Category> {
        let prefixed = |category: Category| {
            let name = format!("{}/{}", self.name(), category.name);
            Category { name, ..category }
        };
        self.0.categories().into_iter().map(prefixed).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let prefix = format!("{}/", self.name());
        let own = selection.categories.iter().filter_map(|name| name.strip_prefix(&prefix));
        let categories: Vec<String> = own.map(str::to_owned).collect();
        if categories.is_empty() && !selection.categories.is_empty() {
            return Box::new(std::iter::empty());
        }
        self.0.cases(&Selection { categories, ..selection.clone() })
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        self.0.make(id)
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
    use crate::answer::Expected;

    /// A suite of this many cases in each of two categories.
    struct Toy(&'static str, u128);

    impl Suite for Toy {
        fn name(&self) -> &str {
            self.0
        }

        fn categories(&self) -> Vec<Category> {
            ["a", "b"]
                .map(|name| Category {
                    name: name.to_owned(),
                    group: String::new(),
                    expected: Expected::Open,
                })
                .into()
        }

        fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
            let wanted: Vec<bool> =
                self.categories().iter().map(|category| selection.wants(category)).collect();
            let all =
                (0..self.1).flat_map(|index| [0, 1].map(|category| CaseId { category, index }));
            selection.cut(all.filter(move |id| wanted[id.category as usize]))
        }

        fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
            Err(MakeError::NoSuchCase(format!("{} {id}", self.0)))
        }
    }

    #[test]
    fn categories_of_several_suites_have_distinct_names() {
        let named = |name, count| Box::new(Prefixed(Box::new(Toy(name, count)))) as Box<dyn Suite>;
        let several = Several::new(vec![named("x", 2), named("y", 1)]);
        let names: Vec<String> = several.categories().into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["x/a", "x/b", "y/a", "y/b"]);
        let cases = |categories: &[&str]| {
            let categories = categories.iter().map(|&name| name.to_owned()).collect();
            let selection = Selection { categories, ..Selection::default() };
            several.cases(&selection).map(|id| id.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(cases(&[]), "0.0 2.0 1.0 3.0 0.1 1.1");
        assert_eq!(cases(&["y/b"]), "3.0");
        assert_eq!(cases(&["x/b", "y/a"]), "1.0 2.0 1.1");
        let made = several.make(CaseId { category: 3, index: 7 }).map(|_| ());
        assert_eq!(made, Err(MakeError::NoSuchCase("y 1.7".into())));
    }

    #[test]
    fn streams_alternate_until_all_have_ended() {
        let turns = Turns { streams: vec![Some(1..4), Some(10..11), Some(20..22)], at: 0 };
        assert_eq!(turns.collect::<Vec<_>>(), [1, 10, 20, 2, 21, 3]);
    }
}
