//! Every answer about thousands of random expressions against all short words, judged by two
//! definitions of the operators that share no code with the module.

mod regex_support;

use regex_support::{Budget, Expr, Match, Matcher, Numbers, RegLan, Universe, lit};

const BIG: Budget = Budget::new(3_000_000, 4_000_000);

fn expressions(seed: u64, count: usize, size: u64) -> impl Iterator<Item = Expr> {
    let mut numbers = Numbers::from_seed(seed);
    (0..count).map(move |_| {
        let size = 1 + numbers.below(size);
        Expr::random(&mut numbers, size)
    })
}

#[test]
fn both_definitions_agree() {
    let universe = Universe::up_to(4);
    for expr in expressions(1, 200, 12) {
        for (w, expected) in universe.words.iter().zip(universe.meaning(&expr)) {
            assert_eq!(expr.matches(w), expected, "{expr:?} on {w:?}");
        }
    }
}

#[test]
fn membership_of_all_short_words() {
    let universe = Universe::up_to(5);
    for expr in expressions(2, 2000, 14) {
        let value = expr.value();
        let meaning = universe.meaning(&expr);
        assert_eq!(value.nullable(), meaning[0], "{value}");
        let budget = &mut BIG.clone();
        let mut matcher = Matcher::new(&value, budget).unwrap();
        for (w, expected) in universe.words.iter().zip(meaning) {
            assert_eq!(matcher.accepts(w, budget), Ok(expected), "{value} on {w:?}");
        }
    }
}

/// Expressions whose parts occur in several places, as one shared object in the value.
#[test]
fn membership_with_shared_parts() {
    let universe = Universe::up_to(4);
    let mut numbers = Numbers::from_seed(10);
    for _ in 0..400 {
        let mut pool: Vec<(Expr, RegLan)> = Vec::new();
        for _ in 0..3 {
            let leaf = Expr::random(&mut numbers, 3);
            pool.push((leaf.clone(), leaf.value()));
        }
        for _ in 0..4 {
            let mut pick = || pool[numbers.below(pool.len() as u64) as usize].clone();
            let ((e, v), (f, w)) = (pick(), pick());
            pool.push(match numbers.below(6) {
                0..=2 => (Expr::Concat(vec![e, f]), RegLan::concat([v, w])),
                3 => (Expr::Union(vec![e, f]), RegLan::union([v, w])),
                4 => (Expr::Inter(vec![e, f]), RegLan::inter([v, w])),
                _ => (Expr::Diff(Box::new(e), Box::new(f)), RegLan::diff(v, w)),
            });
        }
        let (exprs, values): (Vec<_>, Vec<_>) = pool.into_iter().unzip();
        let (expr, value) = (Expr::Union(exprs), RegLan::union(values));
        let budget = &mut BIG.clone();
        let mut matcher = Matcher::new(&value, budget).unwrap();
        for (w, expected) in universe.words.iter().zip(universe.meaning(&expr)) {
            assert_eq!(matcher.accepts(w, budget), Ok(expected), "{value} on {w:?}");
        }
    }
}

#[test]
fn emptiness_and_shortest_words() {
    let universe = Universe::up_to(4);
    let mut empty = 0;
    for expr in expressions(3, 3000, 14) {
        let value = expr.value();
        let first = universe.meaning(&expr).iter().position(|&x| x);
        let shortest = value.shortest_word(&mut BIG.clone()).unwrap();
        assert_eq!(value.is_empty(&mut BIG.clone()), Ok(shortest.is_none()), "{value}");
        match (shortest, first) {
            (None, None) => empty += 1,
            (None, Some(_)) => panic!("{value} is not empty"),
            (Some(w), first) => {
                assert!(expr.matches(&w), "{value} lacks {w:?}");
                if let Some(first) = first {
                    assert!(w.len() <= universe.words[first].len(), "{value}: {w:?}");
                }
            }
        }
    }
    assert!(empty > 300, "only {empty} empty languages");
}

/// Pairs of random expressions, a third of them with equal languages by an algebraic law.
fn pairs(seed: u64, count: usize) -> impl Iterator<Item = (Expr, Expr)> {
    let mut numbers = Numbers::from_seed(seed);
    let boxed = |e: &Expr| Box::new(e.clone());
    (0..count).map(move |index| {
        let size = 1 + numbers.below(9);
        let a = Expr::random(&mut numbers, size);
        let b = Expr::random(&mut numbers, 4);
        match index % 9 {
            0 => {
                let star = Expr::Star(Box::new(Expr::Union(vec![a.clone(), b.clone()])));
                let (a, b) = (Expr::Star(boxed(&a)), Expr::Star(boxed(&b)));
                let both = Expr::Concat(vec![a.clone(), b]);
                (star, Expr::Star(Box::new(both)))
            }
            1 => {
                let none_of = Expr::Comp(Box::new(Expr::Union(vec![a.clone(), b.clone()])));
                let (a, b) = (Expr::Comp(boxed(&a)), Expr::Comp(boxed(&b)));
                (none_of, Expr::Inter(vec![b, a]))
            }
            2 => {
                let unrolled = Expr::Concat(vec![a.clone(), Expr::Loop(boxed(&a), 1, 3)]);
                (unrolled, Expr::Loop(boxed(&a), 2, 4))
            }
            _ => {
                let size = 1 + numbers.below(9);
                (a, Expr::random(&mut numbers, size))
            }
        }
    })
}

