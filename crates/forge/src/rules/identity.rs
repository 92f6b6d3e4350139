//! Rules that equate two terms, in one shape: those that say so, and definitions of operations, which equate
//! two terms with one result or two formulas with each other.

use super::error::RuleError;
use super::rewrite::{mentions, preorder};
use super::rule::{Body, Instance, Kind, Law, Rule};
use super::table::Direction;
use assay_term::theories::core;
use assay_term::{Store, Term, TermId};

/// Two terms that are equal for all values of their variables if the side condition holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Its variables.
    pub params: Vec<TermId>,
    /// The terms.
    pub sides: [TermId; 2],
    /// The side condition.
    pub when: Option<TermId>,
}

impl Rule {
    /// The rule at one choice of its words alone.
    #[must_use]
    pub fn at(&self, words: &[(&str, String)]) -> Rule {
        let words = words.iter().map(|(word, value)| ((*word).to_owned(), value.clone())).collect();
        self.only(Instance { words, used: true })
    }

    /// What it says about terms without binders, at each choice of sorts that formulas are made at.
    ///
    /// # Errors
    /// If its words do not fit.
    pub fn identities(&self, store: &mut Store) -> Result<Vec<Identity>, RuleError> {
        let used: Vec<Instance> =
            self.instances().iter().filter(|instance| instance.used).cloned().collect();
        let mut all = Vec::new();
        for instance in used {
            let law = self.read(&instance, store)?;
            all.extend(identity(store, self.kind(), &law));
        }
        Ok(all)
    }
}

fn identity(store: &Store, kind: Kind, law: &Law) -> Option<Identity> {
    let params = || law.params.iter().map(|variable| variable.term);
    let found = match law.body {
        Body::Equality { equals, term, when } => {
            Identity { params: params().collect(), sides: [equals, term], when }
        }
        Body::Equivalence { left, right } if law.auxiliary.is_empty() => {
            match results(store, &params().collect::<Vec<_>>(), [left, right]) {
                // Whatever equals the one equals the other, in particular the one itself.
                Some((result, sides)) => {
                    let params = params().filter(|&param| param != result).collect();
                    Identity { params, sides, when: None }
                }
                None if kind == Kind::Equivalence(Direction::Both) => {
                    Identity { params: params().collect(), sides: [left, right], when: None }
                }
                None => return None,
            }
        }
        _ => return None,
    };
    let terms = found.sides.into_iter().chain(found.when);
    let mut parts = terms.flat_map(|term| preorder(store, term));
    let plain = parts.all(|part| matches!(store.get(part), Term::App(..) | Term::Literal(_)));
    plain.then_some(found)
}

/// Where both formulas equate a term with the same parameter, which is in neither term: the parameter
/// and the terms.
fn results(
    store: &Store,
    params: &[TermId],
    formulas: [TermId; 2],
) -> Option<(TermId, [TermId; 2])> {
    let sides = |formula| match store.operator(formula) {
        Some((core::EQ, &[first, second])) => Some([first, second]),
        _ => None,
    };
    let [left, right] = [sides(formulas[0])?, sides(formulas[1])?];
    let beside = |pair: [TermId; 2], result: TermId| match pair.iter().position(|&t| t == result) {
        Some(at) if !mentions(store, pair[1 - at], result) => Some(pair[1 - at]),
        _ => None,
    };
    params
        .iter()
        .rev()
        .find_map(|&result| Some((result, [beside(left, result)?, beside(right, result)?])))
}

#[cfg(test)]
mod tests {
    use crate::rules::rules;
    use assay_smtlib::Printer;
    use assay_term::Store;

    /// What a rule says, as text.
    fn said(name: &str) -> Vec<String> {
        let all = rules().expect("the tables are read");
        let rule = all.iter().find(|rule| rule.name() == name).expect("there is such a rule");
        let mut store = Store::new();
        let found = rule.identities(&mut store).expect("it is read");
        let shown = |identity: &super::Identity| {
            let [left, right] = identity.sides.map(|side| Printer::new(&store).term(side));
            format!("{left} = {right}")
        };
        found.iter().map(shown).collect()
    }

    #[test]
    fn definitions_with_a_result_equate_terms() {
        assert_eq!(
            said("rotate-by-shifts")[0],
            "((_ rotate_left 1) x) = (bvor (bvshl x #x01) (bvlshr x #x07))"
        );
        assert_eq!(said("bv-not-not")[0], "x = (bvnot (bvnot x))");
        assert_eq!(said("store-by-elements"), [""; 0]);
    }
}
