//! Clusters of findings that were made by hand.

mod puppets;

use assay_campaign::bisect::{Entry, Reading, Timeline, write_timeline};
use assay_campaign::cluster::{Cluster, clusters};
use assay_campaign::folder_name;
use assay_case::{
    Answer, CaseId, Category, CrashSignature, Death, Expected, FindingKind, Formula, MakeError,
    Oracle, Origin, RewriteTest, Selection, Suite, TestCase, Why, Witness, check_model,
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
        TestCase::formula(id.index.to_string(), formula, oracle, origin).map_err(MakeError::fault)
    }
}

/// A case that says so much about one variable.
fn sat(sort: &str, assertion: &str, value: &str) -> (String, Option<String>) {
    let text = format!("(declare-const x {sort})(assert {assertion})");
    (text, Some(format!("((define-fun x () {sort} {value}))")))
}

/// The clusters of a campaign in which targets named so do this with the cases.
fn clustered(suite: &Listed, puppets: &[(&str, &Behaviour<'_>)]) -> Vec<Cluster> {
    let folder = folder();
    play_suite(folder.path(), suite, false, &AtomicBool::new(false), puppets);
    clusters(folder.path(), Some(suite), &Catalog::builtin()).expect("clusters")
}

fn sentences(clusters: &[Cluster]) -> Vec<(&str, usize)> {
    clusters.iter().map(|cluster| (cluster.sentence.as_str(), cluster.count())).collect()
}

/// Replacements: those by an empty pattern first, then as many others.
fn replacements(count: usize) -> Vec<(String, Option<String>)> {
    let words = |n: usize| "ab".repeat(n + 1);
    let empty = |n: usize| {
        let text = words(n);
        sat("String", &format!("(= (str.replace \"{text}\" x \"c\") \"c{text}\")"), "\"\"")
    };
    let other = |n: usize| {
        let text = words(n);
        sat("String", &format!("(= (str.replace \"{text}\" \"a\" x) \"c{}\")", &text[1..]), "\"c\"")
    };
    (0..count).map(empty).chain((0..count).map(other)).collect()
}

#[test]
fn features_of_passing_cases_explain_nothing() {
    let suite = Listed(replacements(6));
    let wrong = |n, _| Ok(if n < 6 { Answer::Unsat } else { Answer::Sat });
    let clusters = clustered(&suite, &[("puppet@1", &wrong)]);
    let expected = "`str.replace` with an empty pattern: answers unsat on a satisfiable formula";
    assert_eq!(sentences(&clusters), [(expected, 6)]);
    let [cluster] = &clusters[..] else { panic!("one cluster") };
    assert_eq!(cluster.id, "puppet-1-wrong-unsat-str-replace-empty-pattern");
    assert_eq!((cluster.kind, &cluster.known), (FindingKind::WrongUnsat, &None));
    assert_eq!(
        (&cluster.operators[..], &cluster.arguments[..]),
        (&["str.replace".to_owned()][..], &["empty-string".to_owned()][..],)
    );
    assert_eq!(cluster.smallest().assertions, r#"(= (str.replace "ab" x "c") "cab")"#);
    assert_eq!(cluster.smallest().folder.to_str(), Some("findings/000000-puppet-1"));
}

#[test]
fn two_bugs_make_two_clusters_even_with_several_kinds_of_finding() {
    let range = |low: char| format!("(= (re.range \"{low}\" \"a\") re.none)");
    let mut cases = vec![
        sat("String", &range('b'), "\"\""),
        sat("String", &range('c'), "\"\""),
        (r#"(assert (= (re.range "b" "a") re.all))"#.to_owned(), None),
        sat("Int", r#"(= (str.substr "abc" 0 x) "")"#, "(- 1)"),
        sat("Int", r#"(= (str.substr "ab" 0 x) "")"#, "(- 2)"),
    ];
    let wrong = cases.len() as u128;
    cases.extend([
        sat("String", r#"(= (re.range "a" "b") (re.range "a" x))"#, "\"b\""),
        sat("String", r#"(= (re.range "a" "c") (re.range "a" x))"#, "\"c\""),
        sat("Int", r#"(= (str.substr "abc" 0 x) "a")"#, "1"),
        sat("Int", r#"(= (str.substr "abc" 1 x) "b")"#, "1"),
        sat("Int", r#"(= (str.substr "abc" 2 x) "c")"#, "2"),
    ]);
    let behaviour =
        move |n: u128, _| Ok(if n < wrong && n != 2 { Answer::Unsat } else { Answer::Sat });
    let clusters = clustered(&Listed(cases), &[("puppet@1", &behaviour)]);
    let range = "`re.range` with crossed bounds: answers unsat on a satisfiable formula, \
                 or answers sat on an unsatisfiable formula";
    let substring = "`str.substr` with a negative length: \
                     answers unsat on a satisfiable formula";
    assert_eq!(sentences(&clusters), [(range, 3), (substring, 2)]);
}

/// What a version says, for a timeline.
fn entry(version: &str, reading: Reading) -> Entry {
    Entry { version: version.into(), reading, detail: String::new(), seconds: 0.0, runs: 1 }
}

#[test]
fn findings_of_different_versions_are_in_different_clusters() {
    let suite = Listed(replacements(6));
    let wrong = |n, _| Ok(if n < 6 { Answer::Unsat } else { Answer::Sat });
    let folder = folder();
    let puppets: [(&str, &Behaviour<'_>); 1] = [("puppet@3", &wrong)];
    play_suite(folder.path(), &suite, false, &AtomicBool::new(false), &puppets);
    let now = || {
        let catalog = Catalog::builtin();
        let clusters = clusters(folder.path(), Some(&suite), &catalog).expect("clusters");
        let row = |cluster: &Cluster| {
            let members: Vec<u64> = cluster.members.iter().map(|member| member.ordinal).collect();
            (members, cluster.versions().map(str::to_owned))
        };
        clusters.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(now(), [(vec![0, 1, 2, 3, 4, 5], None)]);
    let wrong = || Reading::Wrong(FindingKind::WrongUnsat);
    let bisected = |place: u64, [one, two, three]: [Reading; 3]| {
        let entries = vec![entry("1", one), entry("2", two), entry("3", three)];
        let timeline = Timeline { entries };
        let finding = folder.path().join("findings").join(folder_name(place, "puppet@3"));
        let records = timeline.records(&"puppet".parse().expect("a name"));
        write_timeline(&finding, &records).expect("a folder");
    };
    bisected(0, [Reading::Right, wrong(), wrong()]);
    // What is undecided contradicts nothing.
    bisected(1, [Reading::Unknown, Reading::Timeout, wrong()]);
    let story = "introduced in 2 (1 right), still wrong in 3".to_owned();
    assert_eq!(now(), [(vec![0, 1, 2, 3, 4, 5], Some(story.clone()))]);
    bisected(4, [Reading::Right, Reading::Right, wrong()]);
    let other = "introduced in 3 (2 right), still wrong in 3".to_owned();
    assert_eq!(now(), [(vec![0, 1, 2, 3, 5], Some(story)), (vec![4], Some(other))]);
}

#[test]
fn cases_without_a_common_feature_are_not_clustered() {
    // Passing cases have every operator more often than failing ones do.
    let of = |n: usize| {
        [
            sat("Int", &format!("(= (+ x {n}) {})", n + n), &n.to_string()),
            sat("String", &format!("(= (str.len x) {n})"), &format!("\"{}\"", "a".repeat(n))),
        ]
    };
    let suite = Listed((1..40).flat_map(of).collect());
    let wrong = |n: u128, _| Ok(if n < 2 { Answer::Unsat } else { Answer::Sat });
    let clusters = clustered(&suite, &[("puppet@1", &wrong)]);
    assert_eq!(clusters.iter().map(Cluster::count).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn known_bugs_match_only_the_versions_that_have_them() {
    let suite = Listed(vec![
        sat("String", r#"(= (str.replace "" x "a") "a")"#, r#""""#),
        sat("String", r#"(= (str.replace "b" x "a") "ab")"#, r#""""#),
        sat("String", r#"(= (re.range "b" x) re.none)"#, r#""a""#),
    ]);
    let known = |target: &str| -> Vec<Option<String>> {
        let clusters = clustered(&suite, &[(target, &|_, _| Ok(Answer::Unsat))]);
        clusters.iter().map(|cluster| cluster.known.as_ref().map(|k| k.id.clone())).collect()
    };
    let replace = Some("replace-in-the-empty-string".to_owned());
    let range = Some("empty-range".to_owned());
    let old = known("z3@4.8.0.0.post1");
    assert!(old.contains(&replace) && old.contains(&None) && !old.contains(&range), "{old:?}");
    let newer = known("z3@4.12.2.0");
    assert!(newer.contains(&range) && newer.contains(&None), "{newer:?}");
    assert!(!newer.contains(&replace), "{newer:?}");
    assert!(known("z3@5.4.0.0").iter().all(Option::is_none));
}

#[test]
fn clusters_name_other_versions_with_the_same_bug() {
    let suite = Listed(replacements(3));
    let wrong = |n, _| Ok(if n < 3 { Answer::Unsat } else { Answer::Sat });
    let clusters =
        clustered(&suite, &[("tool@1", &wrong), ("tool@2", &wrong), ("other@1", &wrong)]);
    let told: Vec<Option<&str>> =
        clusters.iter().map(|cluster| cluster.sentence.split_once("; ").map(|two| two.1)).collect();
    assert_eq!(told, [Some("also in tool@2"), Some("also in tool@1"), None]);
    let mut ids: Vec<&str> = clusters.iter().map(|cluster| cluster.id.as_str()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

#[test]
fn crashes_cluster_by_message() {
    let suite = Listed(replacements(4));
    let crash = |message: &str| {
        let death = Death::Signal(6);
        Answer::Crash(CrashSignature { death, message: message.into() })
    };
    let dies = move |n: u128, _| {
        Ok(match n {
            0..3 => crash("ASSERTION VIOLATION File: seq.cpp"),
            3 => crash("ASSERTION VIOLATION File: rewriter.cpp"),
            _ => Answer::Sat,
        })
    };
    let clusters = clustered(&suite, &[("puppet@1", &dies)]);
    let crashes: Vec<(Option<&str>, usize)> =
        clusters.iter().map(|cluster| (cluster.crash.as_deref(), cluster.count())).collect();
    let said = |file: &str| format!("signal 6, ASSERTION VIOLATION File: {file}");
    let (first, second) = (said("seq.cpp"), said("rewriter.cpp"));
    assert_eq!(crashes, [(Some(first.as_str()), 3), (Some(second.as_str()), 1)]);
}

/// Terms that solvers are to rewrite.
struct Claims(Vec<String>);

impl Suite for Claims {
    fn name(&self) -> &str {
        "numbers"
    }

    fn categories(&self) -> Vec<Category> {
        vec![Category { name: "terms".into(), group: "all".into(), expected: Expected::Equal }]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut((0..self.0.len() as u128).map(|index| CaseId { category: 0, index }))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let test = RewriteTest::read(&self.0[id.index as usize]).expect("the text is right");
        let origin = Origin { suite: "numbers".into(), index: id.index, ..Origin::default() };
        Ok(TestCase::new(id.index.to_string(), test, origin))
    }
}

#[test]
fn crashes_without_a_message_cluster_by_tactic() {
    let terms = ["(bvult x y)", "(bvsle x #x1)", "(= (bvadd x y) #x0)"];
    let claim = |tactic: &str, term: &str| {
        let declarations = "(declare-const x (_ BitVec 4))(declare-const y (_ BitVec 4))";
        format!(
            "(set-info :promise equivalent)\n{declarations}\n(assert {term})\n(apply {tactic})\n"
        )
    };
    let tactics = ["completion", "completion", "completion", "blasting"];
    let claims = tactics.iter().zip(terms.iter().cycle());
    let suite = Claims(claims.map(|(tactic, term)| claim(tactic, term)).collect());
    let segfault = CrashSignature { death: Death::Signal(11), message: String::new() };
    let dies = move |_, _| Ok(Answer::Crash(segfault.clone()));
    let folder = folder();
    let puppets: [(&str, &Behaviour<'_>); 1] = [("puppet@1", &dies)];
    play_suite(folder.path(), &suite, false, &AtomicBool::new(false), &puppets);
    let clusters = clusters(folder.path(), Some(&suite), &Catalog::builtin()).expect("clusters");
    assert_eq!(sentences(&clusters), [("`completion`: crashes", 3), ("`blasting`: crashes", 1)]);
}

#[test]
fn clustering_needs_only_the_campaign_folder() {
    let suite = Listed(replacements(3));
    let wrong = |n, _| Ok(if n < 3 { Answer::Unsat } else { Answer::Sat });
    let folder = folder();
    let puppets: [(&str, &Behaviour<'_>); 1] = [("puppet@1", &wrong)];
    play_suite(folder.path(), &suite, false, &AtomicBool::new(false), &puppets);
    let alone = clusters(folder.path(), None, &Catalog::builtin()).expect("clusters");
    assert_eq!(alone.iter().map(Cluster::count).sum::<usize>(), 3);
    assert!(alone[0].operators.contains(&"str.replace".to_owned()), "{alone:#?}");
    // Without a finding's folder the suite makes its case again; without both there is an error.
    std::fs::remove_dir_all(folder.path().join("findings/000001-puppet-1")).expect("our folder");
    let remade = clusters(folder.path(), Some(&suite), &Catalog::builtin()).expect("clusters");
    assert_eq!(remade.iter().map(Cluster::count).sum::<usize>(), 3);
    let error = clusters(folder.path(), None, &Catalog::builtin()).expect_err("a case is gone");
    assert!(error.to_string().contains("000001-puppet-1: the folder of a finding is missing"));
}
