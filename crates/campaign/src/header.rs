//! The description of a campaign: typed, versioned, and enough to run it again.

use crate::flags::{defaults, words};
use crate::settings::{
    CaseLimits, Choice, Constructed, Draw, Execution, Family, Search, Settings, TargetFlags,
};
use assay_case::{Kind, Selection, Shard};
use assay_target::shell_word;
use assay_target::spec::Level;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The description of a campaign: enough to resume it and to generate any of its cases again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "kebab-case", deny_unknown_fields)]
pub struct Header {
    /// The format of this record: [`Header::FORMAT`].
    pub format: u64,
    /// The version of assay that made it.
    pub assay: String,
    /// The suite's name.
    pub suite: String,
    /// The suite's settings.
    pub settings: Settings,
    /// The text of the configuration file named in the settings.
    pub configuration: Option<String>,
    /// Which of the suite's cases are run.
    pub choice: Choice,
    /// The source of the random choices.
    pub draw: Draw,
    /// The search time for each target, if time decides which cases there are.
    pub search: Option<Search>,
    /// The limits of a case.
    pub limits: CaseLimits,
    /// How targets are run.
    pub execution: Execution,
    /// The targets' descriptions and confinement.
    pub target_flags: TargetFlags,
}

/// Why a recorded header cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "this campaign was written by assay {assay} in format {format}, and assay {} reads format {}: \
     use assay {assay}, or run it again",
    env!("CARGO_PKG_VERSION"), Header::FORMAT
)]
struct OtherFormat {
    assay: String,
    format: u64,
}

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Header::serialize(self, to)
    }
}

impl<'d> Deserialize<'d> for Header {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Header, D::Error> {
        let value = Value::deserialize(from)?;
        check_format(&value).map_err(D::Error::custom)?;
        Header::deserialize(value).map_err(D::Error::custom)
    }
}

/// Refuses other formats before reading anything else.
fn check_format(header: &Value) -> Result<(), OtherFormat> {
    // The first format had no number.
    let format = header.get("format").map_or(Some(1), Value::as_u64).unwrap_or(0);
    if format == Header::FORMAT {
        return Ok(());
    }
    let assay = header.get("assay").and_then(Value::as_str).unwrap_or("(unknown)");
    Err(OtherFormat { assay: assay.to_owned(), format })
}

/// A shell command line of these words.
#[must_use]
pub fn command_line(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// A setting in which two campaigns differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Difference {
    pub what: &'static str,
    pub was: String,
    pub now: String,
}

impl Difference {
    /// The difference between two texts, if any.
    pub(crate) fn between(what: &'static str, was: String, now: String) -> Option<Difference> {
        (was != now).then_some(Difference { what, was, now })
    }
}

impl Header {
    /// The format that this version writes and reads. Format 1 recorded command-line words.
    pub const FORMAT: u64 = 2;

    /// A campaign over all cases of a suite, run in the default way by this version of assay.
    #[must_use]
    pub fn new(suite: &str, settings: Settings) -> Header {
        Header {
            format: Header::FORMAT,
            assay: env!("CARGO_PKG_VERSION").to_owned(),
            suite: suite.to_owned(),
            settings,
            configuration: None,
            choice: Choice::default(),
            draw: Draw::default(),
            search: None,
            limits: defaults(),
            execution: Execution::default(),
            target_flags: TargetFlags::default(),
        }
    }

    /// A campaign over constructed formulas, with the default settings.
    #[must_use]
    pub fn constructed(suite: &str) -> Header {
        Header::new(suite, Settings::Constructed(defaults::<Constructed>()))
    }

