//! What analyzers say, as they say it: recorded answers. Real ones are run by the tests of `fake`,
//! which has a keeper for them.

use assay_case::{Answer, Ending};
use assay_target::{Catalog, Printed, TargetName, read};

/// How the answer of a target reads, by its own file.
fn answer(target: &str, stdout: &str, stderr: &str, ending: Ending) -> Answer {
    let name: TargetName = target.parse().expect("a name");
    let catalog = Catalog::builtin();
    let spec = catalog.find(&name.name).expect("a built-in target");
    let variant = name.variant.as_deref().map(|variant| spec.variant(variant).expect("a variant"));
    let version = spec.default_release().unwrap_or_else(|| "0".into());
    let behaviour = spec.behaviour(&version, variant);
    let manner = behaviour.analyzer.expect("an analyzer");
    read(&manner, &behaviour.promises, Printed { stdout, stderr }, ending)
}

fn name(target: &str, stdout: &str, code: i32) -> &'static str {
    answer(target, stdout, "", Ending::Exited(code)).name()
}

#[test]
fn cbmc_is_sound_and_precise() {
    let failed = "** Results:\nprogram.c function reach_error\n[reach_error.assertion.1] line 4 \
                  reach_error: FAILURE\n\n** 1 of 1 failed (2 iterations)\nVERIFICATION FAILED\n";
    let passed = "[reach_error.assertion.1] line 4 reach_error: SUCCESS\n\n** 0 of 1 failed (1 \
                  iterations)\nVERIFICATION SUCCESSFUL\n";
    let bound = "[main.unwind.0] line 3 unwinding assertion loop 0: FAILURE\n\
                 [reach_error.assertion.1] line 4 reach_error: SUCCESS\nVERIFICATION FAILED\n";
    assert_eq!(name("cbmc", failed, 10), "reachable");
    assert_eq!(name("cbmc", passed, 0), "unreachable");
    assert_eq!(name("cbmc", bound, 10), "unknown");
    assert_eq!(name("cbmc", "CONVERSION ERROR\n", 6), "rejected");
    assert_eq!(name("cbmc", "", 6), "garbled");
    let died = "--- begin invariant violation report ---\nInvariant check failed\n";
    assert_eq!(answer("cbmc", "", died, Ending::Exited(134)).name(), "crash");
    assert_eq!(answer("cbmc", failed, "", Ending::TimedOut), Answer::Timeout);
}

#[test]
fn goto_analyzer_and_eva_warn_and_prove() {
    let fails = "[reach_error.assertion.1] line 3 reach_error: FAILURE (if reachable)\n\n\
                 Summary: 0 pass, 1 fail if reachable, 0 unknown\n";
    let clear = "[reach_error.assertion.1] line 3 reach_error: SUCCESS (unreachable)\n\n\
                 Summary: 1 pass, 0 fail if reachable, 0 unknown\n";
    let unknown = "[reach_error.assertion.1] line 3 reach_error: UNKNOWN\n\n\
                   Summary: 0 pass, 0 fail if reachable, 1 unknown\n";
    assert_eq!(name("goto-analyzer:intervals", fails, 0), "alarm");
    assert_eq!(name("goto-analyzer:intervals", unknown, 0), "alarm");
    assert_eq!(name("goto-analyzer:constants", clear, 0), "unreachable");
    let reached = "[eva] program.c:3: Frama_C_show_each_error:\n[eva] done for function main\n";
    assert_eq!(name("eva", reached, 0), "alarm");
    assert_eq!(name("eva:precise", "[eva] done for function main\n", 0), "unreachable");
    assert_eq!(name("eva", "[kernel] user error: syntax\n", 1), "rejected");
    assert_eq!(name("eva", "[kernel] Parsing\n", 0), "garbled");
}

