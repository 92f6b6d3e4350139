//! Where a domain is: built in, in a library that the catalogue brings here, in a file of the user's.

use crate::output;
use crate::tools::TargetArgs;
use assay_lattice::{BUGS, BugRow, reference};
use assay_target::TargetName;
use assay_target::domain::{DomainLimits, DomainWorker};
use assay_target::process::Launcher;
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

/// A domain that can be started.
pub(super) struct Place {
    /// Its full name.
    pub(super) name: TargetName,
    /// The version that is there.
    pub(super) reported: String,
    /// The folder of its libraries, or its file.
    path: Option<PathBuf>,
}

impl Place {
    /// Where a domain is; a library that is missing is brought here.
    pub(super) fn of(name: &TargetName, catalog: &TargetArgs) -> Result<Place, Box<dyn Error>> {
        let here = |path: &str| std::path::absolute(path);
        let (family, domain) = match name.name.split_once('/') {
            Some((family, domain)) => (family, Some(domain)),
            None => (name.name.as_str(), None),
        };
        match (family, domain, name.version.as_deref()) {
            ("plugin" | "command", None, Some(path)) => {
                Ok(Place { name: name.clone(), reported: path.into(), path: Some(here(path)?) })
            }
            ("plugin" | "command", None, None) => {
                let what = if family == "plugin" { "domain.so" } else { "program" };
                Err(format!("`{family}` needs a file: {family}@/path/to/{what}").into())
            }
            (_, Some(domain), version) if is_known(family, domain) => {
                variant(family, domain, name.variant.as_deref())?;
                if family == "builtin" {
                    let reported = env!("CARGO_PKG_VERSION").to_owned();
                    return Ok(Place { name: name.clone(), reported, path: None });
                }
                if let Some(path) = version.filter(|path| path.contains('/')) {
                    let (name, path) = (name.clone(), Some(here(path)?));
                    return Ok(Place { name, reported: version.unwrap_or_default().into(), path });
                }
                let library = TargetName {
                    name: family.to_owned(),
                    version: version.map(str::to_owned),
                    variant: None,
                };
                let mut note = |words: &str| output::note(&format!("{words}\n"));
                let found =
                    catalog.catalog()?.resolve(&library, &catalog.installer(), &mut note)?;
                Ok(Place {
                    name: name.at(found.version.as_str()),
                    reported: found.reported_version,
                    path: Some(found.program),
                })
            }
            _ => Err(format!("there is no domain `{}`; known are {}", name.name, known()).into()),
        }
    }

    /// A worker for it.
    pub(super) fn worker(&self, launcher: &Launcher, limits: (u64, Duration)) -> DomainWorker {
        let (memory, patience) = limits;
        let limits = DomainLimits { memory, patience };
        DomainWorker::new(&self.name, launcher, self.path.clone(), limits)
    }
}

/// The domains that have a name, by family.
const FAMILIES: [(&str, &[&str]); 3] = [
    ("builtin", &assay_lattice::reference::NAMES),
    ("apron", &assay_plugin::APRON_NAMES),
    ("ppl", &assay_plugin::PPL_NAMES),
];

/// Every domain that can be named.
pub(crate) fn known() -> String {
    let names = FAMILIES
        .iter()
        .flat_map(|(family, names)| names.iter().map(move |name| format!("{family}/{name}")));
    let others = ["plugin@/path/to/domain.so", "command@/path/to/program"].map(str::to_owned);
    names.chain(others).collect::<Vec<_>>().join(", ")
}

fn is_known(family: &str, domain: &str) -> bool {
    FAMILIES.iter().any(|(name, domains)| *name == family && domains.contains(&domain))
}

/// Whether a target is a domain, by its name.
pub(super) fn is_domain(target: &TargetName) -> bool {
    let file = target.name == "plugin" || target.name == "command";
    file || target.name.split_once('/').is_some_and(|(family, domain)| is_known(family, domain))
}

/// Refuses a variant that a domain does not have, before anything is started.
fn variant(family: &str, domain: &str, variant: Option<&str>) -> Result<(), String> {
    let Some(variant) = variant else { return Ok(()) };
    let known: Vec<&str> = match family {
        "builtin" => {
            let shape = reference::by_name(domain, None).map(|tester| tester.profile().shape);
            let own = |row: &&BugRow| Some(row.shape) == shape;
            BUGS.iter().filter(own).map(|row| row.name).collect()
        }
        "apron" => vec!["int"],
        _ => Vec::new(),
    };
    match (known.contains(&variant), known.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => Err(format!("{family}/{domain} has no variants, and no `{variant}`")),
        (false, false) => Err(format!(
            "{family}/{domain} has no variant `{variant}`; it has {}",
            known.join(", ")
        )),
    }
}

/// The domains of a library; none where it is not known here.
pub(crate) fn of_library(name: &str) -> Option<&'static [&'static str]> {
    let libraries = FAMILIES.iter().filter(|(family, _)| *family != "builtin");
    libraries.into_iter().find(|(family, _)| *family == name).map(|(_, domains)| *domains)
}
