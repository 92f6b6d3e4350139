//! Convex polyhedra over rational numbers, by constraints and generators.

use super::cone::{Half, Vector, convert, product};
use crate::bug::Bug;
use crate::domain::{Domain, Profile, Shape, Truth};
use crate::linear::{Constraint, Linear, Relation};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// A nonempty polyhedron, with both of its minimal descriptions.
#[derive(Clone, PartialEq, Debug)]
pub struct Polyhedron {
    constraints: Half,
    generators: Half,
}

/// The domain of convex polyhedra.
pub struct Polyhedra {
    profile: Profile,
    bug: Option<Bug>,
}

impl Polyhedra {
    /// The domain, possibly with a seeded bug.
    #[must_use]
    pub fn new(bug: Option<Bug>) -> Polyhedra {
        Polyhedra { profile: Profile::new("builtin/polyhedron", Shape::Polyhedra), bug }
    }

    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    fn convert(&self, half: &Half, size: usize) -> Half {
        convert(half, size, !self.has(Bug::PolyhedronAdjacency))
    }

    /// The polyhedron of these constraints; `None` if it is empty.
    fn of_constraints(&self, mut constraints: Half, size: usize) -> Option<Polyhedron> {
        constraints.rays.insert(0, positivity(size));
        let generators = self.convert(&constraints, size);
        generators.rays.iter().any(|ray| ray[0].is_positive()).then(|| {
            let constraints = self.convert(&generators, size);
            Polyhedron { constraints: without_positivity(constraints), generators }
        })
    }

    /// The polyhedron of these generators, which must include a point.
    fn of_generators(&self, generators: &Half, size: usize) -> Polyhedron {
        let constraints = self.convert(generators, size);
        let mut whole = constraints.clone();
        whole.rays.insert(0, positivity(size));
        let generators = self.convert(&whole, size);
        Polyhedron { constraints: without_positivity(constraints), generators }
    }
}

/// The first coordinate is never negative.
fn positivity(size: usize) -> Vector {
    (0..size).map(|at| BigInt::from(u8::from(at == 0))).collect()
}

fn without_positivity(mut constraints: Half) -> Half {
    constraints.rays.retain(|ray| ray[1..].iter().any(|part| !part.is_zero()));
    constraints
}

fn vector(sum: &Linear) -> Vector {
    let coefficients = sum.coefficients.iter().map(|coefficient| BigInt::from(*coefficient));
    [BigInt::from(sum.constant)].into_iter().chain(coefficients).collect()
}

/// Whether all generators satisfy a constraint.
fn satisfies(generators: &Half, constraint: &[BigInt], equation: bool, rays: bool) -> bool {
    let flat = |line: &Vector| product(line, constraint).is_zero();
    let fits = |ray: &Vector| {
        let value = product(ray, constraint);
        !value.is_negative() && (!equation || value.is_zero()) || !rays && ray[0].is_zero()
    };
    generators.lines.iter().all(flat) && generators.rays.iter().all(fits)
}

fn concat(left: &Half, right: &Half) -> Half {
    Half {
        lines: [&left.lines[..], &right.lines].concat(),
        rays: [&left.rays[..], &right.rays].concat(),
    }
}

impl Domain for Polyhedra {
    type Element = Option<Polyhedron>;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Option<Polyhedron> {
        self.of_constraints(Half::default(), dimensions + 1)
    }

    fn bottom(&self, _dimensions: usize) -> Option<Polyhedron> {
        None
    }

    fn leq(&self, left: &Option<Polyhedron>, right: &Option<Polyhedron>) -> Truth {
        let Some(left) = left else { return Truth::Yes };
        let Some(right) = right else { return Truth::No };
        let rays = !self.has(Bug::PolyhedronOrderRays);
        let equations = right.constraints.lines.iter().map(|vector| (vector, true));
        let inequalities = right.constraints.rays.iter().map(|vector| (vector, false));
        let fits = |(vector, equation): (&Vector, bool)| {
            satisfies(&left.generators, vector, equation, rays)
        };
        equations.chain(inequalities).all(fits).into()
    }

    fn eq(&self, left: &Option<Polyhedron>, right: &Option<Polyhedron>) -> Truth {
        (self.leq(left, right) == Truth::Yes && self.leq(right, left) == Truth::Yes).into()
    }

    fn is_bottom(&self, element: &Option<Polyhedron>) -> Truth {
        element.is_none().into()
    }

    fn is_top(&self, element: &Option<Polyhedron>) -> Truth {
        let free = |p: &Polyhedron| p.constraints.lines.is_empty() && p.constraints.rays.is_empty();
        element.as_ref().is_some_and(free).into()
    }

