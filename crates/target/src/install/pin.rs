//! Pins: the checksums that a target's file lists for its wheels.

use super::folder::Manifest;
use super::{InstallError, Unpinned};
use crate::name::TargetName;
use crate::spec::Spec;
use crate::version::Version;
use std::fmt;

/// A fetched wheel: its file name and the checksum of its bytes.
#[derive(Clone, Copy)]
pub(super) struct Fetched<'f> {
    pub(super) wheel: &'f str,
    pub(super) sha256: &'f str,
}

/// A wheel that differs from the one that the target's file lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The wheel's file.
    pub wheel: String,
    /// The tool.
    pub target: String,
    /// The listed checksum.
    pub expected: String,
    /// The actual checksum.
    pub got: String,
}

impl Mismatch {
    /// Both checksums, one below the other.
    pub(super) fn checksums(&self) -> String {
        format!("  expected SHA-256 {}\n  got      SHA-256 {}", self.expected, self.got)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not the one that `{}` is pinned to", self.wheel, self.target)
    }
}

/// A target's file's statement about a wheel.
enum Pin<'s> {
    Matches,
    Differs { expected: &'s str },
    Unlisted,
}

impl Fetched<'_> {
    fn pin<'s>(&self, spec: &'s Spec) -> Pin<'s> {
        match spec.sha256.get(self.wheel) {
            Some(pinned) if pinned.as_str() == self.sha256 => Pin::Matches,
            Some(pinned) => Pin::Differs { expected: pinned.as_str() },
            None => Pin::Unlisted,
        }
    }

    /// Whether a fetched wheel may be installed. One that differs from its checksum never may.
    pub(super) fn admit(
        &self,
        spec: &Spec,
        version: &Version,
        unpinned: Unpinned,
    ) -> Result<(), InstallError> {
        match (self.pin(spec), unpinned) {
            (Pin::Matches, _) | (Pin::Unlisted, Unpinned::Allowed) => Ok(()),
            (Pin::Differs { expected }, _) => {
                Err(InstallError::WrongPin { mismatch: Box::new(self.mismatch(spec, expected)) })
            }
            (Pin::Unlisted, Unpinned::Refused) => Err(InstallError::NotPinned {
                wheel: self.wheel.to_owned(),
                got: self.sha256.to_owned(),
                target: TargetName::newest(spec.name.as_str()).at(version.as_str()),
            }),
        }
    }

    fn mismatch(&self, spec: &Spec, expected: &str) -> Mismatch {
        Mismatch {
            wheel: self.wheel.to_owned(),
            target: spec.name.clone(),
            expected: expected.to_owned(),
            got: self.sha256.to_owned(),
        }
    }
}

impl Manifest {
    /// Whether an installed wheel may still be used: its checksum may have been listed since.
    ///
    /// # Errors
    /// Fails if the target's file lists another checksum.
    pub(super) fn admitted(&self, spec: &Spec) -> Result<bool, InstallError> {
        let fetched = Fetched { wheel: &self.wheel, sha256: &self.sha256 };
        match fetched.pin(spec) {
            Pin::Matches => Ok(true),
            Pin::Unlisted => Ok(self.unpinned),
            Pin::Differs { expected } => Err(InstallError::InstalledWithWrongPin {
                folder: self.folder.display().to_string(),
                mismatch: Box::new(fetched.mismatch(spec, expected)),
            }),
        }
    }
}
