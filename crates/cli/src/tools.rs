//! Flags that commands with targets share: which there are, and within which limits they run.
//! Targets named on the command line are brought here where they are missing.

use crate::output;
use assay_campaign::settings::{CatalogFlags, TargetFlags};
use assay_campaign::tool::{Tool, Toolbox};
use assay_case::Kind as Subjects;
use assay_target::process::{HarnessError, Launcher};
use assay_target::spec::Kind;
use assay_target::{Catalog, Installer, Resolved, TargetName};
use std::error::Error;
use std::path::PathBuf;

pub(crate) use assay_campaign::settings::{CaseLimits as LimitArgs, OUTPUT};

/// The flag that names more descriptions of targets.
#[derive(clap::Args, Clone)]
pub(crate) struct CatalogArgs {
    #[command(flatten)]
    flags: CatalogFlags,
}

impl CatalogArgs {
    /// The built-in targets, the user's own, and those of the folders given.
    pub(crate) fn catalog(&self) -> Result<Catalog, Box<dyn Error>> {
        catalog(&self.flags)
    }
}

/// The built-in targets, the user's own, and those of the folders given.
fn catalog(flags: &CatalogFlags) -> Result<Catalog, Box<dyn Error>> {
    let folders: Vec<PathBuf> =
        Catalog::user_folder().into_iter().chain(flags.folders.clone()).collect();
    Ok(Catalog::load(&folders)?.with_installed(&Installer::for_user()))
}

/// The flags of every command that starts targets.
#[derive(clap::Args, Clone)]
pub(crate) struct TargetArgs {
    #[command(flatten)]
    flags: TargetFlags,
}

impl TargetArgs {
    /// The built-in targets, the user's own, and those of the folders given.
    pub(crate) fn catalog(&self) -> Result<Catalog, Box<dyn Error>> {
        catalog(&self.flags.catalog)
    }

    /// What starts keepers of tools under test.
    pub(crate) fn launcher(&self) -> Result<Launcher, HarnessError> {
        Ok(Launcher::this_program()?.sandboxed(self.flags.sandbox))
    }

    /// What brings targets here.
    pub(crate) fn installer(&self) -> Installer {
        Installer::for_user().sandbox(self.flags.sandbox)
    }

    /// The flags as a campaign records them, for commands that are run in any folder.
    pub(crate) fn recorded(&self) -> TargetFlags {
        self.flags.absolute()
    }

    /// The tool of this name, which takes subjects of this kind; installed where it is missing.
    pub(crate) fn tool(&self, kind: Subjects, name: &TargetName) -> Result<Tool, Box<dyn Error>> {
        self.with_toolbox(|toolbox, note| Ok(toolbox.find(kind, name, note)?))
    }

    /// Looks for tools; notes about installations are printed.
    pub(crate) fn with_toolbox<T>(
        &self,
        find: impl FnOnce(Toolbox<'_>, &mut dyn FnMut(&str)) -> Result<T, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        let (catalog, installer) = (self.catalog()?, self.installer());
        let mut note = |words: &str| output::note(&format!("{words}\n"));
        find(Toolbox { catalog: &catalog, installer: &installer }, &mut note)
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
