//! `assay targets show`.

use super::{Context, fail, not_found};
use crate::{Outcome, output};
use assay_target::spec::{Behaviour, FuzzOption, KnownBug, Logic, Pass, Spec, Template, Values};
use assay_target::{Choice, ResolveError, TargetName, Version};
use std::fmt::Write;

/// Print what is known about a tool, or about one version and variant of it
#[derive(clap::Args)]
pub(super) struct Args {
    /// The tool
    #[arg(value_name = "NAME[@VERSION][:VARIANT]")]
    name: TargetName,
}

pub(super) fn run(context: &Context, args: &Args) -> Outcome {
    match facts(context, &args.name) {
        Ok(text) => {
            output::result(&text);
            Outcome::Clean
        }
        Err(error) => fail(&error),
    }
}

fn facts(context: &Context, name: &TargetName) -> Result<String, ResolveError> {
    let (spec, choice) = match context.catalog.choose(name) {
        Ok(chosen) => chosen,
        // The version is unknown, so only facts about all versions are shown.
        Err(ResolveError::NoCommand { command }) if name.variant.is_none() => {
            let mut text = general(context.catalog.find(&name.name)?);
            line(&mut text, "here", &not_found(&command));
            return Ok(text);
        }
        Err(error) => return Err(error),
    };
    let version = match choice {
        Choice::Release(version) => version,
        Choice::Program(path) => context.installer.adopt(spec, &path)?.version,
    };
    let variant = name.variant.as_deref().and_then(|variant| spec.variant(variant));
    let behaviour = spec.behaviour(&version, variant);
    let mut text = general(spec);
    let shown = name.at(version.as_str());
    let _ = writeln!(text, "\n{shown}");
    let provenance = context.installer.provenance(spec, &version);
    line(&mut text, "installed from", &provenance.unwrap_or_default());
    run_facts(&behaviour, &mut text);
    options(spec, &version, &mut text);
    bugs(spec, &version, name.variant.as_deref(), &mut text);
    Ok(text)
}

fn line(text: &mut String, label: &str, value: &str) {
    if !value.is_empty() {
        let _ = writeln!(text, "  {label:14} {value}");
    }
}

fn general(spec: &Spec) -> String {
    let mut text = format!("{}: {}, {}\n", spec.name, spec.title, spec.kind.name());
    line(&mut text, "homepage", spec.homepage.as_deref().unwrap_or_default());
    line(&mut text, "tracker", spec.tracker.as_deref().unwrap_or_default());
    for source in &spec.sources {
        let versions: Vec<&str> = source.releases().map(Version::as_str).collect();
        line(&mut text, "from", &source.words());
        line(&mut text, "  versions", &versions.join(", "));
    }
    for variant in &spec.variants {
        let words = format!("{} ({}): {}", variant.name, variant.versions, variant.about);
        line(&mut text, "variant", &words);
    }
    text
}

fn run_facts(behaviour: &Behaviour, text: &mut String) {
    let list = |templates: &[Template]| {
        templates.iter().map(Template::as_str).collect::<Vec<_>>().join(" ")
    };
    line(text, "arguments", &list(&behaviour.args));
    line(text, "  incremental", &list(&behaviour.incremental_args));
    line(text, "  minimal core", &list(&behaviour.minimal_core_args));
    line(text, "options", &list(&behaviour.options));
    line(text, "  for models", &list(&behaviour.model_options));
    line(text, "  for cores", &list(&behaviour.core_options));
    line(text, "  minimal core", &list(&behaviour.minimal_core_options));
    line(text, "  for proofs", &list(&behaviour.proof_options));
    let logic = match behaviour.logic {
        Logic::Required => format!("sent always, {} by default", behaviour.logic_name),
        Logic::Optional => "sent where a script has one".to_owned(),
        Logic::Never => "never sent".to_owned(),
    };
    line(text, "logic", &logic);
    line(text, "  known", &behaviour.logics.join(", "));
    line(text, "dialect", behaviour.dialect.name);
    let features: Vec<&str> = behaviour.features.iter().map(|feature| feature.name()).collect();
    line(text, "features", &features.join(", "));
    let session = behaviour.session.as_ref().map_or_else(
        || "none".to_owned(),
        |session| {
            let more = if session.args.is_empty() { "" } else { ", further arguments " };
            let args = list(&session.args);
            format!("{} after each of {} scripts{more}{args}", session.reset, session.scripts)
        },
    );
    line(text, "session", &session);
}

fn options(spec: &Spec, version: &Version, text: &mut String) {
    for option in spec.options.iter().filter(|option| option.versions.contains(version)) {
        let FuzzOption { name, values, pass, .. } = option;
        let values = match values {
            Values::Bool => "true, false".to_owned(),
            Values::Choice(words) => words.join(", "),
            Values::Int { least, greatest } => format!("{least} to {greatest}"),
        };
        let (Pass::Argument(how) | Pass::Line(how)) = pass;
        line(text, "to fuzz", &format!("{name}: {values}, by {}", how.as_str()));
    }
}

fn bugs(spec: &Spec, version: &Version, variant: Option<&str>, text: &mut String) {
    // Without a variant those of all variants are shown, with a word about it.
    let concerns = |bug: &&KnownBug| match variant {
        Some(_) => bug.concerns(version, variant),
        None => bug.versions.contains(version),
    };
    for bug in spec.known_bugs.iter().filter(concerns) {
        let kinds: Vec<&str> = bug.symptom.kinds.iter().map(|kind| kind.0.name()).collect();
        let only = if bug.variants.is_empty() {
            String::new()
        } else {
            format!(", only in {}", bug.variants.join(", "))
        };
        let link = bug.link.as_ref().map_or_else(String::new, |link| format!(" <{link}>"));
        let words = format!("{}: {} ({}{only}){link}", bug.id, bug.title, kinds.join(", "));
        line(text, "known bug", &words);
    }
}
