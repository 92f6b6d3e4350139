//! `yaspar`: an LALR(1) parser that calls an action at every production and owns no tree.
//!
//! With the crate's own action, which returns `()` everywhere, this is its floor: the time to
//! recognise a script, allocating a string per symbol and a vector per list but keeping none. The
//! tree that belongs to it lives in `yaspar-ir`.

use super::{Product, Reader, Script};
use yaspar::action::UnitAction;
use yaspar::smtlib2::ScriptParser;

pub(super) struct Yaspar;

impl Reader for Yaspar {
    fn name(&self) -> &'static str {
        "yaspar"
    }

    fn product(&self) -> Product {
        Product::Recognised
    }

    fn read(&self, text: &str, look: &mut dyn FnMut(&dyn Script)) -> Result<(), String> {
        let commands = ScriptParser::new()
            .parse(&mut UnitAction, yaspar::tokenize_str(text, false))
            .map_err(|error| error.to_string())?;
        look(&Recognised(commands.len()));
        Ok(())
    }
}

struct Recognised(usize);

impl Script for Recognised {
    fn commands(&self) -> usize {
        self.0
    }

    fn print(&self) -> Option<String> {
        None
    }
}
