//! Decisions about all runs of small programs are compared with the interpreter on every input. The solvers
//! are assignments tried one by one; the real ones are asked in `crates/fake`.

use assay_case::{
    Answer, Consult, Consultation, Exhaustion, Formula, Question, exhaust, usual_budget,
};
use assay_program::c::{
    Binary, Block, Expr, Fault, Function, Layout, Limits, Name, Param, Runs, Scalar, Stmt, Struct,
    Type, Unary, Unit, print, run_all,
};
use assay_program::prove::{Decision, Open, decide};
use assay_program::reduce::{edited, edits};
use assay_smtlib::{STANDARD, print_model};
use std::sync::{Arc, Mutex};

/// An answer with a printed model, once it is known.
type Known = Option<(Answer, Option<String>)>;

/// Tries every assignment, under a name. What one has found out, the others repeat.
struct Exhaustive(&'static str, Arc<Mutex<Known>>);

impl Consult for Exhaustive {
    fn name(&self) -> &str {
        self.0
    }

    fn ask(&mut self, formula: &Formula, _: Question) -> Consultation {
        let tried = || match exhaust(formula, &mut usual_budget()) {
            Some(Exhaustion::Sat(model)) => {
                let mut store = formula.store().clone();
                (Answer::Sat, Some(print_model(&mut store, &model, STANDARD)))
            }
            Some(Exhaustion::Unsat(_)) => (Answer::Unsat, None),
            None => (Answer::Unknown(None), None),
        };
        let mut known = self.1.lock().expect("no other holds it");
        let (answer, model) = known.get_or_insert_with(tried).clone();
        Consultation { who: self.0.to_owned(), answer, model, core: None }
    }
}

fn solvers(names: &[&'static str]) -> Vec<Box<dyn Consult + Send>> {
    let known = Arc::new(Mutex::new(None));
    let solver = |name: &&'static str| -> Box<dyn Consult + Send> {
        Box::new(Exhaustive(name, Arc::clone(&known)))
    };
    names.iter().map(solver).collect()
}

fn decided(unit: &Unit) -> Decision {
    decide(unit, Limits::default(), &mut solvers(&["one@1", "other@1"]))
}

fn var(name: &str) -> Expr {
    Expr::Var(name.into())
}

fn int(value: i128) -> Expr {
    Expr::Number(value, Scalar::Int)
}

fn bin(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::binary(op, a, b)
}

fn let_(scalar: Scalar, name: &str, value: Expr) -> Stmt {
    Stmt::Declare(scalar.into(), name.into(), Some(value))
}

fn set(name: &str, value: Expr) -> Stmt {
    Stmt::Assign(var(name), value)
}

fn when(condition: Expr, then: Block) -> Stmt {
    Stmt::If(condition, then, Vec::new())
}

fn error() -> Stmt {
    Stmt::Call(Unit::ERROR.into(), Vec::new())
}

fn input(scalar: Scalar) -> Expr {
    Expr::Input(scalar, 0)
}

fn function(name: &str, params: &[(Type, &str)], result: Option<Scalar>, body: Block) -> Function {
    let param = |(ty, name): &(Type, &str)| Param { ty: ty.clone(), name: Name::from(*name) };
    Function { name: name.into(), params: params.iter().map(param).collect(), result, body }
}

fn program(mut functions: Vec<Function>, main: Block) -> Unit {
    functions.push(function("main", &[], Some(Scalar::Int), main));
    Unit { functions, ..Unit::default() }
}

/// Programs with a small number of runs, which use every part of the tree.
fn programs() -> Vec<Unit> {
    let byte = Scalar::UChar;
    let arithmetic = |op: Binary, scalar: Scalar, target: i128| {
        let apply = bin(op, var("x").cast(scalar), int(3).cast(scalar));
        program(
            vec![],
            vec![
                let_(byte, "x", input(byte)),
                let_(scalar, "y", apply),
                when(bin(Binary::Eq, var("y"), int(target)), vec![error()]),
            ],
        )
    };
    let mut all = Vec::new();
    for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem, Binary::Shr] {
        for (scalar, target) in [(Scalar::Int, 7), (Scalar::UInt, -1), (Scalar::ULong, 2)] {
            all.push(arithmetic(op, scalar, target));
        }
    }
    for op in [Binary::And, Binary::Or, Binary::Xor, Binary::Shl] {
        all.push(arithmetic(op, Scalar::UInt, 24));
        all.push(arithmetic(op, Scalar::U128, 26));
    }
    // A loop that an input bounds, with an array.
    all.push(program(
        vec![],
        vec![
            let_(byte, "n", input(byte)),
            Stmt::Declare(Type::Array(Box::new(byte.into()), 4), "a".into(), None),
            Stmt::Count(
                "i".into(),
                4,
                vec![Stmt::Assign(
                    Expr::Index(var("a").into(), var("i").into()),
                    bin(Binary::Add, var("n"), var("i")).cast(byte),
                )],
            ),
            let_(Scalar::UInt, "k", int(0).cast(Scalar::UInt)),
            Stmt::While(
                bin(Binary::Lt, var("k"), bin(Binary::Rem, var("n"), int(4))),
                vec![set("k", bin(Binary::Add, var("k"), int(1)))],
            ),
            let_(byte, "e", Expr::Index(var("a").into(), var("k").into())),
            when(bin(Binary::Eq, var("e"), int(2)), vec![error()]),
        ],
    ));
    // Calls, a switch, recursion, early returns, choices and side effects in conditions.
    let pick = function(
        "pick",
        &[(Scalar::Int.into(), "n")],
        Some(Scalar::Int),
        vec![
            Stmt::Switch(
                var("n"),
                vec![
                    (0, vec![Stmt::Return(Some(int(5)))]),
                    (
                        3,
                        vec![when(
                            bin(Binary::Ne, input(Scalar::Bool), int(0)),
                            vec![Stmt::Return(Some(int(9)))],
                        )],
                    ),
                ],
            ),
            Stmt::Return(Some(
                bin(Binary::Lt, var("n"), int(4))
                    .cond(var("n"), bin(Binary::Sub, var("n"), int(4))),
            )),
        ],
    );
    let down = function(
        "down",
        &[(Scalar::UInt.into(), "n")],
        Some(Scalar::UInt),
        vec![
            when(bin(Binary::Eq, var("n"), int(0)), vec![Stmt::Return(Some(int(1)))]),
            Stmt::Return(Some(Expr::call("down", vec![bin(Binary::Sub, var("n"), int(1))]))),
        ],
    );
    for target in [9, 10] {
        let called = Expr::call("pick", vec![bin(Binary::Rem, var("x"), int(8))]);
        let once = Expr::call("down", vec![bin(Binary::Rem, var("x"), int(3))]);
        let both = bin(Binary::Eq, called, int(target)).both(bin(Binary::Eq, once, int(1)));
        all.push(program(
            vec![pick.clone(), down.clone()],
            vec![let_(byte, "x", input(byte)), when(both, vec![error()])],
        ));
    }
    // A structure behind a pointer, and a global.
    let data = Struct {
        name: "data".into(),
        fields: vec![
            (Type::Array(Box::new(Scalar::Short.into()), 2), "cells".into()),
            (Scalar::Bool.into(), "flag".into()),
        ],
    };
    let pointer = Type::Pointer(Box::new(Type::Struct("data".into())));
    let arrow = |name: &str| Expr::Arrow(var("p").into(), name.into());
    let cell = |at: Expr| Expr::Index(arrow("cells").into(), at.into());
    let fill = function(
        "fill",
        &[(pointer, "p"), (byte.into(), "x")],
        None,
        vec![
            Stmt::Assign(arrow("flag"), var("x")),
            Stmt::Assign(cell(int(0)), Expr::unary(Unary::Minus, var("x"))),
            Stmt::Assign(cell(bin(Binary::Rem, var("x"), int(2))), int(300)),
            set("seen", bin(Binary::Add, var("seen"), int(1))),
        ],
    );
    let field = Expr::Index(Expr::Field(var("d").into(), "cells".into()).into(), int(0).into());
    let mut behind = program(
        vec![fill],
        vec![
            let_(byte, "x", input(byte)),
            Stmt::Declare(Type::Struct("data".into()), "d".into(), None),
            Stmt::Call("fill".into(), vec![Expr::Address(var("d").into()), var("x")]),
            when(
                bin(Binary::Eq, field, int(-255)).both(bin(Binary::Eq, var("seen"), int(2))),
                vec![error()],
            ),
        ],
    );
    behind.structs.push(data);
    behind.globals.push(assay_program::c::Global { ty: Scalar::Int.into(), name: "seen".into() });
    all.push(behind);
    // Floating-point numbers from integers: no byte is a fraction.
    for divisor in [2, 0] {
        let ratio =
            bin(Binary::Div, var("x").cast(Scalar::Float), int(divisor).cast(Scalar::Float));
        all.push(program(
            vec![],
            vec![
                let_(byte, "x", input(byte)),
                let_(Scalar::Float, "f", ratio),
                when(
                    bin(Binary::Below, var("f"), int(100)).negated(),
                    vec![
                        let_(Scalar::Int, "i", var("f").cast(Scalar::Int)),
                        when(bin(Binary::Lt, var("i"), int(100)), vec![error()]),
                    ],
                ),
            ],
        ));
    }
    all
}

