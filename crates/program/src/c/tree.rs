//! The tree: expressions, statements, functions, a whole file.

use super::types::{Scalar, Type};
use assay_term::float::RoundingMode;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A name in a program.
pub type Name = Arc<str>;

/// Statements between braces.
pub type Block = Vec<Stmt>;

/// An operator with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `-`
    Minus,
    /// `~`
    Complement,
    /// `!`
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<` of floating-point numbers. With NaN it is false, and so is `>=`: its negation is no comparison.
    Below,
    /// `<=` of floating-point numbers.
    AtMost,
    /// `&&`
    Both,
    /// `||`
    Either,
}

impl Binary {
    /// Its spelling in C.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt | Binary::Below => "<",
            Binary::Le | Binary::AtMost => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
            Binary::Both => "&&",
            Binary::Either => "||",
        }
    }

    /// Whether its value is 0 or 1.
    #[must_use]
    pub fn is_truth(self) -> bool {
        let others = [Binary::Both, Binary::Either, Binary::Below, Binary::AtMost];
        self.is_comparison() || others.contains(&self)
    }

    /// Whether it is a comparison whose negation is a comparison.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        matches!(self, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
    }

    /// The equivalent comparison with its operands exchanged.
    #[must_use]
    pub fn turned(self) -> Binary {
        match self {
            Binary::Lt => Binary::Gt,
            Binary::Le => Binary::Ge,
            Binary::Gt => Binary::Lt,
            Binary::Ge => Binary::Le,
            other => other,
        }
    }

    /// The result of a comparison of two numbers.
    pub(crate) fn compares(self, a: i128, b: i128) -> bool {
        match self {
            Binary::Eq => a == b,
            Binary::Ne => a != b,
            Binary::Lt => a < b,
            Binary::Le => a <= b,
            Binary::Gt => a > b,
            _ => a >= b,
        }
    }
}

/// An operation that is executed in a rounding mode: in C, a function that sets the mode, computes, and sets
/// the usual mode again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rounded {
    /// The rounding mode.
    pub mode: RoundingMode,
    /// `+`, `-`, `*` or `/`; none for a conversion.
    pub op: Option<Binary>,
    /// The type of the operands.
    pub from: Scalar,
    /// The type of the result, a floating-point type.
    pub to: Scalar,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A number of a type; of a floating-point type, its encoding.
    Number(i128, Scalar),
    /// A variable.
    Var(Name),
    /// Any value of a type. The number identifies the place, so a run can be given its value.
    Input(Scalar, u32),
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion.
    Cast(Scalar, Box<Expr>),
    /// The floating-point number of an encoding, or the encoding of a number, as a value of this type. NaN
    /// has more than one encoding, so that it must not be asked for.
    Recode(Scalar, Box<Expr>),
    /// An operation on floating-point numbers in another rounding mode than the usual one.
    Rounded(Rounded, Vec<Expr>),
    /// A call.
    Call(Name, Vec<Expr>),
    /// An element of an array.
    Index(Box<Expr>, Box<Expr>),
    /// A field of a structure.
    Field(Box<Expr>, Name),
    /// A field of a structure behind a pointer.
    Arrow(Box<Expr>, Name),
    /// `&a`
    Address(Box<Expr>),
    /// `*a`
    Deref(Box<Expr>),
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// A variable, possibly with an initial value.
    Declare(Type, Name, Option<Expr>),
    /// An assignment.
    Assign(Expr, Expr),
    /// A call whose result is ignored.
    Call(Name, Vec<Expr>),
    /// An `if`; the second block may be empty.
    If(Expr, Block, Block),
    /// A `while` loop.
    While(Expr, Block),
    /// A loop in which an `unsigned int` counts from zero up to a number.
    Count(Name, usize, Block),
    /// A `switch`; every case ends with `break`, and other values do nothing.
    Switch(Expr, Vec<(i128, Block)>),
    /// A `return`.
    Return(Option<Expr>),
    /// An expression whose value is ignored.
    Discard(Expr),
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Param {
    /// Its type; arrays are passed as pointers to their elements.
    pub ty: Type,
    /// Its name.
    pub name: Name,
}

/// A function of the program; `static`, except for `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its result type; none for `void`.
    pub result: Option<Scalar>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its body.
    pub body: Block,
}

/// A global variable; initially zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Name,
}

/// A structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Struct {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<(Type, Name)>,
}

/// A whole file. `reach_error` and the input functions are declared if they are used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unit {
    /// The structures.
    pub structs: Vec<Struct>,
    /// The variables.
    pub globals: Vec<Global>,
    /// The functions; `main` is one of them.
    pub functions: Vec<Function>,
}

impl Unit {
    /// The name of the function whose call is the error.
    pub const ERROR: &str = "reach_error";

    /// The name of the function that ends a run without the error.
    pub const ABORT: &str = "abort";

    /// The function of a name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| &*function.name == name)
    }

    /// Visits every expression, outer ones first.
    pub fn each_expr<'u>(&'u self, visit: &mut dyn FnMut(&'u Expr)) {
        for function in &self.functions {
            each_in_block(&function.body, visit);
        }
    }
}

/// Visits the direct parts of an expression, with the expression's lifetime.
macro_rules! hand_over_parts {
    ($expr:expr, $visit:expr, $iter:ident) => {
        match $expr {
            Expr::Number(..) | Expr::Var(_) | Expr::Input(..) => {}
            Expr::Unary(_, a)
            | Expr::Cast(_, a)
            | Expr::Recode(_, a)
            | Expr::Field(a, _)
            | Expr::Arrow(a, _)
            | Expr::Address(a)
            | Expr::Deref(a) => $visit(a),
            Expr::Binary(_, a, b) | Expr::Index(a, b) => {
                $visit(a);
                $visit(b);
            }
            Expr::Cond(a, b, c) => {
                $visit(a);
                $visit(b);
                $visit(c);
            }
            Expr::Call(_, args) | Expr::Rounded(_, args) => args.$iter().for_each($visit),
        }
    };
}

