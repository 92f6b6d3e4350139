//! `assay explain`: a ground example of a file's contradiction.

use crate::trigger::{MORE_TIME, SolverArgs, problem};
use crate::{Outcome, output};
use assay_trigger::{Diagnosis, Engine, Example, explain};
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;

/// Show a ground example of a contradiction
///
/// Prints instances of the file's quantified assertions, and facts of the file, that no
/// interpretation satisfies together. The example has no quantifiers, and the solver answered unsat
/// to it.
///
/// Exit code: 1 where there is a contradiction, 0 where none was found, 2 where the file cannot be
/// used.
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
    let problem = problem(&args.file)?;
    let provers = args.solver.resolve()?;
    let mut engine = args.solver.start(&provers)?;
    let found = explain(problem, &mut engine, &args.solver.settings());
    let seconds = engine.elapsed().as_secs_f64();
    let file = args.file.display();
    match found {
        Ok(example) => {
            output::result(&if args.json {
                format!("{}\n", record(&args.file, &example, seconds))
            } else if args.script {
                example.script
            } else {
                words(&file.to_string(), &example)
            });
            Ok(Outcome::Findings)
        }
        Err(diagnosis) => {
            let why = match &diagnosis {
                Diagnosis::Sat(evidence) => evidence.why.as_str(),
                Diagnosis::GaveUp(why) | Diagnosis::Timeout(why) => why.as_str(),
                _ => "it has a contradiction, but no example of it was found",
            };
            output::result(&if args.json {
                let record = json!({"file": args.file, "outcome": diagnosis.name(), "detail": why, "seconds": seconds});
                format!("{record}\n")
            } else {
                let more = match diagnosis {
                    Diagnosis::Timeout(_) => format!("; {MORE_TIME}"),
                    _ => String::new(),
                };
                format!("{file}: {}\n  {why}{more}\n", diagnosis.name())
            });
            Ok(Outcome::Clean)
        }
    }
}

fn record(file: &std::path::Path, example: &Example, seconds: f64) -> serde_json::Value {
    let steps: Vec<_> = example
        .formulas
        .iter()
        .map(|ground| {
            let values: Vec<_> =
                ground.values.iter().map(|(var, term)| json!({"variable": var, "term": term})).collect();
            json!({"axiom": ground.axiom, "line": ground.line, "values": values, "formula": ground.formula})
        })
        .collect();
    json!({
        "file": file, "outcome": "contradiction", "axioms": example.axioms(), "steps": steps,
        "seconds": seconds,
    })
}

fn words(file: &str, example: &Example) -> String {
    let mut text =
        format!("{file}: these contradict each other: {}\n", example.axioms().join(", "));
    for ground in &example.formulas {
        let values: Vec<String> =
            ground.values.iter().map(|(var, term)| format!("{var} = {term}")).collect();
        let with =
            if values.is_empty() { String::new() } else { format!(" with {}", values.join(", ")) };
        text += &format!("{} (line {}){with}:\n  {}\n", ground.axiom, ground.line, ground.formula);
    }
    text
}
