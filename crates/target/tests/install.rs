//! Installation against an interpreter that behaves as each test wants it to.

use assay_target::spec::Spec;
use assay_target::{Catalog, InstallError, Installed, Installer, Network, Unpinned, Version};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;

/// A folder with an interpreter, a wheel and a cache.
struct Scene {
    folder: tempfile::TempDir,
}

const TOOL: &str = "#!/bin/sh\necho This is Fake version 1.0.7, a tool\n";

impl Scene {
    /// `pip` is what the interpreter does when pip is called, as a shell script; `$dest` is the
    /// folder for the wheel, `$wheel` the wheel.
    fn new(pip: &str) -> Scene {
        let scene = Scene { folder: tempfile::tempdir().expect("a folder can be made") };
        let script = format!(
            "#!/bin/sh\n\
             if [ \"$1\" = -c ]; then echo \"$0\"; echo fake-1; exit; fi\n\
             if [ \"$1\" != -m ]; then echo This is Fake version 1.0.7; exit; fi\n\
             echo \"$@\" >> {log}\n\
             while [ \"$1\" != --dest ]; do shift; done\n\
             dest=$2; wheel={wheel}\n{pip}\n",
            log = scene.path("log").display(),
            wheel = scene.path(WHEEL).display(),
        );
        let python = scene.path("python");
        fs::write(&python, script).expect("it can be written");
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).expect("it is ours");
        scene.wheel(TOOL, &record_line("fake-1.0.data/data/bin/fake", TOOL));
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a wheel with this program and this `RECORD`.
    fn wheel(&self, tool: &str, record: &str) {
        let file = fs::File::create(self.path(WHEEL)).expect("a file");
        let mut archive = zip::ZipWriter::new(file);
        let options =
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        let files = [
            ("fake-1.0.data/data/bin/fake", tool),
            ("fake/__init__.py", ""),
            ("fake-1.0.dist-info/RECORD", record),
        ];
        for (name, text) in files {
            archive.start_file(name, options).expect("the archive is open");
            archive.write_all(text.as_bytes()).expect("the archive is open");
        }
        archive.finish().expect("the archive is open");
    }

    fn installer(&self) -> Installer {
        Installer::new(self.path("cache")).python(self.path("python"))
    }

    fn install(&self, asset: &str) -> (Result<Installed, InstallError>, Vec<String>) {
        let mut notes = Vec::new();
        let mut note = |words: &str| notes.push(words.to_owned());
        let installed =
            self.installer().ensure(&self.spec(asset), &Version::from("1.0"), &mut note);
        (installed, notes)
    }

    /// The tool, pinned to the wheel as it is now.
    fn spec(&self, asset: &str) -> Spec {
        let bytes = fs::read(self.path(WHEEL)).expect("the wheel is there");
        let checksum: String =
            Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        fake(asset, &format!("[sha256]\n\"{WHEEL}\" = \"{checksum}\"\n"))
    }

    fn downloads(&self) -> usize {
        fs::read_to_string(self.path("log")).unwrap_or_default().lines().count()
    }

    /// What lies in the tool's folder besides locks.
    fn leftovers(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path("cache/targets/fake")) else { return Vec::new() };
        let names = entries.map(|entry| entry.expect("it can be read").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| !name.ends_with(".lock"))
            .collect()
    }
}

const WHEEL: &str = "fake-1.0-py3-none-any.whl";
const PROGRAM: &str = "program = \"*.data/data/bin/fake\"";
const COPY: &str = "cp $wheel $dest";

fn fake(asset: &str, pins: &str) -> Spec {
    let text = format!(
        "name = \"fake\"\ntitle = \"Fake\"\nkind = \"smt-solver\"\n\
         [[source]]\nwheel = \"fake\"\n{asset}\nversions = [\"1.0\"]\n[run]\n{pins}"
    );
    Spec::read(&text, Path::new("fake.toml")).expect("it is a target")
}

