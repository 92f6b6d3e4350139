//! A target that is ready to run, and its command lines.

use crate::by_hand::Handle;
use crate::name::TargetName;
use crate::process::CommandLine;
use crate::reach::installation;
use crate::spec::{Behaviour, FuzzOption, Gaps, Input, KnownBug, Logic, Offer, Session, Template};
use crate::version::Version;
use assay_case::synthesis::Task;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An installed target that can be run. Plain data: it does nothing by itself.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Its full name, with the version.
    pub name: TargetName,
    /// Its makers' name for it.
    pub title: String,
    /// Its bug tracker.
    pub tracker: Option<String>,
    /// The version for comparison with ranges.
    pub version: Version,
    /// The version that the tool reports.
    pub reported_version: String,
    /// The program.
    pub program: PathBuf,
    /// Arguments that come first: a driver script, if the program is an interpreter.
    pub lead: Vec<String>,
    /// Environment variables, in addition to those that the runner sets.
    pub env: BTreeMap<String, String>,
    /// How users run it without assay.
    pub handle: Handle,
    /// How it is run.
    pub behaviour: Behaviour,
    /// The options worth fuzzing in this version.
    pub options: Vec<FuzzOption>,
    /// Known bugs of this version and variant.
    pub known_bugs: Vec<KnownBug>,
}

/// What a run requests from a target.
#[derive(Clone, Copy, Default, Debug)]
pub struct Ask<'a> {
    /// A model after sat.
    pub models: bool,
    /// A core after unsat.
    pub cores: bool,
    /// A core that is minimal.
    pub minimal_cores: bool,
    /// A proof after unsat.
    pub proofs: bool,
    /// Answers to more than one `check-sat`, or in scopes.
    pub incremental: bool,
    /// A term to be constructed.
    pub task: Option<Task>,
    /// Commands that set the case's own options.
    pub options: &'a [String],
    /// Seed, limits and the file.
    pub gaps: Gaps<'a>,
}

impl Resolved {
    /// The command line with these arguments.
    #[must_use]
    pub fn command_line(&self, arguments: Vec<String>) -> CommandLine {
        let variable = |(name, value): (&String, &String)| (name.into(), Some(value.into()));
        let mut reads = installation(&self.program, &self.lead, &self.env);
        reads.extend(self.behaviour.reads.iter().cloned());
        CommandLine {
            program: self.program.clone(),
            args: arguments.into_iter().map(Into::into).collect(),
            env: self.env.iter().map(variable).collect(),
            dir: None,
            reads,
        }
    }

    /// The arguments for one script in a fresh process.
    #[must_use]
    pub fn one_shot(&self, ask: &Ask<'_>) -> Vec<String> {
        self.arguments(&[], ask)
    }

    /// The arguments for a process that takes one script after another, if it supports that.
    #[must_use]
    pub fn session(&self, ask: &Ask<'_>) -> Option<(Vec<String>, &Session)> {
        let session = self.behaviour.session.as_ref()?;
        Some((self.arguments(&session.args, ask), session))
    }

    /// The arguments that a user would type for a file.
    #[must_use]
    pub(crate) fn typed(&self, ask: &Ask<'_>) -> Vec<String> {
        // The default seed need not be given.
        let seed = ask.gaps.seed.filter(|seed| Some(*seed) != self.behaviour.default_seed);
        let ask = Ask { gaps: Gaps { seed, ..ask.gaps }, ..*ask };
        let hidden = match self.behaviour.stdin_args {
            Some(_) => self.hidden(&ask).len(),
            None => self.lead.len(),
        };
        self.arguments(&[], &ask).split_off(hidden)
    }

    /// The arguments that come before those of every run.
    fn hidden(&self, ask: &Ask<'_>) -> Vec<String> {
        let stdin = self.behaviour.stdin_args.iter().flatten();
        let stdin = stdin.filter_map(|template| template.fill(&ask.gaps));
        self.lead.iter().cloned().chain(stdin).collect()
    }

    fn arguments(&self, more: &[Template], ask: &Ask<'_>) -> Vec<String> {
        let behaviour = &self.behaviour;
        let asked =
            |wanted: bool, list: &'_ [Template]| if wanted { list.to_vec() } else { vec![] };
        let incremental = asked(ask.incremental, &behaviour.incremental_args);
        let minimal = asked(ask.minimal_cores, &behaviour.minimal_core_args);
        let task = self.offer(ask).map(|offer| offer.args.as_slice()).unwrap_or_default();
        let templates =
            behaviour.args.iter().chain(&incremental).chain(&minimal).chain(task).chain(more);
        let filled = templates.filter_map(|template| template.fill(&ask.gaps));
        let subcommand = behaviour.subcommand.clone();
        self.hidden(ask).into_iter().chain(subcommand).chain(filled).collect()
    }

    /// How it constructs what is requested, if anything is.
    fn offer(&self, ask: &Ask<'_>) -> Option<&Offer> {
        self.behaviour.synthesis.get(&ask.task?)
    }

    /// The lines before a script, each with its line break. They come before `set-logic`.
    #[must_use]
    pub fn prelude(&self, ask: &Ask<'_>) -> String {
        let behaviour = &self.behaviour;
        let asked = |wanted: bool, lines: &'_ [Template]| {
            let lines = if wanted { lines } else { &[] };
            lines.iter().filter_map(|line| line.fill(&ask.gaps)).collect::<Vec<_>>()
        };
        [
            asked(true, &behaviour.options),
            asked(ask.models, &behaviour.model_options),
            asked(ask.cores || ask.minimal_cores, &behaviour.core_options),
            asked(ask.minimal_cores, &behaviour.minimal_core_options),
            asked(ask.proofs, &behaviour.proof_options),
            asked(true, self.offer(ask).map(|offer| offer.options.as_slice()).unwrap_or_default()),
        ]
        .concat()
        .into_iter()
        .map(|line| line + "\n")
        .collect()
    }

    /// The logic to send for a script with this logic, or without one.
    #[must_use]
    pub fn logic<'l>(&'l self, script: Option<&'l str>) -> Option<&'l str> {
        let behaviour = &self.behaviour;
        let known = |name: &&str| {
            behaviour.logics.is_empty() || behaviour.logics.iter().any(|known| known == name)
        };
        match (behaviour.logic, script) {
            (Logic::Never, _) | (Logic::Optional, None) => None,
            (Logic::Required, None) => Some(&behaviour.logic_name),
            (_, Some(name)) => Some(Some(name).filter(known).unwrap_or(&behaviour.logic_name)),
        }
    }

    /// Whether scripts are passed as files.
    #[must_use]
    pub fn wants_file(&self) -> bool {
        self.behaviour.input == Input::File
    }
}
