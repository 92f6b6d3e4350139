//! Real proofs of z3 and cvc5, corrupted in one place by a target that stands between the solver and
//! `assay`: whatever makes a claim false is found. Whether a claim is false is decided by other means:
//! a model of its premises without its conclusion.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

mod common;
mod corrupt;

use assay_case::{
    Answer, Consult, Formula, FormulaTest, Oracle, Origin, Proving, Question, TestCase, Why,
};
use assay_target::process::{Launcher, Limits};
use assay_target::{Catalog, Installer, Mode, Ran, Settings, Solver, Target};
use common::{assay, have, text};
use corrupt::{Proof, Tree};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Unsatisfiable formulas: declarations, and assertions.
const FORMULAS: [(&str, &[&str]); 4] = [
    (
        "(declare-const p Bool)(declare-const x Int)(declare-const y Int)",
        &["(=> p (> x (+ y 1)))", "(or p (= x 7))", "(< x y)", "(< y 7)"],
    ),
    (
        "(declare-fun f (Int) Int)(declare-const a Int)(declare-const b Int)",
        &["(= a b)", "(< (f a) 3)", "(> (f b) 4)"],
    ),
    (
        "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)",
        &["(or p q)", "(=> p r)", "(=> q r)", "(not r)"],
    ),
    ("(declare-const x Real)(declare-const y Real)", &["(<= (+ x y) 2)", "(>= x 2)", "(> y 1)"]),
];

/// The number of corrupted proofs of each kind and proof.
const EACH: usize = 4;

fn solver(name: &str) -> Solver {
    let name = name.parse().expect("a name");
    let target = Catalog::builtin().resolve(&name, &Installer::for_user(), &mut |_| {});
    let limits = Limits { wall: Duration::from_secs(60), memory: Some(2 << 30), output: 1 << 22 };
    let launcher = Launcher::of(env!("CARGO_BIN_EXE_assay"));
    let settings = Settings { limits, launcher, seed: 0, sessions: true };
    Solver::new(Arc::new(target.expect("it is installed")), settings)
}

fn script(declared: &str, assertions: &[&str]) -> String {
    let asserted = assertions.iter().map(|it| format!("(assert {it})\n"));
    format!(
        "{}\n{}(check-sat)\n",
        declared.replace(")(declare", ")\n(declare"),
        asserted.collect::<String>()
    )
}

/// The proof that a solver prints.
fn proof(solver: &mut Solver, text: &str) -> Proof {
    let formula = Formula::read(format!("{text}(get-proof)\n")).expect("a formula");
    let oracle = Oracle::Unsat { why: Why::Declared("the test".into()), core: None };
    let test = FormulaTest::new(formula, oracle).expect("the truth fits");
    let case = TestCase::new("proof", test, Origin::default());
    let Ran::Observed(run) = solver.run(&case, Mode::Fresh).expect("it runs") else {
        panic!("it takes the formula")
    };
    Proof::read(&run.observation.proof.unwrap_or_else(|| panic!("no proof: {}", run.stdout)))
}

/// Whether a claim is false; `None` if that is not decided.
struct Judge {
    solver: Solver,
    known: HashMap<String, Option<bool>>,
}

impl Judge {
    /// The claims of a proof, as formulas that are satisfiable if the claim is false.
    fn claims(proof: &Proof, declared: &str, assertions: &[&str]) -> Vec<String> {
        let mut claims = Vec::new();
        for (at, step) in proof.steps.iter().enumerate() {
            let premises: Vec<String> = match step.is_assumption() {
                true => assertions.iter().map(|&text| text.to_owned()).collect(),
                false => step.premises.iter().map(|&it| proof.conclusion(it).to_string()).collect(),
            };
            let conclusion = match proof.conclusion(at) {
                // z3 writes equality up to satisfiability so.
                Tree::List(items) if items[0] == Tree::Atom("~".to_owned()) => {
                    format!("(= {} {})", items[1], items[2])
                }
                other => other.to_string(),
            };
            let denied = format!("(not {conclusion})");
            let all: Vec<&str> = premises.iter().map(String::as_str).chain([&*denied]).collect();
            let is_claim = !step.is_hypothesis();
            claims.push(if is_claim { script(declared, &all) } else { String::new() });
        }
        claims
    }

    fn is_false(&mut self, claim: &str) -> Option<bool> {
        if let Some(known) = self.known.get(claim) {
            return *known;
        }
        let decided = Formula::read(claim).ok().and_then(|mut formula| {
            let said = self.solver.ask(&formula, Question::Model);
            match said.answer {
                Answer::Unsat => Some(false),
                Answer::Sat => said.checked_model(&mut formula).ok().map(|_| true),
                _ => None,
            }
        });
        self.known.insert(claim.to_owned(), decided);
        decided
    }
}

