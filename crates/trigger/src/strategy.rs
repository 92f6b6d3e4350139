//! One strategy for all files: cheap ways first, each with ever more effort, under one budget.

use crate::engine::{Engine, Verdict};
use crate::enumerate::{self, Level};
use crate::examples;
use crate::explain::{self, Example};
use crate::local::{self, Parts};
use crate::minimise::minimised;
use crate::normal::prepare;
use crate::outcome::{Outcome, Refutation, Way};
use crate::problem::Problem;
use crate::suggest;
use crate::synthesis::{Parameters, Synthesis};
use crate::unify::Reach;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::TermId;
use rustc_hash::FxHashSet;
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
}

/// Terms and the effort in which they suffice.
pub(crate) type Sufficient = (Vec<TermId>, Effort);

/// Candidates are validated together in batches of this size.
const BATCH: usize = 64;

/// Looks for terms that make E-matching refute a file.
pub fn synthesise(problem: Problem, engine: &mut dyn Engine, settings: &Settings) -> Outcome {
    let mut problem = problem;
    let quantified = problem.has_quantifiers();
    let form = match prepare(&mut problem) {
        Ok(form) => form,
        Err(error) => return Outcome::GaveUp(error.to_string()),
    };
    let mut bench = Workbench::new(problem, form, engine, settings.budget, settings.rng);
    bench.check_options();
    let plain = bench.plain(Effort::MEDIUM);
    match plain {
        Verdict::Unsat => return Outcome::AlreadyRefuted,
        Verdict::Sat => return Outcome::Sat(format!("{} finds a model", bench.engine.name())),
        Verdict::Failed => {
            let why = bench.refusal.as_deref().unwrap_or("it ends without an answer");
            let who = bench.engine.name();
            return Outcome::GaveUp(format!("{who} does not accept the file: {why}"));
        }
        Verdict::Unknown | Verdict::Diverged if !quantified => {
            return Outcome::GaveUp(
                "there are no quantifiers, so there is nothing for a term to trigger".into(),
            );
        }
        Verdict::Unknown | Verdict::Diverged => {}
    }
    Search::new(bench, settings, plain).run()
}

/// The search through all ways.
pub(crate) struct Search<'e, 's> {
    bench: Workbench<'e>,
    settings: &'s Settings,
    /// What E-matching says about the file as it is.
    plain: Verdict,
    found: Vec<Refutation>,
    tried: Vec<String>,
    /// The terms of the latest enumeration, by quantifier.
    groups: Vec<Vec<TermId>>,
    /// Whether these make the solver diverge.
    diverging: bool,
    /// Candidates that were validated.
    candidates: FxHashSet<Vec<TermId>>,
    /// Why the first refutation holds.
    pub(crate) example: Option<Example>,
}

/// What a step of the search came to.
enum Step {
    /// Go on.
    On,
    /// Stop with what there is.
    Stop,
    /// The file is satisfiable.
    Sat(String),
}

/// A step of the search.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Simple terms in all patterns.
    Enumerate(Level),
    /// The terms of the latest enumeration in batches.
    Batches,
    /// A refutation of the whole file by models.
    Prove(Effort),
    /// Refutations of small parts.
    Local(Parts),
    /// Models of clusters: which configuration, from which similarity on, how many formulas.
    Cluster(Way, usize, usize),
}

const fn local(neighbours: usize, how: Instantiation) -> Stage {
    Stage::Local(Parts { neighbours, how })
}

