//! Known contradictions of verifiers' encodings, as data: they hide the contradictions that matter.

use crate::problem::{Part, Problem};
use crate::proof::{Sexp, parse};
use assay_term::TermId;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::sync::LazyLock;

/// A contradiction that an encoding carries by design.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artefact {
    /// Its name in reports.
    pub name: String,
    /// Why it is not a user's mistake.
    pub about: String,
    /// The shape of the assertion that causes it.
    shape: String,
}

/// An artefact in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownArtefact {
    /// The artefact.
    pub artefact: &'static Artefact,
    /// The part of the file.
    pub part: Part,
    /// The number of the assertion in the file.
    pub number: usize,
    /// The assertion by name.
    pub axiom: String,
    /// Its line, from one.
    pub line: usize,
}

#[derive(Deserialize)]
struct List {
    artefact: Vec<Artefact>,
}

static ARTEFACTS: LazyLock<Vec<Artefact>> = LazyLock::new(|| {
    let list: List = toml::from_str(include_str!("artefacts.toml")).expect("tested");
    list.artefact
});

/// The artefacts of a file.
#[must_use]
pub fn artefacts(problem: &Problem) -> Vec<KnownArtefact> {
    let shapes: Vec<(&'static Artefact, Sexp<'static>)> = ARTEFACTS
        .iter()
        .map(|artefact| (artefact, parse(&artefact.shape).expect("tested")))
        .collect();
    let mut found = Vec::new();
    for (at, fact) in problem.facts.iter().enumerate() {
        let conjuncts = problem.conjuncts(at);
        for (number, &conjunct) in conjuncts.iter().enumerate() {
            if !problem.is_quantified(conjunct) || !is_small(problem, conjunct) {
                continue;
            }
            let shown = problem.show(conjunct);
            let Some(formula) = parse(&shown) else { continue };
            let known = shapes.iter().find(|(_, shape)| matches(shape, &formula));
            if let Some((artefact, _)) = known {
                let conjunct = (conjuncts.len() > 1).then_some(number);
                found.push(KnownArtefact {
                    artefact,
                    part: Part { fact: at, conjunct },
                    number: fact.number,
                    axiom: fact.name.clone(),
                    line: fact.line,
                });
            }
        }
    }
    found
}

/// Whether a formula, written out, is small enough to match a shape.
fn is_small(problem: &Problem, formula: TermId) -> bool {
    const MOST: usize = 200;
    let mut work = vec![formula];
    let mut count = 0;
    while let Some(term) = work.pop() {
        count += 1;
        work.extend(problem.store.children(term));
        if count + work.len() > MOST {
            return false;
        }
    }
    true
}

/// Bindings of a shape's variables and of the stars in its names.
type Bindings<'t> = FxHashMap<&'static str, Sexp<'t>>;

fn matches(shape: &Sexp<'static>, formula: &Sexp<'_>) -> bool {
    matched(shape, formula, &Bindings::default()).is_some()
}

/// The bindings under which a formula matches a shape. The recursion is as deep as the shape.
fn matched<'t>(
    shape: &Sexp<'static>,
    formula: &Sexp<'t>,
    known: &Bindings<'t>,
) -> Option<Bindings<'t>> {
    let mut formula = formula;
    while let Sexp::List(parts) = formula {
        match parts.as_slice() {
            [Sexp::Atom("!"), inner, ..] => formula = inner,
            _ => break,
        }
    }
    match (shape, formula) {
        (Sexp::Atom(name), _) if name.starts_with('?') => bound(name, formula, known),
        (Sexp::Atom(name), Sexp::Atom(given)) => {
            let given = given.trim_matches('|');
            let Some((before, after)) = name.split_once('*') else {
                return (*name == given).then(|| known.clone());
            };
            let star = given.strip_prefix(before)?.strip_suffix(after)?;
            bound("*", &Sexp::Atom(star), known)
        }
        (Sexp::List(parts), Sexp::List(given)) => {
            let in_order = listed(parts, given, known);
            match (parts.as_slice(), given.as_slice()) {
                ([Sexp::Atom("="), left, right], [Sexp::Atom("="), ..]) if in_order.is_none() => {
                    let turned = [Sexp::Atom("="), right.clone(), left.clone()];
                    listed(&turned, given, known)
                }
                _ => in_order,
            }
        }
        _ => None,
    }
}

