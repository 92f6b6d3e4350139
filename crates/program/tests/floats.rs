//! Floating-point operators mean in C what they mean to our evaluator: by the interpreter for many values,
//! and by gcc with sanitizers for some. What has no counterpart is refused by name.

use assay_mutate::Draw;
use assay_program::c::{Layout, print};
use assay_program::{Plan, ProgramTree, Refusal, Scope, Shape, Style, Unfit, write};
use assay_term::bitvec::BitVec;
use assay_term::float::{Float, Format, Sign};
use assay_term::theories::{core, fp};
use assay_term::{Evaluator, Interpretation, Model, Op, Sort, SortId, Store, Term, TermId, Value};

mod native;

const STYLE: Style = Style {
    well_defined: true,
    signed_functions: false,
    promoted: false,
    narrow: false,
    tallest: 6,
    size: 2,
};

const FLOAT: Sort = Sort::Float(Format::FLOAT32);
const DOUBLE: Sort = Sort::Float(Format::FLOAT64);
const MODES: [Op; 5] = [fp::RNE, fp::RNA, fp::RTP, fp::RTN, fp::RTZ];
/// Those that C can set.
const FENV: [Op; 4] = [fp::RNE, fp::RTP, fp::RTN, fp::RTZ];

/// An operator with its indices, rounding mode and arguments.
struct Subject {
    op: Op,
    indices: Vec<u64>,
    mode: Option<Op>,
    sorts: Vec<Sort>,
}

fn subject(op: Op, indices: &[u64], mode: Option<Op>, sorts: &[Sort]) -> Subject {
    Subject { op, indices: indices.to_vec(), mode, sorts: sorts.to_vec() }
}

/// Values that often go wrong, and others.
fn value(draw: &mut Draw, sort: &Sort) -> Value {
    let any = |draw: &mut Draw| draw.below(usize::MAX) as u64 ^ (draw.below(2) as u64) << 63;
    match sort {
        Sort::BitVec(width) => {
            let bits = [0, 1, u64::MAX, 1 << (width - 1), 0x7f80_0000, any(draw), any(draw)];
            let drawn = bits[draw.below(bits.len())];
            Value::BitVec(BitVec::from_u64(*width, drawn & (u64::MAX >> (64 - width))))
        }
        Sort::Float(format) => {
            let sign = if draw.one_in(2) { Sign::Positive } else { Sign::Negative };
            let near = |number: f64| {
                let bits = BitVec::from_u64(64, number.to_bits()).to_big();
                let double = Float::from_bits(Format::FLOAT64, &bits).expect("64 bits");
                double.convert(*format, assay_term::float::RoundingMode::NearestEven)
            };
            let small = draw.below(600) as f64 / 4.0 - 75.0;
            Value::Float(match draw.below(12) {
                0 => Float::nan(*format),
                1 => Float::zero(*format, sign),
                2 => Float::infinity(*format, sign),
                3 => Float::smallest_subnormal(*format, sign),
                4 => Float::largest(*format, sign),
                5 => Float::smallest_normal(*format, sign),
                6 | 7 => {
                    let bits = BitVec::from_u64(64, any(draw)).extract(format.width() - 1, 0);
                    Float::from_bits(*format, &bits.to_big()).expect("it has this many bits")
                }
                8 => near(small * 1e7),
                _ => near(small),
            })
        }
        _ => Value::Bool(draw.one_in(2)),
    }
}

/// A different value of the same sort: of zero the other zero.
fn other(value: &Value) -> Value {
    match value {
        Value::Bool(truth) => Value::Bool(!truth),
        Value::BitVec(bits) => Value::BitVec(bits.xor(&BitVec::from_u64(bits.width(), 1))),
        Value::Float(number) if number.is_nan() => {
            Value::Float(Float::zero(number.format(), Sign::Positive))
        }
        Value::Float(number) => Value::Float(number.neg()),
        other => panic!("{other:?} is no result"),
    }
}

impl Subject {
    /// The program of `(= (op values) result)` under a model with the right result or another; none where
    /// the result is open.
    fn write(&self, values: &[Value], right: bool) -> Option<Result<ProgramTree, Unfit>> {
        let mut store = Store::new();
        let mut model = Model::new();
        let mut args: Vec<TermId> = Vec::new();
        args.extend(self.mode.map(|mode| store.op(mode, &[]).expect("a rounding mode")));
        let func_of = |store: &Store, term: TermId| match store.get(term) {
            Term::App(func, _) => func,
            _ => panic!("it is a constant"),
        };
        for (at, (sort, value)) in self.sorts.iter().zip(values).enumerate() {
            let sort = match sort {
                Sort::BitVec(width) => store.sorts.bit_vec(*width),
                Sort::Float(format) => store.sorts.float(*format),
                _ => SortId::BOOL,
            };
            let constant = store.constant(&format!("x{at}"), sort);
            model.set(func_of(&store, constant), Interpretation::Value(value.clone()));
            args.push(constant);
        }
        let func = store.op_func(self.op, &self.indices);
        let term = store.app(func, &args).expect("it has these arguments");
        let sort = store.sort(term);
        let result = store.constant("result", sort);
        let value = Evaluator::new(&store, &model).eval(term).ok()?;
        let value = if right { value } else { other(&value) };
        model.set(func_of(&store, result), Interpretation::Value(value));
        let assertion = store.op(core::EQ, &[term, result]).expect("they have one sort");
        let plan = Plan { shape: Shape::Straight, scope: Scope::Local, style: STYLE };
        let mut draw = Draw::new(&[7]);
        Some(write(&store, &[assertion], &Model::new(), Some(&model), plan, &mut draw))
    }

