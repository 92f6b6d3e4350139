//! Text to tokens. A token is a kind and a range of bytes; nothing is copied.

use crate::source::{Fault, Read};
use assay_term::{Spelling, Symbol, Symbols};
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Token {
    Open,
    Close,
    /// A simple symbol.
    Symbol,
    /// A symbol in bars.
    Quoted,
    Keyword,
    Numeral,
    Decimal,
    Hexadecimal,
    Binary,
    String,
    /// The text is over.
    End,
}

impl Token {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Token::Open => "`(`",
            Token::Close => "`)`",
            Token::Symbol | Token::Quoted => "a symbol",
            Token::Keyword => "a keyword",
            Token::Numeral => "a numeral",
            Token::Decimal => "a decimal",
            Token::Hexadecimal => "a hexadecimal",
            Token::Binary => "a binary",
            Token::String => "a string",
            Token::End => "the end of the text",
        }
    }
}

/// The longest symbol that is read: a longer one is no name that anybody chose.
pub(crate) const MAX_SYMBOL: usize = 1 << 16;

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Class {
    Other,
    Space,
    Symbol,
    Digit,
    Open,
    Close,
    Quote,
    Bar,
    Semicolon,
    Colon,
    Hash,
}

static CLASSES: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut c = 0;
    while c < 128 {
        let b = c as u8;
        if b.is_ascii_alphabetic() {
            table[c] = Class::Symbol;
        } else if b.is_ascii_digit() {
            table[c] = Class::Digit;
        }
        c += 1;
    }
    let extra = b"~!@$%^&*_-+=<>.?/";
    let mut i = 0;
    while i < extra.len() {
        table[extra[i] as usize] = Class::Symbol;
        i += 1;
    }
    table[b' ' as usize] = Class::Space;
    table[b'\t' as usize] = Class::Space;
    table[b'\n' as usize] = Class::Space;
    table[b'\r' as usize] = Class::Space;
    table[b'(' as usize] = Class::Open;
    table[b')' as usize] = Class::Close;
    table[b'"' as usize] = Class::Quote;
    table[b'|' as usize] = Class::Bar;
    table[b';' as usize] = Class::Semicolon;
    table[b':' as usize] = Class::Colon;
    table[b'#' as usize] = Class::Hash;
    table
};

