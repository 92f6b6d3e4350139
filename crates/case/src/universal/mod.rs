//! Universal sentences under a model: whether all assignments of their variables satisfy them.
//!
//! A sentence is opened: constants take the place of its variables, definitions are written out, and
//! variables that an equation of the premise determines are replaced by what they equal. If few
//! assignments are left, all are tried. Otherwise many are ([`sample`]), each of which can show that the
//! sentence is false, and a proof ([`prove`]) can show that it is true. One false assignment counts only
//! after the exact evaluator confirmed it on the sentence as it was.

mod linear;
mod prove;
mod sample;
mod simplify;

pub(crate) use simplify::plain;

use assay_term::batch::{Columns, Scratch, Tape};
use assay_term::eval::EvalContext;
use assay_term::theories::core;
use assay_term::{
    Budget, Evaluator, FuncId, Interpretation, Limits, Model, Quantifier, Replacements, Store,
    Term, TermId, Value,
};
pub(crate) use sample::Sampler;
use std::cell::Cell;

/// What is known about a sentence under a model.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// All assignments satisfy it.
    Valid,
    /// This assignment of its variables falsifies it.
    False(Assignment),
    /// Nothing.
    Unknown,
}

/// Values of a sentence's variables, by their names.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment(pub Vec<(String, Value)>);

/// The steps for one sentence.
const STEPS: u64 = 6_000_000;

/// The steps for its proof.
const PROOF: u64 = 1_500_000;

/// If there are at most this many assignments, all are tried.
const FEW: u64 = 1 << 17;

/// The number of assignments that are evaluated together.
const LANES: usize = 1 << 9;

/// The number of such groups among infinitely many assignments.
const ROUNDS: usize = 4;

const LIMITS: Limits =
    Limits { steps: 0, instances: 1 << 10, regex: 50_000, length: 1 << 12, bits: 1 << 12 };

/// A universal sentence with constants in the place of its variables.
pub(crate) struct Opened {
    pub(crate) store: Store,
    /// Its matrix.
    pub(crate) matrix: TermId,
    pub(crate) variables: Vec<Variable>,
    /// The number of assignments under which its truth value is known.
    pub(crate) decided: Cell<u64>,
    /// Whether assignments of small numbers are tried as well where there are infinitely many.
    is_dense: bool,
}

/// A variable of an opened sentence.
#[derive(Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) func: FuncId,
    pub(crate) constant: TermId,
}

impl Opened {
    /// The steps that opening a sentence of a store takes.
    pub(crate) fn cost(store: &Store) -> u64 {
        store.len() as u64
    }

    /// Opens a sentence; a formula without a universal quantifier has no variables.
    pub(crate) fn new(store: &Store, sentence: TermId) -> Opened {
        let mut store = store.clone();
        let (matrix, variables) = open(&mut store, sentence);
        Opened { store, matrix, variables, decided: Cell::new(0), is_dense: false }
    }

    /// A formula whose variables are these constants. It is tried under all assignments of small numbers,
    /// too, if there are not many constants.
    pub(crate) fn over(store: Store, matrix: TermId, constants: &[FuncId]) -> Opened {
        let mut opened =
            Opened { store, matrix, variables: Vec::new(), decided: Cell::new(0), is_dense: true };
        for &func in constants {
            let name = opened.store.func_name(func).to_owned();
            if let Ok(constant) = opened.store.app(func, &[]) {
                opened.variables.push(Variable { name, func, constant });
            }
        }
        opened
    }

    /// The assignment of these values.
    pub(crate) fn assignment(&self, values: &[Value]) -> Assignment {
        let names = self.variables.iter().map(|variable| variable.name.clone());
        Assignment(names.zip(values.iter().cloned()).collect())
    }

    /// Whether the sentence is true under the model.
    pub(crate) fn decide(&mut self, model: &Model, budget: &mut Budget) -> Verdict {
        let mut own = Budget::new(STEPS.min(budget.steps_left()), budget.space().min(1 << 24));
        if let Some(deadline) = budget.deadline() {
            own = own.until(deadline);
        }
        let before = own.steps_left();
        let verdict = self.decided(model, &mut own);
        let _ = budget.spend(before - own.steps_left());
        verdict
    }

    /// Whether the sentence is known to hold under every model.
    pub(crate) fn into_validity(mut self, budget: &mut Budget) -> bool {
        let nothing = Model::new();
        let remaining = self.remaining(self.matrix, budget);
        let sampler = Sampler::default();
        if let Some(all) = sampler.all(&self.store, &nothing, &remaining.inputs, FEW) {
            match self.attacked(&nothing, &remaining, all, budget) {
                Some(Attack::AllTrue) => return true,
                Some(Attack::False(_)) => return false,
                None => {}
            }
        }
        prove::valid(&mut self.store, remaining.formula, budget)
    }

    /// The variables that nothing determines.
    fn inputs(&self, determined: &[(TermId, TermId)]) -> Vec<Variable> {
        let is_free = |v: &&Variable| !determined.iter().any(|(symbol, _)| *symbol == v.constant);
        self.variables.iter().filter(is_free).cloned().collect()
    }

