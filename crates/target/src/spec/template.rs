//! Arguments and lines with gaps: `smt.random_seed={seed}`.

use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

/// A text with named gaps. The whole text is left out if a gap has no value.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Template(String);

/// The values of gaps, if known.
#[derive(Clone, Copy, Default, Debug)]
pub struct Gaps<'g> {
    /// `{seed}`: the seed of the tool's own random numbers.
    pub seed: Option<u64>,
    /// `{timeout-ms}` and `{timeout-s}` (rounded up), for each question.
    pub timeout: Option<Duration>,
    /// `{memory-mb}`.
    pub memory_mb: Option<u64>,
    /// `{effort}`: a limit of steps in the tool's own count, for each question. Unlike time, it
    /// ends the same question at the same point every time.
    pub effort: Option<u64>,
    /// `{file}`: the input.
    pub file: Option<&'g Path>,
    /// `{marker}`: a word for the tool to echo.
    pub marker: Option<&'g str>,
    /// `{value}` of an option.
    pub value: Option<&'g str>,
}

/// The names of all gaps.
const GAPS: [&str; 8] =
    ["seed", "timeout-ms", "timeout-s", "memory-mb", "effort", "file", "marker", "value"];

impl Gaps<'_> {
    fn value(&self, gap: &str) -> Option<String> {
        match gap {
            "seed" => self.seed.map(|seed| seed.to_string()),
            "timeout-ms" => self.timeout.map(|time| time.as_millis().to_string()),
            "timeout-s" => self.timeout.map(|time| time.as_secs_f64().ceil().to_string()),
            "memory-mb" => self.memory_mb.map(|size| size.to_string()),
            "effort" => self.effort.map(|steps| steps.to_string()),
            "file" => self.file.map(|file| file.display().to_string()),
            "marker" => self.marker.map(str::to_owned),
            "value" => self.value.map(str::to_owned),
            _ => None,
        }
    }
}

impl Template {
    /// The text with its gaps filled; `None` if one has no value.
    #[must_use]
    pub fn fill(&self, gaps: &Gaps<'_>) -> Option<String> {
        let mut filled = String::new();
        let mut rest = self.0.as_str();
        while let Some((before, gap, after)) = next_gap(rest) {
            filled.push_str(before);
            filled.push_str(&gaps.value(gap)?);
            rest = after;
        }
        filled.push_str(rest);
        Some(filled)
    }

    /// As written, with its gaps.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the gap with this name occurs.
    #[must_use]
    pub fn has(&self, gap: &str) -> bool {
        self.0.contains(&format!("{{{gap}}}"))
    }
}

fn next_gap(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (gap, after) = rest.split_once('}')?;
    Some((before, gap, after))
}

/// A template that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TemplateError {
    /// An unknown gap.
    #[error("unknown gap `{{{0}}}`; expected one of {{{all}}}", all = GAPS.join("}, {"))]
    UnknownGap(String),
    /// An unmatched brace.
    #[error("`{0}` has a brace without its partner")]
    Unbalanced(String),
}

impl TryFrom<String> for Template {
    type Error = TemplateError;

    fn try_from(text: String) -> Result<Template, TemplateError> {
        let mut rest = text.as_str();
        while let Some((before, gap, after)) = next_gap(rest) {
            if before.contains('}') {
                return Err(TemplateError::Unbalanced(text));
            }
            if !GAPS.contains(&gap) {
                return Err(TemplateError::UnknownGap(gap.to_owned()));
            }
            rest = after;
        }
        if rest.contains(['{', '}']) {
            Err(TemplateError::Unbalanced(text))
        } else {
            Ok(Template(text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(text: &str) -> Result<Template, TemplateError> {
        Template::try_from(text.to_owned())
    }

    #[test]
    fn text_with_an_unfilled_gap_is_left_out() {
        let gaps =
            Gaps { seed: Some(7), timeout: Some(Duration::from_millis(1500)), ..Gaps::default() };
        let table = [
            ("-in", Some("-in")),
            ("a={seed}", Some("a=7")),
            ("{seed}{seed}", Some("77")),
            ("-T:{timeout-s}", Some("-T:2")),
            ("-t:{timeout-ms}", Some("-t:1500")),
            ("-memory:{memory-mb}", None),
            ("{file}", None),
        ];
        for (text, expected) in table {
            let filled = template(text).expect("it is a template").fill(&gaps);
            assert_eq!(filled.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn unknown_gaps_are_refused() {
        let error = template("{sede}").expect_err("there is no such gap").to_string();
        assert!(error.contains("{sede}") && error.contains("{seed}, "), "{error}");
        for text in ["{", "}", "a{seed", "seed}", "{seed}}"] {
            assert!(matches!(template(text), Err(TemplateError::Unbalanced(_))), "{text}");
        }
    }
}
