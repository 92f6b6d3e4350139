//! A rule, and its instances at given sorts as terms of a store.

use super::error::RuleError;
use super::relation::{Fusion, Implication};
use super::rewrite::{mentions, preorder};
use super::table::{self, Direction, Row, Table, Words, choices, fill};
use assay_smtlib::{Command, Environment, Lets, read_script, read_term};
use assay_term::{FuncId, SortId, Store, Term, TermId};

/// A named row of a table.
#[derive(Clone, Debug)]
pub struct Rule {
    name: String,
    theory: String,
    /// Declarations of the sorts and functions in it.
    prelude: String,
    source: String,
    tags: Vec<String>,
    texts: Texts,
    instances: Vec<Instance>,
}

#[derive(Clone, Debug)]
enum Texts {
    Equality(table::Equality),
    Equivalence(table::Equivalence),
    Implication(table::Implication),
    Fusion(table::Fusion),
}

/// The kinds of rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A variable or a constant equals a term.
    Equality,
    /// An operation and its definition.
    Equivalence(Direction),
    /// One formula implies another.
    Implication,
    /// An invertible function of two variables.
    Fusion,
}

impl Kind {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Equality => "equality",
            Kind::Equivalence(direction) => direction.name(),
            Kind::Implication => "approximation",
            Kind::Fusion => "fusion",
        }
    }
}

/// The sorts of an instance of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Instance {
    pub(crate) words: Words,
    /// Whether formulas use it, not only certification.
    pub(crate) used: bool,
}

impl Instance {
    /// A label that distinguishes it from other instances of the same rule; empty if there is only one.
    pub(crate) fn label(&self) -> String {
        let words: Vec<String> =
            self.words.iter().map(|(word, value)| format!("{word}={value}")).collect();
        words.join(" ")
    }
}

/// A variable of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Variable {
    pub(crate) func: FuncId,
    pub(crate) term: TermId,
    pub(crate) sort: SortId,
}

/// The content of a rule, as terms.
#[derive(Clone, Debug)]
pub(crate) struct Law {
    pub(crate) params: Vec<Variable>,
    pub(crate) auxiliary: Vec<Variable>,
    pub(crate) body: Body,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Body {
    /// If `when` holds, `term` equals `equals`: a parameter or a constant.
    Equality { equals: TermId, term: TermId, when: Option<TermId> },
    /// `right` implies `left`, and possibly conversely.
    Equivalence { left: TermId, right: TermId },
    /// `from` implies `to` if `when` holds.
    Implication(Implication),
    /// `left` and `right` are the inverses for the first two parameters.
    Fusion(Fusion),
}

/// What a rule says at one choice of its sorts, with its variables as constants of the store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sides {
    /// Its variables.
    pub params: Vec<TermId>,
    /// The terms or formulas that it relates.
    pub terms: Vec<TermId>,
    /// The side condition.
    pub when: Option<TermId>,
}

impl Law {
    fn sides(&self) -> Sides {
        let (terms, when) = match self.body {
            Body::Equality { equals, term, when } => (vec![term, equals], when),
            Body::Equivalence { left, right } => (vec![left, right], None),
            Body::Implication(Implication { from, to, when }) => (vec![from, to], when),
            Body::Fusion(fusion) => (vec![fusion.fused, fusion.left, fusion.right], fusion.when),
        };
        let variables = self.params.iter().chain(&self.auxiliary);
        Sides { params: variables.map(|variable| variable.term).collect(), terms, when }
    }
}

