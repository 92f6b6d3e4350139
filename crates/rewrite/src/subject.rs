//! What a solver is asked to rewrite: a term with the declarations of its symbols.

use crate::declared::{self, Symbols};
use assay_smtlib::{
    Command, Dialect, Environment, Lets, Piece, Printer, ReadError, pieces, read_script,
    read_term_as,
};
use assay_term::{FuncId, Store, TermId};
use std::sync::Arc;

/// How the command that asks for a rewriting begins.
const COMMAND: &str = "(simplify";

/// A term that a solver is asked to rewrite.
#[derive(Clone)]
pub struct Subject {
    store: Arc<Store>,
    term: TermId,
    symbols: Symbols,
}

impl Subject {
    /// A term of a store; what it mentions is declared.
    #[must_use]
    pub fn new(store: impl Into<Arc<Store>>, term: TermId) -> Subject {
        let store = store.into();
        let symbols = declared::symbols(&store, term);
        Subject { store, term, symbols }
    }

    /// Reads declarations followed by `(simplify term …)`; what comes after the term is not looked at.
    ///
    /// # Errors
    /// What is wrong with the text, with its place.
    pub fn read(text: &str) -> Result<Subject, ReadError> {
        let Some(at) = text.rfind(COMMAND) else {
            let hint = Some(format!("expected `{COMMAND} term)` as the last command"));
            return Err(ReadError::new(
                text,
                text.len(),
                "there is nothing to rewrite".into(),
                hint,
            ));
        };
        let mut store = Store::new();
        let (_, mut env) = read_script(&mut store, &text.as_bytes()[..at], Lets::Expand)?;
        let end = term_end(text, at + COMMAND.len());
        let asked = &text[at + COMMAND.len()..end];
        let term = read_term_as(&mut store, &mut env, asked, Lets::Expand)?;
        Ok(Subject::new(store, term))
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

    /// The declared constants and functions that it mentions.
    #[must_use]
    pub fn functions(&self) -> &[FuncId] {
        &self.symbols.functions
    }

    /// The declarations of all that it mentions.
    #[must_use]
    pub fn declarations(&self) -> Vec<Command> {
        self.symbols.commands(&self.store)
    }

    /// Those declarations as text.
    #[must_use]
    pub fn prelude(&self, dialect: Dialect) -> String {
        let printer = Printer::new(&self.store).dialect(dialect);
        let commands = self.declarations();
        commands.iter().map(|command| printer.command(command) + "\n").collect()
    }

    /// A store and the names of this term's symbols, in which an answer can be read: nothing else is
    /// declared there, so that a symbol which the solver invented is not understood.
    #[must_use]
    pub fn scope(&self) -> (Store, Environment) {
        let mut store = (*self.store).clone();
        let env = self.symbols.environment(&mut store);
        (store, env)
    }
}

/// Where the term that begins after an offset ends.
fn term_end(text: &str, from: usize) -> usize {
    let mut depth = 0usize;
    for (piece, range) in pieces(&text[from..]) {
        match piece {
            Piece::Space | Piece::Comment => continue,
            Piece::Open => depth += 1,
            Piece::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return from + range.end;
        }
    }
    text.len()
}
