//! The format of a target's file: what it accepts, and what it says to what it does not.

use assay_case::{FindingKind, Formula, applications};
use assay_target::spec::{Input, Logic, Pass, Spec, Values};
use assay_target::{Catalog, CatalogError, Version};
use std::path::Path;

/// A file with these lines between its head and its source.
fn file(head: &str, run: &str, tail: &str) -> String {
    format!(
        "name = \"mine\"\ntitle = \"Mine\"\nkind = \"smt-solver\"\n{head}\n[[source]]\ncommand = \"mine\"\n[run]\n{run}\n{tail}\n"
    )
}

fn read(text: &str) -> Result<Spec, String> {
    Spec::read(text, Path::new("mine.toml")).map_err(|error| error.to_string())
}

#[test]
fn the_shortest_file_has_sensible_defaults() {
    let spec = read(&file("", "", "")).expect("it is a target");
    let behaviour = spec.behaviour(&Version::from("1"), None);
    assert_eq!((behaviour.input, behaviour.logic), (Input::Stdin, Logic::Optional));
    assert_eq!(behaviour.dialect.name, "smt-lib");
    assert_eq!(behaviour.version_args, ["--version"]);
    assert!(behaviour.session.is_none() && behaviour.features.is_empty());
    assert!(spec.versions().is_empty() && spec.default_release().is_none());
}

#[test]
fn behaviours_append_lists_and_replace_other_values() {
    let text = file(
        "",
        "args = [\"a\"]\nlogic = \"required\"\nfeatures = [\"ints\", \"floats\"]\nsession = { scripts = 7 }",
        "[[for]]\nversions = \"<=2\"\nrun = { args = [\"b\"], logic = \"never\", without-features = [\"floats\"], without-session = true }\n\
         [[variant]]\nname = \"v\"\nabout = \"another way\"\nrun = { args = [\"c\"], dialect = \"z3-old\" }",
    );
    let spec = read(&text).expect("it is a target");
    let old = spec.behaviour(&Version::from("2.5"), spec.variant("v"));
    let words: Vec<&str> = old.args.iter().map(|argument| argument.as_str()).collect();
    assert_eq!(words, ["a", "b", "c"]);
    assert_eq!((old.logic, old.dialect.name, old.features.len()), (Logic::Never, "z3-old", 1));
    assert!(old.session.is_none());
    let new = spec.behaviour(&Version::from("3"), None);
    assert_eq!((new.args.len(), new.logic, new.features.len()), (1, Logic::Required, 2));
    let session = new.session.expect("it has one");
    assert_eq!((session.scripts, session.reset.as_str()), (7, "(reset)"));
}

