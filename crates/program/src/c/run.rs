//! Runs a unit by the rules of the standard, without a compiler. Undefined behavior, and on request
//! implementation-defined behavior, ends the run with the reason.

use super::float;
use super::tree::{Binary, Block, Expr, Function, Name, Stmt, Unary, Unit};
use super::types::{Scalar, Type};
use assay_term::float::{Float, Format};
use rustc_hash::FxHashMap;

/// Where inputs come from.
pub trait Feed: Send {
    /// The next input of this type at this place; it is truncated to the type.
    fn next(&mut self, scalar: Scalar, place: u32) -> i128;
}

impl<F: FnMut(Scalar, u32) -> i128 + Send> Feed for F {
    fn next(&mut self, scalar: Scalar, place: u32) -> i128 {
        self(scalar, place)
    }
}

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of statements, or of steps of equal cost.
    pub steps: u64,
    /// Maximum call depth.
    pub depth: u32,
    /// Whether implementation-defined behavior ends the run.
    pub portable: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 1_000_000, depth: SHALLOW, portable: true }
    }
}

/// The number of variable lookups that cost as much as one statement.
const LOOKS_PER_STEP: usize = 64;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// At the end of `main`.
    Finished,
    /// At the error.
    Reached,
    /// By `abort`.
    Aborted,
}

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// How it ended.
    pub end: End,
    /// What was read, in order.
    pub inputs: Vec<(Scalar, i128)>,
}

/// Why a run failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// The behavior is undefined.
    #[error("undefined: {0}")]
    Undefined(&'static str),
    /// The behavior is implementation-defined.
    #[error("implementation-defined: {0}")]
    Implementation(&'static str),
    /// It takes too long, or uses too much stack.
    #[error("the run exceeds its limit of steps or calls")]
    Endless,
    /// The tree is not a valid program.
    #[error("not a program: {0}")]
    Malformed(String),
}

/// Maximum stack size of a call, and the number of calls that need no separate stack.
const FRAME: usize = 32 << 10;
const SHALLOW: u32 = 400;

/// Runs `main`.
///
/// # Errors
/// If the run has no outcome.
///
/// # Panics
/// If the system has no thread for a deep run.
pub fn run(unit: &Unit, feed: &mut dyn Feed, limits: Limits) -> Result<Execution, Fault> {
    if limits.depth <= SHALLOW {
        return run_here(unit, feed, limits);
    }
    std::thread::scope(|scope| {
        let deep = std::thread::Builder::new().stack_size(FRAME * limits.depth as usize);
        let run = deep.spawn_scoped(scope, || run_here(unit, feed, limits));
        run.expect("there is a thread").join().expect("a run does not panic")
    })
}

fn run_here(unit: &Unit, feed: &mut dyn Feed, limits: Limits) -> Result<Execution, Fault> {
    let mut machine = Machine {
        unit,
        feed,
        limits,
        inputs: Vec::new(),
        objects: Vec::new(),
        globals: FxHashMap::default(),
        depth: 0,
    };
    for global in &unit.globals {
        let size = machine.size(&global.ty)?;
        machine.objects.push(vec![Some(Value::Number(0, Scalar::Int)); size]);
        let place = machine.newest(&global.ty);
        machine.globals.insert(&global.name, place);
    }
    let main = unit.function("main").ok_or_else(|| malformed("no function `main`"))?;
    let end = match machine.call(main, Vec::new()) {
        Ok(_) => End::Finished,
        Err(Leave::End(end)) => end,
        Err(Leave::Fault(fault)) => return Err(fault),
    };
    Ok(Execution { end, inputs: machine.inputs })
}

fn malformed(words: impl Into<String>) -> Fault {
    Fault::Malformed(words.into())
}

/// Why the next statement is not executed.
enum Leave {
    End(End),
    Fault(Fault),
}

impl From<Fault> for Leave {
    fn from(fault: Fault) -> Leave {
        Leave::Fault(fault)
    }
}

#[derive(Clone, Debug)]
enum Value {
    Number(i128, Scalar),
    Pointer(Place),
}

/// A location: an object, an offset in it, and the type of the value there.
#[derive(Clone, Debug)]
struct Place {
    object: usize,
    offset: usize,
    /// The end of the array that it is an element of, or of itself: no index may go beyond.
    end: usize,
    ty: Type,
}

struct Machine<'m> {
    unit: &'m Unit,
    feed: &'m mut dyn Feed,
    limits: Limits,
    inputs: Vec<(Scalar, i128)>,
    /// Each is a row of numbers; `None` if nothing was stored yet.
    objects: Vec<Vec<Option<Value>>>,
    globals: FxHashMap<&'m Name, Place>,
    depth: u32,
}

