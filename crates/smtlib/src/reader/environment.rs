//! The meaning of symbols while a text is read.

use super::logic::Logic;
use super::sorts::PLAIN;
use assay_term::{
    Datatype, Func, FuncId, NamedOp, Op, SortDeclId, SortId, Store, Symbol, TermId, quoted,
};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The meaning of a symbol where a term is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binding {
    /// Undeclared.
    Free,
    /// A function with arguments, or one whose sort must be given.
    Func(FuncId),
    /// A constant, as a term.
    Const(TermId),
    /// A variable bound by `let`, a quantifier, a parameter list or a pattern.
    Local(TermId),
    /// Several functions with different argument sorts, by index in the table of overloads
    /// (an extension that z3 and cvc5 accept).
    Overloaded(u32),
    /// A reserved word.
    Word(Word),
}

/// The meaning of a name at some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meaning(Binding);

/// A reserved word that starts a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    Let,
    Forall,
    Exists,
    Lambda,
    Match,
    Annotation,
    As,
    Index,
}

impl Word {
    /// Whether no symbol may have this name: `lambda` was an ordinary name before SMT-LIB 2.7.
    pub(crate) fn is_reserved(self) -> bool {
        self != Word::Lambda
    }
}

/// The meaning of a symbol where a sort is expected.
#[derive(Clone, Debug)]
pub(crate) enum SortBinding {
    /// A sort without arguments.
    Sort(SortId),
    /// A declared symbol, to be applied.
    Declared(SortDeclId),
    /// A definition with parameters.
    Defined(Vec<Symbol>, SortId),
}

/// The symbol tables, with the information needed to leave scopes.
#[derive(Clone, Debug)]
pub struct Environment {
    bindings: Vec<Binding>,
    /// Operators by symbol: declarations do not shadow them where indices follow.
    ops: Vec<Option<Op>>,
    sorts: FxHashMap<Symbol, SortBinding>,
    trail: Vec<Undo>,
    levels: Vec<usize>,
    overloads: Vec<Vec<FuncId>>,
    /// Declarations outlive `pop` (`:global-declarations`).
    pub(crate) global: bool,
    /// The logic that the script has set.
    pub(crate) logic: Logic,
    /// Whether a sort of the script contains functions.
    pub(crate) saw_functions: bool,
    /// The theory sorts that are written as a word.
    theory_sorts: [Symbol; PLAIN.len()],
    /// Whether one of these words was ever declared or bound.
    hides_sorts: bool,
}

#[derive(Clone, Debug)]
enum Undo {
    Term(Symbol, Binding),
    Sort(Symbol, Box<Option<SortBinding>>),
}

impl Environment {
    /// The operators of the table and nothing else.
    #[must_use]
    pub fn new(store: &mut Store) -> Environment {
        // Interning a thousand names takes longer than reading a short text.
        static FIRST: OnceLock<Store> = OnceLock::new();
        store.begin_as(FIRST.get_or_init(|| {
            let mut first = Store::new();
            Environment::filled(&mut first);
            first
        }));
        Environment::filled(store)
    }

    fn filled(store: &mut Store) -> Environment {
        let mut env = Environment {
            bindings: Vec::new(),
            ops: Vec::new(),
            sorts: FxHashMap::default(),
            trail: Vec::new(),
            levels: Vec::new(),
            overloads: Vec::new(),
            global: false,
            logic: Logic::default(),
            saw_functions: false,
            theory_sorts: PLAIN.map(|name| store.symbols.intern(name)),
            hides_sorts: false,
        };
        let words = [
            ("let", Word::Let),
            ("forall", Word::Forall),
            ("exists", Word::Exists),
            ("lambda", Word::Lambda),
            ("match", Word::Match),
            ("!", Word::Annotation),
            ("as", Word::As),
            ("_", Word::Index),
        ];
        for (name, word) in words {
            let symbol = store.symbols.intern(name);
            env.set(symbol, Binding::Word(word));
        }
        for NamedOp { name, op, func, constant } in store.operators().iter().copied() {
            env.set(name, constant.map_or(Binding::Func(func), Binding::Const));
            if env.ops.len() <= name.index() {
                env.ops.resize(name.index() + 1, None);
            }
            env.ops[name.index()] = Some(op);
        }
        env
    }

    /// Whether functions are values: the logic says so, or a sort of the script contains functions.
    pub(crate) fn is_higher_order(&self) -> bool {
        self.saw_functions || self.logic.is_higher_order()
    }

    /// Whether the name of a theory sort may denote something else.
    pub(crate) fn hides_sorts(&self) -> bool {
        self.hides_sorts
    }

    /// Sets the meaning of a symbol as a sort, and returns the previous one.
    fn set_sort(&mut self, symbol: Symbol, binding: SortBinding) -> Option<SortBinding> {
        self.hides_sorts |= self.theory_sorts.contains(&symbol);
        self.sorts.insert(symbol, binding)
    }

    /// Reserves space for about this many more names.
    pub(crate) fn reserve(&mut self, names: usize) {
        self.bindings.reserve(names);
    }

