//! Formulas with soft constraints: what is claimed of them is checked once more, by reading the
//! text anew and looking at all assignments.

use assay_case::{
    Expected, Extremum, Formula, Goal, Optima, Oracle, Selection, Suite, TestCase, Witness,
    check_model,
};
use assay_forge::{SuiteOptions, suite};
use assay_smtlib::Command;
use assay_term::eval::EvalContext;
use assay_term::{Evaluator, FuncId, Int, Interpretation, Model, SortId, Value};
use num_rational::BigRational;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

fn maxsmt(overlay: Option<&str>) -> Box<dyn Suite> {
    let config = SuiteOptions { overlay: overlay.map(Into::into), ..SuiteOptions::default() };
    suite("maxsmt", &config).expect("the preset is right")
}

fn formula(case: &TestCase) -> &Formula {
    case.as_formula().expect("a formula").formula()
}

/// Cases with the names of their category and group.
fn some(suite: &dyn Suite, each: u64) -> Vec<(String, String, TestCase)> {
    let categories = suite.categories();
    let selection = Selection { each: Some(each), rng: 5, ..Selection::default() };
    let made = suite.cases(&selection).map(|id| {
        let category = &categories[id.category as usize];
        let case = suite.make(id).unwrap_or_else(|error| panic!("{}: {error}", category.name));
        (category.name.clone(), category.group.clone(), case)
    });
    made.collect()
}

fn number(value: &Value) -> BigRational {
    match value {
        Value::Int(n) => BigRational::from_integer(n.to_big()),
        Value::Real(x) => x.as_ref().clone(),
        Value::BitVec(bits) => BigRational::from_integer(bits.to_big().into()),
        other => panic!("{other:?} is not a number"),
    }
}

fn claimed(case: &TestCase) -> Vec<BigRational> {
    let Oracle::Optimum { optima, .. } = case.as_formula().expect("a formula").oracle() else {
        panic!("{} has no optimum", case.name());
    };
    let value = |optimum: &Extremum| match optimum {
        Extremum::Value(value) => number(value),
        other => panic!("{other} is not finite"),
    };
    match optima {
        Optima::Each(optima) => optima.iter().map(value).collect(),
        Optima::Front(points) => points[0].0.iter().map(value).collect(),
    }
}

/// The constants that a formula declares, each with all its values. An integer outside of this
/// range falsifies a hard constraint.
fn domains(formula: &Formula) -> Vec<(FuncId, Vec<Value>)> {
    let nothing = Model::new();
    let context = EvalContext::new(formula.store(), &nothing);
    let mut found = Vec::new();
    for command in &formula.script().commands {
        let Command::DeclareConst(func) = command else { continue };
        let assay_term::Func::Declared { result, .. } = formula.store().func(*func) else {
            panic!("a constant is declared")
        };
        let values = match *result {
            SortId::INT => (-3..=4i64).map(|n| Int::from(n).into()).collect(),
            sort => context.enumerate(sort, 16).expect("a small sort"),
        };
        found.push((*func, values));
    }
    found
}

/// The best values of the objectives, the first first; `None` if there is no model.
fn best(formula: &Formula) -> Option<Vec<BigRational>> {
    let domains = domains(formula);
    let count: usize = domains.iter().map(|(_, values)| values.len()).product();
    let mut best: Option<Vec<BigRational>> = None;
    for mut at in 0..count {
        let mut model = formula.definitions().clone();
        for (func, values) in &domains {
            model.set(*func, Interpretation::Value(values[at % values.len()].clone()));
            at /= values.len();
        }
        let mut evaluator = Evaluator::new(formula.store(), &model);
        let hard = formula.assertions().iter().map(|assertion| assertion.term);
        if hard.into_iter().any(|term| !evaluator.holds(term).expect("all is total")) {
            continue;
        }
        let costs: Vec<BigRational> = formula
            .objectives()
            .iter()
            .map(|objective| {
                let cost = objective.cost.expect("every weight is understood");
                number(&evaluator.eval(cost).expect("all is total"))
            })
            .collect();
        let order = |known: &Vec<BigRational>| {
            let sides = formula.objectives().iter().zip(costs.iter().zip(known));
            let each = sides.map(|(objective, (a, b))| match objective.goal {
                Goal::Minimize => a.cmp(b),
                Goal::Maximize => b.cmp(a),
            });
            each.fold(Ordering::Equal, Ordering::then)
        };
        if best.as_ref().is_none_or(|known| order(known) == Ordering::Less) {
            best = Some(costs);
        }
    }
    best
}

/// What has no best model: `priorities.rs` tests most of it.
const UNRANKED: [&str; 4] = ["unbounded", "box", "pareto", "strict"];

