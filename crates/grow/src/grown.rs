//! The suite `grown`: formulas that a model satisfies, which is drawn with them.

use crate::grower::Grower;
use crate::literals::{Facts, close};
use crate::numbering::{GrowError, Numbering, Terms};
use crate::plan::Plan;
use crate::script::{Logic, Mentioned, satisfiable};
use crate::{GrowOptions, LEAST_DEPTH, LEAST_SIZE};
use assay_case::{
    CaseId, Category, Expected, Formula, MakeError, Oracle, Origin, Selection, Suite, TestCase,
    Witness, check_model,
};
use assay_mutate::{Draw, Pool};
use assay_term::theories::core;
use assay_term::{Interpretation, Model, SortId, Store, Term, TermId};
use std::sync::Arc;

/// The suite `grown`.
pub struct Grown {
    numbering: Numbering,
    pools: Vec<Pool>,
}

/// Of this many assertions, one has a part under a name.
const LETS: usize = 3;

impl Grown {
    /// Its name.
    pub const NAME: &'static str = "grown";

    /// Reads the signatures.
    ///
    /// # Errors
    /// Where one of them cannot be read.
    pub fn new(options: GrowOptions) -> Result<Grown, GrowError> {
        let numbering = Numbering::new(options, Terms::Random)?;
        let pools = numbering.rows().iter().map(|_| Pool::default()).collect();
        Ok(Grown { numbering, pools })
    }
}

/// The shape of a case.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) depth: u32,
    pub(crate) size: usize,
    pub(crate) assertions: usize,
}

impl Shape {
    /// Small numbers are more frequent than large ones.
    pub(crate) fn draw(draw: &mut Draw, options: &GrowOptions) -> Shape {
        let depths = (options.depth.max(LEAST_DEPTH) - LEAST_DEPTH) as usize + 1;
        let deep = draw.below(depths).min(draw.below(depths));
        let sizes = options.size.max(LEAST_SIZE) - LEAST_SIZE;
        let few = (sizes >> draw.below(4)) + 1;
        let most = options.assertions.max(1);
        Shape {
            depth: (LEAST_DEPTH + deep as u32).min(options.depth),
            size: (LEAST_SIZE + draw.below(few)).min(options.size),
            assertions: 1 + draw.below(most).min(draw.below(most)),
        }
    }
}

/// Formulas that hold under a model.
pub(crate) struct Held {
    pub(crate) assertions: Vec<TermId>,
    pub(crate) model: Model,
    /// What was grown for them.
    pub(crate) made: Vec<TermId>,
}

/// Grows formulas that hold; `None` if no term has a known value.
pub(crate) fn held(
    plan: &Plan,
    store: &mut Store,
    draw: &mut Draw,
    shape: Shape,
    index: u64,
) -> Option<Held> {
    let mut grower = Grower::new(plan, store, draw, shape.size);
    let mut before = Vec::new();
    let mut model = plan.values.world().clone();
    close(&mut model, grower.draw.below(6));
    let variables: Vec<TermId> = grower.variables().collect();
    let symbols = variables.into_iter().filter_map(|term| function(grower.store, term));
    for func in symbols.chain(plan.functions.iter().copied()).collect::<Vec<_>>() {
        let meaning = plan.values.meaning(grower.store, grower.draw, func, &mut before)?;
        model.set(func, meaning);
    }
    let mut terms: Vec<TermId> = Vec::new();
    terms.extend(plan.focus(index).and_then(|pair| grower.focus(pair, shape.depth)));
    for _ in 0..shape.assertions.div_ceil(2) {
        terms.extend(grower.root(shape.depth));
    }
    let mut assertions = defined(&mut grower, &mut model, &mut terms);
    grower.allow(shape.size / 2);
    for _ in 0..shape.assertions / 2 {
        terms.extend(grower.root(shape.depth));
    }
    let parts: Vec<TermId> = grower.made.iter().copied().chain(grower.variables()).collect();
    let facts = Facts::of(grower.store, &model, parts.into_iter().chain(terms.iter().copied()));
    for &term in &terms {
        let Some(mut formula) = grower.literal(&facts, term) else { continue };
        while grower.draw.one_in(3) {
            formula = grower.joined(&facts, formula);
        }
        if grower.draw.one_in(LETS) {
            formula = grower.with_let(formula);
        }
        if !assertions.contains(&formula) {
            assertions.push(formula);
        }
    }
    let made = std::mem::take(&mut grower.made);
    (!assertions.is_empty()).then_some(Held { assertions, model, made })
}

