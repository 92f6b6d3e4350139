//! `assay check`: parses and prints files, and evaluates their assertions under a model.

use crate::{Outcome, output};
use assay_campaign::units::Time;
use assay_report::{file_extent, truths};
use assay_smtlib::{
    Dialect, Environment, Layout, Lets, PrintedModel, Printer, ReadError, Script,
    read_printed_model, read_script,
};
use assay_term::{Budget, Limits, Store, TermId, satisfies_within};
use serde_json::json;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Flags of `assay check`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// SMT-LIB files; `-` is the standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Evaluate every assertion under this model (a solver's output; a leading `sat` is skipped)
    #[arg(long, value_name = "M")]
    model: Option<PathBuf>,

    /// Stop evaluating after this time; undecided assertions are unknown
    #[arg(long, value_name = "TIME", requires = "model")]
    timeout: Option<Time>,

    /// Examine each step of this proof, as z3 or cvc5 prints it (a leading `unsat` is skipped)
    #[arg(long, value_name = "P", conflicts_with = "model")]
    proof: Option<PathBuf>,

    /// Print in this dialect
    #[arg(long, value_name = "D", default_value = assay_smtlib::STANDARD.name, value_parser = dialect)]
    dialect: Dialect,

    /// Print counts instead of the script
    #[arg(long)]
    stats: bool,

    /// Break long terms into indented lines
    #[arg(long)]
    pretty: bool,

    /// Print only errors
    #[arg(long, short)]
    quiet: bool,

    /// Print one JSON record per file, and per assertion with --model
    #[arg(long)]
    json: bool,
}

/// The dialect of a name, for a flag.
pub(crate) fn dialect(name: &str) -> Result<Dialect, String> {
    Dialect::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = Dialect::ALL.iter().map(|d| d.name).collect();
        format!("known dialects are {}", known.join(", "))
    })
}

/// A file that was read.
struct Unit {
    name: String,
    bytes: Vec<u8>,
    store: Store,
    script: Script,
    env: Environment,
}

pub(crate) fn run(args: &Args) -> Outcome {
    for (flag, path, verb) in
        [("--model", &args.model, "evaluates"), ("--proof", &args.proof, "is about")]
    {
        if path.is_some() && args.files.len() != 1 {
            output::note(&format!("error: {flag} {verb} one file, and more than one was given\n"));
            return Outcome::Failed;
        }
    }
    args.files.iter().map(|file| check(file, args)).max().unwrap_or(Outcome::Clean)
}

fn check(file: &Path, args: &Args) -> Outcome {
    let name = display_name(file);
    let unit = match read(file, &name) {
        Ok(unit) => unit,
        Err(problem) => return problem.report(args.json),
    };
    if let Some(model) = &args.model {
        return match evaluate(unit, model, args) {
            Ok(outcome) => outcome,
            Err(problem) => problem.report(args.json),
        };
    }
    if let Some(proof) = &args.proof {
        return match examine(&unit, proof, args) {
            Ok(outcome) => outcome,
            Err(problem) => problem.report(args.json),
        };
    }
    if args.json || args.stats {
        let of = (&unit.store, &unit.script);
        output::result(&file_extent(&unit.name, unit.bytes.len(), of, args.json));
    } else if !args.quiet {
        return print(&unit, args);
    }
    Outcome::Clean
}

/// Steps of examining a proof.
const PROOF_STEPS: u64 = 4_000_000_000;

/// Examines the steps of a proof.
fn examine(unit: &Unit, path: &Path, args: &Args) -> Result<Outcome, Problem> {
    let text = fs::read_to_string(path)
        .map_err(|error| Problem::Input(path.display().to_string(), error))?;
    let proof = text.trim_start().strip_prefix("unsat").unwrap_or(&text);
    let script = String::from_utf8_lossy(&unit.bytes);
    let mut budget = Budget::new(PROOF_STEPS, u64::MAX);
    let report = assay_proof::examine(&script, proof, args.dialect, &mut budget);
    if args.json {
        output::result(&format!(
            "{}\n",
            json!({
                "file": unit.name, "fault": report.fault.as_ref().map(ToString::to_string),
                "proved": report.is_complete, "cut-short": report.is_cut_short,
                "rules": report.rules, "unread": report.unread,
            })
        ));
    } else if !args.quiet {
        let rules: Vec<_> = report.rules.iter().map(|(rule, n)| (rule.as_str(), *n)).collect();
        output::result(&assay_report::steps(&rules));
        for (reason, count) in &report.unread {
            output::result(&format!("  not understood in {count} steps: {reason}\n"));
        }
        if report.is_cut_short {
            output::result("  the budget did not suffice for every step\n");
        }
        if report.is_complete {
            output::result("every step follows: the formula is unsatisfiable\n");
        }
    }
    match report.fault {
        Some(fault) => {
            if !args.json {
                output::note(&format!("{}: {fault}\n", unit.name));
            }
            Ok(Outcome::Findings)
        }
        None => Ok(Outcome::Clean),
    }
}

