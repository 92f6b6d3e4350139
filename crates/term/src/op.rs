//! The format of the operator table: one [`OpRow`] per operator, with its spellings, its typing
//! and its meaning. The rows themselves live in `theories/`, one file per theory.
//!
//! Typing is data ([`Sig`]), not code, so that generators can run it backwards: given a sort, which
//! operators yield it, and from what.

use crate::eval::{EvalContext, Unknown};
use crate::float::Format;
use crate::open::Allowed;
use crate::sort::{Sort, SortId, Sorts};
use crate::theories::{TABLES, Theory};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// An operator: a row of the table of a theory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Op {
    theory: Theory,
    row: u8,
}

impl Op {
    /// The operator in row `row` of a theory's table.
    #[must_use]
    pub const fn new(theory: Theory, row: u8) -> Op {
        Op { theory, row }
    }

    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static OpRow {
        &TABLES[self.theory as usize][self.row as usize]
    }

    /// Its theory.
    #[must_use]
    pub fn theory(self) -> Theory {
        self.theory
    }

    /// Its standard name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// All operators of all theories.
    pub fn all() -> impl Iterator<Item = Op> {
        Theory::ALL.into_iter().flat_map(|theory| {
            (0..TABLES[theory as usize].len()).map(move |row| Op { theory, row: row as u8 })
        })
    }

    /// The operator with this name or alias.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Op> {
        static NAMES: LazyLock<FxHashMap<&'static str, Op>> = LazyLock::new(|| {
            let spellings = Op::all().flat_map(|op| {
                let row = op.row();
                std::iter::once(row.name)
                    .chain(row.aliases.iter().map(|a| a.name))
                    .map(move |n| (n, op))
            });
            spellings.collect()
        });
        NAMES.get(name).copied()
    }
}

/// Where an operator or a spelling comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// A theory or logic of the SMT-LIB standard, version 2.6 or earlier.
    Standard,
    /// New in SMT-LIB 2.7.
    Standard27,
    /// Not in the standard; understood by the solvers named here.
    Extension(&'static str),
}

/// Another spelling of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The spelling.
    pub name: &'static str,
    /// Its users; a dialect chooses its spellings by these words.
    pub vocabulary: Vocabulary,
}

/// A family of spellings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Vocabulary {
    /// Strings and regular expressions before SMT-LIB 2.6, as required by z3 up to 4.8.8.
    OldStrings,
    /// Conversions before SMT-LIB 2.7 (`bv2nat`, `nat2bv`, `int2bv`).
    Before27,
    /// Names that only z3 prints or reads.
    Z3,
    /// Names that only cvc4 and cvc5 print or read.
    Cvc,
    /// The long names of rounding modes, as standard as the short ones.
    Long,
}

/// How an application to many arguments unfolds into binary ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// The arity is fixed by the signature.
    Fixed,
    /// `(f a b c)` is `(f (f a b) c)`.
    Left,
    /// `(f a b c)` is `(f a (f b c))`.
    Right,
    /// `(f a b c)` is `(and (f a b) (f b c))`.
    Chain,
    /// `(f a b c)` is the conjunction over all pairs.
    Pairwise,
    /// `(f a b c)` is not a nest of binary applications: the meaning takes all arguments at once.
    Together,
}

/// An algebraic law of a binary operator, certified by a test over the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Law {
    /// `(f a b)` equals `(f b a)`.
    Commutative,
    /// `(f (f a b) c)` equals `(f a (f b c))`.
    Associative,
    /// `(f a a)` equals `a`.
    Idempotent,
    /// `(f (f a))` equals `a`.
    Involutive,
}

/// A width or size inside a signature.
#[derive(Clone, Copy, Debug)]
pub enum Width {
    /// This number.
    N(u32),
    /// The width bound to this variable by an argument.
    Var(u8),
    /// In an argument: any width, which is added to [`Width::Total`].
    Each,
    /// In a result: the sum of the widths of the arguments with [`Width::Each`].
    Total,
    /// The index at this position.
    Index(u8),
    /// A sum.
    Plus(&'static Width, &'static Width),
    /// A product.
    Times(&'static Width, &'static Width),
    /// A difference; the signature does not apply if it is negative.
    Minus(&'static Width, &'static Width),
}

