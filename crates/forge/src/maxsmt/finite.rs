//! Random formulas with few assignments: trying all of them finds the optimum.

use super::grow::{Flavour, Grower, RANGE, Variable, variables};
use super::problem::{Attained, Objective, Problem, Soft, Wish, value};
use super::refuted::with_further;
use super::spec::{Style, Weight, zero};
use crate::draw::Draw;
use crate::refute::{assertion_name, script as named};
use assay_case::{
    ExpectedCore, Formula, Goal, MakeError, Optima, Oracle, Origin, Point, Priority, TestCase, Why,
};
use assay_smtlib::{Command, Lets, Script, read_script};
use assay_term::theories::{core, ints};
use assay_term::{Evaluator, Int, Interpretation, Model, SortId, Store, TermId, Value};
use num_rational::BigRational;
use std::cmp::Ordering;

/// The formulas of one flavor and style.
pub(crate) struct Finite {
    pub(crate) flavour: Flavour,
    pub(crate) style: Style,
    pub(crate) weights: Vec<Weight>,
}

/// The rule that justifies the optimum.
const RULE: &str = "exhaustive-evaluation";

impl Finite {
    /// Whether there are such formulas.
    pub(crate) fn is_possible(&self) -> bool {
        match self.style {
            // The range of an integer is a hard constraint.
            Style::OnlySoft => self.flavour != Flavour::Integers,
            Style::MinimizeMaximize => self.flavour != Flavour::Booleans,
            Style::Strict => false,
            _ => true,
        }
    }

    /// The case with this number.
    pub(crate) fn case(
        &self,
        number: u128,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let salt = format!("{}/{}", self.style.name(), self.flavour.name());
        let mut draw = Draw::new(&salt, number);
        let mut store = Store::new();
        let variables = variables(&mut store, &mut draw, self.flavour);
        let point = point(&variables, |values| draw.pick(values).clone());
        let mut problem = self.problem(store, &mut draw, &variables, &point)?;
        if self.style == Style::UnsatHard {
            return self.refuted(problem, &mut draw, &variables, name, origin);
        }
        if self.style == Style::Unbounded {
            return unbounded(problem, &mut draw, point, name, origin);
        }
        let unknown = || MakeError::fault(format!("{name}: evaluation gave no result"));
        if self.style.priority().is_some() {
            let (problem, optima, attained) =
                several_optima(problem, self.style, &variables).ok_or_else(unknown)?;
            return problem.into_optimal_case(optima, attained, vec![RULE.into()], name, origin);
        }
        let mut best = optimum(&problem, &variables).ok_or_else(unknown)?;
        if self.style == Style::SubsetHolds && best.1.iter().all(|lost| *lost == zero()) {
            // If all of them hold: one more that contradicts another.
            let wish = problem.wishes.iter().find_map(|wish| match wish {
                Wish::Soft(soft) => Some(soft.clone()),
                Wish::Number(..) => None,
            });
            let soft = wish.expect("every formula of this style has soft constraints");
            let term = negated(&mut problem.store, soft.term);
            let weight = draw.pick(&self.weights).clone();
            problem.wishes.push(Wish::Soft(Soft { term, weight, ..soft }));
            best = optimum(&problem, &variables).ok_or_else(unknown)?;
        }
        problem.into_case(best.0, &best.1, vec![RULE.into()], name, origin)
    }

