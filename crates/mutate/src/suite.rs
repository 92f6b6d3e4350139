//! Mutants as numbered cases: a number of mutants per seed, one of each in turn, so that an interrupted
//! run has covered every seed.

use crate::draw::Draw;
use crate::library::{Library, Prepared, logics};
use crate::truth;
use crate::{Form, MutantOptions};
use assay_case::{
    CaseId, Category, Claim, Expected, Formula, MakeError, ModelFault, Oracle, Origin, Selection,
    Suite, TestCase, Why, Witness, check_model, optimum, usual_budget,
};
use assay_forge::Permutation;
use assay_term::Model;

/// How a suite makes mutants.
pub(crate) trait Strategy: Send + Sync {
    /// The suite's name.
    fn name(&self) -> &'static str;

    /// What its mutants depend on.
    fn needs(&self) -> Needs {
        Needs { truth: true, equalities: false }
    }

    /// Makes a mutant of a seed.
    ///
    /// # Errors
    /// If this seed gives no mutant.
    fn mutate(&self, order: &Order<'_>) -> Result<Mutant, MakeError>;
}

/// Parts of seeds that only some mutants need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Needs {
    /// Their truth.
    pub(crate) truth: bool,
    /// The equalities over their sorts.
    pub(crate) equalities: bool,
}

/// A mutant to be made.
pub(crate) struct Order<'o> {
    pub(crate) library: &'o Library,
    pub(crate) config: &'o MutantOptions,
    /// The seed.
    pub(crate) seed: usize,
    pub(crate) prepared: &'o Prepared,
    /// The index of the mutant among those of the seed, from zero.
    pub(crate) number: u32,
}

impl Order<'_> {
    /// The random choices for this mutant. They depend on the seed's name, not on its index.
    pub(crate) fn draw(&self) -> Draw {
        let name = self.prepared.seed.name().bytes().map(u64::from);
        let mut numbers: Vec<u64> = vec![self.config.rng, u64::from(self.number)];
        numbers.extend(name);
        Draw::new(&numbers)
    }

    /// The form that this mutant is made in.
    pub(crate) fn form(&self) -> Form {
        let forms = Form::ALL;
        self.config.form.unwrap_or(forms[self.number as usize % forms.len()])
    }
}

/// A mutant and its truth.
pub(crate) struct Mutant {
    pub(crate) formula: Formula,
    pub(crate) belief: Belief,
    pub(crate) rules: Vec<String>,
    pub(crate) trace: Vec<String>,
    /// The names of the other seeds that it was made from.
    pub(crate) partners: Vec<String>,
}

/// The presumed truth of a mutant, before it is checked.
pub(crate) enum Belief {
    /// Satisfiable: this model satisfies it, or it is declared so.
    Sat(Option<Model>, Claim),
    /// Unsatisfiable.
    Unsat(Why),
    /// Unknown.
    Open,
}

/// The mutants of a library of seeds.
pub(crate) struct Mutants {
    library: Library,
    config: MutantOptions,
    strategy: Box<dyn Strategy>,
    /// The logics, in order; each has two categories: seeds and mutants.
    logics: Vec<String>,
}

/// The first index of a seed is its number times this; the seed itself comes before its mutants.
const PER_SEED: u128 = 1 << 32;

impl Mutants {
    pub(crate) fn new(
        library: Library,
        config: MutantOptions,
        strategy: Box<dyn Strategy>,
    ) -> Mutants {
        let logics = logics(&library.files);
        Mutants { library, config, strategy, logics }
    }

    /// The id of a case: 0 is the seed, 1 its first mutant.
    fn id(&self, seed: usize, number: u32) -> CaseId {
        let logic = &self.library.files[seed].logic;
        let logic = self.logics.binary_search(logic).expect("every seed's logic is listed");
        let category = 2 * logic + usize::from(number > 0);
        CaseId {
            category: u32::try_from(category).expect("few logics"),
            index: seed as u128 * PER_SEED + u128::from(number),
        }
    }

    /// Every case, one of each seed in turn; `--rng` determines the order of the seeds. A mutant comes
    /// before the seed itself, so that the first cases are mutants.
    fn all(&self, rng: u64) -> impl Iterator<Item = CaseId> + Send + '_ {
        let mut order: Vec<usize> = (0..self.library.files.len()).collect();
        let mut draw = Draw::new(&[rng, order.len() as u64]);
        for last in (1..order.len()).rev() {
            order.swap(last, draw.below(last + 1));
        }
        let numbers = [1, 0].into_iter().chain(2..=self.config.mutants);
        numbers.flat_map(move |number| {
            let order = order.clone();
            order.into_iter().map(move |seed| self.id(seed, number))
        })
    }

    /// Every case, in a pseudo-random order.
    fn shuffled(&self, rng: u64) -> impl Iterator<Item = CaseId> + Send + '_ {
        let per_seed = u128::from(self.config.mutants) + 1;
        let total = self.library.files.len() as u128 * per_seed;
        let order = Permutation::new(total, rng);
        (0..total).map(move |at| {
            let at = order.apply(at);
            // Both factors fit their types before the multiplication.
            self.id((at / per_seed) as usize, (at % per_seed) as u32)
        })
    }

    fn case(
        &self,
        id: CaseId,
        number: u32,
        made: Mutant,
        name: &str,
    ) -> Result<TestCase, MakeError> {
        let Mutant { formula, belief, rules, trace, partners } = made;
        let oracle = oracle(&formula, belief)?;
        let seeds = [name.to_owned()].into_iter().chain(partners).collect();
        let origin = Origin {
            suite: self.strategy.name().to_owned(),
            category: self.category(number).to_owned(),
            rules,
            seed: self.config.rng,
            index: id.index,
            seeds,
            trace,
        };
        let stem = name.strip_suffix(".smt2").unwrap_or(name).replace(['/', '\\'], "-");
        let case = TestCase::formula(format!("{stem}-{number}"), formula, oracle, origin);
        case.map_err(MakeError::fault)
    }

    fn category(&self, number: u32) -> &'static str {
        if number == 0 { "seed" } else { self.strategy.name() }
    }
}

