//! `assay targets` as users see it, without a network.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs in an empty cache, without the user's own targets.
fn assay(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_assay"))
        .arg("targets")
        .args(args)
        .env("ASSAY_CACHE", folder.join("cache"))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("assay can be started")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

#[test]
fn the_list_names_every_version() {
    let folder = folder();
    let output = assay(folder.path(), &["list", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let records: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    let of_z3 = |record: &&Value| {
        let name = record["target"].as_str().expect("it has a name");
        name.starts_with("z3@") && name != "z3@path"
    };
    let z3: Vec<&Value> = records.iter().filter(of_z3).collect();
    assert_eq!(z3.len(), 24);
    assert!(z3.iter().all(|record| record["installed"] == false), "the cache is empty");
    // Tools that cannot be brought here are listed too, with what to do.
    let esbmc = records.iter().find(|record| record["target"] == "esbmc").expect("it is listed");
    assert_eq!(esbmc["from"], "not found: put esbmc on the search path", "{esbmc}");
    assert_eq!(esbmc["installed"], false, "{esbmc}");
    let table = text(&assay(folder.path(), &["list"]).stdout);
    assert!(table.starts_with("target "), "{table}");
    assert!(table.contains("z3@4.8.0.0.post1"), "{table}");
}

#[test]
fn errors_name_the_valid_choices() {
    let folder = folder();
    let table: [(&[&str], &str); 8] = [
        (&["install", "esbmc"], "looked for as the command `esbmc` in the folders of $PATH"),
        (&["doctor", "nosuch"], "unknown target `nosuch`; known targets are"),
        (&["doctor", "z3@4.7.1"], "z3 has no version 4.7.1; known versions are"),
        (&["install", "z4"], "unknown target `z4` (did you mean `z3`?"),
        (&["install", "z3@4.7.1"], "z3 has no version 4.7.1; known versions are"),
        (&["install", "z3@"], "write name[@version][:variant]"),
        (
            &["--offline", "install", "z3"],
            "z3 5.4.0.0 is not installed, and nothing may be fetched",
        ),
        (&["show", "cvc5:fast"], "cvc5 has no variant `fast`; known variants are api, fp-exp"),
    ];
    for (args, expected) in table {
        let output = assay(folder.path(), args);
        let words = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(words.contains(expected), "{args:?}: {words}");
    }
}

#[test]
fn a_broken_description_is_an_error_with_its_place() {
    let folder = folder();
    std::fs::write(folder.path().join("x.toml"), "name = \"x\"\ntitel = \"X\"\n").expect("a file");
    let dir = folder.path().display().to_string();
    let output = assay(folder.path(), &["list", "--targets", &dir]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("x.toml: line 2: unknown field `titel`"));
}

#[test]
fn show_describes_a_tool_that_is_not_installed() {
    let folder = folder();
    let shown = assay(folder.path(), &["show", "esbmc"]);
    assert_eq!(shown.status.code(), Some(0), "{shown:?}");
    let shown = text(&shown.stdout);
    assert!(shown.starts_with("esbmc: ESBMC, analyzer\n"), "{shown}");
    assert!(shown.ends_with("not found: put esbmc on the search path\n"), "{shown}");
    assert_eq!(assay(folder.path(), &["doctor", "esbmc"]).status.code(), Some(1));
}

/// A solver of the user's own, added with one file: one that works, and one that lies.
#[test]
fn the_doctor_accepts_a_working_solver_and_rejects_a_liar() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    for (name, sat) in [("honest", "sat"), ("liar", "unsat")] {
        // It knows two formulas, by a word in them.
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo {name} 1.5; exit; fi\n\
             case \"$(cat)\" in *nine*) echo {sat};; *) echo unsat;; esac\n"
        );
        let program = folder.path().join(name);
        std::fs::write(&program, script).expect("a file");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("it is ours");
        let spec = format!(
            "name = \"{name}\"\ntitle = \"{name}\"\nkind = \"smt-solver\"\n\
             [[source]]\npath = \"{name}\"\n[run]\nfeatures = [\"ints\"]\n"
        );
        std::fs::write(folder.path().join(format!("{name}.toml")), spec).expect("a file");
    }
    let dir = folder.path().display().to_string();
    let examine = |names: &[&str]| {
        let args = [&["doctor", "--json", "--targets", dir.as_str()], names].concat();
        let output = assay(folder.path(), &args);
        let records: Vec<Value> = text(&output.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).expect("it is JSON"))
            .collect();
        (output.status.code(), records)
    };
    let (code, records) = examine(&["honest"]);
    assert_eq!(code, Some(0), "{records:?}");
    assert_eq!(records[0]["target"], "honest@path");
    assert_eq!((&records[0]["reports"], &records[0]["run"]), (&"1.5".into(), &"works".into()));
    assert_eq!(records[0]["models"], Value::Null);
    let (code, records) = examine(&["honest", "liar"]);
    assert_eq!(code, Some(1));
    assert_eq!((&records[1]["well"], &records[1]["run"]), (&false.into(), &"broken".into()));
    let notes = records[1]["notes"].as_str().expect("it has notes");
    assert!(notes.contains("sat was expected, the answer is unsat"), "{notes}");
}