    /// A formula that holds at a point.
    fn problem(
        &self,
        mut store: Store,
        draw: &mut Draw,
        variables: &[Variable],
        point: &Model,
    ) -> Result<Problem, MakeError> {
        if self.style.priority().is_some() {
            return self.problem_with_priority(store, draw, variables, point);
        }
        let mut hard = ranges(&mut store, variables);
        let (least, most) = match self.style {
            Style::OnlySoft => (0, 0),
            _ => (1, 4),
        };
        for _ in 0..draw.between(least, most) {
            let formula = Grower::new(&mut store, draw, variables).formula(3);
            hard.push(made_true(&mut store, formula, point)?);
        }
        let mut wishes = Vec::new();
        let (least, most) = match self.style {
            Style::MinimizeMaximize => (0, 3),
            Style::Unbounded => (0, 0),
            _ => (2, 8),
        };
        for at in 0..draw.between(least, most) {
            let mut term = Grower::new(&mut store, draw, variables).formula(2);
            if self.style == Style::AllSoftHold {
                term = made_true(&mut store, term, point)?;
            }
            let mut weight = draw.pick(&self.weights).clone();
            if self.style == Style::NegativeWeights && draw.below(2) == 0 {
                weight = weight.negated();
            }
            let group = match self.style {
                Style::SeveralObjectives => {
                    let groups = ["first", "second", "third"];
                    // There are at least two of them.
                    Some(if at < 2 { groups[at] } else { *draw.pick(&groups) })
                }
                // Older versions of z3 give an unnamed group the name of the latest one before
                // it, even if that was in another formula of the session.
                Style::MinimizeMaximize => Some("wishes"),
                _ => None,
            };
            wishes.push(Wish::Soft(Soft { term, weight, group }));
        }
        if self.style == Style::SeveralObjectives && draw.below(2) == 0 {
            // The first group does not care which of the two fails, but those after it do.
            let term = Grower::new(&mut store, draw, variables).formula(1);
            let weight = draw.pick(&self.weights).clone();
            for term in [term, negated(&mut store, term)] {
                let soft = Soft { term, weight: weight.clone(), group: Some("first") };
                wishes.insert(0, Wish::Soft(soft));
            }
        }
        if self.style == Style::MinimizeMaximize {
            for _ in 0..draw.between(1, 2) {
                let goal = *draw.pick(&[Goal::Minimize, Goal::Maximize]);
                let term = Grower::new(&mut store, draw, variables).quantity(2);
                let term = term.expect("only flavours with numbers have this style");
                let at = draw.below(wishes.len() + 1);
                wishes.insert(at, Wish::Number(goal, term));
            }
        }
        let nothing = read_script(&mut store, b"", Lets::Keep);
        let (script, env) = nothing.expect("nothing is a script");
        let mut problem = Problem { store, env, script, hard, wishes };
        for variable in variables {
            problem.declare(variable.func).expect("the names are different");
        }
        Ok(problem)
    }

    /// A formula that holds at a point, with several objectives of each kind.
    fn problem_with_priority(
        &self,
        mut store: Store,
        draw: &mut Draw,
        variables: &[Variable],
        point: &Model,
    ) -> Result<Problem, MakeError> {
        let mut hard = ranges(&mut store, variables);
        for _ in 0..draw.between(1, 4) {
            let formula = Grower::new(&mut store, draw, variables).formula(3);
            hard.push(made_true(&mut store, formula, point)?);
        }
        let has_numbers = self.flavour != Flavour::Booleans;
        let (least, most) = if has_numbers { (0, 2) } else { (2, 3) };
        let groups = &["first", "second", "third"][..draw.between(least, most)];
        let mut wishes = Vec::new();
        for &name in groups {
            for _ in 0..draw.between(1, 3) {
                let term = Grower::new(&mut store, draw, variables).formula(2);
                let weight = draw.pick(&self.weights).clone();
                let at = draw.below(wishes.len() + 1);
                wishes.insert(at, Wish::Soft(Soft { term, weight, group: Some(name) }));
            }
        }
        if has_numbers {
            for _ in 0..draw.between(2 - groups.len().min(1), 3) {
                let goal = *draw.pick(&[Goal::Minimize, Goal::Maximize]);
                let term = Grower::new(&mut store, draw, variables).quantity(2);
                let term = term.expect("only flavours with numbers have such objectives");
                let at = draw.below(wishes.len() + 1);
                wishes.insert(at, Wish::Number(goal, term));
            }
        }
        let nothing = read_script(&mut store, b"", Lets::Keep);
        let (script, env) = nothing.expect("nothing is a script");
        let mut problem = Problem { store, env, script, hard, wishes };
        // Without the option, objectives are ranked.
        let priority = self.style.priority().expect("the caller knows that there is one");
        if priority != Priority::Lexicographic || draw.below(2) == 0 {
            problem.set_priority(priority);
        }
        for variable in variables {
            problem.declare(variable.func).expect("the names are different");
        }
        Ok(problem)
    }

    /// The same with additional hard constraints, until no assignment is left.
    fn refuted(
        &self,
        mut problem: Problem,
        draw: &mut Draw,
        variables: &[Variable],
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        while let Some(model) = first_model(&problem.store, &problem.hard, variables) {
            let grown = Grower::new(&mut problem.store, draw, variables).formula(3);
            let holds = made_true(&mut problem.store, grown, &model)?;
            // False for one of the remaining assignments, so that fewer are left.
            problem.hard.push(negated(&mut problem.store, holds));
        }
        let Problem { mut store, hard, wishes, .. } = problem;
        // Without the ranges there would be more assignments than we try: they have no names, so they
        // are part of every core.
        let (unnamed, hard) = hard.split_at(ranges(&mut store, variables).len());
        let has_model = |chosen: &dyn Fn(usize) -> bool| {
            let chosen = (0..hard.len()).filter(|&at| chosen(at)).map(|at| hard[at]);
            let formulas: Vec<TermId> = unnamed.iter().copied().chain(chosen).collect();
            first_model(&store, &formulas, variables).is_some()
        };
        let needed: Vec<usize> =
            (0..hard.len()).filter(|&at| has_model(&|other| other != at)).collect();
        // If removing any one leaves a model, they are the only minimal core.
        let core = (!has_model(&|at| needed.contains(&at)))
            .then(|| ExpectedCore { names: needed.iter().map(|&at| assertion_name(at)).collect() });
        let script = named(&mut store, Script::default(), hard);
        let mut further: Vec<Command> = unnamed.iter().map(|&term| Command::Assert(term)).collect();
        further.extend(wishes.into_iter().map(Wish::into_command));
        let script = with_further(&store, &script.commands, further);
        let formula = Formula::from_script(store, &script)
            .map_err(|error| MakeError::fault(format!("{name}: does not read back: {error}")))?;
        let rules = vec![RULE.to_owned()];
        let oracle = Oracle::Unsat { why: Why::Certified(rules.clone()), core };
        TestCase::formula(name, formula, oracle, Origin { rules, ..origin })
            .map_err(MakeError::fault)
    }
}