    /// The meaning of a symbol as a term.
    #[inline]
    pub(crate) fn get(&self, symbol: Symbol) -> Binding {
        self.bindings.get(symbol.index()).copied().unwrap_or(Binding::Free)
    }

    /// Changes the meaning of a symbol and returns the previous one.
    pub(crate) fn set(&mut self, symbol: Symbol, binding: Binding) -> Binding {
        if self.bindings.len() <= symbol.index() {
            self.bindings.resize(symbol.index() + 1, Binding::Free);
        }
        std::mem::replace(&mut self.bindings[symbol.index()], binding)
    }

    /// The operator of the table with this name, regardless of declarations.
    pub(crate) fn op(&self, symbol: Symbol) -> Option<Op> {
        self.ops.get(symbol.index()).copied().flatten()
    }

    /// Whether the user declared the symbol, as opposed to the theories.
    pub(crate) fn is_declared(&self, store: &Store, symbol: Symbol) -> bool {
        match self.get(symbol) {
            Binding::Free => false,
            Binding::Word(word) => word.is_reserved(),
            Binding::Local(_) | Binding::Overloaded(_) => true,
            Binding::Func(func) => !matches!(store.func(func), Func::Op(..)),
            Binding::Const(term) => match store.get(term) {
                assay_term::Term::App(func, _) => !matches!(store.func(func), Func::Op(..)),
                _ => true,
            },
        }
    }

    /// Declares a symbol until the scope is popped.
    pub(crate) fn declare(&mut self, symbol: Symbol, binding: Binding) {
        let before = self.set(symbol, binding);
        self.remember(Undo::Term(symbol, before));
    }

    /// The meaning of a symbol as a sort.
    pub(crate) fn sort(&self, symbol: Symbol) -> Option<&SortBinding> {
        self.sorts.get(&symbol)
    }

    /// Declares a sort until the scope is popped.
    pub(crate) fn declare_sort(&mut self, symbol: Symbol, binding: SortBinding) {
        let before = self.set_sort(symbol, binding);
        self.remember(Undo::Sort(symbol, Box::new(before)));
    }

    /// Removes a temporary sort, and restores what it hid.
    pub(crate) fn restore_sort(&mut self, symbol: Symbol, before: Option<SortBinding>) {
        match before {
            Some(binding) => self.set_sort(symbol, binding),
            None => self.sorts.remove(&symbol),
        };
    }

    fn remember(&mut self, undo: Undo) {
        if !self.global && !self.levels.is_empty() {
            self.trail.push(undo);
        }
    }

    /// Opens a scope.
    pub(crate) fn push(&mut self) {
        self.levels.push(self.trail.len());
    }

    /// Closes a scope; false if none is open.
    pub(crate) fn pop(&mut self) -> bool {
        let Some(start) = self.levels.pop() else {
            return false;
        };
        self.undo_to(start);
        true
    }

    /// Closes all scopes.
    pub(crate) fn pop_all(&mut self) {
        while self.pop() {}
    }

    fn undo_to(&mut self, start: usize) {
        while self.trail.len() > start {
            match self.trail.pop() {
                Some(Undo::Term(symbol, before)) => {
                    self.set(symbol, before);
                }
                Some(Undo::Sort(symbol, before)) => self.restore_sort(symbol, *before),
                None => {}
            }
        }
    }

    /// Declares the constructors, selectors and testers of a datatype. The error is the name that is
    /// already taken.
    pub(crate) fn declare_constructors(
        &mut self,
        store: &mut Store,
        decl: SortDeclId,
        datatype: &Datatype,
    ) -> Result<(), String> {
        for (index, constructor) in datatype.constructors.iter().enumerate() {
            let index = index as u32;
            self.declare_func(store, constructor.name, Func::Constructor(decl, index))?;
            self.declare_tester(store, constructor.name, Func::Tester(decl, index));
            for (field, (name, _)) in constructor.fields.iter().enumerate() {
                self.declare_func(store, *name, Func::Selector(decl, index, field as u32))?;
            }
        }
        Ok(())
    }

    /// Declares `is-c`, an older form of `(_ is c)`, unless the script uses the name itself.
    fn declare_tester(&mut self, store: &mut Store, constructor: Symbol, tester: Func) {
        let name = format!("is-{}", store.symbols.name(constructor));
        let name = store.symbols.intern(&name);
        let mut all = self.functions(store, name);
        let own = all.iter().any(|&func| !matches!(store.func(func), Func::Tester(..)));
        if own || self.is_declared(store, name) && all.is_empty() {
            return;
        }
        all.push(store.intern_func(tester));
        self.bind_functions(store, name, all);
    }

    fn bind_functions(&mut self, store: &mut Store, name: Symbol, all: Vec<FuncId>) {
        if let [only] = all[..] {
            return self.bind_function(store, name, only);
        }
        let place = self.overload(all);
        self.declare(name, Binding::Overloaded(place));
    }

