//! The suite `programs`: each formula of another suite as a C program.

use crate::c::{Fault, Layout};
use crate::expand::{expanded, undefined, unfolded};
use crate::fractions::{Fractions, without_reals};
use crate::ground::ground;
use crate::lower::{Refusal, Style};
use crate::maze::Algorithm;
use crate::program::{Plan, ProgramTree, Unfit, unguarded, write};
use crate::shape::{MazePlan, Scope, Shape};
use crate::small_models::bounded;
use crate::tables::{Tables, with_tables};
use assay_case::{
    Answer, CaseId, Category, Claim, Expected, Formula, FormulaTest, Grade, MakeError, Oracle,
    Origin, ProgramTest, Question, Reach, Reading, Selection, Suite, TestCase, Why, Witness,
    check_model,
};
use assay_mutate::{Consultants, Draw, Solvers};
use assay_smtlib::{Command, Script};
use assay_term::{Model, Unexpanded};

/// The style of programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramOptions {
    /// The shapes, by name; each in turn if none is given.
    pub shapes: Vec<String>,
    /// The maze algorithms; each in turn if none is given.
    pub algorithm: Option<Algorithm>,
    /// The size of mazes; from one cell to five by five if none is given.
    pub size: Option<(usize, usize)>,
    /// Percentage of back edges kept in mazes.
    pub cycles: u32,
    /// How many mazes follow each other.
    pub chain: usize,
    /// Whether the exit of a maze is any of its cells.
    pub random_exit: bool,
    /// Percentage of the choices among passages that compare an input with constants.
    pub comparisons: u32,
    /// Whether programs are mazes without constraints, whose error is always reached.
    pub unguarded: bool,
    /// Whether the error of every program is reached, or of none; both if none is given.
    pub expected: Option<bool>,
    /// How deep recursive definitions are unfolded.
    pub unfold: u32,
    /// Whether uninterpreted functions are arrays of their values, where these fit.
    pub tables: bool,
    /// Where variables live; each in turn if none is given.
    pub scope: Option<Scope>,
    /// Whether programs use only behavior that the C standard defines.
    pub well_defined: bool,
    /// Seed for all random choices.
    pub rng: u64,
}

impl Default for ProgramOptions {
    fn default() -> ProgramOptions {
        ProgramOptions {
            shapes: Vec::new(),
            algorithm: None,
            size: None,
            cycles: 0,
            chain: 1,
            random_exit: false,
            comparisons: 0,
            unguarded: false,
            expected: None,
            unfold: UNFOLD,
            tables: false,
            scope: None,
            well_defined: true,
            rng: 0,
        }
    }
}

/// The default depth to which recursive definitions are unfolded.
pub const UNFOLD: u32 = 8;

/// How constraints are written if nothing is drawn.
const PLAIN: Style = Style {
    well_defined: true,
    signed_functions: false,
    promoted: false,
    narrow: false,
    tallest: 12,
    size: 2,
};

/// The programs for the formulas of a suite.
pub struct Programs {
    formulas: Box<dyn Suite>,
    config: ProgramOptions,
    solvers: Solvers,
}

/// A formula with its truth, ready to be written as C.
fn model(source: &FormulaTest) -> Option<&Model> {
    match source.oracle() {
        Oracle::Sat(Witness::Checked(model)) => Some(model),
        _ => None,
    }
}

impl Programs {
    /// The suite's name.
    pub const NAME: &str = "programs";

    /// The programs for a suite of formulas. Solvers provide models that fit into C, and the verdicts
    /// that a suite leaves open.
    #[must_use]
    pub fn new(
        formulas: Box<dyn Suite>,
        config: ProgramOptions,
        consultants: Option<Box<Consultants>>,
    ) -> Programs {
        Programs { formulas, config, solvers: Solvers::new(consultants) }
    }

    /// A case with the syntax tree of its program.
    ///
    /// # Errors
    /// If there is none.
    pub fn program(&self, id: CaseId) -> Result<(TestCase, ProgramTree), MakeError> {
        let (plan, draw) = self.plan(id);
        if self.config.unguarded {
            return self.without_constraints(id, plan, draw);
        }
        let case = self.formulas.make(id)?;
        let source = self.source(&case)?;
        if self.config.expected.is_some_and(|reached| reached != model(&source).is_some()) {
            return unsuitable("its error has the other truth, which is not wanted");
        }
        match self.written(&source, plan, &draw) {
            Err(Unfit::Model(_)) => self.complete(&case, self.smaller(&source)?, plan, &draw),
            made => self.finished(&case, source, made),
        }
    }

