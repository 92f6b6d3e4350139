//! Intervals: a lower and an upper bound for each variable, over numbers of three kinds.

use super::whole;
use crate::bug::Bug;
use crate::domain::{Domain, Profile, Shape, Truth};
use crate::linear::{Constraint, Linear, Relation};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};
use std::fmt;
use std::marker::PhantomData;

/// Number types for bounds. Arithmetic is exact; results are rounded outwards to representable
/// numbers.
pub trait Bound: Clone + PartialOrd + fmt::Display + fmt::Debug {
    /// The exact value.
    fn exact(&self) -> BigRational;

    /// The largest number that is not above; `None` if all are.
    fn below(value: &BigRational) -> Option<Self>;

    /// The smallest number that is not below; `None` if all are.
    fn above(value: &BigRational) -> Option<Self>;

    /// The nearest number, on either side: wrong for bounds.
    fn nearest(value: &BigRational) -> Option<Self> {
        Self::below(value)
    }
}

impl Bound for i64 {
    fn exact(&self) -> BigRational {
        whole(*self)
    }

    fn below(value: &BigRational) -> Option<i64> {
        let floor = value.floor().to_integer();
        floor.to_i64().or(floor.is_positive().then_some(i64::MAX))
    }

    fn above(value: &BigRational) -> Option<i64> {
        let ceiling = value.ceil().to_integer();
        ceiling.to_i64().or(ceiling.is_negative().then_some(i64::MIN))
    }
}

impl Bound for BigRational {
    fn exact(&self) -> BigRational {
        self.clone()
    }

    fn below(value: &BigRational) -> Option<BigRational> {
        Some(value.clone())
    }

    fn above(value: &BigRational) -> Option<BigRational> {
        Some(value.clone())
    }
}

/// A finite 64-bit floating-point number.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Double(f64);

impl fmt::Display for Double {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Double {
    /// The neighbors of the nearest one, in order; the middle is the nearest itself.
    fn around(value: &BigRational) -> [f64; 3] {
        let near = value.to_f64().unwrap_or(f64::NAN);
        [neighbour(near, false), near, neighbour(near, true)]
    }
}

/// The next double in a direction.
fn neighbour(value: f64, up: bool) -> f64 {
    if value == 0.0 {
        let least = f64::from_bits(1);
        return if up { least } else { -least };
    }
    if !value.is_finite() {
        let inwards = (value < 0.0) == up;
        return if inwards { f64::MAX.copysign(value) } else { value };
    }
    let away = (value > 0.0) == up;
    f64::from_bits(if away { value.to_bits() + 1 } else { value.to_bits() - 1 })
}

impl Bound for Double {
    fn exact(&self) -> BigRational {
        BigRational::from_f64(self.0).expect("bounds are finite")
    }

    fn below(value: &BigRational) -> Option<Double> {
        let fits = |near: &f64| {
            near.is_finite() && BigRational::from_f64(*near).is_some_and(|exact| exact <= *value)
        };
        Double::around(value).into_iter().rev().find(fits).map(Double)
    }

    fn above(value: &BigRational) -> Option<Double> {
        Double::below(&-value).map(|below| Double(-below.0))
    }

