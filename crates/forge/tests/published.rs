//! Agreement with the published files of the string suite, where they are at hand: their verdicts,
//! models and cores hold for us, and each of their formulas is one of ours.

use assay_case::{Formula, Oracle, Selection, check_model};
use assay_forge::{SuiteOptions, suite};
use assay_smtlib::{Lets, Printer, Sharing, read_script};
use assay_term::{AttributeValue, Func, Interpretation, Model, SortId, Store, Term, TermId, Value};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// How variables are compared.
#[derive(Clone, Copy, PartialEq)]
enum Variables {
    /// By the order in which they occur.
    Numbered,
    /// Not at all: which of several equal terms stands for a history is not specified.
    Alike,
}

/// Folders of the published files, and what the same category is called here.
const CATEGORIES: [(&str, &str, Variables); 3] = [
    ("operation", "operation", Variables::Numbered),
    ("const", "constant-assignment", Variables::Numbered),
    ("termSyn", "term-synthesis", Variables::Alike),
];

/// Where the published files are; none, with a word about it, where they are not at hand.
#[allow(clippy::print_stderr)]
fn published() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/strings/icse20");
    if !folder.is_dir() {
        eprintln!("skipped: the published files are not at {}", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn published_files_are_ours_and_their_models_hold() {
    let Some(folder) = published() else { return };
    let config = SuiteOptions { preset: Some("icse20".into()), ..SuiteOptions::default() };
    let strings = suite("strings", &config).expect("the preset is right");
    for (theirs, ours, variables) in CATEGORIES {
        let selection = Selection { categories: vec![ours.into()], ..Selection::default() };
        let formulas: HashSet<String> = strings
            .cases(&selection)
            .map(|id| {
                let case = strings.make(id).expect("a case that is named can be made");
                let formula = case.as_formula().expect("a formula").formula();
                pattern(formula.text(), variables)
            })
            .collect();
        let files = files(&folder.join(theirs));
        assert!(!files.is_empty(), "{theirs} is empty");
        for file in files {
            let text = fs::read_to_string(&file).expect("a file that is listed");
            assert!(text.starts_with("; expected: sat"), "{}", file.display());
            assert!(formulas.contains(&pattern(&text, variables)), "{}: not ours", file.display());
            let formula = Formula::read(text.as_str()).expect("a published file");
            let model = model(&formula, &text);
            check_model(&formula, model)
                .unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        }
    }
}

/// The same for unsatisfiable formulas.
const REFUTED: [(&str, &str); 6] = [
    ("eqForm", "equivalent-formula"),
    ("unsatCore", "larger-core"),
    ("redundant", "redundancy"),
    ("eqFormTriggers", "equivalent-formula-patterns"),
    ("unsatCoreTriggers", "larger-core-patterns"),
    ("redundantTriggers", "redundancy-patterns"),
];

/// Each published unsatisfiable formula is one of ours: the same assertions up to the names of
/// variables and of the assertions themselves, with the same core. Names of assertions differ
/// because the published ones depend on the order of a hash map: in a third of the redundant
/// files the link is called `a1` and the definition `a2`. So cores are compared as sets of
/// assertions, not of names.
#[test]
fn published_refutations_are_ours_and_have_our_cores() {
    let Some(folder) = published() else { return };
    let config = SuiteOptions { preset: Some("icse20".into()), ..SuiteOptions::default() };
    let strings = suite("strings", &config).expect("the preset is right");
    let mut renamed = 0;
    for (theirs, ours) in REFUTED {
        let selection = Selection { categories: vec![ours.into()], ..Selection::default() };
        let mut cores: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
        for id in strings.cases(&selection) {
            let case = strings.make(id).expect("a case that is named can be made");
            let formula = case.as_formula().expect("a formula").formula();
            let Oracle::Unsat { core: Some(core), .. } =
                case.as_formula().expect("a formula").oracle()
            else {
                panic!("{}: {:?}", case.name(), case.as_formula().expect("a formula").oracle());
            };
            let (names, assertions) = named(formula.text());
            cores.insert(assertions, places(&names, &core.names));
        }
        let files = files(&folder.join(theirs));
        assert!(!files.is_empty(), "{theirs} is empty");
        for file in files {
            let text = fs::read_to_string(&file).expect("a file that is listed");
            assert!(text.starts_with("; expected: unsat"), "{}", file.display());
            let line = text.lines().find_map(|line| line.strip_prefix("; expected-core: "));
            let core: Vec<String> =
                line.expect("a core").split_whitespace().map(ToOwned::to_owned).collect();
            renamed += usize::from(core == ["a0", "a2"]);
            let (names, assertions) = named(&text);
            let known = cores.get(&assertions);
            let known = known.unwrap_or_else(|| panic!("{}: {assertions:#?}", file.display()));
            assert_eq!(known, &places(&names, &core), "{}", file.display());
        }
    }
    assert!(renamed > 0, "the difference in names that is explained above is there");
}

/// Where the names of a core are among all names.
fn places(names: &[String], core: &[String]) -> Vec<usize> {
    (0..names.len()).filter(|&at| core.contains(&names[at])).collect()
}

/// The names of a text's assertions, and the assertions with all variables numbered in the order
/// in which they occur, in an order of assertions that does not depend on any name but `a0`.
fn named(text: &str) -> (Vec<String>, Vec<String>) {
    let mut store = Store::new();
    let (script, _) =
        read_script(&mut store, text.as_bytes(), Lets::Expand).expect("the file reads");
    let mut found: Vec<(String, TermId)> = Vec::new();
    for (assertion, _) in script.active_assertions() {
        let Term::Annotated(inner, attributes) = store.get(assertion) else {
            panic!("an assertion without a name: {text}");
        };
        let name = attributes.iter().find_map(|attribute| match attribute.value {
            AttributeValue::Name(name) => Some(store.symbols.name(name).to_owned()),
            _ => None,
        });
        found.push((name.expect("a name"), inner));
    }
    let alone = |term: TermId| numbered(&store, &[term], Variables::Numbered).concat();
    found.sort_by_cached_key(|(name, term)| (name != "a0", alone(*term)));
    let (names, terms): (Vec<String>, Vec<TermId>) = found.into_iter().unzip();
    (names, numbered(&store, &terms, Variables::Numbered))
}

/// The files in the folders of a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
        entries.map(|entry| entry.path()).collect()
    };
    list(folder).iter().flat_map(|group| list(group)).collect()
}

