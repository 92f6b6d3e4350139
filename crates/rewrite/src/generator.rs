//! Numbered terms: each is made from its source and its number alone.

use crate::grow::Grower;
use crate::seeds::{self, Seed};
use crate::systematic::{self, Met, Pairs};
use assay_case::rewrite::is_disputed;
use assay_forge::rules::{RuleError, Sides, rules};
use assay_grow::{Producer, Signature, rows};
use assay_mutate::{Draw, Pool};
use assay_term::{Op, Replacements, Store, TermId};
use rustc_hash::FxHashSet;
use std::path::PathBuf;
use std::sync::Arc;

/// The signatures that come with the program.
const TABLE: &str = include_str!("../signatures.toml");

/// Variables of each sort.
const VARIABLES: usize = 2;

/// How terms are to be made.
#[derive(Clone, Debug)]
pub struct RewriteOptions {
    /// Operators that whoever reads the terms does not know.
    pub avoid: FxHashSet<Op>,
    /// Files, or folders of files, with formulas whose parts are terms.
    pub seeds: Vec<PathBuf>,
    /// Larger files are left out.
    pub largest: usize,
    /// Maximum nesting depth of operators.
    pub depth: u32,
    /// Decides what is drawn.
    pub rng: u64,
}

impl Default for RewriteOptions {
    fn default() -> RewriteOptions {
        RewriteOptions {
            avoid: FxHashSet::default(),
            seeds: Vec::new(),
            largest: 100_000,
            depth: 4,
            rng: 0,
        }
    }
}

/// Where terms come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// Every operator over all of its constants.
    Constants,
    /// Every operator above every other one, over few leaves.
    Pairs,
    /// The operator table, at random.
    Operators,
    /// Certified rules.
    Rules,
    /// Files.
    Seeds,
}

impl Source {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Source::Constants => "constants",
            Source::Pairs => "pairs",
            Source::Operators => "operators",
            Source::Rules => "rules",
            Source::Seeds => "seeds",
        }
    }
}

/// Why there is no generator.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// A signature cannot be read.
    #[error("{0}")]
    Signature(String),
    /// A rule cannot be read.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// A folder without seeds.
    #[error("{}: no .smt2 files found", .0.display())]
    NoSeeds(PathBuf),
    /// A file or folder that cannot be read.
    #[error("{}: {source}", .path.display())]
    Unread {
        /// Which.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

/// Makes terms.
pub struct Generator {
    config: RewriteOptions,
    operators: Vec<Signature>,
    /// Copies of the store of each signature.
    stores: Vec<Pool>,
    /// The pairs of operators of each signature.
    pairs: Vec<Pairs>,
    rules: Vec<Ruled>,
    seeds: Vec<Seed>,
    parts: Vec<Part>,
}

/// Of the cases of a round, how many are from each source. Within a source, signatures have turns by the
/// number of their operators, pairs or rules.
const TURNS: [(Source, usize); 5] = [
    (Source::Constants, 60),
    (Source::Pairs, 140),
    (Source::Operators, 20),
    (Source::Rules, 20),
    (Source::Seeds, 120),
];

/// A signature whose store knows the terms of rules.
struct Ruled {
    signature: usize,
    store: Store,
    /// Copies of the store.
    stores: Pool,
    sides: Vec<Sides>,
}

/// A part of the terms that are made in the same way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Where they come from.
    pub source: Source,
    /// The signature's name; `files` for seeds.
    pub group: String,
    /// How many cases of a round are of this part.
    pub turns: u64,
    /// The number of its signature, or of its signature with rules.
    number: usize,
}

impl Generator {
    /// Reads signatures and rules.
    ///
    /// # Errors
    /// Where one of them cannot be read.
    pub fn new(config: RewriteOptions) -> Result<Generator, RewriteError> {
        let rows = rows(TABLE).map_err(|error| RewriteError::Signature(error.to_string()))?;
        let all = rules()?;
        let (mut operators, mut ruled) = (Vec::new(), Vec::new());
        for (number, row) in rows.iter().enumerate() {
            let signature =
                Signature::new(row, VARIABLES, &config.avoid).map_err(RewriteError::Signature)?;
            let mut store = signature.store.clone();
            let mut sides = Vec::new();
            for rule in all.iter().filter(|rule| row.rules.iter().any(|t| t == rule.theory())) {
                sides.extend(rule.sides(&mut store)?);
            }
            sides.retain(|sides| {
                let parts = store.postorder(&sides.terms);
                let mut operators = parts.iter().filter_map(|&part| store.operator(part));
                operators.all(|(op, _)| !config.avoid.contains(&op))
            });
            if !sides.is_empty() {
                ruled.push(Ruled { signature: number, store, stores: Pool::default(), sides });
            }
            operators.push(signature);
        }
        let files = seeds::files(&config.seeds)?;
        let seeds: Vec<Seed> =
            files.into_iter().map(|path| Seed::new(path, config.largest)).collect();
        let mut met = Met::default();
        let pairs: Vec<Pairs> = operators.iter().map(|own| Pairs::new(own, &mut met)).collect();
        let mut parts = Vec::new();
        for (source, turns) in TURNS {
            let sizes: Vec<(&str, usize)> = match source {
                Source::Constants | Source::Operators => {
                    operators.iter().map(|own| (&*own.name, own.roots.len())).collect()
                }
                Source::Pairs => {
                    let pairs = pairs.iter().map(|pairs| pairs.all.len());
                    operators.iter().map(|own| &*own.name).zip(pairs).collect()
                }
                Source::Rules => {
                    let name = |own: &Ruled| (&*operators[own.signature].name, own.sides.len());
                    ruled.iter().map(name).collect()
                }
                Source::Seeds => (!seeds.is_empty()).then_some(("files", 1)).into_iter().collect(),
            };
            let all: usize = sizes.iter().map(|(_, size)| size).sum();
            parts.extend(sizes.into_iter().enumerate().map(|(number, (group, size))| {
                let turns = (turns * size).div_ceil(all.max(1)) as u64;
                Part { source, group: group.to_owned(), turns, number }
            }));
        }
        let stores = operators.iter().map(|_| Pool::default()).collect();
        Ok(Generator { config, operators, stores, pairs, rules: ruled, seeds, parts })
    }

