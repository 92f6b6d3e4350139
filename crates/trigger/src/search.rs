//! The search through all ways, stage by stage. Later stages know what earlier ones learned: what
//! was tried, which terms begin matching loops, which formulas have no model.

use crate::diagnosis::{CoreAxiom, Diagnosis, Refutation, Way};
use crate::engine::SatResult;
use crate::enumerate::{self, Limit};
use crate::examples;
use crate::explain::{self, Example};
use crate::first_order::{self, Outcome};
use crate::kinds;
use crate::local::{self, Parts};
use crate::minimise::minimised;
use crate::pool::{self, Level};
use crate::spine;
use crate::strategy::{Settings, Small, Stage, Sufficient};
use crate::suggest;
use crate::synthesis::{Memory, Parameters, Synthesis};
use crate::unify::Reach;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::TermId;
use rustc_hash::FxHashSet;
use std::time::Duration;

/// The number of candidates that are validated together.
const BATCH: usize = 64;

/// The effort for one of very many tries on the whole file.
const QUICK: Effort = Effort(600_000);

/// The maximum number of instances of one pattern over a small pool.
const FEW: usize = 16;

/// The maximum time for minimising.
const MINIMISING: Duration = Duration::from_secs(40);

/// The maximum time for leaving assertions out of a core.
const CORE: Duration = Duration::from_secs(8);

/// The number of terms from which the search continues, if there is time left: other strategies may
/// find fewer.
const MANY: usize = 8;

/// The time reserved at the end for showing many terms if no fewer are found.
const RESERVE: Duration = Duration::from_secs(20);

/// The search through all ways.
pub(crate) struct Search<'e, 's> {
    bench: Workbench<'e>,
    settings: &'s Settings,
    /// The result of E-matching on the file itself, and its effort.
    plain: SatResult,
    tried_plain: Effort,
    found: Vec<Refutation>,
    /// Sufficient terms that are so many that fewer are worth a search.
    many: Option<(Vec<TermId>, Way)>,
    tried: Vec<String>,
    /// The terms of the latest enumeration, by quantifier.
    groups: Vec<Vec<TermId>>,
    /// Enumerations that were tried to the end, where more effort changes nothing.
    settled: Vec<Enumerated>,
    /// Quantifiers that ran away during a try.
    runaways: Vec<usize>,
    /// Candidates that were validated.
    candidates: FxHashSet<Vec<TermId>>,
    /// What is known about the formulas of clusters.
    memory: Memory,
    /// An explanation of the first refutation.
    pub(crate) example: Option<Example>,
    /// The prover that refuted the file regardless of patterns.
    pub(crate) refuted_by: Option<String>,
}

/// The enumerated terms.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Enumerated {
    level: Level,
    /// The maximum number of variables in a pattern.
    variables: usize,
}

