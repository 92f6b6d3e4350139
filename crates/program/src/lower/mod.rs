//! From terms to C: a conjunction of assertions becomes steps of a program, each a declaration or a
//! requirement.
//!
//! A run that meets every requirement has inputs under which all assertions hold, and the standard
//! defines each step (in the well-defined style, without implementation-defined behavior). Terms that C
//! can express only within limits (integers, indices, divisors) add requirements, which make the
//! program stricter than the formula, never weaker. Terms that cannot be expressed are an error;
//! nothing is left out.

mod arrays;
mod bits;
mod float_helpers;
mod floats;
mod functions;
mod helpers;
mod ints;
mod logic;

pub(crate) use helpers::Helpers;

use crate::c::{Expr, Name, Scalar, Stmt, Type};
use assay_term::bitvec::BitVec;
use assay_term::{
    Func, FuncId, Interpretation, Model, Op, Sort, SortId, Store, Term, TermId, Value,
};
use rustc_hash::FxHashMap;

/// How terms are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether only behavior that the standard defines is used.
    pub well_defined: bool,
    /// Whether signed comparisons call functions that return signed numbers, instead of comparing
    /// unsigned numbers with a flipped sign bit.
    pub signed_functions: bool,
    /// Whether narrow operands are promoted to `int` if that is safe.
    pub promoted: bool,
    /// Whether integers are read as `int`, instead of `long`.
    pub narrow: bool,
    /// Expressions higher than this are split with variables.
    pub tallest: u32,
    /// Number of distinguished elements of an array.
    pub size: usize,
}

/// Why a formula cannot be expressed in C.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// A sort without a counterpart.
    #[error("it has the sort {0}, which has no counterpart in C")]
    Sort(&'static str),
    /// A bit-vector that is too wide.
    #[error("it has bit-vectors of more than 128 bits, or conversions of more than 64")]
    Width,
    /// An operator without a counterpart.
    #[error("it has the operator {0}, which has no counterpart in C")]
    Operator(&'static str),
    /// A term that binds variables.
    #[error("it has quantifiers or other binders")]
    Binder,
    /// A floating-point format without a type.
    #[error(
        "it has floating-point numbers of {0} exponent and {1} significand bits, which C lacks"
    )]
    Format(u32, u32),
    /// Rounding in a mode that `fesetround` does not know.
    #[error("it has {0} with the rounding mode {1}, which C does not have")]
    Rounding(&'static str, &'static str),
    /// A number that is too large.
    #[error("it has an integer that does not fit into 64 bits")]
    Large,
    /// Functions from or to arrays.
    #[error("it has functions from or to arrays")]
    ArrayFunction,
    /// Arrays with too many dimensions, which would be too large.
    #[error("its arrays are too large")]
    ArraySize,
    /// Functions, whose results are read where they are used.
    #[error("it has functions, whose results can only be local (--scope local)")]
    Scope,
    /// Recursive definitions that cannot be unfolded.
    #[error("it has recursive definitions with quantifiers or other binders")]
    Recursion,
    /// It is too large to be a reasonable program.
    #[error("it is too large")]
    Size,
}

/// A step of a program made from assertions.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum LoweredStep {
    /// A statement.
    Do(Stmt),
    /// A requirement.
    Require(Expr),
}

/// The meaning of an input place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Input {
    /// The place, as in [`Expr::Input`].
    pub(crate) place: u32,
    /// The term whose value is read.
    pub(crate) term: TermId,
}

/// How a sort is represented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Bool,
    Bits(u32),
    Int,
    /// A floating-point number of a type.
    Float(Scalar),
    /// A rounding mode: it has no values in C.
    Mode,
    /// An element of an uninterpreted sort, by number.
    Element,
    Array(Box<Kind>, Box<Kind>),
}

/// A term in C.
#[derive(Clone, Debug)]
pub(crate) struct Low {
    pub(crate) expr: Expr,
    height: u32,
    /// Its range; only for integers.
    range: (i128, i128),
    /// The type of the expression; unused for arrays.
    scalar: Scalar,
}

/// Shared by all groups of a program.
pub(crate) struct Lowerer<'s> {
    store: &'s Store,
    definitions: &'s Model,
    pub(crate) style: Style,
    pub(crate) helpers: Helpers,
    pub(crate) inputs: Vec<Input>,
    pub(crate) variables: FxHashMap<FuncId, Low>,
    /// Sorts of arrays that are compared or filled as a whole.
    whole: bool,
    fresh: u32,
    /// The state of lowering.
    steps: Vec<LoweredStep>,
    memo: FxHashMap<TermId, Low>,
    uses: FxHashMap<TermId, u32>,
    calls: FxHashMap<FuncId, Vec<(Vec<Low>, Low)>>,
    size: usize,
}