/// A decision that agrees with all runs of a program; `None` if it is open.
fn agreed(unit: &Unit) -> Option<Decision> {
    let decision = decided(unit);
    let runs = run_all(unit, Limits::default(), 1 << 10);
    match (&decision, &runs) {
        (Decision::Open(_), _) | (_, Ok(Runs::TooMany)) => return None,
        (Decision::Safe(_), Ok(Runs::Quiet)) => {}
        // The first run that shows something need not be the same.
        (Decision::Reached(_) | Decision::Undefined(_), Ok(Runs::Reached(_)) | Err(_)) => {}
        _ => panic!("{decision}, but all runs come to {runs:?}: {}", print(unit, Layout::Full)),
    }
    Some(decision)
}

#[test]
fn decisions_agree_with_all_runs_of_mutants() {
    let (mut safe, mut decisions, mut tried) = (0, 0, 0);
    for (number, unit) in programs().into_iter().enumerate() {
        // Some edits of each, others of every program.
        for edit in edits(&unit).iter().skip(number % 7).step_by(7) {
            let Some(mutant) = edited(&unit, edit) else { continue };
            tried += 1;
            if let Some(decision) = agreed(&mutant) {
                decisions += 1;
                safe += usize::from(matches!(decision, Decision::Safe(_)));
            }
        }
    }
    assert!(safe > 10 && decisions * 2 > tried, "{safe} safe, {decisions} of {tried} decided");
}

