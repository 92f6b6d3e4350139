//! The file's assertions in the form that the search uses: split conjunctions, skolem functions for
//! existential quantifiers, uniquely named bound variables, and patterns for each quantifier.
//!
//! Patterns keep their meaning: a quantifier has alternatives, and each alternative is a list of
//! terms that must all be matched.

use crate::nnf::{Nnf, declared, flattened, inlined, ready_definitions, replaced};
use crate::patterns;
use crate::problem::Problem;
use assay_term::budget::{Meter, as_steps};
use assay_term::theories::core;
use assay_term::{
    Attribute, AttributeValue, Budget, Exhausted, FuncId, Quantifier, Replacements, SortId, Term,
    TermId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// One alternative of a quantifier's patterns: terms that must all be matched.
pub type MultiPattern = Vec<TermId>;

/// A universal quantifier, with unique names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The index of its assertion in [`Problem::facts`].
    pub fact: usize,
    /// Its variables.
    pub vars: Vec<TermId>,
    /// Its patterns.
    pub patterns: Vec<MultiPattern>,
    /// Whether the file gives no patterns and these were inferred.
    pub inferred: bool,
    /// The variables of the quantifiers around it.
    pub outer: Vec<TermId>,
}

/// A conjunct: a disjunction, quantified unless it is ground.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axiom {
    /// The index of its assertion.
    pub fact: usize,
    /// The variables of its outermost quantifier; empty if it is ground.
    pub vars: Vec<TermId>,
    /// Patterns of all its quantifiers, the outermost first.
    pub patterns: Vec<MultiPattern>,
    /// Its disjuncts: literals, conjunctions that were not distributed, nested quantifiers.
    pub disjuncts: Vec<TermId>,
}

/// The file, prepared.
#[derive(Clone, Default)]
pub struct NormalForm {
    /// Closed formulas whose conjunction is equisatisfiable with the file, each with its assertion.
    /// Quantifiers carry their patterns and a `:qid` with their index in
    /// [`NormalForm::quantifiers`].
    pub statements: Vec<(usize, TermId)>,
    /// The same, split further.
    pub axioms: Vec<Axiom>,
    /// All universal quantifiers of the statements.
    pub quantifiers: Vec<Bound>,
    /// Skolem functions.
    pub skolems: Vec<FuncId>,
}

/// Why a file cannot be prepared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PrepareError {
    /// Quantifiers are nested too deeply.
    #[error("quantifiers are nested more than {MAX_NESTING} deep")]
    TooDeep,
    /// `match` binds variables in a way that is not supported.
    #[error("`match` is not supported")]
    Match,
    /// The budget is used up.
    #[error("{limit} while {doing}")]
    Limit {
        /// The exhausted limit.
        limit: Exhausted,
        /// The part of the work.
        doing: Doing,
    },
}

/// The parts of the preparation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// Replacing definitions by their bodies.
    Expanding,
    /// Computing negation normal forms.
    Normalising,
    /// Naming quantifiers and choosing patterns and skolem functions.
    Quantifiers,
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Doing::Expanding => "expanding definitions",
            Doing::Normalising => "normalising formulas",
            Doing::Quantifiers => "preparing quantifiers",
        })
    }
}

impl Doing {
    fn limited(self) -> impl Fn(Exhausted) -> PrepareError {
        move |limit| PrepareError::Limit { limit, doing: self }
    }
}

const MAX_NESTING: usize = 100;

/// The maximum number of clauses from distributing one disjunction over conjunctions.
const MAX_CLAUSES: usize = 12;

/// The prefix of the `:qid`s of a prepared file.
pub(crate) const QID: &str = "q!";

