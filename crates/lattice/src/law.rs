//! Laws as data: what must hold of every domain, in terms of its own operations.
//!
//! A law is a list of premises and a conclusion over elements `x`, `y`, `z`, a variable `v`, a sum
//! `e` and a constraint `c`. One interpreter tries them all (`check.rs`), one printer shows them all,
//! and one exhaustive certification (`certify.rs`) puts them to the test.

use crate::domain::Shape;
use std::fmt;

/// What a law is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Soundness: a violation loses points.
    Soundness,
    /// Precision: a violation has more points than necessary.
    Precision,
    /// Convergence: a violation iterates forever.
    Convergence,
}

impl Class {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Soundness => "soundness",
            Class::Precision => "precision",
            Class::Convergence => "convergence",
        }
    }

    /// Its letter in the paper's tables.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Class::Soundness => 'S',
            Class::Precision => 'P',
            Class::Convergence => 'C',
        }
    }
}

/// A term that denotes an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// The first element.
    X,
    /// The second element.
    Y,
    /// The third element.
    Z,
    /// All points.
    Top,
    /// No point.
    Bottom,
    /// A join.
    Join(&'static Term, &'static Term),
    /// A meet.
    Meet(&'static Term, &'static Term),
    /// A widening.
    Widen(&'static Term, &'static Term),
    /// A narrowing.
    Narrow(&'static Term, &'static Term),
    /// After `v := e`.
    Assign(&'static Term),
    /// After `v` got an arbitrary value.
    Project(&'static Term),
    /// Where `c` holds.
    Guard(&'static Term),
    /// In canonical form.
    Close(&'static Term),
    /// A copy that was queried before.
    Queried(&'static Term),
}

/// A claim about elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The left is included in the right.
    Leq(Term, Term),
    /// Both are equal.
    Eq(Term, Term),
    /// It is empty.
    IsBottom(Term),
    /// It is not empty.
    NotBottom(Term),
    /// It is top.
    IsTop(Term),
    /// It is not top.
    NotTop(Term),
    /// `x` and `y` have, by their histories, constraints that exclude each other.
    Disjoint,
    /// `v = e` is exactly representable, and `e` does not mention `v`.
    Representable,
    /// `c` is exactly representable.
    RepresentableGuard,
    /// `c` is exactly representable, and does not mention `v`.
    SilentGuard,
    /// Widening `x` with drawn elements converges.
    WidenRests,
    /// Narrowing `x` with drawn elements converges.
    NarrowRests,
    /// The loop `v := e`, started in `x`, converges with widening.
    LoopRests,
    /// The loop `v := e`, started in `x`, converges with narrowing.
    LoopNarrows,
    /// `x` contains the points that its history implies.
    HasPoints,
    /// `y` contains the points that the history of `x` implies.
    HasPointsOf,
    /// `x` does not contain the points that its history excludes.
    LacksPoints,
    /// On small boxes, the operation gives the best bounds.
    Best(BoxOperation),
    /// On small boxes, the operation keeps the smallest and the largest values.
    HasEnds(BoxOperation),
    /// Queries about `x` and `y` have the same answers before and after other queries.
    SameAnswers,
    /// Bounds of `x` that also hold for `y` survive widening.
    KeepsBounds,
    /// Computing the term leaves `x`, and `y` if it mentions it, as they were.
    Unchanged(Term),
}

/// An operation whose results on small boxes can be computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoxOperation {
    /// `v := e`.
    Assign,
    /// A join of two.
    Join,
    /// A meet of two.
    Meet,
    /// A test of `c`.
    Guard,
    /// `v` gets an arbitrary value.
    Project,
}

impl BoxOperation {
    /// The number of boxes that it takes.
    #[must_use]
    pub fn operands(self) -> usize {
        match self {
            BoxOperation::Assign | BoxOperation::Guard | BoxOperation::Project => 1,
            BoxOperation::Join | BoxOperation::Meet => 2,
        }
    }

    fn words(self) -> &'static str {
        match self {
            BoxOperation::Assign => "assign(box, v, e)",
            BoxOperation::Join => "join(box, box)",
            BoxOperation::Meet => "meet(box, box)",
            BoxOperation::Guard => "guard(box, c)",
            BoxOperation::Project => "project(box, v)",
        }
    }
}

/// A promise that a domain must make for a law to be tested on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Need {
    /// Joins are least upper bounds, and widening adds nothing if nothing is new.
    LeastJoin,
    /// Meets are exact, and so are tests that the shape represents; no test adds points.
    ExactMeet,
    /// There is a narrowing.
    Narrowing,
    /// There is a canonical form.
    Closure,
    /// Transformers are monotone, optimal on boxes, and keep bottom.
    BestTransformers,
    /// Widening keeps bounds that did not move.
    KeepsBounds,
    /// Variables of elements have bounds.
    Bounds,
}

