//! Mutants that keep the meaning of a query. A mutant is determined by the query, its class, its
//! number and the seed for random choices.

use crate::query::{Part, Piece, Query};
use crate::sexpr::Tree;
use assay_mutate::{Draw, Equalities, rewritten};
use assay_smtlib::{Printer, SMT_LIB_2_6};
use assay_term::op::{Law, Origin};
use assay_term::theories::ints;
use assay_term::{Op, SortId, Store};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::sync::OnceLock;

/// A way to change a query without changing its meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// The order of the assertions.
    Order,
    /// The names of declared functions and sorts.
    Names,
    /// The order of the arguments of commutative operators.
    Arguments,
    /// The solver's random seed.
    Seed,
    /// Terms replaced by equal ones, by certified rules.
    Rewrite,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 5] =
        [Class::Order, Class::Names, Class::Arguments, Class::Seed, Class::Rewrite];

    /// Its name in flags and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Order => "order",
            Class::Names => "names",
            Class::Arguments => "arguments",
            Class::Seed => "seed",
            Class::Rewrite => "rewrite",
        }
    }

    /// The class of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// A mutant by its class and number; `None` is the query as written.
pub type Which = Option<(Class, u32)>;

/// A query or a mutant of it, ready to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// The options, declarations and assertions, in the order in which they are sent.
    pub pieces: Vec<Piece>,
    /// The command that asks.
    pub check: String,
    /// The solver's random seed, if it is set.
    pub seed: Option<u64>,
}

impl Stated {
    /// The same without some pieces, by their numbers.
    pub(crate) fn without(mut self, gone: &[usize]) -> Stated {
        self.pieces.retain(|piece| !gone.contains(&piece.id));
        self
    }
}

/// Makes the mutants of a query.
pub struct Mutator<'q> {
    query: &'q Query,
    rng: u64,
    /// Assertions that other commands refer to by name; they stay in their place.
    fixed: Vec<usize>,
    names: Vec<String>,
    words: FxHashSet<String>,
    rewriting: OnceLock<Option<Rewriting>>,
}

/// What rewriting needs.
struct Rewriting {
    store: Store,
    equalities: Equalities,
    /// Positions of the assertions that can be rewritten.
    assertions: Vec<usize>,
}

/// The number of assertions that a mutant rewrites at most, and of places in them.
const REWRITTEN: usize = 3;
const PLACES: usize = 5;

/// The number of sorts for which rules are made.
const MOST_SORTS: usize = 10;

/// How often a mutant is tried before its class counts as not applicable.
const TRIES: u64 = 8;