/// Prepares a file.
///
/// # Errors
/// Fails if quantifiers are nested too deeply, or the budget is used up.
pub fn prepare(problem: &mut Problem, budget: &mut Budget) -> Result<NormalForm, PrepareError> {
    let mut form = NormalForm::default();
    let mut nnf = Nnf::default();
    let facts: Vec<TermId> = problem.facts.iter().map(|fact| fact.term).collect();
    let bodies = problem.definitions.iter().map(|definition| definition.body);
    let roots: Vec<TermId> = facts.iter().copied().chain(bodies).collect();
    let all = problem.store.postorder(&roots);
    if all.iter().any(|&term| matches!(problem.store.get(term), Term::Match(..))) {
        return Err(PrepareError::Match);
    }
    let mut seen = FxHashSet::default();
    let expanding = Doing::Expanding.limited();
    let definitions = ready_definitions(problem, budget).map_err(&expanding)?;
    let facts = inlined(problem, &definitions, &facts, budget).map_err(&expanding)?;
    for (fact, term) in facts.into_iter().enumerate() {
        let term =
            nnf.of(&mut problem.store, term, true, budget).map_err(Doing::Normalising.limited())?;
        for part in flattened(&problem.store, term, core::AND) {
            if !seen.insert(part) {
                continue;
            }
            let mut maker = Maker { problem, form: &mut form, fact, budget };
            let made = maker.settled(part, &[], 0)?;
            for statement in flattened(&problem.store, made, core::AND) {
                form.statements.push((fact, statement));
            }
        }
    }
    split(problem, &mut form, budget).map_err(Doing::Normalising.limited())?;
    Ok(form)
}

/// Prepares one assertion.
struct Maker<'p> {
    problem: &'p mut Problem,
    form: &'p mut NormalForm,
    fact: usize,
    budget: &'p mut Budget,
}

impl Maker<'_> {
    fn replaced(&mut self, term: TermId, by: &mut Replacements) -> Result<TermId, PrepareError> {
        replaced(&mut self.problem.store, term, by, self.budget)
            .map_err(Doing::Quantifiers.limited())
    }

    /// Replaces the outermost quantifiers of a formula in negation normal form.
    fn settled(
        &mut self,
        term: TermId,
        scope: &[TermId],
        depth: usize,
    ) -> Result<TermId, PrepareError> {
        if depth > MAX_NESTING {
            return Err(PrepareError::TooDeep);
        }
        let mut by = Replacements::default();
        for quantified in self.outermost(term)? {
            let Term::Quant(which, vars, body) = self.problem.store.get(quantified) else {
                unreachable!("only quantifiers are collected")
            };
            let vars = vars.to_vec();
            let (inner, attributes) = match self.problem.store.get(body) {
                Term::Annotated(inner, attributes) => (inner, attributes.to_vec()),
                _ => (body, Vec::new()),
            };
            let new = match which {
                Quantifier::Exists => {
                    let mut renamed = self.skolems(quantified, &vars);
                    let inner = self.replaced(inner, &mut renamed)?;
                    self.settled(inner, scope, depth + 1)?
                }
                Quantifier::Forall => self.universal(&vars, inner, &attributes, scope, depth)?,
            };
            by.insert(quantified, new);
        }
        self.replaced(term, &mut by)
    }

    /// Finds quantifiers that are only below `and` and `or`.
    fn outermost(&mut self, term: TermId) -> Result<Vec<TermId>, PrepareError> {
        let store = &self.problem.store;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            if matches!(store.get(term), Term::Quant(..)) {
                found.push(term);
            } else if let Some((core::AND | core::OR, args)) = store.operator(term) {
                work.extend(args);
            }
        }
        self.budget.spend(as_steps(seen.len())).map_err(Doing::Quantifiers.limited())?;
        found.sort_unstable();
        Ok(found)
    }

    /// Skolem functions over the quantifier's free variables, in place of its variables.
    fn skolems(&mut self, quantified: TermId, vars: &[TermId]) -> Replacements {
        let free = self.problem.store.free_variables(quantified);
        let params: Vec<SortId> = free.iter().map(|&var| self.problem.store.sort(var)).collect();
        let mut by = Replacements::default();
        for &var in vars {
            let stem = format!("sk!{}", self.variable_name(var));
            let sort = self.problem.store.sort(var);
            let func = self.problem.fresh(&stem, &params, sort);
            self.form.skolems.push(func);
            let term = self.problem.store.app(func, &free).expect("declared with these sorts");
            by.insert(var, term);
        }
        by
    }

    fn variable_name(&self, var: TermId) -> String {
        match self.problem.store.get(var) {
            Term::Var(name) => {
                let name = self.problem.store.symbols.name(name);
                name.split('!').next().unwrap_or_default().to_owned()
            }
            _ => String::new(),
        }
    }

    fn universal(
        &mut self,
        vars: &[TermId],
        inner: TermId,
        attributes: &[Attribute],
        scope: &[TermId],
        depth: usize,
    ) -> Result<TermId, PrepareError> {
        let mut by = Replacements::default();
        let mut renamed = Vec::with_capacity(vars.len());
        for &var in vars {
            let stem = self.variable_name(var);
            let name = self.problem.fresh_name(&stem);
            let sort = self.problem.store.sort(var);
            let new = self.problem.store.var(name, sort);
            by.insert(var, new);
            renamed.push(new);
        }
        let mut given = Vec::new();
        for attribute in attributes {
            let keyword = self.problem.store.symbols.name(attribute.keyword) == "pattern";
            if let (true, AttributeValue::Terms(terms)) = (keyword, &attribute.value) {
                let mut renamed = Vec::with_capacity(terms.len());
                for &term in terms {
                    renamed.push(self.replaced(term, &mut by)?);
                }
                given.push(renamed);
            }
        }
        let inner = self.replaced(inner, &mut by)?;
        let inferred = given.is_empty();
        if inferred {
            given = patterns::infer(&self.problem.store, inner, &renamed, scope, self.budget)
                .map_err(Doing::Quantifiers.limited())?;
        }
        let number = self.form.quantifiers.len();
        let annotation = annotation(self.problem, number, &given);
        self.form.quantifiers.push(Bound {
            fact: self.fact,
            vars: renamed.clone(),
            patterns: given,
            inferred,
            outer: scope.to_vec(),
        });
        let around: Vec<TermId> = scope.iter().chain(&renamed).copied().collect();
        let body = self.settled(inner, &around, depth + 1)?;
        let store = &mut self.problem.store;
        let body = store.annotated(body, annotation);
        Ok(store.quantified(Quantifier::Forall, &renamed, body).expect("as before"))
    }
}

