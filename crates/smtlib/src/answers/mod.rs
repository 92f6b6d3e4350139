//! What solvers answer: verdicts, error lines, models, values, cores, objectives.
//!
//! Solvers print many shapes of the same thing; what a shape means is decided here, once. A value
//! that cannot be represented exactly (an algebraic number, an approximation) becomes opaque, never
//! an approximation of ours.

mod lists;
mod model;
mod tables;

pub use lists::{Bound, Objective, read_core, read_objectives, read_values};
pub use model::read_model;

use crate::lexer::{Lexer, Token};

/// One answer of a solver to one command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Response<'t> {
    /// `sat`.
    Sat,
    /// `unsat`.
    Unsat,
    /// `unknown`.
    Unknown,
    /// `timeout`, as z3 prints it.
    Timeout,
    /// `success`.
    Success,
    /// `unsupported`.
    Unsupported,
    /// `(error "…")`, with the message.
    Error(String),
    /// Any other expression in parentheses, as text.
    Expression(&'t str),
    /// Text that is none of these: warnings, stack traces, half a model.
    Noise(&'t str),
}

/// Splits a solver's output into its answers.
#[must_use]
pub fn responses(output: &str) -> Vec<Response<'_>> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(output);
    loop {
        let Ok(token) = lexer.next() else {
            // Not even tokens: a line of noise, then on.
            let start = lexer.at();
            let end = output[start..].find('\n').map_or(output.len(), |at| start + at);
            found.push(Response::Noise(&output[start..end]));
            lexer.rewind(end);
            continue;
        };
        let start = lexer.at();
        match token {
            Token::End => return found,
            Token::Symbol => found.push(word(&mut lexer, output, start)),
            Token::Open => match expression_end(&mut lexer) {
                Some(end) => found.push(expression(&output[start..end])),
                None => {
                    found.push(Response::Noise(&output[start..]));
                    return found;
                }
            },
            _ => {
                let end = line_end(output, start);
                found.push(Response::Noise(&output[start..end]));
                lexer.rewind(end);
            }
        }
    }
}

fn line_end(output: &str, start: usize) -> usize {
    output[start..].find('\n').map_or(output.len(), |at| start + at)
}

/// A word alone on its line is an answer; in a sentence it is noise.
fn word<'t>(lexer: &mut Lexer<'t>, output: &'t str, start: usize) -> Response<'t> {
    let end = line_end(output, start);
    let line = output[start..end].trim_end();
    let response = match line {
        "sat" => Response::Sat,
        "unsat" => Response::Unsat,
        "unknown" => Response::Unknown,
        "timeout" => Response::Timeout,
        "success" => Response::Success,
        "unsupported" => Response::Unsupported,
        _ => Response::Noise(line),
    };
    lexer.rewind(end);
    response
}

/// The end of the expression whose opening parenthesis was just read.
fn expression_end(lexer: &mut Lexer<'_>) -> Option<usize> {
    let mut depth = 1usize;
    while depth > 0 {
        match lexer.next().ok()? {
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            Token::End => return None,
            _ => {}
        }
    }
    Some(lexer.at() + 1)
}

fn expression(text: &str) -> Response<'_> {
    let Some(rest) = text.strip_prefix("(error") else { return Response::Expression(text) };
    let message = rest.trim_end_matches(')').trim();
    let message = message.strip_prefix('"').and_then(|m| m.strip_suffix('"')).unwrap_or(message);
    Response::Error(message.replace("\"\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_splits_into_answers() {
        use Response::{Error, Expression, Noise, Sat, Unknown, Unsat, Unsupported};
        let table: &[(&str, &[Response<'_>])] = &[
            (
                "sat\n(model (define-fun x () Int 1))\n",
                &[Sat, Expression("(model (define-fun x () Int 1))")],
            ),
            ("unsat\r\n(a |b c|)", &[Unsat, Expression("(a |b c|)")]),
            ("unsupported\n; ignoring\nunknown\n", &[Unsupported, Unknown]),
            ("(error \"line 3: a \"\"b\"\"\")\nsat\n", &[Error("line 3: a \"b\"".into()), Sat]),
            ("sat or unsat", &[Noise("sat or unsat")]),
            ("WARNING: sat\nsat", &[Noise("WARNING: sat"), Sat]),
            ("sat\n(model (define-fun", &[Sat, Noise("(model (define-fun")]),
            ("\u{1}bad\nunsat", &[Noise("\u{1}bad"), Unsat]),
            ("", &[]),
        ];
        for (output, expected) in table {
            assert_eq!(&responses(output), expected, "{output:?}");
        }
    }
}
