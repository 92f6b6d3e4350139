//! The flags that say which cases there are. `gen`, `run` and `replay` share them, so that a line
//! printed by one is understood by the others.

use crate::domains::DomainArgs;
use crate::mutants::{self, Askers, MutantArgs};
use crate::programs::ProgramArgs;
use crate::{units, unused};
use assay_campaign::{DOMAINS, Header};
use assay_case::{Incremental, Selection, Shard, Suite};
use assay_forge::SuiteOptions;
use assay_program::Programs;
use clap::Parser;
use std::error::Error;
use std::path::PathBuf;

/// Suites of at most so many cases are run as a whole.
const WHOLE: usize = 10_000;

/// Which cases.
#[derive(clap::Args, Clone)]
pub(crate) struct SuiteArgs {
    /// The suite: strings, regex, bitvectors, arrays, ints, reals, floats, …; or, over --seeds,
    /// approx, fusion, opmut, typemut, recombine; or programs, over --seeds or without; or domains
    #[arg(value_name = "SUITE")]
    name: String,
    /// The pools and operations of a paper (icse20, thesis22) or our own (assay)
    #[arg(long, value_name = "PRESET")]
    preset: Option<String>,
    /// A TOML file whose parts replace those of the preset
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How deep terms nest in term synthesis (1 by default; 2 and 3 make very many cases) and in
    /// mutations
    #[arg(long, value_name = "N", value_parser = units::positive::<u8>)]
    depth: Option<u8>,
    /// How many variables, constants and terms are replaced in one formula of the category chain
    /// (2 by default)
    #[arg(long, value_name = "N", value_parser = units::positive::<u8>)]
    chain: Option<u8>,
    /// Only this category; may be given several times
    #[arg(long = "category", value_name = "CATEGORY")]
    categories: Vec<String>,
    /// So many cases, drawn uniformly from all
    #[arg(long, value_name = "N", conflicts_with = "each", value_parser = units::positive::<u64>)]
    sample: Option<u64>,
    /// At most so many cases of each operation in each category, drawn uniformly
    #[arg(long, value_name = "N", value_parser = units::positive::<u64>)]
    each: Option<u64>,
    /// All of the papers' quick cases, then some of every operation in every category, in turn
    #[arg(long, conflicts_with_all = ["sample", "preset"])]
    tour: bool,
    /// Decides what is drawn, and seeds the targets' own random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    rng: u64,
    /// Part I of N, for machines that share the work (from 1)
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// The first so many cases
    #[arg(long, value_name = "N", value_parser = units::positive::<u64>)]
    limit: Option<u64>,
    /// Ask each case several times, with levels and assumptions, and judge every verdict
    ///
    /// A part of a satisfiable case is satisfiable, and an assertion with its negation is not; after
    /// a pop the earlier verdict must come back.
    #[arg(long)]
    incremental: bool,
    #[command(flatten)]
    mutants: MutantArgs,
    #[command(flatten)]
    pub(crate) domains: DomainArgs,
    #[command(flatten)]
    pub(crate) programs: ProgramArgs,
}

/// A suite's flags on their own.
#[derive(clap::Parser)]
#[command(no_binary_name = true)]
struct Recorded {
    #[command(flatten)]
    suite: SuiteArgs,
}

impl SuiteArgs {
    /// The flags that a campaign was begun with.
    pub(crate) fn recorded(campaign: &Header) -> Result<SuiteArgs, clap::Error> {
        let words = [&campaign.suite].into_iter().chain(&campaign.arguments);
        Ok(Recorded::try_parse_from(words)?.suite)
    }

    /// The suite that a campaign was begun with.
    pub(crate) fn recorded_suite(
        campaign: &Header,
        askers: &Askers,
    ) -> Result<Box<dyn Suite>, Box<dyn Error>> {
        let flags = SuiteArgs::recorded(campaign)?;
        flags.with_configuration(campaign.configuration.clone(), askers)
    }

    /// The suite that they name. If it is over seeds, it asks these solvers about them.
    pub(crate) fn suite(&self, askers: &Askers) -> Result<Box<dyn Suite>, Box<dyn Error>> {
        self.with_configuration(self.configuration()?, askers)
    }

