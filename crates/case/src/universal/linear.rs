//! Refutes linear constraints over integers and rational numbers by eliminating one variable after the
//! other (Fourier and Motzkin), with rounding where all variables are integers.
//!
//! Every new row is a sum of given rows with factors that keep its direction, so a row without
//! variables that is false refutes the given ones. Rows that overflow are left out, so at worst
//! less is refuted.

use assay_term::Budget;
use std::collections::BTreeMap;

/// How the sum of a row compares with zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Equal,
    AtMost,
    Below,
}

/// A linear sum with a constant, compared with zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) factors: BTreeMap<u32, i128>,
    pub(super) constant: i128,
    pub(super) relation: Relation,
}

/// The most rows at any time.
const MOST_ROWS: usize = 300;

/// The meaning of a row without a common divisor.
enum Said {
    Row(Row),
    Nothing,
    Falsity,
}

/// Whether no values of the variables satisfy all rows; `integers` tells which variables are integers.
pub(super) fn refuted(rows: &[Row], integers: &[bool], budget: &mut Budget) -> bool {
    let mut open: Vec<Row> = Vec::new();
    for row in rows {
        match normal(row.clone(), integers) {
            Said::Row(row) => open.push(row),
            Said::Nothing => {}
            Said::Falsity => return true,
        }
    }
    while let Some((variable, through)) = next(&open) {
        let (with, mut left): (Vec<Row>, Vec<Row>) =
            open.into_iter().partition(|row| row.factors.contains_key(&variable));
        let pairs: Vec<(&Row, &Row)> = match through {
            Some(equation) => {
                let others = with.iter().enumerate().filter(|(at, _)| *at != equation);
                others.map(|(_, row)| (&with[equation], row)).collect()
            }
            None => {
                let sign = |row: &&Row| row.factors[&variable] > 0;
                let (up, down): (Vec<&Row>, Vec<&Row>) = with.iter().partition(sign);
                up.iter().flat_map(|&a| down.iter().map(move |&b| (a, b))).collect()
            }
        };
        for (a, b) in pairs {
            if budget.spend(4 + (a.factors.len() + b.factors.len()) as u64).is_err() {
                return false;
            }
            match sum(a, b, variable).map(|row| normal(row, integers)) {
                Some(Said::Row(row)) if !left.contains(&row) => left.push(row),
                Some(Said::Falsity) => return true,
                _ => {}
            }
            if left.len() > MOST_ROWS {
                return false;
            }
        }
        open = left;
    }
    false
}

/// The variable to eliminate next, with the position, among the rows that have it, of the equation that
/// eliminates it, if there is one.
fn next(rows: &[Row]) -> Option<(u32, Option<usize>)> {
    let equations = rows.iter().filter(|row| row.relation == Relation::Equal);
    let best = equations
        .flat_map(|row| {
            row.factors.iter().map(move |(&variable, factor)| (factor.abs(), variable, row))
        })
        .min_by_key(|(factor, variable, _)| (*factor, *variable));
    if let Some((_, variable, equation)) = best {
        let mut with = rows.iter().filter(|row| row.factors.contains_key(&variable));
        return Some((variable, with.position(|row| std::ptr::eq(row, equation))));
    }
    let mut counts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (&variable, &factor) in rows.iter().flat_map(|row| &row.factors) {
        let count = counts.entry(variable).or_default();
        if factor > 0 { count.0 += 1 } else { count.1 += 1 }
    }
    let least = counts.into_iter().min_by_key(|(_, (up, down))| up * down);
    least.map(|(variable, _)| (variable, None))
}

/// A sum of two rows without the variable. If neither is an equation, their factors of it differ in
/// sign.
fn sum(a: &Row, b: &Row, variable: u32) -> Option<Row> {
    let (in_a, in_b) = (a.factors[&variable], b.factors[&variable]);
    // An equation may be taken with any factor, an inequality with a positive one.
    let (times_a, times_b) = match (a.relation, b.relation) {
        (Relation::Equal, _) => (in_b.checked_mul(-in_a.signum())?, in_a.abs()),
        (_, Relation::Equal) => (in_b.abs(), in_a.checked_mul(-in_b.signum())?),
        _ => (in_b.abs(), in_a.abs()),
    };
    let relation = match (a.relation, b.relation) {
        (Relation::Equal, other) | (other, Relation::Equal) => other,
        (Relation::Below, _) | (_, Relation::Below) => Relation::Below,
        _ => Relation::AtMost,
    };
    let mut factors = BTreeMap::new();
    for (row, times) in [(a, times_a), (b, times_b)] {
        for (&variable, &factor) in &row.factors {
            let total: &mut i128 = factors.entry(variable).or_default();
            *total = small(total.checked_add(factor.checked_mul(times)?)?)?;
        }
    }
    factors.retain(|_, factor| *factor != 0);
    let constant =
        a.constant.checked_mul(times_a)?.checked_add(b.constant.checked_mul(times_b)?)?;
    Some(Row { factors, constant: small(constant)?, relation })
}

