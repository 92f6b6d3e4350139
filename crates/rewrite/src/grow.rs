//! Random terms over a signature: small, with parts that occur twice and constants at boundaries.
//!
//! Most rules of a simplifier fire on few operators over constants that are special to them, or on an
//! operator below itself. Half of the terms have such a shape; the rest are drawn freely. Rules also fire
//! where the same leaf stands in two places: half of the terms have one variable and one constant of each
//! sort.

use assay_grow::{Maker, Producer, Signature};
use assay_mutate::Draw;
use assay_term::{SortId, Store, TermId};
use rustc_hash::FxHashMap;

/// Makes random terms in a copy of a signature's store.
pub(crate) struct Grower<'g> {
    pub(crate) signature: &'g Signature,
    pub(crate) store: &'g mut Store,
    pub(crate) draw: &'g mut Draw,
    /// What was made so far, to be used again.
    made: Vec<TermId>,
    /// The variable and the constant of each sort, if there may be only one of each.
    only: Option<FxHashMap<SortId, [Option<TermId>; 2]>>,
}

impl<'g> Grower<'g> {
    pub(crate) fn new(
        signature: &'g Signature,
        store: &'g mut Store,
        draw: &'g mut Draw,
    ) -> Grower<'g> {
        let only = draw.one_in(2).then(FxHashMap::default);
        Grower { signature, store, draw, made: Vec::new(), only }
    }

    /// An application of a root in one of the shapes.
    pub(crate) fn root(&mut self, root: &Producer, depth: u32) -> Option<TermId> {
        match self.draw.below(4) {
            0 => self.on_leaves(root),
            1 => self.nested(root, 1 + depth / 2),
            _ => self.apply(root, depth),
        }
    }

    /// An application to constants, with one other argument at most.
    fn on_leaves(&mut self, root: &Producer) -> Option<TermId> {
        let maker = self.draw.of(&root.makers)?;
        let free = self.draw.below(maker.args.len() + 1);
        let mut args = Vec::with_capacity(maker.args.len());
        for (position, &sort) in maker.args.iter().enumerate() {
            let constants = self.signature.constants(sort);
            args.push(match self.draw.of(constants) {
                Some(&constant) if position != free => constant,
                _ => self.term(sort, 1)?,
            });
        }
        self.made(maker, &args)
    }

    /// An application with one of the same operator, perhaps with other indices, in every argument where
    /// one fits, or in one of them; the other arguments are leaves.
    fn nested(&mut self, root: &Producer, depth: u32) -> Option<TermId> {
        let maker = self.draw.of(&root.makers)?;
        self.below(root, maker, depth)
    }

    fn below(&mut self, root: &Producer, maker: &Maker, depth: u32) -> Option<TermId> {
        let only = match self.draw.one_in(3) {
            true => None,
            false => Some(self.draw.below(maker.args.len())),
        };
        let mut args = Vec::with_capacity(maker.args.len());
        for (position, &sort) in maker.args.iter().enumerate() {
            let fitting: Vec<&Maker> = match only {
                Some(only) if only != position => Vec::new(),
                _ if depth == 0 => Vec::new(),
                _ => self.signature.again(root, sort).collect(),
            };
            args.push(match self.draw.of(&fitting) {
                Some(inner) => self.below(root, inner, depth - 1)?,
                None => self.leaf(sort)?,
            });
        }
        self.made(maker, &args)
    }

    fn made(&mut self, maker: &Maker, args: &[TermId]) -> Option<TermId> {
        let term = self.store.app_as(maker.func, args, maker.ascribed).ok()?;
        self.made.push(term);
        Some(term)
    }

    /// An application of an operator to arguments that nest less deep.
    pub(crate) fn apply(&mut self, producer: &Producer, depth: u32) -> Option<TermId> {
        let maker: &Maker = self.draw.of(&producer.makers)?;
        let mut args = Vec::with_capacity(maker.args.len());
        for &sort in &maker.args {
            args.push(self.term(sort, depth.saturating_sub(1))?);
        }
        self.made(maker, &args)
    }

    /// A term of a sort; `None` if the signature has none.
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
        let [variable, constant] = match self.only.as_ref().and_then(|only| only.get(&sort)) {
            Some(leaves) => *leaves,
            None => {
                let signature = self.signature;
                let lists = [signature.variables(sort), signature.constants(sort)];
                let leaves = lists.map(|list| self.draw.of(list).copied());
                if let Some(only) = &mut self.only {
                    only.insert(sort, leaves);
                }
                leaves
            }
        };
        match self.draw.below(5) < 3 {
            true => variable.or(constant),
            false => constant.or(variable),
        }
    }
}
