//! Quantified formulas without a model: an instance of a universal sentence contradicts the others, or
//! every interpretation was tried.
//!
//! Which assertions are needed is shown by models: if each assertion of a contradiction is false in a
//! model of all others, it is part of every core, and together they are the only minimal one.

use super::grow::Grower;
use super::vocabulary::{Symbol, Vocabulary};
use crate::draw::Draw;
use crate::theory::LIMITS;
use assay_term::theories::core;
use assay_term::{Evaluator, Limits, Model, Replacements, Store, TermId};

/// Formulas without a common model.
pub(crate) struct Contradiction {
    pub(crate) assertions: Vec<TermId>,
    /// The positions of the only minimal core, if it is known.
    pub(crate) core: Option<Vec<usize>>,
}

/// Evaluation of quantified formulas takes more steps than that of others.
const STEPS: Limits = Limits { steps: 1_000_000, instances: 10_000, ..LIMITS };

/// Whether a formula holds; `None` if evaluation takes too long.
pub(crate) fn holds(store: &Store, model: &Model, formula: TermId) -> Option<bool> {
    Evaluator::new(store, model).with_limits(STEPS).holds(formula).ok()
}

/// Number of models that are tried for each contradiction, and of contradictions.
const MODELS: usize = 40;
const TRIES: usize = 30;

/// A contradiction whose core is known, if one is found; the error is a model of what should have
/// none.
pub(crate) fn contradiction(
    vocabulary: &Vocabulary,
    store: &mut Store,
    draw: &mut Draw,
    mut build: impl FnMut(&mut Store, &mut Draw) -> Vec<TermId>,
    mut noise: impl FnMut(&mut Store, &mut Draw) -> TermId,
) -> Result<Contradiction, Model> {
    let mut last = Vec::new();
    for _ in 0..TRIES {
        let needed = build(store, draw);
        let models: Vec<Model> = (0..MODELS).map(|_| vocabulary.model(draw)).collect();
        if let Some(witnesses) = witnesses(store, &needed, models)? {
            let mut assertions = needed;
            let core = assertions.len();
            for _ in 0..draw.below(3) {
                let formula = noise(store, draw);
                let truths = witnesses.iter().map(|model| holds(store, model, formula));
                match truths.collect::<Option<Vec<bool>>>() {
                    Some(truths) if truths.iter().all(|&truth| truth) => assertions.push(formula),
                    Some(truths) if truths.iter().all(|&truth| !truth) => {
                        assertions.push(negation(store, formula));
                    }
                    _ => {}
                }
            }
            return Ok(shuffled(draw, assertions, core));
        }
        last = needed;
    }
    Ok(Contradiction { assertions: last, core: None })
}

/// For each formula a model of all others, if these are found.
fn witnesses(
    store: &Store,
    formulas: &[TermId],
    models: Vec<Model>,
) -> Result<Option<Vec<Model>>, Model> {
    let mut found: Vec<Option<Model>> = vec![None; formulas.len()];
    for model in models {
        let truths: Option<Vec<bool>> =
            formulas.iter().map(|&formula| holds(store, &model, formula)).collect();
        let Some(truths) = truths else { continue };
        let mut wrong = truths.iter().enumerate().filter(|(_, holds)| !**holds).map(|(at, _)| at);
        match (wrong.next(), wrong.next()) {
            (None, _) => return Err(model),
            (Some(only), None) => found[only] = found[only].take().or(Some(model)),
            _ => {}
        }
    }
    Ok(found.into_iter().collect())
}

/// The assertions in another order; the first of them are the core.
fn shuffled(draw: &mut Draw, mut assertions: Vec<TermId>, core: usize) -> Contradiction {
    let mut order: Vec<usize> = (0..assertions.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, draw.below(at + 1));
    }
    assertions = order.iter().map(|&from| assertions[from]).collect();
    let positions = (0..assertions.len()).filter(|&at| order[at] < core).collect();
    Contradiction { assertions, core: Some(positions) }
}

fn negation(store: &mut Store, formula: TermId) -> TermId {
    store.op(core::NOT, &[formula]).expect("a formula can be negated")
}

