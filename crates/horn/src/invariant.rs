//! Invariants of a system: formulas that hold for all facts that are met, of which those remain that the
//! clauses provably preserve together.

use crate::system::{Draft, System, Use, closed};
use crate::words::{Words, and, is_number, or, remainder};
use assay_case::horn::{Fact, Run, is_valid};
use assay_mutate::Draw;
use assay_term::theories::{core, ints};
use assay_term::{
    Budget, Evaluator, Int, Interpretation, Model, Replacements, SortId, Store, Term, TermId, Value,
};
use num_rational::BigRational;

/// The most formulas of a predicate.
const MOST: usize = 14;

/// The most facts of a predicate that a formula lists.
const LISTED: usize = 10;

/// The steps for one proof.
const STEPS: u64 = 60_000;

/// Formulas for each predicate, over its parameters.
pub(crate) struct Invariants(pub(crate) Vec<Vec<TermId>>);

impl Invariants {
    /// Formulas that a system preserves.
    pub(crate) fn of(
        words: &Words,
        store: &mut Store,
        draw: &mut Draw,
        system: &System,
        run: &Run,
    ) -> Invariants {
        let candidates = (0..system.predicates.len())
            .map(|at| candidates(words, store, draw, system, at, run))
            .collect();
        let mut invariants = Invariants(candidates);
        loop {
            let mut is_stable = true;
            for clause in &system.clauses {
                let Some((to, args)) = &clause.head else { continue };
                let kept: Vec<TermId> = invariants.0[*to]
                    .clone()
                    .into_iter()
                    .filter(|&candidate| {
                        invariants.preserve(store, system, clause, candidate, args)
                    })
                    .collect();
                is_stable &= kept.len() == invariants.0[*to].len();
                invariants.0[*to] = kept;
            }
            if is_stable {
                return invariants;
            }
        }
    }

    /// Whether the premises of a clause imply a formula about its conclusion.
    fn preserve(
        &self,
        store: &mut Store,
        system: &System,
        clause: &Draft,
        candidate: TermId,
        args: &[TermId],
    ) -> bool {
        let (to, _) = clause.head.as_ref().expect("the clause concludes a predicate");
        let conclusion = instance(store, system, *to, candidate, args);
        let mut premises: Vec<TermId> =
            clause.premises.iter().map(|used| self.holds(store, system, used)).collect();
        premises.extend(&clause.constraints);
        let sentence = closed(store, &premises, conclusion);
        is_valid(store, sentence, &mut Budget::new(STEPS, 1 << 22))
    }

    /// Whether a clause preserves all invariants.
    pub(crate) fn preserved(&self, store: &mut Store, system: &System, clause: &Draft) -> bool {
        let Some((to, args)) = &clause.head else { return self.exclude(store, system, clause) };
        self.0[*to].iter().all(|&part| self.preserve(store, system, clause, part, args))
    }

    /// Whether the invariants exclude what a clause without a conclusion asks for.
    pub(crate) fn exclude(&self, store: &mut Store, system: &System, question: &Draft) -> bool {
        let sentence = question.sentence(store, |store, used| self.holds(store, system, used));
        is_valid(store, sentence, &mut Budget::new(STEPS, 1 << 22))
    }

    /// The invariants of a predicate about terms.
    fn holds(&self, store: &mut Store, system: &System, (at, args): &Use) -> TermId {
        let parts: Vec<TermId> =
            self.0[*at].iter().map(|&part| instance(store, system, *at, part, args)).collect();
        and(store, &parts)
    }

    /// A part of a predicate's invariants about terms.
    pub(crate) fn instance(
        &self,
        store: &mut Store,
        system: &System,
        predicate: usize,
        part: TermId,
        args: &[TermId],
    ) -> TermId {
        instance(store, system, predicate, part, args)
    }

    /// An interpretation of the predicates.
    pub(crate) fn model(&self, store: &mut Store, system: &System) -> Model {
        let mut model = Model::new();
        for (predicate, parts) in system.predicates.iter().zip(&self.0) {
            let params = predicate.params.clone().into_boxed_slice();
            let body = and(store, parts);
            model.set(predicate.func, Interpretation::Definition { params, body });
        }
        model
    }
}

/// A formula about the parameters of a predicate, about terms instead.
fn instance(
    store: &mut Store,
    system: &System,
    predicate: usize,
    formula: TermId,
    args: &[TermId],
) -> TermId {
    let params = &system.predicates[predicate].params;
    let mut by: Replacements = params.iter().copied().zip(args.iter().copied()).collect();
    store.replace(formula, &mut by)
}

