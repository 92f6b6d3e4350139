//! Agreement with the published files of the string suite, where they are at hand: their verdicts
//! and models hold for us, and each of their formulas is one of ours.

use assay_case::{Formula, Payload, Selection, check_model};
use assay_forge::{Config, suite};
use assay_smtlib::{Lets, Printer, Sharing, read_script};
use assay_term::{Func, Interpretation, Model, SortId, Store, Term, TermId, Value};
use std::collections::HashSet;
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

#[test]
#[allow(clippy::print_stderr)]
fn published_files_are_ours_and_their_models_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/strings/icse20");
    if !folder.is_dir() {
        eprintln!("skipped: the published files are not at {}", folder.display());
        return;
    }
    let config = Config { preset: Some("icse20".into()), ..Config::default() };
    let strings = suite("strings", &config).expect("the preset is right");
    for (theirs, ours, variables) in CATEGORIES {
        let selection = Selection { categories: vec![ours.into()], ..Selection::default() };
        let formulas: HashSet<String> = strings
            .cases(&selection)
            .map(|id| {
                let case = strings.make(id).expect("a case that is named can be made");
                let Payload::Formula(formula) = case.payload();
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
    let printed = Printer::new(&store).sharing(Sharing::Never).term(assertion);
    let mut names: Vec<String> = Vec::new();
    let words: Vec<String> = words(&printed)
        .map(|word| {
            if !is_variable(&store, assertion, word) {
                return word.to_owned();
            }
            if variables == Variables::Alike {
                return "!".to_owned();
            }
            let known = names.iter().position(|name| name == word);
            let number = known.unwrap_or_else(|| {
                names.push(word.to_owned());
                names.len() - 1
            });
            format!("!{number}")
        })
        .collect();
    words.concat()
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

fn is_variable(store: &Store, assertion: TermId, word: &str) -> bool {
    store.postorder(&[assertion]).into_iter().any(|term| match store.get(term) {
        Term::App(func, []) => {
            matches!(store.func(func), Func::Declared { .. }) && store.func_symbol(func) == word
        }
        _ => false,
    })
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
