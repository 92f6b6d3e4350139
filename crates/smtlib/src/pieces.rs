//! The pieces of a text as a reader sees them, for syntax highlighting.
//!
//! Only tokens are recognized here, and nothing is rejected: text that is not a token is passed on
//! unchanged.

use crate::lexer::{Lexer, Token};
use std::ops::Range;

/// The kind of a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Between tokens.
    Space,
    /// From a semicolon to the end of the line.
    Comment,
    /// An opening parenthesis.
    Open,
    /// A closing parenthesis.
    Close,
    /// A symbol, with its bars.
    Symbol,
    /// A keyword, with its colon.
    Keyword,
    /// A numeral, a decimal, a binary or a hexadecimal.
    Number,
    /// A string, with its quotes.
    Text,
    /// Text that is not a token, and all that follows it.
    Strange,
}

/// All pieces of a text, in order: concatenated, they are the text.
#[must_use]
pub fn pieces(text: &str) -> Vec<(Piece, Range<usize>)> {
    let mut lexer = Lexer::new(text);
    let mut found = Vec::new();
    let mut end = 0;
    loop {
        let Ok(token) = lexer.next() else {
            found.push((Piece::Strange, end..text.len()));
            break;
        };
        between(text, end..lexer.at(), &mut found);
        end = lexer.position();
        let piece = match token {
            Token::Open => Piece::Open,
            Token::Close => Piece::Close,
            Token::Symbol | Token::Quoted => Piece::Symbol,
            Token::Keyword => Piece::Keyword,
            Token::Numeral
            | Token::Decimal
            | Token::Hexadecimal
            | Token::Binary
            | Token::FieldElement => Piece::Number,
            Token::String => Piece::Text,
            Token::End => break,
        };
        found.push((piece, lexer.at()..end));
    }
    found
}

/// Space and comments.
fn between(text: &str, gap: Range<usize>, found: &mut Vec<(Piece, Range<usize>)>) {
    let mut at = gap.start;
    while at < gap.end {
        let rest = &text[at..gap.end];
        let (piece, length) = match rest.find(';') {
            Some(0) => (Piece::Comment, rest.find('\n').unwrap_or(rest.len())),
            Some(begin) => (Piece::Space, begin),
            None => (Piece::Space, rest.len()),
        };
        found.push((piece, at..at + length));
        at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Piece, &str)> {
        let all = pieces(text);
        let whole: String = all.iter().map(|(_, range)| &text[range.clone()]).collect();
        assert_eq!(whole, text, "the pieces are the text");
        let tokens = all.into_iter().filter(|(piece, _)| *piece != Piece::Space);
        tokens.map(|(piece, range)| (piece, &text[range])).collect()
    }

    #[test]
    fn tokens_keep_their_quotes_and_comments_are_found() {
        use Piece::{Close, Comment, Keyword, Number, Open, Symbol, Text};
        assert_eq!(
            kinds("; one; two\n(f |a b| \"x;\"\"\" #b01 1.5 :k) ; end"),
            [
                (Comment, "; one; two"),
                (Open, "("),
                (Symbol, "f"),
                (Symbol, "|a b|"),
                (Text, "\"x;\"\"\""),
                (Number, "#b01"),
                (Number, "1.5"),
                (Keyword, ":k"),
                (Close, ")"),
                (Comment, "; end"),
            ]
        );
        assert_eq!(kinds(""), []);
        assert_eq!(kinds(" \n"), []);
    }

    #[test]
    fn text_that_is_not_a_token_is_one_piece() {
        assert_eq!(
            kinds("(a é) b"),
            [(Piece::Open, "("), (Piece::Symbol, "a"), (Piece::Strange, " é) b")]
        );
        assert_eq!(kinds("\"open"), [(Piece::Strange, "\"open")]);
    }
}
