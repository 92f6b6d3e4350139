//! Solvers that are asked about seeds: made when they are first needed, and used again.

use assay_case::Consult;
use std::sync::{Mutex, PoisonError};

/// Solvers that are asked one after the other.
type Panel = Vec<Box<dyn Consult + Send>>;

/// Makes solvers that can be asked about seeds.
pub type Consultants = dyn Fn() -> Panel + Send + Sync;

/// A panel of solvers for everyone who asks at the same time.
pub struct Solvers {
    make: Option<Box<Consultants>>,
    /// Those that nobody is asking at the moment.
    idle: Mutex<Vec<Panel>>,
}

impl Solvers {
    /// Solvers made this way, or none at all.
    #[must_use]
    pub fn new(make: Option<Box<Consultants>>) -> Solvers {
        Solvers { make, idle: Mutex::default() }
    }

    /// Lends a panel for a question.
    pub fn lend<T>(&self, ask: impl FnOnce(&mut [Box<dyn Consult + Send>]) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let made = || self.make.as_ref().map(|make| make());
        let mut panel = idle.or_else(made).unwrap_or_default();
        let said = ask(&mut panel);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(panel);
        said
    }
}
