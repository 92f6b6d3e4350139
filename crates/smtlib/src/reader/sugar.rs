//! Solvers' derived operators, which are expanded when they are read: pointwise functions on arrays,
//! counts of formulas, bit-vectors of formulas, and choices by a bit. Most are z3's, `bvite` is
//! cvc5's.

use super::identifiers::digits_with_sign;
use super::terms::Kind;
use super::{Lets, Reader};
use crate::lexer::Token;
use crate::source::{Fault, Read};
use assay_term::bitvec::BitVec;
use assay_term::theories::{arrays, bv, core, ints};
use assay_term::{FuncId, Int, Op, SortId, Term, TermId};
use rustc_hash::FxHashSet;

/// A derived operator.
#[derive(Clone)]
pub(super) enum Sugar {
    /// `(_ map f)`: applies one of these functions at each index.
    Map(Vec<FuncId>),
    /// `(_ at-most n)`, `(_ pble n c …)` and the like: comparisons of a weighted count.
    Count {
        relation: Op,
        bound: Int,
        /// None if each formula counts once.
        weights: Option<Vec<Int>>,
    },
    /// `mkbv`: a bit-vector, the least significant bit first.
    Bits,
    /// `bvite`: a choice by a bit.
    Choice,
}

/// Counts by name: their comparison, and whether formulas have weights.
const COUNTS: &[(&str, Op, bool)] = &[
    ("at-most", ints::LE, false),
    ("at-least", ints::GE, false),
    ("pble", ints::LE, true),
    ("pbge", ints::GE, true),
    ("pbeq", core::EQ, true),
];

impl Reader<'_, '_> {
    /// Reads the rest of `(_ map f)` or of a count, after its name.
    pub(super) fn indexed_sugar(&mut self, name: &str) -> Read<Option<u32>> {
        if name == "map" {
            let named = self.functions_named()?;
            self.expect(Token::Close, "after the function")?;
            return Ok(Some(self.keep_sugar(Sugar::Map(named))));
        }
        let Some(&(_, relation, weighted)) = COUNTS.iter().find(|(count, ..)| *count == name)
        else {
            return Ok(None);
        };
        let at = self.lexer.at();
        let mut numbers = Vec::new();
        loop {
            let token = self.lexer.next()?;
            match (token, digits_with_sign(self.lexer.text())) {
                (Token::Close, _) => break,
                (Token::Numeral | Token::Symbol, Some(number)) => numbers.push(number),
                _ => return Err(self.unexpected(token, "expected a number as index")),
            }
        }
        if numbers.is_empty() || !weighted && numbers.len() > 1 {
            return Err(Fault::new(at, format!("`{name}` takes a bound as its index")));
        }
        let bound = numbers.remove(0);
        let weights = weighted.then_some(numbers);
        Ok(Some(self.keep_sugar(Sugar::Count { relation, bound, weights })))
    }

    /// Opens an application of a derived operator; false for any other symbol.
    pub(super) fn open_sugar(&mut self, name: &str, at: usize) -> bool {
        let sugar = match name {
            "mkbv" => Sugar::Bits,
            "bvite" => Sugar::Choice,
            _ => return false,
        };
        let place = self.keep_sugar(sugar);
        self.push(Kind::Sugar(place), at);
        true
    }

    fn keep_sugar(&mut self, sugar: Sugar) -> u32 {
        self.sugars.push(sugar);
        self.sugars.len() as u32 - 1
    }

    /// The expansion of an application.
    pub(super) fn close_sugar(&mut self, place: u32, base: usize, at: usize) -> Read<TermId> {
        let args: Vec<TermId> = self.operands.drain(base..).collect();
        if args.is_empty() {
            return Err(Fault::new(at, "an operator is applied to no argument"));
        }
        match self.sugars[place as usize].clone() {
            Sugar::Map(functions) => self.pointwise(&functions, &args, at),
            Sugar::Count { relation, bound, weights } => {
                self.count(relation, &bound, weights.as_deref(), &args, at)
            }
            Sugar::Bits => self.bits(&args, at),
            Sugar::Choice => self.choice(&args, at),
        }
    }

