//! Weakens or strengthens literals: by certified rules, by congruence, or by joining them with a
//! formula to them.

use crate::certified::Entry;
use crate::draw::Draw;
use crate::occurrences::Polarity;
use crate::snippet::Snippets;
use crate::vocabulary::Care;
use assay_forge::rules::{Implied, Rule, RuleError, read_rules};
use assay_term::theories::core;
use assay_term::{
    Evaluator, Func, FuncId, Model, Op, Replacements, Sort, SortId, Store, Term, TermId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;

/// The implications.
const TABLES: &[&str] = &[
    include_str!("../rules/equality.toml"),
    include_str!("../rules/arithmetic.toml"),
    include_str!("../rules/ints.toml"),
    include_str!("../rules/bitvectors.toml"),
    include_str!("../rules/floats.toml"),
    include_str!("../rules/strings.toml"),
    include_str!("../rules/arrays.toml"),
];

/// The rules by which literals are approximated.
///
/// # Errors
/// The error in a table.
pub fn approximations() -> Result<Vec<Rule>, RuleError> {
    let mut all = Vec::new();
    for text in TABLES {
        all.extend(read_rules(text)?);
    }
    Ok(all)
}

/// Whether the seed implies the mutant or the mutant the seed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Direction {
    /// The seed implies the mutant: every model of the seed is a model of the mutant.
    Over,
    /// The mutant implies the seed: if the seed has no model, neither has the mutant.
    Under,
}

/// How a literal is changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Weaken,
    Strengthen,
}

impl Change {
    fn of(direction: Direction, polarity: Polarity) -> Change {
        match (direction, polarity) {
            (Direction::Over, Polarity::Positive) | (Direction::Under, Polarity::Negative) => {
                Change::Weaken
            }
            _ => Change::Strengthen,
        }
    }
}

fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let rules = approximations().expect("a test reads the tables");
        rules.into_iter().map(Entry::new).collect()
    })
}

/// A rule instantiated at a sort, as terms of a seed's store.
struct Compiled {
    entry: &'static Entry,
    implied: Implied,
}

/// The rules at the sorts of a seed, indexed by the operator and the sort of the first argument of
/// the formula that they change.
pub(crate) struct Rules {
    compiled: Vec<Compiled>,
    weaken: FxHashMap<(Op, SortId), Vec<usize>>,
    strengthen: FxHashMap<(Op, SortId), Vec<usize>>,
}

impl Rules {
    /// Reads the rules that match these atoms and introduce no unknown operator.
    pub(crate) fn new(store: &mut Store, atoms: &[TermId], unknown: &FxHashSet<Op>) -> Rules {
        let mut sorts: Vec<SortId> = Vec::new();
        for &atom in atoms {
            if let Some((_, [first, ..])) = store.operator(atom) {
                let sort = store.sort(*first);
                if !sorts.contains(&sort) {
                    sorts.push(sort);
                }
            }
        }
        let mut rules = Rules {
            compiled: Vec::new(),
            weaken: FxHashMap::default(),
            strengthen: FxHashMap::default(),
        };
        for sort in sorts {
            for entry in entries() {
                let Some(words) = words(store, entry.rule.theory(), sort) else { continue };
                // A rule may not apply to this sort, such as one about single bits of a vector.
                if let Ok(Some(implied)) = entry.rule.implication(&words, store) {
                    let parts = store.postorder(&[implied.law.from, implied.law.to]);
                    let mut operators = parts.iter().filter_map(|&part| store.operator(part));
                    if operators.all(|(op, _)| !unknown.contains(&op)) {
                        rules.add(store, sort, Compiled { entry, implied });
                    }
                }
            }
        }
        rules
    }

    fn add(&mut self, store: &Store, sort: SortId, compiled: Compiled) {
        let number = self.compiled.len();
        let law = compiled.implied.law;
        for (table, term) in [(&mut self.weaken, law.from), (&mut self.strengthen, law.to)] {
            if let Some((op, [first, ..])) = store.operator(term) {
                if store.sort(*first) == sort {
                    table.entry((op, sort)).or_default().push(number);
                }
            }
        }
        self.compiled.push(compiled);
    }
}

/// What the words of a table mean at a sort; none if the table is about other sorts.
fn words(store: &Store, theory: &str, sort: SortId) -> Option<Vec<(&'static str, String)>> {
    let name = |sort: SortId| store.sort_name(sort);
    Some(match (theory, store.sorts.get(sort)) {
        ("equality", _) if sort != SortId::REGLAN => vec![("T", name(sort))],
        ("arithmetic", Sort::Int | Sort::Real) => vec![("N", name(sort))],
        ("ints", Sort::Int) | ("strings", Sort::String) => vec![],
        ("bitvectors", Sort::BitVec(width)) => vec![("W", width.to_string())],
        ("floats", Sort::Float(format)) => vec![
            ("E", format.exponent_bits().to_string()),
            ("S", format.significand_bits().to_string()),
        ],
        ("arrays", Sort::Array(index, element)) => vec![("I", name(*index)), ("E", name(*element))],
        _ => return None,
    })
}

/// The replacement of a literal, and the rule that justifies it.
pub(crate) struct Replacement {
    pub(crate) rule: String,
    pub(crate) new: TermId,
}

/// The material for approximations.
#[derive(Clone, Copy)]
pub(crate) struct Approximator<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) snippets: Snippets<'a>,
}

/// Maximum number of constants tried for a side condition.
const TRIES: usize = 12;

