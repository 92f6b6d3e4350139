//! What is printed as a command works when it is pasted: in a folder of somebody else, with nothing
//! in the environment but a search path.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod common;

use assay_target::{Catalog, Installer, Network};
use common::{assay, have, text};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A formula that is called satisfiable and is not: every solver that is right contradicts it.
const LIE: &str = "(set-logic QF_BV)\n(set-info :status sat)\n\
    (declare-const x (_ BitVec 64))\n(declare-const y (_ BitVec 64))\n\
    (assert (bvult x x))\n(assert (= (bvadd x y) (bvmul y #x0000000000000003)))\n(check-sat)\n";

/// Somebody's machine: a folder with a Python environment of its own, and `assay` beside it.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Machine {
        let folder = tempfile::tempdir().expect("a folder");
        let bin = folder.path().join("bin");
        std::fs::create_dir(&bin).expect("a folder");
        symlink(env!("CARGO_BIN_EXE_assay"), bin.join("assay")).expect("a link");
        Machine { folder }
    }

    /// Whether packages can be installed on it.
    fn with_python(&self) -> bool {
        let venv = self.folder.path().join("venv");
        let made = Command::new("python3").args(["-m", "venv"]).arg(&venv).output();
        let made = made.is_ok_and(|made| made.status.success());
        let required = std::env::var_os("ASSAY_REQUIRE_TARGETS").is_some();
        assert!(made || !required, "there is no python3-venv");
        if !made {
            eprintln!("skipped: there is no python3-venv");
        }
        made
    }

    /// Puts a tool that we have unpacked on the search path, where its package would bring it.
    fn brings(&self, name: &str) {
        let installer = Installer::for_user().network(Network::Forbidden);
        let target = name.parse().expect("a name");
        let tool =
            Catalog::builtin().resolve(&target, &installer, &mut |_| {}).expect("it is here");
        let set = |(name, value): (&String, &String)| format!("export {name}='{value}'\n");
        let words = [tool.program.display().to_string()].into_iter().chain(tool.lead.clone());
        let words: String = words.map(|word| format!(" '{word}'")).collect();
        let set: String = tool.env.iter().map(set).collect();
        let script = self.folder.path().join("bin").join(name);
        std::fs::write(&script, format!("#!/bin/sh\n{set}exec{words} \"$@\"\n")).expect("a file");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&script, mode).expect("it is ours");
    }

    /// Pastes lines into a shell in a folder.
    fn paste(&self, folder: &Path, lines: &str) -> Output {
        let here = self.folder.path();
        let path = format!("{0}/bin:{0}/venv/bin:/usr/bin:/bin", here.display());
        // The tools of the tests are not in the user's cache.
        let cache = std::env::var_os("ASSAY_CACHE").map(|cache| ("ASSAY_CACHE", cache));
        Command::new("bash")
            .args(["-e", "-c", lines])
            .env_clear()
            .env("PATH", path)
            .envs(cache)
            .current_dir(folder)
            .output()
            .expect("bash runs")
    }

    fn seeds(&self, count: usize) {
        let seeds = self.folder.path().join("seeds");
        std::fs::create_dir_all(&seeds).expect("a folder");
        for at in 0..count {
            std::fs::write(seeds.join(format!("lie-{at:02}.smt2")), LIE).expect("a file");
        }
    }

    /// Runs the seeds on a target and moves the last finding elsewhere: its old place may be gone.
    fn finding(&self, target: &str, more: &[&str]) -> PathBuf {
        let here = self.folder.path();
        let out = here.join("campaign");
        let _ = std::fs::remove_dir_all(&out);
        let usual = [
            "run",
            "opmut",
            "--seeds",
            "seeds",
            "--category",
            "seed",
            "--timeout",
            "20s",
            "--jobs",
            "1",
        ];
        let line = [&usual[..], &["--target", target, "--out", "campaign"], more].concat();
        let output = assay(here, &line);
        assert_eq!(output.status.code(), Some(1), "{target}: {}", text(&output.stderr));
        let found = std::fs::read_dir(out.join("findings")).expect("findings");
        let last = found.map(|entry| entry.expect("an entry").path()).max().expect("a finding");
        let moved = here.join("somebody's folder");
        let _ = std::fs::remove_dir_all(&moved);
        std::fs::rename(last, &moved).expect("it can be moved");
        moved
    }
}

