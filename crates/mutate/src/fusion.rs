//! Semantic fusion: two formulas of the same status become one formula of that status, connected by
//! a new variable z that stands for a function of x, a term of one, and y, a term of the other.
//!
//! If both are satisfiable, their models and the function's value form a model under which the
//! inverses equal x and y. If both are unsatisfiable, the inverses are asserted, so replaced terms
//! keep their values, and the disjunction of the two formulas stays unsatisfiable.

use crate::draw::Draw;
use crate::library::Prepared;
use crate::occurrences::{Occurrences, Site};
use crate::operators;
use crate::pair::{Pair, logic};
use crate::recipe::{Demand, Inverses, Recipe, Recipes};
use crate::rewrite::open_parts;
use crate::seed::{Base, Seed};
use crate::suite::{Belief, Mutant, Order, Strategy};
use crate::trace::{TraceError, TraceStep};
use assay_case::{Claim, Formula, MakeError, Why};
use assay_smtlib::{Command, Lets, Printer, read_script, read_term_as};
use assay_term::theories::core;
use assay_term::{Evaluator, Func, Interpretation, Model, SortId, Store, Term, TermId};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The suite `fusion`.
#[derive(Default)]
pub(crate) struct Fusion {
    recipes: Recipes,
    /// Recently used pairs of seeds, by the seed and the burst that they are for.
    recent: Mutex<VecDeque<Recent>>,
}

type Recent = ((usize, u32), Result<Arc<Ground>, String>);

/// Number of consecutive mutants with the same partner.
const BURST: u32 = 10;

/// Number of pairs kept in memory.
const RECENT: usize = 16;

/// Maximum number of partners tried.
const PARTNERS: usize = 16;

/// Number of sorts of each seed that are fused with other sorts.
const MIXED: usize = 6;

/// Maximum number of functions tried for one fusion.
const TRIES: usize = 12;

/// Two seeds of the same status.
struct Ground {
    pair: Pair,
    satisfiable: bool,
    model: Option<Model>,
    source: Claim,
    /// How it is known that the fused formula is unsatisfiable, if its seeds are.
    unsat: Why,
    partner: String,
    linear: bool,
    places: Occurrences,
    /// The terms of each seed that can be fused, by sort.
    sides: [Vec<Group>; 2],
    /// The groups that some function accepts; groups of one sort come first, except formulas.
    choices: Vec<Choice>,
    /// How many of them come first.
    alike: usize,
}

/// The side that x is a term of, and the groups of x and y.
type Choice = (usize, usize, usize);

/// Terms of one sort, with their indices among the places.
struct Group {
    sort: SortId,
    /// Whether they are declared constants.
    constants: bool,
    terms: Vec<(u32, TermId)>,
}

impl Strategy for Fusion {
    fn name(&self) -> &'static str {
        "fusion"
    }

    fn mutate(&self, order: &Order<'_>) -> Result<Mutant, MakeError> {
        let ground = self.ground(order).map_err(MakeError::Unsuitable)?;
        let mut work = Work {
            ground: &ground,
            pair: ground.pair.clone(),
            model: ground.model.clone(),
            draw: order.draw(),
            most: order.config.literals.max(1),
            used: Vec::new(),
            asserted: Vec::new(),
            rules: Vec::new(),
            trace: vec![format!("form {}", form(ground.satisfiable))],
        };
        for _ in 0..=work.draw.below(order.config.pairs.max(1)) {
            for _ in 0..TRIES {
                if work.fuse(&self.recipes).is_some() {
                    break;
                }
            }
        }
        if work.rules.is_empty() {
            return Err(MakeError::Unsuitable("no function fuses it with its partner".into()));
        }
        let Work { mut pair, model, asserted, rules, trace, .. } = work;
        let assertions = assembled(&mut pair, ground.satisfiable, asserted);
        let store = std::mem::take(&mut pair.base.store);
        let formula = pair.base.formula(store, &assertions);
        let source = ground.source.clone();
        let belief = match ground.satisfiable {
            true => Belief::Sat(model, source),
            false => Belief::Unsat(ground.unsat.clone()),
        };
        Ok(Mutant { formula, belief, rules, trace, partners: vec![ground.partner.clone()] })
    }
}

impl Fusion {
    /// The seed and its partner for this burst.
    fn ground(&self, order: &Order<'_>) -> Result<Arc<Ground>, String> {
        let key = (order.seed, order.number / BURST);
        let recent = || self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = recent().iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        let found = self.partnered(order, key.1).map(Arc::new);
        let mut recent = recent();
        recent.truncate(RECENT - 1);
        recent.push_front((key, found.clone()));
        found
    }

