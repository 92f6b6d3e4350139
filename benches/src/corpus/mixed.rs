//! The mixed flavour: many theories, nested lets, literals of all kinds.

use super::declare_fun;
use super::names::Names;
use super::rng::Rng;
use super::term::{Sort, Vocabulary, Writer};

struct Sorts {
    boolean: Sort,
    int: Sort,
    real: Sort,
    word: Sort,
    byte: Sort,
    int_array: Sort,
    memory: Sort,
}

impl Sorts {
    fn all(&self) -> [Sort; 7] {
        [self.boolean, self.int, self.real, self.word, self.byte, self.int_array, self.memory]
    }
}

/// Writes declarations and then assertions until `out` holds `bytes` bytes.
pub(super) fn write(out: &mut String, bytes: usize, rng: &mut Rng) {
    let mut names = Names::default();
    let mut vocabulary = Vocabulary::default();
    let sorts = add_sorts(&mut vocabulary);
    add_core(&mut vocabulary, &sorts);
    add_arithmetic(&mut vocabulary, &sorts);
    add_bit_vectors(&mut vocabulary, &sorts);
    add_arrays(&mut vocabulary, &sorts);
    out.push_str("(set-logic ALL)\n");
    declare(out, &mut vocabulary, &sorts, &mut names, rng);

    let mut writer = Writer::new(&mut vocabulary, rng, 12);
    while out.len() < bytes {
        out.push_str("(assert ");
        match writer.rng.below(10) {
            0 => quantified(out, &mut writer, &sorts, &mut names),
            1 => named(out, &mut writer, &sorts, &mut names),
            2 | 3 => conjunction(out, &mut writer, &sorts),
            _ => lets(out, &mut writer, &sorts, &mut names),
        }
        out.push_str(")\n");
    }
}

fn add_sorts(vocabulary: &mut Vocabulary) -> Sorts {
    Sorts {
        boolean: vocabulary.sort("Bool", Some(boolean_literal)),
        int: vocabulary.sort("Int", Some(int_literal)),
        real: vocabulary.sort("Real", Some(real_literal)),
        word: vocabulary.sort("(_ BitVec 32)", Some(word_literal)),
        byte: vocabulary.sort("(_ BitVec 8)", Some(byte_literal)),
        int_array: vocabulary.sort("(Array Int Int)", None),
        memory: vocabulary.sort("(Array (_ BitVec 32) (_ BitVec 8))", None),
    }
}

fn boolean_literal(rng: &mut Rng) -> String {
    rng.pick(&["true", "false"]).to_string()
}

fn int_literal(rng: &mut Rng) -> String {
    match rng.below(10) {
        0..5 => rng.below(100).to_string(),
        5..8 => format!("(- {})", rng.between(1, 5000)),
        8 => rng.below(1 << 31).to_string(),
        _ => format!("{}{:019}", rng.between(1, 999), rng.next() >> 2),
    }
}

fn real_literal(rng: &mut Rng) -> String {
    let decimal = format!("{}.{}", rng.below(1000), rng.below(10_000));
    match rng.below(4) {
        0 => format!("(- {decimal})"),
        1 => format!("(/ {}.0 {}.0)", rng.below(100), rng.between(1, 100)),
        _ => decimal,
    }
}

fn word_literal(rng: &mut Rng) -> String {
    let value = rng.next() >> 32;
    match rng.below(10) {
        0..5 => format!("#x{value:08x}"),
        5..9 => format!("(_ bv{} 32)", value >> rng.below(32)),
        _ => format!("#b{value:032b}"),
    }
}

fn byte_literal(rng: &mut Rng) -> String {
    let value = rng.next() >> 56;
    match rng.below(3) {
        0 => format!("#x{value:02X}"),
        1 => format!("#b{value:08b}"),
        _ => format!("(_ bv{value} 8)"),
    }
}

fn add_core(vocabulary: &mut Vocabulary, sorts: &Sorts) {
    let boolean = sorts.boolean;
    vocabulary.functions(boolean, &["and", "or", "=>", "xor"], &[boolean; 2]);
    vocabulary.functions(boolean, &["and", "or"], &[boolean; 3]);
    vocabulary.functions(boolean, &["and", "or"], &[boolean; 5]);
    vocabulary.function(boolean, "not", &[boolean]);
    for sort in sorts.all() {
        vocabulary.function(boolean, "=", &[sort; 2]);
        vocabulary.function(sort, "ite", &[boolean, sort, sort]);
    }
    vocabulary.function(boolean, "distinct", &[sorts.int; 3]);
}

fn add_arithmetic(vocabulary: &mut Vocabulary, sorts: &Sorts) {
    let comparisons = ["<", "<=", ">", ">="];
    for sort in [sorts.int, sorts.real] {
        vocabulary.functions(sorts.boolean, &comparisons, &[sort; 2]);
        vocabulary.functions(sort, &["+", "-", "*", "+"], &[sort; 2]);
        vocabulary.function(sort, "+", &[sort; 4]);
        vocabulary.function(sort, "-", &[sort]);
    }
    vocabulary.functions(sorts.int, &["div", "mod"], &[sorts.int; 2]);
    vocabulary.function(sorts.int, "abs", &[sorts.int]);
    vocabulary.function(sorts.real, "/", &[sorts.real; 2]);
    vocabulary.function(sorts.real, "to_real", &[sorts.int]);
    vocabulary.function(sorts.int, "to_int", &[sorts.real]);
}

