//! Abstract domains as a user tests them: built in, as plug-ins that misbehave, in other languages,
//! and those of APRON and PPL.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod common;

use common::{assay, have, text, wait};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const ASSAY: &str = env!("CARGO_BIN_EXE_assay");

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

fn said(output: &Output) -> String {
    text(&output.stdout)
}

/// What a run on one target prints as JSON.
struct Searched {
    /// One record for each law, and for each way to die.
    rows: Vec<Value>,
    /// How much was tried.
    tally: Value,
}

impl Searched {
    fn findings(&self) -> Vec<&Value> {
        self.rows.iter().filter(|row| row["judgement"] == "finding").collect()
    }

    /// The finding of this kind, and its reduced program.
    fn finding(&self, kind: &str) -> (&Value, String) {
        let found = self.findings().into_iter().find(|row| row["finding"]["kind"] == kind);
        let found = found.unwrap_or_else(|| panic!("no {kind}: {:?} {}", self.rows, self.tally));
        (found, program(&found["finding"]["folder"]))
    }

    fn checks(&self) -> u64 {
        self.tally["checks"].as_u64().expect("checks are counted")
    }
}

fn program(folder: &Value) -> String {
    program_of(folder.as_str().expect("it has a folder"))
}

fn program_of(folder: &str) -> String {
    let path = Path::new(folder).join("trace.txt");
    std::fs::read_to_string(path).expect("it has a program")
}

/// Runs the suite; where the findings' folders are must not depend on where we are.
fn search(folder: &Path, target: &str, more: &[&str]) -> Searched {
    let out = folder.join("out");
    let out = out.to_str().expect("it is text");
    let fixed = ["run", "domains", "--json", "--out", out, "--target", target];
    let output = assay(folder, &[&fixed[..], more].concat());
    let errors = text(&output.stderr);
    let said = said(&output);
    let mut records: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let last = records.pop().unwrap_or_else(|| panic!("{target} says nothing: {errors}"));
    assert!(last["summary"].is_object(), "{last}");
    let tally = records.pop().expect("what was tried is told")["searched"].clone();
    let searched = Searched { rows: records, tally };
    let found = !searched.findings().is_empty();
    assert_eq!(output.status.code(), Some(i32::from(found)), "{errors}");
    searched
}

/// Writes a program that can be started; gives its path.
fn script(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("there is room for a file");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("it is ours");
    path.display().to_string()
}

/// How many lines a program has beside the one that names its kind.
fn lines(program: &str) -> usize {
    program.lines().count() - 1
}

#[test]
fn a_domain_without_bugs_is_clean() {
    let folder = folder();
    let searched = search(folder.path(), "builtin/interval-int", &["--budget", "2s"]);
    assert!(searched.findings().is_empty(), "{:?}", searched.findings());
    assert!(searched.checks() > 1_000, "{}", searched.tally);
    let corpus = folder.path().join("out/corpus/000000-builtin-interval-int");
    assert!(corpus.join("000000").is_file(), "what showed something new is kept");
    // A law that holds took no time by itself.
    assert!(searched.rows.iter().all(|row| row["seconds"] == 0.0), "{:?}", searched.rows);
    let skipped = searched.rows.iter().filter(|row| row["judgement"] == "skipped").count();
    assert!(skipped < 10, "most laws apply to intervals");
}

