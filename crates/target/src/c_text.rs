//! Prints a C program in an analyzer's dialect: with another body of the error function, and other
//! names of functions.
//!
//! Works on the tokens of any file that follows the conventions of SV-COMP; knows no grammar.

use crate::spec::Analyzer;
use std::collections::BTreeSet;

/// The function that signals the error.
const ERROR: &str = "reach_error";

/// A program that cannot be rewritten.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the program does not define `{ERROR}`; expected `void {ERROR}(void) {{ … }}`")]
pub struct NoError;

/// The program for an analyzer.
///
/// # Errors
/// Fails if it has no error function.
pub fn in_dialect(text: &str, analyzer: &Analyzer) -> Result<String, NoError> {
    let words = words(text);
    let body = error_body(&words);
    if body.is_none() && words.iter().any(|word| word.text == ERROR) {
        return Err(NoError);
    }
    let renamed = match analyzer.prefix.is_empty() {
        true => BTreeSet::new(),
        false => defined(&words),
    };
    let mut out = String::with_capacity(text.len() + 200);
    if !analyzer.declares.is_empty() {
        out.push_str(&analyzer.declares);
        out.push('\n');
    }
    let mut at = 0;
    while at < words.len() {
        if let Some((open, close)) = body.filter(|(open, _)| *open == at) {
            out.push_str("{ ");
            out.push_str(&analyzer.error);
            out.push_str(" }");
            at = close + 1;
            debug_assert!(open <= close);
            continue;
        }
        let word = &words[at];
        if word.kind == Kind::Name && renamed.contains(word.text) {
            out.push_str(&analyzer.prefix);
        }
        out.push_str(word.text);
        at += 1;
    }
    Ok(out)
}

/// The first of these words in a program, outside comments and literals.
pub(crate) fn mentioned<'n>(text: &str, names: &'n [String]) -> Option<&'n str> {
    let words = words(text);
    let has = |name: &&String| words.iter().any(|w| w.kind == Kind::Name && w.text == **name);
    names.iter().find(has).map(String::as_str)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Name,
    /// White space, comments, literals and directives.
    Other,
    Mark,
}

#[derive(Clone, Copy, Debug)]
struct Word<'t> {
    text: &'t str,
    kind: Kind,
}

/// Splits a text into words that together make up the text.
fn words(text: &str) -> Vec<Word<'_>> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    while at < bytes.len() {
        let start = at;
        let begins = |what: &str| text[start..].starts_with(what);
        let kind = if begins("//") || bytes[at] == b'#' {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            Kind::Other
        } else if begins("/*") {
            at += text[at..].find("*/").map_or(text.len() - at, |end| end + 2);
            Kind::Other
        } else if bytes[at] == b'"' || bytes[at] == b'\'' {
            let quote = bytes[at];
            at += 1;
            while at < bytes.len() && bytes[at] != quote {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at = (at + 1).min(bytes.len());
            while !text.is_char_boundary(at) {
                at += 1;
            }
            Kind::Other
        } else if is_name(bytes[at]) {
            while at < bytes.len() && is_name(bytes[at]) {
                at += 1;
            }
            if bytes[start].is_ascii_digit() { Kind::Other } else { Kind::Name }
        } else if bytes[at].is_ascii_punctuation() {
            at += 1;
            Kind::Mark
        } else {
            while at < bytes.len() && !is_name(bytes[at]) && !bytes[at].is_ascii_punctuation() {
                at += 1;
            }
            Kind::Other
        };
        words.push(Word { text: &text[start..at], kind });
    }
    words
}

/// The next word that is not white space or a comment, with its position.
fn next<'w, 't>(words: &'w [Word<'t>], from: usize) -> Option<(usize, &'w Word<'t>)> {
    let solid = |word: &Word<'_>| {
        word.kind != Kind::Other || word.text.starts_with(['"', '\'']) || {
            word.text.starts_with(|c: char| c.is_ascii_digit())
        }
    };
    words.iter().enumerate().skip(from).find(|(_, word)| solid(word))
}