impl<'q> Mutator<'q> {
    /// A source of mutants of a query.
    #[must_use]
    pub fn new(query: &'q Query, rng: u64) -> Mutator<'q> {
        let used = query.used_names();
        let names_used = |at: &usize| {
            let tree = Tree::read(&query.pieces[*at].text);
            !used.is_empty()
                && (0..tree.nodes.len()).any(|n| tree.word(n).is_some_and(|w| used.contains(w)))
        };
        let fixed = query.assertions().into_iter().filter(names_used).collect();
        let mut words = FxHashSet::default();
        let mut declared: Vec<String> = Vec::new();
        for piece in &query.pieces {
            let tree = Tree::read(&piece.text);
            let all = (0..tree.nodes.len()).filter_map(|at| tree.word(at));
            words.extend(all.map(str::to_owned));
            declared.extend(declares(piece, &tree).map(str::to_owned));
        }
        // Predefined names may be overloaded; what they stand for depends on the arguments.
        declared.retain(|name| Op::by_name(name).is_none() && !used.contains(name));
        declared.sort_unstable();
        declared.dedup();
        let rewriting = OnceLock::new();
        Mutator { query, rng, fixed, names: declared, words, rewriting }
    }

    /// The query as written.
    #[must_use]
    pub fn original(&self) -> Stated {
        let Query { pieces, check, .. } = self.query;
        Stated { pieces: pieces.clone(), check: check.clone(), seed: None }
    }

    /// A mutant; `None` if the class does not apply to the query.
    #[must_use]
    pub fn mutant(&self, class: Class, number: u32) -> Option<Stated> {
        let draw = |again: u64| {
            Draw::new(&[self.rng, self.query.number as u64, class as u64, number.into(), again])
        };
        let mut stated = self.original();
        match class {
            Class::Order => {
                let order = self.order(&mut draw(0))?;
                stated.pieces = order.iter().map(|&at| self.query.pieces[at].clone()).collect();
            }
            Class::Names => self.rename(&mut stated, &mut draw(0))?,
            Class::Arguments => {
                let mut draw = draw(0);
                let declared: FxHashSet<&str> = self.names.iter().map(String::as_str).collect();
                let mut places = 0;
                for piece in stated.pieces.iter_mut().filter(|one| one.part == Part::Assertion) {
                    let (text, count) = permuted(&piece.text, &declared, &mut draw);
                    (piece.text, places) = (text, places + count);
                }
                (places > 0).then_some(())?;
            }
            Class::Seed => stated.seed = Some(draw(0).below(1 << 31) as u64),
            Class::Rewrite => {
                let rewriting =
                    self.rewriting.get_or_init(|| Rewriting::new(self.query)).as_ref()?;
                (0..TRIES).find_map(|again| rewriting.apply(&mut stated, &mut draw(again)))?;
            }
        }
        Some(stated)
    }

    /// An order of the pieces: in each scope what is declared, then the assertions, shuffled.
    fn order(&self, draw: &mut Draw) -> Option<Vec<usize>> {
        let pieces = &self.query.pieces;
        let deepest = pieces.iter().map(|piece| piece.depth).max()?;
        let mut order = Vec::with_capacity(pieces.len());
        let mut choice = false;
        for depth in 0..=deepest {
            let here = (0..pieces.len()).filter(|&at| pieces[at].depth == depth);
            let (mut moved, kept): (Vec<usize>, Vec<usize>) = here
                .partition(|at| pieces[*at].part == Part::Assertion && !self.fixed.contains(at));
            choice |= moved.len() > 1;
            shuffle(&mut moved, draw);
            order.extend(kept);
            order.extend(moved);
        }
        choice.then_some(order)
    }

    fn rename(&self, stated: &mut Stated, draw: &mut Draw) -> Option<()> {
        (!self.names.is_empty()).then_some(())?;
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut new: FxHashMap<&str, String> = FxHashMap::default();
        for name in &self.names {
            let fresh = loop {
                let name = format!("v{:08x}", draw.below(1 << 32));
                if !self.words.contains(&name) && taken.insert(name.clone()) {
                    break name;
                }
            };
            new.insert(name, fresh);
        }
        let texts = stated.pieces.iter_mut().filter(|one| one.part != Part::Option);
        for text in texts.map(|one| &mut one.text).chain([&mut stated.check]) {
            *text = renamed(text, &new);
        }
        Some(())
    }
}

/// The functions and sorts that a piece declares, except those of datatypes, whose testers have
/// names made from them.
fn declares<'t>(piece: &Piece, tree: &Tree<'t>) -> impl Iterator<Item = &'t str> {
    const COMMANDS: [&str; 7] = [
        "declare-fun",
        "declare-const",
        "declare-sort",
        "define-fun",
        "define-const",
        "define-sort",
        "define-fun-rec",
    ];
    let declares = piece.part == Part::Declaration
        && !tree.nodes.is_empty()
        && tree.head(0).is_some_and(|head| COMMANDS.contains(&head));
    let name = declares.then(|| tree.members(0).get(1).and_then(|&name| tree.word(name)));
    name.flatten().into_iter()
}