impl Expr {
    /// Visits the expression and all its parts.
    pub fn each<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        visit(self);
        self.parts(&mut |part| part.each(visit));
    }

    /// Visits its direct parts.
    pub fn parts<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        hand_over_parts!(self, visit, iter);
    }

    /// Visits its direct parts, mutably.
    pub fn parts_mut<'e>(&'e mut self, visit: &mut dyn FnMut(&'e mut Expr)) {
        hand_over_parts!(self, visit, iter_mut);
    }
}

impl Stmt {
    /// Replaces every occurrence of a variable by an expression.
    pub(crate) fn replace(&mut self, name: &Name, with: &Expr) {
        fn in_expr(expr: &mut Expr, name: &Name, with: &Expr) {
            if matches!(expr, Expr::Var(known) if known == name) {
                *expr = with.clone();
            } else {
                expr.parts_mut(&mut |part| in_expr(part, name, with));
            }
        }
        self.exprs_mut(&mut |expr| in_expr(expr, name, with));
        let inner = self.blocks_mut().into_iter().flatten();
        inner.for_each(|stmt| stmt.replace(name, with));
    }

    /// Visits the expressions of the statement itself, not of its blocks.
    pub fn exprs<'s>(&'s self, visit: &mut dyn FnMut(&'s Expr)) {
        match self {
            Stmt::Declare(_, _, init) => init.iter().for_each(visit),
            Stmt::Assign(a, b) => {
                visit(a);
                visit(b);
            }
            Stmt::Call(_, args) => args.iter().for_each(visit),
            Stmt::If(e, ..) | Stmt::While(e, _) | Stmt::Switch(e, _) | Stmt::Discard(e) => visit(e),
            Stmt::Count(..) => {}
            Stmt::Return(result) => result.iter().for_each(visit),
        }
    }

    /// The same, mutably.
    pub fn exprs_mut<'s>(&'s mut self, visit: &mut dyn FnMut(&'s mut Expr)) {
        match self {
            Stmt::Declare(_, _, init) => init.iter_mut().for_each(visit),
            Stmt::Assign(a, b) => {
                visit(a);
                visit(b);
            }
            Stmt::Call(_, args) => args.iter_mut().for_each(visit),
            Stmt::If(e, ..) | Stmt::While(e, _) | Stmt::Switch(e, _) | Stmt::Discard(e) => visit(e),
            Stmt::Count(..) => {}
            Stmt::Return(result) => result.iter_mut().for_each(visit),
        }
    }

    /// Its blocks.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Stmt::If(_, yes, no) => vec![yes, no],
            Stmt::While(_, body) | Stmt::Count(_, _, body) => vec![body],
            Stmt::Switch(_, cases) => cases.iter().map(|(_, body)| body).collect(),
            _ => Vec::new(),
        }
    }

    /// Its blocks, mutably.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Stmt::If(_, yes, no) => vec![yes, no],
            Stmt::While(_, body) | Stmt::Count(_, _, body) => vec![body],
            Stmt::Switch(_, cases) => cases.iter_mut().map(|(_, body)| body).collect(),
            _ => Vec::new(),
        }
    }
}

/// Visits every expression of a block, at any depth.
fn each_in_block<'b>(block: &'b Block, visit: &mut dyn FnMut(&'b Expr)) {
    for stmt in block {
        stmt.exprs(&mut |expr| expr.each(visit));
        stmt.blocks().into_iter().for_each(|block| each_in_block(block, visit));
    }
}

/// Visits every call in a block, at any depth, with its arguments: statements and expressions.
pub(crate) fn each_call<'b>(block: &'b Block, visit: &mut dyn FnMut(&'b Name, &'b [Expr])) {
    for stmt in block {
        if let Stmt::Call(name, args) = stmt {
            visit(name, args);
        }
        stmt.exprs(&mut |expr| {
            expr.each(&mut |part| {
                if let Expr::Call(name, args) = part {
                    visit(name, args);
                }
            });
        });
        stmt.blocks().into_iter().for_each(|inner| each_call(inner, visit));
    }
}

/// The same with mutable arguments; inner calls first.
pub(crate) fn each_call_mut(block: &mut Block, visit: &mut dyn FnMut(&Name, &mut Vec<Expr>)) {
    fn in_expr(expr: &mut Expr, visit: &mut dyn FnMut(&Name, &mut Vec<Expr>)) {
        expr.parts_mut(&mut |part| in_expr(part, visit));
        if let Expr::Call(name, args) = expr {
            visit(name, args);
        }
    }
    for stmt in block {
        stmt.exprs_mut(&mut |expr| in_expr(expr, visit));
        if let Stmt::Call(name, args) = stmt {
            visit(name, args);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| each_call_mut(inner, visit));
    }
}

/// The functions that are called before their definition and need a declaration.
pub(crate) fn called_early(unit: &Unit) -> Vec<&Function> {
    let mut called: FxHashSet<&Name> = FxHashSet::default();
    let mut early = Vec::new();
    for function in &unit.functions {
        if called.contains(&function.name) {
            early.push(function);
        }
        each_call(&function.body, &mut |name, _| _ = called.insert(name));
    }
    early
}
