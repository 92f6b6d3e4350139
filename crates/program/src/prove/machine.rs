//! Runs a unit on all inputs at once: every statement under the condition that it is executed.
//!
//! The counterpart of the interpreter in `c::run`, step by step. Branches are executed one after the other,
//! each under its condition, and what they assign is chosen by it. Loops and calls are followed until their
//! condition is known to fail, or up to a bound; what lies beyond the bound is a condition of its own.

use super::Open;
use super::numbers::Number;
use super::terms::Terms;
use crate::c::{Binary, Block, Expr, Function, Limits, Name, Scalar, Stmt, Type, Unit};
use assay_term::theories::bv;
use assay_term::{FuncId, TermId};
use rustc_hash::FxHashMap;

/// The most statements that are executed.
const STEPS: u64 = 50_000;

/// How often the body of a loop is executed while its condition depends on inputs.
const ROUNDS: u32 = 70;

/// The most calls within each other.
const DEPTH: u32 = 200;

/// An input of a run.
pub(super) struct Input {
    pub(super) scalar: Scalar,
    pub(super) func: FuncId,
    pub(super) term: TermId,
    /// The condition under which it is read.
    pub(super) read: TermId,
}

/// A location; one of several if an index depends on inputs.
#[derive(Clone, Debug)]
pub(super) struct Place {
    object: u64,
    /// The condition of each, its offset, and the end of the array that it is an element of.
    at: Vec<(TermId, usize, usize)>,
    ty: Type,
}

#[derive(Clone, Debug)]
enum Value {
    Number(Number),
    Pointer(Place),
}

#[derive(Clone, Debug)]
enum Cell {
    /// Nothing was stored.
    Empty,
    /// A number, and the condition under which it was stored.
    Number(Number, TermId),
    Pointer(Place),
}

/// A call.
struct Frame<'m> {
    variables: Vec<(&'m Name, Place)>,
    /// What it owns.
    objects: Vec<u64>,
    /// The conditions under which it returned.
    exits: Vec<TermId>,
    result: Option<Scalar>,
    value: Option<TermId>,
    is_main: bool,
}

pub(super) struct Machine<'m> {
    unit: &'m Unit,
    pub(super) limits: Limits,
    pub(super) terms: Terms,
    /// The condition under which the next statement is executed.
    live: TermId,
    pub(super) inputs: Vec<Input>,
    /// What holds of constants that are no inputs.
    pub(super) facts: Vec<TermId>,
    /// The conditions under which the error is reached, something undefined is done, and a bound is exceeded.
    pub(super) reached: Vec<TermId>,
    pub(super) undefined: Vec<TermId>,
    pub(super) beyond: Vec<TermId>,
    objects: FxHashMap<u64, Vec<Cell>>,
    globals: FxHashMap<&'m Name, Place>,
    next: u64,
    steps: u64,
    depth: u32,
}

