//! Texts with bytes that are not UTF-8, as old files have them in comments, strings and symbols. Each
//! byte that is not part of a character is represented by a character from a private-use range of
//! Unicode, and becomes that byte again when the text is written.

use std::borrow::Cow;

/// The character of byte 0x80; those of the other bytes follow.
const FIRST: u32 = 0x10_F780;
const LAST: u32 = FIRST + 0x7F;

/// The bytes as text.
#[must_use]
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 4);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| character(byte)));
    }
    Cow::Owned(text)
}

/// The bytes that a text from [`text_of`] represents.
#[must_use]
pub fn bytes_of(text: &str) -> Cow<'_, [u8]> {
    if !text.contains(|c| byte(c).is_some()) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

fn character(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte) - 0x80).expect("a character of a private-use plane")
}

/// The byte that a character represents.
pub(crate) fn byte(c: char) -> Option<u8> {
    match u32::from(c) {
        code @ FIRST..=LAST => Some((code - FIRST + 0x80) as u8),
        _ => None,
    }
}

/// The byte offset that corresponds to an offset in a text from [`text_of`].
pub(crate) fn offset_of(text: &str, offset: usize) -> usize {
    let strange = text[..offset].chars().filter(|&c| byte(c).is_some()).count();
    offset - 3 * strange
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_round_trips() {
        let mixed: Vec<u8> = (0..=255).chain("é \u{10FFFF}".bytes()).chain([0xC3]).collect();
        for bytes in [&mixed[..], b"", b"plain", "caf\u{e9}".as_bytes(), b"caf\xe9|\xff\x80"] {
            assert_eq!(&*bytes_of(&text_of(bytes)), bytes);
        }
        for byte in 0..=255 {
            assert_eq!(&*bytes_of(&text_of(&[byte])), [byte]);
        }
    }

    #[test]
    fn a_text_is_read_again_as_itself() {
        let text = text_of(b"a\xe9b\xc3").into_owned();
        assert_eq!(text_of(text.as_bytes()), text);
        assert_eq!(offset_of(&text, text.len()), 4);
    }
}
