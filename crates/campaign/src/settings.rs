//! The settings of a campaign: what a suite makes, which cases are run, and how.
//!
//! Each struct here is a group of flags, their record in a campaign's header, and the source of the
//! command line that runs the campaign again.

use crate::flags::{defaults, words};
use crate::rerun::{Source, Wanted};
use crate::schedule::Schedule;
use crate::text;
use crate::units::{Size, Time, positive};
use assay_case::{Kind, Selection, Shard};
use assay_mutate::{Form, Mode, Strategy};
use assay_program::{Algorithm, Scope, Shape, UNFOLD};
use assay_target::TargetName;
use assay_target::process::{Limits, Sandbox};
use assay_target::spec::Level;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Properties that the settings of every suite have.
pub trait SuiteSettings {
    /// The user's formulas that the suite starts from, if any.
    fn seeds(&self) -> Option<&Seeds> {
        None
    }

    /// The user's file that replaces parts of the preset.
    fn configuration(&self) -> Option<&Path> {
        None
    }

    /// Whether each case is asked several times, with scopes and assumptions.
    fn is_incremental(&self) -> bool {
        false
    }

    /// The number of inputs on which each safe program is executed. If it is zero, programs are not
    /// executed on witnesses either.
    fn executions(&self) -> u32 {
        0
    }

    /// Whether the suite generates cases without end, so that the user has to limit their number.
    fn is_endless(&self) -> bool {
        false
    }

    /// The percentage of the time in which findings are reduced while the campaign runs, unless it is said.
    fn reducing(&self) -> u8 {
        0
    }

    /// Whether a run ends by the clock by default, given whether the user limited the number of
    /// cases.
    fn is_open_ended(&self, bounded: bool) -> bool {
        !bounded
    }
}

