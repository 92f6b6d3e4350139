//! Clauses that are equisatisfiable with a formula, in linear time.
//!
//! Each connective gets its own variable. Quantifiers, and equalities of truth values with more than
//! two sides, are literals. Every variable has a definition, so a model of the formula extends to a
//! model of the clauses.

use crate::occurrences::Polarity;
use crate::seed::Base;
use assay_smtlib::Command;
use assay_term::theories::core;
use assay_term::{
    Evaluator, FuncId, Interpretation, Model, Op, SortId, Store, Term, TermId, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Which clauses define a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Definitions {
    /// In both directions (Tseitin).
    Full,
    /// Only in the direction required by the variable's polarity (Plaisted and Greenbaum).
    Polar,
}

/// A formula as clauses.
pub(crate) struct Clauses {
    pub(crate) base: Base,
    /// The definition of each new variable, inner ones first.
    meanings: Vec<(FuncId, TermId)>,
}

impl Clauses {
    pub(crate) fn new(base: &Base, definitions: Definitions) -> Clauses {
        let mut work = Work {
            base: base.clone(),
            definitions,
            literals: FxHashMap::default(),
            done: FxHashMap::default(),
            clauses: Vec::new(),
            meanings: Vec::new(),
        };
        work.base.assertions.clear();
        for &assertion in &base.assertions {
            for part in conjuncts(&work.base.store, assertion) {
                work.name_parts(part);
                let clause = work.top_clause(part);
                work.clauses.push(clause);
            }
        }
        let Work { mut base, clauses, meanings, .. } = work;
        for &(func, _) in &meanings {
            base.prelude.push(Command::DeclareConst(func));
            let added = Arc::make_mut(&mut base.env).add_declared(&mut base.store, func);
            assert!(added, "the name is fresh");
        }
        base.assertions =
            clauses.into_iter().map(|clause| disjunction(&mut base.store, &clause)).collect();
        Clauses { base, meanings }
    }

    /// A model of the formula, extended to the new variables; `None` if a part is unknown.
    pub(crate) fn extend(&self, model: &Model) -> Option<Model> {
        let mut evaluator = Evaluator::new(&self.base.store, model).completing();
        let values: Option<Vec<(FuncId, bool)>> = self
            .meanings
            .iter()
            .map(|&(func, meaning)| Some((func, evaluator.holds(meaning).ok()?)))
            .collect();
        let mut extended = model.clone();
        for (func, value) in values? {
            extended.set(func, Interpretation::Value(Value::Bool(value)));
        }
        Some(extended)
    }
}

/// A literal: a term, or its negation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Literal {
    term: TermId,
    negated: bool,
}

impl Literal {
    fn not(self) -> Literal {
        Literal { negated: !self.negated, ..self }
    }
}

struct Work {
    base: Base,
    definitions: Definitions,
    /// The literal that stands for a connective.
    literals: FxHashMap<TermId, Literal>,
    /// Which directions of a connective are defined: positive, negative.
    done: FxHashMap<TermId, [bool; 2]>,
    clauses: Vec<Vec<Literal>>,
    meanings: Vec<(FuncId, TermId)>,
}

impl Work {
    /// Introduces a variable for every connective below a term, and for the term itself unless it is
    /// already a clause.
    fn name_parts(&mut self, root: TermId) {
        let mut open = Vec::new();
        for part in clause_parts(&self.base.store, root) {
            open.push((part.term, part.negated, false));
        }
        // Each entry: a term, whether it occurs negated, whether its parts have been processed.
        while let Some((term, negated, ready)) = open.pop() {
            let (term, flipped) = without_negations(&self.base.store, term);
            let negated = negated != flipped;
            let polarities: &[bool] = match self.definitions {
                Definitions::Full => &[false, true],
                Definitions::Polar if negated => &[true],
                Definitions::Polar => &[false],
            };
            let done = self.done.get(&term).copied().unwrap_or_default();
            let missing: Vec<bool> =
                polarities.iter().copied().filter(|&negated| !done[usize::from(negated)]).collect();
            let Some((op, args)) = connective(&self.base.store, term) else { continue };
            if missing.is_empty() {
                continue;
            }
            if !ready {
                open.push((term, negated, true));
                for (at, &arg) in args.iter().enumerate() {
                    for flipped in occurrences(op, at, args.len()) {
                        for &outer in &missing {
                            open.push((arg, outer != *flipped, false));
                        }
                    }
                }
                continue;
            }
            let args = args.to_vec();
            let literal = self.literal(term);
            let done = self.done.entry(term).or_default();
            missing.iter().for_each(|&negated| done[usize::from(negated)] = true);
            let args: Vec<Literal> = args.iter().map(|&arg| self.literal(arg)).collect();
            for negated in missing {
                let polarity = if negated { Polarity::Negative } else { Polarity::Positive };
                self.define(literal, op, &args, polarity);
            }
        }
    }

