//! What tools are given, with the truth about it: formulas, programs and traces.

use crate::answer::Expected;
use crate::exhaust::{Exhaustion, exhaust, has_few_assignments, usual_budget};
use crate::formula::{CoreName, Formula, Priority};
use crate::number::number;
use crate::oracle::{Extremum, Grade, Optima, Oracle, Point, Reach, Why, Witness};
use crate::test_case::CaseError;

/// A formula with its truth.
#[derive(Clone, Debug)]
pub struct FormulaTest {
    formula: Formula,
    oracle: Oracle,
    steps: Vec<Expected>,
    /// How certain the right verdicts of the questions before the last are.
    steps_grade: Grade,
}

impl FormulaTest {
    /// A formula with its truth.
    ///
    /// # Errors
    /// Where the oracle does not fit the formula.
    pub fn new(formula: Formula, oracle: Oracle) -> Result<FormulaTest, CaseError> {
        fits(&oracle, &formula)?;
        Ok(FormulaTest { formula, oracle, steps: Vec::new(), steps_grade: Grade::Declared })
    }

    /// The formula.
    #[must_use]
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// The truth.
    #[must_use]
    pub fn oracle(&self) -> &Oracle {
        &self.oracle
    }

    /// The right verdict of each question; empty where only the last counts.
    #[must_use]
    pub fn steps(&self) -> &[Expected] {
        &self.steps
    }

    /// How certain these verdicts are.
    #[must_use]
    pub(crate) fn steps_grade(&self) -> Grade {
        self.steps_grade
    }

    /// The same test, with the right verdict of each question that it asks, the last included.
    ///
    /// # Errors
    /// If it asks more or fewer questions.
    pub fn with_steps(
        self,
        steps: Vec<Expected>,
        steps_grade: Grade,
    ) -> Result<FormulaTest, CaseError> {
        let (verdicts, questions) = (steps.len(), self.formula.checks());
        if verdicts != questions {
            return Err(CaseError::Steps { verdicts, questions });
        }
        Ok(FormulaTest { steps, steps_grade, ..self })
    }

    /// The same test with a truth that became known later; none where it does not fit the formula.
    /// What was believed of its questions is kept only where the new truth does not contradict it.
    pub(crate) fn with_truth(&self, formula: Formula, oracle: Oracle) -> Option<FormulaTest> {
        let flipped = match (&self.oracle, &oracle) {
            (Oracle::Open, _) => false,
            (was, is) => matches!(was, Oracle::Unsat { .. }) != matches!(is, Oracle::Unsat { .. }),
        };
        let test = FormulaTest::new(formula, oracle).ok()?;
        let steps = if flipped { Vec::new() } else { self.steps.clone() };
        Some(FormulaTest { steps, steps_grade: self.steps_grade, ..test })
    }

    /// The same test with a certain truth, where its truth is not certain and trying every assignment
    /// shows it.
    pub(crate) fn proved(&self) -> Option<FormulaTest> {
        if !self.may_be_proved() {
            return None;
        }
        let oracle = match exhaust(&self.formula, &mut usual_budget())? {
            Exhaustion::Sat(model) => Oracle::Sat(Witness::Checked(model)),
            Exhaustion::Unsat(count) => Oracle::Unsat { why: Why::Exhausted(count), core: None },
        };
        self.with_truth(self.formula.clone(), oracle)
    }

    /// Whether its truth is neither certain nor beyond what assignments show.
    fn may_be_proved(&self) -> bool {
        !matches!(self.oracle, Oracle::Optimum { .. })
            && self.oracle.grade() != Some(Grade::Certified)
    }

    /// Whether its formula has so few assignments that they are all tried to prove its truth.
    pub(crate) fn has_few_assignments(&self) -> bool {
        self.may_be_proved() && has_few_assignments(&self.formula, &mut usual_budget())
    }

    /// The same formula without its truth.
    pub(crate) fn open(&self) -> FormulaTest {
        let formula = self.formula.clone();
        FormulaTest {
            formula,
            oracle: Oracle::Open,
            steps: Vec::new(),
            steps_grade: self.steps_grade,
        }
    }
}

/// A C program, and whether its error can be reached.
#[derive(Clone, Debug)]
pub struct ProgramTest {
    /// The program.
    pub program: Program,
    /// The truth.
    pub truth: Reach,
    /// The formula that was written as this program: its models are the ways to the error. None for a
    /// program that was not made from a formula.
    pub source: Option<FormulaTest>,
}

/// A program in C.
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

impl ProgramTest {
    /// A program that was made from a formula: its error is reached exactly where the formula has a
    /// model.
    #[must_use]
    pub fn from_formula(program: Program, source: FormulaTest) -> ProgramTest {
        ProgramTest { program, truth: Reach::of(source.oracle()), source: Some(source) }
    }
}

/// Operations on elements of an abstract domain. The truth is always the same: every law that the trace
/// asserts holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceTest {
    /// The trace, as text.
    pub text: String,
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
            optima_fit(optima, formula)?;
            witness.as_ref().map_or(Ok(()), |witness| witness_fits(witness, formula))
        }
        Oracle::Unsat { core: None, .. } | Oracle::Open => Ok(()),
    }
}

fn optima_fit(optima: &Optima, formula: &Formula) -> Result<(), CaseError> {
    let pareto = formula.priority() == Priority::Pareto;
    let points = match optima {
        Optima::Each(_) if pareto => return Err(CaseError::Priority),
        Optima::Each(optima) => vec![optima],
        Optima::Front(points) if pareto && !points.is_empty() => {
            points.iter().map(|Point(values)| values).collect()
        }
        Optima::Front(_) => return Err(CaseError::Priority),
    };
    let objectives = formula.objectives().len();
    for optima in points {
        if optima.len() != objectives {
            return Err(CaseError::Objectives { optima: optima.len(), objectives });
        }
        let strange = |e: &Extremum| matches!(e, Extremum::Value(v) if number(v).is_none());
        if let Some(position) = optima.iter().position(strange) {
            return Err(CaseError::NotANumber(position + 1));
        }
    }
    Ok(())
}

fn witness_fits(witness: &Witness, formula: &Formula) -> Result<(), CaseError> {
    match witness {
        Witness::Checked(model) if !model.is_about(formula) => Err(CaseError::ForeignWitness),
        _ => Ok(()),
    }
}
