//! What a formula needs of a tool, read off its sorts, operators and commands.

use crate::spec::{Feature, Features};
use assay_smtlib::Command;
use assay_term::float::Format;
use assay_term::theories::{Theory, arrays, bv, core, ints, reals, regex};
use assay_term::{Func, Op, Sort, SortId, Store, Term, TermId};
use std::collections::{BTreeSet, HashSet};

/// The features that a tool must have to understand these commands and terms.
#[must_use]
pub fn needs(store: &Store, commands: &[Command], terms: &[TermId]) -> Features {
    let mut needs = Needs { store, features: Features::new(), seen: HashSet::new() };
    for command in commands {
        needs.command(command);
    }
    for term in store.postorder(terms) {
        needs.term(term);
    }
    needs.features
}

/// The operators that occur in the terms.
#[must_use]
pub fn operators(store: &Store, terms: &[TermId]) -> BTreeSet<Op> {
    let operator = |term: TermId| match store.get(term) {
        Term::App(func, _) => match store.func(func) {
            Func::Op(op, _) => Some(*op),
            _ => None,
        },
        _ => None,
    };
    store.postorder(terms).into_iter().filter_map(operator).collect()
}

struct Needs<'n> {
    store: &'n Store,
    features: Features,
    seen: HashSet<SortId>,
}

