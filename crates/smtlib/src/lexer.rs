//! Text to tokens. A token is a kind and a range of bytes; nothing is copied.

use crate::source::{Fault, Read};

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

    /// Goes back to an offset, to read from there again.
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
        let saved = (self.start, self.end, self.at);
        let token = self.next()?;
        self.pos = self.at;
        (self.start, self.end, self.at) = saved;
        Ok(token)
    }

    /// The next token.
    #[inline]
    pub(crate) fn next(&mut self) -> Read<Token> {
        let bytes = self.text.as_bytes();
        let mut pos = self.pos;
        loop {
            let Some(&byte) = bytes.get(pos) else {
                self.at = bytes.len();
                (self.start, self.end, self.pos) = (self.at, self.at, self.at);
                return Ok(Token::End);
            };
            self.at = pos;
            match class(byte) {
                Class::Space => pos += 1,
                Class::Open => return Ok(self.token(Token::Open, pos, pos + 1)),
                Class::Close => return Ok(self.token(Token::Close, pos, pos + 1)),
                Class::Symbol => {
                    let end = word_end(bytes, pos + 1);
                    return self.symbol(Token::Symbol, pos, end);
                }
                Class::Digit => return self.number(pos),
                Class::Semicolon => pos = line_end(bytes, pos),
                Class::Hash => return self.hash(pos),
                Class::Colon => {
                    let end = word_end(bytes, pos + 1);
                    if end == pos + 1 {
                        return Err(Fault::new(pos, "a keyword needs a name after `:`"));
                    }
                    return self.symbol(Token::Keyword, pos, end);
                }
                Class::Quote => return self.string(pos),
                Class::Bar => return self.quoted(pos),
                Class::Other => return Err(self.strange(pos)),
            }
        }
    }

    fn token(&mut self, token: Token, start: usize, end: usize) -> Token {
        (self.start, self.end, self.pos) = (start, end, end);
        token
    }

    fn symbol(&mut self, token: Token, start: usize, end: usize) -> Read<Token> {
        if end - start > MAX_SYMBOL {
            let message = format!(
                "a symbol of {} bytes is longer than the limit of {MAX_SYMBOL}",
                end - start
            );
            return Err(Fault::new(start, message));
        }
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
        self.token(token, start + 2, end);
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
        let rest = &bytes[start + 1..];
        let Some(length) = rest.iter().position(|&b| b == b'|') else {
            return Err(Fault::new(start, "this symbol in bars is not closed"));
        };
        if let Some(at) = rest[..length].iter().position(|&b| b == b'\\' || b == 0) {
            return Err(Fault::new(
                start + 1 + at,
                "a symbol in bars may not contain a backslash or NUL",
            ));
        }
        self.symbol(Token::Quoted, start + 1, start + 1 + length)?;
        self.pos = start + length + 2;
        Ok(Token::Quoted)
    }

    fn strange(&self, pos: usize) -> Box<Fault> {
        let c = self.text[pos..].chars().next().unwrap_or('\0');
        let code = u32::from(c);
        let message = if c.is_control() {
            format!("unexpected control character U+{code:04X}")
        } else {
            format!("unexpected character `{c}` (U+{code:04X})")
        };
        Fault::hinted(pos, message, "outside strings and |…| only ASCII is allowed")
    }
}

fn word_end(bytes: &[u8], mut pos: usize) -> usize {
    while bytes.get(pos).is_some_and(|&b| matches!(class(b), Class::Symbol | Class::Digit)) {
        pos += 1;
    }
    pos
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