/// The columns of a tuple inside a signature.
#[derive(Clone, Copy, Debug)]
pub enum Columns {
    /// In an argument: any columns, which bind the variable.
    Var(u8),
    /// Columns of these sorts.
    Of(&'static [Pat]),
    /// In a result: a column for each argument with [`Pat::Each`].
    Each,
    /// The columns of a variable in reverse order.
    Reversed(u8),
    /// The columns of a variable that the indices select, in their order.
    Chosen(u8),
    /// The columns of a variable, some of which the indices select.
    Within(u8),
    /// The columns of two variables.
    Both(u8, u8),
    /// The columns of two variables, of which pairs of indices must have the same sort.
    Matched(u8, u8),
    /// The columns of two variables except the last of the first and the first of the second, which
    /// have the same sort. At least one remains.
    Composed(u8, u8),
}

/// A sort pattern inside a signature.
#[derive(Clone, Copy, Debug)]
pub enum Pat {
    /// `Bool`.
    Bool,
    /// `Int`.
    Int,
    /// `Real`.
    Real,
    /// `RoundingMode`.
    Rm,
    /// `String`.
    Str,
    /// `RegLan`.
    Re,
    /// Any sort, the same wherever the variable occurs.
    Any(u8),
    /// `(_ BitVec width)`.
    Bv(Width),
    /// `(_ FloatingPoint eb sb)`.
    Fp(Width, Width),
    /// `(Array index element)`.
    Array(&'static Pat, &'static Pat),
    /// `(Seq element)`.
    Seq(&'static Pat),
    /// `(-> argument result)`.
    Fun(&'static Pat, &'static Pat),
    /// `(Set element)`.
    Set(&'static Pat),
    /// `(Bag element)`.
    Bag(&'static Pat),
    /// `(Nullable element)`.
    Nullable(&'static Pat),
    /// `(Tuple …)`.
    Tuple(Columns),
    /// The column of a row variable that the first index selects.
    Column(u8),
    /// A finite field, the same wherever the variable occurs.
    Field(u8),
    /// In an argument: any sort, which becomes a column of [`Columns::Each`].
    Each,
    /// The sort given by `(as f sort)`, which has this pattern.
    Ascribed(&'static Pat),
}

impl Pat {
    /// Whether a sort has the pattern's kind, whatever its parts.
    fn resembles(&self, sort: &Sort) -> bool {
        match self {
            Pat::Bool => *sort == Sort::Bool,
            Pat::Int => *sort == Sort::Int,
            Pat::Real => *sort == Sort::Real,
            Pat::Rm => *sort == Sort::RoundingMode,
            Pat::Str => *sort == Sort::String,
            Pat::Re => *sort == Sort::RegLan,
            Pat::Bv(_) => matches!(sort, Sort::BitVec(_)),
            Pat::Fp(..) => matches!(sort, Sort::Float(_)),
            Pat::Seq(_) => matches!(sort, Sort::Seq(_)),
            _ => true,
        }
    }
}

/// The number of numeral indices of a signature.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Indices {
    /// Exactly this number.
    Exactly(u8),
    /// Any number.
    Any,
}

impl Indices {
    /// The least number.
    #[must_use]
    pub fn least(self) -> u8 {
        match self {
            Indices::Exactly(count) => count,
            Indices::Any => 0,
        }
    }

    fn fits(self, got: usize) -> bool {
        match self {
            Indices::Exactly(count) => got == usize::from(count),
            Indices::Any => true,
        }
    }
}

/// One signature of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Sig {
    /// The patterns of the arguments. With a fold other than [`Fold::Fixed`] one repeats: the first
    /// with [`Fold::Right`], otherwise the last.
    pub args: &'static [Pat],
    /// Pattern of the result.
    pub result: Pat,
    /// The number of numeral indices.
    pub indices: Indices,
    /// A further condition on indices and widths, with its description.
    pub requires: Option<Requirement>,
    /// The extension that it belongs to, if the standard has the operator without it.
    pub extension: Option<Extension>,
}

/// A way of applying an operator that the standard lacks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Extension {
    /// One formula where the standard requires two: `(and p)`.
    SingleFormulas,
    /// One argument where the standard requires two: `(+ x)`, `(re.union r)`.
    SingleArguments,
    /// `str.…` operators on sequences.
    StringsOverSequences,
    /// `seq.…` operators on strings.
    SequencesOverStrings,
    /// `str.indexof` without a position.
    IndexOfWithoutPosition,
    /// `re.loop` with one index, or with its bounds as arguments.
    LoopBounds,
    /// `abs` of a real.
    AbsOfReals,
    /// `to_real` of a real.
    ToRealOfReals,
    /// `to_fp` of an integer.
    FloatsFromInts,
    /// `to_fp` of a significand and an exponent.
    FloatsFromScaled,
    /// `to_fp` of the three fields of a float.
    FloatsFromFields,
}

/// A condition that a signature puts on indices and bound widths.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// Whether it holds for these indices and width variables.
    pub holds: fn(&[u64], &[u32; MAX_VARS]) -> bool,
    /// What it requires, as a phrase to follow "requires".
    pub words: &'static str,
}

/// The maximum number of width or sort variables in a signature.
pub const MAX_VARS: usize = 3;

impl Sig {
    /// A signature without indices.
    #[must_use]
    pub const fn new(args: &'static [Pat], result: Pat) -> Sig {
        Sig { args, result, indices: Indices::Exactly(0), requires: None, extension: None }
    }