/// A package of Python's index with a program in its source, and a tool that is built from it.
fn source_package(folder: &Path) {
    let source = folder.join("tiny-1.5");
    std::fs::create_dir(&source).expect("a folder");
    let files = [
        (
            "pyproject.toml",
            "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n",
        ),
        (
            "backend.py",
            "import os\ndef prepare_metadata_for_build_wheel(folder, settings=None):\n    \
             os.mkdir(folder + '/tiny-1.5.dist-info')\n    \
             open(folder + '/tiny-1.5.dist-info/METADATA', 'w').write('Name: tiny\\nVersion: 1.5\\n')\n    \
             return 'tiny-1.5.dist-info'\n",
        ),
        ("PKG-INFO", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.5\n"),
        (
            "tiny.in",
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo tiny 1.5; exit; fi\n\
             case \"$(cat)\" in *nine*) echo ASSERTION VIOLATION >&2\n\
             echo File: /src/tiny.cpp >&2; echo Line: 3 >&2; echo 'x > 0' >&2; exit 114;;\n\
             *) echo MODE;; esac\n",
        ),
    ];
    for (name, text) in files {
        std::fs::write(source.join(name), text).expect("a file");
    }
    let mut pack = Command::new("tar");
    pack.args(["-czf", "tiny-1.5.tar.gz", "tiny-1.5"]).current_dir(folder);
    assert!(pack.status().expect("tar can be started").success());
    let spec = "name = \"tiny\"\ntitle = \"Tiny\"\nkind = \"smt-solver\"\n\
                [[source]]\nwheel = \"tiny\"\nprogram = \"tiny\"\nversions = [\"1.5\"]\n\
                [run]\nfeatures = [\"ints\"]\n\
                [[build]]\nsdist = \"tiny\"\nprogram = \"tiny\"\n\
                commands = [[\"sh\", \"-c\", \"echo '[1/2] half'; sed s/MODE/$1/ {source}/tiny.in > tiny; \
                chmod +x tiny; test $1 != broken\", \"sh\", \"{flags}\"]]\n\
                [[variant]]\nname = \"debug\"\nabout = \"with assertions\"\nbuild = [\"sat\"]\n\
                [[variant]]\nname = \"broken\"\nabout = \"never built\"\nbuild = [\"broken\"]\n";
    std::fs::write(folder.join("tiny.toml"), spec).expect("a file");
}

#[test]
fn a_release_is_built_from_source_and_its_broken_assertions_are_crashes() {
    let folder = folder();
    source_package(folder.path());
    let dir = folder.path().display().to_string();
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_assay"))
            .args(args)
            .args(["--targets", &dir])
            .env("ASSAY_CACHE", folder.path().join("cache"))
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .env("PIP_NO_INDEX", "1")
            .env("PIP_FIND_LINKS", &dir)
            .current_dir(folder.path())
            .output()
            .expect("assay can be started");
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let formula = |name: &str, constant: &str| {
        let script = format!(
            "(set-logic QF_LIA)(set-info :status sat)\n(declare-const {constant} Int)\n\
             (assert (= {constant} 1))(check-sat)\n"
        );
        std::fs::write(folder.path().join(name), script).expect("a file");
    };
    formula("plain.smt2", "x");
    formula("nine.smt2", "nine");
    let replay = |file: &str| run(&["replay", file, "--target", "tiny@1.5:debug"]);

    let (code, _, words) = replay("plain.smt2");
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("assay targets build tiny@1.5:debug"), "{words}");
    let (code, _, words) = run(&["targets", "build", "tiny@1.5:debug"]);
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("lists no checksum for tiny-1.5.tar.gz"), "{words}");
    let (code, _, words) = run(&["targets", "build", "--unpinned", "tiny@1.5"]);
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("name one of its builds, such as NAME@VERSION:debug"), "{words}");
    let (code, _, words) = run(&["targets", "build", "--unpinned", "tiny@1.5:broken"]);
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("the build failed:\n[1/2] half"), "{words}");

    let (code, said, words) = run(&["targets", "build", "--unpinned", "tiny@1.5:debug"]);
    assert_eq!(code, Some(0), "{words}");
    assert_eq!(said, "tiny@1.5:debug is built and reports version 1.5\n");
    let (code, said, words) = replay("plain.smt2");
    assert_eq!(code, Some(0), "{said}{words}");
    assert!(said.contains("tiny@1.5:debug: sat"), "{said}");
    let (code, said, words) = replay("nine.smt2");
    assert_eq!(code, Some(1), "{said}{words}");
    assert!(said.contains("exit code 114, ASSERTION VIOLATION File: tiny.cpp: x > #"), "{said}");
    // It is there now, and needs no network.
    let (code, _, words) = run(&["targets", "--offline", "build", "tiny@1.5:debug"]);
    assert_eq!(code, Some(0), "{words}");
}
