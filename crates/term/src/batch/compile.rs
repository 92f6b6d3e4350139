//! Compiles terms to a tape: one walk without recursion, then register allocation.
//!
//! During the walk, each step has a register of its own; afterwards a register is reused once its
//! last reader has passed, so that the registers in use stay in the processor's cache.

use super::code::Code;
use super::register::{Class, LANES};
use super::tape::{Input, Operand, Step, Tape};
use crate::budget::{Budget, Exhausted, Meter, as_steps};
use crate::eval::{EvalContext, Limits};
use crate::model::Model;
use crate::op::{App, Op};
use crate::term::{Func, FuncId, Store, Term, TermId};
use crate::theories::Theory;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// The memory of a step and of its entry in the walk, in cells.
const STEP_CELLS: usize = 8;

/// The memory of a register, in cells.
pub(super) const REGISTER_CELLS: usize = LANES + 8;

impl<'s> Tape<'s> {
    /// Compiles terms, which may share parts, to one tape.
    ///
    /// # Errors
    /// Fails if the budget is too small.
    pub fn compile(
        store: &'s Store,
        roots: &[TermId],
        budget: &mut Budget,
    ) -> Result<Tape<'s>, Exhausted> {
        let mut compiler = Compiler::new(store, budget);
        let mut places = Vec::with_capacity(roots.len());
        for &root in roots {
            compiler.tasks.push(Task::Visit(root));
            while let Some(task) = compiler.tasks.pop() {
                compiler.perform(task)?;
            }
            let register = compiler.place(root);
            places.push(Operand { register, class: Class::of(store, store.sort(root)) });
        }
        compiler.finish(places)
    }
}

struct Compiler<'s, 'b> {
    store: &'s Store,
    budget: &'b mut Budget,
    meter: Meter,
    tasks: Vec<Task>,
    steps: Vec<Step>,
    operands: Vec<Operand>,
    constants: Vec<Value>,
    inputs: Vec<Input>,
    /// The steps of terms outside any binder.
    known: FxHashMap<TermId, u32>,
    /// The steps of bound variables.
    environment: FxHashMap<TermId, u32>,
    scopes: Vec<Scope>,
    /// Classes of the operands of one step; kept to reuse its memory.
    classes: Vec<Class>,
}

/// The variables of a `let`, with the bindings they shadow, and the steps of terms that may depend
/// on them.
struct Scope {
    shadowed: Vec<(TermId, Option<u32>)>,
    known: FxHashMap<TermId, u32>,
}

enum Task {
    Visit(TermId),
    /// The arguments have their steps.
    Apply(TermId),
    /// The term has the step of this part.
    Alias(TermId, TermId),
    /// The bound values of a `let` have their steps.
    Bind(TermId),
    /// The body of a `let` has its step.
    Close(TermId),
}

impl<'s, 'b> Compiler<'s, 'b> {
    fn new(store: &'s Store, budget: &'b mut Budget) -> Compiler<'s, 'b> {
        Compiler {
            store,
            budget,
            meter: Meter::default(),
            tasks: Vec::new(),
            steps: Vec::new(),
            operands: Vec::new(),
            constants: Vec::new(),
            inputs: Vec::new(),
            known: FxHashMap::default(),
            environment: FxHashMap::default(),
            scopes: Vec::new(),
            classes: Vec::new(),
        }
    }

    fn perform(&mut self, task: Task) -> Result<(), Exhausted> {
        self.budget.spend(1)?;
        match task {
            Task::Visit(term) if self.find(term).is_some() => Ok(()),
            Task::Visit(term) => self.visit(term),
            Task::Apply(term) => self.apply(term),
            Task::Alias(term, part) => {
                let place = self.place(part);
                self.keep(term, place);
                Ok(())
            }
            Task::Bind(term) => {
                self.bind(term);
                Ok(())
            }
            Task::Close(term) => {
                self.close(term);
                Ok(())
            }
        }
    }

