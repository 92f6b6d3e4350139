//! Formulas made from other formulas, with what is known about them.
//!
//! A seed's status comes from itself or from solvers that are asked through [`assay_case::Consult`];
//! a solver's model that satisfies the seed by evaluation makes it certain. Mutations keep the
//! status by certified rules, and where there is a model every mutant is evaluated under it. No
//! solver labels a mutant.

mod approx;
mod approximation;
mod certified;
mod cnf;
mod draw;
mod fusion;
mod import;
mod library;
mod occurrences;
mod operators;
mod pair;
mod pool;
mod recipe;
mod recombine;
mod rewrite;
mod seed;
mod skeleton;
mod snippet;
mod solvers;
mod suite;
mod trace;
mod truth;
mod vocabulary;

pub use approximation::approximations;
pub use draw::Draw;
pub use fusion::rebuild_fused;
pub use recipe::fusions;
pub use seed::{Seed, SeedError};
pub use solvers::{Consultants, Solvers};
pub use trace::{Step, TraceError, rebuild};

use assay_case::Suite;
use std::path::PathBuf;

/// How mutants are to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Files and folders with seeds.
    pub seeds: Vec<PathBuf>,
    /// Decides what is drawn.
    pub rng: u64,
    /// How many mutants of each seed.
    pub mutants: u32,
    /// Up to how often a mutant is mutated again.
    pub rounds: u32,
    /// Up to how many literals are changed each time.
    pub literals: usize,
    /// How deep new terms nest.
    pub depth: u32,
    /// Up to how many pairs of terms are fused.
    pub pairs: usize,
    /// Up to how many assertions are recombined.
    pub assertions: usize,
    /// How high recombined formulas grow.
    pub height: u32,
    /// The form in which seeds are mutated; each in turn where none is given.
    pub form: Option<Form>,
    /// Files of more bytes are no seeds.
    pub largest: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            seeds: Vec::new(),
            rng: 0,
            mutants: 300,
            rounds: 1,
            literals: 5,
            depth: 2,
            pairs: 2,
            assertions: 20,
            height: 20,
            form: None,
            largest: 100_000,
        }
    }
}

/// The form in which a seed is mutated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Clauses with fully defined variables.
    Tseitin,
    /// Clauses whose variables are defined in the direction that matters.
    PlaistedGreenbaum,
    /// As it is written.
    Kept,
}

impl Form {
    /// Every form.
    pub const ALL: [Form; 3] = [Form::Tseitin, Form::PlaistedGreenbaum, Form::Kept];

    /// Its name in flags and traces.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Form::Tseitin => "tseitin",
            Form::PlaistedGreenbaum => "plaisted-greenbaum",
            Form::Kept => "kept",
        }
    }

    /// The form of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }
}

/// Why there is no suite.
#[derive(Debug, thiserror::Error)]
pub enum MutateError {
    /// No suite has this name.
    #[error("there is no suite `{0}` over seeds")]
    Unknown(String),
    /// No seeds were given.
    #[error("this suite mutates formulas: give some with --seeds DIR")]
    NoFolder,
    /// A folder without seeds.
    #[error("{}: there are no .smt2 files", .0.display())]
    NoSeeds(PathBuf),
    /// A file that cannot be read.
    #[error("{}: {source}", .path.display())]
    Unread {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// The names of the suites.
pub const SUITES: [&str; 5] = ["approx", "fusion", "opmut", "typemut", "recombine"];

/// Makes a suite. Without solvers to ask, only seeds that declare their status are known.
///
/// # Errors
/// Where there is no such suite, or there are no seeds.
pub fn suite(
    name: &str,
    config: Config,
    consultants: Option<Box<Consultants>>,
) -> Result<Box<dyn Suite>, MutateError> {
    let strategy: Box<dyn suite::Strategy> = match name {
        "approx" => Box::new(approx::Approx),
        "fusion" => Box::new(fusion::Fusion::default()),
        "opmut" => Box::new(operators::Mutation::Operator),
        "typemut" => Box::new(operators::Mutation::Term),
        "recombine" => Box::new(recombine::Recombine),
        _ => return Err(MutateError::Unknown(name.to_owned())),
    };
    let asks = strategy.needs_truth();
    let library = library::Library::new(&config.seeds, config.largest, consultants, asks)?;
    Ok(Box::new(suite::Mutants::new(library, config, strategy)))
}
