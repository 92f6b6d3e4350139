//! Programs without a maze: straight lines, loops, recursion, state machines.

use super::{DEEPEST, Frame, Piece, declared, depth, early, error, nested};
use crate::c::{Binary, Block, Expr, Function, Name, Param, Scalar, Stmt, Unit};
use crate::lower::LoweredStep;

/// All constraints in `main`, nested or in sequence.
pub(super) fn straight(frame: &mut Frame<'_>) -> Block {
    let pieces = std::mem::take(&mut frame.pieces);
    let mut block = vec![error()];
    let deep: usize = pieces.iter().map(depth).sum();
    let nest = deep <= DEEPEST && frame.draw.one_in(2);
    for piece in pieces.into_iter().rev() {
        block = match nest {
            true => nested(piece, block),
            false => early(piece, &Stmt::Return(Some(Expr::number(0, Scalar::Int))), block),
        };
    }
    with_pointer(frame, block)
}

/// All constraints in `main`, as assumptions.
pub(super) fn assuming(frame: &mut Frame<'_>) -> Block {
    let pieces = std::mem::take(&mut frame.pieces);
    frame.unit.functions.push(assumption());
    let end = vec![error()];
    let block = pieces.into_iter().rev().fold(end, |end, piece| assumed(piece, end));
    with_pointer(frame, block)
}

/// The body of `main`, with the pointer to the shared variables.
fn with_pointer(frame: &Frame<'_>, mut block: Block) -> Block {
    if let Some(param) = frame.params().pop() {
        let here = frame.main_args().pop();
        block.insert(0, Stmt::Declare(param.ty, param.name, here));
    }
    block
}

/// The function that ends a run if an assumption fails, as in SV-COMP.
const ASSUME: &str = "assume_abort_if_not";

fn assumption() -> Function {
    let condition: Name = "condition".into();
    let missed = Expr::var(&condition).negated();
    let body = vec![Stmt::If(missed, vec![Stmt::Call(Unit::ABORT.into(), vec![])], Vec::new())];
    let params = vec![Param { ty: Scalar::Int.into(), name: condition }];
    Function { name: ASSUME.into(), result: None, params, body }
}

/// The steps of a piece, with an assumption for each constraint.
fn assumed(piece: Piece, end: Block) -> Block {
    let mut block = declared(piece.variables);
    for step in piece.steps {
        block.push(match step {
            LoweredStep::Do(stmt) => stmt,
            LoweredStep::Require(condition) => Stmt::Call(ASSUME.into(), vec![condition]),
        });
    }
    block.extend(end);
    block
}

fn number(value: usize) -> Expr {
    Expr::number(value as i128, Scalar::UInt)
}

/// A `switch` over check functions; one block for success, one for failure.
fn by_number(
    frame: &Frame<'_>,
    checks: &[Name],
    args: &[Expr],
    outcomes: impl Fn(usize) -> (Block, Block),
) -> Stmt {
    let cases = checks.iter().enumerate().map(|(at, check)| {
        let (met, missed) = outcomes(at);
        (at as i128, vec![Stmt::If(frame.passes(check, args.to_vec()), met, missed)])
    });
    Stmt::Switch(Expr::Var("n".into()), cases.collect())
}

/// A loop that counts the constraints that hold.
pub(super) fn counted(frame: &mut Frame<'_>) -> Block {
    let checks = frame.checks();
    let done: Name = "done".into();
    let args = frame.main_args();
    let step = Stmt::Assign(
        Expr::var(&done),
        Expr::binary(Binary::Add, Expr::var(&done), Expr::number(1, Scalar::UInt)),
    );
    let choice = by_number(frame, &checks, &args, |_| (vec![step.clone()], Vec::new()));
    let all = Expr::binary(Binary::Eq, Expr::var(&done), number(checks.len()));
    vec![
        Stmt::Declare(Scalar::UInt.into(), Name::clone(&done), Some(number(0))),
        Stmt::Count("n".into(), checks.len(), vec![choice]),
        Stmt::If(all, vec![error()], Vec::new()),
    ]
}

/// A function that calls itself for the next constraint.
pub(super) fn recursive(frame: &mut Frame<'_>) -> Block {
    let checks = frame.checks();
    let (name, n): (Name, Name) = ("descend".into(), "n".into());
    let mut params = vec![Param { ty: Scalar::UInt.into(), name: Name::clone(&n) }];
    params.extend(frame.params());
    let args = frame.args();
    let next = Expr::binary(Binary::Add, Expr::var(&n), Expr::number(1, Scalar::UInt));
    let mut again = vec![next];
    again.extend(args.clone());
    let leave = || Stmt::Return(Some(Expr::truth(false)));
    let choice = by_number(frame, &checks, &args, |_| (Vec::new(), vec![leave()]));
    let end = Expr::binary(Binary::Eq, Expr::var(&n), number(checks.len()));
    let mut body = vec![Stmt::If(end, vec![Stmt::Return(Some(Expr::truth(true)))], Vec::new())];
    if !checks.is_empty() {
        body.push(turned(choice));
    }
    body.push(Stmt::Return(Some(Expr::Call(Name::clone(&name), again))));
    let result = Some(Scalar::Int);
    frame.unit.functions.push(Function { name: Name::clone(&name), result, params, body });
    let mut first = vec![number(0)];
    first.extend(frame.main_args());
    let passed = Expr::binary(Binary::Ne, Expr::Call(name, first), Expr::truth(false));
    vec![Stmt::If(passed, vec![error()], Vec::new())]
}

/// Negates conditions whose first block is empty.
fn turned(stmt: Stmt) -> Stmt {
    match stmt {
        Stmt::Switch(subject, cases) => {
            let cases = cases
                .into_iter()
                .map(|(value, block)| (value, block.into_iter().map(turned).collect()));
            Stmt::Switch(subject, cases.collect())
        }
        Stmt::If(condition, yes, no) if yes.is_empty() => {
            Stmt::If(condition.negated(), no, Vec::new())
        }
        other => other,
    }
}

/// A state machine; a state is left when its constraints hold.
pub(super) fn states(frame: &mut Frame<'_>) -> Block {
    let checks = frame.checks();
    let state: Name = "n".into();
    let args = frame.main_args();
    let dead = checks.len() + 1;
    let go = |to: usize| vec![Stmt::Assign(Expr::var(&state), number(to))];
    let choice = by_number(frame, &checks, &args, |at| (go(at + 1), go(dead)));
    let end = Expr::binary(Binary::Eq, Expr::var(&state), number(checks.len()));
    let mut block = vec![Stmt::Declare(Scalar::UInt.into(), Name::clone(&state), Some(number(0)))];
    // As many iterations as there are states, so no tool has to guess the bound.
    block.push(Stmt::Count("round".into(), checks.len(), vec![choice]));
    block.push(Stmt::If(end, vec![error()], Vec::new()));
    block
}
