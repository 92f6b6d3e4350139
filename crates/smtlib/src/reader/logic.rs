//! The theories in the name of a logic: a script may declare the names of theories that its logic does
//! not have.

use assay_term::Op;
use assay_term::theories::{core, ints, reals};

/// A theory in the name of a logic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Functions,
    Arrays,
    BitVectors,
    Floats,
    Datatypes,
    Strings,
    Arithmetic,
    Other,
}

/// The parts of names, longer ones before their prefixes.
const PARTS: &[(&str, Part)] = &[
    ("AX", Part::Arrays),
    ("A", Part::Arrays),
    ("UF", Part::Functions),
    ("BV", Part::BitVectors),
    ("FP", Part::Floats),
    ("FF", Part::Other),
    ("FS", Part::Other),
    ("DT", Part::Datatypes),
    ("SEP", Part::Other),
    ("S", Part::Strings),
    ("LIRA", Part::Arithmetic),
    ("NIRA", Part::Arithmetic),
    ("LIA", Part::Arithmetic),
    ("NIA", Part::Arithmetic),
    ("LRA", Part::Arithmetic),
    ("NRA", Part::Arithmetic),
    ("IDL", Part::Arithmetic),
    ("RDL", Part::Arithmetic),
    ("T", Part::Other),
];

/// Sorts of the standard's theories, each with the theories that have it.
const SORTS: &[(&str, &[Part])] = &[
    ("Bool", &[]),
    ("Int", &[Part::Arithmetic, Part::Strings]),
    ("Real", &[Part::Arithmetic, Part::Floats]),
    ("Array", &[Part::Arrays]),
    ("RoundingMode", &[Part::Floats]),
    ("Float16", &[Part::Floats]),
    ("Float32", &[Part::Floats]),
    ("Float64", &[Part::Floats]),
    ("Float128", &[Part::Floats]),
    ("String", &[Part::Strings]),
    ("RegLan", &[Part::Strings]),
];

/// Operators that cannot be declared, because reading and converting terms uses them.
const FIXED: [Op; 14] = [
    core::TRUE,
    core::FALSE,
    core::NOT,
    core::AND,
    core::OR,
    core::XOR,
    core::IMPLIES,
    core::EQ,
    core::DISTINCT,
    core::ITE,
    ints::SUB,
    ints::ADD,
    ints::MUL,
    reals::TO_REAL,
];

/// The logic of a script.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Logic {
    name: Option<String>,
    /// The parts of its name; `None` if it could have any theory.
    parts: Option<Vec<Part>>,
}

impl Logic {
    /// The logic of this name.
    pub(crate) fn new(name: &str) -> Logic {
        let plain = name.strip_prefix("HO_").unwrap_or(name);
        let plain = plain.strip_prefix("QF_").unwrap_or(plain);
        Logic { name: Some(name.to_owned()), parts: parts(plain) }
    }

    /// Whether the script has set it.
    pub(crate) fn is_set(&self) -> bool {
        self.name.is_some()
    }

    /// Whether its name implies that functions are values.
    pub(crate) fn is_higher_order(&self) -> bool {
        self.name.as_ref().is_some_and(|name| name.starts_with("HO_"))
    }

    fn has_any(&self, theories: &[Part]) -> bool {
        match &self.parts {
            Some(parts) => theories.is_empty() || theories.iter().any(|part| parts.contains(part)),
            None => true,
        }
    }

    /// Whether a sort of this name belongs to a standard theory of the logic.
    pub(crate) fn has_sort(&self, name: &str) -> bool {
        SORTS.iter().any(|(sort, theories)| *sort == name && self.has_any(theories))
    }

    /// Whether the operator, by its standard name, cannot be declared. Its other spellings can.
    pub(crate) fn is_fixed(&self, op: Op, spelling: &str) -> bool {
        let arithmetic = [ints::SUB, ints::ADD, ints::MUL, reals::TO_REAL].contains(&op);
        let theories: &[Part] = if arithmetic {
            &[Part::Arithmetic, Part::Strings, Part::Floats, Part::BitVectors, Part::Other]
        } else {
            &[]
        };
        FIXED.contains(&op) && op.name() == spelling && self.has_any(theories)
    }
}

/// The parts of a logic's name; `None` if a part is not understood.
fn parts(name: &str) -> Option<Vec<Part>> {
    let (mut parts, mut rest) = (Vec::new(), name);
    while !rest.is_empty() {
        let &(text, part) = PARTS.iter().find(|(text, _)| rest.starts_with(text))?;
        parts.push(part);
        rest = &rest[text.len()..];
    }
    (!parts.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_logics_give_their_theories() {
        let table: &[(&str, &str, bool)] = &[
            ("QF_UF", "Int", false),
            ("QF_UF", "Bool", true),
            ("QF_UF", "String", false),
            ("QF_AX", "Array", true),
            ("QF_AX", "Int", false),
            ("QF_ALIA", "Array", true),
            ("QF_ALIA", "Int", true),
            ("AUFLIRA", "Real", true),
            ("AUFLIRA", "String", false),
            ("QF_SLIA", "String", true),
            ("QF_S", "Int", true),
            ("UFDTNIA", "Array", false),
            ("QF_BV", "Int", false),
            ("QF_BVFP", "Float32", true),
            ("HO_UF", "Int", false),
            ("ALL", "Array", true),
            ("ALL_SUPPORTED", "String", true),
            ("HORN", "Int", true),
            ("my logic", "Real", true),
            ("ALL", "Seq", false),
            ("ALL", "Set", false),
        ];
        for &(logic, sort, expected) in table {
            assert_eq!(Logic::new(logic).has_sort(sort), expected, "{sort} in {logic}");
        }
        assert!(Logic::default().has_sort("Int"), "without a logic every theory may be meant");
    }
}