/// Defines [`Family`] and [`Settings`] with one row for each family of suites: its settings and the
/// kind of subject that its suites make.
macro_rules! families {
    ($($(#[$about:meta])* $family:ident($settings:ty), $kind:ident;)*) => {
        /// A family of suites with the same settings.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Family {
            $($(#[$about])* $family,)*
        }

        /// The settings of a suite, by its family.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[serde(tag = "family", rename_all = "kebab-case")]
        pub enum Settings {
            $($(#[$about])* $family($settings),)*
        }

        impl Family {
            /// The kind of subject of the family's suites.
            #[must_use]
            pub fn kind(self) -> Kind {
                match self {
                    $(Family::$family => Kind::$kind,)*
                }
            }

            /// Adds the family's flags to a command.
            #[must_use]
            pub fn augment(self, command: Command) -> Command {
                match self {
                    $(Family::$family => <$settings>::augment_args(command),)*
                }
            }

            /// The settings that flags give.
            ///
            /// # Errors
            /// If the command does not have these flags.
            pub fn settings(self, matches: &ArgMatches) -> Result<Settings, clap::Error> {
                Ok(match self {
                    $(Family::$family => {
                        Settings::$family(<$settings>::from_arg_matches(matches)?)
                    })*
                })
            }
        }

        impl Settings {
            /// The family of the suite.
            #[must_use]
            pub fn family(&self) -> Family {
                match self {
                    $(Settings::$family(_) => Family::$family,)*
                }
            }

            /// The properties that all families have.
            #[must_use]
            pub fn common(&self) -> &dyn SuiteSettings {
                match self {
                    $(Settings::$family(settings) => settings,)*
                }
            }

            /// The flags that give these settings.
            #[must_use]
            pub fn words(&self) -> Vec<String> {
                match self {
                    $(Settings::$family(settings) => words(settings),)*
                }
            }
        }
    };
}

families! {
    /// Formulas by construction.
    Constructed(Constructed), Formula;
    /// Formulas made from the user's formulas.
    OverSeeds(OverSeeds), Formula;
    /// The user's formulas as they are.
    Files(Files), Formula;
    /// C programs.
    Programs(Programs), Program;
    /// Laws of abstract domains.
    Domains(Domains), Trace;
    /// Terms to be rewritten.
    Rewrites(Rewrites), Rewrite;
    /// Formulas over random terms.
    Grown(Grown), Formula;
    /// Systems of constrained Horn clauses.
    Horn(Horn), Formula;
    /// All formulas up to a size.
    Enumerated(Enumerated), Formula;
    /// Formulas of every suite.
    Hunt(Hunt), Formula;
    /// Unsatisfiable formulas, whose proofs are examined.
    Proofs(Proofs), Formula;
    /// Terms to be constructed.
    Synthesis(Synthesis), Synthesis;
}

impl Settings {
    /// The kind of subject that the suite makes.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.family().kind()
    }
}

/// How formulas are built.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Constructed {
    /// Pools and operations of a paper (icse20, thesis22), or our own (assay)
    #[arg(long, value_name = "PRESET")]
    pub preset: Option<String>,
    /// TOML file whose parts replace those of the preset
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Nesting depth of synthesized terms; 2 and 3 make very many cases [default: the preset's]
    #[arg(long, value_name = "N", value_parser = positive::<u8>)]
    pub depth: Option<u8>,
    /// Replacements of variables, constants and terms in a formula of the category chain [default:
    /// the preset's]
    #[arg(long, value_name = "N", value_parser = positive::<u8>)]
    pub chain: Option<u8>,
    /// Run the papers' quick cases first, then some of every operation in every category
    #[arg(long, conflicts_with = "preset")]
    pub tour: bool,
    /// Ask each case several times, with scopes and assumptions, and judge every verdict
    ///
    /// A part of a satisfiable case is satisfiable, and an assertion with its negation is not; after
    /// a pop the earlier verdict must come back.
    #[arg(long)]
    pub incremental: bool,
}

impl SuiteSettings for Constructed {
    fn configuration(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    fn is_incremental(&self) -> bool {
        self.incremental
    }

    fn is_open_ended(&self, _bounded: bool) -> bool {
        self.tour
    }
}

/// The user's formulas.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Seeds {
    /// Folder with seed formulas, or one file; may be given several times
    #[arg(long = "seeds", value_name = "DIR", help_heading = "Seeds")]
    pub seeds: Vec<PathBuf>,
    /// Number of mutants of each seed
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = positive::<u32>,
          requires = "seeds", help_heading = "Seeds")]
    pub mutants: u32,
    /// Skip seed files larger than this
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 100_000,
        requires = "seeds",
        help_heading = "Seeds"
    )]
    pub largest_seed: usize,
    /// Run no more formulas from the same seed on a target after N timeouts; 0 never gives up
    #[arg(long, value_name = "N", default_value_t = 3, requires = "seeds", help_heading = "Seeds")]
    pub give_up: u32,
}

impl Seeds {
    /// The number of timeouts after which a seed is given up; `None` for never.
    #[must_use]
    pub fn give_up(&self) -> Option<u32> {
        Some(self.give_up).filter(|&count| count > 0)
    }
}

/// How seeds are recombined.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Recombination {
    /// Maximum number of recombined assertions
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = positive::<usize>,
          requires = "seeds")]
    pub assertions: usize,
    /// Maximum nesting depth of recombined parts
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = positive::<u32>,
          requires = "seeds")]
    pub height: u32,
    /// Maximum depth of terms that replace others
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = positive::<u8>,
          requires = "seeds")]
    pub depth: u8,
    /// Kind of recombined formulas: satisfiable, unsatisfiable (around the cores of unsatisfiable
    /// seeds) or mixed [default: each in turn]
    #[arg(long, value_name = "MODE", value_parser = mode, requires = "seeds")]
    pub mode: Option<Mode>,
}

/// How formulas are made from seeds.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OverSeeds {
    /// The user's formulas.
    #[command(flatten)]
    pub seeds: Seeds,
    /// How they are recombined.
    #[command(flatten)]
    pub recombination: Recombination,
    /// Maximum number of times that a mutant is mutated again
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive::<u32>)]
    pub rounds: u32,
    /// Maximum number of places that change at a time
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = positive::<usize>)]
    pub places: usize,
    /// Normal form that is mutated: tseitin, plaisted-greenbaum or kept [default: each in turn]
    #[arg(long, value_name = "FORM", value_parser = form)]
    pub form: Option<Form>,
    /// Mutate literals by rules only (pst) or by injected formulas only (lpi), in the suite approx
    /// [default: both]
    #[arg(long, value_name = "STRATEGY", value_parser = strategy)]
    #[serde(default)]
    pub strategy: Option<Strategy>,
    /// Skip trivial seeds, and seeds that no solver answers in time
    #[arg(long)]
    #[serde(default)]
    pub filter_seeds: bool,
    /// Maximum number of pairs of variables that are fused
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = positive::<usize>)]
    pub pairs: usize,
    /// Ask each case several times, with scopes and assumptions, and judge every verdict
    #[arg(long)]
    pub incremental: bool,
}

