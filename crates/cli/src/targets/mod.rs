//! `assay targets`: the tools under test, their installation and their health.

mod build;
mod doctor;
mod install;
mod list;
mod show;

use crate::tools::TargetArgs;
use crate::{Outcome, output};
use assay_target::process::Launcher;
use assay_target::{Catalog, Installer, Network, TargetName};
use clap::Subcommand;
use comfy_table::{Table, presets};
use std::error::Error;

/// List, install and check the tools under test
///
/// Targets are named `name[@version][:variant]`: z3, z3@4.8.5, z3@4.8.5:z3str3, z3@path (the
/// command that the system knows), z3@/opt/z3/bin/z3 (any program).
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,

    #[command(flatten)]
    catalog: TargetArgs,

    /// Use no network
    #[arg(long, global = true)]
    offline: bool,
}

#[derive(Subcommand)]
enum Action {
    List(list::Args),
    Install(install::Args),
    Build(build::Args),
    Doctor(doctor::Args),
    Show(show::Args),
}

/// The context of every action.
struct Context {
    catalog: Catalog,
    installer: Installer,
    launcher: Launcher,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let catalog = args.catalog.catalog()?;
    let network = if args.offline { Network::Forbidden } else { Network::Allowed };
    let installer = args.catalog.installer().network(network);
    let launcher = args.catalog.launcher()?;
    let context = Context { catalog, installer, launcher };
    Ok(match &args.action {
        Action::List(args) => list::run(&context, args),
        Action::Install(args) => install::run(context, args),
        Action::Build(args) => build::run(&context, args),
        Action::Doctor(args) => doctor::run(&context, args),
        Action::Show(args) => show::run(&context, args),
    })
}

fn fail(error: &dyn Error) -> Outcome {
    output::failure(error);
    Outcome::Failed
}

/// Advice about a missing command.
fn not_found(command: &str) -> String {
    format!("not found: put {command} on the search path")
}

/// A table without lines below a heading.
fn table(heading: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(heading);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}

/// Tables on stdout end in one line break and have no blanks at the ends of lines.
fn print(table: &Table) {
    let lines = table.lines().map(|line| line.trim_end().to_owned() + "\n");
    output::result(&lines.collect::<String>());
}

impl Context {
    /// Every release of every tool, and the commands that the system knows, by full name.
    fn everything(&self) -> Vec<TargetName> {
        let mut names = Vec::new();
        for spec in self.catalog.specs() {
            let tool = TargetName::newest(spec.name.as_str());
            names.extend(spec.versions().iter().map(|version| tool.at(version.as_str())));
            let command = tool.at("path");
            if self.catalog.choose(&command).is_ok() {
                names.push(command);
            }
        }
        names
    }
}
