//! Runs a unit on all its inputs, if there are few.

use super::run::{End, Fault, Limits, run};
use super::tree::Unit;
use super::types::Scalar;

/// The result of all runs of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Runs {
    /// None reaches the error.
    Quiet,
    /// One reaches it, on these inputs.
    Reached(Vec<(Scalar, i128)>),
    /// There are too many inputs to run them all.
    TooMany,
}

/// Runs a unit on every sequence of inputs, up to a maximum number.
///
/// A sequence is what one run reads: the number and types of its inputs may depend on the inputs
/// before them.
///
/// # Errors
/// If one of the runs has no outcome.
pub fn run_all(unit: &Unit, limits: Limits, most: u64) -> Result<Runs, Fault> {
    // The inputs of the next run, with the largest value of each type.
    let mut path: Vec<(i128, i128)> = Vec::new();
    for number in 0..most {
        let mut at = 0;
        let mut feed = |scalar: Scalar, _: u32| {
            if at == path.len() {
                path.push(scalar.range());
            }
            at += 1;
            path[at - 1].0
        };
        let execution = run(unit, &mut feed, limits)?;
        if execution.end == End::Reached {
            return Ok(Runs::Reached(execution.inputs));
        }
        // Every other value of every input read so far starts another run.
        let left = path.iter().map(|(value, greatest)| greatest.saturating_sub(*value));
        let ahead = left.fold(0i128, i128::saturating_add);
        if ahead > i128::from(most - number) {
            return Ok(Runs::TooMany);
        }
        while path.last().is_some_and(|(value, greatest)| value == greatest) {
            path.pop();
        }
        match path.last_mut() {
            Some((value, _)) => *value += 1,
            None => return Ok(Runs::Quiet),
        }
    }
    Ok(Runs::TooMany)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::{Binary, Expr, Function, Stmt, Type};

    fn input(place: u32) -> Expr {
        Expr::Input(Scalar::UChar, place)
    }

    fn main_of(body: Vec<Stmt>) -> Unit {
        let result = Some(Scalar::Int);
        let main = Function { name: "main".into(), params: Vec::new(), result, body };
        Unit { functions: vec![main], ..Unit::default() }
    }

    fn declare(name: &str, value: Expr) -> Stmt {
        Stmt::Declare(Type::Scalar(Scalar::UChar), name.into(), Some(value))
    }

    fn when_equal(name: &str, value: i128, body: Vec<Stmt>) -> Stmt {
        let number = Expr::Number(value, Scalar::Int);
        let equal = Expr::Binary(Binary::Eq, Expr::Var(name.into()).into(), number.into());
        Stmt::If(equal, body, Vec::new())
    }

    fn error() -> Vec<Stmt> {
        vec![Stmt::Call(Unit::ERROR.into(), Vec::new())]
    }

    #[test]
    fn inputs_read_by_only_some_runs_are_tried() {
        let inner = |value| vec![declare("b", input(2)), when_equal("b", value, error())];
        let deep = |value| main_of(vec![declare("a", input(1)), when_equal("a", 7, inner(value))]);
        let limits = Limits::default();
        let found = run_all(&deep(200), limits, 1000);
        assert_eq!(found, Ok(Runs::Reached(vec![(Scalar::UChar, 7), (Scalar::UChar, 200)])));
        assert_eq!(run_all(&deep(256), limits, 1000), Ok(Runs::Quiet));
        assert_eq!(run_all(&deep(256), limits, 500), Ok(Runs::TooMany));
    }
}
