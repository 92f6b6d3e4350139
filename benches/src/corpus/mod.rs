//! Deterministic scripts for measuring readers: realistic in shape, well-sorted, meaningless.
//!
//! The same flavour, size and seed give the same bytes everywhere. Only syntax that every reader
//! under comparison accepts is used, which rules out more than one would think:
//! `(set-option :produce-models true)`, patterns of several terms, `define-const`.

mod bmc;
mod mixed;
mod names;
mod rng;
mod term;
mod verifier;

use clap::ValueEnum;
use rng::Rng;

/// The style of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Flavour {
    /// Hand-written and tool-made formulas of many theories: lets, literals of all kinds, some
    /// quantifiers and names.
    Mixed,
    /// Bounded model checking over bit-vectors: long chains of small definitions, no lets.
    Bmc,
    /// A program verifier's output: uninterpreted sorts, quantified axioms with patterns, long
    /// names, a few large conditions of nested lets.
    Verifier,
}

/// Writes a script of about `bytes` bytes, never fewer.
pub fn make(flavour: Flavour, bytes: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut out = String::with_capacity(bytes + bytes / 16);
    out.push_str("(set-info :smt-lib-version 2.6)\n");
    out.push_str("(set-info :status unknown)\n");
    match flavour {
        Flavour::Mixed => mixed::write(&mut out, bytes, &mut rng),
        Flavour::Bmc => bmc::write(&mut out, bytes, &mut rng),
        Flavour::Verifier => verifier::write(&mut out, bytes, &mut rng),
    }
    out.push_str("(check-sat)\n(exit)\n");
    out
}

/// Writes the declaration of a function without arguments or with some.
fn declare_fun(out: &mut String, name: &str, arguments: &[&str], result: &str) {
    out.push_str(&format!("(declare-fun {name} ({}) {result})\n", arguments.join(" ")));
}
