//! The allowed results of operators that the standard leaves open.
//!
//! Open never means arbitrary: an operator still denotes *one* function, so equal arguments give
//! equal results throughout a formula, and some results are ruled out. The first holds for every
//! operator, because a symbol of first-order logic denotes a function; the second is data here.

use crate::bitvec::BitVec;
use crate::eval::EvalContext;
use crate::float::Float;
use crate::sort::SortId;
use crate::value::Value;

/// The results that an operator may have on arguments for which its row returns
/// [`crate::Unknown::Open`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Allowed {
    /// Every value of the result's sort.
    Any,
    /// One of the arguments: `fp.min` of two zeros is either zero.
    Argument,
    /// An element of the argument, a set or a bag; any value if that is empty.
    Element,
    /// One of the bit patterns that encode the argument, which is NaN.
    NanEncoding,
    /// No result that every tool would accept: tools that support the operator define it
    /// differently here, so no model may rely on it.
    Disputed,
}

impl Allowed {
    /// Whether an operator with this row may have this result on these arguments.
    #[must_use]
    pub fn allows(self, args: &[Value], result: &Value) -> bool {
        match self {
            Allowed::Any => true,
            Allowed::Argument => args.contains(result),
            Allowed::Element => {
                let mut elements = elements(args).peekable();
                elements.peek().is_none() || elements.any(|element| element == result)
            }
            Allowed::NanEncoding => match (args, result) {
                ([Value::Float(nan)], Value::BitVec(bits)) => {
                    Float::from_bits(nan.format(), &bits.to_big()).is_some_and(|x| x.is_nan())
                }
                _ => false,
            },
            Allowed::Disputed => false,
        }
    }

    /// Every result that an operator with this row may have on these arguments, if there are at most
    /// `limit`.
    #[must_use]
    pub fn all(
        self,
        cx: &EvalContext<'_>,
        sort: SortId,
        args: &[Value],
        limit: u64,
    ) -> Option<Vec<Value>> {
        let everything = || cx.enumerate(sort, limit);
        let mut all = match self {
            Allowed::Any => everything()?,
            Allowed::Argument => args.to_vec(),
            Allowed::Element if elements(args).next().is_some() => {
                elements(args).cloned().collect()
            }
            Allowed::Element => everything()?,
            Allowed::NanEncoding => {
                let mut codes = everything()?;
                codes.retain(|code| self.allows(args, code));
                codes
            }
            // No result is accepted, which says nothing about the formula.
            Allowed::Disputed => return None,
        };
        all.sort();
        all.dedup();
        (all.len() as u64 <= limit).then_some(all)
    }

    /// Results worth trying that depend only on the arguments, the simplest first.
    #[must_use]
    pub fn examples(self, cx: &EvalContext<'_>, sort: SortId, args: &[Value]) -> Vec<Value> {
        match self {
            Allowed::Any => cx.default_value(sort).into_iter().collect(),
            Allowed::Argument => args.to_vec(),
            Allowed::Element if elements(args).next().is_some() => {
                elements(args).cloned().collect()
            }
            Allowed::Element => cx.default_value(sort).into_iter().collect(),
            Allowed::NanEncoding => match args {
                [Value::Float(nan)] => vec![encoding(nan)],
                _ => Vec::new(),
            },
            Allowed::Disputed => Vec::new(),
        }
    }
}

/// The elements of the only argument.
fn elements(args: &[Value]) -> Box<dyn Iterator<Item = &Value> + '_> {
    match args {
        [Value::Set(_, items)] => Box::new(items.iter()),
        [Value::Bag(_, items)] => Box::new(items.iter().map(|(item, _)| item)),
        _ => Box::new(std::iter::empty()),
    }
}

fn encoding(number: &Float) -> Value {
    let format = number.format();
    let width = format.exponent_bits() + format.significand_bits();
    BitVec::from_big(width, &number.to_bits()).into()
}
