//! The description of a suite, as data: operations, pools of constants, and the categories built
//! from them. Presets are such descriptions; a user's file replaces parts of one.
//!
//! Texts are SMT-LIB. A *parameter* is a word that stands for several texts: an entry that mentions
//! parameters stands for all its instances. In the constants of a pool, `E.0` is the first constant
//! of the pool of the sort that parameter `E` stands for.

use crate::error::{ForgeError, listed};
use crate::maxsmt::MaxSmtSpec;
use crate::quantified::QuantifiedSpec;
use crate::refute::RefuteSpec;
use crate::rules::{Refused, Rule, UserRules};
use serde::Deserialize;
use std::collections::BTreeMap;

/// How cases are built from operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Construction {
    /// An operation with variables as arguments and result.
    Operation,
    /// An operation on constants, some of which become variables.
    ConstantAssignment,
    /// An operation on terms equals a term of the same value; all constants become variables.
    TermSynthesis,
    /// The same, but of regular languages only the words become variables.
    #[serde(rename = "term-synthesis-no-regex-variables")]
    NoRegexVariables,
    /// Term synthesis in which only some of the constants become variables.
    MixedSynthesis,
}

impl Construction {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Construction::Operation => "operation",
            Construction::ConstantAssignment => "constant-assignment",
            Construction::TermSynthesis => "term-synthesis",
            Construction::NoRegexVariables => "term-synthesis-no-regex-variables",
            Construction::MixedSynthesis => "mixed-synthesis",
        }
    }
}

/// An operation, as given in a description.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperationSpec {
    /// Its name in the suite.
    pub(crate) name: String,
    /// The name of the same with its result fixed to false, for operations with a Boolean result.
    pub(crate) negated: Option<String>,
    /// The head of its applications.
    pub(crate) head: String,
    /// The sorts of its arguments.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// It builds terms for others and is not itself under test.
    #[serde(default, rename = "only-in-terms")]
    pub(crate) only_in_terms: bool,
}

/// A pool of random regular languages, made of the other pools and the operations.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RandomRegexes {
    /// The number of languages.
    pub(crate) size: usize,
    /// The seed.
    #[serde(default)]
    pub(crate) rng: u64,
    /// The maximum number of operators and words in a language.
    #[serde(default = "RandomRegexes::nodes")]
    pub(crate) nodes: u64,
}

impl RandomRegexes {
    fn nodes() -> u64 {
        12
    }
}

/// A description of a suite. A missing part is taken from the preset.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Spec {
    /// The categories.
    pub(crate) categories: Option<Vec<Construction>>,
    /// Nesting depth of terms below an operation in term synthesis.
    pub(crate) depth: Option<u8>,
    /// Declarations and assertions at the beginning of every case.
    pub(crate) prelude: Option<String>,
    /// The interpretation of the prelude's symbols, in the format of a solver's model.
    pub(crate) model: Option<String>,
    /// Words that stand for several texts.
    pub(crate) parameters: Option<BTreeMap<String, Vec<String>>>,
    /// Sorts whose constants stay constants, because solvers have no variables of them.
    pub(crate) constant_sorts: Option<Vec<String>>,
    /// Constants by sort.
    pub(crate) pool: Option<BTreeMap<String, Vec<String>>>,
    /// The constants of term synthesis [default: the first few of the pool].
    pub(crate) short_pool: Option<BTreeMap<String, Vec<String>>>,
    /// Regular languages, at random, in place of those of the pools.
    pub(crate) random_regexes: Option<RandomRegexes>,
    /// Words of sorts: satisfiable formulas and those refuted by constants are only made if each of
    /// these lists has a word that occurs in a sort of the formula.
    pub(crate) mix: Option<Vec<Vec<String>>>,
    /// The operations.
    pub(crate) operation: Option<Vec<OperationSpec>>,
    /// The quantified formulas.
    pub(crate) quantified: Option<QuantifiedSpec>,
    /// The unsatisfiable formulas.
    pub(crate) refute: Option<RefuteSpec>,
    /// Additional rules for them.
    rules: Option<UserRules>,
    /// The same, certified.
    #[serde(skip)]
    pub(crate) certified: Vec<Rule>,
    /// The formulas with soft constraints. They are built from the same operations and in the same
    /// ways, which then have no separate categories.
    pub(crate) maxsmt: Option<MaxSmtSpec>,
}

/// Number of constants of a pool in the short pool, if a description gives none.
const SHORT: usize = 3;

/// Constants by sort, as texts.
type Pools = BTreeMap<String, Vec<String>>;

