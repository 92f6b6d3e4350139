//! The logics of SMT-LIB as data: what each admits, and what a formula needs.
//!
//! A solver may refuse everything beyond the declared logic, so a formula that outgrows the logic
//! it was written in must declare a wider one.

use crate::script::Command;
use assay_term::op::Origin;
use assay_term::theories::{Theory, arrays, bv, core, fp, ints, reals};
use assay_term::value::Value;
use assay_term::{Func, Op, Sort, SortId, Store, Term, TermId};
use rustc_hash::FxHashSet;
use std::ops::BitOr;
use std::sync::LazyLock;

/// Which arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
enum Arithmetic {
    /// None: numbers are only compared for equality.
    #[default]
    None,
    /// Differences of two variables, compared with constants.
    Difference,
    /// Products with at most one factor that is not a constant, quotients by nonzero constants.
    Linear,
    /// Any product and quotient.
    Nonlinear,
}

/// What a logic admits, or what a formula needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Fragment {
    parts: u16,
    arithmetic: Arithmetic,
}

const NOTHING: u16 = 0;
const QUANTIFIERS: u16 = 1;
const SORTS: u16 = 1 << 1;
const FUNCTIONS: u16 = 1 << 2;
const ARRAYS: u16 = 1 << 3;
/// Bit-vectors as a sort, to which floating-point numbers are converted.
const BITS: u16 = 1 << 4;
const BIT_VECTORS: u16 = 1 << 5;
const FLOATS: u16 = 1 << 6;
const DATATYPES: u16 = 1 << 7;
const STRINGS: u16 = 1 << 8;
const INTS: u16 = 1 << 9;
const REALS: u16 = 1 << 10;
const FIELDS: u16 = 1 << 11;
/// Functions that are values, which a name says first: `HO_`.
const HIGHER_ORDER: u16 = 1 << 12;
/// What no logic of the standard has.
const BEYOND: u16 = 1 << 13;

/// The words that names of logics consist of. No word is the beginning of a later one.
const WORDS: [(&str, u16, Arithmetic); 21] = [
    (EVERYTHING, !HIGHER_ORDER, Arithmetic::Nonlinear),
    ("AX", ARRAYS | SORTS, Arithmetic::None),
    ("A", ARRAYS, Arithmetic::None),
    ("UF", SORTS | FUNCTIONS, Arithmetic::None),
    ("BV", BITS | BIT_VECTORS, Arithmetic::None),
    ("FP", FLOATS | BITS, Arithmetic::None),
    ("FF", FIELDS, Arithmetic::None),
    ("DT", DATATYPES, Arithmetic::None),
    ("SLIA", STRINGS | INTS, Arithmetic::Linear),
    ("SNIA", STRINGS | INTS, Arithmetic::Nonlinear),
    ("SAT", NOTHING, Arithmetic::None),
    // The length of a string is an integer.
    ("S", STRINGS | INTS, Arithmetic::None),
    ("IDL", INTS, Arithmetic::Difference),
    ("RDL", REALS, Arithmetic::Difference),
    ("LIRA", INTS | REALS, Arithmetic::Linear),
    ("LIA", INTS, Arithmetic::Linear),
    ("LRA", REALS, Arithmetic::Linear),
    ("NIRA", INTS | REALS, Arithmetic::Nonlinear),
    ("NIA", INTS, Arithmetic::Nonlinear),
    ("NRA", REALS, Arithmetic::Nonlinear),
    ("BOOL", NOTHING, Arithmetic::None),
];

