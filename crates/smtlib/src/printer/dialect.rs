//! The spelling that a reader of our text expects. A dialect is data: a new solver's quirks are a new
//! value, not new code.

use assay_term::op::Vocabulary;
use assay_term::value::{MAX_CHAR, Value};
use assay_term::{Arrows, Func, Op, Store, Term, TermId};
use std::fmt::Write;

/// A way to spell SMT-LIB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// Its name in flags and target files.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// The vocabularies of aliases that are preferred to the standard names.
    pub vocabularies: &'static [Vocabulary],
    /// The name of the sort of regular languages.
    pub reglan: &'static str,
    /// How characters outside printable ASCII are written.
    pub escapes: Escapes,
    /// The last character of the alphabet.
    pub last_character: u32,
    /// How functions that are values are written.
    pub functions: Functions,
    /// The name of the operator that updates a field of a datatype.
    pub update: &'static str,
}

/// How functions that are values are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Functions {
    /// `(-> A B C)`, `(f x y)`, `(@ t x)`, as SMT-LIB 2.7 has them.
    Values,
    /// `(-> A (-> B C))` is a sort of arrays, read by `select`, one argument at a time.
    Arrays,
}

impl Functions {
    /// How their sorts are written.
    pub(super) fn arrows(self) -> Arrows {
        match self {
            Functions::Values => Arrows::Joined,
            Functions::Arrays => Arrows::Nested,
        }
    }
}

/// How characters of a string literal are escaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Escapes {
    /// `\u{41}`, as in SMT-LIB 2.6.
    Unicode,
    /// `\x41`, the older form; there are 256 characters.
    Hexadecimal,
}

/// z3's name, which the standard lacks.
const UPDATE: &str = "update-field";

/// The names of the standard, version 2.7.
pub const STANDARD: Dialect = Dialect {
    name: "smt-lib",
    about: "today's names (SMT-LIB 2.7)",
    vocabularies: &[],
    reglan: "RegLan",
    escapes: Escapes::Unicode,
    last_character: MAX_CHAR,
    functions: Functions::Values,
    update: UPDATE,
};

/// The names of the standard, version 2.6, for solvers released before 2025.
pub const SMT_LIB_2_6: Dialect = Dialect {
    name: "smt-lib-2.6",
    about: "names of SMT-LIB 2.6 (bv2nat, int2bv)",
    vocabularies: &[Vocabulary::Before27],
    reglan: "RegLan",
    escapes: Escapes::Unicode,
    last_character: MAX_CHAR,
    functions: Functions::Values,
    update: UPDATE,
};

/// z3 up to 4.8.8.
pub const Z3_OLD: Dialect = Dialect {
    name: "z3-old",
    about: "z3 up to 4.8.8 (str.to.re, str.in.re, (RegEx String), \\x escapes)",
    vocabularies: &[Vocabulary::OldStrings, Vocabulary::Before27],
    reglan: "(RegEx String)",
    escapes: Escapes::Hexadecimal,
    last_character: 0xFF,
    functions: Functions::Values,
    update: UPDATE,
};

/// z3 4.8.9 and 4.8.10: current names, but a character is a byte.
const BYTES: Dialect = Dialect {
    name: "smt-lib-2.6-bytes",
    about: "names of SMT-LIB 2.6, strings of bytes (z3 4.8.9 and 4.8.10)",
    last_character: 0xFF,
    ..SMT_LIB_2_6
};

/// cvc5 before it had the names of SMT-LIB 2.7.
const CVC5: Dialect = Dialect {
    name: "cvc5",
    about: "names of SMT-LIB 2.6, and (_ update field)",
    update: "update",
    ..SMT_LIB_2_6
};

/// z3 since 5.0: a function is an array.
const Z3: Dialect = Dialect {
    name: "z3",
    about: "z3 since 5.0 (functions as values are arrays)",
    functions: Functions::Arrays,
    ..STANDARD
};

impl Dialect {
    /// Every dialect.
    pub const ALL: [Dialect; 6] = [STANDARD, SMT_LIB_2_6, BYTES, CVC5, Z3_OLD, Z3];

    /// The dialect of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name == name)
    }

    /// Its spelling of an operator.
    #[must_use]
    pub fn spelling(&self, op: Op) -> &'static str {
        let row = op.row();
        let alias =
            |vocabulary| row.aliases.iter().find(move |alias| alias.vocabulary == vocabulary);
        self.vocabularies.iter().find_map(|&v| alias(v)).map_or(row.name, |alias| alias.name)
    }

    /// Writes the characters of a string literal, without the quotes.
    pub fn write_string(&self, characters: &[u32], out: &mut String) {
        for &c in characters {
            match (c, self.escapes) {
                (0x22, _) => out.push_str("\"\""),
                (0x20..=0x5B | 0x5D..=0x7E, _) => out.push(char::from(c as u8)),
                (_, Escapes::Unicode) => {
                    let _ = write!(out, "\\u{{{c:x}}}");
                }
                (_, Escapes::Hexadecimal) => {
                    let _ = write!(out, "\\x{:02x}", c & 0xFF);
                }
            }
        }
    }

    /// The first part of these terms that the dialect cannot express, as text.
    #[must_use]
    pub fn refusal(&self, store: &Store, terms: &[TermId]) -> Option<String> {
        if self.last_character == MAX_CHAR {
            return None;
        }
        store.postorder(terms).into_iter().find_map(|term| {
            let what = match store.get(term) {
                Term::Literal(Value::Str(text)) => {
                    let high = text.iter().find(|&&c| c > self.last_character)?;
                    format!("the character U+{high:04X}")
                }
                Term::App(func, _) => match store.func(func) {
                    Func::Op(assay_term::theories::strings::CHAR, _) => "(_ char …)".into(),
                    _ => return None,
                },
                _ => return None,
            };
            Some(format!("the dialect {} cannot write {what}", self.name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lets, Printer, read_script};

    #[test]
    fn updates_of_fields_are_written_as_they_are_read() {
        let text = "(declare-datatype P ((mk (x Int))))\n(declare-const p P)\n\
                    (assert (= p ((_ update x) p 3)))\n";
        let mut store = Store::new();
        let (script, _) = read_script(&mut store, text.as_bytes(), Lets::Keep).expect("it reads");
        assert_eq!(Printer::new(&store).dialect(CVC5).script(&script), text);
        let ours = text.replace("update", "update-field");
        assert_eq!(Printer::new(&store).script(&script), ours);
    }
}
