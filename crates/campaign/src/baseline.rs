//! Baselines: files of known findings, which do not fail a build again.
//!
//! A finding is identified by its target without the version, its kind, and what its case asserts.
//! It is therefore recognized under another version of the target, in another sample or order of
//! cases, and in a campaign that was divided among machines. The file is TOML with one line per
//! case, sorted, so that its history reads well.

use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError, read_file};
use crate::header::Header;
use crate::kind::profile;
use crate::merge::FINDINGS;
use crate::outcome::Outcome;
use crate::run::folder_name;
use crate::store::{Listed, Results, StoreError};
use assay_case::{CaseId, FindingKind, Grade};
use assay_target::TargetName;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::fmt::{Display, Write};
use std::io;
use std::path::{Path, PathBuf};

/// The known findings of a campaign.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Groups of known findings, in the order of the file.
    #[serde(default)]
    pub known: Vec<Known>,
}

/// A group of known findings with the same target, kind and description.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Known {
    /// The target, without its version.
    pub target: String,
    /// The kind of finding.
    pub kind: String,
    /// The suite, with the settings that determine how it numbers its cases.
    pub suite: String,
    /// Category and operation, or the signature of a crash.
    pub about: String,
    /// `declared` if the truth rests on a file or another tool. The same finding with a certified
    /// truth is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<String>,
    /// The user's note, such as an issue number or a date.
    #[serde(default)]
    pub note: Option<String>,
    /// Whether further cases of this group are known too. Only the user sets it.
    #[serde(default)]
    pub every_case: bool,
    /// The known cases.
    #[serde(default)]
    pub cases: Vec<KnownCase>,
}

/// A case with a known finding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownCase {
    /// Its number within the suite, as [`CaseId`] prints.
    pub id: String,
    /// The case's name, for readers.
    pub case: String,
    /// A digest of what it asserts.
    pub text: String,
}

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
    /// A finding's folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The file does not exist.
    #[error("{0}: there is no such baseline (--update-baseline writes one)")]
    Missing(PathBuf),
    /// The campaign cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A finding of a campaign, as a baseline sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// The finding as the campaign lists it.
    pub listed: Listed,
    /// The target, without its version.
    pub target: String,
    /// Category and operation, or the signature of a crash.
    pub about: String,
    /// The case.
    pub case: KnownCase,
    /// The folder of the finding.
    pub folder: PathBuf,
}

/// A campaign's findings compared with a baseline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Findings that the baseline lacks.
    pub new: Vec<Sighting>,
    /// Findings that the baseline has.
    pub known: Vec<Sighting>,
    /// Known findings that did not occur again although their case was run and answered, by group
    /// and case.
    pub gone: Vec<(Known, KnownCase)>,
}

/// The findings of the campaign that is kept in a folder.
///
/// # Errors
/// Fails if the campaign or a finding's folder cannot be read.
pub fn sightings(results: &Results, folder: &Path) -> Result<Vec<Sighting>, BaselineError> {
    let (targets, categories) = (results.targets()?, results.categories()?);
    let mut sightings = Vec::new();
    for listed in results.findings()? {
        let target = &targets[listed.target].name;
        let folder = folder.join(FINDINGS).join(folder_name(listed.ordinal, target));
        let record = FindingRecord::read(&folder)?;
        let text = read_file(&folder, record.case_file())?;
        let about = match (listed.kind, categories.get(listed.id.category as usize)) {
            (FindingKind::Crash, _) | (_, None) => listed.detail.clone(),
            (_, Some(category)) => format!("{}/{}", category.name, category.group),
        };
        let id = listed.id.to_string();
        // A search finds a different trace each time, so traces are known by the law that they
        // break.
        let text = if profile(record.subject).numbered { &text } else { &about };
        let text = digest(text);
        let case = KnownCase { id, case: record.case, text };
        sightings.push(Sighting { target: unversioned(target), about, case, listed, folder });
    }
    Ok(sightings)
}

/// A target's name without its version.
fn unversioned(target: &str) -> String {
    match target.parse::<TargetName>() {
        Ok(name) => TargetName { version: None, ..name }.to_string(),
        Err(_) => target.to_owned(),
    }
}

