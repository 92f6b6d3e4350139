//! One strategy for all files: cheap ways first, each with ever more effort, under one budget.

use crate::diagnosis::{Diagnosis, Way};
use crate::engine::{Engine, SatResult};
use crate::local::Parts;
use crate::normal::{PrepareError, prepare};
use crate::pool::Level;
use crate::problem::Problem;
use crate::search::Search;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::{Budget, Exhausted, TermId};
use std::time::Duration;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The time for one file.
    pub budget: Duration,
    /// Seeds all choices.
    pub rng: u64,
    /// The only way to be tried; none for all of them.
    pub only: Option<Way>,
    /// Whether to go on after the first refutation.
    pub all: bool,
    /// Whether to look for weaker patterns.
    pub suggest: bool,
    /// Who infers patterns where the file gives none.
    pub patterns: PatternSource,
}

/// The cells that terms of one walk may take: about 256 MiB.
const SPACE: u64 = 32 << 20;

impl Settings {
    /// What our own walks over the file's terms may cost, from now on.
    pub(crate) fn walks(&self, engine: &dyn Engine) -> Budget {
        Budget::new(u64::MAX, SPACE).within(self.budget.saturating_sub(engine.elapsed()))
    }

    /// What comes of a file that cannot be prepared.
    pub(crate) fn unprepared(&self, error: PrepareError) -> Diagnosis {
        match error {
            PrepareError::Limit { limit: Exhausted::Time, doing } => {
                Diagnosis::Timeout(format!("time limit of {:?} reached while {doing}", self.budget))
            }
            PrepareError::Limit { limit: Exhausted::Space, doing } => Diagnosis::GaveUp(format!(
                "memory limit of {} MiB reached while {doing}",
                (SPACE * 8) >> 20
            )),
            error => Diagnosis::GaveUp(error.to_string()),
        }
    }
}

/// Who infers patterns.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PatternSource {
    /// We do.
    #[default]
    Ours,
    /// The solver does.
    Solver,
}

/// Terms with which E-matching refutes the file.
pub(crate) struct Sufficient {
    pub(crate) terms: Vec<TermId>,
    /// The effort in which they suffice.
    pub(crate) effort: Effort,
}

/// Looks for terms that make E-matching refute a file.
pub fn synthesise(problem: Problem, engine: &mut dyn Engine, settings: &Settings) -> Diagnosis {
    let mut problem = problem;
    let quantified = problem.has_quantifiers();
    let mut walks = settings.walks(engine);
    let form = match prepare(&mut problem, &mut walks) {
        Ok(form) => form,
        Err(error) => return settings.unprepared(error),
    };
    let mut bench = Workbench::new(problem, form, engine, settings, walks);
    bench.check_options();
    if settings.patterns == PatternSource::Solver {
        bench.ask_patterns();
    }
    let plain = bench.plain(Effort::SMALL);
    match plain {
        SatResult::Unsat => return Diagnosis::AlreadyRefuted,
        SatResult::Sat => return Diagnosis::Sat(bench.evidence(Instantiation::Ematching)),
        SatResult::Failed if !bench.clashes.is_empty() && !clash_again(&bench) => {
            let names = std::mem::take(&mut bench.clashes);
            let renamed = bench.problem.renamed(&names);
            drop(bench);
            return match renamed {
                Ok(renamed) => synthesise(renamed, engine, settings),
                Err(error) => Diagnosis::GaveUp(error.to_string()),
            };
        }
        SatResult::Failed => {
            let why = bench.refusal.as_deref().unwrap_or("it ends without an answer");
            let who = bench.engine.name();
            return Diagnosis::GaveUp(format!("{who} does not accept the file: {why}"));
        }
        SatResult::Unknown | SatResult::Diverged if !quantified => {
            return Diagnosis::GaveUp(
                "there are no quantifiers, so there is nothing for a term to trigger".into(),
            );
        }
        SatResult::Unknown | SatResult::Diverged => {}
    }
    Search::new(bench, settings, plain).run()
}

/// Whether the functions that the solver has built in still clash under their new names.
fn clash_again(bench: &Workbench<'_>) -> bool {
    bench.clashes.iter().any(|name| name.contains("!own"))
}

