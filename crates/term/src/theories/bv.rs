//! Bit-vectors: the theory FixedSizeBitVectors, the operators that the logic QF_BV derives from
//! it, and what solvers add.
//!
//! Their arithmetic is in [`crate::bitvec`]; this file has spellings, typing and the choice of
//! operations. Solvers accept more than two arguments only where the row folds; in SMT-LIB 2.7 that
//! is `bvand`, `bvor`, `bvadd`, `bvmul` and `bvxor`.

use super::ints::{TOO_LARGE, int};
use super::{Theory, operators};
use crate::bitvec::BitVec;
use crate::eval::Unknown;
use crate::op::{Alias, Fold, Law, OpRow, Origin, Pat, Sig, Vocabulary, Width};
use crate::value::Value;

const X: Pat = Pat::Bv(Width::Var(0));
const BIT: Pat = Pat::Bv(Width::N(1));
const ANY: Pat = Pat::Bv(Width::Each);

const UNARY: &[Sig] = &[Sig::new(&[X], X)];
const BINARY: &[Sig] = &[Sig::new(&[X, X], X)];
const REDUCTION: &[Sig] = &[Sig::new(&[X], BIT)];
const RELATION: &[Sig] = &[Sig::new(&[X, X], Pat::Bool)];
const ROTATION: &[Sig] = &[Sig::new(&[X], X).indexed(1)];
const EXTENSION: &[Sig] =
    &[Sig::new(&[X], Pat::Bv(Width::Plus(&Width::Var(0), &Width::Index(0)))).indexed(1)];

const Z3: Origin = Origin::Extension("z3");
const BITWUZLA: Origin = Origin::Extension("bitwuzla");
const COMMUTATIVE: &[Law] = &[Law::Commutative];
const MONOID: &[Law] = &[Law::Commutative, Law::Associative];
const LATTICE: &[Law] = &[Law::Commutative, Law::Associative, Law::Idempotent];

