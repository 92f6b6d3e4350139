//! SMT-LIB in colours.

use crate::words::visible;
use assay_smtlib::{Piece, pieces};
use assay_term::Op;
use maud::{Markup, html};

const RESERVED: [&str; 10] =
    ["let", "forall", "exists", "match", "par", "lambda", "!", "_", "as", "true"];
const SORTS: [&str; 15] = [
    "Bool",
    "Int",
    "Real",
    "String",
    "RegLan",
    "RegEx",
    "BitVec",
    "Array",
    "Seq",
    "FloatingPoint",
    "RoundingMode",
    "Float16",
    "Float32",
    "Float64",
    "Float128",
];

/// A text with a span around every piece that has a colour. What is no SMT-LIB stays as it is.
pub(crate) fn highlight(text: &str) -> Markup {
    let mut depth = 0usize;
    let mut head = false;
    html! {
        @for (piece, range) in pieces(text) {
            @let words = visible(&text[range]);
            @let class = class(piece, &words, depth, head);
            @match class {
                Some(class) => span class=(class) { (words) },
                None => (words),
            }
            @let () = {
                match piece {
                    Piece::Open => depth += 1,
                    Piece::Close => depth = depth.saturating_sub(1),
                    _ => {}
                }
                head = piece == Piece::Open || head && matches!(piece, Piece::Space | Piece::Comment);
            };
        }
    }
}

/// The colour of a piece: by what it is and, for a symbol, by where it stands.
fn class(piece: Piece, words: &str, depth: usize, head: bool) -> Option<&'static str> {
    match piece {
        Piece::Comment => Some("c"),
        Piece::Keyword => Some("a"),
        Piece::Number => Some("n"),
        Piece::Text => Some("s"),
        Piece::Symbol if head && (depth == 1 || words.starts_with("define-")) => Some("k"),
        Piece::Symbol if RESERVED.contains(&words) || words == "false" => Some("k"),
        Piece::Symbol if SORTS.contains(&words) => Some("t"),
        Piece::Symbol if Op::by_name(words).is_some() => Some("o"),
        Piece::Space | Piece::Open | Piece::Close | Piece::Symbol | Piece::Strange => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_their_colours() {
        let text = "; a < b\n(assert (= (str.++ x |<y>|) \"&\"))";
        assert_eq!(
            highlight(text).into_string(),
            "<span class=\"c\">; a &lt; b</span>\n(<span class=\"k\">assert</span> \
             (<span class=\"o\">=</span> (<span class=\"o\">str.++</span> x |&lt;y&gt;|) \
             <span class=\"s\">&quot;&amp;&quot;</span>))"
        );
        assert_eq!(
            highlight("(declare-const x (_ BitVec 8))").into_string(),
            "(<span class=\"k\">declare-const</span> x (<span class=\"k\">_</span> \
             <span class=\"t\">BitVec</span> <span class=\"n\">8</span>))"
        );
    }

    #[test]
    fn any_text_is_shown() {
        assert_eq!(highlight("sat \"<é> \u{7}").into_string(), "sat &quot;&lt;é&gt; \\u{7}");
        assert_eq!(highlight("").into_string(), "");
    }
}
