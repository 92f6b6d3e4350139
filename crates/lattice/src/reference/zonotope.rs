//! Zonotopes over rational numbers: variables as affine forms over shared noise symbols, each from
//! -1 to 1, together with a range for each variable.
//!
//! Inclusion is decided for each group of variables that share noise (`inclusion.rs`), unless it has too
//! many sides; then the answer is [`Truth::Unsure`]. Whether a single point is included is always
//! decided.

use super::inclusion::{Axis, Bounds, Cut};
use super::simplex::Program;
use super::{inclusion, whole};
use crate::bug::Bug;
use crate::domain::{Domain, Profile, Shape, Truth};
use crate::linear::{Constraint, Linear, Relation};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

/// A center, and a factor for each noise symbol.
#[derive(Clone, PartialEq, Debug)]
struct Form {
    centre: BigRational,
    noise: BTreeMap<usize, BigRational>,
}

impl Form {
    fn radius(&self) -> BigRational {
        self.noise.values().map(Signed::abs).sum()
    }
}

/// A variable: its range, and its form if the range is bounded on both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    range: Bounds,
    form: Option<Form>,
}

type Element = Option<Vec<Variable>>;

/// The domain of zonotopes.
pub struct Zonotopes {
    profile: Profile,
    bug: Option<Bug>,
}

fn within(inner: &Bounds, outer: &Bounds) -> bool {
    let low = match (&inner.0, &outer.0) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(a), Some(b)) => a >= b,
    };
    let high = match (&inner.1, &outer.1) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(a), Some(b)) => a <= b,
    };
    low && high
}

fn intersected(a: &Bounds, b: &Bounds) -> Bounds {
    let pick = |a: &Option<BigRational>, b: &Option<BigRational>, upper: bool| match (a, b) {
        (Some(a), Some(b)) if (a < b) == upper => Some(a.clone()),
        (Some(_), Some(b)) => Some(b.clone()),
        (only, None) | (None, only) => only.clone(),
    };
    (pick(&a.0, &b.0, false), pick(&a.1, &b.1, true))
}

fn united(a: &Bounds, b: &Bounds) -> Bounds {
    let low = a.0.as_ref().zip(b.0.as_ref()).map(|(a, b)| a.min(b).clone());
    let high = a.1.as_ref().zip(b.1.as_ref()).map(|(a, b)| a.max(b).clone());
    (low, high)
}

/// The first unused noise symbol.
fn fresh(elements: &[&[Variable]]) -> usize {
    let forms =
        elements.iter().flat_map(|variables| variables.iter()).filter_map(|v| v.form.as_ref());
    forms.filter_map(|form| form.noise.keys().next_back()).max().map_or(0, |symbol| symbol + 1)
}