#[test]
fn options_and_bugs_are_read() {
    let text = file(
        "",
        "",
        "[[option]]\nname = \"o\"\nint = [0, 6]\nargument = \"o={value}\"\n\
         [[option]]\nname = \"p\"\nbool = true\nline = \"(set-option :p {value})\"\n\
         [[known-bug]]\nid = \"b\"\ntitle = \"a bug\"\nversions = \"=1.2\"\n\
         symptom = { kinds = [\"wrong-unsat\"], operators = [\"str.at\"], one-of = [\"str.len\", \"str.++\"] }\n\
         [[known-bug]]\nid = \"c\"\ntitle = \"a crash\"\nsymptom = { kinds = [\"crash\"], crash = \"signal 11\" }\n\
         [[known-bug]]\nid = \"d\"\ntitle = \"special arguments\"\nsymptom = { kinds = [\"wrong-sat\"], applications = [\
         { operator = \"str.replace\", arguments = [\"any\", \"empty-string\"] }, \
         { operator = \"re.range\", is = [\"crossed-bounds\"] }] }",
    );
    let spec = read(&text).expect("it is a target");
    assert_eq!(spec.options[0].values, Values::Int { least: 0, greatest: 6 });
    assert!(matches!(spec.options[1].pass, Pass::Line(_)));
    let [bug, crash, special] = &spec.known_bugs[..] else { panic!("there are three bugs") };
    assert!(bug.concerns(&Version::from("1.2.9"), None));
    assert!(!bug.concerns(&Version::from("1.3"), None));
    let applied = |assertion: &str| {
        let text = format!("(declare-const s String)(assert {assertion})");
        applications(&Formula::read(text).expect("the text is right"), None)
    };
    let both = applied(r#"(= (str.len (str.at s 0)) 0)"#);
    assert!(bug.may_explain(FindingKind::WrongUnsat, &both, None));
    assert!(!bug.may_explain(FindingKind::WrongSat, &both, None));
    assert!(!bug.may_explain(FindingKind::WrongUnsat, &applied(r#"(= (str.at s 0) "")"#), None));
    assert!(!bug.may_explain(FindingKind::WrongUnsat, &applied("(= (str.len s) 0)"), None));
    assert!(crash.may_explain(FindingKind::Crash, &both, Some("signal 11, somewhere")));
    assert!(!crash.may_explain(FindingKind::Crash, &both, Some("signal 6")));
    assert!(!crash.may_explain(FindingKind::Crash, &both, None));
    let explains =
        |assertion: &str| special.may_explain(FindingKind::WrongSat, &applied(assertion), None);
    assert!(explains(r#"(= (str.replace s "" "a") "")"#));
    assert!(explains(r#"(= (re.range "b" "a") re.none)"#));
    assert!(!explains(r#"(= (str.replace "" s "a") "")"#), "another argument is empty");
    assert!(!explains(r#"(= (re.range "a" "b") re.none)"#), "its bounds are in order");
}

/// What is wrong, and what the error must say; the line is given where it is known.
#[test]
fn invalid_target_files_are_refused_with_their_place() {
    let run = |line: &str| file("", line, "");
    let tail = |text: &str| file("", "", text);
    let head = |line: &str| file(line, "", "");
    let source = |text: &str| file("", "", &format!("[[source]]\n{text}"));
    let table = [
        (
            head("colour = \"red\""),
            "mine.toml: line 4: unknown field `colour`, expected one of `name`",
        ),
        (head("kind = \"prover\""), "line 4: duplicate key"),
        ("name = ".to_owned(), "mine.toml: line 1: "),
        (run("arg = [\"x\"]"), "line 8: unknown field `arg`, expected one of `input`, `args`"),
        (
            run("dialect = \"smt-lib-3\""),
            "unknown dialect `smt-lib-3`; expected one of smt-lib, smt-lib-2.6, smt-lib-2.6-bytes, cvc5, z3-old, z3",
        ),
        (run("features = [\"intz\"]"), "unknown variant `intz`"),
        (run("without-operators = [\"str.in.re\"]"), "there is no operator `str.in.re`"),
        (run("args = [\"{sede}\"]"), "unknown gap `{sede}`; expected one of {seed}, "),
        (run("input = \"pipe\""), "unknown variant `pipe`, expected `stdin` or `file`"),
        (run("input = \"file\""), "the argument {file} and `input = \"file\"` go together"),
        (run("args = [\"{file}\"]"), "the argument {file} and `input = \"file\"` go together"),
        (run("session = { resets = \"x\" }"), "unknown field `resets`"),
        (tail("[[for]]\nversions = \"4.8\"\nrun = {}"), "`4.8` is not a range of versions"),
        (
            tail("[[variant]]\nname = \"a b\"\nabout = \"x\"\nrun = {}"),
            "`a b` cannot be a variant's name",
        ),
        (
            tail(
                "[[variant]]\nname = \"v\"\nabout = \"x\"\nrun = {}\n[[variant]]\nname = \"v\"\nabout = \"x\"\nrun = {}",
            ),
            "the variant `v` is described twice",
        ),
        (
            tail("[[option]]\nname = \"o\"\nbool = true\nargument = \"o\""),
            "with the gap {value} in it",
        ),
        (
            tail("[[option]]\nname = \"o\"\nchoice = [\"a\"]\nargument = \"{value}\""),
            "an option needs one of",
        ),
        (
            tail("[[option]]\nname = \"o\"\nint = [3, 3]\nargument = \"{value}\""),
            "an option needs one of",
        ),
        (
            tail("[[known-bug]]\nid = \"b\"\ntitle = \"t\"\nsymptom = { kinds = [\"wrong\"] }"),
            "unknown kind of finding `wrong`; expected one of wrong-sat, wrong-unsat",
        ),
        (
            tail(
                "[[known-bug]]\nid = \"b\"\ntitle = \"t\"\nsymptom = { kinds = [\"crash\"], operators = [\"str.foo\"] }",
            ),
            "there is no operator `str.foo`",
        ),
        (
            tail(
                "[[known-bug]]\nid = \"b\"\ntitle = \"t\"\nsymptom = { kinds = [\"crash\"], applications = [{ operator = \"str.at\", arguments = [\"empty\"] }] }",
            ),
            "unknown class of arguments `empty`; expected any, language, ",
        ),
        (
            tail("[[known-bug]]\nid = \"b\"\ntitle = \"t\"\nsymptom = { kinds = [] }"),
            "the bug `b` needs a kind of finding",
        ),
        (
            tail(
                "[[known-bug]]\nid = \"b\"\ntitle = \"t\"\nsymptom = { kinds = [\"unsound\"], laws = [\"top-met\"] }",
            ),
            "there is no law `top-met`; `assay rules --theory domains` lists them",
        ),
        (
            tail(
                "[[known-bug]]\nid = \"b\"\ntitle = \"t\"\nsymptom = { kinds = [\"unsound\"], operations = [\"asign\"] }",
            ),
            "unknown operation `asign` on elements; expected one of join, meet",
        ),
        (
            tail(
                "[[known-bug]]\nid = \"b\"\ntitle = \"t\"\nsymptom = { kinds = [\"unsound\"], laws = [\"top-meet\"] }",
            ),
            "the bug `b` has laws or domains, but the tool's kind is not `abstract-domains`",
        ),
        (
            tail(
                "[[known-bug]]\nid = \"b\"\ntitle = \"t\"\nvariants = [\"v\"]\nsymptom = { kinds = [\"crash\"] }",
            ),
            "the bug `b` names a variant `v` that does not exist",
        ),
        (
            run("claims = [\"precise\"]"),
            "a solver claims [\"sound\"] if it over-approximates, and otherwise",
        ),
        (run("claims = [\"sound\", \"bounded\"]"), "a solver claims [\"sound\"]"),
        (run("claims = [\"sound\"]\nfeatures = [\"models\"]"), "leave out the feature `models`"),
        (
            source("wheel = \"w\"\nprogram = \"p\""),
            "a package needs `versions`, a list of releases",
        ),
        (source("wheel = \"w\"\nversions = [\"1\"]"), "a wheel needs either `program`"),
        (source("debian = \"d\"\nversions = [\"1\"]"), "a Debian package needs `command`"),
        (
            source("suite = \"s\"\nversions = [\"1\"]"),
            "a `suite` of Debian needs `packages` and `versions`",
        ),
        (source("path = \"/bin/x\"\nversions = [\"1\"]"), "reports its version itself"),
        (
            source("wheel = \"w\"\nprogram = \"p\"\nversions = [\"1\"]\nversion = \"1\""),
            "`version` goes with `command` and `path`",
        ),
        (source("path = \"/bin/x\"\ndriver = \"d.py\""), "`program` and `driver` go with `wheel`"),
        (
            source("versions = [\"1\"]"),
            "a source is one of `wheel`, `debian`, `command` and `path`",
        ),
        (source("path = \"/bin/x\""), "at most one source can be a `command` or a `path`"),
        (
            source("wheel = \"w\"\nprogram = \"p\"\nversions = [\"1\", \"1\"]"),
            "the version 1 comes from two sources",
        ),
        (head("default-version = \"3\""), "default-version 3 comes from no source"),
    ];
    for (text, expected) in table {
        let error = read(&text).expect_err(&text);
        assert!(error.contains(expected), "{text}\n{error}\nexpected {expected}");
    }
    let named = read(&file("", "", "").replace("\"mine\"\ntitle", "\"my solver\"\ntitle"));
    assert_eq!(named, Err("mine.toml: `my solver` cannot be a target's name".to_owned()));
}

#[test]
fn a_user_adds_and_replaces_tools() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("mine.toml"), file("", "", "")).expect("it can be written");
    let z3 = file("", "", "").replace("\"mine\"", "\"z3\"").replace("Mine", "My own Z3");
    std::fs::write(folder.path().join("other.toml"), z3).expect("it can be written");
    std::fs::write(folder.path().join("notes.txt"), "not a target").expect("it can be written");
    let catalog = Catalog::load(&[folder.path().to_owned()]).expect("all files are right");
    assert_eq!(catalog.find("mine").expect("it was added").title, "Mine");
    assert_eq!(catalog.find("z3").expect("it was replaced").title, "My own Z3");
    assert_eq!(catalog.specs().count(), Catalog::builtin().specs().count() + 1);

    std::fs::write(folder.path().join("bad.toml"), "name = 3").expect("it can be written");
    let error = Catalog::load(&[folder.path().to_owned()]).expect_err("a file is wrong");
    assert!(matches!(&error, CatalogError::Spec(_)));
    assert!(error.to_string().contains("bad.toml: line 1: "), "{error}");
    assert!(matches!(Catalog::load(&["/no/such".into()]), Err(CatalogError::Files { .. })));
}

/// What the documentation shows is a target, and it tells of every feature.
#[test]
fn the_documented_example_is_right() {
    let page = include_str!("../../../docs/targets.md");
    let example = page.split("```toml\n").nth(1).expect("there is an example");
    let example = example.split("```").next().expect("it ends");
    let spec = read(example).expect("the example is right");
    assert_eq!((spec.variants.len(), spec.options.len(), spec.known_bugs.len()), (1, 1, 1));
    for (_, name) in assay_target::spec::Feature::ALL {
        assert!(page.contains(&format!("`{name}`")), "{name} is not documented");
    }
}
