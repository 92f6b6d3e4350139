//! Every suite of every preset: cases that are sampled can be made, read back as they were built,
//! and have a witness that holds; selections are reproducible, uniform, and add up.

use assay_case::{Expected, Formula, Oracle, Selection, Shard, Suite, Witness, check_model};
use assay_forge::{SuiteOptions, presets, suite, suites};
use std::collections::{HashMap, HashSet};

fn all() -> Vec<(String, Box<dyn Suite>)> {
    let mut all = Vec::new();
    for name in suites() {
        for preset in presets(name) {
            let config = SuiteOptions { preset: Some(preset.into()), ..SuiteOptions::default() };
            let made =
                suite(name, &config).unwrap_or_else(|error| panic!("{name} {preset}: {error}"));
            all.push((format!("{name} {preset}"), made));
        }
    }
    all
}

fn icse20() -> Box<dyn Suite> {
    suite("strings", &SuiteOptions { preset: Some("icse20".into()), ..SuiteOptions::default() })
        .expect("the preset is right")
}

/// The satisfiable cases of the published suite.
fn satisfiable() -> Selection {
    let names = ["operation", "constant-assignment", "term-synthesis"];
    Selection { categories: names.map(Into::into).into(), ..Selection::default() }
}

fn sample(count: u64, rng: u64) -> Selection {
    Selection { sample: Some(count), rng, ..satisfiable() }
}

#[test]
fn sampled_cases_read_back_and_their_witnesses_hold() {
    for (name, suite) in all() {
        let categories = suite.categories();
        let wanted = categories.iter().filter(|category| category.expected == Expected::Sat);
        let categories: Vec<String> = wanted.map(|category| category.name.clone()).collect();
        // What has optima is tested in `maxsmt.rs`.
        if categories.is_empty() && name.starts_with("maxsmt") {
            continue;
        }
        let selection = Selection { categories, ..sample(60, 3) };
        let mut made = 0;
        for id in suite.cases(&selection) {
            let case = suite.make(id).unwrap_or_else(|error| panic!("{name}: {id}: {error}"));
            let formula = case.as_formula().expect("a formula").formula();
            let mut again = Formula::read(formula.text())
                .unwrap_or_else(|error| panic!("{name}: {}\n{error}", formula.text()));
            assert_eq!(again.assertions().len(), formula.assertions().len(), "{name}");
            let Oracle::Sat(Witness::Checked(model)) =
                case.as_formula().expect("a formula").oracle()
            else {
                panic!("{name}: {id} has no checked witness");
            };
            let mut store = formula.store().clone();
            let text = assay_smtlib::print_model(&mut store, model, assay_smtlib::STANDARD);
            if !text.contains("cannot be written") {
                let model = again.read_model(&text).expect("a model that we printed");
                check_model(&again, model)
                    .unwrap_or_else(|fault| panic!("{name}: {fault}\n{}{text}", again.text()));
            }
            made += 1;
        }
        assert_eq!(made, 60, "{name}");
    }
}

#[test]
fn selections_are_reproducible() {
    let ids = |selection: &Selection| icse20().cases(selection).collect::<Vec<_>>();
    assert_eq!(ids(&satisfiable()), ids(&satisfiable()));
    assert_eq!(ids(&sample(100, 9)), ids(&sample(100, 9)));
    assert_ne!(ids(&sample(100, 9)), ids(&sample(100, 10)));
}

#[test]
fn a_sample_repeats_nothing_and_can_be_everything() {
    let suite = icse20();
    let every: HashSet<_> = suite.cases(&satisfiable()).collect();
    assert_eq!(every.len(), 6120);
    let drawn: Vec<_> = suite.cases(&sample(10_000, 4)).collect();
    assert_eq!(drawn.len(), every.len());
    assert_eq!(drawn.into_iter().collect::<HashSet<_>>(), every);
}

#[test]
fn a_sample_is_spread_evenly_over_the_cases() {
    // 40 draws of 612 of 6120 cases: each is drawn 4 times on average, and the share of each
    // category is close to its share of the cases.
    let suite = icse20();
    let categories = suite.categories();
    let mut synthesized = 0;
    let mut drawn = HashMap::new();
    for rng in 0..40 {
        for id in suite.cases(&sample(612, rng)) {
            *drawn.entry(id).or_insert(0) += 1;
            synthesized += usize::from(categories[id.category as usize].name == "term-synthesis");
        }
    }
    // Standard deviation: about 70.
    let expected = 40 * 612 * 1394 / 6120;
    assert!(synthesized.abs_diff(expected) < 350, "{synthesized}, expected {expected}");
    // A case is never drawn with probability 0.9^40, that is 1.5 %: 90 of them, give or take 10.
    let never = 6120 - drawn.len();
    assert!((50..140).contains(&never), "{never} were never drawn");
    // Drawn 15 times or more of 40: less than one of a hundred thousand.
    assert!(drawn.values().all(|&count| count < 16));
}

