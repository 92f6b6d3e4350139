//! A seed: a user's formula, normalized into the one shape that mutations work on.
//!
//! The declarations and assertions in force at the last `check-sat` become lists, followed by one
//! `check-sat`; `let` is expanded (terms stay shared), names of assertions are dropped, and the options that
//! belong to the case are kept. If all assertions are soft, they get names, and what these stand for is asserted.

use crate::cnf::conjuncts;
use crate::pair::standard_names;
use assay_case::{Expected, Formula, declared_verdicts, is_own_option};
use assay_smtlib::{
    Command, Definition, Environment, Fragment, HORN, Lets, Printer, Script, read_script,
};
use assay_term::theories::core;
use assay_term::{Attribute, FuncId, Replacements, SortId, Store, Term, TermId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A formula in parts.
#[derive(Clone)]
pub(crate) struct Base {
    pub(crate) store: Store,
    pub(crate) env: Arc<Environment>,
    /// The logic, the declarations and the definitions.
    pub(crate) prelude: Vec<Command>,
    pub(crate) assertions: Vec<TermId>,
    /// Soft assertions and objectives. Truths are about the assertions alone.
    pub(crate) goals: Vec<Command>,
}

impl Base {
    /// The formula with these assertions, terms of the given store, which is this one or has grown from it.
    pub(crate) fn formula(&self, store: impl Into<Arc<Store>>, assertions: &[TermId]) -> Formula {
        let store = store.into();
        let mut script = Script::default();
        let asserted = assertions.iter().map(|&term| Command::Assert(term));
        let wanted = asserted.chain(self.goals.iter().cloned()).chain([Command::CheckSat]);
        let commands = self.prelude.iter().cloned().chain(wanted);
        let declared = commands.clone().find_map(|command| match command {
            Command::SetLogic(logic) => Some(logic),
            _ => None,
        });
        let logic = declared.map(|declared| self.logic(&store, &declared, assertions));
        for command in commands {
            let command = match (command, &logic) {
                (Command::SetLogic(_), Some(logic)) => Command::SetLogic(logic.clone()),
                (command, _) => command,
            };
            script.push(command, 0);
        }
        Formula::from_parts(store, script, Arc::clone(&self.env))
    }

    /// The logic of the formula with these assertions: the declared one, or one that admits them.
    fn logic(&self, store: &Store, declared: &str, assertions: &[TermId]) -> String {
        // Mutants of Horn clauses need not be Horn clauses.
        if declared == HORN && assertions == self.assertions {
            return declared.to_owned();
        }
        let bodies = self.prelude.iter().flat_map(definitions).map(|definition| definition.body);
        let goals = self.goals.iter().filter_map(goal);
        let terms: Vec<TermId> = assertions.iter().copied().chain(bodies).chain(goals).collect();
        let declared = if declared == HORN { "" } else { declared };
        Fragment::of(store, &self.prelude, &terms).logic(declared).to_owned()
    }

    /// The same without soft assertions and objectives.
    pub(crate) fn hard(&self) -> Base {
        Base { goals: Vec::new(), ..self.clone() }
    }

    /// The terms of its assertions, soft assertions and objectives.
    pub(crate) fn terms(&self) -> Vec<TermId> {
        self.assertions.iter().copied().chain(self.goals.iter().filter_map(goal)).collect()
    }

    /// The conjuncts of its assertions.
    pub(crate) fn conjuncts(&self) -> Vec<TermId> {
        self.assertions.iter().flat_map(|&term| conjuncts(&self.store, term)).collect()
    }

    /// A name that does not occur in the formula.
    pub(crate) fn fresh_name(&self, stem: &str, number: usize) -> String {
        let names = (number..).map(|number| format!("{stem}!{number}"));
        let mut free = names.filter(|name| self.store.symbols.get(name).is_none());
        free.next().expect("numbers do not end")
    }
}

/// A formula that mutants are made from.
pub struct Seed {
    name: String,
    logic: String,
    declared: Option<bool>,
    quantified: bool,
    pub(crate) base: Base,
}

/// Why a file cannot serve as a seed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SeedError {
    /// It cannot be read: the position and the error.
    #[error("it cannot be read: {0}")]
    Unread(String),
    /// It is too large.
    #[error("it is larger than {0} bytes")]
    Large(usize),
    /// It has no assertions, not even soft ones.
    #[error("nothing is asserted")]
    Empty,
    /// It uses sorts as parameters.
    #[error("it declares sort parameters")]
    SortParameters,
    /// Dropping its names would change its meaning.
    #[error("it cannot be flattened: {0}")]
    Flat(String),
}

