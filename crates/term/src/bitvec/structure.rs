//! Operations that change the width: the result decides whether it is a word or a big number.

use super::{BitVec, MAX_WIDTH, Repr, WORD, power, signed};
use num_bigint::BigUint;

impl BitVec {
    /// This followed by `low`, which gives the less significant bits.
    ///
    /// # Panics
    /// Panics if the result would be wider than [`MAX_WIDTH`]; so does everything that widens.
    #[must_use]
    pub fn concat(&self, low: &BitVec) -> BitVec {
        BitVec::concat_all(&[self, low])
    }

    /// All parts in a row, the most significant first.
    ///
    /// # Panics
    /// Also if there is no part.
    #[must_use]
    pub fn concat_all(parts: &[&BitVec]) -> BitVec {
        let width = widened(parts.iter().map(|part| u64::from(part.width())).sum());
        if width <= WORD {
            let mut word = 0;
            for part in parts {
                let Repr::Small { width: w, bits } = part.0 else {
                    unreachable!("a part is not wider than the whole")
                };
                // A part that fills a whole word is alone, with no bits before it.
                word = word << (w % WORD) | bits;
            }
            return BitVec::from_u64(width, word);
        }
        let mut bits = Digits::new(width);
        for part in parts.iter().rev() {
            match &part.0 {
                Repr::Small { width, bits: word } => bits.push(*word, *width),
                Repr::Big { width, bits: n } => bits.push_big(n, *width),
            }
        }
        BitVec::wide(width, bits.finish())
    }

    /// The bits from `high` down to `low`.
    ///
    /// # Panics
    /// Unless `low <= high` and `high` is below the width.
    #[must_use]
    pub fn extract(&self, high: u32, low: u32) -> BitVec {
        assert!(low <= high && high < self.width(), "bits {high} to {low} of {}", self.width());
        let width = high - low + 1;
        match &self.0 {
            Repr::Small { bits, .. } => BitVec::from_u64(width, bits >> low),
            Repr::Big { bits, .. } => BitVec::from_owned(width, bits.as_ref() >> low),
        }
    }

    /// This many copies in a row.
    ///
    /// # Panics
    /// Also where `times` is zero.
    #[must_use]
    pub fn repeat(&self, times: u32) -> BitVec {
        let width = widened(u64::from(self.width()) * u64::from(times));
        BitVec::concat_all(&vec![self; (width / self.width()) as usize])
    }

    /// The same unsigned number with this many more bits.
    #[must_use]
    pub fn zero_extend(&self, more: u32) -> BitVec {
        let width = widened(u64::from(self.width()) + u64::from(more));
        match &self.0 {
            Repr::Small { bits, .. } => BitVec::from_u64(width, *bits),
            Repr::Big { bits, .. } => BitVec::wide(width, bits.as_ref().clone()),
        }
    }

    /// The same signed number with this many more bits.
    #[must_use]
    pub fn sign_extend(&self, more: u32) -> BitVec {
        let width = widened(u64::from(self.width()) + u64::from(more));
        match &self.0 {
            Repr::Small { width: w, bits } if width <= WORD => {
                BitVec::from_u64(width, signed(*w, *bits) as u64)
            }
            _ if self.is_negative() => {
                BitVec::wide(width, self.to_big() + power(width) - power(self.width()))
            }
            _ => self.zero_extend(more),
        }
    }
}

/// A requested width, checked before anything that wide is allocated.
fn widened(width: u64) -> u32 {
    assert!(
        (1..=u64::from(MAX_WIDTH)).contains(&width),
        "a bit-vector has from 1 to {MAX_WIDTH} bits, not {width}"
    );
    width as u32
}

/// Collects bits from the least significant one, so that many parts cost linear time.
struct Digits {
    full: Vec<u32>,
    /// Fewer than 32 bits that do not fill a digit yet.
    rest: u64,
    used: u32,
}

impl Digits {
    fn new(width: u32) -> Digits {
        Digits { full: Vec::with_capacity(width.div_ceil(32) as usize), rest: 0, used: 0 }
    }

    fn push(&mut self, word: u64, width: u32) {
        if width > 32 {
            self.push(word & u64::from(u32::MAX), 32);
            self.push(word >> 32, width - 32);
            return;
        }
        self.rest |= word << self.used;
        self.used += width;
        if self.used >= 32 {
            self.full.push(self.rest as u32);
            self.rest >>= 32;
            self.used -= 32;
        }
    }

    fn push_big(&mut self, n: &BigUint, width: u32) {
        let digits = n.iter_u32_digits().map(u64::from).chain(std::iter::repeat(0));
        for (start, digit) in (0..width).step_by(32).zip(digits) {
            self.push(digit, 32.min(width - start));
        }
    }

    fn finish(mut self) -> BigUint {
        self.full.push(self.rest as u32);
        BigUint::new(self.full)
    }
}
