//! Campaigns on targets that exist only in tests, and reports on them.
#![allow(dead_code, reason = "each test uses a part")]

use assay_campaign::cluster::clusters;
use assay_campaign::{Campaign, Dossier, Header, Results, Spent, TargetRecord, Use};
use assay_case::{Answer, Observation, Selection, Suite, TestCase};
use assay_report::Report;
use assay_target::process::{Confinement, Containment};
use assay_target::{ByHand, Catalog, HarnessError, Mode, Ran, Run, Target};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a target does with a case: its answer, what it prints, and how long it takes; or why it is
/// not given the case.
pub type Part = dyn Fn(&TestCase) -> Result<(Answer, String, Duration), String> + Sync;

struct Actor<'a> {
    name: &'a str,
    part: &'a Part,
}

impl Target for Actor<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn by_hand(&self, _: &TestCase) -> Option<ByHand> {
        let (tool, version) = self.name.split_once('@').expect("a release");
        let get = vec![format!("pip install {tool}-solver=={version}")];
        Some(ByHand { get, ..ByHand::plain(format!("{tool} input.smt2")) })
    }

    fn run(&mut self, case: &TestCase, _: Mode) -> Result<Ran, HarnessError> {
        let (answer, stdout, elapsed) = match (self.part)(case) {
            Ok(said) => said,
            Err(reason) => return Ok(Ran::Skipped(reason)),
        };
        let formula = case.as_formula().expect("a formula").formula();
        Ok(Ran::Observed(Box::new(Run {
            observation: Observation::new(answer, elapsed),
            input: format!("(set-option :produce-models true)\n{}", formula.text()),
            stdout,
            stderr: String::new(),
            ending: None,
            containment: Containment::Subreaper,
            confinement: Confinement::Off,
            cpu: None,
            attachments: Vec::new(),
            features: Vec::new(),
        })))
    }
}

pub fn header(suite: &str) -> Header {
    let mut header = Header { assay: "0.1.0".into(), ..Header::constructed(suite) };
    header.limits.timeout.0 = Duration::from_secs(2);
    header
}

/// Runs a suite on actors, whose names and versions are given, into a folder.
pub fn play(
    folder: &Path,
    header: &Header,
    suite: &dyn Suite,
    selection: Selection,
    actors: &[(&str, &str, &Part)],
) {
    let records: Vec<TargetRecord> = actors
        .iter()
        .map(|(name, reported, _)| TargetRecord {
            name: (*name).into(),
            reported: (*reported).into(),
        })
        .collect();
    std::fs::create_dir_all(folder).expect("a folder");
    let file = folder.join("results.sqlite");
    let mut results =
        Results::create(&file, header, &suite.categories(), &records).expect("a store");
    let actor = |&(name, _, part): &(_, _, _)| Box::new(Actor { name, part }) as Box<dyn Target>;
    let factory = || Ok(actors.iter().map(actor).collect());
    let campaign = Campaign {
        suite,
        selection,
        header: header.clone(),
        factory: &factory,
        targets: actors.len(),
        jobs: 2,
        count: false,
        budget: None,
        give_up: None,
        findings: folder.join("findings"),
        follow: None,
        stop: &AtomicBool::new(false),
    };
    campaign.run(&mut results, &mut |_| ()).expect("the campaign runs");
}

/// The report on a folder.
pub fn report(folder: &Path) -> Report {
    let results = Results::open(&folder.join("results.sqlite")).expect("a campaign");
    let clusters = clusters(folder, None, &Catalog::builtin()).expect("clusters");
    let mut report = Report::new(&results, clusters).expect("a report");
    // How long it took here is of no interest; this much is always the same.
    report.spent = Spent::default();
    let parts = [(Use::Answers, 60), (Use::LateTimeouts, 15), (Use::Making, 25)];
    for (what, seconds) in parts.into_iter().filter(|_| !report.rows.is_empty()) {
        report.spent.add(what, Duration::from_secs(seconds));
    }
    for cluster in report.clusters.clone() {
        for member in cluster.members {
            let dossier = Dossier::read(&folder.join(&member.folder)).expect("a finding's folder");
            report.add(&member.folder, dossier, None);
        }
    }
    report
}
