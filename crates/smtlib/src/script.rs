//! A script: its commands, as written, over the terms of a store.

use assay_term::{FuncId, Interpretation, Model, SortDeclId, SortId, Symbol, TermId};

/// A function that a script defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The function.
    pub func: FuncId,
    /// Its parameters, as variables.
    pub params: Box<[TermId]>,
    /// Its body.
    pub body: TermId,
}

/// How a datatype was declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DatatypeSyntax {
    /// `declare-datatype`, a single one.
    Single,
    /// `declare-datatypes` of SMT-LIB 2.6.
    Group,
}

/// An option, an information, or the keyword of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The keyword with its colon.
    pub keyword: String,
    /// Its value as normalized text.
    pub value: Option<String>,
}

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `(set-logic l)`.
    SetLogic(String),
    /// `(set-option :o v)`.
    SetOption(Box<Setting>),
    /// `(set-info :i v)`.
    SetInfo(Box<Setting>),
    /// `(declare-sort s n)`.
    DeclareSort(SortDeclId),
    /// `(declare-sort-parameter s)` (SMT-LIB 2.7).
    DeclareSortParameter(Symbol),
    /// `(define-sort s (params) sort)`.
    DefineSort {
        /// Its name.
        name: Symbol,
        /// Its parameters.
        params: Vec<Symbol>,
        /// Its definition.
        sort: SortId,
    },
    /// `(declare-datatypes …)` or `(declare-datatype …)`.
    DeclareDatatypes(Vec<SortDeclId>, DatatypeSyntax),
    /// `(declare-fun f (sorts) sort)`.
    DeclareFun(FuncId),
    /// `(declare-const c sort)`.
    DeclareConst(FuncId),
    /// `(define-fun f (params) sort body)`.
    DefineFun(Definition),
    /// `(define-const c sort body)` (extension).
    DefineConst(Definition),
    /// `(define-fun-rec f (params) sort body)`.
    DefineFunRec(Definition),
    /// `(define-funs-rec (signatures) (bodies))`.
    DefineFunsRec(Vec<Definition>),
    /// `(assert t)`.
    Assert(TermId),
    /// `(assert-soft t :weight w :id i)` (extension).
    AssertSoft {
        /// The formula.
        term: TermId,
        /// Additional attributes, in order.
        attributes: Vec<Setting>,
    },
    /// `(minimize t)` (extension).
    Minimize(TermId, Vec<Setting>),
    /// `(maximize t)` (extension).
    Maximize(TermId, Vec<Setting>),
    /// `(check-sat)`.
    CheckSat,
    /// `(check-sat-assuming (literals))`.
    CheckSatAssuming(Vec<TermId>),
    /// `(get-value (terms))`.
    GetValue(Vec<TermId>),
    /// `(push n)`.
    Push(u32),
    /// `(pop n)`.
    Pop(u32),
    /// `(echo "…")`, with the text as written between the quotes.
    Echo(String),
    /// `(get-info :i)`.
    GetInfo(String),
    /// `(get-option :o)`.
    GetOption(String),
    /// A command without arguments.
    Plain(Plain),
    /// A solver's own command that does not affect the assertions (extension).
    Query(Box<Query>),
}

/// A solver's own command that does not affect the assertions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

/// An argument of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A term.
    Term(TermId),
    /// Terms in parentheses.
    Terms(Vec<TermId>),
    /// Anything else, as normalized text.
    Text(String),
}

/// A command without arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plain {
    /// `(reset)`.
    Reset,
    /// `(reset-assertions)`.
    ResetAssertions,
    /// `(exit)`.
    Exit,
    /// `(get-model)`.
    GetModel,
    /// `(get-unsat-core)`.
    GetUnsatCore,
    /// `(get-unsat-assumptions)`.
    GetUnsatAssumptions,
    /// `(get-assertions)`.
    GetAssertions,
    /// `(get-assignment)`.
    GetAssignment,
    /// `(get-proof)`.
    GetProof,
    /// `(get-objectives)` (extension).
    GetObjectives,
}