#[test]
fn equivalence_with_checked_witnesses() {
    let universe = Universe::up_to(4);
    let mut equal = 0;
    for (a, b) in pairs(4, 3000) {
        let (left, right) = (a.value(), b.value());
        let witness = left.distinguishing_word(&right, &mut BIG.clone()).unwrap();
        assert_eq!(left.equivalent(&right, &mut BIG.clone()), Ok(witness.is_none()));
        match witness {
            Some(w) => assert_ne!(a.matches(&w), b.matches(&w), "{left}\n{right}\n{w:?}"),
            None => {
                equal += 1;
                assert_eq!(universe.meaning(&a), universe.meaning(&b), "{left}\n{right}");
            }
        }
    }
    assert!(equal > 800, "only {equal} equal pairs");
}

#[test]
fn inclusion_with_checked_witnesses() {
    let universe = Universe::up_to(4);
    let mut included = 0;
    for (a, b) in pairs(5, 3000) {
        let (left, right) = (a.value(), b.value());
        let witness = left.word_outside(&right, &mut BIG.clone()).unwrap();
        assert_eq!(left.included(&right, &mut BIG.clone()), Ok(witness.is_none()));
        let (x, y) = (universe.meaning(&a), universe.meaning(&b));
        let outside = (0..x.len()).find(|&i| x[i] && !y[i]);
        match witness {
            Some(w) => {
                assert!(a.matches(&w) && !b.matches(&w), "{left}\n{right}\n{w:?}");
                if let Some(first) = outside {
                    assert!(w.len() <= universe.words[first].len(), "{left}\n{right}\n{w:?}");
                }
            }
            None => {
                included += 1;
                assert_eq!(outside, None, "{left}\n{right}");
            }
        }
    }
    assert!(included > 1000, "only {included} included pairs");
}

fn naive_leftmost(expr: &Expr, word: &[u32], from: usize, nonempty: bool) -> Option<Match> {
    (from..=word.len()).find_map(|start| {
        let len = (usize::from(nonempty)..=word.len().saturating_sub(start))
            .find(|len| start + len <= word.len() && expr.matches(&word[start..start + len]))?;
        Some(Match { start, len })
    })
}

fn naive_replace_all(expr: &Expr, word: &[u32], by: &[u32]) -> Vec<u32> {
    let mut result = Vec::new();
    let mut from = 0;
    while let Some(found) = naive_leftmost(expr, word, from, true) {
        result.extend_from_slice(&word[from..found.start]);
        result.extend_from_slice(by);
        from = found.start + found.len;
    }
    result.extend_from_slice(&word[from..]);
    result
}

#[test]
fn leftmost_shortest_matches() {
    let mut numbers = Numbers::from_seed(6);
    for expr in expressions(7, 700, 10) {
        let value = expr.value();
        let budget = &mut BIG.clone();
        let mut matcher = Matcher::new(&value, budget).unwrap();
        for _ in 0..4 {
            let length = numbers.below(9);
            let word: Vec<u32> = (0..length).map(|_| 97 + numbers.below(3) as u32).collect();
            for nonempty in [false, true] {
                let expected = naive_leftmost(&expr, &word, 0, nonempty);
                let found = value.shortest_leftmost(&word, budget, nonempty);
                assert_eq!(found, Ok(expected), "{value} in {word:?}, {nonempty}");
            }
            let by = [120, 121];
            let once = match naive_leftmost(&expr, &word, 0, false) {
                Some(Match { start, len }) => {
                    [&word[..start], &by[..], &word[start + len..]].concat()
                }
                None => word.clone(),
            };
            assert_eq!(matcher.replace(&word, &by, budget), Ok(once));
            let all = naive_replace_all(&expr, &word, &by);
            assert_eq!(matcher.replace_all(&word, &by, budget), Ok(all), "{value} in {word:?}");
        }
    }
}

#[test]
fn first_words_are_exactly_the_short_words() {
    let universe = Universe::up_to(4);
    let letters = || RegLan::star(RegLan::range(97, 99));
    let endings = RegLan::union(["aA", "bB", "cC"].map(lit));
    let marks = RegLan::concat([letters(), endings]);
    for expr in expressions(8, 1000, 10) {
        // The marks force a, b and c to be told apart after every prefix. Up to length four
        // there are 121 words and 39 marks, so 161 entries reach beyond that.
        let only_letters = RegLan::inter([expr.value(), letters()]);
        let marked = RegLan::union([only_letters, marks.clone()]);
        let listed = marked.first_words(161, &mut BIG.clone()).unwrap();
        let ordered = |w: &[Vec<u32>]| (w[0].len(), &w[0]) < (w[1].len(), &w[1]);
        assert!(listed.windows(2).all(ordered), "{expr:?}: {listed:?}");
        let unmarked = |w: &&Vec<u32>| w.len() <= 4 && w.iter().all(|&c| c >= 97);
        let listed: Vec<_> = listed.iter().filter(unmarked).collect();
        let meaning = universe.meaning(&expr);
        let expected = universe.words.iter().zip(meaning).filter(|(_, inside)| *inside);
        assert_eq!(listed, expected.map(|(w, _)| w).collect::<Vec<_>>(), "{expr:?}");
    }
}

#[test]
fn finiteness() {
    let universe = Universe::up_to(4);
    let (mut finite, mut infinite) = (0, 0);
    for expr in expressions(9, 1500, 12) {
        let value = expr.value();
        let is_finite = value.is_finite(&mut BIG.clone()).unwrap();
        let words = value.first_words(150, &mut BIG.clone()).unwrap();
        let letters = universe.meaning(&expr);
        if is_finite {
            finite += 1;
            assert!(words.len() < 150, "{value}");
            let longest = words.last().map_or(0, Vec::len);
            let beyond = universe.words.iter().zip(letters).find(|(w, x)| *x && w.len() > longest);
            assert!(beyond.is_none(), "{value}");
        } else {
            infinite += 1;
            assert_eq!(words.len(), 150, "{value}");
        }
    }
    assert!(finite > 300 && infinite > 300, "{finite} finite, {infinite} infinite");
}
