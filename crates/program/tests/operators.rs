//! Every operator that can be written in C means there what it means to our evaluator: by the
//! interpreter of C for many values, and by a compiler with sanitizers for some.

use assay_mutate::Draw;
use assay_program::c::{Layout, Scalar, print};
use assay_program::{Plan, ProgramTree, Scope, Shape, Style, Unfit, write};
use assay_term::bitvec::BitVec;
use assay_term::theories::{arrays, bv, core, ints};
use assay_term::{Evaluator, Int, Interpretation, Model, Op, Sort, SortId, Store, TermId, Value};

mod native;

const STYLE: Style = Style {
    well_defined: true,
    signed_functions: false,
    promoted: false,
    narrow: false,
    tallest: 6,
    size: 2,
};

/// A term over constants, with values for them.
struct Subject {
    store: Store,
    constants: Vec<TermId>,
    /// `(= term result)`, and the constant `result`.
    assertion: TermId,
    term: TermId,
    result: TermId,
}

fn subject(op: Op, indices: &[u64], sorts: &[Sort]) -> Option<Subject> {
    let mut store = Store::new();
    let mut constants = Vec::new();
    for (at, sort) in sorts.iter().enumerate() {
        let sort = match sort {
            Sort::BitVec(width) => store.sorts.bit_vec(*width),
            Sort::Int => SortId::INT,
            _ => SortId::BOOL,
        };
        constants.push(store.constant(&format!("x{at}"), sort));
    }
    let func = store.op_func(op, indices);
    let term = store.app(func, &constants).ok()?;
    let sort = store.sort(term);
    let result = store.constant("result", sort);
    let assertion = store.op(core::EQ, &[term, result]).ok()?;
    Some(Subject { store, constants, assertion, term, result })
}

impl Subject {
    /// The model with these values and the right result, or another; `None` if it has no value.
    fn model(&self, values: &[Value], right: bool) -> Option<Model> {
        let mut model = Model::new();
        for (&constant, value) in self.constants.iter().zip(values) {
            model.set(self.func(constant), Interpretation::Value(value.clone()));
        }
        let value = Evaluator::new(&self.store, &model).eval(self.term).ok()?;
        let value = if right { value } else { other(&value) };
        model.set(self.func(self.result), Interpretation::Value(value));
        Some(model)
    }

    fn func(&self, constant: TermId) -> assay_term::FuncId {
        match self.store.get(constant) {
            assay_term::Term::App(func, _) => func,
            _ => panic!("it is a constant"),
        }
    }

    fn write(&self, model: &Model, style: Style) -> Result<ProgramTree, Unfit> {
        let plan = Plan { shape: Shape::Straight, scope: Scope::Local, style };
        let (assertions, none) = ([self.assertion], Model::new());
        write(&self.store, &assertions, &none, Some(model), plan, &mut Draw::new(&[7]))
    }
}

/// A different value of the same sort.
fn other(value: &Value) -> Value {
    match value {
        Value::Bool(truth) => Value::Bool(!truth),
        Value::Int(number) => Value::Int(Int::from(if number.is_zero() { 1i64 } else { 0 })),
        Value::BitVec(bits) => Value::BitVec(bits.xor(&BitVec::from_u64(bits.width(), 1))),
        other => panic!("{other:?} is no result"),
    }
}

/// Values that often go wrong, and others.
fn values(draw: &mut Draw, sort: &Sort) -> Value {
    match sort {
        Sort::BitVec(width) => {
            if *width > 64 {
                return Value::BitVec(wide_value(draw, *width));
            }
            let ones = BitVec::ones(*width).to_u64().expect("at most 64 bits");
            let half = 1u64 << (width - 1);
            let usual = [0, 1, ones, half, half.wrapping_sub(1), half + 1, u64::from(*width)];
            let drawn = match draw.below(12) {
                at if at < usual.len() => usual[at],
                _ => draw.below(usize::MAX) as u64,
            };
            Value::BitVec(BitVec::from_u64(*width, drawn & ones))
        }
        Sort::Int => {
            let usual = [0, 1, -1, 2, -7, i64::MAX, i64::MIN, i64::from(i32::MIN), 1 << 31];
            let drawn = match draw.below(14) {
                at if at < usual.len() => usual[at],
                10 => draw.below(usize::MAX) as i64,
                _ => draw.below(200) as i64 - 100,
            };
            Value::Int(Int::from(drawn))
        }
        _ => Value::Bool(draw.one_in(2)),
    }
}

fn wide_value(draw: &mut Draw, width: u32) -> BitVec {
    match draw.below(9) {
        0 => BitVec::zero(width),
        1 => BitVec::ones(width),
        2 => BitVec::min_signed(width),
        3 => BitVec::min_signed(width).not(),
        4 => BitVec::from_u64(width, u64::from(width)),
        5 => BitVec::from_u64(width, draw.below(usize::MAX) as u64).neg(),
        6 => BitVec::from_u64(width, draw.below(130) as u64),
        _ => {
            let mut half = || draw.below(usize::MAX) as u64 ^ (draw.below(2) as u64) << 63;
            let high = BitVec::from_u64(width - 64, half() & (u64::MAX >> (128 - width)));
            high.concat(&BitVec::from_u64(64, half()))
        }
    }
}