operators! { Theory::BitVectors;
    /// Concatenation, the most significant part first.
    CONCAT = OpRow::new("concat", &[Sig::new(&[ANY, ANY], Pat::Bv(Width::Total))], |_, _, args| concat(args))
        .fold(Fold::Left)
        .laws(&[Law::Associative]);
    /// The bits from the first index down to the second.
    EXTRACT = OpRow::new("extract", EXTRACTION, |_, app, args| {
            Ok(bits(&args[0]).extract(narrow(app.indices[0]), narrow(app.indices[1])).into())
        });
    /// Bitwise negation.
    NOT = OpRow::new("bvnot", UNARY, |_, _, args| unary(args, BitVec::not)).laws(&[Law::Involutive]);
    /// Bitwise conjunction.
    AND = OpRow::new("bvand", BINARY, |_, _, args| fold(args, BitVec::and)).fold(Fold::Left).laws(LATTICE);
    /// Bitwise disjunction.
    OR = OpRow::new("bvor", BINARY, |_, _, args| fold(args, BitVec::or)).fold(Fold::Left).laws(LATTICE);
    /// Two's complement negation.
    NEG = OpRow::new("bvneg", UNARY, |_, _, args| unary(args, BitVec::neg)).laws(&[Law::Involutive]);
    /// Addition.
    ADD = OpRow::new("bvadd", BINARY, |_, _, args| fold(args, BitVec::add)).fold(Fold::Left).laws(MONOID);
    /// Multiplication.
    MUL = OpRow::new("bvmul", BINARY, |_, _, args| fold(args, BitVec::mul)).fold(Fold::Left).laws(MONOID);
    /// Unsigned quotient; by zero all ones.
    UDIV = OpRow::new("bvudiv", BINARY, |_, _, args| binary(args, BitVec::udiv));
    /// Unsigned remainder; by zero the dividend.
    UREM = OpRow::new("bvurem", BINARY, |_, _, args| binary(args, BitVec::urem));
    /// Shift to the left.
    SHL = OpRow::new("bvshl", BINARY, |_, _, args| binary(args, BitVec::shl));
    /// Shift to the right, filling with zeros.
    LSHR = OpRow::new("bvlshr", BINARY, |_, _, args| binary(args, BitVec::lshr));
    /// Unsigned less.
    ULT = OpRow::new("bvult", RELATION, |_, _, args| relation(args, BitVec::ult));

    /// Negated conjunction.
    NAND = OpRow::new("bvnand", BINARY, |_, _, args| binary(args, |a, b| a.and(b).not())).laws(COMMUTATIVE);
    /// Negated disjunction.
    NOR = OpRow::new("bvnor", BINARY, |_, _, args| binary(args, |a, b| a.or(b).not())).laws(COMMUTATIVE);
    /// Exclusive or.
    XOR = OpRow::new("bvxor", BINARY, |_, _, args| fold(args, BitVec::xor)).fold(Fold::Left).laws(MONOID);
    /// Bitwise equality. It took many arguments until 2020; z3 and cvc4 still accept them, folding.
    XNOR = OpRow::new("bvxnor", BINARY, |_, _, args| fold(args, |a, b| a.xor(b).not()))
        .fold(Fold::Left)
        .laws(MONOID);
    /// Equality as one bit.
    COMP = OpRow::new("bvcomp", &[Sig::new(&[X, X], BIT)], |_, _, args| {
            binary(args, |a, b| BitVec::from_bool(a.same(b)))
        })
        .laws(COMMUTATIVE);
    /// Subtraction. Only yices accepts more than two arguments, folding.
    SUB = OpRow::new("bvsub", BINARY, |_, _, args| fold(args, BitVec::sub)).fold(Fold::Left);
    /// Signed quotient, rounded towards zero.
    SDIV = OpRow::new("bvsdiv", BINARY, |_, _, args| binary(args, BitVec::sdiv));
    /// Signed remainder with the sign of the dividend.
    SREM = OpRow::new("bvsrem", BINARY, |_, _, args| binary(args, BitVec::srem));
    /// Signed remainder with the sign of the divisor.
    SMOD = OpRow::new("bvsmod", BINARY, |_, _, args| binary(args, BitVec::smod));
    /// Shift to the right, filling with the sign.
    ASHR = OpRow::new("bvashr", BINARY, |_, _, args| binary(args, BitVec::ashr));
    /// This many copies.
    REPEAT = OpRow::new(
            "repeat",
            &[Sig::new(&[X], Pat::Bv(Width::Times(&Width::Var(0), &Width::Index(0))))
                .indexed(1)
                .requires("a positive index", |i, _| i[0] > 0)],
            |_, app, args| unary(args, |a| a.repeat(narrow(app.indices[0]))),
        );
    /// Adds this many leading zeros.
    ZERO_EXTEND = OpRow::new("zero_extend", EXTENSION, |_, app, args| {
            unary(args, |a| a.zero_extend(narrow(app.indices[0])))
        });
    /// Adds this many copies of the sign bit in front.
    SIGN_EXTEND = OpRow::new("sign_extend", EXTENSION, |_, app, args| {
            unary(args, |a| a.sign_extend(narrow(app.indices[0])))
        });
    /// Rotation to the left by the index.
    ROTATE_LEFT = OpRow::new("rotate_left", ROTATION, |_, app, args| {
            unary(args, |a| a.rotate_left(app.indices[0]))
        });
    /// Rotation to the right by the index.
    ROTATE_RIGHT = OpRow::new("rotate_right", ROTATION, |_, app, args| {
            unary(args, |a| a.rotate_right(app.indices[0]))
        });
    /// Unsigned less or equal.
    ULE = OpRow::new("bvule", RELATION, |_, _, args| relation(args, BitVec::ule));
    /// Unsigned greater.
    UGT = OpRow::new("bvugt", RELATION, |_, _, args| relation(args, |a, b| b.ult(a)));
    /// Unsigned greater or equal.
    UGE = OpRow::new("bvuge", RELATION, |_, _, args| relation(args, |a, b| b.ule(a)));
    /// Signed less.
    SLT = OpRow::new("bvslt", RELATION, |_, _, args| relation(args, BitVec::slt));
    /// Signed less or equal.
    SLE = OpRow::new("bvsle", RELATION, |_, _, args| relation(args, BitVec::sle));
    /// Signed greater.
    SGT = OpRow::new("bvsgt", RELATION, |_, _, args| relation(args, |a, b| b.slt(a)));
    /// Signed greater or equal.
    SGE = OpRow::new("bvsge", RELATION, |_, _, args| relation(args, |a, b| b.sle(a)));

    /// The unsigned number. z3 reads `bv2int` in this way; a draft of SMT-LIB 2.7 gave that name to
    /// the signed number, but no solver followed.
    UBV_TO_INT = OpRow::new("ubv_to_int", &[Sig::new(&[X], Pat::Int)], |cx, _, args| {
            let n = bits(&args[0]).to_unsigned();
            if n.bit_length() > cx.limits.bits { Err(TOO_LARGE) } else { Ok(n.into()) }
        })
        .origin(Origin::Standard27)
        .aliases(&[
            Alias { name: "bv2nat", vocabulary: Vocabulary::Before27 },
            Alias { name: "bv2int", vocabulary: Vocabulary::Z3 },
        ]);
    /// The signed number.
    SBV_TO_INT = OpRow::new("sbv_to_int", &[Sig::new(&[X], Pat::Int)], |cx, _, args| {
            let n = bits(&args[0]).to_signed();
            if n.bit_length() > cx.limits.bits { Err(TOO_LARGE) } else { Ok(n.into()) }
        })
        .origin(Origin::Standard27);
    /// An integer modulo two to the power of the index.
    INT_TO_BV = OpRow::new(
            "int_to_bv",
            &[Sig::new(&[Pat::Int], Pat::Bv(Width::Index(0)))
                .indexed(1)
                .requires("a positive index", |i, _| i[0] > 0)],
            |_, app, args| Ok(BitVec::from_int(narrow(app.indices[0]), int(&args[0])).into()),
        )
        .origin(Origin::Standard27)
        .aliases(&[
            Alias { name: "int2bv", vocabulary: Vocabulary::Before27 },
            Alias { name: "nat2bv", vocabulary: Vocabulary::Before27 },
        ]);
    /// Whether negation overflows.
    NEGO = OpRow::new("bvnego", &[Sig::new(&[X], Pat::Bool)], |_, _, args| {
            Ok(bits(&args[0]).neg_overflows().into())
        })
        .origin(Origin::Standard27);
    /// Whether unsigned addition overflows.
    UADDO = OpRow::new("bvuaddo", RELATION, |_, _, args| relation(args, BitVec::uadd_overflows))
        .origin(Origin::Standard27)
        .laws(COMMUTATIVE);
    /// Whether signed addition overflows.
    SADDO = OpRow::new("bvsaddo", RELATION, |_, _, args| relation(args, BitVec::sadd_overflows))
        .origin(Origin::Standard27)
        .laws(COMMUTATIVE);
    /// Whether unsigned multiplication overflows.
    UMULO = OpRow::new("bvumulo", RELATION, |_, _, args| relation(args, BitVec::umul_overflows))
        .origin(Origin::Standard27)
        .laws(COMMUTATIVE);
    /// Whether signed multiplication overflows.
    SMULO = OpRow::new("bvsmulo", RELATION, |_, _, args| relation(args, BitVec::smul_overflows))
        .origin(Origin::Standard27)
        .laws(COMMUTATIVE);
    /// Whether unsigned subtraction overflows.
    USUBO = OpRow::new("bvusubo", RELATION, |_, _, args| relation(args, BitVec::usub_overflows))
        .origin(Origin::Standard27);
    /// Whether signed subtraction overflows.
    SSUBO = OpRow::new("bvssubo", RELATION, |_, _, args| relation(args, BitVec::ssub_overflows))
        .origin(Origin::Standard27);
    /// Whether signed division overflows.
    SDIVO = OpRow::new("bvsdivo", RELATION, |_, _, args| relation(args, BitVec::sdiv_overflows))
        .origin(Origin::Standard27);

    /// Whether some bit is one, as a bit. In cvc4 the result is a Bool.
    REDOR = OpRow::new("bvredor", REDUCTION, |_, _, args| reduction(args, |a| !a.is_zero()))
        .origin(Origin::Extension("z3, cvc5, bitwuzla"));
    /// Whether every bit is one, as a bit. In cvc4 the result is a Bool.
    REDAND = OpRow::new("bvredand", REDUCTION, |_, _, args| reduction(args, BitVec::is_ones))
        .origin(Origin::Extension("z3, cvc5, bitwuzla"));
    /// Whether an odd number of bits is one, as a bit.
    REDXOR = OpRow::new("bvredxor", REDUCTION, |_, _, args| reduction(args, BitVec::parity))
        .origin(BITWUZLA);
    /// The successor.
    INC = OpRow::new("bvinc", UNARY, |_, _, args| unary(args, |a| a.add(&BitVec::from_u64(a.width(), 1))))
        .origin(BITWUZLA);
    /// The predecessor.
    DEC = OpRow::new("bvdec", UNARY, |_, _, args| unary(args, |a| a.sub(&BitVec::from_u64(a.width(), 1))))
        .origin(BITWUZLA);
    /// Rotation to the left by a bit-vector.
    ROL = OpRow::new("bvrol", BINARY, |_, _, args| binary(args, BitVec::rotate_left_by)).origin(BITWUZLA);
    /// Rotation to the right by a bit-vector.
    ROR = OpRow::new("bvror", BINARY, |_, _, args| binary(args, BitVec::rotate_right_by)).origin(BITWUZLA);
    /// Rotation to the left by a bit-vector, as z3 calls it.
    EXT_ROTATE_LEFT = OpRow::new("ext_rotate_left", BINARY, |_, _, args| binary(args, BitVec::rotate_left_by))
        .origin(Z3);
    /// Rotation to the right by a bit-vector, as z3 calls it.
    EXT_ROTATE_RIGHT = OpRow::new("ext_rotate_right", BINARY, |_, _, args| binary(args, BitVec::rotate_right_by))
        .origin(Z3);
    /// `bvudiv` after z3 has fixed the division by zero.
    UDIV_I = OpRow::new("bvudiv_i", BINARY, |_, _, args| binary(args, BitVec::udiv)).origin(Z3);
    /// `bvurem` after z3 has fixed the division by zero.
    UREM_I = OpRow::new("bvurem_i", BINARY, |_, _, args| binary(args, BitVec::urem)).origin(Z3);
    /// `bvsdiv` after z3 has fixed the division by zero.
    SDIV_I = OpRow::new("bvsdiv_i", BINARY, |_, _, args| binary(args, BitVec::sdiv)).origin(Z3);
    /// `bvsrem` after z3 has fixed the division by zero.
    SREM_I = OpRow::new("bvsrem_i", BINARY, |_, _, args| binary(args, BitVec::srem)).origin(Z3);
    /// `bvsmod` after z3 has fixed the division by zero.
    SMOD_I = OpRow::new("bvsmod_i", BINARY, |_, _, args| binary(args, BitVec::smod)).origin(Z3);
    /// Whether unsigned multiplication does not overflow.
    UMUL_NOOVFL = OpRow::new("bvumul_noovfl", RELATION, |_, _, args| relation(args, |a, b| !a.umul_overflows(b)))
        .origin(Z3)
        .laws(COMMUTATIVE);
    /// Whether the signed product is at most the largest number.
    SMUL_NOOVFL = OpRow::new("bvsmul_noovfl", RELATION, |_, _, args| relation(args, |a, b| !a.smul_above(b)))
        .origin(Z3)
        .laws(COMMUTATIVE);
    /// Whether the signed product is at least the smallest number.
    SMUL_NOUDFL = OpRow::new("bvsmul_noudfl", RELATION, |_, _, args| relation(args, |a, b| !a.smul_below(b)))
        .origin(Z3)
        .laws(COMMUTATIVE);
    /// Whether the bit at the index is one.
    BIT2BOOL = OpRow::new(
            "bit2bool",
            &[Sig::new(&[X], Pat::Bool)
                .indexed(1)
                .requires("an index below the width", |i, widths| i[0] < widths[0].into())],
            |_, app, args| Ok(bits(&args[0]).bit(narrow(app.indices[0])).into()),
        )
        .origin(Z3);
}

