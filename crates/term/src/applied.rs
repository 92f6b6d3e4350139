//! Applications. An operator's typing is interpreted data, so recent results are cached: texts
//! apply the same few operators to the same few sorts.

use crate::answer_cache::AnswerCache;
use crate::node::Kind;
use crate::op::{Mismatch, Op};
use crate::sort::SortId;
use crate::term::{Fault, Func, FuncId, SortError, Store, TermId};

/// The latest answers.
pub(crate) type RecentSorts = AnswerCache<Typed, SLOTS>;

const SLOTS: usize = 1024;

/// An application's sorts.
#[derive(Clone, Copy)]
pub(crate) struct Typed {
    func: FuncId,
    args: Sorts,
    result: SortId,
}

/// The sorts of arguments: of at most three, padded with [`SortId::NONE`], or of any number that
/// are all equal.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sorts {
    count: u32,
    sorts: [SortId; FEW],
}

const FEW: usize = 3;

impl Typed {
    const BLANK: Typed = Typed {
        func: FuncId::NONE,
        args: Sorts { count: u32::MAX, sorts: [SortId::NONE; FEW] },
        result: SortId::NONE,
    };

    #[inline]
    fn is(&self, func: FuncId, args: Sorts) -> bool {
        let ([x, y, z], [a, b, c]) = (self.args.sorts, args.sorts);
        (self.func == func) & (self.args.count == args.count) & (x == a) & (y == b) & (z == c)
    }
}

impl Sorts {
    /// The slot in which an application to these sorts is cached.
    #[inline]
    fn slot(self, func: FuncId) -> usize {
        let [a, b, c] = self.sorts;
        let sorts = a.index() + 5 * b.index() + 17 * c.index();
        (func.index() + 37 * sorts + self.count as usize) % SLOTS
    }
}

impl Store {
    /// An application of an operator without indices.
    ///
    /// # Errors
    /// Fails if the operator's typing does not allow it.
    pub fn op(&mut self, op: Op, args: &[TermId]) -> Result<TermId, SortError> {
        self.op_indexed(op, &[], args)
    }

    /// An application of an operator with indices.
    ///
    /// # Errors
    /// Fails if the operator's typing does not allow it.
    pub fn op_indexed(
        &mut self,
        op: Op,
        indices: &[u64],
        args: &[TermId],
    ) -> Result<TermId, SortError> {
        let func = self.op_func(op, indices);
        self.app(func, args)
    }

    /// An application.
    ///
    /// # Errors
    /// Fails if the function's typing does not allow it.
    pub fn app(&mut self, func: FuncId, args: &[TermId]) -> Result<TermId, SortError> {
        self.app_as(func, args, None)
    }

    /// An application of the form `(as f sort)`.
    ///
    /// # Errors
    /// Fails if the function's typing does not allow it.
    pub fn app_as(
        &mut self,
        func: FuncId,
        args: &[TermId],
        ascribed: Option<SortId>,
    ) -> Result<TermId, SortError> {
        match self.try_app_as(func, args, ascribed) {
            Ok(term) => Ok(term),
            Err(mismatch) => {
                let got = args.iter().map(|&t| self.sort(t)).collect();
                Err(SortError {
                    subject: self.func_name(func),
                    fault: Fault::Mismatch(mismatch, got),
                })
            }
        }
    }

    /// Like [`Store::app_as`], with a bare reason: no message is built, so a caller may retry
    /// cheaply.
    ///
    /// # Errors
    /// Fails if the function's typing does not allow it.
    pub fn try_app_as(
        &mut self,
        func: FuncId,
        args: &[TermId],
        ascribed: Option<SortId>,
    ) -> Result<TermId, Mismatch> {
        let sort = match ascribed {
            None => self.typed(func, args)?,
            Some(_) => self.typed_anew(func, args, ascribed)?,
        };
        Ok(self.applied(func, sort, args))
    }