impl SuiteSettings for OverSeeds {
    fn seeds(&self) -> Option<&Seeds> {
        Some(&self.seeds)
    }

    fn is_incremental(&self) -> bool {
        self.incremental
    }
}

/// The user's formulas as they are.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Files {
    /// SMT-LIB files, and folders to search for them
    #[arg(value_name = "FILE|DIR")]
    pub files: Vec<PathBuf>,
    /// Folder to search for SMT-LIB files, or one file; may be given several times
    #[arg(long, value_name = "DIR")]
    pub seeds: Vec<PathBuf>,
}

impl Files {
    /// All files and folders that were given.
    #[must_use]
    pub fn all(&self) -> Vec<PathBuf> {
        [&self.files[..], &self.seeds].concat()
    }
}

impl SuiteSettings for Files {
    fn is_open_ended(&self, _bounded: bool) -> bool {
        false
    }
}

/// The appearance of programs.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Programs {
    /// Shape of programs: maze, straight, assumptions, loop, recursion or states; may be given
    /// several times [default: all]
    #[arg(long = "shape", value_name = "SHAPE", value_parser = shape)]
    #[serde(rename = "shape")]
    pub shapes: Vec<String>,
    /// Size of mazes, as WIDTHxHEIGHT [default: from 1x1 to 5x5]
    #[arg(long, value_name = "SIZE")]
    #[serde(with = "text::optional")]
    pub maze: Option<MazeSize>,
    /// Algorithm for mazes: backtracking, kruskal, prim, wilson or sidewinder [default: each in turn]
    #[arg(long, value_name = "NAME", value_parser = algorithm)]
    pub algorithm: Option<Algorithm>,
    /// Percentage of back edges kept in mazes
    #[arg(long, value_name = "PERCENT", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..=100))]
    pub cycles: u32,
    /// Number of mazes in a row: the exit of each leads to the next
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=16))]
    #[serde(default = "one")]
    pub mazes: u32,
    /// Let the exit of a maze be any cell, instead of the last
    #[arg(long)]
    #[serde(default)]
    pub random_exit: bool,
    /// Percentage of choices in mazes that compare an input with constants, instead of dividing its
    /// range
    #[arg(long, value_name = "PERCENT", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..=100))]
    #[serde(default)]
    pub comparisons: u32,
    /// Make mazes without formulas, whose error is always reached (the baseline, Fuzzle)
    #[arg(long, conflicts_with_all = ["seeds", "expect"])]
    #[serde(default)]
    pub unguarded: bool,
    /// Make only programs whose error is reached (for soundness), or only safe ones (for precision):
    /// reached or safe [default: both]
    #[arg(long, value_name = "TRUTH", value_parser = expectation)]
    pub expect: Option<Expectation>,
    /// Depth to which recursive definitions are unfolded
    #[arg(long, value_name = "N", default_value_t = UNFOLD,
          value_parser = clap::value_parser!(u32).range(..=64))]
    #[serde(default = "unfold")]
    pub unfold: u32,
    /// Write uninterpreted functions as arrays of their values, where these fit, instead of comparing
    /// the arguments of every two calls
    #[arg(long)]
    #[serde(default)]
    pub function_tables: bool,
    /// Where variables live: local, global or pointer [default: each in turn]
    #[arg(long, value_name = "SCOPE", value_parser = scope)]
    pub scope: Option<Scope>,
    /// Use only what the C standard defines; this is the default
    #[arg(long, conflicts_with = "natural")]
    #[serde(skip)]
    pub well_defined: bool,
    /// Also use implementation-defined signed conversions and shifts, as compilers do them
    #[arg(long)]
    pub natural: bool,
    /// Solver for models that fit into C, and for what no construction decides
    #[arg(long, value_name = "TARGET", default_value = "z3")]
    pub solver: TargetName,
    /// Number of inputs tried on each program whose error is unreachable; 0 runs nothing
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub executions: u32,
    /// The user's formulas.
    #[command(flatten)]
    pub seeds: Seeds,
    /// How they are recombined.
    #[command(flatten)]
    pub recombination: Recombination,
}