impl Grower<'_> {
    /// Closed terms for variables.
    fn instance(&mut self, vars: &[TermId]) -> Replacements {
        let sort = |grower: &Self, var: TermId| grower.store.sort(var);
        let mut by = Replacements::default();
        for &var in vars {
            let sort = sort(self, var);
            let depth = self.draw.below(3);
            let term = self.term(sort, depth);
            by.insert(var, term);
        }
        by
    }

    fn instantiated(&mut self, formula: TermId, by: &Replacements) -> TermId {
        self.store.replace(formula, &mut by.clone())
    }

    /// A universal sentence, and the negation of an instance, whole or in parts.
    pub(crate) fn instance_contradiction(&mut self) -> Vec<TermId> {
        let (vars, guard) = self.open(2, 2);
        let by = self.instance(&vars);
        if self.draw.below(2) == 0 {
            let instance = self.instantiated(guard, &by);
            return vec![self.forall(&vars, guard), self.not(instance)];
        }
        let body = self.another(&vars, 2);
        let implication = self.op(core::IMPLIES, &[guard, body]);
        let sentence = self.forall(&vars, implication);
        let given = self.instantiated(guard, &by);
        let instance = self.instantiated(body, &by);
        vec![sentence, given, self.not(instance)]
    }

    /// `∀x ∃y φ(x, y)` and `∀y ¬φ(t, y)`, or `∀x ∀y φ(x, y)` and `∃y ¬φ(t, y)`.
    pub(crate) fn nested_contradiction(&mut self) -> Vec<TermId> {
        let (vars, body) = loop {
            let (vars, body) = self.open(2, 2);
            if vars.len() == 2 {
                break (vars, body);
            }
        };
        let (outer, inner) = vars.split_at(1);
        let by = self.instance(outer);
        let opposite = self.not(body);
        let denied = self.instantiated(opposite, &by);
        let body_instance = self.instantiated(body, &by);
        let (first, second) = match self.draw.below(3) {
            0 => (self.exists(inner, body), self.forall(inner, denied)),
            1 => {
                let some = self.exists(inner, body_instance);
                (self.exists(inner, body), self.not(some))
            }
            _ => (self.forall(inner, body), self.exists(inner, denied)),
        };
        vec![self.forall(outer, first), second]
    }

    /// Implications that lead from one ground formula to another, step by step.
    pub(crate) fn chain_contradiction(&mut self) -> Vec<TermId> {
        let (vars, first) = self.open(1, 2);
        let by = self.instance(&vars);
        let sort = self.store.sort(vars[0]);
        let steps = self.draw.between(2, 3);
        if let (Some(step), 0) = (self.endofunction(sort), self.draw.below(2)) {
            // What holds of a value holds of its image.
            let next = self.store.app(step.func, &vars).expect("the sorts are right");
            let mut image = by[&vars[0]];
            for _ in 0..steps {
                image = self.store.app(step.func, &[image]).expect("the sorts are right");
            }
            let moved = self.instantiated(first, &[(vars[0], next)].into_iter().collect());
            let implication = self.op(core::IMPLIES, &[first, moved]);
            let sentence = self.forall(&vars, implication);
            let given = self.instantiated(first, &by);
            let last = self.instantiated(first, &[(vars[0], image)].into_iter().collect());
            return vec![sentence, given, self.not(last)];
        }
        let mut formulas = vec![first];
        let mut sentences = Vec::new();
        for _ in 0..steps {
            let next = self.another(&vars, 1);
            let before = *formulas.last().expect("there is a first one");
            let implication = self.op(core::IMPLIES, &[before, next]);
            sentences.push(self.forall(&vars, implication));
            formulas.push(next);
        }
        let given = self.instantiated(first, &by);
        let last = self.instantiated(formulas[steps], &by);
        sentences.push(given);
        sentences.push(self.not(last));
        sentences
    }
}

/// Maximum number of interpretations that are tried.
const MOST_INTERPRETATIONS: u64 = 512;

/// Declared symbols with few interpretations together, and all of these.
pub(crate) fn few_interpretations<'v>(
    vocabulary: &'v Vocabulary,
    draw: &mut Draw,
) -> (Vec<&'v Symbol>, Vec<Model>) {
    use super::vocabulary::Meaning;
    let (fixed, mut declared): (Vec<&Symbol>, Vec<&Symbol>) =
        vocabulary.symbols.iter().partition(|symbol| symbol.meaning == Meaning::Fixed);
    let mut chosen = fixed;
    let mut models = vec![Model::new()];
    while !declared.is_empty() {
        let symbol = declared.swap_remove(draw.below(declared.len()));
        let left = MOST_INTERPRETATIONS / models.len() as u64;
        let count = vocabulary.interpretations(symbol, left + 1);
        if count > left {
            continue;
        }
        chosen.push(symbol);
        let extended = |model: &Model| {
            let model = model.clone();
            (0..count).map(move |number| {
                let mut rest = usize::try_from(number).expect("few interpretations");
                let meaning = vocabulary.interpret(symbol, |values| {
                    let choice = rest % values;
                    rest /= values;
                    choice
                });
                let mut model = model.clone();
                model.set(symbol.func, meaning);
                model
            })
        };
        models = models.iter().flat_map(extended).collect();
    }
    (chosen, models)
}

/// Sentences until no interpretation is left in which all hold. None if evaluation takes too long.
pub(crate) fn exhausted(
    store: &mut Store,
    draw: &mut Draw,
    models: &[Model],
    mut sentence: impl FnMut(&mut Store, &mut Draw) -> TermId,
) -> Option<Contradiction> {
    let mut assertions: Vec<TermId> = Vec::new();
    let mut left: Vec<&Model> = models.iter().collect();
    while let Some(&model) = left.first() {
        let formula = sentence(store, draw);
        // False in one of the remaining interpretations, so that fewer are left.
        let formula = match holds(store, model, formula)? {
            true => negation(store, formula),
            false => formula,
        };
        let mut stay = Vec::new();
        for model in left {
            if holds(store, model, formula)? {
                stay.push(model);
            }
        }
        left = stay;
        assertions.push(formula);
    }
    // How many of the assertions are false in each interpretation, and which ones.
    let mut needed = vec![false; assertions.len()];
    let mut refuted = Vec::new();
    for model in models {
        let mut wrong = Vec::new();
        for (at, &assertion) in assertions.iter().enumerate() {
            if !holds(store, model, assertion)? {
                wrong.push(at);
            }
        }
        if let [only] = wrong.as_slice() {
            needed[*only] = true;
        }
        refuted.push(wrong);
    }
    let is_core = refuted.iter().all(|wrong| wrong.iter().any(|&at| needed[at]));
    let core = (0..assertions.len()).filter(|&at| needed[at]).collect();
    Some(Contradiction { assertions, core: is_core.then_some(core) })
}
