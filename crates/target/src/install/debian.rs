//! Packages of Debian: found on the search path, or installed by `apt-get` if that is allowed.

use super::apt::apt;
use super::{InstallError, Installed, Installer, Network, SystemPackages, on_path};
use crate::spec::Spec;
use crate::subprocess;
use crate::version::Version;
use std::process::Command;
use std::time::Duration;

/// The time limit for a query to dpkg.
const LIMIT: Duration = Duration::from_secs(600);

pub(super) fn find(
    installer: &Installer,
    spec: &Spec,
    version: &Version,
    command: &str,
) -> Result<Option<Installed>, InstallError> {
    let Some(program) = on_path(command) else { return Ok(None) };
    let behaviour = spec.behaviour(version, None);
    let installed = Installed::of_program(&program, &behaviour.version_args, installer.sandbox)?;
    if !installed.version.begins_with(version) {
        return Err(InstallError::OtherVersion {
            name: spec.name.clone(),
            command: command.to_owned(),
            found: installed.reported_version,
            wanted: version.to_string(),
        });
    }
    Ok(Some(Installed { version: version.clone(), ..installed }))
}

/// The release of an installed package as Debian writes it: `1.0.3-2+b1`. apt verified its
/// signature when it was installed.
pub(super) fn package_version(package: &str) -> Option<String> {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat=${Version}", package]);
    let said = subprocess::run(&mut query, "", LIMIT).ok().filter(|said| said.succeeded())?;
    Some(said.stdout.trim().to_owned()).filter(|version| !version.is_empty())
}

/// Those of the packages that are not installed.
pub(super) fn missing(packages: &[String]) -> Vec<&str> {
    packages.iter().map(String::as_str).filter(|name| package_version(name).is_none()).collect()
}

pub(super) fn install(
    installer: &Installer,
    spec: &Spec,
    version: &Version,
    packages: &[&str],
    note: &mut dyn FnMut(&str),
) -> Result<(), InstallError> {
    if installer.network == Network::Forbidden {
        let (name, version) = (spec.name.clone(), version.clone());
        return Err(InstallError::Offline { name, version });
    }
    let package = packages.join(" ");
    let root = rustix::process::geteuid().is_root();
    let sudo = !root && installer.system == SystemPackages::Allowed;
    if on_path("apt-get").is_none() || !(root || sudo) {
        return Err(InstallError::NeedsSystemPackage {
            name: spec.name.clone(),
            command: format!("sudo apt-get install {package}"),
            package,
        });
    }
    note(&format!("{} {version}: apt-get install {package}", spec.name));
    let mut command = |args: &[&str]| {
        let mut command = Command::new(if sudo { "sudo" } else { "apt-get" });
        if sudo {
            // No one can type a password.
            command.args(["-n", "apt-get"]);
        }
        apt(command.args(args), note)
            .map_err(|words| InstallError::Apt { package: package.clone(), words })
    };
    command(&["update", "-q"])?;
    command(&[&["install", "-q", "-y", "--no-install-recommends"], packages].concat())?;
    Ok(())
}
