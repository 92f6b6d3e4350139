//! Many applications, evaluated together: an evaluator is built once for a store.

use crate::reference::Datum;
use assay_term::float::{Float, Format, RoundingMode};
use assay_term::{Evaluator, Limits, Model, Op, Store, TermId, Unknown, Value};

/// What an application should come to.
pub enum Expected {
    /// This value.
    Value(Value),
    /// A number of this format that means this.
    Number(Format, Datum),
    /// Open, with the operator itself as the reason.
    Open,
    /// Unknown because the number is too large.
    TooLarge,
}

struct Case {
    op: Op,
    indices: Vec<u64>,
    args: Vec<TermId>,
    term: TermId,
    expected: Expected,
}

/// Applications with what they should come to.
#[derive(Default)]
pub struct Batch {
    pub store: Store,
    cases: Vec<Case>,
}

/// The operator of this name.
pub fn op(name: &str) -> Op {
    Op::by_name(name).unwrap_or_else(|| panic!("no operator is called {name}"))
}

/// The indices of a format.
pub fn indices(format: Format) -> [u64; 2] {
    [format.exponent_bits().into(), format.significand_bits().into()]
}

impl Batch {
    pub fn value(&mut self, value: &Value) -> TermId {
        self.store.value(value).expect("the value can be written")
    }

    pub fn float(&mut self, number: &Float) -> TermId {
        self.value(&Value::Float(number.clone()))
    }

    /// Every rounding mode with its term.
    pub fn modes(&mut self) -> [(RoundingMode, TermId); 5] {
        RoundingMode::ALL.map(|mode| (mode, self.value(&Value::RoundingMode(mode))))
    }

    /// Adds `((_ op indices) args)`, which must be well sorted.
    pub fn expect(&mut self, op: Op, indices: &[u64], args: &[TermId], expected: Expected) {
        let term = match self.store.op_indexed(op, indices, args) {
            Ok(term) => term,
            Err(error) => panic!("{}", self.store.explain(&error)),
        };
        self.cases.push(Case { op, indices: indices.into(), args: args.into(), term, expected });
    }

    /// Evaluates everything; at least one application must be there.
    pub fn run(self) {
        self.run_within(Limits::default());
    }

    pub fn run_within(self, limits: Limits) {
        assert!(!self.cases.is_empty(), "nothing to evaluate");
        let model = Model::new();
        let mut evaluator = Evaluator::new(&self.store, &model).with_limits(limits);
        for case in &self.cases {
            let result = evaluator.eval(case.term);
            if !case.accepts(&result) {
                let args: Vec<_> = case.args.iter().map(|&arg| evaluator.eval(arg)).collect();
                let (name, indices) = (case.op.name(), &case.indices);
                panic!("{name} {indices:?} {args:?}: {result:?}, not {}", case.expected.words());
            }
        }
    }
}

impl Case {
    fn accepts(&self, result: &Result<Value, Unknown>) -> bool {
        match (&self.expected, result) {
            (Expected::Value(expected), Ok(value)) => expected == value,
            (Expected::Number(format, datum), Ok(Value::Float(number))) => {
                number.format() == *format && Datum::of(number) == *datum
            }
            (Expected::Open, Err(Unknown::Open(op))) => *op == self.op,
            (Expected::TooLarge, Err(reason)) => *reason == Unknown::Limit("bits of a number"),
            _ => false,
        }
    }
}

impl Expected {
    /// The number, or open where there is none.
    pub fn or_open(format: Format, datum: Option<Datum>) -> Expected {
        datum.map_or(Expected::Open, |datum| Expected::Number(format, datum))
    }

    fn words(&self) -> String {
        match self {
            Expected::Value(value) => format!("{value:?}"),
            Expected::Number(_, datum) => format!("{datum:?}"),
            Expected::Open => "open".into(),
            Expected::TooLarge => "too large".into(),
        }
    }
}
