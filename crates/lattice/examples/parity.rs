//! A domain of one's own, tested in process: whether each variable is even, odd, or either.
//!
//! ```text
//! cargo run --release -p assay-lattice --example parity
//! ```
//!
//! With `--bug` at the end, after `--`, the sum of two odd numbers is odd, and the search finds it.

use assay_lattice::{
    Constraint, Domain, Engine, Linear, Profile, Relation, Search, Shape, Tester, TraceOptions,
    Truth, reduce,
};

/// Even, odd, or both, as two bits.
type Parity = u8;
const EITHER: Parity = 3;

/// None is an element without points.
type Element = Option<Vec<Parity>>;

struct Parities {
    profile: Profile,
    /// Whether the sum of two odd numbers is odd.
    wrong: bool,
}

fn of(number: impl Into<i128>) -> Parity {
    1 << (number.into() & 1)
}

impl Parities {
    fn new(wrong: bool) -> Parities {
        // Parities cannot hold `x = 3`: what rests on exact meets and best transformers is not claimed.
        let mut profile = Profile::new("parity", Shape::Congruences);
        (profile.exact_meet, profile.best_transformers) = (false, false);
        Parities { profile, wrong }
    }

    fn plus(&self, x: Parity, y: Parity) -> Parity {
        match (x, y) {
            (EITHER, _) | (_, EITHER) => EITHER,
            _ if x == y && !self.wrong => of(0),
            _ if x == y => x,
            _ => of(1),
        }
    }

    fn value(&self, element: &[Parity], sum: &Linear) -> Parity {
        // An even coefficient makes any variable even.
        sum.terms().fold(of(sum.constant), |total, (variable, coefficient)| {
            self.plus(total, if coefficient % 2 == 0 { of(0) } else { element[variable] })
        })
    }
}

impl Domain for Parities {
    type Element = Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Element {
        Some(vec![EITHER; dimensions])
    }

    fn bottom(&self, _dimensions: usize) -> Element {
        None
    }

    fn leq(&self, left: &Element, right: &Element) -> Truth {
        match (left, right) {
            (None, _) => Truth::Yes,
            (_, None) => Truth::No,
            (Some(left), Some(right)) => left.iter().zip(right).all(|(a, b)| a & !b == 0).into(),
        }
    }

    fn eq(&self, left: &Element, right: &Element) -> Truth {
        (left == right).into()
    }

    fn is_bottom(&self, element: &Element) -> Truth {
        element.is_none().into()
    }

    fn is_top(&self, element: &Element) -> Truth {
        element.as_ref().is_some_and(|all| all.iter().all(|one| *one == EITHER)).into()
    }

    fn join(&self, left: &Element, right: &Element) -> Element {
        match (left, right) {
            (only, None) | (None, only) => only.clone(),
            (Some(left), Some(right)) => Some(left.iter().zip(right).map(|(a, b)| a | b).collect()),
        }
    }

    fn meet(&self, left: &Element, right: &Element) -> Element {
        let pairs = left.as_ref()?.iter().zip(right.as_ref()?);
        pairs.map(|(a, b)| Some(a & b).filter(|both| *both != 0)).collect()
    }

    fn widen(&self, left: &Element, right: &Element) -> Element {
        self.join(left, right)
    }

    fn assign(&self, element: &Element, variable: usize, sum: &Linear) -> Element {
        let mut after = element.clone()?;
        after[variable] = self.value(&after, sum);
        Some(after)
    }

    fn project(&self, element: &Element, variable: usize) -> Element {
        let mut after = element.clone()?;
        after[variable] = EITHER;
        Some(after)
    }

    fn guard(&self, element: &Element, constraint: &Constraint) -> Element {
        let mut after = element.clone()?;
        if constraint.relation == Relation::AtLeast {
            return Some(after);
        }
        if self.value(&after, &constraint.sum) & of(0) == 0 {
            return None;
        }
        // An odd multiple of one variable is the negated constant: they are alike.
        let mut odd = constraint.sum.terms().filter(|(_, coefficient)| coefficient % 2 != 0);
        if let (Some((variable, _)), None) = (odd.next(), odd.next()) {
            after[variable] &= of(constraint.sum.constant);
        }
        Some(after)
    }

    fn show(&self, element: &Element) -> String {
        format!("{element:?}")
    }
}

/// The first violation that a search finds, reduced, with the law and what shows it.
fn search(domain: &Parities) -> Option<String> {
    let config = TraceOptions::preset("C2").expect("it is a preset");
    let inputs = Engine::Guided.inputs(&config, 1).expect("it is our own");
    let mut search = Search::new(domain, config, inputs, &[]);
    let hit = (0..20_000).find_map(|_| search.step())?;
    let law = hit.violation.law;
    let small = reduce(&hit.case, 500, &mut |case| {
        let found = domain.run(case, &mut Default::default());
        found.iter().any(|(_, violation)| violation.law == law)
    });
    Some(format!("{} is violated:\n{small}{}", law.title(), hit.violation.evidence))
}

fn main() {
    let wrong = std::env::args().any(|word| word == "--bug");
    if let Some(found) = search(&Parities::new(wrong)) {
        panic!("{found}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parities_obey_their_laws_and_the_planted_bug_is_found() {
        assert_eq!(search(&Parities::new(false)), None);
        let found = search(&Parities::new(true)).expect("the bug is found");
        assert!(found.contains("[S] is violated"), "{found}");
    }
}
