//! The search through all ways, one stage after the other; what one stage learns, the next ones
//! know: what was tried, which terms begin matching loops, which formulas have no model.

use crate::diagnosis::{Diagnosis, Refutation, Way};
use crate::engine::SatResult;
use crate::enumerate::{self, Limit};
use crate::examples;
use crate::explain::{self, Example};
use crate::local::{self, Parts};
use crate::minimise::minimised;
use crate::pool::{self, Level};
use crate::spine;
use crate::strategy::{Settings, Small, Stage, Sufficient};
use crate::suggest;
use crate::synthesis::{Parameters, Synthesis};
use crate::unify::Reach;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::TermId;
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Candidates are validated together in batches of this size.
const BATCH: usize = 64;

/// For one of very many tries on the whole file.
const QUICK: Effort = Effort(600_000);

/// Of one pattern, so many instances are made over a small pool.
const FEW: usize = 16;

/// Minimising takes at most this long.
const MINIMISING: Duration = Duration::from_secs(40);

/// More terms than this are no answer yet, where they may be too many and there is time left: other
/// ways may find fewer.
const MANY: usize = 8;

/// What is left for the end, to show many terms all the same.
const RESERVE: Duration = Duration::from_secs(20);

/// The search through all ways.
pub(crate) struct Search<'e, 's> {
    bench: Workbench<'e>,
    settings: &'s Settings,
    /// What E-matching says about the file as it is.
    plain: SatResult,
    found: Vec<Refutation>,
    /// Terms that suffice, but are so many that fewer are worth looking for.
    many: Option<(Vec<TermId>, Way)>,
    tried: Vec<String>,
    /// The terms of the latest enumeration, by quantifier.
    groups: Vec<Vec<TermId>>,
    /// Enumerations that were tried to the end: more effort changes nothing.
    settled: Vec<Enumerated>,
    /// Quantifiers that ran away when terms were tried.
    runaways: Vec<usize>,
    /// Candidates that were validated.
    candidates: FxHashSet<Vec<TermId>>,
    /// Formulas that have no model.
    refuted: Vec<Vec<TermId>>,
    /// Terms of refutations that were found: others are alternatives.
    spent: FxHashSet<TermId>,
    /// Why the first refutation holds.
    pub(crate) example: Option<Example>,
}

/// Which terms are enumerated.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Enumerated {
    level: Level,
    /// For patterns with at most so many variables.
    variables: usize,
}

/// What a stage of the search came to.
enum Progress {
    /// Go on.
    On,
    /// Stop with what there is.
    Stop,
    /// The diagnosis is known.
    Ends(Diagnosis),
}

impl<'e, 's> Search<'e, 's> {
    pub(crate) fn new(
        bench: Workbench<'e>,
        settings: &'s Settings,
        plain: SatResult,
    ) -> Search<'e, 's> {
        Search {
            bench,
            settings,
            plain,
            found: Vec::new(),
            many: None,
            tried: Vec::new(),
            groups: Vec::new(),
            settled: Vec::new(),
            runaways: Vec::new(),
            candidates: FxHashSet::default(),
            refuted: Vec::new(),
            spent: FxHashSet::default(),
            example: None,
        }
    }

    pub(crate) fn run(&mut self) -> Diagnosis {
        for stage in Stage::of(self.settings.only) {
            if self.bench.is_over() {
                return self.ended(true);
            }
            match self.stage(stage) {
                Progress::On => {}
                Progress::Stop => return self.ended(false),
                // What was found before holds all the same.
                Progress::Ends(_) if !self.found.is_empty() => return self.ended(false),
                Progress::Ends(diagnosis) => return diagnosis,
            }
        }
        let over = self.bench.is_over();
        self.ended(over)
    }