/// Maximum number of parts of a formula.
pub(crate) const LARGEST: usize = 20_000;

/// Maximum total number of elements of an array.
const ELEMENTS: usize = 4096;

impl<'s> Lowerer<'s> {
    pub(crate) fn new(store: &'s Store, definitions: &'s Model, style: Style) -> Lowerer<'s> {
        Lowerer {
            store,
            definitions,
            style,
            helpers: Helpers::default(),
            inputs: Vec::new(),
            variables: FxHashMap::default(),
            whole: false,
            fresh: 0,
            steps: Vec::new(),
            memo: FxHashMap::default(),
            uses: FxHashMap::default(),
            calls: FxHashMap::default(),
            size: 0,
        }
    }

    /// Records that some arrays are compared or filled as a whole, so each needs an element that stands
    /// for all indices that are not distinguished.
    pub(crate) fn with_whole_arrays(mut self) -> Lowerer<'s> {
        self.whole = true;
        self
    }

    /// The variables of some symbols: their declarations, and the statements that read them.
    pub(crate) fn declare(
        &mut self,
        symbols: &[(FuncId, TermId)],
    ) -> Result<Vec<(Type, Name, Vec<Stmt>)>, Refusal> {
        let mut declared = Vec::new();
        for &(func, term) in symbols {
            let kind = self.kind(self.store.sort(term))?;
            let name = self.variable_name(func);
            let ty = self.kind_type(&kind)?;
            let place = self.place(term);
            let reading = self.read(&kind, Expr::var(&name), place)?;
            declared.push((ty, Name::clone(&name), reading));
            let low = self.input(&kind, &name);
            self.variables.insert(func, low);
        }
        Ok(declared)
    }

    fn place(&mut self, term: TermId) -> u32 {
        let place = u32::try_from(self.inputs.len()).expect("a program has few inputs");
        self.inputs.push(Input { place, term });
        place
    }

    /// A variable that was read.
    fn input(&self, kind: &Kind, name: &Name) -> Low {
        let scalar = self.scalar(kind);
        let range = match kind {
            Kind::Int => scalar.range(),
            _ => (0, 0),
        };
        Low { expr: Expr::var(name), height: 0, range, scalar }
    }

    /// The statements that read a variable, given its location.
    fn read(&mut self, kind: &Kind, designator: Expr, place: u32) -> Result<Vec<Stmt>, Refusal> {
        if let Kind::Array(index, element) = kind {
            let size = self.rows(index);
            let at = self.fresh_name("i");
            let inner = Expr::Index(Box::new(designator), Box::new(Expr::var(&at)));
            let body = self.read(element, inner, place)?;
            return Ok(vec![Stmt::Count(at, size, body)]);
        }
        let scalar = match designator {
            Expr::Index(..) => self.element(kind),
            _ => self.scalar(kind),
        };
        if let (Kind::Bits(width), Scalar::U128) = (kind, scalar) {
            return Ok(wide_reading(&designator, *width, place));
        }
        let mut value = Expr::Input(scalar, place);
        if let Kind::Bits(width) = kind {
            if *width < scalar.bits() {
                let mask = Expr::number(mask(*width), scalar);
                value = Expr::binary(crate::c::Binary::And, value, mask);
                if scalar.bits() < 32 {
                    value = value.cast(scalar);
                }
            }
        }
        Ok(vec![Stmt::Assign(designator, value)])
    }

    /// A name for a symbol: its own if C allows it.
    fn variable_name(&mut self, func: FuncId) -> Name {
        let Func::Declared { name, .. } = self.store.func(func) else {
            return self.fresh_name("v");
        };
        let own = self.store.symbols.name(*name);
        let plain = own.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let begins = own.starts_with(|c: char| c.is_ascii_alphabetic());
        // A prefix avoids clashes with keywords, functions and our own names.
        match plain && begins && own.len() <= 24 {
            true => format!("s_{own}").into(),
            false => self.fresh_name("v"),
        }
    }

    fn fresh_name(&mut self, stem: &str) -> Name {
        self.fresh += 1;
        format!("{stem}{}", self.fresh).into()
    }

    /// Writes assertions over declared variables.
    pub(crate) fn assert(&mut self, assertions: &[TermId]) -> Result<Vec<LoweredStep>, Refusal> {
        self.memo.clear();
        self.uses.clear();
        self.calls.clear();
        let order = self.order(assertions)?;
        let mut at = 0;
        for &assertion in assertions {
            while !self.memo.contains_key(&assertion) {
                let term = order[at];
                at += 1;
                if self.memo.contains_key(&term) {
                    continue;
                }
                let low = self.term(term)?;
                let low = self.cut(term, low)?;
                self.memo.insert(term, low);
            }
            let condition = self.memo[&assertion].expr.clone();
            self.require(condition);
        }
        Ok(std::mem::take(&mut self.steps))
    }

    /// Every term to be written, parts first; counts how often each is used.
    fn order(&mut self, roots: &[TermId]) -> Result<Vec<TermId>, Refusal> {
        let mut order = Vec::new();
        let mut work: Vec<(TermId, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((term, ready)) = work.pop() {
            if ready {
                order.push(term);
                continue;
            }
            let uses = self.uses.entry(term).or_default();
            *uses += 1;
            if *uses > 1 {
                continue;
            }
            if self.uses.len() > LARGEST {
                return Err(Refusal::Size);
            }
            work.push((term, true));
            match self.defined(term)? {
                Some(body) => work.push((body, false)),
                None => work.extend(self.store.children(term).iter().rev().map(|&t| (t, false))),
            }
        }
        Ok(order)
    }

    /// The definition of a symbol without parameters.
    fn defined(&self, term: TermId) -> Result<Option<TermId>, Refusal> {
        match self.store.get(term) {
            Term::App(func, args) => match self.definitions.get(func) {
                Some(Interpretation::Definition { params, body }) => {
                    match params.is_empty() && args.is_empty() {
                        true => Ok(Some(*body)),
                        // Definitions with parameters were expanded before.
                        false => Err(Refusal::Binder),
                    }
                }
                _ => Ok(None),
            },
            Term::Annotated(inner, _) => Ok(Some(inner)),
            Term::Literal(_) => Ok(None),
            _ => Err(Refusal::Binder),
        }
    }

    /// Introduces a variable for a term that is used more than once or is too high.
    fn cut(&mut self, term: TermId, low: Low) -> Result<Low, Refusal> {
        let often = self.uses.get(&term).copied().unwrap_or(0) > 1;
        if low.height == 0 || !(often && low.height > 0 || low.height > self.style.tallest) {
            return Ok(low);
        }
        let kind = self.kind(self.store.sort(term))?;
        match kind {
            Kind::Array(..) => Ok(low),
            _ => Ok(self.named(low)),
        }
    }

    /// The same value, in a variable.
    fn named(&mut self, low: Low) -> Low {
        if low.expr.is_atom() {
            return low;
        }
        let name = self.fresh_name("t");
        let scalar = if low.scalar == Scalar::Bool { Scalar::Int } else { low.scalar };
        self.steps.push(LoweredStep::Do(Stmt::Declare(
            scalar.into(),
            Name::clone(&name),
            Some(low.expr),
        )));
        Low { expr: Expr::var(&name), height: 0, range: low.range, scalar }
    }

    /// Two operands of a comparison, in variables if a compiler might know too much about them: it warns
    /// about comparisons that it can decide.
    fn apart(&mut self, a: &Low, b: &Low) -> (Low, Low) {
        let (mut a, mut b) = (a.clone(), b.clone());
        if !a.expr.is_atom() && !b.expr.is_atom() || b.number().is_some() && is_limited(&a.expr) {
            a = self.named(a);
        }
        if a.number().is_some() && is_limited(&b.expr) {
            b = self.named(b);
        }
        (a, b)
    }

    /// Adds a requirement, unless it always holds.
    fn require(&mut self, condition: Expr) {
        if condition.as_truth() != Some(true) {
            self.steps.push(LoweredStep::Require(condition));
        }
    }

    fn low(&self, term: TermId) -> Low {
        self.memo[&term].clone()
    }

    /// One term, whose parts have been written.
    fn term(&mut self, term: TermId) -> Result<Low, Refusal> {
        if *self.store.sorts.get(self.store.sort(term)) == Sort::RoundingMode {
            return self.mode(term);
        }
        let kind = self.kind(self.store.sort(term))?;
        if let Some(body) = self.defined(term)? {
            return Ok(self.low(body));
        }
        let store = self.store;
        match store.get(term) {
            Term::Literal(value) => self.literal(value, &kind),
            Term::App(func, args) => {
                let args: Vec<TermId> = args.to_vec();
                match store.func(func) {
                    Func::Op(op, indices) => {
                        let (op, indices) = (*op, indices.to_vec());
                        self.operator(op, &indices, &args, &kind)
                    }
                    Func::Declared { .. } if args.is_empty() => {
                        let known = self.variables.get(&func).cloned();
                        Ok(known.expect("every symbol of an assertion was declared"))
                    }
                    Func::Declared { .. } => self.application(func, term, &args),
                    _ => Err(Refusal::Sort("of a datatype")),
                }
            }
            _ => Err(Refusal::Binder),
        }
    }

    fn literal(&mut self, value: &Value, kind: &Kind) -> Result<Low, Refusal> {
        match (value, kind) {
            (Value::BitVec(bits), Kind::Bits(width)) => {
                let value = wide_value(bits).ok_or(Refusal::Width)?;
                Ok(self.bits_number(value, *width))
            }
            (Value::Float(number), Kind::Float(_)) => self.float_number(number),
            (Value::Int(value), Kind::Int) => {
                let value = value.to_i64().ok_or(Refusal::Large)?;
                Ok(ints::number(value.into()))
            }
            _ => Err(Refusal::Sort("of a literal")),
        }
    }

    fn operator(
        &mut self,
        op: Op,
        indices: &[u64],
        args: &[TermId],
        kind: &Kind,
    ) -> Result<Low, Refusal> {
        let kinds: Result<Vec<Kind>, Refusal> = args
            .iter()
            .map(|&arg| match self.store.sorts.get(self.store.sort(arg)) {
                Sort::RoundingMode => Ok(Kind::Mode),
                _ => self.kind(self.store.sort(arg)),
            })
            .collect();
        let kinds = kinds?;
        let lows: Vec<Low> = args.iter().map(|&arg| self.low(arg)).collect();
        let refusal = Refusal::Operator(op.row().name);
        let made = match op.theory() {
            assay_term::theories::Theory::Core => self.logic(op, &lows, &kinds)?,
            assay_term::theories::Theory::Ints => self.int(op, indices, &lows)?,
            assay_term::theories::Theory::BitVectors => {
                self.bits(op, indices, &lows, &kinds, kind)?
            }
            assay_term::theories::Theory::Arrays => self.array(op, &lows, &kinds, kind)?,
            assay_term::theories::Theory::Floats => self.float(op, &lows, &kinds, kind)?,
            _ => None,
        };
        made.ok_or(refusal)
    }

    /// How a sort is represented.
    pub(crate) fn kind(&self, sort: SortId) -> Result<Kind, Refusal> {
        Ok(match self.store.sorts.get(sort) {
            Sort::Bool => Kind::Bool,
            Sort::Int => Kind::Int,
            Sort::BitVec(width) if *width <= 128 => Kind::Bits(*width),
            Sort::BitVec(_) => return Err(Refusal::Width),
            Sort::Array(index, element) => {
                Kind::Array(Box::new(self.kind(*index)?), Box::new(self.kind(*element)?))
            }
            Sort::Declared(decl, _) if self.store.sorts.decl(*decl).datatype.is_none() => {
                Kind::Element
            }
            Sort::Declared(..) => return Err(Refusal::Sort("of a datatype")),
            Sort::Real => return Err(Refusal::Sort("Real")),
            Sort::String => return Err(Refusal::Sort("String")),
            Sort::RegLan => return Err(Refusal::Sort("RegLan")),
            Sort::Float(format) => {
                let scalar = crate::c::float::scalar(*format);
                Kind::Float(scalar.ok_or_else(|| Refusal::format(*format))?)
            }
            Sort::RoundingMode => return Err(Refusal::Sort("RoundingMode")),
            Sort::Fun(..) => return Err(Refusal::Sort("of a function")),
            Sort::Seq(_) | Sort::Param(_) => return Err(Refusal::Sort("of a sequence")),
            Sort::Set(_) | Sort::Bag(_) => return Err(Refusal::Sort("of a set or bag")),
            Sort::Tuple(_) | Sort::Nullable(_) => return Err(Refusal::Sort("of a tuple")),
            Sort::FiniteField(_) => return Err(Refusal::Sort("FiniteField")),
        })
    }

    /// The type of a variable of a representation.
    fn kind_type(&mut self, kind: &Kind) -> Result<Type, Refusal> {
        if !matches!(kind, Kind::Array(..)) {
            return Ok(self.scalar(kind).into());
        }
        let ty = self.unchecked_type(kind)?;
        match elements(&ty) <= ELEMENTS {
            true => Ok(ty),
            false => Err(Refusal::ArraySize),
        }
    }

    fn unchecked_type(&self, kind: &Kind) -> Result<Type, Refusal> {
        match kind {
            Kind::Array(index, element) => {
                match **index {
                    Kind::Array(..) => return Err(Refusal::Sort("of arrays over arrays")),
                    Kind::Float(_) => return Err(Refusal::Sort("of arrays over floating point")),
                    _ => {}
                }
                Ok(Type::Array(Box::new(self.unchecked_type(element)?), self.rows(index)))
            }
            _ => Ok(self.element(kind).into()),
        }
    }

    /// The element type of an array: integers of any range may be stored in it.
    fn element(&self, kind: &Kind) -> Scalar {
        match kind {
            Kind::Int => Scalar::Long,
            _ => self.scalar(kind),
        }
    }

    /// The type of a variable that is not an array.
    fn scalar(&self, kind: &Kind) -> Scalar {
        match kind {
            Kind::Bool => Scalar::Bool,
            Kind::Bits(width) => Scalar::unsigned(*width),
            Kind::Int if self.style.narrow => Scalar::Int,
            Kind::Int => Scalar::Long,
            Kind::Float(scalar) => *scalar,
            Kind::Element | Kind::Array(..) | Kind::Mode => Scalar::UInt,
        }
    }
}

