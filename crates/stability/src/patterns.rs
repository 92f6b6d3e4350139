//! Other patterns for a quantifier, made from the terms of its body.

use crate::profile::quantifiers;
use crate::sexpr::Tree;
use rustc_hash::FxHashSet;

/// A command with another pattern of one of its quantifiers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Repatterned {
    /// The command.
    pub(crate) text: String,
    /// The patterns that it had.
    pub(crate) old: Vec<String>,
    /// The pattern that it has.
    pub(crate) new: String,
}

/// The most patterns that are offered for a quantifier.
const OFFERED: usize = 8;

/// Other patterns for the quantifier with this position in a command: the strongest first, or the
/// weakest. Functions are those that the query declares.
pub(crate) fn others(
    text: &str,
    rank: usize,
    functions: &FxHashSet<String>,
    strongest: bool,
) -> Vec<Repatterned> {
    let tree = Tree::read(text);
    let Some(&quantifier) = quantifiers(&tree).get(rank) else { return Vec::new() };
    if tree.head(quantifier) != Some("forall") {
        return Vec::new();
    }
    let [_, binders, body] = *tree.members(quantifier) else { return Vec::new() };
    let vars: Vec<&str> =
        tree.members(binders).iter().filter_map(|&binder| tree.head(binder)).collect();
    let old = patterns(&tree, quantifier);
    let shown = |terms: &[String]| format!("({})", terms.join(" "));
    let known: Vec<String> = old.iter().map(|terms| shown(terms)).collect();

    // Terms of the body with the variables that they mention.
    let inside = tree.in_attributes();
    let body = tree.nodes[body].span.clone();
    let mut terms: Vec<(String, FxHashSet<&str>)> = Vec::new();
    for at in 0..tree.nodes.len() {
        let span = &tree.nodes[at].span;
        let within = body.start <= span.start && span.end <= body.end;
        if !within || inside[at] && !inside[quantifier] {
            continue;
        }
        let Some(used) = matchable(&tree, at, &vars, functions) else { continue };
        let term = words(tree.text_of(at));
        if !used.is_empty() && !terms.iter().any(|(known, _)| *known == term) {
            terms.push((term, used));
        }
    }
    terms.sort_by_key(|(term, _)| term.len());
    let covers = |used: &FxHashSet<&str>| vars.iter().all(|var| used.contains(var));
    let mut singles: Vec<Vec<String>> = Vec::new();
    let mut joined: Vec<Vec<String>> = Vec::new();
    for (term, used) in &terms {
        if covers(used) {
            singles.push(vec![term.clone()]);
        }
        for pattern in old.iter().filter(|pattern| !pattern.contains(term)) {
            joined.push(pattern.iter().cloned().chain([term.clone()]).collect());
        }
    }
    for (at, (first, some)) in terms.iter().enumerate() {
        for (second, more) in &terms[at + 1..] {
            if !covers(some) && !covers(more) && covers(&some.union(more).copied().collect()) {
                joined.push(vec![first.clone(), second.clone()]);
            }
        }
    }
    let ordered: Vec<Vec<String>> = match strongest {
        // A larger term matches less.
        true => singles.into_iter().rev().chain(joined.into_iter().rev()).collect(),
        false => singles.into_iter().chain(joined).collect(),
    };
    let mut found: Vec<Repatterned> = Vec::new();
    for pattern in ordered {
        let new = shown(&pattern);
        if !known.contains(&new) && !found.iter().any(|one| one.new == new) {
            let text = with_pattern(&tree, quantifier, &new);
            found.push(Repatterned { text, old: known.clone(), new });
        }
        if found.len() == OFFERED {
            break;
        }
    }
    found
}

