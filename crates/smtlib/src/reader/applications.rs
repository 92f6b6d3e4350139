//! Applications that need overload resolution or conversion: overloaded functions, integers where reals
//! are expected, and values of models whose sort only the context determines.

use super::Reader;
use super::terms::{Frame, Kind};
use crate::source::{Fault, Read};
use assay_term::op::{Expected, Fold, Mismatch};
use assay_term::theories::{arrays, bv, core, ints, reals, relations, seq, strings};
use assay_term::{Func, FuncId, Sort, SortError, SortId, Term, TermId, Value};
use num_rational::BigRational;

impl Reader<'_, '_> {
    /// Applies the overload that accepts the operands from `base` on.
    pub(super) fn choose(&mut self, place: u32, base: usize, at: usize) -> Read<TermId> {
        let candidates = self.env.overloaded(place).to_vec();
        let mut found: Vec<TermId> = Vec::new();
        for &func in &candidates {
            found.extend(self.store.try_app_as(func, &self.operands[base..], None));
        }
        if found.is_empty() {
            found.extend(candidates.iter().filter_map(|&func| self.partial(func, base)));
        }
        if found.len() > 1 {
            if let Some(sort) = self.expected(self.frames.len()) {
                found.retain(|&term| self.store.sort(term) == sort);
            }
        }
        match found.as_slice() {
            [term] => return Ok(*term),
            [] => {}
            _ => {
                let name = self.store.func_name(candidates[0]);
                let message = format!("several functions `{name}` take these arguments");
                let hint = format!("say which one is meant: (as {name} sort)");
                return Err(Fault::hinted(at, message, hint));
            }
        }
        for &func in &candidates {
            if let Err(mismatch) = self.store.try_app_as(func, &self.operands[base..], None) {
                if let Ok(term) = self.convert_and_apply(func, None, base, mismatch, at) {
                    return Ok(term);
                }
            }
        }
        let sorts: Vec<String> = self.operands[base..]
            .iter()
            .map(|&t| self.store.sort_name(self.store.sort(t)))
            .collect();
        let name = self.store.func_name(candidates[0]);
        Err(Fault::new(at, format!("no function `{name}` takes ({})", sorts.join(" "))))
    }

    /// Applies a function; the error is text.
    pub(super) fn apply(
        &mut self,
        func: FuncId,
        ascribed: Option<SortId>,
        args: &[TermId],
        at: usize,
    ) -> Read<TermId> {
        self.store.app_as(func, args, ascribed).map_err(|error| self.ill_sorted(&error, at))
    }

    pub(super) fn ill_sorted(&self, error: &SortError, at: usize) -> Box<Fault> {
        Fault::new(at, self.store.explain(error))
    }

    /// Retries an application with integers converted to reals, as every solver does. Reports the first
    /// mismatch if that does not help.
    #[cold]
    pub(super) fn convert_and_apply(
        &mut self,
        func: FuncId,
        ascribed: Option<SortId>,
        base: usize,
        first: Mismatch,
        at: usize,
    ) -> Read<TermId> {
        if let Mismatch::Arity { expected, open: false, .. } = first {
            if let Some(term) = self.applied_as_value(func, base, expected) {
                return Ok(term);
            }
        }
        if let (Mismatch::NeedsAscription, Some(sort)) = (first, self.expected(self.frames.len())) {
            let args = self.operands[base..].to_vec();
            return self.apply(func, Some(sort), &args, at);
        }
        let mut args: Vec<TermId> = self.operands[base..].to_vec();
        if let Some(term) = self.applied_to_few(func, &args) {
            return Ok(term);
        }
        if let Some(extension) = self.extension_of(func, &args) {
            return Err(Fault::new(at, format!("unsupported extension: {extension}")));
        }
        if let Some(term) = self.function_as_array(func, ascribed, &args) {
            return Ok(term);
        }
        if let (Func::Op(arrays::CONST, _), [arg], Some(sort)) =
            (self.store.func(func), args.as_mut_slice(), ascribed)
        {
            let real = self.store.array_sorts(sort).is_some_and(|(_, e)| e == SortId::REAL);
            if real && self.store.sort(*arg) == SortId::INT {
                *arg = self.make_real(*arg);
                return self.apply(func, ascribed, &args, at);
            }
        }
        if let Some(rounded) = self.divided_as_integers(func, &args) {
            return self.apply(func, ascribed, &rounded, at);
        }
        let mut mismatch = first;
        for _ in 0..=args.len() {
            let is_int = |reader: &Self, i: usize| reader.store.sort(args[i]) == SortId::INT;
            let convertible: Vec<usize> = match mismatch {
                Mismatch::Argument { position, expected: Expected::Sort(SortId::REAL) }
                    if is_int(self, position) =>
                {
                    // Requirements for one of many arguments also apply to all that follow.
                    let end = match self.store.func(func) {
                        Func::Op(op, _) if op.row().fold != Fold::Fixed => args.len(),
                        _ => position + 1,
                    };
                    (position..end).filter(|&i| is_int(self, i)).collect()
                }
                Mismatch::Argument { .. }
                    if args.iter().any(|&t| self.store.sort(t) == SortId::REAL)
                        && matches!(self.store.func(func), Func::Op(..)) =>
                {
                    (0..args.len()).filter(|&i| is_int(self, i)).collect()
                }
                _ => break,
            };
            if convertible.is_empty() {
                break;
            }
            for i in convertible {
                args[i] = self.make_real(args[i]);
            }
            match self.store.try_app_as(func, &args, ascribed) {
                Ok(term) => return Ok(term),
                Err(next) => mismatch = next,
            }
        }
        let original = self.operands[base..].to_vec();
        if let (Mismatch::Argument { position, .. }, None) = (first, ascribed) {
            if let Some(term) = self.recast_argument(func, &original, position) {
                return Ok(term);
            }
        }
        self.apply(func, ascribed, &original, at)
    }