    /// The same with indices.
    #[must_use]
    pub const fn indexed(self, indices: u8) -> Sig {
        Sig { indices: Indices::Exactly(indices), ..self }
    }

    /// The same with any number of indices.
    #[must_use]
    pub const fn listed(self) -> Sig {
        Sig { indices: Indices::Any, ..self }
    }

    /// The same with a condition.
    #[must_use]
    pub const fn requires(
        self,
        words: &'static str,
        holds: fn(&[u64], &[u32; MAX_VARS]) -> bool,
    ) -> Sig {
        Sig { requires: Some(Requirement { holds, words }), ..self }
    }

    /// The same, marked as an extension of the standard.
    #[must_use]
    pub const fn extension(self, extension: Extension) -> Sig {
        Sig { extension: Some(extension), ..self }
    }
}

/// The meaning of an operator: values in, value out.
pub type Eval = fn(&mut EvalContext<'_>, App<'_>, &[Value]) -> Result<Value, Unknown>;

/// An application without its arguments, as seen by the meaning of an operator.
#[derive(Clone, Copy, Debug)]
pub struct App<'a> {
    /// The operator.
    pub op: Op,
    /// Its numeral indices.
    pub indices: &'a [u64],
    /// The sort of the result.
    pub sort: SortId,
}

/// One operator.
#[derive(Debug)]
pub struct OpRow {
    /// Its current standard name.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [Alias],
    /// Where it comes from.
    pub origin: Origin,
    /// Its signatures, tried in order.
    pub sigs: &'static [Sig],
    /// How applications to many arguments unfold.
    pub fold: Fold,
    /// Certified laws.
    pub laws: &'static [Law],
    /// Its meaning.
    pub eval: Eval,
    /// The allowed results if its meaning is [`Unknown::Open`]; `None` for an operator that is
    /// never open.
    pub open: Option<Allowed>,
}

impl OpRow {
    /// A standard operator of fixed arity.
    #[must_use]
    pub const fn new(name: &'static str, sigs: &'static [Sig], eval: Eval) -> OpRow {
        OpRow {
            name,
            aliases: &[],
            origin: Origin::Standard,
            sigs,
            fold: Fold::Fixed,
            laws: &[],
            eval,
            open: None,
        }
    }

    /// The same with other spellings.
    #[must_use]
    pub const fn aliases(self, aliases: &'static [Alias]) -> OpRow {
        OpRow { aliases, ..self }
    }

    /// The same with another origin.
    #[must_use]
    pub const fn origin(self, origin: Origin) -> OpRow {
        OpRow { origin, ..self }
    }

    /// The same for many arguments.
    #[must_use]
    pub const fn fold(self, fold: Fold) -> OpRow {
        OpRow { fold, ..self }
    }

