//! Linear objectives over a few polyhedra. All objectives that are bounded have their infimum over a
//! polyhedron at the same corner, so a polyhedron has one best point; which of these points is best,
//! by any priority, is a matter of comparing them.

use super::polyhedron::{Combination, Edge, HalfSpace, Infimum, Polyhedron, Vector, dot, plus};
use super::problem::{Attained, Problem, Soft, Wish, value};
use super::spec::{Style, Weight, zero};
use crate::draw::Draw;
use assay_case::{Extremum, Goal, MakeError, Optima, Origin, Point, Priority, TestCase};
use assay_smtlib::{Lets, read_script};
use assay_term::theories::{core, ints};
use assay_term::{Evaluator, FuncId, Int, Interpretation, Model, SortId, Store, TermId, Value};
use num_rational::BigRational;

/// The sort of the variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbers {
    Integers,
    Reals,
}

impl Numbers {
    pub(crate) const ALL: [Numbers; 2] = [Numbers::Integers, Numbers::Reals];

    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Numbers::Integers => "linear-integers",
            Numbers::Reals => "linear-reals",
        }
    }

    fn sort(self) -> SortId {
        match self {
            Numbers::Integers => SortId::INT,
            Numbers::Reals => SortId::REAL,
        }
    }

    fn value(self, number: &BigRational) -> Value {
        match self {
            Numbers::Integers => Value::Int(Int::from(number.to_integer())),
            Numbers::Reals => Value::rational(number.clone()),
        }
    }
}

/// The formulas of one sort and style.
pub(crate) struct Linear {
    pub(crate) numbers: Numbers,
    pub(crate) style: Style,
    pub(crate) weights: Vec<Weight>,
}

/// The rules that justify the optima.
const RULE: &str = "linear-duality";
const UNBOUNDED: &str = "recession-direction";

fn one() -> BigRational {
    BigRational::from_integer(1.into())
}

/// What is optimized.
enum Aim {
    /// A term that is bounded at the corner of every region, and the index of its certificate.
    Bounded(Number, usize),
    /// A term that is not.
    Unbounded(Number),
    /// The weights of a group of soft constraints.
    Group(Vec<Soft>),
}

/// A term whose least values are the best.
struct Number {
    coefficients: Vector,
    /// How it is written: if it is maximized, with the opposite sign.
    goal: Goal,
    constant: BigRational,
}

/// A polyhedron, with the certificate of each bounded term.
struct Region {
    polyhedron: Polyhedron,
    certificates: Vec<Combination>,
}

/// Regions, and terms that are bounded in each of them.
struct Plan {
    /// Away from all borders at the corners; all terms grow along it.
    direction: Vector,
    terms: Vec<Vector>,
    regions: Vec<Region>,
}

impl Plan {
    /// Adds a variable that no constraint mentions, the last one.
    fn add_idle_variable(&mut self) {
        self.direction.push(zero());
        self.terms.iter_mut().for_each(|term| term.push(zero()));
        for Region { polyhedron, .. } in &mut self.regions {
            polyhedron.corner.push(zero());
            polyhedron.inside.push(zero());
            polyhedron.constraints.iter_mut().for_each(|one| one.normal.push(zero()));
        }
    }

    fn has_idle_variable(&self) -> bool {
        let last = self.direction.len() - 1;
        let is_idle = |one: &HalfSpace| one.normal[last] == zero();
        self.regions.iter().flat_map(|region| &region.polyhedron.constraints).all(is_idle)
    }
}

/// A region's best value of an aim.
type Best = Infimum;

impl Linear {
    /// Whether there are such formulas.
    pub(crate) fn is_possible(&self) -> bool {
        match self.style {
            Style::Strict => self.numbers == Numbers::Reals,
            style => style.priority().is_some(),
        }
    }

