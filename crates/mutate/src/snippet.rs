//! Random well-sorted terms over a formula's vocabulary; linear if the formula is.

use crate::draw::Draw;
use crate::vocabulary::{Care, Maker, Vocabulary};
use assay_forge::rules::random_value;
use assay_term::{Int, Sort, SortId, Store, TermId};
use num_rational::BigRational;

/// Makes random terms.
#[derive(Clone, Copy)]
pub(crate) struct Snippets<'v> {
    pub(crate) vocabulary: &'v Vocabulary,
    /// Bound variables that may occur.
    pub(crate) scope: &'v [TermId],
    /// Maximum depth of applications.
    pub(crate) depth: u32,
}

impl Snippets<'_> {
    /// A formula, preferably more than a symbol.
    pub(crate) fn formula(&self, store: &mut Store, draw: &mut Draw) -> Option<TermId> {
        self.application(store, draw, SortId::BOOL, self.depth)
            .or_else(|| self.leaf(store, draw, SortId::BOOL))
    }

    /// A term of a sort; `None` if the vocabulary has none.
    pub(crate) fn term(&self, store: &mut Store, draw: &mut Draw, sort: SortId) -> Option<TermId> {
        self.nested(store, draw, sort, self.depth)
    }

    fn nested(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        sort: SortId,
        depth: u32,
    ) -> Option<TermId> {
        if depth > 0 && !draw.one_in(3) {
            if let Some(term) = self.application(store, draw, sort, depth) {
                return Some(term);
            }
        }
        self.leaf(store, draw, sort)
    }

    /// An application of a function to terms of smaller depth.
    fn application(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        sort: SortId,
        depth: u32,
    ) -> Option<TermId> {
        let maker = draw.of(self.vocabulary.makers(sort))?;
        self.apply(store, draw, maker, depth.saturating_sub(1), None)
    }

    /// A function applied to random terms, except for the given argument at its position.
    pub(crate) fn apply(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        maker: &Maker,
        depth: u32,
        given: Option<(usize, TermId)>,
    ) -> Option<TermId> {
        let mut args = Vec::with_capacity(maker.args.len());
        for (at, &sort) in maker.args.iter().enumerate() {
            let arg = match (given, maker.care) {
                (Some((position, term)), _) if position == at => Some(term),
                (_, Care::OneFactor) if at > 0 => self.constant(store, draw, sort),
                (_, Care::Divisor) if at > 0 => divisor(store, draw, sort),
                (_, Care::ConstantStrings) if sort == SortId::STRING => {
                    self.constant(store, draw, sort)
                }
                _ => self.nested(store, draw, sort, depth),
            };
            args.push(arg?);
        }
        store.try_app_as(maker.func, &args, None).ok()
    }

    fn leaf(&self, store: &mut Store, draw: &mut Draw, sort: SortId) -> Option<TermId> {
        let bound = self.scope.iter().filter(|&&var| store.sort(var) == sort);
        let bound: Vec<TermId> = bound.copied().collect();
        if !bound.is_empty() && draw.one_in(2) {
            return draw.of(&bound).copied();
        }
        let known = match draw.below(8) {
            0 => None,
            1..=3 => draw.of(self.vocabulary.parts(sort)),
            _ => draw.of(self.vocabulary.leaves(sort)),
        };
        known.copied().or_else(|| self.constant(store, draw, sort)).or_else(|| {
            // A sort whose values cannot be written.
            draw.of(self.vocabulary.leaves(sort)).copied()
        })
    }

    /// A constant: one of the formula's, or a new one.
    pub(crate) fn constant(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        sort: SortId,
    ) -> Option<TermId> {
        if draw.one_in(2) {
            if let Some(&known) = draw.of(self.vocabulary.constants(sort)) {
                return Some(known);
            }
        }
        match store.sorts.get(sort) {
            Sort::Bool
            | Sort::Int
            | Sort::Real
            | Sort::String
            | Sort::BitVec(_)
            | Sort::Float(_)
            | Sort::RoundingMode => {
                let value = random_value(draw.rng(), store, sort)?;
                store.value(&value)
            }
            _ => draw.of(self.vocabulary.constants(sort)).copied(),
        }
    }
}

/// A small nonzero number.
fn divisor(store: &mut Store, draw: &mut Draw, sort: SortId) -> Option<TermId> {
    let number = 1 + draw.below(12) as i64;
    match store.sorts.get(sort) {
        Sort::Int => Some(store.int(&Int::from(number))),
        Sort::Real => Some(store.real(&BigRational::from_integer(number.into()))),
        _ => None,
    }
}
