//! Sources of bytes: systematic, random, or guided by new behavior.

use crate::check::{Firmness, Tally, Violation};
use crate::first::{self, first_trace};
use crate::law::Law;
use crate::pool::{Decoder, TraceOptions};
use crate::program::Trace;
use crate::tester::Tester;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How inputs are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Systematic: every law with every choice of few operands, then more.
    Systematic,
    /// Random.
    Random,
    /// Mutates inputs that showed new behavior.
    Guided,
    /// libFuzzer, in a worker that is built with it; guided by the coverage of the domain's code too.
    Libfuzzer,
}

impl Engine {
    /// Every engine with its name.
    pub const ALL: [(Engine, &'static str); 4] = [
        (Engine::Systematic, "systematic"),
        (Engine::Random, "random"),
        (Engine::Guided, "guided"),
        (Engine::Libfuzzer, "libfuzzer"),
    ];

    /// The engines that choose inputs in any worker.
    pub const OWN: [Engine; 3] = [Engine::Systematic, Engine::Random, Engine::Guided];

    /// The engine of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Engine> {
        Engine::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Engine::ALL[self as usize].1
    }

    /// Its inputs for a configuration; `None` if they come from another program.
    #[must_use]
    pub fn inputs(self, config: &TraceOptions, seed: u64) -> Option<Box<dyn Inputs>> {
        match self {
            Engine::Systematic => Some(Box::new(Systematic { length: config.length(), count: 0 })),
            Engine::Random => Some(Box::new(RandomInputs::new(config, seed))),
            Engine::Guided => Some(Box::new(Guided::new(config, seed))),
            Engine::Libfuzzer => None,
        }
    }

    /// Whether what inputs show decides which come next.
    #[must_use]
    pub fn is_guided(self) -> bool {
        match self {
            Engine::Guided | Engine::Libfuzzer => true,
            Engine::Systematic | Engine::Random => false,
        }
    }
}

/// When a search tests its first cases, which are small elements in all pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstCases {
    /// Never.
    Never,
    /// In turns with the inputs of the engine.
    InTurns,
    /// Before the first input of the engine, so that their coverage is not taken for that of an input.
    Before,
}

/// A source of inputs.
pub trait Inputs {
    /// The next input.
    fn next(&mut self) -> Vec<u8>;

    /// When the search tests small elements in all pairs.
    fn first_cases(&self) -> FirstCases {
        FirstCases::Never
    }

    /// Reports the features of the last input; most engines ignore them.
    fn learn(&mut self, _features: &[u64]) {}

    /// Whether it uses features.
    fn learns(&self) -> bool {
        false
    }

    /// Takes inputs that showed new behavior before; most engines ignore them.
    fn recall(&mut self, _corpus: Vec<Vec<u8>>) {}