    /// Tries seeds of the same logic, then others, then the seed itself.
    fn partnered(&self, order: &Order<'_>, burst: u32) -> Result<Ground, String> {
        let truth = order.prepared.truth()?;
        let files = &order.library.files;
        let logic = &files[order.seed].logic;
        let (alike, others): (Vec<usize>, Vec<usize>) = (0..files.len())
            .filter(|&other| other != order.seed)
            .partition(|&other| files[other].logic == *logic);
        let mut draw =
            Draw::new(&[order.config.rng, u64::from(burst), u64::from(truth.satisfiable)]);
        // The stream must differ between seeds, so it depends on the name.
        let name = order.prepared.seed.name();
        let start = name.bytes().fold(0usize, |sum, byte| sum.wrapping_mul(31) + usize::from(byte));
        let mut turn = |list: &[usize]| {
            let at = start.wrapping_add(draw.below(usize::MAX));
            (!list.is_empty()).then(|| list[at % list.len()])
        };
        let mut partners: Vec<usize> = (0..PARTNERS).filter_map(|_| turn(&alike)).collect();
        partners.extend((0..PARTNERS).filter_map(|_| turn(&others)));
        partners.push(order.seed);
        let mut reason = "it has no partner".to_owned();
        for partner in partners {
            let Ok(partner) = order.library.prepared(partner) else { continue };
            let same = partner.truth().is_ok_and(|other| other.satisfiable == truth.satisfiable);
            if !same {
                continue;
            }
            match Ground::new(order.prepared, &partner, &self.recipes) {
                Ok(ground) => return Ok(ground),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }
}

impl Ground {
    fn new(first: &Prepared, second: &Prepared, recipes: &Recipes) -> Result<Ground, String> {
        let (mut pair, mut import) =
            Pair::new(&first.seed, &second.seed).map_err(|error| error.to_string())?;
        let (one, two) = (first.truth()?, second.truth()?);
        let model = match (&one.model, &two.model) {
            (Some(first), Some(second)) => {
                let model = pair.model(&mut import, first, second);
                Some(model.ok_or("its model conflicts with its partner's")?)
            }
            _ if one.satisfiable && pair.shares_open() => {
                return Err(
                    "it and its partner use operators that the standard leaves open".to_owned()
                );
            }
            _ => None,
        };
        let places = operators::parts(&pair.base.store, &pair.base.assertions);
        let sides = sides(&pair, &places);
        let linear = logic(&pair.base).is_some_and(is_linear);
        let mut ground = Ground {
            pair,
            satisfiable: one.satisfiable,
            model,
            source: one.source.and(&two.source),
            unsat: one.unsat_with(two),
            partner: second.seed.name().to_owned(),
            linear,
            places,
            sides,
            choices: Vec::new(),
            alike: 0,
        };
        ground.find_choices(recipes);
        match ground.choices.is_empty() {
            true => Err("no function fuses it with others".to_owned()),
            false => Ok(ground),
        }
    }

    fn find_choices(&mut self, recipes: &Recipes) {
        let (mut alike, mut mixed) = (Vec::new(), Vec::new());
        for side in [0, 1] {
            for (at, x) in self.sides[side].iter().enumerate() {
                for (other, y) in self.sides[1 - side].iter().enumerate() {
                    let same = x.sort == y.sort;
                    let few = at < MIXED && other < MIXED;
                    if (same || few) && !self.fitting(recipes, x, y).is_empty() {
                        // Every formula contains formulas: they are used only if there is nothing else.
                        let plain = x.sort == SortId::BOOL && !(x.constants && y.constants);
                        let list = if same && !plain { &mut alike } else { &mut mixed };
                        list.push((side, at, other));
                    }
                }
            }
        }
        self.alike = alike.len();
        self.choices = alike;
        self.choices.extend(mixed);
    }

    /// Groups of x and y: mostly of one sort.
    fn choice(&self, draw: &mut Draw) -> Option<(&Group, &Group)> {
        let alike = &self.choices[..self.alike];
        let from = if alike.is_empty() || draw.one_in(6) { &self.choices } else { alike };
        let &(side, x, y) = draw.of(from)?;
        Some((&self.sides[side][x], &self.sides[1 - side][y]))
    }

    /// The functions that accept two sorts, as indices of recipes.
    fn fitting(&self, recipes: &Recipes, x: &Group, y: &Group) -> Vec<usize> {
        let all = recipes.at(&self.pair.base.store, x.sort, y.sort);
        let fits = |recipe: &Recipe| !(self.linear && recipe.is_nonlinear());
        all.iter().enumerate().filter(|(_, recipe)| fits(recipe)).map(|(at, _)| at).collect()
    }
}

/// Whether a logic has linear arithmetic.
fn is_linear(logic: &str) -> bool {
    ["LIA", "LRA", "LIRA"].iter().any(|linear| logic.contains(linear))
}

/// The closed terms of each seed, by sort: its constants, or its applications for sorts without any.
fn sides(pair: &Pair, places: &Occurrences) -> [Vec<Group>; 2] {
    let Base { store, assertions, .. } = &pair.base;
    let first: FxHashSet<TermId> = store.postorder(&assertions[..pair.split]).into_iter().collect();
    let open = open_parts(store, assertions);
    let mut constants = [Vec::new(), Vec::new()];
    let mut others = [Vec::new(), Vec::new()];
    for (node, term) in places.numbered() {
        // Below binders, only whole quantifiers are considered.
        let whole = matches!(store.get(term), Term::Quant(..));
        if store.mentions_variables(term) && (!whole || open.contains(&term)) {
            continue;
        }
        let side = usize::from(!first.contains(&term));
        let constant = match store.get(term) {
            Term::App(func, []) => match store.func(func) {
                Func::Declared { .. } => true,
                _ => continue,
            },
            Term::App(..) | Term::Quant(..) => false,
            _ => continue,
        };
        let groups = if constant { &mut constants[side] } else { &mut others[side] };
        let sort = store.sort(term);
        match groups.iter_mut().find(|group: &&mut Group| group.sort == sort) {
            Some(group) => group.terms.push((node, term)),
            None => groups.push(Group { sort, constants: constant, terms: vec![(node, term)] }),
        }
    }
    for (constants, others) in constants.iter_mut().zip(others) {
        let missing =
            others.into_iter().filter(|group| constants.iter().all(|c| c.sort != group.sort));
        let missing: Vec<Group> = missing.collect();
        constants.extend(missing);
    }
    constants
}

/// A mutant under construction.
struct Work<'g> {
    ground: &'g Ground,
    pair: Pair,
    model: Option<Model>,
    draw: Draw,
    /// Maximum number of places of a term that are changed.
    most: usize,
    used: Vec<Site>,
    /// Equations between the new variable, the function and its inverses.
    asserted: Vec<TermId>,
    rules: Vec<String>,
    trace: Vec<String>,
}

impl Work<'_> {
    /// Connects two terms; `None` if the drawn function does not fit.
    fn fuse(&mut self, recipes: &Recipes) -> Option<()> {
        let ground = self.ground;
        let (x_group, y_group) = ground.choice(&mut self.draw)?;
        let fitting = ground.fitting(recipes, x_group, y_group);
        let recipes = recipes.at(&ground.pair.base.store, x_group.sort, y_group.sort);
        let recipe = &recipes[*self.draw.of(&fitting)?];
        let &(x_node, x) = self.draw.of(&x_group.terms)?;
        let &(y_node, y) = self.draw.of(&y_group.terms)?;
        let model = self.model.as_ref();
        let demand = if ground.satisfiable { Demand::Holds } else { Demand::MayHold };
        let store = &mut self.pair.base.store;
        let prepared = recipe.prepare(store, &mut self.draw, [x, y], model, demand)?;
        let fused = prepared.fused;
        let value = match &self.model {
            Some(model) => Some(Evaluator::new(store, model).completing().eval(fused).ok()?),
            None => None,
        };
        let sort = store.sort(fused);
        let func = self.pair.constant(sort);
        if let (Some(model), Some(value)) = (&mut self.model, value) {
            model.set(func, Interpretation::Value(value));
        }
        let store = &mut self.pair.base.store;
        let z = store.app(func, &[]).expect("a declared constant");
        let inverses = prepared.inverses(store, z).expect("the function was copied before");
        self.trace.push(format!("declare {} {}", store.func_name(func), store.sort_name(sort)));
        self.rules.push(recipe.name().to_owned());
        self.equate(recipe.name(), [(z, fused), (x, inverses.left), (y, inverses.right)]);
        let Inverses { left, right } = inverses;
        self.replace(recipe.name(), x_node, left);
        self.replace(recipe.name(), y_node, right);
        Some(())
    }

