//! Solvers that over-approximate, and solvers that reject their input, in a campaign.

mod single;
mod targets;

use assay_campaign::{Mark, Outcome};
use assay_case::Expected;
use single::{campaign, results};
use targets::fake;

/// What a description adds to say that sat need not be right.
const SOUND: &str =
    "claims = [\"sound\"]\n[[for]]\nversions = \"*\"\nrun = { without-features = [\"models\"] }\n";

#[test]
fn only_unsat_of_an_overapproximating_solver_is_a_claim() {
    use Expected::{Sat, Unsat};
    let imprecise =
        "imprecise-sat certified confirmed: the truth is unsat, certified by construction";
    let wrong =
        "wrong-unsat certified confirmed: the truth is sat, a model that was checked by evaluation";
    // Answer, truth, finding; the numbers of soundness findings and of others.
    let table = [
        ("sat", Sat, None, (0, 0)),
        ("unsat\n(a b)", Unsat, None, (0, 0)),
        ("sat", Unsat, Some(imprecise), (0, 1)),
        ("unsat", Sat, Some(wrong), (1, 0)),
    ];
    for (answer, truth, finding, counts) in table {
        let folder = tempfile::tempdir().expect("a folder");
        let fake = fake(folder.path(), &["say", answer], SOUND);
        let (summary, found) = campaign(folder.path(), truth, fake);
        let total = summary.totals()[0];
        assert_eq!(found, Vec::from_iter(finding), "{answer}");
        assert_eq!((total.certified.soundness, total.certified.other), counts, "{answer}");
        let column = if answer == "sat" { Outcome::Sat } else { Outcome::Unsat };
        assert_eq!((total.count(column), total.inconclusive), (1, 0), "{answer}");
    }
}

#[test]
fn an_imprecise_sat_solves_nothing() {
    use assay_campaign::{Terms, compare};
    let marks = |way: &str, more: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let results =
            results(folder.path(), Expected::Unsat, fake(folder.path(), &["say", way], more));
        (folder, results)
    };
    let (first, second) = (marks("sat", SOUND), marks("unsat", ""));
    let floor = std::time::Duration::from_millis(1);
    let terms = Terms { targets: (0, 0), floor, different_limits: false };
    let comparison = compare(&first.1, &second.1, &terms).expect("they are of one suite");
    assert_eq!(comparison.all.moved(Mark::Unknown, Mark::Solved), 1);
}

#[test]
fn expected_refusals_are_not_counted_as_rejections() {
    let folder = tempfile::tempdir().expect("a folder");
    let fake_with = |more: &str| fake(folder.path(), &["error-then-sat"], more);
    let unexplained = results(folder.path(), Expected::Sat, fake_with(""));
    let summary = unexplained.summary().expect("a table");
    assert_eq!(summary.totals()[0].count(Outcome::Rejected), 1);
    assert!(summary.totals()[0].columns(summary.kind).contains(&Outcome::Rejected));
    assert!(summary.legend().contains("R rejected"), "{}", summary.legend());
    let message = "line 1 column 2: unknown logic".to_owned();
    let message = message.split_once(": ").expect("a place").1.to_owned();
    assert_eq!(unexplained.rejections().expect("reasons"), [(0, message, 1)]);
    assert_eq!(unexplained.errors().expect("reasons"), []);

    let other = tempfile::tempdir().expect("a folder");
    let explained = fake_with("refusals = [\"unknown logic\"]\n");
    let explained = results(other.path(), Expected::Sat, explained);
    let summary = explained.summary().expect("a table");
    assert_eq!(summary.totals()[0].count(Outcome::Skipped), 1);
    assert!(!summary.totals()[0].columns(summary.kind).contains(&Outcome::Rejected));
    let reason = "fake@path does not support it: unknown logic".to_owned();
    assert_eq!(explained.skips().expect("reasons"), [(0, reason, 1)]);
}
