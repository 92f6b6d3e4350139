//! Traces from bytes: algorithm 2.1 of the paper, driven by the input alone.
//!
//! The first byte selects the initial pool: top, bottom and elements with one constraint, whose
//! constants are at the boundaries or anywhere. The following bytes select operations that grow the
//! pool, then laws and operands. Missing bytes count as zeros. Nothing else influences a trace: no
//! result of the domain, no clock, no state.

use crate::domain::Shape;
use crate::first::{Firsts, first_trace};
use crate::law::{BoxOperation, Claim, Law};
use crate::linear::{Constraint, Linear, Relation};
use crate::program::{Check, Step, Trace, Uses};
use serde::{Deserialize, Serialize};

/// How traces are generated.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TraceOptions {
    /// Size of the initial pool, including top and bottom. With zero there is no pool, and bytes
    /// are the constraints of each operand, as in the paper's comparison with pure fuzzing.
    pub pool: usize,
    /// Number of operations that grow it.
    pub operations: usize,
    /// Whether constants are also taken from the boundaries.
    pub boundaries: Boundaries,
    /// Number of variables.
    pub dimensions: usize,
    /// Number of laws tested on one pool.
    pub checks: usize,
    /// The boundary constants, if they are not those of `boundaries`.
    #[serde(default)]
    pub constants: Vec<i64>,
    /// Whether some intervals have one bound only: the other one is infinite.
    #[serde(default = "yes")]
    pub infinities: bool,
    /// Whether some inputs have smaller pools and boundaries than these.
    #[serde(default)]
    pub mixed: bool,
    /// Whether joins get a loop head.
    #[serde(default)]
    pub hinted: bool,
    /// Whether soft violations count.
    #[serde(default)]
    pub strict: bool,
}

fn yes() -> bool {
    true
}

/// The boundary constants, in addition to arbitrary ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boundaries {
    /// None.
    None,
    /// Those of 32 bits.
    Int,
    /// Those of 64 bits.
    Long,
}

impl Boundaries {
    /// Every choice with its name.
    pub const ALL: [(Boundaries, &'static str); 3] =
        [(Boundaries::None, "none"), (Boundaries::Int, "int"), (Boundaries::Long, "long")];

    /// The choice of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Boundaries> {
        Boundaries::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }
}

impl TraceOptions {
    /// The configurations of the paper's table 2.6, by name.
    ///
    /// `fuzzing` is the baseline of table 2.10: no pool, and bytes that are constraints.
    pub const PRESETS: [&'static str; 7] = ["C1", "C2", "C3", "C4", "C5", "C6", "fuzzing"];

    /// The configuration of this name.
    #[must_use]
    pub fn preset(name: &str) -> Option<TraceOptions> {
        let (pool, operations, boundaries) = match name.to_ascii_uppercase().as_str() {
            "C1" => (2, 16, Boundaries::Long),
            "C2" => (32, 16, Boundaries::Long),
            "C3" => (1024, 16, Boundaries::Long),
            "C4" => (32, 0, Boundaries::Long),
            "C5" => (32, 64, Boundaries::Long),
            "C6" => (32, 16, Boundaries::None),
            "FUZZING" => (0, 0, Boundaries::Long),
            _ => return None,
        };
        Some(TraceOptions {
            pool,
            operations,
            boundaries,
            dimensions: 8,
            checks: if pool == 0 { 1 } else { 16 },
            constants: Vec::new(),
            infinities: true,
            mixed: false,
            hinted: false,
            strict: false,
        })
    }

    /// Number of bytes that determine a case completely.
    #[must_use]
    pub fn length(&self) -> usize {
        let operands =
            if self.pool == 0 { 3 * (1 + CONSTRAINTS * (self.dimensions + 3)) } else { 0 };
        1 + self.operations * 6 + self.checks * (16 + operands)
    }

    /// The constants that are drawn more often than others.
    fn named(&self) -> &[i64] {
        match self.boundaries {
            _ if !self.constants.is_empty() => &self.constants,
            Boundaries::None => &[],
            Boundaries::Int => &[i32::MIN as i64, -1, 0, 1, i32::MAX as i64],
            Boundaries::Long => &[i64::MIN, -1, 0, 1, i64::MAX],
        }
    }

    /// The configuration of a pool: of mixed ones, three quarters are smaller in one respect or both.
    fn of_pool(&self, number: usize) -> TraceOptions {
        let mut config = self.clone();
        if !self.mixed || self.pool == 0 {
            return config;
        }
        config.pool = match number % 4 {
            0 | 2 => self.pool,
            1 => self.pool.min(8),
            _ => self.pool.min(3),
        };
        config.boundaries = match (number / 4 % 4, self.boundaries) {
            (2, Boundaries::Long) => Boundaries::Int,
            (3, _) => Boundaries::None,
            (_, asked) => asked,
        };
        config
    }
}

/// The bytes, one choice after the other.
struct Bytes<'b> {
    rest: &'b [u8],
}

impl Bytes<'_> {
    fn byte(&mut self) -> usize {
        match self.rest.split_first() {
            Some((first, rest)) => {
                self.rest = rest;
                usize::from(*first)
            }
            None => 0,
        }
    }

