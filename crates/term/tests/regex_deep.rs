//! A million levels: no operation may recurse. Each case runs on a thread with a small stack.

mod regex_support;

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::{Hash, Hasher};

use regex_support::{Budget, Exhausted, Matcher, RegLan, lit};

const LEVELS: usize = 1_000_000;
const HUGE: Budget = Budget::new(400_000_000, 400_000_000);

/// Runs a test on a thread whose stack is a quarter of the ordinary one.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(test);
    thread.expect("a thread can be started").join().expect("the test on the thread passed");
}

fn tower(levels: usize, base: RegLan, floor: impl Fn(usize, RegLan) -> RegLan) -> RegLan {
    (0..levels).fold(base, |below, level| floor(level, below))
}

/// A tower that uses every operator and that no constructor collapses.
fn mixed_floor(level: usize, below: RegLan) -> RegLan {
    let a = || lit("a");
    match level % 11 {
        0 => RegLan::concat([a(), below]),
        1 => RegLan::concat([below, a()]),
        2 => RegLan::union([a(), below]),
        3 => RegLan::inter([below, RegLan::all_char()]),
        4 => RegLan::star(below),
        5 => RegLan::comp(below),
        6 => RegLan::plus(below),
        7 => RegLan::diff(RegLan::all_char(), below),
        8 => RegLan::opt(below),
        9 => RegLan::power(below, 3),
        _ => RegLan::repeat(below, 2, 1_000_000),
    }
}

/// Counts what is printed instead of keeping it.
struct Count(usize);