/// The logics of the standard and of its competition, from which wider ones are chosen.
const LOGICS: &str = "
    QF_UF QF_BV QF_FP QF_AX QF_DT QF_S QF_IDL QF_RDL QF_LIA QF_LRA QF_LIRA QF_NIA QF_NRA QF_NIRA
    QF_SLIA QF_SNIA QF_UFBV QF_UFDT QF_UFFP QF_BVFP QF_FPLRA QF_BVFPLRA QF_UFIDL QF_UFLIA QF_UFLRA
    QF_UFNIA QF_UFNRA QF_UFBVDT QF_UFDTLIA QF_UFDTNIA QF_UFDTLIRA QF_ABV QF_ALIA QF_ANIA QF_ABVFP
    QF_ABVFPLRA QF_AUFBV QF_AUFLIA QF_AUFNIA QF_AUFBVLIA QF_AUFBVNIA QF_AUFBVFP
    UF BV FP LIA LRA NIA NRA UFBV UFDT BVFP FPLRA BVFPLRA UFIDL UFLIA UFLRA UFNIA UFNRA UFNIRA
    UFBVDT UFBVFP UFBVLIA UFDTLIA UFDTLIRA UFDTNIA UFDTNIRA ABV ABVFP ABVFPLRA ALIA ANIA AUFBV
    AUFBVFP AUFBVDTLIA AUFBVDTNIA AUFBVDTNIRA AUFDTLIA AUFDTLIRA AUFDTNIRA AUFLIA AUFLIRA AUFNIA
    AUFNIRA";

/// The logic that admits everything.
pub const EVERYTHING: &str = "ALL";

/// The same, with functions that are values.
const HIGHER: &str = "HO_ALL";

/// Constrained Horn clauses: a logic by the shape of its formulas, not by what they contain.
pub const HORN: &str = "HORN";

static TABLE: LazyLock<Vec<(&str, Fragment)>> = LazyLock::new(|| {
    let fragment = |name| Fragment::of_logic(name).expect("its words are in the table");
    LOGICS.split_whitespace().map(|name| (name, fragment(name))).collect()
});

impl BitOr for Fragment {
    type Output = Fragment;

    fn bitor(self, other: Fragment) -> Fragment {
        Fragment {
            parts: self.parts | other.parts,
            arithmetic: self.arithmetic.max(other.arithmetic),
        }
    }
}

impl Fragment {
    /// What the logic of this name admits; `None` if its name says nothing.
    #[must_use]
    pub fn of_logic(name: &str) -> Option<Fragment> {
        if name == HORN {
            return Some(Fragment { parts: !HIGHER_ORDER, arithmetic: Arithmetic::Nonlinear });
        }
        let (higher, name) = match name.strip_prefix("HO_") {
            Some(rest) => (HIGHER_ORDER, rest),
            None => (NOTHING, name),
        };
        let (quantifiers, mut rest) = match name.strip_prefix("QF_") {
            Some(rest) => (NOTHING, rest),
            None => (QUANTIFIERS, name),
        };
        if rest.is_empty() {
            return None;
        }
        let mut whole = Fragment { parts: higher | quantifiers, arithmetic: Arithmetic::None };
        while !rest.is_empty() {
            let words = WORDS.iter().find_map(|word| Some((rest.strip_prefix(word.0)?, word)));
            let (after, &(_, parts, arithmetic)) = words?;
            whole = whole | Fragment { parts, arithmetic };
            rest = after;
        }
        Some(whole)
    }

    /// What these commands and terms need.
    #[must_use]
    pub fn of(store: &Store, commands: &[Command], terms: &[TermId]) -> Fragment {
        let mut walk =
            Walk { store, found: Fragment::default(), seen: FxHashSet::default(), apart: false };
        for command in commands {
            walk.command(command);
        }
        for term in store.postorder(terms) {
            walk.term(term);
        }
        if walk.apart && walk.found.arithmetic == Arithmetic::Difference {
            walk.arithmetic(Arithmetic::Linear);
        }
        walk.found
    }

    /// Whether everything that the other needs is here.
    #[must_use]
    pub fn admits(self, other: Fragment) -> bool {
        other.parts & !self.parts == NOTHING && other.arithmetic <= self.arithmetic
    }

