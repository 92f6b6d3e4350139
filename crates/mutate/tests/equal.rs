//! Mutants by equalities keep their seed's truth in both directions, and can be made again.

mod scripted;
mod small_seeds;

use assay_case::{Oracle, TestCase, Witness};
use assay_mutate::{Seed, rebuild};
use scripted::{formula, satisfiable};
use small_seeds::{SEEDS, mutants};
use std::collections::BTreeSet;

#[test]
fn mutants_keep_the_truth_and_are_made_again() {
    let cases = mutants("equal", 120);
    assert_eq!(cases.len(), SEEDS.len() * 120);
    let (mut rules, mut searched) = (BTreeSet::new(), 0);
    for (name, text, model) in SEEDS {
        let seed = Seed::read(name, text.as_bytes(), 10_000).expect("a seed");
        let mine: Vec<&TestCase> =
            cases.iter().filter(|case| case.origin().seeds == [(*name).to_owned()]).collect();
        let mut checked = 0;
        for case in &mine {
            let made = formula(case).text();
            assert_ne!(made, seed.formula().text());
            assert_eq!(
                rebuild(&seed, &case.origin().trace).expect("it can be followed").text(),
                made
            );
            rules.extend(case.origin().rules.iter().cloned());
            let found = satisfiable(formula(case));
            assert_ne!(found, Some(model.is_none()), "{name}: {made}");
            searched += usize::from(found.is_some());
            match case.as_formula().expect("a formula").oracle() {
                Oracle::Sat(Witness::Checked(_)) => checked += 1,
                Oracle::Sat(_) => assert!(model.is_some(), "{name}: {made}"),
                Oracle::Unsat { .. } => assert!(model.is_none(), "{name}: {made}"),
                _ => panic!("{name}: the truth was lost: {made}"),
            }
        }
        assert!(model.is_none() || checked * 20 >= mine.len() * 19, "{name}: {checked}");
    }
    assert!(searched > 350, "only {searched} were searched");
    assert!(rules.len() > 100, "only {} rules took part", rules.len());
}
