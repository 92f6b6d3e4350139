//! A rewriting test: a term with the declarations of its symbols, and a request.

use super::assignments::Assignments;
use super::declared::{self, Symbols};
use super::request::{Promise, Request};
use assay_smtlib::{
    Command, Dialect, Environment, Lets, Piece, Printer, ReadError, STANDARD, pieces, read_script,
    read_term_as,
};
use assay_term::{FuncId, Store, TermId};
use std::fmt;
use std::sync::Arc;

/// The beginning of the command that asks for a simplification.
const SIMPLIFY: &str = "(simplify";

/// The beginning of the command that states the formula of a tactic.
const ASSERT: &str = "(assert";

/// The beginning of the command that applies a tactic, on a line of its own.
const APPLY: &str = "\n(apply";

/// The beginning of the line that states a tactic's promise.
const PROMISE: &str = "(set-info :promise ";

/// A term that a solver is asked to rewrite, and the assignments under which its answer is tried.
#[derive(Clone)]
pub struct RewriteTest {
    store: Arc<Store>,
    term: TermId,
    symbols: Symbols,
    request: Request,
    assignments: Assignments,
    text: String,
}

impl RewriteTest {
    /// A test of a term in a store, with declarations of its symbols and no assignments yet.
    #[must_use]
    pub fn new(store: impl Into<Arc<Store>>, term: TermId, request: Request) -> RewriteTest {
        let store = store.into();
        let symbols = declared::symbols(&store, term);
        let mut test = RewriteTest {
            store,
            term,
            symbols,
            request,
            assignments: Assignments::default(),
            text: String::new(),
        };
        let promise = match &test.request {
            Request::Simplify { .. } => String::new(),
            Request::Apply { promise, .. } => format!("{PROMISE}{})\n", promise.name()),
        };
        test.text = promise + &test.commands(STANDARD, &|_| true);
        test
    }

    /// The same test with these assignments in a store that extends its own.
    #[must_use]
    pub fn tried(self, store: impl Into<Arc<Store>>, assignments: Assignments) -> RewriteTest {
        RewriteTest { store: store.into(), assignments, ..self }
    }

    /// Reads what [`RewriteTest::text`] writes: declarations, then `(simplify term …)`, or
    /// `(assert term)` and `(apply tactic)`.
    ///
    /// # Errors
    /// The error in the text, with its place.
    pub fn read(text: &str) -> Result<RewriteTest, ReadError> {
        let wrong = |at: usize, what: &str, hint: String| {
            Err(ReadError::new(text, at, what.to_owned(), Some(hint)))
        };
        let (command, applied) = match text.rfind(APPLY) {
            Some(at) => (ASSERT, Some(at)),
            None => (SIMPLIFY, None),
        };
        let Some(at) = text[..applied.unwrap_or(text.len())].rfind(command) else {
            let hint =
                format!("expected `{SIMPLIFY} term)` or `{ASSERT} term)` and `(apply tactic)`");
            return wrong(text.len(), "there is nothing to rewrite", hint);
        };
        let mut store = Store::new();
        let (before, mut env) = read_script(&mut store, &text.as_bytes()[..at], Lets::Expand)?;
        let begin = at + command.len();
        let end = part_end(text, begin);
        if !before.commands.iter().all(is_preparation) || !is_next(&text[end..], applied, end) {
            let hint = "write each term with its request to a file of its own".to_owned();
            return wrong(at, "there are commands beside declarations and one request", hint);
        }
        let term = read_term_as(&mut store, &mut env, &text[begin..end], Lets::Expand)?;
        let request = match applied {
            None => Request::Simplify { parameters: parameters(&text[end..]) },
            Some(at) => {
                let begin = at + APPLY.len();
                let tactic = text[begin..part_end(text, begin)].trim().to_owned();
                let said = text.lines().find_map(|line| line.strip_prefix(PROMISE));
                let promise = said.map_or(Some(Promise::Equivalent), |name| {
                    Promise::by_name(name.trim_end().trim_end_matches(')'))
                });
                let Some(promise) = promise else {
                    let hint = "expected equivalent or equisatisfiable".to_owned();
                    return wrong(0, "the promise of the tactic is unknown", hint);
                };
                Request::Apply { tactic, promise }
            }
        };
        Ok(RewriteTest::new(store, term, request))
    }

