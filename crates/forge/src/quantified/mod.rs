//! Quantified formulas over finite sorts, with a known model or a known core.
//!
//! A variable of a finite sort has few values, so evaluation tries all of them: that a sentence holds
//! in a model is certain. A formula without a model is built from a universal sentence and what
//! contradicts one of its instances, or all interpretations of its symbols are tried.

mod grow;
mod refute;
mod spec;
mod vocabulary;

pub(crate) use spec::QuantifiedSpec;

use crate::draw::Draw;
use crate::error::ForgeError;
use assay_case::{
    Category, ExpectedCore, Formula, MakeError, Oracle, Origin, TestCase, Why, Witness, check_model,
};
use assay_smtlib::{Command, Plain, Script, Setting};
use assay_term::theories::core;
use assay_term::{Attribute, AttributeValue, Model, Store, TermId};
use grow::Grower;
use refute::{Contradiction, contradiction, exhausted, few_interpretations, holds};
use spec::Style;
use std::sync::Arc;
use vocabulary::{Meaning, Symbol, Vocabulary};

/// The formulas of a category, numbered.
pub(crate) struct Sentences {
    cases: u64,
    style: Style,
    vocabulary: Arc<Vocabulary>,
}

/// The categories of a description, in order.
pub(crate) fn categories(spec: &QuantifiedSpec) -> Result<Vec<(Category, Sentences)>, ForgeError> {
    let vocabularies: Result<Vec<_>, _> =
        spec.vocabulary.iter().map(|one| Vocabulary::read(one).map(Arc::new)).collect();
    let vocabularies = vocabularies?;
    let mut all = Vec::new();
    for &style in &spec.categories {
        for vocabulary in &vocabularies {
            let category = Category {
                name: style.name().into(),
                group: vocabulary.name.clone(),
                expected: style.expected(),
            };
            let vocabulary = Arc::clone(vocabulary);
            all.push((category, Sentences { cases: spec.cases, style, vocabulary }));
        }
    }
    Ok(all)
}

/// Nesting depth of sentences.
const DEPTH: usize = 3;

/// Number of sentences that are tried before giving up.
const TRIES: usize = 100;

impl Sentences {
    /// The number of cases; every number below it is a case.
    pub(crate) fn size(&self) -> u128 {
        self.cases.into()
    }

    /// The case with this number.
    pub(crate) fn case(
        &self,
        number: u128,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        if number >= self.size() {
            return Err(MakeError::NoSuchCase(format!("{name}: there is no such case")));
        }
        let vocabulary = &*self.vocabulary;
        let salt = format!("{}/{}", self.style.name(), vocabulary.name);
        let mut draw = Draw::new(&salt, number);
        let mut store = vocabulary.store.clone();
        let fault = |words: &str| MakeError::fault(format!("{name}: {words}"));
        let slow = || fault("no sentence could be evaluated");
        let all: Vec<&Symbol> = vocabulary.symbols.iter().collect();
        let fixed: Vec<&Symbol> =
            all.iter().copied().filter(|symbol| symbol.meaning == Meaning::Fixed).collect();
        let made = match self.style {
            Style::Satisfiable | Style::SatisfiablePatterns => {
                let model = vocabulary.model(&mut draw);
                let assertions = self.true_in(&mut store, &mut draw, &all, &model);
                Made::Model(assertions.ok_or_else(slow)?, model)
            }
            Style::TrueSentence => {
                let model = vocabulary.model(&mut draw);
                let assertions = self.true_in(&mut store, &mut draw, &fixed, &model);
                Made::Model(assertions.ok_or_else(slow)?, model)
            }
            Style::FalseSentence => {
                let nothing = vocabulary.model(&mut draw);
                let assertions = self.true_in(&mut store, &mut draw, &fixed, &nothing);
                let mut assertions = assertions.ok_or_else(slow)?;
                // The only one that is false: with or without the others, it has no model.
                let at = draw.below(assertions.len());
                assertions[at] = denied(&mut store, assertions[at]);
                Made::Contradiction(Contradiction { assertions, core: Some(vec![at]) }, EVALUATION)
            }
            Style::Exhausted => {
                let (symbols, models) = few_interpretations(vocabulary, &mut draw);
                let grow = |store: &mut Store, draw: &mut Draw| {
                    self.grower(store, draw, &symbols).sentence(DEPTH)
                };
                let found = exhausted(&mut store, &mut draw, &models, grow).ok_or_else(slow)?;
                Made::Contradiction(found, EXHAUSTION)
            }
            Style::Instance
            | Style::InstancePatterns
            | Style::NestedInstance
            | Style::Chain
            | Style::ChainPatterns => {
                let build = |store: &mut Store, draw: &mut Draw| {
                    let mut grower = self.grower(store, draw, &all);
                    match self.style {
                        Style::NestedInstance => grower.nested_contradiction(),
                        Style::Chain | Style::ChainPatterns => grower.chain_contradiction(),
                        _ => grower.instance_contradiction(),
                    }
                };
                let noise = |store: &mut Store, draw: &mut Draw| {
                    self.grower(store, draw, &all).sentence(DEPTH)
                };
                let found = contradiction(vocabulary, &mut store, &mut draw, build, noise);
                let found = found.map_err(|_| fault("what contradicts itself has a model"))?;
                Made::Contradiction(found, INSTANCE)
            }
        };
        let (formula, oracle, rules) = match made {
            Made::Model(assertions, model) => self.satisfiable(store, assertions, model),
            Made::Contradiction(found, rule) => self.unsatisfiable(store, found, rule),
        }
        .map_err(|words| fault(&words))?;
        TestCase::formula(name, formula, oracle, Origin { rules, ..origin })
            .map_err(MakeError::fault)
    }

