//! Octagons over rational numbers: bounds of `±x` and `±x ± y`, kept as a matrix of differences.
//!
//! Row and column `2k` stand for `x_k`, `2k+1` for `-x_k`; the entry at row `i` and column `j` is an
//! upper bound of `V_j - V_i`, none for no bound.

use super::whole;
use crate::bug::Bug;
use crate::domain::{Domain, Profile, Shape, Truth};
use crate::linear::{Constraint, Linear, Relation};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::cell::OnceCell;

type Entry = Option<BigRational>;

/// An octagon with its constraints as given; its closure is computed when needed.
#[derive(Clone, PartialEq, Debug)]
pub struct Octagon {
    size: usize,
    entries: Vec<Entry>,
    closed: bool,
    /// The closure that a query cached, for the bugs about caching.
    left: OnceCell<Box<Octagon>>,
}

/// The domain of octagons.
pub struct Octagons {
    profile: Profile,
    bug: Option<Bug>,
}

/// The other of a variable's two rows.
fn other(row: usize) -> usize {
    row ^ 1
}

/// The row of a variable or, for a negative sign, of its negation.
fn row(variable: usize, negative: bool) -> usize {
    2 * variable + usize::from(negative)
}

impl Octagon {
    fn top(dimensions: usize) -> Octagon {
        let size = 2 * dimensions;
        let mut entries = vec![None; size * size];
        (0..size).for_each(|at| entries[at * size + at] = Some(BigRational::zero()));
        Octagon { size, entries, closed: true, left: OnceCell::new() }
    }

    fn at(&self, i: usize, j: usize) -> &Entry {
        &self.entries[i * self.size + j]
    }

    /// Lowers an entry and the equivalent one for the negations.
    fn lower(&mut self, i: usize, j: usize, bound: &BigRational) {
        for (i, j) in [(i, j), (other(j), other(i))] {
            let entry = &mut self.entries[i * self.size + j];
            if entry.as_ref().is_none_or(|known| bound < known) {
                *entry = Some(bound.clone());
                self.closed = false;
            }
        }
    }

    /// Adds `V_s + V_t <= bound`; for one row twice, `V_s <= bound`.
    fn add_sum(&mut self, s: usize, t: Option<usize>, bound: &BigRational) {
        match t {
            Some(t) => self.lower(other(t), s, bound),
            None => self.lower(other(s), s, &(bound * whole(2))),
        }
    }

    /// Removes all constraints on a variable.
    fn forget(&mut self, variable: usize) {
        let size = self.size;
        for row in [row(variable, false), row(variable, true)] {
            for at in 0..size {
                self.entries[row * size + at] = None;
                self.entries[at * size + row] = None;
            }
        }
        for row in [row(variable, false), row(variable, true)] {
            self.entries[row * size + row] = Some(BigRational::zero());
        }
    }

    /// The largest value of a variable or of its negation; `None` if unbounded.
    fn greatest(&self, row: usize) -> Entry {
        self.at(other(row), row).as_ref().map(|twice| twice / whole(2))
    }

    /// The largest value of a sum, from the bounds of its variables, optionally without one of them.
    fn supremum(&self, sum: &Linear, sign: i64, except: Option<usize>) -> Entry {
        let mut total = whole(sum.constant) * whole(sign);
        for (variable, coefficient) in sum.terms().filter(|(v, _)| Some(*v) != except) {
            let negative = (coefficient < 0) != (sign < 0);
            total += self.greatest(row(variable, negative))? * whole(coefficient).abs();
        }
        Some(total)
    }
}

