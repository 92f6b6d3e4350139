//! Terms, hash-consed in a [`Store`]: equal terms have equal [`TermId`]s, and a term that is not
//! well sorted cannot be built.
//!
//! Bound variables are named: a variable is its name and its sort, and a binder binds the nearest
//! occurrences. What a function symbol means is not stored here but in a [`crate::Model`].

use crate::op::{Mismatch, Op};
use crate::recent::Recent;
use crate::sort::{Sort, SortDeclId, SortId, Sorts};
use crate::symbol::{Symbol, Symbols};
use crate::table::{Key, Table};
use crate::value::Value;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// A term, interned in a [`Store`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl TermId {
    /// Position in the store, dense from zero; arguments come before what is built from them.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function symbol with its indices, interned in a [`Store`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FuncId(u32);

/// What stands at the head of an application.
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

/// Which quantifier.
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

/// A term, seen from outside.
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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Kind {
    Literal,
    App,
    Var,
    Let,
    Forall,
    Exists,
    Lambda,
    Annotated,
    Match,
}

/// A kind in the upper four bits, its payload (a function, a literal, a name, a side table's
/// index) in the rest: a node takes 20 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Head(u32);

const PAYLOAD_BITS: u32 = 28;
const OPEN: u32 = 1 << 31;

impl Head {
    fn new(kind: Kind, payload: u32) -> Head {
        assert!(payload < 1 << PAYLOAD_BITS, "more than 2^28 functions, literals or names");
        Head((kind as u32) << PAYLOAD_BITS | payload)
    }

    fn kind(self) -> Kind {
        const KINDS: [Kind; 9] = [
            Kind::Literal,
            Kind::App,
            Kind::Var,
            Kind::Let,
            Kind::Forall,
            Kind::Exists,
            Kind::Lambda,
            Kind::Annotated,
            Kind::Match,
        ];
        KINDS[(self.0 >> PAYLOAD_BITS) as usize]
    }

    fn payload(self) -> usize {
        (self.0 & ((1 << PAYLOAD_BITS) - 1)) as usize
    }
}

#[derive(Clone, Copy)]
struct Node {
    head: Head,
    sort: SortId,
    /// Number of arguments; the top bit says that a bound variable occurs below.
    len: u32,
    /// The arguments where there are at most two; otherwise where they begin in the store's list.
    args: [TermId; INLINE],
}

/// So many arguments lie in the node itself: most terms have no more.
const INLINE: usize = 2;

impl Node {
    fn len(&self) -> usize {
        (self.len & !OPEN) as usize
    }

    fn key(&self, all: &[TermId]) -> Key {
        match self.args(all) {
            args if args.len() > INLINE => long_key(self.head, self.sort, args),
            args => short_key(self.head, self.sort, self.args[0], self.args[1], args.len() as u32),
        }
    }

    #[inline]
    fn args<'a>(&'a self, all: &'a [TermId]) -> &'a [TermId] {
        let len = self.len();
        if len <= INLINE {
            &self.args[..len]
        } else {
            let start = self.args[0].index();
            &all[start..start + len]
        }
    }
}

/// Why a term cannot be built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortError {
    /// What was applied or built, as it would be written.
    pub subject: String,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with an ill-sorted term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An application that its operator or function does not allow.
    Mismatch(Mismatch, Box<[SortId]>),
    /// A part that should have one sort has another.
    Expected {
        /// What part.
        part: &'static str,
        /// The sort it should have.
        expected: SortId,
        /// The sort it has.
        got: SortId,
    },
    /// A rule of its own, in words.
    Words(&'static str),
}

