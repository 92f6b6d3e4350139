//! How releases are built from source: `assay targets build`.

use crate::version::{Version, VersionRange};
use serde::Deserialize;
use std::path::PathBuf;

/// A recipe: one table `[[build]]`.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Build {
    /// The releases that it builds.
    #[serde(default)]
    pub versions: VersionRange,
    /// The source package of Python's package index.
    pub sdist: String,
    /// The Debian packages that it needs.
    #[serde(default)]
    pub packages: Vec<String>,
    /// The Python wheels that it needs, with their versions: `cmake==4.1.2`. Their programs come
    /// first on the search path.
    #[serde(default)]
    pub wheels: Vec<String>,
    /// The commands, run one after the other in the folder of the build. `{source}` is the unpacked
    /// source package, `{jobs}` how many compilers may run at once; the word `{flags}` stands for
    /// the flags of the variant.
    pub commands: Vec<Vec<String>>,
    /// The built program, relative to the folder of the build.
    pub program: PathBuf,
}

impl Build {
    /// Whether it builds this release.
    #[must_use]
    pub fn builds(&self, version: &Version) -> bool {
        self.versions.contains(version)
    }

    /// The commands with their placeholders filled.
    pub(crate) fn filled<'b>(
        &'b self,
        source: &'b str,
        jobs: &'b str,
        flags: &'b [String],
    ) -> impl Iterator<Item = Vec<String>> + 'b {
        self.commands.iter().map(move |words| {
            let fill = |word: &String| match word.as_str() {
                "{flags}" => flags.to_vec(),
                word => vec![word.replace("{source}", source).replace("{jobs}", jobs)],
            };
            words.iter().flat_map(fill).collect()
        })
    }
}
