//! Expressions as solvers print them, without a lexer: some values are not SMT-LIB tokens, such as
//! `<1*x^2 + (-2), (5/4, 3/2)>` or a name that needs bars and has none. Only parentheses, strings,
//! bars and comments are recognized.

/// The parts of the group that starts with the text's first parenthesis, and the end of the group;
/// none if it is not closed.
pub(super) fn group(text: &str) -> Option<(Vec<&str>, usize)> {
    let open = skip_space(text, 0);
    if text.as_bytes().get(open) != Some(&b'(') {
        return None;
    }
    let mut parts = Vec::new();
    let mut at = open + 1;
    loop {
        at = skip_space(text, at);
        match text.as_bytes().get(at)? {
            b')' => return Some((parts, at + 1)),
            _ => {
                let end = item_end(text, at)?;
                parts.push(&text[at..end]);
                at = end;
            }
        }
    }
}

/// The parts of a text that consists of one group.
pub(super) fn only_group(text: &str) -> Option<Vec<&str>> {
    let (parts, end) = group(text)?;
    (skip_space(text, end) == text.len()).then_some(parts)
}

/// The end of the atom or group that starts at `at`.
pub(super) fn item_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut pos, mut depth) = (at, 0usize);
    loop {
        match bytes.get(pos)? {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            quote @ (b'"' | b'|') => {
                pos += 1 + bytes[pos + 1..].iter().position(|b| b == quote)?;
                // A doubled quote continues the string.
                if *quote == b'"' && bytes.get(pos + 1) == Some(quote) {
                    pos += 1;
                    continue;
                }
            }
            b';' => pos = comment_end(bytes, pos),
            _ if depth == 0 => {
                while bytes.get(pos + 1).is_some_and(|&b| !ends_atom(b)) {
                    pos += 1;
                }
            }
            _ => {}
        }
        pos += 1;
        if depth == 0 {
            return Some(pos);
        }
    }
}

fn ends_atom(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'"' | b'|' | b';')
}

fn comment_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |length| at + length)
}

fn skip_space(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b';' => at = comment_end(bytes, at),
            _ if byte.is_ascii_whitespace() => at += 1,
            _ => break,
        }
    }
    at
}

/// A name without its bars.
pub(super) fn unquoted(name: &str) -> &str {
    name.strip_prefix('|').and_then(|name| name.strip_suffix('|')).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_split_into_their_elements() {
        let table: &[(&str, Option<&[&str]>)] = &[
            ("()", Some(&[])),
            (" ( a |b )| \"c)\"\"(\" (d (e)) ) ", Some(&["a", "|b )|", "\"c)\"\"(\"", "(d (e))"])),
            (
                "(3a <1*x^2 + (-2), (5/4, 3/2)>)",
                Some(&["3a", "<1*x^2", "+", "(-2)", ",", "(5/4, 3/2)", ">"]),
            ),
            ("; )\n(a ; )\n b)", Some(&["a", "b"])),
            ("(a", None),
            ("(a))", None),
            ("(a) b", None),
            ("a", None),
            ("", None),
            ("(\"a)", None),
            ("(é (ü))", Some(&["é", "(ü)"])),
        ];
        for (text, expected) in table {
            assert_eq!(only_group(text).as_deref(), *expected, "{text}");
        }
    }
}
