//! The cases that the shards of a campaign cover together, and those that are missing.

use crate::rows::Done;
use crate::units::counted;
use assay_case::Shard;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// The parts that are merged.
#[derive(Default)]
pub(crate) struct Coverage(Vec<Covered>);

struct Covered {
    folder: PathBuf,
    shard: Shard,
    /// The number of its cases, if it finished.
    finished: Option<u64>,
    rows: u64,
}

impl Coverage {
    pub(crate) fn add(&mut self, folder: &Path, shard: Shard, finished: Option<u64>, rows: u64) {
        self.0.push(Covered { folder: folder.to_owned(), shard, finished, rows });
    }

    /// The missing cases, given the finished cases of each target, and folders without results.
    pub(crate) fn missing(&self, done: &[Done], lost: Vec<PathBuf>) -> Missing {
        let finished: Vec<(Shard, u64)> =
            self.0.iter().filter_map(|part| Some((part.shard, part.finished?))).collect();
        // A part with n cases ends after its n-th place and before its next one.
        let least = finished.iter().map(|(shard, cases)| match cases {
            0 => 0,
            cases => (cases - 1) * shard.of + shard.index + 1,
        });
        let most = finished.iter().map(|(shard, cases)| cases * shard.of + shard.index);
        let (least, most) = (least.max().unwrap_or(0), most.min());
        let undone = |place: &u64| !done.iter().all(|done| done.contains(*place));
        let places: Vec<u64> = (0..least).filter(undone).collect();
        let is_finished = |shard: Shard| finished.iter().any(|(finished, _)| *finished == shard);
        let unfinished = self.0.iter().filter(|part| !is_finished(part.shard));
        Missing {
            least,
            most,
            places,
            absent: self.absent(),
            unfinished: unfinished
                .map(|part| (part.folder.clone(), part.shard, part.rows))
                .collect(),
            lost,
        }
    }

    /// The shards without any results.
    fn absent(&self) -> Vec<Shard> {
        let of: BTreeSet<u64> = self.0.iter().map(|part| part.shard.of).collect();
        let Some(&of) = of.first().filter(|_| of.len() == 1) else { return Vec::new() };
        let here: BTreeSet<u64> = self.0.iter().map(|part| part.shard.index).collect();
        (0..of).filter(|index| !here.contains(index)).map(|index| Shard { index, of }).collect()
    }
}

/// The parts that are missing from a divided campaign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The minimum number of cases in the campaign.
    pub least: u64,
    /// The maximum number of cases, if known.
    pub most: Option<u64>,
    /// The places below [`Missing::least`] that some target lacks.
    pub places: Vec<u64>,
    /// Shards without any results.
    pub absent: Vec<Shard>,
    /// Unfinished parts, with the number of their results.
    pub unfinished: Vec<(PathBuf, Shard, u64)>,
    /// Folders without results.
    pub lost: Vec<PathBuf>,
}

impl Missing {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.places.is_empty() && self.cases().is_some()
    }

    /// The number of cases, if it is certain.
    #[must_use]
    pub fn cases(&self) -> Option<u64> {
        self.most.filter(|most| *most == self.least)
    }
}

/// The number of list items that are printed before the rest is only counted.
const NAMED: usize = 8;

fn list<T>(all: &[T], name: impl Fn(&T) -> String) -> String {
    let mut words: Vec<String> = all.iter().take(NAMED).map(name).collect();
    if all.len() > NAMED {
        words.push(format!("{} more", all.len() - NAMED));
    }
    words.join(", ")
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if !self.absent.is_empty() {
            let shards = list(&self.absent, ToString::to_string);
            parts.push(format!("no results from shards {shards}"));
        }
        if !self.unfinished.is_empty() {
            let one = |(folder, shard, rows): &(PathBuf, Shard, u64)| {
                format!("{} (shard {shard}, {})", folder.display(), counted(*rows, "result"))
            };
            parts.push(format!("not finished: {}", list(&self.unfinished, one)));
        }
        if !self.lost.is_empty() {
            let one = |folder: &PathBuf| folder.display().to_string();
            parts.push(format!("without results: {}", list(&self.lost, one)));
        }
        let all = match (self.cases(), self.most) {
            (Some(cases), _) => format!("{cases}"),
            (None, Some(most)) => format!("{} to {most}", self.least),
            (None, None) => "an unknown number of".to_owned(),
        };
        if !self.places.is_empty() {
            let places = list(&self.places, ToString::to_string);
            let missing = self.places.len();
            parts.push(format!("missing: {missing} of {all} cases ({places})"));
        } else if self.cases().is_none() {
            parts.push(format!("there are {all} cases"));
        }
        f.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(places: impl IntoIterator<Item = u64>) -> Vec<Done> {
        let mut done = Done::default();
        places.into_iter().for_each(|place| done.insert(place));
        vec![done]
    }

    fn shard(text: &str) -> Shard {
        text.parse().expect("a shard")
    }

    /// Ten cases in three parts: four, three and three.
    fn coverage(parts: &[(&str, Option<u64>)]) -> Coverage {
        let mut coverage = Coverage::default();
        for (text, finished) in parts {
            coverage.add(Path::new("p"), shard(text), *finished, finished.unwrap_or(1));
        }
        coverage
    }

    #[test]
    fn complete_results_have_no_missing_cases() {
        let all = coverage(&[("1/3", Some(4)), ("2/3", Some(3)), ("3/3", Some(3))]);
        let missing = all.missing(&done(0..10), Vec::new());
        assert_eq!((missing.is_nothing(), missing.cases()), (true, Some(10)));
        let hole = all.missing(&done((0..10).filter(|place| *place != 4)), Vec::new());
        assert_eq!((hole.is_nothing(), &hole.places[..]), (false, &[4][..]));
        assert_eq!(hole.to_string(), "missing: 1 of 10 cases (4)");
        let whole = coverage(&[("1/1", Some(10))]).missing(&done(0..10), Vec::new());
        assert!(whole.is_nothing());
        let empty = coverage(&[("1/2", Some(0)), ("2/2", Some(0))]).missing(&done([]), Vec::new());
        assert_eq!((empty.is_nothing(), empty.cases()), (true, Some(0)));
    }

    #[test]
    fn lost_and_unfinished_parts_are_named() {
        let absent = coverage(&[("1/3", Some(4)), ("3/3", Some(3))]);
        let missing = absent.missing(&done((0..10).filter(|place| place % 3 != 1)), Vec::new());
        assert_eq!(missing.absent, [shard("2/3")]);
        assert_eq!(
            (missing.least, missing.most, &missing.places[..]),
            (10, Some(11), &[1, 4, 7][..])
        );
        assert!(!missing.is_nothing());
        // Only the missing part knows whether there is an eleventh case.
        assert_eq!(
            missing.to_string(),
            "no results from shards 2/3; missing: 3 of 10 to 11 cases (1, 4, 7)"
        );
        let unfinished = coverage(&[("1/3", Some(4)), ("2/3", None), ("3/3", Some(3))]);
        let missing = unfinished.missing(&done(0..10), vec!["lost".into()]);
        let words = missing.to_string();
        assert!(words.contains("not finished: p (shard 2/3, 1 result)"), "{words}");
        assert!(words.contains("without results: lost"), "{words}");
        // The same shard, finished elsewhere, counts.
        let again =
            coverage(&[("1/3", Some(4)), ("2/3", None), ("2/3", Some(3)), ("3/3", Some(3))]);
        assert!(again.missing(&done(0..10), Vec::new()).is_nothing());
    }
}
