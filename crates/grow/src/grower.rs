//! Random terms over a plan: deep along one argument, with shared parts, `ite` and quantifiers over finite
//! sorts.

use crate::plan::{Child, Pair, Plan};
use crate::signature::Maker;
use assay_mutate::Draw;
use assay_term::{Quantifier, Replacements, SortId, Store, TermId};
use rustc_hash::FxHashMap;

/// Of this many formulas, one may have quantifiers: most solvers treat those without in another way.
const QUANTIFIED: usize = 3;

/// Maximum nesting of quantifiers.
const NESTED: usize = 2;

/// Makes random terms in a copy of a plan's store.
pub(crate) struct Grower<'g> {
    pub(crate) plan: &'g Plan,
    pub(crate) store: &'g mut Store,
    pub(crate) draw: &'g mut Draw,
    /// The variables in use, by sort.
    active: FxHashMap<SortId, Vec<TermId>>,
    /// The variables that formulas are mostly about.
    topics: Vec<TermId>,
    /// Terms without bound variables, to be used again.
    pub(crate) made: Vec<TermId>,
    /// Bound variables, the innermost last.
    scope: Vec<TermId>,
    /// The number of operators that may still be applied.
    left: usize,
    /// Whether there may be quantifiers.
    quantifies: bool,
}

impl<'g> Grower<'g> {
    /// Terms with at most this many operators.
    pub(crate) fn new(
        plan: &'g Plan,
        store: &'g mut Store,
        draw: &'g mut Draw,
        left: usize,
    ) -> Grower<'g> {
        let mut active = FxHashMap::default();
        let count = 1 + draw.below(3);
        for &sort in plan.signature.sorts() {
            let variables = plan.variables(sort);
            active.insert(sort, variables[..count.min(variables.len())].to_vec());
        }
        // Several atoms about one array say more than several arrays.
        let topics = match draw.below(4) {
            0 => Vec::new(),
            _ => {
                let sorts = if plan.structured.is_empty() {
                    plan.signature.sorts()
                } else {
                    &plan.structured
                };
                let sort = draw.of(sorts).copied();
                sort.and_then(|s| plan.variables(s).first().copied()).into_iter().collect()
            }
        };
        let quantifies = draw.one_in(QUANTIFIED);
        Grower {
            plan,
            store,
            draw,
            active,
            topics,
            made: Vec::new(),
            scope: Vec::new(),
            left,
            quantifies,
        }
    }

    /// Allows this many more operators.
    pub(crate) fn allow(&mut self, more: usize) {
        self.left += more;
    }

    /// The variables in use.
    pub(crate) fn variables(&self) -> impl Iterator<Item = TermId> + '_ {
        let sorts = self.plan.signature.sorts().iter();
        sorts.filter_map(|sort| self.active.get(sort)).flatten().copied()
    }

    /// A variable of a sort that is not in use, and from now on is.
    pub(crate) fn fresh(&mut self, sort: SortId) -> Option<TermId> {
        let active = self.active.get_mut(&sort)?;
        let variable = *self.plan.variables(sort).get(active.len())?;
        active.push(variable);
        Some(variable)
    }

    /// A term with a pair in it.
    pub(crate) fn focus(&mut self, pair: Pair, depth: u32) -> Option<TermId> {
        let makers = self.plan.makers(pair);
        let (above, below) = self.draw.of(&makers)?;
        let mut args = Vec::with_capacity(above.args.len());
        for (position, &sort) in above.args.iter().enumerate() {
            args.push(if position == pair.position {
                match pair.child {
                    Child::Variable => self.variable(sort)?,
                    Child::Constant => self.constant(sort)?,
                    Child::Applied(_) => {
                        let below = *self.draw.of(below)?;
                        self.apply(below, depth.saturating_sub(1).max(1))?
                    }
                }
            } else if is_text_of_language(above, sort) {
                self.constant(sort)?
            } else {
                let depth = self.shallow(depth.saturating_sub(1));
                self.term(sort, depth)?
            });
        }
        self.built(above, &args)
    }

    /// A term of a sort; `None` if the signature has none.
    pub(crate) fn term(&mut self, sort: SortId, depth: u32) -> Option<TermId> {
        if depth == 0 || self.left == 0 {
            return self.leaf(sort);
        }
        if self.draw.one_in(6) {
            if let Some(term) = self.again(sort) {
                return Some(term);
            }
        }
        if sort == SortId::BOOL && self.quantifies && self.draw.one_in(8) {
            if let Some(term) = self.quantified(depth) {
                return Some(term);
            }
        }
        let plan = self.plan;
        match self.draw.of(plan.common(sort)) {
            Some(makers) => {
                let maker = self.draw.of(makers)?;
                self.apply(maker, depth)
            }
            None => self.leaf(sort),
        }
    }

    /// An application, deep along one of its arguments.
    fn apply(&mut self, maker: &Maker, depth: u32) -> Option<TermId> {
        self.left = self.left.saturating_sub(1);
        let spine = self.draw.below(maker.args.len().max(1));
        let mut args = Vec::with_capacity(maker.args.len());
        for (position, &sort) in maker.args.iter().enumerate() {
            let below = depth.saturating_sub(1);
            args.push(if is_text_of_language(maker, sort) {
                self.constant(sort)?
            } else {
                let depth = if position == spine { below } else { self.shallow(below) };
                self.term(sort, depth)?
            });
        }
        self.built(maker, &args)
    }

    /// The depth of the arguments other than the deep one.
    fn shallow(&mut self, most: u32) -> u32 {
        match self.draw.below(4) {
            0 | 1 => 0,
            2 => most.min(1),
            _ => self.draw.below(most as usize + 1) as u32,
        }
    }

    fn built(&mut self, maker: &Maker, args: &[TermId]) -> Option<TermId> {
        let term = self.store.app_as(maker.func, args, maker.ascribed).ok()?;
        self.made.push(term);
        Some(term)
    }

    /// A quantifier over a finite sort.
    fn quantified(&mut self, depth: u32) -> Option<TermId> {
        let sort = *self.draw.of(self.plan.finite())?;
        if self.scope.len() >= NESTED {
            return None;
        }
        let name = self.store.symbols.intern(["q", "r"][self.scope.len()]);
        let variable = self.store.var(name, sort);
        let which = [Quantifier::Forall, Quantifier::Exists][self.draw.below(2)];
        let mark = self.made.len();
        self.scope.push(variable);
        let body = self.term(SortId::BOOL, depth.saturating_sub(1).max(1));
        self.scope.pop();
        self.made.truncate(mark);
        let body = body?;
        let term = self.store.quantified(which, &[variable], body).ok()?;
        if self.scope.is_empty() {
            self.made.push(term);
        }
        Some(term)
    }

    /// A term of this sort that was made before.
    fn again(&mut self, sort: SortId) -> Option<TermId> {
        let store = &*self.store;
        let fits = |term: &TermId| store.sort(*term) == sort;
        let count = self.made.iter().filter(|term| fits(term)).count();
        let nth = self.draw.below(count.max(1));
        self.made.iter().copied().filter(fits).nth(nth)
    }

    /// A variable or a constant.
    pub(crate) fn leaf(&mut self, sort: SortId) -> Option<TermId> {
        let bound = self.scope.iter().rev().copied().find(|&v| self.store.sort(v) == sort);
        if let Some(bound) = bound {
            if self.draw.one_in(2) {
                return Some(bound);
            }
        }
        // Simplification leaves little of a formula with truth values or whole arrays in it.
        let variables = match sort {
            SortId::BOOL => 9,
            sort if self.plan.structured.contains(&sort) => 8,
            _ => 6,
        };
        match self.draw.below(10) < variables {
            true => self.variable(sort).or_else(|| self.constant(sort)),
            false => self.constant(sort).or_else(|| self.variable(sort)),
        }
    }

    fn variable(&mut self, sort: SortId) -> Option<TermId> {
        let topic = self.topics.iter().copied().find(|&topic| self.store.sort(topic) == sort);
        match topic {
            Some(topic) if !self.draw.one_in(3) => Some(topic),
            _ => self.draw.of(self.active.get(&sort)?).copied(),
        }
    }

    /// A constant.
    pub(crate) fn constant(&mut self, sort: SortId) -> Option<TermId> {
        self.draw.of(self.plan.signature.constants(sort)).copied()
    }

    /// The formula with one of its closed parts under a name.
    pub(crate) fn with_let(&mut self, formula: TermId) -> TermId {
        let parts = self.store.postorder(&[formula]);
        let fits = |&&part: &&TermId| {
            part != formula
                && !self.store.children(part).is_empty()
                && !self.store.mentions_variables(part)
                && self.store.sort(part) != SortId::REGLAN
        };
        let parts: Vec<TermId> = parts.iter().filter(fits).copied().collect();
        let Some(&part) = self.draw.of(&parts) else { return formula };
        let name = self.store.symbols.intern("v");
        let variable = self.store.var(name, self.store.sort(part));
        let mut by = Replacements::from_iter([(part, variable)]);
        let body = self.store.replace(formula, &mut by);
        self.store.let_in(&[(variable, part)], body).unwrap_or(formula)
    }
}