    /// Asserts equations: all of them if the truth depends on them, otherwise some, which hold anyway.
    fn equate(&mut self, rule: &str, equations: [(TermId, TermId); 3]) {
        let store = &mut self.pair.base.store;
        for (one, other) in equations {
            if self.ground.satisfiable && !self.draw.one_in(4) {
                continue;
            }
            let equation = store.op(core::EQ, &[one, other]).expect("the sorts are the same");
            let text = Printer::new(store).term(equation);
            self.trace.push(format!("assert {rule} {text}"));
            self.asserted.push(equation);
        }
    }

    /// Replaces a term at some of its places.
    fn replace(&mut self, rule: &str, node: u32, new: TermId) {
        for _ in 0..=self.draw.below(self.most) {
            let Some(site) = self.ground.places.place(&mut self.draw, node) else { return };
            if self.used.iter().any(|other| overlap(other, &site)) {
                continue;
            }
            self.used.push(site.clone());
            let Base { store, assertions, .. } = &mut self.pair.base;
            let step = TraceStep::take(store, assertions, rule.to_owned(), site, new);
            self.trace.push(step.to_string());
        }
    }
}

/// Whether one place is the other or below it.
fn overlap(one: &Site, other: &Site) -> bool {
    let common = one.path.len().min(other.path.len());
    one.assertion == other.assertion && one.path[..common] == other.path[..common]
}

