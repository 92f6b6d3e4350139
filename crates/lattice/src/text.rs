//! Reads programs from their printed text.

use crate::domain::Shape;
use crate::law::Law;
use crate::linear::{Constraint, Linear, read_constraint, read_linear};
use crate::program::{Check, STRICT, Step, Trace, Uses};

/// A program that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ReadError {
    /// The line, from one.
    pub line: usize,
    /// The error.
    pub what: String,
}

/// The words of a line.
pub(crate) struct Words<'w> {
    rest: &'w str,
}

impl<'w> Words<'w> {
    pub(crate) fn new(text: &'w str) -> Words<'w> {
        Words { rest: text.trim_start() }
    }

    /// Consumes these characters if they come next.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest.trim_start();
        true
    }

    /// The next word: letters, digits and underscores, with single hyphens before letters.
    pub(crate) fn word(&mut self) -> Option<&'w str> {
        let bytes = self.rest.as_bytes();
        let inner = |at: usize| match bytes.get(at) {
            Some(b'-') => at > 0 && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase),
            Some(byte) => byte.is_ascii_alphanumeric() || *byte == b'_',
            None => false,
        };
        let end = (0..).find(|at| !inner(*at)).unwrap_or(0);
        if end == 0 {
            return None;
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Some(word)
    }

    /// The next word, if it is a variable.
    pub(crate) fn variable(&mut self) -> Option<usize> {
        let mut ahead = Words { rest: self.rest };
        let number = ahead.word()?.strip_prefix('x')?.parse().ok()?;
        self.rest = ahead.rest;
        Some(number)
    }

    fn need(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(format!("expected `{token}`{}", self.found())) }
    }

    fn found(&self) -> String {
        match self.rest.split_whitespace().next() {
            Some(word) => format!(", found `{word}`"),
            None => ", found the end of the line".to_owned(),
        }
    }
}

/// The operations of steps, except the one that makes a simple element.
const STEPS: [&str; 7] = ["join", "meet", "widen", "assign", "project", "guard", "queried"];

struct Reader {
    case: Trace,
    names: Vec<(String, usize)>,
}

impl Trace {
    /// Reads a printed case.
    ///
    /// # Errors
    /// If the text is not a case, with the line.
    pub fn read(text: &str) -> Result<Trace, ReadError> {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, uncomment(line)));
        let mut lines = lines.filter(|(_, line)| !line.is_empty());
        let (line, head) = lines.next().unwrap_or((1, ""));
        let mut reader = Reader::begin(head).map_err(|what| ReadError { line, what })?;
        for (line, text) in lines {
            reader.line(text).map_err(|what| ReadError { line, what })?;
        }
        Ok(reader.case)
    }
}

fn uncomment(line: &str) -> &str {
    line.split('#').next().unwrap_or("").trim()
}

impl Reader {
    fn begin(head: &str) -> Result<Reader, String> {
        let expected = "expected a first line such as `octagons, 8 variables`";
        let (shape, rest) = head.split_once(',').ok_or(expected)?;
        let shape = Shape::by_name(shape.trim()).ok_or_else(|| {
            let known = Shape::ALL.map(|row| row.1).join(", ");
            format!("`{}` is not a kind of domain; known kinds are {known}", shape.trim())
        })?;
        let mut words = Words::new(rest);
        let dimensions = words.word().and_then(|word| word.parse().ok()).ok_or(expected)?;
        if !(1..=64).contains(&dimensions) {
            return Err("a program has 1 to 64 variables".to_owned());
        }
        let strict = words.rest.ends_with(STRICT);
        let case = Trace { shape, dimensions, strict, steps: Vec::new(), checks: Vec::new() };
        Ok(Reader { case, names: Vec::new() })
    }

