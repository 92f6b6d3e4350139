//! `assay trigger` and `assay explain` with a real solver, on inputs that show one difficulty each.
//!
//! Where z3 cannot be had a test says `skipped`, unless `ASSAY_REQUIRE_TARGETS=1`.

mod common;

use common::{assay, have, text, text as text_of};
use serde_json::Value;
use std::fs;
use std::path::Path;

const Z3: &str = "z3@4.8.10";

/// An input, and the terms that it needs; `None` if any few will do.
struct Case {
    name: &'static str,
    text: &'static str,
    most: usize,
    terms: Option<&'static [&'static str]>,
}

const CASES: [Case; 21] = [
    Case {
        name: "theory-and-unification",
        text: "(declare-fun f (Int) Int)(declare-fun g (Int) Int)
            (assert (! (forall ((a Int)) (! (distinct (f a) 7) :pattern ((f a)))) :named never-seven))
            (assert (! (forall ((b Int)) (! (= b (f (g b))) :pattern ((f (g b))))) :named inverse))",
        most: 1,
        terms: Some(&["(f (g 7))"]),
    },
    Case {
        name: "three-values",
        text: "(declare-fun f (Int) Int)
            (assert (forall ((a Int)) (! (= (f a) 6) :pattern ((f a)))))
            (assert (forall ((b Int)) (! (= (f b) 7) :pattern ((f b)))))
            (assert (forall ((c Int)) (! (= (f c) 8) :pattern ((f c)))))",
        most: 1,
        terms: None,
    },
    Case {
        name: "every-disjunct",
        text: "(declare-fun f (Int) Int)
            (assert (forall ((a Int)) (! (=> (>= a 0) (> (f a) 7)) :pattern ((f a)))))
            (assert (forall ((b Int)) (! (=> (<= b 0) (= (f b) 6)) :pattern ((f b)))))",
        most: 1,
        terms: Some(&["(f 0)"]),
    },
    Case {
        name: "different-models",
        text: "(declare-fun quotient (Int Int) Int)
            (assert (forall ((n Int) (d Int))
              (! (= (to_real (quotient n d)) (/ (to_real n) (to_real d))) :pattern ((quotient n d)))))",
        most: 1,
        terms: None,
    },
    Case {
        name: "several-candidates",
        text: "(declare-sort S 0)(declare-fun step (S) S)(declare-fun in (S) Bool)
            (declare-const start S)(declare-const end S)
            (assert (forall ((p S)) (! (=> (in p) (and (in (step p)) (= (step p) end) (not (= p end))))
                                       :pattern ((step p)))))
            (assert (in start))",
        most: 2,
        terms: None,
    },
    Case {
        name: "two-copies",
        text: "(declare-fun f (Int) Int)(declare-fun g (Int) Int)
            (assert (forall ((a Int)) (! (not (= (f a) (f 7))) :pattern ((g a)))))",
        most: 1,
        terms: Some(&["(g 7)"]),
    },
    Case {
        name: "by-type",
        text: "(declare-sort O 0)(declare-fun some (O) O)(declare-fun get (O) O)(declare-const none O)
            (assert (forall ((e O)) (! (distinct (some e) none) :pattern ((some e)))))
            (assert (forall ((o O) (e O)) (! (=> (= e (get o)) (= (some e) o)) :pattern ((some e) (get o)))))
            (assert (forall ((o O) (e O)) (! (=> (= o (some e)) (= (get o) e)) :pattern ((some e) (get o)))))",
        most: 1,
        terms: Some(&["(some (get none))"]),
    },
    Case {
        name: "parts-of-terms",
        text: "(declare-fun f (Int) Int)(declare-fun g (Int) Int)
            (assert (forall ((a Int)) (! (= (f (g a)) a) :pattern ((f (g a))))))
            (assert (= (g 2020) (g 2021)))",
        most: 2,
        terms: None,
    },
    Case {
        name: "nested",
        text: "(declare-sort L 0)(declare-const nil L)(declare-fun empty (L) Bool)
            (declare-fun has (L Int) Bool)(declare-fun index (L Int) Int)(declare-fun witness (L) Int)
            (assert (forall ((l L)) (! (=> (= l nil) (empty l)) :pattern ((empty l)))))
            (assert (forall ((l L)) (! (or (empty l) (has l (witness l))) :pattern ((empty l)))))
            (assert (forall ((l L)) (! (=> (empty l) (forall ((e Int)) (! (not (has l e)) :pattern ((has l e)))))
                                          :pattern ((empty l)))))
            (assert (forall ((l L) (e Int)) (! (or (has l e) (= (index l e) (- 1))) :pattern ((has l e)))))
            (assert (forall ((l L) (e Int)) (! (<= 0 (index l e)) :pattern ((index l e)))))",
        most: 2,
        terms: None,
    },
    Case {
        name: "ground-fact",
        text: "(declare-fun len (Int) Int)(declare-fun nxt (Int) Int)
            (assert (forall ((n Int)) (! (< 0 (len n)) :pattern ((len (nxt n))))))
            (assert (forall ((n Int)) (! (or (= (nxt n) n) (= (len n) (+ 1 (len (nxt n))))) :pattern ((len (nxt n))))))
            (assert (forall ((n Int)) (! (=> (= (nxt n) n) (= (len n) 1)) :pattern ((len (nxt n))))))
            (assert (<= (len 7) 0))",
        most: 1,
        terms: Some(&["(len (nxt 7))"]),
    },
    Case {
        name: "nonlinear",
        text: "(declare-fun offset (Int Int Int) Int)
            (assert (forall ((a Int) (b Int) (size Int))
              (! (<= (* size (offset a b size)) (- a b)) :pattern ((offset a b size)))))",
        most: 1,
        terms: None,
    },
    Case {
        name: "synonyms",
        text: "(declare-sort Q 0)(declare-const none Q)(declare-fun at (Q Int) Int)
            (declare-fun sum (Q Int Int) Int)(declare-fun total (Q Int Int) Int)
            (assert (forall ((q Q) (l Int) (h Int)) (! (= (sum q l h) (total q l h)) :pattern ((sum q l h)))))
            (assert (forall ((q Q) (l Int) (h Int)) (! (=> (>= l h) (= (total q l h) 0)) :pattern ((sum q l h)))))
            (assert (forall ((q Q) (l Int) (h Int))
              (! (=> (<= l h) (= (total q l h) (+ (total q (+ l 1) h) (at q l)))) :pattern ((sum q l h)))))
            (assert (= (at none 0) (- 1)))",
        most: 2,
        terms: None,
    },
    Case {
        name: "multi-pattern",
        text: "(declare-sort B 0)(declare-fun f (Int) Int)(declare-fun g (B) Bool)
            (assert (forall ((a Int)) (! (distinct 7 (f a)) :pattern ((f a)))))
            (assert (forall ((b B) (a Int)) (! (or (g b) (= a (f a))) :pattern ((g b) (f a)))))
            (assert (forall ((b B)) (! (not (g b)) :pattern ((g b)))))",
        most: 2,
        terms: None,
    },
    Case {
        name: "alternatives",
        text: "(declare-fun f (Int) Int)(declare-fun h (Int) Int)
            (assert (forall ((a Int)) (! (and (= (f a) 1) (= (h a) (+ (f a) 1))) :pattern ((f a)) :pattern ((h a)))))
            (assert (forall ((a Int)) (! (= (h a) 3) :pattern ((h a)))))",
        most: 1,
        terms: None,
    },
    Case {
        name: "no-patterns",
        text: "(declare-sort U 0)(declare-fun p (U) Bool)
            (assert (forall ((a U)) (p a)))(assert (exists ((b U)) (not (p b))))",
        most: 0,
        terms: None,
    },
    Case {
        name: "sequences",
        text: "(declare-sort U 0)(declare-sort T 0)(declare-fun typ (U) T)(declare-fun Empty (T) U)
            (declare-fun Seq (T) T)(declare-fun Elem (T) T)(declare-fun Build (U Int U Int) U)
            (declare-fun Len (U) Int)
            (assert (forall ((t T)) (! (= t (Elem (Seq t))) :pattern ((Seq t)))))
            (assert (forall ((t T)) (! (= (Seq t) (typ (Empty t))) :pattern ((Empty t)))))
            (assert (forall ((s U) (i Int) (v U) (n Int))
              (! (= (typ (Build s i v n)) (Seq (typ v))) :pattern ((Build s i v n)))))
            (assert (forall ((s U)) (! (=> (= (typ s) (Seq (Elem (typ s)))) (>= (Len s) 0)) :pattern ((Len s)))))
            (assert (forall ((s U) (i Int) (v U) (n Int))
              (! (=> (= (typ s) (Seq (typ v))) (= n (Len (Build s i v n)))) :pattern ((Len (Build s i v n))))))",
        most: 1,
        terms: None,
    },
    Case {
        name: "boxes",
        text: "(declare-sort U 0)(declare-fun box (Int) U)(declare-fun unbox (U) Int)
            (declare-fun truth (U) Bool)(declare-fun of (Bool) U)
            (assert (forall ((i Int)) (! (= (unbox (box i)) i) :pattern ((box i)))))
            (assert (forall ((u U)) (! (= (of (truth u)) u) :pattern ((truth u)))))",
        most: 3,
        terms: None,
    },
    Case {
        name: "contents",
        text: "(declare-sort M 0)(declare-const empty M)(declare-fun add (M Int) M)
            (declare-fun card (M) Int)(declare-fun has (M Int) Bool)
            (assert (forall ((k Int)) (! (not (has empty k)) :pattern ((has empty k)))))
            (assert (forall ((m M) (k Int) (j Int))
              (! (= (has (add m k) j) (or (= j k) (has m j))) :pattern ((has (add m k) j)))))
            (assert (forall ((m M) (k Int))
              (! (or (has m k) (= (card (add m k)) (+ 1 (card m)))) :pattern ((card (add m k))))))
            (assert (forall ((m M) (k Int)) (! (= (card (add m k)) (card (add empty 0))) :pattern ((card (add m k))))))",
        most: 2,
        terms: None,
    },
    Case {
        name: "two-updates-at-one-key",
        text: "(declare-sort U 0)(declare-fun box (Int) U)(declare-fun unbox (U) Int)
            (declare-fun put (U U U) U)(declare-fun get (U U) U)
            (assert (forall ((i Int)) (! (= (unbox (box i)) i) :pattern ((box i)))))
            (assert (forall ((m U) (k U) (v U)) (! (= (get (put m k v) k) v) :pattern ((get (put m k v) k)))))
            (assert (forall ((m U) (k U) (v U) (w U))
              (! (= (put (put m k v) k w) (put m k v)) :pattern ((put (put m k v) k w)))))",
        most: 4,
        terms: None,
    },
    Case {
        name: "one-sort-for-all",
        text: "(declare-fun read (Int Int Int) Int)(declare-fun valid (Int) Int)(declare-const yes Int)
            (declare-const heap Int)(declare-const this Int)(declare-const owner Int)(declare-const next Int)
            (declare-const count Int)(declare-const a1 Int)(declare-const a2 Int)(declare-const a3 Int)
            (assert (distinct yes heap this owner next count a1 a2 a3))
            (assert (forall ((h Int) (o Int)) (! (=> (= (valid h) yes) (= (read h (read h o owner) owner) (read h o owner)))
              :pattern ((read h (read h o owner) owner)))))
            (assert (forall ((h Int) (o Int)) (! (=> (= (valid h) yes) (= (read h (read h o next) owner) (read h o owner)))
              :pattern ((read h (read h o next) owner)))))
            (assert (= (valid heap) yes))(assert (= (read heap this next) a1))
            (assert (not (= (read heap a1 count) (read heap (read heap this owner) count))))
            (assert (forall ((h Int) (o Int)) (! (= (read h o count) (read h (read h o owner) count)) :pattern ((read h (read h o owner) count)))))",
        most: 3,
        terms: None,
    },
    Case {
        name: "definitions-and-scopes",
        text: "(declare-fun f (Int) Int)
            (define-fun above ((n Int)) Bool (forall ((a Int)) (! (> (f a) n) :pattern ((f a)))))
            (push 1)(assert (= (f 0) 0))(pop 1)
            (assert (above 7))(assert (not (exists ((a Int)) (! (>= (f a) 7) :pattern ((f a))))))
            (check-sat)",
        most: 1,
        terms: None,
    },
];