#[test]
fn programs_with_a_known_truth_are_decided() {
    let all = programs();
    let truths: Vec<bool> =
        all.iter().map(|unit| matches!(decided(unit), Decision::Safe(_))).collect();
    let runs = all.iter().map(|unit| run_all(unit, Limits::default(), 1 << 10));
    let quiet: Vec<bool> = runs.map(|runs| runs == Ok(Runs::Quiet)).collect();
    assert_eq!(truths, quiet);
    assert!(truths.contains(&true) && truths.contains(&false));
}

#[test]
fn undefined_behaviour_is_never_safe() {
    let byte = Scalar::UChar;
    let read =
        |value: Expr| program(vec![], vec![let_(byte, "x", input(byte)), Stmt::Discard(value)]);
    let x = || var("x");
    let huge = int(i128::from(i32::MAX));
    for value in [
        bin(Binary::Div, int(1), x()),
        bin(Binary::Add, x(), huge.clone()),
        bin(Binary::Mul, x(), bin(Binary::Div, huge, int(9))),
        bin(Binary::Shl, int(1), x()),
        bin(Binary::Shr, bin(Binary::Sub, x(), int(9)), int(1)),
        bin(Binary::And, bin(Binary::Sub, x(), int(9)), int(1)),
        x().cast(Scalar::Char),
        bin(Binary::Mul, x(), int(1 << 24)).cast(Scalar::Short),
    ] {
        let unit = read(value);
        assert!(matches!(decided(&unit), Decision::Undefined(_)), "{:?}", decided(&unit));
        assert!(matches!(
            run_all(&unit, Limits::default(), 300),
            Err(Fault::Undefined(_) | Fault::Implementation(_))
        ));
    }
    // A variable that some runs do not assign, and an index that leaves its array in some.
    let unset = program(
        vec![],
        vec![
            Stmt::Declare(byte.into(), "y".into(), None),
            when(bin(Binary::Lt, input(byte), int(255)), vec![set("y", int(1))]),
            Stmt::Discard(var("y")),
        ],
    );
    let outside = program(
        vec![],
        vec![
            Stmt::Declare(Type::Array(Box::new(byte.into()), 255), "a".into(), None),
            Stmt::Assign(Expr::Index(var("a").into(), input(byte).into()), int(1)),
        ],
    );
    for unit in [unset, outside] {
        assert!(matches!(decided(&unit), Decision::Undefined(_)), "{:?}", decided(&unit));
    }
}

#[test]
fn loops_and_recursion_without_a_bound_are_not_decided() {
    let forever = program(
        vec![],
        vec![
            let_(Scalar::UInt, "n", input(Scalar::UChar)),
            Stmt::While(
                bin(Binary::Lt, var("n"), int(200)),
                vec![set("n", bin(Binary::Add, var("n"), int(1)))],
            ),
            when(bin(Binary::Gt, var("n"), int(255)), vec![error()]),
        ],
    );
    assert_eq!(decided(&forever), Decision::Open(Open::Unbounded));
    let endless = program(vec![], vec![Stmt::While(int(1), vec![Stmt::Discard(int(0))])]);
    assert_eq!(decided(&endless), Decision::Open(Open::Size));
    let again = function(
        "again",
        &[(Scalar::UChar.into(), "n")],
        None,
        vec![when(
            bin(Binary::Ne, var("n"), int(7)),
            vec![Stmt::Call("again".into(), vec![var("n")])],
        )],
    );
    let main = vec![Stmt::Call("again".into(), vec![input(Scalar::UChar)])];
    assert_eq!(decided(&program(vec![again], main)), Decision::Open(Open::Unbounded));
}

#[test]
fn safety_needs_two_solvers_of_different_families() {
    let safe = program(
        vec![],
        vec![
            let_(Scalar::UChar, "x", input(Scalar::UChar)),
            when(bin(Binary::Lt, var("x"), int(0)), vec![error()]),
        ],
    );
    assert!(matches!(decided(&safe), Decision::Safe(who) if who.len() == 2));
    let by = |names: &[&'static str]| decide(&safe, Limits::default(), &mut solvers(names));
    for names in [&[][..], &["z3@4.8.5"], &["z3@4.8.5", "z3@5.0:qf"], &["cvc4@1.8", "cvc5@1.2"]] {
        assert!(matches!(by(names), Decision::Open(Open::Solvers(_))), "{names:?}");
    }
    assert!(matches!(by(&["z3@5", "cvc4@1.8"]), Decision::Safe(_)));
}
