//! The order of zonotopes, against their corners: whether single points are within is decided apart.

use assay_lattice::reference::Zonotopes;
use assay_lattice::{Constraint, Domain, Linear, Truth, point};

const DIMENSIONS: usize = 4;

type Element = <Zonotopes as Domain>::Element;

fn at_least(terms: &[(usize, i64)], constant: i64) -> Constraint {
    Constraint::at_least(Linear::of(DIMENSIONS, terms, constant))
}

/// `x0` and `x1` within a distance of zero, `x2 = a*x0 + b*x1` up to another one, `x3` anything.
fn zonotope(domain: &Zonotopes, distance: i64, (a, b): (i64, i64), noise: i64) -> Element {
    let mut element = domain.top(DIMENSIONS);
    for (variable, radius) in [(0, distance), (1, distance), (3, noise)] {
        element = domain.guard(&element, &at_least(&[(variable, 1)], radius));
        element = domain.guard(&element, &at_least(&[(variable, -1)], radius));
    }
    let sum = Linear::of(DIMENSIONS, &[(0, a), (1, b), (3, 1)], 0);
    domain.project(&domain.assign(&element, 2, &sum), 3)
}

/// Whether each of these points is in an element.
fn all_within(domain: &Zonotopes, corners: &[[i128; DIMENSIONS]], element: &Element) -> bool {
    corners.iter().all(|corner| {
        let within = domain.leq(&point(domain, corner), element);
        assert_ne!(within, Truth::Unsure, "points are always decided");
        within == Truth::Yes
    })
}

#[test]
fn a_zonotope_is_within_another_where_its_corners_are() {
    let domain = Zonotopes::new(None);
    let slopes = [(1, 1), (1, -1), (2, 1), (0, 1), (0, 0)];
    let (mut inside, mut outside) = (0, 0);
    for (a, b) in slopes {
        let left = zonotope(&domain, 1, (a, b), 0);
        let right_half = domain.guard(&left, &at_least(&[(0, 1)], 0));
        let corner = |x: i64, y: i64| [x, y, a * x + b * y, 0].map(i128::from);
        let whole = [(-1, -1), (-1, 1), (1, -1), (1, 1)].map(|(x, y)| corner(x, y));
        let half = [(0, -1), (0, 1), (1, -1), (1, 1)].map(|(x, y)| corner(x, y));
        for slope in slopes {
            for noise in [0, 1, 3] {
                for low in [-2, 0] {
                    let right = zonotope(&domain, 2, slope, noise);
                    let right = domain.guard(&right, &at_least(&[(0, 1)], -low));
                    for (left, corners) in [(&left, &whole), (&right_half, &half)] {
                        let expected = all_within(&domain, corners, &right);
                        let told = domain.leq(left, &right);
                        let what = format!("{} in {}", domain.show(left), domain.show(&right));
                        assert_eq!(told, expected.into(), "{what}");
                        *if expected { &mut inside } else { &mut outside } += 1;
                    }
                }
            }
        }
    }
    assert!(inside > 50 && outside > 50, "{inside} inside, {outside} outside");
}

#[test]
fn contradicting_ranges_of_a_shared_symbol_are_bottom() {
    let domain = Zonotopes::new(None);
    let line = zonotope(&domain, 1, (1, 0), 0);
    let above = domain.guard(&line, &at_least(&[(0, 1)], -1));
    assert_eq!(domain.is_bottom(&above), Truth::No);
    // Here x2 = x0, which the ranges alone do not know.
    let nothing = domain.guard(&above, &at_least(&[(2, -1)], 0));
    assert_eq!(domain.is_bottom(&nothing), Truth::Yes, "{}", domain.show(&nothing));
    assert_eq!(domain.leq(&nothing, &domain.bottom(DIMENSIONS)), Truth::Yes);
    assert_eq!(domain.leq(&above, &domain.bottom(DIMENSIONS)), Truth::No);
    assert_eq!(domain.eq(&nothing, &domain.bottom(DIMENSIONS)), Truth::Yes);
}

#[test]
fn a_variable_without_bounds_is_within_no_range() {
    let domain = Zonotopes::new(None);
    let bounded = zonotope(&domain, 1, (1, 1), 1);
    let freed = domain.project(&bounded, 2);
    assert_eq!(domain.leq(&bounded, &freed), Truth::Yes);
    assert_eq!(domain.leq(&freed, &bounded), Truth::No);
}