#[test]
fn every_difficulty_class_is_refuted_with_its_terms() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let mut args = vec!["trigger", "--json", "--timeout", "30s", "--target", Z3];
    let names: Vec<String> = CASES.iter().map(|case| format!("{}.smt2", case.name)).collect();
    for (case, name) in CASES.iter().zip(&names) {
        fs::write(folder.path().join(name), case.text).expect("a temporary file");
    }
    args.extend(names.iter().map(String::as_str));
    let done = assay(folder.path(), &args);
    let text = String::from_utf8(done.stdout).expect("JSON is text");
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    assert_eq!(records.len(), CASES.len(), "{text}");
    assert_eq!(done.status.code(), Some(1));
    for (case, record) in CASES.iter().zip(&records) {
        if case.most == 0 {
            assert_eq!(record["outcome"], "already-refuted", "{record}");
            continue;
        }
        assert_eq!(record["outcome"], "refuted", "{}: {record}", case.name);
        assert_eq!(record["minimal"], true, "{}: {record}", case.name);
        let terms: Vec<&str> = record["terms"]
            .as_array()
            .expect("a list of terms")
            .iter()
            .map(|term| term.as_str().expect("terms are text"))
            .collect();
        assert!((1..=case.most).contains(&terms.len()), "{}: {record}", case.name);
        if let Some(expected) = case.terms {
            assert_eq!(terms, expected, "{}", case.name);
        }
    }
}