/// A command with other names for some symbols. The values of attributes are kept, except for the
/// terms of patterns.
pub(crate) fn renamed(text: &str, new: &FxHashMap<&str, String>) -> String {
    let tree = Tree::read(text);
    let mut kept = vec![false; tree.nodes.len()];
    let mut edits = Vec::new();
    for at in 0..tree.nodes.len() {
        let above = tree.nodes[at].parent;
        kept[at] |= above.is_some_and(|list| kept[list]);
        if tree.head(at) == Some("!") {
            for pair in tree.members(at)[2..].windows(2) {
                let keyword = tree.word(pair[0]).filter(|word| word.starts_with(':'));
                let terms = [":pattern", ":no-pattern"];
                if keyword.is_some_and(|word| !terms.contains(&word)) {
                    kept[pair[1]] = true;
                }
            }
        }
        if let Some(name) = tree.word(at).filter(|_| !kept[at]).and_then(|word| new.get(word)) {
            edits.push((tree.nodes[at].span.clone(), name.clone()));
        }
    }
    tree.with(edits)
}

fn shuffle<T>(items: &mut [T], draw: &mut Draw) {
    for at in (1..items.len()).rev() {
        items.swap(at, draw.below(at + 1));
    }
}

/// An assertion with the arguments of commutative operators in another order, and the number of
/// places where there was a choice. Patterns are kept.
fn permuted(text: &str, declared: &FxHashSet<&str>, draw: &mut Draw) -> (String, usize) {
    enum Item {
        Node(usize),
        Text(usize, usize),
    }
    let tree = Tree::read(text);
    let inside = tree.in_attributes();
    let mut out = String::with_capacity(text.len());
    let mut places = 0;
    let Some(last) = tree.nodes.first().map(|root| root.span.end) else {
        return (text.to_owned(), 0);
    };
    let mut work = vec![Item::Text(last, text.len()), Item::Node(0)];
    while let Some(item) = work.pop() {
        let node = match item {
            Item::Text(from, to) => {
                out.push_str(&text[from..to]);
                continue;
            }
            Item::Node(node) => node,
        };
        let slots = tree.members(node);
        if slots.is_empty() {
            out.push_str(tree.text_of(node));
            continue;
        }
        let mut members = slots.to_vec();
        if members.len() > 2 && !inside[node] && commutes(&tree, node, declared) {
            places += 1;
            shuffle(&mut members[1..], draw);
        }
        // The text between the members stays where it is.
        let mut at = tree.nodes[node].span.start;
        let mut items = Vec::with_capacity(2 * slots.len() + 1);
        for (&slot, member) in slots.iter().zip(members) {
            items.push(Item::Text(at, tree.nodes[slot].span.start));
            items.push(Item::Node(member));
            at = tree.nodes[slot].span.end;
        }
        items.push(Item::Text(at, tree.nodes[node].span.end));
        work.extend(items.into_iter().rev());
    }
    (out, places)
}

/// Whether the arguments of an application may stand in any order.
fn commutes(tree: &Tree<'_>, node: usize, declared: &FxHashSet<&str>) -> bool {
    let Some(head) = tree.head(node) else { return false };
    let Some(op) = Op::by_name(head).filter(|_| !declared.contains(head)) else { return false };
    let laws = op.row().laws;
    let any_number = laws.contains(&Law::Associative) || ["=", "distinct"].contains(&op.name());
    laws.contains(&Law::Commutative) && (any_number || tree.members(node).len() == 3)
}

impl Rewriting {
    fn new(query: &Query) -> Option<Rewriting> {
        let store = (*query.store).clone();
        let assertions: Vec<usize> =
            query.assertions().into_iter().filter(|&at| query.pieces[at].term.is_some()).collect();
        let terms: Vec<_> = assertions.iter().filter_map(|&at| query.pieces[at].term).collect();
        let mut sorts = vec![SortId::BOOL];
        for term in store.postorder(&terms) {
            let sort = store.sort(term);
            if !sorts.contains(&sort) && sorts.len() < MOST_SORTS {
                sorts.push(sort);
            }
        }
        // Solvers know what the standard has, but for z3, which lacks `divisible`; of the rest, they know
        // what the file uses.
        let used: FxHashSet<Op> = store
            .postorder(&terms)
            .into_iter()
            .filter_map(|term| store.operator(term).map(|(op, _)| op))
            .collect();
        let unknown = Op::all()
            .filter(|&op| op == ints::DIVISIBLE || op.row().origin != Origin::Standard)
            .filter(|op| !used.contains(op))
            .collect();
        let equalities = Equalities::new(&store, &sorts, &unknown);
        (!equalities.is_empty()).then_some(Rewriting { store, equalities, assertions })
    }