/// The arena of terms, with the symbols, sorts and functions they are made of.
#[derive(Clone)]
pub struct Store {
    /// The names.
    pub symbols: Symbols,
    /// The sorts.
    pub sorts: Sorts,
    funcs: Interner<Func>,
    /// How many datatypes have a constructor of this name.
    constructors: FxHashMap<Symbol, u32>,
    literals: Interner<Value>,
    /// The terms of the literals: a value decides its sort, so that these need no place in `table`.
    literal_terms: Vec<TermId>,
    attributes: Interner<Box<[Attribute]>>,
    patterns: Interner<Box<[MatchPattern]>>,
    nodes: Vec<Node>,
    args: Vec<TermId>,
    table: Table,
    recent: Recent<Typed, TYPED_SLOTS>,
}

/// An application's sorts, filled up with [`SortId::NONE`].
#[derive(Clone, Copy)]
struct Typed {
    func: FuncId,
    args: [SortId; TYPED_ARGS],
    result: SortId,
}

/// Applications to more arguments are not remembered.
const TYPED_ARGS: usize = 3;
const TYPED_SLOTS: usize = 1024;
const NOT_TYPED: Typed =
    Typed { func: FuncId(u32::MAX), args: [SortId::NONE; TYPED_ARGS], result: SortId::NONE };

impl Typed {
    #[inline]
    fn is(&self, func: FuncId, [a, b, c]: [SortId; TYPED_ARGS]) -> bool {
        let [x, y, z] = self.args;
        (self.func == func) & (x == a) & (y == b) & (z == c)
    }
}

/// Where an application with these sorts is remembered.
#[inline]
fn typed_slot(func: FuncId, [a, b, c]: [SortId; TYPED_ARGS]) -> usize {
    let sorts = a.index() + 5 * b.index() + 17 * c.index();
    (func.0 as usize + 37 * sorts) % TYPED_SLOTS
}

/// Items of a kind, each once, found by content.
#[derive(Clone)]
struct Interner<T> {
    items: Vec<T>,
    table: Table,
}

/// What an [`Interner`] keeps.
trait Item: Eq + std::hash::Hash {
    fn key(&self) -> Key {
        Key::scattered(FxBuildHasher.hash_one(self))
    }
}

impl Item for Value {
    /// Most are machine words, for which a general hasher does too much.
    #[inline]
    fn key(&self) -> Key {
        let word = match self {
            Value::Int(n) => n.to_i64().map(|n| (0, n as u64)),
            Value::BitVec(bits) if bits.width() <= 64 => {
                bits.to_u64().map(|word| (bits.width(), word))
            }
            _ => None,
        };
        match word {
            Some((width, word)) => Key::scattered(mix(mix(0, width.into()), word)),
            None => Key::scattered(FxBuildHasher.hash_one(self)),
        }
    }
}
impl Item for Box<[Attribute]> {}
impl Item for Box<[MatchPattern]> {}

impl Item for Func {
    /// Names are numbered as they come up, and so are found near those that come up with them.
    fn key(&self) -> Key {
        let hash = FxBuildHasher.hash_one(self);
        match self {
            Func::Declared { name, .. } => Key { near: name.index() / PER_WORD, hash },
            _ => Key::scattered(hash),
        }
    }
}

/// So many consecutive handles share a word of a [`Table`]: half of what fits, as not all words are
/// used equally.
const PER_WORD: usize = 4;

impl<T: Item> Interner<T> {
    fn new() -> Interner<T> {
        Interner { items: Vec::new(), table: Table::default() }
    }