impl Plain {
    /// Every such command with its name.
    pub const ALL: [(Plain, &'static str); 10] = [
        (Plain::Reset, "reset"),
        (Plain::ResetAssertions, "reset-assertions"),
        (Plain::Exit, "exit"),
        (Plain::GetModel, "get-model"),
        (Plain::GetUnsatCore, "get-unsat-core"),
        (Plain::GetUnsatAssumptions, "get-unsat-assumptions"),
        (Plain::GetAssertions, "get-assertions"),
        (Plain::GetAssignment, "get-assignment"),
        (Plain::GetProof, "get-proof"),
        (Plain::GetObjectives, "get-objectives"),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Plain::ALL.iter().find(|(p, _)| *p == self).map_or("", |(_, name)| name)
    }
}

/// A parsed text.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The commands in order.
    pub commands: Vec<Command>,
    /// The byte offset of each command.
    pub offsets: Vec<u32>,
    /// The terms named by `:named`: the command, the name as a constant, the term.
    pub named: Vec<(u32, FuncId, TermId)>,
    /// The number of integers that were converted because a real was expected (an extension that all
    /// solvers accept).
    pub coercions: usize,
}

/// Commands in force at some point, by position; declarations may outlive assertions.
#[derive(Default)]
struct InForce {
    /// Level and position, levels ascending.
    assertions: Vec<(u64, usize)>,
    declarations: Vec<(u64, usize)>,
    global: Vec<usize>,
}

impl InForce {
    fn pop_to(&mut self, depth: u64) {
        for list in [&mut self.assertions, &mut self.declarations] {
            let alive = list.partition_point(|(level, _)| *level <= depth);
            list.truncate(alive);
        }
    }
}

impl Script {
    /// Appends a command.
    pub fn push(&mut self, command: Command, offset: usize) {
        self.commands.push(command);
        self.offsets.push(u32::try_from(offset).unwrap_or(u32::MAX));
    }

    /// Reserves space for about this many more commands.
    pub(crate) fn reserve(&mut self, commands: usize) {
        self.commands.reserve(commands);
        self.offsets.reserve(commands);
    }

    /// Follows scopes and resets up to the last `check-sat`, or to the end if there is none.
    fn in_force(&self) -> InForce {
        let exit = self.commands.iter().position(|c| *c == Command::Plain(Plain::Exit));
        let run = &self.commands[..exit.unwrap_or(self.commands.len())];
        let last = run.iter().rposition(Command::is_check);
        let end = last.map_or(run.len(), |at| at + 1);
        let (mut now, mut depth, mut global) = (InForce::default(), 0u64, false);
        for (at, command) in self.commands[..end].iter().enumerate() {
            match command {
                Command::Push(n) => depth += u64::from(*n),
                Command::Pop(n) => {
                    depth = depth.saturating_sub(u64::from(*n));
                    now.pop_to(depth);
                }
                Command::Plain(Plain::Reset) => {
                    (now, depth, global) = (InForce::default(), 0, false);
                }
                Command::Plain(Plain::ResetAssertions) => {
                    (now.assertions, now.declarations, depth) = (Vec::new(), Vec::new(), 0);
                }
                Command::SetOption(option) if option.keyword == ":global-declarations" => {
                    global = option.value.as_deref() == Some("true");
                }
                _ => {}
            }
            now.assertions.push((depth, at));
            if global {
                now.global.push(at);
            } else {
                now.declarations.push((depth, at));
            }
        }
        now
    }

    /// The commands whose assertions and objectives are in force at the last `check-sat` (or at the end if
    /// there is none), with their byte offsets.
    pub fn commands_in_force(&self) -> impl Iterator<Item = (&Command, usize)> {
        let now = self.in_force().assertions;
        now.into_iter().map(|(_, at)| (&self.commands[at], self.offsets[at] as usize))
    }

    /// The `:status` of the last `check-sat`: the one between it and the `check-sat` before.
    #[must_use]
    pub fn status(&self) -> Option<&str> {
        self.statuses().pop().flatten()
    }

