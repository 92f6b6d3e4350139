//! Confined mutants keep their seed's model, or have none like their seed, and can be made again.

mod scripted;
mod small_seeds;

use assay_case::{Oracle, TestCase, Witness};
use assay_mutate::{Seed, rebuild};
use scripted::{formula, satisfiable};
use small_seeds::{SEEDS, mutants};
use std::collections::BTreeSet;

#[test]
fn mutants_keep_the_truth_and_are_made_again() {
    let cases = mutants("confine", 60);
    assert_eq!(cases.len(), SEEDS.len() * 60);
    let mut rules = BTreeSet::new();
    for (name, text, model) in SEEDS {
        let seed = Seed::read(name, text.as_bytes(), 10_000).expect("a seed");
        let mine: Vec<&TestCase> =
            cases.iter().filter(|case| case.origin().seeds == [(*name).to_owned()]).collect();
        assert_eq!(mine.len(), 60, "{name}");
        for case in &mine {
            let made = formula(case).text();
            assert_eq!(
                rebuild(&seed, &case.origin().trace).expect("it can be followed").text(),
                made
            );
            rules.extend(case.origin().rules.iter().cloned());
            assert_ne!(satisfiable(formula(case)), Some(model.is_none()), "{name}: {made}");
            match case.as_formula().expect("a formula").oracle() {
                Oracle::Sat(Witness::Checked(_)) => assert!(model.is_some(), "{name}: {made}"),
                Oracle::Unsat { .. } => assert!(model.is_none(), "{name}: {made}"),
                _ => panic!("{name}: the truth was lost: {made}"),
            }
        }
    }
    assert_eq!(rules.into_iter().collect::<Vec<_>>(), ["apart", "bounds", "cube"]);
}