impl Zonotopes {
    /// The domain, possibly with a seeded bug.
    #[must_use]
    pub fn new(bug: Option<Bug>) -> Zonotopes {
        let mut profile = Profile::new("builtin/zonotope", Shape::Zonotopes);
        profile.exact_points = true;
        Zonotopes { profile, bug }
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// Gives every bounded variable a form, and tightens ranges by forms.
    fn tidy(&self, mut variables: Vec<Variable>) -> Element {
        let mut symbol = fresh(&[&variables]);
        for variable in &mut variables {
            if let Some(form) = &variable.form {
                let radius = form.radius();
                let hull = (Some(&form.centre - &radius), Some(&form.centre + &radius));
                variable.range = intersected(&variable.range, &hull);
            }
            if let (Some(low), Some(high)) = &variable.range {
                if low > high {
                    return None;
                }
                // A form with a single unshared symbol is no more precise than the range.
                if variable.form.is_none() {
                    let (centre, radius) = ((low + high) / whole(2), (high - low) / whole(2));
                    let noise =
                        (!radius.is_zero()).then_some((symbol, radius)).into_iter().collect();
                    variable.form = Some(Form { centre, noise });
                    symbol += 1;
                }
            }
        }
        Some(variables)
    }

    /// The values of a sum: by ranges, and by forms if all its variables have one.
    fn evaluate(&self, variables: &[Variable], sum: &Linear) -> Variable {
        let constant = whole(sum.constant);
        let mut range = (Some(constant.clone()), Some(constant.clone()));
        let mut form = Some(Form { centre: constant, noise: BTreeMap::new() });
        for (variable, coefficient) in sum.terms() {
            let factor = whole(coefficient);
            let Variable { range: (low, high), form: part } = &variables[variable];
            let (low, high) = if coefficient < 0 { (high, low) } else { (low, high) };
            range.0 = range.0.zip(low.as_ref()).map(|(sum, low)| sum + low * &factor);
            range.1 = range.1.zip(high.as_ref()).map(|(sum, high)| sum + high * &factor);
            form = form.zip(part.as_ref()).map(|(mut form, part)| {
                form.centre += &part.centre * &factor;
                for (symbol, amount) in &part.noise {
                    if self.has(Bug::ZonotopeAssignNoise) && coefficient < 0 {
                        continue;
                    }
                    *form.noise.entry(*symbol).or_insert_with(BigRational::zero) +=
                        amount * &factor;
                }
                form.noise.retain(|_, amount| !amount.is_zero());
                form
            });
        }
        Variable { range, form }
    }

    fn combine(
        &self,
        left: &[Variable],
        right: &[Variable],
        ranges: impl Fn(&Bounds, &Bounds) -> Bounds,
    ) -> Element {
        let mut symbol = fresh(&[left, right]);
        let mut joined = Vec::with_capacity(left.len());
        for (a, b) in left.iter().zip(right) {
            let range = ranges(&a.range, &b.range);
            let bounded = range.0.is_some() && range.1.is_some();
            let form = match (&a.form, &b.form) {
                (Some(a), Some(b)) if bounded => {
                    let form = cover(a, b, symbol);
                    symbol += usize::from(!self.has(Bug::ZonotopeJoinNoise));
                    Some(form)
                }
                _ => None,
            };
            joined.push(Variable { range, form });
        }
        self.tidy(joined)
    }
}

/// A form that covers two: the common part of each symbol, and a new symbol for the rest.
fn cover(a: &Form, b: &Form, symbol: usize) -> Form {
    let mut noise = BTreeMap::new();
    for (symbol, of_a) in &a.noise {
        let Some(of_b) = b.noise.get(symbol) else { continue };
        if of_a.is_positive() == of_b.is_positive() {
            let common = if of_a.abs() < of_b.abs() { of_a } else { of_b };
            noise.insert(*symbol, common.clone());
        }
    }
    let rest = |form: &Form| -> BigRational {
        let of = |noise: &BTreeMap<usize, BigRational>, symbol: &usize| {
            noise.get(symbol).cloned().unwrap_or_else(BigRational::zero)
        };
        form.noise.keys().map(|symbol| (of(&form.noise, symbol) - of(&noise, symbol)).abs()).sum()
    };
    let (rest_a, rest_b) = (rest(a), rest(b));
    let low = (&a.centre - &rest_a).min(&b.centre - &rest_b);
    let high = (&a.centre + &rest_a).max(&b.centre + &rest_b);
    let (centre, radius) = ((&low + &high) / whole(2), (&high - &low) / whole(2));
    if !radius.is_zero() {
        noise.insert(symbol, radius);
    }
    Form { centre, noise }
}

/// The point of an element that has only one.
fn single(variables: &[Variable]) -> Option<Vec<BigRational>> {
    let value = |v: &Variable| v.range.0.clone().filter(|low| Some(low) == v.range.1.as_ref());
    variables.iter().map(value).collect()
}

/// The noise symbols of some variables, in order.
fn symbols<'v>(variables: impl Iterator<Item = &'v Variable>) -> Vec<usize> {
    let forms = variables.filter_map(|v| v.form.as_ref());
    let mut all: Vec<usize> = forms.flat_map(|form| form.noise.keys().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether some values of the noise symbols give the point.
fn reaches(variables: &[Variable], point: &[BigRational]) -> bool {
    let symbols = symbols(variables.iter());
    let count = symbols.len();
    // Unknowns are noise + 1, from 0 to 2, with a slack each.
    let mut program = Program::new(2 * count);
    for (variable, value) in variables.iter().zip(point) {
        let Some(form) = &variable.form else { continue };
        let noise = symbols.iter().enumerate().filter_map(|(at, s)| Some((at, form.noise.get(s)?)));
        let wanted = value - &form.centre + form.noise.values().sum::<BigRational>();
        program.demand(noise.map(|(at, amount)| (at, amount.clone())), wanted);
    }
    for at in 0..count {
        program.demand([(at, whole(1)), (count + at, whole(1))], whole(2));
    }
    program.has_solution()
}

/// Groups of variables such that no symbol of any element is in two of them.
fn groups(elements: &[&[Variable]]) -> Vec<Vec<usize>> {
    let dimensions = elements.first().map_or(0, |variables| variables.len());
    let mut groups: Vec<Vec<usize>> = (0..dimensions).map(|at| vec![at]).collect();
    for variables in elements {
        for symbol in symbols(variables.iter()) {
            let has = |at: &usize| {
                variables[*at].form.as_ref().is_some_and(|form| form.noise.contains_key(&symbol))
            };
            let (with, without): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| group.iter().any(has));
            groups = without;
            groups.push(with.concat());
        }
    }
    groups
}

/// A group of variables by itself.
fn part(variables: &[Variable], group: &[usize]) -> Cut {
    let symbols = symbols(group.iter().map(|at| &variables[*at]));
    let axis = |at: &usize| {
        let Variable { range, form } = &variables[*at];
        let amount = |form: &Form, symbol: &usize| {
            form.noise.get(symbol).cloned().unwrap_or_else(BigRational::zero)
        };
        let form = form.as_ref().map(|form| {
            (form.centre.clone(), symbols.iter().map(|symbol| amount(form, symbol)).collect())
        });
        Axis { form, range: range.clone() }
    };
    Cut { axes: group.iter().map(axis).collect(), symbols: symbols.len() }
}

/// Whether it is empty: a range that cuts a form shared with others may leave nothing.
fn is_empty(variables: &[Variable]) -> Truth {
    // The range of a variable that shares no noise already includes its form.
    let shared = groups(&[variables]).into_iter().filter(|group| group.len() > 1);
    shared.fold(Truth::No, |empty, group| match (empty, part(variables, &group).is_empty()) {
        (Truth::Yes, _) | (_, Truth::Yes) => Truth::Yes,
        (Truth::Unsure, _) | (_, Truth::Unsure) => Truth::Unsure,
        (Truth::No, Truth::No) => Truth::No,
    })
}

/// Whether the part of the left, which is not empty, is included in that of the right.
fn group_within(left: &[Variable], right: &[Variable], group: &[usize]) -> Truth {
    let mut pairs = group.iter().map(|at| (&left[*at], &right[*at]));
    if let [at] = group {
        return within(&left[*at].range, &right[*at].range).into();
    }
    // Without a form, one side is unbounded; with one, both are bounded.
    if pairs.any(|(a, b)| a.form.is_none() && b.form.is_some()) {
        return Truth::No;
    }
    inclusion::within(&part(left, group), &part(right, group))
}

impl Domain for Zonotopes {
    type Element = Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Element {
        Some(vec![Variable { range: (None, None), form: None }; dimensions])
    }

    fn bottom(&self, _dimensions: usize) -> Element {
        None
    }

    fn leq(&self, left: &Element, right: &Element) -> Truth {
        let Some(left) = left else { return Truth::Yes };
        let empty = is_empty(left);
        let Some(right) = right else { return empty };
        if empty == Truth::Yes || left == right {
            return Truth::Yes;
        }
        let plain = left.iter().all(|v| v.form.as_ref().is_some_and(|form| form.noise.is_empty()));
        if let Some(point) = single(left).filter(|_| plain) {
            let fits = left.iter().zip(right).all(|(a, b)| within(&a.range, &b.range));
            return (fits && reaches(right, &point)).into();
        }
        let mut found = Truth::Yes;
        for group in groups(&[left, right]) {
            match group_within(left, right, &group) {
                Truth::Yes => {}
                Truth::No if empty == Truth::No => return Truth::No,
                Truth::No | Truth::Unsure => found = Truth::Unsure,
            }
        }
        found
    }

    fn eq(&self, left: &Element, right: &Element) -> Truth {
        if left == right {
            return Truth::Yes;
        }
        match (self.leq(left, right), self.leq(right, left)) {
            (Truth::Yes, Truth::Yes) => Truth::Yes,
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            _ => Truth::Unsure,
        }
    }

    fn is_bottom(&self, element: &Element) -> Truth {
        element.as_ref().map_or(Truth::Yes, |variables| is_empty(variables))
    }

    fn is_top(&self, element: &Element) -> Truth {
        let free = |v: &Variable| v.range.0.is_none() && v.range.1.is_none();
        element.as_ref().is_some_and(|variables| variables.iter().all(free)).into()
    }

    fn join(&self, left: &Element, right: &Element) -> Element {
        match (left, right) {
            (only, None) | (None, only) => only.clone(),
            (Some(left), Some(right)) if left == right => Some(left.clone()),
            (Some(left), Some(right)) => self.combine(left, right, united),
        }
    }

    /// The ranges are those of both; the forms are those of one operand, which also hold for the meet. The
    /// symbols of different elements are unrelated.
    fn meet(&self, left: &Element, right: &Element) -> Element {
        let (left, right) = (left.as_ref()?, right.as_ref()?);
        let known = if left.iter().any(|v| v.form.is_some()) { left } else { right };
        let both = left.iter().zip(right).zip(known).map(|((a, b), known)| Variable {
            range: intersected(&a.range, &b.range),
            form: known.form.clone(),
        });
        self.tidy(both.collect())
    }

    fn widen(&self, left: &Element, right: &Element) -> Element {
        let (left, right) = match (left, right) {
            (only, None) | (None, only) => return only.clone(),
            (Some(left), Some(right)) => (left, right),
        };
        if left == right || self.has(Bug::ZonotopeWidenLeft) {
            return Some(left.clone());
        }
        let widened = left.iter().zip(right).map(|(a, b)| {
            let low = a.range.0.clone().filter(|low| b.range.0.as_ref().is_some_and(|b| b >= low));
            let high =
                a.range.1.clone().filter(|high| b.range.1.as_ref().is_some_and(|b| b <= high));
            // Relations are dropped, so that only ranges can change from now on.
            Variable { range: (low, high), form: None }
        });
        self.tidy(widened.collect())
    }

    fn assign(&self, element: &Element, variable: usize, sum: &Linear) -> Element {
        let mut variables = element.clone()?;
        variables[variable] = self.evaluate(&variables, sum);
        self.tidy(variables)
    }

    fn project(&self, element: &Element, variable: usize) -> Element {
        let mut variables = element.clone()?;
        if !self.has(Bug::ZonotopeProject) {
            variables[variable] = Variable { range: (None, None), form: None };
        }
        Some(variables)
    }

    fn guard(&self, element: &Element, constraint: &Constraint) -> Element {
        let variables = element.as_ref()?;
        let value = self.tidy(vec![self.evaluate(variables, &constraint.sum)])?;
        let equal = constraint.relation == Relation::Equal;
        let (low, high) = &value[0].range;
        let negative = high.as_ref().is_some_and(Signed::is_negative);
        if negative || equal && low.as_ref().is_some_and(Signed::is_positive) {
            return None;
        }
        let mut refined = variables.clone();
        for (variable, coefficient) in constraint.sum.terms() {
            let mut rest = constraint.sum.clone();
            let mut coefficients = rest.coefficients.to_vec();
            coefficients[variable] = 0;
            rest.coefficients = coefficients.into();
            let (low, high) = self.evaluate(variables, &rest).range;
            let factor = whole(coefficient);
            let at_least = high.map(|high| -high / &factor);
            let at_most = low.filter(|_| equal).map(|low| -low / &factor);
            let bounds = if coefficient < 0 { (at_most, at_least) } else { (at_least, at_most) };
            refined[variable].range = intersected(&refined[variable].range, &bounds);
        }
        self.tidy(refined)
    }

    fn features(&self, element: &Element) -> u64 {
        let Some(variables) = element else { return 1 };
        let forms = variables.iter().filter_map(|v| v.form.as_ref());
        2 + forms.map(|form| 1 + form.noise.len() as u64).sum::<u64>()
    }

    fn show(&self, element: &Element) -> String {
        let Some(variables) = element else { return "bottom".to_owned() };
        let mut words = Vec::new();
        for (at, Variable { range: (low, high), form }) in variables.iter().enumerate() {
            if let Some(Form { centre, noise }) = form {
                let noise = noise.iter().map(|(symbol, amount)| format!(" + {amount}*e{symbol}"));
                words.push(format!("x{at} = {centre}{}", noise.collect::<String>()));
            } else if low.is_some() || high.is_some() {
                let end = |bound: &Option<BigRational>| {
                    bound.as_ref().map_or("oo".to_owned(), ToString::to_string)
                };
                words.push(format!("x{at} from {} to {}", end(low), end(high)));
            }
        }
        if words.is_empty() { "top".to_owned() } else { words.join(" and ") }
    }
}
