//! What is wrong with a domain on a trace, and the smallest trace that shows it.

use super::DomainError;
use crate::confirm::{Settled, Stability};
use assay_case::{Doubt, Evidence, Finding, FindingKind, Judgement, Origin, TestCase, judge};
use assay_lattice::{Law, Trace, reduce};
use assay_target::domain::{Heard, Until};
use assay_target::spec::{KnownBug, Shown};
use assay_target::{Library, Mode, Ran, Run, Target};
use std::time::{Duration, Instant};

/// What is wrong, and which law shows it. Two violations of one law most likely have one cause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symptom {
    /// The kind of finding; `None` if the library itself says that its result may be imprecise.
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
    /// The evidence, in words.
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

/// The maximum number of candidates of a reduction: for violations, and for slower crashes.
const TRIES: (usize, usize) = (2_000, 400);

/// During examination, a trace that takes longer than this counts as a hang; the result is checked
/// with the full time limit.
const HANG: Duration = Duration::from_millis(500);

/// Time limits of a reduction.
pub struct Patience<'p> {
    /// The time after which no candidate is tried.
    pub candidates: Instant,
    /// The time after which the result is not checked.
    pub until: Until<'p>,
}

/// The category of symptoms that no law describes: the library must survive.
pub(super) const SURVIVAL: &str = "survival";

/// The ways to die, as reports name them.
pub(super) const DEATHS: [&str; 3] = ["crash", "hang", "flood"];

impl Symptom {
    /// The symptom in a judgement; `None` if nothing is wrong.
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

    /// The symptom in a worker's report about a trace.
    pub(super) fn heard(text: &str, heard: &Heard) -> Option<Symptom> {
        let observation = assay_case::Observation::new(heard.answer(), Duration::ZERO);
        Symptom::of(&judge(&trace_case(text, None), &observation))
    }

    /// Whether it counts as a finding.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        self.kind.is_some()
    }

    /// The law's name, or the kind of crash.
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

    /// What is wrong, in one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.kind.map_or("soft", FindingKind::name)
    }

    /// The known bug that may explain the symptom on a trace.
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

    /// The judgement of a run, if it shows this symptom.
    fn shown_by(&self, text: &str, run: &Run) -> Option<Judgement> {
        let judgement = judge(&self.case(text), &run.observation);
        (Symptom::of(&judgement).as_ref() == Some(self)).then_some(judgement)
    }

    /// A fresh run of a trace, if it shows this symptom.
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

    /// The smallest trace found that shows the same in a fresh process; `None` if the case itself
    /// does not show it, or time runs out. `between` is called before each candidate.
    ///
    /// # Errors
    /// A failure of assay itself.
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
        // A result that only a long-lived process showed is not a reduction.
        for text in [small.to_string(), case.to_string()] {
            if let Some(exhibit) = self.fresh(library, &text, Stability::Confirmed)? {
                return Ok(Some(exhibit));
            }
        }
        Ok(None)
    }

    /// Whether a trace shows the symptom, tested quickly.
    pub(super) fn shown_by_candidate(
        &self,
        library: &mut Library<'_>,
        candidate: &Trace,
    ) -> Result<bool, DomainError> {
        // A corrupted process may crash only later: crashes and hangs get a process of their own.
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

/// A trace as a test case, named after its symptom.
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