    fn nearest(value: &BigRational) -> Option<Double> {
        value.to_f64().filter(|near| near.is_finite()).map(Double)
    }
}

/// The bounds of one variable; none for no bound.
type Range<B> = (Option<B>, Option<B>);

/// Bounds for every variable; none for no point at all.
type Ranges<B> = Option<Vec<Range<B>>>;

/// The domain of intervals.
pub struct Intervals<B> {
    profile: Profile,
    bug: Option<Bug>,
    bounds: PhantomData<B>,
}

impl<B: Bound> Intervals<B> {
    /// The domain, possibly with a seeded bug.
    #[must_use]
    pub fn new(name: &str, bug: Option<Bug>) -> Intervals<B> {
        let mut profile = Profile::new(format!("builtin/{name}"), Shape::Intervals);
        profile.narrowing = true;
        Intervals { profile, bug, bounds: PhantomData }
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    fn down(&self, value: Option<&BigRational>) -> Option<B> {
        self.round(value?, B::below)
    }

    fn up(&self, value: Option<&BigRational>) -> Option<B> {
        self.round(value?, B::above)
    }

    fn round(&self, value: &BigRational, outwards: fn(&BigRational) -> Option<B>) -> Option<B> {
        if self.has(Bug::IntervalNearest) {
            return B::nearest(value);
        }
        if self.has(Bug::IntervalOverflow) {
            let mask = BigInt::from(u64::MAX);
            let low = (value.floor().to_integer() & mask).to_u64().expect("it has 64 bits");
            return outwards(&whole(low as i64));
        }
        outwards(value)
    }

    /// The exact smallest and largest value of a sum, optionally without one variable.
    fn evaluate(
        &self,
        ranges: &[Range<B>],
        sum: &Linear,
        except: Option<usize>,
    ) -> (Option<BigRational>, Option<BigRational>) {
        let constant = whole(sum.constant);
        let (mut low, mut high) = (Some(constant.clone()), Some(constant));
        for (variable, coefficient) in sum.terms().filter(|(v, _)| Some(*v) != except) {
            let factor = whole(coefficient);
            let scaled = |bound: &Option<B>| {
                bound.as_ref().map(|bound| self.coarse(bound.exact() * &factor))
            };
            let (lower, upper) = (scaled(&ranges[variable].0), scaled(&ranges[variable].1));
            let swap = coefficient < 0 && !self.has(Bug::IntervalAssignSign);
            let (lower, upper) = if swap { (upper, lower) } else { (lower, upper) };
            low = low.zip(lower).map(|(a, b)| self.coarse(a + b));
            high = high.zip(upper).map(|(a, b)| self.coarse(a + b));
        }
        (low, high)
    }

    /// How a careless implementation computes an intermediate result.
    fn coarse(&self, value: BigRational) -> BigRational {
        match self.bug {
            Some(Bug::IntervalNearest) => B::nearest(&value).map_or(value, |near| near.exact()),
            _ => value,
        }
    }

    fn tidy(&self, ranges: Vec<Range<B>>) -> Ranges<B> {
        let empty = |range: &Range<B>| matches!(range, (Some(low), Some(high)) if low > high);
        if ranges.iter().any(empty) && !self.has(Bug::IntervalMeetEmpty) {
            return None;
        }
        Some(ranges)
    }
}

/// Whether one ends where the other, longer one begins.
fn touch<B: PartialEq>(one: &Range<B>, other: &Range<B>) -> bool {
    one.1.is_some() && one.1 == other.0 && one.0 != one.1 && other.0 != other.1
}

/// The outer bound: none is the outermost.
fn outer<B: Clone>(a: &Option<B>, b: &Option<B>, first: impl Fn(&B, &B) -> bool) -> Option<B> {
    let (a, b) = (a.as_ref()?, b.as_ref()?);
    Some(if first(a, b) { a.clone() } else { b.clone() })
}

/// The inner bound.
fn inner<B: Clone>(a: &Option<B>, b: &Option<B>, first: impl Fn(&B, &B) -> bool) -> Option<B> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if first(a, b) { a.clone() } else { b.clone() }),
        (Some(only), None) | (None, Some(only)) => Some(only.clone()),
        (None, None) => None,
    }
}

/// Whether a lower bound is at or above another; none is the lowest.
fn no_lower<B: PartialOrd>(a: &Option<B>, b: &Option<B>) -> bool {
    match (a, b) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(a), Some(b)) => a >= b,
    }
}

/// Whether an upper bound is at or below another; none is the highest.
fn no_higher<B: PartialOrd>(a: &Option<B>, b: &Option<B>) -> bool {
    match (a, b) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(a), Some(b)) => a <= b,
    }
}

