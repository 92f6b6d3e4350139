//! A tool under test that misbehaves on purpose. The first argument says how.
//!
//! It is for tests only: nothing is to depend on it. Called with `__keep` it is a keeper, so that
//! the tests of this crate need no other program.

mod hostile;
mod modes;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["__keep"] => assay_target::process::keep(),
        args => modes::run(args),
    }
}
