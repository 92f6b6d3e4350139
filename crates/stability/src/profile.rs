//! Which quantifiers a solver instantiates, and how often.

use crate::engine::{Counted, Meter};
use crate::mutant::Stated;
use crate::query::{Part, Piece};
use crate::sexpr::{Tree, plain};
use rustc_hash::FxHashMap;

/// The instances of a quantifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instances {
    /// Its `:qid`, or a name made from its line.
    pub name: String,
    /// Its line.
    pub line: usize,
    /// Its instances in a run that failed.
    pub failing: u64,
    /// Its instances in a run that succeeded, if there was one.
    pub succeeding: Option<u64>,
}

/// How often z3 reports: a killed solver reports nothing at its end.
const PROFILE: &str = "(set-option :smt.qi.profile true)\n(set-option :smt.qi.profile_freq 5000)\n";

/// A quantifier of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Quantifier {
    /// Its name in profiles.
    pub(crate) name: String,
    /// The line of the assertion or definition that it is in, in the file.
    pub(crate) line: usize,
    /// Its position among the quantifiers of its command.
    pub(crate) rank: usize,
}

/// The nodes of the quantifiers of a command.
pub(crate) fn quantifiers(tree: &Tree<'_>) -> Vec<usize> {
    let is_quantifier = |&at: &usize| {
        tree.head(at).is_some_and(|head| head == "forall" || head == "exists")
            && tree.members(at).len() == 3
    };
    (0..tree.nodes.len()).filter(is_quantifier).collect()
}

/// The value of an attribute of a quantifier.
pub(crate) fn attribute(tree: &Tree<'_>, quantifier: usize, keyword: &str) -> Option<usize> {
    let body = tree.members(quantifier)[2];
    if tree.head(body) != Some("!") {
        return None;
    }
    let pairs = tree.members(body).windows(2);
    pairs.filter(|pair| tree.word(pair[0]) == Some(keyword)).map(|pair| pair[1]).next()
}

/// A command whose quantifiers all have a `:qid`, and those names.
fn named(piece: &Piece) -> (String, Vec<Quantifier>) {
    let tree = Tree::read(&piece.text);
    let mut edits = Vec::new();
    let mut found = Vec::new();
    for (rank, at) in quantifiers(&tree).into_iter().enumerate() {
        let before = &piece.text[..tree.nodes[at].span.start];
        let line = piece.line + before.bytes().filter(|&b| b == b'\n').count();
        let name = match attribute(&tree, at, ":qid") {
            Some(qid) => plain(tree.text_of(qid)).to_owned(),
            None => {
                let name = format!("line{line}.{}", rank + 1);
                let body = tree.nodes[tree.members(at)[2]].span.clone();
                if tree.head(tree.members(at)[2]) == Some("!") {
                    edits.push((body.end - 1..body.end - 1, format!(" :qid {name}")));
                } else {
                    edits.push((body.start..body.start, "(! ".to_owned()));
                    edits.push((body.end..body.end, format!(" :qid {name})")));
                }
                name
            }
        };
        found.push(Quantifier { name, line, rank });
    }
    (tree.with(edits), found)
}

/// The quantifiers of a query with the line at which their command begins.
pub(crate) fn all_quantifiers(pieces: &[Piece]) -> Vec<(usize, Quantifier)> {
    let with = pieces.iter().filter(|piece| piece.part != Part::Option);
    with.flat_map(|piece| named(piece).1.into_iter().map(|one| (piece.line, one))).collect()
}

/// The instances of each quantifier in a run of a query, by name; empty if the solver does not
/// count them.
pub(crate) fn instances(
    counted: &mut Counted<'_>,
    stated: &Stated,
    limit: u64,
) -> FxHashMap<String, u64> {
    if counted.engine.meter() != Meter::Z3 {
        return FxHashMap::default();
    }
    let mut stated = stated.clone();
    for piece in &mut stated.pieces {
        piece.text = named(piece).0;
    }
    counted.runs += 1;
    let said = counted.engine.run(&Meter::Z3.script(&stated, limit, PROFILE), counted.wall);
    counts(&format!("{}\n{}", said.log, said.text))
}

/// Reads lines such as `[quantifier_instances] q : 20 : 0 : 0 : 20 : 21`; the first number counts
/// instances. Later lines replace earlier ones.
fn counts(log: &str) -> FxHashMap<String, u64> {
    let mut found = FxHashMap::default();
    for line in log.lines() {
        let Some(rest) = line.trim().strip_prefix("[quantifier_instances]") else { continue };
        let mut parts = rest.split(" : ").map(str::trim);
        let (name, count) = (parts.next(), parts.next().and_then(|count| count.parse().ok()));
        if let (Some(name), Some(count)) = (name, count) {
            found.insert(plain(name).to_owned(), count);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::queries;

    #[test]
    fn quantifiers_without_a_name_get_one() {
        let text = "(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (exists ((y Int)) (! (p x) :pattern ((p y))))))
(assert (forall ((x Int)) (! (p x) :qid own)))";
        let query = queries(text).expect("it reads").remove(0);
        let (new, found) = named(&query.pieces[1]);
        assert_eq!(
            new,
            "(assert (forall ((x Int)) (! (exists ((y Int)) (! (p x) :pattern ((p y)) :qid line2.2)) :qid line2.1)))"
        );
        assert_eq!(found.len(), 2);
        assert_eq!(named(&query.pieces[2]).1[0].name, "own");
        queries(&format!("(declare-fun p (Int) Bool){new}")).expect("it reads");
    }

    #[test]
    fn the_last_count_is_kept() {
        let found = counts(
            "[quantifier_instances]  q!1 : 20 : 0 : 0 : 4 : 5\nother : 1\n[quantifier_instances] |q!1| : 2000 : 0 : 1",
        );
        assert_eq!(found["q!1"], 2000);
    }
}
