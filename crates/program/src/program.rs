//! From a formula to a program: constraints in groups, groups in a shape, and a run on the witness.

use crate::c::{self, Expr, Fault, Limits, Name, Scalar, Unit};
use crate::compare::{Comparison, MODELS, Part};
use crate::lower::{Lowerer, Refusal, Style};
use crate::shape::{DATA, POINTER, Parts, Piece, Scope, Shape, Variable, shaped};
use crate::union::Union;
use crate::unused::without_unused;
use crate::witness::{Answers, NoInput, answers};
use assay_mutate::Draw;
use assay_term::theories::{arrays, core};
use assay_term::{Func, FuncId, Interpretation, Model, Op, Sort, Store, Term, TermId, Value};
use rustc_hash::FxHashMap;

/// The style of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Its shape.
    pub shape: Shape,
    /// Where its variables live.
    pub scope: Scope,
    /// How its constraints are written.
    pub style: Style,
}

/// A program and its truth.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramTree {
    /// The program.
    pub unit: Unit,
    /// The values read at each input place on the path to the error; `None` if there is no such path.
    pub answers: Option<FxHashMap<u32, Vec<i128>>>,
    /// The values that it reads on the path to the error, in order.
    pub inputs: Vec<(Scalar, i128)>,
}

/// Why there is no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// The formula cannot be expressed in C.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The model does not fit into C's bounds: a smaller one is needed.
    #[error("{0}")]
    Model(&'static str),
    /// The program misbehaves. That is a bug of ours.
    #[error("the program misbehaves: {0}")]
    Unsound(Fault),
    /// An assertion holds as C although the formula does not. That is a bug of ours.
    #[error("the program is not sound: an assertion is written as something weaker")]
    Weaker,
    /// The formula was declared unsatisfiable, but here is a model.
    #[error("its assertions were declared unsat, and have a model")]
    Refuted,
}

impl From<NoInput> for Unfit {
    fn from(fault: NoInput) -> Unfit {
        match fault {
            NoInput::Opaque => Unfit::Model("its model has a value that cannot be represented"),
            NoInput::Large => Unfit::Model("its model has an integer that does not fit"),
        }
    }
}

/// Maximum number of distinguished elements of an array.
pub(crate) const LARGEST_ARRAY: usize = 512;

/// Writes assertions as a program. Definitions are over the same store; those with parameters must
/// have been expanded. With a model, the program is run and must reach its error; arrays grow until it
/// does.
///
/// # Errors
/// If there is no such program.
pub fn write(
    store: &Store,
    assertions: &[TermId],
    definitions: &Model,
    model: Option<&Model>,
    plan: Plan,
    draw: &mut Draw,
) -> Result<ProgramTree, Unfit> {
    let facts = Facts::new(store, assertions, definitions);
    // Function results belong to the place where they are read, so their constraints stay together.
    if facts.has_functions && plan.scope != Scope::Local {
        return Err(Refusal::Scope.into());
    }
    let mut plan = plan;
    plan.style.size = plan.style.size.max(facts.least_array());
    let numbers = [draw.below(usize::MAX) as u64, 0];
    loop {
        // The same choices for every array size.
        let mut draw = Draw::new(&numbers);
        match attempt(&facts, model, plan, &mut draw) {
            Err(Unfit::Model(_)) if facts.has_arrays && plan.style.size < LARGEST_ARRAY => {
                plan.style.size = (2 * plan.style.size).min(LARGEST_ARRAY);
            }
            Ok(program) => {
                facts.compare(model, plan, &mut draw)?;
                return Ok(program);
            }
            Err(unfit) => return Err(unfit),
        }
    }
}

