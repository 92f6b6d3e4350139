//! The suites, registered in one table, and the commands that have a subcommand for each of them.

use crate::Outcome;
use assay_campaign::Header;
use assay_campaign::kind::profile;
use assay_campaign::settings::{Choice, Draw, Family};
use assay_target::nearest;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use std::error::Error;
use std::sync::LazyLock;

/// A suite.
pub(crate) struct Registered {
    pub(crate) name: &'static str,
    /// What it tests, in one line.
    about: &'static str,
    pub(crate) family: Family,
}

/// Every suite.
pub(crate) const SUITES: &[Registered] = &[
    constructed("strings", "Strings: SMT-LIB operations on strings"),
    constructed("regex", "Regular expressions"),
    constructed("bitvectors", "Bit-vectors"),
    constructed("arrays", "Arrays"),
    constructed("ints", "Integers"),
    constructed("reals", "Reals"),
    constructed("floats", "Floating-point numbers"),
    constructed("booleans", "Booleans"),
    constructed("uf", "Uninterpreted functions"),
    constructed("datatypes", "Algebraic datatypes"),
    constructed("sequences", "Sequences"),
    constructed("ff", "Finite fields"),
    constructed("sets", "Finite sets and relations"),
    constructed("bags", "Bags (multisets)"),
    constructed("higher-order", "Functions as values"),
    constructed("combined", "Formulas over several theories"),
    constructed("quantifiers", "Quantified formulas over finite sorts"),
    constructed("maxsmt", "MaxSMT: soft assertions and objectives with a known optimum"),
    suite(
        "grown",
        Family::Grown,
        "Random formulas over every theory, each with a model that satisfies it",
    ),
    suite(
        "rewritten",
        Family::Grown,
        "Random terms said to differ from what certified equalities make of them: unsatisfiable",
    ),
    suite(
        "horn",
        Family::Horn,
        "Constrained Horn clauses with a known invariant, or a known derivation of false",
    ),
    suite(
        "enumerate",
        Family::Enumerated,
        "All formulas up to a size over small sets of operators, variables and constants",
    ),
    over_seeds("approx", "Over --seeds: literals made weaker or stronger by certified rules"),
    over_seeds(
        "equal",
        "Over --seeds: terms replaced by equal ones, by certified rules in either direction",
    ),
    over_seeds("confine", "Over --seeds: formulas with fewer solutions, around the known one"),
    over_seeds("fusion", "Over --seeds: two formulas tied together by fused variables"),
    over_seeds("opmut", "Over --seeds: operators replaced by others of the same type"),
    over_seeds("typemut", "Over --seeds: terms replaced by others of the same type"),
    over_seeds("recombine", "Over --seeds: assertions recombined into new formulas"),
    suite("files", Family::Files, "Your own SMT-LIB files, with their declared status"),
    suite(
        "programs",
        Family::Programs,
        "C programs with a reachable or unreachable error, for analyzers",
    ),
    suite("domains", Family::Domains, "Laws of numerical abstract domains"),
    HUNT,
    suite(
        "rewrites",
        Family::Rewrites,
        "Results of simplification and tactics, compared with their terms by evaluation",
    ),
    suite("proofs", Family::Proofs, "Proofs of unsatisfiable formulas, examined step by step"),
    suite(
        "interpolants",
        Family::Synthesis,
        "Premises that imply a conjecture: solvers give an interpolant, which is checked",
    ),
    suite(
        "abducts",
        Family::Synthesis,
        "Premises that do not imply a goal: solvers give what is missing, which is checked",
    ),
    suite(
        "qe",
        Family::Synthesis,
        "Quantified formulas: solvers eliminate the quantifiers, and the results are compared",
    ),
    suite(
        "sygus",
        Family::Synthesis,
        "Functions with a specification and a known solution, for solvers that synthesize",
    ),
];

/// Every suite over formulas at once, which is also a command.
const HUNT: Registered = suite(
    "hunt",
    Family::Hunt,
    "Every suite over formulas at once, with mutants of --seeds, until --budget is used up",
);

const fn suite(name: &'static str, family: Family, about: &'static str) -> Registered {
    Registered { name, about, family }
}

const fn constructed(name: &'static str, about: &'static str) -> Registered {
    suite(name, Family::Constructed, about)
}

const fn over_seeds(name: &'static str, about: &'static str) -> Registered {
    suite(name, Family::OverSeeds, about)
}

/// The help of a family's suites.
pub(crate) struct FamilyHelp {
    /// The heading of its own flags.
    heading: &'static str,
    /// Flags for examples of `run`, each with what the example is for.
    pub(crate) run: Examples,
    /// The same for `gen`.
    pub(crate) generate: Examples,
}

/// Flags for examples, each with what the example is for.
pub(crate) type Examples = &'static [(&'static str, &'static str)];

