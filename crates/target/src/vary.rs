//! A solver whose options vary between cases; its file declares options that keep the truth.
//!
//! The choice depends only on a number and on a case's place in the campaign, so that a resumed
//! campaign continues with the same options. One set serves a block of cases, so that sessions live
//! long enough to be worth starting.

use crate::by_hand::ByHand;
use crate::library::foreign;
use crate::process::HarnessError;
use crate::resolve::{Ask, Resolved};
use crate::runner::{Mode, Ran, Target};
use crate::solver::{Settings, Solver};
use crate::spec::{FuzzOption, Gaps, Level, Pass, Template, Values};
use crate::subject::asked;
use assay_case::synthesis::Task;
use assay_case::{Answer, Formula, TestCase};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The number of consecutive cases that share a set of options.
const BLOCK: u64 = 50;

/// One in this many options is set.
const SPARSE: u64 = 4;

/// One in this many blocks has no options set.
const USUAL: u64 = 8;

/// How options are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vary {
    /// What decides the draws.
    pub rng: u64,
    /// Options beyond this level are left alone.
    pub level: Level,
}

/// An option with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// The option, as named in the tool's file.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// An option that cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    /// The text is not an option with a value.
    #[error("`{0}` is not an option with a value; expected `name=value`")]
    Text(String),
    /// The target does not have it.
    #[error("{target} has no option `{option}`")]
    Unknown {
        /// The target.
        target: String,
        /// The option.
        option: String,
    },
}

impl std::str::FromStr for Chosen {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Chosen, OptionError> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| OptionError::Text(text.to_owned()))?;
        Ok(Chosen { name: name.to_owned(), value: value.to_owned() })
    }
}

impl FuzzOption {
    /// The value with this number, modulo the number of values.
    fn value(&self, number: u64) -> String {
        match &self.values {
            Values::Bool => (number % 2 == 1).to_string(),
            Values::Choice(words) => words[(number % words.len() as u64) as usize].clone(),
            Values::Int { least, greatest } => {
                let count = greatest.abs_diff(*least).saturating_add(1);
                least.saturating_add_unsigned(number % count).to_string()
            }
        }
    }
}

impl Resolved {
    /// The options for a block of cases. Each option is drawn by its name, so that versions of a
    /// tool use the same values for the options that they share.
    #[must_use]
    pub fn draw(&self, vary: Vary, block: u64) -> Vec<Chosen> {
        if block % USUAL == 0 {
            return Vec::new();
        }
        let mut chosen = Vec::new();
        for option in self.options.iter().filter(|option| option.level <= vary.level) {
            let number = mixed(&[vary.rng, block, hashed(&option.name)]);
            if number % SPARSE == 0 {
                let value = option.value(mixed(&[number]));
                chosen.push(Chosen { name: option.name.clone(), value });
            }
        }
        chosen
    }

    /// The same target with these options of its file set.
    ///
    /// # Errors
    /// If its file lacks one of them.
    pub fn with_options(&self, chosen: &[Chosen]) -> Result<Resolved, OptionError> {
        self.with(chosen, |_| None)
    }

    /// The same solver with these options set; those that its file lacks become `set-option` commands.
    ///
    /// # Errors
    /// If a name or value cannot be written.
    pub fn with_any_options(&self, chosen: &[Chosen]) -> Result<Resolved, OptionError> {
        self.with(chosen, |name| {
            let line = format!("(set-option :{name} {{value}})");
            Template::try_from(line).ok().map(Pass::Line)
        })
    }

    fn with(
        &self,
        chosen: &[Chosen],
        unlisted: impl Fn(&str) -> Option<Pass>,
    ) -> Result<Resolved, OptionError> {
        let mut target = self.clone();
        let (mut arguments, mut lines) = (Vec::new(), Vec::new());
        for Chosen { name, value } in chosen {
            let unknown =
                || OptionError::Unknown { target: self.name.to_string(), option: name.clone() };
            let gaps = Gaps { value: Some(value), ..Gaps::default() };
            let listed = self.options.iter().find(|option| option.name == *name);
            let pass = match listed {
                Some(option) => option.pass.clone(),
                None => unlisted(name).ok_or_else(unknown)?,
            };
            let (text, list) = match &pass {
                Pass::Argument(text) => (text, &mut arguments),
                Pass::Line(text) => (text, &mut lines),
            };
            let filled = text.fill(&gaps).ok_or_else(unknown)?;
            list.push(Template::try_from(filled).map_err(|_| unknown())?);
        }
        // First, so that settings of a variant or the seed take precedence.
        target.behaviour.args.splice(0..0, arguments);
        target.behaviour.options.splice(0..0, lines);
        Ok(target)
    }
}

/// Options that are written as `name=value`; `None` if one of them is not.
pub(crate) fn chosen(options: &[String]) -> Option<Vec<Chosen>> {
    options.iter().map(|option| option.parse().ok()).collect()
}

