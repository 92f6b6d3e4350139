//! Objectives with priorities: every optimum that is claimed is checked again, by trying all
//! assignments, or, over numbers, by eliminating variables (Fourier and Motzkin).

use assay_case::{Extremum, Formula, Goal, Optima, Oracle, Priority, Selection, TestCase};
use assay_forge::{SuiteOptions, suite};
use assay_smtlib::Command;
use assay_term::eval::EvalContext;
use assay_term::theories::{core, ints};
use assay_term::{Evaluator, Func, FuncId, Int, Interpretation, Model, SortId, TermId, Value};
use num_rational::BigRational;
use std::collections::{BTreeMap, BTreeSet};

fn some(categories: &[&str], each: u64) -> Vec<(String, String, TestCase)> {
    let maxsmt = suite("maxsmt", &SuiteOptions::default()).expect("the preset is right");
    let all = maxsmt.categories();
    let categories = categories.iter().map(|&name| name.to_owned()).collect();
    let selection = Selection { categories, each: Some(each), rng: 11, ..Selection::default() };
    let made = maxsmt.cases(&selection).map(|id| {
        let category = &all[id.category as usize];
        let case = maxsmt.make(id).unwrap_or_else(|error| panic!("{}: {error}", category.name));
        (category.name.clone(), category.group.clone(), case)
    });
    made.collect()
}

fn formula(case: &TestCase) -> &Formula {
    case.as_formula().expect("a formula").formula()
}

fn optima(case: &TestCase) -> &Optima {
    match case.as_formula().expect("a formula").oracle() {
        Oracle::Optimum { optima, .. } => optima,
        other => panic!("{}: {other:?}", case.name()),
    }
}

fn number(value: &Value) -> BigRational {
    match value {
        Value::Int(n) => BigRational::from_integer(n.to_big()),
        Value::Real(x) => x.as_ref().clone(),
        Value::BitVec(bits) => BigRational::from_integer(bits.to_big().into()),
        other => panic!("{other:?} is not a number"),
    }
}

fn integer(n: i64) -> BigRational {
    BigRational::from_integer(n.into())
}

/// With the sign that makes the least value the best.
fn signed(goal: Goal, value: BigRational) -> BigRational {
    match goal {
        Goal::Minimize => value,
        Goal::Maximize => -value,
    }
}

fn exact(goal: Goal, extremum: &Extremum) -> BigRational {
    match extremum {
        Extremum::Value(value) => signed(goal, number(value)),
        other => panic!("{other} is not attained"),
    }
}

fn constants(formula: &Formula) -> Vec<(FuncId, SortId)> {
    let mut found = Vec::new();
    for command in &formula.script().commands {
        if let Command::DeclareConst(func) = command {
            let Func::Declared { result, .. } = formula.store().func(*func) else {
                panic!("a constant is declared")
            };
            found.push((*func, *result));
        }
    }
    found
}

/// The signed values of the objectives in all models.
fn all_points(formula: &Formula) -> Vec<Vec<BigRational>> {
    let nothing = Model::new();
    let context = EvalContext::new(formula.store(), &nothing);
    let values = |sort| match sort {
        SortId::INT => (-3..=4i64).map(|n| Int::from(n).into()).collect(),
        sort => context.enumerate(sort, 16).expect("a small sort"),
    };
    let domains: Vec<(FuncId, Vec<Value>)> =
        constants(formula).into_iter().map(|(func, sort)| (func, values(sort))).collect();
    let count: usize = domains.iter().map(|(_, values)| values.len()).product();
    let mut found = Vec::new();
    for mut at in 0..count {
        let mut model = Model::new();
        for (func, values) in &domains {
            model.set(*func, Interpretation::Value(values[at % values.len()].clone()));
            at /= values.len();
        }
        let mut evaluator = Evaluator::new(formula.store(), &model);
        let mut hard = formula.assertions().iter();
        if hard.all(|assertion| evaluator.holds(assertion.term).expect("all is total")) {
            let costs = formula.objectives().iter().map(|of| {
                let cost = of.cost.expect("every weight is understood");
                signed(of.goal, number(&evaluator.eval(cost).expect("all is total")))
            });
            found.push(costs.collect());
        }
    }
    found
}

