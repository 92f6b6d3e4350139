//! A single operation: arguments and result are variables, so any arguments are a witness.

use super::Space;
use crate::equation::Equation;
use crate::space::constants::assign;
use crate::theory::Theory;

/// The one case of an operation.
pub(super) struct Single(pub(super) usize);

impl Space for Single {
    fn size(&self) -> u128 {
        1
    }

    fn contains(&self, theory: &Theory, number: u128) -> bool {
        number == 0 && self.equation(theory, 0).is_some()
    }

    fn equation(&self, theory: &Theory, _: u128) -> Option<Equation> {
        let operation = &theory.operations[self.0];
        let equation = assign(theory, operation, |_| true, operation.first(theory)?)?;
        // If nothing may vary, this would be a constant assignment.
        (!equation.variables.is_empty()).then_some(equation)
    }
}
