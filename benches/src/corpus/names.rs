//! Symbols as people and tools name things: unique, and of the lengths seen in real scripts.

use super::rng::Rng;

const WORDS: [&str; 32] = [
    "buf", "len", "idx", "ptr", "node", "state", "tmp", "count", "limit", "next", "prev", "req",
    "ack", "data", "addr", "mode", "flag", "lock", "queue", "head", "tail", "left", "right", "sum",
    "carry", "sel", "out", "in", "clk", "reset", "valid", "ready",
];

/// Hands out symbols, never one twice.
#[derive(Default)]
pub(super) struct Names {
    handed_out: usize,
}

impl Names {
    /// A number no other name carries.
    pub(super) fn fresh(&mut self) -> usize {
        self.handed_out += 1;
        self.handed_out
    }

    /// One to three words and a number: mostly 4 to 20 characters.
    pub(super) fn short(&mut self, rng: &mut Rng) -> String {
        let words = rng.between(1, 3);
        self.joined(rng, words, "_")
    }

    /// What a verifier calls a function or variable: a path of words, 20 to 60 characters.
    pub(super) fn long(&mut self, rng: &mut Rng, prefix: &str) -> String {
        let words = rng.between(4, 8);
        let path = self.joined(rng, words, ".");
        format!("{prefix}{path}")
    }

    fn joined(&mut self, rng: &mut Rng, words: usize, glue: &str) -> String {
        let words: Vec<&str> = (0..words).map(|_| *rng.pick(&WORDS)).collect();
        format!("{}{}", words.join(glue), self.fresh())
    }
}
