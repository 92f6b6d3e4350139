//! Numbered spaces of cases: any case can be generated from its number, and none is stored.
//!
//! A number that would repeat an earlier case is not a case. That is computed from the number alone.

mod constants;
mod operation;
mod synthesis;

use crate::equation::Equation;
use crate::error::ForgeError;
use crate::history::Histories;
use crate::operation::Group;
use crate::spec::Construction;
use crate::theory::Theory;
use std::sync::Arc;
use synthesis::{Release, Synthesis};

/// Larger spaces are rejected, so that sizes can be added without overflow.
const MOST: u128 = 1 << 100;

/// Cases of one operation, built in one way.
pub(crate) trait Space: Send + Sync {
    /// The size of the number range.
    fn size(&self) -> u128;

    /// Whether there is a case with this number.
    fn contains(&self, theory: &Theory, number: u128) -> bool;

    /// The numbers of the cases, in order.
    fn numbers<'s>(&'s self, theory: &'s Theory) -> Box<dyn Iterator<Item = u128> + Send + 's> {
        Box::new((0..self.size()).filter(|&number| self.contains(theory, number)))
    }

    /// The equation of a case.
    fn equation(&self, theory: &Theory, number: u128) -> Option<Equation>;
}

/// Whether a case mentions all sorts that the description wants together.
fn is_mixed(space: &dyn Space, theory: &Theory, number: u128) -> bool {
    let mixes = |found: Equation| theory.mixes([&found.left, &found.right], &found.variables);
    !theory.wants_mixed() || space.equation(theory, number).is_some_and(mixes)
}

/// Spaces, one after the other.
pub(crate) struct Spaces(Vec<Box<dyn Space>>);

impl Spaces {
    /// The cases of a group; `None` if the group has none of its own.
    pub(crate) fn new(
        theory: &Theory,
        histories: &Arc<Histories>,
        group: &Group,
        construction: Construction,
    ) -> Result<Option<Spaces>, ForgeError> {
        let mut spaces: Vec<Box<dyn Space>> = Vec::new();
        for &member in &group.members {
            let release = match construction {
                // The result is a variable, so its two values do not form two groups.
                Construction::Operation if group.truth == Some(false) => return Ok(None),
                Construction::Operation => {
                    spaces.push(Box::new(operation::Single(member)));
                    continue;
                }
                Construction::ConstantAssignment => {
                    spaces.push(Box::new(constants::Assignments::new(theory, member, group.truth)));
                    continue;
                }
                Construction::TermSynthesis => Release::All,
                Construction::NoRegexVariables => Release::NoRegex,
                Construction::MixedSynthesis => Release::Some,
            };
            for depth in 1..=histories.depth() {
                let shared = Arc::clone(histories);
                let space = Synthesis::new(theory, shared, member, group.truth, depth, release);
                spaces.push(Box::new(space));
            }
        }
        match spaces.iter().any(|space| space.size() > MOST) {
            true => Err(ForgeError::TooMany(group.name.clone())),
            false => Ok(Some(Spaces(spaces))),
        }
    }

    /// The size of the number range.
    pub(crate) fn size(&self) -> u128 {
        self.0.iter().map(|space| space.size()).fold(0, u128::saturating_add)
    }

    /// The numbers of the cases, in order.
    pub(crate) fn numbers<'s>(
        &'s self,
        theory: &'s Theory,
    ) -> impl Iterator<Item = u128> + Send + 's {
        let starts = self.0.iter().scan(0u128, |next, space| {
            let start = *next;
            *next = next.saturating_add(space.size());
            Some((start, space))
        });
        starts.flat_map(move |(start, space)| {
            let numbers = space.numbers(theory);
            let mixed = numbers.filter(move |&number| is_mixed(space.as_ref(), theory, number));
            mixed.map(move |number| start + number)
        })
    }

    pub(crate) fn contains(&self, theory: &Theory, number: u128) -> bool {
        self.locate(number).is_some_and(|(space, number)| {
            space.contains(theory, number) && is_mixed(space, theory, number)
        })
    }

    pub(crate) fn equation(&self, theory: &Theory, number: u128) -> Option<Equation> {
        let (space, number) = self.locate(number)?;
        let equation =
            if space.contains(theory, number) { space.equation(theory, number) } else { None };
        equation
            .filter(|equation| theory.mixes([&equation.left, &equation.right], &equation.variables))
    }

    fn locate(&self, mut number: u128) -> Option<(&dyn Space, u128)> {
        for space in &self.0 {
            match number.checked_sub(space.size()) {
                None => return Some((space.as_ref(), number)),
                Some(rest) => number = rest,
            }
        }
        None
    }
}