    /// Tries values; gives how often the result was confirmed, and a program.
    fn confirmed(&self, rounds: u64) -> (usize, Option<ProgramTree>) {
        let mut draw = Draw::new(&[rounds]);
        let (mut confirmed, mut last) = (0, None);
        let name = self.op.name();
        for _ in 0..rounds {
            let values: Vec<Value> = self.sorts.iter().map(|sort| value(&mut draw, sort)).collect();
            let Some(written) = self.write(&values, true) else { continue };
            match written {
                Ok(program) => (confirmed, last) = (confirmed + 1, Some(program)),
                // An integer that has a value in spite of a requirement.
                Err(Unfit::Model(_)) if matches!(self.op, fp::TO_UBV | fp::TO_SBV) => continue,
                Err(error) => panic!("{name} {:?} on {values:?}: {error}", self.indices),
            }
            let wrong = self.write(&values, false).expect("it has a value");
            assert!(
                matches!(wrong, Err(Unfit::Model(_))),
                "{name} {:?} on {values:?}: another result is taken too",
                self.indices
            );
        }
        (confirmed, last)
    }
}

fn subjects() -> Vec<Subject> {
    let mut all = Vec::new();
    for (sort, eb, sb) in [(FLOAT, 8, 24), (DOUBLE, 11, 53)] {
        let two = [sort.clone(), sort.clone()];
        let one = [sort.clone()];
        for mode in FENV {
            for op in [fp::ADD, fp::SUB, fp::MUL, fp::DIV] {
                all.push(subject(op, &[], Some(mode), &two));
            }
        }
        for op in [fp::NEG, fp::ABS] {
            all.push(subject(op, &[], None, &one));
        }
        for op in
            [fp::MIN, fp::MAX, fp::LT, fp::LEQ, fp::GT, fp::GEQ, fp::EQ, core::EQ, core::DISTINCT]
        {
            all.push(subject(op, &[], None, &two));
        }
        all.push(subject(core::ITE, &[], None, &[Sort::Bool, sort.clone(), sort.clone()]));
        let classes = [fp::IS_NAN, fp::IS_ZERO, fp::IS_INFINITE, fp::IS_NORMAL, fp::IS_SUBNORMAL];
        for op in classes.into_iter().chain([fp::IS_NEGATIVE, fp::IS_POSITIVE]) {
            all.push(subject(op, &[], None, &one));
        }
        for mode in MODES {
            all.push(subject(fp::ROUND_TO_INTEGRAL, &[], Some(mode), &one));
            for width in [1, 5, 8, 32, 33, 64] {
                all.push(subject(fp::TO_UBV, &[width], Some(mode), &one));
                all.push(subject(fp::TO_SBV, &[width], Some(mode), &one));
            }
        }
        for (at, mode) in FENV.into_iter().enumerate() {
            for from in [FLOAT, DOUBLE] {
                all.push(subject(fp::TO_FP, &[eb, sb], Some(mode), &[from]));
            }
            let widths: &[u32] = if at == 0 { &[1, 7, 16, 24, 33, 64] } else { &[31, 32, 63, 64] };
            for &width in widths {
                all.push(subject(fp::TO_FP, &[eb, sb], Some(mode), &[Sort::BitVec(width)]));
                let unsigned = [Sort::BitVec(width)];
                all.push(subject(fp::TO_FP_UNSIGNED, &[eb, sb], Some(mode), &unsigned));
            }
        }
        all.push(subject(fp::TO_FP, &[eb, sb], None, &[Sort::BitVec((eb + sb) as u32)]));
        let fields = [1, eb as u32, sb as u32 - 1].map(Sort::BitVec);
        all.push(subject(fp::FP, &[], None, &fields));
    }
    all.push(subject(fp::TO_IEEE_BV, &[], None, &[FLOAT]));
    // Conversions that are exact have every mode.
    all.push(subject(fp::TO_FP, &[11, 53], Some(fp::RTZ), &[FLOAT]));
    all.push(subject(fp::TO_FP, &[11, 53], Some(fp::RTN), &[Sort::BitVec(32)]));
    all
}

#[test]
fn operators_on_floating_point_numbers_mean_the_same() {
    for subject in subjects() {
        let (confirmed, _) = subject.confirmed(60);
        let name = subject.op.name();
        let least = if matches!(subject.op, fp::TO_UBV | fp::TO_SBV) { 4 } else { 40 };
        assert!(confirmed >= least, "{name} {:?}: {confirmed} times", subject.indices);
    }
}