    /// The logic to declare for a formula that needs this: the given one if it admits that,
    /// otherwise the smallest of the standard that admits both, otherwise the one that admits
    /// everything.
    #[must_use]
    pub fn logic(self, declared: &str) -> &str {
        let admitted = Fragment::of_logic(declared);
        if admitted.is_some_and(|admitted| admitted.admits(self)) {
            return declared;
        }
        let both = self | admitted.unwrap_or_default();
        let wider = TABLE.iter().filter(|(_, logic)| logic.admits(both));
        let size = |logic: &Fragment| (logic.parts.count_ones(), logic.arithmetic);
        let all = if both.parts & HIGHER_ORDER == NOTHING { EVERYTHING } else { HIGHER };
        wider.min_by_key(|(_, logic)| size(logic)).map_or(all, |(name, _)| name)
    }
}

struct Walk<'w> {
    store: &'w Store,
    found: Fragment,
    seen: FxHashSet<SortId>,
    /// Whether an atom of arithmetic is not about the difference of two variables.
    apart: bool,
}

impl Walk<'_> {
    fn add(&mut self, parts: u16) {
        self.found.parts |= parts;
    }

    fn arithmetic(&mut self, arithmetic: Arithmetic) {
        self.found.arithmetic = self.found.arithmetic.max(arithmetic);
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::DeclareSort(_) => self.add(SORTS),
            Command::DeclareDatatypes(..) => self.add(DATATYPES),
            Command::DeclareSortParameter(_) => self.add(BEYOND),
            // They are understood as quantified equations.
            Command::DefineFunRec(_) | Command::DefineFunsRec(_) => {
                self.add(QUANTIFIERS | FUNCTIONS);
            }
            Command::DeclareFun(func) | Command::DeclareConst(func) => {
                let Func::Declared { params, result, .. } = self.store.func(*func) else { return };
                if !params.is_empty() {
                    self.add(FUNCTIONS);
                }
                params.iter().chain([result]).for_each(|&sort| self.sort(sort));
            }
            _ => {}
        }
    }

    fn term(&mut self, term: TermId) {
        match self.store.get(term) {
            // The theory of floating point has no other reals than literals.
            Term::Literal(Value::Real(_)) => {}
            _ => self.sort(self.store.sort(term)),
        }
        match self.store.get(term) {
            // It is written with a minus.
            Term::Literal(Value::Int(number)) if number.is_negative() => {
                self.arithmetic(Arithmetic::Difference);
            }
            Term::Quant(_, vars, _) => {
                self.add(QUANTIFIERS);
                vars.iter().for_each(|&var| self.sort(self.store.sort(var)));
            }
            Term::Lambda(..) => self.add(BEYOND),
            Term::App(func, args) => match self.store.func(func) {
                Func::Op(op, _) => self.operator(*op, args),
                Func::Declared { .. } => {}
                // Updates of fields are an extension.
                Func::Update(..) => self.add(BEYOND),
                _ => self.add(DATATYPES),
            },
            _ => {}
        }
    }

    fn operator(&mut self, op: Op, args: &[TermId]) {
        let is_real = |&arg: &TermId| matches!(self.store.get(arg), Term::Literal(Value::Real(_)));
        if op.theory() != Theory::Floats && args.iter().any(is_real) {
            self.sort(SortId::REAL);
        }
        match op.theory() {
            Theory::Core => {
                let numbers = args.first().is_some_and(|&arg| self.is_numeric(arg));
                match op {
                    core::EQ | core::DISTINCT if numbers => self.atom(args),
                    core::ITE if args.get(1).is_some_and(|&arg| self.is_numeric(arg)) => {
                        self.apart = true;
                    }
                    _ => {}
                }
            }
            Theory::Ints | Theory::Reals => self.number(op, args),
            Theory::BitVectors => match op {
                bv::UBV_TO_INT | bv::SBV_TO_INT | bv::INT_TO_BV => {
                    self.add(BIT_VECTORS | INTS);
                    self.arithmetic(Arithmetic::Linear);
                }
                _ => self.add(BIT_VECTORS),
            },
            Theory::Floats => {
                if op == fp::TO_REAL {
                    self.arithmetic(Arithmetic::Linear);
                }
            }
            // Constants of every sort are beyond the theory.
            Theory::Arrays if op == arrays::CONST => self.add(ARRAYS),
            Theory::Arrays | Theory::Strings | Theory::Regex => {}
            Theory::FiniteFields => self.add(FIELDS),
            Theory::Functions => self.add(HIGHER_ORDER),
            _ => self.add(BEYOND),
        }
        if let (Origin::Extension(_), Theory::Ints | Theory::Reals) = (op.row().origin, op.theory())
        {
            self.add(BEYOND);
        }
    }

    fn is_numeric(&self, term: TermId) -> bool {
        matches!(self.store.sort(term), SortId::INT | SortId::REAL)
    }

    /// An operator of arithmetic.
    fn number(&mut self, op: Op, args: &[TermId]) {
        let is_constant = |&&arg: &&TermId| is_coefficient(self.store, arg);
        match op {
            ints::LT | ints::LE | ints::GT | ints::GE => {
                self.arithmetic(Arithmetic::Difference);
                self.atom(args);
            }
            ints::SUB => self.arithmetic(Arithmetic::Difference),
            ints::MUL if args.iter().filter(|arg| !is_constant(arg)).count() > 1 => {
                self.arithmetic(Arithmetic::Nonlinear);
            }
            ints::DIV | ints::MOD | reals::DIVIDE if !is_number_nest(self.store, op, args) => {
                let divisor =
                    |&&arg: &&TermId| is_coefficient(self.store, arg) && !is_zero(self.store, arg);
                let linear = args[1..].iter().all(|arg| divisor(&arg));
                self.arithmetic(if linear { Arithmetic::Linear } else { Arithmetic::Nonlinear });
            }
            reals::DIVIDE => self.arithmetic(Arithmetic::Difference),
            reals::TO_REAL | reals::TO_INT | reals::IS_INT => {
                self.add(INTS | REALS);
                self.arithmetic(Arithmetic::Linear);
            }
            _ => self.arithmetic(Arithmetic::Linear),
        }
    }

    /// A comparison of numbers: notes whether it is one of variables, of a variable with a constant,
    /// or of the difference of two variables with a constant.
    fn atom(&mut self, args: &[TermId]) {
        let store = self.store;
        let variable = |term: TermId| {
            matches!(store.get(term), Term::App(func, _)
                if matches!(store.func(func), Func::Declared { .. }))
        };
        let difference = |term: TermId| match store.operator(term) {
            Some((ints::SUB, &[x, y])) => variable(x) && variable(y),
            _ => false,
        };
        let number = |term: TermId| is_number(store, term);
        let fits = match *args {
            [x, y] => {
                let plain = |term| variable(term) || number(term);
                (plain(x) && plain(y))
                    || (difference(x) && number(y))
                    || (number(x) && difference(y))
            }
            _ => args.iter().all(|&arg| variable(arg)),
        };
        self.apart |= !fits && args.iter().any(|&arg| store.operator(arg).is_some());
    }

    fn sort(&mut self, sort: SortId) {
        let mut open = vec![sort];
        while let Some(sort) = open.pop() {
            if !self.seen.insert(sort) {
                continue;
            }
            self.sort_alone(sort);
            open.extend(self.store.sorts.get(sort).parts());
            if let Some((_, datatype, _)) = self.store.sorts.datatype(sort) {
                let fields = datatype.constructors.iter().flat_map(|c| &c.fields);
                open.extend(fields.map(|field| field.1));
            }
        }
    }

    fn sort_alone(&mut self, sort: SortId) {
        match self.store.sorts.get(sort) {
            Sort::Bool => {}
            Sort::Int => self.add(INTS),
            Sort::Real => self.add(REALS),
            Sort::BitVec(_) => self.add(BITS),
            Sort::Float(_) | Sort::RoundingMode => self.add(FLOATS),
            Sort::String | Sort::RegLan => self.add(STRINGS),
            Sort::FiniteField(_) => self.add(FIELDS),
            Sort::Array(..) => self.add(ARRAYS),
            Sort::Fun(..) => self.add(HIGHER_ORDER),
            Sort::Declared(..) => {
                let is_datatype = self.store.sorts.datatype(sort).is_some();
                self.add(if is_datatype { DATATYPES } else { SORTS });
            }
            Sort::Param(_) => {}
            _ => self.add(BEYOND),
        }
    }
}

