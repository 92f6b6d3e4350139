//! Sorts, hash-consed: equal sorts have equal [`SortId`]s.
//!
//! Also holds the declarations of sorts: uninterpreted sorts with their arity, and datatypes with
//! their constructors and fields. No terms here.

use crate::float::Format;
use crate::int::Int;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// A sort, interned in [`Sorts`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SortId(u32);

impl SortId {
    /// `Bool`.
    pub const BOOL: SortId = SortId(0);
    /// `Int`.
    pub const INT: SortId = SortId(1);
    /// `Real`.
    pub const REAL: SortId = SortId(2);
    /// `RoundingMode`.
    pub const ROUNDING_MODE: SortId = SortId(3);
    /// `String`.
    pub const STRING: SortId = SortId(4);
    /// `RegLan`.
    pub const REGLAN: SortId = SortId(5);
    /// No sort.
    pub(crate) const NONE: SortId = SortId(u32::MAX);

    /// Position in the table, dense from zero.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A declared sort symbol: an uninterpreted sort or a datatype, with its arity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SortDeclId(u32);

/// The shape of a sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// The Booleans.
    Bool,
    /// The integers.
    Int,
    /// The reals.
    Real,
    /// The five rounding modes of IEEE 754.
    RoundingMode,
    /// Sequences of characters.
    String,
    /// Regular languages over characters.
    RegLan,
    /// Bit-vectors of a positive width.
    BitVec(u32),
    /// Binary floating point.
    Float(Format),
    /// Maps from an index sort to an element sort.
    Array(SortId, SortId),
    /// Finite sequences (extension).
    Seq(SortId),
    /// Functions as values, `(-> argument result)`: one argument at a time, as SMT-LIB 2.7 has them.
    Fun(SortId, SortId),
    /// Finite sets (extension).
    Set(SortId),
    /// Finite bags, which hold each element a number of times (extension).
    Bag(SortId),
    /// Tuples (extension).
    Tuple(Box<[SortId]>),
    /// A value or nothing (extension).
    Nullable(SortId),
    /// The integers modulo a prime (extension).
    FiniteField(Int),
    /// An uninterpreted sort or a datatype, applied to its arguments.
    Declared(SortDeclId, Box<[SortId]>),
    /// A sort parameter, inside the declaration of a parametric datatype or function.
    Param(Symbol),
}

impl Sort {
    /// The sorts of its parts, in written order.
    #[must_use]
    pub fn parts(&self) -> Vec<SortId> {
        match self {
            Sort::Array(from, to) | Sort::Fun(from, to) => vec![*from, *to],
            Sort::Seq(element)
            | Sort::Set(element)
            | Sort::Bag(element)
            | Sort::Nullable(element) => vec![*element],
            Sort::Tuple(parts) | Sort::Declared(_, parts) => parts.to_vec(),
            Sort::Bool
            | Sort::Int
            | Sort::Real
            | Sort::RoundingMode
            | Sort::String
            | Sort::RegLan
            | Sort::BitVec(_)
            | Sort::Float(_)
            | Sort::FiniteField(_)
            | Sort::Param(_) => Vec::new(),
        }
    }

    /// The same sort with other parts, as many as [`Sort::parts`] has.
    #[must_use]
    pub fn with_parts(&self, parts: &[SortId]) -> Sort {
        debug_assert_eq!(self.parts().len(), parts.len(), "as many parts as before");
        match self {
            Sort::Array(..) => Sort::Array(parts[0], parts[1]),
            Sort::Fun(..) => Sort::Fun(parts[0], parts[1]),
            Sort::Seq(_) => Sort::Seq(parts[0]),
            Sort::Set(_) => Sort::Set(parts[0]),
            Sort::Bag(_) => Sort::Bag(parts[0]),
            Sort::Nullable(_) => Sort::Nullable(parts[0]),
            Sort::Tuple(_) => Sort::Tuple(parts.into()),
            Sort::Declared(decl, _) => Sort::Declared(*decl, parts.into()),
            plain => plain.clone(),
        }
    }
}