/// The patterns of a quantifier.
fn patterns(tree: &Tree<'_>, quantifier: usize) -> Vec<Vec<String>> {
    let body = tree.members(quantifier)[2];
    let is_body = tree.head(body) == Some("!");
    let pairs = tree.members(body).windows(2).filter(|_| is_body);
    pairs
        .filter(|pair| tree.word(pair[0]) == Some(":pattern"))
        .map(|pair| tree.members(pair[1]).iter().map(|&term| words(tree.text_of(term))).collect())
        .collect()
}

/// A text on one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The variables of a term that E-matching can match: declared functions over variables and
/// constants.
fn matchable<'t>(
    tree: &Tree<'t>,
    term: usize,
    vars: &[&'t str],
    functions: &FxHashSet<String>,
) -> Option<FxHashSet<&'t str>> {
    let head = tree.head(term)?;
    if !functions.contains(head) || vars.contains(&head) {
        return None;
    }
    let mut used = FxHashSet::default();
    let mut work = tree.members(term)[1..].to_vec();
    while let Some(part) = work.pop() {
        match tree.word(part) {
            Some(word) if vars.contains(&word) => {
                used.insert(word);
            }
            Some(word) => {
                let literal = word.starts_with(|c: char| c.is_ascii_digit());
                (literal || functions.contains(word)).then_some(())?;
            }
            None => {
                let head = tree.head(part)?;
                (functions.contains(head) && !vars.contains(&head)).then_some(())?;
                work.extend(&tree.members(part)[1..]);
            }
        }
    }
    Some(used)
}

/// The command with one pattern for a quantifier, instead of those that it has.
fn with_pattern(tree: &Tree<'_>, quantifier: usize, pattern: &str) -> String {
    let body = tree.members(quantifier)[2];
    let span = tree.nodes[body].span.clone();
    if tree.head(body) != Some("!") {
        let edits = vec![
            (span.start..span.start, "(! ".to_owned()),
            (span.end..span.end, format!(" :pattern {pattern})")),
        ];
        return tree.with(edits);
    }
    let mut edits = Vec::new();
    for pair in tree.members(body).windows(2) {
        if tree.word(pair[0]) == Some(":pattern") {
            edits.push((
                tree.nodes[pair[0]].span.start..tree.nodes[pair[1]].span.end,
                String::new(),
            ));
        }
    }
    let new = format!(":pattern {pattern}");
    match edits.first_mut() {
        Some((_, text)) => *text = new,
        None => edits.push((span.end - 1..span.end - 1, format!(" {new}"))),
    }
    tree.with(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(text: &str, strongest: bool) -> Vec<String> {
        let functions = ["f", "g", "h", "c"].map(str::to_owned).into_iter().collect();
        others(text, 0, &functions, strongest).into_iter().map(|one| one.new).collect()
    }

    #[test]
    fn patterns_come_from_the_body() {
        let text =
            "(assert (forall ((x Int)) (! (= (f x) (+ 1 (g (f (h x))))) :pattern ((f x)) :qid q)))";
        let strong = offered(text, true);
        assert_eq!(strong[..2], ["((g (f (h x))))", "((f (h x)))"]);
        assert_eq!(offered(text, false)[0], "((h x))");
        let functions = ["f", "g", "h"].map(str::to_owned).into_iter().collect();
        let first = &others(text, 0, &functions, true)[0];
        assert_eq!(first.old, ["((f x))"]);
        assert!(first.text.ends_with(":pattern ((g (f (h x)))) :qid q)))"), "{}", first.text);
    }

    #[test]
    fn several_terms_cover_the_variables_together() {
        let text = "(assert (forall ((x Int) (y Int)) (=> (= (f x) (g y)) (< x y))))";
        assert_eq!(offered(text, true), ["((f x) (g y))"]);
    }

    #[test]
    fn terms_of_other_binders_are_left_alone() {
        let text = "(assert (forall ((x Int)) (let ((z 1)) (exists ((y Int)) (= (f y) (f z))))))";
        assert_eq!(offered(text, true), Vec::<String>::new());
    }
}
