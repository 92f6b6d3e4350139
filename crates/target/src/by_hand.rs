//! How to run a tool on a case without assay: what to install and what to type.
//!
//! Nothing here names a path of this machine, unless the user named the tool by its path.

use crate::catalog::ResolveError;
use crate::install::InstallError;
use crate::name::TargetName;
use crate::resolve::Resolved;
use crate::spec::{Asset, SourceKind, Spec};
use crate::version::Version;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;

/// Scripts that call libraries as their users do.
const SCRIPTS: [(&str, &str); 3] = [
    ("bitwuzla_by_hand.py", include_str!("../../../targets/drivers/bitwuzla_by_hand.py")),
    ("cvc5_by_hand.py", include_str!("../../../targets/drivers/cvc5_by_hand.py")),
    ("z3_by_hand.py", include_str!("../../../targets/drivers/z3_by_hand.py")),
];

/// Commands to install and run a tool in the folder of the case.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ByHand {
    /// Shell lines that install the tool: a command, or a comment if that depends on the system.
    pub get: Vec<String>,
    /// The command that runs it.
    pub command: String,
    /// The script that the command runs, if the tool is a library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
}

/// A script that calls a library.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Script {
    /// The file name.
    pub file: String,
    /// The contents.
    pub text: String,
}

impl ByHand {
    /// A command that needs nothing to be installed.
    #[must_use]
    pub fn plain(command: impl Into<String>) -> ByHand {
        ByHand { get: Vec::new(), command: command.into(), script: None }
    }

    /// Everything to paste into a shell, line by line.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.get.iter().map(String::as_str).chain([self.command.as_str()])
    }
}

/// How users run a tool without assay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handle {
    /// Shell lines that install it.
    pub(crate) get: Vec<String>,
    pub(crate) kind: HandleKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum HandleKind {
    /// A command.
    Command(String),
    /// A library that is called by this script, which has a placeholder for the arguments.
    Library { script: String },
    /// A library that only our driver calls.
    Driver,
}

impl Handle {
    /// A command of the user.
    #[must_use]
    pub fn command(command: impl Into<String>) -> Handle {
        Handle { get: Vec::new(), kind: HandleKind::Command(command.into()) }
    }

    /// How users run a release that they build with these flags.
    pub(crate) fn of_build(spec: &Spec, version: &Version, flags: &[String]) -> Handle {
        let get = format!("# build {} {version} with {}", spec.name, flags.join(" "));
        Handle { get: vec![get], kind: HandleKind::Command(spec.name.clone()) }
    }

    /// How users run a release.
    pub(crate) fn of_release(spec: &Spec, version: &Version) -> Result<Handle, ResolveError> {
        let offers = spec.sources.iter().find(|source| source.release(version).is_some());
        let Some(source) = offers else { return Ok(Handle::command(spec.name.as_str())) };
        let (get, kind) = match &source.kind {
            SourceKind::Wheel { package, asset } => {
                let kind = match asset {
                    Asset::Program(file) => HandleKind::Command(last_part(file)),
                    Asset::Driver { by_hand: Some(file), .. } => {
                        HandleKind::Library { script: script(spec, file)? }
                    }
                    Asset::Driver { by_hand: None, .. } => HandleKind::Driver,
                };
                (format!("pip install {package}=={version}"), kind)
            }
            SourceKind::Debian { package, command } => (
                format!("# {version} is in Debian: apt-get install {package}"),
                HandleKind::Command(command.clone()),
            ),
            SourceKind::Unpacked { suite, packages, program } => {
                let package = packages.first().map_or("", String::as_str);
                let program = program.as_deref().unwrap_or_default();
                let get = format!("# {version} is in Debian {suite}: apt-get install {package}");
                (get, HandleKind::Command(last_part(program)))
            }
            SourceKind::Command(command) => return Ok(Handle::command(command)),
            SourceKind::Path(path) => return Ok(Handle::command(path.display().to_string())),
        };
        Ok(Handle { get: vec![get], kind })
    }
}

impl Resolved {
    /// How to run it with these arguments on a case in this file; `None` if only our driver can.
    #[must_use]
    pub(crate) fn by_hand(&self, arguments: &[String], file: &Path) -> Option<ByHand> {
        let Handle { get, kind } = &self.handle;
        let mut words: Vec<String> = Vec::new();
        let variables = &self.behaviour.env;
        words.extend(variables.iter().map(|(name, value)| format!("{name}={}", shell_word(value))));
        let script = match kind {
            HandleKind::Driver => return None,
            HandleKind::Command(command) => {
                words.push(shell_word(command).into_owned());
                words.extend(arguments.iter().map(|word| shell_word(word).into_owned()));
                let file = file.display().to_string();
                match (self.wants_file(), &self.behaviour.stdin_args) {
                    (true, _) => {}
                    (false, Some(_)) => words.push(file),
                    (false, None) => words.extend(["<".to_owned(), file]),
                }
                None
            }
            HandleKind::Library { script } => {
                let script =
                    Script { file: script_file(&self.name), text: filled(script, arguments) };
                words.extend(["python3".to_owned(), script.file.clone()]);
                Some(script)
            }
        };
        Some(ByHand { get: get.clone(), command: words.join(" "), script })
    }
}