#[test]
fn optima_of_finite_formulas_agree_with_enumeration() {
    let mut seen: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for (category, group, case) in some(&["box", "lexicographic", "pareto"], 25) {
        if group.starts_with("linear") {
            continue;
        }
        let again = Formula::read(formula(&case).text()).expect("a text that we printed");
        let points = all_points(&again);
        let goals: Vec<Goal> = again.objectives().iter().map(|of| of.goal).collect();
        let values = |extrema: &[Extremum]| -> Vec<BigRational> {
            goals.iter().zip(extrema).map(|(&goal, extremum)| exact(goal, extremum)).collect()
        };
        let (claimed, known) = match (again.priority(), optima(&case)) {
            (Priority::Lexicographic, Optima::Each(optima)) => {
                (vec![values(optima)], vec![points.iter().min().expect("a model").clone()])
            }
            (Priority::Box, Optima::Each(optima)) => {
                let least = |at: usize| points.iter().map(|point| point[at].clone()).min();
                let least = (0..goals.len()).map(|at| least(at).expect("a model")).collect();
                (vec![values(optima)], vec![least])
            }
            (Priority::Pareto, Optima::Front(front)) => {
                let mut claimed: Vec<_> = front.iter().map(|point| values(&point.0)).collect();
                assert_eq!(again.checks(), claimed.len() + 1);
                claimed.sort();
                let beats = |a: &[BigRational], b: &[BigRational]| {
                    a != b && a.iter().zip(b).all(|(a, b)| a <= b)
                };
                let best = points.iter().filter(|b| !points.iter().any(|a| beats(a, b)));
                (claimed, best.cloned().collect::<BTreeSet<_>>().into_iter().collect())
            }
            (priority, optima) => panic!("{category}: {priority:?}, {optima}"),
        };
        assert_eq!(claimed, known, "{category}/{group}\n{}", again.text());
        *seen.entry((category, known.len().min(3))).or_default() += 1;
    }
    // Fronts of one, two and more points.
    for points in 1..=3 {
        assert!(seen[&("pareto".into(), points)] >= 5, "{seen:?}");
    }
    assert_eq!(seen[&("box".into(), 1)] + seen[&("lexicographic".into(), 1)], 6 * 25);
}

/// `coefficients · x ≥ bound`, or `>` if it is strict.
#[derive(Clone)]
struct Row {
    coefficients: Vec<BigRational>,
    bound: BigRational,
    strict: bool,
}

impl Row {
    /// The form is at least zero, or positive.
    fn at_least_zero((coefficients, constant): &Form, strict: bool) -> Row {
        Row { coefficients: coefficients.clone(), bound: -constant, strict }
    }

    fn scaled(&self, factor: &BigRational) -> Row {
        let coefficients = self.coefficients.iter().map(|x| x * factor).collect();
        Row { coefficients, bound: &self.bound * factor, strict: self.strict }
    }
}

/// The strongest row of each direction; `None` if a row without variables is false.
fn strongest(rows: Vec<Row>) -> Option<Vec<Row>> {
    let zero = integer(0);
    let mut bounds: BTreeMap<Vec<BigRational>, (BigRational, bool)> = BTreeMap::new();
    for row in rows {
        let Some(first) = row.coefficients.iter().find(|x| **x != zero) else {
            if row.bound > zero || row.bound == zero && row.strict {
                return None;
            }
            continue;
        };
        let size = if *first < zero { -first } else { first.clone() };
        let Row { coefficients, bound, strict } = row.scaled(&size.recip());
        let known = bounds.entry(coefficients).or_insert_with(|| (bound.clone(), strict));
        *known = known.clone().max((bound, strict));
    }
    let row = |(coefficients, (bound, strict))| Row { coefficients, bound, strict };
    Some(bounds.into_iter().map(row).collect())
}

