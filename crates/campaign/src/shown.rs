//! Output of tools and names of files are untrusted data. Here they become text that cannot move
//! the cursor, change colors or reorder characters, wherever it is shown.

/// Escapes everything that a terminal or page would obey, except line breaks and tabs.
///
/// Escapes have JSON's form (`\u001b`), so that texts in JSON keep their meaning.
#[must_use]
pub fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => {}
            c if has_effect(c) => {
                let mut units = [0; 2];
                let units = c.encode_utf16(&mut units);
                units.iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether a character has an effect instead of a glyph: controls, direction marks, other line
/// breaks, and characters that XML lacks.
fn has_effect(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control() || u32::from(c) & 0xfffe == 0xfffe,
    }
}

/// The part of a text that fits on a line.
#[must_use]
pub fn shortened(text: &str) -> String {
    const WIDTH: usize = 100;
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(shown("a\tb\r\nc\rd"), "a\tb\nc\\u000dd");
        assert_eq!(
            shown("\u{1b}[31m\u{7}\u{8}\u{0}\u{9b}"),
            "\\u001b[31m\\u0007\\u0008\\u0000\\u009b"
        );
        assert_eq!(
            shown("\u{202e}\u{2066}\u{ffff}\u{e0001}"),
            "\\u202e\\u2066\\uffff\\udb40\\udc01"
        );
        assert_eq!(shown("é 広い 😀 \\u"), "é 広い 😀 \\u");
    }

    #[test]
    fn escaped_json_keeps_its_meaning() {
        let text = "a\u{202e}\u{7f}\u{e0001}\\u001b\u{1b}\n";
        let json = serde_json::to_string(text).expect("text");
        let back: String = serde_json::from_str(&shown(&json)).expect("still JSON");
        assert_eq!(back, text);
    }
}
