//! Compares SMT-LIB readers on given scripts and prints a table for each.

use assay_bench::{measure, readers, table};
use clap::Parser;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compare SMT-LIB readers on given scripts: time, memory, and how much of the script survives.
#[derive(Parser)]
struct Arguments {
    /// Scripts to read
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// How often every reader reads every script
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Read each script once with this reader and print the raw numbers
    #[arg(long, value_name = "READER")]
    one: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.one {
        Some(reader) => read_once(reader, &arguments.files),
        None => compare(&arguments.files, arguments.rounds),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("read: {error}");
            ExitCode::from(2)
        }
    }
}

fn compare(files: &[PathBuf], rounds: usize) -> Result<(), Box<dyn Error>> {
    let program = std::env::current_exe()?;
    for file in files {
        let report = measure::race(&program, file, rounds)?;
        println!("{}", table::render(&report));
    }
    print!("{}", table::NOTES);
    Ok(())
}

fn read_once(name: &str, files: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let reader = readers::by_name(name).ok_or_else(|| unknown_reader(name))?;
    for file in files {
        let text = load(file)?;
        measure::tell_trial(reader, &text, &mut std::io::stdout())?;
    }
    Ok(())
}

fn load(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

fn unknown_reader(name: &str) -> String {
    let known: Vec<&str> = readers::all().iter().map(|reader| reader.name()).collect();
    format!("no reader is called {name}; there are {}", known.join(", "))
}
