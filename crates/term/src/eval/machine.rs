//! The stack machine. Tasks are on one stack, values on another; an unknown value is a placeholder
//! on the value stack whose reason is in a side list, so that the common case costs one comparison.
//!
//! When an application is opened, known arguments are fetched at once, and only the others become
//! tasks: most applications cost one task.

mod binders;
mod calls;
mod folds;
mod tables;

use super::arrays::Element;
use super::completion::Gap;
use super::free::FreeVariables;
use super::{EvalContext, Limits, Unknown};
use crate::budget::{Budget, as_steps};
use crate::model::Model;
use crate::op::{App, Op};
use crate::open::Allowed;
use crate::term::{Func, FuncId, Quantifier, Store, Term, TermId};
use crate::theories::{Theory, arrays, core, functions};
use crate::value::{Closure, Default, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Evaluates terms of one store under one model, remembering results between calls.
pub struct Evaluator<'a> {
    cx: EvalContext<'a>,
    /// The position in `known` of the value of a term outside any binder, plus one; zero for none.
    memo: Vec<u32>,
    /// Values in the order of computation: values used together are stored together.
    known: Vec<Slot>,
    tasks: Vec<Task>,
    values: Vec<Value>,
    /// Reasons for the placeholders on the value stack, by position, ascending.
    unknowns: Vec<(usize, Unknown)>,
    environment: FxHashMap<TermId, Slot>,
    scopes: Vec<Scope>,
    /// The number of scopes that are calls.
    calls: usize,
    /// Results of defined functions for small arguments.
    results: FxHashMap<FuncId, FxHashMap<Box<[Value]>, Slot>>,
    /// The free variables of lambdas.
    free: FreeVariables,
    /// The budget of all calls of this evaluator together.
    budget: Budget,
    completing: bool,
    /// The first gap of the model that was filled by a default.
    completed: Option<Unknown>,
    /// The applications of open operators, if they are recorded.
    gaps: Vec<Gap>,
    noting: bool,
    /// Results for such applications.
    choices: FxHashMap<Gap, Value>,
}

type Slot = Result<Value, Unknown>;

/// The variables bound here, with the bindings they shadow, and the values of terms that may depend
/// on them.
struct Scope {
    shadowed: Vec<(TermId, Option<Slot>)>,
    memo: FxHashMap<TermId, Slot>,
    /// The caller's variables, which the function's body does not see.
    caller: Option<FxHashMap<TermId, Slot>>,
}

enum Task {
    Eval(TermId),
    /// The arguments before this position are on the stack.
    Apply(TermId, u32),
    /// The value of this term is on the stack.
    Remember(TermId),
    /// The condition of an `ite` is on the stack.
    Branch(TermId),
    /// The accumulator and the latest argument of a junction are on the stack.
    Junction(TermId, u32),
    /// The bound values of a `let` are on the stack.
    Bind(TermId),
    /// The scrutinee of a `match` is on the stack.
    Case(TermId),
    /// The value of one instance is on the stack.
    Instance(Box<Instances>),
    /// The value of one row is on the stack.
    Row(Box<Tabulation>),
    /// The value of the chain so far is on the stack.
    Link(Box<Chain>),
    /// The result of a lambda at one argument is on the stack.
    Sample(Box<Sampling>),
    /// The result of a fold's function at one argument is on the stack.
    Fold(Box<folds::Folding>),
    /// The result of a defined function is on the stack.
    Return(Box<Call>),
    /// The result that the model gives to an open operator is on the stack.
    Admit(Box<Open>),
    CloseScope,
}

/// The state of a quantifier's enumeration.
struct Instances {
    which: Quantifier,
    vars: Vec<TermId>,
    body: TermId,
    domains: Vec<Vec<Value>>,
    counter: Vec<usize>,
    unknown: Option<Unknown>,
}

/// A lambda over a small sort that is being converted to a plain array.
struct Tabulation {
    lambda: TermId,
    var: TermId,
    body: TermId,
    /// The remaining indices, last first.
    left: Vec<Value>,
    entries: Vec<(Value, Value)>,
}

