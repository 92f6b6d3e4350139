//! Runs test cases on targets, confirms what they show, and keeps the results.
//!
//! The only crate that writes results. Cases come from a [`assay_case::Suite`], answers from
//! [`assay_target::Target`]s, and every comparison is [`assay_case::judge`]'s. Nothing is printed
//! here: what happens is handed to the caller as it happens.

pub mod cluster;
mod confirm;
mod dispute;
mod folder;
mod outcome;
mod run;
mod store;
mod summary;

pub use confirm::{Opinion, Stability};
pub use folder::FindingRecord;
pub use outcome::Outcome;
pub use run::{Campaign, Event, Factory, Judged, Progress, RunError, Stop, Verdict, folder_name};
pub use store::{Header, Listed, Results, StoreError, TargetRecord};
pub use summary::{Cell, Row, Summary};