/// All ways, the cheapest first, each again with more effort.
const PORTFOLIO: [Stage; 21] = [
    Stage::Enumerate(Level::Simple),
    Stage::Prove(Effort(500_000)),
    Stage::Enumerate(Level::Constants),
    local(0, Instantiation::Ematching),
    Stage::Batches,
    Stage::Cluster(Way::C0, 30, 4),
    Stage::Enumerate(Level::Applications),
    Stage::Prove(Effort::SMALL),
    local(5, Instantiation::Ematching),
    local(3, Instantiation::Models),
    Stage::Cluster(Way::C0, 30, 30),
    Stage::Cluster(Way::C3, 20, 30),
    Stage::Prove(Effort::MEDIUM),
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
    fn way(self) -> Way {
        match self {
            Stage::Enumerate(_) | Stage::Batches => Way::Enumeration,
            Stage::Prove(_) => Way::Proof,
            Stage::Local(parts) if parts.how == Instantiation::Models => Way::Proof,
            Stage::Local(_) => Way::Enumeration,
            Stage::Cluster(way, ..) => way,
        }
    }

    /// The stages of one way; those of a configuration lower the similarity round by round.
    fn of(way: Way) -> Vec<Stage> {
        let rounds: &[usize] = match way {
            Way::Enumeration | Way::Proof => {
                return PORTFOLIO.into_iter().filter(|stage| stage.way() == way).collect();
            }
            Way::C0 | Way::C2 | Way::C3 => &[30, 20, 10, 0],
            Way::C1 | Way::C4 => &[10, 0],
        };
        rounds.iter().map(|&similarity| Stage::Cluster(way, similarity, 100)).collect()
    }
}

impl<'e, 's> Search<'e, 's> {
    pub(crate) fn new(
        bench: Workbench<'e>,
        settings: &'s Settings,
        plain: Verdict,
    ) -> Search<'e, 's> {
        Search {
            bench,
            settings,
            plain,
            found: Vec::new(),
            tried: Vec::new(),
            groups: Vec::new(),
            diverging: false,
            candidates: FxHashSet::default(),
            example: None,
        }
    }

    pub(crate) fn run(&mut self) -> Outcome {
        let stages = match self.settings.only {
            Some(way) => Stage::of(way),
            None => PORTFOLIO.to_vec(),
        };
        for stage in stages {
            if self.bench.is_over() {
                return self.ended(true);
            }
            match self.step(stage) {
                Step::On => {}
                Step::Stop => return self.ended(false),
                Step::Sat(why) => return Outcome::Sat(why),
            }
        }
        let over = self.bench.is_over();
        self.ended(over)
    }

    fn ended(&mut self, over: bool) -> Outcome {
        if !self.found.is_empty() {
            return Outcome::Refuted(std::mem::take(&mut self.found));
        }
        let mut tried = std::mem::take(&mut self.tried);
        if self.plain == Verdict::Diverged {
            tried.insert(0, "E-matching does not end on the file as it is".into());
        }
        if !self.bench.looping.is_empty() {
            tried.push(format!("{} terms began matching loops", self.bench.looping.len()));
        }
        let tried = tried.join("; ");
        if over { Outcome::Timeout(tried) } else { Outcome::GaveUp(tried) }
    }

    fn step(&mut self, stage: Stage) -> Step {
        match stage {
            Stage::Enumerate(level) => self.enumeration(level),
            Stage::Batches => self.batches(),
            Stage::Prove(effort) => self.proof(effort),
            Stage::Local(parts) => self.local(parts),
            Stage::Cluster(way, similarity, formulas) => self.clusters(way, similarity, formulas),
        }
    }

    /// Simple terms in all patterns.
    fn enumeration(&mut self, level: Level) -> Step {
        let groups = enumerate::instances(&mut self.bench, level);
        let terms: Vec<TermId> = groups.concat();
        self.tried.push(format!("{} terms by enumeration", terms.len()));
        let step = match self.bench.ematching(&terms, Effort::SMALL) {
            Verdict::Unsat => self.success((terms, Effort::SMALL), Way::Enumeration),
            answer => {
                self.diverging = answer == Verdict::Diverged;
                Step::On
            }
        };
        self.groups = groups;
        step
    }

    /// Parts of the file that contradict themselves.
    fn local(&mut self, parts: Parts) -> Step {
        let groups = std::mem::take(&mut self.groups);
        let mut avoid = FxHashSet::default();
        let mut step = Step::On;
        let needs_terms = parts.how == Instantiation::Ematching;
        if !(needs_terms && groups.is_empty()) {
            let budget = self.shortened();
            let found = local::refuted_part(&mut self.bench, parts, &groups, &mut avoid);
            self.bench.budget = budget;
            self.tried.push(format!("{} parts of the file", avoid.len()));
            if let Some(found) = found {
                step = self.success(found, Stage::Local(parts).way());
            }
        }
        self.groups = groups;
        step
    }

