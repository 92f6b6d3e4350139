//! Annotations `(! t :keyword …)`.

use super::terms::{Frame, Kind};
use super::{Binding, Reader};
use crate::lexer::Token;
use crate::source::{Fault, Read};
use assay_term::{Attribute, AttributeValue, Func, Symbol, TermId};

/// Maximum nesting depth of patterns, whose reading and printing is recursive.
const MAX_PATTERNS: u32 = 16;

impl Reader<'_, '_> {
    /// Reads a keyword and its value inside an annotation. Solvers ignore a keyword without a name.
    pub(super) fn attribute(&mut self) -> Read<()> {
        let at = self.lexer.at();
        let inside = matches!(self.frames.last(), Some(Frame { kind: Kind::Annotation, base, .. })
            if self.operands.len() == *base as usize + 1);
        if !inside {
            return Err(self.unexpected(Token::Keyword, "expected a term"));
        }
        let keyword = self.store.symbols.intern(&self.lexer.text()[1..]);
        let nameless = self.lexer.text() == ":";
        let value = match self.lexer.text() {
            ":pattern" | ":no-pattern" => {
                if self.open_patterns >= MAX_PATTERNS {
                    let message =
                        format!("patterns inside patterns, more than {MAX_PATTERNS} deep");
                    return Err(Fault::new(at, message));
                }
                self.open_patterns += 1;
                if self.pattern_is_list()? {
                    self.push(Kind::Pattern(keyword), at);
                    return Ok(());
                }
                let term = self.term()?;
                self.open_patterns -= 1;
                AttributeValue::Terms(Box::new([term]))
            }
            ":named" => {
                let name = self.new_symbol("after `:named`")?;
                if self.is_fixed(name) || self.env.is_declared(self.store, name) {
                    let name = self.store.symbols.name(name);
                    return Err(Fault::new(
                        self.lexer.at(),
                        format!("`{name}` is declared already"),
                    ));
                }
                AttributeValue::Name(name)
            }
            _ => match self.lexer.peek()? {
                Token::Close | Token::Keyword => AttributeValue::None,
                _ => AttributeValue::Text(self.s_expression()?.into()),
            },
        };
        if !nameless {
            self.keep_attribute(Attribute { keyword, value });
        }
        Ok(())
    }

    pub(super) fn keep_attribute(&mut self, attribute: Attribute) {
        self.attributes.last_mut().expect("inside an annotation").push(attribute);
    }

    /// Whether a list of terms follows, as `:pattern` requires, rather than a single term, as for
    /// `:no-pattern` and in old files. The parenthesis of a list is consumed.
    fn pattern_is_list(&mut self) -> Read<bool> {
        if self.lexer.peek()? != Token::Open {
            return Ok(false);
        }
        self.lexer.next()?;
        let open = self.lexer.at();
        let single = match self.lexer.next()? {
            Token::Symbol | Token::Quoted => {
                let symbol = self.latest_symbol();
                matches!(
                    self.env.get(symbol),
                    Binding::Func(_) | Binding::Overloaded(_) | Binding::Word(_)
                )
            }
            _ => false,
        };
        self.lexer.rewind(if single { open } else { open + 1 });
        Ok(!single)
    }

    pub(super) fn close_annotation(&mut self, base: usize, at: usize) -> Read<TermId> {
        let term = self.only_operand(base, at, "an annotation")?;
        let attributes = self.attributes.pop().expect("one list for each open annotation");
        for attribute in &attributes {
            if let AttributeValue::Name(name) = attribute.value {
                self.check_closed(name, term, at)?;
                let sort = self.store.sort(term);
                let func = self.store.intern_func(Func::Declared {
                    name,
                    params: Box::new([]),
                    result: sort,
                });
                let constant = self.apply(func, None, &[], at)?;
                self.env.declare(name, Binding::Const(constant));
                self.named.push((name, term));
            }
        }
        if attributes.is_empty() {
            return Ok(term);
        }
        Ok(self.store.annotated(term, attributes))
    }

    /// A name stands for a term wherever it is used, so the term cannot depend on a bound variable.
    fn check_closed(&self, name: Symbol, term: TermId, at: usize) -> Read<()> {
        let inside = !self.variables.is_empty() && self.store.mentions_variables(term);
        match inside.then(|| self.store.free_variables(term)).as_deref() {
            None | Some([]) => Ok(()),
            Some([var, ..]) => {
                let var = self.store.var_name(*var).expect("it is a variable");
                let [name, var] = [name, var].map(|symbol| self.store.symbols.name(symbol));
                let message = format!("`{name}` names a term with the bound variable `{var}`");
                Err(Fault::hinted(at, message, "name the whole quantified formula"))
            }
        }
    }
}
