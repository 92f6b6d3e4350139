//! The claims of a rule about all values of its variables, as formulas.

use super::relation::Implication;
use super::rule::{Body, Kind, Law, Variable};
use super::table::Direction;
use assay_term::theories::core;
use assay_term::{Store, TermId};

/// If the premises hold, the conclusion follows.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// Its name in reports.
    pub(crate) name: &'static str,
    pub(crate) variables: Vec<Variable>,
    pub(crate) given: Vec<TermId>,
    pub(crate) follows: TermId,
    /// The conclusion holds for some values of these.
    pub(crate) sought: Vec<Variable>,
}

impl Claim {
    /// All its terms.
    pub(crate) fn terms(&self) -> Vec<TermId> {
        self.given.iter().copied().chain([self.follows]).collect()
    }
}

/// The claims of a rule.
pub(crate) fn claims(kind: Kind, law: &Law, store: &mut Store) -> Vec<Claim> {
    let claim = |name, given: Vec<TermId>, follows| Claim {
        name,
        variables: law.params.clone(),
        given,
        follows,
        sought: Vec::new(),
    };
    match law.body {
        Body::Equality { equals, term, when } => {
            let holds = store.op(core::EQ, &[term, equals]).expect("the reader compared sorts");
            vec![claim("equality", when.into_iter().collect(), holds)]
        }
        Body::Implication(Implication { from, to, when }) => {
            vec![claim("implication", when.into_iter().chain([from]).collect(), to)]
        }
        Body::Fusion(fusion) => {
            let inverses = [
                ("left inverse", fusion.left, law.params[0]),
                ("right inverse", fusion.right, law.params[1]),
            ];
            let inverse = |(name, inverse, variable): (&'static str, TermId, Variable)| {
                let back = fusion.inverted(store, inverse);
                let holds =
                    store.op(core::EQ, &[back, variable.term]).expect("the reader compared sorts");
                claim(name, fusion.when.into_iter().collect(), holds)
            };
            inverses.map(inverse).into()
        }
        Body::Equivalence { left, right } => {
            let (first, last) = law.params.split_at(law.params.len().saturating_sub(1));
            // The result comes last, because the others determine it.
            let variables = [first, &law.auxiliary, last].concat();
            let implied = claim("definition implies operation", vec![right], left);
            let mut claims = vec![Claim { variables, ..implied }];
            if kind == Kind::Equivalence(Direction::Both) {
                let converse = claim("operation implies definition", vec![left], right);
                claims.push(Claim { sought: law.auxiliary.clone(), ..converse });
            }
            claims
        }
    }
}
