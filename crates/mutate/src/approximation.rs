//! Weakens or strengthens literals: by certified rules, by congruence, or by joining them with a
//! formula to them.

use crate::Strategy;
use crate::certified::Entry;
use crate::draw::Draw;
use crate::occurrences::Polarity;
use crate::snippet::Snippets;
use crate::trivial::{are_opposite, is_trivial, says_nothing};
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

/// A formula that may be put in place of another: one side of a rule for the other, or the negation of
/// one side for what the other side negates.
#[derive(Clone, Copy)]
struct Way {
    /// Which rule.
    rule: usize,
    old: TermId,
    new: TermId,
}

/// The rules at the sorts of a seed, indexed by the operator and the sort of the first argument of
/// the formula that they change.
pub(crate) struct Rules {
    compiled: Vec<Compiled>,
    weaken: FxHashMap<(Op, SortId), Vec<Way>>,
    strengthen: FxHashMap<(Op, SortId), Vec<Way>>,
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
                        rules.add(store, Compiled { entry, implied });
                    }
                }
            }
        }
        rules
    }

    fn add(&mut self, store: &mut Store, compiled: Compiled) {
        let rule = self.compiled.len();
        let law = compiled.implied.law;
        self.compiled.push(compiled);
        let (from, to) = (law.from, law.to);
        let mut weaken = vec![Way { rule, old: from, new: to }];
        let mut strengthen = vec![Way { rule, old: to, new: from }];
        // If A implies (not B), then B implies (not A).
        if let Some(inner) = negated(store, to) {
            weaken.push(Way { rule, old: inner, new: negation(store, from) });
        }
        if let Some(inner) = negated(store, from) {
            strengthen.push(Way { rule, old: inner, new: negation(store, to) });
        }
        for (table, ways) in [(&mut self.weaken, weaken), (&mut self.strengthen, strengthen)] {
            for way in ways {
                if let Some((op, [first, ..])) = store.operator(way.old) {
                    table.entry((op, store.sort(*first))).or_default().push(way);
                }
            }
        }
    }

    /// Whether a rule may change a formula with this operator and first argument: a literal, or a
    /// connective of several.
    pub(crate) fn changes(&self, store: &Store, formula: TermId) -> bool {
        let Some((op, [first, ..])) = store.operator(formula) else { return false };
        let key = (op, store.sort(*first));
        self.weaken.contains_key(&key) || self.strengthen.contains_key(&key)
    }
}

/// What a formula negates.
fn negated(store: &Store, formula: TermId) -> Option<TermId> {
    match store.operator(formula) {
        Some((core::NOT, &[inner])) => Some(inner),
        _ => None,
    }
}

fn negation(store: &mut Store, formula: TermId) -> TermId {
    match negated(store, formula) {
        Some(inner) => inner,
        None => store.op(core::NOT, &[formula]).expect("it is a formula"),
    }
}

