//! What is wrong with a library of domains on a trace, and the smallest trace that shows it.

use super::DomainError;
use crate::confirm::{Settled, Stability};
use assay_case::{Doubt, Evidence, Finding, FindingKind, Judgement, Origin, TestCase, judge};
use assay_lattice::{Law, Trace, reduce};
use assay_target::domain::{Heard, Until};
use assay_target::spec::{KnownBug, Shown};
use assay_target::{Library, Mode, Ran, Run, Target};
use std::time::{Duration, Instant};

/// What is wrong, and by which law. Two violations of one law are most likely one mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symptom {
    /// What is wrong; none where the library says itself that its result may be imprecise.
    pub kind: Option<FindingKind>,
    /// The law, for a violation.
    pub law: Option<String>,
}

/// A trace with the run that shows the symptom.
#[derive(Clone, Debug)]
pub struct Exhibit {
    /// The trace.
    pub trace: String,
    pub(super) settled: Settled,
}

impl Exhibit {
    /// What shows it, in words.
    #[must_use]
    pub fn evidence(&self) -> String {
        match &self.settled.judgement {
            Judgement::Finding(finding) => finding.evidence.to_string(),
            Judgement::Inconclusive(doubt) => doubt.to_string(),
            Judgement::Correct => "all laws hold".to_owned(),
            Judgement::OracleContradicted(how) => how.to_string(),
        }
    }
}

/// How many candidates a reduction tries: violations are tried quickly, deaths cost their time.
const TRIES: (usize, usize) = (2_000, 400);

/// Traces that take longer than this are taken for hangs while something is looked into; what comes of it
/// is checked with all patience.
const HANG: Duration = Duration::from_millis(500);

/// How long a reduction may last.
pub struct Patience<'p> {
    /// No more candidates are tried after this.
    pub candidates: Instant,
    /// The result is not checked any longer than this.
    pub until: Until<'p>,
}

/// The category of what no law speaks of: that the library survives.
pub(super) const SURVIVAL: &str = "survival";

/// The ways to die, as reports name them.
pub(super) const DEATHS: [&str; 3] = ["crash", "hang", "flood"];

impl Symptom {
    /// The symptom that a judgement speaks of; none where nothing is wrong.
    #[must_use]
    pub fn of(judgement: &Judgement) -> Option<Symptom> {
        let (kind, law) = match judgement {
            Judgement::Finding(Finding { kind, evidence: Evidence::Law { law, .. }, .. }) => {
                (Some(*kind), Some(law.clone()))
            }
            Judgement::Finding(Finding { kind: FindingKind::Rejected, .. }) => return None,
            Judgement::Finding(Finding { kind, .. }) => (Some(*kind), None),
            Judgement::Inconclusive(Doubt::Soft { law, .. }) => (None, Some(law.clone())),
            _ => return None,
        };
        Some(Symptom { kind, law })
    }

    /// The symptom of what was heard about a trace.
    pub(super) fn heard(text: &str, heard: &Heard) -> Option<Symptom> {
        let observation = assay_case::Observation::new(heard.answer(), Duration::ZERO);
        Symptom::of(&judge(&trace_case(text, None), &observation))
    }

    /// Whether it counts as a finding.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        self.kind.is_some()
    }

    /// What it is called: the law's name, or how the worker died.
    #[must_use]
    pub fn name(&self) -> &str {
        let [crash, hang, flood] = DEATHS;
        match (&self.law, self.kind) {
            (Some(law), _) => law,
            (None, Some(FindingKind::Timeout)) => hang,
            (None, Some(FindingKind::Flood)) => flood,
            (None, _) => crash,
        }
    }

    /// What is wrong, in a word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.kind.map_or("soft", FindingKind::name)
    }

    /// The known bug that may explain it, as a trace shows it.
    #[must_use]
    pub fn known<'b>(&self, trace: &str, bugs: &[&'b KnownBug]) -> Option<&'b KnownBug> {
        let case = Trace::read(trace).ok()?;
        let shown = Shown { kind: self.kind, law: self.law.as_deref(), case: &case };
        bugs.iter().copied().find(|bug| bug.may_explain_law(&shown))
    }

    /// The trace as a test case.
    #[must_use]
    pub fn case(&self, text: &str) -> TestCase {
        trace_case(text, Some(self))
    }

    /// The judgement of a run, where it shows this.
    fn shown_by(&self, text: &str, run: &Run) -> Option<Judgement> {
        let judgement = judge(&self.case(text), &run.observation);
        (Symptom::of(&judgement).as_ref() == Some(self)).then_some(judgement)
    }

    /// A fresh run of a trace, where it shows this.
    pub(super) fn fresh(
        &self,
        library: &mut Library<'_>,
        text: &str,
        stability: Stability,
    ) -> Result<Option<Exhibit>, DomainError> {
        let Ran::Observed(run) = library.run(&self.case(text), Mode::Fresh)? else {
            return Ok(None);
        };
        Ok(self.shown_by(text, &run).map(|judgement| Exhibit {
            trace: text.to_owned(),
            settled: Settled::new(*run, judgement, stability),
        }))
    }

    /// The smallest trace found that shows the same in a fresh process; none where the case itself shows
    /// nothing, or the time is over. `between` is called before each candidate.
    ///
    /// # Errors
    /// A failure of ours.
    pub fn reduce(
        &self,
        library: &mut Library<'_>,
        case: &Trace,
        patience: &Patience<'_>,
        between: &mut dyn FnMut(&mut Library<'_>) -> Result<(), DomainError>,
    ) -> Result<Option<Exhibit>, DomainError> {
        let tries = if self.law.is_some() { TRIES.0 } else { TRIES.1 };
        let mut failure: Option<DomainError> = None;
        let mut shows = |candidate: &Trace| {
            let over = Instant::now() >= patience.candidates || patience.until.is_over();
            if failure.is_some() || over {
                return false;
            }
            let shown = between(library).and_then(|()| self.shown_by_candidate(library, candidate));
            shown.unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
        };
        let small =
            if case.checks.len() == 1 { reduce(case, tries, &mut shows) } else { case.clone() };
        failure.map_or(Ok(()), Err)?;
        // What only a long-lived process showed is no reduction.
        for text in [small.to_string(), case.to_string()] {
            if let Some(exhibit) = self.fresh(library, &text, Stability::Confirmed)? {
                return Ok(Some(exhibit));
            }
        }
        Ok(None)
    }

    /// Whether a trace shows it when there is no time to lose.
    pub(super) fn shown_by_candidate(
        &self,
        library: &mut Library<'_>,
        candidate: &Trace,
    ) -> Result<bool, DomainError> {
        // What corrupts a process may kill it only later: deaths have their own.
        if self.law.is_none() {
            library.worker.refresh();
        }
        let patience = library.worker.patience().min(HANG);
        let text = candidate.to_string();
        Ok(match library.run_within(&text, patience)? {
            Ran::Observed(run) => self.shown_by(&text, &run).is_some(),
            Ran::Skipped(_) => false,
        })
    }
}

/// A trace as a test case, named after what it shows.
fn trace_case(text: &str, symptom: Option<&Symptom>) -> TestCase {
    let Some(symptom) = symptom else { return TestCase::trace("trace", text, Origin::default()) };
    let law = symptom.law.as_deref().and_then(Law::find);
    let category = law.map_or(SURVIVAL, |law| law.class.name());
    let origin = Origin {
        suite: super::DOMAINS.to_owned(),
        category: category.to_owned(),
        rules: symptom.law.iter().cloned().collect(),
        ..Origin::default()
    };
    TestCase::trace(format!("{category}/{}/0", symptom.name()), text, origin)
}
