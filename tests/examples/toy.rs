//! Intervals of integers with a bug to switch on: an example of a domain that a tester must catch.
//!
//! ```text
//! cargo run --release -p assay-lattice --example toy -- join-first
//! ```

use assay_lattice::{
    Constraint, Domain, Engine, Firmness, Hit, Linear, Profile, Relation, Search, Shape,
    TraceOptions, Truth,
};
use std::time::{Duration, Instant};

/// The bugs that can be planted.
pub const BUGS: [&str; 23] = [
    "assign-wraps",
    "assign-saturates",
    "assign-sign",
    "assign-constant",
    "guard-wraps",
    "guard-strict",
    "guard-equation",
    "join-first",
    "join-bottom",
    "join-lower",
    "join-opposite",
    "meet-first",
    "meet-empty",
    "meet-touch",
    "widen-left",
    "widen-never",
    "widen-top",
    "project-nothing",
    "project-all",
    "order-bottom",
    "order-upper",
    "equality-lower",
    "top-not-top",
];

/// Bounds beyond this are rounded outwards.
const LIMIT: i128 = 1 << 63;
const INFINITE: i128 = LIMIT << 8;
const ALL: (i128, i128) = (-INFINITE, INFINITE);

type Range = (i128, i128);

/// None is an element without points.
type Element = Option<Vec<Range>>;

/// The domain.
pub struct Toy {
    profile: Profile,
    bug: &'static str,
}

impl Toy {
    /// With a planted bug, or none.
    pub fn new(bug: &'static str) -> Toy {
        Toy { profile: Profile::new("toy", Shape::Intervals), bug }
    }

    fn has(&self, bug: &str) -> bool {
        self.bug == bug
    }

    fn tidy(&self, ranges: Vec<Range>) -> Element {
        let empty = ranges.iter().any(|(low, high)| low > high) && !self.has("meet-empty");
        (!empty).then_some(ranges)
    }

    fn value(&self, ranges: &[Range], sum: &Linear, except: Option<usize>) -> Range {
        let constant = if self.has("assign-constant") && sum.terms().next().is_some() {
            0
        } else {
            sum.constant
        };
        let (mut low, mut high) = (Some(constant), Some(constant));
        for (variable, c) in sum.terms().filter(|(v, _)| Some(*v) != except) {
            let swap = c < 0 && !self.has("assign-sign");
            let (l, h) = ranges[variable];
            let (l, h) = if swap { (h, l) } else { (l, h) };
            let scaled = |end: i128| (end.abs() < INFINITE).then(|| i128::from(c) * end);
            low = low.zip(scaled(l)).map(|(a, b)| a.saturating_add(b));
            high = high.zip(scaled(h)).map(|(a, b)| a.saturating_add(b));
        }
        (low.unwrap_or(i128::MIN), high.unwrap_or(i128::MAX))
    }
}

fn wrapped(end: i128) -> i128 {
    if end.abs() < INFINITE { i128::from(end as i64) } else { end }
}

fn rounded((low, high): Range) -> Range {
    (
        if low < -LIMIT { -INFINITE } else { low.min(LIMIT) },
        if high > LIMIT { INFINITE } else { high.max(-LIMIT) },
    )
}

impl Domain for Toy {
    type Element = Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Element {
        Some(vec![ALL; dimensions])
    }

    fn bottom(&self, _dimensions: usize) -> Element {
        None
    }

    fn leq(&self, left: &Element, right: &Element) -> Truth {
        let (Some(left), Some(right)) = (left, right) else {
            return (left.is_none() && !self.has("order-bottom")).into();
        };
        let within =
            |(a, b): (&Range, &Range)| a.0 >= b.0 && (a.1 <= b.1 || self.has("order-upper"));
        left.iter().zip(right).all(within).into()
    }

    fn eq(&self, left: &Element, right: &Element) -> Truth {
        match (left, right) {
            (Some(left), Some(right)) if self.has("equality-lower") => {
                left.iter().zip(right).all(|(a, b)| a.0 == b.0).into()
            }
            _ => (left == right).into(),
        }
    }

    fn is_bottom(&self, element: &Element) -> Truth {
        element.is_none().into()
    }

    fn is_top(&self, element: &Element) -> Truth {
        let all = element.as_ref().is_some_and(|ranges| ranges.iter().all(|range| *range == ALL));
        (all && !self.has("top-not-top")).into()
    }

    fn join(&self, left: &Element, right: &Element) -> Element {
        if self.has("join-first") {
            return left.clone();
        }
        let (Some(left), Some(right)) = (left, right) else {
            return if self.has("join-bottom") { None } else { left.clone().or(right.clone()) };
        };
        let joined = left.iter().zip(right).map(|(a, b)| match self.bug {
            "join-opposite" if a.1 < 0 && b.0 > 0 => *a,
            "join-lower" => (a.0.max(b.0), a.1.max(b.1)),
            _ => (a.0.min(b.0), a.1.max(b.1)),
        });
        Some(joined.collect())
    }

