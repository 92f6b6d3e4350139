//! Optima as z3 prints them: numbers, infinities, numbers that are approached and not attained, and
//! intervals.

use super::raw;
use crate::reader::{Environment, read_term};
use assay_term::{Store, TermId};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// The optimum of an objective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// This value.
    Value(TermId),
    /// Positive infinity.
    PlusInfinity,
    /// Negative infinity.
    MinusInfinity,
    /// This number plus an infinitesimal, such as `(+ 3.0 epsilon)`.
    JustAbove(BigRational),
    /// This number minus an infinitesimal.
    JustBelow(BigRational),
    /// `(interval least most)`: the solver did not find out more.
    Between(Box<Bound>, Box<Bound>),
    /// Something else, as text.
    Other(String),
}

/// Reads an optimum.
pub(super) fn bound(store: &mut Store, env: &mut Environment, text: &str) -> Bound {
    let mut ends = Vec::new();
    if let Some(["interval", least, most]) = raw::only_group(text).as_deref() {
        ends.extend([*least, *most].map(|end| plain(store, env, end)));
    }
    let (Some(most), Some(least)) = (ends.pop(), ends.pop()) else {
        return plain(store, env, text);
    };
    match (&least, &most) {
        (Bound::Other(_), _) | (_, Bound::Other(_)) => Bound::Other(spaced(text)),
        _ => Bound::Between(Box::new(least), Box::new(most)),
    }
}

fn plain(store: &mut Store, env: &mut Environment, text: &str) -> Bound {
    let text = spaced(text);
    if tokens(&text).any(|token| token == "oo" || token == "epsilon") {
        return Sum::read(&text).map_or(Bound::Other(text), |sum| sum.bound(store));
    }
    match read_term(store, env, &text) {
        Ok(term) => Bound::Value(term),
        Err(_) => Bound::Other(text),
    }
}

/// The text with single spaces.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parentheses and words.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split_inclusive(['(', ')']).flat_map(|part| {
        let at = part.len() - usize::from(part.ends_with(['(', ')']));
        let (words, parenthesis) = part.split_at(at);
        words.split_whitespace().chain(Some(parenthesis))
    });
    parts.filter(|token| !token.is_empty())
}

/// A sum of multiples of infinity, one, and an infinitesimal.
struct Sum {
    infinite: BigRational,
    finite: BigRational,
    infinitesimal: BigRational,
}

impl Sum {
    fn finite(finite: BigRational) -> Sum {
        Sum { infinite: BigRational::zero(), finite, infinitesimal: BigRational::zero() }
    }

    /// Reads sums, differences, products with numbers and quotients of numbers.
    fn read(text: &str) -> Option<Sum> {
        let mut open: Vec<(Option<&str>, Vec<Sum>)> = Vec::new();
        let mut whole = None;
        for token in tokens(text) {
            let part = match (token, open.last_mut()) {
                ("(", _) => {
                    open.push((None, Vec::new()));
                    continue;
                }
                (")", _) => {
                    let (operator, parts) = open.pop()?;
                    Sum::apply(operator?, parts)?
                }
                (word, Some((operator @ None, _))) => {
                    *operator = Some(word);
                    continue;
                }
                (word, _) => Sum::word(word)?,
            };
            match open.last_mut() {
                Some((Some(_), parts)) => parts.push(part),
                None if whole.is_none() => whole = Some(part),
                _ => return None,
            }
        }
        whole.filter(|_| open.is_empty())
    }

    fn word(word: &str) -> Option<Sum> {
        let one = || BigRational::from_integer(1.into());
        let nothing = Sum::finite(BigRational::zero());
        match word {
            "oo" => return Some(Sum { infinite: one(), ..nothing }),
            "epsilon" => return Some(Sum { infinitesimal: one(), ..nothing }),
            _ => {}
        }
        let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return None;
        }
        let scale = num_bigint::BigInt::from(10).pow(u32::try_from(fraction.len()).ok()?);
        let numerator = format!("{whole}{fraction}").parse().ok()?;
        Some(Sum::finite(BigRational::new(numerator, scale)))
    }

    fn apply(operator: &str, parts: Vec<Sum>) -> Option<Sum> {
        let mut parts = parts.into_iter();
        let first = parts.next()?;
        match operator {
            "+" => Some(parts.fold(first, |sum, part| sum.plus(&part))),
            "-" if parts.len() == 0 => Some(first.times(&BigRational::from_integer((-1).into()))),
            "-" => {
                let minus = BigRational::from_integer((-1).into());
                Some(parts.fold(first, |sum, part| sum.plus(&part.times(&minus))))
            }
            "*" => parts.try_fold(first, |product, part| match (product.number(), part.number()) {
                (_, Some(factor)) => Some(product.times(factor)),
                (Some(factor), None) => Some(part.times(factor)),
                (None, None) => None,
            }),
            "/" => parts.try_fold(first, |quotient, part| {
                let divisor = part.number().filter(|divisor| !divisor.is_zero())?;
                Some(quotient.times(&divisor.recip()))
            }),
            "to_real" if parts.len() == 0 => Some(first),
            _ => None,
        }
    }

    /// The number that it is.
    fn number(&self) -> Option<&BigRational> {
        (self.infinite.is_zero() && self.infinitesimal.is_zero()).then_some(&self.finite)
    }

    fn plus(self, other: &Sum) -> Sum {
        Sum {
            infinite: self.infinite + &other.infinite,
            finite: self.finite + &other.finite,
            infinitesimal: self.infinitesimal + &other.infinitesimal,
        }
    }

    fn times(&self, factor: &BigRational) -> Sum {
        Sum {
            infinite: &self.infinite * factor,
            finite: &self.finite * factor,
            infinitesimal: &self.infinitesimal * factor,
        }
    }

    /// How large the infinitesimal part is means nothing: only its sign is kept.
    fn bound(self, store: &mut Store) -> Bound {
        if self.infinite.is_positive() {
            Bound::PlusInfinity
        } else if self.infinite.is_negative() {
            Bound::MinusInfinity
        } else if self.infinitesimal.is_positive() {
            Bound::JustAbove(self.finite)
        } else if self.infinitesimal.is_negative() {
            Bound::JustBelow(self.finite)
        } else {
            Bound::Value(store.real(&self.finite))
        }
    }
}