impl<B: Bound> Domain for Intervals<B> {
    type Element = Ranges<B>;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Ranges<B> {
        Some(vec![(None, None); dimensions])
    }

    fn bottom(&self, _dimensions: usize) -> Ranges<B> {
        None
    }

    fn leq(&self, left: &Ranges<B>, right: &Ranges<B>) -> Truth {
        let Some(left) = left else { return Truth::Yes };
        let Some(right) = right else { return Truth::No };
        let last = if self.has(Bug::IntervalOrderLast) { left.len() - 1 } else { left.len() };
        let within = |(a, b): (&Range<B>, &Range<B>)| no_lower(&a.0, &b.0) && no_higher(&a.1, &b.1);
        left[..last].iter().zip(right).all(within).into()
    }

    fn eq(&self, left: &Ranges<B>, right: &Ranges<B>) -> Truth {
        if self.has(Bug::IntervalEqualLower) {
            if let (Some(left), Some(right)) = (left, right) {
                return left.iter().zip(right).all(|(a, b)| a.0 == b.0).into();
            }
        }
        (left == right).into()
    }

    fn is_bottom(&self, element: &Ranges<B>) -> Truth {
        element.is_none().into()
    }

    fn is_top(&self, element: &Ranges<B>) -> Truth {
        let free = |range: &Range<B>| range.0.is_none() && range.1.is_none();
        element.as_ref().is_some_and(|ranges| ranges.iter().all(free)).into()
    }

