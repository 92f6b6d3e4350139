//! Solvers' own commands that do not affect the assertions, and commands of extensions that are
//! rejected by name.

use super::Reader;
use crate::lexer::Token;
use crate::script::{Argument, Command, Query};
use crate::source::Read;

/// An argument of a query.
#[derive(Clone, Copy)]
enum Shape {
    /// Anything, kept as text.
    Text,
    /// A term.
    Term,
    /// A term, which may be missing.
    TermOrNone,
    /// Terms in parentheses.
    Terms,
}

use Shape::{Term, TermOrNone, Terms, Text};

/// The queries with their required arguments; further ones are kept as text.
const QUERIES: &[(&str, &[Shape])] = &[
    // z3
    ("apply", &[Text]),
    ("check-sat-using", &[Text]),
    ("declare-simplifier", &[Text, Text]),
    ("declare-tactic", &[Text, Text]),
    ("display", &[Term]),
    ("eval", &[Term]),
    ("get-consequences", &[Terms, Terms]),
    ("get-user-tactics", &[]),
    ("help", &[]),
    ("help-tactic", &[]),
    ("help-strategy", &[]),
    ("labels", &[]),
    ("model-del", &[Text]),
    ("set-initial-value", &[Term, Term]),
    ("set-simplifier", &[Text]),
    ("simplify", &[Term]),
    ("dbg-bool-flat-rewriter", &[Text]),
    ("dbg-bool-rewriter", &[Text]),
    ("dbg-elim-unused-vars", &[Text]),
    ("dbg-euf-project", &[Text]),
    ("dbg-eufi", &[Text]),
    ("dbg-expr-bool-map", &[Text]),
    ("dbg-get-qe", &[Text]),
    ("dbg-instantiate", &[Text]),
    ("dbg-instantiate-nested", &[Text]),
    ("dbg-lift-quantifiers", &[Text]),
    ("dbg-mbi", &[Text]),
    ("dbg-mbp", &[Text]),
    ("dbg-model-project", &[Text]),
    ("dbg-params", &[Text]),
    ("dbg-pp-shared-occs", &[Text]),
    ("dbg-pp-var", &[Text]),
    ("dbg-pp-ast-table", &[]),
    ("dbg-qel", &[Text]),
    ("dbg-set-cnst", &[Text]),
    ("dbg-shift-vars", &[Text]),
    ("dbg-some-value", &[Text]),
    ("dbg-tactic-runner", &[Text]),
    ("dbg-translator", &[Text]),
    ("dbg-use-euf", &[Text]),
    ("euf-project", &[Text]),
    ("eufi", &[Text]),
    ("get-interpolants", &[Text]),
    ("mbi", &[Text]),
    ("mbp", &[Text]),
    ("qel", &[Text]),
    ("reset-params", &[]),
    // cvc5
    ("block-model", &[]),
    ("block-model-values", &[Terms]),
    ("declare-pool", &[Text, Text, Text]),
    ("get-abduct", &[Text, Term]),
    ("get-abduct-next", &[]),
    ("get-difficulty", &[]),
    ("get-interpolant", &[Text, TermOrNone]),
    ("get-interpolant-next", &[]),
    ("get-learned-literals", &[]),
    ("get-qe", &[Term]),
    ("get-qe-disjunct", &[Term]),
    ("get-timeout-core", &[]),
    ("get-timeout-core-assuming", &[Terms]),
    ("get-unsat-core-lemmas", &[]),
    // MathSAT and SMTInterpol
    ("check-allsat", &[Text]),
    ("load-objective-model", &[Text]),
    ("set-model", &[Text]),
    // yices
    ("check-sat-assuming-model", &[Terms, Text]),
    ("dump-context", &[]),
    ("ef-solve", &[]),
    ("export-to-dimacs", &[Text]),
    ("get-unsat-model-interpolant", &[]),
    ("reset-stats", &[]),
    ("show-implicant", &[]),
    ("show-model", &[]),
    ("show-params", &[]),
    ("show-reduced-model", &[]),
    ("show-stats", &[]),
    ("show-timeout", &[]),
    // OpenSMT
    ("write-funs", &[Text]),
    ("write-state", &[Text]),
    // bitwuzla and boolector
    ("dump-formula", &[]),
    ("print-formula", &[]),
    // cvc5 and z3, with more arguments than the standard allows.
    ("get-assertions", &[]),
    ("get-model", &[]),
    ("get-proof", &[]),
    ("get-unsat-core", &[]),
];

/// Commands of unsupported extensions.
const REFUSED: &[(&str, &[&str])] = &[
    (
        "syntax-guided synthesis",
        &[
            "assume",
            "chc-constraint",
            "check-synth",
            "check-synth-next",
            "constraint",
            "declare-weight",
            "find-synth",
            "find-synth-next",
            "inv-constraint",
            "optimize-synth",
            "oracle-assume",
            "oracle-constraint",
            "set-feature",
            "synth-fun",
            "synth-inv",
        ],
    ),
    ("rules over Horn clauses of z3", &["declare-rel", "declare-var", "query", "rule"]),
    ("separation logic", &["declare-heap"]),
    ("oracle functions of cvc5", &["declare-oracle-fun"]),
    ("texts that include others", &["include"]),
    (
        "SMT-LIB 1.2",
        &["benchmark", "declare-extrafuns", "declare-extrapreds", "declare-extrasorts"],
    ),
    ("declarations of theories and logics", &["logic", "theory"]),
    (
        "SMT-LIB 2.0 drafts of z3",
        &["declare-funs", "declare-preds", "declare-vars", "define", "define-sorts"],
    ),
    ("maps of z3", &["declare-map"]),
    ("strings of Z3str", &["declare-variable"]),
    ("costs of MathSAT", &["incur"]),
    ("games of objectives of OptiMathSAT", &["maxmin", "minmax"]),
    ("commands that change a solver's model", &["model-add"]),
];

/// The extension of a command, if it is not supported.
pub(super) fn extension(command: &str) -> Option<&'static str> {
    let found = REFUSED.iter().find(|(_, commands)| commands.contains(&command));
    found.map(|(extension, _)| *extension)
}

/// Every query by name.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    QUERIES.iter().map(|(name, _)| *name)
}

impl Reader<'_, '_> {
    /// Reads the arguments of a query; `None` if there is no query of this name.
    pub(super) fn query(&mut self, name: &str) -> Read<Option<Command>> {
        let Some((name, shapes)) = QUERIES.iter().find(|(known, _)| *known == name) else {
            return Ok(None);
        };
        let mut arguments = Vec::new();
        for shape in *shapes {
            arguments.push(match shape {
                TermOrNone if self.lexer.peek()? == Token::Close => break,
                Text => Argument::Text(self.s_expression()?),
                Term | TermOrNone => Argument::Term(self.term()?),
                Terms => Argument::Terms(self.list(Self::term)?),
            });
        }
        while self.lexer.peek()? != Token::Close {
            arguments.push(Argument::Text(self.s_expression()?));
        }
        Ok(Some(Command::Query(Box::new(Query { name, arguments }))))
    }
}
