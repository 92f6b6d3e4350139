//! A script: its commands, as they were written, over the terms of a store.

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
    /// Its value as normalised text.
    pub value: Option<String>,
}

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `(set-logic l)`.
    SetLogic(String),
    /// `(set-option :o v)`.
    SetOption(Setting),
    /// `(set-info :i v)`.
    SetInfo(Setting),
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
        /// What it stands for.
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
        /// Further attributes, in order.
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
    /// Every one with its name.
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

/// A text, read.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The commands in order.
    pub commands: Vec<Command>,
    /// The byte offset of each command.
    pub offsets: Vec<u32>,
    /// The definitions of functions and of named terms.
    pub definitions: Model,
    /// How often an integer stood where a real belongs and was converted (an extension that all
    /// solvers accept).
    pub coercions: usize,
}

impl Script {
    /// Appends a command.
    pub fn push(&mut self, command: Command, offset: usize) {
        self.commands.push(command);
        self.offsets.push(u32::try_from(offset).unwrap_or(u32::MAX));
    }

    /// Records what a function means.
    pub(crate) fn define(&mut self, definition: &Definition) {
        let Definition { func, params, body } = definition.clone();
        self.definitions.set(func, Interpretation::Definition { params, body });
    }

    /// The assertions, with the byte offsets of their commands, that are in force at the last
    /// `check-sat` (or at the end where there is none). Assumptions of `check-sat-assuming` count.
    #[must_use]
    pub fn active_assertions(&self) -> Vec<(TermId, usize)> {
        let mut levels: Vec<Vec<(TermId, usize)>> = vec![Vec::new()];
        let mut checked = None;
        for (command, &offset) in self.commands.iter().zip(&self.offsets) {
            match command {
                Command::Assert(term) => {
                    if let Some(level) = levels.last_mut() {
                        level.push((*term, offset as usize));
                    }
                }
                Command::Push(n) => (0..*n).for_each(|_| levels.push(Vec::new())),
                Command::Pop(n) => levels.truncate(levels.len().saturating_sub(*n as usize).max(1)),
                Command::Plain(Plain::Reset | Plain::ResetAssertions) => levels = vec![Vec::new()],
                Command::CheckSat => checked = Some(levels.concat()),
                Command::CheckSatAssuming(literals) => {
                    let mut all = levels.concat();
                    all.extend(literals.iter().map(|&t| (t, offset as usize)));
                    checked = Some(all);
                }
                _ => {}
            }
        }
        checked.unwrap_or_else(|| levels.concat())
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
