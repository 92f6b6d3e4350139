//! What a solver answered to a request, read in the scope of the subject's symbols.
//!
//! An answer may mention operators that only the solver knows, or symbols that it invented. Such an
//! answer is skipped with the name, so that reports can count what is not covered.

use super::conventions::is_disputed;
use super::request::Request;
use super::test::RewriteTest;
use assay_smtlib::{Environment, Lets, Piece, ReadError, pieces, read_term_as};
use assay_term::theories::core;
use assay_term::{Store, TermId};

/// What a solver claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claimed {
    /// The simplified term, or the disjunction of the goals.
    pub term: TermId,
    /// Whether it is one literal truth value: then nothing invented can matter.
    pub constant: bool,
}

/// Why an answer is not judged.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, thiserror::Error)]
pub enum Skipped {
    /// It mentions an operator or a symbol that the subject's scope does not have.
    #[error("the answer mentions `{0}`")]
    Foreign(String),
    /// It cannot be read for another reason.
    #[error("the answer cannot be read: {0}")]
    Unread(String),
    /// It has another sort than the subject.
    #[error("the answer has sort {0}")]
    Sort(String),
    /// The solver refused.
    #[error("the solver refused: {0}")]
    Refused(String),
    /// It applies an operator in a way that solvers read differently.
    #[error("the answer has an application that solvers read in different ways")]
    Disputed,
    /// The tactic approximated the formula.
    #[error("the goals are not precise")]
    Imprecise,
    /// There was no answer.
    #[error("no answer")]
    Nothing,
}

/// Reads an answer, whose strings have the escapes of the standard, in the scope of the test's symbols
/// ([`RewriteTest::scope`]).
///
/// # Errors
/// Why it is not judged.
pub fn read(
    store: &mut Store,
    env: &mut Environment,
    test: &RewriteTest,
    answer: &str,
) -> Result<Claimed, Skipped> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Err(Skipped::Nothing);
    }
    if let Some(message) = refusal(answer) {
        return Err(Skipped::Refused(message));
    }
    let claimed = match test.request() {
        Request::Simplify { .. } => {
            let term = term(store, env, answer)?;
            let sort = store.sort(term);
            if sort != test.store().sort(test.term()) {
                return Err(Skipped::Sort(store.sort_name(sort)));
            }
            Claimed { term, constant: false }
        }
        Request::Apply { .. } => goals(store, env, answer)?,
    };
    match is_disputed(store, claimed.term) {
        true => Err(Skipped::Disputed),
        false => Ok(claimed),
    }
}

/// The message of an error, wherever it stands among the answers.
fn refusal(answer: &str) -> Option<String> {
    let rest = &answer[answer.find("(error")?..];
    let quoted = rest.split_once('"')?.1;
    Some(quoted.split('"').next().unwrap_or(quoted).to_owned())
}

fn term(store: &mut Store, env: &mut Environment, text: &str) -> Result<TermId, Skipped> {
    read_term_as(store, env, text, Lets::Expand).map_err(|error| skipped(&error))
}

fn skipped(error: &ReadError) -> Skipped {
    let unknown = error.message.strip_prefix("unknown symbol `");
    match unknown.and_then(|name| name.strip_suffix('`')) {
        Some(name) => Skipped::Foreign(stem(name).to_owned()),
        None => Skipped::Unread(error.message.clone()),
    }
}

/// An invented name without its number, so that names can be counted.
fn stem(name: &str) -> &str {
    name.split_once('!').map_or(name, |(stem, _)| stem)
}

/// The disjunction of the goals of `(goals (goal f … :precision precise :depth 1) …)`.
fn goals(store: &mut Store, env: &mut Environment, text: &str) -> Result<Claimed, Skipped> {
    let shape = || Skipped::Unread("expected `(goals (goal …))`".into());
    let items = list(text, "goals").ok_or_else(shape)?;
    if items.is_empty() {
        return Err(shape());
    }
    let mut disjuncts = Vec::new();
    for item in items {
        let parts = list(item, "goal").ok_or_else(shape)?;
        let end = parts.iter().position(|part| part.starts_with(':')).ok_or_else(shape)?;
        let mut attributes = parts[end..].chunks_exact(2);
        if !attributes.any(|pair| pair == [":precision", "precise"]) {
            return Err(Skipped::Imprecise);
        }
        let mut conjuncts = Vec::new();
        for part in &parts[..end] {
            conjuncts.push(term(store, env, part)?);
        }
        let held = join(store, core::AND, &conjuncts, true)?;
        disjuncts.push(held);
    }
    let term = join(store, core::OR, &disjuncts, false)?;
    let constants = [store.bool(true), store.bool(false)];
    Ok(Claimed { term, constant: constants.contains(&term) })
}

fn join(
    store: &mut Store,
    op: assay_term::Op,
    terms: &[TermId],
    of_none: bool,
) -> Result<TermId, Skipped> {
    match terms {
        [] => Ok(store.bool(of_none)),
        [term] => Ok(*term),
        _ => store.op(op, terms).map_err(|_| Skipped::Unread("a goal is not a formula".into())),
    }
}

/// The items of `(head item …)`, as text.
fn list<'t>(text: &'t str, head: &str) -> Option<Vec<&'t str>> {
    let mut depth = 0usize;
    let mut begun = 0;
    let mut items: Vec<&str> = Vec::new();
    for (piece, range) in pieces(text) {
        match piece {
            Piece::Space | Piece::Comment => continue,
            Piece::Strange => return None,
            Piece::Open => {
                if depth == 1 {
                    begun = range.start;
                }
                depth += 1;
            }
            Piece::Close => {
                depth = depth.checked_sub(1)?;
                match depth {
                    0 if range.end == text.trim_end().len() => {
                        let (first, rest) = items.split_first()?;
                        return (*first == head).then(|| rest.to_vec());
                    }
                    0 => return None,
                    1 => items.push(&text[begun..range.end]),
                    _ => {}
                }
            }
            _ if depth == 1 => items.push(&text[range]),
            _ => {}
        }
    }
    None
}
