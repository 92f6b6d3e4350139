//! What `assay targets show` says about a tool.

use assay_target::Version;
use assay_target::spec::{Behaviour, FuzzOption, KnownBug, Logic, Pass, Spec, Template, Values};
use std::fmt::Write;

/// What is known about a tool, whatever its version.
#[must_use]
pub fn tool(spec: &Spec) -> String {
    let mut text = format!("{}: {}, {}\n", spec.name, spec.title, spec.kind.name());
    tool_line(&mut text, "homepage", spec.homepage.as_deref().unwrap_or_default());
    tool_line(&mut text, "tracker", spec.tracker.as_deref().unwrap_or_default());
    for source in &spec.sources {
        let versions: Vec<&str> = source.releases().map(Version::as_str).collect();
        tool_line(&mut text, "from", &source.words());
        tool_line(&mut text, "  versions", &versions.join(", "));
    }
    for variant in &spec.variants {
        let words = format!("{} ({}): {}", variant.name, variant.versions, variant.about);
        tool_line(&mut text, "variant", &words);
    }
    text
}

/// What is known about one version and variant of it.
#[must_use]
pub fn tool_version(spec: &Spec, version: &Version, variant: Option<&str>) -> String {
    let behaviour = spec.behaviour(version, variant.and_then(|variant| spec.variant(variant)));
    let mut text = String::new();
    run_facts(&behaviour, &mut text);
    options(spec, version, &mut text);
    bugs(spec, version, variant, &mut text);
    text
}

/// A line of such a text; nothing without a value.
pub fn tool_line(text: &mut String, label: &str, value: &str) {
    if !value.is_empty() {
        let _ = writeln!(text, "  {label:14} {value}");
    }
}

fn run_facts(behaviour: &Behaviour, text: &mut String) {
    let list = |templates: &[Template]| {
        templates.iter().map(Template::as_str).collect::<Vec<_>>().join(" ")
    };
    tool_line(text, "arguments", &list(&behaviour.args));
    tool_line(text, "  incremental", &list(&behaviour.incremental_args));
    tool_line(text, "  minimal core", &list(&behaviour.minimal_core_args));
    tool_line(text, "options", &list(&behaviour.options));
    tool_line(text, "  for models", &list(&behaviour.model_options));
    tool_line(text, "  for cores", &list(&behaviour.core_options));
    tool_line(text, "  minimal core", &list(&behaviour.minimal_core_options));
    tool_line(text, "  for proofs", &list(&behaviour.proof_options));
    let logic = match behaviour.logic {
        Logic::Required => format!("sent always, {} by default", behaviour.logic_name),
        Logic::Optional => "sent where a script has one".to_owned(),
        Logic::Never => "never sent".to_owned(),
    };
    tool_line(text, "logic", &logic);
    tool_line(text, "  known", &behaviour.logics.join(", "));
    tool_line(text, "dialect", behaviour.dialect.name);
    let features: Vec<&str> = behaviour.features.iter().map(|feature| feature.name()).collect();
    tool_line(text, "features", &features.join(", "));
    let session = behaviour.session.as_ref().map_or_else(
        || "none".to_owned(),
        |session| {
            let more = if session.args.is_empty() { "" } else { ", further arguments " };
            let args = list(&session.args);
            format!("{} after each of {} scripts{more}{args}", session.reset, session.scripts)
        },
    );
    tool_line(text, "session", &session);
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
        tool_line(text, "to fuzz", &format!("{name}: {values}, by {}", how.as_str()));
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
        tool_line(text, "known bug", &words);
    }
}
