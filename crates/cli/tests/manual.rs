//! Help, completion scripts and manual pages: each suite has its own flags in all of them.

use std::process::Command;

/// What a command prints that succeeds.
fn prints(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_assay")).args(args).output().expect("assay runs");
    assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_help_of_a_suite_has_its_own_flags_and_examples() {
    for command in ["run", "gen"] {
        for (suite, own, others) in [
            ("strings", "--preset", ["--seeds", "--maze", "--law"]),
            ("approx", "--seeds", ["--preset", "--maze", "--law"]),
            ("programs", "--maze", ["--preset", "--pairs", "--law"]),
            ("domains", "--law", ["--preset", "--seeds", "--maze"]),
        ] {
            let help = prints(&[command, suite, "--help"]);
            assert!(help.contains(&format!("{own} <")), "{help}");
            for flag in others {
                assert!(!help.contains(&format!("{flag} <")), "{flag} in\n{help}");
            }
            let examples = help.split("Examples:\n").nth(1).expect("examples");
            let example = format!("assay {command} {suite}");
            assert!(examples.matches(&example).count() >= 2, "{help}");
        }
    }
}

#[test]
fn completions_include_commands_suites_and_flags() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = prints(&["completions", shell]);
        for word in ["assay", "strings", "seed-targets", "law"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let output = Command::new("bash")
        .arg("-n")
        .arg("/dev/stdin")
        .stdin(std::process::Stdio::piped())
        .spawn();
    let mut bash = output.expect("there is a bash");
    let script = prints(&["completions", "bash"]);
    let mut input = bash.stdin.take().expect("its input");
    std::io::Write::write_all(&mut input, script.as_bytes()).expect("bash reads");
    drop(input);
    assert!(bash.wait().expect("bash ends").success(), "bash does not read the script");
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let page = prints(&["man"]);
    assert!(page.contains(".TH assay 1") && page.contains("assay\\-run(1)"), "{page}");
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("man1");
    prints(&["man", "--out", out.to_str().expect("a path")]);
    let read = |name: &str| std::fs::read_to_string(out.join(name)).expect(name);
    assert!(read("assay-run-programs.1").contains("\\-\\-maze"));
    assert!(!read("assay-run-approx.1").contains("\\-\\-maze"));
    assert!(read("assay-targets-list.1").contains("assay"));
    let mut names = std::fs::read_dir(&out).expect("a folder").flatten().map(|e| e.file_name());
    let shown = |name: &str| !name.contains("__") && !name.contains("help");
    assert!(names.all(|name| shown(&name.to_string_lossy())), "hidden commands have none");
}