    fn intern(&mut self, item: T) -> u32 {
        let items = &self.items;
        let id = u32::try_from(items.len()).expect("fewer than 2^32 items of a kind");
        let same = |id: u32| items[id as usize] == item;
        let key_of = |id: u32| items[id as usize].key();
        if let Some(known) = self.table.find_or_insert(item.key(), id, same, key_of) {
            return known;
        }
        self.items.push(item);
        id
    }
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
            funcs: Interner::new(),
            constructors: FxHashMap::default(),
            literals: Interner::new(),
            literal_terms: Vec::new(),
            attributes: Interner::new(),
            patterns: Interner::new(),
            nodes: Vec::new(),
            args: Vec::new(),
            table: Table::default(),
            recent: Recent::new(),
        }
    }

    /// How many distinct terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no term yet.
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

    /// The direct subterms: arguments, or variables, bound values and bodies. Terms inside
    /// attributes are not among them.
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

    /// What a function handle stands for.
    #[must_use]
    pub fn func(&self, func: FuncId) -> &Func {
        &self.funcs.items[func.0 as usize]
    }

    /// The handle of a function.
    pub fn intern_func(&mut self, func: Func) -> FuncId {
        let known = self.funcs.items.len();
        let id = FuncId(self.funcs.intern(func));
        if let (true, Func::Constructor(decl, index)) = (id.0 as usize == known, self.func(id)) {
            let datatype = self.sorts.decl(*decl).datatype.as_ref();
            let constructors = &datatype.expect("only datatypes have constructors").constructors;
            *self.constructors.entry(constructors[*index as usize].name).or_default() += 1;
        }
        id
    }

    /// Whether several datatypes have a constructor of this name, so that `(as c sort)` must say
    /// which one is meant.
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
        let func = self.declare(name, &[], sort);
        self.node(Kind::App, func.0, sort, &[])
    }

    /// An application of an operator without indices.
    ///
    /// # Errors
    /// Where the operator's typing does not allow it.
    pub fn op(&mut self, op: Op, args: &[TermId]) -> Result<TermId, SortError> {
        self.op_indexed(op, &[], args)
    }

    /// An application of an operator with indices.
    ///
    /// # Errors
    /// Where the operator's typing does not allow it.
    pub fn op_indexed(
        &mut self,
        op: Op,
        indices: &[u64],
        args: &[TermId],
    ) -> Result<TermId, SortError> {
        let func = self.op_func(op, indices);
        self.app(func, args)
    }

    /// An application.
    ///
    /// # Errors
    /// Where the function's typing does not allow it.
    pub fn app(&mut self, func: FuncId, args: &[TermId]) -> Result<TermId, SortError> {
        self.app_as(func, args, None)
    }

    /// An application of `(as f sort)`.
    ///
    /// # Errors
    /// Where the function's typing does not allow it.
    pub fn app_as(
        &mut self,
        func: FuncId,
        args: &[TermId],
        ascribed: Option<SortId>,
    ) -> Result<TermId, SortError> {
        match self.try_app_as(func, args, ascribed) {
            Ok(term) => Ok(term),
            Err(mismatch) => {
                let got = args.iter().map(|&t| self.sort(t)).collect();
                Err(SortError {
                    subject: self.func_name(func),
                    fault: Fault::Mismatch(mismatch, got),
                })
            }
        }
    }

    /// The same with a bare reason: no words are made, so a caller may try again cheaply.
    ///
    /// # Errors
    /// Where the function's typing does not allow it.
    #[inline]
    pub fn try_app_as(
        &mut self,
        func: FuncId,
        args: &[TermId],
        ascribed: Option<SortId>,
    ) -> Result<TermId, Mismatch> {
        let sort = match ascribed {
            None if args.len() <= TYPED_ARGS => self.typed(func, args)?,
            _ => self.typed_anew(func, args, ascribed)?,
        };
        Ok(self.node(Kind::App, func.0, sort, args))
    }

    /// An application whose sort is remembered from one like it before. Others may be possible too.
    #[inline]
    pub fn known_app(&mut self, func: FuncId, args: &[TermId]) -> Option<TermId> {
        let sort = |arg: TermId| self.nodes[arg.index()].sort;
        let sorts = match *args {
            [a] => [sort(a), SortId::NONE, SortId::NONE],
            [a, b] => [sort(a), sort(b), SortId::NONE],
            [a, b, c] => [sort(a), sort(b), sort(c)],
            _ => return None,
        };
        let known = self.recent.get(typed_slot(func, sorts))?;
        if !known.is(func, sorts) {
            return None;
        }
        let sort = known.result;
        Some(self.node(Kind::App, func.0, sort, args))
    }

    /// The sort of a short application, remembered from the last one like it: texts apply the same
    /// few operators to the same few sorts.
    fn typed(&mut self, func: FuncId, args: &[TermId]) -> Result<SortId, Mismatch> {
        let mut sorts = [SortId::NONE; TYPED_ARGS];
        for (sort, arg) in sorts.iter_mut().zip(args) {
            *sort = self.sort(*arg);
        }
        let slot = typed_slot(func, sorts);
        if let Some(known) = self.recent.get(slot).filter(|known| known.is(func, sorts)) {
            return Ok(known.result);
        }
        let result = self.result_sort(func, &sorts[..args.len()], None)?;
        self.recent.set(slot, Typed { func, args: sorts, result }, NOT_TYPED);
        Ok(result)
    }

    fn typed_anew(
        &mut self,
        func: FuncId,
        args: &[TermId],
        ascribed: Option<SortId>,
    ) -> Result<SortId, Mismatch> {
        let sorts: Vec<SortId> = args.iter().map(|&t| self.sort(t)).collect();
        self.result_sort(func, &sorts, ascribed)
    }

    fn result_sort(
        &mut self,
        func: FuncId,
        args: &[SortId],
        ascribed: Option<SortId>,
    ) -> Result<SortId, Mismatch> {
        let func = &self.funcs.items[func.0 as usize];
        crate::typing::result_sort(func, &mut self.sorts, args, ascribed)
    }

    /// A literal. Only non-negative integers and reals with a finite decimal expansion, bit-vectors
    /// and strings are literals; [`Store::value`] makes a term of any value.
    pub(crate) fn literal(&mut self, value: Value, sort: SortId) -> TermId {
        let id = self.literals.intern(value);
        if let Some(&term) = self.literal_terms.get(id as usize) {
            return term;
        }
        let head = Head::new(Kind::Literal, id);
        let term = self.push(Node { head, sort, len: 0, args: [TermId(0); INLINE] });
        self.literal_terms.push(term);
        term
    }

    /// A bound variable.
    pub fn var(&mut self, name: Symbol, sort: SortId) -> TermId {
        self.node(Kind::Var, name.index() as u32, sort, &[])
    }

    /// `(let ((x v) …) body)` with parallel bindings, given as pairs of variable and value.
    ///
    /// # Errors
    /// Where a variable and its value have different sorts, or a variable is bound twice.
    pub fn let_in(
        &mut self,
        bindings: &[(TermId, TermId)],
        body: TermId,
    ) -> Result<TermId, SortError> {
        let mut args = Vec::with_capacity(2 * bindings.len() + 1);
        args.extend(bindings.iter().flat_map(|&(var, value)| [var, value]));
        args.push(body);
        self.let_list(&args)
    }

    /// The same with bindings and body in one list, as [`Store::children`] shows them.
    ///
    /// # Errors
    /// Where a variable and its value have different sorts, or a variable is bound twice.
    ///
    /// # Panics
    /// Where the list has an even length: the body is missing.
    pub fn let_list(&mut self, list: &[TermId]) -> Result<TermId, SortError> {
        let (bindings, rest) = list.split_at(list.len() / 2 * 2);
        let [body] = *rest else { panic!("a list of bindings without a body") };
        for pair in bindings.chunks_exact(2) {
            let (expected, got) = (self.sort(pair[0]), self.sort(pair[1]));
            if expected != got {
                let fault = Fault::Expected { part: "the bound value", expected, got };
                return Err(SortError { subject: "let".into(), fault });
            }
        }
        self.check_variables("let", bindings.iter().copied().step_by(2))?;
        let sort = self.sort(body);
        Ok(self.node(Kind::Let, 0, sort, list))
    }

    /// `(forall ((x S) …) body)` or `(exists …)`.
    ///
    /// # Errors
    /// Where the body is not a formula or a variable is bound twice.
    pub fn quantified(
        &mut self,
        which: Quantifier,
        vars: &[TermId],
        body: TermId,
    ) -> Result<TermId, SortError> {
        let (kind, name) = match which {
            Quantifier::Forall => (Kind::Forall, "forall"),
            Quantifier::Exists => (Kind::Exists, "exists"),
        };
        self.check_variables(name, vars.iter().copied())?;
        if self.sort(body) != SortId::BOOL {
            let got = self.sort(body);
            let fault = Fault::Expected { part: "the body", expected: SortId::BOOL, got };
            return Err(SortError { subject: name.into(), fault });
        }
        Ok(self.node(kind, 0, SortId::BOOL, &with_body(vars, body)))
    }

    /// `(lambda ((x S)) body)`, an array from `S` to the body's sort.
    ///
    /// # Errors
    /// Where there is not exactly one variable.
    pub fn lambda(&mut self, vars: &[TermId], body: TermId) -> Result<TermId, SortError> {
        self.check_variables("lambda", vars.iter().copied())?;
        let [var] = vars else {
            let fault = Fault::Words(
                "takes one variable: functions of several arguments are an unsupported extension",
            );
            return Err(SortError { subject: "lambda".into(), fault });
        };
        let (index, element) = (self.sort(*var), self.sort(body));
        let sort = self.sorts.array(index, element);
        if !self.sorts.is_moderate(sort) {
            let fault = Fault::Words("requires a sort of moderate size");
            return Err(SortError { subject: "lambda".into(), fault });
        }
        Ok(self.node(Kind::Lambda, 0, sort, &with_body(vars, body)))
    }

    fn check_variables(
        &self,
        subject: &str,
        vars: impl ExactSizeIterator<Item = TermId>,
    ) -> Result<(), SortError> {
        let wrong = |words| SortError { subject: subject.into(), fault: Fault::Words(words) };
        if vars.len() == 0 {
            return Err(wrong("binds no variable"));
        }
        let only = vars.len() == 1;
        let mut names: Vec<usize> = Vec::new();
        for var in vars {
            let node = self.nodes[var.index()];
            if node.head.kind() != Kind::Var {
                return Err(wrong("binds something that is not a variable"));
            }
            if !only {
                names.push(node.head.payload());
            }
        }
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(wrong("binds a variable twice"));
        }
        Ok(())
    }

    /// `(! term :keyword value …)`.
    pub fn annotated(&mut self, term: TermId, attributes: Vec<Attribute>) -> TermId {
        if attributes.is_empty() {
            return term;
        }
        let id = self.attributes.intern(attributes.into());
        let sort = self.sort(term);
        self.node(Kind::Annotated, id, sort, &[term])
    }

    /// `(match scrutinee ((pattern body) …))`.
    ///
    /// # Errors
    /// Where a pattern does not fit the scrutinee's datatype, a case is missing, or bodies differ
    /// in sort.
    pub fn match_on(
        &mut self,
        scrutinee: TermId,
        cases: Vec<(MatchPattern, TermId)>,
    ) -> Result<TermId, SortError> {
        let fail = |fault| SortError { subject: "match".into(), fault };
        let words = |words| SortError { subject: "match".into(), fault: Fault::Words(words) };
        let Some((_, dt, _)) = self.sorts.datatype(self.sort(scrutinee)) else {
            return Err(words("needs a value of a datatype"));
        };
        let mut missing: Vec<bool> = vec![true; dt.constructors.len()];
        for (pattern, _) in &cases {
            match pattern {
                MatchPattern::Any(_) => missing.fill(false),
                MatchPattern::Constructor(index, vars) => {
                    let constructor = dt.constructors.get(*index as usize);
                    if constructor.is_none_or(|c| c.fields.len() != vars.len()) {
                        return Err(words("has a pattern with the wrong number of variables"));
                    }
                    missing[*index as usize] = false;
                }
            }
        }
        if missing.contains(&true) {
            return Err(words("has no case for one of the constructors"));
        }
        let Some(&(_, first)) = cases.first() else {
            return Err(words("has no case"));
        };
        let sort = self.sort(first);
        if let Some((_, body)) = cases.iter().find(|(_, body)| self.sort(*body) != sort) {
            let got = self.sort(*body);
            return Err(fail(Fault::Expected { part: "a case's body", expected: sort, got }));
        }
        let (patterns, bodies): (Vec<MatchPattern>, Vec<TermId>) = cases.into_iter().unzip();
        let binds = patterns.iter().any(MatchPattern::binds);
        let id = self.patterns.intern(patterns.into());
        let mut args = vec![scrutinee];
        args.extend(bodies);
        let term = self.node(Kind::Match, id, sort, &args);
        if binds {
            self.nodes[term.index()].len |= OPEN;
        }
        Ok(term)
    }

    #[inline]
    fn node(&mut self, kind: Kind, payload: u32, sort: SortId, args: &[TermId]) -> TermId {
        let head = Head::new(kind, payload);
        let (a, b) = match *args {
            [] => (TermId(0), TermId(0)),
            [a] => (a, TermId(0)),
            [a, b] => (a, b),
            _ => return self.long_node(head, sort, args),
        };
        let len = args.len() as u32;
        let key = short_key(head, sort, a, b, len);
        let nodes = &self.nodes;
        let same = |id: u32| {
            let node = &nodes[id as usize];
            let same_args = (node.args[0] == a) & (node.args[1] == b) & (node.len & !OPEN == len);
            (node.head == head) & (node.sort == sort) & same_args
        };
        let new = self.next_id();
        let key_of = |id: u32| nodes[id as usize].key(&self.args);
        if let Some(id) = self.table.find_or_insert(key, new, same, key_of) {
            return TermId(id);
        }
        let open = kind == Kind::Var || self.any_open(args);
        self.push(Node { head, sort, len: len | open_bit(open), args: [a, b] })
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
        self.push(Node { head, sort, len, args: [TermId(start), TermId(0)] })
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

    /// Adds a node, which whoever finds it by content has put into the table.
    #[inline]
    fn push(&mut self, node: Node) -> TermId {
        let id = self.next_id();
        self.nodes.push(node);
        TermId(id)
    }

    /// Makes room for about this many terms, so that tables need not grow step by step.
    pub fn reserve(&mut self, terms: usize) {
        self.nodes.reserve(terms);
        let handles = self.nodes.len() + terms;
        self.table.reserve(handles, |id| self.nodes[id as usize].key(&self.args));
    }
}