#[test]
fn a_seeded_bug_is_found_reduced_written_replayed_and_reported() {
    let folder = folder();
    let target = "builtin/octagon:octagon-join-minimum";
    let more = ["--budget", "15s", "--law", "8", "--law", "9", "--variables", "2"];
    let searched = search(folder.path(), target, &more);
    let (found, program) = searched.finding("unsound");
    assert_eq!(found["finding"]["stability"], "confirmed");
    assert!(lines(&program) <= 3, "{program}");
    let place = found["finding"]["folder"].as_str().expect("it has a folder");
    // The folder alone says what to run it on.
    let again = assay(folder.path(), &["replay", place]);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    let clean = assay(folder.path(), &["replay", place, "--target", "builtin/octagon"]);
    assert_eq!(clean.status.code(), Some(0), "{clean:?}");
    assert!(said(&clean).contains(": holds ("));
    // So do the bytes that it was made from; a plain program has none.
    let bytes = assay(folder.path(), &["replay", place, "--bytes"]);
    assert_eq!(bytes.status.code(), Some(1), "{bytes:?}");
    let plain = format!("{place}/trace.txt");
    let none = assay(folder.path(), &["replay", &plain, "--target", target, "--bytes"]);
    assert_eq!(none.status.code(), Some(2), "{none:?}");
    assert!(String::from_utf8_lossy(&none.stderr).contains("no bytes are kept"), "{none:?}");
    // What was found first reduces to something as small again.
    let original = Path::new(place).parent().expect("it is within the finding's folder");
    let original = original.to_str().expect("it is text");
    let reduced = assay(folder.path(), &["reduce", original, "--json"]);
    assert_eq!(reduced.status.code(), Some(0), "{reduced:?}");
    let record: Value = serde_json::from_str(&said(&reduced)).expect("it is JSON");
    assert!(record["after"]["lines"].as_u64() <= Some(4), "{record}");
    reports_tell_of(folder.path(), &program);
}

fn reports_tell_of(folder: &Path, program: &str) {
    let assertion = program.lines().last().expect("it asserts something");
    let markdown = said(&assay(folder, &["report", "out"]));
    assert!(markdown.contains("unsound (certified): `join`"), "{markdown}");
    assert!(markdown.contains(assertion), "{markdown}");
    assert!(markdown.contains("| law | soundness | "), "{markdown}");
    let page = said(&assay(folder, &["report", "out", "--html", "page.html"]));
    assert!(page.is_empty(), "{page}");
    let page = std::fs::read_to_string(folder.join("page.html")).expect("the page is there");
    assert!(page.contains("data:image/svg+xml,"), "two variables make a picture");
    for format in ["json", "junit", "sarif"] {
        let text = said(&assay(folder, &["report", "out", "--format", format]));
        assert!(text.contains("unsound"), "{format}: {text}");
        let law = assertion.split('#').next().unwrap_or(assertion).trim_end();
        assert!(text.contains(law), "{format}: {text}");
    }
}

/// The records of a folder that `gen domains` wrote.
fn generated(folder: &Path, more: &[&str]) -> Vec<Value> {
    let made = assay(folder, &[&["gen", "domains", "--out", "made"][..], more].concat());
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let index = folder.join("made/index.jsonl");
    let index = std::fs::read_to_string(index).expect("there is an index");
    index.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

#[test]
fn generated_traces_name_their_law_and_replay() {
    let folder = folder();
    let flags = ["--limit", "9", "--law", "17", "--rng", "5"];
    let whole = generated(folder.path(), &flags);
    assert_eq!(whole.len(), 9);
    for record in &whole {
        let place = folder.path().join("made").join(record["file"].as_str().expect("a file"));
        let text = std::fs::read_to_string(place).expect("the program is there");
        let law = record["rules"][0].as_str().expect("it asserts a law");
        assert!(text.contains(&format!("assert {law}(")), "{text}");
        assert!(text.starts_with(record["category"].as_str().expect("a kind")), "{text}");
        for key in ["suite", "expected", "model", "core"] {
            assert!(record.get(key).is_some(), "{key}: {record}");
        }
    }
    let named: std::collections::BTreeSet<String> =
        whole.iter().map(|record| record["file"].to_string()).collect();
    assert_eq!(named.len(), 9, "each has a file of its own");
    // The parts of it are it, and a part has the same programs.
    let part = generated(folder.path(), &[&flags[..], &["--shard", "2/3"]].concat());
    assert_eq!(part, [&whole[1], &whole[4], &whole[7]].map(Clone::clone));
    let octagons = [&flags[..], &["--category", "octagons"]].concat();
    let octagons = generated(folder.path(), &octagons);
    assert_eq!(octagons.len(), 9, "the limit is of what is chosen");
    assert_eq!(octagons[1]["origin"]["bytes"], whole[6]["origin"]["bytes"], "the same round");
    let place = format!("made/{}", octagons[8]["file"].as_str().expect("a file"));
    let again = assay(folder.path(), &["replay", &place, "--target", "builtin/octagon"]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
}

/// Compiles a plug-in of the examples; `None` if there is no compiler.
fn plug_in(folder: &Path, source: &str, flags: &[&str]) -> Option<String> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/domain-c");
    compiled(folder, &examples.join(source).with_extension("c"), flags)
}

fn compiled(folder: &Path, source: &Path, flags: &[&str]) -> Option<String> {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugin/include");
    let library = folder.join(source.with_extension("so").file_name().expect("it is a file"));
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg("-I")
        .arg(include)
        .arg(source)
        .args(flags)
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
fn the_examples_in_c_obey_their_laws() {
    for source in ["sign", "learnt"] {
        let folder = folder();
        let Some(target) = plug_in(folder.path(), source, &[]) else { return };
        let searched = search(folder.path(), &target, &["--budget", "2s"]);
        assert!(searched.findings().is_empty(), "{:?}", searched.findings());
        assert!(searched.checks() > 1_000, "{}", searched.tally);
    }
}

#[test]
fn a_learnt_join_that_trusts_its_hint_loses_points() {
    let folder = folder();
    let Some(target) = plug_in(folder.path(), "learnt", &["-DMODE=1"]) else { return };
    let searched = search(folder.path(), &target, &["--budget", "2s"]);
    let (_, program) = searched.finding("unsound");
    assert!(program.contains("join"), "{program}");
    assert!(lines(&program) <= 3, "{program}");
}

#[test]
fn the_example_in_python_obeys_its_laws() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/domain_lines.py");
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: no python3");
        return;
    }
    let folder = folder();
    let target = format!("command@{}", example.display());
    let searched = search(folder.path(), &target, &["--budget", "3s"]);
    assert!(searched.findings().is_empty(), "{:?}", searched.findings());
    assert!(searched.checks() > 100, "{}", searched.tally);
}