/// A corrupted proof, and whether it has a false claim.
struct Planted {
    what: &'static str,
    text: String,
    proof: Proof,
    is_false: Option<bool>,
}

fn planted() -> Vec<Planted> {
    let mut judge = Judge { solver: solver("z3"), known: HashMap::new() };
    let mut all = Vec::new();
    for name in ["z3", "cvc5"] {
        let mut prover = solver(name);
        for (declared, assertions) in FORMULAS {
            let text = script(declared, assertions);
            let base = proof(&mut prover, &text);
            let right = Judge::claims(&base, declared, assertions);
            let mut by_kind: BTreeMap<&str, Vec<(usize, Proof)>> = BTreeMap::new();
            for (what, at, proof) in base.corrupted() {
                by_kind.entry(what).or_default().push((at, proof));
            }
            for (what, mut many) in by_kind {
                // Far apart.
                let apart = many.len().div_ceil(EACH).max(1);
                many = many.into_iter().step_by(apart).collect();
                for (_, proof) in many {
                    let claims = Judge::claims(&proof, declared, assertions);
                    let changed = claims.iter().zip(&right).filter(|(a, b)| a != b);
                    let judged: Vec<Option<bool>> =
                        changed.map(|(claim, _)| judge.is_false(claim)).collect();
                    let is_false = if !proof.ends() || judged.contains(&Some(true)) {
                        Some(true)
                    } else {
                        (!judged.contains(&None)).then_some(false)
                    };
                    all.push(Planted { what, text: text.clone(), proof, is_false });
                }
            }
        }
    }
    all
}

/// A target that prints the corrupted proof of each formula.
fn add_proxy(folder: &Path, planted: &[Planted]) {
    let mut program = "#!/bin/sh\n\
        case \"$1\" in --version) echo proxy 1.0; exit;; esac\n\
        number=$(sed -n 's/.*planted\\([0-9]*\\) .*/\\1/p')\n\
        echo unsat\ncase \"$number\" in\n"
        .to_owned();
    std::fs::create_dir(folder.join("seeds")).expect("a folder");
    for (at, Planted { text, proof, .. }) in planted.iter().enumerate() {
        writeln!(program, "{at}) cat <<'END'\n{}\nEND\n;;", proof.print()).expect("memory");
        let seed = format!("(set-info :status unsat)\n(declare-const planted{at} Bool)\n{text}");
        std::fs::write(folder.join(format!("seeds/planted{at}.smt2")), seed).expect("a file");
    }
    program += "esac\n";
    std::fs::write(folder.join("proxy"), program).expect("a file");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("proxy"), executable).expect("ours");
    let spec = "name = \"proxy\"\ntitle = \"proxy\"\nkind = \"smt-solver\"\n\
                [[source]]\npath = \"proxy\"\n[run]\nfeatures = [\"ints\", \"reals\", \"uninterpreted-functions\"]\n\
                proof-options = [\"(set-option :produce-proofs true)\"]\n";
    std::fs::write(folder.join("proxy.toml"), spec).expect("a file");
}

#[test]
fn every_corrupted_step_that_is_false_is_found() {
    if !have("z3") || !have("cvc5") {
        return;
    }
    let planted = planted();
    let folder = tempfile::tempdir().expect("a folder");
    add_proxy(folder.path(), &planted);
    let run = format!(
        "run {} --seeds seeds --only-seeds --target proxy --targets . --out out --jobs 1 --json",
        Proving::NAME
    );
    let output = assay(folder.path(), &run.split(' ').collect::<Vec<_>>());
    let (records, words) = (text(&output.stdout), text(&output.stderr));
    let (mut caught, mut stayed_true, mut undecided) = (0, 0, 0);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, Planted { what, proof, is_false, .. }) in planted.iter().enumerate() {
        let mark = format!("planted{at}.smt2\"");
        let alone = format!("planted{at}\"");
        let record = records.lines().find(|line| line.contains(&mark) || line.contains(&alone));
        let record = record.unwrap_or_else(|| panic!("case {at} was not run: {words}\n{records}"));
        let is = |kind: &str| record.contains(&format!("\"{kind}\""));
        let is_found = is("false-step") || is("open-proof") || is("foreign-assumption");
        match is_false {
            Some(true) => {
                assert!(is_found, "{what} is missed: {record}\n{}", proof.print());
                caught += 1;
                *kinds.entry(what).or_default() += 1;
            }
            Some(false) => {
                assert!(!is("false-step"), "{what} is true: {record}\n{}", proof.print());
                stayed_true += 1;
            }
            None => undecided += 1,
        }
    }
    eprintln!("{caught} caught, {stayed_true} still true, {undecided} undecided: {kinds:?}");
    assert!(caught >= 40, "{caught} planted faults are false claims: {kinds:?}");
    assert!(kinds.len() == 6, "{kinds:?}");
}
