//! Numerals, decimals, bit-vector and string literals.

use super::Reader;
use crate::bytes::byte;
use crate::lexer::Token;
use crate::source::{Fault, Read};
use assay_term::bitvec::{BitVec, MAX_WIDTH};
use assay_term::value::{MAX_CHAR, Text};
use assay_term::{Int, TermId};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

/// Maximum number of digits of a number, because converting from decimal takes quadratic time.
const MAX_DIGITS: usize = 100_000;

/// This many decimal digits always fit into a machine word.
const WORD_DIGITS: usize = 18;

impl Reader<'_, '_> {
    /// The term of a literal token, possibly cached; none for other tokens.
    pub(super) fn literal(&mut self, token: Token) -> Read<Option<TermId>> {
        let key = (token, self.lexer.text());
        if let Some(&term) = self.literals.get(&key) {
            return Ok(Some(term));
        }
        let term = self.new_literal(token)?;
        if let Some(term) = term {
            self.literals.insert(key, term);
        }
        Ok(term)
    }

    fn new_literal(&mut self, token: Token) -> Read<Option<TermId>> {
        let text = self.lexer.text();
        let limit = match token {
            Token::Numeral | Token::Decimal | Token::FieldElement => MAX_DIGITS,
            Token::Hexadecimal => MAX_WIDTH as usize / 4,
            Token::Binary => MAX_WIDTH as usize,
            _ => usize::MAX,
        };
        if text.len() > limit {
            let message =
                format!("a literal of {} digits is longer than the limit of {limit}", text.len());
            return Err(Fault::new(self.lexer.at(), message));
        }
        Ok(Some(match token {
            Token::Numeral => self.store.int(&Int::from(digits(text))),
            Token::Decimal => {
                let value = decimal(text);
                self.check_exact(&value)?;
                match text.contains('/') {
                    true => self.store.real(&value),
                    false => self.store.decimal(value),
                }
            }
            Token::FieldElement => {
                let (element, order) = text.split_once('m').expect("the lexer saw it");
                let sort = self.finite_field(order, self.lexer.at())?;
                self.store.field_element(sort, Int::from(digits(element)))
            }
            Token::Hexadecimal => {
                self.store.bit_vec(BitVec::from_hex(text).expect("the lexer saw digits"))
            }
            Token::Binary => {
                self.store.bit_vec(BitVec::from_binary(text).expect("the lexer saw digits"))
            }
            Token::String => {
                let value = string_value(text);
                if let Some(&code) = value.iter().find(|&&code| code > MAX_CHAR) {
                    let message = format!("U+{code:X} is above U+{MAX_CHAR:X}, the last character");
                    return Err(Fault::new(self.lexer.at(), message));
                }
                self.store.string(value)
            }
            _ => return Ok(None),
        }))
    }
}

impl Reader<'_, '_> {
    /// In a model, a decimal with a fraction is not a value of the theory Reals, whose values are integer
    /// decimals and their quotients; yices prints rounded algebraic numbers this way.
    pub(super) fn check_exact(&self, value: &BigRational) -> Read<()> {
        if self.elements && !value.is_integer() {
            return Err(Fault::new(self.lexer.at(), "a decimal that may be rounded"));
        }
        Ok(())
    }
}

/// The value of decimal digits.
pub(super) fn digits(text: &str) -> BigInt {
    BigUint::parse_bytes(text.as_bytes(), 10).expect("the lexer saw digits").into()
}