impl Spec {
    /// Reads a description.
    pub(crate) fn read(text: &str) -> Result<Spec, ForgeError> {
        let read: Result<Spec, _> = toml::from_str(text);
        let mut spec =
            read.map_err(|error| ForgeError::Toml(error.to_string().trim_end().into()))?;
        if let Some(rules) = &spec.rules {
            spec.certified = rules.certified().map_err(|Refused { start, error }| {
                let before = text.bytes().take(start);
                let line = 1 + before.filter(|&byte| byte == b'\n').count();
                ForgeError::UserRule { line, error }
            })?;
        }
        Ok(spec)
    }

    /// The same, with the parts of `other` replacing its own. Pools and parameters are replaced one by
    /// one.
    pub(crate) fn overlaid(self, other: Spec) -> Spec {
        fn maps(below: Option<Pools>, above: Option<Pools>) -> Option<Pools> {
            let mut all = below?;
            all.extend(above.unwrap_or_default());
            Some(all)
        }
        // Otherwise, constants that replace a pool would be ignored in term synthesis.
        let mut short = self.short_pool.unwrap_or_default();
        for sort in other.pool.iter().flat_map(BTreeMap::keys) {
            short.remove(sort);
        }
        short.extend(other.short_pool.unwrap_or_default());
        Spec {
            categories: other.categories.or(self.categories),
            depth: other.depth.or(self.depth),
            prelude: other.prelude.or(self.prelude),
            model: other.model.or(self.model),
            parameters: maps(Some(self.parameters.unwrap_or_default()), other.parameters),
            constant_sorts: other.constant_sorts.or(self.constant_sorts),
            pool: maps(Some(self.pool.unwrap_or_default()), other.pool),
            short_pool: Some(short),
            random_regexes: other.random_regexes.or(self.random_regexes),
            mix: other.mix.or(self.mix),
            operation: other.operation.or(self.operation),
            refute: other.refute.or(self.refute),
            quantified: other.quantified.or(self.quantified),
            rules: other.rules.or(self.rules),
            certified: [self.certified, other.certified].concat(),
            maxsmt: other.maxsmt.or(self.maxsmt),
        }
    }

    /// The pool and the short pool, without parameters.
    pub(crate) fn pools(&self) -> Result<(Pools, Pools), ForgeError> {
        let pool = self.instantiated(self.pool.as_ref())?;
        let mut short = self.instantiated(self.short_pool.as_ref())?;
        for (sort, constants) in &pool {
            let first = || constants.iter().take(SHORT).cloned().collect();
            short.entry(sort.clone()).or_insert_with(first);
        }
        Ok((pool, short))
    }

    fn instantiated(&self, pools: Option<&Pools>) -> Result<Pools, ForgeError> {
        let mut all = Pools::new();
        let (open, closed): (Vec<_>, Vec<_>) =
            pools.into_iter().flatten().partition(|(sort, _)| !self.mentioned(&[sort]).is_empty());
        for (sort, constants) in closed {
            all.insert(sort.clone(), constants.clone());
        }
        for (sort, constants) in open {
            let texts = std::iter::once(sort).chain(constants).map(String::as_str);
            for binding in self.bindings(&texts.collect::<Vec<_>>()) {
                let instance = binding.apply(sort);
                let mut filled = Vec::new();
                for constant in constants {
                    filled.push(binding.fill(constant, &all)?);
                }
                all.entry(instance).or_default().extend(filled);
            }
        }
        Ok(all)
    }

    /// The instances of an operation.
    pub(crate) fn instances(&self, operation: &OperationSpec) -> Vec<OperationSpec> {
        let mut texts = vec![operation.head.as_str()];
        texts.extend(operation.args.iter().map(String::as_str));
        let bindings = self.bindings(&texts);
        let instance = |binding: &Binding<'_>| OperationSpec {
            name: operation.name.clone(),
            negated: operation.negated.clone(),
            head: binding.apply(&operation.head),
            args: operation.args.iter().map(|sort| binding.apply(sort)).collect(),
            only_in_terms: operation.only_in_terms,
        };
        bindings.iter().map(instance).collect()
    }

    /// Checks that each of these parameters occurs in a pool or in an operation.
    pub(crate) fn mentions_all<'n>(
        &self,
        mut parameters: impl Iterator<Item = &'n String>,
    ) -> Result<(), ForgeError> {
        let pools = self.pool.iter().chain(&self.short_pool).flatten();
        let constants = pools.flat_map(|(sort, constants)| std::iter::once(sort).chain(constants));
        let operations = self.operation.iter().flatten();
        let heads = operations.flat_map(|one| std::iter::once(&one.head).chain(&one.args));
        let texts: Vec<&str> = constants.chain(heads).map(String::as_str).collect();
        let mentioned = self.mentioned(&texts);
        let is_unused = |name: &&String| mentioned.iter().all(|(other, _)| other != name);
        match parameters.find(is_unused) {
            Some(name) => Err(ForgeError::Unmentioned {
                name: name.clone(),
                known: listed(mentioned.iter().map(|(known, _)| *known)),
            }),
            None => Ok(()),
        }
    }

    /// The parameters in texts, in order, each once.
    fn mentioned(&self, texts: &[&str]) -> Vec<(&str, &[String])> {
        let parameters = self.parameters.as_ref();
        let mut found: Vec<(&str, &[String])> = Vec::new();
        for word in texts.iter().flat_map(|text| pieces(text)) {
            let known = parameters.and_then(|all| all.get_key_value(word));
            if let Some((name, texts)) = known {
                if found.iter().all(|(other, _)| other != name) {
                    found.push((name, texts));
                }
            }
        }
        found
    }

    /// Every choice of texts for the parameters that occur.
    fn bindings(&self, texts: &[&str]) -> Vec<Binding<'_>> {
        let mut all = vec![Binding(Vec::new())];
        for (name, choices) in self.mentioned(texts) {
            all = all
                .iter()
                .flat_map(|binding| {
                    choices.iter().map(|choice| {
                        let mut longer = binding.0.clone();
                        longer.push((name, choice.as_str()));
                        Binding(longer)
                    })
                })
                .collect();
        }
        all
    }
}