/// The result of a stage of the search.
enum Progress {
    /// Continue.
    On,
    /// Stop with the current results.
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
            tried_plain: Effort::SMALL,
            found: Vec::new(),
            many: None,
            tried: Vec::new(),
            groups: Vec::new(),
            settled: Vec::new(),
            runaways: Vec::new(),
            candidates: FxHashSet::default(),
            memory: Memory::default(),
            example: None,
            refuted_by: None,
        }
    }

    pub(crate) fn run(&mut self) -> Diagnosis {
        for stage in Stage::of(self.settings.only, self.settings.tuning) {
            if self.bench.is_over() {
                return self.ended(true);
            }
            match self.stage(stage) {
                Progress::On => {}
                Progress::Stop => return self.ended(false),
                // Earlier results remain valid.
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
        if self.tried_plain.0 > 0 && self.plain == SatResult::Diverged {
            let steps = self.tried_plain.0;
            tried.push(format!(
                "E-matching on the file as it is did not end within {steps} of the solver's steps"
            ));
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
        let tried = match &self.refuted_by {
            Some(who) => format!(
                "unsatisfiable, but not by its triggers: {who} refutes the file without regard to \
                 patterns, and no terms were found with which E-matching does; {}",
                failed_attempts(&tried)
            ),
            None => failed_attempts(&tried),
        };
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
            Stage::Kinds(count, effort) => self.within(|search| search.kinds(count, effort)),
            Stage::Spines => self.within(Search::spines),
            Stage::Prove(effort) => self.proof(effort),
            Stage::Cvc5(effort) => self.cvc5(effort),
            Stage::FirstOrder(seconds) => self.first_order(Duration::from_secs(seconds)),
            Stage::Local(parts) => self.within(|search| search.local(parts)),
            Stage::Cluster(way, similarity, formulas) => {
                self.within(|search| search.clusters(way, similarity, formulas))
            }
        }
    }

    /// Gives a stage a third of the remaining time; its result may be completed in all of it.
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

    /// Tries the file itself with more effort.
    fn plain_file(&mut self, effort: Effort) -> Progress {
        if self.plain != SatResult::Diverged {
            return Progress::On;
        }
        self.plain = self.bench.plain(effort);
        self.tried_plain = effort;
        match self.plain {
            SatResult::Unsat => Progress::Ends(Diagnosis::AlreadyRefuted),
            _ => Progress::On,
        }
    }

    /// Tries simple terms in all patterns, then again without those of runaway quantifiers.
    fn enumeration(&mut self, level: Level, limit: Limit, effort: Effort) -> Progress {
        let which = Enumerated { level, variables: limit.variables };
        if self.settled.contains(&which) {
            return Progress::On;
        }
        let pool = pool::pool(&mut self.bench, level);
        self.groups = enumerate::instances(&mut self.bench, &pool, limit);
        self.enumerated(which, effort)
    }

    fn enumerated(&mut self, which: Enumerated, effort: Effort) -> Progress {
        let terms: Vec<TermId> = self.groups.concat();
        if terms.is_empty() {
            return Progress::On;
        }
        self.tried.push(format!("enumeration of {} terms", terms.len()));
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

    /// The terms of quantifiers that do not run away; `None` if that is all or nothing.
    fn calm(&self, groups: &[Vec<TermId>]) -> Option<Vec<TermId>> {
        let calm = groups.iter().enumerate().filter(|(at, _)| !self.runaways.contains(at));
        let terms: Vec<TermId> = calm.flat_map(|(_, group)| group.iter().copied()).collect();
        (!self.runaways.is_empty() && !terms.is_empty()).then_some(terms)
    }

    /// Tries all patterns over one small pool after another.
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
            let groups = enumerate::instances(&mut self.bench, &pool, limit);
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

    /// Tries all patterns over a few terms of each inferred kind, then again without the terms of
    /// runaway quantifiers.
    fn kinds(&mut self, count: usize, effort: Effort) -> Option<(Sufficient, Way)> {
        let mut own = kinds::terms_by_variable(&self.bench);
        for terms in own.values_mut() {
            terms.truncate(count);
        }
        let simple = pool::simple(&mut self.bench);
        let limit = Limit { cap: count * count * count, variables: usize::MAX };
        let groups = enumerate::instances_over(&mut self.bench, &own, &simple, limit);
        let mut terms: Vec<TermId> = groups.concat();
        if terms.is_empty() || !self.candidates.insert(terms.clone()) {
            return None;
        }
        self.tried.push(format!("{} terms by inferred kinds", terms.len()));
        let mut answer = self.bench.ematching(&terms, effort);
        if answer == SatResult::Diverged && !self.bench.is_over() {
            let mut runaways = self.bench.runaways(&terms, effort);
            runaways.retain(|found| !self.runaways.contains(found));
            self.runaways.extend(runaways);
            terms = self.calm(&groups)?;
            answer = self.bench.ematching(&terms, effort);
        }
        (answer == SatResult::Unsat).then_some((Sufficient { terms, effort }, Way::Enumeration))
    }

    /// Tries deep terms in all patterns.
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

    /// Tries parts of the file that contradict themselves.
    fn local(&mut self, parts: Parts) -> Option<(Sufficient, Way)> {
        let groups = std::mem::take(&mut self.groups);
        let mut avoid = FxHashSet::default();
        let found = local::refuted_part(&mut self.bench, parts, &groups, &mut avoid);
        self.tried.push(format!("{} parts of the file", avoid.len()));
        self.groups = groups;
        Some((found?, Stage::Local(parts).way()))
    }

    /// Tries models of clusters of similar formulas.
    fn clusters(
        &mut self,
        way: Way,
        similarity: usize,
        formulas: usize,
    ) -> Option<(Sufficient, Way)> {
        let tuning = self.settings.tuning;
        let quick = formulas < 10 && self.settings.only.is_none();
        let parameters = Parameters {
            similarity,
            depth: tuning.depth.unwrap_or(if quick { 1 } else { 2 }),
            models: tuning.models.unwrap_or(4),
            types: way == Way::C3,
            reach: if way == Way::C4 { Reach::Parts } else { Reach::Outermost },
            copies: tuning.copies.unwrap_or(if quick { 1 } else { 2 }),
            formulas,
        };
        let batch = tuning.batch.unwrap_or(if way == Way::C2 { 1 } else { BATCH });
        self.tried.push(format!("clusters of similarity {similarity} % ({way})"));
        Some((self.searched(parameters, batch)?, way))
    }

    fn searched(&mut self, parameters: Parameters, batch: usize) -> Option<Sufficient> {
        let memory = std::mem::take(&mut self.memory);
        let mut synthesis = Synthesis::new(&self.bench, parameters, memory);
        let found = self.of_synthesis(&mut synthesis, batch);
        self.memory = synthesis.into_memory();
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

    /// Whether candidates suffice together; tries halves if they begin a matching loop.
    fn validated(&mut self, candidates: &[Vec<TermId>]) -> Option<Sufficient> {
        let mut work = vec![candidates.to_vec()];
        while let Some(now) = work.pop() {
            let mut terms: Vec<TermId> = now.concat();
            terms.retain(|term| !self.bench.looping.contains(term));
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

    /// Tries instances of a refutation by models.
    fn proof(&mut self, effort: Effort) -> Progress {
        match examples::from_models(&mut self.bench, effort) {
            Ok(Some(found)) => return self.success(found, Way::Proof),
            Ok(None) => {
                self.tried.push("instances of z3's proof, whose terms do not suffice".into());
                self.refuted_by.get_or_insert_with(|| "z3 (MBQI)".into());
            }
            Err(SatResult::Sat) => {
                return Progress::Ends(Diagnosis::Sat(self.bench.evidence(Instantiation::Models)));
            }
            Err(_) => self.tried.push("z3's instantiation by models".into()),
        }
        Progress::On
    }

    /// Tries instances of a refutation by E or Vampire.
    fn first_order(&mut self, limit: Duration) -> Progress {
        match first_order::refutation(&mut self.bench, limit) {
            Outcome::Absent => {}
            Outcome::None(who) => self.tried.push(who),
            Outcome::Refuted(who, sets) => {
                for instances in sets {
                    if let Some(found) = examples::from_instances(&mut self.bench, &instances) {
                        return self.success(found, Way::FirstOrder);
                    }
                }
                self.tried
                    .push(format!("instances of a proof by {who}, whose terms do not suffice"));
                self.refuted_by.get_or_insert(who);
            }
        }
        Progress::On
    }

    /// Tries instances of a refutation by cvc5.
    fn cvc5(&mut self, effort: Effort) -> Progress {
        match self.bench.cvc5_proof(effort) {
            Ok(instances) => {
                if let Some(found) = examples::from_instances(&mut self.bench, &instances) {
                    return self.success(found, Way::Cvc5);
                }
                self.tried.push("instances of cvc5's proof, whose terms do not suffice".into());
                self.refuted_by.get_or_insert_with(|| "cvc5".into());
            }
            Err(SatResult::Failed) => {
                self.tried.push("cvc5, which is not installed or fails".into());
            }
            Err(_) => self.tried.push("cvc5".into()),
        }
        Progress::On
    }

    /// Minimises terms and keeps them; if many remain, the search continues for fewer.
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
        if self.kept(terms, way, minimal) { Progress::Stop } else { Progress::On }
    }

    /// Validates terms in a fresh process, and keeps them if they suffice.
    fn kept(&mut self, terms: Vec<TermId>, way: Way, minimal: bool) -> bool {
        let file = format!("{}(check-sat)\n", self.bench.validating(&terms));
        let limit = self.bench.left().max(Duration::from_secs(1));
        if self.bench.engine.run(&file, limit).sat_result() != SatResult::Unsat {
            self.tried.push(format!("{} terms that failed validation", terms.len()));
            return false;
        }
        let elapsed = self.bench.engine.elapsed();
        let example = explain::example_with(&mut self.bench, &terms);
        let until = self.bench.engine.elapsed() + (self.bench.left() / 4).min(CORE);
        let core = match self.bench.core(&terms, until) {
            Some(core) => core,
            None => example.as_ref().map(Example::facts).unwrap_or_default(),
        };
        let core: Vec<CoreAxiom> = core.into_iter().map(|at| self.axiom(at)).collect();
        let suggestions = if self.settings.suggest {
            suggest::suggestions(&mut self.bench, &terms, &core)
        } else {
            Vec::new()
        };
        let triggered = example.as_ref().map(Example::triggered).unwrap_or_default();
        self.example = self.example.take().or(example);
        let terms = terms.iter().map(|&term| self.bench.problem.show(term)).collect();
        self.found.push(Refutation {
            terms,
            core,
            triggered,
            through: Vec::new(),
            suggestions,
            file,
            way,
            minimal,
            elapsed,
        });
        true
    }

    /// An assertion, for the record.
    fn axiom(&self, at: usize) -> CoreAxiom {
        let fact = &self.bench.problem.facts[at];
        CoreAxiom {
            number: fact.number,
            name: fact.name.clone(),
            line: fact.line,
            quantified: self.bench.problem.mentions_quantifiers(fact.term),
        }
    }
}

/// What was tried without success, with equal items combined.
fn failed_attempts(tried: &[String]) -> String {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for words in tried {
        match counted.iter_mut().find(|(known, _)| known == words) {
            Some((_, count)) => *count += 1,
            None => counted.push((words, 1)),
        }
    }
    let shown: Vec<String> = counted
        .into_iter()
        .map(|(words, count)| match count {
            1 => words.to_owned(),
            _ => format!("{words} ({count} times)"),
        })
        .collect();
    format!("tried without success: {}", shown.join("; "))
}
