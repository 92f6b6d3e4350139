//! Campaigns as a user runs them, on real solvers that are installed where they are missing.

mod common;

use common::{assay, have, results, text, wait};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const ASSAY: &str = env!("CARGO_BIN_EXE_assay");

/// A version whose wrong answers are known, and the newest one.
const OLD: &str = "z3@4.8.0";
const NEW: &str = "z3@5.4.0";

/// Categories that solvers are quick with.
const SIMPLE: [&str; 8] = [
    "run",
    "strings",
    "--preset",
    "icse20",
    "--category",
    "operation",
    "--category",
    "constant-assignment",
];

/// The records that `--json` prints: those of the cases, and the summary.
fn records(output: &Output) -> (Vec<Value>, Value) {
    let parse = |line: &str| serde_json::from_str(line).expect(line);
    let mut records: Vec<Value> = text(&output.stdout).lines().map(parse).collect();
    let mut summary = records.pop().unwrap_or_else(|| panic!("{}", text(&output.stderr)));
    (records, summary["summary"].take())
}

#[test]
fn findings_about_an_old_solver_replay() {
    if !have(OLD) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let args = [&SIMPLE[..], &["--shard", "2/12", "--timeout", "5s"]].concat();
    let more = ["--target", OLD, "--target", "z3@4.8.0:z3str3", "--json", "--out", "run"];
    let output = assay(folder.path(), &[&args[..], &more[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let (cases, summary) = records(&output);
    let targets = summary["targets"].as_object().expect("targets");
    assert_eq!(targets.len(), 2);
    for (name, counts) in targets {
        assert!(counts["all"]["soundness-findings"].as_u64() > Some(0), "{name}: {counts}");
        assert_eq!(counts["all"]["oracle-contradicted"], 0);
        let operations = &counts["categories"]["operation"]["tests"];
        assert_eq!(*operations, 1, "one of twelve operations is in the shard");
    }
    let wrong = cases.iter().find(|case| case["finding"]["kind"] == "wrong-unsat");
    let wrong = wrong.expect("an unsat that is wrong");
    assert_eq!(wrong["finding"]["stability"], "confirmed");
    assert_eq!(wrong["finding"]["grade"], "certified");

    let finding = wrong["finding"]["folder"].as_str().expect("a folder");
    let replayed = assay(folder.path(), &["replay", finding]);
    assert_eq!(replayed.status.code(), Some(1), "{}", text(&replayed.stderr));
    assert!(
        text(&replayed.stdout).contains("wrong-unsat (certified)"),
        "{}",
        text(&replayed.stdout)
    );
    assert_eq!(text(&replayed.stderr), "", "the case is made again, not taken from the file");

    if have(NEW) {
        let mended = assay(folder.path(), &["replay", finding, "--target", NEW, "--json"]);
        assert_eq!(mended.status.code(), Some(0), "{}", text(&mended.stdout));
        assert!(text(&mended.stdout).contains("\"judgement\":\"correct\""));
    }
}

#[test]
fn findings_are_reduced_and_bisected_during_the_run() {
    if !have(OLD) || !have(NEW) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let args = [&SIMPLE[..], &["--shard", "2/12", "--target", OLD, "--out", "run"]].concat();
    let output = assay(folder.path(), &[&args[..], &["--reduce", "30"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert!(told.contains("reducing ") && told.contains("assay report run --html"), "{told}");
    let fixed = |text: &str| text.lines().filter(|line| line.contains("fixed in")).count();
    assert!(fixed(&said) > 0, "{said}");
    // One of each cluster is reduced, not each finding.
    let findings = std::fs::read_dir(folder.path().join("run/findings")).expect("findings");
    let folders: Vec<_> = findings.map(|entry| entry.expect("an entry").path()).collect();
    let done = |name: &str| folders.iter().filter(|folder| folder.join(name).exists()).count();
    let clusters =
        said.lines().filter(|line| line.contains(" case") && line.ends_with(')')).count();
    let reduced = done("reduced/finding.json") + done("not-reduced.txt");
    assert!(reduced >= clusters && clusters > 0, "{reduced} of {clusters}: {said}");
    assert!(done("bisect.json") + done("reduced/bisect.json") >= clusters, "{said}");
    let report = assay(folder.path(), &["report", "run"]);
    assert!(text(&report.stdout).contains("fixed in"), "{}", text(&report.stdout));
    // What was done is not done again, with or without the flag.
    let again = assay(folder.path(), &[&args[..], &["--resume", "--reduce", "30"]].concat());
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
    assert_eq!(done("reduced/finding.json") + done("not-reduced.txt"), reduced);
    let again = assay(folder.path(), &[&args[..], &["--resume", "--no-reduce"]].concat());
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
}

#[test]
fn targets_are_compared_on_files_without_a_truth() {
    if !have(OLD) || !have(NEW) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let formula =
        "(declare-const s String)(assert (= (str.replace \"\" s \"a\") \"a\"))(check-sat)";
    std::fs::write(folder.path().join("open.smt2"), formula).expect("a file");
    let alone = assay(folder.path(), &["replay", "open.smt2", "--target", OLD]);
    assert_eq!(alone.status.code(), Some(0), "{}", text(&alone.stdout));
    let both = ["replay", "open.smt2", "--target", OLD, "--target", NEW, "--json"];
    let output = assay(folder.path(), &both);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(lines[0]["answer"], "unsat");
    let detail = lines[0]["detail"].as_str().expect("a finding");
    assert!(detail.starts_with("wrong-unsat (certified)"), "{detail}");
    assert_eq!(lines[1]["judgement"], "correct");
}

#[test]
fn optima_and_their_models_are_judged() {
    // Its models do not always have the optimum that it reports.
    const WRONG: &str = "z3@4.8.5";
    if !have(WRONG) || !have(NEW) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let suite = ["run", "maxsmt", "--category", "subset-holds", "--each", "60"];
    let more = ["--target", WRONG, "--target", NEW, "--timeout", "5s", "--json"];
    let output = assay(folder.path(), &[&suite[..], &more[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let (cases, summary) = records(&output);
    for (name, counts) in summary["targets"].as_object().expect("targets") {
        assert_eq!(counts["all"]["oracle-contradicted"], 0, "{name}");
        let right = cases
            .iter()
            .filter(|case| case["target"] == name.as_str() && case["judgement"] == "correct");
        assert!(right.count() >= 200, "{name}: {counts}");
    }
    let wrong: Vec<&Value> =
        cases.iter().filter(|case| case["finding"]["kind"] == "wrong-optimum").collect();
    assert!(!wrong.is_empty(), "{summary}");
    for case in wrong {
        assert!(case["target"].as_str().is_some_and(|name| name.starts_with(WRONG)), "{case}");
        assert_eq!(case["finding"]["grade"], "certified");
        assert_eq!(case["finding"]["stability"], "confirmed");
    }
}

#[test]
fn the_newest_solver_is_right_about_priorities_and_quantifiers() {
    if !have(NEW) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let priorities = ["box", "lexicographic", "pareto", "strict"];
    let priorities: Vec<&str> = priorities.iter().flat_map(|name| ["--category", name]).collect();
    for (suite, categories, each) in [("maxsmt", priorities, "5"), ("quantifiers", vec![], "1")] {
        let run = ["run", suite, "--each", each, "--target", NEW, "--timeout", "10s", "--json"];
        let output = assay(folder.path(), &[&run[..], &categories].concat());
        let (cases, summary) = records(&output);
        assert!(cases.len() >= 50, "{suite}: {summary}{}", text(&output.stderr));
        for (name, counts) in summary["targets"].as_object().expect("targets") {
            assert_eq!(counts["all"]["oracle-contradicted"], 0, "{name}");
        }
        let severe = |case: &&Value| case["finding"]["severity"] == "soundness";
        assert_eq!(cases.iter().find(severe), None, "{suite}");
        let right = cases.iter().filter(|case| case["judgement"] == "correct").count();
        assert!(right * 10 >= cases.len() * 9, "{suite}: {right} of {}", cases.len());
    }
}

#[test]
fn the_newest_solver_gives_no_finding() {
    if !have(NEW) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let more = ["--sample", "200", "--target", NEW, "--timeout", "5s"];
    let output = assay(folder.path(), &[&SIMPLE[..], &more[..]].concat());
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{table}{}", text(&output.stderr));
    assert!(table.contains("IM") && table.contains("constant-assignment"), "{table}");
    assert!(folder.path().join("assay-out/strings-1/results.sqlite").exists());
}

/// Runs a campaign to its end, killing it whenever it has some more results, and going on each time.
fn killed_and_resumed(folder: &Path, args: &[&str], kills: u64) -> Value {
    let campaign = folder.join("run");
    for round in 0..kills {
        let before = results(&campaign);
        let mut command = Command::new(ASSAY);
        command.args(args).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
        if round > 0 {
            command.arg("--resume");
        }
        let mut child = command.spawn().expect("assay runs");
        wait("more results", || {
            let is_over = child.try_wait().expect("it is ours").is_some();
            is_over || results(&campaign) > before + 10 * round
        });
        child.kill().expect("it can be killed");
        let status = child.wait().expect("it is dead");
        assert!(round > 0 || status.code().is_none(), "it ended before it was killed: {status}");
    }
    let output = assay(folder, &[args, &["--resume"]].concat());
    assert!(output.status.code() < Some(2), "{}", text(&output.stderr));
    records(&output).1
}

#[test]
fn no_result_is_lost_when_assay_is_killed() {
    if !have(OLD) {
        return;
    }
    let more = ["--shard", "3/9", "--target", OLD, "--timeout", "20s", "--json", "--out", "run"];
    let args = [&SIMPLE[..], &more[..]].concat();
    let whole = tempfile::tempdir().expect("a folder");
    let expected = records(&assay(whole.path(), &args)).1;
    assert!(expected["targets"].to_string().contains("soundness-findings"));
    let parts = tempfile::tempdir().expect("a folder");
    assert_eq!(killed_and_resumed(parts.path(), &args, 5), expected);
    let findings = |folder: &Path| {
        let entries = std::fs::read_dir(folder.join("run/findings")).expect("findings");
        let mut names: Vec<_> = entries.map(|e| e.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(findings(parts.path()), findings(whole.path()));
}

/// Solver processes whose scratch folder is below this one.
fn left_behind(marker: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    let marked = |entry: &std::fs::DirEntry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        text(&environment).contains(marker)
    };
    processes.filter(marked).count()
}

#[test]
fn no_solver_outlives_assay() {
    if !have(NEW) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let marker = format!("ASSAY_TEST_MARKER=outlives-{}", std::process::id());
    let (name, value) = marker.split_once('=').expect("it has a value");
    let mut child = Command::new(ASSAY)
        .args(["run", "strings", "--preset", "icse20", "--target", NEW])
        .current_dir(folder.path())
        .env(name, value)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("assay runs");
    wait("assay, its keeper and a solver run", || left_behind(&marker) >= 3);
    child.kill().expect("it can be killed");
    child.wait().expect("it is dead");
    wait("all are gone", || left_behind(&marker) == 0);
}

#[test]
fn findings_cluster_by_root_cause() {
    if !have(OLD) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let args = [&SIMPLE[..], &["--shard", "1/4", "--timeout", "5s", "--out", "run"]].concat();
    let output = assay(folder.path(), &[&args[..], &["--target", OLD]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("[known: replace-in-the-empty-string]"), "{told}");

    let output = assay(folder.path(), &["clusters", "run", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let parse = |line: &str| -> Value { serde_json::from_str(line).expect(line) };
    let clusters: Vec<Value> = text(&output.stdout).lines().map(parse).collect();
    let known = |cluster: &&Value| cluster["known"]["id"] == "replace-in-the-empty-string";
    let own: Vec<&Value> = clusters.iter().filter(known).collect();
    let [bug] = own[..] else { panic!("one bug is one cluster: {clusters:#?}") };
    assert_eq!((&bug["kind"], bug["count"].as_u64() > Some(2)), (&"wrong-unsat".into(), true));
    for member in bug["members"].as_array().expect("members") {
        let case = member["assertions"].as_str().expect("a case");
        assert!(case.contains("(str.replace \"\""), "{case}");
        let finding = folder.path().join("run").join(member["folder"].as_str().expect("a folder"));
        assert!(finding.join("case.smt2").exists(), "{}", finding.display());
    }
    for other in clusters.iter().filter(|cluster| !known(cluster)) {
        assert_ne!(other["kind"], "wrong-unsat", "nothing of the bug is elsewhere: {other:#}");
    }
}

/// Versions on both sides of both ends of a bug.
const BOTH_ENDS: [&str; 4] = ["4.8.7", "4.8.8", "4.12.2", "4.12.6"];

#[test]
fn bisect_finds_where_a_bug_of_z3_was_introduced_and_fixed() {
    if !BOTH_ENDS.iter().all(|version| have(&format!("z3@{version}"))) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let formula = "(set-info :status sat)(assert (= (re.range \"b\" \"a\") re.none))(check-sat)";
    std::fs::write(folder.path().join("range.smt2"), formula).expect("a file");
    let args = [&["bisect", "range.smt2", "--target", "z3", "--install"], &BOTH_ENDS[..]].concat();
    let output = assay(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let story = "z3: introduced in 4.8.8 (4.8.7 right), fixed in 4.12.6 (4.12.2 wrong)";
    // Further versions may be installed, and decide nothing.
    assert!(told.contains(story), "{told}");

    let output = assay(folder.path(), &["bisect", "range.smt2", "--json"]);
    let (versions, summary) = records(&output);
    let reading = |version: &str| {
        let entry = versions.iter().find(|entry| entry["version"] == version);
        entry.expect(version)["reading"].clone()
    };
    assert_eq!(BOTH_ENDS.map(reading), ["right", "wrong", "wrong", "right"]);
    assert_eq!(summary["changes"][0]["after"], "4.8.8");
    assert_eq!(summary["changes"][1]["after"], "4.12.6");
}

#[test]
fn a_report_shows_the_reduced_case_and_the_versions_of_a_finding() {
    if !have(OLD) || !have(NEW) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let args = [&SIMPLE[..], &["--shard", "1/4", "--timeout", "5s", "--out", "run"]].concat();
    assay(folder.path(), &[&args[..], &["--target", OLD]].concat());
    let findings = std::fs::read_dir(folder.path().join("run/findings")).expect("findings");
    let mut names: Vec<_> = findings.map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    let wrong = |path: &&std::path::PathBuf| {
        let record = std::fs::read_to_string(path.join("finding.json")).expect("a record");
        record.contains("\"wrong-unsat\"")
    };
    let finding = names.iter().find(wrong).expect("a wrong unsat");
    let finding = finding.to_str().expect("a name in UTF-8");

    let output = assay(folder.path(), &["reduce", finding]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = assay(folder.path(), &["bisect", finding]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let (_, story) = told.trim_end().rsplit_once("z3: ").expect("a story");

    let output = assay(folder.path(), &["report", "--issue", finding]);
    let issue = text(&output.stdout).to_lowercase();
    assert!(issue.contains(&story.to_lowercase()), "{story}\n{issue}");
    let reduced = std::fs::read_to_string(Path::new(finding).join("reduced.smt2"));
    let reduced = reduced.expect("a reduced case");
    let assertion = reduced.lines().find(|line| line.starts_with("(assert")).expect("an assertion");
    assert!(issue.contains(&assertion.to_lowercase()), "{assertion}\n{issue}");

    let output = assay(folder.path(), &["report", "run", "--format", "md", "--out", "run.md"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = std::fs::read_to_string(folder.path().join("run.md")).expect("a page");
    assert!(page.contains(story), "{story}\n{page}");
    assert!(page.contains(assertion), "{assertion}\n{page}");
}
