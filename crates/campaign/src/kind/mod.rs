//! Everything that differs between kinds of subjects, in one place.
//!
//! Everything else (running, confirming, storing, replaying, bisecting, reducing, clustering,
//! reporting) is written once, over [`Handling`]. A new kind is a module here that implements this
//! trait, and a row of [`handling`]; the compiler lists what is missing.

mod formula;
mod program;
mod rewrite;
mod synthesis;
mod trace;

use crate::cluster::Traits;
use crate::confirm;
use crate::export::Written;
use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError};
use crate::outcome::Outcome;
use crate::reduce::{Job, Reduction, ReductionError, Watch};
use crate::replay::{File, ReplayError};
use assay_case::{Answer, FindingKind, Judgement, Kind, Subject, TestCase};
use assay_smtlib::Dialect;
use assay_target::process::Launcher;
use assay_target::{TargetName, spec};
use serde_json::json;
use std::path::Path;

/// The constants of a kind of subject.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// The default target; `None` if a target must be named.
    pub default_target: Option<&'static str>,
    /// A target that takes such subjects, for hints.
    pub example: &'static str,
    /// The name of tools for such subjects, with an article.
    pub tool: &'static str,
    /// The kind of tool that takes such subjects.
    pub tools: spec::Kind,
    /// The file in a finding's folder with the text that the target received.
    pub input_file: &'static str,
    /// The language of the subject.
    pub language: Language,
    /// The columns of the table, in order. Columns for skipped and rejected cases and for
    /// unreadable answers are shown only if they are not empty.
    pub columns: &'static [Outcome],
    /// Outcomes that have another name and heading for this kind.
    pub renamed: &'static [(Outcome, &'static str, &'static str)],
    /// The legend of the columns.
    pub legend: &'static str,
    /// Whether reduced cases, if any, distinguish findings better than the original ones.
    pub clusters_reduced: bool,
    /// Whether a suite generates each case again from its number. A search makes different cases
    /// each time.
    pub numbered: bool,
    /// The files in a finding's folder that reports show in addition to the subject.
    pub exhibits: Exhibits,
    /// A hint on how to give a file a truth.
    pub truth_hint: &'static str,
    /// A caption for the target's standard output.
    pub output: &'static str,
    /// The phrase before the commands that run the target by hand.
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
    /// The constants of the kind.
    fn profile(&self) -> &'static Profile;

    /// Whether a file holds such a subject, by its name and its text.
    fn is_in(&self, path: &Path, text: &str) -> bool;

    /// Whether a target of this name takes only such subjects, so that a file for it is of this
    /// kind even if it has a mistake.
    fn is_for(&self, _target: &TargetName) -> bool {
        false
    }

    /// The subject and truth of a user's file.
    ///
    /// # Errors The mistake in the file, or in a file next to it.
    fn of_file(&self, file: &File<'_>) -> Result<Subject, ReplayError>;

    /// Why a user's file is bad input if a target rejects it with these words; `None` if the target
    /// is or may be at fault.
    fn bad_input(&self, _text: &str, _rejected: &str, _launcher: &Launcher) -> Option<String> {
        None
    }

    /// The contents of a finding's folder apart from the subject itself, by file.
    fn files(&self, _case: &TestCase) -> Vec<(&'static str, Vec<u8>)> {
        Vec::new()
    }

    /// The case as `assay gen` writes it.
    ///
    /// # Errors
    /// Why the dialect cannot express it.
    fn written(&self, case: &TestCase, _dialect: Dialect) -> Result<Written, String> {
        let (name, expected) = (case.name(), case.expected().name());
        Ok(Written {
            file: format!("{name}.smt2"),
            text: format!("; {name}\n; expected: {expected}\n{}", case.text()),
            beside: Vec::new(),
            record: json!({ "model": null, "core": null, "optima": null }),
        })
    }

    /// Files that `assay gen` writes once, next to all cases.
    fn shared_files(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Reads the subject back from a finding's folder.
    ///
    /// # Errors
    /// Fails if a file is missing or invalid.
    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<Subject, FolderError>;

    /// The whole input that a finding's subject was cut out of.
    ///
    /// # Errors
    /// Fails if subjects of this kind are not cut out of larger inputs, or the input is not kept.
    fn whole(&self, folder: &Path, _case: &TestCase) -> Result<TestCase, ReplayError> {
        let what = "--bytes applies only to findings of abstract domains";
        Err(FileError::new(folder, what).into())
    }

    /// A one-line summary of a subject.
    fn essence(&self, text: &str) -> String;

    /// The results of executing a finding's subject, in words.
    fn runs(&self, _record: &FindingRecord) -> Option<String> {
        None
    }

    /// Whether a finding is repeated in fresh processes.
    fn confirms(&self, finding: FindingKind) -> bool {
        confirm::is_worth_confirming(finding)
    }

    /// The column for an answer that only tools for this kind give; `None` for other answers.
    fn outcome(&self, answer: &Answer, judgement: &Judgement) -> Option<Outcome>;

    /// The smallest case that still shows the same finding.
    ///
    /// # Errors
    /// Fails if the target does not show it, or a tool cannot be run.
    fn reduce(&self, job: Job<'_>, watch: &mut Watch<'_>) -> Result<Reduction, ReductionError>;

    /// The traits that distinguish findings of different bugs, from a finding's folder.
    ///
    /// # Errors
    /// Fails if a file is missing or invalid.
    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError>;

    /// The same traits for a case that the target got right, for contrast.
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
        Kind::Synthesis => &synthesis::Tasks,
    }
}

/// The constants of a kind of subject.
#[must_use]
pub fn profile(kind: Kind) -> &'static Profile {
    handling(kind).profile()
}
