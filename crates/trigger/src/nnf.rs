//! Inlines definitions and computes the negation normal form: `not` occurs only in literals, and
//! the connectives are `and`, `or` and quantifiers.
//!
//! Each subterm is visited once per polarity; sharing is preserved.

use crate::problem::Problem;
use assay_term::budget::as_steps;
use assay_term::theories::core;
use assay_term::{
    Attribute, Budget, Exhausted, Func, FuncId, Interpretation, Model, Op, Quantifier,
    Replacements, SortId, Store, Term, TermId, Unexpanded, Unreplaced,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The declared function at the head of a term, with its arguments.
pub(crate) fn declared(store: &Store, term: TermId) -> Option<(FuncId, &[TermId])> {
    match store.get(term) {
        Term::App(func, args) if matches!(store.func(func), Func::Declared { .. }) => {
            Some((func, args))
        }
        _ => None,
    }
}

/// The parts of nested `and`s (or `or`s), left to right, without repetition.
pub(crate) fn flattened(store: &Store, term: TermId, junction: Op) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        match store.operator(term) {
            Some((op, args)) if op == junction => work.extend(args.iter().rev()),
            _ => parts.push(term),
        }
    }
    parts
}

/// `and` or `or` of any number of formulas.
pub(crate) fn junction(store: &mut Store, op: Op, parts: &[TermId]) -> TermId {
    match parts {
        [] => store.bool(op == core::AND),
        [only] => *only,
        _ => store.op(op, parts).expect("formulas can be joined"),
    }
}

/// The negation of a literal.
pub(crate) fn negated(store: &mut Store, term: TermId) -> TermId {
    match store.operator(term) {
        Some((core::NOT, &[inner])) => inner,
        Some((core::TRUE, _)) => store.bool(false),
        Some((core::FALSE, _)) => store.bool(true),
        _ => store.op(core::NOT, &[term]).expect("formulas can be negated"),
    }
}

/// Renames the variables of every quantifier, so that none shadows another.
fn unshadowed(
    problem: &mut Problem,
    root: TermId,
    budget: &mut Budget,
) -> Result<TermId, Exhausted> {
    let mut by = Replacements::default();
    let terms = problem.store.postorder(&[root]);
    budget.spend(as_steps(terms.len()))?;
    for term in terms {
        let (vars, body) = match problem.store.get(term) {
            Term::Quant(_, vars, body) | Term::Lambda(vars, body) => (vars.to_vec(), body),
            _ => continue,
        };
        let mut children = Vec::with_capacity(vars.len() + 1);
        let mut renamed = Replacements::default();
        for &var in &vars {
            let Term::Var(name) = problem.store.get(var) else { continue };
            let stem = problem.store.symbols.name(name).to_owned();
            let stem = stem.split('!').next().unwrap_or_default().to_owned();
            let name = problem.fresh_name(&stem);
            let new = problem.store.var(name, problem.store.sort(var));
            renamed.insert(var, new);
            children.push(new);
        }
        // Inner quantifiers are done: their variables are already renamed.
        let body = replaced(&mut problem.store, body, &mut by, budget)?;
        children.push(replaced(&mut problem.store, body, &mut renamed, budget)?);
        let new = problem.store.with_children(term, &children).expect("variables with new names");
        by.insert(term, new);
    }
    replaced(&mut problem.store, root, &mut by, budget)
}

/// The term with parts replaced by others of the same sorts.
pub(crate) fn replaced(
    store: &mut Store,
    term: TermId,
    by: &mut Replacements,
    budget: &mut Budget,
) -> Result<TermId, Exhausted> {
    store.replaced_within(term, by, budget).map_err(|error| match error {
        Unreplaced::Limit(limit) => limit,
        Unreplaced::Sort(_) => unreachable!("the sorts are the same"),
    })
}

