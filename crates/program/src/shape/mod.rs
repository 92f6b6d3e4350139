//! Programs around constraints: in every shape, the error is reached if and only if all constraints
//! hold.

mod cells;
mod plain;

use crate::c::{Block, Expr, Function, Global, Name, Param, Scalar, Stmt, Struct, Type, Unit};
use crate::lower::LoweredStep;
use crate::maze::Algorithm;
use assay_mutate::Draw;

/// The shape of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// Mazes of functions, with constraints along the path to the exit.
    Maze(MazePlan),
    /// Straight-line code.
    Straight,
    /// A sequence of assumptions.
    Assumptions,
    /// A loop with a counter.
    Loop,
    /// A recursive function.
    Recursion,
    /// A state machine.
    States,
}

/// What mazes look like.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MazePlan {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The width of each.
    pub width: usize,
    /// The height of each.
    pub height: usize,
    /// Percentage of back edges that are kept.
    pub cycles: u32,
    /// How many there are: the exit of each but the last leads to the next.
    pub chain: usize,
    /// Whether the exit is any cell, instead of the last.
    pub random_exit: bool,
    /// Percentage of the choices among passages that compare an input with constants, instead of
    /// dividing its range.
    pub comparisons: u32,
}

impl MazePlan {
    /// One maze without cycles, from its first cell to its last.
    #[must_use]
    pub fn new(algorithm: Algorithm, width: usize, height: usize) -> MazePlan {
        MazePlan {
            algorithm,
            width,
            height,
            cycles: 0,
            chain: 1,
            random_exit: false,
            comparisons: 0,
        }
    }
}

impl std::fmt::Display for MazePlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MazePlan { algorithm, width, height, cycles, chain, .. } = self;
        write!(f, "{} {width}x{height} cycles {cycles}%", algorithm.name())?;
        if *chain > 1 {
            write!(f, " chain {chain}")?;
        }
        if self.random_exit {
            f.write_str(" exit random")?;
        }
        if self.comparisons > 0 {
            write!(f, " comparisons {}%", self.comparisons)?;
        }
        Ok(())
    }
}

impl Shape {
    /// Its name in flags and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Shape::Maze(_) => "maze",
            Shape::Straight => "straight",
            Shape::Assumptions => "assumptions",
            Shape::Loop => "loop",
            Shape::Recursion => "recursion",
            Shape::States => "states",
        }
    }

    /// The names of the shapes.
    pub const NAMES: [&str; 6] = ["maze", "straight", "assumptions", "loop", "recursion", "states"];
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())?;
        match self {
            Shape::Maze(maze) => write!(f, " {maze}"),
            _ => Ok(()),
        }
    }
}

/// Where variables live.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// In the function that needs them.
    Local,
    /// Global.
    Global,
    /// In a structure that is passed to functions by pointer.
    Pointer,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 3] = [Scope::Local, Scope::Global, Scope::Pointer];

    /// Its name in flags and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::Local => "local",
            Scope::Global => "global",
            Scope::Pointer => "pointer",
        }
    }
}

/// A variable and the statements that read its value.
#[derive(Clone)]
pub(crate) struct Variable {
    pub(crate) ty: Type,
    pub(crate) name: Name,
    pub(crate) reading: Vec<Stmt>,
}

/// Constraints that belong together, with their own variables.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) variables: Vec<Variable>,
    pub(crate) steps: Vec<LoweredStep>,
}

/// The material of a program.
pub(crate) struct Parts {
    pub(crate) scope: Scope,
    /// Variables that all pieces share.
    pub(crate) shared: Vec<Variable>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) helpers: Vec<Function>,
    /// The next free input place.
    pub(crate) place: u32,
}

/// A program, and the inputs that its shape requires on the path to the error.
pub(crate) struct Shaped {
    pub(crate) unit: Unit,
    pub(crate) turns: Vec<(u32, i128)>,
}

/// The structure of shared variables, its instance, and the pointer to it.
pub(crate) const DATA: &str = "data";
pub(crate) const POINTER: &str = "p";

/// Builds a program of a shape.
pub(crate) fn shaped(shape: Shape, parts: Parts, draw: &mut Draw) -> Shaped {
    let mut frame = Frame::new(parts, draw);
    let body = match shape {
        Shape::Maze(maze) => cells::mazes(&mut frame, maze),
        Shape::Straight => plain::straight(&mut frame),
        Shape::Assumptions => plain::assuming(&mut frame),
        Shape::Loop => plain::counted(&mut frame),
        Shape::Recursion => plain::recursive(&mut frame),
        Shape::States => plain::states(&mut frame),
    };
    frame.finish(body)
}

/// A program under construction.
struct Frame<'d> {
    scope: Scope,
    shared: Vec<Variable>,
    pieces: Vec<Piece>,
    unit: Unit,
    draw: &'d mut Draw,
    place: u32,
    turns: Vec<(u32, i128)>,
}

/// Maximum nesting depth of constraints; more are written one after the other.
const DEEPEST: usize = 24;