#[test]
fn silence_of_bug_finders_is_not_a_proof() {
    let clang = "program.c:3:26: warning: REACHABLE [debug.ExprInspection]\n";
    assert_eq!(answer("clang-analyzer", "", clang, Ending::Exited(0)), Answer::Alarm);
    assert_eq!(name("clang-analyzer", "", 0), "silent");
    let gcc = "program.c:3:26: note: path\n";
    assert_eq!(answer("gcc-analyzer", "", gcc, Ending::Exited(0)), Answer::Alarm);
    assert_eq!(name("gcc-analyzer", "", 0), "silent");
    let refused = "program.c:3:1: error: expected declaration\n";
    assert_eq!(answer("gcc-analyzer", "", refused, Ending::Exited(1)).name(), "rejected");
}

/// Whole answers of tools that cannot be installed here, as their makers' sources and reports of bugs
/// show them.
#[test]
fn complete_reports_are_read() {
    let esbmc = "ESBMC version 7.5.0 64-bit x86_64 linux\nTarget: 64-bit little-endian \
        x86_64-unknown-linux with esbmclibc\nParsing program.c\nConverting\nGenerating GOTO Program\n\
        Checking base case, k = 1\nStarting Bounded Model Checking\n\
        Symex completed in: 0.010s (37 assignments)\n\
        Generated 1 VCC(s), 1 remaining after simplification (2 assignments)\n\
        No bug has been found in the base case\nChecking forward condition, k = 1\n";
    let failed = "[Counterexample]\n\n\nState 1 file program.c line 4 column 4 thread 0\n\
        ----------------------------------------------------\nViolated property:\n  \
        file program.c line 4 column 4\n  reach_error\n  0\n\n\nVERIFICATION FAILED\n\nBug found (k = 1)\n";
    let cannot = "The inductive step is unable to prove the property\n\
        Unable to prove or falsify the program, giving up.\nVERIFICATION UNKNOWN\n";
    let proved = "VERIFICATION SUCCESSFUL\n\nSolution found by the forward condition (k = 1)\n";
    assert_eq!(name("esbmc:k-induction", &format!("{esbmc}{failed}"), 1), "reachable");
    assert_eq!(name("esbmc:k-induction", &format!("{esbmc}{cannot}"), 0), "unknown");
    assert_eq!(name("esbmc:k-induction", &format!("{esbmc}{proved}"), 0), "unreachable");

    let cpa = "Running CPAchecker with default stack size (1024k). Specify a larger value with \
        -stack if needed.\nLanguage C detected and set for analysis \
        (CPAMain.detectFrontendLanguageIfNecessary, INFO)\n\nUsing the following resource limits: \
        CPU-time limit of 900s (ResourceLimitChecker.fromConfiguration, INFO)\n\nStarting analysis \
        ... (CPAchecker.runAlgorithm, INFO)\n\nStopping analysis ... (CPAchecker.runAlgorithm, INFO)\n\n";
    let more = "More details about the verification run can be found in the directory \"./output\".\n\
        Graphical representation included in the file \"./output/Report.html\".\n";
    let verdicts = [
        ("FALSE. Property violation (unreach-call) found by chosen configuration.", "reachable"),
        ("TRUE. No property violation found by chosen configuration.", "unreachable"),
        ("UNKNOWN, incomplete analysis.", "unknown"),
    ];
    for (words, expected) in verdicts {
        let text = format!("{cpa}Verification result: {words}\n{more}");
        assert_eq!(name("cpachecker", &text, 0), expected, "{words}");
    }
    let ended = "RESULT: An exception occured during the execution of Ultimate: no such file\n";
    assert_eq!(name("ultimate", ended, 1), "crash");
}

/// A tool that withdraws its claim is not held to it.
#[test]
fn mopsa_withdraws_claims_it_calls_unsound() {
    let catalog = Catalog::builtin();
    let spec = catalog.find("mopsa").expect("a built-in target");
    let manner = spec.behaviour(&"0".into(), None).analyzer.expect("an analyzer");
    let withdrawn = |text: &str| manner.unsupported.iter().any(|word| text.contains(word));
    assert!(withdrawn("Unsound analysis\nAnalysis time: 0.012s\n✔ No alarm\n"));
    // The user manual's example of a call to a function that is not defined.
    let undefined = "Unsound analysis\n✔ No alarm\nAnalysis time: 0.022s\nChecks summary: 0 total\n\n\n\
        1 assumption:\n  test.c:2.2-5: ignoring side-effects of calling undefined function 'f'\n";
    assert!(withdrawn(undefined));
    assert!(!withdrawn("Analysis terminated successfully\nAnalysis time: 0.012s\n✔ No alarm\n"));
}

