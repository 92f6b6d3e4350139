//! Unsatisfiable formulas: the published counts, distinct cases, and truths that fit.

use assay_case::{Expected, Oracle, Selection, Suite, Why};
use assay_forge::{SuiteOptions, suite};
use std::collections::{BTreeMap, BTreeSet, HashSet};

fn icse20() -> Box<dyn Suite> {
    suite("strings", &SuiteOptions { preset: Some("icse20".into()), ..SuiteOptions::default() })
        .expect("the preset is right")
}

fn selected(category: &str) -> Selection {
    Selection { categories: vec![category.into()], ..Selection::default() }
}

/// How many cases each group of a category has.
fn counts(suite: &dyn Suite, category: &str) -> BTreeMap<String, usize> {
    let categories = suite.categories();
    let mut counts = BTreeMap::new();
    for id in suite.cases(&selected(category)) {
        *counts.entry(categories[id.category as usize].group.clone()).or_default() += 1;
    }
    counts
}

fn published(table: &[(&str, usize)]) -> BTreeMap<String, usize> {
    table.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn equivalent_formulas_as_published() {
    for category in ["equivalent-formula", "equivalent-formula-patterns"] {
        let counts = counts(&*icse20(), category);
        assert_eq!(counts.len(), 12);
        assert!(counts.values().all(|&count| count == 1));
    }
}

#[test]
fn larger_cores_as_published() {
    let expected = published(&[
        ("at", 16),
        ("contains", 14),
        ("indexOf", 36),
        ("intToString", 40),
        ("notContains", 11),
        ("notPrefixOf", 11),
        ("notSuffixOf", 11),
        ("prefixOf", 14),
        ("replace", 35),
        ("stringToInt", 38),
        ("substring", 28),
        ("suffixOf", 14),
    ]);
    assert_eq!(expected.values().sum::<usize>(), 268);
    for category in ["larger-core", "larger-core-patterns"] {
        assert_eq!(counts(&*icse20(), category), expected);
    }
}

#[test]
fn redundancies_as_published() {
    let expected = published(&[
        ("contains", 14),
        ("indexOf", 29),
        ("notContains", 28),
        ("notPrefixOf", 21),
        ("notSuffixOf", 21),
        ("prefixOf", 7),
        ("replace", 22),
        ("stringToInt", 8),
        ("substring", 21),
        ("suffixOf", 7),
    ]);
    assert_eq!(expected.values().sum::<usize>(), 178);
    for category in ["redundancy", "redundancy-patterns"] {
        assert_eq!(counts(&*icse20(), category), expected);
    }
}

#[test]
fn every_case_is_certified_and_has_a_core() {
    let suite = icse20();
    let (mut texts, mut names) = (HashSet::new(), HashSet::new());
    for (category, core_size) in [("equivalent-formula", 2), ("larger-core", 3), ("redundancy", 2)]
    {
        for id in suite.cases(&selected(category)) {
            let case = suite.make(id).unwrap_or_else(|error| panic!("{id}: {error}"));
            let Oracle::Unsat { why: Why::Certified(rules), core } =
                case.as_formula().expect("a formula").oracle()
            else {
                panic!("{}: {:?}", case.name(), case.as_formula().expect("a formula").oracle());
            };
            assert_eq!(rules.len(), if category == "equivalent-formula" { 1 } else { 2 });
            let core = core.as_ref().unwrap_or_else(|| panic!("{}: no core", case.name()));
            let expected: Vec<String> = (0..core_size).map(|n| format!("a{n}")).collect();
            assert_eq!(core.names, expected, "{}", case.name());
            let formula = case.as_formula().expect("a formula").formula();
            assert!(texts.insert(formula.text().to_owned()), "{}: repeated", case.name());
            assert!(names.insert(case.name().to_owned()), "{}: repeated name", case.name());
        }
    }
    assert_eq!(texts.len(), 12 + 268 + 178);
}

/// Without the old variable on one side of the link the formula would be satisfiable.
#[test]
fn a_link_mentions_the_old_and_the_new_variable() {
    let suite = icse20();
    for id in suite.cases(&selected("larger-core")) {
        let case = suite.make(id).expect("a case that is named can be made");
        let formula = case.as_formula().expect("a formula").formula();
        let lines: Vec<&str> = formula.text().lines().collect();
        let link = lines.iter().find(|line| line.contains(":named a2")).expect("a link");
        let fresh = lines.iter().find(|line| line.contains("_fresh ")).expect("a new variable");
        let fresh = fresh.split(' ').nth(1).expect("a declaration");
        let old = fresh.strip_suffix("_fresh").expect("its name");
        let words: Vec<&str> = link.split([' ', '(', ')']).collect();
        assert!(words.contains(&fresh), "{}: {link}", case.name());
        assert!(old == "constant" || words.contains(&old), "{}: {link}", case.name());
    }
}

#[test]
fn all_quantifiers_have_patterns_or_none() {
    let suite = icse20();
    for (category, patterns) in [
        ("equivalent-formula", false),
        ("equivalent-formula-patterns", true),
        ("larger-core", false),
        ("larger-core-patterns", true),
        ("redundancy", false),
        ("redundancy-patterns", true),
    ] {
        for id in suite.cases(&selected(category)) {
            let case = suite.make(id).expect("a case that is named can be made");
            let formula = case.as_formula().expect("a formula").formula();
            let count = |text: &str| formula.text().matches(text).count();
            let expected = if patterns { count("(forall ") } else { 0 };
            assert_eq!(count(":pattern "), expected, "{}", case.name());
        }
    }
}

#[test]
fn categories_state_their_answer_and_the_order_is_stable() {
    let suite = icse20();
    let unsat = suite.categories().into_iter().filter(|c| c.expected == Expected::Unsat).count();
    assert_eq!(unsat, 2 * (12 + 12 + 10));
    let ids = |suite: &dyn Suite| suite.cases(&selected("redundancy")).collect::<Vec<_>>();
    assert_eq!(ids(&*suite), ids(&*icse20()));
}

/// Cases that are drawn can be made, and mostly have a core that is proven.
#[test]
fn refutations_of_our_own_suites_can_be_made() {
    let (mut made, mut cores) = (0, 0);
    for name in ["strings", "regex", "bitvectors", "arrays", "ints", "reals", "floats"] {
        let suite = suite(name, &SuiteOptions::default()).expect("the preset is right");
        let categories: BTreeSet<String> = suite
            .categories()
            .into_iter()
            .filter(|category| category.expected == Expected::Unsat)
            .map(|category| category.name)
            .collect();
        for category in &categories {
            let selection = Selection { sample: Some(4), rng: 3, ..selected(category) };
            let before = made;
            for id in suite.cases(&selection) {
                let case = suite.make(id).unwrap_or_else(|e| panic!("{name} {category} {id}: {e}"));
                let Oracle::Unsat { why: Why::Certified(_), core } =
                    case.as_formula().expect("a formula").oracle()
                else {
                    panic!("{}: {:?}", case.name(), case.as_formula().expect("a formula").oracle());
                };
                made += 1;
                cores += usize::from(core.is_some());
            }
            assert!(made > before, "{name} has no {category}");
        }
        for wanted in ["chain", "larger-core", "different-result", "hybrid"] {
            assert!(categories.contains(wanted), "{name} has no {wanted}");
        }
    }
    assert!(made > 200 && cores * 10 > made * 9, "{cores} cores of {made}");
}

/// A symbol of a prelude means what the solver chooses: nothing about it is refuted.
#[test]
fn symbols_of_a_prelude_are_not_refuted() {
    let overlay = r#"
        prelude = "(declare-fun f (Int) Int)"
        model = "((define-fun f ((x Int)) Int 7))"
        categories = []
        operation = [
            { name = "f", head = "f", args = ["Int"] },
            { name = "add", head = "+", args = ["Int", "Int"] },
        ]
        refute = { categories = ["different-result", "complex-different-result", "hybrid"] }
        [pool]
        Int = ["0", "1", "7"]
    "#;
    let config = SuiteOptions { overlay: Some(overlay.into()), ..SuiteOptions::default() };
    let suite = suite("ints", &config).expect("the description is right");
    let mut made = 0;
    for id in suite.cases(&Selection::default()) {
        let case = suite.make(id).expect("a case that is named can be made");
        let formula = case.as_formula().expect("a formula").formula();
        assert!(!formula.text().contains("(f "), "{}", formula.text());
        made += 1;
    }
    assert!(made > 0);
}

#[test]
fn every_suite_has_both_truths() {
    for name in assay_forge::suites().into_iter().filter(|name| *name != "maxsmt") {
        let suite = suite(name, &SuiteOptions::default()).expect("the preset is right");
        let kinds: HashSet<Expected> = suite.categories().iter().map(|c| c.expected).collect();
        assert!(kinds.contains(&Expected::Sat) && kinds.contains(&Expected::Unsat), "{name}");
        if name == "quantifiers" {
            // Its refutations need no rules of theories.
            continue;
        }
        let named: BTreeSet<String> = suite.categories().into_iter().map(|c| c.name).collect();
        for category in ["equivalent-formula", "larger-core", "redundancy-let", "chain"] {
            assert!(named.contains(category), "{name} has no {category}");
        }
    }
}

#[test]
fn congruence_is_refuted_with_cores_that_are_known_to_be_minimal() {
    let uf = suite("uf", &SuiteOptions::default()).expect("the preset is right");
    let (mut cases, mut cores) = (0, 0);
    for category in ["equivalent-formula", "larger-core", "redundancy", "chain-patterns"] {
        let each = Selection { each: Some(2), ..selected(category) };
        for id in uf.cases(&each) {
            let case = uf.make(id).unwrap_or_else(|error| panic!("{id}: {error}"));
            let formula = case.as_formula().expect("a formula").formula();
            assert!(formula.text().contains("(declare-"), "{}", formula.text());
            let Oracle::Unsat { why: Why::Certified(rules), core } =
                case.as_formula().expect("a formula").oracle()
            else {
                panic!("{}: {:?}", case.name(), case.as_formula().expect("a formula").oracle());
            };
            assert!(!rules.is_empty());
            cases += 1;
            cores += usize::from(core.is_some());
        }
    }
    assert!(cases > 40 && cores * 10 > cases * 7, "{cores} of {cases}");
}

#[test]
fn a_chain_has_the_requested_length() {
    for length in [1u8, 3] {
        let config = SuiteOptions { chain: Some(length), ..SuiteOptions::default() };
        let booleans = suite("booleans", &config).expect("the preset is right");
        let each = Selection { each: Some(1), ..selected("chain") };
        for id in booleans.cases(&each) {
            let case = booleans.make(id).expect("a case that is named can be made");
            // The definition, and an equality for each replacement.
            assert_eq!(case.origin().rules.len(), 1 + usize::from(length), "{}", case.name());
        }
    }
}

/// Among them is one whose sides are known to differ though their equation is too much to evaluate.
#[test]
fn every_listed_case_can_be_made() {
    let suite = suite("regex", &SuiteOptions::default()).expect("a suite without a preset");
    let selection = Selection { each: Some(400), ..selected("different-result") };
    let categories = suite.categories();
    let power = |id: &assay_case::CaseId| categories[id.category as usize].group == "power";
    let ids: Vec<_> = suite.cases(&selection).filter(power).collect();
    assert!(ids.len() > 100, "{}", ids.len());
    for id in ids {
        suite.make(id).unwrap_or_else(|error| panic!("{id}: {error}"));
    }
}
