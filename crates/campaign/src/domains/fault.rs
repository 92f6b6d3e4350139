//! What can be wrong with a domain.

use assay_case::FindingKind;
use assay_lattice::{Class, Law};
use assay_target::domain::Death;

/// What is wrong with a domain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DomainFault {
    /// A law is violated: points are lost.
    Unsound,
    /// A law is violated: there is more than necessary.
    Imprecise,
    /// Widening or narrowing does not come to rest.
    Restless,
    /// The library said itself that it might be imprecise here: not a finding.
    Soft,
    /// The worker died.
    Crash,
    /// The worker took too long.
    Hang,
    /// The worker wrote too much.
    Flood,
}

impl DomainFault {
    /// What a worker may die of.
    pub const DEATHS: [DomainFault; 3] =
        [DomainFault::Crash, DomainFault::Hang, DomainFault::Flood];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DomainFault::Unsound => "unsound",
            DomainFault::Imprecise => "imprecise",
            DomainFault::Restless => "restless",
            DomainFault::Soft => "soft",
            DomainFault::Crash => "crash",
            DomainFault::Hang => "hang",
            DomainFault::Flood => "flood",
        }
    }

    /// The kind of finding that it is; none where it is none.
    #[must_use]
    pub fn kind(self) -> Option<FindingKind> {
        match self {
            DomainFault::Unsound => Some(FindingKind::Unsound),
            DomainFault::Imprecise => Some(FindingKind::Imprecise),
            DomainFault::Restless => Some(FindingKind::Restless),
            DomainFault::Soft => None,
            DomainFault::Crash => Some(FindingKind::Crash),
            DomainFault::Hang => Some(FindingKind::Timeout),
            DomainFault::Flood => Some(FindingKind::Flood),
        }
    }

    pub(super) fn of_law(law: &Law, hard: bool) -> DomainFault {
        match law.class {
            _ if !hard => DomainFault::Soft,
            Class::Soundness => DomainFault::Unsound,
            Class::Precision => DomainFault::Imprecise,
            Class::Convergence => DomainFault::Restless,
        }
    }

    pub(super) fn of_death(death: &Death) -> DomainFault {
        match death {
            Death::Crash(_) | Death::OutOfMemory(_) => DomainFault::Crash,
            Death::Hang => DomainFault::Hang,
            Death::Flood => DomainFault::Flood,
        }
    }
}
