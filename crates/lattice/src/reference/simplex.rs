//! Linear programs over rational numbers, by the simplex method with Bland's rule: it never cycles,
//! and nothing is rounded.

use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// Equations over nonnegative unknowns. The last column of a row is its right-hand side.
pub(super) struct Program {
    rows: Vec<Vec<BigRational>>,
    /// The basic unknown of a row; a row without one has an artificial unknown.
    basis: Vec<Option<usize>>,
    unknowns: usize,
}

impl Program {
    /// A problem with this many unknowns and no constraints.
    pub(super) fn new(unknowns: usize) -> Program {
        Program { rows: Vec::new(), basis: Vec::new(), unknowns }
    }

    /// Requires that a sum has a value.
    pub(super) fn demand(
        &mut self,
        terms: impl IntoIterator<Item = (usize, BigRational)>,
        value: BigRational,
    ) {
        let mut row = vec![BigRational::zero(); self.unknowns + 1];
        let negative = value.is_negative();
        for (unknown, factor) in terms {
            row[unknown] += if negative { -factor } else { factor };
        }
        row[self.unknowns] = value.abs();
        self.rows.push(row);
        self.basis.push(None);
    }

    /// Whether there is a solution: minimizes the sum of artificial unknowns to zero.
    pub(super) fn has_solution(&mut self) -> bool {
        loop {
            let gain = |column: usize| -> BigRational {
                let artificial = self.rows.iter().zip(&self.basis).filter(|(_, b)| b.is_none());
                artificial.map(|(row, _)| &row[column]).sum()
            };
            if gain(self.unknowns).is_zero() {
                return true;
            }
            let enter = (0..self.unknowns).find(|column| gain(*column).is_positive());
            if !enter.is_some_and(|enter| self.enter(enter)) {
                return false;
            }
        }
    }

    /// The largest value of a sum; `None` if there is no solution. Solutions must be bounded.
    pub(super) fn greatest(mut self, sum: &[BigRational]) -> Option<BigRational> {
        if !self.has_solution() {
            return None;
        }
        self.drop_artificial();
        let factor = |unknown: usize| sum.get(unknown).cloned().unwrap_or_else(BigRational::zero);
        loop {
            let basic = |column: usize| -> BigRational {
                let known = self.rows.iter().zip(&self.basis);
                known.filter_map(|(row, basic)| Some(factor((*basic)?) * &row[column])).sum()
            };
            let enter =
                (0..self.unknowns).find(|column| (factor(*column) - basic(*column)).is_positive());
            let Some(enter) = enter else { return Some(basic(self.unknowns)) };
            assert!(self.enter(enter), "solutions are bounded");
        }
    }

    /// Rows whose artificial unknown is zero get another basic unknown, or are redundant.
    fn drop_artificial(&mut self) {
        let mut at = 0;
        while at < self.rows.len() {
            let other = || (0..self.unknowns).find(|column| !self.rows[at][*column].is_zero());
            match self.basis[at] {
                Some(_) => at += 1,
                None => match other() {
                    Some(column) => self.pivot(at, column),
                    None => {
                        self.rows.remove(at);
                        self.basis.remove(at);
                    }
                },
            }
        }
    }

    /// Increases an unknown as far as possible; returns whether it is bounded.
    fn enter(&mut self, enter: usize) -> bool {
        let growing = self.rows.iter().enumerate().filter(|(_, row)| row[enter].is_positive());
        let ends = growing.map(|(at, row)| (&row[self.unknowns] / &row[enter], self.basis[at], at));
        let first = ends.min();
        first.inspect(|(_, _, leave)| self.pivot(*leave, enter)).is_some()
    }

    fn pivot(&mut self, leave: usize, enter: usize) {
        let by = self.rows[leave][enter].clone();
        self.rows[leave].iter_mut().for_each(|part| *part = &*part / &by);
        let pivoted = self.rows[leave].clone();
        for (_, row) in self.rows.iter_mut().enumerate().filter(|(at, _)| *at != leave) {
            let factor = row[enter].clone();
            if !factor.is_zero() {
                row.iter_mut().zip(&pivoted).for_each(|(part, by)| *part -= by * &factor);
            }
        }
        self.basis[leave] = Some(enter);
    }
}

#[cfg(test)]
mod tests {
    use super::super::whole;
    use super::*;

    /// Requires that `a·x + b·y + slack` has a value, for each row.
    fn program(rows: &[(i64, i64, i64)]) -> Program {
        let mut program = Program::new(2 + rows.len());
        for (at, (a, b, value)) in rows.iter().enumerate() {
            let terms = [(0, whole(*a)), (1, whole(*b)), (2 + at, whole(1))];
            program.demand(terms, whole(*value));
        }
        program
    }

    #[test]
    fn the_greatest_value_is_at_a_corner() {
        // x + y <= 4, x <= 3, y <= 2
        let rows = [(1, 1, 4), (1, 0, 3), (0, 1, 2)];
        let greatest = |a, b| program(&rows).greatest(&[whole(a), whole(b)]);
        assert_eq!(greatest(1, 1), Some(whole(4)));
        assert_eq!(greatest(2, 1), Some(whole(7)));
        assert_eq!(greatest(-1, 3), Some(whole(6)));
        assert_eq!(greatest(-1, -1), Some(whole(0)));
    }

    #[test]
    fn contradicting_constraints_have_no_solution() {
        // -x - y <= -5 is x + y >= 5.
        assert!(!program(&[(1, 1, 4), (-1, -1, -5)]).has_solution());
        assert_eq!(program(&[(1, 1, 4), (-1, -1, -5)]).greatest(&[]), None);
        let tight = program(&[(1, 1, 4), (-1, -1, -4), (1, 0, 1)]).greatest(&[whole(1), whole(2)]);
        assert_eq!(tight, Some(whole(8)));
    }

    #[test]
    fn a_repeated_constraint_counts_once() {
        let mut program = Program::new(2);
        for _ in 0..2 {
            program.demand([(0, whole(2)), (1, whole(1))], whole(6));
        }
        assert_eq!(program.greatest(&[whole(1)]), Some(whole(3)));
    }
}
