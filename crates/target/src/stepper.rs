//! A solver that counts its steps, as the engine of an examination of stability.

use crate::process::{HarnessError, Launcher, Limits};
use crate::resolve::{Ask, Resolved};
use crate::session::{Ended, Processes};
use assay_case::Ending;
use assay_stability::{Engine, Meter};
use assay_trigger::{RunEnd, Said};
use std::time::Duration;

/// The maximum output that is read: statistics and cores.
const OUTPUT: usize = 64 << 20;

/// How often a run that assay itself failed to make is tried again.
const AGAIN: usize = 4;

/// A solver that runs each script in a fresh process.
pub struct Stepper<'s> {
    target: Resolved,
    name: String,
    meter: Meter,
    memory: u64,
    processes: Processes,
    failed: &'s dyn Fn(&HarnessError),
}

/// The target counts no steps.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}: only z3 and cvc5 count steps that are the same on every machine")]
pub struct NoSteps(String);

impl<'s> Stepper<'s> {
    /// A solver with a memory limit, in bytes. `failed` receives every failure of assay itself,
    /// which counts as a run without an answer.
    ///
    /// # Errors
    /// Fails if the target does not count steps.
    pub fn new(
        target: &Resolved,
        launcher: Launcher,
        memory: u64,
        failed: &'s dyn Fn(&HarnessError),
    ) -> Result<Stepper<'s>, NoSteps> {
        let meter = Meter::of(&target.name.name).ok_or_else(|| NoSteps(target.name.to_string()))?;
        let name = target.name.to_string();
        let processes = Processes::new(launcher);
        Ok(Stepper { target: target.clone(), name, meter, memory, processes, failed })
    }
}

impl Engine for Stepper<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn meter(&self) -> Meter {
        self.meter
    }

    fn run(&mut self, script: &str, limit: Duration) -> Said {
        let limits = Limits { wall: limit, memory: Some(self.memory), output: OUTPUT };
        let mut said = self.processes.fresh(&self.target, &Ask::default(), script, &limits);
        // A busy machine may start no process in time; that must not change a result.
        for _ in 0..AGAIN {
            if said.is_ok() {
                break;
            }
            said = self.processes.fresh(&self.target, &Ask::default(), script, &limits);
        }
        heard(said, self.failed)
    }
}

/// A run's output in the form that searches use.
pub(crate) fn heard(
    said: Result<crate::session::Said, HarnessError>,
    failed: &dyn Fn(&HarnessError),
) -> Said {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match said {
        Ok(said) => {
            let end = match said.ended {
                Ended::LivesOn | Ended::By(Ending::Exited(_)) => RunEnd::Finished,
                Ended::By(Ending::TimedOut) => RunEnd::TimedOut,
                Ended::By(_) | Ended::Flooded => RunEnd::Died,
            };
            Said { text: text(&said.stdout), log: text(&said.stderr), end }
        }
        Err(error) => {
            failed(&error);
            Said { text: String::new(), log: String::new(), end: RunEnd::Died }
        }
    }
}
