//! Suggestions for a missing term: mention it, or weaken a pattern so that existing terms match.

use crate::diagnosis::CoreAxiom;
use crate::engine::SatResult;
use crate::nnf::declared;
use crate::patterns;
use crate::problem::Fact;
use crate::workbench::Workbench;
use assay_term::{Attribute, AttributeValue, Term, TermId};

/// The maximum number of weaker patterns that are tried.
const TRIES: usize = 12;

/// The maximum number of assertions that are left out one by one when testing for a matching loop.
const OTHERS: usize = 6;

/// Suggestions, those with a weaker pattern first: with each of them, E-matching refutes the file,
/// and terminates if the contradiction is absent.
pub(crate) fn suggestions(
    bench: &mut Workbench<'_>,
    terms: &[TermId],
    core: &[CoreAxiom],
) -> Vec<String> {
    let mut found = Vec::new();
    let mut tries = 0;
    for at in 0..bench.form.statements.len() {
        let (fact, statement) = bench.form.statements[at];
        let Fact { number, ref name, line, .. } = bench.problem.facts[fact];
        if !core.iter().any(|axiom| axiom.number == number) {
            continue;
        }
        let name = format!("{name} (line {line})");
        for (weaker, pattern) in weakened(bench, statement) {
            if tries >= TRIES || bench.is_over() {
                break;
            }
            tries += 1;
            let all: Vec<usize> = (0..bench.form.statements.len()).collect();
            let loops = loops(bench, at, weaker, terms, core);
            bench.form.statements[at].1 = weaker;
            let refuted = !loops && bench.depth(&all, &[]).0 == SatResult::Unsat;
            bench.form.statements[at].1 = statement;
            if refuted {
                found.push(format!("give {name} the pattern ({pattern})"));
            }
        }
    }
    let shown: Vec<String> = terms.iter().map(|&term| bench.problem.show(term)).collect();
    found.push(format!("mention {} in an otherwise trivial assertion", shown.join(" and ")));
    found
}

/// The instance depth that indicates a matching loop.
const FAR: u64 = 10;

/// Whether a run shows a matching loop, however it ended.
fn begins_loop((result, steps): (SatResult, u64)) -> bool {
    result != SatResult::Unsat && (result == SatResult::Diverged || steps >= FAR)
}

/// Whether another pattern begins a matching loop: without one of the contradicting assertions but
/// with all terms, E-matching does not terminate with the other pattern, while it does with the
/// file's pattern.
fn loops(
    bench: &mut Workbench<'_>,
    at: usize,
    weaker: TermId,
    terms: &[TermId],
    core: &[CoreAxiom],
) -> bool {
    let own = bench.form.statements[at];
    let others: Vec<usize> = core
        .iter()
        .filter_map(|axiom| bench.problem.facts.iter().position(|one| one.number == axiom.number))
        .filter(|&fact| fact != own.0)
        .take(OTHERS)
        .collect();
    // If the assertion contradicts itself, only it is tried, on terms of its pattern.
    let without: Vec<Option<usize>> =
        if others.is_empty() { vec![None] } else { others.into_iter().map(Some).collect() };
    without.into_iter().any(|dropped| {
        let rest: Vec<usize> = (0..bench.form.statements.len())
            .filter(|&other| match dropped {
                Some(fact) => bench.form.statements[other].0 != fact,
                None => other == at,
            })
            .collect();
        let gone = bench.form.statements.iter().filter(|(fact, _)| Some(*fact) == dropped);
        let gone: Vec<TermId> = gone.map(|&(_, term)| term).collect();
        let mut mentioned: Vec<TermId> = terms.to_vec();
        mentioned.extend(bench.problem.store.postorder(&gone).into_iter().filter(|&term| {
            declared(&bench.problem.store, term).is_some() && bench.is_expressible(term)
        }));
        mentioned.sort_unstable();
        mentioned.dedup();
        bench.form.statements[at].1 = weaker;
        let with = bench.depth(&rest, &mentioned);
        bench.form.statements[at].1 = own.1;
        begins_loop(with) && !begins_loop(bench.depth(&rest, &mentioned))
    })
}

/// A quantified formula with other patterns that its body offers.
fn weakened(bench: &mut Workbench<'_>, statement: TermId) -> Vec<(TermId, String)> {
    let store = &bench.problem.store;
    let Term::Quant(which, vars, body) = store.get(statement) else { return Vec::new() };
    let Term::Annotated(inner, attributes) = store.get(body) else { return Vec::new() };
    let (vars, attributes) = (vars.to_vec(), attributes.to_vec());
    let given: Vec<AttributeValue> = attributes.iter().map(|one| one.value.clone()).collect();
    let offered = patterns::infer(store, inner, &vars, &[], &mut bench.walks).unwrap_or_default();
    let mut found = Vec::new();
    for terms in offered {
        let value = AttributeValue::Terms(terms.clone().into_boxed_slice());
        if given.contains(&value) {
            continue;
        }
        let keyword = bench.problem.store.symbols.intern("pattern");
        let mut attributes = attributes.clone();
        attributes.push(Attribute { keyword, value });
        let store = &mut bench.problem.store;
        let body = store.annotated(inner, attributes);
        let Ok(weaker) = store.quantified(which, &vars, body) else { continue };
        let shown: Vec<String> =
            terms.iter().map(|&term| plain(&bench.problem.show(term))).collect();
        found.push((weaker, shown.join(" ")));
    }
    found
}

/// A term without the numbers that make its variables unique.
pub(crate) fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('!') {
        shown.push_str(&rest[..at]);
        rest = rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    shown + rest
}
