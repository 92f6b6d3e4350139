//! What a campaign is, and whether two are the same one.

use assay_case::{Kind, Shard};
use assay_target::shell_word;

/// What a campaign is: enough to go on with it, and to make any of its cases again.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Header {
    /// The version of assay that made it.
    pub assay: String,
    /// The suite.
    pub suite: String,
    /// The arguments that decide which cases there are, as on the command line.
    pub arguments: Vec<String>,
    /// Everything in the suite's configuration that came from a file.
    pub configuration: Option<String>,
    /// The time limit of a case, in milliseconds.
    pub timeout_ms: u64,
    /// The memory limit of a case, in bytes.
    pub memory: Option<u64>,
    /// Whether the targets' options vary from case to case.
    #[serde(default)]
    pub fuzz_options: bool,
    /// The flags that say where targets are described and how they are confined, as words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_flags: Vec<String>,
}

/// The flag that makes a part of a campaign.
const SHARD: &str = "--shard";

/// The flag that says how often programs are run.
const EXECUTIONS: &str = "--executions";

/// Flags with a value that choose among a suite's cases.
const CHOICES: [&str; 5] = ["--category", "--sample", "--each", "--limit", SHARD];

/// A command line that a shell reads back as these words.
#[must_use]
pub fn command_line(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// A time limit as a flag takes it: `1s`, `250ms`.
fn time_flag(millis: u64) -> String {
    if millis % 1000 == 0 { format!("{}s", millis / 1000) } else { format!("{millis}ms") }
}

/// A size as a flag takes it: `2GiB`.
#[must_use]
pub fn size_flag(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let exact = units.iter().find(|(shift, _)| bytes > 0 && bytes % (1 << shift) == 0);
    match exact {
        Some((shift, unit)) => format!("{}{unit}", bytes >> shift),
        None => format!("{bytes}B"),
    }
}

/// A setting in which two campaigns differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Difference {
    pub what: &'static str,
    pub was: String,
    pub now: String,
}

impl Difference {
    /// The difference between two texts, where there is one.
    pub(crate) fn between(what: &'static str, was: String, now: String) -> Option<Difference> {
        (was != now).then_some(Difference { what, was, now })
    }
}