/// The declaration of a sort symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortDecl {
    /// Its name.
    pub name: Symbol,
    /// The number of its arguments.
    pub arity: u32,
    /// Its constructors if it is a datatype.
    pub datatype: Option<Datatype>,
}

/// The constructors of a datatype; fields may mention the sort parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Datatype {
    /// The sort parameters, in order.
    pub params: Box<[Symbol]>,
    /// The constructors, in the order of their declaration.
    pub constructors: Vec<Constructor>,
    /// Whether values may be infinite (cvc5's codatatypes); only finite ones are values here.
    pub codata: bool,
}

/// A constructor with its named fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: Symbol,
    /// Selector name and sort of each field.
    pub fields: Vec<(Symbol, SortId)>,
}

/// The number of values of a sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cardinality {
    /// Exactly this many.
    Finite(u64),
    /// Finite, but more than fit in 64 bits.
    Huge,
    /// Infinitely many.
    Infinite,
    /// The sort is uninterpreted: the model decides.
    Open,
}

use Cardinality::{Finite, Huge, Infinite, Open};

/// The maximum number of parts of a term's sort.
pub const MAX_SIZE: u32 = 10_000;

/// The maximum nesting depth of a term's sort.
pub const MAX_DEPTH: u32 = 250;

/// The maximum nesting of datatypes whose values are counted.
const MAX_NESTED: usize = 250;

/// The state of counting values.
#[derive(Default)]
struct Count {
    known: FxHashMap<SortId, Cardinality>,
    open: Vec<SortId>,
}

/// Widths below this are common.
const USUAL_WIDTHS: usize = 65;

/// The table of sorts.
#[derive(Clone)]
pub struct Sorts {
    shapes: Vec<Sort>,
    /// The written size and depth of each sort; saturating.
    extents: Vec<(u32, u32)>,
    ids: FxHashMap<Sort, SortId>,
    /// The bit-vector sorts of common widths, which literals need all the time.
    bit_vecs: [SortId; USUAL_WIDTHS],
    decls: Vec<SortDecl>,
    /// Uninterpreted sorts by name and arity.
    plain: FxHashMap<(Symbol, u32), SortDeclId>,
}

impl Default for Sorts {
    fn default() -> Sorts {
        let mut sorts = Sorts {
            shapes: Vec::new(),
            bit_vecs: [SortId::NONE; USUAL_WIDTHS],
            extents: Vec::new(),
            ids: FxHashMap::default(),
            decls: Vec::new(),
            plain: FxHashMap::default(),
        };
        for shape in FIXED {
            sorts.intern(shape);
        }
        sorts
    }
}

/// The sorts that every store has.
const FIXED: [Sort; 6] =
    [Sort::Bool, Sort::Int, Sort::Real, Sort::RoundingMode, Sort::String, Sort::RegLan];

impl Sorts {
    /// Whether nothing was added.
    pub(crate) fn is_blank(&self) -> bool {
        self.shapes.len() == FIXED.len() && self.decls.is_empty() && self.plain.is_empty()
    }

    /// The handle of a sort, made on first sight.
    pub fn intern(&mut self, shape: Sort) -> SortId {
        if let Some(&id) = self.ids.get(&shape) {
            return id;
        }
        let id = SortId(u32::try_from(self.shapes.len()).expect("fewer than 2^32 sorts"));
        self.extents.push(self.extent(&shape));
        self.shapes.push(shape.clone());
        self.ids.insert(shape, id);
        id
    }

    fn extent(&self, shape: &Sort) -> (u32, u32) {
        shape.parts().iter().fold((1u32, 1u32), |(size, depth), part| {
            let (more, inner) = self.extents[part.index()];
            (size.saturating_add(more), depth.max(inner.saturating_add(1)))
        })
    }

    /// Whether the sort is within the limits for sorts of terms: walks over a sort are recursive,
    /// and a sort with shared parts may be exponentially long in writing.
    #[must_use]
    pub fn is_moderate(&self, sort: SortId) -> bool {
        let (size, depth) = self.extents[sort.index()];
        size <= MAX_SIZE && depth <= MAX_DEPTH
    }

