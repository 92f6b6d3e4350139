//! A script during its reduction: commands over a store, a model that may satisfy it, and the
//! assertions that must not change if its truth is to stay known.

use crate::candidate::Candidate;
use crate::substitute::{roots, with_roots};
use assay_smtlib::{
    Command, Definition, Dialect, Environment, Lets, Plain, Printer, ReadError, STANDARD, Script,
    Sharing, print_model, read_model, read_script,
};
use assay_term::{
    Attribute, AttributeValue, Func, FuncId, Interpretation, Model, Replacements, Sort, SortDeclId,
    SortId, Store, Term, TermId,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A script during its reduction. It shares the store of its terms with others.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) commands: Vec<Command>,
    pub(crate) witness: Option<Witness>,
    /// The assertions that must not change; `None` if nothing depends on them.
    pub(crate) core: Option<Arc<[TermId]>>,
    /// Whether unused declarations and definitions stay.
    pub(crate) hoards: bool,
    /// The store of its terms, if that is not the search's store.
    pub(crate) home: Option<Arc<Store>>,
    /// The dialect in which it is printed.
    pub(crate) dialect: Dialect,
    /// Whether its last question stays.
    pub(crate) asks: bool,
    /// Whether frequent terms are printed once.
    pub(crate) sharing: Sharing,
}

/// A model, as text and, if it could be read, as values of the store.
#[derive(Clone)]
pub(crate) struct Witness {
    pub(crate) text: Arc<str>,
    pub(crate) model: Option<Arc<Model>>,
}

impl Witness {
    /// A model of this store.
    pub(crate) fn of(store: &mut Store, model: Model) -> Witness {
        let text = print_model(store, &model, STANDARD).into();
        Witness { text, model: Some(Arc::new(model)) }
    }

    fn read(store: &mut Store, env: &Environment, text: Arc<str>) -> Witness {
        let model = read_model(store, env, &text).ok().map(Arc::new);
        Witness { text, model }
    }
}

impl State {
    /// Reads a script into the store; `let` is expanded into shared terms.
    pub(crate) fn read(
        store: &mut Store,
        text: &str,
        witness: Option<Arc<str>>,
    ) -> Result<State, ReadError> {
        let (script, env) = read_script(store, text.as_bytes(), Lets::Expand)?;
        let witness = witness.map(|text| Witness::read(store, &env, text));
        Ok(State {
            commands: script.commands,
            witness,
            core: None,
            hoards: false,
            home: None,
            dialect: STANDARD,
            asks: true,
            sharing: Sharing::Auto,
        })
    }

    /// The text.
    pub(crate) fn text(&self, store: &Store) -> String {
        let printer = Printer::new(store).dialect(self.dialect).sharing(self.sharing);
        let mut text = String::new();
        for command in &self.commands {
            text.push_str(&printer.command(command));
            text.push('\n');
        }
        text
    }

    /// The candidate to test.
    pub(crate) fn shown(&self, text: String) -> Candidate {
        let witness = self.witness.as_ref().map(|witness| Arc::clone(&witness.text));
        Candidate { text, witness, keeps_core: self.core.is_some() }
    }

    /// The same with some terms replaced.
    pub(crate) fn replaced(&self, store: &mut Store, by: Replacements) -> Option<State> {
        let mut by = by;
        let mut changed = false;
        let mut commands = Vec::with_capacity(self.commands.len());
        for command in &self.commands {
            let new = with_roots(command, |root| store.replaced(root, &mut by).ok())?;
            changed |= new != *command;
            commands.push(new);
        }
        changed.then(|| State { commands, ..self.clone() })
    }

    /// The same without the commands at these positions.
    pub(crate) fn without(&self, gone: &FxHashSet<usize>) -> State {
        let kept = self.commands.iter().enumerate().filter(|(at, _)| !gone.contains(at));
        State { commands: kept.map(|(_, command)| command.clone()).collect(), ..self.clone() }
    }

    /// The same with other commands.
    pub(crate) fn with(&self, commands: Vec<Command>) -> State {
        State { commands, ..self.clone() }
    }