    /// Rewrites some assertions.
    fn apply(&self, stated: &mut Stated, draw: &mut Draw) -> Option<()> {
        let mut store = self.store.clone();
        let mut chosen = self.assertions.clone();
        shuffle(&mut chosen, draw);
        chosen.truncate(REWRITTEN);
        let terms: Vec<_> = chosen.iter().filter_map(|&at| stated.pieces[at].term).collect();
        let places = 1 + draw.below(PLACES);
        let new = rewritten(&mut store, &terms, &self.equalities, draw, places)?;
        for ((at, old), new) in chosen.into_iter().zip(terms).zip(new) {
            if old != new {
                let shown = Printer::new(&store).dialect(SMT_LIB_2_6).term(new);
                let text = &mut stated.pieces[at].text;
                text.clear();
                let _ = write!(text, "(assert {shown})");
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::queries;

    const FILE: &str = "(set-option :smt.mbqi false)
(declare-sort S 0)
(declare-fun f (S Int) Int)
(declare-fun |g h| (S) Bool)
(declare-const c S)
(assert (! (forall ((x S) (c Int)) (! (=> (|g h| x) (= (+ c 1 2) (f x 3)))
   :pattern ((f x (+ 3 c))) :qid |f| :skolemid f)) :named top))
(assert (|g h| c))
(push 1)
(assert (and (< (f c 3) 0) (|g h| c) true))
(assert (not (= 1 (f c 2))))
(check-sat)";

    fn text(stated: &Stated) -> String {
        stated.pieces.iter().map(|piece| piece.text.clone() + "\n").collect()
    }

    #[test]
    fn every_class_keeps_the_query_readable_and_is_reproducible() {
        let query = queries(FILE).expect("it reads").remove(0);
        let mutator = Mutator::new(&query, 7);
        for class in Class::ALL {
            let all: Vec<String> = (0..20)
                .map(|number| {
                    let mutant = mutator.mutant(class, number).expect("it applies");
                    let again = Mutator::new(&query, 7).mutant(class, number);
                    assert_eq!(Some(&mutant), again.as_ref());
                    let text = text(&mutant);
                    queries(&text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", class.name()));
                    text + &format!("{:?}", mutant.seed)
                })
                .collect();
            let distinct: FxHashSet<&String> = all.iter().collect();
            assert!(distinct.len() > 1, "{}", class.name());
        }
    }

    #[test]
    fn attributes_and_patterns_keep_their_words() {
        let query = queries(FILE).expect("it reads").remove(0);
        let mutator = Mutator::new(&query, 0);
        let renamed = text(&mutator.mutant(Class::Names, 0).expect("it applies"));
        assert!(renamed.contains(":qid |f| :skolemid f)) :named top)"), "{renamed}");
        assert!(!renamed.contains("g h") && !renamed.contains("(c Int)"), "{renamed}");
        let swapped: String = (0..9)
            .map(|at| text(&mutator.mutant(Class::Arguments, at).expect("it applies")))
            .collect();
        assert!(!swapped.contains("(+ c 3)"), "{swapped}");
        assert!(swapped.contains("(= (f c 2) 1)"), "{swapped}");
    }

    #[test]
    fn assertions_stay_in_their_scope() {
        let query = queries(FILE).expect("it reads").remove(0);
        let mutator = Mutator::new(&query, 0);
        for number in 0..9 {
            let mutant = mutator.mutant(Class::Order, number).expect("it applies");
            let depths: Vec<u32> = mutant.pieces.iter().map(|piece| piece.depth).collect();
            assert!(depths.is_sorted(), "{depths:?}");
        }
    }
}
