//! The Boolean skeleton of a formula: its literals and their polarity.

use crate::occurrences::Occurrences;
use assay_term::theories::core;
use assay_term::{SortId, Store, Term, TermId};

/// The literals of some assertions.
pub(crate) fn literals(store: &Store, assertions: &[TermId]) -> Occurrences {
    Occurrences::new(store, assertions, connected, |_, is_leaf| is_leaf)
}

/// The connectives with several literals below them that pass a test.
pub(crate) fn junctions(
    store: &Store,
    assertions: &[TermId],
    choose: impl Fn(TermId) -> bool,
) -> Occurrences {
    Occurrences::new(store, assertions, connected, |term, is_leaf| !is_leaf && choose(term))
}

/// The parts of a connective whose polarity is known, by position, and whether they flip it. A
/// literal has none.
fn connected(store: &Store, term: TermId) -> Vec<(u32, bool)> {
    if let Term::Annotated(inner, _) = store.get(term) {
        return if store.sort(inner) == SortId::BOOL { vec![(0, false)] } else { Vec::new() };
    }
    let Some((op, args)) = store.operator(term) else { return Vec::new() };
    let count = u32::try_from(args.len()).expect("arguments fit");
    match op {
        core::NOT => vec![(0, true)],
        core::AND | core::OR => (0..count).map(|at| (at, false)).collect(),
        core::IMPLIES => (0..count).map(|at| (at, at + 1 < count)).collect(),
        core::ITE if store.sort(term) == SortId::BOOL => vec![(1, false), (2, false)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;
    use crate::occurrences::Polarity;
    use crate::rewrite::part_at;
    use assay_smtlib::{Lets, Printer, read_script};

    fn literals_of(assertion: &str) -> Vec<(String, Polarity)> {
        let text = format!(
            "(declare-const p Bool) (declare-const q Bool) (declare-const r Bool) \
             (assert {assertion})"
        );
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Expand).expect("it reads");
        let assertions: Vec<TermId> =
            script.active_assertions().into_iter().map(|(term, _)| term).collect();
        let literals = literals(&store, &assertions);
        let mut found: Vec<(String, Polarity)> = literals
            .all()
            .map(|(term, polarity)| (Printer::new(&store).term(term), polarity))
            .collect();
        found.sort_by_key(|(text, polarity)| (text.clone(), *polarity == Polarity::Negative));
        let mut draw = Draw::new(&[7]);
        for _ in 0..50 {
            let literal = literals.draw(&mut draw).expect("there are literals");
            let root = assertions[literal.site.assertion];
            let there = part_at(&store, root, &literal.site.path);
            assert_eq!(there, Some(literal.term));
        }
        found
    }

    #[test]
    fn polarity_follows_negations_and_premises() {
        use Polarity::{Negative, Positive};
        let one = |text: &str, polarity| (text.to_owned(), polarity);
        assert_eq!(
            literals_of("(=> (and p (not q)) r)"),
            [one("p", Negative), one("q", Positive), one("r", Positive)]
        );
        assert_eq!(literals_of("(ite p (not q) r)"), [one("q", Negative), one("r", Positive)]);
    }

    #[test]
    fn subterms_of_both_polarities_are_not_split() {
        use Polarity::{Negative, Positive};
        assert_eq!(literals_of("(not (xor p q))"), [("(xor p q)".to_owned(), Negative)]);
        assert_eq!(
            literals_of("(or (= p q) (forall ((x Bool)) (or x p)))"),
            [
                ("(= p q)".to_owned(), Positive),
                ("(forall ((x Bool)) (or x p))".to_owned(), Positive)
            ]
        );
        assert_eq!(
            literals_of("(and (or p q) (not p))"),
            [("p".to_owned(), Positive), ("p".to_owned(), Negative), ("q".to_owned(), Positive)]
        );
    }
}
