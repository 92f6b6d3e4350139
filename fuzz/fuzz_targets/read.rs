//! Any bytes: the reader refuses them with a place, or what it read survives printing, reading
//! again (with and without sharing) and evaluation.

#![no_main]

use assay_smtlib::{Layout, Lets, Printer, Script, Sharing, read_script};
use assay_term::{Evaluator, Limits, Model, Store};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut store = Store::new();
    let script = match read_script(&mut store, bytes, Lets::Keep) {
        Ok((script, _)) => script,
        Err(error) => {
            assert!(error.line > 0 && error.column > 0 && !error.message.is_empty());
            return;
        }
    };
    same(&mut store, &script, Sharing::Never, Layout::Readable, Lets::Keep);
    let (expanded, _) = read_script(&mut store, bytes, Lets::Expand).expect("read before");
    same(&mut store, &expanded, Sharing::Always, Layout::Compact, Lets::Expand);
    let model: Model = script.definitions();
    let limits = Limits { steps: 20_000, instances: 64, regex: 5_000, length: 10_000, bits: 10_000 };
    let mut evaluator = Evaluator::new(&store, &model).with_limits(limits).completing();
    for (assertion, _) in script.active_assertions() {
        let _ = evaluator.holds(assertion);
    }
});

/// What is printed reads as the same commands.
fn same(store: &mut Store, script: &Script, sharing: Sharing, layout: Layout, lets: Lets) {
    let text = Printer::new(store).sharing(sharing).layout(layout).script(script);
    match read_script(store, text.as_bytes(), lets) {
        Ok((again, _)) => assert!(again.commands == script.commands, "reads differently:\n{text}"),
        Err(error) => panic!("printed text is refused: {error}\n{text}"),
    }
}