#[test]
fn fix_writes_a_refutable_file_and_runs_repeat() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let case = &CASES[0];
    fs::write(folder.path().join("in.smt2"), case.text).expect("a temporary file");
    let args = ["trigger", "in.smt2", "--target", Z3, "--fix", "out.smt2", "--suggest"];
    let first = assay(folder.path(), &args);
    let words = text(&first.stdout);
    assert_eq!(first.status.code(), Some(1), "{words}");
    assert!(words.contains("(f (g 7))") && words.contains("never-seven, inverse"), "{words}");
    assert!(words.contains("suggestion: "), "{words}");
    let file = fs::read_to_string(folder.path().join("out.smt2")).expect("it was written");
    assert!(
        file.contains(":smt.mbqi false") && file.contains("(assert (dummy (f (g 7))))"),
        "{file}"
    );
    // The file alone is refuted by E-matching: nothing is left to be found.
    let again = assay(folder.path(), &["trigger", "--json", "out.smt2", "--target", Z3]);
    let record: Value = serde_json::from_slice(&again.stdout).expect("a record");
    assert_eq!(record["outcome"], "already-refuted", "{record}");
    let second = assay(folder.path(), &args);
    let without_time = |bytes: &[u8]| {
        let text = text(bytes);
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(without_time(&first.stdout), without_time(&second.stdout));
}

