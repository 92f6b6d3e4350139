//! Certifies a rule: tries every assignment of simple values, then many of large ones. A rule whose
//! side condition never holds fails too, because it was never tested.
//!
//! Values come from evaluation alone; no solver is involved.

use super::claim::{Claim, claims};
use super::conjunction::{Conjunction, Sight};
use super::domain::{below, random_in, simpler};
use super::enumerate::{Conclusion, Enumeration, Stop, Tally};
use super::error::RuleError;
use super::level::{Level, blank, seeds};
use super::rewrite::preorder;
use super::rule::{Rule, Variable};
use super::unfold::parts;
use super::world::{Symbols, describe};
use assay_smtlib::Printer;
use assay_term::{Evaluator, Interpretation, Model, Sort, Store, TermId, Value};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// The budget of certification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Number of evaluations for each claim of a rule at each of its sorts.
    pub evaluations: u64,
    /// Number of random assignments for each claim of a rule at each of its sorts.
    pub random: u64,
    /// Seed for random choices.
    pub seed: u64,
}

impl Effort {
    /// Enough for a report.
    pub const FULL: Effort = Effort { evaluations: 200_000, random: 1_000, seed: 0 };

    /// Enough to catch an error before a formula uses the rule.
    pub const QUICK: Effort = Effort { evaluations: 4_000, random: 60, seed: 0 };

    /// Number of interpretations of declared symbols for each universe size.
    fn worlds(self) -> usize {
        usize::try_from(self.random).unwrap_or(usize::MAX).clamp(30, 300)
    }
}

/// The evidence of a certification. Greater means stronger.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Assurance {
    /// Random values.
    Random,
    /// Every assignment of simple values, and random ones.
    Exhaustive,
}

impl Assurance {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Assurance::Random => "random",
            Assurance::Exhaustive => "exhaustive",
        }
    }
}

/// A certified rule. Only this module can create one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    rule: String,
    evidence: Vec<Evidence>,
}

/// The tests of one claim of a rule at some sorts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The sorts, if the rule has several instances.
    pub instance: String,
    /// The claim.
    pub claim: &'static str,
    /// The values of the exhaustive part, and the number of assignments; `None` if even the simplest values
    /// were too many.
    pub exhaustive: Option<(String, u128)>,
    /// The number of random assignments.
    pub random: u64,
    /// The number of assignments for which the premise and the conclusion held.
    pub held: u64,
    /// The number of assignments for which something was unknown.
    pub unknown: u64,
}

impl Evidence {
    /// The sum of these tests and those of the same claim in another world.
    fn joined(self, other: Evidence) -> Evidence {
        let exhaustive = self
            .exhaustive
            .zip(other.exhaustive)
            .map(|((_, before), (values, more))| (values, before.saturating_add(more)));
        Evidence {
            exhaustive,
            random: self.random + other.random,
            held: self.held + other.held,
            unknown: self.unknown + other.unknown,
            ..other
        }
    }
}

/// Why a rule is not certified.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Failure {
    /// It is wrong.
    #[error("{claim} is wrong{place} where {assignment}", place = at(.instance))]
    Counterexample {
        /// The sorts.
        instance: String,
        /// The claim.
        claim: &'static str,
        /// The values, simplified.
        assignment: String,
    },
    /// It was never tested.
    #[error("{claim} was never tested{place}: its premise never held", place = at(.instance))]
    Vacuous {
        /// The sorts.
        instance: String,
        /// The claim.
        claim: &'static str,
    },
    /// Too much was unknown.
    #[error("{claim} is unknown{place} for {unknown} assignments and holds for only {held}", place = at(.instance))]
    Undecided {
        /// The sorts.
        instance: String,
        /// The claim.
        claim: &'static str,
        /// The number of unknown assignments.
        unknown: u64,
        /// The number of assignments for which it held.
        held: u64,
    },
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] RuleError),
}

fn at(instance: &str) -> String {
    if instance.is_empty() { String::new() } else { format!(" at {instance}") }
}

impl Certificate {
    /// The rule.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// The tests.
    #[must_use]
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// Its evidence: for every claim, the best evidence at any of the sorts.
    #[must_use]
    pub fn assurance(&self) -> Assurance {
        let exhaustive =
            |claim: &str| self.evidence.iter().any(|e| e.claim == claim && e.exhaustive.is_some());
        match self.evidence.iter().all(|evidence| exhaustive(evidence.claim)) {
            true => Assurance::Exhaustive,
            false => Assurance::Random,
        }
    }
}

/// Searches for a counterexample to a rule.
///
/// # Errors
/// A counterexample, or the reason why there is too little evidence.
pub fn certify(rule: &Rule, effort: Effort) -> Result<Certificate, Failure> {
    let mut evidence = Vec::new();
    for instance in rule.instances() {
        let mut store = Store::new();
        let law = rule.read(instance, &mut store)?;
        for claim in claims(rule.kind(), &law, &mut store) {
            evidence.push(certify_claim(&mut store, &claim, effort, &instance.label())?);
        }
    }
    // The premise may be out of reach at large sorts, but not at all sorts.
    for Evidence { claim, instance, .. } in &evidence {
        if evidence.iter().all(|other| other.claim != *claim || other.held == 0) {
            return Err(Failure::Vacuous { instance: instance.clone(), claim });
        }
    }
    Ok(Certificate { rule: rule.name().into(), evidence })
}