/// Whether some rational point satisfies all rows.
fn is_feasible(rows: Vec<Row>, dimension: usize) -> bool {
    let zero = integer(0);
    let Some(mut rows) = strongest(rows) else { return false };
    for at in 0..dimension {
        let (mut next, others): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.coefficients[at] == zero);
        for above in others.iter().filter(|row| row.coefficients[at] > zero) {
            for below in others.iter().filter(|row| row.coefficients[at] < zero) {
                let above = above.scaled(&above.coefficients[at].recip());
                let below = below.scaled(&(-&below.coefficients[at]).recip());
                let sums = above.coefficients.iter().zip(&below.coefficients);
                next.push(Row {
                    coefficients: sums.map(|(x, y)| x + y).collect(),
                    bound: &above.bound + &below.bound,
                    strict: above.strict || below.strict,
                });
            }
        }
        match strongest(next) {
            Some(left) => rows = left,
            None => return false,
        }
    }
    true
}

/// Coefficients and a constant.
type Form = (Vec<BigRational>, BigRational);

/// A formula whose Booleans have values, as a union of polyhedra.
struct Linear<'f> {
    formula: &'f Formula,
    numbers: Vec<(FuncId, SortId)>,
    truths: Model,
}

impl Linear<'_> {
    fn form(&self, term: TermId) -> Form {
        let at = |unit: Option<usize>| {
            let mut model = self.truths.clone();
            for (position, (func, sort)) in self.numbers.iter().enumerate() {
                let n = i64::from(unit == Some(position));
                let value = match *sort {
                    SortId::INT => Value::Int(Int::from(n)),
                    _ => Value::rational(integer(n)),
                };
                model.set(*func, Interpretation::Value(value));
            }
            let value = Evaluator::new(self.formula.store(), &model).eval(term);
            number(&value.expect("linear terms have values"))
        };
        let constant = at(None);
        let coefficients = (0..self.numbers.len()).map(|unit| at(Some(unit)) - &constant).collect();
        (coefficients, constant)
    }

    /// Alternatives, each a list of rows.
    fn cases(&self, term: TermId, positive: bool) -> Vec<Vec<Row>> {
        let store = self.formula.store();
        let Some((op, args)) = store.operator(term) else {
            let truth = Evaluator::new(store, &self.truths).holds(term).expect("a Boolean");
            return if truth == positive { vec![Vec::new()] } else { Vec::new() };
        };
        let all = |parts: Vec<Vec<Vec<Row>>>| -> Vec<Vec<Row>> {
            parts.into_iter().fold(vec![Vec::new()], |found, part| {
                let joined = |rows: &Vec<Row>| {
                    let rows = rows.clone();
                    part.iter().map(move |more| [rows.clone(), more.clone()].concat()).collect()
                };
                found.iter().flat_map::<Vec<Vec<Row>>, _>(joined).collect()
            })
        };
        let parts = || args.iter().map(|&arg| self.cases(arg, positive)).collect::<Vec<_>>();
        if op == core::NOT {
            return self.cases(args[0], !positive);
        }
        if op == core::AND || op == core::OR {
            return match (op == core::AND) == positive {
                true => all(parts()),
                false => parts().concat(),
            };
        }
        if op == core::IMPLIES {
            let parts = vec![self.cases(args[0], !positive), self.cases(args[1], positive)];
            return if positive { parts.concat() } else { all(parts) };
        }
        let orders = [
            (ints::GE, false, false),
            (ints::GT, false, true),
            (ints::LE, true, false),
            (ints::LT, true, true),
        ];
        let (_, swapped, strict) =
            orders.into_iter().find(|(order, ..)| *order == op).expect("an order");
        let [left, right] = [args[0], args[1]].map(|side| self.form(side));
        // What is not below is above, with the other kind of border.
        let (high, low) = if swapped == positive { (right, left) } else { (left, right) };
        let difference = high.0.iter().zip(&low.0).map(|(x, y)| x - y).collect();
        let form = (difference, high.1 - low.1);
        vec![vec![Row::at_least_zero(&form, strict == positive)]]
    }
}

