//! One strategy for all files: cheap ways first, each with increasing effort, under one budget.

use crate::diagnosis::{Diagnosis, Way};
use crate::engine::Engine;
use crate::local::Parts;
use crate::normal::PrepareError;
use crate::pool::Level;
use crate::workbench::{Effort, Instantiation};
use assay_term::{Budget, Exhausted, TermId};
use std::time::Duration;

/// The settings of a search.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The time for one file.
    pub budget: Duration,
    /// The seed for all choices.
    pub rng: u64,
    /// The only way to try; `None` for all.
    pub only: Option<Way>,
    /// Whether to continue after the first refutation.
    pub all: bool,
    /// Whether to look for weaker patterns.
    pub suggest: bool,
    /// The source of patterns that the file lacks.
    pub patterns: PatternSource,
    /// Parameters that override those of the configurations.
    pub tuning: Tuning,
    /// The treatment of contradictions known for the encoding.
    pub artefacts: Artefacts,
}

/// Parameters of the configurations C0 to C4; `None` keeps the configuration's own value.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tuning {
    /// The minimum Jaccard index of similar formulas, in percent (σ); lowered round by round.
    pub similarity: Option<usize>,
    /// The number of similarity steps that a cluster spans (δ).
    pub depth: Option<usize>,
    /// The number of different models of one formula (μ).
    pub models: Option<usize>,
    /// The number of candidate terms that are validated together (β).
    pub batch: Option<usize>,
    /// The maximum number of copies of a formula in a cluster (Φ).
    pub copies: Option<usize>,
    /// The number of formulas solved for one conjunct.
    pub formulas: Option<usize>,
}

/// The treatment of contradictions known for the encoding.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Artefacts {
    /// Used only if there is no other contradiction.
    #[default]
    LookedPast,
    /// Treated like others.
    Kept,
}

/// The maximum number of cells for the terms of one walk: about 256 MiB.
const SPACE: u64 = 32 << 20;

impl Settings {
    /// The budget of our own walks over the file's terms, from now on.
    pub(crate) fn walks(&self, engine: &dyn Engine) -> Budget {
        Budget::new(u64::MAX, SPACE).within(self.budget.saturating_sub(engine.elapsed()))
    }

    /// The diagnosis of a file that cannot be prepared.
    pub(crate) fn unprepared(&self, error: PrepareError) -> Diagnosis {
        match error {
            PrepareError::Limit { limit: Exhausted::Time, doing } => {
                Diagnosis::Timeout(format!("time limit of {:?} reached while {doing}", self.budget))
            }
            PrepareError::Limit { limit: Exhausted::Space, doing } => Diagnosis::GaveUp(format!(
                "memory limit of {} MiB reached while {doing}",
                (SPACE * 8) >> 20
            )),
            error => Diagnosis::GaveUp(error.to_string()),
        }
    }
}

/// The source of inferred patterns.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PatternSource {
    /// Assay.
    #[default]
    Ours,
    /// The solver.
    Solver,
}

/// Terms with which E-matching refutes the file.
pub(crate) struct Sufficient {
    pub(crate) terms: Vec<TermId>,
    /// The effort in which they suffice.
    pub(crate) effort: Effort,
}

/// A step of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    /// The file itself, if that did not end before.
    Plain(Effort),
    /// Patterns with at most this many variables over the pool of a level.
    Enumerate(Level, usize, Effort),
    /// Patterns with at most this many variables over each of many small pools.
    Pools(Small, usize),
    /// All patterns over this many terms of each inferred kind.
    Kinds(usize, Effort),
    /// All patterns over deep terms.
    Spines,
    /// A refutation of the whole file by models.
    Prove(Effort),
    /// A refutation of the whole file by cvc5.
    Cvc5(Effort),
    /// A refutation of the whole file by first-order provers, each for this many seconds.
    FirstOrder(u64),
    /// Refutations of small parts.
    Local(Parts),
    /// Models of clusters: the configuration, the minimum similarity, the number of formulas.
    Cluster(Way, usize, usize),
}

/// The common property of the terms in a small pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Small {
    /// A few of the file's constants.
    Constants,
    /// The values of one function.
    Functions,
}

