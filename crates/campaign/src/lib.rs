//! Runs test cases on targets, confirms what they show, and keeps the results.
//!
//! The only crate that writes results. Cases come from a [`assay_case::Suite`], answers from
//! [`assay_target::Target`]s, and [`assay_case::judge`] makes every comparison. Nothing is printed
//! here: events are passed to the caller as they happen.

mod baseline;
pub mod bisect;
pub mod certification;
pub mod cluster;
mod compare;
mod confirm;
mod coverage;
mod dispute;
mod domains;
mod drawn;
mod executed;
pub mod export;
mod fault;
mod fewest;
mod file;
pub mod flags;
mod folder;
mod follow;
mod gate;
mod header;
pub mod health;
pub mod kind;
mod known_queries;
mod lock;
mod merge;
mod novel;
mod outcome;
mod patience;
pub mod reduce;
mod reduced;
pub mod replay;
mod rerun;
mod rows;
mod run;
mod schedule;
pub mod settings;
mod shown;
mod slurm;
mod spent;
mod steps;
mod store;
pub mod suites;
mod summary;
mod text;
pub mod tool;
pub mod units;
mod verdict;
mod work;

pub use assay_grow::Extent;
pub use baseline::{Baseline, BaselineError, Known, KnownCase, Sighting, Standing, sightings};
pub use compare::{
    Change, CompareError, Comparison, Found, Mark, Tally, Terms, Times, compare, names, pairs,
};
pub use confirm::{Opinion, Stability};
pub use coverage::Missing;
pub use domains::{
    Begun, DOMAINS, DomainCampaign, DomainError, DomainFinding, DomainPrograms, DomainTally,
    Exhibit, Ledger, Patience, Recipe, Symptom, Told, begin, domain_categories, keep_corpus,
    keep_reduced, plan,
};
pub use drawn::{Drawn, DrawnError, list_cases};
pub use executed::{Executing, Launch};
pub use fault::FAULTS;
pub use file::FileError;
pub use folder::{Dossier, FindingRecord, FolderError, Matter, Other};
pub use follow::FollowUp;
pub use gate::{FailOn, Gate, Gated};
pub use header::{Header, command_line};
pub use known_queries::{KnownQueries, KnownQuery};
pub use lock::{Lock, LockError};
pub use merge::{FINDINGS, MergeError, Merged, RESULTS, Settlement, merge};
pub use novel::Novel;
pub use outcome::Outcome;
pub use reduced::{ReducedError, write_reduced, write_reduction};
pub use rerun::{Earlier, EarlierError, Source, Wanted};
pub use rows::{Shows, Stored};
pub use run::{Campaign, Event, Factory, Progress, RunError, Stop, folder_name};
pub use schedule::Schedule;
pub use shown::{shortened, shown};
pub use slurm::{JobArray, SubmitError, Submitted};
pub use spent::{Spent, Use};
pub use steps::Steps;
pub use store::{Listed, Results, StoreError, TargetRecord};
pub use summary::{Cell, Cleared, Extra, Findings, Row, Summary};
pub use verdict::{Judged, Verdict, given_up};
