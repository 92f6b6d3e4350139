//! What a file declares about itself: `:status`, or the comments of cvc5's regression tests.

use crate::answer::Expected;
use crate::formula::Formula;
use crate::oracle::{Claim, Grade, Oracle, Why, Witness};
use crate::subject::FormulaTest;
use crate::test_case::CaseError;
use assay_smtlib::Script;

/// The source named in claims that come from a file itself.
const STATUS: &str = "the file's :status";

/// The declared verdict of each `check-sat` of a script, from `:status` or else from one line `;
/// EXPECT: VERDICT` per question; for a script without questions, one verdict for its end.
#[must_use]
pub fn declared_verdicts(script: &Script, text: &str) -> Vec<Expected> {
    let statuses = script.statuses();
    let lines = text.lines().filter_map(|line| line.strip_prefix("; EXPECT: ")).map(str::trim);
    let comments: Vec<&str> =
        lines.filter(|word| matches!(*word, "sat" | "unsat" | "unknown")).collect();
    let asks = script.commands.iter().any(|command| command.is_check());
    let told = asks && comments.len() == statuses.len();
    let verdict = |(at, status): (usize, &Option<&str>)| match status
        .or_else(|| told.then(|| comments[at]))
    {
        Some("sat") => Expected::Sat,
        Some("unsat") => Expected::Unsat,
        _ => Expected::Open,
    };
    statuses.iter().enumerate().map(verdict).collect()
}

impl FormulaTest {
    /// A user's file with the truth that it declares for each of its questions.
    ///
    /// # Errors
    /// If the verdicts do not fit the questions.
    pub fn declared(formula: Formula) -> Result<FormulaTest, CaseError> {
        let verdicts = declared_verdicts(formula.script(), formula.text());
        let oracle = match verdicts.last() {
            Some(Expected::Sat) => Oracle::Sat(Witness::Declared(Claim::from(STATUS))),
            Some(Expected::Unsat) => {
                Oracle::Unsat { why: Why::Declared(Claim::from(STATUS)), core: None }
            }
            _ => Oracle::Open,
        };
        let several = formula.checks() > 1;
        let test = FormulaTest::new(formula, oracle)?;
        if several { test.with_steps(verdicts, Grade::Declared) } else { Ok(test) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Expected::{Open, Sat, Unsat};

    fn test(text: &str) -> FormulaTest {
        let formula = Formula::read(text).expect("the text is a formula");
        FormulaTest::declared(formula).expect("verdicts fit")
    }

    #[test]
    fn each_check_takes_the_status_before_it() {
        let several = test(
            "(set-info :status sat)(assert true)(check-sat)(check-sat)
             (set-info :status unsat)(assert false)(check-sat)",
        );
        assert_eq!(several.steps(), [Sat, Open, Unsat]);
        assert_eq!(several.oracle().grade(), Some(Grade::Declared));
        assert!(test("(set-info :status unsat)(assert false)(check-sat)").steps().is_empty());
        assert_eq!(test("(assert true)(check-sat)").oracle().grade(), None);
    }

    #[test]
    fn comments_count_only_if_every_check_has_one() {
        let text = "; EXPECT: sat\n; EXPECT: unsat\n(check-sat)(assert false)(check-sat)";
        assert_eq!(test(text).steps(), [Sat, Unsat]);
        assert_eq!(test("; EXPECT: sat\n(check-sat)(check-sat)").steps(), [Open, Open]);
        let mixed = "; EXPECT: sat\n(set-info :status unsat)(assert false)(check-sat)";
        assert!(matches!(test(mixed).oracle(), Oracle::Unsat { .. }));
    }

    #[test]
    fn verdicts_that_depend_on_earlier_models_are_not_declared() {
        let text = "(set-info :status sat)(assert true)(check-sat)(block-model :values)\
                    (set-info :status unsat)(check-sat)";
        assert_eq!(test(text).steps(), [Open, Open]);
    }
}