/// The help of a family's suites.
pub(crate) fn help(family: Family) -> FamilyHelp {
    match family {
        Family::Constructed => FamilyHelp {
            heading: "Formulas",
            run: &[
                ("", "A tour of the suite on the newest z3"),
                (
                    "--sample 1000 --target z3 --target cvc5 --timeout 2s",
                    "1000 cases, sampled uniformly, on two solvers",
                ),
                ("--each 200 --target z3@build/z3 --rng 7", "Your own build on other cases"),
            ],
            generate: &[
                ("--count", "The number of cases in each category"),
                ("--sample 100 --out cases/", "100 cases as files, with index.jsonl"),
            ],
        },
        Family::OverSeeds => FamilyHelp {
            heading: "Mutants",
            run: &[
                ("--seeds formulas/ --target z3", "Mutants of your formulas, for ten minutes"),
                (
                    "--seeds formulas/ --mutants 100 --target cvc5 --timeout 1s --budget 1h",
                    "100 mutants of each formula, for at most an hour",
                ),
            ],
            generate: &[
                ("--seeds formulas/ --mutants 5 --out mutants/", "5 mutants of each formula"),
                ("--seeds formula.smt2 --limit 1", "The first mutant, on the standard output"),
            ],
        },
        Family::Files => FamilyHelp {
            heading: "Files",
            run: &[
                ("regressions/ --target z3", "Every formula of a folder, with its :status"),
                (
                    "regressions/ --target z3@build/z3 --fail-on declared",
                    "Your own build; an answer that contradicts a :status fails the command",
                ),
            ],
            generate: &[("regressions/ --count", "The number of files of each logic")],
        },
        Family::Programs => FamilyHelp {
            heading: "Programs",
            run: &[
                ("--target cbmc --sample 500", "500 programs from formulas by construction"),
                (
                    "--seeds formulas/ --target goto-analyzer:intervals --target eva",
                    "Programs from your formulas, on two analyzers",
                ),
                ("--shape maze --maze 5x5 --cycles 30", "Mazes with loops only"),
            ],
            generate: &[
                ("--limit 100 --out made/", "100 C programs with SV-COMP task files"),
                ("--seeds formulas/ --shape loop --limit 1", "One program with a loop"),
            ],
        },
        Family::Domains => FamilyHelp {
            heading: "Domains",
            run: &[
                ("--target builtin/octagon --target apron/octD", "Two octagon domains, 1m each"),
                ("--target apron/polkaMPQ --law 17 --budget 10m", "One law, for ten minutes"),
                ("--target plugin@./domain.so", "Your own domain"),
            ],
            generate: &[
                ("--limit 60 --out programs/", "60 programs that try laws"),
                ("--law 17 --variables 3", "Programs for one law, with three variables"),
            ],
        },
        Family::Grown => FamilyHelp {
            heading: "Formulas",
            run: &[
                (
                    "--target z3 --target cvc5 --timeout 500ms --budget 2m",
                    "Random formulas on two solvers, for two minutes",
                ),
                (
                    "--category arrays --depth 5 --size 20 --target z3",
                    "Smaller formulas, about arrays",
                ),
            ],
            generate: &[
                ("--limit 100 --out cases/", "100 formulas with their truth"),
                ("--category floats --limit 1", "A formula, on the standard output"),
            ],
        },
        Family::Horn => FamilyHelp {
            heading: "Systems",
            run: &[
                (
                    "--target z3 --timeout 2s --budget 10m",
                    "Systems of every theory on the newest z3, for ten minutes",
                ),
                (
                    "--category ints-linear --target z3:bmc --target z3:spacer-gpdr --limit 500",
                    "500 systems over integers, on two engines",
                ),
                (
                    "--predicates 1 --variables 2 --transitions 2 --target z3@4.8.0",
                    "Small systems, on an old version",
                ),
            ],
            generate: &[
                ("--limit 100 --out cases/", "100 systems with their invariants as witnesses"),
                ("--category lists-nonlinear --limit 1", "A system, on the standard output"),
            ],
        },
        Family::Enumerated => FamilyHelp {
            heading: "Formulas",
            run: &[
                (
                    "--theory bitvectors --size 1 --target z3 --target cvc5",
                    "Every bit-vector formula with one operator, on two solvers",
                ),
                (
                    "--theory ints --operators +,=,<,ite --size 3 --target z3 --shard 1/8",
                    "An eighth of the formulas with up to three of these operators",
                ),
                (
                    "--theory strings --target z3@4.8.7 --target z3@4.12.2 --target z3",
                    "How many formulas each of three versions gets wrong",
                ),
            ],
            generate: &[
                ("--count", "The number of formulas of each size"),
                ("--count --by-operation", "The same for each pool"),
                ("--theory uf --size 1 --out made/", "Small formulas over functions, as files"),
            ],
        },
        Family::Hunt => FamilyHelp {
            heading: "Formulas",
            run: &[
                ("--target z3 --target cvc5 --budget 8h", "Every suite on two solvers, overnight"),
                (
                    "--seeds formulas/ --target z3@build/z3 --fuzz-options",
                    "Your own build, also with mutants of your formulas and with options",
                ),
            ],
            generate: &[],
        },
        Family::Proofs => FamilyHelp {
            heading: "Formulas",
            run: &[
                ("--target z3 --budget 1m", "Proofs of z3 for a minute, each step examined"),
                (
                    "--seeds formulas/ --only-seeds --target cvc5 --target z3",
                    "Proofs of your own unsatisfiable formulas",
                ),
            ],
            generate: &[
                ("--limit 100 --out unsat/", "100 unsatisfiable formulas that ask for proofs"),
                ("--limit 1", "One of them, on the standard output"),
            ],
        },
        Family::Synthesis => FamilyHelp {
            heading: "Tasks",
            run: &[
                (
                    "--target cvc5 --target z3 --timeout 2s --budget 5m",
                    "What two solvers construct, for five minutes",
                ),
                ("--target cvc5@1.2.0 --limit 500", "500 tasks on an old version"),
            ],
            generate: &[
                ("--limit 100 --out tasks/", "100 tasks as files"),
                ("--limit 1", "One of them, on the standard output"),
            ],
        },
        Family::Rewrites => FamilyHelp {
            heading: "Terms",
            run: &[
                ("--target z3 --budget 1m", "Simplification and tactics of z3, for a minute"),
                (
                    "--category rules --each 20 --target cvc5",
                    "20 instances of rules in each theory",
                ),
            ],
            generate: &[
                ("--limit 100 --out terms/", "100 terms with the commands that solvers get"),
                ("--category rules --limit 1", "An instance of a rule, on the standard output"),
            ],
        },
    }
}

