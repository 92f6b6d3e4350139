//! Random well-sorted terms, written straight into text.
//!
//! A flavour describes its language as a [`Vocabulary`] (sorts, literals, constants, functions with
//! ranks); [`Writer`] draws terms from it. Sorts are correct by construction, since an argument is
//! always drawn at the sort its function asks for. Knows nothing of commands.

use super::rng::Rng;

/// A sort, as an index into its vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sort(pub(super) usize);

/// A function symbol with its rank. `head` is written as it stands: `bvadd`, `(_ extract 7 0)`.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) head: String,
    /// Never empty: what takes no arguments is a constant.
    pub(super) arguments: Vec<Sort>,
}

/// What a vocabulary knows of one sort.
struct SortEntry {
    name: &'static str,
    literal: Option<fn(&mut Rng) -> String>,
    constants: Vec<String>,
    functions: Vec<Function>,
}

/// The language that terms are drawn from.
#[derive(Default)]
pub(super) struct Vocabulary {
    entries: Vec<SortEntry>,
}

impl Vocabulary {
    /// Adds a sort; one without literals needs a constant before the first term is drawn.
    pub(super) fn sort(
        &mut self,
        name: &'static str,
        literal: Option<fn(&mut Rng) -> String>,
    ) -> Sort {
        self.entries.push(SortEntry {
            name,
            literal,
            constants: Vec::new(),
            functions: Vec::new(),
        });
        Sort(self.entries.len() - 1)
    }

    pub(super) fn name(&self, sort: Sort) -> &'static str {
        self.entries[sort.0].name
    }

    pub(super) fn constant(&mut self, sort: Sort, name: String) {
        self.entries[sort.0].constants.push(name);
    }

    /// Adds a constant and forgets the oldest beyond `window`: how far back a definition reaches.
    pub(super) fn recent_constant(&mut self, sort: Sort, name: String, window: usize) {
        let constants = &mut self.entries[sort.0].constants;
        if constants.len() >= window {
            constants.remove(0);
        }
        constants.push(name);
    }

    pub(super) fn function(&mut self, result: Sort, head: &str, arguments: &[Sort]) {
        self.entries[result.0]
            .functions
            .push(Function { head: head.to_owned(), arguments: arguments.to_vec() });
    }

    /// Adds several functions of one rank.
    pub(super) fn functions(&mut self, result: Sort, heads: &[&str], arguments: &[Sort]) {
        for head in heads {
            self.function(result, head, arguments);
        }
    }
}

/// A subterm that may be written again.
struct Seen {
    text: String,
    sort: Sort,
    /// How many bound variables must be in scope for the text to make sense.
    scope: usize,
}

/// A bound variable.
struct Local {
    name: String,
    sort: Sort,
}

/// How many subterms are remembered for repetition.
const MEMORY: usize = 96;

/// Draws terms from a vocabulary.
pub(super) struct Writer<'a> {
    pub(super) vocabulary: &'a mut Vocabulary,
    pub(super) rng: &'a mut Rng,
    locals: Vec<Local>,
    seen: Vec<Seen>,
    /// Percentage of inner nodes that repeat an earlier subterm.
    repetition: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(vocabulary: &'a mut Vocabulary, rng: &'a mut Rng, repetition: usize) -> Self {
        Writer { vocabulary, rng, locals: Vec::new(), seen: Vec::new(), repetition }
    }

    /// How many variables are bound; pass it to [`Writer::leave`] to end the scopes opened since.
    pub(super) fn scope(&self) -> usize {
        self.locals.len()
    }

    pub(super) fn bind(&mut self, name: String, sort: Sort) {
        self.locals.push(Local { name, sort });
    }

    pub(super) fn leave(&mut self, scope: usize) {
        self.locals.truncate(scope);
        self.seen.retain(|seen| seen.scope <= scope);
    }

    /// Writes a term of `sort` with nested applications up to `depth`, and says how many bound
    /// variables must be in scope for it. Recursion goes no deeper than `depth`.
    pub(super) fn term(&mut self, out: &mut String, sort: Sort, depth: usize) -> usize {
        if depth == 0 {
            return self.leaf(out, sort);
        }
        if self.rng.chance(self.repetition)
            && let Some(scope) = self.repeat(out, sort)
        {
            return scope;
        }
        let Some(function) = self.draw_function(sort) else {
            return self.leaf(out, sort);
        };
        let start = out.len();
        let deep_argument = self.rng.below(function.arguments.len());
        let mut scope = 0;
        out.push('(');
        out.push_str(&function.head);
        for (index, &argument) in function.arguments.iter().enumerate() {
            out.push(' ');
            // One argument keeps the promised depth; the others thin out, or terms would explode.
            let below = if index == deep_argument { depth - 1 } else { self.rng.below(depth) / 2 };
            scope = scope.max(self.term(out, argument, below));
        }
        out.push(')');
        if depth >= 2 {
            self.remember(&out[start..], sort, scope);
        }
        scope
    }

    fn draw_function(&mut self, sort: Sort) -> Option<Function> {
        let functions = &self.vocabulary.entries[sort.0].functions;
        (!functions.is_empty()).then(|| self.rng.pick(functions).clone())
    }

    fn leaf(&mut self, out: &mut String, sort: Sort) -> usize {
        if self.rng.chance(50)
            && let Some(scope) = self.local(out, sort)
        {
            return scope;
        }
        let entry = &self.vocabulary.entries[sort.0];
        match entry.literal {
            Some(literal) if entry.constants.is_empty() || self.rng.chance(30) => {
                out.push_str(&literal(self.rng));
            }
            _ => out.push_str(self.rng.pick::<String>(&entry.constants)),
        }
        0
    }

    /// Writes a bound variable of `sort`, the inner ones likelier, if there is one.
    fn local(&mut self, out: &mut String, sort: Sort) -> Option<usize> {
        let skip = self.rng.below(4);
        let mut fitting =
            self.locals.iter().enumerate().rev().filter(|(_, local)| local.sort == sort);
        let first = fitting.next()?;
        let (index, local) = fitting.take(skip).last().unwrap_or(first);
        out.push_str(&local.name);
        Some(index + 1)
    }

    fn repeat(&mut self, out: &mut String, sort: Sort) -> Option<usize> {
        let start = self.rng.below(self.seen.len().max(1));
        let (before, after) = self.seen.split_at(start);
        let found = after.iter().chain(before).find(|seen| seen.sort == sort)?;
        out.push_str(&found.text);
        Some(found.scope)
    }

    fn remember(&mut self, text: &str, sort: Sort, scope: usize) {
        let seen = Seen { text: text.to_owned(), sort, scope };
        if self.seen.len() < MEMORY {
            self.seen.push(seen);
        } else {
            let slot = self.rng.below(MEMORY);
            self.seen[slot] = seen;
        }
    }
}
