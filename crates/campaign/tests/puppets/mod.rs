//! Targets that exist only in tests and never sleep, and campaigns on them.
#![allow(dead_code, reason = "each test uses a part")]

use assay_campaign::{
    Campaign, Event, Header, Results, Schedule, Stop, Summary, TargetRecord, Verdict,
};
use assay_case::{
    Answer, CaseId, Category, Expected, Formula, MakeError, Observation, Oracle, Origin, Selection,
    Shard, Suite, TestCase, Witness, check_model,
};
use assay_target::process::{Confinement, Containment};
use assay_target::{ByHand, HarnessError, Mode, Ran, Run, Target};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a target of ours does with a case, by its number and how it is run.
pub type Behaviour<'b> = dyn Fn(u128, Mode) -> Result<Answer, HarnessError> + Sync + 'b;

struct Puppet<'p> {
    name: &'p str,
    samples: bool,
    behaviour: &'p Behaviour<'p>,
}

impl Target for Puppet<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn by_hand(&self, _: &TestCase) -> Option<ByHand> {
        Some(ByHand::plain("puppet input.smt2"))
    }

    fn sample_statistics(&mut self) {
        self.samples = true;
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        // It counts the digits of the number.
        let digits = format!("digits {}", case.origin().index.to_string().len());
        let features = if self.samples { vec![digits] } else { Vec::new() };
        let answer = (self.behaviour)(case.origin().index, mode)?;
        if answer == Answer::Garbled("skip".into()) {
            return Ok(Ran::Skipped("no numbers here".into()));
        }
        let limit = match mode {
            Mode::Slice(slice) if answer == Answer::Timeout => Some(slice),
            _ => None,
        };
        let elapsed = limit.unwrap_or(Duration::from_millis(1));
        Ok(Ran::Observed(Box::new(Run {
            observation: Observation { limit, ..Observation::new(answer, elapsed) },
            input: "(check-sat)\n".into(),
            stdout: String::new(),
            stderr: String::new(),
            ending: None,
            containment: Containment::Subreaper,
            confinement: Confinement::Off,
            cpu: None,
            attachments: Vec::new(),
            features,
        })))
    }
}

/// `x = n` for n below the size: satisfiable, all of them.
pub struct Numbers(pub u128);

impl Suite for Numbers {
    fn name(&self) -> &str {
        "numbers"
    }

    fn categories(&self) -> Vec<Category> {
        let category = |group: &str| Category {
            name: "equation".into(),
            group: group.into(),
            expected: Expected::Sat,
        };
        vec![category("even"), category("odd")]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let id = |index: u128| CaseId { category: u32::from(index % 2 == 1), index };
        selection.cut((0..self.0).map(id))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let text = format!("(declare-const x Int)(assert (= x {}))(check-sat)", id.index);
        let mut formula = Formula::read(text).expect("the text is right");
        let model = format!("((define-fun x () Int {}))", id.index);
        let model = formula.read_model(&model).expect("the model is right");
        let witness = Witness::Checked(check_model(&formula, model).expect("it holds"));
        let origin = Origin { suite: "numbers".into(), index: id.index, ..Origin::default() };
        TestCase::formula(id.index.to_string(), formula, Oracle::Sat(witness), origin)
            .map_err(MakeError::fault)
    }
}

/// A campaign in the suite's order.
pub fn header() -> Header {
    let mut header = Header { assay: "0".into(), ..Header::constructed("numbers") };
    header.execution.schedule = Schedule::Plain;
    header
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
    play_part(folder, suite, None, (resume, stop), puppets)
}

/// Plays a part of a campaign, or all of it.
pub fn play_part(
    folder: &Path,
    suite: &dyn Suite,
    shard: Option<Shard>,
    (resume, stop): (bool, &AtomicBool),
    puppets: &[(&str, &Behaviour<'_>)],
) -> Played {
    let mut header = header();
    header.choice.shard = shard;
    play_as(folder, suite, &header, (resume, stop), puppets)
}

/// Plays a campaign of this description.
pub fn play_as(
    folder: &Path,
    suite: &dyn Suite,
    header: &Header,
    (resume, stop): (bool, &AtomicBool),
    puppets: &[(&str, &Behaviour<'_>)],
) -> Played {
    let shard = header.choice.shard;
    std::fs::create_dir_all(folder).expect("a folder");
    let open = if resume { Results::resume } else { Results::create };
    let file = folder.join("results.sqlite");
    let records: Vec<TargetRecord> = puppets.iter().map(|(name, _)| record(name)).collect();
    let mut results = open(&file, header, &suite.categories(), &records).expect("a store");
    let puppet = |&(name, behaviour)| {
        Box::new(Puppet { name, behaviour, samples: false }) as Box<dyn Target + '_>
    };
    let factory = || Ok(puppets.iter().map(puppet).collect());
    let campaign = Campaign {
        suite,
        selection: Selection { shard, ..Selection::default() },
        header: header.clone(),
        factory: &factory,
        targets: puppets.len(),
        jobs: 3,
        count: true,
        budget: None,
        give_up: None,
        findings: folder.join("findings"),
        follow: None,
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
