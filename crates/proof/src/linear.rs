//! Polynomials with rational coefficients, and systems of linear inequalities.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of monomials of a product.
const MONOMIALS: usize = 256;

/// The maximum number of inequalities during elimination.
const ROWS: usize = 300;

/// A polynomial: coefficients by monomial. A monomial is a sorted list of variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Poly(BTreeMap<Vec<u32>, BigRational>);

impl Poly {
    pub(crate) fn constant(value: BigRational) -> Poly {
        let mut poly = Poly::default();
        poly.put(Vec::new(), &value);
        poly
    }

    pub(crate) fn variable(variable: u32) -> Poly {
        Poly([(vec![variable], BigRational::one())].into())
    }

    fn put(&mut self, monomial: Vec<u32>, value: &BigRational) {
        let sum = self.0.remove(&monomial).unwrap_or_else(BigRational::zero) + value;
        if !sum.is_zero() {
            self.0.insert(monomial, sum);
        }
    }

    pub(crate) fn plus(&self, other: &Poly, factor: &BigRational) -> Poly {
        let mut sum = self.clone();
        for (monomial, value) in &other.0 {
            sum.put(monomial.clone(), &(value * factor));
        }
        sum
    }

    pub(crate) fn minus(&self, other: &Poly) -> Poly {
        self.plus(other, &-BigRational::one())
    }

    pub(crate) fn times(&self, other: &Poly) -> Option<Poly> {
        if self.0.len() * other.0.len() > MONOMIALS {
            return None;
        }
        let mut product = Poly::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let mut monomial = [&a[..], b].concat();
                monomial.sort_unstable();
                product.put(monomial, &(x * y));
            }
        }
        Some(product)
    }

    /// Its value, if it has no variables.
    pub(crate) fn as_constant(&self) -> Option<BigRational> {
        match self.0.len() {
            0 => Some(BigRational::zero()),
            1 => self.0.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    fn coefficient(&self, monomial: &[u32]) -> Option<&BigRational> {
        self.0.get(monomial)
    }

    fn monomials(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.0.keys().filter(|monomial| !monomial.is_empty())
    }

    fn offset(&self) -> BigRational {
        self.0.get(&Vec::new()).cloned().unwrap_or_else(BigRational::zero)
    }
}

/// `poly >= 0`, or `poly > 0` if strict.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Row {
    poly: Poly,
    is_strict: bool,
}

/// Linear equations and inequalities over monomials.
#[derive(Clone, Default)]
pub(crate) struct System {
    equations: Vec<Poly>,
    rows: BTreeSet<Row>,
    /// Variables that stand for integers.
    integers: BTreeSet<u32>,
}

impl System {
    /// States that a variable is an integer.
    pub(crate) fn integer(&mut self, variable: u32) {
        self.integers.insert(variable);
    }

    /// Adds `poly = 0`.
    pub(crate) fn zero(&mut self, poly: Poly) {
        self.equations.push(poly);
    }

    /// Adds `poly >= 0` or `poly > 0`.
    pub(crate) fn positive(&mut self, poly: Poly, is_strict: bool) {
        self.rows.insert(Row { poly, is_strict });
    }

    /// The row with integer coefficients without a common factor, and rounded, if all its variables
    /// are integers.
    fn tightened(&self, row: Row) -> Row {
        if row.poly.monomials().next().is_none() {
            return row;
        }
        if !row.poly.monomials().flatten().all(|variable| self.integers.contains(variable)) {
            return scaled(row);
        }
        let mut gcd: Option<BigRational> = None;
        for monomial in row.poly.monomials() {
            let value = row.poly.0[monomial].abs();
            gcd = Some(gcd.map_or(value.clone(), |known| common(&known, &value)));
        }
        let Some(gcd) = gcd else { return row };
        let poly = Poly::default().plus(&row.poly, &gcd.recip());
        // With integer coefficients, sum + offset > 0 is sum >= floor(-offset) + 1.
        let offset = poly.offset();
        let rounded = match row.is_strict {
            true => -((-offset.clone()).floor() + BigRational::one()),
            false => -(-offset.clone()).ceil(),
        };
        let poly = poly.plus(&Poly::constant(rounded - offset), &BigRational::one());
        Row { poly, is_strict: false }
    }