/// Equations of some of the terms with variables that have their values, which later terms may mention.
/// The terms with an equation are taken away.
fn defined(grower: &mut Grower<'_>, model: &mut Model, terms: &mut Vec<TermId>) -> Vec<TermId> {
    let facts = Facts::of(grower.store, model, terms.iter().copied());
    let mut equations = Vec::new();
    terms.retain(|&term| {
        let sort = grower.store.sort(term);
        if sort == SortId::REGLAN || grower.draw.one_in(3) {
            return true;
        }
        let Some(value) = facts.value(term) else { return true };
        let Some(variable) = grower.fresh(sort) else { return true };
        let sides = if grower.draw.one_in(2) { [variable, term] } else { [term, variable] };
        let equation = grower.store.op(core::EQ, &sides);
        let func = function(grower.store, variable);
        let (Ok(equation), Some(func)) = (equation, func) else { return true };
        model.set(func, Interpretation::Value(value.clone()));
        equations.push(equation);
        false
    });
    equations
}

/// The symbol of a constant.
fn function(store: &Store, term: TermId) -> Option<assay_term::FuncId> {
    match store.get(term) {
        Term::App(func, []) => Some(func),
        _ => None,
    }
}

impl Grower<'_> {
    /// A term for an assertion: a formula, or a term of another sort.
    pub(crate) fn root(&mut self, depth: u32) -> Option<TermId> {
        let sorts = self.plan.signature.sorts();
        let sort = match self.draw.below(4) {
            0 | 1 => SortId::BOOL,
            2 if !self.plan.structured.is_empty() => *self.draw.of(&self.plan.structured)?,
            _ => *self.draw.of(sorts)?,
        };
        self.term(sort, depth)
    }
}

/// The part of a model that is about what a formula mentions.
pub(crate) fn restricted(store: &Store, model: &Model, mentioned: &Mentioned) -> Model {
    let mut part = Model::new();
    for (sort, elements) in model.universes() {
        if mentioned.needs_elements(store, sort) {
            part.set_universe(sort, elements.to_vec());
        }
    }
    for (func, meaning) in model.iter() {
        if mentioned.functions.contains(&func) {
            part.set(func, meaning.clone());
        }
    }
    for (op, sort, meaning) in model.opens() {
        if mentioned.operators.contains(&(op, sort)) {
            part.set_open(op, sort, meaning.clone());
        }
    }
    part
}

/// The logic that a case declares.
pub(crate) fn logic(draw: &mut Draw) -> Logic {
    if draw.one_in(2) { Logic::All } else { Logic::Smallest }
}

impl Suite for Grown {
    fn name(&self) -> &str {
        Grown::NAME
    }

    fn categories(&self) -> Vec<Category> {
        self.numbering.categories(Expected::Sat)
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        self.numbering.cases(selection)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let (part, index) = self.numbering.locate(id, self.name())?;
        let plan = self.numbering.plan(part)?;
        let options = &self.numbering.options;
        let mut draw = Draw::new(&[options.rng, part as u64, index]);
        let mut shared = self.pools[part].take(&plan.store);
        let store = Arc::get_mut(&mut shared).expect("nobody else has it");
        let shape = Shape::draw(&mut draw, options);
        let held = held(plan, store, &mut draw, shape, index);
        let made = held.map(|held| {
            let mentioned = Mentioned::by(store, &held.assertions);
            let logic = logic(&mut draw);
            let script = satisfiable(&plan.signature, store, &mentioned, &held.assertions, logic);
            (script, restricted(store, &held.model, &mentioned))
        });
        self.pools[part].put(&shared);
        let Some((script, model)) = made else {
            return Err(MakeError::Unsuitable("no term of it has a known value".to_owned()));
        };
        let formula = Formula::from_parts(shared, script, Arc::clone(&plan.env));
        let row = &self.numbering.rows()[part];
        let name = format!("{}-{index}", row.name);
        let witness = match check_model(&formula, model) {
            Ok(witness) => witness,
            Err(fault @ assay_case::ModelFault::False(_)) => {
                let text = formula.text();
                return Err(MakeError::fault(format!(
                    "{name}: the witness is wrong: {fault}\n{text}"
                )));
            }
            Err(_) => {
                let words = "the value of an assertion is not known";
                return Err(MakeError::Unsuitable(words.to_owned()));
            }
        };
        let origin = Origin {
            suite: self.name().to_owned(),
            category: row.category.clone(),
            seed: options.rng,
            index: id.index,
            ..Origin::default()
        };
        TestCase::formula(name, formula, Oracle::Sat(Witness::Checked(witness)), origin)
            .map_err(MakeError::fault)
    }
}
