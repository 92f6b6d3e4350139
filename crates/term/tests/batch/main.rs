//! The evaluator for many assignments against the one for a single assignment.

mod dags;
mod pool;
mod table;
mod tapes;

use assay_term::batch::{Columns, Scratch, Tape};
use assay_term::{Budget, Evaluator, Model, Store, TermId};

/// Insists that a tape yields, under every model, what the evaluator yields, and if that is unknown
/// the same reason.
fn agrees(store: &Store, roots: &[TermId], models: &[Model], scratch: &mut Scratch) {
    let mut budget = Budget::unlimited();
    let tape = Tape::compile(store, roots, &mut budget).expect("no bound");
    let columns = Columns::from_models(&tape, models, &mut budget).expect("no bound");
    let results = tape.run(&columns, scratch, &mut budget).expect("no bound");
    assert_eq!(results.len(), models.len());
    for (lane, model) in models.iter().enumerate() {
        let mut evaluator = Evaluator::new(store, model);
        for (at, &root) in roots.iter().enumerate() {
            let exact = evaluator.eval(root);
            let batch = results.get(at, lane);
            assert_eq!(batch, exact, "lane {lane} of {} in {model:?}", head(store, root));
        }
    }
}

/// What stands at the head of a term, and the sorts of its arguments.
fn head(store: &Store, term: TermId) -> String {
    let name = store.operator(term).map_or("a leaf", |(op, _)| op.name());
    let sorts = store.children(term).iter().map(|&arg| store.sort_name(store.sort(arg)));
    format!("`{name}` over {:?}", sorts.collect::<Vec<_>>())
}
