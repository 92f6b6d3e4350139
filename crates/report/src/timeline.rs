//! The versions of a tool that show a finding, as printed by `assay bisect --json`.

use serde::{Deserialize, Serialize};

/// A finding across the versions of its target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Timeline {
    /// One trial for each version, the oldest first.
    pub trials: Vec<Trial>,
    /// The versions that introduced and fixed it, in one sentence.
    pub story: String,
}

/// A version's result on the case.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Trial {
    /// The version.
    pub version: String,
    /// The result: `wrong`, `right`, `unknown`, `timeout`, `rejected`, `skipped` or `unstable`.
    pub reading: String,
    /// The version's answer.
    #[serde(default)]
    pub detail: String,
}

/// A record that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {source} (expected what `assay bisect --json` prints)")]
pub struct TimelineError {
    line: usize,
    source: serde_json::Error,
}

/// A line of the output.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Summary { summary: Summary },
    Trial(Trial),
}

#[derive(Deserialize)]
struct Summary {
    story: String,
}

impl Timeline {
    /// Reads the output of `assay bisect --json`.
    ///
    /// # Errors
    /// Fails on any other text.
    pub fn read(text: &str) -> Result<Timeline, TimelineError> {
        let mut timeline = Timeline { trials: Vec::new(), story: String::new() };
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let read = serde_json::from_str(line);
            match read.map_err(|source| TimelineError { line: at + 1, source })? {
                Line::Trial(trial) => timeline.trials.push(trial),
                Line::Summary { summary } => timeline.story = summary.story,
            }
        }
        Ok(timeline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let text = r#"
{"target":"z3","version":"4.8.7","reading":"right","kind":null,"detail":"sat","seconds":0.1,"runs":3}
{"target":"z3","version":"4.8.8","reading":"wrong","kind":"wrong-unsat","detail":"no","seconds":0.1,"runs":3}
{"summary":{"target":"z3","changes":[],"story":"introduced in 4.8.8 (4.8.7 right)"}}
"#;
        let timeline = Timeline::read(text).expect("a timeline");
        let readings: Vec<&str> = timeline.trials.iter().map(|t| t.reading.as_str()).collect();
        assert_eq!(readings, ["right", "wrong"]);
        assert_eq!(timeline.story, "introduced in 4.8.8 (4.8.7 right)");
        let error = Timeline::read("\n{}\n").expect_err("no timeline").to_string();
        assert!(error.starts_with("line 2: "), "{error}");
    }
}
