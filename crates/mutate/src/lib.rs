//! Formulas made from other formulas, with their truth.
//!
//! A seed's status comes from the file or from solvers that are asked through
//! [`assay_case::Consult`]; a solver's model that satisfies the seed by evaluation makes it certain.
//! Mutations keep the status by certified rules, and if there is a model, every mutant is evaluated
//! under it. No solver labels a mutant.

mod approx;
mod approximation;
mod certified;
mod cnf;
mod confine;
mod draw;
mod equal;
mod equalities;
mod files;
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
mod trivial;
mod truth;
mod vocabulary;

pub use approximation::approximations;
pub use draw::Draw;
pub use equal::rewritten;
pub use equalities::{Equal, Equalities, Fill};
pub use files::Files;
pub use fusion::rebuild_fused;
pub use pool::Pool;
pub use recipe::fusions;
pub use recombine::Mode;
pub use seed::{Seed, SeedError};
pub use solvers::{Consultants, Solvers};
pub use trace::{TraceError, TraceStep, rebuild};
pub use vocabulary::{indices, tuples};

use assay_case::Suite;
use std::path::PathBuf;

/// Settings for generating mutants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutantOptions {
    /// Seed files and folders.
    pub seeds: Vec<PathBuf>,
    /// Seed for all random choices.
    pub rng: u64,
    /// Number of mutants per seed.
    pub mutants: u32,
    /// Maximum number of times a mutant is mutated again.
    pub rounds: u32,
    /// Maximum number of literals changed at a time.
    pub literals: usize,
    /// Maximum depth of new terms.
    pub depth: u32,
    /// Maximum number of fused pairs of terms.
    pub pairs: usize,
    /// Maximum number of recombined assertions.
    pub assertions: usize,
    /// Maximum height of recombined formulas.
    pub height: u32,
    /// What recombined formulas are; each in turn if none is given.
    pub mode: Option<Mode>,
    /// The form in which seeds are mutated; each in turn if none is given.
    pub form: Option<Form>,
    /// How literals are approximated; in both ways if none is given.
    pub strategy: Option<Strategy>,
    /// Leave out seeds that are trivial, and seeds that no solver answers in time.
    pub filter: bool,
    /// Ask solvers for proofs of the seeds that they call unsatisfiable: checked ones make the truth of
    /// mutants certain.
    pub prove: bool,
    /// Skip seed files with more bytes than this.
    pub largest: usize,
}

impl Default for MutantOptions {
    fn default() -> MutantOptions {
        MutantOptions {
            seeds: Vec::new(),
            rng: 0,
            mutants: 300,
            rounds: 1,
            literals: 5,
            depth: 2,
            pairs: 2,
            assertions: 20,
            height: 20,
            mode: None,
            form: None,
            strategy: None,
            filter: false,
            prove: false,
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
    /// Clauses whose variables are defined only in the direction that their polarity requires.
    PlaistedGreenbaum,
    /// As written.
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

/// How literals are approximated (FSE 2021, sections 4.2.1 and 4.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Predicate symbol transformation: by rules and by congruence.
    Pst,
    /// Live predicate injection: joined with new formulas.
    Lpi,
}

impl Strategy {
    /// Every strategy.
    pub const ALL: [Strategy; 2] = [Strategy::Pst, Strategy::Lpi];

    /// Its name in flags.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Pst => "pst",
            Strategy::Lpi => "lpi",
        }
    }

    /// The strategy of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

/// Why a suite cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum MutateError {
    /// No suite has this name.
    #[error("no suite `{0}` works on seeds")]
    Unknown(String),
    /// No seeds were given.
    #[error(
        "no formulas to start from: name files or folders with --seeds DIR (for the suite `files`, after its name)"
    )]
    NoFolder,
    /// A folder without seeds.
    #[error("{}: no .smt2 files found", .0.display())]
    NoSeeds(PathBuf),
    /// A file that cannot be read.
    #[error("{}: {source}", .path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

/// The name of the suite that recombines assertions, which other suites start from.
pub const RECOMBINE: &str = "recombine";

/// The names of the suites.
pub const SUITES: [&str; 7] =
    ["approx", "equal", "confine", "fusion", "opmut", "typemut", RECOMBINE];

/// Creates a suite. Without solvers to ask, only the status that seeds declare is known.
///
/// # Errors
/// If there is no such suite, or there are no seeds.
pub fn suite(
    name: &str,
    config: MutantOptions,
    consultants: Option<Box<Consultants>>,
) -> Result<Box<dyn Suite>, MutateError> {
    let strategy: Box<dyn suite::Strategy> = match name {
        "approx" => Box::new(approx::Approx),
        "equal" => Box::new(equal::Rewriting),
        "confine" => Box::new(confine::Confine),
        "fusion" => Box::new(fusion::Fusion::default()),
        "opmut" => Box::new(operators::Mutation::Operator),
        "typemut" => Box::new(operators::Mutation::Term),
        RECOMBINE => Box::new(recombine::Recombine),
        _ => return Err(MutateError::Unknown(name.to_owned())),
    };
    let needs = strategy.needs();
    let library = library::Library::new(&config, consultants, needs)?;
    Ok(Box::new(suite::Mutants::new(library, config, strategy)))
}