#[test]
fn compilers_agree_with_the_interpreter_on_floating_point_numbers() {
    if !native::is_here() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // A compiler takes its time: every fifth, with another format, mode and width each.
    for (at, subject) in subjects().into_iter().enumerate().step_by(5) {
        // On the last of some values.
        let (_, program) = subject.confirmed(6 + at as u64 % 5);
        if let Some(program) = program {
            native::compiled(folder.path(), "float", &program);
        }
    }
}

#[test]
fn operations_that_c_lacks_are_refused_by_name() {
    let mut draw = Draw::new(&[3]);
    let mut refused = |op: Op, indices: &[u64], mode: Option<Op>, sorts: &[Sort]| {
        let subject = subject(op, indices, mode, sorts);
        loop {
            let values: Vec<Value> = sorts.iter().map(|sort| value(&mut draw, sort)).collect();
            match subject.write(&values, true) {
                Some(Err(Unfit::Refused(refusal))) => return refusal,
                Some(other) => panic!("{}: {other:?}", op.name()),
                None => {}
            }
        }
    };
    let two = [FLOAT, FLOAT];
    let away = Some(fp::RNA);
    assert_eq!(refused(fp::ADD, &[], away, &two), Refusal::Rounding("fp.add", "RNA"));
    let to_float = refused(fp::TO_FP, &[8, 24], away, &[DOUBLE]);
    assert_eq!(to_float, Refusal::Rounding("to_fp", "RNA"));
    assert_eq!(refused(fp::SQRT, &[], Some(fp::RNE), &[FLOAT]), Refusal::Operator("fp.sqrt"));
    assert_eq!(refused(fp::REM, &[], None, &two), Refusal::Operator("fp.rem"));
    let three = [FLOAT, FLOAT, FLOAT];
    assert_eq!(refused(fp::FMA, &[], Some(fp::RNE), &three), Refusal::Operator("fp.fma"));
    let half = Sort::Float(Format::FLOAT16);
    assert_eq!(refused(fp::NEG, &[], None, &[half]), Refusal::Format(5, 11));
    let words = Refusal::Rounding("fp.add", "RNA").to_string();
    assert!(words.contains("fp.add") && words.contains("RNA"), "{words}");
}

/// Writes programs for a formula under a model.
fn written(text: &str, model: Option<&str>) -> Result<ProgramTree, Unfit> {
    let mut formula = assay_case::Formula::read(text).expect("a formula");
    let model = model.map(|model| formula.read_model(model).expect("a model"));
    let terms: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
    let plan = Plan { shape: Shape::Straight, scope: Scope::Local, style: STYLE };
    let mut draw = Draw::new(&[1]);
    write(formula.store(), &terms, formula.definitions(), model.as_ref(), plan, &mut draw)
}

#[test]
fn equalities_differ_on_nan_and_on_zeros() {
    let text = "(declare-const x Float32) (declare-const y Float32) (declare-const n Float64)
        (assert (= n n)) (assert (not (fp.eq n n))) (assert (not (fp.lt n n)))
        (assert (fp.eq x y)) (assert (not (= x y)))";
    let model = "((define-fun x () Float32 (_ +zero 8 24)) (define-fun y () Float32 (_ -zero 8 24))
        (define-fun n () Float64 (_ NaN 11 53)))";
    let program = written(text, Some(model)).expect("it has this model");
    let c = print(&program.unit, Layout::Full);
    assert!(c.contains("extern float __VERIFIER_nondet_float(void);"), "{c}");
    assert!(c.contains("union float_bits"), "{c}");
    // What has no model is not reached near its literals either.
    let text = "(declare-const x Float32) (assert (fp.lt x ((_ to_fp 8 24) #x00000000)))
        (assert (not (fp.leq x (_ +zero 8 24))))";
    assert!(written(text, None).is_ok());
}

#[test]
fn arrays_and_functions_hold_floating_point_numbers() {
    let text = "(declare-const a (Array (_ BitVec 2) Float32)) (declare-const b (Array (_ BitVec 2) Float32))
        (declare-fun f (Float32) Float32)
        (assert (= b (store a #b01 (_ NaN 8 24)))) (assert (not (= a b)))
        (assert (= (f (_ +zero 8 24)) (_ NaN 8 24))) (assert (= (f (_ -zero 8 24)) (select a #b00)))";
    let zero = "((as const (Array (_ BitVec 2) Float32)) (_ +zero 8 24))";
    let model = format!(
        "((define-fun a () (Array (_ BitVec 2) Float32) {zero})
          (define-fun b () (Array (_ BitVec 2) Float32) (store {zero} #b01 (_ NaN 8 24)))
          (define-fun f ((x Float32)) Float32 (ite (= x (_ -zero 8 24)) (_ +zero 8 24) (_ NaN 8 24))))"
    );
    written(text, Some(&model)).expect("it has this model");
    let over = "(declare-const a (Array Float32 Bool)) (assert (select a (_ NaN 8 24)))";
    assert!(matches!(written(over, None), Err(Unfit::Refused(Refusal::Sort(_)))));
}