/// The attributes of a prepared quantifier.
fn annotation(problem: &mut Problem, number: usize, patterns: &[MultiPattern]) -> Vec<Attribute> {
    let symbols = &mut problem.store.symbols;
    let keyword = symbols.intern("pattern");
    let mut attributes: Vec<Attribute> = patterns
        .iter()
        .map(|terms| Attribute {
            keyword,
            value: AttributeValue::Terms(terms.clone().into_boxed_slice()),
        })
        .collect();
    let value = AttributeValue::Text(format!("{QID}{number}").into());
    attributes.push(Attribute { keyword: symbols.intern("qid"), value });
    attributes
}

/// The statements with the given patterns for numbered quantifiers, or those of the form.
fn repatterned(
    problem: &mut Problem,
    form: &NormalForm,
    given: &FxHashMap<usize, Vec<MultiPattern>>,
    budget: &mut Budget,
) -> Result<Vec<(usize, TermId)>, Exhausted> {
    let by_vars = form.numbers();
    let mut statements = Vec::with_capacity(form.statements.len());
    for &(fact, statement) in &form.statements {
        let mut by = Replacements::default();
        let parts = problem.store.postorder(&[statement]);
        budget.spend(as_steps(parts.len()))?;
        for part in parts {
            let Term::Quant(which, vars, body) = problem.store.get(part) else { continue };
            let (vars, inner) = (vars.to_vec(), unannotated(problem, body));
            let Some(&number) = by_vars.get(&vars) else { continue };
            let patterns = given.get(&number).unwrap_or(&form.quantifiers[number].patterns);
            let attributes = annotation(problem, number, patterns);
            let inner = replaced(&mut problem.store, inner, &mut by, budget)?;
            let body = problem.store.annotated(inner, attributes);
            let new = problem.store.quantified(which, &vars, body).expect("as before");
            by.insert(part, new);
        }
        statements.push((fact, replaced(&mut problem.store, statement, &mut by, budget)?));
    }
    Ok(statements)
}

/// A term without its attributes.
fn unannotated(problem: &Problem, term: TermId) -> TermId {
    match problem.store.get(term) {
        Term::Annotated(inner, _) => inner,
        _ => term,
    }
}

