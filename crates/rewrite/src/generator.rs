//! Numbered terms: each is made from its source and its number alone.

use crate::grow::Grower;
use crate::seeds::{self, Seed};
use assay_case::rewrite::is_disputed;
use assay_forge::rules::{RuleError, Sides, rules};
use assay_grow::{Signature, rows};
use assay_mutate::Draw;
use assay_term::{Op, Replacements, Store, TermId};
use rustc_hash::FxHashSet;
use std::path::PathBuf;

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
    /// The operator table.
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
    rules: Vec<Ruled>,
    seeds: Vec<Seed>,
}

/// A signature whose store knows the terms of rules.
struct Ruled {
    signature: usize,
    store: Store,
    sides: Vec<Sides>,
}

/// A part of the terms that are made in the same way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Where they come from.
    pub source: Source,
    /// The signature's name; `files` for seeds.
    pub group: String,
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
                ruled.push(Ruled { signature: number, store, sides });
            }
            operators.push(signature);
        }
        let files = seeds::files(&config.seeds)?;
        let seeds = files.into_iter().map(|path| Seed::new(path, config.largest)).collect();
        Ok(Generator { config, operators, rules: ruled, seeds })
    }

    /// The parts, in the order in which [`Generator::make`] counts them.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let part = |source, group: &str| Part { source, group: group.to_owned() };
        let mut parts: Vec<Part> =
            self.operators.iter().map(|s| part(Source::Operators, &s.name)).collect();
        let ruled = self.rules.iter().map(|ruled| &self.operators[ruled.signature].name);
        parts.extend(ruled.map(|name| part(Source::Rules, name)));
        if !self.seeds.is_empty() {
            parts.push(part(Source::Seeds, "files"));
        }
        parts
    }

    /// A term of a part; `None` if this number has none that every solver reads alike.
    #[must_use]
    pub fn make(&self, part: usize, index: u64) -> Option<(Store, TermId)> {
        self.drawn(part, index).filter(|(store, term)| !is_disputed(store, *term))
    }

    fn drawn(&self, part: usize, index: u64) -> Option<(Store, TermId)> {
        let mut draw = Draw::new(&[self.config.rng, part as u64, index]);
        if let Some(signature) = self.operators.get(part) {
            return self.applied(signature, index, &mut draw);
        }
        if let Some(ruled) = self.rules.get(part - self.operators.len()) {
            return self.instance(ruled, index, &mut draw);
        }
        let seed = index.checked_rem(self.seeds.len() as u64)?;
        self.seeds[usize::try_from(seed).ok()?].term(&mut draw)
    }

    /// An application of the operator whose turn it is.
    fn applied(
        &self,
        signature: &Signature,
        index: u64,
        draw: &mut Draw,
    ) -> Option<(Store, TermId)> {
        let turn = index.checked_rem(signature.roots.len() as u64)?;
        let root = &signature.roots[usize::try_from(turn).ok()?];
        let depth = 1 + draw.below(self.config.depth.max(1) as usize) as u32;
        let mut store = signature.store.clone();
        let term = Grower::new(signature, &mut store, draw).root(root, depth)?;
        Some((store, term))
    }

    /// A side of the rule whose turn it is, with terms for its variables.
    fn instance(&self, ruled: &Ruled, index: u64, draw: &mut Draw) -> Option<(Store, TermId)> {
        let turn = index.checked_rem(ruled.sides.len() as u64)?;
        let sides = &ruled.sides[usize::try_from(turn).ok()?];
        let mut store = ruled.store.clone();
        let term = *draw.of(&sides.terms)?;
        let signature = &self.operators[ruled.signature];
        let mut grower = Grower::new(signature, &mut store, draw);
        let mut by = Replacements::default();
        for &param in &sides.params {
            if grower.draw.below(3) < 2 {
                let sort = grower.store.sort(param);
                let depth = grower.draw.below(3) as u32;
                by.extend(grower.term(sort, depth).map(|new| (param, new)));
            }
        }
        let term = store.replaced(term, &mut by).ok()?;
        Some((store, term))
    }
}
