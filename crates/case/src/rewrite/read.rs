//! Reads a solver's answer to a request in the scope of the subject's symbols.
//!
//! An answer may mention operators that only the solver knows, or symbols that it invented. Such an
//! answer is skipped with that name, so that reports can count what is not covered.

use super::conventions::is_disputed;
use super::declared::symbols;
use super::request::{Promise, Request};
use super::test::{RewriteTest, first_end};
use assay_smtlib::{Environment, Lets, Piece, ReadError, pieces, read_term_as};
use assay_term::theories::core;
use assay_term::{FuncId, SortId, Store, TermId};

/// A solver's claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claimed {
    /// The simplified term, or the disjunction of the goals.
    pub term: TermId,
    /// Symbols that the solver invented and declared. The term mentions them.
    pub invented: Vec<FuncId>,
}

/// Why an answer is not judged.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, thiserror::Error)]
pub enum Skipped {
    /// It mentions an operator or a symbol outside the subject's scope.
    #[error("the answer mentions `{0}`")]
    Foreign(String),
    /// It cannot be read for another reason.
    #[error("the answer cannot be read: {0}")]
    Unread(String),
    /// Its sort differs from the subject's.
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

/// Reads an answer, with strings in the standard's escapes, in the scope of the test's symbols
/// ([`RewriteTest::scope`]).
///
/// # Errors
/// The reason why the answer is not judged.
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
            Claimed { term, invented: Vec::new() }
        }
        Request::Apply { promise: Promise::Equivalent, .. } => {
            Claimed { term: goals(store, env, answer)?, invented: Vec::new() }
        }
        Request::Apply { promise: Promise::Equisatisfiable, .. } => {
            let (goals_text, benchmark) = answer.split_at(first_end(answer));
            let mut invented = declare(store, env, benchmark);
            let term = goals(store, env, goals_text)?;
            let mentioned = symbols(store, term).functions;
            invented.retain(|func| mentioned.contains(func));
            Claimed { term, invented }
        }
    };
    match is_disputed(store, claimed.term) {
        true => Err(Skipped::Disputed),
        false => Ok(claimed),
    }
}

/// The message of an error anywhere in the answer.
fn refusal(answer: &str) -> Option<String> {
    let rest = &answer[answer.find("(error")?..];
    let quoted = rest.split_once('"')?.1;
    Some(quoted.split('"').next().unwrap_or(quoted).to_owned())
}

fn term(store: &mut Store, env: &mut Environment, text: &str) -> Result<TermId, Skipped> {
    read_term_as(store, env, text, Lets::Expand).map_err(|error| skipped(&error))
}

fn skipped(error: &ReadError) -> Skipped {
    match &error.unknown {
        Some(name) => Skipped::Foreign(stem(name).to_owned()),
        None => Skipped::Unread(error.message.clone()),
    }
}

/// An invented name without its number, so that names can be counted.
fn stem(name: &str) -> &str {
    name.split_once('!').map_or(name, |(stem, _)| stem)
}

/// The disjunction of the goals of `(goals (goal f … :precision precise :depth 1) …)`.
fn goals(store: &mut Store, env: &mut Environment, text: &str) -> Result<TermId, Skipped> {
    let mut disjuncts = Vec::new();
    for goal in goal_texts(text)? {
        let formulas = goal.into_iter().map(|part| term(store, env, part));
        let conjuncts = formulas.collect::<Result<Vec<_>, _>>()?;
        disjuncts.push(join(store, core::AND, &conjuncts, true)?);
    }
    join(store, core::OR, &disjuncts, false)
}

/// The formulas of each goal, as text.
pub(crate) fn goal_texts(text: &str) -> Result<Vec<Vec<&str>>, Skipped> {
    let shape = || Skipped::Unread("expected `(goals (goal …))`".into());
    let items = list(text, "goals").filter(|items| !items.is_empty()).ok_or_else(shape)?;
    let mut goals = Vec::new();
    for item in items {
        let mut parts = list(item, "goal").ok_or_else(shape)?;
        let end = parts.iter().position(|part| part.starts_with(':')).ok_or_else(shape)?;
        let mut attributes = parts[end..].chunks_exact(2);
        if !attributes.any(|pair| pair == [":precision", "precise"]) {
            return Err(Skipped::Imprecise);
        }
        parts.truncate(end);
        goals.push(parts);
    }
    Ok(goals)
}

/// Declares the constants that a benchmark declares and the subject does not, if they are Booleans
/// or bit-vectors. Goals with other new constants cannot be judged.
fn declare(store: &mut Store, env: &mut Environment, benchmark: &str) -> Vec<FuncId> {
    let mut invented = Vec::new();
    let mut rest = benchmark;
    while !rest.trim_start().is_empty() {
        let (command, after) = rest.split_at(first_end(rest));
        rest = after;
        let items = list(command.trim(), "declare-fun");
        let Some([name, "()", sort]) = items.as_deref() else { continue };
        let Some(sort) = finite_sort(store, sort) else { continue };
        let name = store.symbols.intern(name.trim_matches('|'));
        let (func, _) = store.declare_constant(name, sort);
        if env.add_declared(store, func) {
            invented.push(func);
        }
    }
    invented
}

/// `Bool` or `(_ BitVec n)`.
fn finite_sort(store: &mut Store, text: &str) -> Option<SortId> {
    if text == "Bool" {
        return Some(SortId::BOOL);
    }
    let [kind, width] = list(text, "_")?.try_into().ok()?;
    let width = width.parse().ok().filter(|width| (1..=u64::BITS).contains(width))?;
    (kind == "BitVec").then(|| store.sorts.bit_vec(width))
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
pub(crate) fn list<'t>(text: &'t str, head: &str) -> Option<Vec<&'t str>> {
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
