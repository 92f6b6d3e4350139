//! Random terms over a signature: small, with parts that occur twice and constants at boundaries.

use crate::signature::{Maker, Producer, Signature};
use assay_mutate::Draw;
use assay_term::{SortId, Store, TermId};

/// Makes random terms in a copy of a signature's store.
pub(crate) struct Grower<'g> {
    pub(crate) signature: &'g Signature,
    pub(crate) store: &'g mut Store,
    pub(crate) draw: &'g mut Draw,
    /// What was made so far, to be used again.
    made: Vec<TermId>,
}

impl<'g> Grower<'g> {
    pub(crate) fn new(
        signature: &'g Signature,
        store: &'g mut Store,
        draw: &'g mut Draw,
    ) -> Grower<'g> {
        Grower { signature, store, draw, made: Vec::new() }
    }

    /// An application of an operator to arguments that nest less deep.
    pub(crate) fn apply(&mut self, producer: &Producer, depth: u32) -> Option<TermId> {
        let maker: &Maker = self.draw.of(&producer.makers)?;
        let mut args = Vec::with_capacity(maker.args.len());
        for &sort in &maker.args {
            args.push(self.term(sort, depth.saturating_sub(1))?);
        }
        let term = self.store.app_as(maker.func, &args, maker.ascribed).ok()?;
        self.made.push(term);
        Some(term)
    }

    /// A term of a sort; none where the signature has none.
    pub(crate) fn term(&mut self, sort: SortId, depth: u32) -> Option<TermId> {
        let choice = self.draw.below(16);
        if choice < 2 {
            if let Some(term) = self.again(sort) {
                return Some(term);
            }
        }
        if depth > 0 && choice < 10 {
            let signature = self.signature;
            if let Some(producer) = self.draw.of(signature.producers(sort)) {
                if let Some(term) = self.apply(producer, depth) {
                    return Some(term);
                }
            }
        }
        self.leaf(sort)
    }

    /// A term of this sort that was made before.
    fn again(&mut self, sort: SortId) -> Option<TermId> {
        let store = &*self.store;
        let fitting: Vec<TermId> =
            self.made.iter().copied().filter(|&term| store.sort(term) == sort).collect();
        self.draw.of(&fitting).copied()
    }

    /// A variable or a constant.
    fn leaf(&mut self, sort: SortId) -> Option<TermId> {
        let (variables, constants) =
            (self.signature.variables(sort), self.signature.constants(sort));
        let (first, second) = match self.draw.below(5) < 3 {
            true => (variables, constants),
            false => (constants, variables),
        };
        self.draw.of(first).or(self.draw.of(second)).copied()
    }
}
