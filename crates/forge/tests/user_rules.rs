//! Rules of a user's configuration: what is right is used, what is wrong is refused with its
//! counterexample and its place.

use assay_case::{Oracle, Selection, Suite};
use assay_forge::{SuiteOptions, suite};

fn strings(overlay: &str) -> Result<Box<dyn Suite>, String> {
    let options = SuiteOptions {
        preset: Some("icse20".into()),
        overlay: Some(overlay.into()),
        ..SuiteOptions::default()
    };
    suite("strings", &options).map_err(|error| error.to_string())
}

const RIGHT: &str = r#"
[[rules.equality]]
name = "twice-half"
params = "(s String)"
equals = 's'
term = '(str.substr (str.++ s s) 0 (str.len s))'

[[rules.equivalence]]
name = "prefix-by-characters"
operation = "prefixOf"
params = "(s String) (t String)"
left = '(str.prefixof s t)'
right = '''(and (<= (str.len s) (str.len t))
  (forall ((i Int)) (! (=> (and (>= i 0) (< i (str.len s))) (= (str.at s i) (str.at t i)))
    :pattern ((str.at s i)))))'''
direction = "both"
"#;

/// How many unsatisfiable cases of a category use a rule, and how many of those have a text.
fn uses(suite: &dyn Suite, category: &str, rule: &str, text: &str) -> (usize, usize) {
    let selection = Selection { categories: vec![category.into()], ..Selection::default() };
    let (mut count, mut with) = (0, 0);
    for id in suite.cases(&selection) {
        let case = suite.make(id).unwrap_or_else(|error| panic!("{id}: {error}"));
        let formula = case.as_formula().expect("a formula");
        let Oracle::Unsat { why: assay_case::Why::Certified(rules), .. } = formula.oracle() else {
            continue;
        };
        if rules.iter().any(|name| name == rule) {
            count += 1;
            with += usize::from(formula.formula().text().contains(text));
        }
    }
    (count, with)
}

#[test]
fn right_rules_are_used_with_their_patterns() {
    let suite = strings(RIGHT).expect("both are right");
    let all = |category, rule, text| uses(&*suite, category, rule, text);
    assert_eq!(all("equivalent-formula", "prefix-by-characters", "forall"), (1, 1));
    let pattern = ":pattern ((str.at s i))";
    assert_eq!(all("equivalent-formula", "prefix-by-characters", pattern), (1, 0));
    assert_eq!(all("equivalent-formula-patterns", "prefix-by-characters", pattern), (1, 1));
    let (ours, own) = all("larger-core", "twice-half", "(str.++ ");
    assert!(ours > 20 && ours == own, "{ours} uses, {own} of them with the term");
}

#[test]
fn wrong_rules_are_refused_with_a_counterexample_and_their_line() {
    let refused = |overlay: &str| strings(overlay).err().expect("the rule is wrong");
    let equality = "\n\n[[rules.equality]]\nname = 'last'\nparams = '(s String)'\nequals = 's'\n\
                    term = '(str.at s 0)'\n";
    let message = refused(equality);
    assert!(
        message.starts_with("line 3: rule `last` is not certified: equality is wrong"),
        "{message}"
    );
    assert!(message.contains("where s = \""), "{message}");
    // The second of two, with a quantifier.
    let second = RIGHT.replace("(< i (str.len s))) (=", "(< i 1)) (=");
    let message = refused(&second);
    assert!(message.starts_with("line 8: rule `prefix-by-characters` is not"), "{message}");
    assert!(message.contains("definition implies operation is wrong where "), "{message}");
}

#[test]
fn vacuous_and_unreadable_rules_are_refused() {
    let row = |rest: &str| {
        format!("[[rules.equality]]\nname = 'r'\nparams = '(s String)'\nequals = 's'\n{rest}")
    };
    let cases = [
        (row("term = 's'\nwhen = '(< (str.len s) 0)'"), "line 1: rule `r` is not certified: "),
        (row("term = '(str.at s'"), "line 1: rule `r`, term: "),
        (row("term = '(str.len s)'"), "line 1: rule `r`: Int cannot equal String"),
        (row("term = 's'\nwehn = 'true'"), "line 1: rule `r`: unknown field `wehn`"),
        (row("term = 's'").replace("'r'", "'str-at-single'"), "duplicate rule `str-at-single`"),
        ("[[rules.implication]]\nname = 'r'".into(), "unknown field `implication`"),
    ];
    for (overlay, words) in cases {
        let message = strings(&overlay).err().unwrap_or_else(|| panic!("accepted\n{overlay}"));
        assert!(message.contains(words), "{overlay}\n{message}");
    }
}
