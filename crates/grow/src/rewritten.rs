//! The suite `rewritten`: a random term, and what steps of certified equalities make of it, are said to
//! differ.
//!
//! Why a formula is unsatisfiable: each step replaces a part by one that equals it, if the step's side
//! condition holds, and either the condition is asserted or the step is taken under an `ite` about it. So the
//! terms are equal under every assignment that satisfies the other assertions. These are satisfied by a
//! model that is drawn with them, so that the core is known.

use crate::grown::{Shape, held, logic};
use crate::literals::Facts;
use crate::numbering::{GrowError, Numbering, Terms};
use crate::plan::Plan;
use crate::script::{Mentioned, Stated, assertion_name, unsatisfiable};
use crate::{GrowOptions, LEAST_SIZE};
use assay_case::{
    CaseId, Category, Expected, ExpectedCore, Formula, MakeError, Oracle, Origin, Selection, Suite,
    TestCase, Why,
};
use assay_mutate::{Draw, Pool};
use assay_term::theories::core;
use assay_term::{Model, Replacements, SortId, Store, Term, TermId, Value};
use std::sync::Arc;

/// The suite `rewritten`.
pub struct Rewritten {
    numbering: Numbering,
    pools: Vec<Pool>,
}

/// Number of terms that are tried.
const TERMS: usize = 6;

/// Number of places tried for one step.
const PLACES: usize = 12;

/// A rewritten term has at most this many times the parts that are wanted.
const GROWTH: usize = 3;

/// Number of assertions in addition to the contradiction.
const BESIDE: usize = 2;

impl Rewritten {
    /// Its name.
    pub const NAME: &'static str = "rewritten";

    /// Reads the signatures.
    ///
    /// # Errors
    /// Where one of them cannot be read.
    pub fn new(options: GrowOptions) -> Result<Rewritten, GrowError> {
        let numbering = Numbering::new(options, Terms::Rewritten)?;
        let pools = numbering.rows().iter().map(|_| Pool::default()).collect();
        Ok(Rewritten { numbering, pools })
    }
}

/// A term and another that equals it.
struct Pair {
    sides: [TermId; 2],
    /// What has to hold for that.
    conditions: Vec<TermId>,
    rules: Vec<String>,
}

/// A contradiction among other assertions.
struct Refuted {
    stated: Vec<Stated>,
    core: Vec<String>,
    rules: Vec<String>,
}

/// Whether a formula holds under a model.
fn holds(store: &Store, model: &Model, formula: TermId) -> bool {
    let facts = Facts::of(store, model, [formula].into_iter());
    facts.value(formula).and_then(Value::as_bool) == Some(true)
}

/// Applies steps to a term.
fn rewritten(
    plan: &Plan,
    store: &mut Store,
    draw: &mut Draw,
    (term, model): (TermId, &Model),
    (steps, size): (usize, usize),
) -> Option<Pair> {
    let mut fill = |_: &mut Store, draw: &mut Draw, sort: SortId| {
        let (variables, constants) = (plan.variables(sort), plan.signature.constants(sort));
        match draw.one_in(2) {
            true => draw.of(&variables[..variables.len().min(2)]).or(draw.of(constants)).copied(),
            false => draw.of(constants).or(draw.of(variables)).copied(),
        }
    };
    let mut pair = Pair { sides: [term, term], conditions: Vec::new(), rules: Vec::new() };
    for _ in 0..=draw.below(steps) {
        let parts = store.postorder(&[pair.sides[1]]);
        let step = (0..PLACES).find_map(|_| {
            let part = *draw.of(&parts)?;
            let equal = plan.equalities.step(store, draw, part, &mut fill)?;
            Some((part, equal))
        });
        let Some((part, equal)) = step else { break };
        let asserted = match equal.when {
            Some(when) if draw.one_in(2) && !store.mentions_variables(when) => {
                holds(store, model, when).then_some(when)
            }
            _ => None,
        };
        let new = match asserted {
            Some(_) => equal.new,
            None => equal.guarded(store, part)?,
        };
        let mut by = Replacements::from_iter([(part, new)]);
        let Ok(next) = store.replaced(pair.sides[1], &mut by) else { continue };
        if next == term || store.postorder(&[next]).len() > size * GROWTH {
            continue;
        }
        pair.sides[1] = next;
        pair.rules.push(equal.rule);
        pair.conditions.extend(asserted);
    }
    (pair.sides[0] != pair.sides[1]).then_some(pair)
}

