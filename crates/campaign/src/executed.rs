//! Programs are executed before analyzers see them. A program with a reachable error must reach it
//! on its witness; a safe one must not reach it on many inputs; neither may have undefined
//! behavior.

use crate::kind::handling;
use assay_case::{
    CaseId, Category, Fault, MakeError, Program, Reach, Selection, Suite, TestCase, Why,
};
use assay_target::process::{HarnessError, Launcher};
use assay_target::{Executed, Native, NativeError, Trial};
use std::sync::{Mutex, PoisonError};

/// How compilers and programs are started. A suite is built before the command knows this, so it
/// asks when the first program is made.
pub type Launch = dyn Fn() -> Result<Launcher, HarnessError> + Send + Sync;

/// A suite that executes its programs as they are made.
pub struct Executing {
    suite: Box<dyn Suite>,
    launch: Box<Launch>,
    /// The number of inputs tried on safe programs.
    runs: u32,
    idle: Mutex<Vec<Native>>,
}

impl Executing {
    /// Wraps a suite; `runs` inputs are tried on each safe program.
    #[must_use]
    pub fn new(suite: Box<dyn Suite>, launch: Box<Launch>, runs: u32) -> Executing {
        Executing { suite, launch, runs, idle: Mutex::default() }
    }

    /// Executes the program of a case.
    fn execute(&self, case: &TestCase, program: &Program) -> Result<Executed, NativeError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut native = match idle {
            Some(native) => native,
            None => Native::new(&(self.launch)()?)?,
        };
        let trial = match &program.inputs {
            Some(inputs) => Trial::Inputs(inputs),
            None => Trial::Many { runs: self.runs, seed: case.origin().seed },
        };
        let executed = native.run(program, trial);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(native);
        executed
    }
}

/// The error for a program that contradicts its truth.
fn contradicted(case: &TestCase, words: &str) -> MakeError {
    let mut files = vec![(case.kind().file(), case.text().as_bytes().to_vec())];
    files.extend(handling(case.kind()).files(case));
    MakeError::Fault(Fault { words: format!("{}: {words}", case.name()), files })
}

impl Suite for Executing {
    fn name(&self) -> &str {
        self.suite.name()
    }

    fn categories(&self) -> Vec<Category> {
        self.suite.categories()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        self.suite.cases(selection)
    }

    fn round(&self, id: CaseId) -> u64 {
        self.suite.round(id)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let case = self.suite.make(id)?;
        let Some(test) = case.as_program() else { return Ok(case) };
        let fault = |words: String| Err(contradicted(&case, &words));
        let executed = match self.execute(&case, &test.program) {
            Ok(executed) => executed,
            // No program can be executed without these.
            Err(error @ (NativeError::NoCompiler | NativeError::Harness(_))) => {
                return Err(MakeError::Broken(error.to_string()));
            }
            Err(error) => return fault(error.to_string()),
        };
        match (&test.truth, executed) {
            (Reach::Reachable(_), Executed::Reached)
            | (Reach::Unreachable(_), Executed::NotReached) => Ok(case),
            (Reach::Reachable(_), Executed::NotReached) => {
                fault("a run misses the error".to_owned())
            }
            // A run refutes a declared unsat: the program is not at fault.
            (Reach::Unreachable(why), Executed::Reached) => match why {
                Why::Declared(claim) => Err(MakeError::Unsuitable(format!(
                    "unsat is declared by {claim}, but a run reaches the error"
                ))),
                Why::Certified(_)
                | Why::Evaluated
                | Why::Exhausted(_)
                | Why::Derived(_)
                | Why::Proved(_) => fault("a run reaches the error".to_owned()),
            },
            (_, Executed::Undefined(words)) => fault(format!("it has undefined behavior: {words}")),
            (_, Executed::Misread) => fault("it reads unexpected inputs".to_owned()),
            (_, executed) => fault(format!("its truth is unknown, and a run ends as {executed:?}")),
        }
    }
}
