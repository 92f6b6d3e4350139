//! Terms of files: assertions and their parts, without quantifiers, small enough to be evaluated often.

use crate::generator::RewriteError;
use assay_case::RewriteTest;
use assay_case::rewrite::Request;
use assay_mutate::Draw;
use assay_smtlib::{Command, Lets, read_script};
use assay_term::{Func, FuncId, Store, Term, TermId};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Terms with more distinct parts are not used.
const MOST_PARTS: usize = 60;

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

    /// One of its terms; `None` if it has none that can be used.
    pub(crate) fn term(&self, draw: &mut Draw) -> Option<(Store, TermId)> {
        let texts = self.texts.get_or_init(|| texts(&self.path, self.largest).unwrap_or_default());
        let test = RewriteTest::read(draw.of(texts)?).ok()?;
        Some((test.store().clone(), test.term()))
    }
}

/// The files of these files and folders, in order.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, RewriteError> {
    let mut found = Vec::new();
    for path in paths {
        let before = found.len();
        let mut work = vec![path.clone()];
        while let Some(at) = work.pop() {
            let unread = |source| RewriteError::Unread { path: at.clone(), source };
            if !at.metadata().map_err(unread)?.is_dir() {
                let is_script = at.extension().is_some_and(|extension| extension == "smt2");
                found.extend((is_script || at == *path).then(|| at.clone()));
                continue;
            }
            for entry in at.read_dir().map_err(unread)? {
                work.push(entry.map_err(unread)?.path());
            }
        }
        if found.len() == before {
            return Err(RewriteError::NoSeeds(path.clone()));
        }
        found[before..].sort_unstable();
    }
    Ok(found)
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
        let Some(parts) = store.postorder_of(&[*term], MOST_PARTS) else { return false };
        parts.len() >= 2
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
    let store = Arc::new(store.clone());
    let text = |term: TermId| {
        RewriteTest::new(Arc::clone(&store), term, Request::SIMPLIFY).text().to_owned()
    };
    Some(terms.map(text).collect())
}
