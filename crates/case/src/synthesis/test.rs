//! A synthesis task: declarations, premises and one request, as text.

use crate::formula::Formula;
use crate::rewrite::{first_end, list};
use assay_smtlib::ReadError;

/// A term or function that a solver is asked to construct.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Request {
    /// `(get-interpolant NAME conjecture)`: a formula over the symbols that the premises and the
    /// conjecture share, which the premises imply and which implies the conjecture.
    Interpolant(String),
    /// `(get-abduct NAME goal)`: a formula that is consistent with the premises and with them implies the
    /// goal.
    Abduct(String),
    /// `(get-qe formula)`: an equivalent formula without quantifiers, and the tactic that is meant where
    /// a solver has several.
    Eliminate(String, Option<String>),
    /// `(get-qe-disjunct formula)`: a formula without quantifiers that implies this existential one, and
    /// is satisfiable if this one is.
    Disjunct(String),
    /// `(check-synth)`: functions that satisfy constraints.
    Functions {
        /// The functions.
        wanted: Vec<Wanted>,
        /// The constraints, over the declared variables.
        constraints: Vec<String>,
        /// Definitions of the functions that are known to satisfy them.
        solution: Option<String>,
    },
}

/// A kind of request, as targets' files name it.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// [`Request::Interpolant`].
    Interpolant,
    /// [`Request::Abduct`].
    Abduct,
    /// [`Request::Eliminate`].
    Qe,
    /// [`Request::Disjunct`].
    QeDisjunct,
    /// [`Request::Functions`].
    Sygus,
}

impl Task {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Task::Interpolant => "interpolant",
            Task::Abduct => "abduct",
            Task::Qe => "qe",
            Task::QeDisjunct => "qe-disjunct",
            Task::Sygus => "sygus",
        }
    }
}

impl Request {
    /// Its kind.
    #[must_use]
    pub fn task(&self) -> Task {
        match self {
            Request::Interpolant(_) => Task::Interpolant,
            Request::Abduct(_) => Task::Abduct,
            Request::Eliminate(..) => Task::Qe,
            Request::Disjunct(_) => Task::QeDisjunct,
            Request::Functions { .. } => Task::Sygus,
        }
    }
}

/// A function to be synthesized.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// Its parameters with their sorts.
    pub params: Vec<[String; 2]>,
    /// The sort of its result.
    pub result: String,
    /// The grammar of its body, as SyGuS-IF writes it: the nonterminals, then their rules.
    pub grammar: Option<[String; 2]>,
}

/// A request with what comes before it.
#[derive(Clone)]
pub struct SynthesisTest {
    text: String,
    logic: Option<String>,
    /// Declarations in SMT-LIB; those of the variables of constraints among them.
    declarations: String,
    premises: Vec<String>,
    request: Request,
}

/// The line that names a tactic.
const TACTIC: &str = ":tactic";

/// The line with a known solution.
const SOLUTION: &str = ":solution";

impl SynthesisTest {
    /// Reads a task: declarations, premises and one request, in SMT-LIB or SyGuS-IF.
    ///
    /// # Errors
    /// The error in the text, with its place.
    pub fn read(text: &str) -> Result<SynthesisTest, ReadError> {
        let mut draft = Draft::default();
        let mut at = 0;
        while !text[at..].trim_start().is_empty() {
            let end = at + first_end(&text[at..]);
            let command = &text[at..end];
            if is_command(command) {
                draft.add(command.trim_start()).map_err(|(words, hint)| {
                    ReadError::new(text, at, words.to_owned(), Some(hint.to_owned()))
                })?;
            }
            at = end;
        }
        let test = draft.finished(text).map_err(|(words, hint)| {
            ReadError::new(text, text.len(), words.to_owned(), Some(hint.to_owned()))
        })?;
        // Mistakes inside terms are found where the standard's reader sees them.
        Formula::read(test.script())?;
        Ok(test)
    }

    /// The task, as it is kept.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its logic.
    #[must_use]
    pub fn logic(&self) -> Option<&str> {
        self.logic.as_deref()
    }

    /// Its declarations in SMT-LIB.
    #[must_use]
    pub fn declarations(&self) -> &str {
        &self.declarations
    }

    /// What holds, beside the request.
    #[must_use]
    pub fn premises(&self) -> &[String] {
        &self.premises
    }

    /// What is asked for.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The conjunction of the premises.
    #[must_use]
    pub(crate) fn premise(&self) -> String {
        format!("(and true true {})", self.premises.join(" "))
    }

    /// The formulas of the task as assertions of a script: the premises, then those of the request.
    #[must_use]
    pub fn script(&self) -> String {
        let (functions, formulas): (String, &[String]) = match &self.request {
            Request::Interpolant(formula)
            | Request::Abduct(formula)
            | Request::Eliminate(formula, _)
            | Request::Disjunct(formula) => (String::new(), std::slice::from_ref(formula)),
            Request::Functions { wanted, constraints, .. } => {
                (wanted.iter().map(Wanted::declaration).collect(), constraints)
            }
        };
        let asserted = self.premises.iter().chain(formulas);
        let asserted: String = asserted.map(|formula| format!("(assert {formula})\n")).collect();
        format!("{}{functions}{asserted}", self.declarations)
    }

