//! What differs from kind to kind of subject, in one place.
//!
//! Everything else on the road (running, confirming, storing, replaying, bisecting, clustering,
//! reporting) is written once, over [`Handling`]. A new kind is a new variant of [`Kind`] and an
//! implementation of this trait: the compiler lists what is missing.

mod formula;
mod program;
mod rewrite;
mod trace;

use crate::cluster::Traits;
use crate::folder::{FindingRecord, FolderError};
use crate::outcome::Outcome;
use assay_case::{Kind, TestCase};
use assay_target::spec;
use std::path::Path;

/// How subjects of one kind are handled.
pub trait Handling: Sync {
    /// The kind.
    fn kind(&self) -> Kind;

    /// The target that is tested where none is named; none where one must be named.
    fn default_target(&self) -> Option<&'static str>;

    /// What a tool that takes such subjects is called, with its article.
    fn tool(&self) -> &'static str;

    /// Which tools take such subjects.
    fn tools(&self) -> spec::Kind;

    /// The file of a finding's folder with the text that the target was given.
    fn input_file(&self) -> &'static str;

    /// The language of the subject, as Markdown names it.
    fn language(&self) -> &'static str;

    /// What beside the subject itself a finding's folder holds, by file.
    fn files(&self, case: &TestCase) -> Vec<(&'static str, Vec<u8>)>;

    /// Reads the case back from a finding's folder.
    ///
    /// # Errors
    /// Where a file is missing, or is not what it should be.
    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<TestCase, FolderError>;

    /// What a subject is about, on one line.
    fn essence(&self, text: &str) -> String;

    /// The columns of the table, in order. Those for cases that were not run, or whose answers cannot be
    /// read, are shown only where they count something.
    fn columns(&self) -> &'static [Outcome];

    /// What the columns mean.
    fn legend(&self) -> &'static str;

    /// What tells findings of different bugs apart, from a finding's folder.
    ///
    /// # Errors
    /// Where a file is missing, or is not what it should be.
    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError>;

    /// The same of a case that the target got right, for contrast.
    fn traits_of(&self, case: &TestCase) -> Traits;

    /// Whether reduced cases, where there are any, tell findings apart better than those found.
    fn clusters_reduced(&self) -> bool;
}

/// How subjects of a kind are handled.
#[must_use]
pub fn handling(kind: Kind) -> &'static dyn Handling {
    match kind {
        Kind::Formula => &formula::Formulas,
        Kind::Program => &program::Programs,
        Kind::Trace => &trace::Traces,
        Kind::Rewrite => &rewrite::Rewrites,
    }
}
