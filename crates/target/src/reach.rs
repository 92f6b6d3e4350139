//! The files of a tool: what it may read in the sandbox, apart from the system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folders that hold programs within an installation, next to its libraries.
const PROGRAMS: [&str; 3] = ["bin", "sbin", "libexec"];

/// The files and folders of a tool: its installation, and paths in its command line and
/// environment.
pub(crate) fn installation(
    program: &Path,
    lead: &[String],
    env: &BTreeMap<String, String>,
) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let home = home.filter(|home| home.is_absolute());
    let listed = lead.iter().chain(env.values()).flat_map(|words| words.split(':'));
    let listed = listed.map(Path::new).filter(|path| path.is_absolute());
    let mut found = Vec::new();
    // A program may be a link into its installation, and a virtual environment a link out of one.
    for program in [Some(program.to_owned()), program.canonicalize().ok()].into_iter().flatten() {
        found.push(root(&program, home.as_deref()));
    }
    for path in listed {
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        found.push(private(folder, path, home.as_deref()));
    }
    found.retain(|path| path.exists());
    found.sort();
    found.dedup();
    found
}

/// The folder of an installation, given the program in it.
fn root(program: &Path, home: Option<&Path>) -> PathBuf {
    let folder = program.parent().unwrap_or(program);
    let among_programs = folder.file_name().is_some_and(|name| PROGRAMS.iter().any(|p| name == *p));
    match folder.parent().filter(|_| among_programs) {
        Some(above) if !is_common(above, home) => above.to_owned(),
        _ => private(folder, program, home),
    }
}

/// The folder, unless it is shared with other software: then only the file in it.
fn private(folder: &Path, file: &Path, home: Option<&Path>) -> PathBuf {
    if is_common(folder, home) { file } else { folder }.to_owned()
}

/// Whether a folder is or contains the user's home, or is a shared system folder.
fn is_common(folder: &Path, home: Option<&Path>) -> bool {
    const SHARED: [&str; 8] =
        ["/tmp", "/var", "/var/tmp", "/home", "/root", "/opt", "/etc", "/dev/shm"];
    folder.parent().is_none()
        || home.is_some_and(|home| home.starts_with(folder))
        || SHARED.iter().any(|shared| folder == Path::new(shared))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_is_never_the_whole_home() {
        let home = Some(Path::new("/home/me"));
        for (program, expected) in [
            ("/home/me/.opam/default/bin/frama-c", "/home/me/.opam/default"),
            ("/home/me/z3/build/z3", "/home/me/z3/build"),
            ("/home/me/bin/z3", "/home/me/bin"),
            ("/home/me/z3", "/home/me/z3"),
            ("/usr/bin/cvc5", "/usr"),
            ("/opt/bin/z3", "/opt/bin"),
            ("/opt/z3/bin/z3", "/opt/z3"),
            ("/tmp/z3", "/tmp/z3"),
            ("/bin/z3", "/bin"),
            ("/z3", "/z3"),
            ("/home/z3", "/home/z3"),
        ] {
            assert_eq!(root(Path::new(program), home), Path::new(expected), "{program}");
        }
    }

    #[test]
    fn paths_on_the_command_line_belong_to_the_installation() {
        let folder = tempfile::tempdir().expect("a folder");
        let [library, drivers] = ["library", "drivers"].map(|name| folder.path().join(name));
        for path in [&library, &drivers] {
            std::fs::create_dir(path).expect("a folder of the test's own");
        }
        let script = drivers.join("tool.py");
        std::fs::write(&script, "").expect("a folder of the test's own");
        let env = [("PYTHONPATH".to_owned(), format!("{}:/nowhere/at/all", library.display()))];
        let lead = [script.display().to_string(), "--library-path".to_owned()];
        let found = installation(Path::new("/bin/sh"), &lead, &env.into());
        for path in [&library, &drivers] {
            assert!(found.contains(path), "{found:?}");
        }
        assert!(!found.iter().any(|path| path.starts_with("/nowhere")), "{found:?}");
        assert!(!found.contains(&folder.path().to_owned()), "{found:?}");
    }
}
