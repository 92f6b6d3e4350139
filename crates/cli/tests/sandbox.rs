//! `--sandbox off` reaches everything that a command starts.

mod common;

use common::text;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// A compiler that works only with the user's environment, which the sandbox hides.
const COMPILER: &str = "#!/bin/sh
if [ \"$ASSAY_TEST_ENVIRONMENT\" = visible ]; then PATH=$REAL_PATH exec gcc \"$@\"; fi
echo 'error: the environment is hidden' >&2
exit 1
";

/// A solver that knows nothing, for a suite that asks one.
const SOLVER: &str = r#"#!/bin/sh
case "$*" in *--version*) echo "z3 1.0"; exit;; esac
exec sed -un -e 's/.*(check-sat.*/unknown/p' -e 's/.*(echo "\([^"]*\)").*/\1/p'
"#;

const DESCRIPTION: &str = "name = \"z3\"\ntitle = \"z3\"\nkind = \"smt-solver\"\n[[source]]\n\
    path = \"z3.sh\"\n[run]\nfeatures = [\"bit-vectors\", \"ints\", \"arrays\"]\n";

fn script(path: &Path, text: &str) {
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn programs(folder: &Path, sandbox: &str) -> Output {
    let path = std::env::var("PATH").expect("there is a search path");
    Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["gen", "programs", "--limit", "2", "--executions", "1", "--solver", "z3"])
        .args(["--targets", ".", "--sandbox", sandbox, "--out", sandbox])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.join("bin").display()))
        .env("REAL_PATH", &path)
        .env("ASSAY_TEST_ENVIRONMENT", "visible")
        .output()
        .expect("assay runs")
}

#[test]
fn programs_are_compiled_and_run_outside_the_sandbox_if_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::create_dir(here.join("bin")).expect("a folder");
    script(&here.join("bin/gcc"), COMPILER);
    script(&here.join("z3.sh"), SOLVER);
    fs::write(here.join("z3.toml"), DESCRIPTION).expect("a file");

    let free = programs(here, "off");
    assert_eq!(free.status.code(), Some(0), "{}", text(&free.stderr));
    let index = fs::read_to_string(here.join("off/index.jsonl")).expect("an index");
    assert!(!index.is_empty(), "no program was made");

    let confined = programs(here, "on");
    let words = text(&confined.stderr);
    assert!(words.contains("does not compile: error: the environment is hidden"), "{words}");
}
