//! Which cases there are: a suite with its settings, from flags or from a campaign's record.

use crate::mutants::{self, Askers};
use crate::programs;
use crate::registry::is_numbered;
use assay_campaign::flags::words;
use assay_campaign::settings::{Choice, Draw, Programs, Settings};
use assay_campaign::{Earlier, Header, command_line};
use assay_case::{Incremental, Kind, Selection, Suite};
use assay_forge::SuiteOptions;
use assay_grow::GrowOptions;
use assay_mutate::Files;
use assay_rewrite::{RewriteOptions, Rewrites};
use std::error::Error;
use std::sync::Arc;

/// Suites of at most so many cases are run as a whole.
const WHOLE: usize = 10_000;

/// A suite, and which of its cases.
#[derive(Clone)]
pub(crate) struct SuiteArgs {
    pub(crate) name: String,
    pub(crate) settings: Settings,
    pub(crate) choice: Choice,
    pub(crate) draw: Draw,
    /// The campaign whose cases are run again.
    pub(crate) earlier: Option<Arc<Earlier>>,
}

impl SuiteArgs {
    /// The cases of a campaign.
    pub(crate) fn recorded(campaign: &Header) -> SuiteArgs {
        SuiteArgs {
            name: campaign.suite.clone(),
            settings: campaign.settings.clone(),
            choice: campaign.choice.clone(),
            draw: campaign.draw,
            earlier: None,
        }
    }

    /// The same with what an earlier campaign decides whose cases are run again.
    pub(crate) fn settled(mut self) -> Result<SuiteArgs, Box<dyn Error>> {
        let Some(earlier) = Earlier::of(&self.choice)? else { return Ok(self) };
        let header = &earlier.header;
        let again = self.choice.again.iter().map(|folder| folder.display().to_string());
        let again: String = again.collect();
        if header.suite != self.name {
            let (was, now) = (&header.suite, &self.name);
            return Err(format!("{again} is a campaign of {was}, not of {now}").into());
        }
        if !is_numbered(header.settings.family()) {
            return Err(format!("{} has no numbered cases to run again", header.suite).into());
        }
        let own = [self.settings.words(), words(&self.draw)].concat();
        if let Some(given) = own.first() {
            return Err(format!(
                "--again takes the suite's settings from {again}: leave out {given}"
            )
            .into());
        }
        self.settings = header.settings.clone();
        self.draw = header.draw;
        self.choice.earlier = Some(earlier.source());
        self.earlier = Some(Arc::new(earlier));
        Ok(self)
    }

    /// The suite of a campaign.
    pub(crate) fn recorded_suite(
        campaign: &Header,
        askers: &Askers,
    ) -> Result<Box<dyn Suite>, Box<dyn Error>> {
        let flags = SuiteArgs::recorded(campaign);
        flags.with_configuration(campaign.configuration.clone(), askers)
    }

    /// The campaign over these cases, run in the default way.
    pub(crate) fn header(&self) -> Result<Header, Box<dyn Error>> {
        Ok(Header {
            configuration: self.configuration()?,
            choice: self.choice.clone(),
            draw: self.draw,
            ..Header::new(&self.name, self.settings.clone())
        })
    }

    /// The suite. If it is over seeds, it asks these solvers about them.
    pub(crate) fn suite(&self, askers: &Askers) -> Result<Box<dyn Suite>, Box<dyn Error>> {
        self.with_configuration(self.configuration()?, askers)
    }

    /// The suite, with this text in place of the configuration file's.
    fn with_configuration(
        &self,
        overlay: Option<String>,
        askers: &Askers,
    ) -> Result<Box<dyn Suite>, Box<dyn Error>> {
        let suite = self.plain(overlay, askers)?;
        self.check_categories(&*suite)?;
        let suite = match self.settings.common().is_incremental() {
            true => Box::new(Incremental(suite)),
            false => suite,
        };
        Ok(match &self.earlier {
            Some(earlier) => earlier.suite(suite),
            None => suite,
        })
    }

