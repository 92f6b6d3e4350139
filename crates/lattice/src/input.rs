//! The bytes of a case as text, as findings store them and workers receive them.

use serde::{Deserialize, Serialize};
use std::fmt::{Display, Formatter};

/// The bytes of an input; its text is hexadecimal.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Input(pub Vec<u8>);

impl Display for Input {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl From<Input> for String {
    fn from(input: Input) -> String {
        input.to_string()
    }
}

impl TryFrom<String> for Input {
    type Error = String;

    fn try_from(text: String) -> Result<Input, String> {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let byte = |pair: &[u8]| match *pair {
            [high, low] => Some(digit(high)? * 16 + digit(low)?),
            _ => None,
        };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
        bytes.map(Input).ok_or_else(|| format!("`{text}` is not a sequence of hexadecimal bytes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_round_trip_as_text() {
        for bytes in [vec![], vec![0, 255, 16, 1]] {
            let text = Input(bytes.clone()).to_string();
            assert_eq!(Input::try_from(text), Ok(Input(bytes)));
        }
        assert_eq!(Input(vec![10, 255]).to_string(), "0aff");
        for bad in ["0", "0g", "+1", "é"] {
            assert!(Input::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
