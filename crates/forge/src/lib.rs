//! Formulas that are satisfiable or unsatisfiable by construction, with their truth.
//!
//! A suite is data: operations of the operator table, pools of constants, and the categories that
//! are built from them (see the files in `presets/`). Cases are numbered, generated one at a time from
//! their number, and carry a witness that was checked by evaluation. No solver is asked.
//!
//! ```
//! use assay_case::{Selection, Suite};
//! use assay_forge::{SuiteOptions, suite};
//!
//! let options = SuiteOptions { preset: Some("icse20".into()), ..SuiteOptions::default() };
//! let strings = suite("strings", &options)?;
//! let selection = Selection { sample: Some(3), rng: 42, ..Selection::default() };
//! for id in strings.cases(&selection) {
//!     let case = strings.make(id)?;
//!     assert_eq!(case.grade().map(|grade| grade.name()), Some("certified"));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draw;
mod equation;
mod error;
mod history;
mod languages;
mod maxsmt;
mod operation;
mod permutation;
mod presets;
mod quantified;
mod refute;
pub mod rules;
mod space;
mod spec;
mod suite;
mod theory;
mod tour;

pub use error::ForgeError;
pub use permutation::Permutation;
pub use tour::{in_turn, tour};

use assay_case::Suite;
use spec::Spec;

/// Settings for creating a suite.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SuiteOptions {
    /// The preset; the suite's default if none is given.
    pub preset: Option<String>,
    /// A description (TOML) whose parts replace those of the preset.
    pub overlay: Option<String>,
    /// Nesting depth of terms in term synthesis, if it differs from the preset's.
    pub depth: Option<u8>,
    /// Number of replacements in a chain of unsatisfiable formulas, if it differs from the preset's.
    pub chain: Option<u8>,
}

/// The names of the suites.
#[must_use]
pub fn suites() -> Vec<&'static str> {
    presets::suites()
}

/// The presets of a suite, the default one first.
#[must_use]
pub fn presets(suite: &str) -> Vec<&'static str> {
    presets::presets(suite)
}

/// Creates a suite.
///
/// # Errors
/// If there is no such suite or preset, or the description is wrong.
pub fn suite(name: &str, config: &SuiteOptions) -> Result<Box<dyn Suite>, ForgeError> {
    let mut spec = presets::find(name, config.preset.as_deref())?;
    if let Some(text) = &config.overlay {
        let overlay = Spec::read(text)?;
        let parameters = overlay.parameters.clone().unwrap_or_default();
        spec = spec.overlaid(overlay);
        spec.mentions_all(parameters.keys())?;
    }
    spec.depth = config.depth.or(spec.depth);
    if let Some(refute) = &mut spec.refute {
        refute.depth = config.chain.or(refute.depth);
    }
    Ok(Box::new(suite::Forged::new(name, &spec)?))
}
