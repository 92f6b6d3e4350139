//! Cones by both descriptions: the conversion between constraints and generators (Chernikova).
//!
//! A polyhedron over `x0, x1, …` is the part of a cone where the first coordinate is 1. Constraints
//! and generators are integer vectors; the two conversions are the same algorithm.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// A vector.
pub(super) type Vector = Vec<BigInt>;

/// Vectors with arbitrary factors, and vectors with nonnegative factors: as
/// generators, lines and rays; as constraints, equations and inequalities.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Half {
    /// Lines or equations.
    pub lines: Vec<Vector>,
    /// Rays or inequalities.
    pub rays: Vec<Vector>,
}

/// The scalar product of two vectors.
pub(super) fn product(a: &[BigInt], b: &[BigInt]) -> BigInt {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A ray under construction, with the inequalities that it satisfies as equations.
struct Ray {
    vector: Vector,
    tight: Vec<u64>,
}

impl Ray {
    fn mark(&mut self, constraint: usize) {
        let (word, bit) = (constraint / 64, constraint % 64);
        if self.tight.len() <= word {
            self.tight.resize(word + 1, 0);
        }
        self.tight[word] |= 1 << bit;
    }
}

fn common(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

fn contains(set: &[u64], part: &[u64]) -> bool {
    part.iter().enumerate().all(|(at, word)| set.get(at).copied().unwrap_or(0) & word == *word)
}

fn scaled(mut vector: Vector) -> Vector {
    let divisor = vector.iter().fold(BigInt::zero(), |gcd, part| gcd.gcd(part));
    if !divisor.is_zero() && !divisor.is_one() {
        vector.iter_mut().for_each(|part| *part = &*part / &divisor);
    }
    vector
}

/// `a·x + b·y`, in lowest terms.
fn combined(x: &[BigInt], a: &BigInt, y: &[BigInt], b: &BigInt) -> Vector {
    scaled(x.iter().zip(y).map(|(x, y)| x * a + y * b).collect())
}

/// The dual description of a cone in a space of this dimension. `neighbours` says whether pairs of rays
/// are checked for adjacency, as is correct.
pub(super) fn convert(half: &Half, size: usize, neighbours: bool) -> Half {
    let mut lines: Vec<Vector> = (0..size)
        .map(|at| (0..size).map(|other| BigInt::from(u8::from(at == other))).collect())
        .collect();
    let mut rays: Vec<Ray> = Vec::new();
    let equations = half.lines.iter().map(|vector| (vector, true));
    let inequalities = half.rays.iter().map(|vector| (vector, false));
    let mut processed = 0;
    for (constraint, equation) in equations.chain(inequalities) {
        if let Some(at) = lines.iter().position(|line| !product(line, constraint).is_zero()) {
            let mut line = lines.swap_remove(at);
            let mut slope = product(&line, constraint);
            if slope.is_negative() {
                line.iter_mut().for_each(|part| *part = -&*part);
                slope = -slope;
            }
            for other in &mut lines {
                let against = -product(other, constraint);
                *other = combined(other, &slope, &line, &against);
            }
            for ray in &mut rays {
                let against = -product(&ray.vector, constraint);
                ray.vector = combined(&ray.vector, &slope, &line, &against);
                if !equation {
                    ray.mark(processed);
                }
            }
            if !equation {
                // The line was on the boundary of all earlier inequalities.
                let mut ray = Ray { vector: scaled(line), tight: Vec::new() };
                (0..processed).for_each(|earlier| ray.mark(earlier));
                rays.push(ray);
            }
        } else {
            rays = cut(rays, constraint, equation, processed, neighbours);
        }
        processed += usize::from(!equation);
    }
    Half { lines, rays: rays.into_iter().map(|ray| ray.vector).collect() }
}

/// The rays that satisfy one more constraint.
fn cut(
    rays: Vec<Ray>,
    constraint: &[BigInt],
    equation: bool,
    number: usize,
    neighbours: bool,
) -> Vec<Ray> {
    let values: Vec<BigInt> = rays.iter().map(|ray| product(&ray.vector, constraint)).collect();
    let mut fresh = Vec::new();
    for (p, above) in rays.iter().enumerate().filter(|(at, _)| values[*at].is_positive()) {
        for (n, below) in rays.iter().enumerate().filter(|(at, _)| values[*at].is_negative()) {
            let shared = common(&above.tight, &below.tight);
            let between =
                |(at, ray): (usize, &Ray)| at != p && at != n && contains(&ray.tight, &shared);
            if neighbours && rays.iter().enumerate().any(between) {
                continue;
            }
            let vector = combined(&above.vector, &-&values[n], &below.vector, &values[p]);
            let mut ray = Ray { vector, tight: shared };
            if !equation {
                ray.mark(number);
            }
            fresh.push(ray);
            if !neighbours {
                break;
            }
        }
    }
    let kept = rays.into_iter().zip(values).filter_map(|(mut ray, value)| {
        if value.is_zero() && !equation {
            ray.mark(number);
        }
        (value.is_zero() || !equation && value.is_positive()).then_some(ray)
    });
    kept.chain(fresh).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(rows: &[&[i64]]) -> Vec<Vector> {
        rows.iter().map(|row| row.iter().map(|part| BigInt::from(*part)).collect()).collect()
    }

    #[test]
    fn a_square_has_four_corners_and_four_sides() {
        let sides = vectors(&[&[1, 0, 0], &[0, 1, 0], &[1, -1, 0], &[0, 0, 1], &[1, 0, -1]]);
        let corners = convert(&Half { lines: Vec::new(), rays: sides.clone() }, 3, true);
        assert!(corners.lines.is_empty());
        let mut rays = corners.rays.clone();
        rays.sort();
        assert_eq!(rays, vectors(&[&[1, 0, 0], &[1, 0, 1], &[1, 1, 0], &[1, 1, 1]]));
        let back = convert(&corners, 3, true);
        let mut found = back.rays;
        found.sort();
        let mut expected = sides[1..].to_vec();
        expected.sort();
        assert_eq!(found, expected, "the first inequality follows from the others");
    }

    #[test]
    fn equations_become_fewer_lines() {
        let plane = Half { lines: vectors(&[&[-4, 1, 1]]), rays: vectors(&[&[1, 0, 0]]) };
        let generators = convert(&plane, 3, true);
        assert_eq!((generators.lines.len(), generators.rays.len()), (1, 1));
        for vector in generators.lines.iter().chain(&generators.rays) {
            assert!(product(vector, &plane.lines[0]).is_zero());
        }
    }
}
