//! The interpreted result of running a tool. Nothing is compared with a truth here.

use crate::answer::{Answer, Rewritten};
use crate::crash::{CrashSignature, Death, reports_failure};
use crate::formula::Formula;
use crate::front::Front;
use crate::proof::ProofReport;
use crate::reply::{Part, Replies, Spoiled, Tail};
use assay_smtlib::{Response, responses};
use assay_term::{Budget, Limits};
use std::fmt;
use std::time::Duration;

/// The raw result of running a solver on one script.
#[derive(Clone, Copy, Debug)]
pub struct Output<'o> {
    /// Standard output.
    pub stdout: &'o str,
    /// Standard error.
    pub stderr: &'o str,
    /// How the process ended.
    pub ending: Ending,
    /// The time that it took.
    pub elapsed: Duration,
    /// The questions after the last `check-sat`, in order.
    pub asked: &'o [Part],
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It exited with this code.
    Exited(i32),
    /// A signal that we did not send killed it.
    Signalled(i32),
    /// It exceeded the time limit.
    TimedOut,
    /// It exceeded the memory limit.
    OutOfMemory,
    /// It exceeded another limit of the sandbox.
    OverLimit(Quota),
}

/// Limits of the sandbox other than time, memory and output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quota {
    /// The number of simultaneous processes.
    Processes(u64),
    /// The size of a file, in bytes.
    FileSize(u64),
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quota::Processes(count) => write!(f, "more than {count} processes"),
            Quota::FileSize(bytes) => write!(f, "a file of more than {}", Size(*bytes)),
        }
    }
}

/// A number of bytes for display: `2 GiB`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size(pub u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        match units.into_iter().find(|(shift, _)| self.0 >= 1 << shift) {
            Some((shift, unit)) if self.0.trailing_zeros() >= shift => {
                write!(f, "{} {unit}", self.0 >> shift)
            }
            Some((shift, unit)) => write!(f, "{:.1} {unit}", self.0 as f64 / f64::from(1 << shift)),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exited(code) => write!(f, "exit code {code}"),
            Ending::Signalled(number) => write!(f, "signal {number}"),
            Ending::TimedOut => write!(f, "ended by the time limit"),
            Ending::OutOfMemory => write!(f, "ended by the memory limit"),
            Ending::OverLimit(quota) => write!(f, "ended by a limit of the sandbox: {quota}"),
        }
    }
}

/// A solver's interpreted output.
#[derive(Clone, PartialEq, Debug)]
pub struct Observation {
    /// The answer to the `check-sat` in question.
    pub answer: Answer,
    /// All verdicts up to the first error, in order.
    pub verdicts: Vec<Answer>,
    /// The model as printed, after `sat`.
    pub model: Option<String>,
    /// The names of the core, without bars, after `unsat`.
    pub core: Option<Vec<String>>,
    /// The proof as printed, after `unsat`.
    pub proof: Option<String>,
    /// The result of examining the proof.
    pub examined: Option<Box<ProofReport>>,
    /// Whether the tool claims that its cores are minimal.
    pub claims_minimal_core: bool,
    /// The objectives as printed, after `sat`.
    pub objectives: Option<String>,
    /// The points that were reported one after the other, if a Pareto front was asked for.
    pub front: Option<Front>,
    /// Requested parts other than the verdict that cannot be used.
    pub spoiled: Vec<Spoiled>,
    /// A crash after the answer.
    pub crash_after: Option<CrashSignature>,
    /// The time that it took.
    pub elapsed: Duration,
    /// The time limit; evaluating the answer may take as long again.
    pub limit: Option<Duration>,
    /// The memory limit in bytes, if the tool was ended for exceeding it.
    pub memory_limit: Option<u64>,
}

/// Phrases that report an exhausted limit.
struct LimitWords {
    answer: Answer,
    /// As the reason for `unknown`, or in an error line; without closing parentheses.
    reasons: &'static [&'static str],
    /// On standard error, where looser words might be about something else.
    phrases: &'static [&'static str],
}

const LIMITS: [LimitWords; 2] = [
    LimitWords {
        answer: Answer::OutOfMemory,
        reasons: &["memout", "out of memory", "max. memory exceeded", "std::bad_alloc"],
        phrases: &["std::bad_alloc", "out of memory"],
    },
    LimitWords {
        answer: Answer::Timeout,
        reasons: &[
            "timeout",
            "canceled",
            "resourceout",
            "max. resource limit exceeded",
            "(resource limits reached",
        ],
        phrases: &["interrupted by timeout"],
    },
];

/// The maximum length of a kept message, in characters.
const EXCERPT: usize = 300;

impl Observation {
    /// An observation with only an answer.
    #[must_use]
    pub fn new(answer: Answer, elapsed: Duration) -> Observation {
        Observation {
            answer,
            verdicts: Vec::new(),
            model: None,
            core: None,
            proof: None,
            examined: None,
            claims_minimal_core: true,
            objectives: None,
            front: None,
            spoiled: Vec::new(),
            crash_after: None,
            elapsed,
            limit: None,
            memory_limit: None,
        }
    }

