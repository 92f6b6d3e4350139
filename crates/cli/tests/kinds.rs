//! Every command on every kind of subject: a test of its own, or a refusal that names the reason.
//! docs/kinds.md is this table (`ASSAY_BLESS=1` writes it).

mod common;

use common::{assay, have, text};
use std::fmt::Write;
use std::path::Path;

/// What a command does with a kind of subject.
enum Cell {
    /// It works, as this test of this file shows.
    Shown(&'static str, &'static str),
    /// It is refused, with these words.
    Refused(&'static [&'static str], &'static str),
}

use Cell::{Refused, Shown};

const KINDS: [&str; 5] = ["formula", "program", "trace", "rewrite", "synthesis"];

/// The commands, with a cell for each kind.
const TABLE: [(&str, [Cell; 5]); 11] = [
    (
        "run",
        [
            Shown("campaigns", "findings_about_an_old_solver_replay"),
            Shown("programs", "programs_are_made_run_and_analyzed"),
            Shown("domains", "a_seeded_bug_is_found_reduced_written_replayed_and_reported"),
            Shown("kinds", "every_command_works_on_a_campaign_of_rewrites"),
            Shown("kinds", "every_command_works_on_a_campaign_of_tasks"),
        ],
    ),
    (
        "gen",
        [
            Shown("cli", "case_files_have_the_expected_output"),
            Shown("programs", "shards_generate_the_same_programs_as_a_whole_run"),
            Shown("domains", "generated_traces_name_their_law_and_replay"),
            Shown("rewrites", "gen_writes_rewrites_up_to_a_limit"),
            Shown("synthesis", "generated_tasks_are_read_again"),
        ],
    ),
    (
        "replay",
        [
            Shown("campaigns", "findings_about_an_old_solver_replay"),
            Shown("programs", "the_figures_of_the_paper_are_judged_right"),
            Shown("domains", "known_bugs_of_libraries_are_named"),
            Shown("rewrites", "an_old_z3_rewrites_a_loop_wrongly"),
            Shown("synthesis", "wrong_answers_are_found_and_right_ones_are_not"),
        ],
    ),
    (
        "reduce",
        [
            Shown("reduce", "a_reduced_finding_of_an_old_solver_stays_a_finding"),
            Shown("programs", "a_false_alarm_is_reduced_to_a_few_lines"),
            Shown("domains", "a_seeded_bug_is_found_reduced_written_replayed_and_reported"),
            Shown("rewrites", "a_wrong_result_is_reduced_to_the_operator_at_fault"),
            Shown("synthesis", "a_wrong_answer_is_reduced_to_what_matters"),
        ],
    ),
    (
        "bisect",
        [
            Shown("campaigns", "bisect_finds_where_a_bug_of_z3_was_introduced_and_fixed"),
            Shown("kinds", "versions_of_an_analyzer_are_bisected"),
            Shown("kinds", "versions_of_a_library_are_bisected"),
            Shown("kinds", "versions_that_rewrite_wrongly_are_bisected"),
            Shown("synthesis", "versions_with_a_wrong_interpolant_are_bisected"),
        ],
    ),
    (
        "clusters",
        [
            Shown("campaigns", "findings_cluster_by_root_cause"),
            Shown("kinds", "findings_of_every_kind_are_grouped_and_reported"),
            Shown("domains", "known_bugs_appear_in_findings_clusters_and_reports"),
            Shown("kinds", "every_command_works_on_a_campaign_of_rewrites"),
            Shown("kinds", "every_command_works_on_a_campaign_of_tasks"),
        ],
    ),
    (
        "report",
        [
            Shown("report", "a_campaign_is_reported_in_every_format"),
            Shown("kinds", "findings_of_every_kind_are_grouped_and_reported"),
            Shown("kinds", "findings_of_every_kind_are_grouped_and_reported"),
            Shown("kinds", "every_command_works_on_a_campaign_of_rewrites"),
            Shown("kinds", "every_command_works_on_a_campaign_of_tasks"),
        ],
    ),
    (
        "compare",
        [
            Shown("scale", "two_versions_are_compared"),
            Shown("kinds", "findings_of_every_kind_are_grouped_and_reported"),
            Shown("kinds", "findings_of_every_kind_are_grouped_and_reported"),
            Shown("kinds", "every_command_works_on_a_campaign_of_rewrites"),
            Shown("kinds", "every_command_works_on_a_campaign_of_tasks"),
        ],
    ),
    (
        "run --baseline",
        [
            Shown("scale", "known_findings_do_not_fail_a_build"),
            Shown("kinds", "findings_of_every_kind_are_grouped_and_reported"),
            Shown("kinds", "findings_of_every_kind_are_grouped_and_reported"),
            Shown("kinds", "every_command_works_on_a_campaign_of_rewrites"),
            Shown("kinds", "every_command_works_on_a_campaign_of_tasks"),
        ],
    ),
    (
        "run --resume",
        [
            Shown("campaigns", "no_result_is_lost_when_assay_is_killed"),
            Shown("kinds", "a_campaign_of_programs_is_resumed"),
            Refused(&["run", "domains", "--target", "builtin/octagon", "--resume"], "--resume"),
            Shown("kinds", "every_command_works_on_a_campaign_of_rewrites"),
            Shown("kinds", "every_command_works_on_a_campaign_of_tasks"),
        ],
    ),
    (
        "submit, merge",
        [
            Shown("scale", "merged_shards_equal_one_whole_run"),
            Shown("kinds", "shards_of_programs_are_merged"),
            Refused(&["submit", "domains", "--slurm", "--out", "x"], "domains"),
            Shown("kinds", "every_command_works_on_a_campaign_of_rewrites"),
            Shown("kinds", "every_command_works_on_a_campaign_of_tasks"),
        ],
    ),
];

