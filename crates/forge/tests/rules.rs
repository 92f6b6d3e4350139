//! Rules: all that come with the program are certified, and wrong ones are not.

use assay_forge::rules::{
    Assurance, Direction, Effort, Failure, Kind, Rule, RuleError, certify, read_rules, rules,
};

fn all() -> Vec<Rule> {
    rules().expect("the tables are right")
}

/// The only rule of a table.
fn rule(text: &str) -> Rule {
    let mut rules = read_rules(&format!("theory = 'test'\n{text}")).expect("a table");
    assert_eq!(rules.len(), 1);
    rules.remove(0)
}

fn equality(params: &str, equals: &str, term: &str, when: &str) -> Rule {
    let when = if when.is_empty() { String::new() } else { format!("when = '{when}'") };
    rule(&format!(
        "[[equality]]\nname = 'r'\nsource = 'test'\nparams = '{params}'\n\
         equals = '{equals}'\nterm = '{term}'\n{when}"
    ))
}

fn equivalence(params: &str, auxiliary: &str, left: &str, right: &str) -> Rule {
    rule(&format!(
        "[[equivalence]]\nname = 'r'\nsource = 'test'\noperation = 'o'\nparams = '{params}'\n\
         auxiliary = '{auxiliary}'\nleft = '{left}'\nright = '{right}'\ndirection = 'both'"
    ))
}

/// The values that show a rule to be wrong.
fn counterexample(rule: &Rule) -> String {
    match certify(rule, Effort::QUICK) {
        Err(Failure::Counterexample { assignment, .. }) => assignment,
        other => panic!("{}: {other:?}", rule.text()),
    }
}