impl<'m> Machine<'m> {
    /// Follows every run of a unit.
    pub(super) fn follow(unit: &'m Unit, limits: Limits) -> Result<Machine<'m>, Open> {
        let mut terms = Terms::new();
        let live = terms.bool(true);
        let mut machine = Machine {
            unit,
            limits,
            terms,
            live,
            inputs: Vec::new(),
            facts: Vec::new(),
            reached: Vec::new(),
            undefined: Vec::new(),
            beyond: Vec::new(),
            objects: FxHashMap::default(),
            globals: FxHashMap::default(),
            next: 0,
            steps: 0,
            depth: 0,
        };
        for global in &unit.globals {
            let mut cells = Vec::new();
            machine.zeros(&global.ty, &mut cells)?;
            let place = machine.object(&global.ty, cells);
            machine.globals.insert(&global.name, place);
        }
        let main = unit.function("main").ok_or_else(|| Open::other("no function `main`"))?;
        machine.call(main, Vec::new())?;
        Ok(machine)
    }

    /// Records that a condition must hold here for the run to be defined.
    pub(super) fn require(&mut self, condition: TermId) -> Result<(), Open> {
        let fails = self.terms.not(condition)?;
        let fails = self.terms.and(self.live, fails)?;
        if !self.terms.is(fails, false) {
            self.undefined.push(fails);
        }
        Ok(())
    }

    fn is_dead(&self) -> bool {
        self.terms.is(self.live, false)
    }

    fn die(&mut self) {
        self.live = self.terms.bool(false);
    }

    /// A constant that is no input.
    pub(super) fn unknown(&mut self, stem: &str, scalar: Scalar) -> TermId {
        self.next += 1;
        self.terms.constant(&format!("{stem}{}", self.next), scalar).1
    }

    fn input(&mut self, scalar: Scalar) -> Number {
        self.next += 1;
        let (func, term) = self.terms.constant(&format!("input{}", self.next), scalar);
        self.inputs.push(Input { scalar, func, term, read: self.live });
        Number { term, scalar }
    }

    /// A new object.
    fn object(&mut self, ty: &Type, cells: Vec<Cell>) -> Place {
        self.next += 1;
        let at = vec![(self.terms.bool(true), 0, cells.len())];
        self.objects.insert(self.next, cells);
        Place { object: self.next, at, ty: ty.clone() }
    }

    fn own(&mut self, name: &'m Name, ty: &Type, cells: Vec<Cell>, frame: &mut Frame<'m>) {
        let place = self.object(ty, cells);
        frame.objects.push(place.object);
        frame.variables.push((name, place));
    }

    fn fields(&self, name: &Name) -> Result<&'m [(Type, Name)], Open> {
        let found = self.unit.structs.iter().find(|structure| structure.name == *name);
        found.map(|structure| structure.fields.as_slice()).ok_or(Open::Other("no structure".into()))
    }

    /// Number of scalars in an object of a type.
    fn size(&self, ty: &Type) -> Result<usize, Open> {
        Ok(match ty {
            Type::Scalar(_) | Type::Pointer(_) => 1,
            Type::Array(inner, count) => self.size(inner)?.saturating_mul(*count),
            Type::Struct(name) => {
                let sizes = self.fields(name)?.iter().map(|(ty, _)| self.size(ty));
                sizes.sum::<Result<usize, Open>>()?
            }
        })
    }

    /// The cells of a global variable.
    fn zeros(&mut self, ty: &Type, cells: &mut Vec<Cell>) -> Result<(), Open> {
        match ty {
            Type::Scalar(scalar) => {
                let (zero, always) = (self.zero(*scalar), self.terms.bool(true));
                cells.push(Cell::Number(zero, always));
            }
            Type::Pointer(_) => cells.push(Cell::Empty),
            Type::Array(inner, count) => {
                self.steps += *count as u64;
                self.spend(0)?;
                for _ in 0..*count {
                    self.zeros(inner, cells)?;
                }
            }
            Type::Struct(name) => {
                for (ty, _) in self.fields(name)? {
                    self.zeros(ty, cells)?;
                }
            }
        }
        Ok(())
    }

    fn spend(&mut self, steps: u64) -> Result<(), Open> {
        self.steps += steps;
        if self.steps > STEPS { Err(Open::Size) } else { Ok(()) }
    }

    fn call(&mut self, function: &'m Function, args: Vec<Value>) -> Result<Option<Number>, Open> {
        if self.is_dead() {
            return Ok(function.result.map(|scalar| self.zero(scalar)));
        }
        if self.depth >= DEPTH {
            self.beyond.push(self.live);
            self.die();
            return Ok(function.result.map(|scalar| self.zero(scalar)));
        }
        if args.len() != function.params.len() {
            return Err(Open::other("a call with other arguments"));
        }
        self.depth += 1;
        let mut frame = Frame {
            variables: Vec::new(),
            objects: Vec::new(),
            exits: Vec::new(),
            result: function.result,
            value: None,
            is_main: &*function.name == "main",
        };
        for (param, arg) in function.params.iter().zip(args) {
            let cell = self.stored(&param.ty, arg)?;
            self.own(&param.name, &param.ty, vec![cell], &mut frame);
        }
        self.block(&function.body, &mut frame)?;
        if frame.result.is_some() && !frame.is_main {
            // A missing return value.
            let never = self.terms.bool(false);
            self.require(never)?;
        }
        frame.exits.push(self.live);
        self.live = self.terms.any(&frame.exits)?;
        self.depth -= 1;
        for object in frame.objects {
            self.objects.remove(&object);
        }
        Ok(match (function.result, frame.value) {
            (Some(scalar), Some(term)) => Some(Number { term, scalar }),
            (Some(scalar), None) => Some(self.zero(scalar)),
            (None, _) => None,
        })
    }

