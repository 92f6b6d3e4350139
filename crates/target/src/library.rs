//! A library of abstract domains as a target: tests whether the laws of a trace hold.

use crate::by_hand::{ByHand, shell_word};
use crate::domain::{Death, DomainWorker, End, Heard, Until};
use crate::process::HarnessError;
use crate::runner::{Attachment, Mode, Ran, Run, Target};
use assay_case::{
    Answer, Breach, CrashSignature, Death as Dying, Ending, Exactness, Observation, TestCase,
    TraceTest, Violation,
};
use assay_lattice::protocol::Reply;
use assay_lattice::{Class, Law};
use std::time::{Duration, Instant};

/// The file with the picture of a trace's elements.
const PICTURE: &str = "picture.svg";

/// A library in a worker process.
pub struct Library<'u> {
    /// The worker.
    pub worker: DomainWorker,
    /// When to stop waiting for it.
    pub until: Until<'u>,
    name: String,
}

impl<'u> Library<'u> {
    /// A library that starts with its first trace.
    #[must_use]
    pub fn new(worker: DomainWorker, until: Until<'u>) -> Library<'u> {
        let name = worker.name().to_string();
        Library { worker, until, name }
    }

    /// Runs a trace in the current process, with this time limit.
    ///
    /// # Errors
    /// A failure of assay itself.
    pub fn run_within(&mut self, text: &str, patience: Duration) -> Result<Ran, HarnessError> {
        let begun = Instant::now();
        let heard = self.worker.attempt_within(text, patience, &self.until)?;
        self.observed(text, heard, begun.elapsed())
    }

    fn run_fresh(&mut self, text: &str) -> Result<Ran, HarnessError> {
        let begun = Instant::now();
        let heard = self.worker.attempt(text, &self.until)?;
        self.observed(text, heard, begun.elapsed())
    }

    fn observed(&self, text: &str, heard: Heard, elapsed: Duration) -> Result<Ran, HarnessError> {
        if heard.end == End::Stopped {
            return Ok(Ran::Skipped("cancelled before it answered".to_owned()));
        }
        Ok(Ran::Observed(Box::new(self.run_of(text, &heard, elapsed)?)))
    }

    /// Turns a worker's report about a trace into a run.
    ///
    /// # Errors
    /// A failure of assay itself.
    pub fn run_of(
        &self,
        text: &str,
        heard: &Heard,
        elapsed: Duration,
    ) -> Result<Run, HarnessError> {
        let shown = heard.replies.iter().find_map(|reply| match reply {
            Reply::Shown { elements, picture } => Some((elements, picture)),
            _ => None,
        });
        let (elements, picture) = match shown {
            Some((elements, picture)) => (elements.as_slice(), picture.as_ref()),
            None => (&[][..], None),
        };
        let stderr = match &heard.end {
            End::Died { words, .. } => words.clone(),
            End::Done | End::Stopped => String::new(),
        };
        let mut observation = Observation::new(heard.answer(), elapsed);
        if let End::Died { death: Death::OutOfMemory(limit), .. } = heard.end {
            observation.memory_limit = Some(limit);
        }
        let (containment, confinement) = self.worker.held()?;
        Ok(Run {
            observation,
            input: text.to_owned(),
            stdout: elements.iter().map(|element| format!("{element}\n")).collect(),
            stderr,
            ending: None,
            containment,
            confinement,
            cpu: None,
            features: Vec::new(),
            attachments: picture
                .map(|text| Attachment { file: PICTURE, text: text.clone() })
                .into_iter()
                .collect(),
        })
    }
}

impl Heard {
    /// The answer in a worker's replies, or in its end, about the laws of a trace.
    #[must_use]
    pub fn answer(&self) -> Answer {
        if let Some(violation) = self.replies.iter().find_map(violation) {
            return Answer::Violated(violation);
        }
        if let End::Died { death, words, .. } = &self.end {
            return death_of(death, words);
        }
        match self.replies.first() {
            Some(Reply::Progress { checked: 0, .. }) => {
                Answer::Unknown(Some("no premise of a law holds".to_owned()))
            }
            Some(Reply::Progress { .. }) => Answer::Holds,
            Some(Reply::Refused(why)) => Answer::Rejected(why.clone()),
            other => Answer::Garbled(format!("{other:?}")),
        }
    }
}

/// The violation in a reply.
fn violation(reply: &Reply) -> Option<Violation> {
    let Reply::Violated { law, hard, evidence, .. } = reply else { return None };
    let breach = match Law::find(law)?.class {
        Class::Soundness => Breach::Unsound,
        Class::Precision => Breach::Imprecise,
        Class::Convergence => Breach::Divergent,
    };
    let claim = if *hard { Exactness::Exact } else { Exactness::MayBeImprecise };
    Some(Violation { law: law.clone(), breach, claim, evidence: evidence.clone() })
}

/// The answer for a worker that died.
fn death_of(death: &Death, words: &str) -> Answer {
    match death {
        Death::Hang => Answer::Timeout,
        Death::OutOfMemory(_) => Answer::OutOfMemory,
        Death::Flood => Answer::Flood(death.to_string()),
        Death::Crash(ending) => {
            let dying = match ending {
                Ending::Exited(code) => Dying::Exit(*code),
                Ending::Signalled(number) => Dying::Signal(*number),
                other => return Answer::Unknown(Some(other.to_string())),
            };
            Answer::Crash(CrashSignature::new(dying, words, ""))
        }
    }
}

impl Target for Library<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn by_hand(&self, case: &TestCase) -> Option<ByHand> {
        let file = case.kind().file();
        Some(ByHand::plain(format!("assay replay {file} --target {}", shell_word(&self.name))))
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        let Some(test) = case.as_test::<TraceTest>() else {
            return Ok(Ran::Skipped(foreign(&self.name, case)));
        };
        match mode {
            Mode::Session | Mode::Slice(_) => self.run_within(&test.text, self.worker.patience()),
            Mode::Fresh => self.run_fresh(&test.text),
        }
    }
}

/// Why a target cannot run a case of another kind.
pub(crate) fn foreign(target: &str, case: &TestCase) -> String {
    format!("{target} does not take a {}", case.kind())
}
