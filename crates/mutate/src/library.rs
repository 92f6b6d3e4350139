//! The seeds of a suite: found once, read and analyzed when they are first needed.

use crate::approximation::Rules;
use crate::cnf::{Clauses, Definitions};
use crate::equalities::Equalities;
use crate::occurrences::Occurrences;
use crate::operators;
use crate::pool::Pool;
use crate::recombine::Parts;
use crate::seed::{Base, Seed, SeedError};
use crate::skeleton::literals;
use crate::suite::Needs;
use crate::trivial::is_decided;
use crate::truth::{self, Core, Truth};
use crate::vocabulary::Vocabulary;
use crate::{Consultants, Form, MutantOptions, MutateError, Solvers};
use assay_case::{Formula, Why};
use assay_term::{Model, Op, SortId, Store, Term, TermId};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Equalities are read at no more sorts of a seed than this.
const MOST_SORTS: usize = 10;

/// A file that may be a seed.
pub(crate) struct File {
    /// Its path relative to the given folder.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) logic: String,
    prepared: OnceLock<Result<Arc<Prepared>, String>>,
}

/// All seeds.
pub(crate) struct Library {
    pub(crate) files: Vec<File>,
    largest: usize,
    /// Whether trivial and slow seeds are left out.
    filter: bool,
    /// Whether solvers are asked for proofs.
    prove: bool,
    solvers: Solvers,
    /// What mutants depend on: solvers are not asked about seeds if mutants have no truth.
    needs: Needs,
}

/// An analyzed seed.
pub(crate) struct Prepared {
    pub(crate) seed: Seed,
    pub(crate) truth: Result<Truth, String>,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) rules: Rules,
    /// The equalities over its sorts, if mutants need them.
    pub(crate) equalities: Option<Equalities>,
    kept: OnceLock<SeedForm>,
    tseitin: OnceLock<SeedForm>,
    polar: OnceLock<SeedForm>,
    parts: OnceLock<Occurrences>,
    pub(crate) formulas: OnceLock<Parts>,
    core: OnceLock<Core>,
}

/// A seed in one of the forms in which it is mutated.
pub(crate) struct SeedForm {
    pub(crate) base: Base,
    pub(crate) literals: Occurrences,
    /// A model that was checked for the seed by evaluation.
    pub(crate) model: Option<Model>,
    pool: Pool,
}

impl Library {
    /// Looks for seeds in files and folders.
    pub(crate) fn new(
        config: &MutantOptions,
        consultants: Option<Box<Consultants>>,
        needs: Needs,
    ) -> Result<Library, MutateError> {
        let MutantOptions { largest, filter, prove, .. } = *config;
        let files = find(&config.seeds)?;
        Ok(Library { files, largest, filter, prove, solvers: Solvers::new(consultants), needs })
    }

    /// A seed, read and analyzed on first use.
    pub(crate) fn prepared(&self, number: usize) -> Result<Arc<Prepared>, String> {
        let file = &self.files[number];
        file.prepared.get_or_init(|| self.prepare(file)).clone()
    }

    fn prepare(&self, file: &File) -> Result<Arc<Prepared>, String> {
        let text = std::fs::read(&file.path).map_err(|error| error.to_string())?;
        let mut seed = Seed::read(&file.name, &text, self.largest).map_err(|e| match e {
            SeedError::Unread(place) => format!("{}: {place}", file.path.display()),
            other => other.to_string(),
        })?;
        if self.filter && is_decided(&seed.base.store, &seed.base.assertions) {
            return Err("it is trivial".to_owned());
        }
        let (truth, unknown) = self.solvers.lend(|solvers| {
            let known = |op: &Op| solvers.iter().all(|solver| solver.knows(*op));
            let unknown: FxHashSet<Op> = Op::all().filter(|op| !known(op)).collect();
            let truth = match self.needs.truth {
                true => truth::find(&mut seed, solvers, self.prove),
                false => Err("no solver was asked about it".to_owned()),
            };
            (truth, unknown)
        });
        if self.filter && truth.as_ref().is_ok_and(|truth| truth.is_slow) {
            return Err("no solver answers in time".to_owned());
        }
        let vocabulary = Vocabulary::new(&mut seed.base, &unknown);
        let atoms = atoms(&seed.base);
        let rules = Rules::new(&mut seed.base.store, &atoms, &unknown);
        let equalities = self.needs.equalities.then(|| equalities(&seed.base, &unknown));
        Ok(Arc::new(Prepared {
            seed,
            truth,
            vocabulary,
            rules,
            equalities,
            kept: OnceLock::new(),
            tseitin: OnceLock::new(),
            polar: OnceLock::new(),
            parts: OnceLock::new(),
            formulas: OnceLock::new(),
            core: OnceLock::new(),
        }))
    }

    /// A core of an unsatisfiable seed, searched for on first use.
    pub(crate) fn core<'p>(&self, prepared: &'p Prepared) -> &'p Core {
        prepared.core.get_or_init(|| {
            let known = prepared.truth.as_ref().map(Truth::unsat);
            let why = known.unwrap_or_else(|_| Why::Declared(truth::STATUS.into()));
            self.solvers.lend(|solvers| truth::core(&prepared.seed, why, solvers))
        })
    }
}

