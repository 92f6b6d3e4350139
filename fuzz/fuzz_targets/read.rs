//! Any bytes: the reader refuses them with a place, or what it read survives printing, reading
//! again (with and without sharing) and evaluation, and means the same each time.

#![no_main]

use assay_smtlib::{Layout, Lets, Printer, Script, Sharing, read_script};
use assay_term::{Evaluator, Limits, Store};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut store = Store::new();
    let script = match read_script(&mut store, bytes, Lets::Keep) {
        Ok((script, _)) => script,
        Err(error) => {
            assert!(error.line > 0 && error.column > 0 && !error.message.is_empty());
            assert!(error.to_string().len() < 10_000);
            return;
        }
    };
    let meaning = values(&store, &script);
    let printed = printed(&store, &script, Sharing::Never, Layout::Readable);
    let again = read(&mut store, &printed, Lets::Keep);
    assert!(again.commands == script.commands, "reads differently:\n{printed}");
    // With sharing the terms differ, but not their meaning.
    let shared = self::printed(&store, &script, Sharing::Always, Layout::Compact);
    let again = read(&mut store, &shared, Lets::Keep);
    compare(&meaning, &values(&store, &again), &shared);

    let (expanded, _) = read_script(&mut store, bytes, Lets::Expand).expect("read before");
    compare(&meaning, &values(&store, &expanded), "with `let` expanded");
    let shared = self::printed(&store, &expanded, Sharing::Always, Layout::Compact);
    let again = read(&mut store, &shared, Lets::Expand);
    assert!(again.commands == expanded.commands, "reads differently:\n{shared}");
});

fn printed(store: &Store, script: &Script, sharing: Sharing, layout: Layout) -> String {
    Printer::new(store).sharing(sharing).layout(layout).script(script)
}

fn read(store: &mut Store, text: &str, lets: Lets) -> Script {
    match read_script(store, text.as_bytes(), lets) {
        Ok((script, _)) => script,
        Err(error) => panic!("printed text is refused: {error}\n{text}"),
    }
}

/// The truth of each assertion where it is known.
fn values(store: &Store, script: &Script) -> Vec<Option<bool>> {
    let model = script.definitions();
    let limits =
        Limits { steps: 20_000, instances: 64, regex: 5_000, length: 10_000, bits: 10_000 };
    let mut evaluator = Evaluator::new(store, &model).with_limits(limits).completing();
    script.active_assertions().iter().map(|(term, _)| evaluator.holds(*term).ok()).collect()
}

fn compare(before: &[Option<bool>], after: &[Option<bool>], what: &str) {
    assert_eq!(before.len(), after.len(), "{what}");
    for (x, y) in before.iter().zip(after) {
        if let (Some(x), Some(y)) = (x, y) {
            assert_eq!(x, y, "another meaning: {what}");
        }
    }
}
