//! Terms under construction: operations on known values are computed, so that only what depends on inputs
//! is left to solvers.

use super::Open;
use crate::c::{Scalar, float};
use assay_term::bitvec::BitVec;
use assay_term::float::RoundingMode;
use assay_term::theories::{bv, core, fp};
use assay_term::{Evaluator, FuncId, Model, Op, SortId, Store, Symbol, TermId, Value};
use rustc_hash::FxHashMap;

/// The most terms of a question.
const MOST: usize = 400_000;

/// A store with the values that are known in it.
pub(super) struct Terms {
    pub(super) store: Store,
    known: FxHashMap<TermId, Value>,
    /// Numbers that are one where a condition holds, and zero elsewhere.
    truths: FxHashMap<TermId, TermId>,
    none: Model,
    /// The rounding modes, in the order of [`RoundingMode::ALL`].
    modes: [TermId; RoundingMode::ALL.len()],
}

impl Terms {
    pub(super) fn new() -> Terms {
        let mut store = Store::new();
        let modes = RoundingMode::ALL.map(|mode| {
            store.value(&Value::RoundingMode(mode)).expect("rounding modes have terms")
        });
        let (known, truths) = (FxHashMap::default(), FxHashMap::default());
        Terms { store, known, truths, none: Model::new(), modes }
    }

    /// A new constant of the sort of a type, which may have any value.
    pub(super) fn constant(&mut self, name: &str, scalar: Scalar) -> (FuncId, TermId) {
        let sort = self.sort(scalar);
        let name: Symbol = self.store.symbols.intern(name);
        self.store.declare_constant(name, sort)
    }

    fn sort(&mut self, scalar: Scalar) -> SortId {
        match float::format(scalar) {
            Some(format) => self.store.sorts.float(format),
            None => self.store.sorts.bit_vec(scalar.bits()),
        }
    }

    fn literal(&mut self, value: Value) -> TermId {
        let term = self.store.value(&value).expect("these values have terms");
        self.known.insert(term, value);
        term
    }

    pub(super) fn bool(&mut self, value: bool) -> TermId {
        self.literal(Value::Bool(value))
    }

    /// A number of a type, as it is kept by the interpreter.
    pub(super) fn number(&mut self, value: i128, scalar: Scalar) -> TermId {
        match float::format(scalar) {
            Some(format) => self.literal(Value::Float(float::decoded(value, format))),
            None => self.bits(value, scalar.bits()),
        }
    }

    /// The low bits of a number.
    pub(super) fn bits(&mut self, value: i128, width: u32) -> TermId {
        let half = |value: u128| BitVec::from_u64(64, value as u64);
        let all = half(value as u128 >> 64).concat(&half(value as u128));
        let value = match width {
            0..=128 => all.extract(width - 1, 0),
            _ => all.sign_extend(width - 128),
        };
        self.literal(Value::BitVec(value))
    }

    /// The truth value of a condition, if it is known.
    pub(super) fn truth(&self, condition: TermId) -> Option<bool> {
        match self.known.get(&condition) {
            Some(Value::Bool(truth)) => Some(*truth),
            _ => None,
        }
    }

    pub(super) fn is(&self, condition: TermId, truth: bool) -> bool {
        self.truth(condition) == Some(truth)
    }

    /// The number that a bit-vector is known to be, without a sign.
    pub(super) fn integer(&self, term: TermId) -> Option<u128> {
        match self.known.get(&term) {
            Some(Value::BitVec(bits)) => crate::lower::wide_value(bits),
            _ => None,
        }
    }

    pub(super) fn op(&mut self, op: Op, args: &[TermId]) -> Result<TermId, Open> {
        self.indexed(op, &[], args)
    }

    pub(super) fn indexed(
        &mut self,
        op: Op,
        indices: &[u64],
        args: &[TermId],
    ) -> Result<TermId, Open> {
        if self.store.len() > MOST {
            return Err(Open::Size);
        }
        let term = self.store.op_indexed(op, indices, args);
        let term = term.map_err(|_| Open::other("an ill-sorted term"))?;
        let is_known = |arg: &TermId| self.known.contains_key(arg) || self.is_mode(*arg);
        if self.known.contains_key(&term) || !args.iter().all(is_known) {
            return Ok(term);
        }
        let value = Evaluator::new(&self.store, &self.none).eval(term);
        Ok(value.map_or(term, |value| self.literal(value)))
    }

    fn is_mode(&self, term: TermId) -> bool {
        self.modes.contains(&term)
    }

    fn mode(&self, mode: RoundingMode) -> TermId {
        let at = RoundingMode::ALL.iter().position(|&known| known == mode);
        self.modes[at.expect("all modes are listed")]
    }