    /// A value as it is stored in a variable of a type.
    fn stored(&mut self, ty: &Type, value: Value) -> Result<Cell, Open> {
        match (ty, value) {
            (Type::Scalar(scalar), Value::Number(number)) => {
                let (number, always) = (self.converted(number, *scalar)?, self.terms.bool(true));
                Ok(Cell::Number(number, always))
            }
            (Type::Pointer(_), Value::Pointer(place)) => Ok(Cell::Pointer(place)),
            _ => Err(Open::other("a value of another type")),
        }
    }

    fn block(&mut self, block: &'m Block, frame: &mut Frame<'m>) -> Result<(), Open> {
        let known = frame.variables.len();
        for stmt in block {
            if self.is_dead() {
                break;
            }
            self.spend(1)?;
            self.statement(stmt, frame)?;
        }
        frame.variables.truncate(known);
        Ok(())
    }

    fn statement(&mut self, stmt: &'m Stmt, frame: &mut Frame<'m>) -> Result<(), Open> {
        match stmt {
            Stmt::Declare(ty, name, init) => {
                let size = self.size(ty)?;
                self.spend(size as u64 / 16)?;
                let mut cells = vec![Cell::Empty; size];
                if let Some(init) = init {
                    let value = self.value(init, frame)?;
                    cells[0] = self.stored(ty, value)?;
                }
                self.own(name, ty, cells, frame);
            }
            Stmt::Assign(place, value) => {
                let value = self.value(value, frame)?;
                let place = self.place(place, frame)?;
                self.assign(&place, value)?;
            }
            Stmt::Call(name, args) => {
                self.invoke(name, args, frame)?;
            }
            Stmt::If(condition, yes, no) => {
                let condition = self.condition(condition, frame)?;
                self.branch(
                    condition,
                    frame,
                    |machine, frame| machine.block(yes, frame),
                    |machine, frame| machine.block(no, frame),
                )?;
            }
            Stmt::While(condition, body) => self.repeat(condition, body, frame)?,
            Stmt::Count(name, size, body) => {
                for at in 0..*size {
                    self.spend(1)?;
                    let term = self.terms.number(at as i128, Scalar::UInt);
                    let number = Value::Number(Number { term, scalar: Scalar::UInt });
                    let ty = Type::Scalar(Scalar::UInt);
                    let cell = self.stored(&ty, number)?;
                    self.own(name, &ty, vec![cell], frame);
                    self.block(body, frame)?;
                    frame.variables.pop();
                }
            }
            Stmt::Switch(subject, cases) => {
                let subject = self.integer(subject, frame)?;
                let mut left = self.live;
                let mut ends = Vec::new();
                for (case, body) in cases {
                    let number = self.terms.number(*case, subject.scalar);
                    let same = match subject.scalar.holds(*case) {
                        true => self.terms.eq(subject.term, number)?,
                        false => self.terms.bool(false),
                    };
                    let (other, here) = (self.terms.not(same)?, self.terms.and(left, same)?);
                    self.live = here;
                    self.block(body, frame)?;
                    ends.push(self.live);
                    left = self.terms.and(left, other)?;
                }
                ends.push(left);
                self.live = self.terms.any(&ends)?;
            }
            Stmt::Discard(value @ Expr::Var(_))
                if matches!(self.place(value, frame)?.ty, Type::Struct(_)) => {}
            Stmt::Discard(value) => {
                self.value(value, frame)?;
            }
            Stmt::Return(value) => self.leave(value.as_ref(), frame)?,
        }
        Ok(())
    }

