//! The Python interpreter and its `pip`.

use super::InstallError;
use crate::subprocess::{self, Said};
use crate::version::Version;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The time limits for a query to the interpreter and for a download.
const QUESTION: Duration = Duration::from_secs(60);
const DOWNLOAD: Duration = Duration::from_secs(900);

/// An interpreter.
pub(super) struct Python {
    /// Its own path, not that of a shim that starts it.
    pub program: PathBuf,
    /// The tag that wheels with machine code must match, for example `cpython-311`.
    pub tag: String,
}

impl Python {
    pub(super) fn find(called: &OsStr) -> Result<Python, InstallError> {
        let missing = |error: String| InstallError::NoPython {
            python: called.to_string_lossy().into_owned(),
            error,
        };
        let question = "import sys; print(sys.executable); print(sys.implementation.cache_tag)";
        let mut command = Command::new(called);
        command.args(["-c", question]);
        let said =
            subprocess::run(&mut command, "", QUESTION).map_err(|e| missing(e.to_string()))?;
        match said.stdout.lines().collect::<Vec<_>>()[..] {
            [program, tag] if said.succeeded() => {
                Ok(Python { program: program.into(), tag: tag.to_owned() })
            }
            _ => Err(missing(said.last_words())),
        }
    }
}

/// What a wheel must be compatible with.
#[derive(Clone, Copy)]
pub(super) enum Fit {
    /// This machine; a program in it needs no interpreter.
    Machine,
    /// This machine and this interpreter.
    Interpreter,
}

/// Fetches one wheel into a folder.
pub(super) fn download(
    called: &OsStr,
    requirement: &str,
    fit: Fit,
    folder: &Path,
) -> Result<PathBuf, InstallError> {
    pip(called, requirement, |command| {
        command.args(["download", "--no-deps", "--only-binary", ":all:", "--dest"]).arg(folder);
        if let Fit::Machine = fit {
            command.args(platforms().iter().flat_map(|tag| ["--platform", tag]));
        }
        command.arg(requirement);
    })?;
    archive_in(folder, "whl").ok_or_else(|| downloaded_none(requirement, "wheel"))
}

/// Fetches one source package into a folder.
pub(super) fn download_source(
    called: &OsStr,
    package: &str,
    version: &Version,
    folder: &Path,
) -> Result<PathBuf, InstallError> {
    let requirement = format!("{package}=={version}");
    pip(called, &requirement, |command| {
        command.args(["download", "--no-deps", "--no-binary", package, "--dest"]).arg(folder);
        command.arg(&requirement);
    })?;
    archive_in(folder, "gz").ok_or_else(|| downloaded_none(&requirement, "source package"))
}

/// Installs wheels with programs into a folder of their own.
pub(super) fn install_tools(
    called: &OsStr,
    wheels: &[String],
    folder: &Path,
) -> Result<(), InstallError> {
    if wheels.is_empty() {
        return Ok(());
    }
    pip(called, &wheels.join(" "), |command| {
        command.args(["install", "--only-binary", ":all:", "--quiet", "--upgrade", "--target"]);
        command.arg(folder).args(wheels).env("PIP_ROOT_USER_ACTION", "ignore");
    })
}

/// Runs pip for these packages.
fn pip(
    called: &OsStr,
    packages: &str,
    fill: impl FnOnce(&mut Command),
) -> Result<(), InstallError> {
    let python = called.to_string_lossy().into_owned();
    let mut command = Command::new(called);
    command.args(["-m", "pip", "--no-input", "--disable-pip-version-check", "--retries", "1"]);
    fill(&mut command);
    match subprocess::run(&mut command, "", DOWNLOAD) {
        Ok(said) if said.succeeded() => Ok(()),
        Ok(said) => Err(why(python, packages, &said)),
        Err(error) => Err(InstallError::NoPython { python, error: error.to_string() }),
    }
}

fn downloaded_none(requirement: &str, what: &str) -> InstallError {
    let words = format!("pip brought no {what}");
    InstallError::Fetch { package: requirement.to_owned(), words }
}

/// A file with this extension in a folder.
pub(super) fn archive_in(folder: &Path, extension: &str) -> Option<PathBuf> {
    let matches = |path: &PathBuf| path.extension() == Some(OsStr::new(extension));
    folder.read_dir().ok()?.filter_map(|entry| Some(entry.ok()?.path())).find(matches)
}

/// The reason for pip's failure, inferred from its output: it has no other way to report it.
fn why(python: String, requirement: &str, said: &Said) -> InstallError {
    const NO_NETWORK: [&str; 9] = [
        "Retrying (Retry(",
        "NewConnectionError",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "ProxyError",
        "Name or service not known",
        "name resolution",
        "Network is unreachable",
        "Connection refused",
    ];
    let package = requirement.to_owned();
    let says = |words: &str| said.stderr.contains(words) || said.stdout.contains(words);
    if says("No module named pip") {
        return InstallError::NoPip { python, words: said.last_words() };
    }
    if said.status.is_none() {
        return InstallError::NoNetwork { package, words: said.last_words() };
    }
    if let Some(words) = NO_NETWORK.into_iter().find(|words| says(words)) {
        let words = system_error(&said.stderr).unwrap_or(words).to_owned();
        return InstallError::NoNetwork { package, words };
    }
    if says("No matching distribution found") {
        let machine = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        return InstallError::NoWheel { package, machine, words: first_error(said) };
    }
    InstallError::Fetch { package, words: said.last_words() }
}

/// The system's message within pip's output: `[Errno 111] Connection refused`.
fn system_error(text: &str) -> Option<&str> {
    let words = &text[text.find("[Errno ")?..];
    words.split(['\'', '"', '\n', ')']).next()
}

fn first_error(said: &Said) -> String {
    let line = said.stderr.lines().find(|line| line.starts_with("ERROR: "));
    line.map_or_else(
        || said.last_words(),
        |line| line["ERROR: ".len()..].chars().take(200).collect(),
    )
}

/// pip's names for machines like this one, newest first. On systems other than Linux pip decides.
fn platforms() -> Vec<String> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let machine = std::env::consts::ARCH;
    let by_libc = (5..=39).rev().map(|minor| format!("manylinux_2_{minor}_{machine}"));
    let by_year = ["2014", "2010", "1"].iter().map(|year| format!("manylinux{year}_{machine}"));
    by_libc.chain(by_year).chain([format!("linux_{machine}")]).collect()
}
