//! Regular expressions. Their values are languages ([`RegLan`]), built here and never expanded;
//! questions about them are asked under a budget, in `strings` and by equality.

use super::ints::int;
use super::lists::text;
use super::strings::{self, language};
use super::{Theory, operators};
use crate::eval::{EvalContext, Unknown};
use crate::op::{Alias, App, Extension, Fold, Law, OpRow, Pat, Sig, Vocabulary};
use crate::regex::{Node, RegLan};
use crate::term::{SortError, Store, TermId};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::ptr;

const I: Pat = Pat::Int;
const S: Pat = Pat::Str;
const R: Pat = Pat::Re;
const CONSTANT: &[Sig] = &[Sig::new(&[], R)];
const UNARY: &[Sig] = &[Sig::new(&[R], R)];
/// Two or more languages; z3 also accepts one.
const MANY: &[Sig] =
    &[Sig::new(&[R, R], R), Sig::new(&[R], R).extension(Extension::SingleArguments)];

operators! { Theory::Regex;
    /// No word.
    NONE = OpRow::new("re.none", CONSTANT, |_, _, _| Ok(Value::RegLan(RegLan::none()))).aliases(&[
            Alias { name: "re.nostr", vocabulary: Vocabulary::OldStrings },
            Alias { name: "re.empty", vocabulary: Vocabulary::Z3 },
        ]);
    /// Every word.
    ALL = OpRow::new("re.all", CONSTANT, |_, _, _| Ok(Value::RegLan(RegLan::all())));
    /// Every word of one character.
    ALLCHAR = OpRow::new("re.allchar", CONSTANT, |_, _, _| Ok(Value::RegLan(RegLan::all_char())));
    /// Concatenation.
    CONCAT = OpRow::new("re.++", MANY, |_, _, args| Ok(Value::RegLan(RegLan::concat(languages(args)))))
        .fold(Fold::Left)
        .laws(&[Law::Associative]);
    /// Union.
    UNION = OpRow::new("re.union", MANY, |_, _, args| Ok(Value::RegLan(RegLan::union(languages(args)))))
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative, Law::Idempotent]);
    /// Intersection.
    INTER = OpRow::new("re.inter", MANY, |_, _, args| Ok(Value::RegLan(RegLan::inter(languages(args)))))
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative, Law::Idempotent]);
    /// Any number of words, one after another.
    STAR = OpRow::new("re.*", UNARY, |_, _, args| unary(args, RegLan::star));
    /// Every word that is not in the language.
    COMP = OpRow::new("re.comp", UNARY, |_, _, args| unary(args, RegLan::comp))
        .laws(&[Law::Involutive])
        .aliases(&[Alias { name: "re.complement", vocabulary: Vocabulary::OldStrings }]);
    /// The words of the first language that are in none of the others.
    DIFF = OpRow::new("re.diff", MANY, |_, _, args| {
            let difference = languages(args).reduce(RegLan::diff);
            Ok(Value::RegLan(difference.expect("typed with an argument")))
        })
        .fold(Fold::Left);
    /// One or more words, one after another.
    PLUS = OpRow::new("re.+", UNARY, |_, _, args| unary(args, RegLan::plus));
    /// A word or nothing.
    OPT = OpRow::new("re.opt", UNARY, |_, _, args| unary(args, RegLan::opt));
    /// The characters between two characters, both included; no word unless both are single.
    RANGE = OpRow::new("re.range", &[Sig::new(&[S, S], R)], |_, _, args| {
            Ok(Value::RegLan(match (&**text(&args[0]), &**text(&args[1])) {
                ([low], [high]) => RegLan::range(*low, *high),
                _ => RegLan::none(),
            }))
        });
    /// Exactly this many words, one after another.
    POWER = OpRow::new("re.^", &[Sig::new(&[R], R).indexed(1)], |_, app, args| {
            Ok(Value::RegLan(RegLan::power(language(&args[0]).clone(), app.indices[0])))
        });
    /// A number of words between two bounds. z3 also accepts one index, or the bounds as arguments
    /// after the language; without an upper bound there is no limit.
    LOOP = OpRow::new(
            "re.loop",
            &[
                Sig::new(&[R], R).indexed(2),
                Sig::new(&[R], R).indexed(1).extension(Extension::LoopBounds),
                Sig::new(&[R, I, I], R).extension(Extension::LoopBounds),
                Sig::new(&[R, I], R).extension(Extension::LoopBounds),
            ],
            repeat,
        );
}

fn languages(args: &[Value]) -> impl Iterator<Item = RegLan> {
    args.iter().map(|arg| language(arg).clone())
}

fn unary(args: &[Value], of: fn(RegLan) -> RegLan) -> Result<Value, Unknown> {
    Ok(Value::RegLan(of(language(&args[0]).clone())))
}

fn repeat(_: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    const NO_COUNT: Unknown = Unknown::Unsupported("a bound of re.loop is negative or too large");
    let bounds: Option<Vec<u64>> = args[1..].iter().map(|arg| int(arg).to_u64()).collect();
    let bounds = [app.indices, &bounds.ok_or(NO_COUNT)?].concat();
    let body = language(&args[0]).clone();
    Ok(Value::RegLan(match *bounds {
        [low, high] => RegLan::repeat(body, low, high),
        [low] => RegLan::concat([RegLan::power(body.clone(), low), RegLan::star(body)]),
        _ => unreachable!("typed with one bound or two"),
    }))
}

/// A term for a regular language. Parts are identified by their address, because comparing them at
/// every level would take quadratic time; the store shares equal ones.
pub(crate) fn literal(store: &mut Store, value: &RegLan) -> Option<TermId> {
    let mut terms: FxHashMap<*const Node, TermId> = FxHashMap::default();
    let mut pending = vec![(value.node(), false)];
    while let Some((node, ready)) = pending.pop() {
        if terms.contains_key(&ptr::from_ref(node)) {
            continue;
        }
        if !ready {
            pending.push((node, true));
            pending.extend(node.children().map(|child| (child.node(), false)));
            continue;
        }
        let operands: Vec<TermId> =
            node.children().map(|child| terms[&ptr::from_ref(child.node())]).collect();
        terms.insert(node, application(store, node, &operands).ok()?);
    }
    terms.get(&ptr::from_ref(value.node())).copied()
}

/// The outermost layer of a language, over the terms of its operands.
fn application(store: &mut Store, node: &Node, operands: &[TermId]) -> Result<TermId, SortError> {
    let op = match node {
        Node::Literal(word) => {
            let word = store.string((&**word).into());
            return store.op(strings::TO_RE, &[word]);
        }
        Node::Range(low, high) => {
            let bounds = [*low, *high].map(|c| store.string([c].into()));
            return store.op(RANGE, &bounds);
        }
        Node::Power(_, count) => return store.op_indexed(POWER, &[*count], operands),
        Node::Loop(_, low, high) => return store.op_indexed(LOOP, &[*low, *high], operands),
        Node::None => NONE,
        Node::All => ALL,
        Node::AllChar => ALLCHAR,
        Node::Concat(_) => CONCAT,
        Node::Union(_) => UNION,
        Node::Inter(_) => INTER,
        Node::Star(_) => STAR,
        Node::Plus(_) => PLUS,
        Node::Opt(_) => OPT,
        Node::Comp(_) => COMP,
        Node::Diff(..) => DIFF,
    };
    store.op(op, operands)
}
