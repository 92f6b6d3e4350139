//! Which few explanations cover all failing cases.
//!
//! An explanation is good if many failing cases have it and few passing ones do. Explanations are
//! chosen one after the other, each for the failing cases that none before it covers, by the
//! information that it gains about a case (as in the rule learner FOIL): one feature, to which
//! further ones are added while that gains more.

use super::feature::{Feature, Features};
use std::collections::BTreeMap;

/// Features that a case must have, all of them.
pub(super) type Explanation = Features;

/// An explanation needs no more features than this.
const LONGEST: usize = 3;

/// A further feature must gain so much more.
const WORTH_IT: f64 = 1.1;

/// Covers failing cases by explanations, given what passing cases look like. Yields each
/// explanation with the cases that it covers, by position; an empty one covers what shares nothing.
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

/// The explanation that gains most; an empty one where no feature gains anything.
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
        // Of equals the last wins: what is special is listed after what is not.
        let best = further
            .map(|(feature, &count)| (*feature, gain(feature, count)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((feature, gain)) = best else { break };
        // What is commoner among passing cases than among failing ones explains nothing.
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

/// How many of the cases have each feature.
fn counts(cases: &[&Features]) -> BTreeMap<Feature, usize> {
    let mut counts = BTreeMap::new();
    for feature in cases.iter().copied().flatten() {
        *counts.entry(*feature).or_default() += 1;
    }
    counts
}

/// How likely it is that a case fails, as bits, if so many fail and so many pass, and one more that
/// was not seen: a feature of a single case is no certainty.
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
    fn the_feature_that_passing_cases_lack_explains() {
        let failing = cases(&[(9, &[REPLACE, EMPTY]), (2, &[REPLACE, EMPTY, LEN])]);
        let passing = cases(&[(50, &[REPLACE]), (50, &[REPLACE, LEN]), (50, &[LEN])]);
        assert_eq!(explanations(&failing, &passing), [(vec![EMPTY], 11)]);
    }

    #[test]
    fn two_features_explain_together_what_neither_explains_alone() {
        let failing = cases(&[(9, &[AT, LEN])]);
        let passing = cases(&[(90, &[AT]), (90, &[LEN]), (90, &[REPLACE])]);
        assert_eq!(explanations(&failing, &passing), [(vec![LEN, AT], 9)]);
    }

    #[test]
    fn what_is_rare_in_one_case_does_not_split_a_cluster() {
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