impl Need {
    /// Whether a domain promises it.
    #[must_use]
    pub fn met_by(self, profile: &crate::Profile) -> bool {
        match self {
            Need::LeastJoin => profile.least_join,
            Need::ExactMeet => profile.exact_meet,
            Need::Narrowing => profile.narrowing,
            Need::Closure => profile.closure,
            Need::BestTransformers => profile.best_transformers,
            Need::KeepsBounds => profile.keeps_bounds,
            Need::Bounds => !matches!(profile.shape, Shape::Congruences | Shape::Grids),
        }
    }

    /// How a domain without it is described: `it has no narrowing`.
    fn lack(self) -> &'static str {
        match self {
            Need::LeastJoin => "its joins are not least upper bounds",
            Need::ExactMeet => "its meets are not exact",
            Need::Narrowing => "it has no narrowing",
            Need::Closure => "it has no canonical form",
            Need::BestTransformers => "its transformers are not optimal",
            Need::KeepsBounds => "its widening may drop bounds that did not move",
            Need::Bounds => "its elements have no bounds",
        }
    }
}

/// A law.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Law {
    /// Its number in figure 2.3 of the paper; `None` if it is not in the paper.
    pub number: Option<u8>,
    /// Its stable name.
    pub name: &'static str,
    /// Its class.
    pub class: Class,
    /// The promises that it requires.
    pub needs: &'static [Need],
    /// The premises.
    pub premises: &'static [Claim],
    /// The conclusion.
    pub conclusion: Claim,
}

impl Law {
    /// The law of this name, or of this number in the paper's figure.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Law> {
        let number = name.parse::<u8>().ok();
        let called = |law: &&Law| law.name == name || number.is_some() && law.number == number;
        crate::LAWS.iter().find(called)
    }

    /// Whether it is tested on a domain.
    #[must_use]
    pub fn applies_to(&self, profile: &crate::Profile) -> bool {
        self.unmet(profile).is_none() && !self.is_waived(profile)
    }

    /// Why it is not tested on a domain; `None` if it is.
    #[must_use]
    pub fn obstacle(&self, profile: &crate::Profile) -> Option<String> {
        let unmet = self.unmet(profile).map(Need::lack);
        let why =
            unmet.or_else(|| self.is_waived(profile).then_some("the domain does not claim it"))?;
        Some(format!("`{}` is not tested on {}: {why}", self.name, profile.name))
    }

    fn unmet(&self, profile: &crate::Profile) -> Option<Need> {
        self.needs.iter().copied().find(|need| !need.met_by(profile))
    }

    fn is_waived(&self, profile: &crate::Profile) -> bool {
        profile.without.iter().any(|name| name == self.name)
    }

    /// Its label in reports: `17 top-meet [P]`.
    #[must_use]
    pub fn title(&self) -> String {
        let number = self.number.map_or(String::new(), |number| format!("{number} "));
        format!("{number}{} [{}]", self.name, self.class.letter())
    }

    /// The claims in order, the conclusion last.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.premises.iter().chain([&self.conclusion])
    }

    /// Whether it requires that its operands are the smallest elements that their programs allow, as only
    /// exact operations guarantee.
    #[must_use]
    pub fn trusts_history(&self) -> bool {
        self.claims()
            .any(|claim| matches!(claim, Claim::Disjoint | Claim::LacksPoints | Claim::Best(_)))
    }

    /// The operation that it iterates, in addition to those of its terms.
    #[must_use]
    pub fn iterated(&self) -> Option<&'static str> {
        match self.conclusion {
            Claim::WidenRests | Claim::LoopRests | Claim::KeepsBounds => Some("widen"),
            Claim::NarrowRests | Claim::LoopNarrows => Some("narrow"),
            _ => None,
        }
    }

    /// The names of the queries that it rests on.
    #[must_use]
    pub fn queries(&self) -> Vec<&'static str> {
        let query = |claim: &Claim| match claim {
            Claim::Leq(..) => Some("order"),
            Claim::Eq(..) => Some("equality"),
            Claim::IsBottom(_) | Claim::NotBottom(_) => Some("is_bottom"),
            Claim::IsTop(_) | Claim::NotTop(_) => Some("is_top"),
            _ => None,
        };
        self.claims().filter_map(query).collect()
    }

    /// Whether it contains such a part.
    #[must_use]
    pub fn mentions(&self, part: &dyn Fn(&Term) -> bool) -> bool {
        self.claims().flat_map(Claim::terms).any(|term| term.mentions(part))
    }
}

impl Term {
    /// The direct subterms.
    #[must_use]
    pub fn parts(&self) -> Vec<&'static Term> {
        match *self {
            Term::X | Term::Y | Term::Z | Term::Top | Term::Bottom => Vec::new(),
            Term::Join(a, b) | Term::Meet(a, b) | Term::Widen(a, b) | Term::Narrow(a, b) => {
                vec![a, b]
            }
            Term::Assign(a)
            | Term::Project(a)
            | Term::Guard(a)
            | Term::Close(a)
            | Term::Queried(a) => vec![a],
        }
    }

    /// The name of its operation, if programs have that operation.
    #[must_use]
    pub fn operation(&self) -> Option<&'static str> {
        match self {
            Term::Join(..) => Some("join"),
            Term::Meet(..) => Some("meet"),
            Term::Widen(..) => Some("widen"),
            Term::Narrow(..) => Some("narrow"),
            Term::Assign(_) => Some("assign"),
            Term::Project(_) => Some("project"),
            Term::Guard(_) => Some("guard"),
            _ => None,
        }
    }

    pub(crate) fn mentions(&self, part: &dyn Fn(&Term) -> bool) -> bool {
        part(self) || self.parts().iter().any(|below| below.mentions(part))
    }
}

