//! Checks a case on a domain: the only interpreter of programs and laws.

mod ends;
mod queried;

use crate::domain::{Domain, Truth, guarded, is_alone, loses, point};
use crate::law::{Claim, Class, Law, Term};
use crate::linear::{Constraint, Linear, Relation};
use crate::points::{Histories, Point};
use crate::program::{Check, Step, Trace, Uses};
use queried::queried;
use rustc_hash::FxHashMap;
use std::ops::Deref;

/// The result of one check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The law holds.
    Holds,
    /// A premise does not hold, or there is nothing to test it with.
    Inapplicable,
    /// The law does not hold.
    Violated(Violation),
}

/// How certain a violation is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Firmness {
    /// Soft: the domain itself said that it might be imprecise here, or could not decide.
    Soft,
    /// Hard: the domain claimed to be exact.
    Hard,
}

/// A violation of a law.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The law.
    pub law: &'static Law,
    /// How certain it is.
    pub firmness: Firmness,
    /// The evidence in addition to the program: a point, a number of steps, elements.
    pub evidence: String,
}

/// The statistics of running a case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Number of laws tested with their premises satisfied.
    pub checked: u64,
    /// Number of laws whose premises did not hold.
    pub inapplicable: u64,
    /// The number of tests of each law with its premises satisfied.
    pub laws: FxHashMap<&'static str, u64>,
}

/// A case being checked on a domain.
pub struct Trial<'t, D: Domain> {
    domain: &'t D,
    case: &'t Trace,
    elements: Vec<Option<D::Element>>,
    /// Which elements are larger than necessary according to the domain itself, or may be because of their
    /// operands.
    approximate: Vec<bool>,
    /// The number of steps and assertions that use each element.
    uses: Vec<u32>,
    /// The operands of the current assertion. Queries change what libraries cache in an element, so an
    /// assertion gets copies of elements that others use too.
    operands: [Option<D::Element>; 3],
    /// The loop head for the joins of the current assertion.
    hint: Option<D::Element>,
    /// Which elements the domain cannot make, because it does not take a sum in their history.
    foreign: Vec<bool>,
    histories: Histories<'t>,
}

/// The value of a term: an operand, or a new element.
enum Held<'h, E> {
    Operand(&'h E),
    Made(E),
}

impl<E> Deref for Held<'_, E> {
    type Target = E;

    fn deref(&self) -> &E {
        match self {
            Held::Operand(element) => element,
            Held::Made(element) => element,
        }
    }
}

