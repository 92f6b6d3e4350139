//! The value itself: constructors, view, printing, and the ends of the alphabet.

mod regex_support;

use regex_support::{Budget, Expr, MAX_CHAR, Match, Matcher, Node, Numbers, RegLan, lit, word};

fn budget() -> Budget {
    Budget::default()
}

fn accepts(value: &RegLan, word: &[u32]) -> bool {
    value.accepts(word, &mut budget()).expect("the budget is ample")
}

#[test]
fn constructors_apply_only_laws_of_the_immediate_operands() {
    let a = || lit("a");
    let cases = [
        (RegLan::concat([]), "(str.to_re \"\")"),
        (RegLan::concat([a(), RegLan::epsilon()]), "(str.to_re \"a\")"),
        (RegLan::concat([a(), RegLan::none()]), "re.none"),
        (RegLan::union([]), "re.none"),
        (RegLan::union([a(), RegLan::none()]), "(str.to_re \"a\")"),
        (RegLan::union([a(), RegLan::all()]), "re.all"),
        (RegLan::union([a(), a()]), "(re.union (str.to_re \"a\") (str.to_re \"a\"))"),
        (RegLan::inter([]), "re.all"),
        (RegLan::inter([RegLan::all(), a()]), "(str.to_re \"a\")"),
        (RegLan::inter([RegLan::none(), a()]), "re.none"),
        (RegLan::star(RegLan::star(a())), "(re.* (str.to_re \"a\"))"),
        (RegLan::star(RegLan::none()), "(str.to_re \"\")"),
        (RegLan::plus(RegLan::none()), "re.none"),
        (RegLan::plus(a()), "(re.+ (str.to_re \"a\"))"),
        (RegLan::opt(RegLan::none()), "(str.to_re \"\")"),
        (RegLan::opt(a()), "(re.opt (str.to_re \"a\"))"),
        (RegLan::comp(RegLan::comp(a())), "(str.to_re \"a\")"),
        (RegLan::comp(a()), "(re.comp (str.to_re \"a\"))"),
        (RegLan::diff(a(), RegLan::all()), "re.none"),
        (RegLan::diff(RegLan::all(), a()), "(re.diff re.all (str.to_re \"a\"))"),
        (RegLan::power(RegLan::none(), 0), "(str.to_re \"\")"),
        (RegLan::power(RegLan::none(), 5), "re.none"),
        (RegLan::power(a(), 1), "(str.to_re \"a\")"),
        (RegLan::power(a(), 5), "((_ re.^ 5) (str.to_re \"a\"))"),
        (RegLan::repeat(a(), 2, 1), "re.none"),
        (RegLan::repeat(RegLan::none(), 0, 3), "(str.to_re \"\")"),
        (RegLan::repeat(RegLan::none(), 1, 3), "re.none"),
        (RegLan::repeat(a(), 0, 0), "(str.to_re \"\")"),
        (RegLan::repeat(a(), 4, 4), "((_ re.^ 4) (str.to_re \"a\"))"),
        (RegLan::repeat(a(), 0, 1_000_000), "((_ re.loop 0 1000000) (str.to_re \"a\"))"),
        (RegLan::range(97, 99), "(re.range \"a\" \"c\")"),
        (RegLan::range(99, 97), "re.none"),
        (RegLan::range(97, 97), "(str.to_re \"a\")"),
        (RegLan::range(0, MAX_CHAR), "re.allchar"),
        (RegLan::range(1, u32::MAX), "(re.range \"\\u{1}\" \"\\u{2ffff}\")"),
        (RegLan::range(MAX_CHAR + 1, u32::MAX), "re.none"),
        (RegLan::literal(&[MAX_CHAR + 1]), "re.none"),
        (lit("say \"\\u\" \u{e9}"), "(str.to_re \"say \"\"\\u{5c}u\"\" \\u{e9}\")"),
    ];
    for (value, text) in cases {
        assert_eq!(value.to_string(), text);
        assert_eq!(format!("{value:?}"), text);
    }
}

