//! Test cases with their truth, solvers' answers, and the judge that compares them.
//!
//! Only this crate compares answers with truths. It starts no processes, writes no files and
//! generates no test cases of its own.
//!
//! ```
//! use assay_case::{
//!     Ending, Formula, Judgement, Observation, Oracle, Origin, Output, TestCase, Witness,
//!     check_model, judge,
//! };
//! use std::time::Duration;
//!
//! let mut formula = Formula::read(
//!     "(declare-const s String)
//!      (assert (= (str.replace \"\" s \"a\") \"a\"))
//!      (check-sat)",
//! )?;
//! // A truth: this model, checked by evaluation.
//! let model = formula.read_model("((define-fun s () String \"\"))")?;
//! let witness = Witness::Checked(check_model(&formula, model)?);
//!
//! // An answer.
//! let output = Output {
//!     stdout: "unsat\n",
//!     stderr: "",
//!     ending: Ending::Exited(0),
//!     elapsed: Duration::from_millis(12),
//!     asked: &[],
//! };
//! let seen = Observation::from_output(&output, &formula);
//!
//! // The comparison.
//! let case = TestCase::formula("replace", formula, Oracle::Sat(witness), Origin::default())?;
//! let Judgement::Finding(finding) = judge(&case, &seen) else {
//!     panic!("the answer is wrong");
//! };
//! assert_eq!(
//!     finding.to_string(),
//!     "wrong-unsat (certified): the truth is sat, a model that was checked by evaluation",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod application;
mod bounds;
mod check;
mod consult;
mod crash;
mod declared;
mod exhaust;
mod file_options;
mod finding;
mod formula;
mod front;
pub mod horn;
mod incremental;
mod judge;
mod kind;
mod named;
mod number;
mod observation;
mod oracle;
mod proof;
mod proving;
mod readings;
mod reply;
pub mod rewrite;
mod scope;
mod several;
mod subject;
mod suite;
pub mod synthesis;
mod test_case;
mod universal;

pub use answer::{Answer, Breach, Exactness, Expected, Rewritten, Violation};
pub use application::{Application, Class, applications, applications_in, is_symmetric};
pub use check::{Checked, Falsified, ModelFault, check_model, check_model_within, refute_core};
pub use consult::{Consult, ConsultError, Consultation, Question};
pub use crash::{CrashSignature, Death};
pub use declared::declared_verdicts;
pub use exhaust::{Exhaustion, exhaust, find_model, has_few_assignments, optimum, usual_budget};
pub use file_options::is_own_option;
pub use finding::{
    Contradiction, Doubt, Evidence, Finding, FindingKind, Judgement, Miss, PointFault, Severity,
};
pub use formula::{Assertion, Formula, Goal, Objective, Place, Priority};
pub use front::{Front, FrontEnd, PointReply};
pub use incremental::Incremental;
pub use judge::{
    Comparison, Statement, assignment, compare, contradicts, judge, outvoted, refutation,
};
pub use kind::{Kind, OfKind, Subject, Test};
pub use observation::{Ending, Observation, Output, Quota, Size};
pub use oracle::{
    Claim, ExpectedCore, Extremum, Grade, Optima, Oracle, Point, Proof, Proved, Reach, Refutation,
    Why, Witness,
};
pub use proof::{ProofFault, ProofReport, RuleCount};
pub use proving::Proving;
pub use reply::{Blame, Part, Spoiled};
pub use rewrite::RewriteTest;
pub use several::{Prefixed, Several};
pub use subject::{FormulaTest, Program, ProgramTest, Reading, TraceTest};
pub use suite::{CaseId, Category, Fault, MakeError, Selection, Shard, Suite};
pub use synthesis::SynthesisTest;
pub use test_case::{CaseError, Origin, TestCase};
pub use universal::{Assignment, Verdict};