    fn ended(&mut self, over: bool) -> Diagnosis {
        if let Some((terms, way)) = self.many.take() {
            self.bench.budget += RESERVE;
            if self.found.is_empty() {
                self.kept(terms, way, false);
            }
        }
        if !self.found.is_empty() {
            return Diagnosis::Refuted(std::mem::take(&mut self.found));
        }
        let mut tried = std::mem::take(&mut self.tried);
        if self.plain == SatResult::Diverged {
            tried.insert(0, "E-matching does not end on the file as it is".into());
        }
        if !self.runaways.is_empty() {
            let names = self.bench.names_of(&self.runaways);
            let few = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if names.len() > 5 { " and others" } else { "" };
            tried.push(format!("matching loops go through {few}{more}"));
        }
        if !self.bench.looping.is_empty() {
            tried.push(format!("{} terms began matching loops", self.bench.looping.len()));
        }
        let tried = tried.join("; ");
        match over {
            true => {
                let limit = self.settings.budget;
                Diagnosis::Timeout(format!("time limit of {limit:?} reached: {tried}"))
            }
            false => Diagnosis::GaveUp(tried),
        }
    }

    fn stage(&mut self, stage: Stage) -> Progress {
        match stage {
            Stage::Plain(effort) => self.plain_file(effort),
            Stage::Enumerate(level, variables, effort) => {
                self.enumeration(level, Limit { cap: level.cap(), variables }, effort)
            }
            Stage::Pools(small, variables) => {
                self.within(|search| search.pools(small, Limit { cap: FEW, variables }))
            }
            Stage::Spines => self.within(Search::spines),
            Stage::Prove(effort) => self.proof(effort),
            Stage::Cvc5(effort) => self.cvc5(effort),
            Stage::Local(parts) => self.within(|search| search.local(parts)),
            Stage::Cluster(way, similarity, formulas) => {
                self.within(|search| search.clusters(way, similarity, formulas))
            }
        }
    }

    /// Gives a stage a third of the time that is left; what it finds is made ready with all of it.
    fn within(&mut self, stage: impl FnOnce(&mut Self) -> Option<(Sufficient, Way)>) -> Progress {
        let whole = self.bench.budget;
        if self.settings.only.is_none() {
            self.bench.budget = self.bench.engine.elapsed() + self.bench.left() / 3;
        }
        let found = stage(self);
        self.bench.budget = whole;
        match found {
            Some((found, way)) => self.success(found, way),
            None => Progress::On,
        }
    }

    /// The file as it is, with more effort.
    fn plain_file(&mut self, effort: Effort) -> Progress {
        if self.plain != SatResult::Diverged {
            return Progress::On;
        }
        match self.bench.plain(effort) {
            SatResult::Unsat => Progress::Ends(Diagnosis::AlreadyRefuted),
            _ => Progress::On,
        }
    }

    /// Simple terms in all patterns; again without those of quantifiers that run away.
    fn enumeration(&mut self, level: Level, limit: Limit, effort: Effort) -> Progress {
        let which = Enumerated { level, variables: limit.variables };
        if self.settled.contains(&which) {
            return Progress::On;
        }
        let pool = pool::pool(&mut self.bench, level);
        self.groups = enumerate::instances(&mut self.bench, &pool, limit);
        loop {
            let before = self.spent.len();
            match self.enumerated(which, effort) {
                // Other terms of the same level may do as well.
                Progress::On if self.spent.len() > before && !self.bench.is_over() => {}
                progress => return progress,
            }
        }
    }

    fn enumerated(&mut self, which: Enumerated, effort: Effort) -> Progress {
        for group in &mut self.groups {
            group.retain(|term| !self.spent.contains(term));
        }
        let terms: Vec<TermId> = self.groups.concat();
        if terms.is_empty() {
            return Progress::On;
        }
        self.tried.push(format!("{} terms by enumeration", terms.len()));
        match self.bench.ematching(&terms, effort) {
            SatResult::Unsat => {
                return self.success(Sufficient { terms, effort }, Way::Enumeration);
            }
            SatResult::Diverged => {}
            _ => {
                self.settled.push(which);
                return Progress::On;
            }
        }
        if self.plain != SatResult::Diverged && !self.bench.is_over() {
            for found in self.bench.runaways(&terms, QUICK) {
                if !self.runaways.contains(&found) {
                    self.runaways.push(found);
                }
            }
        }
        match self.calm(&self.groups) {
            Some(calm) if self.bench.ematching(&calm, effort) == SatResult::Unsat => {
                self.success(Sufficient { terms: calm, effort }, Way::Enumeration)
            }
            _ => Progress::On,
        }
    }

