//! Assignments of values to variables, tried one after the other. A formula is evaluated as soon
//! as enough of its variables have values to decide it, and where it is false the rest of the
//! assignment is not tried.

use super::domain::{Domain, simple};
use super::rewrite::{conjuncts, operator, preorder};
use super::rule::Variable;
use super::unfold::{Unfolded, parts, unassigned};
use assay_term::theories::{core, strings};
use assay_term::value::Text;
use assay_term::{
    Evaluator, Interpretation, Model, Sort, SortId, Store, Term, TermId, Unknown, Value,
};

/// How many values of each kind of sort are tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    strings: usize,
    numbers: usize,
    /// Sorts of no more values are tried wholly.
    finite: usize,
}

impl Level {
    /// From few values to many. The third has all strings of up to two letters, the fourth of up
    /// to three.
    pub(crate) const ALL: [Level; 4] = [
        Level { strings: 4, numbers: 3, finite: 5 },
        Level { strings: 6, numbers: 5, finite: 16 },
        Level { strings: 15, numbers: 7, finite: 64 },
        Level { strings: 42, numbers: 11, finite: 256 },
    ];

    pub(crate) fn domain(self, store: &Store, sort: SortId, seeds: &[Value]) -> Domain {
        let most = match store.sorts.get(sort) {
            Sort::String => self.strings,
            Sort::Int | Sort::Real => self.numbers,
            Sort::RegLan => self.numbers + 4,
            Sort::Array(..) => self.finite.min(32),
            _ => self.finite,
        };
        simple(store, sort, most, seeds)
    }
}

/// Formulas that must all hold.
#[derive(Clone, Debug)]
pub(crate) struct Conjunction {
    parts: Vec<Part>,
    /// The formulas without their quantifiers.
    terms: Vec<TermId>,
}

/// A part of a conjunction. Where a condition is known, only one branch is left.
#[derive(Clone, Debug)]
enum Part {
    /// A formula, and the two sides if it is an equation.
    Leaf(Unfolded, Option<(TermId, TermId)>),
    /// A condition and what holds where it is true or false.
    Branch(Unfolded, Vec<Part>, Vec<Part>),
}

impl Part {
    fn all(store: &mut Store, formula: TermId) -> Vec<Part> {
        let parts = conjuncts(store, formula);
        parts.into_iter().map(|part| Part::new(store, part)).collect()
    }

    fn new(store: &mut Store, formula: TermId) -> Part {
        let shape = operator(store, formula).map(|(op, args)| (op, args.to_vec()));
        match shape {
            Some((core::ITE, args)) => {
                let (then, otherwise) = (Part::all(store, args[1]), Part::all(store, args[2]));
                Part::Branch(Unfolded::new(store, args[0]), then, otherwise)
            }
            Some((core::IMPLIES, args)) if args.len() == 2 => {
                let then = Part::all(store, args[1]);
                Part::Branch(Unfolded::new(store, args[0]), then, Vec::new())
            }
            _ => Part::Leaf(Unfolded::new(store, formula), equation(store, formula)),
        }
    }
}

/// The sides of an equation, `(= (= a b) true)` included.
fn equation(store: &Store, formula: TermId) -> Option<(TermId, TermId)> {
    let Some((core::EQ, &[a, b])) = operator(store, formula) else { return None };
    match (operator(store, a), operator(store, b)) {
        (Some((core::EQ, _)), Some((core::TRUE, _))) => equation(store, a),
        _ => Some((a, b)),
    }
}

impl Conjunction {
    pub(crate) fn new(store: &mut Store, formulas: &[TermId]) -> Conjunction {
        let parts = formulas.iter().flat_map(|&formula| Part::all(store, formula)).collect();
        let terms = formulas.iter().map(|&f| Unfolded::new(store, f).matrix()).collect();
        Conjunction { parts, terms }
    }