/// A part of the models: rows, and the signed value of each objective as a form.
struct Piece {
    rows: Vec<Row>,
    objectives: Vec<Form>,
    dimension: usize,
}

fn pieces(formula: &Formula) -> Vec<Piece> {
    let (truths, numbers): (Vec<_>, Vec<_>) =
        constants(formula).into_iter().partition(|(_, sort)| *sort == SortId::BOOL);
    let dimension = numbers.len();
    let mut found = Vec::new();
    for at in 0..1usize << truths.len() {
        let mut model = Model::new();
        for (position, (func, _)) in truths.iter().enumerate() {
            let truth = Value::Bool(at >> position & 1 == 1);
            model.set(*func, Interpretation::Value(truth));
        }
        let linear = Linear { formula, numbers: numbers.clone(), truths: model };
        let mut unions = vec![Vec::new()];
        for assertion in formula.assertions() {
            let cases = linear.cases(assertion.term, true);
            let joined = |rows: &Vec<Row>| {
                let rows = rows.clone();
                cases.iter().map(move |more| [rows.clone(), more.clone()].concat()).collect()
            };
            unions = unions.iter().flat_map::<Vec<Vec<Row>>, _>(joined).collect();
        }
        let objectives = formula.objectives().iter().map(|of| {
            let (coefficients, constant) = linear.form(of.cost.expect("a weight"));
            let coefficients = coefficients.into_iter().map(|x| signed(of.goal, x)).collect();
            (coefficients, signed(of.goal, constant))
        });
        let objectives: Vec<Form> = objectives.collect();
        for rows in unions {
            if is_feasible(rows.clone(), dimension) {
                found.push(Piece { rows, objectives: objectives.clone(), dimension });
            }
        }
    }
    found
}

/// How a value is compared with a number.
#[derive(Clone, Copy)]
enum Side {
    Below,
    AtMost,
    Above,
}

impl Piece {
    /// Whether objectives, by position, can have such values together.
    fn allows(&self, wanted: &[(usize, Side, &BigRational)]) -> bool {
        let mut rows = self.rows.clone();
        for (at, side, number) in wanted {
            let (coefficients, constant) = &self.objectives[*at];
            rows.push(match side {
                Side::Above => {
                    Row::at_least_zero(&(coefficients.clone(), constant - *number), true)
                }
                Side::Below | Side::AtMost => {
                    let negative = coefficients.iter().map(|x| -x).collect();
                    let form = (negative, *number - constant);
                    Row::at_least_zero(&form, matches!(side, Side::Below))
                }
            });
        }
        is_feasible(rows, self.dimension)
    }
}

/// Whether the infimum of an objective on its own is this.
fn is_infimum(pieces: &[Piece], at: usize, goal: Goal, claimed: &Extremum) -> bool {
    let allows =
        |wanted: &[(usize, Side, &BigRational)]| pieces.iter().any(|piece| piece.allows(wanted));
    let tiny = BigRational::new(1.into(), 1_000_000.into());
    match (claimed, goal) {
        (Extremum::Value(value), _) => {
            let limit = signed(goal, number(value));
            !allows(&[(at, Side::Below, &limit)]) && allows(&[(at, Side::AtMost, &limit)])
        }
        (Extremum::JustAbove(limit), Goal::Minimize)
        | (Extremum::JustBelow(limit), Goal::Maximize) => {
            let limit = signed(goal, limit.as_ref().clone());
            let near = &limit + tiny;
            !allows(&[(at, Side::AtMost, &limit)])
                && allows(&[(at, Side::Above, &limit), (at, Side::Below, &near)])
        }
        (Extremum::MinusInfinity, Goal::Minimize) | (Extremum::PlusInfinity, Goal::Maximize) => {
            allows(&[(at, Side::Below, &integer(-1_000_000_000))])
        }
        _ => false,
    }
}