#[test]
fn every_command_handles_every_kind_or_refuses_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for (command, cells) in &TABLE {
        for (cell, kind) in cells.iter().zip(KINDS) {
            match cell {
                Shown(file, test) => {
                    let source = std::fs::read_to_string(tests.join(format!("{file}.rs")));
                    let source = source.expect("the file of a test");
                    assert!(source.contains(&format!("fn {test}()")), "{command} {kind}: {test}");
                }
                Refused(args, reason) => {
                    let output = assay(folder.path(), args);
                    let words = text(&output.stderr);
                    assert_eq!(output.status.code(), Some(2), "{args:?}: {words}");
                    assert!(words.contains(reason), "{args:?}: {words}");
                }
            }
        }
    }
}

#[test]
fn the_documentation_has_this_table() {
    let mut page = String::from(
        "# Commands and kinds of subjects\n\n\
         Every command works on every kind of subject, or refuses it with the reason and exit code 2. Each cell\n\
         names the end-to-end test that shows it (`cargo test -p assay-cli --test FILE TEST`). The table is\n\
         generated from `crates/cli/tests/kinds.rs`.\n\n\
         | command | formula | program | trace | rewrite | synthesis |\n|---|---|---|---|---|---|\n",
    );
    for (command, cells) in &TABLE {
        let cell = |cell: &Cell| match cell {
            Shown(file, test) => format!("`{file} {test}`"),
            Refused(args, _) => format!("refused: `assay {}`", args.join(" ")),
        };
        let cells: Vec<String> = cells.iter().map(cell).collect();
        let _ = writeln!(page, "| `{command}` | {} |", cells.join(" | "));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kinds.md");
    if std::env::var_os("ASSAY_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the page is written");
    }
    let kept = std::fs::read_to_string(&path).expect("there is a page");
    assert_eq!(kept, page, "ASSAY_BLESS=1 writes docs/kinds.md");
}

/// A program that cannot reach its error, since no square is 3 modulo 4, and its task.
const SAFE: &str = "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
    void reach_error(void) { }\n\
    int main(void) {\n  unsigned char x = __VERIFIER_nondet_uchar();\n\
    \x20 if ((x * x) % 4 == 3) { reach_error(); }\n  return 0;\n}\n";

