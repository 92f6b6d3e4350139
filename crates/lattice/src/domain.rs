//! What an abstract domain looks like to the tester. Any Rust type can implement it.

use crate::linear::{Constraint, Linear};

/// The answer to a question about elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Truth {
    /// Certainly.
    Yes,
    /// Certainly not.
    No,
    /// The domain cannot tell.
    Unsure,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Truth {
        if holds { Truth::Yes } else { Truth::No }
    }
}

/// Which simple elements a domain is fed with, and what it represents exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// Bounds of single variables.
    Intervals,
    /// `±x ± y + k >= 0`.
    Octagons,
    /// Any linear constraint.
    Polyhedra,
    /// Bounds of single variables, with affine relations between them.
    Zonotopes,
    /// `x = k` modulo a number.
    Congruences,
    /// Any linear equation, modulo a number.
    Grids,
}

impl Shape {
    /// Every shape with its name and what one of its elements is called in programs.
    pub const ALL: [(Shape, &'static str, &'static str); 6] = [
        (Shape::Intervals, "intervals", "box"),
        (Shape::Octagons, "octagons", "oct"),
        (Shape::Polyhedra, "polyhedra", "poly"),
        (Shape::Zonotopes, "zonotopes", "zono"),
        (Shape::Congruences, "congruences", "cong"),
        (Shape::Grids, "grids", "grid"),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Shape::ALL[self as usize].1
    }

    /// What an element is called in programs.
    #[must_use]
    pub fn element(self) -> &'static str {
        Shape::ALL[self as usize].2
    }

    /// The shape of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Shape> {
        Shape::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Whether exactly the points that satisfy the constraint make up an element, whatever kind of
    /// numbers bounds are made of: large ones may be rounded, by design.
    #[must_use]
    pub fn represents(self, constraint: &Constraint) -> bool {
        use crate::linear::Relation::Equal;
        if !constraint.sum.is_plain() {
            return false;
        }
        let mut terms = constraint.sum.terms();
        let unit = |(_, coefficient): (usize, i64)| coefficient.unsigned_abs() == 1;
        match self {
            Shape::Polyhedra => true,
            Shape::Grids => constraint.relation == Equal,
            Shape::Intervals | Shape::Zonotopes => {
                constraint.sum.terms().count() == 1 && terms.all(unit)
            }
            Shape::Octagons => (1..=2).contains(&constraint.sum.terms().count()) && terms.all(unit),
            Shape::Congruences => {
                constraint.relation == Equal
                    && constraint.sum.terms().count() == 1
                    && terms.all(unit)
            }
        }
    }
}

impl Shape {
    /// Whether `variable = sum` says something about the variable, exactly.
    #[must_use]
    pub fn represents_value(self, variable: usize, sum: &Linear) -> bool {
        // Numbers that are plain have negations.
        let difference = || {
            let mut coefficients: Vec<i64> = sum.coefficients.iter().map(|c| -c).collect();
            coefficients[variable] = 1;
            Linear { coefficients: coefficients.into(), constant: -sum.constant }
        };
        sum.is_plain()
            && !sum.mentions(variable)
            && self.represents(&Constraint::equal(difference()))
    }
}

/// What a domain offers and promises. Laws that need more are not tried on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The domain's name, as in reports.
    pub name: String,
    /// Its simple elements.
    pub shape: Shape,
    /// Whether joins are least upper bounds, and widening adds nothing where nothing is new.
    pub least_join: bool,
    /// Whether meets are exact, and so are tests of what the shape represents; no test adds points.
    pub exact_meet: bool,
    /// Whether the second operand of widening must contain the first.
    pub monotone_widening: bool,
    /// Whether there is a narrowing.
    pub narrowing: bool,
    /// Whether there is a canonical form to ask for.
    pub closure: bool,
    /// Whether assignments and tests are monotone, keep bottom and are, on boxes, the best ones.
    pub best_transformers: bool,
    /// Whether tests with `x = k`, one for each variable, make the smallest element with that point
    /// of top, although meets or transformers are not promised to be the best.
    pub exact_points: bool,
    /// Whether widening keeps every bound of a variable that did not move.
    pub keeps_bounds: bool,
    /// Steps after which widening and narrowing must have come to rest.
    pub steps: usize,
    /// Laws, by name, that the domain does not claim.
    pub without: Vec<String>,
}

impl Profile {
    /// A domain that offers and promises everything that those of its shape usually do.
    #[must_use]
    pub fn new(name: impl Into<String>, shape: Shape) -> Profile {
        let relational = matches!(shape, Shape::Polyhedra | Shape::Grids);
        let whole = shape != Shape::Zonotopes;
        Profile {
            name: name.into(),
            shape,
            least_join: whole,
            exact_meet: whole,
            monotone_widening: relational,
            // Whoever has one says so: what stands for it in other domains need not rest.
            narrowing: false,
            closure: false,
            best_transformers: whole,
            exact_points: false,
            keeps_bounds: shape == Shape::Intervals,
            // Sixteen half-bounds of eight variables, or 128 octagonal ones, may go one by one;
            // the paper's limit is 100.
            steps: 200,
            without: Vec::new(),
        }
    }

