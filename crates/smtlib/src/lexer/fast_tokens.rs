//! Fast paths for tokens that were read before, and for literals that fit into a machine word, which
//! make up most of a text. Anything unusual is left to the lexer, which reports errors.

use super::blocks::{BLOCK, below, ends_bars, equal, find, find_far, unusual};
use super::{Class, Lexer, class};
use assay_term::{Spelling, Symbol, Symbols};

/// A literal that fits into a machine word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordLiteral {
    Numeral(u64),
    BitVec { width: u32, bits: u64 },
}

impl WordLiteral {
    fn numeral(digits: &[u8]) -> Option<WordLiteral> {
        let (value, rest) = short_numeral(digits)?;
        rest.is_empty().then_some(WordLiteral::Numeral(value))
    }

    fn hexadecimal(digits: &[u8]) -> Option<WordLiteral> {
        if !(1..=16).contains(&digits.len()) {
            return None;
        }
        let (mut bits, mut wrong) = (0, 0);
        for &digit in digits {
            let value = HEXADECIMAL[digit as usize];
            (bits, wrong) = (bits << 4 | u64::from(value), wrong | value);
        }
        let width = 4 * digits.len() as u32;
        (wrong < 16).then_some(WordLiteral::BitVec { width, bits })
    }

    fn binary(digits: &[u8]) -> Option<WordLiteral> {
        let width = digits.len();
        if !(1..=64).contains(&width) {
            return None;
        }
        let (mut bits, mut wrong) = (0, 0);
        for &digit in digits {
            let value = digit ^ b'0';
            (bits, wrong) = (bits << 1 | u64::from(value), wrong | value);
        }
        (wrong < 2).then_some(WordLiteral::BitVec { width: width as u32, bits })
    }
}

/// The value of each hexadecimal digit; a larger number for other bytes.
static HEXADECIMAL: [u8; 256] = {
    let mut table = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value] as usize] = value as u8;
        table[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    table
};

/// The leading number of a text, if its digits surely fit into a machine word, and the rest.
#[inline]
fn short_numeral(text: &[u8]) -> Option<(u64, &[u8])> {
    const MOST: usize = 18;
    let mut value = 0;
    for (count, &byte) in text.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (count > 0).then(|| (value, &text[count..]));
        }
        if count == MOST {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    (!text.is_empty()).then_some((value, &[]))
}

/// A text of less than sixteen bytes as one number. Different texts have different numbers.
pub(crate) const fn short_text(text: &str) -> u128 {
    let (bytes, mut words, mut at) = (text.as_bytes(), [0; 2], 0);
    assert!(bytes.len() < 2 * BLOCK, "a short text");
    while at < bytes.len() {
        words[at / BLOCK] |= (bytes[at] as u64) << (8 * (at % BLOCK));
        at += 1;
    }
    number(words, at)
}

/// The bytes of a text, and its length in the last byte.
#[inline(always)]
const fn number([low, high]: [u64; 2], len: usize) -> u128 {
    (low as u128) | ((high | (len as u64) << 56) as u128) << 64
}

/// The mark of a block's first byte.
const FIRST: u64 = 0x80;

/// The name of less than sixteen bytes that starts at `start` and ends at the first byte that `stops`
/// marks, padded with zeros, and its length. Marks of `but` do not count.
#[inline(always)]
fn short_name(
    bytes: &[u8],
    start: usize,
    stops: impl Fn(u64) -> u64,
    but: u64,
) -> Option<([u64; 2], usize)> {
    let pair = u128::from_le_bytes(*bytes.get(start..)?.first_chunk::<{ 2 * BLOCK }>()?);
    let (low, high) = (pair as u64, (pair >> 64) as u64);
    let (in_low, in_high) = (stops(low) & !but, stops(high));
    // All bits below the lowest mark's byte, or all if there is no mark: without a branch, because
    // whether a name ends in the first block is hard to predict.
    let before = |marks: u64| ((marks & marks.wrapping_neg()) >> 7).wrapping_sub(1);
    let high_counts = if in_low == 0 { u64::MAX } else { 0 };
    let name = [low & before(in_low), high & before(in_high) & high_counts];
    let len = if in_low == 0 { BLOCK + byte_of(in_high) } else { byte_of(in_low) };
    (len < 2 * BLOCK).then_some((name, len))
}

