//! The suite of a campaign, made from its settings, and the solvers that a suite asks about its seeds.

use crate::executed::{Executing, Launch};
use crate::file::FileError;
use crate::flags::{defaults, words};
use crate::header::{Header, command_line};
use crate::kind::profile;
use crate::rerun::{Earlier, EarlierError};
use crate::settings::{
    Choice, Draw, Enumerated, Expectation, Grown, Horn, Hunt, OUTPUT, OverSeeds, Programs, Proofs,
    Recombination, Seeds, Settings,
};
use crate::tool::Tool;
use assay_case::{Consult, Incremental, Prefixed, Proving, Selection, Several, Suite};
use assay_forge::{ForgeError, SuiteOptions};
use assay_grow::{Enumerate, EnumerateOptions, Extent, GrowError, GrowOptions};
use assay_horn::{HornOptions, WordsError};
use assay_mutate::{Consultants, Files, Mode, MutantOptions, MutateError};
use assay_program::{ProgramOptions, SmallModels};
use assay_rewrite::{RewriteError, RewriteOptions, Rewrites};
use assay_synthesis::{SynthesisOptions, Tasks};
use assay_target::process::{Launcher, Limits};
use assay_target::{Repeatable, Solver};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Suites with at most this many cases are run as a whole.
const WHOLE: usize = 10_000;

/// The suites of formulas that programs are made from if there are no seeds.
const CONSTRUCTED: [&str; 3] = ["bitvectors", "ints", "arrays"];

