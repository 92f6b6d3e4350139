//! The published benchmark files, where they are at hand: all of them are read, or refused with a
//! reason, and reading what we print gives the same commands.

// A skipped test says so.
#![allow(clippy::print_stdout)]

use assay_smtlib::{Layout, Lets, Printer, Sharing, read_script};
use assay_term::Store;
use std::fs;
use std::path::{Path, PathBuf};

fn data() -> Option<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.is_dir() {
        println!("skipped: the shared benchmark data is not here");
        return None;
    }
    Some(data)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut work = vec![folder.to_owned()];
    while let Some(path) = work.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("the folder can be read");
            work.extend(entries.map(|entry| entry.expect("the folder can be read").path()));
        } else if path.extension().is_some_and(|e| e == "smt2") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Reads a file and what we print of it; panics where they differ, gives back a refusal.
fn round_trip(path: &Path) -> Result<(), String> {
    let bytes = fs::read(path).expect("the file can be read");
    let mut store = Store::new();
    let (script, _) = read_script(&mut store, &bytes, Lets::Keep).map_err(|e| e.to_string())?;
    for layout in [Layout::Compact, Layout::Readable] {
        let text = Printer::new(&store).sharing(Sharing::Never).layout(layout).script(&script);
        let again = read_script(&mut store, text.as_bytes(), Lets::Keep);
        let (again, _) = again.unwrap_or_else(|e| panic!("{}: printed: {e}", path.display()));
        assert!(again.commands == script.commands, "{} reads differently", path.display());
    }
    let (expanded, _) = read_script(&mut store, &bytes, Lets::Expand).expect("read before");
    let text = Printer::new(&store).sharing(Sharing::Always).script(&expanded);
    let again = read_script(&mut store, text.as_bytes(), Lets::Expand);
    let (again, _) = again.unwrap_or_else(|e| panic!("{}: shared: {e}", path.display()));
    assert!(
        again.commands == expanded.commands,
        "{} reads differently when shared",
        path.display()
    );
    Ok(())
}

#[test]
fn string_suites_and_trigger_benchmarks_are_all_read() {
    let Some(data) = data() else { return };
    for folder in ["strings/icse20", "strings/stringfuzz", "triggers"] {
        for file in files(&data.join(folder)) {
            round_trip(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        }
    }
}

#[test]
fn at_least_98_percent_of_the_seeds_are_read() {
    let Some(data) = data() else { return };
    let all = files(&data.join("seeds"));
    let refused: Vec<String> = all
        .iter()
        .filter_map(|file| round_trip(file).err().map(|e| format!("{}: {e}", file.display())))
        .collect();
    println!("{} of {} seeds read", all.len() - refused.len(), all.len());
    assert!(refused.len() * 50 <= all.len(), "{}", refused.join("\n"));
}
