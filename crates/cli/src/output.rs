//! Results go to stdout, notes to stderr. A reader that hangs up ends the run quietly.

use std::error::Error;
use std::io::Write;

/// Writes a result.
pub(crate) fn result(text: &str) {
    write_or_quit(&mut std::io::stdout().lock(), text);
}

/// Writes a note.
pub(crate) fn note(text: &str) {
    write_or_quit(&mut std::io::stderr().lock(), text);
}

/// A text as far as it fits on a line.
pub(crate) fn shortened(text: &str) -> String {
    const WIDTH: usize = 100;
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Says why a command failed.
pub(crate) fn failure(error: &dyn Error) {
    note(&format!("error: {error}\n"));
}

fn write_or_quit(stream: &mut impl Write, text: &str) {
    if stream.write_all(&assay_smtlib::bytes_of(text)).and_then(|()| stream.flush()).is_err() {
        std::process::exit(2);
    }
}