    /// The budget for evaluating its answer.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let budget = Budget::new(Limits::default().steps, u64::MAX);
        match self.limit {
            Some(limit) => budget.within(limit),
            None => budget,
        }
    }

    /// The same of a tool that over-approximates: its sat only says that it found no contradiction.
    #[must_use]
    pub fn overapproximated(mut self) -> Observation {
        for answer in self.verdicts.iter_mut().chain([&mut self.answer]) {
            if *answer == Answer::Sat {
                *answer = Answer::MaybeSat;
            }
        }
        self
    }

    /// The same of a tool that does not minimize cores: one that is larger than needed is right.
    #[must_use]
    pub fn with_any_core(self) -> Observation {
        Observation { claims_minimal_core: false, ..self }
    }

    /// The observation of a process with this ending under this memory limit, in bytes.
    #[must_use]
    pub fn within(self, memory: Option<u64>, ending: Ending) -> Observation {
        let memory_limit = memory.filter(|_| ending == Ending::OutOfMemory);
        Observation { memory_limit, ..self }
    }

    /// Interprets the output for a script that asked `check-sat`, then perhaps `get-model`,
    /// `get-unsat-core`, `get-objectives` or `get-info`. The verdict that counts answers the
    /// formula's last `check-sat`; an answer with more verdicts than questions is garbled.
    ///
    /// - A verdict after an error line is ignored: the answer is the error ([`Answer::Rejected`]).
    /// - Output after the verdict is matched with the questions. Parts that are missing, refused,
    ///   truncated or unreadable are kept as [`Spoiled`]; the verdict stays.
    /// - Without a verdict the ending decides: time, memory, a crash (a signal, or a bad exit code
    ///   with the words of an internal failure), a rejection (an error line, or words and a bad
    ///   exit code). Anything else is [`Answer::Garbled`].
    #[must_use]
    pub fn from_output(output: &Output<'_>, formula: &Formula) -> Observation {
        let check = formula.checks().saturating_sub(1);
        let said = responses(output.stdout);
        let error_at = said.iter().position(is_error).unwrap_or(said.len());
        let verdicts: Vec<(usize, Answer)> = said[..error_at]
            .iter()
            .enumerate()
            .filter_map(|(at, response)| Some((at, verdict(response)?)))
            .collect();
        let mut observation = match verdicts.get(check) {
            // Nobody knows which of them answers the question.
            Some(_) if verdicts.len() > check + 1 => {
                let words = format!("{} verdicts instead of {}", verdicts.len(), check + 1);
                Observation::new(Answer::Garbled(words), output.elapsed)
            }
            Some((at, answer)) => {
                let mut observation = Observation::new(answer.clone(), output.elapsed);
                observation.attach(&said[at + 1..], output);
                observation.crash_after = crash(output);
                observation
            }
            None => Observation::new(failure(output, &said), output.elapsed),
        };
        observation.verdicts = verdicts.into_iter().map(|(_, answer)| answer).collect();
        observation
    }

    /// Interprets the output for a script that asked only for one rewriting: the output is the
    /// result, unless there is an error line or the process failed.
    #[must_use]
    pub fn from_rewriting(output: &Output<'_>, last_character: u32) -> Observation {
        let said = responses(output.stdout);
        let whole = output.ending == Ending::Exited(0) && !said.iter().any(is_error);
        let answer = match output.stdout.trim() {
            text if whole && !text.is_empty() => {
                Answer::Rewritten(Rewritten { text: text.to_owned(), last_character })
            }
            _ => failure(output, &said),
        };
        Observation::new(answer, output.elapsed)
    }

    /// Interprets the output for a script that asked only for a term or functions to be constructed.
    #[must_use]
    pub fn from_construction(output: &Output<'_>) -> Observation {
        let said = responses(output.stdout);
        let whole = output.ending == Ending::Exited(0) && !said.iter().any(is_error);
        let answer = match output.stdout.trim() {
            "infeasible" if whole => Answer::Infeasible,
            word @ ("fail" | "none" | "unknown") if whole => Answer::Unknown(Some(word.to_owned())),
            text if whole && (text.starts_with('(') || is_word(text)) => {
                Answer::Constructed(text.to_owned())
            }
            _ => failure(output, &said),
        };
        Observation::new(answer, output.elapsed)
    }

    /// Adds the output after the verdict.
    fn attach(&mut self, said: &[Response<'_>], output: &Output<'_>) {
        let fitting: &[Part] = match &self.answer {
            Answer::Sat => &[Part::Model, Part::Objectives],
            Answer::Unsat => &[Part::Core, Part::Proof],
            Answer::Unknown(None) => {
                let reason = said.iter().find_map(|response| match response {
                    Response::Expression(text) => reason_unknown(text),
                    _ => None,
                });
                self.answer = reason.map_or(Answer::Unknown(None), unknown);
                return;
            }
            _ => return,
        };
        let tail = Tail::new(said, output.ending, output.stderr);
        let Replies { model, objectives, core, proof, spoiled } = tail.read(output.asked, fitting);
        (self.model, self.objectives, self.core) = (model, objectives, core);
        (self.proof, self.spoiled) = (proof, spoiled);
    }
}

