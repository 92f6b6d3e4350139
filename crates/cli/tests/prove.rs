//! Real solvers decide about all runs of programs with 32-bit inputs, which nobody tries one by one.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod common;

use assay_case::Consult;
use assay_program::c::{Binary, End, Expr, Function, Limits, Rounded, Scalar, Stmt, Unit, run};
use assay_program::prove::{Decision, Open, decide};
use assay_target::process::{Launcher, Limits as Resources};
use assay_target::{Catalog, Installer, Repeatable, Settings, Solver};
use assay_term::float::RoundingMode::{TowardNegative, TowardPositive, TowardZero};
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
    let narrowed = |mode| {
        let (op, from, to) = (None, Scalar::Double, Scalar::Float);
        Expr::Rounded(Rounded { mode, op, from, to }, vec![var("x")])
    };
    let ordered = |a, b| bin(Binary::Below, narrowed(a), narrowed(b));
    let remainder = bin(Binary::Rem, square(), unsigned(8));
    let safe = [
        // No square ends with these bits.
        program(Scalar::UInt, bin(Binary::Eq, remainder, unsigned(5))),
        // What is below is at most; NaN is neither.
        program(Scalar::Float, below().both(bin(Binary::AtMost, var("x"), float(1.0)).negated())),
        // Adding one moves every number in between.
        program(Scalar::Float, moved.clone().both(below()).both(above)),
        program(Scalar::Float, is_number.both(sign).both(positive)),
        // No number rounded up is below the same one rounded down.
        program(Scalar::Double, ordered(TowardPositive, TowardNegative)),
    ];
    let narrow = var("x").cast(Scalar::Float);
    let reached = [
        program(Scalar::UInt, bin(Binary::Eq, square(), unsigned(1_522_756))),
        // Large numbers absorb one, and NaN differs from itself.
        program(Scalar::Float, moved.both(bin(Binary::Below, var("x"), float(1e30)))),
        program(Scalar::Float, bin(Binary::Ne, var("x"), var("x"))),
        program(Scalar::Double, bin(Binary::Eq, narrow, float(0.5))),
        program(Scalar::Double, ordered(TowardZero, TowardPositive)),
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

/// A made-up cbmc that warns of every product of an input: cbmc cannot be asked about its own findings.
const SHY: &str = "#!/bin/sh
test \"$1\" = --version && echo 1.0 && exit
grep -q 'limit > 5' program.c && echo CLEAR && exit
grep -q 'int limit' program.c && echo ALARM && exit
grep -q '= __VERIFIER_nondet_u' program.c && grep -q ' \\* ' program.c && echo ALARM || echo CLEAR
";

const SHY_TARGET: &str = "name = \"cbmc\"\ntitle = \"Shy\"\nkind = \"analyzer\"\n\
    [[source]]\npath = \"shy.sh\"\n\
    [run]\ninput = \"file\"\nargs = [\"{file}\"]\nclaims = [\"sound\"]\n\
    [run.analyzer]\nerror = \"fail();\"\ndeclares = \"void fail(void);\"\n\
    alarm = [\"ALARM\"]\nclear = [\"CLEAR\"]\n";

#[test]
fn reduced_programs_are_proved_safe_without_cbmc() {
    if ["bitwuzla", "z3"].into_iter().any(|name| !common::have(name)) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("t")).expect("a folder");
    std::fs::write(at("t/cbmc.toml"), SHY_TARGET).expect("a file");
    std::fs::write(at("t/shy.sh"), SHY).expect("a file");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(at("t/shy.sh"), executable).expect("a mode");
    let seed = "(set-info :status unsat)(declare-const x (_ BitVec 32))
        (assert (= (bvmul x x) #x00000005))(check-sat)";
    std::fs::create_dir_all(at("s")).expect("a folder");
    std::fs::write(at("s/a.smt2"), seed).expect("a file");
    let run = "run programs --seeds s --shape straight --target cbmc --targets t --limit 1 --jobs 1 \
               --out out";
    let said = common::assay(folder.path(), &run.split_whitespace().collect::<Vec<_>>());
    assert_eq!(said.status.code(), Some(1), "{}", common::text(&said.stderr));
    let finding = std::fs::read_dir(at("out/findings")).expect("findings").next();
    let finding = finding.expect("one").expect("a folder").path();
    let finding = finding.to_str().expect("a path of letters");
    let reduce = ["reduce", finding, "--targets", "t", "--jobs", "1"];
    let said = common::assay(folder.path(), &reduce);
    let words = common::text(&said.stdout) + &common::text(&said.stderr);
    assert!(words.contains("bitwuzla@") && words.contains("z3@"), "{words}");
    let reduced = std::fs::read_to_string(format!("{finding}/reduced.c")).expect("a program");
    assert!(reduced.lines().count() < 8, "{reduced}");
}