    /// The same with laws.
    #[must_use]
    pub const fn laws(self, laws: &'static [Law]) -> OpRow {
        OpRow { laws, ..self }
    }

    /// The same with these allowed results where the standard leaves it open.
    #[must_use]
    pub const fn open(self, allowed: Allowed) -> OpRow {
        OpRow { open: Some(allowed), ..self }
    }
}

/// Why an application is ill-sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// Wrong number of indices.
    Indices {
        /// The number of indices that the operator takes.
        expected: Indices,
        /// The number of given indices.
        got: usize,
    },
    /// Wrong number of arguments.
    Arity {
        /// The minimum number of arguments.
        expected: usize,
        /// Whether it may take more.
        open: bool,
        /// The number of given arguments.
        got: usize,
    },
    /// An argument's sort does not fit.
    Argument {
        /// Position, from zero.
        position: usize,
        /// What would be correct.
        expected: Expected,
    },
    /// A condition on indices or widths fails.
    Condition(&'static str),
    /// The result's sort is ambiguous without `(as … sort)`.
    NeedsAscription,
}

/// The sort that an argument should have had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Exactly this one.
    Sort(SortId),
    /// A bit-vector of this width.
    BitVec(u64),
    /// A float of this format.
    Float(u64, u64),
    /// One of a kind, in words.
    Kind(&'static str),
}

/// The bindings of a signature's variables during matching.
struct Binding<'a> {
    widths: [u32; MAX_VARS],
    bound: [bool; MAX_VARS],
    total: u64,
    sorts: [Option<SortId>; MAX_VARS],
    /// The columns that row variables stand for.
    rows: [Option<Box<[SortId]>>; MAX_VARS],
    /// The sorts of the arguments with [`Pat::Each`].
    each: Vec<SortId>,
    indices: &'a [u64],
}

impl Op {
    /// The sort of an application, or the reason why there is none. `ascribed` is the sort of `(as
    /// f sort)`.
    ///
    /// # Errors
    /// The reason from the signature that came closest.
    pub fn typing(
        self,
        sorts: &mut Sorts,
        indices: &[u64],
        args: &[SortId],
        ascribed: Option<SortId>,
    ) -> Result<SortId, Mismatch> {
        let row = self.row();
        let mut best: Option<Mismatch> = None;
        for sig in row.sigs {
            match sig.apply(row.fold, sorts, indices, args, ascribed) {
                Ok(sort) if ascribed.is_none_or(|given| given == sort) => return Ok(sort),
                Ok(_) => best = Some(Mismatch::Condition("the sort that its arguments give it")),
                Err(mismatch) => {
                    if best.as_ref().is_none_or(|b| mismatch.closeness() > b.closeness()) {
                        best = Some(mismatch);
                    }
                }
            }
        }
        Err(best.expect("every operator has a signature"))
    }
}

impl Op {
    /// The extension that a well-sorted application needs, if any.
    #[must_use]
    pub fn extension(self, sorts: &Sorts, indices: &[u64], args: &[SortId]) -> Option<Extension> {
        let row = self.row();
        if row.sigs.iter().all(|sig| sig.extension.is_none()) {
            return None;
        }
        row.sigs.iter().find(|sig| sig.resembles(row.fold, sorts, indices, args))?.extension
    }
}

impl Mismatch {
    fn closeness(&self) -> usize {
        match self {
            Mismatch::Indices { .. } => 0,
            Mismatch::Arity { .. } => 1,
            Mismatch::Argument { position, .. } => 2 + position,
            Mismatch::Condition(_) | Mismatch::NeedsAscription => usize::MAX,
        }
    }
}