/// The rules of a table.
pub(crate) fn read_table(text: &str) -> Result<Vec<Rule>, RuleError> {
    let table = Table::read(text)?;
    let mut instances: Vec<Instance> = Vec::new();
    for (list, used) in [(&table.check, false), (&table.used, true)] {
        instances.extend(list.iter().map(|words| Instance { words: words.clone(), used }));
    }
    if instances.is_empty() {
        instances.push(Instance { words: Words::new(), used: true });
    }
    let mut rules = expanded(&table.equality, Texts::Equality);
    rules.extend(expanded(&table.equivalence, Texts::Equivalence));
    rules.extend(expanded(&table.implication, Texts::Implication));
    rules.extend(expanded(&table.fusion, Texts::Fusion));
    let rules = rules.into_iter().map(|rule| {
        let (theory, prelude) = (table.theory.clone(), table.prelude.clone());
        Rule { theory, prelude, instances: instances.clone(), ..rule }
    });
    // A rule that does not mention the words is the same for all of them.
    let rules = rules.map(|mut rule| {
        let mut seen: Vec<Vec<String>> = Vec::new();
        let texts = rule.texts.clone();
        rule.instances.sort_by_key(|instance| std::cmp::Reverse(instance.used));
        rule.instances.retain(|instance| {
            let filled = texts.filled(&instance.words);
            let new = !seen.contains(&filled);
            seen.push(filled);
            new
        });
        rule.instances.sort_by_key(|instance| instance.used);
        rule
    });
    Ok(rules.collect())
}

/// A rule for each choice of a row's words; fields that the table gives for all rules are left empty.
fn expanded<T: Clone>(rows: &[Row<T>], texts: impl Fn(T) -> Texts) -> Vec<Rule> {
    let mut rules = Vec::new();
    for row in rows {
        for words in choices(&row.each) {
            let mut texts = texts(row.texts.clone());
            texts.fill(&words);
            rules.push(Rule {
                name: fill(&row.name, &words),
                theory: String::new(),
                prelude: String::new(),
                source: row.source.clone(),
                tags: row.tags.clone(),
                texts,
                instances: Vec::new(),
            });
        }
    }
    rules
}

impl Texts {
    /// Substitutes words permanently.
    fn fill(&mut self, words: &Words) {
        if let Texts::Equivalence(row) = self {
            row.operation = fill(&row.operation, words);
        }
        self.parts().into_iter().for_each(|text| *text = fill(text, words));
    }

    /// The content with words substituted.
    fn filled(&self, words: &Words) -> Vec<String> {
        self.clone().parts().into_iter().map(|text| fill(text, words)).collect()
    }

    /// The texts that are read as terms and sorts.
    fn parts(&mut self) -> Vec<&mut String> {
        match self {
            Texts::Equality(row) => [&mut row.params, &mut row.equals, &mut row.term]
                .into_iter()
                .chain(&mut row.when)
                .collect(),
            Texts::Equivalence(row) => {
                vec![&mut row.params, &mut row.auxiliary, &mut row.left, &mut row.right]
            }
            Texts::Implication(row) => [&mut row.params, &mut row.from, &mut row.to]
                .into_iter()
                .chain(&mut row.when)
                .collect(),
            Texts::Fusion(row) => {
                let parts =
                    [&mut row.params, &mut row.sort, &mut row.fused, &mut row.left, &mut row.right];
                parts.into_iter().chain(&mut row.when).collect()
            }
        }
    }
}

impl Rule {
    /// Reads the terms that it relates into a store, at each choice of sorts that formulas are made at.
    ///
    /// # Errors
    /// What is wrong with the rule.
    pub fn sides(&self, store: &mut Store) -> Result<Vec<Sides>, RuleError> {
        let used = self.instances.iter().filter(|instance| instance.used);
        used.map(|instance| Ok(self.read(instance, store)?.sides())).collect()
    }

    /// Its stable name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The theory whose table it is in.
    #[must_use]
    pub fn theory(&self) -> &str {
        &self.theory
    }

