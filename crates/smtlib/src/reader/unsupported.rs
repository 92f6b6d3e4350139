//! Unsupported features, by name: the message says which extension a symbol belongs to.

use super::identifiers::similar;
use super::sorts::{COMPOSED, INDEXED, PLAIN};
use crate::source::Fault;
use assay_term::{Op, quoted};

/// Prefixes of symbols, and the extension they belong to.
const EXTENSIONS: &[(&str, &str)] = &[
    ("set.comprehension", "set comprehensions of cvc5"),
    ("comprehension", "set comprehensions of cvc5"),
    ("set.", "higher-order sets of cvc5"),
    ("rel.", "higher-order relations of cvc5"),
    ("bag.", "higher-order bags of cvc5"),
    ("table.", "higher-order tables of cvc5"),
    ("nullable.", "lifted functions of cvc5"),
    ("sep", "separation logic"),
    ("pto", "separation logic"),
    ("wand", "separation logic"),
    ("emp", "separation logic"),
    ("@", "internal symbols of a solver"),
    ("transitive-closure", "special relations of z3"),
    ("char.", "characters of z3"),
    ("Char", "characters of z3"),
    ("set-has-size", "array combinators of z3"),
    ("root-obj", "algebraic numbers of z3"),
    ("root-of-with-interval", "algebraic numbers of SMT-LIB models"),
    ("real_algebraic_number", "algebraic numbers of cvc5"),
    ("fmf.card", "bounds on the size of sorts of cvc5"),
    ("re.of.pred", "regular expressions of predicates of z3"),
    ("div0", "total arithmetic of z3"),
    ("mod0", "total arithmetic of z3"),
    ("rem0", "total arithmetic of z3"),
    ("/0", "total arithmetic of z3"),
    ("bvudiv0", "total arithmetic of z3"),
    ("bvsdiv0", "total arithmetic of z3"),
    ("bvurem0", "total arithmetic of z3"),
    ("bvsrem0", "total arithmetic of z3"),
    ("bvsmod0", "total arithmetic of z3"),
    ("euler", "transcendental constants of z3"),
    ("**", "another name of powers of z3"),
    ("floor", "another name of `to_int` of MathSAT"),
    ("asFloat", "drafts of floating-point arithmetic"),
    ("Length", "strings of Z3str"),
    ("Concat", "strings of Z3str"),
    ("Contains", "strings of Z3str"),
    ("CharAt", "strings of Z3str"),
    ("StartsWith", "strings of Z3str"),
    ("EndsWith", "strings of Z3str"),
    ("Indexof", "strings of Z3str"),
    ("Replace", "strings of Z3str"),
    ("Substring", "strings of Z3str"),
    ("RegexIn", "strings of Z3str"),
    ("Str2Reg", "strings of Z3str"),
    ("carry", "bit-vector circuits of z3"),
    ("xor3", "bit-vector circuits of z3"),
    ("subterm", "subterms of datatypes of z3"),
    ("re.from_ecma", "regular expressions of JavaScript"),
    ("witness", "choice of cvc5"),
    ("eps", "choice of cvc5"),
    ("choice", "choice of cvc5"),
    ("_", "internal symbols of a solver"),
];

/// Names that are usually the command after one that was not closed.
const COMMANDS: &[&str] = &[
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-fun",
    "define-fun",
    "exit",
    "get-model",
    "get-value",
    "push",
    "pop",
    "set-info",
    "set-option",
];

/// Unsupported sorts, and the extension they belong to.
const SORTS: &[(&str, &str)] = &[
    ("Unicode", "characters of z3"),
    ("Char", "characters of z3"),
    ("List", "lists of z3"),
    ("FP", "drafts of floating-point arithmetic"),
    ("RegEx", "regular expressions over sequences of z3"),
];

/// The error for an undeclared symbol.
pub(super) fn symbol(name: &str, at: usize) -> Box<Fault> {
    let shown = quoted(name);
    let belongs = EXTENSIONS.iter().find(|(prefix, _)| {
        name.strip_prefix(prefix).is_some_and(|rest| {
            prefix.ends_with('.')
                || rest.is_empty()
                || *prefix == "@"
                || rest.starts_with(['.', '_', '2'])
        })
    });
    match belongs {
        Some((_, extension)) => {
            Fault::new(at, format!("unsupported extension: {extension} (symbol `{shown}`)"))
        }
        None => {
            let close = similar(name, Op::all().map(Op::name));
            let hint = match close {
                _ if COMMANDS.contains(&name) => {
                    "this is a command: a parenthesis is missing before it".into()
                }
                Some(close) => did_you_mean(close),
                None => "declare it before it is used".into(),
            };
            Fault::unknown(at, name, hint)
        }
    }
}

pub(super) fn did_you_mean(close: &str) -> String {
    format!("did you mean `{close}`?")
}

/// The error for an undeclared sort.
pub(super) fn sort(name: &str, at: usize) -> Box<Fault> {
    let shown = quoted(name);
    match SORTS.iter().find(|(sort, _)| *sort == name) {
        Some((_, extension)) => {
            Fault::new(at, format!("unsupported extension: {extension} (sort `{shown}`)"))
        }
        None => {
            let hint = match similar(name, PLAIN.into_iter().chain(COMPOSED)) {
                _ if INDEXED.contains(&name) => {
                    format!("this sort takes indices: (_ {name} …)")
                }
                Some(close) => did_you_mean(close),
                None => "declare it before it is used".into(),
            };
            Fault::hinted(at, format!("unknown sort `{shown}`"), hint)
        }
    }
}

/// The error for an application whose head is not an identifier.
pub(super) fn higher_order(at: usize) -> Box<Fault> {
    let hint = "the head of an application is a symbol, `(_ symbol index)` or `(as symbol sort)`";
    Fault::hinted(at, "unsupported extension: functions as values", hint)
}