impl NormalForm {
    /// The numbers of quantifiers, by their variables.
    pub(crate) fn numbers(&self) -> FxHashMap<Vec<TermId>, usize> {
        self.quantifiers.iter().enumerate().map(|(at, one)| (one.vars.clone(), at)).collect()
    }

    /// The statements, without the inferred patterns.
    pub(crate) fn without_inferred(
        &self,
        problem: &mut Problem,
        budget: &mut Budget,
    ) -> Result<Vec<(usize, TermId)>, Exhausted> {
        let inferred = self.quantifiers.iter().enumerate().filter(|(_, bound)| bound.inferred);
        let none = inferred.map(|(at, _)| (at, Vec::new())).collect();
        repatterned(problem, self, &none, budget)
    }

    /// Replaces inferred patterns.
    pub(crate) fn replace_patterns(
        &mut self,
        problem: &mut Problem,
        given: &FxHashMap<usize, Vec<MultiPattern>>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        self.statements = repatterned(problem, self, given, budget)?;
        for (&number, patterns) in given {
            self.quantifiers[number].patterns.clone_from(patterns);
        }
        self.axioms.clear();
        split(problem, self, budget)
    }
}

/// Splits the statements into axioms: under a quantifier, conjunctions are split and disjunctions
/// distributed over them as long as the result is small.
fn split(
    problem: &mut Problem,
    form: &mut NormalForm,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let by_vars = form.numbers();
    for &(fact, statement) in &form.statements {
        let (vars, body) = match problem.store.get(statement) {
            Term::Quant(_, vars, body) => (vars.to_vec(), body),
            _ => (Vec::new(), statement),
        };
        let body = unannotated(problem, body);
        let nested = nested_patterns(problem, statement, &form.quantifiers, &by_vars, budget)?;
        for clause in clauses(problem, body, budget)? {
            form.axioms.push(Axiom {
                fact,
                vars: vars.clone(),
                patterns: nested.clone(),
                disjuncts: clause,
            });
        }
    }
    Ok(())
}

/// The patterns of all quantifiers of a formula, the outermost first.
fn nested_patterns(
    problem: &Problem,
    statement: TermId,
    quantifiers: &[Bound],
    by_vars: &FxHashMap<Vec<TermId>, usize>,
    budget: &mut Budget,
) -> Result<Vec<MultiPattern>, Exhausted> {
    let store = &problem.store;
    let terms = store.postorder(&[statement]);
    budget.spend(as_steps(terms.len()))?;
    let mut numbers: Vec<usize> = terms
        .into_iter()
        .filter_map(|term| match store.get(term) {
            Term::Quant(_, vars, _) => by_vars.get(vars).copied(),
            _ => None,
        })
        .collect();
    numbers.sort_unstable();
    Ok(numbers.iter().flat_map(|&at| quantifiers[at].patterns.clone()).collect())
}

/// The clauses of a formula: one round of distribution, if the result is small.
fn clauses(
    problem: &Problem,
    body: TermId,
    budget: &mut Budget,
) -> Result<Vec<Vec<TermId>>, Exhausted> {
    let mut found = Vec::new();
    let mut meter = Meter::default();
    for part in flattened(&problem.store, body, core::AND) {
        let disjuncts = flattened(&problem.store, part, core::OR);
        // Parts may share most of their subterms.
        meter.grow(1 + disjuncts.len(), budget)?;
        let choices: Vec<Vec<TermId>> = disjuncts
            .iter()
            .map(|&disjunct| {
                let parts = flattened(&problem.store, disjunct, core::AND);
                budget.spend(as_steps(parts.len())).map(|()| parts)
            })
            .collect::<Result<_, _>>()?;
        let count = choices.iter().try_fold(1usize, |product, choice| {
            product.checked_mul(choice.len()).filter(|&product| product <= MAX_CLAUSES)
        });
        if count.is_none_or(|count| count == 1) {
            found.push(disjuncts);
            continue;
        }
        let mut rows: Vec<Vec<TermId>> = vec![Vec::new()];
        for choice in &choices {
            rows = rows
                .iter()
                .flat_map(|row| {
                    choice.iter().map(|&part| {
                        let mut row = row.clone();
                        row.extend(flattened(&problem.store, part, core::OR));
                        row
                    })
                })
                .collect();
        }
        found.extend(rows);
    }
    Ok(found)
}