/// Whether a text is one symbol: a constant or a truth value as a formula.
fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}

fn reason_unknown(text: &str) -> Option<&str> {
    text.strip_prefix("(:reason-unknown")?.strip_suffix(')')
}

pub(crate) fn verdict(response: &Response<'_>) -> Option<Answer> {
    match response {
        Response::Sat => Some(Answer::Sat),
        Response::Unsat => Some(Answer::Unsat),
        Response::Unknown => Some(Answer::Unknown(None)),
        Response::Timeout => Some(Answer::Timeout),
        // As printed by cvc5's Python interface: `unknown (INCOMPLETE)`.
        Response::Noise(line) => {
            let reason = line.strip_prefix("unknown (")?.strip_suffix(')')?;
            Some(unknown(reason))
        }
        _ => None,
    }
}

fn unknown(reason: &str) -> Answer {
    let reason = reason.trim().trim_matches('"');
    match limit_reason(reason) {
        Some(answer) => answer,
        None if reason.is_empty() => Answer::Unknown(None),
        None => Answer::Unknown(Some(reason.to_owned())),
    }
}

/// The limit that a reason or an error line names.
fn limit_reason(words: &str) -> Option<Answer> {
    let words = words.trim_end_matches([' ', '.', '"', ')']).to_ascii_lowercase();
    let reason = words.rsplit(": ").next().unwrap_or_default();
    let says = |limit: &&LimitWords| limit.reasons.contains(&reason);
    LIMITS.iter().find(says).map(|limit| limit.answer.clone())
}

/// The limit that standard error names.
fn limit_phrase(stderr: &str) -> Option<Answer> {
    let says = |limit: &&LimitWords| limit.phrases.iter().any(|words| stderr.contains(words));
    LIMITS.iter().find(says).map(|limit| limit.answer.clone())
}

/// Whether standard error names a limit.
pub(crate) fn is_limit(stderr: &str) -> bool {
    limit_phrase(stderr).is_some()
}

/// The message of an error line, even if its quotes do not close.
pub(crate) fn error_message<'r>(response: &'r Response<'_>) -> Option<&'r str> {
    let message = match response {
        Response::Error(message) => message,
        Response::Noise(text) => text.strip_prefix("(error")?,
        _ => return None,
    };
    Some(message.trim_start_matches([' ', '"']))
}

pub(crate) fn is_error(response: &Response<'_>) -> bool {
    error_message(response).is_some()
}

/// The crash that ended the process, if any.
pub(crate) fn crash(output: &Output<'_>) -> Option<CrashSignature> {
    let death = match output.ending {
        Ending::Signalled(number) => Death::Signal(number),
        Ending::Exited(code) if code != 0 => Death::Exit(code),
        _ => return None,
    };
    let said_so = reports_failure(output.stderr) || noise(output.stdout).any(reports_failure);
    if matches!(death, Death::Exit(_)) && !said_so || limit_phrase(output.stderr).is_some() {
        return None;
    }
    Some(CrashSignature::new(death, output.stderr, output.stdout))
}

/// The lines of the output outside any answer, where a program may report its own failure.
fn noise(stdout: &str) -> impl Iterator<Item = &str> {
    responses(stdout).into_iter().filter_map(|response| match response {
        Response::Noise(text) if !text.starts_with("(error") => Some(text),
        _ => None,
    })
}

/// The answer of a run without a verdict.
pub(crate) fn failure(output: &Output<'_>, said: &[Response<'_>]) -> Answer {
    let error = said.iter().find_map(error_message);
    if let Some(signature) = crash(output) {
        return Answer::Crash(signature);
    }
    if let Some(message) = error {
        return limit_reason(message).unwrap_or_else(|| Answer::Rejected(excerpt(message)));
    }
    match output.ending {
        Ending::TimedOut => return Answer::Timeout,
        Ending::OutOfMemory => return Answer::OutOfMemory,
        // A limit of the sandbox says nothing about the tool's answer.
        Ending::OverLimit(_) => return Answer::Unknown(Some(output.ending.to_string())),
        Ending::Exited(_) | Ending::Signalled(_) => {}
    }
    if let Some(answer) = limit_phrase(output.stderr) {
        return answer;
    }
    let words =
        noise(output.stdout).chain(output.stderr.lines()).find(|line| !line.trim().is_empty());
    match (words, output.ending) {
        (Some(words), Ending::Exited(code)) if code != 0 => Answer::Rejected(excerpt(words)),
        (Some(words), _) => Answer::Garbled(excerpt(words)),
        (None, ending) => Answer::Garbled(format!("no output, {ending}")),
    }
}

pub(crate) fn excerpt(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(EXCERPT).collect()
}