    /// The maze of a number, with no constraints on the way to its exit.
    fn without_constraints(
        &self,
        id: CaseId,
        plan: Plan,
        mut draw: Draw,
    ) -> Result<(TestCase, ProgramTree), MakeError> {
        let plan = Plan { scope: Scope::Local, ..plan };
        let tree = unguarded(plan, &mut draw).map_err(MakeError::fault)?;
        let origin = Origin {
            suite: Programs::NAME.to_owned(),
            seed: self.config.rng,
            index: id.index,
            rules: vec![plan.shape.name().to_owned()],
            trace: vec![format!("write {} without constraints", plan.shape)],
            ..Origin::default()
        };
        let why = Why::Declared("its inputs alone lead to the exit".into());
        let program = tree.for_case(Layout::Full);
        let test = ProgramTest { program, truth: Reach::Reachable(why), source: None };
        Ok((TestCase::program(format!("unguarded-{id}"), test, origin), tree))
    }

    /// Rebuilds the program of a number from its stored formula and truth, without asking a
    /// solver.
    ///
    /// # Errors
    /// If there is no such program.
    pub fn retold(
        &self,
        id: CaseId,
        kept: &TestCase,
    ) -> Result<(TestCase, ProgramTree), MakeError> {
        let (plan, draw) = self.plan(id);
        if self.config.unguarded {
            return self.without_constraints(id, plan, draw);
        }
        let source = kept.as_program().and_then(|test| test.source.clone());
        match source {
            Some(source) if model(&source).is_some() || is_unsat(&source) => {
                self.complete(kept, source, plan, &draw)
            }
            _ => unsuitable("the formula that it was made from was not kept with its truth"),
        }
    }

    /// Writes the formula of a case as C.
    fn complete(
        &self,
        from: &TestCase,
        source: FormulaTest,
        plan: Plan,
        draw: &Draw,
    ) -> Result<(TestCase, ProgramTree), MakeError> {
        let made = self.written(&source, plan, draw);
        self.finished(from, source, made)
    }

    /// Writes a formula as planned, but with local variables if it has functions and no other scope is
    /// requested.
    fn written(
        &self,
        source: &FormulaTest,
        plan: Plan,
        draw: &Draw,
    ) -> Result<(Plan, ProgramTree), Unfit> {
        let manner = Manner { unfold: self.config.unfold, tables: self.config.tables };
        let plan = match written(source, plan, manner, draw.clone()) {
            Err(Unfit::Refused(Refusal::Scope)) if self.config.scope.is_none() => {
                Plan { scope: Scope::Local, ..plan }
            }
            made => return Ok((plan, made?)),
        };
        Ok((plan, written(source, plan, manner, draw.clone())?))
    }

    /// The case with only some of its assertions, as straight-line code. A model stays valid; for an
    /// unsatisfiable case, a solver is asked again.
    ///
    /// # Errors
    /// If there is no such program, or no such truth.
    pub fn restated(
        &self,
        case: &TestCase,
        kept: &[usize],
    ) -> Result<(TestCase, ProgramTree), MakeError> {
        let Some(source) = case.as_program().and_then(|test| test.source.as_ref()) else {
            return unsuitable("it was not made from a formula");
        };
        let formula = source.formula();
        let terms = kept.iter().map(|&at| formula.assertions()[at].term);
        let mut script = Script::default();
        let commands = formula.script().commands.iter();
        let declared = commands.filter(|c| !c.is_check() && !matches!(c, Command::Assert(_)));
        declared.cloned().for_each(|command| script.push(command, 0));
        terms.for_each(|term| script.push(Command::Assert(term), 0));
        script.push(Command::CheckSat, 0);
        let store = formula.store().clone();
        let fewer = Formula::from_parts(store, script, formula.environment().clone());
        let all = kept.len() == formula.assertions().len();
        let oracle = match source.oracle() {
            Oracle::Sat(Witness::Checked(model)) => {
                let model = check_model(&fewer, (**model).clone());
                Oracle::Sat(Witness::Checked(model.map_err(MakeError::fault)?))
            }
            Oracle::Unsat { why, .. } if all => Oracle::Unsat { why: why.clone(), core: None },
            Oracle::Unsat { .. } => match self.decided(fewer.clone())?.oracle() {
                oracle @ Oracle::Unsat { .. } => oracle.clone(),
                _ => return unsuitable("fewer assertions have a model"),
            },
            _ => return unsuitable("its status is not known"),
        };
        let source = FormulaTest::new(fewer, oracle).map_err(MakeError::fault)?;
        let style = Style { well_defined: self.config.well_defined, ..PLAIN };
        let plan = Plan { shape: Shape::Straight, scope: Scope::Local, style };
        self.complete(case, source, plan, &Draw::new(&[0]))
    }