/// Tests a claim under interpretations of the declared symbols.
fn certify_claim(
    store: &mut Store,
    claim: &Claim,
    effort: Effort,
    instance: &str,
) -> Result<Evidence, Failure> {
    let symbols = Symbols::of(store, &claim.terms());
    let mut rng = ChaCha8Rng::seed_from_u64(effort.seed);
    let worlds = symbols.worlds(store, &mut rng, effort.worlds());
    let share = u64::try_from(worlds.len()).unwrap_or(u64::MAX);
    let each = Effort {
        evaluations: effort.evaluations / share,
        random: effort.random.div_ceil(share),
        ..effort
    };
    let premise = Conjunction::new(store, &claim.given);
    let follows = Conjunction::new(store, &[claim.follows]);
    let mut all: Option<Evidence> = None;
    for world in &worlds {
        let few = |v: &Variable| Level::ALL[0].domain(store, world, v.sort, &[]).values;
        let conclusion = match claim.sought.is_empty() {
            true => Conclusion::Holds(follows.clone()),
            false => {
                let domains = claim.sought.iter().map(few).collect();
                Conclusion::HoldsFor(claim.sought.clone(), domains, follows.clone())
            }
        };
        let (premise, terms, instance) = (&premise, claim.terms(), instance.to_owned());
        let trial =
            Trial { store, world, claim, premise, conclusion, terms, effort: each, instance };
        let found = trial.run()?;
        all = Some(match all {
            Some(before) => before.joined(found),
            None => found,
        });
    }
    let mut all = all.expect("there is at least one world");
    if let Some((values, _)) = all.exhaustive.as_mut().filter(|_| !symbols.is_empty()) {
        *values = format!("{values}, with {} meanings of {}", worlds.len(), symbols.names(store));
    }
    Ok(all)
}

struct Trial<'a> {
    store: &'a Store,
    world: &'a Model,
    claim: &'a Claim,
    premise: &'a Conjunction,
    conclusion: Conclusion,
    /// All terms of the claim.
    terms: Vec<TermId>,
    effort: Effort,
    instance: String,
}

/// Maximum share of unknown assignments: one in this many.
const MOST_UNKNOWN: u64 = 4;

/// Simplicity is not a strict order: the number of simplification steps is limited.
const MOST_CHANGES: u32 = 100;

/// Budget of evaluations for one assignment.
const MOST_FOR_ONE: u64 = 100_000;

