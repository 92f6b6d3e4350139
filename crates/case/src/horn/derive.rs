//! Runs clauses concretely: from facts to further facts, until `false` is derived or nothing is new.
//!
//! The values of a clause's variables come from the facts that its premises match, from equations, and,
//! where neither determines them, from a few values: all of a small sort, otherwise values near the literals
//! of the formula. The order is fixed, so that the same formula always gives the same run.

use super::clauses::{Clause, Clauses};
use crate::formula::Formula;
use crate::universal::{Opened, Sampler, all_values};
use assay_smtlib::Printer;
use assay_term::theories::core;
use assay_term::{Budget, Evaluator, FuncId, Interpretation, Model, SortId, Store, TermId, Value};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// How far clauses are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The most facts.
    pub facts: usize,
    /// The most values that are tried for a variable that nothing determines.
    pub values: usize,
    /// Whether the run ends where `false` is derived.
    pub until_false: bool,
}

impl Extent {
    /// To find a derivation of `false`.
    pub const USUAL: Extent = Extent { facts: 1_500, values: 12, until_false: true };
    /// To meet the first facts.
    pub const SHORT: Extent = Extent { facts: 120, values: 6, until_false: true };
}

/// The application of a clause to values of its variables.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// The position of the clause.
    pub clause: usize,
    /// The values of its variables, in order.
    pub values: Vec<Value>,
    /// The positions of the facts that are its premises.
    pub premises: Vec<usize>,
}

/// A predicate that holds for these values.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// The predicate.
    pub predicate: FuncId,
    /// The values.
    pub args: Box<[Value]>,
    /// Its derivation, from facts before it.
    pub step: Step,
    /// The number of steps on the longest way to it.
    pub depth: usize,
}

/// The result of running clauses.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    /// The facts, each derived from earlier ones.
    pub facts: Vec<Fact>,
    /// The step that derives `false`.
    pub falsity: Option<Step>,
    /// Whether these are all facts: no value was left out, and no limit was reached.
    pub is_complete: bool,
}

/// A derivation of `false`, each step of which was evaluated.
#[derive(Clone, PartialEq, Debug)]
pub struct Derivation {
    facts: Vec<Fact>,
    falsity: Step,
}

/// The steps for finding a derivation.
const STEPS: u64 = 60_000_000;

/// A derivation of `false` from a formula that is a set of Horn clauses.
#[must_use]
pub fn refute(formula: &Formula, budget: &mut Budget) -> Option<Derivation> {
    let clauses = Clauses::of(formula)?;
    if !clauses.clauses.iter().any(|clause| clause.head.is_none()) {
        return None;
    }
    let mut own = Budget::new(STEPS, budget.space());
    if let Some(deadline) = budget.deadline() {
        own = own.until(deadline);
    }
    let run = explore(formula, &clauses, Extent::USUAL, &mut own);
    Derivation::of(formula, &clauses, run, &mut own)
}

impl Derivation {
    /// The part of a run that leads to `false`, if each of its steps holds by evaluation of the assertion.
    #[must_use]
    pub fn of(
        formula: &Formula,
        clauses: &Clauses,
        run: Run,
        budget: &mut Budget,
    ) -> Option<Derivation> {
        let falsity = run.falsity?;
        let mut needed = HashSet::new();
        let mut open = falsity.premises.clone();
        while let Some(fact) = open.pop() {
            if needed.insert(fact) {
                open.extend(&run.facts[fact].step.premises);
            }
        }
        let mut places: HashMap<usize, usize> = HashMap::new();
        let mut facts: Vec<Fact> = Vec::new();
        for (at, mut fact) in run.facts.into_iter().enumerate() {
            if needed.contains(&at) {
                places.insert(at, facts.len());
                fact.step.premises = renumbered(&fact.step.premises, &places)?;
                facts.push(fact);
            }
        }
        let premises = renumbered(&falsity.premises, &places)?;
        let derivation = Derivation { facts, falsity: Step { premises, ..falsity } };
        derivation.holds(formula, clauses, budget).then_some(derivation)
    }

