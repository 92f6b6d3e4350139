//! What a user may do about a missing term: mention it, or weaken a pattern so that what is there
//! already matches.

use crate::engine::SatResult;
use crate::explain::Example;
use crate::patterns;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::{Attribute, AttributeValue, Term, TermId};

/// At most so many weaker patterns are tried.
const TRIES: usize = 12;

/// Suggestions, those with a weaker pattern first: with each of them, E-matching refutes the file.
pub(crate) fn suggestions(
    bench: &mut Workbench<'_>,
    terms: &[TermId],
    example: Option<&Example>,
) -> Vec<String> {
    let mut found = Vec::new();
    let involved = example.map(Example::axioms).unwrap_or_default();
    let mut tries = 0;
    for at in 0..bench.form.statements.len() {
        let (fact, statement) = bench.form.statements[at];
        let name = bench.problem.facts[fact].name.clone();
        if !involved.contains(&name) {
            continue;
        }
        for (weaker, pattern) in weakened(bench, statement) {
            if tries >= TRIES || bench.is_over() {
                break;
            }
            tries += 1;
            let old = std::mem::replace(&mut bench.form.statements[at].1, weaker);
            let all: Vec<usize> = (0..bench.form.statements.len()).collect();
            let answer = bench.proof_of(&all, &[], Instantiation::Ematching, Effort::SMALL);
            bench.form.statements[at].1 = old;
            if answer.is_ok() {
                found.push(format!("give {name} the pattern ({pattern})"));
            } else if answer.err() == Some(SatResult::Failed) {
                break;
            }
        }
    }
    let shown: Vec<String> = terms.iter().map(|&term| bench.problem.show(term)).collect();
    found.push(format!("mention {} in an assertion that says nothing else", shown.join(" and ")));
    found
}

/// A quantified formula with other patterns than it has: those that its body offers.
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
