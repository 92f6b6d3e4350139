//! Times and sizes as people write them: `15s`, `500ms`, `10m`, `2GiB`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A time limit, written as `15s`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Time(pub Duration);

/// A number of bytes, written as `2GiB`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Size(pub u64);

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Time, String> {
        let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("", 1.0)];
        let seconds = scaled(text, &units).filter(|seconds| *seconds > 0.0);
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        time.map(Time).ok_or_else(|| "expected a time such as 15s, 500ms, 10m or 2h".to_owned())
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        let second = 1_000_000_000;
        let units = [(3600 * second, "h"), (60 * second, "m"), (second, "s"), (1_000_000, "ms")];
        match units.iter().find(|(unit, _)| nanos % unit == 0) {
            Some((unit, name)) => write!(f, "{}{name}", nanos / unit),
            None => write!(f, "{}ms", self.0.as_secs_f64() * 1000.0),
        }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
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
            .map(|bytes| Size(bytes as u64))
            .ok_or_else(|| "expected a size such as 2GiB or 512MiB".to_owned())
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0;
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        match units.iter().find(|(shift, _)| bytes > 0 && bytes % (1 << shift) == 0) {
            Some((shift, unit)) => write!(f, "{}{unit}", bytes >> shift),
            None => write!(f, "{bytes}B"),
        }
    }
}

fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = units.iter().find(|(name, _)| *name == unit.trim())?.1;
    let value: f64 = number.parse().ok()?;
    Some(value * factor)
}

/// Reads a count that must be at least one.
///
/// # Errors
/// Fails if it is less than one.
pub fn positive<N: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<N, String> {
    let number = text.parse::<N>().ok().filter(|number| *number >= N::from(1));
    number.ok_or_else(|| "expected a whole number, 1 or more".to_owned())
}

/// A duration in few words: `850 ms`, `12.3 s`, `4 min 5 s`, `2 h 3 min`.
#[must_use]
pub fn in_words(duration: Duration) -> String {
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

/// A count with its noun: `1 case`, `20 cases`.
pub fn counted<N: fmt::Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let cases = [("15s", 15_000), ("500ms", 500), ("1.5m", 90_000), ("2 h", 7_200_000)];
        for (text, millis) in cases {
            assert_eq!(text.parse(), Ok(Time(Duration::from_millis(millis))), "{text}");
        }
        assert_eq!("7".parse(), Ok(Time(Duration::from_secs(7))));
        for text in ["", "s", "-1s", "0s", "5 days", "1e9s", "1.2.3s", "ms5"] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
        for text in ["15s", "500ms", "10m", "2h", "1500ms", "0.25ms", "90s", "1001ms"] {
            assert_eq!(text.parse().map(|time: Time| time.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn sizes() {
        assert_eq!("2GiB".parse(), Ok(Size(2 << 30)));
        assert_eq!("512 MiB".parse(), Ok(Size(512 << 20)));
        assert_eq!("1.5kB".parse(), Ok(Size(1500)));
        assert_eq!("77".parse(), Ok(Size(77)));
        for text in ["", "GiB", "2 gigs", "-1B", "0", "99999999999GB"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
        for text in ["2GiB", "3MiB", "5B", "1KiB"] {
            assert_eq!(text.parse().map(|size: Size| size.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn counts() {
        assert_eq!((positive::<u64>("1"), positive::<u32>("300")), (Ok(1), Ok(300)));
        for text in ["0", "", "-1", "1.5", "many", "99999999999999999999999"] {
            assert!(positive::<u32>(text).is_err(), "{text}");
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
