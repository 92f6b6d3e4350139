//! Expressions made to explode: they end with an answer or by exhaustion, within the budget.

mod regex_support;

use regex_support::{Budget, Exhausted, Matcher, Numbers, RegLan, lit, word};

/// `.*a.{n}`, whose deterministic automaton has `2^(n+1)` states.
fn nth_from_end(letter: &str, n: u64) -> RegLan {
    let gap = RegLan::power(RegLan::all_char(), n);
    RegLan::concat([RegLan::all(), lit(letter), gap])
}

fn small() -> Budget {
    Budget::new(300_000, 300_000)
}

#[test]
fn zero_budgets_answer_nothing() {
    for budget in [Budget::new(0, 1_000_000), Budget::new(1_000_000, 0)] {
        assert!(lit("a").accepts(&word("a"), &mut budget.clone()).is_err());
        assert!(lit("a").is_empty(&mut budget.clone()).is_err());
        assert!(lit("a").equivalent(&lit("a"), &mut budget.clone()).is_err());
        assert!(lit("a").first_words(1, &mut budget.clone()).is_err());
    }
}

#[test]
fn every_step_limit_gives_the_answer_or_exhaustion() {
    let value = RegLan::inter([nth_from_end("a", 3), RegLan::comp(nth_from_end("b", 3))]);
    let mut answered = 0;
    for steps in (0..60_000).step_by(397) {
        let budget = || Budget::new(steps, 1_000_000);
        let accepted = value.accepts(&word("baccc"), &mut budget());
        assert!(matches!(accepted, Ok(true) | Err(Exhausted::Steps)));
        assert!(matches!(value.is_empty(&mut budget()), Ok(false) | Err(Exhausted::Steps)));
        let same = value.equivalent(&nth_from_end("a", 3), &mut budget());
        assert!(matches!(same, Ok(true) | Err(Exhausted::Steps)), "{same:?}");
        answered += u32::from(same.is_ok());
    }
    assert!(answered > 10);
    for space in (0..20_000).step_by(97) {
        let found = value.is_empty(&mut Budget::new(1_000_000, space));
        assert!(matches!(found, Ok(false) | Err(Exhausted::Space)));
    }
}

#[test]
fn steps_are_shared_and_space_is_not() {
    let mut budget = Budget::new(1_000_000, 5_000);
    let mut runs = 0;
    while lit("abc").accepts(&word("abc"), &mut budget).is_ok() {
        runs += 1;
    }
    assert!(runs > 1000, "{runs}");
    assert_eq!(budget.steps_left(), 0);
}

#[test]
fn two_to_the_sixtieth_states_are_avoided_or_exhaust_the_budget() {
    let (a, b) = (nth_from_end("a", 60), nth_from_end("b", 60));
    let both = RegLan::union([a.clone(), b]);
    assert_eq!(a.equivalent(&both, &mut small()), Ok(false));
    assert_eq!(a.included(&both, &mut small()), Ok(true));
    let rewritten = RegLan::concat([
        RegLan::all(),
        RegLan::union([lit("aa"), RegLan::concat([lit("a"), RegLan::all_char()])]),
        RegLan::power(RegLan::all_char(), 59),
    ]);
    assert_eq!(a.equivalent(&rewritten, &mut small()), Ok(true));
    // Nothing avoids the states of a complement that is followed by something.
    let not_a = RegLan::comp(a.clone());
    let twice = RegLan::concat([not_a.clone(), not_a.clone()]);
    let few_steps = || Budget::new(300_000, u64::MAX);
    let little_space = || Budget::new(u64::MAX, 300_000);
    for (budget, why) in [
        (few_steps as fn() -> Budget, Exhausted::Steps),
        (little_space as fn() -> Budget, Exhausted::Space),
    ] {
        assert_eq!(twice.equivalent(&RegLan::all(), &mut budget()), Err(why));
        assert_eq!(not_a.is_finite(&mut budget()), Err(why));
        assert_eq!(a.first_words(5, &mut budget()), Err(why));
    }
}

#[test]
fn intersections_of_nondeterministic_languages_are_not_determinised() {
    let value = RegLan::inter([nth_from_end("a", 30), nth_from_end("b", 20)]);
    assert_eq!(value.is_empty(&mut small()), Ok(false));
    let found = value.shortest_word(&mut small()).unwrap().unwrap();
    assert_eq!(found.len(), 31);
    assert_eq!(value.accepts(&found, &mut small()), Ok(true));
    assert_eq!(value.is_finite(&mut small()), Ok(false));
    let clash = RegLan::inter([nth_from_end("a", 30), nth_from_end("b", 30)]);
    assert_eq!(clash.is_empty(&mut small()), Ok(true));
    let wider = RegLan::union([nth_from_end("b", 25), nth_from_end("a", 25)]);
    assert_eq!(nth_from_end("a", 25).included(&wider, &mut small()), Ok(true));
}