/// A digest of what a case declares, asserts and queries. Options and the logic may change.
fn digest(text: &str) -> String {
    let mut hash = Sha256::new();
    for line in text.lines().filter(|line| !line.starts_with("(set-")) {
        hash.update(line);
        hash.update("\n");
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

impl Known {
    fn is_declared(&self) -> bool {
        self.grade.as_deref() == Some(Grade::Declared.name())
    }

    fn has(&self, sighting: &Sighting, suite: &str) -> bool {
        let certain = sighting.listed.grade == Grade::Certified;
        if self.target != sighting.target
            || self.kind != sighting.listed.kind.name()
            || certain && self.is_declared()
        {
            return false;
        }
        let first = |words: &str| words.split(' ').next().map(str::to_owned);
        self.cases.iter().any(|case| case.text == sighting.case.text)
            || self.every_case && self.about == sighting.about && first(&self.suite) == first(suite)
    }
}

impl Baseline {
    /// Reads a baseline from a file.
    ///
    /// # Errors
    /// Fails if the file does not exist or is not a baseline.
    pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
        let wrong = |what: &dyn Display| BaselineError::File(FileError::new(path, what));
        let text = std::fs::read_to_string(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => BaselineError::Missing(path.to_owned()),
            _ => wrong(&source),
        })?;
        let baseline: Baseline = toml::from_str(&text).map_err(|error| wrong(&error))?;
        let strange = |grade: &String| Grade::by_name(grade).is_none();
        for Known { kind, grade, .. } in &baseline.known {
            if FindingKind::by_name(kind).is_none() {
                let known = FindingKind::names();
                return Err(wrong(&format!(
                    "`{kind}` is not a kind of finding; expected one of {known}"
                )));
            }
            if let Some(grade) = grade.as_ref().filter(|grade| strange(grade)) {
                let known = "expected certified or declared";
                return Err(wrong(&format!("`{grade}` is not a grade; {known}")));
            }
        }
        Ok(baseline)
    }

    /// Writes the baseline to a file.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        Ok(std::fs::write(path, self.text()).map_err(|error| FileError::new(path, error))?)
    }

    /// Splits a campaign's findings into new and known ones, and lists the known ones that are
    /// gone.
    ///
    /// # Errors
    /// Fails if the campaign cannot be read.
    pub fn compare(
        &self,
        results: &Results,
        sightings: Vec<Sighting>,
    ) -> Result<Standing, BaselineError> {
        let space = results.header()?.space();
        let is_known = |sighting: &Sighting| self.known.iter().any(|k| k.has(sighting, &space));
        let gone = self.gone(results, &space, &sightings)?;
        let (known, new) = sightings.into_iter().partition(is_known);
        Ok(Standing { new, known, gone })
    }

    fn gone(
        &self,
        results: &Results,
        space: &str,
        sightings: &[Sighting],
    ) -> Result<Vec<(Known, KnownCase)>, BaselineError> {
        let shown: HashSet<(&str, &str, &str)> = sightings
            .iter()
            .map(|seen| (&*seen.target, seen.listed.kind.name(), &*seen.case.text))
            .collect();
        // Numbers identify cases only within the same space.
        let here = self.known.iter().filter(|known| known.suite == space);
        let mut unseen: HashMap<(&str, CaseId), Vec<(&Known, &KnownCase)>> = HashMap::new();
        for (known, case) in here.flat_map(|known| known.cases.iter().map(move |c| (known, c))) {
            let Ok(id) = case.id.parse() else { continue };
            if !shown.contains(&(&*known.target, &*known.kind, &*case.text)) {
                unseen.entry((&known.target, id)).or_default().push((known, case));
            }
        }
        let names: Vec<String> =
            results.targets()?.iter().map(|target| unversioned(&target.name)).collect();
        let mut gone = Vec::new();
        results.each_row::<StoreError>(|row| {
            let silent = matches!(
                row.outcome,
                Outcome::Timeout | Outcome::Error | Outcome::Rejected | Outcome::Skipped
            );
            let name = names.get(row.target).map_or("", String::as_str);
            if !silent {
                let found = unseen.remove(&(name, row.id)).into_iter().flatten();
                gone.extend(found.map(|(known, case)| (known.clone(), case.clone())));
            }
            Ok(())
        })?;
        Ok(gone)
    }

    /// Adds new findings and removes those that are gone.
    pub fn update(&mut self, header: &Header, standing: &Standing) {
        for known in &mut self.known {
            let is_gone = |case: &KnownCase| {
                let same = |(group, gone): &(Known, KnownCase)| {
                    gone == case && group.target == known.target && group.kind == known.kind
                };
                standing.gone.iter().any(same)
            };
            known.cases.retain(|case| !is_gone(case));
        }
        for seen in &standing.new {
            let (kind, suite) = (seen.listed.kind.name(), header.space());
            let declared = seen.listed.grade == Grade::Declared;
            let mut group = self.known.iter_mut().filter(|known| known.is_declared() == declared);
            let group = group.find(|known| {
                (&*known.target, &*known.kind, &*known.suite, &*known.about)
                    == (&*seen.target, kind, &*suite, &*seen.about)
            });
            match group {
                Some(group) => group.cases.push(seen.case.clone()),
                None => self.known.push(Known {
                    target: seen.target.clone(),
                    kind: kind.to_owned(),
                    suite,
                    about: seen.about.clone(),
                    grade: declared.then(|| Grade::Declared.name().to_owned()),
                    note: None,
                    every_case: false,
                    cases: vec![seen.case.clone()],
                }),
            }
        }
        self.known.retain(|known| known.every_case || !known.cases.is_empty());
        self.known.sort();
        for known in &mut self.known {
            known.cases.sort_by_cached_key(|case| (case.id.parse::<CaseId>().ok(), case.clone()));
            known.cases.dedup();
        }
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        let quoted = |word: &str| toml::Value::String(word.to_owned()).to_string();
        let mut out = String::from(
            "# Known findings: with --baseline, only others fail a run. --update-baseline rewrites\n\
             # this file; `note = \"…\"` and `every-case = true` are yours to add, and are kept.\n",
        );
        for known in &self.known {
            let Known { target, kind, suite, about, grade, note, every_case, cases } = known;
            out += "\n[[known]]\n";
            for (name, value) in
                [("target", target), ("kind", kind), ("suite", suite), ("about", about)]
            {
                let _ = writeln!(out, "{name} = {}", quoted(value));
            }
            if let Some(grade) = grade {
                let _ = writeln!(out, "grade = {}", quoted(grade));
            }
            if let Some(note) = note {
                let _ = writeln!(out, "note = {}", quoted(note));
            }
            if *every_case {
                out += "every-case = true\n";
            }
            out += "cases = [\n";
            for KnownCase { id, case, text } in cases {
                let (id, case, text) = (quoted(id), quoted(case), quoted(text));
                let _ = writeln!(out, "    {{ id = {id}, case = {case}, text = {text} }},");
            }
            out += "]\n";
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline() -> Baseline {
        let case = |id: &str, case: &str| KnownCase {
            id: id.into(),
            case: case.into(),
            text: digest(case),
        };
        let known = |about: &str, note: Option<&str>, cases| Known {
            target: "z3:z3str3".into(),
            kind: "wrong-unsat".into(),
            suite: "strings --preset icse20".into(),
            about: about.into(),
            grade: note.map(|_| "declared".to_owned()),
            note: note.map(Into::into),
            every_case: note.is_some(),
            cases,
        };
        Baseline {
            known: vec![
                known("operation/at", None, vec![case("0.9", "nine"), case("0.10", "ten")]),
                known("operation/\"odd\"\\", Some("see #12\n"), Vec::new()),
            ],
        }
    }

    #[test]
    fn files_read_back_as_they_were_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("known.toml");
        baseline().write(&file).expect("a file");
        assert_eq!(Baseline::read(&file).expect("a baseline"), baseline());
        Baseline::default().write(&file).expect("a file");
        assert_eq!(Baseline::read(&file).expect("a baseline"), Baseline::default());
    }

    #[test]
    fn invalid_baselines_are_refused_with_their_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("known.toml");
        let refusal = |text: &str| {
            std::fs::write(&file, text).expect("a file");
            Baseline::read(&file).expect_err(text).to_string()
        };
        assert!(refusal("[[known]]\ntarget = 3").contains("line 2"));
        let misspelt = baseline().text().replace("every-case", "every-cas");
        assert!(refusal(&misspelt).contains("every-cas"));
        let grade = refusal(&baseline().text().replace("\"declared\"", "\"sure\""));
        assert!(grade.contains("`sure` is not a grade"), "{grade}");
        let unknown = refusal(&baseline().text().replace("wrong-unsat", "bug"));
        assert!(
            unknown.contains("`bug` is not a kind of finding; expected one of wrong-sat"),
            "{unknown}"
        );
        let missing = Baseline::read(&folder.path().join("nothing")).expect_err("it is missing");
        assert!(missing.to_string().contains("--update-baseline writes one"), "{missing}");
    }

    #[test]
    fn cases_are_known_by_what_they_assert() {
        let one = "(set-logic ALL)\n(assert (= x 1))\n(check-sat)\n";
        let other_logic = "(set-option :produce-models true)\n(assert (= x 1))\n(check-sat)\n";
        assert_eq!(digest(one), digest(other_logic));
        assert_ne!(digest(one), digest("(assert (= x 2))\n(check-sat)\n"));
        assert_eq!(digest(one).len(), 16);
    }

    #[test]
    fn versions_are_left_out_and_variants_are_not() {
        for (name, plain) in [
            ("z3@4.8.0.0.post1", "z3"),
            ("z3@/opt/z3/build/z3", "z3"),
            ("z3@4.8.0:z3str3", "z3:z3str3"),
        ] {
            assert_eq!(unversioned(name), plain);
        }
    }
}