    /// Gives a stage a third of the time that is left; the budget before is given back.
    fn shortened(&mut self) -> Duration {
        let whole = self.bench.budget;
        if self.settings.only.is_none() {
            self.bench.budget = self.bench.engine.elapsed() + self.bench.left() / 3;
        }
        whole
    }

    /// Models of clusters of similar formulas.
    fn clusters(&mut self, way: Way, similarity: usize, formulas: usize) -> Step {
        let parameters = Parameters {
            similarity,
            depth: if formulas < 10 { 1 } else { 2 },
            models: 4,
            types: way == Way::C3,
            reach: if way == Way::C4 { Reach::Parts } else { Reach::Outermost },
            copies: if formulas < 10 { 1 } else { 2 },
            formulas,
        };
        let budget = self.shortened();
        let batch = if way == Way::C2 { 1 } else { BATCH };
        let found = self.searched(parameters, batch);
        self.bench.budget = budget;
        self.tried.push(format!("clusters of similarity {similarity} % ({way})"));
        match found {
            Some(found) => self.success(found, way),
            None => Step::On,
        }
    }

    fn searched(&mut self, parameters: Parameters, batch: usize) -> Option<Sufficient> {
        let mut synthesis = Synthesis::new(&self.bench, parameters);
        let mut waiting: Vec<Vec<TermId>> = Vec::new();
        loop {
            let more = synthesis.next(&mut self.bench);
            let done = more.is_none() || self.bench.is_over();
            for candidate in more.into_iter().flatten() {
                if self.candidates.insert(candidate.clone()) {
                    waiting.push(candidate);
                }
            }
            while waiting.len() >= batch || (done && !waiting.is_empty()) {
                let now: Vec<Vec<TermId>> = waiting.drain(..batch.min(waiting.len())).collect();
                if self.bench.is_over() {
                    return None;
                }
                if let Some(found) = self.validated(&now) {
                    return Some(found);
                }
            }
            if done {
                return None;
            }
        }
    }

    /// Whether candidates suffice together; halves where they begin a matching loop.
    fn validated(&mut self, candidates: &[Vec<TermId>]) -> Option<Sufficient> {
        let effort = Effort(1_000_000);
        let mut work = vec![candidates.to_vec()];
        while let Some(now) = work.pop() {
            let mut terms: Vec<TermId> = now.concat();
            terms.retain(|term| !self.bench.looping.contains(term));
            terms.sort_unstable();
            terms.dedup();
            if terms.is_empty() || self.bench.is_over() {
                continue;
            }
            match self.bench.ematching(&terms, effort) {
                Verdict::Unsat => return Some((terms, effort)),
                Verdict::Diverged if self.plain == Verdict::Diverged => {}
                Verdict::Diverged if now.len() > candidates.len() / 4 && now.len() > 1 => {
                    let (left, right) = now.split_at(now.len() / 2);
                    work.push(right.to_vec());
                    work.push(left.to_vec());
                }
                Verdict::Diverged => self.bench.looping.extend(terms),
                _ => {}
            }
        }
        None
    }

    /// The terms of the latest enumeration in batches, where together they make the solver diverge.
    fn batches(&mut self) -> Step {
        if !self.diverging {
            return Step::On;
        }
        let terms = self.groups.concat();
        let budget = self.shortened();
        let found = self.sufficient_batch(&terms);
        self.bench.budget = budget;
        match found {
            Some(found) => self.success(found, Way::Enumeration),
            None => Step::On,
        }
    }

    fn sufficient_batch(&mut self, terms: &[TermId]) -> Option<Sufficient> {
        let effort = Effort(1_000_000);
        for batch in terms.chunks(BATCH) {
            let batch: Vec<TermId> =
                batch.iter().copied().filter(|term| !self.bench.looping.contains(term)).collect();
            if self.bench.is_over() {
                return None;
            }
            match self.bench.ematching(&batch, effort) {
                Verdict::Unsat => return Some((batch, effort)),
                Verdict::Diverged if self.plain != Verdict::Diverged => {
                    self.bench.looping.extend(batch);
                }
                _ => {}
            }
        }
        None
    }

