//! Seeded bugs of the built-in domains, enabled one at a time: the benchmark of the tester.

use crate::domain::Shape;

macro_rules! bugs {
    ($($shape:ident { $($(#[doc = $words:literal])+ $bug:ident = $name:literal;)* })*) => {
        /// A typical implementation mistake.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Bug {
            $($($(#[doc = $words])+ $bug,)*)*
        }

        /// Every bug.
        pub const BUGS: &[BugRow] = &[
            $($(BugRow { bug: Bug::$bug, name: $name, shape: Shape::$shape, words: concat!($($words),+) },)*)*
        ];
    };
}

/// A bug with its name and description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BugRow {
    /// The bug.
    pub bug: Bug,
    /// Its stable name.
    pub name: &'static str,
    /// The domain that has it.
    pub shape: Shape,
    /// The description.
    pub words: &'static str,
}

bugs! {
    Intervals {
        /// Bounds wrap around at the limits of machine integers.
        IntervalOverflow = "interval-overflow";
        /// The join takes the greater of the lower bounds.
        IntervalJoinLower = "interval-join-lower";
        /// The join treats bottom as the interval from 1 to -1.
        IntervalJoinBottom = "interval-join-bottom";
        /// The widening drops an upper bound that is stable and keeps one that is not.
        IntervalWidenSide = "interval-widen-side";
        /// The widening drops both bounds where one is unstable.
        IntervalWidenBoth = "interval-widen-both";
        /// The widening is a join, so it does not converge.
        IntervalWidenJoin = "interval-widen-join";
        /// The meet with bottom is the other operand.
        IntervalMeetBottom = "interval-meet-bottom";
        /// The meet does not notice that nothing is left.
        IntervalMeetEmpty = "interval-meet-empty";
        /// The meet treats intervals that touch in one point as disjoint.
        IntervalMeetTouch = "interval-meet-touch";
        /// The order ignores the last variable.
        IntervalOrderLast = "interval-order-last";
        /// Equality compares lower bounds only.
        IntervalEqualLower = "interval-equal-lower";
        /// The projection forgets the next variable too.
        IntervalProjectNext = "interval-project-next";
        /// The projection of the first variable does nothing.
        IntervalProjectFirst = "interval-project-first";
        /// A test for `>=` is treated as `>`.
        IntervalGuardStrict = "interval-guard-strict";
        /// A test of several variables refines only the first of them.
        IntervalGuardFirst = "interval-guard-first";
        /// Negative coefficients do not swap the bounds.
        IntervalAssignSign = "interval-assign-sign";
        /// The narrowing refines every bound by one and never converges.
        IntervalNarrowCreep = "interval-narrow-creep";
        /// Doubles are rounded to nearest, not outwards.
        IntervalNearest = "interval-nearest";
    }
    Octagons {
        /// An assignment works on an element that is not closed.
        OctagonAssignUnclosed = "octagon-assign-unclosed";
        /// The join works on elements that are not closed.
        OctagonJoinUnclosed = "octagon-join-unclosed";
        /// The closure omits the strengthening step.
        OctagonNotStrong = "octagon-not-strong";
        /// The widening takes the larger bound of sums instead of dropping it, and does not converge.
        OctagonWidenJoin = "octagon-widen-join";
        /// The widening keeps unstable bounds of differences.
        OctagonWidenSide = "octagon-widen-side";
        /// The projection works on an element that is not closed.
        OctagonProjectUnclosed = "octagon-project-unclosed";
        /// An assignment of the variable's own negation keeps its bounds.
        OctagonNegation = "octagon-negation";
        /// A shift of a variable moves its own bounds, but not those of its sums.
        OctagonShift = "octagon-shift";
        /// The meet takes the larger of the last two bounds.
        OctagonMeetLast = "octagon-meet-last";
        /// The order compares elements that are not closed.
        OctagonOrderUnclosed = "octagon-order-unclosed";
        /// A test for equality adds only one of its two inequalities.
        OctagonGuardHalf = "octagon-guard-half";
        /// A cycle of negative weight is not detected.
        OctagonEmpty = "octagon-empty";
        /// The join takes the smaller bounds.
        OctagonJoinMinimum = "octagon-join-minimum";
        /// The join stores its result as the closure of its left operand.
        OctagonJoinCaches = "octagon-join-caches";
        /// A test keeps the closure that an earlier query cached.
        OctagonStaleClosure = "octagon-stale-closure";
        /// Equality compares closures only if an earlier query cached them.
        OctagonEqualLazy = "octagon-equal-lazy";
    }
    Polyhedra {
        /// An assignment acts like a projection.
        PolyhedronAssignProjects = "polyhedron-assign-projects";
        /// The join forgets the rays of its right operand.
        PolyhedronJoinRays = "polyhedron-join-rays";
        /// The meet forgets the last constraint of its right operand.
        PolyhedronMeetLast = "polyhedron-meet-last";
        /// The projection drops the constraints that mention the variable.
        PolyhedronProjectDrops = "polyhedron-project-drops";
        /// The order ignores rays.
        PolyhedronOrderRays = "polyhedron-order-rays";
        /// The widening keeps constraints that the right operand violates by a ray.
        PolyhedronWidenRays = "polyhedron-widen-rays";
        /// A test for equality is treated as `>=`.
        PolyhedronGuardHalf = "polyhedron-guard-half";
        /// The conversion treats any two rays as adjacent and keeps one of each pair too few.
        PolyhedronAdjacency = "polyhedron-adjacency";
        /// The assignment of an expression with the variable itself uses the old constant.
        PolyhedronAssignConstant = "polyhedron-assign-constant";
    }
    Congruences {
        /// The join ignores that remainders differ.
        CongruenceJoinRemainder = "congruence-join-remainder";
        /// The meet takes the left remainder.
        CongruenceMeetRemainder = "congruence-meet-remainder";
        /// An assignment takes the modulus of the last term.
        CongruenceAssignModulus = "congruence-assign-modulus";
        /// The order has divisibility reversed.
        CongruenceOrderSwapped = "congruence-order-swapped";
        /// A test does not detect that no number satisfies it.
        CongruenceGuardEmpty = "congruence-guard-empty";
    }
    Zonotopes {
        /// The join uses one new noise symbol for all variables.
        ZonotopeJoinNoise = "zonotope-join-noise";
        /// An assignment drops the noise of negative coefficients.
        ZonotopeAssignNoise = "zonotope-assign-noise";
        /// The widening is its left operand.
        ZonotopeWidenLeft = "zonotope-widen-left";
        /// The projection does nothing.
        ZonotopeProject = "zonotope-project";
    }
}

impl Bug {
    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static BugRow {
        BUGS.iter().find(|row| row.bug == self).expect("the table is made from the list of bugs")
    }

    /// The bug of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Bug> {
        BUGS.iter().find(|row| row.name == name).map(|row| row.bug)
    }
}
