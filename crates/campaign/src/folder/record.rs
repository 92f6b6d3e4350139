//! The record in `finding.json`.

use super::FolderError;
use crate::confirm::{Opinion, Settled, Stability};
use crate::file::FileError;
use crate::header::Header;
use crate::kind::{handling, profile};
use assay_case::{
    Answer, CaseId, Evidence, Expected, FindingKind, Grade, Judgement, Kind, Oracle, Severity,
    TestCase,
};
use assay_lattice::Law;
use assay_target::{ByHand, Script, Target};
use std::path::Path;
use std::{fs, io};

/// The contents of `finding.json`.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FindingRecord {
    /// The kind of subject.
    pub subject: Kind,
    /// What was found.
    pub kind: Matter,
    /// The severity; `None` if this is not a finding.
    pub severity: Option<Severity>,
    /// The grade of the truth; `None` if this is not a finding.
    pub grade: Option<Grade>,
    /// How reproducible it is.
    pub stability: Stability,
    /// The evidence for it.
    pub evidence: String,
    /// The line of the case that the evidence is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The last words of a tool that crashed, if it said any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
    /// The right answer.
    pub expected: Expected,
    /// How the right answer is known.
    pub why: String,
    /// Who declares the truth, if it is only declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Vec<String>>,
    /// The names of the only minimal core of a formula, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<Vec<String>>,
    /// The law that a domain breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<String>,
    /// The target's answer.
    pub answer: String,
    /// The time of the run.
    pub seconds: f64,
    /// The target's full name.
    pub target: String,
    /// How to run the target on the input file without assay.
    #[serde(default)]
    pub by_hand: Option<ByHand>,
    /// The options that the target ran with in addition to the usual ones, as `name=value`.
    #[serde(default)]
    pub options: Vec<String>,
    /// The answers of other targets that are party to the finding.
    #[serde(default)]
    pub against: Vec<Opinion>,
    /// How the limits were enforced.
    pub containment: String,
    /// How the target was confined; empty if not recorded.
    #[serde(default)]
    pub sandbox: String,
    /// The case's name.
    pub case: String,
    /// The case within its suite, as [`CaseId`] prints.
    pub id: String,
    /// Its category.
    pub category: String,
    /// The rules and operations that the case was built with.
    pub rules: Vec<String>,
    /// The seed files.
    #[serde(default)]
    pub seeds: Vec<String>,
    /// The mutations applied to the seeds, in order.
    #[serde(default)]
    pub trace: Vec<String>,
    /// Whether the case is a reduced one, which no suite generates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reduced: bool,
    /// The campaign that found it.
    pub campaign: Header,
}

/// The subject of a folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Matter {
    /// A finding about the target.
    Finding(FindingKind),
    /// Something else.
    Other(Other),
}

/// A result that is kept in a folder although it is not a finding about the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Other {
    /// Our own truth is wrong.
    OracleContradicted,
    /// Fresh processes did not repeat it.
    NotReproduced,
    /// Inconclusive but worth a look: the library itself says that its result may be imprecise.
    Inconclusive,
}

impl Matter {
    /// The kind of finding, if it is a finding.
    #[must_use]
    pub fn finding(self) -> Option<FindingKind> {
        match self {
            Matter::Finding(kind) => Some(kind),
            Matter::Other(_) => None,
        }
    }

    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Matter::Finding(kind) => kind.name(),
            Matter::Other(Other::OracleContradicted) => "oracle-contradicted",
            Matter::Other(Other::NotReproduced) => "not-reproduced",
            Matter::Other(Other::Inconclusive) => "inconclusive",
        }
    }
}

impl FindingRecord {
    /// The file of a finding's folder that holds it.
    pub const FILE: &str = "finding.json";

    /// The record of a run on a case.
    pub(crate) fn new(
        header: &Header,
        id: CaseId,
        case: &TestCase,
        target: &dyn Target,
        settled: &Settled,
    ) -> FindingRecord {
        let (kind, evidence) = found(settled);
        let finding = match &settled.judgement {
            Judgement::Finding(finding) => Some(finding),
            _ => None,
        };
        let truth = settled.truth.as_deref().unwrap_or(case);
        let origin = case.origin();
        FindingRecord {
            subject: case.kind(),
            kind,
            severity: finding.map(|finding| finding.severity()),
            grade: finding.map(|finding| finding.grade),
            stability: settled.stability,
            evidence,
            line: finding.and_then(|finding| match &finding.evidence {
                Evidence::FalseAssertion(falsified) => Some(falsified.place.line),
                _ => None,
            }),
            crash: match &settled.run.observation.answer {
                Answer::Crash(crash) => Some(crash.message.clone()).filter(|said| !said.is_empty()),
                _ => None,
            },
            expected: truth.expected(),
            why: why(truth, settled),
            claim: truth.subject().test().claim().map(|claim| claim.who.clone()),
            core: core(truth),
            law: settled.law().map(str::to_owned),
            answer: settled.run.observation.answer.to_string(),
            seconds: settled.run.observation.elapsed.as_secs_f64(),
            target: target.name().to_owned(),
            by_hand: target.by_hand(case),
            options: target.options(case),
            against: settled.against.clone(),
            containment: settled.run.containment.to_string(),
            sandbox: settled.run.confinement.to_string(),
            case: case.name().to_owned(),
            id: id.to_string(),
            category: origin.category.clone(),
            rules: origin.rules.clone(),
            seeds: origin.seeds.clone(),
            trace: origin.trace.clone(),
            reduced: false,
            campaign: header.clone(),
        }
    }

