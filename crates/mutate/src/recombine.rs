//! New assertions built from the parts of a formula with connectives.
//!
//! Parts that are true under a model, and negations of those that are false, give satisfiable
//! formulas, whatever the status of the seed. A kept core gives unsatisfiable ones, whatever else is
//! asserted. The truth of random combinations without either is unknown.

use crate::Form;
use crate::draw::Draw;
use crate::library::Prepared;
use crate::rewrite::open_parts;
use crate::seed::{Base, Seed, definitions};
use crate::snippet::Snippets;
use crate::suite::{Belief, Mutant, Order, Strategy};
use crate::trace::TraceError;
use assay_case::{Claim, Formula, MakeError};
use assay_forge::rules::random_value;
use assay_smtlib::{Command, Lets, Printer, read_term_as};
use assay_term::theories::core;
use assay_term::{
    Evaluator, Func, FuncId, Interpretation, Limits, Model, Op, SortId, Store, Term, TermId,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The suite `recombine`.
pub(crate) struct Recombine;

/// What recombined formulas are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Satisfiable, under a model of the seed or a random one.
    Satisfiable,
    /// Unsatisfiable, around a core of an unsatisfiable seed.
    Unsatisfiable,
    /// Of any status, which a solver decides.
    Mixed,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 3] = [Mode::Satisfiable, Mode::Unsatisfiable, Mode::Mixed];

    /// Its name in flags and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Satisfiable => "satisfiable",
            Mode::Unsatisfiable => "unsatisfiable",
            Mode::Mixed => "mixed",
        }
    }

    /// The mode of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// How a mutant is made.
enum Way {
    /// From parts that are true under a model.
    True(Model, Claim),
    /// Around a core.
    Core,
    /// At random.
    Mixed,
}

/// Number of attempts to draw parts if none has a known value.
const TRIES: usize = 4;

/// Budget for evaluating a part; there are enough parts to skip the expensive ones.
const PART: Limits =
    Limits { steps: 1_000_000, instances: 4096, regex: 100_000, length: 1 << 20, bits: 1 << 20 };

/// One in this many mutants is of each kind.
const TURN: u32 = 5;

impl Strategy for Recombine {
    fn name(&self) -> &'static str {
        crate::RECOMBINE
    }

    fn mutate(&self, order: &Order<'_>) -> Result<Mutant, MakeError> {
        let mut draw = order.draw();
        let way = way(order, &mut draw)?;
        let seed = order.prepared.in_form(Form::Kept);
        let (formula, (name, belief, trace)) = seed.mutant(|store| {
            let most = order.config.assertions.max(1);
            let mut work = Work { order, store, draw, pool: Vec::new(), lines: Vec::new(), most };
            let (name, belief) = work.assert_something(way);
            let Work { store, lines, .. } = work;
            if lines.is_empty() {
                let reason = "it has no parts to recombine".to_owned();
                return Err(MakeError::Unsuitable(reason));
            }
            let written = lines.iter().map(|line| line.written(store, name));
            let trace = [FORM.to_owned()].into_iter().chain(written).collect();
            let assertions = lines.iter().map(|line| line.term).collect();
            Ok((assertions, (name, belief, trace)))
        })?;
        Ok(Mutant { formula, belief, rules: vec![name.to_owned()], trace, partners: Vec::new() })
    }
}

/// The way of the mode; without one, the ways that a seed allows, in turn, so that each gets its share.
fn way(order: &Order<'_>, draw: &mut Draw) -> Result<Way, MakeError> {
    let turn = order.number % TURN;
    let truth = order.prepared.truth().ok();
    let mode = order.config.mode;
    let is_unsat = truth.as_ref().is_some_and(|truth| !truth.satisfiable);
    match mode {
        Some(Mode::Unsatisfiable) if is_unsat => return Ok(Way::Core),
        Some(Mode::Unsatisfiable) => {
            let reason = "its seed is not known to be unsatisfiable".to_owned();
            return Err(MakeError::Unsuitable(reason));
        }
        Some(Mode::Mixed) => return Ok(Way::Mixed),
        None if turn == TURN - 1 => return Ok(Way::Mixed),
        None if is_unsat && turn < TURN - 2 => return Ok(Way::Core),
        Some(Mode::Satisfiable) | None => {}
    }
    Ok(match truth {
        Some(truth) if truth.model.is_some() => {
            let model = truth.model.clone().expect("there is one");
            Way::True(model, truth.source.clone())
        }
        _ => {
            let model = random_model(&order.prepared.seed.base, draw);
            Way::True(model, "a model drawn at random".into())
        }
    })
}

/// A random interpretation of every symbol whose sort has values that can be made, with the
/// definitions.
fn random_model(base: &Base, draw: &mut Draw) -> Model {
    let store = &base.store;
    let mut model = Model::new();
    for command in &base.prelude {
        for definition in definitions(command) {
            let (params, body) = (definition.params.clone(), definition.body);
            model.set(definition.func, Interpretation::Definition { params, body });
        }
        if let Command::DeclareFun(func) | Command::DeclareConst(func) = command {
            if let Some(meaning) = random_meaning(store, draw, *func) {
                model.set(*func, meaning);
            }
        }
    }
    model
}