impl Sig {
    fn apply(
        &self,
        fold: Fold,
        sorts: &mut Sorts,
        indices: &[u64],
        args: &[SortId],
        ascribed: Option<SortId>,
    ) -> Result<SortId, Mismatch> {
        if !self.indices.fits(indices.len()) {
            return Err(Mismatch::Indices { expected: self.indices, got: indices.len() });
        }
        let fits = if fold == Fold::Fixed {
            args.len() == self.args.len()
        } else {
            args.len() >= self.args.len()
        };
        if !fits {
            return Err(Mismatch::Arity {
                expected: self.args.len(),
                open: fold != Fold::Fixed,
                got: args.len(),
            });
        }
        let mut binding = Binding {
            widths: [0; MAX_VARS],
            bound: [false; MAX_VARS],
            total: 0,
            sorts: [None; MAX_VARS],
            rows: [const { None }; MAX_VARS],
            each: Vec::new(),
            indices,
        };
        for (position, &arg) in args.iter().enumerate() {
            let pat = self.pattern(fold, position, args.len());
            if !binding.matches(pat, arg, sorts) {
                return Err(Mismatch::Argument {
                    position,
                    expected: binding.expected(pat, sorts),
                });
            }
        }
        if let Some(requirement) = &self.requires {
            if !(requirement.holds)(indices, &binding.widths) {
                return Err(Mismatch::Condition(requirement.words));
            }
        }
        if let Pat::Ascribed(pat) = &self.result {
            let sort = ascribed.ok_or(Mismatch::NeedsAscription)?;
            return if binding.matches(pat, sort, sorts) {
                Ok(sort)
            } else {
                Err(Mismatch::Condition("an ascribed sort that fits its arguments"))
            };
        }
        binding.build(&self.result, sorts).ok_or(Mismatch::Condition(match self.result {
            Pat::Bv(_) => "a result of 1 to 1048576 bits",
            Pat::Column(_) | Pat::Tuple(_) => "indices below the number of columns",
            Pat::Set(_) | Pat::Bag(_) => "columns that fit together",
            _ => "a sort that exists",
        }))
    }

    /// Whether the numbers of indices and arguments, and the kinds of their sorts, match this
    /// signature. That distinguishes the signatures of a well-sorted application.
    fn resembles(&self, fold: Fold, sorts: &Sorts, indices: &[u64], args: &[SortId]) -> bool {
        let count = match fold {
            Fold::Fixed => args.len() == self.args.len(),
            _ => args.len() >= self.args.len(),
        };
        let kind = |(position, &arg): (usize, &SortId)| {
            self.pattern(fold, position, args.len()).resembles(sorts.get(arg))
        };
        self.indices.fits(indices.len()) && count && args.iter().enumerate().all(kind)
    }

    /// The pattern of the argument at `position`, out of `count` arguments.
    fn pattern(&self, fold: Fold, position: usize, count: usize) -> &'static Pat {
        let last = self.args.len() - 1;
        let at = match fold {
            Fold::Right => position.saturating_sub(count - self.args.len()),
            _ => position.min(last),
        };
        &self.args[at]
    }
}