#[inline]
fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// Reads tokens from a text.
#[derive(Clone)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    /// Where the next token is looked for.
    pos: usize,
    /// The bytes of the latest token, without bars or quotes.
    start: usize,
    end: usize,
    /// Where the latest token begins, bars and quotes included.
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, pos: 0, start: 0, end: 0, at: 0 }
    }

    /// The whole text.
    pub(crate) fn source(&self) -> &'t str {
        self.text
    }

    /// The text of the latest token, without bars or quotes.
    pub(crate) fn text(&self) -> &'t str {
        &self.text[self.start..self.end]
    }

    /// Where in the whole text that is.
    #[inline]
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// How the latest token, a symbol, is spelled.
    pub(crate) fn spelling(&self) -> Spelling {
        if self.at == self.start { Spelling::Word } else { Spelling::Bars }
    }

    /// The word that begins at `start`, and where it ends, if it is one of the latest. Nothing is
    /// checked that was checked when the word was read before.
    #[inline(always)]
    pub(crate) fn known_word(&self, symbols: &Symbols, start: usize) -> Option<(Symbol, usize)> {
        let bytes = self.text.as_bytes();
        let end = find(bytes, start + 1, |block| below(block, b'*'));
        // Some of what is below can be part of a word, though rarely is.
        if matches!(class(*bytes.get(end)?), Class::Symbol) {
            return None;
        }
        let symbol = symbols.recall(bytes, start..end, Spelling::Word)?;
        Some((symbol, end))
    }

    /// The same for a symbol in bars, of which the first is at `start`.
    #[inline(always)]
    pub(crate) fn known_bars(&self, symbols: &Symbols, start: usize) -> Option<(Symbol, usize)> {
        let bytes = self.text.as_bytes();
        let end = find(bytes, start + 1, |block| equal(block, b'|') | equal(block, 0));
        let symbol = symbols.recall(bytes, start + 1..end, Spelling::Bars)?;
        (bytes.get(end) == Some(&b'|')).then_some((symbol, end + 1))
    }

    /// The text from an offset to the end of the latest token.
    pub(crate) fn since(&self, from: usize) -> &'t str {
        &self.text[from..self.pos]
    }

    /// Where the latest token begins.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Where the next token is looked for.
    pub(crate) fn position(&self) -> usize {
        self.pos
    }

    /// Goes to an offset, to read from there.
    pub(crate) fn rewind(&mut self, to: usize) {
        self.pos = to;
    }

    /// Goes to the end of the group whose parenthesis is at `at`, minding only parentheses,
    /// strings and bars: solvers print values that are no tokens. False where it does not end.
    pub(crate) fn skip_group(&mut self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let (mut pos, mut depth) = (at, 0usize);
        while let Some(&byte) = bytes.get(pos) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'"' | b'|' => {
                    let rest = &bytes[pos + 1..];
                    let Some(length) = rest.iter().position(|&b| b == byte) else { return false };
                    pos += length + 1;
                }
                b';' => pos = line_end(bytes, pos),
                _ => {}
            }
            pos += 1;
            if depth == 0 {
                self.pos = pos;
                return true;
            }
        }
        false
    }

    /// The kind of the next token, which stays unread.
    pub(crate) fn peek(&mut self) -> Read<Token> {
        match self.text.as_bytes().get(self.pos) {
            Some(b'(') => return Ok(Token::Open),
            Some(b')') => return Ok(Token::Close),
            _ => {}
        }
        let saved = (self.start, self.end, self.at);
        let token = self.next()?;
        self.pos = self.at;
        (self.start, self.end, self.at) = saved;
        Ok(token)
    }

    /// What stands before the next closing parenthesis, if that is not far.
    pub(crate) fn before_close(&self) -> Option<&'t str> {
        const NEAR: usize = 32;
        let rest = &self.text.as_bytes()[self.pos..];
        let near = &rest[..rest.len().min(NEAR)];
        let length = find(near, 0, |block| equal(block, b')') | equal(block, 0));
        if near.get(length) != Some(&b')') {
            return None;
        }
        self.text.get(self.pos..self.pos + length)
    }

    /// Goes on behind a closing parenthesis that is so many bytes ahead.
    pub(crate) fn skip_close(&mut self, length: usize) {
        let at = self.pos + length;
        self.token(Token::Close, at, at + 1);
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Read<Token> {
        self.next_inline()
    }

    /// The next token, for the loop that reads terms.
    #[inline(always)]
    pub(crate) fn next_inline(&mut self) -> Read<Token> {
        let bytes = self.text.as_bytes();
        let mut pos = self.pos;
        loop {
            let Some(&byte) = bytes.get(pos) else { return Ok(self.end()) };
            match class(byte) {
                Class::Space => pos += 1,
                Class::Open => return Ok(self.token(Token::Open, pos, pos + 1)),
                Class::Close => return Ok(self.token(Token::Close, pos, pos + 1)),
                Class::Symbol => {
                    let end = word_end(bytes, pos + 1);
                    return self.symbol(Token::Symbol, pos, end);
                }
                Class::Semicolon => pos = line_end(bytes, pos),
                other => {
                    self.at = pos;
                    return self.next_of(other, pos);
                }
            }
        }
    }

    #[cold]
    fn end(&mut self) -> Token {
        let end = self.text.len();
        self.token(Token::End, end, end)
    }

    /// The token that begins at `pos` with a byte of a less common class.
    fn next_of(&mut self, class: Class, pos: usize) -> Read<Token> {
        match class {
            Class::Digit => self.number(pos),
            Class::Hash => self.hash(pos),
            Class::Colon => {
                let end = word_end(self.text.as_bytes(), pos + 1);
                if end == pos + 1 {
                    return Err(Fault::new(pos, "a keyword needs a name after `:`"));
                }
                self.symbol(Token::Keyword, pos, end)
            }
            Class::Quote => self.string(pos),
            Class::Bar => self.quoted(pos),
            _ => Err(self.strange(pos)),
        }
    }

    /// Notes a token without bars or quotes.
    #[inline]
    fn token(&mut self, token: Token, start: usize, end: usize) -> Token {
        (self.at, self.start, self.end, self.pos) = (start, start, end, end);
        token
    }

    #[inline]
    fn symbol(&mut self, token: Token, start: usize, end: usize) -> Read<Token> {
        check_length(start, end)?;
        Ok(self.token(token, start, end))
    }

    fn number(&mut self, start: usize) -> Read<Token> {
        let bytes = self.text.as_bytes();
        let mut end = digits_end(bytes, start);
        let mut token = Token::Numeral;
        if bytes.get(end) == Some(&b'.') {
            let fraction = end + 1;
            end = digits_end(bytes, fraction);
            if end == fraction {
                return Err(Fault::new(start, "a decimal needs digits after the point"));
            }
            token = Token::Decimal;
        }
        if bytes.get(end).is_some_and(|&b| class(b) == Class::Symbol) {
            let word = &self.text[start..word_end(bytes, end)];
            let message = format!("`{}` is neither a number nor a symbol", shorten(word));
            return Err(Fault::hinted(
                start,
                message,
                "a symbol that begins with a digit needs bars: |…|",
            ));
        }
        Ok(self.token(token, start, end))
    }

    fn hash(&mut self, start: usize) -> Read<Token> {
        let bytes = self.text.as_bytes();
        let end = word_end(bytes, start + 1);
        let digits = bytes.get(start + 2..end).unwrap_or_default();
        let token = match bytes.get(start + 1) {
            Some(b'x') if !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit) => {
                Token::Hexadecimal
            }
            Some(b'b') if !digits.is_empty() && digits.iter().all(|b| matches!(b, b'0' | b'1')) => {
                Token::Binary
            }
            _ => {
                let message = format!("`{}` is not a literal", shorten(&self.text[start..end]));
                return Err(Fault::hinted(
                    start,
                    message,
                    "literals are #x and hexadecimal digits, or #b and binary digits",
                ));
            }
        };
        (self.start, self.end, self.pos) = (start + 2, end, end);
        Ok(token)
    }

    fn string(&mut self, start: usize) -> Read<Token> {
        let bytes = self.text.as_bytes();
        let mut pos = start + 1;
        loop {
            match bytes.get(pos) {
                None => return Err(Fault::new(start, "this string is not closed")),
                Some(b'"') if bytes.get(pos + 1) == Some(&b'"') => pos += 2,
                Some(b'"') => {
                    (self.start, self.end, self.pos) = (start + 1, pos, pos + 1);
                    return Ok(Token::String);
                }
                Some(_) => pos += 1,
            }
        }
    }

    fn quoted(&mut self, start: usize) -> Read<Token> {
        let bytes = self.text.as_bytes();
        let end = find(bytes, start + 1, ends_bars);
        if bytes.get(end) != Some(&b'|') {
            return Err(self.broken_bars(start, end));
        }
        check_length(start + 1, end)?;
        (self.start, self.end, self.pos) = (start + 1, end, end + 1);
        Ok(Token::Quoted)
    }

    /// The complaint about a symbol in bars that something else than a bar ends.
    #[cold]
    fn broken_bars(&self, start: usize, end: usize) -> Box<Fault> {
        if self.text[end..].contains('|') {
            Fault::new(end, "a symbol in bars may not contain a backslash or NUL")
        } else {
            Fault::new(start, "this symbol in bars is not closed")
        }
    }

    #[cold]
    fn strange(&self, pos: usize) -> Box<Fault> {
        let c = self.text[pos..].chars().next().unwrap_or('\0');
        let code = u32::from(c);
        let message = if c.is_control() {
            format!("unexpected control character U+{code:04X}")
        } else {
            format!("unexpected character `{c}` (U+{code:04X})")
        };
        let hint = if c.is_ascii() {
            "this character may stand only in strings, in |…| and in comments"
        } else {
            "outside strings, |…| and comments only ASCII is allowed"
        };
        Fault::hinted(pos, message, hint)
    }
}

