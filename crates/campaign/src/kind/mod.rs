//! What differs from kind to kind of subject, in one place.
//!
//! Everything else on the road (running, confirming, storing, replaying, bisecting, reducing, clustering,
//! reporting) is written once, over [`Handling`]. A new kind is a module here with an implementation of
//! this trait, and a row of [`handling`]: the compiler lists what is missing.

mod formula;
mod program;
mod rewrite;
mod trace;

use crate::cluster::Traits;
use crate::confirm;
use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError};
use crate::outcome::Outcome;
use crate::reduce::{Job, Reduction, ReductionError, Watch};
use crate::replay::{File, ReplayError};
use assay_case::{Answer, FindingKind, Judgement, Kind, Subject, TestCase};
use assay_target::process::Launcher;
use assay_target::{TargetName, spec};
use std::path::Path;

/// What is fixed for a kind of subject.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// The target that is tested where none is named; `None` if one must be named.
    pub default_target: Option<&'static str>,
    /// A target that takes such subjects, for hints.
    pub example: &'static str,
    /// What a tool that takes such subjects is called, with its article.
    pub tool: &'static str,
    /// Which tools take such subjects.
    pub tools: spec::Kind,
    /// The file of a finding's folder with the text that the target was given.
    pub input_file: &'static str,
    /// The language of the subject.
    pub language: Language,
    /// The columns of the table, in order. Those for cases that were not run or were rejected, or
    /// whose answers cannot be read, are shown only if they count something.
    pub columns: &'static [Outcome],
    /// What the columns mean.
    pub legend: &'static str,
    /// Whether reduced cases, if there are any, tell findings apart better than those found.
    pub clusters_reduced: bool,
    /// Whether a suite makes each case again from its number. A search makes other cases each time.
    pub numbered: bool,
    /// The files of a finding's folder that reports show beside the subject.
    pub exhibits: Exhibits,
    /// What gives a file a truth, as a hint.
    pub truth_hint: &'static str,
    /// What standard output of a target holds.
    pub output: &'static str,
    /// What comes before the commands that run the target by hand.
    pub by_hand: &'static str,
}

assay_case::named! {
    /// The language of a subject, as Markdown names it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Language {
        /// SMT-LIB.
        Smt2 = "smt2",
        /// C.
        C = "c",
        /// Any other.
        Plain = "text",
    }
}

/// Files that show why a truth is right, or what a target computed.
#[derive(Clone, Copy, Debug)]
pub struct Exhibits {
    /// The inputs on which a program reaches its error, as a C file.
    pub inputs: Option<&'static str>,
    /// A model that satisfies a formula.
    pub witness: Option<&'static str>,
    /// A picture (SVG).
    pub picture: Option<&'static str>,
}

impl Exhibits {
    /// Nothing but the subject.
    pub const NONE: Exhibits = Exhibits { inputs: None, witness: None, picture: None };
}

/// How subjects of one kind are handled.
pub trait Handling: Sync {
    /// What is fixed for the kind.
    fn profile(&self) -> &'static Profile;

    /// Whether a file holds such a subject, by its name and its text.
    fn is_in(&self, path: &Path, text: &str) -> bool;

    /// Whether a target of this name takes nothing else, so that a file for it is such a subject even
    /// with a mistake in it.
    fn is_for(&self, _target: &TargetName) -> bool {
        false
    }

    /// The subject of a file of the user's, with its truth.
    ///
    /// # Errors
    /// What is wrong with the file, or with a file beside it.
    fn of_file(&self, file: &File<'_>) -> Result<Subject, ReplayError>;

    /// Why a file of the user's is bad input if a target rejects it with these words; `None` if the
    /// rejection is the target's fault, or may be.
    fn bad_input(&self, _text: &str, _rejected: &str, _launcher: &Launcher) -> Option<String> {
        None
    }

    /// What beside the subject itself a finding's folder holds, by file.
    fn files(&self, _case: &TestCase) -> Vec<(&'static str, Vec<u8>)> {
        Vec::new()
    }

    /// Reads the subject back from a finding's folder.
    ///
    /// # Errors
    /// Where a file is missing, or is not what it should be.
    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<Subject, FolderError>;

    /// The whole input that the subject of a finding's folder was cut out of.
    ///
    /// # Errors
    /// Where subjects are not cut out of anything, or the input is not kept.
    fn whole(&self, folder: &Path, _case: &TestCase) -> Result<TestCase, ReplayError> {
        let what = "--bytes is about findings of abstract domains; leave it out";
        Err(FileError::new(folder, what).into())
    }

    /// What a subject is about, on one line.
    fn essence(&self, text: &str) -> String;

    /// What runs that we made of a subject of a finding showed, in words.
    fn runs(&self, _record: &FindingRecord) -> Option<String> {
        None
    }

    /// Whether a finding is run again in fresh processes.
    fn confirms(&self, finding: FindingKind) -> bool {
        confirm::is_worth_confirming(finding)
    }

    /// The column for an answer that only tools for this kind give; `None` for other answers.
    fn outcome(&self, answer: &Answer, judgement: &Judgement) -> Option<Outcome>;

    /// The smallest case that still shows the same finding.
    ///
    /// # Errors
    /// Where the target does not show it, or a tool cannot be run.
    fn reduce(&self, job: Job<'_>, watch: &mut Watch<'_>) -> Result<Reduction, ReductionError>;

    /// What tells findings of different bugs apart, from a finding's folder.
    ///
    /// # Errors
    /// Where a file is missing, or is not what it should be.
    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError>;

    /// The same of a case that the target got right, for contrast.
    fn traits_of(&self, case: &TestCase) -> Traits;
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

/// What is fixed for a kind of subject.
#[must_use]
pub fn profile(kind: Kind) -> &'static Profile {
    handling(kind).profile()
}
