//! Runs compiled programs under the sanitizers of undefined behaviour and of addresses, on a
//! witness or on many inputs. The result of a run outranks every analyzer's answer.

use crate::c_text::{NoError, in_dialect};
use crate::install::on_path;
use crate::process::{CommandLine, HarnessError, Keeper, Launcher, Limits};
use crate::reach::installation;
use crate::spec::Analyzer;
use assay_case::{Ending, Program, Reading};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// A compiler, and a keeper for the programs that it makes.
pub struct Native {
    compiler: PathBuf,
    /// The compiler's installation.
    reads: Vec<PathBuf>,
    keeper: Keeper,
}

/// The inputs of a program.
#[derive(Clone, Copy, Debug)]
pub enum Trial<'t> {
    /// These inputs, in order.
    Inputs(&'t [Reading]),
    /// Runs on random and extreme inputs.
    Many {
        /// The number of runs.
        runs: u32,
        /// The seed for the inputs.
        seed: u64,
    },
}

/// The result of running a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Executed {
    /// It reached its error.
    Reached,
    /// It did not reach its error.
    NotReached,
    /// It had undefined behavior, in the sanitizer's words.
    Undefined(String),
    /// It read inputs other than the given ones.
    Misread,
}

/// Why a program could not be run.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// There is no compiler.
    #[error(
        "there is no C compiler `gcc` on the search path; on Debian: apt-get install gcc libc6-dev"
    )]
    NoCompiler,
    /// The program has no error function.
    #[error(transparent)]
    NoError(#[from] NoError),
    /// It does not compile.
    #[error("the program does not compile: {0}")]
    Compile(String),
    /// It ran too long, or crashed.
    #[error("the program did not end normally: {0}")]
    Ended(String),
    /// A failure of assay itself.
    #[error(transparent)]
    Harness(#[from] HarnessError),
}

/// The time limit for compilation and runs.
const LIMIT: Duration = Duration::from_secs(60);

/// The code around the program: the error, the sources of inputs, the loop over runs.
const FRAME: &str = include_str!("native.c");

/// The exit code of a program that reads an input it was not given.
const MISREAD: i32 = 97;

/// The exit code if the compiler rejects the program.
const REFUSED: i32 = 96;

impl Native {
    /// Finds the compiler.
    ///
    /// # Errors
    /// Fails if there is no compiler, or no keeper can be started.
    pub fn new(launcher: &Launcher) -> Result<Native, NativeError> {
        let compiler = on_path("gcc").ok_or(NativeError::NoCompiler)?;
        let reads = installation(&compiler, &[], &BTreeMap::new());
        Ok(Native { compiler, reads, keeper: Keeper::start(launcher)? })
    }

    /// Whether the compiler accepts a text as C.
    ///
    /// # Errors
    /// The compiler's first error, or the failure to run it.
    pub fn accepts(&mut self, text: &str) -> Result<(), NativeError> {
        self.compiles(text, &["-w", "-fsyntax-only"])
    }

    /// Whether the compiler accepts a text as C without uninitialized variables, which the
    /// sanitizers do not detect.
    ///
    /// # Errors
    /// The compiler's first error, or the failure to run it.
    pub fn initializes(&mut self, text: &str) -> Result<(), NativeError> {
        let errors = ["-Werror=uninitialized", "-Werror=maybe-uninitialized"];
        self.compiles(text, &[&["-O2", "-S", "-o", "-"][..], &errors].concat())
    }

    fn compiles(&mut self, text: &str, flags: &[&str]) -> Result<(), NativeError> {
        let limits = Limits { wall: LIMIT, memory: None, output: 1 << 20 };
        let flags = [&["-std=gnu11"][..], flags, &["-x", "c", "-"]].concat();
        let command = CommandLine { reads: self.reads.clone(), ..CommandLine::new(&self.compiler) };
        let command = flags.into_iter().fold(command, CommandLine::arg);
        let ran = self.keeper.run(&command, text.as_bytes(), &limits)?;
        match ran.ending {
            Ending::Exited(0) => Ok(()),
            Ending::Exited(_) => Err(NativeError::Compile(first_line(&ran.stderr))),
            ending => Err(NativeError::Ended(ending.to_string())),
        }
    }

    /// Compiles a program and runs it.
    ///
    /// # Errors
    /// Fails if it cannot be compiled, or its exit status has no meaning.
    pub fn run(&mut self, program: &Program, trial: Trial<'_>) -> Result<Executed, NativeError> {
        let manner = Analyzer {
            error: "assay_reached();".to_owned(),
            declares: "void assay_reached(void);".to_owned(),
            ..Analyzer::default()
        };
        let text = in_dialect(&program.text, &manner)?;
        let scratch = self.keeper.scratch()?.to_owned();
        let write = |name: &str, text: &str| {
            std::fs::write(scratch.join(name), text)
                .map_err(|source| HarnessError::Pipe { doing: "write a file for", source })
        };
        write("program.c", &text)?;
        write("frame.c", &format!("{}{FRAME}", tape(trial)))?;
        let limits = Limits { wall: LIMIT, memory: None, output: 1 << 20 };
        // One job, because the files of a job are removed before the next one.
        let script = format!(
            "'{}' -std=gnu11 -w -O0 -g -ffp-contract=off \
             -fsanitize=undefined,address,float-cast-overflow -fno-sanitize-recover=all \
             -o run frame.c -lm || exit {REFUSED}; exec ./run",
            self.compiler.display()
        );
        let command = CommandLine { reads: self.reads.clone(), ..CommandLine::new("/bin/sh") };
        let command = command.arg("-c").arg(&script);
        let ran = self.keeper.run(&command, b"", &limits)?;
        if ran.ending == Ending::Exited(REFUSED) {
            return Err(NativeError::Compile(first_line(&ran.stderr)));
        }
        let said = String::from_utf8_lossy(&ran.stdout);
        match (ran.ending, said.trim()) {
            (Ending::Exited(0), "reached") => Ok(Executed::Reached),
            (Ending::Exited(0), "not reached") => Ok(Executed::NotReached),
            (Ending::Exited(MISREAD), _) => Ok(Executed::Misread),
            (ending, _) => {
                let words = String::from_utf8_lossy(&ran.stderr);
                let fault = words.lines().find(|line| {
                    line.contains("runtime error:") || line.contains("AddressSanitizer")
                });
                match fault {
                    Some(line) => Ok(Executed::Undefined(line.trim().to_owned())),
                    None => Err(NativeError::Ended(ending.to_string())),
                }
            }
        }
    }
}

fn first_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.lines().find(|line| line.contains("error")).unwrap_or_default().trim().to_owned()
}

/// The inputs in the form that the frame reads.
fn tape(trial: Trial<'_>) -> String {
    let mut text = String::new();
    let (runs, seed, inputs) = match trial {
        Trial::Inputs(inputs) => (0, 0, inputs),
        Trial::Many { runs, seed } => (runs, seed, &[][..]),
    };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "#define ASSAY_RUNS {runs}U\n#define ASSAY_SEED {seed}UL");
    text += "static const struct { const char *source; unsigned long value; } assay_tape[] = {\n";
    for Reading { source, value } in inputs {
        // Negative numbers keep their low bits.
        let _ = writeln!(text, "  {{ \"{source}\", {}UL }},", *value as u64);
    }
    text += "  { \"\", 0UL }\n};\n";
    text
}

/// A C file that provides a program's inputs, so that anyone can run it: `gcc program.c witness.c`.
#[must_use]
pub fn witness_file(inputs: &[Reading]) -> String {
    format!("{}{}", tape(Trial::Inputs(inputs)), include_str!("witness.c"))
}