impl<'t, D: Domain> Trial<'t, D> {
    /// Nothing is computed until it is needed.
    #[must_use]
    pub fn new(domain: &'t D, case: &'t Trace) -> Trial<'t, D> {
        let elements = case.steps.iter().map(|_| None).collect();
        let mut uses = vec![0; case.steps.len()];
        let of_steps = case.steps.iter().flat_map(Step::operands);
        of_steps.for_each(|at| uses[at] += 1);
        case.checks.iter().flat_map(Check::operands).for_each(|at| uses[at] += 1);
        let operands = [None, None, None];
        let approximate = vec![false; case.steps.len()];
        let mut foreign: Vec<bool> = Vec::with_capacity(case.steps.len());
        for step in &case.steps {
            let taken = match step {
                Step::Element(constraints) => constraints.iter().all(|c| domain.takes(&c.sum)),
                Step::Assign(_, _, sum) => domain.takes(sum),
                Step::Guard(_, constraint) => domain.takes(&constraint.sum),
                _ => true,
            };
            foreign.push(!taken || step.operands().any(|operand| foreign[operand]));
        }
        Trial {
            domain,
            case,
            elements,
            approximate,
            uses,
            operands,
            hint: None,
            foreign,
            histories: Histories::new(case),
        }
    }

    /// An element, computed once with everything it depends on.
    pub fn element(&mut self, at: usize) -> &D::Element {
        let mut open = vec![at];
        while let Some(&next) = open.last() {
            let lacking: Vec<usize> = match self.elements[next] {
                Some(_) => Vec::new(),
                None => self.case.steps[next]
                    .operands()
                    .filter(|operand| self.elements[*operand].is_none())
                    .collect(),
            };
            if lacking.is_empty() {
                open.pop();
                if self.elements[next].is_none() {
                    let step = &self.case.steps[next];
                    let _ = self.domain.approximated();
                    self.elements[next] = Some(self.make(step));
                    self.approximate[next] = self.domain.approximated()
                        || step.operands().any(|operand| self.approximate[operand]);
                }
            } else {
                open.extend(lacking);
            }
        }
        self.elements[at].as_ref().expect("it was made above")
    }

    /// An element that was already computed.
    pub(crate) fn made(&self, at: usize) -> Option<&D::Element> {
        self.elements[at].as_ref()
    }

    fn ready(&self, at: usize) -> &D::Element {
        self.elements[at].as_ref().expect("operands are made first")
    }

    /// An operand of the current assertion.
    fn operand(&self, at: usize) -> &D::Element {
        self.operands[at].as_ref().expect("the law speaks of it")
    }

    /// Whether an element is used elsewhere too, and must not be changed here.
    fn is_shared(&self, at: usize) -> bool {
        self.uses[at] > 1 && self.domain.remembers()
    }

    fn make(&self, step: &Step) -> D::Element {
        let (domain, dimensions) = (self.domain, self.case.dimensions);
        let own = |at: usize| match self.is_shared(at) {
            true => Held::Made(self.ready(at).clone()),
            false => Held::Operand(self.ready(at)),
        };
        match step {
            Step::Top => domain.top(dimensions),
            Step::Bottom => domain.bottom(dimensions),
            Step::Element(constraints) => constraints
                .iter()
                .fold(domain.top(dimensions), |element, c| domain.guard(&element, c)),
            Step::Join(a, b) => domain.join(&own(*a), &own(*b)),
            Step::Meet(a, b) => domain.meet(&own(*a), &own(*b)),
            Step::Widen(a, b) => widen(domain, &own(*a), &own(*b)),
            Step::Assign(a, variable, sum) => domain.assign(&own(*a), *variable, sum),
            Step::Project(a, variable) => domain.project(&own(*a), *variable),
            Step::Guard(a, constraint) => domain.guard(&own(*a), constraint),
            Step::Queried(a) => queried(domain, self.ready(*a)),
        }
    }

    /// Checks one of the case's assertions.
    pub fn check(&mut self, at: usize) -> Outcome {
        let check = &self.case.checks[at];
        let taken = self.domain.takes(&check.sum) && self.domain.takes(&check.constraint.sum);
        if !taken || check.operands().into_iter().any(|operand| self.foreign[operand]) {
            return Outcome::Inapplicable;
        }
        for operand in check.operands() {
            self.element(operand);
        }
        let hinted = check.head.filter(|_| self.domain.profile().hinted);
        self.hint = hinted.map(|head| self.ready(head).clone());
        let used = Uses::of(check.law).elements;
        let places = [0, 1, 2].map(|place| used[place].then_some(check.elements[place]));
        for (operand, place) in self.operands.iter_mut().zip(places) {
            *operand = match place {
                Some(place) if self.uses[place] == 1 => self.elements[place].take(),
                Some(place) => self.elements[place].clone(),
                None => None,
            };
        }
        let outcome = self.attempt(check);
        for (operand, place) in self.operands.iter_mut().zip(places) {
            if let Some(place) = place.filter(|place| self.uses[*place] == 1) {
                self.elements[place] = operand.take();
            }
        }
        outcome
    }

    fn attempt(&mut self, check: &Check) -> Outcome {
        // Approximations during the construction of the operands are part of them, and most laws are only
        // about the operations that they name themselves.
        let _ = self.domain.approximated();
        for premise in check.law.premises {
            if self.claim(check, premise, false).truth != Truth::Yes {
                return Outcome::Inapplicable;
            }
        }
        let found = self.claim(check, &check.law.conclusion, true);
        let inherited = check.law.trusts_history()
            && check.operands().into_iter().any(|operand| self.approximate[operand]);
        let imprecise = (self.domain.approximated() || inherited)
            && check.law.class == Class::Precision
            && !self.case.strict;
        let firmness = match found.truth {
            Truth::Yes => return Outcome::Holds,
            Truth::No if found.vacuous => return Outcome::Inapplicable,
            Truth::No if !imprecise => Firmness::Hard,
            Truth::Unsure if self.case.strict => Firmness::Hard,
            Truth::No | Truth::Unsure => Firmness::Soft,
        };
        Outcome::Violated(Violation { law: check.law, firmness, evidence: found.evidence })
    }

    fn term(&self, check: &Check, term: &Term) -> Held<'_, D::Element> {
        let (domain, dimensions) = (self.domain, self.case.dimensions);
        let of = |term: &Term| self.term(check, term);
        Held::Made(match term {
            Term::X => return Held::Operand(self.operand(0)),
            Term::Y => return Held::Operand(self.operand(1)),
            Term::Z => return Held::Operand(self.operand(2)),
            Term::Top => domain.top(dimensions),
            Term::Bottom => domain.bottom(dimensions),
            Term::Join(a, b) => self.join(&of(a), &of(b)),
            Term::Meet(a, b) => domain.meet(&of(a), &of(b)),
            Term::Widen(a, b) => widen(domain, &of(a), &of(b)),
            Term::Narrow(a, b) => narrow(domain, &of(a), &of(b)),
            Term::Assign(a) => domain.assign(&of(a), check.variable, &check.sum),
            Term::Project(a) => domain.project(&of(a), check.variable),
            Term::Guard(a) => domain.guard(&of(a), &check.constraint),
            Term::Close(a) => domain.close(&of(a)),
            Term::Queried(a) => queried(domain, &of(a)),
        })
    }

    /// The join that laws are about.
    fn join(&self, left: &D::Element, right: &D::Element) -> D::Element {
        if self.domain.profile().hinted {
            self.domain.join_hinted(left, right, self.hint.as_ref().unwrap_or(left))
        } else {
            self.domain.join(left, right)
        }
    }

    /// Whether a claim holds; on request, with the reason if it does not.
    fn claim(&mut self, check: &Check, claim: &Claim, explained: bool) -> Found {
        let domain = self.domain;
        let pair = |a: &Term, b: &Term| (self.term(check, a), self.term(check, b));
        let shown = |truth: Truth, of: &[&D::Element]| {
            let evidence = match truth {
                Truth::Yes => String::new(),
                _ if !explained => String::new(),
                _ => of.iter().map(|e| domain.show(e)).collect::<Vec<_>>().join("; "),
            };
            Found { truth, evidence, vacuous: false }
        };
        match claim {
            Claim::Leq(a, b) => {
                let (a, b) = pair(a, b);
                shown(domain.leq(&a, &b), &[&*a, &*b])
            }
            Claim::Eq(a, b) => {
                let (a, b) = pair(a, b);
                shown(domain.eq(&a, &b), &[&*a, &*b])
            }
            Claim::IsBottom(a) => {
                let a = self.term(check, a);
                shown(domain.is_bottom(&a), &[&*a])
            }
            Claim::NotBottom(a) => {
                let a = self.term(check, a);
                shown(denied(domain.is_bottom(&a), explained), &[&*a])
            }
            Claim::IsTop(a) => {
                let a = self.term(check, a);
                shown(domain.is_top(&a), &[&*a])
            }
            Claim::NotTop(a) => {
                let a = self.term(check, a);
                shown(denied(domain.is_top(&a), explained), &[&*a])
            }
            Claim::Disjoint => {
                let shape = domain.profile().shape;
                let [x, y, _] = check.elements;
                Found::of(self.histories.disjoint(x, y, shape))
            }
            Claim::Representable => {
                Found::of(domain.profile().shape.represents_value(check.variable, &check.sum))
            }
            Claim::RepresentableGuard => {
                Found::of(domain.profile().shape.represents(&check.constraint))
            }
            Claim::SilentGuard => {
                let exact = domain.profile().shape.represents(&check.constraint);
                Found::of(exact && !check.constraint.sum.mentions(check.variable))
            }
            Claim::WidenRests => self.rests(check, true, &|x, y| widen(domain, x, y)),
            Claim::NarrowRests => self.rests(check, false, &|x, y| narrow(domain, x, y)),
            Claim::LoopRests => {
                self.iterate(&|x| widen(domain, x, &domain.assign(x, check.variable, &check.sum)))
            }
            Claim::LoopNarrows => self.iterate(&|x| {
                let after = domain.assign(x, check.variable, &check.sum);
                narrow(domain, x, &after)
            }),
            Claim::HasPoints => {
                let inside = self.histories.inside(check.elements[0]);
                self.points(0, inside, Truth::Yes)
            }
            Claim::HasPointsOf => {
                let inside = self.histories.inside(check.elements[0]);
                self.points(1, inside, Truth::Yes)
            }
            Claim::LacksPoints => {
                let shape = domain.profile().shape;
                let outside = self.histories.outside(check.elements[0], shape);
                self.points(0, outside, Truth::No)
            }
            Claim::Best(operation) => self.has_best_bounds(check, *operation),
            Claim::HasEnds(operation) => self.loses_no_end(check, *operation),
            Claim::SameAnswers => self.answers_the_same(),
            Claim::KeepsBounds => self.keeps_bounds(check),
            Claim::Unchanged(term) => self.leaves_operands(check, term),
        }
    }

    /// The iteration of a loop, without drawn elements: it must converge by itself.
    fn iterate(&self, step: &dyn Fn(&D::Element) -> D::Element) -> Found {
        let limit = self.domain.profile().steps;
        let mut current = self.operand(0).clone();
        for _ in 0..limit {
            let next = step(&current);
            if self.domain.eq(&next, &current) != Truth::No {
                return Found::of(true);
            }
            current = next;
        }
        Found::restless(limit, &self.domain.show(&current))
    }

    /// Algorithm 2.3: iterates until nothing changes. Elements of a finite pool have finitely many
    /// joins, so a widening that is a join would converge too. The last element of the chain
    /// therefore keeps climbing: each variable grows by one at every step.
    fn rests(&self, check: &Check, climbs: bool, step: &Iteration<'_, D::Element>) -> Found {
        let limit = self.domain.profile().steps;
        let mut current = self.operand(0).clone();
        let Some(&last) = check.chain.last() else { return Found::of(true) };
        let mut with = self.ready(last).clone();
        for turn in 0..limit {
            match check.chain.get(turn) {
                Some(&drawn) => with = self.ready(drawn).clone(),
                None if climbs => with = self.climbed(with),
                None => {}
            }
            let next = step(&current, &with);
            // Before the end of the chain, convergence is only for this element.
            let over = turn >= check.chain.len();
            if over && self.domain.eq(&next, &current) != Truth::No {
                return Found::of(true);
            }
            current = next;
        }
        Found::restless(limit, &self.domain.show(&current))
    }

    /// The element with every variable grown by one.
    fn climbed(&self, element: D::Element) -> D::Element {
        let dimensions = self.case.dimensions;
        (0..dimensions).fold(element, |element, variable| {
            self.domain.assign(&element, variable, &Linear::of(dimensions, &[(variable, 1)], 1))
        })
    }

    /// Whether computing a term leaves its operands as they were, compared with copies.
    fn leaves_operands(&self, check: &Check, term: &Term) -> Found {
        let domain = self.domain;
        let used = [Term::X, Term::Y].map(|operand| term.mentions(&|part| *part == operand));
        let kept = [0, 1].map(|at| used[at].then(|| self.operand(at).clone()));
        drop(self.term(check, term));
        for (at, before) in kept.iter().enumerate() {
            let Some(before) = before else { continue };
            let now = self.operand(at);
            let differs = |question: fn(&D, &D::Element) -> Truth| {
                contradict(question(domain, before), question(domain, now))
            };
            // Comparing may round; the answers about one element do not depend on that.
            let changed = domain.leq(before, now) == Truth::No
                || domain.leq(now, before) == Truth::No
                || differs(|domain, element| domain.is_bottom(element))
                || differs(|domain, element| domain.is_top(element));
            if changed {
                let name = ["x", "y"][at];
                let (before, now) = (domain.show(before), domain.show(now));
                return Found::broken(format!("{name} was {before} and is now {now}"));
            }
        }
        Found::of(true)
    }

    /// Whether an element contains, or does not contain, these points.
    fn points(&self, operand: usize, points: Vec<Point>, wanted: Truth) -> Found {
        if points.is_empty() {
            return Found::vacuous();
        }
        let x = self.operand(operand);
        for coordinates in points {
            let within = self.within(&coordinates, x);
            if within != wanted && within != Truth::Unsure {
                let word = if wanted == Truth::Yes { "lost" } else { "not excluded" };
                let shown = self.domain.show(x);
                return Found::broken(format!("the point {coordinates:?} is {word}: {shown}"));
            }
        }
        Found::of(true)
    }

    /// Whether a point is in an element. If a test for the point leaves nothing of the element, the point is
    /// missing. The element for the point may be larger than the point if tests are inexact, so a negative
    /// answer of the order counts only if it is exact.
    ///
    /// No constant names a coordinate beyond the limits of machine integers; for such a point only tests
    /// that it passes are tried.
    fn within(&self, coordinates: &[i128], x: &D::Element) -> Truth {
        let domain = self.domain;
        let is_empty = |element: &D::Element| domain.is_bottom(element) == Truth::Yes;
        let limit = i128::from(i64::MAX);
        if coordinates.iter().any(|value| value.abs() > limit) {
            let dimensions = coordinates.len();
            let lost = is_empty(&guarded(domain, x.clone(), coordinates))
                || coordinates.iter().enumerate().any(|(variable, &value)| {
                    value.abs() > limit && loses(domain, x, dimensions, variable, value)
                });
            return if lost { Truth::No } else { Truth::Unsure };
        }
        let exact = domain.profile().has_points();
        let stand_in = point(domain, coordinates);
        if is_empty(&stand_in) {
            return Truth::No;
        }
        match domain.leq(&stand_in, x) {
            Truth::Yes if exact => Truth::Yes,
            _ if is_empty(&guarded(domain, x.clone(), coordinates)) => Truth::No,
            Truth::Yes => Truth::Yes,
            Truth::No if exact && is_alone(domain, &stand_in, coordinates) => Truth::No,
            Truth::No | Truth::Unsure => Truth::Unsure,
        }
    }

    /// A bound that `x` attains and `y` respects is a bound of their widening.
    fn keeps_bounds(&mut self, check: &Check) -> Found {
        let dimensions = self.case.dimensions;
        let domain = self.domain;
        let all = domain.top(dimensions);
        let mut tried = Found::vacuous();
        for bound in self.histories.constraints(check.elements[0]) {
            let unary = bound.sum.terms().count() == 1 && domain.profile().shape.represents(&bound);
            if bound.relation != Relation::AtLeast || !unary {
                continue;
            }
            let within = domain.guard(&all, &bound);
            let reached = domain.guard(self.operand(0), &Constraint::equal(bound.sum.clone()));
            let stands = domain.leq(self.operand(0), &within) == Truth::Yes
                && domain.leq(self.operand(1), &within) == Truth::Yes
                && domain.is_bottom(&reached) == Truth::No;
            if stands {
                let widened = widen(domain, self.operand(0), self.operand(1));
                tried = Found::of(true);
                if domain.leq(&widened, &within) == Truth::No {
                    return Found::broken(format!("{bound} is lost: {}", domain.show(&widened)));
                }
            }
        }
        tried
    }
}