/// The selected cases, of all in order or in a pseudo-random order.
pub(crate) fn choose<'s, O, S>(
    selection: &Selection,
    categories: &[Category],
    ordered: impl FnOnce() -> O,
    shuffled: impl FnOnce() -> S,
) -> Box<dyn Iterator<Item = CaseId> + Send + 's>
where
    O: Iterator<Item = CaseId> + Send + 's,
    S: Iterator<Item = CaseId> + Send + 's,
{
    let wanted: Vec<bool> = categories.iter().map(|c| selection.wants(c)).collect();
    let wanted = move |id: &CaseId| wanted[id.category as usize];
    if let Some(each) = selection.each {
        let mut left = vec![each; categories.len()];
        return selection.cut(shuffled().filter(wanted).filter(move |id| {
            let left = &mut left[id.category as usize];
            let take = *left > 0;
            *left -= u64::from(take);
            take
        }));
    }
    match selection.sample {
        Some(count) => {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            selection.cut(shuffled().filter(wanted).take(count))
        }
        None => selection.cut(ordered().filter(wanted)),
    }
}

/// The truth of a mutant: the presumed one, checked if possible, with the optima if they can be computed.
fn oracle(formula: &Formula, belief: Belief) -> Result<Oracle, MakeError> {
    let oracle = presumed(formula, belief)?;
    Ok(match oracle {
        Oracle::Sat(_) | Oracle::Open => optimum(formula, &mut usual_budget()).unwrap_or(oracle),
        other => other,
    })
}

fn presumed(formula: &Formula, belief: Belief) -> Result<Oracle, MakeError> {
    Ok(match belief {
        Belief::Sat(Some(model), source) => match check_model(formula, model) {
            Ok(model) => Oracle::Sat(Witness::Checked(model)),
            Err(ModelFault::Unknown { .. } | ModelFault::Slow(_)) => {
                Oracle::Sat(Witness::Declared(source))
            }
            // Every mutation must keep the model. One that does not is a bug of ours.
            Err(fault @ ModelFault::False(_)) => {
                let text = formula.text();
                return Err(MakeError::fault(format!(
                    "a mutation lost its model: {fault}\n{text}"
                )));
            }
        },
        Belief::Sat(None, source) => Oracle::Sat(Witness::Declared(source)),
        Belief::Unsat(why) => Oracle::Unsat { why, core: None },
        Belief::Open => Oracle::Open,
    })
}

impl Suite for Mutants {
    fn name(&self) -> &str {
        self.strategy.name()
    }

    fn categories(&self) -> Vec<Category> {
        let pair = |logic: &String| {
            [0, 1].map(|number| Category {
                name: self.category(number).to_owned(),
                group: logic.clone(),
                expected: Expected::Open,
            })
        };
        self.logics.iter().flat_map(pair).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let categories = self.categories();
        choose(selection, &categories, || self.all(selection.rng), || self.shuffled(selection.rng))
    }

    /// Each seed once before any seed twice: its first mutant, itself, its other mutants.
    fn round(&self, id: CaseId) -> u64 {
        match u64::try_from(id.index % PER_SEED).unwrap_or(u64::MAX) {
            0 => 1,
            1 => 0,
            number => number,
        }
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let no_such = || MakeError::NoSuchCase(format!("there is no mutant {id}"));
        let seed = usize::try_from(id.index / PER_SEED).map_err(|_| no_such())?;
        let number = u32::try_from(id.index % PER_SEED).map_err(|_| no_such())?;
        let file = self.library.files.get(seed).ok_or_else(no_such)?;
        if number > self.config.mutants || self.id(seed, number) != id {
            return Err(no_such());
        }
        let prepared = self.library.prepared(seed).map_err(MakeError::Unsuitable)?;
        let made = match number.checked_sub(1) {
            None => itself(&prepared),
            Some(number) => {
                let (library, config, prepared) = (&self.library, &self.config, &*prepared);
                self.strategy.mutate(&Order { library, config, seed, prepared, number })?
            }
        };
        self.case(id, number, made, &file.name)
    }
}

/// The seed as a case: with a model if one is known, otherwise with its declared status.
fn itself(prepared: &Prepared) -> Mutant {
    let source = Claim::from(truth::STATUS);
    let truth = prepared.truth.as_ref().ok();
    let model = truth.and_then(|truth| Some((truth.model.clone()?, truth.source.clone())));
    let belief = match (model, prepared.seed.declared()) {
        (Some((model, source)), _) => Belief::Sat(Some(model), source),
        (None, Some(true)) => Belief::Sat(None, source),
        (None, Some(false)) => {
            let proof = truth.and_then(|truth| truth.proof.clone());
            Belief::Unsat(proof.map_or_else(|| Why::Declared(source), Why::Proved))
        }
        (None, None) => Belief::Open,
    };
    let formula = prepared.seed.formula();
    Mutant { formula, belief, rules: Vec::new(), trace: Vec::new(), partners: Vec::new() }
}