impl Prepared {
    /// What is known about the seed.
    pub(crate) fn truth(&self) -> Result<&Truth, String> {
        self.truth.as_ref().map_err(Clone::clone)
    }

    /// Every part of the seed.
    pub(crate) fn parts(&self) -> &Occurrences {
        let base = &self.seed.base;
        self.parts.get_or_init(|| operators::parts(&base.store, &base.assertions))
    }

    /// The seed in one of its forms.
    pub(crate) fn in_form(&self, form: Form) -> &SeedForm {
        let model = self.truth.as_ref().ok().and_then(|truth| truth.model.as_ref());
        let clauses = |definitions| {
            let clauses = Clauses::new(&self.seed.base, definitions);
            let model = model.and_then(|model| clauses.extend(model));
            seed_form(clauses.base, model)
        };
        match form {
            Form::Kept => {
                self.kept.get_or_init(|| seed_form(self.seed.base.clone(), model.cloned()))
            }
            Form::Tseitin => self.tseitin.get_or_init(|| clauses(Definitions::Full)),
            Form::PlaistedGreenbaum => self.polar.get_or_init(|| clauses(Definitions::Polar)),
        }
    }
}

impl SeedForm {
    /// The formula with assertions that are built in a separate store.
    ///
    /// # Errors
    /// The error of building them.
    pub(crate) fn mutant<T, E>(
        &self,
        make: impl FnOnce(&mut Store) -> Result<(Vec<TermId>, T), E>,
    ) -> Result<(Formula, T), E> {
        let mut store = self.pool.take(&self.base.store);
        let made = make(Arc::get_mut(&mut store).expect("nobody else has it"));
        self.pool.put(&store);
        let (assertions, rest) = made?;
        Ok((self.base.formula(store, &assertions), rest))
    }
}

fn seed_form(base: Base, model: Option<Model>) -> SeedForm {
    let literals = literals(&base.store, &base.assertions);
    SeedForm { base, literals, model, pool: Pool::default() }
}

/// The equalities over the sorts of a seed.
fn equalities(base: &Base, unknown: &FxHashSet<Op>) -> Equalities {
    let mut sorts: Vec<SortId> = vec![SortId::BOOL];
    for term in base.store.postorder(&base.assertions) {
        let sort = base.store.sort(term);
        if !sorts.contains(&sort) && sorts.len() < MOST_SORTS {
            sorts.push(sort);
        }
    }
    Equalities::new(&base.store, &sorts, unknown)
}

/// The formulas that may be literals: applications to something other than formulas.
fn atoms(base: &Base) -> Vec<TermId> {
    let store = &base.store;
    let mut atoms = store.postorder(&base.assertions);
    atoms.retain(|&term| match store.get(term) {
        Term::App(_, [first, ..]) => {
            store.sort(term) == SortId::BOOL
                && store.sort(*first) != SortId::BOOL
                && !store.mentions_variables(term)
        }
        _ => false,
    });
    atoms
}

/// The SMT-LIB files among these files and below these folders, by name.
pub(crate) fn find(paths: &[PathBuf]) -> Result<Vec<File>, MutateError> {
    let mut files = Vec::new();
    for path in paths {
        let before = files.len();
        collect(path, path, &mut files)?;
        if files.len() == before {
            return Err(MutateError::NoSeeds(path.clone()));
        }
    }
    if files.is_empty() {
        return Err(MutateError::NoFolder);
    }
    files.sort_by(|a: &File, b| a.name.cmp(&b.name));
    Ok(files)
}

/// The logics of files, in order.
pub(crate) fn logics(files: &[File]) -> Vec<String> {
    let mut logics: Vec<String> = files.iter().map(|file| file.logic.clone()).collect();
    logics.sort_unstable();
    logics.dedup();
    logics
}

/// Adds a file, or the SMT-LIB files of a folder.
fn collect(root: &Path, path: &Path, files: &mut Vec<File>) -> Result<(), MutateError> {
    let unread = |source| MutateError::Unread { path: path.to_owned(), source };
    if path.is_dir() {
        for entry in std::fs::read_dir(path).map_err(unread)? {
            let below = entry.map_err(unread)?.path();
            let smt = below.extension().is_some_and(|extension| extension == "smt2");
            if smt || below.is_dir() {
                collect(root, &below, files)?;
            }
        }
        return Ok(());
    }
    let text = std::fs::read(path).map_err(unread)?;
    let below = path.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty());
    let name = match below {
        Some(below) => below.display().to_string(),
        None => path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into()),
    };
    let logic = logic(&String::from_utf8_lossy(&text));
    files.push(File { name, path: path.to_owned(), logic, prepared: OnceLock::new() });
    Ok(())
}

/// The logic that a text sets, found without reading all of it.
fn logic(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with(';'));
    let set = lines.filter_map(|line| line.split_once("(set-logic")).next();
    let word = set.and_then(|(_, rest)| rest.split([')', ' ']).find(|word| !word.is_empty()));
    word.unwrap_or("none").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logics_are_found_without_reading() {
        assert_eq!(logic("; (set-logic QF_S)\n(set-info :a b)(set-logic QF_LIA)"), "QF_LIA");
        assert_eq!(logic("(set-logic   ALL )"), "ALL");
        assert_eq!(logic("(assert true)"), "none");
    }
}
