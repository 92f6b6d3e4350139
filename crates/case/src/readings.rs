//! The possible readings of a printed model.
//!
//! Solvers of different ages spell the same string differently, and some print approximations that
//! look exact. A model is called wrong only if it is false under every reading.

use crate::check::{Falsified, ModelFault, satisfy};
use crate::formula::Formula;
use assay_smtlib::{ItemFault, PrintedModel};
use assay_term::{Budget, Model, Store};
use std::borrow::Cow;

/// The result of examining a printed model.
pub(crate) enum Examined {
    /// It satisfies every assertion.
    True(Box<Reading>),
    /// It falsifies an assertion under every reading.
    False(Falsified),
    /// It proves nothing, for this reason.
    Doubtful(String),
    /// Evaluating it took too long.
    Slow,
    /// It is not a model under any reading; the text follows `the model`.
    Unreadable(String),
}

/// A model that satisfies every assertion.
pub(crate) struct Reading {
    /// The store that it was read into.
    pub(crate) store: Store,
    /// The model, with defaults for relevant values that it leaves out.
    pub(crate) model: Model,
    /// The model without defaults, if the text has only one reading: what is wrong under it is
    /// wrong.
    pub(crate) printed: Option<Model>,
    /// The first unusable item, although the rest satisfies every assertion.
    pub(crate) fault: Option<ItemFault>,
}

/// Reads a model in every possible way and evaluates the assertions.
pub(crate) fn examine(formula: &Formula, text: &str, budget: &mut Budget) -> Examined {
    let mut falsified = None;
    let mut doubt = None;
    let mut unreadable = None;
    let ways = readings(text);
    let clear = ways.len() == 1 && approximation(text).is_none();
    for way in ways {
        let mut store = formula.store().clone();
        let read = match formula.read_model_with(&mut store, &way) {
            Ok(read) => read,
            Err(error) => {
                unreadable.get_or_insert(format!("cannot be read: {}", error.message));
                continue;
            }
        };
        let PrintedModel { model, faults } = read;
        let certain = faults.iter().position(ItemFault::is_certain);
        let fault = faults.into_iter().nth(certain.unwrap_or(0));
        let printed = clear.then(|| model.clone());
        match satisfy(formula, &store, model, budget, |_| true) {
            Ok(model) => return Examined::True(Box::new(Reading { store, model, printed, fault })),
            Err(ModelFault::False(place)) => falsified = falsified.or(Some(place)),
            Err(ModelFault::Slow(_)) => return Examined::Slow,
            Err(unknown) => match fault {
                Some(fault) if fault.is_certain() => {
                    unreadable.get_or_insert(fault.to_string());
                }
                _ => {
                    doubt.get_or_insert(unknown.to_string());
                }
            },
        }
    }
    match (doubt, approximation(text), falsified, unreadable) {
        (Some(reason), ..) => Examined::Doubtful(reason),
        (None, Some(reason), ..) => Examined::Doubtful(reason.into()),
        (None, None, Some(place), None) => Examined::False(place),
        // False under one reading, not a model under another.
        (None, None, Some(_), Some(words)) => Examined::Doubtful(format!("the model {words}")),
        (None, None, None, words) => {
            Examined::Unreadable(words.expect("each reading has a result"))
        }
    }
}

/// The meaning of a backslash in a string literal, if not that of SMT-LIB 2.6 (where only `\u`
/// begins an escape).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Backslash {
    /// C escapes, as in z3 up to 4.8.10.
    Classic,
    /// C escapes, but `\\u{…}` is a character (z3 4.8.9 and 4.8.10).
    ClassicUnicode,
    /// A plain backslash everywhere (z3 4.8.11 and 4.8.12 print it bare before `u`).
    Literal,
}

/// The text under each convention, in standard spelling, without repetitions.
pub(crate) fn readings(text: &str) -> Vec<Cow<'_, str>> {
    let mut found = vec![Cow::Borrowed(text)];
    if text.contains('\\') {
        for meant in [Backslash::Classic, Backslash::ClassicUnicode, Backslash::Literal] {
            let other = respell(text, meant);
            if !found.iter().any(|known| *known == other) {
                found.push(Cow::Owned(other));
            }
        }
    }
    found
}

/// Whether the text may hold an approximation instead of the exact value.
fn approximation(text: &str) -> Option<&'static str> {
    if text.contains('\u{FFFD}') {
        return Some("the model has bytes that are not text");
    }
    // yices rounds an irrational number to six decimal places, and prints a rational one as a
    // quotient. The reader refuses fractions, but a number that is rounded to an integer remains.
    let six_digits = text.split('.').skip(1).any(|after| {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        digits == 6
    });
    six_digits.then_some("the model has a decimal that may be an approximation")
}

