//! Where a domain is: built in, in a library that the catalogue brings here, in a file of the user's.

use crate::output;
use crate::tools::CatalogArgs;
use assay_lattice::protocol::{Plan, Reply};
use assay_lattice::{Config, Engine};
use assay_target::domain::{DomainWorker, Heard};
use assay_target::process::Launcher;
use assay_target::{Installer, TargetName};
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
    pub(super) fn of(name: &TargetName, catalog: &CatalogArgs) -> Result<Place, Box<dyn Error>> {
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
            ("builtin", Some(_), _) => {
                let reported = env!("CARGO_PKG_VERSION").to_owned();
                Ok(Place { name: name.clone(), reported, path: None })
            }
            (_, Some(_), Some(path)) if path.contains('/') => {
                Ok(Place { name: name.clone(), reported: path.into(), path: Some(here(path)?) })
            }
            (family, domain, version) => {
                let known = || -> String {
                    let families = [
                        ("builtin", &assay_lattice::reference::NAMES[..]),
                        ("apron", &assay_plugin::APRON_NAMES),
                        ("ppl", &assay_plugin::PPL_NAMES),
                    ];
                    let names = families.iter().flat_map(|(family, names)| {
                        names.iter().map(move |n| format!("{family}/{n}"))
                    });
                    names.collect::<Vec<_>>().join(", ")
                };
                if !["apron", "ppl"].contains(&family) || domain.is_none() {
                    let known = known();
                    return Err(format!(
                        "there is no domain `{name}`; known are {known}, plugin@/path/to/domain.so, \
                         command@/path/to/program"
                    )
                    .into());
                }
                let library = TargetName {
                    name: family.to_owned(),
                    version: version.map(str::to_owned),
                    variant: None,
                };
                let mut note = |words: &str| output::note(&format!("{words}\n"));
                let found =
                    catalog.catalog()?.resolve(&library, &Installer::for_user(), &mut note)?;
                Ok(Place {
                    name: name.at(found.version.as_str()),
                    reported: found.reported_version,
                    path: Some(found.program),
                })
            }
        }
    }

    /// A worker for it.
    pub(super) fn worker(
        &self,
        launcher: &Launcher,
        limits: (u64, Duration),
    ) -> Result<DomainWorker, Box<dyn Error>> {
        Ok(DomainWorker::new(&self.name, launcher, self.path.clone(), limits)?)
    }
}

/// Starts every domain of a family in the libraries of a folder; what is wrong, in words.
pub(crate) fn examine(family: &str, folder: PathBuf) -> Result<(), String> {
    let names: &[&str] = match family {
        "apron" => &assay_plugin::APRON_NAMES,
        "ppl" => &assay_plugin::PPL_NAMES,
        other => return Err(format!("`{other}` is no library that is known here")),
    };
    let launcher = Launcher::this_program().map_err(|error| error.to_string())?;
    let config = Config::preset("C2").expect("it is a preset");
    let plan = Plan::new(&config, Engine::Random, 0, Vec::new());
    for domain in names {
        let name = TargetName::newest(format!("{family}/{domain}"));
        let limits = (1 << 30, Duration::from_secs(20));
        let worker = DomainWorker::new(&name, &launcher, Some(folder.clone()), limits);
        let heard = worker.and_then(|mut worker| worker.begin(&plan));
        match heard.map_err(|error| error.to_string())? {
            Heard::Replies(replies) if matches!(replies.first(), Some(Reply::Ready { .. })) => {}
            Heard::Replies(replies) => return Err(format!("{name} said {replies:?}")),
            Heard::Died { death, words, .. } => return Err(format!("{name}: {death} {words}")),
        }
    }
    Ok(())
}