fn attempt(
    facts: &Facts<'_>,
    model: Option<&Model>,
    plan: Plan,
    draw: &mut Draw,
) -> Result<ProgramTree, Unfit> {
    let mut lowerer = Lowerer::new(facts.store, facts.definitions, plan.style);
    if facts.whole_arrays {
        lowerer = lowerer.with_whole_arrays();
    }
    let (shared, pieces) = facts.pieces(&mut lowerer, plan.scope)?;
    let answers = model.map(|model| answers(facts.store, model, &lowerer)).transpose()?;
    let place = u32::try_from(lowerer.inputs.len()).expect("a program has few inputs");
    let helpers = std::mem::take(&mut lowerer.helpers.functions);
    let parts = Parts { scope: plan.scope, shared, pieces, helpers, place };
    let made = shaped(plan.shape, parts, draw);
    let unit = pruned(without_unused(made.unit));
    let Some(mut answers) = answers else {
        let limits = limits(&unit, plan.style);
        facts.avoid_the_error(&unit, &made.turns, &lowerer, limits, draw)?;
        return Ok(ProgramTree { unit, answers: None, inputs: Vec::new() });
    };
    for (place, value) in made.turns {
        answers.entry(place).or_default().push_back(value);
    }
    finished(unit, answers, plan.style)
}

/// A program without constraints: its error is reached by the choices of its shape alone.
///
/// # Errors
/// If it misbehaves, which is a bug of ours.
pub fn unguarded(plan: Plan, draw: &mut Draw) -> Result<ProgramTree, Unfit> {
    let (shared, pieces, helpers) = (Vec::new(), Vec::new(), Vec::new());
    let parts = Parts { scope: plan.scope, shared, pieces, helpers, place: 0 };
    let made = shaped(plan.shape, parts, draw);
    let mut answers = Answers::default();
    for (place, value) in made.turns {
        answers.entry(place).or_default().push_back(value);
    }
    finished(pruned(without_unused(made.unit)), answers, plan.style)
}

/// The limits of a run of a program.
fn limits(unit: &Unit, style: Style) -> Limits {
    // The call depth of mazes may equal their number of cells.
    let cells = u32::try_from(unit.functions.len()).unwrap_or(u32::MAX);
    let usual = Limits::default();
    let depth = usual.depth.max(cells.saturating_mul(2));
    Limits { portable: style.well_defined, depth, ..usual }
}

/// Runs a program on the inputs that must lead it to its error.
fn finished(unit: Unit, answers: Answers, style: Style) -> Result<ProgramTree, Unfit> {
    let limits = limits(&unit, style);
    let kept = answers.iter().map(|(&place, values)| (place, values.iter().copied().collect()));
    let kept: FxHashMap<u32, Vec<i128>> = kept.collect();
    let execution = c::run(&unit, &mut feed(answers), limits).map_err(Unfit::Unsound)?;
    match execution.end {
        c::End::Reached => Ok(ProgramTree { unit, answers: Some(kept), inputs: execution.inputs }),
        _ => Err(Unfit::Model("its model leaves what C can say (integers, indices or divisors)")),
    }
}

/// Provides the inputs place by place; zero if none is left.
pub(crate) fn feed(mut answers: Answers) -> impl FnMut(Scalar, u32) -> i128 {
    move |_, place| answers.get_mut(&place).and_then(|values| values.pop_front()).unwrap_or(0)
}

/// The analysis of a formula that is needed before it is written.
struct Facts<'s> {
    store: &'s Store,
    assertions: &'s [TermId],
    definitions: &'s Model,
    /// The symbols of each assertion, without duplicates, in order.
    symbols: Vec<Vec<(FuncId, TermId)>>,
    has_arrays: bool,
    whole_arrays: bool,
    has_functions: bool,
    /// The largest index that occurs as a literal.
    greatest: u64,
}