/// Respells the string literals of a text in the standard's way.
fn respell(text: &str, meant: Backslash) -> String {
    let mut out = String::with_capacity(text.len());
    let mut region = Region::Code;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        region = match (region, c) {
            (Region::Code, '"') => Region::Literal,
            (Region::Code, '|') => Region::Bars,
            (Region::Code, ';') => Region::Comment,
            // A doubled quote leaves the literal and enters it again.
            (Region::Literal, '"') | (Region::Bars, '|') | (Region::Comment, '\n') => Region::Code,
            (region, _) => region,
        };
        if region == Region::Literal && c == '\\' {
            let (spelled, taken) = escape(rest, meant);
            out.push_str(&spelled);
            rest = &rest[taken..];
        } else {
            out.push(c);
        }
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Region {
    Code,
    Bars,
    Comment,
    Literal,
}

/// The standard spelling of a backslash escape, and the number of bytes that it spans.
fn escape(rest: &str, meant: Backslash) -> (String, usize) {
    let bare = || (character(0x5C), 0);
    if meant == Backslash::Literal {
        return bare();
    }
    let bytes = rest.as_bytes();
    let code = |digits: usize, radix: u32, skip: usize| {
        let text = rest.get(skip..skip + digits)?;
        let plain = text.bytes().all(|b| b.is_ascii_hexdigit());
        let code = u32::from_str_radix(text, radix).ok().filter(|_| plain)?;
        Some((character(code), skip + digits))
    };
    let simple = |code| (character(code), 1);
    match bytes.first() {
        Some(b'u') => ("\\".into(), 0),
        Some(b'\\') if meant == Backslash::ClassicUnicode && bytes.get(1) == Some(&b'u') => {
            ("\\".into(), 1)
        }
        Some(b'\\') => simple(0x5C),
        Some(b'a') => simple(0x07),
        Some(b'b') => simple(0x08),
        Some(b'e') => simple(0x1B),
        Some(b'f') => simple(0x0C),
        Some(b'n') => simple(0x0A),
        Some(b'r') => simple(0x0D),
        Some(b't') => simple(0x09),
        Some(b'v') => simple(0x0B),
        Some(b'x') => code(2, 16, 1).unwrap_or_else(bare),
        Some(b'0'..=b'7') => {
            code(3, 8, 0).or_else(|| code(2, 8, 0)).or_else(|| code(1, 8, 0)).unwrap_or_else(bare)
        }
        _ => bare(),
    }
}

fn character(code: u32) -> String {
    format!("\\u{{{code:x}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        readings(text).into_iter().map(Cow::into_owned).collect()
    }

    #[test]
    fn text_without_backslashes_in_literals_has_one_reading() {
        assert_eq!(
            all("(define-fun s () String \"a;|\"\"\")"),
            ["(define-fun s () String \"a;|\"\"\")"]
        );
        assert_eq!(all(";\\n\n|a\\|"), [";\\n\n|a\\|"]);
    }

    #[test]
    fn escapes_are_read_every_way() {
        let table: &[(&str, &[&str])] = &[
            (r#""\x41""#, &[r#""\x41""#, r#""\u{41}""#, r#""\u{5c}x41""#]),
            (r#""\n\101""#, &[r#""\n\101""#, r#""\u{a}\u{41}""#, r#""\u{5c}n\u{5c}101""#]),
            (r#""\u{41}""#, &[r#""\u{41}""#, r#""\u{5c}u{41}""#]),
            (
                r#""\\u{41}""#,
                &[r#""\\u{41}""#, r#""\u{5c}u{41}""#, r#""\u{41}""#, r#""\u{5c}\u{5c}u{41}""#],
            ),
            (r#""\x4""#, &[r#""\x4""#, r#""\u{5c}x4""#]),
            (r#""\x+1é""#, &[r#""\x+1é""#, r#""\u{5c}x+1é""#]),
            (r#""\x4é""#, &[r#""\x4é""#, r#""\u{5c}x4é""#]),
            (r#""a""\n"""#, &[r#""a""\n"""#, r#""a""\u{a}"""#, r#""a""\u{5c}n"""#]),
        ];
        for (text, expected) in table {
            assert_eq!(all(text), *expected, "{text}");
        }
    }

    #[test]
    fn six_decimals_may_be_an_approximation() {
        assert!(approximation("(= x 1.414214)").is_some());
        assert!(approximation("(= x -0.707107)").is_some());
        assert!(approximation("(= s \"\u{FFFD}\")").is_some());
        assert!(approximation("(= x (/ 1.0 3.0)) (= y 1.4142135)").is_none());
    }
}