    /// The `:status` of each `check-sat`: the one between it and the `check-sat` before. A script that asks
    /// nothing has the status of its end.
    #[must_use]
    pub fn statuses(&self) -> Vec<Option<&str>> {
        // Verdicts after a model is blocked depend on the models that the solver has found.
        let known = !self.commands.iter().any(Command::blocks_models);
        let mut statuses = Vec::new();
        let mut next = None;
        for command in &self.commands {
            match command {
                Command::SetInfo(info) if info.keyword == ":status" => {
                    next = info.value.as_deref().filter(|_| known);
                }
                check if check.is_check() => statuses.push(next.take()),
                _ => {}
            }
        }
        if statuses.is_empty() {
            statuses.push(next);
        }
        statuses
    }

    /// The assertions in force at the last `check-sat`, with the byte offsets of their commands.
    /// Assumptions of that `check-sat-assuming` are included.
    #[must_use]
    pub fn active_assertions(&self) -> Vec<(TermId, usize)> {
        let mut found = Vec::new();
        let mut assumptions = Vec::new();
        for (command, offset) in self.commands_in_force() {
            assumptions.clear();
            match command {
                Command::Assert(term) => found.push((*term, offset)),
                Command::CheckSatAssuming(terms) => {
                    assumptions.extend(terms.iter().map(|&term| (term, offset)));
                }
                _ => {}
            }
        }
        found.extend(assumptions);
        found
    }

    /// The definitions in force at the last `check-sat`, including those from `:named`. A name may be
    /// redefined after a `pop`.
    #[must_use]
    pub fn definitions(&self) -> Model {
        let now = self.in_force();
        let mut positions = now.global;
        positions.extend(now.declarations.into_iter().map(|(_, at)| at));
        let mut model = Model::new();
        let mut define = |Definition { func, params, body }: Definition| {
            model.set(func, Interpretation::Definition { params, body });
        };
        for at in positions {
            match &self.commands[at] {
                Command::DefineFun(definition)
                | Command::DefineConst(definition)
                | Command::DefineFunRec(definition) => define(definition.clone()),
                Command::DefineFunsRec(definitions) => {
                    definitions.iter().cloned().for_each(&mut define);
                }
                _ => {}
            }
            let first = self.named.partition_point(|(command, ..)| (*command as usize) < at);
            let named =
                self.named[first..].iter().take_while(|(command, ..)| *command as usize == at);
            for &(_, func, body) in named {
                define(Definition { func, params: Box::new([]), body });
            }
        }
        model
    }

    /// The terms of all commands.
    #[must_use]
    pub fn terms(&self) -> Vec<TermId> {
        let mut terms = Vec::new();
        for command in &self.commands {
            match command {
                Command::Assert(term)
                | Command::AssertSoft { term, .. }
                | Command::Minimize(term, _)
                | Command::Maximize(term, _) => terms.push(*term),
                Command::DefineFun(definition)
                | Command::DefineConst(definition)
                | Command::DefineFunRec(definition) => terms.push(definition.body),
                Command::DefineFunsRec(definitions) => {
                    terms.extend(definitions.iter().map(|definition| definition.body));
                }
                Command::CheckSatAssuming(more) | Command::GetValue(more) => terms.extend(more),
                Command::Query(query) => {
                    for argument in &query.arguments {
                        match argument {
                            Argument::Term(term) => terms.push(*term),
                            Argument::Terms(more) => terms.extend(more),
                            Argument::Text(_) => {}
                        }
                    }
                }
                _ => {}
            }
        }
        terms
    }

    /// The logic that the script sets.
    #[must_use]
    pub fn logic(&self) -> Option<&str> {
        self.commands.iter().find_map(|command| match command {
            Command::SetLogic(logic) => Some(logic.as_str()),
            _ => None,
        })
    }
}

impl Command {
    /// Whether the command asks for a verdict.
    #[must_use]
    pub fn is_check(&self) -> bool {
        match self {
            Command::CheckSat | Command::CheckSatAssuming(_) => true,
            Command::Query(query) => query.name == "check-sat-using",
            _ => false,
        }
    }

    /// Whether the command excludes the model that the solver has just found.
    fn blocks_models(&self) -> bool {
        let blocks = ["block-model", "block-model-values"];
        matches!(self, Command::Query(query) if blocks.contains(&query.name))
    }
}