/// The position of the closing mark that matches an opening one.
fn closing(words: &[Word<'_>], open: usize) -> Option<usize> {
    let (opens, closes) = match words[open].text {
        "(" => ("(", ")"),
        _ => ("{", "}"),
    };
    let mut depth = 0usize;
    for (at, word) in words.iter().enumerate().skip(open) {
        if word.text == opens {
            depth += 1;
        } else if word.text == closes {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The start of the body of the function whose name is at a position, if it is defined there.
fn body(words: &[Word<'_>], name: usize) -> Option<usize> {
    let (open, word) = next(words, name + 1)?;
    if word.text != "(" {
        return None;
    }
    let (brace, word) = next(words, closing(words, open)? + 1)?;
    (word.text == "{").then_some(brace)
}

/// The first and the last word of the body of the error function.
fn error_body(words: &[Word<'_>]) -> Option<(usize, usize)> {
    let names = words.iter().enumerate().filter(|(_, word)| word.text == ERROR);
    let open = names.into_iter().find_map(|(at, _)| body(words, at))?;
    Some((open, closing(words, open)?))
}

/// The functions that the file defines, except `main`.
fn defined<'t>(words: &[Word<'t>]) -> BTreeSet<&'t str> {
    let mut defined = BTreeSet::new();
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        match (word.kind, body(words, at)) {
            (Kind::Name, Some(open))
                if !["if", "while", "for", "switch", "main"].contains(&word.text) =>
            {
                defined.insert(word.text);
                at = closing(words, open).unwrap_or(words.len());
            }
            _ => at += 1,
        }
    }
    defined
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
void reach_error(void) { if (1) { abort(); } } // reach_error
static int func_1(int x) { return x == '}' ; }
int main(void) { if (func_1(__VERIFIER_nondet_int())) { reach_error(); } return 0; }
";

    #[test]
    fn only_the_body_of_the_error_changes() {
        let analyzer = Analyzer { error: "boom();".into(), ..Analyzer::default() };
        let text = in_dialect(PROGRAM, &analyzer).expect("it has an error function");
        assert_eq!(text, PROGRAM.replace("{ if (1) { abort(); } }", "{ boom(); }"));
    }

    #[test]
    fn functions_are_renamed_where_they_are_defined_and_called() {
        let analyzer = Analyzer {
            error: "boom();".into(),
            declares: "void boom(void);".into(),
            prefix: "p_".into(),
            ..Analyzer::default()
        };
        let text = in_dialect(PROGRAM, &analyzer).expect("it has an error function");
        assert!(text.starts_with("void boom(void);\nextern int __VERIFIER_nondet_int(void);\n"));
        assert!(text.contains("void p_reach_error(void) { boom(); } // reach_error"), "{text}");
        assert!(text.contains("static int p_func_1(int x) { return x == '}' ; }"), "{text}");
        assert!(text.contains("int main(void) { if (p_func_1(__VERIFIER_nondet_int())) { p_reach"));
    }

    #[test]
    fn words_in_comments_and_literals_do_not_count() {
        let lacks = ["double".to_owned(), "__int128".to_owned()];
        assert_eq!(mentioned("int x; // double\nchar *s = \"__int128\";", &lacks), None);
        assert_eq!(mentioned("unsigned __int128 x; doubled y;", &lacks), Some("__int128"));
    }

    #[test]
    fn a_program_that_only_declares_its_error_is_refused() {
        let text = "void reach_error(void); int main(void) { reach_error(); }";
        assert_eq!(in_dialect(text, &Analyzer::default()), Err(NoError));
        let safe = "int main(void) { return 0; }";
        assert_eq!(in_dialect(safe, &Analyzer::default()).as_deref(), Ok(safe));
    }
}