impl<'s> Facts<'s> {
    fn new(store: &'s Store, assertions: &'s [TermId], definitions: &'s Model) -> Facts<'s> {
        let mut facts = Facts {
            store,
            assertions,
            definitions,
            symbols: Vec::with_capacity(assertions.len()),
            has_arrays: false,
            whole_arrays: false,
            has_functions: false,
            greatest: 0,
        };
        for &assertion in assertions {
            let symbols = facts.look(assertion);
            facts.symbols.push(symbols);
        }
        facts
    }

    /// Visits every part of an assertion, including definitions; returns its symbols.
    fn look(&mut self, assertion: TermId) -> Vec<(FuncId, TermId)> {
        let mut symbols: Vec<(FuncId, TermId)> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![assertion];
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            let is_array = matches!(self.store.sorts.get(self.store.sort(term)), Sort::Array(..));
            self.has_arrays |= is_array;
            if let Term::App(func, args) = self.store.get(term) {
                match (self.store.func(func), self.definitions.get(func)) {
                    (_, Some(Interpretation::Definition { body, .. })) => work.push(*body),
                    (Func::Declared { .. }, _) if symbols.iter().all(|known| known.0 != func) => {
                        self.has_functions |= !args.is_empty();
                        symbols.push((func, term));
                    }
                    (Func::Op(op, _), _) => self.operator(*op, args),
                    _ => {}
                }
            }
            work.extend(self.store.children(term).iter().rev());
        }
        symbols
    }

    fn operator(&mut self, op: Op, args: &[TermId]) {
        let is_array =
            |&arg: &TermId| matches!(self.store.sorts.get(self.store.sort(arg)), Sort::Array(..));
        let compares = matches!(op, core::EQ | core::DISTINCT) && args.iter().any(is_array);
        self.whole_arrays |= compares || op == arrays::CONST;
        if let (arrays::SELECT | arrays::STORE, Some(&at)) = (op, args.get(1)) {
            let index = match self.store.get(at) {
                Term::Literal(Value::BitVec(bits)) => bits.to_u64(),
                Term::Literal(Value::Int(number)) => number.to_u64(),
                _ => None,
            };
            self.greatest = self.greatest.max(index.unwrap_or(0));
        }
    }

    /// The minimum size of arrays: one more than the largest literal among indices.
    fn least_array(&self) -> usize {
        let next = usize::try_from(self.greatest.saturating_add(1)).unwrap_or(usize::MAX);
        next.clamp(2, LARGEST_ARRAY)
    }

