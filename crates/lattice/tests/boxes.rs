//! Each law about small boxes, and each about questions, has a bug that it shows and no alarm without.

use assay_lattice::{Bug, Tester, Trace, reference};

fn broken(tester: &dyn Tester, program: &str) -> Vec<&'static str> {
    let case = Trace::read(program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    let failed = tester.run(&case, &mut Default::default());
    failed.iter().map(|(_, violation)| violation.law.name).collect()
}

/// The program breaks the law with the bug, and without it nothing.
fn shows(bug: Bug, law: &str, program: &str) {
    assert_eq!(broken(&*reference::seeded(bug), program), [law], "{program}");
    let name = reference::seeded(bug).profile().name.clone();
    let name = name.strip_prefix("builtin/").expect("it is built in");
    let clean = reference::by_name(name, None).expect("it is built in");
    assert_eq!(broken(&*clean, program), [] as [&str; 0], "{program}");
}

const BOX: &str = "box1 <- box(x0 >= 0, -x0 + 2 >= 0, x1 + 1 >= 0, -x1 + 1 >= 0)\n\
                   box2 <- box(x0 - 2 >= 0, -x0 + 3 >= 0, x1 - 4 >= 0, -x1 + 4 >= 0)\n\
                   box3 <- box(x0 - 2 >= 0, -x0 + 3 >= 0, x1 >= 0, -x1 + 4 >= 0)\n";

#[test]
fn each_law_about_boxes_shows_a_bug() {
    let rows = [
        (Bug::IntervalMeetEmpty, "best-meet", "(box1, box2)"),
        (Bug::IntervalMeetTouch, "meet-has-ends", "(box1, box3)"),
        (Bug::IntervalGuardFirst, "best-test", "(box1, x0 + x1 - 3 >= 0)"),
        (Bug::IntervalGuardStrict, "guard-has-ends", "(box1, x0 - 2 >= 0)"),
        (Bug::IntervalProjectNext, "best-project", "(box1, x0)"),
        (Bug::IntervalProjectFirst, "project-has-ends", "(box1, x0)"),
    ];
    for (bug, law, operands) in rows {
        shows(bug, law, &format!("intervals, 2 variables\n{BOX}assert {law}{operands}\n"));
    }
    let octagons = BOX.replace("box", "oct");
    let guard = "assert best-guard(oct1, x0 - x1 = 0)\n";
    shows(
        Bug::OctagonGuardHalf,
        "best-guard",
        &format!("octagons, 2 variables\n{octagons}{guard}"),
    );
}

#[test]
fn queries_with_side_effects_are_detected() {
    // What is joined is closed; what is met is not, and has the same points.
    let made = "octagons, 2 variables\noct1 <- oct(x0 - x1 >= 0)\noct2 <- oct(x1 - 1 >= 0)\n\
                oct3 <- meet(oct1, oct2)\noct4 <- oct(x0 - 1 >= 0)\noct5 <- meet(oct3, oct4)\n";
    shows(
        Bug::OctagonEqualLazy,
        "queried-answers",
        &format!("{made}assert queried-answers(oct3, oct5)\n"),
    );
    shows(
        Bug::OctagonStaleClosure,
        "queried-guard",
        &format!("{made}assert queried-guard(oct3, -x0 + 3 >= 0)\n"),
    );
}

#[test]
fn law_33_shows_a_widening_that_never_widens() {
    let made = "intervals, 1 variable\nbox1 <- box(x0 >= 0, -x0 >= 0)\n\
                box2 <- box(x0 - 1 >= 0, -x0 + 1 >= 0)\n";
    let program = format!("{made}assert widen-rests(box1, box2)\n");
    shows(Bug::IntervalWidenJoin, "widen-rests", &program);
    let octagons = "octagons, 2 variables\noct1 <- oct(x0 + x1 = 0)\noct2 <- oct(x0 + x1 - 1 = 0)\n\
                    assert widen-rests(oct1, oct2)\n";
    shows(Bug::OctagonWidenJoin, "widen-rests", octagons);
}

#[test]
fn operations_that_change_an_operand_are_detected() {
    let made = "octagons, 2 variables\noct1 <- oct(x0 + x1 >= 0)\noct2 <- oct(x0 - x1 - 1 >= 0)\n\
                oct3 <- meet(oct1, oct2)\n";
    let program = format!("{made}assert join-keeps-operands(oct3, oct1)\n");
    shows(Bug::OctagonJoinCaches, "join-keeps-operands", &program);
}

#[test]
fn values_beyond_machine_integers_are_not_lost() {
    let made = "intervals, 2 variables\nbox1 <- box(x0 - LONG_MAX = 0)\n\
                box2 <- assign(box1, x0, 2*x0 + 1)\n";
    for law in ["has-points(box2)", "assign-reachable(box1, x0, 2*x0 + 1)"] {
        let program = format!("{made}assert {law}\n");
        let clean = reference::by_name("interval-int", None).expect("it is built in");
        assert_eq!(broken(&*clean, &program), [] as [&str; 0], "{program}");
    }
    shows(Bug::IntervalOverflow, "has-points", &format!("{made}assert has-points(box2)\n"));
}

#[test]
fn every_64_bit_number_is_a_lower_bound() {
    let program = "intervals, 1 variable\nbox1 <- box(x0 >= LONG_MIN)\nbox2 <- assign(top, x0, LONG_MIN)\n\
                   assert has-points(box1)\nassert join-of-ordered(box2, box1)\n";
    for name in ["interval-int", "interval", "interval-double"] {
        let clean = reference::by_name(name, None).expect("it is built in");
        assert_eq!(broken(&*clean, program), [] as [&str; 0], "{name}");
    }
}