/// The row divided by the common divisor of its factors, rounded if all its variables are integers.
fn normal(mut row: Row, integers: &[bool]) -> Said {
    let divisor = row.factors.values().fold(0, |a, &b| common(a, b));
    if divisor == 0 {
        let holds = match row.relation {
            Relation::Equal => row.constant == 0,
            Relation::AtMost => row.constant <= 0,
            Relation::Below => row.constant < 0,
        };
        return if holds { Said::Nothing } else { Said::Falsity };
    }
    let whole = row.factors.keys().all(|&variable| integers[variable as usize]);
    if whole {
        if row.relation == Relation::Below {
            let Some(constant) = row.constant.checked_add(1) else { return Said::Nothing };
            row = Row { constant, relation: Relation::AtMost, ..row };
        }
        match row.relation {
            Relation::Equal if row.constant % divisor != 0 => return Said::Falsity,
            // The sum is at most the negated constant, rounded down.
            _ => row.constant = -(-row.constant).div_euclid(divisor),
        }
        row.factors.values_mut().for_each(|factor| *factor /= divisor);
    } else {
        let divisor = common(divisor, row.constant);
        row.factors.values_mut().for_each(|factor| *factor /= divisor);
        row.constant /= divisor;
    }
    Said::Row(row)
}

/// The number, if it can be negated and compared without overflow.
pub(super) fn small(number: i128) -> Option<i128> {
    (number.unsigned_abs() < 1 << 120).then_some(number)
}

/// The greatest common divisor.
pub(super) fn common(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(factors: &[i128], constant: i128, relation: Relation) -> Row {
        let nonzero = (0..).zip(factors.iter().copied()).filter(|(_, factor)| *factor != 0);
        Row { factors: nonzero.collect(), constant, relation }
    }

    fn holds(row: &Row, values: &[i128]) -> bool {
        let sum: i128 = row.factors.iter().map(|(&v, f)| f * values[v as usize]).sum();
        match row.relation {
            Relation::Equal => sum + row.constant == 0,
            Relation::AtMost => sum + row.constant <= 0,
            Relation::Below => sum + row.constant < 0,
        }
    }

    #[test]
    fn refuted_systems_have_no_small_solution() {
        let mut state = 1_u64;
        let mut draw = |bound: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let relations = [Relation::Equal, Relation::AtMost, Relation::Below];
        let (mut refutations, mut missed) = (0, 0);
        for _ in 0..4_000 {
            let rows: Vec<Row> = (0..2 + draw(4))
                .map(|_| {
                    let factors: Vec<i128> = (0..3).map(|_| i128::from(draw(7)) - 3).collect();
                    let constant = i128::from(draw(21)) - 10;
                    row(&factors, constant, relations[draw(3) as usize])
                })
                .collect();
            let mut points = (0..9_i128.pow(3)).map(|n| [n % 9 - 4, n / 9 % 9 - 4, n / 81 - 4]);
            let solved = points.any(|point| rows.iter().all(|row| holds(row, &point)));
            let refuted = refuted(&rows, &[true; 3], &mut Budget::default());
            assert!(!(solved && refuted), "{rows:?}");
            refutations += usize::from(refuted);
            missed += usize::from(!solved && !refuted);
        }
        assert!(refutations > 500, "{refutations} refuted, {missed} not");
    }

    #[test]
    fn only_integers_are_rounded() {
        // 2x = 1, and 0 < x < 1.
        let half = [row(&[2], -1, Relation::Equal)];
        let between = [row(&[1], -1, Relation::Below), row(&[-1], 0, Relation::Below)];
        for rows in [&half[..], &between[..]] {
            assert!(refuted(rows, &[true], &mut Budget::default()));
            assert!(!refuted(rows, &[false], &mut Budget::default()));
        }
    }
}