    /// Whether it certainly has no solution.
    pub(crate) fn has_no_solution(mut self) -> bool {
        // Equations replace a monomial by others.
        while let Some(equation) = self.equations.pop() {
            let Some(monomial) = equation.monomials().next().cloned() else {
                if equation.offset().is_zero() {
                    continue;
                }
                return true;
            };
            if self.is_indivisible(&equation) {
                return true;
            }
            let value = equation.0[&monomial].clone();
            let eliminate = |poly: &Poly| match poly.coefficient(&monomial) {
                Some(other) => poly.plus(&equation, &-(other / &value)),
                None => poly.clone(),
            };
            self.equations = self.equations.iter().map(eliminate).collect();
            let rows = std::mem::take(&mut self.rows);
            self.rows =
                rows.into_iter().map(|row| Row { poly: eliminate(&row.poly), ..row }).collect();
        }
        let rows = std::mem::take(&mut self.rows);
        self.rows = rows.into_iter().map(|row| self.tightened(row)).collect();
        self.eliminate()
    }

    /// Whether an equation over integers has no solution by divisibility.
    fn is_indivisible(&self, equation: &Poly) -> bool {
        let mut variables = equation.monomials().flatten();
        if !variables.all(|variable| self.integers.contains(variable)) {
            return false;
        }
        let mut gcd: Option<BigRational> = None;
        for monomial in equation.monomials() {
            let value = equation.0[monomial].abs();
            gcd = Some(gcd.map_or(value.clone(), |known| common(&known, &value)));
        }
        gcd.is_some_and(|gcd| !(equation.offset() / gcd).is_integer())
    }

    /// Eliminates one monomial after the other.
    fn eliminate(mut self) -> bool {
        loop {
            let false_row = |row: &Row| match row.poly.as_constant() {
                Some(value) => value.is_negative() || row.is_strict && value.is_zero(),
                None => false,
            };
            if self.rows.iter().any(false_row) {
                return true;
            }
            self.rows.retain(|row| row.poly.as_constant().is_none());
            let mut counts: BTreeMap<&Vec<u32>, (usize, usize)> = BTreeMap::new();
            for row in &self.rows {
                for monomial in row.poly.monomials() {
                    let count = counts.entry(monomial).or_default();
                    match row.poly.0[monomial].is_positive() {
                        true => count.0 += 1,
                        false => count.1 += 1,
                    }
                }
            }
            let fewest = counts.into_iter().min_by_key(|(_, (up, down))| up * down);
            let Some((monomial, (up, down))) = fewest else { return false };
            if self.rows.len() + up * down > ROWS {
                return false;
            }
            let monomial = monomial.clone();
            let mut lower = Vec::new();
            let mut upper = Vec::new();
            let mut kept = BTreeSet::new();
            for row in std::mem::take(&mut self.rows) {
                match row.poly.coefficient(&monomial).map(Signed::is_positive) {
                    Some(true) => lower.push(row),
                    Some(false) => upper.push(row),
                    None => {
                        kept.insert(row);
                    }
                }
            }
            for low in &lower {
                for high in &upper {
                    let factor = -(&low.poly.0[&monomial] / &high.poly.0[&monomial]);
                    let poly = low.poly.plus(&high.poly, &factor);
                    let is_strict = low.is_strict || high.is_strict;
                    kept.insert(self.tightened(Row { poly, is_strict }));
                }
            }
            self.rows = kept;
        }
    }
}

/// The same inequality with one as its first coefficient's size.
fn scaled(row: Row) -> Row {
    let first = row.poly.monomials().next().map(|monomial| row.poly.0[monomial].abs());
    match first {
        Some(first) => Row { poly: Poly::default().plus(&row.poly, &first.recip()), ..row },
        None => row,
    }
}

/// The greatest number that both are integer multiples of.
fn common(a: &BigRational, b: &BigRational) -> BigRational {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_zero() {
        let rest = &a - (&a / &b).floor() * &b;
        a = std::mem::replace(&mut b, rest);
    }
    a
}
