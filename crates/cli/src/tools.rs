//! Targets named on the command line, brought here where they are missing.

use crate::output;
use assay_target::{Catalog, Installer, Resolved, TargetName};
use std::error::Error;
use std::path::PathBuf;

/// The flag that tells of targets beyond the built-in ones.
#[derive(clap::Args, Clone)]
pub(crate) struct CatalogArgs {
    /// More folders with descriptions of targets
    #[arg(long = "targets", value_name = "DIR")]
    folders: Vec<PathBuf>,
}

impl CatalogArgs {
    /// The built-in targets, the user's own, and those of the folders given.
    pub(crate) fn catalog(&self) -> Result<Catalog, Box<dyn Error>> {
        let folders: Vec<PathBuf> =
            Catalog::user_folder().into_iter().chain(self.folders.clone()).collect();
        Ok(Catalog::load(&folders)?)
    }

    /// Targets ready to run; what is missing and can be installed is installed.
    pub(crate) fn resolve(&self, names: &[TargetName]) -> Result<Vec<Resolved>, Box<dyn Error>> {
        let catalog = self.catalog()?;
        let installer = Installer::new(Installer::default_cache());
        let mut note = |words: &str| output::note(&format!("{words}\n"));
        let resolve = |name| Ok(catalog.resolve(name, &installer, &mut note)?);
        names.iter().map(resolve).collect()
    }
}
