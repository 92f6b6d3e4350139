//! What a solver counted while it worked, read from its own statistics.
//!
//! A feature is a counter with the magnitude of its value, such as `conflicts 3` for four to seven conflicts:
//! two formulas that have the same features made the solver do much the same.

use std::time::Duration;

/// Counters of time and memory differ from run to run.
const UNSTEADY: [&str; 5] = ["time", "memory", "mem-usage", "alloc", "rlimit"];

/// Statistics may take this percentage of the time that answers take.
const SHARE: u32 = 2;

/// Whether statistics are asked for, so rarely that it hardly takes time.
#[derive(Default)]
pub(crate) struct Sampling {
    is_on: bool,
    answers: Duration,
    asked: Duration,
}

impl Sampling {
    pub(crate) fn begin(&mut self) {
        self.is_on = true;
    }

    /// Whether it is time to ask, after an answer that took so long.
    pub(crate) fn is_due(&mut self, answer: Duration) -> bool {
        self.answers += answer;
        self.is_on && self.asked * 100 <= self.answers * SHARE
    }

    /// Takes note of what asking took.
    pub(crate) fn took(&mut self, time: Duration) {
        self.asked += time;
    }
}

/// The features in the text that solvers print: `:name 3`, `("name" 3)` or `("name" { this: 1, that: 2 })`.
pub(crate) fn features(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find([':', '"']) {
        let is_quoted = rest.as_bytes()[at] == b'"';
        rest = &rest[at + 1..];
        let ends = |c: char| if is_quoted { c == '"' } else { c.is_whitespace() || c == ')' };
        let Some(end) = rest.find(ends) else { break };
        let name = &rest[..end];
        rest = rest[end..].trim_start_matches('"').trim_start();
        if let Some(many) = rest.strip_prefix('{') {
            let Some(end) = many.find('}') else { break };
            for one in many[..end].split(',') {
                if let Some((key, value)) = one.rsplit_once(':') {
                    found.extend(feature(&format!("{name} {}", key.trim()), value));
                }
            }
            rest = &many[end..];
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c == ')').unwrap_or(rest.len());
            found.extend(feature(name, &rest[..end]));
        }
    }
    found
}

/// A counter with its magnitude; nothing if it is zero or no counter.
fn feature(name: &str, value: &str) -> Option<String> {
    let value: f64 = value.trim().parse().ok()?;
    let lower = name.to_ascii_lowercase();
    let is_steady = !UNSTEADY.iter().any(|word| lower.contains(word));
    let counts = value.is_finite() && value > 0.0 && is_steady;
    counts.then(|| format!("{name} {}", value.log2().floor() as i64 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistics_of_several_solvers_are_read() {
        let z3 = "(:added-eqs      117\n :conflicts 1\n :max-memory 3.42\n :time   0.02)\n";
        assert_eq!(features(z3), ["added-eqs 7", "conflicts 1"]);
        let cvc5 = "(:all-statistics ((\"a::merges\" 20) (\"a::zero\" 0) (\"t\" 0ms) \
                    (\"cvc5::TERM\" { ADD: 1, integer type: 9 }) (\"cvc5::VARIABLE\" {  }) (\"driver::filename\" x)))";
        let read = ["a::merges 5", "cvc5::TERM ADD 1", "cvc5::TERM integer type 4"];
        assert_eq!(features(cvc5), read);
        let yices = "(\n :num-terms 10\n :total-run-time 0.001\n :mem-usage 4.660\n :atoms 2\n)";
        assert_eq!(features(yices), ["num-terms 4", "atoms 2"]);
        for broken in ["", ":", "\"", "(:a", "(\"a\" {", "(error \"no\")", ":é \"ü"] {
            assert_eq!(features(broken), [""; 0], "{broken}");
        }
    }

    #[test]
    fn asking_takes_a_small_part_of_the_time() {
        let milli = Duration::from_millis(1);
        let mut sampling = Sampling::default();
        assert!(!sampling.is_due(milli), "nobody wants it");
        sampling.begin();
        let mut asked = 0;
        for _ in 0..10_000 {
            if sampling.is_due(milli) {
                sampling.took(milli);
                asked += 1;
            }
        }
        assert!((150..=202).contains(&asked), "{asked}");
    }
}