    fn finished(
        &self,
        from: &TestCase,
        source: FormulaTest,
        made: Result<(Plan, ProgramTree), Unfit>,
    ) -> Result<(TestCase, ProgramTree), MakeError> {
        let (plan, program) = made.map_err(|why| unfit(why, source.oracle()))?;
        let origin = from.origin();
        let mut trace = origin.trace.clone();
        trace.push(format!("write {} {}", plan.shape, plan.scope.name()));
        let origin = Origin {
            suite: Programs::NAME.to_owned(),
            rules: origin.rules.iter().cloned().chain([plan.shape.name().to_owned()]).collect(),
            trace,
            ..origin.clone()
        };
        let test = ProgramTest::from_formula(program.for_case(Layout::Full), source);
        Ok((TestCase::program(from.name(), test, origin), program))
    }

    /// The style of a program, drawn from the allowed ones, and the remaining choices.
    fn plan(&self, id: CaseId) -> (Plan, Draw) {
        let config = &self.config;
        let mut draw = Draw::new(&[config.rng, u64::from(id.category), id.index as u64]);
        let shape = match config.shapes.as_slice() {
            // Half of all programs are mazes.
            [] if draw.one_in(2) || config.unguarded => "maze",
            [] => Shape::NAMES[draw.below(Shape::NAMES.len())],
            names => names[draw.below(names.len())].as_str(),
        };
        let shape = match shape {
            "straight" => Shape::Straight,
            "assumptions" => Shape::Assumptions,
            "loop" => Shape::Loop,
            "recursion" => Shape::Recursion,
            "states" => Shape::States,
            _ => {
                let algorithm = config.algorithm;
                let drawn = Algorithm::ALL[draw.below(Algorithm::ALL.len())];
                let (width, height) = config.size.unwrap_or((1 + draw.below(5), 1 + draw.below(5)));
                let algorithm = algorithm.unwrap_or(drawn);
                Shape::Maze(MazePlan {
                    cycles: config.cycles,
                    chain: config.chain,
                    random_exit: config.random_exit,
                    comparisons: config.comparisons,
                    ..MazePlan::new(algorithm, width, height)
                })
            }
        };
        let scope = Scope::ALL[draw.below(Scope::ALL.len())];
        let style = Style {
            well_defined: config.well_defined,
            signed_functions: draw.one_in(2),
            promoted: draw.one_in(2),
            narrow: draw.one_in(2),
            tallest: 4 + draw.below(8) as u32,
            size: 2,
        };
        (Plan { shape, scope: config.scope.unwrap_or(scope), style }, draw)
    }

    /// A formula whose truth is known well enough to write a program.
    fn source(&self, case: &TestCase) -> Result<FormulaTest, MakeError> {
        let Some(test) = case.as_formula() else { return unsuitable("it is no formula") };
        match test.oracle() {
            Oracle::Sat(Witness::Checked(_)) | Oracle::Unsat { .. } => Ok(test.clone()),
            Oracle::Optimum { .. } => unsuitable("it has objectives"),
            Oracle::Sat(Witness::Declared(_)) => {
                let source = self.decided(test.formula().clone())?;
                match source.oracle() {
                    Oracle::Sat(_) => Ok(source),
                    _ => unsuitable("there is no agreement about its status"),
                }
            }
            Oracle::Open => self.decided(test.formula().clone()),
        }
    }

    /// A solver's answer about a formula: a checked model, or its word that there is none.
    fn decided(&self, mut formula: Formula) -> Result<FormulaTest, MakeError> {
        self.solvers.lend(|solvers| {
            for solver in solvers {
                let said = solver.ask(&formula, Question::Model);
                match said.answer {
                    Answer::Sat => {
                        if let Ok(model) = said.checked_model(&mut formula) {
                            let oracle = Oracle::Sat(Witness::Checked(model));
                            return FormulaTest::new(formula, oracle).map_err(MakeError::fault);
                        }
                    }
                    Answer::Unsat => {
                        let why = Why::Declared(Claim::from(said.who));
                        let oracle = Oracle::Unsat { why, core: None };
                        return FormulaTest::new(formula, oracle).map_err(MakeError::fault);
                    }
                    _ => {}
                }
            }
            unsuitable("its status is not known")
        })
    }

    /// The same formula with a model that fits into C.
    fn smaller(&self, source: &FormulaTest) -> Result<FormulaTest, MakeError> {
        let mut formula = source.formula().clone();
        let Some(bounded) = bounded(&formula, 64) else {
            return unsuitable("its model exceeds the bounds of C");
        };
        self.solvers.lend(|solvers| {
            for solver in solvers {
                let said = solver.ask(&bounded, Question::Model);
                let text = said.model.filter(|_| said.answer == Answer::Sat);
                let Some(text) = text else { continue };
                let Ok(model) = formula.read_model(&text) else { continue };
                if let Ok(model) = check_model(&formula, model) {
                    let oracle = Oracle::Sat(Witness::Checked(model));
                    return FormulaTest::new(formula, oracle).map_err(MakeError::fault);
                }
            }
            unsuitable("no model of it fits into C (integers, indices and divisors are bounded)")
        })
    }
}

