//! The flags of suites over seeds, and the solvers that such suites ask.

use crate::units;
use assay_campaign::Launch;
use assay_campaign::tool::Tool;
use assay_case::Consult;
use assay_mutate::{Consultants, Form, MutantOptions, SUITES};
use assay_target::process::Launcher;
use assay_target::{Repeatable, Settings, Solver};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// How mutants are made.
#[derive(clap::Args, Clone)]
pub(crate) struct MutantArgs {
    /// A folder with formulas to mutate, or a file; may be given several times
    #[arg(long = "seeds", value_name = "DIR", help_heading = "Suites over seeds")]
    seeds: Vec<PathBuf>,
    /// Mutants of each seed
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = units::positive::<u32>,
          help_heading = "Suites over seeds")]
    mutants: u32,
    /// Up to so many times a mutant is mutated again
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::positive::<u32>,
          help_heading = "Suites over seeds")]
    rounds: u32,
    /// Up to so many places are changed at a time
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = units::positive::<usize>,
          help_heading = "Suites over seeds")]
    places: usize,
    /// The form that is mutated: tseitin, plaisted-greenbaum or kept [default: each in turn]
    #[arg(long, value_name = "FORM", value_parser = form, help_heading = "Suites over seeds")]
    form: Option<Form>,
    /// Up to so many pairs of variables are fused
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = units::positive::<usize>,
          help_heading = "Suites over seeds")]
    pairs: usize,
    /// Up to so many assertions are recombined
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = units::positive::<usize>,
          help_heading = "Suites over seeds")]
    assertions: usize,
    /// Up to so deep recombined parts nest
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = units::positive::<u32>,
          help_heading = "Suites over seeds")]
    height: u32,
    /// Larger files are no seeds
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 100_000,
        help_heading = "Suites over seeds"
    )]
    largest_seed: usize,
    /// Run no more formulas from the same seed on a target after so many timeouts; 0: never give up
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Suites over seeds")]
    give_up: u32,
}

fn form(name: &str) -> Result<Form, String> {
    let known = || Form::ALL.map(Form::name).join(", ");
    Form::by_name(name).ok_or_else(|| format!("expected one of {}", known()))
}

/// Whether a suite is one over seeds.
pub(crate) fn is_over_seeds(suite: &str) -> bool {
    SUITES.contains(&suite)
}

impl MutantArgs {
    pub(crate) fn config(&self, rng: u64, depth: Option<u8>) -> MutantOptions {
        let usual = MutantOptions::default();
        MutantOptions {
            seeds: self.seeds.clone(),
            rng,
            mutants: self.mutants,
            rounds: self.rounds,
            literals: self.places,
            depth: depth.map_or(usual.depth, u32::from),
            form: self.form,
            pairs: self.pairs,
            assertions: self.assertions,
            height: self.height,
            largest: self.largest_seed,
        }
    }

    /// Whether there are formulas to mutate.
    pub(crate) fn has_seeds(&self) -> bool {
        !self.seeds.is_empty()
    }

    /// After how many timeouts of its formulas a seed is given up.
    pub(crate) fn give_up(&self) -> Option<u32> {
        Some(self.give_up).filter(|&count| count > 0)
    }

    /// The flags again, as words of a command line.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut flag = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        self.seeds.iter().for_each(|path| flag("seeds", path.display().to_string()));
        flag("mutants", self.mutants.to_string());
        flag("rounds", self.rounds.to_string());
        flag("places", self.places.to_string());
        flag("pairs", self.pairs.to_string());
        flag("assertions", self.assertions.to_string());
        flag("height", self.height.to_string());
        if let Some(form) = self.form {
            flag("form", form.name().to_owned());
        }
        flag("largest-seed", self.largest_seed.to_string());
        flag("give-up", self.give_up.to_string());
        words
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