#[inline]
fn check_length(start: usize, end: usize) -> Read<()> {
    if end - start > MAX_SYMBOL { Err(too_long(start, end)) } else { Ok(()) }
}

#[cold]
fn too_long(start: usize, end: usize) -> Box<Fault> {
    let message =
        format!("a symbol of {} bytes is longer than the limit of {MAX_SYMBOL}", end - start);
    Fault::new(start, message)
}

/// Where the word that goes on at `pos` ends. The usual bytes of names are skipped in blocks, the
/// rest one by one.
#[inline]
fn word_end(bytes: &[u8], mut pos: usize) -> usize {
    loop {
        pos = find(bytes, pos, unusual);
        match bytes.get(pos) {
            Some(&byte) if matches!(class(byte), Class::Symbol | Class::Digit) => pos += 1,
            _ => return pos,
        }
    }
}

/// Bytes that are looked at together, as one word.
const BLOCK: usize = 8;
const EACH: u64 = 0x0101_0101_0101_0101;
const TOP_BITS: u64 = EACH << 7;

/// The first place from `pos` on that `stops` marks, or the end. It sets the top bit of each byte
/// of a block that stops the search, a zero byte among them; bits above the lowest may be wrong.
#[inline(always)]
fn find(bytes: &[u8], mut pos: usize, stops: impl Fn(u64) -> u64) -> usize {
    let mut rest = bytes.get(pos..).unwrap_or_default();
    // Two blocks without a branch between them: whether a word ends in the first is hard to guess.
    while let Some((&pair, after)) = rest.split_first_chunk::<{ 2 * BLOCK }>() {
        let pair = u128::from_le_bytes(pair);
        let (first, second) = (stops(pair as u64), stops((pair >> 64) as u64));
        if first | second != 0 {
            let (found, before) = if first != 0 { (first, 0) } else { (second, BLOCK) };
            return pos + before + found.trailing_zeros() as usize / 8;
        }
        pos += 2 * BLOCK;
        rest = after;
    }
    find_at_end(rest, pos, stops)
}

