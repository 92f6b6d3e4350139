//! Random formulas over a few variables with few values. Every operator here is total, so evaluation
//! always succeeds.

use crate::draw::Draw;
use assay_term::eval::EvalContext;
use assay_term::theories::{bv, core, ints};
use assay_term::{FuncId, Int, Model, Op, SortId, Store, TermId, Value};

/// The sorts of the variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flavour {
    Booleans,
    /// Bit-vectors of two or three bits, and Booleans.
    BitVectors,
    /// Integers from a small range, and Booleans.
    Integers,
}

impl Flavour {
    pub(crate) const ALL: [Flavour; 3] =
        [Flavour::Booleans, Flavour::BitVectors, Flavour::Integers];

    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Flavour::Booleans => "booleans",
            Flavour::BitVectors => "bit-vectors",
            Flavour::Integers => "integers",
        }
    }
}

/// A variable with all its values.
pub(crate) struct Variable {
    pub(crate) func: FuncId,
    pub(crate) term: TermId,
    pub(crate) values: Vec<Value>,
}

/// The range of integers.
pub(crate) const RANGE: (i64, i64) = (-1, 2);

/// Variables with at most 256 assignments.
pub(crate) fn variables(store: &mut Store, draw: &mut Draw, flavour: Flavour) -> Vec<Variable> {
    let mut sorts = Vec::new();
    match flavour {
        Flavour::Booleans => sorts.extend(vec![SortId::BOOL; draw.between(3, 8)]),
        Flavour::BitVectors => {
            let width = draw.between(2, 3);
            let count = draw.between(1, 6 / width);
            let sort = store.sorts.bit_vec(u32::try_from(width).expect("at most three"));
            sorts.extend(vec![sort; count]);
            sorts.extend(vec![SortId::BOOL; draw.between(0, 2)]);
        }
        Flavour::Integers => {
            sorts.extend(vec![SortId::INT; draw.between(1, 3)]);
            sorts.extend(vec![SortId::BOOL; draw.between(0, 2)]);
        }
    }
    let variable = |(at, sort): (usize, SortId)| {
        let stem = match sort {
            SortId::BOOL => 'p',
            SortId::INT => 'n',
            _ => 'v',
        };
        let name = format!("{stem}{at}");
        let func = store.declare(&name, &[], sort);
        Variable { func, term: store.constant(&name, sort), values: values(store, sort) }
    };
    sorts.into_iter().enumerate().map(variable).collect()
}

fn values(store: &Store, sort: SortId) -> Vec<Value> {
    if sort == SortId::INT {
        return (RANGE.0..=RANGE.1).map(|n| Int::from(n).into()).collect();
    }
    let nothing = Model::new();
    let all = EvalContext::new(store, &nothing).enumerate(sort, 8);
    all.expect("a Boolean or at most three bits")
}

/// Makes formulas.
pub(crate) struct Grower<'g> {
    store: &'g mut Store,
    draw: &'g mut Draw,
    truths: Vec<TermId>,
    /// All of one width.
    vectors: Vec<TermId>,
    numbers: Vec<TermId>,
}

const CONNECTIVES: [Op; 5] = [core::AND, core::OR, core::XOR, core::IMPLIES, core::EQ];
const ORDERS: [Op; 6] = [core::EQ, core::DISTINCT, ints::LE, ints::LT, ints::GE, ints::GT];
const RELATIONS: [Op; 10] = [
    core::EQ,
    core::DISTINCT,
    bv::ULT,
    bv::ULE,
    bv::UGT,
    bv::UGE,
    bv::SLT,
    bv::SLE,
    bv::SGT,
    bv::SGE,
];
const VECTORS: [Op; 14] = [
    bv::ADD,
    bv::SUB,
    bv::MUL,
    bv::AND,
    bv::OR,
    bv::XOR,
    bv::UDIV,
    bv::UREM,
    bv::SDIV,
    bv::SREM,
    bv::SMOD,
    bv::SHL,
    bv::LSHR,
    bv::ASHR,
];