/// The problem with one more number, which is bounded on one side only and does not occur in the other
/// constraints: in every model it can be arbitrarily small or large.
fn unbounded(
    mut problem: Problem,
    draw: &mut Draw,
    mut model: Model,
    name: String,
    origin: Origin,
) -> Result<TestCase, MakeError> {
    let sort = *draw.pick(&[SortId::INT, SortId::REAL]);
    let func = problem.store.declare("free", &[], sort);
    problem.declare(func).expect("no other variable has this name");
    let free = problem.store.constant("free", sort);
    let end = Int::from(*draw.pick(&[-7i64, 0, 3]));
    let end = match sort {
        SortId::INT => Value::Int(end),
        _ => Value::rational(BigRational::from_integer(end.to_big())),
    };
    model.set(func, Interpretation::Value(end.clone()));
    let store = &mut problem.store;
    let end = store.value(&end).expect("numbers can be written");
    let (goal, other, bounds) = match draw.below(2) {
        0 => (Goal::Minimize, Goal::Maximize, ints::LE),
        _ => (Goal::Maximize, Goal::Minimize, ints::GE),
    };
    problem.hard.push(store.op(bounds, &[free, end]).expect("numbers can be compared"));
    let wish = match draw.below(3) {
        0 => Wish::Number(goal, free),
        1 => Wish::Number(goal, store.op(ints::ADD, &[free, free]).expect("numbers have sums")),
        // With the opposite sign, it is the other goal.
        _ => Wish::Number(other, store.op(ints::SUB, &[free]).expect("numbers have signs")),
    };
    problem.wishes = vec![wish];
    problem.into_unbounded_case(model, vec!["unbounded-number".into()], name, origin)
}

/// Integers stay in their range.
fn ranges(store: &mut Store, variables: &[Variable]) -> Vec<TermId> {
    let mut hard = Vec::new();
    for variable in variables.iter().map(|variable| variable.term) {
        if store.sort(variable) == SortId::INT {
            let ends = [RANGE.0, RANGE.1].map(|end| store.int(&Int::from(end)));
            let within = store.op(ints::LE, &[ends[0], variable, ends[1]]);
            hard.push(within.expect("integers can be compared"));
        }
    }
    hard
}

fn negated(store: &mut Store, formula: TermId) -> TermId {
    store.op(core::NOT, &[formula]).expect("a formula can be negated")
}

/// The formula or its negation, whichever holds in the model.
fn made_true(store: &mut Store, formula: TermId, model: &Model) -> Result<TermId, MakeError> {
    match Evaluator::new(store, model).holds(formula) {
        Ok(true) => Ok(formula),
        Ok(false) => Ok(negated(store, formula)),
        Err(reason) => Err(MakeError::fault(reason.words(store))),
    }
}

/// An assignment, value by value.
fn point(variables: &[Variable], mut choose: impl FnMut(&[Value]) -> Value) -> Model {
    let mut model = Model::new();
    for variable in variables {
        model.set(variable.func, Interpretation::Value(choose(&variable.values)));
    }
    model
}

/// All assignments.
fn points(variables: &[Variable]) -> impl Iterator<Item = Model> {
    let count: usize = variables.iter().map(|variable| variable.values.len()).product();
    (0..count).map(move |mut number| {
        point(variables, |values| {
            let value = values[number % values.len()].clone();
            number /= values.len();
            value
        })
    })
}

/// The first assignment under which all formulas hold.
fn first_model(store: &Store, formulas: &[TermId], variables: &[Variable]) -> Option<Model> {
    points(variables).find(|model| {
        let mut evaluator = Evaluator::new(store, model);
        formulas.iter().all(|&formula| evaluator.holds(formula) == Ok(true))
    })
}

