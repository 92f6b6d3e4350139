//! Targets that exist only in tests and never sleep, and campaigns on them.
#![allow(dead_code, reason = "each test uses a part")]

use assay_campaign::{Campaign, Event, Header, Results, Stop, Summary, TargetRecord, Verdict};
use assay_case::{Answer, Observation, Selection, Suite, TestCase};
use assay_target::process::Containment;
use assay_target::{HarnessError, Mode, Ran, Run, Target};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a target of ours does with a case, by its number and how it is run.
pub type Behaviour<'b> = dyn Fn(u128, Mode) -> Result<Answer, HarnessError> + Sync + 'b;

struct Puppet<'p> {
    name: &'p str,
    behaviour: &'p Behaviour<'p>,
}

impl Target for Puppet<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn command(&self, _: &TestCase) -> String {
        "puppet input.smt2".into()
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        let answer = (self.behaviour)(case.origin().index, mode)?;
        if answer == Answer::Garbled("skip".into()) {
            return Ok(Ran::Skipped("no numbers here".into()));
        }
        Ok(Ran::Observed(Box::new(Run {
            observation: Observation::new(answer, Duration::from_millis(1)),
            input: "(check-sat)\n".into(),
            stdout: String::new(),
            stderr: String::new(),
            ending: None,
            containment: Containment::Subreaper,
            cpu: None,
        })))
    }
}

pub fn header() -> Header {
    Header {
        assay: "0".into(),
        suite: "numbers".into(),
        arguments: vec!["--rng".into(), "0".into()],
        configuration: None,
        timeout_ms: 1000,
        memory: None,
        fuzz_options: false,
    }
}

pub fn record(name: &str) -> TargetRecord {
    TargetRecord { name: name.into(), reported: "Puppet 1".into() }
}

pub struct Played {
    pub stop: Result<Stop, String>,
    pub summary: Summary,
    /// By number and target.
    pub verdicts: Vec<(u128, usize, Verdict)>,
}

impl Played {
    pub fn verdict(&self, number: u128, target: usize) -> &Verdict {
        let wanted = |(n, t, _): &&(u128, usize, Verdict)| (*n, *t) == (number, target);
        &self.verdicts.iter().find(wanted).expect("the case was run").2
    }
}

pub fn play_suite(
    folder: &Path,
    suite: &dyn Suite,
    resume: bool,
    stop: &AtomicBool,
    puppets: &[(&str, &Behaviour<'_>)],
) -> Played {
    let open = if resume { Results::resume } else { Results::create };
    let file = folder.join("results.sqlite");
    let records: Vec<TargetRecord> = puppets.iter().map(|(name, _)| record(name)).collect();
    let mut results = open(&file, &header(), &suite.categories(), &records).expect("a store");
    let puppet = |&(name, behaviour)| Box::new(Puppet { name, behaviour }) as Box<dyn Target + '_>;
    let factory = || Ok(puppets.iter().map(puppet).collect());
    let campaign = Campaign {
        suite,
        selection: Selection::default(),
        header: header(),
        factory: &factory,
        targets: puppets.len(),
        jobs: 3,
        count: true,
        budget: None,
        findings: folder.join("findings"),
        stop,
    };
    let mut verdicts = Vec::new();
    let stop = campaign.run(&mut results, &mut |event| {
        if let Event::Judged(judged) = event {
            verdicts.push((judged.id.index, judged.target, judged.verdict.clone()));
        }
    });
    let summary = results.summary().expect("a summary");
    Played { stop: stop.map_err(|error| error.to_string()), summary, verdicts }
}

pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}