impl Trial<'_> {
    fn run(self) -> Result<Evidence, Failure> {
        let (exhaustive, mut tally) = self.exhaustive()?;
        let before = tally.assignments;
        self.random(&mut tally)?;
        let random = (tally.assignments - before) as u64;
        let (instance, claim) = (self.instance, self.claim.name);
        let Tally { held, unknown, .. } = tally;
        if unknown > (held + unknown) / MOST_UNKNOWN {
            return Err(Failure::Undecided { instance, claim, unknown, held });
        }
        Ok(Evidence { instance, claim, exhaustive, random, held, unknown })
    }

    /// Tries larger and larger sets of simple values until all values, or too many, are reached.
    fn exhaustive(&self) -> Result<(Option<(String, u128)>, Tally), Failure> {
        let mut best = (None, Tally::default());
        let mut left = self.effort.evaluations;
        for level in Level::ALL {
            let domains = self.claim.variables.iter().map(|v| {
                let seeds = seeds(self.store, &self.terms, v.sort);
                level.domain(self.store, self.world, v.sort, &seeds)
            });
            let domains: Vec<_> = domains.collect();
            let complete = domains.iter().all(|domain| domain.complete);
            let values: Vec<Vec<Value>> = domains.into_iter().map(|d| d.values).collect();
            let mut enumeration = Enumeration {
                sight: Sight { store: self.store, left },
                world: self.world,
                variables: &self.claim.variables,
                domains: &values,
                premise: self.premise,
                conclusion: &self.conclusion,
            };
            match enumeration.run() {
                Ok(tally) => best = (Some((self.words(&values), tally.assignments)), tally),
                Err(Stop::Counterexample(values)) => return Err(self.refuted(values)),
                Err(Stop::Budget) => break,
            }
            left = enumeration.sight.left;
            if complete {
                break;
            }
        }
        Ok(best)
    }

    /// The number of values of each sort.
    fn words(&self, domains: &[Vec<Value>]) -> String {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for (variable, values) in self.claim.variables.iter().zip(domains) {
            let sort = self.store.sort_name(variable.sort);
            if counts.iter().all(|(known, _)| *known != sort) {
                counts.push((sort, values.len()));
            }
        }
        let words: Vec<String> =
            counts.iter().map(|(sort, count)| format!("{count} of {sort}")).collect();
        if words.is_empty() { "no variables".into() } else { words.join(", ") }
    }

    fn random(&self, tally: &mut Tally) -> Result<(), Failure> {
        let claim = self.claim;
        if claim.variables.is_empty() {
            return Ok(());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.effort.seed);
        let rounds = match self.conclusion {
            Conclusion::Holds(_) => self.effort.random,
            // Each of them may be a long search.
            Conclusion::HoldsFor(..) => self.effort.random / 10,
        };
        for _ in 0..rounds {
            let Some(values) = self.draw(&mut rng) else { return Ok(()) };
            tally.assignments += 1;
            match self.trial(&values) {
                TrialResult::Pointless => {}
                TrialResult::Holds => tally.held += 1,
                TrialResult::Unknown => tally.unknown += 1,
                TrialResult::Fails => return Err(self.refuted(values)),
            }
        }
        Ok(())
    }

    /// Values for the variables, often those that the claim's own equations and the other values
    /// suggest, because unrelated ones rarely satisfy a premise.
    fn draw(&self, rng: &mut ChaCha8Rng) -> Option<Vec<Value>> {
        let variables = &self.claim.variables;
        let mut model = blank(self.world, variables);
        let mut values: Vec<Option<Value>> = vec![None; variables.len()];
        for left in (1..=variables.len()).rev() {
            let nth = below(rng, left);
            let open = values.iter().enumerate().filter(|(_, value)| value.is_none());
            let at = open.map(|(at, _)| at).nth(nth).expect("so many are left");
            let suggested = match rng.next_u32() % 3 {
                0 => None,
                _ => self.suggest(rng, variables[at], &model, &values),
            };
            let value = match suggested {
                Some(value) => value,
                None => random_in(rng, self.store, self.world, variables[at].sort)?,
            };
            model.set(variables[at].func, Interpretation::Value(value.clone()));
            values[at] = Some(value);
        }
        values.into_iter().collect()
    }

    fn suggest(
        &self,
        rng: &mut ChaCha8Rng,
        variable: Variable,
        model: &Model,
        values: &[Option<Value>],
    ) -> Option<Value> {
        let mut evaluator = Evaluator::new(self.store, model);
        let terms = self.terms.iter().flat_map(|&term| preorder(self.store, term));
        let of_sort = terms.filter(|&term| self.store.sort(term) == variable.sort);
        let mut found: Vec<Value> = of_sort.filter_map(|term| evaluator.eval(term).ok()).collect();
        if *self.store.sorts.get(variable.sort) == Sort::String {
            for value in values.iter().flatten() {
                if let Value::Str(text) = value {
                    let parts = parts(text);
                    found.push(Value::Str(parts[below(rng, parts.len())].clone()));
                }
            }
        }
        if found.is_empty() { None } else { Some(found.swap_remove(below(rng, found.len()))) }
    }

    fn trial(&self, values: &[Value]) -> TrialResult {
        let claim = self.claim;
        let mut model = blank(self.world, &claim.variables);
        for (variable, value) in claim.variables.iter().zip(values) {
            model.set(variable.func, Interpretation::Value(value.clone()));
        }
        let mut sight = Sight { store: self.store, left: MOST_FOR_ONE };
        match self.premise.holds(&mut sight, &mut model) {
            Ok(false) => return TrialResult::Pointless,
            Ok(true) => {}
            Err(_) => return TrialResult::Unknown,
        }
        match self.conclusion.holds(&mut sight, &mut model, &claim.variables) {
            Ok(true) => TrialResult::Holds,
            Ok(false) => TrialResult::Fails,
            Err(_) => TrialResult::Unknown,
        }
    }

    /// The failure, with its values simplified one by one.
    fn refuted(&self, mut values: Vec<Value>) -> Failure {
        let variables = &self.claim.variables;
        let (mut at, mut changes) = (0, 0);
        while at < values.len() && changes < MOST_CHANGES {
            let simpler = simpler(self.store, self.world, variables[at].sort, &values[at]);
            let better = simpler.into_iter().find(|value| {
                let mut changed = values.clone();
                changed[at] = value.clone();
                self.trial(&changed) == TrialResult::Fails
            });
            match better {
                Some(value) => {
                    values[at] = value;
                    (at, changes) = (0, changes + 1);
                }
                None => at += 1,
            }
        }
        let shown = variables.iter().zip(&values).map(|(variable, value)| {
            format!("{} = {}", self.store.func_name(variable.func), shown_value(self.store, value))
        });
        let functions = describe(self.store, self.world, |value| shown_value(self.store, value));
        let assignment: Vec<String> = shown.chain(functions).collect();
        Failure::Counterexample {
            instance: self.instance.clone(),
            claim: self.claim.name,
            assignment: assignment.join(", "),
        }
    }
}

/// A value as text.
fn shown_value(store: &Store, value: &Value) -> String {
    if let Value::Element(_, name) = value {
        return store.symbols.name(*name).to_owned();
    }
    let mut store = store.clone();
    match store.value(value) {
        Some(term) => Printer::new(&store).term(term),
        None => format!("{value:?}"),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TrialResult {
    /// The premise does not hold.
    Pointless,
    Holds,
    Fails,
    Unknown,
}