impl SuiteSettings for Programs {
    fn seeds(&self) -> Option<&Seeds> {
        Some(&self.seeds)
    }

    fn executions(&self) -> u32 {
        self.executions
    }
}

impl Programs {
    /// Whether some of the programs are mazes.
    #[must_use]
    pub fn makes_mazes(&self) -> bool {
        self.shapes.is_empty() || self.shapes.iter().any(|shape| shape == "maze")
    }
}

/// The truth of the generated programs.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// Their error is reachable.
    Reached,
    /// Their error is unreachable.
    Safe,
}

fn one() -> u32 {
    1
}

fn unfold() -> u32 {
    UNFOLD
}

/// How programs over abstract domains are made.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Domains {
    /// Configuration of the paper, C1 to C6, or fuzzing: constraints directly from bytes
    #[arg(long, value_name = "NAME", default_value = "C2")]
    pub configuration: String,
    /// Number of initial elements [default: the configuration's]
    #[arg(long, value_name = "N", value_parser = positive::<usize>)]
    #[serde(default)]
    pub pool: Option<usize>,
    /// Number of operations that build further elements [default: the configuration's]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub operations: Option<usize>,
    /// Predefined constants instead of the boundaries, such as LONG_MIN,-1,0,inf
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, conflicts_with = "boundaries")]
    #[serde(default)]
    pub constants: Option<String>,
    /// Count violations even if the library says that its answer may be imprecise
    #[arg(long)]
    #[serde(default)]
    pub soft: bool,
    /// How inputs are chosen: systematic, random, guided or libfuzzer
    #[arg(long, value_name = "NAME", default_value = "guided")]
    pub engine: String,
    /// Try only this law, by name or number; may be given several times
    #[arg(long = "law", value_name = "LAW")]
    #[serde(rename = "law")]
    pub laws: Vec<String>,
    /// Leave out this law, by name or number; may be given several times
    #[arg(long, value_name = "LAW")]
    pub without: Vec<String>,
    /// Number of variables
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = positive::<usize>)]
    pub variables: usize,
    /// Boundary constants besides arbitrary ones: none, int or long [default: the configuration's]
    #[arg(long, value_name = "WHICH")]
    pub boundaries: Option<String>,
}

impl SuiteSettings for Domains {
    fn is_open_ended(&self, _bounded: bool) -> bool {
        true
    }
}

/// How terms to be rewritten are made.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rewrites {
    /// Folder with formulas whose parts are rewritten too, or one file; may be given several times
    #[arg(long = "seeds", value_name = "DIR")]
    pub seeds: Vec<PathBuf>,
    /// Skip seed files larger than this
    #[arg(long, value_name = "BYTES", default_value_t = 100_000, requires = "seeds")]
    pub largest_seed: usize,
    /// Maximum nesting depth of operators
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = positive::<u32>)]
    pub depth: u32,
}

impl SuiteSettings for Rewrites {
    fn is_endless(&self) -> bool {
        true
    }
}

/// How terms to be constructed are drawn.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Synthesis {}

impl SuiteSettings for Synthesis {
    fn is_endless(&self) -> bool {
        true
    }
}

/// How formulas are grown from random terms.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Grown {
    /// Maximum nesting depth of operators
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=40))]
    pub depth: u32,
    /// Maximum number of operators in a formula, shared parts counted once
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = positive::<usize>)]
    pub size: usize,
    /// Maximum number of assertions
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = positive::<usize>)]
    pub assertions: usize,
    /// Maximum number of rewriting steps, in the suite rewritten
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = positive::<usize>)]
    pub steps: usize,
    /// Ask each case several times, with scopes and assumptions, and judge every verdict
    #[arg(long)]
    pub incremental: bool,
}