/// A line of `RECORD`: the checksum in base 64, bit by bit.
fn record_line(name: &str, text: &str) -> String {
    let letters: Vec<char> =
        ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['-', '_']).collect();
    let digest = Sha256::digest(text.as_bytes());
    let mut bits: Vec<u8> =
        digest.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1)).collect();
    bits.resize(bits.len().div_ceil(6) * 6, 0);
    let value = |six: &[u8]| six.iter().fold(0, |value, bit| value * 2 + usize::from(*bit));
    let text64: String = bits.chunks(6).map(|six| letters[value(six)]).collect();
    format!("{name},sha256={text64},{}\n", text.len())
}

#[test]
fn a_program_is_installed_once_and_found_again_without_a_network() {
    let scene = Scene::new(COPY);
    let (installed, notes) = scene.install(PROGRAM);
    let installed = installed.expect("the wheel is right");
    assert_eq!(notes, ["fake 1.0: fetching the wheel fake==1.0"]);
    assert_eq!(installed.reported_version, "1.0.7");
    assert!(installed.start.program.starts_with(scene.path("cache")));
    let manifest = installed.manifest.as_ref().expect("it was installed by us");
    assert_eq!((manifest.package.as_str(), manifest.files.len()), ("fake", 1));
    assert_eq!(manifest.sha256.len(), 64);
    manifest.verify().expect("nothing was changed");
    assert_eq!(scene.leftovers().len(), 1, "the wheel and the draft are gone");

    let (again, notes) = scene.install(PROGRAM);
    assert_eq!(again.expect("it is here"), installed);
    assert_eq!((notes.len(), scene.downloads()), (0, 1));
    let offline = scene.installer().network(Network::Forbidden);
    let found = offline.ensure(&scene.spec(PROGRAM), &Version::from("1.0"), &mut |_| {});
    assert_eq!(found.expect("it is here"), installed);

    // A changed program is noticed: by its size at once, by its checksum when asked.
    fs::write(&installed.start.program, TOOL.replace("Fake", "Evil")).expect("it is ours");
    assert!(matches!(manifest.verify(), Err(InstallError::BadChecksum { .. })));
    fs::write(&installed.start.program, "").expect("it is ours");
    assert_eq!(scene.install(PROGRAM).0.expect("it is installed again"), installed);
    assert_eq!(scene.downloads(), 2);
}

#[test]
fn a_driver_runs_with_the_library_that_was_unpacked() {
    let scene = Scene::new(COPY);
    scene.wheel(TOOL, &record_line("fake/__init__.py", ""));
    let (installed, _) = scene.install("driver = \"cvc5.py\"");
    let installed = installed.expect("the wheel is right");
    assert_eq!(installed.start.program, scene.path("python"));
    let library = installed.start.env["PYTHONPATH"].split(':').next().expect("it has parts");
    assert!(Path::new(library).join("fake/__init__.py").is_file());
    assert!(!Path::new(library).join("fake-1.0.data").exists());
    assert!(Path::new(&installed.start.lead[0]).is_file(), "the driver was written out");
    let (missing, _) = scene.install("driver = \"none.py\"");
    assert!(matches!(missing, Err(InstallError::NoDriver(name)) if name == "none.py"));
}