/// A step of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    /// The file as it is, where that did not end before.
    Plain(Effort),
    /// Patterns with at most so many variables over the pool of a level.
    Enumerate(Level, usize, Effort),
    /// Patterns with at most so many variables over each of many small pools.
    Pools(Small, usize),
    /// All patterns over deep terms.
    Spines,
    /// A refutation of the whole file by models.
    Prove(Effort),
    /// A refutation of the whole file by cvc5.
    Cvc5(Effort),
    /// Refutations of small parts.
    Local(Parts),
    /// Models of clusters: which configuration, from which similarity on, how many formulas.
    Cluster(Way, usize, usize),
}

/// What small pools have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Small {
    /// A few of the file's constants.
    Constants,
    /// The values of one function.
    Functions,
}

const fn local(neighbours: usize, how: Instantiation) -> Stage {
    Stage::Local(Parts { neighbours, how })
}

/// Patterns with any number of variables.
const ANY: usize = usize::MAX;

/// All ways, the cheapest first, each again with more effort.
const PORTFOLIO: [Stage; 36] = [
    Stage::Enumerate(Level::Constants, 1, Effort(1_000_000)),
    Stage::Enumerate(Level::Simple, ANY, Effort::SMALL),
    Stage::Prove(Effort(500_000)),
    Stage::Enumerate(Level::Constants, 1, Effort::SMALL),
    Stage::Enumerate(Level::Constants, 2, Effort::SMALL),
    Stage::Enumerate(Level::Constants, ANY, Effort::SMALL),
    Stage::Cvc5(Effort(500_000)),
    local(0, Instantiation::Ematching),
    Stage::Cluster(Way::C0, 30, 4),
    Stage::Pools(Small::Functions, 1),
    Stage::Cvc5(Effort::SMALL),
    Stage::Prove(Effort::SMALL),
    Stage::Spines,
    Stage::Enumerate(Level::Simple, ANY, Effort::MEDIUM),
    Stage::Enumerate(Level::Constants, 1, Effort::MEDIUM),
    Stage::Enumerate(Level::Constants, ANY, Effort::MEDIUM),
    Stage::Pools(Small::Constants, 1),
    Stage::Pools(Small::Functions, ANY),
    Stage::Pools(Small::Constants, ANY),
    Stage::Enumerate(Level::Applications, 1, Effort::SMALL),
    Stage::Enumerate(Level::Applications, ANY, Effort::SMALL),
    local(5, Instantiation::Ematching),
    local(3, Instantiation::Models),
    Stage::Cluster(Way::C0, 30, 30),
    Stage::Cluster(Way::C3, 20, 30),
    Stage::Cvc5(Effort::MEDIUM),
    Stage::Prove(Effort::MEDIUM),
    Stage::Plain(Effort::MEDIUM),
    Stage::Cluster(Way::C4, 10, 30),
    local(10, Instantiation::Models),
    Stage::Cluster(Way::C0, 10, 100),
    Stage::Prove(Effort::LARGE),
    Stage::Cluster(Way::C1, 10, 100),
    Stage::Cluster(Way::C3, 10, 100),
    Stage::Cluster(Way::C4, 0, 100),
    Stage::Cluster(Way::C2, 10, 100),
];

impl Stage {
    pub(crate) fn way(self) -> Way {
        match self {
            Stage::Plain(_) | Stage::Enumerate(..) | Stage::Pools(..) | Stage::Spines => {
                Way::Enumeration
            }
            Stage::Prove(_) => Way::Proof,
            Stage::Cvc5(_) => Way::Cvc5,
            Stage::Local(parts) if parts.how == Instantiation::Models => Way::Proof,
            Stage::Local(_) => Way::Enumeration,
            Stage::Cluster(way, ..) => way,
        }
    }

