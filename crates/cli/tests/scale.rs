//! Divided campaigns, comparison, baselines and clusters as a user has them, on a tool of a few
//! lines whose faults are known.

mod common;

use common::{results, text, wait};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const ASSAY: &str = env!("CARGO_BIN_EXE_assay");

/// Right about the runner's own questions; wrong about quotients in version 1, about remainders in
/// version 2, which also does not know products. While there is a file `hold` beside it, it does not
/// answer questions about remainders.
const TOOL: &str = r#"#!/bin/sh
version=$(basename "$0" .sh)
case "$*" in *--version*) echo "$version 1.0"; exit;; esac
input=$(cat)
case "$input" in *"(mod "*) while [ -e "$(dirname "$0")/hold" ]; do sleep 0.05; done;; esac
sleep 0.01
case "$version:$input" in
    *"(not p)"*) echo unsat;;
    tool-1:*"(div "*) echo unsat;;
    tool-2:*"(mod "*) echo unsat;;
    tool-2:*"(* "*) echo unknown;;
    *) echo sat;;
esac
"#;

const DESCRIPTION: &str = r#"
name = "tool"
title = "Tool"
kind = "smt-solver"
[[source]]
path = "tool-1.sh"
[run]
features = ["ints", "nonlinear", "cores"]
"#;

const FIRST: &str = "tool@./tool-1.sh";
const SECOND: &str = "tool@./tool-2.sh";

const CASES: &str = "ints --category constant-assignment --sample 120 --timeout 20s --targets .";

/// A folder with the tool in it.
fn workshop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["tool-1.sh", "tool-2.sh"] {
        let path = folder.path().join(name);
        fs::write(&path, TOOL).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    fs::write(folder.path().join("tool.toml"), DESCRIPTION).expect("a file");
    folder
}

fn assay(folder: &Path, line: &str) -> Output {
    Command::new(ASSAY)
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("assay runs")
}

/// Runs a command that must end with this code, and gives what it prints.
fn prints(folder: &Path, line: &str, code: i32) -> String {
    let output = assay(folder, line);
    let said = format!("{line}\n{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}");
    text(&output.stdout)
}

/// Runs a command that must be refused, and gives its words.
fn refusal(folder: &Path, line: &str) -> String {
    let output = assay(folder, line);
    assert_eq!(output.status.code(), Some(2), "{line}\n{}", text(&output.stdout));
    text(&output.stderr)
}

/// The record after all others.
fn last(printed: &str) -> Value {
    serde_json::from_str(printed.lines().last().expect("a line")).expect(printed)
}

/// What is in the folders of findings, without times and without where they are.
fn findings(campaign: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for folder in fs::read_dir(campaign.join("findings")).expect("findings") {
        for file in fs::read_dir(folder.expect("an entry").path()).expect("a finding") {
            let path = file.expect("an entry").path();
            let timeless = |line: &&str| !line.contains("\"seconds\":");
            let words: Vec<String> = fs::read_to_string(&path)
                .expect("text")
                .lines()
                .filter(timeless)
                .map(str::to_owned)
                .collect();
            let name = path.strip_prefix(campaign).expect("it is within").display().to_string();
            files.insert(name, words.join("\n"));
        }
    }
    files
}