    fn join(&self, left: &Ranges<B>, right: &Ranges<B>) -> Ranges<B> {
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (Some(only), None) | (None, Some(only)) => {
                if !self.has(Bug::IntervalJoinBottom) {
                    return Some(only.clone());
                }
                let (one, minus) = (B::below(&whole(1)), B::below(&whole(-1)));
                let spoilt = only.iter().map(|range| {
                    (outer(&range.0, &one, |a, b| a < b), outer(&range.1, &minus, |a, b| a > b))
                });
                return Some(spoilt.collect());
            }
            (None, None) => return None,
        };
        let lower_first =
            |a: &B, b: &B| if self.has(Bug::IntervalJoinLower) { a > b } else { a < b };
        let pairs = left.iter().zip(right);
        let joined =
            pairs.map(|(a, b)| (outer(&a.0, &b.0, lower_first), outer(&a.1, &b.1, |a, b| a > b)));
        Some(joined.collect())
    }

    fn meet(&self, left: &Ranges<B>, right: &Ranges<B>) -> Ranges<B> {
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (None, other) | (other, None) if self.has(Bug::IntervalMeetBottom) => {
                return other.clone();
            }
            _ => return None,
        };
        let pairs = left.iter().zip(right);
        if self.has(Bug::IntervalMeetTouch)
            && pairs.clone().any(|(a, b)| touch(a, b) || touch(b, a))
        {
            return None;
        }
        let met =
            pairs.map(|(a, b)| (inner(&a.0, &b.0, |a, b| a > b), inner(&a.1, &b.1, |a, b| a < b)));
        self.tidy(met.collect())
    }

    fn widen(&self, left: &Ranges<B>, right: &Ranges<B>) -> Ranges<B> {
        if self.has(Bug::IntervalWidenJoin) {
            return self.join(left, right);
        }
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (only, None) | (None, only) => return only.clone(),
        };
        let widened = left.iter().zip(right).map(|(a, b)| {
            let (low, mut high) = (no_lower(&b.0, &a.0), no_higher(&b.1, &a.1));
            high ^= self.has(Bug::IntervalWidenSide);
            if self.has(Bug::IntervalWidenBoth) && !(low && high) {
                return (None, None);
            }
            (if low { a.0.clone() } else { None }, if high { a.1.clone() } else { None })
        });
        Some(widened.collect())
    }

    fn narrow(&self, left: &Ranges<B>, right: &Ranges<B>) -> Ranges<B> {
        let (Some(left), Some(right)) = (left, right) else { return None };
        if self.has(Bug::IntervalNarrowCreep) {
            let creep =
                |bound: &Option<B>| bound.as_ref().and_then(|b| B::below(&(b.exact() - whole(1))));
            return self
                .tidy(left.iter().map(|range| (range.0.clone(), creep(&range.1))).collect());
        }
        let pairs = left.iter().zip(right);
        let narrowed = pairs.map(|(a, b)| {
            (a.0.clone().or_else(|| b.0.clone()), a.1.clone().or_else(|| b.1.clone()))
        });
        self.tidy(narrowed.collect())
    }

    fn assign(&self, element: &Ranges<B>, variable: usize, sum: &Linear) -> Ranges<B> {
        let mut ranges = element.clone()?;
        let (low, high) = self.evaluate(&ranges, sum, None);
        ranges[variable] = (self.down(low.as_ref()), self.up(high.as_ref()));
        self.tidy(ranges)
    }

    fn project(&self, element: &Ranges<B>, variable: usize) -> Ranges<B> {
        let mut ranges = element.clone()?;
        if variable == 0 && self.has(Bug::IntervalProjectFirst) {
            return Some(ranges);
        }
        ranges[variable] = (None, None);
        if self.has(Bug::IntervalProjectNext) {
            let next = (variable + 1) % ranges.len();
            ranges[next] = (None, None);
        }
        Some(ranges)
    }

    fn guard(&self, element: &Ranges<B>, constraint: &Constraint) -> Ranges<B> {
        let ranges = element.as_ref()?;
        let zero = BigRational::zero();
        let strict = if self.has(Bug::IntervalGuardStrict) { whole(1) } else { zero.clone() };
        let (low, high) = self.evaluate(ranges, &constraint.sum, None);
        let equal = constraint.relation == Relation::Equal;
        if high.is_some_and(|high| high < zero) || equal && low.is_some_and(|low| low > zero) {
            return None;
        }
        let mut refined = ranges.clone();
        let improved = if self.has(Bug::IntervalGuardFirst) { 1 } else { usize::MAX };
        for (variable, coefficient) in constraint.sum.terms().take(improved) {
            let (low, high) = self.evaluate(ranges, &constraint.sum, Some(variable));
            let factor = whole(coefficient);
            // coefficient * variable >= -high, and for an equation <= -low.
            let at_least = high.map(|high| (&strict - high) / &factor);
            let at_most = low.filter(|_| equal).map(|low| -low / &factor);
            let (lower, upper) =
                if factor.is_negative() { (at_most, at_least) } else { (at_least, at_most) };
            let (lower, upper) =
                (lower.and_then(|low| B::below(&low)), upper.and_then(|high| B::above(&high)));
            let range = &mut refined[variable];
            *range = (inner(&range.0, &lower, |a, b| a > b), inner(&range.1, &upper, |a, b| a < b));
        }
        self.tidy(refined)
    }

    fn features(&self, element: &Ranges<B>) -> u64 {
        let Some(ranges) = element else { return 1 };
        let of = |range: &Range<B>| match range {
            (None, None) => 0,
            (Some(_), None) => 1,
            (None, Some(_)) => 2,
            (Some(low), Some(high)) => 3 + u64::from(low == high),
        };
        ranges.iter().fold(7, |mixed: u64, range| mixed.wrapping_mul(5).wrapping_add(of(range)))
    }

    fn show(&self, element: &Ranges<B>) -> String {
        let Some(ranges) = element else { return "bottom".to_owned() };
        let bounded = ranges.iter().enumerate().filter(|(_, r)| r.0.is_some() || r.1.is_some());
        let words = bounded.map(|(variable, (low, high))| {
            let low = low.as_ref().map_or("-oo".to_owned(), ToString::to_string);
            let high = high.as_ref().map_or("+oo".to_owned(), ToString::to_string);
            format!("x{variable} in [{low}, {high}]")
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { "top".to_owned() } else { words.join(" and ") }
    }
}
