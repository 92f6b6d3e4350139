//! Clusters of findings that were made by hand.

mod puppets;

use assay_campaign::cluster::{Cluster, clusters};
use assay_case::{
    Answer, CaseId, Category, Expected, FindingKind, Formula, MakeError, Oracle, Origin, Selection,
    Suite, TestCase, Why, Witness, check_model,
};
use assay_target::Catalog;
use puppets::{Behaviour, folder, play_suite};
use std::sync::atomic::AtomicBool;

/// Formulas with a model, or without one where they have none.
struct Listed(Vec<(String, Option<String>)>);

impl Suite for Listed {
    fn name(&self) -> &str {
        "numbers"
    }

    fn categories(&self) -> Vec<Category> {
        let category = |expected: Expected| Category {
            name: expected.name().into(),
            group: "all".into(),
            expected,
        };
        vec![category(Expected::Sat), category(Expected::Unsat)]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let id = |(index, (_, model)): (usize, &(String, Option<String>))| CaseId {
            category: u32::from(model.is_none()),
            index: index as u128,
        };
        selection.cut(self.0.iter().enumerate().map(id))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let (text, model) = &self.0[id.index as usize];
        let mut formula = Formula::read(format!("{text}(check-sat)")).expect("the text is right");
        let oracle = match model {
            Some(model) => {
                let model = formula.read_model(model).expect("the model is right");
                Oracle::Sat(Witness::Checked(check_model(&formula, model).expect("it holds")))
            }
            None => Oracle::Unsat { why: Why::Certified(Vec::new()), core: None },
        };
        let origin = Origin { suite: "numbers".into(), index: id.index, ..Origin::default() };
        TestCase::formula(id.index.to_string(), formula, oracle, origin)
            .map_err(|error| MakeError::Fault(error.to_string()))
    }
}

/// A case that says so much about one variable.
fn sat(sort: &str, assertion: &str, value: &str) -> (String, Option<String>) {
    let text = format!("(declare-const x {sort})(assert {assertion})");
    (text, Some(format!("((define-fun x () {sort} {value}))")))
}

/// The clusters of a campaign in which a target named so does this with the cases.
fn clustered(target: &str, suite: &Listed, behaviour: &Behaviour<'_>) -> Vec<Cluster> {
    let folder = folder();
    let puppets = [(target, behaviour)];
    play_suite(folder.path(), suite, false, &AtomicBool::new(false), &puppets);
    clusters(folder.path(), Some(suite), &Catalog::builtin()).expect("clusters")
}

#[test]
fn cases_of_one_operator_are_one_cluster_with_the_smallest_first() {
    let suite = Listed(vec![
        sat("String", r#"(= (str.replace "" x "abc") "abc")"#, r#""""#),
        sat("String", r#"(= (str.replace "" x "a") "a")"#, r#""""#),
        sat("Int", "(= (+ x 1) 2)", "1"),
    ]);
    let wrong = |n, _| Ok(if n < 2 { Answer::Unsat } else { Answer::Sat });
    let clusters = clustered("puppet@1", &suite, &wrong);
    let [cluster] = &clusters[..] else { panic!("{clusters:#?}") };
    assert_eq!((cluster.kind, cluster.count()), (FindingKind::WrongUnsat, 2));
    assert!(cluster.operators.contains(&"str.replace".to_owned()), "{cluster:#?}");
    assert_eq!(cluster.smallest().assertions, r#"(= (str.replace "" x "a") "a")"#);
    assert_eq!(cluster.smallest().folder.to_str(), Some("findings/000001-puppet-1"));
    assert_eq!(cluster.known, None);
}

#[test]
fn a_bug_of_the_catalogue_is_known_in_the_versions_that_have_it() {
    let suite = Listed(vec![sat("String", r#"(= (str.replace "" x "a") "a")"#, r#""""#)]);
    let known = |target: &str| {
        let clusters = clustered(target, &suite, &|_, _| Ok(Answer::Unsat));
        clusters[0].known.as_ref().map(|known| known.id.clone())
    };
    assert_eq!(known("z3@4.8.0.0.post1").as_deref(), Some("replace-in-the-empty-string"));
    assert_eq!(known("z3@5.4.0.0"), None);
}
