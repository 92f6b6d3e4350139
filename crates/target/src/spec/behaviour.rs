//! How a tool is run: what is the same in all versions, and what some versions or variants change.

use super::bugs::operators;
use super::{Analyzer, Feature, Features, Promise, Template};
use crate::name::TargetName;
use assay_case::rewrite;
use assay_smtlib::{Dialect, STANDARD};
use assay_term::Op;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// How one version of a tool is run.
#[derive(Clone, PartialEq, Debug)]
pub struct Behaviour {
    /// How a script gets in.
    pub input: Input,
    /// The command of a program that has several, before all other arguments.
    pub subcommand: Option<String>,
    /// Arguments of every run.
    pub args: Vec<Template>,
    /// Arguments that only reading standard input needs; none where it is not known that it takes a
    /// file's name in their place.
    pub stdin_args: Option<Vec<Template>>,
    /// The seed that it takes where none is given.
    pub default_seed: Option<u64>,
    /// Arguments where a script asks more than one question.
    pub incremental_args: Vec<Template>,
    /// Arguments where a minimal core is wanted.
    pub minimal_core_args: Vec<Template>,
    /// Variables of its environment.
    pub env: BTreeMap<String, String>,
    /// Files and folders that it may read and execute in the sandbox, beside the system and its own
    /// installation.
    pub reads: Vec<PathBuf>,
    /// Arguments that make it say its version.
    pub version_args: Vec<String>,
    /// Lines before every script.
    pub options: Vec<Template>,
    /// Lines where a model is wanted.
    pub model_options: Vec<Template>,
    /// Lines where a core is wanted.
    pub core_options: Vec<Template>,
    /// Lines where a minimal core is wanted, beside these.
    pub minimal_core_options: Vec<Template>,
    /// Whether `set-logic` is sent.
    pub logic: Logic,
    /// The logic that stands for all it knows.
    pub logic_name: String,
    /// The logics that it knows by name; empty where it takes any.
    pub logics: Vec<String>,
    /// How it wants things spelled.
    pub dialect: Dialect,
    /// What it understands.
    pub features: Features,
    /// Operators that it does not understand all the same.
    pub without_operators: BTreeSet<Op>,
    /// What it rewrites terms with.
    pub rewrites: Rewrites,
    /// How it is kept for several scripts, if it can be.
    pub session: Option<Session>,
    /// Words of lines that look like errors and are none.
    pub harmless: Vec<String>,
    /// Words of an error, or of a death, that means "I do not support this".
    pub refusals: Vec<String>,
    /// How it is asked and how it answers, where it analyzes programs.
    pub analyzer: Option<Analyzer>,
    /// What it claims. A solver that claims nothing claims to be sound and precise.
    pub promises: Vec<Promise>,
    /// Targets whose programs it starts itself.
    pub needs: Vec<TargetName>,
}

/// How a script gets into a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// Through its standard input.
    Stdin,
    /// As a file, whose name replaces `{file}` in the arguments.
    File,
}

/// Whether `set-logic` is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Logic {
    /// Always.
    Required,
    /// Where the script has one.
    Optional,
    /// Never: the tool knows better what to do without one.
    Never,
}

/// What a tool rewrites terms with.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Rewrites {
    /// Whether it has the command `simplify`.
    pub simplify: bool,
    /// The parameters that the command takes.
    pub parameters: BTreeSet<String>,
    /// The tactics that can be applied, with what they promise of formulas without quantifiers.
    pub tactics: BTreeMap<String, rewrite::Promise>,
}

/// How a tool is kept for several scripts.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Session {
    /// Further arguments.
    #[serde(default)]
    pub args: Vec<Template>,
    /// What makes it forget a script.
    #[serde(default = "reset")]
    pub reset: String,
    /// What makes it say `{marker}`, with or without quotes, so that the end of an answer is seen.
    #[serde(default = "echo")]
    pub echo: Template,
    /// After so many scripts a new process is begun.
    #[serde(default = "scripts")]
    pub scripts: u32,
}

fn reset() -> String {
    "(reset)".to_owned()
}

fn echo() -> Template {
    Template::try_from("(echo \"{marker}\")".to_owned()).expect("the gap exists")
}

fn scripts() -> u32 {
    100
}

impl Default for Behaviour {
    /// What holds where a file says nothing.
    fn default() -> Behaviour {
        Behaviour {
            input: Input::Stdin,
            subcommand: None,
            args: Vec::new(),
            stdin_args: None,
            default_seed: None,
            incremental_args: Vec::new(),
            minimal_core_args: Vec::new(),
            env: BTreeMap::new(),
            reads: Vec::new(),
            version_args: vec!["--version".to_owned()],
            options: Vec::new(),
            model_options: Vec::new(),
            core_options: Vec::new(),
            minimal_core_options: Vec::new(),
            logic: Logic::Optional,
            logic_name: "ALL".to_owned(),
            logics: Vec::new(),
            dialect: STANDARD,
            features: Features::new(),
            without_operators: BTreeSet::new(),
            rewrites: Rewrites::default(),
            session: None,
            harmless: Vec::new(),
            refusals: Vec::new(),
            analyzer: None,
            promises: Vec::new(),
            needs: Vec::new(),
        }
    }
}

