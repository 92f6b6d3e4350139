//! Findings that are reduced while their campaign runs.

mod single;
mod targets;

use assay_campaign::{Dossier, FindingRecord, Use, folder_name};
use assay_case::Expected;
use single::followed;
use targets::fake;

#[test]
fn a_finding_is_reduced_before_the_campaign_ends() {
    for (share, is_reduced) in [(0, false), (15, true)] {
        let folder = tempfile::tempdir().expect("a folder");
        let results = followed(
            folder.path(),
            Expected::Sat,
            fake(folder.path(), &["--wrong=true", "configured"], ""),
            share,
        );
        let spent = results.spent().expect("the time");
        assert_eq!(!spent.on(Use::Reducing).is_zero(), is_reduced);
        let finding = folder.path().join("findings").join(folder_name(0, "fake@path"));
        let dossier = Dossier::read(&finding).expect("a finding");
        let smaller = dossier.reduced.map(|reduced| (reduced.record.kind, reduced.case.len()));
        let smaller = smaller.filter(|(_, size)| *size < dossier.case.len());
        assert_eq!(smaller.map(|(kind, _)| kind), is_reduced.then_some(dossier.record.kind));
        assert_eq!(finding.join("reduced.smt2").exists(), is_reduced);
    }
}

#[test]
fn why_a_finding_is_not_reduced_is_written_down() {
    let folder = tempfile::tempdir().expect("a folder");
    // It is gone when the finding is to be reduced.
    let fake = fake(folder.path(), &["say", "unsat"], "");
    std::fs::remove_file(folder.path().join("fake.toml")).expect("its description");
    let results = followed(folder.path(), Expected::Sat, fake, 15);
    assert_eq!(results.findings().expect("findings").len(), 1);
    let finding = folder.path().join("findings").join(folder_name(0, "fake@path"));
    let why = std::fs::read_to_string(finding.join("not-reduced.txt")).expect("a reason");
    assert!(why.contains("fake"), "{why}");
    assert!(!finding.join("reduced").join(FindingRecord::FILE).exists());
}