    /// The shape behind a handle.
    #[must_use]
    pub fn get(&self, id: SortId) -> &Sort {
        &self.shapes[id.index()]
    }

    /// The handle of a shape that is already interned.
    #[must_use]
    pub fn find(&self, shape: &Sort) -> Option<SortId> {
        self.ids.get(shape).copied()
    }

    /// `(_ BitVec width)`.
    #[inline]
    pub fn bit_vec(&mut self, width: u32) -> SortId {
        match self.bit_vecs.get(width as usize) {
            Some(&known) if known != SortId::NONE => known,
            _ => self.new_bit_vec(width),
        }
    }

    #[inline(never)]
    fn new_bit_vec(&mut self, width: u32) -> SortId {
        let sort = self.intern(Sort::BitVec(width));
        if let Some(usual) = self.bit_vecs.get_mut(width as usize) {
            *usual = sort;
        }
        sort
    }

    /// `(_ FloatingPoint eb sb)`.
    pub fn float(&mut self, format: Format) -> SortId {
        self.intern(Sort::Float(format))
    }

    /// `(Array index element)`.
    pub fn array(&mut self, index: SortId, element: SortId) -> SortId {
        self.intern(Sort::Array(index, element))
    }

    /// `(Seq element)`.
    pub fn seq(&mut self, element: SortId) -> SortId {
        self.intern(Sort::Seq(element))
    }

    /// `(-> argument result)`.
    pub fn function(&mut self, argument: SortId, result: SortId) -> SortId {
        self.intern(Sort::Fun(argument, result))
    }

    /// `(-> argument … result)`, which associates to the right.
    pub fn functions(&mut self, arguments: &[SortId], result: SortId) -> SortId {
        arguments.iter().rev().fold(result, |result, &argument| self.function(argument, result))
    }

    /// `(Set element)`.
    pub fn set(&mut self, element: SortId) -> SortId {
        self.intern(Sort::Set(element))
    }

    /// `(Bag element)`.
    pub fn bag(&mut self, element: SortId) -> SortId {
        self.intern(Sort::Bag(element))
    }

    /// `(Tuple part …)`.
    pub fn tuple(&mut self, parts: &[SortId]) -> SortId {
        self.intern(Sort::Tuple(parts.into()))
    }

    /// The order of a finite field.
    #[must_use]
    pub fn field_order(&self, sort: SortId) -> Option<&Int> {
        match self.get(sort) {
            Sort::FiniteField(order) => Some(order),
            _ => None,
        }
    }

    /// A new sort symbol. Equal declarations share a symbol, so that reading a text twice into one
    /// store gives equal terms.
    pub fn declare(&mut self, name: Symbol, arity: u32) -> SortDeclId {
        if let Some(&id) = self.plain.get(&(name, arity)) {
            return id;
        }
        let id = SortDeclId(u32::try_from(self.decls.len()).expect("fewer than 2^32 sorts"));
        self.decls.push(SortDecl { name, arity, datatype: None });
        self.plain.insert((name, arity), id);
        id
    }

    /// New symbols for a group of datatypes that may refer to each other: first the names, and the
    /// constructors later with [`Sorts::finish_datatypes`].
    pub fn begin_datatypes(&mut self, names: &[(Symbol, u32)]) -> Vec<SortDeclId> {
        let first = self.decls.len();
        self.decls.extend(names.iter().map(|&(name, arity)| SortDecl {
            name,
            arity,
            datatype: None,
        }));
        (first..self.decls.len()).map(|i| SortDeclId(i as u32)).collect()
    }

    /// Gives a group of new symbols their constructors. If an equal group was declared before, its
    /// symbols are returned, so that reading a text twice into one store gives equal terms.
    pub fn finish_datatypes(
        &mut self,
        ids: Vec<SortDeclId>,
        bodies: Vec<Datatype>,
    ) -> Vec<SortDeclId> {
        for (id, body) in ids.iter().zip(bodies) {
            self.decls[id.0 as usize].datatype = Some(body);
        }
        let first = ids.first().map_or(0, |id| id.0 as usize);
        self.earlier_equal_group(first, ids.len()).unwrap_or(ids)
    }