const fn local(neighbours: usize, how: Instantiation) -> Stage {
    Stage::Local(Parts { neighbours, how })
}

/// Patterns with any number of variables.
const ANY: usize = usize::MAX;

/// All ways, the cheapest first, each repeated with more effort.
const PORTFOLIO: [Stage; 41] = [
    Stage::Enumerate(Level::Constants, 1, Effort(1_000_000)),
    Stage::Enumerate(Level::Simple, ANY, Effort::SMALL),
    Stage::Prove(Effort(500_000)),
    Stage::Enumerate(Level::Constants, 1, Effort::SMALL),
    Stage::Enumerate(Level::Constants, 2, Effort::SMALL),
    Stage::Enumerate(Level::Constants, ANY, Effort::SMALL),
    Stage::Cvc5(Effort(500_000)),
    Stage::Kinds(2, Effort::SMALL),
    local(0, Instantiation::Ematching),
    Stage::Cluster(Way::C0, 30, 4),
    Stage::Pools(Small::Functions, 1),
    Stage::Cvc5(Effort::SMALL),
    Stage::Prove(Effort::SMALL),
    Stage::FirstOrder(2),
    Stage::Kinds(4, Effort::SMALL),
    Stage::Spines,
    Stage::Enumerate(Level::Simple, ANY, Effort::MEDIUM),
    Stage::Enumerate(Level::Constants, 1, Effort::MEDIUM),
    Stage::Enumerate(Level::Constants, ANY, Effort::MEDIUM),
    Stage::Kinds(8, Effort::MEDIUM),
    Stage::Pools(Small::Constants, 1),
    Stage::Pools(Small::Functions, ANY),
    Stage::Pools(Small::Constants, ANY),
    Stage::Enumerate(Level::Applications, 1, Effort::SMALL),
    Stage::Enumerate(Level::Applications, ANY, Effort::SMALL),
    local(5, Instantiation::Ematching),
    local(3, Instantiation::Models),
    Stage::Cluster(Way::C0, 30, 30),
    Stage::Cluster(Way::C3, 20, 30),
    Stage::Cvc5(Effort::MEDIUM),
    Stage::FirstOrder(10),
    Stage::Prove(Effort::MEDIUM),
    Stage::Plain(Effort::MEDIUM),
    Stage::Cluster(Way::C4, 10, 30),
    local(10, Instantiation::Models),
    Stage::Cluster(Way::C0, 10, 100),
    Stage::Prove(Effort::LARGE),
    Stage::Cluster(Way::C1, 10, 100),
    Stage::Cluster(Way::C3, 10, 100),
    Stage::Cluster(Way::C4, 0, 100),
    Stage::Cluster(Way::C2, 10, 100),
];

impl Stage {
    pub(crate) fn way(self) -> Way {
        match self {
            Stage::Plain(_)
            | Stage::Enumerate(..)
            | Stage::Pools(..)
            | Stage::Kinds(..)
            | Stage::Spines => Way::Enumeration,
            Stage::Prove(_) => Way::Proof,
            Stage::Cvc5(_) => Way::Cvc5,
            Stage::FirstOrder(_) => Way::FirstOrder,
            Stage::Local(parts) if parts.how == Instantiation::Models => Way::Proof,
            Stage::Local(_) => Way::Enumeration,
            Stage::Cluster(way, ..) => way,
        }
    }

    /// All stages, or those of one way; a configuration lowers the similarity round by round.
    pub(crate) fn of(only: Option<Way>, tuning: Tuning) -> Vec<Stage> {
        let Some(way) = only else { return PORTFOLIO.to_vec() };
        let first = match way {
            Way::Enumeration | Way::Proof | Way::Cvc5 | Way::FirstOrder => {
                return PORTFOLIO.into_iter().filter(|stage| stage.way() == way).collect();
            }
            Way::C0 | Way::C2 | Way::C3 => 30,
            Way::C1 | Way::C4 => 10,
        };
        let first = tuning.similarity.unwrap_or(first);
        let lower = (0..first).rev().filter(|percent| percent % 10 == 0);
        let formulas = tuning.formulas.unwrap_or(100);
        std::iter::once(first)
            .chain(lower)
            .map(|similarity| Stage::Cluster(way, similarity, formulas))
            .collect()
    }
}
