//! The mutations of a seed as lines that can be read, shortened and applied again.

use crate::Form;
use crate::cnf::{Clauses, Definitions};
use crate::occurrences::Site;
use crate::recombine;
use crate::rewrite::{part_at, replace_at};
use crate::seed::{Base, Seed};
use assay_case::Formula;
use assay_smtlib::{Lets, Printer, read_term_as};
use assay_term::{Store, Term, TermId};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// One mutation: a part of an assertion is replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The rule that allows it, or the mutation's name.
    pub rule: String,
    /// Which assertion, from zero.
    pub assertion: usize,
    /// The child positions on the path from the assertion down.
    pub path: Vec<u32>,
    /// The new part.
    pub with: String,
}

/// Why a mutation cannot be applied.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TraceError {
    /// The line is not a mutation.
    #[error(
        "`{0}` is not a mutation; expected RULE ASSERTION:PATH TERM, such as `lt-le 0:1.2 (<= x y)`"
    )]
    Line(String),
    /// The first line does not name a form.
    #[error("`{0}` does not name the form of a seed; expected `form kept`")]
    Form(String),
    /// The second seed cannot be joined to the first.
    #[error("{0}")]
    Partner(String),
    /// There is no such position.
    #[error("no term at {0}")]
    Place(String),
    /// The new part does not fit at its position.
    #[error("`{with}` does not fit at {place}: {fault}")]
    Part {
        /// The new part.
        with: String,
        /// The position.
        place: String,
        /// The error.
        fault: String,
    },
}

impl TraceStep {
    fn place(&self) -> String {
        let path: Vec<String> = self.path.iter().map(u32::to_string).collect();
        format!("{}:{}", self.assertion, path.join("."))
    }

    /// Replaces a part and records the step. Below a quantifier, the step replaces the whole
    /// quantifier, so the new part has no free variables.
    pub(crate) fn take(
        store: &mut Store,
        assertions: &mut [TermId],
        rule: String,
        site: Site,
        new: TermId,
    ) -> TraceStep {
        let Site { assertion, path } = site;
        let root = assertions[assertion];
        let changed = replace_at(store, root, &path, new);
        assertions[assertion] = changed;
        let mut closed = 0;
        let mut term = root;
        for &at in &path {
            if matches!(store.get(term), Term::Quant(..) | Term::Lambda(..) | Term::Match(..)) {
                break;
            }
            term = store.children(term)[at as usize];
            closed += 1;
        }
        let path = path[..closed].to_vec();
        let part = part_at(store, changed, &path).expect("the path was followed before");
        let with = Printer::new(store).term(part);
        TraceStep { rule, assertion, path, with }
    }

    /// Applies it again.
    ///
    /// # Errors
    /// If the position does not exist or the part does not fit.
    pub(crate) fn again(&self, base: &mut Base) -> Result<(), TraceError> {
        let Base { store, env, assertions, .. } = base;
        let place = || TraceError::Place(self.place());
        let root = *assertions.get(self.assertion).ok_or_else(place)?;
        let old = part_at(store, root, &self.path).ok_or_else(place)?;
        let fault = |fault: String| {
            let (with, place) = (self.with.clone(), self.place());
            TraceError::Part { with, place, fault }
        };
        let new = read_term_as(store, Arc::make_mut(env), &self.with, Lets::Expand)
            .map_err(|error| fault(error.message))?;
        if store.sort(new) != store.sort(old) {
            return Err(fault(format!("it has sort {}", store.sort_name(store.sort(new)))));
        }
        assertions[self.assertion] = replace_at(store, root, &self.path, new);
        Ok(())
    }
}

/// The lines of a trace.
pub(crate) fn lines(form: Form, steps: &[TraceStep]) -> Vec<String> {
    let first = format!("form {}", form.name());
    [first].into_iter().chain(steps.iter().map(TraceStep::to_string)).collect()
}

/// Rebuilds a formula from a seed and a trace: a form, and steps, some of which may be left out.
///
/// # Errors
/// If a line cannot be applied; the first such line.
pub fn rebuild(seed: &Seed, trace: &[String]) -> Result<Formula, TraceError> {
    if let Some((_, lines)) = trace.split_first().filter(|(form, _)| *form == recombine::FORM) {
        return recombine::again(seed, lines);
    }
    let mut lines = trace.iter();
    let form = lines.next().and_then(|line| Form::by_name(line.strip_prefix("form ")?));
    let form = form.ok_or_else(|| TraceError::Form(trace.first().cloned().unwrap_or_default()))?;
    let mut base = match form {
        Form::Kept => seed.base.clone(),
        Form::Tseitin => Clauses::new(&seed.base, Definitions::Full).base,
        Form::PlaistedGreenbaum => Clauses::new(&seed.base, Definitions::Polar).base,
    };
    for line in lines {
        line.parse::<TraceStep>()?.again(&mut base)?;
    }
    let assertions = base.assertions.clone();
    let store = base.store.clone();
    Ok(base.formula(store, &assertions))
}

impl fmt::Display for TraceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.rule, self.place(), self.with)
    }
}

impl FromStr for TraceStep {
    type Err = TraceError;

    fn from_str(line: &str) -> Result<TraceStep, TraceError> {
        let parts = || {
            let (rule, rest) = line.split_once(' ')?;
            let (place, with) = rest.split_once(' ')?;
            let (assertion, path) = place.split_once(':')?;
            let path = path.split('.').filter(|at| !at.is_empty()).map(str::parse);
            let path: Vec<u32> = path.collect::<Result<_, _>>().ok()?;
            let assertion = assertion.parse().ok()?;
            Some(TraceStep { rule: rule.to_owned(), assertion, path, with: with.to_owned() })
        };
        parts().ok_or_else(|| TraceError::Line(line.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_back_as_they_print() {
        for line in ["inject-or 0: (or (> x 0) p)", "opmut 12:0.3.1 (bvadd x y)"] {
            assert_eq!(line.parse::<TraceStep>().expect("it is a step").to_string(), line);
        }
        for line in ["", "x", "a b", "a 1 c", "a x: c", "a 1:y c"] {
            assert!(line.parse::<TraceStep>().is_err(), "{line}");
        }
    }
}