    /// A group of datatypes declared before that differs from the one starting at `first` only in
    /// the handles of its own members.
    fn earlier_equal_group(&self, first: usize, size: usize) -> Option<Vec<SortDeclId>> {
        (0..first).filter(|start| start + size <= first).find_map(|start| {
            let equal =
                (0..size).all(|i| self.decl_eq_shifted(start + i, first + i, start, first, size));
            equal.then(|| (start..start + size).map(|i| SortDeclId(i as u32)).collect())
        })
    }

    fn decl_eq_shifted(
        &self,
        a: usize,
        b: usize,
        start_a: usize,
        start_b: usize,
        size: usize,
    ) -> bool {
        let (x, y) = (&self.decls[a], &self.decls[b]);
        let (Some(dx), Some(dy)) = (&x.datatype, &y.datatype) else {
            return false;
        };
        x.name == y.name
            && x.arity == y.arity
            && dx.params == dy.params
            && dx.constructors.len() == dy.constructors.len()
            && dx.constructors.iter().zip(&dy.constructors).all(|(c, d)| {
                c.name == d.name
                    && c.fields.len() == d.fields.len()
                    && c.fields.iter().zip(&d.fields).all(|(f, g)| {
                        f.0 == g.0 && self.sort_eq_shifted(f.1, g.1, start_a, start_b, size)
                    })
            })
    }

