//! A formula with everything needed to interpret answers about it: its text, its script, and the
//! store that its terms live in.
//!
//! The assertions in force at the last `check-sat` count. Runs nothing, judges nothing.

use crate::scope;
use assay_smtlib::{
    Command, Environment, Lets, Objective as Reported, Plain, PrintedModel, Printer, ReadError,
    Script, read_model, read_objectives, read_printed_model, read_script,
};
use assay_term::{AttributeValue, Model, Store, Term, TermId};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// An SMT-LIB script with its store, symbol table and text.
///
/// The store and symbol table may be shared with other formulas over the same terms; they are
/// copied on write.
#[derive(Clone)]
pub struct Formula {
    store: Arc<Store>,
    script: Script,
    env: Arc<Environment>,
    text: String,
    assertions: Vec<Assertion>,
    definitions: Model,
    objectives: Vec<Objective>,
    checks: usize,
}

/// An assertion in force at the last `check-sat`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    /// The formula.
    pub term: TermId,
    /// The position of its command in the text.
    pub place: Place,
    /// The names that `:named` gives it, without bars.
    pub names: Vec<String>,
}

/// The position of an assertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The index among the assertions in force.
    pub assertion: usize,
    /// The byte offset of its command in the text.
    pub offset: usize,
    /// The line of its command, from one.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "assertion {} (line {})", self.assertion + 1, self.line)
    }
}

/// How several objectives are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priority {
    /// In order: each among the models that are optimal for those before it.
    Lexicographic,
    /// Each on its own.
    Box,
    /// Each `check-sat` finds another Pareto-optimal point, until all have been found.
    Pareto,
}

impl Priority {
    /// Every priority, with the value of the option `:opt.priority`.
    pub const ALL: [(Priority, &'static str); 3] =
        [(Priority::Lexicographic, "lex"), (Priority::Box, "box"), (Priority::Pareto, "pareto")];

    /// The keyword of the option.
    pub const OPTION: &'static str = ":opt.priority";

    /// The value of the option.
    #[must_use]
    pub fn word(self) -> &'static str {
        Priority::ALL.iter().find(|(p, _)| *p == self).map_or("", |(_, word)| word)
    }
}

/// The direction of an objective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The smallest value is sought.
    Minimize,
    /// The largest value is sought.
    Maximize,
}

/// An objective in force at the last `check-sat`: a term, or a group of soft assertions, whose
/// value is the total weight of those that fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Objective {
    /// The direction; soft assertions are minimized.
    pub goal: Goal,
    /// The identifier of a group of soft assertions.
    pub group: Option<String>,
    /// The number to optimize; `None` if a weight was not understood.
    pub cost: Option<TermId>,
}

/// The meaning of a name in a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CoreName {
    /// The name of an assertion in force.
    Assertion,
    /// A symbol of the formula that names no assertion in force, such as an assumption.
    Symbol,
    /// Nothing in the formula has this name.
    Foreign,
}