#[test]
fn every_rule_is_certified() {
    let mut failures = Vec::new();
    for rule in all() {
        match certify(&rule, Effort::QUICK) {
            Ok(certificate) => assert_eq!(certificate.rule(), rule.name()),
            Err(failure) => failures.push(format!("{}: {failure}", rule.name())),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_tables_have_enough_rows() {
    let all = all();
    for theory in ["strings", "regex", "ints", "reals", "bitvectors", "arrays", "floats"] {
        let rules: Vec<&Rule> = all.iter().filter(|rule| rule.theory() == theory).collect();
        let equalities = rules.iter().filter(|rule| rule.kind() == Kind::Equality).count();
        let (least, definitions) =
            (if theory == "arrays" { 30 } else { 40 }, rules.len() - equalities);
        assert!(equalities >= least && definitions >= 12, "{theory}: {equalities}, {definitions}");
    }
}

#[test]
fn names_are_kebab_case() {
    for rule in all() {
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(rule.name().chars().all(fine), "{}", rule.name());
        assert!(!rule.source().is_empty(), "{}", rule.name());
    }
}

#[test]
fn definitions_with_gaps_are_implications_only() {
    for (name, gap) in [
        ("substr-by-split", "clipping"),
        ("indexof-by-split", "not found"),
        ("string-to-int-by-numeral", "leading zeros"),
    ] {
        let text = include_str!("../presets/rules/strings.toml");
        let start = text.find(&format!("name = \"{name}\"")).expect("the row is there");
        let row = &text[start..];
        let row = &row[..row.find("[[").unwrap_or(row.len())];
        let claimed = row.replace("right-implies-left", "both");
        let rule = rule(&format!("[[equivalence]]\n{claimed}"));
        assert_eq!(rule.kind(), Kind::Equivalence(Direction::Both));
        let Err(Failure::Counterexample { claim, .. }) = certify(&rule, Effort::FULL) else {
            panic!("{name} is not an equivalence: {gap}");
        };
        assert_eq!(claim, "operation implies definition");
    }
}

#[test]
fn wrong_equalities_are_caught() {
    // The first occurrence may begin earlier than where the texts were joined.
    let removal = equality(
        "(s String) (t String)",
        "s",
        "(str.replace (str.++ s t) t \"\")",
        "(not (str.contains s t))",
    );
    counterexample(&removal);
    // Off by one.
    let at_end = equality("(s String)", "\"\"", "(str.at s (- (str.len s) 1))", "");
    assert_eq!(counterexample(&at_end), "s = \"a\"");
    let not_a_number = equality("(x Float16)", "true", "(fp.eq x x)", "");
    assert_eq!(counterexample(&not_a_number), "x = (_ NaN 5 11)");
    let minus_zero = equality("(x Float32)", "x", "(fp.add RNE x (_ +zero 8 24))", "");
    assert_eq!(counterexample(&minus_zero), "x = (_ -zero 8 24)");
    let overflow =
        equality("(x (_ BitVec 8)) (y (_ BitVec 8))", "true", "(bvuge (bvadd x y) x)", "");
    counterexample(&overflow);
    let truncation = equality("(x Int) (y Int)", "x", "(* (div x y) y)", "(not (= y 0))");
    counterexample(&truncation);
}

#[test]
fn the_wrong_rules_of_papers_are_caught() {
    // A suffix is not smaller, and what is contained is not either.
    let suffix = equality("(x String) (y String)", "true", "(str.<= x y)", "(str.suffixof x y)");
    counterexample(&suffix);
    let part = equality("(x String) (y String)", "true", "(str.<= y x)", "(str.contains x y)");
    counterexample(&part);
    // Being prefix and suffix of the same does not make equal.
    let both = equality(
        "(x String) (y String) (a String)",
        "x",
        "y",
        "(and (str.prefixof x a) (str.suffixof x a) (str.prefixof y a) (str.suffixof y a))",
    );
    counterexample(&both);
    // A complement is not a difference from itself.
    let complement = equivalence(
        "(r RegLan) (result RegLan)",
        "",
        "(= (re.comp r) result)",
        "(= (re.diff (re.comp r) r) result)",
    );
    assert!(certify(&complement, Effort::QUICK).is_ok(), "it is true, if useless");
    let kept = equality("(s String) (r RegLan) (t String)", "s", "(str.replace_re_all s r t)", "");
    counterexample(&kept);
    // Concatenation shifts by the width of the second part.
    let shifted = equality(
        "(x (_ BitVec 4)) (y (_ BitVec 2))",
        "true",
        "(= (concat x y) (bvor (bvshl ((_ zero_extend 2) x) (_ bv4 6)) ((_ zero_extend 4) y)))",
        "",
    );
    counterexample(&shifted);
}

#[test]
fn a_result_of_the_wrong_sort_cannot_be_written() {
    let text = "theory = 'test'\n[[equality]]\nname = 'r'\nsource = 'test'\nequals = 'r'\n\
                params = '(s String) (r RegLan) (t String)'\nterm = '(str.replace_re_all s r t)'";
    let rules = read_rules(text).expect("its shape is right");
    let Err(Failure::Unreadable(RuleError::Shape { fault, .. })) =
        certify(&rules[0], Effort::QUICK)
    else {
        panic!("a string is not a language");
    };
    assert_eq!(fault, "String cannot equal RegLan");
}

#[test]
fn wrong_definitions_are_caught_in_either_direction() {
    let params = "(s String) (t String)";
    let contains = "(= (str.contains s t) true)";
    let too_weak = equivalence(params, "(x String)", contains, "(= (str.++ x s) t)");
    let Err(Failure::Counterexample { claim, .. }) = certify(&too_weak, Effort::QUICK) else {
        panic!("the other way round");
    };
    assert_eq!(claim, "definition implies operation");
    let too_strong = equivalence(params, "(x String)", contains, "(= (str.++ t x) s)");
    let Err(Failure::Counterexample { claim, .. }) = certify(&too_strong, Effort::QUICK) else {
        panic!("only prefixes");
    };
    assert_eq!(claim, "operation implies definition");
}

#[test]
fn a_rule_that_is_never_put_to_the_test_fails() {
    let never = equality("(n Int)", "n", "(+ n 1)", "(and (< n 0) (> n 0))");
    assert!(matches!(certify(&never, Effort::QUICK), Err(Failure::Vacuous { .. })));
}

#[test]
fn what_evaluation_cannot_decide_is_no_evidence() {
    let unbounded = equivalence(
        "(s String) (t String)",
        "",
        "(= s t)",
        "(forall ((u String)) (= (str.++ s u) (str.++ t u)))",
    );
    assert!(matches!(certify(&unbounded, Effort::QUICK), Err(Failure::Undecided { .. })));
}

#[test]
fn errors_have_a_place() {
    let ill_sorted = equality("(s String)", "s", "(str.at s s)", "");
    let Err(Failure::Unreadable(error)) = certify(&ill_sorted, Effort::QUICK) else {
        panic!("it is ill-sorted");
    };
    assert!(error.to_string().starts_with("rule `r`, term: `(str.at s s)`: "), "{error}");
    let unknown = read_rules("theory = 'x'\n[[equality]]\nname = 'r'\nif = 'true'");
    assert!(matches!(unknown, Err(RuleError::Toml(_))));
    let row = "[[equality]]\nname = 'r'\nsource = 'x'\nequals = '0'\nterm = '0'\n";
    let twice = read_rules(&format!("theory = 'x'\n{row}{row}"));
    assert_eq!(twice.err(), Some(RuleError::Twice("r".into())));
}

#[test]
fn certification_repeats_itself() {
    for rule in all().iter().step_by(7) {
        let again = || certify(rule, Effort::QUICK);
        assert_eq!(again(), again());
    }
}

#[test]
fn small_sorts_are_tried_wholly() {
    let commutes =
        equality("(x (_ BitVec 3)) (y (_ BitVec 3))", "true", "(= (bvmul x y) (bvmul y x))", "");
    let certificate = certify(&commutes, Effort::QUICK).expect("it holds");
    assert_eq!(certificate.assurance(), Assurance::Exhaustive);
    let (_, assignments) = certificate.evidence()[0].exhaustive.clone().expect("all were tried");
    assert_eq!(assignments, 64);
}