impl Approximator<'_> {
    /// A replacement for the literal.
    pub(crate) fn approximate(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        literal: TermId,
        (direction, polarity): (Direction, Polarity),
    ) -> Option<Replacement> {
        let change = Change::of(direction, polarity);
        let transformed = match draw.below(8) {
            0..=3 => self.by_rule(store, draw, literal, change),
            4 => self.by_congruence(store, draw, literal, change),
            _ => None,
        };
        transformed.or_else(|| self.by_injection(store, draw, literal, change))
    }

    /// The literal joined with a random formula.
    fn by_injection(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        literal: TermId,
        change: Change,
    ) -> Option<Replacement> {
        let snippet = self.snippets.formula(store, draw)?;
        let (op, rule) = match change {
            Change::Weaken => (core::OR, "inject-or"),
            Change::Strengthen => (core::AND, "inject-and"),
        };
        let parts = if draw.one_in(2) { [literal, snippet] } else { [snippet, literal] };
        let new = store.op(op, &parts).ok()?;
        Some(Replacement { rule: rule.to_owned(), new })
    }

    /// The result of applying a rule to the literal.
    fn by_rule(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        literal: TermId,
        change: Change,
    ) -> Option<Replacement> {
        let (op, args) = store.operator(literal)?;
        let sort = store.sort(*args.first()?);
        let table = match change {
            Change::Weaken => &self.rules.weaken,
            Change::Strengthen => &self.rules.strengthen,
        };
        let candidates = table.get(&(op, sort))?;
        let start = draw.below(candidates.len());
        let (before, from) = candidates.split_at(start);
        from.iter().chain(before).find_map(|&number| {
            let compiled = &self.rules.compiled[number];
            let law = compiled.implied.law;
            let (old, new) = match change {
                Change::Weaken => (law.from, law.to),
                Change::Strengthen => (law.to, law.from),
            };
            let params = &compiled.implied.params;
            let mut bound = Replacements::default();
            if !matches(store, old, literal, params, &mut bound) || !compiled.entry.is_certified() {
                return None;
            }
            self.fill(store, draw, &compiled.implied, &mut bound)?;
            let new = store.replace(new, &mut bound);
            (new != literal)
                .then(|| Replacement { rule: compiled.entry.rule.name().to_owned(), new })
        })
    }

    /// Chooses values for the variables that the literal does not determine: constants that satisfy the
    /// side condition, or terms if there is none.
    fn fill(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        implied: &Implied,
        bound: &mut Replacements,
    ) -> Option<()> {
        let open: Vec<TermId> =
            implied.params.iter().copied().filter(|param| !bound.contains_key(param)).collect();
        let Some(when) = implied.law.when else {
            for param in open {
                let sort = store.sort(param);
                let number = matches!(store.sorts.get(sort), Sort::Int | Sort::Real);
                let constant = number && self.snippets.vocabulary.is_linear();
                let term = match constant {
                    true => self.snippets.constant(store, draw, sort)?,
                    false => self.snippets.term(store, draw, sort)?,
                };
                bound.insert(param, term);
            }
            return Some(());
        };
        for _ in 0..TRIES {
            let mut trial = bound.clone();
            for &param in &open {
                let sort = store.sort(param);
                trial.insert(param, self.snippets.constant(store, draw, sort)?);
            }
            let condition = store.replace(when, &mut trial.clone());
            let nothing = Model::new();
            if Evaluator::new(store, &nothing).holds(condition) == Ok(true) {
                *bound = trial;
                return Some(());
            }
        }
        None
    }

    /// Equal arguments give equal results: `(= x y)` gets weaker, and `(distinct x y)` stronger, when a
    /// function is applied to both sides.
    fn by_congruence(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        literal: TermId,
        change: Change,
    ) -> Option<Replacement> {
        let (op, &[x, y]) = store.operator(literal)? else { return None };
        if (op, change) != (core::EQ, Change::Weaken)
            && (op, change) != (core::DISTINCT, Change::Strengthen)
        {
            return None;
        }
        let sort = store.sort(x);
        let fits: Vec<_> = self.snippets.vocabulary.takers(sort).collect();
        let &(maker, at) = draw.of(&fits)?;
        if maker.care != Care::Free && at > 0 {
            return None;
        }
        let applied = self.snippets.apply(store, draw, maker, 0, Some((at, x)))?;
        let Term::App(func, args) = store.get(applied) else { return None };
        let mut args = args.to_vec();
        args[at] = y;
        let other = store.try_app_as(func, &args, None).ok()?;
        let new = store.op(op, &[applied, other]).ok()?;
        Some(Replacement { rule: format!("congruence-{}", kebab(store, func)), new })
    }
}

/// A function's name as part of a rule's name.
fn kebab(store: &Store, func: FuncId) -> String {
    match store.func(func) {
        Func::Op(op, _) => op.name().to_owned(),
        _ => "function".to_owned(),
    }
}

/// Matches a term with a pattern and binds the pattern's variables.
fn matches(
    store: &Store,
    pattern: TermId,
    term: TermId,
    params: &[TermId],
    bound: &mut Replacements,
) -> bool {
    if params.contains(&pattern) {
        let fits = store.sort(pattern) == store.sort(term);
        return fits && *bound.entry(pattern).or_insert(term) == term;
    }
    match (store.get(pattern), store.get(term)) {
        (Term::App(f, parts), Term::App(g, others)) => {
            f == g
                && parts.len() == others.len()
                && parts.iter().zip(others).all(|(&p, &t)| matches(store, p, t, params, bound))
        }
        _ => pattern == term,
    }
}
