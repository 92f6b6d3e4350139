//! Rewritten formulas have no model among many assignments, their core is needed, and every table of rules
//! takes part.

use assay_case::{Formula, MakeError, Oracle, Selection, Suite, TestCase, Why};
use assay_grow::{GrowOptions, Rewritten, Values};
use assay_mutate::Draw;
use assay_smtlib::Command;
use assay_term::{Evaluator, FuncId, Limits, Model, TermId, Value};
use std::collections::BTreeSet;

/// Assignments tried of each formula.
const TRIED: usize = 12;

fn cases(count: u64, rng: u64) -> Vec<TestCase> {
    let suite = Rewritten::new(GrowOptions { rng, ..GrowOptions::default() })
        .unwrap_or_else(|error| panic!("{error}"));
    let selection = Selection { limit: Some(count), ..Selection::default() };
    let made = suite.cases(&selection).filter_map(|id| match suite.make(id) {
        Ok(case) => Some(case),
        Err(MakeError::Unsuitable(_)) => None,
        Err(error) => panic!("{id}: {error}"),
    });
    made.collect()
}

/// Random models of the symbols of a formula.
fn models(formula: &Formula, draw: &mut Draw) -> Vec<Model> {
    let declared: Vec<FuncId> = formula
        .script()
        .commands
        .iter()
        .filter_map(|command| match command {
            Command::DeclareFun(func) | Command::DeclareConst(func) => Some(*func),
            _ => None,
        })
        .collect();
    let mut store = formula.store().clone();
    let terms: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
    let parts = store.postorder(&terms);
    let values = Values::new(&mut store, &declared, &parts);
    let mut drawn = Vec::new();
    for _ in 0..TRIED {
        let (mut model, mut before) = (values.world().clone(), Vec::new());
        for &func in &declared {
            if let Some(meaning) = values.meaning(&store, draw, func, &mut before) {
                model.set(func, meaning);
            }
        }
        drawn.push(model);
    }
    drawn
}

#[test]
fn no_assignment_satisfies_a_rewritten_case() {
    let limits = Limits { steps: 100_000, ..Limits::default() };
    let mut draw = Draw::new(&[5]);
    let (mut refuted, mut rules) = (0, BTreeSet::new());
    for case in cases(300, 3) {
        let test = case.as_formula().expect("a formula");
        let Oracle::Unsat { why: Why::Certified(used), core: Some(core) } = test.oracle() else {
            panic!("{}", case.text())
        };
        assert!(!used.is_empty());
        rules.extend(used.iter().cloned());
        let formula = test.formula();
        // The core with what has no name is unsatisfiable already.
        let stands =
            |names: &[String]| names.is_empty() || core.names.iter().any(|n| names.contains(n));
        let core: Vec<TermId> =
            formula.assertions().iter().filter(|a| stands(&a.names)).map(|a| a.term).collect();
        for model in models(formula, &mut draw) {
            let mut evaluator = Evaluator::new(formula.store(), &model).with_limits(limits);
            let values: Vec<_> = core.iter().map(|&term| evaluator.eval(term)).collect();
            let holds = values.iter().all(|value| *value == Ok(Value::Bool(true)));
            assert!(!holds, "a model satisfies\n{}", case.text());
            refuted += usize::from(values.contains(&Ok(Value::Bool(false))));
        }
    }
    assert!(refuted > 1_000, "only {refuted} assignments were decided");
    assert!(rules.len() > 80, "only {} rules took part", rules.len());
}

#[test]
fn a_number_always_makes_the_same_case() {
    let texts = |cases: Vec<TestCase>| -> Vec<String> {
        cases.iter().map(|case| case.text().to_owned()).collect()
    };
    assert_eq!(texts(cases(80, 0)), texts(cases(80, 0)));
    assert_ne!(texts(cases(80, 0)), texts(cases(80, 1)));
}
