//! The solver's interface: it receives a text and returns its output. Code that may start processes
//! implements it; nothing here does.

use std::time::Duration;

/// A solver that reads SMT-LIB scripts like z3, and a clock.
pub trait Engine {
    /// The solver's name, for the record.
    fn name(&self) -> &str;

    /// The time since the work began. There is no other clock.
    fn elapsed(&self) -> Duration;

    /// Runs a script in a fresh process.
    fn run(&mut self, script: &str, limit: Duration) -> Said;

    /// Runs a script in a long-lived process, after a `(reset)`; for many small queries.
    fn ask(&mut self, script: &str, limit: Duration) -> Said;

    /// Runs a script in another version of the solver, if there is one. Versions differ in what
    /// they refute by models; the resulting terms are validated like all others.
    fn run_other_version(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let _ = (script, limit);
        None
    }

    /// Runs a script in cvc5, if it is installed: it prints the instances in its refutation.
    fn run_cvc5(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let _ = (script, limit);
        None
    }

    /// Runs a first-order prover, if it is installed, on a file of formulas in TPTP: it prints its
    /// refutation as such formulas.
    fn run_first_order(
        &mut self,
        prover: FirstOrderProver,
        formulas: &str,
        limit: Duration,
    ) -> Option<Said> {
        let _ = (prover, formulas, limit);
        None
    }
}

/// First-order provers that print their refutations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstOrderProver {
    /// E, available in Debian.
    E,
    /// Vampire, if the user has it.
    Vampire,
}

impl FirstOrderProver {
    /// Both, with the easier one to install first.
    pub const ALL: [FirstOrderProver; 2] = [FirstOrderProver::E, FirstOrderProver::Vampire];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FirstOrderProver::E => "E",
            FirstOrderProver::Vampire => "Vampire",
        }
    }
}

/// A solver's output for a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Its standard output.
    pub text: String,
    /// Its standard error.
    pub log: String,
    /// How it ended.
    pub end: RunEnd,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// By itself.
    Finished,
    /// The time limit was reached.
    TimedOut,
    /// It crashed, ran out of memory, or could not be started.
    Died,
}

/// A solver's answer to `check-sat`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatResult {
    /// Satisfiable.
    Sat,
    /// Unsatisfiable.
    Unsat,
    /// It gave up.
    Unknown,
    /// It reached its limits.
    Diverged,
    /// It failed.
    Failed,
}

impl Said {
    /// The first error before its answer, which means that it did not accept all of the script.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        let before = self.text.len() - self.after_result().len();
        let at = self.text[..before].find("(error")?;
        self.text[at..].lines().next()
    }

    /// The last answer to `check-sat`; a failure if the script was accepted only in part.
    #[must_use]
    pub fn sat_result(&self) -> SatResult {
        if self.error().is_some() {
            return SatResult::Failed;
        }
        let last = self.text.lines().rev().find_map(|line| match line.trim() {
            "sat" => Some(SatResult::Sat),
            "unsat" => Some(SatResult::Unsat),
            "unknown" => Some(SatResult::Unknown),
            "timeout" => Some(SatResult::Diverged),
            _ => None,
        });
        match (last, self.end) {
            (Some(SatResult::Unknown), _) if self.ran_out() => SatResult::Diverged,
            (Some(result), _) => result,
            (None, RunEnd::TimedOut) => SatResult::Diverged,
            (None, _) => SatResult::Failed,
        }
    }

    /// Whether the solver reports that a limit stopped it.
    fn ran_out(&self) -> bool {
        let limits = ["resource limit", "max. resource", "canceled", "timeout", "max. memory"];
        self.text
            .lines()
            .filter(|line| line.contains(":reason-unknown"))
            .any(|line| limits.iter().any(|limit| line.contains(limit)))
    }

    /// The output after the line with the answer to `check-sat`.
    #[must_use]
    pub fn after_result(&self) -> &str {
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            at += line.len();
            if ["sat", "unsat", "unknown"].contains(&line.trim()) {
                return &self.text[at..];
            }
        }
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str, end: RunEnd) -> SatResult {
        Said { text: text.into(), log: String::new(), end }.sat_result()
    }

    #[test]
    fn output_is_classified_as_a_result() {
        assert_eq!(result("(error \"x\")\nunsat\n", RunEnd::Finished), SatResult::Failed);
        assert_eq!(result("unsat\n(error \"no proof\")\n", RunEnd::Finished), SatResult::Unsat);
        assert_eq!(result("sat\r\n", RunEnd::Finished), SatResult::Sat);
        let ran_out = "unknown\n(:reason-unknown \"max. resource limit exceeded\")\n";
        assert_eq!(result(ran_out, RunEnd::Finished), SatResult::Diverged);
        let incomplete = "unknown\n(:reason-unknown \"(incomplete quantifiers)\")\n";
        assert_eq!(result(incomplete, RunEnd::Finished), SatResult::Unknown);
        assert_eq!(result("", RunEnd::TimedOut), SatResult::Diverged);
        assert_eq!(result("segmentation fault", RunEnd::Died), SatResult::Failed);
    }

    #[test]
    fn text_after_the_verdict_is_returned() {
        let said = Said {
            text: "(error \"a\")\nsat\n((x 1))\n".into(),
            log: String::new(),
            end: RunEnd::Finished,
        };
        assert_eq!(said.after_result(), "((x 1))\n");
    }
}