/// A well-mixed hash of some numbers (the finaliser of splitmix64, applied to each).
fn mixed(parts: &[u64]) -> u64 {
    parts.iter().fold(0x9E37_79B9_7F4A_7C15, |sum, part| {
        let mut x = (sum ^ part).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^= x >> 31;
        x = x.wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 29)
    })
}

/// A hash of a name, the same on every machine.
fn hashed(name: &str) -> u64 {
    let bytes: Vec<u64> = name.bytes().map(u64::from).collect();
    mixed(&bytes)
}

/// A solver whose options change from block to block.
pub struct Varied {
    usual: Arc<Resolved>,
    settings: Settings,
    name: String,
    draws: Draws,
    block: u64,
    /// Whether they tell what they counted.
    samples: bool,
    /// The solvers of this block. Which options conflict depends on the requests.
    ready: HashMap<Demands, (Solver, Vec<Chosen>)>,
}

/// Where a solver's options come from.
enum Draws {
    /// A new set for each block of cases.
    Blocks(Vary),
    /// Always these.
    These(Vec<Chosen>),
}

/// The requests other than the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Demands {
    models: bool,
    cores: bool,
    minimal_cores: bool,
    proofs: bool,
    incremental: bool,
    task: Option<Task>,
}

impl Demands {
    fn ask(self) -> Ask<'static> {
        let Demands { models, cores, minimal_cores, proofs, incremental, task } = self;
        Ask { models, cores, minimal_cores, proofs, incremental, task, ..Ask::default() }
    }
}

impl Varied {
    /// A solver that has not been started yet; the number determines what is drawn.
    #[must_use]
    pub fn new(target: Arc<Resolved>, settings: Settings, vary: Vary) -> Varied {
        Varied::drawing(target, settings, Draws::Blocks(vary))
    }

    fn drawing(target: Arc<Resolved>, settings: Settings, draws: Draws) -> Varied {
        let name = target.name.to_string();
        let ready = HashMap::new();
        Varied { usual: target, settings, name, draws, block: 0, samples: false, ready }
    }

    /// The requests for a case; `None` if solvers do not take it.
    fn demands(&self, case: &TestCase) -> Option<Demands> {
        let asked = asked(case.subject())?.ask(&self.usual);
        let Ask { models, cores, minimal_cores, proofs, incremental, task, .. } = asked;
        Some(Demands { models, cores, minimal_cores, proofs, incremental, task })
    }

    fn plain(&self) -> Solver {
        Solver::new(Arc::clone(&self.usual), self.settings.clone())
    }

    /// The solver with those of the options that it accepts.
    fn accepted(&self, drawn: Vec<Chosen>, demands: Demands) -> (Solver, Vec<Chosen>) {
        if let Some(solver) = self.probed(&drawn, demands) {
            return (solver, drawn);
        }
        let alone = |option: &Chosen| self.probed(std::slice::from_ref(option), demands).is_some();
        let taken: Vec<Chosen> = drawn.into_iter().filter(alone).collect();
        match self.probed(&taken, demands) {
            Some(solver) => (solver, taken),
            None => (self.plain(), Vec::new()),
        }
    }

    /// The solver with these options, unless it then fails on trivial formulas: a version that does
    /// not know an option or a combination must not be blamed for cases.
    fn probed(&self, chosen: &[Chosen], demands: Demands) -> Option<Solver> {
        let target = self.usual.with_options(chosen).ok()?;
        let mut solver = Solver::new(Arc::new(target), self.settings.clone());
        let mut says = |text: &str, expected: Answer| {
            let formula = Formula::read(text).expect("a formula of one line");
            match solver.exchange(&formula, &demands.ask(), Mode::Session) {
                Ok(Ran::Observed(run)) => match run.observation.answer {
                    Answer::MaybeSat => expected == Answer::Sat,
                    answer => answer == expected,
                },
                _ => false,
            }
        };
        let right = chosen.is_empty()
            || says("(declare-const p Bool)(assert p)", Answer::Sat)
                && says(
                    "(declare-const p Bool)(assert (! (and p (not p)) :named a))",
                    Answer::Unsat,
                );
        right.then_some(solver)
    }
}

impl Target for Varied {
    fn name(&self) -> &str {
        &self.name
    }

    fn by_hand(&self, case: &TestCase) -> Option<ByHand> {
        match self.ready.get(&self.demands(case)?) {
            Some((solver, _)) => solver.by_hand(case),
            None => self.plain().by_hand(case),
        }
    }

    fn options(&self, case: &TestCase) -> Vec<String> {
        let ready = self.demands(case).and_then(|demands| self.ready.get(&demands));
        ready.iter().flat_map(|(_, chosen)| chosen).map(ToString::to_string).collect()
    }

    fn with_options(&self, options: &[String]) -> Option<Box<dyn Target>> {
        let chosen = chosen(options)?;
        let (target, settings) = (Arc::clone(&self.usual), self.settings.clone());
        Some(Box::new(Varied::drawing(target, settings, Draws::These(chosen))))
    }