    fn meet(&self, left: &Element, right: &Element) -> Element {
        if self.has("meet-first") {
            return left.clone();
        }
        let pairs = left.as_ref()?.iter().zip(right.as_ref()?);
        if self.has("meet-touch") && pairs.clone().any(|(a, b)| a.1 == b.0) {
            return None;
        }
        self.tidy(pairs.map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))).collect())
    }

    fn widen(&self, left: &Element, right: &Element) -> Element {
        match self.bug {
            "widen-left" => return left.clone(),
            "widen-never" => return self.join(left, right),
            _ => {}
        }
        let (Some(left), Some(right)) = (left, right) else {
            return left.clone().or(right.clone());
        };
        let widened = left.iter().zip(right).map(|(a, b)| match self.bug {
            "widen-top" => ALL,
            _ => (if b.0 < a.0 { -INFINITE } else { a.0 }, if b.1 > a.1 { INFINITE } else { a.1 }),
        });
        Some(widened.collect())
    }

    fn assign(&self, element: &Element, variable: usize, sum: &Linear) -> Element {
        let mut ranges = element.clone()?;
        let (low, high) = self.value(&ranges, sum, None);
        let bounded = low > -INFINITE && high < INFINITE;
        let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
        ranges[variable] = match self.bug {
            "assign-wraps" if bounded => (wrapped(low), wrapped(high)),
            "assign-saturates" if bounded => (low.clamp(least, most), high.clamp(least, most)),
            _ => rounded((low, high)),
        };
        self.tidy(ranges)
    }

    fn project(&self, element: &Element, variable: usize) -> Element {
        let mut ranges = element.clone()?;
        match self.bug {
            "project-nothing" => {}
            "project-all" => ranges.fill(ALL),
            _ => ranges[variable] = ALL,
        }
        Some(ranges)
    }

    fn guard(&self, element: &Element, constraint: &Constraint) -> Element {
        let ranges = element.as_ref()?;
        let equal = constraint.relation == Relation::Equal && !self.has("guard-equation");
        let strict = i128::from(self.has("guard-strict") && !equal);
        let (low, high) = self.value(ranges, &constraint.sum, None);
        if high.saturating_sub(strict) < 0 || equal && low > 0 {
            return None;
        }
        let mut refined = ranges.clone();
        for (variable, c) in constraint.sum.terms() {
            let (low, high) = self.value(ranges, &constraint.sum, Some(variable));
            let (c, high) = (i128::from(c), high.saturating_sub(strict));
            // c * x >= -high, and for an equation c * x <= -low
            let floor = |a: i128| a.div_euclid(c.abs());
            let ceiling = |a: i128| -(-a).div_euclid(c.abs());
            let at_least = (high < i128::MAX).then(|| -high);
            let at_most = (equal && low > i128::MIN).then(|| -low);
            let (lower, upper) = if c > 0 {
                (at_least.map(ceiling), at_most.map(floor))
            } else {
                (at_most.map(|most| ceiling(-most)), at_least.map(|least| floor(-least)))
            };
            let bounds = (lower.unwrap_or(-INFINITE), upper.unwrap_or(INFINITE));
            let (lower, upper) = match self.bug {
                "guard-wraps" => (wrapped(bounds.0), wrapped(bounds.1)),
                _ => rounded(bounds),
            };
            let range = &mut refined[variable];
            *range = (range.0.max(lower), range.1.min(upper));
        }
        self.tidy(refined)
    }

    fn show(&self, element: &Element) -> String {
        format!("{element:?}")
    }
}

/// The first violation that a search finds in this time.
pub fn search(toy: &Toy, rng: u64, limit: Duration) -> Option<Hit> {
    let config = TraceOptions::preset("C2").expect("it is a preset");
    let inputs = Engine::Guided.inputs(&config, rng).expect("it is our own");
    let mut search = Search::new(toy, config, inputs, &[]);
    let begun = Instant::now();
    while begun.elapsed() < limit {
        let hit = search.step().filter(|hit| hit.violation.firmness == Firmness::Hard);
        if hit.is_some() {
            return hit;
        }
    }
    None
}

#[allow(
    dead_code,
    clippy::print_stdout,
    reason = "tests include the file; it prints what it finds"
)]
fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for bug in BUGS.iter().filter(|bug| wanted.is_empty() || wanted.iter().any(|w| w == *bug)) {
        let begun = Instant::now();
        match search(&Toy::new(bug), 1, Duration::from_secs(10)) {
            Some(hit) => println!(
                "{bug}: {} after {:.2} s\n{}{}",
                hit.violation.law.title(),
                begun.elapsed().as_secs_f64(),
                hit.case,
                hit.violation.evidence
            ),
            None => println!("{bug}: not found"),
        }
    }
}
