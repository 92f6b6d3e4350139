//! How to ask an analyzer of C programs, and how to read its answers.

use serde::Deserialize;

/// An analyzer's dialect and output.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Analyzer {
    /// The body of `reach_error`, without its braces.
    pub error: String,
    /// Declarations that the body needs, placed before everything else.
    #[serde(default)]
    pub declares: String,
    /// Words of C that it does not support: a program with one of them is not given to it.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// Whether it takes floating-point numbers for what IEEE 754 says: rounded in the current mode, with NaN,
    /// infinities and two zeros. Without, programs with `float` or `double` are not given to it.
    #[serde(default)]
    pub floats: bool,
    /// Whether it follows `fesetround`. Without, programs that set the rounding mode are not given to it.
    #[serde(default)]
    pub rounding: bool,
    /// Whether it must first be right about two small programs. Without that test, wrong words in
    /// this file give false findings.
    #[serde(default = "yes")]
    pub self_test: bool,
    /// A prefix for all functions except `main` and functions that are only declared.
    #[serde(default)]
    pub prefix: String,
    /// Words of the answer that the error is reachable.
    pub alarm: Vec<String>,
    /// Words of the answer that the error is unreachable; checked if there is no alarm.
    pub clear: Vec<String>,
    /// Words of the answer unknown.
    #[serde(default)]
    pub unknown: Vec<String>,
    /// Words of the answer that the program is rejected.
    #[serde(default)]
    pub refusal: Vec<String>,
    /// Words of the answer that a program is not fully supported, which then counts as not run.
    #[serde(default)]
    pub unsupported: Vec<String>,
    /// Words of an internal failure of the tool.
    #[serde(default)]
    pub failure: Vec<String>,
    /// The end of the last line, if words elsewhere have no meaning.
    #[serde(default)]
    pub at_end: bool,
}

/// What an analyzer or a solver claims.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// It misses nothing: an error that it does not report is unreachable; a formula that it calls
    /// unsatisfiable has no model.
    Sound,
    /// It raises no false alarms: an error that it reports is reachable; a formula that it calls
    /// satisfiable has a model.
    Precise,
    /// It explores runs up to a bound: an error that it does not report may still be reachable.
    Bounded,
}

impl Analyzer {
    /// Words of C that it does not read.
    pub(crate) fn unread(&self) -> Vec<String> {
        let floats = ["float", "double"].into_iter().filter(|_| !self.floats);
        let rounding = ["fesetround"].into_iter().filter(|_| !self.rounding);
        self.lacks.iter().cloned().chain(floats.chain(rounding).map(str::to_owned)).collect()
    }
}

fn yes() -> bool {
    true
}