impl Octagons {
    /// The domain, possibly with a seeded bug.
    #[must_use]
    pub fn new(bug: Option<Bug>) -> Octagons {
        let mut profile = Profile::new("builtin/octagon", Shape::Octagons);
        profile.closure = true;
        profile.narrowing = true;
        Octagons { profile, bug }
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// All implied bounds; `None` if the octagon is empty.
    fn closure(&self, octagon: &Octagon) -> Option<Octagon> {
        if octagon.closed {
            return Some(octagon.clone());
        }
        let trusted = self.has(Bug::OctagonStaleClosure) || self.has(Bug::OctagonJoinCaches);
        if let Some(left) = octagon.left.get().filter(|_| trusted) {
            return Some(Octagon::clone(left));
        }
        let mut closed = Octagon { left: OnceCell::new(), ..octagon.clone() };
        let size = closed.size;
        for k in 0..size {
            for i in 0..size {
                let Some(first) = closed.at(i, k).clone() else { continue };
                for j in 0..size {
                    let Some(second) = closed.at(k, j) else { continue };
                    let through = &first + second;
                    let entry = &mut closed.entries[i * size + j];
                    if entry.as_ref().is_none_or(|known| through < *known) {
                        *entry = Some(through);
                    }
                }
            }
        }
        let negative = |at: usize| closed.at(at, at).as_ref().is_some_and(Signed::is_negative);
        if (0..size).any(negative) && !self.has(Bug::OctagonEmpty) {
            return None;
        }
        if !self.has(Bug::OctagonNotStrong) {
            strengthen(&mut closed);
        }
        closed.closed = true;
        Some(closed)
    }

    fn caches(&self) -> bool {
        self.has(Bug::OctagonStaleClosure) || self.has(Bug::OctagonEqualLazy)
    }

    /// Caches the closure of a queried element.
    fn leave(&self, element: &Option<Octagon>) {
        let open = element.as_ref().filter(|octagon| self.caches() && !octagon.closed);
        if let Some((octagon, closed)) = open.and_then(|o| Some((o, self.closure(o)?))) {
            octagon.left.get_or_init(|| Box::new(closed));
        }
    }

    /// The closure, or what a careless implementation uses instead.
    fn prepared(&self, octagon: &Octagon, careless: Bug) -> Option<Octagon> {
        let closed = self.closure(octagon)?;
        Some(if self.has(careless) { octagon.clone() } else { closed })
    }

    /// `x := ±x + k`: every bound on `x` moves with it.
    fn shift(&self, octagon: &Octagon, variable: usize, negative: bool, constant: i128) -> Octagon {
        let mut shifted = octagon.clone();
        let size = octagon.size;
        let (plus, minus) = (row(variable, false), row(variable, true));
        // The origin of a row, and the shift of its value.
        let source = |at: usize| if negative && at / 2 == variable { other(at) } else { at };
        let moved = |at: usize| match at {
            _ if at == plus => constant,
            _ if at == minus => -constant,
            _ => 0,
        };
        for i in 0..size {
            for j in 0..size {
                if i / 2 != variable && j / 2 != variable {
                    continue;
                }
                let single = i / 2 == j / 2;
                if self.has(Bug::OctagonShift) && !single {
                    continue;
                }
                if self.has(Bug::OctagonNegation) && negative && single {
                    continue;
                }
                let by = whole(moved(j)) - whole(moved(i));
                let from = octagon.at(source(i), source(j));
                shifted.entries[i * size + j] = from.as_ref().map(|bound| bound + by);
            }
        }
        shifted
    }

    /// The unit term of a sum that has no other, and whether it is negative.
    fn single(sum: &Linear) -> Option<(usize, bool)> {
        let mut terms = sum.terms();
        match (terms.next(), terms.next()) {
            (Some((variable, coefficient)), None) if coefficient.unsigned_abs() == 1 => {
                Some((variable, coefficient < 0))
            }
            _ => None,
        }
    }

    /// Adds `sum >= 0` or, for a negative sign, `-sum >= 0`, exactly or approximated by bounds of single
    /// variables.
    fn add(&self, octagon: &Octagon, sum: &Linear, sign: i64) -> Option<Octagon> {
        let mut result = octagon.clone();
        let terms: Vec<(usize, i64)> = sum.terms().collect();
        let constant = whole(sum.constant) * whole(sign);
        let positive = |coefficient: i64| (coefficient > 0) == (sign > 0);
        if terms.is_empty() {
            return (!constant.is_negative()).then_some(result);
        }
        let unit = terms.iter().all(|(_, c)| c.unsigned_abs() == 1);
        if unit && terms.len() <= 2 {
            let rows: Vec<usize> = terms.iter().map(|(v, c)| row(*v, positive(*c))).collect();
            result.add_sum(rows[0], rows.get(1).copied(), &constant);
            return Some(result);
        }
        let closed = self.closure(octagon)?;
        if closed.supremum(sum, sign, None).is_some_and(|high| high.is_negative()) {
            return None;
        }
        for (variable, coefficient) in terms {
            // coefficient * x >= -(the largest value of the rest)
            let Some(rest) = closed.supremum(sum, sign, Some(variable)) else { continue };
            let bound = rest / whole(coefficient).abs();
            result.add_sum(row(variable, positive(coefficient)), None, &bound);
        }
        Some(result)
    }
}

fn strengthen(octagon: &mut Octagon) {
    let size = octagon.size;
    for i in 0..size {
        let Some(first) = octagon.at(i, other(i)).clone() else { continue };
        for j in 0..size {
            let Some(second) = octagon.at(other(j), j) else { continue };
            let half = (&first + second) / whole(2);
            let entry = &mut octagon.entries[i * size + j];
            if entry.as_ref().is_none_or(|known| half < *known) {
                *entry = Some(half);
            }
        }
    }
}

/// Combines two matrices entry by entry.
fn combine(left: &Octagon, right: &Octagon, f: impl Fn(usize, &Entry, &Entry) -> Entry) -> Octagon {
    let pairs = left.entries.iter().zip(&right.entries).enumerate();
    let entries = pairs.map(|(at, (a, b))| f(at, a, b)).collect();
    Octagon { size: left.size, entries, closed: false, left: OnceCell::new() }
}

/// Whether a bound is at or below another; none is the highest.
fn within(a: &Entry, b: &Entry) -> bool {
    match (a, b) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(a), Some(b)) => a <= b,
    }
}