    fn word(&mut self) -> u64 {
        (self.byte() + 256 * self.byte()) as u64
    }

    /// A variable; low indices are more likely, so that constraints interact.
    fn variable(&mut self, dimensions: usize) -> usize {
        let byte = self.byte();
        (byte % dimensions).min(byte / 16 % dimensions)
    }

    /// A number below a bound.
    fn index(&mut self, bound: usize) -> usize {
        let number = if bound > 256 { self.byte() + 256 * self.byte() } else { self.byte() };
        number % bound.max(1)
    }
}

/// Numbers derived from one: an expansion of a few bytes.
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// A variable; low indices are more likely.
    fn variable(&mut self, dimensions: usize) -> usize {
        self.below(dimensions).min(self.below(dimensions))
    }

    fn constant(&mut self, config: &TraceOptions) -> i64 {
        let named = config.named();
        // The published drivers use a boundary once in ten times; our small numbers make elements
        // interact.
        match self.below(20) {
            0..=2 if !named.is_empty() => named[self.below(named.len())],
            3..=6 => self.below(9) as i64 - 4,
            _ => self.below(19_999) as i64 - 9_999,
        }
    }

    fn sign(&mut self) -> i64 {
        if self.below(2) == 0 { 1 } else { -1 }
    }
}

/// The material of elements and sums.
struct Maker<'m> {
    shape: Shape,
    config: &'m TraceOptions,
    /// The size of the initial pool.
    initial: usize,
    /// The sum for laws that do not use one.
    zero: Linear,
}

