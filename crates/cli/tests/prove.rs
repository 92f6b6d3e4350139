//! Real solvers decide about all runs of programs with 32-bit inputs, which nobody tries one by one.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod common;

use assay_case::Consult;
use assay_program::c::{Binary, End, Expr, Function, Limits, Scalar, Stmt, Unit, run};
use assay_program::prove::{Decision, Open, decide};
use assay_target::process::{Launcher, Limits as Resources};
use assay_target::{Catalog, Installer, Repeatable, Settings, Solver};
use std::sync::Arc;
use std::time::Duration;

fn solver(name: &str) -> Box<dyn Consult + Send> {
    let name = name.parse().expect("a name");
    let target = Catalog::builtin().resolve(&name, &Installer::for_user(), &mut |_| {});
    let limits =
        Resources { wall: Duration::from_secs(60), memory: Some(2 << 30), output: 1 << 20 };
    let launcher = Launcher::of(env!("CARGO_BIN_EXE_assay"));
    let settings = Settings { limits, launcher, seed: 0, sessions: true };
    Box::new(Repeatable(Solver::new(Arc::new(target.expect("it is installed")), settings)))
}

fn var(name: &str) -> Expr {
    Expr::Var(name.into())
}

/// A program that reaches its error if an input of a type meets a condition.
fn program(scalar: Scalar, condition: Expr) -> Unit {
    let error = vec![Stmt::Call(Unit::ERROR.into(), Vec::new())];
    let body = vec![
        Stmt::Declare(scalar.into(), "x".into(), Some(Expr::Input(scalar, 0))),
        Stmt::If(condition, error, Vec::new()),
    ];
    let (name, result) = ("main".into(), Some(Scalar::Int));
    let main = Function { name, result, params: Vec::new(), body };
    Unit { functions: vec![main], ..Unit::default() }
}

#[test]
fn solvers_decide_about_all_runs() {
    if ["bitwuzla", "z3", "cvc5"].into_iter().any(|name| !common::have(name)) {
        return;
    }
    let bin = |op, a, b| Expr::binary(op, a, b);
    let int = |value: i128| Expr::number(value, Scalar::Int);
    let float = |value: f32| Expr::Number(value.to_bits().into(), Scalar::Float);
    let square = || bin(Binary::Mul, var("x"), var("x"));
    let unsigned = |value: i128| Expr::number(value, Scalar::UInt);
    let next = || bin(Binary::Add, var("x"), float(1.0));
    let below = || bin(Binary::Below, var("x"), float(1.0));
    // The sign of a number is in its encoding.
    let sign = Expr::Recode(Scalar::UInt, Box::new(var("x")));
    let sign = bin(Binary::Ge, sign, unsigned(0x8000_0000));
    let is_number = bin(Binary::Eq, var("x"), var("x"));
    let positive = bin(Binary::Below, float(0.0), var("x"));
    let above = bin(Binary::Below, float(-1.0), var("x"));
    let moved = bin(Binary::Eq, next(), var("x"));
    let remainder = bin(Binary::Rem, square(), unsigned(8));
    let safe = [
        // No square ends with these bits.
        program(Scalar::UInt, bin(Binary::Eq, remainder, unsigned(5))),
        // What is below is at most; NaN is neither.
        program(Scalar::Float, below().both(bin(Binary::AtMost, var("x"), float(1.0)).negated())),
        // Adding one moves every number in between.
        program(Scalar::Float, moved.clone().both(below()).both(above)),
        program(Scalar::Float, is_number.both(sign).both(positive)),
    ];
    let narrow = var("x").cast(Scalar::Float);
    let reached = [
        program(Scalar::UInt, bin(Binary::Eq, square(), unsigned(1_522_756))),
        // Large numbers absorb one, and NaN differs from itself.
        program(Scalar::Float, moved.both(bin(Binary::Below, var("x"), float(1e30)))),
        program(Scalar::Float, bin(Binary::Ne, var("x"), var("x"))),
        program(Scalar::Double, bin(Binary::Eq, narrow, float(0.5))),
    ];
    let pairs = [["bitwuzla", "z3"], ["cvc5", "bitwuzla"]];
    for (at, (safe, reached)) in safe.iter().zip(&reached).enumerate() {
        let pair = pairs[at % 2];
        let mut solvers = pair.map(solver).into_iter().collect::<Vec<_>>();
        let decision = decide(safe, Limits::default(), &mut solvers);
        assert!(matches!(&decision, Decision::Safe(who) if who.len() == 2), "{at}: {decision}");
        let decision = decide(reached, Limits::default(), &mut solvers);
        let Decision::Reached(inputs) = decision else { panic!("{at}: {decision}") };
        let mut values = inputs.iter().map(|input| input.1);
        let again = run(reached, &mut |_, _| values.next().unwrap_or(0), Limits::default());
        assert_eq!(again.map(|run| run.end), Ok(End::Reached));
        // One of them is not enough.
        let decision = decide(safe, Limits::default(), &mut solvers[..1]);
        assert!(matches!(decision, Decision::Open(Open::Solvers(_))), "{at}: {decision}");
    }
    // A sum of two ints may overflow: that the error is not reached does not make the program safe.
    let overflow = bin(Binary::Add, var("x"), int(1));
    let program = program(Scalar::Int, bin(Binary::Lt, overflow, var("x")));
    let decision = decide(&program, Limits::default(), &mut [solver("z3"), solver("bitwuzla")]);
    assert!(matches!(decision, Decision::Undefined(_)), "{decision}");
}
