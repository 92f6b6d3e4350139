//! Every command on inputs that blow up whoever walks over them as trees: it ends by itself, says why
//! where it gave up, and needs no more than a gibibyte.
//!
//! `ASSAY_BOUNDS=large` takes the sizes of an attacker and prints a table; it is for a release build
//! (`benches/experiments/bounds`).
#![allow(clippy::print_stdout, reason = "the table is what the large sizes are for")]

mod adversary;

use adversary::{Input, Scale, inputs};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The time that a command is given where it takes a limit.
const LIMIT: &str = "1s";

/// A command that has not ended by now does not end: far more than the limit, for busy machines.
const ENDS: Duration = Duration::from_secs(60);

/// Inputs that are tried at the same time: the commands mostly wait.
const WORKERS: usize = 3;

/// The memory that a command may need, in KiB.
const MEMORY: u64 = 1 << 20;

/// Answers at once: `unsat` if it is called `wrong` or is of version 2 and no model is asked for,
/// otherwise `unknown`.
const TOOL: &str = r#"#!/bin/sh
case "$0" in *-2.sh) version=2.0;; *) version=1.0;; esac
case "$*" in *--version*) echo "tool $version"; exit;; esac
case "$0" in *wrong.sh | *-2.sh) answer=unsat;; *) answer=unknown;; esac
exec sed -un -e '/:produce-models true/h' \
    -e "/(check-sat/{x;/./{x;s/.*/unknown/p;b};x;s/.*/$answer/p;b}" \
    -e 's/.*(echo "\([^"]*\)").*/\1/p'
"#;

fn description(name: &str) -> String {
    let sources = match name {
        HISTORY => [1, 2]
            .map(|version| {
                format!(
                    "[[source]]\ndebian = \"none\"\ncommand = \"{name}-{version}.sh\"\n\
                     versions = [\"{version}.0\"]\n"
                )
            })
            .concat(),
        _ => format!("[[source]]\npath = \"{name}.sh\"\n"),
    };
    format!(
        r#"
name = "{name}"
title = "{name}"
kind = "smt-solver"
{sources}
[run]
features = [
    "scopes", "quantifiers", "uninterpreted-sorts", "uninterpreted-functions", "recursive-functions",
    "ints", "reals", "nonlinear", "bit-vectors", "arrays", "datatypes", "strings", "regex",
    "patterns", "lambdas", "division-by-zero", "nested-datatypes", "single-arguments",
]
"#
    )
}

/// The solvers: `trigger` and `explain` work with z3 only, `bisect` with one of several versions.
const SOLVERS: [&str; 3] = ["z3", "wrong", HISTORY];

/// A solver of two versions.
const HISTORY: &str = "history";

/// An analyzer that misses every error.
const ANALYZER: &str = "name = \"analyzer\"\ntitle = \"Analyzer\"\nkind = \"analyzer\"\n\
    [[source]]\npath = \"analyzer.sh\"\n[run]\ninput = \"file\"\nargs = [\"{file}\"]\n\
    claims = [\"sound\"]\n[run.analyzer]\nself-test = false\nerror = \"abort();\"\nalarm = [\"alarm\"]\nclear = [\"clear\"]\n";