impl<'d> Frame<'d> {
    fn new(parts: Parts, draw: &'d mut Draw) -> Frame<'d> {
        let Parts { scope, shared, pieces, helpers, place } = parts;
        let unit = Unit { functions: helpers, ..Unit::default() };
        Frame { scope, shared, pieces, unit, draw, place, turns: Vec::new() }
    }

    /// The parameters of every function.
    fn params(&self) -> Vec<Param> {
        match self.scope {
            Scope::Pointer if !self.shared.is_empty() => {
                let ty = Type::Pointer(Box::new(Type::Struct(DATA.into())));
                vec![Param { ty, name: POINTER.into() }]
            }
            _ => Vec::new(),
        }
    }

    /// The arguments that a function passes on.
    fn args(&self) -> Vec<Expr> {
        self.params().into_iter().map(|param| Expr::Var(param.name)).collect()
    }

    /// The arguments that `main` passes.
    fn main_args(&self) -> Vec<Expr> {
        match self.params().is_empty() {
            true => Vec::new(),
            false => vec![Expr::Address(Box::new(Expr::Var(DATA.into())))],
        }
    }

    /// An input place of the shape itself, with its value on the path to the error.
    fn turn(&mut self, scalar: Scalar, value: i128) -> Expr {
        let place = self.place;
        self.place += 1;
        self.turns.push((place, value));
        Expr::Input(scalar, place)
    }

    fn function(&mut self, name: impl Into<Name>, result: Option<Scalar>, body: Block) {
        let params = self.params();
        self.unit.functions.push(Function { name: name.into(), result, params, body });
    }

    /// Adds a function that checks the constraints of a piece; returns its name.
    fn check(&mut self, number: usize, piece: Piece) -> Name {
        let name: Name = format!("check_{number}").into();
        let body = early(piece, &Stmt::Return(Some(Expr::truth(false))), {
            vec![Stmt::Return(Some(Expr::truth(true)))]
        });
        self.function(Name::clone(&name), Some(Scalar::Int), body);
        name
    }

    /// One check function per piece.
    fn checks(&mut self) -> Vec<Name> {
        let pieces = std::mem::take(&mut self.pieces);
        pieces.into_iter().enumerate().map(|(at, piece)| self.check(at, piece)).collect()
    }

    /// The call of a check function as a condition.
    fn passes(&self, check: &Name, args: Vec<Expr>) -> Expr {
        Expr::binary(crate::c::Binary::Ne, Expr::Call(Name::clone(check), args), Expr::truth(false))
    }

    /// The program whose `main` has this body after reading the shared variables.
    fn finish(mut self, body: Block) -> Shaped {
        let mut main = Vec::new();
        match self.scope {
            Scope::Pointer if !self.shared.is_empty() => {
                let fields = self.shared.iter();
                let fields = fields.map(|v| (v.ty.clone(), Name::clone(&v.name))).collect();
                self.unit.structs.push(Struct { name: DATA.into(), fields });
                main.push(Stmt::Declare(Type::Struct(DATA.into()), DATA.into(), None));
            }
            _ => {
                let globals = self.shared.iter();
                let globals =
                    globals.map(|v| Global { ty: v.ty.clone(), name: Name::clone(&v.name) });
                self.unit.globals.extend(globals);
            }
        }
        main.extend(self.shared.into_iter().flat_map(|variable| variable.reading));
        main.extend(body);
        main.push(Stmt::Return(Some(Expr::number(0, Scalar::Int))));
        self.unit.functions.push(Function {
            name: "main".into(),
            result: Some(Scalar::Int),
            params: Vec::new(),
            body: main,
        });
        Shaped { unit: self.unit, turns: self.turns }
    }
}

/// The call of the error.
fn error() -> Stmt {
    Stmt::Call(Unit::ERROR.into(), Vec::new())
}

/// Reads a piece's own variables.
fn declared(variables: Vec<Variable>) -> Block {
    let mut block = Vec::new();
    for Variable { ty, name, mut reading } in variables {
        match (&ty, reading.as_slice()) {
            (Type::Scalar(_), [Stmt::Assign(..)]) => {
                let Some(Stmt::Assign(_, value)) = reading.pop() else { continue };
                block.push(Stmt::Declare(ty, name, Some(value)));
            }
            _ => {
                block.push(Stmt::Declare(ty, name, None));
                block.append(&mut reading);
            }
        }
    }
    block
}

/// The steps of a piece, each constraint around all that follows, with a final block.
fn nested(piece: Piece, inner: Block) -> Block {
    let mut block = inner;
    for step in piece.steps.into_iter().rev() {
        match step {
            LoweredStep::Do(stmt) => block.insert(0, stmt),
            LoweredStep::Require(condition) => block = vec![Stmt::If(condition, block, Vec::new())],
        }
    }
    let mut whole = declared(piece.variables);
    whole.append(&mut block);
    whole
}

/// The steps of a piece in sequence; a failing constraint returns.
fn early(piece: Piece, leave: &Stmt, end: Block) -> Block {
    let mut block = declared(piece.variables);
    for step in piece.steps {
        match step {
            LoweredStep::Do(stmt) => block.push(stmt),
            LoweredStep::Require(condition) => {
                block.push(Stmt::If(condition.negated(), vec![leave.clone()], Vec::new()));
            }
        }
    }
    block.extend(end);
    block
}

/// The nesting depth of the constraints.
fn depth(piece: &Piece) -> usize {
    piece.steps.iter().filter(|step| matches!(step, LoweredStep::Require(_))).count()
}