    fn grower<'g>(
        &'g self,
        store: &'g mut Store,
        draw: &'g mut Draw,
        symbols: &[&'g Symbol],
    ) -> Grower<'g> {
        Grower::new(store, draw, &self.vocabulary, symbols.to_vec(), self.style.patterns())
    }

    /// Up to three sentences that hold in a model. None if evaluation takes too long.
    fn true_in(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        symbols: &[&Symbol],
        model: &Model,
    ) -> Option<Vec<TermId>> {
        let wanted = draw.between(1, 3);
        let mut found = Vec::new();
        for _ in 0..TRIES {
            let sentence = self.grower(store, draw, symbols).sentence(DEPTH);
            match holds(store, model, sentence) {
                Some(true) => found.push(sentence),
                Some(false) => found.push(denied(store, sentence)),
                None => continue,
            }
            if found.len() == wanted {
                break;
            }
        }
        (!found.is_empty()).then_some(found)
    }

    fn satisfiable(
        &self,
        store: Store,
        assertions: Vec<TermId>,
        model: Model,
    ) -> Result<(Formula, Oracle, Vec<String>), String> {
        let mut script = self.vocabulary.script.clone();
        assertions.into_iter().for_each(|term| script.push(Command::Assert(term), 0));
        script.push(Command::CheckSat, 0);
        script.push(Command::Plain(Plain::GetModel), 0);
        let formula = Formula::from_parts(store, script, self.vocabulary.env.clone());
        let witness = check_model(&formula, model)
            .map_err(|error| format!("the witness is wrong: {error}"))?;
        Ok((formula, Oracle::Sat(Witness::Checked(witness)), vec![EVALUATION.into()]))
    }

    fn unsatisfiable(
        &self,
        mut store: Store,
        Contradiction { assertions, core }: Contradiction,
        rule: &str,
    ) -> Result<(Formula, Oracle, Vec<String>), String> {
        let mut script = Script::default();
        let option = Setting { keyword: ":produce-unsat-cores".into(), value: Some("true".into()) };
        script.push(Command::SetOption(Box::new(option)), 0);
        for command in &self.vocabulary.script.commands {
            script.push(command.clone(), 0);
        }
        let name = |position: usize| format!("a{position}");
        let keyword = store.symbols.intern("named");
        for (position, assertion) in assertions.into_iter().enumerate() {
            let value = AttributeValue::Name(store.symbols.intern(&name(position)));
            let named = store.annotated(assertion, vec![Attribute { keyword, value }]);
            script.push(Command::Assert(named), 0);
        }
        script.push(Command::CheckSat, 0);
        script.push(Command::Plain(Plain::GetUnsatCore), 0);
        let formula = Formula::from_script(store, &script)
            .map_err(|error| format!("does not read back: {error}"))?;
        let rules = vec![rule.to_owned()];
        let core =
            core.map(|positions| ExpectedCore { names: positions.into_iter().map(name).collect() });
        Ok((formula, Oracle::Unsat { why: Why::Certified(rules.clone()), core }, rules))
    }
}

/// What a case is made of.
enum Made {
    /// Assertions, and a model of them.
    Model(Vec<TermId>, Model),
    /// Assertions without a model, and the rule that says why.
    Contradiction(Contradiction, &'static str),
}

const EVALUATION: &str = "finite-evaluation";
const INSTANCE: &str = "quantifier-instance";
const EXHAUSTION: &str = "exhaustive-evaluation";

fn denied(store: &mut Store, formula: TermId) -> TermId {
    store.op(core::NOT, &[formula]).expect("a formula can be negated")
}
