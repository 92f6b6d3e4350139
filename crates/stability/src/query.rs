//! The queries of a file: each `check-sat` with what is in force at it, as written.

use crate::sexpr::{Tokens, Tree, plain};
use assay_smtlib::{Command, Lets, Plain, ReadError, Script, read_script};
use assay_term::{Store, TermId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What a command of a query is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// An option.
    Option,
    /// The logic, a declaration or a definition.
    Declaration,
    /// An assertion.
    Assertion,
}

/// A command of a query, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What it is for.
    pub part: Part,
    /// The number of scopes that are open where it stands.
    pub depth: u32,
    /// Its text.
    pub text: String,
    /// Its first line in the file, from one.
    pub line: usize,
    /// Its number within the query, which mutants and changed queries keep.
    pub(crate) id: usize,
    /// The formula of an assertion.
    pub(crate) term: Option<TermId>,
}

/// A `check-sat` of a file with everything that it is about.
#[derive(Clone)]
pub struct Query {
    /// The number of the `check-sat` within the file, from one.
    pub number: usize,
    /// Its line, from one.
    pub line: usize,
    /// The commands in force, in the file's order.
    pub pieces: Vec<Piece>,
    /// The command that asks.
    pub check: String,
    /// What the file says the answer is.
    pub status: Option<String>,
    pub(crate) store: Arc<Store>,
}

/// Options that limit a solver by a clock, or replace the limits set here.
const LIMITS: [&str; 8] = [
    ":timeout",
    ":rlimit",
    ":smt.timeout",
    ":smt.rlimit",
    ":tlimit",
    ":tlimit-per",
    ":rlimit-per",
    ":reproducible-resource-limit",
];

/// Options that concern printing, or need commands that are left out.
const SILENT: [&str; 4] =
    [":print-success", ":regular-output-channel", ":diagnostic-output-channel", ":verbosity"];

/// The queries of a file, in order.
///
/// # Errors
/// The first part that was not understood, with its place.
pub fn queries(text: &str) -> Result<Vec<Query>, ReadError> {
    let mut store = Store::new();
    let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Expand)?;
    let statuses = script.statuses();
    let mut found = Vec::new();
    let store = Arc::new(store);
    let mut reading = Reading {
        text,
        script: &script,
        pieces: Vec::new(),
        depth: 0,
        global: false,
        line: 0,
        counted: 0,
    };
    for at in 0..script.commands.len() {
        let command = &script.commands[at];
        if *command == Command::Plain(Plain::Exit) {
            break;
        }
        if command.is_check() {
            let number = found.len() + 1;
            let status = statuses.get(found.len()).copied().flatten().map(str::to_owned);
            found.push(reading.query(at, number, status, &store));
        } else {
            reading.take(at);
        }
    }
    if found.is_empty() {
        let line = text.lines().count().max(1);
        let (pieces, check) = (numbered(reading.pieces), "(check-sat)".to_owned());
        found.push(Query { number: 1, line, pieces, check, status: None, store });
    }
    Ok(found)
}

/// The commands in force while a file is read.
struct Reading<'t> {
    text: &'t str,
    script: &'t Script,
    pieces: Vec<Piece>,
    depth: u32,
    global: bool,
    line: usize,
    counted: usize,
}

impl Reading<'_> {
    /// A command as written, with its line.
    fn written(&mut self, at: usize) -> (String, usize) {
        let offset = self.script.offsets[at] as usize;
        self.line += self.text[self.counted..offset].bytes().filter(|&b| b == b'\n').count();
        self.counted = offset;
        (command(self.text, offset).to_owned(), self.line + 1)
    }

    fn take(&mut self, at: usize) {
        let (text, line) = self.written(at);
        let add = |part, term| {
            self.pieces.push(Piece { part, depth: self.depth, text, line, id: 0, term });
        };
        match &self.script.commands[at] {
            Command::SetOption(option) => {
                if option.keyword == ":global-declarations" {
                    self.global = option.value.as_deref() == Some("true");
                }
                let name = option.keyword.to_lowercase();
                if !LIMITS.contains(&name.as_str()) && !SILENT.contains(&name.as_str()) {
                    add(Part::Option, None);
                }
            }
            Command::Assert(term) => add(Part::Assertion, Some(*term)),
            Command::SetLogic(_)
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
            | Command::AssertSoft { .. }
            | Command::Minimize(..)
            | Command::Maximize(..) => add(Part::Declaration, None),
            Command::Push(n) => self.depth = self.depth.saturating_add(*n),
            Command::Pop(n) => {
                self.depth = self.depth.saturating_sub(*n);
                let (depth, global) = (self.depth, self.global);
                self.pieces.retain_mut(|piece| {
                    let outlives =
                        piece.part == Part::Option || global && piece.part == Part::Declaration;
                    let stays = piece.depth <= depth || outlives;
                    piece.depth = piece.depth.min(depth);
                    stays
                });
            }
            Command::Plain(Plain::Reset) => (self.pieces, self.depth) = (Vec::new(), 0),
            Command::Plain(Plain::ResetAssertions) => {
                let global = self.global;
                self.pieces.retain(|piece| match piece.part {
                    Part::Option => true,
                    Part::Declaration => global || piece.text.starts_with("(set-logic"),
                    Part::Assertion => false,
                });
                self.depth = 0;
            }
            _ => {}
        }
    }

    fn query(
        &mut self,
        at: usize,
        number: usize,
        status: Option<String>,
        store: &Arc<Store>,
    ) -> Query {
        let (check, line) = self.written(at);
        Query {
            number,
            line,
            pieces: numbered(self.pieces.clone()),
            check,
            status,
            store: Arc::clone(store),
        }
    }
}