/// The values of parameters.
struct Binding<'s>(Vec<(&'s str, &'s str)>);

impl Binding<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    fn apply(&self, text: &str) -> String {
        pieces(text).map(|piece| self.get(piece).unwrap_or(piece)).collect()
    }

    /// The same, with references to constants of pools resolved.
    fn fill(&self, text: &str, pools: &Pools) -> Result<String, ForgeError> {
        let mut filled = String::new();
        for piece in pieces(text) {
            let reference = piece
                .rsplit_once('.')
                .and_then(|(name, index)| Some((self.get(name)?, index.parse::<usize>().ok()?)));
            let Some((sort, index)) = reference else {
                filled.push_str(self.get(piece).unwrap_or(piece));
                continue;
            };
            let constant = pools.get(sort).and_then(|constants| constants.get(index));
            filled.push_str(constant.ok_or_else(|| ForgeError::NoConstant {
                place: "pool".into(),
                text: text.into(),
                sort: sort.into(),
                index,
            })?);
        }
        Ok(filled)
    }
}

/// Splits a text into words, string literals, parentheses and spaces.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
            '(' | ')' => 1,
            c if c.is_whitespace() => c.len_utf8(),
            _ => rest
                .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"'))
                .unwrap_or(rest.len()),
        };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_words_and_never_parts_of_literals() {
        let spec = Spec::read(
            r#"
            [parameters]
            I = ["Int", "String"]
            E = ["Bool"]
            [pool]
            Bool = ["true"]
            Int = ["7"]
            String = ['"I"']
            "(Array I E)" = ["(store ((as const (Array I E)) E.0) I.0 E.0)"]
            "#,
        )
        .expect("the text is right");
        let (pool, short) = spec.pools().expect("the pools are right");
        assert_eq!(
            pool["(Array String Bool)"],
            [r#"(store ((as const (Array String Bool)) true) "I" true)"#]
        );
        assert_eq!(pool["(Array Int Bool)"].len(), 1);
        assert_eq!(pool, short);
        let over = OperationSpec {
            name: "select".into(),
            negated: None,
            head: "select".into(),
            args: vec!["(Array I E)".into(), "I".into()],
            only_in_terms: false,
        };
        let args: Vec<_> =
            spec.instances(&over).into_iter().map(|instance| instance.args).collect();
        assert_eq!(args, [["(Array Int Bool)", "Int"], ["(Array String Bool)", "String"]]);
    }

    #[test]
    fn a_reference_beyond_the_pool_is_an_error() {
        let spec = Spec::read(
            "[parameters]\nE = [\"Bool\"]\n[pool]\nBool = [\"true\"]\n\"(Seq E)\" = [\"(seq.unit E.1)\"]",
        );
        assert!(matches!(
            spec.expect("the text is right").pools(),
            Err(ForgeError::NoConstant { index: 1, .. })
        ));
    }

    #[test]
    fn unknown_keys_are_errors() {
        assert!(matches!(Spec::read("pools = 1"), Err(ForgeError::Toml(_))));
    }

    #[test]
    fn a_pool_that_is_replaced_is_not_shadowed_by_the_old_short_pool() {
        let below =
            Spec::read("[pool]\nInt=['0']\n[short-pool]\nInt=['0']").expect("the text is right");
        let above = Spec::read("[pool]\nInt=['5']").expect("the text is right");
        let (pool, short) = below.overlaid(above).pools().expect("the pools are right");
        assert_eq!((pool["Int"][0].as_str(), short["Int"][0].as_str()), ("5", "5"));
    }
}
