//! The suites over seeds, and the solvers that such suites ask.

use crate::suites::SuiteArgs;
use crate::tools::{OUTPUT, TargetArgs};
use assay_campaign::settings::{Draw, OverSeeds, Recombination, Seeds};
use assay_campaign::tool::Tool;
use assay_campaign::{Launch, Source};
use assay_case::{Consult, Kind};
use assay_mutate::{Consultants, MutantOptions};
use assay_target::process::{Launcher, Limits};
use assay_target::{Repeatable, Settings, Solver, TargetName};
use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How mutants are made by a suite over seeds.
pub(crate) fn config(settings: &OverSeeds, draw: Draw) -> MutantOptions {
    MutantOptions {
        rounds: settings.rounds,
        literals: settings.places,
        form: settings.form,
        strategy: settings.strategy,
        filter: settings.filter_seeds,
        pairs: settings.pairs,
        ..recombining(&settings.seeds, &settings.recombination, draw)
    }
}

/// How seeds are recombined.
pub(crate) fn recombining(seeds: &Seeds, how: &Recombination, draw: Draw) -> MutantOptions {
    MutantOptions {
        seeds: seeds.seeds.clone(),
        rng: draw.rng,
        mutants: seeds.mutants,
        largest: seeds.largest_seed,
        assertions: how.assertions,
        height: how.height,
        mode: how.mode,
        depth: how.depth.into(),
        ..MutantOptions::default()
    }
}

/// The solvers that a suite asks about its seeds. A suite is made before they are known, and asks
/// when the first case is made.
#[derive(Clone, Default)]
pub(crate) struct Askers(Arc<OnceLock<(Vec<Tool>, Settings)>>);

impl Askers {
    /// From now on these are asked.
    pub(crate) fn ask(&self, targets: &[Tool], settings: &Settings) {
        // Once is enough: a command has one list of targets.
        let _ = self.0.set((targets.to_vec(), settings.clone()));
    }

    /// From now on the targets of these names are asked.
    pub(crate) fn ask_named(
        &self,
        names: &[TargetName],
        catalog: &TargetArgs,
        draw: Draw,
        wall: Duration,
    ) -> Result<(), Box<dyn Error>> {
        let tools = names.iter().map(|name| catalog.tool(Kind::Formula, name));
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        let limits = Limits { wall, memory: Some(2 << 30), output: OUTPUT };
        let launcher = catalog.launcher()?;
        self.ask(&tools, &Settings { limits, launcher, seed: draw.rng, sessions: true });
        Ok(())
    }

    /// From now on those are asked about seeds who were asked when the cases of an earlier campaign
    /// were made, so that the cases are the same. A suite without seeds asks nobody.
    pub(crate) fn ask_earlier(
        &self,
        suite: &SuiteArgs,
        source: &Source,
        catalog: &TargetArgs,
    ) -> Result<(), Box<dyn Error>> {
        if suite.settings.common().seeds().is_none() {
            return Ok(());
        }
        let tool = |name: &String| -> Result<Tool, Box<dyn Error>> {
            catalog.tool(Kind::Formula, &name.parse()?).map_err(|error| {
                format!("{name} was asked about the seeds of the earlier campaign: {error}").into()
            })
        };
        let tools = source.asked.iter().map(tool).collect::<Result<Vec<_>, _>>()?;
        let (limits, launcher) = (source.limits.of_process(), catalog.launcher()?);
        self.ask(&tools, &Settings { limits, launcher, seed: suite.draw.rng, sessions: true });
        Ok(())
    }

    /// How those who are asked are started; in the sandbox if nobody is.
    pub(crate) fn launch(&self) -> Box<Launch> {
        let askers = Arc::clone(&self.0);
        Box::new(move || match askers.get() {
            Some((_, settings)) => Ok(settings.launcher.clone()),
            None => Launcher::this_program(),
        })
    }

    pub(crate) fn consultants(&self) -> Box<Consultants> {
        let askers = Arc::clone(&self.0);
        Box::new(move || {
            let Some((targets, settings)) = askers.get() else { return Vec::new() };
            let solvers = targets.iter().filter_map(|tool| match tool {
                Tool::Solver(solver) => Some(Solver::new(Arc::clone(solver), settings.clone())),
                Tool::Analyzer(_) | Tool::Domain(_) => None,
            });
            solvers
                .map(|solver| -> Box<dyn Consult + Send> { Box::new(Repeatable(solver)) })
                .collect()
        })
    }
}
