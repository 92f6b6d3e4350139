//! What a step does, and which operators have a machine operation. All other operators are
//! evaluated exactly, lane by lane.

use super::floats::{self, Precision};
use super::ints;
use super::register::{Class, Register};
use super::tape::Args;
use super::truth::{self, Truth};
use super::words;
use crate::op::Op;
use crate::theories::{Theory, bv, core, fp, ints as arithmetic};

/// What a step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Code {
    /// Loads the input with this number.
    Input(u32),
    /// Fills the register with the constant with this number.
    Constant(u32),
    Truth(Truth),
    Ite,
    /// All words are equal.
    Same,
    /// All words are different.
    Distinct,
    /// A fold over words of this width.
    Words(words::Fold, u32),
    /// An operation on one word with a result of the first width, from the second.
    Word(words::Map, u32, u32),
    /// A relation of words of this width.
    Related(words::Relation, u32),
    /// A single bit of a word.
    Bit(u32),
    /// Whether a word is the smallest signed number of its width.
    Least(u32),
    Concat,
    Ints(ints::Fold),
    Int(ints::Map),
    Ordered(ints::Order),
    /// Whether an integer is a multiple of this positive number.
    Divisible(i64),
    /// An integer as a bit-vector of this width.
    Wrap(u32),
    Float(floats::Arith, Precision),
    Compared(floats::Order, Precision),
    Classified(floats::Kind, Precision),
    /// Encodes a number; NaN has several encodings.
    Encode(Precision),
    /// Applies the term's function to the operands, by the evaluator.
    Exact,
    /// Evaluates the term as a whole, by the evaluator.
    Whole,
}

/// The maximum number of arguments that are compared pairwise; the evaluator sorts more.
const MOST_DISTINCT: usize = 8;

impl Code {
    /// The code of an operator applied to operands of these classes.
    pub(super) fn of(op: Op, indices: &[u64], args: &[Class], result: Class) -> Code {
        let code = match op.theory() {
            Theory::Core => core_code(op, args),
            Theory::Ints => int_code(op, indices, args),
            Theory::BitVectors => bv_code(op, indices, args, result),
            Theory::Floats => fp_code(op, args, result),
            _ => None,
        };
        code.unwrap_or(Code::Exact)
    }

    /// Computes the plain lanes of the result. Returns the lanes in which it is right.
    pub(super) fn compute(self, out: &mut Register, args: Args<'_>) -> u64 {
        let words = &mut out.words;
        match self {
            Code::Truth(operation) => {
                let (bits, known) = operation.apply(args);
                out.bits = bits;
                return known;
            }
            Code::Ite => {
                let condition = args.get(0).bits;
                out.bits = truth::choose(condition, args.get(1).bits, args.get(2).bits);
                if !matches!(args.class(1), Class::Truth | Class::Exact) {
                    truth::choose_words(words, condition, args.words(1), args.words(2));
                }
                return truth::branched(args);
            }
            Code::Same => out.bits = truth::chain(args, |a, b| a == b),
            Code::Distinct => out.bits = truth::distinct(args),
            Code::Words(operation, width) => operation.apply(width, words, args),
            Code::Word(operation, width, from) => {
                operation.apply(width, words, args.words(0), from);
            }
            Code::Related(relation, width) => {
                out.bits = relation.apply(width, args.words(0), args.words(1));
            }
            Code::Bit(at) => out.bits = probe(args, |a| a >> at & 1 == 1),
            Code::Least(width) => out.bits = probe(args, |a| a == 1 << (width - 1)),
            Code::Concat => words::concat(words, args),
            Code::Ints(operation) => return args.plain() & operation.apply(words, args),
            Code::Int(operation) => {
                return args.plain() & operation.apply(words, args.words(0));
            }
            Code::Ordered(order) => out.bits = order.apply(args),
            Code::Divisible(by) => out.bits = probe(args, |a| (a as i64).wrapping_rem(by) == 0),
            Code::Wrap(width) => {
                let ones = words::mask(width);
                words::map(words, args.words(0), |a| a & ones);
            }
            Code::Float(operation, precision) => {
                return args.plain() & operation.apply(precision, words, args);
            }
            Code::Compared(order, precision) => out.bits = order.apply(precision, args),
            Code::Classified(kind, precision) => {
                out.bits = kind.apply(precision, args.words(0));
            }
            Code::Encode(precision) => {
                *words = *args.words(0);
                return args.plain() & !floats::Kind::Nan.apply(precision, args.words(0));
            }
            Code::Input(_) | Code::Constant(_) | Code::Exact | Code::Whole => return 0,
        }
        args.plain()
    }
}

/// The lanes in which a property of the only operand holds.
#[inline(always)]
fn probe(args: Args<'_>, holds: impl Fn(u64) -> bool) -> u64 {
    let words = args.words(0);
    truth::compare(words, words, |a, _| holds(a))
}

