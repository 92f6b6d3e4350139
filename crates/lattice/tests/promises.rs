//! What a domain did not promise, or took back by its own word, is held against nobody.

use assay_lattice::{
    Bug, Class, Constraint, Domain, Firmness, Linear, Profile, Relation, Shape, Tester, Trace,
    Truth, Violation, reference,
};
use std::cell::Cell;

/// All points or none: no test takes anything away, and some of them say so.
struct AllOrNothing {
    profile: Profile,
    candid: bool,
    approximated: Cell<bool>,
}

impl AllOrNothing {
    fn new(candid: bool) -> AllOrNothing {
        let profile = Profile::new("all or nothing", Shape::Intervals);
        AllOrNothing { profile, candid, approximated: Cell::new(false) }
    }
}

impl Domain for AllOrNothing {
    type Element = bool;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, _dimensions: usize) -> bool {
        true
    }

    fn bottom(&self, _dimensions: usize) -> bool {
        false
    }

    fn leq(&self, left: &bool, right: &bool) -> Truth {
        (!left || *right).into()
    }

    fn eq(&self, left: &bool, right: &bool) -> Truth {
        (left == right).into()
    }

    fn is_bottom(&self, element: &bool) -> Truth {
        (!element).into()
    }

    fn is_top(&self, element: &bool) -> Truth {
        (*element).into()
    }

    fn join(&self, left: &bool, right: &bool) -> bool {
        *left || *right
    }

    fn meet(&self, left: &bool, right: &bool) -> bool {
        *left && *right
    }

    fn widen(&self, left: &bool, right: &bool) -> bool {
        *left || *right
    }

    fn assign(&self, element: &bool, _variable: usize, _sum: &Linear) -> bool {
        *element
    }

    fn project(&self, element: &bool, _variable: usize) -> bool {
        *element
    }

    /// Only inequalities are owned up to, so that what the tester asks itself says nothing.
    fn guard(&self, element: &bool, constraint: &Constraint) -> bool {
        self.approximated.set(self.candid && constraint.relation == Relation::AtLeast);
        *element
    }

    fn approximated(&self) -> bool {
        self.approximated.take()
    }

    fn show(&self, element: &bool) -> String {
        element.to_string()
    }
}

fn failures(tester: &dyn Tester, program: &str) -> Vec<Violation> {
    let case = Trace::read(program).expect("it is a program");
    let failed = tester.run(&case, &mut Default::default());
    failed.into_iter().map(|(_, violation)| violation).collect()
}

#[test]
fn violations_that_rely_on_answers_of_the_domain_are_soft() {
    let made = "intervals, 1 variable\nbox1 <- box(x0 - 3 >= 0)\nbox2 <- queried(box1)\n";
    let other = "box3 <- box(-x0 + 1 >= 0)\n";
    for assertion in ["lacks-points(box2)", "disjoint-meet(box2, box3)"] {
        let program = format!("{made}{other}assert {assertion}\n");
        for (candid, firmness) in [(true, Firmness::Soft), (false, Firmness::Hard)] {
            let found = failures(&AllOrNothing::new(candid), &program);
            assert_eq!(found.len(), 1, "{program}");
            assert_eq!(found[0].firmness, firmness, "{program}");
        }
    }
}

#[test]
fn laws_that_do_not_trust_their_operands_stay_firm() {
    let program = "intervals, 1 variable\nbox1 <- box(x0 - 3 >= 0)\n\
                   assert assign-informative(box1, x0, 5)\n";
    let found = failures(&AllOrNothing::new(true), program);
    assert_eq!(found.first().map(|violation| violation.firmness), Some(Firmness::Hard));
}

#[test]
fn large_numbers_need_not_be_held_exactly() {
    let asserted = |sum: &str| {
        let program = format!("intervals, 1 variable\nassert assign-informative(top, x0, {sum})\n");
        failures(&AllOrNothing::new(false), &program).len()
    };
    assert_eq!((asserted("5"), asserted("LONG_MAX"), asserted("LONG_MIN")), (1, 0, 0));
    for (shape, ..) in Shape::ALL {
        let value = |constant| shape.represents_value(0, &Linear::constant(2, constant));
        assert!(value(1 << 40) && !value(i64::MAX) && !value(i64::MIN), "{}", shape.name());
    }
}

#[test]
fn profiles_have_no_narrowing_by_default() {
    for (shape, ..) in Shape::ALL {
        assert!(!Profile::new("", shape).narrowing, "{}", shape.name());
    }
    let domain = AllOrNothing::new(false);
    assert!(domain.narrow(&true, &true) && !domain.narrow(&true, &false));
}

#[test]
fn lost_points_are_unsound_and_surplus_ones_imprecise() {
    let box1 = "intervals, 1 variable\nbox1 <- box(x0 - 1 >= 0, -x0 + 2 >= 0)\n";
    let both =
        format!("{box1}assert best-assign(box1, x0, -x0)\nassert assign-has-ends(box1, x0, -x0)\n");
    let wrong = reference::seeded(Bug::IntervalAssignSign);
    let classes = |tester: &dyn Tester| -> Vec<Class> {
        failures(tester, &both).iter().map(|violation| violation.law.class).collect()
    };
    assert_eq!(classes(&*wrong), [Class::Soundness], "bounds that cross lose everything");
    assert_eq!(classes(&AllOrNothing::new(false)), [Class::Precision], "top loses nothing");
}

#[test]
fn an_unrepresentable_value_still_bounds_the_best_result() {
    let clean = reference::by_name("interval", None).expect("it is built in");
    let program = "intervals, 1 variable\nbox1 <- box(x0 + 1 >= 0, -x0 >= 0)\n\
                   assert best-assign(box1, x0, LONG_MIN*x0)\n";
    assert_eq!(failures(&*clean, program), []);
}
