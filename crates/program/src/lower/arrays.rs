//! Arrays: a number of distinguished elements, and one more that stands for all others if arrays are
//! compared or filled as a whole.
//!
//! Every run of a program is then a run with proper arrays that are constant everywhere else, so a
//! program whose formula has no model cannot reach its error. Indices must be among the distinguished
//! ones.

use super::{Kind, Low, LoweredStep, Lowerer, Refusal};
use crate::c::{Binary, Expr, Name, Scalar, Stmt};
use assay_term::Op;
use assay_term::theories::arrays;

impl Lowerer<'_> {
    /// Number of distinguished elements of an array over an index sort.
    pub(crate) fn told_apart(&self, index: &Kind) -> usize {
        match index {
            Kind::Bool => 2,
            Kind::Bits(width) if *width < 16 => self.style.size.min(1 << width),
            _ => self.style.size,
        }
    }

    /// Total number of elements.
    pub(crate) fn rows(&self, index: &Kind) -> usize {
        let apart = self.told_apart(index);
        apart + usize::from(self.whole && !self.is_complete(index))
    }

    /// Whether every index is distinguished.
    fn is_complete(&self, index: &Kind) -> bool {
        match index {
            Kind::Bool => true,
            Kind::Bits(width) => *width < 16 && self.told_apart(index) == 1 << width,
            _ => false,
        }
    }

    /// An operator on arrays; `None` if it is not supported.
    pub(super) fn array(
        &mut self,
        op: Op,
        lows: &[Low],
        kinds: &[Kind],
        kind: &Kind,
    ) -> Result<Option<Low>, Refusal> {
        match op {
            arrays::SELECT => {
                let Kind::Array(index, element) = &kinds[0] else { return Ok(None) };
                let at = self.index(&lows[1], index);
                let expr = Expr::Index(Box::new(lows[0].expr.clone()), Box::new(at.expr.clone()));
                let scalar = self.element(element);
                let range = match **element {
                    Kind::Int => scalar.range(),
                    _ => (0, 0),
                };
                Ok(Some(Low { range, ..Low::from(expr, scalar, &[&lows[0], &at]) }))
            }
            arrays::STORE => {
                let Kind::Array(index, element) = kind else { return Ok(None) };
                let at = self.index(&lows[1], index);
                let copy = self.new_array(kind)?;
                let designator = Expr::var(&copy);
                self.copy(&designator, &lows[0].expr, kind);
                let place = Expr::Index(Box::new(designator), Box::new(at.expr.clone()));
                self.copy(&place, &lows[2].expr, element);
                Ok(Some(self.array_named(&copy)))
            }
            arrays::CONST => {
                let Kind::Array(..) = kind else { return Ok(None) };
                let filled = self.new_array(kind)?;
                let mut steps = Vec::new();
                self.fill(&Expr::var(&filled), &lows[0].expr, kind, &kinds[0], &mut steps);
                self.steps.extend(steps.into_iter().map(LoweredStep::Do));
                Ok(Some(self.array_named(&filled)))
            }
            _ => Ok(None),
        }
    }

    fn array_named(&self, name: &Name) -> Low {
        Low { expr: Expr::var(name), height: 0, range: (0, 0), scalar: Scalar::UInt }
    }

    fn new_array(&mut self, kind: &Kind) -> Result<Name, Refusal> {
        let ty = self.kind_type(kind)?;
        self.size += super::elements(&ty);
        if self.size > super::LARGEST {
            return Err(Refusal::Size);
        }
        let name = self.fresh_name("a");
        self.steps.push(LoweredStep::Do(Stmt::Declare(ty, Name::clone(&name), None)));
        Ok(name)
    }

    /// A distinguished index, ensured by a requirement if necessary.
    fn index(&mut self, at: &Low, kind: &Kind) -> Low {
        let size = self.told_apart(kind) as i128;
        match kind {
            Kind::Bool => {
                let expr = at
                    .expr
                    .clone()
                    .cond(Expr::number(1, Scalar::Int), Expr::number(0, Scalar::Int));
                Low::from(expr, Scalar::Int, &[at])
            }
            Kind::Int => {
                let at = if at.range.0 >= 0 && at.range.1 < size {
                    at.clone()
                } else {
                    self.named(at.clone())
                };
                let zero = super::ints::number(0);
                let most = super::ints::number(size);
                self.require(super::ints::compare(Binary::Ge, &at, &zero));
                self.require(super::ints::compare(Binary::Lt, &at, &most));
                at
            }
            _ if self.is_complete(kind) => at.clone(),
            _ => {
                if let Some(value) = at.number() {
                    self.require(Expr::truth((value as u128) < size as u128));
                    return at.clone();
                }
                let at = self.named(at.clone());
                let scalar = match kind {
                    Kind::Bits(width) => Scalar::unsigned(*width),
                    _ => Scalar::UInt,
                };
                self.require(Expr::binary(Binary::Lt, at.expr.clone(), Expr::number(size, scalar)));
                at
            }
        }
    }

    /// Copies a value; arrays element by element.
    fn copy(&mut self, to: &Expr, from: &Expr, kind: &Kind) {
        let mut stmts = Vec::new();
        self.copied(to, from, kind, &mut stmts);
        self.steps.extend(stmts.into_iter().map(LoweredStep::Do));
    }

    fn copied(&mut self, to: &Expr, from: &Expr, kind: &Kind, out: &mut Vec<Stmt>) {
        match kind {
            Kind::Array(index, element) => {
                let at = self.fresh_name("i");
                let part =
                    |whole: &Expr| Expr::Index(Box::new(whole.clone()), Box::new(Expr::var(&at)));
                let (to, from) = (part(to), part(from));
                let mut body = Vec::new();
                self.copied(&to, &from, element, &mut body);
                out.push(Stmt::Count(at, self.rows(index), body));
            }
            _ => out.push(Stmt::Assign(to.clone(), from.clone())),
        }
    }

    /// Fills an array with one value.
    fn fill(&mut self, to: &Expr, value: &Expr, kind: &Kind, of: &Kind, out: &mut Vec<Stmt>) {
        match kind {
            Kind::Array(index, element) if kind != of => {
                let at = self.fresh_name("i");
                let part = Expr::Index(Box::new(to.clone()), Box::new(Expr::var(&at)));
                let mut body = Vec::new();
                self.fill(&part, value, element, of, &mut body);
                out.push(Stmt::Count(at, self.rows(index), body));
            }
            _ => self.copied(to, value, kind, out),
        }
    }

    /// Whether two arrays are equal: a variable that a loop computes.
    pub(super) fn arrays_equal(
        &mut self,
        a: &Low,
        b: &Low,
        index: &Kind,
        element: &Kind,
    ) -> Result<Expr, Refusal> {
        if a.expr == b.expr {
            return Ok(Expr::truth(true));
        }
        let name = self.fresh_name("same");
        let one = Expr::truth(true);
        let declare = Stmt::Declare(Scalar::Int.into(), Name::clone(&name), Some(one));
        self.steps.push(LoweredStep::Do(declare));
        let kind = Kind::Array(Box::new(index.clone()), Box::new(element.clone()));
        let mut stmts = Vec::new();
        self.compared(&a.expr, &b.expr, &kind, &name, &mut stmts);
        self.steps.extend(stmts.into_iter().map(LoweredStep::Do));
        Ok(Expr::binary(Binary::Ne, Expr::var(&name), Expr::truth(false)))
    }

    fn compared(&mut self, a: &Expr, b: &Expr, kind: &Kind, same: &Name, out: &mut Vec<Stmt>) {
        match kind {
            Kind::Array(index, element) => {
                let at = self.fresh_name("i");
                let part =
                    |whole: &Expr| Expr::Index(Box::new(whole.clone()), Box::new(Expr::var(&at)));
                let (a, b) = (part(a), part(b));
                let mut body = Vec::new();
                self.compared(&a, &b, element, same, &mut body);
                out.push(Stmt::Count(at, self.rows(index), body));
            }
            _ => {
                let differ = match kind {
                    Kind::Float(scalar) => self.same_floats(a, b, *scalar).negated(),
                    _ => Expr::binary(Binary::Ne, a.clone(), b.clone()),
                };
                let set = Stmt::Assign(Expr::var(same), Expr::truth(false));
                out.push(Stmt::If(differ, vec![set], vec![]));
            }
        }
    }

    /// One of two arrays (`ite`).
    pub(super) fn array_choice(
        &mut self,
        condition: &Low,
        yes: &Low,
        no: &Low,
        kind: &Kind,
    ) -> Result<Low, Refusal> {
        let chosen = self.new_array(kind)?;
        let (mut one, mut other) = (Vec::new(), Vec::new());
        self.copied(&Expr::var(&chosen), &yes.expr, kind, &mut one);
        self.copied(&Expr::var(&chosen), &no.expr, kind, &mut other);
        self.steps.push(LoweredStep::Do(Stmt::If(condition.expr.clone(), one, other)));
        Ok(self.array_named(&chosen))
    }
}
