//! Any file, any command: what the command says about the file is what is kept.

use super::{Report, read, reduce, write};
use crate::{Outcome, output};
use assay_case::Ending;
use assay_reduce::{Candidate, Learnt, Subject, Tester, Verdict};
use assay_smtlib::Dialect;
use assay_target::process::{
    CommandLine, Finished, HarnessError, Keeper, Launcher, Limits, Sandbox,
};
use serde_json::json;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a command must say.
#[derive(clap::Args, Clone)]
pub(super) struct CommandArgs {
    /// Keep what this command says; the file is its last argument
    #[arg(
        long,
        value_name = "COMMAND",
        conflicts_with_all = ["target", "kind", "model", "agreement", "rng", "options"],
        help_heading = "By a command"
    )]
    pub(super) cmd: Option<String>,
    /// The exit code to keep [default: that of the file itself]
    #[arg(long, value_name = "CODE", requires = "cmd", help_heading = "By a command")]
    match_exit: Option<i32>,
    /// Standard output need only hold this text
    #[arg(long, value_name = "TEXT", requires = "cmd", help_heading = "By a command")]
    match_out: Option<String>,
    /// Standard error need only hold this text
    #[arg(long, value_name = "TEXT", requires = "cmd", help_heading = "By a command")]
    match_err: Option<String>,
    /// Standard output does not matter
    #[arg(long, requires = "cmd", conflicts_with = "match_out", help_heading = "By a command")]
    ignore_out: bool,
    /// Standard error does not matter
    #[arg(long, requires = "cmd", conflicts_with = "match_err", help_heading = "By a command")]
    ignore_err: bool,
    /// Neither matters
    #[arg(long, requires = "cmd", help_heading = "By a command")]
    ignore_output: bool,
}

/// What a stream must be like.
#[derive(Clone, Debug)]
enum Stream {
    Anything,
    Holds(String),
    Same(Vec<u8>),
}

impl Stream {
    fn fits(&self, said: &[u8]) -> bool {
        match self {
            Stream::Anything => true,
            Stream::Holds(text) => String::from_utf8_lossy(said).contains(text.as_str()),
            Stream::Same(golden) => golden == said,
        }
    }
}

/// What a run must be like.
#[derive(Clone, Debug)]
struct Expected {
    ending: Ending,
    stdout: Stream,
    stderr: Stream,
}

/// The longest that the file itself may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn run(args: &super::Args, line: &str) -> Result<Outcome, Box<dyn Error>> {
    let words = words(line)?;
    let (program, leading) = words.split_first().ok_or("--cmd: there is no command")?;
    // The command runs where we do, so that its relative paths mean what they should.
    let here = std::env::current_dir()?;
    let program = match program.contains('/') {
        true => here.join(program),
        false => program.into(),
    };
    let mut command = CommandLine::new(program);
    command.dir = Some(here);
    command.args = leading.iter().map(Into::into).collect();
    if args.what.is_dir() {
        return Err(format!(
            "{}: --cmd reduces a file; a finding's case is its case.smt2",
            args.what.display()
        )
        .into());
    }
    let text = read(&args.what)?;
    // The command is the user's own, not under test.
    let launcher = Launcher::this_program()?.sandboxed(Sandbox::Off);
    let cpu = Arc::new(AtomicU64::new(0));
    let mut first = Runner {
        keeper: Keeper::start(&launcher)?,
        command,
        limits: args.limits(PATIENCE),
        expected: None,
        cpu: Arc::clone(&cpu),
    };
    let golden = first.run(&text)?;
    let expected = expected(&args.by_command, &golden)?;
    if args.timeout.is_none() {
        // A candidate is hardly slower than what it was made from.
        first.limits.wall = (golden.elapsed * 3 / 2).max(Duration::from_secs(1));
    }
    first.expected = Some(expected);
    let (command, limits, expected) = (first.command.clone(), first.limits, first.expected.clone());
    let mut testers: Vec<Box<dyn Tester>> = vec![Box::new(first)];
    for _ in 1..args.jobs() {
        let (keeper, cpu) = (Keeper::start(&launcher)?, Arc::clone(&cpu));
        let (command, expected) = (command.clone(), expected.clone());
        testers.push(Box::new(Runner { keeper, command, limits, expected, cpu }));
    }
    let dialects = Dialect::ALL.to_vec();
    let subject = Subject { dialects, asks: false, ..Subject::new(text) };
    let (reduced, took) = reduce(args, &subject, testers)?;
    let out = args.out();
    write(&out, &reduced.text)?;
    let cpu = Duration::from_micros(cpu.load(Ordering::Relaxed));
    let truth = "the command says the same".to_owned();
    let more = json!({"command": line, "command-cpu-seconds": cpu.as_secs_f64()});
    Report { reduced: &reduced, took, out: &out, truth, more }.print(args.json);
    Ok(Outcome::Clean)
}