const EXTRACTION: &[Sig] = &[Sig::new(
    &[X],
    Pat::Bv(Width::Plus(&Width::Minus(&Width::Index(0), &Width::Index(1)), &Width::N(1))),
)
.indexed(2)
.requires("a first index below the width and a second not above the first", |i, widths| {
    i[0] < widths[0].into() && i[1] <= i[0]
})];

/// The bit-vector, as typing guarantees.
fn bits(value: &Value) -> &BitVec {
    match value {
        Value::BitVec(bits) => bits,
        _ => unreachable!("typed as a bit-vector"),
    }
}

/// An index that typing has checked against a width.
fn narrow(index: u64) -> u32 {
    u32::try_from(index).expect("typed with an index that is not above the greatest width")
}

#[inline]
fn unary(args: &[Value], meaning: impl Fn(&BitVec) -> BitVec) -> Result<Value, Unknown> {
    Ok(Value::BitVec(meaning(bits(&args[0]))))
}

#[inline]
fn binary(args: &[Value], meaning: impl Fn(&BitVec, &BitVec) -> BitVec) -> Result<Value, Unknown> {
    Ok(Value::BitVec(meaning(bits(&args[0]), bits(&args[1]))))
}

#[inline]
fn fold(args: &[Value], meaning: impl Fn(&BitVec, &BitVec) -> BitVec) -> Result<Value, Unknown> {
    if let [a, b] = args {
        return Ok(Value::BitVec(meaning(bits(a), bits(b))));
    }
    let (first, rest) = args.split_first().expect("typed with two arguments or more");
    let total = rest.iter().fold(bits(first).clone(), |total, arg| meaning(&total, bits(arg)));
    Ok(Value::BitVec(total))
}

#[inline]
fn relation(args: &[Value], holds: impl Fn(&BitVec, &BitVec) -> bool) -> Result<Value, Unknown> {
    Ok(holds(bits(&args[0]), bits(&args[1])).into())
}

fn reduction(args: &[Value], holds: impl Fn(&BitVec) -> bool) -> Result<Value, Unknown> {
    Ok(BitVec::from_bool(holds(bits(&args[0]))).into())
}

fn concat(args: &[Value]) -> Result<Value, Unknown> {
    if let [high, low] = args {
        return Ok(bits(high).concat(bits(low)).into());
    }
    let parts: Vec<&BitVec> = args.iter().map(bits).collect();
    Ok(BitVec::concat_all(&parts).into())
}