impl Maker<'_> {
    fn relation(&self, draw: &mut Sequence) -> Relation {
        let equal = matches!(self.shape, Shape::Congruences | Shape::Grids);
        if equal || draw.below(4) == 0 { Relation::Equal } else { Relation::AtLeast }
    }

    /// One constraint as in table 2.1.
    fn constraint(&self, draw: &mut Sequence) -> Constraint {
        let dimensions = self.config.dimensions;
        let first = draw.variable(dimensions);
        let mut terms = vec![(first, draw.sign())];
        match self.shape {
            Shape::Octagons => {
                let second = draw.variable(dimensions);
                if second != first {
                    terms.push((second, draw.sign()));
                }
            }
            Shape::Polyhedra | Shape::Grids => {
                for variable in 0..dimensions {
                    let coefficient = match draw.below(4) {
                        0 => draw.constant(self.config),
                        1 => draw.sign(),
                        _ => 0,
                    };
                    if variable != first && coefficient != 0 {
                        terms.push((variable, coefficient));
                    }
                }
            }
            Shape::Intervals | Shape::Zonotopes | Shape::Congruences => {}
        }
        let sum = Linear::of(dimensions, &terms, draw.constant(self.config));
        Constraint { sum, relation: self.relation(draw) }
    }

    /// A simple element.
    fn element(&self, draw: &mut Sequence) -> Step {
        let dimensions = self.config.dimensions;
        if draw.below(6) == 0 {
            return self.small_box(draw);
        }
        if !matches!(self.shape, Shape::Intervals | Shape::Zonotopes) {
            return Step::Element([self.constraint(draw)].into());
        }
        let variable = draw.variable(dimensions);
        let (one, other) = (draw.constant(self.config), draw.constant(self.config));
        let (low, high) = (i128::from(one.min(other)), one.max(other));
        let low = Constraint::at_least(Linear::of(dimensions, &[(variable, 1)], -low));
        let high = Constraint::at_least(Linear::of(dimensions, &[(variable, -1)], high));
        let infinite = self.shape == Shape::Intervals && self.config.infinities;
        match draw.below(4) {
            0 if infinite => Step::Element([low].into()),
            1 if infinite => Step::Element([high].into()),
            _ => Step::Element([low, high].into()),
        }
    }

    /// A neighbor of an element: the same sum with another constant, on the other side, or as an
    /// equation. Elements over different sums are rarely comparable.
    fn neighbour(&self, draw: &mut Sequence, of: &Constraint) -> Step {
        let mut sum = of.sum.clone();
        let turned: Option<Vec<i64>> = sum.coefficients.iter().map(|c| c.checked_neg()).collect();
        if let (Some(coefficients), 0) = (turned, draw.below(2)) {
            sum = Linear { coefficients: coefficients.into(), constant: -sum.constant };
        }
        let (least, most) = (i128::from(i64::MIN), i128::from(i64::MAX));
        sum.constant = match draw.below(3) {
            0 => sum.constant,
            1 => (sum.constant + draw.below(9) as i128 - 4).clamp(least, most),
            _ => draw.constant(self.config).into(),
        };
        Step::Element([Constraint { sum, relation: self.relation(draw) }].into())
    }

    /// A sum to assign to a variable, or to compare.
    fn sum(&self, draw: &mut Sequence, variable: Option<usize>) -> Linear {
        let TraceOptions { dimensions, boundaries, .. } = *self.config;
        let constant = draw.constant(self.config);
        let mut terms = Vec::new();
        match draw.below(6) {
            0 => {}
            1 => terms.push((draw.variable(dimensions), draw.sign())),
            // Most domains treat the variable itself, shifted or negated, as a special case.
            2 => {
                let own = variable.unwrap_or_else(|| draw.variable(dimensions));
                terms.push((own, draw.sign()));
            }
            3 => {
                for _ in 0..2 {
                    terms.push((draw.variable(dimensions), draw.below(7) as i64 - 3));
                }
            }
            // Large terms that almost cancel each other show how intermediate results are rounded.
            4 if boundaries != Boundaries::None => {
                let large = match boundaries {
                    Boundaries::Int => [i64::from(i32::MAX), i64::from(i32::MIN)],
                    Boundaries::None | Boundaries::Long => [i64::MAX, i64::MIN],
                };
                terms.extend(large.map(|coefficient| (draw.variable(dimensions), coefficient)));
            }
            _ => {
                let terms_of = |variable| (variable, draw.constant(self.config));
                terms = (0..dimensions).map(terms_of).collect();
            }
        }
        Linear::of(dimensions, &terms, constant)
    }

    /// A constraint to test: in half of the cases one that the domain represents.
    fn test(&self, draw: &mut Sequence) -> Constraint {
        if draw.below(2) == 0 {
            return self.constraint(draw);
        }
        let relation = if draw.below(4) == 0 { Relation::Equal } else { Relation::AtLeast };
        Constraint { sum: self.sum(draw, None), relation }
    }

    /// A box like another one, with some bounds moved slightly.
    fn beside(&self, draw: &mut Sequence, other: &Step) -> Step {
        let Step::Element(constraints) = other else { return other.clone() };
        let moved = |constraint: &Constraint| {
            let mut sum = constraint.sum.clone();
            sum.constant += if draw.below(4) == 0 { draw.below(4) as i128 - 1 } else { 0 };
            Constraint { sum, relation: constraint.relation }
        };
        Step::Element(constraints.iter().map(moved).collect())
    }

    /// A sum of one or two variables and small numbers.
    fn small_sum(&self, draw: &mut Sequence) -> Linear {
        let dimensions = self.config.dimensions;
        let unit = draw.below(2) == 0;
        let term = |draw: &mut Sequence| {
            let coefficient = if unit { draw.sign() } else { draw.below(9) as i64 - 4 };
            (draw.below(dimensions), coefficient)
        };
        let terms: Vec<(usize, i64)> = (0..=draw.below(2)).map(|_| term(draw)).collect();
        Linear::of(dimensions, &terms, draw.below(9) as i64 - 4)
    }

    /// A test of such a sum.
    fn small_test(&self, draw: &mut Sequence) -> Constraint {
        let relation = if draw.below(4) == 0 { Relation::Equal } else { Relation::AtLeast };
        Constraint { sum: self.small_sum(draw), relation }
    }

    /// A bounded box around the origin in which two variables have room; a point, if elements have no
    /// bounds.
    fn small_box(&self, draw: &mut Sequence) -> Step {
        let dimensions = self.config.dimensions;
        if matches!(self.shape, Shape::Congruences | Shape::Grids) {
            let at = |variable| {
                let value = draw.below(25) as i64 - 12;
                Constraint::equal(Linear::of(dimensions, &[(variable, 1)], -value))
            };
            return Step::Element((0..dimensions).map(at).collect());
        }
        let wide = [draw.variable(dimensions), draw.variable(dimensions)];
        let bounds = (0..dimensions).flat_map(|variable| {
            let low = draw.below(7) as i64 - 3;
            let high = if wide.contains(&variable) { low + draw.below(3) as i64 } else { low };
            [
                Constraint::at_least(Linear::of(dimensions, &[(variable, 1)], -low)),
                Constraint::at_least(Linear::of(dimensions, &[(variable, -1)], high)),
            ]
        });
        Step::Element(bounds.collect())
    }
}

