//! Terms are made from their number alone, can be read back, and reach all of the operator table that
//! fits the signatures.

use assay_case::rewrite::Request;
use assay_case::{CaseId, Expected, RewriteTest, Selection, Subject, Suite};
use assay_rewrite::{Generator, Part, RewriteOptions, Rewrites, Source, with_assignments};
use assay_term::theories::Theory;
use assay_term::{Op, Store, TermId};
use std::collections::BTreeSet;
use std::sync::Arc;

fn generator() -> Generator {
    Generator::new(RewriteOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn shown((store, term): &(Arc<Store>, TermId)) -> String {
    RewriteTest::new(Arc::clone(store), *term, Request::SIMPLIFY).text().to_owned()
}

#[test]
fn a_number_always_makes_the_same_term() {
    let (one, other) = (generator(), generator());
    for part in 0..one.parts().len() {
        for index in [0, 1, 77, 100_003] {
            let text = one.make(part, index).as_ref().map(shown);
            assert_eq!(text, other.make(part, index).as_ref().map(shown), "{part}.{index}");
        }
    }
}

#[test]
fn terms_are_read_back_as_they_are_written() {
    let generator = generator();
    let mut read = 0;
    for part in 0..generator.parts().len() {
        for index in 0..60 {
            let Some(term) = generator.make(part, index) else { continue };
            let text = shown(&term);
            let again = RewriteTest::read(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
            assert_eq!(again.text(), text);
            read += 1;
        }
    }
    assert!(read > 1_000, "only {read} terms");
}

#[test]
fn every_operator_over_plain_sorts_comes_up() {
    let generator = generator();
    let mut seen: BTreeSet<Op> = BTreeSet::new();
    for (part, described) in generator.parts().iter().enumerate() {
        for index in (0..300).filter(|_| described.source == Source::Operators) {
            let Some((store, term)) = generator.make(part, index) else { continue };
            let parts = store.postorder(&[term]);
            seen.extend(parts.into_iter().filter_map(|part| Some(store.operator(part)?.0)));
        }
    }
    let plain = [
        Theory::Core,
        Theory::Ints,
        Theory::Reals,
        Theory::BitVectors,
        Theory::Floats,
        Theory::Arrays,
        Theory::Strings,
        Theory::Regex,
        Theory::Sequences,
        Theory::FiniteFields,
        Theory::Sets,
        Theory::Bags,
    ];
    let takes_arguments = |op: &Op| op.row().sigs.iter().any(|sig| !sig.args.is_empty());
    let missing: Vec<&str> = Op::all()
        .filter(|op| plain.contains(&op.theory()) && takes_arguments(op))
        .filter(|op| !seen.contains(op))
        .map(Op::name)
        .collect();
    assert!(missing.is_empty(), "no signature reaches {missing:?}");
}

#[test]
fn cases_of_the_suite_read_back_with_request_and_assignments() {
    let suite = Rewrites::new(RewriteOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let selection = Selection { limit: Some(3000), ..Selection::default() };
    let (mut tactics, mut parameters) = (0, 0);
    for id in suite.cases(&selection) {
        let Ok(case) = suite.make(id) else { continue };
        let Subject::Rewrite(test) = case.subject() else { panic!("{id} is no term") };
        let text = test.text();
        let read = RewriteTest::read(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert_eq!((read.text(), read.request()), (text, test.request()));
        assert!(!test.assignments().models().is_empty(), "nothing is tried on {text}");
        match test.request() {
            Request::Apply { .. } => tactics += 1,
            Request::Simplify { parameters: given } if !given.is_empty() => parameters += 1,
            Request::Simplify { .. } => {}
        }
        assert_eq!(case.expected(), Expected::Equal);
    }
    assert!(tactics > 20 && parameters > 100, "{tactics} tactics, {parameters} with parameters");
    assert!(suite.make(CaseId { category: 9_999, index: 0 }).is_err());
    let sampled = Selection { sample: Some(50), ..Selection::default() };
    let ids: BTreeSet<CaseId> = suite.cases(&sampled).collect();
    assert_eq!(ids.len(), 50, "a sample repeats nothing");
}

#[test]
fn data_that_contain_themselves_in_arrays_have_assignments() {
    for field in ["(Array Int T)", "(Seq T)", "(Array T T)", "(Set T)"] {
        let text = format!(
            "(declare-datatypes ((T 0)) (((leaf) (node (parts {field}) (weight Int)))))\n\
             (declare-const t T)\n(simplify (parts t))\n"
        );
        let test = RewriteTest::read(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        assert!(!with_assignments(test).assignments().models().is_empty(), "{field}");
    }
}

/// The texts of the terms that a signature's operators give first.
fn operator_terms(group: &str, count: u64) -> Vec<String> {
    terms_of(Source::Operators, group, count)
}

#[test]
fn operators_are_nested_in_themselves_and_applied_to_special_constants() {
    let languages = operator_terms("regular-languages", 8_000);
    let bit_vectors = operator_terms("bit-vectors", 4_000);
    for (terms, part) in [
        (&languages, "((_ re.^ 0) re."),
        (&languages, "(re.inter (re.comp (re.range"),
        (&languages, "(str.replace (str.replace "),
        (&bit_vectors, "(bvudiv (bvudiv "),
        (&bit_vectors, "(concat (concat "),
        (&bit_vectors, "(bvmul #b0"),
    ] {
        assert!(terms.iter().any(|term| term.contains(part)), "no term contains {part}");
    }
}

#[test]
fn terms_use_only_standard_names_of_operators() {
    for group in ["strings", "sequences", "regular-languages"] {
        for term in operator_terms(group, 3_000) {
            assert!(!term.contains("-order"), "{term}");
            if group == "sequences" {
                assert!(!term.contains("str."), "{term}");
            } else {
                assert!(!term.contains("seq."), "{term}");
            }
        }
    }
}

#[test]
fn pairs_of_operators_are_nested_over_leaves() {
    let generator = generator();
    let is_wanted = |part: &Part| part.source == Source::Operators && part.group == "strings";
    let part = generator.parts().iter().position(is_wanted).expect("a signature");
    let mut seen: BTreeSet<(Op, Op)> = BTreeSet::new();
    for (store, term) in (0..2_400).filter_map(|index| generator.make(part, index)) {
        let is_leaf = |&part: &TermId| store.children(part).is_empty();
        let Some((above, args)) = store.operator(term) else { continue };
        let inner: Vec<TermId> = args.iter().copied().filter(|arg| !is_leaf(arg)).collect();
        if let [below] = inner[..] {
            if let Some((below, args)) = store.operator(below) {
                seen.extend(args.iter().all(is_leaf).then_some((above, below)));
            }
        }
    }
    assert!(seen.len() > 300, "{} pairs", seen.len());
}

/// The terms of a source over a signature that the first of its numbers give, with the number of each.
fn terms_of(source: Source, group: &str, count: u64) -> Vec<String> {
    let generator = generator();
    let is_wanted = |part: &Part| part.source == source && part.group == group;
    let part = generator.parts().iter().position(is_wanted).expect("a signature");
    (0..count).filter_map(|index| generator.make(part, index)).map(|term| shown(&term)).collect()
}

#[test]
fn operators_are_applied_to_each_choice_of_their_constants_once() {
    // Square roots in two formats: five rounding modes and thirteen constants each.
    let terms = terms_of(Source::Constants, "floats", 20_000);
    let roots: Vec<&String> = terms.iter().filter(|term| term.contains("(fp.sqrt ")).collect();
    let distinct: BTreeSet<&String> = roots.iter().copied().collect();
    assert!(distinct.len() >= 2 * 5 * 13, "{} square roots", distinct.len());
    assert!(distinct.iter().any(|term| term.contains(" (fp #b0 #b000 #x1))")));
    assert_eq!(roots[..130].iter().collect::<BTreeSet<_>>().len(), 130, "none is repeated");
}

#[test]
fn every_pair_of_operators_has_all_terms_over_one_variable_and_one_constant() {
    let terms = terms_of(Source::Pairs, "strings", 90_000);
    // The same constant in two places.
    let has = |wanted: &str, term: &String| {
        let constant = term.split('"').nth(1).filter(|text| !text.is_empty());
        constant.is_some_and(|text| term.contains(&wanted.replace('@', text)))
    };
    for wanted in [
        r#"(str.suffixof "@" (str.++ c0 "@"))"#,
        r#"(str.prefixof "@" (str.++ "@" c0))"#,
        r#"(str.contains (str.++ c0 "@") "@")"#,
        r#"(str.replace (str.++ c0 "@") "@" c0)"#,
    ] {
        assert!(terms.iter().any(|term| has(wanted, term)), "{wanted} is missing");
    }
    assert!(terms.iter().any(|term| term.contains("(str.at (str.substr c0 b0 b0) b0)")));
}

#[test]
fn sources_have_their_turns_and_each_number_comes_once() {
    let suite = Rewrites::new(RewriteOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let selection = Selection { limit: Some(24_000), ..Selection::default() };
    let categories = suite.categories();
    let ids: Vec<CaseId> = suite.cases(&selection).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "a case is repeated");
    let of = |name: &str| {
        let mut parts = ids.iter().map(|id| &categories[id.category as usize]);
        parts.by_ref().filter(|category| category.name == name).count()
    };
    let counts = ["constants", "pairs", "operators", "rules"].map(of);
    assert!(counts[1] > counts[0] && counts[0] > counts[3] && counts[3] > 500, "{counts:?}");
}

#[test]
fn constants_are_of_one_form_or_random() {
    let languages = operator_terms("regular-languages", 20_000);
    let ranges = |term: &&String| {
        ["inter", "union", "diff"].iter().any(|op| {
            let at = term.find(&format!("(re.{op} (re.comp (re.range"));
            at.is_some_and(|at| {
                term[at..].contains("))) (re.range") || term[at..].contains(")) (re.range")
            })
        })
    };
    assert!(languages.iter().any(|term| ranges(&term)), "no range beside the complement of one");
    let integers = operator_terms("integers", 2_000);
    let is_large = |word: &str| word.len() > 9 && word.bytes().all(|byte| byte.is_ascii_digit());
    let words = |term: &String| term.split(['(', ')', ' ']).any(is_large);
    assert!(integers.iter().any(words), "no large number");
}