impl Write for Count {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

#[test]
fn a_million_levels_of_all_operators_as_a_value() {
    on_small_stack(|| {
        let value = tower(LEVELS, lit("b"), mixed_floor);
        let same = tower(LEVELS, lit("b"), mixed_floor);
        let other = tower(LEVELS, lit("c"), mixed_floor);
        assert!(value.tree_size() > LEVELS as u64);
        assert_eq!(value, same);
        assert_ne!(value, other);
        assert!(value < other);
        let hash = |value: &RegLan| {
            let mut hasher = DefaultHasher::new();
            value.hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hash(&value), hash(&same));
        let copy = value.clone();
        drop(value);
        let mut count = Count(0);
        write!(count, "{copy}").unwrap();
        assert!(count.0 > LEVELS);
        assert!(format!("{copy:?}").len() < 20_000);
    });
}

#[test]
fn a_million_levels_in_a_query() {
    on_small_stack(|| {
        let value = tower(LEVELS, lit("b"), mixed_floor);
        assert_eq!(value.accepts(&[], &mut HUGE.clone()), Ok(value.nullable()));
    });
}

/// Nested repetitions whose counts are too large to be multiplied, so that nothing collapses.
fn huge_loop_floor(level: usize, below: RegLan) -> RegLan {
    let half = 1 << 63;
    match level % 4 {
        0 => RegLan::repeat(below, 1, half),
        1 => RegLan::union([lit("b"), RegLan::repeat(below, 0, half)]),
        2 => RegLan::plus(RegLan::union([RegLan::power(below.clone(), 3), below])),
        _ => RegLan::concat([RegLan::star(below.clone()), RegLan::opt(below), lit("a")]),
    }
}

/// A fraction of the levels would overflow the small stack just as well.
#[test]
fn every_query_survives_deep_values() {
    on_small_stack(|| {
        for floor in [mixed_floor, huge_loop_floor] {
            let value = tower(LEVELS / 40, lit("b"), floor);
            let budget = || Budget::new(1_000_000, 100_000_000);
            // Any answer will do, as long as there is one: the point is to survive.
            let _ = value.accepts(&[97, 97], &mut budget());
            let _ = value.is_empty(&mut budget());
            let _ = value.equivalent(&lit("a"), &mut budget());
            let _ = value.included(&lit("a"), &mut budget());
            let _ = value.is_finite(&mut budget());
            let _ = value.first_words(3, &mut budget());
            let _ = value.shortest_leftmost(&[97, 97], &mut budget(), true);
        }
    });
}

#[test]
fn concatenations_nested_to_either_side_are_words() {
    on_small_stack(|| {
        let levels = LEVELS / 10;
        let letter = |level: usize| lit(if level.is_multiple_of(2) { "a" } else { "b" });
        let right = tower(levels, lit("c"), |n, below| RegLan::concat([letter(n), below]));
        let left = tower(levels, lit("c"), |n, below| RegLan::concat([below, letter(n)]));
        let mut forward: Vec<u32> = (0..levels).map(|n| 97 + (n % 2) as u32).collect();
        forward.insert(0, 99);
        assert_eq!(left.accepts(&forward, &mut HUGE.clone()), Ok(true));
        assert_eq!(right.accepts(&forward, &mut HUGE.clone()), Ok(false));
        forward.reverse();
        assert_eq!(right.accepts(&forward, &mut HUGE.clone()), Ok(true));
        assert_eq!(right.is_empty(&mut HUGE.clone()), Ok(false));
        assert_eq!(right.is_finite(&mut HUGE.clone()), Ok(true));
    });
}

#[test]
fn nested_unions_and_differences_are_flattened() {
    on_small_stack(|| {
        let levels = LEVELS / 5;
        let letter = |n: usize| RegLan::literal(&[(n % 20_000) as u32]);
        let union = tower(levels, lit("ab"), |n, below| RegLan::union([below, letter(n)]));
        assert_eq!(union.accepts(&[19_999], &mut HUGE.clone()), Ok(true));
        assert_eq!(union.accepts(&[20_000], &mut HUGE.clone()), Ok(false));
        let diff = tower(levels, RegLan::all(), |n, below| RegLan::diff(below, letter(n % 500)));
        assert_eq!(diff.accepts(&[499], &mut HUGE.clone()), Ok(false));
        assert_eq!(diff.accepts(&[500], &mut HUGE.clone()), Ok(true));
    });
}

#[test]
fn alternating_complements_are_searched() {
    on_small_stack(|| {
        let value = tower(100_000, lit("b"), |n, below| match n % 2 {
            0 => RegLan::concat([lit("a"), below]),
            _ => RegLan::comp(below),
        });
        let mut matcher = Matcher::new(&value, &mut HUGE.clone()).unwrap();
        // The top is a complement of words that begin with a.
        assert_eq!(matcher.accepts(&[98], &mut HUGE.clone()), Ok(true));
        assert_eq!(value.is_empty(&mut HUGE.clone()), Ok(false));
    });
}

#[test]
fn shared_nodes_are_visited_once() {
    on_small_stack(|| {
        let double = |value: RegLan| RegLan::union([RegLan::star(value.clone()), value]);
        let make = || (0..300).fold(lit("ab"), |value, _| double(value));
        let (one, two) = (make(), make());
        assert_eq!(one.tree_size(), u64::MAX);
        assert_eq!(one, two);
        assert_eq!(one.cmp(&two), std::cmp::Ordering::Equal);
        let words = RegLan::concat([lit("ab"), one.clone()]);
        assert_eq!(words.accepts(&[97, 98, 97, 98], &mut Budget::default()), Ok(true));
        assert!(format!("{one:?}").ends_with("..."));
        let doubled = (0..200).fold(lit("ab"), |value, _| RegLan::concat([value.clone(), value]));
        let long = doubled.accepts(&[97, 98], &mut Budget::default());
        assert!(matches!(long, Err(Exhausted::Steps | Exhausted::Space)));
    });
}

#[test]
fn values_cross_threads() {
    fn assert_shareable<T: Send + Sync + Clone>(_: &T) {}
    let value = tower(100_000, lit("b"), mixed_floor);
    assert_shareable(&value);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let copy = value.clone();
            scope.spawn(move || drop(copy));
        }
        drop(value);
    });
}
