//! Runs a tape, 64 assignments at a time.

use super::code::Code;
use super::columns::Columns;
use super::compile::REGISTER_CELLS;
use super::fallback::{Fallback, Models};
use super::register::{Register, Slot, lanes};
use super::results::Results;
use super::tape::{Args, Operand, Step, Tape};
use crate::budget::{Budget, Exhausted, Meter};
use crate::eval::Unknown;
use crate::value::Value;
use std::ops::ControlFlow;

/// The registers of a run, kept to reuse their memory for any tape.
#[derive(Default)]
pub struct Scratch {
    registers: Vec<Register>,
}

/// The cost of a step for 64 lanes in machine words.
const STEP_COST: u64 = 4;

impl Tape<'_> {
    /// The values of all roots under all assignments.
    ///
    /// # Errors
    /// Fails if the budget ends before the last of them.
    pub fn run<'r>(
        &'r self,
        columns: &'r Columns<'r>,
        scratch: &mut Scratch,
        budget: &mut Budget,
    ) -> Result<Results<'r>, Exhausted> {
        let mut results = Results::new(self, columns);
        let mut meter = Meter::default();
        let cells = self.roots.len() * REGISTER_CELLS;
        self.each_chunk(columns, scratch, budget, |chunk, registers, budget| {
            meter.grow(cells, budget)?;
            results.push(registers, columns.active(chunk));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(results)
    }

    /// The first assignment under which two roots are known to have different values. Few later
    /// assignments are evaluated.
    ///
    /// # Errors
    /// Fails if the budget ends before one is found.
    ///
    /// # Panics
    /// Panics if there are no such roots, or if their sorts differ.
    pub fn first_difference(
        &self,
        (a, b): (usize, usize),
        columns: &Columns<'_>,
        scratch: &mut Scratch,
        budget: &mut Budget,
    ) -> Result<Option<usize>, Exhausted> {
        let mut found = None;
        self.each_chunk(columns, scratch, budget, |chunk, registers, _| {
            let mut results = Results::starting(self, columns, chunk);
            results.push(registers, columns.active(chunk));
            found = results.differs(a, b);
            Ok(match found {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            })
        })?;
        Ok(found)
    }

    fn each_chunk(
        &self,
        columns: &Columns<'_>,
        scratch: &mut Scratch,
        budget: &mut Budget,
        mut then: impl FnMut(usize, &[Register], &mut Budget) -> Result<ControlFlow<()>, Exhausted>,
    ) -> Result<(), Exhausted> {
        if scratch.registers.len() < self.registers {
            scratch.registers.resize_with(self.registers, Register::new);
        }
        for chunk in 0..columns.chunks() {
            let models = Models::default();
            let fallback = Fallback::new(self, columns, &models, chunk);
            let active = columns.active(chunk);
            let registers = &mut scratch.registers[..];
            let mut run = Run { tape: self, columns, chunk, active, registers, fallback, budget };
            run.go()?;
            if then(chunk, run.registers, run.budget)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A run over one chunk.
struct Run<'c, 't> {
    tape: &'t Tape<'t>,
    columns: &'c Columns<'c>,
    chunk: usize,
    /// The lanes that hold an assignment.
    active: u64,
    registers: &'t mut [Register],
    fallback: Fallback<'c>,
    budget: &'t mut Budget,
}

impl Run<'_, '_> {
    fn go(&mut self) -> Result<(), Exhausted> {
        for step in &self.tape.steps {
            self.budget.spend(STEP_COST)?;
            self.take(step);
        }
        // A lane that exhausted the budget is unknown for no other reason.
        self.budget.spend(1)
    }

    fn take(&mut self, step: &Step) {
        let operands = self.tape.operands_of(step);
        let right = match step.code {
            Code::Constant(number) => {
                let out = &mut self.registers[step.out as usize];
                out.fill(step.class, &self.tape.constants[number as usize]);
                return;
            }
            Code::Input(number) => {
                let func = self.tape.inputs[number as usize].func;
                if let Some(column) = self.columns.chunk(func, self.chunk) {
                    self.registers[step.out as usize].copy(column, self.active);
                    return;
                }
                0
            }
            code => {
                let (out, args) = Args::split(self.registers, step.out, operands);
                code.compute(out, args)
            }
        };
        self.registers[step.out as usize].plain = right;
        let left = self.active & !right;
        if left != 0 {
            self.complete(step, operands, left);
        }
    }

    /// Computes the lanes that the machine operation did not get right.
    #[cold]
    fn complete(&mut self, step: &Step, operands: &[Operand], left: u64) {
        for lane in lanes(left) {
            let (out, args) = Args::split(self.registers, step.out, operands);
            let slot = match step.code {
                Code::Input(_) | Code::Whole => {
                    let evaluator = self.fallback.evaluator(lane, self.budget);
                    evaluator.eval_within(step.term, self.budget)
                }
                Code::Ite => branch(args, lane),
                Code::Truth(_) => Err(first_unknown(args, lane)),
                _ => match gather(args, lane) {
                    Ok(values) => self.fallback.apply(lane, step.term, values, self.budget),
                    Err(reason) => Err(reason),
                },
            };
            out.set(lane, step.class, slot);
        }
    }
}

/// The value of the branch taken by an `ite`.
fn branch(args: Args<'_>, lane: usize) -> Slot {
    match args.get(0).get(lane, args.class(0))? {
        Value::Bool(true) => args.get(1).get(lane, args.class(1)),
        _ => args.get(2).get(lane, args.class(2)),
    }
}

/// The reason of the first operand that is unknown.
fn first_unknown(args: Args<'_>, lane: usize) -> Unknown {
    gather(args, lane).expect_err("a truth value that is not plain is unknown")
}

fn gather(args: Args<'_>, lane: usize) -> Result<Vec<Value>, Unknown> {
    (0..args.len()).map(|at| args.get(at).get(lane, args.class(at))).collect()
}
