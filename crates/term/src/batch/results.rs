//! The values of a tape's roots.

use super::columns::Columns;
use super::register::{Class, LANES, Register, lanes};
use super::tape::Tape;
use super::truth::compare;
use crate::eval::{EvalContext, Unknown};
use crate::value::Value;

/// The values of a tape's roots under all assignments.
pub struct Results<'r> {
    tape: &'r Tape<'r>,
    columns: &'r Columns<'r>,
    /// The first chunk that is stored.
    start: usize,
    /// The registers of all roots, for each chunk.
    chunks: Vec<Vec<Register>>,
}

impl<'r> Results<'r> {
    pub(super) fn new(tape: &'r Tape<'r>, columns: &'r Columns<'r>) -> Results<'r> {
        Results::starting(tape, columns, 0)
    }

    /// Results that start with this chunk.
    pub(super) fn starting(
        tape: &'r Tape<'r>,
        columns: &'r Columns<'r>,
        start: usize,
    ) -> Results<'r> {
        Results { tape, columns, start, chunks: Vec::new() }
    }

    /// Stores the registers of the roots.
    pub(super) fn push(&mut self, registers: &[Register], active: u64) {
        let kept = self.tape.roots.iter().map(|root| {
            let mut register = Register::new();
            register.copy(&registers[root.register as usize], active);
            register
        });
        self.chunks.push(kept.collect());
    }

    /// The number of assignments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is no assignment.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The value of a root under one assignment.
    ///
    /// # Errors
    /// The reason why it is unknown.
    ///
    /// # Panics
    /// Panics if there is no such root or assignment.
    pub fn get(&self, root: usize, assignment: usize) -> Result<Value, Unknown> {
        assert!(assignment < self.len(), "there are {} assignments", self.len());
        let registers = &self.chunks[assignment / LANES - self.start];
        registers[root].get(assignment % LANES, self.tape.roots[root].class)
    }

    /// The values of a root under all assignments in order.
    pub fn values(&self, root: usize) -> impl Iterator<Item = Result<Value, Unknown>> + '_ {
        (0..self.len()).map(move |assignment| self.get(root, assignment))
    }

    /// The first assignment under which two roots are known to have different values.
    ///
    /// # Panics
    /// Panics if there are no such roots, or if their sorts differ.
    #[must_use]
    pub fn differs(&self, a: usize, b: usize) -> Option<usize> {
        let class = self.tape.roots[a].class;
        assert_eq!(class, self.tape.roots[b].class, "only values of one sort are compared");
        self.chunks.iter().enumerate().find_map(|(at, registers)| {
            let chunk = self.start + at;
            let (x, y) = (&registers[a], &registers[b]);
            let plain = self.columns.active(chunk) & x.plain & y.plain;
            let unlike = plain & unlike(x, y, class);
            let first = unlike.trailing_zeros() as usize;
            let exact = lanes(self.columns.active(chunk) & !plain)
                .take_while(|&lane| lane < first)
                .find(|&lane| self.exactly_differs(chunk * LANES + lane, a, b));
            exact.or((unlike != 0).then_some(first)).map(|lane| chunk * LANES + lane)
        })
    }

    fn exactly_differs(&self, assignment: usize, a: usize, b: usize) -> bool {
        let (Ok(x), Ok(y)) = (self.get(a, assignment), self.get(b, assignment)) else {
            return false;
        };
        let cx = EvalContext::new(self.tape.store, self.columns.base(assignment));
        cx.equal(&x, &y) == Ok(false)
    }
}

/// The lanes in which two registers with plain values of one class differ.
fn unlike(x: &Register, y: &Register, class: Class) -> u64 {
    match class {
        Class::Truth => x.bits ^ y.bits,
        _ => compare(&x.words, &y.words, |x, y| x != y),
    }
}
