//! Decides whether a program can reach its error, bit by bit: all runs become one formula, which solvers
//! are asked about.
//!
//! The formula says that a run reaches the error, does something that C does not define, or goes beyond the
//! bounds to which loops and calls were followed. Two solvers of different families must call it unsat. A
//! model is executed by the interpreter, which alone says what it shows. Everything else is left open.

mod machine;
mod numbers;
mod terms;

use crate::c::{self, End, Fault, Limits, Scalar, Unit, float};
use assay_case::{Answer, Consult, Formula, Question};
use assay_smtlib::{Command, Script};
use assay_term::{Evaluator, FuncId, Model, Store, TermId, Value};
use machine::Machine;
use std::fmt;

/// What is known of all runs of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// No run reaches the error, and every run is defined: these solvers agree.
    Safe(Vec<String>),
    /// A run on these inputs reaches the error.
    Reached(Vec<(Scalar, i128)>),
    /// A run does something that C does not define.
    Undefined(Fault),
    /// Not decided.
    Open(Open),
}

/// Why nothing is decided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Open {
    /// It takes too many steps, or its formula is too large.
    #[error("not decided: the program is too large to be followed on all inputs")]
    Size,
    /// A loop or recursion exceeds its bound.
    #[error("not decided: a loop or recursion may exceed the bound to which it is followed")]
    Unbounded,
    /// Fewer than two solvers of different families answer.
    #[error("not decided: it takes two solvers of different families, and {0}")]
    Solvers(String),
    /// Something else that is not followed.
    #[error("not decided: {0}")]
    Other(String),
}

impl Open {
    fn other(words: &str) -> Open {
        Open::Other(words.to_owned())
    }
}

/// The stack of a run on all inputs: its calls are calls here.
const STACK: usize = 256 << 20;

/// Decides whether a program can reach its error.
///
/// # Panics
/// If the system has no thread for it.
pub fn decide(unit: &Unit, limits: Limits, solvers: &mut [Box<dyn Consult + Send>]) -> Decision {
    let question = std::thread::scope(|scope| {
        let deep = std::thread::Builder::new().stack_size(STACK);
        let followed = deep.spawn_scoped(scope, || Runs::of(unit, limits));
        followed.expect("there is a thread").join().expect("following a program does not panic")
    });
    match question {
        Ok(runs) => runs.decide(unit, limits, solvers),
        Err(open) => Decision::Open(open),
    }
}

/// All runs of a program as a formula.
struct Runs {
    formula: Formula,
    /// The inputs in the order in which they are read: their values, and the conditions of being read.
    inputs: Vec<(Scalar, TermId, TermId)>,
}

impl Runs {
    fn of(unit: &Unit, limits: Limits) -> Result<Runs, Open> {
        let mut machine = Machine::follow(unit, limits)?;
        let bad = [&machine.reached[..], &machine.undefined, &machine.beyond].concat();
        let bad = machine.terms.any(&bad)?;
        let mut script = Script::default();
        let store: &Store = &machine.terms.store;
        let mut declared: Vec<FuncId> = Vec::new();
        for term in store.postorder(&[&[bad][..], &machine.facts].concat()) {
            if let assay_term::Term::App(func, []) = store.get(term) {
                if matches!(store.func(func), assay_term::Func::Declared { .. }) {
                    declared.push(func);
                }
            }
        }
        // An input that the formula does not mention has any value.
        declared.extend(machine.inputs.iter().map(|input| input.func));
        declared.sort_unstable();
        declared.dedup();
        declared.into_iter().for_each(|func| script.push(Command::DeclareConst(func), 0));
        machine.facts.iter().for_each(|&fact| script.push(Command::Assert(fact), 0));
        script.push(Command::Assert(bad), 0);
        script.push(Command::CheckSat, 0);
        let inputs = machine.inputs.iter().map(|input| (input.scalar, input.term, input.read));
        let inputs = inputs.collect();
        let formula = Formula::from_script(machine.terms.store, &script);
        let formula = formula.map_err(|error| Open::Other(error.to_string()))?;
        Ok(Runs { formula, inputs })
    }

    fn decide(
        mut self,
        unit: &Unit,
        limits: Limits,
        solvers: &mut [Box<dyn Consult + Send>],
    ) -> Decision {
        let mut agreed: Vec<String> = Vec::new();
        let mut said = Vec::new();
        for solver in solvers {
            let consultation = solver.ask(&self.formula, Question::Model);
            said.push(format!("{} says {}", consultation.who, consultation.answer));
            match consultation.answer {
                Answer::Unsat => {
                    let family = family(&consultation.who);
                    if agreed.iter().all(|known| self::family(known) != family) {
                        agreed.push(consultation.who);
                    }
                    if agreed.len() == 2 {
                        return Decision::Safe(agreed);
                    }
                }
                Answer::Sat => {
                    return match consultation.checked_model(&mut self.formula) {
                        Ok(model) => self.executed(unit, limits, &model),
                        Err(error) => Decision::Open(Open::Other(error.to_string())),
                    };
                }
                _ => {}
            }
        }
        let said = if said.is_empty() { "there is none".to_owned() } else { said.join(", ") };
        Decision::Open(Open::Solvers(said))
    }

    /// What a run on the inputs of a model shows.
    fn executed(&self, unit: &Unit, limits: Limits, model: &Model) -> Decision {
        let mut evaluator = Evaluator::new(self.formula.store(), model).completing();
        let mut inputs = Vec::new();
        for &(scalar, term, read) in &self.inputs {
            match evaluator.eval(read) {
                Ok(Value::Bool(false)) => continue,
                Ok(Value::Bool(true)) => {}
                _ => return Decision::Open(Open::other("a model that cannot be evaluated")),
            }
            match evaluator.eval(term).ok().as_ref().and_then(input) {
                Some(value) => inputs.push((scalar, value)),
                None => return Decision::Open(Open::other("a model that cannot be read")),
            }
        }
        let mut values = inputs.iter().map(|&(_, value)| value);
        let mut feed = |_: Scalar, _: u32| values.next().unwrap_or(0);
        match c::run(unit, &mut feed, limits) {
            Ok(run) if run.end == End::Reached => Decision::Reached(run.inputs),
            Ok(_) | Err(Fault::Endless) => Decision::Open(Open::Unbounded),
            Err(fault @ (Fault::Undefined(_) | Fault::Implementation(_))) => {
                Decision::Undefined(fault)
            }
            Err(fault @ Fault::Malformed(_)) => Decision::Open(Open::Other(fault.to_string())),
        }
    }
}

/// A value as the interpreter keeps it.
fn input(value: &Value) -> Option<i128> {
    match value {
        Value::BitVec(bits) => crate::lower::wide_value(bits).map(|value| value as i128),
        Value::Float(number) => Some(float::encoded(number)),
        _ => None,
    }
}

/// What versions and variants of a solver share. cvc5 is cvc4's successor.
fn family(name: &str) -> &str {
    let own = name.split(['@', ':', ' ']).next().unwrap_or(name);
    if own.starts_with("cvc") { "cvc" } else { own }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Safe(who) => write!(f, "no run reaches the error: {}", who.join(" and ")),
            Decision::Reached(inputs) => {
                write!(f, "a run with {} inputs reaches the error", inputs.len())
            }
            Decision::Undefined(fault) => write!(f, "{fault}"),
            Decision::Open(open) => write!(f, "{open}"),
        }
    }
}