/// Distinguishes formulas without keeping their texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fingerprint(u64);

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// The first part that was not understood, with its place.
    pub fn read(text: impl Into<String>) -> Result<Formula, ReadError> {
        Formula::read_into(Store::new(), text.into())
    }

    /// Prints a script and reads it back, so that we evaluate exactly what a solver will see.
    /// Handles of functions and terms stay valid, unless the script declares sorts, which become
    /// new declarations (use [`Formula::from_parts`] there).
    ///
    /// # Errors
    /// Fails if the text does not read back.
    pub fn from_script(store: Store, script: &Script) -> Result<Formula, ReadError> {
        let text = Printer::new(&store).script(script);
        Formula::read_into(store, text)
    }

    /// Makes a formula from its parts; its text is printed from them.
    #[must_use]
    pub fn from_parts(
        store: impl Into<Arc<Store>>,
        mut script: Script,
        env: impl Into<Arc<Environment>>,
    ) -> Formula {
        let (store, env) = (store.into(), env.into());
        let mut text = String::new();
        let printer = Printer::new(&store);
        for (command, offset) in script.commands.iter().zip(&mut script.offsets) {
            *offset = u32::try_from(text.len()).unwrap_or(u32::MAX);
            text.push_str(&printer.command(command));
            text.push('\n');
        }
        Formula::assemble(store, script, env, text)
    }

    fn read_into(mut store: Store, text: String) -> Result<Formula, ReadError> {
        let (script, env) = read_script(&mut store, text.as_bytes(), Lets::Keep)?;
        Ok(Formula::assemble(store.into(), script, env.into(), text))
    }

    fn assemble(
        mut store: Arc<Store>,
        script: Script,
        mut env: Arc<Environment>,
        text: String,
    ) -> Formula {
        let assertions = assertions(&store, &script, &text);
        let definitions = script.definitions();
        let objectives = match script.commands.iter().any(scope::is_objective) {
            true => {
                let (store, env) = (Arc::make_mut(&mut store), Arc::make_mut(&mut env));
                scope::objectives(store, env, &script)
            }
            false => Vec::new(),
        };
        let checks = script.commands.iter().filter(|c| c.is_check()).count();
        Formula { store, script, env, text, assertions, definitions, objectives, checks }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The store of its terms.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The commands.
    #[must_use]
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// The meaning of symbols at the end of the script.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.env
    }

    /// The assertions in force, assumptions included.
    #[must_use]
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }

    /// The definitions and named terms in force.
    #[must_use]
    pub fn definitions(&self) -> &Model {
        &self.definitions
    }

    /// The objectives in force, in order; a group of soft assertions is at the place of its first
    /// one.
    #[must_use]
    pub fn objectives(&self) -> &[Objective] {
        &self.objectives
    }

    /// How its objectives are combined: lexicographically unless it sets an option.
    #[must_use]
    pub fn priority(&self) -> Priority {
        let said = self.script.commands.iter().rev().find_map(|command| match command {
            Command::SetOption(option) if option.keyword == Priority::OPTION => {
                option.value.as_deref()
            }
            _ => None,
        });
        let known = Priority::ALL.iter().find(|(_, word)| said == Some(word));
        known.map_or(Priority::Lexicographic, |(priority, _)| *priority)
    }

    /// The number of verdicts that the script asks for. Truths about the formula are about the
    /// last.
    #[must_use]
    pub fn checks(&self) -> usize {
        self.checks
    }

    /// Whether it asks for a proof.
    #[must_use]
    pub fn asks_for_proof(&self) -> bool {
        self.script.commands.contains(&Command::Plain(Plain::GetProof))
    }

    /// Reads a model that a solver printed. Its terms are added to the store; the formula's handles
    /// stay valid.
    ///
    /// # Errors
    /// Fails if the text as a whole is not a model.
    pub fn read_model(&mut self, text: &str) -> Result<Model, ReadError> {
        read_model(Arc::make_mut(&mut self.store), &self.env, text)
    }

    pub(crate) fn read_model_with(
        &self,
        store: &mut Store,
        text: &str,
    ) -> Result<PrintedModel, ReadError> {
        read_printed_model(store, &self.env, text)
    }

    pub(crate) fn read_objectives_with(
        &self,
        store: &mut Store,
        text: &str,
    ) -> Result<Vec<Reported>, ReadError> {
        read_objectives(store, &self.env, text)
    }

    pub(crate) fn core_name(&self, name: &str) -> CoreName {
        if self.assertions.iter().any(|a| a.names.iter().any(|n| n == name)) {
            CoreName::Assertion
        } else if self.store.symbols.get(name).is_some() {
            CoreName::Symbol
        } else {
            CoreName::Foreign
        }
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        Fingerprint(hasher.finish())
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Formula").field("text", &self.text).finish_non_exhaustive()
    }
}

fn assertions(store: &Store, script: &Script, text: &str) -> Vec<Assertion> {
    let (mut line, mut counted) = (1, 0);
    let mut found = Vec::new();
    for (assertion, (term, offset)) in script.active_assertions().into_iter().enumerate() {
        // Offsets ascend, so each byte of the text is looked at once.
        let between = text.as_bytes().get(counted..offset).unwrap_or_default();
        line += between.iter().filter(|&&b| b == b'\n').count();
        counted = counted.max(offset);
        let place = Place { assertion, offset, line };
        found.push(Assertion { term, place, names: names(store, term) });
    }
    found
}

/// The names given to a term itself.
fn names(store: &Store, mut term: TermId) -> Vec<String> {
    let mut names = Vec::new();
    while let Term::Annotated(inner, attributes) = store.get(term) {
        for attribute in attributes {
            if let AttributeValue::Name(name) = attribute.value {
                names.push(store.symbols.name(name).to_owned());
            }
        }
        term = inner;
    }
    names
}
