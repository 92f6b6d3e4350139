//! Which versions of a tool show a finding, as `assay bisect --json` tells it.

use serde::{Deserialize, Serialize};

/// A finding over the versions of its target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Timeline {
    /// One trial for each version, the oldest first.
    pub trials: Vec<Trial>,
    /// When it was introduced and fixed, in one sentence.
    pub story: String,
}

/// What a version made of the case.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Trial {
    /// The version.
    pub version: String,
    /// What that is: `wrong`, `right`, `unknown`, `timeout`, `rejected`, `skipped`, `unstable`.
    pub reading: String,
    /// What it said.
    #[serde(default)]
    pub detail: String,
}

/// What is no timeline.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {source} (expected what `assay bisect --json` prints)")]
pub struct TimelineError {
    line: usize,
    source: serde_json::Error,
}

/// A line of the records.
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
    /// Reads what `assay bisect --json` prints.
    ///
    /// # Errors
    /// Where it is something else.
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