fn listed<'t>(
    shapes: &[Sexp<'static>],
    given: &[Sexp<'t>],
    known: &Bindings<'t>,
) -> Option<Bindings<'t>> {
    let mut known = known.clone();
    let mut given = given.iter();
    for (at, shape) in shapes.iter().enumerate() {
        if matches!(shape, Sexp::Atom("...")) {
            // The items after the rest pattern are at the end.
            let skipped = given.len().checked_sub(shapes.len() - at - 1)?;
            given.by_ref().take(skipped).for_each(drop);
            continue;
        }
        known = matched(shape, given.next()?, &known)?;
    }
    given.next().is_none().then_some(known)
}

fn bound<'t>(name: &'static str, value: &Sexp<'t>, known: &Bindings<'t>) -> Option<Bindings<'t>> {
    match known.get(name) {
        Some(before) => (before == value).then(|| known.clone()),
        None => {
            let mut more = known.clone();
            more.insert(name, value.clone());
            Some(more)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "(declare-sort |T@U| 0)(declare-sort |T@T| 0)(declare-fun type (|T@U|) |T@T|)
        (declare-fun boolType () |T@T|)
        (declare-fun bool_2_U (Bool) |T@U|)(declare-fun U_2_bool (|T@U|) Bool)
        (declare-fun int_2_U (Int) |T@U|)(declare-fun U_2_int (|T@U|) Int)
        (declare-fun MapType0Store (|T@U| |T@U| |T@U|) |T@U|)
        (declare-fun MapType0Type (|T@T| |T@T|) |T@T|)";

    fn names(assertions: &str) -> Vec<(String, Option<usize>)> {
        let problem = Problem::read(&format!("{FILE}{assertions}")).expect("it is well formed");
        let found = artefacts(&problem);
        found.iter().map(|one| (one.artefact.name.clone(), one.part.conjunct)).collect()
    }

    #[test]
    fn artefacts_are_recognized_by_their_shape() {
        let cast = ("boogie-unguarded-cast".to_owned(), None);
        let plain = "(assert (forall ((x |T@U|)) (! (= (bool_2_U (U_2_bool x)) x) :pattern ((U_2_bool x)))))";
        assert_eq!(names(plain), std::slice::from_ref(&cast));
        let turned = "(assert (! (forall ((x |T@U|)) (= x (int_2_U (U_2_int x)))) :named back))";
        assert_eq!(names(turned), [cast]);
        let among = "(assert (and (= (bool_2_U true) (bool_2_U true))
            (forall ((m |T@U|) (k |T@U|) (v |T@U|)) (! (= (type (MapType0Store m k v))
              (MapType0Type (type k) (type v))) :pattern ((MapType0Store m k v))))))";
        assert_eq!(names(among), [("boogie-map-type".to_owned(), Some(1))]);
    }

    #[test]
    fn similar_assertions_are_not_artefacts() {
        for other in [
            "(assert (forall ((x |T@U|)) (=> (= (type x) boolType) (= (bool_2_U (U_2_bool x)) x))))",
            "(assert (forall ((x Bool)) (= (U_2_bool (bool_2_U x)) x)))",
            "(assert (forall ((x |T@U|) (y |T@U|)) (= (bool_2_U (U_2_bool x)) y)))",
            "(assert (forall ((x |T@U|)) (= (int_2_U (U_2_int x)) (int_2_U 0))))",
        ] {
            assert_eq!(names(other), [], "{other}");
        }
    }
}