impl<'g> Grower<'g> {
    pub(crate) fn new(
        store: &'g mut Store,
        draw: &'g mut Draw,
        variables: &[Variable],
    ) -> Grower<'g> {
        let mut grower =
            Grower { store, draw, truths: Vec::new(), vectors: Vec::new(), numbers: Vec::new() };
        for variable in variables {
            let list = match grower.store.sort(variable.term) {
                SortId::BOOL => &mut grower.truths,
                SortId::INT => &mut grower.numbers,
                _ => &mut grower.vectors,
            };
            list.push(variable.term);
        }
        grower
    }

    /// A formula.
    pub(crate) fn formula(&mut self, depth: usize) -> TermId {
        let others = !self.vectors.is_empty() || !self.numbers.is_empty();
        // Half of the formulas that could compare numbers do.
        let compares = others && (self.truths.is_empty() && depth == 0 || self.draw.below(2) == 0);
        if compares {
            return self.comparison(depth.saturating_sub(1));
        }
        if depth == 0 {
            return *self.draw.pick(&self.truths);
        }
        match self.draw.below(7) {
            0 => {
                let inner = self.formula(depth - 1);
                self.apply(core::NOT, &[inner])
            }
            1 => {
                let parts = [0; 3].map(|_| self.formula(depth - 1));
                self.apply(core::ITE, &parts)
            }
            _ => {
                let op = *self.draw.pick(&CONNECTIVES);
                let parts = [0; 2].map(|_| self.formula(depth - 1));
                self.apply(op, &parts)
            }
        }
    }

    fn comparison(&mut self, depth: usize) -> TermId {
        let (ops, vectors): (&[Op], bool) =
            if self.vectors.is_empty() { (&ORDERS, false) } else { (&RELATIONS, true) };
        let op = *self.draw.pick(ops);
        let sides = [0; 2].map(|_| if vectors { self.vector(depth) } else { self.number(depth) });
        self.apply(op, &sides)
    }

    /// A term to minimize or maximize; `None` if all variables are Boolean.
    pub(crate) fn quantity(&mut self, depth: usize) -> Option<TermId> {
        match (self.vectors.is_empty(), self.numbers.is_empty()) {
            (false, _) => Some(self.vector(depth)),
            (_, false) => Some(self.number(depth)),
            _ => None,
        }
    }

    fn vector(&mut self, depth: usize) -> TermId {
        if depth == 0 {
            let variable = *self.draw.pick(&self.vectors);
            if self.draw.below(3) > 0 {
                return variable;
            }
            let all = values(self.store, self.store.sort(variable));
            let value = self.draw.pick(&all).clone();
            return self.store.value(&value).expect("bits can be written");
        }
        match self.draw.below(8) {
            0 => {
                let op = *self.draw.pick(&[bv::NOT, bv::NEG]);
                let inner = self.vector(depth - 1);
                self.apply(op, &[inner])
            }
            1 => {
                let test = self.formula(depth - 1);
                let sides = [0; 2].map(|_| self.vector(depth - 1));
                self.apply(core::ITE, &[test, sides[0], sides[1]])
            }
            _ => {
                let op = *self.draw.pick(&VECTORS);
                let sides = [0; 2].map(|_| self.vector(depth - 1));
                self.apply(op, &sides)
            }
        }
    }

    fn number(&mut self, depth: usize) -> TermId {
        if depth == 0 {
            if self.draw.below(3) > 0 {
                return *self.draw.pick(&self.numbers);
            }
            return self.numeral(-3, 3);
        }
        match self.draw.below(7) {
            0 => {
                let inner = self.number(depth - 1);
                self.apply(ints::ABS, &[inner])
            }
            1 => {
                let test = self.formula(depth - 1);
                let sides = [0; 2].map(|_| self.number(depth - 1));
                self.apply(core::ITE, &[test, sides[0], sides[1]])
            }
            2 => {
                let op = *self.draw.pick(&[ints::DIV, ints::MOD]);
                let sides = [self.number(depth - 1), self.numeral(2, 3)];
                self.apply(op, &sides)
            }
            3 => {
                let sides = [self.numeral(-3, 3), self.number(depth - 1)];
                self.apply(ints::MUL, &sides)
            }
            _ => {
                let op = *self.draw.pick(&[ints::ADD, ints::SUB]);
                let sides = [0; 2].map(|_| self.number(depth - 1));
                self.apply(op, &sides)
            }
        }
    }

    fn numeral(&mut self, least: i64, most: i64) -> TermId {
        let span = usize::try_from(most - least + 1).expect("the least is not above the most");
        let value = least + i64::try_from(self.draw.below(span)).expect("a small span");
        self.store.int(&Int::from(value))
    }

    fn apply(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.store.op(op, args).expect("the sorts are right")
    }
}