    fn leave(&mut self, value: Option<&'m Expr>, frame: &mut Frame<'m>) -> Result<(), Open> {
        match (value, frame.result) {
            (None, Some(_)) if !frame.is_main => {
                let never = self.terms.bool(false);
                self.require(never)?;
            }
            (Some(value), result) => {
                let value = self.value(value, frame)?;
                if let Some(scalar) = result {
                    let Value::Number(number) = value else {
                        return Err(Open::other("a function that returns a pointer"));
                    };
                    let new = self.converted(number, scalar)?.term;
                    let old = frame.value.unwrap_or(new);
                    frame.value = Some(self.terms.ite(self.live, new, old)?);
                }
            }
            (None, _) => {}
        }
        frame.exits.push(self.live);
        self.die();
        Ok(())
    }

    /// Both sides of a choice, each under its condition.
    fn branch<A, B>(
        &mut self,
        condition: TermId,
        frame: &mut Frame<'m>,
        yes: impl FnOnce(&mut Self, &mut Frame<'m>) -> Result<A, Open>,
        no: impl FnOnce(&mut Self, &mut Frame<'m>) -> Result<B, Open>,
    ) -> Result<(A, B), Open> {
        let before = self.live;
        let otherwise = self.terms.not(condition)?;
        self.live = self.terms.and(before, condition)?;
        let first = yes(self, frame)?;
        let after = self.live;
        self.live = self.terms.and(before, otherwise)?;
        let second = no(self, frame)?;
        self.live = self.terms.or(after, self.live)?;
        Ok((first, second))
    }

    fn repeat(
        &mut self,
        condition: &'m Expr,
        body: &'m Block,
        frame: &mut Frame<'m>,
    ) -> Result<(), Open> {
        let mut ends = Vec::new();
        let mut rounds = 0;
        loop {
            self.spend(1)?;
            let condition = self.condition(condition, frame)?;
            let otherwise = self.terms.not(condition)?;
            ends.push(self.terms.and(self.live, otherwise)?);
            self.live = self.terms.and(self.live, condition)?;
            if self.is_dead() {
                break;
            }
            rounds += u32::from(self.terms.truth(condition).is_none());
            if rounds > ROUNDS {
                self.beyond.push(self.live);
                break;
            }
            self.block(body, frame)?;
        }
        self.live = self.terms.any(&ends)?;
        Ok(())
    }

    fn invoke(
        &mut self,
        name: &'m Name,
        args: &'m [Expr],
        frame: &mut Frame<'m>,
    ) -> Result<Option<Number>, Open> {
        match &**name {
            Unit::ERROR | Unit::ABORT => {
                if &**name == Unit::ERROR && !self.is_dead() {
                    self.reached.push(self.live);
                }
                self.die();
                return Ok(None);
            }
            _ => {}
        }
        let function = self.unit.function(name);
        let function = function.ok_or_else(|| Open::other("a call of an unknown function"))?;
        let args: Result<Vec<Value>, Open> =
            args.iter().map(|arg| self.value(arg, frame)).collect();
        self.call(function, args?)
    }

    fn condition(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<TermId, Open> {
        let number = self.number(expr, frame)?;
        self.truth(number)
    }

    fn number(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<Number, Open> {
        match self.value(expr, frame)? {
            Value::Number(number) => Ok(number),
            Value::Pointer(_) => Err(Open::other("a pointer where a number is needed")),
        }
    }

    fn integer(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<Number, Open> {
        let number = self.number(expr, frame)?;
        match number.scalar.is_float() {
            false => Ok(number),
            true => Err(Open::other("a floating-point number where an integer is needed")),
        }
    }

    fn value(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<Value, Open> {
        let number = match expr {
            Expr::Number(value, scalar) => {
                let scalar = scalar.promoted();
                Number { term: self.terms.number(*value, scalar), scalar }
            }
            Expr::Input(scalar, _) => self.input(*scalar),
            Expr::Unary(op, a) => {
                let a = self.number(a, frame)?;
                self.unary(*op, a)?
            }
            Expr::Binary(op @ (Binary::Both | Binary::Either), a, b) => {
                let first = self.condition(a, frame)?;
                let decided = self.terms.bool(*op == Binary::Either);
                let (both, either) = (*op == Binary::Both, decided);
                let (second, _) = match both {
                    true => {
                        self.branch(first, frame, |m, f| m.condition(b, f), |_, _| Ok(decided))?
                    }
                    false => {
                        let not = self.terms.not(first)?;
                        self.branch(not, frame, |m, f| m.condition(b, f), |_, _| Ok(either))?
                    }
                };
                let truth = match both {
                    true => self.terms.and(first, second)?,
                    false => self.terms.or(first, second)?,
                };
                self.truth_number(truth)?
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.number(a, frame)?, self.number(b, frame)?);
                self.binary(*op, a, b)?
            }
            Expr::Cond(condition, yes, no) => return self.chosen(condition, yes, no, frame),
            Expr::Cast(scalar, a) => {
                let a = self.number(a, frame)?;
                self.converted(a, *scalar)?
            }
            Expr::Recode(scalar, a) => {
                let a = self.number(a, frame)?;
                self.recoded(a, *scalar)?
            }
            Expr::Rounded(of, args) => {
                let mut operands = Vec::with_capacity(args.len());
                for arg in args {
                    let number = self.number(arg, frame)?;
                    operands.push(self.converted(number, of.from)?.term);
                }
                self.rounded(*of, &operands)?
            }
            Expr::Call(name, args) => {
                let result = self.invoke(name, args, frame)?;
                result.ok_or_else(|| Open::other("a call without a value"))?
            }
            Expr::Address(a) => return Ok(Value::Pointer(self.place(a, frame)?)),
            Expr::Var(_) | Expr::Index(..) | Expr::Field(..) | Expr::Arrow(..) | Expr::Deref(_) => {
                let place = self.place(expr, frame)?;
                return self.read(place);
            }
        };
        Ok(Value::Number(number))
    }

    fn chosen(
        &mut self,
        condition: &'m Expr,
        yes: &'m Expr,
        no: &'m Expr,
        frame: &mut Frame<'m>,
    ) -> Result<Value, Open> {
        let condition = self.condition(condition, frame)?;
        let (yes, no) =
            self.branch(condition, frame, |m, f| m.number(yes, f), |m, f| m.number(no, f))?;
        let common = yes.scalar.common(no.scalar);
        // Each side is converted where it is chosen: going to a signed type may not be defined.
        let (yes, no) = self.branch(
            condition,
            frame,
            |m, _| m.converted(yes, common),
            |m, _| m.converted(no, common),
        )?;
        let term = self.terms.ite(condition, yes.term, no.term)?;
        Ok(Value::Number(Number { term, scalar: common }))
    }

    /// The location that an expression designates.
    fn place(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<Place, Open> {
        match expr {
            Expr::Var(name) => {
                let local = frame.variables.iter().rev().find(|(known, _)| *known == name);
                let place = local.map(|(_, place)| place).or_else(|| self.globals.get(name));
                place.cloned().ok_or_else(|| Open::other("an unknown variable"))
            }
            Expr::Index(array, at) => {
                let at = self.integer(at, frame)?;
                let first = self.pointer(array, frame)?;
                self.element(first, at)
            }
            Expr::Field(whole, name) => {
                let whole = self.place(whole, frame)?;
                self.field(whole, name)
            }
            Expr::Arrow(pointer, name) => {
                let whole = self.pointer(pointer, frame)?;
                self.field(whole, name)
            }
            Expr::Deref(pointer) => self.pointer(pointer, frame),
            _ => Err(Open::other("an expression that is no location")),
        }
    }

    fn pointer(&mut self, expr: &'m Expr, frame: &mut Frame<'m>) -> Result<Place, Open> {
        match self.value(expr, frame)? {
            Value::Pointer(place) => Ok(place),
            Value::Number(_) => Err(Open::other("a number where a pointer is needed")),
        }
    }

    fn field(&mut self, whole: Place, name: &Name) -> Result<Place, Open> {
        let Type::Struct(structure) = &whole.ty else {
            return Err(Open::other("a field of something that is no structure"));
        };
        let mut by = 0;
        for (ty, field) in self.fields(structure)? {
            let size = self.size(ty)?;
            if field == name {
                let at = whole.at.iter().map(|&(c, at, _)| (c, at + by, at + by + size)).collect();
                return Ok(Place { object: whole.object, at, ty: ty.clone() });
            }
            by += size;
        }
        Err(Open::other("an unknown field"))
    }

    /// The element of an array at an index, which must lie within it.
    fn element(&mut self, first: Place, index: Number) -> Result<Place, Open> {
        let size = self.size(&first.ty)?.max(1);
        let width = index.scalar.bits().max(64);
        let bits = (index.scalar.bits(), width);
        let wide = self.terms.resized(index.term, bits, index.scalar.is_signed())?;
        let mut at = Vec::new();
        let mut inside = Vec::new();
        for (condition, offset, end) in first.at {
            let count = end.saturating_sub(offset) / size;
            self.spend(count as u64 / 16)?;
            let limit = self.terms.bits(count as i128, width);
            let below = self.terms.op(bv::ULT, &[wide, limit])?;
            inside.push(self.terms.and(condition, below)?);
            let known = self.terms.integer(wide);
            for number in 0..count {
                if known.is_some_and(|known| known != number as u128) {
                    continue;
                }
                let number_term = self.terms.bits(number as i128, width);
                let same = self.terms.eq(wide, number_term)?;
                let here = offset + number * size;
                at.push((self.terms.and(condition, same)?, here, here + size));
            }
        }
        let inside = self.terms.any(&inside)?;
        self.require(inside)?;
        Ok(Place { object: first.object, at, ty: first.ty })
    }

    fn read(&mut self, place: Place) -> Result<Value, Open> {
        let scalar = match &place.ty {
            Type::Array(inner, _) => {
                let ty = (**inner).clone();
                return Ok(Value::Pointer(Place { ty, ..place }));
            }
            Type::Struct(_) => return Err(Open::other("a structure as a value")),
            Type::Pointer(_) => {
                return match (self.cells(&place)?, place.at.as_slice()) {
                    (cells, &[(_, at, _)]) => match cells.get(at) {
                        Some(Cell::Pointer(place)) => Ok(Value::Pointer(place.clone())),
                        _ => Err(Open::other("a pointer without a value")),
                    },
                    _ => Err(Open::other("a pointer that depends on inputs")),
                };
            }
            Type::Scalar(scalar) => *scalar,
        };
        let mut value = self.zero(scalar).term;
        for (number, &(condition, at, _)) in place.at.iter().enumerate() {
            let cell = self.cells(&place)?.get(at).cloned();
            let (held, set) = match cell {
                Some(Cell::Number(held, set)) if held.scalar == scalar => (held.term, set),
                Some(Cell::Empty) => (value, self.terms.bool(false)),
                _ => return Err(Open::other("a value read as another type")),
            };
            let unset = self.terms.not(set)?;
            let fails = self.terms.and(condition, unset)?;
            let holds = self.terms.not(fails)?;
            self.require(holds)?;
            value = if number == 0 { held } else { self.terms.ite(condition, held, value)? };
        }
        Ok(Value::Number(Number { term: value, scalar }))
    }

    fn cells(&self, place: &Place) -> Result<&Vec<Cell>, Open> {
        let gone = || Open::other("a pointer to a variable that is gone");
        self.objects.get(&place.object).ok_or_else(gone)
    }

    fn assign(&mut self, place: &Place, value: Value) -> Result<(), Open> {
        let (Type::Scalar(_), Value::Number(_)) = (&place.ty, &value) else {
            return Err(Open::other("an assignment that is not of a number"));
        };
        let Cell::Number(new, _) = self.stored(&place.ty, value)? else {
            return Err(Open::other("an assignment that is not of a number"));
        };
        for &(condition, at, _) in &place.at {
            let here = self.terms.and(self.live, condition)?;
            let old = self.cells(place)?.get(at).cloned();
            let cell = match old {
                Some(Cell::Empty) => Cell::Number(new, here),
                Some(Cell::Number(old, set)) if old.scalar == new.scalar => {
                    let term = self.terms.ite(here, new.term, old.term)?;
                    Cell::Number(Number { term, ..new }, self.terms.or(set, here)?)
                }
                _ => return Err(Open::other("a value stored as another type")),
            };
            let cells = self.objects.get_mut(&place.object);
            let held = cells.and_then(|cells| cells.get_mut(at));
            *held.ok_or_else(|| Open::other("a location outside of its object"))? = cell;
        }
        Ok(())
    }
}
