//! Functions as values: lambdas of a function sort, application, and declared functions with fewer
//! arguments than they take.
//!
//! A declared function without some of its arguments is a lambda over the missing ones, with fresh
//! variables. [`Store::as_partial`] recognizes such a lambda, so that it can be printed as it was
//! read.

use crate::op::Mismatch;
use crate::sort::{Sort, SortId};
use crate::term::{Func, FuncId, SortError, Store, Term, TermId};
use crate::theories::{arrays, core, functions};
use crate::value::{ArrayValue, Default};
use crate::walk::Known;

impl Store {
    /// `(lambda ((x S) …) body)` as a function, one argument at a time.
    ///
    /// # Errors
    /// Fails if there is no variable, or the sort would be too large.
    pub fn function(&mut self, vars: &[TermId], body: TermId) -> Result<TermId, SortError> {
        let (&last, first) = vars.split_last().ok_or_else(|| SortError {
            subject: "lambda".into(),
            fault: crate::term::Fault::Words("binds no variable"),
        })?;
        let sort = self.sorts.function(self.sort(last), self.sort(body));
        let mut term = self.lambda_of(sort, last, body)?;
        for &var in first.iter().rev() {
            let sort = self.sorts.function(self.sort(var), self.sort(term));
            term = self.lambda_of(sort, var, term)?;
        }
        Ok(term)
    }

    /// A lambda with the kind of `sort`: an array or a function.
    ///
    /// # Errors
    /// Fails if there is not exactly one variable, or the sort would be too large.
    pub fn lambda_like(
        &mut self,
        sort: SortId,
        vars: &[TermId],
        body: TermId,
    ) -> Result<TermId, SortError> {
        match self.sorts.get(sort) {
            Sort::Fun(..) => self.function(vars, body),
            _ => self.lambda(vars, body),
        }
    }

    /// A function value applied to arguments, one after another.
    ///
    /// # Errors
    /// Fails if it does not take such an argument.
    pub fn apply(&mut self, function: TermId, args: &[TermId]) -> Result<TermId, Mismatch> {
        let apply = self.op_func(functions::APPLY, &[]);
        args.iter().enumerate().try_fold(function, |function, (position, &arg)| {
            self.try_app_as(apply, &[function, arg], None).map_err(|mismatch| match mismatch {
                Mismatch::Argument { position: 1, expected } => {
                    Mismatch::Argument { position, expected }
                }
                _ => Mismatch::Arity { expected: position, open: false, got: args.len() },
            })
        })
    }

    /// The function with another result for one argument; `None` if the sorts do not fit.
    pub fn updated(&mut self, function: TermId, arg: TermId, result: TermId) -> Option<TermId> {
        let Sort::Fun(argument, _) = *self.sorts.get(self.sort(function)) else { return None };
        let var = self.variable_beside("arg!0", argument, &[function, arg, result]);
        let elsewhere = self.apply(function, &[var]).ok()?;
        let guard = self.op(core::EQ, &[var, arg]).ok()?;
        let body = self.op(core::ITE, &[guard, result, elsewhere]).ok()?;
        self.function(&[var], body).ok()
    }

    /// The function of this sort with the same result for all arguments; `None` if the result is
    /// of another sort.
    pub fn constant_function(&mut self, sort: SortId, result: TermId) -> Option<TermId> {
        let Sort::Fun(argument, element) = *self.sorts.get(sort) else { return None };
        let var = self.variable_beside("arg!0", argument, &[result]);
        (self.sort(result) == element).then(|| self.function(&[var], result).ok())?
    }

    /// A declared function applied to only its first arguments; `None` if they do not fit or are
    /// all of its arguments.
    pub fn partial(&mut self, func: FuncId, args: &[TermId]) -> Option<TermId> {
        let Func::Declared { params, .. } = self.func(func) else { return None };
        let params = params.clone();
        let fit = args.len() < params.len()
            && params.iter().zip(args).all(|(&param, &arg)| param == self.sort(arg));
        if !fit {
            return None;
        }
        let vars = self.missing(&params, args);
        let all: Vec<TermId> = args.iter().chain(&vars).copied().collect();
        let body = self.app(func, &all).ok()?;
        self.function(&vars, body).ok()
    }

    /// Variables for the missing arguments; none of them is free in the given ones.
    fn missing(&mut self, params: &[SortId], args: &[TermId]) -> Vec<TermId> {
        let missing = params.iter().enumerate().skip(args.len());
        missing.map(|(at, &sort)| self.variable_beside(&format!("arg!{at}"), sort, args)).collect()
    }

    /// A variable with this name prefix that is free in none of these terms.
    fn variable_beside(&mut self, stem: &str, sort: SortId, terms: &[TermId]) -> TermId {
        let mut taken = Vec::new();
        for &term in terms {
            let free = self.free_variables(term);
            taken.extend(free.into_iter().filter_map(|var| self.var_name(var)));
        }
        let mut name = stem.to_owned();
        while self.symbols.get(&name).is_some_and(|symbol| taken.contains(&symbol)) {
            name.push('!');
        }
        let name = self.symbols.intern(&name);
        self.var(name, sort)
    }

    /// The name of a variable.
    #[must_use]
    pub fn var_name(&self, var: TermId) -> Option<crate::Symbol> {
        match self.get(var) {
            Term::Var(name) => Some(name),
            _ => None,
        }
    }

