//! Features in English.

use super::feature::{Feature, Features};
use assay_case::{Class, is_symmetric};
use assay_lattice::Law;
use assay_term::Op;
use assay_term::theories::core;
use std::collections::BTreeSet;

/// The roles of operators' arguments.
const ROLES: &[(&[&str], &[&str])] = &[
    (&["str.replace", "str.replace_all", "seq.replace"], &["string", "pattern", "replacement"]),
    (&["str.replace_re", "str.replace_re_all"], &["string", "language", "replacement"]),
    (&["str.at", "seq.at", "seq.nth"], &["string", "index"]),
    (&["str.substr", "seq.extract"], &["string", "offset", "length"]),
    (&["str.indexof", "seq.indexof"], &["string", "pattern", "offset"]),
    (&["str.contains", "seq.contains"], &["string", "pattern"]),
    (&["str.prefixof", "seq.prefixof"], &["prefix", "string"]),
    (&["str.suffixof", "seq.suffixof"], &["suffix", "string"]),
    (&["str.in_re"], &["string", "language"]),
    (&["re.range"], &["lower bound", "upper bound"]),
    (
        &["div", "mod", "/", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"],
        &["dividend", "divisor"],
    ),
    (&["bvshl", "bvlshr", "bvashr"], &["number", "amount"]),
    (&["select"], &["array", "index"]),
    (&["store"], &["array", "index", "element"]),
];

/// The argument's role if the operator defines one; otherwise its position.
fn role(op: Op, position: usize, class: Class) -> String {
    let roles = ROLES.iter().find(|(ops, _)| ops.contains(&op.name())).map(|(_, roles)| *roles);
    if let Some(role) = roles.and_then(|roles| roles.get(position)) {
        return (*role).to_owned();
    }
    let arity = op.row().sigs.first().map_or(0, |sig| sig.args.len());
    let noun = match class {
        Class::EmptyString | Class::WideCharacter | Class::UnprintableCharacter => "string",
        Class::Negative | Class::Zero | Class::Huge => "number",
        _ => "argument",
    };
    let ordinals = ["first ", "second ", "third "];
    let alone = arity < 2 || is_symmetric(op);
    let place = if alone { "" } else { ordinals.get(position).copied().unwrap_or("later ") };
    format!("{place}{noun}")
}

/// The phrase after "with" for one argument.
fn argument(op: Op, position: usize, class: Class) -> String {
    let role = role(op, position, class);
    let article = |word: &str| if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let adjective = |word: &str| format!("{} {word} {role}", article(word));
    match class {
        Class::EmptyString | Class::EmptyLanguage => adjective("empty"),
        Class::Negative => adjective("negative"),
        Class::Zero => adjective("zero"),
        Class::Huge => adjective("huge"),
        Class::Infinite => adjective("infinite"),
        Class::Subnormal => adjective("subnormal"),
        Class::WideCharacter => format!("a wide character in the {role}"),
        Class::UnprintableCharacter => format!("an unprintable character in the {role}"),
        Class::AllOnes => format!("all ones as {role}"),
        Class::LeastSigned => format!("the smallest signed number as {role}"),
        Class::NotANumber => format!("NaN as {role}"),
        Class::Language | Class::VariableLanguage | Class::Array | Class::Float => {
            format!("{} {}", article(class.name()), class.name())
        }
        _ => whole(class).to_owned(),
    }
}

/// The phrase after "with" for a whole application.
fn whole(class: Class) -> &'static str {
    match class {
        Class::CrossedBounds => "crossed bounds",
        Class::NotACharacter => "a bound that is not one character",
        Class::OutOfRange => "an index out of range",
        Class::NotFound => "nothing to find",
        Class::NoNumber => "a string that is not a number",
        Class::EqualArguments => "equal arguments",
        Class::BeyondWidth => "an amount of at least the width",
        Class::ZeroIndex => "an index that is zero",
        Class::HugeIndex => "an index of more than 31 bits",
        _ => "a special argument",
    }
}

/// Features in words: "`str.replace` with an empty pattern and an empty string".
pub(super) fn subject(features: &Features) -> String {
    let ops: BTreeSet<Op> = features.iter().filter_map(|feature| feature.op()).collect();
    let of_op = |op| features.iter().copied().filter(move |feature| feature.op() == Some(op));
    let mut parts: Vec<String> = ops.into_iter().map(|op| of_operator(op, of_op(op))).collect();
    let constructs: Vec<String> = features.iter().filter_map(construct).collect();
    if !constructs.is_empty() {
        parts.push(format!("programs with {}", listed(&constructs)));
    }
    parts.extend(features.iter().filter_map(operation));
    parts.extend(features.iter().filter_map(law));
    listed(&parts)
}

/// A construct of C, in words.
fn construct(feature: &Feature) -> Option<String> {
    match feature {
        Feature::Construct(name) => Some((*name).to_owned()),
        _ => None,
    }
}

/// An operation of abstract domains, in words.
fn operation(feature: &Feature) -> Option<String> {
    match feature {
        Feature::Operation(name) => Some(format!("`{name}`")),
        _ => None,
    }
}

/// A law of abstract domains, in words.
fn law(feature: &Feature) -> Option<String> {
    match feature {
        Feature::Law(name) => {
            let law = Law::find(name)?;
            Some(format!("law {} ({law})", law.title()))
        }
        _ => None,
    }
}

fn of_operator(op: Op, features: impl Iterator<Item = Feature>) -> String {
    let (mut with, mut equations) = (Vec::new(), Vec::new());
    for feature in features {
        match feature {
            Feature::Operator(_)
            | Feature::Construct(_)
            | Feature::Law(_)
            | Feature::Operation(_) => {}
            Feature::Argument(core::EQ, _, class) => equations.push(class),
            Feature::Argument(op, position, class) => with.push(argument(op, position, class)),
            Feature::Whole(_, class) => with.push(whole(class).to_owned()),
        }
    }
    match equations[..] {
        [] => {}
        _ if equations.contains(&Class::VariableLanguage) => {
            return "language equations with an unknown".to_owned();
        }
        [class, ..] => return format!("equations of {}s", class.name()),
    }
    match with[..] {
        [] => format!("`{}`", op.name()),
        _ => format!("`{}` with {}", op.name(), listed(&with)),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A feature as a part of a name: `empty-pattern`, `crossed-bounds`.
pub(super) fn slug(feature: Feature) -> String {
    match feature {
        Feature::Operator(_) => String::new(),
        Feature::Construct(name) | Feature::Law(name) | Feature::Operation(name) => name.to_owned(),
        Feature::Argument(core::EQ, _, class) => format!("{}s", class.name()),
        Feature::Argument(op, position, class) => {
            let class_word = match class {
                Class::EmptyString | Class::EmptyLanguage => "empty",
                _ => class.name(),
            };
            format!("{class_word}-{}", role(op, position, class))
        }
        Feature::Whole(_, class) => class.name().to_owned(),
    }
}