fn add_bit_vectors(vocabulary: &mut Vocabulary, sorts: &Sorts) {
    let comparisons = ["bvult", "bvule", "bvslt", "bvsge"];
    let binary = [
        "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvshl", "bvlshr", "bvashr", "bvudiv",
        "bvurem",
    ];
    for sort in [sorts.word, sorts.byte] {
        vocabulary.functions(sorts.boolean, &comparisons, &[sort; 2]);
        vocabulary.functions(sort, &binary, &[sort; 2]);
        vocabulary.functions(sort, &["bvnot", "bvneg"], &[sort]);
    }
    let extensions = ["(_ zero_extend 24)", "(_ sign_extend 24)"];
    vocabulary.functions(sorts.word, &extensions, &[sorts.byte]);
    vocabulary.function(sorts.word, "(_ rotate_left 5)", &[sorts.word]);
    vocabulary.functions(sorts.byte, &["(_ extract 7 0)", "(_ extract 31 24)"], &[sorts.word]);
}

fn add_arrays(vocabulary: &mut Vocabulary, sorts: &Sorts) {
    for (array, index, element) in
        [(sorts.int_array, sorts.int, sorts.int), (sorts.memory, sorts.word, sorts.byte)]
    {
        vocabulary.functions(element, &["select", "select"], &[array, index]);
        vocabulary.functions(array, &["store", "store"], &[array, index, element]);
    }
}

/// Declares constants and functions; enough of them that names do not all stay in a cache.
fn declare(
    out: &mut String,
    vocabulary: &mut Vocabulary,
    sorts: &Sorts,
    names: &mut Names,
    rng: &mut Rng,
) {
    let wanted = [120, 120, 40, 160, 60, 12, 6];
    for (sort, count) in sorts.all().into_iter().zip(wanted) {
        for index in 0..count {
            let name = names.short(rng);
            let sort_name = vocabulary.name(sort);
            if index % 2 == 0 {
                out.push_str(&format!("(declare-const {name} {sort_name})\n"));
            } else {
                declare_fun(out, &name, &[], sort_name);
            }
            vocabulary.constant(sort, name);
        }
    }
    let ranks: [(Sort, &[Sort]); 5] = [
        (sorts.int, &[sorts.int]),
        (sorts.int, &[sorts.int, sorts.int]),
        (sorts.boolean, &[sorts.int, sorts.word]),
        (sorts.word, &[sorts.word, sorts.word]),
        (sorts.word, &[sorts.byte, sorts.boolean, sorts.word]),
    ];
    for (result, arguments) in ranks {
        for _ in 0..4 {
            let name = names.short(rng);
            let argument_names: Vec<&str> = arguments.iter().map(|&s| vocabulary.name(s)).collect();
            declare_fun(out, &name, &argument_names, vocabulary.name(result));
            vocabulary.function(result, &name, arguments);
        }
    }
}

/// A nest of lets as solvers print shared terms, around one Boolean body.
fn lets(out: &mut String, writer: &mut Writer, sorts: &Sorts, names: &mut Names) {
    let outside = writer.scope();
    let levels = writer.rng.between(4, 14);
    for _ in 0..levels {
        out.push_str("(let (");
        let mut bound = Vec::new();
        for index in 0..writer.rng.between(1, 3) {
            let sort = *writer.rng.pick(&sorts.all());
            let sigil = if sort == sorts.boolean { '$' } else { '?' };
            let name = format!("{sigil}x{}", names.fresh());
            if index > 0 {
                out.push(' ');
            }
            out.push_str(&format!("({name} "));
            let depth = writer.rng.between(3, 5);
            writer.term(out, sort, depth);
            out.push(')');
            bound.push((name, sort));
        }
        // Bindings of one let are simultaneous: they come into scope only after the last of them.
        for (name, sort) in bound {
            writer.bind(name, sort);
        }
        out.push_str(")\n ");
    }
    let depth = writer.rng.between(5, 8);
    writer.term(out, sorts.boolean, depth);
    out.extend(std::iter::repeat_n(')', levels));
    writer.leave(outside);
}

fn conjunction(out: &mut String, writer: &mut Writer, sorts: &Sorts) {
    out.push_str("(and");
    for _ in 0..writer.rng.between(3, 12) {
        out.push_str("\n  ");
        let depth = writer.rng.between(4, 8);
        writer.term(out, sorts.boolean, depth);
    }
    out.push(')');
}

fn named(out: &mut String, writer: &mut Writer, sorts: &Sorts, names: &mut Names) {
    out.push_str("(! ");
    conjunction(out, writer, sorts);
    let label = names.short(writer.rng);
    out.push_str(&format!(" :named {label})"));
}

fn quantified(out: &mut String, writer: &mut Writer, sorts: &Sorts, names: &mut Names) {
    let outside = writer.scope();
    let binder = *writer.rng.pick(&["forall", "exists"]);
    out.push_str(&format!("({binder} ("));
    for index in 0..writer.rng.between(1, 3) {
        let sort = *writer.rng.pick(&[sorts.int, sorts.word, sorts.boolean]);
        let name = names.short(writer.rng);
        if index > 0 {
            out.push(' ');
        }
        out.push_str(&format!("({name} {})", writer.vocabulary.name(sort)));
        writer.bind(name, sort);
    }
    out.push_str(") ");
    conjunction(out, writer, sorts);
    out.push(')');
    writer.leave(outside);
}