impl Claim {
    /// The terms that it compares; claims with a separate procedure list the operands that they
    /// take.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        match *self {
            Claim::Leq(a, b) | Claim::Eq(a, b) => vec![a, b],
            Claim::IsBottom(a)
            | Claim::NotBottom(a)
            | Claim::IsTop(a)
            | Claim::NotTop(a)
            | Claim::Unchanged(a) => vec![a],
            Claim::Disjoint | Claim::KeepsBounds | Claim::HasPointsOf | Claim::SameAnswers => {
                vec![Term::X, Term::Y]
            }
            Claim::Representable => vec![Term::Assign(&Term::X)],
            Claim::RepresentableGuard => vec![Term::Guard(&Term::X)],
            Claim::SilentGuard => vec![Term::Guard(&Term::Project(&Term::X))],
            Claim::WidenRests | Claim::NarrowRests | Claim::HasPoints | Claim::LacksPoints => {
                vec![Term::X]
            }
            Claim::LoopRests | Claim::LoopNarrows => vec![Term::Assign(&Term::X)],
            Claim::Best(operation) | Claim::HasEnds(operation) => match operation {
                BoxOperation::Assign => vec![Term::Assign(&Term::X)],
                BoxOperation::Join => vec![Term::Join(&Term::X, &Term::Y)],
                BoxOperation::Meet => vec![Term::Meet(&Term::X, &Term::Y)],
                BoxOperation::Guard => vec![Term::Guard(&Term::X)],
                BoxOperation::Project => vec![Term::Project(&Term::X)],
            },
        }
    }

    /// Its operation on small boxes.
    #[must_use]
    pub fn on_boxes(&self) -> Option<BoxOperation> {
        match *self {
            Claim::Best(operation) | Claim::HasEnds(operation) => Some(operation),
            _ => None,
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::X => f.write_str("x"),
            Term::Y => f.write_str("y"),
            Term::Z => f.write_str("z"),
            Term::Top => f.write_str("top"),
            Term::Bottom => f.write_str("bottom"),
            Term::Join(a, b) => write!(f, "join({a}, {b})"),
            Term::Meet(a, b) => write!(f, "meet({a}, {b})"),
            Term::Widen(a, b) => write!(f, "widen({a}, {b})"),
            Term::Narrow(a, b) => write!(f, "narrow({a}, {b})"),
            Term::Assign(a) => write!(f, "assign({a}, v, e)"),
            Term::Project(a) => write!(f, "project({a}, v)"),
            Term::Guard(a) => write!(f, "guard({a}, c)"),
            Term::Close(a) => write!(f, "close({a})"),
            Term::Queried(a) => write!(f, "queried({a})"),
        }
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Leq(a, b) => write!(f, "{a} <= {b}"),
            Claim::Eq(a, b) => write!(f, "{a} == {b}"),
            Claim::IsBottom(a) => write!(f, "is_bottom({a})"),
            Claim::NotBottom(a) => write!(f, "not is_bottom({a})"),
            Claim::IsTop(a) => write!(f, "is_top({a})"),
            Claim::NotTop(a) => write!(f, "not is_top({a})"),
            Claim::Disjoint => f.write_str("disjoint(x, y)"),
            Claim::Representable => f.write_str("representable(v = e)"),
            Claim::RepresentableGuard => f.write_str("representable(c)"),
            Claim::SilentGuard => f.write_str("representable(c) without v"),
            Claim::WidenRests => f.write_str("widening from x converges"),
            Claim::NarrowRests => f.write_str("narrowing from x converges"),
            Claim::LoopRests => f.write_str("widening x with assign(x, v, e) converges"),
            Claim::LoopNarrows => f.write_str("narrowing x with assign(x, v, e) converges"),
            Claim::HasPoints => f.write_str("x has the points that its program gives it"),
            Claim::HasPointsOf => f.write_str("y has the points that its program gives x"),
            Claim::LacksPoints => f.write_str("x lacks the points that its program excludes"),
            Claim::Best(operation) => write!(f, "{} has the best bounds", operation.words()),
            Claim::HasEnds(operation) => write!(f, "{} loses no end point", operation.words()),
            Claim::SameAnswers => {
                f.write_str("x and y give the same answers as queried(x) and queried(y)")
            }
            Claim::Unchanged(a) => write!(f, "{a} leaves its operands unchanged"),
            Claim::KeepsBounds => f.write_str("widen(x, y) keeps the bounds of x that y respects"),
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, premise) in self.premises.iter().enumerate() {
            write!(f, "{}{premise}", if at > 0 { " and " } else { "" })?;
        }
        write!(f, "{}{}", if self.premises.is_empty() { "" } else { " => " }, self.conclusion)
    }
}
