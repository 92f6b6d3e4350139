//! Refutations of other suites with soft constraints: as hard constraints they stay unsatisfiable
//! whatever is added; as soft constraints, all can hold except the cheapest of the core.
//!
//! Why: the core is part of every unsatisfiable set, so all constraints except one of the core have a
//! common model, and at least one of the core must fail.

use super::TRIES;
use super::problem::{Soft, Wish};
use super::spec::{Style, Weight};
use crate::draw::Draw;
use crate::refute::Refutations;
use crate::theory::Theory;
use assay_case::{Extremum, Formula, MakeError, Optima, Oracle, Origin, TestCase, Why};
use assay_smtlib::{Command, Plain, Script};
use assay_term::theories::core;
use assay_term::{Func, FuncId, Store, Term, TermId, Value};
use std::sync::Arc;

/// The refutations of a suite in one style.
pub(crate) struct Refuted {
    pub(crate) refutations: Arc<Vec<Refutations>>,
    pub(crate) style: Style,
    pub(crate) weights: Vec<Weight>,
}

impl Refuted {
    /// The case with this number.
    pub(crate) fn case(
        &self,
        theory: &Theory,
        number: u128,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let mut draw = Draw::new(&format!("{}/refutations", self.style.name()), number);
        for _ in 0..TRIES {
            let refutations = draw.pick(&self.refutations);
            let at = draw.below_large(refutations.size());
            if !refutations.contains(theory, at) {
                continue;
            }
            let case = refutations.case(theory, at, name.clone(), origin.clone())?;
            let Some(test) = case.as_formula() else { continue };
            let (formula, rules) = (test.formula(), &case.origin().rules);
            let Oracle::Unsat { why, core: expected } = test.oracle() else { continue };
            let (formula, oracle) = match (self.style, expected) {
                (Style::UnsatHard, core) => {
                    let formula = self.with_noise(theory, formula, &mut draw);
                    (formula, Oracle::Unsat { why: why.clone(), core: core.clone() })
                }
                (_, Some(core)) => self.softened(formula, &core.names, why, &mut draw),
                (_, None) => continue,
            };
            let formula = formula.map_err(|error| {
                MakeError::fault(format!("{name}: does not read back: {error}"))
            })?;
            return TestCase::formula(
                name,
                formula,
                oracle,
                Origin { rules: rules.clone(), ..origin },
            )
            .map_err(MakeError::fault);
        }
        Err(MakeError::fault(format!("{name}: no refutation was found")))
    }

    /// All constraints as soft ones, and the minimum cost.
    fn softened(
        &self,
        formula: &Formula,
        core: &[String],
        why: &Why,
        draw: &mut Draw,
    ) -> (Result<Formula, assay_smtlib::ReadError>, Oracle) {
        let store = formula.store().clone();
        let mut script = Script::default();
        for command in &formula.script().commands {
            if let Command::DeclareConst(_) = command {
                script.push(command.clone(), 0);
            }
        }
        let mut cheapest: Option<&Weight> = None;
        for assertion in formula.assertions() {
            let weight = draw.pick(&self.weights);
            let needed = assertion.names.iter().any(|name| core.contains(name));
            if needed && cheapest.is_none_or(|known| weight.value < known.value) {
                cheapest = Some(weight);
            }
            let mut term = assertion.term;
            while let Term::Annotated(inner, _) = store.get(term) {
                term = inner;
            }
            let soft = Soft { term, weight: weight.clone(), group: None };
            script.push(Wish::Soft(soft).into_command(), 0);
        }
        script.push(Command::CheckSat, 0);
        script.push(Command::Plain(Plain::GetModel), 0);
        script.push(Command::Plain(Plain::GetObjectives), 0);
        let lost = cheapest.expect("a core has names").value.clone();
        let optima = Optima::Each(vec![Extremum::Value(Value::rational(lost))]);
        let oracle = Oracle::Optimum { optima, why: why.clone(), witness: None };
        (Formula::from_script(store, &script), oracle)
    }

    /// The same with soft constraints about its variables.
    fn with_noise(
        &self,
        theory: &Theory,
        formula: &Formula,
        draw: &mut Draw,
    ) -> Result<Formula, assay_smtlib::ReadError> {
        let mut store = formula.store().clone();
        let mut terms: Vec<TermId> = Vec::new();
        for func in declared(formula.script()) {
            let Ok(variable) = store.app(func, &[]) else { continue };
            let pool = &theory.pool(store.sort(variable)).full;
            if pool.is_empty() {
                continue;
            }
            let value = draw.pick(pool).value.clone();
            let Some(constant) = store.value(&value) else { continue };
            terms.extend(store.op(core::EQ, &[variable, constant]));
        }
        // One of the hard constraints again, or its negation.
        let again = draw.pick(formula.assertions()).term;
        let mut again = match store.get(again) {
            Term::Annotated(inner, _) => inner,
            _ => again,
        };
        if draw.below(2) == 0 {
            again = store.op(core::NOT, &[again]).expect("a formula can be negated");
        }
        terms.push(again);
        let further = terms.into_iter().map(|term| {
            let weight = draw.pick(&self.weights).clone();
            Wish::Soft(Soft { term, weight, group: None }).into_command()
        });
        let further = further.collect();
        let script = with_further(&store, &formula.script().commands, further);
        Formula::from_script(store, &script)
    }
}

/// The constants that a script declares.
fn declared(script: &Script) -> Vec<FuncId> {
    let constant = |command: &Command| match command {
        Command::DeclareConst(func) => Some(*func),
        _ => None,
    };
    script.commands.iter().filter_map(constant).collect()
}

/// Inserts commands before the query, and declarations of symbols that only they mention.
pub(crate) fn with_further(store: &Store, commands: &[Command], further: Vec<Command>) -> Script {
    let mut script = Script::default();
    let mut further = Some(further);
    for command in commands {
        if command.is_check() {
            for added in further.take().into_iter().flatten() {
                let mut alone = Script::default();
                alone.push(added.clone(), 0);
                for term in store.postorder(&alone.terms()) {
                    let Term::App(func, []) = store.get(term) else { continue };
                    let is_declared = matches!(store.func(func), Func::Declared { .. });
                    if is_declared && !declared(&script).contains(&func) {
                        script.push(Command::DeclareConst(func), 0);
                    }
                }
                script.push(added, 0);
            }
        }
        script.push(command.clone(), 0);
    }
    script
}
