//! `assay explain`: a ground example of a file's contradiction.

use crate::trigger::SolverArgs;
use crate::{Outcome, output};
use assay_trigger::{Diagnosis, Engine, explain};
use std::error::Error;
use std::path::PathBuf;

/// Show a ground example of a contradiction
///
/// Prints instances of the file's quantified assertions and facts of the file that contradict each
/// other, step by step: which term triggers which quantifier. The example has no quantifiers, and
/// the solver answered unsat to it.
///
/// Exit code: 1 if there is a contradiction, 0 if none was found, 2 if the file cannot be used.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// An SMT-LIB file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    solver: SolverArgs,
    /// Print the example as a script that a solver can check
    #[arg(long, conflicts_with = "json")]
    script: bool,
    /// Print one JSON record
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome, Box<dyn Error>> {
    let problem = args.solver.problem(&args.file)?;
    let provers = args.solver.resolve(None)?;
    let mut engine = args.solver.start(&provers)?;
    let explanation = explain(problem, &mut engine, &args.solver.settings());
    let seconds = engine.elapsed().as_secs_f64();
    output::result(&match &explanation.example {
        _ if args.json => {
            format!("{}\n", assay_report::explained_record(&args.file, &explanation, seconds))
        }
        Some(example) if args.script => example.script.clone(),
        _ => assay_report::explained(&args.file, &explanation),
    });
    Ok(match (&explanation.example, &explanation.report.diagnosis) {
        (Some(_), _) | (None, Diagnosis::Refuted(_) | Diagnosis::AlreadyRefuted) => {
            Outcome::Findings
        }
        (None, _) => Outcome::Clean,
    })
}
