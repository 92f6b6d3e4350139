//! Terms are made from their number alone, can be read back, and reach all of the operator table that
//! fits the signatures.

use assay_rewrite::{Config, Generator, Source, Subject};
use assay_smtlib::{Printer, STANDARD};
use assay_term::Op;
use assay_term::theories::Theory;
use std::collections::BTreeSet;

fn generator() -> Generator {
    Generator::new(Config::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn shown(subject: &Subject) -> String {
    let term = Printer::new(subject.store()).term(subject.term());
    format!("{}(simplify {term})\n", subject.prelude(STANDARD))
}

#[test]
fn a_number_always_makes_the_same_term() {
    let (one, other) = (generator(), generator());
    for part in 0..one.parts().len() {
        for index in [0, 1, 77, 100_003] {
            let text = one.make(part, index).as_ref().map(shown);
            assert_eq!(text, other.make(part, index).as_ref().map(shown), "{part}.{index}");
        }
    }
}

#[test]
fn terms_are_read_back_as_they_are_written() {
    let generator = generator();
    let mut read = 0;
    for part in 0..generator.parts().len() {
        for index in 0..60 {
            let Some(subject) = generator.make(part, index) else { continue };
            let text = shown(&subject);
            let again = Subject::read(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
            assert_eq!(shown(&again), text);
            read += 1;
        }
    }
    assert!(read > 1_000, "only {read} terms");
}

#[test]
fn every_operator_over_plain_sorts_has_its_turn() {
    let generator = generator();
    let mut seen: BTreeSet<Op> = BTreeSet::new();
    for (part, described) in generator.parts().iter().enumerate() {
        for index in (0..300).filter(|_| described.source == Source::Operators) {
            let Some(subject) = generator.make(part, index) else { continue };
            seen.extend(subject.store().operator(subject.term()).map(|(op, _)| op));
        }
    }
    let plain = [
        Theory::Core,
        Theory::Ints,
        Theory::Reals,
        Theory::BitVectors,
        Theory::Floats,
        Theory::Arrays,
        Theory::Strings,
        Theory::Regex,
        Theory::Sequences,
        Theory::FiniteFields,
        Theory::Sets,
        Theory::Bags,
    ];
    let takes_arguments = |op: &Op| op.row().sigs.iter().any(|sig| !sig.args.is_empty());
    let missing: Vec<&str> = Op::all()
        .filter(|op| plain.contains(&op.theory()) && takes_arguments(op))
        .filter(|op| !seen.contains(op))
        .map(Op::name)
        .collect();
    assert!(missing.is_empty(), "no signature reaches {missing:?}");
}
