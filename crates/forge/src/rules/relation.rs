//! Rules that relate formulas instead of equating terms: implications, and invertible functions of two
//! variables. Mutations use them.

use super::error::RuleError;
use super::rewrite::{Replacements, mentions, replace};
use super::rule::{Body, Law, Reader, Rule, Variable};
use super::table;
use assay_term::{Store, TermId};

/// `from` implies `to` if `when` holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Implication {
    /// The stronger formula.
    pub from: TermId,
    /// The weaker formula.
    pub to: TermId,
    /// The side condition.
    pub when: Option<TermId>,
}

/// A function of x and y with its two inverses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fusion {
    /// The variable for the function's value.
    pub z: TermId,
    /// The function, over x and y.
    pub fused: TermId,
    /// x as a term over y and z.
    pub left: TermId,
    /// y as a term over x and z.
    pub right: TermId,
    /// The side condition.
    pub when: Option<TermId>,
}

/// An implication at given sorts, with its variables as constants of the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Implied {
    /// Its variables.
    pub params: Vec<TermId>,
    /// The terms.
    pub law: Implication,
}

/// A fusion at given sorts, with its variables as constants of the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fused {
    /// Its variables: x, y, and others, which stand for constants.
    pub params: Vec<TermId>,
    /// The terms.
    pub law: Fusion,
}

impl Fusion {
    /// An inverse with the function substituted for z.
    pub(super) fn inverted(&self, store: &mut Store, inverse: TermId) -> TermId {
        replace(store, inverse, &Replacements::from_iter([(self.z, self.fused)]))
    }
}

impl Rule {
    /// Reads an implication into a store, with these values for its words; `None` if the rule is of another
    /// kind.
    ///
    /// # Errors
    /// If the words do not fit.
    pub fn implication(
        &self,
        words: &[(&str, String)],
        store: &mut Store,
    ) -> Result<Option<Implied>, RuleError> {
        let law = self.read_with(words, store)?;
        let Body::Implication(implication) = law.body else { return Ok(None) };
        Ok(Some(Implied { params: terms(&law.params), law: implication }))
    }

    /// Reads a fusion into a store, with these values for its words; `None` if the rule is of another
    /// kind.
    ///
    /// # Errors
    /// If the words do not fit.
    pub fn fusion(
        &self,
        words: &[(&str, String)],
        store: &mut Store,
    ) -> Result<Option<Fused>, RuleError> {
        let law = self.read_with(words, store)?;
        let Body::Fusion(fusion) = law.body else { return Ok(None) };
        Ok(Some(Fused { params: terms(&law.params), law: fusion }))
    }
}

fn terms(variables: &[Variable]) -> Vec<TermId> {
    variables.iter().map(|variable| variable.term).collect()
}

impl Reader<'_> {
    pub(super) fn implication(&mut self, row: &table::Implication) -> Result<Law, RuleError> {
        let (params, mut env) = self.variables("params", &row.params)?;
        let from = self.formula(&mut env, "from", &row.from)?;
        let to = self.formula(&mut env, "to", &row.to)?;
        let when = self.condition(&mut env, row.when.as_deref())?;
        let body = Body::Implication(Implication { from, to, when });
        Ok(Law { params, auxiliary: Vec::new(), body })
    }

    pub(super) fn fusion(&mut self, row: &table::Fusion) -> Result<Law, RuleError> {
        let variables = format!("{} (z {})", row.params, row.sort);
        let (mut params, mut env) = self.variables("params", &variables)?;
        let z = params.pop().expect("z was declared").term;
        if params.len() < 2 {
            return Err(self.shape("a fusion needs two variables".into()));
        }
        let (x, y) = (params[0].term, params[1].term);
        let fused = self.term(&mut env, "fused", &row.fused)?;
        let left = self.term(&mut env, "left", &row.left)?;
        let right = self.term(&mut env, "right", &row.right)?;
        let when = self.condition(&mut env, row.when.as_deref())?;
        for (part, term, like) in [("fused", fused, z), ("left", left, x), ("right", right, y)] {
            let sorts = [term, like].map(|t| self.store.sort_name(self.store.sort(t)));
            if sorts[0] != sorts[1] {
                let fault = format!("`{part}` has sort {}, not {}", sorts[0], sorts[1]);
                return Err(self.shape(fault));
            }
            if part != "fused" && mentions(self.store, term, like) {
                return Err(self.shape(format!("`{part}` mentions the variable that it computes")));
            }
        }
        let body = Body::Fusion(Fusion { z, fused, left, right, when });
        Ok(Law { params, auxiliary: Vec::new(), body })
    }
}
