//! The symbols of a formula and the names that a proof gives to terms.

use assay_smtlib::{Environment, Lets, Meaning, ReadError, Script, read_script, read_term_as};
use assay_term::{Budget, FuncId, Model, Replacements, SortId, Store, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why a term of a proof cannot be read: an operator or symbol that is not known, or another reason.
pub(crate) type Unread = String;

/// A term of a proof, or the reason why it cannot be read.
pub(crate) type Read = Result<TermId, Unread>;

/// What names mean while a proof is read.
pub(crate) struct Scope {
    pub(crate) store: Store,
    env: Environment,
    /// Names of terms that cannot be read.
    unread: FxHashMap<String, Unread>,
    /// The formulas that are asserted, without annotations and definitions.
    pub(crate) asserted: Vec<TermId>,
    /// Defined functions.
    pub(crate) definitions: Model,
    plain: Replacements,
    /// The functions that the proof declares.
    declared: FxHashSet<FuncId>,
    fresh: u32,
}

impl Scope {
    /// The scope at the end of a script.
    ///
    /// # Errors
    /// If the script cannot be read.
    pub(crate) fn of(script: &str) -> Result<Scope, ReadError> {
        let mut store = Store::new();
        let (script, env) = read_script(&mut store, script.as_bytes(), Lets::Expand)?;
        let definitions = script.definitions();
        let mut scope = Scope {
            store,
            env,
            unread: FxHashMap::default(),
            asserted: Vec::new(),
            definitions,
            plain: Replacements::default(),
            declared: FxHashSet::default(),
            fresh: 0,
        };
        scope.asserted = scope.assertions(&script);
        Ok(scope)
    }

    fn assertions(&mut self, script: &Script) -> Vec<TermId> {
        let terms: Vec<TermId> = script.active_assertions().iter().map(|&(term, _)| term).collect();
        let mut budget = Budget::new(10_000_000, 10_000_000);
        let expanded = self.store.expanded(&terms, &self.definitions, &mut budget);
        let terms = expanded.unwrap_or(terms);
        terms.into_iter().map(|term| self.without_annotations(term)).collect()
    }

    /// A term in this scope.
    pub(crate) fn term(&mut self, text: &str) -> Read {
        match read_term_as(&mut self.store, &mut self.env, text, Lets::Expand) {
            Ok(term) if text.contains('!') => Ok(self.without_annotations(term)),
            Ok(term) => Ok(term),
            Err(error) => Err(self.reason(&error)),
        }
    }

    fn reason(&self, error: &ReadError) -> Unread {
        match &error.unknown {
            Some(name) => match self.unread.get(name) {
                Some(reason) => reason.clone(),
                None => {
                    format!("`{}`", name.split_once('!').map_or(name.as_str(), |(stem, _)| stem))
                }
            },
            None => error.message.clone(),
        }
    }

    /// The term without the annotations in it.
    fn without_annotations(&mut self, term: TermId) -> TermId {
        let annotated: Vec<(TermId, TermId)> = self
            .store
            .postorder(&[term])
            .into_iter()
            .filter_map(|part| match self.store.get(part) {
                Term::Annotated(inner, _) => Some((part, inner)),
                _ => None,
            })
            .collect();
        for (whole, inner) in annotated {
            let inner = self.store.replace(inner, &mut self.plain);
            self.plain.insert(whole, inner);
        }
        self.store.replace(term, &mut self.plain)
    }

    /// Gives a term a name from now on.
    pub(crate) fn bind(&mut self, name: &str, term: Read) -> Option<Meaning> {
        self.unread.remove(name);
        match term {
            Ok(term) => Some(self.env.bind(&mut self.store, name, term)),
            Err(reason) => {
                let hidden = self.env.unbind(&mut self.store, name);
                self.unread.insert(name.to_owned(), reason);
                Some(hidden)
            }
        }
    }

    /// Gives a name its earlier meaning.
    pub(crate) fn restore(&mut self, name: &str, meaning: Meaning) {
        self.unread.remove(name);
        self.env.restore(&mut self.store, name, meaning);
    }

    /// A sort by its text.
    pub(crate) fn sort(&mut self, text: &str) -> Option<SortId> {
        let probe = self.term(&format!("(forall ((x {text})) true)")).ok()?;
        match self.store.get(probe) {
            Term::Quant(_, &[var], _) => Some(self.store.sort(var)),
            _ => None,
        }
    }

    /// Declares a function that the proof introduces; false if a sort cannot be read. A name that is
    /// declared already keeps its meaning.
    pub(crate) fn declare(&mut self, name: &str, params: &[&str], result: &str) -> Option<FuncId> {
        let params: Vec<SortId> =
            params.iter().map(|sort| self.sort(sort)).collect::<Option<_>>()?;
        let result = self.sort(result)?;
        let func = self.store.declare(name.trim_matches('|'), &params, result);
        let is_new = self.env.add_declared(&mut self.store, func);
        self.declared.extend(is_new.then_some(func));
        is_new.then_some(func)
    }

    /// Whether a conclusion has a function that the proof declares and no premise has: it may be what
    /// defines the function, whatever the rule is called.
    pub(crate) fn may_define(&self, premises: &[TermId], conclusion: TermId) -> bool {
        let declared = |terms: &[TermId]| -> FxHashSet<FuncId> {
            let func = |term| match self.store.get(term) {
                Term::App(func, _) => self.declared.contains(&func).then_some(func),
                _ => None,
            };
            self.store.postorder(terms).into_iter().filter_map(func).collect()
        };
        !self.declared.is_empty() && !declared(&[conclusion]).is_subset(&declared(premises))
    }

    /// A constant that stands for a bound variable in the steps under its binder.
    pub(crate) fn fresh(&mut self, name: &str, sort: SortId) -> TermId {
        loop {
            self.fresh += 1;
            let name = format!("{name}%{}", self.fresh);
            if self.store.symbols.get(&name).is_none() {
                return self.store.constant(&name, sort);
            }
        }
    }
}
