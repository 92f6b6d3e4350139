//! Cores, values and objectives.

use crate::lexer::Token;
use crate::reader::{Environment, Lets, Reader};
use crate::source::{Fault, Read, ReadError};
use assay_term::{Store, TermId};

/// Reads an unsat core: the names in it, without bars.
///
/// # Errors
/// Where the text is not a list of symbols.
pub fn read_core(text: &str) -> Result<Vec<String>, ReadError> {
    let mut store = Store::new();
    let mut env = Environment::new(&mut store);
    let mut reader = Reader::new(&mut store, &mut env, text, Lets::Keep);
    core(&mut reader).map_err(|fault| fault.locate(text))
}

fn core(reader: &mut Reader<'_, '_>) -> Read<Vec<String>> {
    reader.expect(Token::Open, "before the names of the core")?;
    let mut names = Vec::new();
    loop {
        match reader.lexer.next()? {
            Token::Symbol | Token::Quoted => names.push(reader.lexer.text().to_owned()),
            Token::Close => break,
            got => return Err(reader.unexpected(got, "expected a name of the core")),
        }
    }
    reader.expect(Token::End, "after the core")?;
    Ok(names)
}

/// Reads the answer to `get-value`: terms and their values.
///
/// # Errors
/// Where the text is not a list of pairs of terms.
pub fn read_values(
    store: &mut Store,
    env: &Environment,
    text: &str,
) -> Result<Vec<(TermId, TermId)>, ReadError> {
    let mut env = env.clone();
    let mut reader = Reader::new(store, &mut env, text, Lets::Keep);
    reader.elements = true;
    values(&mut reader).map_err(|fault| fault.locate(text))
}

fn values(reader: &mut Reader<'_, '_>) -> Read<Vec<(TermId, TermId)>> {
    reader.expect(Token::Open, "before the values")?;
    let mut pairs = Vec::new();
    loop {
        match reader.lexer.next()? {
            Token::Open => {
                let term = reader.term()?;
                let value = reader.term()?;
                reader.expect(Token::Close, "after the value")?;
                pairs.push((term, value));
            }
            Token::Close => break,
            got => return Err(reader.unexpected(got, "expected a pair `(term value)`")),
        }
    }
    reader.expect(Token::End, "after the values")?;
    Ok(pairs)
}

/// The optimum of an objective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// This value.
    Value(TermId),
    /// Above every number.
    PlusInfinity,
    /// Below every number.
    MinusInfinity,
    /// Something else, such as an interval or an infinitesimal, as text.
    Other(String),
}

/// One objective of the answer to `get-objectives`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Objective {
    /// The objective: a term, or the name of a group of soft assertions; empty for the group
    /// without a name.
    pub name: String,
    /// Its optimum.
    pub bound: Bound,
}

/// Reads the answer to `get-objectives`: `(objectives (name value) …)`.
///
/// # Errors
/// Where the text has another shape.
pub fn read_objectives(
    store: &mut Store,
    env: &Environment,
    text: &str,
) -> Result<Vec<Objective>, ReadError> {
    let mut env = env.clone();
    let mut reader = Reader::new(store, &mut env, text, Lets::Keep);
    objectives(&mut reader).map_err(|fault| fault.locate(text))
}

fn objectives(reader: &mut Reader<'_, '_>) -> Read<Vec<Objective>> {
    reader.expect(Token::Open, "before `objectives`")?;
    reader.symbol("at the head of the objectives")?;
    if reader.lexer.text() != "objectives" {
        return Err(Fault::new(reader.lexer.at(), "expected `objectives`"));
    }
    let mut found = Vec::new();
    while reader.lexer.next()? == Token::Open {
        let first = reader.s_expression()?;
        // The group without a name is printed as `( value)`.
        let (name, value_at) = match reader.lexer.peek()? {
            Token::Close => (String::new(), first),
            _ => (first, reader.s_expression()?),
        };
        reader.expect(Token::Close, "after an objective")?;
        found.push(Objective { name, bound: bound(reader, &value_at) });
    }
    reader.expect(Token::End, "after the objectives")?;
    Ok(found)
}

fn bound(reader: &mut Reader<'_, '_>, text: &str) -> Bound {
    match text {
        "oo" => return Bound::PlusInfinity,
        "(- oo)" | "(* (- 1) oo)" => return Bound::MinusInfinity,
        _ => {}
    }
    match crate::reader::read_term(reader.store, reader.env, text) {
        Ok(term) => Bound::Value(term),
        Err(_) => Bound::Other(text.to_owned()),
    }
}
