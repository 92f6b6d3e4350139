//! How solvers are asked about the subjects that they take, one module for each kind.

mod formula;
mod rewrite;
mod synthesis;

use crate::resolve::{Ask, Resolved};
use assay_case::{Observation, Output, Part, Subject};

/// A subject that solvers take.
pub(crate) trait Asked {
    /// The requests other than the verdict. Options that a target does not accept in combination
    /// with them are left out.
    fn ask(&self, target: &Resolved) -> Ask<'static>;

    /// The options that it sets itself, as commands.
    fn own_options(&self) -> Vec<String> {
        Vec::new()
    }

    /// The text that the target receives.
    ///
    /// # Errors
    /// The features or operators that the target lacks, or what its dialect cannot express.
    fn text(&self, target: &Resolved, ask: &Ask<'_>) -> Result<String, String>;

    /// The beginning of the text, if a session may read it once for all subjects that share it and read
    /// the rest of each in a scope of its own, which solvers forget faster than they reset themselves.
    fn head(&self, _target: &Resolved, _ask: &Ask<'_>) -> Option<String> {
        None
    }

    /// The questions after the verdict, in order.
    fn parts(&self, ask: &Ask<'_>) -> Vec<Part>;

    /// Interprets the target's output.
    fn observe(&self, target: &Resolved, output: &Output<'_>) -> Observation;
}

/// A subject in the form that solvers are asked about; `None` if solvers do not take it.
pub(crate) fn asked(subject: &Subject) -> Option<&dyn Asked> {
    match subject {
        Subject::Formula(test) => Some(&**test),
        Subject::Rewrite(test) => Some(&**test),
        Subject::Synthesis(test) => Some(&**test),
        Subject::Program(_) | Subject::Trace(_) => None,
    }
}
