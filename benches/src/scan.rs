//! Counts what a script contains, independently of every reader under test.
//!
//! The counts are the yardstick for completeness: a reader that returns fewer commands than
//! [`scan`] saw has lost input, whatever it says. Knows only lexical structure, no SMT-LIB grammar.

use thiserror::Error;

/// What a script contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Parenthesised expressions at the top level.
    pub commands: usize,
    /// Everything that is neither a parenthesis, white space nor a comment; `(_ bv5 8)` counts as
    /// one, because some readers print it as `#x05`.
    pub atoms: usize,
}

/// Why a text is not a sequence of S-expressions.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ScanError {
    /// A closing parenthesis without its opening one.
    #[error("line {line}: ')' closes nothing")]
    Unopened {
        /// Where it stands, counting from 1.
        line: usize,
    },
    /// The text ends inside parentheses.
    #[error("{depth} '(' still open at the end")]
    Unclosed {
        /// How many are open.
        depth: usize,
    },
    /// The text ends inside a string literal or a quoted symbol.
    #[error("line {line}: {quote} is never closed")]
    Unterminated {
        /// Where the literal begins, counting from 1.
        line: usize,
        /// The delimiter that is missing.
        quote: char,
    },
}

/// Counts the commands and atoms of `text`.
pub fn scan(text: &str) -> Result<Contents, ScanError> {
    let bytes = text.as_bytes();
    let mut contents = Contents::default();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if let Some(length) = bit_vector_literal(&bytes[at..]) {
            contents.atoms += 1;
            at += length;
            continue;
        }
        match byte {
            b'(' => {
                contents.commands += usize::from(depth == 0);
                depth += 1;
                at += 1;
            }
            b')' => {
                depth =
                    depth.checked_sub(1).ok_or(ScanError::Unopened { line: line_of(bytes, at) })?;
                at += 1;
            }
            b';' => at = end_of_line(bytes, at),
            b'"' | b'|' => {
                at = end_of_quoted(bytes, at, byte)?;
                contents.atoms += 1;
            }
            _ if byte.is_ascii_whitespace() => at += 1,
            _ => {
                at = end_of_plain(bytes, at);
                contents.atoms += 1;
            }
        }
    }
    if depth == 0 { Ok(contents) } else { Err(ScanError::Unclosed { depth }) }
}

/// The length of the `(_ bvN w)` that `bytes` begins with, if it does.
fn bit_vector_literal(bytes: &[u8]) -> Option<usize> {
    let value = bytes.strip_prefix(b"(_ bv")?;
    let width = after_digits(value)?.strip_prefix(b" ")?;
    let rest = after_digits(width)?.strip_prefix(b")")?;
    Some(bytes.len() - rest.len())
}

/// What follows one or more digits.
fn after_digits(bytes: &[u8]) -> Option<&[u8]> {
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    (digits > 0).then(|| &bytes[digits..])
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |offset| from + offset)
}

/// The index after the literal that `quote` opens at `from`; a doubled `"` stands for itself.
fn end_of_quoted(bytes: &[u8], from: usize, quote: u8) -> Result<usize, ScanError> {
    let mut at = from + 1;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte == quote {
            if quote == b'"' && bytes.get(at) == Some(&b'"') {
                at += 1;
            } else {
                return Ok(at);
            }
        }
    }
    Err(ScanError::Unterminated { line: line_of(bytes, from), quote: char::from(quote) })
}

fn end_of_plain(bytes: &[u8], from: usize) -> usize {
    bytes[from..]
        .iter()
        .position(|b| b.is_ascii_whitespace() || b"()|\";".contains(b))
        .map_or(bytes.len(), |offset| from + offset)
}

fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + bytes[..at].iter().filter(|&&b| b == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let table = [
            ("", 0, 0),
            ("; (only a comment)", 0, 0),
            ("(check-sat)", 1, 1),
            ("(a)(b)\n(c d)", 3, 4),
            ("(echo \"a \"\"(\"\" b\")(exit)", 2, 3),
            ("(assert |a ; ) b|) ; tail", 1, 2),
            ("(assert (= x(- 1)))", 1, 5),
            ("(assert (= x (_ bv5 8)))", 1, 4),
            ("(assert (= x (_ bv5)))", 1, 5),
            ("(declare-const x (_ BitVec 8))", 1, 5),
        ];
        for (text, commands, atoms) in table {
            assert_eq!(scan(text), Ok(Contents { commands, atoms }), "{text}");
        }
    }

    #[test]
    fn rejects_what_is_not_balanced() {
        let table = [
            ("(a)\n)", ScanError::Unopened { line: 2 }),
            ("((a)", ScanError::Unclosed { depth: 1 }),
            ("(a\n |b", ScanError::Unterminated { line: 2, quote: '|' }),
            ("\"a\"\"", ScanError::Unterminated { line: 1, quote: '"' }),
        ];
        for (text, error) in table {
            assert_eq!(scan(text), Err(error), "{text}");
        }
    }
}
