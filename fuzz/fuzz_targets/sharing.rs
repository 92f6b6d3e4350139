//! Adversarial sharing through the library entry points of every command: a chain of definitions and
//! `let`s, each of which uses earlier ones as the bytes say. Nothing may panic, hang or need more
//! memory than the limits of the fuzzer allow.

#![no_main]

use assay_case::{Selection, Suite};
use assay_mutate::SUITES;
use assay_program::Programs;
use assay_reduce::{Candidate, Original, ScriptTester, Tested, reduce};
use assay_smtlib::{Layout, Lets, Printer, Sharing, read_script};
use assay_term::{Evaluator, Limits, Store};
use assay_trigger::{
    Artefacts, Engine, PatternSource, Problem, RunEnd, Said, Settings, Tuning, explain, synthesise,
};
use libfuzzer_sys::fuzz_target;
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fuzz_target!(|bytes: &[u8]| {
    let text = script(bytes);
    check(&text);
    search(&text);
    shrink(&text);
    mutate(&text);
});

/// A satisfiable file: function `i` over integers applies two earlier ones, formula `i` joins two
/// earlier ones, with or without a quantifier.
fn script(bytes: &[u8]) -> String {
    let mut text = String::from(
        "(set-info :status sat)(declare-const a Int)(declare-fun p (Int) Bool)\n\
         (define-fun f0 ((x Int)) Int x)\n",
    );
    let mut formulas = String::from("(let ((b0 (p a))) ");
    let mut count = 1;
    for code in bytes.chunks_exact(3).take(200) {
        let (one, other) = (usize::from(code[1]) % count, usize::from(code[2]) % count);
        let near = |far: usize| if code[0] & 64 == 0 { count - 1 } else { far };
        let (one, other) = (near(one), near(other));
        let arg = ["x", "(+ x 1)", "(* 2 x)", "(- x)"][usize::from(code[0] >> 4 & 3)];
        let call = match code[0] & 3 {
            0 => format!("(+ (f{one} x) (f{other} {arg}))"),
            1 => format!("(f{one} (f{other} {arg}))"),
            2 => format!("(ite (p x) (f{one} {arg}) (f{other} x))"),
            _ => format!("(* (f{one} {arg}) (f{other} {arg}))"),
        };
        let _ = writeln!(text, "(define-fun f{count} ((x Int)) Int {call})");
        let formula = match code[0] >> 2 & 3 {
            0 => format!("(or b{one} b{other})"),
            1 => format!("(= b{one} (not b{other}))"),
            2 => format!("(forall ((y Int)) (or (p (f{count} y)) b{one} b{other}))"),
            _ => format!("(ite b{one} b{other} (p (f{count} a)))"),
        };
        let _ = write!(formulas, "(let ((b{count} {formula})) ");
        count += 1;
    }
    let last = count - 1;
    let close = ")".repeat(count);
    let _ = writeln!(text, "(assert (> (f{last} a) 3))\n(assert {formulas}b{last}{close})\n(check-sat)");
    text
}

/// `check`, with and without a model.
fn check(text: &str) {
    for lets in [Lets::Keep, Lets::Expand] {
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, text.as_bytes(), lets).expect("it is well formed");
        for layout in [Layout::Compact, Layout::Readable] {
            let printed =
                Printer::new(&store).layout(layout).sharing(Sharing::Auto).script(&script);
            read_script(&mut Store::new(), printed.as_bytes(), lets).expect("what is printed is read");
        }
        let limits = Limits { steps: 20_000, ..Limits::default() };
        let model = script.definitions();
        let mut evaluator = Evaluator::new(&store, &model).with_limits(limits).completing();
        for (term, _) in script.active_assertions() {
            let _ = evaluator.holds(term);
        }
    }
}

/// A solver that knows nothing.
struct Blank(Instant);

impl Engine for Blank {
    fn name(&self) -> &str {
        "blank"
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn run(&mut self, _: &str, _: Duration) -> Said {
        Said { text: "unknown\n".into(), log: String::new(), end: RunEnd::Finished }
    }

    fn ask(&mut self, script: &str, limit: Duration) -> Said {
        self.run(script, limit)
    }
}

/// `trigger` and `explain`.
fn search(text: &str) {
    let settings = Settings {
        budget: Duration::from_millis(100),
        rng: 0,
        only: None,
        all: false,
        suggest: false,
        patterns: PatternSource::Ours,
        tuning: Tuning::default(),
        artefacts: Artefacts::default(),
    };
    let problem = Problem::read(text).expect("it is well formed");
    synthesise(problem.clone(), &mut Blank(Instant::now()), &settings);
    let _ = explain(problem, &mut Blank(Instant::now()), &settings);
}

/// `reduce`, with some tests that say yes.
fn shrink(text: &str) {
    let tests = AtomicUsize::new(0);
    let over = || tests.load(Ordering::Relaxed) > 40;
    let test = |candidate: &Candidate| {
        tests.fetch_add(1, Ordering::Relaxed);
        Tested::when(candidate.text.contains("(p "), "there is no p")
    };
    let testers: Vec<ScriptTester<'_>> = vec![Box::new(test)];
    let _ = reduce(&Original::new(text), testers, &over, &mut |_| {});
}

/// `gen` and `run` over seeds, and programs.
fn mutate(text: &str) {
    let path = std::env::temp_dir().join(format!("assay-sharing-{}.smt2", std::process::id()));
    std::fs::write(&path, text).expect("a temporary file");
    for name in SUITES {
        make_some(&*suite(name, &path));
    }
    make_some(&Programs::new(suite("recombine", &path), assay_program::ProgramOptions::default(), None));
}

fn suite(name: &str, seed: &Path) -> Box<dyn Suite> {
    let config = assay_mutate::MutantOptions { seeds: vec![seed.to_owned()], ..Default::default() };
    assay_mutate::suite(name, config, None).expect("there is a seed")
}

fn make_some(suite: &dyn Suite) {
    let first = Selection { limit: Some(2), ..Selection::default() };
    for id in suite.cases(&first) {
        let _ = suite.make(id);
    }
}
