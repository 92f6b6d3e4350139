//! The rewriting that a solver is asked for, as text.

use assay_smtlib::{Dialect, Printer};
use assay_term::{SortId, Store, TermId};
use serde::Deserialize;

/// How the goals of a tactic relate to the original formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// Some goal holds if and only if the formula does.
    Equivalent,
    /// Some goal is satisfiable if and only if the formula is.
    Equisatisfiable,
}

/// A requested rewriting.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Request {
    /// `(simplify t :parameter value …)`.
    Simplify {
        /// Parameters and their values.
        parameters: Vec<(String, String)>,
    },
    /// `(assert t) (apply tactic)`.
    Apply {
        /// The tactic, as it is written.
        tactic: String,
        /// What the tactic promises.
        promise: Promise,
    },
}

impl Request {
    /// Plain simplification.
    pub const SIMPLIFY: Request = Request::Simplify { parameters: Vec::new() };

    /// Whether the request fits the term: tactics take formulas.
    #[must_use]
    pub fn suits(&self, store: &Store, term: TermId) -> bool {
        match self {
            Request::Simplify { .. } => true,
            Request::Apply { .. } => store.sort(term) == SortId::BOOL,
        }
    }

    /// The commands of the request, after the declarations, with the parameters that are offered.
    #[must_use]
    pub fn text(
        &self,
        store: &Store,
        term: TermId,
        dialect: Dialect,
        offered: &dyn Fn(&str) -> bool,
    ) -> String {
        let term = Printer::new(store).dialect(dialect).term(term);
        match self {
            Request::Simplify { parameters } => {
                let parameters: String = parameters
                    .iter()
                    .filter(|(parameter, _)| offered(parameter))
                    .map(|(parameter, value)| format!(" :{parameter} {value}"))
                    .collect();
                format!("(simplify {term}{parameters})\n")
            }
            Request::Apply { tactic, promise } => {
                // The benchmark declares the symbols that the tactic invents.
                let benchmark = match promise {
                    Promise::Equivalent => "",
                    Promise::Equisatisfiable => " :print_benchmark true",
                };
                format!("(assert {term})\n(apply {tactic}{benchmark})\n")
            }
        }
    }
}

impl Promise {
    const ALL: [Promise; 2] = [Promise::Equivalent, Promise::Equisatisfiable];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Promise::Equivalent => "equivalent",
            Promise::Equisatisfiable => "equisatisfiable",
        }
    }

    /// The promise with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Promise> {
        Promise::ALL.into_iter().find(|promise| promise.name() == name)
    }
}