impl SuiteSettings for Grown {
    fn is_incremental(&self) -> bool {
        self.incremental
    }

    fn is_endless(&self) -> bool {
        true
    }
}

/// How systems of Horn clauses are drawn.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Horn {
    /// Maximum number of predicates in a system
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = positive::<usize>)]
    pub predicates: usize,
    /// Maximum number of arguments of a predicate
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = positive::<usize>)]
    pub variables: usize,
    /// Maximum number of transitions in a system, besides the first one to each predicate
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = positive::<usize>)]
    pub transitions: usize,
}

impl SuiteSettings for Horn {
    fn is_endless(&self) -> bool {
        true
    }
}

/// Which formulas are enumerated.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Enumerated {
    /// Formulas of this theory or pool, such as bitvectors; may be given several times [default: all]
    #[arg(long = "theory", value_name = "THEORY")]
    #[serde(rename = "theory")]
    pub theories: Vec<String>,
    /// Maximum number of operators in a formula [default: each pool's, 2 or 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=8))]
    pub size: Option<u8>,
    /// Only these operators, separated by commas, or all of a theory; declared functions stay
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub operators: Vec<String>,
    /// TOML file with pools of sorts, constants and operators, in place of ours
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Ask each case several times, with scopes and assumptions, and judge every verdict
    #[arg(long)]
    pub incremental: bool,
}

impl SuiteSettings for Enumerated {
    fn configuration(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    fn is_incremental(&self) -> bool {
        self.incremental
    }

    // A guarantee needs every case.
    fn is_open_ended(&self, _bounded: bool) -> bool {
        false
    }
}

/// The settings of the mixture of all suites over formulas.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Hunt {
    /// The user's formulas, if any.
    #[command(flatten)]
    pub seeds: Seeds,
    /// Ask each case several times, with scopes and assumptions, and judge every verdict
    #[arg(long)]
    pub incremental: bool,
}

impl SuiteSettings for Hunt {
    fn seeds(&self) -> Option<&Seeds> {
        (!self.seeds.seeds.is_empty()).then_some(&self.seeds)
    }

    fn reducing(&self) -> u8 {
        15
    }

    fn is_incremental(&self) -> bool {
        self.incremental
    }

    fn is_endless(&self) -> bool {
        true
    }
}

/// The formulas whose proofs are examined.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Proofs {
    /// Folder with formulas that are refuted too, or one file; may be given several times
    #[arg(long = "seeds", value_name = "DIR")]
    pub seeds: Vec<PathBuf>,
    /// Refute only the formulas of --seeds
    #[arg(long, requires = "seeds")]
    pub only_seeds: bool,
}

impl SuiteSettings for Proofs {
    fn is_open_ended(&self, bounded: bool) -> bool {
        !bounded && !self.only_seeds
    }
}

/// The choice of cases.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Choice {
    /// Run only this category; may be given several times
    #[arg(long = "category", value_name = "CATEGORY", help_heading = "Cases")]
    #[serde(rename = "category")]
    pub categories: Vec<String>,
    /// Sample N cases uniformly
    #[arg(long, value_name = "N", conflicts_with = "each", value_parser = positive::<u64>,
          help_heading = "Cases")]
    pub sample: Option<u64>,
    /// Sample at most N cases of each operation in each category
    #[arg(long, value_name = "N", value_parser = positive::<u64>, help_heading = "Cases")]
    pub each: Option<u64>,
    /// Run only the first N cases
    #[arg(long, value_name = "N", value_parser = positive::<u64>, help_heading = "Cases")]
    pub limit: Option<u64>,
    /// Run only part I of N, to share the work among machines
    #[arg(long, value_name = "I/N", help_heading = "Cases")]
    #[serde(with = "text::optional")]
    pub shard: Option<Shard>,
    /// Run cases of an earlier campaign again, with the settings of its suite
    ///
    /// The suite's flags and --rng are taken from the earlier campaign and cannot be given again;
    /// limits and the targets' own random seed are not.
    #[arg(long, value_name = "CAMPAIGN", conflicts_with_all = ["sample", "each"],
          help_heading = "Cases")]
    #[serde(default)]
    pub again: Option<PathBuf>,
    /// With --again, run only the cases with this result: failed (anything but a right answer),
    /// unknown, timeout, rejected or finding; may be given several times [default: every case]
    #[arg(long, value_name = "RESULT", requires = "again", value_parser = wanted,
          help_heading = "Cases")]
    #[serde(default)]
    pub only: Vec<Wanted>,
    /// With --again, count only the results of this target of the earlier campaign [default: all]
    #[arg(long, value_name = "TARGET", requires = "again", help_heading = "Cases")]
    #[serde(default)]
    pub of: Option<String>,
    /// Ask for a proof of each formula that is not known to be satisfiable, and examine it
    #[arg(long, help_heading = "Cases")]
    #[serde(default)]
    pub prove: bool,
    /// What was found in the earlier campaign.
    #[arg(skip)]
    #[serde(default)]
    pub earlier: Option<Source>,
}

