//! The size of a script's text.

use std::fmt;

/// The size of a script: fewer nodes are smaller, then fewer bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Size {
    /// Symbols, literals and pairs of parentheses.
    pub nodes: usize,
    /// The bytes of the text, counting white space between tokens as one character.
    pub bytes: usize,
}

impl Size {
    /// The size of a text. Comments do not count.
    #[must_use]
    pub fn of(text: &str) -> Size {
        let mut size = Size { nodes: 0, bytes: 0 };
        let mut rest = text.as_bytes();
        let mut spaced = true;
        while let Some(&first) = rest.first() {
            let token = match first {
                b';' => {
                    let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    rest = &rest[end..];
                    continue;
                }
                b'(' => {
                    size.nodes += 1;
                    1
                }
                b')' => 1,
                b'"' => string(rest),
                b'|' => 2 + rest[1..].iter().take_while(|&&b| b != b'|').count(),
                _ if first.is_ascii_whitespace() => {
                    size.bytes += usize::from(!spaced);
                    spaced = true;
                    rest = &rest[1..];
                    continue;
                }
                _ => rest.iter().take_while(|b| !is_delimiter(**b)).count(),
            };
            if !matches!(first, b'(' | b')') {
                size.nodes += 1;
            }
            let token = token.min(rest.len());
            size.bytes += token;
            spaced = false;
            rest = &rest[token..];
        }
        size
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes, {} nodes", self.bytes, self.nodes)
    }
}

fn is_delimiter(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'"' | b';' | b'|')
}

/// The length of the string literal that the text begins with; a doubled quote is part of it.
fn string(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(offset) = text[at..].iter().position(|&b| b == b'"') {
        at += offset + 1;
        if text.get(at) != Some(&b'"') {
            return at;
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_parentheses_are_counted() {
        let table = [
            ("", 0, 0),
            ("(check-sat)\n", 2, 12),
            ("(assert (= x \"a \"\"b\"))", 6, 22),
            ("; nothing\n(a|b c|1)", 4, 9),
            ("(  a   b  )", 3, 7),
            ("\"open", 1, 5),
        ];
        for (text, nodes, bytes) in table {
            assert_eq!(Size::of(text), Size { nodes, bytes }, "{text}");
        }
    }
}
