//! Commands.

use super::datatypes::MAX_PARAMS;
use super::identifiers::similar;
use super::logic::Logic;
use super::unsupported::did_you_mean;
use super::{Binding, Environment, Reader, SortBinding, options, queries};
use crate::lexer::{Token, short_text, shorten};
use crate::script::{Argument, Command, Definition, Plain, Query, Script, Setting};
use crate::source::{Fault, Read};
use assay_term::{Func, FuncId, Sort, SortId, Symbol, TermId, quoted};

/// The commands with arguments, for hints about misspelled ones.
const COMMANDS: [&str; 26] = [
    "assert",
    "assert-soft",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "declare-sort-parameter",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "get-info",
    "get-option",
    "get-value",
    "maximize",
    "minimize",
    "pop",
    "push",
    "set-info",
    "set-logic",
    "set-option",
];

/// The most frequent commands, with names as [`crate::lexer::Lexer::short_word`] encodes them.
const ASSERT: u128 = short_text("assert");
const DECLARE_FUN: u128 = short_text("declare-fun");
const DEFINE_FUN: u128 = short_text("define-fun");

/// Maximum number of scopes that one command may push, because each is stored.
const MAX_LEVELS: u32 = 1 << 16;

impl<'t> Reader<'_, 't> {
    /// Reads commands to the end of the text, or to `exit`: no solver reads what follows.
    pub(crate) fn commands(&mut self, script: &mut Script) -> Read<()> {
        loop {
            match self.lexer.next()? {
                Token::End => return Ok(()),
                Token::Open => {
                    let at = self.lexer.at();
                    let command =
                        self.command(at).map_err(|fault| self.blame_command(fault, at))?;
                    if !self.named.is_empty() {
                        self.record_names(script);
                    }
                    let ends = command == Command::Plain(Plain::Exit);
                    script.push(command, at);
                    if ends {
                        return Ok(());
                    }
                }
                Token::Close => return Err(Fault::new(self.lexer.at(), "this `)` closes nothing")),
                got => return Err(self.unexpected(got, "expected a command `(…)`")),
            }
        }
    }

    /// If a text ends inside a command, the error is reported at the command.
    fn blame_command(&self, mut fault: Box<Fault>, at: usize) -> Box<Fault> {
        if fault.at == self.lexer.source().len() && fault.hint.is_none() {
            let line = self.lexer.source()[..at].bytes().filter(|&b| b == b'\n').count() + 1;
            fault.hint = Some(format!("the command that begins on line {line} is not closed"));
        }
        fault
    }

    /// Records the names that a command gave to terms.
    fn record_names(&mut self, script: &mut Script) {
        self.nameless.clear();
        for (name, term) in std::mem::take(&mut self.named) {
            let result = self.store.sort(term);
            let func = Func::Declared { name, params: Box::new([]), result };
            let func = self.store.intern_func(func);
            script.named.push((script.commands.len() as u32, func, term));
        }
    }

    fn command(&mut self, at: usize) -> Read<Command> {
        let start = self.lexer.position();
        let (name, command) = match self.lexer.short_word(start) {
            Some((DEFINE_FUN, end)) => {
                self.lexer.skip_known(start, end);
                ("define-fun", Command::DefineFun(self.define_fun(false)?))
            }
            Some((ASSERT, end)) => {
                self.lexer.skip_known(start, end);
                ("assert", Command::Assert(self.formula()?))
            }
            Some((DECLARE_FUN, end)) => {
                self.lexer.skip_known(start, end);
                ("declare-fun", self.declare_fun()?)
            }
            _ => self.any_command(at)?,
        };
        match self.lexer.next()? {
            Token::Close => Ok(command),
            got => Err(self.unexpected(got, &format!("expected `)` at the end of `{name}`"))),
        }
    }

    fn any_command(&mut self, at: usize) -> Read<(&'t str, Command)> {
        let got = self.lexer.next()?;
        if got != Token::Symbol {
            return Err(self.unexpected(got, "expected a command's name"));
        }
        let name = self.lexer.text();
        let command = match name {
            "assert" => Command::Assert(self.formula()?),
            "declare-fun" => self.declare_fun()?,
            "declare-const" => self.declare_const()?,
            "define-fun" => Command::DefineFun(self.define_fun(false)?),
            "define-fun-rec" => Command::DefineFunRec(self.define_fun(true)?),
            "define-const" => Command::DefineConst(self.define_const()?),
            "define-funs-rec" => self.define_funs_rec()?,
            "declare-sort" => self.declare_sort()?,
            "define-sort" => self.define_sort()?,
            // z3's name for it.
            "declare-sort-parameter" | "declare-type-var" => self.declare_sort_parameter()?,
            "declare-datatype" => self.declare_datatype(false)?,
            "declare-datatypes" => self.declare_datatypes(false)?,
            "declare-codatatype" => self.declare_datatype(true)?,
            "declare-codatatypes" => self.declare_datatypes(true)?,
            "check-sat" => self.check_sat()?,
            "check-sat-assuming" => Command::CheckSatAssuming(self.list(Self::formula)?),
            "get-value" => self.get_value()?,
            "set-logic" => self.set_logic()?,
            "set-option" => Command::SetOption(Box::new(self.option()?)),
            "set-info" => Command::SetInfo(Box::new(self.info()?)),
            "get-info" => Command::GetInfo(self.keyword()?),
            "get-option" => Command::GetOption(self.keyword()?),
            "echo" => {
                self.expect(Token::String, "to echo")?;
                Command::Echo(self.lexer.text().to_owned())
            }
            "push" => self.push_levels()?,
            "pop" => self.pop_levels(at)?,
            "assert-soft" => {
                let term = self.formula()?;
                Command::AssertSoft { term, attributes: self.settings()? }
            }
            "minimize" => Command::Minimize(self.objective()?, self.settings()?),
            "maximize" => Command::Maximize(self.objective()?, self.settings()?),
            _ => self.plain_or_query(name)?,
        };
        Ok((name, command))
    }

    fn plain_or_query(&mut self, name: &str) -> Read<Command> {
        let at = self.lexer.at();
        let plain = Plain::ALL.iter().find(|(_, known)| *known == name);
        let alone = self.lexer.peek()? == Token::Close;
        match (plain, alone, self.query(if alone && plain.is_some() { "" } else { name })?) {
            (_, _, Some(query)) => Ok(query),
            (Some((plain, _)), ..) => Ok(self.plain(*plain)),
            (None, ..) => Err(unknown_command(name, at)),
        }
    }

    fn plain(&mut self, plain: Plain) -> Command {
        match plain {
            Plain::Reset => *self.env = Environment::new(self.store),
            Plain::ResetAssertions if self.env.global => self.env.pop_all(),
            Plain::ResetAssertions => {
                let logic = std::mem::take(&mut self.env.logic);
                *self.env = Environment::new(self.store);
                self.env.logic = logic;
            }
            _ => {}
        }
        Command::Plain(plain)
    }

    fn set_logic(&mut self) -> Read<Command> {
        self.symbol("as the logic")?;
        if self.env.logic.is_set() {
            let hint = "a script has one logic; only (reset) permits another";
            return Err(Fault::hinted(self.lexer.at(), "the logic is set already", hint));
        }
        let name = self.lexer.text();
        self.env.logic = Logic::new(name);
        Ok(Command::SetLogic(name.to_owned()))
    }

    fn get_value(&mut self) -> Read<Command> {
        let terms = self.list(Self::term)?;
        if terms.is_empty() {
            return Err(Fault::new(self.lexer.at(), "`get-value` needs at least one term"));
        }
        Ok(Command::GetValue(terms))
    }

    fn info(&mut self) -> Read<Setting> {
        let at = self.lexer.position();
        let mut info = self.setting()?;
        if info.value.is_none() && self.lexer.peek()? == Token::Keyword {
            info.value = Some(self.keyword()?);
        }
        match options::wrong_info(&info) {
            None => Ok(info),
            Some(message) => Err(Fault::new(self.lexer.token_from(at)?, message)),
        }
    }

    fn formula(&mut self) -> Read<TermId> {
        self.term_of(|sort| *sort == Sort::Bool, "a formula (Bool)")
    }

    /// What an optimizer can compare: numbers, and bit-vectors as unsigned numbers.
    fn objective(&mut self) -> Read<TermId> {
        let ordered = |sort: &Sort| matches!(sort, Sort::Int | Sort::Real | Sort::BitVec(_));
        self.term_of(ordered, "an objective (Int, Real or a bit-vector)")
    }

    fn term_of(&mut self, fits: fn(&Sort) -> bool, expected: &str) -> Read<TermId> {
        let start = self.lexer.position();
        let term = self.term()?;
        let got = self.store.sort(term);
        if !fits(self.store.sorts.get(got)) {
            let got = self.store.sort_name(got);
            let message = format!("expected {expected}, got {got}");
            return Err(Fault::new(self.lexer.token_from(start)?, message));
        }
        Ok(term)
    }

    /// `(check-sat)`; old versions of z3 also accept assumptions here.
    fn check_sat(&mut self) -> Read<Command> {
        let mut assumptions = Vec::new();
        while self.lexer.peek()? != Token::Close {
            assumptions.push(self.formula()?);
        }
        Ok(if assumptions.is_empty() {
            Command::CheckSat
        } else {
            Command::CheckSatAssuming(assumptions)
        })
    }

    pub(super) fn list(&mut self, read: fn(&mut Self) -> Read<TermId>) -> Read<Vec<TermId>> {
        self.expect(Token::Open, "before the terms")?;
        let mut terms = Vec::new();
        while self.lexer.peek()? != Token::Close {
            terms.push(read(self)?);
        }
        self.lexer.next()?;
        Ok(terms)
    }

    /// Declares the function whose name was read at `at`.
    fn declare_at(
        &mut self,
        name: Symbol,
        params: Vec<SortId>,
        result: SortId,
        at: usize,
    ) -> Read<FuncId> {
        if params.is_empty() && self.env.get(name) == Binding::Free {
            return Ok(self.env.declare_constant(self.store, name, result));
        }
        if self.is_fixed(name) {
            let name = self.store.symbols.name(name);
            return Err(Fault::new(at, format!("`{name}` is a symbol of the theories")));
        }
        let declared = self.declare(name, params, result);
        declared.map_err(|name| Fault::new(at, format!("`{name}` is declared already")))
    }

    /// Whether the name denotes an operator that scripts may not declare.
    pub(super) fn is_fixed(&self, name: Symbol) -> bool {
        let spelling = self.store.symbols.name(name);
        self.env.op(name).is_some_and(|op| self.env.logic.is_fixed(op, spelling))
    }

    /// Declares a function; the error is the name, which is already taken.
    pub(crate) fn declare(
        &mut self,
        name: Symbol,
        params: Vec<SortId>,
        result: SortId,
    ) -> Result<FuncId, String> {
        let func = Func::Declared { name, params: params.into(), result };
        self.env.declare_func(self.store, name, func)
    }

    fn new_name(&mut self) -> Read<(Symbol, usize)> {
        Ok((self.new_symbol("to declare")?, self.lexer.at()))
    }

    fn declare_fun(&mut self) -> Read<Command> {
        let (name, at) = self.new_name()?;
        let mut params = Vec::new();
        if !self.lexer.skip_empty_list() {
            self.expect(Token::Open, "before the argument sorts")?;
            while self.lexer.peek()? != Token::Close {
                params.push(self.sort()?);
            }
            self.lexer.next()?;
        }
        let result = self.sort()?;
        Ok(Command::DeclareFun(self.declare_at(name, params, result, at)?))
    }

    fn declare_const(&mut self) -> Read<Command> {
        let (name, at) = self.new_name()?;
        let sort = self.sort()?;
        Ok(Command::DeclareConst(self.declare_at(name, Vec::new(), sort, at)?))
    }

    fn define_fun(&mut self, recursive: bool) -> Read<Definition> {
        let (name, at) = self.new_name()?;
        let params = self.parameters()?;
        let result = self.sort()?;
        let sorts: Vec<SortId> = params.iter().map(|p| p.1).collect();
        if recursive {
            let func = self.declare_at(name, sorts, result, at)?;
            let (params, body) = self.function_body(params, result)?;
            return Ok(Definition { func, params, body });
        }
        self.defining = Some(name);
        let (params, body) = self.function_body(params, result)?;
        self.defining = None;
        let func = self.declare_at(name, sorts, result, at)?;
        Ok(Definition { func, params, body })
    }

    /// Reads a text that consists of a value of a sort.
    pub(crate) fn value(&mut self, sort: SortId) -> Read<TermId> {
        self.expected_value = Some(sort);
        let (_, value) = self.function_body(Vec::new(), sort)?;
        self.expect(Token::End, "after the value")?;
        Ok(value)
    }

    /// Reads the body of a function, in the scope of its parameters.
    pub(crate) fn function_body(
        &mut self,
        params: Vec<(Symbol, SortId)>,
        result: SortId,
    ) -> Read<(Box<[TermId]>, TermId)> {
        let count = params.len();
        if count > 0 {
            self.bind_variables(params);
        }
        let start = self.lexer.position();
        let mut body = self.term()?;
        let vars = if count == 0 { Vec::new() } else { self.unbind_variables(count) };
        let got = self.store.sort(body);
        if got == SortId::INT && result == SortId::REAL {
            body = self.make_real(body);
        } else if let (true, Some(recast)) = (got != result, self.recast_lambda(body, result)) {
            body = recast;
        } else if got != result {
            let (expected, got) = (self.store.sort_name(result), self.store.sort_name(got));
            let message = format!("the body of a definition: expected {expected}, got {got}");
            return Err(Fault::new(self.lexer.token_from(start)?, message));
        }
        Ok((vars.into(), body))
    }

    fn define_const(&mut self) -> Read<Definition> {
        let (name, at) = self.new_name()?;
        let result = self.sort()?;
        let (params, body) = self.function_body(Vec::new(), result)?;
        let func = self.declare_at(name, Vec::new(), result, at)?;
        Ok(Definition { func, params, body })
    }

    fn define_funs_rec(&mut self) -> Read<Command> {
        self.expect(Token::Open, "before the signatures")?;
        let mut signatures = Vec::new();
        while self.lexer.next()? == Token::Open {
            let (name, at) = self.new_name()?;
            let params = self.parameters()?;
            let result = self.sort()?;
            self.expect(Token::Close, "after the signature")?;
            let func = self.declare_at(name, params.iter().map(|p| p.1).collect(), result, at)?;
            signatures.push((func, params, result));
        }
        self.expect(Token::Open, "before the bodies")?;
        let mut definitions = Vec::new();
        for (func, params, result) in signatures {
            if self.lexer.peek()? == Token::Close {
                self.lexer.next()?;
                let message = format!("`{}` has no body", self.store.func_name(func));
                return Err(Fault::new(self.lexer.at(), message));
            }
            let (params, body) = self.function_body(params, result)?;
            definitions.push(Definition { func, params, body });
        }
        self.expect(Token::Close, "after the bodies")?;
        Ok(Command::DefineFunsRec(definitions))
    }

    /// The error for a sort name that is already taken.
    pub(super) fn check_new_sort(&mut self, name: Symbol) -> Read<()> {
        let text = self.store.symbols.name(name);
        if self.env.sort(name).is_some() || self.env.logic.has_sort(text) {
            let text = quoted(text);
            return Err(Fault::new(
                self.lexer.at(),
                format!("the sort `{text}` is declared already"),
            ));
        }
        Ok(())
    }

    fn declare_sort(&mut self) -> Read<Command> {
        let name = self.symbol("as a sort's name")?;
        self.check_new_sort(name)?;
        let arity = match self.lexer.peek()? {
            // z3 and cvc5 default the arity to 0.
            Token::Close => 0,
            _ => self.small_numeral(MAX_PARAMS as u32, "as a sort's arity")?,
        };
        let decl = self.store.sorts.declare(name, arity);
        let binding = if arity == 0 {
            let sort = Sort::Declared(decl, Box::new([]));
            SortBinding::Sort(self.store.sorts.intern(sort))
        } else {
            SortBinding::Declared(decl)
        };
        self.env.declare_sort(name, binding);
        Ok(Command::DeclareSort(decl))
    }

    fn define_sort(&mut self) -> Read<Command> {
        let name = self.symbol("as a sort's name")?;
        self.check_new_sort(name)?;
        self.expect(Token::Open, "before the sort parameters")?;
        let mut params = Vec::new();
        while self.lexer.peek()? != Token::Close {
            self.sort_parameter(&mut params)?;
        }
        self.lexer.next()?;
        if let Some(sort) = self.sort_without_indices()? {
            let shown = |name: &Symbol| quoted(self.store.symbols.name(*name)).into_owned();
            let params: Vec<String> = params.iter().map(shown).collect();
            let parts = [shown(&name), format!("({})", params.join(" ")), format!("({sort})")];
            let arguments = parts.map(Argument::Text).into();
            return Ok(Command::Query(Box::new(Query { name: "define-sort", arguments })));
        }
        let hidden = self.bind_params(&params);
        let sort = self.sort();
        self.unbind_params(hidden);
        let sort = sort?;
        self.env.declare_sort(name, SortBinding::Defined(params.clone(), sort));
        Ok(Command::DefineSort { name, params, sort })
    }

    /// A sort parameter (SMT-LIB 2.7).
    fn declare_sort_parameter(&mut self) -> Read<Command> {
        let name = self.symbol("as a sort parameter")?;
        self.check_new_sort(name)?;
        let sort = self.store.sorts.intern(Sort::Param(name));
        self.env.declare_sort(name, SortBinding::Sort(sort));
        Ok(Command::DeclareSortParameter(name))
    }

    fn keyword(&mut self) -> Read<String> {
        match (self.lexer.next()?, self.lexer.text()) {
            (Token::Keyword, ":") => {
                Err(Fault::new(self.lexer.at(), "a keyword needs a name after `:`"))
            }
            (Token::Keyword, name) => Ok(name.to_owned()),
            (got, _) => Err(self.unexpected(got, "expected a keyword `:…`")),
        }
    }

    fn setting(&mut self) -> Read<Setting> {
        let keyword = self.keyword()?;
        let value = match self.lexer.peek()? {
            Token::Close | Token::Keyword => None,
            _ => Some(self.s_expression()?),
        };
        Ok(Setting { keyword, value })
    }

    fn settings(&mut self) -> Read<Vec<Setting>> {
        let mut settings = Vec::new();
        while self.lexer.peek()? == Token::Keyword {
            let setting = self.setting()?;
            if setting.value.is_none() && [":id", ":weight"].contains(&setting.keyword.as_str()) {
                let message = format!("`{}` needs a value", setting.keyword);
                return Err(Fault::new(self.lexer.at(), message));
            }
            settings.push(setting);
        }
        Ok(settings)
    }

    fn option(&mut self) -> Read<Setting> {
        let at = self.lexer.position();
        let setting = self.setting()?;
        if let Some(message) = options::wrong_value(&setting) {
            return Err(Fault::new(self.lexer.token_from(at)?, message));
        }
        if setting.keyword == ":global-declarations" {
            self.env.global = setting.value.as_deref() == Some("true");
        }
        Ok(setting)
    }

    fn levels(&mut self) -> Read<u32> {
        match self.lexer.peek()? {
            Token::Close => Ok(1),
            _ => self.small_numeral(MAX_LEVELS, "as a number of levels"),
        }
    }

    fn push_levels(&mut self) -> Read<Command> {
        let levels = self.levels()?;
        (0..levels).for_each(|_| self.env.push());
        Ok(Command::Push(levels))
    }

    fn pop_levels(&mut self, at: usize) -> Read<Command> {
        let levels = self.levels()?;
        for _ in 0..levels {
            if !self.env.pop() {
                return Err(Fault::new(at, "`pop` without a matching `push`"));
            }
        }
        Ok(Command::Pop(levels))
    }
}

/// The error for a command that is not supported.
fn unknown_command(name: &str, at: usize) -> Box<Fault> {
    if let Some(extension) = queries::extension(name) {
        return Fault::new(at, format!("unsupported extension: {extension} (command `{name}`)"));
    }
    let message = format!("unsupported command `{}`", shorten(name));
    let known = COMMANDS.iter().copied().chain(Plain::ALL.map(|(_, known)| known));
    match similar(name, known.chain(queries::names())) {
        Some(close) => Fault::hinted(at, message, did_you_mean(close)),
        None => Fault::new(at, message),
    }
}