/// Reads a value back through the public view, as another crate would print it.
fn rebuild(value: &RegLan) -> RegLan {
    let all = |parts: &[RegLan]| parts.iter().map(rebuild).collect::<Vec<_>>();
    match value.node() {
        Node::None => RegLan::none(),
        Node::All => RegLan::all(),
        Node::AllChar => RegLan::all_char(),
        Node::Literal(word) => RegLan::literal(word),
        Node::Range(lo, hi) => RegLan::range(*lo, *hi),
        Node::Concat(parts) => RegLan::concat(all(parts)),
        Node::Union(parts) => RegLan::union(all(parts)),
        Node::Inter(parts) => RegLan::inter(all(parts)),
        Node::Star(body) => RegLan::star(rebuild(body)),
        Node::Plus(body) => RegLan::plus(rebuild(body)),
        Node::Opt(body) => RegLan::opt(rebuild(body)),
        Node::Comp(body) => RegLan::comp(rebuild(body)),
        Node::Diff(kept, removed) => RegLan::diff(rebuild(kept), rebuild(removed)),
        Node::Power(body, count) => RegLan::power(rebuild(body), *count),
        Node::Loop(body, lo, hi) => RegLan::repeat(rebuild(body), *lo, *hi),
    }
}

#[test]
fn equality_order_and_hash_are_structural() {
    use std::collections::{BTreeMap, HashMap};
    let mut numbers = Numbers::from_seed(31);
    let values: Vec<RegLan> = (0..800).map(|_| Expr::random(&mut numbers, 6).value()).collect();
    let mut by_text: BTreeMap<String, &RegLan> = BTreeMap::new();
    let mut by_hash: HashMap<RegLan, String> = HashMap::new();
    let mut sorted = values.clone();
    sorted.sort();
    assert!(sorted.windows(2).all(|pair| pair[0] <= pair[1]));
    let pair = |a, b| RegLan::concat([lit(a), lit(b)]);
    assert!(pair("a", "c") < pair("b", "a"), "the leftmost difference decides");
    for value in &values {
        let copy = rebuild(value);
        assert!(!copy.same_object(value));
        assert_eq!(&copy, value);
        assert_eq!(copy.cmp(value), std::cmp::Ordering::Equal);
        assert!(sorted.binary_search(&copy).is_ok());
        let text = value.to_string();
        let twin = by_text.entry(text.clone()).or_insert(value);
        assert_eq!(*twin, value);
        let known = by_hash.entry(copy).or_insert_with(|| text.clone());
        assert_eq!(*known, text);
    }
    assert_eq!(by_text.len(), by_hash.len());
    for pair in sorted.windows(2) {
        assert_eq!(pair[0] == pair[1], pair[0].to_string() == pair[1].to_string());
    }
}

#[test]
fn the_ends_of_the_alphabet() {
    let (first, last) = (RegLan::literal(&[0]), RegLan::literal(&[MAX_CHAR]));
    let inner = RegLan::range(1, MAX_CHAR - 1);
    for c in [0, 1, 2, 0xD800, 0x10000, MAX_CHAR - 1, MAX_CHAR] {
        assert_eq!(accepts(&first, &[c]), c == 0);
        assert_eq!(accepts(&last, &[c]), c == MAX_CHAR);
        assert_eq!(accepts(&inner, &[c]), c != 0 && c != MAX_CHAR);
        assert!(accepts(&RegLan::all_char(), &[c]));
        assert!(accepts(&RegLan::comp(first.clone()), &[c, c]));
    }
    let whole = RegLan::union([last.clone(), inner.clone(), first.clone()]);
    assert_eq!(whole.equivalent(&RegLan::all_char(), &mut budget()), Ok(true));
    let almost = RegLan::union([inner.clone(), first.clone()]);
    let missing = RegLan::all_char().word_outside(&almost, &mut budget());
    assert_eq!(missing, Ok(Some(vec![MAX_CHAR])));
    let missing = RegLan::all_char().word_outside(&RegLan::union([inner, last]), &mut budget());
    assert_eq!(missing, Ok(Some(vec![0])));
    let overlap = RegLan::inter([RegLan::range(5, 10), RegLan::range(10, 20)]);
    assert_eq!(overlap.shortest_word(&mut budget()), Ok(Some(vec![10])));
}

