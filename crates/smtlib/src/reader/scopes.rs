//! Names of bound variables when `let` is expanded.
//!
//! A value that replaces a `let` variable may contain an outer variable, or a symbol of the script, that
//! an inner binder of the same name would capture when the term is printed. The inner variable is then
//! renamed. The new name depends on the text alone, and a text with distinct names keeps
//! them.

use super::{Binding, Environment};
use assay_term::{Symbol, Symbols};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(super) struct Scopes {
    /// For each name in the text, the names of its open variables.
    open: FxHashMap<Symbol, Vec<Symbol>>,
    taken: FxHashSet<Symbol>,
    /// Symbols of the script that a local name hides.
    buried: FxHashSet<Symbol>,
}

impl Scopes {
    /// Opens the scope of a variable; returns its new name.
    pub(super) fn enter(
        &mut self,
        name: Symbol,
        symbols: &mut Symbols,
        env: &Environment,
    ) -> Symbol {
        // With this many variables of one name open, lower numbers are probably taken.
        let mut number = self.open.get(&name).map_or(0, |open| open.len().saturating_sub(1));
        let mut own = name;
        while self.is_taken(own, env) {
            number += 1;
            let text = format!("{}!{number}", symbols.name(name));
            own = symbols.intern(&text);
        }
        self.taken.insert(own);
        self.open.entry(name).or_default().push(own);
        own
    }

    /// Whether a variable of this name would hide another symbol.
    pub(super) fn is_taken(&self, name: Symbol, env: &Environment) -> bool {
        self.taken.contains(&name)
            || self.buried.contains(&name)
            || !matches!(env.get(name), Binding::Free | Binding::Local(_))
    }

    /// Closes the scope of the latest variable with this name in the text.
    pub(super) fn leave(&mut self, name: Symbol) {
        if let Some(own) = self.open.get_mut(&name).and_then(Vec::pop) {
            self.taken.remove(&own);
        }
    }

    /// A local name hides a symbol of the script.
    pub(super) fn bury(&mut self, name: Symbol) {
        self.buried.insert(name);
    }

    /// The symbol is visible again.
    pub(super) fn unbury(&mut self, name: Symbol) {
        self.buried.remove(&name);
    }
}
