//! Formulas that are unsatisfiable by construction, each with its unique minimal core if that is
//! known.
//!
//! Those of `space` use rules, each of which is certified before its first use; those of `constants`
//! use evaluation alone. No solver is asked.

mod book;
mod build;
mod constants;
mod core;
mod item;
mod names;
mod space;
mod spec;

pub(crate) use build::{assertion_name, script};
pub(crate) use spec::RefuteSpec;

use crate::error::ForgeError;
use crate::history::Histories;
use crate::rules::{Rule, distinct, rules};
use crate::theory::Theory;
use assay_case::{Category, Expected, MakeError, Origin, TestCase};
use book::Book;
use build::Written;
use constants::FromConstants;
use space::{FromRules, is_quantified};
use spec::{Patterns, Refutation};
use std::sync::Arc;

/// The unsatisfiable formulas of a category, numbered.
pub(crate) enum Refutations {
    Rules(FromRules),
    Constants(FromConstants),
}

impl Refutations {
    /// The number of candidates.
    pub(crate) fn size(&self) -> u128 {
        match self {
            Refutations::Rules(space) => space.size(),
            Refutations::Constants(space) => space.size(),
        }
    }

    /// Whether there is a case with this number.
    pub(crate) fn contains(&self, theory: &Theory, number: u128) -> bool {
        match self {
            Refutations::Rules(space) => space.contains(number),
            Refutations::Constants(space) => space.contains(theory, number),
        }
    }

    /// The case with this number.
    pub(crate) fn case(
        &self,
        theory: &Theory,
        number: u128,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        match self {
            Refutations::Rules(space) => space.case(number, name, origin),
            Refutations::Constants(space) => space.case(theory, number, name, origin),
        }
    }
}

/// The categories of a description, in order: all without patterns, then all with them.
pub(crate) fn categories(
    spec: &RefuteSpec,
    users: &[Rule],
    theory: &Theory,
    histories: &Arc<Histories>,
) -> Result<Vec<(Category, Refutations)>, ForgeError> {
    let mut rules = rules()?;
    rules.extend_from_slice(users);
    distinct(&rules)?;
    names::check_selection(spec, &rules)?;
    let book = Arc::new(Book::new(spec, &rules)?);
    names::check_details(spec, &book)?;
    let mut all = Vec::new();
    for written in [Written::Plain, Written::WithPatterns] {
        if written == Written::WithPatterns && spec.patterns == Patterns::None {
            continue;
        }
        for &how in &spec.categories {
            if how.needs_rules() {
                all.extend(from_rules(spec, &book, how, written));
            } else if written == Written::Plain {
                all.extend(from_constants(theory, how, histories)?);
            }
        }
    }
    Ok(all)
}

/// One category for each operation with a definition.
fn from_rules(
    spec: &RefuteSpec,
    book: &Arc<Book>,
    how: Refutation,
    written: Written,
) -> Vec<(Category, Refutations)> {
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for (at, definition) in book.definitions.iter().enumerate() {
        let only_quantified =
            written == Written::WithPatterns && spec.patterns == Patterns::Quantified;
        if only_quantified && !is_quantified(book, definition) {
            continue;
        }
        let Some(operation) = definition.entry.rule.operation() else { continue };
        match groups.iter_mut().find(|(name, _)| *name == operation) {
            Some((_, members)) => members.push(at),
            None => groups.push((operation, vec![at])),
        }
    }
    let suffix = if written == Written::WithPatterns { "-patterns" } else { "" };
    let mut all = Vec::new();
    for (group, members) in groups {
        let space = FromRules::new(book, members, how, written, spec.depth.unwrap_or(DEPTH));
        if space.size() > 0 {
            let name = format!("{}{suffix}", how.name());
            let category = Category { name, group: group.into(), expected: Expected::Unsat };
            all.push((category, Refutations::Rules(space)));
        }
    }
    all
}

/// One category for each operation.
fn from_constants(
    theory: &Theory,
    how: Refutation,
    histories: &Arc<Histories>,
) -> Result<Vec<(Category, Refutations)>, ForgeError> {
    let mut all = Vec::new();
    // An operation with a Boolean result has a second group, with the same applications.
    for group in theory.groups.iter().filter(|group| group.truth != Some(false)) {
        let space = FromConstants::new(theory, group, how, histories);
        if space.size() > MOST {
            return Err(ForgeError::TooMany(group.name.clone()));
        }
        if space.size() > 0 {
            let (name, group) = (how.name().into(), group.name.clone());
            let category = Category { name, group, expected: Expected::Unsat };
            all.push((category, Refutations::Constants(space)));
        }
    }
    Ok(all)
}

/// Larger spaces are rejected, so that sizes can be added without overflow.
const MOST: u128 = 1 << 100;

/// Number of replacements in a chain, if a description does not say.
const DEPTH: u8 = 2;
