//! The suite `horn`: numbered systems of each vocabulary, safe and unsafe ones.

use crate::invariant::{Invariants, is_true};
use crate::system::{Draft, Drawer, HornOptions, Shape, System};
use crate::words::{Words, WordsError, not, vocabularies};
use assay_case::horn::{Clauses, Extent, Fact, Run, explore, refute};
use assay_case::{
    CaseId, Category, Expected, Formula, MakeError, ModelFault, Oracle, Origin, Selection, Suite,
    TestCase, Why, Witness, check_model,
};
use assay_forge::Permutation;
use assay_mutate::Draw;
use assay_smtlib::{Command, Plain, Script};
use assay_term::{Budget, Store, Value};
use std::sync::Arc;

/// The suite `horn`.
pub struct Horn {
    parts: Vec<Part>,
    words: Vec<Words>,
    options: HornOptions,
}

/// Systems of one kind.
#[derive(Clone, Copy)]
struct Part {
    /// The position of its vocabulary.
    words: usize,
    shape: Shape,
    expected: Expected,
}

/// The number of cases of a part. What bounds a run is its time.
const CASES: u64 = 1 << 32;

/// The number of systems that are drawn for a case until one is suitable.
const ATTEMPTS: usize = 16;

/// The number of questions that are drawn for a system.
const QUESTIONS: usize = 12;

/// How far a system is run to learn about it.
const EXTENT: Extent = Extent { facts: 250, values: 6, until_false: false };

/// A formula with its truth.
struct Made {
    formula: Formula,
    oracle: Oracle,
}

impl Horn {
    /// Its name.
    pub const NAME: &'static str = "horn";

    /// Reads the vocabularies.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn new(options: HornOptions) -> Result<Horn, WordsError> {
        let words = vocabularies()?;
        let mut parts = Vec::new();
        for at in 0..words.len() {
            for shape in [Shape::Linear, Shape::Nonlinear] {
                for expected in [Expected::Sat, Expected::Unsat] {
                    parts.push(Part { words: at, shape, expected });
                }
            }
        }
        Ok(Horn { parts, words, options })
    }

    fn category(&self, part: &Part) -> Category {
        let shape = match part.shape {
            Shape::Linear => "linear",
            Shape::Nonlinear => "nonlinear",
        };
        let group = self.words[part.words].name.clone();
        Category { name: format!("{group}-{shape}"), group, expected: part.expected }
    }

    fn made(&self, part: &Part, store: &Store, draw: &mut Draw) -> Option<Result<Made, MakeError>> {
        let words = &self.words[part.words];
        let mut own = store.clone();
        let mut drawer = Drawer::new(words, &mut own, draw);
        let system = drawer.system(part.shape, &self.options);
        let formula = formula(words, drawer.store.clone(), &system);
        let clauses = Clauses::of(&formula)?;
        let run = explore(&formula, &clauses, EXTENT, &mut Budget::default());
        if run.facts.is_empty() {
            return None;
        }
        match part.expected {
            Expected::Unsat => self.unsafe_system(words, &mut drawer, system, &run),
            _ => self.safe_system(words, &mut drawer, system, &run),
        }
    }

    /// A system with a question that some of its facts answer.
    fn unsafe_system(
        &self,
        words: &Words,
        drawer: &mut Drawer<'_>,
        mut system: System,
        run: &Run,
    ) -> Option<Result<Made, MakeError>> {
        // Deep facts are more frequent than others.
        let picks = [0; 4].map(|_| drawer.draw.below(run.facts.len()));
        let at = picks.into_iter().max_by_key(|&at| run.facts[at].depth)?;
        let mut chosen = vec![&run.facts[at]];
        if drawer.draw.one_in(4) {
            chosen.push(&run.facts[drawer.draw.below(run.facts.len())]);
        }
        let question = question(drawer, &system, &chosen)?;
        system.clauses.push(question);
        while drawer.draw.one_in(3) {
            let clause = drawer.unrelated(&system);
            system.clauses.push(clause);
        }
        shuffle(drawer.draw, &mut system.clauses);
        let formula = formula(words, drawer.store.clone(), &system);
        let steps = refute(&formula, &mut Budget::default())?.len();
        let oracle = Oracle::Unsat { why: Why::Derived(steps as u64), core: None };
        Some(Ok(Made { formula, oracle }))
    }

    /// A system with questions that its invariants exclude.
    fn safe_system(
        &self,
        words: &Words,
        drawer: &mut Drawer<'_>,
        mut system: System,
        run: &Run,
    ) -> Option<Result<Made, MakeError>> {
        let invariants = Invariants::of(words, drawer.store, drawer.draw, &system, run);
        let mut asked = false;
        for _ in 0..QUESTIONS {
            let question = harmless(drawer, &system, &invariants, run)?;
            if invariants.exclude(drawer.store, &system, &question) {
                system.clauses.push(question);
                asked = true;
                if !drawer.draw.one_in(3) {
                    break;
                }
            }
        }
        if !asked {
            return None;
        }
        while drawer.draw.one_in(3) {
            let clause = drawer.unrelated(&system);
            if invariants.preserved(drawer.store, &system, &clause) {
                system.clauses.push(clause);
            }
        }
        shuffle(drawer.draw, &mut system.clauses);
        let model = invariants.model(drawer.store, &system);
        let formula = formula(words, drawer.store.clone(), &system);
        match check_model(&formula, model) {
            Ok(witness) => {
                let oracle = Oracle::Sat(Witness::Checked(witness));
                Some(Ok(Made { formula, oracle }))
            }
            Err(fault @ ModelFault::False(_)) => {
                let text = formula.text();
                Some(Err(MakeError::fault(format!("an invariant is wrong: {fault}\n{text}"))))
            }
            Err(_) => None,
        }
    }
}

