//! A test case: an input, the truth about it, and where it came from.

use crate::exhaust::{Exhaustion, exhaust, has_few_assignments, usual_budget};
use crate::formula::{CoreName, Formula};
use crate::number::number;
use crate::oracle::{Extremum, Grade, Oracle, Why, Witness};
use crate::suite::Expected;

/// An input for a tool, with its truth.
#[derive(Clone, Debug)]
pub struct TestCase {
    name: String,
    payload: Payload,
    oracle: Oracle,
    origin: Origin,
    steps: Vec<Expected>,
    program: Option<Box<Program>>,
}

/// A program in C that reaches its error exactly where the formula of its case has a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The text, with the conventions of SV-COMP: inputs come from `__VERIFIER_nondet_*`, the error
    /// is a call of `reach_error`.
    pub text: String,
    /// What is read on the way to the error, in order; none where no way is known.
    pub inputs: Option<Vec<Reading>>,
}

/// An input of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The function that gives it, without `__VERIFIER_nondet_`.
    pub source: &'static str,
    /// The value.
    pub value: i128,
}

/// What is given to the tool.
#[derive(Clone, Debug)]
pub enum Payload {
    /// A formula, for a solver.
    Formula(Box<Formula>),
}

/// Where a case came from: enough to make it again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The suite that made it.
    pub suite: String,
    /// Its category within the suite.
    pub category: String,
    /// The rules that took part, in order.
    pub rules: Vec<String>,
    /// The seed of the run.
    pub seed: u64,
    /// Which case of the run.
    pub index: u128,
    /// The names of the files that it was made from.
    pub seeds: Vec<String>,
    /// What was done to them, one line for each step, so that a program can do it again.
    pub trace: Vec<String>,
}

/// Why an oracle cannot be the truth about a formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CaseError {
    /// The witness was checked against something else.
    #[error("the model was checked against another formula")]
    ForeignWitness,
    /// An expected core names what is not asserted.
    #[error("the expected core names `{0}`, which no assertion in force is called")]
    CoreName(String),
    /// Optima and objectives do not match.
    #[error("{optima} optima for {objectives} objectives")]
    Objectives {
        /// How many optima were given.
        optima: usize,
        /// How many objectives the formula has.
        objectives: usize,
    },
    /// Verdicts and questions do not match.
    #[error("{verdicts} verdicts for {questions} questions")]
    Steps {
        /// How many verdicts were given.
        verdicts: usize,
        /// How many questions the formula asks.
        questions: usize,
    },
    /// An optimum that is not a number.
    #[error("the optimum of objective {0} is not a number")]
    NotANumber(usize),
}

impl TestCase {
    /// A formula with its truth.
    ///
    /// # Errors
    /// Where the oracle does not fit the formula.
    pub fn formula(
        name: impl Into<String>,
        formula: Formula,
        oracle: Oracle,
        origin: Origin,
    ) -> Result<TestCase, CaseError> {
        fits(&oracle, &formula)?;
        let payload = Payload::Formula(Box::new(formula));
        let (name, steps, program) = (name.into(), Vec::new(), None);
        Ok(TestCase { name, payload, oracle, origin, steps, program })
    }

    /// The same case, with the formula written as a program.
    #[must_use]
    pub fn with_program(mut self, program: Program) -> TestCase {
        self.program = Some(Box::new(program));
        self
    }

