//! Searches for an assignment that satisfies some formulas: boundary and random values first, then
//! changes of the assignments that satisfy most. Half of all assignments make two sides meet.

use crate::meet::Meetings;
use assay_case::rewrite::{every_assignment, is_disputed, is_writable};
use assay_grow::Values;
use assay_mutate::Draw;
use assay_term::batch::{Columns, Scratch, Tape};
use assay_term::{
    Budget, Evaluator, Exhausted, Func, FuncId, Interpretation, Limits, Model, Sort, Store, Term,
    TermId,
};
use rustc_hash::FxHashSet;

/// Many small values refute more claims than one large value, which takes as long.
const LIMITS: Limits =
    Limits { steps: 0, instances: 1_024, regex: 50_000, length: 1 << 10, bits: 1 << 10 };

/// All assignments are tried where there are at most this many.
const EXHAUSTIVE: usize = 512;

/// Assignments that are tried at once.
const DRAWN: usize = 64;

/// How often the best assignments are changed.
const ROUNDS: usize = 6;

/// Steps of evaluation for one claim.
const STEPS: u64 = 400_000;

/// The result of a search.
#[derive(Debug)]
pub(crate) enum Found {
    /// The formulas hold under this assignment.
    Model(Box<Model>),
    /// No assignment satisfies them.
    Nothing,
    /// None of this many assignments does that gives every formula a value.
    None(usize),
    /// They have operators that solvers read in different ways, or symbols without values.
    Unsuitable,
}

/// What formulas are tried with.
pub(crate) struct Attack<'a> {
    pub(crate) definitions: &'a Model,
    /// The largest character of the solver's strings.
    pub(crate) last_character: u32,
}

/// The symbols of some formulas, and what they are drawn from.
struct Symbols<'s> {
    functions: &'s [FuncId],
    values: &'s Values,
    /// What every assignment agrees with.
    world: &'s Model,
}