/// Maximum number of constraints of an operand that bytes alone make, as in the paper.
const CONSTRAINTS: usize = 50;

impl Maker<'_> {
    /// An element whose constraints are bytes.
    fn direct(&self, bytes: &mut Bytes<'_>) -> Step {
        let dimensions = self.config.dimensions;
        let constraint = |bytes: &mut Bytes<'_>| {
            let how = bytes.byte();
            let named = self.config.named();
            let constant = match bytes.word() as usize {
                word if how % 10 == 0 && !named.is_empty() => named[word % named.len()],
                word => (word % 19_999) as i64 - 9_999,
            };
            let mut coefficients = vec![0; dimensions];
            match self.shape {
                Shape::Polyhedra | Shape::Grids => {
                    coefficients.fill_with(|| bytes.byte() as i64 % 7 - 3);
                }
                Shape::Octagons => {
                    coefficients[bytes.byte() % dimensions] = if how & 16 == 0 { 1 } else { -1 };
                    coefficients[bytes.byte() % dimensions] = if how & 32 == 0 { 1 } else { -1 };
                }
                Shape::Intervals | Shape::Zonotopes | Shape::Congruences => {
                    coefficients[bytes.byte() % dimensions] = if how & 16 == 0 { 1 } else { -1 };
                }
            }
            let equal = matches!(self.shape, Shape::Congruences | Shape::Grids) || how & 192 == 0;
            let relation = if equal { Relation::Equal } else { Relation::AtLeast };
            let sum = Linear { coefficients: coefficients.into(), constant: constant.into() };
            Constraint { sum, relation }
        };
        let count = bytes.byte() % (CONSTRAINTS + 1);
        let constraints: Vec<Constraint> = (0..count).map(|_| constraint(bytes)).collect();
        if constraints.is_empty() { Step::Top } else { Step::Element(constraints.into()) }
    }
}

