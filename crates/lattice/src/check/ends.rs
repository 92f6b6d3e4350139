//! Compares a domain's results on small boxes with arithmetic.

use super::{Found, Trial};
use crate::boxes::{Best, best, ends, watched};
use crate::domain::{Domain, Truth, loses};
use crate::law::BoxOperation;
use crate::linear::{Constraint, Linear};
use crate::program::Check;

impl<D: Domain> Trial<'_, D> {
    fn after(&self, check: &Check, operation: BoxOperation) -> D::Element {
        let (domain, x) = (self.domain, self.operand(0));
        match operation {
            BoxOperation::Assign => domain.assign(x, check.variable, &check.sum),
            BoxOperation::Join => self.join(x, self.operand(1)),
            BoxOperation::Meet => domain.meet(x, self.operand(1)),
            BoxOperation::Guard => domain.guard(x, &check.constraint),
            BoxOperation::Project => domain.project(x, check.variable),
        }
    }

    /// Whether no variable has wider bounds than necessary.
    pub(super) fn has_best_bounds(&self, check: &Check, operation: BoxOperation) -> Found {
        let Some(best) = best(operation, self.case, check) else { return Found::vacuous() };
        let after = self.after(check, operation);
        match best {
            Best::Empty if self.domain.is_bottom(&after) == Truth::No => Found::broken(format!(
                "expected an empty element, got {}",
                self.domain.show(&after)
            )),
            Best::Empty => Found::of(true),
            Best::Within(bounds) => {
                let asked = watched(operation, self.case, check).into_iter();
                let mut found = asked.filter_map(|at| self.goes_beyond(&after, at, bounds[at]?));
                found.next().map_or(Found::of(true), Found::broken)
            }
        }
    }

    /// Where a variable exceeds these bounds in an element.
    fn goes_beyond(
        &self,
        element: &D::Element,
        variable: usize,
        (low, high): (i128, i128),
    ) -> Option<String> {
        let beyond = [(1, -high - 1, high), (-1, low - 1, low)];
        beyond.into_iter().find_map(|(sign, constant, end)| {
            let sum = Linear::of(self.case.dimensions, &[(variable, sign)], constant);
            let rest = self.domain.guard(element, &Constraint::at_least(sum));
            let goes = self.domain.is_bottom(&rest) == Truth::No;
            goes.then(|| format!("x{variable} goes beyond {end}: {}", self.domain.show(element)))
        })
    }

    /// Whether every variable still has its smallest and its largest value.
    pub(super) fn loses_no_end(&self, check: &Check, operation: BoxOperation) -> Found {
        let Some(ends) = ends(operation, self.case, check) else { return Found::vacuous() };
        let after = self.after(check, operation);
        let asked = watched(operation, self.case, check).into_iter();
        let mut values = asked.flat_map(|at| [(at, ends[at].0), (at, ends[at].1)]);
        let lost = values.find(|(variable, value)| {
            loses(self.domain, &after, self.case.dimensions, *variable, *value)
        });
        match lost {
            Some((variable, value)) => {
                let shown = self.domain.show(&after);
                Found::broken(format!("x{variable} = {value} is lost: {shown}"))
            }
            None => Found::of(true),
        }
    }
}