#[test]
fn merged_shards_equal_one_whole_run() {
    let folder = workshop();
    let here = folder.path();
    let line = format!("run {CASES} --target {FIRST} --target {SECOND}");
    let single = prints(here, &format!("{line} --out single --json"), 1);
    let table = prints(here, &format!("{line} --out single --resume"), 1);

    // The second shard dies in the middle and goes on; the third is run twice.
    fs::write(here.join("hold"), "").expect("a file");
    let mut child = Command::new(ASSAY)
        .args(format!("{line} --shard 2/3 --jobs 1 --out shards/2").split_whitespace())
        .current_dir(here)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("assay runs");
    wait("it has some results", || results(&here.join("shards/2")) > 0);
    child.kill().expect("it can be killed");
    child.wait().expect("it is dead");
    fs::remove_file(here.join("hold")).expect("it is ours");
    prints(here, &format!("{line} --shard 1/3 --out shards/1"), 1);
    prints(here, &format!("{line} --shard 3/3 --out shards/3"), 1);
    prints(here, &format!("{line} --shard 3/3 --out shards/3-again"), 1);

    let words = refusal(here, "merge shards/1 shards/2 shards/3 --out joined");
    assert!(words.contains("missing: ") && words.contains("--partial"), "{words}");
    assert!(!here.join("joined").exists() && !here.join("joined.merging").exists());
    let part = prints(here, "merge shards/1 shards/3 --out part --partial --json", 1);
    assert_eq!(last(&part)["summary"]["stopped"], "incomplete");

    prints(here, &format!("{line} --shard 2/3 --out shards/2 --resume"), 1);
    let all = "shards/1 shards/2 shards/3 shards/3-again";
    let joined = prints(here, &format!("merge {all} --out joined --json"), 1);
    assert_eq!(last(&joined), last(&single));
    assert_eq!(findings(&here.join("joined")), findings(&here.join("single")));
    assert!(findings(&here.join("joined")).len() > 20);
    let again = prints(here, &format!("merge {all} --out again"), 1);
    assert_eq!(again.replace("again/", "single/"), table);
    // The joined campaign is one like any other: it goes on, and its findings replay.
    prints(here, &format!("{line} --out part --resume"), 1);
    assert_eq!(
        last(&prints(here, &format!("{line} --out part --resume --json"), 1)),
        last(&single)
    );
    let finding = fs::read_dir(here.join("joined/findings")).expect("findings").next();
    let finding = finding.expect("one at least").expect("an entry").path();
    let replay = format!("replay {} --targets . --json", finding.display());
    assert!(prints(here, &replay, 1).contains("\"judgement\":\"finding\""));

    let words = refusal(here, "merge shards/1 --out joined");
    assert!(words.contains("joined already exists"), "{words}");
    prints(
        here,
        &format!("run {CASES} --rng 5 --target {FIRST} --target {SECOND} --shard 1/3 --out other"),
        1,
    );
    let words = refusal(here, "merge shards/2 other --out mixed");
    assert!(words.contains("parts of different campaigns: the choice of cases is"), "{words}");
}

#[test]
fn shards_divide_limits_and_tours() {
    let folder = workshop();
    let here = folder.path();
    let count = |flags: &str| -> u64 {
        let counted = prints(here, &format!("gen ints --count {flags}"), 0);
        let numbers = counted.lines().filter_map(|line| line.split(' ').next_back());
        numbers.map(|number| number.parse::<u64>().expect("a number")).sum()
    };
    assert_eq!(count("--limit 25"), 25);
    let parts: Vec<u64> = (1..=4).map(|i| count(&format!("--limit 25 --shard {i}/4"))).collect();
    assert_eq!(parts, [7, 6, 6, 6]);
    // A shard of a suite that is too large is a part of the tour that the suite would be.
    let dry = format!("submit bitvectors --target {FIRST} --targets . --slurm --dry-run --out o");
    assert!(prints(here, &dry, 0).contains(" --tour "));
    let shard = format!("run bitvectors --target {FIRST} --targets . --shard 1/5000 --out s");
    let output = assay(here, &format!("{shard} --budget 1s"));
    assert!(text(&output.stderr).contains("bitvectors --tour"), "{}", text(&output.stderr));
}