/// What must be kept, and that the file itself shows it.
fn expected(args: &CommandArgs, golden: &Finished) -> Result<Expected, Box<dyn Error>> {
    let show = |said: &[u8]| -> String {
        String::from_utf8_lossy(said).lines().next().unwrap_or_default().chars().take(100).collect()
    };
    let stream = |ignored: bool, text: &Option<String>, said: &[u8]| match text {
        _ if ignored || args.ignore_output && text.is_none() => Stream::Anything,
        Some(text) => Stream::Holds(text.clone()),
        None => Stream::Same(said.to_vec()),
    };
    let ending = args.match_exit.map_or(golden.ending, Ending::Exited);
    if ending != golden.ending {
        return Err(format!("--match-exit {ending}: on the file it is {}", golden.ending).into());
    }
    if golden.ending == Ending::TimedOut {
        output::note(
            "note: the command does not end on the file; being too slow is what is kept\n",
        );
    }
    let stdout = stream(args.ignore_out, &args.match_out, &golden.stdout);
    let stderr = stream(args.ignore_err, &args.match_err, &golden.stderr);
    for (flag, stream, said) in
        [("--match-out", &stdout, &golden.stdout), ("--match-err", &stderr, &golden.stderr)]
    {
        if !stream.fits(said) {
            return Err(format!(
                "{flag}: on the file the command does not say that but `{}`",
                show(said)
            )
            .into());
        }
    }
    Ok(Expected { ending, stdout, stderr })
}

/// The command in the hands of one worker.
struct Runner {
    keeper: Keeper,
    command: CommandLine,
    limits: Limits,
    expected: Option<Expected>,
    /// The processor time of all runs, in microseconds.
    cpu: Arc<AtomicU64>,
}

impl Runner {
    fn run(&mut self, text: &str) -> Result<Finished, HarnessError> {
        let path = self.keeper.scratch()?.join("input.smt2");
        std::fs::write(&path, text)
            .map_err(|source| HarnessError::Pipe { doing: "write a file for", source })?;
        let mut command = self.command.clone();
        command.args.push(path.into());
        let finished = self.keeper.run(&command, &[], &self.limits)?;
        let micros = u64::try_from(finished.cpu.as_micros()).unwrap_or(u64::MAX);
        self.cpu.fetch_add(micros, Ordering::Relaxed);
        Ok(finished)
    }
}

impl Tester for Runner {
    fn test(&mut self, candidate: &Candidate) -> Verdict {
        let finished = match self.run(&candidate.text) {
            Ok(finished) => finished,
            Err(error) => return Verdict::Not(error.to_string()),
        };
        let Some(expected) = &self.expected else {
            return Verdict::Not("it is not known what to keep".to_owned());
        };
        let shown = finished.ending == expected.ending
            && expected.stdout.fits(&finished.stdout)
            && expected.stderr.fits(&finished.stderr);
        match shown {
            true => Verdict::Shown(Learnt::default()),
            false => Verdict::Not(format!("the command ends with {}", finished.ending)),
        }
    }
}

/// A command line in words, with quotes and backslashes as a shell has them.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                let next = characters.next().ok_or("--cmd: nothing follows the last backslash")?;
                word.get_or_insert_default().push(next);
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(format!("--cmd: the quote {quote} is not closed"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_split_as_a_shell_does() {
        let table: &[(&str, &[&str])] = &[
            ("z3 -T:5", &["z3", "-T:5"]),
            ("sh -c 'z3 \"$0\" | head'", &["sh", "-c", "z3 \"$0\" | head"]),
            ("a\\ b \"c\\\"d\" ''", &["a b", "c\"d", ""]),
            ("", &[]),
        ];
        for (line, expected) in table {
            assert_eq!(words(line).expect(line), *expected, "{line}");
        }
        assert!(words("a 'b").is_err() && words("a \\").is_err());
    }
}
