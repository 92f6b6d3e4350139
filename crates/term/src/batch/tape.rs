//! The tape: the steps of a run.

use super::code::Code;
use super::register::{Class, Register};
use crate::eval::Limits;
use crate::term::{FuncId, Store, TermId};
use crate::value::Value;

/// Terms as a list of steps over registers, in the order in which they are evaluated.
pub struct Tape<'s> {
    pub(super) store: &'s Store,
    pub(super) steps: Vec<Step>,
    pub(super) operands: Vec<Operand>,
    pub(super) constants: Vec<Value>,
    pub(super) inputs: Vec<Input>,
    pub(super) roots: Vec<Operand>,
    /// The number of registers of the steps.
    pub(super) registers: usize,
    /// Limits of the evaluator, for lanes that need it.
    pub(super) limits: Limits,
}

impl Tape<'_> {
    /// The same tape with other limits for the lanes that need the evaluator. A run's budget limits
    /// the steps.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Tape { limits, ..self }
    }

    /// The declared constants whose values the terms depend on directly. Constants that occur only
    /// below binders or in definitions are not among them.
    pub fn inputs(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.inputs.iter().map(|input| input.func)
    }

    /// The number of steps per 64 assignments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to evaluate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(super) fn operands_of(&self, step: &Step) -> &[Operand] {
        &self.operands[step.first as usize..][..step.count as usize]
    }
}

/// One operation on registers.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) code: Code,
    /// The term that it computes.
    pub(super) term: TermId,
    /// Its class.
    pub(super) class: Class,
    /// The register of the result, which no operand uses.
    pub(super) out: u32,
    /// The start of its operands, and their number.
    pub(super) first: u32,
    pub(super) count: u32,
}

/// A register with the meaning of its words.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) register: u32,
    pub(super) class: Class,
}

/// A declared constant.
#[derive(Clone, Copy)]
pub(super) struct Input {
    pub(super) func: FuncId,
    pub(super) term: TermId,
    pub(super) class: Class,
}

/// The operands of a step: all registers except that of its result.
#[derive(Clone, Copy)]
pub(super) struct Args<'a> {
    operands: &'a [Operand],
    before: &'a [Register],
    after: &'a [Register],
}

impl<'a> Args<'a> {
    /// Splits the registers into the result's and the operands'.
    pub(super) fn split(
        registers: &'a mut [Register],
        out: u32,
        operands: &'a [Operand],
    ) -> (&'a mut Register, Args<'a>) {
        let (before, rest) = registers.split_at_mut(out as usize);
        let (out, after) = rest.split_first_mut().expect("a step has a register for its result");
        (out, Args { operands, before, after })
    }

    pub(super) fn get(self, position: usize) -> &'a Register {
        let at = self.operands[position].register as usize;
        match at.checked_sub(self.before.len() + 1) {
            Some(at) => &self.after[at],
            None => &self.before[at],
        }
    }

    pub(super) fn class(self, position: usize) -> Class {
        self.operands[position].class
    }

    pub(super) fn len(self) -> usize {
        self.operands.len()
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'a Register> {
        (0..self.len()).map(move |position| self.get(position))
    }

    /// The lanes in which every operand is in machine form.
    pub(super) fn plain(self) -> u64 {
        self.iter().fold(u64::MAX, |plain, register| plain & register.plain)
    }

    /// The words of one operand.
    pub(super) fn words(self, position: usize) -> &'a super::register::Words {
        &self.get(position).words
    }
}