/// What is run on each input, in this order; `IN` is the file, `SEEDS` the folder with it, `FINDING` the
/// folder of the first finding of the campaign, if it has one.
const COMMANDS: &[&str] = &[
    "check IN",
    "check --pretty IN",
    "check --dialect z3-old --stats IN",
    "check --model no.model --timeout 1s IN",
    "trigger --timeout LIMIT --target z3 --targets . IN",
    "explain --timeout LIMIT --target z3 --targets . IN",
    "reduce IN --cmd ./grep.sh --budget LIMIT --jobs 1 --out reduced.smt2",
    "gen approx --seeds SEEDS --limit 2 --out approx",
    "gen equal --seeds SEEDS --limit 2 --out equal",
    "gen confine --seeds SEEDS --limit 2 --out confine",
    "gen fusion --seeds SEEDS --limit 2 --out fusion",
    "gen opmut --seeds SEEDS --limit 2 --out opmut",
    "gen typemut --seeds SEEDS --limit 2 --out typemut",
    "gen recombine --seeds SEEDS --limit 2 --out recombine",
    "gen rewrites --category seeds --seeds SEEDS --limit 2 --out rewrites",
    "gen programs --seeds SEEDS --limit 2 --solver z3 --targets . --executions 0 --out programs",
    "run approx --seeds SEEDS --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . --out run",
    "run equal --seeds SEEDS --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . --out run-equal",
    "run confine --seeds SEEDS --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . --out run-confine",
    "run fusion --seeds SEEDS --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . --out run-fusion",
    "run opmut --seeds SEEDS --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . --out run-opmut",
    "run typemut --seeds SEEDS --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . --out run-typemut",
    "run recombine --seeds SEEDS --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . --out run-recombine",
    "run programs --seeds SEEDS --limit 2 --timeout LIMIT --jobs 1 --solver z3 --executions 0 \
     --target analyzer --targets . --out run-programs",
    "run files --seeds seeds --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . --out run-files",
    "run proofs --seeds seeds --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . --out run-proofs",
    "run rewrites --category seeds --seeds SEEDS --limit 2 --timeout LIMIT --jobs 1 --target wrong --targets . \
     --out run-rewrites",
    "hunt --seeds SEEDS --limit 2 --no-reduce --timeout LIMIT --jobs 1 --target wrong --targets . --out hunt",
    "check --proof shared.proof IN",
    "check --proof deep.proof IN",
    "clusters run",
    "report run --html page.html",
    "report run --format json",
    "replay IN --timeout LIMIT --target wrong --targets .",
    "bisect IN --timeout LIMIT --target history --targets .",
    "replay FINDING --timeout LIMIT --targets .",
    "bisect FINDING --timeout LIMIT --target history --targets .",
    "report --issue FINDING --targets .",
];

/// What became of a command.
struct Ran {
    status: Option<ExitStatus>,
    seconds: f64,
    /// The seconds of processor time that it took itself, without the tools that it ran.
    own: f64,
    /// The most memory it had, in KiB.
    memory: u64,
}

/// A proof as z3 prints it that uses each step twice, and one that nests them; the first step is wrong.
fn proofs() -> (String, String) {
    let step = |of: &str| format!("(mp {of} (rewrite (= true true)) true)");
    let mut shared = String::from("unsat\n((proof\n(let ((@x0 (asserted true)))");
    for at in 1..60 {
        let last = format!("@x{}", at - 1);
        shared += &format!("\n(let ((@x{at} (unit-resolution {last} {last} true)))");
    }
    shared += "\n(mp @x59 (rewrite (= true false)) false)";
    shared += &")".repeat(60);
    shared += "))\n";
    let deep = (0..5_000).fold("(asserted true)".to_owned(), |inner, _| step(&inner));
    (shared, format!("unsat\n((proof\n(mp {deep} (rewrite (= true false)) false)))\n"))
}

fn place(folder: &Path) {
    fs::write(folder.join("no.model"), "sat\n()\n").expect("a file");
    let (shared, deep) = proofs();
    fs::write(folder.join("shared.proof"), shared).expect("a file");
    fs::write(folder.join("deep.proof"), deep).expect("a file");
    fs::write(folder.join("grep.sh"), "#!/bin/sh\ngrep -c assert \"$1\" >/dev/null\n")
        .expect("a file");
    for name in SOLVERS {
        fs::write(folder.join(format!("{name}.toml")), description(name)).expect("a file");
    }
    for script in ["z3.sh", "wrong.sh", "history-1.sh", "history-2.sh"] {
        fs::write(folder.join(script), TOOL).expect("a file");
    }
    fs::write(folder.join("analyzer.toml"), ANALYZER).expect("a file");
    fs::write(folder.join("analyzer.sh"), "#!/bin/sh\necho clear 1.0\n").expect("a file");
    for script in ["grep.sh", "z3.sh", "wrong.sh", "history-1.sh", "history-2.sh", "analyzer.sh"] {
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.join(script), mode).expect("it is ours");
    }
}

fn start(folder: &Path, line: &str) -> Child {
    let said = |name: &str| File::create(folder.join(name)).expect("a file");
    let path = std::env::var("PATH").expect("there is a search path");
    Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.display()))
        .stdin(Stdio::null())
        .stdout(said("stdout"))
        .stderr(said("stderr"))
        .spawn()
        .expect("assay runs")
}

/// The peak of a process's memory in KiB; 0 where it is gone.
fn peak(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// The processor time of a process in seconds; 0 where it is gone.
fn processor(child: &Child) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // Fields 14 and 15, of which the first two precede the parenthesis.
    let ticks: u32 = fields.skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
    f64::from(ticks) / 100.0
}