/// A step of widening or narrowing.
type Iteration<'i, E> = dyn Fn(&E, &E) -> E + 'i;

/// The result of a claim.
struct Found {
    truth: Truth,
    evidence: String,
    /// There was nothing to test it with.
    vacuous: bool,
}

impl Found {
    fn of(holds: bool) -> Found {
        Found { truth: holds.into(), evidence: String::new(), vacuous: false }
    }

    fn restless(limit: usize, shown: &str) -> Found {
        Found::broken(format!("no convergence after {limit} steps: {shown}"))
    }

    fn broken(evidence: String) -> Found {
        Found { truth: Truth::No, evidence, vacuous: false }
    }

    fn vacuous() -> Found {
        Found { truth: Truth::No, evidence: String::new(), vacuous: true }
    }
}

/// Whether something is denied; a conclusion is content with an answer that is not affirmed.
fn denied(truth: Truth, concluded: bool) -> Truth {
    match truth {
        Truth::Yes => Truth::No,
        Truth::Unsure if !concluded => Truth::Unsure,
        Truth::No | Truth::Unsure => Truth::Yes,
    }
}

/// Whether one answer is yes and the other no.
pub(crate) fn contradict(one: Truth, other: Truth) -> bool {
    matches!((one, other), (Truth::Yes, Truth::No) | (Truth::No, Truth::Yes))
}