#[test]
fn optima_of_finite_formulas_agree_with_enumeration() {
    let finite = ["booleans", "bit-vectors", "integers"];
    let (mut optima, mut refuted) = (0, 0);
    for (category, group, case) in some(&*maxsmt(None), 40) {
        if !finite.contains(&group.as_str()) || UNRANKED.contains(&category.as_str()) {
            continue;
        }
        let again = Formula::read(formula(&case).text()).expect("a text that we printed");
        match best(&again) {
            Some(best) => {
                assert_eq!(claimed(&case), best, "{category}/{group}\n{}", again.text());
                optima += 1;
            }
            None => {
                assert!(
                    matches!(case.as_formula().expect("a formula").oracle(), Oracle::Unsat { .. }),
                    "{}",
                    again.text()
                );
                refuted += 1;
            }
        }
    }
    assert_eq!((optima, refuted), (19 * 40, 3 * 40));
}

#[test]
fn cores_beside_soft_constraints_agree_with_enumeration() {
    let mut known = 0;
    for (category, group, case) in some(&*maxsmt(None), 40) {
        let Oracle::Unsat { core: Some(core), .. } = case.as_formula().expect("a formula").oracle()
        else {
            continue;
        };
        if group == "refutations" {
            continue;
        }
        // Without a soft constraint and without some of the named assertions.
        let without = |left_out: &dyn Fn(&str) -> bool| {
            let lines = formula(&case).text().lines();
            let stays = |line: &&str| {
                let named = line.split_once(":named ").map(|(_, name)| name.trim_end_matches(')'));
                !line.starts_with("(assert-soft") && !named.is_some_and(left_out)
            };
            let text: Vec<&str> = lines.filter(stays).collect();
            best(&Formula::read(text.join("\n")).expect("a part of a text that we printed"))
        };
        let alone = without(&|name| core.names.iter().all(|needed| needed != name));
        assert_eq!(alone, None, "{category}/{group}: the core has a model");
        for needed in &core.names {
            assert!(without(&|name| name == needed).is_some(), "{group}: {needed} is not needed");
        }
        known += 1;
    }
    assert!(known >= 30, "only {known} cores are known");
}

