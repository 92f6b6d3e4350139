//! Examines every step of a proof.

use crate::attack::{Attack, Found};
use crate::proof::{Conclusion, Proof, Role, Step, shorten};
use crate::scope::Scope;
use crate::search::refutes;
use crate::tree::Tree;
use crate::{binder, cvc5, z3};
use assay_case::rewrite::standard_escapes;
use assay_case::{ProofFault, ProofReport, assignment};
use assay_smtlib::{Dialect, Escapes, Printer};
use assay_term::theories::core;
use assay_term::{Budget, Func, FuncId, Model, Store, Term, TermId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Steps of the exact check of one claim.
const CHECK: u64 = 1_000_000;

/// The result for one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// It follows.
    Checked,
    /// This many assignments do not refute it.
    Attacked(usize),
    /// It was not examined.
    Skipped,
    /// A term cannot be read.
    Unread,
    /// An assignment refutes it.
    Refuted,
}

/// Examines a proof that a solver with strings of this dialect printed for a script.
#[must_use]
pub fn examine(script: &str, proof: &str, dialect: Dialect, budget: &mut Budget) -> ProofReport {
    let mut report = ProofReport::default();
    let Ok(mut scope) = Scope::of(script) else {
        report.is_cut_short = true;
        return report;
    };
    let standard = match dialect.escapes {
        Escapes::Unicode => Ok(proof.to_owned()),
        Escapes::Hexadecimal => standard_escapes(proof),
    };
    let text = match standard {
        Ok(text) => text,
        Err(escape) => {
            report.fault =
                Some(ProofFault::Unreadable(format!("the escape {escape} is not understood")));
            return report;
        }
    };
    match read(&text, &mut scope) {
        Ok(proof) => {
            let attack = Attack {
                definitions: &scope.definitions.clone(),
                last_character: dialect.last_character,
            };
            let mut examiner =
                Examiner { scope, attack, report, hypotheses: Vec::new(), is_uncertain: false };
            examiner.proof(&proof, budget);
            examiner.report
        }
        Err(words) => {
            report.fault = Some(ProofFault::Unreadable(words));
            report
        }
    }
}

fn read(text: &str, scope: &mut Scope) -> Result<Proof, String> {
    let tree = Tree::of(text).map_err(|at| {
        let line = 1 + text[..at].matches('\n').count();
        format!("line {line}: the parentheses do not match, or this is not a token")
    })?;
    if z3::is_proof(&tree) {
        z3::read(&tree, scope)
    } else if cvc5::is_proof(&tree) {
        cvc5::read(&tree, scope)
    } else {
        Err(format!("it is in no known format: {}", shorten(text)))
    }
}

struct Examiner<'a> {
    scope: Scope,
    attack: Attack<'a>,
    report: ProofReport,
    /// The hypotheses that each step rests on.
    hypotheses: Vec<Rc<BTreeSet<usize>>>,
    /// Whether it is not known if a step discharges a hypothesis.
    is_uncertain: bool,
}