impl Header {
    /// The kind of its subjects.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.suite.as_str() {
            "programs" => Kind::Program,
            "domains" => Kind::Trace,
            _ => Kind::Formula,
        }
    }

    /// Which part of a divided campaign it is; the whole where it is not divided.
    #[must_use]
    pub fn shard(&self) -> Shard {
        self.value(SHARD).unwrap_or(Shard::WHOLE)
    }

    /// On how many inputs each program was run that should not reach its error; none were run, also
    /// not on witnesses, where it is zero.
    #[must_use]
    pub fn executions(&self) -> u32 {
        self.value(EXECUTIONS).unwrap_or(0)
    }

    /// The value of a flag.
    fn value<T: std::str::FromStr>(&self, flag: &str) -> Option<T> {
        let at = self.arguments.iter().position(|word| word == flag)?;
        self.arguments.get(at + 1)?.parse().ok()
    }

    /// The undivided campaign that it is a part of.
    #[must_use]
    pub fn whole(&self) -> Header {
        let mut arguments = self.arguments.clone();
        if let Some(at) = arguments.iter().position(|word| word == SHARD) {
            arguments.drain(at..arguments.len().min(at + 2));
        }
        Header { arguments, ..self.clone() }
    }

    /// The command that runs it, on these targets.
    #[must_use]
    pub fn command<'t>(&self, targets: impl IntoIterator<Item = &'t str>) -> String {
        let mut words = vec!["assay".to_owned(), "run".into(), self.suite.clone()];
        words.extend(self.arguments.iter().cloned());
        for target in targets {
            words.extend(["--target".into(), target.to_owned()]);
        }
        words.extend(self.target_flags.iter().cloned());
        words.extend(["--timeout".into(), time_flag(self.timeout_ms)]);
        if let Some(memory) = self.memory {
            words.extend(["--memory".into(), size_flag(memory)]);
        }
        words.extend(self.fuzz_options.then(|| "--fuzz-options".to_owned()));
        command_line(&words)
    }

    /// The command that runs a finding of it again, by the finding's folder.
    #[must_use]
    pub fn replay(&self, folder: &str) -> String {
        let words = ["assay", "replay", folder].map(str::to_owned).into_iter();
        command_line(&words.chain(self.target_flags.iter().cloned()).collect::<Vec<_>>())
    }

    /// The suite with what decides how it numbers its cases, and without what merely chooses some.
    pub(crate) fn space(&self) -> String {
        // Mutants are drawn by number; cases by construction are only chosen by it.
        let drawn = self.arguments.iter().any(|word| word == "--mutants");
        let chooses = |word: &str| CHOICES.contains(&word) || !drawn && word == "--rng";
        let mut space = self.suite.clone();
        let mut words = self.arguments.iter();
        while let Some(word) = words.next() {
            if chooses(word) {
                words.next();
            } else {
                space.push(' ');
                space.push_str(word);
            }
        }
        space
    }

    /// In what another campaign has other cases.
    pub(crate) fn other_cases(&self, now: &Header) -> Option<Difference> {
        let text = |h: &Header| h.configuration.clone().unwrap_or_else(|| "none".into());
        let differs = Difference::between;
        differs("the version of assay", self.assay.clone(), now.assay.clone())
            .or_else(|| differs("the suite", self.suite.clone(), now.suite.clone()))
            .or_else(|| {
                let words = |h: &Header| h.arguments.join(" ");
                differs("the choice of cases", words(self), words(now))
            })
            .or_else(|| differs("the configuration", text(self), text(now)))
    }

    /// In what another campaign has other limits.
    pub(crate) fn other_limits(&self, now: &Header) -> Option<Difference> {
        let limits = |h: &Header| format!("{} ms, {:?} bytes", h.timeout_ms, h.memory);
        Difference::between("the limits", limits(self), limits(now))
    }

    /// In what another campaign is another one.
    pub(crate) fn difference(&self, now: &Header) -> Option<Difference> {
        let fuzzed = |h: &Header| h.fuzz_options.to_string();
        self.other_cases(now)
            .or_else(|| self.other_limits(now))
            .or_else(|| Difference::between("--fuzz-options", fuzzed(self), fuzzed(now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(arguments: &str) -> Header {
        Header {
            assay: "0".into(),
            suite: "numbers".into(),
            arguments: arguments.split_whitespace().map(Into::into).collect(),
            configuration: None,
            timeout_ms: 1000,
            memory: None,
            fuzz_options: false,
            target_flags: Vec::new(),
        }
    }

    #[test]
    fn limits_are_written_as_flags_take_them() {
        assert_eq!([1000, 250].map(time_flag), ["1s", "250ms"]);
        assert_eq!([2 << 30, 3 << 20, 5, 0].map(size_flag), ["2GiB", "3MiB", "5B", "0B"]);
    }

    #[test]
    fn it_knows_whether_programs_were_run() {
        assert_eq!(header("--cycles 0 --executions 2000").executions(), 2000);
        assert_eq!(header("--executions 0").executions(), 0);
        assert_eq!(header("--sample 9").executions(), 0);
    }

    #[test]
    fn parts_know_the_whole() {
        let part = header("--sample 9 --shard 2/8 --rng 0");
        assert_eq!(part.shard(), Shard { index: 1, of: 8 });
        assert_eq!(part.whole(), header("--sample 9 --rng 0"));
        assert_eq!(part.whole().shard(), Shard::WHOLE);
        assert_eq!(part.whole().whole(), part.whole());
    }

    #[test]
    fn the_space_of_cases_does_not_depend_on_which_are_chosen() {
        let chosen = header("--preset icse20 --category operation --sample 9 --rng 4 --shard 1/2");
        assert_eq!(chosen.space(), "numbers --preset icse20");
        let tour = header("--tour --rng 4 --each 3 --limit 5");
        assert_eq!(tour.space(), "numbers --tour");
        let mutants = header("--sample 9 --rng 4 --seeds dev --mutants 300");
        assert_eq!(mutants.space(), "numbers --rng 4 --seeds dev --mutants 300");
    }

    #[test]
    fn differences_are_named() {
        let one = header("--rng 0");
        assert_eq!(one.difference(&one.clone()), None);
        let what = |other: Header| one.difference(&other).map(|difference| difference.what);
        assert_eq!(what(header("--rng 1")), Some("the choice of cases"));
        assert_eq!(what(Header { suite: "words".into(), ..one.clone() }), Some("the suite"));
        assert_eq!(what(Header { memory: Some(1), ..one.clone() }), Some("the limits"));
        assert_eq!(what(Header { fuzz_options: true, ..one.clone() }), Some("--fuzz-options"));
        let configured = Header { configuration: Some("depth = 2".into()), ..one.clone() };
        assert_eq!(what(configured), Some("the configuration"));
    }
}