    /// The same task with other formulas in the place of those of [`SynthesisTest::script`], and with only
    /// these declarations; `None` if that is not a task.
    #[must_use]
    pub fn with(&self, declarations: &str, formulas: &[String]) -> Option<SynthesisTest> {
        let own = match &self.request {
            Request::Functions { .. } => 0,
            _ => 1,
        };
        let (premises, rest) = match own {
            0 => (&formulas[..0], formulas),
            _ => formulas.split_at(formulas.len().checked_sub(1)?),
        };
        let mut request = self.request.clone();
        match &mut request {
            Request::Interpolant(formula)
            | Request::Abduct(formula)
            | Request::Eliminate(formula, _)
            | Request::Disjunct(formula) => formula.clone_from(rest.first()?),
            Request::Functions { constraints, .. } => *constraints = rest.to_vec(),
        }
        let (declarations, premises) = (declarations.to_owned(), premises.to_vec());
        let mut test = SynthesisTest { declarations, premises, request, ..self.clone() };
        test.text = test.written();
        SynthesisTest::read(&test.text).ok()
    }

    /// The same declarations and premises with another request.
    pub(super) fn requesting(&self, request: Request) -> SynthesisTest {
        SynthesisTest { request, ..self.clone() }
    }

    /// The task as text.
    fn written(&self) -> String {
        let logic = self.logic.as_ref().map(|logic| format!("(set-logic {logic})\n"));
        let logic = logic.unwrap_or_default();
        let premises: String =
            self.premises.iter().map(|premise| format!("(assert {premise})\n")).collect();
        let (before, request) = match &self.request {
            Request::Interpolant(formula) => {
                (String::new(), format!("(get-interpolant I {formula})"))
            }
            Request::Abduct(formula) => (String::new(), format!("(get-abduct A {formula})")),
            Request::Eliminate(formula, tactic) => {
                let tactic = tactic.as_ref();
                let before = tactic.map(|tactic| format!("(set-info {TACTIC} {tactic})\n"));
                (before.unwrap_or_default(), format!("(get-qe {formula})"))
            }
            Request::Disjunct(formula) => (String::new(), format!("(get-qe-disjunct {formula})")),
            Request::Functions { solution, .. } => {
                let before = solution.as_ref();
                let before = before.map(|known| format!("(set-info {SOLUTION} {known})\n"));
                (before.unwrap_or_default(), self.sygus())
            }
        };
        format!("{before}{logic}{}{premises}{request}\n", self.own_declarations())
    }

    /// The declarations in the language of the request.
    fn own_declarations(&self) -> String {
        match self.request {
            Request::Functions { .. } => {
                self.declarations.replace("(declare-const ", "(declare-var ")
            }
            _ => self.declarations.clone(),
        }
    }

    /// The functions, the constraints and the question, in SyGuS-IF.
    #[must_use]
    fn sygus(&self) -> String {
        let Request::Functions { wanted, constraints, .. } = &self.request else {
            return String::new();
        };
        let functions = wanted.iter().map(Wanted::text);
        let constraints = constraints.iter().map(|formula| format!("(constraint {formula})\n"));
        functions.chain(constraints).collect::<String>() + "(check-synth)"
    }

    /// The declarations and the request in SyGuS-IF or SMT-LIB, without the logic and what only we know.
    #[must_use]
    pub fn commands(&self) -> String {
        let bare = SynthesisTest {
            logic: None,
            request: match &self.request {
                Request::Eliminate(formula, _) => Request::Eliminate(formula.clone(), None),
                Request::Functions { wanted, constraints, .. } => Request::Functions {
                    wanted: wanted.clone(),
                    constraints: constraints.clone(),
                    solution: None,
                },
                other => other.clone(),
            },
            ..self.clone()
        };
        bare.written()
    }
}

impl std::fmt::Debug for SynthesisTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Wanted {
    /// The function as a declared one.
    fn declaration(&self) -> String {
        let sorts: Vec<&str> = self.params.iter().map(|[_, sort]| sort.as_str()).collect();
        format!("(declare-fun {} ({}) {})\n", self.name, sorts.join(" "), self.result)
    }

    /// The function in SyGuS-IF.
    fn text(&self) -> String {
        let params: Vec<String> =
            self.params.iter().map(|[name, sort]| format!("({name} {sort})")).collect();
        let grammar = self.grammar.as_ref().map(|parts| format!(" {}", parts.join(" ")));
        let (name, result) = (&self.name, &self.result);
        format!(
            "(synth-fun {name} ({}) {result}{})\n",
            params.join(" "),
            grammar.unwrap_or_default()
        )
    }
}