    /// The literal of a formula: itself, or the variable that represents it.
    fn literal(&mut self, term: TermId) -> Literal {
        let (term, negated) = without_negations(&self.base.store, term);
        if connective(&self.base.store, term).is_none() {
            return Literal { term, negated };
        }
        if let Some(&known) = self.literals.get(&term) {
            return if negated { known.not() } else { known };
        }
        let name = self.base.fresh_name("cnf", self.meanings.len());
        let func = self.base.store.declare(&name, &[], SortId::BOOL);
        let variable = self.base.store.app(func, &[]).expect("a declared constant");
        self.meanings.push((func, term));
        let literal = Literal { term: variable, negated: false };
        self.literals.insert(term, literal);
        Literal { negated, ..literal }
    }

    /// The clauses of one direction of a definition: the variable implies the connective, or its
    /// negation implies the connective's negation.
    fn define(&mut self, variable: Literal, op: Op, args: &[Literal], polarity: Polarity) {
        let clauses = &mut self.clauses;
        let holds = polarity == Polarity::Positive;
        // One direction of the equivalence.
        let premise = if holds { variable.not() } else { variable };
        match op {
            core::AND | core::OR => {
                let all = (op == core::AND) == holds;
                let side = |arg: &Literal| if holds { *arg } else { arg.not() };
                if all {
                    clauses.extend(args.iter().map(|arg| vec![premise, side(arg)]));
                } else {
                    clauses.push([premise].into_iter().chain(args.iter().map(side)).collect());
                }
            }
            core::IMPLIES => {
                let (&last, premises) = args.split_last().expect("an implication has two sides");
                if holds {
                    let premises = premises.iter().map(|arg| arg.not());
                    clauses.push([premise].into_iter().chain(premises).chain([last]).collect());
                } else {
                    clauses.extend(premises.iter().map(|&arg| vec![premise, arg]));
                    clauses.push(vec![premise, last.not()]);
                }
            }
            core::ITE => {
                let [condition, then, other] = [args[0], args[1], args[2]];
                let side = |arg: Literal| if holds { arg } else { arg.not() };
                clauses.push(vec![premise, condition.not(), side(then)]);
                clauses.push(vec![premise, condition, side(other)]);
            }
            // An equality of two truth values, or its opposite.
            _ => {
                let [a, b] = [args[0], args[1]];
                let equal = (op == core::EQ) == holds;
                let b = if equal { b } else { b.not() };
                clauses.push(vec![premise, a.not(), b]);
                clauses.push(vec![premise, a, b.not()]);
            }
        }
    }

    /// An assertion as a clause.
    fn top_clause(&mut self, term: TermId) -> Vec<Literal> {
        let parts = clause_parts(&self.base.store, term);
        parts
            .into_iter()
            .map(|part| {
                let literal = self.literal(part.term);
                if part.negated { literal.not() } else { literal }
            })
            .collect()
    }
}

/// The disjuncts of an assertion.
fn clause_parts(store: &Store, term: TermId) -> Vec<Literal> {
    let (inner, negated) = without_negations(store, term);
    match connective(store, inner) {
        Some((core::OR, args)) if !negated => {
            args.iter().map(|&term| Literal { term, negated: false }).collect()
        }
        Some((core::AND, args)) if negated => {
            args.iter().map(|&term| Literal { term, negated: true }).collect()
        }
        Some((core::IMPLIES, args)) if !negated => {
            let last = args.len() - 1;
            let side = |(at, &term): (usize, &TermId)| Literal { term, negated: at < last };
            args.iter().enumerate().map(side).collect()
        }
        _ => vec![Literal { term: inner, negated }],
    }
}

/// The conjuncts of an assertion, each once.
pub(crate) fn conjuncts(store: &Store, term: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match (store.get(term), connective(store, term)) {
            (Term::Annotated(inner, _), _) => open.push(inner),
            (_, Some((core::AND, args))) => open.extend(args.iter().rev()),
            _ => found.push(term),
        }
    }
    found
}

fn without_negations(store: &Store, mut term: TermId) -> (TermId, bool) {
    let mut negated = false;
    loop {
        match (store.get(term), store.operator(term)) {
            (Term::Annotated(inner, _), _) => term = inner,
            (_, Some((core::NOT, args))) => (term, negated) = (args[0], !negated),
            _ => return (term, negated),
        }
    }
}