/// A lambda that is evaluated at the arguments where an operator will need its results. The
/// operator's arguments stay on the stack.
struct Sampling {
    term: TermId,
    base: usize,
    closure: Arc<Closure>,
    /// The remaining arguments, last first.
    left: Vec<Value>,
}

/// An application of a left-associative operator, unfolded into binary ones because the standard
/// leaves one of them open.
struct Chain {
    term: TermId,
    op: Op,
    /// The remaining arguments, last first.
    left: Vec<Value>,
}

/// A call of a defined function. The result of its body depends only on the arguments.
struct Call {
    func: FuncId,
    args: Box<[Value]>,
}

/// An application that the standard leaves open and the model fixes.
struct Open {
    op: Op,
    args: Box<[Value]>,
}

impl Open {
    /// Accepts the model's result if the operator's row allows it.
    fn admit(&self, slot: Slot) -> Slot {
        let value = slot?;
        let allowed = self.op.row().open.unwrap_or(Allowed::Disputed);
        if allowed.allows(&self.args, &value) { Ok(value) } else { Err(Unknown::Excluded(self.op)) }
    }
}

/// The maximum number of values of a sort over which a lambda becomes a plain array.
const MAX_ROWS: u64 = 256;

/// The maximum number of values in one value.
const MAX_PARTS: usize = 1 << 18;

/// The maximum weight of arguments for which the results of calls are cached.
const MAX_KEY: u64 = 64;

/// The cost of caching the result of a call, in steps.
const RESULT_COST: usize = 8;

/// The maximum number of open calls: limits the memory of a nonterminating recursive definition.
const MAX_CALLS: usize = 100_000;

/// The maximum number of open scopes of any kind.
const MAX_SCOPES: usize = 2_000_000;

