//! Certified equalities, read both ways, applied to any term: what `equal` does to seeds and `rewritten` to
//! random terms.
//!
//! A rule is used at sorts that the formula has, and certified at these sorts before its first use.

use crate::draw::Draw;
use crate::import::Import;
use assay_forge::rules::{Effort, Identity, Rule, certify, rules};
use assay_term::theories::core;
use assay_term::{Evaluator, Func, Limits, Model, Op, Sort, SortId, Store, Term, TermId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, RwLock};

/// The rules that come with the program.
fn tables() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| rules().expect("a test reads the tables"))
}

/// The tables are certified as a whole by `assay rules --certify`; this is about the sorts of a formula.
const EFFORT: Effort = Effort { evaluations: 1_000, random: 60, seed: 0 };

/// Whether rules were certified, by name and words.
type Ledger = Mutex<FxHashMap<String, Arc<OnceLock<bool>>>>;

static CERTIFIED: LazyLock<Ledger> = LazyLock::new(Ledger::default);

/// A rule at some sorts.
struct Claim {
    rule: Rule,
    certified: Arc<OnceLock<bool>>,
}

impl Claim {
    /// A rule with these words, which share what is found out about them.
    fn new(rule: Rule, words: &str) -> Claim {
        let mut ledger = CERTIFIED.lock().unwrap_or_else(PoisonError::into_inner);
        let label = format!("{} {words}", rule.name());
        Claim { rule, certified: Arc::clone(ledger.entry(label).or_default()) }
    }

    /// Whether formulas may use it: it holds for every assignment that was tried, and none was undecided.
    fn is_certified(&self) -> bool {
        *self.certified.get_or_init(|| {
            let certificate = certify(&self.rule, EFFORT);
            certificate.is_ok_and(|c| c.evidence().iter().all(|evidence| evidence.unknown == 0))
        })
    }
}

/// An equality, one of whose sides is put in place of the other.
#[derive(Clone, Copy)]
struct Way {
    /// Which identity of its block.
    identity: usize,
    /// Which side is replaced.
    old: usize,
}

/// The outermost part of a term; it means the same in the store of the rules and in that of a formula.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Head {
    Func(Func),
    Literal(Value),
}

impl Head {
    fn of(store: &Store, term: TermId) -> Option<Head> {
        match store.get(term) {
            Term::App(func, _) => Some(Head::Func(store.func(func).clone())),
            Term::Literal(value) => Some(Head::Literal(value.clone())),
            _ => None,
        }
    }
}

/// An identity of a rule, and what a formula must have for it.
struct Said {
    claim: usize,
    identity: Identity,
    sorts: Vec<SortId>,
    ops: Vec<Op>,
}

/// The equalities of one theory at some sorts, as terms of the store of the rules.
#[derive(Default)]
struct Block {
    claims: Vec<Claim>,
    said: Vec<Said>,
    /// By the outermost part of the term that is replaced.
    shaped: FxHashMap<Head, Vec<Way>>,
    /// Those that replace any term of a sort.
    anything: FxHashMap<SortId, Vec<Way>>,
}

impl Block {
    /// Reads a rule. It may not apply to these words, such as one about single bits of a vector.
    fn add(&mut self, store: &mut Store, rule: Rule, words: &str) {
        let Ok(identities) = rule.identities(store) else { return };
        let claim = self.claims.len();
        self.claims.push(Claim::new(rule, words));
        for identity in identities {
            self.index(store, claim, identity);
        }
    }

    fn index(&mut self, store: &Store, claim: usize, identity: Identity) {
        let number = self.said.len();
        for (old, &side) in identity.sides.iter().enumerate() {
            let way = Way { identity: number, old };
            match identity.params.contains(&side) {
                true => self.anything.entry(store.sort(side)).or_default().push(way),
                false => {
                    let head = Head::of(store, side).expect("identities are without binders");
                    self.shaped.entry(head).or_default().push(way);
                }
            }
        }
        let terms: Vec<TermId> = identity.sides.into_iter().chain(identity.when).collect();
        let (mut sorts, mut ops) = (Vec::new(), Vec::new());
        for part in store.postorder(&terms) {
            sorts.push(store.sort(part));
            ops.extend(store.operator(part).map(|(op, _)| op));
        }
        sorts.sort_unstable();
        sorts.dedup();
        ops.sort_unstable();
        ops.dedup();
        self.said.push(Said { claim, identity, sorts, ops });
    }
}

