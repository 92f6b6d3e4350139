//! Abstract domains as a user tests them: built in, as plug-ins that misbehave, and APRON where it
//! is at hand.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ASSAY: &str = env!("CARGO_BIN_EXE_assay");

fn assay(folder: &Path, args: &[&str]) -> Output {
    Command::new(ASSAY).args(args).current_dir(folder).output().expect("assay runs")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

/// What a run prints as JSON: its findings, and the summary of its one target.
fn search(folder: &Path, target: &str, more: &[&str]) -> (Vec<Value>, Value) {
    let fixed = ["run", "domains", "--json", "--out", "out", "--target", target];
    let output = assay(folder, &[&fixed[..], more].concat());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut records: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let last = records.pop().unwrap_or_else(|| panic!("{target} says nothing: {errors}"));
    let findings = records.iter().any(|record| record["fault"] != "soft");
    assert_eq!(output.status.code(), Some(i32::from(findings)), "{errors}");
    (records, last["summary"]["targets"][0].clone())
}

fn lines(program: &str) -> usize {
    program.lines().count() - 1
}

#[test]
fn a_domain_without_bugs_is_clean() {
    let folder = folder();
    let (findings, summary) = search(folder.path(), "builtin/interval-int", &["--budget", "2s"]);
    assert!(findings.is_empty(), "{findings:?}");
    assert!(summary["checks"].as_u64() > Some(1_000), "{summary}");
}

#[test]
fn a_seeded_bug_is_found_reduced_written_and_replayed() {
    let folder = folder();
    let target = "builtin/interval-int:interval-join-lower";
    let (findings, _) =
        search(folder.path(), target, &["--budget", "3s", "--law", "8", "--law", "9"]);
    let found = findings.first().expect("the bug is found");
    assert_eq!((&found["fault"], &found["stability"]), (&"unsound".into(), &"confirmed".into()));
    let program = found["program"].as_str().expect("it has a program");
    assert!(lines(program) <= 3, "{program}");
    let file = Path::new(found["folder"].as_str().expect("it has a folder")).join("program.txt");
    let file = file.to_str().expect("it is text");
    let again = assay(folder.path(), &["replay", file, "--target", target]);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    let clean = assay(folder.path(), &["replay", file, "--target", "builtin/interval-int"]);
    assert_eq!(clean.status.code(), Some(0), "{clean:?}");
    assert!(String::from_utf8_lossy(&clean.stdout).contains("all laws hold"));
}

/// Compiles a plug-in of the examples; none where there is no compiler.
fn plug_in(folder: &Path, source: &str, mode: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let library = folder.join(format!("{source}{mode}.so"));
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", &format!("-DMODE={mode}"), "-o"])
        .arg(&library)
        .arg("-I")
        .arg(root.join("crates/plugin/include"))
        .arg(root.join("examples/domain-c").join(source).with_extension("c"))
        .status();
    match made {
        Ok(status) => {
            assert!(status.success(), "the example does not compile");
            Some(format!("plugin@{}", library.display()))
        }
        Err(error) => {
            eprintln!("skipped: no C compiler ({error})");
            assert!(std::env::var_os("ASSAY_REQUIRE_TARGETS").is_none(), "a compiler is required");
            None
        }
    }
}

#[test]
fn the_example_in_c_obeys_its_laws() {
    let folder = folder();
    let Some(target) = plug_in(folder.path(), "sign", "0") else { return };
    let (findings, summary) = search(folder.path(), &target, &["--budget", "2s"]);
    assert!(findings.is_empty(), "{findings:?}");
    assert!(summary["checks"].as_u64() > Some(1_000), "{summary}");
}

#[test]
fn crashes_hangs_and_floods_are_findings_and_leave_nothing_behind() {
    for (mode, fault) in [("1", "crash"), ("2", "hang"), ("3", "flood")] {
        let folder = folder();
        let Some(target) = plug_in(folder.path(), "misbehaving", mode) else { return };
        let more = ["--budget", "2s", "--timeout", "1s"];
        let (findings, summary) = search(folder.path(), &target, &more);
        let deaths = findings.iter().filter(|finding| finding["fault"] == fault);
        let program = deaths.clone().next().map(|finding| finding["program"].clone());
        let program = program.unwrap_or_else(|| panic!("no {fault}: {findings:?} {summary}"));
        let program = program.as_str().expect("it is text").to_owned();
        assert!(lines(&program) <= 5, "{program}");
        assert!(deaths.clone().all(|finding| finding["stability"] == "confirmed"), "{findings:?}");
        let library = target.trim_start_matches("plugin@");
        assert!(workers_of(library).is_empty(), "a worker is left behind");
    }
}

/// Processes whose command line names a file.
fn workers_of(file: &str) -> Vec<PathBuf> {
    let processes = std::fs::read_dir("/proc").expect("there is /proc");
    let processes = processes.filter_map(Result::ok).map(|entry| entry.path());
    let named = |path: &PathBuf| {
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(file)
    };
    processes.filter(named).collect()
}

#[test]
fn bad_input_is_told_with_a_hint() {
    let folder = folder();
    let bad: [(&[&str], &str); 5] = [
        (
            &["--target", "builtin/sphere"],
            "there is no domain `builtin/sphere`; known are builtin/",
        ),
        (
            &["--target", "builtin/octagon:nonsense"],
            "there is no domain `nonsense`; known are inter",
        ),
        (&["--configuration", "C9", "--target", "builtin/octagon"], "known are C1, C2"),
        (&["--engine", "magic", "--target", "builtin/octagon"], "known are systematic, random"),
        (&["--law", "47", "--target", "builtin/octagon"], "there is no law `47`"),
    ];
    for (args, hint) in bad {
        let output = assay(folder.path(), &[&["run", "domains"], args].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(errors.contains(hint), "{args:?}: {errors}");
    }
}

/// APRON's libraries: where a variable says, or where the system has them.
fn apron() -> Option<Vec<String>> {
    let named = std::env::var("ASSAY_APRON").ok();
    let here = named.is_some()
        || ["/usr/lib", "/usr/lib/x86_64-linux-gnu"]
            .iter()
            .any(|folder| Path::new(folder).join("libapron.so.0").exists());
    if !here {
        eprintln!("skipped: no libapron; ASSAY_APRON may name its folder");
        return None;
    }
    Some(named.map_or_else(Vec::new, |folder| vec!["--libraries".to_owned(), folder]))
}

#[test]
fn octagons_of_doubles_lose_precision_at_the_boundaries() {
    let Some(libraries) = apron() else { return };
    let folder = folder();
    let libraries: Vec<&str> = libraries.iter().map(String::as_str).collect();
    let more = [&["--budget", "8s", "--law", "17"][..], &libraries].concat();
    let (findings, summary) = search(folder.path(), "apron/octD", &more);
    let found = findings.first().unwrap_or_else(|| panic!("nothing found: {summary}"));
    let program = found["program"].as_str().expect("it has a program");
    assert!(lines(program) <= 5, "{program}");
}