    fn decided(&mut self, model: &Model, budget: &mut Budget) -> Verdict {
        // A definition that cannot be written out stays as it is.
        let written_out = match captures(&self.store, self.matrix, model) {
            true => None,
            false => self.store.expanded(&[self.matrix], model, budget).ok(),
        };
        let expanded = written_out.map_or(self.matrix, |terms| terms[0]);
        let remaining = self.remaining(expanded, budget);
        let (rest, inputs) = (remaining.formula, &remaining.inputs);
        let sampler = Sampler::new(&self.store, &[rest]);
        let all = sampler.all(&self.store, model, inputs, FEW);
        let is_finite = all.is_some();
        let rounds: Box<dyn Iterator<Item = Vec<Vec<Value>>>> = match all {
            Some(all) => Box::new(all),
            None => match sampler.some(&self.store, model, inputs, ROUNDS, LANES) {
                Some(some) if self.is_dense => {
                    Box::new(sampler.dense(&self.store, model, inputs).chain(some))
                }
                Some(some) => Box::new(some),
                None => Box::new(std::iter::empty()),
            },
        };
        match self.attacked(model, &remaining, rounds, budget) {
            Some(Attack::False(values)) => return Verdict::False(self.assignment(&values)),
            Some(Attack::AllTrue) if is_finite => return Verdict::Valid,
            _ => {}
        }
        let proved = budget.share(PROOF, |budget| Ok(prove::valid(&mut self.store, rest, budget)));
        if proved == Ok(true) { Verdict::Valid } else { Verdict::Unknown }
    }

    /// The formula without variables that equations of its premise determine.
    fn remaining(&mut self, formula: TermId, budget: &mut Budget) -> Remaining {
        let mut rest = formula;
        let mut found: Vec<(TermId, TermId)> = Vec::new();
        let size = self.store.postorder(&[formula]).len() as u64;
        while let Some((symbol, by)) = self.determining(rest) {
            // Each term is looked at, and perhaps made again.
            if budget.spend(4 * size).is_err() {
                break;
            }
            let mut replacements = Replacements::from_iter([(symbol, by)]);
            let Ok(smaller) = self.store.replaced(rest, &mut replacements) else { break };
            rest = smaller;
            found.push((symbol, by));
        }
        let inputs = self.inputs(&found);
        Remaining { formula: rest, determined: found, inputs }
    }

