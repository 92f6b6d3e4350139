//! `assay completions` and `assay man`: written from the same definitions as the parser.

use crate::{Outcome, output};
use clap::Command;
use clap_complete::Shell;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Print a completion script for a shell
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    assay completions bash > ~/.local/share/bash-completion/completions/assay\n  \
    assay completions zsh > ~/.zfunc/_assay\n")]
pub(crate) struct CompletionArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual page, or write one page per command
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  assay man | man -l -\n  assay man --out ~/.local/share/man/man1\n"
)]
pub(crate) struct ManArgs {
    /// Folder for one page per command [default: print the page of assay]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints a completion script.
pub(crate) fn completions(args: &CompletionArgs, mut command: Command) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "assay", &mut script);
    output::result(&String::from_utf8_lossy(&script));
    Outcome::Clean
}

/// Prints a page, or writes all of them.
pub(crate) fn man(args: &ManArgs, mut command: Command) -> Result<Outcome, Box<dyn Error>> {
    command.build();
    let Some(folder) = &args.out else {
        output::result(&page(&command)?);
        return Ok(Outcome::Clean);
    };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut open = vec![command];
    while let Some(command) = open.pop() {
        write(folder, &command)?;
        // The command `help` has no flags of its own.
        let shown = |known: &&Command| !known.is_hide_set() && known.get_name() != "help";
        open.extend(command.get_subcommands().filter(shown).cloned());
    }
    Ok(Outcome::Clean)
}

fn write(folder: &Path, command: &Command) -> Result<(), Box<dyn Error>> {
    let path = folder.join(format!("{}.1", full_name(command)));
    Ok(std::fs::write(&path, page(command)?)
        .map_err(|error| format!("{}: {error}", path.display()))?)
}

/// The name of a command's page: `assay-run-strings`.
fn full_name(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

fn page(command: &Command) -> Result<String, Box<dyn Error>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).title(full_name(command)).render(&mut text)?;
    Ok(String::from_utf8(text)?)
}