/// Whether a term is a number as it is written: a literal, negated or divided.
#[must_use]
pub fn is_number(store: &Store, term: TermId) -> bool {
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match (store.get(term), store.operator(term)) {
            (Term::Literal(_), _) => {}
            // A difference is a constant too, but solvers do not take it for one in linear logics.
            (_, Some((ints::SUB, &[inner]))) => open.push(inner),
            (_, Some((reals::DIVIDE | reals::TO_REAL, args))) => open.extend(args),
            _ => return false,
        }
    }
    true
}

/// Whether solvers take a number as it is written for the coefficient of a linear term: z3 does not
/// look for a quotient, or for two signs, inside a quotient, and takes `(/ 1.0 2.0 3.0)` for one inside another.
fn is_coefficient(store: &Store, term: TermId) -> bool {
    let unsigned = |term: TermId| match store.operator(term) {
        Some((ints::SUB, &[inner])) => inner,
        _ => term,
    };
    let nested = |&arg: &TermId| {
        matches!(store.operator(unsigned(arg)), Some((reals::DIVIDE | ints::SUB, _)))
    };
    let mut inner = term;
    while unsigned(inner) != inner {
        inner = unsigned(inner);
    }
    let is_flat = match store.operator(inner) {
        Some((reals::DIVIDE, args)) => args.len() == 2 && !args.iter().any(nested),
        _ => true,
    };
    is_flat && is_number(store, term)
}

