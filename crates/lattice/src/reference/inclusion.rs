//! Inclusion of zonotopes, each intersected with a range for every variable.
//!
//! A zonotope of rank `r` is bounded by pairs of parallel sides, each along `r - 1` of its noise
//! symbols. One is included in another if it exceeds no side and no range of the other. Its extent in a
//! direction is a sum if no range cuts it, otherwise the optimum of a linear program. If there are too
//! many sides to check, the answer is [`Truth::Unsure`].

use super::simplex::Program;
use super::whole;
use crate::domain::Truth;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// The smallest and the largest value, if they exist.
pub(super) type Bounds = (Option<BigRational>, Option<BigRational>);

/// A variable as a center and a factor for each noise symbol, and its range.
pub(super) struct Axis {
    /// None if the variable is unbounded on one side or on both.
    pub form: Option<(BigRational, Vec<BigRational>)>,
    /// The range that cuts the form.
    pub range: Bounds,
}

/// Variables over this many noise symbols, each from -1 to 1.
pub(super) struct Cut {
    pub axes: Vec<Axis>,
    pub symbols: usize,
}

/// Maximum number of pairs of sides, and of symbols if ranges cut.
const SIDES: usize = 100;
const SYMBOLS: usize = 24;

/// A vector with a coordinate for each variable.
type Direction = Vec<BigRational>;

impl Cut {
    /// Whether some range cuts a form.
    fn is_cut(&self) -> bool {
        self.axes.iter().any(|axis| axis.cuts().into_iter().any(|cut| cut.is_some()))
    }

