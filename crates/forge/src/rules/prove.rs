//! Asks solvers about a rule: a claim holds for all values if its negation has no model.
//!
//! This is additional evidence besides certification by evaluation, never a replacement: `unsat` is
//! only a solver's word. A model of the negation counts only if evaluation confirms it.

use super::claim::{Claim, claims};
use super::error::RuleError;
use super::rewrite::{Replacements, preorder, replace, without_patterns};
use super::rule::{Rule, Variable};
use assay_case::{Answer, Consult, Formula, Question};
use assay_smtlib::{Command, Lets, STANDARD, print_model, read_script};
use assay_term::theories::core;
use assay_term::{Quantifier, Store, TermId};

/// A solver's answer about one claim of a rule at some sorts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opinion {
    /// The solver.
    pub who: String,
    /// The sorts, if the rule has several instances.
    pub instance: String,
    /// The claim.
    pub claim: &'static str,
    /// The answer.
    pub status: ProofStatus,
}

/// An answer about a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofStatus {
    /// Its negation has no model.
    Proved,
    /// Its negation has a model that evaluation confirms: the rule is wrong.
    Refuted(String),
    /// The solver claims a model of its negation, which evaluation does not confirm, for this reason.
    Unconfirmed(String),
    /// No answer, for this reason.
    Undecided(String),
}

/// Asks a solver about every claim of a rule, at all of its sorts.
///
/// # Errors
/// If the rule cannot be read.
pub fn consult(rule: &Rule, solver: &mut dyn Consult) -> Result<Vec<Opinion>, RuleError> {
    let mut opinions = Vec::new();
    for instance in rule.instances() {
        let mut store = Store::new();
        let law = rule.read(instance, &mut store)?;
        for claim in claims(rule.kind(), &law, &mut store) {
            let status = match negation(rule, store.clone(), &claim) {
                Ok(formula) => ask(formula, solver),
                Err(reason) => ProofStatus::Undecided(reason),
            };
            opinions.push(Opinion {
                who: solver.name().to_owned(),
                instance: instance.label(),
                claim: claim.name,
                status,
            });
        }
    }
    Ok(opinions)
}

fn ask(mut formula: Formula, solver: &mut dyn Consult) -> ProofStatus {
    let said = solver.ask(&formula, Question::Model);
    match &said.answer {
        Answer::Unsat => ProofStatus::Proved,
        Answer::Sat => match said.checked_model(&mut formula) {
            Ok(model) => {
                let mut store = formula.store().clone();
                let text = print_model(&mut store, &model, STANDARD);
                ProofStatus::Refuted(text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
            Err(error) => ProofStatus::Unconfirmed(error.to_string()),
        },
        other => ProofStatus::Undecided(other.to_string()),
    }
}

/// The formula whose models are the counterexamples to a claim.
fn negation(rule: &Rule, mut store: Store, claim: &Claim) -> Result<Formula, String> {
    let follows = without_patterns(&mut store, claim.follows);
    let fails = store.op(core::NOT, &[follows]).expect("a formula can be negated");
    let fails = for_all(&mut store, fails, &claim.sought);
    let mut assertions: Vec<TermId> =
        claim.given.iter().map(|&given| without_patterns(&mut store, given)).collect();
    assertions.push(fails);
    let (mut script, _) = read_script(&mut store, rule.prelude().as_bytes(), Lets::Keep)
        .map_err(|error| error.to_string())?;
    for variable in &claim.variables {
        script.push(Command::DeclareConst(variable.func), 0);
    }
    assertions.iter().for_each(|&assertion| script.push(Command::Assert(assertion), 0));
    script.push(Command::CheckSat, 0);
    Formula::from_script(store, &script).map_err(|error| error.to_string())
}

/// The formula, universally quantified over some of its constants.
fn for_all(store: &mut Store, formula: TermId, constants: &[Variable]) -> TermId {
    let bound: Vec<&Variable> =
        constants.iter().filter(|v| preorder(store, formula).contains(&v.term)).collect();
    if bound.is_empty() {
        return formula;
    }
    let mut by = Replacements::default();
    let mut vars = Vec::with_capacity(bound.len());
    for variable in bound {
        // No rule has such names.
        let symbol = store.symbols.intern(&format!("{}!", store.func_name(variable.func)));
        let var = store.var(symbol, variable.sort);
        by.insert(variable.term, var);
        vars.push(var);
    }
    let body = replace(store, formula, &by);
    store.quantified(Quantifier::Forall, &vars, body).expect("the names are distinct")
}
