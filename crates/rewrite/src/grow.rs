//! Random terms over a signature: small, with parts that occur twice and constants at boundaries.
//!
//! Most rules of a simplifier fire on few operators: over constants that are special to them, on an
//! operator below itself, or on one operator below another. Most terms have such a shape; the rest are
//! drawn freely. Rules also compare leaves: half of the terms have one variable and one constant of each
//! sort, a quarter have constants of one form, such as ranges that overlap.

use assay_forge::rules::random_value_in;
use assay_grow::{Maker, Producer, Signature};
use assay_mutate::Draw;
use assay_term::{FuncId, Model, Op, SortId, Store, Term, TermId};
use rustc_hash::FxHashMap;

/// One in this many constants is not one of the signature's.
const RANDOM: usize = 6;

/// Makes random terms in a copy of a signature's store.
pub(crate) struct Grower<'g> {
    pub(crate) signature: &'g Signature,
    pub(crate) store: &'g mut Store,
    pub(crate) draw: &'g mut Draw,
    /// What was made so far, to be used again.
    made: Vec<TermId>,
    leaves: Leaves,
}

/// How the leaves of a term are related.
enum Leaves {
    /// Not at all.
    Any,
    /// There is one variable and one constant of each sort.
    One(FxHashMap<SortId, [Option<TermId>; 2]>),
    /// The constants of each sort have one form.
    Alike(FxHashMap<SortId, Option<Form>>),
}

/// The form of a constant: what is at its root, if it is not a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Op(Op),
    Func(FuncId),
}

fn form(store: &Store, constant: TermId) -> Option<Form> {
    match (store.operator(constant), store.get(constant)) {
        (Some((op, _)), _) => Some(Form::Op(op)),
        (None, Term::App(func, _)) => Some(Form::Func(func)),
        _ => None,
    }
}

