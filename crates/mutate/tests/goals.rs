//! Mutants of MaxSMT seeds keep the soft assertions and objectives of their seeds, and the truth of the
//! assertions.

#[allow(dead_code, reason = "each test uses a part")]
mod scripted;

use assay_case::{Formula, Grade, MakeError, Oracle, Selection, TestCase, Why, Witness};
use assay_mutate::{MutantOptions, Seed, rebuild, rebuild_fused};
use assay_smtlib::Command;
use scripted::{consulted, folder, formula, satisfiable};

/// Two satisfiable seeds and an unsatisfiable one, with a model of the assertions where there is one.
/// A solver is asked about the assertions alone.
const SEEDS: [(&str, &str, &str, &str); 3] = [
    (
        "costs.smt2",
        "(set-logic QF_BV)(declare-const x (_ BitVec 4))(declare-const p Bool)
         (assert (bvult x #x9))(assert (=> p (bvugt x #x3)))",
        "(assert-soft (= x #xf) :weight 2 :id a)(assert-soft p :id a)(minimize x)",
        "((define-fun x () (_ BitVec 4) #x5)(define-fun p () Bool true))",
    ),
    (
        "wishes.smt2",
        "(set-logic QF_BV)(declare-const x (_ BitVec 4))(declare-const y (_ BitVec 4))
         (assert (distinct x y))(assert (bvule #x2 (bvadd x y)))",
        "(assert-soft (= x y))(maximize (bvadd x y))",
        "((define-fun x () (_ BitVec 4) #x1)(define-fun y () (_ BitVec 4) #x3))",
    ),
    (
        "never.smt2",
        "(set-logic QF_BV)(set-info :status unsat)(declare-const x (_ BitVec 4))
         (assert (bvult x #x3))(assert (bvugt x #x4))",
        "(assert-soft (= x #x1) :weight 3)",
        "",
    ),
];

const CHECK: &str = "(check-sat)";

fn goals(formula: &Formula) -> Vec<String> {
    let is_goal = |line: &&str| {
        ["(assert-soft", "(minimize", "(maximize"].iter().any(|g| line.starts_with(g))
    };
    formula.text().lines().filter(is_goal).map(str::to_owned).collect()
}

fn seed(name: &str) -> Seed {
    let (_, hard, soft, _) = SEEDS.iter().find(|(known, ..)| *known == name).expect("a seed");
    let text = format!("{hard}{soft}{CHECK}");
    Seed::read(name, text.as_bytes(), 10_000).expect("a seed")
}

/// The mutants of a suite over the seeds.
fn mutants(suite: &str, prove: bool) -> Vec<TestCase> {
    let texts: Vec<(&str, String)> =
        SEEDS.iter().map(|(name, hard, soft, _)| (*name, format!("{hard}{soft}{CHECK}"))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, &**text)).collect();
    let seeds = folder(&files);
    let models: Vec<(&'static str, &'static str)> = SEEDS
        .iter()
        .filter(|row| !row.3.is_empty())
        .map(|(_, hard, _, model)| (*hard, *model))
        .collect();
    let config = MutantOptions {
        seeds: vec![seeds.path().to_owned()],
        mutants: 30,
        prove,
        ..MutantOptions::default()
    };
    let suite = consulted(suite, config, models);
    let mut cases = Vec::new();
    for id in suite.cases(&Selection::default()) {
        match suite.make(id) {
            Ok(case) => cases.push(case),
            Err(MakeError::Unsuitable(_)) => {}
            Err(error) => panic!("{id}: {error}"),
        }
    }
    assert!(cases.len() > 60, "{} mutants", cases.len());
    cases
}

#[test]
fn mutants_keep_soft_assertions_and_the_truth_of_the_assertions() {
    for suite in ["approx", "fusion", "opmut", "typemut", "recombine"] {
        let (mut sat, mut unsat) = (0, 0);
        for case in mutants(suite, false) {
            let made = formula(&case);
            let mut wanted = 0;
            for name in &case.origin().seeds {
                wanted += goals(&seed(name).formula()).len();
            }
            let text = made.text();
            assert_eq!(goals(made).len(), wanted, "{suite}: {text}");
            assert!(!made.objectives().is_empty(), "{suite}: {text}");
            // What a target reads is the text.
            Formula::read(text).expect(text);
            let known = match case.as_formula().expect("a formula").oracle() {
                Oracle::Optimum { why: Why::Exhausted(_), witness: Some(_), .. } => true,
                Oracle::Sat(Witness::Checked(_)) => true,
                Oracle::Unsat { why: Why::Declared(_), .. } => false,
                Oracle::Open => continue,
                other => panic!("{suite}: {other:?}"),
            };
            sat += usize::from(known);
            unsat += usize::from(!known);
            if let Some(truth) = satisfiable(made) {
                assert_eq!(truth, known, "{suite}: {text}");
            }
        }
        let has_truth = !["opmut", "typemut"].contains(&suite);
        assert_eq!(sat > 20 && unsat > 5, has_truth, "{suite}: {sat} sat, {unsat} unsat");
    }
}

#[test]
fn a_checked_proof_of_a_seed_certifies_its_mutants() {
    for suite in ["approx", "fusion", "recombine"] {
        let mut unsat = 0;
        for case in mutants(suite, true) {
            let Oracle::Unsat { why, .. } = case.as_formula().expect("a formula").oracle() else {
                continue;
            };
            let Why::Proved(proved) = why else { panic!("{suite}: {why}") };
            assert_eq!(why.grade(), Grade::Certified);
            assert!(proved.to_string().contains("the seed"), "{suite}: {proved}");
            assert_eq!(proved.text(), None, "the proof is about another formula");
            unsat += 1;
        }
        assert!(unsat > 5, "{suite}: {unsat} unsat");
    }
}

#[test]
fn a_trace_rebuilds_the_mutant_with_its_goals() {
    for case in mutants("approx", false).into_iter().chain(mutants("fusion", false)) {
        let origin = case.origin();
        let rebuilt = match (&origin.seeds[..], &origin.trace[..]) {
            (_, []) => continue,
            ([one], trace) => rebuild(&seed(one), trace),
            ([one, other], trace) => rebuild_fused(&seed(one), &seed(other), trace),
            (seeds, _) => panic!("{seeds:?}"),
        };
        assert_eq!(rebuilt.expect("a trace").text(), formula(&case).text());
    }
}

#[test]
fn goals_of_both_seeds_are_about_their_own_symbols() {
    let fused = mutants("fusion", false);
    let both = fused.iter().find(|case| {
        let seeds = &case.origin().seeds;
        seeds.first().is_some_and(|one| one == "costs.smt2")
            && seeds.len() == 2
            && seeds[1] == "wishes.smt2"
    });
    let made = formula(both.expect("they are of one logic"));
    // Both have a constant x; the second one's has another name.
    let minimized = made.script().commands.iter().find_map(|command| match command {
        Command::Minimize(term, _) => Some(*term),
        _ => None,
    });
    assert!(minimized.is_some());
    let texts = goals(made);
    assert!(texts.contains(&"(minimize x)".to_owned()), "{texts:?}");
    assert!(
        texts.contains(&"(assert-soft (= x@2 y))".to_owned())
            || texts.contains(&"(assert-soft (= |x@2| y))".to_owned()),
        "{texts:?}"
    );
}

#[test]
fn optima_of_seeds_with_soft_assertions_only_are_known() {
    const SOFT: &str = "(declare-const x (_ BitVec 3))(declare-const p Bool)
        (assert-soft (bvult x #b010) :weight 4)(assert-soft (bvugt x #b100) :weight 3)
        (assert-soft (= p (= x #b011)) :weight 2)(assert-soft p)";
    let seeds = folder(&[("soft.smt2", &format!("{SOFT}{CHECK}"))]);
    let made = |suite| {
        let seeds = vec![seeds.path().to_owned()];
        let config = MutantOptions { seeds, mutants: 20, ..MutantOptions::default() };
        let hard = "(declare-const x (_ BitVec 3))(declare-const p Bool)
            (declare-const soft!1 Bool)(declare-const soft!2 Bool)
            (declare-const soft!3 Bool)(declare-const soft!4 Bool)
            (assert (= soft!1 (bvult x #b010)))(assert (= soft!2 (bvugt x #b100)))
            (assert (= soft!3 (= p (= x #b011))))(assert (= soft!4 p))";
        let model = "((define-fun x () (_ BitVec 3) #b001)(define-fun p () Bool true)
            (define-fun soft!1 () Bool true)(define-fun soft!2 () Bool false)
            (define-fun soft!3 () Bool false)(define-fun soft!4 () Bool true))";
        let suite = consulted(suite, config, vec![(hard, model)]);
        let cases = suite.cases(&Selection::default()).filter_map(|id| suite.make(id).ok());
        cases.collect::<Vec<TestCase>>()
    };
    let optimum = |case: &TestCase| match case.as_formula().expect("a formula").oracle() {
        Oracle::Optimum { optima, why: Why::Exhausted(count), witness: Some(_) } => {
            Some((optima.to_string(), *count))
        }
        _ => None,
    };
    let equal = made("equal");
    assert!(equal.len() > 10, "{} mutants", equal.len());
    for case in &equal {
        // The second assertion fails, and either the third or the fourth.
        let best = Some(("optima 4".to_owned(), 1 << 8));
        assert_eq!(optimum(case), best, "{}", formula(case).text());
    }
    // Others have other optima, and too many assignments where clauses have names.
    let changed = ["approx", "opmut", "typemut"].into_iter().flat_map(made);
    let known: Vec<String> = changed.filter_map(|case| Some(optimum(&case)?.0)).collect();
    assert!(known.len() > 20 && known.iter().any(|best| best != "optima 4"), "{known:?}");
}
