//! The interface of an abstract domain. Any Rust type can implement it.

use crate::linear::{Constraint, Linear};

/// The answer to a query about elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Truth {
    /// Yes.
    Yes,
    /// No.
    No,
    /// The domain cannot decide it.
    Unsure,
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Truth {
        if holds { Truth::Yes } else { Truth::No }
    }
}

/// The simple elements that a domain gets as input, and what it represents exactly.
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

    /// The name of an element in programs.
    #[must_use]
    pub fn element(self) -> &'static str {
        Shape::ALL[self as usize].2
    }

    /// The shape of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Shape> {
        Shape::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Whether some element has exactly the points that satisfy the constraint, whatever number type the
    /// bounds have: large ones may be rounded, by design.
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
    /// Whether the domain represents `variable = sum` exactly.
    #[must_use]
    pub fn represents_value(self, variable: usize, sum: &Linear) -> bool {
        // Plain numbers have negations.
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

/// The operations and promises of a domain. Laws that require more are not tested on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The domain's name in reports.
    pub name: String,
    /// Its simple elements.
    pub shape: Shape,
    /// Whether joins are least upper bounds, and widening adds nothing if nothing is new.
    pub least_join: bool,
    /// Whether meets are exact, and so are tests that the shape represents; no test adds points.
    pub exact_meet: bool,
    /// Whether the second operand of widening must contain the first.
    pub monotone_widening: bool,
    /// Whether there is a narrowing.
    pub narrowing: bool,
    /// Whether there is a canonical form.
    pub closure: bool,
    /// Whether assignments and tests are monotone, keep bottom and are optimal on boxes.
    pub best_transformers: bool,
    /// Whether tests with `x = k`, one for each variable, reduce top to the smallest element with that
    /// point, even if meets or transformers are not promised to be optimal.
    pub exact_points: bool,
    /// Whether widening keeps every bound of a variable that did not move.
    pub keeps_bounds: bool,
    /// Whether there is a join that takes hints, as learnt ones do. Laws are then about this join.
    pub hinted: bool,
    /// Number of steps after which widening and narrowing must have converged.
    pub steps: usize,
    /// Laws, by name, that the domain does not claim.
    pub without: Vec<String>,
}

impl Profile {
    /// A domain with all operations and promises that are usual for its shape.
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
            // Opt-in, because the default narrowing need not converge.
            narrowing: false,
            closure: false,
            best_transformers: whole,
            exact_points: false,
            keeps_bounds: shape == Shape::Intervals,
            hinted: false,
            // Sixteen half-bounds of eight variables, or 128 octagonal ones, may change one by one;
            // the paper's limit is 100.
            steps: 200,
            without: Vec::new(),
        }
    }

    /// Excludes a law, by its name or its number.
    ///
    /// # Errors
    /// If there is no such law.
    pub fn waive(&mut self, law: &str) -> Result<(), String> {
        let known = crate::Law::find(law).ok_or_else(|| {
            format!("there is no law `{law}`; `assay rules --theory domains` lists them")
        })?;
        self.without.push(known.name.to_owned());
        Ok(())
    }

    /// Whether tests on top can separate a point from the elements that contain it.
    pub(crate) fn has_points(&self) -> bool {
        self.exact_points || self.exact_meet && self.best_transformers
    }
}

/// An abstract domain over variables `x0`, `x1`, ….
///
/// Only the operations and queries below are called.
pub trait Domain {
    /// An element.
    type Element: Clone;

    /// Its operations and promises.
    fn profile(&self) -> &Profile;

    /// All points of a space with this many variables.
    fn top(&self, dimensions: usize) -> Self::Element;

    /// No point.
    fn bottom(&self, dimensions: usize) -> Self::Element;

    /// Whether the left is included in the right.
    fn leq(&self, left: &Self::Element, right: &Self::Element) -> Truth;

    /// Whether both are equal.
    fn eq(&self, left: &Self::Element, right: &Self::Element) -> Truth;

    /// Whether it is empty.
    fn is_bottom(&self, element: &Self::Element) -> Truth;

    /// Whether it contains all points.
    fn is_top(&self, element: &Self::Element) -> Truth;

    /// An element that contains the points of both.
    fn join(&self, left: &Self::Element, right: &Self::Element) -> Self::Element;

    /// The join that takes a loop head as hint; called only if [`Profile::hinted`] is set.
    fn join_hinted(
        &self,
        left: &Self::Element,
        right: &Self::Element,
        _head: &Self::Element,
    ) -> Self::Element {
        self.join(left, right)
    }

    /// Whether its operations take a sum: a constant may have one bit more than 64, which some
    /// interfaces have no room for.
    fn takes(&self, _sum: &Linear) -> bool {
        true
    }

    /// An element that contains the common points of both.
    fn meet(&self, left: &Self::Element, right: &Self::Element) -> Self::Element;