/// Each failure has its own words, says what to do, and leaves nothing behind.
#[test]
fn installation_errors_name_the_cause() {
    let cases = [
        ("echo '/usr/bin/python3: No module named pip' >&2; exit 1", "install pip"),
        (
            "echo 'WARNING: Retrying (Retry(total=0)) after connection broken by NewConnectionError: [Errno -3] Temporary failure in name resolution' >&2\n\
             echo 'ERROR: Could not find a version that satisfies the requirement fake==1.0 (from versions: none)' >&2\n\
             echo 'ERROR: No matching distribution found for fake==1.0' >&2; exit 1",
            "the package index cannot be reached ([Errno -3] Temporary failure in name resolution)",
        ),
        (
            "echo 'ERROR: Could not find a version that satisfies the requirement fake==1.0 (from versions: 2.0)' >&2\n\
             echo 'ERROR: No matching distribution found for fake==1.0' >&2; exit 1",
            "(from versions: 2.0)",
        ),
        ("echo 'ERROR: disk quota' >&2; exit 1", "fetching fake==1.0 failed: ERROR: disk quota"),
        ("true", "pip brought no wheel"),
        ("echo garbage > $dest/fake-1.0.whl", "lists no checksum for fake-1.0.whl"),
        (
            "head -c 100 $wheel > $dest/fake-1.0-py3-none-any.whl",
            "not the one that `fake` is pinned to",
        ),
    ];
    for (pip, expected) in cases {
        let scene = Scene::new(pip);
        let error = scene.install(PROGRAM).0.expect_err(pip).to_string();
        assert!(error.contains(expected), "{pip}: {error}");
        assert_eq!(scene.leftovers(), [""; 0], "{pip}");
    }
}

#[test]
fn circumstances_differ_from_broken_descriptions() {
    let scene = Scene::new("echo 'No module named pip' >&2; exit 1");
    let error = scene.install(PROGRAM).0.expect_err("there is no pip");
    assert!(matches!(error, InstallError::NoPip { .. }) && error.is_circumstance());

    let installer = Installer::new(scene.path("cache")).python("/no/such/python");
    let error = installer.ensure(&scene.spec(PROGRAM), &Version::from("1.0"), &mut |_| {});
    let error = error.expect_err("there is no Python");
    assert!(matches!(error, InstallError::NoPython { .. }) && error.is_circumstance());
    assert!(error.to_string().contains("ASSAY_PYTHON"), "{error}");

    let offline = scene.installer().network(Network::Forbidden);
    let error = offline.ensure(&scene.spec(PROGRAM), &Version::from("1.0"), &mut |_| {});
    let error = error.expect_err("it is not here");
    assert!(matches!(error, InstallError::Offline { .. }) && error.is_circumstance());

    let error = scene.installer().ensure(&scene.spec(PROGRAM), &Version::from("2.0"), &mut |_| {});
    let error = error.expect_err("there is no such version");
    assert!(matches!(error, InstallError::NoSource { .. }) && !error.is_circumstance());
}

#[test]
fn wheels_that_fail_their_checks_are_refused() {
    let program = "fake-1.0.data/data/bin/fake";
    let cases = [
        (TOOL, record_line(program, "something else"), "differs from that in the wheel's RECORD"),
        (TOOL, String::new(), "differs from that in the wheel's RECORD"),
        ("#!/bin/sh\n", record_line(program, "#!/bin/sh\n"), "does not report its version"),
    ];
    for (tool, record, expected) in cases {
        let scene = Scene::new(COPY);
        scene.wheel(tool, &record);
        let error = scene.install(PROGRAM).0.expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(scene.leftovers(), [""; 0]);
    }
    let scene = Scene::new(COPY);
    let error = scene.install("program = \"bin/other\"").0.expect_err("there is no such file");
    assert!(error.to_string().contains("there is no file `bin/other` in it"), "{error}");
}

#[test]
fn concurrent_installations_download_once() {
    let scene = Scene::new("sleep 1; cp $wheel $dest");
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| scene.install(PROGRAM))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    assert_eq!(scene.downloads(), 1);
    let waited =
        |notes: &[String]| notes.iter().any(|note| note.starts_with("waiting for another"));
    assert!(results.iter().any(|(_, notes)| waited(notes)), "somebody waited");
    for (result, _) in results {
        assert_eq!(result.expect("it works").reported_version, "1.0.7");
    }
}