const TASK: &str = "format_version: '2.0'\ninput_files: 'safe.c'\nproperties:\n\
    \x20 - property_file: unreach-call.prp\n    expected_verdict: true\n\
    options:\n  language: C\n  data_model: LP64\n";

#[test]
fn versions_of_an_analyzer_are_bisected() {
    if !have("goto-analyzer@5.12") || !have("goto-analyzer@6.6") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("safe.c"), SAFE).expect("a file");
    std::fs::write(folder.path().join("safe.yml"), TASK).expect("a file");
    let output = assay(folder.path(), &["bisect", "safe.c", "--target", "goto-analyzer:intervals"]);
    let said = text(&output.stdout);
    assert!(said.contains("5.12") && said.contains("6.6"), "{said}{}", text(&output.stderr));
    // A solver cannot be run on a program.
    let output = assay(folder.path(), &["bisect", "safe.c", "--target", "z3"]);
    let words = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains(" takes formulas, and this is a program"), "{words}");
}

#[test]
fn versions_of_a_library_are_bisected() {
    if !have("apron") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let trace = "octagons, 1 variable\noct1 <- oct(x0 >= 0)\nassert order-reflexive(oct1)\n";
    std::fs::write(folder.path().join("trace.txt"), trace).expect("a file");
    let output = assay(folder.path(), &["bisect", "trace.txt", "--target", "apron/octMPQ"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    assert!(said.contains("0.9.10") && said.contains("right"), "{said}");
}

/// Runs a campaign of programs on gcc's analyzer, which warns of what cannot be reached.
fn programs(folder: &Path, out: &str, more: &[&str]) -> std::process::Output {
    let seed = "(set-logic QF_BV)(set-info :status unsat)(declare-const x (_ BitVec 8))\
        (assert (= (bvurem (bvmul x x) #x04) #x03))(check-sat)";
    std::fs::create_dir_all(folder.join("seeds")).expect("a folder");
    std::fs::write(folder.join("seeds/square.smt2"), seed).expect("a file");
    let fixed = ["run", "programs", "--seeds", "seeds", "--mutants", "3", "--rng", "1"];
    let target = ["--target", "gcc-analyzer", "--jobs", "1", "--out", out];
    assay(folder, &[&fixed[..], &target, more].concat())
}

#[test]
fn findings_of_every_kind_are_grouped_and_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let run = programs(here, "p", &[]);
    assert_ne!(run.status.code(), Some(2), "{}", text(&run.stderr));
    let table = text(&run.stdout);
    // The truth of each case stands in the table, not `open`.
    assert!(table.contains("  unreachable ") && !table.contains("  open "), "{table}");
    let search = ["run", "domains", "--target", "builtin/octagon:octagon-join-minimum"];
    let search = [&search[..], &["--budget", "3s", "--out", "t"]].concat();
    let run = assay(here, &search);
    assert_eq!(run.status.code(), Some(1), "{}{}", text(&run.stdout), text(&run.stderr));
    for (campaign, word) in [("p", "reach_error"), ("t", "assert ")] {
        let clusters = assay(here, &["clusters", campaign]);
        let said = text(&clusters.stdout);
        assert!(!said.contains("share no operator"), "{said}");
        for format in ["md", "json", "junit", "sarif"] {
            let report = assay(here, &["report", campaign, "--format", format]);
            let said = text(&report.stdout);
            assert_ne!(report.status.code(), Some(2), "{format}: {}", text(&report.stderr));
            assert!(said.contains(word), "{campaign} as {format}: {said}");
            assert!(!said.contains("(check-sat)"), "{campaign} as {format}: {said}");
        }
        let compared = assay(here, &["compare", campaign, campaign]);
        assert_ne!(compared.status.code(), Some(2), "{}", text(&compared.stderr));
    }
    // A baseline of what is known: nothing new fails.
    let update = ["--baseline", "known.toml", "--update-baseline", "--fail-on", "any"];
    let run = programs(here, "p2", &update);
    assert_ne!(run.status.code(), Some(2), "{}", text(&run.stderr));
    let run = programs(here, "p3", &["--baseline", "known.toml", "--fail-on", "any"]);
    assert_eq!(run.status.code(), Some(0), "{}{}", text(&run.stdout), text(&run.stderr));
    let search = ["run", "domains", "--target", "builtin/octagon:octagon-join-minimum"];
    let known = ["--budget", "3s", "--out", "t2", "--baseline", "laws.toml", "--update-baseline"];
    let run = assay(here, &[&search[..], &known, &["--fail-on", "any"]].concat());
    assert_ne!(run.status.code(), Some(2), "{}", text(&run.stderr));
}

#[test]
fn a_campaign_of_programs_is_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = programs(folder.path(), "p", &[]);
    assert_ne!(run.status.code(), Some(2), "{}", text(&run.stderr));
    let again = programs(folder.path(), "p", &["--resume"]);
    assert_eq!(again.status.code(), run.status.code(), "{}", text(&again.stderr));
    assert_eq!(text(&again.stdout), text(&run.stdout), "nothing is run twice or lost");
}