fn form(satisfiable: bool) -> &'static str {
    if satisfiable { "fused-sat" } else { "fused-unsat" }
}

/// The assertions of a fused formula.
fn assembled(pair: &mut Pair, satisfiable: bool, asserted: Vec<TermId>) -> Vec<TermId> {
    let Base { store, assertions, .. } = &mut pair.base;
    let mut all = match satisfiable {
        true => assertions.clone(),
        false => {
            let (first, second) = assertions.split_at(pair.split);
            let sides = [first, second].map(|side| conjunction(store, side));
            vec![store.op(core::OR, &sides).expect("formulas")]
        }
    };
    all.extend(asserted);
    all
}

fn conjunction(store: &mut Store, formulas: &[TermId]) -> TermId {
    match formulas {
        [only] => *only,
        all => store.op(core::AND, all).expect("formulas"),
    }
}

/// Rebuilds a formula from two seeds and a trace of `fusion`. Steps may be left out, except for the
/// equations of an unsatisfiable formula.
///
/// # Errors
/// If a line cannot be applied; the first such line.
pub fn rebuild_fused(first: &Seed, second: &Seed, trace: &[String]) -> Result<Formula, TraceError> {
    let (mut pair, _) =
        Pair::new(first, second).map_err(|error| TraceError::Partner(error.to_string()))?;
    let line = trace.first().cloned().unwrap_or_default();
    let known = [true, false].into_iter().find(|&sat| line == format!("form {}", form(sat)));
    let satisfiable = known.ok_or(TraceError::Form(line))?;
    let mut asserted = Vec::new();
    for line in &trace[1..] {
        if let Some(rest) = line.strip_prefix("declare ") {
            declare(&mut pair.base, rest)?;
        } else if let Some(rest) = line.strip_prefix("assert ") {
            let (_, text) = rest.split_once(' ').ok_or_else(|| TraceError::Line(line.clone()))?;
            let Base { store, env, .. } = &mut pair.base;
            let term = read_term_as(store, Arc::make_mut(env), text, Lets::Expand);
            asserted.push(term.map_err(|_| TraceError::Line(line.clone()))?);
        } else {
            line.parse::<TraceStep>()?.again(&mut pair.base)?;
        }
    }
    let assertions = assembled(&mut pair, satisfiable, asserted);
    let store = std::mem::take(&mut pair.base.store);
    Ok(pair.base.formula(store, &assertions))
}

/// Declares a constant from its name and its sort.
fn declare(base: &mut Base, text: &str) -> Result<(), TraceError> {
    let script = format!("(declare-const {text})");
    let read = read_script(&mut base.store, script.as_bytes(), Lets::Expand);
    let fault = || TraceError::Line(format!("declare {text}"));
    let (script, _) = read.map_err(|_| fault())?;
    for command in script.commands {
        let Command::DeclareConst(func) = command else { return Err(fault()) };
        if !Arc::make_mut(&mut base.env).add_declared(&mut base.store, func) {
            return Err(fault());
        }
        base.prelude.push(command);
    }
    Ok(())
}