/// A connective that gets a variable.
fn connective(store: &Store, term: TermId) -> Option<(Op, &[TermId])> {
    let (op, args) = store.operator(term)?;
    let truth = |at: usize| store.sort(args[at]) == SortId::BOOL;
    let is = match op {
        core::AND | core::OR | core::IMPLIES => true,
        core::ITE => truth(1),
        core::EQ | core::DISTINCT | core::XOR => args.len() == 2 && truth(0),
        _ => false,
    };
    is.then_some((op, args))
}

/// Whether a part occurs positively, negatively, or both.
fn occurrences(op: Op, at: usize, count: usize) -> &'static [bool] {
    match op {
        core::IMPLIES if at + 1 < count => &[true],
        core::AND | core::OR | core::IMPLIES => &[false],
        core::ITE if at > 0 => &[false],
        _ => &[false, true],
    }
}

fn disjunction(store: &mut Store, clause: &[Literal]) -> TermId {
    let mut parts: Vec<TermId> = Vec::with_capacity(clause.len());
    for literal in clause {
        let term = match literal.negated {
            true => store.op(core::NOT, &[literal.term]).expect("a formula can be negated"),
            false => literal.term,
        };
        parts.push(term);
    }
    match parts[..] {
        [only] => only,
        _ => store.op(core::OR, &parts).expect("formulas can be joined"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use assay_term::satisfies;

    const NAMES: [&str; 4] = ["p", "q", "r", "s"];

    /// Formulas with every connective, shared parts and negations in unusual places.
    const FORMULAS: &[&str] = &[
        "(xor p (and q (not r)))",
        "(not (=> p q (or r s)))",
        "(ite (= p q) (distinct r s) (not (and p (or q r))))",
        "(= (and p q) (or (not p) (xor q r)))",
        "(let ((x (or p q))) (and (=> x r) (=> (not x) s) (= x (not (and x r)))))",
        "(and (and p (not p)) q)",
        "(or (not (or p q)) (= p q r) (distinct p q s))",
    ];

    fn assignments(base: &Base) -> impl Iterator<Item = Model> {
        let funcs: Vec<FuncId> = base
            .prelude
            .iter()
            .filter_map(|command| match command {
                Command::DeclareConst(func) => Some(*func),
                _ => None,
            })
            .collect();
        (0..1u32 << funcs.len()).map(move |bits| {
            let mut model = Model::new();
            for (at, &func) in funcs.iter().enumerate() {
                let value = Value::Bool(bits >> at & 1 == 1);
                model.set(func, Interpretation::Value(value));
            }
            model
        })
    }

    fn holds(base: &Base, model: &Model) -> bool {
        let values = satisfies(&base.store, model, &base.assertions).values;
        values.iter().all(|value| *value == Ok(true))
    }

    #[test]
    fn clauses_have_the_models_of_the_formula() {
        for text in FORMULAS {
            let declarations: String =
                NAMES.iter().map(|name| format!("(declare-const {name} Bool)")).collect();
            let text = format!("{declarations}(assert {text})(check-sat)");
            let seed = Seed::read("test", text.as_bytes(), 10_000).expect("it reads");
            for definitions in [Definitions::Full, Definitions::Polar] {
                let clauses = Clauses::new(&seed.base, definitions);
                for model in assignments(&seed.base) {
                    let extended = clauses.extend(&model).expect("everything has a value");
                    let expected = holds(&seed.base, &model);
                    assert_eq!(holds(&clauses.base, &extended), expected, "{text}");
                }
                // For a formula without a model, no choice of the new variables makes one.
                let some = assignments(&seed.base).any(|model| holds(&seed.base, &model));
                let found = assignments(&clauses.base).any(|model| holds(&clauses.base, &model));
                assert_eq!(found, some, "{text}");
                let is_clause = |&term: &TermId| {
                    connective(&clauses.base.store, term).is_none_or(|(op, args)| {
                        op == core::OR
                            && args.iter().all(|&arg| {
                                let (atom, _) = without_negations(&clauses.base.store, arg);
                                connective(&clauses.base.store, atom).is_none()
                            })
                    })
                };
                assert!(clauses.base.assertions.iter().all(is_clause), "{text}");
            }
        }
    }

    #[test]
    fn clauses_grow_linearly() {
        let count = |depth: usize| {
            let mut text = String::from("(declare-const p0 Bool)");
            let mut term = String::from("p0");
            for at in 1..=depth {
                text += &format!("(declare-const p{at} Bool)");
                term = format!("(let ((x {term})) (xor x (and x p{at})))");
            }
            let text = format!("{text}(assert {term})(check-sat)");
            let seed = Seed::read("test", text.as_bytes(), 100_000).expect("it reads");
            Clauses::new(&seed.base, Definitions::Full).base.assertions.len()
        };
        assert_eq!(count(40) - count(30), count(30) - count(20));
        assert!(count(40) < 400, "{}", count(40));
    }
}
