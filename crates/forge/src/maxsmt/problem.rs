//! A formula with soft constraints under construction, and its test case.

use super::spec::{Weight, zero};
use assay_case::{
    Checked, Extremum, Formula, Goal, MakeError, Optima, Oracle, Origin, Priority, TestCase, Why,
    Witness, check_model,
};
use assay_smtlib::{Command, Environment, Plain, Script, Setting};
use assay_term::{Evaluator, FuncId, Model, Store, TermId, Value};
use num_rational::BigRational;

/// A soft constraint.
#[derive(Clone)]
pub(crate) struct Soft {
    pub(crate) term: TermId,
    pub(crate) weight: Weight,
    /// Its `:id`.
    pub(crate) group: Option<&'static str>,
}

/// A soft constraint or an objective.
#[derive(Clone)]
pub(crate) enum Wish {
    Soft(Soft),
    Number(Goal, TermId),
}

/// An objective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Objective {
    /// The total weight of the failing soft constraints of a group.
    Group(Option<&'static str>),
    /// The value of a term.
    Number(Goal, TermId),
}

impl Objective {
    /// Whether it is minimized or maximized.
    pub(crate) fn goal(self) -> Goal {
        match self {
            Objective::Group(_) => Goal::Minimize,
            Objective::Number(goal, _) => goal,
        }
    }
}

/// Hard constraints, soft constraints and objectives.
#[derive(Clone)]
pub(crate) struct Problem {
    pub(crate) store: Store,
    pub(crate) env: Environment,
    /// The commands before the first assertion.
    pub(crate) script: Script,
    pub(crate) hard: Vec<TermId>,
    pub(crate) wishes: Vec<Wish>,
}

impl Problem {
    /// Declares a constant; `None` if the name is taken.
    pub(crate) fn declare(&mut self, func: FuncId) -> Option<()> {
        if !self.env.add_declared(&mut self.store, func) {
            return None;
        }
        self.script.push(Command::DeclareConst(func), 0);
        Some(())
    }

    /// The objectives, in order of priority.
    pub(crate) fn objectives(&self) -> Vec<Objective> {
        let mut found = Vec::new();
        for wish in &self.wishes {
            let objective = match wish {
                Wish::Soft(soft) => Objective::Group(soft.group),
                Wish::Number(goal, term) => Objective::Number(*goal, *term),
            };
            let same = matches!(objective, Objective::Group(_)) && found.contains(&objective);
            if !same {
                found.push(objective);
            }
        }
        found
    }

    /// Leaves an objective out.
    pub(crate) fn leave_out(&mut self, objective: Objective) {
        self.wishes.retain(|wish| match (wish, objective) {
            (Wish::Soft(soft), Objective::Group(group)) => soft.group != group,
            (Wish::Number(goal, term), Objective::Number(other, number)) => {
                (*goal, *term) != (other, number)
            }
            _ => true,
        });
    }

    /// The values of the objectives, if the evaluator knows them.
    pub(crate) fn costs(&self, evaluator: &mut Evaluator<'_>) -> Option<Vec<BigRational>> {
        let mut costs = Vec::new();
        for objective in self.objectives() {
            costs.push(match objective {
                Objective::Number(_, term) => number(&evaluator.eval(term).ok()?)?,
                Objective::Group(group) => {
                    let mut lost = zero();
                    for wish in &self.wishes {
                        let Wish::Soft(soft) = wish else { continue };
                        if soft.group == group && !evaluator.holds(soft.term).ok()? {
                            lost += &soft.weight.value;
                        }
                    }
                    lost
                }
            });
        }
        Some(costs)
    }

    /// Adds the soft constraints, objectives and queries: for each of these points, one question with
    /// what it finds.
    fn into_formula(self, points: usize, further: Further) -> Formula {
        let Problem { store, env, mut script, hard, wishes } = self;
        hard.into_iter().for_each(|term| script.push(Command::Assert(term), 0));
        for wish in wishes {
            script.push(wish.into_command(), 0);
        }
        for _ in 0..points {
            script.push(Command::CheckSat, 0);
            script.push(Command::Plain(Plain::GetModel), 0);
            script.push(Command::Plain(Plain::GetObjectives), 0);
        }
        if further == Further::Question {
            script.push(Command::CheckSat, 0);
        }
        Formula::from_parts(store, script, env)
    }

    /// Says how several objectives are combined; before anything is declared.
    pub(crate) fn set_priority(&mut self, priority: Priority) {
        let value = Some(priority.word().to_owned());
        let setting = Setting { keyword: Priority::OPTION.into(), value };
        self.script.push(Command::SetOption(Box::new(setting)), 0);
    }