/// The commands of a finding's README, those with assay and those without.
fn commands(folder: &Path) -> (String, String) {
    let readme = std::fs::read_to_string(folder.join("README.txt")).expect("a README");
    let (_, again) = readme.split_once("Run it again").expect("commands");
    let (with, without) = again.split_once("\nor ").unwrap_or((again, ""));
    let lines = |part: &str| {
        part.lines().filter_map(|line| line.strip_prefix("  ")).collect::<Vec<_>>().join("\n")
    };
    (lines(with), lines(without))
}

/// The text of the first fence of a language in Markdown.
fn fence(markdown: &str, language: &str) -> Option<String> {
    let (_, rest) = markdown.split_once(&format!("\n```{language}\n"))?;
    Some(rest.split_once("\n```\n")?.0.to_owned())
}

fn says(output: &Output, answer: &str) -> bool {
    text(&output.stdout).lines().any(|line| line == answer)
}

/// Checks all that is printed about a finding, whose target answered `unsat`.
fn check(machine: &Machine, target: &str, folder: &Path) {
    let cache = assay_target::Installer::default_cache().display().to_string();
    let (with, without) = commands(folder);
    let replayed = machine.paste(folder, &with);
    assert_eq!(replayed.status.code(), Some(1), "{target}: {with}: {}", text(&replayed.stderr));
    assert!(text(&replayed.stdout).contains("wrong-unsat"), "{}", text(&replayed.stdout));
    assert!(!without.is_empty() && !without.contains(&cache), "{target}: {without}");
    let output = machine.paste(folder, &without);
    assert!(says(&output, "unsat"), "{target}: {without}: {output:?}");

    // The bug report alone is enough, in an empty folder.
    let issue = machine.paste(folder, "assay report --issue .");
    let issue = text(&issue.stdout);
    assert!(!issue.contains(&cache) && !issue.contains("assay_session"), "{issue}");
    let empty = tempfile::tempdir().expect("a folder");
    let input = fence(&issue, "smt2").expect("the input");
    std::fs::write(empty.path().join("input.smt2"), input).expect("a file");
    if let Some(script) = fence(&issue, "python") {
        let file = issue.split("this script as `").nth(1).and_then(|rest| rest.split('`').next());
        std::fs::write(empty.path().join(file.expect("its name")), script).expect("a file");
    }
    let lines = fence(&issue, "sh").expect("commands");
    let output = machine.paste(empty.path(), &lines);
    assert!(says(&output, "unsat"), "{target}: {lines}: {output:?}");
}

/// A program out of a wheel, the same in another variant, a package of Debian, and libraries out of
/// wheels with the oldest and the newest interface.
#[test]
fn printed_commands_reproduce_findings_about_solvers() {
    let machine = Machine::new();
    if !machine.with_python() {
        return;
    }
    machine.seeds(1);
    let targets =
        ["z3@4.8.7", "z3@4.8.7:z3str3", "yices", "bitwuzla", "cvc5", "cvc5@1.1.2", "cvc5@1.0.3"];
    for target in targets {
        if have(target) {
            let folder = machine.finding(target, &[]);
            check(&machine, target, &folder);
        }
    }
}

/// The README of a finding on the last of sixty seeds, the first fifty of which run without options.
fn with_options(machine: &Machine, target: &str, more: &[&str]) -> (PathBuf, String) {
    machine.seeds(60);
    let varied = ["--fuzz-options", "--rng", "1"];
    let folder = machine.finding(target, &[&varied[..], more].concat());
    let readme = std::fs::read_to_string(folder.join("README.txt")).expect("a README");
    (folder, readme)
}