impl Seed {
    /// Reads a seed.
    ///
    /// # Errors
    /// If it cannot serve as a seed.
    pub fn read(name: &str, text: &[u8], largest: usize) -> Result<Seed, SeedError> {
        if text.len() > largest {
            return Err(SeedError::Large(largest));
        }
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, text, Lets::Expand).map_err(|e| {
            SeedError::Unread(format!("line {}, column {}: {}", e.line, e.column, e.message))
        })?;
        let verdicts = declared_verdicts(&script, &String::from_utf8_lossy(text));
        let declared = match verdicts.last() {
            Some(Expected::Sat) => Some(true),
            Some(Expected::Unsat) => Some(false),
            _ => None,
        };
        let logic = script.logic().map(str::to_owned);
        let flat = flat(&mut store, &script)?;
        let flat = Printer::new(&store).script(&flat);
        let mut store = Store::new();
        let (script, env) = read_script(&mut store, flat.as_bytes(), Lets::Expand)
            .map_err(|error| SeedError::Flat(error.message))?;
        let (mut prelude, mut assertions, mut goals) = (Vec::new(), Vec::new(), Vec::new());
        for command in script.commands {
            match command {
                Command::Assert(term) => assertions.push(term),
                other if goal(&other).is_some() => goals.push(other),
                other if other.is_check() => {}
                other => prelude.push(other),
            }
        }
        if assertions.is_empty() {
            return Err(SeedError::Empty);
        }
        let quantified = store
            .postorder(&assertions)
            .into_iter()
            .any(|term| matches!(store.get(term), Term::Quant(..)));
        let base = Base { store, env: Arc::new(env), prelude, assertions, goals };
        Ok(Seed {
            name: name.to_owned(),
            logic: logic.unwrap_or_else(|| "none".to_owned()),
            declared,
            quantified,
            base: standard_names(base),
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The logic that it sets, or `none`.
    #[must_use]
    pub fn logic(&self) -> &str {
        &self.logic
    }

    /// Its declared status.
    #[must_use]
    pub fn declared(&self) -> Option<bool> {
        self.declared
    }

    /// Whether it has quantifiers.
    #[must_use]
    pub fn is_quantified(&self) -> bool {
        self.quantified
    }

    /// The seed itself, flattened.
    #[must_use]
    pub fn formula(&self) -> Formula {
        self.base.formula(self.base.store.clone(), &self.base.assertions)
    }

    /// The seed without its soft assertions and objectives, which its truth does not depend on.
    pub(crate) fn hard(&self) -> Formula {
        self.base.hard().formula(self.base.store.clone(), &self.base.assertions)
    }
}

/// The declarations and assertions in force, without names, options and queries.
fn flat(store: &mut Store, script: &Script) -> Result<Script, SeedError> {
    let global = |command: &Command| {
        matches!(command, Command::SetOption(o) if o.keyword == ":global-declarations"
            && o.value.as_deref() == Some("true"))
    };
    let everywhere = script.commands.iter().any(global);
    let in_force: Vec<&Command> = match everywhere {
        true => script.commands.iter().collect(),
        false => script.commands_in_force().map(|(command, _)| command).collect(),
    };
    let options = script.commands.iter().filter(|command| is_own_option(command));
    let mut prelude: Vec<Command> = options.cloned().collect();
    if let Some(logic) = script.logic() {
        prelude.push(Command::SetLogic(logic.to_owned()));
    }
    let mut goals: Vec<Command> = Vec::new();
    for command in in_force {
        match command {
            Command::DeclareSort(_)
            | Command::DeclareDatatypes(..)
            | Command::DeclareFun(_)
            | Command::DeclareConst(_)
            | Command::DefineFun(_)
            | Command::DefineConst(_)
            | Command::DefineFunRec(_)
            | Command::DefineFunsRec(_) => prelude.push(command.clone()),
            Command::DeclareSortParameter(_) => return Err(SeedError::SortParameters),
            other if goal(other).is_some() => goals.push(other.clone()),
            _ => {}
        }
    }
    let assertions: Vec<TermId> =
        script.active_assertions().into_iter().map(|(term, _)| term).collect();
    let mut plain = Replacements::default();
    let mut roots = assertions.clone();
    roots.extend(goals.iter().filter_map(goal));
    roots.extend(script.named.iter().map(|&(_, _, term)| term));
    for command in &prelude {
        roots.extend(definitions(command).iter().map(|definition| definition.body));
    }
    let all = store.postorder(&roots);
    for &term in &all {
        if let Some((inner, rest)) = named(store, term) {
            let inner = store.replace(inner, &mut plain);
            let new = store.annotated(inner, rest);
            plain.insert(term, new);
        }
    }
    let used: FxHashSet<FuncId> = all
        .iter()
        .filter_map(|&term| match store.get(term) {
            Term::App(func, []) => Some(func),
            _ => None,
        })
        .collect();
    let mut flat = Script::default();
    for mut command in prelude {
        for definition in definitions_mut(&mut command) {
            definition.body = store.replace(definition.body, &mut plain);
        }
        flat.push(command, 0);
    }
    for &(_, func, term) in script.named.iter().filter(|(_, func, _)| used.contains(func)) {
        let body = store.replace(term, &mut plain);
        flat.push(Command::DefineFun(Definition { func, params: Box::new([]), body }), 0);
    }
    for assertion in assertions {
        let plain = store.replace(assertion, &mut plain);
        flat.push(Command::Assert(plain), 0);
    }
    let only_soft = assertions_are_missing(&flat);
    for command in goals {
        let mut command = with_goal(&command, |term| store.replace(term, &mut plain));
        if let (true, Command::AssertSoft { .. }) = (only_soft, &command) {
            command = named_goal(store, &mut flat, &command);
        }
        flat.push(command, 0);
    }
    flat.push(Command::CheckSat, 0);
    Ok(flat)
}

fn assertions_are_missing(script: &Script) -> bool {
    !script.commands.iter().any(|command| matches!(command, Command::Assert(_)))
}

/// A soft assertion about a new constant that is asserted to equal its term. Assertions are what is
/// mutated, and the optima remain the same.
fn named_goal(store: &mut Store, flat: &mut Script, command: &Command) -> Command {
    let mut names = (1..).map(|number| format!("soft!{number}"));
    let name = names.find(|name| store.symbols.get(name).is_none()).expect("numbers do not end");
    let name = store.symbols.intern(&name);
    let (func, constant) = store.declare_constant(name, SortId::BOOL);
    flat.push(Command::DeclareConst(func), 0);
    with_goal(command, |term| {
        let equal = store.op(core::EQ, &[constant, term]).expect("both are Boolean");
        flat.push(Command::Assert(equal), 0);
        constant
    })
}

/// An annotated term without its names and comments, and its other attributes. Names of quantifiers are names,
/// too: a mutant may have a quantifier twice. Solvers may refuse attributes that they do not know.
fn named(store: &Store, term: TermId) -> Option<(TermId, Vec<Attribute>)> {
    let Term::Annotated(inner, attributes) = store.get(term) else { return None };
    let has_meaning = |attribute: &&Attribute| {
        ["pattern", "no-pattern", "weight"].contains(&store.symbols.name(attribute.keyword))
    };
    let kept: Vec<Attribute> = attributes.iter().filter(has_meaning).cloned().collect();
    (kept.len() < attributes.len()).then_some((inner, kept))
}

/// The term of a soft assertion or an objective.
pub(crate) fn goal(command: &Command) -> Option<TermId> {
    match command {
        Command::AssertSoft { term, .. }
        | Command::Minimize(term, _)
        | Command::Maximize(term, _) => Some(*term),
        _ => None,
    }
}

/// The same soft assertion or objective about another term.
pub(crate) fn with_goal(command: &Command, new: impl FnOnce(TermId) -> TermId) -> Command {
    match command {
        Command::AssertSoft { term, attributes } => {
            Command::AssertSoft { term: new(*term), attributes: attributes.clone() }
        }
        Command::Minimize(term, more) => Command::Minimize(new(*term), more.clone()),
        Command::Maximize(term, more) => Command::Maximize(new(*term), more.clone()),
        other => other.clone(),
    }
}

/// What a command defines.
pub(crate) fn definitions(command: &Command) -> &[Definition] {
    match command {
        Command::DefineFun(definition)
        | Command::DefineConst(definition)
        | Command::DefineFunRec(definition) => std::slice::from_ref(definition),
        Command::DefineFunsRec(definitions) => definitions,
        _ => &[],
    }
}

fn definitions_mut(command: &mut Command) -> &mut [Definition] {
    match command {
        Command::DefineFun(definition)
        | Command::DefineConst(definition)
        | Command::DefineFunRec(definition) => std::slice::from_mut(definition),
        Command::DefineFunsRec(definitions) => definitions,
        _ => &mut [],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Seed, SeedError> {
        Seed::read("seed", text.as_bytes(), 1000)
    }

    #[test]
    fn seeds_keep_assertions_in_force_without_their_names() {
        let seed = read(
            "(set-option :produce-models true) (set-option :smt.arith.solver 2) (set-logic QF_IDL) (set-info :status unsat)
             (declare-const x Int) (push 1) (declare-const gone Int) (assert (> gone 0)) (pop 1)
             (assert (let ((y x)) (! (> y 0) :named positive)))
             (assert (! (=> positive (< x 0)) :named other))
             (check-sat-assuming ((= x 1))) (get-model)",
        );
        let seed = seed.expect("it is a seed");
        assert_eq!((seed.logic(), seed.declared()), ("QF_IDL", Some(false)));
        assert_eq!(
            seed.formula().text(),
            "(set-option :smt.arith.solver 2)\n(set-logic QF_IDL)\n(declare-const x Int)\n\
             (define-fun positive () Bool (> x 0))\n(assert (> x 0))\n\
             (assert (=> positive (< x 0)))\n(assert (= x 1))\n(check-sat)\n"
        );
    }

    #[test]
    fn soft_assertions_and_objectives_in_force_are_kept() {
        let seed = read(
            "(declare-const @x Int)(assert (! (> @x 0) :named low))(assert-soft (> @x 5) :weight 2 :id a)
             (push 1)(assert-soft (= @x 1))(pop 1)(assert-soft low)(minimize (let ((y @x)) (+ y 1)))(check-sat)",
        );
        let seed = seed.expect("it is a seed");
        let hard = "(declare-const x Int)\n(define-fun low () Bool (> x 0))\n(assert (> x 0))\n";
        let soft = "(assert-soft (> x 5) :weight 2 :id a)\n(assert-soft low)\n(minimize (+ x 1))\n";
        assert_eq!(seed.formula().text(), format!("{hard}{soft}(check-sat)\n"));
        assert_eq!(seed.hard().text(), format!("{hard}(check-sat)\n"));
    }

    #[test]
    fn soft_assertions_without_others_are_asserted_to_equal_their_names() {
        let seed = read(
            "(declare-const p Bool)(declare-const soft!1 Bool)(assert-soft (or p soft!1) :weight 2 :id a)
             (assert-soft (not p))(maximize (ite p 1 0))(check-sat)",
        );
        assert_eq!(
            seed.expect("it is a seed").formula().text(),
            "(declare-const p Bool)\n(declare-const soft!1 Bool)\n(declare-const soft!2 Bool)\n\
             (declare-const soft!3 Bool)\n(assert (= soft!2 (or p soft!1)))\n\
             (assert (= soft!3 (not p)))\n(assert-soft soft!2 :weight 2 :id a)\n\
             (assert-soft soft!3)\n(maximize (ite p 1 0))\n(check-sat)\n"
        );
    }

    #[test]
    fn names_that_the_standard_reserves_are_replaced() {
        let seed = read(
            "(declare-sort @S 0)(declare-const .x @S)(declare-fun @f (@S) Bool)(declare-const x Int)
             (assert (and (@f .x) (exists ((@y Int)) (> @y x))))",
        );
        assert_eq!(
            seed.expect("it is a seed").formula().text(),
            "(declare-sort S 0)\n(declare-const x!1 S)\n(declare-fun f (S) Bool)\n\
             (declare-const x Int)\n(assert (and (f x!1) (exists ((y Int)) (> y x))))\n(check-sat)\n"
        );
    }

    #[test]
    fn names_of_sorts_of_theories_are_replaced() {
        let seed = read(
            "(set-logic QF_UF)(declare-sort Int 0)(declare-const x Int)(declare-fun + (Int Int) Int)
             (assert (= x (+ x x)))",
        );
        assert_eq!(
            seed.expect("it is a seed").formula().text(),
            "(set-logic QF_UF)\n(declare-sort Int!1 0)\n(declare-const x Int!1)\n\
             (declare-fun +!1 (Int!1 Int!1) Int!1)\n(assert (= x (+!1 x x)))\n(check-sat)\n"
        );
    }

    #[test]
    fn literals_of_other_sorts_are_copied_with_their_sorts() {
        let seed = read(
            "(define-sort F () (_ FiniteField 5))(declare-const @x F)(declare-const b (_ BitVec 4))
             (assert (= (ff.mul @x (as ff3 F)) #f2m5))(assert (= b #x3))",
        );
        assert_eq!(
            seed.expect("it is a seed").formula().text(),
            "(declare-const x (_ FiniteField 5))\n(declare-const b (_ BitVec 4))\n\
             (assert (= (ff.mul x (as ff3 (_ FiniteField 5))) (as ff2 (_ FiniteField 5))))\n\
             (assert (= b #x3))\n(check-sat)\n"
        );
    }

    #[test]
    fn names_of_operators_are_replaced() {
        let seed = read(
            "(declare-datatype L ((nil) (set.insert (hd Int) (tl L))))(declare-fun implies (Int) Bool)
             (declare-const l L)(assert (implies (hd l)))(assert ((_ is set.insert) l))",
        );
        assert_eq!(
            seed.expect("it is a seed").formula().text(),
            "(declare-datatype L ((nil) (set.insert!1 (hd Int) (tl L))))\n\
             (declare-fun implies!1 (Int) Bool)\n(declare-const l L)\n\
             (assert (implies!1 (hd l)))\n(assert ((_ is set.insert!1) l))\n(check-sat)\n"
        );
    }

    #[test]
    fn names_and_comments_of_quantifiers_are_dropped_and_their_patterns_are_kept() {
        let seed = read(
            "(declare-fun f (Int) Int)(assert (forall ((x Int)) (! (> (f x) 0) :pattern ((f x)) :qid a)))
             (assert (exists ((x Int)) (! (< (f x) 5) :qid b :skolemid c :note (d))))",
        );
        assert_eq!(
            seed.expect("it is a seed").formula().text(),
            "(declare-fun f (Int) Int)\n\
             (assert (forall ((x Int)) (! (> (f x) 0) :pattern ((f x)))))\n\
             (assert (exists ((x Int)) (< (f x) 5)))\n(check-sat)\n"
        );
    }

    #[test]
    fn names_that_solvers_declare_themselves_are_replaced() {
        let seed = read(
            "(declare-datatypes ((List 1)) ((par (T) ((nil) (insert (head T) (tail (List T)))))))
             (declare-const l (List Int))(declare-fun is (Int) Bool)(assert (is (head l)))",
        );
        assert_eq!(
            seed.expect("it is a seed").formula().text(),
            "(declare-datatypes ((List!1 1)) ((par (T) ((nil) (insert!1 (head!1 T) (tail!1 (List!1 T)))))))\n\
             (declare-const l (List!1 Int))\n(declare-fun is!1 (Int) Bool)\n\
             (assert (is!1 (head!1 l)))\n(check-sat)\n"
        );
    }

    #[test]
    fn unusable_seeds_are_refused_with_a_reason() {
        let fault = |text: &str| read(text).err().map(|error| error.to_string());
        assert_eq!(fault("(check-sat)").as_deref(), Some("nothing is asserted"));
        let only_objective = "(declare-const x (_ BitVec 4))(minimize x)(check-sat)";
        assert_eq!(fault(only_objective).as_deref(), Some("nothing is asserted"));
        let unread = fault("(assert (> x 0))").expect("x is not declared");
        assert!(unread.starts_with("it cannot be read"), "{unread}");
        assert!(matches!(read(&" ".repeat(2000)), Err(SeedError::Large(1000))));
    }

    #[test]
    fn a_comment_may_declare_the_status() {
        let seed = read("; EXPECT: sat\n(assert true)\n(check-sat)").expect("it is a seed");
        assert_eq!((seed.declared(), seed.logic()), (Some(true), "none"));
    }

    #[test]
    fn a_status_applies_only_to_the_next_check() {
        let declared = |text: &str| read(text).expect("it is a seed").declared();
        let first = "(assert true)(push 1)(assert false)(set-info :status unsat)(check-sat)(pop 1)";
        assert_eq!(declared(&format!("{first}(check-sat)")), None);
        assert_eq!(declared(&format!("{first}(set-info :status sat)(check-sat)")), Some(true));
        let assumed = "(set-info :status unsat)(assert true)(check-sat-assuming (false))";
        assert_eq!(declared(&format!("{assumed}(check-sat)")), None);
        assert_eq!(declared(assumed), Some(false));
        let comments = "; EXPECT: unsat\n(assert true)(check-sat-assuming (false))";
        assert_eq!(declared(&format!("{comments}(check-sat)")), None);
        assert_eq!(declared(&format!("{comments}\n; EXPECT: sat\n(check-sat)")), Some(true));
    }
}
