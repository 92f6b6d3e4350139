//! The solver's interface, its step counts, and how it is asked about a query.

use crate::mutant::{Stated, renamed};
use crate::query::{Part, Query};
use assay_trigger::{RunEnd, Said, SatResult};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::time::Duration;

/// A solver that runs scripts.
pub trait Engine {
    /// Its name with the version, for reports.
    fn name(&self) -> &str;

    /// How it counts steps.
    fn meter(&self) -> Meter;

    /// Runs a script in a fresh process. The time limit is a safety net.
    fn run(&mut self, script: &str, limit: Duration) -> Said;
}

/// How a solver counts and limits its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meter {
    /// `rlimit` of z3.
    Z3,
    /// Resource units of cvc5.
    Cvc5,
}

/// A definite answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Answer {
    /// Satisfiable.
    Sat,
    /// Unsatisfiable: the verification condition is proved.
    Unsat,
}

impl Answer {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
        }
    }
}

/// How a run of a query ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// It was decided at this cost.
    Solved(Answer, u64),
    /// The solver gave up at this cost: its instances or its methods were exhausted.
    GaveUp(u64),
    /// The limit of steps was reached.
    OutOfSteps(u64),
    /// The safety net was reached, so the result depends on the machine.
    OutOfTime,
    /// The solver did not accept the script, or crashed.
    Failed(String),
}

impl Run {
    /// The number of steps, if it was counted.
    #[must_use]
    pub fn cost(&self) -> Option<u64> {
        match self {
            Run::Solved(_, cost) | Run::GaveUp(cost) | Run::OutOfSteps(cost) => Some(*cost),
            Run::OutOfTime | Run::Failed(_) => None,
        }
    }

    /// The answer, if it is definite.
    #[must_use]
    pub fn answer(&self) -> Option<Answer> {
        match self {
            Run::Solved(answer, _) => Some(*answer),
            _ => None,
        }
    }

    /// Its name in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Run::Solved(answer, _) => answer.name(),
            Run::GaveUp(_) => "unknown",
            Run::OutOfSteps(_) => "out of steps",
            Run::OutOfTime => "out of time",
            Run::Failed(_) => "failed",
        }
    }
}

/// An engine with the limits of its runs, and what they cost so far.
pub struct Counted<'e> {
    /// The solver.
    pub engine: &'e mut dyn Engine,
    /// The safety net of a run.
    pub wall: Duration,
    /// The number of runs.
    pub runs: u32,
}

impl Counted<'_> {
    /// Runs a query or a mutant with a limit of steps.
    pub fn run(&mut self, stated: &Stated, limit: u64) -> Run {
        self.runs += 1;
        let meter = self.engine.meter();
        let said = self.engine.run(&meter.script(stated, limit, ""), self.wall);
        meter.outcome(&said)
    }

    /// Drops options that the solver does not know, and renames functions that it has built in.
    /// Returns notes on what was changed.
    pub fn adapt(&mut self, query: &mut Query) -> Vec<String> {
        let mut notes = self.drop_options(query);
        let stated =
            Stated { pieces: query.pieces.clone(), check: query.check.clone(), seed: None };
        let mut script = String::new();
        for piece in stated.pieces.iter().filter(|piece| piece.part == Part::Declaration) {
            let _ = writeln!(script, "{}", piece.text);
        }
        let said = self.engine.run(&script, self.wall);
        let clashes: Vec<&str> = said
            .text
            .lines()
            .filter_map(|line| line.split_once("builtin symbol '")?.1.split_once('\''))
            .map(|(name, _)| name)
            .collect();
        if !clashes.is_empty() {
            let new: FxHashMap<&str, String> =
                clashes.iter().map(|&name| (name, format!("{name}!own"))).collect();
            for piece in query.pieces.iter_mut().filter(|piece| piece.part != Part::Option) {
                piece.text = renamed(&piece.text, &new);
                // The store knows the old name.
                piece.term = None;
            }
            query.check = renamed(&query.check, &new);
            notes.push(format!("renamed, because built in: {}", clashes.join(", ")));
        }
        notes
    }

    fn drop_options(&mut self, query: &mut Query) -> Vec<String> {
        let mut script = String::new();
        for piece in query.pieces.iter().filter(|piece| piece.part == Part::Option) {
            let _ = writeln!(script, "{}\n(echo \"next\")", piece.text);
        }
        if script.is_empty() {
            return Vec::new();
        }
        let said = self.engine.run(&script, self.wall);
        // z3 echoes the word alone, cvc5 in quotes.
        let text = said.text.replace("\"next\"", "next");
        let mut answers = text.split("next\n");
        let mut dropped = Vec::new();
        query.pieces.retain(|piece| {
            let unknown = piece.part == Part::Option
                && answers
                    .next()
                    .is_some_and(|said| said.contains("(error") || said.contains("unsupported"));
            if unknown {
                let line = piece.text.split_whitespace().collect::<Vec<_>>().join(" ");
                dropped.push(line);
            }
            !unknown
        });
        match dropped.is_empty() {
            true => Vec::new(),
            false => vec![format!("options that it does not know: {}", dropped.join(" "))],
        }
    }
}