#[cold]
fn find_at_end(mut rest: &[u8], mut pos: usize, stops: impl Fn(u64) -> u64) -> usize {
    loop {
        let (block, after) = match rest.split_first_chunk::<BLOCK>() {
            Some((block, after)) => (u64::from_le_bytes(*block), after),
            None => (last_block(rest), rest),
        };
        let found = stops(block);
        if found != 0 {
            return pos + found.trailing_zeros() as usize / 8;
        }
        pos += BLOCK;
        rest = after;
    }
}

#[cold]
fn last_block(rest: &[u8]) -> u64 {
    rest.iter().rev().fold(0, |block, &byte| block << 8 | u64::from(byte))
}

/// Marks all bytes but letters, digits and `-./<=>?@^_`.
#[inline]
fn unusual(block: u64) -> u64 {
    let low = block & !TOP_BITS;
    // The top bit of a byte is set by a sum where the byte is at least the one, above the other.
    let between = |first: u8, last: u8| {
        let at_least = low + EACH * u64::from(0x80 - first);
        let above = low + EACH * u64::from(0x7F - last);
        at_least & !above
    };
    let usual = between(b'-', b'9') | between(b'<', b'Z') | between(b'^', b'_');
    (!(usual | between(b'a', b'z')) | block) & TOP_BITS
}

/// Marks bars and what a symbol in bars may not contain.
#[inline]
fn ends_bars(block: u64) -> u64 {
    equal(block, b'|') | equal(block, b'\\') | equal(block, 0)
}

/// Marks the bytes below a limit of at most 128.
#[inline]
fn below(block: u64, limit: u8) -> u64 {
    block.wrapping_sub(EACH * u64::from(limit)) & !block & TOP_BITS
}

/// Marks the bytes that are equal to one.
#[inline]
fn equal(block: u64, byte: u8) -> u64 {
    below(block ^ (EACH * u64::from(byte)), 1)
}

fn digits_end(bytes: &[u8], mut pos: usize) -> usize {
    while bytes.get(pos).is_some_and(u8::is_ascii_digit) {
        pos += 1;
    }
    pos
}

fn line_end(bytes: &[u8], mut pos: usize) -> usize {
    while bytes.get(pos).is_some_and(|&b| b != b'\n' && b != b'\r') {
        pos += 1;
    }
    pos
}

/// A word cut to what a message can show.
pub(crate) fn shorten(word: &str) -> String {
    const SHOWN: usize = 40;
    if word.chars().count() <= SHOWN {
        return word.to_owned();
    }
    let head: String = word.chars().take(SHOWN).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_stop_where_bytes_do() {
        let in_word = |b: u8| matches!(class(b), Class::Symbol | Class::Digit);
        for byte in 0..=u8::MAX {
            for length in 0..20 {
                let mut text = vec![b'a'; length];
                text.push(byte);
                text.extend_from_slice(b"zz|");
                let end = if in_word(byte) { length + 3 } else { length };
                assert_eq!(word_end(&text, 0), end, "{byte} after {length}");
                let ends = matches!(byte, b'|' | b'\\' | 0);
                let end = if ends { length } else { length + 3 };
                assert_eq!(find(&text, 0, ends_bars), end, "{byte} after {length}");
            }
        }
    }

    #[test]
    fn known_words_end_where_words_do() {
        for byte in 0..128 {
            for length in 1..20 {
                let (name, next) = ("a".repeat(length), char::from(byte));
                let (text, longer) = (format!("{name}{next}zz {name}"), format!("{name}{next}zz"));
                let mut symbols = Symbols::default();
                // Words are remembered once there were many.
                for _ in 0..300 {
                    symbols.intern_in("x", 0..1, Spelling::Word);
                }
                symbols.intern_in(&longer, 0..longer.len(), Spelling::Bars);
                let symbol = symbols.intern_in(&name, 0..length, Spelling::Word);
                let known = Lexer::new(&text).known_word(&symbols, 0);
                let ends = !matches!(class(byte), Class::Symbol | Class::Digit);
                if b" \n()\"".contains(&byte) {
                    assert_eq!(known, Some((symbol, length)), "{text}");
                } else {
                    assert!(known.is_none() || ends && known == Some((symbol, length)), "{text}");
                }
                let in_bars = format!("|{name}|");
                let known = Lexer::new(&in_bars).known_bars(&symbols, 0);
                assert_eq!(known, Some((symbol, length + 2)));
                assert_eq!(Lexer::new(&in_bars[..=length]).known_bars(&symbols, 0), None);
            }
        }
    }
}