    /// The suite, each case of which asks once.
    fn plain(
        &self,
        overlay: Option<String>,
        askers: &Askers,
    ) -> Result<Box<dyn Suite>, Box<dyn Error>> {
        match &self.settings {
            Settings::Constructed(settings) => {
                let (preset, depth, chain) =
                    (settings.preset.clone(), settings.depth, settings.chain);
                let config = SuiteOptions { preset, overlay, depth, chain };
                let make = if settings.tour { assay_forge::tour } else { assay_forge::suite };
                Ok(make(&self.name, &config)?)
            }
            Settings::OverSeeds(settings) => {
                let config = mutants::config(settings, self.draw);
                Ok(assay_mutate::suite(&self.name, config, Some(askers.consultants()))?)
            }
            Settings::Files(settings) => Ok(Box::new(Files::new(&settings.all())?)),
            Settings::Programs(settings) => {
                let made = programs::suite(settings, self.draw, askers)?;
                Ok(programs::executed(settings, made, askers))
            }
            Settings::Rewrites(settings) => Ok(Box::new(Rewrites::new(RewriteOptions {
                seeds: settings.seeds.clone(),
                largest: settings.largest_seed,
                depth: settings.depth,
                rng: self.draw.rng,
                ..RewriteOptions::default()
            })?)),
            Settings::Grown(settings) => {
                let options = GrowOptions {
                    depth: settings.depth,
                    size: settings.size,
                    assertions: settings.assertions,
                    steps: settings.steps,
                    rng: self.draw.rng,
                };
                Ok(assay_grow::suite(&self.name, options)?)
            }
            Settings::Domains(_) => {
                Err("the suite domains makes its cases as it goes: use `assay \
                                         run domains` or `assay gen domains`"
                    .into())
            }
        }
    }

    /// Refuses categories that the suite does not have.
    fn check_categories(&self, suite: &dyn Suite) -> Result<(), Box<dyn Error>> {
        let categories = suite.categories();
        for wanted in &self.choice.categories {
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

    /// What the suite makes.
    pub(crate) fn kind(&self) -> Kind {
        self.settings.kind()
    }

    /// The settings of the suite of programs, where it is that one.
    pub(crate) fn programs(&self) -> Option<&Programs> {
        match &self.settings {
            Settings::Programs(settings) => Some(settings),
            _ => None,
        }
    }

    /// The same; or a tour, where the suite is too large to be run as a whole and nothing says how
    /// much of it is wanted.
    pub(crate) fn within_reason(&self, suite: &dyn Suite) -> SuiteArgs {
        let mut tour = self.clone();
        let Settings::Constructed(settings) = &mut tour.settings else { return tour };
        // Parts of a suite are parts of the same tour.
        let all = Selection { shard: None, ..self.selection() };
        let asked = self.choice.is_bounded() || settings.preset.is_some();
        settings.tour |= !asked && suite.cases(&all).take(WHOLE + 1).count() > WHOLE;
        tour
    }

    /// Whether they ask for a tour.
    pub(crate) fn is_tour(&self) -> bool {
        matches!(&self.settings, Settings::Constructed(settings) if settings.tour)
    }

    /// Whether nothing says how much of a large suite is wanted.
    pub(crate) fn is_open_ended(&self) -> bool {
        self.earlier.is_none() && self.settings.common().is_open_ended(self.choice.is_bounded())
    }

    /// After how many timeouts of its formulas a seed is given up.
    pub(crate) fn give_up(&self) -> Option<u32> {
        self.settings.common().seeds().and_then(|seeds| seeds.give_up())
    }

    /// Which of its cases.
    pub(crate) fn selection(&self) -> Selection {
        self.draw.selection(&self.choice)
    }

    /// The text of the configuration file.
    fn configuration(&self) -> Result<Option<String>, Box<dyn Error>> {
        if let Some(earlier) = &self.earlier {
            return Ok(earlier.header.configuration.clone());
        }
        let Some(path) = self.settings.common().configuration() else { return Ok(None) };
        let text = std::fs::read_to_string(path);
        Ok(Some(text.map_err(|error| format!("{}: {error}", path.display()))?))
    }

    /// The suite and its flags as a shell reads them; defaults are left out.
    pub(crate) fn line(&self) -> String {
        let flags = match &self.earlier {
            Some(_) => words(&self.choice),
            None => [self.settings.words(), words(&self.choice), words(&self.draw)].concat(),
        };
        command_line(&[vec![self.name.clone()], flags].concat())
    }
}
