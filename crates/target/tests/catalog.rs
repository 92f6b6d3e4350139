//! The built-in targets, and what names mean.

use assay_target::spec::{Asset, Feature, Kind, Level, SourceKind};
use assay_target::{Catalog, Choice, Installer, ResolveError, Version};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

fn meaning(name: &str) -> Result<String, ResolveError> {
    let catalog = Catalog::builtin();
    let (spec, choice) = catalog.choose(&name.parse().expect("it is a name"))?;
    Ok(match choice {
        Choice::Release(version) => format!("{}@{version}", spec.name),
        Choice::Program(path) => format!("{} at {}", spec.name, path.display()),
    })
}

#[test]
fn short_versions_are_completed() {
    let table = [
        ("z3", "z3@5.4.0.0"),
        ("z3@4.8.5", "z3@4.8.5.0"),
        ("z3@4.8.5.0", "z3@4.8.5.0"),
        ("z3@4.8.0", "z3@4.8.0.0.post1"),
        ("z3@4.5.1", "z3@4.5.1.0.post2"),
        ("z3@4.5", "z3@4.5.1.0.post2"),
        ("z3@4.16", "z3@4.16.0.0"),
        ("z3@4.8.5:z3str3", "z3@4.8.5.0"),
        ("z3@4.13.4:z3str3", "z3@4.13.4.0"),
        ("cvc5", "cvc5@1.4.2"),
        ("cvc5@1.0", "cvc5@1.0.3"),
        ("cvc4", "cvc4@1.8"),
        ("yices@2.6.5", "yices@2.6.5.post24"),
        ("bitwuzla", "bitwuzla@0.9.1"),
        ("z3@/bin/sh", "z3 at /bin/sh"),
    ];
    for (name, expected) in table {
        assert_eq!(meaning(name).expect(name), expected, "{name}");
    }
}

