//! Turns any suite's cases into scripts that ask several questions: with levels, a contradiction
//! that is popped, and an assumption. The verdict of each question follows from the case's truth.
//!
//! Only two facts are used: a part of a satisfiable formula is satisfiable, and an assertion
//! together with its negation is unsatisfiable.

use crate::answer::Expected;
use crate::check::check_model;
use crate::formula::Formula;
use crate::oracle::{Grade, Oracle, Witness};
use crate::subject::FormulaTest;
use crate::suite::{CaseId, Category, MakeError, Selection, Suite};
use crate::test_case::TestCase;
use assay_smtlib::{Command, Plain, Printer, STANDARD, print_model};
use assay_term::{Store, Term, TermId};

/// A suite whose cases ask several questions.
pub struct Incremental(pub Box<dyn Suite>);

impl Suite for Incremental {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn categories(&self) -> Vec<Category> {
        self.0.categories()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        self.0.cases(selection)
    }

    fn round(&self, id: CaseId) -> u64 {
        self.0.round(id)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        split(&self.0.make(id)?, id.index)
    }
}

/// The case as a script of several questions; the number determines where it is divided.
///
/// # Errors
/// Fails if the case has scopes, objectives or questions of its own, or asserts nothing.
fn split(case: &TestCase, number: u128) -> Result<TestCase, MakeError> {
    let unsuitable = |words: &str| MakeError::Unsuitable(words.to_owned());
    let test = case.as_formula().ok_or_else(|| unsuitable("it is not a formula"))?;
    let formula = test.formula();
    let mut commands = Vec::new();
    for command in &formula.script().commands {
        match command {
            Command::CheckSat | Command::Echo(_) | Command::GetValue(_) => {}
            Command::Plain(Plain::Reset | Plain::ResetAssertions) => {
                return Err(unsuitable("it pops assertions itself"));
            }
            Command::Plain(_) => {}
            Command::Push(_) | Command::Pop(_) | Command::CheckSatAssuming(_) => {
                return Err(unsuitable("it has levels or assumptions of its own"));
            }
            Command::AssertSoft { .. } | Command::Minimize(..) | Command::Maximize(..) => {
                return Err(unsuitable("it has objectives"));
            }
            kept => commands.push(kept),
        }
    }
    if formula.checks() > 1 {
        return Err(unsuitable("it asks several questions itself"));
    }
    let asserted: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
    if asserted.is_empty() {
        return Err(unsuitable("it asserts nothing"));
    }
    let parts = asserted.len() as u128;
    let first = 1 + (number % parts) as usize;
    let denied = (number / parts % first as u128) as usize;
    let assumed = (number / parts % parts) as usize;
    let script = Plan { formula, commands, asserted, first, denied, assumed }.write(test.oracle());
    let fault = |words: String| MakeError::fault(format!("{}: {words}", case.name()));
    let formula = Formula::read(script.text.as_str())
        .map_err(|error| fault(format!("does not read back: {error}")))?;
    Ok(case.with_test(rebuilt(test, formula, &script, &fault)?))
}

/// The positions of the parts.
struct Plan<'p> {
    formula: &'p Formula,
    commands: Vec<&'p Command>,
    asserted: Vec<TermId>,
    /// The number of assertions before the first question.
    first: usize,
    /// The assertion that is temporarily negated.
    denied: usize,
    /// The assertion that an assumption negates.
    assumed: usize,
}

struct Written {
    text: String,
    /// The constant that guards the assumption.
    guard: String,
    steps: Vec<Expected>,
}

impl Plan<'_> {
    fn write(&self, oracle: &Oracle) -> Written {
        let store = self.formula.store();
        let printer = Printer::new(store);
        // The verdicts known about the whole, and about a part of it.
        let (whole, part) = match oracle {
            Oracle::Sat(_) => (Expected::Sat, Expected::Sat),
            Oracle::Unsat { .. } => (Expected::Unsat, Expected::Open),
            Oracle::Optimum { .. } | Oracle::Open => (Expected::Open, Expected::Open),
        };
        let beginning = if self.first == self.asserted.len() { whole } else { part };
        let guard = fresh(store);
        let mut steps = Vec::new();
        let mut text = String::new();
        let mut seen = 0;
        for command in &self.commands {
            text += &printer.command(command);
            text.push('\n');
            seen += usize::from(matches!(command, Command::Assert(_)));
            if seen == self.first && matches!(command, Command::Assert(_)) {
                let denial = denial(&printer, store, self.asserted[self.denied]);
                text += &format!(
                    "(check-sat)\n(push 1)\n(assert {denial})\n(check-sat)\n(pop 1)\n(check-sat)\n(push 1)\n"
                );
                steps.extend([beginning, Expected::Unsat, beginning]);
            }
        }
        let denial = denial(&printer, store, self.asserted[self.assumed]);
        text += &format!(
            "(declare-const {guard} Bool)\n(assert (=> {guard} {denial}))\n\
             (check-sat-assuming ({guard}))\n(check-sat)\n"
        );
        steps.extend([Expected::Unsat, whole]);
        Written { text, guard, steps }
    }
}

/// The negation of an assertion. If it contains names, which cannot be given twice, `false` serves.
fn denial(printer: &Printer<'_>, store: &Store, mut term: TermId) -> String {
    while let Term::Annotated(inner, _) = store.get(term) {
        term = inner;
    }
    let text = printer.term(term);
    if text.contains(":named") { "false".to_owned() } else { format!("(not {text})") }
}

/// A name that the formula does not use.
fn fresh(store: &Store) -> String {
    let mut name = "assumed".to_owned();
    while store.symbols.get(&name).is_some() {
        name.push('_');
    }
    name
}

/// The test over the script, with the same truth.
fn rebuilt(
    test: &FormulaTest,
    mut formula: Formula,
    script: &Written,
    fault: &dyn Fn(String) -> MakeError,
) -> Result<FormulaTest, MakeError> {
    let oracle = match test.oracle() {
        Oracle::Sat(Witness::Checked(model)) => {
            let printed = print_model(&mut test.formula().store().clone(), model, STANDARD);
            let body = printed.trim_end().strip_suffix(')').unwrap_or(&printed);
            let text = format!("{body}  (define-fun {} () Bool false)\n)", script.guard);
            let model = formula.read_model(&text).map_err(|error| fault(error.to_string()))?;
            match check_model(&formula, model) {
                Ok(model) => Oracle::Sat(Witness::Checked(model)),
                // Some values cannot be printed and read back.
                Err(_) => return Err(MakeError::Unsuitable("its model cannot be written".into())),
            }
        }
        // The minimal core was known for one question, not for a session.
        Oracle::Unsat { why, .. } => Oracle::Unsat { why: why.clone(), core: None },
        other => other.clone(),
    };
    // If no truth is known, only what follows from logic alone is expected.
    let grade = oracle.grade().unwrap_or(Grade::Certified);
    FormulaTest::new(formula, oracle)
        .and_then(|test| test.with_steps(script.steps.clone(), grade))
        .map_err(|error| fault(error.to_string()))
}
