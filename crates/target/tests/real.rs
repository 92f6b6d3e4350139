//! Real tools, installed into a cache that the tests keep, so that later runs need no network.
//!
//! Where there is no network a test says `skipped`, unless `ASSAY_REQUIRE_TARGETS=1`.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use assay_target::spec::{Gaps, Values};
use assay_target::{Ask, Catalog, Chosen, Installer, ResolveError, Resolved};
use std::io::Write;
use std::process::{Command, Stdio};

fn resolve(name: &str) -> Option<Resolved> {
    let installer = Installer::for_user();
    let mut note = |words: &str| eprintln!("{words}");
    match Catalog::builtin().resolve(&name.parse().expect("it is a name"), &installer, &mut note) {
        Ok(target) => Some(target),
        Err(ResolveError::Install(error)) if error.is_circumstance() => {
            assert!(
                std::env::var_os("ASSAY_REQUIRE_TARGETS").is_none_or(|value| value != "1"),
                "{name} is required: {error}"
            );
            eprintln!("skipped: {name}: {error}");
            None
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

/// What a target says to a text.
fn everything_said(target: &Resolved, arguments: Vec<String>, input: &str) -> String {
    let mut child = Command::new("timeout")
        .arg("30")
        .arg(&target.program)
        .args(arguments)
        .envs(&target.env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut pipe = child.stdin.take().expect("it has an input");
    pipe.write_all(input.as_bytes()).expect("it reads");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Targets that call the API of a library. Their answers have the calls as comments.
const APIS: [&str; 3] = ["cvc5:api", "bitwuzla:api", "z3-python"];

fn without_comments(said: &str) -> String {
    said.split_inclusive('\n').filter(|line| !line.starts_with("; ")).collect()
}

/// What a target says to a text, without comments.
fn say(target: &Resolved, arguments: Vec<String>, input: &str) -> String {
    without_comments(&everything_said(target, arguments, input))
}

/// The calls that an API's target shows are a script that does the same: declarations of every kind,
/// sharing, binders, models and cores.
#[test]
fn the_calls_of_an_api_are_a_script_that_does_the_same() {
    const SHARED: &str = "(declare-const x (_ BitVec 8))(declare-fun f ((_ BitVec 8)) Bool)
        (declare-const a (Array (_ BitVec 8) (_ BitVec 8)))(declare-const y (_ FloatingPoint 8 24))
        (define-fun g ((z (_ BitVec 8))) (_ BitVec 8) (bvmul z #x03))
        (assert (! (let ((s (g x))) (= (bvadd s #x01 x) (select (store a s #x05) s))) :named n1))
        (assert (! (=> (f x) (bvult #x01 x) (fp.lt y ((_ to_fp 8 24) RNE x))) :named |n 2|))
        (assert (forall ((z (_ BitVec 8))) (=> (distinct z x ((_ extract 7 0) (concat z x))) (f x))))\n";
    for name in APIS {
        let Some(target) = resolve(name) else { continue };
        let ask = Ask { models: true, cores: true, ..Ask::default() };
        for (last, answer) in [("(check-sat)\n", "sat"), ("(assert false)(check-sat)\n", "unsat")] {
            let query = if answer == "sat" { "(get-model)\n" } else { "(get-unsat-core)\n" };
            let text = target.prelude(&ask) + "(set-logic ALL)\n" + SHARED + last;
            let said = everything_said(&target, target.one_shot(&ask), &(text + query));
            assert!(!said.contains("error"), "{name}: {said}");
            assert!(without_comments(&said).starts_with(&format!("{answer}\n")), "{name}: {said}");
            let calls: String = said
                .lines()
                .filter_map(|line| Some(format!("{}\n", line.strip_prefix("; ")?)))
                .collect();
            let output = Command::new(&target.program)
                .args(["-c", &calls])
                .envs(&target.env)
                .output()
                .expect("it can be started");
            let printed = String::from_utf8_lossy(&output.stdout).to_lowercase();
            let trouble = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}: {trouble}\n{calls}");
            let first = printed.lines().next().unwrap_or_default();
            assert!(first.rsplit('.').next() == Some(answer), "{name}: {printed}\n{calls}");
        }
        // What cannot be said is refused in words that the target's file knows.
        let text = "(set-logic ALL)\n(declare-datatype d ((e)))\n(check-sat)\n";
        let said = say(&target, target.one_shot(&Ask::default()), text);
        let refused = target.behaviour.refusals.iter().any(|words| said.contains(words.as_str()));
        assert!(refused, "{name}: {said}");
    }
}

/// A documented bug of z3 4.8.5: the variant decides, the version is what it says.
#[test]
fn two_versions_of_z3_report_and_answer_as_expected() {
    for (name, version, answer) in [("z3@4.8.5", "4.8.5", "sat"), ("z3", "5.4.0", "unsat")] {
        let Some(target) = resolve(name) else { continue };
        assert_eq!(target.reported_version, version);
        let (in_re, to_re) = match target.behaviour.dialect.name {
            "z3-old" => ("str.in.re", "str.to.re"),
            _ => ("str.in_re", "str.to_re"),
        };
        let formula =
            format!("(assert ({in_re} \"\" ((_ re.loop 189 0) ({to_re} \"\"))))\n(check-sat)\n");
        let ask = Ask { gaps: Gaps { seed: Some(1), ..Gaps::default() }, ..Ask::default() };
        assert_eq!(say(&target, target.one_shot(&ask), &formula).trim(), answer, "{name}");
        let known = target.known_bugs.iter().any(|bug| bug.id == "loop-with-crossed-bounds");
        assert_eq!(known, answer == "sat", "{name}");
    }
}

/// Sessions: each script is answered, an error does not spoil the next one, and scripts with the
/// same names do not disturb each other.
#[test]
fn sessions_forget_earlier_scripts() {
    let programs = ["z3", "cvc5", "cvc5@1.1.2", "cvc5@1.0.3", "yices", "bitwuzla"];
    for name in programs.into_iter().chain(APIS) {
        let Some(target) = resolve(name) else { continue };
        let ask = Ask { models: true, cores: true, ..Ask::default() };
        let (arguments, session) = target.session(&ask).expect("it has sessions");
        let head = target.prelude(&ask) + "(set-logic ALL)\n";
        let marker = |word| {
            let gaps = Gaps { marker: Some(word), ..Gaps::default() };
            session.echo.fill(&gaps).expect("the marker is given")
        };
        let scripts = [
            format!(
                "{head}; a comment ( with \" in it\n(declare-const |x ( \" y| (_ BitVec 4))\n(assert (! (= |x ( \" y| #x3) :named a))\n(check-sat)\n{}\n",
                marker("one")
            ),
            format!(
                "{head}(declare-const z Bool)(assert (! z :named a))(assert (! (not z) :named b))(check-sat)(get-unsat-core)\n{}\n",
                marker("two")
            ),
            format!(
                "{head}(declare-const z (_ BitVec 2))(assert (! (= z #b10) :named a))(check-sat)\n{}\n",
                marker("three")
            ),
        ];
        let said = say(&target, arguments, &scripts.join(&format!("{}\n", session.reset)));
        let words: Vec<&str> =
            said.split(['\n', '"', ' ', '(', ')']).filter(|word| !word.is_empty()).collect();
        let core: Vec<&str> =
            words[3..].iter().copied().take_while(|word| *word != "two").collect();
        assert_eq!(words[..3], ["sat", "one", "unsat"], "{name}: {said}");
        assert_eq!(core.len(), 2, "{name}: {said}");
        assert_eq!(words[words.len() - 2..], ["sat", "three"], "{name}: {said}");
    }
}

/// After an error a driver still answers echoes, and the next script is answered.
#[test]
fn drivers_survive_errors() {
    for name in ["cvc5", "cvc5@1.1.2", "bitwuzla"].into_iter().chain(APIS) {
        let Some(target) = resolve(name) else { continue };
        let (arguments, _) = target.session(&Ask::default()).expect("it has sessions");
        let input = "(set-logic ALL)\n(assert (= y \"a\"))\n(frobnicate)\n(echo \"still here\")\n(reset)\n(set-logic ALL)\n(declare-const p Bool)\n(assert p)\n(check-sat)\n";
        let said = say(&target, arguments, input);
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[0].starts_with("(error \"") && lines[0].ends_with("\")"), "{name}: {said}");
        assert!(lines.iter().any(|line| line.contains("still here")), "{name}: {said}");
        assert_eq!(lines.last(), Some(&"sat"), "{name}: {said}");
    }
}

/// A session begins with an echo, and the options of the first script count all the same.
#[test]
fn the_first_script_of_a_session_has_its_options() {
    for name in ["cvc5", "bitwuzla"].into_iter().chain(APIS) {
        let Some(target) = resolve(name) else { continue };
        let (arguments, _) = target.session(&Ask::default()).expect("it has sessions");
        let input = "(echo \"begun\")\n(set-option :produce-models true)\n(set-logic ALL)\n(declare-const x (_ BitVec 4))\n(assert (= x #x3))\n(check-sat)\n(get-model)\n";
        let said = say(&target, arguments, input);
        assert!(said.contains("begun") && said.contains("define-fun x"), "{name}: {said}");
    }
}

/// Every value of every option worth fuzzing is accepted, and leaves the truth as it is.
#[test]
fn options_worth_fuzzing_exist() {
    const SCRIPT: &str = "(set-logic ALL)
(declare-const p Bool)(assert p)(check-sat)(reset)(set-logic ALL)
(declare-const x (_ BitVec 4))(assert (= (bvmul x #x3) #x9))(check-sat)(reset)(set-logic ALL)
(declare-const y (_ BitVec 4))(assert (= (bvmul y #x2) #x9))(check-sat)(reset)(set-logic ALL)
(declare-const z (_ BitVec 4))(assert (distinct (bvudiv z #x0) #xf))(check-sat)
";
    let says = |target: &Resolved, chosen: &[Chosen]| {
        let target = target.with_options(chosen).expect("it has the options");
        let ask = Ask::default();
        // Options that are lines do not outlive a reset.
        let line = target.prelude(&ask);
        let input = SCRIPT.replace("(set-logic", &format!("{line}(set-logic"));
        let said = say(&target, target.one_shot(&ask), &input);
        said.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let right = ["sat", "sat", "unsat", "unsat"];
    for name in ["z3@4.8.5", "z3", "cvc5@1.0.3", "cvc5", "cvc4", "yices", "bitwuzla"] {
        let Some(target) = resolve(name) else { continue };
        let all: Vec<(&str, Vec<String>)> = target
            .options
            .iter()
            .map(|option| {
                let values = match &option.values {
                    Values::Bool => vec!["true".to_owned(), "false".to_owned()],
                    Values::Choice(words) => words.clone(),
                    Values::Int { least, greatest } => {
                        (*least..=*greatest).map(|value| value.to_string()).collect()
                    }
                };
                (option.name.as_str(), values)
            })
            .collect();
        let most = all.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
        for at in 0..most {
            let chosen: Vec<Chosen> = all
                .iter()
                .map(|(name, values)| Chosen {
                    name: (*name).to_owned(),
                    value: values[at % values.len()].clone(),
                })
                .collect();
            if says(&target, &chosen) == right {
                continue;
            }
            // They need not go together, but each by itself.
            for option in chosen {
                let said = says(&target, std::slice::from_ref(&option));
                assert_eq!(said, right, "{name}: {option}");
            }
        }
    }
}
