//! Exact values of every sort.
//!
//! Equality of values that contain regular languages or arrays is not always structural: use
//! [`crate::eval::EvalContext::equal`], which decides it or reports that it is unknown.

use crate::bitvec::BitVec;
pub use crate::entries::Entries;
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

/// The maximum nesting of datatype values: deeper ones are unknown, so that comparing, hashing and
/// dropping values may be recursive.
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
    /// A finite set, with its sort: its elements, sorted, without repetition.
    Set(SortId, Arc<[Value]>),
    /// A finite bag, with its sort: its elements, sorted, without repetition, each with its
    /// positive multiplicity.
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
    /// The index of the constructor.
    pub constructor: u32,
    /// The fields.
    pub fields: Box<[Value]>,
    /// Its size, stored because sharing makes it too expensive to count.
    size: Size,
}

impl DataValue {
    /// A value of a datatype; the fields fit the constructor.
    #[must_use]
    pub fn new(sort: SortId, constructor: u32, fields: Box<[Value]>) -> DataValue {
        let size = Size::around(fields.iter().map(Value::size));
        DataValue { sort, constructor, fields, size }
    }
}

/// The size of a value, with shared parts counted each time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Size {
    /// The number of values in it, including itself.
    pub parts: u64,
    /// The nesting depth.
    pub depth: u32,
}

impl Size {
    /// The empty size.
    pub const NONE: Size = Size { parts: 0, depth: 0 };

    /// The size of two values side by side.
    #[must_use]
    pub fn and(self, other: Size) -> Size {
        let parts = self.parts.saturating_add(other.parts);
        Size { parts, depth: self.depth.max(other.depth) }
    }

    /// The size of a value that contains others.
    fn around(parts: impl Iterator<Item = Size>) -> Size {
        let inside = parts.fold(Size::NONE, Size::and);
        Size { parts: inside.parts.saturating_add(1), depth: inside.depth.saturating_add(1) }
    }
}

/// An array: its default element, and the entries that differ.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    /// The sort of the array.
    pub sort: SortId,
    /// The element at all indices without an entry.
    pub default: Default,
    /// The entries that differ; no element equals a plain default.
    pub entries: Entries,
}

/// The element of an array at almost all indices.
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
    size: Size,
}

impl Closure {
    /// A lambda with the values of its free variables, which are sorted.
    #[must_use]
    pub fn new(var: TermId, body: TermId, environment: Vec<(TermId, Value)>) -> Closure {
        let size = environment.iter().map(|(_, value)| value.size()).fold(Size::NONE, Size::and);
        Closure { var, body, environment, size }
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Value::Bool(b) => b.hash(state),
            Value::Int(n) => n.hash(state),
            // The numerator and denominator are coprime; hashing a ratio would reduce it again.
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

    /// The nesting depth.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.size().depth
    }

    /// Its size. Looks at each item of a sequence, and costs little otherwise.
    #[must_use]
    pub fn size(&self) -> Size {
        match self {
            Value::Data(data) => data.size,
            Value::Seq(_, items) | Value::Set(_, items) => {
                Size::around(items.iter().map(Value::size))
            }
            Value::Bag(_, items) => Size::around(items.iter().map(|(item, _)| item.size())),
            Value::Array(array) => {
                let default = match &array.default {
                    Default::Element(value) => value.size(),
                    Default::Closure(closure) => closure.size,
                };
                Size::around([array.entries.size(), default].into_iter())
            }
            _ => Size { parts: 1, depth: 0 },
        }
    }

    /// The number of values in it, including itself and counting shared ones each time; `None` if
    /// there are more than `most`, or if they are nested too deeply.
    #[must_use]
    pub fn parts(&self, most: usize) -> Option<usize> {
        let size = self.size();
        let parts = usize::try_from(size.parts).ok()?;
        (parts <= most && size.depth <= 2 * MAX_DEPTH).then_some(parts)
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