/// The most processor time that a command with a limit may take itself: twice the limit for each
/// of its cases, and what an unoptimized build takes to begin and to read and write its files.
fn allowed(line: &str) -> Option<f64> {
    let cases = if line.contains("--limit 2") { 2.0 } else { 1.0 };
    let limited = line.contains(LIMIT) && !line.starts_with("gen");
    limited.then_some(2.0 * cases + 4.0)
}

fn run(folder: &Path, line: &str) -> Ran {
    let begin = Instant::now();
    let mut child = start(folder, line);
    let (mut memory, mut own) = (0, 0.0_f64);
    loop {
        memory = memory.max(peak(&child));
        own = own.max(processor(&child));
        let status = child.try_wait().expect("it is our child");
        let over = begin.elapsed() > ENDS || memory > MEMORY;
        if status.is_some() || over {
            if over {
                // It may have ended meanwhile.
                let _ = child.kill();
                let _ = child.wait();
            }
            return Ran { status, seconds: begin.elapsed().as_secs_f64(), own, memory };
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Why a run is not as it should be.
fn complaint(folder: &Path, line: &str, ran: &Ran) -> Option<String> {
    let Some(status) = ran.status else {
        return Some(format!("killed after {:.1} s with {} KiB", ran.seconds, ran.memory));
    };
    if let Some(most) = allowed(line).filter(|most| ran.own > *most) {
        return Some(format!("took {:.1} s itself instead of at most {most}", ran.own));
    }
    let words = fs::read(folder.join("stderr")).expect("it was written");
    let words = String::from_utf8_lossy(&words).into_owned();
    // A command that is not understood would pass every other test.
    let misused = words.contains("--help");
    match status.code() {
        Some(0 | 1) => None,
        Some(2) if !words.trim().is_empty() && !words.contains("panicked") && !misused => None,
        code => Some(format!("exit {code:?}: {words}")),
    }
}

/// All commands on one input, in a folder of its own.
fn try_all(input: &Input) -> Vec<(String, Ran, Option<String>)> {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().into();
    place(&path);
    fs::create_dir(path.join("seeds")).expect("a folder");
    fs::write(path.join("seeds/in.smt2"), &input.text).expect("a file");
    let mut told = Vec::new();
    for line in COMMANDS {
        let Some(line) = filled(&path, line) else { continue };
        let ran = run(&path, &line);
        let complaint = complaint(&path, &line, &ran);
        told.push((line, ran, complaint));
    }
    told
}

/// The command line for one row of the table, or `None` if the row needs a finding and the run has
/// not produced any.
fn filled(folder: &Path, line: &str) -> Option<String> {
    let line = line.replace("LIMIT", LIMIT).replace("SEEDS", "seeds --largest-seed 100000000");
    if line.contains("FINDING") {
        let findings = fs::read_dir(folder.join("run/findings")).ok()?;
        let mut names: Vec<_> = findings.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        return Some(
            line.replace("FINDING", &format!("run/findings/{}", names.first()?.to_str()?)),
        );
    }
    Some(line.replace("IN", "seeds/in.smt2"))
}

#[test]
fn every_command_terminates_on_every_input() {
    let large = std::env::var_os("ASSAY_BOUNDS").is_some_and(|size| size == "large");
    let inputs = inputs(if large { Scale::LARGE } else { Scale::SMALL });
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(input) = inputs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for (line, ran, complaint) in try_all(input) {
                        if large {
                            let Ran { seconds, own, memory, .. } = ran;
                            let mib = memory >> 10;
                            println!(
                                "{:20} {seconds:6.1} s {own:6.1} s {mib:5} MiB  {line}",
                                input.name
                            );
                        }
                        let name = &input.name;
                        let told = complaint.map(|words| format!("{name}: assay {line}: {words}"));
                        complaints.lock().expect("no thread panicked").extend(told);
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("no thread panicked");
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn every_command_of_the_table_works_on_a_plain_file() {
    let text = "(set-info :status sat)\n(set-logic ALL)\n(declare-const a Int)(declare-fun p (Int) Bool)\n\
        (assert (> a 3))(assert (forall ((x Int)) (! (p x) :pattern ((p x)))))\n(check-sat)\n";
    let plain = Input { name: "plain".into(), text: text.into() };
    let told = try_all(&plain);
    assert_eq!(told.len(), COMMANDS.len(), "there is a finding");
    for (line, ran, complaint) in told {
        let code = ran.status.and_then(|status| status.code());
        assert!(matches!(code, Some(0 | 1)), "assay {line}: {code:?} {complaint:?}");
    }
}
