//! What all tasks are drawn with: constants, and formulas over them.

use assay_horn::{Words, is_number, not};
use assay_mutate::Draw;
use assay_smtlib::Printer;
use assay_term::theories::{core, ints};
use assay_term::{Int, Op, Replacements, SortId, Store, TermId};
use num_rational::BigRational;
use std::fmt::Write;

/// A task in the making.
pub(crate) struct Draft<'d> {
    pub(crate) words: &'d Words,
    pub(crate) store: Store,
    pub(crate) draw: &'d mut Draw,
    /// The text so far.
    pub(crate) text: String,
}

impl<'d> Draft<'d> {
    /// Begins with the declarations of the vocabulary's sorts.
    pub(crate) fn new(words: &'d Words, draw: &'d mut Draw) -> Draft<'d> {
        let store = words.store.clone();
        let mut text = String::new();
        for command in &words.declarations {
            text += &Printer::new(&store).command(command);
            text.push('\n');
        }
        Draft { words, store, draw, text }
    }

    /// Declares a constant.
    pub(crate) fn declare(&mut self, name: &str, sort: SortId) -> TermId {
        let sort_name = self.store.sort_name(sort);
        self.line(&format!("(declare-const {name} {sort_name})"));
        self.symbol(name, sort)
    }

    /// Declares constants of random sorts.
    pub(crate) fn constants(&mut self, stem: &str, count: usize) -> Vec<TermId> {
        (0..count)
            .map(|at| {
                let sort = self.words.sort(self.draw);
                self.declare(&format!("{stem}{at}"), sort)
            })
            .collect()
    }

    /// A constant without a declaration.
    pub(crate) fn symbol(&mut self, name: &str, sort: SortId) -> TermId {
        let name = self.store.symbols.intern(name);
        self.store.declare_constant(name, sort).1
    }

    pub(crate) fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("text can be written");
    }

    pub(crate) fn assert(&mut self, formula: TermId) {
        let line = format!("(assert {})", self.shown(formula));
        self.line(&line);
    }

    pub(crate) fn shown(&self, term: TermId) -> String {
        Printer::new(&self.store).term(term)
    }

    /// A random formula that mentions some of these constants.
    pub(crate) fn formula(&mut self, over: &[TermId]) -> TermId {
        let formula = match self.draw.below(3) {
            0 => self.words.term(&mut self.store, self.draw, SortId::BOOL, over, 3),
            _ => self.words.formula(&mut self.store, self.draw, over),
        };
        let mentions = self.store.postorder(&[formula]).iter().any(|part| over.contains(part));
        match self.draw.of(over) {
            Some(&constant) if !mentions => {
                let sort = self.store.sort(constant);
                let value = self.words.constant(&mut self.store, self.draw, sort);
                self.op(core::EQ, &[constant, value])
            }
            _ => formula,
        }
    }

    /// A comparison of a sum of these numbers, each with a small factor, with a small number.
    pub(crate) fn comparison(&mut self, numbers: &[TermId]) -> TermId {
        let sort = self.store.sort(numbers[0]);
        let mut sum = Vec::new();
        for &number in numbers {
            let factor = [1, 1, -1, 2, -2, 3][self.draw.below(6)];
            sum.push(self.times(factor, number));
        }
        let sum = if sum.len() == 1 { sum[0] } else { self.op(ints::ADD, &sum) };
        let bound = self.small(sort);
        if sort == SortId::INT && self.draw.one_in(6) {
            let divisor = 2 + self.draw.below(3) as i64;
            let rest = self.draw.below(divisor as usize) as i64;
            let [divisor, rest] = [divisor, rest].map(|n| self.store.int(&Int::from(n)));
            let remainder = self.op(ints::MOD, &[sum, divisor]);
            return self.op(core::EQ, &[remainder, rest]);
        }
        let ops = [ints::LE, ints::LT, ints::GE, ints::GT, ints::LE, core::EQ];
        let op = ops[self.draw.below(ops.len())];
        let made = self.op(op, &[sum, bound]);
        if op == core::EQ && self.draw.one_in(2) { not(&mut self.store, made) } else { made }
    }

    /// A number from -8 to 8.
    pub(crate) fn small(&mut self, sort: SortId) -> TermId {
        let number = self.draw.below(17) as i64 - 8;
        self.number(sort, number)
    }

    fn number(&mut self, sort: SortId, number: i64) -> TermId {
        match sort {
            SortId::INT => self.store.int(&Int::from(number)),
            _ => self.store.real(&BigRational::from_integer(number.into())),
        }
    }

    /// A multiple of a number.
    pub(crate) fn times(&mut self, factor: i64, number: TermId) -> TermId {
        if factor == 1 {
            return number;
        }
        let factor = self.number(self.store.sort(number), factor);
        self.op(ints::MUL, &[factor, number])
    }

    /// An application that is known to be well-sorted.
    pub(crate) fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.store.op(op, args).expect("the arguments have the sorts of the operator")
    }

    /// A formula without a random part of it, which a new constant stands for, and the equation that says
    /// so.
    pub(crate) fn named(&mut self, formula: TermId, name: &str) -> Option<(TermId, TermId)> {
        let parts = self.store.postorder(&[formula]);
        let mut parts: Vec<TermId> = parts.into_iter().filter(|&part| part != formula).collect();
        parts.retain(|&part| {
            let sort = self.store.sort(part);
            self.words.sorts.contains(&sort) && !self.store.mentions_variables(part)
        });
        let part = *self.draw.of(&parts)?;
        let constant = self.declare(name, self.store.sort(part));
        let mut by = Replacements::from_iter([(part, constant)]);
        let rest = self.store.replaced(formula, &mut by).ok()?;
        Some((rest, self.op(core::EQ, &[constant, part])))
    }
}

/// The numbers of one sort among these constants.
pub(crate) fn numbers(store: &Store, constants: &[TermId]) -> Vec<TermId> {
    let first = constants.iter().copied().find(|&c| is_number(store, c));
    let Some(first) = first else { return Vec::new() };
    let sort = store.sort(first);
    constants.iter().copied().filter(|&c| store.sort(c) == sort).collect()
}
