//! Every rule of mutation is certified, and the published rules that are wrong are caught.

use assay_forge::rules::{Effort, Failure, Kind, Rule, certify, read_rules};
use assay_mutate::{approximations, fusions};

#[test]
fn every_approximation_is_certified() {
    let rules = approximations().expect("the tables can be read");
    assert!(rules.len() > 150, "{} rules", rules.len());
    assert_certified(&rules);
}

#[test]
fn every_fusion_is_certified() {
    let rules = fusions().expect("the table can be read");
    assert!(rules.len() >= 60, "{} rules", rules.len());
    assert!(rules.iter().all(|rule| rule.kind() == Kind::Fusion));
    assert_certified(&rules);
}

fn assert_certified(rules: &[Rule]) {
    for rule in rules {
        let certified = certify(rule, Effort::QUICK);
        assert!(
            certified.is_ok(),
            "{}: {}",
            rule.name(),
            certified.err().map_or(String::new(), |e| e.to_string())
        );
    }
}

/// The rules of FSE 2021, table 2, as printed, where they are wrong.
const WRONG: &str = r#"
theory = "wrong"
[[implication]]
name = "suffix-is-not-less"
source = "FSE 2021, table 2"
params = "(x String) (y String)"
from = '(str.suffixof x y)'
to = '(str.<= x y)'
[[implication]]
name = "part-is-not-less"
source = "FSE 2021, table 2"
params = "(x String) (y String)"
from = '(str.contains x y)'
to = '(str.<= y x)'
[[implication]]
name = "signed-less-is-not-greater"
source = "FSE 2021, table 2"
params = "(x (_ BitVec 3)) (y (_ BitVec 3))"
from = '(bvsgt x y)'
to = '(bvsle x y)'
[[implication]]
name = "same-affixes-are-not-equal"
source = "FSE 2021, table 2"
params = "(x String) (y String) (a String)"
from = '(and (str.suffixof x a) (str.prefixof x a) (str.suffixof y a) (str.prefixof y a))'
to = '(= x y)'
[[implication]]
name = "bits-wrap-around"
source = "FSE 2021, of numbers"
params = "(x (_ BitVec 3)) (y (_ BitVec 3)) (a (_ BitVec 3))"
from = '(bvule x y)'
to = '(bvult x (bvadd y a))'
when = '(bvugt a (_ bv0 3))'
[[implication]]
name = "floats-absorb"
source = "FSE 2021, of numbers"
params = "(x (_ FloatingPoint 2 3)) (y (_ FloatingPoint 2 3)) (a (_ FloatingPoint 2 3))"
from = '(fp.leq x y)'
to = '(fp.lt x (fp.add RNE y a))'
when = '(fp.gt a (_ +zero 2 3))'
[[implication]]
name = "nan-equals-itself"
source = "FSE 2021, of floats, with = for fp.eq"
params = "(x (_ FloatingPoint 2 3)) (y (_ FloatingPoint 2 3))"
from = '(= x y)'
to = '(fp.leq x y)'
[[implication]]
name = "zeros-differ"
source = "FSE 2021, of floats, with = for fp.eq"
params = "(x (_ FloatingPoint 2 3)) (y (_ FloatingPoint 2 3))"
from = '(and (fp.leq x y) (fp.geq x y))'
to = '(= x y)'
[[implication]]
name = "atom-inside-a-negation"
source = "FSE 2021, an atom weakened where its negation is the literal"
params = "(x Int) (y Int)"
from = '(not (< x y))'
to = '(not (<= x y))'
"#;

#[test]
fn published_rules_that_are_wrong_are_caught() {
    for rule in read_rules(WRONG).expect("the rules can be read") {
        let refuted = matches!(certify(&rule, Effort::QUICK), Err(Failure::Counterexample { .. }));
        assert!(refuted, "{} is not caught", rule.name());
    }
}

#[test]
fn fusions_must_be_inverted() {
    let table = |left: &str| {
        format!(
            "theory = \"test\"\n[[fusion]]\nname = \"sum\"\nsource = \"test\"\n\
             params = \"(x Int) (y Int)\"\nsort = \"Int\"\nfused = '(+ x y)'\n\
             left = '{left}'\nright = '(- z x)'\n"
        )
    };
    let certified = |left: &str| {
        let rules = read_rules(&table(left)).expect("the rule can be read");
        certify(&rules[0], Effort::QUICK)
    };
    assert!(certified("(- z y)").is_ok());
    assert!(matches!(certified("(- y z)"), Err(Failure::Counterexample { .. })));
    assert!(matches!(certified("x"), Err(Failure::Unreadable(_))), "what it gives back is given");
}
