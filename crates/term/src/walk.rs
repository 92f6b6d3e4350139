//! Walks over terms without recursion, and terms made from values.

use crate::bitvec::BitVec;
use crate::int::Int;
use crate::op::Op;
use crate::sort::{Sort, SortId};
use crate::term::{AttributeValue, Func, MatchPattern, SortError, Store, Term, TermId};
use crate::theories::{bags, core, fp, ints, nullables, reals, regex as re, relations, seq, sets};
use crate::value::{DataValue, Text, Value};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The terms for values of datatypes seen so far: such values share parts.
pub(crate) type Known = FxHashMap<*const DataValue, TermId>;

impl Store {
    /// Every distinct subterm of the roots, arguments first, including terms in attributes.
    #[must_use]
    pub fn postorder(&self, roots: &[TermId]) -> Vec<TermId> {
        self.postorder_of(roots, usize::MAX).expect("there are fewer terms than addresses")
    }

    /// The same, if there are at most this many; a larger term costs no more than that.
    #[must_use]
    pub fn postorder_of(&self, roots: &[TermId], most: usize) -> Option<Vec<TermId>> {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut order = Vec::new();
        let mut work: Vec<(TermId, bool)> = roots.iter().rev().map(|&t| (t, false)).collect();
        while let Some((term, ready)) = work.pop() {
            if ready {
                order.push(term);
            } else if seen.insert(term) {
                if seen.len() > most {
                    return None;
                }
                work.push((term, true));
                work.extend(self.children(term).iter().rev().map(|&t| (t, false)));
                for part in self.attribute_terms(term) {
                    work.push((part, false));
                }
            }
        }
        Some(order)
    }

    /// Those of the terms in which no declared symbol and no variable occurs, given in postorder.
    #[must_use]
    pub fn ground_terms(&self, postorder: &[TermId]) -> FxHashSet<TermId> {
        let mut ground: FxHashSet<TermId> = FxHashSet::default();
        for &term in postorder {
            let is_ground = match self.get(term) {
                Term::Literal(_) => true,
                Term::App(func, args) => {
                    !matches!(self.func(func), Func::Declared { .. })
                        && args.iter().all(|arg| ground.contains(arg))
                }
                _ => false,
            };
            if is_ground {
                ground.insert(term);
            }
        }
        ground
    }

