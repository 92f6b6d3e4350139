//! Finite fields of prime order, as cvc5 and z3 read them; not in the standard. A field is the
//! integers modulo its order; its elements are written `(as ff3 (_ FiniteField 7))` or `#f3m7`.

use super::{Theory, operators};
use crate::eval::{EvalContext, Unknown};
use crate::int::Int;
use crate::op::{App, Fold, Law, OpRow, Origin, Pat, Sig};
use crate::sort::{Sort, SortId};
use crate::term::{Store, TermId};
use crate::value::Value;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

const F: Pat = Pat::Field(0);
const BOTH: Origin = Origin::Extension("cvc5, z3");

operators! { Theory::FiniteFields;
    /// The sum.
    ADD = OpRow::new("ff.add", &[Sig::new(&[F, F], F)], |cx, app, args| {
            Ok(element(cx.store, app.sort, args.iter().map(residue).fold(Int::ZERO, |a, b| &a + b)))
        })
        .origin(BOTH)
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative]);
    /// The product.
    MUL = OpRow::new("ff.mul", &[Sig::new(&[F, F], F)], multiply)
        .origin(BOTH)
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative]);
    /// The inverse of addition.
    NEG = OpRow::new("ff.neg", &[Sig::new(&[F], F)], |cx, app, args| {
            Ok(element(cx.store, app.sort, -residue(&args[0])))
        })
        .origin(BOTH)
        .laws(&[Law::Involutive]);
    /// The sum of the arguments, each times two to the power of its position.
    BITSUM = OpRow::new("ff.bitsum", &[Sig::new(&[F, F], F)], bit_sum)
        .origin(BOTH)
        .fold(Fold::Together);
}

impl Store {
    /// `(_ FiniteField order)`; `None` if the order is not prime.
    pub fn finite_field(&mut self, order: &Int) -> Option<SortId> {
        if let Some(known) = self.sorts.find(&Sort::FiniteField(order.clone())) {
            return Some(known);
        }
        is_prime(order).then(|| self.sorts.intern(Sort::FiniteField(order.clone())))
    }

    /// An element of a finite field, from any integer.
    ///
    /// # Panics
    /// Panics if the sort is not a finite field.
    pub fn field_element(&mut self, sort: SortId, value: Int) -> TermId {
        let value = element(self, sort, value);
        self.literal(value, sort)
    }
}

/// The residue, as typing guarantees.
fn residue(value: &Value) -> &Int {
    match value {
        Value::Field(_, residue) => residue,
        _ => unreachable!("typed as a finite field"),
    }
}

fn element(store: &Store, sort: SortId, value: Int) -> Value {
    let order = store.sorts.field_order(sort).expect("typed as a finite field");
    let (_, residue) = value.div_mod(order).expect("a prime is not zero");
    Value::Field(sort, residue)
}

fn multiply(cx: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let (first, rest) = args.split_first().expect("typed with two arguments or more");
    let product = rest
        .iter()
        .fold(first.clone(), |a, b| element(cx.store, app.sort, residue(&a) * residue(b)));
    Ok(product)
}

fn bit_sum(cx: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let two = Int::from(2i64);
    // Horner's rule, from the last argument down.
    let sum = args.iter().rev().fold(Value::Field(app.sort, Int::ZERO), |sum, arg| {
        element(cx.store, app.sort, &(&two * residue(&sum)) + residue(arg))
    });
    Ok(sum)
}

/// The first primes. As bases of the test below they decide all numbers below 2^81; beyond that the
/// answer is only very probable.
const BASES: [u32; 24] =
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89];

/// The maximum size of an order in bits: testing takes cubic time.
const MAX_ORDER_BITS: u64 = 4096;

/// Whether a number is prime, by the test of Miller and Rabin.
fn is_prime(n: &Int) -> bool {
    if n.is_negative() || n.bit_length() > MAX_ORDER_BITS {
        return false;
    }
    let n: BigUint = n.to_big().magnitude().clone();
    if n < BigUint::from(2u32) {
        return false;
    }
    for base in BASES {
        let base = BigUint::from(base);
        if n == base {
            return true;
        }
        if (&n % &base).is_zero() {
            return false;
        }
    }
    let less = &n - BigUint::one();
    let twos = less.trailing_zeros().unwrap_or(0);
    let odd = &less >> twos;
    BASES.iter().all(|&base| {
        let mut power = BigUint::from(base).modpow(&odd, &n);
        if power.is_one() {
            return true;
        }
        for _ in 0..twos {
            if power == less {
                return true;
            }
            power = &power * &power % &n;
        }
        false
    })
}

/// The digits of a literal as an integer: `3` or `-3`.
#[must_use]
pub fn parse_element(digits: &str) -> Option<Int> {
    let number = digits.strip_prefix('-').unwrap_or(digits);
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (plain && number.len() as u64 <= MAX_ORDER_BITS)
        .then(|| BigInt::parse_bytes(digits.as_bytes(), 10).map(Int::from))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_agree_with_the_sieve() {
        const MOST: usize = 5_000;
        let mut sieve = vec![true; MOST];
        sieve[..2].fill(false);
        for n in 2..MOST {
            let multiples = (2..).map(|k| k * n).take_while(|&m| m < MOST).collect::<Vec<_>>();
            multiples.into_iter().for_each(|m| sieve[m] = false);
        }
        for (n, &prime) in sieve.iter().enumerate() {
            assert_eq!(is_prime(&Int::from(n)), prime, "{n}");
        }
    }

    #[test]
    fn large_primes_differ_from_products_and_pseudoprimes() {
        // The scalar field of BN254, 2^127 - 1, and numbers that fool weaker tests.
        let primes = [
            "21888242871839275222246405745257275088548364400416034343698204186575808495617",
            "170141183460469231731687303715884105727",
        ];
        let others = ["3215031751", "3825123056546413051", "318665857834031151167461", "561"];
        for text in primes {
            assert!(is_prime(&parse_element(text).unwrap()), "{text}");
        }
        for text in others {
            assert!(!is_prime(&parse_element(text).unwrap()), "{text}");
        }
        let square = parse_element(primes[1]).unwrap();
        assert!(!is_prime(&(&square * &square)));
    }
}