    /// A variable, and the term that the premise equates with it.
    fn determining(&mut self, formula: TermId) -> Option<(TermId, TermId)> {
        let store = &self.store;
        let Some((core::IMPLIES, parts)) = store.operator(plain(store, formula)) else {
            return None;
        };
        let (_, premises) = parts.split_last()?;
        let mut open: Vec<TermId> = premises.iter().rev().copied().collect();
        while let Some(part) = open.pop() {
            let part = plain(store, part);
            match store.operator(part) {
                Some((core::AND, args)) => open.extend(args.iter().rev()),
                Some((core::EQ, &[a, b])) => {
                    for (symbol, by) in [(a, b), (b, a)] {
                        let is_variable = self.variables.iter().any(|v| v.constant == symbol);
                        if is_variable && !store.postorder(&[by]).contains(&symbol) {
                            return Some((symbol, by));
                        }
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Evaluates groups of assignments of the inputs; `None` if some value is not known or the budget
    /// is used up.
    fn attacked(
        &self,
        model: &Model,
        remaining: &Remaining,
        rounds: impl Iterator<Item = Vec<Vec<Value>>>,
        budget: &mut Budget,
    ) -> Option<Attack> {
        let Remaining { formula, determined, inputs } = remaining;
        let tape = Tape::compile(&self.store, &[*formula], budget).ok()?.with_limits(LIMITS);
        let mut scratch = Scratch::default();
        let mut is_certain = true;
        for rows in rounds {
            let count = rows.len();
            let mut columns = Columns::new(model, count);
            for (at, input) in inputs.iter().enumerate() {
                budget.spend(count as u64 / 4).ok()?;
                columns.set(&self.store, input.func, rows.iter().map(|row| row[at].clone()));
            }
            let results = tape.run(&columns, &mut scratch, budget).ok()?;
            for (row, result) in rows.iter().zip(results.values(0)) {
                match result {
                    Ok(Value::Bool(true)) => self.decided.set(self.decided.get() + 1),
                    Ok(Value::Bool(false)) => {
                        match self.confirmed(model, determined, inputs, row, budget) {
                            Some(values) => return Some(Attack::False(values)),
                            None => is_certain = false,
                        }
                    }
                    _ => is_certain = false,
                }
            }
        }
        is_certain.then_some(Attack::AllTrue)
    }

    /// The values of all variables, if the sentence is false under them by exact evaluation.
    fn confirmed(
        &self,
        model: &Model,
        determined: &[(TermId, TermId)],
        inputs: &[Variable],
        row: &[Value],
        budget: &mut Budget,
    ) -> Option<Vec<Value>> {
        let mut model = model.clone();
        for (input, value) in inputs.iter().zip(row) {
            model.set(input.func, Interpretation::Value(value.clone()));
        }
        for &(symbol, by) in determined.iter().rev() {
            let value = self.value(&model, by, budget)?;
            let Term::App(func, []) = self.store.get(symbol) else { return None };
            model.set(func, Interpretation::Value(value));
        }
        if self.value(&model, self.matrix, budget)? != Value::Bool(false) {
            return None;
        }
        let value = |variable: &Variable| match model.get(variable.func) {
            Some(Interpretation::Value(value)) => Some(value.clone()),
            _ => None,
        };
        self.variables.iter().map(value).collect()
    }

    fn value(&self, model: &Model, term: TermId, budget: &mut Budget) -> Option<Value> {
        let mut evaluator = Evaluator::new(&self.store, model).with_budget(budget.clone());
        let value = evaluator.eval(term).ok();
        *budget = evaluator.into_budget();
        value
    }

    /// Whether the sentence is false under these values of its variables.
    pub(crate) fn is_false(&self, model: &Model, values: &[Value], budget: &mut Budget) -> bool {
        let mut model = model.clone();
        for (variable, value) in self.variables.iter().zip(values) {
            model.set(variable.func, Interpretation::Value(value.clone()));
        }
        self.value(&model, self.matrix, budget) == Some(Value::Bool(false))
    }
}

/// Whether a variable might be captured where definitions are written out: a binder surrounds the call
/// of a definition with a binder.
fn captures(store: &Store, matrix: TermId, model: &Model) -> bool {
    let binds = |term: TermId| {
        let is_binder = |&part: &TermId| {
            let part = store.get(part);
            matches!(part, Term::Let(..) | Term::Quant(..) | Term::Lambda(..) | Term::Match(..))
        };
        store.postorder(&[term]).iter().any(is_binder)
    };
    let bodies = model.iter().filter_map(|(_, meaning)| match meaning {
        Interpretation::Definition { body, .. } => Some(*body),
        _ => None,
    });
    let bodies: Vec<TermId> = bodies.filter(|&body| binds(body)).collect();
    let calls = |body: &TermId| {
        store.postorder(&[*body]).into_iter().any(|part| match store.get(part) {
            Term::App(func, _) => {
                matches!(model.get(func), Some(Interpretation::Definition { .. }))
            }
            _ => false,
        })
    };
    !bodies.is_empty() && (binds(matrix) || bodies.iter().any(calls))
}

/// A formula without some variables.
struct Remaining {
    formula: TermId,
    /// The other variables with their terms; those of later ones do not mention earlier ones.
    determined: Vec<(TermId, TermId)>,
    /// The variables that are left.
    inputs: Vec<Variable>,
}

/// What a group of assignments shows.
enum Attack {
    AllTrue,
    False(Vec<Value>),
}

/// The matrix of a sentence with constants in the place of its outer universal variables.
pub(crate) fn open(store: &mut Store, sentence: TermId) -> (TermId, Vec<Variable>) {
    let mut matrix = plain(store, sentence);
    let mut variables = Vec::new();
    loop {
        let (bound, body) = match store.get(matrix) {
            Term::Quant(Quantifier::Forall, bound, body) => (bound.to_vec(), body),
            _ => return (matrix, variables),
        };
        let mut by = Replacements::default();
        for var in bound {
            let sort = store.sort(var);
            let Term::Var(name) = store.get(var) else { continue };
            let name = store.symbols.name(name).to_owned();
            // No symbol that a file can mention has this name.
            let own = store.symbols.intern(&format!("{name}|{}", variables.len()));
            let (func, constant) = store.declare_constant(own, sort);
            by.insert(var, constant);
            variables.push(Variable { name, func, constant });
        }
        let captured = store.postorder(&[body]).into_iter().any(|part| match store.get(part) {
            Term::Quant(_, vars, _) | Term::Lambda(vars, _) => {
                vars.iter().any(|var| by.contains_key(var))
            }
            Term::Let(bindings, _) => bindings.iter().step_by(2).any(|var| by.contains_key(var)),
            Term::Match(..) => true,
            _ => false,
        });
        let replaced = if captured { None } else { store.replaced(body, &mut by).ok() };
        match replaced {
            Some(body) => matrix = plain(store, body),
            None => {
                // Binders that share names stay closed.
                return (plain(store, sentence), Vec::new());
            }
        }
    }
}

/// Whether a sentence is true under a model.
pub(crate) fn decide(
    store: &Store,
    sentence: TermId,
    model: &Model,
    budget: &mut Budget,
) -> Verdict {
    match budget.spend(Opened::cost(store)) {
        Ok(()) => Opened::new(store, sentence).decide(model, budget),
        Err(_) => Verdict::Unknown,
    }
}

/// All values of a sort, if there are at most `limit`.
pub(crate) fn all_values(
    store: &Store,
    model: &Model,
    constant: TermId,
    limit: u64,
) -> Option<Vec<Value>> {
    EvalContext::new(store, model).enumerate(store.sort(constant), limit)
}
