//! The tools under test: how to install them, and how to run them safely.
//!
//! Only this crate starts processes. It generates no test cases and judges no answers.
//!
//! - [`Catalog`] knows the tools: one TOML file each ([`spec`]).
//! - [`Installer`] installs them into a folder of the user.
//! - [`Catalog::resolve`] resolves a [`TargetName`] to a [`Resolved`]: all that a runner needs.
//! - [`process`] runs programs under limits.
//! - A [`Target`] runs a case and returns an observation; a [`Solver`] is one, and a [`Varied`] is
//!   one whose options change from case to case.
//! - A [`Prover`] answers the queries of a search for triggering terms, a [`Stepper`] those of an
//!   examination of stability.

mod analyzer;
mod by_hand;
mod c_text;
mod catalog;
mod consult;
pub mod domain;
mod install;
mod libfuzzer;
mod library;
mod name;
mod native;
mod needs;
pub mod process;
mod provers;
mod reach;
mod resolve;
mod runner;
mod script;
mod self_test;
mod session;
mod solver;
pub mod spec;
mod statistics;
mod stepper;
mod subject;
mod subprocess;
mod vary;
mod version;

pub use analyzer::{Analyzer, Printed, read};
pub use by_hand::{ByHand, Handle, Script, shell_word};
pub use c_text::{NoError, in_dialect};
pub use catalog::{Catalog, CatalogError, Choice, ResolveError};
pub use consult::Repeatable;
pub use install::{
    InstallError, Installed, Installer, Item, Manifest, Mismatch, Network, Start, SystemPackages,
    Unpinned,
};
pub use libfuzzer::{NoLibfuzzer, libfuzzer};
pub use library::Library;
pub use name::{NameError, TargetName, nearest};
pub use native::{Executed, Native, NativeError, Trial, witness_file};
pub use needs::{needs, operators};
pub use process::HarnessError;
pub use provers::{Prover, Provers, ProversError, refutes_a_contradiction};
pub use resolve::{Ask, Resolved};
pub use runner::{Attachment, Mode, Ran, Run, Target};
pub use solver::{Settings, Solver};
pub use stepper::{NoSteps, Stepper};
pub use subprocess::ask;
pub use vary::{Chosen, OptionError, Varied, Vary};
pub use version::{RangeError, Version, VersionRange};
