//! The solver as this room sees it: it takes a text and says something. Whoever may start processes
//! implements it; nothing here does.

use std::time::Duration;

/// A solver that reads SMT-LIB scripts as z3 does, and a clock.
pub trait Engine {
    /// Who answers, for the record.
    fn name(&self) -> &str;

    /// How long ago the work began. The only clock there is.
    fn elapsed(&self) -> Duration;

    /// Runs a script in a process of its own.
    fn run(&mut self, script: &str, limit: Duration) -> Said;

    /// Runs a script in a process that lives on, after a `(reset)`; for many small questions.
    fn ask(&mut self, script: &str, limit: Duration) -> Said;

    /// Runs a script in a process of another version of the solver, where there is one. Versions
    /// differ in what they refute by models; the terms that come of it are validated as all are.
    fn run_other_version(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let _ = (script, limit);
        None
    }

    /// Runs a script in cvc5, where it is installed: it prints the instances that its refutation
    /// rests on.
    fn run_cvc5(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let _ = (script, limit);
        None
    }

    /// Runs a first-order prover on a file of formulas in TPTP, where it is installed: it prints its
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

/// Provers of first-order logic that print their refutations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstOrderProver {
    /// E, which Debian has.
    E,
    /// Vampire, where the user has it.
    Vampire,
}

impl FirstOrderProver {
    /// Both, the one that can be installed first.
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

/// What a solver said to a script.
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
    /// The time was over.
    TimedOut,
    /// It crashed, ran out of memory, or could not be started.
    Died,
}

/// What a solver answers to `check-sat`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SatResult {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// It stopped without finding out.
    Unknown,
    /// It did not stop within its limits.
    Diverged,
    /// It failed.
    Failed,
}

impl Said {
    /// The first error that it reported before its answer: it did not take all of the script.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        let before = self.text.len() - self.after_result().len();
        let at = self.text[..before].find("(error")?;
        self.text[at..].lines().next()
    }

    /// The last answer to `check-sat` in the output. Where the script was taken in part only, it is a failure.
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

    /// Whether a limit stopped it, by its own words.
    fn ran_out(&self) -> bool {
        let limits = ["resource limit", "max. resource", "canceled", "timeout", "max. memory"];
        self.text
            .lines()
            .filter(|line| line.contains(":reason-unknown"))
            .any(|line| limits.iter().any(|limit| line.contains(limit)))
    }

    /// What follows the line with the answer to `check-sat`.
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
    fn results() {
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
    fn what_follows_the_verdict() {
        let said = Said {
            text: "(error \"a\")\nsat\n((x 1))\n".into(),
            log: String::new(),
            end: RunEnd::Finished,
        };
        assert_eq!(said.after_result(), "((x 1))\n");
    }
}
