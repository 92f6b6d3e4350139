//! Converts string literals printed by z3 up to 4.8.8 to the standard's escapes.

use std::fmt::Write;

/// The text with every string literal in the escapes of SMT-LIB 2.6; the error is an unknown
/// escape.
pub fn standard(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut inside = false;
    while let Some(c) = characters.next() {
        match c {
            // A doubled quote leaves the literal and enters it again.
            '"' => {
                inside = !inside;
                out.push(c);
            }
            '\\' if inside => {
                let code = escaped(&mut characters)?;
                let _ = write!(out, "\\u{{{code:x}}}");
            }
            _ => out.push(c),
        }
    }
    Ok(out)
}

/// The character after a backslash.
fn escaped(rest: &mut impl Iterator<Item = char>) -> Result<u32, String> {
    let code = match rest.next() {
        Some('\\') => '\\',
        Some('a') => '\u{7}',
        Some('b') => '\u{8}',
        Some('t') => '\t',
        Some('n') => '\n',
        Some('v') => '\u{b}',
        Some('f') => '\u{c}',
        Some('r') => '\r',
        Some('x') => {
            let digits: String = rest.take(2).collect();
            return u32::from_str_radix(&digits, 16).map_err(|_| format!("\\x{digits}"));
        }
        other => return Err(format!("\\{}", other.map_or(String::new(), String::from))),
    };
    Ok(u32::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_escapes_become_those_of_the_standard() {
        let table = [
            (r#"(str.++ s "a\x00\n""\\b")"#, Ok(r#"(str.++ s "a\u{0}\u{a}""\u{5c}b")"#)),
            (r#"(f |a\b| "c")"#, Ok(r#"(f |a\b| "c")"#)),
            (r#""\xff""#, Ok(r#""\u{ff}""#)),
            (r#""\q""#, Err(r"\q")),
            (r#""\xg0""#, Err(r"\xg0")),
        ];
        for (old, expected) in table {
            let got = standard(old);
            assert_eq!(got.as_deref().map_err(String::as_str), expected, "{old}");
        }
    }
}