/// What the words of a table mean at a sort; `None` if the table is about other sorts.
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
    /// How literals may be changed; in both ways if none is given.
    pub(crate) strategy: Option<Strategy>,
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
        let transformed = match (draw.below(8), self.strategy) {
            (_, Some(Strategy::Lpi)) => None,
            (0..=3, _) => self.by_rule(store, draw, literal, change),
            (4, _) => self.by_congruence(store, draw, literal, change),
            (_, Some(Strategy::Pst)) => self.by_rule(store, draw, literal, change),
            _ => None,
        };
        match self.strategy {
            Some(Strategy::Pst) => transformed,
            _ => transformed.or_else(|| self.by_injection(store, draw, literal, change)),
        }
    }

    /// A replacement by a rule for a connective of several literals.
    pub(crate) fn transform(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        formula: TermId,
        (direction, polarity): (Direction, Polarity),
    ) -> Option<Replacement> {
        self.by_rule(store, draw, formula, Change::of(direction, polarity))
    }

    /// The literal joined with a random formula.
    fn by_injection(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        literal: TermId,
        change: Change,
    ) -> Option<Replacement> {
        let snippet = (0..TRIES).find_map(|_| {
            let snippet = self.snippets.formula(store, draw)?;
            let repeats = snippet == literal || are_opposite(store, snippet, literal);
            (!repeats && !is_trivial(store, draw, snippet)).then_some(snippet)
        })?;
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
        from.iter().chain(before).find_map(|&Way { rule, old, new }| {
            let compiled = &self.rules.compiled[rule];
            let params = &compiled.implied.params;
            let mut bound = Replacements::default();
            if !matches(store, old, literal, params, &mut bound) || !compiled.entry.is_certified() {
                return None;
            }
            self.fill(store, draw, &compiled.implied, &mut bound)?;
            let new = store.replace(new, &mut bound);
            (new != literal && !says_nothing(store, new))
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
                let term = match number && self.snippets.vocabulary.is_linear() {
                    true => self.snippets.constant(store, draw, sort)?,
                    false if sort == SortId::BOOL => (0..TRIES).find_map(|_| {
                        let term = self.snippets.term(store, draw, sort)?;
                        (!is_trivial(store, draw, term)).then_some(term)
                    })?,
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
pub(crate) fn matches(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use crate::vocabulary::Vocabulary;
    use assay_forge::rules::random_value;
    use assay_smtlib::Printer;

    /// Sorts that the rules of a theory are tried at.
    fn sorts(store: &mut Store, theory: &str) -> Vec<SortId> {
        match theory {
            "strings" => vec![SortId::STRING],
            "bitvectors" => [4, 1].map(|width| store.sorts.bit_vec(width)).into(),
            "floats" => {
                let format = assay_term::float::Format::new(3, 5).expect("it is small");
                vec![store.sorts.float(format)]
            }
            "arrays" => vec![store.sorts.array(SortId::INT, SortId::INT)],
            _ => vec![SortId::INT, SortId::REAL],
        }
    }

    /// A seed that asserts one side of a rule, with constants where the side condition is about them.
    fn seed(entry: &Entry, from: bool, draw: &mut Draw) -> Option<Seed> {
        let mut store = Store::new();
        for sort in sorts(&mut store, entry.rule.theory()) {
            let words = words(&store, entry.rule.theory(), sort);
            let Some(words) = words else { continue };
            let Ok(Some(implied)) = entry.rule.implication(&words, &mut store) else { continue };
            let law = implied.law;
            let side = if from { law.from } else { law.to };
            let mut bound = Replacements::default();
            if let Some(when) = law.when {
                let inside = store.postorder(&[when]);
                let free: Vec<TermId> =
                    implied.params.iter().copied().filter(|param| inside.contains(param)).collect();
                bound = (0..2000).find_map(|_| {
                    let mut trial = Replacements::default();
                    for &param in &free {
                        let value = random_value(draw.rng(), &store, store.sort(param))?;
                        trial.insert(param, store.value(&value)?);
                    }
                    let condition = store.replace(when, &mut trial.clone());
                    let nothing = Model::new();
                    let holds = Evaluator::new(&store, &nothing).holds(condition) == Ok(true);
                    holds.then_some(trial)
                })?;
            }
            let side = store.replace(side, &mut bound);
            let printer = Printer::new(&store);
            let declared: String = implied
                .params
                .iter()
                .map(|&param| {
                    let sort = store.sort_name(store.sort(param));
                    format!("(declare-const {} {sort})", printer.term(param))
                })
                .collect();
            let text = format!("{declared}(assert {})(check-sat)", printer.term(side));
            return Some(Seed::read("seed", text.as_bytes(), 10_000).expect("it is a seed"));
        }
        None
    }

    /// Whether a rule changes a formula that has its shape.
    fn fires(entry: &Entry, change: Change) -> bool {
        let mut draw = Draw::new(&[7]);
        let from = change == Change::Weaken;
        let Some(mut seed) = seed(entry, from, &mut draw) else { return false };
        let vocabulary = Vocabulary::new(&mut seed.base, &FxHashSet::default());
        let assertion = seed.base.assertions[0];
        let store = &mut seed.base.store;
        let parts = store.postorder(&[assertion]);
        let rules = Rules::new(store, &parts, &FxHashSet::default());
        let snippets = Snippets { vocabulary: &vocabulary, scope: &[], depth: 1 };
        let approximator = Approximator { rules: &rules, strategy: None, snippets };
        // A literal is what a negation negates.
        let (formula, change) = match (negated(store, assertion), change) {
            (None, change) => (assertion, change),
            (Some(inner), Change::Weaken) => (inner, Change::Strengthen),
            (Some(inner), Change::Strengthen) => (inner, Change::Weaken),
        };
        (0..400).any(|_| {
            let made = approximator.by_rule(store, &mut draw, formula, change);
            made.is_some_and(|made| made.rule == entry.rule.name())
        })
    }

    /// What never fires: `(not (fp.eq x x))` repeats an operand, and such results are refused.
    const REFUSED: [(&str, &str); 1] = [("fp-nan-unequal", "weakens")];

    #[test]
    fn every_rule_weakens_and_strengthens() {
        let mut idle: Vec<(&str, &str)> = Vec::new();
        for entry in entries() {
            for (change, way) in [(Change::Weaken, "weakens"), (Change::Strengthen, "strengthens")]
            {
                if !fires(entry, change) {
                    idle.push((entry.rule.name(), way));
                }
            }
        }
        assert_eq!(idle, REFUSED, "these never do");
    }
}
