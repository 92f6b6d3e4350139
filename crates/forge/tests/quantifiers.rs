//! Quantified formulas: what is claimed of them is checked once more, by reading the text anew and
//! trying all interpretations of its symbols.

use assay_case::{Expected, Formula, Oracle, Selection, TestCase};
use assay_forge::{SuiteOptions, suite};
use assay_smtlib::Command;
use assay_term::eval::EvalContext;
use assay_term::{Evaluator, Func, FuncId, Interpretation, Model, SortId, Term, TermId, Value};
use std::collections::BTreeMap;

fn some(categories: &[&str], each: u64) -> Vec<(String, String, TestCase)> {
    let quantifiers = suite("quantifiers", &SuiteOptions::default()).expect("the preset is right");
    let all = quantifiers.categories();
    let categories = categories.iter().map(|&name| name.to_owned()).collect();
    let selection = Selection { categories, each: Some(each), rng: 3, ..Selection::default() };
    let made = quantifiers.cases(&selection).map(|id| {
        let category = &all[id.category as usize];
        let case = quantifiers.make(id);
        let case = case.unwrap_or_else(|error| panic!("{} {id}: {error}", category.name));
        (category.name.clone(), category.group.clone(), case)
    });
    made.collect()
}

fn formula(case: &TestCase) -> &Formula {
    case.as_formula().expect("a formula").formula()
}

fn product(parts: &[Vec<Value>]) -> Vec<Vec<Value>> {
    parts.iter().fold(vec![Vec::new()], |rows, part| {
        let longer = |row: &Vec<Value>| {
            let row = row.clone();
            part.iter().map(move |value| [row.clone(), vec![value.clone()]].concat()).collect()
        };
        rows.iter().flat_map::<Vec<Vec<Value>>, _>(longer).collect()
    })
}

/// All interpretations of the symbols that occur in the assertions, if there are few.
fn interpretations(formula: &Formula, most: usize) -> Option<Vec<Model>> {
    let store = formula.store();
    let terms: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
    let mut symbols: Vec<(FuncId, Vec<SortId>, SortId)> = Vec::new();
    for term in store.postorder(&terms) {
        let Term::App(func, _) = store.get(term) else { continue };
        let Func::Declared { params, result, .. } = store.func(func) else { continue };
        if symbols.iter().all(|(known, ..)| *known != func) {
            symbols.push((func, params.to_vec(), *result));
        }
    }
    let nothing = Model::new();
    let context = EvalContext::new(store, &nothing);
    let values = |sort: SortId| context.enumerate(sort, 64).expect("a finite sort");
    let mut models = vec![Model::new()];
    for (func, params, result) in symbols {
        let rows = product(&params.iter().map(|&param| values(param)).collect::<Vec<_>>());
        let results = values(result);
        let count = (results.len() as f64).powi(i32::try_from(rows.len()).expect("few rows"));
        if count * models.len() as f64 > most as f64 {
            return None;
        }
        let columns = product(&vec![results.clone(); rows.len()]);
        let mut more = Vec::new();
        for model in &models {
            for column in &columns {
                let mut model = model.clone();
                let meaning = match params.is_empty() {
                    true => Interpretation::Value(column[0].clone()),
                    false => Interpretation::Table {
                        entries: rows
                            .iter()
                            .map(|row| row.clone().into_boxed_slice())
                            .zip(column.iter().cloned())
                            .collect(),
                        default: results[0].clone(),
                    },
                };
                model.set(func, meaning);
                more.push(model);
            }
        }
        models = more;
    }
    Some(models)
}

/// The positions of the assertions that are false, of each interpretation.
fn falsified(formula: &Formula, models: &[Model]) -> Vec<Vec<usize>> {
    let of_model = |model: &Model| {
        let mut evaluator = Evaluator::new(formula.store(), model);
        let terms = formula.assertions().iter().map(|assertion| assertion.term).enumerate();
        terms
            .filter(|(_, term)| !evaluator.holds(*term).expect("quantifiers are finite"))
            .map(|(at, _)| at)
            .collect()
    };
    models.iter().map(of_model).collect()
}

#[test]
fn formulas_without_a_model_have_none_and_their_cores_are_minimal() {
    let unsat = [
        "false-sentence",
        "instance",
        "instance-patterns",
        "nested-instance",
        "chain",
        "chain-patterns",
        "exhausted",
    ];
    let (mut tried, mut cores) = (BTreeMap::new(), 0);
    for (category, group, case) in some(&unsat, 30) {
        let Oracle::Unsat { core, .. } = case.as_formula().expect("a formula").oracle() else {
            panic!("{category}/{group} is unsatisfiable");
        };
        let again = Formula::read(formula(&case).text()).expect("a text that we printed");
        let Some(models) = interpretations(&again, 1 << 12) else { continue };
        let falsified = falsified(&again, &models);
        let place = || format!("{category}/{group}\n{}", again.text());
        assert!(falsified.iter().all(|wrong| !wrong.is_empty()), "{}", place());
        *tried.entry(category.clone()).or_insert(0) += 1;
        let Some(core) = core else { continue };
        let named = |at: usize| core.names.contains(&again.assertions()[at].names[0]);
        // No interpretation satisfies the core; each of the core is the only one that is false somewhere.
        assert!(falsified.iter().all(|wrong| wrong.iter().any(|&at| named(at))), "{}", place());
        for name in &core.names {
            let needed = |wrong: &Vec<usize>| matches!(wrong[..], [at] if again.assertions()[at].names[0] == *name);
            assert!(falsified.iter().any(needed), "{name} is not needed: {}", place());
        }
        cores += 1;
    }
    assert_eq!(tried.len(), unsat.len(), "{tried:?}");
    assert!(tried.values().all(|&count| count >= 20), "{tried:?}");
    assert!(cores >= 250, "{cores}");
}