/// The byte that the lowest mark marks.
#[inline(always)]
fn byte_of(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

impl Lexer<'_> {
    /// The word that starts at `start`, and its end, if it was read before. It was checked then and is
    /// not checked again.
    #[inline(always)]
    pub(crate) fn known_word(
        &self,
        symbols: &mut Symbols,
        start: usize,
    ) -> Option<(Symbol, usize)> {
        let bytes = self.text.as_bytes();
        // Words end at these bytes; some of them can start or continue a word, but rarely do.
        let Some((name, len)) = short_name(bytes, start, |block| below(block, b'*'), FIRST) else {
            return self.known_long_word(symbols, start);
        };
        let end = start + len;
        if class(*bytes.get(end)?) == Class::Symbol {
            return None;
        }
        match symbols.recall_short(name, len, Spelling::Word) {
            Some(symbol) => Some((symbol, end)),
            None => self.older(symbols, start, end, Spelling::Word).map(|symbol| (symbol, end)),
        }
    }

    #[inline(never)]
    fn known_long_word(&self, symbols: &mut Symbols, start: usize) -> Option<(Symbol, usize)> {
        let bytes = self.text.as_bytes();
        let end = find_far(bytes, start + 2 * BLOCK, |block| below(block, b'*'))?;
        if class(*bytes.get(end)?) == Class::Symbol {
            return None;
        }
        Some((self.long(symbols, start, end, Spelling::Word)?, end))
    }

    /// Like [`Lexer::known_word`], for a symbol in bars whose first bar is at `start`.
    #[inline(always)]
    pub(crate) fn known_bars(
        &self,
        symbols: &mut Symbols,
        start: usize,
    ) -> Option<(Symbol, usize)> {
        let bytes = self.text.as_bytes();
        let Some((name, len)) = short_name(bytes, start + 1, |block| equal(block, b'|'), 0) else {
            return self.known_long_bars(symbols, start);
        };
        let end = start + 1 + len;
        match symbols.recall_short(name, len, Spelling::Bars) {
            Some(symbol) => Some((symbol, end + 1)),
            None => {
                self.older(symbols, start + 1, end, Spelling::Bars).map(|symbol| (symbol, end + 1))
            }
        }
    }

    #[inline(never)]
    fn known_long_bars(&self, symbols: &mut Symbols, start: usize) -> Option<(Symbol, usize)> {
        let bytes = self.text.as_bytes();
        let end = find_far(bytes, start + 1 + 2 * BLOCK, |block| equal(block, b'|'))?;
        Some((self.long(symbols, start + 1, end, Spelling::Bars)?, end + 1))
    }

    /// The name between two places.
    #[inline]
    fn long(
        &self,
        symbols: &mut Symbols,
        start: usize,
        end: usize,
        spelling: Spelling,
    ) -> Option<Symbol> {
        match symbols.recall_long(self.text.as_bytes().get(start..end)?, spelling) {
            Some(symbol) => Some(symbol),
            None => self.older(symbols, start, end, spelling),
        }
    }

    /// The name between two positions, if it is not among the latest.
    #[inline]
    fn older(
        &self,
        symbols: &mut Symbols,
        start: usize,
        end: usize,
        spelling: Spelling,
    ) -> Option<Symbol> {
        symbols.recall_older(self.text.as_bytes(), start..end, spelling)
    }

    /// The end of the word or literal that starts at `start`, if the next byte is usual.
    #[inline(always)]
    fn plain_end(&self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let end = find(bytes, start + 1, |block| below(block, b'*'));
        (class(*bytes.get(end)?) != Class::Symbol).then_some(end)
    }

    /// The literal that starts at `start`, and its end, if it fits into a machine word.
    #[inline]
    pub(crate) fn word_literal(&self, start: usize) -> Option<(WordLiteral, usize)> {
        let bytes = self.text.as_bytes();
        let end = self.plain_end(start)?;
        let literal = match bytes.get(start..end)? {
            [b'#', b'x', digits @ ..] => WordLiteral::hexadecimal(digits),
            [b'#', b'b', digits @ ..] => WordLiteral::binary(digits),
            digits => WordLiteral::numeral(digits),
        };
        Some((literal?, end))
    }

    /// The literal `(_ bvN w)` whose parenthesis is at `start`, and its end, if it fits into a machine word
    /// and has exactly this form.
    #[inline]
    pub(crate) fn indexed_literal(&self, start: usize) -> Option<(WordLiteral, usize)> {
        let bytes = self.text.as_bytes();
        let number = bytes.get(start..)?.strip_prefix(b"(_ bv")?;
        let (bits, rest) = short_numeral(number)?;
        let (width, rest) = short_numeral(rest.strip_prefix(b" ")?)?;
        let rest = rest.strip_prefix(b")")?;
        let fits = (1..u64::from(u64::BITS)).contains(&width) && bits >> width == 0;
        let literal = WordLiteral::BitVec { width: width as u32, bits };
        fits.then_some((literal, bytes.len() - rest.len()))
    }

    /// The text from `start` to the next closing parenthesis, as [`short_text`], and the position of that
    /// parenthesis, if it is near.
    #[inline]
    pub(crate) fn short_group(&self, start: usize) -> Option<(u128, usize)> {
        let (name, len) = short_name(self.text.as_bytes(), start, |block| equal(block, b')'), 0)?;
        Some((number(name, len), start + len))
    }

    /// The text between `(_ ` at `start` and the closing parenthesis, and its end, if it is
    /// near.
    #[inline]
    pub(crate) fn short_index(&self, start: usize) -> Option<(u128, usize)> {
        const BEGIN: &[u8] = b"(_ ";
        if !self.text.as_bytes().get(start..)?.starts_with(BEGIN) {
            return None;
        }
        let (text, close) = self.short_group(start + BEGIN.len())?;
        Some((text, close + 1))
    }

    /// The word that starts at `start`, as [`short_text`], and its end, if the next byte is usual.
    #[inline]
    pub(crate) fn short_word(&self, start: usize) -> Option<(u128, usize)> {
        let bytes = self.text.as_bytes();
        let (name, len) = short_name(bytes, start, |block| below(block, b'*'), FIRST)?;
        let end = start + len;
        (class(*bytes.get(end)?) != Class::Symbol).then(|| (number(name, len), end))
    }

    /// Reads a short symbol, if that is what follows.
    #[inline]
    pub(crate) fn skip_short_symbol(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let (first, at) = self.after_space();
        let bars = first == Some(b'|');
        let found = match first {
            Some(b'|') => short_name(bytes, at + 1, ends_bars, 0),
            Some(byte) if class(byte) == Class::Symbol => short_name(bytes, at, unusual, FIRST),
            _ => None,
        };
        let Some((_, len)) = found else { return false };
        let start = at + usize::from(bars);
        let end = start + len;
        let whole = match bytes.get(end) {
            Some(b'|') => bars,
            Some(b' ' | b'\n' | b'(' | b')') => !bars,
            _ => false,
        };
        if whole {
            (self.at, self.start, self.end, self.pos) = (at, start, end, end + usize::from(bars));
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::super::Token;
    use super::*;

    #[test]
    fn known_words_end_where_words_do() {
        for byte in 0..128 {
            for length in (1..20).chain([31, 32, 33, 47, 48, 49, 70]) {
                let (name, next) = ("a".repeat(length), char::from(byte));
                let behind = " ".repeat(60);
                let longer = format!("{name}{next}zz");
                let text = format!("{longer} {name}{behind}");
                let mut symbols = Symbols::default();
                // Words are cached only after many were read.
                for _ in 0..300 {
                    symbols.intern_in("x", 0..1, Spelling::Word);
                }
                symbols.intern_in(&longer, 0..longer.len(), Spelling::Bars);
                let symbol = symbols.intern_in(&name, 0..length, Spelling::Word);
                let known = Lexer::new(&text).known_word(&mut symbols, 0);
                let ends = !matches!(class(byte), Class::Symbol | Class::Digit);
                if b" \n()\"".contains(&byte) {
                    assert_eq!(known, Some((symbol, length)), "{text}");
                } else {
                    assert!(known.is_none() || ends && known == Some((symbol, length)), "{text}");
                }
                let in_bars = format!("|{name}|{behind}");
                let known = Lexer::new(&in_bars).known_bars(&mut symbols, 0);
                assert_eq!(known, Some((symbol, length + 2)));
                let open = Lexer::new(&in_bars[..=length]);
                assert_eq!(open.known_bars(&mut symbols, 0), None);
            }
        }
    }

    #[test]
    fn literals_that_fit_are_read() {
        let bits = |width, bits| Some(WordLiteral::BitVec { width, bits });
        let table = [
            ("0", Some(WordLiteral::Numeral(0))),
            ("007", Some(WordLiteral::Numeral(7))),
            ("999999999999999999", Some(WordLiteral::Numeral(999_999_999_999_999_999))),
            ("1000000000000000000", None),
            ("1.5", None),
            ("1a", None),
            ("#b1", bits(1, 1)),
            ("#b0110", bits(4, 6)),
            ("#b", None),
            ("#b012", None),
            ("#xfF", bits(8, 255)),
            ("#xffffffffffffffff", bits(64, u64::MAX)),
            ("#x10000000000000000", None),
            ("#x", None),
            ("#xg", None),
            ("#y1", None),
            ("#", None),
        ];
        assert_eq!(WordLiteral::binary("1".repeat(64).as_bytes()), bits(64, u64::MAX));
        assert_eq!(WordLiteral::binary("1".repeat(65).as_bytes()), None);
        for (text, expected) in table {
            for behind in [" ", ")", "(", "\n", "\""] {
                let whole = format!("{text}{behind}");
                let found = Lexer::new(&whole).word_literal(0);
                assert_eq!(found, expected.map(|literal| (literal, text.len())), "{whole}");
            }
            assert_eq!(Lexer::new(&format!("{text}$")).word_literal(0), None, "{text}$");
        }
    }

    #[test]
    fn indexed_literals_that_fit_are_read() {
        let table = [
            ("(_ bv5 8)", Some((8, 5))),
            ("(_ bv255 8)", Some((8, 255))),
            ("(_ bv256 8)", None),
            ("(_ bv0 63)", Some((63, 0))),
            ("(_ bv0 64)", None),
            ("(_ bv0 0)", None),
            ("(_ bv 8)", None),
            ("(_ bv5 )", None),
            ("(_ bv5 8 )", None),
            ("(_  bv5 8)", None),
            ("(_ bv5x 8)", None),
        ];
        for (text, expected) in table {
            let found = Lexer::new(text).indexed_literal(0);
            let expected =
                expected.map(|(width, bits)| (WordLiteral::BitVec { width, bits }, text.len()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn short_symbols_agree_with_the_lexer() {
        let names =
            ["a", "x.y-z", "!x", "|a|", "||", "|a b|", "|a\\b|", "a'", "5a", "(", ":k", "\"s\""];
        for name in names {
            for behind in [" ", "\n", "(", ")", "\t", ";", "|", "\"", "é"] {
                let text = format!(" {name}{behind}{}", " ".repeat(20));
                let (mut short, mut any) = (Lexer::new(&text), Lexer::new(&text));
                if short.skip_short_symbol() {
                    assert!(matches!(any.next(), Ok(Token::Symbol | Token::Quoted)), "{text}");
                    assert_eq!((short.at(), short.range()), (any.at(), any.range()), "{text}");
                    assert_eq!(short.position(), any.position(), "{text}");
                } else {
                    assert_eq!(short.position(), 0, "{text}");
                    let usual = name.len() < 5 && name.starts_with(['a', '!', '|']);
                    let unusual = ["|a\\b|", "a'"].contains(&name) || !" \n()".contains(behind);
                    assert!(!usual || unusual, "{text}");
                }
            }
        }
    }

    #[test]
    fn short_texts_have_distinct_encodings() {
        let texts = ["", "a", "a\0", "ab", "12345678", "123456789", "123456789012345"];
        for (i, a) in texts.iter().enumerate() {
            let whole = format!("{a}){}", " ".repeat(20));
            let found = Lexer::new(&whole).short_group(0);
            assert_eq!(found, Some((short_text(a), a.len())), "{a}");
            assert!(texts[..i].iter().all(|b| short_text(a) != short_text(b)), "{a}");
        }
        let long = format!("{}){}", "a".repeat(16), " ".repeat(20));
        assert_eq!(Lexer::new(&long).short_group(0), None);
        assert_eq!(Lexer::new("assert ").short_word(0), None, "close to the end");
        let assert = format!("assert {}", " ".repeat(20));
        assert_eq!(Lexer::new(&assert).short_word(0), Some((short_text("assert"), 6)));
    }
}
