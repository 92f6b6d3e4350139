//! Finds a few explanations that cover all failing cases.
//!
//! An explanation is good if many failing cases have it and few passing ones do. Explanations are
//! chosen one after the other, each for the failing cases not yet covered, by information gain (as
//! in the rule learner FOIL): it starts with one feature and adds further ones while the gain
//! grows.

use super::feature::{Feature, Features};
use std::collections::BTreeMap;

/// Features that a case must all have.
pub(super) type Explanation = Features;

/// The maximum number of features in an explanation.
const LONGEST: usize = 3;

/// The factor by which a further feature must increase the gain.
const WORTH_IT: f64 = 1.1;

/// Covers failing cases with explanations, in contrast to passing cases. Yields each explanation
/// with the positions of the cases that it covers; an empty explanation covers cases that share
/// nothing.
pub(super) fn cover(failing: &[Features], passing: &[Features]) -> Vec<(Explanation, Vec<usize>)> {
    let mut left: Vec<usize> = (0..failing.len()).collect();
    let mut covered = Vec::new();
    while !left.is_empty() {
        let open: Vec<&Features> = left.iter().map(|&at| &failing[at]).collect();
        let explanation = best(open, passing.iter().collect());
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            left.into_iter().partition(|&at| explanation.is_subset(&failing[at]));
        covered.push((explanation, inside));
        left = outside;
    }
    covered
}

/// The explanation with the largest gain; empty if no feature gains anything.
fn best(mut failing: Vec<&Features>, mut passing: Vec<&Features>) -> Explanation {
    let before = share(failing.len(), passing.len());
    let contrasted = !passing.is_empty();
    let mut explanation = Explanation::new();
    let mut gained = 0.0;
    while explanation.len() < LONGEST {
        let (fail, pass) = (counts(&failing), counts(&passing));
        let gain = |feature: &Feature, failing: usize| {
            failing as f64 * (share(failing, pass.get(feature).copied().unwrap_or(0)) - before)
        };
        let further = fail.iter().filter(|(feature, _)| !explanation.contains(feature));
        // The last of equal features wins: special features come after general ones.
        let best = further
            .map(|(feature, &count)| (*feature, gain(feature, count)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((feature, gain)) = best else { break };
        // A feature that is commoner among passing cases than among failing ones explains nothing.
        let idle = contrasted && gain <= 0.0;
        if idle || !explanation.is_empty() && gain < gained * WORTH_IT {
            break;
        }
        explanation.insert(feature);
        gained = gain;
        failing.retain(|case| case.contains(&feature));
        passing.retain(|case| case.contains(&feature));
    }
    explanation
}

/// The number of cases that have each feature.
fn counts(cases: &[&Features]) -> BTreeMap<Feature, usize> {
    let mut counts = BTreeMap::new();
    for feature in cases.iter().copied().flatten() {
        *counts.entry(*feature).or_default() += 1;
    }
    counts
}

/// The binary logarithm of the share of failing cases. One unseen passing case is added, so that a
/// feature of a single case is not a certainty.
fn share(failing: usize, passing: usize) -> f64 {
    (failing as f64 / (failing + passing + 1) as f64).log2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_case::Class;
    use assay_term::theories::strings;

    const REPLACE: Feature = Feature::Operator(strings::REPLACE);
    const EMPTY: Feature = Feature::Argument(strings::REPLACE, 1, Class::EmptyString);
    const LEN: Feature = Feature::Operator(strings::LEN);
    const AT: Feature = Feature::Operator(strings::AT);

    fn cases(table: &[(usize, &[Feature])]) -> Vec<Features> {
        let one = |(count, features): &(usize, &[Feature])| {
            std::iter::repeat_n(features.iter().copied().collect(), *count)
        };
        table.iter().flat_map(one).collect()
    }

    fn explanations(failing: &[Features], passing: &[Features]) -> Vec<(Vec<Feature>, usize)> {
        let covered = cover(failing, passing).into_iter();
        covered.map(|(features, cases)| (features.into_iter().collect(), cases.len())).collect()
    }

    #[test]
    fn a_feature_that_passing_cases_lack_explains_failures() {
        let failing = cases(&[(9, &[REPLACE, EMPTY]), (2, &[REPLACE, EMPTY, LEN])]);
        let passing = cases(&[(50, &[REPLACE]), (50, &[REPLACE, LEN]), (50, &[LEN])]);
        assert_eq!(explanations(&failing, &passing), [(vec![EMPTY], 11)]);
    }

    #[test]
    fn two_features_together_explain_more_than_each_alone() {
        let failing = cases(&[(9, &[AT, LEN])]);
        let passing = cases(&[(90, &[AT]), (90, &[LEN]), (90, &[REPLACE])]);
        assert_eq!(explanations(&failing, &passing), [(vec![LEN, AT], 9)]);
    }

    #[test]
    fn a_feature_of_one_case_does_not_split_a_cluster() {
        let failing = cases(&[(9, &[REPLACE, EMPTY]), (1, &[REPLACE, EMPTY, AT])]);
        let passing = cases(&[(20, &[REPLACE]), (1, &[REPLACE, EMPTY])]);
        assert_eq!(explanations(&failing, &passing), [(vec![EMPTY], 10)]);
    }

    #[test]
    fn cases_without_features_share_nothing() {
        let failing = cases(&[(2, &[]), (1, &[LEN])]);
        assert_eq!(explanations(&failing, &[]), [(vec![LEN], 1), (vec![], 2)]);
    }
}