/// A table `run`: lists are appended to what was there, single words replace it.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Changes {
    input: Option<Input>,
    args: Vec<Template>,
    args_instead: Option<Vec<Template>>,
    subcommand: Option<String>,
    stdin_args: Option<Vec<Template>>,
    default_seed: Option<u64>,
    incremental_args: Vec<Template>,
    minimal_core_args: Vec<Template>,
    env: BTreeMap<String, String>,
    reads: Vec<PathBuf>,
    version_args: Option<Vec<String>>,
    options: Vec<Template>,
    model_options: Vec<Template>,
    core_options: Vec<Template>,
    minimal_core_options: Vec<Template>,
    logic: Option<Logic>,
    logic_name: Option<String>,
    logics: Vec<String>,
    dialect: Option<DialectName>,
    features: Vec<Feature>,
    without_features: Vec<Feature>,
    #[serde(deserialize_with = "operators")]
    without_operators: BTreeSet<Op>,
    rewrites: Rewrites,
    session: Option<Session>,
    without_session: bool,
    harmless: Vec<String>,
    refusals: Vec<String>,
    analyzer: Option<Analyzer>,
    claims: Option<Vec<Promise>>,
    needs: Vec<TargetName>,
}

/// A dialect, by the name that the printer gives it.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(try_from = "String")]
struct DialectName(Dialect);

impl TryFrom<String> for DialectName {
    type Error = String;

    fn try_from(name: String) -> Result<DialectName, String> {
        Dialect::by_name(&name).map(DialectName).ok_or_else(|| {
            let known = Dialect::ALL.map(|dialect| dialect.name).join(", ");
            format!("there is no dialect `{name}`; there are {known}")
        })
    }
}

impl Behaviour {
    /// Whether it is told how much time it has.
    pub(crate) fn is_told_time(&self) -> bool {
        let lists = [&self.args, &self.incremental_args, &self.options, &self.model_options];
        let told = |text: &Template| text.has("timeout-ms") || text.has("timeout-s");
        lists.into_iter().flatten().any(told)
    }

    /// Whether it is a solver whose sat need not be right.
    pub(crate) fn over_approximates(&self) -> bool {
        !self.promises.is_empty() && !self.promises.contains(&Promise::Precise)
    }

    /// Takes changes in.
    pub(super) fn apply(&mut self, changes: &Changes) {
        let append = |list: &mut Vec<Template>, more: &[Template]| list.extend_from_slice(more);
        replace(&mut self.args, &changes.args_instead);
        append(&mut self.args, &changes.args);
        append(&mut self.incremental_args, &changes.incremental_args);
        append(&mut self.minimal_core_args, &changes.minimal_core_args);
        append(&mut self.options, &changes.options);
        append(&mut self.model_options, &changes.model_options);
        append(&mut self.core_options, &changes.core_options);
        append(&mut self.minimal_core_options, &changes.minimal_core_options);
        self.logics.extend_from_slice(&changes.logics);
        self.harmless.extend_from_slice(&changes.harmless);
        self.refusals.extend_from_slice(&changes.refusals);
        self.needs.extend_from_slice(&changes.needs);
        self.env.extend(changes.env.clone());
        self.reads.extend(changes.reads.iter().cloned());
        self.features.extend(&changes.features);
        self.features.retain(|feature| !changes.without_features.contains(feature));
        self.without_operators.extend(&changes.without_operators);
        self.rewrites.simplify |= changes.rewrites.simplify;
        self.rewrites.parameters.extend(changes.rewrites.parameters.iter().cloned());
        self.rewrites.tactics.extend(changes.rewrites.tactics.clone());
        replace(&mut self.input, &changes.input);
        if changes.subcommand.is_some() {
            self.subcommand.clone_from(&changes.subcommand);
        }
        if changes.stdin_args.is_some() {
            self.stdin_args.clone_from(&changes.stdin_args);
        }
        self.default_seed = changes.default_seed.or(self.default_seed);
        replace(&mut self.version_args, &changes.version_args);
        replace(&mut self.logic, &changes.logic);
        replace(&mut self.logic_name, &changes.logic_name);
        replace(&mut self.dialect, &changes.dialect.map(|name| name.0));
        replace(&mut self.promises, &changes.claims);
        if changes.analyzer.is_some() {
            self.analyzer.clone_from(&changes.analyzer);
        }
        if changes.without_session {
            self.session = None;
        } else if let Some(session) = &changes.session {
            self.session = Some(session.clone());
        }
    }
}

fn replace<T: Clone>(old: &mut T, new: &Option<T>) {
    if let Some(new) = new {
        *old = new.clone();
    }
}