    /// The terms inside the attributes of an annotated term.
    pub fn attribute_terms(&self, term: TermId) -> impl Iterator<Item = TermId> + '_ {
        let attributes = match self.get(term) {
            Term::Annotated(_, attributes) => attributes,
            _ => &[],
        };
        attributes.iter().flat_map(|attribute| match &attribute.value {
            AttributeValue::Terms(terms) => terms.iter().copied(),
            _ => [].iter().copied(),
        })
    }

    /// The variables that occur free in a term, each once, in ascending order.
    ///
    /// Every subterm is visited once for every 64 variables that are bound inside, regardless of
    /// sharing and of the nesting of binders.
    #[must_use]
    pub fn free_variables(&self, term: TermId) -> Vec<TermId> {
        self.free_variables_counted(term).0
    }

    /// The same, with the number of visits to subterms.
    pub(crate) fn free_variables_counted(&self, term: TermId) -> (Vec<TermId>, usize) {
        let order = self.open_postorder(term);
        let bound: FxHashSet<TermId> =
            order.iter().flat_map(|&part| self.bound_variables(part)).collect();
        let vars = order.iter().copied().filter(|&part| matches!(self.get(part), Term::Var(_)));
        // Variables that are bound nowhere are free.
        let (mut free, mut open): (Vec<TermId>, Vec<TermId>) =
            vars.partition(|var| !bound.contains(var));
        open.sort_unstable();
        let visits = order.len() * (1 + open.len().div_ceil(64));
        if !open.is_empty() {
            let places: FxHashMap<TermId, usize> =
                order.iter().enumerate().map(|(at, &part)| (part, at)).collect();
            let mut masks = vec![0u64; order.len()];
            for chunk in open.chunks(64) {
                for (at, &part) in order.iter().enumerate() {
                    masks[at] = self.free_mask(part, chunk, |inner: TermId| {
                        places.get(&inner).map_or(0, |&place| masks[place])
                    });
                }
                let root = places.get(&term).map_or(0, |&place| masks[place]);
                let is_free = |at: usize| root >> at & 1 == 1;
                let found = chunk.iter().enumerate().filter(|&(at, _)| is_free(at));
                free.extend(found.map(|(_, &var)| var));
            }
        }
        free.sort_unstable();
        (free, visits)
    }

    /// The subterms of the roots, including terms in attributes, in which a variable occurs free.
    ///
    /// For all subterms together, this visits each once for every 64 variables, while
    /// [`free_variables`](Store::free_variables) visits it once for each subterm around it.
    #[must_use]
    pub fn open_subterms(&self, roots: &[TermId]) -> FxHashSet<TermId> {
        let mut order = self.postorder(roots);
        order.retain(|&part| self.mentions_variables(part));
        let places: FxHashMap<TermId, usize> =
            order.iter().enumerate().map(|(at, &part)| (part, at)).collect();
        let is_variable = |part: &TermId| matches!(self.get(*part), Term::Var(_));
        let mut vars: Vec<TermId> = order.iter().copied().filter(is_variable).collect();
        vars.sort_unstable();
        let mut masks = vec![0u64; order.len()];
        let mut open = FxHashSet::default();
        for chunk in vars.chunks(64) {
            for (at, &part) in order.iter().enumerate() {
                masks[at] = self.free_mask(part, chunk, |inner: TermId| {
                    places.get(&inner).map_or(0, |&place| masks[place])
                });
                if masks[at] != 0 {
                    open.insert(part);
                }
            }
        }
        open
    }

    /// The variables that a term binds in its parts.
    fn bound_variables(&self, term: TermId) -> Vec<TermId> {
        match self.get(term) {
            Term::Quant(_, vars, _) | Term::Lambda(vars, _) => vars.to_vec(),
            Term::Let(bindings, _) => bindings.iter().step_by(2).copied().collect(),
            Term::Match(_, patterns, _) => patterns
                .iter()
                .flat_map(|pattern| match pattern {
                    MatchPattern::Any(var) => std::slice::from_ref(var),
                    MatchPattern::Constructor(_, vars) => vars,
                })
                .flatten()
                .copied()
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The distinct subterms that mention variables, arguments first, without attributes.
    fn open_postorder(&self, root: TermId) -> Vec<TermId> {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut order = Vec::new();
        let mut work = vec![(root, false)];
        while let Some((term, ready)) = work.pop() {
            if ready {
                order.push(term);
            } else if self.mentions_variables(term) && seen.insert(term) {
                work.push((term, true));
                work.extend(self.children(term).iter().map(|&part| (part, false)));
            }
        }
        order
    }

    /// Which of at most 64 variables, in ascending order, are free in a term, given the same for
    /// its parts.
    fn free_mask(&self, term: TermId, vars: &[TermId], inner: impl Fn(TermId) -> u64) -> u64 {
        let bit = |var: &TermId| vars.binary_search(var).map_or(0, |at| 1u64 << at);
        let all =
            |bound: &mut dyn Iterator<Item = TermId>| bound.fold(0, |mask, var| mask | bit(&var));
        match self.get(term) {
            Term::Var(_) => bit(&term),
            Term::Quant(_, bound, body) | Term::Lambda(bound, body) => {
                inner(body) & !all(&mut bound.iter().copied())
            }
            Term::Let(bindings, body) => {
                let values = bindings.iter().skip(1).step_by(2);
                let outer = values.fold(0, |mask, &value| mask | inner(value));
                outer | inner(body) & !all(&mut bindings.iter().step_by(2).copied())
            }
            Term::Match(scrutinee, patterns, bodies) => {
                let cases = patterns.iter().zip(bodies).map(|(pattern, &body)| {
                    let bound = match pattern {
                        MatchPattern::Any(var) => all(&mut var.iter().copied()),
                        MatchPattern::Constructor(_, vars) => {
                            all(&mut vars.iter().flatten().copied())
                        }
                    };
                    inner(body) & !bound
                });
                cases.fold(inner(scrutinee), |mask, case| mask | case)
            }
            _ => self.children(term).iter().fold(0, |mask, &part| mask | inner(part)),
        }
    }

    /// The same term with other children; annotations stay as they are.
    ///
    /// # Errors
    /// Fails if the children's sorts do not fit.
    pub fn with_children(
        &mut self,
        term: TermId,
        children: &[TermId],
    ) -> Result<TermId, SortError> {
        if self.children(term) == children {
            return Ok(term);
        }
        match self.get(term) {
            Term::Literal(_) | Term::Var(_) => Ok(term),
            Term::App(func, _) => {
                let sort = self.sort(term);
                match self.try_app_as(func, children, None) {
                    Ok(new) if self.sort(new) == sort => Ok(new),
                    _ => self.app_as(func, children, Some(sort)),
                }
            }
            Term::Let(..) => self.let_list(children),
            Term::Quant(which, ..) => {
                let (&body, vars) = children.split_last().expect("binders have a body");
                self.quantified(which, vars, body)
            }
            Term::Lambda(..) => {
                let (&body, vars) = children.split_last().expect("binders have a body");
                self.lambda_like(self.sort(term), vars, body)
            }
            Term::Annotated(_, attributes) => {
                let attributes = attributes.to_vec();
                Ok(self.annotated(children[0], attributes))
            }
            Term::Match(_, patterns, _) => {
                let cases = patterns.iter().cloned().zip(children[1..].iter().copied()).collect();
                self.match_on(children[0], cases)
            }
        }
    }

    /// `true` or `false`.
    pub fn bool(&mut self, value: bool) -> TermId {
        let op = if value { core::TRUE } else { core::FALSE };
        self.op(op, &[]).expect("a constant of Core")
    }

    /// An integer; a negative one is the negation of a numeral.
    pub fn int(&mut self, value: &Int) -> TermId {
        let literal = self.literal(Value::Int(value.abs()), SortId::INT);
        if value.is_negative() {
            self.op(ints::SUB, &[literal]).expect("an integer can be negated")
        } else {
            literal
        }
    }

    /// A real: a decimal if its expansion is finite, otherwise a quotient of two; negated if it is
    /// negative.
    pub fn real(&mut self, value: &BigRational) -> TermId {
        self.real_as(value, has_decimal(value))
    }

    /// A decimal literal. The caller ensures that the number is nonnegative and has a finite
    /// decimal expansion, because checking takes many divisions.
    pub fn decimal(&mut self, value: BigRational) -> TermId {
        debug_assert!(!value.is_negative() && has_decimal(&value), "a decimal");
        self.literal(Value::rational(value), SortId::REAL)
    }

    /// A real as a value of the theory: a whole decimal or a quotient of two.
    fn real_value(&mut self, value: &BigRational) -> TermId {
        self.real_as(value, value.is_integer())
    }

    fn real_as(&mut self, value: &BigRational, decimal: bool) -> TermId {
        let positive = value.abs();
        let term = if decimal {
            self.literal(Value::rational(positive), SortId::REAL)
        } else {
            let parts = [positive.numer(), positive.denom()].map(|n: &BigInt| {
                self.literal(Value::rational(BigRational::from_integer(n.clone())), SortId::REAL)
            });
            self.op(reals::DIVIDE, &parts).expect("a quotient of decimals")
        };
        if value.is_negative() {
            self.op(ints::SUB, &[term]).expect("a real can be negated")
        } else {
            term
        }
    }

    /// A bit-vector literal.
    pub fn bit_vec(&mut self, value: BitVec) -> TermId {
        let sort = self.sorts.bit_vec(value.width());
        self.literal(Value::BitVec(value), sort)
    }

    /// A string literal.
    pub fn string(&mut self, value: Text) -> TermId {
        self.literal(Value::Str(value), SortId::STRING)
    }

    /// A term for a value, if SMT-LIB can express it: not for elements of uninterpreted sorts and
    /// not for closures.
    pub fn value(&mut self, value: &Value) -> Option<TermId> {
        self.value_with(value, &mut Known::default())
    }

    pub(crate) fn value_with(&mut self, value: &Value, known: &mut Known) -> Option<TermId> {
        match value {
            Value::Bool(b) => Some(self.bool(*b)),
            Value::Int(n) => Some(self.int(n)),
            Value::Real(x) => Some(self.real_value(x)),
            Value::BitVec(b) => Some(self.bit_vec(b.clone())),
            Value::Str(text) => Some(self.string(text.clone())),
            Value::Float(float) => fp::literal(self, float),
            Value::RoundingMode(mode) => self.op(fp::rounding_mode_op(*mode), &[]).ok(),
            Value::RegLan(regex) => re::literal(self, regex),
            Value::Array(array) => self.map_value(array, known),
            Value::Seq(sort, items) => self.seq_value(*sort, items, known),
            Value::Set(sort, items) => self.set_value(*sort, items, known),
            Value::Bag(sort, items) => self.bag_value(*sort, items, known),
            Value::Field(sort, residue) => Some(self.field_element(*sort, residue.clone())),
            Value::Data(data) => {
                if let Some(&term) = known.get(&Arc::as_ptr(data)) {
                    return Some(term);
                }
                let fields: Option<Vec<TermId>> =
                    data.fields.iter().map(|field| self.value_with(field, known)).collect();
                let fields = fields?;
                let func = match *self.sorts.get(data.sort) {
                    Sort::Declared(decl, _) => {
                        self.intern_func(crate::Func::Constructor(decl, data.constructor))
                    }
                    Sort::Tuple(_) if fields.is_empty() => self.op_func(relations::UNIT, &[]),
                    Sort::Tuple(_) => self.op_func(relations::TUPLE_OF, &[]),
                    _ if fields.is_empty() => self.op_func(nullables::NULL, &[]),
                    _ => self.op_func(nullables::SOME, &[]),
                };
                let term = self.app_as(func, &fields, Some(data.sort)).ok()?;
                known.insert(Arc::as_ptr(data), term);
                Some(term)
            }
            Value::Element(..) => None,
        }
    }

    fn seq_value(&mut self, sort: SortId, items: &[Value], known: &mut Known) -> Option<TermId> {
        let mut units = Vec::with_capacity(items.len());
        for item in items {
            let item = self.value_with(item, known)?;
            units.push(self.op(seq::UNIT, &[item]).ok()?);
        }
        match units.as_slice() {
            [] => {
                let empty = self.op_func(seq::EMPTY, &[]);
                self.app_as(empty, &[], Some(sort)).ok()
            }
            [unit] => Some(*unit),
            _ => self.op(seq::CONCAT, &units).ok(),
        }
    }

    fn set_value(&mut self, sort: SortId, items: &[Value], known: &mut Known) -> Option<TermId> {
        let mut parts = Vec::with_capacity(items.len());
        for item in items {
            let item = self.value_with(item, known)?;
            parts.push(self.op(sets::SINGLETON, &[item]).ok()?);
        }
        self.united(sets::EMPTY, sets::UNION, sort, &parts)
    }

    fn bag_value(
        &mut self,
        sort: SortId,
        items: &[(Value, Int)],
        known: &mut Known,
    ) -> Option<TermId> {
        let mut parts = Vec::with_capacity(items.len());
        for (item, count) in items {
            let args = [self.value_with(item, known)?, self.int(count)];
            parts.push(self.op(bags::BAG, &args).ok()?);
        }
        self.united(bags::EMPTY, bags::UNION_DISJOINT, sort, &parts)
    }

    /// The union of one-element collections.
    fn united(&mut self, empty: Op, union: Op, sort: SortId, parts: &[TermId]) -> Option<TermId> {
        match parts {
            [] => {
                let empty = self.op_func(empty, &[]);
                self.app_as(empty, &[], Some(sort)).ok()
            }
            [only] => Some(*only),
            _ => self.op(union, parts).ok(),
        }
    }
}

/// Whether the number has a finite decimal expansion: its denominator has no prime factors but 2
/// and 5.
#[must_use]
pub fn has_decimal(value: &BigRational) -> bool {
    let mut rest = value.denom().clone();
    for prime in [2u32, 5] {
        while (&rest % prime) == BigInt::from(0) {
            rest /= prime;
        }
    }
    rest.is_one()
}
