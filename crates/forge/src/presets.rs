//! The descriptions that come with the program.

use crate::error::ForgeError;
use crate::spec::Spec;

/// Suite, preset, description. The first preset of a suite is its default.
const PRESETS: &[(&str, &str, &str)] = &[
    ("strings", "assay", include_str!("../presets/strings-assay.toml")),
    ("strings", "icse20", include_str!("../presets/strings-icse20.toml")),
    ("regex", "assay", include_str!("../presets/regex-assay.toml")),
    ("regex", "thesis22", include_str!("../presets/regex-thesis22.toml")),
    ("bitvectors", "assay", include_str!("../presets/bitvectors-assay.toml")),
    ("arrays", "assay", include_str!("../presets/arrays-assay.toml")),
    ("ints", "assay", include_str!("../presets/ints-assay.toml")),
    ("reals", "assay", include_str!("../presets/reals-assay.toml")),
    ("floats", "assay", include_str!("../presets/floats-assay.toml")),
    ("booleans", "assay", include_str!("../presets/booleans-assay.toml")),
    ("uf", "assay", include_str!("../presets/uf-assay.toml")),
    ("datatypes", "assay", include_str!("../presets/datatypes-assay.toml")),
    ("sequences", "assay", include_str!("../presets/sequences-assay.toml")),
    ("ff", "assay", include_str!("../presets/ff-assay.toml")),
    ("sets", "assay", include_str!("../presets/sets-assay.toml")),
    ("bags", "assay", include_str!("../presets/bags-assay.toml")),
    ("higher-order", "assay", include_str!("../presets/higher-order-assay.toml")),
    ("combined", "assay", include_str!("../presets/combined-assay.toml")),
    ("combined", "thesis22", include_str!("../presets/combined-thesis22.toml")),
    ("quantifiers", "assay", include_str!("../presets/quantifiers-assay.toml")),
    ("maxsmt", "assay", include_str!("../presets/maxsmt-assay.toml")),
];

/// The suites, in order.
pub(crate) fn suites() -> Vec<&'static str> {
    let mut names: Vec<&str> = PRESETS.iter().map(|(suite, ..)| *suite).collect();
    names.dedup();
    names
}

/// The presets of a suite, the default one first.
pub(crate) fn presets(suite: &str) -> Vec<&'static str> {
    PRESETS.iter().filter(|(name, ..)| *name == suite).map(|(_, preset, _)| *preset).collect()
}

/// The description behind a suite's preset.
pub(crate) fn find(suite: &str, preset: Option<&str>) -> Result<Spec, ForgeError> {
    let known = presets(suite);
    let Some(&default) = known.first() else {
        return Err(ForgeError::Suite { name: suite.into(), known: suites().join(", ") });
    };
    let preset = preset.unwrap_or(default);
    let found = PRESETS.iter().find(|(name, other, _)| *name == suite && *other == preset);
    match found {
        Some((.., text)) => Spec::read(text),
        None => Err(ForgeError::Preset {
            suite: suite.into(),
            name: preset.into(),
            known: known.join(", "),
        }),
    }
}