impl Choice {
    /// Whether the number of cases is limited.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.again.is_some() || self.sample.or(self.each).or(self.limit).is_some()
    }
}

/// The source of a suite's random choices.
#[derive(Args, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Draw {
    /// Seed for sampling and for random choices within cases
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Cases")]
    pub rng: u64,
}

impl Draw {
    /// The cases that are chosen.
    #[must_use]
    pub fn selection(self, choice: &Choice) -> Selection {
        Selection {
            categories: choice.categories.clone(),
            sample: choice.sample,
            each: choice.each,
            rng: self.rng,
            shard: choice.shard,
            limit: choice.limit,
        }
    }
}

/// How long domains are searched.
#[derive(Args, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Search {
    /// Search each target for this time
    #[arg(long, value_name = "TIME", default_value = "1m")]
    #[serde(with = "text")]
    pub budget: Time,
}

/// The limits of one case.
#[derive(Args, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CaseLimits {
    /// Time limit for one case
    #[arg(long, value_name = "TIME", default_value = "5s")]
    #[serde(with = "text")]
    pub timeout: Time,
    /// Memory limit for one case, for the whole process tree
    #[arg(long, value_name = "SIZE", default_value = "2GiB")]
    #[serde(with = "text")]
    pub memory: Size,
}

/// The maximum output of a target that is read, in bytes.
pub const OUTPUT: usize = 64 << 20;

impl CaseLimits {
    /// The limits of a process that runs one case.
    #[must_use]
    pub fn of_process(self) -> Limits {
        Limits { wall: self.timeout.0, memory: Some(self.memory.0), output: OUTPUT }
    }
}

/// How targets are run.
#[derive(Args, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Execution {
    /// Random seed of the targets themselves
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed_targets: u64,
    /// Vary each target's options as its file declares them, a new set every 50 cases: default, regular
    /// or expert ones and all before them [default without a value: regular]
    ///
    /// Only options that keep the truth are varied, and options that a version does not have are left
    /// out. A finding is confirmed with the options it was found with, and kept with the fewest of them
    /// that show it.
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "regular")]
    #[serde(default, deserialize_with = "level")]
    pub fuzz_options: Option<Level>,
    /// Order of cases: plain keeps the suite's order and gives each case the full time limit;
    /// slices gives up slow cases early and runs them later [default: slices]
    #[arg(long, value_name = "NAME", default_value = "slices", hide_default_value = true)]
    #[serde(default = "plain")]
    pub schedule: Schedule,
    /// Give more time to categories whose cases show something new in the targets' own statistics
    ///
    /// New is a counter that was zero so far, or a magnitude that it did not have. The statistics are asked for so
    /// rarely that they take at most 2 % of the time of answers. Targets without statistics are run as
    /// without this.
    #[arg(long)]
    #[serde(default)]
    pub statistics: bool,
    /// Percentage of the time for cases that were given up early
    #[arg(long, value_name = "PERCENT", default_value_t = 15,
          value_parser = clap::value_parser!(u8).range(..=100))]
    #[serde(default)]
    pub late: u8,
    /// Percentage of the time for findings: group them during the run, and reduce and bisect one of
    /// each cluster [default: 15 in a hunt, otherwise 0]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(..=100))]
    #[serde(default)]
    pub reduce: Option<u8>,
    /// Do not reduce findings (the same as --reduce 0)
    #[arg(long, conflicts_with = "reduce")]
    #[serde(default)]
    pub no_reduce: bool,
}

