//! Terms, hash-consed in a [`Store`]: equal terms have equal [`TermId`]s, and a term that is not
//! well sorted cannot be built.
//!
//! Bound variables are named: a variable is a name and a sort, and a binder binds the nearest
//! occurrences. The meaning of a function symbol is not stored here but in a [`crate::Model`].

use crate::answer_cache::AnswerCache;
use crate::applied::RecentSorts;
use crate::interner::{Direct, Funcs, Interner};
use crate::literals::RecentLiterals;
use crate::node::{Head, INLINE, Kind, Node, OPEN, long_key, open_bit, short_key};
use crate::op::{Mismatch, Op};
use crate::sort::{Sort, SortDeclId, SortId, Sorts};
use crate::symbol::{Symbol, Symbols};
use crate::table::Table;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A term, interned in a [`Store`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl TermId {
    /// The first term of a store; also a placeholder for a missing argument.
    pub(crate) const ZERO: TermId = TermId(0);
    /// No term.
    pub(crate) const NONE: TermId = TermId(u32::MAX);

    /// Position in the store, dense from zero; arguments come before the terms that contain them.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function symbol with its indices, interned in a [`Store`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FuncId(u32);

impl FuncId {
    /// No function.
    pub(crate) const NONE: FuncId = FuncId(u32::MAX);

    /// Position among the functions, dense from zero.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The head of an application.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Func {
    /// An operator of the table, with its numeral indices.
    Op(Op, Box<[u64]>),
    /// A symbol that the user declared or defined.
    Declared {
        /// Its name.
        name: Symbol,
        /// The sorts of its arguments.
        params: Box<[SortId]>,
        /// The sort of its result.
        result: SortId,
    },
    /// A constructor of a datatype.
    Constructor(SortDeclId, u32),
    /// A selector: datatype, constructor, field.
    Selector(SortDeclId, u32, u32),
    /// A tester `(_ is c)`: datatype, constructor.
    Tester(SortDeclId, u32),
    /// A field update `(_ update-field sel)`: datatype, constructor, field (extension).
    Update(SortDeclId, u32, u32),
}

/// The kind of quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// For all values.
    Forall,
    /// For some value.
    Exists,
}

/// An attribute of `(! term :keyword value)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// The keyword, without its colon.
    pub keyword: Symbol,
    /// What follows it.
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AttributeValue {
    /// Nothing follows the keyword.
    None,
    /// The name that `:named` gives.
    Name(Symbol),
    /// The terms of `:pattern` or `:no-pattern`.
    Terms(Box<[TermId]>),
    /// Any other value, as normalised text.
    Text(Box<str>),
}

/// The left-hand side of a case of `match`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MatchPattern {
    /// A constructor and the variables for its fields; `None` for `_`.
    Constructor(u32, Box<[Option<TermId>]>),
    /// A variable for the whole value; `None` for `_`.
    Any(Option<TermId>),
}

