//! What the tests of reading and printing share.

#![allow(dead_code)]

use assay_smtlib::{Environment, Layout, Lets, Printer, Script, Sharing, read_script};
use assay_term::Store;

/// A text, read.
pub struct Unit {
    pub store: Store,
    pub script: Script,
    pub env: Environment,
}

/// Reads a text that must be understood.
pub fn read(text: &str, lets: Lets) -> Unit {
    let mut store = Store::new();
    match read_script(&mut store, text.as_bytes(), lets) {
        Ok((script, env)) => Unit { store, script, env },
        Err(error) => panic!("{error}\nin\n{}", head(text)),
    }
}

/// The beginning of a text that may be long.
pub fn head(text: &str) -> String {
    text.chars().take(2_000).collect()
}

/// Checks that a text reads, and that what we print of it, in either layout and with or without
/// sharing, reads as the same commands.
pub fn round_trip(text: &str) -> Unit {
    let mut unit = read(text, Lets::Keep);
    for layout in [Layout::Compact, Layout::Readable] {
        let printer = Printer::new(&unit.store).sharing(Sharing::Never).layout(layout);
        let printed = printer.script(&unit.script);
        let again = reread(&mut unit.store, &printed, Lets::Keep);
        assert_eq!(again.commands, unit.script.commands, "of {text}\nprinted {printed}");
    }
    let (mut expanded, _) =
        read_script(&mut unit.store, text.as_bytes(), Lets::Expand).expect("read before");
    for (layout, sharing) in [
        (Layout::Compact, Sharing::Always),
        (Layout::Readable, Sharing::Always),
        (Layout::Compact, Sharing::Auto),
        (Layout::Compact, Sharing::Never),
    ] {
        let printer = Printer::new(&unit.store).sharing(sharing).layout(layout);
        let printed = printer.script(&expanded);
        let again = reread(&mut unit.store, &printed, Lets::Expand);
        assert_eq!(again.commands, expanded.commands, "of {text}\nprinted {printed}");
        expanded = again;
    }
    unit
}

fn reread(store: &mut Store, printed: &str, lets: Lets) -> Script {
    match read_script(store, printed.as_bytes(), lets) {
        Ok((script, _)) => script,
        Err(error) => panic!("{error}\nprinted\n{}", head(printed)),
    }
}
