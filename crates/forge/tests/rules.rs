//! Rules: all that come with the program are certified, and wrong ones are not.

use assay_case::{Answer, Consult, Consultation, Formula, Question};
use assay_forge::rules::{
    Assurance, Direction, Effort, Failure, Kind, ProofStatus, Rule, RuleError, certify, consult,
    read_rules, rules,
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
    for theory in [
        "strings",
        "regex",
        "ints",
        "reals",
        "bitvectors",
        "arrays",
        "floats",
        "booleans",
        "uf",
        "datatypes",
        "combined",
    ] {
        let rules: Vec<&Rule> = all.iter().filter(|rule| rule.theory() == theory).collect();
        let equalities = rules.iter().filter(|rule| rule.kind() == Kind::Equality).count();
        let (least, definitions) =
            (if matches!(theory, "arrays" | "uf") { 29 } else { 40 }, rules.len() - equalities);
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
fn a_rule_with_an_unsatisfiable_condition_fails() {
    let never = equality("(n Int)", "n", "(+ n 1)", "(and (< n 0) (> n 0))");
    assert!(matches!(certify(&never, Effort::QUICK), Err(Failure::Vacuous { .. })));
}

#[test]
fn a_rule_that_evaluation_cannot_decide_fails() {
    let unbounded = equivalence(
        "(s String) (t String)",
        "",
        "(= s t)",
        "(forall ((u String)) (= (str.++ s u) (str.++ t u)))",
    );
    assert!(matches!(certify(&unbounded, Effort::QUICK), Err(Failure::Undecided { .. })));
}

#[test]
fn errors_name_the_rule_and_the_field() {
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
fn small_sorts_are_tried_exhaustively() {
    let commutes =
        equality("(x (_ BitVec 3)) (y (_ BitVec 3))", "true", "(= (bvmul x y) (bvmul y x))", "");
    let certificate = certify(&commutes, Effort::QUICK).expect("it holds");
    assert_eq!(certificate.assurance(), Assurance::Exhaustive);
    let (_, assignments) = certificate.evidence()[0].exhaustive.clone().expect("all were tried");
    assert_eq!(assignments, 64);
}

/// A rule about functions of all meanings.
fn about_functions(left: &str, right: &str) -> Rule {
    let text = format!(
        "theory = 'test'\nprelude = '(declare-sort U 0) (declare-fun f (U) U) \
         (declare-fun p (U) Bool)'\n[[equivalence]]\nname = 'r'\nsource = 'test'\n\
         operation = 'o'\nparams = '(x U) (y U)'\nleft = '{left}'\nright = '{right}'\n\
         direction = 'right-implies-left'"
    );
    read_rules(&text).expect("a table").remove(0)
}

#[test]
fn functions_are_tried_exhaustively_over_few_elements() {
    let congruence = about_functions("(= (f x) (f y))", "(= x y)");
    let certificate = certify(&congruence, Effort::QUICK).expect("equal images");
    assert_eq!(certificate.assurance(), Assurance::Exhaustive);
    let evidence = &certificate.evidence()[0];
    // One function on one element, four on two, 27 on three; pairs of equal elements.
    let (values, assignments) = evidence.exhaustive.as_ref().expect("all were tried");
    assert_eq!(values, "3 of U, with 32 meanings of U, f");
    assert_eq!(*assignments, 1 + 4 * 4 + 27 * 9);
    let injective = about_functions("(= x y)", "(= (f x) (f y))");
    let shown = counterexample(&injective);
    assert!(shown.contains("(f U!val!0) = U!val!0, (f U!val!1) = U!val!0"), "{shown}");
    let hasty = about_functions("(or (p x) (p y))", "(forall ((v U)) (=> (p (f v)) (p v)))");
    counterexample(&hasty);
    let taken = "theory = 'test'\nprelude = '(declare-fun f (Int) Int)'\n[[equality]]\nname = 'r'\n\
                 source = 'test'\nparams = '(f Int)'\nequals = 'f'\nterm = '(+ f 0)'";
    let taken = read_rules(taken).expect("a table").remove(0);
    assert!(matches!(
        certify(&taken, Effort::QUICK),
        Err(Failure::Unreadable(RuleError::Shape { .. }))
    ));
    let all = about_functions("(= (f x) y)", "(forall ((v U) (w U)) (= v w))");
    assert!(certify(&all, Effort::QUICK).is_ok(), "there is one element");
}

#[test]
fn rules_about_datatypes_are_certified_or_refuted() {
    let list = |equals: &str, term: &str, when: &str| {
        let text = format!(
            "theory = 'test'\n\
             prelude = '(declare-datatype List ((nil) (cons (head Int) (tail List))))'\n\
             [[equality]]\nname = 'r'\nsource = 'test'\nparams = '(l List) (m List)'\n\
             equals = '{equals}'\nterm = '{term}'\nwhen = '{when}'"
        );
        read_rules(&text).expect("a table").remove(0)
    };
    let same = list("l", "m", "(and ((_ is cons) l) ((_ is cons) m) (= (tail l) (tail m)))");
    counterexample(&same);
    let again = list("l", "(cons (head l) (tail l))", "((_ is cons) l)");
    assert!(certify(&again, Effort::QUICK).is_ok());
    // What the head of the empty list is, is open.
    let open = list("l", "(ite ((_ is nil) l) l (cons (head l) (tail m)))", "(= l m)");
    assert!(certify(&open, Effort::QUICK).is_ok());
}

/// A solver that always says the same.
struct Says(Answer, Option<&'static str>);

impl Consult for Says {
    fn name(&self) -> &str {
        "says@1"
    }

    fn ask(&mut self, formula: &Formula, question: Question) -> Consultation {
        assert_eq!(question, Question::Model);
        assert!(formula.text().contains("(check-sat)"), "{}", formula.text());
        let (answer, model) = (self.0.clone(), self.1.map(ToOwned::to_owned));
        Consultation { who: "says@1".into(), answer, model, core: None }
    }
}

fn status(rule: &Rule, says: Says) -> ProofStatus {
    let mut says = says;
    let opinions = consult(rule, &mut says).expect("the rule is right");
    assert!(opinions.iter().all(|opinion| opinion.who == "says@1"));
    opinions.into_iter().next().expect("there is a claim").status
}

#[test]
fn a_solvers_model_counts_once_evaluation_confirms_it() {
    let unsound = equality("(x Int) (y Int)", "x", "(* (div x y) y)", "(not (= y 0))");
    let says = |model| status(&unsound, Says(Answer::Sat, Some(model)));
    let confirmed = says("((define-fun x () Int 3) (define-fun y () Int 2))");
    let ProofStatus::Refuted(shown) = confirmed else { panic!("{confirmed:?}") };
    assert!(shown.contains("(define-fun x () Int 3)"), "{shown}");
    // No counterexample: the side condition is false, or the equality is true.
    for model in ["((define-fun x () Int 3) (define-fun y () Int 0))", "((define-fun x () Int 4))"]
    {
        assert!(matches!(says(model), ProofStatus::Unconfirmed(_)), "{model}");
    }
    assert!(matches!(status(&unsound, Says(Answer::Sat, None)), ProofStatus::Unconfirmed(_)));
    assert_eq!(
        status(&unsound, Says(Answer::Timeout, None)),
        ProofStatus::Undecided("timeout".into())
    );
}

#[test]
fn a_proof_is_asked_for_each_claim_with_its_auxiliary_variables_bound() {
    let contains = equivalence(
        "(s String) (t String)",
        "(u String) (v String)",
        "(str.contains s t)",
        "(= s (str.++ u t v))",
    );
    struct Texts(Vec<String>);
    impl Consult for Texts {
        fn name(&self) -> &str {
            "texts"
        }
        fn ask(&mut self, formula: &Formula, _: Question) -> Consultation {
            self.0.push(formula.text().to_owned());
            Consultation { who: "texts".into(), answer: Answer::Unsat, model: None, core: None }
        }
    }
    let mut texts = Texts(Vec::new());
    let opinions = consult(&contains, &mut texts).expect("the rule is right");
    let claims: Vec<&str> = opinions.iter().map(|opinion| opinion.claim).collect();
    assert_eq!(claims, ["definition implies operation", "operation implies definition"]);
    assert!(opinions.iter().all(|opinion| opinion.status == ProofStatus::Proved));
    assert!(texts.0[0].contains("(assert (not (str.contains s t)))"), "{}", texts.0[0]);
    let converse = "(assert (forall ((u! String) (v! String)) (not (= s (str.++ u! t v!)))))";
    assert!(texts.0[1].contains(converse), "{}", texts.0[1]);
}
