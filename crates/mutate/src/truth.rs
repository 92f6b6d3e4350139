//! The truth of a seed: its own status, the solvers' answers, and certainty if a solver's model
//! satisfies it by our own evaluation.

use crate::seed::Seed;
use assay_case::{Answer, Claim, Consult, ConsultError, ModelFault, Proved, Question, Why};
use assay_term::{Attribute, AttributeValue, Model, TermId};

/// What is known about a seed.
#[derive(Clone)]
pub(crate) struct Truth {
    pub(crate) satisfiable: bool,
    /// A model of the seed, checked by evaluation, over the seed's store.
    pub(crate) model: Option<Model>,
    /// Who claims it.
    pub(crate) source: Claim,
    /// A solver's proof that it is unsatisfiable, each step of which was checked.
    pub(crate) proof: Option<Proved>,
    /// Whether solvers were asked and none answered in time.
    pub(crate) is_slow: bool,
}

impl Truth {
    /// How a formula that is unsatisfiable if the seed is, is known to be so.
    pub(crate) fn unsat(&self) -> Why {
        let declared = || Why::Declared(self.source.clone());
        self.proof.clone().map_or_else(declared, Why::Proved)
    }

    /// The same for a formula that is unsatisfiable if this seed and its partner are.
    pub(crate) fn unsat_with(&self, partner: &Truth) -> Why {
        match (&self.proof, &partner.proof) {
            (Some(one), Some(two)) => Why::Proved(one.and(two)),
            _ => Why::Declared(self.source.and(&partner.source)),
        }
    }
}

/// The claimant for a status that a file declares.
pub(crate) const STATUS: &str = "the seed's own status";

/// Determines the truth; the terms of a model are added to the seed's store. If `proofs` are wanted, the
/// solvers that answer unsat are asked for one.
///
/// # Errors
/// If nothing is known, the reason.
pub(crate) fn find(
    seed: &mut Seed,
    solvers: &mut [Box<dyn Consult + Send>],
    proofs: bool,
) -> Result<Truth, String> {
    let mut proof = None;
    let mut said: Vec<(bool, String)> = Vec::new();
    let mut reasons: Vec<String> = Vec::new();
    let (mut asked, mut late) = (0, 0);
    for solver in solvers {
        asked += 1;
        let mut formula = seed.hard();
        let consultation = solver.ask(&formula, Question::Model);
        let who = consultation.who.clone();
        match &consultation.answer {
            Answer::Sat => match consultation.checked_model(&mut formula) {
                Ok(model) => {
                    let model = model.into_inner();
                    seed.base.store = formula.store().clone();
                    let source = format!("a model of {who}, checked by evaluation").into();
                    let model = Some(model);
                    return Ok(Truth { satisfiable: true, model, source, proof, is_slow: false });
                }
                // A solver that answers sat with a wrong model is not believed.
                Err(ConsultError::Fault(ModelFault::False(_))) => {
                    reasons.push(format!("{who} gives a wrong model"));
                }
                Err(_) => said.push((true, who)),
            },
            Answer::Unsat => {
                if proofs && proof.is_none() {
                    proof = solver.prove(&formula).map(|proof| proof.about("the seed"));
                }
                said.push((false, who));
            }
            other => {
                late += usize::from(matches!(other, Answer::Timeout | Answer::OutOfMemory));
                reasons.push(format!("{who}: {}", other.name()));
            }
        }
    }
    if let Some(status) = seed.declared() {
        said.push((status, STATUS.to_owned()));
    }
    if proof.is_some() {
        // A proof outweighs words.
        said.retain(|(satisfiable, _)| !satisfiable);
    }
    let Some((satisfiable, _)) = said.first().cloned() else {
        let reasons = reasons.join(", ");
        return Err(match reasons.is_empty() {
            true => "its status is not known".to_owned(),
            false => format!("its status is not known ({reasons})"),
        });
    };
    if said.iter().any(|(other, _)| *other != satisfiable) {
        return Err("there is no agreement about its status".to_owned());
    }
    let who = said.into_iter().map(|(_, who)| who).collect();
    let source = Claim { who, of: Some("the seed") };
    Ok(Truth { satisfiable, model: None, source, proof, is_slow: asked > 0 && late == asked })
}

/// Conjuncts of a seed that are unsatisfiable together.
pub(crate) struct Core {
    /// Indices into [`crate::seed::Base::conjuncts`].
    pub(crate) conjuncts: Vec<usize>,
    /// How it is known.
    pub(crate) why: Why,
}

/// A core of an unsatisfiable seed: one that a solver names and then finds unsatisfiable on its own;
/// otherwise all conjuncts.
pub(crate) fn core(seed: &Seed, why: Why, solvers: &mut [Box<dyn Consult + Send>]) -> Core {
    let conjuncts = seed.base.conjuncts();
    let everything = || Core { conjuncts: (0..conjuncts.len()).collect(), why: why.clone() };
    if conjuncts.len() == 1 {
        return everything();
    }
    let hard = seed.base.hard();
    let mut base = hard.clone();
    let keyword = base.store.symbols.intern("named");
    let mut names = Vec::with_capacity(conjuncts.len());
    let mut named = Vec::with_capacity(conjuncts.len());
    for (at, &conjunct) in conjuncts.iter().enumerate() {
        let name = base.fresh_name("core", at);
        // Once it is a symbol, it is no longer fresh.
        let value = AttributeValue::Name(base.store.symbols.intern(&name));
        named.push(base.store.annotated(conjunct, vec![Attribute { keyword, value }]));
        names.push(name);
    }
    let named = base.formula(base.store.clone(), &named);
    for solver in solvers {
        let said = solver.ask(&named, Question::Core);
        let (Answer::Unsat, Some(core)) = (&said.answer, &said.core) else { continue };
        let kept: Vec<usize> = (0..names.len()).filter(|&at| core.contains(&names[at])).collect();
        let alone: Vec<TermId> = kept.iter().map(|&at| conjuncts[at]).collect();
        let alone = hard.formula(hard.store.clone(), &alone);
        if solver.ask(&alone, Question::Status).answer == Answer::Unsat {
            const OF: &str = "a core of the seed";
            let why = match &why {
                // What is certain stays so, or is not made smaller.
                Why::Proved(_) => match solver.prove(&alone) {
                    Some(proof) => Why::Proved(proof.about(OF)),
                    None => continue,
                },
                _ => Why::Declared(Claim { who: vec![said.who], of: Some(OF) }),
            };
            return Core { conjuncts: kept, why };
        }
    }
    everything()
}
