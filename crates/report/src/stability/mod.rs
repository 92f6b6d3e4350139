//! The stability of queries as text, JSON Lines, Markdown, JUnit, SARIF and HTML. No time is shown,
//! only steps: a second run prints the same.

mod formats;
mod page;
mod words;

use assay_stability::{Category, Difference, Examined, FIXED};
use std::path::PathBuf;

/// The results for all queries of a command.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Robustness {
    /// The command line that gives the same results.
    pub command: String,
    /// The targets, in the order in which they were named.
    pub targets: Vec<String>,
    /// The queries, in order.
    pub subjects: Vec<Subject>,
    /// Files that cannot be used, with the reason.
    pub errors: Vec<(PathBuf, String)>,
}

/// A query with its results.
#[derive(Clone, PartialEq, Debug)]
pub struct Subject {
    /// Its file.
    pub file: PathBuf,
    /// The number of the `check-sat` in the file, from one.
    pub check: usize,
    /// Its line.
    pub line: usize,
    /// The result for each target.
    pub results: Vec<Examined>,
    /// For each target after the first, what shows best that it is worse than the first.
    pub differences: Vec<Option<Difference>>,
    /// Whether each result makes the command fail.
    pub gating: Vec<Gating>,
}

/// What a result means to the exit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gating {
    /// Nothing.
    Passes,
    /// It would fail, but the baseline has it.
    Known,
    /// It makes the command fail.
    Fails,
}

impl Gating {
    fn name(self) -> &'static str {
        match self {
            Gating::Passes => "passes",
            Gating::Known => "known",
            Gating::Fails => "fails",
        }
    }
}

impl Subject {
    /// Its place: `FILE:LINE`.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }

    /// Whether a target after the first has a worse category than the first.
    #[must_use]
    pub fn regressed(&self, at: usize) -> bool {
        let (before, after) = (self.results[0].category, self.results[at].category);
        let decided = before != Category::Inconclusive && after != Category::Inconclusive;
        decided && before < after
    }
}

impl Robustness {
    /// The number of results of a category on a target.
    fn count(&self, target: usize, category: Category) -> usize {
        self.subjects.iter().filter(|one| one.results[target].category == category).count()
    }

    /// The number of runs that the decisions needed, and that a fixed design would have needed.
    fn runs(&self) -> (usize, usize) {
        let all = || self.subjects.iter().flat_map(|one| &one.results);
        let samples = all().map(|one| one.samples.len()).sum();
        let fixed = all().map(|one| one.classes.len() * FIXED as usize).sum();
        (samples, fixed)
    }
}

/// The median and the largest of ascending numbers.
fn spread(costs: &[u64]) -> Option<(u64, u64)> {
    Some((*costs.get(costs.len() / 2)?, *costs.last()?))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use assay_stability::{
        Answer, Cause, Change, Class, ClassResult, Instances, Run, Sample, Suggestion, Tally,
    };

    /// A stable and an unstable result.
    pub(crate) fn example() -> Robustness {
        let sample = |number, success| Sample {
            class: Class::Order,
            number,
            run: if success { Run::Solved(Answer::Unsat, 120) } else { Run::OutOfSteps(200_050) },
            success,
        };
        let stable = Examined {
            target: "z3@4.12.6".into(),
            category: Category::Stable,
            original: Run::Solved(Answer::Unsat, 100),
            limit: 200_000,
            samples: (0..60).map(|at| sample(at, true)).collect(),
            classes: vec![ClassResult {
                class: Class::Order,
                tally: Tally { successes: 60, failures: 0 },
            }],
            contradiction: None,
            notes: Vec::new(),
            cause: None,
            runs: 61,
        };
        let cause = Cause {
            exploding: vec![Instances {
                name: "loop".into(),
                line: 4,
                failing: 2_000,
                succeeding: Some(3),
            }],
            suggestions: vec![Suggestion {
                change: Change::Pattern {
                    name: "loop".into(),
                    line: 4,
                    old: vec!["((f x))".into()],
                    new: "((g x))".into(),
                },
                successes: 60,
                runs: 60,
                cost: 90,
            }],
            refused: 2,
        };
        let unstable = Examined {
            target: "z3@5.4.0".into(),
            category: Category::Unstable,
            samples: vec![sample(0, true), sample(1, false), sample(2, false)],
            classes: vec![ClassResult {
                class: Class::Order,
                tally: Tally { successes: 1, failures: 2 },
            }],
            cause: Some(cause),
            runs: 90,
            ..stable.clone()
        };
        Robustness {
            command: "assay stability a.smt2".into(),
            targets: vec!["z3@4.12.6".into(), "z3@5.4.0".into()],
            subjects: vec![Subject {
                file: "dir/a b.smt2".into(),
                check: 1,
                line: 9,
                results: vec![stable, unstable],
                differences: vec![Some(Difference {
                    mutant: Some((Class::Order, 1)),
                    assertions: (2, 7),
                    cost: 80,
                    limit: 200_000,
                    script: "(check-sat)\n".into(),
                })],
                gating: vec![Gating::Passes, Gating::Fails],
            }],
            errors: vec![("bad.smt2".into(), "line 1: oh & no".into())],
        }
    }

    #[test]
    fn every_format_has_the_place_the_category_and_the_suggestion() {
        let all = example();
        let last = all.records().pop().expect("there are some");
        assert_eq!(last["error"], "line 1: oh & no");
        for text in [all.words(), all.markdown(), all.junit(), all.sarif(), all.html()] {
            assert!(text.contains("unstable") && text.contains("((g x))"), "{text}");
            assert!(text.contains(":9") || text.contains("\"startLine\": 9"), "{text}");
        }
        assert!(all.junit().contains("failures=\"1\" errors=\"1\""), "{}", all.junit());
        assert!(all.junit().contains("oh &amp; no"));
        assert!(all.sarif().contains("dir/a%20b.smt2"));
        let page = all.html();
        assert!(page.contains("<svg") && page.matches("<circle").count() == 63, "{page}");
        assert!(all.subjects[0].regressed(1));
        assert!(all.words().contains("what z3@5.4.0 breaks"), "{}", all.words());
    }

    #[test]
    fn a_result_is_one_record() {
        let records = example().records();
        assert_eq!(records.len(), 3);
        assert_eq!(records[1]["category"], "unstable");
        assert_eq!(records[1]["classes"][0]["failures"], 2);
        assert_eq!(records[1]["difference"]["assertions"], 2);
        assert_eq!(records[1]["cause"]["suggestions"][0]["verified"], true);
        assert_eq!(records[0]["cost"], 100);
    }
}