    /// Takes a law out, by its name or its number.
    ///
    /// # Errors
    /// Where there is no such law.
    pub fn waive(&mut self, law: &str) -> Result<(), String> {
        let known = crate::Law::find(law).ok_or_else(|| {
            format!("there is no law `{law}`; `assay rules --theory domains` lists them")
        })?;
        self.without.push(known.name.to_owned());
        Ok(())
    }

    /// Whether a point can be told from what it is in by tests of top.
    pub(crate) fn has_points(&self) -> bool {
        self.exact_points || self.exact_meet && self.best_transformers
    }
}

/// An abstract domain over variables `x0`, `x1`, ….
///
/// Only the operations and questions below are called.
pub trait Domain {
    /// An element.
    type Element: Clone;

    /// What it offers and promises.
    fn profile(&self) -> &Profile;

    /// All points of a space with so many variables.
    fn top(&self, dimensions: usize) -> Self::Element;

    /// No point.
    fn bottom(&self, dimensions: usize) -> Self::Element;

    /// Whether every point of the left is one of the right.
    fn leq(&self, left: &Self::Element, right: &Self::Element) -> Truth;

    /// Whether both have the same points.
    fn eq(&self, left: &Self::Element, right: &Self::Element) -> Truth;

    /// Whether there is no point.
    fn is_bottom(&self, element: &Self::Element) -> Truth;

    /// Whether all points are in it.
    fn is_top(&self, element: &Self::Element) -> Truth;

    /// An element with the points of both.
    fn join(&self, left: &Self::Element, right: &Self::Element) -> Self::Element;

    /// An element with the points that are in both.
    fn meet(&self, left: &Self::Element, right: &Self::Element) -> Self::Element;

    /// Widening: an element with the points of both, whose iteration comes to rest.
    fn widen(&self, left: &Self::Element, right: &Self::Element) -> Self::Element;

    /// Narrowing, of an element with one that is within it; called only where
    /// [`Profile::narrowing`] says so. Unless there is a better one, the weakest of all stands here:
    /// a meet need not come to rest.
    fn narrow(&self, left: &Self::Element, right: &Self::Element) -> Self::Element {
        if self.is_bottom(right) == Truth::Yes { right.clone() } else { left.clone() }
    }

    /// The points after `variable := sum`.
    fn assign(&self, element: &Self::Element, variable: usize, sum: &Linear) -> Self::Element;

    /// The points after the variable got any value.
    fn project(&self, element: &Self::Element, variable: usize) -> Self::Element;

    /// The points that satisfy the constraint, and perhaps more.
    fn guard(&self, element: &Self::Element, constraint: &Constraint) -> Self::Element;

    /// The canonical form; called only where [`Profile::closure`] says so.
    fn close(&self, element: &Self::Element) -> Self::Element {
        element.clone()
    }

    /// Whether operations and questions may change what an element keeps beside its points, such as
    /// a closure that is computed once. Then elements are copied before they are shared, so that
    /// what happens to one assertion does not depend on others.
    fn remembers(&self) -> bool {
        false
    }

    /// Whether an operation since the last call said of its result that it might be less precise
    /// than promised. What is imprecise then is a *soft* violation.
    fn approximated(&self) -> bool {
        false
    }

    /// A few numbers that tell elements of different kinds apart, for the guided engine.
    fn features(&self, _element: &Self::Element) -> u64 {
        0
    }

    /// The element in words, for reports.
    fn show(&self, element: &Self::Element) -> String;
}

/// The only point with these coordinates, as an element.
pub fn point<D: Domain>(domain: &D, coordinates: &[i64]) -> D::Element {
    guarded(domain, domain.top(coordinates.len()), coordinates)
}

/// Whether an element that has a point has nothing on either side of it in any direction.
pub(crate) fn is_alone<D: Domain>(domain: &D, element: &D::Element, coordinates: &[i64]) -> bool {
    let is_empty_where = |variable: usize, sign: i64, constant: i64| {
        let sum = Linear::of(coordinates.len(), &[(variable, sign)], constant);
        domain.is_bottom(&domain.guard(element, &Constraint::at_least(sum))) == Truth::Yes
    };
    // Beyond the ends of the machine's integers nothing can be tried, and so nothing is claimed.
    coordinates.iter().enumerate().all(|(variable, &value)| {
        let above = value.checked_add(1).map(|above| is_empty_where(variable, 1, -above));
        let below = value.checked_sub(1).map(|below| is_empty_where(variable, -1, below));
        above == Some(true) && below == Some(true)
    })
}

/// What is left of an element where the variables have these values.
pub(crate) fn guarded<D: Domain>(
    domain: &D,
    element: D::Element,
    coordinates: &[i64],
) -> D::Element {
    coordinates.iter().enumerate().fold(element, |element, (variable, &value)| {
        // A coordinate is never the least number, so its negation exists.
        let sum = Linear::of(coordinates.len(), &[(variable, 1)], -value);
        domain.guard(&element, &Constraint::equal(sum))
    })
}