#[test]
fn shards_partition_a_selection_and_limits_cut_it() {
    for selection in [satisfiable(), sample(1000, 2)] {
        let suite = icse20();
        let whole: Vec<_> = suite.cases(&selection).collect();
        let shard = |index| Selection { shard: Some(Shard { index, of: 7 }), ..selection.clone() };
        let parts: Vec<Vec<_>> = (0..7).map(|i| suite.cases(&shard(i)).collect()).collect();
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), whole.len());
        assert_eq!(parts.concat().into_iter().collect::<HashSet<_>>().len(), whole.len());
        assert_eq!(parts[3][1], whole[10]);
        let limited = Selection { limit: Some(5), ..selection };
        assert_eq!(suite.cases(&limited).collect::<Vec<_>>(), whole[..5]);
    }
}

#[test]
fn selections_keep_only_the_chosen_categories() {
    let suite = icse20();
    let selection = Selection { categories: vec!["operation".into()], ..sample(100, 1) };
    let categories = suite.categories();
    let names: Vec<_> =
        suite.cases(&selection).map(|id| categories[id.category as usize].name.clone()).collect();
    assert_eq!(names, ["operation"; 12]);
}

#[test]
fn deep_terms_are_sampled_from_spaces_too_large_to_list() {
    for depth in [2, 3] {
        let preset = Some("icse20".into());
        let config = SuiteOptions { preset, depth: Some(depth), ..SuiteOptions::default() };
        let suite = suite("strings", &config).expect("the depth is possible");
        let selection =
            Selection { categories: vec!["term-synthesis".into()], ..sample(50, depth.into()) };
        let cases: Vec<_> = suite.cases(&selection).collect();
        assert_eq!(cases.len(), 50);
        for id in cases {
            suite.make(id).unwrap_or_else(|error| panic!("{id}: {error}"));
        }
    }
}

#[test]
fn impossible_depths_and_wrong_descriptions_are_errors() {
    let deep = SuiteOptions { depth: Some(9), ..SuiteOptions::default() };
    let wrong =
        |overlay: &str| SuiteOptions { overlay: Some(overlay.into()), ..SuiteOptions::default() };
    let cases = [
        ("strings", deep, "more than 2^100 cases"),
        ("chess", SuiteOptions::default(), "unknown suite `chess`; known suites are strings, "),
        (
            "strings",
            SuiteOptions { preset: Some("x".into()), ..SuiteOptions::default() },
            "no preset `x`; it has assay",
        ),
        ("strings", wrong("pols = 1"), "unknown field `pols`"),
        ("strings", wrong("[pool]\nInt = ['1.5']"), "pool of Int: `1.5` has sort Real"),
        ("strings", wrong("[pool]\nInt = ['(div 1 0)']"), "has no known value"),
        ("strings", wrong("[pool]\nInt = ['(+ 1']"), "pool of Int: `(+ 1`"),
        ("strings", wrong("[[operation]]\nname = 'f'\nhead = 'abs'\nargs = ['Real']"), "no pool"),
        (
            "strings",
            wrong("[[operation]]\nname = 'f'\nhead = '/'\nargs = ['Int', 'Int']"),
            "exactly these sorts",
        ),
        (
            "strings",
            wrong("[[operation]]\nname = 'f'\nnegated = 'g'\nhead = 'abs'\nargs = ['Int']"),
            "not a Boolean",
        ),
    ];
    for (name, config, words) in cases {
        match suite(name, &config) {
            Ok(_) => panic!("{config:?} is wrong"),
            Err(error) => assert!(error.to_string().contains(words), "{error}"),
        }
    }
}