    /// All stages, or those of one way; a configuration lowers the similarity round by round.
    pub(crate) fn of(only: Option<Way>) -> Vec<Stage> {
        let Some(way) = only else { return PORTFOLIO.to_vec() };
        let rounds: &[usize] = match way {
            Way::Enumeration | Way::Proof | Way::Cvc5 => {
                return PORTFOLIO.into_iter().filter(|stage| stage.way() == way).collect();
            }
            Way::C0 | Way::C2 | Way::C3 => &[30, 20, 10, 0],
            Way::C1 | Way::C4 => &[10, 0],
        };
        rounds.iter().map(|&similarity| Stage::Cluster(way, similarity, 100)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{RunEnd, Said};

    /// A solver whose answer is decided by the script alone; a question takes a millisecond.
    struct Scripted {
        answer: fn(&str) -> &'static str,
        questions: u64,
    }

    impl Engine for Scripted {
        fn name(&self) -> &str {
            "scripted"
        }

        fn elapsed(&self) -> Duration {
            Duration::from_millis(self.questions)
        }

        fn run(&mut self, script: &str, _: Duration) -> Said {
            self.questions += 1;
            Said { text: (self.answer)(script).into(), log: String::new(), end: RunEnd::Finished }
        }

        fn ask(&mut self, script: &str, limit: Duration) -> Said {
            self.run(script, limit)
        }
    }

    const FILE: &str = "(declare-fun f (Int) Int)(declare-fun g (Int) Int)
        (assert (forall ((x Int)) (! (> (f x) 7) :pattern ((f x)))))
        (assert (forall ((x Int)) (! (= (g x) 6) :pattern ((g x)))))";

    fn diagnosis(text: &str, answer: fn(&str) -> &'static str) -> Diagnosis {
        let problem = Problem::read(text).expect("it is well formed");
        let mut engine = Scripted { answer, questions: 0 };
        let settings = Settings {
            budget: Duration::from_secs(60),
            rng: 0,
            only: None,
            all: false,
            suggest: false,
            patterns: PatternSource::Ours,
        };
        synthesise(problem, &mut engine, &settings)
    }

    #[test]
    fn what_the_solver_says_about_the_file_itself_comes_first() {
        assert_eq!(diagnosis(FILE, |_| "unsat\n"), Diagnosis::AlreadyRefuted);
        assert_eq!(diagnosis(FILE, |_| "sat\n").name(), "sat");
        assert_eq!(diagnosis(FILE, |_| "(error \"no\")\n").name(), "gave-up");
        let ground = diagnosis("(declare-const a Int)(assert (> (* a a) 2))", |_| "unknown\n");
        assert_eq!(ground.name(), "gave-up");
    }

    #[test]
    fn without_a_refutation_the_search_ends_and_says_what_it_tried() {
        let Diagnosis::GaveUp(tried) = diagnosis(FILE, |_| "unknown\n") else {
            panic!("nothing was found");
        };
        assert!(tried.contains("enumeration") && tried.contains("C4"), "{tried}");
        let (Diagnosis::GaveUp(tried) | Diagnosis::Timeout(tried)) =
            diagnosis(FILE, |_| "timeout\n")
        else {
            panic!("nothing was found");
        };
        assert!(tried.contains("does not end"), "{tried}");
    }

    #[test]
    fn terms_are_minimal_and_the_file_is_what_was_validated() {
        let answer = |script: &str| {
            let both = script.contains("(f 1)))") && script.contains("(g (- 1))))");
            if both { "unsat\n" } else { "unknown\n" }
        };
        let Diagnosis::Refuted(found) = diagnosis(FILE, answer) else {
            panic!("the terms are simple")
        };
        assert_eq!(found[0].terms, ["(f 1)", "(g (- 1))"]);
        assert_eq!(found[0].way, Way::Enumeration);
        assert!(found[0].minimal && found[0].file.contains("(assert (dummy (f 1)))"));
    }

    #[test]
    fn what_a_run_of_its_own_does_not_confirm_is_not_a_refutation() {
        // Refuted as long as the solver is told a limit, which the file for the user has not.
        let answer = |script: &str| {
            let tried = script.contains("rlimit") && script.contains("(assert (dummy");
            if tried { "unsat\n" } else { "unknown\n" }
        };
        assert_eq!(diagnosis(FILE, answer).name(), "gave-up");
    }
}