#[test]
fn two_versions_are_compared() {
    let folder = workshop();
    let here = folder.path();
    prints(here, &format!("run {CASES} --target {FIRST} --out a"), 1);
    prints(here, &format!("run {CASES} --target {SECOND} --out b"), 1);
    prints(here, &format!("run {CASES} --target {FIRST} --target {SECOND} --out both"), 1);
    let printed = prints(here, "compare a b --json --floor 1ms", 1);
    let summary = last(&printed)["comparison"].take();
    assert_eq!(summary["less-sound"], true);
    let lines: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let about = |word: &str, from: &str, to: &str| {
        lines.iter().filter(|l| l["change"] == word && l["from"] == from && l["to"] == to).count()
    };
    let (mended, broken) = (about("better", "wrong", "solved"), about("worse", "solved", "wrong"));
    let unknown = about("worse", "solved", "unknown");
    assert!(mended > 3 && broken > 1 && unknown > 3, "{summary}");
    assert_eq!(summary["all"]["better"], mended);
    assert_eq!(summary["all"]["worse"], broken + unknown);
    assert_eq!(
        (&summary["new-findings"], &summary["gone-findings"]),
        (&broken.into(), &mended.into())
    );
    assert_eq!(summary["all"]["cases"], 120);
    let operations = |word: &str| -> BTreeSet<&str> {
        let of = lines.iter().filter(|line| line["finding"] == word);
        of.filter_map(|line| line["case"].as_str()?.split('/').nth(1)).collect()
    };
    assert_eq!((operations("gone").len(), operations("new").len()), (1, 1), "{printed}");
    assert!(operations("gone").is_disjoint(&operations("new")), "quotients and remainders");
    let ratio = summary["all"]["mean-ratio"].as_f64().expect("times");
    assert!(ratio.is_finite() && ratio > 0.0, "{ratio}");

    // The other way round nothing is worse but quotients, and nothing changed within a campaign.
    let words = prints(here, "compare b a", 1);
    assert!(words.contains("solved → wrong") && words.contains("new timeouts: 0"), "{words}");
    let same = prints(here, "compare a a", 0);
    assert!(same.contains("better: 0") && same.contains("new findings: 0"), "{same}");
    let chosen = format!("--target-a {FIRST} --target-b {SECOND}");
    let one = last(&prints(here, &format!("compare both both {chosen} --json"), 1));
    assert_eq!(one["comparison"]["all"]["better"], mended);

    let words = refusal(here, "compare a both");
    assert!(words.contains("choose by --target-a and --target-b"), "{words}");
    let words = refusal(here, "compare a b --target-a z3");
    assert!(
        words.contains("--target-a: there is no such target; expected one of tool@"),
        "{words}"
    );
    prints(here, &format!("run {CASES} --rng 1 --target {FIRST} --out other"), 1);
    let words = refusal(here, "compare a other");
    assert!(words.contains("the choice of cases is") && words.contains("same flags"), "{words}");
    prints(here, &format!("run {CASES} --seed-targets 1 --target {FIRST} --out seeded"), 1);
    let seeded = prints(here, "compare a seeded", 0);
    assert!(seeded.contains("better: 0"), "{seeded}");
    let resumed = format!("run {CASES} --target {FIRST} --out seeded --resume");
    assert!(refusal(here, &resumed).contains("--seed-targets was 1, now 0"));
    let longer = CASES.replace("20s", "30s");
    prints(here, &format!("run {longer} --target {FIRST} --out longer"), 1);
    assert!(refusal(here, "compare a longer").contains("--different-limits"));
    prints(here, "compare a longer --different-limits", 0);
    assert!(refusal(here, "compare a nowhere").contains("holds no campaign"));
}

#[test]
fn known_findings_do_not_fail_a_build() {
    let folder = workshop();
    let here = folder.path();
    fs::create_dir(here.join("ci")).expect("a folder");
    let line = format!("run {CASES} --target {FIRST} --baseline ci/known.toml");
    let words = refusal(here, &format!("{line} --out one"));
    assert!(
        words.contains("ci/known.toml: there is no such baseline (--update-baseline"),
        "{words}"
    );
    let first = prints(here, &format!("{line} --update-baseline --out one"), 0);
    assert!(first.contains("new, 0 known, 0 gone"), "{first}");
    let file = || fs::read_to_string(here.join("ci/known.toml")).expect("a baseline");
    assert!(
        file().contains("target = \"tool\"\nkind = \"wrong-unsat\"\nsuite = \"ints\""),
        "{}",
        file()
    );
    let written = file();

    // The same cases, divided, drawn again: all known.
    let again = prints(here, &format!("{line} --out two --json"), 0);
    let baseline = last(&again)["summary"]["baseline"].take();
    assert_eq!(baseline["new"], Value::Array(Vec::new()));
    assert!(baseline["known"].as_array().is_some_and(|known| known.len() > 3), "{baseline}");
    prints(here, &format!("run {CASES} --target {FIRST} --shard 1/2 --out shards/1"), 1);
    prints(here, &format!("run {CASES} --target {FIRST} --shard 2/2 --out shards/2"), 1);
    prints(here, "merge shards/1 shards/2 --out joined --baseline ci/known.toml", 0);
    prints(here, &format!("{line} --limit 70 --out fewer"), 0);

    // The next version is wrong elsewhere: only that is new, and the rest is gone.
    let next = line.replace(FIRST, SECOND);
    let words = prints(here, &format!("{next} --out next"), 1);
    assert!(
        words.contains("9 findings in 1 cluster") && words.contains("  gone: wrong-unsat"),
        "{words}"
    );
    assert!(words.contains("--update-baseline removes what is gone"), "{words}");
    prints(here, &format!("{next} --fail-on crash,invalid-model --out calm"), 0);
    prints(here, &format!("{next} --fail-on crash --fail-on soundness --out strict"), 1);
    assert_eq!(file(), written, "nothing is rewritten unless that is asked for");

    // Notes are kept, and a group can be known as a whole.
    let noted = written.replacen("about = ", "note = \"issue 12\"\nevery-case = true\nabout = ", 9);
    fs::write(here.join("ci/known.toml"), noted).expect("a file");
    let more = line.replace("--sample 120", "--sample 600 --rng 8");
    let words = prints(here, &format!("{more} --out more"), 0);
    assert!(words.contains("(issue 12)"), "{words}");
    prints(here, &format!("{next} --update-baseline --out updated"), 0);
    assert!(file().contains("issue 12") && file().contains("every-case = true"), "{}", file());
    prints(here, &format!("{next} --out after"), 0);

    fs::write(here.join("ci/known.toml"), "[[known]]\ntarget = 1\n").expect("a file");
    let words = refusal(here, &format!("{line} --out bad"));
    assert!(words.contains("ci/known.toml:") && words.contains("line 2"), "{words}");
    assert!(!here.join("bad").exists(), "nothing was run");
    let words = refusal(here, &format!("{line} --fail-on timeout --out bad"));
    assert!(words.contains("depends on the machine"), "{words}");
}