    /// The step of a term that was visited in this scope.
    fn find(&self, term: TermId) -> Option<u32> {
        let known = match self.scopes.last() {
            Some(scope) if self.store.mentions_variables(term) => &scope.known,
            _ => &self.known,
        };
        known.get(&term).or_else(|| self.environment.get(&term)).copied()
    }

    fn place(&self, term: TermId) -> u32 {
        self.find(term).expect("parts are visited before what is made of them")
    }

    fn keep(&mut self, term: TermId, place: u32) {
        let known = match self.scopes.last_mut() {
            Some(scope) if self.store.mentions_variables(term) => &mut scope.known,
            _ => &mut self.known,
        };
        known.insert(term, place);
    }

    fn visit(&mut self, term: TermId) -> Result<(), Exhausted> {
        match self.store.get(term) {
            Term::Literal(value) => self.constant(term, value.clone()),
            Term::App(func, []) => self.nullary(term, func),
            Term::App(_, args) => {
                self.budget.spend(as_steps(args.len()))?;
                self.tasks.push(Task::Apply(term));
                self.tasks.extend(args.iter().rev().map(|&arg| Task::Visit(arg)));
                Ok(())
            }
            Term::Let(..) if self.scopes.is_empty() && self.has_binders(term)? => {
                self.emit(term, Code::Whole)
            }
            Term::Let(bindings, _) => {
                self.budget.spend(as_steps(bindings.len()))?;
                self.tasks.push(Task::Bind(term));
                self.tasks.extend(bindings.chunks(2).map(|pair| Task::Visit(pair[1])));
                Ok(())
            }
            Term::Annotated(inner, _) => {
                self.tasks.extend([Task::Alias(term, inner), Task::Visit(inner)]);
                Ok(())
            }
            Term::Var(_) | Term::Quant(..) | Term::Lambda(..) | Term::Match(..) => {
                self.emit(term, Code::Whole)
            }
        }
    }

    /// Whether a binder other than `let` occurs in a term: its free variables may be bound by a
    /// `let`, so that it cannot be evaluated on its own.
    fn has_binders(&mut self, root: TermId) -> Result<bool, Exhausted> {
        let mut seen = FxHashSet::default();
        let mut work = vec![root];
        while let Some(term) = work.pop() {
            self.budget.spend(1)?;
            if !self.store.mentions_variables(term) || !seen.insert(term) {
                continue;
            }
            if let Term::Quant(..) | Term::Lambda(..) | Term::Match(..) = self.store.get(term) {
                return Ok(true);
            }
            work.extend(self.store.children(term));
        }
        Ok(false)
    }

    fn bind(&mut self, term: TermId) {
        let Term::Let(bindings, body) = self.store.get(term) else {
            unreachable!("scheduled for a let")
        };
        let values: Vec<(TermId, u32)> =
            bindings.chunks(2).map(|pair| (pair[0], self.place(pair[1]))).collect();
        let environment = &mut self.environment;
        let shadowed =
            values.into_iter().map(|(var, place)| (var, environment.insert(var, place))).collect();
        self.scopes.push(Scope { shadowed, known: FxHashMap::default() });
        self.tasks.extend([Task::Close(term), Task::Visit(body)]);
    }

    fn close(&mut self, term: TermId) {
        let Term::Let(_, body) = self.store.get(term) else { unreachable!("scheduled for a let") };
        let place = self.place(body);
        let scope = self.scopes.pop().expect("closed once for each opening");
        for (var, before) in scope.shadowed.into_iter().rev() {
            match before {
                Some(place) => self.environment.insert(var, place),
                None => self.environment.remove(&var),
            };
        }
        self.keep(term, place);
    }

    fn constant(&mut self, term: TermId, value: Value) -> Result<(), Exhausted> {
        let number = self.constants.len() as u32;
        self.constants.push(value);
        self.emit(term, Code::Constant(number))
    }

    fn nullary(&mut self, term: TermId, func: FuncId) -> Result<(), Exhausted> {
        match self.store.func(func) {
            Func::Declared { .. } => {
                let number = self.inputs.len() as u32;
                self.inputs.push(Input { func, term, class: self.class(term) });
                self.emit(term, Code::Input(number))
            }
            Func::Op(op, indices) => match self.fixed(term, *op, indices) {
                Some(value) => self.constant(term, value),
                None => self.emit(term, Code::Exact),
            },
            _ => self.emit(term, Code::Exact),
        }
    }