    /// The suite that they name, with this text in place of the configuration file's.
    pub(crate) fn with_configuration(
        &self,
        overlay: Option<String>,
        askers: &Askers,
    ) -> Result<Box<dyn Suite>, Box<dyn Error>> {
        unused::refuse(self)?;
        let suite = self.plain(overlay, askers)?;
        self.check_categories(&*suite)?;
        Ok(if self.incremental { Box::new(Incremental(suite)) } else { suite })
    }

    /// The suite, each case of which asks once.
    fn plain(
        &self,
        overlay: Option<String>,
        askers: &Askers,
    ) -> Result<Box<dyn Suite>, Box<dyn Error>> {
        if self.is_programs() {
            return Ok(self.programs.executed(self.program_suite(askers)?, askers));
        }
        if self.is_over_seeds() {
            let config = self.mutants.config(self.rng, self.depth);
            return Ok(assay_mutate::suite(&self.name, config, Some(askers.consultants()))?);
        }
        if self.is_domains() {
            return Err("the suite domains makes its cases as it goes: use `assay run domains` \
                        or `assay gen domains`"
                .into());
        }
        let built = assay_forge::suites();
        if !built.contains(&self.name.as_str()) {
            let (built, mutated) = (built.join(", "), assay_mutate::SUITES.join(", "));
            let known =
                format!("known suites are {built}, over --seeds {mutated}, programs and domains");
            return Err(format!("unknown suite `{}`; {known}", self.name).into());
        }
        if self.mutants.has_seeds() {
            let mutated = assay_mutate::SUITES.join(", ");
            let name = &self.name;
            return Err(format!("{name} needs no seeds; --seeds is for {mutated}").into());
        }
        let (preset, depth, chain) = (self.preset.clone(), self.depth, self.chain);
        let config = SuiteOptions { preset, overlay, depth, chain };
        let make = if self.tour { assay_forge::tour } else { assay_forge::suite };
        Ok(make(&self.name, &config)?)
    }

    /// Refuses categories that the suite does not have.
    fn check_categories(&self, suite: &dyn Suite) -> Result<(), Box<dyn Error>> {
        let categories = suite.categories();
        for wanted in &self.categories {
            if !categories.iter().any(|category| category.name == *wanted) {
                let mut known: Vec<&str> = Vec::new();
                for category in &categories {
                    if !known.contains(&category.name.as_str()) {
                        known.push(&category.name);
                    }
                }
                let known = known.join(", ");
                return Err(
                    format!("{} has no category `{wanted}`; it has {known}", self.name).into()
                );
            }
        }
        Ok(())
    }

    /// The same suite without any other flag.
    pub(crate) fn usual(&self) -> SuiteArgs {
        let flags = Recorded::try_parse_from([&self.name]);
        flags.expect("a suite needs nothing but its name").suite
    }

    /// The flags about seeds, as words of a command line.
    pub(crate) fn mutant_words(&self) -> Vec<String> {
        self.mutants.arguments()
    }

    /// The flags about abstract domains, as words of a command line.
    pub(crate) fn domain_words(&self) -> Vec<String> {
        self.domains.arguments()
    }

    /// The flags about programs, as words of a command line.
    pub(crate) fn program_words(&self) -> Vec<String> {
        self.programs.arguments()
    }

    /// Whether there are formulas to mutate.
    pub(crate) fn has_seeds(&self) -> bool {
        self.mutants.has_seeds()
    }

    /// Whether it is said how deep terms nest.
    pub(crate) fn has_depth(&self) -> bool {
        self.depth.is_some()
    }

    /// The same; or a tour, where the suite is too large to be run as a whole and nothing says how
    /// much of it is wanted.
    pub(crate) fn within_reason(&self, suite: &dyn Suite) -> SuiteArgs {
        let asked = self.sample.or(self.each).or(self.limit).is_some() || self.preset.is_some();
        // Parts of a suite are parts of the same tour.
        let all = Selection { shard: None, ..self.selection() };
        if asked || self.is_over_seeds() || suite.cases(&all).take(WHOLE + 1).count() <= WHOLE {
            return self.clone();
        }
        SuiteArgs { tour: true, ..self.clone() }
    }

