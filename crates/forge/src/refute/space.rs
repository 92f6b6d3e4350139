//! The refutations of one group, numbered.

use super::book::{Book, Definition, Equality};
use super::build::{Refuted, Written};
use super::item::{Rewrite, Role};
use super::spec::Refutation;
use crate::rules::rewrite::{mentions, preorder};
use assay_case::{MakeError, Origin, TestCase};
use assay_term::Term;
use std::sync::Arc;

/// The refutations of one kind for the definitions of one operation.
pub(crate) struct FromRules {
    book: Arc<Book>,
    /// The definitions, by index in the book.
    definitions: Vec<usize>,
    how: Refutation,
    written: Written,
    depth: u32,
}

impl FromRules {
    pub(crate) fn new(
        book: &Arc<Book>,
        definitions: Vec<usize>,
        how: Refutation,
        written: Written,
        depth: u8,
    ) -> FromRules {
        FromRules { book: Arc::clone(book), definitions, how, written, depth: u32::from(depth) }
    }

    /// The number of candidates.
    pub(crate) fn size(&self) -> u128 {
        let sizes = self.definitions.iter().map(|&at| self.size_of(&self.book.definitions[at]));
        sizes.fold(0, u128::saturating_add)
    }

    fn size_of(&self, definition: &Definition) -> u128 {
        let rewrites = definition.rewrites.of(self.how).len() as u128;
        match self.how {
            Refutation::EquivalentFormula => 1,
            Refutation::Chain => rewrites.checked_pow(self.depth).unwrap_or(u128::MAX),
            _ => rewrites,
        }
    }

    /// Whether there is a case with this number.
    pub(crate) fn contains(&self, number: u128) -> bool {
        self.plan(number).is_some()
    }

    /// The definition and the replacements in it.
    fn plan(&self, mut number: u128) -> Option<(&Definition, Vec<Rewrite>)> {
        for &at in &self.definitions {
            let definition = &self.book.definitions[at];
            let size = self.size_of(definition);
            if number >= size {
                number -= size;
                continue;
            }
            let all = definition.rewrites.of(self.how);
            let rewrites = match self.how {
                Refutation::EquivalentFormula => Vec::new(),
                Refutation::Chain => chain(definition, &all, number, self.depth)?,
                _ => vec![*all.get(usize::try_from(number).ok()?)?],
            };
            let possible = |rewrite: &Rewrite| self.is_possible(definition, *rewrite);
            return rewrites.iter().all(possible).then_some((definition, rewrites));
        }
        None
    }

    /// A pattern must not be a variable, and must mention every variable of its quantifier.
    fn is_possible(&self, definition: &Definition, rewrite: Rewrite) -> bool {
        let bound = definition.items[rewrite.item].role == Role::Bound;
        let Equality { entry, term, .. } = &self.book.equalities[rewrite.equality];
        let store = &self.book.store;
        let all = || entry.law.params.iter().all(|v| mentions(store, *term, v.term));
        let applied = matches!(store.get(*term), Term::App(_, args) if !args.is_empty());
        self.written == Written::Plain || !bound || applied && all()
    }

    /// The test case with this number.
    pub(crate) fn case(
        &self,
        number: u128,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let none = || MakeError::NoSuchCase(format!("{name}: there is no such case"));
        let (definition, rewrites) = self.plan(number).ok_or_else(none)?;
        let mut refuted = Refuted::new(&self.book, definition, self.written)?;
        for rewrite in rewrites {
            refuted.apply(&self.book, definition, rewrite)?;
        }
        refuted.into_case(name, origin)
    }
}

/// The steps of a chain: items in order, without repetition unless they can be replaced twice.
fn chain(
    definition: &Definition,
    all: &[Rewrite],
    mut number: u128,
    depth: u32,
) -> Option<Vec<Rewrite>> {
    let mut rewrites: Vec<Rewrite> = Vec::new();
    for _ in 0..depth {
        rewrites.push(all[(number % all.len() as u128) as usize]);
        number /= all.len() as u128;
    }
    rewrites.reverse();
    let once = |role: &Role| matches!(role, Role::Constant(_) | Role::Bound);
    let fine = |pair: &[Rewrite]| {
        pair[0].item < pair[1].item
            || pair[0].item == pair[1].item && !once(&definition.items[pair[0].item].role)
    };
    rewrites.windows(2).all(fine).then_some(rewrites)
}

/// Whether a definition has a quantifier.
pub(crate) fn is_quantified(book: &Book, definition: &Definition) -> bool {
    let store = &book.store;
    preorder(store, definition.right).iter().any(|&term| matches!(store.get(term), Term::Quant(..)))
}
