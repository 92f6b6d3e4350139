//! What an answer must satisfy, as formulas that must hold under all assignments of the constants.

use super::eliminate::quantifier_free;
use super::grammar::generates;
use super::test::{Request, SynthesisTest, Wanted, params, parts};
use crate::check::words;
use crate::formula::Formula;
use crate::rewrite::{first_end, goal_texts, list, symbols};
use crate::universal::{Opened, Verdict};
use assay_term::theories::core;
use assay_term::{Budget, Func, FuncId, Interpretation, Model, Op, Store, Term, TermId};

/// Why the term that was constructed is wrong, or cannot be judged, without any assignment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Unusable {
    /// It cannot be read.
    Unreadable(String),
    /// It mentions symbols that it must not mention.
    Foreign(Vec<String>),
    /// It has a quantifier where none may be.
    Quantified,
    /// The grammar of this function does not generate its body.
    Ungrammatical(String),
}

/// A formula about the answer.
pub(crate) struct Claim {
    pub(crate) formula: TermId,
    pub(crate) must: Must,
    /// What is wrong with an answer that breaks it.
    pub(crate) otherwise: &'static str,
}

/// What must be true of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Must {
    /// All assignments satisfy its formula.
    Hold,
    /// Some assignment falsifies its formula.
    Fail,
    /// Some assignment falsifies its formula, if one falsifies this formula.
    FailLike(TermId),
}

/// The claims about an answer.
pub(crate) struct Claims {
    pub(crate) store: Store,
    pub(crate) definitions: Model,
    pub(crate) list: Vec<Claim>,
}

/// What is known about a formula.
pub(crate) enum Known {
    /// All assignments satisfy it.
    Valid,
    /// This assignment falsifies it.
    False(String),
    /// It holds under this many assignments, which are not all.
    Open(u64),
}

impl Unusable {
    fn unreadable(words: impl Into<String>) -> Unusable {
        Unusable::Unreadable(words.into())
    }
}

/// What the answer must satisfy.
pub(crate) fn claims(test: &SynthesisTest, answer: &str) -> Result<Claims, Unusable> {
    let premise = test.premise();
    match test.request() {
        Request::Interpolant(conjecture) => {
            let body = defined(answer)?;
            let read = Read::new(
                test,
                "",
                &[format!("(=> {premise} {body})"), format!("(=> {body} {conjecture})")],
            )?;
            let ([first, answer], [_, second]) = (read.sides(0)?, read.sides(1)?);
            let [first, second] = [first, second].map(|side| symbols(&read.store, side).functions);
            let own = symbols(&read.store, answer).functions;
            read.refuse(own.into_iter().filter(|f| !(first.contains(f) && second.contains(f))))?;
            Ok(read.claims(&["the premises do not imply it", "it does not imply the conjecture"]))
        }
        Request::Abduct(goal) => {
            let body = defined(answer)?;
            let read = Read::new(
                test,
                "",
                &[
                    format!("(=> (and {premise} {body}) {goal})"),
                    // As an implication, so that equations of its premise are used.
                    format!("(=> (and {premise} {body}) false)"),
                ],
            )?;
            let mut claims = read.claims(&[
                "with the premises it does not imply the goal",
                "it contradicts the premises",
            ]);
            claims.list[1].must = Must::Fail;
            Ok(claims)
        }
        Request::Eliminate(formula, _) => {
            let body = eliminated(answer)?;
            let mut read = Read::new(test, "", &[format!("(= {body} {formula})")])?;
            let [body, formula] = read.plain_sides(0)?;
            let formula = read.without_quantifiers(formula);
            read.formulas[0] = read.made(core::EQ, &[body, formula])?;
            Ok(read.claims(&["it is not equivalent to the formula"]))
        }
        Request::Disjunct(formula) => {
            let body = eliminated(answer)?;
            let mut read = Read::new(
                test,
                "",
                &[format!("(=> {body} {formula})"), format!("(=> {body} false)")],
            )?;
            let [body, formula] = read.plain_sides(0)?;
            let formula = read.without_quantifiers(formula);
            read.formulas[0] = read.made(core::IMPLIES, &[body, formula])?;
            let never = read.store.bool(false);
            let never = read.made(core::IMPLIES, &[formula, never])?;
            let mut claims = read.claims(&[
                "it does not imply the formula",
                "it is unsatisfiable, but the formula is satisfiable",
            ]);
            claims.list[1].must = Must::FailLike(never);
            Ok(claims)
        }
        Request::Functions { wanted, constraints, .. } => {
            solution(test, wanted, constraints, answer)
        }
    }
}