/// The steps of the initial pool for a number.
fn initial(maker: &Maker<'_>, seed: u64) -> Vec<Step> {
    if maker.config.pool == 0 {
        return Vec::new();
    }
    let mut draw = Sequence(seed);
    let mut steps = vec![Step::Top, Step::Bottom];
    let mut known: Vec<Constraint> = Vec::new();
    for _ in 2..maker.config.pool {
        let related = !known.is_empty() && draw.below(3) == 0;
        let step = if related {
            let of = draw.below(known.len());
            maker.neighbour(&mut draw, &known[of])
        } else {
            maker.element(&mut draw)
        };
        if let Step::Element(constraints) = &step {
            known.extend(constraints.first().cloned());
        }
        steps.push(step);
    }
    steps
}

/// Decodes the case of some bytes, for a domain of a shape, with these laws.
#[must_use]
pub fn decode(bytes: &[u8], shape: Shape, config: &TraceOptions, laws: &[&'static Law]) -> Trace {
    Decoder::new(shape, config.clone(), laws.to_vec()).decode(bytes)
}

/// Generates cases from bytes, one after the other; initial pools are cached.
pub struct Decoder {
    shape: Shape,
    config: TraceOptions,
    laws: Vec<&'static Law>,
    firsts: Firsts,
    pools: Vec<Option<Vec<Step>>>,
}

impl Decoder {
    /// For a domain of a shape, with these laws.
    #[must_use]
    pub fn new(shape: Shape, config: TraceOptions, laws: Vec<&'static Law>) -> Decoder {
        let firsts = Firsts::new(shape, &config);
        Decoder { shape, config, laws, firsts, pools: vec![None; 256] }
    }

    /// The laws that bytes choose from.
    #[must_use]
    pub fn laws(&self) -> &[&'static Law] {
        &self.laws
    }

    /// The number of cases that a search may begin with, whatever its bytes are.
    #[must_use]
    pub fn first_cases(&self) -> u32 {
        u32::try_from(self.firsts.count()).unwrap_or(u32::MAX)
    }

    /// Decodes the case of some bytes.
    pub fn decode(&mut self, bytes: &[u8]) -> Trace {
        let Decoder { shape, config, laws, firsts, pools } = self;
        if let Some(case) = first_trace(bytes).and_then(|number| firsts.case(number, laws)) {
            return case;
        }
        let mut bytes = Bytes { rest: bytes };
        let number = bytes.byte();
        let config = &config.of_pool(number);
        let zero = Linear::constant(config.dimensions, 0);
        let mut maker = Maker { shape: *shape, config, initial: 0, zero };
        let pool = pools[number].get_or_insert_with(|| initial(&maker, number as u64));
        maker.initial = pool.len();
        // Checks may add two elements each.
        let mut steps = Vec::with_capacity(pool.len() + config.operations + 4 * config.checks);
        steps.extend_from_slice(pool);
        for _ in 0..config.operations {
            let step = grow(&maker, &mut bytes, steps.len());
            steps.push(step);
        }
        let mut checks = Vec::with_capacity(config.checks);
        for _ in 0..config.checks {
            if laws.is_empty() {
                break;
            }
            let law = laws[bytes.index(laws.len())];
            checks.push(choose(&maker, &mut bytes, &mut steps, law));
        }
        let (dimensions, strict) = (config.dimensions, config.strict);
        Trace { shape: *shape, dimensions, strict, steps, checks }
    }
}

/// One operation on elements of the pool; the newest ones are the most likely operands, because errors
/// of one operation often show only in the next.
fn grow(maker: &Maker<'_>, bytes: &mut Bytes<'_>, pool: usize) -> Step {
    let operation = bytes.byte();
    let x = pick(maker, bytes, pool);
    match operation % 8 {
        0 => {
            let variable = bytes.variable(maker.config.dimensions);
            Step::Assign(x, variable, maker.sum(&mut Sequence(bytes.word()), Some(variable)))
        }
        1 => Step::Project(x, bytes.variable(maker.config.dimensions)),
        2 | 3 => Step::Meet(x, pick(maker, bytes, pool)),
        4 => Step::Join(x, pick(maker, bytes, pool)),
        5 => Step::Widen(x, pick(maker, bytes, pool)),
        6 => Step::Guard(x, maker.test(&mut Sequence(bytes.word()))),
        _ => Step::Queried(x),
    }
}

fn pick(maker: &Maker<'_>, bytes: &mut Bytes<'_>, pool: usize) -> usize {
    let first = maker.initial;
    if pool > first && bytes.byte() % 2 == 1 {
        return first + bytes.index(pool - first);
    }
    bytes.index(pool)
}

/// Length of the chains that widening and narrowing are iterated over.
const CHAIN: usize = 12;

fn choose(
    maker: &Maker<'_>,
    bytes: &mut Bytes<'_>,
    steps: &mut Vec<Step>,
    law: &'static Law,
) -> Check {
    let pool = steps.len();
    let uses = Uses::of(law);
    let mut operand = |bytes: &mut Bytes<'_>| match maker.config.pool {
        0 => {
            steps.push(maker.direct(bytes));
            steps.len() - 1
        }
        _ => pick(maker, bytes, pool),
    };
    let mut elements = [0; 3];
    for (element, used) in elements.iter_mut().zip(uses.elements) {
        if used {
            *element = operand(bytes);
        }
    }
    let variable = if uses.variable { bytes.variable(maker.config.dimensions) } else { 0 };
    let sum = if uses.sum {
        maker.sum(&mut Sequence(bytes.word()), Some(variable))
    } else {
        maker.zero.clone()
    };
    let constraint = if uses.constraint {
        maker.test(&mut Sequence(bytes.word()))
    } else {
        Constraint::at_least(maker.zero.clone())
    };
    let chain = if uses.chain { (0..CHAIN).map(|_| operand(bytes)).collect() } else { Vec::new() };
    let head = (maker.config.hinted && uses.head).then(|| operand(bytes));
    let mut check = Check { law, elements, variable, sum, constraint, chain, head };
    suit(maker, bytes, steps, &mut check);
    check
}