    fn line(&mut self, text: &str) -> Result<(), String> {
        let mut words = Words::new(text);
        let name = words.word().ok_or_else(|| format!("expected a name{}", words.found()))?;
        if name == "assert" {
            let check = self.check(&mut words)?;
            self.case.checks.push(check);
        } else {
            words.need("<-")?;
            let step = self.step(&mut words)?;
            if self.names.iter().any(|(known, _)| known == name) {
                return Err(format!("`{name}` is defined twice"));
            }
            self.names.push((name.to_owned(), self.case.steps.len()));
            self.case.steps.push(step);
        }
        if words.rest.is_empty() { Ok(()) } else { Err(format!("too much{}", words.found())) }
    }

    fn element(&mut self, words: &mut Words<'_>) -> Result<usize, String> {
        let name = words.word().ok_or_else(|| format!("expected an element{}", words.found()))?;
        if let Some((_, at)) = self.names.iter().find(|(known, _)| known == name) {
            return Ok(*at);
        }
        let step = match name {
            "top" => Step::Top,
            "bottom" => Step::Bottom,
            _ => return Err(format!("no earlier line defines `{name}`")),
        };
        self.names.push((name.to_owned(), self.case.steps.len()));
        self.case.steps.push(step);
        Ok(self.case.steps.len() - 1)
    }

    fn variable(&self, words: &mut Words<'_>) -> Result<usize, String> {
        let dimensions = self.case.dimensions;
        let variable =
            words.variable().ok_or_else(|| format!("expected a variable{}", words.found()))?;
        if variable >= dimensions {
            return Err(format!("x{variable} is not among the {dimensions} variables"));
        }
        Ok(variable)
    }

    fn step(&mut self, words: &mut Words<'_>) -> Result<Step, String> {
        let dimensions = self.case.dimensions;
        let operator =
            words.word().ok_or_else(|| format!("expected an operation{}", words.found()))?;
        let own = self.case.shape.element();
        if operator != own && !STEPS.contains(&operator) {
            let known = STEPS.join(", ");
            return Err(format!(
                "unknown operation `{operator}`; known operations are {own}, {known}"
            ));
        }
        words.need("(")?;
        let step = if operator == own {
            let mut constraints = vec![read_constraint(words, dimensions)?];
            while words.eat(",") {
                constraints.push(read_constraint(words, dimensions)?);
            }
            Step::Element(constraints.into())
        } else {
            let first = self.element(words)?;
            if operator != "queried" {
                words.need(",")?;
            }
            match operator {
                "join" => Step::Join(first, self.element(words)?),
                "meet" => Step::Meet(first, self.element(words)?),
                "widen" => Step::Widen(first, self.element(words)?),
                "assign" => {
                    let variable = self.variable(words)?;
                    words.need(",")?;
                    Step::Assign(first, variable, read_linear(words, dimensions)?)
                }
                "project" => Step::Project(first, self.variable(words)?),
                "guard" => Step::Guard(first, read_constraint(words, dimensions)?),
                "queried" => Step::Queried(first),
                _ => unreachable!("operations are known by their names"),
            }
        };
        words.need(")")?;
        Ok(step)
    }

    fn check(&mut self, words: &mut Words<'_>) -> Result<Check, String> {
        let name = words.word().ok_or_else(|| format!("expected a law{}", words.found()))?;
        let law = Law::find(name).ok_or_else(|| {
            format!("there is no law `{name}`; `assay rules --theory domains` lists them")
        })?;
        let uses = Uses::of(law);
        self.arguments(words, law, &uses)
            .map_err(|what| format!("{what}; it is `{}({})`", law.name, parameters(&uses)))
    }