    /// The declared function and its first arguments, if the term is a result of
    /// [`Store::partial`].
    #[must_use]
    pub fn as_partial(&self, term: TermId) -> Option<(FuncId, &[TermId])> {
        let (mut vars, mut body) = (Vec::new(), term);
        while let (Term::Lambda(var, inner), Sort::Fun(..)) =
            (self.get(body), self.sorts.get(self.sort(body)))
        {
            vars.extend_from_slice(var);
            body = inner;
        }
        let Term::App(func, args) = self.get(body) else { return None };
        let Func::Declared { .. } = self.func(func) else { return None };
        let (given, rest) = args.split_at(args.len().checked_sub(vars.len())?);
        if vars.is_empty() || rest != vars {
            return None;
        }
        let taken: Vec<TermId> = given.iter().flat_map(|&arg| self.free_variables(arg)).collect();
        let own = |(position, &var): (usize, &TermId)| {
            let Term::Var(name) = self.get(var) else { return false };
            let stem = format!("arg!{}", given.len() + position);
            let name = self.symbols.name(name);
            name.strip_prefix(&stem).is_some_and(|rest| {
                // The name is the shortest that is not free in the arguments.
                let shorter = |length: usize| {
                    let tried = &name[..stem.len() + length];
                    taken.iter().any(|&var| {
                        self.var_name(var).is_some_and(|name| self.symbols.name(name) == tried)
                    })
                };
                rest.bytes().all(|byte| byte == b'!')
                    && (0..rest.len()).all(shorter)
                    && !shorter(rest.len())
            })
        };
        vars.iter().enumerate().all(own).then_some((func, given))
    }

    /// The term of a function value: a lambda that distinguishes arguments one by one.
    fn function_value(&mut self, value: &ArrayValue, known: &mut Known) -> Option<TermId> {
        let Default::Element(default) = &value.default else { return None };
        let (argument, _) = self.map_sorts(value.sort)?;
        let name = self.symbols.intern("x");
        let var = self.var(name, argument);
        let mut body = self.value_with(default, known)?;
        let entries: Vec<_> = value.entries.iter().collect();
        for (index, element) in entries.into_iter().rev() {
            let (index, element): (TermId, TermId) =
                (self.value_with(index, known)?, self.value_with(element, known)?);
            let guard = self.op(core::EQ, &[var, index]).ok()?;
            body = self.op(core::ITE, &[guard, element, body]).ok()?;
        }
        self.function(&[var], body).ok()
    }

    /// The term of an array value: a constant array with elements stored in it.
    fn array_value(&mut self, value: &ArrayValue, known: &mut Known) -> Option<TermId> {
        let Default::Element(default) = &value.default else { return None };
        let element = self.value_with(default, known)?;
        let constant = self.op_func(arrays::CONST, &[]);
        let mut term = self.app_as(constant, &[element], Some(value.sort)).ok()?;
        for (index, element) in &value.entries {
            let args = [term, self.value_with(index, known)?, self.value_with(element, known)?];
            term = self.op(arrays::STORE, &args).ok()?;
        }
        Some(term)
    }

    /// The term of the value of an array or a function.
    pub(crate) fn map_value(&mut self, value: &ArrayValue, known: &mut Known) -> Option<TermId> {
        match self.sorts.get(value.sort) {
            Sort::Fun(..) => self.function_value(value, known),
            _ => self.array_value(value, known),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(store: &mut Store, name: &str, params: &[SortId], result: SortId) -> FuncId {
        let name = store.symbols.intern(name);
        store.intern_func(Func::Declared { name, params: params.into(), result })
    }

    #[test]
    fn a_partial_application_is_recognized() {
        let mut store = Store::new();
        let int = SortId::INT;
        let f = declared(&mut store, "f", &[int, int, int], int);
        let x = store.constant("x", int);
        for args in [vec![], vec![x], vec![x, x]] {
            let term = store.partial(f, &args).expect("the arguments fit");
            assert_eq!(store.as_partial(term), Some((f, args.as_slice())));
            let missing = vec![int; 3 - args.len()];
            let sort = store.sorts.functions(&missing, int);
            assert_eq!(store.sort(term), sort);
        }
        assert!(store.partial(f, &[x, x, x]).is_none(), "nothing is missing");
        let wrong = store.bool(true);
        assert!(store.partial(f, &[wrong]).is_none(), "an argument of another sort");
    }

    #[test]
    fn a_partial_application_captures_no_variable() {
        let mut store = Store::new();
        let f = declared(&mut store, "f", &[SortId::INT, SortId::INT], SortId::INT);
        let name = store.symbols.intern("arg!1");
        let var = store.var(name, SortId::INT);
        let term = store.partial(f, &[var]).expect("the argument fits");
        assert_eq!(store.free_variables(term), [var]);
        assert_eq!(store.as_partial(term), Some((f, [var].as_slice())));
    }

    #[test]
    fn other_lambdas_are_no_partial_applications() {
        let mut store = Store::new();
        let f = declared(&mut store, "f", &[SortId::INT, SortId::INT], SortId::INT);
        let name = store.symbols.intern("y");
        let var = store.var(name, SortId::INT);
        let x = store.constant("x", SortId::INT);
        for args in [[x, var], [var, x], [var, var]] {
            let body = store.app(f, &args).expect("the arguments fit");
            let lambda = store.function(&[var], body).expect("a function");
            assert_eq!(store.as_partial(lambda), None, "{args:?}");
        }
    }
}