impl<'g> Grower<'g> {
    pub(crate) fn new(
        signature: &'g Signature,
        store: &'g mut Store,
        draw: &'g mut Draw,
    ) -> Grower<'g> {
        let leaves = match draw.below(4) {
            0 | 1 => Leaves::One(FxHashMap::default()),
            2 => Leaves::Alike(FxHashMap::default()),
            _ => Leaves::Any,
        };
        Grower { signature, store, draw, made: Vec::new(), leaves }
    }

    /// A term about an operator, in one of the shapes.
    pub(crate) fn root(&mut self, root: &Producer, depth: u32) -> Option<TermId> {
        match self.draw.below(8) {
            0 => self.on_leaves(root),
            1 | 2 => self.nested(root, root, 1 + depth / 2),
            3 | 4 => {
                let maker = self.draw_maker(root)?;
                let sort = *self.draw.of(&maker.args)?;
                let below = self.below(sort)?;
                self.nested(root, below, 1)
            }
            5 => {
                let above = self.above(root)?;
                self.nested(above, root, 1)
            }
            _ => self.apply(root, depth),
        }
    }

    fn draw_maker<'p>(&mut self, producer: &'p Producer) -> Option<&'p Maker> {
        self.draw.of(&producer.makers)
    }

    /// An operator that yields a sort: often one that only takes this sort, because rules look into
    /// sums, concatenations and the like.
    fn below(&mut self, sort: SortId) -> Option<&'g Producer> {
        let producers = self.signature.producers(sort);
        let stays = |maker: &Maker| maker.args.iter().all(|&arg| arg == sort);
        let staying = producers.iter().filter(|producer| producer.makers.iter().any(stays));
        let staying: Vec<&'g Producer> = staying.collect();
        match self.draw.one_in(2) && !staying.is_empty() {
            true => self.draw.of(&staying).copied(),
            false => self.draw.of(producers),
        }
    }

    /// An operator that takes what another yields.
    fn above(&mut self, below: &Producer) -> Option<&'g Producer> {
        let sort = self.draw_maker(below)?.result;
        let signature = self.signature;
        let takes = |maker: &Maker| maker.args.contains(&sort);
        let takers = signature.roots.iter().filter(|root| root.makers.iter().any(takes));
        self.draw.of(&takers.collect::<Vec<_>>()).copied()
    }

    /// An application to constants, with one other argument at most.
    pub(crate) fn on_leaves(&mut self, root: &Producer) -> Option<TermId> {
        let maker = self.draw.of(&root.makers)?;
        let free = self.draw.below(maker.args.len() + 1);
        let mut args = Vec::with_capacity(maker.args.len());
        for (position, &sort) in maker.args.iter().enumerate() {
            args.push(match self.constant(sort) {
                Some(constant) if position != free => constant,
                _ => self.term(sort, 1)?,
            });
        }
        self.made(maker, &args)
    }

    /// An application with one of an operator (perhaps the same, with other indices) in every argument
    /// where one fits, or in one of them; the other arguments are leaves.
    pub(crate) fn nested(
        &mut self,
        above: &Producer,
        below: &Producer,
        depth: u32,
    ) -> Option<TermId> {
        let fits = |maker: &&Maker| maker.args.iter().any(|&sort| below.yields(sort));
        let makers: Vec<&Maker> = above.makers.iter().filter(fits).collect();
        let maker = match self.draw.of(&makers) {
            Some(maker) => maker,
            None => self.draw_maker(above)?,
        };
        self.filled(maker, below, depth)
    }

    fn filled(&mut self, maker: &Maker, below: &Producer, depth: u32) -> Option<TermId> {
        let fitting: Vec<usize> =
            (0..maker.args.len()).filter(|&at| below.yields(maker.args[at])).collect();
        let only = match self.draw.one_in(3) {
            true => None,
            false => self.draw.of(&fitting).copied(),
        };
        let mut args = Vec::with_capacity(maker.args.len());
        for (position, &sort) in maker.args.iter().enumerate() {
            let wanted = depth > 0 && only.is_none_or(|only| only == position);
            let inner: Vec<&Maker> = match wanted {
                true => below.makers.iter().filter(|maker| maker.result == sort).collect(),
                false => Vec::new(),
            };
            args.push(match self.draw.of(&inner) {
                Some(inner) => self.filled(inner, below, depth - 1)?,
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
        let one = match &self.leaves {
            Leaves::One(one) => one.get(&sort).copied(),
            _ => None,
        };
        let [variable, constant] = match one {
            Some(leaves) => leaves,
            None => {
                let variable = self.draw.of(self.signature.variables(sort)).copied();
                let leaves = [variable, self.constant(sort)];
                if let Leaves::One(one) = &mut self.leaves {
                    one.insert(sort, leaves);
                }
                leaves
            }
        };
        match self.draw.below(5) < 3 {
            true => variable.or(constant),
            false => constant.or(variable),
        }
    }

    /// A constant that is no boundary.
    fn random(&mut self, sort: SortId) -> Option<TermId> {
        let value = random_value_in(self.draw.rng(), self.store, &Model::new(), sort)?;
        self.store.value(&value)
    }

    /// A constant, of the form of the others of its sort if they are to be alike.
    fn constant(&mut self, sort: SortId) -> Option<TermId> {
        let constants = self.signature.constants(sort);
        let Leaves::Alike(forms) = &mut self.leaves else {
            let random = self.draw.one_in(RANDOM).then(|| self.random(sort)).flatten();
            return random.or_else(|| self.draw.of(constants).copied());
        };
        let store = &*self.store;
        let wanted = match forms.get(&sort) {
            Some(&wanted) => wanted,
            None => {
                let mut all: Vec<Option<Form>> = Vec::new();
                for form in constants.iter().map(|&constant| form(store, constant)) {
                    if !all.contains(&form) {
                        all.push(form);
                    }
                }
                let wanted = self.draw.of(&all).copied().flatten();
                forms.insert(sort, wanted);
                wanted
            }
        };
        let alike: Vec<TermId> =
            constants.iter().copied().filter(|&c| form(store, c) == wanted).collect();
        self.draw.of(&alike).copied()
    }
}
