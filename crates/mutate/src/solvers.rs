//! Solvers that answer questions about seeds: started when first needed, and reused.

use assay_case::Consult;
use std::sync::{Mutex, PoisonError};

/// Solvers that are asked in sequence.
type Panel = Vec<Box<dyn Consult + Send>>;

/// Makes solvers that can be asked about seeds.
pub type Consultants = dyn Fn() -> Panel + Send + Sync;

/// One panel of solvers for each concurrent user.
pub struct Solvers {
    make: Option<Box<Consultants>>,
    /// The idle panels.
    idle: Mutex<Vec<Panel>>,
}

impl Solvers {
    /// Solvers created by this function, or none.
    #[must_use]
    pub fn new(make: Option<Box<Consultants>>) -> Solvers {
        Solvers { make, idle: Mutex::default() }
    }

    /// Lends an idle panel for a question.
    pub fn lend<T>(&self, ask: impl FnOnce(&mut [Box<dyn Consult + Send>]) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let made = || self.make.as_ref().map(|make| make());
        let mut panel = idle.or_else(made).unwrap_or_default();
        let said = ask(&mut panel);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(panel);
        said
    }
}