    /// Whether they ask for a tour.
    pub(crate) fn is_tour(&self) -> bool {
        self.tour
    }

    /// Whether they name the suite of laws of abstract domains, which is run in its own way.
    pub(crate) fn is_domains(&self) -> bool {
        self.name == DOMAINS
    }

    /// Whether they name a suite over seeds.
    pub(crate) fn is_over_seeds(&self) -> bool {
        mutants::is_over_seeds(&self.name) || self.is_programs()
    }

    /// Whether they name the suite of programs.
    pub(crate) fn is_programs(&self) -> bool {
        self.name == Programs::NAME
    }

    /// The suite of programs, whose programs are not run as they are made.
    pub(crate) fn program_suite(&self, askers: &Askers) -> Result<Programs, Box<dyn Error>> {
        let config = self.mutants.config(self.rng, self.depth);
        let formulas = Some(config).filter(|config| !config.seeds.is_empty());
        self.programs.suite(formulas, self.rng, askers)
    }

    /// Whether nothing says how much of a large suite is wanted.
    pub(crate) fn is_open_ended(&self) -> bool {
        self.tour || self.is_over_seeds() && self.sample.or(self.each).or(self.limit).is_none()
    }

    /// After how many timeouts of its formulas a seed is given up.
    pub(crate) fn give_up(&self) -> Option<u32> {
        self.mutants.give_up()
    }

    /// Which of its cases.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            categories: self.categories.clone(),
            sample: self.sample,
            each: self.each,
            rng: self.rng,
            shard: self.shard,
            limit: self.limit,
        }
    }

    /// The flags that are about numbered cases, and whether they were given.
    pub(crate) fn about_cases(&self) -> impl Iterator<Item = (bool, &'static str)> {
        let chosen = [
            (!self.categories.is_empty(), "--category"),
            (self.sample.is_some(), "--sample"),
            (self.each.is_some(), "--each"),
            (self.shard.is_some(), "--shard"),
            (self.limit.is_some(), "--limit"),
        ];
        chosen.into_iter().chain(self.about_formulas())
    }

    /// The flags that are about how formulas are made, and whether they were given.
    pub(crate) fn about_formulas(&self) -> [(bool, &'static str); 6] {
        [
            (self.preset.is_some(), "--preset"),
            (self.config.is_some(), "--config"),
            (self.depth.is_some(), "--depth"),
            (self.chain.is_some(), "--chain"),
            (self.tour, "--tour"),
            (self.incremental, "--incremental"),
        ]
    }

    /// The text of the configuration file.
    pub(crate) fn configuration(&self) -> Result<Option<String>, Box<dyn Error>> {
        let Some(path) = &self.config else { return Ok(None) };
        let text = std::fs::read_to_string(path);
        Ok(Some(text.map_err(|error| format!("{}: {error}", path.display()))?))
    }

    /// The flags again, as words of a command line.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut flag = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [format!("--{name}"), value]));
        };
        flag("preset", self.preset.clone());
        flag("config", self.config.as_ref().map(|path| path.display().to_string()));
        flag("depth", self.depth.map(|depth| depth.to_string()));
        flag("chain", self.chain.map(|length| length.to_string()));
        self.categories.iter().for_each(|name| flag("category", Some(name.clone())));
        flag("sample", self.sample.map(|count| count.to_string()));
        for (set, name) in [(self.tour, "--tour"), (self.incremental, "--incremental")] {
            words.extend(set.then(|| name.to_owned()));
        }
        let mut flag = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [format!("--{name}"), value]));
        };
        flag("each", self.each.map(|count| count.to_string()));
        flag("rng", Some(self.rng.to_string()));
        flag("limit", self.limit.map(|count| count.to_string()));
        flag("shard", self.shard.map(|shard| shard.to_string()));
        if self.is_over_seeds() {
            words.extend(self.mutants.arguments());
        }
        if self.is_domains() {
            words.extend(self.domains.arguments());
        }
        if self.is_programs() {
            words.extend(self.programs.arguments());
        }
        words
    }
}