    /// The terms of quantifiers that do not run away; none where that is all or nothing.
    fn calm(&self, groups: &[Vec<TermId>]) -> Option<Vec<TermId>> {
        let calm = groups.iter().enumerate().filter(|(at, _)| !self.runaways.contains(at));
        let terms: Vec<TermId> = calm.flat_map(|(_, group)| group.iter().copied()).collect();
        (!self.runaways.is_empty() && !terms.is_empty()).then_some(terms)
    }

    /// All patterns over one small pool after the other.
    fn pools(&mut self, small: Small, limit: Limit) -> Option<(Sufficient, Way)> {
        let pools = match small {
            Small::Constants => pool::slices(&mut self.bench),
            Small::Functions => pool::by_function(&mut self.bench),
        };
        self.tried.push(format!("{} small pools of terms", pools.len()));
        for pool in pools {
            if self.bench.is_over() {
                return None;
            }
            let mut groups = enumerate::instances(&mut self.bench, &pool, limit);
            for group in &mut groups {
                group.retain(|term| !self.spent.contains(term));
            }
            let mut terms: Vec<TermId> = groups.concat();
            if terms.is_empty() || !self.candidates.insert(terms.clone()) {
                continue;
            }
            let mut answer = self.bench.ematching(&terms, QUICK);
            if answer == SatResult::Diverged {
                let Some(calm) = self.calm(&groups) else { continue };
                answer = self.bench.ematching(&calm, QUICK);
                terms = calm;
            }
            if answer == SatResult::Unsat {
                return Some((Sufficient { terms, effort: QUICK }, Way::Enumeration));
            }
        }
        None
    }

    /// Deep terms in all patterns.
    fn spines(&mut self) -> Option<(Sufficient, Way)> {
        let candidates = spine::candidates(&mut self.bench);
        self.tried.push(format!("{} sets of deep terms", candidates.len()));
        for candidate in candidates {
            if self.bench.is_over() {
                return None;
            }
            if !self.candidates.insert(candidate.clone()) {
                continue;
            }
            if let Some(found) = self.validated(&[candidate]) {
                return Some((found, Way::Enumeration));
            }
        }
        None
    }

    /// Parts of the file that contradict themselves.
    fn local(&mut self, parts: Parts) -> Option<(Sufficient, Way)> {
        let groups = std::mem::take(&mut self.groups);
        let mut avoid = FxHashSet::default();
        let found = local::refuted_part(&mut self.bench, parts, &groups, &mut avoid);
        self.tried.push(format!("{} parts of the file", avoid.len()));
        self.groups = groups;
        Some((found?, Stage::Local(parts).way()))
    }

    /// Models of clusters of similar formulas.
    fn clusters(
        &mut self,
        way: Way,
        similarity: usize,
        formulas: usize,
    ) -> Option<(Sufficient, Way)> {
        let parameters = Parameters {
            similarity,
            depth: if formulas < 10 { 1 } else { 2 },
            models: 4,
            types: way == Way::C3,
            reach: if way == Way::C4 { Reach::Parts } else { Reach::Outermost },
            copies: if formulas < 10 { 1 } else { 2 },
            formulas,
        };
        let batch = if way == Way::C2 { 1 } else { BATCH };
        self.tried.push(format!("clusters of similarity {similarity} % ({way})"));
        Some((self.searched(parameters, batch)?, way))
    }

    fn searched(&mut self, parameters: Parameters, batch: usize) -> Option<Sufficient> {
        let refuted = std::mem::take(&mut self.refuted);
        let mut synthesis = Synthesis::new(&self.bench, parameters, refuted);
        let found = self.of_synthesis(&mut synthesis, batch);
        self.refuted = synthesis.into_refuted();
        found
    }