/// A contradiction; `None` if no equality applies.
fn refuted(
    plan: &Plan,
    store: &mut Store,
    draw: &mut Draw,
    options: &GrowOptions,
    index: u64,
) -> Result<Option<Refuted>, MakeError> {
    let shape = Shape::draw(draw, options);
    let shape = Shape { assertions: shape.assertions.min(BESIDE), ..shape };
    let Some(held) = held(plan, store, draw, shape, index) else { return Ok(None) };
    let fitting = |&term: &TermId| {
        store.sort(term) != SortId::REGLAN && !matches!(store.get(term), Term::Literal(_))
    };
    // Later terms are mostly larger.
    let terms: Vec<TermId> = held.made.iter().copied().filter(fitting).collect();
    if terms.is_empty() {
        return Ok(None);
    }
    let size = shape.size.max(LEAST_SIZE);
    let pair = (0..TERMS).find_map(|_| {
        let at = draw.below(terms.len()).max(draw.below(terms.len()));
        rewritten(plan, store, draw, (terms[at], &held.model), (options.steps, size))
    });
    let Some(Pair { mut sides, conditions, rules }) = pair else { return Ok(None) };
    let different =
        store.op(core::DISTINCT, &sides).map_err(|e| MakeError::fault(store.explain(&e)))?;
    if holds(store, &held.model, different) {
        let shown = assay_smtlib::Printer::new(store).term(different);
        let rules = rules.join(", ");
        return Err(MakeError::fault(format!("a step of {rules} changed a value: {shown}")));
    }
    if draw.one_in(2) {
        sides.swap(0, 1);
    }
    let (mut clash, mut needed) = (Vec::new(), 1);
    let beside = [held.assertions.as_slice(), &conditions].concat();
    let linked = match draw.one_in(3) {
        true => linked(plan, store, &held.model, sides, &beside),
        false => None,
    };
    match linked {
        Some(two) => {
            clash.extend(two);
            needed = 2;
        }
        None => clash.push(clashing(store, draw, sides)?),
    }
    let mut named = held.assertions;
    named.retain(|beside| !clash.contains(beside));
    named.truncate(options.assertions.saturating_sub(needed));
    let at = draw.below(named.len() + 1);
    named.splice(at..at, clash);
    let core = (at..at + needed).map(assertion_name).collect();
    let names = named.iter().map(|&term| Stated { term, is_named: true });
    let unnamed = conditions.iter().map(|&term| Stated { term, is_named: false });
    Ok(Some(Refuted { stated: unnamed.chain(names).collect(), core, rules }))
}

/// A formula that says that two equal terms differ.
fn clashing(store: &mut Store, draw: &mut Draw, sides: [TermId; 2]) -> Result<TermId, MakeError> {
    let made = match draw.below(3) {
        0 => store.op(core::EQ, &sides).and_then(|equal| store.op(core::NOT, &[equal])),
        1 if store.sort(sides[0]) == SortId::BOOL => store.op(core::XOR, &sides),
        _ => store.op(core::DISTINCT, &sides),
    };
    made.map_err(|error| MakeError::fault(store.explain(&error)))
}

/// Two formulas that together say that: a new variable equals one term and differs from the other. Each of
/// them holds alone: under the model, the variable may have the value of the term or another one.
fn linked(
    plan: &Plan,
    store: &mut Store,
    model: &Model,
    sides: [TermId; 2],
    beside: &[TermId],
) -> Option<[TermId; 2]> {
    let sort = store.sort(sides[0]);
    let roots: Vec<TermId> = beside.iter().chain(&sides).copied().collect();
    let used = store.postorder(&roots);
    let variable = plan.variables(sort).iter().rev().copied().find(|v| !used.contains(v))?;
    // Both values have to be known for that.
    let facts = Facts::of(store, model, sides.into_iter());
    let value = facts.value(sides[1])?;
    facts.value(sides[0])?;
    plan.values.simple(sort).iter().find(|other| *other != value)?;
    let equal = store.op(core::EQ, &[variable, sides[0]]).ok()?;
    let distinct = store.op(core::DISTINCT, &[sides[1], variable]).ok()?;
    Some([equal, distinct])
}

impl Suite for Rewritten {
    fn name(&self) -> &str {
        Rewritten::NAME
    }

    fn categories(&self) -> Vec<Category> {
        self.numbering.categories(Expected::Unsat)
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        self.numbering.cases(selection)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let (part, index) = self.numbering.locate(id, self.name())?;
        let plan = self.numbering.plan(part)?;
        let options = &self.numbering.options;
        let mut draw = Draw::new(&[options.rng, part as u64, index, 1]);
        let mut shared = self.pools[part].take(&plan.store);
        let store = Arc::get_mut(&mut shared).expect("nobody else has it");
        let made = refuted(plan, store, &mut draw, options, index)?;
        let made = made.map(|refuted| {
            let terms: Vec<TermId> = refuted.stated.iter().map(|stated| stated.term).collect();
            let mentioned = Mentioned::by(store, &terms);
            let script = unsatisfiable(
                &plan.signature,
                store,
                &mentioned,
                &refuted.stated,
                logic(&mut draw),
            );
            (script, refuted)
        });
        self.pools[part].put(&shared);
        let Some((script, refuted)) = made else {
            return Err(MakeError::Unsuitable("no equality applies to its terms".to_owned()));
        };
        let formula = Formula::from_parts(shared, script, Arc::clone(&plan.env));
        let row = &self.numbering.rows()[part];
        let origin = Origin {
            suite: self.name().to_owned(),
            category: row.category.clone(),
            rules: refuted.rules.clone(),
            seed: options.rng,
            index: id.index,
            ..Origin::default()
        };
        let oracle = Oracle::Unsat {
            why: Why::Certified(refuted.rules),
            core: Some(ExpectedCore { names: refuted.core }),
        };
        TestCase::formula(format!("{}-{index}", row.name), formula, oracle, origin)
            .map_err(MakeError::fault)
    }
}