    /// The parts, in the order in which [`Generator::make`] counts them.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// A term of a part; `None` if this number has none that every solver reads alike.
    #[must_use]
    pub fn make(&self, part: usize, index: u64) -> Option<(Arc<Store>, TermId)> {
        self.drawn(part, index).filter(|(store, term)| !is_disputed(store, *term))
    }

    fn drawn(&self, part: usize, index: u64) -> Option<(Arc<Store>, TermId)> {
        let draw = &mut Draw::new(&[self.config.rng, part as u64, index]);
        let Part { source, number, .. } = *self.parts.get(part)?;
        let (stores, base) = match source {
            Source::Seeds => {
                let (store, term) = self.seeds[turn(self.seeds.len(), index)?.0].term(draw)?;
                return Some((Arc::new(store), term));
            }
            Source::Rules => (&self.rules[number].stores, &self.rules[number].store),
            _ => (&self.stores[number], &self.operators[number].store),
        };
        let mut shared = stores.take(base);
        let store = Arc::get_mut(&mut shared).expect("nobody else has it");
        let term = match source {
            Source::Constants => self.on_constants(number, index, store, draw),
            Source::Pairs => self.paired(number, index, store, draw),
            Source::Rules => self.instance(&self.rules[number], index, store, draw),
            _ => self.applied(&self.operators[number], index, store, draw),
        };
        stores.put(&shared);
        Some((shared, term?))
    }

    /// Whether a number of a part is tried with the plain request alone: constants, and small terms.
    #[must_use]
    pub fn is_plain(&self, part: usize, index: u64) -> bool {
        let Some(&Part { source, number, .. }) = self.parts.get(part) else { return false };
        match source {
            Source::Constants => true,
            Source::Pairs => self
                .pair(number, index)
                .is_some_and(|(both, _, round)| u128::from(round) < systematic::count_nested(both)),
            _ => false,
        }
    }

    /// The two operators whose turn it is, the number of the pair, and how many turns it had before.
    fn pair(&self, number: usize, index: u64) -> Option<([&Producer; 2], usize, u64)> {
        let (signature, pairs) = (&self.operators[number], &self.pairs[number]);
        let (at, round) = turn(pairs.all.len(), index)?;
        let pair = pairs.all[at];
        Some(([&signature.roots[pair.above], &pairs.operators[pair.below]], at, round))
    }

    /// An operator over constants: all of them, then random ones.
    fn on_constants(
        &self,
        number: usize,
        index: u64,
        store: &mut Store,
        draw: &mut Draw,
    ) -> Option<TermId> {
        let signature = &self.operators[number];
        let (at, round) = turn(signature.roots.len(), index)?;
        let root = &signature.roots[at];
        let order = self.config.rng ^ at as u64;
        systematic::on_constants(signature, store, root, round.into(), order)
            .or_else(|| Grower::new(signature, store, draw).on_leaves(root))
    }

    /// An operator above another: all small terms, then random ones.
    fn paired(
        &self,
        number: usize,
        index: u64,
        store: &mut Store,
        draw: &mut Draw,
    ) -> Option<TermId> {
        let signature = &self.operators[number];
        let (both, at, round) = self.pair(number, index)?;
        let order = self.config.rng ^ at as u64;
        systematic::nested(signature, store, both, round.into(), order)
            .or_else(|| Grower::new(signature, store, draw).nested(both[0], both[1], 1))
    }

    /// An application of the operator whose turn it is.
    fn applied(
        &self,
        signature: &Signature,
        index: u64,
        store: &mut Store,
        draw: &mut Draw,
    ) -> Option<TermId> {
        let (at, _) = turn(signature.roots.len(), index)?;
        let depth = 1 + draw.below(self.config.depth.max(1) as usize) as u32;
        Grower::new(signature, store, draw).root(&signature.roots[at], depth)
    }

    /// A side of the rule whose turn it is, with terms for its variables.
    fn instance(
        &self,
        ruled: &Ruled,
        index: u64,
        store: &mut Store,
        draw: &mut Draw,
    ) -> Option<TermId> {
        let (at, _) = turn(ruled.sides.len(), index)?;
        let sides = &ruled.sides[at];
        let term = *draw.of(&sides.terms)?;
        let signature = &self.operators[ruled.signature];
        let mut grower = Grower::new(signature, store, draw);
        let mut by = Replacements::default();
        for &param in &sides.params {
            if grower.draw.below(3) < 2 {
                let sort = grower.store.sort(param);
                let depth = grower.draw.below(3) as u32;
                by.extend(grower.term(sort, depth).map(|new| (param, new)));
            }
        }
        store.replaced(term, &mut by).ok()
    }
}

/// Whose turn it is among some, and how many turns it had before.
fn turn(among: usize, index: u64) -> Option<(usize, u64)> {
    let among = among as u64;
    Some((index.checked_rem(among)? as usize, index / among))
}
