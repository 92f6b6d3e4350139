//! How to run a tool: what is common to all versions, and what some versions or variants change.

use super::bugs::operators;
use super::{Analyzer, Feature, Features, Promise, Template};
use crate::name::TargetName;
use assay_case::rewrite;
use assay_case::synthesis::Task;
use assay_smtlib::{Dialect, STANDARD};
use assay_term::Op;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// How to run one version of a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Behaviour {
    /// How it receives a script.
    pub input: Input,
    /// The subcommand, before all other arguments.
    pub subcommand: Option<String>,
    /// Arguments of every run.
    pub args: Vec<Template>,
    /// Additional arguments for reading standard input; `None` if it is unknown whether a file name
    /// can replace them.
    pub stdin_args: Option<Vec<Template>>,
    /// Its default seed.
    pub default_seed: Option<u64>,
    /// Arguments for scripts with several questions.
    pub incremental_args: Vec<Template>,
    /// Arguments for requesting a minimal core.
    pub minimal_core_args: Vec<Template>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// Files and folders that it may read and execute in the sandbox, apart from the system and its
    /// own installation.
    pub reads: Vec<PathBuf>,
    /// Arguments that make it print its version.
    pub version_args: Vec<String>,
    /// Lines before every script.
    pub options: Vec<Template>,
    /// Lines for requesting a model.
    pub model_options: Vec<Template>,
    /// Lines for requesting a core.
    pub core_options: Vec<Template>,
    /// Additional lines for requesting a minimal core.
    pub minimal_core_options: Vec<Template>,
    /// Lines for requesting a proof; empty if it prints none.
    pub proof_options: Vec<Template>,
    /// Whether `set-logic` is sent.
    pub logic: Logic,
    /// The logic that stands for everything it supports.
    pub logic_name: String,
    /// The logics that it knows by name; empty if it accepts any.
    pub logics: Vec<String>,
    /// Its dialect.
    pub dialect: Dialect,
    /// The features that it supports.
    pub features: Features,
    /// Operators that it does not support despite these features.
    pub without_operators: BTreeSet<Op>,
    /// Its support for rewriting terms.
    pub rewrites: Rewrites,
    /// What it constructs.
    pub synthesis: BTreeMap<Task, Offer>,
    /// How it serves several scripts, if it can.
    pub session: Option<Session>,
    /// Words of harmless lines that look like errors.
    pub harmless: Vec<String>,
    /// Words of an error or a crash that means "not supported".
    pub refusals: Vec<String>,
    /// How it is asked and how it answers, if it analyzes programs.
    pub analyzer: Option<Analyzer>,
    /// Its promises. A solver that promises nothing is taken to be sound and precise.
    pub promises: Vec<Promise>,
    /// Targets whose programs it starts itself.
    pub needs: Vec<TargetName>,
}

/// How a tool receives a script.
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
    /// If the script has one.
    Optional,
    /// Never: the tool does better without one.
    Never,
}

/// A tool's support for rewriting terms.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Rewrites {
    /// Whether it supports the command `simplify`.
    pub simplify: bool,
    /// The parameters of that command.
    pub parameters: BTreeSet<String>,
    /// The tactics that can be applied, with their promise for quantifier-free formulas.
    pub tactics: BTreeMap<String, rewrite::Promise>,
}

/// How a tool is asked to construct a term.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Offer {
    /// Arguments of the process.
    pub args: Vec<Template>,
    /// Lines before the script.
    pub options: Vec<Template>,
    /// The tactics that do it; empty if a command of its own does.
    pub tactics: BTreeSet<String>,
}

/// How a tool serves several scripts.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Session {
    /// Further arguments.
    #[serde(default)]
    pub args: Vec<Template>,
    /// The command that makes it forget a script.
    #[serde(default = "reset")]
    pub reset: String,
    /// The command that makes it echo `{marker}`, with or without quotes, which marks the end of an
    /// answer.
    #[serde(default = "echo")]
    pub echo: Template,
    /// The number of scripts after which a new process is started.
    #[serde(default = "scripts")]
    pub scripts: u32,
    /// The command that prints what it counted for its last answer, if there is one.
    #[serde(default)]
    pub statistics: Option<String>,
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
    /// The defaults.
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
            proof_options: Vec::new(),
            logic: Logic::Optional,
            logic_name: "ALL".to_owned(),
            logics: Vec::new(),
            dialect: STANDARD,
            features: Features::new(),
            without_operators: BTreeSet::new(),
            rewrites: Rewrites::default(),
            synthesis: BTreeMap::new(),
            session: None,
            harmless: Vec::new(),
            refusals: Vec::new(),
            analyzer: None,
            promises: Vec::new(),
            needs: Vec::new(),
        }
    }
}

/// A table `run`: lists are appended to earlier ones, other values replace them.
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
    proof_options: Option<Vec<Template>>,
    logic: Option<Logic>,
    logic_name: Option<String>,
    logics: Vec<String>,
    dialect: Option<DialectName>,
    features: Vec<Feature>,
    without_features: Vec<Feature>,
    #[serde(deserialize_with = "operators")]
    without_operators: BTreeSet<Op>,
    rewrites: Rewrites,
    synthesis: BTreeMap<Task, Offer>,
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
            format!("unknown dialect `{name}`; expected one of {known}")
        })
    }
}

impl Behaviour {
    /// Whether it gets its time limit as an argument.
    pub(crate) fn takes_time_limit(&self) -> bool {
        let lists = [&self.args, &self.incremental_args, &self.options, &self.model_options];
        let told = |text: &Template| text.has("timeout-ms") || text.has("timeout-s");
        lists.into_iter().flatten().any(told)
    }

    /// Whether it is a solver whose sat need not be right.
    pub(crate) fn over_approximates(&self) -> bool {
        !self.promises.is_empty() && !self.promises.contains(&Promise::Precise)
    }

    /// Applies changes.
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
        replace(&mut self.proof_options, &changes.proof_options);
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
        self.synthesis.extend(changes.synthesis.clone());
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
