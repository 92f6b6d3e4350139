//! Whether a task tells right answers from wrong ones.

use super::claim::{Claims, Known, Must, claims, decide};
use super::test::{Request, SynthesisTest};
use assay_term::Budget;

/// The steps for one question about one task: assignments are tried, but long proofs are not.
const STEPS: u64 = 300_000;

impl SynthesisTest {
    /// Whether neither `true` nor `false` is a right answer, as far as assignments show it, and the known
    /// solution of functions is one.
    #[must_use]
    pub fn is_telling(&self) -> bool {
        let is_wrong = |answer: &str| claims(self, answer).is_ok_and(|claims| is_refuted(&claims));
        match self.request() {
            Request::Interpolant(_) | Request::Abduct(_) => {
                let defined = |body: &str| format!("(define-fun I () Bool {body})");
                let extremes = ["true", "false"].map(defined);
                extremes.iter().all(|answer| is_wrong(answer)) && self.has_answer()
            }
            Request::Eliminate(..) => ["true", "false"].into_iter().all(is_wrong),
            Request::Disjunct(_) => is_wrong("true"),
            Request::Functions { solution, .. } => {
                let known = solution.as_ref().map(|known| claims(self, known));
                let Some(Ok(claims)) = known else { return false };
                claims.list.iter().all(|claim| {
                    !matches!(decide(&claims, claim.formula, &mut budget()), Known::False(_))
                })
            }
        }
    }

    /// Whether there is an interpolant or an abduct, as far as assignments show it: the premises imply the
    /// conjecture, or the goal is consistent with them and so an abduct itself.
    fn has_answer(&self) -> bool {
        let (goal, body, must) = match self.request() {
            Request::Interpolant(conjecture) => (conjecture, "true", Must::Hold),
            Request::Abduct(goal) => (goal, goal.as_str(), Must::Fail),
            _ => return true,
        };
        let test = self.requesting(Request::Abduct(goal.clone()));
        let Ok(claims) = claims(&test, &format!("(define-fun I () Bool {body})")) else {
            return false;
        };
        let own = claims.list.iter().find(|claim| claim.must == must);
        own.is_some_and(|claim| {
            let is_false = matches!(decide(&claims, claim.formula, &mut budget()), Known::False(_));
            is_false == (must == Must::Fail)
        })
    }
}

/// Whether an assignment, or a proof, shows that an answer is wrong.
fn is_refuted(claims: &Claims) -> bool {
    claims.list.iter().any(|claim| {
        let known = decide(claims, claim.formula, &mut budget());
        match claim.must {
            Must::Hold => matches!(known, Known::False(_)),
            Must::Fail | Must::FailLike(_) => matches!(known, Known::Valid),
        }
    })
}

fn budget() -> Budget {
    Budget::new(STEPS, 1 << 22)
}
