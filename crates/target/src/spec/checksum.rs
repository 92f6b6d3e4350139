//! A SHA-256 checksum in a target's file.

use serde::Deserialize;

/// A SHA-256: sixty-four hexadecimal digits, in lower case.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Checksum(String);

impl Checksum {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Checksum {
    type Error = String;

    fn try_from(text: String) -> Result<Checksum, String> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        match text.len() == 64 && text.bytes().all(digit) {
            true => Ok(Checksum(text)),
            false => Err(format!("`{text}` is not a SHA-256 (64 digits, 0 to 9 and a to f)")),
        }
    }
}