    /// The case with this number.
    pub(crate) fn case(
        &self,
        number: u128,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let salt = format!("{}/{}", self.style.name(), self.numbers.name());
        let mut draw = Draw::new(&salt, number);
        let fault = |words: &str| MakeError::fault(format!("{name}: {words}"));
        let dimension = draw.between(1, 3);
        let direction = self.nonzero(&mut draw, dimension);
        let (least, most) = match self.style {
            Style::Lexicographic | Style::Pareto => (2, 3),
            _ => (1, 3),
        };
        let terms: Vec<Vector> =
            (0..draw.between(least, most)).map(|_| self.along(&mut draw, &direction)).collect();
        let regions = self.regions(&mut draw, &direction, &terms);
        let mut plan = Plan { direction, terms, regions };
        let is_box = self.style.priority() == Some(Priority::Box);
        if is_box && draw.below(3) == 0 {
            plan.add_idle_variable();
        }
        let mut aims = self.aims(&mut draw, &plan, is_box);
        let Plan { regions, direction, .. } = plan;
        let dimension = direction.len();
        let mut sketch = Sketch::new(self.numbers, dimension, regions.len());
        if regions.len() > 1 && self.style != Style::Strict && draw.below(2) == 0 {
            for group in &["first", "second"][..draw.between(1, 2)] {
                let at = draw.below(aims.len() + 1);
                let softs = sketch.softs(&mut draw, group, &self.weights);
                aims.insert(at, Aim::Group(softs));
            }
            sketch.select(&mut draw, &regions);
        } else {
            sketch.join(&mut draw, &regions);
        }
        let best = best_values(&mut sketch, &regions, &aims, &direction)
            .ok_or_else(|| fault("a certificate is wrong"))?;
        let (optima, attained) = self
            .optima(&sketch, &regions, &aims, &best)
            .ok_or_else(|| fault("the best region is not known"))?;
        let mut rules = vec![RULE.to_owned()];
        if aims.iter().any(|aim| matches!(aim, Aim::Unbounded(_))) {
            rules.push(UNBOUNDED.into());
        }
        let priority = self.style.priority().expect("other styles are not possible");
        // Without the option, objectives are ranked; a single one is its own rank.
        let is_needed = priority == Priority::Pareto || is_box && aims.len() > 1;
        let option = (is_needed || draw.below(2) == 0).then_some(priority);
        let problem = sketch.into_problem(option, aims);
        problem.into_optimal_case(optima, attained, rules, name, origin)
    }

    /// Objectives over numbers.
    fn aims(&self, draw: &mut Draw, plan: &Plan, is_box: bool) -> Vec<Aim> {
        let mut aims: Vec<Aim> = Vec::new();
        for (at, term) in plan.terms.iter().enumerate() {
            aims.push(Aim::Bounded(self.number(draw, term.clone()), at));
        }
        if draw.below(3) == 0 {
            // One of them once more, perhaps with the opposite sign and goal.
            let again = draw.below(plan.terms.len());
            let number = self.number(draw, plan.terms[again].clone());
            aims.insert(draw.below(aims.len() + 1), Aim::Bounded(number, again));
        }
        if is_box && draw.below(2) == 0 {
            if let Some(term) = self.unbounded(draw, plan) {
                let number = self.number(draw, term);
                aims.insert(draw.below(aims.len() + 1), Aim::Unbounded(number));
            }
        }
        aims
    }

    /// A small number.
    fn scalar(&self, draw: &mut Draw, most: i64) -> BigRational {
        let span = usize::try_from(2 * most + 1).expect("small bounds");
        let number = i64::try_from(draw.below(span)).expect("a small span") - most;
        let divisor: i64 = match self.numbers {
            Numbers::Integers => 1,
            Numbers::Reals => *draw.pick(&[1, 1, 1, 2, 3]),
        };
        BigRational::new(number.into(), divisor.into())
    }

    fn nonzero(&self, draw: &mut Draw, dimension: usize) -> Vector {
        loop {
            let coordinate = |_| match draw.below(3) {
                0 => zero(),
                _ => self.scalar(draw, 3),
            };
            let vector: Vector = (0..dimension).map(coordinate).collect();
            if vector.iter().any(|x| *x != zero()) {
                return vector;
            }
        }
    }

    /// A vector at an acute angle to the direction.
    fn along(&self, draw: &mut Draw, direction: &[BigRational]) -> Vector {
        loop {
            let vector = self.nonzero(draw, direction.len());
            match dot(&vector, direction) {
                angle if angle > zero() => return vector,
                angle if angle < zero() => return vector.iter().map(|x| -x).collect(),
                _ => {}
            }
        }
    }

    fn number(&self, draw: &mut Draw, coefficients: Vector) -> Number {
        let goal = *draw.pick(&[Goal::Minimize, Goal::Minimize, Goal::Maximize]);
        let constant = match draw.below(3) {
            0 => self.scalar(draw, 5),
            _ => zero(),
        };
        Number { coefficients, goal, constant }
    }

