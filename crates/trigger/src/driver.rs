//! The complete analysis of a file: looks past known artefacts of its encoding, and searches for
//! every distinct core if requested.

use crate::artefacts::{KnownArtefact, artefacts};
use crate::diagnosis::{Diagnosis, Refutation, Report};
use crate::engine::{Engine, SatResult};
use crate::explain::Example;
use crate::normal::prepare;
use crate::problem::{Part, Problem};
use crate::search::Search;
use crate::strategy::{Artefacts, PatternSource, Settings};
use crate::workbench::{Effort, Instantiation, Workbench};
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// Searches for terms that make E-matching refute a file.
pub fn synthesise(problem: Problem, engine: &mut dyn Engine, settings: &Settings) -> Report {
    examined(problem, engine, settings).0
}

/// Like [`synthesise`], with an example of the first contradiction.
pub(crate) fn examined(
    problem: Problem,
    engine: &mut dyn Engine,
    settings: &Settings,
) -> (Report, Option<Example>) {
    let known = artefacts(&problem);
    let look_past = settings.artefacts == Artefacts::LookedPast && !known.is_empty();
    if look_past && settings.all {
        let now = engine.elapsed();
        let half = now + settings.budget.saturating_sub(now) / 2;
        let (report, example) = without_artefacts(&problem, &known, engine, settings, half);
        if is_refuted(&report.diagnosis) {
            return (Report { artefacts: known, ..report }, example);
        }
    }
    let (mut report, example) = contradictions(problem.clone(), engine, settings);
    name_artefacts(&mut report, known);
    let hides = match &report.diagnosis {
        Diagnosis::Refuted(all) => all.iter().all(|one| !one.through.is_empty()),
        Diagnosis::AlreadyRefuted => true,
        _ => false,
    };
    if look_past && hides && !settings.all {
        let now = engine.elapsed();
        let left = settings.budget.saturating_sub(now);
        let until = now + (left / 2).min(LOOKING.max(2 * now));
        let (other, other_example) =
            without_artefacts(&problem, &report.artefacts, engine, settings, until);
        if matches!(other.diagnosis, Diagnosis::Refuted(_)) {
            return (Report { artefacts: report.artefacts, ..other }, other_example);
        }
    }
    (report, example)
}

/// The maximum time for looking past artefacts, unless twice the time of finding them is more.
const LOOKING: Duration = Duration::from_secs(15);

fn is_refuted(diagnosis: &Diagnosis) -> bool {
    matches!(diagnosis, Diagnosis::Refuted(_) | Diagnosis::AlreadyRefuted)
}

/// The contradictions of a file without known artefacts; the terms found refute the whole file.
fn without_artefacts(
    problem: &Problem,
    known: &[KnownArtefact],
    engine: &mut dyn Engine,
    settings: &Settings,
    until: Duration,
) -> (Report, Option<Example>) {
    let parts: Vec<Part> = known.iter().map(|one| one.part).collect();
    let mut less = problem.without(&parts);
    less.validated_with(problem);
    contradictions(less, engine, &Settings { budget: until, ..settings.clone() })
}

/// Marks the refutations that need an artefact.
fn name_artefacts(report: &mut Report, known: Vec<KnownArtefact>) {
    if let Diagnosis::Refuted(all) = &mut report.diagnosis {
        for refutation in all {
            let needed = known
                .iter()
                .filter(|one| refutation.core.iter().any(|axiom| axiom.number == one.number));
            refutation.through = needed.map(|one| one.artefact.name.clone()).collect();
            refutation.through.dedup();
        }
    }
    report.artefacts = known;
}

/// The contradictions of a file: the first, or one for each distinct core.
///
/// Every other core lacks at least one assertion of each known core, so the search is repeated with
/// more and more assertions left out (Reiter's hitting sets).
fn contradictions(
    problem: Problem,
    engine: &mut dyn Engine,
    settings: &Settings,
) -> (Report, Option<Example>) {
    if !settings.all {
        return searched(problem, engine, settings);
    }
    let (mut report, example) = searched(problem.clone(), engine, settings);
    let Diagnosis::Refuted(found) = &mut report.diagnosis else { return (report, example) };
    let mut seen: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
    let mut waiting: VecDeque<BTreeSet<usize>> = VecDeque::from([BTreeSet::new()]);
    while let Some(left_out) = waiting.pop_front() {
        if left_out.len() > MOST_LEFT_OUT || engine.elapsed() >= settings.budget {
            continue;
        }
        let known = found.iter().map(core_of).find(|core| core.is_disjoint(&left_out));
        let core = match known {
            Some(core) => core,
            None => {
                let number = |at: usize| problem.facts[at].number;
                let parts: Vec<Part> = (0..problem.facts.len())
                    .filter(|&at| left_out.contains(&number(at)))
                    .map(|fact| Part { fact, conjunct: None })
                    .collect();
                let mut less = problem.without(&parts);
                less.validated_with(&problem);
                let now = engine.elapsed();
                let third = now + settings.budget.saturating_sub(now) / 3;
                let settings = Settings { budget: third, ..settings.clone() };
                let (other, _) = searched(less, engine, &settings);
                let Diagnosis::Refuted(more) = other.diagnosis else { continue };
                let core = more.first().map(core_of).unwrap_or_default();
                found.extend(more);
                core
            }
        };
        for axiom in core {
            let mut more = left_out.clone();
            more.insert(axiom);
            if seen.insert(more.clone()) {
                waiting.push_back(more);
            }
        }
    }
    (report, example)
}

