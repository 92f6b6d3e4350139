//! How an analyzer of C programs is asked, and how its answers read.

use serde::Deserialize;

/// What an analyzer is given and what it says.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Analyzer {
    /// The body of `reach_error`, without its braces.
    pub error: String,
    /// Declarations that this needs, before everything else.
    #[serde(default)]
    pub declares: String,
    /// Words of C that it does not read: a program with one of them is not given to it.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// Whether it takes floating-point numbers for what IEEE 754 says: rounded to nearest, with NaN,
    /// infinities and two zeros. Without, programs with `float` or `double` are not given to it.
    #[serde(default)]
    pub floats: bool,
    /// Whether it is run only if it is right about two small programs. Without, wrong words in this file
    /// give false findings.
    #[serde(default = "yes")]
    pub self_test: bool,
    /// What all functions but `main` and what is only declared begin with.
    #[serde(default)]
    pub prefix: String,
    /// Words of an answer that says that the error is reached.
    pub alarm: Vec<String>,
    /// Words of an answer that says that it is not; looked for where there is no alarm.
    pub clear: Vec<String>,
    /// Words of an answer that says that nothing is known.
    #[serde(default)]
    pub unknown: Vec<String>,
    /// Words of a refusal of the program.
    #[serde(default)]
    pub refusal: Vec<String>,
    /// Words by which it says that it cannot do a program justice: that it was run counts for nothing.
    #[serde(default)]
    pub unsupported: Vec<String>,
    /// Words of a failure inside the tool.
    #[serde(default)]
    pub failure: Vec<String>,
    /// What the last line ends with, where words anywhere else mean nothing.
    #[serde(default)]
    pub at_end: bool,
}

/// What an analyzer claims.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// It misses nothing: an error that it does not report cannot be reached.
    Sound,
    /// It reports nothing else: an error that it reports can be reached.
    Precise,
    /// It looks at runs up to a bound: what it does not report may still be reached.
    Bounded,
}

impl Analyzer {
    /// Words of C that it does not read.
    pub(crate) fn unread(&self) -> Vec<String> {
        let floats = ["float", "double"].into_iter().filter(|_| !self.floats);
        self.lacks.iter().cloned().chain(floats.map(str::to_owned)).collect()
    }
}

fn yes() -> bool {
    true
}