/// The rules without declarations, read once for all formulas: reading them takes longer than making a
/// hundred mutants.
#[derive(Default)]
struct Shared {
    store: Store,
    /// By theory and words.
    blocks: FxHashMap<(&'static str, String), Arc<Block>>,
}

static SHARED: LazyLock<RwLock<Shared>> = LazyLock::new(RwLock::default);

/// Where the terms of the rules are.
enum Home {
    Shared,
    /// A store whose terms and declared sorts are also in the formulas' stores.
    Own(Box<Store>),
}

/// The equalities over the sorts of a formula.
pub struct Equalities {
    home: Home,
    blocks: Vec<Arc<Block>>,
    /// The formula's sorts, by those of the rules.
    sorts: FxHashMap<SortId, SortId>,
    /// Operators that the formula must not have.
    unknown: FxHashSet<Op>,
}

/// A term of a sort for a variable that a match leaves open.
pub type Fill<'f> = dyn FnMut(&mut Store, &mut Draw, SortId) -> Option<TermId> + 'f;

/// What takes the place of a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Equal {
    /// The rule.
    pub rule: String,
    /// The new term.
    pub new: TermId,
    /// What has to hold for the terms to be equal, if that is not known.
    pub when: Option<TermId>,
}

impl Equal {
    /// A term that equals the old one whether or not the side condition holds.
    pub fn guarded(&self, store: &mut Store, old: TermId) -> Option<TermId> {
        match self.when {
            None => Some(self.new),
            Some(when) => store.op(core::ITE, &[when, self.new, old]).ok(),
        }
    }
}

/// What the evaluation of a side condition may take; beyond that, it is not known to hold.
const SMALL: Limits =
    Limits { steps: 2_000, instances: 64, regex: 2_000, length: 1 << 12, bits: 1 << 12 };

/// Number of equalities that are tried on a term.
const TRIES: usize = 12;

impl Equalities {
    /// The equalities of all theories that stay within these sorts, without unknown operators.
    #[must_use]
    pub fn new(store: &Store, sorts: &[SortId], unknown: &FxHashSet<Op>) -> Equalities {
        let mut shared = SHARED.write().unwrap_or_else(PoisonError::into_inner);
        let shared = &mut *shared;
        let mut copies = Import::new(store, FxHashMap::default());
        // No rule is about a sort that the formula declares.
        let known = sorts
            .iter()
            .filter_map(|&sort| Some((copies.sort(&mut shared.store, sort).ok()?, sort)))
            .collect::<Vec<_>>();
        let own: Vec<SortId> = known.iter().map(|&(sort, _)| sort).collect();
        let mut blocks = Vec::new();
        for (theory, rules) in undeclared() {
            for words in words(&shared.store, theory, &own) {
                let key = (*theory, written(&words));
                let block = shared.blocks.entry(key).or_insert_with_key(|(_, label)| {
                    let mut block = Block::default();
                    for rule in rules {
                        block.add(&mut shared.store, at(rule, &words), label);
                    }
                    Arc::new(block)
                });
                blocks.push(Arc::clone(block));
            }
        }
        let sorts = known.into_iter().collect();
        Equalities { home: Home::Shared, blocks, sorts, unknown: unknown.clone() }
    }

    /// The equalities of some theories that stay within these sorts. The store must have the declarations of
    /// the rules, and the terms that they are applied to must be in copies of it.
    #[must_use]
    pub fn declared(store: &mut Store, sorts: &[SortId], theories: &[String]) -> Equalities {
        let mut block = Block::default();
        for rule in tables().iter().filter(|rule| theories.iter().any(|it| it == rule.theory())) {
            for words in words(store, rule.theory(), sorts) {
                block.add(store, at(rule, &words), &written(&words));
            }
        }
        Equalities {
            home: Home::Own(Box::new(store.clone())),
            blocks: vec![Arc::new(block)],
            sorts: sorts.iter().map(|&sort| (sort, sort)).collect(),
            unknown: FxHashSet::default(),
        }
    }