/// Whether a piece of a text is a command, not white space or a comment.
fn is_command(piece: &str) -> bool {
    let mut rest = piece.trim_start();
    while rest.starts_with(';') {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    !rest.is_empty()
}

/// What is wrong with a command, and a hint.
type Mistake = (&'static str, &'static str);

/// What was read so far.
#[derive(Default)]
struct Draft {
    logic: Option<String>,
    declarations: String,
    premises: Vec<String>,
    request: Option<Request>,
    tactic: Option<String>,
    wanted: Vec<Wanted>,
    constraints: Vec<String>,
    solution: Option<String>,
}

impl Draft {
    fn add(&mut self, command: &str) -> Result<(), Mistake> {
        let shape = || {
            ("the command is not understood", "expected declarations, assertions and one request")
        };
        if self.request.is_some() {
            return Err((
                "there is a command after the request",
                "write each request to a file of its own",
            ));
        }
        let command = strip_comments(command);
        let head = command.trim_start_matches('(').trim_start();
        let head = head.split(|c: char| c.is_whitespace() || c == '(' || c == ')').next();
        let head = head.unwrap_or_default();
        let items = list(command, head).ok_or_else(shape)?;
        let own = |at: usize| items[at].to_owned();
        match (head, items.len()) {
            ("set-logic", 1) => self.logic = Some(own(0)),
            ("set-info", 2) if items[0] == TACTIC => self.tactic = Some(own(1)),
            ("set-info", 2) if items[0] == SOLUTION => self.solution = Some(own(1)),
            ("set-info" | "set-option", _) => {}
            ("declare-var", 2) => {
                self.declarations += &format!("(declare-const {} {})\n", items[0], items[1]);
            }
            (
                "declare-const" | "declare-fun" | "declare-sort" | "declare-datatype"
                | "declare-datatypes" | "define-sort" | "define-fun",
                _,
            ) => {
                self.declarations += command;
                self.declarations.push('\n');
            }
            ("assert", 1) => self.premises.push(own(0)),
            ("constraint", 1) => self.constraints.push(own(0)),
            ("synth-fun", 3 | 5) => self.wanted.push(wanted(&items).ok_or_else(shape)?),
            ("get-interpolant", 2) => self.request = Some(Request::Interpolant(own(1))),
            ("get-abduct", 2) => self.request = Some(Request::Abduct(own(1))),
            ("get-qe", 1) => self.request = Some(Request::Eliminate(own(0), self.tactic.take())),
            ("get-qe-disjunct", 1) => self.request = Some(Request::Disjunct(own(0))),
            ("check-synth", 0) if !self.wanted.is_empty() => {
                self.request = Some(Request::Functions {
                    wanted: std::mem::take(&mut self.wanted),
                    constraints: std::mem::take(&mut self.constraints),
                    solution: self.solution.take(),
                });
            }
            _ => return Err(shape()),
        }
        Ok(())
    }

    fn finished(self, text: &str) -> Result<SynthesisTest, Mistake> {
        let Some(request) = self.request else {
            let hint =
                "expected get-interpolant, get-abduct, get-qe, get-qe-disjunct or check-synth";
            return Err(("nothing is to be constructed", hint));
        };
        if !self.wanted.is_empty() || !self.constraints.is_empty() {
            return Err((
                "functions and constraints without `(check-synth)`",
                "end the file with it",
            ));
        }
        if matches!(request, Request::Functions { .. }) && !self.premises.is_empty() {
            return Err(("there is an assertion beside constraints", "write it as a constraint"));
        }
        let test = SynthesisTest {
            text: text.to_owned(),
            logic: self.logic,
            declarations: self.declarations,
            premises: self.premises,
            request,
        };
        Ok(test)
    }
}

/// The command without comments before it.
fn strip_comments(command: &str) -> &str {
    let mut rest = command.trim();
    while rest.starts_with(';') {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim();
    }
    rest
}

/// The function of a `synth-fun`.
fn wanted(items: &[&str]) -> Option<Wanted> {
    let params = params(items[1])?;
    let grammar = items.get(3).zip(items.get(4)).map(|(a, b)| [(*a).to_owned(), (*b).to_owned()]);
    Some(Wanted { name: items[0].to_owned(), params, result: items[2].to_owned(), grammar })
}

/// The pairs of `((name sort) …)`.
pub(super) fn params(text: &str) -> Option<Vec<[String; 2]>> {
    let pair = |text: &&str| <[&str; 2]>::try_from(parts(text)?).ok().map(|p| p.map(str::to_owned));
    parts(text)?.iter().map(pair).collect()
}

/// The parts of `(part …)`.
pub(super) fn parts(text: &str) -> Option<Vec<&str>> {
    // A head makes every list one that `list` reads.
    let inner = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut found = Vec::new();
    let mut at = 0;
    while !inner[at..].trim().is_empty() {
        let end = at + first_end(&inner[at..]);
        found.push(inner[at..end].trim());
        at = end;
    }
    Some(found)
}
