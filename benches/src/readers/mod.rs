//! The readers under comparison, one file each, behind one trait.
//!
//! A reader's file says what its tree is made of, because a time means little without that: some
//! peers only recognise the script, some allocate every node, some share equal ones, and one also
//! checks sorts. Nothing here measures anything.

mod assay;
mod aws_smt_ir;
mod smt2parser;
mod smtlib_lowlevel;
mod yaspar;
mod yaspar_ir;

/// The name of our own reader: the table divides every time by the time of the reader named so.
///
/// To enter the race it needs a file beside the others and a line in [`all`].
pub const OURS: &str = "assay";

/// What a reader's result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// No tree: the script is only recognised.
    Recognised,
    /// A tree in which equal subterms are separate nodes.
    Tree,
    /// A graph in which equal subterms are one node, sorts unchecked.
    Shared,
    /// A graph in which equal subterms are one node and every sort was checked.
    SharedAndSorted,
}

impl Product {
    /// The table's word for it.
    pub fn word(self) -> &'static str {
        match self {
            Product::Recognised => "none",
            Product::Tree => "tree",
            Product::Shared => "shared",
            Product::SharedAndSorted => "shared, sorted",
        }
    }
}

/// How long a reader's result outlives its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// Dropping the result frees it; a second read starts from nothing.
    Freed,
    /// Nodes stay in a process-wide table: a second read of the same text would find them all
    /// there and build nothing, so every repetition needs a fresh process.
    Process,
}

/// The finished result of one read, still alive.
pub trait Script {
    /// How many commands the result holds.
    fn commands(&self) -> usize;

    /// The script as the result remembers it, or nothing where there is no result to print.
    fn print(&self) -> Option<String>;
}

/// A reader of SMT-LIB scripts.
pub trait Reader: Sync {
    /// The crate's name, with a mark where one crate has several stages.
    fn name(&self) -> &'static str;

    /// What the reader makes.
    fn product(&self) -> Product;

    /// Whether a result can be freed.
    fn retention(&self) -> Retention {
        Retention::Freed
    }

    /// Reads all of `text`, shows the result to `look` and then frees it.
    ///
    /// A callback instead of a returned value lets a tree borrow from its arena, and gives the
    /// caller the moment when reading ends and the moment when freeing begins.
    ///
    /// # Errors
    ///
    /// The reader's own message when it rejects the text; `look` is then never called.
    fn read(&self, text: &str, look: &mut dyn FnMut(&dyn Script)) -> Result<(), String>;
}

/// Every reader, in the order of the table.
pub fn all() -> &'static [&'static dyn Reader] {
    &[
        &smtlib_lowlevel::SmtlibLowlevel,
        &yaspar::Yaspar,
        &yaspar_ir::Untyped,
        &yaspar_ir::Typed,
        &smt2parser::Smt2Parser,
        &aws_smt_ir::AwsSmtIr,
        &assay::Assay,
    ]
}

/// The reader called `name`.
pub fn by_name(name: &str) -> Option<&'static dyn Reader> {
    all().iter().copied().find(|reader| reader.name() == name)
}

/// Prints commands one per line, the form shared by the peers that print commands singly.
fn print_lines<C: std::fmt::Display>(commands: &[C]) -> String {
    commands.iter().map(|command| format!("{command}\n")).collect()
}