/// Replaces applications of defined functions by their bodies, and gives each bound variable a
/// unique name.
pub(crate) fn inlined(
    problem: &mut Problem,
    definitions: &Model,
    roots: &[TermId],
    budget: &mut Budget,
) -> Result<Vec<TermId>, Exhausted> {
    let mut plain = Vec::with_capacity(roots.len());
    for &root in roots {
        plain.push(unshadowed(problem, root, budget)?);
    }
    if definitions.is_empty() {
        return Ok(plain);
    }
    let expanded = match problem.store.expanded(&plain, definitions, budget) {
        Ok(roots) => roots,
        Err(Unexpanded::Limit(limit)) => return Err(limit),
        Err(error) => unreachable!("definitions are well sorted and not recursive: {error}"),
    };
    expanded.into_iter().map(|root| unshadowed(problem, root, budget)).collect()
}

/// Definitions ready to be inlined: their bound variables have unique names.
pub(crate) fn ready_definitions(
    problem: &mut Problem,
    budget: &mut Budget,
) -> Result<Model, Exhausted> {
    let mut ready = Model::new();
    for at in 0..problem.definitions.len() {
        let body = unshadowed(problem, problem.definitions[at].body, budget)?;
        let definition = &mut problem.definitions[at];
        definition.body = body;
        let params = definition.params.clone();
        ready.set(definition.func, Interpretation::Definition { params, body });
    }
    Ok(ready)
}

/// A subformula with its polarity.
type Signed = (TermId, bool);

/// Negation normal form.
#[derive(Default)]
pub(crate) struct Nnf {
    known: FxHashMap<Signed, TermId>,
}

impl Nnf {
    /// The formula, or its negation.
    pub(crate) fn of(
        &mut self,
        store: &mut Store,
        root: TermId,
        positive: bool,
        budget: &mut Budget,
    ) -> Result<TermId, Exhausted> {
        let mut work = vec![(root, positive)];
        while let Some(&goal) = work.last() {
            if self.known.contains_key(&goal) {
                work.pop();
                continue;
            }
            let before = work.len();
            let parts = needed(store, goal);
            budget.spend(1 + as_steps(parts.len()))?;
            for part in parts {
                if !self.known.contains_key(&part) {
                    work.push(part);
                }
            }
            if work.len() == before {
                let made = self.made(store, goal);
                self.known.insert(goal, made);
                work.pop();
            }
        }
        Ok(self.known[&(root, positive)])
    }

    /// Builds a formula whose parts are known.
    fn made(&self, store: &mut Store, (term, positive): Signed) -> TermId {
        let get = |part: TermId, sign: bool| self.known[&(part, sign)];
        if let Term::Quant(which, vars, body) = store.get(term) {
            let (vars, flipped) = (vars.to_vec(), which.flipped(positive));
            let body = match store.get(body) {
                Term::Annotated(inner, attributes) => {
                    let attributes: Vec<Attribute> = attributes.to_vec();
                    store.annotated(get(inner, positive), attributes)
                }
                _ => get(body, positive),
            };
            return store.quantified(flipped, &vars, body).expect("as before");
        }
        if let Term::Annotated(inner, _) = store.get(term) {
            return get(inner, positive);
        }
        let (and, or) = if positive { (core::AND, core::OR) } else { (core::OR, core::AND) };
        let Some((op, args)) = connective(store, term) else {
            return if positive { term } else { negated(store, term) };
        };
        let args = args.to_vec();
        match op {
            core::NOT => get(args[0], !positive),
            core::AND | core::OR => {
                let parts: Vec<TermId> = args.iter().map(|&part| get(part, positive)).collect();
                junction(store, if op == core::AND { and } else { or }, &parts)
            }
            core::IMPLIES => {
                let (&last, rest) = args.split_last().expect("an implication has arguments");
                let mut parts: Vec<TermId> =
                    rest.iter().map(|&part| get(part, !positive)).collect();
                parts.push(get(last, positive));
                junction(store, or, &parts)
            }
            core::ITE => {
                let then = [get(args[0], false), get(args[1], positive)];
                let other = [get(args[0], true), get(args[2], positive)];
                let both = [then, other].map(|parts| junction(store, core::OR, &parts));
                junction(store, core::AND, &both)
            }
            _ => {
                // Two formulas are equal, or differ.
                let same = (op == core::EQ) == positive;
                let first = [get(args[0], true), get(args[1], !same)];
                let second = [get(args[0], false), get(args[1], same)];
                let both = [first, second].map(|parts| junction(store, core::OR, &parts));
                junction(store, core::AND, &both)
            }
        }
    }
}