    /// The same in a store of its own, reread from its printed text.
    pub(crate) fn reread(&self, store: &Store) -> Option<State> {
        let mut home = Store::new();
        let witness = self.witness.as_ref().map(|witness| Arc::clone(&witness.text));
        let state = State::read(&mut home, &self.text(store), witness).ok()?;
        let State { hoards, dialect, asks, sharing, .. } = *self;
        Some(State { hoards, dialect, asks, sharing, home: Some(Arc::new(home)), ..state })
    }

    /// The model as text, restricted to the script's symbols.
    pub(crate) fn restricted_witness(&self, store: &mut Store) -> Option<String> {
        let witness = self.witness.as_ref()?;
        let Some(model) = &witness.model else { return Some(witness.text.to_string()) };
        // A meaning given by a term may depend on symbols that only the model has.
        let plain = |meaning: &Interpretation| matches!(meaning, Interpretation::Value(_));
        if !model.iter().all(|(_, meaning)| plain(meaning)) {
            return Some(witness.text.to_string());
        }
        let mut used = Used::default();
        used.terms(store, &self.roots());
        let mut kept = Model::new();
        for (func, meaning) in model.iter().filter(|(func, _)| used.funcs.contains(func)) {
            kept.set(func, meaning.clone());
        }
        Some(print_model(store, &kept, STANDARD))
    }

    /// All terms of all commands.
    pub(crate) fn roots(&self) -> Vec<TermId> {
        self.commands.iter().flat_map(roots).collect()
    }

    /// Whether the assertions in force include a core.
    fn asserts(&self, core: &[TermId]) -> bool {
        let mut script = Script::default();
        self.commands.iter().for_each(|command| script.push(command.clone(), 0));
        let active: FxHashSet<TermId> =
            script.active_assertions().into_iter().map(|(term, _)| term).collect();
        core.iter().all(|term| active.contains(term))
    }

    /// Prepares a step's result for its test: unused symbols are dropped, and a changed core is no
    /// longer one.
    pub(crate) fn settle(&mut self, store: &Store, before: &State) {
        if !self.hoards {
            self.prune(store);
        }
        if let Some(core) = &self.core {
            // A step that supplies a new list guarantees that it is equivalent.
            let vouched = before.core.as_ref().is_none_or(|old| !Arc::ptr_eq(old, core));
            if !self.asserts(core) || !vouched && !self.keeps_meanings(store, before) {
                self.core = None;
            }
        }
    }

    /// Whether every defined symbol that is still used is still defined in the same way.
    fn keeps_meanings(&self, store: &Store, before: &State) -> bool {
        let now: Vec<&Definition> = self.commands.iter().flat_map(definitions).collect();
        let mut used = Used::default();
        used.terms(store, &self.roots());
        let known =
            |func: FuncId| before.commands.iter().flat_map(definitions).find(|it| it.func == func);
        used.funcs.iter().all(|&func| match (known(func), now.iter().find(|it| it.func == func)) {
            (Some(old), Some(new)) => old == *new,
            (None, None) => true,
            _ => false,
        })
    }

    /// Drops unused declarations and definitions.
    fn prune(&mut self, store: &Store) {
        let mut used = Used::default();
        for command in self.commands.iter().filter(|command| !declares(command)) {
            used.terms(store, &roots(command));
        }
        loop {
            let before = used.funcs.len();
            for it in self.commands.iter().flat_map(definitions) {
                if used.funcs.contains(&it.func) {
                    used.terms(store, &[it.body]);
                    used.terms(store, &it.params);
                }
            }
            if used.funcs.len() == before {
                break;
            }
        }
        self.commands.retain_mut(|command| {
            if let Command::DefineFunsRec(group) = command {
                group.retain(|it| used.funcs.contains(&it.func));
            }
            used.keeps(command)
        });
    }
}

/// The formula that a command asserts.
pub(crate) fn is_asserted(command: &Command) -> Option<TermId> {
    match command {
        Command::Assert(term) => Some(*term),
        _ => None,
    }
}

/// Whether a command only introduces names.
pub(crate) fn declares(command: &Command) -> bool {
    defines(command)
        || matches!(
            command,
            Command::DeclareFun(_)
                | Command::DeclareConst(_)
                | Command::DeclareSort(_)
                | Command::DeclareDatatypes(..)
                | Command::DefineSort { .. }
                | Command::DeclareSortParameter(_)
        )
}

