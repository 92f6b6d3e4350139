//! Analyzers under the keeper: real ones on two programs each, and made-up ones whose options are
//! refused or which start other programs.

mod targets;

use assay_case::{Answer, Origin, Program, ProgramTest, Reach, TestCase};
use assay_target::process::Limits;
use assay_target::spec::Level;
use assay_target::{Analyzer, Catalog, Installer, Mode, Ran, ResolveError, Resolved, Target, Vary};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use targets::{real, settings};

const LIMITS: Limits = Limits { wall: Duration::from_secs(60), memory: None, output: 1 << 24 };

/// A program with this function and this body of `main`.
fn program(function: &str, body: &str) -> TestCase {
    let text = format!(
        "extern unsigned int __VERIFIER_nondet_uint(void);\nextern void abort(void);\n\
         void reach_error(void) {{ abort(); }}\n{function}\nint main(void) {{ {body} return 0; }}\n"
    );
    let program = Program { text, inputs: None };
    let test = ProgramTest { program, truth: Reach::Open, source: None };
    TestCase::program("program", test, Origin::default())
}

const READ: &str = "unsigned int x = __VERIFIER_nondet_uint();";

/// One that can reach its error, and one that cannot.
fn pair() -> [TestCase; 2] {
    ["x > 7U", "x > 7U && x < 3U"]
        .map(|test| program("", &format!("{READ} if ({test}) {{ reach_error(); }}")))
}

fn ran(target: &mut Analyzer, case: &TestCase) -> Ran {
    target.run(case, Mode::Fresh).expect("the harness works")
}

fn answer(target: &mut Analyzer, case: &TestCase) -> Answer {
    match ran(target, case) {
        Ran::Observed(run) => run.observation.answer,
        Ran::Skipped(reason) => panic!("skipped: {reason}"),
    }
}

#[test]
fn real_analyzers_distinguish_reachable_from_unreachable() {
    let table = [
        ("cbmc", Answer::Reachable, Answer::Unreachable),
        ("cbmc:z3", Answer::Reachable, Answer::Unreachable),
        ("cbmc:cvc5", Answer::Reachable, Answer::Unreachable),
        ("cbmc:incremental-smt2", Answer::Reachable, Answer::Unreachable),
        // Constants do not tell that a variable cannot be both.
        ("goto-analyzer:constants", Answer::Alarm, Answer::Alarm),
        ("goto-analyzer:vsd-intervals", Answer::Alarm, Answer::Unreachable),
        ("eva", Answer::Alarm, Answer::Unreachable),
        ("clang-analyzer", Answer::Alarm, Answer::Silent),
        ("gcc-analyzer", Answer::Alarm, Answer::Silent),
    ];
    let [reachable, unreachable] = pair();
    for (name, alarm, clear) in table {
        let Some(target) = real(name) else { continue };
        let mut analyzer = Analyzer::new(Arc::new(target), settings(LIMITS, false), None);
        assert_eq!(answer(&mut analyzer, &reachable), alarm, "{name}");
        assert_eq!(answer(&mut analyzer, &unreachable), clear, "{name}");
    }
}

#[test]
fn eva_follows_our_recursion_and_is_skipped_on_deeper_calls() {
    let Some(target) = real("eva") else { return };
    let mut eva = Analyzer::new(Arc::new(target), settings(LIMITS, false), None);
    let descend = "static int descend(unsigned int n) { if (n == 0U) { return 1; } \
                   return descend(n - 1U); }";
    let deep = |n: u32, result: u32| {
        program(descend, &format!("if (descend({n}U) == {result}) {{ reach_error(); }}"))
    };
    assert_eq!(answer(&mut eva, &deep(40, 1)), Answer::Alarm);
    assert_eq!(answer(&mut eva, &deep(40, 2)), Answer::Unreachable);
    let Ran::Skipped(reason) = ran(&mut eva, &deep(150, 2)) else {
        panic!("it gives up, and says so")
    };
    assert!(reason.contains("Recursive call to descend"), "{reason}");
}