    /// The inputs that it has learned from since the last call.
    fn learnt(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// Numbers as bytes, spread over the input so that early choices vary fastest.
pub struct Systematic {
    length: usize,
    count: u64,
}

impl Inputs for Systematic {
    fn next(&mut self) -> Vec<u8> {
        let mut input = vec![0; self.length];
        // Each byte contains the count's digits from a different position, so that all bytes change.
        let mut state = self.count;
        for (at, byte) in input.iter_mut().enumerate() {
            *byte = state as u8;
            state = state.rotate_right(8);
            if at % 8 == 7 {
                state = state.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(at as u64);
            }
        }
        self.count += 1;
        input
    }

    fn first_cases(&self) -> FirstCases {
        FirstCases::InTurns
    }
}

/// Inputs at random.
pub struct RandomInputs {
    rng: ChaCha8Rng,
    length: usize,
}

impl RandomInputs {
    /// The inputs for a seed.
    #[must_use]
    pub fn new(config: &TraceOptions, seed: u64) -> RandomInputs {
        RandomInputs { rng: ChaCha8Rng::seed_from_u64(seed), length: config.length() }
    }
}

impl Inputs for RandomInputs {
    fn next(&mut self) -> Vec<u8> {
        let mut input = vec![0; self.length];
        self.rng.fill_bytes(&mut input);
        input
    }
}

/// Mutations of inputs that showed new behavior.
pub struct Guided {
    rng: ChaCha8Rng,
    length: usize,
    /// The random search, and whether it provides the next input.
    fresh: RandomInputs,
    is_fresh: bool,
    corpus: Vec<Vec<u8>>,
    seen: FxHashSet<u64>,
    last: Vec<u8>,
    learnt: Vec<Vec<u8>>,
}

/// Maximum number of inputs kept; the oldest are dropped.
const CORPUS: usize = 512;

impl Guided {
    /// Starts without any inputs.
    #[must_use]
    pub fn new(config: &TraceOptions, seed: u64) -> Guided {
        Guided {
            rng: ChaCha8Rng::seed_from_u64(seed),
            length: config.length(),
            fresh: RandomInputs::new(config, seed),
            is_fresh: false,
            corpus: Vec::new(),
            seen: FxHashSet::default(),
            last: Vec::new(),
            learnt: Vec::new(),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.rng.next_u64() % bound.max(1) as u64) as usize
    }

    fn mutate(&mut self) -> Vec<u8> {
        let at = self.below(self.corpus.len());
        let mut input = self.corpus[at].clone();
        for _ in 0..=self.below(8) {
            let place = self.below(input.len());
            match self.below(4) {
                0 => input[place] = self.rng.next_u64() as u8,
                1 => input[place] = input[place].wrapping_add(1),
                2 => {
                    let end = (place + 1 + self.below(24)).min(input.len());
                    let tail = &mut input[place..end];
                    self.rng.fill_bytes(tail);
                }
                _ => {
                    let other = self.below(self.corpus.len());
                    let end = (place + 1 + self.below(64)).min(input.len());
                    input[place..end].copy_from_slice(&self.corpus[other][place..end]);
                }
            }
        }
        input
    }
}

impl Inputs for Guided {
    fn next(&mut self) -> Vec<u8> {
        // Every other input is the next of a random search, so whatever that finds is found here too.
        self.is_fresh = !self.is_fresh;
        let input = match self.is_fresh || self.corpus.is_empty() {
            true => self.fresh.next(),
            false => self.mutate(),
        };
        self.last.clone_from(&input);
        input
    }

    fn learn(&mut self, features: &[u64]) {
        let before = self.seen.len();
        self.seen.extend(features);
        if self.seen.len() == before {
            return;
        }
        self.learnt.push(self.last.clone());
        if self.corpus.len() < CORPUS {
            self.corpus.push(self.last.clone());
        } else {
            let at = self.below(CORPUS);
            self.corpus[at].clone_from(&self.last);
        }
    }

    fn learns(&self) -> bool {
        true
    }

    fn first_cases(&self) -> FirstCases {
        FirstCases::InTurns
    }

    fn recall(&mut self, corpus: Vec<Vec<u8>>) {
        self.corpus.extend(corpus.into_iter().filter(|input| input.len() == self.length));
        self.corpus.truncate(CORPUS);
    }

    fn learnt(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.learnt)
    }
}

/// A search for violations: an engine, a configuration and laws on one domain.
pub struct Search<'s> {
    tester: &'s dyn Tester,
    /// The set of choices never changes, so an input always gives the same case.
    decoder: Decoder,
    open: Vec<&'static Law>,
    /// Laws whose soft violations are already known.
    hushed: Vec<&'static Law>,
    inputs: Box<dyn Inputs>,
    /// The first cases that are still to be tested.
    firsts: Range<u32>,
    /// The statistics so far.
    pub tally: Tally,
    /// The number of inputs tested so far.
    pub tried: u64,
    features: Vec<u64>,
}

/// A case that shows a violation, with its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hit {
    /// The failing assertion and the steps it needs.
    pub case: Trace,
    /// The violation.
    pub violation: Violation,
    /// The whole input.
    pub input: Vec<u8>,
}