/// Makes premises likely that arbitrary elements rarely satisfy.
fn suit(maker: &Maker<'_>, bytes: &mut Bytes<'_>, steps: &mut Vec<Step>, check: &mut Check) {
    let mut push = |step: Step| {
        steps.push(step);
        steps.len() - 1
    };
    let [x, y, z] = check.elements;
    if let Some(operation) = check.law.conclusion.on_boxes() {
        let mut draw = Sequence(bytes.word());
        let first = maker.small_box(&mut draw);
        // Two unrelated boxes rarely intersect.
        if operation == BoxOperation::Meet && draw.below(4) > 0 {
            check.elements[1] = push(maker.beside(&mut draw, &first));
        } else {
            check.elements[1] = push(maker.small_box(&mut draw));
        }
        check.elements[0] = push(first);
        // Lost points may need large numbers; the best bounds are known only for small ones.
        if matches!(check.law.conclusion, Claim::Best(_)) || draw.below(2) == 0 {
            check.sum = maker.small_sum(&mut draw);
            check.constraint = maker.small_test(&mut draw);
        }
        return;
    }
    // Pure fuzzing has only what the bytes say.
    let premises = if maker.config.pool == 0 { &[] } else { check.law.premises };
    for premise in premises {
        match premise {
            Claim::Disjoint => {
                let (one, other) = apart(maker.constraint(&mut Sequence(bytes.word())));
                let one = push(Step::Element([one].into()));
                let other = push(Step::Element([other].into()));
                check.elements = [push(Step::Meet(x, one)), push(Step::Meet(other, y)), z];
            }
            Claim::Leq(left, right) | Claim::Eq(left, right) => {
                order(bytes, &mut push, check, [place(left), place(right)]);
            }
            Claim::IsBottom(_) if bytes.byte() % 2 == 1 => check.elements[0] = 1,
            _ => {}
        }
    }
}

