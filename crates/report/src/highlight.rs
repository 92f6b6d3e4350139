//! Syntax highlighting of SMT-LIB and C.

use assay_campaign::shown;
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

/// A text with a span around every coloured token. Text that is not SMT-LIB stays as it is.
pub(crate) fn highlight(text: &str) -> Markup {
    let mut depth = 0usize;
    let mut head = false;
    html! {
        @for (piece, range) in pieces(text) {
            @let words = shown(&text[range]);
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

/// The colour of a token: by its type and, for a symbol, by its position.
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

const C_WORDS: [&str; 14] = [
    "if", "else", "while", "for", "switch", "case", "default", "break", "return", "extern",
    "static", "struct", "const", "void",
];
const C_TYPES: [&str; 7] = ["_Bool", "char", "short", "int", "long", "unsigned", "signed"];

/// A C text with a span around every coloured word.
pub(crate) fn highlight_c(text: &str) -> Markup {
    html! {
        @for word in c_words(text) {
            @match c_class(word) {
                Some(class) => span class=(class) { (shown(word)) },
                None => (shown(word)),
            }
        }
    }
}

/// Splits a C text into words that together make up the text.
fn c_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let until = |found: Option<usize>| found.unwrap_or(rest.len());
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = if rest.starts_with("//") || first == '#' {
            until(rest.find('\n'))
        } else if rest.starts_with("/*") {
            until(rest.find("*/").map(|at| at + 2))
        } else if first == '"' {
            until(rest[1..].find('"').map(|at| at + 2))
        } else if is_word(first) {
            until(rest.find(|c| !is_word(c)))
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

fn c_class(word: &str) -> Option<&'static str> {
    match word {
        _ if C_WORDS.contains(&word) => Some("k"),
        _ if C_TYPES.contains(&word) => Some("t"),
        _ if word.starts_with("//") || word.starts_with("/*") || word.starts_with('#') => Some("c"),
        _ if word.starts_with('"') => Some("s"),
        _ if word.starts_with(|c: char| c.is_ascii_digit()) => Some("n"),
        "reach_error" => Some("a"),
        _ => None,
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
    fn words_of_c_have_their_colours() {
        assert_eq!(
            highlight_c("int x = 5U; // <\nreach_error();").into_string(),
            "<span class=\"t\">int</span> x = <span class=\"n\">5U</span>; \
             <span class=\"c\">// &lt;</span>\n<span class=\"a\">reach_error</span>();"
        );
        assert_eq!(c_words("a\"é\" /* x").collect::<String>(), "a\"é\" /* x");
    }

    #[test]
    fn any_text_is_shown() {
        assert_eq!(highlight("sat \"<é> \u{7}").into_string(), "sat &quot;&lt;é&gt; \\u0007");
        assert_eq!(highlight("").into_string(), "");
    }
}