fn print(unit: &Unit, args: &Args) -> Outcome {
    if let Some(words) = args.dialect.refusal(&unit.store, &unit.script.terms()) {
        output::note(&format!("error: {}: {words}\n", unit.name));
        return Outcome::Failed;
    }
    let layout = if args.pretty { Layout::Readable } else { Layout::Compact };
    let printer = Printer::new(&unit.store).dialect(args.dialect).layout(layout);
    if args.files.len() > 1 {
        output::result(&format!("; {}\n", unit.name));
    }
    output::document(&printer.script(&unit.script));
    Outcome::Clean
}

/// Why a file could not be used.
enum Problem {
    Input(String, std::io::Error),
    Text(String, Box<ReadError>),
    /// A model that is well formed and cannot be one of the file.
    Model(String, String),
}

impl Problem {
    fn report(&self, json: bool) -> Outcome {
        let (name, words, mut record) = match self {
            Problem::Input(name, error) => {
                (name, error.to_string(), json!({"error": error.to_string()}))
            }
            Problem::Model(name, words) => {
                let words = format!("the model {words}");
                (name, words.clone(), json!({"error": words}))
            }
            Problem::Text(name, error) => {
                let ReadError { message, line, column, hint, .. } = &**error;
                let record =
                    json!({"error": message, "line": line, "column": column, "hint": hint});
                (name, error.to_string(), record)
            }
        };
        output::note(&format!("error: {name}: {words}\n"));
        if json {
            record["file"] = json!(name);
            output::result(&format!("{record}\n"));
        }
        Outcome::Failed
    }
}

/// The name of a file in messages.
fn display_name(file: &Path) -> String {
    if file.as_os_str() == "-" { "standard input".into() } else { file.display().to_string() }
}

fn load(file: &Path, name: &str) -> Result<Vec<u8>, Problem> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        return read.map(|_| bytes).map_err(|error| Problem::Input(name.into(), error));
    }
    fs::read(file).map_err(|error| Problem::Input(name.into(), error))
}

fn read(file: &Path, name: &str) -> Result<Unit, Problem> {
    let bytes = load(file, name)?;
    let mut store = Store::new();
    match read_script(&mut store, &bytes, Lets::Keep) {
        Ok((script, env)) => Ok(Unit { name: name.into(), bytes, store, script, env }),
        Err(error) => Err(Problem::Text(name.into(), Box::new(error))),
    }
}

fn evaluate(mut unit: Unit, file: &Path, args: &Args) -> Result<Outcome, Problem> {
    let name = display_name(file);
    let bytes = load(file, &name)?;
    let text = String::from_utf8_lossy(&bytes);
    let PrintedModel { mut model, faults } =
        match read_printed_model(&mut unit.store, &unit.env, &text) {
            Ok(printed) => printed,
            Err(error) => return Err(Problem::Text(name, Box::new(error))),
        };
    if let Some(fault) = faults.iter().find(|fault| fault.is_certain()) {
        return Err(Problem::Model(name, fault.to_string()));
    }
    model.extend(&unit.script.definitions());
    let assertions = unit.script.active_assertions();
    let terms: Vec<TermId> = assertions.iter().map(|(term, _)| *term).collect();
    let mut budget = Budget::new(Limits::default().steps, u64::MAX);
    if let Some(Time(time)) = args.timeout {
        budget = budget.within(time);
    }
    let values = satisfies_within(&unit.store, &model, &terms, &mut budget).values;
    let fails = values.contains(&Ok(false));
    let offsets = assertions.iter().map(|(_, offset)| *offset);
    let truths_of: Vec<_> = offsets.zip(values).collect();
    output::result(&truths(&unit.store, &unit.bytes, &truths_of, args.json));
    Ok(if fails { Outcome::Findings } else { Outcome::Clean })
}
