//! What the standard leaves to scripts: names of theories that their logic does not have, names of
//! extensions, variables of one name, and bytes that are not text.

mod support;

use assay_smtlib::{Command, Lets, Printer, bytes_of, read_script};
use assay_term::{Func, Op, Store, Term, quoted};
use support::{read, round_trip};

/// The names that the standard fixes in every logic.
const CORE: [&str; 10] = ["true", "false", "not", "=>", "and", "or", "xor", "=", "distinct", "ite"];
/// The names that reading and printing numbers makes use of.
const ARITHMETIC: [&str; 4] = ["-", "+", "*", "to_real"];

/// Every name and alias of the operator table.
fn names() -> Vec<&'static str> {
    let spellings = Op::all().flat_map(|op| {
        let row = op.row();
        std::iter::once(row.name).chain(row.aliases.iter().map(|alias| alias.name))
    });
    spellings.collect()
}

/// Ways to give a name a meaning and use it.
const DECLARATIONS: &[&str] = &[
    "(declare-sort U 0) (declare-fun NAME (U U) U) (declare-const c U) (assert (= (NAME c c) c))",
    "(declare-const NAME Bool) (assert (and NAME (not NAME)))",
    "(define-fun NAME ((x Bool)) Bool (not x)) (assert (NAME true))",
    "(define-fun-rec NAME ((x Bool)) Bool (=> x (NAME x))) (assert (NAME true))",
    "(define-const NAME Bool true) (assert NAME)",
    "(declare-datatype D ((NAME) (other (field Bool)))) (declare-const d D) (assert (= d NAME))",
    "(declare-datatype D ((mk (NAME Bool)))) (declare-const d D) (assert (NAME d))",
    "(assert (! true :named NAME)) (assert NAME)",
];

/// Ways to bind a name, which any name allows.
const BINDINGS: &[&str] = &[
    "(assert (forall ((NAME Bool)) NAME))",
    "(assert (let ((NAME true)) NAME))",
    "(define-fun f ((NAME Bool)) Bool NAME)",
];

fn uses_the_scripts_own(unit: &support::Unit, name: &str) -> bool {
    unit.store.postorder(&unit.script.terms()).into_iter().any(|term| {
        let own = |func| {
            !matches!(unit.store.func(func), Func::Op(..)) && unit.store.func_symbol(func) == name
        };
        match unit.store.get(term) {
            Term::App(func, _) => own(func),
            Term::Var(symbol) => unit.store.symbols.name(symbol) == name,
            _ => false,
        }
    })
}

#[test]
fn declarations_hide_every_operator_that_is_not_fixed() {
    let names = names();
    assert!(names.len() > 200, "the whole table");
    for name in names.into_iter().chain(["lambda", "is-cons", "const", "as-array", "update-field"])
    {
        let fixed = CORE.contains(&name) || ARITHMETIC.contains(&name);
        let texts = BINDINGS.iter().chain(if fixed { &[] } else { DECLARATIONS });
        for text in texts {
            let unit = round_trip(&text.replace("NAME", &quoted(name)));
            assert!(uses_the_scripts_own(&unit, name), "`{name}` in {text}");
        }
        if fixed {
            for text in DECLARATIONS {
                let text = text.replace("NAME", name);
                let refused = read_script(&mut Store::new(), text.as_bytes(), Lets::Keep).is_err();
                assert!(refused, "{text}");
            }
        }
    }
}

#[test]
fn a_logic_without_arithmetic_leaves_its_names_to_the_script() {
    for name in ARITHMETIC {
        for text in DECLARATIONS {
            let text = format!("(set-logic QF_UF) {}", text.replace("NAME", name));
            let unit = round_trip(&text);
            assert!(uses_the_scripts_own(&unit, name), "{text}");
            let text = text.replace("QF_UF", "QF_UFLIA");
            let refused = read_script(&mut Store::new(), text.as_bytes(), Lets::Keep).is_err();
            assert!(refused, "{text}");
        }
    }
}

#[test]
fn a_logic_leaves_the_sorts_of_other_theories_to_the_script() {
    let all = ["Int", "Real", "Array", "String", "RegLan", "RoundingMode", "Float32", "Bool"];
    let table: &[(&str, &[&str])] = &[
        ("QF_UF", &["Bool"]),
        ("UF", &["Bool"]),
        ("QF_AX", &["Bool", "Array"]),
        ("QF_LIA", &["Bool", "Int", "Real"]),
        ("QF_SLIA", &["Bool", "Int", "Real", "String", "RegLan"]),
        ("QF_BV", &["Bool"]),
        ("QF_FP", &["Bool", "Real", "RoundingMode", "Float32"]),
        ("ALL", &all),
    ];
    let extensions =
        ["Seq", "RegEx", "Set", "Bag", "Tuple", "Relation", "Table", "BitVec", "Unicode"];
    for (logic, theirs) in table {
        for sort in all.into_iter().chain(extensions) {
            for arity in 0..2 {
                let used = if arity == 0 { sort.to_owned() } else { format!("({sort} Bool)") };
                let text = format!(
                    "(set-logic {logic}) (declare-sort {sort} {arity}) (declare-const c {used}) \
                     (declare-fun f ({used}) {used}) (assert (= c (f c)))"
                );
                if theirs.contains(&sort) {
                    let read = read_script(&mut Store::new(), text.as_bytes(), Lets::Keep);
                    let error = read.expect_err("a sort of the logic's theories");
                    assert!(error.message.contains("declared already"), "{error}");
                } else {
                    round_trip(&text);
                }
            }
            let define = format!(
                "(set-logic {logic}) (define-sort {sort} () Bool) (declare-const c {sort}) (assert c)"
            );
            let datatype =
                format!("(set-logic {logic}) (declare-datatype {sort} ((c))) (assert (= c c))");
            if !theirs.contains(&sort) {
                round_trip(&define);
                round_trip(&datatype);
            }
        }
    }
}

