//! Values that are recorded as written in a flag, for `#[serde(with = "text")]`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use std::fmt::Display;
use std::str::FromStr;

pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

pub(crate) fn deserialize<'d, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'d>,
{
    String::deserialize(from)?.parse().map_err(Error::custom)
}

/// The same for optional values.
pub(crate) mod optional {
    use super::{Deserialize, Deserializer, Display, Error, FromStr, Serializer};

    pub(crate) fn serialize<T, S>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error>
    where
        T: Display,
        S: Serializer,
    {
        match value {
            Some(value) => to.collect_str(value),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'d, T, D>(from: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'d>,
    {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(Error::custom)).transpose()
    }
}
