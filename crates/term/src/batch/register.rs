//! Registers: one value for each of 64 assignments, in machine words if they fit.

use crate::bitvec::BitVec;
use crate::eval::Unknown;
use crate::float::{Float, Format, RoundingMode};
use crate::int::Int;
use crate::sort::{Sort, SortId};
use crate::term::Store;
use crate::value::Value;
use num_bigint::BigUint;

/// The number of assignments that are evaluated together: the bits of a word.
pub(super) const LANES: usize = u64::BITS as usize;

/// One machine word for each assignment.
pub(super) type Words = [u64; LANES];

/// The value of one lane, or the reason why it is unknown.
pub(super) type Slot = Result<Value, Unknown>;

/// The meaning of a register's machine words, determined by the sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Truth values, as bits of one word.
    Truth,
    /// Bit-vectors of this width, at most 64; the bits above it are zero.
    Word(u32),
    /// Integers, in two's complement.
    Int,
    /// Encodings of `Float32`, with one NaN.
    Single,
    /// Encodings of `Float64`, with one NaN.
    Double,
    /// Rounding modes, by their position in [`RoundingMode::ALL`].
    Mode,
    /// No machine form.
    Exact,
}

impl Class {
    pub(super) fn of(store: &Store, sort: SortId) -> Class {
        match *store.sorts.get(sort) {
            Sort::Bool => Class::Truth,
            Sort::BitVec(width) if width <= u64::BITS => Class::Word(width),
            Sort::Int => Class::Int,
            Sort::Float(Format::FLOAT32) => Class::Single,
            Sort::Float(Format::FLOAT64) => Class::Double,
            Sort::RoundingMode => Class::Mode,
            _ => Class::Exact,
        }
    }

    /// The machine form of a value, if it has one.
    pub(super) fn pack(self, value: &Value) -> Option<u64> {
        match (self, value) {
            (Class::Truth, Value::Bool(truth)) => Some(u64::from(*truth)),
            (Class::Word(width), Value::BitVec(bits)) if bits.width() == width => bits.to_u64(),
            // The cast keeps the two's complement.
            (Class::Int, Value::Int(n)) => n.to_i64().map(|n| n as u64),
            (Class::Single, Value::Float(number)) if number.format() == Format::FLOAT32 => {
                Some(encoding(number))
            }
            (Class::Double, Value::Float(number)) if number.format() == Format::FLOAT64 => {
                Some(encoding(number))
            }
            (Class::Mode, Value::RoundingMode(mode)) => {
                RoundingMode::ALL.iter().position(|known| known == mode).map(|at| at as u64)
            }
            _ => None,
        }
    }

    /// The value of a machine form.
    pub(super) fn unpack(self, word: u64) -> Value {
        let float = |format| {
            let number = Float::from_bits(format, &BigUint::from(word));
            Value::Float(number.expect("an encoding has the width of its format"))
        };
        match self {
            Class::Truth => Value::Bool(word != 0),
            Class::Word(width) => Value::BitVec(BitVec::from_u64(width, word)),
            Class::Int => Value::Int(Int::from(word as i64)),
            Class::Single => float(Format::FLOAT32),
            Class::Double => float(Format::FLOAT64),
            Class::Mode => Value::RoundingMode(RoundingMode::ALL[word as usize]),
            Class::Exact => unreachable!("a lane without a machine form is never plain"),
        }
    }
}

/// The encoding of a number of at most 64 bits.
fn encoding(number: &Float) -> u64 {
    number.to_bits().iter_u64_digits().next().unwrap_or(0)
}

/// The values of one term under 64 assignments.
#[derive(Clone)]
pub(super) struct Register {
    /// The lanes in machine form.
    pub(super) plain: u64,
    /// The truth values of plain lanes of [`Class::Truth`].
    pub(super) bits: u64,
    /// The words of plain lanes of all other classes. Other lanes hold garbage.
    pub(super) words: Words,
    /// The lanes that are not plain: empty, or one slot per lane.
    exact: Vec<Slot>,
}

impl Register {
    pub(super) fn new() -> Register {
        Register { plain: 0, bits: 0, words: [0; LANES], exact: Vec::new() }
    }

    pub(super) fn get(&self, lane: usize, class: Class) -> Slot {
        if self.plain >> lane & 1 == 0 {
            return self.exact[lane].clone();
        }
        Ok(class.unpack(match class {
            Class::Truth => self.bits >> lane & 1,
            _ => self.words[lane],
        }))
    }

    pub(super) fn set(&mut self, lane: usize, class: Class, slot: Slot) {
        match slot.as_ref().ok().and_then(|value| class.pack(value)) {
            Some(word) => self.set_word(lane, class, word),
            None => {
                self.plain &= !(1 << lane);
                if self.exact.is_empty() {
                    self.exact.resize(LANES, Ok(Value::Bool(false)));
                }
                self.exact[lane] = slot;
            }
        }
    }

    fn set_word(&mut self, lane: usize, class: Class, word: u64) {
        self.plain |= 1 << lane;
        match class {
            Class::Truth => self.bits = self.bits & !(1 << lane) | word << lane,
            _ => self.words[lane] = word,
        }
    }

    /// The same value in every lane.
    pub(super) fn fill(&mut self, class: Class, value: &Value) {
        match class.pack(value) {
            Some(word) => {
                self.plain = u64::MAX;
                match class {
                    Class::Truth => self.bits = 0u64.wrapping_sub(word),
                    _ => self.words = [word; LANES],
                }
            }
            None => (0..LANES).for_each(|lane| self.set(lane, class, Ok(value.clone()))),
        }
    }

    /// Copies the lanes in `active` from another register.
    pub(super) fn copy(&mut self, from: &Register, active: u64) {
        self.plain = from.plain;
        self.bits = from.bits;
        self.words = from.words;
        for lane in lanes(active & !from.plain) {
            self.set(lane, Class::Exact, from.exact[lane].clone());
        }
    }
}

/// The lanes of a mask.
pub(super) fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        (mask != 0).then(|| {
            mask &= mask - 1;
            lane
        })
    })
}