#[test]
fn crashes_hangs_and_floods_of_libraries_are_findings() {
    for (mode, kind) in [("-DMODE=1", "crash"), ("-DMODE=2", "timeout"), ("-DMODE=3", "flood")] {
        let folder = folder();
        let Some(target) = plug_in(folder.path(), "misbehaving", &[mode]) else { return };
        let searched = search(folder.path(), &target, &["--budget", "8s", "--timeout", "1s"]);
        let (found, program) = searched.finding(kind);
        assert!(lines(&program) <= 5, "{program}");
        assert_eq!(found["finding"]["stability"], "confirmed", "{found}");
        let library = target.trim_start_matches("plugin@");
        assert!(workers_of(library).is_empty(), "a worker is left behind");
    }
}

#[test]
fn crashes_hangs_and_floods_of_programs_are_findings() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: no python3");
        return;
    }
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/domain_lines.py");
    let example = std::fs::read_to_string(example).expect("the example is there");
    let deeds = [
        ("os.abort()", "crash"),
        ("time.sleep(600)", "timeout"),
        ("[sys.stdout.write('x' * (1 << 20)) for _ in range(1024)]", "flood"),
    ];
    for (deed, kind) in deeds {
        let folder = folder();
        let text = example.replace("import sys\n", "import os, sys, time\n").replace(
            "        elif word == \"drop\":\n",
            &format!(
                "            if args[1] == \"widen\": {deed}\n        elif word == \"drop\":\n"
            ),
        );
        assert!(text.contains(deed) && text.contains("os, sys"), "the example has changed");
        let path = script(folder.path(), "misbehaving.py", &text);
        let target = format!("command@{path}");
        let more = ["--budget", "8s", "--timeout", "1s", "--law", "29"];
        let searched = search(folder.path(), &target, &more);
        let (found, mut program) = searched.finding(kind);
        assert_eq!(found["finding"]["stability"], "confirmed", "{found}");
        // A busy machine may have had no time for it.
        let place = found["finding"]["folder"].as_str().expect("it has a folder");
        let original = place.strip_suffix("/reduced").unwrap_or(place);
        if original == place || lines(&program) > 5 {
            let place = original;
            let again = assay(folder.path(), &["reduce", place, "--timeout", "1s", "--json"]);
            assert!(again.status.success(), "{again:?}");
            program = program_of(&format!("{place}/reduced"));
        }
        assert!(lines(&program) <= 5, "{program}");
        assert!(workers_of(&path).is_empty(), "a program is left behind");
    }
}