impl Binding<'_> {
    fn matches(&mut self, pat: &Pat, sort: SortId, sorts: &mut Sorts) -> bool {
        match pat {
            Pat::Bool => sort == SortId::BOOL,
            Pat::Int => sort == SortId::INT,
            Pat::Real => sort == SortId::REAL,
            Pat::Rm => sort == SortId::ROUNDING_MODE,
            Pat::Str => sort == SortId::STRING,
            Pat::Re => sort == SortId::REGLAN,
            Pat::Any(var) => *self.sorts[usize::from(*var)].get_or_insert(sort) == sort,
            Pat::Bv(width) => {
                matches!(*sorts.get(sort), Sort::BitVec(w) if self.width_matches(width, w))
            }
            Pat::Fp(eb, sb) => matches!(*sorts.get(sort), Sort::Float(f)
                if self.width_matches(eb, f.exponent_bits()) && self.width_matches(sb, f.significand_bits())),
            Pat::Array(index, element) => match *sorts.get(sort) {
                Sort::Array(i, e) => {
                    self.matches(index, i, sorts) && self.matches(element, e, sorts)
                }
                _ => false,
            },
            Pat::Seq(element) => match *sorts.get(sort) {
                Sort::Seq(e) => self.matches(element, e, sorts),
                _ => false,
            },
            Pat::Fun(argument, result) => match *sorts.get(sort) {
                Sort::Fun(a, r) => {
                    self.matches(argument, a, sorts) && self.matches(result, r, sorts)
                }
                _ => false,
            },
            Pat::Set(element) => match *sorts.get(sort) {
                Sort::Set(e) => self.matches(element, e, sorts),
                _ => false,
            },
            Pat::Bag(element) => match *sorts.get(sort) {
                Sort::Bag(e) => self.matches(element, e, sorts),
                _ => false,
            },
            Pat::Nullable(element) => match *sorts.get(sort) {
                Sort::Nullable(e) => self.matches(element, e, sorts),
                _ => false,
            },
            Pat::Tuple(row) => match sorts.get(sort).clone() {
                Sort::Tuple(columns) => self.row_matches(row, &columns, sorts),
                _ => false,
            },
            Pat::Column(_) => self.build(pat, sorts) == Some(sort),
            Pat::Field(var) => {
                sorts.field_order(sort).is_some() && self.matches(&Pat::Any(*var), sort, sorts)
            }
            Pat::Each => {
                self.each.push(sort);
                true
            }
            Pat::Ascribed(inner) => self.matches(inner, sort, sorts),
        }
    }

    fn row_matches(&mut self, row: &Columns, columns: &[SortId], sorts: &mut Sorts) -> bool {
        match row {
            Columns::Var(var) => {
                let bound = self.rows[usize::from(*var)].get_or_insert_with(|| columns.into());
                **bound == *columns
            }
            Columns::Of(pats) => {
                pats.len() == columns.len()
                    && pats.iter().zip(columns).all(|(pat, &sort)| self.matches(pat, sort, sorts))
            }
            _ => self.columns(row, sorts).is_some_and(|built| built == columns),
        }
    }

    /// The columns of a row in a result.
    fn columns(&self, row: &Columns, sorts: &mut Sorts) -> Option<Vec<SortId>> {
        let bound = |var: u8| self.rows[usize::from(var)].as_deref();
        let chosen = |columns: &[SortId]| -> Option<Vec<SortId>> {
            let column = |&at: &u64| columns.get(usize::try_from(at).ok()?).copied();
            self.indices.iter().map(column).collect()
        };
        match *row {
            Columns::Var(var) => bound(var).map(<[SortId]>::to_vec),
            Columns::Of(pats) => pats.iter().map(|pat| self.build(pat, sorts)).collect(),
            Columns::Each => Some(self.each.clone()),
            Columns::Reversed(var) => Some(bound(var)?.iter().rev().copied().collect()),
            Columns::Chosen(var) => chosen(bound(var)?),
            Columns::Within(var) => {
                let columns = bound(var)?;
                chosen(columns).map(|_| columns.to_vec())
            }
            Columns::Both(a, b) => Some([bound(a)?, bound(b)?].concat()),
            Columns::Matched(a, b) => {
                let (a, b) = (bound(a)?, bound(b)?);
                let column = |row: &[SortId], at: u64| row.get(usize::try_from(at).ok()?).copied();
                let agree = |pair: &[u64]| match *pair {
                    [x, y] => column(a, x).is_some() && column(a, x) == column(b, y),
                    _ => false,
                };
                self.indices.chunks(2).all(agree).then(|| [a, b].concat())
            }
            Columns::Composed(a, b) => {
                let (last, front) = bound(a)?.split_last()?;
                let (first, rest) = bound(b)?.split_first()?;
                let joined = [front, rest].concat();
                (last == first && !joined.is_empty()).then_some(joined)
            }
        }
    }

    fn width_matches(&mut self, width: &Width, actual: u32) -> bool {
        if let Width::Each = width {
            self.total += u64::from(actual);
            return true;
        }
        if let Width::Var(var) = *width {
            let var = usize::from(var);
            if !self.bound[var] {
                self.bound[var] = true;
                self.widths[var] = actual;
                return true;
            }
        }
        self.width(width) == Some(u64::from(actual))
    }

    fn width(&self, width: &Width) -> Option<u64> {
        match *width {
            Width::N(n) => Some(n.into()),
            Width::Var(var) => {
                self.bound[usize::from(var)].then(|| self.widths[usize::from(var)].into())
            }
            Width::Each => None,
            Width::Total => Some(self.total),
            Width::Index(i) => self.indices.get(usize::from(i)).copied(),
            Width::Plus(a, b) => self.width(a)?.checked_add(self.width(b)?),
            Width::Times(a, b) => self.width(a)?.checked_mul(self.width(b)?),
            Width::Minus(a, b) => self.width(a)?.checked_sub(self.width(b)?),
        }
    }

    fn build(&self, pat: &Pat, sorts: &mut Sorts) -> Option<SortId> {
        Some(match pat {
            Pat::Bool => SortId::BOOL,
            Pat::Int => SortId::INT,
            Pat::Real => SortId::REAL,
            Pat::Rm => SortId::ROUNDING_MODE,
            Pat::Str => SortId::STRING,
            Pat::Re => SortId::REGLAN,
            Pat::Any(var) => self.sorts[usize::from(*var)]?,
            Pat::Bv(width) => {
                let width = u32::try_from(self.width(width)?).ok()?;
                if !(1..=crate::bitvec::MAX_WIDTH).contains(&width) {
                    return None;
                }
                sorts.bit_vec(width)
            }
            Pat::Fp(eb, sb) => {
                let eb = u32::try_from(self.width(eb)?).ok()?;
                let sb = u32::try_from(self.width(sb)?).ok()?;
                sorts.float(Format::new(eb, sb)?)
            }
            Pat::Array(index, element) => {
                let (i, e) = (self.build(index, sorts)?, self.build(element, sorts)?);
                sorts.array(i, e)
            }
            Pat::Seq(element) => {
                let e = self.build(element, sorts)?;
                sorts.seq(e)
            }
            Pat::Fun(argument, result) => {
                let (a, r) = (self.build(argument, sorts)?, self.build(result, sorts)?);
                sorts.function(a, r)
            }
            Pat::Set(element) => {
                let e = self.build(element, sorts)?;
                sorts.set(e)
            }
            Pat::Bag(element) => {
                let e = self.build(element, sorts)?;
                sorts.bag(e)
            }
            Pat::Nullable(element) => {
                let e = self.build(element, sorts)?;
                sorts.intern(Sort::Nullable(e))
            }
            Pat::Tuple(row) => {
                let columns = self.columns(row, sorts)?;
                sorts.tuple(&columns)
            }
            Pat::Column(var) => {
                let columns = self.rows[usize::from(*var)].as_deref()?;
                *columns.get(usize::try_from(*self.indices.first()?).ok()?)?
            }
            Pat::Field(var) => self.sorts[usize::from(*var)]?,
            Pat::Each => return None,
            Pat::Ascribed(inner) => return self.build(inner, sorts),
        })
    }

    /// What a pattern expects, given the bindings so far.
    fn expected(&self, pat: &Pat, sorts: &mut Sorts) -> Expected {
        let mut built = |kind| self.build(pat, sorts).map_or(Expected::Kind(kind), Expected::Sort);
        match pat {
            Pat::Bool => Expected::Sort(SortId::BOOL),
            Pat::Int => Expected::Sort(SortId::INT),
            Pat::Real => Expected::Sort(SortId::REAL),
            Pat::Rm => Expected::Sort(SortId::ROUNDING_MODE),
            Pat::Str => Expected::Sort(SortId::STRING),
            Pat::Re => Expected::Sort(SortId::REGLAN),
            Pat::Any(var) => {
                self.sorts[usize::from(*var)].map_or(Expected::Kind("any sort"), Expected::Sort)
            }
            Pat::Bv(width) => {
                self.width(width).map_or(Expected::Kind("a bit-vector"), Expected::BitVec)
            }
            Pat::Fp(eb, sb) => match (self.width(eb), self.width(sb)) {
                (Some(eb), Some(sb)) => Expected::Float(eb, sb),
                _ => Expected::Kind("a floating-point number"),
            },
            Pat::Array(..) => Expected::Kind("an array"),
            Pat::Seq(_) => Expected::Kind("a sequence"),
            Pat::Fun(..) => Expected::Kind("a function"),
            Pat::Set(_) => built("a set"),
            Pat::Bag(_) => built("a bag"),
            Pat::Nullable(_) => built("a nullable value"),
            Pat::Tuple(_) => built("a tuple"),
            Pat::Column(_) => built("a value of the column's sort"),
            Pat::Field(_) => built("an element of a finite field"),
            Pat::Each => Expected::Kind("any sort"),
            Pat::Ascribed(inner) => self.expected(inner, sorts),
        }
    }
}
