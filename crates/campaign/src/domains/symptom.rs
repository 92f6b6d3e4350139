//! What a program shows about a domain, and the smallest program that shows it.

use super::{DomainError, DomainFault};
use assay_lattice::protocol::Reply;
use assay_lattice::{Case, Law, reduce};
use assay_target::HarnessError;
use assay_target::domain::{Death, DomainWorker, Heard};
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

impl Exhibit {
    pub(super) fn of_death(case: &Case, evidence: String) -> Exhibit {
        Exhibit { program: case.to_string(), evidence, ..Exhibit::default() }
    }
}

/// How many candidates a reduction tries: violations are tried quickly, deaths cost their time.
const TRIES: (usize, usize) = (2_000, 400);

/// Candidates that take longer than this are taken for hangs while a hang is reduced.
const HANG: Duration = Duration::from_secs(1);

/// The symptom that a reply tells of.
pub(super) fn of_reply(reply: &Reply) -> Option<(Symptom, Exhibit)> {
    let Reply::Violated { law, hard, evidence, program, elements, picture } = reply else {
        return None;
    };
    let fault = DomainFault::of_law(Law::find(law)?, *hard);
    let exhibit = Exhibit {
        program: program.clone(),
        evidence: evidence.clone(),
        elements: elements.clone(),
        picture: picture.clone(),
    };
    Some((Symptom { fault, law: Some(law.clone()) }, exhibit))
}

impl Symptom {
    /// The symptom of a worker's death.
    pub(super) fn of_death(death: &Death) -> Symptom {
        Symptom { fault: DomainFault::of_death(death), law: None }
    }

    /// What was heard shows this; none where nothing is wrong.
    #[must_use]
    pub fn of(heard: &Heard) -> Option<Symptom> {
        match heard {
            Heard::Died { death, .. } => Some(Symptom::of_death(death)),
            Heard::Replies(replies) => replies.iter().find_map(of_reply).map(|pair| pair.0),
        }
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

    /// What was heard, as far as it shows this.
    pub(super) fn shown_by(&self, heard: &Heard) -> Option<Exhibit> {
        match heard {
            Heard::Died { death, words, .. } => {
                let evidence = format!("{death} {words}").trim().to_owned();
                (Symptom::of_death(death) == *self)
                    .then(|| Exhibit { evidence, ..Exhibit::default() })
            }
            Heard::Replies(replies) => replies
                .iter()
                .filter_map(of_reply)
                .find(|(said, _)| said == self)
                .map(|pair| pair.1),
        }
    }

    /// The smallest program found that shows the same in a fresh process; none where the case itself
    /// shows nothing.
    ///
    /// # Errors
    /// A failure of ours.
    pub fn reduce(
        &self,
        worker: &mut DomainWorker,
        case: &Case,
        budget: Duration,
        patience: Duration,
    ) -> Result<Option<Exhibit>, DomainError> {
        let end = Instant::now() + budget;
        // What corrupts a process may kill it only later: deaths are tried in processes of their own.
        let (tries, wait, fresh) = match self.law {
            Some(_) => (TRIES.0, patience, false),
            None => (TRIES.1, patience.min(HANG), true),
        };
        let mut failure: Option<HarnessError> = None;
        let mut shows = |candidate: &Case| {
            if failure.is_some() || Instant::now() >= end {
                return false;
            }
            match worker.attempt_within(&candidate.to_string(), fresh, wait) {
                Ok(heard) => self.shown_by(&heard).is_some(),
                Err(error) => {
                    failure = Some(error);
                    false
                }
            }
        };
        let small =
            if case.checks.len() == 1 { reduce(case, tries, &mut shows) } else { case.clone() };
        failure.map_or(Ok(()), Err)?;
        // What only a long-lived process showed is no reduction.
        for program in [small.to_string(), case.to_string()] {
            if let Some(exhibit) = self.shown_by(&worker.attempt(&program, true)?) {
                return Ok(Some(Exhibit { program, ..exhibit }));
            }
        }
        Ok(None)
    }
}