fn is_unsat(source: &FormulaTest) -> bool {
    matches!(source.oracle(), Oracle::Unsat { .. })
}

fn unsuitable<T>(words: &str) -> Result<T, MakeError> {
    Err(MakeError::Unsuitable(words.to_owned()))
}

/// How formulas are prepared.
#[derive(Clone, Copy)]
struct Manner {
    unfold: u32,
    tables: bool,
}

/// Writes a formula with its truth.
fn written(
    source: &FormulaTest,
    plan: Plan,
    manner: Manner,
    mut draw: Draw,
) -> Result<ProgramTree, Unfit> {
    let (formula, draw) = (source.formula(), &mut draw);
    let assertions: Vec<_> = formula.assertions().iter().map(|a| a.term).collect();
    let definitions = formula.definitions();
    let expanded = match expanded(formula.store(), &assertions, definitions) {
        Err(Unexpanded::Recursive(_)) => {
            unfolded(formula.store(), &assertions, definitions, manner.unfold).map(Some)
        }
        expanded => expanded,
    };
    let (store, assertions) = match &expanded {
        Ok(None) => (formula.store(), &assertions),
        Ok(Some((store, assertions))) => (store, assertions),
        Err(Unexpanded::Recursive(_)) => return Err(Unfit::Refused(Refusal::Recursion)),
        Err(_) => return Err(Unfit::Refused(Refusal::Size)),
    };
    let ground = ground(store, assertions, definitions).map_err(|_| Refusal::Size)?;
    let (store, assertions) = match &ground {
        Some((store, roots)) => (store, roots),
        None => (store, assertions),
    };
    let fractions = without_reals(store, assertions, definitions, model(source), draw)?;
    let (store, assertions, model) = match &fractions {
        None => (store, assertions, model(source)),
        Some(Fractions { store, roots, model }) => (store, roots, model.as_ref()),
    };
    if manner.tables {
        let made = undefined(store, assertions, definitions).map_err(|_| Refusal::Size)?;
        // What does not fit into arrays is written without them.
        match with_tables(&made.0, &made.1, model) {
            Ok(Some(Tables { store, roots, model })) => {
                match write(&store, &roots, definitions, model.as_ref(), plan, &mut draw.clone()) {
                    Err(Unfit::Model(_) | Unfit::Refused(_)) => {}
                    made => return made,
                }
            }
            Ok(None) | Err(Unfit::Model(_)) => {}
            Err(unfit) => return Err(unfit),
        }
    }
    write(store, assertions, definitions, model, plan, draw)
}

fn unfit(why: Unfit, oracle: &Oracle) -> MakeError {
    let certified =
        oracle.grade() == Some(Grade::Certified) && matches!(oracle, Oracle::Unsat { .. });
    match why {
        Unfit::Unsound(Fault::Endless) => {
            MakeError::Unsuitable("a run of its program takes too long".to_owned())
        }
        Unfit::Unsound(_) | Unfit::Weaker => MakeError::fault(why),
        Unfit::Refuted if certified => MakeError::fault(why),
        Unfit::Refused(_) | Unfit::Model(_) | Unfit::Refuted => {
            MakeError::Unsuitable(why.to_string())
        }
    }
}

impl ProgramTree {
    /// The program in the form that a test case stores.
    #[must_use]
    pub fn for_case(&self, layout: Layout) -> assay_case::Program {
        let reading = |&(scalar, value): &(crate::c::Scalar, i128)| Reading {
            source: scalar.source().trim_start_matches("__VERIFIER_nondet_"),
            value,
        };
        let inputs = self.answers.as_ref().map(|_| self.inputs.iter().map(reading).collect());
        assay_case::Program { text: crate::c::print(&self.unit, layout), inputs }
    }
}

impl Suite for Programs {
    fn name(&self) -> &str {
        Programs::NAME
    }

    fn categories(&self) -> Vec<Category> {
        // What a formula leads to; the truth of each program is its own.
        let reached = |expected| match expected {
            Expected::Sat => Expected::Reachable,
            Expected::Unsat => Expected::Unreachable,
            _ => Expected::Open,
        };
        let of_programs = |c: Category| Category { expected: reached(c.expected), ..c };
        self.formulas.categories().into_iter().map(of_programs).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        self.formulas.cases(selection)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        self.program(id).map(|(case, _)| case)
    }
}