    /// The value of a theory constant that no model can change.
    fn fixed(&self, term: TermId, op: Op, indices: &[u64]) -> Option<Value> {
        if !matches!(op.theory(), Theory::Core | Theory::Floats) {
            return None;
        }
        let model = Model::new();
        let mut cx = EvalContext::new(self.store, &model);
        let app = App { op, indices, sort: self.store.sort(term) };
        (op.row().eval)(&mut cx, app, &[]).ok()
    }

    fn apply(&mut self, term: TermId) -> Result<(), Exhausted> {
        let Term::App(func, args) = self.store.get(term) else {
            unreachable!("scheduled for an application")
        };
        self.meter.grow(args.len(), self.budget)?;
        let first = self.operands.len();
        self.classes.clear();
        for &arg in args {
            let class = self.class(arg);
            self.classes.push(class);
            self.operands.push(Operand { register: self.place(arg), class });
        }
        let code = match self.store.func(func) {
            Func::Op(op, indices) => Code::of(*op, indices, &self.classes, self.class(term)),
            _ => Code::Exact,
        };
        self.emit_from(term, code, first)
    }

    fn class(&self, term: TermId) -> Class {
        Class::of(self.store, self.store.sort(term))
    }

    /// Adds a step without operands.
    fn emit(&mut self, term: TermId, code: Code) -> Result<(), Exhausted> {
        self.emit_from(term, code, self.operands.len())
    }

    /// Adds a step with the operands from `first` on.
    fn emit_from(&mut self, term: TermId, code: Code, first: usize) -> Result<(), Exhausted> {
        self.meter.grow(STEP_CELLS, self.budget)?;
        let out = narrow(self.steps.len());
        let count = narrow(self.operands.len() - first);
        let class = self.class(term);
        self.steps.push(Step { code, term, class, out, first: narrow(first), count });
        self.keep(term, out);
        Ok(())
    }

    fn finish(self, roots: Vec<Operand>) -> Result<Tape<'s>, Exhausted> {
        let Compiler { store, steps, operands, constants, inputs, .. } = self;
        let limits = Limits::default();
        let mut tape =
            Tape { store, steps, operands, constants, inputs, roots, registers: 0, limits };
        tape.assign_registers();
        // Memory that a run cannot have is refused before it begins.
        Meter::default().grow(tape.registers.saturating_mul(REGISTER_CELLS), self.budget)?;
        Ok(tape)
    }
}

/// The last reader of a value that is needed until the end.
const NEVER: u32 = u32::MAX;

impl Tape<'_> {
    /// Replaces step numbers by registers, reusing each as soon as it is free.
    fn assign_registers(&mut self) {
        let mut last: Vec<u32> = (0..self.steps.len() as u32).collect();
        for (at, step) in self.steps.iter().enumerate() {
            for operand in &self.operands[step.first as usize..][..step.count as usize] {
                last[operand.register as usize] = at as u32;
            }
        }
        for root in &self.roots {
            last[root.register as usize] = NEVER;
        }
        let mut registers = vec![0; self.steps.len()];
        let mut free: Vec<u32> = Vec::new();
        for (at, step) in self.steps.iter_mut().enumerate() {
            let out = free.pop().unwrap_or_else(|| {
                self.registers += 1;
                narrow(self.registers - 1)
            });
            (registers[at], step.out) = (out, out);
            for operand in &mut self.operands[step.first as usize..][..step.count as usize] {
                let value = operand.register as usize;
                operand.register = registers[value];
                if last[value] == at as u32 {
                    last[value] = NEVER;
                    free.push(operand.register);
                }
            }
            if last[at] == at as u32 {
                free.push(out);
            }
        }
        for root in &mut self.roots {
            root.register = registers[root.register as usize];
        }
    }
}

fn narrow(length: usize) -> u32 {
    u32::try_from(length).expect("as many steps do not fit the memory")
}
