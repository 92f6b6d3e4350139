//! Random systems of clauses: predicates over a common layout of variables, initial facts, transitions,
//! clauses with two predicates as premises, and what is asked.

use crate::words::{Words, and, is_number};
use assay_mutate::Draw;
use assay_term::theories::{bv, core, ints};
use assay_term::{FuncId, Int, Quantifier, Replacements, Sort, SortId, Store, TermId, Value};

/// A predicate of a system.
pub(crate) struct Predicate {
    pub(crate) func: FuncId,
    /// Its parameters: variables of the layout.
    pub(crate) params: Vec<TermId>,
    /// What every clause that concludes it also requires of its arguments.
    pub(crate) guard: Option<TermId>,
}

/// A predicate, by its position, applied to terms.
pub(crate) type Use = (usize, Vec<TermId>);

/// A clause over free variables.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) premises: Vec<Use>,
    pub(crate) constraints: Vec<TermId>,
    /// `None` for `false`.
    pub(crate) head: Option<Use>,
}

/// Predicates and clauses.
pub(crate) struct System {
    pub(crate) predicates: Vec<Predicate>,
    pub(crate) clauses: Vec<Draft>,
}

/// How the premises of clauses are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Each clause has at most one predicate as a premise.
    Linear,
    /// Some have two.
    Nonlinear,
}

/// What is drawn, at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HornOptions {
    /// The most predicates of a system.
    pub predicates: usize,
    /// The most variables of a predicate.
    pub variables: usize,
    /// The maximum number of transitions of a system, in addition to those that lead to a predicate
    /// first.
    pub transitions: usize,
    /// Decides what is drawn.
    pub rng: u64,
}

impl Default for HornOptions {
    fn default() -> HornOptions {
        HornOptions { predicates: 3, variables: 4, transitions: 4, rng: 0 }
    }
}

/// Draws the parts of one system.
pub(crate) struct Drawer<'d> {
    pub(crate) words: &'d Words,
    pub(crate) store: &'d mut Store,
    pub(crate) draw: &'d mut Draw,
    /// The number of variables of clauses so far.
    variables: usize,
}

