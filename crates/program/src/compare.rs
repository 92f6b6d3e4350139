//! Compares the C text with the formula: each assertion separately, as its own program, on values that
//! the formula suggests. A program may require more than its formula, never less.

use crate::c::{self, End, Limits};
use crate::lower::{Lowerer, Style};
use crate::program::{Unfit, feed};
use crate::shape::{Parts, Piece, Scope, Shape, Variable, shaped};
use crate::witness::answers;
use assay_forge::rules::random_value;
use assay_mutate::Draw;
use assay_term::theories::fp;
use assay_term::value::{ArrayValue, Default, Entries};
use assay_term::{
    Evaluator, Func, FuncId, Interpretation, Model, Sort, SortId, Store, Term, TermId, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// An assertion with the constants in it.
pub(crate) struct Part {
    pub(crate) assertion: TermId,
    pub(crate) constants: Vec<(FuncId, TermId)>,
}

/// Literals by sort.
pub(crate) type Literals = FxHashMap<SortId, Vec<Value>>;

/// How assertions are written, and their context.
pub(crate) struct Comparison<'b> {
    pub(crate) store: &'b Store,
    pub(crate) definitions: &'b Model,
    pub(crate) style: Style,
    pub(crate) whole_arrays: bool,
    /// A model, if there is one: values near it matter most.
    pub(crate) model: Option<&'b Model>,
}

/// Number of models tried on each assertion, and on a program without a model.
pub(crate) const MODELS: usize = 4;

impl Comparison<'_> {
    /// Tests assertions one by one.
    ///
    /// # Errors
    /// If an assertion holds as C where the formula does not, or its program misbehaves.
    pub(crate) fn compare(&self, parts: &[Part], draw: &mut Draw) -> Result<(), Unfit> {
        let literals = self.literals(parts.iter().map(|part| part.assertion));
        for part in parts {
            self.compare_one(part, &literals, draw)?;
        }
        Ok(())
    }

    fn compare_one(&self, part: &Part, literals: &Literals, draw: &mut Draw) -> Result<(), Unfit> {
        let mut lowerer = Lowerer::new(self.store, self.definitions, self.style);
        if self.whole_arrays {
            lowerer = lowerer.with_whole_arrays();
        }
        let declared = lowerer.declare(&part.constants)?;
        let steps = lowerer.assert(&[part.assertion])?;
        let variable = |(ty, name, reading)| Variable { ty, name, reading };
        let variables = declared.into_iter().map(variable).collect();
        let pieces = vec![Piece { variables, steps }];
        let place = u32::try_from(lowerer.inputs.len()).expect("a program has few inputs");
        let helpers = std::mem::take(&mut lowerer.helpers.functions);
        let parts = Parts { scope: Scope::Local, shared: Vec::new(), pieces, helpers, place };
        let unit = shaped(Shape::Straight, parts, draw).unit;
        let limits = Limits { portable: self.style.well_defined, ..Limits::default() };
        for _ in 0..MODELS {
            let model = self.near(&part.constants, literals, draw);
            // A model with values that C cannot represent decides nothing.
            let Ok(answers) = answers(self.store, &model, &lowerer) else { continue };
            let execution = c::run(&unit, &mut feed(answers), limits).map_err(Unfit::Unsound)?;
            if execution.end != End::Reached {
                continue;
            }
            if self.fails(&model, part.assertion) {
                return Err(Unfit::Weaker);
            }
        }
        Ok(())
    }

    /// Whether an assertion is false.
    pub(crate) fn fails(&self, model: &Model, assertion: TermId) -> bool {
        let said = Evaluator::new(self.store, model).completing().eval(assertion);
        matches!(said, Ok(Value::Bool(false)))
    }

    /// Values for the constants: from the model, from literals, or random.
    pub(crate) fn near(
        &self,
        constants: &[(FuncId, TermId)],
        literals: &Literals,
        draw: &mut Draw,
    ) -> Model {
        let mut model = self.definitions.clone();
        for &(func, term) in constants {
            let sort = self.store.sort(term);
            // Entries at indices that the program does not distinguish would have no effect.
            if matches!(self.store.sorts.get(sort), Sort::Array(..)) {
                if let Some(value) = self.constant(sort, draw) {
                    model.set(func, Interpretation::Value(value));
                }
                continue;
            }
            let known = self.model.and_then(|model| model.get(func)).cloned();
            let literal = literals.get(&sort).and_then(|values| draw.of(values)).cloned();
            let value = match draw.below(4) {
                0 => None,
                1 => known,
                _ => literal.map(Interpretation::Value),
            };
            let any = || random_value(draw.rng(), self.store, sort).map(Interpretation::Value);
            if let Some(value) = value.or_else(any) {
                model.set(func, value);
            }
        }
        model
    }

    /// An array with the same value everywhere, or a random one.
    fn constant(&self, sort: SortId, draw: &mut Draw) -> Option<Value> {
        let Sort::Array(_, element) = self.store.sorts.get(sort) else {
            return random_value(draw.rng(), self.store, sort);
        };
        let default = Default::Element(self.constant(*element, draw)?);
        Some(Value::Array(Arc::new(ArrayValue { sort, default, entries: Entries::new() })))
    }

    /// Whether a term is a floating-point number in its fields, or a named one.
    fn is_float_literal(&self, term: TermId) -> bool {
        let is_literal = |&part: &TermId| matches!(self.store.get(part), Term::Literal(_));
        match self.store.operator(term) {
            Some((fp::FP, fields)) => fields.iter().all(is_literal),
            Some((fp::NAN | fp::PLUS_INFINITY | fp::MINUS_INFINITY, _)) => true,
            Some((fp::PLUS_ZERO | fp::MINUS_ZERO, _)) => true,
            _ => false,
        }
    }

    /// The literals of the assertions, by sort.
    pub(crate) fn literals(&self, assertions: impl Iterator<Item = TermId>) -> Literals {
        let mut found = Literals::default();
        let mut seen = FxHashSet::default();
        let mut work: Vec<TermId> = assertions.collect();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.store.get(term) {
                Term::Literal(value) => {
                    found.entry(self.store.sort(term)).or_default().push(value.clone());
                }
                Term::App(func, _) => {
                    if self.is_float_literal(term) {
                        let value = Evaluator::new(self.store, self.definitions).eval(term);
                        found.entry(self.store.sort(term)).or_default().extend(value);
                        continue;
                    }
                    let defined = match (self.store.func(func), self.definitions.get(func)) {
                        (Func::Declared { .. }, Some(Interpretation::Definition { body, .. })) => {
                            Some(*body)
                        }
                        _ => None,
                    };
                    work.extend(defined);
                }
                _ => {}
            }
            work.extend(self.store.children(term));
        }
        found
    }
}
