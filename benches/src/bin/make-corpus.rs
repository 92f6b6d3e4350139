//! Writes a deterministic SMT-LIB script for measuring readers.

use assay_bench::corpus::{self, Flavour};
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a deterministic, well-sorted SMT-LIB script of about SIZE bytes.
#[derive(Parser)]
struct Arguments {
    /// Size: a number of bytes, or one with the suffix kB or MB
    #[arg(value_parser = parse_size)]
    size: usize,
    /// File to write
    out: PathBuf,
    /// Style of the script
    #[arg(long, value_enum, default_value_t = Flavour::Mixed)]
    flavour: Flavour,
    /// Seed of the random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// More than this would be a slip of the hand, and the script is built in memory.
const LARGEST: usize = 4_000_000_000;

fn parse_size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match (text.strip_suffix("MB"), text.strip_suffix("kB")) {
        (Some(digits), _) => (digits, 1_000_000),
        (None, Some(digits)) => (digits, 1_000),
        (None, None) => (text, 1),
    };
    digits
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .filter(|&bytes| bytes <= LARGEST)
        .ok_or_else(|| format!("expected a size like 10MB, at most {LARGEST} bytes"))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let script = corpus::make(arguments.flavour, arguments.size, arguments.seed);
    match std::fs::write(&arguments.out, script) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("make-corpus: {}: {error}", arguments.out.display());
            ExitCode::from(2)
        }
    }
}