fn check_lexicographic(pieces: &[Piece], values: &[BigRational]) -> bool {
    let reached: Vec<_> =
        values.iter().enumerate().map(|(at, value)| (at, Side::AtMost, value)).collect();
    let better = (0..values.len()).any(|at| {
        let mut wanted = reached[..at].to_vec();
        wanted.push((at, Side::Below, &values[at]));
        pieces.iter().any(|piece| piece.allows(&wanted))
    });
    !better && pieces.iter().any(|piece| piece.allows(&reached))
}

fn check_front(pieces: &[Piece], front: &[Vec<BigRational>]) -> bool {
    for point in front {
        let reached: Vec<_> =
            point.iter().enumerate().map(|(at, value)| (at, Side::AtMost, value)).collect();
        let better = (0..point.len()).any(|at| {
            let wanted = [reached.clone(), vec![(at, Side::Below, &point[at])]].concat();
            pieces.iter().any(|piece| piece.allows(&wanted))
        });
        if better || !pieces.iter().any(|piece| piece.allows(&reached)) {
            return false;
        }
    }
    // No model is better than each of the points in some objective.
    let objectives = front[0].len();
    let choices = objectives.pow(u32::try_from(front.len()).expect("few points"));
    (0..choices).all(|mut choice| {
        let wanted = front.iter().map(|point| {
            let at = choice % objectives;
            choice /= objectives;
            (at, Side::Below, &point[at])
        });
        let wanted: Vec<_> = wanted.collect();
        !pieces.iter().any(|piece| piece.allows(&wanted))
    })
}

#[test]
fn optima_over_numbers_agree_with_elimination() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = |what| *seen.entry(what).or_default() += 1;
    for (category, group, case) in some(&["box", "lexicographic", "pareto", "strict"], 25) {
        if !group.starts_with("linear") {
            continue;
        }
        let again = Formula::read(formula(&case).text()).expect("a text that we printed");
        let place = || format!("{category}/{group}: {}\n{}", optima(&case), again.text());
        let pieces = pieces(&again);
        let goals: Vec<Goal> = again.objectives().iter().map(|of| of.goal).collect();
        let values = |extrema: &[Extremum]| -> Vec<BigRational> {
            goals.iter().zip(extrema).map(|(&goal, extremum)| exact(goal, extremum)).collect()
        };
        let single = goals.len() == 1;
        match (again.priority(), optima(&case)) {
            (Priority::Lexicographic, Optima::Each(optima)) if !single => {
                assert!(check_lexicographic(&pieces, &values(optima)), "{}", place());
                count("ranked");
            }
            (Priority::Box | Priority::Lexicographic, Optima::Each(optima)) => {
                for (at, (&goal, claimed)) in goals.iter().zip(optima).enumerate() {
                    assert!(is_infimum(&pieces, at, goal, claimed), "objective {at} {}", place());
                    count(match claimed {
                        Extremum::Value(_) => "attained",
                        Extremum::JustAbove(_) => "above",
                        Extremum::JustBelow(_) => "below",
                        Extremum::MinusInfinity => "without lower bound",
                        Extremum::PlusInfinity => "without upper bound",
                    });
                }
            }
            (_, Optima::Front(front)) => {
                let front: Vec<_> = front.iter().map(|point| values(&point.0)).collect();
                assert!(check_front(&pieces, &front), "{}", place());
                count(if front.len() > 1 { "several points" } else { "one point" });
            }
            _ => panic!("{}", place()),
        }
        if category == "strict" {
            let has_limit = |optima: &Optima| match optima {
                Optima::Each(optima) => optima.iter().any(|optimum| {
                    matches!(optimum, Extremum::JustAbove(_) | Extremum::JustBelow(_))
                }),
                Optima::Front(_) => false,
            };
            if has_limit(optima(&case)) {
                count("strict");
            }
        }
        if again.text().contains("assert-soft") {
            count("soft constraints");
        }
    }
    assert_eq!(seen.len(), 10, "{seen:?}");
    assert!(seen.values().all(|&count| count >= 5), "{seen:?}");
    assert_eq!(seen["ranked"], 50);
}