    /// The test case with these optima, which the model must attain; the caller guarantees that there is
    /// nothing better.
    pub(crate) fn into_case(
        self,
        model: Model,
        optima: &[BigRational],
        rules: Vec<String>,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let attained = Attained { model, values: optima.iter().cloned().map(Some).collect() };
        let optima = Optima::Each(optima.iter().map(value).collect());
        self.into_optimal_case(optima, vec![attained], rules, name, origin)
    }

    /// The test case with these optima; each model must have the values that are listed with it,
    /// and the first is the witness. The caller guarantees that there is nothing better.
    pub(crate) fn into_optimal_case(
        self,
        optima: Optima,
        attained: Vec<Attained>,
        rules: Vec<String>,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let fault = |words: String| MakeError::fault(format!("{name}: {words}"));
        let formula = match &optima {
            Optima::Each(_) => self.into_formula(1, Further::Nothing),
            Optima::Front(points) => self.into_formula(points.len(), Further::Question),
        };
        let mut first = None;
        for Attained { model, values } in attained {
            let witness = check_model(&formula, model)
                .map_err(|error| fault(format!("the witness is wrong: {error}")))?;
            let mut evaluator = Evaluator::new(formula.store(), &witness);
            for (position, (of, value)) in formula.objectives().iter().zip(&values).enumerate() {
                let cost = of.cost.and_then(|cost| number(&evaluator.eval(cost).ok()?));
                if value.is_some() && cost != *value {
                    let words = format!("objective {} is {cost:?}, not {value:?}", position + 1);
                    return Err(fault(format!("the witness is not the best: {words}")));
                }
            }
            first.get_or_insert(witness);
        }
        let witness = first.ok_or_else(|| fault("no model attains the optima".into()))?;
        finished(formula, witness, optima, rules, name, origin)
    }

    /// The test case of a formula with this model and without a best value of any objective; the caller
    /// guarantees that there is always a better one.
    pub(crate) fn into_unbounded_case(
        self,
        model: Model,
        rules: Vec<String>,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        let infinite = |objective: &Objective| match objective.goal() {
            Goal::Minimize => Extremum::MinusInfinity,
            Goal::Maximize => Extremum::PlusInfinity,
        };
        let optima = self.objectives().iter().map(infinite).collect();
        let attained = Attained { model, values: Vec::new() };
        self.into_optimal_case(Optima::Each(optima), vec![attained], rules, name, origin)
    }
}

/// What is asked after the points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Further {
    Nothing,
    /// Whether there is another one.
    Question,
}

/// A model with the values that its objectives must have, where these are known.
pub(crate) struct Attained {
    pub(crate) model: Model,
    pub(crate) values: Vec<Option<BigRational>>,
}

/// A number as the best value of an objective.
pub(crate) fn value(number: &BigRational) -> Extremum {
    Extremum::Value(Value::rational(number.clone()))
}

fn finished(
    formula: Formula,
    witness: Checked<Model>,
    optima: Optima,
    rules: Vec<String>,
    name: String,
    origin: Origin,
) -> Result<TestCase, MakeError> {
    let why = Why::Certified(rules.clone());
    let oracle = Oracle::Optimum { optima, why, witness: Some(Witness::Checked(witness)) };
    let fault = |error: assay_case::CaseError| MakeError::fault(error);
    TestCase::formula(name, formula, oracle, Origin { rules, ..origin }).map_err(fault)
}

impl Wish {
    pub(crate) fn into_command(self) -> Command {
        match self {
            Wish::Number(Goal::Minimize, term) => Command::Minimize(term, Vec::new()),
            Wish::Number(Goal::Maximize, term) => Command::Maximize(term, Vec::new()),
            Wish::Soft(Soft { term, weight, group }) => {
                let setting = |keyword: &str, value: String| Setting {
                    keyword: keyword.into(),
                    value: Some(value),
                };
                let mut attributes = vec![setting(":weight", weight.text)];
                attributes.extend(group.map(|id| setting(":id", id.into())));
                Command::AssertSoft { term, attributes }
            }
        }
    }
}

/// The number that a value represents; a bit-vector is unsigned.
fn number(value: &Value) -> Option<BigRational> {
    match value {
        Value::Int(n) => Some(BigRational::from_integer(n.to_big())),
        Value::Real(x) => Some(x.as_ref().clone()),
        Value::BitVec(bits) => Some(BigRational::from_integer(bits.to_big().into())),
        _ => None,
    }
}
