//! Solvers that contradict each other, in a campaign: fakes, and a real one.

mod targets;

use assay_campaign::{Campaign, FindingRecord, Header, Results, TargetRecord};
use assay_case::{
    CaseId, Category, Expected, FindingKind, Formula, Grade, MakeError, Oracle, Origin, Selection,
    Suite, TestCase,
};
use assay_target::process::Limits;
use assay_target::{Resolved, Solver, Target};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use targets::{fake, real, settings};

/// One formula whose truth is left open.
struct Formulas(&'static str);

impl Suite for Formulas {
    fn name(&self) -> &str {
        "open"
    }

    fn categories(&self) -> Vec<Category> {
        let expected = Expected::Open;
        vec![Category { name: "open".into(), group: "open".into(), expected }]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut([CaseId { category: 0, index: 0 }].into_iter())
    }

    fn make(&self, _: CaseId) -> Result<TestCase, MakeError> {
        let formula = Formula::read(self.0).expect("the text is right");
        Ok(TestCase::formula("open", formula, Oracle::Open, Origin::default()).expect("a case"))
    }
}

/// The findings of a campaign over one formula.
fn findings(folder: &Path, text: &'static str, targets: &[Arc<Resolved>]) -> Vec<(usize, String)> {
    let limits = Limits { wall: Duration::from_secs(20), memory: Some(2 << 30), output: 1 << 20 };
    let suite = Formulas(text);
    let header = Header::constructed("open");
    let record = |target: &Arc<Resolved>| TargetRecord {
        name: target.name.to_string(),
        reported: target.reported_version.clone(),
    };
    let records: Vec<TargetRecord> = targets.iter().map(record).collect();
    let file = folder.join("results.sqlite");
    let mut results =
        Results::create(&file, &header, &suite.categories(), &records).expect("a store");
    let solver = |target: &Arc<Resolved>| -> Box<dyn Target> {
        Box::new(Solver::new(Arc::clone(target), settings(limits, true)))
    };
    let campaign = Campaign {
        suite: &suite,
        selection: Selection::default(),
        header,
        factory: &|| Ok(targets.iter().map(solver).collect()),
        targets: targets.len(),
        jobs: 1,
        count: false,
        budget: None,
        give_up: None,
        findings: folder.join("findings"),
        follow: None,
        stop: &AtomicBool::new(false),
    };
    campaign.run(&mut results, &mut |_| {}).expect("it runs");
    let found = results.findings().expect("findings");
    found
        .into_iter()
        .map(|f| {
            assert!(f.kind == FindingKind::Disagreement || f.grade == Grade::Certified);
            (f.target, format!("{} ({}): {}", f.kind.name(), f.stability.name(), f.detail))
        })
        .collect()
}

const INTS: &str = "(declare-const x Int)(assert (> x 4))(check-sat)";

#[test]
fn fakes_that_contradict_each_other_are_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let yes = Arc::new(fake(folder.path(), &["say", "sat"], ""));
    let no = Arc::new(fake(folder.path(), &["say", "unsat"], ""));
    let dumb = Arc::new(fake(folder.path(), &["say", "unknown"], ""));
    let found = findings(folder.path(), INTS, &[yes, dumb, no]);
    let words = "disagreement (confirmed): fake@path says sat; fake@path says unsat";
    assert_eq!(found, [(0, words.to_owned()), (2, words.to_owned())]);
}

/// Sat of a solver that over-approximates contradicts nobody.
#[test]
fn sat_of_an_overapproximation_is_no_disagreement() {
    let folder = tempfile::tempdir().expect("a folder");
    let more = "claims = [\"sound\"]\n[[for]]\nversions = \"*\"\nrun = { without-features = [\"models\"] }\n";
    let yes = Arc::new(fake(folder.path(), &["say", "sat"], more));
    let no = Arc::new(fake(folder.path(), &["say", "unsat"], ""));
    assert_eq!(findings(folder.path(), INTS, &[yes, no]), []);
}

/// The model of the real one decides, and the fake is wrong for certain.
#[test]
fn a_true_model_of_a_real_solver_convicts_a_fake() {
    let Some(z3) = real("z3") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let no = Arc::new(fake(folder.path(), &["say", "unsat"], ""));
    let found = findings(folder.path(), INTS, &[no, Arc::new(z3)]);
    let words = "wrong-unsat (confirmed): the truth is sat, a model that was checked by evaluation";
    assert_eq!(found, [(0, words.to_owned())]);
    let mut folders = std::fs::read_dir(folder.path().join("findings")).expect("findings");
    let path = folders.next().expect("a finding").expect("it can be read").path();
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect(name);
    let record: FindingRecord = serde_json::from_str(&read("finding.json")).expect("a record");
    assert_eq!(
        (record.expected.name(), record.grade.map(assay_case::Grade::name)),
        ("sat", Some("certified"))
    );
    assert!(read("witness.smt2").contains("(define-fun x () Int 5)"), "{}", read("witness.smt2"));
}

/// Two real versions, one of which is wrong: `str.replace` in the empty string.
#[test]
fn a_model_of_a_new_version_convicts_an_old_one() {
    let (Some(old), Some(new)) = (real("z3@4.8.0"), real("z3")) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let text = "(declare-const s String)(declare-const t String)
                (assert (= (str.replace \"\" s t) \"a\"))(check-sat)";
    let found = findings(folder.path(), text, &[Arc::new(old), Arc::new(new)]);
    let words = "wrong-unsat (confirmed): the truth is sat, a model that was checked by evaluation";
    assert_eq!(found, [(0, words.to_owned())]);
}

/// No model can be evaluated under quantifiers over all integers.
#[test]
fn without_a_deciding_model_both_targets_are_named() {
    let Some(z3) = real("z3") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let more = "[[for]]\nversions = \"*\"\nrun = { features = [\"quantifiers\"] }\n";
    let no = Arc::new(fake(folder.path(), &["say", "unsat"], more));
    let text = "(declare-const x Int)(assert (forall ((y Int)) (exists ((z Int)) (> z (+ x y)))))
                (check-sat)";
    let name = z3.name.to_string();
    let found = findings(folder.path(), text, &[no, Arc::new(z3)]);
    let words = format!("disagreement (confirmed): {name} says sat; fake@path says unsat");
    assert_eq!(found, [(0, words.clone()), (1, words)]);
}