    fn arguments(
        &mut self,
        words: &mut Words<'_>,
        law: &'static Law,
        uses: &Uses,
    ) -> Result<Check, String> {
        let dimensions = self.case.dimensions;
        let mut check = Check {
            law,
            elements: [0; 3],
            variable: 0,
            sum: Linear::constant(dimensions, 0),
            constraint: Constraint::at_least(Linear::constant(dimensions, 0)),
            chain: Vec::new(),
            head: None,
        };
        words.need("(")?;
        let mut first = true;
        let mut comma = |words: &mut Words<'_>| {
            if std::mem::replace(&mut first, false) { Ok(()) } else { words.need(",") }
        };
        for at in (0..3).filter(|at| uses.elements[*at]) {
            comma(words)?;
            check.elements[at] = self.element(words)?;
        }
        if uses.variable {
            comma(words)?;
            check.variable = self.variable(words)?;
        }
        if uses.sum {
            comma(words)?;
            check.sum = read_linear(words, dimensions)?;
        }
        if uses.constraint {
            comma(words)?;
            check.constraint = read_constraint(words, dimensions)?;
        }
        while uses.chain && words.eat(",") {
            check.chain.push(self.element(words)?);
        }
        words.need(")")?;
        if uses.head && words.eat("at") {
            check.head = Some(self.element(words)?);
        }
        Ok(check)
    }
}

/// The operands of a law as text: `x, y, v, e`.
fn parameters(uses: &Uses) -> String {
    let [x, y, z] = uses.elements;
    let used = [
        (x, "x"),
        (y, "y"),
        (z, "z"),
        (uses.variable, "v"),
        (uses.sum, "e"),
        (uses.constraint, "c"),
        (uses.chain, "…"),
    ];
    used.iter().filter(|row| row.0).map(|row| row.1).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIGURE: &str = "\
octagons, 8 variables
oct1 <- oct(-x0 - x5 + 1 >= 0)
oct2 <- assign(oct1, x2, LONG_MIN)
oct3 <- oct(x0 + LONG_MAX >= 0)
oct4 <- meet(oct3, oct2)
assert top-meet(oct4)  # meet(top, oct4) == oct4
";

    #[test]
    fn the_paper_s_figure_reads_back_as_it_prints() {
        let case = Trace::read(FIGURE).expect("it is a program");
        assert_eq!(case.to_string(), FIGURE);
        assert_eq!(case.slice(0), case);
    }

    #[test]
    fn errors_name_their_line() {
        let broken = [
            ("", "line 1: expected a first line such as `octagons, 8 variables`"),
            (
                "spheres, 2 variables",
                "line 1: `spheres` is not a kind of domain; known kinds are \
              intervals, octagons, polyhedra, zonotopes, congruences, grids",
            ),
            (
                "octagons, 2 variables\noct1 <- oct(x2 >= 0)",
                "line 2: x2 is not among the 2 variables of the program",
            ),
            ("octagons, 2 variables\na <- join(b, top)", "line 2: no earlier line defines `b`"),
            (
                "octagons, 2 variables\nassert magic(top)",
                "line 2: there is no law `magic`; `assay rules --theory domains` lists them",
            ),
            (
                "octagons, 2 variables\na <- otc(x0 >= 0)",
                "line 2: unknown operation `otc`; known operations are oct, join, meet, widen, \
                 assign, project, guard, queried",
            ),
            (
                "octagons, 2 variables\nassert join-above-left(top)",
                "line 2: expected `,`, found `)`; it is `join-above-left(x, y)`",
            ),
            ("octagons, 2 variables\nassert top-meet(top) x", "line 2: too much, found `x`"),
            (
                "octagons, 2 variables\na <- project(top, x7)",
                "line 2: x7 is not among the 2 variables",
            ),
        ];
        for (text, message) in broken {
            let error = Trace::read(text).expect_err(text);
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn slices_keep_the_steps_an_assertion_needs() {
        let text = "intervals, 2 variables\nbox1 <- box(x0 >= 0)\nbox2 <- box(x1 >= 0)\n\
                    box3 <- join(box2, top)\nassert order-reflexive(box3)\n";
        let case = Trace::read(text).expect("it is a program");
        assert_eq!(case.slice(0).steps.len(), 3);
        assert!(case.slice(0).to_string().contains("box2 <- join(box1, top)"), "{}", case.slice(0));
    }
}
