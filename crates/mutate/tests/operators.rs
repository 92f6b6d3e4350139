//! Mutations without a truth: well-sorted, different from the seed, made again from their trace.

use assay_case::{Formula, Oracle, Selection};
use assay_mutate::{MutantOptions, Seed, rebuild, suite};
use std::collections::BTreeSet;

const SEED: &str = "(set-logic ALL)(declare-fun f (Int) Int)(declare-const x Int)
    (declare-const b (_ BitVec 8))(declare-const s String)
    (assert (forall ((y Int)) (! (or (< (f y) x) (>= y 3)) :pattern ((f y)))))
    (assert (= (bvadd b #x01) (bvmul b b)))
    (assert (str.prefixof s (str.++ s \"a\")))(check-sat)";

fn mutants(name: &str) -> Vec<(String, Vec<String>)> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("seed.smt2"), SEED).expect("a file");
    let config = MutantOptions {
        seeds: vec![folder.path().into()],
        mutants: 300,
        ..MutantOptions::default()
    };
    let suite = suite(name, config, None).expect("a suite");
    let cases = suite.cases(&Selection::default()).map(|id| suite.make(id).expect("a mutant"));
    cases
        .filter(|case| case.origin().category != "seed")
        .map(|case| {
            assert!(matches!(case.as_formula().expect("a formula").oracle(), Oracle::Open));
            let formula = case.as_formula().expect("a formula").formula();
            (formula.text().to_owned(), case.origin().trace.clone())
        })
        .collect()
}

#[test]
fn mutants_are_well_sorted_and_made_again() {
    let seed = Seed::read("seed", SEED.as_bytes(), 10_000).expect("a seed");
    let itself = seed.formula().text().to_owned();
    for name in ["opmut", "typemut"] {
        let mutants = mutants(name);
        let texts: BTreeSet<&String> = mutants.iter().map(|(text, _)| text).collect();
        assert!(texts.len() > 200, "{name}: {} of {}", texts.len(), mutants.len());
        for (text, trace) in &mutants {
            Formula::read(text.clone()).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_ne!(*text, itself);
            assert_eq!(rebuild(&seed, trace).expect("it can be followed").text(), text);
        }
    }
}

#[test]
fn every_kind_of_operator_is_exchanged() {
    let texts: String = mutants("opmut").into_iter().map(|(text, _)| text).collect();
    for part in ["exists", "(> (f y) x)", "bvurem", "str.suffixof", "(distinct (bv", "str.<="] {
        assert!(texts.contains(part), "{part}");
    }
}

#[test]
fn bound_variables_are_used_where_they_are_bound() {
    let occurrences = |text: &str| text.matches(" y)").count() + text.matches(" y ").count();
    let before =
        occurrences(Seed::read("seed", SEED.as_bytes(), 10_000).expect("a seed").formula().text());
    let texts: Vec<String> = mutants("typemut").into_iter().map(|(text, _)| text).collect();
    assert!(texts.iter().any(|text| occurrences(text) > before), "{before} at most");
}

#[test]
fn every_seed_is_used_once_before_any_is_used_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a", "b", "c", "d"] {
        std::fs::write(folder.path().join(format!("{name}.smt2")), SEED).expect("a file");
    }
    let seeds = vec![folder.path().into()];
    let config = MutantOptions { seeds, mutants: 12, ..MutantOptions::default() };
    let suite = suite("typemut", config, None).expect("a suite");
    let rounds: Vec<u64> = suite.cases(&Selection::default()).map(|id| suite.round(id)).collect();
    let expected: Vec<u64> = (0..13).flat_map(|round| [round; 4]).collect();
    assert_eq!(rounds, expected);
    let made = |id| suite.make(id).expect("a mutant");
    let cases: Vec<_> = suite.cases(&Selection::default()).map(made).collect();
    assert_eq!(cases.len(), 4 * 13);
    for round in cases.chunks(4) {
        let seeds: BTreeSet<&String> = round.iter().map(|case| &case.origin().seeds[0]).collect();
        assert_eq!(seeds.len(), 4, "{seeds:?}");
    }
    assert!(cases[..4].iter().all(|case| case.origin().category == "typemut"));
    let itself = cases.iter().filter(|case| case.origin().category == "seed");
    assert_eq!(itself.count(), 4);
}