impl Attack<'_> {
    /// Searches for an assignment that satisfies all of these formulas.
    pub(crate) fn satisfy(
        &self,
        store: &mut Store,
        formulas: &[TermId],
        budget: &mut Budget,
    ) -> Found {
        let parts = store.postorder(formulas);
        // A function may be a symbol with arguments in one term and a value in another, which models give
        // separate meanings.
        let is_open = |&term: &TermId| {
            matches!(store.get(term), Term::Match(..))
                || matches!(store.sorts.get(store.sort(term)), Sort::Fun(..))
        };
        if parts.iter().any(is_open) || formulas.iter().any(|&formula| is_disputed(store, formula))
        {
            return Found::Unsuitable;
        }
        let functions = self.functions(store, &parts);
        let values = Values::new(store, &functions, formulas);
        let mut world = values.world().clone();
        world.extend(self.definitions);
        if let Some(all) = every_assignment(store, &world, &functions, EXHAUSTIVE) {
            let usable: Vec<Model> =
                all.models().iter().filter(|model| self.is_usable(model)).cloned().collect();
            let complete = !values.is_open() && usable.len() == all.models().len();
            let tried = self.tried(store, formulas, &usable, budget);
            return match tried.model(store, formulas, &usable) {
                Some(model) => Found::Model(Box::new(model)),
                None if complete && tried.refuted == usable.len() => Found::Nothing,
                None => Found::None(tried.known),
            };
        }
        let symbols = Symbols { functions: &functions, values: &values, world: &world };
        self.search(store, formulas, symbols, budget)
    }

    fn is_usable(&self, model: &Model) -> bool {
        is_writable(model, self.last_character)
    }

    /// The declared constants and functions of some terms.
    fn functions(&self, store: &Store, parts: &[TermId]) -> Vec<FuncId> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        for &part in parts {
            let Term::App(func, _) = store.get(part) else { continue };
            let declared = matches!(store.func(func), Func::Declared { .. });
            if declared && self.definitions.get(func).is_none() && seen.insert(func) {
                found.push(func);
            }
        }
        found
    }

    fn search(
        &self,
        store: &mut Store,
        formulas: &[TermId],
        symbols: Symbols<'_>,
        budget: &mut Budget,
    ) -> Found {
        let Symbols { functions, values, world } = symbols;
        let name: Vec<u64> = formulas.iter().map(|term| term.index() as u64).collect();
        let mut draw = Draw::new(&name);
        let meetings = Meetings::of(store, &store.postorder(formulas), functions, LIMITS);
        let mut known = 0;
        let mut models: Vec<Model> = Vec::new();
        for round in 0..=ROUNDS {
            let mut next = Vec::new();
            while next.len() < DRAWN {
                let base = if round == 0 { None } else { draw.of(&models).cloned() };
                let changed = match &base {
                    None => functions.to_vec(),
                    Some(_) => {
                        let count = 1 + draw.below(functions.len().min(3));
                        (0..count).filter_map(|_| draw.of(functions).copied()).collect()
                    }
                };
                let mut model = base.unwrap_or_else(|| world.clone());
                if !self.change(store, values, &mut draw, &mut model, &changed) {
                    return Found::Unsuitable;
                }
                if draw.one_in(2) {
                    meetings.meet(store, &mut draw, &mut model);
                }
                next.push(model);
            }
            next.retain(|model| self.is_usable(model));
            let tried = self.tried(store, formulas, &next, budget);
            known += tried.known;
            if let Some(model) = tried.model(store, formulas, &next) {
                return Found::Model(Box::new(model));
            }
            if functions.is_empty() || budget.spend(1).is_err() {
                break;
            }
            // Those that satisfy most formulas are changed next.
            let mut order: Vec<usize> = (0..next.len()).collect();
            order.sort_by_key(|&at| std::cmp::Reverse(tried.satisfied[at]));
            models = order.into_iter().take(6).map(|at| next[at].clone()).collect();
            if models.is_empty() {
                break;
            }
        }
        Found::None(known)
    }

    /// Gives some symbols other meanings; false if a sort has no values that can be made.
    fn change(
        &self,
        store: &Store,
        values: &Values,
        draw: &mut Draw,
        model: &mut Model,
        functions: &[FuncId],
    ) -> bool {
        let mut before: Vec<_> = Vec::new();
        for (func, meaning) in model.iter() {
            if let (Func::Declared { result, .. }, Interpretation::Value(value)) =
                (store.func(func), meaning)
            {
                before.push((func, *result, value.clone()));
            }
        }
        // In a fixed order, so that the same numbers are drawn each time.
        before.sort_by_key(|(func, ..)| *func);
        let mut before = before.into_iter().map(|(_, sort, value)| (sort, value)).collect();
        for &func in functions {
            match values.meaning(store, draw, func, &mut before) {
                Some(meaning) => model.set(func, meaning),
                None => return false,
            }
        }
        true
    }

    fn tried(
        &self,
        store: &Store,
        formulas: &[TermId],
        models: &[Model],
        budget: &mut Budget,
    ) -> Tried {
        let mut tried =
            Tried { satisfied: vec![0; models.len()], known: 0, refuted: 0, all: Vec::new() };
        let rows = budget.share(STEPS, |budget| self.rows(store, formulas, models, budget));
        let Ok(rows) = rows else { return tried };
        for at in 0..models.len() {
            let column = || rows.iter().map(|row| row[at]);
            tried.satisfied[at] = column().filter(|truth| *truth == Some(true)).count();
            tried.known += usize::from(column().all(|truth| truth.is_some()));
            tried.refuted += usize::from(column().any(|truth| truth == Some(false)));
            if tried.satisfied[at] == formulas.len() {
                tried.all.push(at);
            }
        }
        tried
    }

    /// The truth of each formula under each model.
    fn rows(
        &self,
        store: &Store,
        formulas: &[TermId],
        models: &[Model],
        budget: &mut Budget,
    ) -> Result<Vec<Vec<Option<bool>>>, Exhausted> {
        let tape = Tape::compile(store, formulas, budget)?.with_limits(LIMITS);
        let columns = Columns::from_models(&tape, models, budget)?;
        let mut scratch = Scratch::default();
        let results = tape.run(&columns, &mut scratch, budget)?;
        let row = |root| results.values(root).map(|value| value.ok()?.as_bool()).collect();
        Ok((0..formulas.len()).map(row).collect())
    }
}

/// How some formulas fared under some models.
struct Tried {
    /// The number of formulas that each model satisfies.
    satisfied: Vec<usize>,
    /// The models that give every formula a value.
    known: usize,
    /// The models that falsify a formula.
    refuted: usize,
    /// The models that satisfy all.
    all: Vec<usize>,
}

impl Tried {
    /// A model that satisfies all formulas, also one at a time.
    fn model(&self, store: &Store, formulas: &[TermId], models: &[Model]) -> Option<Model> {
        let holds = |model: &Model, formula: TermId| {
            let budget = Budget::new(STEPS, u64::MAX);
            let evaluator = Evaluator::new(store, model).with_limits(LIMITS);
            evaluator.with_budget(budget).holds(formula) == Ok(true)
        };
        let at = self.all.iter().copied();
        let mut confirmed =
            at.filter(|&at| formulas.iter().all(|&formula| holds(&models[at], formula)));
        confirmed.next().map(|at| models[at].clone())
    }
}