    fn prepare(&mut self, ordinal: u64) {
        let block = ordinal / BLOCK;
        if self.block != block {
            self.block = block;
            self.ready.clear();
        }
    }

    fn sample_statistics(&mut self) {
        self.samples = true;
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        let Some(demands) = self.demands(case) else {
            return Ok(Ran::Skipped(foreign(&self.name, case)));
        };
        if !self.ready.contains_key(&demands) {
            let drawn = match &self.draws {
                Draws::Blocks(vary) => self.usual.draw(*vary, self.block),
                Draws::These(chosen) => chosen.clone(),
            };
            let mut accepted = self.accepted(drawn, demands);
            if self.samples {
                accepted.0.sample_statistics();
            }
            self.ready.insert(demands, accepted);
        }
        let (solver, _) = self.ready.get_mut(&demands).expect("it was just put there");
        solver.run(case, mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::Handle;
    use crate::name::TargetName;
    use crate::spec::Behaviour;
    use crate::version::{Version, VersionRange};

    fn template(text: &str) -> Template {
        Template::try_from(text.to_owned()).expect("a template")
    }

    fn target() -> Resolved {
        let option = |name: &str, values, pass| FuzzOption {
            name: name.into(),
            values,
            pass,
            versions: VersionRange::default(),
            level: if name == "eager" { Level::Expert } else { Level::Regular },
        };
        let level = Values::Int { least: -1, greatest: 1 };
        let words = Values::Choice(vec!["a".into(), "b".into(), "c".into()]);
        Resolved {
            name: TargetName::newest("tool"),
            title: "Tool".into(),
            tracker: None,
            version: Version::from("1"),
            reported_version: "1".into(),
            program: "/bin/true".into(),
            lead: vec!["driver.py".into()],
            env: Default::default(),
            handle: Handle::command("tool"),
            behaviour: Behaviour { args: vec![template("-in")], ..Behaviour::default() },
            options: vec![
                option("level", level, Pass::Argument(template("--level={value}"))),
                option("words", words, Pass::Argument(template("--words={value}"))),
                option("eager", Values::Bool, Pass::Line(template("(set-option :eager {value})"))),
            ],
            known_bugs: Vec::new(),
        }
    }

    fn all(rng: u64) -> Vary {
        Vary { rng, level: Level::Expert }
    }

    #[test]
    fn options_above_the_level_are_not_varied() {
        let regular = |block| target().draw(Vary { rng: 1, level: Level::Regular }, block);
        for block in 0..100 {
            let mut expected = target().draw(all(1), block);
            expected.retain(|option| option.name != "eager");
            assert_eq!(regular(block), expected);
        }
        let default = Vary { rng: 1, level: Level::Default };
        assert!((0..100).all(|block| target().draw(default, block).is_empty()));
    }

    #[test]
    fn drawn_options_depend_only_on_seed_and_block() {
        let draws = |rng| (0..400).map(|block| target().draw(all(rng), block)).collect::<Vec<_>>();
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
        let drawn: Vec<String> = draws(1).into_iter().flatten().map(|c| c.to_string()).collect();
        for expected in [
            "level=-1",
            "level=0",
            "level=1",
            "words=a",
            "words=b",
            "words=c",
            "eager=true",
            "eager=false",
        ] {
            let count = drawn.iter().filter(|text| *text == expected).count();
            assert!((10..80).contains(&count), "{expected}: {count}");
        }
        assert!(draws(1).iter().step_by(8).all(Vec::is_empty), "some blocks are as usual");
        let mut fewer = target();
        fewer.options.remove(0);
        let common = |target: &Resolved, block| -> Vec<Chosen> {
            let drawn = target.draw(all(1), block);
            drawn.into_iter().filter(|option| option.name != "level").collect()
        };
        assert!((0..100).all(|block| common(&target(), block) == fewer.draw(all(1), block)));
    }

    #[test]
    fn options_are_passed_as_the_file_says() {
        let read = |text: &str| text.parse::<Chosen>().expect("an option");
        let chosen = [read("level=-1"), read("eager=true")];
        let target = target().with_options(&chosen).expect("it has them");
        let ask = Ask::default();
        assert_eq!(target.one_shot(&ask), ["driver.py", "--level=-1", "-in"]);
        assert_eq!(target.prelude(&ask), "(set-option :eager true)\n");
        let unknown = target.with_options(&[read("level=1"), read("colour=red")]);
        assert_eq!(
            unknown.map(|_| ()).expect_err("it has no colour").to_string(),
            "tool has no option `colour`"
        );
        assert!("level".parse::<Chosen>().is_err());
        let any =
            target.with_any_options(&[read("colour=red")]).expect("any option can be written");
        assert_eq!(any.prelude(&ask), "(set-option :colour red)\n(set-option :eager true)\n");
    }
}