/// What definitions of functions must satisfy: every constraint.
pub(crate) fn solution(
    test: &SynthesisTest,
    wanted: &[Wanted],
    constraints: &[String],
    answer: &str,
) -> Result<Claims, Unusable> {
    let shape = || Unusable::unreadable("expected `((define-fun …) …)`");
    let found = parts(answer).ok_or_else(shape)?;
    if found.len() != wanted.len() {
        return Err(Unusable::unreadable("the number of definitions is not that of the functions"));
    }
    let mut functions = String::new();
    for wanted in wanted {
        let fits = |text: &&&str| {
            list(text, "define-fun").is_some_and(|items| items.first() == Some(&&*wanted.name))
        };
        let text = found.iter().find(fits).ok_or_else(shape)?;
        let [_, own, result, body] =
            list(text, "define-fun").and_then(|items| items.try_into().ok()).ok_or_else(shape)?;
        let own = params(own).ok_or_else(shape)?;
        let same = |(a, b): (&[String; 2], &[String; 2])| squeezed(&a[1]) == squeezed(&b[1]);
        let alike = own.len() == wanted.params.len()
            && own.iter().zip(&wanted.params).all(same)
            && squeezed(result) == squeezed(&wanted.result);
        if !alike {
            return Err(Unusable::unreadable("a function has other sorts"));
        }
        if generates(test, wanted, &own, body) == Some(false) {
            return Err(Unusable::Ungrammatical(wanted.name.clone()));
        }
        functions += text;
        functions.push('\n');
    }
    let read = Read::new(test, &functions, constraints)?;
    let variables = read.definitions.iter().filter_map(|(_, meaning)| match meaning {
        Interpretation::Definition { body, .. } => Some(symbols(&read.store, *body).functions),
        _ => None,
    });
    read.refuse(variables.flatten().filter(|&func| read.definitions.get(func).is_none()))?;
    let words = vec!["a constraint does not hold"; constraints.len()];
    Ok(read.claims(&words))
}

/// The text without differences of white space.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The formula of `(define-fun NAME () Bool formula)`.
fn defined(answer: &str) -> Result<&str, Unusable> {
    match list(answer.trim(), "define-fun").as_deref() {
        Some([_, "()", "Bool", body]) => Ok(body),
        _ => Err(Unusable::unreadable("expected `(define-fun NAME () Bool formula)`")),
    }
}

/// A formula, or the goals of a tactic.
fn eliminated(answer: &str) -> Result<String, Unusable> {
    let answer = answer.trim();
    if answer.starts_with("(goals") {
        let goals =
            goal_texts(answer).map_err(|skipped| Unusable::unreadable(skipped.to_string()))?;
        let goals = goals.iter().map(|formulas| format!("(and true true {})", formulas.join(" ")));
        return Ok(format!("(or false false {})", goals.collect::<Vec<_>>().join(" ")));
    }
    match first_end(answer) == answer.len() {
        true => Ok(answer.to_owned()),
        false => Err(Unusable::unreadable("expected one formula")),
    }
}

/// Formulas about an answer, in the scope of the task.
struct Read {
    store: Store,
    definitions: Model,
    formulas: Vec<TermId>,
}