    /// The values of the symbols, each as a number from 0 to 2, that give points within the ranges.
    fn program(&self) -> Program {
        let cuts: Vec<_> =
            self.axes.iter().flat_map(|axis| axis.cuts().into_iter().flatten()).collect();
        let mut program = Program::new(2 * self.symbols + cuts.len());
        for symbol in 0..self.symbols {
            program.demand([(symbol, whole(1)), (self.symbols + symbol, whole(1))], whole(2));
        }
        for (at, (noise, room)) in cuts.into_iter().enumerate() {
            let shifted = noise.iter().sum::<BigRational>() + room;
            let slack = (2 * self.symbols + at, whole(1));
            program.demand(noise.into_iter().enumerate().chain([slack]), shifted);
        }
        program
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> Truth {
        match () {
            () if !self.is_cut() => Truth::No,
            () if self.symbols > SYMBOLS => Truth::Unsure,
            () => (!self.program().has_solution()).into(),
        }
    }

    /// Its extent in a direction; `None` if it is empty. Every variable must have a form.
    fn reach(&self, direction: &[BigRational]) -> Option<BigRational> {
        let (centre, noise) = self.along(direction);
        if !self.is_cut() {
            return Some(centre + noise.iter().map(Signed::abs).sum::<BigRational>());
        }
        let least = centre - noise.iter().sum::<BigRational>();
        Some(least + self.program().greatest(&noise)?)
    }

    /// The sum of variables for a direction, as a form.
    fn along(&self, direction: &[BigRational]) -> (BigRational, Vec<BigRational>) {
        let mut sum = (BigRational::zero(), vec![BigRational::zero(); self.symbols]);
        for (axis, factor) in self.axes.iter().zip(direction).filter(|(_, f)| !f.is_zero()) {
            let Some((centre, noise)) = &axis.form else { continue };
            sum.0 += centre * factor;
            sum.1.iter_mut().zip(noise).for_each(|(total, part)| *total += part * factor);
        }
        sum
    }

    /// The normals of its sides and flat directions; `None` if there are too many.
    fn normals(&self) -> Option<Vec<Direction>> {
        let formed: Vec<usize> =
            (0..self.axes.len()).filter(|at| self.axes[*at].form.is_some()).collect();
        let factor = |at: usize, symbol: usize| {
            let form = self.axes[at].form.as_ref().expect("it is one of those with a form");
            form.1[symbol].clone()
        };
        let mut generators: Vec<Direction> = (0..self.symbols)
            .map(|symbol| scaled(formed.iter().map(|at| factor(*at, symbol)).collect()))
            .filter(|generator| generator.iter().any(|part| !part.is_zero()))
            .collect();
        generators.sort();
        generators.dedup();
        let flat = orthogonal(&generators, formed.len());
        let rank = formed.len() - flat.len();
        let mut normals = flat.clone();
        if rank > 0 {
            if binomial(generators.len(), rank - 1) > SIDES {
                return None;
            }
            for chosen in choices(generators.len(), rank - 1) {
                let along = chosen.into_iter().map(|at| generators[at].clone());
                let rows: Vec<Direction> = along.chain(flat.iter().cloned()).collect();
                // Symbols that are coplanar with others add no side.
                if let [normal] = &orthogonal(&rows, formed.len())[..] {
                    normals.push(scaled(normal.clone()));
                }
            }
        }
        normals.sort();
        normals.dedup();
        let spread = |normal: Direction| {
            let mut all = vec![BigRational::zero(); self.axes.len()];
            formed.iter().zip(normal).for_each(|(at, part)| all[*at] = part);
            all
        };
        Some(normals.into_iter().map(spread).collect())
    }
}

impl Axis {
    /// The forms that a range restricts, each with the allowed interval.
    fn cuts(&self) -> [Option<(Vec<BigRational>, BigRational)>; 2] {
        let Some((centre, noise)) = &self.form else { return [None, None] };
        let radius: BigRational = noise.iter().map(Signed::abs).sum();
        let above = self.range.1.as_ref().map(|high| (noise.clone(), high - centre));
        let below = self.range.0.as_ref();
        let below = below.map(|low| (noise.iter().map(|part| -part).collect(), centre - low));
        [above, below].map(|cut| cut.filter(|(_, room)| *room < radius))
    }
}

/// Whether the left, which is not empty and has a form for each variable, is included in the
/// right.
pub(super) fn within(left: &Cut, right: &Cut) -> Truth {
    if left.is_cut() && left.symbols > SYMBOLS {
        return Truth::Unsure;
    }
    let beyond = |direction: &[BigRational], most: &BigRational| {
        left.reach(direction).is_some_and(|reach| reach > *most)
    };
    for (at, axis) in right.axes.iter().enumerate() {
        let unit = |sign: i64| -> Direction {
            let part = |other| whole(if other == at { sign } else { 0 });
            (0..right.axes.len()).map(part).collect()
        };
        let (low, high) = &axis.range;
        if high.as_ref().is_some_and(|high| beyond(&unit(1), high))
            || low.as_ref().is_some_and(|low| beyond(&unit(-1), &-low))
        {
            return Truth::No;
        }
    }
    let Some(normals) = right.normals() else { return Truth::Unsure };
    for normal in normals {
        let opposite: Direction = normal.iter().map(|part| -part).collect();
        let (centre, noise) = right.along(&normal);
        let radius = noise.iter().map(Signed::abs).sum::<BigRational>();
        if beyond(&normal, &(&centre + &radius)) || beyond(&opposite, &(radius - centre)) {
            return Truth::No;
        }
    }
    Truth::Yes
}

/// The same direction, or the opposite one, normalized so that its first nonzero part is 1.
fn scaled(mut direction: Direction) -> Direction {
    if let Some(first) = direction.iter().find(|part| !part.is_zero()).cloned() {
        direction.iter_mut().for_each(|part| *part = &*part / &first);
    }
    direction
}

/// A basis of the directions that are orthogonal to all of these.
fn orthogonal(rows: &[Direction], size: usize) -> Vec<Direction> {
    let mut rows = rows.to_vec();
    // The column of each row that has a 1 where the other rows have 0.
    let mut leading: Vec<usize> = Vec::new();
    for column in 0..size {
        let done = leading.len();
        let Some(at) = (done..rows.len()).find(|at| !rows[*at][column].is_zero()) else { continue };
        rows.swap(done, at);
        let by = rows[done][column].clone();
        rows[done].iter_mut().for_each(|part| *part = &*part / &by);
        let pivot = rows[done].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != done) {
            let factor = row[column].clone();
            row.iter_mut().zip(&pivot).for_each(|(part, by)| *part -= by * &factor);
        }
        leading.push(column);
    }
    let free = (0..size).filter(|column| !leading.contains(column));
    let direction = |column: usize| {
        let mut direction = vec![BigRational::zero(); size];
        direction[column] = whole(1);
        for (row, lead) in rows.iter().zip(&leading) {
            direction[*lead] = -&row[column];
        }
        direction
    };
    free.map(direction).collect()
}

/// The number of combinations of this many items, up to the limit.
fn binomial(of: usize, chosen: usize) -> usize {
    let step = |count: usize, at: usize| (count * (of - at) / (at + 1)).min(100 * SIDES);
    if chosen > of { 0 } else { (0..chosen.min(of - chosen)).fold(1, step) }
}

/// Every combination of this many items.
fn choices(of: usize, chosen: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for place in 0..chosen {
        let longer = |choice: &Vec<usize>| {
            let choice = choice.clone();
            let first = choice.last().map_or(0, |last| last + 1);
            let last = of + place + 1 - chosen;
            (first..last).map(move |next| [&choice[..], &[next]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
