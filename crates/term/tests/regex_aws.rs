//! Membership, emptiness and equality of random expressions against an independent library.

mod regex_support;

use aws_smt_strings::regular_expressions::{ReManager, RegLan as Theirs};
use aws_smt_strings::smt_strings::SmtString;
use regex_support::{Budget, Expr, MAX_CHAR, Matcher, Numbers};

/// Derivatives that the library may compute before a case is left out.
const MOST_DERIVATIVES: usize = 2000;

fn theirs(expr: &Expr, manager: &mut ReManager) -> Theirs {
    let mut all = |parts: &[Expr]| -> Vec<Theirs> {
        parts.iter().map(|part| theirs(part, manager)).collect()
    };
    match expr {
        Expr::None => manager.empty(),
        Expr::All => manager.full(),
        Expr::AllChar => manager.all_chars(),
        Expr::Literal(word) => manager.str(&SmtString::from(&word[..])),
        Expr::Range(lo, hi) => manager.smt_range(&SmtString::from(*lo), &SmtString::from(*hi)),
        Expr::Concat(parts) => {
            let parts = all(parts);
            manager.concat_list(parts)
        }
        Expr::Union(parts) => {
            let parts = all(parts);
            manager.union_list(parts)
        }
        Expr::Inter(parts) => {
            let parts = all(parts);
            manager.inter_list(parts)
        }
        Expr::Star(body) => {
            let body = theirs(body, manager);
            manager.star(body)
        }
        Expr::Plus(body) => {
            let body = theirs(body, manager);
            manager.plus(body)
        }
        Expr::Opt(body) => {
            let body = theirs(body, manager);
            manager.opt(body)
        }
        Expr::Comp(body) => {
            let body = theirs(body, manager);
            manager.complement(body)
        }
        Expr::Diff(kept, removed) => {
            let (kept, removed) = (theirs(kept, manager), theirs(removed, manager));
            manager.diff(kept, removed)
        }
        Expr::Power(body, count) => {
            let body = theirs(body, manager);
            manager.exp(body, *count as u32)
        }
        Expr::Loop(body, lo, hi) => {
            let body = theirs(body, manager);
            manager.smt_loop(body, *lo as u32, *hi as u32)
        }
    }
}

/// Letters of the expressions, their neighbours, and the ends of the alphabet.
fn random_word(numbers: &mut Numbers) -> Vec<u32> {
    let letters = [97, 97, 98, 98, 99, 96, 100, 0, MAX_CHAR];
    let length = numbers.below(7);
    (0..length).map(|_| letters[numbers.below(9) as usize]).collect()
}

#[test]
fn membership() {
    let mut numbers = Numbers::from_seed(11);
    let mut inside = 0;
    for _ in 0..1200 {
        let size = 1 + numbers.below(20);
        let expr = Expr::random(&mut numbers, size);
        let mut manager = ReManager::new();
        let other = theirs(&expr, &mut manager);
        let budget = &mut Budget::default();
        let mut matcher = Matcher::new(&expr.value(), budget).unwrap();
        for _ in 0..12 {
            let word = random_word(&mut numbers);
            let expected = manager.str_in_re(&SmtString::from(&word[..]), other);
            inside += u32::from(expected);
            assert_eq!(matcher.accepts(&word, budget), Ok(expected), "{expr:?} on {word:?}");
        }
    }
    assert!(inside > 2000, "only {inside} members");
}

#[test]
fn emptiness() {
    let mut numbers = Numbers::from_seed(12);
    let mut compared = 0;
    for _ in 0..1500 {
        let size = 1 + numbers.below(20);
        let expr = Expr::random(&mut numbers, size);
        let mut manager = ReManager::new();
        let other = theirs(&expr, &mut manager);
        if let Some(expected) = manager.is_empty_re_bounded(other, MOST_DERIVATIVES) {
            compared += 1;
            let found = expr.value().is_empty(&mut Budget::default());
            assert_eq!(found, Ok(expected), "{expr:?}");
        }
    }
    assert!(compared > 1400, "only {compared} compared");
}

#[test]
fn equality_and_inclusion() {
    let mut numbers = Numbers::from_seed(13);
    let (mut compared, mut included) = (0, 0);
    for _ in 0..1500 {
        let (m, n) = (1 + numbers.below(12), 1 + numbers.below(8));
        let (a, b) = (Expr::random(&mut numbers, m), Expr::random(&mut numbers, n));
        let mut manager = ReManager::new();
        let (x, y) = (theirs(&a, &mut manager), theirs(&b, &mut manager));
        let (left, right) = (manager.diff(x, y), manager.diff(y, x));
        let forth = manager.is_empty_re_bounded(left, MOST_DERIVATIVES);
        let back = manager.is_empty_re_bounded(right, MOST_DERIVATIVES);
        if let (Some(forth), Some(back)) = (forth, back) {
            compared += 1;
            included += u32::from(forth);
            let (a, b) = (a.value(), b.value());
            assert_eq!(a.included(&b, &mut Budget::default()), Ok(forth), "{a}\n{b}");
            assert_eq!(b.included(&a, &mut Budget::default()), Ok(back), "{b}\n{a}");
            assert_eq!(a.equivalent(&b, &mut Budget::default()), Ok(forth && back), "{a}\n{b}");
        }
    }
    assert!(compared > 1400 && included > 300, "{compared} compared, {included} included");
}