/// A view of a term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Term<'a> {
    /// A numeral, decimal, bit-vector or string literal.
    Literal(&'a Value),
    /// An application; a constant has no arguments.
    App(FuncId, &'a [TermId]),
    /// A bound variable.
    Var(Symbol),
    /// Parallel bindings, as variable, value, variable, value …
    Let(&'a [TermId], TermId),
    /// A quantified formula; patterns are attributes of the body.
    Quant(Quantifier, &'a [TermId], TermId),
    /// A function as a value: an array from the variable's sort to the body's.
    Lambda(&'a [TermId], TermId),
    /// A term with attributes.
    Annotated(TermId, &'a [Attribute]),
    /// A case distinction: scrutinee, patterns, and as many bodies.
    Match(TermId, &'a [MatchPattern], &'a [TermId]),
}

/// Why a term cannot be built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortError {
    /// The application or term, as written.
    pub subject: String,
    /// The error.
    pub fault: Fault,
}

/// The error in an ill-sorted term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An application that its operator or function does not allow.
    Mismatch(Mismatch, Box<[SortId]>),
    /// A part has the wrong sort.
    Expected {
        /// The part.
        part: &'static str,
        /// The correct sort.
        expected: SortId,
        /// The actual sort.
        got: SortId,
    },
    /// Another rule, in words.
    Words(&'static str),
}

/// The arena of terms, with the symbols, sorts and functions they are made of.
#[derive(Clone)]
pub struct Store {
    /// The names.
    pub symbols: Symbols,
    /// The sorts.
    pub sorts: Sorts,
    funcs: Funcs,
    /// The terms of declared constants, by function: these are not in `table`.
    constants: Direct,
    /// The first variable of each name, which is not in `table` either.
    vars: Direct,
    /// The number of datatypes with a constructor of this name.
    constructors: FxHashMap<Symbol, u32>,
    pub(crate) literals: Interner<Value>,
    /// The terms of literals, whose value determines their sort; they are not in `table`.
    pub(crate) literal_terms: Vec<TermId>,
    pub(crate) attributes: Interner<Box<[Attribute]>>,
    pub(crate) patterns: Interner<Box<[MatchPattern]>>,
    pub(crate) nodes: Vec<Node>,
    args: Vec<TermId>,
    table: Table,
    pub(crate) recent_sorts: RecentSorts,
    pub(crate) recent_literals: RecentLiterals,
    /// Every name of an operator, once somebody asked for them.
    operators: Option<Arc<[NamedOp]>>,
}

/// An operator of the table under one of its names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedOp {
    /// The name or alias.
    pub name: Symbol,
    /// The operator.
    pub op: Op,
    /// Its handle without indices.
    pub func: FuncId,
    /// It as a term, if it is a constant.
    pub constant: Option<TermId>,
}

impl Default for Store {
    fn default() -> Store {
        Store::new()
    }
}

impl Store {
    /// An empty store.
    #[must_use]
    pub fn new() -> Store {
        Store {
            symbols: Symbols::default(),
            sorts: Sorts::default(),
            funcs: Funcs::new(),
            constants: Direct::default(),
            vars: Direct::default(),
            constructors: FxHashMap::default(),
            literals: Interner::new(),
            literal_terms: Vec::new(),
            attributes: Interner::new(),
            patterns: Interner::new(),
            nodes: Vec::new(),
            args: Vec::new(),
            table: Table::default(),
            recent_sorts: AnswerCache::new(),
            recent_literals: AnswerCache::new(),
            operators: None,
        }
    }

    /// All operators under all their names: interned on first use, because interning a thousand names takes
    /// longer than reading a short text.
    pub fn operators(&mut self) -> Arc<[NamedOp]> {
        if let Some(known) = &self.operators {
            return Arc::clone(known);
        }
        let mut all = Vec::new();
        for op in Op::all() {
            let func = self.op_func(op, &[]);
            let constant = self.app(func, &[]).ok();
            let row = op.row();
            let aliases = row.aliases.iter().map(|alias| alias.name);
            for name in std::iter::once(row.name).chain(aliases) {
                all.push(NamedOp { name: self.symbols.intern(name), op, func, constant });
            }
        }
        let all: Arc<[NamedOp]> = all.into();
        self.operators = Some(Arc::clone(&all));
        all
    }

    /// Makes a store without content a copy of another, which is faster than adding the same again.
    pub fn begin_as(&mut self, first: &Store) {
        let is_blank = self.is_empty() && self.funcs.len() == 0 && self.symbols.is_empty();
        if is_blank && self.sorts.is_blank() {
            *self = first.clone();
        }
    }

    /// The number of distinct terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the store is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The sort of a term.
    #[must_use]
    #[inline]
    pub fn sort(&self, term: TermId) -> SortId {
        self.nodes[term.index()].sort
    }

    /// The term's outermost layer.
    #[must_use]
    pub fn get(&self, term: TermId) -> Term<'_> {
        let node = &self.nodes[term.index()];
        let args = node.args(&self.args);
        let payload = node.head.payload();
        let split =
            || args.split_last().map(|(&body, rest)| (rest, body)).expect("binders have a body");
        match node.head.kind() {
            Kind::Literal => Term::Literal(&self.literals.items[payload]),
            Kind::App => Term::App(FuncId(payload as u32), args),
            Kind::Var => Term::Var(Symbol::from_index(payload)),
            Kind::Let => {
                let (bindings, body) = split();
                Term::Let(bindings, body)
            }
            Kind::Forall | Kind::Exists => {
                let (vars, body) = split();
                let which = if node.head.kind() == Kind::Forall {
                    Quantifier::Forall
                } else {
                    Quantifier::Exists
                };
                Term::Quant(which, vars, body)
            }
            Kind::Lambda => {
                let (vars, body) = split();
                Term::Lambda(vars, body)
            }
            Kind::Annotated => Term::Annotated(args[0], &self.attributes.items[payload]),
            Kind::Match => Term::Match(args[0], &self.patterns.items[payload], &args[1..]),
        }
    }

    /// The direct subterms: arguments, or variables, bound values and bodies, but not terms inside
    /// attributes.
    #[must_use]
    pub fn children(&self, term: TermId) -> &[TermId] {
        self.nodes[term.index()].args(&self.args)
    }

    /// Whether a bound variable occurs in the term, free or not.
    #[must_use]
    #[inline]
    pub fn mentions_variables(&self, term: TermId) -> bool {
        self.nodes[term.index()].len & OPEN != 0
    }

    /// The operator at the head of a term, with its arguments.
    #[must_use]
    pub fn operator(&self, term: TermId) -> Option<(Op, &[TermId])> {
        match self.get(term) {
            Term::App(func, args) => match self.func(func) {
                Func::Op(op, _) => Some((*op, args)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The function behind a handle.
    #[must_use]
    pub fn func(&self, func: FuncId) -> &Func {
        self.funcs.get(func.0)
    }

    /// The handle of a function.
    pub fn intern_func(&mut self, func: Func) -> FuncId {
        let known = self.funcs.len();
        let id = FuncId(self.funcs.intern(func));
        if let (true, Func::Constructor(decl, index)) = (id.0 as usize == known, self.func(id)) {
            let datatype = self.sorts.decl(*decl).datatype.as_ref();
            let constructors = &datatype.expect("only datatypes have constructors").constructors;
            *self.constructors.entry(constructors[*index as usize].name).or_default() += 1;
        }
        id
    }

    /// Whether several datatypes have a constructor of this name, so that `(as c sort)` must select
    /// one.
    #[must_use]
    pub fn is_ambiguous(&self, constructor: FuncId) -> bool {
        let name = self.symbols.get(self.func_symbol(constructor));
        name.and_then(|name| self.constructors.get(&name)).is_some_and(|&count| count > 1)
    }

    /// The handle of an operator of the table.
    pub fn op_func(&mut self, op: Op, indices: &[u64]) -> FuncId {
        self.intern_func(Func::Op(op, indices.into()))
    }

    /// The handle of a declared symbol. Equal declarations share it.
    pub fn declare(&mut self, name: &str, params: &[SortId], result: SortId) -> FuncId {
        let name = self.symbols.intern(name);
        self.intern_func(Func::Declared { name, params: params.into(), result })
    }

    /// A declared constant, as a term.
    pub fn constant(&mut self, name: &str, sort: SortId) -> TermId {
        let name = self.symbols.intern(name);
        self.declare_constant(name, sort).1
    }

    /// An application that is known to have this sort.
    #[inline]
    pub(crate) fn applied(&mut self, func: FuncId, sort: SortId, args: &[TermId]) -> TermId {
        if args.is_empty() && matches!(self.func(func), Func::Declared { .. }) {
            return self.declared_constant(func, sort);
        }
        self.node(Kind::App, func.0, sort, args)
    }

    /// The handle of a declared constant, and its term.
    pub fn declare_constant(&mut self, name: Symbol, sort: SortId) -> (FuncId, TermId) {
        let func = FuncId(self.funcs.intern_constant(name, sort));
        (func, self.declared_constant(func, sort))
    }

    #[inline]
    fn declared_constant(&mut self, func: FuncId, sort: SortId) -> TermId {
        if let Some(known) = self.constants.get(func.index()) {
            return TermId(known);
        }
        let head = Head::new(Kind::App, func.0);
        let term = self.push(Node { head, sort, len: 0, args: [TermId::ZERO; INLINE] });
        self.constants.set(func.index(), term.0);
        term
    }

    pub(crate) fn result_sort(
        &mut self,
        func: FuncId,
        args: &[SortId],
        ascribed: Option<SortId>,
    ) -> Result<SortId, Mismatch> {
        let func = self.funcs.get(func.0);
        crate::typing::result_sort(func, &mut self.sorts, args, ascribed)
    }

    /// A bound variable.
    pub fn var(&mut self, name: Symbol, sort: SortId) -> TermId {
        match self.vars.get(name.index()) {
            Some(first) if self.sort(TermId(first)) == sort => TermId(first),
            Some(_) => self.node(Kind::Var, name.index() as u32, sort, &[]),
            None => {
                let head = Head::new(Kind::Var, name.index() as u32);
                let var = self.push(Node { head, sort, len: OPEN, args: [TermId::ZERO; INLINE] });
                self.vars.set(name.index(), var.0);
                var
            }
        }
    }

    #[inline]
    pub(crate) fn node(
        &mut self,
        kind: Kind,
        payload: u32,
        sort: SortId,
        args: &[TermId],
    ) -> TermId {
        const NO: TermId = TermId::ZERO;
        let head = Head::new(kind, payload);
        let inline = match *args {
            [] => [NO, NO, NO],
            [a] => [a, NO, NO],
            [a, b] => [a, b, NO],
            [a, b, c] => [a, b, c],
            _ => return self.long_node(head, sort, args),
        };
        let len = args.len() as u32;
        let key = short_key(head, sort, inline, args.len());
        let nodes = &self.nodes;
        let same = |id: u32| {
            let node = &nodes[id as usize];
            let ([a, b, c], [x, y, z]) = (node.args, inline);
            let same_args = (a == x) & (b == y) & (c == z) & (node.len & !OPEN == len);
            (node.head == head) & (node.sort == sort) & same_args
        };
        let new = self.next_id();
        let key_of = |id: u32| nodes[id as usize].key(&self.args);
        if let Some(id) = self.table.find_or_insert(key, new, same, key_of) {
            return TermId(id);
        }
        let open = kind == Kind::Var || self.any_open(args);
        self.push(Node { head, sort, len: len | open_bit(open), args: inline })
    }

    #[inline(never)]
    fn long_node(&mut self, head: Head, sort: SortId, args: &[TermId]) -> TermId {
        let key = long_key(head, sort, args);
        let (nodes, all) = (&self.nodes, &self.args);
        let same = |id: u32| {
            let node = &nodes[id as usize];
            node.head == head && node.sort == sort && node.args(all) == args
        };
        let new = self.next_id();
        let key_of = |id: u32| nodes[id as usize].key(all);
        if let Some(id) = self.table.find_or_insert(key, new, same, key_of) {
            return TermId(id);
        }
        let len = args.len() as u32 | open_bit(self.any_open(args));
        let start = u32::try_from(all.len()).expect("fewer than 2^32 arguments in all");
        self.args.extend_from_slice(args);
        self.push(Node { head, sort, len, args: [TermId(start), TermId::ZERO, TermId::ZERO] })
    }

    #[inline]
    fn any_open(&self, args: &[TermId]) -> bool {
        args.iter().any(|&arg| self.mentions_variables(arg))
    }

    /// The handle of the next node.
    #[inline]
    fn next_id(&self) -> u32 {
        u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms")
    }

    /// Adds a node that the caller has already put into the table.
    #[inline]
    pub(crate) fn push(&mut self, node: Node) -> TermId {
        let id = self.next_id();
        self.nodes.push(node);
        TermId(id)
    }

    /// Reserves space for about this many terms and names, so that tables need not grow step by
    /// step.
    pub fn reserve(&mut self, terms: usize, names: usize) {
        self.nodes.reserve(terms);
        let handles = self.nodes.len() + terms;
        self.table.reserve(handles, |id| self.nodes[id as usize].key(&self.args));
        self.symbols.reserve(names);
        self.funcs.reserve(names);
        self.constants.reserve(names);
    }
}

impl Store {
    /// The element sorts of an array sort.
    #[must_use]
    pub fn array_sorts(&self, sort: SortId) -> Option<(SortId, SortId)> {
        match *self.sorts.get(sort) {
            Sort::Array(index, element) => Some((index, element)),
            _ => None,
        }
    }

    /// Whether the term is a function value.
    #[must_use]
    pub fn is_function(&self, term: TermId) -> bool {
        matches!(self.sorts.get(self.sort(term)), Sort::Fun(..))
    }

    /// The domain and codomain of a map: the sorts of an array's indices and elements, or of a
    /// function's argument and result.
    #[must_use]
    pub fn map_sorts(&self, sort: SortId) -> Option<(SortId, SortId)> {
        match *self.sorts.get(sort) {
            Sort::Array(from, to) | Sort::Fun(from, to) => Some((from, to)),
            _ => None,
        }
    }
}