fn random_meaning(store: &Store, draw: &mut Draw, func: FuncId) -> Option<Interpretation> {
    let Func::Declared { params, result, .. } = store.func(func) else { return None };
    let value = random_value(draw.rng(), store, *result)?;
    Some(match params.is_empty() {
        true => Interpretation::Value(value),
        false => Interpretation::Table { entries: FxHashMap::default(), default: value },
    })
}

/// The closed formulas in a seed, with their heights.
pub(crate) struct Parts {
    all: Vec<(TermId, u32)>,
}

impl Parts {
    pub(crate) fn new(base: &Base) -> Parts {
        let store = &base.store;
        let mut all = heights(store, &base.assertions);
        let open = open_parts(store, &base.assertions);
        // A pattern only stands in its quantifier.
        let is_free =
            |term| !open.contains(&term) && !matches!(store.get(term), Term::Annotated(..));
        all.retain(|&(term, _)| store.sort(term) == SortId::BOOL && is_free(term));
        Parts { all }
    }
}

/// Every part of some terms with its height, inner ones first.
fn heights(store: &Store, roots: &[TermId]) -> Vec<(TermId, u32)> {
    let mut known: FxHashMap<TermId, u32> = FxHashMap::default();
    let mut all = Vec::new();
    for term in store.postorder(roots) {
        let below = store.children(term).iter().filter_map(|part| known.get(part)).max();
        let height = 1 + below.copied().unwrap_or(0);
        known.insert(term, height);
        all.push((term, height));
    }
    all
}

/// A formula of the pool.
#[derive(Clone, Copy)]
struct Item {
    term: TermId,
    /// Its value under the model; `None` if there is no model.
    truth: Option<bool>,
    height: u32,
}

/// An assertion of a mutant.
struct Line {
    term: TermId,
    /// The seed's conjunct that it is, if any.
    kept: Option<usize>,
}

impl Line {
    fn written(&self, store: &Store, name: &str) -> String {
        match self.kept {
            Some(at) => format!("keep {at}"),
            None => format!("assert {name} {}", Printer::new(store).term(self.term)),
        }
    }
}

struct Work<'o> {
    order: &'o Order<'o>,
    store: &'o mut Store,
    draw: Draw,
    pool: Vec<Item>,
    lines: Vec<Line>,
    /// Maximum number of assertions.
    most: usize,
}