/// Whether cases of a family have numbers to choose them by.
pub(crate) fn is_numbered(family: Family) -> bool {
    profile(family.kind()).numbered
}

/// A command with a subcommand for each suite.
pub(crate) trait SuiteCommand: Sized {
    /// Its name.
    const NAME: &'static str;

    /// Why it does not take suites of a family.
    fn refusal(_family: Family) -> Option<&'static str> {
        None
    }

    /// Whether cases of a family are chosen by number.
    fn chooses(_family: Family) -> bool {
        true
    }

    /// Flags for examples in the help of a family's suites, each with what the example is for.
    fn examples(family: Family) -> Examples;

    /// Adds the flags of the command itself, apart from those of the suite.
    fn augment(family: Family, command: Command) -> Command;

    /// Reads these flags; the header names the cases.
    fn read(suite: Header, matches: &ArgMatches) -> Result<Self, clap::Error>;
}

/// A command's flags, read from the subcommand of a suite; or why there is no such subcommand.
pub(crate) struct OfSuite<C>(Result<C, String>);

impl<C> OfSuite<C> {
    /// Runs the command.
    pub(crate) fn run(
        self,
        run: impl FnOnce(&C) -> Result<Outcome, Box<dyn Error>>,
    ) -> Result<Outcome, Box<dyn Error>> {
        run(&self.0?)
    }
}

impl Registered {
    /// The subcommand of a command.
    fn subcommand<C: SuiteCommand>(&self) -> Command {
        self.augment::<C>(Command::new(self.name), &format!("{} {}", C::NAME, self.name))
    }

    /// A command with the flags of the suite, as which it is called.
    fn augment<C: SuiteCommand>(&self, mut command: Command, called: &str) -> Command {
        let family = self.family;
        command = command.next_help_heading(help(family).heading);
        command = family.augment(command).next_help_heading(None);
        if C::chooses(family) {
            command = Choice::augment_args(command);
            if family == Family::Constructed {
                command = command.mut_arg("tour", |tour| tour.conflicts_with("sample"));
            }
        }
        command = C::augment(family, Draw::augment_args(command));
        let examples = C::examples(family).iter().map(|(flags, what)| {
            let line = format!("assay {called} {flags}");
            format!("  {}\n      {what}\n", line.trim_end())
        });
        // Groups of flags describe themselves, and the last one must not describe the command.
        command
            .about(self.about)
            .long_about(None)
            .after_help(format!("Examples:\n{}", examples.collect::<String>()))
    }

