//! What tests of the command line share: running it, reading what it says, and having real targets.
#![allow(dead_code, clippy::print_stderr, reason = "each test uses a part; one skipped says so")]

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Runs the command line in a folder.
pub fn assay(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(args).current_dir(folder).output().expect("assay runs")
}

/// Waits until this is so; what is not so after two minutes never will be, even on a busy machine.
#[track_caller]
pub fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(120), "not in time: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// How many results a campaign holds, running or not; none before it has begun.
pub fn results(campaign: &Path) -> u64 {
    let file = campaign.join("results.sqlite");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let count = rusqlite::Connection::open_with_flags(file, flags)
        .and_then(|store| store.query_row("SELECT count(*) FROM result", [], |row| row.get(0)));
    count.unwrap_or(0)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether the target is here, installed if need be. Where it cannot be had the test says so, or
/// fails if targets are required.
pub fn have(target: &str) -> bool {
    let output = assay(Path::new("."), &["targets", "install", target]);
    if output.status.success() {
        return true;
    }
    let words = text(&output.stderr);
    assert!(std::env::var_os("ASSAY_REQUIRE_TARGETS").is_none(), "{target}: {words}");
    eprintln!("skipped: {target} cannot be installed: {words}");
    false
}
