//! Programs end to end: made, run, analyzed by real tools, judged.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

fn assay(args: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(args).current_dir(folder).output().expect("assay runs")
}

/// Whether a tool cannot be brought here, which must not be where targets are required.
fn is_missing(said: &Output) -> bool {
    let words = String::from_utf8_lossy(&said.stderr);
    let missing = said.status.code() == Some(2)
        && (words.contains("apt-get")
            || words.contains("cannot fetch")
            || words.contains("no command"));
    assert!(!(missing && std::env::var_os("ASSAY_REQUIRE_TARGETS").is_some()), "{words}");
    if missing {
        eprintln!("skipped: {words}");
    }
    missing
}

/// The programs of figures 3 and 4 of the paper on constraint-based oracles, written anew, and
/// whether each can reach its error.
const FIGURES: [(&str, bool, &str); 9] = [
    (
        "3a",
        true,
        "unsigned int x = __VERIFIER_nondet_uint();
         if (x < 10U || x > 21U) { return 0; }
         if (20U / x >= 2U) { return 0; }
         if (x < 21U) { return 0; }
         reach_error();",
    ),
    ("3b", false, "if (-((unsigned int)-1) < 0U) { reach_error(); }"),
    ("3c", true, "if (quotient(1UL, (unsigned short)~0) == 0UL) { reach_error(); }"),
    (
        "4a",
        true,
        "int x = __VERIFIER_nondet_int(); int y = __VERIFIER_nondet_int();
         if (x == ~y) { reach_error(); }",
    ),
    (
        "4b",
        true,
        "unsigned int n = __VERIFIER_nondet_uint();
         if (n != 0U && 0U % n <= 100U) { reach_error(); }",
    ),
    (
        "4c",
        true,
        "unsigned int n = __VERIFIER_nondet_uint();
         if (!(0 <= (int)n)) { if (846U <= n) { reach_error(); } }",
    ),
    (
        "4d",
        true,
        "_Bool b = __VERIFIER_nondet_bool(); _Bool c = __VERIFIER_nondet_bool();
         long l = __VERIFIER_nondet_long(); long m = __VERIFIER_nondet_long();
         if (c) { if (!((b || m == 0L) && !c)) { if (!((c || l == 0L) && !b)) { reach_error(); } } }",
    ),
    ("4e", true, "short r = __VERIFIER_nondet_short(); if (-1 % 8 <= r) { reach_error(); }"),
    (
        "4f",
        true,
        "unsigned char u = __VERIFIER_nondet_uchar();
         if ((((unsigned int)u + 4294967295U * 1U) >> 2U) < 8U) { reach_error(); }",
    ),
];

fn written(folder: &Path, name: &str, reachable: bool, body: &str) -> String {
    let text = format!(
        "extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern long __VERIFIER_nondet_long(void);
extern void abort(void);
void reach_error(void) {{ abort(); }}
static unsigned long quotient(unsigned long a, unsigned long b) {{ return a / b; }}
int main(void) {{ (void)quotient; {body} return 0; }}
"
    );
    let file = format!("figure-{name}.c");
    std::fs::write(folder.join(&file), text).expect("a file");
    let task = assay_program::svcomp::task("program.c", reachable);
    std::fs::write(folder.join(format!("figure-{name}.yml")), task).expect("a file");
    file
}

/// The targets that the figures go to. gcc is the system's, so what it says of them depends on where
/// the test runs; what is expected was measured with this version.
const TARGETS: [&str; 6] = [
    "cbmc",
    "goto-analyzer:intervals",
    "goto-analyzer:vsd",
    "eva",
    "clang-analyzer",
    "gcc-analyzer",
];
const GCC: &str = "12.";

/// What each target says of a figure and, after a blank, the finding that this is.
fn expected(figure: &str) -> [&'static str; 6] {
    match figure {
        "3b" => {
            ["unreachable", "alarm false-alarm", "unreachable", "unreachable", "silent", "silent"]
        }
        "4c" => [
            "reachable",
            "unreachable missed-error",
            "alarm",
            "alarm",
            "silent overlooked-error",
            "alarm",
        ],
        _ => ["reachable", "alarm", "alarm", "alarm", "alarm", "alarm"],
    }
}