/// Whether an expression has fewer values than its type, and a compiler knows: a wider name, or a
/// truth value.
fn is_limited(expr: &Expr) -> bool {
    match expr {
        Expr::Cast(_, inner) => inner.is_atom() || is_limited(inner),
        Expr::Cond(_, yes, no) => is_number(yes) && is_number(no),
        Expr::Binary(op, a, b) => {
            op.is_truth()
                || matches!(op, crate::c::Binary::And | crate::c::Binary::Or)
                    && (is_limited(a) || is_limited(b))
        }
        _ => expr.is_truth(),
    }
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Number(..))
}

/// Number of scalars in a variable.
fn elements(ty: &Type) -> usize {
    match ty {
        Type::Array(inner, count) => elements(inner).saturating_mul(*count),
        _ => 1,
    }
}

/// The number with this many low bits set; for 128 bits it is kept as -1.
fn mask(width: u32) -> i128 {
    let unused = 128u32.saturating_sub(width);
    u128::MAX.checked_shr(unused).unwrap_or(0) as i128
}

/// The value of a bit-vector of up to 128 bits.
pub(crate) fn wide_value(bits: &BitVec) -> Option<u128> {
    if bits.width() > 128 {
        return None;
    }
    let half = |high: u32, low: u32| bits.extract(high, low).to_u64().map(u128::from);
    match bits.width() {
        width if width <= 64 => bits.to_u64().map(u128::from),
        width => Some(half(width - 1, 64)? << 64 | half(63, 0)?),
    }
}

