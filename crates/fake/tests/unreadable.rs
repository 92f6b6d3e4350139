//! Solvers whose verdict is right and whose model or core cannot be read, in a campaign.

mod targets;

use assay_campaign::{Campaign, Header, Outcome, Results, Summary, TargetRecord};
use assay_case::{
    CaseId, Category, Expected, Formula, MakeError, Oracle, Origin, Selection, Suite, TestCase,
    Why, Witness, check_model,
};
use assay_target::process::Limits;
use assay_target::{Resolved, Solver, Target};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use targets::{fake, settings};

const SAT: &str = "(declare-const x Int)(assert (= x 5))(check-sat)";
const UNSAT: &str = "(declare-const x Int)(assert (! (< x 5) :named a))\
                     (assert (! (> x 5) :named b))(check-sat)";

/// One formula with a certain truth.
struct Formulas(Expected);

impl Suite for Formulas {
    fn name(&self) -> &str {
        "one"
    }

    fn categories(&self) -> Vec<Category> {
        vec![Category { name: "one".into(), group: "one".into(), expected: self.0 }]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut([CaseId { category: 0, index: 0 }].into_iter())
    }

    fn make(&self, _: CaseId) -> Result<TestCase, MakeError> {
        let sat = self.0 == Expected::Sat;
        let mut formula = Formula::read(if sat { SAT } else { UNSAT }).expect("the text is right");
        let oracle = match sat {
            true => {
                let model = formula.read_model("((define-fun x () Int 5))").expect("a model");
                Oracle::Sat(Witness::Checked(check_model(&formula, model).expect("true")))
            }
            false => Oracle::Unsat { why: Why::Certified(Vec::new()), core: None },
        };
        Ok(TestCase::formula("one", formula, oracle, Origin::default()).expect("a case"))
    }
}

/// What a campaign over one formula comes to on a fake: the table and the findings.
fn campaign(folder: &Path, expected: Expected, fake: Resolved) -> (Summary, Vec<String>) {
    let limits =
        Limits { wall: Duration::from_millis(700), memory: Some(1 << 30), output: 1 << 20 };
    let suite = Formulas(expected);
    let header = Header::constructed("one");
    let target = Arc::new(fake);
    let records = [TargetRecord { name: target.name.to_string(), reported: "1".into() }];
    let mut results =
        Results::create(&folder.join("results.sqlite"), &header, &suite.categories(), &records)
            .expect("a store");
    let solver = || -> Box<dyn Target> {
        Box::new(Solver::new(Arc::clone(&target), settings(limits, false)))
    };
    let campaign = Campaign {
        suite: &suite,
        selection: Selection::default(),
        header,
        factory: &|| Ok(vec![solver()]),
        targets: 1,
        jobs: 1,
        count: false,
        budget: None,
        give_up: None,
        findings: folder.join("findings"),
        stop: &AtomicBool::new(false),
    };
    campaign.run(&mut results, &mut |_| {}).expect("it runs");
    let found = results.findings().expect("findings").into_iter();
    let words = |f: assay_campaign::Listed| {
        format!("{} {} {}: {}", f.kind.name(), f.grade.name(), f.stability.name(), f.detail)
    };
    (results.summary().expect("a table"), found.map(words).collect())
}

#[test]
fn what_the_tool_spoils_is_a_finding_and_the_rest_is_inconclusive() {
    use Expected::{Sat, Unsat};
    let finding = |words: &'static str| Some(words);
    let table: [(Expected, &[&str], Option<&str>); 14] = [
        (Sat, &["say", "sat\n((define-fun x () Int true))"], finding("ill-sorted value for `x`")),
        (Sat, &["say", "sat\n((define-fun y () Bool)"], finding("is not closed")),
        (Sat, &["say", "sat\n(hello world)"], finding("this is not a model")),
        (Sat, &["say", "sat\nhello world"], finding("is not an SMT-LIB expression")),
        (Sat, &["half-model"], finding("is not closed")),
        (Sat, &["half-model-and-hang"], None),
        (Sat, &["say", "sat\n(error \"no model\")"], None),
        (Sat, &["say", "sat"], None),
        (Sat, &["say", "sat\n((define-fun x () Int (what is 5)))"], None),
        (Unsat, &["say", "unsat\n((not a))"], finding("is not a list of names")),
        (Unsat, &["say", "unsat\nno idea"], finding("is not an SMT-LIB expression")),
        (Unsat, &["say", "unsat\n(a b"], finding("is not closed")),
        (Unsat, &["say", "unsat\n(error \"no core\")"], None),
        (Unsat, &["say", "unsat"], None),
    ];
    for (expected, way, wanted) in table {
        let folder = tempfile::tempdir().expect("a folder");
        let fake = fake(folder.path(), way, "");
        let (summary, found) = campaign(folder.path(), expected, fake);
        let total = summary.totals()[0];
        match wanted {
            Some(words) => {
                let begin = "unreadable-answer certified confirmed: ";
                assert!(found.len() == 1 && found[0].starts_with(begin), "{way:?}: {found:?}");
                assert!(found[0].contains(words), "{way:?}: {found:?}");
                assert_eq!(total.count(Outcome::Unreadable), 1, "{way:?}");
                assert_eq!((total.certified.other, total.inconclusive), (1, 0), "{way:?}");
                assert!(summary.legend().contains("UR unreadable"), "{}", summary.legend());
            }
            None => {
                assert_eq!(found, Vec::<String>::new(), "{way:?}");
                assert_eq!(total.inconclusive, 1, "{way:?}");
            }
        }
        assert_eq!(total.certified.soundness, 0, "{way:?}");
    }
}

#[test]
fn right_answers_are_neither() {
    for (expected, words) in
        [(Expected::Sat, "sat\n((define-fun x () Int 5))"), (Expected::Unsat, "unsat\n(a b)")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let fake = fake(folder.path(), &["say", words], "");
        let (summary, found) = campaign(folder.path(), expected, fake);
        assert_eq!((found, summary.totals()[0].inconclusive), (Vec::new(), 0), "{words}");
    }
}