    /// Regions that bound the terms.
    fn regions(&self, draw: &mut Draw, direction: &[BigRational], terms: &[Vector]) -> Vec<Region> {
        let count = match self.style {
            Style::Pareto => draw.between(2, 4),
            _ => draw.between(1, 3),
        };
        let is_open = |draw: &mut Draw| match (self.style, self.numbers) {
            (Style::Strict, _) => draw.below(4) > 0,
            (Style::Box, Numbers::Reals) => draw.below(3) == 0,
            _ => false,
        };
        let mut open: Vec<bool> = (0..count).map(|_| is_open(draw)).collect();
        open[0] |= self.style == Style::Strict;
        let edge = |open| if open { Edge::Excluded } else { Edge::Included };
        open.into_iter().map(|open| self.region(draw, direction, terms, edge(open))).collect()
    }

    /// A region whose corner has or does not have the infimum of each term.
    fn region(
        &self,
        draw: &mut Draw,
        direction: &[BigRational],
        terms: &[Vector],
        corner_edge: Edge,
    ) -> Region {
        let corner: Vector = direction.iter().map(|_| self.scalar(draw, 8)).collect();
        let mut constraints: Vec<HalfSpace> = Vec::new();
        let mut certificates = Vec::new();
        for term in terms {
            let parts = self.parts(draw, direction, term);
            let first = constraints.len();
            let certificate: Combination =
                parts.iter().enumerate().map(|(at, (_, y))| (first + at, y.clone())).collect();
            for (normal, _) in parts {
                let mut constraint = HalfSpace::at(normal, &corner);
                if corner_edge == Edge::Excluded && draw.below(2) == 0 {
                    constraint.edge = Edge::Excluded;
                }
                constraints.push(constraint);
            }
            // One is enough so that the term never has its value at the corner.
            let own = &mut constraints[first..];
            if corner_edge == Edge::Excluded && own.iter().all(|c| c.edge == Edge::Included) {
                own[0].edge = Edge::Excluded;
            }
            certificates.push(certificate);
        }
        for _ in 0..draw.below(3) {
            let mut normal = self.nonzero(draw, direction.len());
            if dot(&normal, direction) < zero() {
                normal.iter_mut().for_each(|x| *x = -x.clone());
            }
            let mut slack = HalfSpace::at(normal, &corner);
            slack.offset -= BigRational::from_integer((1 + draw.below(5)).into());
            slack.edge = *draw.pick(&[Edge::Included, Edge::Included, Edge::Excluded]);
            constraints.push(slack);
        }
        // Away from all borders at the corner.
        let inside = plus(&corner, &one(), direction);
        Region { polyhedron: Polyhedron { constraints, corner, inside }, certificates }
    }

    /// Vectors at acute angles to the direction, with positive factors: their sum is the term.
    fn parts(
        &self,
        draw: &mut Draw,
        direction: &[BigRational],
        term: &[BigRational],
    ) -> Vec<(Vector, BigRational)> {
        let whole = vec![(term.to_vec(), one())];
        if draw.below(3) == 0 {
            return whole;
        }
        for _ in 0..8 {
            let part = self.along(draw, direction);
            let factor = BigRational::from_integer((1 + draw.below(2)).into());
            let rest = plus(term, &-factor.clone(), &part);
            if dot(&rest, direction) > zero() {
                return vec![(part, factor), (rest, one())];
            }
        }
        whole
    }

    /// A term that is unbounded in some region.
    fn unbounded(&self, draw: &mut Draw, plan: &Plan) -> Option<Vector> {
        (0..16).find_map(|_| {
            let mut term = self.nonzero(draw, plan.direction.len());
            if plan.has_idle_variable() && draw.below(2) == 0 {
                let others = term.len() - 1;
                term[..others].fill(zero());
            }
            let is_unbounded = |region: &Region| ray(region, &term, &plan.direction).is_some();
            plan.regions.iter().any(is_unbounded).then_some(term)
        })
    }