    /// Whether all hold.
    pub(crate) fn holds(&self, sight: &mut Sight<'_>, model: &mut Model) -> Result<bool, Unknown> {
        let open: Vec<&Part> = self.parts.iter().collect();
        match sight.narrow(model, &open) {
            None => Ok(false),
            Some(open) if open.is_empty() => Ok(true),
            Some(_) => Err(Unknown::Unsupported("a formula is unknown")),
        }
    }

    /// The terms that some part equates with a variable.
    fn definitions(&self, store: &Store, variable: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        for part in self.terms.iter().flat_map(|&term| preorder(store, term)) {
            let Some((core::EQ, &[a, b])) = operator(store, part) else { continue };
            for (side, other) in [(a, b), (b, a)] {
                let own = preorder(store, other).contains(&variable);
                if side == variable && !own && !found.contains(&other) {
                    found.push(other);
                }
            }
        }
        found
    }
}

/// A store, and how many evaluations may still be made.
pub(crate) struct Sight<'a> {
    pub(crate) store: &'a Store,
    pub(crate) left: u64,
}

impl Sight<'_> {
    /// Of the parts that were open, what still is; nothing if one is false.
    fn narrow<'p>(&mut self, model: &mut Model, open: &[&'p Part]) -> Option<Vec<&'p Part>> {
        let mut work: Vec<&Part> = open.iter().rev().copied().collect();
        let mut still = Vec::new();
        while let Some(part) = work.pop() {
            match part {
                Part::Leaf(formula, _) => match self.holds(formula, model) {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(_) => still.push(part),
                },
                Part::Branch(condition, then, otherwise) => match self.holds(condition, model) {
                    Ok(true) => work.extend(then.iter().rev()),
                    Ok(false) => work.extend(otherwise.iter().rev()),
                    Err(_) => still.push(part),
                },
            }
        }
        Some(still)
    }

    fn holds(&mut self, formula: &Unfolded, model: &mut Model) -> Result<bool, Unknown> {
        formula.holds(self.store, model, &mut self.left)
    }

    /// The only values that a variable can have, if open equations say so: the fewest.
    fn possible(&self, model: &Model, open: &[&Part], variable: Variable) -> Option<Vec<Value>> {
        let equations = open.iter().filter_map(|part| match part {
            Part::Leaf(_, equation) => *equation,
            Part::Branch(..) => None,
        });
        let sides = equations.flat_map(|(a, b)| [(a, b), (b, a)]);
        let mut evaluator = Evaluator::new(self.store, model);
        let lists = sides.filter_map(|(side, other)| {
            if side == variable.term {
                return evaluator.eval(other).ok().map(|value| vec![value]);
            }
            let pieces = pieces(self.store, side);
            if pieces.len() < 2 || !pieces.contains(&variable.term) {
                return None;
            }
            let Ok(Value::Str(text)) = evaluator.eval(other) else { return None };
            let known = pieces.iter().map(|&piece| evaluator.eval(piece).ok()).collect();
            Some(fitting(&text, &pieces, known, variable.term))
        });
        lists.min_by_key(Vec::len)
    }

    /// Of the variables without a value, one with the fewest possible ones.
    fn tightest(
        &self,
        model: &Model,
        open: &[&Part],
        variables: &[Variable],
        values: &[Option<Value>],
    ) -> Option<(usize, Vec<Value>)> {
        let unassigned = (0..values.len()).filter(|&at| values[at].is_none());
        let possible = unassigned.filter_map(|at| {
            self.possible(model, open, variables[at]).map(|possible| (at, possible))
        });
        possible.min_by_key(|(_, values)| values.len())
    }
}

/// The pieces of a concatenation.
fn pieces(store: &Store, term: TermId) -> Vec<TermId> {
    match operator(store, term) {
        Some((strings::CONCAT, args)) => args.iter().flat_map(|&arg| pieces(store, arg)).collect(),
        _ => vec![term],
    }
}