    fn of_synthesis(&mut self, synthesis: &mut Synthesis, batch: usize) -> Option<Sufficient> {
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
        let mut work = vec![candidates.to_vec()];
        while let Some(now) = work.pop() {
            let mut terms: Vec<TermId> = now.concat();
            terms.retain(|term| !self.bench.looping.contains(term) && !self.spent.contains(term));
            terms.sort_unstable();
            terms.dedup();
            if terms.is_empty() || self.bench.is_over() {
                continue;
            }
            match self.bench.ematching(&terms, QUICK) {
                SatResult::Unsat => return Some(Sufficient { terms, effort: QUICK }),
                SatResult::Diverged if self.plain == SatResult::Diverged => {}
                SatResult::Diverged if now.len() > candidates.len() / 4 && now.len() > 1 => {
                    let (left, right) = now.split_at(now.len() / 2);
                    work.push(right.to_vec());
                    work.push(left.to_vec());
                }
                SatResult::Diverged => self.bench.looping.extend(terms),
                _ => {}
            }
        }
        None
    }

    /// Instances of a refutation by models.
    fn proof(&mut self, effort: Effort) -> Progress {
        match examples::from_models(&mut self.bench, effort) {
            Ok(Some(found)) => return self.success(found, Way::Proof),
            Ok(None) => self.tried.push("a proof whose terms do not suffice".into()),
            Err(SatResult::Sat) => {
                return Progress::Ends(Diagnosis::Sat(self.bench.evidence(Instantiation::Models)));
            }
            Err(_) => self.tried.push("a refutation by models".into()),
        }
        Progress::On
    }

    /// Instances of a refutation by cvc5.
    fn cvc5(&mut self, effort: Effort) -> Progress {
        match self.bench.cvc5_proof(effort) {
            Ok(instances) => {
                if let Some(found) = examples::from_instances(&mut self.bench, &instances) {
                    return self.success(found, Way::Cvc5);
                }
                self.tried.push("a proof by cvc5 whose terms do not suffice".into());
            }
            Err(SatResult::Failed) => {
                self.tried.push("no refutation by cvc5, which is not here or fails".into());
            }
            Err(_) => self.tried.push("a refutation by cvc5".into()),
        }
        Progress::On
    }

    /// Minimises terms and keeps them; where they remain many, the search goes on for fewer.
    fn success(&mut self, found: Sufficient, way: Way) -> Progress {
        let now = self.bench.engine.elapsed();
        let deadline = now + (self.bench.left() / 2).min(MINIMISING);
        let terms = minimised(&mut self.bench, found, deadline);
        let minimal = self.bench.engine.elapsed() < deadline;
        if !minimal && terms.len() > MANY && self.bench.left() > 2 * RESERVE {
            match &self.many {
                None => self.bench.budget -= RESERVE,
                Some((known, _)) if known.len() <= terms.len() => return Progress::On,
                Some(_) => {}
            }
            self.many = Some((terms, way));
            return Progress::On;
        }
        if !self.kept(terms, way, minimal) || self.settings.all {
            Progress::On
        } else {
            Progress::Stop
        }
    }

    /// Validates terms in a process of its own, and keeps them where they suffice.
    fn kept(&mut self, terms: Vec<TermId>, way: Way, minimal: bool) -> bool {
        let file = format!("{}(check-sat)\n", self.bench.with_terms(&terms));
        let limit = self.bench.left().max(Duration::from_secs(1));
        if self.bench.engine.run(&file, limit).sat_result() != SatResult::Unsat {
            self.tried.push(format!("{} terms that did not validate", terms.len()));
            return false;
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
        self.spent.extend(&terms);
        let terms = terms.iter().map(|&term| self.bench.problem.show(term)).collect();
        let refutation = Refutation { terms, axioms, suggestions, file, way, minimal, elapsed };
        if !self.found.iter().any(|known| known.terms == refutation.terms) {
            self.found.push(refutation);
        }
        true
    }
}
