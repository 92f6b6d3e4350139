//! Stores that grow with every mutant and are used again, because copying one costs more than most
//! mutants do.

use assay_term::Store;
use std::sync::{Arc, Mutex, PoisonError};

/// Stores that begin as copies of one.
#[derive(Default)]
pub(crate) struct Pool {
    idle: Mutex<Vec<Arc<Store>>>,
}

/// More stores than this are not kept for one seed.
const MOST: usize = 4;

/// A store that has grown by so many terms is given up.
const GROWTH: usize = 20_000;

impl Pool {
    /// A store with all terms of this one, and perhaps others.
    pub(crate) fn take(&self, base: &Store) -> Arc<Store> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // One that a case still needs cannot be changed.
        let free = idle.iter_mut().position(|store| Arc::get_mut(store).is_some());
        match free.map(|at| idle.swap_remove(at)) {
            Some(store) if store.len() < base.len() + GROWTH => store,
            _ => Arc::new(base.clone()),
        }
    }

    /// Keeps a store for later; a case may still hold it.
    pub(crate) fn put(&self, store: &Arc<Store>) {
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
    fn what_is_still_used_is_not_changed() {
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
