//! Stores that grow with every mutant and are reused, because copying a store costs more than
//! generating most mutants.

use assay_term::Store;
use std::sync::{Arc, Mutex, PoisonError};

/// Stores that start as copies of one store.
#[derive(Default)]
pub struct Pool {
    idle: Mutex<Vec<Arc<Store>>>,
}

/// Maximum number of stores kept per seed.
const MOST: usize = 4;

/// A store is dropped after growing by this many terms.
const GROWTH: usize = 20_000;

impl Pool {
    /// A store with all terms of the original, and perhaps more.
    #[must_use]
    pub fn take(&self, base: &Store) -> Arc<Store> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // A store that a case still uses cannot be changed.
        let free = idle.iter_mut().position(|store| Arc::get_mut(store).is_some());
        match free.map(|at| idle.swap_remove(at)) {
            Some(store) if store.len() < base.len() + GROWTH => store,
            _ => Arc::new(base.clone()),
        }
    }

    /// Keeps a store for later; a case may still hold it.
    pub fn put(&self, store: &Arc<Store>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST {
            idle.push(Arc::clone(store));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_in_use_is_not_reused() {
        let (pool, base) = (Pool::default(), Store::new());
        let first = pool.take(&base);
        pool.put(&first);
        let second = pool.take(&base);
        assert!(!Arc::ptr_eq(&first, &second));
        drop(first);
        let mut third = pool.take(&base);
        assert!(Arc::get_mut(&mut third).is_some());
    }
}