    /// Evaluates each step on the assertion: where exactly the facts before it hold, the instance of the
    /// assertion is false. So every interpretation with these facts has the new one as well, and none is
    /// a model after the last step.
    fn holds(&self, formula: &Formula, clauses: &Clauses, budget: &mut Budget) -> bool {
        let mut model = formula.definitions().clone();
        let mut tables: HashMap<FuncId, Interpretation> = HashMap::new();
        for &predicate in &clauses.predicates {
            let (entries, default) = (Default::default(), Value::Bool(false));
            tables.insert(predicate, Interpretation::Table { entries, default });
        }
        for (&predicate, table) in &tables {
            set(&mut model, &clauses.store, predicate, table);
        }
        let mut opened: HashMap<usize, Opened> = HashMap::new();
        let steps = self.facts.iter().map(|fact| &fact.step).chain([&self.falsity]);
        for (at, step) in steps.enumerate() {
            let assertion = clauses.clauses[step.clause].assertion;
            let sentence = formula.assertions()[assertion].term;
            let opened =
                opened.entry(step.clause).or_insert_with(|| Opened::new(formula.store(), sentence));
            let is_paid = budget.spend(1 + at as u64).is_ok();
            if !is_paid || !opened.is_false(&model, &step.values, budget) {
                return false;
            }
            let Some(fact) = self.facts.get(at) else { continue };
            let Some(table) = tables.get_mut(&fact.predicate) else { return false };
            if let Interpretation::Table { entries, .. } = table {
                entries.insert(fact.args.clone(), Value::Bool(true));
            }
            set(&mut model, &clauses.store, fact.predicate, table);
        }
        true
    }

    /// The number of its steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.facts.len() + 1
    }

    /// Never: the last step is always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The facts, in order.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// The step to `false`.
    #[must_use]
    pub fn falsity(&self) -> &Step {
        &self.falsity
    }

    /// The derivation as text, one step in each line.
    #[must_use]
    pub fn show(&self, formula: &Formula) -> String {
        let mut store = formula.store().clone();
        let mut text = String::new();
        for (at, fact) in self.facts.iter().enumerate() {
            let what = shown(&mut store, fact);
            let _ = writeln!(text, "{}: {what} {}", at + 1, by(formula, &fact.step));
        }
        let _ = writeln!(text, "{}: false {}", self.facts.len() + 1, by(formula, &self.falsity));
        text
    }
}

/// A predicate without arguments has a value, not a table.
fn set(model: &mut Model, store: &Store, predicate: FuncId, table: &Interpretation) {
    let meaning = match (store.func(predicate), table) {
        (assay_term::Func::Declared { params, .. }, Interpretation::Table { entries, .. })
            if params.is_empty() =>
        {
            Interpretation::Value(Value::Bool(!entries.is_empty()))
        }
        _ => table.clone(),
    };
    model.set(predicate, meaning);
}

fn shown(store: &mut Store, fact: &Fact) -> String {
    let name = store.func_name(fact.predicate).to_string();
    if fact.args.is_empty() {
        return name;
    }
    let mut text = format!("({name}");
    for value in &fact.args {
        match store.value(value) {
            Some(term) => {
                let _ = write!(text, " {}", Printer::new(store).term(term));
            }
            None => {
                let _ = write!(text, " {value:?}");
            }
        }
    }
    text + ")"
}

fn by(formula: &Formula, step: &Step) -> String {
    let line = formula.assertions().get(step.clause).map_or(0, |assertion| assertion.place.line);
    let mut text = format!("by line {line}");
    if !step.premises.is_empty() {
        let from: Vec<String> = step.premises.iter().map(|at| (at + 1).to_string()).collect();
        let _ = write!(text, " from {}", from.join(", "));
    }
    text
}

fn renumbered(premises: &[usize], places: &HashMap<usize, usize>) -> Option<Vec<usize>> {
    premises.iter().map(|at| places.get(at).copied()).collect()
}

/// Runs the clauses of a formula.
#[must_use]
pub fn explore(formula: &Formula, clauses: &Clauses, extent: Extent, budget: &mut Budget) -> Run {
    let mut explorer = Explorer::new(formula, clauses, extent);
    explorer.run(budget);
    let is_complete = explorer.is_complete && explorer.run.falsity.is_none();
    Run { is_complete, ..explorer.run }
}

struct Explorer<'c> {
    clauses: &'c Clauses,
    extent: Extent,
    definitions: &'c Model,
    /// The values to try for a variable that nothing determines, and whether these are all.
    pools: HashMap<SortId, (Vec<Value>, bool)>,
    run: Run,
    known: HashSet<(FuncId, Box<[Value]>)>,
    by_predicate: HashMap<FuncId, Vec<usize>>,
    is_complete: bool,
}

/// A clause that is being applied.
#[derive(Clone)]
struct Partial {
    values: Vec<Option<Value>>,
    premises: Vec<usize>,
    /// Constraints that are not known to hold yet.
    open: Vec<TermId>,
}

