//! Numbers, times and untrusted text in readable form.

use assay_target::shell_word;
use std::time::Duration;

/// A count with separators: `10,000`.
pub(crate) fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun: `1 case`, `2,000 cases`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(count))
}

/// A time in few characters: `8 ms`, `1.25 s`, `3 min 5 s`, `2 h 10 min`.
pub(crate) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let whole = duration.as_secs();
    if seconds < 0.000_5 {
        "0 ms".to_owned()
    } else if seconds < 0.999_5 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 60.0 {
        format!("{} s", trimmed(seconds))
    } else if whole < 3600 {
        format!("{} min {} s", whole / 60, whole % 60)
    } else {
        format!("{} h {} min", whole / 3600, whole / 60 % 60)
    }
}

fn trimmed(seconds: f64) -> String {
    let text = format!("{seconds:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A word quoted for a shell.
pub(crate) fn shell(word: &str) -> String {
    shell_word(word).into_owned()
}

/// A text on one line, truncated to this width.
pub(crate) fn excerpt(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Capitalizes the first letter of a sentence.
pub(crate) fn capital(words: &str) -> String {
    let mut rest = words.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            (counted(1, "case"), counted(1000, "case")),
            ("1 case".into(), "1,000 cases".into())
        );
        let time = |micros| time(Duration::from_micros(micros));
        assert_eq!([0, 8_400, 999_600, 1_250_000].map(time), ["0 ms", "8 ms", "1 s", "1.25 s"]);
        assert_eq!([185_000_000, 7_800_000_000].map(time), ["3 min 5 s", "2 h 10 min"]);
    }

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(shell("z3@4.8.0:z3str3"), "z3@4.8.0:z3str3");
        assert_eq!(shell("it's; rm"), r"'it'\''s; rm'");
        assert_eq!(shell(""), "''");
    }

    #[test]
    fn words_are_shortened() {
        assert_eq!(capital("éa"), "Éa");
        assert_eq!(excerpt(" a\n  b c", 3), "a b…");
    }
}
