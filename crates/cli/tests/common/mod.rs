//! What tests of the command line share: running it, reading what it says, and having real targets.
#![allow(dead_code, clippy::print_stderr, reason = "each test uses a part; one skipped says so")]

use std::path::Path;
use std::process::{Command, Output};

/// Runs the command line in a folder.
pub fn assay(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(args).current_dir(folder).output().expect("assay runs")
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
