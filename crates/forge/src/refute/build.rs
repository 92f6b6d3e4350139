//! The formula of a refutation: an operation that does not hold, its definition with some parts
//! replaced, and an assertion for each replacement.
//!
//! Why it is unsatisfiable: each assertion about a new variable equates it with the term it replaces,
//! so the original definition follows, and from it the operation. Under a quantifier the equation is
//! an antecedent, which is true if the new variable equals the old one, so the quantified formula is
//! equivalent to the original.

use super::book::{Book, Definition, Equality};
use super::core::core_names;
use super::item::{Rewrite, Role};
use crate::rules::Variable;
use crate::rules::rewrite::{Replacements, preorder, replace};
use assay_case::{ExpectedCore, Formula, MakeError, Oracle, Origin, TestCase, Why};
use assay_smtlib::{Command, Lets, Plain, Script, Setting, read_script};
use assay_term::theories::core;
use assay_term::{Attribute, AttributeValue, Func, FuncId, Store, Symbol, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether quantifiers have patterns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Written {
    Plain,
    WithPatterns,
}

/// A formula under construction.
pub(crate) struct Refuted {
    pub(crate) store: Store,
    /// The operation, negated.
    pub(crate) negated: TermId,
    /// Its definition, with the changes so far.
    pub(crate) definition: TermId,
    /// The same, without the additions to quantifiers: it is equivalent, and its quantifiers can still
    /// be evaluated.
    pub(crate) evaluable: TermId,
    /// The additional assertions, and whether they are needed.
    pub(crate) links: Vec<(TermId, bool)>,
    /// Declarations of the sorts and functions in the rules.
    prelude: Script,
    rules: Vec<String>,
    names: FxHashSet<String>,
    /// The replacements of items.
    current: FxHashMap<usize, TermId>,
}

impl Refuted {
    pub(crate) fn new(
        book: &Book,
        definition: &Definition,
        written: Written,
    ) -> Result<Refuted, MakeError> {
        let mut store = book.store.clone();
        let right = match written {
            Written::Plain => definition.without_patterns,
            Written::WithPatterns => definition.right,
        };
        let negated = store.op(core::NOT, &[definition.left]).expect("a formula can be negated");
        let (prelude, _) = read_script(&mut store, book.prelude.as_bytes(), Lets::Keep)
            .map_err(MakeError::fault)?;
        let mut refuted = Refuted {
            store,
            prelude,
            negated,
            definition: right,
            evaluable: definition.without_patterns,
            links: Vec::new(),
            rules: vec![definition.entry.name().map_err(made)?.to_owned()],
            names: FxHashSet::default(),
            current: FxHashMap::default(),
        };
        for term in [negated, right] {
            refuted.reserve_names(term);
        }
        Ok(refuted)
    }

    /// Marks the names in a term as taken.
    fn reserve_names(&mut self, root: TermId) {
        for term in preorder(&self.store, root) {
            match self.store.get(term) {
                Term::App(func, _) => {
                    if let Func::Declared { .. } = self.store.func(func) {
                        self.names.insert(self.store.func_name(func));
                    }
                }
                Term::Var(symbol) => {
                    self.names.insert(self.store.symbols.name(symbol).to_owned());
                }
                _ => {}
            }
        }
    }

    /// An unused name similar to this one.
    fn new_name(&mut self, stem: &str) -> String {
        let numbered = (1..).map(|n| if n == 1 { stem.to_owned() } else { format!("{stem}{n}") });
        let name = numbered.into_iter().find(|name| !self.names.contains(name));
        let name = name.expect("there is no end of numbers");
        self.names.insert(name.clone());
        name
    }

    /// Replaces an item.
    pub(crate) fn apply(
        &mut self,
        book: &Book,
        definition: &Definition,
        rewrite: Rewrite,
    ) -> Result<(), MakeError> {
        let item = &definition.items[rewrite.item];
        let equality = &book.equalities[rewrite.equality];
        self.rules.push(equality.entry.name().map_err(made)?.to_owned());
        match &item.role {
            Role::Parameter | Role::Auxiliary => {
                self.rename(
                    rewrite.item,
                    item.term,
                    definition,
                    equality,
                    item.role == Role::Parameter,
                );
            }
            Role::Constant(_) => self.rename(rewrite.item, item.term, definition, equality, true),
            Role::Bound => self.rename_bound(item.term, equality),
            Role::PatternTerm | Role::Term => self.mention(item.term, equality),
        }
        Ok(())
    }

    /// The definition uses a new variable, and an additional assertion defines it.
    fn rename(
        &mut self,
        at: usize,
        item: TermId,
        definition: &Definition,
        equality: &Equality,
        needed: bool,
    ) {
        let old = *self.current.get(&at).unwrap_or(&item);
        let stem = match self.store.get(old) {
            Term::App(func, []) if matches!(self.store.func(func), Func::Declared { .. }) => {
                self.store.func_name(func)
            }
            _ => "constant".into(),
        };
        let name = self.new_name(&format!("{stem}_fresh"));
        let new = self.store.constant(&name, self.store.sort(item));
        let mut by = self.extra(equality, Binder::Assertion);
        by.insert(equality.equals, old);
        let link = self.link(equality, &by, new, Binder::Assertion);
        self.links.push((link, needed));
        // The numeral in `(- 1)` is not the constant 1.
        let others =
            definition.items.iter().filter(|other| matches!(other.role, Role::Constant(_)));
        let mut by: Replacements = others.map(|other| (other.term, other.term)).collect();
        by.insert(old, new);
        self.definition = replace(&mut self.store, self.definition, &by);
        self.evaluable = replace(&mut self.store, self.evaluable, &by);
        self.current.insert(at, new);
    }

    /// A bound variable becomes a new one, the old one is bound too, and the equation becomes an
    /// antecedent.
    fn rename_bound(&mut self, var: TermId, equality: &Equality) {
        let binders = preorder(&self.store, self.definition).into_iter();
        let found = binders.filter_map(|term| match self.store.get(term) {
            Term::Quant(which, vars, body) if vars.contains(&var) => {
                Some((term, which, vars.to_vec(), body))
            }
            _ => None,
        });
        let (quantifier, which, mut vars, body) =
            found.into_iter().next().expect("an item of a definition occurs in it");
        let stem = self.name_of(var);
        let name = self.new_name(&format!("{stem}_fresh"));
        let new = self.variable(&name, var);
        let mut by = self.extra(equality, Binder::Quantifier);
        let more: Vec<TermId> = by.values().copied().collect();
        by.insert(equality.equals, var);
        let guard = self.link(equality, &by, new, Binder::Quantifier);
        let trigger = replace(&mut self.store, equality.term, &by);
        let body = replace(&mut self.store, body, &Replacements::from_iter([(var, new)]));
        let (matrix, attributes) = match self.store.get(body) {
            Term::Annotated(matrix, attributes) => (matrix, attributes.to_vec()),
            _ => (body, Vec::new()),
        };
        let matrix = self.guarded(guard, matrix);
        let attributes = attributes.into_iter().map(|attribute| match attribute.value {
            AttributeValue::Terms(terms) => {
                let terms = terms.iter().copied().chain([trigger]).collect();
                Attribute { value: AttributeValue::Terms(terms), ..attribute }
            }
            _ => attribute,
        });
        let attributes = attributes.collect();
        let body = self.store.annotated(matrix, attributes);
        for bound in &mut vars {
            if *bound == var {
                *bound = new;
            }
        }
        vars.push(var);
        vars.extend(more);
        let changed = self.store.quantified(which, &vars, body).expect("the names are new");
        let by = Replacements::from_iter([(quantifier, changed)]);
        self.definition = replace(&mut self.store, self.definition, &by);
    }

    /// Adds `guard` as an antecedent.
    fn guarded(&mut self, guard: TermId, matrix: TermId) -> TermId {
        let (antecedent, consequent) = match self.store.operator(matrix) {
            Some((core::IMPLIES, &[a, b])) => (Some(a), b),
            _ => (None, matrix),
        };
        let antecedent = match antecedent {
            Some(old) => self.store.op(core::AND, &[guard, old]).expect("formulas"),
            None => guard,
        };
        self.store.op(core::IMPLIES, &[antecedent, consequent]).expect("formulas")
    }

    /// An additional assertion about a term of the definition; its bound variables are free in it.
    fn mention(&mut self, term: TermId, equality: &Equality) {
        let mut by = Replacements::default();
        let parts = preorder(&self.store, term);
        let inner: Vec<TermId> = parts.iter().flat_map(|&part| self.bound_by(part)).collect();
        for part in parts {
            if matches!(self.store.get(part), Term::Var(_)) && !inner.contains(&part) {
                let name = self.name_of(part);
                let free = self.store.constant(&name, self.store.sort(part));
                by.insert(part, free);
            }
        }
        let term = replace(&mut self.store, term, &by);
        let mut by = self.extra(equality, Binder::Assertion);
        by.insert(equality.equals, term);
        let link = self.link(equality, &by, term, Binder::Assertion);
        self.links.push((link, false));
    }

    /// The variables that a quantifier or a lambda binds.
    fn bound_by(&self, term: TermId) -> Vec<TermId> {
        match self.store.get(term) {
            Term::Quant(_, vars, _) | Term::Lambda(vars, _) => vars.to_vec(),
            _ => Vec::new(),
        }
    }

    /// New variables for those that an equality introduces.
    fn extra(&mut self, equality: &Equality, binder: Binder) -> Replacements {
        let params: Vec<Variable> = equality.entry.law.params.clone();
        let mut by = Replacements::default();
        for param in params.iter().filter(|param| param.term != equality.equals) {
            let stem = self.store.func_name(param.func);
            let name = self.new_name(&format!("tmp_{stem}"));
            let new = match binder {
                Binder::Assertion => self.store.constant(&name, param.sort),
                Binder::Quantifier => {
                    let symbol = self.store.symbols.intern(&name);
                    self.store.var(symbol, param.sort)
                }
            };
            by.insert(param.term, new);
        }
        by
    }

    /// The equation between the equality's term and a variable, with the side condition.
    fn link(
        &mut self,
        equality: &Equality,
        by: &Replacements,
        new: TermId,
        binder: Binder,
    ) -> TermId {
        let term = replace(&mut self.store, equality.term, by);
        let equation = self.store.op(core::EQ, &[term, new]).expect("both have the same sort");
        let Some(when) = equality.when else { return equation };
        let when = replace(&mut self.store, when, by);
        let joined = match binder {
            Binder::Assertion => self.store.op(core::AND, &[equation, when]),
            Binder::Quantifier => self.store.op(core::IMPLIES, &[when, equation]),
        };
        joined.expect("both are formulas")
    }

    fn name_of(&self, var: TermId) -> String {
        match self.store.get(var) {
            Term::Var(symbol) => self.store.symbols.name(symbol).to_owned(),
            _ => "variable".into(),
        }
    }

    fn variable(&mut self, name: &str, like: TermId) -> TermId {
        let symbol: Symbol = self.store.symbols.intern(name);
        let sort = self.store.sort(like);
        self.store.var(symbol, sort)
    }

    /// All assertions, in the order of their names, with the given definition.
    pub(crate) fn assertions(&self, definition: TermId) -> Vec<TermId> {
        let links = self.links.iter().map(|(link, _)| *link);
        [self.negated, definition].into_iter().chain(links).collect()
    }

    /// The test case.
    pub(crate) fn into_case(self, name: String, origin: Origin) -> Result<TestCase, MakeError> {
        let core = core_names(&self);
        let assertions = self.assertions(self.definition);
        let Refuted { mut store, prelude, rules, .. } = self;
        let prelude = used(&store, prelude, &assertions);
        let whole = script(&mut store, prelude, &assertions);
        let formula = Formula::from_script(store, &whole)
            .map_err(|error| MakeError::fault(format!("{name}: does not read back: {error}")))?;
        let core = core.map(|names| ExpectedCore { names });
        let origin = Origin { rules: rules.clone(), ..origin };
        let oracle = Oracle::Unsat { why: Why::Certified(rules), core };
        TestCase::formula(name, formula, oracle, origin).map_err(MakeError::fault)
    }
}

/// Where variables are bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binder {
    Assertion,
    Quantifier,
}