#[test]
fn counters_are_never_unrolled() {
    let a = || lit("a");
    let million = RegLan::repeat(a(), 0, 1_000_000);
    assert_eq!(million.accepts(&[97; 1000], &mut small()), Ok(true));
    assert_eq!(million.accepts(&[98], &mut small()), Ok(false));
    assert_eq!(million.is_finite(&mut small()), Ok(true));
    let huge = RegLan::repeat(RegLan::repeat(a(), 0, u64::MAX), 0, u64::MAX);
    assert_eq!(huge.accepts(&[97; 100], &mut small()), Ok(true));
    assert_eq!(huge.is_empty(&mut small()), Ok(false));
    let far = RegLan::power(RegLan::power(lit("ab"), u64::MAX), u64::MAX);
    assert_eq!(far.accepts(&word("abab"), &mut small()), Ok(false));
    assert_eq!(far.is_empty(&mut small()), Ok(false));
    assert!(far.shortest_word(&mut small()).is_err());
    let nested = RegLan::repeat(RegLan::repeat(a(), 0, 1000), 0, 1000);
    assert_eq!(nested.equivalent(&million, &mut small()), Ok(true));
    let split = RegLan::concat([RegLan::repeat(a(), 0, 400_000), RegLan::repeat(a(), 0, 600_000)]);
    assert_eq!(split.equivalent(&million, &mut small()), Ok(true));
    let apart = RegLan::inter([RegLan::power(lit("ab"), 5_000_000), RegLan::power(a(), 7)]);
    assert_eq!(apart.is_empty(&mut small()), Ok(true));
    // Counters that stop short of each other's ranges: 1000 and 1001 but nothing in between.
    let gap = RegLan::union([RegLan::power(a(), 998), RegLan::power(a(), 1000)]);
    let filled = RegLan::repeat(a(), 998, 1000);
    assert_eq!(gap.included(&filled, &mut small()), Ok(true));
    assert_eq!(filled.word_outside(&gap, &mut small()), Ok(Some(vec![97; 999])));
}

#[test]
fn ambiguous_counters_stay_within_the_budget() {
    let body = RegLan::union([lit("a"), lit("aa"), lit("ab"), lit("aba")]);
    let inner = RegLan::repeat(body, 100, 100_000);
    let outer = RegLan::repeat(RegLan::concat([inner, lit("b")]), 50, 70_000);
    let many: Vec<u32> = (0..4000).map(|n| if n % 3 == 2 { 98 } else { 97 }).collect();
    for budget in [Budget::new(1_000_000, 1_000_000), Budget::new(1_000_000, 5_000)] {
        let _ = outer.accepts(&many, &mut budget.clone());
        let _ = outer.shortest_word(&mut budget.clone());
        let _ = RegLan::comp(outer.clone()).is_finite(&mut budget.clone());
    }
}

#[test]
fn long_words_are_fast() {
    let budget = &mut Budget::new(2_000_000, 1_000_000);
    let email = RegLan::concat([
        RegLan::plus(RegLan::range(97, 122)),
        lit("@"),
        RegLan::plus(RegLan::concat([RegLan::plus(RegLan::range(97, 122)), lit(".")])),
        RegLan::repeat(RegLan::range(97, 122), 2, 3),
    ]);
    let mut address = vec![120; 50_000];
    address.extend(word("@").into_iter().chain(word("mail.").repeat(10_000)));
    address.extend(word("org"));
    assert_eq!(email.accepts(&address, budget), Ok(true));
    address.push(33);
    assert_eq!(email.accepts(&address, budget), Ok(false));
    let last = RegLan::concat([RegLan::all(), lit("z")]);
    let found = last.shortest_leftmost(&[97; 100_000], budget, false);
    assert_eq!(found, Ok(None), "one pass, not one for each start");
}

#[test]
fn matching_forgets_states_when_space_is_short() {
    let mut numbers = Numbers::from_seed(21);
    let mut long: Vec<u32> = (0..3000).map(|_| 97 + numbers.below(2) as u32).collect();
    let value = nth_from_end("a", 40);
    let space = 12_000;
    let steps = 30_000_000;
    for last in [97, 98] {
        let at = long.len() - 41;
        long[at] = last;
        let ample = value.accepts(&long, &mut Budget::new(steps, 100_000_000));
        assert_eq!(ample, Ok(last == 97));
        assert_eq!(value.accepts(&long, &mut Budget::new(steps, space)), ample);
    }
    let marked = RegLan::concat([lit("a"), RegLan::power(RegLan::all_char(), 40), lit("c")]);
    long.push(99);
    let at = long.len() - 42;
    long[at] = 97;
    let budget = &mut Budget::new(steps, space);
    let mut matcher = Matcher::new(&marked, budget).unwrap();
    let found = matcher.shortest_leftmost(&long, 0, true, budget).unwrap().unwrap();
    assert_eq!((found.start, found.len), (at, 42));
    assert_eq!(matcher.accepts(&long[at..], budget), Ok(true));
}

#[test]
fn wide_alphabets_are_not_enumerated() {
    let every_other = (0..2000).map(|n| RegLan::range(2 * n, 2 * n));
    let set = RegLan::union(every_other);
    let value = RegLan::comp(RegLan::star(set));
    assert_eq!(value.shortest_word(&mut small()).unwrap().map(|w| w[0] % 2), Some(1));
    let budget = &mut Budget::new(1_000_000, 1_000_000);
    let words: Vec<RegLan> = (0..3000).map(|n| RegLan::literal(&[n, n + 1, n / 2])).collect();
    let dictionary = RegLan::union(words);
    assert_eq!(dictionary.accepts(&[70, 71, 35], budget), Ok(true));
    assert_eq!(dictionary.accepts(&[70, 71, 36], budget), Ok(false));
}

#[test]
fn replacements_count_their_output() {
    let budget = &mut Budget::new(1_000_000, 10_000);
    let mut matcher = Matcher::new(&lit("a"), budget).unwrap();
    let long = [98; 5000];
    assert_eq!(matcher.replace(&[97; 100], &long, budget).map(|w| w.len()), Ok(5099));
    assert_eq!(matcher.replace_all(&[97; 100], &long, budget), Err(Exhausted::Space));
}