impl<'d> Drawer<'d> {
    pub(crate) fn new(words: &'d Words, store: &'d mut Store, draw: &'d mut Draw) -> Drawer<'d> {
        Drawer { words, store, draw, variables: 0 }
    }

    /// A system without a question.
    pub(crate) fn system(&mut self, shape: Shape, options: &HornOptions) -> System {
        let count = 1 + self.draw.below(options.variables.max(1));
        let layout: Vec<SortId> = (0..count).map(|_| self.words.sort(self.draw)).collect();
        let slots: Vec<TermId> =
            (0..).zip(&layout).map(|(at, &sort)| self.var(&format!("s{at}"), sort)).collect();
        let count = 1 + self.draw.below(options.predicates.max(1));
        let predicates = (0..count).map(|at| self.predicate(at, &slots)).collect();
        let mut system = System { predicates, clauses: Vec::new() };
        for _ in 0..1 + self.draw.below(2) {
            let first = self.initial(&system, 0);
            system.clauses.push(first);
        }
        for to in 1..count {
            let from = self.draw.below(to);
            let clause = self.transition(&system, from, to);
            system.clauses.push(clause);
        }
        for _ in 0..1 + self.draw.below(options.transitions.max(1)) {
            let from = self.draw.below(count);
            let to = if self.draw.one_in(3) { self.draw.below(count) } else { from };
            let clause = self.transition(&system, from, to);
            system.clauses.push(clause);
        }
        if shape == Shape::Nonlinear {
            for _ in 0..1 + self.draw.below(2) {
                let clause = self.joining(&system);
                system.clauses.push(clause);
            }
        }
        if self.draw.one_in(3) {
            let clause = self.composed(&system);
            system.clauses.extend(clause);
        }
        system
    }

    fn predicate(&mut self, at: usize, slots: &[TermId]) -> Predicate {
        let mut params = slots.to_vec();
        if at > 0 && self.draw.one_in(3) && params.len() > 1 {
            params.remove(self.draw.below(params.len()));
        }
        if at > 0 && self.draw.one_in(4) {
            params.reverse();
        }
        let sorts: Vec<SortId> = params.iter().map(|&param| self.store.sort(param)).collect();
        let func = self.store.declare(&format!("P{at}"), &sorts, SortId::BOOL);
        let guarded =
            self.draw.one_in(if params.iter().any(|&p| is_number(self.store, p)) { 4 } else { 2 });
        let guard = guarded.then(|| self.words.formula(self.store, self.draw, &params));
        Predicate { func, params, guard }
    }

    fn var(&mut self, name: &str, sort: SortId) -> TermId {
        let name = self.store.symbols.intern(name);
        self.store.var(name, sort)
    }

    /// A variable that no clause has.
    fn fresh(&mut self, sort: SortId) -> TermId {
        self.variables += 1;
        self.var(&format!("x{}", self.variables), sort)
    }

    fn sorts(&self, predicate: &Predicate) -> Vec<SortId> {
        predicate.params.iter().map(|&param| self.store.sort(param)).collect()
    }

    /// A predicate applied to new variables.
    pub(crate) fn applied(&mut self, system: &System, predicate: usize) -> Use {
        let sorts = self.sorts(&system.predicates[predicate]);
        (predicate, sorts.into_iter().map(|sort| self.fresh(sort)).collect())
    }

    fn initial(&mut self, system: &System, to: usize) -> Draft {
        let mut constraints = Vec::new();
        let mut args = Vec::new();
        for sort in self.sorts(&system.predicates[to]) {
            if self.draw.one_in(4) {
                let mut variables = vec![self.fresh(sort)];
                if self.draw.one_in(3) {
                    variables.push(self.fresh(SortId::BOOL));
                }
                constraints.push(self.words.formula(self.store, self.draw, &variables));
                let depth = self.draw.below(2) as u32;
                args.push(self.words.term(self.store, self.draw, sort, &variables, depth));
            } else {
                args.push(self.words.constant(self.store, self.draw, sort));
            }
        }
        self.clause(system, Vec::new(), constraints, (to, args))
    }

    fn transition(&mut self, system: &System, from: usize, to: usize) -> Draft {
        let before = self.applied(system, from);
        let mut known = before.1.clone();
        let mut constraints = Vec::new();
        if self.draw.one_in(4) {
            // An input.
            let sort = if self.draw.one_in(2) { SortId::BOOL } else { self.words.sort(self.draw) };
            let input = self.fresh(sort);
            known.push(input);
            if sort != SortId::BOOL {
                constraints.push(self.words.formula(self.store, self.draw, &[input]));
            }
        }
        let mut counted = None;
        if self.draw.one_in(2) {
            if let Some((at, guard, next)) = self.counter(&before.1) {
                constraints.push(guard);
                counted = Some((system.predicates[from].params[at], next));
            }
        }
        if self.draw.one_in(if counted.is_some() { 3 } else { 2 }) {
            constraints.push(self.words.formula(self.store, self.draw, &known));
        }
        let mut args = Vec::new();
        for &param in &system.predicates[to].params {
            let place = system.predicates[from].params.iter().position(|&own| own == param);
            args.push(match (counted, place) {
                (Some((own, next)), _) if own == param => next,
                (_, Some(place)) => self.update(before.1[place], &known),
                (_, None) => {
                    let sort = self.store.sort(param);
                    self.words.term(self.store, self.draw, sort, &known, 1)
                }
            });
        }
        self.clause(system, vec![before], constraints, (to, args))
    }

    /// A clause with two premises.
    fn joining(&mut self, system: &System) -> Draft {
        let [one, other, to] = [0; 3].map(|_| self.draw.below(system.predicates.len()));
        let premises = vec![self.applied(system, one), self.applied(system, other)];
        let known = [premises[0].1.clone(), premises[1].1.clone()].concat();
        let mut constraints = vec![self.words.formula(self.store, self.draw, &known)];
        if self.draw.one_in(2) {
            constraints.push(self.words.formula(self.store, self.draw, &known));
        }
        let mut args = Vec::new();
        for sort in self.sorts(&system.predicates[to]) {
            let depth = self.draw.below(3) as u32;
            args.push(self.words.term(self.store, self.draw, sort, &known, depth));
        }
        self.clause(system, premises, constraints, (to, args))
    }

    /// A clause between two points, perhaps from one that is asked for.
    pub(crate) fn unrelated(&mut self, system: &System) -> Draft {
        let is_asked = |clause: &&Draft| {
            clause.head.is_none() && clause.constraints.is_empty() && clause.premises.len() == 1
        };
        let asked: Vec<&Draft> = system.clauses.iter().filter(is_asked).collect();
        let from = match self.draw.of(&asked) {
            Some(clause) => clause.premises[0].clone(),
            None => {
                let at = self.draw.below(system.predicates.len());
                self.point(system, at)
            }
        };
        let to = self.draw.below(system.predicates.len());
        let to = if self.draw.one_in(2) { from.0 } else { to };
        let to = self.point(system, to);
        Draft { premises: vec![from], constraints: Vec::new(), head: Some(to) }
    }

    /// A predicate applied to constants.
    pub(crate) fn point(&mut self, system: &System, predicate: usize) -> Use {
        let sorts = self.sorts(&system.predicates[predicate]).into_iter();
        let point = sorts.map(|sort| self.words.constant(self.store, self.draw, sort));
        (predicate, point.collect())
    }

    /// A variable that counts: its position, a guard, and its next value.
    fn counter(&mut self, variables: &[TermId]) -> Option<(usize, TermId, TermId)> {
        let counts = |&at: &usize| {
            let sort = self.store.sort(variables[at]);
            matches!(self.store.sorts.get(sort), Sort::Int | Sort::Real | Sort::BitVec(_))
        };
        let places: Vec<usize> = (0..variables.len()).filter(counts).collect();
        let at = *self.draw.of(&places)?;
        let (variable, sort) = (variables[at], self.store.sort(variables[at]));
        let bound = 2 + self.draw.below(40).min(self.draw.below(40)) as u64;
        let step = 1 + self.draw.below(6).saturating_sub(3) as u64;
        let (below, add, number): (_, _, fn(&mut Store, SortId, u64) -> TermId) =
            match self.store.sorts.get(sort) {
                Sort::BitVec(_) => (bv::ULT, bv::ADD, literal),
                _ => (ints::LT, ints::ADD, literal),
            };
        let bound = number(self.store, sort, bound);
        let step = number(self.store, sort, step);
        let next = self.store.op(add, &[variable, step]).ok()?;
        let guard = match self.draw.below(4) {
            0 => {
                let equation = self.store.op(core::EQ, &[variable, bound]).ok()?;
                crate::words::not(self.store, equation)
            }
            _ => self.store.op(below, &[variable, bound]).ok()?,
        };
        Some((at, guard, next))
    }

    /// The next value of a variable.
    fn update(&mut self, variable: TermId, known: &[TermId]) -> TermId {
        let sort = self.store.sort(variable);
        match self.draw.below(8) {
            0 => self.words.constant(self.store, self.draw, sort),
            1 | 2 => {
                let depth = 1 + self.draw.below(2) as u32;
                self.words.term(self.store, self.draw, sort, known, depth)
            }
            3 => {
                let condition = self.words.formula(self.store, self.draw, known);
                let then = self.words.term(self.store, self.draw, sort, known, 1);
                let branches =
                    if self.draw.one_in(2) { [then, variable] } else { [variable, then] };
                let choice = self.store.op(core::ITE, &[condition, branches[0], branches[1]]);
                choice.unwrap_or(variable)
            }
            _ => variable,
        }
    }

    /// A clause whose conclusion keeps the predicate's guard. Terms become variables with equations, or
    /// not.
    fn clause(
        &mut self,
        system: &System,
        premises: Vec<Use>,
        mut constraints: Vec<TermId>,
        (to, mut args): Use,
    ) -> Draft {
        for arg in &mut args {
            if self.draw.one_in(2) {
                *arg = self.named(*arg, &mut constraints);
            }
        }
        let predicate = &system.predicates[to];
        if let Some(guard) = predicate.guard {
            let mut by: Replacements =
                predicate.params.iter().copied().zip(args.iter().copied()).collect();
            constraints.push(self.store.replace(guard, &mut by));
        }
        if constraints.len() > 1 && self.draw.one_in(2) {
            let last = constraints.len() - 1;
            constraints.swap(0, last);
        }
        Draft { premises, constraints, head: Some((to, args)) }
    }

    /// A new variable that an equation gives the value of a term.
    fn named(&mut self, term: TermId, constraints: &mut Vec<TermId>) -> TermId {
        let variable = self.fresh(self.store.sort(term));
        let sides = if self.draw.one_in(2) { [variable, term] } else { [term, variable] };
        constraints.push(self.store.op(core::EQ, &sides).expect("of one sort"));
        variable
    }

    /// A clause with the premises of another in the place of the predicate that it concludes: it follows
    /// from both.
    fn composed(&mut self, system: &System) -> Option<Draft> {
        let second = self.draw.of(&system.clauses)?.clone();
        let (wanted, args) = second.premises.first()?.clone();
        let fitting: Vec<&Draft> = system
            .clauses
            .iter()
            .filter(|clause| clause.head.as_ref().is_some_and(|(to, _)| *to == wanted))
            .collect();
        let first = (*self.draw.of(&fitting)?).clone();
        let first = self.renamed(first);
        let (_, results) = first.head?;
        let mut composed = second;
        composed.premises.splice(0..1, first.premises);
        composed.constraints.extend(first.constraints);
        for (arg, result) in args.into_iter().zip(results) {
            composed
                .constraints
                .push(self.store.op(core::EQ, &[arg, result]).expect("of one sort"));
        }
        Some(composed)
    }

    /// The same clause over new variables.
    fn renamed(&mut self, mut clause: Draft) -> Draft {
        let mut by = Replacements::default();
        for variable in clause.variables(self.store) {
            let new = self.fresh(self.store.sort(variable));
            by.insert(variable, new);
        }
        clause.map(|term| self.store.replace(term, &mut by));
        clause
    }

    /// Constraints that hold for some values, over variables that have them.
    pub(crate) fn described(
        &mut self,
        variables: &[TermId],
        holds: impl Fn(&Store, TermId) -> bool,
        values: &[Value],
    ) -> Vec<TermId> {
        let mut constraints = Vec::new();
        for (&variable, value) in variables.iter().zip(values) {
            let Some(value) = self.store.value(value) else { continue };
            let constraint = match self.draw.below(4) {
                0 => continue,
                1 if is_number(self.store, variable) => {
                    let op = if self.draw.one_in(2) { ints::GE } else { ints::LE };
                    self.store.op(op, &[variable, value])
                }
                2 => {
                    let formula = self.words.formula(self.store, self.draw, variables);
                    constraints.extend(holds(self.store, formula).then_some(formula));
                    continue;
                }
                _ => self.store.op(core::EQ, &[variable, value]),
            };
            constraints.extend(constraint);
        }
        constraints
    }
}

/// A number of a sort.
fn literal(store: &mut Store, sort: SortId, number: u64) -> TermId {
    match *store.sorts.get(sort) {
        Sort::BitVec(width) => {
            store.word_bit_vec(width, number & (u64::MAX >> (64 - width.min(64))))
        }
        Sort::Real => store.real(&num_rational::BigRational::from_integer(number.into())),
        _ => store.int(&Int::from(number)),
    }
}

impl Draft {
    /// All its terms.
    pub(crate) fn terms(&self) -> Vec<TermId> {
        let args = self.premises.iter().chain(&self.head).flat_map(|(_, args)| args);
        args.chain(&self.constraints).copied().collect()
    }

