//! The bounded-model-checking flavour: one small definition per wire and step, no lets.

use super::rng::Rng;
use super::term::{Sort, Vocabulary, Writer};
use super::{declare_fun, names::Names};

/// How many earlier wires of a sort a definition may use: about the width of one unrolled step.
const WINDOW: usize = 400;

struct Sorts {
    boolean: Sort,
    bit: Sort,
    byte: Sort,
    word: Sort,
}

/// Writes unrolled steps until `out` holds `bytes` bytes.
pub(super) fn write(out: &mut String, bytes: usize, rng: &mut Rng) {
    let mut names = Names::default();
    let mut vocabulary = Vocabulary::default();
    let sorts = Sorts {
        boolean: vocabulary.sort("Bool", None),
        bit: vocabulary.sort("(_ BitVec 1)", Some(|rng| format!("#b{}", rng.below(2)))),
        byte: vocabulary.sort("(_ BitVec 8)", Some(|rng| format!("#b{:08b}", rng.below(256)))),
        word: vocabulary.sort("(_ BitVec 32)", Some(word_literal)),
    };
    add_gates(&mut vocabulary, &sorts);
    out.push_str("(set-logic QF_BV)\n");
    let mut writer = Writer::new(&mut vocabulary, rng, 0);
    let mut step = 0;
    while out.len() < bytes {
        out.push_str(&format!("; step {step}\n"));
        inputs(out, &mut writer, &sorts, step);
        definitions(out, &mut writer, &sorts, &mut names);
        properties(out, &mut writer, &sorts);
        step += 1;
    }
}

fn word_literal(rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => format!("#x{:08x}", rng.next() >> 32),
        1 => format!("(_ bv{} 32)", rng.below(256)),
        _ => format!("#b{:032b}", rng.below(1 << 16)),
    }
}

fn add_gates(vocabulary: &mut Vocabulary, sorts: &Sorts) {
    let Sorts { boolean, bit, byte, word } = *sorts;
    let vectors = [bit, byte, word];
    for sort in vectors {
        vocabulary.functions(sort, &["bvand", "bvor", "bvxor"], &[sort; 2]);
        vocabulary.function(sort, "bvnot", &[sort]);
        vocabulary.functions(sort, &["ite", "ite"], &[boolean, sort, sort]);
        vocabulary.functions(boolean, &["=", "distinct", "bvult"], &[sort; 2]);
    }
    let arithmetic = ["bvadd", "bvsub", "bvmul", "bvshl", "bvlshr", "bvudiv"];
    for sort in [byte, word] {
        vocabulary.functions(sort, &arithmetic, &[sort; 2]);
        vocabulary.functions(boolean, &["bvslt", "bvsle", "bvuge"], &[sort; 2]);
    }
    vocabulary.functions(boolean, &["and", "or", "=>"], &[boolean; 2]);
    vocabulary.function(boolean, "not", &[boolean]);
    vocabulary.functions(bit, &["(_ extract 0 0)", "(_ extract 31 31)"], &[word]);
    vocabulary.functions(byte, &["(_ extract 7 0)", "(_ extract 23 16)"], &[word]);
    vocabulary.function(byte, "(_ zero_extend 7)", &[bit]);
    vocabulary.functions(word, &["(_ zero_extend 24)", "(_ sign_extend 24)"], &[byte]);
}

fn inputs(out: &mut String, writer: &mut Writer, sorts: &Sorts, step: usize) {
    let wanted = [(sorts.boolean, 4), (sorts.bit, 4), (sorts.byte, 4), (sorts.word, 8)];
    for (sort, count) in wanted {
        for index in 0..count {
            let name = format!("|in_{}_{index}@{step}|", sort.0);
            declare_fun(out, &name, &[], writer.vocabulary.name(sort));
            writer.vocabulary.recent_constant(sort, name, WINDOW);
        }
    }
}

fn definitions(out: &mut String, writer: &mut Writer, sorts: &Sorts, names: &mut Names) {
    let mix =
        [sorts.boolean, sorts.boolean, sorts.bit, sorts.byte, sorts.word, sorts.word, sorts.word];
    for _ in 0..writer.rng.between(150, 250) {
        let sort = *writer.rng.pick(&mix);
        let name = format!("|v_{}|", names.fresh());
        let sort_name = writer.vocabulary.name(sort);
        out.push_str(&format!("(define-fun {name} () {sort_name} "));
        let depth = if writer.rng.chance(80) { 1 } else { 2 };
        writer.term(out, sort, depth);
        out.push_str(")\n");
        writer.vocabulary.recent_constant(sort, name, WINDOW);
    }
}

fn properties(out: &mut String, writer: &mut Writer, sorts: &Sorts) {
    for _ in 0..writer.rng.between(2, 6) {
        out.push_str("(assert ");
        let depth = writer.rng.between(0, 2);
        writer.term(out, sorts.boolean, depth);
        out.push_str(")\n");
    }
}
