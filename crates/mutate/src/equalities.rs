//! Certified equalities, read both ways, applied to any term: what `equal` does to seeds and `rewritten` to
//! random terms.
//!
//! A rule is used at sorts that the formula has, and certified at these sorts before its first use.

use crate::approximation::matches;
use crate::draw::Draw;
use assay_forge::rules::{Effort, Identity, Rule, RuleError, certify, rules};
use assay_term::theories::core;
use assay_term::{
    Evaluator, FuncId, Limits, Model, Op, Replacements, Sort, SortId, Store, Term, TermId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

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
    /// Its name and its words.
    label: String,
}

impl Claim {
    /// Whether formulas may use it: it holds for every assignment that was tried, and none was undecided.
    fn is_certified(&self) -> bool {
        let known = {
            let mut ledger = CERTIFIED.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(ledger.entry(self.label.clone()).or_default())
        };
        *known.get_or_init(|| {
            let certificate = certify(&self.rule, EFFORT);
            certificate.is_ok_and(|c| c.evidence().iter().all(|evidence| evidence.unknown == 0))
        })
    }
}

/// An equality, one of whose sides is put in place of the other.
#[derive(Clone, Copy)]
struct Way {
    /// Which identity.
    identity: usize,
    /// Which side is replaced.
    old: usize,
}

/// The equalities over the sorts of a formula.
pub struct Equalities {
    claims: Vec<Claim>,
    /// With the claim that each belongs to.
    identities: Vec<(usize, Identity)>,
    /// By the function of the term that is replaced.
    applied: FxHashMap<FuncId, Vec<Way>>,
    /// By the constant that is replaced.
    constants: FxHashMap<TermId, Vec<Way>>,
    /// Those that replace any term of a sort.
    anything: FxHashMap<SortId, Vec<Way>>,
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
    /// Reads the rules of some theories that stay within these sorts, without unknown operators. The store
    /// must have the declarations of the rules; without a list of theories, rules with declarations are
    /// left out.
    ///
    /// # Errors
    /// If a rule cannot be read.
    pub fn new(
        store: &mut Store,
        sorts: &[SortId],
        theories: Option<&[String]>,
        unknown: &FxHashSet<Op>,
    ) -> Result<Equalities, RuleError> {
        let mut all = Equalities {
            claims: Vec::new(),
            identities: Vec::new(),
            applied: FxHashMap::default(),
            constants: FxHashMap::default(),
            anything: FxHashMap::default(),
        };
        let own: FxHashSet<SortId> = sorts.iter().copied().collect();
        for rule in tables() {
            let wanted = match theories {
                Some(theories) => theories.iter().any(|theory| theory == rule.theory()),
                None => !rule.has_declarations(),
            };
            if !wanted || !may_fit(rule.theory(), sorts) {
                continue;
            }
            for instance in instances(store, rule, sorts) {
                // A rule may not apply to this sort, such as one about single bits of a vector.
                let Ok(identities) = instance.rule.identities(store) else { continue };
                let claim = all.claims.len();
                all.claims.push(instance);
                for identity in identities {
                    all.add(store, claim, identity, &own, unknown);
                }
            }
        }
        Ok(all)
    }

    fn add(
        &mut self,
        store: &Store,
        claim: usize,
        identity: Identity,
        own: &FxHashSet<SortId>,
        unknown: &FxHashSet<Op>,
    ) {
        let terms: Vec<TermId> = identity.sides.into_iter().chain(identity.when).collect();
        let fits = store.postorder(&terms).into_iter().all(|part| {
            own.contains(&store.sort(part))
                && store.operator(part).is_none_or(|(op, _)| !unknown.contains(&op))
        });
        if !fits {
            return;
        }
        let number = self.identities.len();
        for (old, &side) in identity.sides.iter().enumerate() {
            let way = Way { identity: number, old };
            if identity.params.contains(&side) {
                self.anything.entry(store.sort(side)).or_default().push(way);
                continue;
            }
            match store.get(side) {
                Term::App(func, [_, ..]) => self.applied.entry(func).or_default().push(way),
                _ => self.constants.entry(side).or_default().push(way),
            }
        }
        self.identities.push((claim, identity));
    }

