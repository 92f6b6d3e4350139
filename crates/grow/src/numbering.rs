//! Numbered cases over the signatures of a table: each signature has its turn, and a case depends on its
//! number alone.

use crate::GrowOptions;
use crate::plan::Plan;
use crate::signature::{Row, rows};
use assay_case::{CaseId, Category, Expected, MakeError, Selection};
use assay_forge::Permutation;
use std::sync::OnceLock;

/// The signatures that come with the program.
const TABLE: &str = include_str!("../signatures.toml");

/// The number of cases over a signature. What bounds a run is its time.
const CASES: u64 = 1 << 32;

/// Why there is no suite.
#[derive(Debug, thiserror::Error)]
pub enum GrowError {
    /// No suite has this name.
    #[error("no suite `{0}` is grown")]
    Unknown(String),
    /// A signature cannot be read.
    #[error("{0}")]
    Signature(String),
    /// A pool cannot be read, or no pool has this name.
    #[error("{0}")]
    Pool(String),
    /// A rule cannot be read.
    #[error(transparent)]
    Rule(#[from] assay_forge::rules::RuleError),
}

/// The cases over some signatures.
pub(crate) struct Numbering {
    rows: Vec<Row>,
    plans: Vec<OnceLock<Result<Plan, String>>>,
    pub(crate) options: GrowOptions,
    terms: Terms,
}

/// Which terms a suite makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Terms {
    /// Random ones.
    Random,
    /// Random ones, and what rules make of them.
    Rewritten,
}

impl Numbering {
    pub(crate) fn new(options: GrowOptions, terms: Terms) -> Result<Numbering, GrowError> {
        let rows = rows(TABLE).map_err(|error| GrowError::Signature(error.to_string()))?;
        let plans = rows.iter().map(|_| OnceLock::new()).collect();
        Ok(Numbering { rows, plans, options, terms })
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// A category for each signature.
    pub(crate) fn categories(&self, expected: Expected) -> Vec<Category> {
        let category =
            |row: &Row| Category { name: row.category.clone(), group: row.name.clone(), expected };
        self.rows.iter().map(category).collect()
    }

    /// The selected cases; each signature has its turn.
    pub(crate) fn cases(
        &self,
        selection: &Selection,
    ) -> Box<dyn Iterator<Item = CaseId> + Send + 'static> {
        in_turn(&self.categories(Expected::Open), &[], selection)
    }

    /// The signature of a case, and its number there.
    pub(crate) fn locate(&self, id: CaseId, suite: &str) -> Result<(usize, u64), MakeError> {
        let none = || MakeError::NoSuchCase(format!("{suite} has no case {id}"));
        let part = id.category as usize;
        let index = u64::try_from(id.index).map_err(|_| none())?;
        if part >= self.rows.len() || index >= CASES {
            return Err(none());
        }
        Ok((part, index))
    }

    /// A signature, prepared when it is first needed.
    pub(crate) fn plan(&self, part: usize) -> Result<&Plan, MakeError> {
        let row = &self.rows[part];
        let rules = match self.terms {
            Terms::Random => &[],
            Terms::Rewritten => row.rules.as_slice(),
        };
        let plan = self.plans[part].get_or_init(|| Plan::new(row, rules, self.options.rng));
        plan.as_ref().map_err(|fault| MakeError::Broken(fault.clone()))
    }
}

/// The selected cases of categories without an end. In a round, each category has as many turns as are given
/// here, or one; with a limit for each, one.
#[must_use]
pub fn in_turn(
    categories: &[Category],
    turns: &[u64],
    selection: &Selection,
) -> Box<dyn Iterator<Item = CaseId> + Send + 'static> {
    let mut round = Vec::new();
    for (part, _) in (0u32..).zip(categories).filter(|(_, own)| selection.wants(own)) {
        let of = match selection.each {
            Some(_) => 1,
            None => turns.get(part as usize).map_or(1, |&turns| turns.max(1)),
        };
        round.extend((0..of).map(|turn| Turn { part, turn: turn.into(), of: of.into() }));
    }
    // Turns of a category are spread over the round.
    round.sort_by_key(|Turn { part, turn, of }| (turn * 1_000_000 / of, *part));
    let total = round.len() as u128 * u128::from(selection.each.unwrap_or(CASES));
    match selection.sample {
        Some(sample) => {
            let order = Permutation::new(total, selection.rng);
            let sampled =
                (0..total.min(sample.into())).map(move |number| case(&round, order.apply(number)));
            selection.cut(sampled)
        }
        None => selection.cut((0..total).map(move |number| case(&round, number))),
    }
}

/// One of the turns that a category has in a round.
struct Turn {
    part: u32,
    turn: u128,
    of: u128,
}

/// The case of this number, where each has its turn.
fn case(round: &[Turn], number: u128) -> CaseId {
    let count = round.len() as u128;
    let Turn { part, turn, of } = round[(number % count) as usize];
    CaseId { category: part, index: number / count * of + turn }
}