    /// The program that the formula was written as, where it was.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        self.program.as_deref()
    }

    /// Its name, unique within a run.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is given to the tool.
    #[must_use]
    pub fn payload(&self) -> &Payload {
        &self.payload
    }

    /// The truth.
    #[must_use]
    pub fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    /// The same case, with the right verdict of each question that it asks, the last included.
    ///
    /// # Errors
    /// Where it asks more questions, or fewer.
    pub fn with_steps(mut self, steps: Vec<Expected>) -> Result<TestCase, CaseError> {
        let Payload::Formula(formula) = &self.payload;
        let (verdicts, questions) = (steps.len(), formula.checks());
        if verdicts != questions {
            return Err(CaseError::Steps { verdicts, questions });
        }
        self.steps = steps;
        Ok(self)
    }

    /// The same case with a truth that became known later; none where it does not fit the formula, and
    /// none for a program, whose truth is not that of a formula alone.
    /// What was believed of its questions is kept only where the new truth does not contradict it.
    pub(crate) fn with_truth(&self, formula: Formula, oracle: Oracle) -> Option<TestCase> {
        if self.program.is_some() {
            return None;
        }
        let flipped = match (&self.oracle, &oracle) {
            (Oracle::Open, _) => false,
            (was, is) => matches!(was, Oracle::Unsat { .. }) != matches!(is, Oracle::Unsat { .. }),
        };
        fits(&oracle, &formula).ok()?;
        let payload = Payload::Formula(Box::new(formula));
        let steps = if flipped { Vec::new() } else { self.steps.clone() };
        Some(TestCase { payload, oracle, steps, ..self.clone() })
    }

    /// The same case with a certain truth, where its truth is not certain and trying every assignment
    /// shows it.
    #[must_use]
    pub fn proved(&self) -> Option<TestCase> {
        let Payload::Formula(formula) = &self.payload;
        if !self.may_be_proved() {
            return None;
        }
        let oracle = match exhaust(formula, &mut usual_budget())? {
            Exhaustion::Sat(model) => Oracle::Sat(Witness::Checked(model)),
            Exhaustion::Unsat(count) => Oracle::Unsat { why: Why::Exhausted(count), core: None },
        };
        self.with_truth((**formula).clone(), oracle)
    }

    /// Whether its truth is neither certain nor beyond what a formula's assignments show. The formula
    /// beside a program need not say all that the program does.
    fn may_be_proved(&self) -> bool {
        self.program.is_none()
            && !matches!(self.oracle, Oracle::Optimum { .. })
            && self.oracle.grade() != Some(Grade::Certified)
    }

    /// Whether its formula has so few assignments that [`TestCase::proved`] would try them.
    #[must_use]
    pub fn has_few_assignments(&self) -> bool {
        let Payload::Formula(formula) = &self.payload;
        self.may_be_proved() && has_few_assignments(formula, &mut usual_budget())
    }

    /// The same case as one whose truth is open, so that a tool is asked for all that could show it.
    #[must_use]
    pub fn open(&self) -> TestCase {
        TestCase { oracle: Oracle::Open, steps: Vec::new(), ..self.clone() }
    }

    /// The right verdict of each question; empty where only the last counts.
    #[must_use]
    pub fn steps(&self) -> &[Expected] {
        &self.steps
    }

    /// Where it came from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
}

fn fits(oracle: &Oracle, formula: &Formula) -> Result<(), CaseError> {
    match oracle {
        Oracle::Sat(witness) => witness_fits(witness, formula),
        Oracle::Unsat { core: Some(core), .. } => {
            let foreign = |name: &&String| formula.core_name(name) != CoreName::Assertion;
            match core.names.iter().find(foreign) {
                Some(name) => Err(CaseError::CoreName(name.clone())),
                None => Ok(()),
            }
        }
        Oracle::Optimum { optima, witness, .. } => {
            let objectives = formula.objectives().len();
            if optima.len() != objectives {
                return Err(CaseError::Objectives { optima: optima.len(), objectives });
            }
            let strange = |e: &Extremum| matches!(e, Extremum::Value(v) if number(v).is_none());
            if let Some(position) = optima.iter().position(strange) {
                return Err(CaseError::NotANumber(position + 1));
            }
            witness.as_ref().map_or(Ok(()), |witness| witness_fits(witness, formula))
        }
        Oracle::Unsat { core: None, .. } | Oracle::Open => Ok(()),
    }
}

fn witness_fits(witness: &Witness, formula: &Formula) -> Result<(), CaseError> {
    match witness {
        Witness::Checked(model) if !model.is_about(formula) => Err(CaseError::ForeignWitness),
        _ => Ok(()),
    }
}