    /// The number of equalities.
    #[must_use]
    pub fn len(&self) -> usize {
        self.identities.len()
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.identities.is_empty()
    }

    /// A term that equals this one by one of the equalities.
    pub fn step(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        term: TermId,
        fill: &mut Fill<'_>,
    ) -> Option<Equal> {
        let shaped = match store.get(term) {
            Term::App(func, [_, ..]) => self.applied.get(&func),
            Term::App(..) | Term::Literal(_) => self.constants.get(&term),
            _ => None,
        };
        let any = self.anything.get(&store.sort(term));
        let lists = match draw.below(3) {
            0 => [any, shaped],
            _ => [shaped, any],
        };
        for ways in lists.into_iter().flatten() {
            let start = draw.below(ways.len());
            let turned = ways[start..].iter().chain(&ways[..start]);
            for &way in turned.take(TRIES) {
                if let Some(equal) = self.apply(store, draw, way, term, fill) {
                    return Some(equal);
                }
            }
        }
        None
    }

    fn apply(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        way: Way,
        term: TermId,
        fill: &mut Fill<'_>,
    ) -> Option<Equal> {
        let (claim, identity) = &self.identities[way.identity];
        let mut bound = Replacements::default();
        let (old, new) = (identity.sides[way.old], identity.sides[1 - way.old]);
        if !matches(store, old, term, &identity.params, &mut bound) {
            return None;
        }
        let claim = &self.claims[*claim];
        if !claim.is_certified() {
            return None;
        }
        if let Some(when) = identity.when {
            solve(store, when, &identity.params, &mut bound);
        }
        for &param in &identity.params {
            if let Entry::Vacant(open) = bound.entry(param) {
                open.insert(fill(store, draw, store.sort(param))?);
            }
        }
        let new = store.replaced(new, &mut bound.clone()).ok()?;
        if new == term {
            return None;
        }
        let when = match identity.when {
            None => None,
            Some(when) => {
                let when = store.replaced(when, &mut bound).ok()?;
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
}

/// Chooses values for variables that equations of a side condition determine.
fn solve(store: &mut Store, when: TermId, params: &[TermId], bound: &mut Replacements) {
    let mut equations = Vec::new();
    let mut work = vec![when];
    while let Some(formula) = work.pop() {
        match store.operator(formula) {
            Some((core::AND, parts)) => work.extend(parts),
            Some((core::EQ, &[left, right])) => equations.extend([(left, right), (right, left)]),
            _ => {}
        }
    }
    for _ in 0..equations.len() {
        for &(variable, term) in &equations {
            let open = |term: TermId, bound: &Replacements| {
                let mut parts = store.postorder(&[term]).into_iter();
                parts.any(|part| params.contains(&part) && !bound.contains_key(&part))
            };
            let is_free = params.contains(&variable) && !bound.contains_key(&variable);
            if is_free && !open(term, bound) {
                if let Ok(value) = store.replaced(term, &mut bound.clone()) {
                    bound.insert(variable, value);
                }
            }
        }
    }
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

/// A rule at each of these sorts that it is about, or at the sorts that its table names.
fn instances(store: &Store, rule: &Rule, sorts: &[SortId]) -> Vec<Claim> {
    let words = |sort: SortId| -> Option<Vec<(&'static str, String)>> {
        let name = |sort: SortId| store.sort_name(sort);
        Some(match (rule.theory(), store.sorts.get(sort)) {
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
    let is_generic = ["bitvectors", "floats", "arrays", "sequences", "sets", "bags", "ff"]
        .contains(&rule.theory());
    if !is_generic {
        return vec![Claim { rule: rule.clone(), label: rule.name().to_owned() }];
    }
    let at = |words: Vec<(&'static str, String)>| {
        let values: Vec<&str> = words.iter().map(|(_, value)| value.as_str()).collect();
        Claim { rule: rule.at(&words), label: format!("{} {}", rule.name(), values.join(" ")) }
    };
    sorts.iter().filter_map(|&sort| words(sort)).map(at).collect()
}