/// An `sbatch` that remembers what it was given, and one that refuses.
fn fake_sbatch(folder: &Path, script: &str) -> PathBuf {
    let tools = folder.join("tools");
    fs::create_dir_all(&tools).expect("a folder");
    let path = tools.join("sbatch");
    fs::write(&path, script).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    tools
}

#[test]
fn submit_writes_and_submits_slurm_scripts() {
    let folder = workshop();
    let here = folder.path();
    let line = format!("submit {CASES} --target {FIRST} --shards 3 --out cluster");
    let words = refusal(here, &line);
    assert!(words.contains("add --slurm") && words.contains("assay merge"), "{words}");
    assert!(refusal(here, &format!("{line} --slurm --shard 1/3")).contains("--shards N"));
    let dry = format!("{line} --slurm --dry-run --partition long --sbatch --time=60");
    let scripts = prints(here, &dry, 0);
    for words in ["--array=1-3", "#SBATCH --partition=long", "#SBATCH --time=60", " merge "] {
        assert!(scripts.contains(words), "{words} in {scripts}");
    }
    assert!(!here.join("cluster").exists());

    let submit = |tools: &Path| {
        let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
        Command::new(ASSAY)
            .args(format!("{line} --slurm --json").split_whitespace())
            .current_dir(here)
            .env("PATH", path)
            .output()
            .expect("assay runs")
    };
    let refused = submit(&fake_sbatch(here, "#!/bin/sh\necho 'invalid partition' >&2; exit 1\n"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("invalid partition"), "{}", text(&refused.stderr));
    fs::remove_dir_all(here.join("cluster")).expect("it was prepared");
    let tools = fake_sbatch(here, "#!/bin/sh\necho \"$@\" >> calls\necho '17;cluster'\n");
    let output = submit(&tools);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(last(&text(&output.stdout))["array"], "17");
    let calls = fs::read_to_string(here.join("calls")).expect("calls");
    assert!(calls.contains("--dependency=afterany:17"), "{calls}");

    let list = fs::read_to_string(here.join("cluster/cases.txt")).expect("the cases");
    assert_eq!(list.lines().count(), 121, "a head and 120 cases");
    let other = format!("run {CASES} --rng 3 --target {FIRST} --out other");
    let words = refusal(here, &format!("{other} --cases cluster/cases.txt"));
    assert!(words.contains("lists the cases of another campaign: the choice of cases"), "{words}");
    // What the scripts do is what a shell makes of them.
    for task in 1..=3 {
        let done = Command::new("bash")
            .arg(here.join("cluster/shards.sbatch"))
            .env("SLURM_ARRAY_TASK_ID", task.to_string())
            .current_dir(here)
            .output()
            .expect("a shell");
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    let script = here.join("cluster/merge.sbatch");
    let joined = Command::new("bash").arg(script).current_dir(here).output().expect("a shell");
    assert!(joined.status.success(), "{}", text(&joined.stderr));
    let single = prints(here, &format!("run {CASES} --target {FIRST} --out single"), 1);
    let whole =
        format!("{}/", here.join("cluster/whole").canonicalize().expect("it is there").display());
    assert_eq!(text(&joined.stdout).replace(&whole, "single/"), single);
    assert!(refusal(here, &format!("{line} --slurm")).contains("already holds a campaign"));
}