#[test]
fn unknown_names_get_errors_that_list_known_ones() {
    let table = [
        (
            "z4",
            "unknown target `z4` (did you mean `z3`?); known targets are 2ls, apron, bitwuzla, cbmc, ",
        ),
        ("yicse", "did you mean `yices`?"),
        ("mathsat", "unknown target `mathsat`; known targets are"),
        ("z3@4.7.1", "z3 has no version 4.7.1; known versions are 4.5.1.0.post2, "),
        ("z3@4.7.1", "assay targets install z3@4.7.1 --unpinned"),
        // Words are compared as a whole: 4.8.10 does not begin with 4.8.1.
        ("z3@4.8.1", "z3 has no version 4.8.1; known versions are"),
        ("z3@4.8", "z3@4.8 is ambiguous: it could be any of 4.8.0.0.post1, 4.8.5.0, "),
        (
            "z3@5",
            "z3@5 is ambiguous: it could be any of 5.0.0.0, 5.4.0.0; write more of the version",
        ),
        (
            "z3:z3str",
            "z3 has no variant `z3str` (did you mean `z3str3`?); known variants are seq, z3str3",
        ),
        ("cvc4:seq", "cvc4 has no variant `seq`; it has none"),
        ("z3:z3str3", "z3 has the variant `z3str3` only in the versions <=4.13, not in 5.4.0.0"),
        ("z3@/no/such/z3", "/no/such/z3 is not a program"),
        ("z3@/etc/passwd", "/etc/passwd is not a program"),
    ];
    for (name, expected) in table {
        let error = meaning(name).expect_err(name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
    }
}

/// The first set, with every version that is promised.
#[test]
fn the_catalog_has_every_tool_and_its_versions() {
    let catalog = Catalog::builtin();
    let count = |name: &str| catalog.find(name).expect(name).versions().len();
    assert_eq!(count("z3"), 24);
    assert_eq!((count("cvc4"), count("yices"), count("bitwuzla")), (1, 2, 2));
    assert!(count("cvc5") >= 12);
    let names: Vec<&str> = catalog.specs().map(|spec| spec.name.as_str()).collect();
    let first = ["apron", "bitwuzla", "cvc4", "cvc5", "ppl", "yices", "z3", "z3-python"];
    let analyzers = ["cbmc", "goto-analyzer", "eva", "clang-analyzer", "gcc-analyzer"];
    let adapted = ["2ls", "cpachecker", "esbmc", "mopsa", "seahorn", "symbiotic", "ultimate"];
    let provers = ["eprover", "vampire"];
    let mut all = [&first[..], &analyzers, &adapted, &provers].concat();
    all.sort_unstable();
    assert_eq!(names, all);
    assert_eq!((count("cbmc"), count("goto-analyzer"), count("clang-analyzer")), (2, 2, 3));
}

#[test]
fn every_builtin_range_holds_for_some_version_and_not_for_all() {
    for spec in Catalog::builtin().specs() {
        let versions = spec.versions();
        let held = |range: &assay_target::VersionRange| {
            versions.iter().filter(|version| range.contains(version)).count()
        };
        for exception in &spec.exceptions {
            let held = held(&exception.versions);
            assert!(held > 0 && held < versions.len(), "{}: {}", spec.name, exception.versions);
        }
        let ranges = spec.options.iter().map(|option| &option.versions);
        for range in ranges.chain(spec.known_bugs.iter().map(|bug| &bug.versions)) {
            // A tool that is only known as a command has no versions of its own.
            assert!(versions.is_empty() || held(range) > 0, "{}: {range}", spec.name);
        }
    }
}

/// Options about which developers decline reports are for experts; cvc5's levels are what its own
/// `getOptionInfo` says.
#[test]
fn options_whose_bugs_are_declined_are_expert_options() {
    let catalog = Catalog::builtin();
    let level = |tool: &str, name: &str| {
        let spec = catalog.find(tool).expect("a tool");
        let option = spec.options.iter().find(|option| option.name == name);
        option.unwrap_or_else(|| panic!("{tool} has {name}")).level
    };
    for name in ["rewriter.flat", "smt.arith.solver"] {
        assert_eq!(level("z3", name), Level::Expert, "{name}");
    }
    for name in ["sort-inference", "ite-simp", "repeat-simp", "dt-binary-split"] {
        for tool in ["cvc4", "cvc5"] {
            assert_eq!(level(tool, name), Level::Expert, "{tool} {name}");
        }
    }
    for name in ["ext-rew-prep", "bv-gauss-elim", "restrict-pivots", "minisat-simplification"] {
        assert_eq!(level("cvc5", name), Level::Expert, "{name}");
    }
    assert_eq!(level("cvc5", "decision"), Level::Default);
    assert_eq!(level("cvc5", "strings-fmf"), Level::Regular);
    assert_eq!(level("z3", "smt.relevancy"), Level::Regular, "the level of what names none");
}

#[test]
fn every_builtin_behaviour_is_complete() {
    for spec in Catalog::builtin().specs() {
        assert!(spec.homepage.is_some(), "{}", spec.name);
        if spec.kind != Kind::SmtSolver {
            continue;
        }
        for version in spec.versions() {
            let source = spec.sources.iter().find(|source| source.release(&version).is_some());
            assert!(source.is_some(), "{} {version}", spec.name);
            let variants =
                spec.variants.iter().filter(|variant| variant.versions.contains(&version));
            for variant in variants.map(Some).chain([None]) {
                let behaviour = spec.behaviour(&version, variant);
                let has = |feature| behaviour.features.contains(&feature);
                assert!(
                    has(Feature::Models) && !behaviour.model_options.is_empty(),
                    "{}",
                    spec.name
                );
                assert!(
                    !has(Feature::Cores) || !behaviour.core_options.is_empty(),
                    "{}",
                    spec.name
                );
                let minimal =
                    behaviour.minimal_core_args.len() + behaviour.minimal_core_options.len();
                assert!(!has(Feature::MinimalCores) || minimal > 0, "{}", spec.name);
                assert!(has(Feature::BitVectors), "{}: a doctor needs some theory", spec.name);
            }
        }
    }
}

#[test]
fn old_versions_of_z3_get_old_dialects() {
    let catalog = Catalog::builtin();
    let z3 = catalog.find("z3").expect("it is built in");
    let dialect = |version: &str| z3.behaviour(&Version::from(version), None).dialect.name;
    assert_eq!(dialect("4.5.1.0.post2"), "z3-old");
    assert_eq!(dialect("4.8.8.0"), "z3-old");
    assert_eq!(dialect("4.8.9.0"), "smt-lib-2.6-bytes");
    assert_eq!(dialect("4.8.10.0"), "smt-lib-2.6-bytes");
    assert_eq!(dialect("4.8.11.0"), "smt-lib-2.6");
}

#[test]
fn each_version_of_z3_lacks_later_operators() {
    let catalog = Catalog::builtin();
    let z3 = catalog.find("z3").expect("it is built in");
    let lacks = |version: &str, name: &str| {
        let behaviour = z3.behaviour(&Version::from(version), None);
        behaviour.without_operators.iter().any(|op| op.name() == name)
    };
    for (operator, first) in
        [("str.<", "4.8.6.0"), ("re.^", "4.8.9.0"), ("str.from_code", "4.8.11.0")]
    {
        for version in z3.versions() {
            let early = version < Version::from(first);
            assert_eq!(lacks(version.as_str(), operator), early, "{operator} in {version}");
        }
    }
    assert!(!lacks("4.5.1.0.post2", "str.at"));
}

/// What mutants of the seeds of one solver would have others reject.
#[test]
fn cvc5_gets_no_extensions_that_only_z3_reads() {
    let catalog = Catalog::builtin();
    let find = |name: &str| catalog.find(name).expect("it is built in");
    let (cvc5, z3) = (find("cvc5"), find("z3"));
    for (spec, reads) in [(cvc5, false), (z3, true)] {
        let newest = spec.default_release().expect("it has releases");
        let behaviour = spec.behaviour(&newest, None);
        let lacks: Vec<&str> = behaviour.without_operators.iter().map(|op| op.name()).collect();
        for operator in ["seq.foldl", "seq.foldli", "seq.map", "seq.mapi"] {
            assert_eq!(lacks.contains(&operator), !reads, "{}: {operator}", spec.name);
        }
        let overloads = behaviour.features.contains(&Feature::OverloadedParametricSymbols);
        assert_eq!(overloads, reads, "{}", spec.name);
        // What is beyond cvc5 in constant arrays depends on the search, and no feature tells it.
        let refuses = behaviour.refusals.iter().any(|words| words.contains("constant arrays"));
        assert_eq!(refuses, !reads, "{}", spec.name);
    }
}

#[test]
fn drivers_of_builtin_targets_are_built_in() {
    let drivers: BTreeSet<String> = std::fs::read_dir("../../targets/drivers")
        .expect("the drivers lie in the tree")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    for spec in Catalog::builtin().specs() {
        for source in &spec.sources {
            if let SourceKind::Wheel { asset: Asset::Driver { script, by_hand }, .. } = &source.kind
            {
                for name in [Some(script), by_hand.as_ref()].into_iter().flatten() {
                    assert!(drivers.contains(name), "{name}");
                }
            }
        }
    }
}

/// Every release of every wheel is pinned, for both kinds of machines where the index has them.
#[test]
fn every_wheel_is_pinned() {
    for spec in Catalog::builtin().specs() {
        let pinned = |version: &str, machine: &str| {
            let fits = |wheel: &&String| {
                wheel.split('-').nth(1) == Some(version) && wheel.contains(machine)
            };
            spec.sha256.keys().filter(fits).count()
        };
        for source in &spec.sources {
            if !matches!(source.kind, SourceKind::Wheel { .. }) {
                continue;
            }
            for version in source.releases() {
                assert!(pinned(version.as_str(), "x86_64") > 0, "{}@{version}", spec.name);
            }
        }
        for file in spec.sha256.keys() {
            let version = file.split('-').nth(1).expect("wheels and sources are named by version");
            let version = version.trim_end_matches(".tar.gz");
            let listed = spec.versions().iter().any(|listed| listed.as_str() == version);
            assert!(listed, "{}: {file} is of no listed version", spec.name);
        }
    }
}

/// A release that no file lists can be asked for, and is never what `z3` means.
#[test]
fn unlisted_releases_are_offered_on_demand() {
    let mut catalog = Catalog::builtin();
    let name = "z3@5.5.0.0".parse().expect("it is a name");
    assert!(matches!(catalog.choose(&name), Err(ResolveError::UnknownVersion { .. })));
    catalog.offer(&name).expect("z3 comes from a wheel");
    let chosen = |text: &str| catalog.choose(&text.parse().expect("a name")).expect(text).1;
    assert_eq!(chosen("z3@5.5"), Choice::Release(Version::from("5.5.0.0")));
    assert_eq!(chosen("z3"), Choice::Release(Version::from("5.4.0.0")));
    // cvc4 comes from no wheel.
    let name = "cvc4@1.9".parse().expect("it is a name");
    catalog.offer(&name).expect("the tool is known");
    let error = catalog.choose(&name).expect_err("no wheel has it").to_string();
    assert!(!error.contains("--unpinned"), "{error}");
}

/// A program that cannot report its version has the one that its file states, and needs one.
#[test]
fn a_program_without_a_version_has_the_stated_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("mute.sh");
    std::fs::write(&script, "#!/bin/sh\necho unknown\n").expect("a file");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&script, mode).expect("it is ours");
    let resolve = |version: &str| {
        let text = format!(
            "name = \"mute\"\ntitle = \"Mute\"\nkind = \"smt-solver\"\n\
             [[source]]\npath = \"mute.sh\"\n{version}"
        );
        std::fs::write(folder.path().join("mute.toml"), text).expect("a file");
        let catalog = Catalog::load(&[folder.path().to_owned()]).expect("a description");
        let installer = Installer::new(folder.path().join("cache"));
        let name = "mute".parse().expect("a name");
        catalog.resolve(&name, &installer, &mut |_| {}).map_err(|error| error.to_string())
    };
    assert_eq!(resolve("version = \"0.7\"\n").expect("a target").reported_version, "0.7");
    let error = resolve("").expect_err("it prints no version");
    assert!(error.contains("or, if it cannot, `version` in its `[[source]]`"), "{error}");
}