/// Every list of the format that holds names, with a name in it that nothing has.
const UNKNOWN_NAMES: &[(&str, &str, &str)] = &[
    ("strings", "categories = ['nonsense']", "unknown variant `nonsense`, expected one of"),
    (
        "strings",
        "constant-sorts = ['Nonsense']",
        "unknown pool `Nonsense`; expected one of Int, RegLan",
    ),
    ("strings", "[pool]\nNonsense = []", "pool of Nonsense: there are no constants"),
    ("strings", "[pool]\nNonsense = ['0']", "pool of Nonsense: `0` has sort Int"),
    (
        "strings",
        "[short-pool]\nReal = ['0.5']",
        "short-pool: unknown pool `Real`; expected one of Int",
    ),
    (
        "regex",
        "mix = [['RegLan', 'Nonsense']]",
        "mix: unknown word of a sort `Nonsense`; expected one of ",
    ),
    ("regex", "[random-regexes]\nsize = 9\nnonsense = 1", "unknown field `nonsense`, expected"),
    ("arrays", "[parameters]\nNONSENSE = ['Int']", "`NONSENSE`; they mention "),
    ("strings", "[[operation]]\nname = 'f'\nhead = 'nonsense'\nargs = ['Int']", "operation `f`: "),
    (
        "strings",
        "[[operation]]\nname = 'f'\nhead = 'abs'\nargs = ['Nonsense']",
        "there are pools of Int, RegLan, String",
    ),
    ("strings", "[[operation]]\nnonsense = 'f'", "unknown field `nonsense`, expected one of"),
    ("strings", "[refute]\nnonsense = []", "unknown field `nonsense`, expected one of"),
    ("strings", "[refute]\ncategories = ['nonsense']", "unknown variant `nonsense`, expected"),
    (
        "strings",
        "[refute]\ndefinitions = ['nonsense']",
        "refute.definitions: unknown theory `nonsense`; expected one of arrays, bags, ",
    ),
    (
        "strings",
        "[refute]\nequalities = ['ints', 'nonsense']",
        "refute.equalities: unknown theory `nonsense`; expected one of arrays, bags, ",
    ),
    (
        "strings",
        "[refute]\ncollection = 'nonsense'",
        "refute.collection: unknown collection `nonsense`; expected one of icse20",
    ),
    ("strings", "[refute]\npatterns = 'nonsense'", "unknown variant `nonsense`, expected one of"),
    ("strings", "[refute]\nconstant-sorts = ['Nonsense']", "refute.constant-sorts: `Nonsense`: "),
    (
        "ff",
        "[refute]\ndefinitions = ['ff']\n[refute.fixed]\nnonsense = ['x']",
        "refute.fixed: unknown rule `nonsense`; expected one of ",
    ),
    (
        "strings",
        "[refute]\ndefinitions = ['strings']\n[refute.fixed]\nnot-contains-by-splits = ['q']",
        "refute.fixed.not-contains-by-splits: unknown variable `q`; expected one of ",
    ),
    (
        "maxsmt",
        "[maxsmt]\ncategories = ['nonsense']\ncases = 1\nweights = ['1']",
        "unknown variant `nonsense`, expected one of",
    ),
    (
        "maxsmt",
        "[maxsmt]\nnonsense = 1\ncategories = []\ncases = 1\nweights = ['1']",
        "unknown field `nonsense`, expected one of",
    ),
    (
        "maxsmt",
        "[maxsmt]\ncategories = []\ncases = 1\nweights = ['nonsense']",
        "`nonsense` is not a weight",
    ),
];

#[test]
fn unknown_names_are_errors_in_every_list() {
    for &(name, overlay, words) in UNKNOWN_NAMES {
        let config = SuiteOptions { overlay: Some(overlay.into()), ..SuiteOptions::default() };
        match suite(name, &config) {
            Ok(_) => panic!("{name}: accepted\n{overlay}"),
            Err(error) => assert!(error.to_string().contains(words), "{overlay}\n{error}"),
        }
    }
}

#[test]
fn a_description_replaces_parts_of_a_preset() {
    let overlay = "[pool]\nString = ['\"x\"']\nInt = ['5']";
    let config = SuiteOptions {
        preset: Some("icse20".into()),
        overlay: Some(overlay.into()),
        ..SuiteOptions::default()
    };
    let suite = suite("strings", &config).expect("the description is right");
    let selection = Selection { categories: vec!["constant-assignment".into()], ..sample(5, 1) };
    let mut made = 0;
    for id in suite.cases(&selection) {
        let case = suite.make(id).expect("a case that is named can be made");
        let formula = case.as_formula().expect("a formula").formula();
        assert!(!formula.text().contains("\"a\""), "{}", formula.text());
        made += 1;
    }
    assert_eq!(made, 5);
}
