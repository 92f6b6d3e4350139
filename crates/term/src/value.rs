//! Exact values of every sort.
//!
//! Equality of values that contain regular languages or arrays is not always structural: ask
//! [`crate::eval::EvalContext::equal`], which decides it or says that it does not know.

use crate::bitvec::BitVec;
use crate::float::{Float, RoundingMode};
use crate::int::Int;
use crate::regex::RegLan;
use crate::sort::SortId;
use crate::symbol::Symbol;
use crate::term::TermId;
use num_rational::BigRational;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A string: code points from 0 to 0x2FFFF.
pub type Text = Arc<[u32]>;

/// The largest SMT-LIB character.
pub const MAX_CHAR: u32 = 0x2_FFFF;

/// How deep datatype values may nest: beyond it evaluation says unknown, so that comparing,
/// hashing and dropping values may recurse.
pub const MAX_DEPTH: u32 = 1_000;

/// A value. `Ord` is a total order for canonical storage, without meaning in any theory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A rational number.
    Real(Arc<BigRational>),
    /// A bit-vector.
    BitVec(BitVec),
    /// A floating-point number.
    Float(Float),
    /// A rounding mode.
    RoundingMode(RoundingMode),
    /// A string.
    Str(Text),
    /// A regular language.
    RegLan(RegLan),
    /// An array.
    Array(Arc<ArrayValue>),
    /// A sequence, with its sort.
    Seq(SortId, Arc<[Value]>),
    /// A finite set, with its sort: its elements, sorted, each once.
    Set(SortId, Arc<[Value]>),
    /// A finite bag, with its sort: its elements, sorted, each once, and how often it holds them,
    /// at least once.
    Bag(SortId, Arc<[(Value, Int)]>),
    /// An element of a finite field, with its sort: from zero up to the field's order.
    Field(SortId, Int),
    /// A value of a datatype, a tuple, or a nullable value.
    Data(Arc<DataValue>),
    /// An element of an uninterpreted sort, by its name in the model.
    Element(SortId, Symbol),
}

/// A constructor applied to values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DataValue {
    /// Its sort.
    pub sort: SortId,
    /// Which constructor.
    pub constructor: u32,
    /// The fields.
    pub fields: Box<[Value]>,
    /// How deep it nests.
    pub depth: u32,
}

/// An array: what it holds almost everywhere, and where it differs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    /// The sort of the array.
    pub sort: SortId,
    /// What it holds where no entry says otherwise.
    pub default: Default,
    /// Index and element, sorted by index, each index once; none equals a plain default.
    pub entries: Vec<(Value, Value)>,
}

/// What an array holds almost everywhere.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Default {
    /// The same element.
    Element(Value),
    /// The value of a lambda's body.
    Closure(Arc<Closure>),
}