/// The values of one piece with which a concatenation can be this text.
fn fitting(
    text: &[u32],
    pieces: &[TermId],
    known: Vec<Option<Value>>,
    wanted: TermId,
) -> Vec<Value> {
    let mut text = text;
    let mut rest: std::collections::VecDeque<(TermId, Option<Value>)> =
        pieces.iter().copied().zip(known).collect();
    while let Some((_, Some(Value::Str(piece)))) = rest.front() {
        let Some(after) = text.strip_prefix(&piece[..]) else { return Vec::new() };
        text = after;
        rest.pop_front();
    }
    while let Some((_, Some(Value::Str(piece)))) = rest.back() {
        let Some(before) = text.strip_suffix(&piece[..]) else { return Vec::new() };
        text = before;
        rest.pop_back();
    }
    let first = rest.front().is_some_and(|(piece, _)| *piece == wanted);
    let last = rest.back().is_some_and(|(piece, _)| *piece == wanted);
    let texts: Vec<Text> = match (first, last) {
        (true, true) if rest.len() == 1 => vec![text.into()],
        (true, _) => (0..=text.len()).map(|end| text[..end].into()).collect(),
        (_, true) => (0..=text.len()).map(|start| text[start..].into()).collect(),
        _ => parts(&text.into()),
    };
    texts.into_iter().map(Value::Str).collect()
}

/// What is to follow wherever the premise holds.
pub(crate) enum Conclusion {
    /// These hold.
    Holds(Conjunction),
    /// These hold for some values of the variables.
    HoldsFor(Vec<Variable>, Vec<Vec<Value>>, Conjunction),
}

/// What an enumeration came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Assignments, those included that were seen to be pointless from their first few values.
    pub(crate) assignments: u128,
    /// Those among them for which the premise held and the conclusion did too.
    pub(crate) held: u64,
    /// Those for which something was unknown.
    pub(crate) unknown: u64,
}

/// Why an enumeration stopped early.
pub(crate) enum Stop {
    /// The premise holds here and the conclusion does not.
    Counterexample(Vec<Value>),
    /// There was too much to do.
    Budget,
}

/// An enumeration of all assignments from given domains.
pub(crate) struct Enumeration<'a> {
    pub(crate) sight: Sight<'a>,
    pub(crate) variables: &'a [Variable],
    pub(crate) domains: &'a [Vec<Value>],
    pub(crate) premise: &'a Conjunction,
    pub(crate) conclusion: &'a Conclusion,
}

impl Enumeration<'_> {
    pub(crate) fn run(&mut self) -> Result<Tally, Stop> {
        let sizes = self.domains.iter().map(|domain| domain.len() as u128);
        let mut tally =
            Tally { assignments: sizes.fold(1, u128::saturating_mul), ..Tally::default() };
        let mut model = blank(self.variables);
        let open: Vec<&Part> = self.premise.parts.iter().collect();
        let mut values = vec![None; self.variables.len()];
        self.descend(&mut model, &open, &mut values, &mut tally)?;
        Ok(tally)
    }

    fn descend(
        &mut self,
        model: &mut Model,
        open: &[&Part],
        values: &mut Vec<Option<Value>>,
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        if self.sight.left == 0 {
            return Err(Stop::Budget);
        }
        let Some(open) = self.sight.narrow(model, open) else { return Ok(()) };
        let Some(first) = values.iter().position(Option::is_none) else {
            return self.conclude(model, &open, values, tally);
        };
        // A variable that an equation decides comes first. Other values would make it false.
        let tightest = self.sight.tightest(model, &open, self.variables, values);
        let (next, candidates) = match &tightest {
            Some((at, possible)) => (*at, possible),
            None => (first, &self.domains[first]),
        };
        for value in candidates {
            model.set(self.variables[next].func, Interpretation::Value(value.clone()));
            values[next] = Some(value.clone());
            self.descend(model, &open, values, tally)?;
        }
        values[next] = None;
        model.set(self.variables[next].func, unassigned());
        Ok(())
    }

    fn conclude(
        &mut self,
        model: &mut Model,
        open: &[&Part],
        values: &[Option<Value>],
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        if !open.is_empty() {
            tally.unknown += 1;
            return Ok(());
        }
        match self.conclusion.holds(&mut self.sight, model, self.variables) {
            Ok(true) => tally.held += 1,
            Ok(false) => {
                return Err(Stop::Counterexample(values.iter().flatten().cloned().collect()));
            }
            Err(_) => tally.unknown += 1,
        }
        Ok(())
    }
}