fn larger(a: &Entry, b: &Entry) -> Entry {
    if within(a, b) { b.clone() } else { a.clone() }
}

fn smaller(a: &Entry, b: &Entry) -> Entry {
    if within(a, b) { a.clone() } else { b.clone() }
}

impl Domain for Octagons {
    type Element = Option<Octagon>;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Option<Octagon> {
        Some(Octagon::top(dimensions))
    }

    fn bottom(&self, _dimensions: usize) -> Option<Octagon> {
        None
    }

    fn leq(&self, left: &Option<Octagon>, right: &Option<Octagon>) -> Truth {
        let Some(left) = left.as_ref().and_then(|o| self.prepared(o, Bug::OctagonOrderUnclosed))
        else {
            return Truth::Yes;
        };
        let Some(right) = right else { return Truth::No };
        left.entries.iter().zip(&right.entries).all(|(a, b)| within(a, b)).into()
    }

    fn eq(&self, left: &Option<Octagon>, right: &Option<Octagon>) -> Truth {
        if self.has(Bug::OctagonEqualLazy) {
            let known = |o: &Option<Octagon>| {
                o.as_ref().map(|o| o.left.get().map_or(&o.entries, |left| &left.entries).clone())
            };
            return (known(left) == known(right)).into();
        }
        let close = |o: &Option<Octagon>| o.as_ref().and_then(|o| self.closure(o));
        (close(left) == close(right)).into()
    }

    fn is_bottom(&self, element: &Option<Octagon>) -> Truth {
        self.leave(element);
        element.as_ref().and_then(|octagon| self.closure(octagon)).is_none().into()
    }

    fn is_top(&self, element: &Option<Octagon>) -> Truth {
        let Some(octagon) = element else { return Truth::No };
        let free = |at: usize| octagon.entries[at].is_none() || at % (octagon.size + 1) == 0;
        (0..octagon.entries.len()).all(free).into()
    }

    fn join(&self, left: &Option<Octagon>, right: &Option<Octagon>) -> Option<Octagon> {
        let kept = left.as_ref().filter(|_| self.has(Bug::OctagonJoinCaches));
        let close = |o: &Option<Octagon>| {
            o.as_ref().and_then(|octagon| self.prepared(octagon, Bug::OctagonJoinUnclosed))
        };
        match (close(left), close(right)) {
            (Some(left), Some(right)) => {
                let pick = if self.has(Bug::OctagonJoinMinimum) { smaller } else { larger };
                let mut joined = combine(&left, &right, |_, a, b| pick(a, b));
                joined.closed = left.closed && right.closed && self.bug.is_none();
                if let Some(left) = kept.filter(|left| !left.closed) {
                    left.left.get_or_init(|| Box::new(joined.clone()));
                }
                Some(joined)
            }
            (only, None) | (None, only) => only,
        }
    }

    fn meet(&self, left: &Option<Octagon>, right: &Option<Octagon>) -> Option<Octagon> {
        let (left, right) = (left.as_ref()?, right.as_ref()?);
        let last = left.entries.len() - left.size;
        let met = combine(left, right, |at, a, b| {
            let careless = self.has(Bug::OctagonMeetLast) && at >= last;
            if careless { larger(a, b) } else { smaller(a, b) }
        });
        Some(met)
    }

    fn widen(&self, left: &Option<Octagon>, right: &Option<Octagon>) -> Option<Octagon> {
        let close = |o: &Option<Octagon>| o.as_ref().and_then(|o| self.closure(o));
        let (Some(_), Some(right)) = (close(left), close(right)) else {
            return if close(left).is_none() { right.clone() } else { left.clone() };
        };
        // The left operand must not be closed: repeated closure would restore bounds.
        let left = left.as_ref().expect("it has points");
        let size = left.size;
        Some(combine(left, &right, |at, a, b| {
            let relational = (at / size) / 2 != (at % size) / 2;
            match self.bug {
                _ if within(b, a) => a.clone(),
                Some(Bug::OctagonWidenSide) if relational => a.clone(),
                Some(Bug::OctagonWidenJoin) if relational => b.clone(),
                _ => None,
            }
        }))
    }