    /// The name of the file with the subject in its own language.
    #[must_use]
    pub fn case_file(&self) -> &'static str {
        self.subject.file()
    }

    /// The name of the file that the target received.
    #[must_use]
    pub fn input_file(&self) -> &'static str {
        profile(self.subject).input_file
    }

    /// The right answer and how it is known, as a sentence without a full stop; `None` if it is
    /// unknown.
    #[must_use]
    pub fn truth(&self) -> Option<String> {
        let FindingRecord { expected, why, .. } = self;
        match expected {
            Expected::Open => None,
            Expected::Law | Expected::Equal => Some(format!("Expected: {why}")),
            _ => Some(format!("Expected: {} ({why})", expected.name())),
        }
    }

    /// The scripts that run library targets without assay.
    pub fn scripts(&self) -> impl Iterator<Item = &Script> {
        self.ways().filter_map(|way| way.script.as_ref())
    }

    /// How to run the target, and the targets that contradict it, without assay.
    fn ways(&self) -> impl Iterator<Item = &ByHand> {
        let others = self.against.iter().map(|opinion| &opinion.by_hand);
        [&self.by_hand].into_iter().chain(others).flatten()
    }

    /// The commands that reproduce the finding, each on its own line, indented by two blanks.
    #[must_use]
    pub fn again(&self) -> String {
        let mut words = format!("Run it again, in this folder:\n  {}\n", self.campaign.replay("."));
        let lines: String =
            self.ways().flat_map(ByHand::lines).map(|line| format!("  {line}\n")).collect();
        if !lines.is_empty() {
            words += &format!("{}:\n{lines}", self.otherwise());
        }
        words
    }

    /// The phrase before the commands that run the target by hand.
    #[must_use]
    pub fn otherwise(&self) -> &'static str {
        profile(self.subject).by_hand
    }

    /// The results of executing the subject, in words.
    #[must_use]
    pub fn runs(&self) -> Option<String> {
        handling(self.subject).runs(self)
    }

    /// The record of a finding's folder.
    ///
    /// # Errors
    /// Fails if there is no record, or it was not written by assay.
    pub fn read(folder: &Path) -> Result<FindingRecord, FolderError> {
        let path = folder.join(FindingRecord::FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(FolderError::NoFinding(folder.to_owned()));
            }
            Err(error) => return Err(FileError::new(path, error).into()),
        };
        Ok(serde_json::from_str(&text).map_err(|error| FileError::new(path, error))?)
    }

    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let json = serde_json::to_string_pretty(self).expect("a record is plain data");
        fs::write(folder.join(FindingRecord::FILE), json + "\n")
    }
}

/// The kind of result and the evidence for it.
fn found(settled: &Settled) -> (Matter, String) {
    let (kind, evidence) = judged(settled);
    match &settled.session {
        Some(found) => (kind, format!("{evidence}; only a session showed {found}")),
        None => (kind, evidence),
    }
}

/// The same of the judgement alone.
fn judged(settled: &Settled) -> (Matter, String) {
    match (&settled.judgement, settled.stability) {
        (Judgement::Finding(finding), _) => {
            (Matter::Finding(finding.kind), finding.evidence.to_string())
        }
        (Judgement::OracleContradicted(how), _) => {
            (Matter::Other(Other::OracleContradicted), how.to_string())
        }
        (Judgement::Inconclusive(doubt), Stability::Single) => {
            (Matter::Other(Other::Inconclusive), doubt.to_string())
        }
        (Judgement::Inconclusive(doubt), _) => {
            (Matter::Other(Other::NotReproduced), doubt.to_string())
        }
        (Judgement::Correct, _) => {
            (Matter::Other(Other::NotReproduced), "fresh runs are right".to_owned())
        }
    }
}

/// How the right answer is known.
fn why(truth: &TestCase, settled: &Settled) -> String {
    match settled.law().and_then(Law::find) {
        Some(law) => format!("law {}: {law}", law.title()),
        None => truth.subject().test().why().unwrap_or_else(|| "no truth is known".to_owned()),
    }
}

fn core(truth: &TestCase) -> Option<Vec<String>> {
    match truth.as_formula()?.oracle() {
        Oracle::Unsat { core: Some(core), .. } => Some(core.names.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_written_by_name() {
        let all = [
            (Matter::Finding(FindingKind::WrongUnsat), "wrong-unsat"),
            (Matter::Other(Other::OracleContradicted), "oracle-contradicted"),
            (Matter::Other(Other::NotReproduced), "not-reproduced"),
            (Matter::Other(Other::Inconclusive), "inconclusive"),
        ];
        for (found, name) in all {
            let json = serde_json::to_value(found).expect("a name");
            assert_eq!((json.as_str(), found.name()), (Some(name), name));
            assert_eq!(serde_json::from_value::<Matter>(json).expect("it reads back"), found);
        }
    }
}
