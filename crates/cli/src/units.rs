//! Durations and sizes as people write them: `15s`, `500ms`, `10m`, `2GiB`.

use std::str::FromStr;
use std::time::Duration;

/// Reads a duration.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("", 1.0)];
    let seconds = scaled(text, &units).filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "expected a time such as 15s, 500ms, 10m or 2h".to_owned())
}

/// Reads a number of things of which there must be one.
pub(crate) fn positive<N: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<N, String> {
    let number = text.parse::<N>().ok().filter(|number| *number >= N::from(1));
    number.ok_or_else(|| "expected a whole number, 1 or more".to_owned())
}

/// Reads a size in bytes.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let (kib, kb) = (1024.0, 1000.0);
    let units = [
        ("KiB", kib),
        ("MiB", kib * kib),
        ("GiB", kib * kib * kib),
        ("kB", kb),
        ("MB", kb * kb),
        ("GB", kb * kb * kb),
        ("B", 1.0),
        ("", 1.0),
    ];
    let bytes = scaled(text, &units).filter(|bytes| *bytes >= 1.0 && *bytes < 1e18);
    // Sizes of this magnitude are exact enough.
    bytes
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "expected a size such as 2GiB or 512MiB".to_owned())
}

fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = units.iter().find(|(name, _)| *name == unit.trim())?.1;
    let value: f64 = number.parse().ok()?;
    Some(value * factor)
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
    fn durations() {
        for (text, millis) in
            [("15s", 15_000), ("500ms", 500), ("1.5m", 90_000), ("2 h", 7_200_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        for text in ["", "s", "-1s", "0s", "5 days", "1e9s", "1.2.3s", "ms5"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!((positive::<u64>("1"), positive::<usize>("300")), (Ok(1), Ok(300)));
        for text in ["0", "", "-1", "1.5", "many", "99999999999999999999999"] {
            assert!(positive::<u32>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("512 MiB"), Ok(512 << 20));
        assert_eq!(size("1.5kB"), Ok(1500));
        assert_eq!(size("77"), Ok(77));
        for text in ["", "GiB", "2 gigs", "-1B", "0", "99999999999GB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn words() {
        let words = |millis| in_words(Duration::from_millis(millis));
        assert_eq!(words(850), "850 ms");
        assert_eq!(words(12_345), "12.3 s");
        assert_eq!(words(245_000), "4 min 5 s");
        assert_eq!(words(7_380_000), "2 h 3 min");
    }
}