impl Meter {
    /// The meter of the solver with this name.
    #[must_use]
    pub fn of(solver: &str) -> Option<Meter> {
        match solver {
            "z3" => Some(Meter::Z3),
            "cvc5" => Some(Meter::Cvc5),
            _ => None,
        }
    }

    /// A script that runs a query with a limit of steps and asks for their number. `more` are
    /// further options.
    #[must_use]
    pub fn script(self, stated: &Stated, limit: u64, more: &str) -> String {
        let mut text = String::new();
        for piece in stated.pieces.iter().filter(|piece| piece.part == Part::Option) {
            let _ = writeln!(text, "{}", piece.text);
        }
        let _ = writeln!(text, "(set-option :rlimit {limit})");
        if let Some(seed) = stated.seed {
            for option in self.seeds() {
                let _ = writeln!(text, "(set-option :{option} {seed})");
            }
        }
        text.push_str(more);
        if self == Meter::Cvc5 && !stated.pieces.iter().any(|p| p.text.starts_with("(set-logic")) {
            text.push_str("(set-logic ALL)\n");
        }
        let mut depth = 0;
        for piece in stated.pieces.iter().filter(|piece| piece.part != Part::Option) {
            // A scope makes z3 incremental, which is what the verifier saw. cvc5 needs an option
            // for that, and is asked only once.
            if self == Meter::Z3 && piece.depth > depth {
                let _ = writeln!(text, "(push {})", piece.depth - depth);
                depth = piece.depth;
            }
            let _ = writeln!(text, "{}", piece.text);
        }
        if self == Meter::Z3 {
            text.push_str("(get-info :rlimit)\n");
        }
        let _ = writeln!(text, "{}", stated.check);
        text.push_str(match self {
            Meter::Z3 => "(get-info :reason-unknown)\n(get-info :rlimit)\n",
            Meter::Cvc5 => "(get-info :reason-unknown)\n(get-info :all-statistics)\n",
        });
        text
    }