    /// Its origin.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The collections that it is in.
    pub(crate) fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(String::as_str)
    }

    /// Whether it is in a collection.
    #[must_use]
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|known| known == tag)
    }

    /// What it is about.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match &self.texts {
            Texts::Equality(_) => Kind::Equality,
            Texts::Equivalence(row) => Kind::Equivalence(row.direction),
            Texts::Implication(_) => Kind::Implication,
            Texts::Fusion(_) => Kind::Fusion,
        }
    }

    /// The operation that an equivalence defines.
    #[must_use]
    pub fn operation(&self) -> Option<&str> {
        match &self.texts {
            Texts::Equivalence(row) => Some(&row.operation),
            Texts::Equality(_) | Texts::Implication(_) | Texts::Fusion(_) => None,
        }
    }

    /// Its content on one line.
    #[must_use]
    pub fn text(&self) -> String {
        let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let condition = |when: &Option<String>| {
            when.as_ref().map_or(String::new(), |when| format!(" if {}", joined(when)))
        };
        match &self.texts {
            Texts::Equality(row) => {
                format!("{} = {}{}", joined(&row.term), joined(&row.equals), condition(&row.when))
            }
            Texts::Implication(row) => {
                format!("{} => {}{}", joined(&row.from), joined(&row.to), condition(&row.when))
            }
            Texts::Fusion(row) => {
                let [fused, left, right] =
                    [&row.fused, &row.left, &row.right].map(|text| joined(text));
                format!("z = {fused}: x = {left}, y = {right}{}", condition(&row.when))
            }
            Texts::Equivalence(row) => {
                let sign = match row.direction {
                    Direction::Both => "<=>",
                    Direction::RightImpliesLeft => "<=",
                };
                format!("{} {sign} {}", joined(&row.left), joined(&row.right))
            }
        }
    }

    /// Declarations of the sorts and functions in it, as a script.
    pub(crate) fn prelude(&self) -> &str {
        &self.prelude
    }

    /// Whether its table declares sorts or functions.
    #[must_use]
    pub fn has_declarations(&self) -> bool {
        !self.prelude.is_empty()
    }

    pub(crate) fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// The same rule with one instance.
    pub(super) fn only(&self, instance: Instance) -> Rule {
        Rule { instances: vec![instance], ..self.clone() }
    }

    /// Reads its content into a store.
    pub(crate) fn read(&self, instance: &Instance, store: &mut Store) -> Result<Law, RuleError> {
        let (rule, prelude) = (self.name.as_str(), self.prelude.as_str());
        let mut reader = Reader { rule, prelude, words: &instance.words, store };
        match &self.texts {
            Texts::Equality(row) => reader.equality(row),
            Texts::Equivalence(row) => reader.equivalence(row),
            Texts::Implication(row) => reader.implication(row),
            Texts::Fusion(row) => reader.fusion(row),
        }
    }

    /// Reads its content with these values for its words.
    pub(super) fn read_with(
        &self,
        words: &[(&str, String)],
        store: &mut Store,
    ) -> Result<Law, RuleError> {
        let words = words.iter().map(|(word, value)| ((*word).to_owned(), value.clone())).collect();
        self.read(&Instance { words, used: true }, store)
    }
}

pub(super) struct Reader<'r> {
    rule: &'r str,
    prelude: &'r str,
    words: &'r Words,
    pub(super) store: &'r mut Store,
}