/// A word quoted so that a shell reads it back.
#[must_use]
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into();
    }
    if !word.contains(char::is_control) {
        return format!("'{}'", word.replace('\'', "'\\''")).into();
    }
    let mut quoted = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                let bytes = c.encode_utf8(&mut bytes).bytes();
                bytes.for_each(|byte| quoted.push_str(&format!("\\{byte:03o}")));
            }
            c => quoted.push(c),
        }
    }
    format!("{quoted}'").into()
}

fn last_part(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

/// The file name of a target's script; different targets have different names.
fn script_file(name: &TargetName) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '-' };
    format!("run-{}.py", name.to_string().chars().map(plain).collect::<String>())
}

/// The script with this name: next to the tool's description, or built in.
fn script(spec: &Spec, file: &str) -> Result<String, ResolveError> {
    let beside = spec.folder.as_ref().map(|folder| folder.join(file));
    if let Some(path) = beside.filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(&path).map_err(InstallError::files(&path))?;
        return Ok(text);
    }
    let builtin = SCRIPTS.iter().find(|(name, _)| *name == file).map(|(_, text)| *text);
    let missing = || InstallError::NoDriver(file.to_owned());
    Ok(builtin.ok_or_else(missing)?.to_owned())
}

/// A script with the arguments filled in: as they are in `ARGUMENTS = []`, as pairs of a name and a
/// value in `OPTIONS = []`.
fn filled(script: &str, arguments: &[String]) -> String {
    let words: Vec<String> = arguments.iter().map(|word| python_text(word)).collect();
    let pairs: Vec<String> = arguments
        .iter()
        .map(|word| switch(word))
        .map(|(name, value)| format!("({}, {})", python_text(name), python_text(value)))
        .collect();
    let list = |items: &[String]| match items {
        [] => "[]".to_owned(),
        items => format!("[\n    {},\n]", items.join(",\n    ")),
    };
    script
        .replace("ARGUMENTS = []\n", &format!("ARGUMENTS = {}\n", list(&words)))
        .replace("OPTIONS = []\n", &format!("OPTIONS = {}\n", list(&pairs)))
}

/// An option of a command line: `--name=value`, `--name` for true, `--no-name` for false.
fn switch(argument: &str) -> (&str, &str) {
    let option = argument.trim_start_matches('-');
    match (option.split_once('='), option.strip_prefix("no-")) {
        (Some(pair), _) => pair,
        (None, Some(name)) => (name, "false"),
        (None, None) => (option, "true"),
    }
}

/// A text quoted so that Python reads it back.
fn python_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        let table =
            ["z3", "a=b", "", "it's; rm", "a b", "line\nbreak", "\u{1b}[31m'\\", "é\t\u{85}"];
        for word in table {
            let line = format!("printf %s {}", shell_word(word));
            assert!(!line.contains(char::is_control), "{line:?}");
            let said = std::process::Command::new("bash").args(["-c", &line]).output();
            let said = said.expect("bash runs").stdout;
            assert_eq!(String::from_utf8(said).expect("text"), word, "{line}");
        }
    }

    /// No release's commands name a path of this machine.
    #[test]
    fn every_release_has_commands_or_a_script_by_hand() {
        for spec in crate::Catalog::builtin().specs() {
            for version in spec.versions() {
                let handle = Handle::of_release(spec, &version).expect("its script is there");
                let said = format!("{handle:?}");
                assert!(said.contains(version.as_str()), "{said}");
                match (&handle.kind, spec.kind) {
                    (_, crate::spec::Kind::AbstractDomains) => {}
                    (HandleKind::Command(command), _) => {
                        assert!(!command.is_empty() && !command.contains('/'), "{said}");
                    }
                    (HandleKind::Library { script }, _) => {
                        assert!(!script.contains("assay"), "{script}");
                    }
                    (HandleKind::Driver, _) => panic!("{}@{version} lacks a script", spec.name),
                }
            }
        }
    }

    #[test]
    fn scripts_take_arguments_and_options() {
        let arguments = ["--seed=7", "--strings-exp", "--no-decision", "--a=\"b"].map(String::from);
        let text = filled("ARGUMENTS = []\nx\nOPTIONS = []\n", &arguments);
        assert!(text.contains("    \"--seed=7\",\n"), "{text}");
        assert!(text.contains("    (\"strings-exp\", \"true\"),\n"), "{text}");
        assert!(text.contains("(\"decision\", \"false\")") && text.contains("(\"a\", \"\\\"b\")"));
        assert_eq!(filled("ARGUMENTS = []\n", &[]), "ARGUMENTS = []\n");
        for (name, script) in SCRIPTS {
            assert_ne!(filled(script, &arguments), *script, "{name} has a place for arguments");
        }
    }
}