impl<'a> Evaluator<'a> {
    /// An evaluator with the default limits.
    #[must_use]
    pub fn new(store: &'a Store, model: &'a Model) -> Evaluator<'a> {
        Evaluator {
            cx: EvalContext::new(store, model),
            memo: Vec::new(),
            known: Vec::new(),
            tasks: Vec::new(),
            values: Vec::new(),
            unknowns: Vec::new(),
            environment: FxHashMap::default(),
            scopes: Vec::new(),
            calls: 0,
            results: FxHashMap::default(),
            free: FreeVariables::default(),
            budget: budget_of(Limits::default()),
            completing: false,
            completed: None,
            gaps: Vec::new(),
            noting: false,
            choices: FxHashMap::default(),
        }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Evaluator<'a> {
        self.cx.limits = limits;
        self.with_budget(budget_of(limits))
    }

    /// The same with this budget instead of the step limit.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Evaluator<'a> {
        self.cx.deadline = budget.deadline();
        self.budget = budget;
        self
    }

    /// The remaining budget.
    #[must_use]
    pub fn into_budget(self) -> Budget {
        self.budget
    }

    /// The same, filling gaps of the model: missing symbols get a default value, and so do results
    /// that the standard leaves open. A formula that is true with these choices is true under some
    /// complete model; a formula that is false only with such a choice is unknown.
    #[must_use]
    pub fn completing(mut self) -> Evaluator<'a> {
        self.completing = true;
        self.noting = true;
        self
    }

    /// The same with these results for operators that the standard leaves open. Other open results
    /// are recorded as gaps and not filled.
    #[must_use]
    pub(super) fn choosing(mut self, choices: FxHashMap<Gap, Value>) -> Evaluator<'a> {
        self.choices = choices;
        self.noting = true;
        self
    }

    /// The value of a term.
    ///
    /// # Errors
    /// The reason why it is unknown.
    pub fn eval(&mut self, term: TermId) -> Result<Value, Unknown> {
        self.begin();
        self.tasks.push(Task::Eval(term));
        self.work_off()
    }

    /// The value of a term, charged to this budget instead of the evaluator's own.
    pub(crate) fn eval_within(&mut self, term: TermId, budget: &mut Budget) -> Slot {
        std::mem::swap(&mut self.budget, budget);
        let slot = self.eval(term);
        std::mem::swap(&mut self.budget, budget);
        slot
    }

    /// The value of an application to these values instead of its own arguments, charged to this
    /// budget. Nothing about the application is cached.
    pub(crate) fn apply_within(
        &mut self,
        term: TermId,
        args: impl Iterator<Item = Value>,
        budget: &mut Budget,
    ) -> Slot {
        std::mem::swap(&mut self.budget, budget);
        self.begin();
        self.values.extend(args);
        let slot = match self.apply(term).and_then(|()| self.pay()) {
            Ok(()) => self.work_off(),
            Err(reason) => Err(self.abandon(reason)),
        };
        self.forget(term);
        std::mem::swap(&mut self.budget, budget);
        slot
    }

    fn begin(&mut self) {
        self.tasks.clear();
        self.values.clear();
        self.unknowns.clear();
        self.environment.clear();
        self.scopes.clear();
        self.calls = 0;
        if self.memo.is_empty() {
            self.memo = vec![0; self.cx.store.len()];
        }
    }

    fn work_off(&mut self) -> Slot {
        while let Some(task) = self.tasks.pop() {
            if let Err(reason) = self.pay().and_then(|()| self.step(task)) {
                return Err(self.abandon(reason));
            }
        }
        self.pop()
    }

    /// Charges one task, and the operators' work since the last one.
    #[inline]
    fn pay(&mut self) -> Result<(), Unknown> {
        self.budget.spend(1 + self.cx.take_work()).map_err(Unknown::from)
    }

    /// Removes the latest cache entry if it is about this term.
    fn forget(&mut self, term: TermId) {
        if let Some(place) = self.memo.get_mut(term.index()) {
            if *place != 0 && *place as usize == self.known.len() {
                self.known.pop();
                *place = 0;
            }
        }
    }

    /// Clears all state: an unfinished value must not be used by a later call.
    #[cold]
    fn abandon(&mut self, reason: Unknown) -> Unknown {
        self.memo.clear();
        self.known.clear();
        reason
    }

    /// The applications left open since the last call.
    pub(super) fn take_gaps(&mut self) -> Vec<Gap> {
        std::mem::take(&mut self.gaps)
    }

    /// The truth value of a formula.
    ///
    /// # Errors
    /// The reason why it is unknown.
    pub fn holds(&mut self, formula: TermId) -> Result<bool, Unknown> {
        match self.eval(formula)? {
            Value::Bool(false) => match &self.completed {
                Some(gap) => Err(gap.clone()),
                None => Ok(false),
            },
            Value::Bool(true) => Ok(true),
            _ => Err(Unknown::Unsupported("the term is not a formula")),
        }
    }

    /// An error here ends the evaluation; an unknown part is only a placeholder.
    fn step(&mut self, task: Task) -> Result<(), Unknown> {
        match task {
            Task::Eval(term) => self.visit(term)?,
            Task::Apply(term, next) => self.arguments(term, next)?,
            Task::Remember(term) => self.remember(term),
            Task::Branch(term) => self.branch(term),
            Task::Junction(term, next) => self.junction(term, next),
            Task::Bind(term) => self.bind_let(term)?,
            Task::Case(term) => self.case(term)?,
            Task::Instance(state) => self.instance(state)?,
            Task::Row(state) => self.row(state)?,
            Task::Link(chain) => self.link(chain)?,
            Task::Sample(state) => self.sample(state)?,
            Task::Fold(state) => self.fold(state)?,
            Task::Return(call) => {
                let slot = self.pop();
                self.results.entry(call.func).or_default().insert(call.args, slot.clone());
                self.push(slot);
            }
            Task::Admit(open) => {
                let slot = open.admit(self.pop());
                self.push(slot);
            }
            Task::CloseScope => self.close_scope(),
        }
        Ok(())
    }

    fn push(&mut self, slot: Slot) {
        match slot {
            Ok(value) => self.values.push(value),
            Err(reason) => {
                self.unknowns.push((self.values.len(), reason));
                self.values.push(Value::Bool(false));
            }
        }
    }

    fn pop(&mut self) -> Slot {
        let value = self.values.pop().expect("each task leaves one value");
        match self.unknowns.last() {
            Some((at, _)) if *at == self.values.len() => {
                Err(self.unknowns.pop().expect("just seen").1)
            }
            _ => Ok(value),
        }
    }

    #[inline]
    fn recall(&self, term: TermId) -> Option<&Slot> {
        match self.scopes.last() {
            Some(scope) if self.cx.store.mentions_variables(term) => scope.memo.get(&term),
            _ => {
                let place = self.memo[term.index()].checked_sub(1)?;
                Some(&self.known[place as usize])
            }
        }
    }

    /// Copies the value on top of the stack to the memo.
    fn remember(&mut self, term: TermId) {
        let at = self.values.len() - 1;
        let slot = match self.unknowns.last() {
            Some((position, reason)) if *position == at => Err(reason.clone()),
            _ => Ok(self.values[at].clone()),
        };
        self.keep(term, slot);
    }

    #[inline]
    fn keep(&mut self, term: TermId, slot: Slot) {
        match self.scopes.last_mut() {
            Some(scope) if self.cx.store.mentions_variables(term) => {
                scope.memo.insert(term, slot);
            }
            _ => {
                self.known.push(slot);
                self.memo[term.index()] =
                    u32::try_from(self.known.len()).expect("more values do not fit the memory");
            }
        }
    }

    fn visit(&mut self, mut term: TermId) -> Result<(), Unknown> {
        while !self.fetch(term) {
            match self.open(term)? {
                Some(part) => term = part,
                None => break,
            }
        }
        Ok(())
    }

    /// Pushes the value of a term if that takes no work; false otherwise.
    #[inline]
    fn fetch(&mut self, term: TermId) -> bool {
        match self.recall(term).or_else(|| self.environment.get(&term)) {
            Some(Ok(value)) => {
                let value = value.clone();
                self.values.push(value);
            }
            Some(Err(reason)) => {
                let reason = reason.clone();
                self.push(Err(reason));
            }
            None => match self.cx.store.get(term) {
                Term::Literal(value) => self.values.push(value.clone()),
                _ => return false,
            },
        }
        true
    }

    /// Schedules the evaluation of an unknown term. Returns the part to visit first.
    fn open(&mut self, term: TermId) -> Result<Option<TermId>, Unknown> {
        match self.cx.store.get(term) {
            Term::App(func, args) => match self.cx.store.func(func) {
                Func::Op(core::ITE, _) => {
                    self.tasks.extend([Task::Remember(term), Task::Branch(term)]);
                    Ok(Some(args[0]))
                }
                Func::Op(op @ (core::AND | core::OR | core::IMPLIES), _) => {
                    self.values.push(Value::Bool(*op == core::AND));
                    self.tasks.extend([Task::Remember(term), Task::Junction(term, 0)]);
                    Ok(Some(args[0]))
                }
                _ => match args.first() {
                    Some(&first) => {
                        self.tasks.push(Task::Apply(term, 1));
                        Ok(Some(first))
                    }
                    None => self.apply(term).map(|()| None),
                },
            },
            Term::Let(bindings, _) => {
                self.tasks.extend([Task::Remember(term), Task::Bind(term)]);
                self.tasks.extend(bindings.chunks(2).rev().map(|pair| Task::Eval(pair[1])));
                Ok(None)
            }
            Term::Quant(which, vars, body) => {
                self.tasks.push(Task::Remember(term));
                self.quantify(which, vars, body)?;
                Ok(None)
            }
            Term::Lambda(vars, body) => {
                self.tasks.push(Task::Remember(term));
                match self.cx.enumerate(self.cx.store.sort(vars[0]), MAX_ROWS) {
                    Some(left) if !left.is_empty() => {
                        self.cx.charge(left.len());
                        let (var, entries) = (vars[0], Vec::new());
                        let state = Tabulation { lambda: term, var, body, left, entries };
                        self.next_row(Box::new(state))?;
                    }
                    _ => {
                        let slot = self.close_over(term, vars[0], body);
                        let slot = self.measure(slot);
                        self.push(slot);
                    }
                }
                Ok(None)
            }
            Term::Match(scrutinee, ..) => {
                self.tasks.extend([Task::Remember(term), Task::Case(term)]);
                Ok(Some(scrutinee))
            }
            Term::Annotated(inner, _) => Ok(Some(inner)),
            Term::Var(_) => {
                self.push(Err(Unknown::Unbound(term)));
                Ok(None)
            }
            Term::Literal(_) => unreachable!("fetched without being opened"),
        }
    }

    /// Continues with the arguments of an application from this position; applies it after the
    /// last.
    fn arguments(&mut self, term: TermId, next: u32) -> Result<(), Unknown> {
        let args = self.cx.store.children(term);
        for (position, &arg) in args.iter().enumerate().skip(next as usize) {
            if !self.fetch(arg) {
                self.tasks.push(Task::Apply(term, position as u32 + 1));
                return self.visit(arg);
            }
        }
        self.apply(term)
    }

    fn branch(&mut self, term: TermId) {
        let args = self.cx.store.children(term);
        match self.pop() {
            Ok(Value::Bool(true)) => self.tasks.push(Task::Eval(args[1])),
            Ok(_) => self.tasks.push(Task::Eval(args[2])),
            Err(reason) => self.push(Err(reason)),
        }
    }

    fn junction(&mut self, term: TermId, position: u32) {
        let args = self.cx.store.children(term);
        let Term::App(func, _) = self.cx.store.get(term) else {
            unreachable!("scheduled for an application")
        };
        let Func::Op(op, _) = self.cx.store.func(func) else {
            unreachable!("scheduled for an operator")
        };
        let last = position as usize + 1 == args.len();
        let outcome = match self.pop() {
            Ok(value) => junction_outcome(*op, value == Value::Bool(true), last),
            Err(reason) => {
                // A later argument may still decide; until then the accumulator is unknown.
                if self.unknowns.last().is_none_or(|(at, _)| at + 1 != self.values.len()) {
                    self.unknowns.push((self.values.len() - 1, reason));
                }
                None
            }
        };
        match outcome {
            Some(decided) => {
                let _ = self.pop();
                self.values.push(Value::Bool(decided));
            }
            None if last => {}
            None => {
                self.tasks.push(Task::Junction(term, position + 1));
                self.tasks.push(Task::Eval(args[position as usize + 1]));
            }
        }
    }

    fn apply(&mut self, term: TermId) -> Result<(), Unknown> {
        let store = self.cx.store;
        let Term::App(func, arg_terms) = store.get(term) else {
            unreachable!("scheduled for an application")
        };
        let base = self.values.len() - arg_terms.len();
        if let Some((at, _)) = self.unknowns.last() {
            if *at >= base {
                let first = self.unknowns.partition_point(|(at, _)| *at < base);
                let reason = self.unknowns[first].1.clone();
                self.unknowns.truncate(first);
                self.values.truncate(base);
                self.push(Err(reason));
                self.remember(term);
                return Ok(());
            }
        }
        let sort = store.sort(term);
        let args = &self.values[base..];
        let slot = match store.func(func) {
            Func::Op(arrays::SELECT | functions::APPLY, _) => match self.select(args) {
                Ok(Element::Value(value)) => Ok(value),
                Ok(Element::Closure(closure)) => {
                    let index = args[1].clone();
                    self.values.truncate(base);
                    self.tasks.push(Task::Remember(term));
                    return self.enter_closure(&closure, index);
                }
                Err(reason) => Err(reason),
            },
            Func::Op(op, indices) => {
                if let Some(sampling) = self.sampling(term, *op, base) {
                    return self.next_sample(Box::new(sampling));
                }
                if op.theory() == Theory::Functions && self.begin_fold(term, *op, base)? {
                    return Ok(());
                }
                let args = &self.values[base..];
                match (op.row().eval)(&mut self.cx, App { op: *op, indices, sort }, args) {
                    Err(Unknown::Open(op)) => return self.call_open(term, op, base),
                    slot => slot,
                }
            }
            Func::Declared { .. } => return self.call(term, func, base),
            Func::Constructor(_, index) => self.cx.data(sort, *index, args),
            Func::Selector(_, constructor, field) => match field_of(&args[0], *constructor, *field)
            {
                Some(value) => Ok(value),
                None => self.fill(term, Unknown::WrongConstructor),
            },
            Func::Tester(_, constructor) => {
                let Value::Data(data) = &args[0] else { unreachable!("typed as a datatype") };
                Ok(Value::Bool(data.constructor == *constructor))
            }
            Func::Update(_, constructor, field) => self.update(args, *constructor, *field),
        };
        self.finish(term, base, slot);
        Ok(())
    }

    /// Charges the time and memory of a new value, which is cached. A value that is too large
    /// becomes unknown, because comparing it would take too long.
    #[inline]
    fn measure(&self, slot: Slot) -> Slot {
        let Ok(value) = &slot else { return slot };
        self.cx.charge(weight(value));
        if value.parts(MAX_PARTS).is_none() {
            return Err(Unknown::Limit("the size of a value"));
        }
        slot
    }

    /// Replaces the arguments on the stack by the result, and caches it.
    fn finish(&mut self, term: TermId, base: usize, slot: Slot) {
        self.values.truncate(base);
        match self.measure(slot) {
            Ok(value) => {
                self.keep(term, Ok(value.clone()));
                self.values.push(value);
            }
            Err(reason) => {
                self.push(Err(reason));
                self.remember(term);
            }
        }
    }

    fn select(&self, args: &[Value]) -> Result<Element, Unknown> {
        let Value::Array(array) = &args[0] else { unreachable!("typed as an array") };
        self.cx.select(array, &args[1])
    }

    fn update(&self, args: &[Value], constructor: u32, field: u32) -> Slot {
        let Value::Data(data) = &args[0] else { unreachable!("typed as a datatype") };
        if data.constructor != constructor {
            return Ok(args[0].clone());
        }
        let mut fields = data.fields.clone();
        fields[field as usize] = args[1].clone();
        self.cx.data(data.sort, constructor, &fields)
    }
}

