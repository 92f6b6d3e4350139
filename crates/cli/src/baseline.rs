//! The flags that say which findings make a command fail, and which are known already.

use assay_campaign::{Baseline, BaselineError, Known, Results, Sighting, Standing, sightings};
use assay_case::{FindingKind, Grade, Severity};
use serde_json::{Value, json};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// When a command fails.
#[derive(clap::Args, Clone)]
pub(crate) struct VerdictArgs {
    /// Findings that make the exit code 1: any, soundness (certified), declared (wrong by a declared
    /// truth), or a kind such as crash or wrong-unsat; may be given several times
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        default_value = "any",
        help_heading = "In a project's CI"
    )]
    fail_on: Vec<FailOn>,
    /// A file of known findings: only others make the exit code 1
    #[arg(long, value_name = "FILE", help_heading = "In a project's CI")]
    baseline: Option<PathBuf>,
    /// Take new findings into the baseline, and drop those that are gone
    #[arg(long, requires = "baseline", help_heading = "In a project's CI")]
    update_baseline: bool,
}

/// Findings that make a command fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailOn {
    Any,
    /// The tool certainly says what is not true.
    Soundness,
    /// The tool says what is not true, if a file or another tool is right.
    Declared,
    /// This kind, of either grade.
    Kind(FindingKind),
}

/// How many findings that are gone are listed before the rest is counted.
const LISTED: usize = 5;

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
                "`{word}` depends on the machine and fails no build; `assay compare` tells what got \
                 slower or less known"
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
pub(crate) struct Verdict {
    standing: Standing,
    failing: usize,
    baseline: Option<(PathBuf, Baseline)>,
    updated: bool,
}

impl VerdictArgs {
    /// Looks at a campaign's findings; rewrites the baseline where that is wanted.
    pub(crate) fn judge(
        &self,
        results: &Results,
        folder: &Path,
    ) -> Result<Verdict, Box<dyn Error>> {
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
        Ok(Verdict { standing, failing, baseline, updated: self.update_baseline })
    }

    fn read(&self, path: &Path) -> Result<Baseline, BaselineError> {
        match Baseline::read(path) {
            Err(BaselineError::Missing(_)) if self.update_baseline => Ok(Baseline::default()),
            read => read,
        }
    }

    /// The flags again, as words of a command line.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let on = self.fail_on.iter().filter(|what| **what != FailOn::Any);
        let mut words: Vec<String> = on.map(|what| format!("--fail-on={}", what.name())).collect();
        words.extend(self.baseline.iter().map(|path| format!("--baseline={}", path.display())));
        words.extend(self.update_baseline.then(|| "--update-baseline".to_owned()));
        words
    }

    /// Fails early where the baseline cannot be used.
    pub(crate) fn check(&self) -> Result<(), BaselineError> {
        self.baseline.as_ref().map_or(Ok(()), |path| self.read(path).map(drop))
    }
}

impl Verdict {
    /// What is not known yet.
    pub(crate) fn unknown(&self) -> &[Sighting] {
        &self.standing.new
    }

    /// Whether the command fails: what was taken into the baseline just now does not count.
    pub(crate) fn fails(&self) -> bool {
        self.failing > 0 && !self.updated
    }

    /// What the baseline makes of the findings, in words.
    pub(crate) fn words(&self) -> String {
        let Some((path, baseline)) = &self.baseline else { return String::new() };
        let Standing { new, known, gone } = &self.standing;
        let (file, verb) = (path.display(), if self.updated { "now has" } else { "has" });
        let mut out = format!(
            "\nbaseline {file}: {} new, {} known, {} gone; it {verb} {}\n",
            new.len(),
            known.len(),
            gone.len(),
            baseline.known.iter().map(|group| group.cases.len()).sum::<usize>()
        );
        let note = |group: &Known| group.note.clone().map_or(String::new(), |n| format!(" ({n})"));
        for group in &baseline.known {
            let is_here = |seen: &&Sighting| {
                (&*seen.target, seen.listed.kind.name(), &*seen.about)
                    == (&*group.target, &*group.kind, &*group.about)
            };
            let count = known.iter().filter(is_here).count();
            if count > 0 {
                let Known { target, kind, about, .. } = group;
                out += &format!("  known: {kind} of {target}, {about}: {count}{}\n", note(group));
            }
        }
        for (group, case) in gone.iter().take(LISTED) {
            let Known { target, kind, .. } = group;
            out += &format!("  gone: {kind} of {target} on {}{}\n", case.case, note(group));
        }
        if gone.len() > LISTED {
            out += &format!("  gone: {} more\n", gone.len() - LISTED);
        }
        if !gone.is_empty() && !self.updated {
            out += "  --update-baseline drops what is gone\n";
        }
        out
    }

    /// The same as JSON.
    pub(crate) fn record(&self) -> Option<Value> {
        let (path, _) = self.baseline.as_ref()?;
        let seen = |seen: &Sighting| {
            json!({
                "case": seen.case.case, "id": seen.case.id, "target": seen.target,
                "kind": seen.listed.kind.name(), "grade": seen.listed.grade.name(), "folder": seen.folder.display().to_string(),
            })
        };
        let Standing { new, known, gone } = &self.standing;
        let gone = gone.iter().map(|(group, case)| {
            json!({
                "case": case.case, "id": case.id, "target": group.target, "kind": group.kind,
            })
        });
        Some(json!({
            "file": path.display().to_string(),
            "failing": self.failing,
            "updated": self.updated,
            "new": new.iter().map(seen).collect::<Vec<_>>(),
            "known": known.iter().map(seen).collect::<Vec<_>>(),
            "gone": gone.collect::<Vec<_>>(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_named_by_severity_or_kind() {
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
