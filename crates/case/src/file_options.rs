//! The options that a file sets: some belong to the case, the others to the run.

use crate::formula::Formula;
use assay_smtlib::{Command, Printer};

/// Options that are set by a target's file or by the limits of a campaign, or not at all because
/// they change what is printed.
const OURS: [&str; 20] = [
    ":diagnostic-output-channel",
    ":global-declarations",
    ":incremental",
    ":interactive-mode",
    ":parallel.enable",
    ":produce-assertions",
    ":produce-assignments",
    ":produce-difficulty",
    ":produce-learned-literals",
    ":produce-models",
    ":produce-proofs",
    ":produce-unsat-assumptions",
    ":produce-unsat-cores",
    ":regular-output-channel",
    ":reproducible-resource-limit",
    ":smt.core.minimize",
    ":strict-parsing",
    ":trace",
    ":unsat-cores-mode",
    ":verbosity",
];

/// Substrings of the names of such options.
const OURS_BY_PART: [&str; 14] = [
    "check-", "debug", "dump", "lang", "limit", "log", "memory", "output", "print", "proof",
    "seed", "stat", "timeout", "validate",
];

impl Formula {
    /// The commands that set the case's own options, as text.
    #[must_use]
    pub fn own_options(&self) -> Vec<String> {
        let printer = Printer::new(self.store());
        let commands = self.script().commands.iter();
        commands.filter(|command| is_own_option(command)).map(|c| printer.command(c)).collect()
    }
}

/// Whether a command sets an option that belongs to the case.
#[must_use]
pub fn is_own_option(command: &Command) -> bool {
    let Command::SetOption(option) = command else { return false };
    let keyword = option.keyword.as_str();
    !OURS.contains(&keyword) && !OURS_BY_PART.iter().any(|part| keyword.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_about_output_limits_and_seeds_are_dropped() {
        let text = "(set-option :produce-models true)(set-option :smt.arith.solver 2)\
                    (set-option :timeout 100)(set-option :print-success true)\
                    (set-option :tactic.default_tactic smt)(set-option :sat.random_seed 3)\
                    (assert true)(check-sat)";
        let formula = Formula::read(text).expect("the text is a formula");
        let kept = ["(set-option :smt.arith.solver 2)", "(set-option :tactic.default_tactic smt)"];
        assert_eq!(formula.own_options(), kept);
    }
}
