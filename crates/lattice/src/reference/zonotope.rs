//! Zonotopes over rational numbers: variables as affine forms over shared noise symbols, each from
//! -1 to 1, beside a range for each variable.
//!
//! Whether one zonotope is within another is hard to say; where no simple argument decides, the
//! answer is [`Truth::Unsure`]. Whether a single point is within one is decided exactly.

use super::whole;
use crate::bug::Bug;
use crate::domain::{Domain, Profile, Shape, Truth};
use crate::linear::{Constraint, Linear, Relation};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

/// A centre, and a factor for each noise symbol.
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

type Bounds = (Option<BigRational>, Option<BigRational>);

/// A variable: its range, and its form where the range is bounded on both sides.
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

/// One more than every noise symbol that is used.
fn fresh(elements: &[&[Variable]]) -> usize {
    let forms =
        elements.iter().flat_map(|variables| variables.iter()).filter_map(|v| v.form.as_ref());
    forms.filter_map(|form| form.noise.keys().next_back()).max().map_or(0, |symbol| symbol + 1)
}

impl Zonotopes {
    /// The domain, with a bug switched on, if any.
    #[must_use]
    pub fn new(bug: Option<Bug>) -> Zonotopes {
        let mut profile = Profile::new("builtin/zonotope", Shape::Zonotopes);
        profile.exact_points = true;
        Zonotopes { profile, bug }
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// Gives every bounded variable a form, and takes from ranges what forms exclude.
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
                // A form that is a single symbol of its own says no more than the range.
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

    /// The values of a sum: by ranges, and by forms where all its variables have one.
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

/// A form that covers two: what both have in common of each symbol, and a new one for the rest.
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

/// Whether every form is a symbol of its own that covers the range: then only ranges count.
fn is_box(variables: &[Variable]) -> bool {
    let mut owners: BTreeMap<usize, usize> = BTreeMap::new();
    let noises =
        variables.iter().filter_map(|v| v.form.as_ref()).flat_map(|form| form.noise.keys());
    noises.for_each(|symbol| *owners.entry(*symbol).or_default() += 1);
    variables
        .iter()
        .filter_map(|v| v.form.as_ref())
        .all(|form| form.noise.keys().all(|symbol| owners[symbol] == 1))
}

/// The only point of an element that has only one.
fn single(variables: &[Variable]) -> Option<Vec<BigRational>> {
    let value = |v: &Variable| v.range.0.clone().filter(|low| Some(low) == v.range.1.as_ref());
    variables.iter().map(value).collect()
}

/// Whether some choice of noise gives the point: a system of equations over bounded unknowns, by
/// the simplex method with Bland's rule.
fn reaches(variables: &[Variable], point: &[BigRational]) -> bool {
    let symbols: Vec<usize> = {
        let forms = variables.iter().filter_map(|v| v.form.as_ref());
        let mut all: Vec<usize> = forms.flat_map(|form| form.noise.keys().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let count = symbols.len();
    // Unknowns are noise + 1, from 0 to 2, with a slack each.
    let mut rows: Vec<Vec<BigRational>> = Vec::new();
    for (variable, value) in variables.iter().zip(point) {
        let Some(form) = &variable.form else { continue };
        let mut row = vec![BigRational::zero(); 2 * count + 1];
        let mut wanted = value - &form.centre;
        for (at, symbol) in symbols.iter().enumerate() {
            if let Some(amount) = form.noise.get(symbol) {
                row[at] = amount.clone();
                wanted += amount;
            }
        }
        row[2 * count] = wanted;
        rows.push(row);
    }
    for at in 0..count {
        let mut row = vec![BigRational::zero(); 2 * count + 1];
        (row[at], row[count + at], row[2 * count]) = (whole(1), whole(1), whole(2));
        rows.push(row);
    }
    feasible(rows)
}

/// Whether equations have a solution without negative numbers; the last column is the right side.
fn feasible(mut rows: Vec<Vec<BigRational>>) -> bool {
    let Some(width) = rows.first().map(|row| row.len() - 1) else { return true };
    for row in &mut rows {
        if row[width].is_negative() {
            row.iter_mut().for_each(|part| *part = -&*part);
        }
    }
    // Each row has an artificial unknown of its own at first; their sum is to become zero.
    let mut basis: Vec<Option<usize>> = vec![None; rows.len()];
    loop {
        let gain = |column: usize| -> BigRational {
            let artificial = rows.iter().zip(&basis).filter(|(_, basic)| basic.is_none());
            artificial.map(|(row, _)| row[column].clone()).sum()
        };
        if gain(width).is_zero() {
            return true;
        }
        let Some(enter) = (0..width).find(|column| gain(*column).is_positive()) else {
            return false;
        };
        let ratios = rows.iter().enumerate().filter(|(_, row)| row[enter].is_positive());
        let best = ratios.map(|(at, row)| (&row[width] / &row[enter], basis[at], at)).min();
        let Some((_, _, leave)) = best else { return false };
        let pivot = rows[leave][enter].clone();
        rows[leave].iter_mut().for_each(|part| *part = &*part / &pivot);
        let pivoted = rows[leave].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != leave) {
            let factor = row[enter].clone();
            if !factor.is_zero() {
                row.iter_mut().zip(&pivoted).for_each(|(part, by)| *part -= by * &factor);
            }
        }
        basis[leave] = Some(enter);
    }
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
        let Some(right) = right else { return Truth::No };
        let fits = left.iter().zip(right).all(|(a, b)| within(&a.range, &b.range));
        if let Some(point) = single(left) {
            return (fits && reaches(right, &point)).into();
        }
        match fits {
            true if is_box(right) || left == right => Truth::Yes,
            false if is_box(left) => Truth::No,
            _ => Truth::Unsure,
        }
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
        let Some(variables) = element else { return Truth::Yes };
        // A range that cuts a form that others share may leave nothing.
        let whole = variables.iter().all(|v| {
            v.form.as_ref().is_none_or(|form| {
                let radius = form.radius();
                v.range == (Some(&form.centre - &radius), Some(&form.centre + &radius))
            })
        });
        if whole || is_box(variables) { Truth::No } else { Truth::Unsure }
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

    /// The ranges are those of both; the forms are those of one, which hold of the meet too. The
    /// symbols of different elements have nothing to do with each other.
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
            // Relations are given up, so that only ranges can change from now on.
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
