//! Commands and scripts as text.

use super::Printer;
use crate::script::{Argument, Command, DatatypeSyntax, Definition, Query, Script, Setting};
use assay_term::{Datatype, Func, FuncId, SortDeclId, SortId, TermId, quoted};
use std::fmt::Write;

impl Printer<'_> {
    /// A script, one command per line.
    #[must_use]
    pub fn script(&self, script: &Script) -> String {
        let mut out = String::new();
        for command in &script.commands {
            self.write_command(command, &mut out);
            out.push('\n');
        }
        out
    }

    /// A command.
    #[must_use]
    pub fn command(&self, command: &Command) -> String {
        let mut out = String::new();
        self.write_command(command, &mut out);
        out
    }

    fn write_command(&self, command: &Command, out: &mut String) {
        let _ = match command {
            Command::SetLogic(logic) => write!(out, "(set-logic {})", quoted(logic)),
            Command::SetOption(setting) => write!(out, "(set-option {})", text(setting)),
            Command::SetInfo(setting) => write!(out, "(set-info {})", text(setting)),
            Command::GetInfo(keyword) => write!(out, "(get-info {keyword})"),
            Command::GetOption(keyword) => write!(out, "(get-option {keyword})"),
            Command::Echo(words) => write!(out, "(echo \"{words}\")"),
            Command::Push(n) => write!(out, "(push {n})"),
            Command::Pop(n) => write!(out, "(pop {n})"),
            Command::CheckSat => write!(out, "(check-sat)"),
            Command::Plain(plain) => write!(out, "({})", plain.name()),
            Command::DeclareSort(decl) => {
                let decl = self.store.sorts.decl(*decl);
                write!(
                    out,
                    "(declare-sort {} {})",
                    quoted(self.store.symbols.name(decl.name)),
                    decl.arity
                )
            }
            Command::DeclareSortParameter(name) => {
                write!(out, "(declare-sort-parameter {})", quoted(self.store.symbols.name(*name)))
            }
            Command::DefineSort { name, params, sort } => {
                let params: Vec<_> =
                    params.iter().map(|&p| quoted(self.store.symbols.name(p))).collect();
                let (name, params) = (quoted(self.store.symbols.name(*name)), params.join(" "));
                write!(out, "(define-sort {name} ({params}) {})", self.sort(*sort))
            }
            Command::DeclareDatatypes(decls, syntax) => {
                self.datatypes(decls, *syntax, out);
                Ok(())
            }
            Command::DeclareFun(func) => {
                let (params, result) = self.signature(*func);
                let params: Vec<String> = params.iter().map(|&s| self.sort(s)).collect();
                let name = self.store.func_name(*func);
                write!(out, "(declare-fun {name} ({}) {})", params.join(" "), self.sort(result))
            }
            Command::DeclareConst(func) => {
                let (_, result) = self.signature(*func);
                write!(out, "(declare-const {} {})", self.store.func_name(*func), self.sort(result))
            }
            Command::DefineConst(definition) => {
                let result = self.sort(self.signature(definition.func).1);
                let name = self.store.func_name(definition.func);
                self.with_terms(
                    &format!("(define-const {name} {result}"),
                    &[definition.body],
                    ")",
                    out,
                )
            }
            Command::DefineFun(definition) => {
                let head = format!("(define-fun {}", self.header(definition));
                self.with_terms(&head, &[definition.body], ")", out)
            }
            Command::DefineFunRec(definition) => {
                let head = format!("(define-fun-rec {}", self.header(definition));
                self.with_terms(&head, &[definition.body], ")", out)
            }
            Command::DefineFunsRec(definitions) => {
                let headers: Vec<String> =
                    definitions.iter().map(|d| format!("({})", self.header(d))).collect();
                let bodies: Vec<TermId> = definitions.iter().map(|d| d.body).collect();
                let head = format!("(define-funs-rec ({}) (", headers.join(" "));
                self.with_terms(&head, &bodies, "))", out)
            }
            Command::Assert(term) => self.with_terms("(assert", &[*term], ")", out),
            Command::AssertSoft { term, attributes } => {
                self.with_terms("(assert-soft", &[*term], &ending(attributes), out)
            }
            Command::Minimize(term, attributes) => {
                self.with_terms("(minimize", &[*term], &ending(attributes), out)
            }
            Command::Maximize(term, attributes) => {
                self.with_terms("(maximize", &[*term], &ending(attributes), out)
            }
            Command::CheckSatAssuming(literals) => {
                self.with_terms("(check-sat-assuming (", literals, "))", out)
            }
            Command::GetValue(terms) => self.with_terms("(get-value (", terms, "))", out),
            Command::Query(query) => self.query(query, out),
        };
    }

    /// Terms between a prefix and a suffix, separated by spaces.
    fn with_terms(
        &self,
        head: &str,
        terms: &[TermId],
        end: &str,
        out: &mut String,
    ) -> std::fmt::Result {
        out.push_str(head);
        for &term in terms {
            if !out.ends_with('(') {
                out.push(' ');
            }
            self.write_term(term, out);
        }
        out.push_str(end);
        Ok(())
    }

    fn query(&self, query: &Query, out: &mut String) -> std::fmt::Result {
        write!(out, "({}", query.name)?;
        for argument in &query.arguments {
            match argument {
                Argument::Term(term) => self.with_terms("", &[*term], "", out)?,
                Argument::Terms(terms) => self.with_terms(" (", terms, ")", out)?,
                Argument::Text(text) => write!(out, " {text}")?,
            }
        }
        out.write_char(')')
    }

    fn signature(&self, func: FuncId) -> (&[SortId], SortId) {
        match self.store.func(func) {
            Func::Declared { params, result, .. } => (params, *result),
            _ => unreachable!("commands declare symbols"),
        }
    }

    /// `f ((x S) …) S`.
    fn header(&self, definition: &Definition) -> String {
        let mut out = self.store.func_name(definition.func);
        out.push(' ');
        self.variables(&definition.params, &mut out);
        let _ = write!(out, " {}", self.sort(self.signature(definition.func).1));
        out
    }

    fn datatypes(&self, decls: &[SortDeclId], syntax: DatatypeSyntax, out: &mut String) {
        let decls: Vec<_> = decls.iter().map(|&id| self.store.sorts.decl(id)).collect();
        let name = |i: usize| quoted(self.store.symbols.name(decls[i].name));
        let body =
            |i: usize| self.datatype(decls[i].datatype.as_ref().expect("declared as a datatype"));
        let codata =
            decls.iter().any(|d| d.datatype.as_ref().is_some_and(|datatype| datatype.codata));
        let kind = if codata { "codatatype" } else { "datatype" };
        if let (DatatypeSyntax::Single, [_]) = (syntax, decls.as_slice()) {
            let _ = write!(out, "(declare-{kind} {} {})", name(0), body(0));
            return;
        }
        let names: Vec<String> =
            (0..decls.len()).map(|i| format!("({} {})", name(i), decls[i].arity)).collect();
        let bodies: Vec<String> = (0..decls.len()).map(body).collect();
        let _ = write!(out, "(declare-{kind}s ({}) ({}))", names.join(" "), bodies.join(" "));
    }

    fn datatype(&self, datatype: &Datatype) -> String {
        let name = |symbol| quoted(self.store.symbols.name(symbol));
        let mut constructors = Vec::new();
        for constructor in &datatype.constructors {
            let mut text = format!("({}", name(constructor.name));
            for &(field, sort) in &constructor.fields {
                let _ = write!(text, " ({} {})", name(field), self.sort(sort));
            }
            text.push(')');
            constructors.push(text);
        }
        let body = format!("({})", constructors.join(" "));
        if datatype.params.is_empty() {
            return body;
        }
        let params: Vec<_> = datatype.params.iter().map(|&p| name(p)).collect();
        format!("(par ({}) {body})", params.join(" "))
    }
}

fn text(setting: &Setting) -> String {
    match &setting.value {
        Some(value) => format!("{} {value}", setting.keyword),
        None => setting.keyword.clone(),
    }
}

fn ending(attributes: &[Setting]) -> String {
    let mut end = String::new();
    for attribute in attributes {
        end.push(' ');
        end.push_str(&text(attribute));
    }
    end.push(')');
    end
}
