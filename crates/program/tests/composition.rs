//! Operators within operators, with literals among them: what is written holds exactly where our
//! evaluator says that it holds.

use assay_mutate::Draw;
use assay_program::c::{Layout, print};
use assay_program::{Algorithm, MazePlan, Plan, Scope, Shape, Style, Unfit, write};
use assay_term::bitvec::BitVec;
use assay_term::theories::{bv, core};
use assay_term::{Evaluator, Interpretation, Model, Op, SortId, Store, Term, TermId, Value};

const WIDTHS: [u32; 6] = [5, 8, 32, 64, 77, 128];

/// Operators that take two vectors of a width and give one of it.
const BINARY: [Op; 12] = [
    bv::AND,
    bv::OR,
    bv::XOR,
    bv::ADD,
    bv::SUB,
    bv::MUL,
    bv::UDIV,
    bv::UREM,
    bv::SHL,
    bv::LSHR,
    bv::ASHR,
    bv::SDIV,
];

/// Those that compare two.
const COMPARING: [Op; 5] = [core::EQ, bv::ULT, bv::ULE, bv::SLT, bv::SLE];

/// Terms over a constant of each width.
struct Terms {
    store: Store,
    draw: Draw,
    constants: Vec<TermId>,
}

impl Terms {
    fn literal(&mut self, width: u32) -> TermId {
        if width > 64 {
            let (high, low) = (self.literal(width - 64), self.literal(64));
            let (high, low) = (self.value(high), self.value(low));
            return self.store.bit_vec(high.concat(&low));
        }
        let ones = BitVec::ones(width).to_u64().expect("at most 64 bits");
        let drawn = match self.draw.below(4) {
            0 => self.draw.below(4) as u64,
            1 => 1u64 << self.draw.below(width as usize),
            2 => ones,
            _ => self.draw.below(usize::MAX) as u64,
        };
        self.store.word_bit_vec(width, drawn & ones)
    }

    fn value(&self, literal: TermId) -> BitVec {
        match self.store.get(literal) {
            Term::Literal(Value::BitVec(bits)) => bits.clone(),
            other => panic!("{other:?} is no vector"),
        }
    }

    fn vector(&mut self, width: u32, depth: u32) -> TermId {
        let at = WIDTHS.iter().position(|&known| known == width);
        match (depth, self.draw.below(6)) {
            (0, 0..3) | (_, 0) => self.literal(width),
            (0, _) => self.constants[at.expect("a width of a constant")],
            // A part of something wider: what is above it must not matter.
            (_, 1) if width < 64 => {
                let from = if self.draw.one_in(2) { 64 } else { 128 };
                let wide = self.vector(from, depth - 1);
                let low = match self.draw.one_in(2) {
                    true => 0,
                    false => self.draw.below((from - width) as usize + 1) as u64,
                };
                let func = self.store.op_func(bv::EXTRACT, &[low + u64::from(width) - 1, low]);
                self.store.app(func, &[wide]).expect("a part of a vector")
            }
            (_, 2) if width > 8 => {
                let narrow = self.vector(8, depth - 1);
                let op = if self.draw.one_in(2) { bv::SIGN_EXTEND } else { bv::ZERO_EXTEND };
                let func = self.store.op_func(op, &[u64::from(width) - 8]);
                self.store.app(func, &[narrow]).expect("a longer vector")
            }
            (_, 3) => {
                let test = self.truth(depth - 1);
                let (yes, no) = (self.vector(width, depth - 1), self.vector(width, depth - 1));
                self.store.op(core::ITE, &[test, yes, no]).expect("a choice")
            }
            _ => {
                let (a, b) = (self.vector(width, depth - 1), self.vector(width, depth - 1));
                let op = BINARY[self.draw.below(BINARY.len())];
                self.store.op(op, &[a, b]).expect("two of a width")
            }
        }
    }

    fn truth(&mut self, depth: u32) -> TermId {
        if depth > 1 && self.draw.one_in(3) {
            let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
            let op = [core::AND, core::OR, core::XOR, core::IMPLIES][self.draw.below(4)];
            return self.store.op(op, &[a, b]).expect("two truths");
        }
        let width = WIDTHS[self.draw.below(WIDTHS.len())];
        let (a, b) = (self.vector(width, depth), self.vector(width, depth));
        let op = COMPARING[self.draw.below(COMPARING.len())];
        let compared = self.store.op(op, &[a, b]).expect("two of a width");
        match self.draw.one_in(2) {
            true => compared,
            false => self.store.op(core::NOT, &[compared]).expect("a truth"),
        }
    }