/// Options that vary from case to case are not part of what is printed unless they matter.
#[test]
fn printed_commands_omit_irrelevant_options() {
    let machine = Machine::new();
    if !machine.with_python() {
        return;
    }
    for target in ["z3@4.8.7", "bitwuzla"] {
        if have(target) {
            let (folder, readme) = with_options(&machine, target, &[]);
            assert!(!readme.contains("It ran with "), "{readme}");
            check(&machine, target, &folder);
        }
    }
}

/// A tool that one of its options makes wrong.
#[test]
fn printed_commands_keep_relevant_options() {
    let machine = Machine::new();
    let description = format!(
        "{SOLVER}[[option]]\nname = \"wrong\"\nbool = true\nargument = \"--wrong={{value}}\"\n\
         [[option]]\nname = \"other\"\nint = [1, 3]\nargument = \"--other={{value}}\"\n"
    );
    described(&machine, &description);
    let tool = machine.folder.path().join("my targets/tool.sh");
    std::fs::write(&tool, WRONG_BY_OPTION).expect("a file");
    let (folder, readme) = with_options(&machine, "tool", &["--targets", "my targets"]);
    assert!(readme.contains("It ran with wrong=true"), "{readme}");
    assert!(!readme.contains("other"), "{readme}");
    check(&machine, "tool", &folder);
}

/// Says unsat where an option makes it, but not to the questions by which options are tried.
const WRONG_BY_OPTION: &str = r#"#!/bin/sh
case "$*" in *--version*) echo "tool 1.0"; exit;; esac
input=$(cat)
case "$input" in
    *"(not p)"*) echo unsat;;
    *"(declare-const p Bool)"*) echo sat;;
    *) case "$*" in *--wrong=true*) echo unsat;; *) echo sat;; esac;;
esac
"#;

const TOOL: &str = "#!/bin/sh\ncase \"$*\" in *--version*) echo 'tool 1.0';; *) cat >/dev/null; echo unsat;; esac\n";

const SOLVER: &str = "name = \"tool\"\ntitle = \"Tool\"\nkind = \"smt-solver\"\n\
    [[source]]\npath = \"tool.sh\"\n[run]\nfeatures = [\"bit-vectors\"]\n\
    env = { TOOL_MODE = \"very strict\" }\n";

const ANALYZER: &str = "name = \"tool\"\ntitle = \"Tool\"\nkind = \"analyzer\"\n\
    [[source]]\npath = \"tool.sh\"\n[run]\ninput = \"file\"\n\
    args = [\"--quiet\", '--with=\"two words\"', \"{file}\"]\nclaims = [\"sound\"]\n\
    [run.analyzer]\nself-test = false\nerror = \"abort();\"\nalarm = [\"alarm\"]\n\
    clear = [\"unsat\"]\n";

fn described(machine: &Machine, description: &str) {
    // A folder whose name a shell would take apart.
    let own = machine.folder.path().join("my targets");
    std::fs::create_dir(&own).expect("a folder");
    std::fs::write(own.join("tool.toml"), description).expect("a file");
    std::fs::write(own.join("tool.sh"), TOOL).expect("a file");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(own.join("tool.sh"), mode).expect("it is ours");
}

/// A tool of the user's own, in a folder that the commands have to name.
#[test]
fn printed_commands_find_the_users_own_tools() {
    let machine = Machine::new();
    described(&machine, SOLVER);
    machine.seeds(1);
    let folder = machine.finding("tool", &["--targets", "my targets"]);
    check(&machine, "tool", &folder);
}