/// What excludes that the predicates of some facts hold together, for values like theirs.
fn question(drawer: &mut Drawer<'_>, system: &System, facts: &[&Fact]) -> Option<Draft> {
    let mut premises = Vec::new();
    for fact in facts {
        let at = system.predicates.iter().position(|p| p.func == fact.predicate)?;
        premises.push(drawer.applied(system, at));
    }
    let variables = premises.iter().flat_map(|(_, args)| args.clone()).collect::<Vec<_>>();
    let values: Vec<Value> = facts.iter().flat_map(|fact| fact.args.to_vec()).collect();
    let holds = |store: &Store, formula| is_true(store, &variables, formula, &values);
    let constraints = drawer.described(&variables, holds, &values);
    Some(Draft { premises, constraints, head: None })
}

/// A question that no known fact answers: random formulas that are false for all of them, or a part of
/// the invariants.
fn harmless(
    drawer: &mut Drawer<'_>,
    system: &System,
    invariants: &Invariants,
    run: &Run,
) -> Option<Draft> {
    let at = drawer.draw.below(system.predicates.len());
    if drawer.draw.one_in(4) {
        let point = drawer.point(system, at);
        return Some(Draft { premises: vec![point], constraints: Vec::new(), head: None });
    }
    let (at, args) = drawer.applied(system, at);
    let predicate = &system.predicates[at];
    let facts: Vec<&Fact> =
        run.facts.iter().filter(|fact| fact.predicate == predicate.func).collect();
    let mut constraints = Vec::new();
    if !drawer.draw.one_in(4) {
        for _ in 0..8 {
            let formula = drawer.words.formula(drawer.store, drawer.draw, &args);
            let is_met = |fact: &&Fact| {
                let holds = |&formula: &_| is_true(drawer.store, &args, formula, &fact.args);
                constraints.iter().chain([&formula]).all(holds)
            };
            if !drawer.store.mentions_variables(formula) {
                continue;
            }
            let is_excluded = !facts.iter().any(is_met);
            constraints.push(formula);
            if is_excluded {
                return Some(Draft { premises: vec![(at, args)], constraints, head: None });
            }
            if constraints.len() > 2 {
                constraints.remove(0);
            }
        }
    }
    let part = *drawer.draw.of(&invariants.0[at])?;
    let part = invariants.instance(drawer.store, system, at, part, &args);
    let constraints = vec![not(drawer.store, part)];
    Some(Draft { premises: vec![(at, args)], constraints, head: None })
}

fn shuffle<T>(draw: &mut Draw, items: &mut [T]) {
    if draw.one_in(2) {
        return;
    }
    for at in (1..items.len()).rev() {
        items.swap(at, draw.below(at + 1));
    }
}

/// A system as a formula.
fn formula(words: &Words, mut store: Store, system: &System) -> Formula {
    let mut script = Script::default();
    script.push(Command::SetLogic("HORN".to_owned()), 0);
    for declaration in &words.declarations {
        script.push(declaration.clone(), 0);
    }
    for predicate in &system.predicates {
        script.push(Command::DeclareFun(predicate.func), 0);
    }
    for clause in &system.clauses {
        let assertion = clause.assertion(&mut store, system);
        script.push(Command::Assert(assertion), 0);
    }
    script.push(Command::CheckSat, 0);
    script.push(Command::Plain(Plain::GetModel), 0);
    Formula::from_parts(store, script, Arc::clone(&words.env))
}

impl Suite for Horn {
    fn name(&self) -> &str {
        Horn::NAME
    }

    fn categories(&self) -> Vec<Category> {
        self.parts.iter().map(|part| self.category(part)).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let categories = self.categories();
        let wanted = (0..).zip(&categories).filter(|(_, part)| selection.wants(part));
        let parts: Vec<u32> = wanted.map(|(part, _)| part).collect();
        let total = parts.len() as u128 * u128::from(selection.each.unwrap_or(CASES));
        let turn = move |number: u128| {
            let count = parts.len() as u128;
            CaseId { category: parts[(number % count) as usize], index: number / count }
        };
        match selection.sample {
            Some(sample) => {
                let order = Permutation::new(total, selection.rng);
                selection.cut((0..total.min(sample.into())).map(move |at| turn(order.apply(at))))
            }
            None => selection.cut((0..total).map(turn)),
        }
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let none = || MakeError::NoSuchCase(format!("{} has no case {id}", Horn::NAME));
        let part = self.parts.get(id.category as usize).ok_or_else(none)?;
        let index = u64::try_from(id.index).ok().filter(|&index| index < CASES).ok_or_else(none)?;
        let mut draw = Draw::new(&[self.options.rng, u64::from(id.category), index]);
        let words = &self.words[part.words];
        let made = (0..ATTEMPTS).find_map(|_| self.made(part, &words.store, &mut draw));
        let unsuitable = || {
            let words = match part.expected {
                Expected::Unsat => "no system was found whose question has an answer",
                _ => "no system was found whose invariants exclude a question",
            };
            MakeError::Unsuitable(words.to_owned())
        };
        let Made { formula, oracle } = made.ok_or_else(unsuitable)??;
        let category = self.category(part);
        let truth = match part.expected {
            Expected::Unsat => "unsafe",
            _ => "safe",
        };
        let name = format!("{}-{truth}-{index}", category.name);
        let origin = Origin {
            suite: Horn::NAME.to_owned(),
            category: category.name,
            seed: self.options.rng,
            index: id.index,
            ..Origin::default()
        };
        TestCase::formula(name, formula, oracle, origin).map_err(MakeError::fault)
    }
}