#[test]
fn the_figures_of_the_paper_are_judged_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let gcc = Command::new("gcc").arg("-dumpfullversion").output().expect("there is gcc");
    let measured = String::from_utf8_lossy(&gcc.stdout).starts_with(GCC);
    let targets = if measured { &TARGETS[..] } else { &TARGETS[..5] };
    if !measured {
        eprintln!("skipped: gcc-analyzer: what is expected was measured with gcc {GCC}");
    }
    for (name, reachable, body) in FIGURES {
        let file = written(folder.path(), name, reachable, body);
        let mut args = vec!["replay", file.as_str(), "--json", "--timeout", "60s"];
        targets.iter().for_each(|target| args.extend(["--target", target]));
        let said = assay(&args, folder.path());
        if is_missing(&said) {
            return;
        }
        let lines = String::from_utf8_lossy(&said.stdout);
        let seen: Vec<String> = lines
            .lines()
            .map(|line| {
                let record: Value = serde_json::from_str(line).expect("JSON");
                let detail = record["detail"].as_str().expect("a text");
                let finding = detail.split(" (declared)").next().unwrap_or_default();
                let answer = record["answer"].as_str().expect("a text");
                format!("{answer} {finding}").trim_end().to_owned()
            })
            .collect();
        let words = String::from_utf8_lossy(&said.stderr);
        assert_eq!(seen, expected(name)[..targets.len()], "{name}: {words}");
    }
}