/// An analyzer that misses an error; its program, which is run; and the campaign, run again.
#[test]
fn printed_commands_run_programs() {
    let machine = Machine::new();
    described(&machine, ANALYZER);
    let here = machine.folder.path();
    let line = "run programs --category operation --limit 2 --executions 10 --jobs 1 --timeout 10s \
                --target tool --out campaign";
    let line: Vec<&str> = line.split_whitespace().chain(["--targets", "my targets"]).collect();
    let output = assay(here, &line);
    let words = text(&output.stderr);
    if output.status.code() == Some(2) && (words.contains("cannot fetch") || words.contains("pip"))
    {
        assert!(std::env::var_os("ASSAY_REQUIRE_TARGETS").is_none(), "{words}");
        eprintln!("skipped: {words}");
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{words}");
    let found = std::fs::read_dir(here.join("campaign/findings")).expect("findings");
    let folder = found.map(|entry| entry.expect("an entry").path()).max().expect("a finding");
    let (with, without) = commands(&folder);
    let replayed = machine.paste(&folder, &with);
    assert!(text(&replayed.stdout).contains("missed-error"), "{with}: {replayed:?}");
    assert!(without.contains("'--with=two words'"), "{without}");
    assert!(says(&machine.paste(&folder, &without), "unsat"), "{without}");
    let readme = std::fs::read_to_string(folder.join("README.txt")).expect("a README");
    let run = readme.split("A run reaches the error: ").nth(1).and_then(|rest| rest.lines().next());
    let run = machine.paste(&folder, run.expect("how it is run"));
    assert_ne!(run.status.code(), Some(0), "the error ends the program: {run:?}");
    assert!(!text(&run.stderr).contains(": error: "), "it compiles: {run:?}");

    // The report's lines are pasted in the campaign's folder, and run it again in another.
    let campaign = here.join("campaign");
    let report = machine.paste(&campaign, "assay report . --targets '../my targets'");
    let report = text(&report.stdout);
    let again = report.split("- again: `").nth(1).and_then(|rest| rest.split("`\n").next());
    let again = machine.paste(here, &format!("{} --out other", again.expect("a command")));
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    for block in report.split("\n```sh\n").skip(1) {
        let lines = block.split("\n```\n").next().expect("a fence ends");
        let output = machine.paste(&campaign, lines);
        let said = text(&output.stdout);
        assert!(said.contains("missed-error") || said.contains("unsat"), "{lines}: {output:?}");
    }
}

/// Analyzers of the catalogue, their files, and words of theirs about an error that can be reached.
const ANALYZERS: [(&str, &str, &[&str]); 3] = [
    ("cbmc", include_str!("../../../targets/cbmc.toml"), &["reach_error: FAILURE"]),
    (
        "goto-analyzer",
        include_str!("../../../targets/goto-analyzer.toml"),
        &["FAILURE", ": UNKNOWN", ": Unknown", ": Failure"],
    ),
    ("eva", include_str!("../../../targets/eva.toml"), &["Frama_C_show_each_error:"]),
];

/// The description of an analyzer whose alarms are read as their opposite, so that it gives findings.
fn misread(description: &str, alarms: &[&str]) -> String {
    let line = |line: &str| match line.split(" = ").next() {
        Some("alarm") => "self-test = false\nalarm = [\"words that it never says\"]\n".to_owned(),
        Some("clear") => format!("clear = {alarms:?}\n"),
        Some("unknown") => String::new(),
        _ => format!("{line}\n"),
    };
    description.lines().map(line).collect()
}

/// Every analyzer that we can install, typed as it was run.
#[test]
fn printed_commands_reproduce_findings_about_analyzers() {
    for (name, description, alarms) in ANALYZERS {
        if !have(name) || !have("z3") {
            continue;
        }
        let machine = Machine::new();
        machine.brings(name);
        let here = machine.folder.path();
        std::fs::create_dir(here.join("misread")).expect("a folder");
        let file = here.join("misread").join(name).with_extension("toml");
        std::fs::write(file, misread(description, alarms)).expect("a file");
        let line = "run programs --category operation --limit 12 --executions 0 --jobs 1 \
                    --timeout 60s --targets misread --out campaign --target";
        let output = assay(here, &line.split_whitespace().chain([name]).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
        let found = std::fs::read_dir(here.join("campaign/findings")).expect("findings");
        let folder = found.map(|entry| entry.expect("an entry").path()).max().expect("a finding");

        let warns =
            |output: &Output| alarms.iter().any(|alarm| text(&output.stdout).contains(alarm));
        let (with, without) = commands(&folder);
        let replayed = machine.paste(&folder, &with);
        assert!(text(&replayed.stdout).contains("missed-error"), "{name}: {with}: {replayed:?}");
        let output = machine.paste(&folder, &without);
        assert!(warns(&output), "{name}: {without}: {output:?}");
        // The bug report alone is enough, in an empty folder.
        let issue = machine.paste(&folder, "assay report --issue . --targets ../../../misread");
        let issue = text(&issue.stdout);
        let empty = tempfile::tempdir().expect("a folder");
        let input = fence(&issue, "c").expect("the input");
        std::fs::write(empty.path().join("input.c"), input).expect("a file");
        let lines = fence(&issue, "sh").expect("commands");
        let output = machine.paste(empty.path(), &lines);
        assert!(warns(&output), "{name}: {lines}: {output:?}");
    }
}

/// A law that a domain breaks: there is nothing but assay to show it.
#[test]
fn programs_about_domains_are_replayed() {
    let machine = Machine::new();
    let here = machine.folder.path();
    let line = "run domains --target builtin/octagon:octagon-join-minimum --budget 15s --law 8 --law 9 \
                --variables 2 --out campaign";
    let output = assay(here, &line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let found = std::fs::read_dir(here.join("campaign/findings")).expect("findings");
    for folder in found.map(|entry| entry.expect("an entry").path()) {
        let (with, without) = commands(&folder);
        for lines in [with, without] {
            let output = machine.paste(&folder, &lines);
            assert_eq!(output.status.code(), Some(1), "{lines}: {output:?}");
        }
        let issue = text(&machine.paste(&folder, "assay report --issue .").stdout);
        let empty = tempfile::tempdir().expect("a folder");
        let program = fence(&issue, "text").expect("the program");
        std::fs::write(empty.path().join("trace.txt"), program).expect("a file");
        let lines = fence(&issue, "sh").expect("commands");
        let output = machine.paste(empty.path(), &lines);
        assert_eq!(output.status.code(), Some(1), "{lines}: {output:?}");
    }
}

/// The lines that say how to resume a campaign, and how cases were made.
#[test]
fn the_printed_line_resumes_a_campaign() {
    let machine = Machine::new();
    described(&machine, SOLVER);
    machine.seeds(3);
    let here = machine.folder.path();
    let line =
        "run opmut --seeds seeds --mutants 40 --target tool --budget 1ms --jobs 1 --timeout 5s";
    let more = ["--targets", "my targets", "--out", "my campaign"];
    let output = assay(here, &line.split_whitespace().chain(more).collect::<Vec<_>>());
    let words = text(&output.stderr);
    let resume = words.lines().find_map(|line| line.strip_prefix("  assay run "));
    let resume = format!("assay run {}", resume.unwrap_or_else(|| panic!("{words}")));
    let resumed = machine.paste(here, &resume);
    assert_eq!(resumed.status.code(), Some(1), "{resume}: {resumed:?}");

    let output = assay(here, &["gen", "ints", "--limit", "3", "--out", "my cases"]);
    let words = text(&output.stderr);
    let made = words.split("made by: ").nth(1).expect("a command").trim_end();
    let again = machine.paste(here, &format!("{made} --out other"));
    assert_eq!(again.status.code(), Some(0), "{made}: {again:?}");
    let index = |folder: &str| {
        std::fs::read_to_string(here.join(folder).join("index.jsonl")).expect("an index")
    };
    assert_eq!(index("my cases"), index("other"));
}