fn numbered(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.iter_mut().enumerate().for_each(|(at, piece)| piece.id = at);
    pieces
}

/// The command that begins at an offset, up to its closing parenthesis.
fn command(text: &str, offset: usize) -> &str {
    let rest = &text[offset..];
    let mut end = rest.len();
    let mut depth = 0usize;
    for span in Tokens::new(rest) {
        match rest.as_bytes()[span.start] {
            b'(' => depth += 1,
            b')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    end = span.end;
                    break;
                }
            }
            _ => {}
        }
    }
    &rest[..end]
}

impl Query {
    /// The positions of the assertions among the pieces.
    #[must_use]
    pub fn assertions(&self) -> Vec<usize> {
        (0..self.pieces.len()).filter(|&at| self.pieces[at].part == Part::Assertion).collect()
    }

    /// The name of an assertion: its `:named`, the `:qid` of its outermost quantifier, or its line.
    #[must_use]
    pub fn name(&self, piece: usize) -> String {
        let Piece { text, line, .. } = &self.pieces[piece];
        let tree = Tree::read(text);
        let mut qid = None;
        for at in 0..tree.nodes.len() {
            if tree.head(at) != Some("!") {
                continue;
            }
            for pair in tree.members(at).windows(2) {
                match tree.word(pair[0]) {
                    Some(":named") => return plain(tree.text_of(pair[1])).to_owned(),
                    Some(":qid") if qid.is_none() => {
                        qid = Some(plain(tree.text_of(pair[1])).to_owned());
                    }
                    _ => {}
                }
            }
        }
        qid.unwrap_or_else(|| format!("the assertion of line {line}"))
    }

    /// Whether an assertion has a quantifier.
    #[must_use]
    pub fn is_quantified(&self, piece: usize) -> bool {
        let text = &self.pieces[piece].text;
        text.contains("forall") || text.contains("exists")
    }

    /// The query without some assertions.
    #[must_use]
    pub fn without(&self, gone: &[usize]) -> Query {
        let mut less = self.clone();
        less.pieces = Vec::with_capacity(self.pieces.len());
        for (at, piece) in self.pieces.iter().enumerate() {
            if !gone.contains(&at) {
                less.pieces.push(piece.clone());
            }
        }
        less
    }

    /// The query with another text of an assertion.
    #[must_use]
    pub fn with(&self, piece: usize, text: String) -> Query {
        let mut other = self.clone();
        other.pieces[piece].text = text;
        // The term is only used for rewriting, which then leaves this assertion alone.
        other.pieces[piece].term = None;
        other
    }

    /// Names that `:named` gives to formulas and that other commands use.
    pub(crate) fn used_names(&self) -> FxHashSet<String> {
        let mut given: FxHashSet<String> = FxHashSet::default();
        let mut used: FxHashSet<String> = FxHashSet::default();
        let checks = std::iter::once(self.check.as_str());
        for text in self.pieces.iter().map(|piece| piece.text.as_str()).chain(checks) {
            if !text.contains(":named") && given.is_empty() {
                continue;
            }
            let tree = Tree::read(text);
            let mut after_named = false;
            for at in 0..tree.nodes.len() {
                let Some(word) = tree.word(at) else {
                    after_named = false;
                    continue;
                };
                if after_named {
                    given.insert(word.to_owned());
                } else if given.contains(word) {
                    used.insert(word.to_owned());
                }
                after_named = word == ":named";
            }
        }
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "(set-option :timeout 5)(set-option :smt.mbqi false)
(declare-fun f (Int) Int)
(assert (! (forall ((x Int)) (! (> (f x) 1) :pattern ((f x)) :qid big)) :named top))
(push 1)
(declare-const c Int)
(assert (forall ((x Int)) (! (< (f x) 9) :qid small)))
; (check-sat)
(check-sat)
(pop 1)
(push 1)
(assert (= (f 1) 0))
(check-sat)";

    #[test]
    fn each_check_is_a_query_with_the_assertions_in_force() {
        let found = queries(FILE).expect("it reads");
        let lines: Vec<(usize, usize)> = found.iter().map(|q| (q.number, q.line)).collect();
        assert_eq!(lines, [(1, 8), (2, 12)]);
        let texts: Vec<&str> = found[1].pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(texts.len(), 4, "{texts:?}");
        assert_eq!(texts[0], "(set-option :smt.mbqi false)");
        assert_eq!((found[1].pieces[3].depth, found[1].pieces[3].line), (1, 11));
        assert_eq!(found[0].name(2), "top");
        assert_eq!(found[0].name(4), "small");
        assert_eq!(found[1].name(3), "the assertion of line 11");
    }

    #[test]
    fn a_file_without_a_check_is_one_query() {
        let found = queries("(assert true)\n").expect("it reads");
        assert_eq!((found.len(), found[0].check.as_str()), (1, "(check-sat)"));
    }

    #[test]
    fn global_declarations_outlive_their_scope() {
        let text = "(set-option :global-declarations true)(push 1)(declare-const c Int)(pop 1)
            (assert (= c 1))(check-sat)";
        assert_eq!(queries(text).expect("it reads")[0].pieces.len(), 3);
    }
}