fn made(error: crate::rules::RuleError) -> MakeError {
    MakeError::fault(error)
}

/// The declarations that assertions need: sorts, and the functions that they mention.
fn used(store: &Store, prelude: Script, assertions: &[TermId]) -> Script {
    let parts = assertions.iter().flat_map(|&assertion| preorder(store, assertion));
    let applied: FxHashSet<FuncId> = parts
        .filter_map(|term| match store.get(term) {
            Term::App(func, _) => Some(func),
            _ => None,
        })
        .collect();
    let mut script = Script::default();
    for command in prelude.commands {
        let unused = matches!(command, Command::DeclareFun(func) if !applied.contains(&func));
        if !unused {
            script.push(command, 0);
        }
    }
    script
}

/// The name of the assertion at a position.
pub(crate) fn assertion_name(position: usize) -> String {
    format!("a{position}")
}

/// Declarations, named assertions, and the queries.
pub(crate) fn script(store: &mut Store, prelude: Script, assertions: &[TermId]) -> Script {
    let mut script = Script::default();
    let option = Setting { keyword: ":produce-unsat-cores".into(), value: Some("true".into()) };
    script.push(Command::SetOption(Box::new(option)), 0);
    for command in prelude.commands {
        script.push(command, 0);
    }
    let mut declared: Vec<TermId> = Vec::new();
    for &assertion in assertions {
        for term in preorder(store, assertion) {
            let Term::App(func, []) = store.get(term) else { continue };
            if matches!(store.func(func), Func::Declared { .. }) && !declared.contains(&term) {
                declared.push(term);
                script.push(Command::DeclareConst(func), 0);
            }
        }
    }
    let keyword = store.symbols.intern("named");
    for (position, &assertion) in assertions.iter().enumerate() {
        let name = store.symbols.intern(&assertion_name(position));
        let attribute = Attribute { keyword, value: AttributeValue::Name(name) };
        let named = store.annotated(assertion, vec![attribute]);
        script.push(Command::Assert(named), 0);
    }
    script.push(Command::CheckSat, 0);
    script.push(Command::Plain(Plain::GetUnsatCore), 0);
    script
}
