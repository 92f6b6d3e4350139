//! Any text as the output of a solver: it is read or refused, and never believed beyond reading.

#![no_main]

use assay_smtlib::{
    Lets, read_core, read_model, read_objectives, read_script, read_values, responses,
};
use assay_term::{Store, satisfies};
use libfuzzer_sys::fuzz_target;

const SCRIPT: &str = "
    (declare-sort U 0)
    (declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
    (declare-const u U)
    (declare-const l (List Int))
    (declare-const x Int)
    (declare-const r Real)
    (declare-const b (_ BitVec 8))
    (declare-const f Float16)
    (declare-const s String)
    (declare-const a (Array Int Int))
    (declare-fun g (Int U) Int)
    (assert (= (g x u) (select a (div x 0))))
    (assert (or (= s \"\") (= l (cons x (as nil (List Int)))) (fp.isNaN f) (= b #x00) (> r 0.0)))
";

fuzz_target!(|output: &str| {
    let _ = responses(output);
    let _ = read_core(output);
    let mut store = Store::new();
    let (script, env) =
        read_script(&mut store, SCRIPT.as_bytes(), Lets::Keep).expect("our own script");
    let asked: Vec<_> = script.active_assertions().iter().map(|a| a.0).collect();
    let _ = read_values(&mut store, &env, &asked, output);
    let _ = read_objectives(&mut store, &env, output);
    if let Ok(model) = read_model(&mut store, &env, output) {
        let assertions: Vec<_> = script.active_assertions().iter().map(|a| a.0).collect();
        let _ = satisfies(&store, &model, &assertions);
    }
});
