//! Counts and numbers against brute force, and the pools that come with the program.

use super::space::{Grammar, Head, Leaves, Space, Tree};
use super::symmetry::counts;
use super::*;
use std::collections::{BTreeSet, HashSet};

fn head(result: usize, args: &[usize], commutes: bool) -> Head {
    Head { result, args: args.to_vec(), commutes }
}

/// Formulas (sort 0) over a sort with a commutative operator, one that is not, and a function of two sorts.
fn grammar(variables: usize, others: usize) -> Grammar {
    let leaves = [(0, 0), (variables, 1), (others, 1)];
    Grammar {
        leaves: leaves.map(|(variables, constants)| Leaves { variables, constants }).into(),
        heads: vec![
            head(0, &[1, 1], true),
            head(0, &[0], false),
            head(0, &[0, 0], true),
            head(1, &[1, 1], true),
            head(1, &[1, 1], false),
            head(1, &[2, 1, 2], false),
            head(2, &[1], false),
        ],
    }
}

/// Every way to write a term of a sort and a size, by brute force.
fn written(grammar: &Grammar, sort: usize, size: usize) -> Vec<String> {
    if size == 0 {
        let Leaves { variables, constants } = grammar.leaves[sort];
        let variables = (0..variables).map(|v| format!("v{sort}{v}"));
        return variables.chain((0..constants).map(|c| format!("c{sort}{c}"))).collect();
    }
    let mut all = Vec::new();
    for (number, head) in grammar.heads.iter().enumerate().filter(|(_, h)| h.result == sort) {
        let mut rows: Vec<(usize, String)> = vec![(0, format!("({number}"))];
        for &arg in &head.args {
            let mut longer = Vec::new();
            for (used, text) in &rows {
                for more in 0..size - used {
                    for term in written(grammar, arg, more) {
                        longer.push((used + more, format!("{text} {term}")));
                    }
                }
            }
            rows = longer;
        }
        all.extend(rows.into_iter().filter(|row| row.0 + 1 == size).map(|(_, text)| text + ")"));
    }
    all
}