impl Default for Execution {
    fn default() -> Execution {
        defaults()
    }
}

/// Campaigns of earlier versions were run so.
fn plain() -> Schedule {
    Schedule::Plain
}

/// Reads the level of options that are varied; earlier versions wrote whether all of them were.
fn level<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Level>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        All(bool),
        UpTo(Option<Level>),
    }
    Ok(match Written::deserialize(from)? {
        Written::All(all) => all.then_some(Level::Expert),
        Written::UpTo(level) => level,
    })
}

/// The targets' descriptions and confinement.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct TargetFlags {
    /// Where targets are described.
    #[command(flatten)]
    pub catalog: CatalogFlags,
    /// Run the tools under test in the sandbox, `on` or `off` (see docs/sandbox.md)
    #[arg(long, value_name = "ON|OFF", default_value = "on", global = true)]
    #[serde(with = "text")]
    pub sandbox: Sandbox,
}

/// The sources of targets' descriptions, in addition to the built-in ones.
#[derive(Args, Serialize, Deserialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CatalogFlags {
    /// Folder with descriptions of more targets; may be given several times
    #[arg(long = "targets", value_name = "DIR", global = true)]
    #[serde(rename = "targets")]
    pub folders: Vec<PathBuf>,
}

impl TargetFlags {
    /// The same flags for a command that is run in another folder.
    #[must_use]
    pub fn absolute(&self) -> TargetFlags {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let folders = self.catalog.folders.iter().map(absolute).collect();
        TargetFlags { catalog: CatalogFlags { folders }, ..self.clone() }
    }
}

/// The size of a maze, written as `5x3`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MazeSize {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl FromStr for MazeSize {
    type Err = String;

    fn from_str(text: &str) -> Result<MazeSize, String> {
        let parts = text.split_once('x').and_then(|(width, height)| {
            Some(MazeSize { width: width.parse().ok()?, height: height.parse().ok()? })
        });
        let known =
            |size: &MazeSize| (1..=64).contains(&size.width) && (1..=64).contains(&size.height);
        parts.filter(known).ok_or_else(|| {
            "expected WIDTHxHEIGHT with numbers from 1 to 64, such as 5x5".to_owned()
        })
    }
}

impl fmt::Display for MazeSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

fn wanted(name: &str) -> Result<Wanted, String> {
    Wanted::by_name(name).ok_or_else(|| format!("expected one of {}", Wanted::names()))
}

fn shape(name: &str) -> Result<String, String> {
    match Shape::NAMES.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("expected one of {}", Shape::NAMES.join(", "))),
    }
}

fn form(name: &str) -> Result<Form, String> {
    let known = || Form::ALL.map(Form::name).join(", ");
    Form::by_name(name).ok_or_else(|| format!("expected one of {}", known()))
}

fn mode(name: &str) -> Result<Mode, String> {
    let known = || Mode::ALL.map(Mode::name).join(", ");
    Mode::by_name(name).ok_or_else(|| format!("expected one of {}", known()))
}

fn expectation(name: &str) -> Result<Expectation, String> {
    match name {
        "reached" => Ok(Expectation::Reached),
        "safe" => Ok(Expectation::Safe),
        _ => Err("expected one of reached, safe".to_owned()),
    }
}

fn strategy(name: &str) -> Result<Strategy, String> {
    let known = || Strategy::ALL.map(Strategy::name).join(", ");
    Strategy::by_name(name).ok_or_else(|| format!("expected one of {}", known()))
}

fn algorithm(name: &str) -> Result<Algorithm, String> {
    let known = || Algorithm::ALL.map(Algorithm::name).join(", ");
    Algorithm::by_name(name).ok_or_else(|| format!("expected one of {}", known()))
}

fn scope(name: &str) -> Result<Scope, String> {
    let found = Scope::ALL.into_iter().find(|scope| scope.name() == name);
    found.ok_or_else(|| format!("expected one of {}", Scope::ALL.map(Scope::name).join(", ")))
}
