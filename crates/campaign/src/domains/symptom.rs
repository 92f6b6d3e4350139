//! What a program shows about a domain, and the smallest program that shows it.

use super::{DomainError, DomainFault};
use assay_lattice::protocol::Reply;
use assay_lattice::{Case, Law, reduce};
use assay_target::domain::{Death, DomainWorker, End, Heard, Until};
use assay_target::spec::{KnownBug, Shown};
use std::time::{Duration, Instant};

/// What is wrong, and by which law.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Symptom {
    /// What is wrong.
    pub fault: DomainFault,
    /// The law, for a violation.
    pub law: Option<String>,
}

/// A program with what shows the symptom.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exhibit {
    /// The program.
    pub program: String,
    /// What shows it.
    pub evidence: String,
    /// The elements of the program in words.
    pub elements: Vec<String>,
    /// The elements as a picture, where two variables suffice.
    pub picture: Option<String>,
}

/// How many candidates a reduction tries: violations are tried quickly, deaths cost their time.
const TRIES: (usize, usize) = (2_000, 400);

/// Programs that take longer than this are taken for hangs while something is looked into; what
/// comes of it is checked with all patience.
const HANG: Duration = Duration::from_millis(500);

/// The symptoms that replies tell of.
pub(super) fn of_replies(replies: &[Reply]) -> Vec<(Symptom, Exhibit)> {
    let mut found: Vec<_> = replies.iter().filter_map(of_reply).collect();
    let shown = replies.iter().find_map(|reply| match reply {
        Reply::Shown { elements, picture } => Some((elements, picture)),
        _ => None,
    });
    // Elements are shown for the first violation.
    if let (Some((_, exhibit)), Some((elements, picture))) = (found.first_mut(), shown) {
        exhibit.elements.clone_from(elements);
        exhibit.picture.clone_from(picture);
    }
    found
}

/// The symptom that a reply tells of.
pub(super) fn of_reply(reply: &Reply) -> Option<(Symptom, Exhibit)> {
    let Reply::Violated { law, hard, evidence, program, .. } = reply else { return None };
    let fault = DomainFault::of_law(Law::find(law)?, *hard);
    let exhibit =
        Exhibit { program: program.clone(), evidence: evidence.clone(), ..Exhibit::default() };
    Some((Symptom { fault, law: Some(law.clone()) }, exhibit))
}

/// How long a reduction may last.
pub struct Patience<'p> {
    /// No more candidates are tried after this.
    pub candidates: Instant,
    /// The result is not checked any longer than this.
    pub until: Until<'p>,
}

impl Symptom {
    /// The symptom of a worker's death.
    pub(super) fn of_death(death: &Death) -> Symptom {
        Symptom { fault: DomainFault::of_death(death), law: None }
    }

    /// What was heard shows this; none where nothing is wrong.
    #[must_use]
    pub fn of(heard: &Heard) -> Option<Symptom> {
        let violated = heard.replies.iter().find_map(of_reply).map(|pair| pair.0);
        violated.or_else(|| match &heard.end {
            End::Died { death, .. } => Some(Symptom::of_death(death)),
            End::Done | End::Stopped => None,
        })
    }

    /// Whether it counts as a finding.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        self.fault != DomainFault::Soft
    }

    /// What it is called: the law's name, or how the worker died.
    #[must_use]
    pub fn name(&self) -> &str {
        self.law.as_deref().unwrap_or(self.fault.name())
    }

    /// The known bug that may explain it, as a program shows it.
    #[must_use]
    pub fn known<'b>(&self, program: &str, bugs: &[&'b KnownBug]) -> Option<&'b KnownBug> {
        let case = Case::read(program).ok()?;
        let shown = Shown { kind: self.fault.kind(), law: self.law.as_deref(), case: &case };
        bugs.iter().copied().find(|bug| bug.may_explain_law(&shown))
    }

    /// What was heard, as far as it shows this.
    pub(super) fn shown_by(&self, heard: &Heard) -> Option<Exhibit> {
        match (&self.law, &heard.end) {
            (Some(_), _) => {
                let said = of_replies(&heard.replies);
                said.into_iter().find(|(said, _)| said == self).map(|pair| pair.1)
            }
            (None, End::Died { death, words, .. }) => {
                let evidence = in_words(death, words);
                (Symptom::of_death(death) == *self)
                    .then(|| Exhibit { evidence, ..Exhibit::default() })
            }
            (None, End::Done | End::Stopped) => None,
        }
    }

    /// The smallest program found that shows the same in a fresh process; none where the case itself
    /// shows nothing, or the time is over. `between` is called before each candidate.
    ///
    /// # Errors
    /// A failure of ours.
    pub fn reduce(
        &self,
        worker: &mut DomainWorker,
        case: &Case,
        patience: &Patience<'_>,
        between: &mut dyn FnMut(&mut DomainWorker) -> Result<(), DomainError>,
    ) -> Result<Option<Exhibit>, DomainError> {
        let tries = if self.law.is_some() { TRIES.0 } else { TRIES.1 };
        let mut failure: Option<DomainError> = None;
        let mut shows = |candidate: &Case| {
            let over = Instant::now() >= patience.candidates || patience.until.is_over();
            if failure.is_some() || over {
                return false;
            }
            let shown = between(worker)
                .and_then(|()| self.shown_by_candidate(worker, candidate, &patience.until));
            shown.unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
        };
        let small =
            if case.checks.len() == 1 { reduce(case, tries, &mut shows) } else { case.clone() };
        failure.map_or(Ok(()), Err)?;
        // What only a long-lived process showed is no reduction.
        for program in [small.to_string(), case.to_string()] {
            if let Some(exhibit) = self.shown_by(&worker.attempt(&program, &patience.until)?) {
                return Ok(Some(Exhibit { program, ..exhibit }));
            }
        }
        Ok(None)
    }

    /// Whether a program shows it when there is no time to lose.
    pub(super) fn shown_by_candidate(
        &self,
        worker: &mut DomainWorker,
        candidate: &Case,
        until: &Until<'_>,
    ) -> Result<bool, DomainError> {
        // What corrupts a process may kill it only later: deaths have their own.
        if self.law.is_none() {
            worker.refresh();
        }
        let patience = worker.patience().min(HANG);
        let heard = worker.attempt_within(&candidate.to_string(), patience, until)?;
        Ok(self.shown_by(&heard).is_some())
    }
}

/// A death with the last words, in a line.
pub(super) fn in_words(death: &Death, words: &str) -> String {
    if words.is_empty() { death.to_string() } else { format!("{death}: {words}") }
}
