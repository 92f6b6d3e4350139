//! When enough mutants were run: a sequential test of the rate of success.
//!
//! A query is stable if more than 95 % of its mutants succeed, unsolvable if less than 5 % do, and
//! unstable between (the thresholds of Mariposa, FMCAD 2023). Each claim is tested against the
//! hypothesis that it does not hold. The evidence is a likelihood ratio, a nonnegative martingale
//! under that hypothesis: it ever exceeds 1/α with probability at most α (Ville), so a decision may
//! be made after any run without inflating the error.

/// The error of each decision.
pub const ERROR: f64 = 0.05;

/// A query with a higher rate of success is stable.
pub const STABLE: f64 = 0.95;

/// A query with a lower rate of success is unsolvable.
pub const UNSOLVABLE: f64 = 0.05;

/// The runs of each class in a fixed design, and the most that a sequential one uses.
pub const FIXED: u32 = 60;

/// Rates for which the evidence that a rate is below 95 % is strong; all weigh the same.
const BELOW_STABLE: [f64; 6] = [0.05, 0.25, 0.5, 0.7, 0.8, 0.9];
const ABOVE_UNSOLVABLE: [f64; 6] = [0.1, 0.2, 0.3, 0.5, 0.75, 0.95];
/// Most stable queries never fail, so the evidence is strongest for that.
const NEARLY_ALWAYS: [f64; 1] = [0.999];
const NEARLY_NEVER: [f64; 1] = [0.001];

/// What a query is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Category {
    /// Its mutants succeed.
    Stable,
    /// Neither all nor none of its mutants succeed.
    Unstable,
    /// Neither it nor its mutants succeed.
    Unsolvable,
    /// The runs do not decide.
    Inconclusive,
}

impl Category {
    /// Every category.
    pub const ALL: [Category; 4] =
        [Category::Stable, Category::Unstable, Category::Unsolvable, Category::Inconclusive];

    /// Its name in flags and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Category::Stable => "stable",
            Category::Unstable => "unstable",
            Category::Unsolvable => "unsolvable",
            Category::Inconclusive => "inconclusive",
        }
    }

    /// The category of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Category> {
        Category::ALL.into_iter().find(|category| category.name() == name)
    }
}

/// Counts of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Mutants that succeeded.
    pub successes: u32,
    /// Mutants that failed.
    pub failures: u32,
}

impl Tally {
    /// The number of runs.
    #[must_use]
    pub fn runs(self) -> u32 {
        self.successes + self.failures
    }

    /// Adds a run.
    pub fn add(&mut self, success: bool) {
        match success {
            true => self.successes += 1,
            false => self.failures += 1,
        }
    }

    /// The mean likelihood ratio of some rates against another.
    fn evidence(self, rates: &[f64], against: f64) -> f64 {
        let ratio = |rate: f64| {
            let success = (rate / against).ln() * f64::from(self.successes);
            let failure = ((1.0 - rate) / (1.0 - against)).ln() * f64::from(self.failures);
            (success + failure).exp()
        };
        rates.iter().map(|&rate| ratio(rate)).sum::<f64>() / rates.len() as f64
    }

    /// The category that the runs show with at most this error. What is solved as written is not
    /// unsolvable.
    #[must_use]
    pub fn category(self, solved: bool, error: f64) -> Option<Category> {
        let shows = |rates: &[f64], against| self.evidence(rates, against) >= 1.0 / error;
        if shows(&NEARLY_ALWAYS, STABLE) {
            return Some(Category::Stable);
        }
        if shows(&NEARLY_NEVER, UNSOLVABLE) {
            return Some(if solved { Category::Unstable } else { Category::Unsolvable });
        }
        let unstable =
            shows(&BELOW_STABLE, STABLE) && (solved || shows(&ABOVE_UNSOLVABLE, UNSOLVABLE));
        unstable.then_some(Category::Unstable)
    }

    /// The category by the fixed design of Mariposa: one-sided z-tests of the proportion with an
    /// error of 5 %.
    #[must_use]
    pub fn fixed_category(self, solved: bool) -> Category {
        /// The 95th percentile of the normal distribution.
        const QUANTILE: f64 = 1.644_853_626_951;
        let runs = f64::from(self.runs());
        let rate = f64::from(self.successes) / runs.max(1.0);
        let score = |against: f64| (rate - against) / (against * (1.0 - against) / runs).sqrt();
        if self.runs() == 0 {
            Category::Inconclusive
        } else if score(UNSOLVABLE) <= -QUANTILE {
            if solved { Category::Unstable } else { Category::Unsolvable }
        } else if score(STABLE) >= QUANTILE {
            Category::Stable
        } else if score(STABLE) <= -QUANTILE {
            Category::Unstable
        } else {
            Category::Inconclusive
        }
    }
}

/// The state of a test: which class runs next, or what the runs show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Run another mutant of the class with this index.
    Run(usize),
    /// Enough was run.
    Decided(Category),
}

