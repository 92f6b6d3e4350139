//! Durations and sizes: as flags take them, and as people read them.

use assay_campaign::units::{Size, Time};
use std::time::Duration;

pub(crate) use assay_campaign::units::positive;

/// Reads a duration.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    text.parse().map(|Time(duration)| duration)
}

/// Reads a size in bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    text.parse().map(|Size(bytes)| bytes)
}

/// A duration in few words: `850 ms`, `12.3 s`, `4 min 5 s`, `2 h 3 min`.
pub(crate) fn in_words(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let whole = duration.as_secs();
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else if whole < 3600 {
        format!("{} min {} s", whole / 60, whole % 60)
    } else {
        format!("{} h {} min", whole / 3600, whole / 60 % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let words = |millis| in_words(Duration::from_millis(millis));
        assert_eq!(words(850), "850 ms");
        assert_eq!(words(12_345), "12.3 s");
        assert_eq!(words(245_000), "4 min 5 s");
        assert_eq!(words(7_380_000), "2 h 3 min");
    }
}
