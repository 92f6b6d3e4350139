//! Functions as values: partially applied declared functions, applied values, and lambdas, which are
//! arrays in z3 and functions in the standard.

use super::{Binding, Reader};
use crate::lexer::Token;
use crate::source::{Fault, Read};
use assay_term::op::Mismatch;
use assay_term::theories::arrays;
use assay_term::{Func, FuncId, Sort, SortId, Symbol, Term, TermId};

/// Words that are not operators of the table but take indices, whatever else has their name.
const TAKES_INDICES: [&str; 6] = ["is", "tester", "update", "update-field", "as-array", "map"];

impl Reader<'_, '_> {
    /// A partially applied declared function: z3 and bitwuzla take one as a value in every logic.
    #[cold]
    pub(super) fn partial(&mut self, func: FuncId, base: usize) -> Option<TermId> {
        let args = self.operands[base..].to_vec();
        self.store.partial(func, &args)
    }

    /// The application of a function to more or fewer arguments than it takes.
    pub(super) fn applied_as_value(
        &mut self,
        func: FuncId,
        base: usize,
        taken: usize,
    ) -> Option<TermId> {
        let args = self.operands[base..].to_vec();
        if args.len() < taken {
            return self.partial(func, base);
        }
        let (first, rest) = args.split_at(taken);
        let head = self.store.try_app_as(func, first, None).ok()?;
        self.apply_value(head, rest).ok()
    }

    /// Applies a function value, or reads from an array, as z3 does if one is applied.
    fn apply_value(&mut self, head: TermId, args: &[TermId]) -> Result<TermId, Mismatch> {
        match self.store.sorts.get(self.store.sort(head)) {
            Sort::Array(..) => {
                let select = self.store.op_func(arrays::SELECT, &[]);
                args.iter().try_fold(head, |array, &index| {
                    self.store.try_app_as(select, &[array, index], None)
                })
            }
            _ => self.store.apply(head, args),
        }
    }

    /// `select`, `store` and constant arrays of a function sort, as z3 has them, in terms of
    /// functions.
    pub(super) fn function_as_array(
        &mut self,
        func: FuncId,
        ascribed: Option<SortId>,
        args: &[TermId],
    ) -> Option<TermId> {
        let Func::Op(op, _) = *self.store.func(func) else { return None };
        match (op, args) {
            // A lambda becomes the array that is wanted.
            (arrays::SELECT, [function, _])
                if matches!(self.store.get(*function), Term::Lambda(..)) =>
            {
                None
            }
            (arrays::SELECT, [function, arg]) => self.store.apply(*function, &[*arg]).ok(),
            (arrays::STORE, [function, arg, result]) => {
                self.store.updated(*function, *arg, *result)
            }
            (arrays::CONST, [result]) => self.store.constant_function(ascribed?, *result),
            _ => None,
        }
    }

    /// Closes `(t u …)`, where a term and not a symbol is applied.
    pub(super) fn close_applied(&mut self, base: usize, at: usize) -> Read<TermId> {
        let (head, args) = (self.operands[base], self.operands[base + 1..].to_vec());
        if args.is_empty() {
            return Err(Fault::new(at, "a function value is applied to no argument"));
        }
        let applied = self.apply_value(head, &args);
        self.operands.truncate(base);
        applied.map_err(|mismatch| {
            let sort = self.store.sort_name(self.store.sort(head));
            match mismatch {
                Mismatch::Argument { position, .. } => {
                    let got =
                        self.store.sort_name(self.store.sort(args[position.min(args.len() - 1)]));
                    Fault::new(at, format!("a value of sort {sort} is applied to {got}"))
                }
                _ => {
                    let hint = "only a value of a function sort (-> …) takes arguments";
                    Fault::hinted(
                        at,
                        format!("a value of sort {sort} is applied like a function"),
                        hint,
                    )
                }
            }
        })
    }

    /// Whether a parenthesis at the head of an application opens a term rather than an identifier.
    pub(super) fn opens_term(&mut self) -> Read<bool> {
        let resume = self.lexer.clone();
        let token = self.lexer.next()?;
        let word = self.lexer.text();
        let opens = match token {
            Token::Symbol if word == "as" => false,
            Token::Symbol if word == "_" => self.applies()?,
            Token::Symbol | Token::Quoted | Token::Open => true,
            _ => false,
        };
        self.lexer = resume;
        Ok(opens)
    }

    /// Whether `(_ …` applies a value, as in early SMT-LIB 2.7, rather than being an indexed identifier.
    /// The `_` has been read.
    pub(super) fn applies(&mut self) -> Read<bool> {
        let resume = self.lexer.clone();
        let applies = match self.lexer.next()? {
            Token::Open => true,
            Token::Symbol | Token::Quoted => {
                let indexed = TAKES_INDICES.contains(&self.lexer.text());
                let symbol = self.latest_symbol();
                !indexed && self.env.op(symbol).is_none() && self.is_function(symbol)
            }
            _ => false,
        };
        self.lexer = resume;
        Ok(applies)
    }

    fn is_function(&self, symbol: Symbol) -> bool {
        let is_map = |term| matches!(self.store.sorts.get(self.store.sort(term)), Sort::Fun(..));
        match self.env.get(symbol) {
            Binding::Local(term) | Binding::Const(term) => is_map(term),
            Binding::Func(func) => matches!(self.store.func(func), Func::Declared { .. }),
            Binding::Free | Binding::Overloaded(_) | Binding::Word(_) => false,
        }
    }

    /// A lambda: a function if functions are values or it has several variables, otherwise an array.
    pub(super) fn lambda(
        &mut self,
        vars: &[TermId],
        body: TermId,
    ) -> Result<TermId, assay_term::SortError> {
        if self.env.is_higher_order() || vars.len() > 1 {
            self.store.function(vars, body)
        } else {
            self.store.lambda(vars, body)
        }
    }

    /// The lambda as a map of this sort: an array instead of a function, or vice versa.
    pub(super) fn recast_lambda(&mut self, term: TermId, sort: SortId) -> Option<TermId> {
        let Term::Lambda(vars, body) = self.store.get(term) else { return None };
        let vars = vars.to_vec();
        let (_, result) = self.store.map_sorts(sort)?;
        let body = match self.store.sort(body) == result {
            true => body,
            false => self.recast_lambda(body, result)?,
        };
        let made = self.store.lambda_like(sort, &vars, body).ok()?;
        (self.store.sort(made) == sort).then_some(made)
    }

    /// The arguments of an application, with one lambda converted to what the others or the function
    /// require.
    pub(super) fn recast_argument(
        &mut self,
        func: FuncId,
        args: &[TermId],
        position: usize,
    ) -> Option<TermId> {
        let twins = [args[position]].into_iter().chain(args.first().copied());
        for lambda in twins {
            let at = args.iter().position(|&arg| arg == lambda)?;
            let Some((from, to)) = self.store.map_sorts(self.store.sort(lambda)) else { continue };
            for sort in [self.store.sorts.function(from, to), self.store.sorts.array(from, to)] {
                let Some(other) = self.recast_lambda(lambda, sort) else { continue };
                let mut args = args.to_vec();
                args[at] = other;
                if let Ok(term) = self.store.try_app_as(func, &args, None) {
                    return Some(term);
                }
            }
        }
        None
    }
}
