//! Subjects with the truth about them: formulas, programs and traces.

use crate::answer::Expected;
use crate::exhaust::{
    Exhaustion, exhaust, find_model, has_few_assignments, small_budget, usual_budget,
};
use crate::formula::{CoreName, Formula, Priority};
use crate::horn::refute;
use crate::number::number;
use crate::oracle::{Extremum, Grade, Optima, Oracle, Point, Reach, Why, Witness};
use crate::test_case::CaseError;

/// A formula with its truth.
#[derive(Clone, Debug)]
pub struct FormulaTest {
    formula: Formula,
    oracle: Oracle,
    steps: Vec<Expected>,
    /// The grade of the right verdicts for the questions before the last.
    steps_grade: Grade,
}

impl FormulaTest {
    /// A formula with its truth.
    ///
    /// # Errors
    /// Fails if the oracle does not fit the formula.
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

    /// The right verdict of each question; empty if only the last counts.
    #[must_use]
    pub fn steps(&self) -> &[Expected] {
        &self.steps
    }

    /// The grade of these verdicts.
    #[must_use]
    pub(crate) fn steps_grade(&self) -> Grade {
        self.steps_grade
    }

    /// The same test with the right verdict of each question, including the last.
    ///
    /// # Errors
    /// Fails if the number of questions differs.
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

    /// The same test with a truth that became known later; `None` if it does not fit the formula.
    /// Verdicts of earlier questions are kept only if the new truth does not contradict them.
    pub(crate) fn with_truth(&self, formula: Formula, oracle: Oracle) -> Option<FormulaTest> {
        let flipped = match (&self.oracle, &oracle) {
            (Oracle::Open, _) => false,
            (was, is) => matches!(was, Oracle::Unsat { .. }) != matches!(is, Oracle::Unsat { .. }),
        };
        let test = FormulaTest::new(formula, oracle).ok()?;
        let steps = if flipped { Vec::new() } else { self.steps.clone() };
        Some(FormulaTest { steps, steps_grade: self.steps_grade, ..test })
    }

    /// The same test with a certified truth, if it was not certified and trying every assignment
    /// shows it.
    pub(crate) fn proved(&self) -> Option<FormulaTest> {
        if !self.may_be_proved() {
            return None;
        }
        let oracle = match exhaust(&self.formula, &mut usual_budget()) {
            Some(Exhaustion::Sat(model)) => Oracle::Sat(Witness::Checked(model)),
            Some(Exhaustion::Unsat(count)) => {
                Oracle::Unsat { why: Why::Exhausted(count), core: None }
            }
            None => {
                let steps = refute(&self.formula, &mut usual_budget())?.len();
                Oracle::Unsat { why: Why::Derived(steps as u64), core: None }
            }
        };
        self.with_truth(self.formula.clone(), oracle)
    }

    /// The same test with a model as its truth, if its truth is not certain and a model is found among
    /// few assignments.
    pub(crate) fn satisfied(&self) -> Option<FormulaTest> {
        if !self.may_be_proved() {
            return None;
        }
        let model = find_model(&self.formula, &mut small_budget())?;
        self.with_truth(self.formula.clone(), Oracle::Sat(Witness::Checked(model)))
    }

    /// Whether its truth is uncertified and of a kind that trying assignments can prove.
    fn may_be_proved(&self) -> bool {
        !matches!(self.oracle, Oracle::Optimum { .. })
            && self.oracle.grade() != Some(Grade::Certified)
    }

    /// Whether its formula has few enough assignments to try them all.
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

/// A C program, and whether its error is reachable.
#[derive(Clone, Debug)]
pub struct ProgramTest {
    /// The program.
    pub program: Program,
    /// The truth.
    pub truth: Reach,
    /// The formula that the program was made from: its models are the paths to the error. `None`
    /// for other programs.
    pub source: Option<FormulaTest>,
}

/// A program in C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The text, with the conventions of SV-COMP: inputs come from `__VERIFIER_nondet_*`, and the
    /// error is a call of `reach_error`.
    pub text: String,
    /// The inputs read on the way to the error, in order; `None` if no way is known.
    pub inputs: Option<Vec<Reading>>,
}

/// An input of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The function that provides it, without `__VERIFIER_nondet_`.
    pub source: &'static str,
    /// The value.
    pub value: i128,
}

impl ProgramTest {
    /// A program made from a formula: its error is reachable if and only if the formula has a
    /// model.
    #[must_use]
    pub fn from_formula(program: Program, source: FormulaTest) -> ProgramTest {
        ProgramTest { program, truth: Reach::of(source.oracle()), source: Some(source) }
    }
}

/// Operations on elements of an abstract domain. The truth is always the same: every asserted law
/// holds.
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