impl Read {
    fn new(test: &SynthesisTest, functions: &str, formulas: &[String]) -> Result<Read, Unusable> {
        let asserted: String = formulas.iter().map(|f| format!("(assert {f})\n")).collect();
        let text = format!("{}{functions}{asserted}", test.declarations());
        let formula = Formula::read(text).map_err(|error| match &error.unknown {
            Some(name) => Unusable::Unreadable(format!("`{name}` is unknown")),
            None => Unusable::Unreadable(error.message.clone()),
        })?;
        let found: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
        if found.len() != formulas.len() {
            return Err(Unusable::unreadable("it is not one formula"));
        }
        let (store, definitions) = (formula.store().clone(), formula.definitions().clone());
        Ok(Read { store, definitions, formulas: found })
    }

    /// Both sides of an implication or equation.
    fn sides(&self, at: usize) -> Result<[TermId; 2], Unusable> {
        let sides = self.store.children(self.formulas[at]);
        sides.try_into().map_err(|_| Unusable::unreadable("it is not one formula"))
    }

    /// The same, with no quantifier in the first.
    fn plain_sides(&self, at: usize) -> Result<[TermId; 2], Unusable> {
        let sides = self.sides(at)?;
        let parts = self.store.postorder(&[sides[0]]);
        let is_quantified = |&part: &TermId| matches!(self.store.get(part), Term::Quant(..));
        if parts.iter().any(is_quantified) { Err(Unusable::Quantified) } else { Ok(sides) }
    }

    /// An equivalent formula without quantifiers, if one is found.
    fn without_quantifiers(&mut self, formula: TermId) -> TermId {
        let mut budget = Budget::new(STEPS, u64::MAX);
        quantifier_free(&mut self.store, formula, &mut budget).unwrap_or(formula)
    }

    /// An application of a connective.
    fn made(&mut self, op: Op, args: &[TermId]) -> Result<TermId, Unusable> {
        self.store.op(op, args).map_err(|_| Unusable::unreadable("it is not a formula"))
    }

    /// Refuses symbols, if there are any.
    fn refuse(&self, symbols: impl Iterator<Item = FuncId>) -> Result<(), Unusable> {
        let mut names: Vec<String> = symbols.map(|func| self.store.func_name(func)).collect();
        names.sort();
        names.dedup();
        if names.is_empty() { Ok(()) } else { Err(Unusable::Foreign(names)) }
    }

    fn claims(self, words: &[&'static str]) -> Claims {
        let claim = |(&formula, &otherwise): (&TermId, &&'static str)| Claim {
            formula,
            must: Must::Hold,
            otherwise,
        };
        let list = self.formulas.iter().zip(words).map(claim).collect();
        Claims { store: self.store, definitions: self.definitions, list }
    }
}

/// The steps of eliminating quantifiers.
const STEPS: u64 = 4_000_000;

/// Whether a formula holds under all assignments of its constants.
pub(crate) fn decide(claims: &Claims, formula: TermId, budget: &mut Budget) -> Known {
    let mut store = claims.store.clone();
    let expanded = store.expanded(&[formula], &claims.definitions, budget);
    let matrix = expanded.map_or(formula, |terms| terms[0]);
    let constants: Vec<FuncId> = symbols(&store, matrix)
        .functions
        .into_iter()
        .filter(|&func| claims.definitions.get(func).is_none())
        .collect();
    let is_constant = |&func: &FuncId| matches!(store.func(func), Func::Declared { params, .. } if params.is_empty());
    if !constants.iter().all(is_constant) {
        return Known::Open(0);
    }
    let mut opened = Opened::over(store, matrix, &constants);
    match opened.decide(&claims.definitions, budget) {
        Verdict::Valid => Known::Valid,
        Verdict::False(assignment) => Known::False(words(&claims.store, &assignment)),
        Verdict::Unknown => Known::Open(opened.decided.get()),
    }
}