fn defines(command: &Command) -> bool {
    !definitions(command).is_empty()
}

/// The definitions of a command.
pub(crate) fn definitions(command: &Command) -> &[Definition] {
    match command {
        Command::DefineFun(it) | Command::DefineConst(it) | Command::DefineFunRec(it) => {
            std::slice::from_ref(it)
        }
        Command::DefineFunsRec(group) => group,
        _ => &[],
    }
}

/// The symbols that some terms use.
#[derive(Default)]
struct Used {
    seen: FxHashSet<TermId>,
    funcs: FxHashSet<FuncId>,
    sorts: FxHashSet<SortId>,
    decls: FxHashSet<SortDeclId>,
}

impl Used {
    fn terms(&mut self, store: &Store, roots: &[TermId]) {
        let mut work = roots.to_vec();
        while let Some(term) = work.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            self.sort(store, store.sort(term));
            if let Term::App(func, _) = store.get(term) {
                self.func(store, func);
            }
            work.extend(store.children(term));
            work.extend(store.attribute_terms(term));
        }
    }

    fn func(&mut self, store: &Store, func: FuncId) {
        if !self.funcs.insert(func) {
            return;
        }
        match store.func(func) {
            Func::Declared { params, result, .. } => {
                params.iter().chain([result]).for_each(|&sort| self.sort(store, sort));
            }
            Func::Constructor(decl, _)
            | Func::Selector(decl, ..)
            | Func::Tester(decl, _)
            | Func::Update(decl, ..) => self.decl(store, *decl),
            Func::Op(..) => {}
        }
    }

    fn sort(&mut self, store: &Store, sort: SortId) {
        let mut work = vec![sort];
        while let Some(sort) = work.pop() {
            if !self.sorts.insert(sort) {
                continue;
            }
            let shape = store.sorts.get(sort);
            work.extend(shape.parts());
            if let Sort::Declared(decl, _) = shape {
                self.decl(store, *decl);
            }
        }
    }

    fn decl(&mut self, store: &Store, decl: SortDeclId) {
        if !self.decls.insert(decl) {
            return;
        }
        if let Some(datatype) = &store.sorts.decl(decl).datatype {
            for constructor in &datatype.constructors {
                for &(_, sort) in &constructor.fields {
                    self.sort(store, sort);
                }
            }
        }
    }

    fn keeps(&self, command: &Command) -> bool {
        match command {
            Command::DeclareFun(func) | Command::DeclareConst(func) => self.funcs.contains(func),
            Command::DeclareSort(decl) => self.decls.contains(decl),
            Command::DeclareDatatypes(group, _) => {
                group.iter().any(|decl| self.decls.contains(decl))
            }
            // Terms contain the meaning of such a name, never the name.
            Command::DefineSort { .. } => false,
            Command::DefineFunsRec(group) => !group.is_empty(),
            command => definitions(command).iter().all(|it| self.funcs.contains(&it.func)),
        }
    }
}

/// A script that asks its question about nothing.
pub(crate) fn empty() -> &'static str {
    "(check-sat)\n"
}

/// The names that annotations give, with the named terms.
pub(crate) fn named(store: &Store, roots: &[TermId]) -> Vec<(String, TermId, TermId)> {
    let mut found = Vec::new();
    for term in store.postorder(roots) {
        let Term::Annotated(inner, attributes) = store.get(term) else { continue };
        for Attribute { value, .. } in attributes {
            if let AttributeValue::Name(name) = value {
                found.push((store.symbols.name(*name).to_owned(), term, inner));
            }
        }
    }
    found
}

/// Whether a command requests more than the verdict, or only prints.
pub(crate) fn is_query_or_output(command: &Command) -> bool {
    match command {
        Command::SetInfo(_)
        | Command::Echo(_)
        | Command::GetInfo(_)
        | Command::GetOption(_)
        | Command::GetValue(_) => true,
        Command::Plain(plain) => !matches!(plain, Plain::Reset | Plain::ResetAssertions),
        _ => false,
    }
}