    /// The optima, with models that attain them, the witness first.
    fn optima(
        &self,
        sketch: &Sketch,
        regions: &[Region],
        aims: &[Aim],
        best: &[Vec<Option<Best>>],
    ) -> Option<(Optima, Vec<Attained>)> {
        // Where the values of the aims are numbers, all at once.
        let attained = |at: usize| -> Option<Attained> {
            let values = aims.iter().zip(&best[at]).map(|(aim, best)| match best {
                Some(Infimum::Limit(limit, Edge::Included)) => Some(Some(aim.written(limit))),
                _ => None,
            });
            let model = sketch.model(at, &regions[at].polyhedron.corner);
            Some(Attained { model, values: values.collect::<Option<_>>()? })
        };
        let extrema = |at: usize| -> Option<Vec<Extremum>> {
            aims.iter()
                .zip(&best[at])
                .map(|(aim, best)| Some(aim.extremum(best.as_ref()?)))
                .collect()
        };
        match self.style.priority()? {
            Priority::Lexicographic => {
                let at = (0..regions.len()).min_by(|&a, &b| best[a].cmp(&best[b]))?;
                Some((Optima::Each(extrema(at)?), vec![attained(at)?]))
            }
            Priority::Box => {
                let (mut optima, mut models) = (Vec::new(), Vec::new());
                for (position, aim) in aims.iter().enumerate() {
                    let known = (0..regions.len()).filter(|&at| best[at][position].is_some());
                    let at = known.min_by(|&a, &b| best[a][position].cmp(&best[b][position]))?;
                    let least = best[at][position].as_ref()?;
                    // Another region can only be unknown if this one is as good as possible.
                    let all = (0..regions.len()).all(|at| best[at][position].is_some());
                    if !all && *least != Infimum::Unbounded {
                        return None;
                    }
                    optima.push(aim.extremum(least));
                    let mut values = vec![None; aims.len()];
                    let polyhedron = &regions[at].polyhedron;
                    let point = match least {
                        Infimum::Limit(limit, Edge::Included) if polyhedron.has_corner() => {
                            values[position] = Some(aim.written(limit));
                            &polyhedron.corner
                        }
                        _ => &polyhedron.inside,
                    };
                    models.push(Attained { model: sketch.model(at, point), values });
                }
                Some((Optima::Each(optima), models))
            }
            Priority::Pareto => {
                let beats = |a: &[Option<Best>], b: &[Option<Best>]| {
                    a != b && a.iter().zip(b).all(|(a, b)| a <= b)
                };
                let mut front: Vec<usize> = Vec::new();
                for at in 0..regions.len() {
                    let known = front.iter().any(|&other| best[other] == best[at]);
                    if !known && !best.iter().any(|other| beats(other, &best[at])) {
                        front.push(at);
                    }
                }
                let points = front.iter().map(|&at| extrema(at).map(Point));
                let optima = Optima::Front(points.collect::<Option<_>>()?);
                Some((optima, front.into_iter().map(attained).collect::<Option<_>>()?))
            }
        }
    }
}

impl Aim {
    /// The value as it is reported, of the least value.
    fn written(&self, least: &BigRational) -> BigRational {
        match self {
            Aim::Group(_) => least.clone(),
            Aim::Bounded(number, _) | Aim::Unbounded(number) => match number.goal {
                Goal::Minimize => least + &number.constant,
                Goal::Maximize => &number.constant - least,
            },
        }
    }

    fn extremum(&self, best: &Best) -> Extremum {
        let goal = match self {
            Aim::Group(_) => Goal::Minimize,
            Aim::Bounded(number, _) | Aim::Unbounded(number) => number.goal,
        };
        match (best, goal) {
            (Infimum::Unbounded, Goal::Minimize) => Extremum::MinusInfinity,
            (Infimum::Unbounded, Goal::Maximize) => Extremum::PlusInfinity,
            (Infimum::Limit(limit, Edge::Included), _) => value(&self.written(limit)),
            (Infimum::Limit(limit, Edge::Excluded), Goal::Minimize) => {
                Extremum::JustAbove(self.written(limit).into())
            }
            (Infimum::Limit(limit, Edge::Excluded), Goal::Maximize) => {
                Extremum::JustBelow(self.written(limit).into())
            }
        }
    }
}

/// A ray along which a term falls without end, if one is found.
fn ray(region: &Region, term: &[BigRational], direction: &[BigRational]) -> Option<Vector> {
    let axis = |at: usize, sign: i64| -> Vector {
        let one = |other| if other == at { sign } else { 0 };
        (0..term.len()).map(|other| BigRational::from_integer(one(other).into())).collect()
    };
    let axes = (0..term.len()).flat_map(|at| [axis(at, 1), axis(at, -1)]);
    let mut rays = std::iter::once(direction.to_vec()).chain(axes);
    rays.find(|ray| region.polyhedron.is_unbounded(term, ray))
}

