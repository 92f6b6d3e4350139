//! A case: a straight-line program that builds elements, and assertions about them.
//!
//! ```text
//! octagons, 8 variables
//! oct1 <- oct(-x0 - x5 + 1 >= 0)
//! oct2 <- assign(oct1, x2, LONG_MIN)
//! oct3 <- oct(x0 + LONG_MAX >= 0)
//! oct4 <- meet(oct3, oct2)
//! assert top-meet(oct4)  # meet(top, oct4) == oct4
//! ```

use crate::domain::Shape;
use crate::law::{Claim, Law, Term};
use crate::laws::LAWS;
use crate::linear::{Constraint, Linear};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The names of the operations that build elements.
pub const OPERATIONS: [&str; 7] = ["join", "meet", "widen", "narrow", "assign", "project", "guard"];

/// How an element is built. Operands are the indices of earlier steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// All points.
    Top,
    /// No point.
    Bottom,
    /// The points that satisfy these constraints: top, guarded by each in turn.
    Element(Arc<[Constraint]>),
    /// A join.
    Join(usize, usize),
    /// A meet.
    Meet(usize, usize),
    /// A widening.
    Widen(usize, usize),
    /// An assignment.
    Assign(usize, usize, Linear),
    /// A projection.
    Project(usize, usize),
    /// A test.
    Guard(usize, Constraint),
    /// A copy that was queried.
    Queried(usize),
}

impl Step {
    /// The steps that it depends on.
    pub fn operands(&self) -> impl Iterator<Item = usize> + use<> {
        let pair = match *self {
            Step::Top | Step::Bottom | Step::Element(_) => [None, None],
            Step::Join(a, b) | Step::Meet(a, b) | Step::Widen(a, b) => [Some(a), Some(b)],
            Step::Assign(a, ..) | Step::Project(a, _) | Step::Guard(a, _) | Step::Queried(a) => {
                [Some(a), None]
            }
        };
        pair.into_iter().flatten()
    }

    /// The same with other operands.
    #[must_use]
    pub fn renumbered(&self, number: &dyn Fn(usize) -> usize) -> Step {
        match self {
            Step::Top | Step::Bottom | Step::Element(_) => self.clone(),
            Step::Join(a, b) => Step::Join(number(*a), number(*b)),
            Step::Meet(a, b) => Step::Meet(number(*a), number(*b)),
            Step::Widen(a, b) => Step::Widen(number(*a), number(*b)),
            Step::Assign(a, v, e) => Step::Assign(number(*a), *v, e.clone()),
            Step::Project(a, v) => Step::Project(number(*a), *v),
            Step::Guard(a, c) => Step::Guard(number(*a), c.clone()),
            Step::Queried(a) => Step::Queried(number(*a)),
        }
    }
}

/// An assertion: a law and its operands. Operands that the law does not use are ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The law.
    pub law: &'static Law,
    /// `x`, `y` and `z`: indices of steps.
    pub elements: [usize; 3],
    /// `v`.
    pub variable: usize,
    /// `e`.
    pub sum: Linear,
    /// `c`.
    pub constraint: Constraint,
    /// The elements for iterating widening or narrowing.
    pub chain: Vec<usize>,
    /// The loop head for joins, if the domain has a join that takes one.
    pub head: Option<usize>,
}

/// The operands that a law uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uses {
    /// `x`, `y`, `z`.
    pub elements: [bool; 3],
    /// `v`.
    pub variable: bool,
    /// `e`.
    pub sum: bool,
    /// `c`.
    pub constraint: bool,
    /// A chain of elements.
    pub chain: bool,
    /// A loop head, as hint for joins.
    pub head: bool,
}

impl Uses {
    /// The operands of a law.
    #[must_use]
    pub fn of(law: &Law) -> Uses {
        // Called several times per assertion, so it is a lookup.
        static KNOWN: LazyLock<FxHashMap<&'static str, Uses>> =
            LazyLock::new(|| LAWS.iter().map(|law| (law.name, Uses::found(law))).collect());
        KNOWN.get(law.name).copied().unwrap_or_else(|| Uses::found(law))
    }

