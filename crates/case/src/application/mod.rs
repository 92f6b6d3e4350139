//! How a formula applies its operators: the classes of their arguments.
//!
//! Bugs often involve special arguments: an empty pattern, a negative offset, crossed bounds.
//! Classes are read off constants and, if a model is available, off the values of arguments under
//! it. Judges nothing.

mod class;

pub use class::Class;

use crate::formula::Formula;
use assay_term::op::{Fold, Law};
use assay_term::theories::{Theory, bv, regex, seq, strings};
use assay_term::{Evaluator, Func, Limits, Model, Op, Sort, Store, Term, TermId, Value};
use std::collections::{BTreeSet, HashSet};

/// An operator with the classes of its arguments at one place of a formula.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Application {
    /// The operator.
    pub op: Op,
    /// The classes of each argument; merged into one set if [`is_symmetric`], and after the first
    /// argument if there can be many.
    pub arguments: Vec<BTreeSet<Class>>,
    /// The classes of the application as a whole.
    pub whole: BTreeSet<Class>,
}

/// The limits for evaluating one formula's arguments.
const LIMITS: Limits =
    Limits { steps: 200_000, instances: 64, regex: 20_000, length: 1 << 16, bits: 1 << 16 };

/// The applications in a formula, without repetition. Arguments are evaluated under the model;
/// without one, only constant arguments have values.
#[must_use]
pub fn applications(formula: &Formula, model: Option<&Model>) -> BTreeSet<Application> {
    let mut values = model.cloned().unwrap_or_default();
    values.extend(formula.definitions());
    let evaluator = Evaluator::new(formula.store(), &values).with_limits(LIMITS);
    let evaluator = if model.is_some() { evaluator.completing() } else { evaluator };
    collected(formula.store(), &formula.script().terms(), evaluator)
}

/// The applications in terms whose symbols have no known values.
#[must_use]
pub fn applications_in(store: &Store, terms: &[TermId]) -> BTreeSet<Application> {
    let values = Model::new();
    collected(store, terms, Evaluator::new(store, &values).with_limits(LIMITS))
}

fn collected(
    store: &Store,
    terms: &[TermId],
    mut evaluator: Evaluator<'_>,
) -> BTreeSet<Application> {
    let mut found = BTreeSet::new();
    let mut unknown = HashSet::new();
    for term in store.postorder(terms) {
        if is_unknown_language(store, term, &unknown) {
            unknown.insert(term);
        }
        let Term::App(func, args) = store.get(term) else { continue };
        let Func::Op(op, indices) = store.func(func) else { continue };
        let mut value = |term: TermId| evaluator.eval(term).ok();
        let known: Vec<Option<Value>> = args.iter().map(|&arg| value(arg)).collect();
        let result = value(term);
        found.insert(Application {
            op: *op,
            arguments: arguments((store, &unknown), *op, args, &known),
            whole: whole(*op, (indices, args), &known, result.as_ref()),
        });
    }
    found
}

/// Whether a term is a language that depends on an unknown one, given the unknown ones among its
/// parts.
fn is_unknown_language(store: &Store, term: TermId, unknown: &HashSet<TermId>) -> bool {
    let declared = match store.get(term) {
        Term::App(func, _) => matches!(store.func(func), Func::Declared { .. }),
        _ => false,
    };
    *store.sorts.get(store.sort(term)) == Sort::RegLan
        && (declared || store.children(term).iter().any(|part| unknown.contains(part)))
}

fn arguments(
    (store, unknown): (&Store, &HashSet<TermId>),
    op: Op,
    args: &[TermId],
    known: &[Option<Value>],
) -> Vec<BTreeSet<Class>> {
    let each = args.iter().zip(known).map(|(&arg, value)| {
        let mut classes = value.as_ref().map(class::of_value).unwrap_or_default();
        if op.theory() == Theory::Core {
            classes.extend(match store.sorts.get(store.sort(arg)) {
                Sort::RegLan => Some(Class::Language),
                Sort::Array(..) => Some(Class::Array),
                Sort::Float(_) => Some(Class::Float),
                _ => None,
            });
            classes.extend(unknown.contains(&arg).then_some(Class::VariableLanguage));
        }
        classes
    });
    if is_symmetric(op) {
        return vec![each.flatten().collect()];
    }
    let mut arguments: Vec<BTreeSet<Class>> = each.collect();
    if op.row().fold != Fold::Fixed && arguments.len() > 2 {
        let rest = arguments.split_off(1);
        arguments.push(rest.into_iter().flatten().collect());
    }
    arguments
}

/// Whether the classes of an operator's arguments are merged, because order or number matter
/// little.
#[must_use]
pub fn is_symmetric(op: Op) -> bool {
    let row = op.row();
    let compares = matches!(row.fold, Fold::Chain | Fold::Pairwise);
    compares || row.laws.iter().any(|law| matches!(law, Law::Commutative | Law::Associative))
}