#[test]
fn examples_name_the_axioms_and_have_no_quantifiers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    fs::write(folder.path().join("in.smt2"), CASES[0].text).expect("a temporary file");
    let done = assay(folder.path(), &["explain", "--json", "in.smt2", "--target", Z3]);
    assert_eq!(done.status.code(), Some(1));
    let record: Value = serde_json::from_slice(&done.stdout).expect("a record");
    assert_eq!(record["axioms"], serde_json::json!(["never-seven", "inverse"]), "{record}");
    let steps = record["steps"].as_array().expect("a list of steps");
    assert_eq!(steps.len(), 2, "{record}");
    assert!(steps.iter().all(|step| !step["formula"].to_string().contains("forall")), "{record}");
    let script = assay(folder.path(), &["explain", "--script", "in.smt2", "--target", Z3]);
    let script = text(&script.stdout);
    assert!(!script.contains("forall") && script.contains("(check-sat)"), "{script}");
}

/// The record that a run with these arguments prints, without its time.
fn record(args: &[&str], folder: &Path) -> Value {
    let done = assay(folder, args);
    let mut record: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| {
        panic!("{args:?}: {}", text(&done.stderr));
    });
    record.as_object_mut().expect("a record").remove("seconds");
    record
}

#[test]
fn each_technique_finds_terms_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    fs::write(folder.path().join("in.smt2"), CASES[0].text).expect("a temporary file");
    let ways = ["enumeration", "proof", "C0", "C1", "C2", "C3", "C4"];
    for way in ways {
        let args = ["trigger", "--json", "in.smt2", "--target", Z3, "--config", way];
        let record = record(&args, folder.path());
        assert_eq!(record["outcome"], "refuted", "{way}: {record}");
        assert_eq!(record["way"], way, "{record}");
        assert_eq!(record["terms"], serde_json::json!(["(f (g 7))"]), "{way}: {record}");
    }
    // The second prover is used where it is installed, and its absence is no failure.
    let args = ["trigger", "--json", "in.smt2", "--target", Z3, "--config", "cvc5"];
    let record = record(&args, folder.path());
    if record["outcome"] == "gave-up" {
        let words = record["detail"].as_str().expect("words");
        assert!(words.contains("no refutation by cvc5"), "{record}");
        eprintln!("skipped: {words}");
    } else {
        assert_eq!((&record["way"], &record["outcome"]), (&"cvc5".into(), &"refuted".into()));
    }
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    for name in ["sequences", "by-type", "several-candidates"] {
        let case = CASES.iter().find(|case| case.name == name).expect("a case of this name");
        fs::write(folder.path().join("in.smt2"), case.text).expect("a temporary file");
        let args = ["trigger", "--json", "in.smt2", "--target", Z3, "--rng", "7"];
        let first = record(&args, folder.path());
        assert_eq!(first["outcome"], "refuted", "{first}");
        assert_eq!(first, record(&args, folder.path()));
    }
}