/// Whether a quotient is a constant as it is written, such as `(/ 1.0 3.0)`.
fn is_number_nest(store: &Store, op: Op, args: &[TermId]) -> bool {
    op == reals::DIVIDE
        && args.iter().all(|&arg| is_number(store, arg))
        && args[1..].iter().all(|&arg| !is_zero(store, arg))
}

/// Whether a term is a zero as it is written, or an expression of numbers that may be one.
#[must_use]
pub fn may_be_zero(store: &Store, term: TermId) -> bool {
    is_number(store, term) && is_zero(store, term)
}

/// Whether a zero occurs in a number as it is written.
fn is_zero(store: &Store, term: TermId) -> bool {
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match (store.get(term), store.operator(term)) {
            (Term::Literal(Value::Int(number)), _) if number.is_zero() => return true,
            (Term::Literal(Value::Real(number)), _) if *number.numer() == 0.into() => return true,
            (_, Some((_, args))) => open.extend(args),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lets, read_script};

    /// The logic for a formula that declares one.
    fn logic_of(declared: &str, text: &str) -> String {
        let text = format!(
            "(declare-const x Int)(declare-const y Int)(declare-const s String)
             (declare-const r Real)(declare-const v (_ BitVec 4))(assert {text})"
        );
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Expand).expect("it reads");
        Fragment::of(&store, &[], &script.terms()).logic(declared).to_owned()
    }

    #[test]
    fn every_logic_admits_itself_and_is_read() {
        for (name, fragment) in TABLE.iter() {
            assert_eq!(fragment.logic(name), *name);
            assert_eq!(fragment.parts & QUANTIFIERS == 0, name.starts_with("QF_"), "{name}");
        }
        assert_eq!(Fragment::of_logic("blarg"), None);
        assert!(Fragment::of_logic("QF_UFBVLIRA").is_some());
    }

    #[test]
    fn logics_are_kept_if_they_admit_the_formula_and_widened_otherwise() {
        for (declared, text, expected) in [
            ("QF_S", "(= (str.len s) 3)", "QF_S"),
            ("QF_S", "(> (str.len s) 3)", "QF_SLIA"),
            ("QF_S", "(= (str.len s) (- 3))", "QF_SLIA"),
            ("QF_SLIA", "(= (str.len s) (* x y))", "QF_SNIA"),
            ("QF_LIA", "(= x (* 2 y))", "QF_LIA"),
            ("QF_LIA", "(= x (* y y))", "QF_NIA"),
            ("QF_LIA", "(= x (div y 2))", "QF_LIA"),
            ("QF_LIA", "(= x (div y 0))", "QF_NIA"),
            ("QF_LIA", "(= x (div y (- 1 1)))", "QF_NIA"),
            ("QF_LRA", "(= r (/ 1.0 3.0))", "QF_LRA"),
            ("QF_LRA", "(= r (* (- 2.0) r))", "QF_LRA"),
            ("QF_LRA", "(= r (* (- 2.0 1.0) r))", "QF_NRA"),
            ("QF_LRA", "(= r (* (- (/ (- 2.0) 3.0)) r))", "QF_LRA"),
            ("QF_LRA", "(= r (* (/ (- (/ 2.0 3.0)) 40.0) r))", "QF_NRA"),
            ("QF_LRA", "(= r (* (/ 2.0 (/ 3.0 4.0)) r))", "QF_NRA"),
            ("QF_LRA", "(= r (* (/ (- (- 2.0)) 3.0) r))", "QF_NRA"),
            ("QF_LRA", "(= r (/ 1.0 0.0))", "QF_NRA"),
            ("QF_IDL", "(< 0.0 1.0)", "QF_LIRA"),
            ("QF_LRA", "(= r (* (- (/ (- 1.0) 3.0)) r))", "QF_LRA"),
            ("QF_LRA", "(= r (* r (/ 1.0 (/ 2.0 3.0))))", "QF_NRA"),
            ("QF_LRA", "(= r (* r (/ 1.0 2.0 3.0)))", "QF_NRA"),
            ("QF_LRA", "(= r (/ r (/ 1.0 (/ 2.0 3.0))))", "QF_NRA"),
            ("QF_LRA", "(= r (/ (* 2.0 r) 3.0))", "QF_LRA"),
            ("QF_LRA", "(is_int r)", "QF_LIRA"),
            ("QF_LIA", "(exists ((z Int)) (= x (+ z z)))", "LIA"),
            ("QF_IDL", "(< (- x y) 3)", "QF_IDL"),
            ("QF_IDL", "(= x y)", "QF_IDL"),
            ("QF_IDL", "(< (+ x y) 3)", "QF_LIA"),
            ("QF_IDL", "(< x (- y 3))", "QF_LIA"),
            ("QF_UF", "(= x y)", "QF_UFIDL"),
            ("QF_BV", "(= v (bvadd v v))", "QF_BV"),
            ("QF_BV", "(= x (ubv_to_int v))", "QF_AUFBVLIA"),
            ("QF_FP", "(= v (bvadd v v))", "QF_BVFP"),
            ("QF_FP", "(= v ((_ fp.to_ubv 4) RNE (fp #b0 #b00 #b001)))", "QF_FP"),
            ("QF_S", "(= s (str.from_int (ubv_to_int v)))", "ALL"),
            ("ALL", "(= x (* y y))", "ALL"),
            ("blarg", "(= x (* y y))", "QF_NIA"),
            ("QF_NRA", "(= r (exp r))", "ALL"),
        ] {
            assert_eq!(logic_of(declared, text), expected, "{declared}: {text}");
        }
    }
}