    fn found(law: &Law) -> Uses {
        let is = |part: fn(&Term) -> bool| law.mentions(&part);
        let sum = is(|term| matches!(term, Term::Assign(_)));
        Uses {
            elements: [
                is(|term| *term == Term::X),
                is(|term| *term == Term::Y),
                is(|term| *term == Term::Z),
            ],
            variable: sum || is(|term| matches!(term, Term::Project(_))),
            sum,
            constraint: is(|term| matches!(term, Term::Guard(_))),
            chain: matches!(law.conclusion, Claim::WidenRests | Claim::NarrowRests),
            head: is(|term| matches!(term, Term::Join(..))),
        }
    }
}

impl Check {
    /// The steps that it depends on.
    #[must_use]
    pub fn operands(&self) -> Vec<usize> {
        let uses = Uses::of(self.law);
        let named = (0..3).filter(|at| uses.elements[*at]).map(|at| self.elements[at]);
        let chain = self.chain.iter().copied().filter(|_| uses.chain);
        let head = self.head.filter(|_| uses.head);
        named.chain(chain).chain(head).collect()
    }
}

/// Operations on elements of a domain, and the laws asserted of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The kind of elements.
    pub shape: Shape,
    /// How many variables there are.
    pub dimensions: usize,
    /// Whether violations count even if the domain says that its answer may be imprecise.
    pub strict: bool,
    /// The steps.
    pub steps: Vec<Step>,
    /// The assertions.
    pub checks: Vec<Check>,
}

impl Trace {
    /// The trace with only one of its assertions, and the steps that it needs.
    #[must_use]
    pub fn slice(&self, check: usize) -> Trace {
        let check = &self.checks[check];
        let mut needed = vec![false; self.steps.len()];
        let mut open = check.operands();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut needed[at], true) {
                open.extend(self.steps[at].operands());
            }
        }
        let mut numbers = vec![0; self.steps.len()];
        let mut steps = Vec::new();
        for at in (0..self.steps.len()).filter(|at| needed[*at]) {
            numbers[at] = steps.len();
            steps.push(self.steps[at].renumbered(&|operand| numbers[operand]));
        }
        let mut check = check.clone();
        let uses = Uses::of(check.law);
        for (element, used) in check.elements.iter_mut().zip(uses.elements) {
            *element = if used { numbers[*element] } else { 0 };
        }
        if uses.chain {
            check.chain.iter_mut().for_each(|element| *element = numbers[*element]);
        } else {
            check.chain.clear();
        }
        check.head = check.head.filter(|_| uses.head).map(|head| numbers[head]);
        if !uses.sum {
            check.sum = Linear::constant(self.dimensions, 0);
        }
        if !uses.constraint {
            check.constraint = Constraint::at_least(Linear::constant(self.dimensions, 0));
        }
        if !uses.variable {
            check.variable = 0;
        }
        Trace { steps, checks: vec![check], ..*self }
    }

    /// The names of the operations in its steps and in the laws that it asserts.
    #[must_use]
    pub fn operations(&self) -> BTreeSet<&'static str> {
        let steps = self.steps.iter().filter_map(|step| match step {
            Step::Top | Step::Bottom | Step::Element(_) | Step::Queried(_) => None,
            Step::Join(..) => Some("join"),
            Step::Meet(..) => Some("meet"),
            Step::Widen(..) => Some("widen"),
            Step::Assign(..) => Some("assign"),
            Step::Project(..) => Some("project"),
            Step::Guard(..) => Some("guard"),
        });
        let asserted = |name: &&&str| {
            let is = |term: &Term| term.operation() == Some(name);
            self.checks.iter().any(|check| check.law.mentions(&is))
        };
        steps.chain(OPERATIONS.iter().filter(asserted).copied()).collect()
    }

    /// The largest absolute value of a number in it.
    #[must_use]
    pub fn greatest_number(&self) -> u64 {
        let of = |sum: &Linear| {
            let constant = u64::try_from(sum.constant.unsigned_abs()).expect("it has 64 bits");
            sum.coefficients.iter().map(|number| number.unsigned_abs()).fold(constant, u64::max)
        };
        let steps = self.steps.iter().map(|step| match step {
            Step::Element(constraints) => constraints.iter().map(|c| of(&c.sum)).max().unwrap_or(0),
            Step::Assign(_, _, sum) => of(sum),
            Step::Guard(_, constraint) => of(&constraint.sum),
            _ => 0,
        });
        let checks = self.checks.iter().map(|c| of(&c.sum).max(of(&c.constraint.sum)));
        steps.chain(checks).max().unwrap_or(0)
    }

    /// The numbers in the names of elements: constants have none.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut count = 0;
        let name = |step: &Step| match step {
            Step::Top => "top".to_owned(),
            Step::Bottom => "bottom".to_owned(),
            _ => {
                count += 1;
                format!("{}{count}", self.shape.element())
            }
        };
        self.steps.iter().map(name).collect()
    }
}