#[test]
fn all_gives_one_set_for_each_distinct_core() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let text = "(declare-fun f (Int) Int)(declare-fun g (Int) Int)(declare-fun h (Int) Int)
        (assert (! (forall ((a Int)) (! (= (f a) 6) :pattern ((f a)))) :named six))
        (assert (! (forall ((a Int)) (! (= (f a) 7) :pattern ((f a)))) :named seven))
        (assert (! (forall ((a Int)) (! (> (g a) 1) :pattern ((g a)))) :named more))
        (assert (! (forall ((a Int)) (! (< (g a) 1) :pattern ((g a)))) :named less))
        (assert (! (forall ((a Int)) (! (= (h a) a) :pattern ((h a)))) :named same))";
    fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
    let record = record(&["trigger", "--json", "--all", "in.smt2", "--target", Z3], folder.path());
    assert_eq!(record["outcome"], "refuted", "{record}");
    let names = |set: &Value| -> Vec<String> {
        let core = set["core"].as_array().expect("a core").iter();
        core.map(|axiom| axiom["axiom"].as_str().expect("a name").to_owned()).collect()
    };
    let mut cores = vec![names(&record)];
    cores.extend(record["alternatives"].as_array().expect("alternatives").iter().map(names));
    cores.sort();
    assert_eq!(cores, [["more", "less"], ["six", "seven"]], "{record}");
}

#[test]
fn assertions_are_left_out_by_name_qid_or_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let text = "(declare-fun f (Int) Int)
        (assert (! (forall ((a Int)) (! (= (f a) 6) :pattern ((f a)) :qid six)) :named first))
        (assert (forall ((a Int))
           (! (= (f a) 7) :pattern ((f a)) :qid |seven|)))";
    fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
    for axiom in ["first", "six", "seven", "|seven|", "2", "4"] {
        let args = ["trigger", "--json", "in.smt2", "--target", Z3, "--without", axiom];
        let record = record(&args, folder.path());
        assert_ne!(record["outcome"], "refuted", "{axiom}: {record}");
        assert_eq!(record["without"], serde_json::json!([axiom]), "{record}");
    }
    let args = ["trigger", "in.smt2", "--target", Z3, "--without", "eight"];
    let done = assay(folder.path(), &args);
    assert_eq!(done.status.code(), Some(2));
    let words = text_of(&done.stderr);
    assert!(words.contains("`eight`") && words.contains("first"), "{words}");
}

/// A file with the casts of Boogie, and what else is given.
fn with_casts(more: &str) -> String {
    format!(
        "(declare-sort |T@U| 0)(declare-fun bool_2_U (Bool) |T@U|)(declare-fun U_2_bool (|T@U|) Bool)
        (declare-fun int_2_U (Int) |T@U|)(declare-fun U_2_int (|T@U|) Int)(declare-fun f (|T@U|) Int)
        (assert (! (forall ((i Int)) (! (= (U_2_int (int_2_U i)) i) :pattern ((int_2_U i)))) :named int))
        (assert (! (forall ((x |T@U|)) (! (= (bool_2_U (U_2_bool x)) x) :pattern ((U_2_bool x)))) :named cast))
        {more}"
    )
}

