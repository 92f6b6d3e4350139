//! The text of a command as a tree of spans: edits replace a few words and keep the rest as written.

use std::ops::Range;

/// A word or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    /// Where it is in the text.
    pub(crate) span: Range<usize>,
    /// The members of a list; `None` for a word.
    pub(crate) members: Option<Vec<usize>>,
    /// The list that it is a member of.
    pub(crate) parent: Option<usize>,
}

/// The lists and words of a text, in the order in which they begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tree<'t> {
    pub(crate) text: &'t str,
    pub(crate) nodes: Vec<Node>,
}

impl<'t> Tree<'t> {
    /// Reads a text whose parentheses are balanced, because the reader of SMT-LIB accepted it.
    pub(crate) fn read(text: &'t str) -> Tree<'t> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for span in Tokens::new(text) {
            let first = text.as_bytes()[span.start];
            if first == b')' {
                if let Some(list) = open.pop() {
                    nodes[list].span.end = span.end;
                }
                continue;
            }
            let number = nodes.len();
            let parent = open.last().copied();
            let members = (first == b'(').then(Vec::new);
            nodes.push(Node { span, members, parent });
            if let Some(Some(siblings)) = parent.map(|list| nodes[list].members.as_mut()) {
                siblings.push(number);
            }
            if first == b'(' {
                open.push(number);
            }
        }
        Tree { text, nodes }
    }

    /// A node as written.
    pub(crate) fn text_of(&self, node: usize) -> &'t str {
        &self.text[self.nodes[node].span.clone()]
    }

    /// The members of a list.
    pub(crate) fn members(&self, node: usize) -> &[usize] {
        self.nodes[node].members.as_deref().unwrap_or_default()
    }

    /// The word that begins a list, without bars.
    pub(crate) fn head(&self, node: usize) -> Option<&'t str> {
        let &first = self.members(node).first()?;
        self.word(first)
    }

    /// A word, without bars; `None` for a list.
    pub(crate) fn word(&self, node: usize) -> Option<&'t str> {
        self.nodes[node].members.is_none().then(|| plain(self.text_of(node)))
    }

    /// The nodes that are within the value of an attribute.
    pub(crate) fn in_attributes(&self) -> Vec<bool> {
        let mut inside = vec![false; self.nodes.len()];
        for at in 0..self.nodes.len() {
            let above = self.nodes[at].parent;
            if above.is_some_and(|list| inside[list]) {
                inside[at] = true;
                continue;
            }
            if self.head(at) == Some("!") {
                for &member in self.members(at).iter().skip(2) {
                    inside[member] = true;
                }
            }
        }
        inside
    }

    /// The text with some nodes replaced; the spans must not overlap.
    pub(crate) fn with(&self, mut edits: Vec<(Range<usize>, String)>) -> String {
        edits.sort_by_key(|(span, _)| span.start);
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for (span, new) in edits {
            out.push_str(&self.text[at..span.start]);
            out.push_str(&new);
            at = span.end;
        }
        out + &self.text[at..]
    }
}

/// The parentheses and words of a text, without blanks and comments.
pub(crate) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t str) -> Tokens<'t> {
        Tokens { text, at: 0 }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            let start = self.at;
            self.at += token(rest, first);
            if !first.is_whitespace() && first != ';' {
                return Some(start..self.at);
            }
        }
    }
}

/// A symbol without the bars that may be around it.
pub(crate) fn plain(word: &str) -> &str {
    word.strip_prefix('|').and_then(|word| word.strip_suffix('|')).unwrap_or(word)
}

/// The length of the token, comment or blank that a text begins with.
fn token(text: &str, first: char) -> usize {
    match first {
        '(' | ')' => 1,
        ';' => text.find('\n').unwrap_or(text.len()),
        '|' => text[1..].find('|').map_or(text.len(), |at| at + 2),
        '"' => {
            let mut at = 1;
            loop {
                match text[at..].find('"') {
                    None => return text.len(),
                    Some(close) if text[at + close + 1..].starts_with('"') => at += close + 2,
                    Some(close) => return at + close + 1,
                }
            }
        }
        _ if first.is_whitespace() => first.len_utf8(),
        _ => {
            let ends = |c: char| c.is_whitespace() || "()\"|;".contains(c);
            text.find(ends).unwrap_or(text.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lists_and_attributes() {
        let text = "(assert (! (forall ((x Int)) (! (p |a)b| \"(\"\"\") ; (\n :qid q :pattern ((p x)))) :named n))";
        let tree = Tree::read(text);
        assert_eq!(tree.text_of(0), text);
        assert_eq!(tree.head(0), Some("assert"));
        let inside = tree.in_attributes();
        let kept: Vec<&str> = (0..tree.nodes.len())
            .filter(|&at| !inside[at])
            .filter_map(|at| tree.word(at))
            .collect();
        assert_eq!(kept, ["assert", "!", "forall", "x", "Int", "!", "p", "a)b", "\"(\"\"\"",]);
        let named = (0..tree.nodes.len()).find(|&at| tree.word(at) == Some("n")).expect("there");
        let changed = tree.with(vec![(tree.nodes[named].span.clone(), "m".to_owned())]);
        assert!(changed.ends_with(":named m))"), "{changed}");
    }
}