/// Whether an argument is a text that a language is made of. Most solvers want constants there.
fn is_text_of_language(maker: &Maker, argument: SortId) -> bool {
    maker.result == SortId::REGLAN && argument == SortId::STRING
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{Key, rows};
    use assay_term::{Func, Term};
    use std::collections::BTreeSet;

    /// What is applied.
    fn key(store: &Store, term: TermId) -> Option<Key> {
        match store.get(term) {
            Term::App(func, _) => Some(match store.func(func) {
                Func::Op(op, _) => Key::Op(*op),
                _ => Key::Func(func),
            }),
            _ => None,
        }
    }

    #[test]
    fn every_pair_of_operators_comes_up() {
        let rows = rows(include_str!("../signatures.toml")).expect("the table is read");
        for name in ["arrays-of-bits", "booleans", "datatypes"] {
            let row = rows.iter().find(|row| row.name == name).expect("a signature");
            let plan = Plan::new(row, &[], 0).expect("a plan");
            let mut store = plan.signature.store.clone();
            let (mut seen, mut shown) = (BTreeSet::new(), 0);
            let (common, rare) = plan.count();
            let turns = common.max(8 * rare) as u64 * 8 / 7 + 16;
            for index in 0..turns {
                let pair = plan.focus(index).expect("there are pairs");
                seen.insert(format!("{pair:?}"));
                let mut draw = Draw::new(&[index]);
                let mut grower = Grower::new(&plan, &mut store, &mut draw, 20);
                let Some(term) = grower.focus(pair, 3) else { continue };
                assert_eq!(key(&store, term), Some(plan.key(pair.parent)), "{pair:?}");
                let child = store.children(term)[pair.position];
                if let Child::Applied(below) = pair.child {
                    assert_eq!(key(&store, child), Some(plan.key(below)), "{pair:?}");
                }
                shown += 1;
            }
            assert_eq!(seen.len(), common + rare, "{name}");
            assert!(shown * 10 > turns * 9, "{name}: {shown} of {turns}");
        }
    }
}