/// The result of a junction if this argument decides it.
fn junction_outcome(op: Op, value: bool, last: bool) -> Option<bool> {
    match (op, value) {
        (core::AND, false) => Some(false),
        (core::OR, true) => Some(true),
        (core::IMPLIES, false) if !last => Some(true),
        (core::IMPLIES, true) if last => Some(true),
        _ => None,
    }
}

/// The approximate size of a value without its parts, in machine words.
fn weight(value: &Value) -> usize {
    let words = |bits: u64| usize::try_from(bits / 64).unwrap_or(usize::MAX);
    match value {
        Value::Int(n) => words(n.bit_length()),
        Value::BitVec(bits) => words(bits.width().into()),
        Value::Str(text) => text.len() / 4,
        Value::Real(x) => words(x.numer().bits() + x.denom().bits()),
        Value::Seq(_, items) | Value::Set(_, items) => 2 * items.len(),
        Value::Bag(_, items) => 2 * items.len(),
        Value::Data(data) => 2 * data.fields.len(),
        Value::Array(array) => match &array.default {
            Default::Element(_) => 0,
            Default::Closure(closure) => 2 * closure.environment.len(),
        },
        _ => 0,
    }
}

/// The cost of looking up a value.
fn key_weight(value: &Value) -> u64 {
    value.size().parts.saturating_add(as_steps(weight(value)))
}

fn budget_of(limits: Limits) -> Budget {
    Budget::new(limits.steps, u64::MAX)
}

/// A field of a value, if its constructor has it.
fn field_of(value: &Value, constructor: u32, field: u32) -> Option<Value> {
    let Value::Data(data) = value else { unreachable!("typed as a datatype") };
    (data.constructor == constructor).then(|| data.fields[field as usize].clone())
}
