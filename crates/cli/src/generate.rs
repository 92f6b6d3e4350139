//! `assay gen`: writes test cases with their truth, or counts them.

use crate::registry::{Examples, SuiteCommand, help};
use crate::tools::TargetArgs;
use crate::{Outcome, check, output};
use assay_campaign::export::{Exported, Exporting, counts, export};
use assay_campaign::settings::{Domains, Family, Settings};
use assay_campaign::suites::{Askers, PATIENCE};
use assay_campaign::units::{counted, in_words};
use assay_campaign::{DomainPrograms, Header};
use assay_case::Kind;
use assay_smtlib::{Dialect, STANDARD};
use assay_target::TargetName;
use clap::{ArgMatches, Args as _, FromArgMatches};
use std::error::Error;
use std::path::PathBuf;
use std::slice;
use std::time::Instant;

/// The flags of `assay gen`.
pub(crate) struct Args {
    suite: Header,
    files: FileArgs,
    /// The language of formulas.
    dialect: Option<DialectArgs>,
    /// The solvers that are asked about seeds.
    asked: Option<AskArgs>,
    catalog: TargetArgs,
}

/// The output of the command.
#[derive(clap::Args)]
struct FileArgs {
    /// Folder for the files and index.jsonl
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the number of cases in each category, and write nothing
    #[arg(long, conflicts_with = "out")]
    count: bool,
    /// With --count, print a line for each operation of each category
    #[arg(long, requires = "count")]
    by_operation: bool,
}

/// How formulas are written.
#[derive(clap::Args)]
struct DialectArgs {
    /// Write in this dialect
    #[arg(long, value_name = "D", default_value = STANDARD.name, value_parser = check::dialect)]
    dialect: Dialect,
}

/// The solvers that are asked about seeds.
#[derive(clap::Args)]
struct AskArgs {
    /// Ask this target for the status of seeds, as `run` asks its targets; may be given several
    /// times
    #[arg(long, value_name = "TARGET", requires = "seeds", help_heading = "Seeds")]
    ask: Vec<TargetName>,
}

impl SuiteCommand for Args {
    const NAME: &'static str = "gen";

    fn refusal(family: Family) -> Option<&'static str> {
        (family == Family::Hunt)
            .then_some("hunt mixes all suites: write the cases of each with `assay gen SUITE`")
    }

    fn examples(family: Family) -> Examples {
        help(family).generate
    }

    fn augment(family: Family, mut command: clap::Command) -> clap::Command {
        command = FileArgs::augment_args(command);
        if family.kind() == Kind::Formula {
            command = DialectArgs::augment_args(command);
        }
        if family == Family::OverSeeds {
            command = AskArgs::augment_args(command);
        }
        TargetArgs::augment_args(command)
    }

    fn read(suite: Header, matches: &ArgMatches) -> Result<Args, clap::Error> {
        let formulas = suite.kind() == Kind::Formula;
        let over_seeds = suite.settings.family() == Family::OverSeeds;
        Ok(Args {
            suite,
            files: FileArgs::from_arg_matches(matches)?,
            dialect: formulas.then(|| DialectArgs::from_arg_matches(matches)).transpose()?,
            asked: over_seeds.then(|| AskArgs::from_arg_matches(matches)).transpose()?,
            catalog: TargetArgs::from_arg_matches(matches)?,
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let (campaign, FileArgs { out, count, by_operation }) = (&args.suite, &args.files);
    if let Settings::Domains(settings) = &campaign.settings {
        return domains(campaign, settings, &args.files);
    }
    if campaign.settings.common().is_endless() && !campaign.choice.is_bounded() {
        return Err(format!(
            "{} makes {}s without end; limit their number with --limit or --each",
            campaign.suite,
            campaign.kind()
        )
        .into());
    }
    let askers = Askers::default();
    let suite = campaign.chosen_suite(&askers)?;
    if *count {
        print_counts(&counts(&*suite, &campaign.selection(), *by_operation));
        return Ok(Outcome::Clean);
    }
    let asked: &[TargetName] = args.asked.as_ref().map_or(&[], |args| &args.ask);
    let programs = campaign.programs();
    let solvers = programs.map_or(asked, |settings| slice::from_ref(&settings.solver));
    if solvers.is_empty() {
        args.catalog.ask_as_before(&askers, campaign)?;
    } else {
        args.catalog.ask(&askers, campaign, solvers, PATIENCE)?;
    }
    let dialect = args.dialect.as_ref().map_or(STANDARD, |args| args.dialect);
    let begun = Instant::now();
    let done = export(campaign, &*suite, dialect, out.as_deref(), &mut |event| match event {
        Exporting::Text(text) => output::document(text),
        Exporting::Fault(id, fault) => {
            let file = |(name, bytes): &(&str, Vec<u8>)| {
                format!("{name}:\n{}", String::from_utf8_lossy(bytes))
            };
            let files = fault.files.iter().map(file).collect::<String>();
            output::note(&format!("error: case {id}: {fault}\n{files}"));
        }
    })?;
    let asked = asked.iter().map(|name| format!(" --ask {name}"));
    let line = campaign.case_line() + &asked.collect::<String>();
    let written = done.written;
    if programs.is_some() {
        let took = in_words(begun.elapsed());
        output::note(&format!(
            "{} in {took}, made by: assay gen {line}\n",
            counted(written, "program")
        ));
        return Ok(left_out(done, "formula"));
    }
    if let Some(path) = out {
        let path = path.display();
        let cases = counted(written, "case");
        output::note(&format!("{cases} in {path}, made by: assay gen {line}\n"));
    }
    Ok(left_out(done, "case"))
}

/// Prints which cases were left out, and returns how the command ends.
fn left_out(done: Exported, what: &str) -> Outcome {
    for (reason, count) in done.left_out {
        output::note(&format!("warning: {} left out: {reason}\n", counted(count, what)));
    }
    if done.faults == 0 {
        return Outcome::Clean;
    }
    output::note(&format!(
        "error: {} could not be made, which is a bug in assay: please report it\n",
        counted(done.faults, what)
    ));
    Outcome::Failed
}

/// Prints the number of cases in each part of a suite.
fn print_counts(counts: &[(String, u64)]) {
    for (name, count) in counts {
        output::result(&format!("{name} {count}\n"));
    }
}

/// Writes, prints or counts programs that try laws of abstract domains.
fn domains(
    campaign: &Header,
    settings: &Domains,
    files: &FileArgs,
) -> Result<Outcome, Box<dyn Error>> {
    let programs = DomainPrograms::new(settings, campaign.selection())?;
    match &files.out {
        _ if files.count => {
            print_counts(&programs.counts(files.by_operation));
            if !campaign.choice.is_bounded() {
                output::note(
                    "note: programs are made without end: this is one for each law that applies; \
                     --limit, --each and --sample ask for more\n",
                );
            }
        }
        None => programs.texts().for_each(|text| output::result(&format!("{text}\n"))),
        Some(path) => {
            let written = counted(programs.write(path)?, "program");
            let (line, path) = (campaign.case_line(), path.display());
            output::note(&format!("{written} in {path}, made by: assay gen {line}\n"));
        }
    }
    Ok(Outcome::Clean)
}