impl<'c> Explorer<'c> {
    fn new(formula: &'c Formula, clauses: &'c Clauses, extent: Extent) -> Explorer<'c> {
        let mut pools = HashMap::new();
        let store = &clauses.store;
        let definitions = formula.definitions();
        let all: Vec<TermId> = clauses.clauses.iter().flat_map(terms).collect();
        let sampler = Sampler::new(store, &all);
        let constants = clauses.clauses.iter().flat_map(|clause| &clause.variables);
        for &(_, constant) in constants {
            let sort = store.sort(constant);
            pools.entry(sort).or_insert_with(|| {
                match all_values(store, definitions, constant, extent.values as u64) {
                    Some(values) => (values, true),
                    None => (sampler.few(store, definitions, sort, extent.values), false),
                }
            });
        }
        Explorer {
            clauses,
            extent,
            definitions,
            pools,
            run: Run::default(),
            known: HashSet::new(),
            by_predicate: HashMap::new(),
            is_complete: true,
        }
    }

    fn run(&mut self, budget: &mut Budget) {
        let clauses = self.clauses;
        for (at, clause) in clauses.clauses.iter().enumerate() {
            if clause.body.is_empty() && !self.apply(at, None, budget) {
                self.is_complete = false;
                return;
            }
        }
        let mut next = 0;
        while next < self.run.facts.len() {
            let predicate = self.run.facts[next].predicate;
            self.by_predicate.entry(predicate).or_default().push(next);
            for (at, clause) in clauses.clauses.iter().enumerate() {
                for place in 0..clause.body.len() {
                    if clause.body[place].predicate == predicate
                        && !self.apply(at, Some((place, next)), budget)
                    {
                        self.is_complete = false;
                        return;
                    }
                }
            }
            next += 1;
        }
    }

    /// Applies a clause in every way in which a fact is the premise at a place, and the others are not
    /// later. False if the run ends.
    fn apply(&mut self, at: usize, new: Option<(usize, usize)>, budget: &mut Budget) -> bool {
        let clause = &self.clauses.clauses[at];
        let start = Partial {
            values: vec![None; clause.variables.len()],
            premises: Vec::new(),
            open: clause.constraints.clone(),
        };
        let mut work = vec![start];
        let size = 64 + clause.variables.len() as u64;
        while let Some(mut partial) = work.pop() {
            if budget.spend(size).is_err() {
                return false;
            }
            let place = partial.premises.len();
            if let Some(premise) = clause.body.get(place) {
                let facts = match new {
                    Some((fixed, fact)) if fixed == place => vec![fact],
                    _ => self.by_predicate.get(&premise.predicate).cloned().unwrap_or_default(),
                };
                for fact in facts.into_iter().rev() {
                    // The fact is at its first place.
                    if new.is_some_and(|(fixed, own)| own == fact && place < fixed) {
                        continue;
                    }
                    if let Some(matched) = self.matched(clause, &partial, fact, budget) {
                        work.push(matched);
                    }
                }
                continue;
            }
            match self.settled(clause, &mut partial, budget) {
                Some(true) => {}
                Some(false) => continue,
                None => {
                    self.is_complete = false;
                    continue;
                }
            }
            let undetermined = partial.values.iter().position(Option::is_none);
            if let Some(variable) = undetermined {
                let sort = self.clauses.store.sort(clause.variables[variable].1);
                let (values, are_all) = &self.pools[&sort];
                self.is_complete &= are_all;
                for value in values.iter().rev() {
                    let mut chosen = partial.clone();
                    chosen.values[variable] = Some(value.clone());
                    work.push(chosen);
                }
                continue;
            }
            if !self.conclude(at, partial, budget) {
                return false;
            }
        }
        true
    }

    /// Adds the conclusion. False if the run ends.
    fn conclude(&mut self, at: usize, partial: Partial, budget: &mut Budget) -> bool {
        let clause = &self.clauses.clauses[at];
        let model = self.model(clause, &partial.values);
        let Some(values) = partial.values.into_iter().collect::<Option<Vec<Value>>>() else {
            return true;
        };
        let step = Step { clause: at, values, premises: partial.premises };
        let Some(head) = &clause.head else {
            self.run.falsity.get_or_insert(step);
            return !self.extent.until_false;
        };
        let args: Option<Box<[Value]>> =
            head.args.iter().map(|&arg| self.value(&model, arg, budget)).collect();
        let Some(args) = args else {
            self.is_complete = false;
            return true;
        };
        if self.known.contains(&(head.predicate, args.clone())) {
            return true;
        }
        if self.run.facts.len() >= self.extent.facts {
            return false;
        }
        self.known.insert((head.predicate, args.clone()));
        let depth = step.premises.iter().map(|&fact| self.run.facts[fact].depth + 1).max();
        let (predicate, depth) = (head.predicate, depth.unwrap_or(0));
        self.run.facts.push(Fact { predicate, args, step, depth });
        true
    }

    /// The clause with a fact as its next premise.
    fn matched(
        &self,
        clause: &Clause,
        partial: &Partial,
        fact: usize,
        budget: &mut Budget,
    ) -> Option<Partial> {
        let mut matched = partial.clone();
        let premise = &clause.body[partial.premises.len()];
        for (&arg, value) in premise.args.iter().zip(&self.run.facts[fact].args) {
            budget.spend(clause.variables.len() as u64).ok()?;
            match self.variable(clause, arg) {
                Some(variable) => match &matched.values[variable] {
                    Some(known) if known != value => return None,
                    _ => matched.values[variable] = Some(value.clone()),
                },
                None => {
                    // A term that has a value must have this one; another is compared later.
                    let model = self.model(clause, &matched.values);
                    match self.value(&model, arg, budget) {
                        Some(own) if own != *value => return None,
                        Some(_) => {}
                        None => return None,
                    }
                }
            }
        }
        matched.premises.push(fact);
        Some(matched)
    }

    /// Evaluates constraints and takes values from equations until nothing changes. True if no known
    /// constraint is false, `None` if the value of one is not known.
    fn settled(&self, clause: &Clause, partial: &mut Partial, budget: &mut Budget) -> Option<bool> {
        let mut is_new = true;
        let store = &self.clauses.store;
        let is_whole = |partial: &Partial| partial.values.iter().all(Option::is_some);
        while is_new {
            is_new = false;
            let open = std::mem::take(&mut partial.open);
            for (at, &constraint) in open.iter().enumerate() {
                budget.spend(16 + 4 * clause.variables.len() as u64).ok()?;
                let model = self.model(clause, &partial.values);
                match self.value(&model, constraint, budget) {
                    Some(Value::Bool(true)) => continue,
                    Some(_) => return Some(false),
                    None if is_whole(partial) => return None,
                    None => {}
                }
                if let Some((variable, value)) =
                    self.assigned(clause, partial, &model, constraint, budget)
                {
                    partial.values[variable] = Some(value);
                    is_new = true;
                    partial.open.extend(open[at + 1..].iter());
                    break;
                }
                if let Some((core::ITE, &[condition, then, other])) = store.operator(constraint) {
                    if let Some(Value::Bool(holds)) = self.value(&model, condition, budget) {
                        partial.open.push(if holds { then } else { other });
                        is_new = true;
                        continue;
                    }
                }
                partial.open.push(constraint);
            }
        }
        Some(true)
    }

    /// The value that an equation, or a Boolean variable, gives to a variable without one.
    fn assigned(
        &self,
        clause: &Clause,
        partial: &Partial,
        model: &Model,
        constraint: TermId,
        budget: &mut Budget,
    ) -> Option<(usize, Value)> {
        let free = |term: TermId| {
            let variable = self.variable(clause, term)?;
            partial.values[variable].is_none().then_some(variable)
        };
        if let Some(variable) = free(constraint) {
            return Some((variable, Value::Bool(true)));
        }
        match self.clauses.store.operator(constraint)? {
            (core::NOT, &[arg]) => Some((free(arg)?, Value::Bool(false))),
            (core::EQ, &[a, b]) => [(a, b), (b, a)].into_iter().find_map(|(left, right)| {
                let variable = free(left)?;
                Some((variable, self.value(model, right, budget)?))
            }),
            _ => None,
        }
    }

    /// The number of the variable that a term is.
    fn variable(&self, clause: &Clause, term: TermId) -> Option<usize> {
        clause.variables.iter().position(|&(_, constant)| constant == term)
    }

    fn model(&self, clause: &Clause, values: &[Option<Value>]) -> Model {
        let mut model = self.definitions.clone();
        for (&(func, _), value) in clause.variables.iter().zip(values) {
            if let Some(value) = value {
                model.set(func, Interpretation::Value(value.clone()));
            }
        }
        model
    }

    fn value(&self, model: &Model, term: TermId, budget: &mut Budget) -> Option<Value> {
        let mut evaluator = Evaluator::new(&self.clauses.store, model).with_budget(budget.clone());
        let value = evaluator.eval(term).ok();
        *budget = evaluator.into_budget();
        value
    }
}

/// All terms of a clause.
fn terms(clause: &Clause) -> Vec<TermId> {
    let args = clause.body.iter().chain(&clause.head).flat_map(|applied| &applied.args);
    args.chain(&clause.constraints).copied().collect()
}