impl Conclusion {
    /// Whether it holds. Where values had to be found and none were, it does not.
    pub(crate) fn holds(
        &self,
        sight: &mut Sight<'_>,
        model: &mut Model,
        given: &[Variable],
    ) -> Result<bool, Unknown> {
        match self {
            Conclusion::Holds(formulas) => formulas.holds(sight, model),
            Conclusion::HoldsFor(sought, domains, formulas) => {
                let own = Sight { store: sight.store, left: HUNT };
                let mut hunt = Hunt {
                    sight: own,
                    given,
                    sought,
                    domains,
                    formulas,
                    suggestions: true,
                    met_unknown: false,
                };
                let found = hunt.run(model);
                let decided = !hunt.met_unknown && hunt.sight.left > 0;
                sight.left = sight.left.saturating_sub(HUNT - hunt.sight.left);
                match found {
                    Some(_) => Ok(true),
                    None if decided => Ok(false),
                    None => Err(Unknown::Limit("values for variables")),
                }
            }
        }
    }
}

/// How many evaluations a search for auxiliary values may take.
const HUNT: u64 = 40_000;

/// A search for values that make formulas true, guided by what the formulas say: a variable that
/// is equated with a term gets that term's value first, and strings are parts of other strings.
pub(crate) struct Hunt<'a> {
    pub(crate) sight: Sight<'a>,
    /// Variables that have values already.
    pub(crate) given: &'a [Variable],
    /// Variables that need one.
    pub(crate) sought: &'a [Variable],
    /// Simple values for each of them, to begin with.
    pub(crate) domains: &'a [Vec<Value>],
    pub(crate) formulas: &'a Conjunction,
    /// Whether equations anywhere in the formulas suggest values; else only those that must hold.
    pub(crate) suggestions: bool,
    /// Whether some assignment left a formula unknown.
    pub(crate) met_unknown: bool,
}