fn core_code(op: Op, args: &[Class]) -> Option<Code> {
    let truths = args.iter().all(|&class| class == Class::Truth);
    let machine = !args.contains(&Class::Exact);
    Some(match op {
        core::NOT => Code::Truth(Truth::Not),
        core::AND => Code::Truth(Truth::And),
        core::OR => Code::Truth(Truth::Or),
        core::IMPLIES => Code::Truth(Truth::Implies),
        core::XOR => Code::Truth(Truth::Xor),
        core::ITE => Code::Ite,
        core::EQ if truths => Code::Truth(Truth::Same),
        core::EQ if machine => Code::Same,
        core::DISTINCT if args.len() > MOST_DISTINCT => return None,
        core::DISTINCT if truths => Code::Truth(Truth::Distinct),
        core::DISTINCT if machine => Code::Distinct,
        _ => return None,
    })
}

fn int_code(op: Op, indices: &[u64], args: &[Class]) -> Option<Code> {
    if args.iter().any(|&class| class != Class::Int) {
        return None;
    }
    Some(match op {
        arithmetic::ADD => Code::Ints(ints::Fold::Add),
        arithmetic::SUB if args.len() == 1 => Code::Int(ints::Map::Neg),
        arithmetic::SUB => Code::Ints(ints::Fold::Sub),
        arithmetic::MUL => Code::Ints(ints::Fold::Mul),
        arithmetic::DIV => Code::Ints(ints::Fold::Div),
        arithmetic::MOD => Code::Ints(ints::Fold::Mod),
        arithmetic::REM => Code::Ints(ints::Fold::Rem),
        arithmetic::ABS => Code::Int(ints::Map::Abs),
        arithmetic::LE => Code::Ordered(ints::Order::Le),
        arithmetic::LT => Code::Ordered(ints::Order::Lt),
        arithmetic::GE => Code::Ordered(ints::Order::Ge),
        arithmetic::GT => Code::Ordered(ints::Order::Gt),
        arithmetic::DIVISIBLE => Code::Divisible(i64::try_from(indices[0]).ok()?),
        _ => return None,
    })
}

fn bv_code(op: Op, indices: &[u64], args: &[Class], result: Class) -> Option<Code> {
    if let (bv::INT_TO_BV, Class::Word(width)) = (op, result) {
        return Some(Code::Wrap(width));
    }
    let Class::Word(width) = *args.first()? else { return None };
    if args.iter().any(|class| !matches!(class, Class::Word(_))) || result == Class::Exact {
        return None;
    }
    bv_fold(op)
        .map(|fold| Code::Words(fold, width))
        .or_else(|| bv_relation(op).map(|relation| Code::Related(relation, width)))
        .or_else(|| bv_single(op, indices, width, result))
}

fn bv_fold(op: Op) -> Option<words::Fold> {
    use words::Fold;
    Some(match op {
        bv::AND => Fold::And,
        bv::OR => Fold::Or,
        bv::XOR => Fold::Xor,
        bv::NAND => Fold::Nand,
        bv::NOR => Fold::Nor,
        bv::XNOR => Fold::Xnor,
        bv::ADD => Fold::Add,
        bv::SUB => Fold::Sub,
        bv::MUL => Fold::Mul,
        bv::UDIV | bv::UDIV_I => Fold::Udiv,
        bv::UREM | bv::UREM_I => Fold::Urem,
        bv::SDIV | bv::SDIV_I => Fold::Sdiv,
        bv::SREM | bv::SREM_I => Fold::Srem,
        bv::SMOD | bv::SMOD_I => Fold::Smod,
        bv::SHL => Fold::Shl,
        bv::LSHR => Fold::Lshr,
        bv::ASHR => Fold::Ashr,
        bv::ROL | bv::EXT_ROTATE_LEFT => Fold::RotateLeft,
        bv::ROR | bv::EXT_ROTATE_RIGHT => Fold::RotateRight,
        bv::COMP => Fold::Comp,
        _ => return None,
    })
}

fn bv_relation(op: Op) -> Option<words::Relation> {
    use words::Relation;
    Some(match op {
        bv::ULT => Relation::Ult,
        bv::ULE => Relation::Ule,
        bv::UGT => Relation::Ugt,
        bv::UGE => Relation::Uge,
        bv::SLT => Relation::Slt,
        bv::SLE => Relation::Sle,
        bv::SGT => Relation::Sgt,
        bv::SGE => Relation::Sge,
        bv::UADDO => Relation::Uaddo,
        bv::SADDO => Relation::Saddo,
        bv::USUBO => Relation::Usubo,
        bv::SSUBO => Relation::Ssubo,
        bv::UMULO => Relation::Umulo,
        bv::SMULO => Relation::Smulo,
        bv::SDIVO => Relation::Sdivo,
        bv::UMUL_NOOVFL => Relation::Umulno,
        bv::SMUL_NOOVFL => Relation::SmulNotAbove,
        bv::SMUL_NOUDFL => Relation::SmulNotBelow,
        _ => return None,
    })
}