/// An executable script.
fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it may be executed");
}

/// A made-up analyzer in this folder, with further tables.
fn described(folder: &Path, name: &str, more: &str) {
    let text = format!(
        "name = \"{name}\"\ntitle = \"Made up\"\nkind = \"analyzer\"\n\
         [[source]]\npath = \"{name}.sh\"\n\
         [run]\ninput = \"file\"\nargs = [\"{{file}}\"]\nclaims = [\"sound\", \"precise\"]\n\
         [run.analyzer]\nerror = \"fail();\"\ndeclares = \"void fail(void);\"\n\
         alarm = [\"ALARM\"]\nclear = [\"CLEAR\"]\nrefusal = [\"REFUSED\"]\n{more}"
    );
    fs::write(folder.join(format!("{name}.toml")), text).expect("a file");
}

fn resolved(folder: &Path, name: &str) -> Result<Resolved, ResolveError> {
    let catalog = Catalog::load(&[folder.to_owned()]).expect("descriptions");
    let installer = Installer::new(folder.join("cache"));
    catalog.resolve(&name.parse().expect("a name"), &installer, &mut |_| {})
}

#[test]
fn rejected_options_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    // Refused alone, refused together, answered wrongly, and taken.
    script(
        &folder.path().join("fussy.sh"),
        "case \"$*\" in\n  --version) echo 1.0; exit;;\n  *--refused*) echo REFUSED; exit 1;;\n\
         *--one*--two*|*--two*--one*) echo REFUSED; exit 1;;\n  *--wrong*) echo CLEAR; exit;;\nesac\n\
         if grep -q 'limit > 5' program.c; then echo CLEAR; else echo ALARM; fi",
    );
    let option = |name: &str| {
        format!(
            "[[option]]\nname = \"{name}\"\nchoice = [\"--{name}\", \"--{name}=x\"]\nargument = \"{{value}}\"\n"
        )
    };
    let options = ["refused", "one", "two", "wrong", "fine"].map(option).concat();
    described(folder.path(), "fussy", &options);
    let target = Arc::new(resolved(folder.path(), "fussy").expect("a target"));
    let mut analyzer = Analyzer::new(
        Arc::clone(&target),
        settings(LIMITS, false),
        Some(Vary { rng: 3, level: Level::Regular }),
    );
    let [reachable, _] = pair();
    let (mut fine, mut alone) = (0, 0);
    for ordinal in 0..120 {
        analyzer.prepare(ordinal);
        let options = analyzer.options(&reachable);
        let has = |name: &str| options.iter().any(|option| option.starts_with(name));
        assert!(!(has("refused") || has("wrong")), "{options:?}");
        assert!(!(has("one") && has("two")), "{options:?}");
        let command = analyzer.by_hand(&reachable).expect("a command").command;
        for name in ["one", "two", "fine"] {
            assert_eq!(command.contains(&format!("--{name}")), has(name), "{command}");
        }
        fine += usize::from(has("fine"));
        alone += usize::from(has("one") || has("two"));
        if ordinal % 20 == 0 {
            assert_eq!(answer(&mut analyzer, &reachable), Answer::Reachable, "{options:?}");
        }
    }
    assert!(fine > 10 && alone > 10, "{fine} {alone}");
}

/// A tool that does not know the error function, and one that warns of everything: a campaign would be
/// full of findings that are none.
#[test]
fn a_tool_that_fails_its_self_test_is_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let [reachable, unreachable] = pair();
    let tools = [("blind", "echo CLEAR", "is reachable"), ("shy", "echo ALARM", "is unreachable")];
    for (name, says, wrong) in tools {
        let path = folder.path().join(format!("{name}.sh"));
        script(&path, &format!("test \"$1\" = --version && echo 1.0 || {says}"));
        described(folder.path(), name, "");
        let target = Arc::new(resolved(folder.path(), name).expect("a target"));
        let mut analyzer = Analyzer::new(Arc::clone(&target), settings(LIMITS, false), None);
        for case in [&reachable, &unreachable] {
            let Ran::Skipped(reason) = ran(&mut analyzer, case) else { panic!("{name} was run") };
            assert!(reason.contains("fails its self-test") && reason.contains(wrong), "{reason}");
        }
        let again = Analyzer::new(
            target,
            settings(LIMITS, false),
            Some(Vary { rng: 1, level: Level::Regular }),
        )
        .self_test();
        assert!(again.is_err_and(|words| words.contains(wrong)), "{name}");
    }
}