fn styles() -> Vec<Style> {
    let mut styles = Vec::new();
    for number in 0..8 {
        styles.push(Style {
            well_defined: number & 4 == 0,
            signed_functions: number & 1 != 0,
            promoted: number & 2 != 0,
            ..STYLE
        });
    }
    styles
}

/// Tries an operator on values; gives how often its value was confirmed.
fn try_operator(op: Op, indices: &[u64], sorts: &[Sort], rounds: u64) -> usize {
    let Some(subject) = subject(op, indices, sorts) else { return 0 };
    let mut confirmed = 0;
    for style in styles() {
        let mut draw = Draw::new(&[rounds, u64::from(style.promoted)]);
        for _ in 0..rounds {
            let values: Vec<Value> = sorts.iter().map(|sort| values(&mut draw, sort)).collect();
            let (Some(right), Some(wrong)) =
                (subject.model(&values, true), subject.model(&values, false))
            else {
                continue;
            };
            let name = op.name();
            match subject.write(&right, style) {
                Ok(_) => {
                    confirmed += 1;
                    let refused = subject.write(&wrong, style);
                    assert!(
                        matches!(refused, Err(Unfit::Model(_))),
                        "{name} {indices:?} on {values:?}: another result is taken too"
                    );
                }
                // Numbers beyond C's, shifts and divisors that the natural style rules out.
                Err(Unfit::Model(_)) => {
                    let strict = style.well_defined && matches!(sorts[0], Sort::BitVec(_));
                    let int = subject.store.sort(subject.term) == SortId::INT;
                    assert!(!strict || int, "{name} {indices:?} on {values:?} is not reached");
                }
                Err(Unfit::Refused(_)) => return 0,
                Err(error) => panic!("{name} {indices:?} on {values:?}: {error}"),
            }
        }
    }
    confirmed
}

/// The operators on bit-vectors with what they need.
fn shapes(op: Op, width: u32) -> Vec<(Vec<u64>, Vec<Sort>)> {
    let x = Sort::BitVec(width);
    let wide = u64::from(width);
    match op {
        bv::CONCAT => vec![(vec![], vec![x, Sort::BitVec((128 - width).clamp(1, 70))])],
        bv::EXTRACT => vec![
            (vec![wide - 1, 0], vec![x.clone()]),
            (vec![wide - 1, wide / 2], vec![x.clone()]),
            (vec![wide / 2, wide / 3], vec![x]),
        ],
        bv::ZERO_EXTEND | bv::SIGN_EXTEND => {
            vec![(vec![0], vec![x.clone()]), (vec![(128 - wide).min(69)], vec![x])]
        }
        bv::REPEAT => vec![(vec![(128 / wide).min(3)], vec![x])],
        bv::ROTATE_LEFT | bv::ROTATE_RIGHT => {
            vec![(vec![0], vec![x.clone()]), (vec![wide + 3], vec![x])]
        }
        bv::BIT2BOOL => vec![(vec![wide - 1], vec![x])],
        bv::INT_TO_BV => vec![(vec![wide], vec![Sort::Int])],
        _ => vec![(vec![], vec![x.clone()]), (vec![], vec![x.clone(), x])],
    }
}

#[test]
fn operators_on_bit_vectors_mean_the_same() {
    let all = Op::all().filter(|op| op.theory() == assay_term::theories::Theory::BitVectors);
    for op in all {
        let mut confirmed = 0;
        for width in [1, 2, 3, 7, 8, 13, 16, 24, 32, 33, 48, 64, 65, 100, 127, 128] {
            for (indices, sorts) in shapes(op, width) {
                confirmed += try_operator(op, &indices, &sorts, 10);
            }
        }
        assert!(confirmed > 100, "{} was confirmed {confirmed} times", op.name());
    }
}

#[test]
fn operators_on_integers_mean_the_same() {
    let int = || vec![Sort::Int, Sort::Int];
    let known = [ints::ADD, ints::SUB, ints::MUL, ints::LE, ints::LT, ints::GE, ints::GT];
    for op in known.into_iter().chain([ints::DIV, ints::MOD]) {
        let confirmed = try_operator(op, &[], &int(), 400);
        assert!(confirmed > 400, "{} was confirmed {confirmed} times", op.name());
    }
    assert!(try_operator(ints::ABS, &[], &[Sort::Int], 200) > 100);
    assert!(try_operator(ints::DIVISIBLE, &[7], &[Sort::Int], 200) > 100);
    assert!(try_operator(ints::POW, &[], &int(), 1) == 0, "powers have no counterpart");
}

