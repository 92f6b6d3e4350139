//! A solver's replies to the questions after its verdict: the model, the objectives, the core.
//!
//! A requested part that cannot be used is kept with the reason, so that an unreadable answer never
//! counts as correct.

use crate::observation::{Ending, error_message, excerpt, is_limit};
use assay_smtlib::{Response, read_core};
use std::fmt;

/// A question after the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// `get-model`.
    Model,
    /// `get-objectives`.
    Objectives,
    /// `get-unsat-core`.
    Core,
    /// `get-proof`.
    Proof,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Model => "the model",
            Part::Objectives => "the list of objectives",
            Part::Core => "the core",
            Part::Proof => "the proof",
        })
    }
}

/// Who is to blame for a part that cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Blame {
    /// The tool: it printed something else, and no limit of ours cut it off.
    Tool,
    /// Nobody, or assay: the tool refused, a limit ended it, or we cannot represent the value.
    Nobody,
}

/// A requested part of an answer that cannot be used.
#[derive(Clone, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("{part} {words}")]
pub struct Spoiled {
    /// The part.
    pub part: Part,
    /// Who is to blame.
    pub blame: Blame,
    /// What is wrong with it, as a phrase to follow its name.
    pub words: String,
}

/// The replies after a verdict.
#[derive(Default)]
pub(crate) struct Replies {
    pub(crate) model: Option<String>,
    pub(crate) objectives: Option<String>,
    pub(crate) core: Option<Vec<String>>,
    pub(crate) proof: Option<String>,
    pub(crate) spoiled: Vec<Spoiled>,
}

/// One reply of a solver to one question.
enum Reply<'t> {
    /// An expression; several if a solver prints the entries of a model one by one.
    Text(Vec<&'t str>),
    /// An error.
    Refusal(String),
    /// The beginning of an expression.
    Unclosed(&'t str),
}

impl Reply<'_> {
    /// Whether its first word fits the question: only objectives have a head of their own.
    fn could_be(&self, part: Part) -> bool {
        match self {
            Reply::Text(parts) => is_objectives(parts[0]) == (part == Part::Objectives),
            Reply::Unclosed(text) => is_objectives(text) == (part == Part::Objectives),
            Reply::Refusal(_) => false,
        }
    }
}

/// The replies after a verdict, and how the process ended.
pub(crate) struct Tail<'t> {
    replies: Vec<Reply<'t>>,
    /// The first line that is not a reply.
    noise: Option<&'t str>,
    ending: Ending,
    /// Whether standard error reports a limit.
    limited: bool,
}

