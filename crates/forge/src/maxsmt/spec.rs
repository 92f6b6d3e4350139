//! Which formulas with soft constraints a suite has, as data.

use crate::error::ForgeError;
use assay_case::Priority;
use num_bigint::BigInt;
use num_rational::BigRational;
use serde::Deserialize;

/// The kind of a formula with soft constraints.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Style {
    /// All soft constraints hold in some model.
    AllSoftHold,
    /// Some of them hold, and the minimum weight of the others is known.
    SubsetHolds,
    /// There are no hard constraints.
    OnlySoft,
    /// Some weights are negative: a constraint that holds has a cost.
    NegativeWeights,
    /// Several groups, in order of priority.
    SeveralObjectives,
    /// The hard constraints are unsatisfiable.
    UnsatHard,
    /// A number is minimized or maximized, possibly together with soft constraints.
    MinimizeMaximize,
    /// An unbounded number is minimized or maximized.
    Unbounded,
    /// Several objectives, each on its own.
    Box,
    /// Several objectives, in order of priority.
    Lexicographic,
    /// Several objectives, and all their Pareto-optimal points.
    Pareto,
    /// Bounds that numbers come close to and do not reach.
    Strict,
}

impl Style {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Style::AllSoftHold => "all-soft-hold",
            Style::SubsetHolds => "subset-holds",
            Style::OnlySoft => "only-soft",
            Style::NegativeWeights => "negative-weights",
            Style::SeveralObjectives => "several-objectives",
            Style::UnsatHard => "unsat-hard",
            Style::MinimizeMaximize => "minimize-maximize",
            Style::Unbounded => "unbounded",
            Style::Box => "box",
            Style::Lexicographic => "lexicographic",
            Style::Pareto => "pareto",
            Style::Strict => "strict",
        }
    }
}

impl Style {
    /// The priority of several objectives, if formulas set it.
    pub(crate) fn priority(self) -> Option<Priority> {
        match self {
            Style::Box | Style::Strict => Some(Priority::Box),
            Style::Lexicographic => Some(Priority::Lexicographic),
            Style::Pareto => Some(Priority::Pareto),
            _ => None,
        }
    }
}

/// The part of a description about soft constraints.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MaxSmtSpec {
    /// The categories.
    pub(crate) categories: Vec<Style>,
    /// The number of cases in each group of a category.
    pub(crate) cases: u64,
    /// The weights, as written.
    pub(crate) weights: Vec<String>,
}

impl MaxSmtSpec {
    /// The weights, read.
    pub(crate) fn weights(&self) -> Result<Vec<Weight>, ForgeError> {
        let read =
            |text: &String| Weight::read(text).ok_or_else(|| ForgeError::Weight(text.clone()));
        match self.weights.is_empty() {
            true => Err(ForgeError::Weight(String::new())),
            false => self.weights.iter().map(read).collect(),
        }
    }
}

/// The weight of a soft constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Weight {
    /// As written.
    pub(crate) text: String,
    pub(crate) value: BigRational,
}

impl Weight {
    /// Reads a positive numeral or decimal.
    fn read(text: &str) -> Option<Weight> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{fraction}");
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !plain(whole) || text.contains('.') && !plain(fraction) {
            return None;
        }
        let scale = BigInt::from(10).pow(u32::try_from(fraction.len()).ok()?);
        let value = BigRational::new(digits.parse().ok()?, scale);
        (value > zero()).then(|| Weight { text: text.into(), value })
    }

    /// The negative of it.
    pub(crate) fn negated(&self) -> Weight {
        Weight { text: format!("-{}", self.text), value: -self.value.clone() }
    }
}

/// Zero.
pub(crate) fn zero() -> BigRational {
    BigRational::from_integer(0.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_positive_decimals() {
        let value = |text| Weight::read(text).map(|weight| weight.value);
        let ratio = |n: i64, d: i64| Some(BigRational::new(n.into(), d.into()));
        assert_eq!(value("2"), ratio(2, 1));
        assert_eq!(value("0.25"), ratio(1, 4));
        assert_eq!(Weight::read("0.5").map(|w| w.negated().value), ratio(-1, 2));
        for wrong in ["", "0", "0.0", "-1", "1/3", ".5", "1.", "1e3", "a"] {
            assert_eq!(value(wrong), None, "{wrong}");
        }
    }
}