/// The time for one question about a seed: long enough that the solver's own limit of steps ends it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Why there is no suite.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The configuration file cannot be read.
    #[error(transparent)]
    Configuration(#[from] FileError),
    /// Formulas by construction.
    #[error(transparent)]
    Constructed(#[from] ForgeError),
    /// Formulas from seeds, or files.
    #[error(transparent)]
    OverSeeds(#[from] MutateError),
    /// Terms to be rewritten.
    #[error(transparent)]
    Rewrites(#[from] RewriteError),
    /// Random formulas.
    #[error(transparent)]
    Grown(#[from] GrowError),
    /// Horn clauses.
    #[error(transparent)]
    Horn(#[from] WordsError),
    /// The earlier campaign cannot be run again.
    #[error(transparent)]
    Earlier(#[from] EarlierError),
    /// The earlier campaign is over another suite.
    #[error("{} is a campaign of {was}, not of {now}", folder.display())]
    OtherSuite {
        /// Its folder.
        folder: PathBuf,
        /// Its suite.
        was: String,
        /// The suite that is to be run.
        now: String,
    },
    /// A search made the cases of the earlier campaign.
    #[error("{0} has no numbered cases to run again")]
    Unnumbered(String),
    /// The settings come from the earlier campaign.
    #[error("--again takes the suite's settings from {}: leave out {flag}", folder.display())]
    Given {
        /// Its folder.
        folder: PathBuf,
        /// A flag that was given too.
        flag: String,
    },
    /// A flag needs mazes.
    #[error("{0} is about mazes; add --shape maze")]
    NoMazes(&'static str),
    /// The suite does not have the category; these are its categories.
    #[error("{0} has no category `{1}`; it has {2}")]
    NoCategory(String, String, String),
    /// A search generates the cases.
    #[error(
        "the suite domains makes its cases as it goes: use `assay run domains` or `assay gen domains`"
    )]
    Searched,
}

impl Header {
    /// The campaign over these cases, run in the default way.
    ///
    /// # Errors
    /// If the configuration file or the earlier campaign cannot be read.
    pub fn of_cases(
        suite: &str,
        settings: Settings,
        choice: Choice,
        draw: Draw,
    ) -> Result<Header, SuiteError> {
        if let Some(earlier) = Earlier::of(&choice)? {
            let given = [settings.words(), words(&draw)].concat();
            return Header::of_earlier(suite, choice, earlier, given);
        }
        let read = |path| std::fs::read_to_string(path).map_err(|e| FileError::new(path, e));
        let configuration = settings.common().configuration().map(read).transpose()?;
        Ok(Header { configuration, choice, draw, ..Header::new(suite, settings) })
    }

    /// The campaign over cases of an earlier one, with the settings of that one's suite.
    fn of_earlier(
        suite: &str,
        mut choice: Choice,
        earlier: Earlier,
        given: Vec<String>,
    ) -> Result<Header, SuiteError> {
        let folder = choice.again.clone().unwrap_or_default();
        choice.earlier = Some(earlier.source());
        let Header { suite: was, settings, draw, configuration, .. } = earlier.header;
        if was != suite {
            return Err(SuiteError::OtherSuite { folder, was, now: suite.to_owned() });
        }
        if !profile(settings.kind()).numbered {
            return Err(SuiteError::Unnumbered(was));
        }
        if let Some(flag) = given.into_iter().next() {
            return Err(SuiteError::Given { folder, flag });
        }
        Ok(Header { configuration, choice, draw, ..Header::new(suite, settings) })
    }

    /// The suite, with only the cases of the earlier campaign that are run again, if there is one.
    ///
    /// # Errors
    /// If the settings do not fit the suite, or files cannot be read.
    pub fn chosen_suite(&self, askers: &Askers) -> Result<Box<dyn Suite>, SuiteError> {
        let suite = self.suite(askers)?;
        Ok(match Earlier::of(&self.choice)? {
            Some(earlier) => earlier.suite(suite),
            None => suite,
        })
    }

    /// The suite. If it is over seeds, it asks these solvers about them.
    ///
    /// # Errors
    /// If the settings do not fit the suite, or its files cannot be read.
    pub fn suite(&self, askers: &Askers) -> Result<Box<dyn Suite>, SuiteError> {
        let suite = self.plain(askers)?;
        self.check_categories(&*suite)?;
        let suite: Box<dyn Suite> = match self.settings.common().is_incremental() {
            true => Box::new(Incremental(suite)),
            false => suite,
        };
        Ok(if self.choice.prove { Box::new(Proving::new(suite)) } else { suite })
    }

    /// The suite, each case of which asks once.
    fn plain(&self, askers: &Askers) -> Result<Box<dyn Suite>, SuiteError> {
        Ok(match &self.settings {
            Settings::Constructed(settings) => {
                let (preset, overlay) = (settings.preset.clone(), self.configuration.clone());
                let (depth, chain) = (settings.depth, settings.chain);
                let options = SuiteOptions { preset, overlay, depth, chain };
                let make = if settings.tour { assay_forge::tour } else { assay_forge::suite };
                make(&self.suite, &options)?
            }
            Settings::OverSeeds(settings) => {
                let prove = self.choice.prove;
                let options = MutantOptions { prove, ..mutants(settings, self.draw) };
                assay_mutate::suite(&self.suite, options, Some(askers.consultants()))?
            }
            Settings::Files(settings) => Box::new(Files::new(&settings.all())?),
            Settings::Programs(settings) => {
                let made = Box::new(programs(settings, self.draw, askers)?);
                match settings.executions {
                    0 => made,
                    runs => Box::new(Executing::new(made, askers.launch(), runs)),
                }
            }
            Settings::Rewrites(settings) => Box::new(Rewrites::new(RewriteOptions {
                seeds: settings.seeds.clone(),
                largest: settings.largest_seed,
                depth: settings.depth,
                rng: self.draw.rng,
                ..RewriteOptions::default()
            })?),
            Settings::Grown(settings) => {
                let Grown { depth, size, assertions, steps, .. } = *settings;
                let options = GrowOptions { depth, size, assertions, steps, rng: self.draw.rng };
                assay_grow::suite(&self.suite, options)?
            }
            Settings::Horn(settings) => {
                let Horn { predicates, variables, transitions } = *settings;
                let rng = self.draw.rng;
                let options = HornOptions { predicates, variables, transitions, rng };
                Box::new(assay_horn::Horn::new(options)?)
            }
            Settings::Synthesis(_) => {
                let options = SynthesisOptions { rng: self.draw.rng };
                let tasks = Tasks::new(&self.suite, options)?;
                Box::new(tasks.expect("every suite of the family has a name of its own"))
            }
            Settings::Proofs(settings) => Box::new(refuted(settings)?),
            Settings::Enumerated(settings) => Box::new(self.enumerated(settings)?),
            Settings::Hunt(settings) => {
                Box::new(hunt_suite(settings, self.draw, self.choice.prove, askers)?)
            }
            Settings::Domains(_) => return Err(SuiteError::Searched),
        })
    }

    /// The suite of all formulas up to a size.
    fn enumerated(&self, settings: &Enumerated) -> Result<Enumerate, GrowError> {
        Enumerate::new(&EnumerateOptions {
            theories: settings.theories.clone(),
            size: settings.size.map(usize::from),
            operators: settings.operators.clone(),
            pools: self.configuration.clone(),
        })
    }

    /// How many cases the whole suite has, and over what, if it has all of a kind.
    ///
    /// # Errors
    /// If the settings do not fit the suite.
    pub fn extent(&self) -> Result<Option<Extent>, SuiteError> {
        Ok(match &self.settings {
            Settings::Enumerated(settings) => self.enumerated(settings)?.extent(),
            _ => None,
        })
    }

    /// Refuses categories that the suite does not have.
    fn check_categories(&self, suite: &dyn Suite) -> Result<(), SuiteError> {
        let mut known: Vec<String> = Vec::new();
        for category in suite.categories() {
            if !known.contains(&category.name) {
                known.push(category.name);
            }
        }
        match self.choice.categories.iter().find(|wanted| !known.contains(wanted)) {
            None => Ok(()),
            Some(wanted) => {
                let (suite, known) = (self.suite.clone(), known.join(", "));
                Err(SuiteError::NoCategory(suite, wanted.clone(), known))
            }
        }
    }

    /// The suite that made the campaign's programs, which are not run as they are made; `None` for
    /// other suites.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub fn programs_suite(
        &self,
        askers: &Askers,
    ) -> Result<Option<assay_program::Programs>, SuiteError> {
        let settings = self.programs();
        settings.map(|settings| programs(settings, self.draw, askers)).transpose()
    }

    /// The settings of a suite of programs.
    #[must_use]
    pub fn programs(&self) -> Option<&Programs> {
        match &self.settings {
            Settings::Programs(settings) => Some(settings),
            _ => None,
        }
    }

    /// The same campaign; or a tour, if the suite is too large to be run as a whole and no flag
    /// limits it.
    #[must_use]
    pub fn within_reason(&self, suite: &dyn Suite) -> Header {
        let mut tour = self.clone();
        let Settings::Constructed(settings) = &mut tour.settings else { return tour };
        // Parts of a suite are parts of the same tour.
        let all = Selection { shard: None, ..self.selection() };
        let asked = self.choice.is_bounded() || settings.preset.is_some();
        settings.tour |= !asked && suite.cases(&all).take(WHOLE + 1).count() > WHOLE;
        tour
    }

    /// Whether it is a tour of its suite.
    #[must_use]
    pub fn is_tour(&self) -> bool {
        matches!(&self.settings, Settings::Constructed(settings) if settings.tour)
    }

    /// Whether no flag limits a large suite.
    #[must_use]
    pub fn is_open_ended(&self) -> bool {
        self.choice.again.is_none()
            && self.settings.common().is_open_ended(self.choice.is_bounded())
    }

    /// The number of timeouts of its formulas after which a seed is given up.
    #[must_use]
    pub fn give_up(&self) -> Option<u32> {
        self.settings.common().seeds().and_then(Seeds::give_up)
    }

    /// The suite and the flags that decide its cases, as a shell reads them; defaults are left out.
    #[must_use]
    pub fn case_line(&self) -> String {
        let flags = match self.choice.again {
            Some(_) => words(&self.choice),
            None => self.case_words(),
        };
        command_line(&[vec![self.suite.clone()], flags].concat())
    }
}

/// Every suite over formulas: tours of those by construction, random formulas, and mutants if there are
/// seeds.
fn hunt_suite(
    settings: &Hunt,
    draw: Draw,
    prove: bool,
    askers: &Askers,
) -> Result<Several, SuiteError> {
    let mut suites: Vec<Box<dyn Suite>> = Vec::new();
    let options = SuiteOptions::default();
    for name in assay_forge::suites() {
        suites.push(assay_forge::tour(name, &options)?);
    }
    for name in assay_grow::SUITES {
        let options = GrowOptions { rng: draw.rng, ..GrowOptions::default() };
        suites.push(assay_grow::suite(name, options)?);
    }
    let options = HornOptions { rng: draw.rng, ..HornOptions::default() };
    suites.push(Box::new(assay_horn::Horn::new(options)?));
    suites.push(Box::new(Enumerate::new(&EnumerateOptions::default())?));
    if !settings.seeds.seeds.is_empty() {
        let over_seeds = OverSeeds { seeds: settings.seeds.clone(), ..defaults() };
        for name in assay_mutate::SUITES {
            let options = MutantOptions { prove, ..mutants(&over_seeds, draw) };
            suites.push(assay_mutate::suite(name, options, Some(askers.consultants()))?);
        }
    }
    Ok(Several::new(suites.into_iter().map(|suite| Box::new(Prefixed(suite)) as Box<_>).collect()))
}

/// Formulas that are unsatisfiable by construction, and the user's, each with a question for a proof.
fn refuted(settings: &Proofs) -> Result<Proving, SuiteError> {
    let mut suites: Vec<Box<dyn Suite>> = Vec::new();
    if !settings.only_seeds {
        for name in assay_forge::suites() {
            suites.push(assay_forge::tour(name, &SuiteOptions::default())?);
        }
    }
    if !settings.seeds.is_empty() {
        suites.push(Box::new(Files::new(&settings.seeds)?));
    }
    let prefixed = suites.into_iter().map(|suite| Box::new(Prefixed(suite)) as Box<_>);
    Ok(Proving::refutations(Box::new(Several::new(prefixed.collect()))))
}

/// How mutants are made by a suite over seeds.
fn mutants(settings: &OverSeeds, draw: Draw) -> MutantOptions {
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
fn recombining(seeds: &Seeds, how: &Recombination, draw: Draw) -> MutantOptions {
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

/// The suite of programs, which are not run as they are made.
fn programs(
    settings: &Programs,
    draw: Draw,
    askers: &Askers,
) -> Result<assay_program::Programs, SuiteError> {
    refuse_mazes(settings)?;
    let small = || -> Box<Consultants> {
        let plain = askers.consultants();
        Box::new(move || {
            plain().into_iter().map(|solver| Box::new(SmallModels(solver)) as Box<_>).collect()
        })
    };
    let formulas: Box<dyn Suite> = if settings.seeds.seeds.is_empty() {
        let options = SuiteOptions::default();
        let suites: Result<Vec<_>, _> =
            CONSTRUCTED.iter().map(|name| assay_forge::tour(name, &options)).collect();
        Box::new(Several::new(suites?))
    } else {
        let mut options = recombining(&settings.seeds, &settings.recombination, draw);
        // Mutants with the other truth would only be thrown away.
        options.mode = options.mode.or(settings.expect.map(|expect| match expect {
            Expectation::Reached => Mode::Satisfiable,
            Expectation::Safe => Mode::Unsatisfiable,
        }));
        assay_mutate::suite(assay_mutate::RECOMBINE, options, Some(small()))?
    };
    let options = ProgramOptions {
        shapes: settings.shapes.clone(),
        algorithm: settings.algorithm,
        size: settings.maze.map(|size| (size.width, size.height)),
        cycles: settings.cycles,
        chain: settings.mazes as usize,
        random_exit: settings.random_exit,
        comparisons: settings.comparisons,
        unguarded: settings.unguarded,
        expected: settings.expect.map(|expect| expect == Expectation::Reached),
        unfold: settings.unfold,
        tables: settings.function_tables,
        scope: settings.scope,
        well_defined: !settings.natural,
        rng: draw.rng,
    };
    Ok(assay_program::Programs::new(formulas, options, Some(small())))
}

/// Refuses flags about mazes if none are made.
fn refuse_mazes(settings: &Programs) -> Result<(), SuiteError> {
    let about_mazes = [
        (settings.maze.is_some(), "--maze"),
        (settings.algorithm.is_some(), "--algorithm"),
        (settings.cycles > 0, "--cycles"),
        (settings.mazes > 1, "--mazes"),
        (settings.random_exit, "--random-exit"),
        (settings.comparisons > 0, "--comparisons"),
        (settings.unguarded, "--unguarded"),
    ];
    let unused = about_mazes.iter().find(|(given, _)| *given && !settings.makes_mazes());
    unused.map_or(Ok(()), |(_, flag)| Err(SuiteError::NoMazes(flag)))
}

/// The solvers that a suite asks about its seeds. A suite is made before they are known, and asks
/// when its first case is made.
#[derive(Clone, Default)]
pub struct Askers(Arc<OnceLock<(Vec<Tool>, assay_target::Settings)>>);

impl Askers {
    /// The suite of a campaign asks these tools. The answers decide its cases, so they depend on what
    /// draws the cases, not on the targets' own seed.
    pub fn ask(&self, campaign: &Header, tools: &[Tool], settings: &assay_target::Settings) {
        let settings = assay_target::Settings { seed: campaign.draw.rng, ..settings.clone() };
        // Once is enough: a command has one list of targets.
        let _ = self.0.set((tools.to_vec(), settings));
    }

    /// The same for tools that only serve the suite, with this much time for each question.
    pub fn ask_only(&self, campaign: &Header, tools: &[Tool], launcher: Launcher, wall: Duration) {
        let limits = Limits { wall, memory: Some(2 << 30), output: OUTPUT };
        let settings = assay_target::Settings { limits, launcher, seed: 0, sessions: true };
        self.ask(campaign, tools, &settings);
    }

    /// How programs are started; in the sandbox if no solver is asked.
    fn launch(&self) -> Box<Launch> {
        let askers = Arc::clone(&self.0);
        Box::new(move || match askers.get() {
            Some((_, settings)) => Ok(settings.launcher.clone()),
            None => Launcher::this_program(),
        })
    }

    fn consultants(&self) -> Box<Consultants> {
        let askers = Arc::clone(&self.0);
        Box::new(move || {
            let Some((tools, settings)) = askers.get() else { return Vec::new() };
            let solver = |tool: &Tool| -> Option<Box<dyn Consult + Send>> {
                Some(Box::new(Repeatable(Solver::new(tool.solver()?, settings.clone()))))
            };
            tools.iter().filter_map(solver).collect()
        })
    }
}
