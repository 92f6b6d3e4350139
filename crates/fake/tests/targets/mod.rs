//! What tests of solvers share: the fake as a described tool, and real ones under its keeper.
#![allow(dead_code, clippy::print_stderr, reason = "each test uses a part; one skipped says so")]

use assay_target::process::{Launcher, Limits};
use assay_target::{Catalog, Installer, ResolveError, Resolved, Settings, Solver};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub const FAKE: &str = env!("CARGO_BIN_EXE_assay-fake");

/// The description of the tool that misbehaves in this way; `more` are further lines of `[run]`
/// and further tables.
pub fn fake(folder: &Path, way: &[&str], more: &str) -> Resolved {
    let words: Vec<String> = way.iter().map(|word| format!("{word:?}")).collect();
    let text = format!(
        "name = \"fake\"\ntitle = \"Fake\"\nkind = \"smt-solver\"\n\
         [[source]]\npath = {FAKE:?}\n\
         [run]\nargs = [{}]\nversion-args = [\"say\", \"fake 1.0\"]\nlogic = \"never\"\n\
         features = [\"models\", \"cores\", \"ints\"]\nwithout-operators = [\"abs\"]\n{more}",
        words.join(", ")
    );
    std::fs::write(folder.join("fake.toml"), text).expect("a file");
    let catalog = Catalog::load(&[folder.to_owned()]).expect("a description");
    let installer = Installer::new(folder.join("cache"));
    let name = "fake".parse().expect("a name");
    let target = catalog.resolve(&name, &installer, &mut |_| {}).expect("a target");
    assert_eq!(target.reported_version, "1.0");
    target
}

/// The tool that misbehaves in this way, as a solver with tight limits.
pub fn fake_solver(folder: &Path, way: &[&str], sessions: bool) -> Solver {
    let session = if sessions { "[run.session]\nscripts = 50\n" } else { "" };
    Solver::new(Arc::new(fake(folder, way, session)), settings(TIGHT, sessions))
}

/// Limits that those who mean to reach soon.
pub const TIGHT: Limits =
    Limits { wall: Duration::from_millis(700), memory: Some(64 << 20), output: 1 << 20 };

pub fn settings(limits: Limits, sessions: bool) -> Settings {
    Settings { limits, launcher: Launcher::of(FAKE), seed: 0, sessions }
}

/// A real tool, installed where it is missing; `None` if there is no network, unless
/// `ASSAY_REQUIRE_TARGETS=1`.
pub fn real(name: &str) -> Option<Resolved> {
    let installer = Installer::for_user();
    let name = name.parse().expect("it is a name");
    match Catalog::builtin().resolve(&name, &installer, &mut |words| eprintln!("{words}")) {
        Ok(target) => Some(target),
        Err(ResolveError::Install(error)) if error.is_circumstance() => {
            let required = std::env::var_os("ASSAY_REQUIRE_TARGETS");
            assert!(required.is_none_or(|value| value != "1"), "{name} is required: {error}");
            eprintln!("skipped: {name}: {error}");
            None
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

/// The same as a solver with limits that nothing here reaches.
pub fn real_solver(name: &str) -> Option<Solver> {
    let limits = Limits { wall: Duration::from_secs(20), memory: Some(2 << 30), output: 1 << 20 };
    Some(Solver::new(Arc::new(real(name)?), settings(limits, true)))
}
