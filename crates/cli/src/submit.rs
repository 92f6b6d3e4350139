//! `assay submit`: a campaign as a Slurm job array.

use crate::registry::{Examples, SuiteCommand, is_numbered};
use crate::run::WorkArgs;
use crate::{Outcome, output};
use assay_campaign::settings::Family;
use assay_campaign::suites::Askers;
use assay_campaign::units::counted;
use assay_campaign::{Gate, Header, JobArray, list_cases};
use assay_case::Suite;
use clap::{ArgMatches, Args as _, Command, FromArgMatches};
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;

/// The flags of `assay submit`.
pub(crate) struct Args {
    suite: Header,
    work: WorkArgs,
    cluster: ClusterArgs,
}

/// How the work is divided, and where results go.
#[derive(clap::Args)]
struct ClusterArgs {
    /// Submit to Slurm
    #[arg(long, help_heading = "Cluster")]
    slurm: bool,
    /// Number of tasks that share the cases
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Cluster",
          value_parser = clap::value_parser!(u64).range(1..))]
    shards: u64,
    /// Partition of the cluster
    #[arg(long, value_name = "NAME", help_heading = "Cluster")]
    partition: Option<String>,
    /// Another option of sbatch, such as --time=2:00:00; may be given several times
    #[arg(
        long = "sbatch",
        value_name = "OPTION",
        allow_hyphen_values = true,
        help_heading = "Cluster"
    )]
    options: Vec<String>,
    /// Folder for results, on a file system that all nodes share
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print the scripts and submit nothing
    #[arg(long, help_heading = "Cluster")]
    dry_run: bool,
    #[command(flatten)]
    verdict: Gate,
    /// Print a JSON record with the numbers of the jobs
    #[arg(long)]
    json: bool,
}

impl SuiteCommand for Args {
    const NAME: &'static str = "submit";

    fn refusal(family: Family) -> Option<&'static str> {
        (!is_numbered(family)).then_some(
            "domains has no numbered cases to divide: run `assay run domains` on each machine, \
             with another --rng",
        )
    }

    fn examples(family: Family) -> Examples {
        match family {
            Family::OverSeeds => &[(
                "--seeds formulas/ --target z3 --slurm --shards 16 --out campaign",
                "Mutants of your formulas, divided among 16 tasks",
            )],
            _ => &[
                ("--each 500 --slurm --shards 16 --out campaign", "Divided among 16 tasks"),
                ("--each 500 --slurm --out campaign --dry-run", "The scripts, to look at"),
            ],
        }
    }

    fn augment(family: Family, command: Command) -> Command {
        ClusterArgs::augment_args(WorkArgs::augment(family, command)).mut_arg("jobs", |jobs| {
            jobs.help("Number of cases that run at the same time in a task, and of its processors [default: 1]")
        })
    }

    fn read(suite: Header, matches: &ArgMatches) -> Result<Args, clap::Error> {
        let work = WorkArgs::read(suite.settings.family(), matches)?;
        Ok(Args { suite, work, cluster: ClusterArgs::from_arg_matches(matches)? })
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    if !args.cluster.slurm {
        return Err(
            "submit supports only Slurm: add --slurm (elsewhere, start `assay run … --shard I/N` \
                    for each I, and join them with `assay merge`)"
                .into(),
        );
    }
    if args.suite.choice.shard.is_some() {
        return Err("submit divides the cases itself: use --shards N instead of --shard I/N".into());
    }
    args.cluster.verdict.check()?;
    let suite = args.suite.chosen_suite(&Askers::default())?;
    let chosen = args.work.chosen(&args.suite, &*suite);
    let suite = if chosen.is_tour() { chosen.chosen_suite(&Askers::default())? } else { suite };
    let array = array(args, &*suite, &chosen)?;
    if args.cluster.dry_run {
        let (tasks, merge) = (array.tasks(), array.merge());
        output::result(&format!("{tasks}\n{merge}"));
        return Ok(Outcome::Clean);
    }
    if array.whole().exists() || array.shards_folder().exists() {
        return Err(format!(
            "{} already holds a campaign (choose another --out; resume lost tasks with `scontrol \
             requeue`)",
            args.cluster.out.display()
        )
        .into());
    }
    // Tasks find the targets installed: a thousand of them would not do well to install them.
    args.work.resolve(&args.suite)?;
    if let Some(list) = &array.cases {
        std::fs::create_dir_all(&array.out)
            .map_err(|error| format!("{}: {error}", array.out.display()))?;
        let header = args.work.header(&chosen);
        let cases = list_cases(list, &header, suite.cases(&chosen.selection()))?;
        output::note(&format!("{}\n", counted(cases, "case")));
    }
    let jobs = array.submit()?;
    let (shards, whole) = (args.cluster.shards, array.whole());
    if args.cluster.json {
        let record = json!({
            "array": jobs.array, "merge": jobs.merge, "shards": shards,
            "whole": whole.display().to_string(),
        });
        output::result(&format!("{record}\n"));
    } else {
        output::result(&format!(
            "job {}: {shards} shards; then job {} joins them in {}\n",
            jobs.array,
            jobs.merge,
            whole.display()
        ));
    }
    Ok(Outcome::Clean)
}

fn array(args: &Args, suite: &dyn Suite, chosen: &Header) -> Result<JobArray, Box<dyn Error>> {
    let budget = args.work.budget(chosen);
    let here = std::env::current_dir()?;
    let mut merge_arguments = args.cluster.verdict.arguments();
    // A budget ends shards before their end.
    merge_arguments.extend(budget.map(|_| "--partial".to_owned()));
    let partition = args.cluster.partition.iter().map(|name| format!("--partition={name}"));
    let out = here.join(&args.cluster.out);
    Ok(JobArray {
        name: format!("assay-{}", suite.name()),
        program: std::env::current_exe()?,
        arguments: args.work.run_words(chosen),
        merge_arguments,
        // Who begins with the first cases and ends by the clock does not need the last ones.
        cases: (budget.is_none() && !args.work.wants_all()).then(|| out.join("cases.txt")),
        shards: args.cluster.shards,
        jobs: args.work.jobs(1),
        memory: args.work.memory(),
        out,
        folder: here,
        options: partition.chain(args.cluster.options.iter().cloned()).collect(),
    })
}