/// Operators on one bit-vector, and concatenation.
fn bv_single(op: Op, indices: &[u64], from: u32, result: Class) -> Option<Code> {
    use words::Map;
    let index = |position: usize| u32::try_from(indices[position]).ok();
    let map = match op {
        bv::CONCAT => return Some(Code::Concat),
        bv::UBV_TO_INT => return Some(Code::Int(ints::Map::Unsigned)),
        bv::SBV_TO_INT => return Some(Code::Int(ints::Map::Signed(from))),
        bv::NEGO => return Some(Code::Least(from)),
        bv::BIT2BOOL => return Some(Code::Bit(index(0)?)),
        bv::NOT => Map::Not,
        bv::NEG => Map::Neg,
        bv::INC => Map::Inc,
        bv::DEC => Map::Dec,
        bv::EXTRACT => Map::Drop(index(1)?),
        bv::ZERO_EXTEND => Map::ZeroExtend,
        bv::SIGN_EXTEND => Map::SignExtend(from),
        bv::REPEAT => Map::Repeat(index(0)?),
        bv::ROTATE_LEFT => Map::RotateLeft((indices[0] % u64::from(from)) as u32),
        bv::ROTATE_RIGHT => Map::RotateLeft(from - (indices[0] % u64::from(from)) as u32),
        bv::REDOR => Map::Redor,
        bv::REDAND => Map::Redand,
        bv::REDXOR => Map::Redxor,
        _ => return None,
    };
    let Class::Word(width) = result else { return None };
    Some(Code::Word(map, width, from))
}

fn precision(class: Class) -> Option<Precision> {
    match class {
        Class::Single => Some(Precision::Single),
        Class::Double => Some(Precision::Double),
        _ => None,
    }
}

fn fp_code(op: Op, args: &[Class], result: Class) -> Option<Code> {
    if let Some(to) = precision(result) {
        return fp_number(op, args, result).map(|operation| Code::Float(operation, to));
    }
    let from = precision(*args.first()?)?;
    fp_order(op)
        .map(|order| Code::Compared(order, from))
        .or_else(|| fp_kind(op).map(|kind| Code::Classified(kind, from)))
        .or_else(|| (op == fp::TO_IEEE_BV).then_some(Code::Encode(from)))
}

/// Operators that yield a number of a machine format.
fn fp_number(op: Op, args: &[Class], result: Class) -> Option<floats::Arith> {
    use floats::Arith;
    Some(match op {
        fp::ADD => Arith::Add,
        fp::SUB => Arith::Sub,
        fp::MUL => Arith::Mul,
        fp::DIV => Arith::Div,
        fp::FMA => Arith::Fma,
        fp::SQRT => Arith::Sqrt,
        fp::ROUND_TO_INTEGRAL => Arith::RoundToIntegral,
        fp::NEG => Arith::Neg,
        fp::ABS => Arith::Abs,
        fp::MIN => Arith::Min,
        fp::MAX => Arith::Max,
        fp::FP => Arith::Assemble,
        fp::TO_FP_UNSIGNED if matches!(args, [_, Class::Word(_)]) => Arith::FromUnsigned,
        fp::TO_FP | fp::TO_FP_BV | fp::TO_FP_FP | fp::TO_FP_SIGNED => match *args {
            [Class::Word(_)] => Arith::Decode,
            [Class::Word(_), _, _] => Arith::Assemble,
            [_, Class::Word(width)] => Arith::FromSigned(width),
            [_, from @ (Class::Single | Class::Double)] if from != result => Arith::Convert,
            _ => return None,
        },
        _ => return None,
    })
}

fn fp_order(op: Op) -> Option<floats::Order> {
    Some(match op {
        fp::LEQ => floats::Order::Leq,
        fp::LT => floats::Order::Lt,
        fp::GEQ => floats::Order::Geq,
        fp::GT => floats::Order::Gt,
        fp::EQ => floats::Order::Eq,
        _ => return None,
    })
}

fn fp_kind(op: Op) -> Option<floats::Kind> {
    use floats::Kind;
    Some(match op {
        fp::IS_NORMAL => Kind::Normal,
        fp::IS_SUBNORMAL => Kind::Subnormal,
        fp::IS_ZERO => Kind::Zero,
        fp::IS_INFINITE => Kind::Infinite,
        fp::IS_NAN => Kind::Nan,
        fp::IS_NEGATIVE => Kind::Negative,
        fp::IS_POSITIVE => Kind::Positive,
        _ => return None,
    })
}
