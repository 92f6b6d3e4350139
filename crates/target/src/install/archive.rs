//! Fetches packages of any release of Debian from the archives that the system's `apt` knows, with
//! separate package lists: the system is not changed, and no superuser is needed.

use super::InstallError;
use super::apt::apt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The trusted signing keys.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Packages of one release.
pub(super) struct Wanted<'w> {
    /// The release: `trixie`.
    pub(super) suite: &'w str,
    pub(super) packages: &'w [String],
}

impl Wanted<'_> {
    /// The packages as files below a folder, sorted by name.
    pub(super) fn fetch(&self, folder: &Path) -> Result<Vec<PathBuf>, InstallError> {
        let mut troubles = Vec::new();
        for archive in archives().map_err(|words| self.trouble(words))? {
            match self.fetch_from(&archive, folder)? {
                Ok(files) => return Ok(files),
                Err(words) => troubles.push(format!("{archive}: {words}")),
            }
        }
        let tried = match troubles.is_empty() {
            true => "apt knows no archive".to_owned(),
            false => troubles.join("; "),
        };
        let suite = self.suite;
        Err(self
            .trouble(format!("no archive in apt's sources gave them of Debian {suite}: {tried}")))
    }

    pub(super) fn trouble(&self, words: String) -> InstallError {
        InstallError::Apt { package: self.packages.join(" "), words }
    }

    /// The files, or the package manager's message about this archive.
    fn fetch_from(
        &self,
        archive: &str,
        folder: &Path,
    ) -> Result<Result<Vec<PathBuf>, String>, InstallError> {
        let _ = fs::remove_dir_all(folder);
        let packages = folder.join("packages");
        for below in ["lists/partial", "cache/archives/partial", "packages"] {
            let below = folder.join(below);
            fs::create_dir_all(&below).map_err(InstallError::files(&below))?;
        }
        let sources = folder.join("sources.list");
        // Packages that the system has installed are ignored.
        let status = folder.join("status");
        let line = format!("deb [signed-by={KEYS}] {archive} {} main\n", self.suite);
        for (file, text) in [(&sources, line.as_str()), (&status, "")] {
            fs::write(file, text).map_err(InstallError::files(file))?;
        }
        let settings = [
            format!("Dir::Etc::sourcelist={}", sources.display()),
            "Dir::Etc::sourceparts=/dev/null".to_owned(),
            format!("Dir::State::lists={}", folder.join("lists").display()),
            format!("Dir::State::status={}", status.display()),
            format!("Dir::Cache={}", folder.join("cache").display()),
            // The folder belongs to the user; apt's own user may not be able to enter it.
            "APT::Sandbox::User=root".to_owned(),
        ];
        let run = |words: &[&str]| {
            let mut command = Command::new("apt-get");
            settings.iter().for_each(|setting| _ = command.args(["-o", setting]));
            apt(command.args(words).current_dir(&packages), &mut |_| {})
        };
        let names: Vec<&str> = self.packages.iter().map(String::as_str).collect();
        let download = [&["download", "-q"], &names[..]].concat();
        if let Err(words) = run(&["update", "-q"]).and_then(|_| run(&download)) {
            return Ok(Err(words));
        }
        let listed = fs::read_dir(&packages).map_err(InstallError::files(&packages))?;
        let mut files: Vec<PathBuf> = listed.filter_map(Result::ok).map(|e| e.path()).collect();
        files.sort();
        Ok(Ok(files))
    }
}

/// The addresses of the archives in apt's sources, without repetition.
fn archives() -> Result<Vec<String>, String> {
    Ok(addresses(&apt(Command::new("apt-get").args(["update", "--print-uris"]), &mut |_| {})?))
}

/// The parts before `/dists/` of the addresses from which apt would fetch lists.
fn addresses(listed: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in listed.lines() {
        let address = line.strip_prefix('\'').and_then(|rest| rest.split_once("/dists/"));
        if let Some((address, _)) = address {
            if found.iter().all(|known| known != address) {
                found.push(address.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archive_addresses_are_read_from_uris() {
        let listed = "\
'http://one.example/debian/dists/bookworm/InRelease' one_InRelease 0
'http://one.example/debian/dists/bookworm-updates/InRelease' one_InRelease 0
'https://two.example/flat/Packages' two_Packages 0
W: a warning about /dists/ of something
'https://three.example/security/dists/bookworm-security/InRelease' three_InRelease 0
";
        let found = addresses(listed);
        assert_eq!(found, ["http://one.example/debian", "https://three.example/security"]);
    }
}