/// The declared functions of terms.
pub(crate) fn symbols(problem: &Problem, roots: &[TermId]) -> FxHashSet<FuncId> {
    let store = &problem.store;
    let terms = store.postorder(roots);
    terms.into_iter().filter_map(|term| declared(store, term).map(|(func, _)| func)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(text: &str) -> (Problem, NormalForm) {
        let mut problem = Problem::read(text).expect("it is well formed");
        let form = prepare(&mut problem, &mut Budget::default()).expect("it nests little");
        (problem, form)
    }

    #[test]
    fn alternative_patterns_differ_from_multi_patterns() {
        let (problem, form) = prepared(
            "(declare-fun f (Int) Int)(declare-fun g (Int) Int)
             (assert (forall ((x Int) (y Int))
               (! (= (f x) (g y)) :pattern ((f x) (g y)) :pattern ((f (g x)) (f (g y))))))",
        );
        let shown: Vec<Vec<String>> = form.quantifiers[0]
            .patterns
            .iter()
            .map(|all| all.iter().map(|&term| problem.show(term)).collect())
            .collect();
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert_eq!(shown[0].len(), 2, "{shown:?}");
        assert!(shown[0][0].starts_with("(f x!"), "{shown:?}");
        assert!(!form.quantifiers[0].inferred);
    }

    #[test]
    fn existential_quantifiers_become_skolem_functions() {
        let (problem, form) = prepared(
            "(declare-fun p (Int Int) Bool)(declare-fun q (Int) Bool)
             (assert (forall ((x Int)) (! (exists ((y Int)) (and (p x y) (q y))) :pattern ((q x)))))
             (assert (not (forall ((z Int)) (q z))))",
        );
        assert_eq!(form.skolems.len(), 2);
        assert_eq!(form.quantifiers.len(), 1);
        // The conjunction below the first quantifier is split; the second assertion is ground.
        assert_eq!(form.axioms.len(), 3);
        assert!(form.axioms[2].vars.is_empty());
        assert_eq!(problem.show(form.axioms[2].disjuncts[0]), "(not (q sk!z))");
    }

    #[test]
    fn variables_are_unique_and_nested_quantifiers_keep_their_patterns() {
        let (problem, form) = prepared(
            "(declare-fun p (Int) Bool)(declare-fun q (Int Int) Bool)
             (assert (forall ((x Int)) (! (or (p x) (forall ((x Int)) (! (q x x) :pattern ((q x x)))))
                                          :pattern ((p x)))))
             (assert (forall ((x Int)) (! (p x) :pattern ((p x)))))",
        );
        let mut names: Vec<TermId> =
            form.quantifiers.iter().flat_map(|bound| bound.vars.clone()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 3);
        assert_eq!(form.axioms[0].patterns.len(), 2, "its own and the nested one's");
        assert_eq!(form.quantifiers[1].outer, form.quantifiers[0].vars);
        assert_eq!(problem.facts.len(), 2);
    }

    #[test]
    fn distribution_is_bounded() {
        let wide: String = (0..20).map(|at| format!("(and (p {at}) (q x))")).collect();
        let (_, form) = prepared(&format!(
            "(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)
             (assert (forall ((x Int)) (or {wide})))
             (assert (forall ((x Int)) (or (p x) (and (q x) (p 1)))))"
        ));
        assert_eq!(form.axioms.len(), 3);
    }

    #[test]
    fn nesting_without_end_is_refused() {
        let mut text = String::from("(declare-fun p (Int) Bool)(assert ");
        for depth in 0..150 {
            text += &format!("(forall ((x{depth} Int)) (or (p x{depth}) ");
        }
        text += "(p 0)";
        text += &"))".repeat(150);
        text += ")";
        let mut problem = Problem::read(&text).expect("it is well formed");
        assert_eq!(
            prepare(&mut problem, &mut Budget::default()).err(),
            Some(PrepareError::TooDeep)
        );
    }
}
