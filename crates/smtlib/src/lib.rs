//! SMT-LIB text to terms and back: the reader, the printer with its dialects, and readers of solvers'
//! answers.
//!
//! The reader consumes all of its input, or reports what it did not understand, with the position. It
//! never runs a solver and never judges an answer.

mod answers;
mod bytes;
mod lexer;
mod logic;
mod pieces;
mod printer;
mod reader;
mod script;
mod source;

pub use answers::{
    Bound, ItemFault, Objective, PrintedModel, Response, read_core, read_model, read_objectives,
    read_printed_model, read_values, responses,
};
pub use bytes::{bytes_of, text_of};
pub use logic::{EVERYTHING, Fragment, HORN, is_number, may_be_zero};
pub use pieces::{Piece, pieces};
pub use printer::{
    Dialect, Escapes, Layout, Printer, SMT_LIB_2_6, STANDARD, Sharing, Z3_OLD, print_model,
};
pub use reader::{Environment, Lets, Meaning, read_script, read_term, read_term_as};
pub use script::{Argument, Command, DatatypeSyntax, Definition, Plain, Query, Script, Setting};
pub use source::ReadError;
