//! Which findings make a command fail, and which are known already: the flags, and what they mean for
//! a campaign.

use crate::baseline::{Baseline, BaselineError, Sighting, Standing, sightings};
use crate::store::Results;
use assay_case::{FindingKind, Grade, Severity};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// When a command fails.
#[derive(clap::Args, Clone)]
pub struct Gate {
    /// Findings that lead to exit code 1: any, soundness (certified), declared (wrong by a declared
    /// truth), or a kind such as crash or wrong-unsat; may be given several times
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        default_value = "any",
        help_heading = "In a project's CI"
    )]
    fail_on: Vec<FailOn>,
    /// File of known findings, which do not lead to exit code 1
    #[arg(long, value_name = "FILE", help_heading = "In a project's CI")]
    baseline: Option<PathBuf>,
    /// Add new findings to the baseline, and remove those that are gone
    #[arg(long, requires = "baseline", help_heading = "In a project's CI")]
    update_baseline: bool,
}

/// Findings that make a command fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailOn {
    /// Any finding.
    Any,
    /// The tool certainly gives a wrong answer.
    Soundness,
    /// The tool gives a wrong answer if a file or another tool is right.
    Declared,
    /// This kind, of either grade.
    Kind(FindingKind),
}

/// Kinds that are counted but not confirmed: they depend on the machine, or break no promise.
const COUNTED: [FindingKind; 5] = [
    FindingKind::Timeout,
    FindingKind::OutOfMemory,
    FindingKind::Unknown,
    FindingKind::Rejected,
    FindingKind::OverlookedError,
];

impl FromStr for FailOn {
    type Err = String;

    fn from_str(word: &str) -> Result<FailOn, String> {
        let kinds = || {
            let all = FindingKind::ALL.iter().copied().filter(|kind| !COUNTED.contains(kind));
            all.map(FindingKind::name).collect::<Vec<_>>().join(", ")
        };
        match (word, FindingKind::by_name(word)) {
            ("any", _) => Ok(FailOn::Any),
            ("soundness", _) => Ok(FailOn::Soundness),
            ("declared", _) => Ok(FailOn::Declared),
            (_, Some(FindingKind::OverlookedError)) => {
                Err(format!("`{word}` breaks no promise of the tool and fails no build"))
            }
            (_, Some(kind)) if COUNTED.contains(&kind) => Err(format!(
                "`{word}` depends on the machine and fails no build; `assay compare` shows what got \
                 slower or undecided"
            )),
            (_, Some(kind)) => Ok(FailOn::Kind(kind)),
            (_, None) => Err(format!("expected any, soundness, declared, or one of {}", kinds())),
        }
    }
}

impl FailOn {
    fn name(self) -> &'static str {
        match self {
            FailOn::Any => "any",
            FailOn::Soundness => "soundness",
            FailOn::Declared => "declared",
            FailOn::Kind(kind) => kind.name(),
        }
    }

    fn includes(self, kind: FindingKind, grade: Grade) -> bool {
        let unsound = kind.severity() == Severity::Soundness;
        match self {
            FailOn::Any => true,
            FailOn::Soundness => unsound && grade == Grade::Certified,
            FailOn::Declared => unsound && grade == Grade::Declared,
            FailOn::Kind(wanted) => kind == wanted,
        }
    }
}

/// A campaign's findings, and what they mean to the command.
pub struct Gated {
    /// The findings, compared with the baseline.
    pub standing: Standing,
    /// The number of new findings that make the command fail.
    pub failing: usize,
    /// The baseline with its file.
    pub baseline: Option<(PathBuf, Baseline)>,
    /// Whether the baseline was rewritten.
    pub updated: bool,
}

impl Gate {
    /// Compares a campaign's findings with the baseline, and rewrites it on request.
    ///
    /// # Errors
    /// If the campaign or the baseline cannot be read, or the baseline cannot be written.
    pub fn assess(&self, results: &Results, folder: &Path) -> Result<Gated, BaselineError> {
        let baseline = match &self.baseline {
            None => None,
            Some(path) => Some((path, self.read(path)?)),
        };
        let nothing = Baseline::default();
        let known = baseline.as_ref().map_or(&nothing, |(_, baseline)| baseline);
        let standing = known.compare(results, sightings(results, folder)?)?;
        let fails = |seen: &&Sighting| {
            let (kind, grade) = (seen.listed.kind, seen.listed.grade);
            self.fail_on.iter().any(|what| what.includes(kind, grade))
        };
        let failing = standing.new.iter().filter(fails).count();
        let baseline = match baseline {
            Some((path, mut known)) if self.update_baseline => {
                known.update(&results.header()?, &standing);
                known.write(path)?;
                Some((path.clone(), known))
            }
            read => read.map(|(path, known)| (path.clone(), known)),
        };
        Ok(Gated { standing, failing, baseline, updated: self.update_baseline })
    }

    fn read(&self, path: &Path) -> Result<Baseline, BaselineError> {
        match Baseline::read(path) {
            Err(BaselineError::Missing(_)) if self.update_baseline => Ok(Baseline::default()),
            read => read,
        }
    }

    /// The flags again, as words of a command line.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let on = self.fail_on.iter().filter(|what| **what != FailOn::Any);
        let mut words: Vec<String> = on.map(|what| format!("--fail-on={}", what.name())).collect();
        words.extend(self.baseline.iter().map(|path| format!("--baseline={}", path.display())));
        words.extend(self.update_baseline.then(|| "--update-baseline".to_owned()));
        words
    }

    /// Fails early if the baseline cannot be used.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn check(&self) -> Result<(), BaselineError> {
        self.baseline.as_ref().map_or(Ok(()), |path| self.read(path).map(drop))
    }
}

impl Gated {
    /// Whether the command fails; findings that were just added to the baseline do not count.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.failing > 0 && !self.updated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fail_on_accepts_severities_and_kinds() {
        let graded =
            |word: &str, kind, grade| word.parse::<FailOn>().expect(word).includes(kind, grade);
        let fails = |word: &str, kind| graded(word, kind, Grade::Certified);
        let declared = |word: &str, kind| graded(word, kind, Grade::Declared);
        assert!(declared("any", FindingKind::WrongSat));
        assert!(declared("wrong-sat", FindingKind::WrongSat));
        assert!(!declared("soundness", FindingKind::WrongSat));
        assert!(declared("declared", FindingKind::WrongSat));
        assert!(!fails("declared", FindingKind::WrongSat));
        assert!(!declared("declared", FindingKind::LargerCore));
        assert!(fails("any", FindingKind::LargerCore));
        assert!(fails("soundness", FindingKind::InvalidModel));
        assert!(!fails("soundness", FindingKind::Crash));
        assert!(fails("crash", FindingKind::Crash) && !fails("crash", FindingKind::WrongSat));
        for (word, words) in [
            ("timeout", "depends on the machine"),
            ("overlooked-error", "breaks no promise"),
            ("bugs", "expected any, soundness, declared, or one of wrong-sat"),
        ] {
            let refused = word.parse::<FailOn>().expect_err(word);
            assert!(refused.contains(words), "{refused}");
        }
    }
}
