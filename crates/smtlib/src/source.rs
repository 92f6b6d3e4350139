//! Positions in a text, and errors that show them.

use crate::bytes::byte;
use assay_term::quoted;
use std::fmt;

/// An error in a text, with its position and line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The error: lowercase, no full stop.
    pub message: String,
    /// A hint.
    pub hint: Option<String>,
    /// The symbol, where the error is that it is not declared.
    pub unknown: Option<String>,
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
    /// The part of the line around the position.
    excerpt: String,
    /// The position within the excerpt, in characters from zero.
    caret: usize,
}

/// Number of characters of a line shown on either side of the position.
const AROUND: usize = 60;

impl ReadError {
    /// An error at a byte offset of a text.
    #[must_use]
    pub fn new(text: &str, offset: usize, message: String, hint: Option<String>) -> ReadError {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
        let column = before[line_start..].chars().count();
        let shown_from = column.saturating_sub(AROUND);
        let line = text[line_start..line_end].chars().skip(shown_from).take(2 * AROUND);
        let excerpt: String = line.map(shown).collect();
        ReadError {
            message,
            hint,
            unknown: None,
            line: before.bytes().filter(|&b| b == b'\n').count() + 1,
            column: column + 1,
            excerpt: excerpt.trim_end().to_owned(),
            caret: column - shown_from,
        }
    }

    /// The line with the error, or the part of it around the position.
    #[must_use]
    pub fn excerpt(&self) -> &str {
        &self.excerpt
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "line {}, column {}: {}", self.line, self.column, self.message)?;
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", self.excerpt)?;
        write!(f, "{margin} | {}^", " ".repeat(self.caret))?;
        if let Some(hint) = &self.hint {
            write!(f, "\n{margin} = hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

/// A printable form of a character.
fn shown(c: char) -> char {
    match c {
        c if c.is_control() => ' ',
        c if byte(c).is_some() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// A number of things, as text.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    match count {
        0 => format!("no {thing}s"),
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

/// An error without its line and column.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) unknown: Option<String>,
}

/// A result whose error is one machine word, for the reader's hot paths.
pub(crate) type Read<T> = Result<T, Box<Fault>>;

impl Fault {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault { at, message: message.into(), hint: None, unknown: None })
    }

    pub(crate) fn hinted(
        at: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Box<Fault> {
        let hint = Some(hint.into());
        Box::new(Fault { at, message: message.into(), hint, unknown: None })
    }

    /// The error for a symbol that is not declared.
    pub(crate) fn unknown(at: usize, name: &str, hint: impl Into<String>) -> Box<Fault> {
        let message = format!("unknown symbol `{}`", quoted(name));
        Box::new(Fault { at, message, hint: Some(hint.into()), unknown: Some(name.to_owned()) })
    }

    pub(crate) fn locate(mut self, text: &str) -> ReadError {
        // A string that was meant to continue ends at such a quote, and the error may follow
        // anywhere; a string that is not closed may contain the quote.
        let (before, rest) = text.as_bytes().split_at(self.at.min(text.len()));
        let read = if rest.starts_with(b"\"") { text.as_bytes() } else { before };
        if read.windows(2).any(|two| two == b"\\\"") {
            let hint = || "a quote in a string is written \"\"; `\\\"` is of SMT-LIB 2.0".into();
            self.hint.get_or_insert_with(hint);
        }
        let error = ReadError::new(text, self.at, self.message, self.hint);
        ReadError { unknown: self.unknown, ..error }
    }
}