/// The best assignment and its objective values, compared lexicographically. None if something is
/// not known, or there is no model.
fn optimum(problem: &Problem, variables: &[Variable]) -> Option<(Model, Vec<BigRational>)> {
    let objectives = problem.objectives();
    let mut best: Option<(Model, Vec<BigRational>)> = None;
    for model in points(variables) {
        let mut evaluator = Evaluator::new(&problem.store, &model);
        let hard = problem.hard.iter().map(|&term| evaluator.holds(term));
        if !hard.collect::<Result<Vec<bool>, _>>().ok()?.into_iter().all(|holds| holds) {
            continue;
        }
        let costs = problem.costs(&mut evaluator)?;
        let better = match &best {
            None => true,
            Some((_, known)) => compare(&objectives, &costs, known) == Ordering::Less,
        };
        if better {
            best = Some((model, costs));
        }
    }
    best
}

/// Maximum number of Pareto-optimal points.
const MOST_POINTS: usize = 12;

/// The optima of several objectives, with models that attain them. Objectives are left out from the
/// end until there are few Pareto-optimal points. None if something is not known, or there is no
/// model.
fn several_optima(
    mut problem: Problem,
    style: Style,
    variables: &[Variable],
) -> Option<(Problem, Optima, Vec<Attained>)> {
    loop {
        let objectives = problem.objectives();
        let all = all_costs(&problem, variables)?;
        let least = |order: &dyn Fn(&[BigRational], &[BigRational]) -> Ordering| {
            all.iter().min_by(|(_, a), (_, b)| order(a, b))
        };
        let every = |(model, costs): &(Model, Vec<BigRational>)| Attained {
            model: model.clone(),
            values: costs.iter().cloned().map(Some).collect(),
        };
        let (optima, attained) = match style.priority()? {
            Priority::Lexicographic => {
                let best = least(&|a, b| compare(&objectives, a, b))?;
                (Optima::Each(best.1.iter().map(value).collect()), vec![every(best)])
            }
            Priority::Box => {
                let (mut optima, mut attained) = (Vec::new(), Vec::new());
                for at in 0..objectives.len() {
                    let one = at..at + 1;
                    let order = |a: &[BigRational], b: &[BigRational]| {
                        compare(&objectives[one.clone()], &a[one.clone()], &b[one.clone()])
                    };
                    let (model, costs) = least(&order)?;
                    let mut values = vec![None; costs.len()];
                    values[at] = Some(costs[at].clone());
                    optima.push(value(&costs[at]));
                    attained.push(Attained { model: model.clone(), values });
                }
                (Optima::Each(optima), attained)
            }
            Priority::Pareto => {
                let front = front(&objectives, &all);
                if front.len() > MOST_POINTS {
                    problem.leave_out(*objectives.last()?);
                    continue;
                }
                let point = |(_, costs): &&(Model, Vec<BigRational>)| {
                    Point(costs.iter().map(value).collect())
                };
                let points = front.iter().map(point).collect();
                (Optima::Front(points), front.into_iter().map(every).collect())
            }
        };
        return Some((problem, optima, attained));
    }
}

/// Every model with the values of the objectives.
fn all_costs(problem: &Problem, variables: &[Variable]) -> Option<Vec<(Model, Vec<BigRational>)>> {
    let mut all = Vec::new();
    for model in points(variables) {
        let mut evaluator = Evaluator::new(&problem.store, &model);
        let hard = problem.hard.iter().map(|&term| evaluator.holds(term));
        if hard.collect::<Result<Vec<bool>, _>>().ok()?.into_iter().all(|holds| holds) {
            let costs = problem.costs(&mut evaluator)?;
            all.push((model, costs));
        }
    }
    Some(all)
}

/// The models that no other is better than, one for each list of values.
fn front<'m>(
    objectives: &[Objective],
    all: &'m [(Model, Vec<BigRational>)],
) -> Vec<&'m (Model, Vec<BigRational>)> {
    let beats = |a: &[BigRational], b: &[BigRational]| {
        let one = |at: usize| compare(&objectives[at..=at], &a[at..=at], &b[at..=at]);
        a != b && (0..objectives.len()).all(|at| one(at) != Ordering::Greater)
    };
    let mut front: Vec<&(Model, Vec<BigRational>)> = Vec::new();
    for candidate in all {
        let known = front.iter().any(|(_, costs)| *costs == candidate.1);
        if !known && !all.iter().any(|(_, costs)| beats(costs, &candidate.1)) {
            front.push(candidate);
        }
    }
    front
}

/// The better comes first.
fn compare(objectives: &[Objective], a: &[BigRational], b: &[BigRational]) -> Ordering {
    let sides = objectives.iter().zip(a.iter().zip(b));
    let each = sides.map(|(objective, (a, b))| match objective.goal() {
        Goal::Minimize => a.cmp(b),
        Goal::Maximize => b.cmp(a),
    });
    each.fold(Ordering::Equal, Ordering::then)
}