impl Work<'_> {
    /// Builds the assertions; returns their rule's name and their truth.
    fn assert_something(&mut self, way: Way) -> (&'static str, Belief) {
        if let Way::True(model, source) = way {
            // All drawn formulas may have an unknown value.
            for _ in 0..TRIES {
                self.gather(Some(&model));
            }
            if !self.pool.is_empty() {
                self.grow();
                self.assert_any();
                return ("recombine-true", Belief::Sat(Some(model), source));
            }
        } else if let Way::Core = way {
            let core = self.order.library.core(self.order.prepared);
            self.gather(None);
            self.grow();
            self.assert_around(&core.conjuncts);
            return ("recombine-core", Belief::Unsat(core.why.clone()));
        }
        self.gather(None);
        self.grow();
        self.assert_any();
        ("recombine-mixed", Belief::Open)
    }

    /// Draws parts of the seed and new formulas; with a model, only those whose value is known.
    fn gather(&mut self, model: Option<&Model>) {
        if !self.pool.is_empty() {
            return;
        }
        let Order { prepared, config, .. } = self.order;
        let low: Vec<&(TermId, u32)> =
            prepared.formulas().all.iter().filter(|part| part.1 < config.height).collect();
        let snippets =
            Snippets { vocabulary: &prepared.vocabulary, scope: &[], depth: config.depth };
        for _ in 0..2 + self.draw.below(2 * self.most) {
            let part = match self.draw.one_in(4) {
                true => {
                    let term = snippets.formula(self.store, &mut self.draw);
                    let height = term.and_then(|term| heights(self.store, &[term]).pop());
                    height.filter(|part| part.1 < config.height)
                }
                false => self.draw.of(&low).map(|&&part| part),
            };
            if let Some((term, height)) = part {
                if self.pool.iter().all(|item| item.term != term) {
                    self.pool.push(Item { term, truth: None, height });
                }
            }
        }
        if let Some(model) = model {
            let mut evaluator = Evaluator::new(self.store, model).with_limits(PART);
            self.pool.retain_mut(|item| {
                item.truth = evaluator.holds(item.term).ok();
                item.truth.is_some()
            });
        }
    }

    /// Combines formulas of the pool into new ones.
    fn grow(&mut self) {
        if self.pool.is_empty() {
            return;
        }
        for _ in 0..self.draw.below(2 * self.most + 1) {
            let new = self.joined();
            if new.height <= self.order.config.height {
                self.pool.push(new);
            }
        }
    }

    fn any(&mut self) -> Item {
        *self.draw.of(&self.pool).expect("the pool is not empty")
    }

    fn joined(&mut self) -> Item {
        let connectives = [
            (core::NOT, 1),
            (core::AND, 2),
            (core::OR, 2),
            (core::AND, 3),
            (core::OR, 3),
            (core::IMPLIES, 2),
            (core::XOR, 2),
            (core::EQ, 2),
            (core::ITE, 3),
        ];
        let (op, count) = connectives[self.draw.below(connectives.len())];
        let parts: Vec<Item> = (0..count).map(|_| self.any()).collect();
        self.join(op, &parts)
    }

    fn join(&mut self, op: Op, parts: &[Item]) -> Item {
        let terms: Vec<TermId> = parts.iter().map(|part| part.term).collect();
        let term = self.store.op(op, &terms).expect("connectives take formulas");
        let truths: Option<Vec<bool>> = parts.iter().map(|part| part.truth).collect();
        let height = 1 + parts.iter().map(|part| part.height).max().unwrap_or(0);
        Item { term, truth: truths.map(|truths| apply(op, &truths)), height }
    }

    /// A formula of the pool, possibly negated so that it is true if its value is known.
    fn assertion(&mut self) -> TermId {
        let item = self.any();
        let negate = match item.truth {
            Some(truth) => !truth,
            None => self.draw.one_in(3),
        };
        if negate { self.join(core::NOT, &[item]).term } else { item.term }
    }

    fn assert_any(&mut self) {
        let count = 1 + self.draw.below(self.most);
        self.assert_some(count);
    }

    fn assert_some(&mut self, count: usize) {
        if self.pool.is_empty() {
            return;
        }
        for _ in 0..count {
            let term = self.assertion();
            if self.lines.iter().all(|line| line.term != term) {
                self.lines.push(Line { term, kept: None });
            }
        }
    }

    /// Keeps a core, changes some of the other conjuncts, and adds new formulas, in random order.
    fn assert_around(&mut self, kept: &[usize]) {
        let conjuncts = self.order.prepared.seed.base.conjuncts();
        let room = self.most.saturating_sub(kept.len());
        self.lines.extend(kept.iter().map(|&at| Line { term: conjuncts[at], kept: Some(at) }));
        let others: Vec<usize> = (0..conjuncts.len()).filter(|at| !kept.contains(at)).collect();
        let mut added = 0;
        for at in others {
            if added >= room {
                break;
            }
            let term = conjuncts[at];
            let line = match self.draw.below(4) {
                0 | 1 => Line { term, kept: Some(at) },
                2 => {
                    let negated = self.store.op(core::NOT, &[term]).expect("a formula");
                    Line { term: negated, kept: None }
                }
                _ => continue,
            };
            self.lines.push(line);
            added += 1;
        }
        // At least one new formula, even if the core has reached the maximum.
        let count = 1 + self.draw.below((room - added).max(1));
        self.assert_some(count);
        for last in (1..self.lines.len()).rev() {
            let other = self.draw.below(last + 1);
            self.lines.swap(last, other);
        }
    }
}

/// The value of a connective.
fn apply(op: Op, truths: &[bool]) -> bool {
    match (op, truths) {
        (core::NOT, [a]) => !a,
        (core::AND, all) => all.iter().all(|&truth| truth),
        (core::OR, all) => all.iter().any(|&truth| truth),
        (core::IMPLIES, [a, b]) => !a || *b,
        (core::XOR, [a, b]) => a != b,
        (core::EQ, [a, b]) => a == b,
        (core::ITE, [a, b, c]) => {
            if *a {
                *b
            } else {
                *c
            }
        }
        _ => unreachable!("typed as a connective of so many formulas"),
    }
}

/// The first line of a trace.
pub(crate) const FORM: &str = "form recombined";

/// Rebuilds the formula of a trace without its first line.
///
/// # Errors
/// If a line cannot be applied; the first such line.
pub(crate) fn again(seed: &Seed, lines: &[String]) -> Result<Formula, TraceError> {
    let conjuncts = seed.base.conjuncts();
    let mut base = seed.base.clone();
    let mut assertions = Vec::with_capacity(lines.len());
    for line in lines {
        let fault = || TraceError::Line(line.clone());
        let term = match line.split_once(' ').ok_or_else(fault)? {
            ("keep", at) => {
                let at: usize = at.parse().map_err(|_| fault())?;
                conjuncts.get(at).copied().ok_or_else(fault)?
            }
            ("assert", rest) => {
                let (_, text) = rest.split_once(' ').ok_or_else(fault)?;
                let env = Arc::make_mut(&mut base.env);
                let read = read_term_as(&mut base.store, env, text, Lets::Expand);
                let term = read.map_err(|_| fault())?;
                if base.store.sort(term) != SortId::BOOL {
                    return Err(fault());
                }
                term
            }
            _ => return Err(fault()),
        };
        assertions.push(term);
    }
    let store = std::mem::take(&mut base.store);
    Ok(base.formula(store, &assertions))
}

impl Prepared {
    /// The formulas in it.
    pub(crate) fn formulas(&self) -> &Parts {
        self.formulas.get_or_init(|| Parts::new(&self.seed.base))
    }
}