impl Examiner<'_> {
    fn proof(&mut self, proof: &Proof, budget: &mut Budget) {
        let mut complete = true;
        for (number, step) in proof.steps.iter().enumerate() {
            let status = match budget.spend(1) {
                Ok(()) => self.step(proof, number, budget),
                Err(_) => {
                    self.report.is_cut_short = true;
                    Status::Skipped
                }
            };
            complete &= status == Status::Checked;
            let resting = self.resting(proof, step, budget);
            self.hypotheses.push(resting);
            let count = self.report.rules.entry(step.rule.clone()).or_default();
            match status {
                Status::Checked => count.checked += 1,
                Status::Attacked(decided) => {
                    count.attacked += 1;
                    count.assignments += decided as u64;
                }
                Status::Skipped => count.skipped += 1,
                Status::Unread => {
                    count.skipped += 1;
                    count.unread += 1;
                }
                Status::Refuted => count.refuted += 1,
            }
            count.trusted += u64::from(step.role == Role::Trusted);
        }
        let ends = self.ends(proof, budget) && !self.is_uncertain;
        self.report.is_complete = complete && ends && self.report.fault.is_none();
    }

    /// Whether the last step is `false`, or as false without any symbol, and rests on no hypothesis;
    /// otherwise that is a fault.
    fn ends(&mut self, proof: &Proof, budget: &mut Budget) -> bool {
        let Some(last) = proof.last else {
            self.fault(ProofFault::NotFalse("missing".to_owned()));
            return false;
        };
        let Some(formula) = self.formula(&proof.steps[last]) else { return false };
        // z3 4.8.7 ends proofs with `(not true)`.
        let store = &self.scope.store;
        let mut parts = store.postorder(&[formula]).into_iter();
        let is_constant = parts.all(|part| match store.get(part) {
            Term::Literal(_) => true,
            _ => store.operator(part).is_some(),
        });
        if !is_constant || !self.refutes(&[formula], budget) {
            let words = self.shown(formula);
            self.fault(ProofFault::NotFalse(words));
            return false;
        }
        let open = self.hypotheses[last].first().copied();
        if let Some(open) = open {
            // A step that cannot be read may discharge it.
            if !self.report.unread.is_empty() || self.report.is_cut_short {
                return false;
            }
            let Some(formula) = self.formula(&proof.steps[open]) else { return false };
            let words = self.shown(formula);
            self.fault(ProofFault::Undischarged(words));
            return false;
        }
        true
    }

    /// Keeps the first fault.
    fn fault(&mut self, fault: ProofFault) {
        self.report.fault.get_or_insert(fault);
    }

    /// The hypotheses that a step rests on: those of its premises, without those that it discharges.
    /// A hypothesis is discharged if its negation implies the conclusion, too.
    fn resting(&mut self, proof: &Proof, step: &Step, budget: &mut Budget) -> Rc<BTreeSet<usize>> {
        if step.role == Role::Hypothesis {
            return Rc::new([self.hypotheses.len()].into());
        }
        let mut sets = step.premises.iter().map(|&premise| &self.hypotheses[premise]);
        let sets: Vec<_> = sets.by_ref().filter(|set| !set.is_empty()).cloned().collect();
        let mut all = match &sets[..] {
            [] => return Rc::default(),
            [one] if step.role != Role::Discharge => return Rc::clone(one),
            sets => sets.iter().flat_map(|set| set.iter().copied()).collect::<BTreeSet<usize>>(),
        };
        let _ = budget.spend(all.len() as u64);
        if step.role == Role::Discharge {
            if let Some(conclusion) = self.formula(step) {
                let Ok(denied) = self.scope.store.op(core::NOT, &[conclusion]) else {
                    return Rc::new(all);
                };
                for hypothesis in all.clone() {
                    let named = step.discharged.is_empty() || step.discharged.contains(&hypothesis);
                    let Some(formula) = self.formula(&proof.steps[hypothesis]) else { continue };
                    let Ok(not) = self.scope.store.op(core::NOT, &[formula]) else { continue };
                    if !named {
                        continue;
                    }
                    if self.refutes(&[not, denied], budget) {
                        all.remove(&hypothesis);
                        continue;
                    }
                    // It is certainly not discharged only if an assignment shows that.
                    let search = self.attack.satisfy(&mut self.scope.store, &[not, denied], budget);
                    if !matches!(search, Found::Model(_)) {
                        all.remove(&hypothesis);
                        self.is_uncertain = true;
                    }
                }
            }
        }
        Rc::new(all)
    }

    fn refutes(&self, formulas: &[TermId], budget: &mut Budget) -> bool {
        let check = budget.share(CHECK, |budget| Ok(refutes(&self.scope.store, formulas, budget)));
        check.unwrap_or(false)
    }

    /// The disjunction of literals, if they are formulas.
    fn disjunction(&mut self, literals: &[TermId]) -> Option<TermId> {
        match literals {
            [] => Some(self.scope.store.bool(false)),
            [one] => Some(*one),
            many => self.scope.store.op(core::OR, many).ok(),
        }
    }

    /// The conclusion as a formula; `None` if it has none or cannot be read.
    fn formula(&mut self, step: &Step) -> Option<TermId> {
        let formula = match &step.conclusion {
            Conclusion::Formula(formula) => *formula,
            Conclusion::Clause(literals) => self.disjunction(literals)?,
            Conclusion::Unread(_) | Conclusion::None => return None,
        };
        let is_formula = self.scope.store.sort(formula) == assay_term::SortId::BOOL;
        is_formula.then_some(formula)
    }

    fn step(&mut self, proof: &Proof, number: usize, budget: &mut Budget) -> Status {
        let step = &proof.steps[number];
        if matches!(step.conclusion, Conclusion::None) {
            return Status::Checked;
        }
        if let Conclusion::Unread(reason) = &step.conclusion {
            *self.report.unread.entry(reason.clone()).or_default() += 1;
        }
        let Some(conclusion) = self.formula(step) else { return Status::Unread };
        match step.role {
            Role::Hypothesis => return Status::Checked,
            Role::Definition => return Status::Skipped,
            Role::Assumed => return self.assumed(step, conclusion, budget),
            Role::Plain | Role::Discharge | Role::Trusted | Role::Bind => {}
        }
        let binders = step.premises.iter().any(|&premise| proof.steps[premise].role == Role::Bind);
        if binders || step.role == Role::Bind {
            return self.binder(proof, step, conclusion);
        }
        let mut premises = Vec::new();
        for &premise in &step.premises {
            match self.formula(&proof.steps[premise]) {
                Some(formula) => premises.push(formula),
                None => return Status::Unread,
            }
        }
        self.claim(step, &premises, conclusion, budget)
    }

    /// Examines the claim that premises imply a conclusion.
    fn claim(
        &mut self,
        step: &Step,
        premises: &[TermId],
        conclusion: TermId,
        budget: &mut Budget,
    ) -> Status {
        if premises.contains(&conclusion) {
            return Status::Checked;
        }
        let mut goals = premises.to_vec();
        // Every literal of a clause is a goal of its own, so that a search can come nearer to it.
        let literals = match self.scope.store.operator(conclusion) {
            Some((core::OR, literals)) => literals.to_vec(),
            _ => vec![conclusion],
        };
        for literal in literals {
            let Ok(denied) = self.scope.store.op(core::NOT, &[literal]) else {
                return Status::Skipped;
            };
            goals.push(denied);
        }
        if self.refutes(&goals, budget) || binder::is_instance(&mut self.scope, conclusion) {
            return Status::Checked;
        }
        if self.scope.may_define(premises, conclusion) {
            return Status::Skipped;
        }
        match self.attack.satisfy(&mut self.scope.store, &goals, budget) {
            Found::Nothing => Status::Checked,
            Found::None(0) | Found::Unsuitable => Status::Skipped,
            Found::None(decided) => Status::Attacked(decided),
            Found::Model(model) => {
                let fault = ProofFault::FalseStep {
                    step: step.name.clone(),
                    rule: step.rule.clone(),
                    premises: premises.iter().map(|&premise| self.shown(premise)).collect(),
                    conclusion: self.shown(conclusion),
                    assignment: self.assignment(&goals, &model),
                };
                self.fault(fault);
                Status::Refuted
            }
        }
    }

    /// Examines a step whose premise is about bound variables.
    fn binder(&mut self, proof: &Proof, step: &Step, conclusion: TermId) -> Status {
        let (premise, vars) = match (&step.premises[..], step.role) {
            (&[bind], Role::Plain | Role::Trusted) => {
                let bind = &proof.steps[bind];
                (bind.premises.first().copied(), &bind.vars)
            }
            (&[.., premise], Role::Bind) => (Some(premise), &step.vars),
            _ => (None, &step.vars),
        };
        // A hypothesis about a variable says nothing about its other values.
        let rests_on_them = premise.is_some_and(|premise| {
            self.hypotheses[premise].iter().any(|&hypothesis| {
                let formula = match &proof.steps[hypothesis].conclusion {
                    Conclusion::Formula(formula) => std::slice::from_ref(formula),
                    Conclusion::Clause(literals) => literals,
                    Conclusion::Unread(_) | Conclusion::None => return true,
                };
                self.scope.store.postorder(formula).iter().any(|part| vars.contains(part))
            })
        });
        let premise = premise.filter(|_| !rests_on_them);
        let premise = premise.and_then(|premise| self.formula(&proof.steps[premise]));
        match premise {
            Some(premise) if binder::lifts(&mut self.scope.store, premise, vars, conclusion) => {
                Status::Checked
            }
            _ => Status::Skipped,
        }
    }

    /// Examines an assumption, which must be an assertion.
    fn assumed(&mut self, step: &Step, formula: TermId, budget: &mut Budget) -> Status {
        let asserted = self.scope.asserted.clone();
        let printer = Printer::new(&self.scope.store);
        let words = printer.term(formula);
        if asserted.iter().any(|&known| known == formula || printer.term(known) == words) {
            return Status::Checked;
        }
        let Ok(denied) = self.scope.store.op(core::NOT, &[formula]) else { return Status::Skipped };
        if asserted.iter().any(|&assertion| self.refutes(&[assertion, denied], budget)) {
            return Status::Checked;
        }
        // It is foreign if it differs from every assertion. One that holds where this does not
        // suffices for each.
        let mut witness = None;
        for &assertion in &asserted {
            match self.attack.satisfy(&mut self.scope.store, &[assertion, denied], budget) {
                Found::Model(model) => witness = Some((assertion, model)),
                Found::Nothing => return Status::Checked,
                Found::None(_) | Found::Unsuitable => return Status::Skipped,
            }
        }
        let assignment = witness
            .map(|(assertion, model)| self.assignment(&[assertion, formula], &model))
            .unwrap_or_default();
        let fault = ProofFault::Foreign {
            step: step.name.clone(),
            formula: self.shown(formula),
            assignment,
        };
        self.fault(fault);
        Status::Refuted
    }

    fn shown(&self, term: TermId) -> String {
        shorten(&Printer::new(&self.scope.store).term(term))
    }

    fn assignment(&mut self, formulas: &[TermId], model: &Model) -> String {
        let functions = declared(&self.scope.store, formulas);
        assignment(&functions, &mut self.scope.store, model)
    }
}

/// The declared functions of some formulas.
fn declared(store: &Store, formulas: &[TermId]) -> Vec<FuncId> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for part in store.postorder(formulas) {
        if let Term::App(func, _) = store.get(part) {
            if matches!(store.func(func), Func::Declared { .. }) && seen.insert(func) {
                found.push(func);
            }
        }
    }
    found
}
