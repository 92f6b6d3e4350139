//! Tests keep the tools that they install below the build folder, and leave the user's cache alone.

mod common;

use common::{have, text};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the tests keep tools: cargo says so (`.cargo/config.toml`).
fn cache() -> PathBuf {
    std::env::var_os("ASSAY_CACHE").expect("cargo, called inside the workspace, sets it").into()
}

#[test]
fn tests_do_not_use_the_users_cache() {
    const TOOL: &str = "z3@4.8.0";
    if !have(TOOL) {
        return;
    }
    assert!(cache().join("targets/z3").is_dir(), "{}", cache().display());
    let home = tempfile::tempdir().expect("a folder");
    let install = |cache: Option<&Path>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(["targets", "install", TOOL, "--offline"]);
        command.env("HOME", home.path()).env("XDG_CACHE_HOME", home.path().join("cache"));
        match cache {
            Some(cache) => command.env("ASSAY_CACHE", cache),
            None => command.env_remove("ASSAY_CACHE"),
        };
        command.output().expect("assay runs")
    };
    let found = install(Some(&cache()));
    assert!(found.status.success(), "{}", text(&found.stderr));
    assert!(!home.path().join("cache").exists(), "something was written to the user's cache");
    // Without the variable the user's cache counts, in which there is no tool.
    assert!(!install(None).status.success());
}

/// Tools are started in folders of their own.
#[test]
fn a_relative_cache_path_works() {
    const TOOL: &str = "z3@4.8.0";
    if !have(TOOL) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("true.smt2");
    std::fs::write(&file, "(set-info :status sat)(assert true)(check-sat)").expect("a file");
    let cache = cache();
    let output = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["replay", "--target", TOOL])
        .arg(&file)
        .current_dir(cache.parent().expect("it is in the build folder"))
        .env("ASSAY_CACHE", cache.file_name().expect("it has a name"))
        .output()
        .expect("assay runs");
    assert!(output.status.success(), "{}", text(&output.stdout) + &text(&output.stderr));
}

#[test]
fn the_cache_of_the_tests_is_kept() {
    assert!(cache().is_absolute(), "{}", cache().display());
    assert!(!cache().starts_with(std::env::temp_dir().join("assay")), "{}", cache().display());
    for folder in [dirs_cache("XDG_CACHE_HOME", ""), dirs_cache("HOME", ".cache")] {
        assert_ne!(folder.map(|folder| folder.join("assay")), Some(cache()));
    }
}

/// A folder of the user's caches.
fn dirs_cache(variable: &str, below: &str) -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os(variable)?).join(below))
}