/// A program that the user names is taken as it is.
#[test]
fn programs_are_adopted_by_their_own_version() {
    let scene = Scene::new(COPY);
    let program = scene.path("z3");
    fs::write(&program, "#!/bin/sh\necho Z3 version 4.8.8 - 64 bit\n").expect("it can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let name = format!("z3@{}:z3str3", program.display());
    let resolved = Catalog::builtin()
        .resolve(&name.parse().expect("it is a name"), &scene.installer(), &mut |_| {})
        .expect("the program is there");
    assert_eq!(resolved.name.to_string(), name);
    assert_eq!(resolved.reported_version, "4.8.8");
    assert_eq!(resolved.behaviour.dialect.name, "z3-old", "its own version decides");
    assert!(
        resolved.one_shot(&Default::default()).contains(&"smt.string_solver=z3str3".to_owned())
    );

    fs::write(&program, "#!/bin/sh\necho Z3 version 4.15.4\n").expect("it can be written");
    let error = Catalog::builtin()
        .resolve(&name.parse().expect("it is a name"), &scene.installer(), &mut |_| {})
        .expect_err("that version has no such variant");
    assert!(error.to_string().contains("not in 4.15.4"), "{error}");
}

/// A wheel with another program in it, which its own `RECORD` vouches for, is refused: the checksum
/// that counts is the target's.
#[test]
fn a_tampered_wheel_is_refused() {
    let scene = Scene::new(COPY);
    let spec = scene.spec(PROGRAM);
    let pinned = spec.sha256[WHEEL].as_str().to_owned();
    let evil = TOOL.replace("a tool", "evil");
    scene.wheel(&evil, &record_line("fake-1.0.data/data/bin/fake", &evil));
    let got = scene.spec(PROGRAM).sha256[WHEEL].as_str().to_owned();
    // No flag lets it pass.
    for unpinned in [Unpinned::Refused, Unpinned::Allowed] {
        let installer = scene.installer().unpinned(unpinned);
        let error = installer.ensure(&spec, &Version::from("1.0"), &mut |_| {});
        let error = error.expect_err("it is another wheel");
        assert!(matches!(error, InstallError::WrongPin { .. }) && !error.is_circumstance());
        let words = error.to_string();
        for part in [pinned.as_str(), &got, "nothing was installed", "try again"] {
            assert!(words.contains(part), "{words}");
        }
        assert_eq!(scene.leftovers(), [""; 0]);
    }
}

/// What lists no checksum is installed on demand only, and remembered as such.
#[test]
fn wheels_without_a_checksum_need_a_flag() {
    let scene = Scene::new(COPY);
    let (spec, version) = (fake(PROGRAM, ""), Version::from("1.0"));
    let error = scene.installer().ensure(&spec, &version, &mut |_| {}).expect_err("no checksum");
    let words = error.to_string();
    let got = scene.spec(PROGRAM).sha256[WHEEL].as_str().to_owned();
    let line = format!("\"{WHEEL}\" = \"{got}\"");
    for part in ["assay targets install fake@1.0 --unpinned", &line] {
        assert!(words.contains(part), "{words}");
    }
    assert_eq!(scene.leftovers(), [""; 0]);

    let mut notes = Vec::new();
    let mut note = |words: &str| notes.push(words.to_owned());
    let allowed = scene.installer().unpinned(Unpinned::Allowed);
    let installed = allowed.ensure(&spec, &version, &mut note).expect("it was asked for");
    assert!(installed.manifest.is_some_and(|manifest| manifest.unpinned));
    assert!(notes.iter().any(|note| note.contains(&got)), "{notes:?}");
    // It is there for all who come later; who pins it to something else does not get it.
    assert!(scene.installer().find(&spec, &version).expect("it is whole").is_some());
    let pins = format!("[sha256]\n\"{WHEEL}\" = \"{}\"\n", "0".repeat(64));
    let error = scene.installer().find(&fake(PROGRAM, &pins), &version);
    assert!(matches!(error, Err(InstallError::InstalledWithWrongPin { .. })));
}
