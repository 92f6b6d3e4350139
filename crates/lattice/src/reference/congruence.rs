//! Congruences: each variable is a number modulo another. Variables are integers.

use crate::bug::Bug;
use crate::domain::{Domain, Profile, Shape, Truth};
use crate::linear::{Constraint, Linear, Relation};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// All numbers `remainder + k·modulus`; a modulus of zero stands for one number only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    modulus: BigInt,
    remainder: BigInt,
}

impl Class {
    fn new(modulus: BigInt, remainder: BigInt) -> Class {
        let modulus = modulus.abs();
        let remainder = if modulus.is_zero() { remainder } else { remainder.mod_floor(&modulus) };
        Class { modulus, remainder }
    }

    fn all() -> Class {
        Class::new(BigInt::one(), BigInt::zero())
    }

    fn only(value: BigInt) -> Class {
        Class::new(BigInt::zero(), value)
    }

    fn is_all(&self) -> bool {
        self.modulus.is_one()
    }

    fn contains(&self, value: &BigInt) -> bool {
        let distance = value - &self.remainder;
        if self.modulus.is_zero() {
            distance.is_zero()
        } else {
            distance.is_multiple_of(&self.modulus)
        }
    }

    /// The common numbers; `None` for the empty set.
    fn meet(&self, other: &Class) -> Option<Class> {
        if self.modulus.is_zero() {
            return other.contains(&self.remainder).then(|| self.clone());
        }
        if other.modulus.is_zero() {
            return self.contains(&other.remainder).then(|| other.clone());
        }
        let bezout = self.modulus.extended_gcd(&other.modulus);
        let distance = &other.remainder - &self.remainder;
        if !distance.is_multiple_of(&bezout.gcd) {
            return None;
        }
        let steps = distance / &bezout.gcd * &bezout.x;
        let remainder = &self.remainder + steps * &self.modulus;
        Some(Class::new(self.modulus.lcm(&other.modulus), remainder))
    }
}

type Element = Option<Vec<Class>>;

/// The domain of congruences.
pub struct Congruences {
    profile: Profile,
    bug: Option<Bug>,
}

impl Congruences {
    /// The domain, possibly with a seeded bug.
    #[must_use]
    pub fn new(bug: Option<Bug>) -> Congruences {
        let mut profile = Profile::new("builtin/congruence", Shape::Congruences);
        // A modulus of 64 bits has at most 64 prime factors, for each of eight variables.
        profile.steps = 600;
        profile.narrowing = true;
        Congruences { profile, bug }
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// The values of a sum.
    fn evaluate(&self, classes: &[Class], sum: &Linear) -> Class {
        let mut total = Class::only(BigInt::from(sum.constant));
        for (variable, coefficient) in sum.terms() {
            let factor = BigInt::from(coefficient);
            let class = &classes[variable];
            let mut modulus = &class.modulus * &factor;
            if !self.has(Bug::CongruenceAssignModulus) {
                modulus = modulus.gcd(&total.modulus);
            }
            total = Class::new(modulus, total.remainder + &class.remainder * &factor);
        }
        total
    }
}

impl Domain for Congruences {
    type Element = Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Element {
        Some(vec![Class::all(); dimensions])
    }

    fn bottom(&self, _dimensions: usize) -> Element {
        None
    }

    fn leq(&self, left: &Element, right: &Element) -> Truth {
        let Some(left) = left else { return Truth::Yes };
        let Some(right) = right else { return Truth::No };
        let within = |(a, b): (&Class, &Class)| {
            let (a, b) = if self.has(Bug::CongruenceOrderSwapped) { (b, a) } else { (a, b) };
            let divides = if b.modulus.is_zero() {
                a.modulus.is_zero()
            } else {
                a.modulus.is_multiple_of(&b.modulus)
            };
            divides && b.contains(&a.remainder)
        };
        left.iter().zip(right).all(within).into()
    }