pub(super) fn decimal(text: &str) -> BigRational {
    if let Some((numerator, denominator)) = text.split_once('/') {
        return BigRational::new(digits(numerator), digits(denominator));
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if text.len() <= WORD_DIGITS {
        return word_decimal(whole, fraction);
    }
    let scale = BigInt::from(10).pow(fraction.len() as u32);
    BigRational::new(digits(&format!("{whole}{fraction}")), scale)
}

/// The same for digits that fit into a machine word: only factors two and five need to be cancelled.
fn word_decimal(whole: &str, fraction: &str) -> BigRational {
    let digits = whole.bytes().chain(fraction.bytes());
    let mut numerator = digits.fold(0, |n: u64, digit| n * 10 + u64::from(digit - b'0'));
    let mut denominator = 10u64.pow(fraction.len() as u32);
    for prime in [2, 5] {
        while numerator % prime == 0 && denominator % prime == 0 {
            numerator /= prime;
            denominator /= prime;
        }
    }
    BigRational::new_raw(numerator.into(), denominator.into())
}

/// The characters of a string literal: doubled quotes and the escapes of SMT-LIB 2.6, `\ud₃d₂d₁d₀`
/// and `\u{d…}` with one to five hexadecimal digits. Any other backslash stands for itself.
fn string_value(text: &str) -> Text {
    if !text.contains(['\\', '"']) {
        return text.chars().map(code).collect();
    }
    let mut characters = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '\\' {
            if let Some((code, length)) = escape(rest) {
                characters.push(code);
                rest = &rest[length..];
                continue;
            }
        }
        characters.push(code(c));
        rest = &rest[c.len_utf8()..];
        if c == '"' {
            rest = rest.strip_prefix('"').unwrap_or(rest);
        }
    }
    characters.into()
}

/// The code point of a character; a byte that is not part of a character counts as one.
fn code(c: char) -> u32 {
    byte(c).map_or(u32::from(c), u32::from)
}

/// The character of an escape at the start of a text, and the escape's length.
fn escape(text: &str) -> Option<(u32, usize)> {
    let body = text.strip_prefix("\\u")?;
    let (digits, length) = match body.strip_prefix('{') {
        Some(inner) => {
            let digits = &inner[..inner.find('}')?];
            (digits, digits.len() + 4)
        }
        None => (body.get(..4)?, 6),
    };
    let hexadecimal =
        (1..=5).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok()?;
    (hexadecimal && code <= MAX_CHAR).then_some((code, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_escapes_of_smt_lib_2_6_are_decoded() {
        let table: &[(&str, &[u32])] = &[
            ("", &[]),
            ("ab", &[97, 98]),
            (r"\u0041", &[0x41]),
            (r"\u{41}", &[0x41]),
            (r"\u{2FFFF}", &[0x2FFFF]),
            (r"\u{0}", &[0]),
            (r#"a""b"#, &[97, 34, 98]),
            (r"\n", &[92, 110]),
            (r"\x41", &[92, 120, 52, 49]),
            (r"\u{30000}", &[92, 117, 123, 51, 48, 48, 48, 48, 125]),
            (r"\u{}", &[92, 117, 123, 125]),
            (r"\u{000041}", &[92, 117, 123, 48, 48, 48, 48, 52, 49, 125]),
            (r"\u04", &[92, 117, 48, 52]),
            (r"\u+041", &[92, 117, 43, 48, 52, 49]),
            ("\\", &[92]),
            ("\\\\u0041", &[92, 0x41]),
            ("é", &[0xE9]),
            ("\\u12é4", &[92, 117, 49, 50, 0xE9, 52]),
        ];
        for (text, expected) in table {
            assert_eq!(&string_value(text)[..], *expected, "{text}");
        }
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("0.50"), BigRational::new(1.into(), 2.into()));
        assert_eq!(decimal("10.0"), BigRational::from_integer(10.into()));
        for text in ["0.0", "00.125", "123456.78901250", "99999999999999.25", "7.000"] {
            let (whole, fraction) = text.split_once('.').expect("a point");
            let scale = BigInt::from(10).pow(fraction.len() as u32);
            let expected = BigRational::new(digits(&format!("{whole}{fraction}")), scale);
            let value = decimal(text);
            assert_eq!((value.numer(), value.denom()), (expected.numer(), expected.denom()));
        }
    }
}
