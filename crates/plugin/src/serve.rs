//! From a target's name to a loaded domain.

use crate::apron::{Apron, Variables};
use crate::header::PlugIn;
use crate::library::LoadError;
use crate::ppl::Ppl;
use assay_lattice::{Bug, Tester, reference};
use std::path::Path;

/// Loads the domain of a name: `builtin/octagon`, `builtin/octagon` with a bug as its variant,
/// `apron/octD` with or without the variant `int`, `ppl/polyhedron`, `plugin` with the path of a library.
///
/// # Errors
/// If there is no such domain, or its library cannot be used.
pub fn load(
    name: &str,
    variant: Option<&str>,
    path: Option<&Path>,
) -> Result<Box<dyn Tester>, LoadError> {
    let unknown = |name: &str, known: String| LoadError::Unknown { name: name.to_owned(), known };
    match name.split_once('/') {
        Some(("builtin", own)) => {
            let bug = match variant {
                Some(bug) => Some(Bug::by_name(bug).ok_or_else(|| {
                    unknown(
                        bug,
                        assay_lattice::BUGS
                            .iter()
                            .map(|row| row.name)
                            .collect::<Vec<_>>()
                            .join(", "),
                    )
                })?),
                None => None,
            };
            reference::by_name(own, bug)
                .ok_or_else(|| unknown(name, all("builtin", &reference::NAMES)))
        }
        Some(("apron", own)) => {
            let variables = match variant {
                None => Variables::Reals,
                Some("int") => Variables::Integers,
                Some(other) => return Err(unknown(other, "int".to_owned())),
            };
            Ok(Box::new(Apron::load(path, own, variables)?))
        }
        Some(("ppl", own)) if variant.is_none() => Ok(Box::new(Ppl::load(path, own)?)),
        _ if name == "plugin" => match path {
            Some(path) => Ok(Box::new(PlugIn::load(path)?)),
            None => Err(unknown(name, "plugin@/path/to/library.so".to_owned())),
        },
        _ => {
            let known = [
                all("builtin", &reference::NAMES),
                all("apron", &crate::APRON_NAMES),
                all("ppl", &crate::PPL_NAMES),
            ];
            Err(unknown(name, format!("{}, plugin@/path/to/library.so", known.join(", "))))
        }
    }
}

fn all(family: &str, names: &[&str]) -> String {
    names.iter().map(|name| format!("{family}/{name}")).collect::<Vec<_>>().join(", ")
}
