//! `yaspar-ir`: the two trees that belong to `yaspar`, as two readers.
//!
//! The untyped tree has one reference-counted allocation per node, each with its source range; the
//! typed one is made from it by sort checking and shares equal sorts, names and terms. The typed
//! reader includes the first stage, since there is no other way from text to it.

use super::{Product, Reader, Script, print_lines};
use yaspar_ir::ast::{Context, Typecheck};
use yaspar_ir::untyped::UntypedAst;

pub(super) struct Untyped;

impl Reader for Untyped {
    fn name(&self) -> &'static str {
        "yaspar-ir:untyped"
    }

    fn product(&self) -> Product {
        Product::Tree
    }

    fn read(&self, text: &str, look: &mut dyn FnMut(&dyn Script)) -> Result<(), String> {
        let commands = UntypedAst.parse_script_str(text).map_err(|error| error.to_string())?;
        look(&Commands(commands));
        Ok(())
    }
}

pub(super) struct Typed;

impl Reader for Typed {
    fn name(&self) -> &'static str {
        "yaspar-ir:typed"
    }

    fn product(&self) -> Product {
        Product::SharedAndSorted
    }

    fn read(&self, text: &str, look: &mut dyn FnMut(&dyn Script)) -> Result<(), String> {
        let untyped = UntypedAst.parse_script_str(text).map_err(|error| error.to_string())?;
        let mut context = Context::new();
        let commands = untyped.type_check(&mut context).map_err(|error| error.to_string())?;
        look(&Commands(commands));
        Ok(())
    }
}

struct Commands<C>(Vec<C>);

impl<C: std::fmt::Display> Script for Commands<C> {
    fn commands(&self) -> usize {
        self.0.len()
    }

    fn print(&self) -> Option<String> {
        Some(print_lines(&self.0))
    }
}