    /// Groups of assertions that share symbols, as lists of indices.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut union = Union::new(self.assertions.len());
        let mut first: FxHashMap<FuncId, usize> = FxHashMap::default();
        for (at, symbols) in self.symbols.iter().enumerate() {
            for (func, _) in symbols {
                let other = *first.entry(*func).or_insert(at);
                union.join(at, other);
            }
        }
        let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
        for at in 0..self.assertions.len() {
            let part = union.of(at);
            match groups.iter_mut().find(|(known, _)| *known == part) {
                Some((_, members)) => members.push(at),
                None => groups.push((part, vec![at])),
            }
        }
        groups.into_iter().map(|(_, members)| members).collect()
    }

    /// The constants among the symbols of some assertions.
    fn constants(&self, members: &[usize]) -> Vec<(FuncId, TermId)> {
        let mut constants: Vec<(FuncId, TermId)> = Vec::new();
        for &(func, term) in members.iter().flat_map(|&at| &self.symbols[at]) {
            let constant = matches!(self.store.get(term), Term::App(_, []));
            if constant && constants.iter().all(|known| known.0 != func) {
                constants.push((func, term));
            }
        }
        constants
    }

    fn comparison<'f>(&'f self, model: Option<&'f Model>, style: Style) -> Comparison<'f> {
        let (store, definitions) = (self.store, self.definitions);
        Comparison { store, definitions, style, whole_arrays: self.whole_arrays, model }
    }

    /// Tests each assertion as C, on values near the model and the literals.
    fn compare(&self, model: Option<&Model>, plan: Plan, draw: &mut Draw) -> Result<(), Unfit> {
        let part = |(at, &assertion): (usize, &TermId)| Part {
            assertion,
            constants: self.constants(&[at]),
        };
        let parts: Vec<Part> = self.assertions.iter().enumerate().map(part).collect();
        self.comparison(model, plan.style).compare(&parts, draw)
    }

    /// Runs a program that must not reach its error, on values near the literals and towards the error.
    fn avoid_the_error(
        &self,
        unit: &Unit,
        turns: &[(u32, i128)],
        lowerer: &Lowerer<'_>,
        limits: Limits,
        draw: &mut Draw,
    ) -> Result<(), Unfit> {
        let comparison = self.comparison(None, lowerer.style);
        let literals = comparison.literals(self.assertions.iter().copied());
        let all: Vec<usize> = (0..self.assertions.len()).collect();
        let constants = self.constants(&all);
        for _ in 0..MODELS {
            let model = comparison.near(&constants, &literals, draw);
            // A model with values that C cannot represent decides nothing.
            let Ok(mut answers) = answers(self.store, &model, lowerer) else { continue };
            for &(place, value) in turns {
                answers.entry(place).or_default().push_back(value);
            }
            let execution = c::run(unit, &mut feed(answers), limits).map_err(Unfit::Unsound)?;
            if execution.end == c::End::Reached {
                let fails = |&assertion: &TermId| comparison.fails(&model, assertion);
                let weaker = self.assertions.iter().any(fails);
                return Err(if weaker { Unfit::Weaker } else { Unfit::Refuted });
            }
        }
        Ok(())
    }

    /// The constraints: in groups with their own variables, or one by one over shared ones.
    fn pieces(
        &self,
        lowerer: &mut Lowerer<'s>,
        scope: Scope,
    ) -> Result<(Vec<Variable>, Vec<Piece>), Refusal> {
        let variable = |(ty, name, reading)| Variable { ty, name, reading };
        if scope == Scope::Local {
            let mut pieces = Vec::new();
            for members in self.groups() {
                let declared = lowerer.declare(&self.constants(&members))?;
                let terms: Vec<TermId> = members.iter().map(|&at| self.assertions[at]).collect();
                let steps = lowerer.assert(&terms)?;
                let variables = declared.into_iter().map(variable).collect();
                pieces.push(Piece { variables, steps });
            }
            return Ok((Vec::new(), pieces));
        }
        let all: Vec<usize> = (0..self.assertions.len()).collect();
        let declared = lowerer.declare(&self.constants(&all))?;
        let mut shared: Vec<Variable> = declared.into_iter().map(variable).collect();
        if scope == Scope::Pointer {
            behind_pointer(lowerer, &mut shared);
        }
        let mut pieces = Vec::new();
        for &assertion in self.assertions {
            let steps = lowerer.assert(&[assertion])?;
            pieces.push(Piece { variables: Vec::new(), steps });
        }
        Ok((shared, pieces))
    }
}

/// Turns variables into fields: read into the structure, used through a pointer to it.
fn behind_pointer(lowerer: &mut Lowerer<'_>, shared: &mut [Variable]) {
    for variable in lowerer.variables.values_mut() {
        if let Expr::Var(name) = &variable.expr {
            let pointer = Box::new(Expr::Var(POINTER.into()));
            variable.expr = Expr::Arrow(pointer, Name::clone(name));
        }
    }
    for variable in shared {
        let field = Expr::Field(Box::new(Expr::Var(DATA.into())), Name::clone(&variable.name));
        for stmt in &mut variable.reading {
            stmt.replace(&variable.name, &field);
        }
    }
}

/// The unit without functions that are never called.
pub(crate) fn pruned(mut unit: Unit) -> Unit {
    let mut called: rustc_hash::FxHashSet<Name> = rustc_hash::FxHashSet::default();
    let mut work: Vec<Name> = vec!["main".into()];
    while let Some(name) = work.pop() {
        if !called.insert(Name::clone(&name)) {
            continue;
        }
        if let Some(function) = unit.function(&name) {
            c::each_call(&function.body, &mut |name, _| work.push(Name::clone(name)));
        }
    }
    unit.functions.retain(|function| called.contains(&function.name));
    unit
}