/// Formulas over the parameters of a predicate that hold for its facts.
fn candidates(
    words: &Words,
    store: &mut Store,
    draw: &mut Draw,
    system: &System,
    at: usize,
    run: &Run,
) -> Vec<TermId> {
    let predicate = &system.predicates[at];
    let params = &predicate.params;
    let facts: Vec<&Fact> =
        run.facts.iter().filter(|fact| fact.predicate == predicate.func).collect();
    let mut found: Vec<TermId> = predicate.guard.into_iter().collect();
    if facts.is_empty() {
        return if run.is_complete { vec![store.bool(false)] } else { found };
    }
    if run.is_complete && facts.len() <= LISTED {
        let point = |fact: &&Fact| -> Option<TermId> {
            let equations: Option<Vec<TermId>> = params
                .iter()
                .zip(&fact.args)
                .map(|(&param, value)| {
                    let value = store.value(value)?;
                    store.op(core::EQ, &[param, value]).ok()
                })
                .collect();
            Some(and(store, &equations?))
        };
        if let Some(points) = facts.iter().map(point).collect::<Option<Vec<TermId>>>() {
            found.push(or(store, &points));
        }
    }
    let mut others = Vec::new();
    for (place, &param) in params.iter().enumerate() {
        let values: Vec<&Value> = facts.iter().map(|fact| &fact.args[place]).collect();
        if values.iter().all(|value| *value == values[0]) {
            let value = store.value(values[0]);
            others.extend(value.and_then(|value| store.op(core::EQ, &[param, value]).ok()));
        }
        if is_number(store, param) {
            bounds(store, system, param, &values, &mut others);
            remainders(store, draw, param, &values, &mut others);
        }
    }
    differences(store, params, &facts, &mut others);
    for _ in 0..12 {
        others.push(words.formula(store, draw, params));
    }
    others.retain(|&formula| facts.iter().all(|fact| is_true(store, params, formula, &fact.args)));
    while found.len() < MOST && !others.is_empty() {
        let next = others.swap_remove(draw.below(others.len()));
        if store.mentions_variables(next) && !found.contains(&next) {
            found.push(next);
        }
    }
    found
}

/// Whether a formula over variables holds for values of them.
pub(crate) fn is_true(
    store: &Store,
    variables: &[TermId],
    formula: TermId,
    values: &[Value],
) -> bool {
    let mut store = store.clone();
    let (mut by, mut model) = (Replacements::default(), Model::new());
    for (at, (&variable, value)) in variables.iter().zip(values).enumerate() {
        let name = store.symbols.intern(&format!("value|{at}"));
        let (func, constant) = store.declare_constant(name, store.sort(variable));
        by.insert(variable, constant);
        model.set(func, Interpretation::Value(value.clone()));
    }
    let ground = store.replace(formula, &mut by);
    Evaluator::new(&store, &model).holds(ground) == Ok(true)
}

/// The number that a value is.
fn number(value: &Value) -> Option<BigRational> {
    match value {
        Value::Int(number) => Some(BigRational::from_integer(number.to_big())),
        Value::Real(number) => Some(number.as_ref().clone()),
        _ => None,
    }
}

fn numeral(store: &mut Store, sort: SortId, number: &BigRational) -> TermId {
    match sort {
        SortId::INT => store.int(&Int::from(number.to_integer())),
        _ => store.real(number),
    }
}

/// The least and the greatest value, and bounds that the clauses mention.
fn bounds(
    store: &mut Store,
    system: &System,
    param: TermId,
    values: &[&Value],
    found: &mut Vec<TermId>,
) {
    let numbers: Vec<BigRational> = values.iter().filter_map(|value| number(value)).collect();
    let (Some(least), Some(most)) = (numbers.iter().min(), numbers.iter().max()) else { return };
    let sort = store.sort(param);
    let terms: Vec<TermId> = system.clauses.iter().flat_map(Draft::terms).collect();
    let literal = |&term: &TermId| match store.get(term) {
        Term::Literal(value) if store.sort(term) == sort => number(value),
        _ => None,
    };
    let mut literals: Vec<BigRational> =
        store.postorder(&terms).iter().filter_map(literal).collect();
    literals.sort();
    literals.dedup();
    let above = literals.iter().filter(|literal| *literal > most).take(2);
    for bound in above.chain([most]) {
        let bound = numeral(store, sort, bound);
        found.extend(store.op(ints::LE, &[param, bound]));
    }
    let zero = BigRational::from_integer(0.into());
    let below = (zero < *least).then_some(&zero);
    for bound in below.into_iter().chain([least]) {
        let bound = numeral(store, sort, bound);
        found.extend(store.op(ints::GE, &[param, bound]));
    }
}

/// Remainders that all values have.
fn remainders(
    store: &mut Store,
    draw: &mut Draw,
    param: TermId,
    values: &[&Value],
    found: &mut Vec<TermId>,
) {
    if store.sort(param) != SortId::INT {
        return;
    }
    let divisor = 2 + draw.below(4) as i64;
    let rest = |value: &&Value| match value {
        Value::Int(number) => number.div_mod(&Int::from(divisor)).map(|(_, rest)| rest),
        _ => None,
    };
    let Some(first) = values.first().and_then(rest) else { return };
    if values.iter().all(|value| rest(value).as_ref() == Some(&first)) {
        found.extend(first.to_i64().map(|rest| remainder(store, param, divisor, rest)));
    }
}

/// Bounds of sums and differences of two parameters.
fn differences(store: &mut Store, params: &[TermId], facts: &[&Fact], found: &mut Vec<TermId>) {
    for (one, &a) in params.iter().enumerate() {
        for (other, &b) in params.iter().enumerate().skip(one + 1) {
            let sort = store.sort(a);
            if !is_number(store, a) || store.sort(b) != sort {
                continue;
            }
            for op in [ints::SUB, ints::ADD] {
                let values = facts.iter().filter_map(|fact| {
                    let (a, b) = (number(&fact.args[one])?, number(&fact.args[other])?);
                    Some(if op == ints::SUB { a - b } else { a + b })
                });
                let values: Vec<BigRational> = values.collect();
                let (Some(least), Some(most)) = (values.iter().min(), values.iter().max()) else {
                    continue;
                };
                let Ok(combined) = store.op(op, &[a, b]) else { continue };
                for (relation, bound) in [(ints::GE, least), (ints::LE, most)] {
                    let bound = numeral(store, sort, bound);
                    found.extend(store.op(relation, &[combined, bound]));
                }
            }
        }
    }
}