/// MOPSA's warning sign stands before every check that fails, and its summary names every check that it
/// made: only an assertion that fails is about the error. The first report is from the user manual.
#[test]
fn only_a_failed_assertion_is_an_alarm_of_mopsa() {
    let memory = "Analysis terminated successfully\nAnalysis time: 0.028s\n\n⚠ Check #2:\n\
        resources/code/hello.c: In function 'main':\n\
        resources/code/hello.c:5.4-8: warning: Invalid memory access\n\n  5:     a[i] = 0;\n         ^^^^\n  \
        accessing 4 bytes at offsets [4,400] of variable 'a' of size 400 bytes\n  Callstack:\n        \
        from resources/code/hello.c:2.4-8: main\n\n\
        Checks summary: 2 total, ✔ 1 safe, ⚠ 1 warning\n  \
        Invalid memory access: 1 total, ⚠ 1 warning\n  Integer overflow: 1 total, ✔ 1 safe\n";
    assert_eq!(name("mopsa", memory, 1), "unknown");
    let safe = "Analysis terminated successfully\n✔ No alarm\nAnalysis time: 0.012s\n\
        Checks summary: 1 total, ✔ 1 safe\n  Assertion failure: 1 total, ✔ 1 safe\n";
    assert_eq!(name("mopsa", safe, 0), "unreachable");
    let fails = "Analysis terminated successfully\nAnalysis time: 0.012s\n\n✗ Check #1:\n\
        program.c: In function 'reach_error':\nprogram.c:23.27-44: error: Assertion failure\n\n\
        Checks summary: 1 total, ✗ 1 error\n  Assertion failure: 1 total, ✗ 1 error\n";
    assert_eq!(name("mopsa", fails, 1), "alarm");
}

/// The declarations and the body of the error function, for every analyzer, by what its maker documents.
#[test]
fn the_error_is_the_function_that_the_tool_documents() {
    let table = [
        ("cbmc", "__CPROVER_assert("),
        ("goto-analyzer", "__CPROVER_assert("),
        ("2ls", "__CPROVER_assert("),
        ("esbmc", "__ESBMC_assert("),
        ("mopsa", "_mopsa_assert("),
        ("seahorn", "__VERIFIER_error("),
        ("cpachecker", "__assert_fail("),
        ("symbiotic", "__assert_fail("),
        ("ultimate", "__assert_fail("),
        ("eva", "Frama_C_show_each_"),
        ("clang-analyzer", "clang_analyzer_warnIfReached("),
        ("gcc-analyzer", "__analyzer_dump_path("),
    ];
    for (target, function) in table {
        let spec = Catalog::builtin();
        let spec = spec.find(target).expect("a built-in target");
        let manner = spec.behaviour(&"0".into(), None).analyzer.expect("an analyzer");
        assert!(manner.error.starts_with(function), "{target}: {}", manner.error);
        assert!(manner.declares.contains(function.trim_end_matches('_')), "{target}");
    }
}

/// What fails for another reason than the error is no answer.
#[test]
fn another_property_that_fails_is_not_the_error() {
    let unwound = "Violated property:\n  file program.c line 9 column 3 function main\n  \
        unwinding assertion loop 2\n\nVERIFICATION FAILED\n";
    assert_eq!(name("esbmc", unwound, 1), "unknown");
    assert_eq!(name("symbiotic", "RESULT: false(valid-deref)\n", 0), "unknown");
    let division = "[main.division-by-zero.1] division by zero in a / b: FAILURE\n\
        [reach_error.assertion.1] reach_error: SUCCESS\nVERIFICATION FAILED\n";
    assert_eq!(name("2ls", division, 10), "unknown");
    assert_eq!(
        name("goto-analyzer:intervals", &division.replace("FAILURE", "UNKNOWN"), 0),
        "garbled"
    );
}