#[test]
fn known_artefacts_are_reported_and_do_not_end_the_search() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let own = "(assert (! (forall ((x |T@U|)) (! (> (f x) 7) :pattern ((f x)))) :named above))
        (assert (! (forall ((x |T@U|)) (! (< (f x) 7) :pattern ((f x)))) :named below))";
    fs::write(folder.path().join("own.smt2"), with_casts(own)).expect("a temporary file");
    fs::write(folder.path().join("cast.smt2"), with_casts("")).expect("a temporary file");
    let own = record(&["trigger", "--json", "own.smt2", "--target", Z3], folder.path());
    assert_eq!((&own["outcome"], &own["verdict"]), (&"refuted".into(), &"inconsistent".into()));
    assert_eq!(own["terms"], serde_json::json!(["(f any!T@U)"]), "{own}");
    assert_eq!(own["artefacts"][0]["axiom"], "cast", "{own}");
    assert_eq!(own["through"], serde_json::json!([]), "{own}");
    let cast = record(&["trigger", "--json", "cast.smt2", "--target", Z3], folder.path());
    assert_eq!(
        (&cast["outcome"], &cast["verdict"]),
        (&"refuted".into(), &"modulo-patterns".into()),
        "{cast}"
    );
    assert_eq!(cast["through"], serde_json::json!(["boogie-unguarded-cast"]), "{cast}");
}

#[test]
fn axioms_without_matching_patterns_are_unsatisfiable_modulo_patterns() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let text = "(declare-sort S 0)(declare-const a S)(declare-const b S)
        (assert (! (forall ((x S) (y S)) (= x y)) :named one))(assert (! (not (= a b)) :named two))";
    fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
    let args = ["trigger", "--json", "in.smt2", "--target", Z3, "--timeout", "10s"];
    let record = record(&args, folder.path());
    assert_eq!(record["verdict"], "modulo-patterns", "{record}");
    let words = record["detail"].as_str().expect("words");
    assert!(words.starts_with("unsatisfiable, but not by its triggers"), "{record}");
}

#[test]
fn a_folder_gives_one_table_and_records_in_order() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let inner = folder.path().join("all/inner");
    fs::create_dir_all(&inner).expect("a temporary folder");
    fs::write(inner.join("b.smt2"), CASES[0].text).expect("a temporary file");
    fs::write(folder.path().join("all/c.smt2"), "(declare-const a Int)(assert (> a 1))")
        .expect("a temporary file");
    fs::write(folder.path().join("all/a.smt2"), "(assert").expect("a temporary file");
    fs::write(folder.path().join("all/notes.txt"), "no script").expect("a temporary file");
    let args = ["trigger", "all", "--target", Z3, "--jobs", "2"];
    let done = assay(folder.path(), &args);
    assert_eq!(done.status.code(), Some(2), "{}", text_of(&done.stderr));
    let words = text_of(&done.stdout);
    let at = |word: &str| words.find(word).unwrap_or_else(|| panic!("{word}: {words}"));
    assert!(at("all/a.smt2") < at("all/c.smt2") && at("all/c.smt2") < at("all/inner/b.smt2"));
    assert!(words.contains("3 files: 1 error, 1 sat, 1 refuted"), "{words}");
    let json = assay(folder.path(), &["trigger", "all", "--json", "--target", Z3]);
    let files: Vec<Value> = text_of(&json.stdout)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a record")["file"].clone())
        .collect();
    assert_eq!(files, ["all/a.smt2", "all/c.smt2", "all/inner/b.smt2"]);
}

