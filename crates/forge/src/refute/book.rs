//! The rules behind a suite's refutations, all in one store. A rule is certified when it is first
//! used.

use super::item::{Item, Rewrites, items};
use super::spec::RefuteSpec;
use crate::rules::rewrite::without_patterns;
use crate::rules::{Body, Effort, Instance, Kind, Law, Rule, RuleError, USER, certify};
use assay_term::{Evaluator, Model, Store, TermId, Value};
use std::sync::OnceLock;

/// A rule at given sorts.
pub(crate) struct Entry {
    pub(crate) rule: Rule,
    pub(crate) law: Law,
    certified: OnceLock<Result<(), RuleError>>,
}

impl Entry {
    /// Its name, after it was certified.
    pub(crate) fn name(&self) -> Result<&str, RuleError> {
        // A user's rule was accepted with this effort; less might not decide it.
        let effort = if self.rule.theory() == USER { Effort::FULL } else { Effort::QUICK };
        let certified = self.certified.get_or_init(|| match certify(&self.rule, effort) {
            Ok(_) => Ok(()),
            Err(failure) => Err(RuleError::NotCertified {
                rule: self.rule.name().into(),
                reason: failure.to_string(),
            }),
        });
        certified.as_ref().map(|()| self.rule.name()).map_err(Clone::clone)
    }
}

/// An operation and its definition.
pub(crate) struct Definition {
    pub(crate) entry: Entry,
    pub(crate) left: TermId,
    /// The definition with the patterns of its quantifiers.
    pub(crate) right: TermId,
    pub(crate) without_patterns: TermId,
    pub(crate) items: Vec<Item>,
    pub(crate) rewrites: Rewrites,
}

/// A variable or a constant equals a term.
pub(crate) struct Equality {
    pub(crate) entry: Entry,
    /// The parameter or the constant.
    pub(crate) equals: TermId,
    /// The constant's value.
    pub(crate) constant: Option<Value>,
    pub(crate) term: TermId,
    pub(crate) when: Option<TermId>,
}

/// Definitions and equalities in one store.
pub(crate) struct Book {
    pub(crate) store: Store,
    /// Declarations of the sorts and functions in the rules.
    pub(crate) prelude: String,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) equalities: Vec<Equality>,
}

impl Book {
    pub(crate) fn new(spec: &RefuteSpec, rules: &[Rule]) -> Result<Book, RuleError> {
        let mut book = Book {
            store: Store::new(),
            prelude: String::new(),
            definitions: Vec::new(),
            equalities: Vec::new(),
        };
        let users = |rule: &Rule| rule.theory() == USER;
        let wanted = |rule: &&Rule| {
            users(rule) || spec.collection.as_ref().is_none_or(|tag| rule.has_tag(tag))
        };
        let used = |rule: &Rule| -> Vec<Instance> {
            rule.instances().iter().filter(|instance| instance.used).cloned().collect()
        };
        let defining =
            |rule: &Rule| users(rule) || spec.definitions.iter().any(|t| t == rule.theory());
        let equating =
            |rule: &Rule| defining(rule) || spec.equalities.iter().any(|t| t == rule.theory());
        for rule in rules.iter().filter(wanted).filter(|rule| equating(rule)) {
            if !book.prelude.contains(rule.prelude()) {
                book.prelude.push_str(rule.prelude());
            }
            if rule.kind() == Kind::Equality {
                used(rule).iter().try_for_each(|instance| book.add_equality(rule, instance))?;
            }
        }
        for rule in rules.iter().filter(wanted).filter(|rule| defining(rule)) {
            if rule.kind() != Kind::Equality {
                used(rule).iter().try_for_each(|i| book.add_definition(spec, rule, i))?;
            }
        }
        Ok(book)
    }

    fn add_equality(&mut self, rule: &Rule, instance: &Instance) -> Result<(), RuleError> {
        let law = rule.read(instance, &mut self.store)?;
        let Body::Equality { equals, term, when } = law.body else { return Ok(()) };
        let constant = match law.params.iter().any(|variable| variable.term == equals) {
            true => None,
            false => Evaluator::new(&self.store, &Model::new()).eval(equals).ok(),
        };
        // A rule with different words may be the same rule at these sorts.
        let known =
            |other: &Equality| (other.equals, other.term, other.when) == (equals, term, when);
        if !self.equalities.iter().any(known) {
            let entry = Entry { rule: rule.clone(), law, certified: OnceLock::new() };
            self.equalities.push(Equality { entry, equals, constant, term, when });
        }
        Ok(())
    }

    fn add_definition(
        &mut self,
        spec: &RefuteSpec,
        rule: &Rule,
        instance: &Instance,
    ) -> Result<(), RuleError> {
        let law = rule.read(instance, &mut self.store)?;
        let Body::Equivalence { left, right } = law.body else { return Ok(()) };
        let mut variables = law.params.iter().chain(&law.auxiliary);
        let constant = |sort| spec.constant_sorts.contains(&self.store.sort_name(sort));
        if variables.any(|variable| constant(variable.sort)) {
            return Ok(());
        }
        let plain = without_patterns(&mut self.store, right);
        let items = items(&self.store, &law, right, plain);
        let rewrites = Rewrites::new(self, spec, rule.name(), &items);
        let entry = Entry { rule: rule.clone(), law, certified: OnceLock::new() };
        let definition =
            Definition { entry, left, right, without_patterns: plain, items, rewrites };
        self.definitions.push(definition);
        Ok(())
    }
}