    /// The index of several functions in the table of overloads.
    pub(crate) fn overload(&mut self, all: Vec<FuncId>) -> u32 {
        // Texts repeat the same few overloads.
        let known = self.overloads.iter().rposition(|overload| *overload == all);
        let place = known.unwrap_or_else(|| {
            self.overloads.push(all);
            self.overloads.len() - 1
        });
        place as u32
    }

    fn bind_function(&mut self, store: &mut Store, name: Symbol, func: FuncId) {
        let constant = store.try_app_as(func, &[], None);
        self.declare(name, constant.map_or(Binding::Func(func), Binding::Const));
    }

    /// Declares a constant with an undeclared name.
    pub(crate) fn declare_constant(
        &mut self,
        store: &mut Store,
        name: Symbol,
        sort: SortId,
    ) -> FuncId {
        let (func, constant) = store.declare_constant(name, sort);
        self.declare(name, Binding::Const(constant));
        func
    }

    /// Declares a function, as an overload if its name has other argument sorts. The error is the name
    /// that is already taken.
    pub(crate) fn declare_func(
        &mut self,
        store: &mut Store,
        name: Symbol,
        func: Func,
    ) -> Result<FuncId, String> {
        let mut before =
            if self.is_declared(store, name) { self.functions(store, name) } else { Vec::new() };
        before.retain(|&other| !matches!(store.func(other), Func::Tester(..)));
        let new = store.intern_func(func);
        if before.iter().any(|&other| clash(store, store.func(other), store.func(new))) {
            return Err(quoted(store.symbols.name(name)).into_owned());
        }
        if before.is_empty() {
            self.bind_function(store, name, new);
        } else {
            before.push(new);
            self.bind_functions(store, name, before);
        }
        Ok(new)
    }

    /// Declares an existing function by its name, as a declaration in a script would; false if the name
    /// is taken. For building a script without a text.
    pub fn add_declared(&mut self, store: &mut Store, func: FuncId) -> bool {
        let declared = store.func(func).clone();
        let Func::Declared { name, .. } = declared else {
            return false;
        };
        self.declare_func(store, name, declared).is_ok()
    }

    /// Declares an existing sort by its name, and a datatype's constructors and selectors by theirs, as a
    /// declaration in a script would; false if a name is taken.
    pub fn add_sort(&mut self, store: &mut Store, decl: SortDeclId) -> bool {
        let declared = store.sorts.decl(decl).clone();
        if self.sorts.contains_key(&declared.name) {
            return false;
        }
        self.declare_sort(declared.name, SortBinding::Declared(decl));
        match &declared.datatype {
            Some(datatype) => self.declare_constructors(store, decl, datatype).is_ok(),
            None => true,
        }
    }

    /// Lets a name stand for a term, as a `let` would, and returns its earlier meaning.
    pub fn bind(&mut self, store: &mut Store, name: &str, term: TermId) -> Meaning {
        let symbol = store.symbols.intern(name);
        Meaning(self.set(symbol, Binding::Local(term)))
    }

    /// Takes a name's meaning away, and returns it.
    pub fn unbind(&mut self, store: &mut Store, name: &str) -> Meaning {
        let symbol = store.symbols.intern(name);
        Meaning(self.set(symbol, Binding::Free))
    }

    /// Gives a name an earlier meaning.
    pub fn restore(&mut self, store: &mut Store, name: &str, meaning: Meaning) {
        let symbol = store.symbols.intern(name);
        self.set(symbol, meaning.0);
    }

    /// The functions that a symbol denotes.
    pub(crate) fn functions(&self, store: &Store, name: Symbol) -> Vec<FuncId> {
        self.functions_of(store, self.get(name))
    }

    /// The functions of a binding; a local name has none.
    pub(crate) fn functions_of(&self, store: &Store, binding: Binding) -> Vec<FuncId> {
        match binding {
            Binding::Func(func) => vec![func],
            Binding::Const(term) => match store.get(term) {
                assay_term::Term::App(func, _) => vec![func],
                _ => Vec::new(),
            },
            Binding::Overloaded(place) => self.overloaded(place).to_vec(),
            Binding::Free | Binding::Local(_) | Binding::Word(_) => Vec::new(),
        }
    }

    /// The functions of an overloaded symbol.
    pub(crate) fn overloaded(&self, place: u32) -> &[FuncId] {
        &self.overloads[place as usize]
    }
}

/// Whether two functions of one name cannot be distinguished: by arguments or, for constructors, by the
/// sort in `(as c sort)`.
fn clash(store: &Store, a: &Func, b: &Func) -> bool {
    match (a, b) {
        (Func::Declared { params: p, .. }, Func::Declared { params: q, .. }) => p == q,
        (Func::Declared { params, .. }, Func::Constructor(decl, index))
        | (Func::Constructor(decl, index), Func::Declared { params, .. }) => {
            let datatype = store.sorts.decl(*decl).datatype.as_ref();
            let fields = datatype.map(|dt| &dt.constructors[*index as usize].fields);
            fields
                .is_some_and(|fields| fields.iter().map(|field| field.1).eq(params.iter().copied()))
        }
        _ => a == b,
    }
}
