//! Flags that commands with targets share: the known targets, and the limits within which they run.
//! Targets that the command line names are installed if they are missing.

use crate::output;
use assay_campaign::Header;
use assay_campaign::settings::{CatalogFlags, TargetFlags};
use assay_campaign::suites::Askers;
use assay_campaign::tool::{Tool, Toolbox};
use assay_case::Kind;
use assay_target::process::{HarnessError, Launcher};
use assay_target::{Catalog, Installer, Settings, TargetName};
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

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

    /// The launcher of keepers for tools under test.
    pub(crate) fn launcher(&self) -> Result<Launcher, HarnessError> {
        Ok(Launcher::this_program()?.sandboxed(self.flags.sandbox))
    }

    /// The installer of targets.
    pub(crate) fn installer(&self) -> Installer {
        Installer::for_user().sandbox(self.flags.sandbox)
    }

    /// The flags as a campaign records them, for commands that are run in any folder.
    pub(crate) fn recorded(&self) -> TargetFlags {
        self.flags.absolute()
    }

    /// The tool of this name, which takes subjects of this kind; installed if it is missing.
    pub(crate) fn tool(&self, kind: Kind, name: &TargetName) -> Result<Tool, Box<dyn Error>> {
        self.with_toolbox(|toolbox, note| Ok(toolbox.find(kind, name, note)?))
    }

    /// Lets the suite of a campaign ask the tools of these names, which only serve the suite.
    pub(crate) fn ask(
        &self,
        askers: &Askers,
        campaign: &Header,
        names: &[TargetName],
        wall: Duration,
    ) -> Result<(), Box<dyn Error>> {
        let tools = names.iter().map(|name| self.tool(Kind::Formula, name));
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        askers.ask_only(campaign, &tools, self.launcher()?, wall);
        Ok(())
    }

    /// For a campaign that runs cases of an earlier one again: asks the solvers of the earlier
    /// campaign about seeds, so that the cases are the same.
    pub(crate) fn ask_as_before(
        &self,
        askers: &Askers,
        campaign: &Header,
    ) -> Result<(), Box<dyn Error>> {
        let Some(source) = &campaign.choice.earlier else { return Ok(()) };
        if campaign.settings.common().seeds().is_none() {
            return Ok(());
        }
        let tool = |name: &String| -> Result<Tool, Box<dyn Error>> {
            self.tool(Kind::Formula, &name.parse()?).map_err(|error| {
                format!("{name} was asked about the seeds of the earlier campaign: {error}").into()
            })
        };
        let tools = source.asked.iter().map(tool).collect::<Result<Vec<_>, _>>()?;
        let (limits, launcher) = (source.limits.of_process(), self.launcher()?);
        askers.ask(campaign, &tools, &Settings { limits, launcher, seed: 0, sessions: true });
        Ok(())
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
}
