//! Flags that commands with targets share: which there are, and within which limits they run.
//! Targets named on the command line are brought here where they are missing.

use crate::{output, units};
use assay_target::process::{HarnessError, Launcher, Limits, Sandbox};
use assay_target::spec::Kind;
use assay_target::{Catalog, Installer, Resolved, TargetName};
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

/// The limits of one run of a target.
#[derive(clap::Args, Clone, Copy)]
pub(crate) struct LimitArgs {
    /// Time for one case
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = units::duration)]
    pub(crate) timeout: Duration,
    /// Memory for one case, for the whole tree of processes
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = units::size)]
    pub(crate) memory: u64,
}

/// More output than this is no answer.
pub(crate) const OUTPUT: usize = 64 << 20;

impl LimitArgs {
    pub(crate) fn limits(self) -> Limits {
        Limits { wall: self.timeout, memory: Some(self.memory), output: OUTPUT }
    }
}

/// The flag that tells of targets beyond the built-in ones.
#[derive(clap::Args, Clone)]
pub(crate) struct CatalogArgs {
    /// More folders with descriptions of targets
    #[arg(long = "targets", value_name = "DIR", global = true)]
    folders: Vec<PathBuf>,
}

impl CatalogArgs {
    /// The built-in targets, the user's own, and those of the folders given.
    pub(crate) fn catalog(&self) -> Result<Catalog, Box<dyn Error>> {
        let folders: Vec<PathBuf> =
            Catalog::user_folder().into_iter().chain(self.folders.clone()).collect();
        Ok(Catalog::load(&folders)?.with_installed(&Installer::for_user()))
    }

    /// The flags again, as words of a command line that may be run from elsewhere.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let flag = |path: &PathBuf| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            ["--targets".to_owned(), path.display().to_string()]
        };
        self.folders.iter().flat_map(flag).collect()
    }
}

/// The flags of every command that starts targets.
#[derive(clap::Args, Clone)]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    catalog: CatalogArgs,
    /// Confine the tools under test: `on` or `off` (see docs/sandbox.md)
    #[arg(long, value_name = "ON|OFF", default_value = "on", global = true)]
    sandbox: Sandbox,
}

impl TargetArgs {
    /// The built-in targets, the user's own, and those of the folders given.
    pub(crate) fn catalog(&self) -> Result<Catalog, Box<dyn Error>> {
        self.catalog.catalog()
    }

    /// What starts keepers of tools under test.
    pub(crate) fn launcher(&self) -> Result<Launcher, HarnessError> {
        Ok(Launcher::this_program()?.sandboxed(self.sandbox))
    }

    /// What brings targets here.
    pub(crate) fn installer(&self) -> Installer {
        Installer::for_user().sandbox(self.sandbox)
    }

    /// The flags again, as words of a command line.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut words = self.catalog.arguments();
        if self.sandbox != Sandbox::default() {
            words.extend(["--sandbox".to_owned(), self.sandbox.to_string()]);
        }
        words
    }

    /// Targets of a kind, ready to run: others would be given what they cannot read.
    pub(crate) fn resolve_kind(
        &self,
        kind: Kind,
        names: &[TargetName],
    ) -> Result<Vec<Resolved>, Box<dyn Error>> {
        let catalog = self.catalog()?;
        for name in names {
            match (catalog.find(&name.name).map(|spec| spec.kind), kind) {
                (Ok(Kind::SmtSolver), Kind::Analyzer) => {
                    let analyzers = catalog.specs().filter(|spec| spec.kind == Kind::Analyzer);
                    let analyzers: Vec<&str> = analyzers.map(|spec| spec.name.as_str()).collect();
                    return Err(format!(
                        "{name} solves formulas and analyzes no programs; name an analyzer: {}",
                        analyzers.join(", ")
                    )
                    .into());
                }
                (Ok(Kind::Analyzer), Kind::SmtSolver) => {
                    return Err(format!(
                        "{name} analyzes C programs and solves no formulas; write `assay run \
                         programs --target {name}`, or name a solver, for example --target z3"
                    )
                    .into());
                }
                _ => {}
            }
        }
        self.resolve(names)
    }

    /// Targets ready to run; what is missing and can be installed is installed.
    pub(crate) fn resolve(&self, names: &[TargetName]) -> Result<Vec<Resolved>, Box<dyn Error>> {
        let catalog = self.catalog()?;
        let installer = self.installer();
        let mut note = |words: &str| output::note(&format!("{words}\n"));
        let resolve = |name: &TargetName| {
            let library = name.name.split('/').next().unwrap_or_default();
            match catalog.find(library) {
                Ok(spec) if spec.kind == Kind::AbstractDomains => Err(format!(
                    "{name} is not run on this suite; its abstract domains are tested by `assay run \
                     domains`, see docs/domains.md"
                )
                .into()),
                _ => Ok(catalog.resolve(name, &installer, &mut note)?),
            }
        };
        names.iter().map(resolve).collect()
    }
}