impl Reader<'_> {
    fn equality(&mut self, row: &table::Equality) -> Result<Law, RuleError> {
        let (params, mut env) = self.variables("params", &row.params)?;
        let equals = self.term(&mut env, "equals", &row.equals)?;
        let term = self.term(&mut env, "term", &row.term)?;
        let when = self.condition(&mut env, row.when.as_deref())?;
        let open = params.iter().any(|v| mentions(self.store, equals, v.term));
        if open && !params.iter().any(|v| v.term == equals) {
            return Err(self.shape("`equals` is neither a parameter nor a constant".into()));
        }
        if self.store.sort(equals) != self.store.sort(term) {
            let sorts = [equals, term].map(|t| self.store.sort_name(self.store.sort(t)));
            return Err(self.shape(format!("{} cannot equal {}", sorts[1], sorts[0])));
        }
        Ok(Law { params, auxiliary: Vec::new(), body: Body::Equality { equals, term, when } })
    }

    fn equivalence(&mut self, row: &table::Equivalence) -> Result<Law, RuleError> {
        let (params, mut env) = self.variables("params", &row.params)?;
        let left = self.formula(&mut env, "left", &row.left)?;
        let (mut all, mut env) =
            self.variables("auxiliary", &format!("{} {}", self.written(&params), row.auxiliary))?;
        let auxiliary = all.split_off(params.len());
        let right = self.formula(&mut env, "right", &row.right)?;
        if let Some(unused) = params.iter().find(|v| !mentions(self.store, left, v.term)) {
            let name = self.store.func_name(unused.func);
            return Err(self.shape(format!("parameter `{name}` is not in the operation")));
        }
        self.distinct_binders(right)?;
        Ok(Law { params, auxiliary, body: Body::Equivalence { left, right } })
    }

    fn written(&self, variables: &[Variable]) -> String {
        let write = |v: &Variable| {
            format!("({} {})", self.store.func_name(v.func), self.store.sort_name(v.sort))
        };
        variables.iter().map(write).collect::<Vec<_>>().join(" ")
    }

    /// Replacing a bound variable by name requires that each name is bound once.
    fn distinct_binders(&self, term: TermId) -> Result<(), RuleError> {
        let mut bound: Vec<TermId> = Vec::new();
        for part in preorder(self.store, term) {
            if let Term::Quant(_, vars, _) = self.store.get(part) {
                if vars.iter().any(|var| bound.contains(var)) {
                    return Err(self.shape("two quantifiers bind one variable".into()));
                }
                bound.extend(vars);
            }
        }
        Ok(())
    }

    /// Declares sorted variables in a new environment.
    pub(super) fn variables(
        &mut self,
        part: &'static str,
        text: &str,
    ) -> Result<(Vec<Variable>, Environment), RuleError> {
        let text = fill(text, self.words);
        // Equal declarations in one store are one declaration.
        let mut script = self.prelude.to_owned();
        let mut depth = 0usize;
        for c in text.chars() {
            if c == '(' && depth == 0 {
                script.push_str("(declare-const ");
            } else {
                script.push(c);
            }
            depth = match c {
                '(' => depth + 1,
                ')' => depth.saturating_sub(1),
                _ => depth,
            };
        }
        let (script, env) = read_script(self.store, script.as_bytes(), Lets::Expand)
            .map_err(|fault| self.unread(part, &text, fault))?;
        let (mut variables, mut functions) = (Vec::new(), Vec::new());
        for command in &script.commands {
            let func = match *command {
                Command::DeclareConst(func) => func,
                Command::DeclareFun(func) => {
                    functions.push(self.store.func_name(func));
                    continue;
                }
                Command::SetLogic(_) | Command::DeclareSort(_) | Command::DeclareDatatypes(..) => {
                    continue;
                }
                _ => {
                    return Err(self.shape(format!("{part}: expected variables with their sorts")));
                }
            };
            // We could distinguish them, but not all solvers can.
            let name = self.store.func_name(func);
            if functions.contains(&name) {
                return Err(self.shape(format!("variable `{name}` has the name of a function")));
            }
            let term = self.store.app(func, &[]).expect("a declared constant");
            variables.push(Variable { func, term, sort: self.store.sort(term) });
        }
        Ok((variables, env))
    }

    pub(super) fn term(
        &mut self,
        env: &mut Environment,
        part: &'static str,
        text: &str,
    ) -> Result<TermId, RuleError> {
        let text = fill(text, self.words);
        read_term(self.store, env, &text).map_err(|fault| self.unread(part, &text, fault))
    }

    /// A term that is a formula.
    pub(super) fn formula(
        &mut self,
        env: &mut Environment,
        part: &'static str,
        text: &str,
    ) -> Result<TermId, RuleError> {
        let term = self.term(env, part, text)?;
        match self.store.sort(term) {
            SortId::BOOL => Ok(term),
            sort => Err(self.shape(format!("`{part}` has sort {}", self.store.sort_name(sort)))),
        }
    }

    /// The side condition, if there is one.
    pub(super) fn condition(
        &mut self,
        env: &mut Environment,
        text: Option<&str>,
    ) -> Result<Option<TermId>, RuleError> {
        text.map(|text| self.formula(env, "when", text)).transpose()
    }

    pub(super) fn shape(&self, fault: String) -> RuleError {
        RuleError::Shape { rule: self.rule.into(), fault }
    }

    fn unread(&self, part: &'static str, text: &str, fault: assay_smtlib::ReadError) -> RuleError {
        let (rule, text) = (self.rule.into(), text.into());
        RuleError::Read { rule, part, text, fault: Box::new(fault) }
    }
}