/// A variant of a program with commands replaces the command, and the arguments where it must.
#[test]
fn variants_replace_commands_and_arguments() {
    let catalog = Catalog::builtin();
    let behaviour = |target: &str, variant: &str| {
        let spec = catalog.find(target).expect("a built-in target");
        spec.behaviour(&"0".into(), Some(spec.variant(variant).expect("a variant")))
    };
    let bounded = behaviour("seahorn", "bounded");
    assert_eq!(bounded.subcommand.as_deref(), Some("bpf"));
    assert!(!format!("{:?}", bounded.args).contains("--bv-chc"));
    let kojak = format!("{:?}", behaviour("ultimate", "kojak-bitvector").args);
    assert!(kojak.contains("Kojak_Bitvector") && !kojak.contains("Automizer"), "{kojak}");
}

#[test]
fn output_of_tools_without_a_package_is_read() {
    let table = [
        (
            "esbmc",
            "Violated property:\n  file x\n  reach_error\n  0\nVERIFICATION FAILED\n",
            1,
            "reachable",
        ),
        ("esbmc", "VERIFICATION SUCCESSFUL\n", 0, "unreachable"),
        ("esbmc", "VERIFICATION UNKNOWN\n", 0, "unknown"),
        ("esbmc", "ERROR: PARSING ERROR\n", 6, "rejected"),
        (
            "2ls",
            "** Results:\n[reach_error.assertion.1] reach_error: FAILURE\nVERIFICATION FAILED\n",
            10,
            "reachable",
        ),
        ("2ls", "VERIFICATION SUCCESSFUL\n", 0, "unreachable"),
        ("2ls", "VERIFICATION INCONCLUSIVE\n", 5, "unknown"),
        (
            "cpachecker",
            "Verification result: FALSE. Property violation (unreach-call)\n",
            0,
            "reachable",
        ),
        (
            "cpachecker:values",
            "Verification result: TRUE. No property violation found\n",
            0,
            "unreachable",
        ),
        ("cpachecker", "Verification result: UNKNOWN, incomplete analysis.\n", 0, "unknown"),
        ("cpachecker", "Error: Parsing failed (line 3)\n", 0, "rejected"),
        (
            "mopsa",
            "⚠ Check #1:\nprogram.c: In function 'main':\n warning: Assertion failure\n",
            0,
            "alarm",
        ),
        ("mopsa:cell-itv", "Analysis terminated successfully\n✔ No alarm\n", 0, "unreachable"),
        ("mopsa", "panic: unsupported expression\n", 2, "crash"),
        ("symbiotic", "RESULT: false(unreach-call)\n", 0, "reachable"),
        ("symbiotic", "RESULT: true\n", 0, "unreachable"),
        ("symbiotic", "RESULT: unknown\n", 0, "unknown"),
        ("symbiotic", "RESULT: ERROR (failed linking)\n", 1, "rejected"),
        ("seahorn", "Warning: something\nsat\n", 0, "reachable"),
        ("seahorn", "unsat\n", 0, "unreachable"),
        ("seahorn:bounded", "unsat\n", 0, "silent"),
        ("ultimate", "RESULT: Ultimate proved your program to be incorrect!\n", 0, "reachable"),
        ("ultimate", "RESULT: Ultimate proved your program to be correct!\n", 0, "unreachable"),
        (
            "ultimate",
            "RESULT: Ultimate could not prove your program: unable to determine\n",
            0,
            "unknown",
        ),
        ("ultimate", "- ExceptionOrErrorResult: AssertionError\n", 0, "crash"),
    ];
    for (target, stdout, code, expected) in table {
        assert_eq!(name(target, stdout, code), expected, "{target}: {stdout}");
    }
}