/// How many runs a test makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Design {
    /// As few as the decision needs, at most this many of each class.
    Sequential(u32),
    /// Always this many of each class.
    Fixed(u32),
}

/// What to do after these runs, one tally for each class.
///
/// The classes take turns, and all runs together are tested: the rate is that of a mutant of a class
/// drawn at random. A class that fails more than the others is tested alone, with the error divided
/// by the number of classes; a query that is unstable under one class is unstable.
#[must_use]
pub fn next(classes: &[Tally], solved: bool, design: Design) -> Next {
    let fewest = (0..classes.len()).min_by_key(|&at| classes[at].runs());
    let Some(fewest) = fewest else { return Next::Decided(Category::Inconclusive) };
    let most = match design {
        Design::Fixed(runs) => {
            if classes[fewest].runs() < runs {
                return Next::Run(fewest);
            }
            return Next::Decided(fixed(classes, solved));
        }
        Design::Sequential(most) => most,
    };
    let of_class = |tally: &Tally| tally.category(solved, ERROR / classes.len() as f64);
    if classes.iter().any(|class| of_class(class) == Some(Category::Unstable)) {
        return Next::Decided(Category::Unstable);
    }
    let mut all = Tally::default();
    for class in classes {
        all.successes += class.successes;
        all.failures += class.failures;
    }
    match all.category(solved, ERROR) {
        Some(Category::Stable) => {
            // A class with failures may still be unstable by itself.
            let doubtful = (0..classes.len()).filter(|&at| {
                classes[at].failures > 0
                    && classes[at].runs() < most
                    && of_class(&classes[at]).is_none()
            });
            match doubtful.min_by_key(|&at| classes[at].runs()) {
                Some(at) => Next::Run(at),
                None => Next::Decided(exhausted(classes, all, most, solved)),
            }
        }
        Some(category) => Next::Decided(category),
        None if classes[fewest].runs() < most => Next::Run(fewest),
        None => Next::Decided(exhausted(classes, all, most, solved)),
    }
}

/// The category where all allowed runs were made: by the tests of a fixed design, on all runs
/// together and on each class that has all its runs.
fn exhausted(classes: &[Tally], all: Tally, most: u32, solved: bool) -> Category {
    let together = all.fixed_category(solved);
    let one = classes
        .iter()
        .any(|class| class.runs() >= most && class.fixed_category(solved) == Category::Unstable);
    match (one, together) {
        // Close to 5 %, a few successes do not show that the query is solvable.
        (_, Category::Unstable) if !solved && all.successes < all.failures => {
            Category::Inconclusive
        }
        (true, Category::Stable | Category::Inconclusive) => Category::Unstable,
        _ => together,
    }
}

/// The category by classes: unstable under one, or all the same.
fn fixed(classes: &[Tally], solved: bool) -> Category {
    let each: Vec<Category> = classes.iter().map(|class| class.fixed_category(solved)).collect();
    let all = |category| each.iter().all(|&one| one == category);
    if all(Category::Stable) {
        Category::Stable
    } else if all(Category::Unsolvable) {
        Category::Unsolvable
    } else if each.iter().any(|one| *one != Category::Inconclusive && *one != Category::Stable) {
        Category::Unstable
    } else {
        Category::Inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(successes: u32, failures: u32) -> Tally {
        Tally { successes, failures }
    }

    #[test]
    fn sixty_successes_suffice_for_both_decisions() {
        assert_eq!(tally(59, 0).category(true, ERROR), None);
        assert_eq!(tally(60, 0).category(true, ERROR), Some(Category::Stable));
        assert_eq!(tally(60, 0).fixed_category(true), Category::Stable);
        assert_eq!(tally(59, 1).fixed_category(true), Category::Inconclusive);
        assert_eq!(tally(54, 6).fixed_category(true), Category::Unstable);
        assert_eq!(tally(0, 60).fixed_category(false), Category::Unsolvable);
        assert_eq!(tally(0, 60).category(false, ERROR), Some(Category::Unsolvable));
    }

    #[test]
    fn few_failures_show_instability() {
        assert_eq!(tally(0, 2).category(true, ERROR), Some(Category::Unstable));
        assert_eq!(tally(0, 2).category(false, ERROR), None);
        assert_eq!(tally(3, 3).category(false, ERROR), Some(Category::Unstable));
        assert_eq!(tally(20, 1).category(true, ERROR), None);
    }

    #[test]
    fn one_unstable_class_makes_a_query_unstable() {
        let classes = [tally(12, 0), tally(1, 3), tally(12, 0)];
        assert_eq!(next(&classes, true, Design::Sequential(60)), Next::Decided(Category::Unstable));
        assert_eq!(next(&[tally(0, 0); 3], true, Design::Sequential(60)), Next::Run(0));
        assert_eq!(next(&[], true, Design::Sequential(60)), Next::Decided(Category::Inconclusive));
        let fixed = [tally(60, 0), tally(30, 30)];
        assert_eq!(next(&fixed, true, Design::Fixed(60)), Next::Decided(Category::Unstable));
    }
}