/// Widening; if the second operand must contain the first, their join replaces it.
fn widen<D: Domain>(domain: &D, left: &D::Element, right: &D::Element) -> D::Element {
    if domain.profile().monotone_widening {
        domain.widen(left, &domain.join(left, right))
    } else {
        domain.widen(left, right)
    }
}

/// Narrowing; its second operand must be included in the first, so their meet replaces it.
fn narrow<D: Domain>(domain: &D, left: &D::Element, right: &D::Element) -> D::Element {
    domain.narrow(left, &domain.meet(left, right))
}

/// Checks every assertion of a case; returns those that fail, hard violations first.
pub fn violations<D: Domain>(
    domain: &D,
    case: &Trace,
    tally: &mut Tally,
) -> Vec<(usize, Violation)> {
    let mut trial = Trial::new(domain, case);
    let mut failed = Vec::new();
    for at in 0..case.checks.len() {
        let outcome = trial.check(at);
        tally.count(case.checks[at].law, &outcome);
        if let Outcome::Violated(violation) = outcome {
            failed.push((at, violation));
        }
    }
    firmest_first(&mut failed);
    failed
}

/// Sorts violations so that hard ones come first, in the order of their assertions.
pub(crate) fn firmest_first(failed: &mut [(usize, Violation)]) {
    failed.sort_by_key(|(at, violation)| (std::cmp::Reverse(violation.firmness), *at));
}

impl Tally {
    /// Counts an outcome.
    pub(crate) fn count(&mut self, law: &Law, outcome: &Outcome) {
        match outcome {
            Outcome::Holds | Outcome::Violated(_) => {
                self.checked += 1;
                *self.laws.entry(law.name).or_default() += 1;
            }
            Outcome::Inapplicable => self.inapplicable += 1,
        }
    }
}
