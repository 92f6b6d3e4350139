//! Conjunctions of linear constraints, and certificates for the infimum of a linear term over them.
//!
//! Why an infimum is known: a sum of constraints, each multiplied by a positive number, is a lower
//! bound of the term (weak duality), and a point at which the bound is reached satisfies the
//! constraints, or lies on their border. Everything is checked with exact arithmetic; a certificate
//! that does not check proves nothing.

use super::spec::zero;
use num_rational::BigRational;

/// Coefficients, or the coordinates of a point.
pub(crate) type Vector = Vec<BigRational>;

/// The sum of the products.
pub(crate) fn dot(a: &[BigRational], b: &[BigRational]) -> BigRational {
    a.iter().zip(b).fold(zero(), |sum, (x, y)| sum + x * y)
}

/// The first vector plus a multiple of the second.
pub(crate) fn plus(a: &[BigRational], factor: &BigRational, b: &[BigRational]) -> Vector {
    a.iter().zip(b).map(|(x, y)| x + factor * y).collect()
}

/// Whether a border belongs to what it bounds; what does is the better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Edge {
    Included,
    Excluded,
}

/// `normal · x ≥ offset`, or `>` if the edge is excluded.
#[derive(Clone, Debug)]
pub(crate) struct HalfSpace {
    pub(crate) normal: Vector,
    pub(crate) offset: BigRational,
    pub(crate) edge: Edge,
}

impl HalfSpace {
    /// The constraint with this point on its border.
    pub(crate) fn at(normal: Vector, point: &[BigRational]) -> HalfSpace {
        let offset = dot(&normal, point);
        HalfSpace { normal, offset, edge: Edge::Included }
    }

    fn contains(&self, point: &[BigRational]) -> bool {
        let value = dot(&self.normal, point);
        value > self.offset || self.edge == Edge::Included && value == self.offset
    }

    /// Whether the point is inside or on the border.
    fn touches(&self, point: &[BigRational]) -> bool {
        dot(&self.normal, point) >= self.offset
    }
}

/// Constraints by their index, each with a positive factor.
pub(crate) type Combination = Vec<(usize, BigRational)>;

/// The greatest lower bound of a term; the better is the smaller.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Infimum {
    /// The term has no lower bound.
    Unbounded,
    /// This number, which is attained or not.
    Limit(BigRational, Edge),
}

/// The points that satisfy all constraints.
#[derive(Clone, Debug)]
pub(crate) struct Polyhedron {
    pub(crate) constraints: Vec<HalfSpace>,
    /// A point on the border, or inside.
    pub(crate) corner: Vector,
    /// A point of it.
    pub(crate) inside: Vector,
}

impl Polyhedron {
    /// Whether the corner is a point of it.
    pub(crate) fn has_corner(&self) -> bool {
        self.constraints.iter().all(|constraint| constraint.contains(&self.corner))
    }

    fn is_sound(&self) -> bool {
        self.constraints
            .iter()
            .all(|constraint| constraint.contains(&self.inside) && constraint.touches(&self.corner))
    }

    /// The infimum of a term at the corner. None where the combination of constraints does not prove
    /// it.
    ///
    /// If the corner is excluded, all points between it and the inner point belong to the polyhedron
    /// because that is convex, so the term comes arbitrarily close to its value at the corner. A sum
    /// with a strict constraint is strict: the term never has that value.
    pub(crate) fn infimum(
        &self,
        term: &[BigRational],
        combination: &[(usize, BigRational)],
    ) -> Option<Infimum> {
        let mut sum = vec![zero(); term.len()];
        let mut bound = zero();
        let mut edge = Edge::Included;
        for (index, factor) in combination {
            let constraint = self.constraints.get(*index)?;
            if *factor <= zero() {
                return None;
            }
            sum = plus(&sum, factor, &constraint.normal);
            bound += factor * &constraint.offset;
            edge = edge.max(constraint.edge);
        }
        let is_tight = sum == term && bound == dot(term, &self.corner);
        let is_known = self.has_corner() || edge == Edge::Excluded;
        (self.is_sound() && is_tight && is_known).then_some(Infimum::Limit(bound, edge))
    }

    /// Whether a term is unbounded because following the ray from any point always stays inside and
    /// makes the term smaller.
    pub(crate) fn is_unbounded(&self, term: &[BigRational], ray: &[BigRational]) -> bool {
        let stays = |constraint: &HalfSpace| dot(&constraint.normal, ray) >= zero();
        self.is_sound() && self.constraints.iter().all(stays) && dot(term, ray) < zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(numbers: &[i64]) -> Vector {
        numbers.iter().map(|&n| BigRational::from_integer(n.into())).collect()
    }

    fn number(n: i64) -> BigRational {
        BigRational::from_integer(n.into())
    }

    /// `x ≥ 1` and `x + y ≥ 3`, with edges.
    fn wedge(edges: [Edge; 2]) -> Polyhedron {
        let corner = vector(&[1, 2]);
        let normals = [vector(&[1, 0]), vector(&[1, 1])];
        let constraints = normals.into_iter().zip(edges);
        let constraints = constraints
            .map(|(normal, edge)| HalfSpace { edge, ..HalfSpace::at(normal, &corner) })
            .collect();
        Polyhedron { constraints, corner, inside: vector(&[2, 2]) }
    }

    #[test]
    fn infima_need_a_certificate() {
        use Edge::{Excluded, Included};
        let both = [(0, number(1)), (1, number(2))];
        let limit = |n, edge| Some(Infimum::Limit(number(n), edge));
        let closed = wedge([Included, Included]);
        assert_eq!(closed.infimum(&vector(&[3, 2]), &both), limit(7, Included));
        assert_eq!(closed.infimum(&vector(&[1, 0]), &both[..1]), limit(1, Included));
        // The sum is another term; a factor is negative; there is no such constraint.
        assert_eq!(closed.infimum(&vector(&[3, 1]), &both), None);
        assert_eq!(closed.infimum(&vector(&[-1, 0]), &[(0, number(-1))]), None);
        assert_eq!(closed.infimum(&vector(&[1, 0]), &[(2, number(1))]), None);
        let open = wedge([Excluded, Included]);
        assert_eq!(open.infimum(&vector(&[3, 2]), &both), limit(7, Excluded));
        // `x + y` is 3 at other points than the corner: this certificate does not know.
        assert_eq!(open.infimum(&vector(&[1, 1]), &[(1, number(1))]), None);
        // The inner point is outside.
        let wrong = Polyhedron { inside: vector(&[1, 1]), ..closed };
        assert_eq!(wrong.infimum(&vector(&[1, 0]), &both[..1]), None);
    }

    #[test]
    fn rays_stay_inside_and_make_the_term_smaller() {
        let wedge = wedge([Edge::Included, Edge::Excluded]);
        assert!(wedge.is_unbounded(&vector(&[-1, 0]), &vector(&[1, 0])));
        assert!(wedge.is_unbounded(&vector(&[1, -1]), &vector(&[0, 1])));
        assert!(!wedge.is_unbounded(&vector(&[1, 0]), &vector(&[-1, 1])), "it leaves x ≥ 1");
        assert!(!wedge.is_unbounded(&vector(&[1, 1]), &vector(&[1, 0])), "it grows");
    }

    #[test]
    fn infima_sort_by_value_and_attained_ones_first() {
        let limit = |n, edge| Infimum::Limit(number(n), edge);
        let order = [
            Infimum::Unbounded,
            limit(1, Edge::Included),
            limit(1, Edge::Excluded),
            limit(2, Edge::Included),
        ];
        assert!(order.is_sorted());
    }
}
