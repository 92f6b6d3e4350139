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
    fn run_other(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let _ = (script, limit);
        None
    }

    /// Runs a script in a prover of another kind, where there is one: it reads SMT-LIB as cvc5 does
    /// and prints the instances that its refutation rests on.
    fn run_second(&mut self, script: &str, limit: Duration) -> Option<Said> {
        let _ = (script, limit);
        None
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
    pub end: End,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// By itself.
    Finished,
    /// The time was over.
    TimedOut,
    /// It crashed, ran out of memory, or could not be started.
    Died,
}

/// What a solver says about satisfiability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
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
    /// The first error that it reported before its verdict: it did not take all of the script.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        let before = self.text.len() - self.after_verdict().len();
        let at = self.text[..before].find("(error")?;
        self.text[at..].lines().next()
    }

    /// The last verdict of the output. A verdict about a part of the script is none.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.error().is_some() {
            return Verdict::Failed;
        }
        let last = self.text.lines().rev().find_map(|line| match line.trim() {
            "sat" => Some(Verdict::Sat),
            "unsat" => Some(Verdict::Unsat),
            "unknown" => Some(Verdict::Unknown),
            "timeout" => Some(Verdict::Diverged),
            _ => None,
        });
        match (last, self.end) {
            (Some(Verdict::Unknown), _) if self.ran_out() => Verdict::Diverged,
            (Some(verdict), _) => verdict,
            (None, End::TimedOut) => Verdict::Diverged,
            (None, _) => Verdict::Failed,
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

    /// What follows the line with the verdict.
    #[must_use]
    pub fn after_verdict(&self) -> &str {
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

    fn verdict(text: &str, end: End) -> Verdict {
        Said { text: text.into(), log: String::new(), end }.verdict()
    }

    #[test]
    fn verdicts() {
        assert_eq!(verdict("(error \"x\")\nunsat\n", End::Finished), Verdict::Failed);
        assert_eq!(verdict("unsat\n(error \"no proof\")\n", End::Finished), Verdict::Unsat);
        assert_eq!(verdict("sat\r\n", End::Finished), Verdict::Sat);
        let ran_out = "unknown\n(:reason-unknown \"max. resource limit exceeded\")\n";
        assert_eq!(verdict(ran_out, End::Finished), Verdict::Diverged);
        let incomplete = "unknown\n(:reason-unknown \"(incomplete quantifiers)\")\n";
        assert_eq!(verdict(incomplete, End::Finished), Verdict::Unknown);
        assert_eq!(verdict("", End::TimedOut), Verdict::Diverged);
        assert_eq!(verdict("segmentation fault", End::Died), Verdict::Failed);
    }

    #[test]
    fn what_follows_the_verdict() {
        let said = Said {
            text: "(error \"a\")\nsat\n((x 1))\n".into(),
            log: String::new(),
            end: End::Finished,
        };
        assert_eq!(said.after_verdict(), "((x 1))\n");
    }
}