#[test]
fn operators_of_core_mean_the_same() {
    let truths = |count: usize| vec![Sort::Bool; count];
    for op in [core::AND, core::OR, core::XOR, core::IMPLIES, core::EQ, core::DISTINCT] {
        assert!(try_operator(op, &[], &truths(2), 20) > 50, "{}", op.name());
    }
    assert!(try_operator(core::NOT, &[], &truths(1), 20) > 50);
    assert!(try_operator(core::ITE, &[], &truths(3), 40) > 50);
    for width in [1, 5, 8, 32, 64] {
        let x = Sort::BitVec(width);
        assert!(try_operator(core::ITE, &[], &[Sort::Bool, x.clone(), x.clone()], 20) > 50);
        assert!(try_operator(core::EQ, &[], &[x.clone(), x], 20) > 50);
    }
}

/// Writes programs for a formula under a model, and says whether they reach the error.
fn reaches(text: &str, model: &str, style: Style) -> Result<ProgramTree, Unfit> {
    let mut formula = assay_case::Formula::read(text).expect("a formula");
    let model = formula.read_model(model).expect("a model");
    let terms: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
    let plan = Plan { shape: Shape::Straight, scope: Scope::Local, style };
    let mut draw = Draw::new(&[1]);
    write(formula.store(), &terms, formula.definitions(), Some(&model), plan, &mut draw)
}

#[test]
fn arrays_hold_what_is_stored_and_compare_as_a_whole() {
    let text = "(declare-const a (Array (_ BitVec 32) (_ BitVec 8)))
        (declare-const b (Array (_ BitVec 32) (_ BitVec 8)))
        (declare-const i (_ BitVec 32))
        (assert (= b (store a i #x07)))
        (assert (not (= a b)))
        (assert (= (select b i) #x07))
        (assert (= a ((as const (Array (_ BitVec 32) (_ BitVec 8))) #x00)))";
    let zero = "((as const (Array (_ BitVec 32) (_ BitVec 8))) #x00)";
    let model = |i: &str| {
        format!(
            "((define-fun a () (Array (_ BitVec 32) (_ BitVec 8)) {zero})
              (define-fun b () (Array (_ BitVec 32) (_ BitVec 8)) (store {zero} {i} #x07))
              (define-fun i () (_ BitVec 32) {i}))"
        )
    };
    // Arrays grow until the index fits; far away it never does.
    assert!(reaches(text, &model("#x00000001"), STYLE).is_ok());
    let grown = reaches(text, &model("#x00000064"), STYLE).expect("arrays grow");
    assert!(print(&grown.unit, Layout::Full).contains("[129]"));
    assert!(matches!(reaches(text, &model("#x0fffffff"), STYLE), Err(Unfit::Model(_))));
}

#[test]
fn nested_arrays_functions_and_definitions_are_written() {
    let text = "(declare-const m (Array Int (Array Int Int)))
        (declare-fun f (Int Int) Int)
        (define-fun twice ((x Int)) Int (+ x x))
        (define-fun two () Int 2)
        (declare-const x Int)
        (assert (= (select (select m two) x) 5))
        (assert (= (select (select (store m 0 (store (select m 0) 1 9)) 0) 1) 9))
        (assert (distinct (f x 1) (f x 2)))
        (assert (= (f x 1) 3))";
    let row = "(store ((as const (Array Int Int)) 0) 1 5)";
    let model = format!(
        "((define-fun m () (Array Int (Array Int Int))
            (store ((as const (Array Int (Array Int Int))) ((as const (Array Int Int)) 0)) 2 {row}))
          (define-fun f ((a Int) (b Int)) Int (ite (= b 1) 3 4))
          (define-fun x () Int 1))"
    );
    let program = reaches(text, &model, STYLE).expect("it has this model");
    let sources: Vec<Scalar> = program.inputs.iter().map(|input| input.0).collect();
    assert!(sources.iter().all(|&scalar| scalar == Scalar::Long), "{sources:?}");
    let _ = arrays::SELECT;
}

#[test]
fn compilers_agree_with_the_interpreter() {
    if !native::is_here() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut draw = Draw::new(&[11]);
    // Each operator at one width, in turn, on one set of values.
    let all = Op::all().filter(|op| op.theory() == assay_term::theories::Theory::BitVectors);
    for (at, op) in all.enumerate() {
        let width = [8, 128, 32, 5, 64, 16, 100, 33][at % 8];
        for (indices, sorts) in shapes(op, width) {
            let Some(subject) = subject(op, &indices, &sorts) else { continue };
            let values: Vec<Value> = sorts.iter().map(|sort| values(&mut draw, sort)).collect();
            let Some(model) = subject.model(&values, true) else { continue };
            let style = Style { promoted: at % 2 == 0, signed_functions: at % 3 == 0, ..STYLE };
            if let Ok(program) = subject.write(&model, style) {
                native::compiled(folder.path(), "operator", &program);
            }
        }
    }
}