impl<'t> Tail<'t> {
    pub(crate) fn new(said: &[Response<'t>], ending: Ending, stderr: &str) -> Tail<'t> {
        let mut tail = Tail { replies: Vec::new(), noise: None, ending, limited: is_limit(stderr) };
        for response in said {
            tail.take(response);
        }
        tail
    }

    fn take(&mut self, response: &Response<'t>) {
        if let Some(words) = error_message(response) {
            self.replies.push(Reply::Refusal(excerpt(words)));
            return;
        }
        match response {
            // An answer to `get-info`, which is not one of these questions.
            Response::Expression(text) if text.starts_with("(:") => {}
            Response::Expression(text) => match self.replies.last_mut() {
                Some(Reply::Text(parts)) if is_entry(text) && is_entry(parts[0]) => {
                    parts.push(text);
                }
                _ => self.replies.push(Reply::Text(vec![text])),
            },
            Response::Unsupported => self.replies.push(Reply::Refusal("unsupported".to_owned())),
            Response::Noise(text) if text.starts_with('(') => {
                // Entries without an envelope form one reply, broken if its last entry is.
                if matches!(self.replies.last(), Some(Reply::Text(parts)) if is_entry(parts[0])) {
                    self.replies.pop();
                }
                self.replies.push(Reply::Unclosed(text));
            }
            Response::Noise(text) => {
                self.noise.get_or_insert(text);
            }
            _ => {}
        }
    }

    /// The replies to those of the asked questions that fit the verdict.
    pub(crate) fn read(&self, asked: &[Part], fitting: &[Part]) -> Replies {
        let mut read = Replies::default();
        // A proof looks like no other reply, and may be taken for any.
        let proves = asked.contains(&Part::Proof);
        let fits = |part: &&Part| match part {
            Part::Core => !proves || asked.contains(&Part::Core),
            Part::Proof => proves,
            Part::Model | Part::Objectives => true,
        };
        for &part in fitting.iter().filter(fits) {
            match self.find(part, asked) {
                Some(Reply::Text(parts)) => read.take(part, parts),
                Some(Reply::Unclosed(text)) => read.spoil(part, self.cut_off(text)),
                Some(Reply::Refusal(words)) if asked.contains(&part) => {
                    read.spoil(
                        part,
                        (Blame::Nobody, format!("is missing, with an error: {words}")),
                    );
                }
                None if asked.contains(&part) => read.spoil(part, self.nothing()),
                Some(Reply::Refusal(_)) | None => {}
            }
        }
        read
    }

    /// The reply to a question: by position if each question has one reply, otherwise by form, and
    /// then nothing after an error counts.
    fn find(&self, part: Part, asked: &[Part]) -> Option<&Reply<'t>> {
        let place = asked.iter().position(|other| *other == part);
        let placed = place.filter(|_| asked.len() == self.replies.len());
        let placed = placed.and_then(|at| self.replies.get(at));
        if placed.is_some_and(|reply| reply.could_be(part) || matches!(reply, Reply::Refusal(_))) {
            return placed;
        }
        let refused = self.replies.iter().position(|reply| matches!(reply, Reply::Refusal(_)));
        let usable = &self.replies[..refused.unwrap_or(self.replies.len())];
        let alone = || refused.filter(|_| asked == [part]).map(|at| &self.replies[at]);
        usable.iter().find(|reply| reply.could_be(part)).or_else(alone).or(placed)
    }

    fn cut_off(&self, text: &str) -> (Blame, String) {
        match self.ending {
            Ending::Exited(_) if !self.limited => {
                (Blame::Tool, format!("is not closed: {}", excerpt(text)))
            }
            Ending::Exited(_) => (Blame::Nobody, "is cut off by a limit of the tool's".to_owned()),
            ending => (Blame::Nobody, format!("is cut off ({ending})")),
        }
    }

    /// Words in place of a reply are the tool's fault, unless it ended with an error: then they are
    /// a refusal.
    fn nothing(&self) -> (Blame, String) {
        match (self.noise, self.ending) {
            (Some(words), Ending::Exited(0)) if !self.limited => {
                (Blame::Tool, format!("is not an SMT-LIB expression: {}", excerpt(words)))
            }
            (_, Ending::Exited(0)) => (Blame::Nobody, "is missing".to_owned()),
            (_, ending) => (Blame::Nobody, format!("is missing ({ending})")),
        }
    }
}

impl Replies {
    fn take(&mut self, part: Part, parts: &[&str]) {
        let text = parts.join("\n");
        match part {
            Part::Model => self.model = Some(text),
            Part::Objectives if is_objectives(&text) => self.objectives = Some(text),
            Part::Objectives => {
                self.spoil(part, (Blame::Tool, format!("cannot be read: {}", excerpt(&text))));
            }
            Part::Proof => self.proof = Some(text),
            Part::Core => match read_core(&text) {
                Ok(names) => self.core = Some(names),
                Err(_) => {
                    let words = format!("is not a list of names: {}", excerpt(&text));
                    self.spoil(part, (Blame::Tool, words));
                }
            },
        }
    }

    fn spoil(&mut self, part: Part, (blame, words): (Blame, String)) {
        self.spoiled.push(Spoiled { part, blame, words });
    }
}

fn is_objectives(text: &str) -> bool {
    text.starts_with("(objectives")
}

/// Whether the text is an entry of a model or a proof without an envelope.
fn is_entry(text: &str) -> bool {
    ["(define", "(= ", "(function ", "(declare-", "(assume", "(step", "(anchor"]
        .iter()
        .any(|head| text.starts_with(head))
}