    fn sort_eq_shifted(
        &self,
        a: SortId,
        b: SortId,
        start_a: usize,
        start_b: usize,
        size: usize,
    ) -> bool {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            if a == b {
                continue;
            }
            match (self.get(a), self.get(b)) {
                (Sort::Declared(d, xs), Sort::Declared(e, ys)) => {
                    let (d, e) = (d.0 as usize, e.0 as usize);
                    let twins = (start_a..start_a + size).contains(&d)
                        && (start_b..start_b + size).contains(&e)
                        && d - start_a == e - start_b;
                    if !(d == e || twins) || xs.len() != ys.len() {
                        return false;
                    }
                    work.extend(xs.iter().copied().zip(ys.iter().copied()));
                }
                (x, y) => {
                    let (xs, ys) = (x.parts(), y.parts());
                    if xs.len() != ys.len() || *x != y.with_parts(&xs) {
                        return false;
                    }
                    work.extend(xs.into_iter().zip(ys));
                }
            }
        }
        true
    }

    /// The declaration of a sort symbol.
    #[must_use]
    pub fn decl(&self, id: SortDeclId) -> &SortDecl {
        &self.decls[id.0 as usize]
    }

    /// The datatype behind a sort, with its arguments.
    #[must_use]
    pub fn datatype(&self, sort: SortId) -> Option<(SortDeclId, &Datatype, &[SortId])> {
        match self.get(sort) {
            Sort::Declared(id, args) => {
                self.decl(*id).datatype.as_ref().map(|dt| (*id, dt, args.as_ref()))
            }
            _ => None,
        }
    }

    /// The sort's direct arguments.
    fn children(&self, id: SortId) -> Vec<SortId> {
        self.get(id).parts()
    }

    /// Replaces sort parameters: `Param(params[i])` becomes `args[i]`.
    pub fn substitute(&mut self, sort: SortId, params: &[Symbol], args: &[SortId]) -> SortId {
        if params.is_empty() {
            return sort;
        }
        let shape = self.get(sort).clone();
        if let Sort::Param(name) = shape {
            return params.iter().position(|&p| p == name).map_or(sort, |i| args[i]);
        }
        let parts: Vec<SortId> =
            shape.parts().into_iter().map(|part| self.substitute(part, params, args)).collect();
        if parts.is_empty() { sort } else { self.intern(shape.with_parts(&parts)) }
    }

    /// Matches a sort with parameters against a concrete one; `binding[i]` is the sort bound to
    /// `params[i]`. Returns whether they agree.
    #[must_use]
    pub fn unify(
        &self,
        pattern: SortId,
        actual: SortId,
        params: &[Symbol],
        binding: &mut [Option<SortId>],
    ) -> bool {
        if let Sort::Param(name) = self.get(pattern) {
            if let Some(i) = params.iter().position(|p| p == name) {
                return *binding[i].get_or_insert(actual) == actual;
            }
        }
        if pattern == actual {
            return true;
        }
        let (shape, other) = (self.get(pattern), self.get(actual));
        let (xs, ys) = (shape.parts(), other.parts());
        let same_head = !xs.is_empty() && xs.len() == ys.len() && *other == shape.with_parts(&ys);
        same_head && xs.iter().zip(&ys).all(|(&x, &y)| self.unify(x, y, params, binding))
    }

    /// Adds the sort's parameters, without repetition.
    pub(crate) fn collect_params(&self, sort: SortId, names: &mut Vec<Symbol>) {
        if let Sort::Param(name) = self.get(sort) {
            if !names.contains(name) {
                names.push(*name);
            }
        }
        for child in self.children(sort) {
            self.collect_params(child, names);
        }
    }

    /// Whether some part of the sort satisfies `test`; looks through datatype fields.
    #[must_use]
    pub fn mentions(&self, sort: SortId, test: impl Fn(&Sort) -> bool) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![sort];
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            if test(self.get(id)) {
                return true;
            }
            work.extend(self.children(id));
            if let Some((_, dt, _)) = self.datatype(id) {
                work.extend(dt.constructors.iter().flat_map(|c| c.fields.iter().map(|f| f.1)));
            }
        }
        false
    }

    /// The parameters of a parametric sort symbol.
    #[must_use]
    pub fn params(&self, decl: SortDeclId) -> Box<[Symbol]> {
        self.decl(decl).datatype.as_ref().map_or_else(Box::default, |dt| dt.params.clone())
    }

    /// Like [`Sorts::substitute`], for existing sorts.
    #[must_use]
    pub fn resolve(&self, sort: SortId, params: &[Symbol], args: &[SortId]) -> Option<SortId> {
        if params.is_empty() {
            return Some(sort);
        }
        let shape = self.get(sort);
        if let Sort::Param(name) = shape {
            return Some(params.iter().position(|p| p == name).map_or(sort, |i| args[i]));
        }
        let parts: Option<Vec<SortId>> =
            shape.parts().into_iter().map(|part| self.resolve(part, params, args)).collect();
        let parts = parts?;
        if parts.is_empty() { Some(sort) } else { self.find(&shape.with_parts(&parts)) }
    }

    /// Interns the sorts of all fields of an instance of a parametric datatype, and of theirs, so
    /// that [`Sorts::resolve`] finds them. Gives up silently on families that never close.
    pub fn instantiate(&mut self, sort: SortId) {
        const MOST: usize = 1_000;
        let mut work = vec![sort];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(sort) = work.pop() {
            if seen.len() >= MOST || !seen.insert(sort) {
                continue;
            }
            work.extend(self.children(sort));
            let Some((_, datatype, args)) = self.datatype(sort) else {
                continue;
            };
            let (datatype, args) = (datatype.clone(), args.to_vec());
            for &(_, field) in datatype.constructors.iter().flat_map(|c| &c.fields) {
                work.push(self.substitute(field, &datatype.params, &args));
            }
        }
    }

    /// The number of values of the sort; `universe` knows the sizes of uninterpreted sorts.
    #[must_use]
    pub fn cardinality(
        &self,
        sort: SortId,
        universe: &dyn Fn(SortId) -> Option<u64>,
    ) -> Cardinality {
        self.cardinality_within(sort, universe, &mut Count::default())
    }

    fn cardinality_within(
        &self,
        sort: SortId,
        universe: &dyn Fn(SortId) -> Option<u64>,
        count: &mut Count,
    ) -> Cardinality {
        match self.get(sort) {
            Sort::Bool => Finite(2),
            Sort::RoundingMode => Finite(5),
            Sort::BitVec(w) => power(Finite(2), Finite((*w).into())),
            Sort::Float(f) => float_cardinality(*f),
            Sort::Int | Sort::Real | Sort::String | Sort::RegLan | Sort::Seq(_) | Sort::Bag(_) => {
                Infinite
            }
            Sort::FiniteField(order) => order.to_u64().map_or(Huge, Finite),
            Sort::Set(e) => power(Finite(2), self.cardinality_within(*e, universe, count)),
            Sort::Nullable(e) => plus(Finite(1), self.cardinality_within(*e, universe, count)),
            Sort::Tuple(parts) => parts.iter().fold(Finite(1), |product, &part| {
                times(product, self.cardinality_within(part, universe, count))
            }),
            Sort::Array(i, e) | Sort::Fun(i, e) => {
                let i = self.cardinality_within(*i, universe, count);
                power(self.cardinality_within(*e, universe, count), i)
            }
            Sort::Param(_) => Open,
            Sort::Declared(..) if self.datatype(sort).is_none() => {
                universe(sort).map_or(Open, Finite)
            }
            Sort::Declared(..) if count.open.contains(&sort) => Infinite,
            Sort::Declared(..) if count.open.len() >= MAX_NESTED => Open,
            Sort::Declared(..) => {
                if let Some(known) = count.known.get(&sort) {
                    return *known;
                }
                count.open.push(sort);
                let total = self.datatype_cardinality(sort, universe, count);
                count.open.pop();
                count.known.insert(sort, total);
                total
            }
        }
    }

    fn datatype_cardinality(
        &self,
        sort: SortId,
        universe: &dyn Fn(SortId) -> Option<u64>,
        count: &mut Count,
    ) -> Cardinality {
        let Some((_, datatype, args)) = self.datatype(sort) else {
            return Open;
        };
        // Infinite values may add more, or be the only ones.
        if datatype.codata {
            return Open;
        }
        let mut total = Finite(0);
        for constructor in &datatype.constructors {
            let mut product = Finite(1);
            for &(_, field) in &constructor.fields {
                let Some(field) = self.resolve(field, &datatype.params, args) else {
                    return Open;
                };
                product = times(product, self.cardinality_within(field, universe, count));
            }
            total = plus(total, product);
        }
        total
    }
}