/// The assertion of a file, without the names of its variables.
fn pattern(text: &str, variables: Variables) -> String {
    let mut store = Store::new();
    let (script, _) =
        read_script(&mut store, text.as_bytes(), Lets::Expand).expect("the file reads");
    let [(assertion, _)] = script.active_assertions()[..] else {
        panic!("one assertion, got {text}");
    };
    numbered(&store, &[assertion], variables).concat()
}

/// Terms as they are written, without the names of their variables.
fn numbered(store: &Store, terms: &[TermId], variables: Variables) -> Vec<String> {
    let known: HashSet<String> = variable_names(store, terms);
    let mut names: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    for &term in terms {
        let printed = Printer::new(store).sharing(Sharing::Never).term(term);
        let words = words(&printed).map(|word| {
            if !known.contains(word) {
                return word.to_owned();
            }
            if variables == Variables::Alike {
                return "!".to_owned();
            }
            let number = names.iter().position(|name| name == word).unwrap_or_else(|| {
                names.push(word.to_owned());
                names.len() - 1
            });
            format!("!{number}")
        });
        texts.push(words.collect::<Vec<_>>().concat());
    }
    texts
}

/// A text cut into string literals, words, and single other characters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let part_of_word = |c: char| !c.is_whitespace() && !matches!(c, '(' | ')' | '"');
        let end = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
            c if part_of_word(c) => rest.find(|c| !part_of_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// The names of variables, bound ones included.
fn variable_names(store: &Store, terms: &[TermId]) -> HashSet<String> {
    let name = |term: TermId| match store.get(term) {
        Term::App(func, []) if matches!(store.func(func), Func::Declared { .. }) => {
            Some(store.func_symbol(func).to_owned())
        }
        Term::Var(symbol) => Some(store.symbols.name(symbol).to_owned()),
        _ => None,
    };
    store.postorder(terms).into_iter().filter_map(name).collect()
}

/// The model in the comments of a file: `; expected-model: name = "value"`.
fn model(formula: &Formula, text: &str) -> Model {
    let mut model = Model::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("; expected-model: ")) {
        let (name, value) = line.split_once(" = ").expect("a name and a value");
        let value: serde_json::Value = serde_json::from_str(value).expect("a value in JSON");
        let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        let mut store = formula.store().clone();
        for sort in [SortId::STRING, SortId::INT, SortId::BOOL] {
            let known = store.len();
            let term = store.constant(name, sort);
            let Term::App(func, _) = store.get(term) else { continue };
            if term.index() >= known {
                continue;
            }
            let value = match sort {
                // The published models write a line break as two characters.
                SortId::STRING => Value::text(&value.replace("\\n", "\n")),
                SortId::INT => Value::Int(value.parse::<i64>().expect("an integer").into()),
                _ => Value::Bool(value == "true"),
            };
            model.set(func, Interpretation::Value(value));
        }
    }
    model
}