/// A text with the arguments of commutative heads in order, and its end.
fn ordered(grammar: &Grammar, text: &str) -> String {
    fn parts(text: &str) -> Vec<&str> {
        let (mut depth, mut start, mut found) = (0, 0, Vec::new());
        for (at, c) in text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ' ' if depth == 0 => {
                    found.push(&text[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        found.push(&text[start..]);
        found
    }
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return text.to_owned();
    };
    let parts = parts(inner);
    let head: usize = parts[0].parse().expect("a head");
    let mut args: Vec<String> = parts[1..].iter().map(|arg| ordered(grammar, arg)).collect();
    if grammar.heads[head].commutes {
        args.sort();
    }
    format!("({head} {})", args.join(" "))
}

/// The smallest text among all renamings.
fn canonical(grammar: &Grammar, text: &str) -> String {
    fn orders(count: usize) -> Vec<Vec<usize>> {
        match count {
            0 => vec![vec![]],
            _ => {
                let shorter = orders(count - 1);
                let with = |at: usize| {
                    shorter.iter().map(move |order| {
                        let mut order = order.clone();
                        order.insert(at, count - 1);
                        order
                    })
                };
                (0..count).flat_map(with).collect()
            }
        }
    }
    let mut all = vec![text.to_owned()];
    for (sort, leaves) in grammar.leaves.iter().enumerate() {
        let rename = |text: &String| -> Vec<String> {
            let of = |order: Vec<usize>| {
                let mut out = text.clone();
                for (v, to) in order.into_iter().enumerate() {
                    out = out.replace(&format!("v{sort}{v}"), &format!("w{sort}{to}"));
                }
                out.replace('w', "v")
            };
            orders(leaves.variables).into_iter().map(of).collect()
        };
        all = all.iter().flat_map(rename).collect();
    }
    all.iter().map(|text| ordered(grammar, text)).min().expect("the identity is a renaming")
}

fn text(space: &Space, tree: &Tree) -> String {
    match tree {
        Tree::Leaf { sort, number } => {
            let variables = space.grammar().leaves[*sort].variables;
            match number.checked_sub(variables) {
                None => format!("v{sort}{number}"),
                Some(constant) => format!("c{sort}{constant}"),
            }
        }
        Tree::Node { args, .. } => {
            let head = space.head(tree).expect("an application");
            let args: Vec<String> = args.iter().map(|arg| text(space, arg)).collect();
            format!("({head} {})", args.join(" "))
        }
    }
}

#[test]
fn each_formula_has_one_number_and_counts_agree_with_brute_force() {
    for (variables, others, most) in [(2, 1, 3), (3, 0, 3), (3, 2, 2), (1, 2, 3), (4, 1, 2)] {
        let grammar = grammar(variables, others);
        let space = Space::new(grammar.clone(), most).expect("few terms");
        let counted = counts(&grammar, most).expect("few terms");
        for (sort, counts) in counted.iter().enumerate() {
            for (size, &count) in counts.iter().enumerate() {
                let all = written(&grammar, sort, size);
                let up_to_order: BTreeSet<String> =
                    all.iter().map(|text| ordered(&grammar, text)).collect();
                let numbered: Vec<Tree> =
                    (0..space.count(sort, size)).map(|n| space.term(sort, size, n)).collect();
                let made: BTreeSet<String> =
                    numbered.iter().map(|tree| ordered(&grammar, &text(&space, tree))).collect();
                assert_eq!(made, up_to_order);
                assert_eq!(numbered.len(), up_to_order.len(), "each once");
                for (number, tree) in (0..).zip(&numbered) {
                    assert_eq!(space.number(tree, &[]), number);
                }
                let classes: BTreeSet<String> =
                    all.iter().map(|text| canonical(&grammar, text)).collect();
                let first = numbered.iter().filter(|tree| space.is_first(tree));
                let first: Vec<String> =
                    first.map(|tree| canonical(&grammar, &text(&space, tree))).collect();
                assert_eq!(first.iter().cloned().collect::<BTreeSet<_>>(), classes);
                assert_eq!(first.len(), classes.len(), "one of each class");
                assert_eq!(count, classes.len() as u128, "by the lemma");
            }
        }
    }
}

#[test]
fn spaces_that_are_too_large_are_refused() {
    let leaves = vec![Leaves { variables: 5, constants: 1 << 60 }];
    let huge = Grammar { leaves, heads: vec![head(0, &[0, 0], false), head(0, &[0, 0], true)] };
    assert!(Space::new(huge.clone(), 1).is_none());
    assert!(Space::new(huge, 0).is_some());
}

fn all(options: EnumerateOptions) -> Enumerate {
    Enumerate::new(&options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_pool_has_as_many_formulas_as_counted() {
    let suite = all(EnumerateOptions { size: Some(1), ..EnumerateOptions::default() });
    let extent = suite.extent().expect("few formulas");
    let mut found = vec![0u128; extent.counts.len()];
    let mut texts: HashSet<(u32, String)> = HashSet::new();
    let mut size = 0;
    for id in suite.cases(&Selection::default()) {
        assert!(suite.round(id) >= size, "smaller formulas come first");
        size = suite.round(id);
        let case = suite.make(id).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert!(texts.insert((id.category, case.text().to_owned())), "{}", case.text());
        assert_eq!(Formula::read(case.text()).map(|_| ()), Ok(()), "{}", case.text());
        found[id.category as usize] += 1;
    }
    for ((category, count), found) in extent.counts.iter().zip(found) {
        assert_eq!(*count, found, "{} {}", category.name, category.group);
    }
}

#[test]
fn every_operator_of_a_theory_is_reached() {
    use assay_term::op::Origin as From;
    let suite = all(EnumerateOptions { size: Some(2), ..EnumerateOptions::default() });
    let mut reached: HashSet<assay_term::Op> = HashSet::new();
    for of in &suite.pools {
        reached.extend(of.pool.table());
    }
    let beyond = ["functions", "relations", "nullables"];
    let missing: Vec<&str> = assay_term::Op::all()
        .filter(|op| op.row().origin == From::Standard && !reached.contains(op))
        .filter(|op| !beyond.contains(&format!("{:?}", op.theory()).to_lowercase().as_str()))
        .map(assay_term::Op::name)
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn a_selection_is_a_subset_of_all_cases() {
    let options = EnumerateOptions {
        theories: vec!["ints".into()],
        size: Some(2),
        operators: vec!["+".into(), "=".into(), "<".into()],
        ..EnumerateOptions::default()
    };
    let suite = all(options);
    let everything: Vec<CaseId> = suite.cases(&Selection::default()).collect();
    let unique: HashSet<&CaseId> = everything.iter().collect();
    assert_eq!(unique.len(), everything.len());
    let extent = suite.extent().expect("few formulas");
    assert_eq!(
        extent.counts.iter().map(|(_, count)| count).sum::<u128>(),
        everything.len() as u128
    );
    let sampled = Selection { sample: Some(50), rng: 3, ..Selection::default() };
    let sample: HashSet<CaseId> = suite.cases(&sampled).collect();
    assert_eq!(sample.len(), 50);
    assert!(sample.iter().all(|id| unique.contains(id)));
    let one = Selection { categories: vec!["size-2".into()], ..Selection::default() };
    let of_one = everything.iter().filter(|id| suite.round(**id) == 2).count();
    assert_eq!(suite.cases(&one).count(), of_one);
    assert!(of_one > 0 && of_one < everything.len());
}

#[test]
fn truths_of_small_formulas_are_known() {
    let pools = r##"
        [[pool]]
        name = "bits"
        size = 1
        sorts = [{ sort = "Bool" }, { sort = "(_ BitVec 2)", variables = 2, constants = ["#b00"] }]
        operators = ["bvult", "distinct"]
    "##;
    let suite = all(EnumerateOptions { pools: Some(pools.into()), ..EnumerateOptions::default() });
    let mut truths: Vec<(String, &str)> = suite
        .cases(&Selection::default())
        .map(|id| {
            let case = suite.make(id).expect("a case");
            let asserted = case.text().lines().find(|line| line.starts_with("(assert"));
            (asserted.expect("an assertion").to_owned(), case.expected().name())
        })
        .collect();
    truths.sort();
    assert_eq!(
        truths,
        [
            ("(assert (bvult #b00 #b00))".to_owned(), Expected::Unsat.name()),
            ("(assert (bvult #b00 b0))".to_owned(), Expected::Sat.name()),
            ("(assert (bvult b0 #b00))".to_owned(), Expected::Unsat.name()),
            ("(assert (bvult b0 b0))".to_owned(), Expected::Unsat.name()),
            ("(assert (bvult b0 b1))".to_owned(), Expected::Sat.name()),
            ("(assert (distinct #b00 #b00))".to_owned(), Expected::Unsat.name()),
            ("(assert (distinct b0 #b00))".to_owned(), Expected::Sat.name()),
            ("(assert (distinct b0 b0))".to_owned(), Expected::Unsat.name()),
            ("(assert (distinct b0 b1))".to_owned(), Expected::Sat.name()),
        ]
    );
}

#[test]
fn mistakes_in_pools_are_named() {
    let fault = |pool: &str| {
        let options =
            EnumerateOptions { pools: Some(format!("[[pool]]\n{pool}")), ..Default::default() };
        Enumerate::new(&options).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let rest = "name = \"p\"\nsize = 1\n";
    let with = |sorts: &str, operators: &str| {
        fault(&format!("{rest}sorts = [{sorts}]\noperators = [{operators}]"))
    };
    assert!(with("{ sort = \"Int\" }", "\"core\"").contains("need the sort Bool"));
    assert!(with("{ sort = \"Bool\" }", "\"frob\"").contains("no operator `frob`"));
    assert!(with("{ sort = \"Bool\", constants = [\"1\"] }", "").contains("not of sort Bool"));
    assert!(with("{ sort = \"Bool\", variables = 9 }", "").contains("9 variables"));
    assert!(with("{ sort = \"Bool\" }, { sort = \"Bool\" }", "").contains("twice"));
    assert!(fault("name = 1").contains("name"));
    let theory = EnumerateOptions { theories: vec!["logic".into()], ..Default::default() };
    let error = Enumerate::new(&theory).err().expect("there is no such theory");
    assert!(error.to_string().contains("bitvectors"), "{error}");
}
