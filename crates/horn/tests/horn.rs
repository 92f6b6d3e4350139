//! Systems depend on their number alone; each truth is checked again in another way: invariants by running
//! the clauses and by trying small assignments, derivations by replaying their steps.

use assay_case::horn::{Clauses, Extent, explore, refute};
use assay_case::{
    CaseId, Expected, Formula, MakeError, Oracle, Selection, Suite, TestCase, Why, Witness,
};
use assay_horn::{Horn, HornOptions};
use assay_term::eval::EvalContext;
use assay_term::{
    Budget, Evaluator, Int, Interpretation, Model, Quantifier, Replacements, SortId, Store, Term,
    TermId, Value,
};
use std::collections::{BTreeMap, BTreeSet};

fn suite() -> Horn {
    Horn::new(HornOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn cases(suite: &dyn Suite, count: u64) -> Vec<(CaseId, Result<TestCase, MakeError>)> {
    let selection = Selection { limit: Some(count), ..Selection::default() };
    suite.cases(&selection).map(|id| (id, suite.make(id))).collect()
}

/// The cases among the first ones that can be made.
fn made(count: u64) -> Vec<TestCase> {
    let suite = suite();
    let made = cases(&suite, count).into_iter().filter_map(|(id, case)| match case {
        Ok(case) => Some(case),
        Err(MakeError::Unsuitable(_)) => None,
        Err(error) => panic!("{id}: {error}"),
    });
    made.collect()
}

fn formula(case: &TestCase) -> &Formula {
    case.as_formula().expect("a formula").formula()
}

#[test]
fn a_number_always_makes_the_same_case() {
    let (one, other) = (suite(), suite());
    let first: BTreeMap<CaseId, String> = cases(&one, 72)
        .into_iter()
        .filter_map(|(id, case)| Some((id, case.ok()?.text().to_owned())))
        .collect();
    for (id, text) in first.iter().rev() {
        let again = other.make(*id).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(again.text(), text, "{id}");
    }
    assert!(first.len() > 50, "only {} of 72 cases", first.len());
}

#[test]
fn every_category_has_cases_with_certified_truths() {
    let suite = suite();
    let parts = suite.categories();
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for (id, case) in cases(&suite, 8 * parts.len() as u64) {
        let case = match case {
            Ok(case) => case,
            Err(MakeError::Unsuitable(_)) => continue,
            Err(error) => panic!("{id}: {error}"),
        };
        assert_eq!(case.expected(), parts[id.category as usize].expected, "{id}");
        let oracle = case.as_formula().expect("a formula").oracle();
        assert!(
            matches!(
                oracle,
                Oracle::Sat(Witness::Checked(_)) | Oracle::Unsat { why: Why::Derived(_), .. }
            ),
            "{id}: {oracle:?}"
        );
        let again = Formula::read(case.text()).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(again.assertions().len(), formula(&case).assertions().len(), "{id}");
        *counts.entry(id.category).or_default() += 1;
    }
    for (at, part) in (0..).zip(&parts) {
        assert!(counts.contains_key(&at), "no case of {part:?}: {counts:?}");
    }
}

/// The values of a sort, or some small ones.
fn small(store: &Store, sort: SortId) -> Vec<Value> {
    let nothing = Model::new();
    let cx = EvalContext::new(store, &nothing);
    match sort {
        SortId::INT => (-2..6_i64).map(|n| Value::Int(Int::from(n))).collect(),
        SortId::REAL => [-1_i64, 0, 1, 3, 4]
            .into_iter()
            .map(|n| Value::rational(num_rational::BigRational::new(n.into(), 2.into())))
            .collect(),
        _ => cx.enumerate(sort, 64).unwrap_or_else(|| cx.default_value(sort).into_iter().collect()),
    }
}

/// Whether a clause holds for all of some small assignments, by nothing but the evaluator.
fn holds_for_small(formula: &Formula, sentence: TermId, model: &Model) -> usize {
    let mut store = formula.store().clone();
    let Term::Quant(Quantifier::Forall, vars, body) = store.get(sentence) else {
        assert_ne!(Evaluator::new(&store, model).holds(sentence), Ok(false));
        return 1;
    };
    let vars = vars.to_vec();
    let mut by = Replacements::default();
    let mut domains = Vec::new();
    for (at, &var) in vars.iter().enumerate() {
        let sort = store.sort(var);
        let name = store.symbols.intern(&format!("brute{at}"));
        let (func, constant) = store.declare_constant(name, sort);
        by.insert(var, constant);
        domains.push((func, small(&store, sort)));
    }
    let ground = store.replace(body, &mut by);
    let total: usize = domains.iter().map(|(_, values)| values.len()).product();
    let step = (total / 400).max(1);
    for number in (0..total).step_by(step) {
        let (mut model, mut rest) = (model.clone(), number);
        for (func, values) in &domains {
            model.set(*func, Interpretation::Value(values[rest % values.len()].clone()));
            rest /= values.len();
        }
        let value = Evaluator::new(&store, &model).holds(ground);
        assert_ne!(value, Ok(false), "{number}\n{}", formula.text());
    }
    total
}

#[test]
fn invariants_hold_for_small_assignments_and_for_everything_reached() {
    let (mut safe, mut reached) = (0, 0);
    for case in made(288).iter().filter(|case| case.expected() == Expected::Sat) {
        let formula = formula(case);
        let Oracle::Sat(Witness::Checked(model)) = case.as_formula().expect("one").oracle() else {
            panic!("{} has no witness", case.name());
        };
        for assertion in formula.assertions() {
            holds_for_small(formula, assertion.term, model);
        }
        let clauses = Clauses::of(formula).expect("Horn clauses");
        let run = explore(formula, &clauses, Extent::USUAL, &mut Budget::new(4_000_000, 1 << 24));
        assert_eq!(run.falsity, None, "{}", formula.text());
        let mut store = clauses.store.clone();
        for fact in &run.facts {
            let args: Option<Vec<TermId>> = fact.args.iter().map(|v| store.value(v)).collect();
            let Some(args) = args else { continue };
            let fact = store.app(fact.predicate, &args).expect("a fact");
            let value = Evaluator::new(&store, model).holds(fact);
            assert_eq!(value, Ok(true), "{}", formula.text());
            reached += 1;
        }
        safe += 1;
    }
    assert!(safe > 80 && reached > 1_000, "{safe} safe systems, {reached} facts");
}

#[test]
fn derivations_are_replayed_step_by_step() {
    let (mut depths, mut joins) = (Vec::new(), 0);
    for case in made(288).iter().filter(|case| case.expected() == Expected::Unsat) {
        let formula = formula(case);
        let clauses = Clauses::of(formula).expect("Horn clauses");
        let derivation = refute(formula, &mut Budget::default()).expect("a derivation");
        let steps = derivation.facts().iter().map(|fact| &fact.step).chain([derivation.falsity()]);
        for (at, step) in steps.enumerate() {
            let clause = &clauses.clauses[step.clause];
            let mut model = formula.definitions().clone();
            for (&(func, _), value) in clause.variables.iter().zip(&step.values) {
                model.set(func, Interpretation::Value(value.clone()));
            }
            let mut evaluator = Evaluator::new(&clauses.store, &model);
            for &constraint in &clause.constraints {
                assert_eq!(evaluator.holds(constraint), Ok(true), "{}", formula.text());
            }
            let mut values = |terms: &[TermId]| -> Vec<Value> {
                terms.iter().map(|&term| evaluator.eval(term).expect("a value")).collect()
            };
            assert_eq!(clause.body.len(), step.premises.len());
            joins += usize::from(step.premises.len() > 1);
            for (premise, &fact) in clause.body.iter().zip(&step.premises) {
                assert!(fact < at);
                let fact = &derivation.facts()[fact];
                assert_eq!(fact.predicate, premise.predicate);
                assert_eq!(*fact.args, *values(&premise.args));
            }
            match (derivation.facts().get(at), &clause.head) {
                (Some(fact), Some(head)) => {
                    assert_eq!(fact.predicate, head.predicate);
                    assert_eq!(*fact.args, *values(&head.args));
                }
                (None, None) => {}
                other => panic!("step {at}: {:?}", other.1),
            }
        }
        depths.push(derivation.len());
    }
    depths.sort_unstable();
    let (count, deepest) = (depths.len(), depths.last().copied().unwrap_or(0));
    let different: BTreeSet<usize> = depths.iter().copied().collect();
    assert!(count > 80 && deepest > 15 && different.len() > 8 && joins > 10, "{depths:?} {joins}");
}
