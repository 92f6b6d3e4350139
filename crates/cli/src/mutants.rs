//! The suites over seeds, and the solvers that such suites ask.

use assay_campaign::settings::{Draw, OverSeeds, Recombination, Seeds};
use assay_case::Consult;
use assay_mutate::{Config, Consultants};
use assay_target::{Repeatable, Resolved, Settings, Solver};
use std::sync::{Arc, OnceLock};

/// How mutants are made by a suite over seeds.
pub(crate) fn config(settings: &OverSeeds, draw: Draw) -> Config {
    Config {
        rounds: settings.rounds,
        literals: settings.places,
        form: settings.form,
        pairs: settings.pairs,
        ..recombining(&settings.seeds, &settings.recombination, draw)
    }
}

/// How seeds are recombined.
pub(crate) fn recombining(seeds: &Seeds, how: &Recombination, draw: Draw) -> Config {
    Config {
        seeds: seeds.seeds.clone(),
        rng: draw.rng,
        mutants: seeds.mutants,
        largest: seeds.largest_seed,
        assertions: how.assertions,
        height: how.height,
        depth: how.depth.into(),
        ..Config::default()
    }
}

/// The solvers that a suite asks about its seeds. A suite is made before they are known, and asks
/// when the first case is made.
#[derive(Clone, Default)]
pub(crate) struct Askers(Arc<OnceLock<(Vec<Arc<Resolved>>, Settings)>>);

impl Askers {
    /// From now on these are asked.
    pub(crate) fn ask(&self, targets: &[Arc<Resolved>], settings: &Settings) {
        // Once is enough: a command has one list of targets.
        let _ = self.0.set((targets.to_vec(), settings.clone()));
    }

    pub(crate) fn consultants(&self) -> Box<Consultants> {
        let askers = Arc::clone(&self.0);
        Box::new(move || {
            let Some((targets, settings)) = askers.get() else { return Vec::new() };
            let solver = |target: &Arc<Resolved>| -> Box<dyn Consult + Send> {
                Box::new(Repeatable(Solver::new(Arc::clone(target), settings.clone())))
            };
            targets.iter().map(solver).collect()
        })
    }
}