/// The operand that a plain term denotes.
fn place(term: &crate::law::Term) -> Option<usize> {
    use crate::law::Term;
    match term {
        Term::X => Some(0),
        Term::Y => Some(1),
        Term::Z => Some(2),
        _ => None,
    }
}

/// Makes it likely that one operand is included in another: by a join above or a meet below.
fn order(
    bytes: &mut Bytes<'_>,
    push: &mut dyn FnMut(Step) -> usize,
    check: &mut Check,
    places: [Option<usize>; 2],
) {
    let [Some(below), Some(above)] = places else { return };
    let (low, high) = (check.elements[below], check.elements[above]);
    match bytes.byte() % 5 {
        0 => check.elements[above] = push(Step::Join(low, high)),
        1 => check.elements[below] = push(Step::Meet(low, high)),
        2 => check.elements[above] = push(Step::Widen(low, high)),
        3 => check.elements[above] = low,
        _ => {}
    }
}

/// Two constraints that exclude each other: the second requires the first's sum to be negative.
fn apart(one: Constraint) -> (Constraint, Constraint) {
    let coefficients = one.sum.coefficients.iter().map(|c| (*c).max(-i64::MAX)).collect();
    let most = i128::from(i64::MAX);
    let sum = Linear { coefficients, constant: one.sum.constant.clamp(-most, most) };
    let negated = sum.coefficients.iter().map(|c| -c).collect();
    // For an equation, one side of it; for a sum of at least zero, at most -1.
    let constant = -sum.constant - 1;
    let other =
        Constraint { sum: Linear { coefficients: negated, constant }, relation: one.relation };
    (Constraint { sum, relation: one.relation }, other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LAWS;

    fn bytes(seed: u64, length: usize) -> Vec<u8> {
        let mut draw = Sequence(seed);
        (0..length).map(|_| draw.next() as u8).collect()
    }

    #[test]
    fn every_case_prints_and_reads_back() {
        let laws: Vec<&Law> = LAWS.iter().collect();
        for (shape, ..) in Shape::ALL {
            for seed in 0..40 {
                let config = TraceOptions::preset("C2").expect("it is a preset");
                let case = decode(&bytes(seed, config.length()), shape, &config, &laws);
                assert_eq!(case.checks.len(), config.checks);
                for check in 0..case.checks.len() {
                    let slice = case.slice(check);
                    let text = slice.to_string();
                    let read = Trace::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                    assert_eq!(read.to_string(), text);
                }
            }
        }
    }

    #[test]
    fn cases_depend_only_on_bytes_and_missing_bytes_are_zero() {
        let laws: Vec<&Law> = LAWS.iter().collect();
        let config = TraceOptions::preset("c5").expect("it is a preset");
        let long = bytes(3, config.length());
        let twice = [0, 1].map(|_| decode(&long, Shape::Octagons, &config, &laws));
        assert_eq!(twice[0], twice[1]);
        let mut padded = long[..9].to_vec();
        let short = decode(&padded, Shape::Octagons, &config, &laws);
        padded.extend([0; 700]);
        assert_eq!(short, decode(&padded, Shape::Octagons, &config, &laws));
        assert_ne!(short, twice[0]);
    }

    #[test]
    fn presets_match_the_table_of_the_paper() {
        let sizes = TraceOptions::PRESETS.map(|name| {
            let config = TraceOptions::preset(name).expect("it is a preset");
            (config.pool, config.operations, config.boundaries != Boundaries::None)
        });
        let table = [
            (2, 16, true),
            (32, 16, true),
            (1024, 16, true),
            (32, 0, true),
            (32, 64, true),
            (32, 16, false),
            (0, 0, true),
        ];
        assert_eq!(sizes, table);
        assert_eq!(TraceOptions::preset("C7"), None);
    }
}