/// The maximum number of assertions that are left out to find other cores.
const MOST_LEFT_OUT: usize = 4;

fn core_of(refutation: &Refutation) -> BTreeSet<usize> {
    refutation.core.iter().map(|axiom| axiom.number).collect()
}

/// A single search.
fn searched(
    mut problem: Problem,
    engine: &mut dyn Engine,
    settings: &Settings,
) -> (Report, Option<Example>) {
    let quantified = problem.has_quantifiers();
    let mut walks = settings.walks(engine);
    let form = match prepare(&mut problem, &mut walks) {
        Ok(form) => form,
        Err(error) => return (Report::of(settings.unprepared(error)), None),
    };
    let mut bench = Workbench::new(problem, form, engine, settings, walks);
    bench.check_options();
    if settings.patterns == PatternSource::Solver {
        bench.ask_patterns();
    }
    let plain = bench.plain(Effort::SMALL);
    let diagnosis = match plain {
        SatResult::Unsat => Diagnosis::AlreadyRefuted,
        SatResult::Sat => Diagnosis::Sat(bench.evidence(Instantiation::Ematching)),
        SatResult::Failed if !bench.clashes.is_empty() && !still_clash(&bench) => {
            let names = std::mem::take(&mut bench.clashes);
            let renamed = bench.problem.renamed(&names);
            drop(bench);
            return match renamed {
                Ok(renamed) => searched(renamed, engine, settings),
                Err(error) => (Report::of(Diagnosis::GaveUp(error.to_string())), None),
            };
        }
        SatResult::Failed => {
            let why = bench.refusal.as_deref().unwrap_or("it ends without an answer");
            let who = bench.engine.name();
            Diagnosis::GaveUp(format!("{who} does not accept the file: {why}"))
        }
        SatResult::Unknown | SatResult::Diverged if !quantified => Diagnosis::GaveUp(
            "there are no quantifiers, so there is nothing for a term to trigger".into(),
        ),
        SatResult::Unknown | SatResult::Diverged => {
            let mut search = Search::new(bench, settings, plain);
            let diagnosis = search.run();
            let refuted_by = search.refuted_by.take();
            let report = Report { diagnosis, artefacts: Vec::new(), refuted_by };
            return (report, search.example.take());
        }
    };
    (Report::of(diagnosis), None)
}

/// Whether the functions that the solver has built in still clash after renaming.
fn still_clash(bench: &Workbench<'_>) -> bool {
    bench.clashes.iter().any(|name| name.contains("!own"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::Way;
    use crate::engine::{RunEnd, Said};
    use crate::strategy::Tuning;

    /// A solver whose answer depends only on the script; a query takes a millisecond.
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
            tuning: Tuning::default(),
            artefacts: Artefacts::default(),
        };
        synthesise(problem, &mut engine, &settings).diagnosis
    }

    #[test]
    fn the_answer_for_the_unchanged_file_decides_first() {
        assert_eq!(diagnosis(FILE, |_| "unsat\n"), Diagnosis::AlreadyRefuted);
        assert_eq!(diagnosis(FILE, |_| "sat\n").name(), "sat");
        assert_eq!(diagnosis(FILE, |_| "(error \"no\")\n").name(), "gave-up");
        let ground = diagnosis("(declare-const a Int)(assert (> (* a a) 2))", |_| "unknown\n");
        assert_eq!(ground.name(), "gave-up");
    }

    #[test]
    fn a_failed_search_lists_what_it_tried() {
        let Diagnosis::GaveUp(tried) = diagnosis(FILE, |_| "unknown\n") else {
            panic!("nothing was found");
        };
        assert!(tried.contains("enumeration") && tried.contains("C4"), "{tried}");
        let (Diagnosis::GaveUp(tried) | Diagnosis::Timeout(tried)) =
            diagnosis(FILE, |_| "timeout\n")
        else {
            panic!("nothing was found");
        };
        assert!(tried.contains("did not end"), "{tried}");
    }

    #[test]
    fn terms_are_minimal_and_stand_in_the_file() {
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
    fn a_refutation_that_a_fresh_run_does_not_confirm_is_dropped() {
        // Refuted only while the solver has a limit, which is not in the user's file.
        let answer = |script: &str| {
            let tried = script.contains("rlimit") && script.contains("(assert (dummy");
            if tried { "unsat\n" } else { "unknown\n" }
        };
        assert_eq!(diagnosis(FILE, answer).name(), "gave-up");
    }
}
