//! The published benchmark files, where they are at hand: all of them are read, or refused with a
//! reason, and reading what we print gives the same commands.

// A skipped test says so.
#![allow(clippy::print_stdout)]

use assay_smtlib::{Layout, Lets, Printer, Sharing, read_script};
use assay_term::Store;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("ASSAY_DATA").map_or(beside, PathBuf::from);
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

/// Where the table of what is read is kept for readers.
const TABLE: &str = "../../docs/acceptance.md";

/// The solver whose regression a seed is, as its name begins, or the folder of other files.
fn family(data: &Path, file: &Path) -> String {
    let inner = file.strip_prefix(data).expect("a file of the data");
    let mut folders = inner.iter().map(|part| part.to_string_lossy().into_owned());
    let top = folders.next().unwrap_or_default();
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match top.as_str() {
        "seeds" => format!("seeds of {}", name.split('-').next().unwrap_or_default()),
        _ => format!("{top}/{}", folders.next().unwrap_or_default()),
    }
}

/// Why a file is refused, without the place; what is no known extension says so.
fn reason(error: &str) -> String {
    let line = error.lines().next().unwrap_or_default();
    let message = line.split_once(": ").map_or(line, |(_, message)| message);
    match message.strip_prefix("unsupported extension: ") {
        Some(extension) => extension.to_owned(),
        None => format!("not valid: {message}"),
    }
}

/// Every family with how many of its files are read, and every file that is refused, with the
/// extension that is missing.
fn table(data: &Path) -> (String, usize, usize) {
    let mut families: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut refused = Vec::new();
    for file in files(data) {
        let counts = families.entry(family(data, &file)).or_default();
        counts.1 += 1;
        match round_trip(&file) {
            Ok(()) => counts.0 += 1,
            Err(error) => {
                let inner = file.strip_prefix(data).expect("a file of the data");
                refused.push(format!("| {} | {} |", inner.display(), reason(&error)));
            }
        }
    }
    let (read, all) = families.values().fold((0, 0), |(r, a), (read, all)| (r + read, a + all));
    let mut text = String::from(
        "# What the reader accepts\n\nEvery published file at hand is read, printed, and read again as the same \
         commands, or refused with the name of what is missing. Written by `ASSAY_BLESS=1 cargo test -p assay-smtlib \
         --test shared_data`.\n\n| family | read | of | share |\n|---|---:|---:|---:|\n",
    );
    let mut row = |name: &str, read: usize, all: usize| {
        let share = 100.0 * read as f64 / all.max(1) as f64;
        let _ = writeln!(text, "| {name} | {read} | {all} | {share:.2} % |");
    };
    for (name, &(read, all)) in &families {
        row(name, read, all);
    }
    row("all", read, all);
    if !refused.is_empty() {
        text += "\n| refused file | missing |\n|---|---|\n";
        text += &refused.join("\n");
        text.push('\n');
    }
    (text, read, all)
}

#[test]
fn all_but_half_a_percent_of_the_files_are_read() {
    let Some(data) = data() else { return };
    let (text, read, all) = table(&data);
    println!("{text}");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    if std::env::var_os("ASSAY_BLESS").is_some() {
        fs::write(&kept, &text).expect("the table can be written");
    }
    assert!((all - read) * 200 <= all, "{read} of {all} files read\n{text}");
    let known = fs::read_to_string(&kept).unwrap_or_default();
    assert_eq!(known, text, "docs/acceptance.md is out of date: run again with ASSAY_BLESS=1");
}
