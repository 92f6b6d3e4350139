//! Term synthesis: an operation on terms equals another term with the same value, and constants become
//! variables, equal constants the same one. There is one case for each pair of histories.

use super::Space;
use crate::equation::{Equation, Tree};
use crate::history::{Histories, Made};
use crate::operation::Head;
use crate::theory::{Constant, Theory};
use assay_term::theories::strings;
use assay_term::{Func, SortId, Term, Value};
use std::sync::Arc;

/// Which constants become variables, among those whose sort allows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Release {
    /// All.
    All,
    /// All except regular languages; of those that consist of a word, the word.
    NoRegex,
    /// All except some, in every combination.
    Some,
}

/// Maximum number of constants, in order of occurrence, that may be selected to stay.
const CHOICES: u32 = 6;

/// The syntheses of one operation at one depth.
///
/// A number encodes the histories of the arguments, the history of the other side, and, if constants
/// can be selected to stay, the selection.
pub(super) struct Synthesis {
    histories: Arc<Histories>,
    operation: usize,
    /// The required result, if the two results have separate groups.
    truth: Option<bool>,
    depth: usize,
    release: Release,
    size: u128,
}

impl Synthesis {
    pub(super) fn new(
        theory: &Theory,
        histories: Arc<Histories>,
        operation: usize,
        truth: Option<bool>,
        depth: usize,
        release: Release,
    ) -> Synthesis {
        let op = &theory.operations[operation];
        let slots = op.params.iter().chain([&op.result]);
        let choices = if release == Release::Some { 1 << CHOICES } else { 1 };
        let size =
            slots.map(|&sort| histories.count(sort, depth)).fold(choices, u128::saturating_mul);
        Synthesis { histories, operation, truth, depth, release, size }
    }

    /// The two sides, with constants.
    fn sides(&self, theory: &Theory, number: u128) -> Option<(Made, Made)> {
        let operation = &theory.operations[self.operation];
        let results = self.histories.count(operation.result, self.depth);
        let children = self.histories.split(&operation.params, self.depth, number / results);
        let args = operation.params.iter().zip(children);
        let args: Option<Vec<Made>> = args
            .map(|(&sort, child)| self.histories.first(theory, sort, self.depth, child))
            .collect();
        let left = Made::apply(theory, operation, &args?.iter().collect::<Vec<_>>())?;
        if self.truth.is_some() && left.value.as_bool() != self.truth {
            return None;
        }
        let others = self.histories.all(theory, operation.result, self.depth, number % results);
        let right = others.into_iter().find(|made| theory.equal(&made.value, &left.value))?;
        Some((left, right))
    }

    fn released(&self, theory: &Theory, number: u128) -> Option<Pair> {
        let (left, right) = self.sides(theory, number)?;
        let words = self.release == Release::NoRegex || !theory.may_vary(SortId::REGLAN);
        let mut released = Released { theory, words, constants: Vec::new() };
        let sides = [left.tree, right.tree].map(|tree| released.release(tree));
        let rules = left.rules.into_iter().chain(right.rules).collect();
        Some(Pair { sides, constants: released.constants, rules })
    }
}

impl Space for Synthesis {
    fn size(&self) -> u128 {
        self.size
    }

    fn contains(&self, theory: &Theory, number: u128) -> bool {
        match self.release {
            Release::All | Release::NoRegex => self.sides(theory, number).is_some(),
            Release::Some => self.equation(theory, number).is_some(),
        }
    }

    fn numbers<'s>(&'s self, theory: &'s Theory) -> Box<dyn Iterator<Item = u128> + Send + 's> {
        if self.release != Release::Some {
            let all = 0..self.size;
            return Box::new(all.filter(|&number| self.contains(theory, number)));
        }
        // The terms are the same for all selections.
        Box::new((0..self.size >> CHOICES).flat_map(move |number| {
            let constants = self.released(theory, number).map_or(0, |found| found.constants.len());
            (1..1u128 << constants.min(CHOICES as usize)).map(move |stay| number << CHOICES | stay)
        }))
    }

    fn equation(&self, theory: &Theory, number: u128) -> Option<Equation> {
        let (number, stay) = match self.release {
            Release::Some => (number >> CHOICES, number & ((1 << CHOICES) - 1)),
            Release::All | Release::NoRegex => (number, 0),
        };
        let Pair { sides: [mut left, mut right], constants, rules } =
            self.released(theory, number)?;
        if self.release == Release::Some {
            // If all become variables, it is not a mixed synthesis.
            if stay == 0 || stay >> constants.len() != 0 {
                return None;
            }
            [left, right] = [left, right].map(|tree| keep(tree, stay, &constants));
        }
        let varies = |&(at, _): &(usize, &Constant)| stay >> at & 1 == 0;
        let variables: Vec<(SortId, Value)> = constants
            .iter()
            .enumerate()
            .filter(varies)
            .map(|(_, constant)| (constant.sort, constant.value.clone()))
            .collect();
        Some(Equation { left, right, variables, rules })
    }
}

/// Two equal terms, with variables for all constants that may become one.
struct Pair {
    sides: [Tree; 2],
    /// The values of the variables.
    constants: Vec<Constant>,
    rules: Vec<String>,
}

/// Constants that became variables.
struct Released<'t> {
    theory: &'t Theory,
    /// Regular languages stay, except for their words.
    words: bool,
    constants: Vec<Constant>,
}

impl Released<'_> {
    fn release(&mut self, tree: Tree) -> Tree {
        match tree {
            Tree::Constant(constant) => self.leaf(constant),
            Tree::Apply(head, args) => {
                Tree::Apply(head, args.into_iter().map(|arg| self.release(arg)).collect())
            }
            Tree::Value(_) | Tree::Variable(_) => tree,
        }
    }

    fn leaf(&mut self, constant: Constant) -> Tree {
        if constant.sort == SortId::REGLAN && self.words {
            return match self.word(&constant) {
                Some((head, word)) => Tree::Apply(head, vec![self.leaf(word)]),
                None => Tree::Constant(constant),
            };
        }
        if !self.theory.may_vary(constant.sort) {
            return Tree::Constant(constant);
        }
        let same = |known: &Constant| known.sort == constant.sort && known.value == constant.value;
        let known = self.constants.iter().position(same);
        Tree::Variable(known.unwrap_or_else(|| {
            self.constants.push(constant);
            self.constants.len() - 1
        }))
    }

    /// The operator that makes a language of a word, and the word, if a constant has this form.
    fn word(&self, constant: &Constant) -> Option<(Head, Constant)> {
        let store = &self.theory.store;
        let Term::App(func, &[word]) = store.get(constant.term) else {
            return None;
        };
        let (Func::Op(strings::TO_RE, _), Term::Literal(value)) =
            (store.func(func), store.get(word))
        else {
            return None;
        };
        let word = Constant { term: word, sort: SortId::STRING, value: value.clone() };
        Some((Head { func, ascribed: None, result: SortId::REGLAN }, word))
    }
}

/// Puts constants back for some variables, and renumbers the others.
fn keep(tree: Tree, stay: u128, constants: &[Constant]) -> Tree {
    match tree {
        Tree::Variable(at) if stay >> at & 1 == 1 => Tree::Constant(constants[at].clone()),
        Tree::Variable(at) => {
            let before = stay & ((1 << at) - 1);
            Tree::Variable(at - before.count_ones() as usize)
        }
        Tree::Apply(head, args) => {
            Tree::Apply(head, args.into_iter().map(|arg| keep(arg, stay, constants)).collect())
        }
        Tree::Constant(_) | Tree::Value(_) => tree,
    }
}