    fn model(&mut self) -> Model {
        let mut model = Model::new();
        for (at, width) in WIDTHS.into_iter().enumerate() {
            let literal = self.literal(width);
            let Term::Literal(value) = self.store.get(literal) else { panic!("a literal") };
            let value = Interpretation::Value(value.clone());
            let Term::App(func, _) = self.store.get(self.constants[at]) else {
                panic!("a constant")
            };
            model.set(func, value);
        }
        model
    }
}

/// What the style of a round is.
fn plan(round: u64) -> Plan {
    let style = Style {
        well_defined: true,
        signed_functions: round % 2 == 0,
        promoted: round % 3 == 0,
        narrow: false,
        tallest: 6,
        size: 2,
    };
    Plan { shape: Shape::Straight, scope: Scope::Local, style }
}

#[test]
fn bits_above_a_part_do_not_matter() {
    for round in 0..6 {
        let mut store = Store::new();
        let sort = store.sorts.bit_vec(64);
        let x = store.constant("x", sort);
        let bit = store.word_bit_vec(64, 0x100);
        let set = store.op(bv::OR, &[x, bit]).expect("two of a width");
        let low = store.op_func(bv::EXTRACT, &[7, 0]);
        let low = store.app(low, &[set]).expect("a part of a vector");
        let zero = store.word_bit_vec(8, 0);
        let assertion = store.op(core::EQ, &[low, zero]).expect("two of a width");
        let mut model = Model::new();
        let Term::App(func, _) = store.get(x) else { panic!("a constant") };
        let value = Value::BitVec(BitVec::from_u64(64, 0xab00));
        model.set(func, Interpretation::Value(value));
        let (none, mut draw) = (Model::new(), Draw::new(&[round]));
        let written = write(&store, &[assertion], &none, Some(&model), plan(round), &mut draw);
        assert!(written.is_ok(), "{written:?}");
        let denied = store.op(core::NOT, &[assertion]).expect("a truth");
        let written = write(&store, &[denied], &none, Some(&model), plan(round), &mut draw);
        assert!(matches!(written, Err(Unfit::Model(_))), "{written:?}");
    }
}

#[test]
fn unread_variables_are_written_in_every_shape() {
    let mut store = Store::new();
    let sort = store.sorts.bit_vec(8);
    let x = store.constant("x", sort);
    let never = store.op(core::DISTINCT, &[x, x]).expect("two of a width");
    let maze = |width| {
        let maze = MazePlan { cycles: 30, ..MazePlan::new(Algorithm::Prim, width, 2) };
        Shape::Maze(maze)
    };
    let chained = |comparisons| {
        let maze = MazePlan::new(Algorithm::Wilson, 3, 2);
        Shape::Maze(MazePlan { chain: 3, random_exit: true, comparisons, cycles: 20, ..maze })
    };
    let plain = [Shape::Straight, Shape::Assumptions, Shape::Loop, Shape::Recursion, Shape::States];
    let mazes = [maze(1), maze(3), chained(0), chained(60)];
    for shape in plain.into_iter().chain(mazes) {
        for scope in Scope::ALL {
            for round in 0..4 {
                let plan = Plan { shape, scope, ..plan(round) };
                let (none, mut draw) = (Model::new(), Draw::new(&[round]));
                let written = write(&store, &[never], &none, None, plan, &mut draw);
                assert!(written.is_ok(), "{shape} {scope:?}: {written:?}");
            }
        }
    }
}

#[test]
fn nested_terms_have_their_value_in_c() {
    let mut store = Store::new();
    let constants = WIDTHS.map(|width| {
        let sort: SortId = store.sorts.bit_vec(width);
        store.constant(&format!("x{width}"), sort)
    });
    let mut terms = Terms { store, draw: Draw::new(&[5]), constants: constants.to_vec() };
    let (mut held, mut failed) = (0, 0);
    for round in 0..2000u64 {
        let assertion = terms.truth(3);
        let model = terms.model();
        let truth = Evaluator::new(&terms.store, &model).eval(assertion).expect("it has a value");
        let mut draw = Draw::new(&[round]);
        let none = Model::new();
        let written =
            write(&terms.store, &[assertion], &none, Some(&model), plan(round), &mut draw);
        match (truth == Value::Bool(true), written) {
            (true, Ok(_)) => held += 1,
            (false, Err(Unfit::Model(_))) => failed += 1,
            (truth, written) => {
                let text = written.map(|program| print(&program.unit, Layout::Full));
                panic!("round {round}: it is {truth}, and the program says {text:?}");
            }
        }
    }
    assert!(held > 600 && failed > 600, "{held} held, {failed} failed");
}