#[test]
fn a_sort_that_shadows_a_theory_sort_is_local_to_its_scope() {
    let text = "(set-logic QF_UF) (declare-const i Int) (push 1) (declare-sort Int 0) \
                (declare-const u Int) (assert (= u u)) (pop 1) (assert (= i 1))";
    round_trip(text);
    let text = "(declare-const i Int) (declare-datatype P (par (Int) ((mk (field Int))))) \
                (declare-const p (P Bool)) (assert (field p)) (assert (= i 1))";
    round_trip(text);
}

#[test]
fn names_of_the_script_do_not_shadow_indexed_operators() {
    let words = ["is", "tester", "update", "update-field", "as-array", "map", "const", "char"];
    for word in words {
        let text = format!(
            "(declare-datatype L ((nil) (cons (head Int) (tail L)))) (declare-const l L)
             (declare-fun {word} (L) Bool) (declare-fun f (Int) Int) (declare-const a (Array Int Int))
             (assert ({word} l)) (assert ((_ is cons) l)) (assert (= ((_ update head) l 1) l))
             (assert (= (_ as-array f) a)) (assert (= ((_ map f) a) ((as const (Array Int Int)) 1)))
             (assert (= (_ char #x41) \"A\"))"
        );
        let unit = round_trip(&text);
        assert!(uses_the_scripts_own(&unit, word));
    }
}

#[test]
fn a_reset_permits_another_logic() {
    round_trip("(set-logic QF_UF) (reset) (set-logic QF_LIA) (declare-const x Int)");
}

#[test]
fn the_last_of_several_variables_with_one_name_counts() {
    let unit = round_trip("(assert (forall ((x Int) (y Int) (x Bool)) (or x (= y 0))))");
    let [Command::Assert(term)] = unit.script.commands[..] else { panic!("one assertion") };
    let printed = Printer::new(&unit.store).term(term);
    assert_eq!(printed, "(forall ((y Int) (x Bool)) (or x (= y 0)))");
    round_trip("(set-logic HO_ALL) (assert (= ((lambda ((x Int) (x Bool)) x) 1 true) true))");
    for text in [
        "(assert (exists ((x Bool) (x Bool) (x Bool)) x))",
        "(assert (exists ((x Int) (x Bool)) x))",
    ] {
        let unit = round_trip(text);
        let model = assay_term::Model::new();
        let [Command::Assert(term)] = unit.script.commands[..] else { panic!("one assertion") };
        assert_eq!(assay_term::Evaluator::new(&unit.store, &model).holds(term), Ok(true));
    }
}

#[test]
fn bytes_that_are_not_text_stay_as_they_are() {
    let texts: &[(&[u8], &[u8])] = &[
        (b"(echo \"caf\xe9 \xff\")", b"(echo \"caf\xe9 \xff\")\n"),
        (b"; \xe9\n(check-sat)", b"(check-sat)\n"),
        (b"(set-info :source |caf\xe9|)", b"(set-info :source |caf\xe9|)\n"),
        (b"(set-info :source \"\x80\xc3\")", b"(set-info :source \"\x80\xc3\")\n"),
        (b"(declare-const |\xff\xfe| Bool)", b"(declare-const |\xff\xfe| Bool)\n"),
        (b"(assert (! true :note |\xc3|))", b"(assert (! true :note |\xc3|))\n"),
        (
            "(declare-const |\u{e9}\u{10FFFF}| Bool)".as_bytes(),
            "(declare-const |\u{e9}\u{10FFFF}| Bool)\n".as_bytes(),
        ),
        // A string is written as the standard writes it; a byte is a character.
        (b"(assert (= \"\xe9\" \"\"))", b"(assert (= \"\\u{e9}\" \"\"))\n"),
    ];
    for (bytes, expected) in texts {
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, bytes, Lets::Keep).expect("bytes in their place");
        let printed = Printer::new(&store).script(&script);
        assert_eq!(&*bytes_of(&printed), *expected);
        let (again, _) =
            read_script(&mut store, &bytes_of(&printed), Lets::Keep).expect("what we print");
        assert_eq!(again.commands, script.commands);
    }
}

#[test]
fn places_of_commands_count_bytes() {
    let bytes = b"; \xe9\xe9\xe9\n(assert true) ; \xff\n(check-sat)";
    let (script, _) = read_script(&mut Store::new(), bytes, Lets::Keep).expect("two commands");
    assert_eq!(script.offsets, [6, 24]);
    let at = script.offsets[1] as usize;
    assert!(bytes[at..].starts_with(b"(check-sat)"));
}

#[test]
fn names_in_different_encodings_stay_distinct() {
    let unit = read("(declare-const |\u{e9}| Bool)", Lets::Keep);
    let mut store = unit.store.clone();
    let (script, _) =
        read_script(&mut store, b"(declare-const |\xe9| Bool)", Lets::Keep).expect("a name");
    assert_ne!(script.commands, unit.script.commands);
}