/// The end of the first line of a strict program.
pub(crate) const STRICT: &str = ", soft answers count";

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names();
        let plural = if self.dimensions == 1 { "" } else { "s" };
        let strict = if self.strict { STRICT } else { "" };
        writeln!(f, "{}, {} variable{plural}{strict}", self.shape.name(), self.dimensions)?;
        for (step, name) in self.steps.iter().zip(&names) {
            let binary = |f: &mut fmt::Formatter<'_>, operator: &str, a: usize, b: usize| {
                writeln!(f, "{name} <- {operator}({}, {})", names[a], names[b])
            };
            match step {
                Step::Top | Step::Bottom => {}
                Step::Element(constraints) => {
                    let parts: Vec<String> = constraints.iter().map(ToString::to_string).collect();
                    let kind = self.shape.element();
                    writeln!(f, "{name} <- {kind}({})", parts.join(", "))?;
                }
                Step::Join(a, b) => binary(f, "join", *a, *b)?,
                Step::Meet(a, b) => binary(f, "meet", *a, *b)?,
                Step::Widen(a, b) => binary(f, "widen", *a, *b)?,
                Step::Assign(a, v, e) => writeln!(f, "{name} <- assign({}, x{v}, {e})", names[*a])?,
                Step::Project(a, v) => writeln!(f, "{name} <- project({}, x{v})", names[*a])?,
                Step::Guard(a, c) => writeln!(f, "{name} <- guard({}, {c})", names[*a])?,
                Step::Queried(a) => writeln!(f, "{name} <- queried({})", names[*a])?,
            }
        }
        self.checks.iter().try_for_each(|check| write_check(f, check, &names))
    }
}

fn write_check(f: &mut fmt::Formatter<'_>, check: &Check, names: &[String]) -> fmt::Result {
    let uses = Uses::of(check.law);
    let element = |at: usize| names.get(check.elements[at]).map_or("top", String::as_str);
    let mut arguments: Vec<String> =
        (0..3).filter(|at| uses.elements[*at]).map(|at| element(at).to_owned()).collect();
    arguments.extend(uses.variable.then(|| format!("x{}", check.variable)));
    arguments.extend(uses.sum.then(|| check.sum.to_string()));
    arguments.extend(uses.constraint.then(|| check.constraint.to_string()));
    if uses.chain {
        arguments.extend(check.chain.iter().map(|at| names[*at].clone()));
    }
    // The law with its operands substituted: whole words only, so that longer names stay intact.
    let replace = |word: &str| match word {
        "x" => element(0).to_owned(),
        "y" => element(1).to_owned(),
        "z" => element(2).to_owned(),
        "v" => format!("x{}", check.variable),
        "e" => check.sum.to_string(),
        "c" => check.constraint.to_string(),
        other => other.to_owned(),
    };
    let mut words = String::new();
    let mut word = String::new();
    for character in check.law.to_string().chars().chain(['\n']) {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
        } else {
            words += &replace(&word);
            words.push(character);
            word.clear();
        }
    }
    let head = check.head.map_or(String::new(), |head| format!(" at {}", names[head]));
    writeln!(f, "assert {}({}){head}  # {}", check.law.name, arguments.join(", "), words.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_lists_its_operations_and_greatest_number() {
        let text = "octagons, 2 variables\noct1 <- oct(x0 - 5 >= 0)\n\
                    oct2 <- assign(oct1, x1, LONG_MIN*x0 + 7)\n\
                    assert join-above-left(oct1, oct2)\n";
        let case = Trace::read(text).expect("it is a program");
        assert_eq!(case.operations(), BTreeSet::from(["assign", "join"]));
        assert_eq!(case.greatest_number(), 1 << 63);
        assert_eq!(case.slice(0).operations(), case.operations());
        assert!(OPERATIONS.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase())));
    }
}
