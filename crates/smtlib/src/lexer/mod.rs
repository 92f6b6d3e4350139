//! Text to tokens. A token is a kind and a range of bytes; nothing is copied.

mod blocks;
mod fast_tokens;

pub(crate) use fast_tokens::{WordLiteral, short_text};

use crate::bytes::byte;
use crate::source::{Fault, Read};
use assay_term::Spelling;
use blocks::{ends_bars, find, unusual};
use std::ops::Range;

/// The kind of a token.
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
    /// `#f3m7`, an element of a finite field.
    FieldElement,
    String,
    /// The end of the text.
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
            Token::FieldElement => "an element of a finite field",
            Token::String => "a string",
            Token::End => "the end of the text",
        }
    }
}

/// Maximum length of a symbol: no human chooses a longer name.
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
    /// The position of the next token.
    pos: usize,
    /// The bytes of the latest token, without bars or quotes.
    start: usize,
    end: usize,
    /// The start of the latest token, including bars and quotes.
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

    /// Its position in the whole text.
    #[inline]
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The spelling of the latest token, a symbol.
    pub(crate) fn spelling(&self) -> Spelling {
        if self.at == self.start { Spelling::Word } else { Spelling::Bars }
    }

    /// Continues after text that was recognized from `start` to `end`.
    #[inline]
    pub(crate) fn skip_known(&mut self, start: usize, end: usize) {
        (self.at, self.start, self.end, self.pos) = (start, start, end, end);
    }

    /// The byte after a space, if there is one, and its offset.
    #[inline]
    pub(crate) fn after_space(&self) -> (Option<u8>, usize) {
        let bytes = self.text.as_bytes();
        let pos = self.pos + usize::from(bytes.get(self.pos) == Some(&b' '));
        (bytes.get(pos).copied(), pos)
    }

    /// Reads ` ()` if that is what follows.
    #[inline]
    pub(crate) fn skip_empty_list(&mut self) -> bool {
        let (_, pos) = self.after_space();
        let empty = self.text.as_bytes()[pos..].starts_with(b"()");
        if empty {
            self.token(Token::Close, pos + 1, pos + 2);
        }
        empty
    }

    /// The text from an offset to the end of the latest token.
    pub(crate) fn since(&self, from: usize) -> &'t str {
        &self.text[from..self.pos]
    }

    /// The start of the latest token.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The position of the next token.
    pub(crate) fn position(&self) -> usize {
        self.pos
    }

    /// The start of the first token at or after an offset.
    pub(crate) fn token_from(&self, from: usize) -> Read<usize> {
        let mut lexer = self.clone();
        lexer.rewind(from);
        lexer.next()?;
        Ok(lexer.at)
    }

    /// Continues at an offset.
    pub(crate) fn rewind(&mut self, to: usize) {
        self.pos = to;
    }

    /// Moves to the end of the group whose parenthesis is at `at`, considering only parentheses, strings
    /// and bars: solvers print values that are not tokens. False if the group is not closed.
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

    /// Peeks at the kind of the next token.
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

    /// The next token. Most tokens that are read one by one are parentheses.
    #[inline]
    pub(crate) fn next(&mut self) -> Read<Token> {
        let bytes = self.text.as_bytes();
        let pos = self.pos + usize::from(matches!(bytes.get(self.pos), Some(b' ' | b'\n')));
        match bytes.get(pos) {
            Some(b'(') => Ok(self.token(Token::Open, pos, pos + 1)),
            Some(b')') => Ok(self.token(Token::Close, pos, pos + 1)),
            _ => self.next_other(),
        }
    }

    #[inline(never)]
    fn next_other(&mut self) -> Read<Token> {
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

    /// The token at `pos`, whose first byte is of a less common class.
    fn next_of(&mut self, class: Class, pos: usize) -> Read<Token> {
        match class {
            Class::Digit => self.number(pos),
            Class::Hash => self.hash(pos),
            Class::Colon => {
                let end = word_end(self.text.as_bytes(), pos + 1);
                self.symbol(Token::Keyword, pos, end)
            }
            Class::Quote => self.string(pos),
            Class::Bar => self.quoted(pos),
            _ => Err(self.strange(pos)),
        }
    }

    /// Records a token without bars or quotes.
    #[inline]
    fn token(&mut self, token: Token, start: usize, end: usize) -> Token {
        self.skip_known(start, end);
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
        if token == Token::Numeral && bytes.get(end) == Some(&b'/') {
            // cvc5 reads 1/4 as a number.
            let denominator = digits_end(bytes, end + 1);
            if bytes[end + 1..denominator].iter().any(|&digit| digit != b'0') {
                (end, token) = (denominator, Token::Decimal);
            }
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
            Some(b'f') if is_field_element(digits) => Token::FieldElement,
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

    /// The error for a symbol in bars that is not closed by a bar.
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
        let message = if let Some(byte) = byte(c) {
            format!("unexpected byte 0x{byte:02x}")
        } else if c.is_control() {
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
/// Whether these are the digits of an element and of the field's order: `3m7`.
fn is_field_element(text: &[u8]) -> bool {
    let number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let middle = text.iter().position(|&b| b == b'm');
    middle.is_some_and(|at| number(&text[..at]) && number(&text[at + 1..]))
}

fn check_length(start: usize, end: usize) -> Read<()> {
    if end - start > MAX_SYMBOL { Err(too_long(start, end)) } else { Ok(()) }
}

#[cold]
fn too_long(start: usize, end: usize) -> Box<Fault> {
    let message =
        format!("a symbol of {} bytes is longer than the limit of {MAX_SYMBOL}", end - start);
    Fault::new(start, message)
}

/// The end of the word that continues at `pos`. The usual bytes of names are skipped in blocks, the
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

/// A word truncated for use in a message.
pub(crate) fn shorten(word: &str) -> String {
    const SHOWN: usize = 40;
    if word.chars().count() <= SHOWN {
        return word.to_owned();
    }
    let head: String = word.chars().take(SHOWN).collect();
    format!("{head}…")
}