#[test]
fn characters_beyond_the_alphabet_match_nothing() {
    let beyond = MAX_CHAR + 1;
    for value in [RegLan::all(), RegLan::all_char(), RegLan::comp(lit("a")), lit("a")] {
        assert!(!accepts(&value, &[beyond]));
        assert!(!accepts(&value, &[97, u32::MAX]));
    }
    let found = lit("b").shortest_leftmost(&[97, beyond, 98], &mut budget(), true);
    assert_eq!(found, Ok(Some(Match { start: 2, len: 1 })));
    let across = lit("ab").shortest_leftmost(&[97, beyond, 98], &mut budget(), true);
    assert_eq!(across, Ok(None));
    let empty = RegLan::all().shortest_leftmost(&[beyond], &mut budget(), false);
    assert_eq!(empty, Ok(Some(Match { start: 0, len: 0 })));
}

#[test]
fn witnesses_are_readable_where_the_language_allows() {
    let not_a = RegLan::diff(RegLan::all_char(), lit("a"));
    assert_eq!(not_a.shortest_word(&mut budget()), Ok(Some(word("b"))));
    let digits = RegLan::power(RegLan::range(0, 57), 3);
    assert_eq!(digits.shortest_word(&mut budget()), Ok(Some(word("000"))));
    let words = RegLan::star(lit("ab")).first_words(3, &mut budget());
    assert_eq!(words, Ok(vec![word(""), word("ab"), word("abab")]));
    let other = RegLan::diff(RegLan::all_char(), lit("a"));
    let ordered =
        RegLan::union([RegLan::concat([other, lit("x")]), RegLan::concat([lit("a"), lit("y")])]);
    assert_eq!(ordered.first_words(9, &mut budget()), Ok(vec![word("ay"), word("bx")]));
    assert_eq!(RegLan::none().first_words(3, &mut budget()), Ok(vec![]));
    assert_eq!(RegLan::all().first_words(0, &mut budget()), Ok(vec![]));
}

#[test]
fn shortest_words_do_not_trust_lower_bounds() {
    // At least two letters by its operands, but really four.
    let pairs = RegLan::diff(RegLan::plus(lit("ab")), lit("ab"));
    let value = RegLan::concat([RegLan::union([pairs.clone(), lit("ccc")]), lit("d")]);
    assert_eq!(value.shortest_word(&mut budget()), Ok(Some(word("cccd"))));
    let value = RegLan::concat([RegLan::union([pairs, lit("ccccc")]), lit("d")]);
    assert_eq!(value.shortest_word(&mut budget()), Ok(Some(word("ababd"))));
}

#[test]
fn replacing_follows_the_standard() {
    let run = |value: &RegLan, text: &str, all: bool| {
        let budget = &mut budget();
        let mut matcher = Matcher::new(value, budget).unwrap();
        let by = word("X");
        let result = if all {
            matcher.replace_all(&word(text), &by, budget)
        } else {
            matcher.replace(&word(text), &by, budget)
        };
        let codes = result.unwrap().into_iter();
        codes.map(|c| char::from_u32(c).unwrap()).collect::<String>()
    };
    let a_star = RegLan::star(lit("a"));
    assert_eq!(run(&a_star, "baa", false), "Xbaa", "the empty match comes first");
    assert_eq!(run(&a_star, "baa", true), "bXX", "only nonempty matches, shortest each");
    let a_plus_b = RegLan::concat([RegLan::plus(lit("a")), lit("b")]);
    assert_eq!(run(&a_plus_b, "caabab", false), "cXab", "leftmost before shortest");
    assert_eq!(run(&a_plus_b, "caabab", true), "cXX");
    assert_eq!(run(&RegLan::none(), "abc", true), "abc");
    assert_eq!(run(&RegLan::epsilon(), "", false), "X");
    assert_eq!(run(&RegLan::epsilon(), "abc", true), "abc");
}
