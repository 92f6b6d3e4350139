//! The suites of the thesis on regex solvers: results in a simple form, no case twice, formulas that
//! really combine theories, and pools of random languages.

use assay_case::{Formula, Selection, Suite, TestCase};
use assay_forge::{SuiteOptions, suite};
use assay_term::regex::RegLan;
use assay_term::{Budget, Evaluator, Model, SortId, Term, TermId, Value};
use std::collections::{BTreeMap, HashMap, HashSet};

fn thesis(name: &str, overlay: Option<&str>) -> Box<dyn Suite> {
    let options = SuiteOptions {
        preset: Some("thesis22".into()),
        overlay: overlay.map(Into::into),
        ..SuiteOptions::default()
    };
    suite(name, &options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn made(suite: &dyn Suite, selection: &Selection) -> Vec<TestCase> {
    let made = |id| suite.make(id).unwrap_or_else(|error| panic!("{id}: {error}"));
    suite.cases(selection).map(made).collect()
}

fn only(category: &str) -> Selection {
    Selection { categories: vec![category.into()], ..Selection::default() }
}

fn formula(case: &TestCase) -> &Formula {
    case.as_formula().expect("a formula").formula()
}

/// The two sides of a formula's equation.
fn sides(formula: &Formula) -> [TermId; 2] {
    let equation = formula.assertions()[0].term;
    let Term::App(_, &[left, right]) = formula.store().get(equation) else {
        panic!("not an equation: {}", formula.text());
    };
    [left, right]
}

fn language(formula: &Formula, term: TermId) -> Option<RegLan> {
    match Evaluator::new(formula.store(), &Model::new()).eval(term) {
        Ok(Value::RegLan(language)) => Some(language),
        _ => None,
    }
}

#[test]
fn results_are_simple_and_no_sides_are_identical() {
    let suite = thesis("regex", None);
    let mut words = 0;
    for case in made(&*suite, &only("constant-assignment")) {
        let formula = formula(&case);
        let [left, right] = sides(formula);
        assert_ne!(left, right, "{}", formula.text());
        let Some(value) = language(formula, right) else { continue };
        let same = |other: &RegLan| value.equivalent(other, &mut Budget::unlimited()) == Ok(true);
        let written = value.to_string();
        assert!(written == "re.none" || !same(&RegLan::none()), "{}", formula.text());
        assert!(written == "re.all" || !same(&RegLan::all()), "{}", formula.text());
        assert!(!written.starts_with("(re.++ (str.to_re \"a\") (str.to_re"), "{}", formula.text());
        words += usize::from(written.starts_with("(str.to_re \"ab"));
    }
    assert!(words > 0, "a concatenation of words is one word");
}

#[test]
fn no_assignment_is_repeated_by_language() {
    let suite = thesis("regex", None);
    let mut known: HashMap<String, Vec<RegLan>> = HashMap::new();
    for case in made(&*suite, &only("constant-assignment")) {
        let formula = formula(&case);
        let [left, right] = sides(formula);
        let Some(value) = language(formula, right) else { continue };
        let left = assay_smtlib::Printer::new(formula.store()).term(left);
        let others = known.entry(left).or_default();
        for other in &*others {
            let same = value.equivalent(other, &mut Budget::unlimited());
            assert_eq!(same, Ok(false), "repeated: {}", formula.text());
        }
        others.push(value);
    }
}

#[test]
fn combined_formulas_mix_their_theories() {
    let suite = thesis("combined", None);
    let mut categories = BTreeMap::new();
    for case in made(&*suite, &Selection { each: Some(3), ..Selection::default() }) {
        let text = formula(&case).text();
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        assert!(has(&["RegLan", "re.", "to_re"]), "no regular language:\n{text}");
        assert!(has(&["Array", "BitVec", "#b", "#x"]), "no array and no bit-vector:\n{text}");
        *categories.entry(case.origin().category.clone()).or_insert(0) += 1;
    }
    assert_eq!(categories.len(), 4, "{categories:?}");
}

#[test]
fn a_random_pool_has_its_size_and_depends_on_its_seed() {
    let texts = |rng: u64| -> HashSet<String> {
        let overlay = format!("[random-regexes]\nsize = 14\nrng = {rng}\nnodes = 6");
        let suite = thesis("regex", Some(&overlay));
        made(&*suite, &only("constant-assignment"))
            .iter()
            .filter(|case| case.name().contains("/complement/"))
            .map(|case| formula(case).text().to_owned())
            .collect()
    };
    let first = texts(1);
    assert_eq!(first, texts(1));
    assert_ne!(first, texts(2));
    // Each language of the pool has a complement.
    let mut languages: HashSet<String> = HashSet::new();
    for text in &first {
        let case = Formula::read(text.as_str()).expect("a formula that we printed");
        let [left, _] = sides(&case);
        let Term::App(_, &[regex]) = case.store().get(left) else { panic!("{text}") };
        if let Some(language) = language(&case, regex) {
            assert!(language.tree_size() <= 6, "{language}");
            languages.insert(language.to_string());
        }
        assert_eq!(case.store().sort(regex), SortId::REGLAN);
    }
    assert_eq!(languages.len(), 14, "{languages:?}");
}

#[test]
fn a_random_pool_that_cannot_be_filled_is_an_error() {
    let only = "[[operation]]\nname = 'complement'\nhead = 're.comp'\nargs = ['RegLan']";
    let overlay = format!("[random-regexes]\nsize = 50\n{only}");
    let options = SuiteOptions { overlay: Some(overlay), ..SuiteOptions::default() };
    let Err(error) = suite("regex", &options) else { panic!("50 languages and complements") };
    assert!(error.to_string().starts_with("random-regexes: 50 different"), "{error}");
}