    /// Widening: an element that contains the points of both, and whose iteration converges.
    fn widen(&self, left: &Self::Element, right: &Self::Element) -> Self::Element;

    /// Narrowing of an element with one that is included in it; called only if [`Profile::narrowing`] is
    /// set. The default is the weakest narrowing of all, the left operand, because a meet need not
    /// converge.
    fn narrow(&self, left: &Self::Element, right: &Self::Element) -> Self::Element {
        if self.is_bottom(right) == Truth::Yes { right.clone() } else { left.clone() }
    }

    /// The points after `variable := sum`.
    fn assign(&self, element: &Self::Element, variable: usize, sum: &Linear) -> Self::Element;

    /// The points after the variable got an arbitrary value.
    fn project(&self, element: &Self::Element, variable: usize) -> Self::Element;

    /// A superset of the points that satisfy the constraint.
    fn guard(&self, element: &Self::Element, constraint: &Constraint) -> Self::Element;

    /// The canonical form; called only if [`Profile::closure`] is set.
    fn close(&self, element: &Self::Element) -> Self::Element {
        element.clone()
    }

    /// Whether operations and queries may change cached data of an element, such as a closure. Elements
    /// are then copied before they are shared, so that assertions do not influence each
    /// other.
    fn remembers(&self) -> bool {
        false
    }

    /// Whether an operation since the last call said that its result might be less precise than
    /// promised. A violation of precision is then *soft*.
    fn approximated(&self) -> bool {
        false
    }

    /// A few numbers that characterize an element, for the guided engine.
    fn features(&self, _element: &Self::Element) -> u64 {
        0
    }

    /// The element as text, for reports.
    fn show(&self, element: &Self::Element) -> String;
}

/// The element with exactly this point.
pub fn point<D: Domain>(domain: &D, coordinates: &[i128]) -> D::Element {
    guarded(domain, domain.top(coordinates.len()), coordinates)
}

/// Whether an element with a point contains none of its neighbors in any direction.
pub(crate) fn is_alone<D: Domain>(domain: &D, element: &D::Element, coordinates: &[i128]) -> bool {
    let is_empty_where = |variable: usize, sign: i64, constant: i128| {
        let sum = Linear::of(coordinates.len(), &[(variable, sign)], constant);
        domain.is_bottom(&domain.guard(element, &Constraint::at_least(sum))) == Truth::Yes
    };
    // Beyond the limits of machine integers nothing can be tested, and so nothing is claimed.
    coordinates.iter().enumerate().all(|(variable, &value)| {
        value.abs() < MOST
            && is_empty_where(variable, 1, -value - 1)
            && is_empty_where(variable, -1, value - 1)
    })
}

/// The part of an element where the variables have these values, or, for values that no constant can
/// be, are beyond the limit on the same side.
pub(crate) fn guarded<D: Domain>(
    domain: &D,
    element: D::Element,
    coordinates: &[i128],
) -> D::Element {
    coordinates.iter().enumerate().fold(element, |element, (variable, &value)| {
        domain.guard(&element, &having(coordinates.len(), variable, value))
    })
}

/// The largest 64-bit number.
const MOST: i128 = i64::MAX as i128;

/// `variable = value`, with a 64-bit constant; for values beyond, the variable is beyond the limit.
pub(crate) fn having(dimensions: usize, variable: usize, value: i128) -> Constraint {
    let unary = |sign, constant| Linear::of(dimensions, &[(variable, sign)], constant);
    let least = -MOST - 1;
    match value {
        _ if value.abs() <= MOST => Constraint::equal(unary(1, -value)),
        _ if value == least => Constraint::equal(unary(-1, least)),
        _ if value == -least => Constraint::equal(unary(1, least)),
        _ if value > 0 => Constraint::at_least(unary(1, -MOST)),
        _ => Constraint::at_least(unary(-1, least)),
    }
}

/// How often a value beyond the limit is moved towards zero until a test can name it.
const SHIFTS: i128 = 4;

/// Whether tests leave nothing where a variable has a value that the element must have: the value
/// itself, or, beyond the limit, first that it is beyond and then, moved towards zero, the value.
pub(crate) fn loses<D: Domain>(
    domain: &D,
    element: &D::Element,
    dimensions: usize,
    variable: usize,
    value: i128,
) -> bool {
    let is_empty = |element: &D::Element| domain.is_bottom(element) == Truth::Yes;
    let near = domain.guard(element, &having(dimensions, variable, value));
    if is_empty(&near) {
        return true;
    }
    if value.abs() <= MOST + 1 || value.abs() > SHIFTS * MOST {
        return false;
    }
    let (mut moved, mut value) = (element.clone(), value);
    while value.abs() > MOST {
        let by = MOST * value.signum();
        let sum = Linear::of(dimensions, &[(variable, 1)], -by);
        moved = domain.assign(&moved, variable, &sum);
        value -= by;
    }
    is_empty(&domain.guard(&moved, &having(dimensions, variable, value)))
}
