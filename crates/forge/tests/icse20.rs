//! The string suite has exactly the published counts.

use assay_case::{Selection, Suite};
use assay_forge::{SuiteOptions, suite};
use std::collections::BTreeMap;

fn strings() -> Box<dyn Suite> {
    suite("strings", &SuiteOptions { preset: Some("icse20".into()), ..SuiteOptions::default() })
        .expect("the preset is right")
}

/// How many cases each group of a category has, each of which is made.
fn counts(suite: &dyn Suite, category: &str) -> BTreeMap<String, usize> {
    let selection = Selection { categories: vec![category.into()], ..Selection::default() };
    let categories = suite.categories();
    let mut counts = BTreeMap::new();
    for id in suite.cases(&selection) {
        suite.make(id).unwrap_or_else(|error| panic!("{id}: {error}"));
        *counts.entry(categories[id.category as usize].group.clone()).or_default() += 1;
    }
    counts
}

fn published(table: &[(&str, usize)]) -> BTreeMap<String, usize> {
    table.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn constant_assignment() {
    let expected = published(&[
        ("at", 93),
        ("concat", 329),
        ("intToString", 9),
        ("replace", 2480),
        ("substring", 343),
        ("indexOf", 712),
        ("length", 20),
        ("stringToInt", 19),
        ("contains", 65),
        ("equals", 49),
        ("prefixOf", 63),
        ("suffixOf", 63),
        ("notContains", 112),
        ("notEquals", 129),
        ("notPrefixOf", 114),
        ("notSuffixOf", 114),
    ]);
    let counts = counts(&*strings(), "constant-assignment");
    assert_eq!(counts, expected);
    assert_eq!(counts.values().sum::<usize>(), 4714);
}

#[test]
fn term_synthesis() {
    let expected = published(&[
        ("at", 73),
        ("concat", 77),
        ("intToString", 10),
        ("replace", 447),
        ("substring", 223),
        ("indexOf", 143),
        ("length", 11),
        ("stringToInt", 10),
        ("contains", 72),
        ("equals", 44),
        ("prefixOf", 72),
        ("suffixOf", 72),
        ("notContains", 28),
        ("notEquals", 56),
        ("notPrefixOf", 28),
        ("notSuffixOf", 28),
    ]);
    let counts = counts(&*strings(), "term-synthesis");
    assert_eq!(counts, expected);
    assert_eq!(counts.values().sum::<usize>(), 1394);
}

#[test]
fn operation() {
    let counts = counts(&*strings(), "operation");
    assert_eq!(counts.len(), 12);
    assert!(counts.values().all(|&count| count == 1));
}

#[test]
fn cases_are_distinct() {
    let suite = strings();
    let mut texts = std::collections::HashSet::new();
    let mut names = std::collections::HashSet::new();
    let satisfiable = ["operation", "constant-assignment", "term-synthesis"];
    let selection =
        Selection { categories: satisfiable.map(Into::into).into(), ..Selection::default() };
    for id in suite.cases(&selection) {
        let case = suite.make(id).expect("a case that is named can be made");
        let formula = case.as_formula().expect("a formula").formula();
        assert!(texts.insert(formula.text().to_owned()), "{}: repeated", case.name());
        assert!(names.insert(case.name().to_owned()), "{}: repeated name", case.name());
    }
}