/// The connective at the head of a formula; `None` for literals.
fn connective(store: &Store, term: TermId) -> Option<(Op, &[TermId])> {
    let (op, args) = store.operator(term)?;
    let formulas = args.len() == 2 && store.sort(args[0]) == SortId::BOOL;
    match op {
        core::NOT | core::AND | core::OR | core::IMPLIES => Some((op, args)),
        core::ITE if store.sort(term) == SortId::BOOL => Some((op, args)),
        core::EQ | core::XOR | core::DISTINCT if formulas => Some((op, args)),
        _ => None,
    }
}

/// The parts that must be converted before a formula can be built.
fn needed(store: &Store, (term, positive): Signed) -> Vec<Signed> {
    match store.get(term) {
        Term::Quant(_, _, body) => {
            let inner = match store.get(body) {
                Term::Annotated(inner, _) => inner,
                _ => body,
            };
            return vec![(inner, positive)];
        }
        Term::Annotated(inner, _) => return vec![(inner, positive)],
        _ => {}
    }
    let Some((op, args)) = connective(store, term) else { return Vec::new() };
    match op {
        core::NOT => vec![(args[0], !positive)],
        core::AND | core::OR => args.iter().map(|&part| (part, positive)).collect(),
        core::IMPLIES => {
            let last = args.len() - 1;
            args.iter().enumerate().map(|(at, &part)| (part, (at == last) == positive)).collect()
        }
        core::ITE => {
            vec![(args[0], true), (args[0], false), (args[1], positive), (args[2], positive)]
        }
        _ => [args[0], args[1]].iter().flat_map(|&part| [(part, true), (part, false)]).collect(),
    }
}

/// A quantifier under a polarity.
trait Flipped {
    fn flipped(self, positive: bool) -> Quantifier;
}

impl Flipped for Quantifier {
    fn flipped(self, positive: bool) -> Quantifier {
        match (self, positive) {
            (which, true) => which,
            (Quantifier::Forall, false) => Quantifier::Exists,
            (Quantifier::Exists, false) => Quantifier::Forall,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(formula: &str) -> String {
        let text = format!(
            "(declare-fun a () Bool)(declare-fun b () Bool)(declare-fun c () Bool)
             (declare-fun p (Int) Bool)(define-fun both ((x Bool)(y Bool)) Bool (and x y))
             (define-fun neither ((x Bool)(y Bool)) Bool (both (not x) (not y)))
             (assert {formula})"
        );
        let mut problem = Problem::read(&text).expect("it is well formed");
        let root = problem.facts[0].term;
        let budget = &mut Budget::default();
        let definitions = ready_definitions(&mut problem, budget).expect("it is small");
        let roots = inlined(&mut problem, &definitions, &[root], budget).expect("it is small");
        let made =
            Nnf::default().of(&mut problem.store, roots[0], true, budget).expect("it is small");
        // Variables are shown without their numbers.
        crate::suggest::plain(&problem.show(made))
    }

    #[test]
    fn connectives() {
        for (formula, expected) in [
            ("(=> a b c)", "(or (not a) (not b) c)"),
            ("(not (=> a b))", "(and a (not b))"),
            ("(not (and a (not b)))", "(or (not a) b)"),
            ("(= a b)", "(and (or a (not b)) (or (not a) b))"),
            ("(not (= a b))", "(and (or a b) (or (not a) (not b)))"),
            ("(xor a b)", "(and (or a b) (or (not a) (not b)))"),
            ("(ite a b c)", "(and (or (not a) b) (or a c))"),
            ("(not (ite a b c))", "(and (or (not a) (not b)) (or a (not c)))"),
            ("(not (neither a b))", "(or a b)"),
            ("(not (forall ((x Int)) (=> (p x) a)))", "(exists ((x Int)) (and (p x) (not a)))"),
            (
                "(exists ((x Int)) (forall ((x Int)) (p x)))",
                "(exists ((x Int)) (forall ((x Int)) (p x)))",
            ),
            (
                "(forall ((x Int)) (! (not (or (p x) a)) :pattern ((p x))))",
                "(forall ((x Int)) ( (and (not (p x)) (not a)) :pattern ((p x))))",
            ),
        ] {
            assert_eq!(normal(formula), expected, "{formula}");
        }
    }
}