    /// What solvers make of operators applied to one argument where two are required, or, without
    /// parentheses, to none.
    pub(super) fn applied_to_few(&mut self, func: FuncId, args: &[TermId]) -> Option<TermId> {
        let Func::Op(op, _) = self.store.func(func) else { return None };
        let op = *op;
        let whole = match (op, args) {
            (core::AND, []) | (core::DISTINCT, [_]) => core::TRUE,
            (core::OR, []) => core::FALSE,
            (relations::TUPLE_OF, []) => relations::UNIT,
            (core::XOR | bv::AND | bv::OR | bv::XOR | bv::ADD | bv::MUL | bv::CONCAT, &[arg]) => {
                return self.store.try_app_as(func, &[arg, arg], None).is_ok().then_some(arg);
            }
            _ => return None,
        };
        self.store.op(whole, &[]).ok()
    }

    /// The extension that takes such arguments.
    fn extension_of(&self, func: FuncId, args: &[TermId]) -> Option<&'static str> {
        let Func::Op(op, _) = self.store.func(func) else { return None };
        let sort = self.store.sorts.get(self.store.sort(*args.first()?));
        Some(match (*op, sort) {
            (arrays::SELECT | arrays::STORE, Sort::Set(_)) => "sets as arrays of z3",
            (strings::TO_RE | strings::IN_RE, Sort::Seq(_)) => {
                "regular expressions over sequences of z3"
            }
            (seq::NTH, Sort::String) => "characters of z3",
            _ => return None,
        })
    }

    /// The arguments of an integer division of reals: z3 takes the integer part of each.
    fn divided_as_integers(&mut self, func: FuncId, args: &[TermId]) -> Option<Vec<TermId>> {
        let Func::Op(ints::DIV | ints::MOD | ints::REM, _) = self.store.func(func) else {
            return None;
        };
        let integer = |arg: &TermId| match self.store.sort(*arg) {
            SortId::INT => Some(*arg),
            SortId::REAL => self.store.op(reals::TO_INT, &[*arg]).ok(),
            _ => None,
        };
        args.iter().map(integer).collect()
    }

    /// The sort that the context requires of the term at this depth of frames, if a model is being read:
    /// there z3 omits the qualification that the standard requires, as in `(as nil (List Int))`.
    pub(super) fn expected(&mut self, depth: usize) -> Option<SortId> {
        let mut sort = self.expected_value?;
        for level in 0..depth {
            let Frame { kind, base, .. } = self.frames[level];
            let end = match self.frames.get(level + 1) {
                Some(inner) if level + 1 < depth => inner.base as usize,
                _ if level + 1 == self.frames.len() => self.operands.len(),
                _ => self.frames[level + 1].base as usize,
            };
            let position = end - base as usize;
            let Kind::App(func, _) = kind else { return None };
            sort = match (self.store.func(func).clone(), position) {
                (Func::Constructor(decl, index), _) => {
                    let (_, datatype, args) = self.store.sorts.datatype(sort)?;
                    let field = datatype.constructors.get(index as usize)?.fields.get(position)?.1;
                    let (params, args) = (self.store.sorts.params(decl), args.to_vec());
                    self.store.sorts.substitute(field, &params, &args)
                }
                (Func::Declared { params, .. }, _) => *params.get(position)?,
                (Func::Op(core::ITE, _), 1 | 2) | (Func::Op(arrays::STORE, _), 0) => sort,
                (Func::Op(arrays::STORE, _), 1) => self.store.map_sorts(sort)?.0,
                (Func::Op(arrays::STORE, _), 2) | (Func::Op(arrays::CONST, _), 0) => {
                    self.store.map_sorts(sort)?.1
                }
                (Func::Op(core::EQ, _), 1..) => self.store.sort(self.operands[base as usize]),
                _ => return None,
            };
        }
        Some(sort)
    }

    /// The term as a real: a numeral becomes a decimal, a sum a sum of reals; `to_real` otherwise.
    pub(crate) fn make_real(&mut self, term: TermId) -> TermId {
        self.coercions += 1;
        self.make_real_within(term, 8)
    }

    fn make_real_within(&mut self, term: TermId, depth: u32) -> TermId {
        if let Term::Literal(Value::Int(n)) = self.store.get(term) {
            let n = BigRational::from_integer(n.to_big());
            return self.store.real(&n);
        }
        let arithmetic = match self.store.get(term) {
            Term::App(func, args) => match self.store.func(func) {
                Func::Op(op, _) if [ints::ADD, ints::SUB, ints::MUL].contains(op) => {
                    Some((*op, args.to_vec(), 0))
                }
                Func::Op(core::ITE, _) => Some((core::ITE, args.to_vec(), 1)),
                _ => None,
            },
            _ => None,
        };
        match arithmetic {
            Some((op, mut args, from)) if depth > 0 => {
                for arg in &mut args[from..] {
                    *arg = self.make_real_within(*arg, depth - 1);
                }
                self.store.op(op, &args).expect("the operator takes reals as it takes integers")
            }
            _ => self.store.op(reals::TO_REAL, &[term]).expect("the caller saw an integer"),
        }
    }
}
