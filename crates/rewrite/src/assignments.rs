//! Assignments to try: all where there are few, otherwise random ones.

use assay_case::RewriteTest;
use assay_case::rewrite::{Assignments, every_assignment};
use assay_grow::Values;
use assay_mutate::Draw;
use assay_term::{Func, FuncId, Model, Store};

/// Assignments drawn at random.
const DRAWN: usize = 64;

/// All assignments are tried where there are at most this many.
const EXHAUSTIVE: usize = 256;

/// The same test with assignments to try: all where there are few, otherwise such as its text alone
/// decides, so that a test that is read back from a file is tried in the same way.
#[must_use]
pub fn with_assignments(test: RewriteTest) -> RewriteTest {
    let mut store = test.store().clone();
    let values = Values::new(&mut store, test.functions(), &[test.term()]);
    let all = every_assignment(&store, values.world(), test.functions(), EXHAUSTIVE);
    let assignments = match all {
        // An uninterpreted sort may have more elements than those that are tried.
        Some(all) if values.is_open() => Assignments::some(all.models().to_vec()),
        Some(all) => all,
        None => {
            let mut draw = Draw::new(&test.text().bytes().map(u64::from).collect::<Vec<_>>());
            let random = |_| random(&store, &values, test.functions(), &mut draw);
            Assignments::some((0..DRAWN).map_while(random).collect())
        }
    };
    test.tried(store, assignments)
}

/// A random assignment; `None` if a sort has no values that can be made.
fn random(store: &Store, values: &Values, functions: &[FuncId], draw: &mut Draw) -> Option<Model> {
    let mut model = values.world().clone();
    let mut before = Vec::new();
    for &func in functions {
        if matches!(store.func(func), Func::Declared { .. }) {
            model.set(func, values.meaning(store, draw, func, &mut before)?);
        }
    }
    Some(model)
}