/// A lambda with the values of its free variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Closure {
    /// The lambda's variable.
    pub var: TermId,
    /// Its body.
    pub body: TermId,
    /// Variables free in it, with their values, sorted.
    pub environment: Vec<(TermId, Value)>,
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Value::Bool(b) => b.hash(state),
            Value::Int(n) => n.hash(state),
            // The parts have no common factor; the hash of a ratio would divide them again.
            Value::Real(x) => {
                x.numer().hash(state);
                x.denom().hash(state);
            }
            Value::BitVec(bits) => bits.hash(state),
            Value::Float(float) => float.hash(state),
            Value::RoundingMode(mode) => mode.hash(state),
            Value::Str(text) => text.hash(state),
            Value::RegLan(language) => language.hash(state),
            Value::Array(array) => array.hash(state),
            Value::Seq(_, items) => items.hash(state),
            Value::Set(_, items) => items.hash(state),
            Value::Bag(_, items) => items.hash(state),
            Value::Field(_, residue) => residue.hash(state),
            Value::Data(data) => data.hash(state),
            Value::Element(sort, name) => (sort, name).hash(state),
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Real(a), Value::Real(b)) => a.cmp(b),
            (Value::BitVec(a), Value::BitVec(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => a.structural_cmp(b),
            (Value::RoundingMode(a), Value::RoundingMode(b)) => a.cmp(b),
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::RegLan(a), Value::RegLan(b)) => a.cmp(b),
            (Value::Array(a), Value::Array(b)) => a.cmp(b),
            (Value::Seq(s, a), Value::Seq(t, b)) => s.cmp(t).then_with(|| a.cmp(b)),
            (Value::Set(s, a), Value::Set(t, b)) => s.cmp(t).then_with(|| a.cmp(b)),
            (Value::Bag(s, a), Value::Bag(t, b)) => s.cmp(t).then_with(|| a.cmp(b)),
            (Value::Field(s, a), Value::Field(t, b)) => s.cmp(t).then_with(|| a.cmp(b)),
            (Value::Data(a), Value::Data(b)) => a.cmp(b),
            (Value::Element(s, a), Value::Element(t, b)) => s.cmp(t).then_with(|| a.cmp(b)),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Value {
    /// Orders values of different kinds.
    fn rank(&self) -> u8 {
        match self {
            Value::Bool(_) => 0,
            Value::Int(_) => 1,
            Value::Real(_) => 2,
            Value::BitVec(_) => 3,
            Value::Float(_) => 4,
            Value::RoundingMode(_) => 5,
            Value::Str(_) => 6,
            Value::RegLan(_) => 7,
            Value::Array(_) => 8,
            Value::Seq(..) => 9,
            Value::Data(_) => 10,
            Value::Element(..) => 11,
            Value::Set(..) => 12,
            Value::Bag(..) => 13,
            Value::Field(..) => 14,
        }
    }

    /// The truth value.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// How deep datatype values nest in it.
    #[must_use]
    pub fn depth(&self) -> u32 {
        match self {
            Value::Data(data) => data.depth,
            Value::Seq(_, items) | Value::Set(_, items) => {
                1 + items.iter().map(Value::depth).max().unwrap_or(0)
            }
            Value::Bag(_, items) => {
                1 + items.iter().map(|(item, _)| item.depth()).max().unwrap_or(0)
            }
            Value::Array(array) => {
                let default = match &array.default {
                    Default::Element(value) => value.depth(),
                    Default::Closure(_) => 0,
                };
                1 + array
                    .entries
                    .iter()
                    .map(|(i, e)| i.depth().max(e.depth()))
                    .fold(default, u32::max)
            }
            _ => 0,
        }
    }

    /// How many values there are in it, itself included and shared ones counted each time; none if
    /// there are more than so many, or if they nest too deep.
    #[must_use]
    pub fn parts(&self, most: usize) -> Option<usize> {
        let mut work = vec![(self, 1)];
        let mut count = 0;
        while let Some((value, depth)) = work.pop() {
            count += 1;
            let within = |part| (part, depth + 1);
            match value {
                Value::Data(data) => work.extend(data.fields.iter().map(within)),
                Value::Seq(_, items) | Value::Set(_, items) => {
                    work.extend(items.iter().map(within));
                }
                Value::Bag(_, items) => work.extend(items.iter().map(|(item, _)| within(item))),
                Value::Array(array) => {
                    work.extend(array.entries.iter().flat_map(|(i, e)| [i, e]).map(within));
                    match &array.default {
                        Default::Element(element) => work.push(within(element)),
                        Default::Closure(closure) => {
                            work.extend(closure.environment.iter().map(|(_, v)| within(v)));
                        }
                    }
                }
                _ => {}
            }
            if count + work.len() > most || depth > 2 * MAX_DEPTH {
                return None;
            }
        }
        Some(count)
    }

    /// A string value.
    #[must_use]
    pub fn text(text: &str) -> Value {
        Value::Str(text.chars().map(u32::from).collect())
    }

    /// A rational value.
    #[must_use]
    pub fn rational(value: BigRational) -> Value {
        Value::Real(Arc::new(value))
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Bool(b)
    }
}

impl From<Int> for Value {
    fn from(n: Int) -> Value {
        Value::Int(n)
    }
}

impl From<BitVec> for Value {
    fn from(b: BitVec) -> Value {
        Value::BitVec(b)
    }
}

impl From<Float> for Value {
    fn from(f: Float) -> Value {
        Value::Float(f)
    }
}