    fn join(&self, left: &Option<Polyhedron>, right: &Option<Polyhedron>) -> Option<Polyhedron> {
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (only, None) | (None, only) => return only.clone(),
        };
        let size = left.generators.rays[0].len();
        let mut generators = right.generators.clone();
        if self.has(Bug::PolyhedronJoinRays) {
            generators.rays.retain(|ray| ray[0].is_positive());
        }
        Some(self.of_generators(&concat(&left.generators, &generators), size))
    }

    fn meet(&self, left: &Option<Polyhedron>, right: &Option<Polyhedron>) -> Option<Polyhedron> {
        let (left, right) = (left.as_ref()?, right.as_ref()?);
        let size = left.generators.rays[0].len();
        let mut constraints = right.constraints.clone();
        if self.has(Bug::PolyhedronMeetLast) && constraints.rays.len() > 1 {
            constraints.rays.pop();
        }
        self.of_constraints(concat(&left.constraints, &constraints), size)
    }

    fn widen(&self, left: &Option<Polyhedron>, right: &Option<Polyhedron>) -> Option<Polyhedron> {
        let (Some(left), Some(right)) = (left, right) else { return right.clone() };
        let size = left.generators.rays[0].len();
        let rays = !self.has(Bug::PolyhedronWidenRays);
        let stable = |vector: &&Vector| satisfies(&right.generators, vector, false, rays);
        // An equation is two inequalities, each of which may be kept.
        let halves = left
            .constraints
            .lines
            .iter()
            .flat_map(|line| [line.clone(), line.iter().map(|part| -part).collect()]);
        let all: Vec<Vector> = halves.chain(left.constraints.rays.iter().cloned()).collect();
        let kept = all.iter().filter(stable).cloned().collect();
        self.of_constraints(Half { lines: Vec::new(), rays: kept }, size)
    }

    fn assign(
        &self,
        element: &Option<Polyhedron>,
        variable: usize,
        sum: &Linear,
    ) -> Option<Polyhedron> {
        if self.has(Bug::PolyhedronAssignProjects) {
            return self.project(element, variable);
        }
        let before = element.as_ref()?;
        let mut form = vector(sum);
        if self.has(Bug::PolyhedronAssignConstant) && sum.mentions(variable) {
            form[0] = BigInt::zero();
        }
        let after = |of: &[Vector]| -> Vec<Vector> {
            let moved = of.iter().map(|vector| {
                let mut moved = vector.clone();
                moved[variable + 1] = product(vector, &form);
                moved
            });
            moved.filter(|vector| vector.iter().any(|part| !part.is_zero())).collect()
        };
        let Half { lines, rays } = &before.generators;
        let generators = Half { lines: after(lines), rays: after(rays) };
        Some(self.of_generators(&generators, form.len()))
    }

    fn project(&self, element: &Option<Polyhedron>, variable: usize) -> Option<Polyhedron> {
        let before = element.as_ref()?;
        let size = before.generators.rays[0].len();
        if self.has(Bug::PolyhedronProjectDrops) {
            let mut constraints = before.constraints.clone();
            let silent = |vector: &Vector| vector[variable + 1].is_zero();
            constraints.lines.retain(silent);
            constraints.rays.retain(silent);
            return self.of_constraints(constraints, size);
        }
        let mut generators = before.generators.clone();
        let axis = (0..size).map(|at| BigInt::from(u8::from(at == variable + 1)));
        generators.lines.push(axis.collect());
        Some(self.of_generators(&generators, size))
    }

    fn guard(&self, element: &Option<Polyhedron>, constraint: &Constraint) -> Option<Polyhedron> {
        let before = element.as_ref()?;
        let vector = vector(&constraint.sum);
        let size = vector.len();
        let mut constraints = before.constraints.clone();
        let half = self.has(Bug::PolyhedronGuardHalf);
        match constraint.relation {
            Relation::Equal if !half => constraints.lines.push(vector),
            _ => constraints.rays.push(vector),
        }
        self.of_constraints(constraints, size)
    }

    fn features(&self, element: &Option<Polyhedron>) -> u64 {
        let Some(polyhedron) = element else { return 1 };
        let Polyhedron { constraints, generators } = polyhedron;
        let counts = [&constraints.lines, &constraints.rays, &generators.lines, &generators.rays];
        counts.iter().fold(2, |mixed, part| mixed * 37 + part.len() as u64)
    }

    fn show(&self, element: &Option<Polyhedron>) -> String {
        let Some(polyhedron) = element else { return "bottom".to_owned() };
        let Half { lines, rays } = &polyhedron.constraints;
        let equations = lines.iter().map(|vector| format!("{} = 0", words(vector)));
        let inequalities = rays.iter().map(|vector| format!("{} >= 0", words(vector)));
        let parts: Vec<String> = equations.chain(inequalities).collect();
        if parts.is_empty() { "top".to_owned() } else { parts.join(" and ") }
    }
}

fn words(vector: &[BigInt]) -> String {
    let terms = vector[1..].iter().enumerate().filter(|(_, part)| !part.is_zero());
    let terms = terms.map(|(variable, part)| format!("{part}*x{variable}"));
    terms.chain([vector[0].to_string()]).collect::<Vec<_>>().join(" + ")
}
