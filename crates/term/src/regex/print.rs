//! Values as SMT-LIB text, for messages and debugging; dialects belong to the real printer.

use std::fmt;

use super::value::{Node, RegLan};

/// `Debug` output stops after this many nodes, since a shared value may be astronomically long.
const DEBUG_NODES: u64 = 500;

enum Piece<'a> {
    Value(&'a RegLan),
    Close,
}

impl fmt::Display for RegLan {
    /// The value as an SMT-LIB term, written out as a tree; see [`RegLan::tree_size`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_term(self, u64::MAX, f)
    }
}

impl fmt::Debug for RegLan {
    /// As `Display`, with an ellipsis for everything after the first few hundred nodes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_term(self, DEBUG_NODES, f)
    }
}

fn write_term(value: &RegLan, limit: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut pending = vec![Piece::Value(value)];
    let mut written = 0;
    let mut separator = "";
    while let Some(piece) = pending.pop() {
        match piece {
            Piece::Close => f.write_str(")")?,
            Piece::Value(_) if written == limit => return f.write_str(" ..."),
            Piece::Value(value) => {
                written += 1;
                f.write_str(separator)?;
                write_head(value.node(), f)?;
                let bottom = pending.len();
                pending.extend(value.node().children().map(Piece::Value));
                if pending.len() > bottom {
                    pending.push(Piece::Close);
                }
                pending[bottom..].reverse();
            }
        }
        separator = " ";
    }
    Ok(())
}

/// Writes a leaf completely and an operator up to its first operand.
fn write_head(node: &Node, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match node {
        Node::None => f.write_str("re.none"),
        Node::All => f.write_str("re.all"),
        Node::AllChar => f.write_str("re.allchar"),
        Node::Literal(word) => {
            f.write_str("(str.to_re ")?;
            write_string(word, f)?;
            f.write_str(")")
        }
        Node::Range(lo, hi) => {
            f.write_str("(re.range ")?;
            write_string(&[*lo], f)?;
            f.write_str(" ")?;
            write_string(&[*hi], f)?;
            f.write_str(")")
        }
        Node::Concat(_) => f.write_str("(re.++"),
        Node::Union(_) => f.write_str("(re.union"),
        Node::Inter(_) => f.write_str("(re.inter"),
        Node::Star(_) => f.write_str("(re.*"),
        Node::Plus(_) => f.write_str("(re.+"),
        Node::Opt(_) => f.write_str("(re.opt"),
        Node::Comp(_) => f.write_str("(re.comp"),
        Node::Diff(..) => f.write_str("(re.diff"),
        Node::Power(_, count) => write!(f, "((_ re.^ {count})"),
        Node::Loop(_, lo, hi) => write!(f, "((_ re.loop {lo} {hi})"),
    }
}

/// A string literal; the backslash is escaped too, so that no two words print alike.
fn write_string(word: &[u32], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for &code in word {
        match char::from_u32(code) {
            Some('"') => f.write_str("\"\"")?,
            Some(c @ ' '..='~') if c != '\\' => write!(f, "{c}")?,
            _ => write!(f, "\\u{{{code:x}}}")?,
        }
    }
    f.write_str("\"")
}