#[test]
fn optima_of_conflicting_constraints_agree_with_enumeration() {
    let overlay = r##"
        [pool]
        Bool = ["true", "false"]
        "(_ BitVec 2)" = ["#b00", "#b01", "#b10", "#b11"]
        [[operation]]
        name = "and"
        head = "and"
        args = ["Bool", "Bool"]
        [[operation]]
        name = "bvmul"
        head = "bvmul"
        args = ["(_ BitVec 2)", "(_ BitVec 2)"]
        [[operation]]
        name = "bvult"
        head = "bvult"
        args = ["(_ BitVec 2)", "(_ BitVec 2)"]
        [refute]
    "##;
    let mut seen = BTreeMap::new();
    for (category, group, case) in some(&*maxsmt(Some(overlay)), 25) {
        if group != "operations" {
            continue;
        }
        let again = Formula::read(formula(&case).text()).expect("a text that we printed");
        let assignments: usize = domains(&again).iter().map(|(_, values)| values.len()).product();
        if assignments <= 1 << 14 {
            assert_eq!(Some(claimed(&case)), best(&again), "{category}\n{}", again.text());
            *seen.entry(category).or_insert(0) += 1;
        }
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
    assert!(seen.values().all(|&count| count >= 15), "{seen:?}");
}

#[test]
fn every_case_is_of_its_category() {
    let zero = BigRational::from_integer(0.into());
    let mut groups = BTreeSet::new();
    let mut negative = 0;
    for (category, group, case) in some(&*maxsmt(None), 30) {
        let formula = formula(&case);
        let place = || format!("{category}/{group}\n{}", formula.text());
        let lost = || claimed(&case).iter().any(|optimum| *optimum != zero);
        match category.as_str() {
            "all-soft-hold" => assert!(!lost(), "{}", place()),
            "only-soft" => assert!(formula.assertions().is_empty(), "{}", place()),
            "unsat-hard" => assert!(
                matches!(case.as_formula().expect("a formula").oracle(), Oracle::Unsat { .. }),
                "{}",
                place()
            ),
            "subset-holds" => assert!(lost(), "{}", place()),
            "several-objectives" => assert!(formula.objectives().len() > 1, "{}", place()),
            "negative-weights" => {
                negative += usize::from(formula.text().contains(":weight -"));
            }
            _ => {}
        }
        assert!(!formula.objectives().is_empty(), "{}", place());
        groups.insert(format!("{category}/{group}"));
    }
    assert_eq!(groups.len(), maxsmt(None).categories().len());
    // Each weight is negative with probability one half, and there are two or more.
    assert!((60..=90).contains(&negative), "{negative} of 90 have a negative weight");
}

#[test]
fn cases_read_back_and_their_witnesses_hold() {
    for (category, group, case) in some(&*maxsmt(None), 20) {
        let formula = formula(&case);
        let mut again = Formula::read(formula.text()).expect("a text that we printed");
        assert_eq!(again.text(), formula.text());
        let groups = |formula: &Formula| {
            formula.objectives().iter().map(|o| o.group.clone()).collect::<Vec<_>>()
        };
        assert_eq!(groups(&again), groups(formula), "{category}/{group}");
        let Oracle::Optimum { witness: Some(Witness::Checked(model)), .. } =
            case.as_formula().expect("a formula").oracle()
        else {
            continue;
        };
        let mut store = formula.store().clone();
        let text = assay_smtlib::print_model(&mut store, model, assay_smtlib::STANDARD);
        let model = again.read_model(&text).expect("a model that we printed");
        let model = check_model(&again, model)
            .unwrap_or_else(|fault| panic!("{fault}\n{}{text}", again.text()));
        if ["unbounded", "box", "strict"].contains(&category.as_str()) {
            continue;
        }
        let mut evaluator = Evaluator::new(again.store(), &model);
        for (objective, optimum) in again.objectives().iter().zip(claimed(&case)) {
            let cost = objective.cost.expect("every weight is understood");
            let cost = evaluator.eval(cost).expect("the witness is complete");
            assert_eq!(number(&cost), optimum, "{}{text}", again.text());
        }
    }
}

#[test]
fn unbounded_objectives_reach_arbitrary_values() {
    let mut claims: BTreeMap<String, usize> = BTreeMap::new();
    for (_, group, case) in some(&*maxsmt(None), 30).into_iter().filter(|c| c.0 == "unbounded") {
        let formula = formula(&case);
        let Oracle::Optimum { optima, witness: Some(Witness::Checked(model)), .. } =
            case.as_formula().expect("a formula").oracle()
        else {
            panic!("{group}: {:?}", case.as_formula().expect("a formula").oracle());
        };
        let (Optima::Each(optima), [objective]) = (optima, formula.objectives()) else {
            panic!("one objective: {}", formula.text());
        };
        let [optimum] = optima.as_slice() else {
            panic!("one objective: {}", formula.text());
        };
        let free = formula.script().commands.iter().find_map(|command| match command {
            Command::DeclareConst(func) if formula.store().func_name(*func) == "free" => {
                Some(*func)
            }
            _ => None,
        });
        let free = free.expect("the number has a name");
        let far = BigRational::from_integer(num_bigint::BigInt::from(10).pow(40));
        let cost_at = |far: BigRational| {
            let value = match formula.store().func(free) {
                assay_term::Func::Declared { result: SortId::INT, .. } => {
                    Value::Int(far.to_integer().into())
                }
                _ => Value::rational(far),
            };
            let mut model: Model = (**model).clone();
            model.set(free, Interpretation::Value(value));
            let model = check_model(formula, model).ok()?;
            let cost = Evaluator::new(formula.store(), &model).eval(objective.cost?).ok()?;
            Some(number(&cost))
        };
        let reached: Vec<BigRational> =
            [far.clone(), -far.clone()].map(cost_at).into_iter().flatten().collect();
        let better = match optimum {
            Extremum::PlusInfinity => reached.iter().any(|cost| *cost >= far),
            Extremum::MinusInfinity => reached.iter().any(|cost| *cost <= -far.clone()),
            Extremum::Value(_) | Extremum::JustAbove(_) | Extremum::JustBelow(_) => false,
        };
        assert!(better, "{optimum}: {}", formula.text());
        assert_eq!(reached.len(), 1, "one side is bounded: {}", formula.text());
        *claims.entry(optimum.to_string()).or_default() += 1;
    }
    assert!(claims.len() == 2 && claims.values().all(|&count| count > 20), "{claims:?}");
}

#[test]
fn a_number_is_always_the_same_case() {
    let texts = || {
        let cases = some(&*maxsmt(None), 3);
        cases.iter().map(|(.., case)| formula(case).text().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(), texts());
    let different: BTreeSet<String> = texts().into_iter().collect();
    assert!(different.len() + 2 >= texts().len(), "cases repeat each other");
}

#[test]
fn every_category_states_its_expected_answer() {
    for category in maxsmt(None).categories() {
        let expected = match category.name.as_str() {
            "unsat-hard" => Expected::Unsat,
            _ => Expected::Optimum,
        };
        assert_eq!(category.expected, expected, "{}", category.name);
    }
}

#[test]
fn invalid_weights_are_errors() {
    for weights in ["['-1']", "['0']", "['x']", "[]"] {
        let overlay =
            format!("[maxsmt]\ncategories = ['only-soft']\ncases = 1\nweights = {weights}");
        let config = SuiteOptions { overlay: Some(overlay), ..SuiteOptions::default() };
        let error = suite("maxsmt", &config).err().expect("that is not a weight");
        assert!(error.to_string().contains("is not a weight"), "{error}");
    }
}