/// The variables of a call, inner ones last.
type Frame<'m> = Vec<(&'m Name, Place)>;

/// The result of a block: the value of a `return`, or nothing.
enum Flow {
    On,
    Return(Option<Value>),
}

impl<'m> Machine<'m> {
    /// Number of scalars in an object of a type.
    fn size(&self, ty: &Type) -> Result<usize, Fault> {
        Ok(match ty {
            Type::Scalar(_) | Type::Pointer(_) => 1,
            Type::Array(inner, count) => self.size(inner)? * count,
            Type::Struct(name) => {
                let mut size = 0;
                for (ty, _) in &self.structure(name)?.fields {
                    size += self.size(ty)?;
                }
                size
            }
        })
    }

    fn structure(&self, name: &Name) -> Result<&'m super::tree::Struct, Fault> {
        let found = self.unit.structs.iter().find(|structure| structure.name == *name);
        found.ok_or_else(|| malformed(format!("no structure `{name}`")))
    }

    fn call(&mut self, function: &'m Function, args: Vec<Value>) -> Result<Option<Value>, Leave> {
        if self.depth >= self.limits.depth {
            return Err(Fault::Endless.into());
        }
        self.depth += 1;
        let mut frame: Frame<'m> = Vec::new();
        let live = self.objects.len();
        if args.len() != function.params.len() {
            return Err(malformed(format!("wrong arguments for `{}`", function.name)).into());
        }
        for (param, arg) in function.params.iter().zip(args) {
            let value = self.stored(&param.ty, arg)?;
            self.objects.push(vec![Some(value)]);
            frame.push((&param.name, self.newest(&param.ty)));
        }
        let flow = self.block(&function.body, &mut frame)?;
        self.depth -= 1;
        // In generated programs, pointers to locals do not leave their functions; such a pointer
        // would be dangling.
        self.objects.truncate(live);
        match (flow, function.result) {
            (Flow::Return(Some(value)), Some(scalar)) => {
                Ok(Some(self.stored(&scalar.into(), value)?))
            }
            (_, None) => Ok(None),
            (_, Some(scalar)) if &*function.name == "main" => Ok(Some(Value::Number(0, scalar))),
            _ => Err(Fault::Undefined("a missing return value").into()),
        }
    }

    fn spend(&mut self, steps: u64) -> Result<(), Leave> {
        let left = self.limits.steps.checked_sub(steps);
        self.limits.steps = left.ok_or(Leave::Fault(Fault::Endless))?;
        Ok(())
    }

    fn block(&mut self, block: &'m Block, frame: &mut Frame<'m>) -> Result<Flow, Leave> {
        let known = frame.len();
        for stmt in block {
            self.spend(1)?;
            if let Flow::Return(value) = self.statement(stmt, frame)? {
                frame.truncate(known);
                return Ok(Flow::Return(value));
            }
        }
        frame.truncate(known);
        Ok(Flow::On)
    }

    fn statement(&mut self, stmt: &'m Stmt, frame: &mut Frame<'m>) -> Result<Flow, Leave> {
        match stmt {
            Stmt::Declare(ty, name, init) => {
                let size = self.size(ty)?;
                let mut cells = vec![None; size];
                if let Some(init) = init {
                    let value = self.value(init, frame)?;
                    cells[0] = Some(self.stored(ty, value)?);
                }
                self.objects.push(cells);
                frame.push((name, self.newest(ty)));
            }
            Stmt::Assign(place, value) => {
                let value = self.value(value, frame)?;
                let place = self.place(place, frame)?;
                let value = self.stored(&place.ty, value)?;
                *self.cell(&place)? = Some(value);
            }
            Stmt::Call(name, args) => {
                self.invoke(name, args, frame)?;
            }
            Stmt::If(condition, yes, no) => {
                let chosen = if self.truth(condition, frame)? { yes } else { no };
                return self.block(chosen, frame);
            }
            Stmt::While(condition, body) => {
                while self.truth(condition, frame)? {
                    self.spend(1)?;
                    if let Flow::Return(value) = self.block(body, frame)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Stmt::Count(name, size, body) => {
                self.objects.push(vec![None]);
                let counter = self.newest(&Type::Scalar(Scalar::UInt));
                let object = counter.object;
                frame.push((name, counter));
                for at in 0..*size {
                    self.objects[object][0] = Some(Value::Number(at as i128, Scalar::UInt));
                    if let Flow::Return(value) = self.block(body, frame)? {
                        return Ok(Flow::Return(value));
                    }
                }
                frame.pop();
            }
            Stmt::Switch(subject, cases) => {
                let value = self.integer(subject, frame)?;
                if let Some((_, body)) = cases.iter().find(|(case, _)| *case == value) {
                    return self.block(body, frame);
                }
            }
            // A structure has no value here, and none is needed.
            Stmt::Discard(value @ Expr::Var(_))
                if matches!(self.place(value, frame)?.ty, Type::Struct(_)) => {}
            Stmt::Discard(value) => {
                self.value(value, frame)?;
            }
            Stmt::Return(None) => return Ok(Flow::Return(None)),
            Stmt::Return(Some(value)) => {
                return Ok(Flow::Return(Some(self.value(value, frame)?)));
            }
        }
        Ok(Flow::On)
    }

    fn invoke(
        &mut self,
        name: &'m Name,
        args: &'m [Expr],
        frame: &mut Frame<'m>,
    ) -> Result<Option<Value>, Leave> {
        match &**name {
            Unit::ERROR => return Err(Leave::End(End::Reached)),
            Unit::ABORT => return Err(Leave::End(End::Aborted)),
            _ => {}
        }
        let function = self.unit.function(name);
        let function = function.ok_or_else(|| malformed(format!("no function `{name}`")))?;
        let args: Result<Vec<Value>, Leave> =
            args.iter().map(|arg| self.value(arg, frame)).collect();
        self.call(function, args?)
    }

    /// The whole object that was created last.
    fn newest(&self, ty: &Type) -> Place {
        let object = self.objects.len() - 1;
        Place { object, offset: 0, end: self.objects[object].len(), ty: ty.clone() }
    }

    fn cell(&mut self, place: &Place) -> Result<&mut Option<Value>, Fault> {
        let cell = self.objects.get_mut(place.object).and_then(|row| row.get_mut(place.offset));
        cell.ok_or(Fault::Undefined("an access outside of its object"))
    }

    /// A value converted to the type of a variable.
    fn stored(&self, ty: &Type, value: Value) -> Result<Value, Fault> {
        match (ty, value) {
            (Type::Scalar(scalar), Value::Number(number, from)) => {
                Ok(Value::Number(self.converted((number, from), *scalar)?, *scalar))
            }
            (Type::Pointer(_), value @ Value::Pointer(_)) => Ok(value),
            _ => Err(malformed("a value of the wrong type")),
        }
    }

    fn converted(&self, (number, from): (i128, Scalar), scalar: Scalar) -> Result<i128, Fault> {
        match (float::format(from), float::format(scalar)) {
            (Some(format), _) => return float::to_scalar(&float::decoded(number, format), scalar),
            (None, Some(format)) => return Ok(float::from_integer(number, from, format)),
            (None, None) => {}
        }
        let fits = scalar.holds(number) && (from != Scalar::U128 || number >= 0);
        if self.limits.portable && scalar.is_signed() && !fits {
            return Err(Fault::Implementation(
                "a conversion to a signed type that cannot hold the value",
            ));
        }
        Ok(scalar.wrap(number))
    }

    fn truth(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<bool, Leave> {
        let (value, scalar) = self.number(expr, frame)?;
        Ok(match float::format(scalar) {
            Some(format) => !float::decoded(value, format).is_zero(),
            None => value != 0,
        })
    }

    /// The value of an expression whose type must be an integer type.
    fn integer(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<i128, Leave> {
        match self.number(expr, frame)? {
            (value, scalar) if !scalar.is_float() => Ok(value),
            _ => Err(malformed("a floating-point number where an integer is needed").into()),
        }
    }

    fn number(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<(i128, Scalar), Leave> {
        match self.value(expr, frame)? {
            Value::Number(value, scalar) => Ok((value, scalar)),
            Value::Pointer(_) => Err(malformed("a pointer where a number is needed").into()),
        }
    }

    /// The location that an expression designates.
    fn place(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<Place, Leave> {
        match expr {
            Expr::Var(name) => {
                // A variable is looked up among all variables of its call.
                self.spend((frame.len() / LOOKS_PER_STEP) as u64)?;
                let local = frame.iter().rev().find(|(known, _)| *known == name);
                let place = local.map(|(_, place)| place).or_else(|| self.globals.get(name));
                let unknown = || malformed(format!("no variable `{name}`"));
                Ok(place.cloned().ok_or_else(unknown)?)
            }
            Expr::Index(array, at) => {
                let at = self.integer(at, frame)?;
                let Value::Pointer(first) = self.value(array, frame)? else {
                    return Err(malformed("indexing something that is not an array").into());
                };
                let size = self.size(&first.ty)?;
                let outside = Fault::Undefined("an array index out of bounds");
                let offset = at.checked_mul(size as i128);
                let offset = offset.and_then(|by| by.checked_add(first.offset as i128));
                let offset = offset.and_then(|offset| usize::try_from(offset).ok());
                let offset = offset.ok_or_else(|| outside.clone())?;
                match offset.saturating_add(size) {
                    end if end <= first.end => Ok(Place { offset, end, ..first }),
                    _ => Err(outside.into()),
                }
            }
            Expr::Field(whole, name) => {
                let whole = self.place(whole, frame)?;
                self.field(whole, name)
            }
            Expr::Arrow(pointer, name) => {
                let Value::Pointer(whole) = self.value(pointer, frame)? else {
                    return Err(malformed("`->` on something that is not a pointer").into());
                };
                self.field(whole, name)
            }
            Expr::Deref(pointer) => match self.value(pointer, frame)? {
                Value::Pointer(place) => Ok(place),
                Value::Number(..) => Err(malformed("a number where a pointer is needed").into()),
            },
            _ => Err(malformed("an expression that is not an lvalue").into()),
        }
    }

    fn field(&self, whole: Place, name: &Name) -> Result<Place, Leave> {
        let Type::Struct(structure) = &whole.ty else {
            return Err(malformed("a field of something that is not a structure").into());
        };
        let mut offset = whole.offset;
        for (ty, field) in &self.structure(structure)?.fields {
            if field == name {
                let end = offset + self.size(ty)?;
                return Ok(Place { object: whole.object, offset, end, ty: ty.clone() });
            }
            offset += self.size(ty)?;
        }
        Err(malformed(format!("no field `{name}`")).into())
    }

    fn value(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<Value, Leave> {
        Ok(match expr {
            Expr::Number(value, scalar) => Value::Number(*value, scalar.promoted()),
            Expr::Input(scalar, place) => {
                let value = scalar.wrap(self.feed.next(*scalar, *place));
                let format = float::format(*scalar);
                let value = format.map_or(value, |format| float::canonical(value, format));
                self.inputs.push((*scalar, value));
                Value::Number(value, *scalar)
            }
            Expr::Unary(op, a) => {
                let (a, scalar) = self.number(a, frame)?;
                match float::format(scalar) {
                    Some(format) => float_unary(*op, float::decoded(a, format), scalar)?,
                    None => self.unary(*op, a, scalar.promoted())?,
                }
            }
            Expr::Binary(Binary::Both, a, b) => {
                let both = self.truth(a, frame)? && self.truth(b, frame)?;
                Value::Number(both.into(), Scalar::Int)
            }
            Expr::Binary(Binary::Either, a, b) => {
                let either = self.truth(a, frame)? || self.truth(b, frame)?;
                Value::Number(either.into(), Scalar::Int)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.number(a, frame)?, self.number(b, frame)?);
                self.binary(*op, a, b)?
            }
            Expr::Cond(condition, yes, no) => {
                let (chosen, other) =
                    if self.truth(condition, frame)? { (yes, no) } else { (no, yes) };
                let value = self.value(chosen, frame)?;
                match (value, self.scalar_of(chosen, frame), self.scalar_of(other, frame)) {
                    (Value::Number(value, from), Some(a), Some(b)) => {
                        let common = a.common(b);
                        Value::Number(self.converted((value, from), common)?, common)
                    }
                    (value, ..) => value,
                }
            }
            Expr::Cast(scalar, a) => {
                let a = self.number(a, frame)?;
                Value::Number(self.converted(a, *scalar)?, *scalar)
            }
            Expr::Recode(scalar, a) => {
                let a = self.number(a, frame)?;
                self.recoded(a, *scalar)?
            }
            Expr::Rounded(of, args) => {
                let mut numbers = Vec::with_capacity(args.len());
                for arg in args {
                    let number = self.number(arg, frame)?;
                    numbers.push(self.converted(number, of.from)?);
                }
                let value = float::rounded(*of, &numbers);
                Value::Number(value.ok_or_else(|| malformed("no such rounding"))?, of.to)
            }
            Expr::Call(name, args) => {
                let result = self.invoke(name, args, frame)?;
                result.ok_or_else(|| malformed(format!("{name} gives nothing")))?
            }
            Expr::Address(a) => {
                let place = self.place(a, frame)?;
                Value::Pointer(place)
            }
            Expr::Var(_) | Expr::Index(..) | Expr::Field(..) | Expr::Arrow(..) | Expr::Deref(_) => {
                let place = self.place(expr, frame)?;
                match place.ty {
                    Type::Array(inner, _) => Value::Pointer(Place { ty: *inner, ..place }),
                    Type::Struct(_) => return Err(malformed("a structure used as a value").into()),
                    Type::Scalar(scalar) => match self.cell(&place)? {
                        // Globals of every type start as zero.
                        Some(Value::Number(value, _)) => Value::Number(*value, scalar),
                        Some(pointer) => pointer.clone(),
                        None => return Err(Fault::Undefined("an uninitialized value").into()),
                    },
                    Type::Pointer(_) => match self.cell(&place)? {
                        Some(pointer @ Value::Pointer(_)) => pointer.clone(),
                        _ => return Err(Fault::Undefined("an uninitialized pointer").into()),
                    },
                }
            }
        })
    }

    /// The type of an expression, without evaluating it; none for pointers.
    fn scalar_of(&self, expr: &Expr, frame: &Frame<'m>) -> Option<Scalar> {
        match expr {
            Expr::Number(_, scalar) => Some(scalar.promoted()),
            Expr::Input(scalar, _) | Expr::Cast(scalar, _) | Expr::Recode(scalar, _) => {
                Some(*scalar)
            }
            Expr::Rounded(of, _) => Some(of.to),
            Expr::Unary(Unary::Not, _) => Some(Scalar::Int),
            Expr::Unary(_, a) => Some(self.scalar_of(a, frame)?.promoted()),
            Expr::Binary(op, ..) if op.is_truth() => Some(Scalar::Int),
            Expr::Binary(Binary::Shl | Binary::Shr, a, _) => {
                Some(self.scalar_of(a, frame)?.promoted())
            }
            Expr::Binary(_, a, b) | Expr::Cond(_, a, b) => {
                Some(self.scalar_of(a, frame)?.common(self.scalar_of(b, frame)?))
            }
            Expr::Call(name, _) => self.unit.function(name)?.result,
            _ => match self.type_of(expr, frame)? {
                Type::Scalar(scalar) => Some(scalar),
                _ => None,
            },
        }
    }

    /// The type of what an expression designates.
    fn type_of(&self, expr: &Expr, frame: &Frame<'m>) -> Option<Type> {
        let field = |ty: Type, name: &Name| match ty {
            Type::Struct(structure) => {
                let fields = &self.structure(&structure).ok()?.fields;
                fields.iter().find(|(_, known)| known == name).map(|(ty, _)| ty.clone())
            }
            _ => None,
        };
        let pointed = |ty: Type| match ty {
            Type::Array(inner, _) | Type::Pointer(inner) => Some(*inner),
            _ => None,
        };
        match expr {
            Expr::Var(name) => {
                let local = frame.iter().rev().find(|(known, _)| *known == name);
                let place = local.map(|(_, place)| place).or_else(|| self.globals.get(name));
                place.map(|place| place.ty.clone())
            }
            Expr::Index(a, _) | Expr::Deref(a) => pointed(self.type_of(a, frame)?),
            Expr::Field(a, name) => field(self.type_of(a, frame)?, name),
            Expr::Arrow(a, name) => field(pointed(self.type_of(a, frame)?)?, name),
            Expr::Cond(_, a, _) => self.type_of(a, frame),
            Expr::Address(a) => Some(Type::Pointer(Box::new(self.type_of(a, frame)?))),
            _ => self.scalar_of(expr, frame).map(Type::Scalar),
        }
    }

    fn unary(&self, op: Unary, a: i128, scalar: Scalar) -> Result<Value, Fault> {
        let value = match op {
            Unary::Not => return Ok(Value::Number(i128::from(a == 0), Scalar::Int)),
            // The least number of 128 bits is its own negation.
            Unary::Minus => a.wrapping_neg(),
            Unary::Complement => {
                if scalar.is_signed() && self.limits.portable {
                    return Err(Fault::Implementation("a bitwise operation on a signed number"));
                }
                !a
            }
        };
        arithmetic(value, scalar)
    }

    /// The number of an encoding, or the encoding of a number.
    fn recoded(&self, a: (i128, Scalar), to: Scalar) -> Result<Value, Fault> {
        let of = |format: Format| Scalar::unsigned(format.width());
        let from = match float::format(to) {
            Some(format) => of(format),
            None => [Scalar::Float, Scalar::Double]
                .into_iter()
                .find(|&from| float::format(from).is_some_and(|format| of(format) == to))
                .ok_or_else(|| malformed("an encoding in a type of another width"))?,
        };
        let value = self.converted(a, from)?;
        match (float::format(to), float::format(from)) {
            (Some(format), _) => Ok(Value::Number(float::canonical(value, format), to)),
            (_, Some(format)) if float::decoded(value, format).is_nan() => {
                Err(Fault::Implementation("the encoding of NaN"))
            }
            _ => Ok(Value::Number(value, to)),
        }
    }

    fn binary(&self, op: Binary, a: (i128, Scalar), b: (i128, Scalar)) -> Result<Value, Fault> {
        let scalar = a.1.common(b.1);
        if let Some(format) = float::format(scalar) {
            let number = |operand| Ok(float::decoded(self.converted(operand, scalar)?, format));
            return float_binary(op, &number(a)?, &number(b)?, scalar);
        }
        if let Binary::Shl | Binary::Shr = op {
            return self.shift(op, (a.0, a.1.promoted()), b.0);
        }
        // The usual arithmetic conversions go to a wider type, or to an unsigned one.
        let (a, b) = (scalar.wrap(a.0), scalar.wrap(b.0));
        if scalar == Scalar::U128 {
            return wide(op, a as u128, b as u128);
        }
        let truth = |value: bool| Ok(Value::Number(value.into(), Scalar::Int));
        let value = match op {
            Binary::Eq => return truth(a == b),
            Binary::Ne => return truth(a != b),
            Binary::Lt | Binary::Below => return truth(a < b),
            Binary::Le | Binary::AtMost => return truth(a <= b),
            Binary::Gt => return truth(a > b),
            Binary::Ge => return truth(a >= b),
            Binary::Add => a + b,
            Binary::Sub => a - b,
            // The product of two unsigned 64-bit numbers fits only into an unsigned type.
            Binary::Mul => match a.checked_mul(b) {
                Some(product) => product,
                None => return Ok(Value::Number(scalar.wrap(wrapping_product(a, b)), scalar)),
            },
            Binary::Div | Binary::Rem if b == 0 => {
                return Err(Fault::Undefined("a division by zero"));
            }
            Binary::Div => a / b,
            Binary::Rem => {
                // The remainder is defined only if the quotient is.
                arithmetic(a / b, scalar)?;
                a % b
            }
            Binary::And | Binary::Or | Binary::Xor => {
                if self.limits.portable && (a < 0 || b < 0) {
                    return Err(Fault::Implementation("a bitwise operation on a negative number"));
                }
                match op {
                    Binary::And => a & b,
                    Binary::Or => a | b,
                    _ => a ^ b,
                }
            }
            Binary::Shl | Binary::Shr | Binary::Both | Binary::Either => {
                return Err(malformed("an operator in the wrong place"));
            }
        };
        arithmetic(value, scalar)
    }

    fn shift(&self, op: Binary, (a, scalar): (i128, Scalar), by: i128) -> Result<Value, Fault> {
        let Some(by) = u32::try_from(by).ok().filter(|by| *by < scalar.bits()) else {
            return Err(Fault::Undefined("a shift by at least the width"));
        };
        if scalar == Scalar::U128 {
            let a = a as u128;
            let value = if op == Binary::Shl { a << by } else { a >> by };
            return Ok(Value::Number(value as i128, scalar));
        }
        if a < 0 {
            match op {
                Binary::Shl => return Err(Fault::Undefined("a shift of a negative number")),
                _ if self.limits.portable => {
                    return Err(Fault::Implementation("a shift of a negative number"));
                }
                _ => {}
            }
        }
        match op {
            Binary::Shr => Ok(Value::Number(a >> by, scalar)),
            _ if scalar.is_signed() && !scalar.holds(a << by) => {
                Err(Fault::Undefined("a left shift that overflows"))
            }
            _ => Ok(Value::Number(scalar.wrap(a << by), scalar)),
        }
    }
}

fn float_unary(op: Unary, a: Float, scalar: Scalar) -> Result<Value, Fault> {
    match op {
        Unary::Not => Ok(Value::Number(a.is_zero().into(), Scalar::Int)),
        Unary::Minus => Ok(Value::Number(float::negated(&a), scalar)),
        Unary::Complement => Err(malformed("`~` of a floating-point number")),
    }
}

fn float_binary(op: Binary, a: &Float, b: &Float, scalar: Scalar) -> Result<Value, Fault> {
    if let Some(truth) = float::comparison(op, a, b) {
        return Ok(Value::Number(truth.into(), Scalar::Int));
    }
    let value = float::arithmetic(op, a, b, float::NEAREST);
    let none = || malformed(format!("`{}` of floating-point numbers", op.name()));
    Ok(Value::Number(value.ok_or_else(none)?, scalar))
}

/// An operation on two numbers of 128 bits without a sign.
fn wide(op: Binary, a: u128, b: u128) -> Result<Value, Fault> {
    let truth = match op {
        Binary::Eq => Some(a == b),
        Binary::Ne => Some(a != b),
        Binary::Lt | Binary::Below => Some(a < b),
        Binary::Le | Binary::AtMost => Some(a <= b),
        Binary::Gt => Some(a > b),
        Binary::Ge => Some(a >= b),
        _ => None,
    };
    if let Some(truth) = truth {
        return Ok(Value::Number(truth.into(), Scalar::Int));
    }
    let value = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div | Binary::Rem if b == 0 => {
            return Err(Fault::Undefined("a division by zero"));
        }
        Binary::Div => a / b,
        Binary::Rem => a % b,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        _ => return Err(malformed("an operator in the wrong place")),
    };
    Ok(Value::Number(value as i128, Scalar::U128))
}

/// Unsigned numbers wrap around; signed ones must not overflow.
fn arithmetic(value: i128, scalar: Scalar) -> Result<Value, Fault> {
    if scalar.is_signed() && !scalar.holds(value) {
        return Err(Fault::Undefined("signed overflow"));
    }
    Ok(Value::Number(scalar.wrap(value), scalar))
}

/// The low bits of a product of two unsigned numbers.
fn wrapping_product(a: i128, b: i128) -> i128 {
    a.wrapping_mul(b) & i128::from(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returns(expr: Expr) -> Result<i128, Fault> {
        // The value of the expression decides whether the error is reached.
        let name = Name::from("x");
        let body = vec![
            Stmt::Declare(Scalar::Long.into(), Name::clone(&name), Some(expr)),
            Stmt::Declare(Scalar::Long.into(), "y".into(), Some(Expr::Input(Scalar::Long, 0))),
            Stmt::If(
                Expr::binary(Binary::Eq, Expr::var(&name), Expr::Var("y".into())),
                vec![Stmt::Call(Unit::ERROR.into(), vec![])],
                vec![],
            ),
        ];
        let main =
            Function { name: "main".into(), result: Some(Scalar::Int), params: vec![], body };
        let unit = Unit { functions: vec![main], ..Unit::default() };
        for guess in -300..=300 {
            let execution = run(&unit, &mut |_, _| guess, Limits::default())?;
            if execution.end == End::Reached {
                assert_eq!(execution.inputs, [(Scalar::Long, guess)]);
                return Ok(guess);
            }
        }
        panic!("the value is out of the range that is looked at")
    }

    #[test]
    fn an_inner_index_stays_in_its_row() {
        let row = Type::Array(Box::new(Scalar::Int.into()), 3);
        let body = |at: i128| {
            let index = |value: i128| Box::new(Expr::number(value, Scalar::Int));
            let rows = Expr::Index(Box::new(Expr::Var("m".into())), index(0));
            let cell = Expr::Index(Box::new(rows), index(at));
            vec![
                Stmt::Declare(Type::Array(Box::new(row.clone()), 2), "m".into(), None),
                Stmt::Assign(cell, Expr::number(1, Scalar::Int)),
            ]
        };
        let ends = |at: i128| {
            let (name, result) = ("main".into(), Some(Scalar::Int));
            let main = Function { name, result, params: vec![], body: body(at) };
            let unit = Unit { functions: vec![main], ..Unit::default() };
            run(&unit, &mut |_, _| 0, Limits::default()).map(|execution| execution.end)
        };
        assert_eq!(ends(2), Ok(End::Finished));
        assert_eq!(ends(3), Err(Fault::Undefined("an array index out of bounds")));
    }

    #[test]
    fn arithmetic_is_that_of_the_standard() {
        let number = |value: i128, scalar| Expr::number(value, scalar);
        let apply = |op, a, b| returns(Expr::binary(op, a, b));
        let byte = |value: i128| number(value, Scalar::Int).cast(Scalar::UChar);
        assert_eq!(apply(Binary::Sub, byte(1), byte(2)), Ok(-1));
        assert_eq!(
            returns(Expr::binary(Binary::Sub, byte(1), byte(2)).cast(Scalar::UChar)),
            Ok(255)
        );
        let (max, one) = (number(i128::from(i32::MAX), Scalar::Int), number(1, Scalar::Int));
        assert!(matches!(apply(Binary::Add, max, one.clone()), Err(Fault::Undefined(_))));
        let minus = number(-1, Scalar::Int);
        assert_eq!(apply(Binary::Lt, minus.clone(), number(1, Scalar::UInt)), Ok(0));
        assert!(matches!(
            apply(Binary::Shr, minus.clone(), one.clone()),
            Err(Fault::Implementation(_))
        ));
        assert!(matches!(
            apply(Binary::Shl, one.clone(), number(32, Scalar::Int)),
            Err(Fault::Undefined(_))
        ));
        assert_eq!(apply(Binary::Div, number(-7, Scalar::Int), number(2, Scalar::Int)), Ok(-3));
        let least = number(i128::from(i64::MIN), Scalar::Long);
        assert!(matches!(apply(Binary::Rem, least, minus), Err(Fault::Undefined(_))));
        // Both branches of a conditional expression determine its type.
        let chosen = Expr::Cond(
            Box::new(one),
            Box::new(number(-1, Scalar::Int)),
            Box::new(number(0, Scalar::UInt)),
        );
        assert_eq!(apply(Binary::Gt, chosen, number(5, Scalar::UInt)), Ok(1));
    }
}
