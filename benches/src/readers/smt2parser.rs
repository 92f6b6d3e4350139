//! `smt2parser`: an LALR(1) parser that visits each command as it ends.
//!
//! Its `SyntaxBuilder` keeps the concrete syntax: a boxed tree, a fresh string per symbol
//! occurrence, big numbers for numerals, one byte per bit or hexadecimal digit. Nothing is shared
//! and no sorts are checked. A bad token between commands ends the stream as if the text ended.

use super::{Product, Reader, Script, print_lines};
use smt2parser::CommandStream;
use smt2parser::concrete::{Command, SyntaxBuilder};

pub(super) struct Smt2Parser;

impl Reader for Smt2Parser {
    fn name(&self) -> &'static str {
        "smt2parser"
    }

    fn product(&self) -> Product {
        Product::Tree
    }

    fn read(&self, text: &str, look: &mut dyn FnMut(&dyn Script)) -> Result<(), String> {
        let commands = CommandStream::new(text.as_bytes(), SyntaxBuilder, None)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())?;
        look(&Commands(commands));
        Ok(())
    }
}

struct Commands(Vec<Command>);

impl Script for Commands {
    fn commands(&self) -> usize {
        self.0.len()
    }

    fn print(&self) -> Option<String> {
        Some(print_lines(&self.0))
    }
}
