//! Linear sums over the program's variables, and comparisons of them with zero.

use crate::text::Words;
use std::fmt;
use std::sync::Arc;

/// Numbers up to this are exact in every number type.
pub(crate) const LIMIT: u64 = 1 << 40;

/// The largest absolute value of a constant: that of the smallest 64-bit number, so that every 64-bit
/// number can be a bound on either side.
pub(crate) const WIDEST: u128 = 1 << 63;

/// `c0·x0 + c1·x1 + … + k`, with 64-bit integer coefficients.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Linear {
    /// One coefficient per variable.
    pub coefficients: Arc<[i64]>,
    /// The constant: a 64-bit number or the negation of one.
    pub constant: i128,
}

impl Linear {
    /// The constant sum.
    #[must_use]
    pub fn constant(dimensions: usize, constant: impl Into<i128>) -> Linear {
        Linear { coefficients: vec![0; dimensions].into(), constant: constant.into() }
    }

    /// The sum of these terms, each a variable with its coefficient, and a constant.
    #[must_use]
    pub fn of(dimensions: usize, terms: &[(usize, i64)], constant: impl Into<i128>) -> Linear {
        let mut coefficients = vec![0; dimensions];
        for &(variable, coefficient) in terms {
            coefficients[variable] = coefficient;
        }
        Linear { coefficients: coefficients.into(), constant: constant.into() }
    }

    /// The variables with coefficients other than zero.
    pub fn terms(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.coefficients.iter().copied().enumerate().filter(|(_, c)| *c != 0)
    }

    /// Whether a variable occurs.
    #[must_use]
    pub fn mentions(&self, variable: usize) -> bool {
        self.coefficients[variable] != 0
    }

    /// Whether every number type represents its numbers exactly, with room for sums of a few: larger ones
    /// may be rounded by design, and no exact results are expected of them.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.coefficients.iter().all(|number| number.unsigned_abs() <= LIMIT)
            && self.constant.unsigned_abs() <= u128::from(LIMIT)
    }

    /// Its value at a point; `None` if it does not fit into 128 bits.
    #[must_use]
    pub fn at(&self, point: &[i128]) -> Option<i128> {
        self.terms().try_fold(self.constant, |sum, (variable, coefficient)| {
            sum.checked_add(i128::from(coefficient).checked_mul(point[variable])?)
        })
    }
}

/// How a sum compares with zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// It is zero or more.
    AtLeast,
    /// It is zero.
    Equal,
}

/// A comparison of a sum with zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    /// The sum.
    pub sum: Linear,
    /// The comparison.
    pub relation: Relation,
}

impl Constraint {
    /// `sum >= 0`.
    #[must_use]
    pub fn at_least(sum: Linear) -> Constraint {
        Constraint { sum, relation: Relation::AtLeast }
    }

    /// `sum = 0`.
    #[must_use]
    pub fn equal(sum: Linear) -> Constraint {
        Constraint { sum, relation: Relation::Equal }
    }

    /// Whether a point satisfies it; `None` if 128 bits do not suffice to decide.
    #[must_use]
    pub fn holds(&self, point: &[i128]) -> Option<bool> {
        let value = self.sum.at(point)?;
        Some(match self.relation {
            Relation::AtLeast => value >= 0,
            Relation::Equal => value == 0,
        })
    }
}

/// Constants with names in programs.
const NAMED: [(i64, &str); 4] = [
    (i64::MIN, "LONG_MIN"),
    (i64::MAX, "LONG_MAX"),
    (i32::MIN as i64, "INT_MIN"),
    (i32::MAX as i64, "INT_MAX"),
];

/// A 64-bit number in digits, or by its name in programs.
#[must_use]
pub fn named_number(word: &str) -> Option<i64> {
    let named = NAMED.iter().find(|(_, name)| *name == word).map(|(value, _)| *value);
    named.or_else(|| word.parse().ok())
}

fn name_of(value: i128) -> Option<&'static str> {
    NAMED.iter().find(|(named, _)| i128::from(*named) == value).map(|(_, name)| *name)
}

/// A number's name, or that of the number that it is the negation of.
fn signed_name(value: i128) -> (bool, Option<&'static str>) {
    let negated = || name_of(-value).filter(|_| value < 0 || value.unsigned_abs() == WIDEST);
    match name_of(value) {
        Some(name) => (false, Some(name)),
        None => negated().map_or((value < 0, None), |name| (true, Some(name))),
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        let mut part = |f: &mut fmt::Formatter<'_>, value: i128, variable: Option<usize>| {
            let (minus, named) = signed_name(value);
            f.write_str(match (first, minus) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            })?;
            first = false;
            match (named, variable) {
                (Some(name), Some(variable)) => write!(f, "{name}*x{variable}"),
                (Some(name), None) => f.write_str(name),
                (None, Some(variable)) if value.unsigned_abs() == 1 => write!(f, "x{variable}"),
                (None, Some(variable)) => write!(f, "{}*x{variable}", value.unsigned_abs()),
                (None, None) => write!(f, "{}", value.unsigned_abs()),
            }
        };
        for (variable, coefficient) in self.terms() {
            part(f, coefficient.into(), Some(variable))?;
        }
        if self.constant != 0 || self.terms().next().is_none() {
            part(f, self.constant, None)?;
        }
        Ok(())
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relation = match self.relation {
            Relation::AtLeast => ">=",
            Relation::Equal => "=",
        };
        write!(f, "{} {relation} 0", self.sum)
    }
}

