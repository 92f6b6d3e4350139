//! Grown formulas depend on their number alone, hold under their witness, and reach what formulas of one
//! operator do not.

use assay_case::{CaseId, MakeError, Oracle, Selection, Shard, Suite, TestCase, Witness};
use assay_grow::{GrowOptions, Grown};
use assay_term::theories::{arrays, core};
use assay_term::{Func, Store, Term, TermId};
use std::collections::BTreeMap;

fn suite(options: GrowOptions) -> Grown {
    Grown::new(options).unwrap_or_else(|error| panic!("{error}"))
}

fn cases(suite: &dyn Suite, count: u64) -> Vec<(CaseId, Result<TestCase, MakeError>)> {
    let selection = Selection { limit: Some(count), ..Selection::default() };
    suite.cases(&selection).map(|id| (id, suite.make(id))).collect()
}

/// The nesting depth of operators.
fn depth(store: &Store, roots: &[TermId]) -> usize {
    let mut depths: BTreeMap<TermId, usize> = BTreeMap::new();
    for term in store.postorder(roots) {
        let below = store.children(term).iter().map(|child| depths[child]).max();
        depths.insert(term, below.map_or(0, |below| below + 1));
    }
    roots.iter().map(|root| depths[root]).max().unwrap_or(0)
}

fn assertions(case: &TestCase) -> (&Store, Vec<TermId>) {
    let formula = case.as_formula().expect("a formula").formula();
    (formula.store(), formula.assertions().iter().map(|assertion| assertion.term).collect())
}

#[test]
fn a_number_always_makes_the_same_case() {
    let (one, other) = (suite(GrowOptions::default()), suite(GrowOptions::default()));
    // In another order, so that what was made before cannot matter.
    let first: BTreeMap<CaseId, String> = cases(&one, 300)
        .into_iter()
        .filter_map(|(id, case)| Some((id, case.ok()?.text().to_owned())))
        .collect();
    for (id, text) in first.iter().rev() {
        let again = other.make(*id).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(again.text(), text, "{id}");
    }
    assert!(first.len() > 270, "only {} of 300 cases", first.len());
}

#[test]
fn every_signature_makes_cases_with_a_checked_witness() {
    let suite = suite(GrowOptions::default());
    let categories = suite.categories();
    let mut made: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, case) in cases(&suite, 40 * categories.len() as u64) {
        let case = match case {
            Ok(case) => case,
            Err(MakeError::Unsuitable(_)) => continue,
            Err(error) => panic!("{id}: {error}"),
        };
        let test = case.as_formula().expect("a formula");
        assert!(matches!(test.oracle(), Oracle::Sat(Witness::Checked(_))), "{}", case.text());
        *made.entry(&categories[id.category as usize].group).or_default() += 1;
    }
    for category in &categories {
        let count = made.get(category.group.as_str()).copied().unwrap_or(0);
        assert!(count >= 30, "{}: only {count} of 40 cases", category.group);
    }
}

#[test]
fn bounds_are_kept() {
    let options = GrowOptions { depth: 3, size: 8, assertions: 2, ..GrowOptions::default() };
    let (mut deep, mut shallow) = (0, 0);
    for (_, case) in cases(&suite(GrowOptions::default()), 400) {
        let Ok(case) = case else { continue };
        let (store, roots) = assertions(&case);
        deep += usize::from(depth(store, &roots) >= 6);
    }
    for (_, case) in cases(&suite(options), 400) {
        let Ok(case) = case else { continue };
        let (_, roots) = assertions(&case);
        // The term with the focus is an assertion of its own.
        assert!(roots.len() <= 3, "{}", case.text());
        shallow += usize::from(case.text().len() < 1_000);
    }
    assert!(deep > 120, "only {deep} of 400 are deep");
    assert!(shallow > 300, "only {shallow} of 400 are short");
}

#[test]
fn rare_combinations_of_array_operators_occur() {
    let selection = Selection {
        categories: vec!["arrays".to_owned()],
        limit: Some(1_000),
        ..Selection::default()
    };
    let suite = suite(GrowOptions::default());
    let (mut selects, mut equations, mut quantifiers, mut lets) = (0, 0, 0, 0);
    for id in suite.cases(&selection) {
        let Ok(case) = suite.make(id) else { continue };
        let (store, roots) = assertions(&case);
        let is_variable = |term: TermId| match store.get(term) {
            Term::App(func, []) => matches!(store.func(func), Func::Declared { .. }),
            _ => false,
        };
        let parts = store.postorder(&roots);
        selects += usize::from(parts.iter().any(|&part| match store.operator(part) {
            Some((arrays::SELECT, &[array, index])) => {
                is_variable(array)
                    && store.operator(index).is_some_and(|(_, args)| !args.is_empty())
            }
            _ => false,
        }));
        let mut about: BTreeMap<TermId, usize> = BTreeMap::new();
        for &part in &parts {
            let Some((core::EQ, args)) = store.operator(part) else { continue };
            if store.array_sorts(store.sort(args[0])).is_some() {
                args.iter().filter(|&&arg| is_variable(arg)).for_each(|&arg| {
                    *about.entry(arg).or_default() += 1;
                });
            }
        }
        equations += usize::from(about.values().any(|&count| count > 1));
        quantifiers += usize::from(parts.iter().any(|&p| matches!(store.get(p), Term::Quant(..))));
        lets += usize::from(parts.iter().any(|&p| matches!(store.get(p), Term::Let(..))));
    }
    for (what, count) in [
        ("a select of a variable at the result of an operator", selects),
        ("several equations about one array", equations),
        ("a quantifier", quantifiers),
        ("a let", lets),
    ] {
        assert!(count >= 50, "{what}: only {count} of 1000 cases");
    }
}

#[test]
fn categories_and_shards_divide_the_cases() {
    let suite = suite(GrowOptions::default());
    let all = Selection { limit: Some(90), ..Selection::default() };
    let shard = |index| Selection { shard: Some(Shard { index, of: 3 }), ..all.clone() };
    let mut joined: Vec<CaseId> = (0..3).flat_map(|at| suite.cases(&shard(at))).collect();
    joined.sort_unstable();
    let mut whole: Vec<CaseId> = suite.cases(&all).collect();
    whole.sort_unstable();
    assert_eq!(joined, whole);
    let floats = Selection { categories: vec!["floats".to_owned()], sample: Some(20), ..all };
    let categories = suite.categories();
    assert_eq!(suite.cases(&floats).count(), 20);
    assert!(suite.cases(&floats).all(|id| categories[id.category as usize].name == "floats"));
}