    /// An operation that rounds.
    pub(super) fn rounded(
        &mut self,
        op: Op,
        mode: RoundingMode,
        args: &[TermId],
    ) -> Result<TermId, Open> {
        let mut all = vec![self.mode(mode)];
        all.extend_from_slice(args);
        self.op(op, &all)
    }

    /// A conversion to a floating-point type: rounded, or of its encoding.
    pub(super) fn float_from(
        &mut self,
        op: Op,
        of: TermId,
        to: Scalar,
        mode: Option<RoundingMode>,
    ) -> Result<TermId, Open> {
        let format = float::format(to).ok_or_else(|| Open::other("a conversion to no number"))?;
        let indices = [format.exponent_bits(), format.significand_bits()].map(u64::from);
        match mode {
            None => self.indexed(op, &indices, &[of]),
            Some(mode) => self.indexed(op, &indices, &[self.mode(mode), of]),
        }
    }

    /// The integer towards zero from a floating-point number, as a number and as a bit-vector.
    pub(super) fn cut(
        &mut self,
        of: TermId,
        signed: bool,
        width: u32,
    ) -> Result<(TermId, TermId), Open> {
        let cut = self.mode(RoundingMode::TowardZero);
        let whole = self.op(fp::ROUND_TO_INTEGRAL, &[cut, of])?;
        let op = if signed { fp::TO_SBV } else { fp::TO_UBV };
        let bits = self.indexed(op, &[width.into()], &[cut, of])?;
        Ok((whole, bits))
    }

    pub(super) fn not(&mut self, a: TermId) -> Result<TermId, Open> {
        match self.store.operator(a) {
            Some((core::NOT, &[inner])) => Ok(inner),
            _ => self.op(core::NOT, &[a]),
        }
    }

    pub(super) fn and(&mut self, a: TermId, b: TermId) -> Result<TermId, Open> {
        self.joined((core::AND, false), a, b)
    }

    pub(super) fn or(&mut self, a: TermId, b: TermId) -> Result<TermId, Open> {
        self.joined((core::OR, true), a, b)
    }

    /// A conjunction or disjunction, of which a truth value decides all.
    fn joined(&mut self, (op, all): (Op, bool), a: TermId, b: TermId) -> Result<TermId, Open> {
        match (self.truth(a), self.truth(b)) {
            (Some(truth), _) => return Ok(if truth == all { a } else { b }),
            (_, Some(truth)) => return Ok(if truth == all { b } else { a }),
            _ if a == b => return Ok(a),
            _ => {}
        }
        if self.not(a)? == b {
            return Ok(self.bool(all));
        }
        self.op(op, &[a, b])
    }

    pub(super) fn any(&mut self, conditions: &[TermId]) -> Result<TermId, Open> {
        let none = self.bool(false);
        conditions.iter().try_fold(none, |all, &condition| self.or(all, condition))
    }

    pub(super) fn eq(&mut self, a: TermId, b: TermId) -> Result<TermId, Open> {
        match a == b {
            true => Ok(self.bool(true)),
            false => self.op(core::EQ, &[a, b]),
        }
    }

    pub(super) fn ite(&mut self, c: TermId, yes: TermId, no: TermId) -> Result<TermId, Open> {
        match self.truth(c) {
            Some(true) => Ok(yes),
            Some(false) => Ok(no),
            None if yes == no => Ok(yes),
            None => self.op(core::ITE, &[c, yes, no]),
        }
    }

    /// One where a condition holds, and zero elsewhere.
    pub(super) fn one_if(&mut self, condition: TermId, width: u32) -> Result<TermId, Open> {
        let (one, zero) = (self.bits(1, width), self.bits(0, width));
        let number = self.ite(condition, one, zero)?;
        if self.truth(condition).is_none() {
            self.truths.insert(number, condition);
        }
        Ok(number)
    }

    /// The condition under which a number is one, if it is zero elsewhere.
    pub(super) fn condition(&self, number: TermId) -> Option<TermId> {
        self.truths.get(&number).copied()
    }

    /// A bit-vector of another width: cut, or extended by its sign or by zeros.
    pub(super) fn resized(
        &mut self,
        term: TermId,
        (from, to): (u32, u32),
        signed: bool,
    ) -> Result<TermId, Open> {
        match to.checked_sub(from) {
            None => self.indexed(bv::EXTRACT, &[u64::from(to) - 1, 0], &[term]),
            Some(0) => Ok(term),
            Some(more) if signed => self.indexed(bv::SIGN_EXTEND, &[more.into()], &[term]),
            Some(more) => self.indexed(bv::ZERO_EXTEND, &[more.into()], &[term]),
        }
    }
}