    /// The kind of subject that its suite makes.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.settings.kind()
    }

    /// Its shard; the whole campaign if it is not divided.
    #[must_use]
    pub fn shard(&self) -> Shard {
        self.choice.shard.unwrap_or(Shard::WHOLE)
    }

    /// The number of inputs on which each safe program is executed. If it is zero, programs are not
    /// executed on witnesses either.
    #[must_use]
    pub fn executions(&self) -> u32 {
        self.settings.common().executions()
    }

    /// The selection of the suite's cases.
    #[must_use]
    pub fn selection(&self) -> Selection {
        self.draw.selection(&self.choice)
    }

    /// The undivided campaign that it is part of.
    #[must_use]
    pub fn whole(&self) -> Header {
        let mut whole = self.clone();
        whole.choice.shard = None;
        whole
    }

    /// The flags that determine the cases; defaults are left out.
    #[must_use]
    pub fn case_words(&self) -> Vec<String> {
        let mut all = [self.settings.words(), words(&self.choice), words(&self.draw)].concat();
        all.extend(self.search.iter().flat_map(words));
        all
    }

    /// The arguments of `assay run` for this campaign on these targets; defaults are left out.
    #[must_use]
    pub fn run_words<'t>(&self, targets: impl IntoIterator<Item = &'t str>) -> Vec<String> {
        let mut all = vec![self.suite.clone()];
        // The earlier campaign has the suite's settings.
        all.extend(match self.choice.again {
            Some(_) => words(&self.choice),
            None => self.case_words(),
        });
        for target in targets {
            all.extend(["--target".into(), target.to_owned()]);
        }
        all.extend(words(&self.target_flags));
        all.extend(words(&self.limits));
        all.extend(words(&self.execution));
        all
    }

    /// The command that runs it, on these targets.
    #[must_use]
    pub fn command<'t>(&self, targets: impl IntoIterator<Item = &'t str>) -> String {
        let run = ["assay", "run"].map(str::to_owned).to_vec();
        command_line(&[run, self.run_words(targets)].concat())
    }

    /// The command that replays a finding in this folder.
    #[must_use]
    pub fn replay(&self, folder: &str) -> String {
        let replay = ["assay", "replay", folder].map(str::to_owned).to_vec();
        command_line(&[replay, words(&self.target_flags)].concat())
    }

    /// The suite with the settings that determine how it numbers its cases, without those that only
    /// select some.
    pub(crate) fn space(&self) -> String {
        let mut space = vec![self.suite.clone()];
        // Mutants are drawn by number; constructed cases are only selected by it.
        if self.settings.family() != Family::Constructed {
            space.extend(words(&self.draw));
        }
        space.extend(self.settings.words());
        space.join(" ")
    }

    /// The percentage of the time in which findings are reduced while it runs.
    #[must_use]
    pub fn reducing(&self) -> u8 {
        match self.execution {
            Execution { no_reduce: true, .. } => 0,
            Execution { reduce, .. } => reduce.unwrap_or_else(|| self.settings.common().reducing()),
        }
    }

    /// Whether it runs cases of an earlier campaign again.
    pub(crate) fn is_again(&self) -> bool {
        self.choice.again.is_some()
    }

    /// In what another campaign numbers its cases differently.
    pub(crate) fn other_space(&self, now: &Header) -> Option<Difference> {
        let text = |h: &Header| h.configuration.clone().unwrap_or_else(|| "none".into());
        let differs = Difference::between;
        differs("the version of assay", self.assay.clone(), now.assay.clone())
            .or_else(|| differs("the suite", self.space(), now.space()))
            .or_else(|| differs("the configuration", text(self), text(now)))
    }

    /// The first setting that gives the other campaign different cases.
    pub(crate) fn other_cases(&self, now: &Header) -> Option<Difference> {
        let text = |h: &Header| h.configuration.clone().unwrap_or_else(|| "none".into());
        let differs = Difference::between;
        let earlier = |h: &Header| match &h.choice.earlier {
            Some(source) => source.cases.clone(),
            None => "none".to_owned(),
        };
        differs("the version of assay", self.assay.clone(), now.assay.clone())
            .or_else(|| differs("the suite", self.suite.clone(), now.suite.clone()))
            .or_else(|| differs("the list of cases to run again", earlier(self), earlier(now)))
            .or_else(|| {
                let shown = |h: &Header| match h.case_words() {
                    none if none.is_empty() => "the default".to_owned(),
                    given => given.join(" "),
                };
                differs("the choice of cases", shown(self), shown(now))
            })
            .or_else(|| differs("the configuration", text(self), text(now)))
    }

    /// The first limit in which the other campaign differs.
    pub(crate) fn other_limits(&self, now: &Header) -> Option<Difference> {
        let limits = |h: &Header| format!("{}, {}", h.limits.timeout, h.limits.memory);
        Difference::between("the limits", limits(self), limits(now))
    }

    /// The first setting in which the other campaign differs.
    pub(crate) fn difference(&self, now: &Header) -> Option<Difference> {
        // The order of cases may differ from run to run.
        let Execution { seed_targets, fuzz_options, .. } = self.execution;
        let new = now.execution;
        let seeds = (seed_targets.to_string(), new.seed_targets.to_string());
        let level = |level: Option<Level>| level.map_or("off", Level::name).to_owned();
        let fuzzed = (level(fuzz_options), level(new.fuzz_options));
        self.other_cases(now)
            .or_else(|| self.other_limits(now))
            .or_else(|| Difference::between("--seed-targets", seeds.0, seeds.1))
            .or_else(|| Difference::between("--fuzz-options", fuzzed.0, fuzzed.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rerun::Source;
    use crate::schedule::Schedule;
    use crate::settings::{Domains, Files, OverSeeds, Programs};
    use clap::{Args, Command};

    fn parsed<T: Args>(line: &str) -> T {
        let command = T::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(line.split_whitespace()).expect("flags");
        T::from_arg_matches(&matches).expect("settings")
    }

    fn header(settings: &str, choice: &str, rng: u64) -> Header {
        let settings = Settings::Constructed(parsed(settings));
        let header = Header::new("numbers", settings);
        Header { choice: parsed(choice), draw: Draw { rng }, ..header }
    }

    fn over_seeds(line: &str, rng: u64) -> Header {
        let header = Header::new("approx", Settings::OverSeeds(parsed(line)));
        Header { draw: Draw { rng }, ..header }
    }

    /// Every flag of a group, with a value that is not the default.
    #[test]
    fn every_flag_is_printed_as_it_is_read() {
        fn check<T: Args + Serialize>(line: &str, unprinted: &[&str]) {
            assert_eq!(words(&parsed::<T>(line)).join(" "), line);
            let flags = T::augment_args(Command::new("all"));
            for name in flags.get_arguments().filter_map(clap::Arg::get_long) {
                let shown = line.split(' ').any(|word| word == format!("--{name}"));
                assert!(shown || unprinted.contains(&name), "--{name} is not printed");
            }
        }
        check::<Constructed>(
            "--preset icse20 --config a.toml --depth 2 --chain 3 --incremental",
            &["tour"],
        );
        check::<Constructed>("--tour", &["preset", "config", "depth", "chain", "incremental"]);
        check::<OverSeeds>(
            "--seeds a --seeds b --mutants 7 --largest-seed 9 --give-up 0 --assertions 3 --height 4 \
             --depth 5 --mode satisfiable --rounds 6 --places 7 --form plaisted-greenbaum --strategy pst --filter-seeds \
             --pairs 8 --incremental",
            &[],
        );
        check::<Files>("a.smt2 folder --seeds b", &[]);
        check::<Programs>(
            "--shape maze --shape loop --maze 3x4 --algorithm wilson --cycles 7 --mazes 2 --random-exit \
             --comparisons 8 --expect safe --unfold 6 --function-tables --scope pointer \
             --natural --solver cvc5@1.0.3 --executions 0 --seeds a --mutants 7 --largest-seed 9 \
             --give-up 1 --assertions 3 --height 4 --depth 5 --mode satisfiable",
            &["well-defined", "unguarded"],
        );
        check::<Domains>(
            "--configuration C6 --pool 3 --operations 4 --soft --engine random --law 17 --without 3 \
             --variables 5 --boundaries int",
            &["constants"],
        );
        assert_eq!(words(&parsed::<Domains>("--constants 0,inf")).join(" "), "--constants 0,inf");
        let again = ["again", "only", "of"];
        let others = [&["each"], &again[..]].concat();
        let line = "--category a --category b --sample 3 --limit 5 --shard 2/8 --prove";
        check::<Choice>(line, &others);
        let others = [&["category", "sample", "limit", "shard", "prove"], &again[..]].concat();
        check::<Choice>("--each 3", &others);
        check::<Choice>(
            "--category a --limit 5 --shard 2/8 --again out --only timeout --only failed --of z3",
            &["sample", "each", "prove"],
        );
        check::<Search>("--budget 90s", &[]);
        check::<Draw>("--rng 9", &[]);
        check::<CaseLimits>("--timeout 250ms --memory 3MiB", &[]);
        check::<Execution>(
            "--seed-targets 3 --fuzz-options expert --schedule plain --statistics --late 30 --reduce 20",
            &["no-reduce"],
        );
        check::<TargetFlags>("--targets a --targets b --sandbox off", &[]);
    }

    #[test]
    fn the_command_leaves_defaults_out() {
        assert_eq!(Header::constructed("ints").command(["z3"]), "assay run ints --target z3");
        let mut header = header("--preset icse20", "--category it's --sample 9", 4);
        header.limits.timeout = "1s".parse().expect("a time");
        header.execution.seed_targets = 3;
        assert_eq!(
            header.command(["z3@4.8.0", "cvc5"]),
            r"assay run numbers --preset icse20 --category 'it'\''s' --sample 9 --rng 4 --target z3@4.8.0 --target cvc5 --timeout 1s --seed-targets 3"
        );
    }

    #[test]
    fn headers_give_the_number_of_executions() {
        let programs = |line: &str| Header::new("programs", Settings::Programs(parsed(line)));
        assert_eq!(programs("--cycles 0").executions(), 2000);
        assert_eq!(programs("--executions 0").executions(), 0);
        assert_eq!(Header::constructed("ints").executions(), 0);
    }

    #[test]
    fn a_shard_header_gives_the_header_of_the_whole() {
        let part = header("", "--sample 9 --shard 2/8", 0);
        assert_eq!(part.shard(), Shard { index: 1, of: 8 });
        assert_eq!(part.whole(), header("", "--sample 9", 0));
        assert_eq!(part.whole().shard(), Shard::WHOLE);
        assert_eq!(part.whole().whole(), part.whole());
    }

    #[test]
    fn the_space_of_cases_does_not_depend_on_which_are_chosen() {
        let chosen = header("--preset icse20", "--category operation --sample 9 --shard 1/2", 4);
        assert_eq!(chosen.space(), "numbers --preset icse20");
        assert_eq!(header("--tour", "--each 3 --limit 5", 4).space(), "numbers --tour");
        let mut mutants = over_seeds("--seeds dev --mutants 20", 4);
        mutants.choice.sample = Some(9);
        assert_eq!(mutants.space(), "approx --rng 4 --seeds dev --mutants 20");
    }

    #[test]
    fn commands_with_again_omit_the_settings_of_the_earlier_campaign() {
        let mut again = over_seeds("--seeds dev --mutants 20", 4);
        let earlier = again.clone();
        again.choice = parsed("--again out --only timeout --shard 1/2");
        let source = |cases: &str| {
            let (cases, asked) = (cases.to_owned(), vec!["z3".to_owned()]);
            Some(Source { cases, asked, limits: earlier.limits })
        };
        again.choice.earlier = source("7 cases (0)");
        let line = "assay run approx --shard 1/2 --again out --only timeout --target z3";
        assert_eq!(again.command(["z3"]), line);
        assert!(again.is_again() && !earlier.is_again());
        // The numbers of cases mean the same, but not all cases are there.
        assert_eq!(earlier.other_space(&again), None);
        assert!(earlier.other_cases(&again).is_some());
        let mut grown = again.clone();
        grown.choice.earlier = source("8 cases (1)");
        let what = again.other_cases(&grown).map(|difference| difference.what);
        assert_eq!(what, Some("the list of cases to run again"));
        let text = serde_json::to_string(&again).expect("plain data");
        assert_eq!(serde_json::from_str::<Header>(&text).expect("a header"), again);
        // Campaigns of earlier versions have no such choice.
        let mut old = serde_json::to_value(&earlier).expect("plain data");
        let choice = old["choice"].as_object_mut().expect("a table");
        for name in ["again", "only", "of", "earlier"] {
            choice.remove(name).expect("it is recorded");
        }
        assert_eq!(serde_json::from_value::<Header>(old).expect("a header"), earlier);
    }

    #[test]
    fn differences_are_named() {
        let one = header("", "", 0);
        assert_eq!(one.difference(&one.clone()), None);
        let what = |change: &dyn Fn(&mut Header)| {
            let mut other = one.clone();
            change(&mut other);
            one.difference(&other).map(|difference| difference.what)
        };
        assert_eq!(what(&|other| other.draw.rng = 1), Some("the choice of cases"));
        assert_eq!(what(&|other| other.choice.limit = Some(1)), Some("the choice of cases"));
        assert_eq!(what(&|other| other.suite = "words".into()), Some("the suite"));
        assert_eq!(what(&|other| other.limits.memory.0 = 1), Some("the limits"));
        let fuzzed = |other: &mut Header| other.execution.fuzz_options = Some(Level::Regular);
        assert_eq!(what(&fuzzed), Some("--fuzz-options"));
        assert_eq!(what(&|other| other.execution.schedule = Schedule::Plain), None);
        assert_eq!(what(&|other| other.execution.seed_targets = 1), Some("--seed-targets"));
        let text = Some("depth = 2".to_owned());
        assert_eq!(what(&|other| other.configuration = text.clone()), Some("the configuration"));
    }

    #[test]
    fn other_seeds_of_the_targets_leave_the_cases_the_same() {
        let one = header("", "", 0);
        let other =
            Header { execution: Execution { seed_targets: 1, ..one.execution }, ..one.clone() };
        assert_eq!(one.other_cases(&other), None);
        assert_eq!(one.other_limits(&other), None);
    }

    #[test]
    fn headers_are_read_as_they_were_written() {
        let domains = Header {
            search: Some(parsed("--budget 90s")),
            ..Header::new("domains", Settings::Domains(parsed("--law 17")))
        };
        let programs = Settings::Programs(parsed("--maze 3x4 --scope global"));
        for header in [
            header("--preset icse20 --depth 2", "--sample 9 --shard 2/8", 3),
            over_seeds("--seeds dev --form kept", 5),
            Header::new("programs", programs),
            domains,
        ] {
            let text = serde_json::to_string(&header).expect("plain data");
            assert_eq!(serde_json::from_str::<Header>(&text).expect("a header"), header, "{text}");
        }
    }

    #[test]
    fn other_formats_are_refused_by_version() {
        let refusal = |text: &str| serde_json::from_str::<Header>(text).unwrap_err().to_string();
        // A header as assay 0.1.0 wrote it.
        let old = r#"{"assay":"0.1.0","suite":"strings","arguments":["--rng","0"],
                      "configuration":null,"timeout-ms":5000,"memory":2147483648,
                      "fuzz-options":false}"#;
        assert!(refusal(old).contains("assay 0.1.0 in format 1"), "{}", refusal(old));
        let current = serde_json::to_string(&Header::constructed("ints")).expect("plain data");
        let newer = current.replace("\"format\":2", "\"format\":3");
        assert!(refusal(&newer).contains("in format 3"), "{}", refusal(&newer));
        let unknown = current.replace("\"tour\":false", "\"tour\":false,\"detour\":true");
        assert!(refusal(&unknown).contains("unknown field `detour`"), "{}", refusal(&unknown));
        let unknown = current.replace("\"rng\":0", "\"rng\":0,\"dice\":6");
        assert!(refusal(&unknown).contains("unknown field `dice`"), "{}", refusal(&unknown));
    }
}