/// Reads what [`Linear`] prints.
pub(crate) fn read_linear(words: &mut Words<'_>, dimensions: usize) -> Result<Linear, String> {
    let mut coefficients = vec![0; dimensions];
    let mut constant = 0i128;
    let mut first = true;
    loop {
        let minus = if words.eat("-") {
            true
        } else if words.eat("+") || first {
            false
        } else {
            break;
        };
        first = false;
        let (value, variable) = read_term(words, minus)?;
        let known = match variable {
            Some(variable) => {
                let place = coefficients.get_mut(variable).ok_or_else(|| {
                    format!("x{variable} is not among the {dimensions} variables of the program")
                })?;
                let value = i64::try_from(value)
                    .map_err(|_| format!("the coefficient {value} has more than 64 bits"))?;
                std::mem::replace(place, value) != 0
            }
            None => std::mem::replace(&mut constant, value) != 0,
        };
        if known {
            return Err("a variable or the constant occurs twice in a sum".to_owned());
        }
    }
    Ok(Linear { coefficients: coefficients.into(), constant })
}

fn read_term(words: &mut Words<'_>, minus: bool) -> Result<(i128, Option<usize>), String> {
    if let Some(variable) = words.variable() {
        return Ok((if minus { -1 } else { 1 }, Some(variable)));
    }
    let value = read_number(words, minus)?;
    if !words.eat("*") {
        return Ok((value, None));
    }
    let variable = words.variable().ok_or("expected a variable after `*`")?;
    Ok((value, Some(variable)))
}

/// A 64-bit number or its negation, in digits or by name.
fn read_number(words: &mut Words<'_>, minus: bool) -> Result<i128, String> {
    let word = words.word().ok_or("expected a number or a variable such as x0")?;
    let value = match NAMED.iter().find(|(_, name)| *name == word) {
        Some((value, _)) => i128::from(*value),
        None => word
            .parse::<u64>()
            .ok()
            .filter(|value| u128::from(*value) <= WIDEST)
            .map(i128::from)
            .ok_or_else(|| {
                format!("`{word}` is neither a 64-bit number nor a variable such as x0")
            })?,
    };
    Ok(if minus { -value } else { value })
}

/// Reads what [`Constraint`] prints; the right side may also be another number than 0.
pub(crate) fn read_constraint(
    words: &mut Words<'_>,
    dimensions: usize,
) -> Result<Constraint, String> {
    let mut sum = read_linear(words, dimensions)?;
    let relation = if words.eat(">=") {
        Relation::AtLeast
    } else if words.eat("=") {
        Relation::Equal
    } else {
        return Err("expected `>= 0` or `= 0` after a sum".to_owned());
    };
    let minus = words.eat("-");
    let side = read_number(words, minus)
        .map_err(|why| format!("sums can only be compared with numbers: {why}"))?;
    sum.constant -= side;
    if sum.constant.unsigned_abs() > WIDEST {
        return Err(format!("the constant {} has more than 64 bits", sum.constant));
    }
    Ok(Constraint { sum, relation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_constraints_read_back() {
        let sums = [
            Linear::constant(3, 0),
            Linear::constant(3, i64::MIN),
            Linear::of(3, &[(0, -1), (2, i64::MAX)], -9999),
            Linear::of(3, &[(1, i64::MIN), (2, i64::from(i32::MIN))], i64::MAX),
            Linear::of(3, &[(0, 7), (1, -7)], i64::MIN + 1),
            Linear::of(3, &[(0, 1)], 1i128 << 63),
            Linear::of(3, &[(0, -i64::MAX)], 1i128 << 31),
        ];
        for sum in sums {
            for relation in [Relation::AtLeast, Relation::Equal] {
                let constraint = Constraint { sum: sum.clone(), relation };
                let text = constraint.to_string();
                let read = read_constraint(&mut Words::new(&text), 3);
                assert_eq!(read, Ok(constraint), "{text}");
            }
        }
        let text = Linear::of(3, &[(0, -1), (2, i64::MAX)], -5).to_string();
        assert_eq!(text, "-x0 + LONG_MAX*x2 - 5");
        let text = Linear::of(1, &[(0, -i64::MAX)], 1i128 << 63).to_string();
        assert_eq!(text, "-LONG_MAX*x0 - LONG_MIN");
    }

    #[test]
    fn constraints_may_have_a_number_on_the_right() {
        let read = |text: &str| read_constraint(&mut Words::new(text), 8).map(|c| c.to_string());
        for (text, meaning) in [
            ("x0 - LONG_MAX >= 0", "x0 - LONG_MAX >= 0"),
            ("-x5 - x6 + x7 >= LONG_MAX", "-x5 - x6 + x7 - LONG_MAX >= 0"),
            ("-x4 - x5 - x6 - x7 >= LONG_MIN", "-x4 - x5 - x6 - x7 - LONG_MIN >= 0"),
            ("x0 + 2 = -3", "x0 + 5 = 0"),
        ] {
            assert_eq!(read(text), Ok(meaning.to_owned()));
            assert_eq!(read(meaning), Ok(meaning.to_owned()));
        }
        assert!(read("x0 + LONG_MAX >= LONG_MIN").is_err(), "it does not fit");
    }

    #[test]
    fn bad_sums_are_refused() {
        for text in
            ["x9 >= 0", "x0 + x0 >= 0", "x0", "x0 >= x1", "* >= 0", "99999999999999999999 = 0"]
        {
            assert!(read_constraint(&mut Words::new(text), 3).is_err(), "{text}");
        }
    }

    #[test]
    fn sums_are_evaluated_without_wrapping() {
        let sum = Linear::of(3, &[(0, i64::MIN), (1, i64::MIN), (2, i64::MIN)], i64::MIN);
        let least = i128::from(i64::MIN);
        assert_eq!(sum.at(&[0, 0, 0]), Some(least));
        assert_eq!(sum.at(&[least, 0, 0]), Some(least * least + least));
        assert_eq!(sum.at(&[least; 3]), None, "it has more than 128 bits");
    }
}
