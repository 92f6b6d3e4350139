//! Solvers whose verdict is right and whose model or core cannot be read, in a campaign.

mod single;
mod targets;

use assay_campaign::Outcome;
use assay_case::Expected;
use single::campaign;
use targets::fake;

#[test]
fn malformed_answers_are_findings_and_missing_ones_inconclusive() {
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
fn right_answers_are_neither_findings_nor_inconclusive() {
    for (expected, words) in
        [(Expected::Sat, "sat\n((define-fun x () Int 5))"), (Expected::Unsat, "unsat\n(a b)")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let fake = fake(folder.path(), &["say", words], "");
        let (summary, found) = campaign(folder.path(), expected, fake);
        assert_eq!((found, summary.totals()[0].inconclusive), (Vec::new(), 0), "{words}");
    }
}