    fn read<C: SuiteCommand>(&self, matches: &ArgMatches) -> Result<OfSuite<C>, clap::Error> {
        let choice = match C::chooses(self.family) {
            true => Choice::from_arg_matches(matches)?,
            false => Choice::default(),
        };
        let (settings, draw) = (self.family.settings(matches)?, Draw::from_arg_matches(matches)?);
        Ok(OfSuite(match Header::of_cases(self.name, settings, choice, draw) {
            Ok(header) => Ok(C::read(header, matches)?),
            Err(error) => Err(error.to_string()),
        }))
    }
}

impl<C: SuiteCommand> FromArgMatches for OfSuite<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<OfSuite<C>, clap::Error> {
        let (name, flags) = matches.subcommand().unwrap_or(("", matches));
        let taken: Vec<&Registered> =
            SUITES.iter().filter(|suite| C::refusal(suite.family).is_none()).collect();
        if let Some(suite) = taken.iter().find(|suite| suite.name == name) {
            return suite.read(flags);
        }
        Ok(OfSuite(Err(match SUITES.iter().find(|suite| suite.name == name) {
            Some(Registered { family, .. }) => C::refusal(*family).unwrap_or_default().to_owned(),
            None => {
                let known: Vec<&str> = taken.iter().map(|suite| suite.name).collect();
                let hint = nearest(name, known.iter().copied())
                    .map_or(String::new(), |word| format!(" (did you mean `{word}`?)"));
                format!("unknown suite `{name}`{hint}; known suites are {}", known.join(", "))
            }
        })))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = OfSuite::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<C: SuiteCommand> Subcommand for OfSuite<C> {
    fn augment_subcommands(command: Command) -> Command {
        let taken = SUITES.iter().filter(|suite| C::refusal(suite.family).is_none());
        command
            .subcommand_value_name("SUITE")
            .subcommand_help_heading("Suites")
            .disable_help_subcommand(true)
            // An unknown suite gets an error that lists the suites.
            .allow_external_subcommands(true)
            .subcommands(taken.map(Registered::subcommand::<C>))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        OfSuite::<C>::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        SUITES.iter().any(|suite| suite.name == name)
    }
}

/// The suite `hunt` as a command of its own.
pub(crate) struct Hunt(OfSuite<crate::run::Args>);

impl Hunt {
    /// Runs the suite.
    pub(crate) fn run(self) -> Result<Outcome, Box<dyn Error>> {
        self.0.run(crate::run::run)
    }
}

impl FromArgMatches for Hunt {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Hunt, clap::Error> {
        HUNT.read(matches).map(Hunt)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Hunt::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Hunt {
    fn augment_args(command: Command) -> Command {
        HUNT.augment::<crate::run::Args>(command, HUNT.name)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Hunt::augment_args(command)
    }
}

/// The suites that have a flag, in `run`.
pub(crate) fn suites_with(flag: &str) -> Vec<&'static str> {
    static COMMANDS: LazyLock<Vec<Command>> =
        LazyLock::new(|| SUITES.iter().map(Registered::subcommand::<crate::run::Args>).collect());
    let name = flag.trim_start_matches('-');
    let has = |command: &Command| command.get_arguments().any(|arg| arg.get_long() == Some(name));
    let with = SUITES.iter().zip(COMMANDS.iter()).filter(|(_, command)| has(command));
    with.map(|(suite, _)| suite.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_that_can_be_made_is_registered() {
        let of = |family| {
            let own = SUITES.iter().filter(move |suite| suite.family == family);
            own.map(|suite| suite.name).collect::<Vec<_>>()
        };
        assert_eq!(of(Family::Constructed), assay_forge::suites());
        assert_eq!(of(Family::OverSeeds), assay_mutate::SUITES);
        assert_eq!(of(Family::Files), [assay_mutate::Files::NAME]);
        assert_eq!(of(Family::Programs), [assay_program::Programs::NAME]);
        assert_eq!(of(Family::Domains), [assay_campaign::DOMAINS]);
        assert_eq!(of(Family::Rewrites), [assay_rewrite::Rewrites::NAME]);
        assert_eq!(of(Family::Grown), assay_grow::SUITES);
        assert_eq!(of(Family::Horn), [assay_horn::Horn::NAME]);
        assert_eq!(of(Family::Enumerated), [assay_grow::Enumerate::NAME]);
        assert_eq!(of(Family::Hunt), [HUNT.name]);
        assert_eq!(of(Family::Proofs), [assay_case::Proving::NAME]);
        assert_eq!(of(Family::Synthesis), assay_synthesis::Tasks::NAMES);
    }

    #[test]
    fn each_suite_has_its_own_flags() {
        assert_eq!(suites_with("--maze"), ["programs"]);
        assert_eq!(suites_with("--law"), ["domains"]);
        assert_eq!(suites_with("--pairs"), assay_mutate::SUITES);
        assert_eq!(suites_with("--timeout").len(), SUITES.len());
        assert_eq!(suites_with("--frobnicate"), [""; 0]);
    }
}