const SEED: &str = "(set-logic QF_ABV)
(declare-const a (Array (_ BitVec 8) (_ BitVec 16)))
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 16))
(assert (bvult x #x09))
(assert (= (select a x) (bvadd y #x0003)))
(assert (bvslt y #x0000))
(assert (not (= (bvurem y #x0007) #x0000)))
(check-sat)
";

#[test]
fn programs_are_made_run_and_analyzed() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("seeds")).expect("a folder");
    std::fs::write(folder.path().join("seeds/one.smt2"), SEED).expect("a file");
    std::fs::write(folder.path().join("seeds/two.smt2"), SEED.replace("bvslt y", "bvult y"))
        .expect("a file");
    let made = ["gen", "programs", "--seeds", "seeds", "--limit", "22", "--out", "made"];
    let said = assay(&made, folder.path());
    if is_missing(&said) {
        return;
    }
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let index = std::fs::read_to_string(folder.path().join("made/index.jsonl")).expect("an index");
    let records: Vec<Value> =
        index.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let count = |verdict: &str| records.iter().filter(|r| r["expected"] == verdict).count();
    assert!(count("reachable") > 3 && count("unreachable") > 1, "{index}");
    for record in &records {
        let file = folder.path().join("made").join(record["file"].as_str().expect("a name"));
        assert!(file.with_extension("yml").exists());
        // What is reachable has the model of the formula that it was made of.
        assert_eq!(record["model"].is_string(), record["expected"] == "reachable", "{record}");
        assert!(record.get("core").is_some(), "{record}");
        let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
        let said = Command::new("gcc").args(flags).arg(&file).output().expect("there is gcc");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    let run = [
        "run",
        "programs",
        "--seeds",
        "seeds",
        "--limit",
        "12",
        "--target",
        "cbmc",
        "--target",
        "gcc-analyzer",
        "--timeout",
        "20s",
        "--out",
        "ran",
        "--json",
    ];
    let said = assay(&run, folder.path());
    let lines = String::from_utf8_lossy(&said.stdout);
    let judged: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |target: &str| {
        let wanted = |r: &&Value| r["target"].as_str().is_some_and(|name| name.starts_with(target));
        judged.iter().filter(wanted).collect::<Vec<_>>()
    };
    assert_eq!((of("cbmc").len(), of("gcc").len()), (12, 12), "{lines}");
    assert!(of("cbmc").iter().all(|record| record["judgement"] == "correct"), "{lines}");
}

/// Formulas about sums in all rounding modes that C can set.
const ROUNDED: [(&str, &str); 2] = [
    (
        "sat",
        "(assert (not (= (fp.add RTP x y) (fp.add RTN x y))))
         (assert (= (fp.mul RTZ x y) (fp.mul RNE x y)))",
    ),
    (
        "unsat",
        "(assert (fp.lt (fp.add RTP x y) (fp.add RTZ x y)))
         (assert (fp.lt (fp.add RTZ x y) ((_ to_fp 8 24) RNE 0.0)))
         (assert (fp.lt ((_ to_fp 8 24) RNE 0.0) x y))",
    ),
];

#[test]
fn programs_set_the_rounding_mode_for_tools_that_follow_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = folder.path().join("seeds");
    std::fs::create_dir(&seeds).expect("a folder");
    for (status, assertions) in ROUNDED {
        let text = format!(
            "(set-logic QF_FP)(set-info :status {status})(declare-const x Float32)
             (declare-const y Float32){assertions}(check-sat)"
        );
        std::fs::write(seeds.join(format!("{status}.smt2")), text).expect("a file");
    }
    let line = "run programs --seeds seeds --limit 12 --assertions 3 --target cbmc --target gcc-analyzer \
                --timeout 60s --jobs 1 --json --out out";
    let said = assay(&line.split_whitespace().collect::<Vec<_>>(), folder.path());
    if is_missing(&said) {
        return;
    }
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    let records: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let count = |target: &str, field: &str, words: &[&str]| {
        let of = |record: &&Value| record["target"].as_str().is_some_and(|t| t.starts_with(target));
        let says = |record: &&Value| {
            record[field].as_str().is_some_and(|said| words.iter().any(|word| said.contains(word)))
        };
        records.iter().filter(of).filter(says).count()
    };
    assert!(count("cbmc", "answer", &["reachable"]) >= 4, "{out}{err}");
    assert!(!out.contains("\"severity\":\"soundness\""), "{out}");
    // gcc's analyzer is not given what it does not follow.
    assert!(count("gcc-analyzer", "reason", &["fesetround"]) >= 4, "{out}{err}");
}

#[test]
fn bad_flags_are_refused_with_a_hint() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("any.c"), "int main(void) { return 0; }\n").expect("a file");
    for (args, hint) in [
        (vec!["gen", "programs", "--maze", "0x3"], "WIDTHxHEIGHT"),
        (vec!["gen", "programs", "--shape", "spiral"], "maze, straight"),
        (vec!["gen", "programs", "--algorithm", "eller"], "backtracking"),
        (vec!["gen", "programs", "--seeds", "nowhere"], "nowhere"),
        (vec!["run", "programs", "--target", "z3"], "name an analyzer, for example --target cbmc"),
        (vec!["run", "bitvectors", "--target", "cbmc"], "name a solver, for example --target z3"),
        (vec!["replay", "any.c", "--target", "z3"], "name an analyzer"),
    ] {
        let said = assay(&args, folder.path());
        let words = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.code() == Some(2) && words.contains(hint), "{args:?}: {words}");
    }
}

#[test]
fn a_program_that_does_not_compile_is_bad_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "int main(void) {\n  int x = 1\n  return x;\n}\n";
    std::fs::write(folder.path().join("broken.c"), text).expect("a file");
    let said = assay(&["replay", "broken.c", "--target", "gcc-analyzer"], folder.path());
    if is_missing(&said) {
        return;
    }
    let words = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(2), "{words}");
    assert!(words.starts_with("error: broken.c:3:3: error: expected "), "{words}");
}

/// An equation that no byte solves, which takes more than ranges to see.
const SQUARE: &str = "(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvmul x x) #x35))
(assert (bvult y #x10))
(set-info :status unsat)
(check-sat)
";

/// What a false alarm in a folder `ran` is told of: a program, and not the formula it was made of.
fn reports_tell_of_programs(folder: &Path, finding: &Path) {
    let report = |args: &[&str]| {
        let said = assay(&[&["report"], args].concat(), folder);
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8_lossy(&said.stdout).into_owned()
    };
    let truth = "Expected: unreachable (";
    let readme = std::fs::read_to_string(finding.join("README.txt")).expect("there are words");
    assert!(readme.contains(truth) && !readme.contains("unsat"), "{readme}");
    let issue = report(&["--issue", finding.to_str().expect("it is text")]);
    assert!(issue.contains("## Expected\n\n`unreachable`"), "{issue}");
    assert!(issue.contains("Declared by the seed's own status."), "{issue}");
    let title = issue.lines().next().expect("it has a title");
    assert!(title.ends_with(" warns of an unreachable error"), "{title}");
    let log: Value = serde_json::from_str(&report(&["ran", "--format", "sarif"])).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().expect("a place");
    let program = std::fs::read_to_string(folder.join("ran").join(uri)).expect("it is there");
    assert!(uri.ends_with("program.c"), "{uri}");
    let line = place["region"]["startLine"].as_u64().expect("a line");
    let line = usize::try_from(line).expect("it is small") - 1;
    let line = program.lines().nth(line).expect("the line is in the file");
    assert!(line.contains("reach_error();"), "{line}");
    let head: String = program.lines().take(20).map(|line| format!("{line}\n")).collect();
    assert!(result["message"]["text"].as_str().expect("words").contains(&head), "{result}");
    let junit = report(&["ran", "--format", "junit"]);
    assert!(junit.contains("expected unreachable: "), "{junit}");
    assert!(junit.contains("reach_error();") && !junit.contains("(assert "), "{junit}");
    let markdown = report(&["ran"]);
    assert!(markdown.contains("Expected: unreachable ("), "{markdown}");
    assert!(markdown.contains("2000 runs of the program did not reach its error."), "{markdown}");
}

#[test]
fn a_false_alarm_is_reduced_to_a_few_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("seeds")).expect("a folder");
    std::fs::write(folder.path().join("seeds/square.smt2"), SQUARE).expect("a file");
    let run = "run programs --seeds seeds --mutants 1 --category seed --shape maze --maze 3x3 \
               --target gcc-analyzer --out ran";
    let said = assay(&run.split_whitespace().collect::<Vec<_>>(), folder.path());
    if is_missing(&said) {
        return;
    }
    let table = String::from_utf8_lossy(&said.stdout);
    assert!(table.contains("A reports the error"), "{table}");
    let findings = std::fs::read_dir(folder.path().join("ran/findings")).expect("a finding");
    let finding = findings.map(|entry| entry.expect("a folder").path()).next().expect("a finding");
    let place = finding.to_str().expect("it is text");
    reports_tell_of_programs(folder.path(), &finding);
    let said = assay(&["reduce", place, "--json"], folder.path());
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let record: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!(record["kind"], "false-alarm", "{record}");
    let truth = record["truth"].as_str().expect("words");
    assert!(truth.ends_with("declared by a run on every input"), "{record}");
    let lines = |name: &str| record[name]["lines"].as_u64().expect("a number");
    assert!(lines("after") <= 15 && lines("before") > 30, "{record}");
    let reduced = finding.join("reduced.c");
    let flags = ["-std=c11", "-Wall", "-Wextra", "-fsyntax-only"];
    let said = Command::new("gcc").args(flags).arg(&reduced).output().expect("there is gcc");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    // The same as a file that nobody made from a formula, with its task.
    std::fs::copy(finding.join("program.c"), folder.path().join("alarm.c")).expect("a copy");
    let task = assay_program::svcomp::task("alarm.c", false);
    std::fs::write(folder.path().join("alarm.yml"), task).expect("a file");
    let said = assay(&["reduce", "alarm.c", "--target", "gcc-analyzer", "--json"], folder.path());
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let record: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!(record["kind"], "false-alarm", "{record}");
    let lines = |name: &str| record[name]["lines"].as_u64().expect("a number");
    assert!(lines("after") < lines("before"), "{record}");
}

/// Seeds of whose models a solver has many to choose from.
const MANY_MODELS: [&str; 3] = [
    "(declare-const x Int)(declare-const y Int)(assert (>= x 0 x (* x y)))(assert (< y (* 3 x)))",
    "(declare-const x Int)(declare-const y Int)(assert (> (- 1) x))(assert (>= y x))(assert (< 0 y))",
    "(declare-const b (_ BitVec 4))(declare-const c (_ BitVec 4))
     (declare-const a (Array (_ BitVec 4) (_ BitVec 4)))(assert (distinct (select a b) (select a c)))
     (assert (bvult b c))(assert (= (bvadd b c) #x7))",
];

/// The programs of a folder, by their names.
fn programs_in(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder).expect("a folder");
    let paths = files.map(|file| file.expect("an entry").path());
    let programs = paths.filter(|path| path.extension().is_some_and(|extension| extension == "c"));
    let read = |path: &Path| std::fs::read_to_string(path).expect("a program");
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    programs.map(|path| (name(&path), read(&path))).collect()
}

#[test]
fn shards_generate_the_same_programs_as_a_whole_run() {
    const CASES: usize = 12;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("seeds")).expect("a folder");
    for (number, text) in MANY_MODELS.iter().enumerate() {
        let path = folder.path().join(format!("seeds/{number}.smt2"));
        std::fs::write(path, format!("{text}(check-sat)\n")).expect("a file");
    }
    let make = |more: &[&str]| {
        let line = ["gen", "programs", "--seeds", "seeds", "--mutants", "3", "--executions", "0"];
        assay(&[&line, more].concat(), folder.path())
    };
    let said = make(&["--out", "whole"]);
    if is_missing(&said) {
        return;
    }
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    // One by one, each in a process of its own, the last one first.
    for number in (1..=CASES).rev() {
        let said = make(&["--out", "single", "--shard", &format!("{number}/{CASES}")]);
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    let whole = programs_in(&folder.path().join("whole"));
    assert!(whole.len() >= CASES / 2, "only {} programs", whole.len());
    assert_eq!(whole, programs_in(&folder.path().join("single")));
}