#[test]
fn the_parameters_of_the_paper_are_flags_of_its_configurations() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    fs::write(folder.path().join("in.smt2"), CASES[0].text).expect("a temporary file");
    let flags = ["--sigma", "0.2", "--delta", "1", "--mu", "2", "--beta", "8", "--phi", "1"];
    let mut args = vec!["trigger", "--json", "in.smt2", "--target", Z3, "--config", "C0"];
    args.extend(flags);
    args.extend(["--formulas", "20"]);
    assert_eq!(record(&args, folder.path())["outcome"], "refuted");
    // They are parameters of C0 to C4 only, within their ranges.
    for wrong in [
        &["--mu", "2"][..],
        &["--config", "proof", "--mu", "2"],
        &["--config", "C0", "--sigma", "2"],
    ] {
        let mut args = vec!["trigger", "in.smt2", "--target", Z3];
        args.extend(wrong);
        assert_eq!(assay(folder.path(), &args).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn later_rounds_ask_for_new_models() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    // Figure 4.9: the first models of this version have integers as quotients.
    let text = "(declare-fun quotient (Int Int) Int)
        (assert (forall ((x Int) (y Int))
          (! (= (to_real (quotient x y)) (/ (to_real x) (to_real y))) :pattern ((quotient x y)))))";
    fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
    for config in ["C0", "C1", "C2", "C3", "C4"] {
        let args = ["trigger", "--json", "in.smt2", "--target", Z3, "--config", config];
        let record = record(&args, folder.path());
        assert_eq!(record["outcome"], "refuted", "{config}: {record}");
    }
}

#[test]
fn a_suggestion_that_begins_a_matching_loop_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let text = "(declare-fun len (Int) Int)(declare-fun nxt (Int) Int)
        (assert (! (forall ((n Int)) (! (= (len n) (+ 1 (len (nxt n)))) :pattern ((len (nxt n))))) :named step))
        (assert (! (forall ((n Int)) (! (> (len (nxt n)) 5) :pattern ((len (nxt n))))) :named long))
        (assert (! (= (len 7) 1) :named short))";
    fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
    let args = ["trigger", "--json", "--suggest", "in.smt2", "--target", Z3];
    let record = record(&args, folder.path());
    assert_eq!(record["terms"], serde_json::json!(["(len (nxt 7))"]), "{record}");
    let suggestions = record["suggestions"].to_string();
    assert!(!suggestions.contains("pattern ((len n))"), "{record}");
    assert!(suggestions.contains("mention"), "{record}");
}

#[test]
fn an_explanation_is_a_chain_of_steps() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let text = "(declare-fun f (Int) Int)(declare-fun g (Int) Int)(declare-fun h (Int) Int)
        (assert (! (forall ((a Int)) (! (= (f a) (+ 1 (g a))) :pattern ((f a)))) :named to-g))
        (assert (! (forall ((b Int)) (! (= (g b) (h b)) :pattern ((g b)))) :named to-h))
        (assert (! (forall ((c Int)) (! (< (h c) 3) :pattern ((h c)))) :named small))
        (assert (! (forall ((d Int)) (! (> (f d) 9) :pattern ((f d)))) :named large))";
    fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
    let done = assay(folder.path(), &["explain", "in.smt2", "--target", Z3]);
    assert_eq!(done.status.code(), Some(1));
    let words = text_of(&done.stdout);
    for part in [
        "added terms: (f ",
        "triggered, because (f ",
        "is added",
        "is in step",
        "contradict each other",
        "At fault: an axiom",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let at = |name: &str| words.find(&format!(". {name} (line")).expect("a step");
    assert!(at("to-g") < at("to-h") && at("to-h") < at("small"), "{words}");
}

#[test]
fn a_first_order_prover_is_a_source_of_instances() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) || !have("eprover") {
        return;
    }
    for name in ["theory-and-unification", "by-type", "ground-fact-of-sort"] {
        let text = match CASES.iter().find(|case| case.name == name) {
            Some(case) => case.text,
            None => {
                "(declare-sort S 0)(declare-fun p (S) Bool)(declare-fun q (S S) Bool)(declare-fun n (S) S)
                 (declare-const a S)
                 (assert (forall ((x S)) (! (=> (p x) (p (n x))) :pattern ((p (n x))))))
                 (assert (forall ((x S) (y S)) (! (=> (p x) (q x y)) :pattern ((q x y)))))
                 (assert (forall ((x S)) (! (not (q (n (n x)) x)) :pattern ((q (n (n x)) x)))))
                 (assert (p a))"
            }
        };
        fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
        let args = ["trigger", "--json", "in.smt2", "--target", Z3, "--config", "first-order"];
        let record = record(&args, folder.path());
        assert_eq!(record["outcome"], "refuted", "{name}: {record}");
        assert_eq!(record["way"], "first-order", "{name}: {record}");
    }
}

