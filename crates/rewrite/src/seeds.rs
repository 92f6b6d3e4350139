//! Terms of files: assertions and their parts, without quantifiers, small enough to be evaluated often.

use crate::subject::Subject;
use assay_mutate::Draw;
use assay_smtlib::{Command, Dialect, Lets, Printer, STANDARD, read_script};
use assay_term::{Func, FuncId, Store, Term, TermId};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Terms with more distinct parts are not used.
const MOST_PARTS: usize = 60;

/// The dialect in which terms are carried from store to store.
const DIALECT: Dialect = STANDARD;

/// A file, read when it is first needed.
pub(crate) struct Seed {
    path: PathBuf,
    largest: usize,
    texts: OnceLock<Vec<String>>,
}

impl Seed {
    pub(crate) fn new(path: PathBuf, largest: usize) -> Seed {
        Seed { path, largest, texts: OnceLock::new() }
    }

    /// One of its terms; none where it has none that can be used.
    pub(crate) fn subject(&self, draw: &mut Draw) -> Option<Subject> {
        let texts = self.texts.get_or_init(|| texts(&self.path, self.largest).unwrap_or_default());
        Subject::read(draw.of(texts)?).ok()
    }
}

/// The terms of a file, each as a text of its own.
fn texts(path: &Path, largest: usize) -> Option<Vec<String>> {
    let bytes = std::fs::read(path).ok().filter(|bytes| bytes.len() <= largest)?;
    let mut store = Store::new();
    let (script, _) = read_script(&mut store, &bytes, Lets::Expand).ok()?;
    let mut declared: FxHashSet<FuncId> = FxHashSet::default();
    let mut assertions = Vec::new();
    for command in &script.commands {
        match command {
            Command::DeclareFun(func) | Command::DeclareConst(func) => {
                declared.insert(*func);
            }
            Command::Assert(term) => assertions.push(*term),
            _ => {}
        }
    }
    let usable = |term: &TermId| {
        let parts = store.postorder(&[*term]);
        (2..=MOST_PARTS).contains(&parts.len())
            && parts.iter().all(|&part| match store.get(part) {
                Term::App(func, _) => match store.func(func) {
                    Func::Declared { .. } => declared.contains(&func),
                    _ => true,
                },
                Term::Literal(_) => true,
                _ => false,
            })
    };
    let terms = store.postorder(&assertions).into_iter().filter(usable);
    let text = |term: TermId| {
        let shown = Printer::new(&store).dialect(DIALECT).term(term);
        Subject::new(store.clone(), term).prelude(DIALECT) + &format!("(simplify {shown})\n")
    };
    Some(terms.map(text).collect())
}
