//! Whether a seed is satisfiable: what it says itself, what solvers say, and, where a solver's model
//! satisfies it by our own evaluation, certainty.

use crate::seed::Seed;
use assay_case::{Answer, Consult, ConsultError, ModelFault, Question};
use assay_term::Model;

/// What is known about a seed.
#[derive(Clone)]
pub(crate) struct Truth {
    pub(crate) satisfiable: bool,
    /// A model of the seed, checked by evaluation; over the seed's store.
    pub(crate) model: Option<Model>,
    /// Who says so.
    pub(crate) source: String,
}

/// Finds out; the terms of a model join the seed's store.
///
/// # Errors
/// Why nothing is known.
pub(crate) fn find(
    seed: &mut Seed,
    solvers: &mut [Box<dyn Consult + Send>],
) -> Result<Truth, String> {
    let mut said: Vec<(bool, String)> = Vec::new();
    let mut reasons: Vec<String> = Vec::new();
    for solver in solvers {
        let mut formula = seed.formula();
        let consultation = solver.ask(&formula, Question::Model);
        let who = consultation.who.clone();
        match &consultation.answer {
            Answer::Sat => match consultation.checked_model(&mut formula) {
                Ok(model) => {
                    let model = model.into_inner();
                    seed.base.store = formula.store().clone();
                    let source = format!("a model of {who}, checked by evaluation");
                    return Ok(Truth { satisfiable: true, model: Some(model), source });
                }
                // What says sat with a model that is none is not believed.
                Err(ConsultError::Fault(ModelFault::False(_))) => {
                    reasons.push(format!("{who} gives a wrong model"));
                }
                Err(_) => said.push((true, who)),
            },
            Answer::Unsat => said.push((false, who)),
            other => reasons.push(format!("{who}: {}", other.name())),
        }
    }
    if let Some(status) = seed.declared() {
        said.push((status, "the seed's own status".to_owned()));
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
    let who: Vec<String> = said.into_iter().map(|(_, who)| who).collect();
    Ok(Truth { satisfiable, model: None, source: format!("{} on the seed", who.join(" and ")) })
}
