//! Results go to stdout, notes to stderr. If the reader closes the pipe, the run ends quietly; if
//! results cannot be written for another reason, it ends with a message.

use assay_campaign::shown;
use assay_smtlib::bytes_of;
use std::error::Error;
use std::io::{ErrorKind, IsTerminal, Write};

/// Writes a result. Control characters from tools and files are escaped.
pub(crate) fn result(text: &str) {
    write(&shown(text));
}

/// Writes a text that other programs read, byte for byte; on a terminal it is shown as results are.
pub(crate) fn document(text: &str) {
    match std::io::stdout().is_terminal() {
        true => result(text),
        false => write(text),
    }
}

fn write(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_all(&bytes_of(text)).and_then(|()| stdout.flush()) {
        lost(&error);
    }
}

/// Writes a note.
pub(crate) fn note(text: &str) {
    // If notes cannot be written, neither can a note about that.
    let _ = std::io::stderr().lock().write_all(&bytes_of(&shown(text)));
}

/// Writes a line over the last one, on a terminal.
pub(crate) fn progress(text: &str) {
    let line = format!("\r{}\x1b[K", shown(text));
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

/// Says why a command failed.
pub(crate) fn failure(error: &dyn Error) {
    note(&format!("error: {error}\n"));
}

/// Ends the process because standard output cannot be written.
pub(crate) fn lost(error: &std::io::Error) -> ! {
    if error.kind() != ErrorKind::BrokenPipe {
        note(&format!("error: standard output: {error}\n"));
    }
    std::process::exit(2);
}