    /// Whether no equality fits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.blocks.iter().flat_map(|block| &block.said).any(|said| self.fits(said))
    }

    fn fits(&self, said: &Said) -> bool {
        said.sorts.iter().all(|sort| self.sorts.contains_key(sort))
            && !said.ops.iter().any(|op| self.unknown.contains(op))
    }

    /// A term that equals this one by one of the equalities.
    pub fn step(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        term: TermId,
        fill: &mut Fill<'_>,
    ) -> Option<Equal> {
        let shared;
        let (from, is_same) = match &self.home {
            Home::Own(store) => (&**store, true),
            Home::Shared => {
                shared = SHARED.read().unwrap_or_else(PoisonError::into_inner);
                (&shared.store, false)
            }
        };
        let site = Site { equalities: self, from, is_same, term };
        let sort = store.sort(term);
        let any: Vec<(&Block, &[Way])> = match self.sorts.iter().find(|(_, own)| **own == sort) {
            Some((home, _)) => self.ways(|block| block.anything.get(home)),
            None => Vec::new(),
        };
        let shaped = match Head::of(store, term) {
            Some(head) => self.ways(|block| block.shaped.get(&head)),
            None => Vec::new(),
        };
        let lists = match draw.below(3) {
            0 => [any, shaped],
            _ => [shaped, any],
        };
        for list in lists.into_iter().filter(|list| !list.is_empty()) {
            let flat =
                || list.iter().flat_map(|&(block, ways)| ways.iter().map(move |&w| (block, w)));
            let count: usize = list.iter().map(|(_, ways)| ways.len()).sum();
            let start = draw.below(count);
            let turned = flat().skip(start).chain(flat().take(start));
            let fitting = turned.filter(|(block, way)| self.fits(&block.said[way.identity]));
            for (block, way) in fitting.take(TRIES) {
                if let Some(equal) = site.apply(store, draw, (block, way), fill) {
                    return Some(equal);
                }
            }
        }
        None
    }

    fn ways<'b>(
        &'b self,
        of: impl Fn(&'b Block) -> Option<&'b Vec<Way>>,
    ) -> Vec<(&'b Block, &'b [Way])> {
        let found = |block: &'b Arc<Block>| Some((&**block, of(block)?.as_slice()));
        self.blocks.iter().filter_map(found).collect()
    }
}

/// A term to which equalities are applied.
struct Site<'s> {
    equalities: &'s Equalities,
    /// The store of the rules.
    from: &'s Store,
    /// Whether declared sorts have the same handles in both stores.
    is_same: bool,
    term: TermId,
}

impl Site<'_> {
    fn apply(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        (block, way): (&Block, Way),
        fill: &mut Fill<'_>,
    ) -> Option<Equal> {
        let Said { claim, identity, .. } = &block.said[way.identity];
        let mut bound = FxHashMap::default();
        let (old, new) = (identity.sides[way.old], identity.sides[1 - way.old]);
        if !self.matches(store, old, self.term, &identity.params, &mut bound) {
            return None;
        }
        let claim = &block.claims[*claim];
        if !claim.is_certified() {
            return None;
        }
        if let Some(when) = identity.when {
            self.solve(store, when, &identity.params, &mut bound);
        }
        for &param in &identity.params {
            if let Entry::Vacant(open) = bound.entry(param) {
                let sort = self.equalities.sorts[&self.from.sort(param)];
                open.insert(fill(store, draw, sort)?);
            }
        }
        let new = self.built(store, new, &bound)?;
        if new == self.term {
            return None;
        }
        let when = match identity.when {
            None => None,
            Some(when) => {
                let when = self.built(store, when, &bound)?;
                let nothing = Model::new();
                match Evaluator::new(store, &nothing).with_limits(SMALL).holds(when) {
                    Ok(true) => None,
                    Ok(false) => return None,
                    Err(_) => Some(when),
                }
            }
        };
        Some(Equal { rule: claim.rule.name().to_owned(), new, when })
    }

    /// Matches a term of a formula with a pattern of a rule, and binds the rule's variables. Patterns are
    /// ours, and small.
    fn matches(
        &self,
        store: &Store,
        pattern: TermId,
        term: TermId,
        params: &[TermId],
        bound: &mut FxHashMap<TermId, TermId>,
    ) -> bool {
        let sort = self.equalities.sorts.get(&self.from.sort(pattern));
        if sort != Some(&store.sort(term)) {
            return false;
        }
        if params.contains(&pattern) {
            return *bound.entry(pattern).or_insert(term) == term;
        }
        match (self.from.get(pattern), store.get(term)) {
            (Term::App(f, parts), Term::App(g, others)) => {
                self.from.func(f) == store.func(g)
                    && parts.len() == others.len()
                    && parts
                        .iter()
                        .zip(others)
                        .all(|(&part, &other)| self.matches(store, part, other, params, bound))
            }
            (Term::Literal(one), Term::Literal(other)) => one == other,
            _ => false,
        }
    }

    /// A term of a rule in the formula's store, with these terms for its variables.
    fn built(
        &self,
        store: &mut Store,
        term: TermId,
        bound: &FxHashMap<TermId, TermId>,
    ) -> Option<TermId> {
        let mut import = Import::with(self.from, bound.clone());
        if self.is_same {
            import = import.same_sorts();
        }
        import.term(store, term).ok()
    }

    /// Chooses values for variables that equations of a side condition determine.
    fn solve(
        &self,
        store: &mut Store,
        when: TermId,
        params: &[TermId],
        bound: &mut FxHashMap<TermId, TermId>,
    ) {
        let mut equations = Vec::new();
        let mut work = vec![when];
        while let Some(formula) = work.pop() {
            match self.from.operator(formula) {
                Some((core::AND, parts)) => work.extend(parts),
                Some((core::EQ, &[left, right])) => {
                    equations.extend([(left, right), (right, left)])
                }
                _ => {}
            }
        }
        for _ in 0..equations.len() {
            for &(variable, term) in &equations {
                let is_open = |term: TermId, bound: &FxHashMap<TermId, TermId>| {
                    let mut parts = self.from.postorder(&[term]).into_iter();
                    parts.any(|part| params.contains(&part) && !bound.contains_key(&part))
                };
                let is_free = params.contains(&variable) && !bound.contains_key(&variable);
                if is_free && !is_open(term, bound) {
                    if let Some(value) = self.built(store, term, bound) {
                        bound.insert(variable, value);
                    }
                }
            }
        }
    }
}

