//! `assay`: one pass from text to hash-consed terms, each sort-checked as it closes.
//!
//! There is no tree in between; equal subterms are one node of 20 bytes.

use super::{OURS, Product, Reader, Script};
use assay_smtlib::{Lets, Printer, Sharing, read_script};
use assay_term::Store;

pub(super) struct Assay;

impl Reader for Assay {
    fn name(&self) -> &'static str {
        OURS
    }

    fn product(&self) -> Product {
        Product::SharedAndSorted
    }

    fn read(&self, text: &str, look: &mut dyn FnMut(&dyn Script)) -> Result<(), String> {
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Keep)
            .map_err(|error| error.to_string())?;
        look(&Read { store, script });
        Ok(())
    }
}

struct Read {
    store: Store,
    script: assay_smtlib::Script,
}

impl Script for Read {
    fn commands(&self) -> usize {
        self.script.commands.len()
    }

    fn print(&self) -> Option<String> {
        Some(Printer::new(&self.store).sharing(Sharing::Never).script(&self.script))
    }
}