    /// An application whose sort is known from an earlier one like it, or from a declaration.
    /// `None` does not mean that it is ill-sorted.
    #[inline]
    pub fn known_app(&mut self, func: FuncId, args: &[TermId]) -> Option<TermId> {
        let sort = |arg: TermId| self.sort(arg);
        let sorts = match *args {
            [a] => [sort(a), SortId::NONE, SortId::NONE],
            [a, b] => [sort(a), sort(b), SortId::NONE],
            [a, b, c] => [sort(a), sort(b), sort(c)],
            _ => return self.known_long_app(func, args),
        };
        let sorts = Sorts { count: args.len() as u32, sorts };
        let sort = match self.remembered(func, sorts) {
            Some(sort) => sort,
            None => self.declared_now(func, args, sorts)?,
        };
        Some(self.node(Kind::App, func.index() as u32, sort, args))
    }

    #[inline(never)]
    fn known_long_app(&mut self, func: FuncId, args: &[TermId]) -> Option<TermId> {
        if args.is_empty() {
            return None;
        }
        let remembered = self.sorts_of(args).and_then(|sorts| self.remembered(func, sorts));
        let sort = remembered.or_else(|| self.declared(func, args))?;
        Some(self.node(Kind::App, func.index() as u32, sort, args))
    }

    /// The result sort of a declared function, which is cached from now on.
    #[inline(never)]
    fn declared_now(&mut self, func: FuncId, args: &[TermId], sorts: Sorts) -> Option<SortId> {
        let result = self.declared(func, args)?;
        self.remember(func, sorts, result);
        Some(result)
    }

    #[inline]
    fn remembered(&self, func: FuncId, sorts: Sorts) -> Option<SortId> {
        let known = self.recent_sorts.get(sorts.slot(func))?;
        known.is(func, sorts).then_some(known.result)
    }

    fn remember(&mut self, func: FuncId, args: Sorts, result: SortId) {
        let answer = Typed { func, args, result };
        self.recent_sorts.set(args.slot(func), answer, Typed::BLANK);
    }

    /// The result sort of a declared function, if the arguments match the declaration.
    fn declared(&self, func: FuncId, args: &[TermId]) -> Option<SortId> {
        let Func::Declared { params, result, .. } = self.func(func) else { return None };
        let fit = params.len() == args.len()
            && params.iter().zip(args).all(|(&param, &arg)| param == self.sort(arg));
        (fit && self.sorts.is_moderate(*result)).then_some(*result)
    }

    /// The sorts of a few arguments, or of many with the same sort.
    fn sorts_of(&self, args: &[TermId]) -> Option<Sorts> {
        let count = u32::try_from(args.len()).ok()?;
        let mut sorts = [SortId::NONE; FEW];
        for (sort, arg) in sorts.iter_mut().zip(args) {
            *sort = self.sort(*arg);
        }
        let alike = args.iter().skip(1).all(|&arg| self.sort(arg) == sorts[0]);
        (args.len() <= FEW || alike).then_some(Sorts { count, sorts })
    }

    fn typed(&mut self, func: FuncId, args: &[TermId]) -> Result<SortId, Mismatch> {
        if let Some(sort) = self.declared(func, args) {
            return Ok(sort);
        }
        let Some(sorts) = self.sorts_of(args) else { return self.typed_anew(func, args, None) };
        if let Some(known) = self.remembered(func, sorts) {
            return Ok(known);
        }
        let result = self.typed_anew(func, args, None)?;
        self.remember(func, sorts, result);
        Ok(result)
    }

    fn typed_anew(
        &mut self,
        func: FuncId,
        args: &[TermId],
        ascribed: Option<SortId>,
    ) -> Result<SortId, Mismatch> {
        let sorts: Vec<SortId> = args.iter().map(|&t| self.sort(t)).collect();
        self.result_sort(func, &sorts, ascribed)
    }
}