    fn pointwise(&mut self, functions: &[FuncId], args: &[TermId], at: usize) -> Read<TermId> {
        let Some((index, _)) = self.store.array_sorts(self.store.sort(args[0])) else {
            return Err(Fault::new(at, "`map` takes arrays"));
        };
        let var = self.index_variable(index, args);
        let mut elements = Vec::with_capacity(args.len());
        for &array in args {
            let element = self.store.op(arrays::SELECT, &[array, var]);
            elements.push(element.map_err(|error| self.ill_sorted(&error, at))?);
        }
        let mut found = functions.iter().map(|&func| self.store.try_app_as(func, &elements, None));
        let body = match found.find_map(Result::ok) {
            Some(body) => body,
            None => self.apply(functions[0], None, &elements, at)?,
        };
        let lambda = self.store.lambda(&[var], body);
        lambda.map_err(|error| self.ill_sorted(&error, at))
    }

    /// A variable for indices that occurs in none of these arrays, free or bound, and whose name no open
    /// variable has: the printed text reads as the same term.
    fn index_variable(&mut self, sort: SortId, arrays: &[TermId]) -> TermId {
        let open: Vec<TermId> =
            arrays.iter().copied().filter(|&array| self.store.mentions_variables(array)).collect();
        let mut taken = FxHashSet::default();
        for term in self.store.postorder(&open) {
            if let Term::Var(name) = self.store.get(term) {
                taken.insert(name);
            }
        }
        let mut name = String::from("index");
        loop {
            let symbol = self.store.symbols.intern(&name);
            let is_open = self.lets == Lets::Expand && self.scopes.is_taken(symbol, self.env);
            if !is_open && !taken.contains(&symbol) {
                return self.store.var(symbol, sort);
            }
            name.push('!');
        }
    }

    fn count(
        &mut self,
        relation: Op,
        bound: &Int,
        weights: Option<&[Int]>,
        args: &[TermId],
        at: usize,
    ) -> Read<TermId> {
        if weights.is_some_and(|weights| weights.len() != args.len()) {
            return Err(Fault::new(at, "a weighted count takes one coefficient for each formula"));
        }
        let zero = self.store.int(&Int::ZERO);
        let mut summands = Vec::with_capacity(args.len());
        for (position, &arg) in args.iter().enumerate() {
            let weight = weights.map_or(Int::from(1u32), |weights| weights[position].clone());
            let weight = self.integer(&weight);
            let summand = self.store.op(core::ITE, &[arg, weight, zero]);
            summands.push(summand.map_err(|error| self.ill_sorted(&error, at))?);
        }
        let bound = self.integer(bound);
        let sum = match summands[..] {
            [only] => Ok(only),
            _ => self.store.op(ints::ADD, &summands),
        };
        let compared = sum.and_then(|sum| self.store.op(relation, &[sum, bound]));
        compared.map_err(|error| self.ill_sorted(&error, at))
    }

    /// An integer literal: a negative one is a negated numeral.
    fn integer(&mut self, value: &Int) -> TermId {
        let value = assay_term::Value::Int(value.clone());
        self.store.value(&value).expect("every integer can be written")
    }

    fn choice(&mut self, args: &[TermId], at: usize) -> Read<TermId> {
        let &[bit, yes, no] = args else {
            let message = format!("`bvite` takes 3 arguments, got {}", args.len());
            return Err(Fault::new(at, message));
        };
        let one = self.store.bit_vec(BitVec::from_u64(1, 1));
        let chosen = self.store.op(core::EQ, &[bit, one]);
        let chosen = chosen.and_then(|holds| self.store.op(core::ITE, &[holds, yes, no]));
        chosen.map_err(|error| self.ill_sorted(&error, at))
    }

    fn bits(&mut self, args: &[TermId], at: usize) -> Read<TermId> {
        let [one, zero] = [1, 0].map(|bit| self.store.bit_vec(BitVec::from_u64(1, bit)));
        let mut bits = Vec::with_capacity(args.len());
        for &arg in args.iter().rev() {
            let bit = self.store.op(core::ITE, &[arg, one, zero]);
            bits.push(bit.map_err(|error| self.ill_sorted(&error, at))?);
        }
        match bits[..] {
            [only] => Ok(only),
            _ => {
                let joined = self.store.op(bv::CONCAT, &bits);
                joined.map_err(|error| self.ill_sorted(&error, at))
            }
        }
    }
}