/// The statements that read a number of more than 64 bits: its high half first. SV-COMP has a function
/// for 128 bits, but few tools know it.
fn wide_reading(designator: &Expr, width: u32, place: u32) -> Vec<Stmt> {
    let half = || Expr::Input(Scalar::ULong, place);
    let mut high = half();
    if width < 128 {
        let kept = Expr::number(mask(width - 64), Scalar::ULong);
        high = Expr::binary(crate::c::Binary::And, high, kept);
    }
    let bits = Expr::number(64, Scalar::Int);
    let raised = Expr::binary(crate::c::Binary::Shl, designator.clone(), bits);
    let both = Expr::binary(crate::c::Binary::Or, raised, half());
    let assign = |value| Stmt::Assign(designator.clone(), value);
    vec![assign(high.cast(Scalar::U128)), assign(both)]
}

impl Low {
    /// What was made from others.
    fn from(expr: Expr, scalar: Scalar, parts: &[&Low]) -> Low {
        let below = parts.iter().map(|part| part.height).max().unwrap_or(0);
        let height = if expr.is_atom() { 0 } else { below + 1 };
        Low { expr, height, range: (0, 0), scalar }
    }

    /// A truth value.
    fn truth(expr: Expr, parts: &[&Low]) -> Low {
        Low::from(expr, Scalar::Int, parts)
    }

    /// Its number, if it is a literal.
    fn number(&self) -> Option<i128> {
        match self.expr {
            Expr::Number(value, _) => Some(value),
            _ => None,
        }
    }
}