    /// Instances of a refutation by models.
    fn proof(&mut self, effort: Effort) -> Step {
        let all: Vec<usize> = (0..self.bench.form.statements.len()).collect();
        match examples::from_models(&mut self.bench, &all, effort) {
            Ok(Some(found)) => return self.success(found, Way::Proof),
            Ok(None) => self.tried.push("a proof whose terms do not suffice".into()),
            Err(Verdict::Sat) => {
                let who = self.bench.engine.name();
                return Step::Sat(format!("{who} finds a model by instantiation with models"));
            }
            Err(_) => self.tried.push("a refutation by models".into()),
        }
        Step::On
    }

    /// Minimises terms, validates them in a process of its own, and keeps them.
    fn success(&mut self, (terms, effort): Sufficient, way: Way) -> Step {
        let now = self.bench.engine.elapsed();
        let deadline = now + (self.bench.left() / 2).min(Duration::from_secs(40));
        let terms = minimised(&mut self.bench, terms, effort, deadline);
        let minimal = self.bench.engine.elapsed() < deadline;
        let file = format!("{}(check-sat)\n", self.bench.with_terms(&terms));
        let limit = self.bench.left().max(Duration::from_secs(1));
        if self.bench.engine.run(&file, limit).verdict() != Verdict::Unsat {
            self.tried.push(format!("{} terms that did not validate", terms.len()));
            return Step::On;
        }
        let elapsed = self.bench.engine.elapsed();
        let example = explain::example_with(&mut self.bench, &terms);
        let axioms = example.as_ref().map(Example::axioms).unwrap_or_default();
        let suggestions = if self.settings.suggest {
            suggest::suggestions(&mut self.bench, &terms, example.as_ref())
        } else {
            Vec::new()
        };
        self.example = self.example.take().or(example);
        let terms = terms.iter().map(|&term| self.bench.problem.show(term)).collect();
        let refutation = Refutation { terms, axioms, suggestions, file, way, minimal, elapsed };
        if !self.found.iter().any(|known| known.terms == refutation.terms) {
            self.found.push(refutation);
        }
        if self.settings.all { Step::On } else { Step::Stop }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{End, Said};

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
            Said { text: (self.answer)(script).into(), end: End::Finished }
        }

        fn ask(&mut self, script: &str, limit: Duration) -> Said {
            self.run(script, limit)
        }
    }

    const FILE: &str = "(declare-fun f (Int) Int)(declare-fun g (Int) Int)
        (assert (forall ((x Int)) (! (> (f x) 7) :pattern ((f x)))))
        (assert (forall ((x Int)) (! (= (g x) 6) :pattern ((g x)))))";

    fn outcome(text: &str, answer: fn(&str) -> &'static str) -> Outcome {
        let problem = Problem::read(text).expect("it is well formed");
        let mut engine = Scripted { answer, questions: 0 };
        let settings = Settings {
            budget: Duration::from_secs(60),
            rng: 0,
            only: None,
            all: false,
            suggest: false,
        };
        synthesise(problem, &mut engine, &settings)
    }

    #[test]
    fn what_the_solver_says_about_the_file_itself_comes_first() {
        assert_eq!(outcome(FILE, |_| "unsat\n"), Outcome::AlreadyRefuted);
        assert_eq!(outcome(FILE, |_| "sat\n").name(), "sat");
        assert_eq!(outcome(FILE, |_| "(error \"no\")\n").name(), "gave-up");
        let ground = outcome("(declare-const a Int)(assert (> (* a a) 2))", |_| "unknown\n");
        assert_eq!(ground.name(), "gave-up");
    }

    #[test]
    fn without_a_refutation_the_search_ends_and_says_what_it_tried() {
        let Outcome::GaveUp(tried) = outcome(FILE, |_| "unknown\n") else {
            panic!("nothing was found");
        };
        assert!(tried.contains("enumeration") && tried.contains("C4"), "{tried}");
        let (Outcome::GaveUp(tried) | Outcome::Timeout(tried)) = outcome(FILE, |_| "timeout\n")
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
        let Outcome::Refuted(found) = outcome(FILE, answer) else { panic!("the terms are simple") };
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
        assert_eq!(outcome(FILE, answer).name(), "gave-up");
    }
}