fn float_cardinality(format: Format) -> Cardinality {
    let (eb, sb) = (format.exponent_bits(), format.significand_bits());
    if eb + sb > 62 {
        return Huge;
    }
    // All bit patterns, with all NaNs counted as one.
    let nans = (1u64 << sb) - 2;
    Finite((1u64 << (eb + sb)) - nans + 1)
}

fn plus(a: Cardinality, b: Cardinality) -> Cardinality {
    match (a, b) {
        (Infinite, _) | (_, Infinite) => Infinite,
        (Open, _) | (_, Open) => Open,
        (Finite(a), Finite(b)) => a.checked_add(b).map_or(Huge, Finite),
        _ => Huge,
    }
}

fn times(a: Cardinality, b: Cardinality) -> Cardinality {
    match (a, b) {
        (Finite(0), _) | (_, Finite(0)) => Finite(0),
        (Infinite, _) | (_, Infinite) => Infinite,
        (Open, _) | (_, Open) => Open,
        (Finite(a), Finite(b)) => a.checked_mul(b).map_or(Huge, Finite),
        _ => Huge,
    }
}

fn power(base: Cardinality, exponent: Cardinality) -> Cardinality {
    match (base, exponent) {
        (Finite(1), _) => Finite(1),
        (Infinite, _) | (_, Infinite) => Infinite,
        (Open, _) | (_, Open) => Open,
        (Finite(b), Finite(e)) => {
            u32::try_from(e).ok().and_then(|e| b.checked_pow(e)).map_or(Huge, Finite)
        }
        _ => Huge,
    }
}
