//! Calls: of declared and defined functions, of closures, and of operators that the standard leaves
//! open.

use super::{
    Call, Chain, Evaluator, MAX_CALLS, MAX_KEY, MAX_SCOPES, Open, RESULT_COST, Scope, Slot, Task,
    key_weight,
};
use crate::eval::Unknown;
use crate::eval::completion::Gap;
use crate::model::Interpretation;
use crate::op::{Fold, Op};
use crate::term::{Func, FuncId, TermId};
use crate::theories::ints;
use crate::value::{Closure, Value};
use rustc_hash::FxHashMap;

impl Evaluator<'_> {
    pub(super) fn call(&mut self, term: TermId, func: FuncId, base: usize) -> Result<(), Unknown> {
        if self.is_polymorphic(term, func) {
            // The values in its body would have sort parameters instead of sorts.
            self.finish(term, base, Err(Unknown::Unsupported("a polymorphic function is called")));
            return Ok(());
        }
        let slot = match self.cx.model.get(func) {
            Some(Interpretation::Definition { params, body }) => {
                let args = &self.values[base..];
                match self.results.get(&func).and_then(|results| results.get(args)) {
                    Some(known) => known.clone(),
                    None => {
                        self.tasks.push(Task::Remember(term));
                        if !args.is_empty() && args.iter().map(key_weight).sum::<u64>() <= MAX_KEY {
                            self.cx.charge(RESULT_COST);
                            let args = args.into();
                            self.tasks.push(Task::Return(Box::new(Call { func, args })));
                        }
                        return self.enter_definition(params, *body, base);
                    }
                }
            }
            Some(meaning) => self.tabulated(meaning, Some(func), &self.values[base..]),
            None => self.fill(term, Unknown::Missing(func)),
        };
        self.finish(term, base, slot);
        Ok(())
    }

    /// Whether a function is applied to sorts other than the declared ones.
    pub(super) fn is_polymorphic(&self, term: TermId, func: FuncId) -> bool {
        let store = self.cx.store;
        let Func::Declared { params, .. } = store.func(func) else { return false };
        params.iter().zip(store.children(term)).any(|(&param, &arg)| param != store.sort(arg))
    }

    /// The default value of a term that the model leaves open, or the reason why it is unknown.
    pub(super) fn fill(&mut self, term: TermId, gap: Unknown) -> Slot {
        let default = self.completing.then(|| self.cx.default_value(self.cx.store.sort(term)));
        match default.flatten() {
            Some(value) => {
                self.completed.get_or_insert(gap);
                Ok(value)
            }
            None => Err(gap),
        }
    }

    /// The same for an operator, with a result that its row allows. The remainder of a division by
    /// zero is the dividend, as in solvers that make division total.
    pub(super) fn fill_open(&mut self, term: TermId, op: Op, base: usize) -> Slot {
        let gap = Unknown::Open(op);
        let (true, Some(allowed)) = (self.noting, op.row().open) else { return Err(gap) };
        let (sort, args) = (self.cx.store.sort(term), &self.values[base..]);
        // Arguments that may be semantically equal without being identical share one result for
        // all.
        if args.iter().all(|arg| self.cx.is_structural(arg)) {
            let application = Gap { op, sort, args: args.into() };
            if let Some(chosen) = self.choices.get(&application) {
                return Ok(chosen.clone());
            }
            self.gaps.push(application);
        }
        if !self.completing {
            return Err(gap);
        }
        let result = match op {
            ints::MOD => Some(args[0].clone()),
            _ => allowed.examples(&self.cx, sort, args).into_iter().next(),
        };
        let result = result.ok_or_else(|| gap.clone())?;
        self.completed.get_or_insert(gap);
        Ok(result)
    }

    /// Calls the model's interpretation of an operator that the standard leaves open. It may take
    /// fewer arguments than the operator: z3's `div0` takes only the dividend.
    pub(super) fn call_open(&mut self, term: TermId, op: Op, base: usize) -> Result<(), Unknown> {
        if self.values.len() - base > 2 && op.row().fold == Fold::Left {
            let mut left = self.values.split_off(base + 1);
            left.reverse();
            let chain = Chain { term, op, left };
            self.tasks.extend([Task::Remember(term), Task::Link(Box::new(chain))]);
            return Ok(());
        }
        let Some(meaning) = self.cx.model.open(op, self.cx.store.sort(term)) else {
            let slot = self.fill_open(term, op, base);
            self.finish(term, base, slot);
            return Ok(());
        };
        let open = Open { op, args: self.values[base..].into() };
        let slot = match meaning {
            Interpretation::Definition { params, body } if self.takes(term, params) => {
                self.values.truncate(base + params.len());
                self.tasks.extend([Task::Remember(term), Task::Admit(Box::new(open))]);
                return self.enter_definition(params, *body, base);
            }
            // It is for arguments of other sorts, or for more arguments.
            Interpretation::Definition { .. } => Err(Unknown::Open(op)),
            meaning => {
                let taken = match meaning {
                    Interpretation::Table { entries, .. } => {
                        entries.keys().next().map_or(open.args.len(), |key| key.len())
                    }
                    _ => open.args.len(),
                };
                match open.args.get(..taken) {
                    Some(args) => open.admit(self.tabulated(meaning, None, args)),
                    None => Err(Unknown::Open(op)),
                }
            }
        };
        self.finish(term, base, slot);
        Ok(())
    }

    /// Whether parameters have the sorts of a term's first arguments.
    pub(super) fn takes(&self, term: TermId, params: &[TermId]) -> bool {
        let store = self.cx.store;
        let args = store.children(term);
        params.len() <= args.len()
            && params.iter().zip(args).all(|(&param, &arg)| store.sort(param) == store.sort(arg))
    }

    /// The result of a meaning other than a definition.
    pub(super) fn tabulated(
        &self,
        meaning: &Interpretation,
        func: Option<FuncId>,
        args: &[Value],
    ) -> Slot {
        match meaning {
            Interpretation::Value(value) => Ok(value.clone()),
            Interpretation::Table { entries, default } => self.look_up(entries, default, args),
            Interpretation::Opaque(_) => {
                Err(func.map_or(Unknown::Unsupported("an opaque interpretation"), Unknown::Opaque))
            }
            Interpretation::Definition { .. } => unreachable!("entered by the caller"),
        }
    }

    /// Enters a definition with the arguments from `base` on.
    pub(super) fn enter_definition(
        &mut self,
        params: &[TermId],
        body: TermId,
        base: usize,
    ) -> Result<(), Unknown> {
        let args: Vec<Slot> = self.values.drain(base..).map(Ok).collect();
        self.enter_call(params.iter().copied().zip(args), body)
    }

    pub(super) fn look_up(
        &self,
        entries: &FxHashMap<Box<[Value]>, Value>,
        default: &Value,
        args: &[Value],
    ) -> Slot {
        if args.iter().all(|arg| self.cx.is_structural(arg)) {
            return Ok(entries.get(args).unwrap_or(default).clone());
        }
        for (key, value) in entries {
            let mut same = true;
            for (k, a) in key.iter().zip(args) {
                same = same && self.cx.equal(k, a)?;
            }
            if same {
                return Ok(value.clone());
            }
        }
        Ok(default.clone())
    }

    pub(super) fn enter_closure(&mut self, closure: &Closure, index: Value) -> Result<(), Unknown> {
        let mut bindings: Vec<(TermId, Slot)> =
            closure.environment.iter().map(|(var, value)| (*var, Ok(value.clone()))).collect();
        bindings.push((closure.var, Ok(index)));
        self.enter_call(bindings.into_iter(), closure.body)
    }

    /// Enters a body that must not see the caller's variables.
    pub(super) fn enter_call(
        &mut self,
        bindings: impl Iterator<Item = (TermId, Slot)>,
        body: TermId,
    ) -> Result<(), Unknown> {
        if self.calls >= MAX_CALLS {
            return Err(Unknown::Limit("nested calls"));
        }
        self.calls += 1;
        let caller = std::mem::take(&mut self.environment);
        self.enter(bindings, body)?;
        self.scopes.last_mut().expect("just entered").caller = Some(caller);
        Ok(())
    }

    /// Opens a scope with these variables, evaluates the body in it, and closes it.
    pub(super) fn enter(
        &mut self,
        bindings: impl Iterator<Item = (TermId, Slot)>,
        body: TermId,
    ) -> Result<(), Unknown> {
        if self.scopes.len() >= MAX_SCOPES {
            return Err(Unknown::Limit("nested scopes"));
        }
        let shadowed =
            bindings.map(|(var, slot)| (var, self.environment.insert(var, slot))).collect();
        self.scopes.push(Scope { shadowed, memo: FxHashMap::default(), caller: None });
        self.tasks.extend([Task::CloseScope, Task::Eval(body)]);
        Ok(())
    }

    pub(super) fn close_scope(&mut self) {
        let scope = self.scopes.pop().expect("closed once for each opening");
        if let Some(caller) = scope.caller {
            self.calls -= 1;
            self.environment = caller;
            return;
        }
        for (var, before) in scope.shadowed.into_iter().rev() {
            match before {
                Some(slot) => self.environment.insert(var, slot),
                None => self.environment.remove(&var),
            };
        }
    }
}