/// The best values of the aims in each region; none of an unbounded one where it is not known. None at
/// all if a certificate does not check.
fn best_values(
    sketch: &mut Sketch,
    regions: &[Region],
    aims: &[Aim],
    direction: &[BigRational],
) -> Option<Vec<Vec<Option<Best>>>> {
    let mut all = Vec::new();
    for (at, region) in regions.iter().enumerate() {
        let model = sketch.model(at, &region.polyhedron.inside);
        let mut evaluator = Evaluator::new(&sketch.store, &model);
        let mut best = Vec::new();
        for aim in aims {
            best.push(match aim {
                Aim::Bounded(number, at) => {
                    let certificate = region.certificates.get(*at)?;
                    Some(region.polyhedron.infimum(&number.coefficients, certificate)?)
                }
                Aim::Unbounded(number) => {
                    ray(region, &number.coefficients, direction).map(|_| Infimum::Unbounded)
                }
                Aim::Group(softs) => {
                    let mut lost = zero();
                    for soft in softs {
                        if !evaluator.holds(soft.term).ok()? {
                            lost += &soft.weight.value;
                        }
                    }
                    Some(Infimum::Limit(lost, Edge::Included))
                }
            });
        }
        all.push(best);
    }
    Some(all)
}

/// The terms of a formula under construction.
struct Sketch {
    numbers: Numbers,
    store: Store,
    variables: Vec<(FuncId, TermId)>,
    /// One Boolean for each region; exactly one of them holds where there are soft constraints.
    selectors: Vec<(FuncId, TermId)>,
    uses_selectors: bool,
    hard: Vec<TermId>,
}

impl Sketch {
    fn new(numbers: Numbers, dimension: usize, regions: usize) -> Sketch {
        let mut store = Store::new();
        let mut declared = |stem: &str, count: usize, sort: SortId| -> Vec<(FuncId, TermId)> {
            let one = |at| {
                let name = format!("{stem}{at}");
                (store.declare(&name, &[], sort), store.constant(&name, sort))
            };
            (0..count).map(one).collect()
        };
        let variables = declared("x", dimension, numbers.sort());
        let selectors = declared("p", regions, SortId::BOOL);
        let (uses_selectors, hard) = (false, Vec::new());
        Sketch { numbers, store, variables, selectors, uses_selectors, hard }
    }

    /// A point of a region.
    fn model(&self, region: usize, point: &[BigRational]) -> Model {
        let mut model = Model::new();
        for ((func, _), number) in self.variables.iter().zip(point) {
            model.set(*func, Interpretation::Value(self.numbers.value(number)));
        }
        for (at, (func, _)) in self.selectors.iter().enumerate() {
            model.set(*func, Interpretation::Value(Value::Bool(at == region)));
        }
        model
    }

    fn op(&mut self, op: assay_term::Op, args: &[TermId]) -> TermId {
        self.store.op(op, args).expect("the sorts are right")
    }

    /// The arguments under an operator of many, or the only one.
    fn joined(&mut self, op: assay_term::Op, args: &[TermId]) -> TermId {
        match args {
            [only] => *only,
            _ => self.op(op, args),
        }
    }

    fn numeral(&mut self, number: &BigRational) -> TermId {
        let value = self.numbers.value(number);
        self.store.value(&value).expect("numbers can be written")
    }

    /// A linear term.
    fn sum(&mut self, coefficients: &[BigRational], constant: &BigRational) -> TermId {
        let mut parts = Vec::new();
        for (at, factor) in coefficients.iter().enumerate() {
            let variable = self.variables[at].1;
            if *factor == one() {
                parts.push(variable);
            } else if -factor.clone() == one() {
                parts.push(self.op(ints::SUB, &[variable]));
            } else if *factor != zero() {
                let factor = self.numeral(factor);
                parts.push(self.op(ints::MUL, &[factor, variable]));
            }
        }
        if parts.is_empty() || *constant != zero() {
            parts.push(self.numeral(constant));
        }
        self.joined(ints::ADD, &parts)
    }