/// A program with a word that the tool does not read is not given to it.
#[test]
fn a_program_that_a_tool_cannot_read_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    script(
        &folder.path().join("narrow.sh"),
        "test \"$1\" = --version && echo 1.0 && exit\n\
         grep -q 'limit > 5' program.c && echo CLEAR || echo ALARM",
    );
    described(folder.path(), "narrow", "lacks = [\"__int128\"]\n");
    let target = Arc::new(resolved(folder.path(), "narrow").expect("a target"));
    let mut analyzer = Analyzer::new(target, settings(LIMITS, false), None);
    let wide = program("", "unsigned __int128 x = 0; if (x == 0) { reach_error(); }");
    let Ran::Skipped(reason) = ran(&mut analyzer, &wide) else { panic!("it was run") };
    assert!(reason.contains("__int128"), "{reason}");
    let [reachable, _] = pair();
    assert_eq!(answer(&mut analyzer, &reachable), Answer::Reachable);
    // Floating-point numbers are taken only by tools whose file says so.
    let float = program("", "float x = 0.0f; if (x == 0.0f) { reach_error(); }");
    let Ran::Skipped(reason) = ran(&mut analyzer, &float) else { panic!("it was run") };
    assert!(reason.contains("`float`"), "{reason}");
    described(folder.path(), "narrow", "lacks = [\"__int128\"]\nfloats = true\n");
    let target = Arc::new(resolved(folder.path(), "narrow").expect("a target"));
    let mut analyzer = Analyzer::new(target, settings(LIMITS, false), None);
    assert_eq!(answer(&mut analyzer, &float), Answer::Reachable);
}

#[test]
fn programs_that_a_tool_needs_are_resolved() {
    let folder = tempfile::tempdir().expect("a folder");
    script(
        &folder.path().join("front.sh"),
        "test \"$1\" = --version && echo 1.0 || made-up-prover program.c",
    );
    let variants = |need: &str| {
        format!(
            "[[variant]]\nname = \"asking\"\nabout = \"asks\"\nrun = {{ needs = [\"{need}\"] }}\n"
        )
    };
    described(folder.path(), "front", &variants("made-up-prover"));
    let [reachable, _] = pair();
    let missing = resolved(folder.path(), "front:asking").expect_err("there is none");
    assert!(missing.to_string().contains("unknown target `made-up-prover`"), "{missing}");
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a folder");
    let says = "grep -qs 'limit > 5' program.c && echo CLEAR 1.0 || echo ALARM 1.0";
    script(&inner.join("made-up-prover"), says);
    described(folder.path(), "made-up-prover", "");
    let file = folder.path().join("made-up-prover.toml");
    let text = fs::read_to_string(&file).expect("it was written");
    let at = |path: &str| text.replace("made-up-prover.sh", path);
    fs::write(&file, at("inner/made-up-prover")).expect("a file");
    let target = resolved(folder.path(), "front:asking").expect("all is here");
    let mut front = Analyzer::new(Arc::new(target), settings(LIMITS, false), None);
    assert_eq!(answer(&mut front, &reachable), Answer::Reachable);
    // Without the variant nothing is brought.
    let plain = resolved(folder.path(), "front").expect("all is here");
    assert!(!plain.env.contains_key("PATH"), "{:?}", plain.env);
    // A program of another name would not be found.
    script(&inner.join("prover-2"), says);
    fs::write(&file, at("inner/prover-2")).expect("a file");
    let other = resolved(folder.path(), "front:asking").expect_err("it is called otherwise");
    assert!(other.to_string().contains("starts `made-up-prover` itself"), "{other}");
}