    /// The store of its term.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The term.
    #[must_use]
    pub fn term(&self) -> TermId {
        self.term
    }

    /// The requested rewriting.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The assignments under which its answer is tried.
    #[must_use]
    pub fn assignments(&self) -> &Assignments {
        &self.assignments
    }

    /// The declared constants and functions in the term.
    #[must_use]
    pub fn functions(&self) -> &[FuncId] {
        &self.symbols.functions
    }

    /// The test in standard SMT-LIB, as it is kept.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The declarations of all symbols in the term.
    #[must_use]
    pub fn declarations(&self) -> Vec<Command> {
        self.symbols.commands(&self.store)
    }

    /// The declarations and the request in a dialect, with the parameters that are offered.
    #[must_use]
    pub fn commands(&self, dialect: Dialect, offered: &dyn Fn(&str) -> bool) -> String {
        let printer = Printer::new(&self.store).dialect(dialect);
        let declared = self.declarations();
        let lines = declared.iter().map(|command| printer.command(command) + "\n");
        lines.collect::<String>() + &self.request.text(&self.store, self.term, dialect, offered)
    }

    /// A store and scope with this term's symbols, in which an answer can be read. Nothing else is
    /// declared, so that symbols invented by the solver are not understood.
    #[must_use]
    pub fn scope(&self) -> (Store, Environment) {
        let mut store = (*self.store).clone();
        let env = self.symbols.environment(&mut store);
        (store, env)
    }
}

impl fmt::Debug for RewriteTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a command only prepares a request.
fn is_preparation(command: &Command) -> bool {
    matches!(
        command,
        Command::SetLogic(_)
            | Command::SetOption(_)
            | Command::SetInfo(_)
            | Command::DeclareSort(_)
            | Command::DeclareSortParameter(_)
            | Command::DefineSort { .. }
            | Command::DeclareDatatypes(..)
            | Command::DeclareFun(_)
            | Command::DeclareConst(_)
            | Command::DefineFun(_)
            | Command::DefineConst(_)
            | Command::DefineFunRec(_)
            | Command::DefineFunsRec(_)
    )
}

/// Whether the tactic, if there is one, is applied right after the formula, which ends here.
fn is_next(rest: &str, applied: Option<usize>, end: usize) -> bool {
    let Some(applied) = applied else { return true };
    let between = pieces(rest).into_iter().take_while(|(_, range)| end + range.start < applied);
    let mut said = between.filter(|(piece, _)| !matches!(piece, Piece::Space | Piece::Comment));
    said.next().is_some_and(|(piece, _)| piece == Piece::Close) && said.next().is_none()
}

/// The end of the part that begins after an offset.
fn part_end(text: &str, from: usize) -> usize {
    from + first_end(&text[from..])
}

/// The end of the first part of a text.
pub(crate) fn first_end(text: &str) -> usize {
    let mut depth = 0usize;
    for (piece, range) in pieces(text) {
        match piece {
            Piece::Space | Piece::Comment => continue,
            Piece::Open => depth += 1,
            Piece::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return range.end;
        }
    }
    text.len()
}

/// The parameters of a simplification: `:name value …`, up to the closing parenthesis.
fn parameters(text: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = text.split(')').next().unwrap_or_default().split_whitespace().collect();
    let pair = |pair: &[&str]| {
        Some((pair.first()?.strip_prefix(':')?.to_owned(), (*pair.get(1)?).to_owned()))
    };
    words.chunks_exact(2).filter_map(pair).collect()
}