    /// A constraint in one of several forms.
    fn constraint(&mut self, draw: &mut Draw, constraint: &HalfSpace) -> TermId {
        let factor = BigRational::from_integer((*draw.pick(&[1, 1, 2, 3])).into());
        let (mut left, mut right) = (constraint.normal.clone(), constraint.normal.clone());
        for (left, right) in left.iter_mut().zip(&mut right) {
            match draw.below(4) {
                0 => {
                    *right = -&factor * &*right;
                    *left = zero();
                }
                _ => {
                    *left = &factor * &*left;
                    *right = zero();
                }
            }
        }
        let left = self.sum(&left, &zero());
        let right = self.sum(&right, &(&factor * &constraint.offset));
        let (above, below, opposite) = match constraint.edge {
            Edge::Included => (ints::GE, ints::LE, ints::LT),
            Edge::Excluded => (ints::GT, ints::LT, ints::LE),
        };
        match draw.below(3) {
            0 => self.op(above, &[left, right]),
            1 => self.op(below, &[right, left]),
            _ => {
                let outside = self.op(opposite, &[left, right]);
                self.op(core::NOT, &[outside])
            }
        }
    }

    fn constraints(&mut self, draw: &mut Draw, region: &Region) -> Vec<TermId> {
        let constraints = &region.polyhedron.constraints;
        constraints.iter().map(|constraint| self.constraint(draw, constraint)).collect()
    }

    /// The point is in one of the regions.
    fn join(&mut self, draw: &mut Draw, regions: &[Region]) {
        if let [only] = regions {
            self.hard = self.constraints(draw, only);
            return;
        }
        let mut cases = Vec::new();
        for region in regions {
            let constraints = self.constraints(draw, region);
            cases.push(self.joined(core::AND, &constraints));
        }
        let union = self.joined(core::OR, &cases);
        self.hard.push(union);
    }

    /// The point is in the region whose Boolean holds.
    fn select(&mut self, draw: &mut Draw, regions: &[Region]) {
        self.uses_selectors = true;
        let selectors: Vec<TermId> = self.selectors.iter().map(|(_, term)| *term).collect();
        let some = self.joined(core::OR, &selectors);
        self.hard.push(some);
        for (at, &one) in selectors.iter().enumerate() {
            for &other in &selectors[..at] {
                let both = self.op(core::AND, &[other, one]);
                let not = self.op(core::NOT, &[both]);
                self.hard.push(not);
            }
        }
        for (region, &selector) in regions.iter().zip(&selectors) {
            let constraints = self.constraints(draw, region);
            let all = self.joined(core::AND, &constraints);
            let implied = self.op(core::IMPLIES, &[selector, all]);
            self.hard.push(implied);
        }
    }

    /// Soft constraints about which region it is.
    fn softs(&mut self, draw: &mut Draw, group: &'static str, weights: &[Weight]) -> Vec<Soft> {
        let mut softs = Vec::new();
        for _ in 0..draw.between(1, 3) {
            let [one, other] = [0; 2].map(|_| draw.pick(&self.selectors).1);
            let term = match draw.below(4) {
                0 => one,
                1 => self.op(core::NOT, &[one]),
                2 => self.op(core::OR, &[one, other]),
                _ => self.op(core::EQ, &[one, other]),
            };
            softs.push(Soft { term, weight: draw.pick(weights).clone(), group: Some(group) });
        }
        softs
    }

    fn into_problem(mut self, priority: Option<Priority>, aims: Vec<Aim>) -> Problem {
        let mut wishes = Vec::new();
        for aim in aims {
            match aim {
                Aim::Group(softs) => wishes.extend(softs.into_iter().map(Wish::Soft)),
                Aim::Bounded(number, _) | Aim::Unbounded(number) => {
                    let mut coefficients = number.coefficients;
                    if number.goal == Goal::Maximize {
                        coefficients.iter_mut().for_each(|x| *x = -x.clone());
                    }
                    let term = self.sum(&coefficients, &number.constant);
                    wishes.push(Wish::Number(number.goal, term));
                }
            }
        }
        let Sketch { mut store, variables, selectors, uses_selectors, hard, .. } = self;
        let nothing = read_script(&mut store, b"", Lets::Keep);
        let (script, env) = nothing.expect("nothing is a script");
        let mut problem = Problem { store, env, script, hard, wishes };
        if let Some(priority) = priority {
            problem.set_priority(priority);
        }
        let selectors = selectors.into_iter().filter(|_| uses_selectors);
        for (func, _) in variables.into_iter().chain(selectors) {
            problem.declare(func).expect("the names are different");
        }
        problem
    }
}