#[test]
fn shards_of_programs_are_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    for (out, shard) in [("a", "1/2"), ("b", "2/2")] {
        let run = programs(folder.path(), out, &["--shard", shard]);
        assert_ne!(run.status.code(), Some(2), "{}", text(&run.stderr));
    }
    let merged = assay(folder.path(), &["merge", "a", "b", "--out", "whole"]);
    assert_ne!(merged.status.code(), Some(2), "{}", text(&merged.stderr));
    let run = programs(folder.path(), "one", &[]);
    let table = |output: &std::process::Output| {
        text(&output.stdout).lines().take(6).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(table(&merged), table(&run));
}

#[test]
fn versions_that_rewrite_wrongly_are_bisected() {
    if !have("z3@4.8.7") || !have("z3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let claim = "(declare-const s String)\n\
        (simplify (str.in_re s ((_ re.loop 2 1) (str.to_re \"a\"))))\n";
    std::fs::write(folder.path().join("claim.smt2"), claim).expect("a file");
    let output = assay(folder.path(), &["bisect", "claim.smt2", "--target", "z3"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}{}", text(&output.stderr));
    let wrong = |line: &str| line.starts_with("4.8.7 ") && line.contains("wrong-rewrite");
    assert!(said.lines().any(wrong), "{said}");
}

/// A solver that takes `bvor` for `bvand` when it simplifies.
const REWRITER: &str = r#"#!/bin/sh
case "$1" in --version) echo rewriter 1.0; exit;; esac
sed -n 's/bvor/bvand/g; s/^(simplify \(.*\))$/\1/p'
"#;

/// A solver that gives the goal as an abduct, but takes `>=` for `<=`.
const GUESSER: &str = r#"#!/bin/sh
case "$1" in --version) echo guesser 1.0; exit;; esac
sed -n 's/<=/>=/g; s/^(get-abduct A \(.*\))$/(define-fun A () Bool \1)/p'
"#;

#[test]
fn every_command_works_on_a_campaign_of_rewrites() {
    let suite = ["rewrites", "--category", "operators", "--limit", "1500"];
    let offers = "features = [\"bit-vectors\"]\nrewrites = { simplify = true }\n";
    every_command(("rewriter", REWRITER, offers), &suite, "equal", ("wrong-rewrite", "bvor"));
}

#[test]
fn every_command_works_on_a_campaign_of_tasks() {
    let suite = ["abducts", "--category", "ints", "--limit", "60"];
    let offers = "features = [\"ints\"]\nsynthesis = { abduct = {} }\n";
    every_command(("guesser", GUESSER, offers), &suite, "constructed", ("wrong-abduct", "<="));
}

/// Every command on a campaign in which a tool gives wrong answers of a kind, because of an operator.
fn every_command(
    (name, script, offers): (&str, &str, &str),
    suite: &[&str],
    expected: &str,
    (kind, operator): (&str, &str),
) {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let spec = format!(
        "name = \"{name}\"\ntitle = \"{name}\"\nkind = \"smt-solver\"\n[[source]]\npath = \"{name}\"\n\
         [run]\n{offers}"
    );
    let tools = here.join("tools");
    std::fs::create_dir(&tools).expect("a folder");
    std::fs::write(tools.join(name), script).expect("a file");
    std::fs::set_permissions(tools.join(name), std::fs::Permissions::from_mode(0o755))
        .expect("it is ours");
    std::fs::write(tools.join(format!("{name}.toml")), spec).expect("a file");
    let run = |out: &str, more: &[&str]| {
        let target = ["--target", name, "--targets", "tools", "--jobs", "1", "--out", out];
        assay(here, &[&["run"], suite, &target, more].concat())
    };
    let whole = run("c", &[]);
    let words = text(&whole.stdout) + &text(&whole.stderr);
    assert_eq!(whole.status.code(), Some(1), "{words}");
    assert!(words.contains(&format!("  {expected} ")), "{words}");
    let resumed = run("c", &["--resume"]);
    assert_eq!(text(&resumed.stdout), text(&whole.stdout), "nothing is run twice or lost");
    let finding = std::fs::read_dir(here.join("c/findings")).expect("there are findings");
    let finding = finding.map(|entry| entry.expect("a folder").path()).next().expect("one");
    let finding = finding.to_str().expect("it is text");
    let again = assay(here, &["replay", finding, "--targets", "tools"]);
    assert_eq!(again.status.code(), Some(1), "{}{}", text(&again.stdout), text(&again.stderr));
    assert!(
        text(&again.stdout).contains(&format!("{kind} (certified)")),
        "{}",
        text(&again.stdout)
    );
    let reduced = assay(here, &["reduce", finding, "--targets", "tools", "--jobs", "1"]);
    assert_eq!(reduced.status.code(), Some(0), "{}", text(&reduced.stderr));
    let smaller = format!("{finding}/reduced");
    let again = assay(here, &["replay", &smaller, "--targets", "tools"]);
    assert_eq!(again.status.code(), Some(1), "{}{}", text(&again.stdout), text(&again.stderr));
    let clusters = assay(here, &["clusters", "c", "--targets", "tools"]);
    assert!(text(&clusters.stdout).contains(operator), "{}", text(&clusters.stdout));
    for format in ["md", "json", "junit", "sarif"] {
        let report = assay(here, &["report", "c", "--format", format, "--targets", "tools"]);
        let said = text(&report.stdout);
        assert!(said.contains(kind), "{format}: {said}{}", text(&report.stderr));
    }
    let compared = assay(here, &["compare", "c", "c"]);
    assert_ne!(compared.status.code(), Some(2), "{}", text(&compared.stderr));
    let known = ["--baseline", "known.toml", "--fail-on", "any"];
    let update = run("d", &[&known[..], &["--update-baseline"]].concat());
    assert_ne!(update.status.code(), Some(2), "{}", text(&update.stderr));
    let clean = run("e", &known);
    assert_eq!(clean.status.code(), Some(0), "{}{}", text(&clean.stdout), text(&clean.stderr));
    for (out, shard) in [("a", "1/2"), ("b", "2/2")] {
        assert_ne!(run(out, &["--shard", shard]).status.code(), Some(2));
    }
    let merged = assay(here, &["merge", "a", "b", "--out", "whole", "--targets", "tools"]);
    assert_ne!(merged.status.code(), Some(2), "{}", text(&merged.stderr));
}

#[test]
fn replay_judges_the_traces_of_the_paper() {
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/input");
    let replay = |file: &str, target: &str| {
        let output = assay(&input, &["replay", file, "--target", target]);
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    for file in ["figure.txt", "join.txt"] {
        let (code, words) = replay(file, "builtin/octagon");
        assert!(code == Some(0) && words.contains(": holds ("), "{file}: {words}");
    }
    let (code, words) = replay("join.txt", "builtin/octagon:octagon-join-minimum");
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("join-above-left does not hold: top; -x0 <= 0"), "{words}");
}