impl Hunt<'_> {
    /// Values for the variables in the order given; the model gets them too.
    pub(crate) fn run(&mut self, model: &mut Model) -> Option<Vec<Value>> {
        for variable in self.sought {
            model.set(variable.func, unassigned());
        }
        let store = self.sight.store;
        let definitions = |v: &Variable| match self.suggestions {
            true => self.formulas.definitions(store, v.term),
            false => Vec::new(),
        };
        let definitions: Vec<Vec<TermId>> = self.sought.iter().map(definitions).collect();
        let mut values = vec![None; self.sought.len()];
        let open: Vec<&Part> = self.formulas.parts.iter().collect();
        let found = self.descend(model, &open, &mut values, &definitions);
        let values: Option<Vec<Value>> = values.into_iter().collect();
        values.filter(|_| found)
    }

    fn descend(
        &mut self,
        model: &mut Model,
        open: &[&Part],
        values: &mut Vec<Option<Value>>,
        definitions: &[Vec<TermId>],
    ) -> bool {
        if self.sight.left == 0 {
            return false;
        }
        let Some(open) = self.sight.narrow(model, open) else { return false };
        let Some((next, candidates)) = self.next(model, &open, values, definitions) else {
            self.met_unknown |= !open.is_empty();
            return open.is_empty();
        };
        let variable = self.sought[next];
        for value in candidates {
            model.set(variable.func, Interpretation::Value(value.clone()));
            values[next] = Some(value);
            if self.descend(model, &open, values, definitions) {
                return true;
            }
        }
        values[next] = None;
        model.set(variable.func, unassigned());
        false
    }

    /// The variable to decide next, with the values to try: one that an equation decides, else one
    /// whose definition has a value, else the first.
    fn next(
        &self,
        model: &Model,
        open: &[&Part],
        values: &[Option<Value>],
        definitions: &[Vec<TermId>],
    ) -> Option<(usize, Vec<Value>)> {
        if let Some(tightest) = self.sight.tightest(model, open, self.sought, values) {
            return Some(tightest);
        }
        let mut suggested = None;
        for at in (0..values.len()).filter(|&at| values[at].is_none()) {
            let mut evaluator = Evaluator::new(self.sight.store, model);
            let known: Vec<Value> =
                definitions[at].iter().filter_map(|&term| evaluator.eval(term).ok()).collect();
            let better = match &suggested {
                None => true,
                Some((_, values)) => Vec::is_empty(values) && !known.is_empty(),
            };
            if better {
                suggested = Some((at, known));
            }
        }
        let (at, first) = suggested?;
        Some((at, self.candidates(model, at, first, values)))
    }

    fn candidates(
        &self,
        model: &Model,
        at: usize,
        mut candidates: Vec<Value>,
        values: &[Option<Value>],
    ) -> Vec<Value> {
        let (store, variable) = (self.sight.store, self.sought[at]);
        candidates.extend(self.domains[at].iter().cloned());
        let meaning = |v: &Variable| match model.get(v.func) {
            Some(Interpretation::Value(value)) => Some(value.clone()),
            _ => None,
        };
        let assigned: Vec<Value> =
            self.given.iter().filter_map(meaning).chain(values.iter().flatten().cloned()).collect();
        let texts = assigned.iter().filter_map(|value| match value {
            Value::Str(text) if text.len() <= LONGEST => Some(text),
            _ => None,
        });
        let texts: Vec<&Text> = texts.collect();
        match store.sorts.get(variable.sort) {
            Sort::String => {
                candidates.extend(texts.iter().flat_map(|text| parts(text)).map(Value::Str));
            }
            Sort::Int => {
                let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
                candidates.extend((0..=longest).map(|n| Value::Int(n.into())));
            }
            _ => {
                let same = |value: &&Value| simple_sort(store, value) == Some(variable.sort);
                candidates.extend(assigned.iter().filter(same).cloned());
            }
        }
        let mut seen = rustc_hash::FxHashSet::default();
        candidates.retain(|value| seen.insert(value.clone()));
        candidates
    }
}

/// Longer strings have too many parts to try.
const LONGEST: usize = 8;

/// The sort of an array or a bit-vector.
fn simple_sort(store: &Store, value: &Value) -> Option<SortId> {
    match value {
        Value::Array(array) => Some(array.sort),
        Value::BitVec(bits) => store.sorts.find(&Sort::BitVec(bits.width())),
        Value::Float(float) => store.sorts.find(&Sort::Float(float.format())),
        Value::RegLan(_) => Some(SortId::REGLAN),
        Value::Real(_) => Some(SortId::REAL),
        _ => None,
    }
}

/// A model that gives no variable a value.
pub(crate) fn blank(variables: &[Variable]) -> Model {
    let mut model = Model::new();
    for variable in variables {
        model.set(variable.func, unassigned());
    }
    model
}

/// The constants in terms, each value once: numbers with their neighbours and as numerals.
pub(crate) fn seeds(store: &Store, terms: &[TermId], sort: SortId) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut add = |value: Value| {
        if !found.contains(&value) {
            found.push(value);
        }
    };
    for part in terms.iter().flat_map(|&term| preorder(store, term)) {
        let Term::Literal(literal) = store.get(part) else { continue };
        match (literal, sort) {
            (Value::Int(n), SortId::INT) => {
                let n = n.to_big();
                for near in [n.clone(), &n - 1, &n + 1, -n] {
                    add(Value::Int(near.into()));
                }
            }
            (Value::Int(n), SortId::STRING) => add(Value::text(&n.to_big().to_string())),
            (Value::Str(_), SortId::STRING) | (Value::Real(_), SortId::REAL) => {
                add(literal.clone())
            }
            _ => {}
        }
    }
    found
}
