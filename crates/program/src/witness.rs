//! A model as inputs of a program: the values to be read at each place.

use crate::c::{Scalar, float};
use crate::lower::{Kind, Lowerer, wide_value};
use assay_term::bitvec::BitVec;
use assay_term::value::{ArrayValue, Default};
use assay_term::{Evaluator, Int, Model, SortId, Store, Symbol, Value};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The values for each input place, in the order in which they are read.
pub(crate) type Answers = FxHashMap<u32, VecDeque<i128>>;

/// Why a model cannot be used as input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NoInput {
    #[error("its model has a value that cannot be represented")]
    Opaque,
    #[error("its model has an integer that does not fit")]
    Large,
}

/// The elements of uninterpreted sorts, numbered in order of occurrence.
#[derive(std::default::Default)]
struct Elements(FxHashMap<SortId, Vec<Symbol>>);

impl Elements {
    fn number(&mut self, sort: SortId, name: Symbol) -> i128 {
        let known = self.0.entry(sort).or_default();
        let at = known.iter().position(|&other| other == name).unwrap_or_else(|| {
            known.push(name);
            known.len() - 1
        });
        at as i128
    }
}

/// The inputs of a program under a model.
pub(crate) fn answers(
    store: &Store,
    model: &Model,
    lowerer: &Lowerer<'_>,
) -> Result<Answers, NoInput> {
    let mut evaluator = Evaluator::new(store, model).completing();
    let mut elements = Elements::default();
    let mut answers = Answers::default();
    for input in &lowerer.inputs {
        let value = evaluator.eval(input.term).map_err(|_| NoInput::Opaque)?;
        let kind = lowerer.kind(store.sort(input.term)).map_err(|_| NoInput::Opaque)?;
        let mut values = VecDeque::new();
        flatten(lowerer, &mut elements, &kind, &value, &mut values)?;
        let narrow = lowerer.style.narrow && kind == Kind::Int;
        if narrow && values.iter().any(|&number| !Scalar::Int.holds(number)) {
            return Err(NoInput::Large);
        }
        answers.insert(input.place, values);
    }
    Ok(answers)
}

fn flatten(
    lowerer: &Lowerer<'_>,
    elements: &mut Elements,
    kind: &Kind,
    value: &Value,
    out: &mut VecDeque<i128>,
) -> Result<(), NoInput> {
    match (kind, value) {
        (Kind::Bool, Value::Bool(truth)) => out.push_back(i128::from(*truth)),
        (Kind::Bits(width), Value::BitVec(bits)) => {
            let value = wide_value(bits).ok_or(NoInput::Large)?;
            if *width > 64 {
                out.push_back((value >> 64) as i128);
            }
            out.push_back((value & u128::from(u64::MAX)) as i128);
        }
        (Kind::Int, Value::Int(number)) => {
            let number = number.to_i64().ok_or(NoInput::Large)?;
            out.push_back(number.into());
        }
        (Kind::Float(_), Value::Float(number)) => out.push_back(float::encoded(number)),
        (Kind::Element, Value::Element(sort, name)) => {
            out.push_back(elements.number(*sort, *name));
        }
        (Kind::Array(index, element), Value::Array(array)) => {
            let Default::Element(default) = &array.default else { return Err(NoInput::Opaque) };
            for at in 0..lowerer.told_apart(index) {
                let held = entry(array, index, at).unwrap_or(default);
                flatten(lowerer, elements, element, held, out)?;
            }
            if lowerer.rows(index) > lowerer.told_apart(index) {
                flatten(lowerer, elements, element, default, out)?;
            }
        }
        _ => return Err(NoInput::Opaque),
    }
    Ok(())
}

/// The value of an array at an index, if it is listed.
fn entry<'a>(array: &'a ArrayValue, index: &Kind, at: usize) -> Option<&'a Value> {
    let wanted = match index {
        Kind::Bool => Value::Bool(at == 1),
        Kind::Bits(width) => Value::BitVec(BitVec::from_u64(*width, at as u64)),
        Kind::Int => Value::Int(Int::from(at as i64)),
        Kind::Element | Kind::Array(..) | Kind::Float(_) | Kind::Mode => return None,
    };
    array.entries.get(&wanted)
}
