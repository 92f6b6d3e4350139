//! The verifier flavour: uninterpreted sorts, quantified axioms with patterns, long names.

use super::declare_fun;
use super::names::Names;
use super::rng::Rng;
use super::term::{Function, Sort, Vocabulary, Writer};

struct Sorts {
    boolean: Sort,
    int: Sort,
    heap: Sort,
    reference: Sort,
    field: Sort,
    sequence: Sort,
}

impl Sorts {
    fn uninterpreted(&self) -> [Sort; 4] {
        [self.heap, self.reference, self.field, self.sequence]
    }
}

/// An uninterpreted function, usable as a pattern.
struct Trigger {
    function: Function,
    result: Sort,
}

/// Writes declarations, axioms and verification conditions until `out` holds `bytes` bytes.
pub(super) fn write(out: &mut String, bytes: usize, rng: &mut Rng) {
    let mut names = Names::default();
    let mut vocabulary = Vocabulary::default();
    let sorts = add_sorts(&mut vocabulary);
    out.push_str("(set-logic ALL)\n");
    for sort in sorts.uninterpreted() {
        out.push_str(&format!("(declare-sort {} 0)\n", vocabulary.name(sort)));
    }
    let triggers = declare(out, &mut vocabulary, &sorts, &mut names, rng);
    add_interpreted(&mut vocabulary, &sorts);

    let mut writer = Writer::new(&mut vocabulary, rng, 15);
    while out.len() < bytes {
        if writer.rng.chance(97) {
            axiom(out, &mut writer, &sorts, &triggers, &mut names);
        } else {
            condition(out, &mut writer, &sorts, &mut names);
        }
    }
}

fn add_sorts(vocabulary: &mut Vocabulary) -> Sorts {
    Sorts {
        boolean: vocabulary.sort("Bool", None),
        int: vocabulary.sort("Int", Some(|rng| rng.below(256).to_string())),
        heap: vocabulary.sort("T@HeapSnapshotType", None),
        reference: vocabulary.sort("T@Reference", None),
        field: vocabulary.sort("|T@Field_(Int)_normal|", None),
        sequence: vocabulary.sort("T@Seq_of_Reference", None),
    }
}

/// Declares constants of every sort and functions of random ranks.
fn declare(
    out: &mut String,
    vocabulary: &mut Vocabulary,
    sorts: &Sorts,
    names: &mut Names,
    rng: &mut Rng,
) -> Vec<Trigger> {
    let every =
        [sorts.boolean, sorts.int, sorts.heap, sorts.reference, sorts.field, sorts.sequence];
    for sort in every {
        for _ in 0..60 {
            let name = names.long(rng, "const.");
            declare_fun(out, &name, &[], vocabulary.name(sort));
            vocabulary.constant(sort, name);
        }
    }
    let mut triggers = Vec::new();
    for index in 0..240 {
        let result = every[index % every.len()];
        let arguments: Vec<Sort> = (0..rng.between(1, 4)).map(|_| *rng.pick(&every[1..])).collect();
        let name = format!("|{}|", names.long(rng, "fun#"));
        let argument_names: Vec<&str> = arguments.iter().map(|&s| vocabulary.name(s)).collect();
        declare_fun(out, &name, &argument_names, vocabulary.name(result));
        vocabulary.function(result, &name, &arguments);
        triggers.push(Trigger { function: Function { head: name, arguments }, result });
    }
    triggers
}

fn add_interpreted(vocabulary: &mut Vocabulary, sorts: &Sorts) {
    let boolean = sorts.boolean;
    for _ in 0..6 {
        vocabulary.functions(boolean, &["and", "or", "=>"], &[boolean; 2]);
        vocabulary.function(boolean, "and", &[boolean; 4]);
        vocabulary.function(boolean, "not", &[boolean]);
        vocabulary.functions(boolean, &["<", "<=", "="], &[sorts.int; 2]);
        vocabulary.functions(sorts.int, &["+", "-"], &[sorts.int; 2]);
    }
    for sort in sorts.uninterpreted() {
        vocabulary.functions(boolean, &["=", "="], &[sort; 2]);
        vocabulary.function(sort, "ite", &[boolean, sort, sort]);
    }
}

/// `(forall (variables of a function) (! (=> guard fact) :qid ... :pattern ((function variables))))`.
fn axiom(
    out: &mut String,
    writer: &mut Writer,
    sorts: &Sorts,
    triggers: &[Trigger],
    names: &mut Names,
) {
    let outside = writer.scope();
    let trigger = writer.rng.pick(triggers);
    let mut pattern = format!("({}", trigger.function.head);
    out.push_str("(assert (forall (");
    for (index, &sort) in trigger.function.arguments.iter().enumerate() {
        let name = format!("|{}|", names.long(writer.rng, "var@"));
        if index > 0 {
            out.push(' ');
        }
        out.push_str(&format!("({name} {})", writer.vocabulary.name(sort)));
        pattern.push_str(&format!(" {name}"));
        writer.bind(name, sort);
    }
    pattern.push(')');
    out.push_str(")\n  (! (=> ");
    let depth = writer.rng.between(2, 4);
    writer.term(out, sorts.boolean, depth);
    out.push_str("\n    (and ");
    let depth = writer.rng.between(2, 4);
    writer.term(out, sorts.boolean, depth);
    out.push_str(&format!(" (= {pattern} "));
    writer.term(out, trigger.result, 2);
    let label = names.fresh();
    out.push_str(&format!(
        ")))\n   :qid |axioms.bpl.{label}:15| :skolemid |{label}|\n   :pattern ({pattern})"
    ));
    alternative_pattern(out, writer, triggers, trigger.result, &pattern);
    out.push_str(")))\n");
    writer.leave(outside);
}

/// Sometimes a second pattern: a unary function around the first, which covers all variables too.
fn alternative_pattern(
    out: &mut String,
    writer: &mut Writer,
    triggers: &[Trigger],
    result: Sort,
    pattern: &str,
) {
    if !writer.rng.chance(30) {
        return;
    }
    let around = triggers.iter().find(|trigger| trigger.function.arguments == [result]);
    if let Some(around) = around {
        out.push_str(&format!("\n   :pattern (({} {pattern}))", around.function.head));
    }
}

/// A verification condition: one let per basic block, each an implication over earlier blocks.
fn condition(out: &mut String, writer: &mut Writer, sorts: &Sorts, names: &mut Names) {
    let outside = writer.scope();
    let blocks = writer.rng.between(5, 25);
    out.push_str("(push 1)\n(assert (not\n");
    for block in 0..blocks {
        let name = format!("anon{block}_correct@@{}", names.fresh());
        out.push_str(&format!("(let (({name} (=> "));
        let depth = writer.rng.between(3, 6);
        writer.term(out, sorts.boolean, depth);
        out.push(' ');
        let depth = writer.rng.between(3, 5);
        writer.term(out, sorts.boolean, depth);
        out.push_str(")))\n");
        writer.bind(name, sorts.boolean);
    }
    writer.term(out, sorts.boolean, 3);
    out.extend(std::iter::repeat_n(')', blocks));
    out.push_str("))\n(check-sat)\n(pop 1)\n");
    writer.leave(outside);
}
