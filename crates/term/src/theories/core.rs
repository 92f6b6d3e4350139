//! The theory Core: Booleans, equality, `ite`.

use super::{Theory, operators};
use crate::eval::{EvalContext, Unknown};
use crate::op::{Alias, App, Extension, Fold, Law, OpRow, Pat, Sig, Vocabulary};
use crate::value::Value;

const B: Pat = Pat::Bool;
const A: Pat = Pat::Any(0);
/// Two or more formulas; solvers also accept one.
const JUNCTION: &[Sig] =
    &[Sig::new(&[B, B], B), Sig::new(&[B], B).extension(Extension::SingleFormulas)];
const RELATION: &[Sig] = &[Sig::new(&[A, A], B)];

operators! { Theory::Core;
    /// Truth.
    TRUE = OpRow::new("true", &[Sig::new(&[], B)], |_, _, _| Ok(true.into()));
    /// Falsity.
    FALSE = OpRow::new("false", &[Sig::new(&[], B)], |_, _, _| Ok(false.into()));
    /// Negation.
    NOT = OpRow::new("not", &[Sig::new(&[B], B)], |_, _, args| Ok((!truth(&args[0])).into()))
        .laws(&[Law::Involutive]);
    /// Implication.
    IMPLIES = OpRow::new("=>", &[Sig::new(&[B, B], B)], implies)
        .fold(Fold::Right)
        .aliases(&[Alias { name: "implies", vocabulary: Vocabulary::Z3 }]);
    /// Conjunction.
    AND = OpRow::new("and", JUNCTION, |_, _, args| Ok(args.iter().all(truth).into()))
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative, Law::Idempotent]);
    /// Disjunction.
    OR = OpRow::new("or", JUNCTION, |_, _, args| Ok(args.iter().any(truth).into()))
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative, Law::Idempotent]);
    /// Exclusive or.
    XOR = OpRow::new("xor", &[Sig::new(&[B, B], B)], |_, _, args| {
            Ok((args.iter().filter(|v| truth(v)).count() % 2 == 1).into())
        })
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative]);
    /// Equality.
    EQ = OpRow::new("=", RELATION, equal)
        .fold(Fold::Chain)
        .laws(&[Law::Commutative])
        .aliases(&[Alias { name: "iff", vocabulary: Vocabulary::Z3 }]);
    /// Pairwise difference.
    DISTINCT = OpRow::new("distinct", RELATION, distinct)
        .fold(Fold::Pairwise)
        .laws(&[Law::Commutative]);
    /// Case distinction.
    ITE = OpRow::new("ite", &[Sig::new(&[B, A, A], A)], |_, _, args| {
            Ok(args[if truth(&args[0]) { 1 } else { 2 }].clone())
        })
        .aliases(&[
            Alias { name: "if", vocabulary: Vocabulary::Z3 },
            Alias { name: "if_then_else", vocabulary: Vocabulary::Z3 },
        ]);
}

fn truth(value: &Value) -> bool {
    *value == Value::Bool(true)
}

fn implies(_: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let (last, premises) = args.split_last().expect("typed with two arguments or more");
    Ok((truth(last) || !premises.iter().all(truth)).into())
}

fn equal(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    conjunction(args.windows(2).map(|pair| cx.equal(&pair[0], &pair[1])))
}

fn distinct(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    if args.len() > 8 && args.iter().all(|arg| cx.is_structural(arg)) {
        let mut sorted: Vec<&Value> = args.iter().collect();
        sorted.sort_unstable();
        return Ok((!sorted.windows(2).any(|pair| pair[0] == pair[1])).into());
    }
    let pairs = (0..args.len()).flat_map(|i| (i + 1..args.len()).map(move |j| (i, j)));
    conjunction(pairs.map(|(i, j)| cx.equal(&args[i], &args[j]).map(|same| !same)))
}

/// One false part decides, even if another is unknown.
fn conjunction(parts: impl Iterator<Item = Result<bool, Unknown>>) -> Result<Value, Unknown> {
    let mut unknown = None;
    for part in parts {
        match part {
            Ok(true) => {}
            Ok(false) => return Ok(false.into()),
            Err(reason) => unknown = unknown.or(Some(reason)),
        }
    }
    unknown.map_or(Ok(true.into()), Err)
}