    /// The options that set the random seed.
    fn seeds(self) -> &'static [&'static str] {
        match self {
            Meter::Z3 => &["smt.random_seed", "sat.random_seed"],
            Meter::Cvc5 => &["seed", "sat-random-seed"],
        }
    }

    /// What a run of [`Meter::script`] showed.
    #[must_use]
    pub fn outcome(self, said: &Said) -> Run {
        if said.end == RunEnd::TimedOut {
            return Run::OutOfTime;
        }
        let cost = self.cost(&said.text);
        let out = said.text.lines().any(|line| {
            line.contains(":reason-unknown")
                && ["resource", "canceled"].iter().any(|word| line.contains(word))
        });
        match (said.sat_result(), cost) {
            (SatResult::Sat, Some(cost)) => Run::Solved(Answer::Sat, cost),
            (SatResult::Unsat, Some(cost)) => Run::Solved(Answer::Unsat, cost),
            (SatResult::Unknown | SatResult::Diverged, Some(cost)) if out => Run::OutOfSteps(cost),
            (SatResult::Unknown | SatResult::Diverged, Some(cost)) => Run::GaveUp(cost),
            _ => Run::Failed(failure(said)),
        }
    }

    /// The steps of the `check-sat`.
    fn cost(self, text: &str) -> Option<u64> {
        match self {
            Meter::Z3 => {
                let counts: Vec<u64> = text
                    .lines()
                    .filter_map(|line| line.trim().strip_prefix("(:rlimit ")?.strip_suffix(')'))
                    .filter_map(|count| count.trim().parse().ok())
                    .collect();
                let [before, after] = counts[..] else { return None };
                Some(after.saturating_sub(before))
            }
            Meter::Cvc5 => {
                let (_, rest) = text.split_once("\"resource::resourceUnitsUsed\"")?;
                rest.trim_start().split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
            }
        }
    }
}

/// Why a run failed, in the solver's words.
fn failure(said: &Said) -> String {
    let error = said.error().or_else(|| said.text.lines().find(|line| line.contains("(error")));
    let log = || said.log.lines().find(|line| !line.trim().is_empty());
    let words = error.or_else(log).unwrap_or(match said.end {
        RunEnd::Died => "it crashed or ran out of memory",
        _ => "it gave no answer",
    });
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::Mutator;
    use crate::query::queries;

    fn said(text: &str, end: RunEnd) -> Said {
        Said { text: text.to_owned(), log: String::new(), end }
    }

    #[test]
    fn costs_are_those_of_the_check() {
        let z3 = |text: &str| Meter::Z3.outcome(&said(text, RunEnd::Finished));
        assert_eq!(
            z3("(:rlimit 40)\nunsat\n(:reason-unknown \"\")\n(:rlimit 142)\n"),
            Run::Solved(Answer::Unsat, 102)
        );
        let out = "(:rlimit 1)\nunknown\n(:reason-unknown \"max. resource limit exceeded\")\n(:rlimit 9)\n";
        assert_eq!(z3(out), Run::OutOfSteps(8));
        let gave =
            "(:rlimit 1)\nunknown\n(:reason-unknown \"(incomplete quantifiers)\")\n(:rlimit 9)\n";
        assert_eq!(z3(gave), Run::GaveUp(8));
        assert_eq!(z3("(error \"line 1: x\")\n"), Run::Failed("(error \"line 1: x\")".into()));
        assert_eq!(Meter::Z3.outcome(&said("", RunEnd::TimedOut)), Run::OutOfTime);
        // An answer without its cost was not understood.
        assert!(matches!(z3("unsat\n"), Run::Failed(_)));
        let cvc5 = "unsat\n(error \"no reason\")\n(:all-statistics ((\"resource::resourceUnitsUsed\" 77) (\"x\" 1)))\n";
        assert_eq!(
            Meter::Cvc5.outcome(&said(cvc5, RunEnd::Finished)),
            Run::Solved(Answer::Unsat, 77)
        );
        let limited = "unknown\n(:reason-unknown resourceout)\n(:all-statistics ((\"resource::resourceUnitsUsed\" 5)))";
        assert_eq!(Meter::Cvc5.outcome(&said(limited, RunEnd::Finished)), Run::OutOfSteps(5));
    }

    #[test]
    fn scopes_and_limits_are_stated() {
        let text = "(set-option :timeout 9)(assert true)(push 2)(assert false)(check-sat)";
        let query = queries(text).expect("it reads").remove(0);
        let script = Meter::Z3.script(&Mutator::new(&query, 0).original(), 500, "");
        assert_eq!(
            script,
            "(set-option :rlimit 500)\n(assert true)\n(push 2)\n(assert false)\n\
             (get-info :rlimit)\n(check-sat)\n(get-info :reason-unknown)\n(get-info :rlimit)\n"
        );
    }
}