impl<'s> Search<'s> {
    /// A search with the laws that apply to the domain, or the selected ones among them.
    #[must_use]
    pub fn new(
        tester: &'s dyn Tester,
        config: TraceOptions,
        inputs: Box<dyn Inputs>,
        only: &[&'static Law],
    ) -> Search<'s> {
        let laws = laws_for(tester, only);
        let (tally, features) = (Tally::default(), Vec::new());
        let open = laws.clone();
        let config = TraceOptions { hinted: tester.profile().hinted, ..config };
        let decoder = Decoder::new(tester.profile().shape, config, laws);
        let firsts = match inputs.first_cases() {
            FirstCases::Never => 0..0,
            FirstCases::InTurns | FirstCases::Before => 0..decoder.first_cases(),
        };
        let hushed = Vec::new();
        Search { tester, decoder, open, hushed, inputs, firsts, tally, tried: 0, features }
    }

    /// Leaves out this many of the first cases.
    pub fn skip_first(&mut self, count: u32) {
        self.firsts.start = self.firsts.start.max(count);
    }

    /// The next input: a first case or what the engine chooses.
    fn next_input(&mut self) -> Vec<u8> {
        let its_turn = self.tried & 1 == 0 || self.inputs.first_cases() == FirstCases::Before;
        match if its_turn { self.firsts.next() } else { None } {
            Some(number) => first::input(number),
            None => self.inputs.next(),
        }
    }

    /// Removes laws from the search, when enough is known about them.
    pub fn retire(&mut self, law: &Law) {
        self.open.retain(|kept| kept.name != law.name);
    }

    /// Stops reporting soft violations of a law; hard ones still count.
    pub fn hush(&mut self, law: &'static Law) {
        self.hushed.push(law);
    }

    /// The laws that are still tested.
    #[must_use]
    pub fn open_laws(&self) -> &[&'static Law] {
        &self.open
    }

    /// Inputs with new behavior since the last call.
    pub fn learnt(&mut self) -> Vec<Vec<u8>> {
        self.inputs.learnt()
    }

    /// Tests one more input.
    pub fn step(&mut self) -> Option<Hit> {
        let input = self.next_input();
        self.attempt(input)
    }

    /// Tests one more input, after a callback has seen it.
    ///
    /// # Errors
    /// If the callback fails.
    pub fn step_after<E>(
        &mut self,
        show: impl FnOnce(&[u8]) -> Result<(), E>,
    ) -> Result<Option<Hit>, E> {
        let input = self.next_input();
        show(&input)?;
        Ok(self.attempt(input))
    }

    fn attempt(&mut self, input: Vec<u8>) -> Option<Hit> {
        self.tried += 1;
        let mut case = self.decoder.decode(&input);
        if self.open.len() < self.decoder.laws().len() {
            case.checks.retain(|check| self.open.contains(&check.law));
        }
        let failed = if self.inputs.learns() && first_trace(&input).is_none() {
            self.features.clear();
            let failed = self.tester.explore(&case, &mut self.tally, &mut self.features);
            self.inputs.learn(&self.features);
            failed
        } else {
            self.tester.run(&case, &mut self.tally)
        };
        let known = |violation: &Violation| {
            violation.firmness == Firmness::Soft && self.hushed.contains(&violation.law)
        };
        let news = failed.into_iter().find(|(_, violation)| !known(violation));
        news.map(|(check, violation)| Hit { case: case.slice(check), violation, input })
    }
}

/// The laws that apply to a domain, or the selected ones among them.
#[must_use]
pub fn laws_for(tester: &dyn Tester, only: &[&'static Law]) -> Vec<&'static Law> {
    let wanted = |law: &&Law| only.is_empty() || only.iter().any(|named| named.name == law.name);
    let applies = |law: &&Law| law.applies_to(tester.profile());
    crate::LAWS.iter().filter(wanted).filter(applies).collect()
}
