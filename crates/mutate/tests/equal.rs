//! Mutants by equalities keep their seed's truth in both directions, and can be made again.

mod scripted;
mod small_seeds;

use assay_case::{Oracle, TestCase, Witness};
use assay_mutate::{Seed, rebuild};
use scripted::{formula, satisfiable};
use small_seeds::{SEEDS, mutants};
use std::collections::BTreeSet;

/// A text whose shared terms, `$N`, are numbered in order: following a trace uses up the names in the trace.
fn shared_in_order(text: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut parts = text.split('$');
    let mut new = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        if !names.contains(&name) {
            names.push(name);
        }
        let number = names.iter().position(|known| *known == name).expect("it was just put there");
        new += &format!("${number}{rest}");
    }
    new
}

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
            let again = rebuild(&seed, &case.origin().trace).expect("it can be followed");
            assert_eq!(shared_in_order(again.text()), shared_in_order(made));
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