#[test]
fn the_solver_may_infer_the_patterns() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let text = "(declare-fun f (Int) Int)(declare-fun g (Int Int) Int)
        (assert (forall ((a Int) (b Int)) (> (f (g a b)) (f b))))
        (assert (forall ((a Int)) (< (f a) (f (+ a 1)))))
        (assert (forall ((a Int) (b Int)) (! (= (g a b) (- b 1)) :pattern ((g a b)))))";
    fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
    for who in ["ours", "z3"] {
        let args = ["trigger", "--json", "in.smt2", "--target", Z3, "--patterns", who];
        let record = record(&args, folder.path());
        assert_eq!(record["outcome"], "refuted", "{who}: {record}");
    }
}

#[test]
fn a_model_is_checked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let text = "(declare-sort S 0)(declare-fun p (S) Bool)(declare-const a S)(declare-const b S)
        (assert (! (forall ((x S)) (! (or (p x) (= x b)) :pattern ((p x)))) :named most))
        (assert (! (not (= a b)) :named apart))";
    fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
    let record = record(&["trigger", "--json", "in.smt2", "--target", Z3], folder.path());
    assert_eq!(record["outcome"], "sat", "{record}");
    assert_eq!(record["checked"], true, "{record}");
    assert!(record["model"].as_str().is_some_and(|model| model.contains("define-fun p")));
}

#[test]
fn matching_loops_have_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let text = "(declare-sort S 0)(declare-fun f (S S) S)(declare-fun p (S) Bool)
        (assert (! (forall ((x S) (y S)) (! (and (p (f (f x y) x)) (p (f (f y x) y)) (p (f y (f x x))))
                     :pattern ((f x y)))) :named growth))";
    fs::write(folder.path().join("in.smt2"), text).expect("a temporary file");
    let args = [
        "trigger",
        "--json",
        "in.smt2",
        "--target",
        Z3,
        "--config",
        "enumeration",
        "--timeout",
        "9s",
    ];
    let record = record(&args, folder.path());
    let words = record["detail"].as_str().expect("words");
    assert!(words.contains("matching loops go through growth"), "{record}");
}

#[test]
fn unsuitable_inputs_have_an_outcome() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    if !have(Z3) {
        return;
    }
    let inputs = [
        ("no-quantifiers", "(declare-const a Int)(assert (> a 1))", "sat"),
        ("contradiction", "(declare-const a Int)(assert (> a a))", "already-refuted"),
        (
            "satisfiable",
            "(declare-fun f (Int) Int)(assert (forall ((a Int)) (! (> (f a) 7) :pattern ((f a)))))",
            "sat",
        ),
        ("nothing", "", "sat"),
        // A name that is taken in z3: what it says about the rest is not about the file.
        ("refused", "(declare-sort List 0)(assert (forall ((a List) (b List)) (= a b)))", "gave-up"),
        (
            "match",
            "(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))(declare-fun len (L) Int)
             (assert (forall ((l L)) (= (len l) (match l ((nil 0) ((cons h t) (+ 1 (len t))))))))",
            "gave-up",
        ),
        (
            "loop",
            "(declare-fun f (Int) Int)
             (assert (forall ((a Int)) (! (and (> (f a) a) (= (f (f a)) (f (+ a 1)))) :pattern ((f a)))))
             (assert (> (f 0) 0))(check-sat)(get-model)",
            "timeout gave-up sat",
        ),
    ];
    for (name, text, expected) in inputs {
        let file = format!("{name}.smt2");
        fs::write(folder.path().join(&file), text).expect("a temporary file");
        let args = ["trigger", "--json", "--timeout", "6s", "--target", Z3, &file];
        let done = assay(folder.path(), &args);
        let record: Value = serde_json::from_slice(&done.stdout).expect("a record");
        let outcome = record["outcome"].as_str().expect("an outcome");
        assert!(expected.split(' ').any(|one| one == outcome), "{name}: {record}");
        assert_eq!(done.status.code(), Some(0), "{name}");
        assert!(record["seconds"].as_f64().is_some_and(|seconds| seconds < 12.0), "{record}");
    }
}