/// The rules without declarations, by theory.
fn undeclared() -> &'static [(&'static str, Vec<&'static Rule>)] {
    static BY_THEORY: OnceLock<Vec<(&'static str, Vec<&'static Rule>)>> = OnceLock::new();
    BY_THEORY.get_or_init(|| {
        let mut all: Vec<(&str, Vec<&Rule>)> = Vec::new();
        for rule in tables().iter().filter(|rule| !rule.has_declarations()) {
            match all.iter_mut().find(|(theory, _)| *theory == rule.theory()) {
                Some((_, rules)) => rules.push(rule),
                None => all.push((rule.theory(), vec![rule])),
            }
        }
        all
    })
}

/// The words of a table and their values.
type Words = Vec<(&'static str, String)>;

/// The values of words, which tell instances of a rule apart.
fn written(words: &Words) -> String {
    let values: Vec<&str> = words.iter().map(|(_, value)| value.as_str()).collect();
    values.join(" ")
}

/// A rule with these words; without any, at the sorts that its table names.
fn at(rule: &Rule, words: &Words) -> Rule {
    if words.is_empty() { rule.clone() } else { rule.at(words) }
}

/// Whether rules of a theory may stay within these sorts. Reading one that does not is wasted.
fn may_fit(theory: &str, sorts: &[SortId]) -> bool {
    match theory {
        "ints" => sorts.contains(&SortId::INT),
        "reals" => sorts.contains(&SortId::REAL),
        "strings" => sorts.contains(&SortId::STRING),
        "regex" => sorts.contains(&SortId::REGLAN),
        "combined" => sorts.iter().filter(|&&sort| sort != SortId::BOOL).count() > 1,
        _ => true,
    }
}

/// The words for which a theory's rules are read: at each of these sorts that they are about, or once.
fn words(store: &Store, theory: &str, sorts: &[SortId]) -> Vec<Words> {
    if !may_fit(theory, sorts) {
        return Vec::new();
    }
    let generic = ["bitvectors", "floats", "arrays", "sequences", "sets", "bags", "ff"];
    if !generic.contains(&theory) {
        return vec![Words::new()];
    }
    let name = |sort: SortId| store.sort_name(sort);
    let of = |&sort: &SortId| {
        Some(match (theory, store.sorts.get(sort)) {
            ("bitvectors", Sort::BitVec(width)) => vec![("W", width.to_string())],
            ("floats", Sort::Float(format)) => vec![
                ("E", format.exponent_bits().to_string()),
                ("S", format.significand_bits().to_string()),
            ],
            ("arrays", Sort::Array(index, element)) => {
                vec![("I", name(*index)), ("E", name(*element))]
            }
            ("sequences", Sort::Seq(element))
            | ("sets", Sort::Set(element))
            | ("bags", Sort::Bag(element)) => vec![("E", name(*element))],
            ("ff", Sort::FiniteField(_)) => vec![("F", name(sort))],
            _ => return None,
        })
    };
    sorts.iter().filter_map(of).collect()
}
