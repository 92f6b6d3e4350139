//! The solvers for a search for triggering terms: one version of z3, another version that may
//! refute what the first does not, cvc5, and first-order provers.
//!
//! They run like solvers under test, but on scripts that the search writes; their output is a
//! source of terms and never a truth.

use crate::catalog::{Catalog, ResolveError};
use crate::install::Installer;
use crate::name::TargetName;
use crate::process::{HarnessError, Launcher, Limits};
use crate::resolve::{Ask, Resolved};
use crate::session::Processes;
use crate::stepper::heard;
use crate::version::Version;
use assay_trigger::{Engine, FirstOrderProver, Said, Way};
use std::time::{Duration, Instant};

/// The first choice for the other version of z3.
const NEWEST: &str = "z3";

/// An old version of z3, which refutes other files by models than the newest does.
const OLD: &str = "z3@4.8.10";

/// cvc5 from Debian, from the search path, and from any installed wheel.
const CVC5: [&str; 3] = ["cvc5@1.0.3", "cvc5@path", "cvc5"];

/// E and Vampire, installed or from the search path.
const E: [&str; 2] = ["eprover", "eprover@path"];
const VAMPIRE: [&str; 1] = ["vampire@path"];

/// The maximum output that is read; proofs are long.
const OUTPUT: usize = 256 << 20;

/// Why a search has no solver.
#[derive(Debug, thiserror::Error)]
pub enum ProversError {
    /// The target is not z3.
    #[error("{0}: only z3 shows the instances it makes; use --target z3 or --target z3@VERSION")]
    NotZ3(TargetName),
    /// The target cannot be run.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
}

/// The solvers of a search, found or installed.
#[derive(Clone, Debug)]
pub struct Provers {
    z3: Resolved,
    other_z3: Option<Resolved>,
    cvc5: Option<Resolved>,
    e: Option<Resolved>,
    vampire: Option<Resolved>,
}

/// The first of these targets that is installed; for a name without a version, any version, the
/// newest first.
fn first_installed(names: &[&str], catalog: &Catalog, installer: &Installer) -> Option<Resolved> {
    let names = names.iter().filter_map(|name| name.parse::<TargetName>().ok());
    let mut all = names.flat_map(|name| match (&name.version, catalog.find(&name.name)) {
        (None, Ok(spec)) => {
            let of = |version: Version| TargetName {
                version: Some(version.to_string()),
                ..name.clone()
            };
            spec.versions().into_iter().rev().map(of).collect()
        }
        _ => vec![name],
    });
    all.find_map(|name| catalog.resolve_installed(&name, installer).ok()?)
}

/// Whether a first-order prover refutes a contradiction.
///
/// # Errors
/// Fails if it could not be run.
pub fn refutes_a_contradiction(
    target: &Resolved,
    launcher: Launcher,
) -> Result<bool, HarnessError> {
    const CONTRADICTION: &str = "fof(a1, axiom, ![X]: p(X)).\nfof(a2, axiom, ~p(c)).\n";
    let limits = Limits { wall: Duration::from_secs(20), memory: None, output: OUTPUT };
    let said = Processes::new(launcher).fresh(target, &Ask::default(), CONTRADICTION, &limits)?;
    Ok(String::from_utf8_lossy(&said.stdout).contains("SZS status Unsatisfiable"))
}

impl Provers {
    /// Installs z3 and another version of it if they are missing, and what the only strategy needs;
    /// otherwise cvc5, E and Vampire are used if they are installed.
    ///
    /// # Errors
    /// Fails if the target is not z3, or cannot be run.
    pub fn resolve(
        target: &TargetName,
        only: Option<Way>,
        catalog: &Catalog,
        installer: &Installer,
        note: &mut dyn FnMut(&str),
    ) -> Result<Provers, ProversError> {
        if target.name != "z3" {
            return Err(ProversError::NotZ3(target.clone()));
        }
        let z3 = catalog.resolve(target, installer, note)?;
        let others = [NEWEST, OLD].iter().filter_map(|name| name.parse().ok());
        let other_z3 = others
            .filter_map(|name: TargetName| catalog.resolve(&name, installer, note).ok())
            .find(|other| other.program != z3.program);
        if other_z3.is_none() {
            note("note: no second version of z3 is available; all proofs come from one version");
        }
        let installed = |names: &[&str]| first_installed(names, catalog, installer);
        let (mut cvc5, mut e, vampire) = (installed(&CVC5), installed(&E), installed(&VAMPIRE));
        let mut install = |name: &str| {
            let name = name.parse().expect("the name of a target");
            catalog.resolve(&name, installer, note).map(Some)
        };
        match only {
            Some(Way::Cvc5) if cvc5.is_none() => cvc5 = install("cvc5")?,
            Some(Way::FirstOrder) if e.is_none() && vampire.is_none() => e = install("eprover")?,
            _ => {}
        }
        Ok(Provers { z3, other_z3, cvc5, e, vampire })
    }
}

/// The solvers at work on one file: each script runs in a fresh process, small queries in a session
/// of z3.
pub struct Prover<'p> {
    provers: &'p Provers,
    name: String,
    memory: u64,
    processes: Processes,
    failed: &'p dyn Fn(&HarnessError),
    start: Instant,
}

impl<'p> Prover<'p> {
    /// The solvers with a memory limit, in bytes; their clock starts now. `failed` receives every
    /// failure of assay itself, which the search treats as a run without an answer.
    #[must_use]
    pub fn new(
        provers: &'p Provers,
        launcher: Launcher,
        memory: u64,
        failed: &'p dyn Fn(&HarnessError),
    ) -> Prover<'p> {
        let (name, processes) = (provers.z3.name.to_string(), Processes::new(launcher));
        Prover { provers, name, memory, processes, failed, start: Instant::now() }
    }

    fn limits(&self, wall: Duration) -> Limits {
        Limits { wall, memory: Some(self.memory), output: OUTPUT }
    }

    fn fresh(&mut self, target: &Resolved, script: &str, wall: Duration) -> Said {
        let limits = self.limits(wall);
        heard(self.processes.fresh(target, &Ask::default(), script, &limits), self.failed)
    }
}

impl Engine for Prover<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn run(&mut self, script: &str, limit: Duration) -> Said {
        self.fresh(&self.provers.z3, script, limit)
    }

    fn run_other_version(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let other = self.provers.other_z3.as_ref()?;
        Some(self.fresh(other, script, limit))
    }

    fn run_cvc5(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let cvc5 = self.provers.cvc5.as_ref()?;
        Some(self.fresh(cvc5, script, limit))
    }

    fn run_first_order(
        &mut self,
        prover: FirstOrderProver,
        formulas: &str,
        limit: Duration,
    ) -> Option<Said> {
        let target = match prover {
            FirstOrderProver::E => self.provers.e.as_ref()?,
            FirstOrderProver::Vampire => self.provers.vampire.as_ref()?,
        };
        Some(self.fresh(target, formulas, limit))
    }

    fn ask(&mut self, script: &str, limit: Duration) -> Said {
        let (limits, script) = (self.limits(limit), format!("{script}\n"));
        let z3 = &self.provers.z3;
        match self.processes.in_session(z3, &Ask::default(), (None, &script), &limits) {
            Ok(Some(said)) => heard(Ok(said), self.failed),
            Ok(None) => self.fresh(z3, &script, limit),
            Err(error) => heard(Err(error), self.failed),
        }
    }
}