#[test]
fn most_cores_are_known() {
    let cases = some(&["instance", "nested-instance", "chain", "chain-patterns", "exhausted"], 20);
    let known = cases.iter().filter(|(.., case)| {
        let oracle = case.as_formula().expect("a formula").oracle();
        matches!(oracle, Oracle::Unsat { core: Some(core), .. } if !core.names.is_empty())
    });
    let (known, all) = (known.count(), cases.len());
    assert!(known * 10 > all * 8, "{known} of {all}");
}

#[test]
fn sentences_are_decided_without_symbols() {
    for (category, group, case) in some(&["true-sentence", "false-sentence"], 20) {
        let formula = formula(&case);
        let nothing = Model::new();
        let mut evaluator = Evaluator::new(formula.store(), &nothing);
        let truths: Vec<bool> = formula
            .assertions()
            .iter()
            .map(|assertion| evaluator.holds(assertion.term).expect("no symbol is needed"))
            .collect();
        let wrong = truths.iter().filter(|truth| !**truth).count();
        assert_eq!(wrong, usize::from(category == "false-sentence"), "{group}\n{}", formula.text());
    }
}

#[test]
fn every_formula_has_a_quantifier_and_patterns_where_they_are_announced() {
    let mut counts: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    let all = suite("quantifiers", &SuiteOptions::default()).expect("the preset is right");
    let names: Vec<String> = all.categories().into_iter().map(|c| c.name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (category, group, case) in some(&names, 12) {
        let formula = formula(&case);
        let has = |word: &str| formula.text().contains(word);
        assert!(has("(forall ") || has("(exists "), "{category}/{group}\n{}", formula.text());
        let declared =
            formula.script().commands.iter().any(|c| matches!(c, Command::DeclareFun(_)));
        assert!(declared, "{}", formula.text());
        let count = counts.entry(category).or_default();
        count.0 += 1;
        count.1 += usize::from(has(":pattern ("));
        count.2 += usize::from(formula.text().matches("(forall ").count() > 1 || has("(exists "));
    }
    for (category, (all, patterns, _)) in &counts {
        match category.ends_with("-patterns") {
            true => assert!(patterns * 10 > all * 4, "{category}: {patterns} of {all}"),
            false => assert_eq!(*patterns, 0, "{category}"),
        }
    }
    let (nested, sentences) = (counts["satisfiable"].2, counts["satisfiable"].0);
    assert!(nested * 2 > sentences, "{nested} of {sentences}");
}

#[test]
fn categories_state_their_truth_and_numbers_are_stable() {
    let quantifiers = suite("quantifiers", &SuiteOptions::default()).expect("the preset is right");
    let names: Vec<String> = quantifiers.categories().into_iter().map(|c| c.name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let texts = |cases: &[(String, String, TestCase)]| {
        cases.iter().map(|(.., case)| formula(case).text().to_owned()).collect::<Vec<_>>()
    };
    let (once, again) = (some(&names, 2), some(&names, 2));
    assert_eq!(texts(&once), texts(&again));
    let expected: BTreeMap<String, Expected> =
        quantifiers.categories().into_iter().map(|c| (c.name, c.expected)).collect();
    for (category, _, case) in &once {
        assert_eq!(case.expected(), expected[category], "{category}");
    }
}

#[test]
fn vocabularies_that_are_not_finite_are_refused() {
    let overlay = |vocabulary: &str| {
        let text = format!(
            "[quantified]\ncategories = ['satisfiable']\ncases = 1\n\
             [[quantified.vocabulary]]\nname = 'mine'\n{vocabulary}"
        );
        let config = SuiteOptions { overlay: Some(text), ..SuiteOptions::default() };
        suite("quantifiers", &config).map(|suite| suite.categories().len())
    };
    let table = [
        ("declarations = ''\nsorts = ['Int']", "have over 64 values"),
        (
            "declarations = '(declare-fun f ((_ BitVec 8)) Bool)'\nsorts = ['Bool']",
            "have over 64 values",
        ),
        ("declarations = '(declare-sort S 0)'\nsorts = ['Bool']", "only datatypes, functions"),
        ("declarations = ''\nsorts = ['Colour']", "quantified vocabulary `mine`"),
        ("declarations = ''\nsorts = []", "no variable has a sort"),
        (
            "declarations = ''\nsorts = ['Bool']\noperations = [{ head = 'bvadd', args = ['Bool'] }]",
            "quantified vocabulary `mine`",
        ),
        ("declarations = ''\nsorts = ['Bool']\nnonsense = 1", "unknown field `nonsense`"),
    ];
    for (vocabulary, words) in table {
        let error = overlay(vocabulary).expect_err(vocabulary);
        assert!(error.to_string().contains(words), "{vocabulary}: {error}");
    }
    assert_eq!(overlay("declarations = ''\nsorts = ['(_ BitVec 3)']").expect("a suite"), 1);
}
