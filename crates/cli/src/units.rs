//! Durations and sizes as flags take them.

use assay_campaign::units::{Size, Time};
use std::time::Duration;

pub(crate) use assay_campaign::units::{in_words, positive};

/// Reads a duration.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    text.parse().map(|Time(duration)| duration)
}

/// Reads a size in bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    text.parse().map(|Size(bytes)| bytes)
}
