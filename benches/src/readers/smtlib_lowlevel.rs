//! `smtlib-lowlevel`: a generated recursive-descent parser over a vector of all tokens.
//!
//! Nodes, slices and symbols are copied into a bump arena, so building is cheap and freeing is
//! nearly free. Equal terms and equal names are separate copies; no sorts are checked. It stops
//! without an error at the first thing that does not begin a command it knows.

use super::{Product, Reader, Script};
use smtlib_lowlevel::{Storage, ast};

pub(super) struct SmtlibLowlevel;

impl Reader for SmtlibLowlevel {
    fn name(&self) -> &'static str {
        "smtlib-lowlevel"
    }

    fn product(&self) -> Product {
        Product::Tree
    }

    fn read(&self, text: &str, look: &mut dyn FnMut(&dyn Script)) -> Result<(), String> {
        let storage = Storage::new();
        let script = ast::Script::parse(&storage, text).map_err(|error| error.to_string())?;
        look(&script);
        Ok(())
    }
}

impl Script for ast::Script<'_> {
    fn commands(&self) -> usize {
        self.0.len()
    }

    fn print(&self) -> Option<String> {
        Some(self.to_string())
    }
}