    fn eq(&self, left: &Element, right: &Element) -> Truth {
        (left == right).into()
    }

    fn is_bottom(&self, element: &Element) -> Truth {
        element.is_none().into()
    }

    fn is_top(&self, element: &Element) -> Truth {
        element.as_ref().is_some_and(|classes| classes.iter().all(Class::is_all)).into()
    }

    fn join(&self, left: &Element, right: &Element) -> Element {
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (only, None) | (None, only) => return only.clone(),
        };
        let joined = left.iter().zip(right).map(|(a, b)| {
            let mut modulus = a.modulus.gcd(&b.modulus);
            if !self.has(Bug::CongruenceJoinRemainder) {
                modulus = modulus.gcd(&(&a.remainder - &b.remainder));
            }
            Class::new(modulus, a.remainder.clone())
        });
        Some(joined.collect())
    }

    fn meet(&self, left: &Element, right: &Element) -> Element {
        let pairs = left.as_ref()?.iter().zip(right.as_ref()?);
        let met = pairs.map(|(a, b)| {
            let met = a.meet(b)?;
            Some(match self.has(Bug::CongruenceMeetRemainder) {
                true => Class::new(met.modulus, a.remainder.clone()),
                false => met,
            })
        });
        met.collect()
    }

    /// Ascending chains are finite: each step divides a modulus.
    fn widen(&self, left: &Element, right: &Element) -> Element {
        self.join(left, right)
    }

    /// Descending chains are not: only unknown values are refined.
    fn narrow(&self, left: &Element, right: &Element) -> Element {
        let pairs = left.as_ref()?.iter().zip(right.as_ref()?);
        let narrowed = pairs
            .map(|(a, b)| if a.is_all() { Some(b.clone()) } else { a.meet(b).map(|_| a.clone()) });
        narrowed.collect()
    }

    fn assign(&self, element: &Element, variable: usize, sum: &Linear) -> Element {
        let mut classes = element.clone()?;
        classes[variable] = self.evaluate(&classes, sum);
        Some(classes)
    }

    fn project(&self, element: &Element, variable: usize) -> Element {
        let mut classes = element.clone()?;
        classes[variable] = Class::all();
        Some(classes)
    }

    fn guard(&self, element: &Element, constraint: &Constraint) -> Element {
        let mut classes = element.clone()?;
        let value = self.evaluate(&classes, &constraint.sum);
        let possible = match constraint.relation {
            Relation::Equal => value.contains(&BigInt::zero()),
            Relation::AtLeast => !value.modulus.is_zero() || !value.remainder.is_negative(),
        };
        if !possible && !self.has(Bug::CongruenceGuardEmpty) {
            return None;
        }
        let mut terms = constraint.sum.terms();
        if let (Some((variable, coefficient)), None) = (terms.next(), terms.next()) {
            let (constant, factor) =
                (BigInt::from(-constraint.sum.constant), BigInt::from(coefficient));
            if constraint.relation == Relation::Equal && constant.is_multiple_of(&factor) {
                classes[variable] = Class::only(constant / factor);
            }
        }
        Some(classes)
    }

    fn features(&self, element: &Element) -> u64 {
        let Some(classes) = element else { return 1 };
        let of = |class: &Class| class.modulus.bits().min(3);
        classes.iter().fold(2, |mixed: u64, class| mixed.wrapping_mul(4).wrapping_add(of(class)))
    }

    fn show(&self, element: &Element) -> String {
        let Some(classes) = element else { return "bottom".to_owned() };
        let known = classes.iter().enumerate().filter(|(_, class)| !class.is_all());
        let words = known.map(|(variable, class)| match class.modulus.is_zero() {
            true => format!("x{variable} = {}", class.remainder),
            false => format!("x{variable} = {} mod {}", class.remainder, class.modulus),
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { "top".to_owned() } else { words.join(" and ") }
    }
}