impl Needs<'_> {
    fn add(&mut self, feature: Feature) {
        self.features.insert(feature);
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Push(_) | Command::Pop(_) => self.add(Feature::Scopes),
            Command::AssertSoft { .. } => self.add(Feature::SoftAssertions),
            Command::Minimize(..) | Command::Maximize(..) => self.add(Feature::Objectives),
            Command::DefineFunRec(_) | Command::DefineFunsRec(_) => {
                self.add(Feature::RecursiveFunctions);
            }
            Command::DeclareFun(func) | Command::DeclareConst(func) => {
                let Func::Declared { params, result, .. } = self.store.func(*func) else { return };
                if !params.is_empty() {
                    self.add(Feature::UninterpretedFunctions);
                }
                for &sort in params.iter().chain([result]) {
                    self.sort(sort);
                    if self.holds_languages(sort) {
                        self.add(Feature::RegexVariables);
                    }
                }
            }
            _ => {}
        }
    }

    fn term(&mut self, term: TermId) {
        self.sort(self.store.sort(term));
        match self.store.get(term) {
            Term::Quant(..) => self.add(Feature::Quantifiers),
            Term::App(func, args) => {
                if let Func::Op(op, _) = self.store.func(func) {
                    self.operator(*op, args);
                }
            }
            _ => {}
        }
    }

    fn operator(&mut self, op: Op, args: &[TermId]) {
        let variable = |&&arg: &&TermId| !self.is_number(arg);
        match op {
            ints::MUL if args.iter().filter(variable).count() > 1 => {
                self.add(Feature::Nonlinear);
            }
            ints::DIV | ints::MOD | reals::DIVIDE
                if args.iter().skip(1).any(|arg| variable(&arg)) =>
            {
                self.add(Feature::Nonlinear);
            }
            ints::POW if !matches!(self.store.get(args[1]), Term::Literal(_)) => {
                self.add(Feature::ExponentsOfTerms);
            }
            arrays::CONST => {
                self.add(Feature::ConstantArrays);
                if !args.iter().all(|&arg| self.is_value(arg)) {
                    self.add(Feature::ConstantArraysOfTerms);
                }
            }
            regex::RANGE if !args.iter().all(|&arg| self.is_value(arg)) => {
                self.add(Feature::Regex);
                self.add(Feature::RegexRangesOfTerms);
            }
            bv::UBV_TO_INT | bv::SBV_TO_INT | bv::INT_TO_BV => {
                self.add(Feature::BitVectorConversions);
            }
            core::EQ | core::DISTINCT
                if args.iter().any(|&arg| self.holds_languages(self.store.sort(arg))) =>
            {
                self.add(Feature::RegexVariables);
            }
            _ if op.theory() == Theory::Regex => self.add(Feature::Regex),
            _ => {}
        }
    }

    /// Whether the term is a value as it is written: a literal, or a symbol that stands for one.
    fn is_value(&self, term: TermId) -> bool {
        match self.store.get(term) {
            Term::Literal(_) => true,
            Term::App(func, args) => {
                let builtin = matches!(self.store.func(func), Func::Op(..) | Func::Constructor(..));
                builtin && args.is_empty()
            }
            _ => false,
        }
    }

    /// Whether the term is a number as it is written: a literal, negated or divided.
    fn is_number(&self, term: TermId) -> bool {
        match self.store.get(term) {
            Term::Literal(_) => true,
            Term::App(func, args) => {
                matches!(
                    self.store.func(func),
                    Func::Op(ints::SUB | reals::DIVIDE | reals::TO_REAL, _)
                ) && args.iter().all(|&arg| self.is_number(arg))
            }
            _ => false,
        }
    }

    fn sort(&mut self, sort: SortId) {
        if !self.seen.insert(sort) {
            return;
        }
        match self.store.sorts.get(sort).clone() {
            Sort::Bool | Sort::Param(_) => {}
            Sort::Int => self.add(Feature::Ints),
            Sort::Real => self.add(Feature::Reals),
            Sort::RoundingMode => self.add(Feature::Floats),
            Sort::Float(format) => {
                self.add(Feature::Floats);
                match format {
                    Format::FLOAT32 | Format::FLOAT64 => {}
                    Format::FLOAT16 | Format::FLOAT128 => self.add(Feature::HalfAndQuadFloats),
                    _ => self.add(Feature::FloatFormats),
                }
            }
            Sort::String => self.add(Feature::Strings),
            Sort::RegLan => self.add(Feature::Regex),
            Sort::BitVec(_) => self.add(Feature::BitVectors),
            Sort::Array(index, element) => {
                self.add(Feature::Arrays);
                self.sort(index);
                self.sort(element);
            }
            Sort::Fun(argument, result) => {
                self.add(Feature::HigherOrder);
                self.sort(argument);
                self.sort(result);
            }
            Sort::Seq(element) => {
                self.add(Feature::Sequences);
                self.sort(element);
            }
            Sort::Set(element) => {
                self.add(Feature::Sets);
                self.sort(element);
            }
            Sort::Bag(element) => {
                self.add(Feature::Bags);
                self.sort(element);
            }
            Sort::FiniteField(_) => self.add(Feature::FiniteFields),
            Sort::Tuple(parts) => {
                self.add(Feature::Tuples);
                parts.iter().for_each(|&part| self.sort(part));
            }
            Sort::Nullable(element) => {
                self.add(Feature::Nullables);
                self.sort(element);
            }
            Sort::Declared(_, args) => {
                let fields = self.fields(sort);
                let kind =
                    fields.as_ref().map_or(Feature::UninterpretedSorts, |_| Feature::Datatypes);
                self.add(kind);
                args.iter().copied().chain(fields.unwrap_or_default()).for_each(|s| self.sort(s));
            }
        }
    }

    /// The sorts of a datatype's fields, as declared.
    fn fields(&self, sort: SortId) -> Option<Vec<SortId>> {
        let (_, datatype, _) = self.store.sorts.datatype(sort)?;
        let fields = datatype.constructors.iter().flat_map(|c| c.fields.iter().map(|f| f.1));
        Some(fields.collect())
    }

    /// Whether values of the sort hold regular languages.
    fn holds_languages(&self, sort: SortId) -> bool {
        match self.store.sorts.get(sort) {
            Sort::RegLan => true,
            Sort::Declared(..) => false,
            shape => shape.parts().into_iter().any(|part| self.holds_languages(part)),
        }
    }
}
