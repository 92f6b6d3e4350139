//! A test case: a subject with its truth, a name, and its origin.

use crate::answer::Expected;
use crate::formula::Formula;
use crate::kind::{Kind, Subject};
use crate::oracle::{Grade, Oracle};
use crate::subject::{FormulaTest, ProgramTest, TraceTest};

/// A subject for a tool, with its truth.
#[derive(Clone, Debug)]
pub struct TestCase {
    name: String,
    subject: Subject,
    origin: Origin,
}

/// The origin of a case: enough to generate it again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The suite that generated it.
    pub suite: String,
    /// Its category within the suite.
    pub category: String,
    /// The rules that were applied, in order.
    pub rules: Vec<String>,
    /// The seed of the run.
    pub seed: u64,
    /// The number of the case.
    pub index: u128,
    /// The names of its seed files.
    pub seeds: Vec<String>,
    /// The mutations applied to them, one per line, in a form that can be applied again.
    pub trace: Vec<String>,
}

/// Why an oracle does not fit a formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CaseError {
    /// The witness was checked against another formula.
    #[error("the model was checked against another formula")]
    ForeignWitness,
    /// An expected core has an unknown name.
    #[error("the expected core names `{0}`, but no assertion in force has that name")]
    CoreName(String),
    /// The numbers of optima and objectives differ.
    #[error("{optima} optima for {objectives} objectives")]
    Objectives {
        /// The number of optima.
        optima: usize,
        /// The number of objectives.
        objectives: usize,
    },
    /// A Pareto front without that priority, an empty one, or other optima with that priority.
    #[error("only formulas whose priority is `pareto` have a Pareto front, which is not empty")]
    Priority,
    /// The numbers of verdicts and questions differ.
    #[error("{verdicts} verdicts for {questions} questions")]
    Steps {
        /// The number of verdicts.
        verdicts: usize,
        /// The number of questions.
        questions: usize,
    },
    /// An optimum that is not a number.
    #[error("the optimum of objective {0} is not a number")]
    NotANumber(usize),
}

impl TestCase {
    /// A case about this subject.
    #[must_use]
    pub fn new(name: impl Into<String>, subject: impl Into<Subject>, origin: Origin) -> TestCase {
        TestCase { name: name.into(), subject: subject.into(), origin }
    }

    /// A formula with its truth.
    ///
    /// # Errors
    /// Fails if the oracle does not fit the formula.
    pub fn formula(
        name: impl Into<String>,
        formula: Formula,
        oracle: Oracle,
        origin: Origin,
    ) -> Result<TestCase, CaseError> {
        let test = FormulaTest::new(formula, oracle)?;
        Ok(TestCase::new(name, test, origin))
    }

    /// A C program with its truth.
    #[must_use]
    pub fn program(name: impl Into<String>, test: ProgramTest, origin: Origin) -> TestCase {
        TestCase::new(name, test, origin)
    }

    /// A trace of operations on an abstract domain, whose laws must hold.
    #[must_use]
    pub fn trace(name: impl Into<String>, text: impl Into<String>, origin: Origin) -> TestCase {
        let test = TraceTest { text: text.into() };
        TestCase::new(name, test, origin)
    }

    /// Its name, unique within a run.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The subject with its truth.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The kind of its subject.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.subject.kind()
    }

    /// The formula with its truth; `None` for other subjects.
    #[must_use]
    pub fn as_formula(&self) -> Option<&FormulaTest> {
        self.as_test()
    }

    /// The program with its truth; `None` for other subjects.
    #[must_use]
    pub fn as_program(&self) -> Option<&ProgramTest> {
        self.as_test()
    }

    /// The text of its subject.
    #[must_use]
    pub fn text(&self) -> &str {
        self.subject.test().text()
    }

    /// How certain its truth is; `None` if no truth is known.
    #[must_use]
    pub fn grade(&self) -> Option<Grade> {
        self.subject.test().grade()
    }

    /// The right answer.
    #[must_use]
    pub fn expected(&self) -> Expected {
        self.subject.test().expected()
    }

    /// The same case with a certified truth, if it was not certified and trying every assignment of
    /// its formula shows it.
    #[must_use]
    pub fn proved(&self) -> Option<TestCase> {
        Some(self.with_test(self.as_formula()?.proved()?))
    }

    /// Whether it is a formula with few enough assignments for [`TestCase::proved`] to try them.
    #[must_use]
    pub fn has_few_assignments(&self) -> bool {
        self.as_formula().is_some_and(FormulaTest::has_few_assignments)
    }

    /// The same case with an open truth, so that a solver is asked for everything that could prove
    /// its answer. Only formulas support this.
    #[must_use]
    pub fn open(&self) -> Option<TestCase> {
        Some(self.with_test(self.as_formula()?.open()))
    }

    /// The same case with another formula or truth.
    #[must_use]
    pub fn with_test(&self, test: FormulaTest) -> TestCase {
        TestCase::new(self.name.clone(), test, self.origin.clone())
    }

    /// Where it came from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
}
