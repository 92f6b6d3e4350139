//! Short-lived programs that this crate itself needs: `pip` and `apt-get`, which are trusted, and a
//! tool asked for its version, which is not. Tools that work on test cases run in
//! [`crate::process`].

use crate::process::Sandbox;
use crate::process::confine::Rules;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The output of a program.
#[derive(Debug)]
pub(crate) struct Said {
    pub stdout: String,
    pub stderr: String,
    /// `None` if it was ended by the time limit.
    pub status: Option<ExitStatus>,
}

impl Said {
    pub(crate) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The last lines of its output, preferring errors.
    pub(crate) fn last_words(&self) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let words = lines[lines.len().saturating_sub(4)..].join("; ");
        match (self.status, words.is_empty()) {
            (None, _) => "it took too long".to_owned(),
            (Some(status), true) => status.to_string(),
            (Some(_), false) => words,
        }
    }
}

/// Runs a program to its end, or to the time limit, with this text as its input.
pub(crate) fn run(command: &mut Command, input: &str, limit: Duration) -> std::io::Result<Said> {
    attend(connected(command).spawn()?, input, limit)
}

/// Runs a tool under test on a query that its command line alone answers.
pub(crate) fn ask_tool(
    program: &Path,
    fill: impl FnOnce(&mut Command),
    reads: &[PathBuf],
    sandbox: Sandbox,
    limit: Duration,
) -> std::io::Result<Said> {
    let mut command = Command::new(program);
    if sandbox == Sandbox::Off {
        fill(&mut command);
        return run(&mut command, "", limit);
    }
    let scratch = tempfile::tempdir()?;
    let rules = Rules { scratch: Some(scratch.path()), reads };
    rules.clear_environment(&mut command);
    fill(&mut command);
    command.current_dir(scratch.path());
    attend(rules.spawn(connected(&mut command))?, "", limit)
}

fn connected(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0)
}

/// Sends a child its input, and collects its output until it ends or time runs out.
fn attend(mut child: Child, input: &str, limit: Duration) -> std::io::Result<Said> {
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let stdin = child.stdin.take();
    let input = input.to_owned();
    // A program that does not read all of its input closes the pipe, which is fine.
    let writer = thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(input.as_bytes())));
    let status = wait(&mut child, limit)?;
    let collect = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    let said = Said { stdout: collect(stdout), stderr: collect(stderr), status };
    drop(writer);
    Ok(said)
}

/// Runs a trusted program, not a tool under test, to its end or to the time limit: its output, or
/// the last lines of a failed one.
///
/// # Errors
/// Fails if the program cannot be started.
pub fn ask(command: &mut Command, limit: Duration) -> std::io::Result<Result<String, String>> {
    let said = run(command, "", limit)?;
    Ok(if said.succeeded() { Ok(said.stdout) } else { Err(said.last_words()) })
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // Output that was read before an error is kept.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            // Its children hold the pipes open, so they are killed too.
            let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            if let Some(group) = group {
                let _ = kill_process_group(group, Signal::KILL);
            }
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &str, limit: Duration) -> Said {
        run(Command::new("sh").args(["-c", script]), input, limit).expect("there is a shell")
    }

    #[test]
    fn output_and_exit_code_are_captured() {
        let said = shell("cat; echo no >&2; exit 3", "yes", Duration::from_secs(10));
        assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("yes", "no\n"));
        assert_eq!(said.status.and_then(|status| status.code()), Some(3));
        assert_eq!(said.last_words(), "no");
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_its_children() {
        let begin = Instant::now();
        let said = shell("echo begun; sleep 60 & sleep 60", "", Duration::from_millis(300));
        assert!(said.status.is_none());
        assert_eq!(said.stdout, "begun\n");
        assert!(begin.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_program_that_ignores_its_input_succeeds() {
        let said = shell("exit 0", &"x".repeat(1 << 20), Duration::from_secs(10));
        assert!(said.succeeded());
    }
}