    fn narrow(&self, left: &Option<Octagon>, right: &Option<Octagon>) -> Option<Octagon> {
        let close = |o: &Option<Octagon>| o.as_ref().and_then(|o| self.closure(o));
        close(left)?;
        let right = close(right)?;
        let left = left.as_ref().expect("it has points");
        Some(combine(left, &right, |_, a, b| a.clone().or_else(|| b.clone())))
    }

    fn assign(&self, element: &Option<Octagon>, variable: usize, sum: &Linear) -> Option<Octagon> {
        let before = self.prepared(element.as_ref()?, Bug::OctagonAssignUnclosed)?;
        let single = Octagons::single(sum);
        if let Some((_, negative)) = single.filter(|(other, _)| *other == variable) {
            return Some(self.shift(&before, variable, negative, sum.constant));
        }
        let mut after = before.clone();
        after.forget(variable);
        let constant = whole(sum.constant);
        match single {
            Some((source, negative)) if source != variable => {
                let (x, y) = (row(variable, false), row(source, negative));
                after.add_sum(x, Some(other(y)), &constant);
                after.add_sum(other(x), Some(y), &-constant);
            }
            _ => {
                for sign in [1, -1] {
                    let target = row(variable, sign < 0);
                    if let Some(bound) = before.supremum(sum, sign, None) {
                        after.add_sum(target, None, &bound);
                    }
                    for second in (0..before.size / 2).filter(|second| *second != variable) {
                        relate(&before, &mut after, (target, sum, sign), second);
                    }
                }
            }
        }
        Some(after)
    }

    fn project(&self, element: &Option<Octagon>, variable: usize) -> Option<Octagon> {
        let mut octagon = self.prepared(element.as_ref()?, Bug::OctagonProjectUnclosed)?;
        octagon.forget(variable);
        Some(octagon)
    }

    fn guard(&self, element: &Option<Octagon>, constraint: &Constraint) -> Option<Octagon> {
        let octagon = self.add(element.as_ref()?, &constraint.sum, 1)?;
        if constraint.relation == Relation::AtLeast || self.has(Bug::OctagonGuardHalf) {
            return Some(octagon);
        }
        self.add(&octagon, &constraint.sum, -1)
    }

    fn close(&self, element: &Option<Octagon>) -> Option<Octagon> {
        self.closure(element.as_ref()?)
    }

    fn remembers(&self) -> bool {
        self.has(Bug::OctagonJoinCaches) || self.caches()
    }

    fn features(&self, element: &Option<Octagon>) -> u64 {
        let Some(octagon) = element else { return 1 };
        let bound = octagon.entries.iter().filter(|entry| entry.is_some()).count() as u64;
        2 + 2 * bound + u64::from(octagon.closed)
    }

    fn show(&self, element: &Option<Octagon>) -> String {
        let Some(octagon) = element else { return "bottom".to_owned() };
        let mut words = Vec::new();
        let name = |row: usize| format!("{}x{}", if row % 2 == 1 { "-" } else { "" }, row / 2);
        for i in 0..octagon.size {
            for j in 0..octagon.size {
                let Some(bound) = octagon.at(i, j) else { continue };
                if i == j || (other(j), other(i)) < (i, j) {
                    continue;
                }
                words.push(match i == other(j) {
                    true => format!("{} <= {}", name(j), bound / whole(2)),
                    false => format!("{} + {} <= {bound}", name(j), name(other(i))),
                });
            }
        }
        if words.is_empty() { "top".to_owned() } else { words.join(" and ") }
    }
}

/// Bounds the new value of a variable together with another one: `sign * sum ± second`.
fn relate(
    before: &Octagon,
    after: &mut Octagon,
    (target, sum, sign): (usize, &Linear, i64),
    second: usize,
) {
    for step in [1, -1] {
        let coefficient = sum.coefficients[second].checked_mul(sign);
        let Some(coefficient) = coefficient.and_then(|c| c.checked_add(step)) else { continue };
        let Some(rest) = before.supremum(sum, sign, Some(second)) else { continue };
        let part = match coefficient {
            0 => BigRational::zero(),
            _ => match before.greatest(row(second, coefficient < 0)) {
                Some(greatest) => greatest * whole(coefficient).abs(),
                None => continue,
            },
        };
        after.add_sum(target, Some(row(second, step < 0)), &(rest + part));
    }
}
