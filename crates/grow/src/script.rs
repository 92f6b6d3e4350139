//! From assertions to a script: the declarations that they need, a logic, queries.

use crate::signature::{Signature, is_usual};
use assay_smtlib::{Command, Fragment, Plain, Script, Setting};
use assay_term::{
    Attribute, AttributeValue, Func, FuncId, Op, Sort, SortDeclId, SortId, Store, Term, TermId,
};
use rustc_hash::FxHashSet;

/// The logic that a script declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Logic {
    /// The smallest that admits the formula, if one of the standard does.
    Smallest,
    /// The one that admits everything.
    All,
}

/// What assertions mention.
#[derive(Default)]
pub(crate) struct Mentioned {
    pub(crate) functions: FxHashSet<FuncId>,
    pub(crate) operators: FxHashSet<(Op, SortId)>,
    sorts: FxHashSet<SortId>,
}

impl Mentioned {
    pub(crate) fn by(store: &Store, terms: &[TermId]) -> Mentioned {
        let mut all = Mentioned::default();
        for term in store.postorder(terms) {
            all.sorts.insert(store.sort(term));
            let Term::App(func, _) = store.get(term) else { continue };
            match store.func(func) {
                Func::Declared { params, .. } => {
                    all.functions.insert(func);
                    all.sorts.extend(params.iter().copied());
                }
                Func::Op(op, _) => {
                    all.operators.insert((*op, store.sort(term)));
                }
                _ => {}
            }
        }
        all
    }

    /// Whether an uninterpreted sort is a part of a sort.
    pub(crate) fn needs_elements(&self, store: &Store, sort: SortId) -> bool {
        match store.sorts.get(sort) {
            Sort::Declared(decl, _) => self.needs(store, &[*decl]),
            _ => false,
        }
    }

    /// Whether a sort is made with a declared one.
    fn needs(&self, store: &Store, decls: &[SortDeclId]) -> bool {
        let declared =
            |sort: &Sort| matches!(sort, Sort::Declared(decl, _) if decls.contains(decl));
        self.sorts.iter().any(|&sort| store.sorts.mentions(sort, declared))
    }
}

/// The declarations that terms need.
fn declarations(signature: &Signature, store: &Store, mentioned: &Mentioned) -> Vec<Command> {
    let needed = |command: &&Command| match command {
        Command::DeclareSort(decl) => mentioned.needs(store, &[*decl]),
        Command::DeclareDatatypes(decls, _) => mentioned.needs(store, decls),
        Command::DeclareFun(func) | Command::DeclareConst(func) => {
            mentioned.functions.contains(func)
        }
        _ => false,
    };
    signature.declarations.iter().filter(needed).cloned().collect()
}

/// The script of a satisfiable formula.
pub(crate) fn satisfiable(
    signature: &Signature,
    store: &Store,
    mentioned: &Mentioned,
    assertions: &[TermId],
    logic: Logic,
) -> Script {
    let mut script = begun(signature, store, mentioned, assertions, logic);
    for &assertion in assertions {
        script.push(Command::Assert(assertion), 0);
    }
    script.push(Command::CheckSat, 0);
    script.push(Command::Plain(Plain::GetModel), 0);
    script
}

/// The script of one assertion in the smallest logic that has its symbols, which may ask for a model.
pub(crate) fn asserting(
    signature: &Signature,
    store: &Store,
    mentioned: &Mentioned,
    assertion: TermId,
    asks_for_model: bool,
) -> Script {
    // Constants alone are less than any logic of the standard is made for.
    let logic = if mentioned.functions.is_empty() { Logic::All } else { Logic::Smallest };
    let mut script = begun(signature, store, mentioned, &[assertion], logic);
    script.push(Command::Assert(assertion), 0);
    script.push(Command::CheckSat, 0);
    if asks_for_model {
        script.push(Command::Plain(Plain::GetModel), 0);
    }
    script
}

/// An assertion of an unsatisfiable formula.
#[derive(Clone, Copy)]
pub(crate) struct Stated {
    pub(crate) term: TermId,
    pub(crate) is_named: bool,
}

/// The name of the named assertion at a position.
pub(crate) fn assertion_name(position: usize) -> String {
    format!("n{position}!")
}

/// The script of an unsatisfiable formula; some of its assertions have names.
pub(crate) fn unsatisfiable(
    signature: &Signature,
    store: &mut Store,
    mentioned: &Mentioned,
    stated: &[Stated],
    logic: Logic,
) -> Script {
    let mut script = Script::default();
    let option = Setting { keyword: ":produce-unsat-cores".into(), value: Some("true".into()) };
    script.push(Command::SetOption(Box::new(option)), 0);
    let terms: Vec<TermId> = stated.iter().map(|stated| stated.term).collect();
    for command in begun(signature, store, mentioned, &terms, logic).commands {
        script.push(command, 0);
    }
    let keyword = store.symbols.intern("named");
    let mut position = 0;
    for &Stated { term, is_named } in stated {
        let mut asserted = term;
        if is_named {
            let name = store.symbols.intern(&assertion_name(position));
            let attribute = Attribute { keyword, value: AttributeValue::Name(name) };
            asserted = store.annotated(term, vec![attribute]);
            position += 1;
        }
        script.push(Command::Assert(asserted), 0);
    }
    script.push(Command::CheckSat, 0);
    script.push(Command::Plain(Plain::GetUnsatCore), 0);
    script
}

fn begun(
    signature: &Signature,
    store: &Store,
    mentioned: &Mentioned,
    assertions: &[TermId],
    logic: Logic,
) -> Script {
    let declarations = declarations(signature, store, mentioned);
    // The logics of the standard have its operators only.
    let usual = mentioned.operators.iter().all(|&(op, _)| is_usual(op));
    let name = match logic {
        Logic::Smallest if usual => {
            Fragment::of(store, &declarations, assertions).logic("").to_owned()
        }
        Logic::Smallest | Logic::All => assay_smtlib::EVERYTHING.to_owned(),
    };
    let mut script = Script::default();
    script.push(Command::SetLogic(name), 0);
    for command in declarations {
        script.push(command, 0);
    }
    script
}