/// What is special about the arguments in combination.
fn whole(
    op: Op,
    (indices, args): (&[u64], &[TermId]),
    known: &[Option<Value>],
    result: Option<&Value>,
) -> BTreeSet<Class> {
    let mut classes = BTreeSet::new();
    let mut mark = |class: Class, holds: bool| {
        if holds {
            classes.insert(class);
        }
    };
    // Only the searched and the sought term may coincide; the offset has another sort.
    let alike = if matches!(op, strings::INDEXOF | seq::INDEXOF) { &args[..2] } else { args };
    let equal = alike.len() > 1 && alike.iter().all(|arg| *arg == alike[0]);
    mark(Class::EqualArguments, equal && op.theory() != Theory::Core);
    mark(Class::HugeIndex, indices.iter().any(|&index| index >= 1 << 31));
    match op {
        regex::RANGE => {
            let ends: Vec<&[u32]> = known.iter().flatten().filter_map(text).collect();
            if let [low, high] = ends[..] {
                let characters = low.len() == 1 && high.len() == 1;
                mark(Class::NotACharacter, !characters);
                mark(Class::CrossedBounds, characters && low > high);
            }
        }
        regex::LOOP => {
            mark(Class::CrossedBounds, matches!(indices, [low, high] if low > high));
            mark(Class::ZeroIndex, indices.contains(&0));
        }
        regex::POWER => mark(Class::ZeroIndex, indices.contains(&0)),
        strings::AT | strings::SUBSTR | seq::AT | seq::EXTRACT | seq::NTH => {
            if let [Some(list), Some(Value::Int(index)), ..] = known {
                let end = length(list).unwrap_or(u64::MAX);
                mark(Class::OutOfRange, index.to_u64().is_none_or(|index| index >= end));
            }
        }
        strings::INDEXOF | seq::INDEXOF => {
            if let [Some(list), _, Some(Value::Int(offset))] = known {
                let end = length(list).unwrap_or(u64::MAX);
                mark(Class::OutOfRange, offset.to_u64().is_none_or(|offset| offset > end));
            }
            mark(Class::NotFound, matches!(result, Some(Value::Int(at)) if at.is_negative()));
        }
        strings::TO_INT => {
            mark(Class::NoNumber, matches!(result, Some(Value::Int(n)) if n.is_negative()));
        }
        bv::SHL | bv::LSHR | bv::ASHR => {
            if let [_, Some(Value::BitVec(amount))] = known {
                let width = u64::from(amount.width());
                mark(Class::BeyondWidth, amount.to_u64().is_none_or(|amount| amount >= width));
            }
        }
        bv::ROTATE_LEFT | bv::ROTATE_RIGHT => {
            if let Some(Value::BitVec(bits)) = result {
                let width = u64::from(bits.width());
                mark(Class::BeyondWidth, indices.iter().any(|&index| index >= width));
            }
        }
        _ => {}
    }
    classes
}

fn text(value: &Value) -> Option<&[u32]> {
    match value {
        Value::Str(text) => Some(text),
        _ => None,
    }
}

/// The number of elements of a string or sequence.
fn length(value: &Value) -> Option<u64> {
    match value {
        Value::Str(text) => Some(text.len() as u64),
        Value::Seq(_, items) => Some(items.len() as u64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The applications of one operator, in words: the classes of each argument, then of the whole.
    fn told(text: &str, model: Option<&str>, op: &str) -> Vec<String> {
        let mut formula = Formula::read(text).expect("the text is right");
        let model = model.map(|text| formula.read_model(text).expect("the model is right"));
        let names = |classes: &BTreeSet<Class>| {
            classes.iter().map(|class| class.name()).collect::<Vec<_>>().join("+")
        };
        let words = |application: Application| {
            let arguments: Vec<String> = application.arguments.iter().map(names).collect();
            format!("{} | {}", arguments.join(","), names(&application.whole))
        };
        applications(&formula, model.as_ref())
            .into_iter()
            .filter(|application| application.op.name() == op)
            .map(words)
            .collect()
    }

    #[test]
    fn constants_and_values_under_a_model_have_classes() {
        let table = [
            ("re.range", r#"(= (re.range "b" "a") re.none)"#, ",", "crossed-bounds"),
            ("re.range", r#"(= (re.range "a" "bc") re.none)"#, ",", "not-a-character"),
            ("re.loop", r#"(= ((_ re.loop 3 1) re.all) re.none)"#, "", "crossed-bounds"),
            ("=", r#"(= ((_ re.loop 3 1) re.all) re.none)"#, "language+empty-language", ""),
            ("str.at", r#"(= (str.at s i) "a")"#, "empty-string,negative", "out-of-range"),
            (
                "str.indexof",
                "(= (str.indexof s s 0) 0)",
                "empty-string,empty-string,zero",
                "equal-arguments",
            ),
            ("str.to_int", r#"(= (str.to_int "a") 0)"#, "", "no-number"),
            ("+", "(= (+ i 0) 0)", "negative+zero", ""),
            ("div", "(= (div i 0) 0)", "negative,zero", ""),
            ("bvshl", "(= (bvshl #b11 #b10) #b00)", "all-ones,least-signed", "beyond-width"),
        ];
        for (op, assertion, arguments, whole) in table {
            let text = format!("(declare-const s String)(declare-const i Int)(assert {assertion})");
            let model = "((define-fun s () String \"\")(define-fun i () Int (- 1)))";
            let found = told(&text, Some(model), op);
            assert_eq!(found.len(), 1, "{assertion}: {found:?}");
            let (first, second) = found[0].split_once(" | ").expect("it was put there");
            assert_eq!(first, arguments, "{assertion}");
            assert_eq!(second, whole, "{assertion}");
        }
    }

    #[test]
    fn equations_distinguish_variable_and_constant_languages() {
        let text =
            r#"(declare-const r RegLan)(assert (= (re.* r) re.all))(assert (= re.all re.none))"#;
        let found = told(text, None, "=");
        assert_eq!(found, ["language+variable-language | ", "language+empty-language | "]);
    }

    #[test]
    fn without_a_model_variables_have_no_classes() {
        let text = r#"(declare-const s String)(assert (= (str.replace s "" "a") "b"))"#;
        assert_eq!(told(text, None, "str.replace"), [",empty-string, | "]);
    }
}
