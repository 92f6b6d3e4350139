//! Reduces any file while a command's exit code and output stay the same.

use super::{Done, read, watched, write};
use crate::output;
use assay_campaign::reduce::{CommandBench, Expectation, Stream};
use assay_case::{Ending, Kind};
use assay_target::process::{CommandLine, Finished, Launcher, Sandbox};
use serde_json::json;
use std::error::Error;
use std::time::Duration;

/// The command, and what must stay the same.
#[derive(clap::Args, Clone)]
pub(super) struct CommandArgs {
    /// Command that decides whether a candidate is still interesting; the file is its last argument
    #[arg(
        long,
        value_name = "COMMAND",
        conflicts_with_all = ["target", "kind", "model", "agreement", "seed_targets", "options"],
        help_heading = "With --cmd"
    )]
    pub(super) cmd: Option<String>,
    /// Exit code to keep [default: that of the file itself]
    #[arg(long, value_name = "CODE", requires = "cmd", help_heading = "With --cmd")]
    match_exit: Option<i32>,
    /// Text that standard output must contain
    #[arg(long, value_name = "TEXT", requires = "cmd", help_heading = "With --cmd")]
    match_out: Option<String>,
    /// Text that standard error must contain
    #[arg(long, value_name = "TEXT", requires = "cmd", help_heading = "With --cmd")]
    match_err: Option<String>,
    /// Ignore standard output
    #[arg(long, requires = "cmd", conflicts_with = "match_out", help_heading = "With --cmd")]
    ignore_out: bool,
    /// Ignore standard error
    #[arg(long, requires = "cmd", conflicts_with = "match_err", help_heading = "With --cmd")]
    ignore_err: bool,
    /// Ignore both
    #[arg(long, requires = "cmd", help_heading = "With --cmd")]
    ignore_output: bool,
}

/// The time limit for the file itself.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn reduced(args: &super::Args, line: &str) -> Result<Done, Box<dyn Error>> {
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
    let mut bench = CommandBench { launcher, command, limits: args.limits(PATIENCE) };
    let golden = bench.run(&text)?;
    let expected = expected(&args.by_command, &golden)?;
    if args.timeout.is_none() {
        // A candidate is hardly slower than what it was made from.
        bench.limits.wall = (golden.elapsed * 3 / 2).max(Duration::from_secs(1));
    }
    let (reduction, cpu) =
        watched(args, |watch| bench.reduce(&text, &expected, args.jobs(), watch))
            .map_err(|error| format!("{}: {error}", args.what.display()))?;
    let out = args.out(Kind::Formula);
    write(&out, &reduction.text)?;
    let truth = "the command's exit code and output are the same".to_owned();
    let more = json!({"command": line, "command-cpu-seconds": cpu.as_secs_f64()});
    Ok(Done { reduction, out, truth, more })
}

/// What a candidate must keep; an error if the file itself does not show it.
fn expected(args: &CommandArgs, golden: &Finished) -> Result<Expectation, Box<dyn Error>> {
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
        return Err(format!(
            "--match-exit {ending}: on the file, the command ends with {}",
            golden.ending
        )
        .into());
    }
    if golden.ending == Ending::TimedOut {
        output::note(
            "note: the command times out on the file; a candidate is interesting if it times out too\n",
        );
    }
    let stdout = stream(args.ignore_out, &args.match_out, &golden.stdout);
    let stderr = stream(args.ignore_err, &args.match_err, &golden.stderr);
    for (flag, stream, said) in
        [("--match-out", &stdout, &golden.stdout), ("--match-err", &stderr, &golden.stderr)]
    {
        if !stream.fits(said) {
            return Err(format!(
                "{flag}: on the file, the command prints `{}` instead",
                show(said)
            )
            .into());
        }
    }
    Ok(Expectation { ending, stdout, stderr })
}

/// Splits a command line into words, with quotes and backslashes as in a shell.
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