    fn variables(&self, store: &Store) -> Vec<TermId> {
        let mut variables: Vec<TermId> =
            self.terms().into_iter().flat_map(|term| store.free_variables(term)).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    fn map(&mut self, mut change: impl FnMut(TermId) -> TermId) {
        let args = self.premises.iter_mut().chain(&mut self.head).flat_map(|(_, args)| args);
        args.chain(&mut self.constraints).for_each(|term| *term = change(*term));
    }

    /// The sentence, with a formula in the place of each predicate.
    pub(crate) fn sentence(
        &self,
        store: &mut Store,
        mut formula: impl FnMut(&mut Store, &Use) -> TermId,
    ) -> TermId {
        let mut premises: Vec<TermId> =
            self.premises.iter().map(|used| formula(store, used)).collect();
        premises.extend(&self.constraints);
        let head = match &self.head {
            Some(used) => formula(store, used),
            None => store.bool(false),
        };
        closed(store, &premises, head)
    }

    /// The sentence that is asserted.
    pub(crate) fn assertion(&self, store: &mut Store, system: &System) -> TermId {
        self.sentence(store, |store, (at, args)| {
            store.app(system.predicates[*at].func, args).expect("the sorts are the predicate's")
        })
    }
}

/// `(forall … (=> premises conclusion))`.
pub(crate) fn closed(store: &mut Store, premises: &[TermId], conclusion: TermId) -> TermId {
    let matrix = match premises {
        [] => conclusion,
        _ => {
            let premise = and(store, premises);
            store.op(core::IMPLIES, &[premise, conclusion]).expect("formulas")
        }
    };
    let variables = store.free_variables(matrix);
    match variables.is_empty() {
        true => matrix,
        false => store.quantified(Quantifier::Forall, &variables, matrix).expect("a formula"),
    }
}
