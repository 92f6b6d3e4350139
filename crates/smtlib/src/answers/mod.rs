//! Solvers' answers: verdicts, error lines, models, values, cores, objectives.
//!
//! Solvers print the same thing in many formats; all formats are interpreted here. A value that
//! cannot be represented exactly (an algebraic number, an approximation) becomes opaque, never an
//! approximation.

mod bounds;
mod lists;
mod model;
mod raw;
mod tables;
mod universe;

pub use bounds::Bound;
pub use lists::{Objective, read_core, read_objectives, read_values};
pub use model::{ItemFault, PrintedModel, read_model, read_printed_model};

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
    /// Text that is none of these: warnings, stack traces, a truncated model.
    Noise(&'t str),
}

/// Splits a solver's output into its answers.
#[must_use]
pub fn responses(output: &str) -> Vec<Response<'_>> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(output);
    loop {
        let Ok(token) = lexer.next() else {
            // Not even tokens: skip one line.
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
            Token::Open => {
                match error_end(output, start).or_else(|| raw::item_end(output, start)) {
                    Some(end) => {
                        found.push(expression(&output[start..end]));
                        lexer.rewind(end);
                    }
                    None => {
                        found.push(Response::Noise(&output[start..]));
                        return found;
                    }
                }
            }
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

/// A word alone on its line is an answer; within a sentence it is noise.
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

/// The end of an error message. Solvers do not double the quotes inside it, and quote lines of their
/// input, so the message ends with the first line that ends in `")`, or with a line of these two
/// characters alone that comes before any answer.
fn error_end(output: &str, start: usize) -> Option<usize> {
    let message = output[start..].strip_prefix("(error")?;
    if !message.trim_start().starts_with('"') {
        return None;
    }
    let mut end = None;
    let mut at = start;
    for line in output[start..].split_inclusive('\n') {
        let text = line.trim();
        match end {
            None if text.ends_with("\")") => end = Some(at + line.trim_end().len()),
            None => {}
            Some(_) if text == "\")" => return Some(at + line.trim_end().len()),
            Some(_) if text.starts_with('(') || is_answer(text) => return end,
            Some(_) => {}
        }
        at += line.len();
    }
    end
}

fn is_answer(line: &str) -> bool {
    ["sat", "unsat", "unknown", "timeout", "success", "unsupported"].contains(&line)
}

fn expression(text: &str) -> Response<'_> {
    let Some(rest) = text.strip_prefix("(error").filter(|rest| !rest.starts_with(is_name)) else {
        return Response::Expression(text);
    };
    let message = rest.strip_suffix(')').unwrap_or(rest).trim();
    let message = message.strip_prefix('"').and_then(|m| m.strip_suffix('"')).unwrap_or(message);
    Response::Error(message.replace("\"\"", "\""))
}

fn is_name(c: char) -> bool {
    !c.is_whitespace() && !"()\"".contains(c)
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
            // Multi-line messages with unescaped quotes that quote the input.
            (
                "(error \"Parse Error: a.smt2:1.9: junk (\"FOO\") at end of logic\n\n  (set-logic \"FOO\")\n           ^\n\")\nsat\n",
                &[
                    Error("Parse Error: a.smt2:1.9: junk (\"FOO\") at end of logic\n\n  (set-logic \"FOO\")\n           ^\n".into()),
                    Sat,
                ],
            ),
            (
                "(error \"unknown constant f (Int) \ndeclared: (declare-fun f () Int) \")\nunsat\n()",
                &[
                    Error("unknown constant f (Int) \ndeclared: (declare-fun f () Int) ".into()),
                    Unsat,
                    Expression("()"),
                ],
            ),
            ("(error \"a \"b\" c\")\n(error \"d\")\n", &[Error("a \"b\" c".into()), Error("d".into())]),
            ("(error \"no end\nsat", &[Noise("(error \"no end\nsat")]),
            ("(error-behavior stop)", &[Expression("(error-behavior stop)")]),
            ("(error x)\nsat", &[Error("x".into()), Sat]),
            // Values that are not tokens.
            (
                "sat\n((define-fun x () Real (_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)))\n(:reason-unknown \"\")",
                &[
                    Sat,
                    Expression("((define-fun x () Real (_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)))"),
                    Expression("(:reason-unknown \"\")"),
                ],
            ),
            ("(3a, #b2 |)| \")\" ; )\n)\nunsat", &[Expression("(3a, #b2 |)| \")\" ; )\n)"), Unsat]),
            ("unknown (INCOMPLETE)\n()", &[Noise("unknown (INCOMPLETE)"), Expression("()")]),
            ("\"hi \"\"there\"\"\"\nsat", &[Noise("\"hi \"\"there\"\"\""), Sat]),
            ("(objectives\n (x 1)\n)\nsat", &[Expression("(objectives\n (x 1)\n)"), Sat]),
            ("", &[]),
        ];
        for (output, expected) in table {
            assert_eq!(&responses(output), expected, "{output:?}");
        }
    }
}