impl MatchPattern {
    fn binds(&self) -> bool {
        match self {
            MatchPattern::Constructor(_, vars) => vars.iter().any(Option::is_some),
            MatchPattern::Any(var) => var.is_some(),
        }
    }
}

fn with_body(vars: &[TermId], body: TermId) -> Vec<TermId> {
    let mut args = Vec::with_capacity(vars.len() + 1);
    args.extend_from_slice(vars);
    args.push(body);
    args
}

fn open_bit(open: bool) -> u32 {
    if open { OPEN } else { 0 }
}

/// A multiplicative hash: a general hasher's setup would cost more than the lookup.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Where a node with its arguments inside is looked for: near others whose latest argument is about
/// as old.
#[inline]
fn short_key(head: Head, sort: SortId, a: TermId, b: TermId, len: u32) -> Key {
    let first = u64::from(head.0) << 32 | sort.index() as u64;
    let hash = mix(mix(0, first), u64::from(a.0) << 32 | u64::from(b.0));
    let latest = if len == 0 { head.payload() } else { a.max(b).index() };
    Key { near: latest / PER_WORD, hash }
}

/// The same for a node with more arguments.
fn long_key(head: Head, sort: SortId, args: &[TermId]) -> Key {
    let start = mix(0, u64::from(head.0) << 32 | sort.index() as u64);
    let hash = args.iter().fold(start, |hash, arg| mix(hash, u64::from(arg.0)));
    let latest = args.iter().max().map_or(0, |arg| arg.index());
    Key { near: latest / PER_WORD, hash }
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
}