#[test]
fn plug_ins_and_flags_exclude_laws() {
    let folder = folder();
    let changes = [list_of("\"8\", \"has-points\""), (SHOW, WITHOUT.to_owned() + ".steps = 300,")];
    let Some(target) = changed_sign(folder.path(), &changes) else { return };
    let more = ["--budget", "1s", "--without", "bottom-is-bottom"];
    let searched = search(folder.path(), &target, &more);
    let judged = |law: &str| {
        let named = |row: &&Value| row["case"].as_str().is_some_and(|case| case.contains(law));
        searched.rows.iter().find(named).map(|row| row["judgement"].clone())
    };
    for law in ["/join-above-left/", "/has-points/", "/bottom-is-bottom/"] {
        assert!(judged(law).is_none_or(|judged| judged == "skipped"), "{law}: {:?}", judged(law));
    }
    assert_eq!(judged("/top-is-top/"), Some("correct".into()));
}

#[test]
fn invalid_plug_in_tables_are_refused() {
    for (changes, hint) in [
        (vec![(".is_top = is_top,", String::new())], "it lacks `is_top`"),
        (vec![list_of("\"shoes\""), (SHOW, WITHOUT.to_owned())], "no law `shoes`"),
        (vec![(".version = ASSAY_DOMAIN_VERSION,", ".version = 1,".to_owned())], "of version 1"),
    ] {
        let folder = folder();
        let Some(target) = changed_sign(folder.path(), &changes) else { return };
        let output =
            assay(folder.path(), &["run", "domains", "--budget", "1s", "--target", &target]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{hint}: {errors}");
        assert!(errors.contains(hint), "{errors}");
    }
}

#[test]
fn a_null_element_is_reported_as_a_crash() {
    let folder = folder();
    let lost =
        format!("static void *lost(void *x, void *y) {{ (void)x, (void)y; return 0; }}\n{HEAD}");
    let changes = [(HEAD, lost), (".meet = meet,", ".meet = lost,".to_owned())];
    let Some(target) = changed_sign(folder.path(), &changes) else { return };
    let program = "intervals, 1 variable\nbox1 <- meet(top, top)\nassert order-reflexive(box1)\n";
    std::fs::write(folder.path().join("meet.txt"), program).expect("there is room for a file");
    let output = assay(folder.path(), &["replay", "meet.txt", "--target", &target]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // The worker ends by its own word, before the null pointer is used.
    assert!(said(&output).contains("crash: exit code 101"), "{output:?}");
}

const HEAD: &str = "const struct assay_domain *assay_domain(void) {";
const SHOW: &str = ".show = show,";
const WITHOUT: &str = ".show = show, .without = without,";

/// A change that puts a list of laws before the table.
fn list_of(laws: &str) -> (&'static str, String) {
    (HEAD, format!("static const char *const without[] = {{{laws}, 0}};\n{HEAD}"))
}

/// The example with something else in place of some of its words.
fn changed_sign(folder: &Path, changes: &[(&str, String)]) -> Option<String> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/domain-c/sign.c");
    let mut text = std::fs::read_to_string(example).expect("the example is there");
    for (what, instead) in changes {
        assert!(text.contains(what), "the example has changed");
        text = text.replace(what, instead);
    }
    let source = folder.join("sign.c");
    std::fs::write(&source, text).expect("there is room for a file");
    compiled(folder, &source, &[])
}

/// A search that takes a minute unless somebody ends it.
fn begun_in(folder: &Path, target: &str) -> Child {
    Command::new(ASSAY)
        .args(["run", "domains", "--budget", "60s", "--timeout", "60s", "--json"])
        .args(["--target", target])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("assay runs")
}

#[test]
fn a_worker_ends_with_its_parent() {
    let folder = folder();
    let Some(target) = plug_in(folder.path(), "misbehaving", &["-DMODE=2"]) else { return };
    let library = target.trim_start_matches("plugin@");
    let mut run = begun_in(folder.path(), &target);
    // The run itself names the library, and so does its worker.
    wait("a worker runs", || workers_of(library).len() > 1);
    run.kill().expect("it can be ended");
    run.wait().expect("it ends");
    wait("no worker is left", || workers_of(library).is_empty());
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
fn bad_input_gets_an_error_with_a_hint() {
    let folder = folder();
    std::fs::write(folder.path().join("bad.txt"), "octagons, 2 variables\noct1 <- oct(x9 >= 0)\n")
        .expect("there is room for a file");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("there is room for a file");
    };
    write("misspelt.txt", "octagon, 2 variables\nassert top-meet(top)\n");
    write("silent.txt", "octagons, 2 variables\noct1 <- oct(x0 >= 0)\n");
    write("empty.txt", "");
    let run = |args: &[&'static str]| [&["run", "domains"], args].concat();
    let replay = |file| vec!["replay", file, "--target", "builtin/octagon"];
    let bad = [
        (run(&[]), "name what to test: --target plugin@/path/to/your/domain.so"),
        (
            run(&["--target", "command@/bin/true"]),
            "the domain's program ended without an answer to `hello`; it must read lines",
        ),
        (
            run(&["--target", "command@/bin/cat"]),
            "expected `domain NAME SHAPE …` in answer to `hello`, got `hello`; shapes are",
        ),
        (
            run(&["--target", "builtin/zonotope", "--law", "bottom-join"]),
            "no law is left for builtin/zonotope: it does not promise",
        ),
        (
            replay("misspelt.txt"),
            "misspelt.txt: line 1: `octagon` is not a kind of domain; known kinds are intervals, octagons",
        ),
        (vec!["replay", "misspelt.txt"], "line 1: `octagon` is not a kind of domain"),
        (
            vec!["reduce", "misspelt.txt", "--target", "builtin/octagon"],
            "line 1: `octagon` is not a kind of domain",
        ),
        (
            replay("silent.txt"),
            "silent.txt: nothing is asserted; after line 2 add one such as `assert ",
        ),
        (
            vec!["reduce", "silent.txt", "--target", "builtin/octagon"],
            "silent.txt: nothing is asserted",
        ),
        (replay("empty.txt"), "empty.txt: line 1: expected a first line such as `octagons, 8"),
        (
            run(&["--target", "builtin/sphere"]),
            "unknown domain `builtin/sphere`; known domains are",
        ),
        (
            run(&["--target", "z3"]),
            "z3 takes formulas, and this is a trace; name an abstract domain",
        ),
        (run(&["--target", "plugin"]), "`plugin` needs a file: plugin@/path/to/domain.so"),
        (run(&["--target", "plugin@./none.so"]), "cannot be started"),
        (
            run(&["--target", "builtin/octagon:nonsense"]),
            "builtin/octagon has no variant `nonsense`; it has octagon-",
        ),
        // A bug that octagons do not have.
        (
            run(&["--target", "builtin/octagon:interval-overflow"]),
            "builtin/octagon has no variant `interval-overflow`",
        ),
        (run(&["--target", "ppl/octD:int"]), "ppl/octD has no variants, so no `int`"),
        (run(&["--target", "apron/octD:real"]), "apron/octD has no variant `real`; it has int"),
        (run(&["--target", "builtin/octagon", "--limit", "3"]), "unexpected argument '--limit'"),
        (run(&["--target", "builtin/octagon", "--jobs", "7"]), "unexpected argument '--jobs'"),
        (run(&["--target", "builtin/octagon", "--shard", "1/2"]), "unexpected argument '--shard'"),
        (
            run(&["--target", "builtin/octagon", "--boundaries", "far"]),
            "unknown boundaries `far`; expected one of none, int, long",
        ),
        (run(&["--configuration", "C9", "--target", "builtin/octagon"]), "expected one of C1, C2"),
        (
            run(&["--engine", "magic", "--target", "builtin/octagon"]),
            "expected one of systematic, random",
        ),
        (run(&["--law", "47", "--target", "builtin/octagon"]), "there is no law `47`"),
        (run(&["--without", "47", "--target", "builtin/octagon"]), "there is no law `47`"),
        (
            run(&["--law", "17", "--without", "top-meet", "--target", "builtin/octagon"]),
            "no law is left",
        ),
        (run(&["--target", "builtin/octagon", "--resume"]), "unexpected argument '--resume'"),
        (
            vec!["replay", "bad.txt", "--target", "builtin/octagon"],
            "x9 is not among the 2 variables",
        ),
        (vec!["run", "strings", "--target", "apron"], "apron takes traces, and this is a formula"),
    ];
    for (args, hint) in bad {
        let output = assay(folder.path(), &args);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains(hint), "{args:?}: {errors}");
    }
}

#[test]
fn octagons_of_doubles_lose_precision_at_the_boundaries() {
    if !have("apron") {
        return;
    }
    let folder = folder();
    let searched = search(
        folder.path(),
        "apron/octD",
        &["--budget", "10s", "--law", "17", "--variables", "3", "--engine", "random"],
    );
    let row = searched.rows.iter().find(|row| row["case"] == "precision/top-meet/0");
    let row = row.expect("the law was tried");
    // The library says of its own answer that it may be imprecise.
    assert_eq!((&row["answer"], &row["judgement"]), (&"unknown".into(), &"inconclusive".into()));
    let program = program(&row["folder"]);
    assert!(lines(&program) <= 5, "{program}");
    let again = assay(folder.path(), &["replay", row["folder"].as_str().expect("it is text")]);
    assert!(said(&again).contains("top-meet does not hold, but the library says"), "{again:?}");
}

/// Programs that show known bugs of real libraries, by what the catalogue calls them.
const KNOWN: [(&str, &str, &str); 10] = [
    (
        "apron/polkaRll",
        "polyhedra-overflow",
        "polyhedra, 1 variable\npoly1 <- assign(top, x0, LONG_MIN*x0)\nassert meet-idempotent(poly1)\n",
    ),
    ("apron/boxD", "rounded-coefficients", LARGE),
    ("apron/boxMPFR", "rounded-coefficients", LARGE),
    ("apron/grid", "grid-equality", GRIDS),
    ("ppl/grid", "grid-equality", GRIDS),
    (
        "apron/grid",
        "empty-grid-is-top",
        "grids, 1 variable\ngrid1 <- guard(top, 7663 = 0)\nassert order-from-top(grid1)\n",
    ),
    ("apron/grid:int", "grid-of-integers-top", "grids, 1 variable\nassert top-is-top()\n"),
    (
        "apron/octD",
        "octagon-rounding",
        "octagons, 3 variables\noct1 <- oct(x0 + 1 >= 0)\n\
         oct2 <- guard(oct1, -x0 + x2 + 9007199254740991 >= 0)\n\
         oct3 <- assign(oct2, x1, 0)\nassert top-meet(oct3)\n",
    ),
    (
        "ppl/boxD",
        "rounded-coefficients",
        "intervals, 5 variables\nbox1 <- box(-x0 - 3775 >= 0)\n\
         box2 <- guard(box1, LONG_MAX*x0 + LONG_MIN*x4 - 3687 >= 0)\nassert has-points(box2)\n",
    ),
    (
        "ppl/octD",
        "rounded-coefficients",
        "octagons, 3 variables\noct1 <- oct(x0 - 3 = 0)\noct2 <- guard(oct1, x1 - 3 = 0)\n\
         oct3 <- assign(oct2, x2, LONG_MIN*x0 + LONG_MAX*x1)\nassert has-points(oct3)\n",
    ),
];

const LARGE: &str = "intervals, 2 variables\nbox1 <- box(x0 - 3 = 0, x1 - 3 = 0)\n\
                     box2 <- assign(box1, x1, LONG_MAX*x0 - 9223372036854775806*x1)\n\
                     assert has-points(box2)\n";

const GRIDS: &str = "grids, 2 variables\ngrid1 <- grid(x1 + 1 = 0, x0 = 0)\n\
                     grid2 <- grid(x1 - 2 = 0, x0 = 0)\ngrid3 <- join(grid1, grid2)\n\
                     grid4 <- assign(grid3, x1, -x1 + 1)\nassert order-antisymmetric(grid3, grid4)\n";

#[test]
fn known_bugs_of_libraries_are_named() {
    if !have("apron") || !have("ppl") {
        return;
    }
    let folder = folder();
    let file = folder.path().join("trace.txt");
    for (target, known, program) in KNOWN {
        std::fs::write(&file, program).expect("there is room for a file");
        let args = ["replay", "trace.txt", "--timeout", "2s", "--target", target];
        let output = said(&assay(folder.path(), &args));
        assert!(output.contains(&format!("known: {known} (")), "{target}: {output}");
    }
    // The same law on a domain that is not said to have the bug, and holds there.
    let args = ["replay", "trace.txt", "--target", "ppl/octMPQ"];
    let output = said(&assay(folder.path(), &args));
    assert!(output.contains(": holds (") && !output.contains("known"), "{output}");
}

#[test]
fn known_bugs_appear_in_findings_clusters_and_reports() {
    if !have("apron") {
        return;
    }
    let folder = folder();
    let more = ["--budget", "2s", "--law", "top-is-top", "--law", "top-not-bottom"];
    let searched = search(folder.path(), "apron/grid:int", &more);
    let (found, _) = searched.finding("imprecise");
    let evidence = found["finding"]["evidence"].as_str().expect("it is told");
    assert!(evidence.ends_with("[known: grid-of-integers-top]"), "{evidence}");
    let clusters = said(&assay(folder.path(), &["clusters", "out", "--json"]));
    let cluster: Value = serde_json::from_str(&clusters).expect("there is one cluster");
    assert_eq!(cluster["known"]["id"], "grid-of-integers-top", "{cluster}");
    let report = said(&assay(folder.path(), &["report", "out"]));
    assert!(report.contains("Known as grid-of-integers-top"), "{report}");
}

#[test]
fn polyhedra_of_small_rationals_hang() {
    if !have("apron") {
        return;
    }
    let folder = folder();
    let more = ["--budget", "12s", "--timeout", "1s", "--law", "meet-idempotent"];
    let searched = search(folder.path(), "apron/polkaRll", &more);
    let (found, program) = searched.finding("timeout");
    assert!(lines(&program) <= 5, "{program}");
    assert_eq!(found["finding"]["stability"], "confirmed", "{found}");
}

#[test]
fn the_search_continues_after_crashes() {
    if !have("apron") {
        return;
    }
    let folder = folder();
    let more = ["--budget", "8s", "--timeout", "1s"];
    let searched = search(folder.path(), "apron/polkaRll", &more);
    let violated = searched.rows.iter().filter(|row| row["answer"] == "violated").count();
    assert!(violated > 0, "{:?}", searched.findings());
    assert!(searched.checks() > 100, "{}", searched.tally);
    assert!(searched.tally["deaths"].as_u64() > Some(1), "{}", searched.tally);
}

#[test]
fn an_interrupt_ends_a_search_that_hangs() {
    let folder = folder();
    let Some(target) = plug_in(folder.path(), "misbehaving", &["-DMODE=2"]) else { return };
    let run = begun_in(folder.path(), &target);
    let library = target.trim_start_matches("plugin@");
    wait("a worker runs", || workers_of(library).len() > 1);
    let sent = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
    assert!(sent.expect("there is kill").success());
    // It would go on for its budget, and say so.
    let output = run.wait_with_output().expect("it ends");
    assert!(said(&output).contains(r#""stopped":"interrupted""#), "{output:?}");
}

#[test]
fn bad_targets_leave_no_folder_and_findings_survive_a_kill() {
    let folder = folder();
    let run = |target: &str| {
        let good = ["run", "domains", "--target", "builtin/interval-int"];
        let more = ["--target", target, "--budget", "1s", "--out", "out"];
        assay(folder.path(), &[&good[..], &more].concat())
    };
    let output = run("builtin/octagn");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let output = run("plugin@./none.so");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!folder.path().join("out").exists(), "nothing was begun");
    let output = run("builtin/octagon");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = run("builtin/octagon");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("already holds a campaign (choose another --out)"), "{errors}");
    // A search that is killed keeps what it has found.
    let target = "builtin/octagon:octagon-join-minimum";
    let mut killed = Command::new(ASSAY)
        .args(["run", "domains", "--budget", "60s", "--out", "killed", "--target", target])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("assay runs");
    let findings = folder.path().join("killed/findings");
    let complete = || {
        let entries = std::fs::read_dir(&findings).into_iter().flatten().filter_map(Result::ok);
        entries.filter(|entry| entry.path().join("finding.json").is_file()).count()
    };
    // It goes on for its budget, so that whoever finds nothing by then is not killed.
    let mut is_over = || killed.try_wait().expect("it is ours").is_some();
    // What was written before another one is also in the results.
    while complete() < 2 && !is_over() {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!is_over(), "it found too little");
    killed.kill().expect("it can be ended");
    killed.wait().expect("it ends");
    assert!(complete() > 0, "what was written is gone");
    let report = assay(folder.path(), &["report", "killed", "--format", "json"]);
    let told = said(&report);
    assert!(told.contains("unsound") || told.contains("imprecise"), "{report:?}");
}

#[test]
fn the_doctor_finds_no_fault_in_cataloged_libraries() {
    for name in ["apron", "ppl"] {
        if have(name) {
            let doctor = assay(Path::new("."), &["targets", "doctor", name]);
            assert_eq!(doctor.status.code(), Some(0), "{}", said(&doctor));
        }
    }
}

/// The toy domains of `tests/examples` with bugs that were missed once, in C and in Python; in Rust
/// they are tested in process (`crates/lattice/tests/toys.rs`).
#[test]
fn planted_bugs_are_found_and_are_one_cluster_each() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/examples");
    let bugs = ["assign-wraps", "join-first", "join-opposite", "join-mutates", "widen-never", ""];
    for bug in bugs {
        let folder = folder();
        let flag = format!("-DBUG={}", bug.to_uppercase().replace('-', "_"));
        let flags = if bug.is_empty() { Vec::new() } else { vec![flag.as_str()] };
        let Some(library) = compiled(folder.path(), &examples.join("toy.c"), &flags) else {
            return;
        };
        let text = std::fs::read_to_string(examples.join("toy.py")).expect("it is there");
        let text = text.replace("BUG = \"\"", &format!("BUG = \"{bug}\""));
        let program = script(folder.path(), "toy.py", &text);
        for target in [library, format!("command@{program}")] {
            drop(std::fs::remove_dir_all(folder.path().join("out")));
            let searched = search(folder.path(), &target, &["--budget", "3s"]);
            assert_eq!(searched.findings().is_empty(), bug.is_empty(), "{target} {bug}");
            if !bug.is_empty() {
                let clusters = said(&assay(folder.path(), &["clusters", "out", "--json"]));
                assert_eq!(clusters.lines().count(), 1, "{target} {bug}: {clusters}");
            }
        }
    }
}

#[test]
fn a_check_that_outlasts_the_budget_is_reported() {
    let folder = folder();
    let Some(target) = plug_in(folder.path(), "misbehaving", &["-DMODE=2"]) else { return };
    let more = ["--budget", "1s", "--timeout", "30s"];
    let args = [&["run", "domains", "--out", "out", "--target", &target][..], &more].concat();
    let output = assay(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("was still running when the budget ran out"), "{errors}");
}

#[test]
fn soft_answers_count_on_request() {
    if !have("apron") {
        return;
    }
    let folder = folder();
    let program = "octagons, 3 variables, soft answers count\noct1 <- oct(x0 + 1 >= 0)\n\
                   oct2 <- guard(oct1, -x0 + x2 + 9007199254740991 >= 0)\n\
                   oct3 <- assign(oct2, x1, 0)\nassert top-meet(oct3)\n";
    for (text, code) in [(program.to_owned(), 1), (program.replace(", soft answers count", ""), 0)]
    {
        std::fs::write(folder.path().join("soft.txt"), text).expect("there is room for a file");
        let output = assay(folder.path(), &["replay", "soft.txt", "--target", "apron/octD"]);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    }
}
